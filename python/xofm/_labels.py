"""Which classes there are and in which order. The order is never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, column_or_1d

from ._library import XofmError
from ._model import Labels

Codes = npt.NDArray[np.int32]

HOW_TO = (
    "give it: XofmClassifier(classes=[lowest, ..., highest]), or let y be integers, an ordered pandas Categorical "
    'or a polars Enum; classes="sorted" takes the order of sorting'
)


def class_name(value: Any) -> str:
    """A class as the model file writes it: 1, not 1.0."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def classes_from_names(names: Sequence[str]) -> npt.NDArray[Any]:
    """The classes of a model file: integers if all are, else texts."""
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.array(names, dtype=str)
    return np.array(numbers) if [str(number) for number in numbers] == list(names) else np.array(names, dtype=str)


def declared_order(y: Any) -> list[Any] | None:
    """The order that the labels bring along, lowest first; None: they have none."""
    dtype = getattr(y, "dtype", None)
    if dtype is None:  # pyarrow
        kind = getattr(y, "type", None)
        if kind is not None and getattr(kind, "ordered", False) and hasattr(y, "combine_chunks"):
            merged = y.combine_chunks()
            return list(merged.dictionary.to_pylist())
        return None
    if getattr(dtype, "ordered", None) is True and hasattr(dtype, "categories"):  # pandas
        return list(dtype.categories)
    if type(dtype).__name__ == "Enum" and hasattr(dtype, "categories"):  # polars
        return list(dtype.categories)
    return None


def as_array(y: Any) -> npt.NDArray[Any]:
    """One label per row, as NumPy has them."""
    if y is None:
        raise ValueError("XofmClassifier requires y to be passed, but the target y is None")
    if hasattr(y, "to_pylist"):
        y = np.array(y.to_pylist(), dtype=object)
    elif hasattr(y, "to_numpy"):
        y = y.to_numpy()
    array: npt.NDArray[Any] = column_or_1d(np.asarray(y), warn=True)
    if array.dtype.kind == "O":
        is_missing = np.array([value is None or value != value for value in array], dtype=bool)
        if is_missing.any():
            raise XofmError(f"y has no value in row {int(np.argmax(is_missing))} (counted from 0); leave the row out")
        array = np.asarray(array.tolist()) if len({type(value) for value in array}) == 1 else array
    elif array.dtype.kind == "f":
        assert_all_finite(array, input_name="y")
    return array


def find_classes(y: Any, array: npt.NDArray[Any], wanted: Any) -> npt.NDArray[Any]:
    """All classes, lowest first."""
    if wanted is not None and not isinstance(wanted, str):
        classes = np.asarray(list(wanted))
        if len(set(classes.tolist())) < len(classes):
            raise XofmError(f"classes has a value twice: {classes.tolist()}")
        return classes
    if wanted not in (None, "sorted"):
        raise XofmError(f'classes is {wanted!r}; it must be a list, lowest first, "sorted" or None')
    declared = declared_order(y)
    if declared is not None and wanted is None:
        return np.asarray(declared)
    check_classification_targets(array)
    if len(array) and (array == array[0]).all():
        raise XofmError(f"all labels are {array[:1].tolist()[0]!r}: one class; two are needed to learn an order")
    if wanted is None and array.dtype.kind not in "iubf":
        raise XofmError(f"the classes {_some(array)} are not numbers, and their order is not known; {HOW_TO}")
    return np.unique(array)


def _some(array: npt.NDArray[Any]) -> str:
    distinct = list(dict.fromkeys(array.tolist()))
    shown = ", ".join(repr(value) for value in distinct[:5])
    return shown + (", ..." if len(distinct) > 5 else "")


def encode(array: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Codes:
    """The number of each label's class; a label that is none of the classes raises."""
    if array.dtype.kind in "iubf" and classes.dtype.kind in "iubf" and (np.diff(classes) > 0).all():
        codes = np.searchsorted(classes, array).clip(0, len(classes) - 1)
        is_known = classes[codes] == array
    else:
        places = {value: place for place, value in enumerate(classes.tolist())}
        by_name = {class_name(value): place for value, place in places.items()}
        found = [places.get(value, by_name.get(class_name(value), -1)) for value in array.tolist()]
        codes = np.array(found, dtype=np.int64)
        is_known = codes >= 0
    if not is_known.all():
        row = int(np.argmin(is_known))
        value = array[row : row + 1].tolist()[0]
        raise XofmError(
            f"y has {value!r} in row {row} (counted from 0), which is none of the classes {classes.tolist()}"
        )
    return np.ascontiguousarray(codes, dtype=np.int32)


def learn(y: Any, row_count: int, wanted: Any, sample_weight: Any) -> tuple[npt.NDArray[Any], Labels]:
    """The classes, lowest first, and the labels of training rows as the library takes them."""
    array = as_array(y)
    if len(array) != row_count:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[row_count, len(array)]}")
    classes = find_classes(y, array, wanted)
    codes = encode(array, classes)
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, codes, dtype=np.float64)
        weights = np.ascontiguousarray(weights, dtype=np.float64)
    label = getattr(y, "name", None)
    label_name = label if isinstance(label, str) and label else "class"
    return classes, Labels(codes, [class_name(value) for value in classes.tolist()], label_name, weights)
