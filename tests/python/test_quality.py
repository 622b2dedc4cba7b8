"""Types and style: mypy --strict and ruff have nothing to say."""

from __future__ import annotations

import subprocess
import sys

import pytest

from conftest import ROOT


@pytest.mark.parametrize(
    "command",
    [
        ["mypy", "--cache-dir", "build/python/mypy", "python/xofm"],
        ["ruff", "check", "--no-cache", "python", "tests/python"],
        ["ruff", "format", "--no-cache", "--check", "python", "tests/python"],
    ],
    ids=["mypy", "ruff", "format"],
)
def test_nothing_to_say(command: list[str]) -> None:
    run = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
