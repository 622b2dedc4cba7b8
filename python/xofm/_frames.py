"""Rows in: NumPy, pandas, and whatever speaks Arrow (polars, pyarrow, duckdb, ...), without a copy where the layout
allows it. A column of numbers or times is handed over as pointer and stride; categories go by their text, never by
their code.
"""

from __future__ import annotations

import ctypes
import datetime
import numbers
import reprlib
import sys
from ctypes import c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _library
from ._library import XofmError, address

LEVELS = 11
_time_types = {"s": 13, "ms": 14, "us": 15, "ns": 16}
_types = {
    np.dtype(kind): code
    for code, kind in enumerate(
        [
            np.float64,
            np.float32,
            np.int8,
            np.int16,
            np.int32,
            np.int64,
            np.uint8,
            np.uint16,
            np.uint32,
            np.uint64,
            np.bool_,
        ]
    )
}


class Frame:
    """Columns that the library can read; they are kept alive as long as it."""

    def __init__(self, handle: c_void_p, kept: Any) -> None:
        self.handle = handle
        self._kept = kept

    def __del__(self) -> None:
        if self.handle:
            _library.library.xofm_frame_free(self.handle)

    @property
    def row_count(self) -> int:
        return int(_library.library.xofm_frame_row_count(self.handle))

    @property
    def names(self) -> list[str]:
        count = _library.library.xofm_frame_column_count(self.handle)
        return [_library.library.xofm_frame_column_name(self.handle, j).decode() for j in range(count)]

    def rename(self, names: list[str]) -> None:
        """Other names for all columns."""
        _library.call("xofm_frame_rename", self.handle, _library.texts(names), len(names))


class ColumnList:
    """Columns on their way to a frame."""

    def __init__(self, row_count: int) -> None:
        self._row_count = row_count
        self._columns: list[_library.Column] = []
        self._kept: list[Any] = []

    def add_numbers(self, name: str, values: npt.NDArray[Any]) -> None:
        """Any numeric array of one dimension; with a dtype that the library reads it is not copied."""
        if values.dtype not in _types:
            values = _as_float(name, values)
        self._add(name, values, _types[values.dtype])

    def add_times(self, name: str, values: npt.NDArray[Any]) -> None:
        """Dates and times of NumPy; those in days, months and the like are copied."""
        unit = np.datetime_data(values.dtype)
        if unit[0] not in _time_types or unit[1] != 1 or not values.dtype.isnative:
            values = values.astype("datetime64[us]")
        self._add(name, values, _time_types[np.datetime_data(values.dtype)[0]])

    def add_levels(self, name: str, codes: npt.NDArray[Any], levels: list[str]) -> None:
        """Texts by code; a negative code is a missing value."""
        if len(set(levels)) < len(levels):
            twice = next(text for place, text in enumerate(levels) if text in levels[:place])
            raise XofmError(
                f"column {name!r} has two categories that read {twice!r}, and categories go by their text; rename one"
            )
        texts = _library.texts(levels)
        self._kept.append(texts)
        self._add(name, np.ascontiguousarray(codes, dtype=np.int32), LEVELS, texts, len(levels))

    def _add(self, name: str, values: npt.NDArray[Any], kind: int, texts: Any = None, count: int = 0) -> None:
        encoded = _library.text_bytes(name)
        self._kept += [values, encoded]
        column = _library.Column(
            type=kind, name=encoded, values=address(values), stride=values.strides[0], level_count=count
        )
        if texts is not None:
            column.levels = texts
        self._columns.append(column)

    def frame(self) -> Frame:
        columns = (_library.Column * max(len(self._columns), 1))(*self._columns)
        handle = c_void_p()
        _library.call("xofm_frame_from_columns", columns, len(self._columns), self._row_count, ctypes.byref(handle))
        return Frame(handle, (columns, self._kept))


def _as_float(name: str, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    if values.dtype.kind not in "fiub":
        raise XofmError(f"column {name!r} has the type {values.dtype}; convert it to numbers or texts, or leave it out")
    return values.astype(np.float64)


def level_text(value: Any) -> str:
    """A category as text: 3, not 3.0, as the library writes it."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA has no truth
        return True
    except ValueError:  # nor has an array, but it is no missing value
        return False


def _times(values: npt.NDArray[Any], present: list[int]) -> npt.NDArray[np.datetime64]:
    """Dates and times of Python and pandas, by UTC; midnight is where a date begins."""
    times = np.full(len(values), np.datetime64("NaT", "us"))
    for row in present:
        value = values[row]
        if isinstance(value, datetime.datetime) and value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        times[row] = np.datetime64(value, "us")
    return times


def add_objects(columns: ColumnList, name: str, values: npt.NDArray[Any]) -> None:
    """A column of Python objects: all numbers, all texts or all dates; else an error that shows two."""
    present = [row for row, value in enumerate(values) if not _is_missing(value)]
    if present and all(isinstance(values[row], (datetime.date, np.datetime64)) for row in present):
        columns.add_times(name, _times(values, present))
        return
    is_number = {row: isinstance(values[row], (numbers.Number, np.bool_)) for row in present}
    for row in present:
        if not is_number[row] and not isinstance(values[row], str):
            raise TypeError(
                f"column {name!r}, row {row}: argument must be a string or a number, not {type(values[row]).__name__!r}"
            )
    of_numbers = [row for row in present if is_number[row]]
    of_texts = [row for row in present if not is_number[row]]
    if of_numbers and of_texts:
        number, text = of_numbers[0], of_texts[0]
        raise XofmError(
            f"column {name!r} has numbers and texts: {values[number]!r} in row {number} and {values[text]!r} in row "
            f"{text} (counted from 0); convert it to one of the two"
        )
    if of_texts:
        codes = np.full(len(values), -1, dtype=np.int32)
        levels, found = np.unique([values[row] for row in of_texts], return_inverse=True)
        codes[of_texts] = found
        columns.add_levels(name, codes, levels.tolist())
        return
    floats = np.full(len(values), np.nan)
    try:
        for row in present:
            floats[row] = float(values[row])
    except (OverflowError, TypeError) as failure:
        shown = reprlib.repr(values[row])
        raise XofmError(f"column {name!r}, row {row}: {shown} is no number that can be used") from failure
    columns.add_numbers(name, floats)


def from_array(array: npt.NDArray[Any], names: list[str]) -> Frame:
    """A matrix, its columns taken where they lie."""
    columns = ColumnList(array.shape[0])
    for j, name in enumerate(names):
        values = array[:, j]
        if array.dtype.kind in "UT":
            levels, codes = np.unique(values, return_inverse=True)
            columns.add_levels(name, codes, [str(level) for level in levels])
        elif array.dtype.kind == "O":
            add_objects(columns, name, values)
        elif array.dtype.kind == "M":
            columns.add_times(name, values)
        else:
            columns.add_numbers(name, values)
    return columns.frame()


def _add_series(columns: ColumnList, name: str, series: Any) -> None:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        levels = [level_text(value) for value in dtype.categories]
        columns.add_levels(name, series.cat.codes.to_numpy(), levels)
    elif isinstance(dtype, np.dtype):
        values = series.to_numpy()
        if dtype.kind == "O":
            add_objects(columns, name, values)
        elif dtype.kind == "M":
            columns.add_times(name, values)
        else:
            columns.add_numbers(name, values)
    elif isinstance(dtype, pd.DatetimeTZDtype):
        columns.add_times(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    elif pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        columns.add_numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    elif isinstance(dtype, pd.ArrowDtype) and dtype.kind == "M":
        import pyarrow as pa

        columns.add_times(name, pa.array(series).cast(pa.timestamp("us"), safe=False).to_numpy(zero_copy_only=False))
    elif pd.api.types.is_string_dtype(dtype):
        codes, uniques = pd.factorize(series, use_na_sentinel=True)
        columns.add_levels(name, codes, [str(value) for value in uniques])
    else:
        raise XofmError(f"column {name!r} has the type {dtype}; convert it to numbers or texts, or leave it out")


def from_pandas(data: Any) -> Frame:
    columns = ColumnList(len(data))
    for j, name in enumerate(data.columns):
        _add_series(columns, str(name), data.iloc[:, j])
    return columns.frame()


def from_arrow(data: Any) -> Frame:
    """Anything with __arrow_c_stream__: the library takes the stream over and reads its buffers where they are."""
    capsule = data.__arrow_c_stream__()
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer_of.restype = c_void_p
    handle = c_void_p()
    _library.call("xofm_frame_from_arrow", pointer_of(capsule, b"arrow_array_stream"), ctypes.byref(handle))
    return Frame(handle, data)


def is_pandas(data: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def is_frame(data: Any) -> bool:
    """Whether the data name their columns."""
    return is_pandas(data) or hasattr(data, "__arrow_c_stream__")


def from_frame(data: Any) -> Frame:
    return from_pandas(data) if is_pandas(data) else from_arrow(data)
