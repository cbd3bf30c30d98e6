"""What the tests share: a graph, its folder, and the command."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

import veilgraph as vg

ROOT = Path(__file__).resolve().parents[2]
REAL = Path(os.environ.get("VEIL_DATA", ROOT.parent / "shared" / "data"))


def command() -> Path | None:
    """The command: beside the interpreter (a wheel), or as the Rust tests build it."""
    named = os.environ.get("VEIL")
    found = [Path(named)] if named else [Path(os.sys.executable).with_name("veil"), ROOT / "target/debug/veil"]
    return next((path for path in found if path.exists()), None)


@pytest.fixture(autouse=True)
def _seeds_are_meant():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vg.NotPrivateWarning)
        yield


@pytest.fixture(scope="session")
def veil():
    """Runs the command; a failure shows what it said."""
    path = command()
    if path is None:
        pytest.skip("no command: make build, or VEIL=path/to/veil")

    def run(*words: object, succeeds: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True, check=False)
        assert not succeeds or done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def graph() -> vg.Dataset:
    return vg.generate("citation", nodes=300, seed=1)


@pytest.fixture(scope="session")
def folder(graph, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("data") / "graph"
    graph.write(path)
    return path


@pytest.fixture(scope="session")
def cora() -> Path:
    path = REAL / "cora"
    if not path.exists():
        pytest.skip("no real data: cora is not here (VEIL_DATA names another folder)")
    return path


@pytest.fixture
def book(tmp_path) -> vg.Ledger:
    return vg.Ledger.create(tmp_path / "book.db", {"edge": 8})


def pytest_terminal_summary(terminalreporter):
    """Counts for CI, which prints what was skipped."""
    count = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "skipped")}
    print(f"\npython tests: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if report.longrepr}
    for reason in sorted(reasons):
        print(f"python tests skipped: {reason}")


@pytest.fixture
def clean(tmp_path):
    """A folder that is gone afterwards."""
    yield tmp_path / "made"
    shutil.rmtree(tmp_path / "made", ignore_errors=True)
