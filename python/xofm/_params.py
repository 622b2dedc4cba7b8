"""The estimator's parameters, and their way to the options of the library, by the one table of option fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator

from ._labels import class_name
from ._library import XofmError, option_table

# What the estimator calls otherwise, or does not hand on.
NOT_OPTIONS = {"classes", "columns", "n_jobs", "random_state", "verbose"}


class Parameters(BaseEstimator):  # type: ignore[misc]
    """What XofmClassifier is told; a test compares names and defaults with the library's table."""

    def __init__(
        self,
        *,
        classes: Sequence[Any] | Literal["sorted"] | None = None,
        tune: bool | None = None,
        aim: Literal["mae", "accuracy"] = "mae",
        pairs: str | int | Sequence[tuple[str, str]] | None = None,
        most_terms: int = 0,
        teacher_pull: float = 1.0,
        increasing: Sequence[str] | None = None,
        decreasing: Sequence[str] | None = None,
        auto_direction: float = 0.0,
        categorical: Sequence[str] | None = None,
        cyclic: Sequence[str] | None = None,
        special: Mapping[str, Sequence[float]] | None = None,
        id: str | None = None,
        keep_indicators: bool = False,
        class_weights: Mapping[Any, float] | None = None,
        band_count: int = 0,
        time_limit: float = 0.0,
        pass_budget: float = 0.0,
        most_parts: int = 6,
        preset: Literal["default", "paper"] = "default",
        method: Literal["lbfgs", "boost", "sgd", "gibbs"] | None = None,
        segment_count: int | None = None,
        segment_counts: Mapping[str, int] | None = None,
        given_knots: Mapping[str, Sequence[float]] | None = None,
        knots: Literal["quantile", "equal_width"] | None = None,
        spike_share: float | None = None,
        factor_count: int | None = None,
        increment_penalty: float | None = None,
        factor_penalty: float | None = None,
        sparsity_penalty: float | None = None,
        smoothness_penalty: float = 0.0,
        pair_penalty: float = 0.0,
        pair_weighting: Literal["uniform", "distance", "balanced", "adjacent"] | None = None,
        margin: float = 1.0,
        loss_form: Literal["automatic", "sweep", "histogram"] = "automatic",
        bag_count: int = 1,
        rule: Literal["probability", "threshold", "support"] = "probability",
        reference_scores: Literal["automatic", "training", "out_of_sample"] = "automatic",
        reference_limit: int = 1000,
        fold_count: int = 5,
        max_epochs: int | None = None,
        tolerance: float = 1e-05,
        restart_count: int = 1,
        init_stddev: float | None = None,
        step: Literal["constant", "adagrad", "adam"] = "constant",
        learning_rate: float = 0.002,
        learning_rate_decay: float = 0.0,
        chain_count: int = 4,
        descriptions: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None,
        columns: Literal["strict", "by_name"] = "strict",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
    ) -> None:
        self.classes = classes
        self.tune = tune
        self.aim = aim
        self.pairs = pairs
        self.most_terms = most_terms
        self.teacher_pull = teacher_pull
        self.increasing = increasing
        self.decreasing = decreasing
        self.auto_direction = auto_direction
        self.categorical = categorical
        self.cyclic = cyclic
        self.special = special
        self.id = id
        self.keep_indicators = keep_indicators
        self.class_weights = class_weights
        self.band_count = band_count
        self.time_limit = time_limit
        self.pass_budget = pass_budget
        self.most_parts = most_parts
        self.preset = preset
        self.method = method
        self.segment_count = segment_count
        self.segment_counts = segment_counts
        self.given_knots = given_knots
        self.knots = knots
        self.spike_share = spike_share
        self.factor_count = factor_count
        self.increment_penalty = increment_penalty
        self.factor_penalty = factor_penalty
        self.sparsity_penalty = sparsity_penalty
        self.smoothness_penalty = smoothness_penalty
        self.pair_penalty = pair_penalty
        self.pair_weighting = pair_weighting
        self.margin = margin
        self.loss_form = loss_form
        self.bag_count = bag_count
        self.rule = rule
        self.reference_scores = reference_scores
        self.reference_limit = reference_limit
        self.fold_count = fold_count
        self.max_epochs = max_epochs
        self.tolerance = tolerance
        self.restart_count = restart_count
        self.init_stddev = init_stddev
        self.step = step
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.chain_count = chain_count
        self.descriptions = descriptions
        self.units = units
        self.columns = columns
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


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
        if name in ("increasing", "decreasing", "categorical", "cyclic"):
            options[name] = _names(name, value)
        elif name == "class_weights":
            options[name] = {class_name(key): _plain(weight) for key, weight in value.items()}
        else:
            options[name] = _plain(value)
    seed = seed_of(params["random_state"])
    if seed is not None:
        options["seed"] = seed
    return options
