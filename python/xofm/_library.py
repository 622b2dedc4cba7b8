"""The C library: where it is, its functions and structs, and how its errors become exceptions."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any

import numpy.typing as npt

ABI_VERSION = 1

OK, INVALID_OPTION, INVALID_DATA, INVALID_MODEL, IO, STOPPED, NO_MEMORY, INTERNAL = range(8)


class XofmError(ValueError):
    """Wrong options, rows or model files; the message says what to do."""


class _Struct(ctypes.Structure):
    """Begins with its own size, so that a newer library knows what an older caller has."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(struct_size=ctypes.sizeof(type(self)), **fields)


class Column(_Struct):
    _fields_ = [
        ("struct_size", c_uint32),
        ("type", c_int32),
        ("name", c_char_p),
        ("values", c_void_p),
        ("stride", c_int64),
        ("validity", c_void_p),
        ("levels", POINTER(c_char_p)),
        ("level_count", c_size_t),
    ]


class Progress(_Struct):
    _fields_ = [("struct_size", c_uint32), ("share", c_double), ("phase", c_char_p), ("count", c_size_t)]


ProgressFunction = ctypes.CFUNCTYPE(c_int32, POINTER(Progress), c_void_p)


class Control(_Struct):
    _fields_ = [
        ("struct_size", c_uint32),
        ("thread_count", c_int32),
        ("interval_seconds", c_double),
        ("progress", ProgressFunction),
        ("user", c_void_p),
    ]


class Labels(_Struct):
    _fields_ = [
        ("struct_size", c_uint32),
        ("codes", c_void_p),
        ("count", c_size_t),
        ("class_names", POINTER(c_char_p)),
        ("class_count", c_size_t),
        ("label_name", c_char_p),
        ("weights", c_void_p),
    ]


class Prediction(_Struct):
    _fields_ = [
        ("struct_size", c_uint32),
        ("scores", c_void_p),
        ("classes", c_void_p),
        ("lowest", c_void_p),
        ("highest", c_void_p),
        ("support", c_void_p),
        ("probabilities", c_void_p),
        ("coverage", c_double),
        ("covering_lowest", c_void_p),
        ("covering_highest", c_void_p),
        ("notes", c_void_p),
    ]


class Contributions(_Struct):
    _fields_ = [("struct_size", c_uint32), ("base", c_void_p), ("attributes", c_void_p), ("pairs", c_void_p)]


_handle = c_void_p
_out = POINTER(c_void_p)
_control = POINTER(Control)

# Arguments of the calls that return a status; the last, the error, is added to each.
_calls: dict[str, list[Any]] = {
    "xofm_option_table": [_out],
    "xofm_frame_from_columns": [POINTER(Column), c_size_t, c_size_t, _out],
    "xofm_frame_from_arrow": [c_void_p, _out],
    "xofm_frame_rename": [_handle, POINTER(c_char_p), c_size_t],
    "xofm_fit": [_handle, POINTER(Labels), c_char_p, _control, _out],
    "xofm_model_load": [c_char_p, _out],
    "xofm_model_save": [_handle, c_char_p],
    "xofm_model_from_text": [c_char_p, c_size_t, _out],
    "xofm_model_to_text": [_handle, _out],
    "xofm_model_describe": [_handle, _out],
    "xofm_predict": [_handle, _handle, POINTER(Prediction), _control],
    "xofm_explain_local": [_handle, _handle, POINTER(Contributions), _control],
    "xofm_explain_global": [_handle, _handle, _control, _out],
    "xofm_recourse": [_handle, _handle, c_int32, c_int32, c_char_p, _control, _out],
    "xofm_evaluate": [c_int32, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, _out],
    "xofm_export": [_handle, c_char_p, _out],
    "xofm_check": [_handle, POINTER(Labels), c_char_p, _control, _out],
    "xofm_report": [_handle, _handle, c_void_p, c_char_p, _control, _out],
    "xofm_monitor": [_handle, _handle, c_void_p, c_char_p, _control, _out],
}


def _library_path() -> Path:
    given = os.environ.get("XOFM_LIBRARY")
    if given:
        return Path(given)
    return Path(__file__).with_name("libxofm_c.so")


def _load() -> ctypes.CDLL:
    path = _library_path()
    if not path.exists():
        raise ImportError(f"{path} is missing: install the package with pip, or let XOFM_LIBRARY name the library")
    library = ctypes.CDLL(str(path))
    library.xofm_abi_version.restype = c_uint32
    version = library.xofm_abi_version()
    if version != ABI_VERSION:
        raise ImportError(f"{path} has interface version {version}; this package needs {ABI_VERSION}")
    for name, arguments in _calls.items():
        function = getattr(library, name)
        function.argtypes = [*arguments, _out]
        function.restype = c_int32
    others: list[tuple[str, list[Any], Any]] = [
        ("xofm_version", [], c_char_p),
        ("xofm_text_data", [c_void_p], c_void_p),
        ("xofm_text_size", [c_void_p], c_size_t),
        ("xofm_text_free", [c_void_p], None),
        ("xofm_frame_row_count", [_handle], c_size_t),
        ("xofm_frame_column_count", [_handle], c_size_t),
        ("xofm_frame_column_name", [_handle, c_size_t], c_char_p),
        ("xofm_frame_column_is_text", [_handle, c_size_t], c_int32),
        ("xofm_frame_free", [_handle], None),
        ("xofm_model_free", [_handle], None),
    ]
    for name, arguments, result in others:
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = result
    return library


library = _load()


def version() -> str:
    """The version of the library."""
    text: bytes = library.xofm_version()
    return text.decode()


def take_bytes(text: c_void_p) -> bytes:
    """The content of a text of the library, which is freed."""
    try:
        return ctypes.string_at(library.xofm_text_data(text), library.xofm_text_size(text))
    finally:
        library.xofm_text_free(text)


def raise_for(status: int, error: c_void_p) -> None:
    """Raises what the status stands for, unless all is well or the call was stopped."""
    message = take_bytes(error).decode("utf-8", "replace") if error else ""
    if status in (OK, STOPPED):
        return
    if status == IO:
        raise OSError(message)
    if status == NO_MEMORY:
        raise MemoryError(message)
    if status == INTERNAL:
        raise RuntimeError(message)
    raise XofmError(message)


def call(name: str, *arguments: Any) -> int:
    """Calls a function that returns a status; other threads of the interpreter run meanwhile."""
    error = c_void_p()
    status: int = getattr(library, name)(*arguments, ctypes.byref(error))
    raise_for(status, error)
    return status


def call_for_text(name: str, *arguments: Any) -> bytes:
    text = c_void_p()
    call(name, *arguments, ctypes.byref(text))
    return take_bytes(text)


def call_for_json(name: str, *arguments: Any) -> Any:
    return json.loads(call_for_text(name, *arguments))


def text_bytes(value: str) -> bytes:
    """A text as the library takes it."""
    try:
        encoded = value.encode()
    except UnicodeEncodeError as failure:
        raise XofmError(f"the text {value!r} has half a character (a lone surrogate); take it out") from failure
    if b"\0" in encoded:
        raise XofmError(f"the text {value!r} has a zero byte; take it out")
    return encoded


def texts(values: Iterable[str]) -> Any:
    """An array of UTF-8 texts."""
    encoded = [text_bytes(value) for value in values]
    return (c_char_p * max(len(encoded), 1))(*encoded)


def address(array: npt.NDArray[Any]) -> int:
    """Where the first value of an array lies."""
    place: int = array.__array_interface__["data"][0]
    return place


def option_table() -> list[dict[str, Any]]:
    """All options of training: name, group, type, default, bounds or choices, help."""
    table: list[dict[str, Any]] = call_for_json("xofm_option_table")
    return table


__all__ = [
    "Column",
    "Contributions",
    "Control",
    "Labels",
    "Prediction",
    "Progress",
    "ProgressFunction",
    "XofmError",
    "address",
    "call",
    "call_for_json",
    "call_for_text",
    "library",
    "option_table",
    "text_bytes",
    "texts",
    "version",
]
