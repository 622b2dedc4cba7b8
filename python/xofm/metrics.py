"""Metrics for ordered classes and scorers of them, for `scoring=` of scikit-learn.

Labels may be integers, or anything with `labels=[lowest, ..., highest]`. Distances count classes, not numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import cohen_kappa_score, make_scorer

from ._labels import as_array, encode

__all__ = [
    "amae_scorer",
    "average_mean_absolute_error",
    "mae_scorer",
    "mean_absolute_error",
    "quadratic_weighted_kappa",
    "qwk_scorer",
    "scorers",
    "weighted_kappa",
]


def _codes(
    y_true: Any, y_pred: Any, labels: Sequence[Any] | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    true, predicted = as_array(y_true), as_array(y_pred)
    if labels is None:
        if true.dtype.kind not in "iubf" or predicted.dtype.kind not in "iubf":
            raise ValueError(
                "the order of classes that are not numbers is not known; give labels=[lowest, ..., highest]"
            )
        return true.astype(np.int64), predicted.astype(np.int64)
    classes = np.asarray(list(labels))
    return encode(true, classes).astype(np.int64), encode(predicted, classes).astype(np.int64)


def mean_absolute_error(y_true: Any, y_pred: Any, *, labels: Sequence[Any] | None = None) -> float:
    """Mean distance in classes."""
    true, predicted = _codes(y_true, y_pred, labels)
    return float(np.abs(true - predicted).mean())


def average_mean_absolute_error(y_true: Any, y_pred: Any, *, labels: Sequence[Any] | None = None) -> float:
    """Mean over the classes of the class's own MAE, so that rare classes count as much as frequent ones (AMAE)."""
    true, predicted = _codes(y_true, y_pred, labels)
    distance = np.abs(true - predicted)
    return float(np.mean([distance[true == value].mean() for value in np.unique(true)]))


def quadratic_weighted_kappa(y_true: Any, y_pred: Any, *, labels: Sequence[Any] | None = None) -> float:
    """Cohen's kappa with squared distances: 1 is perfect, 0 is chance."""
    return _kappa(y_true, y_pred, labels, "quadratic")


def _kappa(y_true: Any, y_pred: Any, labels: Sequence[Any] | None, weights: str) -> float:
    true, predicted = _codes(y_true, y_pred, labels)
    greatest = int(max(true.max(), predicted.max())) + 1
    least = int(min(true.min(), predicted.min()))
    return float(cohen_kappa_score(true, predicted, labels=list(range(least, greatest)), weights=weights))


def weighted_kappa(y_true: Any, y_pred: Any, *, labels: Sequence[Any] | None = None) -> float:
    """Cohen's kappa with distances in classes, not squared."""
    return _kappa(y_true, y_pred, labels, "linear")


mae_scorer = make_scorer(mean_absolute_error, greater_is_better=False)
amae_scorer = make_scorer(average_mean_absolute_error, greater_is_better=False)
qwk_scorer = make_scorer(quadratic_weighted_kappa)


def scorers(labels: Sequence[Any] | None = None) -> dict[str, Any]:
    """Scorers by name for `scoring=`; classes that are not integers need `labels`.

    The names are those of skordinal, which has no quadratic kappa.
    """
    options = {} if labels is None else {"labels": list(labels)}
    return {
        "neg_mean_absolute_error": make_scorer(mean_absolute_error, greater_is_better=False, **options),
        "neg_average_mean_absolute_error": make_scorer(average_mean_absolute_error, greater_is_better=False, **options),
        "weighted_kappa": make_scorer(weighted_kappa, **options),
        "quadratic_weighted_kappa": make_scorer(quadratic_weighted_kappa, **options),
    }
