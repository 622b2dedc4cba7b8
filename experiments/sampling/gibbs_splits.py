#!/usr/bin/env python3
"""Gibbs sampling alone, with fixed options, on the random splits of the strict protocol.

    experiments/sampling/gibbs_splits.py PROGRAM FOLDER SETS SPLITS RESULTS

The splits are those of xofm_accuracy (a fifth held out, seed 1), so that lines compare with experiments/accuracy/results.csv.
Nothing is chosen: 8 quantile segments, 4 factors, 4 chains of 300 sweeps, training scores. Accuracy is of the classes that
aim at it, and MAE of those that aim at it, as there. Core seconds are of all trials, divided by their number.
"""
import csv
import json
import resource
import subprocess
import sys
from pathlib import Path

OPTIONS = ["--no-tune", "--method", "gibbs", "--pairs", "all", "--segment-count", "8", "--factor-count", "4",
           "--max-epochs", "300", "--reference-scores", "training"]


def core_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    program, folder, sets, splits, output = sys.argv[1:]
    lines = []
    for name in sets.split(","):
        found = {}
        before = core_seconds()
        for aim in ("accuracy", "mae"):
            text = subprocess.run([program, "validate", Path(folder) / f"{name}.csv", *OPTIONS, "--aim", aim, "--holdout-share",
                                   "0.2", "--repeats", splits, "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
            found[aim] = [trial["metrics"][aim] for trial in json.loads(text)["trials"]]
        seconds = (core_seconds() - before) / (2 * int(splits))
        for split, (accuracy, mae) in enumerate(zip(found["accuracy"], found["mae"]), 1):
            lines.append([name, split, f"{accuracy:.5g}", f"{mae:.5g}", f"{seconds:.2f}"])
        with open(output, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([["set", "split", "accuracy", "mae", "core_seconds"], *lines])


if __name__ == "__main__":
    main()
