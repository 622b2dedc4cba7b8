"""Packages that only some calls need."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(module: str, what: str) -> Any:
    """The module; or an error that says which call needs it and how to get it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as failure:
        package = module.split(".")[0]
        raise ModuleNotFoundError(f"{what} needs {package}, which is not installed: pip install {package}") from failure
