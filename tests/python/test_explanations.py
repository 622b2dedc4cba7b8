"""Explanations add up, changes work, intervals cover; and other tools accept them."""

from __future__ import annotations

import html
import io
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from conftest import CARS, make_frame, make_rows, quick
from xofm import XofmClassifier

ROUNDING = 1e-12  # of the sum of the absolute parts


@pytest.mark.parametrize("params", [{}, {"pairs": 3}, {"pairs": "none"}, {"increasing": ["a"]}])
def test_contributions_add_up_to_the_score(params: dict[str, Any]) -> None:
    frame, y = make_frame()
    model = quick(**params).fit(frame, y)
    local = model.explain_local(frame)
    sums = local.base + local.contributions.sum(axis=1)
    scale = np.abs(local.contributions).sum(axis=1) + abs(local.base)
    assert (np.abs(sums - local.scores) <= ROUNDING * scale).all()
    np.testing.assert_array_equal(local.scores, model.score_samples(frame))
    np.testing.assert_array_equal(local.classes, model.predict(frame))


def test_a_curve_says_what_its_attribute_contributes() -> None:
    frame, y = make_frame()
    model = quick(pairs=2).fit(frame, y)
    found, local = model.explain_global(), model.explain_local(frame)
    a = found.curve("a")
    assert a.knots is not None
    expected = np.interp(frame["a"], a.knots, a.values)
    np.testing.assert_allclose(local.attributes[:, 0], expected, atol=1e-9)  # interpolation in another order
    town = found.curve("town")
    levels = dict(zip(town.levels or [], town.values, strict=True))
    np.testing.assert_allclose(local.attributes[:, 4], frame["town"].map(levels).astype(float), atol=1e-12)
    assert len(found.surfaces) == 2
    assert found.importance()[0][0] == "a"
    assert found.to_frame().columns.tolist() == ["term", "importance"]
    assert local.to_frame().shape == (300, 3 + 6 + 2)
    with pytest.raises(KeyError, match="there is no attribute 'c'"):
        found.curve("c")


def test_importance_of_rows_is_the_mean_of_their_contributions() -> None:
    frame, y = make_frame()
    model = quick(pairs=1).fit(frame, y)
    part = frame.head(40)
    expected = np.abs(model.explain_local(part).attributes).mean(axis=0)
    found = [curve.importance for curve in model.explain_global(part).curves]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def apply(frame: pd.DataFrame, row: int, changes: list[dict[str, Any]]) -> pd.DataFrame:
    changed = frame.iloc[[row]].astype({"count": float})
    for change in changes:
        changed[change["attribute"]] = change["to"]
    return changed


@pytest.mark.parametrize("params", [{}, {"pairs": 2}])
def test_a_change_leads_to_the_class_that_it_promises(params: dict[str, Any]) -> None:
    frame, y = make_frame()
    model = quick(**params).fit(frame, y)
    part = frame.head(60)
    before = model.predict(part)
    found = model.recourse(part, target=3, fixed=["town"])
    assert sum(change is not None for change in found) > 30
    for row, change in enumerate(found):
        if change is None:
            continue
        assert len(change.changes) <= 2
        assert all(entry["attribute"] != "town" for entry in change.changes)
        assert model.predict(apply(part, row, change.changes))[0] == change.label == 3
        assert (before[row] == 3) == (change.cost == 0) == (change.changes == [])


def test_the_next_class_is_better_or_worse() -> None:
    frame, y = make_frame()
    model = quick().fit(frame, y)
    part = frame.head(30)
    for target, sign in (("better", 1), ("worse", -1)):
        for row, change in enumerate(model.recourse(part, target=target)):
            if change is not None:
                assert sign * (change.label - model.predict(part)[row]) > 0
    one = model.recourse(part, target=(2, 3), most_changes=1)
    assert all(change is None or len(change.changes) <= 1 for change in one)
    with pytest.raises(ValueError, match="none of the classes"):
        model.recourse(part, target=17)
    with pytest.raises(ValueError, match="nothing"):
        model.recourse(part, target=3, fixed=["nothing"])


def test_intervals_cover_as_often_as_asked() -> None:
    X, y = make_rows(1500)
    model = quick().fit(X[:500], y[:500])
    for coverage in (0.6, 0.9):
        ends = model.predict_interval(X[500:], coverage)
        covered = ((ends[:, 0] <= y[500:]) & (y[500:] <= ends[:, 1])).mean()
        assert covered > coverage - 0.04  # three standard errors of 1,000 rows
    possible = model.predict_interval(X[500:], None)
    assert (possible[:, 0] <= possible[:, 1]).all()
    with pytest.raises(ValueError, match="coverage is 1"):
        model.predict_interval(X, 1)


def test_probabilities_support_and_metrics() -> None:
    frame, y = make_frame()
    model = quick().fit(frame, y)
    probabilities = model.predict_proba(frame)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    median = (np.cumsum(probabilities, axis=1) < 0.5).sum(axis=1)
    assert (median == model.predict(frame)).mean() > 0.99  # ties of a half aside
    support = model.support(frame)
    assert ((support >= 0) & (support <= 1)).all()
    metrics = model.evaluate(frame, y)
    assert metrics["accuracy"] == pytest.approx(model.score(frame, y))
    assert metrics["mae"] == pytest.approx(np.abs(model.predict(frame) - y).mean())


def test_shap_accepts_the_explanation(cars_model: XofmClassifier, cars: tuple[pd.DataFrame, pd.Series]) -> None:
    shap = pytest.importorskip("shap")
    import matplotlib

    matplotlib.use("Agg")
    found = cars_model.to_shap(cars[0])
    sums = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(sums, cars_model.score_samples(cars[0]), atol=1e-9)
    shap.plots.bar(found, show=False)
    shap.plots.waterfall(found[0], show=False)
    shap.plots.beeswarm(found, show=False)


def test_values_of_a_row_go_by_name() -> None:
    frame, y = make_frame()
    model = quick(columns="by_name").fit(frame, y)
    part = frame.head(3).copy()
    part.loc[0, ["b", "town"]] = [np.nan, None]
    part.loc[0, "count"] = 4
    expected = {"b": "missing", "town": "missing", "count": "4"}
    for rows in (part, part[part.columns[::-1]], pl.from_pandas(part[part.columns[::-1]]), part.to_numpy(dtype=object)):
        found = model.explain_local(rows).values(0)
        assert {name: found[name] for name in expected} == expected
    shown = model.to_shap(part[part.columns[::-1]])
    assert shown.data[1, shown.feature_names.index("count")] == part["count"][1]
    assert model.explain_local(pa.Table.from_pandas(part, preserve_index=False).to_reader()).values(0) == {}


@pytest.mark.parametrize("order", ["low", "high"])
def test_reasons_are_those_of_the_command_line(
    order: Literal["low", "high"],
    cars_model: XofmClassifier,
    cars: tuple[pd.DataFrame, pd.Series],
    program: str,
    tmp_path: Path,
) -> None:
    cars_model.save(tmp_path / "model.json")
    command = [program, "predict", str(tmp_path / "model.json"), str(CARS), "--reasons", f"3,{order}"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    table = pd.read_csv(io.StringIO(run.stdout))
    local = cars_model.explain_local(cars[0])
    for row in range(0, 205, 10):
        names = [name for name, _ in local.reasons(row, 3, order)]
        assert names == table.loc[row, ["reason_1", "reason_2", "reason_3"]].tolist()


def test_a_table_of_parts_keeps_the_index(cars_model: XofmClassifier, cars: tuple[pd.DataFrame, pd.Series]) -> None:
    part = cars[0].iloc[[7, 3]].set_axis(["b", "a"])
    assert cars_model.explain_local(part).to_frame().index.tolist() == ["b", "a"]


def test_the_report_has_the_rows(
    cars_model: XofmClassifier, cars: tuple[pd.DataFrame, pd.Series], tmp_path: Any
) -> None:
    X, y = cars
    page = cars_model.report(tmp_path / "page.html", X.head(20), y.head(20), title="Cars <b>")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert page.startswith("<!") and "Cars \\u003cb" in page and "wheel_base" in page
    with pytest.raises(ValueError, match="19 labels for 20 rows"):
        cars_model.report(None, X.head(20), y.head(19))


def test_a_notebook_shows_a_card(cars_model: XofmClassifier) -> None:
    card = cars_model._repr_html_()
    assert "risk" in card and "wheel_base" in card and "&lt;" in card
    assert cars_model._repr_mimebundle_()["text/html"] == card
    assert "tune=False" in quick()._repr_mimebundle_()["text/html"]


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(
    cars_model: XofmClassifier, cars: tuple[pd.DataFrame, pd.Series], monkeypatch: pytest.MonkeyPatch
) -> None:
    display = types.SimpleNamespace(HTML=str)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(display=display, get_ipython=lambda: None))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    part = cars[0].head(3), cars[1].head(3)
    shown = cars_model.show(*part, height=123)
    assert shown.startswith("<iframe srcdoc=") and "height:123px" in shown
    inside = html.unescape(shown.split('srcdoc="')[1].split('"')[0])
    assert inside == cars_model.report(None, *part)
