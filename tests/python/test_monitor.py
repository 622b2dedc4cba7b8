"""Special values and monitoring, from frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from xofm import XofmClassifier
from xofm._library import XofmError


def _rows(count: int, shift: float = 0) -> tuple[pd.DataFrame, np.ndarray]:
    i = np.arange(count)
    income = np.where(i % 8 == 0, -1, 1000 + i * 53 % 3000 + shift)
    y = np.where(income == -1, 1, (income > 2500).astype(int))
    return pd.DataFrame({"income": income.astype(float), "age": 20.0 + i * 7 % 41}), y


def test_special_values_have_a_value_of_their_own() -> None:
    X, y = _rows(400)
    model = XofmClassifier(tune=False, special={"income": [-1]}).fit(X, y)
    found = model.predict(pd.DataFrame({"income": [-1.0, 1000.0], "age": [30.0, 30.0]}))
    assert list(found) == [1, 0]
    with pytest.raises(XofmError, match="special"):
        XofmClassifier(tune=False, special={"salary": [-1]}).fit(X, y)


def test_monitoring_tells_like_rows_from_others() -> None:
    X, y = _rows(400)
    model = XofmClassifier(tune=False).fit(X, y)
    like = model.monitor(X, y)
    assert like["alarm_count"] == 0
    assert like["labelled_count"] == 400
    assert [entry["name"] for entry in like["attributes"]] == ["income", "age"]
    shifted = model.monitor(_rows(400, 3000)[0])
    assert shifted["alarm_count"] > 0
    assert shifted["attributes"][0]["psi"] > 0.2
    assert model.monitor(_rows(400, 3000)[0], psi=100, outside=1)["alarm_count"] == 0
