"""What a fitted estimator says of rows: contributions, changes, the page."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _labels, _rows, _run
from .explanation import GlobalExplanation, LocalExplanation, Recourse, pick_change

if TYPE_CHECKING:
    from .estimator import XofmClassifier


def local(estimator: XofmClassifier, X: Any) -> LocalExplanation:
    frame, control = _rows.read(estimator, X), _run.control(estimator.n_jobs)
    base, attributes, pairs = estimator.model_.contributions(frame, control)
    found = estimator.model_.predict(frame, control, ["scores", "classes"])
    names = estimator.model_.attribute_names
    return LocalExplanation(
        names=names,
        pair_names=[(names[a], names[b]) for a, b in estimator.model_.about["pairs"]],
        base=base,
        attributes=attributes,
        pairs=pairs,
        scores=found["scores"],
        classes=estimator.classes_[found["classes"]],
        data=X if names == estimator.model_.column_names else None,  # several columns may be one attribute
    )


def whole(estimator: XofmClassifier, X: Any) -> GlobalExplanation:
    frame = None if X is None else _rows.read(estimator, X)
    return GlobalExplanation.from_json(estimator.model_.explain_global(frame, _run.control(estimator.n_jobs)))


def recourse(
    estimator: XofmClassifier, X: Any, target: Any, fixed: Sequence[str], most_changes: int
) -> list[Recourse | None]:
    if isinstance(fixed, str):
        raise ValueError(f"fixed is the text {fixed!r}; it must be a list of names, such as [{fixed!r}]")
    frame, control = _rows.read(estimator, X), _run.control(estimator.n_jobs)
    classes = estimator.classes_
    if isinstance(target, str) and target in ("better", "worse") and target not in classes.tolist():
        bounds = (-1, -1) if target == "better" else (-2, -2)
    else:
        ends = list(target) if isinstance(target, (list, tuple)) else [target]
        codes = _labels.encode(np.asarray(ends), classes)
        bounds = (int(codes.min()), int(codes.max()))
    found = estimator.model_.recourse(frame, bounds, {"fixed": list(fixed)}, control)
    own = estimator.model_.predict(frame, control, ["scores", "classes"])
    return [
        Recourse([], 0.0, float(score), classes[code])
        if bounds[0] <= code <= bounds[1]
        else pick_change(entry, most_changes, classes)
        for entry, score, code in zip(found, own["scores"], own["classes"], strict=True)
    ]


def monitor(
    estimator: XofmClassifier, X: Any, y: Any, path: str | os.PathLike[str] | None, thresholds: dict[str, float]
) -> dict[str, Any]:
    frame = _rows.read(estimator, X)
    codes = None if y is None else _labels.encode(_labels.as_array(y), estimator.classes_)
    if codes is not None and len(codes) != frame.row_count:
        raise ValueError(f"{len(codes)} labels for {frame.row_count} rows")
    control = _run.control(estimator.n_jobs)
    if path is not None:
        Path(path).write_bytes(estimator.model_.monitor(frame, codes, {**thresholds, "page": True}, control))
    found: dict[str, Any] = json.loads(estimator.model_.monitor(frame, codes, thresholds, control))
    return found


def report(
    estimator: XofmClassifier, path: str | os.PathLike[str] | None, X: Any, y: Any, options: dict[str, Any]
) -> str:
    frame = None if X is None else _rows.read(estimator, X)
    codes = None if X is None or y is None else _labels.encode(_labels.as_array(y), estimator.classes_)
    if frame is not None and codes is not None and len(codes) != frame.row_count:
        raise ValueError(f"{len(codes)} labels for {frame.row_count} rows")
    html = estimator.model_.report(frame, codes, options, _run.control(estimator.n_jobs))
    if path is not None:
        Path(path).write_text(html, encoding="utf-8")
    return html
