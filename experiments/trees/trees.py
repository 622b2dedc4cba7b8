#!/usr/bin/python3
"""Forests and boosted trees on the splits of `make compare`, as predictions from outside.

    make compare DATA=folder                              # writes the splits first, Ctrl-C if that is all you want
    experiments/trees/trees.py folder build/comparison    # needs Debian's python3-sklearn
    make compare DATA=folder COMPARE_ARGS='--outside build/comparison/trees.csv'

Regression on the class numbers, rounded; for the forests also classification. Everything is chosen inside the learning part, by
mean absolute error: the leaf size of the random forest out of bag, leaves and number of the boosted trees by three-fold
cross-validation; all others are at fixed, usual settings. All values must be numbers. A run that was stopped goes on where it was.
Names of methods after the two folders: only these.
"""
import collections
import csv
import pathlib
import sys

import numpy as np
from sklearn.ensemble import (ExtraTreesClassifier, ExtraTreesRegressor, GradientBoostingRegressor,
                              HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor)
from sklearn.model_selection import KFold

TREES = 200


def as_classes(values, classes):
    """Class numbers 0 .. H-1 from a regression on them."""
    return np.rint(values).clip(0, len(classes) - 1).astype(int)


def mae(values, labels, classes):
    return np.abs(as_classes(values, classes) - labels).mean()


def random_forest(x, y, classes, seed):
    tried = [
        RandomForestRegressor(TREES, min_samples_leaf=leaf, oob_score=True, random_state=seed).fit(x, y) for leaf in (1, 3)
    ]
    return min(tried, key=lambda model: mae(model.oob_prediction_, y, classes))


def extra_trees(x, y, _, seed):
    return ExtraTreesRegressor(TREES, random_state=seed).fit(x, y)


def forest_of_classes(x, y, _, seed):
    return RandomForestClassifier(TREES, random_state=seed).fit(x, y)


def extra_trees_of_classes(x, y, _, seed):
    return ExtraTreesClassifier(TREES, random_state=seed).fit(x, y)


def boosted_exact(x, y, _, seed):
    """Every cut between two values is tried, not those between bins; half of the rows for each tree."""
    return GradientBoostingRegressor(
        n_estimators=200, learning_rate=0.05, max_depth=3, subsample=0.5, random_state=seed).fit(x, y)


def boosted(x, y, classes, seed):
    """Least squares boosting of the leaves and number of trees with the least error on unseen rows."""
    steps = np.arange(20, 401, 20)

    def model(leaves, count):
        return HistGradientBoostingRegressor(
            learning_rate=0.05, max_iter=int(count), max_leaf_nodes=leaves, min_samples_leaf=5, early_stopping=False,
            random_state=seed)

    errors = {}
    for leaves in (4, 12):
        for learn, test in KFold(3, shuffle=True, random_state=seed).split(x):
            staged = list(model(leaves, steps[-1]).fit(x[learn], y[learn]).staged_predict(x[test]))
            for count in steps:
                error = mae(staged[count - 1], y[test], classes) * len(test)
                errors[leaves, count] = errors.get((leaves, count), 0) + error
    leaves, count = min(errors, key=errors.get)
    return model(leaves, count).fit(x, y)


METHODS = {
    "random forest": random_forest,
    "extra trees": extra_trees,
    "boosted trees": boosted,
    "forest of classes": forest_of_classes,
    "extra trees of classes": extra_trees_of_classes,
    "boosted exact trees": boosted_exact,
}


def read_splits(path):
    """trial -> (rows to learn from, rows to test on), from 0."""
    trials = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            parts = trials.setdefault(int(row["trial"]), ([], []))
            parts[row["part"] != "learn"].append(int(row["row"]) - 1)
    return trials


def finished(out, test_sizes):
    """The trials (method, set, number) that are whole; what a killed run has left of another is taken out of the file."""
    if not out.exists():
        out.write_text("method,set,trial,row,class\n")
        return set()
    header, *lines = [line for line in out.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def trial_of(line):
        method, name, trial, *_ = line.split(",")
        return method, name, int(trial)

    counts = collections.Counter(map(trial_of, lines))
    whole = {trial for trial, count in counts.items() if count == test_sizes.get(trial[1:], count)}
    kept = out.with_suffix(".part")
    kept.write_text(header + "".join(line for line in lines if trial_of(line) in whole))
    kept.replace(out)
    return whole


def main(folder, output, *names):
    out = pathlib.Path(output) / "trees.csv"
    tables = []
    for path in sorted(pathlib.Path(folder).glob("*.csv"), key=lambda p: p.stat().st_size):
        splits = next(pathlib.Path(output).glob(f"splits_{path.stem}_seed_*.csv"), None)
        if splits is None:
            sys.exit(f"no splits of {path.stem} in {output}: run make compare first")
        tables.append((path, read_splits(splits)))
    done = finished(out, {(path.stem, trial): len(test) for path, trials in tables for trial, (_, test) in trials.items()})
    for path, trials in tables:
        table = np.genfromtxt(path, delimiter=",", skip_header=1)
        x, (classes, y) = table[:, :-1], np.unique(table[:, -1].astype(int), return_inverse=True)
        for trial, (learn, test) in sorted(trials.items()):
            for name in names or METHODS:
                if (name, path.stem, trial) in done:
                    continue
                predicted = as_classes(METHODS[name](x[learn], y[learn], classes, trial).predict(x[test]), classes)
                lines = "".join(f"{name},{path.stem},{trial},{row + 1},{classes[h]}\n" for row, h in zip(test, predicted))
                with open(out, "a", newline="") as file:
                    file.write(lines)
                print(f"{name} on {path.stem}, split {trial}: accuracy {(predicted == y[test]).mean():.3f}, "
                      f"MAE {np.abs(predicted - y[test]).mean():.3f}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3 or not METHODS.keys() >= set(sys.argv[3:]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
