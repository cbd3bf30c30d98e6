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
    nodes = TABLES[table]({"who": ["a", "b", "c"], "age": [20, 30, 40], "job": ["x", "y", "x"], "team": ["r", "g", "r"]})
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


def test_sparse_features_stay_sparse():
    data = vg.from_arrays(EDGES, scipy.sparse.csr_matrix(X))
    assert data.summary()["feature_form"] == "sparse"
    np.testing.assert_array_equal(data.x, X)
    np.testing.assert_array_equal(data.to_scipy().toarray(), X)


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
    "two masks": (lambda: vg.from_arrays(EDGES, X, train_mask=TRAIN, val_mask=TRAIN), "node 0 is also in the part train"),
    "many splits": (lambda: vg.from_arrays(EDGES, X, train_mask=np.ones((4, 10))), "has the shape"),
    "ids": (lambda: vg.from_arrays(EDGES, X, ids=["a", "a", "b", "c"]), "two nodes have the id"),
    "not square": (lambda: vg.dataset(scipy.sparse.eye(3, 4)), "as many rows as columns"),
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
    assert table.column("class").to_pylist() == [graph.class_names[it] if graph.class_names else str(it) for it in predicted["class"]]


def test_kprop_is_the_symmetric_step():
    steps = np.zeros((4, 4))
    steps[EDGES[1], EDGES[0]] = 1
    degrees = steps.sum(1)
    root = np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1)), 0)
    expected = X
    for _ in range(3):
        expected = root[:, None] * (steps @ (root[:, None] * expected))
    np.testing.assert_allclose(vg.kprop(EDGES, X, 3), expected, rtol=1e-5)
