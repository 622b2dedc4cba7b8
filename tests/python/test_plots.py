"""Every picture is drawn and shows the numbers of the model."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest

from conftest import make_rows, quick
from xofm import XofmClassifier
from xofm.plots import _stops, plot_calibration, plot_confusion, plot_curves, plot_importance, plot_local, plot_pair

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


def test_curves_share_their_scale_unless_told_otherwise(cars_model: XofmClassifier) -> None:
    axes = plot_curves(cars_model, ["wheel_base", "height", "make"]).axes
    assert axes[0].get_ylim() == axes[1].get_ylim() == axes[2].get_xlim()
    parts = np.concatenate(
        [cars_model.explain_global().curve(name).values for name in ("wheel_base", "height", "make")]
    )
    assert axes[0].get_ylim()[0] < parts.min() and parts.max() < axes[0].get_ylim()[1]
    own = plot_curves(cars_model, ["wheel_base", "height"], same_scale=False).axes
    assert own[0].get_ylim() != own[1].get_ylim()


def test_special_and_missing_values_stand_beside_the_curve() -> None:
    X, y = make_rows()
    X[::5, 0] = -1
    X[::7, 0] = -9
    X[::11, 0] = np.nan
    model = quick(special={"x0": [-1, -9]}, pairs=[("x0", "x1")]).fit(X, y)
    curve = model.explain_global().curve("x0")
    assert list(curve.special) == [-9, -1]
    legend = plot_curves(model, ["x0"]).axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["-9", "-1", "missing"]
    names = _stops(curve)
    assert names[-3:] == ["-9", "-1", "missing"]
    assert len(names) == len(model.explain_global().surface("x0", "x1").values)
    ax = plot_pair(model, "x0", "x1")
    assert [names[int(place)] for place in ax.get_yticks()] == [label.get_text() for label in ax.get_yticklabels()]


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
    least = min(patch.get_x() for patch in ax.patches)
    assert ax.get_xlim()[0] < least  # no bar is cut off
    last = ax.patches[-1]
    assert last.get_x() + last.get_width() == pytest.approx(cars_model.score_samples(cars[0])[3])


def test_quality(cars_model: XofmClassifier, cars: Cars) -> None:
    assert len(plot_calibration(cars_model, *cars).lines[1].get_xdata()) > 2
    shown = [text.get_text() for text in plot_confusion(cars_model, *cars).texts]
    assert sum(int(text) for text in shown if text != "·") == len(cars[0])
