"""Guarantees and privacy statements."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from html import escape
from typing import Any

from . import _html
from ._errors import ParameterError


def exact(text: str | float | int | None) -> Decimal:
    """An exact decimal, of a text such as ``"0.1"`` or ``"inf"``."""
    return Decimal("Infinity") if text is None or text in {"inf", "unbounded"} else Decimal(str(text))


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What one release promises for one unit. ``epsilon`` and ``delta`` are exact decimals."""

    unit: str
    trust: str
    epsilon: Decimal
    delta: Decimal
    status: str
    reproducible: bool
    per_relationship: Decimal | None
    mechanism: str
    parameters: dict[str, Any] = field(repr=False)
    assumptions: list[Any] = field(repr=False)
    not_protected: list[str] = field(repr=False)
    source: str = field(repr=False)
    #: What ε lets an attacker learn, for each thing that it protects; a statement has it.
    meaning: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, stated: dict[str, Any]) -> Guarantee:
        """From a statement."""
        both = stated["per_relationship"]
        return cls(
            **{
                **stated,
                "epsilon": exact(stated["epsilon"]),
                "delta": exact(stated["delta"]),
                "per_relationship": None if both is None else exact(both),
            }
        )

    @property
    def shown_status(self) -> str:
        """The status, and whether the noise is reproducible."""
        return f"{self.status}, reproducible" if self.reproducible else self.status


class Statement:
    """The privacy statement of a release. ``print`` shows it in sentences that can be published."""

    __slots__ = ("_html", "_markdown", "json")

    json: dict[str, Any]

    def __init__(self, texts: tuple[str, str, str]) -> None:
        stated, self._markdown, self._html = texts
        self.json = json.loads(stated)

    @property
    def guarantees(self) -> list[Guarantee]:
        """What is promised, one entry for each unit."""
        return [Guarantee.of(stated) for stated in self.json["guarantees"]]

    @property
    def reproducible(self) -> bool:
        """Whether the noise came from a known seed: then nothing is private."""
        return bool(self.json["reproducible"])

    def to_markdown(self) -> str:
        """The statement as Markdown."""
        return self._markdown

    def to_html(self) -> str:
        """The statement as a page."""
        return self._html

    def __str__(self) -> str:
        return self._markdown

    def __repr__(self) -> str:
        promised = ", ".join(f"{it.unit} {it.epsilon}" for it in self.guarantees)
        return f"<Statement about {self.json['data']}: {promised}>"

    def _repr_html_(self) -> str:
        rows = [(it.unit, it.epsilon, it.delta, it.trust, it.shown_status, it.mechanism) for it in self.guarantees]
        columns = ("protects", "ε", "δ", "trust", "status", "mechanism")
        text = _html.table(columns, rows, f"Privacy of {self.json['data']}")
        if self.reproducible:
            text += _html.warning("Reproducible, therefore not private: the noise came from a known seed.")
        if self.json["declared"]:
            text += f"<p>Declared public by the owner: {escape(str(self.json['declared']))}</p>"
        return text


def of_unit(sums: list[dict[str, Any]], unit: str, name: str) -> Decimal:
    """ε or δ of a unit, in the sum of everything that was released."""
    for it in sums:
        if it["unit"] == unit:
            return exact(it[name])
    known = ", ".join(it["unit"] for it in sums) or "nothing"
    raise ParameterError(f"unit = {unit!r}: nothing was promised for it; this is about {known}")
