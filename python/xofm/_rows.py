"""The rows that an estimator is given, as the library reads them, after the checks that scikit-learn asks for."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from . import _frames, _run
from ._frames import Frame
from ._library import XofmError

if TYPE_CHECKING:
    from .estimator import XofmClassifier


def learn(estimator: XofmClassifier, X: Any) -> Frame:
    """The rows of training; the estimator learns the names and the number of their columns."""
    return _read(estimator, X, reset=True)


def read(estimator: XofmClassifier, X: Any) -> Frame:
    """Rows for a fitted estimator, with the columns of training."""
    check_is_fitted(estimator)
    return _read(estimator, X, reset=False)


def predict(estimator: XofmClassifier, X: Any, wanted: list[str], coverage: float = 0.0) -> dict[str, Any]:
    """The results asked for, by the names of the struct in c_api.h."""
    frame = read(estimator, X)
    return estimator.model_.predict(frame, _run.control(estimator.n_jobs), wanted, coverage)


def array_names(count: int) -> list[str]:
    """What the columns of an array are called."""
    return [f"x{j}" for j in range(count)]


def _read(estimator: XofmClassifier, X: Any, *, reset: bool) -> Frame:
    id_name = estimator.id if reset else estimator.model_.about.get("id")
    has_names = _frames.is_frame(X)
    if _frames.is_pandas(X):
        has_names = all(isinstance(name, str) for name in X.columns)
    if reset and id_name is not None and not has_names:
        raise XofmError(f"id is {id_name!r}, but the columns of X have no names; give them names in a data frame")
    if not _frames.is_frame(X):
        return _read_array(estimator, X, reset)
    frame = _frames.from_frame(X)
    names = [name for name in frame.names if name != id_name]
    if _frames.is_pandas(X) and not has_names and any(isinstance(name, str) for name in X.columns):
        raise TypeError(
            "Feature names are only supported if all input features have string names; the columns have names "
            "of several types. Convert them: X.columns = X.columns.astype(str)"
        )
    if reset:
        _learn_names(estimator, frame, names, has_names)
    else:
        _match_names(estimator, frame, names, has_names)
    return frame


def _read_array(estimator: XofmClassifier, X: Any, reset: bool) -> Frame:
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)  # a masked cell has no value
    array = check_array(
        X, dtype=None, ensure_all_finite=False, ensure_min_samples=2 if reset else 0, estimator=estimator
    )
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return _frames.from_array(array, array_names(array.shape[1]) if reset else estimator.model_.column_names)


def _learn_names(estimator: XofmClassifier, frame: Frame, names: list[str], has_names: bool) -> None:
    if not names:
        raise ValueError(f"0 feature(s) (shape=({frame.row_count}, 0)) while a minimum of 1 is required.")
    if frame.row_count < 2:
        raise ValueError(f"Found {frame.row_count} sample(s) while a minimum of 2 is required.")
    estimator.n_features_in_ = len(names)
    if has_names:
        estimator.feature_names_in_ = np.array(names, dtype=object)
        return
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    frame.rename(array_names(len(names)))


def _match_names(estimator: XofmClassifier, frame: Frame, names: list[str], has_names: bool) -> None:
    fitted = getattr(estimator, "feature_names_in_", None)
    if has_names and fitted is not None:
        if estimator.columns != "by_name":
            _check_same_names(list(fitted), names)
        return
    kind = type(estimator).__name__
    if has_names != (fitted is not None):
        problem = "X has feature names, but {} was fitted without feature names"
        if fitted is not None:
            problem = "X does not have valid feature names, but {} was fitted with feature names"
        warnings.warn(problem.format(kind), UserWarning, stacklevel=5)
    if len(names) != estimator.n_features_in_:
        raise ValueError(
            f"X has {len(names)} features, but {kind} is expecting {estimator.n_features_in_} features as input."
        )
    frame.rename(estimator.model_.column_names)


def _check_same_names(fitted: list[str], names: list[str]) -> None:
    """As scikit-learn words it, with the way out."""
    if names == fitted:
        return
    message = "The feature names should match those that were passed during fit.\n"
    for text, lacking in (
        ("Feature names unseen at fit time:\n", sorted(set(names) - set(fitted))),
        ("Feature names seen at fit time, yet now missing:\n", sorted(set(fitted) - set(names))),
    ):
        if lacking:
            shown = [f"- {name}\n" for name in lacking[:5]] + (["- ...\n"] if len(lacking) > 5 else [])
            message += text + "".join(shown)
    if set(names) == set(fitted):
        message += "Feature names must be in the same order as they were in fit.\n"
    if not set(fitted) - set(names):
        message += 'set_params(columns="by_name") takes them in any order and skips others.\n'
    raise ValueError(message)
