"""Every export that the command line writes comes from an estimator too."""

from __future__ import annotations

import ast
import io
import sqlite3
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from xofm import XofmClassifier
from xofm._library import XofmError


@pytest.fixture(scope="module")
def fitted() -> tuple[XofmClassifier, pd.DataFrame]:
    i = np.arange(300)
    X = pd.DataFrame(
        {
            "income": 1000.0 + i * 53 % 3000,
            "since": pd.Timestamp("2015-03-01") + pd.to_timedelta(i * 37 % 3000, unit="D"),
            "home": np.where(i % 3 == 0, "own", "rent"),
        }
    )
    y = (X["income"] + 400 * (X["home"] == "own") > 2500).astype(int) + (X["since"] > "2021").astype(int)
    return XofmClassifier(tune=False, pairs=1).fit(X, y), X


def test_a_file_of_python_says_what_the_estimator_says(
    fitted: tuple[XofmClassifier, pd.DataFrame], tmp_path: Path
) -> None:
    model, X = fitted
    content = model.export(tmp_path / "model.py", "python", reasons="high")
    assert (tmp_path / "model.py").read_bytes() == content
    ast.parse(content)
    scorer: dict[str, Any] = {"__name__": "model"}
    exec(content, scorer)
    found = [scorer["score"](row) for row in X.to_dict("records")]
    assert [row["class"] for row in found] == [str(label) for label in model.predict(X)]


def test_a_select_says_what_the_estimator_says(fitted: tuple[XofmClassifier, pd.DataFrame]) -> None:
    model, X = fitted
    text = model.export(None, "sql", table="rows", dialect="sqlite", id="id").decode()
    with sqlite3.connect(":memory:") as connection:
        X.to_sql("rows", connection, index_label="id")
        found = pd.read_sql(text, connection).sort_values("id")
        assert list(found["class"]) == [str(label) for label in model.predict(X)]
        connection.execute("UPDATE rows SET since = '31.05.2024' WHERE id = 5")
        with pytest.raises(sqlite3.OperationalError, match="malformed"):
            connection.execute(text).fetchall()


def test_the_other_targets_are_files_of_their_kind(fitted: tuple[XofmClassifier, pd.DataFrame]) -> None:
    model, _ = fitted
    assert b"risk_score(" in model.export(None, "c", name="risk")
    assert model.export(None, "onnx").startswith(b"\x08")
    assert model.export(None, "points", points=650, pdo=40).splitlines()[1].startswith(b"base,base,,,650,")
    assert ElementTree.fromstring(model.export(None, "pmml")).get("version") == "4.4"
    with zipfile.ZipFile(io.BytesIO(model.export(None, "xlsx", points=650))) as book:
        assert book.testzip() is None
        assert "xl/worksheets/sheet3.xml" in book.namelist()


def test_what_cannot_be_exported_is_refused_with_a_remedy(fitted: tuple[XofmClassifier, pd.DataFrame]) -> None:
    model, X = fitted
    with pytest.raises(XofmError, match="must be one of c, python, sql, onnx, points, xlsx, pmml"):
        model.export(None, "fortran")
    full = XofmClassifier(tune=False, pairs="all").fit(X, model.predict(X))
    with pytest.raises(XofmError, match="fit --pairs auto"):
        full.export(None, "pmml")
    ast.parse(full.export(None, "python"))
