"""What an installed package does with NumPy and scikit-learn alone: learns the cars, predicts, explains, reports."""

import csv
import importlib.util
import sys
from pathlib import Path

import numpy as np

from xofm import XofmClassifier

for name in ("pandas", "polars", "pyarrow", "matplotlib", "shap"):
    assert importlib.util.find_spec(name) is None, f"{name} is there: the environment is not empty"


def cells(values: list[str]) -> list[float | str | None]:
    """Numbers if all are."""
    try:
        return [float(value) if value else None for value in values]
    except ValueError:
        return [value or None for value in values]


with Path(sys.argv[1]).open(encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
y = np.array([int(row.pop("risk")) for row in rows])
X = np.array([cells([row[name] for row in rows]) for name in rows[0]], dtype=object).T
model = XofmClassifier(pass_budget=200, verbose=1).fit(X, y)
assert model.score(X, y) > 0.6
local = model.explain_local(X)
assert np.allclose(local.base + local.contributions.sum(axis=1), model.score_samples(X))
if "--no-page" in sys.argv:
    try:
        model.report()
        raise SystemExit("there is a page, although there was nothing to make it from")
    except ValueError as error:
        assert "Node.js" in str(error), error
else:
    assert "<script" in model.report()
model.save("model.json")
assert (XofmClassifier.load("model.json").predict(X) == model.predict(X)).all()
