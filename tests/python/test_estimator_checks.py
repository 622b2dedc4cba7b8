"""The contract: scikit-learn's own checks, without expected failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from xofm import XofmClassifier


@parametrize_with_checks([XofmClassifier(classes="sorted", aim="accuracy", tune=False)])
def test_scikit_learn(estimator: XofmClassifier, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([XofmClassifier(classes="sorted")])
def test_scikit_learn_with_the_search(estimator: XofmClassifier, check: Callable[[Any], None]) -> None:
    check(estimator)
