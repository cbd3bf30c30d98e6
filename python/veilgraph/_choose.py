"""Which method, from public facts alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from . import _html, _native
from ._methods import Method, method
from ._texts import Epsilon, PathLike, Split, Words, decimal, facts, path
from ._texts import split as _split
from .data import DataLike, handed
from .ledger import Ledger


@dataclass(frozen=True, slots=True)
class Choice:
    """What applies, best first: ``methods``. ``report`` has everything that ``veil choose --json`` prints."""

    methods: list[str]
    edges_help: str | None
    notes: list[str]
    report: dict[str, Any] = field(repr=False, default_factory=dict)

    def best(self) -> Method:
        """The recommended method, with its parameters."""
        flags = dict(self.report["candidates"][0]["flags"])
        name = flags.pop("method")
        flags.pop("split", None)
        return method(name, **{flag.replace("-", "_"): value for flag, value in flags.items()})

    def _repr_html_(self) -> str:
        def points(it: dict[str, Any] | None) -> str:
            return "not measured" if it is None else f"{it['expected']:.1f} ({it['low']:.0f} to {it['high']:.0f})"

        rows = [
            (it["method"], str(it["epsilon"] or "–"), points(it.get("gain")), points(it.get("accuracy")))
            for it in self.report["candidates"]
        ]
        return _html.table(("method", "ε", "points gained", "accuracy"), rows, "Methods, best first")


def choose(
    data: DataLike,
    *,
    trust: str,
    protect: str,
    epsilon: Epsilon,
    split: Split | None = None,
    declare_public: Words | None = None,
    public_graph: bool = False,
    mean_degree: float | None = None,
    count_edges: Epsilon | None = None,
    ledger: Ledger | PathLike | None = None,
) -> Choice:
    """Which methods apply, what each would promise, and what accuracy to expect.

    Edges, labels and features are not looked at. ``trust`` is ``owner`` or ``nobody``, ``protect`` a
    unit. ``count_edges`` is an ε that ``ledger`` is charged for a noisy number of edges.

    >>> import veilgraph as vg
    >>> graph = vg.generate("citation", nodes=300, seed=1)
    >>> vg.choose(graph, trust="owner", protect="edge", epsilon=2, split="0.5,0.25,0.25").methods[0]
    'cascade'
    """
    asked = {
        "trust": trust,
        "protect": protect,
        "epsilon": decimal(epsilon),
        "split": _split(split),
        "declare_public": facts(declare_public),
        "public_graph": public_graph,
        "mean_degree": mean_degree,
        "count_edges": None if count_edges is None else decimal(count_edges, "count_edges"),
        "ledger": ledger.path if isinstance(ledger, Ledger) else path(ledger),
    }
    report = json.loads(_native.choose(handed(data), json.dumps(asked)))
    names = [it["method"] for it in report["candidates"]]
    return Choice(names, report["edges_help"], report["notes"], report)
