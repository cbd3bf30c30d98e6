"""Train on graphs whose edges, features and labels are private, and state what is protected.

>>> import tempfile, veilgraph as vg
>>> folder = tempfile.mkdtemp()
>>> graph = vg.generate("citation", nodes=300)
>>> book = vg.Ledger.create(f"{folder}/book.db", {"edge": 8})
>>> run = vg.LPGNet(epsilon_edges=4, epochs=20).train(graph, ledger=book, out=f"{folder}/run")
>>> run.epsilon("edge"), book.left("edge")
(Decimal('4'), Decimal('4'))
>>> run.predict()["class"].shape
(300,)

Every method of the library is a class (:func:`methods` lists them). :mod:`veilgraph.attack`,
:mod:`veilgraph.audit` and :mod:`veilgraph.account` are what their names say;
:mod:`veilgraph.sklearn` has an estimator.
"""

from __future__ import annotations

from . import account, attack, audit
from ._choose import Choice, choose
from ._errors import (
    BudgetError,
    DataError,
    NotDeclaredError,
    NotPrivateWarning,
    NotProvenError,
    ParameterError,
    ReleaseConflict,
    VeilError,
    VeilWarning,
)
from ._methods import CLASSES as _CLASSES
from ._methods import Method, method, methods, privatize
from ._native import __version__
from ._propagation import kprop
from ._sweep import Sweep, sweep
from .data import Dataset, dataset, from_arrays, from_tables, generate, open  # noqa: A004
from .ledger import Ledger
from .run import Predictions, Release, Run, open_run
from .statement import Guarantee, Statement

globals().update(_CLASSES)

__all__ = [
    "BudgetError",
    "Choice",
    "DataError",
    "Dataset",
    "Guarantee",
    "Ledger",
    "Method",
    "NotDeclaredError",
    "NotPrivateWarning",
    "NotProvenError",
    "ParameterError",
    "Predictions",
    "Release",
    "ReleaseConflict",
    "Run",
    "Statement",
    "Sweep",
    "VeilError",
    "VeilWarning",
    "__version__",
    "account",
    "attack",
    "audit",
    "choose",
    "dataset",
    "from_arrays",
    "from_tables",
    "generate",
    "kprop",
    "method",
    "methods",
    "open",
    "open_run",
    "privatize",
    "sweep",
]
__all__ += _CLASSES
