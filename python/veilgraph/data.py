"""Data in and out: PyG, NetworkX, SciPy, numpy, pandas, polars, Arrow, and paths.

Whatever has the right attributes is accepted; nothing but numpy is imported to read it. A
64-bit ``edge_index`` and 32-bit features are read where they lie. Other types, transposed and
strided arrays are converted first. The data set keeps a copy of its own: what was charged to a
ledger must not change when an array does.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import (
    PARTS,
    Array,
    as_array,
    count,
    ends_of,
    features_of,
    labels_of,
    parts_of,
    rows_of,
    whole_numbers,
    within,
)
from ._errors import DataError, ParameterError, VeilError
from ._texts import PathLike, decimal

DataLike: TypeAlias = Any
"""A :class:`Dataset`, a path, or anything that :func:`dataset` takes."""


class Dataset:
    """A graph and the data on its nodes, in memory.

    >>> import veilgraph as vg
    >>> graph = vg.generate("citation", nodes=300, seed=1)
    >>> graph
    <Dataset citation: 300 nodes, 585 edges, 7 classes>
    >>> graph.x.shape, graph.train_mask.sum()
    ((300, 1433), np.int64(14))
    """

    __slots__ = ("consumed", "native", "report")

    native: _native.Dataset
    consumed: bool
    """Whether a job may use the data up instead of copying them."""
    report: dict[str, Any] | None
    """What became of the columns of tables."""

    def __init__(self, native: _native.Dataset, *, consumed: bool = False) -> None:
        self.native = native
        self.consumed = consumed
        self.report = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.native.name

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.native.nodes

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self.native.directed

    @property
    def classes(self) -> int:
        """The number of classes, 0 without labels."""
        return self.native.classes

    @property
    def class_names(self) -> list[str] | None:
        """The names of the classes."""
        return self.native.class_names

    @property
    def ids(self) -> list[str]:
        """The ids of the nodes."""
        return self.native.ids()

    @property
    def neighbours(self) -> npt.NDArray[np.int64]:
        """Every entry of every list of neighbours, as rows (node, neighbour) of a 2 × entries array."""
        return self.native.edge_index()

    @property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """The edges as PyG reads them: messages flow from the first row to the second.

        A node receives from the nodes in its list; an undirected edge is there in both directions.
        """
        return self.native.edge_index()[::-1]

    @property
    def x(self) -> npt.NDArray[np.float32] | None:
        """The features, one row for each node."""
        return self.native.features()

    @property
    def y(self) -> npt.NDArray[np.int64] | None:
        """The class of every node, -1 if it is not known."""
        return self.native.labels()

    @property
    def parts(self) -> npt.NDArray[np.uint8] | None:
        """The part of every node: 0 train, 1 val, 2 test, 3 none."""
        return self.native.parts()

    def _mask(self, part: int) -> npt.NDArray[np.bool_] | None:
        parts = self.native.parts()
        return None if parts is None else parts == part

    @property
    def train_mask(self) -> npt.NDArray[np.bool_] | None:
        """Which nodes are for training."""
        return self._mask(0)

    @property
    def val_mask(self) -> npt.NDArray[np.bool_] | None:
        """Which nodes choose between models."""
        return self._mask(1)

    @property
    def test_mask(self) -> npt.NDArray[np.bool_] | None:
        """Which nodes are for scoring."""
        return self._mask(2)

    def summary(self) -> dict[str, Any]:
        """The statistics of the data."""
        found: dict[str, Any] = json.loads(self.native.summary())
        return found

    def split(self, train: float, val: float, test: float, *, seed: int, each: bool = False) -> Dataset:
        """The same data with a random split; ``each``: every node draws its part by itself."""
        fractions = ",".join(decimal(share, "split") for share in (train, val, test))
        return Dataset(self.native.with_random_split(fractions, each, seed))

    def among(self, *parts: str) -> Dataset:
        """The graph among the nodes of some parts: train, val, test, none."""
        return Dataset(self.native.among(list(parts)))

    def write(self, path: PathLike) -> None:
        """Writes it as a folder that the command reads too."""
        self.native.write(os.fspath(path))

    def to_scipy(self) -> Any:
        """The features as a SciPy CSR matrix."""
        import scipy.sparse

        stored = self.native.sparse_features()
        if stored is None:
            return scipy.sparse.csr_matrix(np.zeros((self.nodes, 0)) if self.x is None else self.x)
        offsets, columns, values, width = stored
        return scipy.sparse.csr_matrix((values, columns, offsets), shape=(self.nodes, width))

    def to_networkx(self) -> Any:
        """A NetworkX graph; nodes have their ``id``, and ``y`` where their class is known."""
        import networkx

        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        graph.add_nodes_from((node, {"id": name}) for node, name in enumerate(self.ids))
        graph.add_edges_from(zip(*self.neighbours.tolist(), strict=True))
        if self.y is not None:
            for node, label in enumerate(self.y.tolist()):
                if label >= 0:
                    graph.nodes[node]["y"] = label
        return graph

    def to_pandas(self) -> Any:
        """A table of the nodes: id, class and part."""
        import pandas

        columns: dict[str, Any] = {"id": self.ids}
        if self.y is not None:
            names = self.class_names or [str(label) for label in range(self.classes)]
            columns["class"] = pandas.Categorical.from_codes(self.y, categories=names)
        if self.parts is not None:
            columns["part"] = pandas.Categorical.from_codes(self.parts, categories=list(PARTS))
        return pandas.DataFrame(columns)

    def to_pyg(self) -> Any:
        """A PyG ``Data`` with ``x``, ``y``, ``edge_index`` and masks."""
        return to_pyg(self)

    def __len__(self) -> int:
        return self.nodes

    def __repr__(self) -> str:
        entries = self.native.edge_index().shape[1]
        edges = entries if self.directed else entries // 2
        shown = "edges withheld" if self.native.edges_withheld else f"{edges:,} edges"
        classes = f", {self.classes} classes" if self.classes else ""
        return f"<Dataset {self.name}: {self.nodes:,} nodes, {shown}{classes}>"


def to_pyg(data: Dataset) -> Any:
    """A PyG ``Data`` of a data set."""
    try:
        import torch
        from torch_geometric.data import Data
    except ImportError as error:
        raise VeilError(f"to_pyg needs torch and torch_geometric: {error}") from error

    def tensor(array: Array | None) -> Any:
        return None if array is None else torch.from_numpy(np.ascontiguousarray(array))

    fields = {"x": data.x, "y": data.y, "train_mask": data.train_mask}
    fields |= {"val_mask": data.val_mask, "test_mask": data.test_mask}
    made = Data(edge_index=tensor(data.edge_index), num_nodes=data.nodes)
    for name, array in fields.items():
        if array is not None:
            made[name] = tensor(array)
    return made


def open(path: PathLike) -> Dataset:  # noqa: A001
    """Reads a data set by its path (any layout that the command reads), or a fetched one by name.

    >>> import tempfile, veilgraph as vg
    >>> folder = tempfile.mkdtemp() + "/graph"
    >>> vg.generate("social", nodes=120, seed=1).write(folder)
    >>> vg.open(folder).nodes
    120
    """
    return Dataset(_native.Dataset.open(os.fspath(path)))


def generate(
    kind: str = "citation",
    *,
    nodes: int | None = None,
    edges: int | None = None,
    homophily: float | None = None,
    seed: int = 1,
) -> Dataset:
    """Generates a graph: citation, social, bipartite or powerlaw (which alone takes ``edges``)."""
    return Dataset(_native.Dataset.generate(kind, nodes, edges, homophily, seed))


def from_arrays(
    edge_index: Any,
    x: Any = None,
    y: Any = None,
    *,
    train_mask: Any = None,
    val_mask: Any = None,
    test_mask: Any = None,
    num_nodes: int | None = None,
    ids: Any = None,
    classes: int | None = None,
    class_names: Sequence[str] | None = None,
    feature_range: tuple[float, float] | None = None,
    directed: bool = False,
    name: str = "graph",
) -> Dataset:
    """A data set of arrays: ``edge_index`` is [2, edges]; unless ``directed``, each edge is one
    relationship, whichever directions are listed. Unknown classes are negative.

    ``classes`` or ``class_names`` give the number of classes independently of the data; otherwise
    it is counted in ``y``, and a release that protects labels asks that it is declared public.

    >>> import numpy as np, veilgraph as vg
    >>> edges = np.array([[0, 1, 2], [1, 2, 0]])
    >>> vg.from_arrays(edges, x=np.eye(3), y=[0, 1, 0], train_mask=[1, 1, 0])
    <Dataset graph: 3 nodes, 3 edges, 2 classes>
    """
    source, target = ends_of(edge_index)
    features, labels = features_of(x), labels_of(y)
    if feature_range is not None and features is not None:
        within(features, feature_range)
    counts = (count(num_nodes, "num_nodes"), rows_of(features), None if labels is None else len(labels))
    nodes = next((count for count in counts if count is not None), None)
    if nodes is None:
        if source.size == 0:
            raise DataError("there are no edges, features or labels: num_nodes gives the number of nodes")
        raise DataError("edges alone do not say which nodes there are", "num_nodes gives their number")
    parts = parts_of(nodes, (train_mask, val_mask, test_mask))
    numbers: Any = None
    if ids is not None:
        listed = ids if isinstance(ids, list) else as_array(ids, "ids")
        whole = isinstance(listed, np.ndarray) and listed.dtype.kind in "iu" and listed.dtype != np.uint64
        numbers = whole_numbers(listed, "ids") if whole else [str(it) for it in listed]
    native = _native.from_arrays(
        name, nodes, source, target, directed, features, labels, count(classes, "classes"),
        None if class_names is None else [str(it) for it in class_names], parts, numbers, feature_range,
    )  # fmt: skip
    return Dataset(native)


def _of_networkx(graph: Any, **options: Any) -> Dataset:
    """Nodes may have ``x`` and ``y``, and be in ``train_mask``, ``val_mask`` and ``test_mask``.

    Nodes that are the numbers 0 to n-1 are in this order, like the rows of arrays in ``options``.
    """
    listed = list(graph.nodes(data=True))
    numbered = {node for node, _ in listed} == set(range(len(listed)))
    if numbered:
        listed.sort(key=lambda it: it[0])
    else:
        for name in ("x", "y", "train_mask", "val_mask", "test_mask"):
            if options.get(name) is not None:
                hint = "networkx.convert_node_labels_to_integers numbers them, or set attributes of the nodes"
                raise DataError(f"{name} has a row for each node, and the nodes are not 0 to {len(listed) - 1}", hint)
    nodes = options.pop("num_nodes", None)
    if nodes is not None and nodes != len(listed):
        raise DataError(f"num_nodes = {nodes}, but the graph has {len(listed)} nodes")
    places = {node: place for place, (node, _) in enumerate(listed)}
    ends = np.array([(places[one], places[other]) for one, other, *_ in graph.edges], dtype=np.int64)
    options.setdefault("directed", bool(graph.is_directed()))
    options.setdefault("name", graph.name or "graph")
    if not numbered:
        options.setdefault("ids", [str(node) for node in places])

    def column(name: str, missing: Any = None) -> Any:
        if not any(name in held for _, held in listed):
            return None
        if missing is None and not all(name in held for _, held in listed):
            without = next(node for node, held in listed if name not in held)
            raise DataError(f"node {without!r} has no {name}, and others have")
        return [held.get(name, missing) for _, held in listed]

    for name, missing in (("x", None), ("y", -1), ("train_mask", False), ("val_mask", False), ("test_mask", False)):
        found = column(name, missing)
        if found is not None:
            options.setdefault(name, found)
    return from_arrays(ends.T if ends.size else np.zeros((2, 0)), num_nodes=len(places), **options)


def _of_scipy(matrix: Any, **options: Any) -> Dataset:
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"an adjacency matrix has as many rows as columns, not {matrix.shape}")
    # A stored zero is an entry, as in files of matrices and in scipy.sparse.csgraph.
    entries = matrix.tocoo()
    ends = np.stack([entries.row.astype(np.int64), entries.col.astype(np.int64)])
    return from_arrays(ends, num_nodes=matrix.shape[0], **options)


_FIELDS = ("x", "y", "train_mask", "val_mask", "test_mask", "num_nodes")


def _of_fields(given: Any, **options: Any) -> Dataset:
    # PyG guesses a number of nodes that is not stored: one more than the largest node with an edge.
    stored = given if isinstance(given, Mapping) else getattr(given, "_store", None)
    get: Any = lambda name: getattr(given, name, None) if stored is None else stored.get(name)  # noqa: E731
    edges = get("edge_index")
    if edges is None:
        raise DataError("the data have no edge_index", "T.ToSparseTensor of PyG takes it away")
    fields = {name: get(name) for name in _FIELDS}
    return from_arrays(edges, **{**{name: it for name, it in fields.items() if it is not None}, **options})


def from_tables(
    edges: Any = None,
    nodes: Any = None,
    *,
    source: str | None = None,
    target: str | None = None,
    id: str | None = None,  # noqa: A002
    label: str | None = None,
    features: Iterable[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    classes: Sequence[str] | None = None,
    max_categories: int | None = None,
    missing: str | Sequence[str] = "indicate",
    unlisted: str = "refuse",
    directed: bool | None = None,
    name: str | None = None,
) -> Dataset:
    """A data set of a table of edges and a table of nodes: pandas, polars, pyarrow, or anything
    with the Arrow stream interface. The rules and options are those of ``veil data import``;
    ``report`` of the result says what each column became.

    ``missing`` is "indicate", "refuse", or the columns that get an indicator.
    """
    if (source is None) != (target is None):
        raise ParameterError("source and target name the two ends of an edge: both or neither are given")
    indicated = None if isinstance(missing, str) else list(missing)
    if isinstance(missing, str) and missing not in {"indicate", "refuse"}:
        raise ParameterError(f"missing = {missing!r}: expected indicate, refuse, or a list of columns")
    asked = {
        "ends": None if source is None else [source, target],
        "id": id,
        "label": label,
        "features": None if features is None else list(features),
        "kinds": list((kinds or {}).items()),
        "ranges": [[column, low, high] for column, (low, high) in (ranges or {}).items()],
        "categories": [[column, list(words)] for column, words in (categories or {}).items()],
        "classes": None if classes is None else list(classes),
        "most_categories": max_categories,
        "missing": indicated,
        "refuse_missing": missing == "refuse",
        "unlisted": unlisted,
        "directed": directed,
        "name": name,
    }
    native, report = _native.from_tables(edges, nodes, json.dumps(asked))
    made = Dataset(native)
    made.report = json.loads(report)
    return made


def _is_table(given: Any) -> bool:
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__")


def dataset(data: DataLike, **options: Any) -> Dataset:
    """A data set of anything: a path, a :class:`Dataset`, PyG's ``Data`` or whatever has an
    ``edge_index``, a NetworkX graph, a SciPy adjacency matrix, an array [2, edges], a table of
    edges, or a pair of tables (edges, nodes). Options are those of :func:`from_arrays`, or of
    :func:`from_tables` for tables.

    >>> import networkx, veilgraph as vg
    >>> vg.dataset(networkx.karate_club_graph())
    <Dataset Zachary's Karate Club: 34 nodes, 78 edges>
    """
    if isinstance(data, Dataset):
        if options:
            raise ParameterError(f"{next(iter(options))} has no effect on a Dataset")
        return data
    if isinstance(data, (str, os.PathLike)):
        if options:
            raise ParameterError(f"{next(iter(options))} has no effect on a path: its data say what they are")
        return open(data)
    if isinstance(data, Mapping) or hasattr(data, "edge_index"):
        return _of_fields(data, **options)
    if hasattr(data, "is_directed") and hasattr(data, "nodes") and hasattr(data, "edges"):
        return _of_networkx(data, **options)
    if hasattr(data, "tocoo"):
        return _of_scipy(data, **options)
    if _is_table(data):
        return from_tables(data, **options)
    if isinstance(data, tuple) and len(data) == 2 and any(_is_table(part) for part in data):
        return from_tables(*data, **options)
    if isinstance(data, np.ndarray) or hasattr(data, "detach"):
        return from_arrays(data, **options)
    raise DataError(
        f"{type(data).__name__} is no graph that is known here",
        "give a path, a Dataset, PyG's Data, a NetworkX graph, a SciPy matrix, an array [2, edges] or tables",
    )


def handed(data: DataLike) -> Dataset:
    """Data for one job: what was made for it alone is used up instead of copied."""
    made = dataset(data)
    return made if made is data else Dataset(made.native, consumed=True)


def handed_or_none(data: DataLike | None) -> Dataset | None:
    """The same where there may be none."""
    return None if data is None else handed(data)
