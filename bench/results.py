#!/usr/bin/env python3
"""From what the benchmarks have measured to the table of README.md. Usage: results.py build/bench/results.json bench/results.csv"""
import csv
import json
import sys

SIZES = ["10000", "100000", "1000000"]
ROWS = {
    "pass_sweep": "loss and gradient over all ordered pairs, exact",
    "pass_histogram": "the same from a histogram (gradient off by {})",
    "epoch_algorithm_1": "an epoch of the paper's Algorithm 1, which visits the 40 million pairs",
    "read_csv_rows": "read a CSV file",
    "read_and_train_40_passes": "read and train, 40 passes",
    "predict_rows": "predict, with interval, support and probabilities",
}
ONLY_SIZE = {"epoch_algorithm_1": "10000"}  # of those without an argument; else a million
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        measured = json.load(file)["benchmarks"]
    table = {name: dict.fromkeys(SIZES, "") for name in ROWS}
    errors = []
    for run in measured:
        words = run["name"].split("/")
        size = words[1] if len(words) > 1 and words[1] in SIZES else ONLY_SIZE.get(words[0], "1000000")
        if words[0] in table:
            table[words[0]][size] = f"{run['real_time'] * UNITS[run['time_unit']]:.3g}"
        if words[0] == "pass_histogram":
            errors.append(f"{run['gradient_error']:.0e}".replace("e-0", "e-"))
    absent = [name for name, cells in table.items() if not any(cells.values())]
    if absent:
        raise SystemExit(f"results.py: nothing was measured for {', '.join(absent)}; run make bench without BENCH_ARGS")
    with open(sys.argv[2], "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["what", *SIZES])
        for name, text in ROWS.items():
            writer.writerow([text.format(", ".join(errors)), *table[name].values()])


if __name__ == "__main__":
    main()
