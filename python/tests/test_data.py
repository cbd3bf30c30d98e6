"""Every way in means the same graph, and what does not fit is refused with its place."""

import networkx
import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse

import veilgraph as vg

EDGES = np.array([[0, 1, 2, 3], [1, 2, 0, 0]])
X = np.arange(8, dtype=np.float32).reshape(4, 2)
Y = np.array([0, 1, -1, 1])
TRAIN = np.array([True, True, False, False])


class Tensor:
    """What a tensor of torch shows of itself."""

    def __init__(self, array):
        self.array = np.asarray(array)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.array


class Data:
    """What PyG's Data shows of itself: attributes, of which some are None."""

    edge_index, x, y, train_mask, val_mask = Tensor(EDGES), Tensor(X), Tensor(Y[:, None]), Tensor(TRAIN), None


def adjacency():
    return scipy.sparse.coo_matrix((np.ones(4), (EDGES[0], EDGES[1])), shape=(4, 4))


def same(data):
    return (data.nodes, sorted(map(tuple, data.neighbours.T.tolist())))


EXPECTED = (4, [(0, 1), (0, 2), (0, 3), (1, 0), (1, 2), (2, 0), (2, 1), (3, 0)])


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(lambda: vg.from_arrays(EDGES, num_nodes=4), id="int64"),
        pytest.param(lambda: vg.from_arrays(EDGES.astype(np.int32), num_nodes=4), id="int32"),
        pytest.param(lambda: vg.from_arrays(EDGES.astype(np.uint16), num_nodes=4), id="uint16"),
        pytest.param(lambda: vg.from_arrays(EDGES.T, num_nodes=4), id="transposed"),
        pytest.param(lambda: vg.from_arrays(np.repeat(EDGES, 2, axis=1)[:, ::2], num_nodes=4), id="strided"),
        pytest.param(lambda: vg.from_arrays(np.asfortranarray(EDGES), num_nodes=4), id="fortran"),
        pytest.param(lambda: vg.from_arrays(EDGES.tolist(), num_nodes=4), id="lists"),
        pytest.param(lambda: vg.from_arrays(np.hstack([EDGES, EDGES[::-1]]), num_nodes=4), id="both directions"),
        pytest.param(lambda: vg.dataset(Data()), id="PyG"),
        pytest.param(lambda: vg.dataset({"edge_index": EDGES, "num_nodes": 4}), id="mapping"),
        pytest.param(lambda: vg.dataset(adjacency()), id="scipy coo"),
        pytest.param(lambda: vg.dataset(adjacency().tocsr()), id="scipy csr"),
        pytest.param(lambda: vg.dataset(networkx.Graph(EDGES.T.tolist())), id="networkx"),
        pytest.param(lambda: vg.dataset(EDGES, num_nodes=4), id="array"),
    ],
)
def test_every_way_in_is_the_same_graph(given):
    assert same(given()) == EXPECTED


TABLES = {
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.table,
    "batches": lambda columns: pyarrow.table(columns).to_reader(max_chunksize=2),
}


@pytest.mark.parametrize("table", TABLES)
def test_tables_follow_the_rules_of_import(table):
    edges = TABLES[table]({"from": ["a", "b", "c"], "to": ["b", "c", "a"]})
    nodes = TABLES[table](
        {"who": ["a", "b", "c"], "age": [20, 30, 40], "job": ["x", "y", "x"], "team": ["r", "g", "r"]}
    )
    data = vg.dataset((edges, nodes), label="team", ranges={"age": (0, 100)}, categories={"job": ["x", "y"]}, id="who")
    assert (data.nodes, data.ids, data.class_names) == (3, ["a", "b", "c"], ["g", "r"])
    np.testing.assert_allclose(data.x, [[0.2, 1, 0], [0.3, 0, 1], [0.4, 1, 0]], rtol=1e-6)
    assert data.y.tolist() == [1, 0, 1]
    assert data.report["columns"]


def test_what_tables_do_not_say_is_refused_with_the_place():
    edges = pandas.DataFrame({"from": ["a", "b"], "to": ["b", "z"]})
    nodes = pandas.DataFrame({"id": ["a", "b"], "age": [1.0, 2.0]})
    with pytest.raises(vg.DataError, match="edges, row 2, to"):
        vg.dataset((edges, nodes))


def test_fields_of_pyg_arrive():
    data = vg.dataset(Data())
    np.testing.assert_array_equal(data.x, X)
    assert data.y.tolist() == Y.tolist()
    assert data.train_mask.tolist() == TRAIN.tolist()
    assert data.val_mask.tolist() == [False] * 4


def test_networkx_there_and_back():
    graph = networkx.Graph([("ann", "bob"), ("bob", "cem")])
    for name, label in (("ann", 0), ("bob", 1)):
        graph.nodes[name]["y"] = label
    data = vg.dataset(graph)
    assert (data.ids, data.y.tolist()) == (["ann", "bob", "cem"], [0, 1, -1])
    back = data.to_networkx()
    assert {(back.nodes[one]["id"], back.nodes[other]["id"]) for one, other in back.edges} == {
        ("ann", "bob"),
        ("bob", "cem"),
    }


def test_numbered_nodes_of_networkx_have_the_rows_of_their_numbers():
    graph = networkx.Graph([(2, 0), (0, 3), (0, 1), (1, 2)])
    assert list(graph.nodes) != sorted(graph.nodes)
    data = vg.dataset(graph, x=X, y=Y)
    assert same(data) == EXPECTED
    np.testing.assert_array_equal(data.x, X)
    with pytest.raises(vg.DataError, match="x has a row for each node, and the nodes are not 0 to 2"):
        vg.dataset(networkx.Graph([("a", "b"), ("b", "c")]), x=X[:3])
    with pytest.raises(vg.DataError, match="num_nodes = 9, but the graph has 4 nodes"):
        vg.dataset(graph, num_nodes=9)


def test_a_number_of_nodes_that_pyg_guesses_is_not_given():
    class Guessing:
        """Like PyG's Data: what is stored, and a property that guesses."""

        _store = {"edge_index": EDGES}  # noqa: RUF012
        edge_index, num_nodes = EDGES, 4

    with pytest.raises(vg.DataError, match="do not say which nodes there are"):
        vg.dataset(Guessing())
    assert vg.dataset(Guessing(), num_nodes=4).nodes == 4


def test_ids_of_64_bits_are_kept():
    ids = np.array([2**64 - 1, 2**63, 0, 1], dtype=np.uint64)
    assert vg.from_arrays(EDGES, X, ids=ids).ids == [str(it) for it in ids.tolist()]


def test_a_stored_zero_of_a_matrix_is_an_edge():
    matrix = scipy.sparse.coo_matrix(([0.0], ([0], [1])), shape=(2, 2))
    assert vg.dataset(matrix).neighbours.shape == (2, 2)


def test_sparse_features_stay_sparse():
    data = vg.from_arrays(EDGES, scipy.sparse.csr_matrix(X))
    assert data.summary()["feature_form"] == "sparse"
    np.testing.assert_array_equal(data.x, X)
    np.testing.assert_array_equal(data.to_scipy().toarray(), X)


def unaligned(array):
    """The same values, one byte beside where processors read them."""
    made = np.zeros(array.nbytes + 1, dtype=np.uint8)[1:].view(array.dtype).reshape(array.shape)
    made[:] = array
    assert not made.flags.aligned
    return made


LAID_OUT = {
    "in columns": np.asfortranarray,
    "strided": lambda array: np.repeat(np.repeat(array, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda array: np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1],
    "unaligned": unaligned,
    "big endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "read only": lambda array: np.broadcast_to(array[None], (1, *array.shape))[0],
    "64 bits": lambda array: array.astype(np.float64 if array.dtype.kind == "f" else np.int64),
    "16 bits": lambda array: array.astype(np.float16 if array.dtype.kind == "f" else np.int16),
}


@pytest.mark.parametrize("layout", LAID_OUT)
def test_arrays_mean_the_same_however_they_lie_in_memory(layout):
    lay = LAID_OUT[layout]
    data = vg.from_arrays(lay(EDGES), lay(X), lay(Y[:, None]), ids=lay(np.array([[5, 7, 8, 9]]))[0])
    assert same(data) == EXPECTED
    np.testing.assert_array_equal(data.x, X)
    assert (data.y.tolist(), data.ids) == (Y.tolist(), ["5", "7", "8", "9"])
    np.testing.assert_array_equal(vg.kprop(lay(EDGES), lay(X), 2), vg.kprop(EDGES, X, 2))


def test_the_native_part_refuses_what_is_not_aligned():
    from veilgraph import _native

    rows = unaligned(X)
    with pytest.raises(vg.DataError, match="not aligned"):
        _native.from_arrays("g", 4, EDGES[0], EDGES[1], False, rows, None, None, None, None, None, None)


def test_sparse_rows_need_not_be_in_order():
    rows = scipy.sparse.csr_matrix((np.float32([2, 1, 3]), [1, 0, 0], [0, 2, 3, 3, 3]), shape=(4, 2))
    rows.has_sorted_indices = rows.has_canonical_format = False
    twice = scipy.sparse.csr_matrix((np.float32([1, 1]), [1, 1], [0, 2, 2, 2, 2]), shape=(4, 2))
    np.testing.assert_array_equal(vg.from_arrays(EDGES, rows).x[:2], [[1, 2], [3, 0]])
    np.testing.assert_array_equal(vg.from_arrays(EDGES, twice).x[0], [0, 2])
    assert twice.nnz == 2, "what was given is not changed"


def test_nothing_is_a_graph_too():
    empty = vg.from_arrays(np.zeros((2, 0), dtype=np.int64), np.zeros((3, 0)), num_nodes=3)
    assert (empty.nodes, empty.edge_index.shape, empty.x.shape) == (3, (2, 0), (3, 0))
    nobody = vg.from_arrays([[], []], num_nodes=0)
    assert (nobody.nodes, len(nobody.ids)) == (0, 0)
    with pytest.raises(vg.VeilError):
        vg.MLP().train(nobody)


def test_whatever_is_given_no_fault_crosses():
    rng = np.random.default_rng(1)
    strange = [
        np.nan, np.inf, -np.inf, 1e300, -1, 2**63, 2**64, 2**62, None, "a", b"a", object(), True, 0, 3.5, [], [[]],
        np.zeros((0, 2)), np.zeros((2, 0)), np.zeros((2, 2, 2)), np.full((2, 3), -1), np.full(4, 2**63 - 1),
        np.full(4, 2**64 - 1, dtype=np.uint64), np.array([None, 1], dtype=object), np.array(["a"]),
        np.datetime64("now"), np.full((4, 2), np.nan), np.eye(4, dtype=complex),
        scipy.sparse.csr_matrix((4, 2**40)), EDGES, X, Y, TRAIN,
    ]  # fmt: skip
    names = ("edge_index", "x", "y", "train_mask", "val_mask", "num_nodes", "ids", "classes", "class_names")
    made = 0
    for _ in range(3000):
        given = {"edge_index": EDGES, "num_nodes": 4}
        for name in rng.choice(names, rng.integers(1, 4), replace=False):
            given[name] = strange[rng.integers(len(strange))]
        try:
            made += vg.from_arrays(**given).nodes >= 0
        except (vg.VeilError, TypeError, ValueError):
            continue
    assert made > 50


def test_data_sets_do_not_change_with_their_arrays():
    x = X.copy()
    data = vg.from_arrays(EDGES, x)
    x[:] = 7
    np.testing.assert_array_equal(data.x, X)


REFUSED = {
    "a node beyond": (lambda: vg.from_arrays([[0], [4]], num_nodes=4), "edge 0: node 4 is not one of the 4 nodes"),
    "negative": (lambda: vg.from_arrays([[0], [-1]], num_nodes=4), "node -1"),
    "fractions": (lambda: vg.from_arrays([[0.5], [1]], num_nodes=4), "expected whole numbers"),
    "three rows": (lambda: vg.from_arrays(np.zeros((3, 3)), num_nodes=4), r"expected \[2, edges\]"),
    "no nodes": (lambda: vg.from_arrays(EDGES), "do not say which nodes there are"),
    "rows of x": (lambda: vg.from_arrays(EDGES, X[:3], num_nodes=4), "4 nodes, but there are 3 rows of features"),
    "nan": (lambda: vg.from_arrays(EDGES, np.where(X == 3, np.nan, X)), "row 1, column 1: NaN is not a finite"),
    "too many classes": (lambda: vg.from_arrays(EDGES, y=Y, classes=1), "class 1 is not below the 1 classes"),
    "two masks": (
        lambda: vg.from_arrays(EDGES, X, train_mask=TRAIN, val_mask=TRAIN),
        "node 0 is also in the part train",
    ),
    "many splits": (lambda: vg.from_arrays(EDGES, X, train_mask=np.ones((4, 10))), "has the shape"),
    "ids": (lambda: vg.from_arrays(EDGES, X, ids=["a", "a", "b", "c"]), "two nodes have the id"),
    "not square": (lambda: vg.dataset(scipy.sparse.eye(3, 4)), "as many rows as columns"),
    "range": (lambda: vg.from_arrays(EDGES, X, feature_range=(0, 6)), "x has the value 7.0, outside of"),
    "range of zeros": (lambda: vg.from_arrays(EDGES, scipy.sparse.eye(4), feature_range=(0.5, 1)), "the value 0.0"),
    "no numbers": (lambda: vg.from_arrays(EDGES, np.full((4, 1), None)), "type object: expected rows of numbers"),
    "objects": (lambda: vg.from_arrays(EDGES.astype(object), num_nodes=4), "expected whole numbers, not object"),
    "64 bits": (lambda: vg.from_arrays(EDGES.astype(np.uint64) + 2**63, num_nodes=4), "not 9223372036854775808"),
    "endless": (lambda: vg.from_arrays(EDGES, y=[0, np.inf, 0, 0]), "not inf"),
    "many nodes": (lambda: vg.from_arrays(EDGES, num_nodes=2**40), "1099511627776 nodes: at most"),
    "many classes": (lambda: vg.from_arrays(EDGES, y=[0, 2**63 - 1, 0, 0]), "9223372036854775808 classes: at most"),
    "sparse nan": (lambda: vg.from_arrays(EDGES, scipy.sparse.csr_matrix(X * np.nan)), "finite"),
    "names": (lambda: vg.from_arrays(EDGES, y=Y, classes=3, class_names=["a", "b"]), "2 class_names, but classes = 3"),
    "unknown": (lambda: vg.dataset(3.5), "float is no graph"),
    "no path": (lambda: vg.open("nowhere"), "nowhere: no such path"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused(case):
    given, message = REFUSED[case]
    with pytest.raises(vg.DataError, match=message):
        given()


def test_results_come_out_as_tables(graph):
    run = vg.MLP(epochs=2).train(graph, seed=1)
    predicted = run.predict()
    assert predicted.dtype.names == ("id", "class", "probabilities")
    np.testing.assert_allclose(predicted["probabilities"].sum(1), 1, rtol=1e-5)
    assert predicted[predicted["class"] == 0].to_pandas().shape[1] == 2 + graph.classes
    table = predicted.to_arrow()
    assert table.num_rows == graph.nodes
    assert table.column("class").to_pylist() == [
        graph.class_names[it] if graph.class_names else str(it) for it in predicted["class"]
    ]


def test_kprop_is_the_symmetric_step():
    steps = np.zeros((4, 4))
    steps[EDGES[1], EDGES[0]] = 1
    degrees = steps.sum(1)
    root = np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1)), 0)
    expected = X
    for _ in range(3):
        expected = root[:, None] * (steps @ (root[:, None] * expected))
    np.testing.assert_allclose(vg.kprop(EDGES, X, 3), expected, rtol=1e-5)
