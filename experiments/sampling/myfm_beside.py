#!/usr/bin/env python3
"""Gibbs sampling beside myFM's ordered probit on the same encoding and the same splits.

    pip install myfm==0.4.0 numpy scipy
    experiments/sampling/myfm_beside.py PROGRAM FOLDER SETS SPLITS RESULTS

For every set a model of xofm (--method gibbs --pairs all) is trained on each learning part; its knots encode the rows for myFM
too: ones, a fraction, zeros (Definition 1 of the paper). myFM 0.4.0: MyFMOrderedProbit, independent normal priors. Both run the
same number of sweeps, classes are medians of the predictive probabilities. Core seconds are of the training alone. Numeric
attributes without missing values only, as the paper's seven sets have.
"""
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from myfm import MyFMOrderedProbit

SWEEPS, SEGMENTS, FACTORS = 300, 8, 4


def encode(columns, knots):
    """Per attribute ones, one fraction, zeros."""
    blocks = []
    for values, own in zip(columns, knots):
        own = np.asarray(own)
        if len(own) > 1:
            blocks.append(np.clip((values[:, None] - own[:-1]) / np.diff(own), 0, 1))
    return sparse.csr_matrix(np.hstack(blocks))


def median_class(probabilities):
    return (np.cumsum(probabilities, axis=1) < 0.5).sum(axis=1)


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def run_split(program, header, rows, learning, holdout, folder):
    write(folder / "learn.csv", header, [rows[i] for i in learning])
    write(folder / "test.csv", header, [rows[i] for i in holdout])
    before = children_seconds()
    subprocess.run([program, "fit", "learn.csv", "--no-tune", "--method", "gibbs", "--pairs", "all", "--knots", "quantile",
                    "--segment-count", str(SEGMENTS), "--factor-count", str(FACTORS), "--max-epochs", str(SWEEPS),
                    "--chain-count", "1", "--reference-scores", "training", "--quiet", "-o", "m.json"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    own_seconds = children_seconds() - before
    found = subprocess.run([program, "predict", "m.json", "test.csv", "--quiet"], cwd=folder, check=True,
                           stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL).stdout
    model = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    classes = {name: h for h, name in enumerate(model["classes"])}
    own = np.array([classes[row["class"]] for row in csv.DictReader(found.splitlines())])
    column = {name: j for j, name in enumerate(header)}
    knots = [a["knots"] for a in model["attributes"]]

    def matrix(part):
        return encode([np.array([float(rows[i][column[a["name"]]]) for i in part]) for a in model["attributes"]], knots)

    labels = np.array([classes[row[-1]] for row in rows])
    start = time.process_time()
    rival = MyFMOrderedProbit(rank=FACTORS, random_seed=1)
    rival.fit(matrix(learning), labels[learning], n_iter=SWEEPS, n_kept_samples=SWEEPS // 2)
    seconds = time.process_time() - start
    theirs = median_class(rival.predict_proba(matrix(holdout)))
    for name, predicted, used in (("xofm gibbs", own, own_seconds), ("myFM", theirs, seconds)):
        truth = labels[holdout]
        yield name, (predicted == truth).mean(), np.abs(predicted - truth).mean(), used


def main():
    program, data, sets, split_count, output = sys.argv[1:]
    program = str(Path(program).resolve())
    lines = []
    for name in sets.split(","):
        path = (Path(data) / f"{name}.csv").resolve()
        with open(path, newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            subprocess.run([program, "validate", path, "--no-tune", "--max-epochs", "1", "--holdout-share", "0.2", "--repeats",
                            split_count, "--export-splits", "splits.csv", "--quiet"], cwd=folder, check=True)
            parts = {}
            with open(folder / "splits.csv", newline="", encoding="utf-8") as file:
                for line in csv.DictReader(file):
                    parts.setdefault(int(line["trial"]), {"learn": [], "test": []})[line["part"]].append(int(line["row"]) - 1)
            for split, part in sorted(parts.items()):
                for method, accuracy, mae, seconds in run_split(program, header, rows, part["learn"], part["test"], folder):
                    lines.append([name, split, method, f"{accuracy:.5g}", f"{mae:.5g}", f"{seconds:.2f}"])
                write(output, ["set", "split", "method", "accuracy", "mae", "core_seconds"], lines)


if __name__ == "__main__":
    main()
