"""Special values, what there is to know of rows before training, and new rows against them; from frames."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

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


def test_monitoring_writes_a_page(tmp_path: Path) -> None:
    X, y = _rows(400)
    model = XofmClassifier(tune=False).fit(X, y)
    found = model.monitor(_rows(400, 3000)[0], path=tmp_path / "page.html")
    assert found["alarm_count"] > 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!") and "income" in page
    with pytest.raises(XofmError, match="is it 'psi'"):
        model.monitor(X, ps=1.0)


def test_rows_are_checked_before_training_as_the_command_line_does(program: str, tmp_path: Path) -> None:
    X, y = _rows(400)
    X["leak"] = y * 10.0 + 1
    X.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    command = [program, "check", "rows.csv", "--label", "y", "--special", "income=-1", "--json"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    expected = json.loads(run.stdout)
    model = XofmClassifier(special={"income": [-1]})
    found = model.check(X, pd.Series(y, name="y"))
    for key in ("row_count", "classes", "duplicate_count", "contradictory_count", "best_accuracy"):
        assert found[key] == expected[key]
    for ours, theirs in zip(found["attributes"], expected["attributes"], strict=True):
        del ours["accuracy_alone"], theirs["accuracy_alone"]  # of folds, which depend on the order of the rows
        assert ours == theirs
    assert found["label"] == "y" and found["leaks"][0]["attribute"] == "leak"
    assert any("leak" in text for text in found["findings"])
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.check(X, y[:-1])
