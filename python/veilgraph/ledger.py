"""The ledger of one owner's data: a budget for each unit, charged before every release."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from . import _html, _native
from ._texts import Epsilon, PathLike, decimal, path
from .data import DataLike, handed
from .statement import exact

Budget = Epsilon | tuple[Epsilon, Epsilon]


def _budget(unit: str, budget: Budget) -> str:
    if isinstance(budget, tuple):
        epsilon, delta = budget
        return f"{unit}={decimal(epsilon)},{decimal(delta, 'delta')}"
    return f"{unit}={decimal(budget)}"


class Ledger:
    """A ledger in a file. It is append-only, and verified as a whole whenever it is used.

    >>> import tempfile, veilgraph as vg
    >>> folder = tempfile.mkdtemp()
    >>> book = vg.Ledger.create(f"{folder}/book.db", {"edge": 8, "node": (4, "1e-5")})
    >>> book.left("edge"), book.spent("edge")
    (Decimal('8'), Decimal('0'))
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Ledger) -> None:
        self._native = native

    @classmethod
    def create(
        cls,
        file: PathLike,
        budgets: Mapping[str, Budget],
        *,
        lineage: str | None = None,
        head_file: PathLike | None = None,
    ) -> Ledger:
        """Creates a ledger with a budget for each unit: ε, or a pair of ε and δ.

        Units are ``feature``, ``label``, ``edge-bit``, ``edge-set``, ``edge`` and ``node``.
        """
        texts = [_budget(unit, budget) for unit, budget in budgets.items()]
        return cls(_native.Ledger.create(str(path(file)), texts, lineage, path(head_file)))

    @classmethod
    def open(cls, file: PathLike) -> Ledger:
        """Opens a ledger."""
        return cls(_native.Ledger.open(str(path(file))))

    @property
    def path(self) -> str:
        """Its file."""
        return str(self._native.path)

    def report(self) -> dict[str, Any]:
        """Everything it holds: budgets, snapshots, entries, and its head."""
        found: dict[str, Any] = json.loads(self._native.report())
        return found

    def _unit(self, unit: str) -> dict[str, Any]:
        for it in self.report()["units"]:
            if it["unit"] == unit:
                return dict(it)
        return {"spent": "0", "left": "0"}

    def spent(self, unit: str) -> Decimal:
        """ε that was spent on a unit."""
        return exact(self._unit(unit)["spent"])

    def left(self, unit: str) -> Decimal:
        """ε that is left for a unit."""
        return exact(self._unit(unit)["left"])

    @property
    def entries(self) -> list[dict[str, Any]]:
        """All charges, oldest first."""
        found: list[dict[str, Any]] = self.report()["entries"]
        return found

    @property
    def head(self) -> str:
        """Its head: what to keep elsewhere, to notice an older copy."""
        head = self.report()["head"]
        return f"{head['entries']}:{head['head']}"

    def add_snapshot(self, data: DataLike, name: str | None = None) -> None:
        """Adds later data about the same people, whose releases are then charged here."""
        self._native.add_snapshot(handed(data), name)

    def verify(self, heads: Iterable[str] = (), statements: Iterable[PathLike] = ()) -> str:
        """Compares it with heads and statements that were kept elsewhere; returns its head."""
        return self._native.verify(list(heads), [str(path(it)) for it in statements])

    def backup(self, out: PathLike) -> str:
        """Copies it, with its head in a file beside the copy; returns the head."""
        return self._native.backup(str(path(out)))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Ledger.open, (self.path,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        budgets = (it for it in self.report()["units"] if it["budget"] is not None)
        units = ", ".join(f"{it['unit']} {it['left']} of {it['budget']} left" for it in budgets)
        return f"<Ledger {self.path}: {units}>"

    def _repr_html_(self) -> str:
        report = self.report()
        columns = ("unit", "ε budget", "ε spent", "ε left", "δ spent", "δ budget")
        names = ("unit", "budget", "spent", "left", "delta_spent", "delta_budget")
        shown = (it for it in report["units"] if it["budget"] is not None or it["spent"] != "0")
        units = [["none" if it[name] is None else it[name] for name in names] for it in shown]
        text = _html.table(columns, units, f"Ledger {self.path}")
        if report["entries"]:
            rows = [
                (it["number"], it["charged"], it["data"], it["guarantee"]["unit"], it["epsilon"], it["delta"],
                 it["guarantee"]["status"], it["guarantee"]["mechanism"])
                for it in report["entries"]
            ]  # fmt: skip
            text += _html.table(("no", "charged", "data", "unit", "ε", "δ", "status", "mechanism"), rows)
        return text
