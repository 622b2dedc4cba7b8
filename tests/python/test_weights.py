"""A weight is repetition, zero is absence, and the order of the rows is none: to the last bit."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from conftest import make_frame, make_rows, quick
from xofm import XofmClassifier


def estimators() -> list[XofmClassifier]:
    return [quick(), quick(pairs=2), XofmClassifier(pass_budget=100, segment_count=4), quick(method="boost")]


@pytest.mark.parametrize("estimator", estimators())
def test_whole_weights_are_repetition(estimator: XofmClassifier) -> None:
    frame, y = make_frame(120)
    random = np.random.default_rng(3)
    weights = random.integers(0, 4, len(y))
    times = np.repeat(np.arange(len(y)), weights)
    random.shuffle(times)
    weighted = estimator.fit(frame, y, sample_weight=weights).score_samples(frame)
    repeated = estimator.fit(frame.iloc[times], y[times]).score_samples(frame)
    np.testing.assert_array_equal(weighted, repeated)


@pytest.mark.parametrize("scale", [1.0, 0.7])
def test_zero_weights_are_absence(scale: float) -> None:
    frame, y = make_frame(150)
    frame.loc[0, "town"] = "only here"
    weights = np.where(np.arange(150) % 3 == 0, 0.0, scale * (1 + np.arange(150) % 5))
    kept = weights > 0
    model = quick().fit(frame, y, sample_weight=weights)
    other = quick().fit(frame[kept], y[kept], sample_weight=weights[kept])
    np.testing.assert_array_equal(model.predict_proba(frame), other.predict_proba(frame))
    assert "only here" not in model.model_.about["attributes"][4]["levels"]


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 1.5, 200)])
def test_the_order_of_the_rows_does_not_matter(weights: Any) -> None:
    X, y = make_rows(200)
    order = np.random.default_rng(1).permutation(200)
    model = quick(pairs="auto").fit(X, y, sample_weight=weights)
    other = quick(pairs="auto").fit(X[order], y[order], None if weights is None else weights[order])
    np.testing.assert_array_equal(model.score_samples(X), other.score_samples(X))


def test_reference_rows_are_those_that_were_given() -> None:
    X, y = make_rows(60)
    weights = np.arange(60) % 3
    model = quick().fit(X, y, sample_weight=weights)
    for points in json.loads(model.model_.to_text())["reference"]:
        rows = np.array(points["rows"]) - 1
        assert (weights[rows] > 0).all()
        assert (y[rows] == int(points["class"])).all()


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_that_are_none_are_refused(bad: float) -> None:
    X, y = make_rows(40)
    weights = np.ones(40)
    weights[4] = bad
    with pytest.raises(ValueError, match=r"row 4|NaN|infinity"):
        quick().fit(X, y, sample_weight=weights)
