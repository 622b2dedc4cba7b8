"""Data that the tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from xofm import XofmClassifier

ROOT = Path(__file__).resolve().parents[2]
CARS = ROOT / "data" / "car_insurance_risk.csv"


def make_rows(count: int = 300, seed: int = 0) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Four attributes, of which two decide between four classes."""
    random = np.random.default_rng(seed)
    X = random.uniform(size=(count, 4))
    score = 3 * X[:, 0] + 2 * X[:, 1] ** 2 + 0.2 * random.normal(size=count)
    return X, np.searchsorted([1.2, 2.2, 3.2], score)


def make_frame(count: int = 300, seed: int = 0) -> tuple[pd.DataFrame, npt.NDArray[np.int64]]:
    """Numbers with gaps, integers, booleans, texts and categories."""
    random = np.random.default_rng(seed)
    X, y = make_rows(count, seed)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    frame.loc[random.choice(count, count // 10, replace=False), "b"] = np.nan
    frame["count"] = random.integers(0, 9, count)
    frame["is_new"] = random.uniform(size=count) < 0.3
    frame["town"] = random.choice(["Bath", "Rome", "Köln"], count)
    frame["size"] = pd.Categorical(random.choice(["s", "m", "l"], count), categories=["s", "m", "l", "xl"])
    return frame, y


def quick(**params: Any) -> XofmClassifier:
    """Without a search."""
    return XofmClassifier(tune=False, **params)


@pytest.fixture(scope="session")
def cars() -> tuple[pd.DataFrame, pd.Series]:
    table = pd.read_csv(CARS)
    return table.drop(columns="risk"), table["risk"]


@pytest.fixture(scope="session")
def cars_model(cars: tuple[pd.DataFrame, pd.Series]) -> XofmClassifier:
    """Curves and a few pairs, found by a short search."""
    return XofmClassifier(pass_budget=300, band_count=2).fit(*cars)


@pytest.fixture(scope="session")
def program() -> str:
    """The command line; `make test` says where it is."""
    return os.environ.get("XOFM_PROGRAM", str(ROOT / "build" / "release" / "bin" / "xofm"))
