"""The package as it is handed on: what its library needs, and what its source distribution brings along."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT, make_rows, quick
from xofm._library import _library_path
from xofm.plots import plot_importance

PACKAGES = ["Eigen3", "LBFGSpp", "nlohmann_json", "fmt"]


@pytest.mark.parametrize("module", ["matplotlib.pyplot", "pandas", "shap", "IPython.display"])
def test_a_call_that_needs_another_package_says_so(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_rows(60)
    model = quick().fit(X, y)
    calls: dict[str, Callable[[], Any]] = {
        "matplotlib.pyplot": lambda: plot_importance(model),
        "pandas": lambda: model.explain_global().to_frame(),
        "shap": lambda: model.to_shap(X),
        "IPython.display": lambda: model.show(),
    }
    monkeypatch.setitem(sys.modules, module, None)
    package = module.split(".")[0]
    with pytest.raises(ModuleNotFoundError, match=f"needs {package}, which is not installed: pip install {package}"):
        calls[module]()


def printed(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_library_needs_the_system_alone() -> None:
    needed = re.findall(r"NEEDED.*\[(.*)\]", printed("readelf", "--dynamic", str(_library_path())))
    assert needed
    assert all(re.match(r"(libc|libm|libgcc_s|libpthread|ld-linux-.*)\.so", name) for name in needed), needed


def test_the_library_runs_on_systems_with_glibc_2_34() -> None:
    names = printed("readelf", "--version-info", str(_library_path()))
    versions = {tuple(map(int, text.split("."))) for text in re.findall(r"GLIBC_([0-9.]+)", names)}
    assert versions and max(versions) <= (2, 34)
    assert "GLIBCXX" not in names


def test_the_library_shows_its_interface_alone() -> None:
    symbols = printed("nm", "--dynamic", "--defined-only", str(_library_path()))
    names = [line.split()[-1] for line in symbols.splitlines()]
    assert "xofm_fit" in names
    assert all(name.startswith("xofm_") for name in names), names


def configure(tree: Path, build: Path) -> subprocess.CompletedProcess[str]:
    """CMake where none of the libraries is installed."""
    absent = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in PACKAGES]
    here = ["-S", str(tree), "-B", str(build), "-G", "Ninja", "-DXOFM_PYTHON=ON"]
    ignored = "-DCMAKE_IGNORE_PATH=/usr/include;/usr/local/include"
    return subprocess.run(["cmake", *here, *absent, ignored], capture_output=True, text=True)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    made = printed(str(ROOT / "scripts" / "sdist"), str(folder)).split()[-1]
    with tarfile.open(made) as archive:
        archive.extractall(folder, filter="data")
    return Path(made.removesuffix(".tar.gz"))


def test_the_source_distribution_has_what_it_is_built_from(tree: Path, tmp_path: Path) -> None:
    run = configure(tree, tmp_path / "build")
    assert run.returncode == 0, run.stdout + run.stderr
    for name in PACKAGES:
        assert f"{name}: headers in {tree}/third_party/include" in run.stdout
    assert "without the report page" not in run.stdout
    licences = {path.name for path in (tree / "third_party" / "licences").iterdir()}
    assert licences == {
        "MPL-2.0",
        "libeigen3-dev.txt",
        "libfmt-dev.txt",
        "liblbfgspp-dev.txt",
        "nlohmann-json3-dev.txt",
    }
    assert not (tree / "tests").exists() and not (tree / "build").exists()


def test_a_clone_without_the_libraries_says_what_to_do(tree: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(tree, clone, ignore=shutil.ignore_patterns("third_party"))
    run = configure(clone, tmp_path / "build")
    assert run.returncode != 0
    said = " ".join(run.stderr.split())
    assert f"These libraries are not installed: {', '.join(PACKAGES)}. On Debian `scripts/setup build` installs" in said
