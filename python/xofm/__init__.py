"""Ordinal regression whose decisions can be read: ordered classes, one curve per attribute, a few pairs."""

from ._library import XofmError, option_table, version
from .estimator import XofmClassifier
from .explanation import Curve, GlobalExplanation, LocalExplanation, Recourse, Surface

__version__ = version()

__all__ = [
    "Curve",
    "GlobalExplanation",
    "LocalExplanation",
    "Recourse",
    "Surface",
    "XofmClassifier",
    "XofmError",
    "option_table",
]
