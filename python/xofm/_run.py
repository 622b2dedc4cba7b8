"""Long calls: a progress bar in terminal and notebook, and Ctrl-C that keeps the best so far."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from ._library import Control, ProgressFunction

INTERVAL = 0.05  # seconds between two looks at the progress


def thread_count(n_jobs: int | None) -> int:
    """As joblib counts: -1 is all cores, -2 all but one; None is all cores. 0 for the library is one per core."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if isinstance(n_jobs, bool) or int(n_jobs) != n_jobs or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}; it must be a whole number other than 0, or None for all cores")
    return int(n_jobs) if n_jobs > 0 else max((os.cpu_count() or 1) + 1 + int(n_jobs), 1)


def control(n_jobs: int | None) -> Control:
    return Control(thread_count=thread_count(n_jobs))


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "zmq" in type(shell).__module__


class ProgressBar:
    """One line that is written anew; in a notebook a bar of its own."""

    def __init__(self, verbose: int) -> None:
        self._is_shown = verbose > 0
        self._start = time.monotonic()
        self._display: Any = None
        self._width = 0
        self._tenth = -1

    def text(self, share: float, phase: str) -> str:
        filled = round(20 * share)
        seconds = time.monotonic() - self._start
        return f"fit [{'#' * filled}{'.' * (20 - filled)}] {100 * share:3.0f} %  {phase}  {seconds:.0f} s"

    def finish(self, phase: str) -> None:
        self._tenth = -1  # the last line is always written
        self.update(1.0, phase)

    def update(self, share: float, phase: str) -> None:
        if not self._is_shown:
            return
        text = self.text(share, phase)
        if _in_notebook():
            self._show_in_notebook(share, text)
            return
        if not sys.stderr.isatty():
            self._log(share, text)
            return
        self._width = max(self._width, len(text))
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)

    def _log(self, share: float, text: str) -> None:
        """A line for every tenth: where nothing can be written anew."""
        if int(10 * share) > self._tenth:
            self._tenth = int(10 * share)
            print(text, file=sys.stderr, flush=True)

    def _show_in_notebook(self, share: float, text: str) -> None:
        from IPython.display import HTML, display

        html = HTML(f'<progress value="{share:.3f}" max="1" style="width:20em"></progress> {text.split("]")[1]}')
        if self._display is None:
            self._display = display(html, display_id=True)
        else:
            self._display.update(html)

    def close(self) -> None:
        if self._is_shown and self._width > 0:
            print(file=sys.stderr, flush=True)


class _State:
    def __init__(self) -> None:
        self.share = 0.0
        self.phase = ""
        self.is_stopped = False


def run(work: Callable[[Control], Any], n_jobs: int | None, verbose: int) -> tuple[Any, bool]:
    """Calls work(control). Returns its result, and whether Ctrl-C asked it to stop.

    On the main thread the work runs beside it: only there Python hears Ctrl-C, and only between its own steps.
    """
    state = _State()
    bar = ProgressBar(verbose)
    is_main = threading.current_thread() is threading.main_thread()

    def heard(progress: Any, _user: Any) -> int:
        state.share = progress.contents.share
        state.phase = progress.contents.phase.decode() or state.phase  # between two it has no name
        if not is_main:
            bar.update(state.share, state.phase)
        return 0 if state.is_stopped else 1

    callback = ProgressFunction(heard)
    told = Control(thread_count=thread_count(n_jobs), interval_seconds=INTERVAL, progress=callback)
    try:
        result = _beside_main(work, told, state, bar) if is_main else work(told)
        if verbose > 0:
            bar.finish("stopped" if state.is_stopped else "done")
    finally:
        bar.close()
    return result, state.is_stopped


def _beside_main(work: Callable[[Control], Any], told: Control, state: _State, bar: ProgressBar) -> Any:
    done = threading.Event()
    results: list[Any] = []
    failures: list[BaseException] = []

    def target() -> None:
        try:
            results.append(work(told))
        except BaseException as failure:  # it belongs to the thread that waits
            failures.append(failure)
        finally:
            done.set()

    thread = threading.Thread(target=target, name="xofm", daemon=True)
    thread.start()
    while not done.is_set():
        try:
            if not done.wait(INTERVAL):
                bar.update(state.share, state.phase)
        except KeyboardInterrupt:
            state.is_stopped = True
    thread.join()
    if failures:
        raise failures[0]
    return results[0]
