"""Pictures with matplotlib, in the style of the report: blue lowers the score, orange raises it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _labels, _optional
from .explanation import Curve, GlobalExplanation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .estimator import XofmClassifier

__all__ = ["plot_calibration", "plot_confusion", "plot_curves", "plot_importance", "plot_local", "plot_pair"]

ACCENT = "#22577a"
LOWER = "#2b6ca3"
HIGHER = "#d9822b"
MUTED = "#5b6673"
LINE = "#dfe3e8"
CHARACTERS = 40  # of names along an axis that have room without turning them
MANY_LEVELS = 12  # beside each other on a curve's picture without overlap


def _axes(ax: Axes | None, size: tuple[float, float] = (6.4, 4.0)) -> Axes:
    plt = _optional.load("matplotlib.pyplot", "xofm.plots")
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LINE)
    ax.tick_params(colors=MUTED)
    ax.xaxis.label.set_color(MUTED)
    ax.yaxis.label.set_color(MUTED)
    return ax


def _name_places(axis: Any, names: Sequence[str], most: int = 8) -> None:
    """As many names along an axis as there is room for."""
    step = -(-len(names) // most)
    shown = names[::step]
    axis.set_ticks(range(0, len(names), step), shown)
    if axis.axis_name == "x" and sum(map(len, shown)) > CHARACTERS:
        axis.set_tick_params(labelrotation=30)


def _colours(*names: str) -> Any:
    """From one to the next."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("xofm", names)


def _title(curve: Curve) -> str:
    return f"{curve.name} ({curve.unit})" if curve.unit else curve.name


def _draw_numbers(ax: Axes, curve: Curve) -> None:
    knots = curve.knots
    assert knots is not None
    if curve.lower is not None and curve.upper is not None:
        ax.fill_between(knots, curve.lower, curve.upper, color=ACCENT, alpha=0.18, linewidth=0)
    ax.plot(knots, curve.values, color=ACCENT, linewidth=1.8, marker="o", markersize=4, markerfacecolor="white")
    ax.axhline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=1)
    ax.grid(axis="y", color=LINE, linewidth=0.6)
    ax.set_axisbelow(True)
    # Numbers that stand for something else, and missing ones, lie on no scale.
    apart = {f"{value:g}": part for value, part in curve.special.items()}
    if curve.missing is not None:
        apart["missing"] = curve.missing
    for (name, part), style in zip(apart.items(), cycle([":", "--", "-."]), strict=False):
        ax.axhline(part, color=HIGHER, linewidth=1, linestyle=style, label=name)
    if apart:
        ax.legend(frameon=False, fontsize="small")
    ax.locator_params(axis="x", nbins=5)
    if curve.is_date:
        ax.xaxis_date()  # days since 1970-01-01, as matplotlib has them
        ax.tick_params(axis="x", labelrotation=30)
    segments = curve.row_weights[: len(knots) - 1]
    if len(segments) and segments.max() > 0:
        widths = np.diff(knots)
        density = segments / widths
        # A few spikes, such as a value that many rows share, are cut off: the others would not be seen beside them.
        shown = np.minimum(density / np.quantile(density[density > 0], 0.9), 1)
        # In the lowest eighth of the picture, whatever the scale of the curve.
        ax.bar(knots[:-1], 0.12 * shown, widths, align="edge", color=LINE, zorder=0, transform=ax.get_xaxis_transform())
        ax.set_ymargin(0.16)


def _draw_levels(ax: Axes, curve: Curve) -> None:
    names = [*(curve.levels or []), *(["missing"] if curve.missing is not None else [])]
    values = np.append(curve.values, [] if curve.missing is None else [curve.missing])
    order = np.argsort(values)
    colours = [HIGHER if value > 0 else LOWER for value in values[order]]
    ax.axvline(0, color=MUTED, linewidth=0.8, linestyle="--")
    ax.barh([names[place] for place in order], values[order], color=colours)
    if len(names) > MANY_LEVELS:
        ax.tick_params(axis="y", labelsize=max(4, 10 * MANY_LEVELS / len(names)))


def _share_scale(axes: Any, curves: Sequence[Curve]) -> None:
    """One scale for the score, which is upwards for numbers and to the right for levels."""
    sides = ["x" if curve.levels is not None else "y" for curve in curves]
    limits = [getattr(ax, f"get_{side}lim")() for ax, side in zip(axes, sides, strict=True)]
    both = min((low for low, _ in limits), default=0), max((high for _, high in limits), default=1)
    for ax, side in zip(axes, sides, strict=True):
        getattr(ax, f"set_{side}lim")(both)


def plot_curves(
    model: XofmClassifier,
    attributes: Sequence[str] | None = None,
    *,
    most: int = 6,
    same_scale: bool = True,
    explanation: GlobalExplanation | None = None,
) -> Figure:
    """The curves of some attributes, or of the most important ones; grey bars show where the training rows are.

    All have the same scale, so that what moves the score more is seen to do so; `same_scale=False` gives each its own.
    """
    plt = _optional.load("matplotlib.pyplot", "xofm.plots")
    found = explanation or model.explain_global()
    if attributes is None:
        used = [curve for curve in found.curves if curve.is_used]
        curves = sorted(used, key=lambda curve: -curve.importance)[:most]
    else:
        curves = [found.curve(name) for name in attributes]
    columns = min(3, max(len(curves), 1))
    rows = -(-max(len(curves), 1) // columns)
    figure: Figure
    figure, grid = plt.subplots(rows, columns, figsize=(4.0 * columns, 2.8 * rows), squeeze=False, layout="constrained")
    for place, ax in enumerate(grid.flat):
        if place >= len(curves):
            ax.set_visible(False)
            continue
        _axes(ax)
        (_draw_levels if curves[place].levels is not None else _draw_numbers)(ax, curves[place])
        ax.set_title(_title(curves[place]), loc="left", fontsize="medium")
    if same_scale:
        _share_scale(grid.flat[: len(curves)], curves)
    figure.supylabel("part of the score", fontsize="small", color=MUTED)
    return figure


def _stops(curve: Curve) -> list[str]:
    names = curve.levels
    if names is None:
        knots = np.empty(0) if curve.knots is None else curve.knots
        names = (
            [str(day) for day in knots.astype("datetime64[D]")] if curve.is_date else [f"{knot:g}" for knot in knots]
        )
    names = [*names, *(f"{value:g}" for value in curve.special)]
    return [*names, *(["missing"] if curve.missing is not None else [])]


def plot_pair(model: XofmClassifier, first: str, second: str, *, ax: Axes | None = None) -> Axes:
    """What two attributes bring together beyond their curves, as a heat-map."""
    found = model.explain_global()
    surface = found.surface(first, second)
    values = surface.values if surface.first == first else surface.values.T
    ax = _axes(ax)
    most = float(np.abs(values).max()) or 1.0
    picture = ax.imshow(
        values, cmap=_colours(LOWER, "white", HIGHER), vmin=-most, vmax=most, aspect="auto", origin="lower"
    )
    for axis, name in ((ax.yaxis, first), (ax.xaxis, second)):
        _name_places(axis, _stops(found.curve(name)))
        axis.set_label_text(name)
    bar = ax.figure.colorbar(picture, ax=ax)
    bar.set_label("part of the score", color=MUTED)
    bar.ax.tick_params(colors=MUTED)
    bar.outline.set_visible(False)
    return ax


def plot_importance(model: XofmClassifier, X: Any = None, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """Mean absolute contribution of the terms, over the rows `X` or those of training."""
    terms = [term for term in model.explain_global(X).importance() if term[1] > 0][:most][::-1]
    ax = _axes(ax, (6.4, 0.6 + 0.3 * max(len(terms), 1)))
    ax.barh([name for name, _ in terms], [value for _, value in terms], color=ACCENT)
    ax.set_xlabel("mean absolute part of the score")
    return ax


def plot_local(model: XofmClassifier, X: Any, row: int = 0, *, most: int = 10, ax: Axes | None = None) -> Axes:
    """How the score of one row adds up."""
    local = model.explain_local(X)
    parts = local.parts(row)
    values = local.values(row)
    shown = [(f"{name} = {values[name]}" if name in values else name, value) for name, value in parts[:most]]
    if len(parts) > most:
        others = f"{len(parts) - most} other part{'s' * (len(parts) > most + 1)}"
        shown.append((others, sum(value for _, value in parts[most:])))
    ax = _axes(ax, (6.4, 1.0 + 0.32 * len(shown)))
    start = local.base
    for place, (_, value) in enumerate(shown):
        ax.barh(place, value, left=start, color=HIGHER if value > 0 else LOWER)
        end, start = max(start, start + value), start + value
        label = ax.annotate(f"{value:+.2f}", (end, place), (4, 0), textcoords="offset points", va="center")
        label.set(fontsize="small", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    ax.axvline(local.base, color=LINE, linewidth=1, zorder=0)
    ax.axvline(start, color=MUTED, linewidth=1, linestyle=":", zorder=0)
    ax.use_sticky_edges = False  # the bars would end at the frame
    ax.margins(x=0.12)
    ax.set_yticks(range(len(shown)), [name for name, _ in shown])
    ax.invert_yaxis()
    ax.set_xlabel("score")
    ax.set_title(f"base {local.base:.2f}, score {local.scores[row]:.2f}: class {local.classes[row]}", loc="left")
    return ax


def plot_calibration(model: XofmClassifier, X: Any, y: Any, *, bins: int = 10, ax: Axes | None = None) -> Axes:
    """How often "this class or better" was true, against how probable the model called it."""
    codes = _labels.encode(_labels.as_array(y), model.classes_)
    probabilities = model.predict_proba(X)
    said = np.cumsum(probabilities[:, ::-1], axis=1)[:, ::-1][:, 1:].ravel()
    was_true = (codes[:, None] >= np.arange(1, len(model.classes_))).ravel()
    places = np.minimum((said * bins).astype(int), bins - 1)
    ax = _axes(ax, (4.4, 4.0))
    ax.plot([0, 1], [0, 1], color=LINE, linewidth=1)
    used = [place for place in range(bins) if (places == place).any()]
    ax.plot(
        [said[places == place].mean() for place in used],
        [was_true[places == place].mean() for place in used],
        color=ACCENT,
        marker="o",
    )
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("probability of this class or better")
    ax.set_ylabel("how often it was true")
    return ax


def plot_confusion(model: XofmClassifier, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Rows by true and predicted class."""
    counts: npt.NDArray[np.int64] = np.array(model.evaluate(X, y)["confusion"], dtype=np.int64)
    ax = _axes(ax, (4.4, 4.0))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(shares, cmap=_colours("white", ACCENT), vmin=0, vmax=1)
    for (true, predicted), count in np.ndenumerate(counts):
        colour = "white" if shares[true, predicted] > 0.5 else "black"
        ax.text(predicted, true, str(count or "·"), ha="center", va="center", color=colour)
    names = [str(value) for value in model.classes_]
    for axis in (ax.xaxis, ax.yaxis):
        _name_places(axis, names, most=len(names))
    ax.set_xlabel("predicted")
    ax.set_ylabel("true")
    return ax
