"""Every picture is drawn and shows the numbers of the model."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest

from xofm import XofmClassifier
from xofm.plots import plot_calibration, plot_confusion, plot_curves, plot_importance, plot_local, plot_pair

matplotlib.use("Agg")

Cars = tuple[pd.DataFrame, pd.Series]


def test_curves(cars_model: XofmClassifier) -> None:
    figure = plot_curves(cars_model, ["wheel_base", "make"])
    curve = cars_model.explain_global().curve("wheel_base")
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), curve.values)
    assert len(figure.axes[0].collections) == 1  # the band
    make = cars_model.explain_global().curve("make")
    assert len(figure.axes[1].patches) == len(make.levels or []) + (make.missing is not None)
    assert plot_curves(cars_model, most=4).axes[0].get_title(loc="left") in cars_model.model_.attribute_names


def test_a_pair(cars_model: XofmClassifier) -> None:
    first, second = (cars_model.model_.attribute_names[j] for j in cars_model.model_.about["pairs"][0])
    values = cars_model.explain_global().surface(first, second).values
    np.testing.assert_array_equal(plot_pair(cars_model, first, second).images[0].get_array(), values)
    np.testing.assert_array_equal(plot_pair(cars_model, second, first).images[0].get_array(), values.T)
    with pytest.raises(KeyError, match="no surface"):
        plot_pair(cars_model, "length", "length")


def test_importance(cars_model: XofmClassifier, cars: Cars) -> None:
    widths = [patch.get_width() for patch in plot_importance(cars_model, cars[0], most=5).patches]
    expected = [value for _, value in cars_model.explain_global(cars[0]).importance()[:5]]
    assert widths[::-1] == expected


def test_one_row(cars_model: XofmClassifier, cars: Cars) -> None:
    ax = plot_local(cars_model, cars[0], 3, most=4)
    names = [label.get_text() for label in ax.get_yticklabels()]
    name, value = cars_model.explain_local(cars[0]).parts(3)[0]
    assert any(text.startswith(f"{name} = ") or text == name for text in names)
    assert f"{value:+.2f}" in [text.get_text() for text in ax.texts]
    last = ax.patches[-1]
    assert last.get_x() + last.get_width() == pytest.approx(cars_model.score_samples(cars[0])[3])


def test_quality(cars_model: XofmClassifier, cars: Cars) -> None:
    assert len(plot_calibration(cars_model, *cars).lines[1].get_xdata()) > 2
    counts = sum(int(text.get_text()) for text in plot_confusion(cars_model, *cars).texts)
    assert counts == len(cars[0])
