#!/usr/bin/env python3
"""What the Python package costs beside C++: memory of a fit, core seconds of a fit and of a prediction.

make bench-python prints it. Core seconds are user and system time of the call alone; Python and C++ take turns, and the
medians of the runs are compared. Memory is the peak of resident memory in a fit, less what was resident before it, plus
the array itself, in units of the array.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
CLASSES = 5


def make_rows(rows: int, attributes: int, order: str = "C") -> tuple[Floats, npt.NDArray[np.int32]]:
    """Uniform numbers, of which five decide between five classes, with noise."""
    random = np.random.default_rng(17)
    X = np.empty((rows, attributes), order=order)  # type: ignore[call-overload]
    score = 0.3 * random.normal(size=rows)
    for j in range(attributes):
        X[:, j] = random.uniform(size=rows)
        if j < 5:
            score += (j - 1.5) * X[:, j] ** 2
    cuts = np.quantile(score, np.arange(1, CLASSES) / CLASSES)
    return X, np.searchsorted(cuts, score).astype(np.int32)


def core_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def status_bytes(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def container(kind: str, X: Floats) -> Any:
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(X, copy=False).set_axis([f"a{j}" for j in range(X.shape[1])], axis=1)
    if kind == "arrow":
        import pyarrow as pa

        return pa.table({f"a{j}": pa.array(X[:, j]) for j in range(X.shape[1])})
    return X


def memory(kind: str, rows: int, attributes: int, options: dict[str, Any]) -> float:
    """The peak of a fit, in units of the array."""
    from xofm import XofmClassifier

    few, few_y = make_rows(500, 3)
    XofmClassifier(tune=False).fit(few, few_y)  # imports and threads
    array, y = make_rows(rows, attributes, "C" if kind == "C" else "F")
    size = array.nbytes
    X = container(kind, array)
    del array
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = status_bytes("VmRSS")
    XofmClassifier(**options).fit(X, y)
    return 1 + (status_bytes("VmHWM") - before) / size


def child(what: str, *arguments: Any) -> list[float]:
    command = [sys.executable, __file__, "child", what, *map(str, arguments)]
    # The threads of NumPy's BLAS, which has no part in the calls, burn core seconds while they wait.
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=alone)
    return [float(word) for word in run.stdout.split()]


def run_child(what: str, arguments: list[str]) -> None:
    from xofm import XofmClassifier, _frames, _run

    if what == "memory":
        kind, rows, attributes, tune = arguments
        options = {"tune": {"True": True, "False": False}[tune]}
        print(memory(kind, int(rows), int(attributes), options))
    elif what == "fit":
        X, y = make_rows(int(arguments[0]), int(arguments[1]))
        start = core_seconds()
        model = XofmClassifier(tune=False).fit(X, y)
        print(core_seconds() - start, model.model_.about["summary"]["epochs"])
    else:
        X, _ = make_rows(int(arguments[0]), int(arguments[1]))
        model = XofmClassifier.load(arguments[2])
        wanted = [
            "scores",
            "classes",
            "lowest",
            "highest",
            "support",
            "probabilities",
            "covering_lowest",
            "covering_highest",
            "notes",
        ]
        start = core_seconds()
        frame = _frames.from_array(X, model.model_.column_names)
        model.model_.predict(frame, _run.control(None), wanted, 0.9)
        print(core_seconds() - start)


def compare(twin: str, folder: Path, runs: int) -> None:
    from xofm import XofmClassifier

    model = folder / "model.json"
    few, few_y = make_rows(20_000, 10)
    XofmClassifier(tune=False, reference_scores="out_of_sample", max_epochs=20).fit(few, few_y).save(model)
    for what, rows, last in (("fit", 100_000, CLASSES), ("predict", 1_000_000, model)):
        file = folder / f"{what}.bin"
        X, y = make_rows(rows, 10)
        file.write_bytes(y.tobytes() + X.tobytes())
        del X
        python, native = [], []
        for _ in range(runs):
            run = subprocess.run(
                [twin, what, file, str(rows), "10", str(last)], check=True, capture_output=True, text=True
            )
            native.append([float(word) for word in run.stdout.split()])
            python.append(child(what, rows, 10, last))
        ours, theirs = (statistics.median(run[0] for run in all_runs) for all_runs in (python, native))
        epochs = f", {native[0][1]:.0f} and {python[0][1]:.0f} epochs" if what == "fit" else ""
        print(f"{what} of {rows:,} x 10: C++ {theirs:.2f} core s, Python {ours:.2f}, ratio {ours / theirs:.3f}{epochs}")
        file.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--twin", default="build/bench/bin/xofm_twin", help="the C++ side; make bench-python builds it")
    parser.add_argument("--runs", type=int, default=5, help="of each side")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the fits whose memory is measured")
    parser.add_argument("--only", choices=["memory", "time"], help="one of the two")
    given = parser.parse_args()
    if given.only != "memory":
        with tempfile.TemporaryDirectory() as folder:
            compare(str(Path(given.twin).resolve()), Path(folder), given.runs)
    if given.only != "time":
        for tune in (False, True):
            for kind in ("C", "F", "pandas", "arrow") if not tune else ("C",):
                peak = child("memory", kind, given.rows, 20, tune)[0]
                print(f"fit of {given.rows:,} x 20, {kind}, tune={tune}: peak {peak:.2f} times the array", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        run_child(sys.argv[2], sys.argv[3:])
    else:
        main()
