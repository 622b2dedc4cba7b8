"""The example of the README runs as it stands."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import matplotlib
import pytest

from conftest import ROOT

EXAMPLE = ROOT / "examples" / "quickstart.py"


def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    matplotlib.use("Agg")
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE))
    shown = capfd.readouterr()
    assert 0 < float(shown.out.splitlines()[0]) < 1.5  # MAE in classes
    assert "100 %" in shown.err
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    assert (tmp_path / "model.json").exists()


def test_the_readme_shows_it() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = EXAMPLE.read_text(encoding="utf-8").split('"""')[2].strip()
    assert f"```python\n{code}\n```" in readme
