"""The same rows in every container give the same model; what cannot be used is refused with its name."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from conftest import make_frame, make_rows, quick
from xofm import XofmError, _rows


def nullable(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.convert_dtypes()


def arrow_backed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.convert_dtypes(dtype_backend="pyarrow")


def objects(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype(object)


def to_polars(frame: pd.DataFrame) -> pl.DataFrame:
    return pl.from_pandas(frame)


def to_arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


def to_chunks(frame: pd.DataFrame) -> pa.Table:
    """Many batches, of which some begin in the midst of their buffers."""
    table = to_arrow(frame)
    cuts = [0, 1, 8, 9, 100, 163, len(frame)]
    return pa.concat_tables([table.slice(a, b - a) for a, b in pairwise(cuts)])


def to_large_strings(frame: pd.DataFrame) -> pa.Table:
    table = to_arrow(frame)
    fields = [pa.field(f.name, pa.large_string() if f.name == "town" else f.type) for f in table.schema]
    return table.cast(pa.schema(fields))


def to_views(frame: pd.DataFrame) -> pa.Table:
    table = to_arrow(frame)
    fields = [pa.field(f.name, pa.string_view() if f.name == "town" else f.type) for f in table.schema]
    return table.cast(pa.schema(fields))


CONTAINERS = [nullable, arrow_backed, objects, to_polars, to_arrow, to_chunks, to_large_strings, to_views]


@pytest.mark.parametrize("convert", CONTAINERS)
def test_every_container_gives_the_same_model(convert: Callable[[pd.DataFrame], Any]) -> None:
    frame, y = make_frame()
    expected = quick().fit(frame, y)
    found = quick().fit(convert(frame), y)
    assert found.model_.to_text() == expected.model_.to_text()
    np.testing.assert_array_equal(found.score_samples(convert(frame)), expected.score_samples(frame))


def layouts(X: Any) -> dict[str, Any]:
    wide = np.zeros((2 * X.shape[0], 2 * X.shape[1]))
    wide[::2, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    return {
        "fortran": np.asfortranarray(X),
        "strided": wide[::2, ::2],
        "reversed": X[::-1][::-1],
        "negative strides": X[::-1, ::-1].copy()[::-1, ::-1],
        "read only": read_only,
        "list": X.tolist(),
        "object": X.astype(object),
        "other byte order": X.astype(">f8"),
    }


@pytest.mark.parametrize("layout", layouts(np.zeros((2, 2))))
def test_every_layout_gives_the_same_scores(layout: str) -> None:
    X, y = make_rows()
    model = quick().fit(X, y)
    np.testing.assert_array_equal(model.score_samples(layouts(X)[layout]), model.score_samples(X))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, np.int64, np.uint16, np.uint64, np.longdouble, bool])
def test_numbers_of_any_width(kind: Any) -> None:
    X, y = make_rows()
    rounded = np.round(X * 100).astype(kind)
    model = quick().fit(rounded, y)
    np.testing.assert_array_equal(model.score_samples(rounded), model.score_samples(rounded.astype(np.float64)))


def test_categories_go_by_text_not_by_code() -> None:
    frame, y = make_frame()
    model = quick().fit(frame, y)
    other = frame.copy()
    other["size"] = pd.Categorical(frame["size"].astype(str), categories=["xl", "m", "l", "s"])
    assert (other["size"].cat.codes != frame["size"].cat.codes).any()
    np.testing.assert_array_equal(model.score_samples(other), model.score_samples(frame))
    np.testing.assert_array_equal(model.score_samples(pl.from_pandas(other)), model.score_samples(frame))


def test_numbers_as_categories_match_their_texts() -> None:
    frame, y = make_frame()
    model = quick(categorical=["count"]).fit(frame, y)
    assert model.model_.about["attributes"][2]["levels"] == [str(value) for value in range(9)]
    as_text = frame.assign(count=frame["count"].astype(str))
    as_float = frame.assign(count=frame["count"].astype(float))
    np.testing.assert_array_equal(model.score_samples(as_text), model.score_samples(frame))
    np.testing.assert_array_equal(model.score_samples(as_float), model.score_samples(frame))


def test_columns_by_name_in_any_order_among_others() -> None:
    frame, y = make_frame()
    model = quick(columns="by_name").fit(frame, y)
    shuffled = frame[frame.columns[::-1]].assign(note="x")
    np.testing.assert_array_equal(model.predict_proba(shuffled), model.predict_proba(frame))
    np.testing.assert_array_equal(model.predict_proba(pl.from_pandas(shuffled)), model.predict_proba(frame))
    with pytest.raises(XofmError, match=r'the rows lack: "town" \(is it "Town"\?\)'):
        model.predict(frame.rename(columns={"town": "Town"}))


def test_strict_columns_name_the_way_out() -> None:
    frame, y = make_frame()
    model = quick().fit(frame, y)
    for other in (frame[frame.columns[::-1]], pl.from_pandas(frame[frame.columns[::-1]])):
        with pytest.raises(ValueError, match=r"same order as they were in fit(.|\n)*by_name"):
            model.predict(other)


def test_a_new_level_and_a_missing_value_are_scored_and_noted() -> None:
    frame, y = make_frame()
    model = quick().fit(frame, y)
    changed = frame.head(2).copy()
    changed["town"] = ["Oslo", None]
    assert np.isfinite(model.score_samples(changed)).all()
    notes = _rows.predict(model, changed, ["notes"])["notes"]
    assert notes[:, 4].tolist() == [3, 4]


def refused() -> dict[str, tuple[Any, str]]:
    frame, _ = make_frame(20)
    values = frame["a"].to_numpy(copy=True)
    infinite = values.copy()
    infinite[3] = np.inf
    mixed = frame["a"].astype(object)
    mixed[5] = "many"
    others = frame.columns[1:]
    return {
        "duplicate columns": (pd.concat([frame, frame[["a"]]], axis=1), 'two columns are named "a"'),
        "mixed types": (frame.assign(a=mixed), "has numbers and texts: .* in row 0 and 'many' in row 5"),
        "arrays in cells": (frame.assign(a=pd.Series([np.zeros(3)] * 20)), "column 'a', row 0: .* not 'ndarray'"),
        "number beyond all": (
            frame.assign(a=pd.Series([10**400] * 20, dtype=object)),
            r"row 0: 100+\.\.\.0+ is no number",
        ),
        "half a character": (frame.set_axis(pd.Index(["a\ud800", *others], dtype=object), axis=1), "half a character"),
        "zero byte": (frame.rename(columns={"a": "a\0b"}), "has a zero byte"),
        "categories that read alike": (
            frame.assign(a=pd.Categorical([1, "1"] * 10)),
            "column 'a' has two categories that read '1'",
        ),
        "infinity": (frame.assign(a=infinite), '"a" is inf in row 3'),
        "periods": (frame.assign(a=pd.Period("2024-01", "M")), "'a' has the type period"),
        "times of day": (pl.DataFrame({"a": [datetime.time(12, 30)] * 20}), '"a" has times of day'),
        "lists": (pl.DataFrame({"a": [[1, 2]] * 20}), '"a" has nested values'),
        "no rows": (frame.head(0), "0 sample"),
        "one row": (frame.head(1), "1 sample"),
        "no columns": (frame[[]], "0 feature"),
        "an array without columns": (np.zeros((20, 0)), "0 feature"),
        "an array without rows": (np.zeros((0, 3)), "0 sample"),
        "polars without anything": (pl.DataFrame(), "0 feature"),
        "polars without rows": (pl.from_pandas(frame.head(0)), "0 sample"),
        "a table of one row": (to_arrow(frame.head(1)), "1 sample"),
        "names of two types": (frame.rename(columns={"a": 1}), "names of several types"),
        "all missing": (frame.assign(a=np.nan), "'a' has no value in any row"),
        "identifier": (
            pd.DataFrame({"id": [f"row {i}" for i in range(200)]}),
            "looks like an identifier",
        ),
        "complex": (np.zeros((20, 2), dtype=complex), "Complex data not supported"),
        "one dimension": (np.zeros(20), "Expected 2D array"),
    }


@pytest.mark.parametrize("case", refused())
def test_what_cannot_be_used_is_refused_with_its_name(case: str) -> None:
    rows, message = refused()[case]
    y = np.arange(len(rows)) % 3
    with pytest.raises((ValueError, TypeError), match=message):
        quick().fit(rows, y)


def test_names_that_differ_only_by_type_are_refused() -> None:
    X, y = make_rows(30)
    frame = pd.DataFrame(X[:, :2])
    frame.columns = pd.Index([1, "1"], dtype=object)
    with pytest.raises(TypeError, match="several types"):
        quick().fit(frame, y)


def test_masked_cells_have_no_value() -> None:
    X, y = make_rows()
    masked = np.ma.masked_greater(X, 0.9)
    gaps = np.where(X > 0.9, np.nan, X)
    assert quick().fit(masked, y).model_.to_text() == quick().fit(gaps, y).model_.to_text()


def test_huge_integers_are_numbers() -> None:
    X, y = make_rows()
    frame = pd.DataFrame({"a": [2**70 + int(10 * value) * 2**60 for value in X[:, 0]], "b": X[:, 1]})
    assert frame["a"].dtype == object
    assert quick().fit(frame, y).score(frame, y) > 0.7
    frame["a"] = (X[:, 0] * 2**63).astype(np.uint64)
    assert quick().fit(frame, y).score(frame, y) > 0.7


def test_no_rows_give_no_predictions() -> None:
    frame, y = make_frame()
    model = quick().fit(frame, y)
    assert model.predict(frame.head(0)).shape == (0,)
    assert model.predict_proba(frame.head(0)).shape == (0, 4)


def test_a_stream_is_read_once() -> None:
    frame, y = make_frame()
    reader = to_arrow(frame).to_reader()
    assert quick().fit(reader, y).n_features_in_ == 6


def test_arrays_and_frames_may_take_turns_with_a_warning() -> None:
    X, y = make_rows()
    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.warns(UserWarning, match="fitted with feature names"):
        named = quick().fit(frame, y).predict_proba(X)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        unnamed = quick().fit(X, y).predict_proba(frame)
    np.testing.assert_array_equal(named, unnamed)
