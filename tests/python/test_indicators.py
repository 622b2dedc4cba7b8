"""Columns of 0 and 1 that together say one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from xofm import XofmClassifier


def rows() -> tuple[pd.DataFrame, np.ndarray]:
    place = np.arange(90)
    frame = pd.DataFrame({"x": place % 7, **{f"motor_{m}": (place % 3 == k) * 1.0 for k, m in enumerate("ABC")}})
    return frame, place % 3 + (place % 7 > 3)


def test_are_one_attribute_and_are_given_as_they_were(tmp_path: Path) -> None:
    X, y = rows()
    model = XofmClassifier(tune=False).fit(X, y)
    assert model.n_features_in_ == 4
    local = model.explain_local(X)
    assert local.names == ["x", "motor"]
    model.save(tmp_path / "model.json")
    again = XofmClassifier.load(tmp_path / "model.json", columns="by_name")
    assert list(again.feature_names_in_) == list(X.columns)
    assert_array_equal(again.score_samples(X[X.columns[::-1]]), model.score_samples(X))


def test_of_arrays_too() -> None:
    X, y = rows()
    model = XofmClassifier(tune=False).fit(X.to_numpy(), y)
    assert model.predict(X.to_numpy()).shape == (90,)


@pytest.mark.parametrize("params", [{"increasing": ["motor_B"]}, {"keep_indicators": True}])
def test_that_are_to_stay_apart_do(params: dict[str, Any]) -> None:
    X, y = rows()
    model = XofmClassifier(tune=False, **params).fit(X, y)
    assert model.explain_local(X).names == list(X.columns)
