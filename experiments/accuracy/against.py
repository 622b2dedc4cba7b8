#!/usr/bin/python3
"""Two programs on the same splits: against.py BEFORE.csv AFTER.csv

Both files are as xofm_accuracy writes them. A row per set: mean MAE of both, the paired difference with its standard error, p of
the corrected resampled t-test (Nadeau and Bengio 2003) after Holm, accuracy, and how often 90 % intervals cover. Then all sets.
"""
import csv
import math
import statistics
import sys

from scipy import stats


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["set"], row["split"]): row for row in csv.DictReader(file)}


def holm(values):
    adjusted = [1.0] * len(values)
    greatest = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        greatest = max(greatest, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = greatest
    return adjusted


def corrected_p(differences, test_share=0.2):
    count = len(differences)
    spread = statistics.stdev(differences) if count > 1 else 0.0
    if spread == 0:
        return 1.0
    error = spread * math.sqrt(1 / count + test_share / (1 - test_share))
    return 2 * stats.t.sf(abs(statistics.mean(differences)) / error, count - 1)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    before, after = read(sys.argv[1]), read(sys.argv[2])
    names = sorted({name for name, _ in before.keys() & after.keys()})
    rows = []
    for name in names:
        keys = [key for key in before if key[0] == name and key in after]
        column = lambda table, field: [float(table[key][field]) for key in keys]
        mae = column(before, "mae"), column(after, "mae")
        differences = [b - a for a, b in zip(*mae)]
        error = statistics.stdev(differences) / math.sqrt(len(keys)) if len(keys) > 1 else math.nan
        rows.append((name, len(keys), *map(statistics.mean, mae), error, corrected_p(differences),
                     statistics.mean(column(before, "accuracy")), statistics.mean(column(after, "accuracy")),
                     statistics.mean(column(before, "coverage_90")), statistics.mean(column(after, "coverage_90"))))
    print("| set | splits | MAE before | after | difference | p | accuracy | coverage at 90 % |\n|---|---|---|---|---|---|---|---|")
    for row, p in zip(rows, holm([row[5] for row in rows])):
        name, count, a, b, error, _, *others = row
        print(f"| {name} | {count} | {a:.3f} | {b:.3f} | {b - a:+.3f} ± {error:.3f} | {p:.2f} | {others[0]:.3f}, {others[1]:.3f} "
              f"| {others[2]:.3f}, {others[3]:.3f} |")
    ratios = [math.log(row[3] / row[2]) for row in rows if row[2] > 0 and row[3] > 0]
    total = sum(row[3] for row in rows) / sum(row[2] for row in rows) - 1
    spread = statistics.stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else math.nan
    print(f"\n{len(rows)} sets: mean MAE {100 * total:+.1f} %; geometric mean of the ratios "
          f"{100 * math.expm1(statistics.mean(ratios)):+.1f} ± {100 * spread:.1f} %")


main()
