#!/usr/bin/python3
"""Data sets on which nothing here was settled, from what scikit-learn carries: does the default search hold up elsewhere?

    experiments/trees/other_data.py build/other/data      # needs Debian's python3-sklearn
    build/release/bin/xofm_compare build/other/data -o build/other/comparison

Five ordered classes of equal size: the progress of diabetes after a year; of wines the alcohol, of tumours the symmetry and the
greatest concave points, each from the other measurements (not from those of the same name).
"""
import pathlib
import sys

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine


def save(folder, name, names, columns, target):
    cuts = np.quantile(target, [0.2, 0.4, 0.6, 0.8])
    lines = [",".join([column.replace(" ", "_") for column in names] + ["class"])]
    for row, value in zip(columns, target):
        lines.append(",".join(repr(float(cell)) for cell in row) + f",{np.searchsorted(cuts, value) + 1}")
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


def from_others(folder, name, data, target, left_out):
    names = list(data.feature_names)
    kept = [j for j, column in enumerate(names) if left_out not in column]
    save(folder, name, [names[j] for j in kept], data.data[:, kept], data.data[:, names.index(target)])


def main(output):
    folder = pathlib.Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    diabetes = load_diabetes(scaled=False)
    save(folder, "diabetes", diabetes.feature_names, diabetes.data, diabetes.target)
    from_others(folder, "wine_alcohol", load_wine(), "alcohol", "alcohol")
    from_others(folder, "tumour_symmetry", load_breast_cancer(), "mean symmetry", "symmetry")
    from_others(folder, "tumour_concave", load_breast_cancer(), "worst concave points", "concave points")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
