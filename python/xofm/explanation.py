"""Explanations as values: curves and surfaces of a model, contributions of rows, smallest changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _optional
from ._frames import _is_missing

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """What an attribute alone brings to the score: a value at each knot, linear between, or one per level."""

    name: str
    values: Floats
    importance: float  # mean absolute contribution over the rows
    range: float  # greatest minus least value
    knots: Floats | None = None  # of numbers, ascending
    levels: list[str] | None = None  # of categories
    missing: float | None = None  # of a missing value, if training had any
    lower: Floats | None = None  # the band at each knot or level, if bands were made
    upper: Floats | None = None
    row_weights: Floats = field(default_factory=lambda: np.empty(0))  # training rows per segment or level
    direction: str = "none"
    certified: bool | None = None  # whether the direction holds over the whole space
    unit: str = ""
    description: str = ""
    is_used: bool = True
    special: dict[float, float] = field(default_factory=dict)  # of numbers that stand for something else
    is_date: bool = False  # knots are days since 1970-01-01

    @classmethod
    def from_json(cls, json: dict[str, Any]) -> Curve:
        def numbers(key: str) -> Floats | None:
            return np.array(json[key], dtype=np.float64) if key in json else None

        return cls(
            name=json["name"],
            values=np.array(json["values"], dtype=np.float64),
            importance=json["mean_absolute"],
            range=json["range"],
            knots=numbers("knots"),
            levels=json.get("levels"),
            missing=json.get("missing"),
            lower=numbers("lower"),
            upper=numbers("upper"),
            row_weights=np.array(json["row_weights"], dtype=np.float64),
            direction=json.get("direction", "none"),
            certified=json.get("certified"),
            unit=json.get("unit", ""),
            description=json.get("description", ""),
            is_used=json["is_used"],
            special=dict(zip(json.get("special", []), json.get("special_values", []), strict=True)),
            is_date=json.get("time") == "days",
        )


@dataclass(frozen=True)
class Surface:
    """What two attributes bring together beyond their curves: [stop of the first][stop of the second]; special values
    and a missing one, if training had any, come last.
    """

    first: str
    second: str
    values: Floats
    importance: float
    range: float


@dataclass(frozen=True)
class GlobalExplanation:
    """score = base + all curves + all surfaces."""

    base: float
    curves: list[Curve]
    surfaces: list[Surface]

    @classmethod
    def from_json(cls, json: dict[str, Any]) -> GlobalExplanation:
        return cls(
            base=json["base"],
            curves=[Curve.from_json(curve) for curve in json["curves"]],
            surfaces=[
                Surface(
                    first=pair["first"],
                    second=pair["second"],
                    values=np.array(pair["values"], dtype=np.float64),
                    importance=pair["mean_absolute"],
                    range=pair["range"],
                )
                for pair in json["pairs"]
            ],
        )

    def curve(self, name: str) -> Curve:
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise KeyError(f"there is no attribute {name!r}; there are {[curve.name for curve in self.curves]}")

    def surface(self, first: str, second: str) -> Surface:
        for surface in self.surfaces:
            if {surface.first, surface.second} == {first, second}:
                return surface
        pairs = [(surface.first, surface.second) for surface in self.surfaces]
        raise KeyError(f"the model has no surface for {first!r} and {second!r}; it has {pairs}")

    def importance(self) -> list[tuple[str, float]]:
        """Terms by their mean absolute contribution, greatest first; a pair is "a x b"."""
        terms = [(curve.name, curve.importance) for curve in self.curves]
        terms += [(f"{surface.first} x {surface.second}", surface.importance) for surface in self.surfaces]
        return sorted(terms, key=lambda term: -term[1])

    def to_frame(self) -> pd.DataFrame:
        """Importance as a pandas data frame."""
        pandas = _optional.load("pandas", "to_frame")
        table: pd.DataFrame = pandas.DataFrame(self.importance(), columns=["term", "importance"])
        return table


@dataclass(frozen=True)
class LocalExplanation:
    """score[i] = base + attributes[i].sum() + pairs[i].sum()."""

    names: list[str]
    pair_names: list[tuple[str, str]]
    base: float
    attributes: Floats  # [row, attribute]
    pairs: Floats  # [row, pair]
    scores: Floats
    classes: npt.NDArray[Any]  # predicted
    data: Any  # the rows as they were given

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def term_names(self) -> list[str]:
        return self.names + [f"{first} x {second}" for first, second in self.pair_names]

    @property
    def contributions(self) -> Floats:
        """[row, term], in the order of term_names."""
        return np.hstack([self.attributes, self.pairs])

    def parts(self, row: int, most: int | None = None) -> list[tuple[str, float]]:
        """Contributions to one row that are not zero, greatest first."""
        values = self.contributions[row]
        order = np.argsort(-np.abs(values), kind="stable")
        return [(self.term_names[t], float(values[t])) for t in order if values[t] != 0][:most]

    def reasons(self, row: int, most: int = 3, order: Literal["low", "high"] = "low") -> list[tuple[str, float]]:
        """The parts of one row that speak most against a high class, or for it: `xofm predict --reasons`."""
        sign = 1 if order == "low" else -1
        return sorted(self.parts(row), key=lambda part: sign * part[1])[:most]

    def values(self, row: int) -> dict[str, str]:
        """What one row has, by attribute; empty where several columns are one attribute."""
        if not hasattr(self.data, "__getitem__"):  # none, or a stream that has been read
            return {}
        cells = _cells(self.data[row : row + 1], self.names)[0]
        return {name: _shown(cell) for name, cell in zip(self.names, cells, strict=True)}

    def to_frame(self) -> pd.DataFrame:
        """One row per row, one column per term; base, score and class in front. Rows keep the index of a data frame."""
        pandas = _optional.load("pandas", "to_frame")
        index = self.data.index if isinstance(self.data, pandas.DataFrame) else None
        table: pd.DataFrame = pandas.DataFrame(self.contributions, columns=self.term_names, index=index)
        for place, (name, values) in enumerate(
            [("base", np.full(len(self), self.base)), ("score", self.scores), ("class", self.classes)]
        ):
            table.insert(place, name, values, allow_duplicates=True)
        return table

    def shared(self) -> Floats:
        """[row, attribute]: each pair given half and half to its two attributes."""
        values: Floats = self.attributes.copy()
        places = {name: place for place, name in enumerate(self.names)}
        for p, pair in enumerate(self.pair_names):
            for name in pair:
                values[:, places[name]] += self.pairs[:, p] / 2
        return values

    def to_shap(self) -> Any:
        """A `shap.Explanation` for shap's own plots; base and values add up to the score."""
        shap = _optional.load("shap", "to_shap")
        return shap.Explanation(
            values=self.shared(),
            base_values=np.full(len(self), self.base),
            data=None if self.data is None else _cells(self.data, self.names),
            feature_names=self.names,
        )


def _shown(cell: Any) -> str:
    """A cell as people write it: 164, not 164.0; a day without its midnight."""
    if _is_missing(cell):
        return "missing"
    return f"{cell:g}" if isinstance(cell, (float, np.floating)) else str(cell).removesuffix(" 00:00:00")


def _cells(data: Any, names: list[str]) -> Any:
    """The rows as an array for display, columns in the order of the names if they have these."""
    if not hasattr(data, "to_numpy") and hasattr(data, "to_pandas"):
        data = data.to_pandas()
    if hasattr(data, "to_numpy"):
        return (data[names] if set(names) <= set(getattr(data, "columns", ())) else data).to_numpy()
    return np.asarray(data)


@dataclass(frozen=True)
class Recourse:
    """A change of one or two attributes, and what it leads to."""

    changes: list[dict[str, Any]]  # attribute, from, to
    cost: float  # sum of |change| / training range; a change of level costs 1
    score: float
    label: Any  # the class after the change

    def __str__(self) -> str:
        if not self.changes:
            return f"nothing: class {self.label}"
        parts = [f"{change['attribute']} from {change['from']} to {change['to']}" for change in self.changes]
        return f"{' and '.join(parts)}: class {self.label}"


def pick_change(entry: dict[str, Any], most_changes: int, classes: npt.NDArray[Any]) -> Recourse | None:
    found = entry["one"] if most_changes == 1 else entry["two"] or entry["one"]
    if found is None:
        return None
    return Recourse(found["changes"], found["cost"], found["score"], classes[found["class"]])
