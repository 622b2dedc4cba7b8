"""A trained model of the library: a handle that frees itself, copies itself by its file's text and can be pickled."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable
from ctypes import c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _library
from ._frames import Frame
from ._library import Control, address

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


class Model:
    """What the library knows of a model; made by `fit`, `load` or `from_text`."""

    def __init__(self, handle: c_void_p) -> None:
        self.handle = handle
        self._about: dict[str, Any] | None = None

    def __del__(self) -> None:
        if self.handle:
            _library.library.xofm_model_free(self.handle)

    def __reduce__(self) -> tuple[Callable[[bytes], Model], tuple[bytes]]:
        return Model.from_text, (self.to_text(),)

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self  # nothing can change it

    @classmethod
    def from_text(cls, text: bytes) -> Model:
        handle = c_void_p()
        _library.call("xofm_model_from_text", text, len(text), ctypes.byref(handle))
        return cls(handle)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        handle = c_void_p()
        _library.call("xofm_model_load", os.fsencode(path), ctypes.byref(handle))
        return cls(handle)

    def to_text(self) -> bytes:
        return _library.call_for_text("xofm_model_to_text", self.handle)

    def save(self, path: str | os.PathLike[str]) -> None:
        _library.call("xofm_model_save", self.handle, os.fsencode(path))

    @property
    def about(self) -> dict[str, Any]:
        """Attributes, classes, options and how the model was found."""
        if self._about is None:
            self._about = _library.call_for_json("xofm_model_describe", self.handle)
        return self._about

    @property
    def class_count(self) -> int:
        return len(self.about["class_names"])

    @property
    def attribute_names(self) -> list[str]:
        return [attribute["name"] for attribute in self.about["attributes"]]

    @property
    def column_names(self) -> list[str]:
        """The columns that rows are given in: several of 0 and 1 may be one attribute, one of dates may be several."""
        columns: list[str] = []
        for attribute in self.about["attributes"]:
            columns.extend(attribute.get("indicators", [attribute.get("column", attribute["name"])]))
        return list(dict.fromkeys(columns))

    def predict(self, frame: Frame, control: Control, wanted: list[str], coverage: float = 0.0) -> dict[str, Any]:
        """The results asked for, by the names of the struct; see c_api.h."""
        rows, classes = frame.row_count, self.class_count
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "scores": ((rows,), np.float64),
            "support": ((rows, classes), np.float64),
            "probabilities": ((rows, classes), np.float64),
            "notes": ((rows, len(self.about["attributes"])), np.uint8),
        }
        results = {}
        out = _library.Prediction(coverage=coverage)
        for name in wanted:
            shape, dtype = shapes.get(name, ((rows,), np.int32))
            results[name] = np.empty(shape, dtype)
            setattr(out, name, address(results[name]))
        _library.call("xofm_predict", self.handle, frame.handle, out, control)
        return results

    def contributions(self, frame: Frame, control: Control) -> tuple[float, Floats, Floats]:
        """base, [row, attribute], [row, pair]; they add up to the score."""
        base = np.zeros(1)
        attributes = np.empty((frame.row_count, len(self.about["attributes"])))
        pairs = np.empty((frame.row_count, len(self.about["pairs"])))
        out = _library.Contributions(base=address(base), attributes=address(attributes), pairs=address(pairs))
        _library.call("xofm_explain_local", self.handle, frame.handle, out, control)
        return float(base[0]), attributes, pairs

    def explain_global(self, frame: Frame | None, control: Control) -> dict[str, Any]:
        rows = frame.handle if frame is not None else None
        found: dict[str, Any] = _library.call_for_json("xofm_explain_global", self.handle, rows, control)
        return found

    def recourse(
        self, frame: Frame, target: tuple[int, int], options: dict[str, Any], control: Control
    ) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = _library.call_for_json(
            "xofm_recourse", self.handle, frame.handle, *target, json.dumps(options).encode(), control
        )
        return found

    def export(self, options: dict[str, Any]) -> bytes:
        return _library.call_for_text("xofm_export", self.handle, json.dumps(options).encode())

    def report(self, frame: Frame | None, labels: Ints | None, options: dict[str, Any], control: Control) -> str:
        rows = frame.handle if frame is not None else None
        codes = address(labels) if labels is not None else None
        html = _library.call_for_text("xofm_report", self.handle, rows, codes, json.dumps(options).encode(), control)
        return html.decode()

    def monitor(self, frame: Frame, labels: Ints | None, options: dict[str, Any], control: Control) -> bytes:
        """JSON, or with the option "page" the page."""
        codes = address(labels) if labels is not None else None
        request = json.dumps(options).encode()
        return _library.call_for_text("xofm_monitor", self.handle, frame.handle, codes, request, control)


@dataclass(frozen=True)
class Labels:
    """The classes of rows, their names from the lowest to the highest, and the weights of the rows."""

    codes: Ints
    names: list[str]
    label_name: str
    weights: Floats | None = None

    def struct(self) -> _library.Labels:
        labels = _library.Labels(
            codes=address(self.codes),
            count=len(self.codes),
            class_count=len(self.names),
            label_name=self.label_name.encode(),
            weights=address(self.weights) if self.weights is not None else None,
        )
        labels.class_names = _library.texts(self.names)
        return labels


def fit(frame: Frame, labels: Labels, options: dict[str, Any], control: Control) -> Model:
    """What `xofm fit` does; see c_api.h."""
    handle = c_void_p()
    request = json.dumps(options).encode()
    _library.call("xofm_fit", frame.handle, labels.struct(), request, control, ctypes.byref(handle))
    return Model(handle)


def check(frame: Frame, labels: Labels, options: dict[str, Any], control: Control) -> dict[str, Any]:
    """What `xofm check --json` tells."""
    request = json.dumps(options).encode()
    found: dict[str, Any] = _library.call_for_json("xofm_check", frame.handle, labels.struct(), request, control)
    return found


def evaluate(
    class_count: int, labels: Ints, classes: Ints, scores: Floats | None, probabilities: Floats | None
) -> dict[str, Any]:
    """All metrics of `xofm evaluate`."""
    found: dict[str, Any] = _library.call_for_json(
        "xofm_evaluate",
        class_count,
        len(labels),
        address(labels),
        address(classes),
        address(scores) if scores is not None else None,
        address(probabilities) if probabilities is not None else None,
    )
    return found
