"""Audits: does a mechanism keep its guarantee? Of ours, and of anybody else's."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import log
from typing import Any

from . import _html, _native
from ._errors import ParameterError
from ._progress import Progress, following
from ._registry import registry, settings
from ._texts import Epsilon, Words, decimal, facts
from .data import DataLike, handed_or_none
from .statement import exact


class Audit:
    """What was found about one guarantee.

    ``verdict`` is "holds", "proof arithmetic holds; code: nothing found", "no violation found" or
    "violated".
    """

    __slots__ = ("report",)

    report: dict[str, Any]

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report

    @property
    def verdict(self) -> str:
        """What follows from the findings."""
        return str(self.report["verdict"])

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the guarantee."""
        return self.verdict != "violated"

    @property
    def lower_bound(self) -> float:
        """ε is at least this, with confidence 95 %, by what was guessed."""
        return float(exact(self._canaries().get("lower_bound_95", 0)))

    def _canaries(self) -> dict[str, Any]:
        found: dict[str, Any] = self.report.get("canaries") or {}
        return found if isinstance(found, dict) else self.report

    def __repr__(self) -> str:
        claimed = self.report["claimed"]
        name = self.report.get("mechanism", "scores")
        return f"<Audit of {name} at ε={claimed['epsilon']}: {self.verdict}>"

    def _repr_html_(self) -> str:
        claimed, canaries = self.report["claimed"], self._canaries()
        rows = [("claimed", f"ε = {claimed['epsilon']}, δ = {claimed['delta']}"), ("verdict", self.verdict)]
        if self.report.get("exact"):
            rows.append(("exact loss", self.report["exact"]["epsilon"]))
        if "right" in canaries:
            rows.append(("guesses", f"{canaries['right']} of {canaries['guessed']} right"))
            rows.append(("ε is at least (95 %)", canaries["lower_bound_95"]))
        if self.report.get("witness"):
            rows.append(("counterexample", self.report["witness"]["because"]))
        title = f"Audit of {self.report.get('mechanism', 'scores')}"
        return _html.table(("", ""), rows, title)


class Audits(list[Audit]):
    """Several audits; ``verdict`` is the worst of them, and ``refused`` says what was not audited."""

    refused: dict[str, str]

    def __init__(self, found: Sequence[dict[str, Any]], refused: Sequence[Sequence[str]] = ()) -> None:
        super().__init__(Audit(report) for report in found)
        self.refused = {str(name): str(why) for name, why in refused}

    @property
    def verdict(self) -> str:
        """The worst verdict."""
        order = ["violated", "no violation found", "proof arithmetic holds; code: nothing found", "holds"]
        return min((it.verdict for it in self), key=order.index, default="nothing was audited")

    @property
    def unexpected(self) -> list[Audit]:
        """Violated guarantees that are not known to be refuted."""
        return [it for it in self if not it.holds and it.report.get("status") != "refuted"]

    def _repr_html_(self) -> str:
        rows = [
            (found["mechanism"], found["unit"], found["claimed"]["epsilon"], found["status"], it.verdict)
            for it in self
            for found in (it.report,)
        ]
        return _html.table(("mechanism", "unit", "ε", "status", "verdict"), rows, "Audits")


def _asked(
    epsilon: Epsilon | None,
    declare_public: Words | None,
    canaries: int | None,
    pairs: int | None,
    seed: int | None,
    end_to_end: bool,
) -> str:
    return json.dumps(
        {
            "epsilon": None if epsilon is None else decimal(epsilon),
            "declare_public": facts(declare_public),
            "canaries": canaries,
            "pairs": pairs,
            "seed": seed,
            "end_to_end": end_to_end,
        }
    )


def run(
    subject: str,
    *,
    data: DataLike | None = None,
    epsilon: Epsilon | None = None,
    declare_public: Words | None = None,
    canaries: int | None = None,
    pairs: int | None = None,
    exact_only: bool = False,
    seed: int | None = None,
    end_to_end: bool = False,
    progress: Progress = None,
    **given: Any,
) -> Audits:
    """Audits a mechanism of ours: a method that protects something, or one of :func:`subjects`.

    ``end_to_end`` trains a model on a release with canaries and guesses them from the model. Other
    parameters are those of the mechanism.

    >>> import veilgraph as vg
    >>> vg.audit.run("edge-flip", epsilon=1, canaries=50, pairs=50).verdict
    'holds'
    """
    asked = _asked(epsilon, declare_public, 0 if exact_only else canaries, pairs, seed, end_to_end)
    with following(progress) as show:
        return Audits(json.loads(_native.audit_one(subject, settings(given), handed_or_none(data), asked, show)))


def all(  # noqa: A001
    *,
    data: DataLike | None = None,
    epsilon: Epsilon | None = None,
    declare_public: Words | None = None,
    canaries: int | None = None,
    pairs: int | None = None,
    exact_only: bool = False,
    seed: int | None = None,
    progress: Progress = None,
) -> Audits:
    """Audits everything at one ε."""
    asked = _asked(epsilon, declare_public, 0 if exact_only else canaries, pairs, seed, False)
    with following(progress) as show:
        found = json.loads(_native.audit_all(handed_or_none(data), asked, show))
    return Audits(found["found"], found["refused"])


def subjects() -> list[str]:
    """Everything that can be audited."""
    return [entry["name"] for entry in registry()["subjects"]]


def scores(
    with_it: Sequence[float],
    without_it: Sequence[float],
    *,
    epsilon: Epsilon = 1,
    delta: float = 0.0,
    one_run: bool = False,
) -> Audit:
    """What scores prove about somebody's promise: those of executions with the protected unit, and
    without it. Higher means more likely present. ``one_run``: scores of canaries in one execution,
    each present or absent by its own fair coin, instead of independent executions.

    >>> import veilgraph as vg
    >>> vg.audit.scores([9.0] * 400, [1.0] * 400, epsilon=1).verdict
    'violated'
    """
    inside, outside = ([float(score) for score in listed] for listed in (with_it, without_it))
    return Audit(json.loads(_native.audit_scores(inside, outside, decimal(epsilon), float(delta), one_run)))


def mechanism(
    release: Callable[[Any], Any],
    *,
    worlds: tuple[Any, Any],
    epsilon: Epsilon = 1,
    delta: float = 0.0,
    executions: int = 2000,
    score: Callable[[Any], float] | None = None,
    progress: Progress = None,
) -> Audit:
    """Audits a callable that releases something: runs it ``executions`` times in each of two
    adjacent worlds, and judges what the outputs tell of the world.

    ``score`` makes a number of an output, higher for the first world. Without it, numbers are their
    own scores, and other outputs (anything hashable) are scored by how often a first half of the
    executions had them in either world; only the second half is then judged. A callable that draws
    the same noise at every call proves nothing: executions must be independent.

    >>> import random, veilgraph as vg
    >>> flip = lambda bit: bit if random.random() < 0.99 else 1 - bit
    >>> vg.audit.mechanism(flip, worlds=(1, 0), epsilon=1).verdict
    'violated'
    """
    if executions < 8:
        raise ParameterError(f"executions = {executions}: at least 8 are needed")
    outputs: tuple[list[Any], list[Any]] = ([], [])
    with following(progress) as show:
        for done in range(executions):
            for place, world in enumerate(worlds):
                outputs[place].append(release(world))
            if show is not None and done % 16 == 0:
                show("running the mechanism", done, executions)
    if score is not None:
        inside, outside = ([float(score(it)) for it in listed] for listed in outputs)
        return scores(inside, outside, epsilon=epsilon, delta=delta)
    if builtins_all(_is_number(it) for listed in outputs for it in listed):
        return scores(*([float(it) for it in listed] for listed in outputs), epsilon=epsilon, delta=delta)
    inside, outside = _likelihoods(*outputs)
    return scores(inside, outside, epsilon=epsilon, delta=delta)


def builtins_all(tests: Any) -> bool:
    """The built-in ``all``, whose name is that of an audit here."""
    return next((False for test in tests if not test), True)


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, str)


def _likelihoods(one: list[Any], other: list[Any]) -> tuple[list[float], list[float]]:
    """Logarithms of likelihood ratios, estimated from one half and given to the other half."""
    halves = []
    for listed in (one, other):
        if not builtins_all(isinstance(it, Hashable) for it in listed):
            raise ParameterError("outputs that are neither numbers nor hashable need score=")
        shuffled = list(listed)
        random.Random(0).shuffle(shuffled)
        halves.append((Counter(shuffled[: len(shuffled) // 2]), shuffled[len(shuffled) // 2 :]))
    (seen, judged_one), (unseen, judged_other) = halves

    def ratio(output: Any) -> float:
        return log((seen[output] + 0.5) / (unseen[output] + 0.5))

    return [ratio(it) for it in judged_one], [ratio(it) for it in judged_other]
