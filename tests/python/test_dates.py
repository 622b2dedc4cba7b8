"""Dates are numbers or parts of a calendar, in every container, as in CSV files; columns that name the rows."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from conftest import quick
from xofm import XofmClassifier, XofmError
from xofm.plots import plot_curves

matplotlib.use("Agg")

Rows = tuple[pd.DataFrame, npt.NDArray[np.int64]]


def make_dates(count: int = 300) -> Rows:
    """Days, of which the month decides with the size; every tenth is missing, some lie before 1970."""
    random = np.random.default_rng(1)
    days = pd.Series(np.datetime64("1968-03-01") + random.integers(0, 5000, count).astype("timedelta64[D]"))
    size = random.uniform(size=count)
    y = (size + (days.dt.month > 6) > 1).astype(int).to_numpy() + (size > 0.7)
    days = days.astype("datetime64[ns]").where(np.arange(count) % 10 > 0)
    return pd.DataFrame({"applied": days, "size": size}), y


def with_units(unit: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda frame: frame.assign(applied=frame["applied"].astype(f"datetime64[{unit}]"))


def in_berlin(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(applied=frame["applied"].dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin"))


def as_arrow_type(kind: pa.DataType) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda frame: frame.assign(applied=frame["applied"].astype(pd.ArrowDtype(kind)))


def as_objects(frame: pd.DataFrame) -> pd.DataFrame:
    dates = [None if value is pd.NaT else value.date() for value in frame["applied"]]
    return frame.assign(applied=pd.Series(dates, dtype=object))


def to_table(kind: pa.DataType) -> Callable[[pd.DataFrame], pa.Table]:
    def convert(frame: pd.DataFrame) -> pa.Table:
        table = pa.Table.from_pandas(frame, preserve_index=False)
        return table.set_column(0, "applied", table["applied"].cast(kind))

    return convert


def to_polars_dates(frame: pd.DataFrame) -> pl.DataFrame:
    return pl.from_pandas(frame).with_columns(pl.col("applied").cast(pl.Date))


CONTAINERS = {
    "seconds": with_units("s"),
    "milliseconds": with_units("ms"),
    "microseconds": with_units("us"),
    "time zone": in_berlin,
    "pandas date32": as_arrow_type(pa.date32()),
    "pandas timestamp": as_arrow_type(pa.timestamp("ns", "Europe/Berlin")),
    "objects": as_objects,
    "polars dates": to_polars_dates,
    "polars times": pl.from_pandas,
    "arrow date32": to_table(pa.date32()),
    "arrow date64": to_table(pa.date64()),
    "arrow seconds": to_table(pa.timestamp("s")),
    "arrow time zone": to_table(pa.timestamp("us", "America/New_York")),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("cyclic", [None, ["applied"]])
def test_every_container_of_dates_gives_the_same_model(container: str, cyclic: list[str] | None) -> None:
    frame, y = make_dates()
    expected = quick(cyclic=cyclic).fit(frame, y)
    found = quick(cyclic=cyclic).fit(CONTAINERS[container](frame), y)
    assert found.model_.to_text() == expected.model_.to_text()
    np.testing.assert_array_equal(found.score_samples(CONTAINERS[container](frame)), expected.score_samples(frame))


def test_dates_of_an_array() -> None:
    frame, y = make_dates()
    days = frame[["applied"]].to_numpy()
    model = quick().fit(days, y)
    for unit in ("D", "h", "ns"):
        np.testing.assert_array_equal(
            model.score_samples(days.astype(f"datetime64[{unit}]")), model.score_samples(days)
        )


@pytest.mark.parametrize("cyclic", [False, True])
def test_the_command_line_reads_the_same_dates(cyclic: bool, program: str, tmp_path: Path) -> None:
    frame, y = make_dates()
    frame["applied"] += pd.to_timedelta(np.arange(300) * 677, unit="s")  # a time of day
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False, date_format="%Y-%m-%dT%H:%M:%S")
    more = ["--cyclic", "applied"] if cyclic else []
    run = [program, "fit", "rows.csv", "--label", "y", "--no-tune", "-q", "-o", "model.json", *more]
    subprocess.run(run, cwd=tmp_path, check=True)
    run = [program, "predict", "model.json", "rows.csv", "-o", "scores.csv"]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    model = XofmClassifier.load(tmp_path / "model.json")
    expected = pd.read_csv(tmp_path / "scores.csv")["score"]
    np.testing.assert_array_equal(model.score_samples(frame), expected)
    np.testing.assert_array_equal(model.score_samples(pl.from_pandas(frame)), expected)
    parts = ["applied month", "applied weekday", "applied hour"] if cyclic else ["applied"]
    assert model.model_.attribute_names == [*parts, "size"]


def test_parts_of_dates_come_again() -> None:
    frame, y = make_dates()
    model = quick(cyclic=["applied"]).fit(frame, y)
    assert model.model_.attribute_names == ["applied month", "applied weekday", "size"]
    assert model.n_features_in_ == 2
    month = model.explain_global().curve("applied month")
    assert month.levels is not None and month.levels[0] == "January" and len(month.levels) == 12
    later = frame.assign(applied=frame["applied"] + pd.DateOffset(years=28))  # the same months and weekdays
    np.testing.assert_array_equal(model.predict_proba(later), model.predict_proba(frame))
    loaded = XofmClassifier(columns="by_name")
    loaded.model_, loaded.classes_ = model.model_, model.classes_
    assert loaded.model_.column_names == ["applied", "size"]


def test_a_change_of_a_date_is_a_date() -> None:
    frame, y = make_dates()
    model = quick().fit(frame, y)
    found = [change for change in model.recourse(frame, target="better", fixed=["size"]) if change is not None]
    dates = [pd.Timestamp(change.changes[0]["to"]) for change in found if change.changes]
    assert dates and all(pd.Timestamp("1968-01-01") < date < pd.Timestamp("1982-12-31") for date in dates)
    assert model.explain_local(frame).values(1)["applied"] == str(frame["applied"][1].date())
    figure = plot_curves(model, ["applied"])
    figure.canvas.draw()
    assert any("197" in label.get_text() for label in figure.axes[0].get_xticklabels())


def refused() -> dict[str, tuple[dict[str, Any], pd.DataFrame, str]]:
    frame, _ = make_dates()
    texts = frame.assign(applied=frame["applied"].dt.strftime("%Y-%m-%d"))
    zones = frame.assign(applied=frame["applied"] - pd.Timestamp("2000-01-01"))
    one = frame.assign(applied=pd.Timestamp("2024-01-01"))[["applied"]]
    return {
        "texts": ({}, texts, "which looks like dates; convert it to these"),
        "durations": ({}, zones, "'applied' has the type timedelta64"),
        "polars durations": ({}, pl.from_pandas(zones), '"applied" has times of day, or durations'),
        "cyclic numbers": ({"cyclic": ["size"]}, frame, 'cyclic: column "size" does not hold dates'),
        "cyclic text": ({"cyclic": "applied"}, frame, "it must be a list"),
        "categorical dates": ({"categorical": ["applied"]}, frame, 'column "applied" has dates; cyclic takes'),
        "nothing left": ({"cyclic": ["applied"]}, one, "no attribute is left"),
        "no such id": ({"id": "client"}, frame, 'id: there is no column "client"'),
        "id alone": ({"id": "applied"}, frame[["applied"]], "0 feature"),
        "id of an array": ({"id": "x0"}, frame[["size"]].to_numpy(), "the columns of X have no names"),
        "id and category": ({"id": "size", "categorical": ["size"]}, frame, "leave it out there"),
    }


@pytest.mark.parametrize("case", refused())
def test_what_cannot_be_is_refused(case: str) -> None:
    params, rows, message = refused()[case]
    with pytest.raises(ValueError, match=message):
        quick(**params).fit(rows, np.arange(len(rows)) % 2)


def test_dates_where_training_had_something_else_are_refused() -> None:
    frame, y = make_dates()
    numbers = frame.assign(applied=np.arange(300.0))
    with pytest.raises(XofmError, match=r'"applied" has dates or times, but in training it had numbers'):
        quick().fit(numbers, y).predict(frame)
    days = frame["applied"].astype("datetime64[s]").astype(np.int64) / 86400
    model = quick().fit(frame, y)
    as_days = frame.assign(applied=days.where(frame["applied"].notna()))
    np.testing.assert_array_equal(model.score_samples(as_days), model.score_samples(frame))


def test_a_column_that_names_the_rows_is_not_learned_from(tmp_path: Path) -> None:
    frame, y = make_dates()
    named = frame.assign(client=[f"client {row}" for row in range(300)])
    model = quick(id="client").fit(named, y)
    assert model.feature_names_in_.tolist() == ["applied", "size"]
    expected = quick().fit(frame, y)
    np.testing.assert_array_equal(model.score_samples(named), expected.score_samples(frame))
    np.testing.assert_array_equal(model.score_samples(frame), expected.score_samples(frame))
    model.save(tmp_path / "model.json")
    loaded = XofmClassifier.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(named), model.predict(named))


def reference_ids(model: XofmClassifier) -> set[str]:
    return {text for entry in json.loads(model.model_.to_text())["reference"] for text in entry["ids"]}


def test_the_model_keeps_the_names_of_its_rows() -> None:
    frame, y = make_dates()
    for ids in ([f"client {row}" for row in range(300)], np.arange(300), frame["applied"], pl.Series(range(300))):
        model = quick(id="client").fit(pl.from_pandas(frame).with_columns(pl.Series("client", ids)), y)
        texts = ["" if value is pd.NaT else str(value).removesuffix(" 00:00:00") for value in ids]
        found = reference_ids(model)
        assert len(found) > 100
        assert found <= set(texts)
