"""A class for every method of the registry."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any, ClassVar

from . import _native
from ._errors import ParameterError, warn_of_seed
from ._progress import Progress, following
from ._registry import Parameter, class_names, parameters, registry, settings
from ._request import request
from ._texts import PathLike, Split, Words, interval, split
from .data import DataLike, Dataset, handed, handed_or_none
from .ledger import Ledger
from .run import Release, Run


class Method:
    """A method with its parameters; ``None`` is a parameter's default."""

    name: ClassVar[str]
    about: ClassVar[str]
    protects: ClassVar[str | None]
    trust: ClassVar[str]
    status: ClassVar[str]
    needs: ClassVar[str]
    public_graph: ClassVar[bool]
    known: ClassVar[dict[str, Parameter]]

    __slots__ = ("_given",)

    def __init__(self, **given: Any) -> None:
        _native.check_settings(self.name, settings(given))
        self._given = {name: value for name, value in given.items() if value is not None}

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in type(self).known:
            return self._given.get(name, type(self).known[name].default)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Method) and self._given == other._given

    def __hash__(self) -> int:
        return hash((type(self), tuple(sorted((name, str(value)) for name, value in self._given.items()))))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._given.items())})"

    def get_params(self) -> dict[str, Any]:
        """Every parameter with its value, defaults included."""
        return {name: getattr(self, name) for name in self.known}

    def train(
        self,
        data: DataLike,
        *,
        ledger: Ledger | PathLike | None = None,
        out: PathLike | None = None,
        seed: int | None = None,
        split: Split | None = None,
        range: str | tuple[float, float] | None = None,  # noqa: A002
        declare_public: Words | None = None,
        accept: Words = (),
        nodes: list[str] | None = None,
        classes: int | None = None,
        public_graph: DataLike | None = None,
        validation_data: DataLike | None = None,
        inference_data: DataLike | None = None,
        evolving: bool = False,
        repeat_nodes: bool = False,
        truth: DataLike | None = None,
        progress: Progress = None,
    ) -> Run:
        """Releases what the method needs, charged to ``ledger`` first, and trains on the release
        alone. ``data`` is whatever :func:`dataset` takes, or a :class:`Release`.

        ``out`` is the run folder to write; without it the run is in memory only, and cannot resume
        if it is interrupted. ``seed`` makes the noise reproducible, therefore not private.
        ``split`` is "public" (that of the data), "all", or shares for training, validation and
        test. ``declare_public`` names facts that no ε protects. ``accept`` releases what a ledger
        would refuse ("claimed", "refuted", "none", "seeded"), booked as unbounded. ``truth`` is the
        raw data of a release, for scoring. ``progress`` is a callback(step, done, of), ``True``
        or ``False``; by default there is a bar where somebody looks and tqdm is installed.
        """
        warn_of_seed(seed)
        asked = request(
            ledger=ledger, out=out, seed=seed, split=_split(split), range=interval(range),
            declare_public=declare_public, accept=accept, node_list=_listed(nodes), classes=classes,
            evolving=evolving or None, repeat_nodes=repeat_nodes or None,
        )  # fmt: skip
        method, given = self.name, settings(self._given)
        released = _released(data)
        with following(progress) as show:
            if released is not None:
                others = {
                    "public_graph": public_graph, "validation_data": validation_data,
                    "inference_data": inference_data, "evolving": evolving or None,
                    "repeat_nodes": repeat_nodes or None,
                }  # fmt: skip
                for name, value in others.items():
                    if value is not None:
                        raise ParameterError(f"{name} has no effect with a release: it requires raw data")
                native = _native.train_on(method, given, released.native, handed_or_none(truth), asked, show)
                return Run(native)
            if truth is not None:
                raise ParameterError("truth requires a release: raw data are their own truth")
            validation, inference = handed_or_none(validation_data), handed_or_none(inference_data)
            public = handed_or_none(public_graph)
            return Run(_native.train(method, given, handed(data), validation, inference, public, asked, show))

    def privatize(self, data: DataLike, **options: Any) -> Release:
        """Releases data by the mechanism of this method without training: see :func:`privatize`."""
        return privatize(data, method=self, **options)


def _split(value: Split | None) -> str | None:
    return split(value)


def _listed(nodes: list[str] | None) -> str | None:
    return None if nodes is None else "\n".join(str(node) for node in nodes)


def _released(data: Any) -> Release | None:
    if isinstance(data, Release):
        return data
    is_path = isinstance(data, str) or hasattr(data, "__fspath__")
    if is_path and not isinstance(data, Dataset) and _native.is_released(str(data)):
        return Release.open(data)
    return None


def _make(entry: dict[str, Any]) -> type[Method]:
    """The class of an entry."""
    known = parameters(entry)
    name = class_names()[entry["name"]]
    keyword = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature(
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        + [inspect.Parameter(it.keyword, keyword, default=None, annotation=it.annotation) for it in known.values()],
    )

    def __init__(self: Method, **given: Any) -> None:  # noqa: N807
        Method.__init__(self, **given)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    unit = f"Protects the unit {entry['unit']}" if entry["unit"] else "Protects no edges"
    status = f", {entry['status']}" if entry["unit"] else ""
    public = " and a public graph" if entry["public_graph"] else ""
    lines = [
        f"{entry['about']}.",
        "",
        f"{unit} ({entry['trust']} model{status}). Needs {entry['needs']}{public}.",
        "",
        "Parameters:",
        *(textwrap.indent(it.described(), "    ") for it in known.values()),
    ]
    body: dict[str, Any] = {
        "__doc__": "\n".join(lines), "__init__": __init__, "__slots__": (), "__module__": "veilgraph",
        "known": known, "protects": entry["unit"],
        **{key: entry[key] for key in ("name", "about", "trust", "status", "needs", "public_graph")},
    }  # fmt: skip
    return type(name, (Method,), body)


CLASSES: dict[str, type[Method]] = {class_names()[it["name"]]: _make(it) for it in registry()["methods"]}
"""Every class by its name."""


def method(name: str, **given: Any) -> Method:
    """A method by its name in the registry, with its parameters.

    >>> import veilgraph as vg
    >>> vg.method("lpgnet", epsilon_edges=4)
    LPGNet(epsilon_edges=4)
    """
    _native.check_settings(name, settings({}))
    return CLASSES[class_names()[name]](**given)


def methods() -> list[type[Method]]:
    """The classes of all methods.

    >>> import veilgraph as vg
    >>> [it.name for it in vg.methods() if it.protects == "edge"][:2]
    ['dpgcn', 'lpgnet']
    """
    return list(CLASSES.values())


def privatize(
    data: DataLike,
    method: Method | str | None = None,
    *,
    ledger: Ledger | PathLike | None = None,
    out: PathLike | None = None,
    seed: int | None = None,
    split: Split | None = None,
    range: str | tuple[float, float] | None = None,  # noqa: A002
    declare_public: Words | None = None,
    accept: Words = (),
    nodes: list[str] | None = None,
    classes: int | None = None,
    progress: Progress = None,
    **parameters: Any,
) -> Release:
    """Releases features, labels and (with a method) edges, without training. Parameters are those
    of the method, and ``epsilon_features``, ``epsilon_labels``, ``samples``, ``scale`` and
    ``feature_encoder``; the others are as in :meth:`Method.train`.

    >>> import veilgraph as vg
    >>> graph = vg.generate("citation", nodes=200)
    >>> release = vg.privatize(graph, method="edge-flip", epsilon_edges=2, epsilon_labels=3)
    >>> [(it.unit, str(it.epsilon), it.status) for it in release.guarantees]
    [('label', '3', 'proven'), ('edge-bit', '2', 'proven'), ('edge-set', '4', 'proven')]
    """
    warn_of_seed(seed)
    if isinstance(method, Method):
        parameters = {**method._given, **parameters}
        method = method.name
    asked = request(
        ledger=ledger, out=out, seed=seed, split=_split(split), range=interval(range), declare_public=declare_public,
        accept=accept, node_list=_listed(nodes), classes=classes,
    )  # fmt: skip
    with following(progress) as show:
        return Release(_native.privatize(method, settings(parameters), handed(data), asked, show))
