"""A scikit-learn estimator: rows are nodes, and ``edges`` of ``fit`` is their graph."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from ._errors import DataError, ParameterError
from ._methods import method as find_method
from ._texts import Epsilon, PathLike, Split, Words
from .data import Dataset, dataset, from_arrays
from .ledger import Ledger
from .run import Run
from .statement import Guarantee, Statement


def _is_searched() -> bool:
    """Whether scikit-learn fits one of many candidates or folds."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("sklearn.model_selection"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


class PrivateGraphClassifier(ClassifierMixin, BaseEstimator):
    """Classifies nodes with a method of the library, and states what is protected.

    ``method`` is a name of the registry, ``parameters`` are further ones of it. Every ``fit``
    releases something: with a ``ledger`` it is charged first, and a grid search is refused,
    because it would charge for every candidate and fold (choose settings with
    :func:`veilgraph.sweep` instead, on data that may be spent on that).

    ``fit(X, y, edges=A)``: ``A`` is a SciPy matrix, [2, edges], or a NetworkX graph over the rows.
    A missing class (None, NaN) is unknown. All rows with a class are for training, unless
    ``split`` says otherwise. ``classes`` lists all classes, given independently of the data; without
    it a release that protects labels asks that they are declared public. ``predict(X)`` answers
    about the rows and edges of the training from the release, at no cost. Other rows (with their own
    ``edges``) are released once, as if they were the same people: ``epsilon_`` is the sum, and
    ``inferred_`` has their runs.

    >>> import veilgraph as vg
    >>> from veilgraph.sklearn import PrivateGraphClassifier
    >>> graph = vg.generate("citation", nodes=200)
    >>> model = PrivateGraphClassifier("lpgnet", epsilon_edges=4, parameters={"epochs": 20})
    >>> model.fit(graph.x, graph.y, edges=graph.edge_index).predict_proba(graph.x).shape
    (200, 7)
    >>> model.epsilon_("edge")
    Decimal('4')
    """

    def __init__(
        self,
        method: str = "mlp",
        *,
        epsilon_edges: Epsilon | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        epsilon: Epsilon | None = None,
        parameters: dict[str, Any] | None = None,
        ledger: Ledger | PathLike | None = None,
        split: Split = "all",
        declare_public: Words | None = None,
        classes: Sequence[Any] | None = None,
        seed: int | None = None,
    ) -> None:
        self.method = method
        self.epsilon_edges = epsilon_edges
        self.epsilon_features = epsilon_features
        self.epsilon_labels = epsilon_labels
        self.epsilon = epsilon
        self.parameters = parameters
        self.ledger = ledger
        self.split = split
        self.declare_public = declare_public
        self.classes = classes
        self.seed = seed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.seed is None
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "run_")

    def _graph(self, rows: Any, edges: Any, labels: Any = None) -> Dataset:
        classes = None if self.classes is None else len(self.classes)
        options: dict[str, Any] = {"x": rows, "y": labels, "num_nodes": rows.shape[0], "classes": classes}
        if edges is None:
            return from_arrays(np.zeros((2, 0), dtype=np.int64), **options)
        if hasattr(edges, "tocoo"):
            del options["num_nodes"]
        return dataset(edges, **options)

    def fit(self, X: Any, y: Any, edges: Any = None) -> PrivateGraphClassifier:  # noqa: N803
        """Releases what the method needs, and trains on the release alone."""
        if self.ledger is not None and _is_searched():
            raise ParameterError(
                "every fit of a search would be charged to the ledger",
                "choose settings with veilgraph.sweep, or search without a ledger on data that may be spent",
            )
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32)  # noqa: N806
        check_classification_targets(y)
        given = column_or_1d(y, warn=True)
        check_consistent_length(X, given)
        known = ~_missing(given)
        found = np.unique(given[known])
        self.classes_ = found if self.classes is None else np.asarray(self.classes)
        if self.classes_.size < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {self.classes_.size} class")
        codes = {name: code for code, name in enumerate(self.classes_.tolist())}
        unknown = [name for name in found.tolist() if name not in codes]
        if unknown:
            raise DataError(f"y has the class {unknown[0]!r}, which is not in classes")
        labels = np.full(len(given), -1, dtype=np.int64)
        labels[known] = [codes[name] for name in given[known].tolist()]
        asked = {
            name: getattr(self, name)
            for name in ("epsilon_edges", "epsilon_features", "epsilon_labels", "epsilon")
            if getattr(self, name) is not None
        }
        configured = find_method(self.method, **asked, **(self.parameters or {}))
        graph = self._graph(X, edges, labels)
        self.run_: Run = configured.train(
            graph, ledger=self.ledger, seed=self.seed, split=self.split, declare_public=self.declare_public,
            progress=False,
        )  # fmt: skip
        self.inferred_: list[Run] = []
        self._rows, self._known = _digest(X), {_digest(X) + _digest(graph.neighbours): self.run_}
        return self

    def _answers(self, X: Any, edges: Any) -> npt.NDArray[np.float64]:  # noqa: N803
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float32)  # noqa: N806
        rows = _digest(X)
        if edges is None and rows == self._rows:
            run = self.run_
        else:
            graph = self._graph(X, edges)
            place = rows + _digest(graph.neighbours)
            if place not in self._known:
                run = self.run_.infer(
                    graph, ledger=self.ledger, seed=self.seed, declare_public=self.declare_public,
                    repeat_nodes=True, progress=False,
                )  # fmt: skip
                self._known[place] = run
                self.inferred_.append(run)
            run = self._known[place]
        found = run.predict()["probabilities"][:, : self.classes_.size].astype(np.float64)
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def predict_proba(self, X: Any, edges: Any = None) -> npt.NDArray[np.float64]:  # noqa: N803
        """The probability of every class of ``classes_``, a row for each row of ``X``."""
        return self._answers(X, edges)

    def predict(self, X: Any, edges: Any = None) -> npt.NDArray[Any]:  # noqa: N803
        """The most likely class of every row."""
        likely = self._answers(X, edges).argmax(axis=1)
        found: npt.NDArray[Any] = self.classes_[likely]
        return found

    @property
    def guarantees_(self) -> list[Guarantee]:
        """What is promised about the training data."""
        check_is_fitted(self)
        return self.run_.guarantees

    @property
    def statement_(self) -> Statement:
        """The statement to publish."""
        check_is_fitted(self)
        return self.run_.statement

    def epsilon_(self, unit: str = "edge") -> Decimal:
        """ε of a unit, over the training and all answers about other rows; an exact decimal."""
        check_is_fitted(self)
        trained = self.run_.epsilon(unit)
        # The sum of a further release contains that of the training.
        return sum((it.epsilon(unit) - trained for it in self.inferred_ if trained.is_finite()), trained)


def _missing(labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    if labels.dtype.kind == "O":
        return np.array([label is None for label in labels])
    return np.zeros(labels.shape, dtype=bool)


def _digest(rows: Any) -> bytes:
    """What tells rows, or lists of neighbours, from others."""
    import hashlib

    parts = (rows.indptr, rows.indices, rows.data) if hasattr(rows, "indptr") else (np.ascontiguousarray(rows),)
    digest = hashlib.sha256(str(rows.shape).encode())
    for part in parts:
        digest.update(part.tobytes())
    return digest.digest()


__all__ = ["PrivateGraphClassifier"]
