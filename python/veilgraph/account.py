"""The cost of many answers together, before any data are touched: as published, and as proven."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from . import _html, _native
from ._errors import ParameterError

KRR = "krr"


@dataclass(frozen=True, slots=True)
class Account:
    """``epsilon`` is proven at ``delta``; ``as_published`` guarantees nothing."""

    epsilon: float
    delta: float
    why: str
    as_published: float | None = None
    noise: float | None = None
    report: dict[str, Any] = field(repr=False, default_factory=dict)

    @classmethod
    def of(cls, report: dict[str, Any]) -> Account:
        """From the library's report."""
        proven, published = report["proven"], report.get("as_published")
        epsilon = float(proven["spending"]["epsilon"])
        stated = None if published is None else float(published["epsilon"])
        return cls(epsilon, float(proven["delta"]), proven["why"], stated, report.get("noise"), report)

    def _repr_html_(self) -> str:
        rows = [("proven", f"{self.epsilon:.4f}", self.why)]
        if self.as_published is not None:
            rows.insert(0, ("as published", f"{self.as_published:.4f}", ""))
        return _html.table(("figure", "ε", "by"), rows, f"Cost at δ = {self.delta}")


def privgnn(
    *,
    queries: int,
    gamma: float,
    delta: float,
    lambda_: float | None = None,
    epsilon_query: float | None = None,
    release: str = "noisy-argmax",
    classes: int = 10,
) -> Account:
    """The cost of PrivGNN's labels: ``queries`` of them, each by a teacher on a fresh sample of the
    private nodes at rate ``gamma``. The noise is ``lambda_``, or with ``release="krr"``
    ``epsilon_query``.

    >>> import veilgraph as vg
    >>> found = vg.account.privgnn(lambda_=0.1, queries=500, gamma=0.3, delta=1e-3)
    >>> found.epsilon > found.as_published > 0
    True
    """
    noise, other = (epsilon_query, lambda_) if release == KRR else (lambda_, epsilon_query)
    if noise is None or other is not None:
        takes, without = ("epsilon_query", "lambda_") if release == KRR else ("lambda_", "epsilon_query")
        raise ParameterError(f"release = {release!r} takes {takes} and no {without}")
    return Account.of(json.loads(_native.account_privgnn(noise, queries, gamma, delta, release, classes)))


def pate(*, lambda_: float, queries: int, delta: float) -> Account:
    """The cost of PATE's labels: noise of inverse scale ``lambda_`` on every count of votes."""
    return Account.of(json.loads(_native.account_pate(lambda_, queries, delta)))


def calibrate(
    *, epsilon: float, queries: int, gamma: float, delta: float, release: str = "noisy-argmax", classes: int = 10
) -> Account:
    """The least noise at which PrivGNN's labels together cost at most ``epsilon``: ``noise``."""
    return Account.of(json.loads(_native.account_calibrate(epsilon, queries, gamma, delta, release, classes)))
