"""From the estimator's parameters to the options of the library, by the one table of option fields."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ._labels import class_name
from ._library import XofmError, option_table

# What the estimator calls otherwise, or does not hand on.
NOT_OPTIONS = {"classes", "columns", "n_jobs", "random_state", "verbose"}


@cache
def defaults() -> dict[str, Any]:
    """By name, of the options that no search chooses; those that one does have None: not given."""
    return {entry["name"]: None if entry.get("is_searched") else entry["default"] for entry in option_table()}


def seed_of(random_state: Any) -> int | None:
    if random_state is None:
        return None
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    raise ValueError(f"random_state is {random_state!r}; it must be a whole number from 0, a generator or None")


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's own, which JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(item) for item in value]
    return value


def _names(option: str, value: Any) -> list[str]:
    if isinstance(value, str):
        raise XofmError(f"{option} is the text {value!r}; it must be a list of names, such as [{value!r}]")
    return [str(name) for name in value]


def to_options(params: dict[str, Any]) -> dict[str, Any]:
    """Only what differs from its default: an option that is given is not searched for."""
    known = defaults()
    options: dict[str, Any] = {}
    for name, value in params.items():
        if name in NOT_OPTIONS or value is None or (name in known and value == known[name]):
            continue
        if name in ("increasing", "decreasing", "categorical"):
            options[name] = _names(name, value)
        elif name == "class_weights":
            options[name] = {class_name(key): _plain(weight) for key, weight in value.items()}
        else:
            options[name] = _plain(value)
    seed = seed_of(params["random_state"])
    if seed is not None:
        options["seed"] = seed
    return options
