"""The order of the classes is given or comes with the labels; it is never guessed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from conftest import make_rows, quick
from xofm import XofmClassifier, XofmError

NAMES = ["poor", "fair", "good", "excellent"]


def named(y: Any) -> list[str]:
    return [NAMES[code] for code in y]


def carriers(y: Any) -> dict[str, Any]:
    texts = named(y)
    return {
        "ordered categorical": pd.Series(pd.Categorical(texts, categories=NAMES, ordered=True), name="grade"),
        "enum": pl.Series("grade", texts, dtype=pl.Enum(NAMES)),
        "ordered dictionary": pa.chunked_array(
            [pa.DictionaryArray.from_arrays(pa.array(y.astype(np.int8)), pa.array(NAMES), ordered=True)]
        ),
    }


@pytest.mark.parametrize("carrier", carriers(np.arange(4)))
def test_an_order_that_the_labels_bring_along_is_taken(carrier: str) -> None:
    X, y = make_rows()
    model = quick().fit(X, carriers(y)[carrier])
    assert model.classes_.tolist() == NAMES
    assert model.model_.about["class_names"] == NAMES
    expected = quick(classes=NAMES).fit(X, named(y))
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    assert model.predict(X).tolist() == expected.predict(X).tolist()


def test_integers_have_their_own_order_and_stay_integers() -> None:
    X, y = make_rows()
    model = quick().fit(X, y * 10 - 20)
    assert model.classes_.tolist() == [-20, -10, 0, 10]
    assert model.predict(X).dtype.kind == "i"
    assert quick().fit(X, (y + 1).astype(float)).model_.about["class_names"] == ["1", "2", "3", "4"]
    assert quick().fit(X, y > 1).predict(X).dtype == bool


@pytest.mark.parametrize("labels", [named, lambda y: pd.Categorical(named(y)), lambda y: pl.Series(named(y))])
def test_texts_without_an_order_are_refused_and_the_message_says_how(labels: Any) -> None:
    X, y = make_rows(40)
    with pytest.raises(XofmError, match=r"order is not known.*classes=\[lowest, \.\.\., highest\]"):
        quick().fit(X, labels(y))


def test_a_label_that_is_no_class_is_named() -> None:
    X, _ = make_rows(40)
    with pytest.raises(XofmError, match=r"'excellent' in row \d+ .*none of the classes \['poor', 'fair', 'good'\]"):
        quick(classes=NAMES[:3]).fit(X, named(np.full(40, 3)))


def test_a_class_without_rows_keeps_its_place() -> None:
    X, y = make_rows()
    model = quick(classes=["none", *NAMES]).fit(X, named(y))
    assert model.predict_proba(X).shape == (300, 5)
    assert set(model.predict(X)) <= set(NAMES)


def test_missing_labels_are_refused_with_their_row() -> None:
    X, y = make_rows(40)
    texts: list[Any] = named(y)
    texts[7] = None
    with pytest.raises(XofmError, match="no value in row 7"):
        quick(classes=NAMES).fit(X, texts)
    with pytest.raises(ValueError, match="NaN"):
        quick().fit(X, np.where(np.arange(40) == 3, np.nan, y))


def test_one_class_and_wrong_lengths_are_refused() -> None:
    X, y = make_rows(40)
    with pytest.raises(XofmError, match="one class"):
        quick().fit(X, np.zeros(40, dtype=int))
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[40, 39\]"):
        quick().fit(X, y[:-1])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        quick().fit(X, np.linspace(0, 1, 40))
    with pytest.raises(XofmError, match="classes has a value twice"):
        XofmClassifier(classes=["a", "a"]).fit(X, named(y))
