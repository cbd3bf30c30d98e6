"""Attacks: on our runs, and on any model, by a callable or by its answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _html, _native
from ._arrays import as_array
from ._errors import ParameterError
from ._progress import Progress, following
from ._registry import settings
from ._texts import PathLike
from .data import DataLike, handed, handed_or_none
from .run import Run

Callback = Callable[[npt.NDArray[np.float32]], Any]
"""From the features of all nodes to a row of probabilities for each node."""


class Attack:
    """The figures of an attack on edges. ``auc`` is 0.5 for random guessing.

    An AUC is no test of an ε: use :mod:`veilgraph.audit` for that.
    """

    __slots__ = ("report",)

    report: dict[str, Any]

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report

    @property
    def auc(self) -> float:
        """The area under the ROC curve."""
        found: float = self.report["scores"]["auc"]
        return found

    @property
    def auc_ci(self) -> tuple[float, float]:
        """Its 95 % interval."""
        low, high = self.report["scores"]["auc_ci"]
        return low, high

    @property
    def auc_edge_free(self) -> float | None:
        """The same of the edge-free twin: what homophily alone gives."""
        twin = self.report.get("edge_free")
        return None if twin is None else float(twin["auc"])

    @property
    def scores(self) -> dict[str, Any]:
        """All figures."""
        found: dict[str, Any] = self.report["scores"]
        return found

    def __repr__(self) -> str:
        low, high = self.auc_ci
        return f"<Attack {self.report['attack']}: AUC {self.auc:.3f} ({low:.3f} to {high:.3f})>"

    def _repr_html_(self) -> str:
        low, high = self.auc_ci
        rows = [("AUC", f"{self.auc:.3f} ({low:.3f} to {high:.3f})")]
        if self.auc_edge_free is not None:
            rows.append(("AUC, edge-free twin", f"{self.auc_edge_free:.3f}"))
        rows.append(("pairs", f"{self.scores['pairs']}, {self.scores['edges']} of them edges"))
        return _html.table(("figure", "value (95 % interval)"), rows, f"Attack {self.report['attack']}")


class Membership:
    """The figures of membership inference, one entry of ``found`` for each signal."""

    __slots__ = ("report",)

    report: dict[str, Any]

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report

    @property
    def found(self) -> list[dict[str, Any]]:
        """The figures of each signal."""
        found: list[dict[str, Any]] = self.report["found"]
        return found

    @property
    def auc(self) -> float:
        """The largest area under the ROC curve of all signals."""
        return max(float(it["auc"]) for it in self.found)

    def __repr__(self) -> str:
        return f"<Membership inference: AUC {self.auc:.3f} (best signal)>"

    def _repr_html_(self) -> str:
        rows = [(it["attack"], f"{it['auc']:.3f}") for it in self.found]
        return _html.table(("signal", "AUC"), rows, "Membership inference")


def _run(run: Run | PathLike) -> Run:
    return run if isinstance(run, Run) else Run.open(run)


def _classes(predict: Callback, features: npt.NDArray[np.float32]) -> tuple[int, Callable[[Any], Any]]:
    """The number of classes of a model, and the model with 32-bit answers of two dimensions."""

    def answer(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        found = as_array(predict(rows), "the answer of predict")
        if found.ndim != 2 or len(found) != len(features):
            raise ParameterError(
                f"predict returned an array of shape {found.shape}: expected ({len(features)}, classes)"
            )
        return np.ascontiguousarray(found, dtype=np.float32)

    return answer(features).shape[1], answer


def _edges(
    name: str, target: Any, truth: DataLike, seed: int, twin: bool, progress: Progress, given: dict[str, Any]
) -> Attack:
    with following(progress) as show:
        return Attack(json.loads(_native.attack_edges(name, settings(given), target, handed(truth), seed, twin, show)))


def linkteller(
    run: Run | PathLike | None = None,
    *,
    truth: DataLike,
    predict: Callback | None = None,
    x: Any = None,
    seed: int = 1,
    twin: bool = True,
    progress: Progress = None,
    **given: Any,
) -> Attack:
    """Recovers edges by how a node's answer depends on other nodes' features.

    Attacks a run, or any model by ``predict``: a function from the features ``x`` of all nodes to
    a row of probabilities for each node. It is asked again for every source of a pair. Other
    parameters are those of ``veil attack linkteller``.

    >>> import veilgraph as vg
    >>> graph = vg.generate("citation", nodes=300)
    >>> run = vg.GNN(epochs=30).train(graph)
    >>> vg.attack.linkteller(run, truth=graph, pairs=100).auc > 0.9
    True
    """
    if (run is None) == (predict is None):
        raise ParameterError("either a run or predict is attacked")
    if run is not None:
        if x is not None:
            raise ParameterError("x goes with predict: a run has its own features")
        return _edges("linkteller", _run(run).native, truth, seed, twin, progress, given)
    assert predict is not None
    if x is None:
        raise ParameterError("predict requires x, the features of all nodes")
    if given.get("influence", "difference") != "difference":
        raise ParameterError("a callable has no derivatives: influence is difference")
    for name in ("surface", "weights"):
        if given.get(name) is not None:
            raise ParameterError(f"{name} requires a run")
    features = np.ascontiguousarray(as_array(x, "x"), dtype=np.float32)
    classes, answer = _classes(predict, features)
    given = {**given, "influence": "difference"}
    return _edges("linkteller", (features, classes, answer), truth, seed, False, progress, given)


def lsa(
    run: Run | PathLike | None = None,
    *,
    truth: DataLike,
    posteriors: Any = None,
    seed: int = 1,
    twin: bool = True,
    progress: Progress = None,
    **given: Any,
) -> Attack:
    """Recovers edges by how alike answers are: of a run, or of any model by its ``posteriors`` (a
    row for each node). Other parameters are those of ``veil attack lsa``.
    """
    if (run is None) == (posteriors is None):
        raise ParameterError("either a run or posteriors are attacked")
    if run is not None:
        return _edges("lsa", _run(run).native, truth, seed, twin, progress, given)
    for name in ("surface", "weights"):
        if given.get(name) is not None:
            raise ParameterError(f"{name} requires a run")
    rows = np.ascontiguousarray(as_array(posteriors, "posteriors"), dtype=np.float32)
    if rows.ndim != 2:
        raise ParameterError(f"posteriors have the shape {rows.shape}: expected (nodes, classes)")
    attack = _edges("lsa", rows, truth, seed, False, progress, given)
    for name in ("surface", "weights"):
        attack.report["parameters"].pop(name, None)
    return attack


def membership(
    run: Run | PathLike,
    *,
    truth: DataLike,
    outside: DataLike | None = None,
    shadow_data: DataLike | None = None,
    seed: int = 1,
    progress: Progress = None,
    **given: Any,
) -> Membership:
    """Infers which nodes a run was trained on, with shadow models. Other parameters are those of
    ``veil attack membership``.
    """
    others = (handed_or_none(outside), handed_or_none(shadow_data))
    with following(progress) as show:
        found = _native.attack_membership(settings(given), _run(run).native, handed(truth), *others, seed, show)
    return Membership(json.loads(found))
