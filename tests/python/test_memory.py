"""Nothing is left behind, and numbers are not copied on their way in."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from conftest import ROOT, make_rows, quick


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_a_thousand_fits_leave_nothing_behind() -> None:
    X, y = make_rows(30)
    estimator = quick(factor_count=0, max_epochs=3, reference_scores="training", n_jobs=1)

    def fits(count: int) -> None:
        for _ in range(count):
            estimator.fit(X, y).predict(X)

    fits(100)
    resident = resident_bytes()
    fits(1000)
    assert resident_bytes() - resident < 2_000_000  # a model is some kilobytes; the allocator may keep some
    tracemalloc.start()
    fits(100)
    first = tracemalloc.get_traced_memory()[0]
    fits(100)
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert grown < 100 * 100  # bytes: a leak of one object a fit would be more


FIT_PEAK = """
import sys
sys.path.insert(0, {bench!r})
from python_cost import memory
print(memory({kind!r}, {count}, 20, dict(tune=False, max_epochs=3, loss_form="sweep")))
"""


@pytest.mark.parametrize("kind", ["C", "F", "pandas", "arrow"])
def test_a_fit_of_many_doubles_does_not_copy_them(kind: str) -> None:
    """make bench-python prints it of a million rows. The histogram form has 64 MB of its own, whatever the rows."""
    code = FIT_PEAK.format(bench=str(ROOT / "bench" / "python"), kind=kind, count=600_000)
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    # Of the array, itself included. A copy of it would make 3.2; of a million rows it is 2.1.
    assert float(run.stdout) < 2.4


PEAK = """
import numpy as np, resource, sys
sys.path.insert(0, {here!r})
from conftest import make_rows
from xofm import XofmClassifier
X, y = make_rows(2000)
X = np.hstack([X] * 5)
model = XofmClassifier(tune=False, pairs=2).fit(X, y)
big = np.tile(X, ({count} // 2000, 1))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.predict(big)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024 / big.nbytes)
"""


@pytest.mark.parametrize("count", [400_000])
def test_predictions_take_little_beside_the_rows(count: int) -> None:
    code = PEAK.format(here=str(Path(__file__).parent), count=count)
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert float(run.stdout) < 0.8  # of the rows' own bytes
