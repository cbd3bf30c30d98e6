"""Results: a trained model and its predictions, and a release."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _html, _native
from ._errors import warn_of_seed
from ._progress import Progress, following
from ._registry import in_python
from ._request import request
from ._texts import Epsilon, PathLike, Words, decimal, facts, words
from .data import DataLike, Dataset, handed, handed_or_none, to_pyg
from .ledger import Ledger
from .statement import Guarantee, Statement, of_unit


class Predictions(np.ndarray[Any, Any]):
    """A structured array: ``id``, ``class`` (a number) and ``probabilities`` of every node."""

    class_names: list[str]

    def __new__(cls, ids: list[str], names: list[str], posteriors: npt.NDArray[np.float32]) -> Predictions:
        """From the ids of nodes, the names of classes, and a row of probabilities for each node."""
        width = max((len(name) for name in ids), default=1)
        rows = np.zeros(
            len(ids), dtype=[("id", f"U{width}"), ("class", np.int64), ("probabilities", np.float32, (len(names),))]
        )
        rows["id"] = ids
        rows["probabilities"] = posteriors
        if len(names):
            rows["class"] = posteriors.argmax(axis=1)
        made = rows.view(cls)
        made.class_names = names
        return made

    def __array_finalize__(self, other: Any) -> None:
        self.class_names = getattr(other, "class_names", [])

    def to_pandas(self) -> Any:
        """A table with the id, the name of the class, and a column of probabilities for each class."""
        import pandas

        plain = self.view(np.ndarray)
        named = pandas.Categorical.from_codes(plain["class"], categories=self.class_names)
        columns = {"id": plain["id"].astype(object), "class": named}
        shares = {name: plain["probabilities"][:, place] for place, name in enumerate(self.class_names)}
        return pandas.DataFrame({**columns, **{f"p({name})": share for name, share in shares.items()}})

    def to_arrow(self) -> Any:
        """The same as a pyarrow table."""
        import pyarrow

        plain = self.view(np.ndarray)
        columns = {"id": pyarrow.array(plain["id"].tolist(), pyarrow.string())}
        names = pyarrow.array(self.class_names, pyarrow.string())
        columns["class"] = pyarrow.DictionaryArray.from_arrays(plain["class"].astype(np.int32), names)
        for place, name in enumerate(self.class_names):
            columns[f"p({name})"] = pyarrow.array(np.ascontiguousarray(plain["probabilities"][:, place]))
        return pyarrow.table(columns)


class Release:
    """Released data with their privacy statement."""

    __slots__ = ("_native", "statement")

    statement: Statement

    def __init__(self, native: _native.Release) -> None:
        self._native = native
        self.statement = Statement(native.statements())

    @classmethod
    def open(cls, path: PathLike) -> Release:
        """Opens the folder of a release; its digests and guarantees are checked."""
        return cls(_native.Release.open(os.fspath(path)))

    @property
    def native(self) -> _native.Release:
        """The native part."""
        return self._native

    @property
    def path(self) -> str | None:
        """Its folder."""
        path = self._native.path
        return None if path is None else str(path)

    @property
    def guarantees(self) -> list[Guarantee]:
        """What is promised, one entry for each unit."""
        return self.statement.guarantees

    @property
    def data(self) -> Dataset:
        """The released data: noisy features, labels and lists of neighbours."""
        return Dataset(self._native.data())

    @property
    def transition_matrix(self) -> npt.NDArray[np.float64]:
        """P[true class → released class], a row for each true class: for forward correction.

        It is the identity where labels were released as they are.
        """
        found = self._native.transition()
        return np.eye(self._native.data().classes) if found is None else found

    @property
    def traffic(self) -> dict[str, int] | None:
        """Messages between users. They follow from the true edges: for the owner alone."""
        found: dict[str, int] | None = json.loads(self._native.traffic())
        return found

    def to_pyg(self) -> Any:
        """A PyG ``Data`` with the released lists, features and labels, masks, and ``transition``."""
        import torch

        made = to_pyg(self.data)
        made.transition = torch.from_numpy(self.transition_matrix).float()
        return made

    def __repr__(self) -> str:
        return f"<Release of {self.statement.json['data']}: {_promised(self.guarantees)}>"

    def _repr_html_(self) -> str:
        return self.statement._repr_html_()


def _promised(guarantees: list[Guarantee]) -> str:
    return ", ".join(f"{it.unit} ε={it.epsilon} ({it.shown_status})" for it in guarantees) or "nothing promised"


class Run:
    """A trained model: its predictions, its guarantees, and the statement to publish."""

    __slots__ = ("_inference", "_native", "statement")

    statement: Statement

    def __init__(self, native: _native.Run) -> None:
        self._native = native
        self.statement = Statement(native.statements())
        inference = native.take_inference()
        self._inference = None if inference is None else Run(inference)

    @classmethod
    def open(cls, path: PathLike) -> Run:
        """Opens a run folder, or a published one."""
        return cls(_native.Run.open(os.fspath(path)))

    @property
    def native(self) -> _native.Run:
        """The native part."""
        return self._native

    @property
    def path(self) -> str | None:
        """Its folder."""
        path = self._native.path
        return None if path is None else str(path)

    @property
    def record(self) -> dict[str, Any]:
        """Everything that decided it: method, parameters, split, seeds."""
        found: dict[str, Any] = json.loads(self._native.record()) or {}
        return found

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter of its method."""
        return {in_python(name): value for name, value in self.record.get("parameters", {}).items()}

    @property
    def guarantees(self) -> list[Guarantee]:
        """What is promised, one entry for each unit."""
        return self.statement.guarantees

    @property
    def figures(self) -> dict[str, Any]:
        """Validation figures, timings, and the score: for the owner alone."""
        found: dict[str, Any] = json.loads(self._native.figures())
        return found

    @property
    def score(self) -> dict[str, Any] | None:
        """Scores against the true labels and edges, where they are known: for the owner alone."""
        found: dict[str, Any] | None = self.figures["score"]
        return found

    @property
    def test_accuracy(self) -> float | None:
        """The share of test nodes whose true class is the predicted one: for the owner alone."""
        score = self.score or {}
        found: float | None = score.get("test_accuracy")
        if found is None and score.get("classification"):
            found = score["classification"]["accuracy"]
        return found

    @property
    def validation_accuracy(self) -> float | None:
        """The same of validation nodes, with the labels that were released."""
        found: float | None = self.figures["validation_accuracy"]
        return found

    def epsilon(self, unit: str = "edge") -> Decimal:
        """ε of a unit, over everything that was released for this run; an exact decimal."""
        return of_unit(self.figures["total"], unit, "epsilon")

    def delta(self, unit: str = "edge") -> Decimal:
        """δ of a unit, likewise."""
        return of_unit(self.figures["total"], unit, "delta")

    @property
    def released(self) -> Release:
        """The release that it was trained on."""
        return Release(self._native.released())

    @property
    def inference(self) -> Run | None:
        """The answers about the graph of ``inference_data``."""
        return self._inference

    def predict(
        self,
        data: DataLike | None = None,
        *,
        epsilon_edges: Epsilon | None = None,
        ledger: Ledger | PathLike | None = None,
        out: PathLike | None = None,
        seed: int | None = None,
        accept: Words = (),
        declare_public: Words | None = None,
        repeat_nodes: bool = False,
        evolving: bool = False,
        progress: Progress = None,
    ) -> Predictions:
        """The answers about the nodes of the run, which cost nothing more; or about another graph,
        whose edges are released at their own price (use :meth:`infer` to keep the result).
        """
        if data is None:
            return Predictions(*self._native.table())
        made = self.infer(
            data, epsilon_edges=epsilon_edges, ledger=ledger, out=out, seed=seed, accept=accept,
            declare_public=declare_public, repeat_nodes=repeat_nodes, evolving=evolving, progress=progress,
        )  # fmt: skip
        return made.predict()

    def infer(
        self,
        data: DataLike,
        *,
        epsilon_edges: Epsilon | None = None,
        ledger: Ledger | PathLike | None = None,
        out: PathLike | None = None,
        seed: int | None = None,
        accept: Words = (),
        declare_public: Words | None = None,
        repeat_nodes: bool = False,
        evolving: bool = False,
        progress: Progress = None,
    ) -> Run:
        """The same model on another graph: a run of its own."""
        warn_of_seed(seed)
        asked = request(
            ledger=ledger, out=out, seed=seed, accept=accept, declare_public=declare_public,
            repeat_nodes=repeat_nodes, evolving=evolving,
            epsilon_edges=None if epsilon_edges is None else decimal(epsilon_edges, "epsilon_edges"),
        )  # fmt: skip
        with following(progress) as show:
            return Run(_native.infer(self._native, handed(data), asked, show))

    def publish(
        self, out: PathLike, *, declare_public: Words | None = None, accept: Words = (), answers_only: bool = False
    ) -> None:
        """Makes the folder that may be handed over; the run must be in a folder."""
        if self.path is None:
            from ._errors import ParameterError

            raise ParameterError("this run is only in memory", "train with out= to keep it in a folder")
        _native.publish_run(self.path, os.fspath(out), facts(declare_public), words(accept), answers_only)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        if self.path is None:
            raise TypeError("a run in memory cannot be pickled: train with out=, and its folder is opened again")
        return Run.open, (self.path,)

    def __repr__(self) -> str:
        record = self.record
        return f"<Run of {record.get('method', 'published answers')} on {self.statement.json['data']}: " + (
            f"{_promised(self.guarantees)}>"
        )

    def _repr_html_(self) -> str:
        record, figures = self.record, self.figures
        rows = [("test accuracy", _html.percent(self.test_accuracy))]
        rows.append(("validation accuracy (released labels)", _html.percent(figures["validation_accuracy"])))
        if self.path is not None:
            rows.append(("folder", self.path))
        title = f"{record.get('method', 'published answers')} on {self.statement.json['data']}"
        return _html.table(("figure", "value"), rows, title) + self.statement._repr_html_()


def open_run(path: PathLike) -> Run:
    """Opens a run folder, or a published one."""
    return Run.open(path)


__all__ = ["Predictions", "Release", "Run", "handed_or_none", "open_run"]
