"""Processes that are forked from one that has fitted: its threads are not there, and nothing waits for them."""

from __future__ import annotations

import os
import signal
import socket
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from threading import Thread
from typing import Any

import joblib
import numpy as np
import pytest

from conftest import make_rows, quick
from xofm import XofmClassifier

SECONDS = 120  # of any child, on a machine that does much else


def fit_and_score(seed: int) -> Any:
    X, y = make_rows(200, seed)
    return quick(n_jobs=2).fit(X, y).score_samples(X)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib_after_a_fit_in_the_parent(backend: str) -> None:
    expected = [fit_and_score(seed) for seed in range(3)]  # starts threads here
    found = joblib.Parallel(n_jobs=2, backend=backend, timeout=SECONDS)(
        joblib.delayed(fit_and_score)(seed) for seed in range(3)
    )
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_every_way_to_start_a_process(method: str) -> None:
    expected = fit_and_score(1)
    with ProcessPoolExecutor(1, mp_context=get_context(method)) as pool:
        np.testing.assert_array_equal(pool.submit(fit_and_score, 1).result(SECONDS), expected)


def serve(listener: socket.socket, model: XofmClassifier) -> None:
    """A worker as prefork servers have them: it takes connections until it is told to end."""
    while True:
        connection, _ = listener.accept()
        with connection:
            X = np.frombuffer(connection.recv(4 * 8)).reshape(1, 4)
            connection.sendall(model.predict_proba(X).tobytes())


def ask(address: str, row: Any) -> Any:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(SECONDS)
        client.connect(address)
        client.sendall(row.tobytes())
        return np.frombuffer(client.recv(4 * 8))


def test_a_server_that_forks_its_workers_after_the_model_was_made(tmp_path: Any) -> None:
    X, y = make_rows()
    model = quick(n_jobs=2).fit(X, y)
    expected = model.predict_proba(X)
    address = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        workers = []
        for _ in range(2):
            worker = os.fork()
            if worker == 0:
                try:
                    serve(listener, model)
                finally:
                    os._exit(1)
            workers.append(worker)
        try:
            for row in range(20):
                np.testing.assert_array_equal(ask(address, X[row]), expected[row])
        finally:
            for worker in workers:
                os.kill(worker, signal.SIGTERM)
                os.waitpid(worker, 0)


def test_a_fork_in_the_midst_of_a_fit_ends() -> None:
    X, y = make_rows(400)
    model = XofmClassifier(pass_budget=300, n_jobs=2)
    thread = Thread(target=model.fit, args=(X, y))
    thread.start()
    time.sleep(0.3)
    child = get_context("fork").Process(target=fit_and_score, args=(2,))
    child.start()
    child.join(SECONDS)
    thread.join()
    assert child.exitcode == 0
