"""A model's rows and what the library says of them, and whether an engine says the same."""

import json
from pathlib import Path

import numpy as np


def number(value):
    return np.nan if value is None else float(value)


class Case:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.name = self.folder.name
        data = json.loads((self.folder / "case.json").read_text())
        self.class_names = data["class_names"]
        self.dates = data["dates"]  # columns of days since 1970-01-01
        self.part_names = data["parts"]
        self.has_few_pairs = data["has_few_pairs"]
        # [(name, is_text, values)]; a number may be NaN or infinite, a text None.
        self.columns = [
            (c["name"], c["is_text"], c["values"] if c["is_text"] else [number(v) for v in c["values"]])
            for c in data["columns"]
        ]
        self.scores = np.array(data["scores"])
        self.classes = np.array(data["classes"])
        self.probabilities = np.array(data["probabilities"]).reshape(len(self.scores), -1)
        self.contributions = np.array(data["contributions"]).reshape(len(self.scores), -1)
        self.sign = -1 if data["highest_reasons"] else 1
        self.starts = np.array(data["starts"])
        self.tolerance = 1e-9 * np.ptp(self.scores)
        assert self.tolerance > 0 and self.contributions.shape[1] == len(self.part_names)

    def check(self, engine, scores, classes, probabilities, reasons, rows=None):
        """Fails unless all is as the library says. Classes and reasons are names; `rows`: a sample, by number."""
        rows = np.arange(len(self.scores)) if rows is None else np.asarray(rows)
        where = f"{self.name}, {engine}"
        scores = np.asarray(scores, float)
        assert scores.shape == rows.shape, f"{where}: {scores.shape} scores for {rows.shape} rows"
        misses = np.abs(scores - self.scores[rows])
        worst = int(np.argmax(np.where(np.isnan(misses), np.inf, misses)))
        assert misses[worst] <= self.tolerance, (
            f"{where}, row {rows[worst]}: score {scores[worst]!r}, the library says {self.scores[rows[worst]]!r}: "
            f"{self.describe(rows[worst])}")
        wanted = np.array([self.class_names[h] for h in self.classes[rows]])
        near = np.min(np.abs(self.scores[rows][:, None] - self.starts), axis=1, initial=np.inf) <= self.tolerance
        wrong = np.flatnonzero((np.asarray(classes) != wanted) & ~near)
        assert not len(wrong), f"{where}, row {rows[wrong[0]]}: class {classes[wrong[0]]!r}, not {wanted[wrong[0]]!r}"
        assert near.mean() < 0.5, f"{where}: half the rows lie on cuts"
        misses = np.abs(np.asarray(probabilities, float) - self.probabilities[rows])
        assert np.all(misses <= 1e-9), f"{where}: a probability is wrong by {np.nanmax(misses)}"
        self.check_reasons(where, reasons, rows)

    def check_reasons(self, where, reasons, rows):
        keys = self.sign * self.contributions[rows]
        order = np.argsort(keys, axis=1, kind="stable")[:, :3]
        strict = 0
        for i, given in enumerate(reasons):
            given = [name for name in given if name]
            assert len(given) == min(3, len(self.part_names)), f"{where}, row {rows[i]}: reasons {given}"
            for name, best in zip(given, order[i]):
                if name == self.part_names[best]:
                    strict += 1
                    continue
                distance = abs(keys[i][self.part_names.index(name)] - keys[i][best])
                # Equal parts go by order; sums that differ in their last digits may not.
                assert 0 < distance <= self.tolerance, (
                    f"{where}, row {rows[i]}: reason {name!r} instead of {self.part_names[best]!r}")
        assert strict >= 0.95 * sum(min(3, len(self.part_names)) for _ in rows), f"{where}: too many ties"

    def describe(self, row):
        return {name: values[row] for name, _, values in self.columns}
