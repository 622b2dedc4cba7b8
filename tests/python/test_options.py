"""Names and defaults are those of the library: the one table of option fields."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from conftest import make_frame, make_rows, quick
from xofm import XofmClassifier, XofmError, option_table


def signature() -> dict[str, Any]:
    parameters = inspect.signature(XofmClassifier).parameters
    return {name: parameter.default for name, parameter in parameters.items()}


@pytest.mark.parametrize("entry", option_table(), ids=lambda entry: entry["name"])
def test_every_option_has_its_parameter_and_its_default(entry: dict[str, Any]) -> None:
    name = "random_state" if entry["name"] == "seed" else entry["name"]
    assert name in signature()
    expected = None if entry.get("is_searched") or entry["name"] == "seed" else entry["default"]
    assert signature()[name] == expected
    assert name == "random_state" or f"{name} : " in (XofmClassifier.__doc__ or "")


@pytest.mark.parametrize("entry", [e for e in option_table() if e["name"] != "seed"], ids=lambda entry: entry["name"])
def test_a_value_that_is_not_allowed_is_refused_by_name(entry: dict[str, Any]) -> None:
    X, y = make_rows(40)
    bad = "nonsense" if entry["type"] == "choice" else -1
    with pytest.raises(XofmError, match=rf"{entry['name']}: "):
        quick(**{entry["name"]: bad}).fit(X, y)


def test_options_reach_the_model() -> None:
    X, y = make_rows()
    model = quick(segment_count=3, margin=2.0, knots="equal_width", random_state=7, rule="support").fit(X, y)
    options = model.model_.about["options"]
    assert options["parts"][0]["segment_count"] == 3
    assert options["parts"][0]["knots"] == "equal_width"
    assert options["margin"] == 2.0
    assert options["optimizer"]["seed"] == 7
    assert model.model_.about["assignment"]["rule"] == "support"
    assert len(model.model_.about["attributes"][0]["knots"]) == 4


def test_an_option_that_is_given_is_not_searched_for() -> None:
    X, y = make_rows(150)
    model = XofmClassifier(pass_budget=2000, segment_count=5, most_parts=3).fit(X, y)
    tried = model.model_.about["record"]["search"]["tried"]
    assert {recipe["segment_count"] for recipe in tried} == {5}
    assert len({recipe["sparsity_penalty"] for recipe in tried}) > 1


def test_directions_are_certified() -> None:
    frame, y = make_frame()
    model = quick(increasing=["a"], decreasing=["b"]).fit(frame, y)
    attributes = {attribute["name"]: attribute for attribute in model.model_.about["attributes"]}
    assert attributes["a"]["certified"] and attributes["b"]["certified"]
    grid = frame.head(50).copy()
    for value in np.linspace(0, 1, 11):
        grid["a"] = value
        scores = model.score_samples(grid)
        grid["a"] = value + 0.1
        assert (model.score_samples(grid) >= scores - 1e-12).all()  # rounding of a sum


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"increasing": "a"}, r"increasing is the text 'a'; it must be a list"),
        ({"increasing": ["a"], "decreasing": ["a"]}, "stands in increasing and in decreasing"),
        ({"increasing": ["town"]}, "'town' is categorical"),
        ({"segment_counts": {"nothing": 3}}, "there is no attribute 'nothing'"),
        ({"pairs": "some"}, "it must be auto, none, all, a number or a list of pairs"),
        ({"pairs": "all", "most_terms": 5}, "leave one of them out"),
        ({"time_limit": 5}, "time_limit belongs to the search that tune false forbids"),
        ({"preset": "papers"}, "preset: must be default or paper"),
        ({"categorical": ["nothing"]}, 'there is no column "nothing"'),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"random_state": -1}, "random_state is -1"),
        ({"classes": "ordered"}, "classes is 'ordered'"),
    ],
)
def test_options_that_make_no_sense_are_refused_with_the_remedy(params: dict[str, Any], message: str) -> None:
    frame, y = make_frame(60)
    with pytest.raises(ValueError, match=message):
        quick(**params).fit(frame, y)


def test_pairs_are_chosen_as_asked() -> None:
    frame, y = make_frame()
    assert len(quick(pairs=2).fit(frame, y).model_.about["pairs"]) == 2
    assert quick(pairs=[("a", "b")]).fit(frame, y).model_.about["pairs"] == [[0, 1]]
    assert quick(pairs="none").fit(frame, y).model_.about["pairs"] == []
    assert not quick().fit(frame, y).model_.about["has_terms"]


def test_class_weights_by_class() -> None:
    X, y = make_rows()
    heavy = quick(class_weights={3: 20.0}).fit(X, y)
    assert (heavy.predict(X) == 3).sum() >= (quick().fit(X, y).predict(X) == 3).sum()
    with pytest.raises(XofmError, match="9"):
        quick(class_weights={9: 2.0}).fit(X, y)
