"""Threads and Ctrl-C."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import make_rows, quick
from xofm import XofmClassifier


def test_the_number_of_threads_changes_nothing() -> None:
    X, y = make_rows(400)
    texts = {XofmClassifier(pass_budget=100, n_jobs=n).fit(X, y).model_.to_text() for n in (1, 2, 4)}
    assert len(texts) == 1


def test_fits_in_several_threads_do_not_disturb_each_other() -> None:
    rows = [make_rows(200, seed) for seed in range(4)]
    expected = [quick().fit(*part).model_.to_text() for part in rows]
    found: list[Any] = [None] * 4

    def work(place: int) -> None:
        for n_jobs in (1, 2, 3):
            found[place] = quick(n_jobs=n_jobs).fit(*rows[place]).model_.to_text()

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_python_goes_on_while_a_model_is_fitted() -> None:
    X, y = make_rows(400)
    done = threading.Event()

    def work() -> None:
        XofmClassifier(pass_budget=400, n_jobs=1).fit(X, y)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    steps = 0
    while not done.wait(0.001):
        steps += 1
    thread.join()
    assert steps > 20  # with the lock held there would be none


CTRL_C = """
import numpy as np, sys
sys.path.insert(0, {here!r})
from conftest import make_rows
from xofm import XofmClassifier
X, y = make_rows(3000)
model = XofmClassifier()
print("ready", flush=True)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", model.model_.about["interrupted"], model.predict(X).shape, flush=True)
"""


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_ctrl_c_keeps_the_best_so_far_and_then_raises(seconds: float) -> None:
    code = CTRL_C.format(here=str(Path(__file__).parent))
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(seconds)
    child.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted True (3000,)\n"
    assert time.monotonic() - start < 20


def test_progress_is_shown_when_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    X, y = make_rows(200)
    XofmClassifier(pass_budget=100, verbose=1).fit(X, y)
    shown = capfd.readouterr().err
    assert "100 %  done" in shown
    XofmClassifier(pass_budget=100).fit(X, y)
    assert capfd.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_one_line_that_is_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_rows(300)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("xofm._run.INTERVAL", 0.001)  # however quick the machine is
    XofmClassifier(pass_budget=300, verbose=1).fit(X, y)
    shown = terminal.getvalue()
    assert shown.count("\n") == 1 and shown.endswith("\n")
    lines = shown.strip().split("\r")[1:]
    assert len(lines) > 2
    assert "100 %  done" in lines[-1]


def test_a_notebook_has_a_bar_of_its_own(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    shell = type("ZMQInteractiveShell", (), {"__module__": "ipykernel.zmqshell"})()
    shown: list[str] = []
    handle = types.SimpleNamespace(update=shown.append)

    def display(html: str, display_id: bool) -> Any:
        assert display_id and not shown
        shown.append(html)
        return handle

    parts = types.SimpleNamespace(HTML=str, display=display)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell, display=parts))
    monkeypatch.setitem(sys.modules, "IPython.display", parts)
    monkeypatch.setattr("xofm._run.INTERVAL", 0.001)
    X, y = make_rows(300)
    XofmClassifier(pass_budget=300, verbose=1).fit(X, y)
    assert len(shown) > 2
    assert all(text.startswith("<progress ") for text in shown)
    assert 'value="1.000"' in shown[-1] and "done" in shown[-1]
    assert capfd.readouterr().err == ""


def test_random_state_is_the_seed() -> None:
    X, y = make_rows(200)

    def scores(random_state: Any) -> Any:
        return quick(random_state=random_state, restart_count=1).fit(X, y).score_samples(X)

    for make in (lambda: 3, lambda: np.random.RandomState(3), lambda: np.random.default_rng(3)):
        np.testing.assert_array_equal(scores(make()), scores(make()))
    np.testing.assert_array_equal(scores(None), scores(None))
    assert (scores(3) != scores(4)).any()
