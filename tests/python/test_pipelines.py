"""Inside the tools of scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.inspection import permutation_importance
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import make_frame, make_rows, quick
from xofm import metrics


def test_a_pipeline_with_frames() -> None:
    X, y = make_rows()
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), quick())
    assert pipeline.fit(frame, y).score(frame, y) > 0.8
    assert pipeline[-1].feature_names_in_.tolist() == list("abcd")


def test_a_grid_search_in_several_processes() -> None:
    X, y = make_rows()
    grid = GridSearchCV(quick(n_jobs=1), {"segment_count": [1, 4], "factor_count": [0, 2]}, cv=3, n_jobs=2)
    grid.fit(X, y)
    assert grid.best_score_ > 0.7
    assert grid.best_estimator_.predict(X).shape == (300,)


def test_scorers_for_ordered_classes() -> None:
    X, y = make_rows()
    assert list(metrics.scorers()) == [  # the first three as skordinal 0.2 has them
        "neg_mean_absolute_error",
        "neg_average_mean_absolute_error",
        "weighted_kappa",
        "quadratic_weighted_kappa",
    ]
    found = cross_validate(quick(), X, y, cv=3, scoring=metrics.scorers())
    assert (found["test_neg_mean_absolute_error"] > -0.3).all()
    assert (found["test_quadratic_weighted_kappa"] > 0.8).all()
    assert (found["test_neg_average_mean_absolute_error"] < 0).all()
    assert cross_val_score(quick(), X, y, cv=3, scoring=metrics.qwk_scorer).min() > 0.8


def test_metrics_count_classes() -> None:
    true, predicted = ["low", "low", "high", "mid"], ["low", "high", "high", "low"]
    labels = ["low", "mid", "high"]
    assert metrics.mean_absolute_error(true, predicted, labels=labels) == 0.75
    assert metrics.average_mean_absolute_error(true, predicted, labels=labels) == pytest.approx((1 + 1 + 0) / 3)
    codes = [0, 0, 2, 1], [0, 2, 2, 0]
    assert metrics.quadratic_weighted_kappa(true, predicted, labels=labels) == pytest.approx(
        cohen_kappa_score(*codes, weights="quadratic")
    )
    assert metrics.weighted_kappa(true, predicted, labels=labels) == pytest.approx(
        cohen_kappa_score(*codes, weights="linear")
    )
    with pytest.raises(ValueError, match="give labels="):
        metrics.mean_absolute_error(true, predicted)


def test_permutation_importance_finds_what_matters() -> None:
    X, y = make_rows()
    model = quick().fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean
    assert set(np.argsort(found)[-2:]) == {0, 1}


def test_weights_are_routed() -> None:
    frame, y = make_frame(120)
    X = frame[["a", "count"]].to_numpy()
    weights = np.arange(120) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        model = quick().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model).fit(
            X, y, sample_weight=weights
        )
    scaled = StandardScaler().fit_transform(X)
    expected = quick().fit(scaled, y, sample_weight=weights)
    np.testing.assert_array_equal(pipeline.predict(X), expected.predict(scaled))
