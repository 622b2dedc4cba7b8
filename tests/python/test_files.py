"""One model file for all programs; pickles, copies and clones are the same model."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from conftest import CARS, make_frame, make_rows, quick
from xofm import XofmClassifier, XofmError

Cars = tuple[pd.DataFrame, pd.Series]


def test_the_command_line_gives_the_same_bits(
    cars_model: XofmClassifier, cars: Cars, program: str, tmp_path: Path
) -> None:
    cars_model.save(tmp_path / "model.json")
    run = subprocess.run(
        [program, "predict", str(tmp_path / "model.json"), str(CARS)], check=True, capture_output=True, text=True
    )
    table = pd.read_csv(io.StringIO(run.stdout))
    np.testing.assert_array_equal(table["score"], cars_model.score_samples(cars[0]))
    np.testing.assert_array_equal(table["class"], cars_model.predict(cars[0]))
    names = [f"probability_{name}" for name in cars_model.classes_]
    np.testing.assert_array_equal(table[names], cars_model.predict_proba(cars[0]))


def test_a_model_of_the_command_line_is_read(cars: Cars, program: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    subprocess.run([program, "fit", str(CARS), "--no-tune", "-q", "-o", str(path)], check=True)
    run = subprocess.run([program, "predict", str(path), str(CARS)], check=True, capture_output=True, text=True)
    table = pd.read_csv(io.StringIO(run.stdout))
    model = XofmClassifier.load(path, columns="by_name")
    assert model.classes_.tolist() == [-2, -1, 0, 1, 2, 3]
    np.testing.assert_array_equal(table["score"], model.score_samples(cars[0][cars[0].columns[::-1]]))


@pytest.mark.parametrize("way", ["pickle", "joblib", "deepcopy", "file"])
def test_a_copy_is_the_same_model(way: str, tmp_path: Path) -> None:
    frame, y = make_frame()
    model = quick(pairs=2, classes=["a", "b", "c", "d"]).fit(frame, np.array(list("abcd"))[y])
    if way == "pickle":
        other = pickle.loads(pickle.dumps(model))
    elif way == "joblib":
        joblib.dump(model, tmp_path / "model.joblib")
        other = joblib.load(tmp_path / "model.joblib")
    elif way == "deepcopy":
        other = copy.deepcopy(model)
    else:
        model.save(tmp_path / "model.json")
        other = XofmClassifier.load(tmp_path / "model.json")
    np.testing.assert_array_equal(other.predict_proba(frame), model.predict_proba(frame))
    assert other.classes_.tolist() == model.classes_.tolist()
    assert other.feature_names_in_.tolist() == frame.columns.tolist()


def test_a_clone_is_not_fitted_and_has_the_same_parameters() -> None:
    X, y = make_rows()
    model = quick(segment_count=5, increasing=["x0"]).fit(X, y)
    other = clone(model)
    assert other.get_params() == model.get_params()
    assert not hasattr(other, "model_")


def test_bad_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nothing"):
        XofmClassifier.load(tmp_path / "nothing")
    (tmp_path / "damaged").write_text('{"format": "xofm"')
    with pytest.raises(XofmError, match="damaged"):
        XofmClassifier.load(tmp_path / "damaged")
