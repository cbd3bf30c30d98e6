"""Sweeps: many runs from one description, one per core, kept in a folder as they finish."""

from __future__ import annotations

import csv
import datetime
import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _html, _native
from ._errors import ParameterError
from ._progress import Progress, following
from ._registry import setting
from ._texts import PathLike
from .data import DataLike, handed


class Sweep:
    """The outcomes of a sweep. Its noise is seeded, so nothing of it is private."""

    __slots__ = ("done", "path")

    path: str
    done: dict[str, Any]
    """How many runs were asked for, and how many were made now."""

    def __init__(self, path: PathLike, done: dict[str, Any] | None = None) -> None:
        self.path = os.fspath(path)
        self.done = done or {}

    @property
    def outcomes(self) -> list[dict[str, Any]]:
        """Every run: case, data, point of the grid, seed, figures, promises."""
        found: list[dict[str, Any]] = json.loads(_native.sweep_outcomes(self.path)[0])
        return found

    @property
    def rows(self) -> list[dict[str, str]]:
        """A row for each run, as ``veil lab sweep export`` writes them."""
        return list(csv.DictReader(io.StringIO(_native.sweep_outcomes(self.path)[1])))

    def to_pandas(self) -> Any:
        """The same as a table."""
        import pandas

        return pandas.read_csv(io.StringIO(_native.sweep_outcomes(self.path)[1]))

    def page(self, *, title: str = "Sweep", floor: str | None = None, non_private: str | None = None) -> str:
        """The report as one self-contained page; ``floor`` and ``non_private`` name cases."""
        made = (datetime.datetime.now(datetime.UTC).date().isoformat(), "veilgraph.sweep")
        outcomes = _native.sweep_outcomes(self.path)[0]
        return _native.report_page(title, outcomes, [], made, floor, non_private)

    def report(self, out: PathLike, **options: Any) -> None:
        """Writes :meth:`page` to a file."""
        Path(os.fspath(out)).write_text(self.page(**options), encoding="utf-8")

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        failed = sum(it.get("error") is not None for it in self.outcomes)
        return f"<Sweep {self.path}: {len(self)} runs, {failed} failed>"

    def _repr_html_(self) -> str:
        return _html.framed(self.page())


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return "inf" if value == float("inf") else repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(setting(name))} = {_toml(it)}" for name, it in value.items()) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_toml(it) for it in value) + "]"
    return json.dumps(str(value), ensure_ascii=False)


def _written(usual: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """The file: values first, then tables, then lists of tables."""
    lines, tables = [], []
    for name, value in {**usual, **{name: value for name, value in given.items() if value}}.items():
        if isinstance(value, Mapping):
            tables += [f"[{name}]", *_lines(value)]
        elif isinstance(value, Sequence) and value and isinstance(value[0], Mapping):
            tables += [line for table in value for line in (f"[[{name}]]", *_lines(table))]
        else:
            lines += _lines({name: value})
    return "\n".join([*lines, *tables]) + "\n"


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{setting(name)} = {_toml(value)}" for name, value in table.items()]


def sweep(
    out: PathLike,
    data: Mapping[str, DataLike],
    *,
    file: PathLike | None = None,
    cases: Sequence[Mapping[str, Any]] = (),
    grid: Mapping[str, Sequence[Any]] | None = None,
    parameters: Mapping[str, Any] | None = None,
    attacks: Sequence[Mapping[str, Any]] = (),
    seeds: int | Sequence[int] | None = None,
    title: str | None = None,
    cores: int | None = None,
    retry_failed: bool = False,
    progress: Progress = None,
) -> Sweep:
    """Runs every case at every point of its grid, on every data set, with every seed. ``out`` is a
    folder; the same call resumes an interrupted sweep, and repeats nothing.

    ``file`` is a file of ``veil lab sweep``; otherwise ``cases``, ``grid``, ``parameters`` and
    ``attacks`` are what stands in one. Nothing is charged: the noise is seeded, not private.

    >>> import tempfile, veilgraph as vg
    >>> graph = vg.generate("citation", nodes=200)
    >>> cases = [{"name": "LPGNet", "method": "lpgnet", "epochs": 5}]
    >>> folder = tempfile.mkdtemp() + "/sweep"
    >>> len(vg.sweep(folder, {"graph": graph}, cases=cases, grid={"epsilon_edges": [1, 4]}, seeds=2))
    4
    """
    written = {
        "cases": cases, "grid": grid, "parameters": parameters, "attacks": attacks, "seeds": seeds, "title": title,
    }  # fmt: skip
    if file is None:
        text = _written({"title": "Sweep", "data": list(data), "seeds": 3}, written)
    else:
        for name, value in written.items():
            if value:
                raise ParameterError(f"{name} has no effect beside file, which says it")
        text = Path(os.fspath(file)).read_text(encoding="utf-8")
    sets = [(name, handed(it)) for name, it in data.items()]
    with following(progress) as show:
        done = _native.run_sweep(text, sets, os.fspath(out), cores, retry_failed, show)
    return Sweep(out, json.loads(done))
