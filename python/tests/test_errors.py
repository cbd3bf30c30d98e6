"""Every error is of its class, says what is wrong in Python's words, and charges nothing."""

import pickle

import pytest

import veilgraph as vg
from veilgraph import _native


def test_budget(book, graph):
    with pytest.raises(vg.BudgetError, match="asked 9, spent 0, left 8") as caught:
        vg.LPGNet(epsilon_edges=9).train(graph, ledger=book)
    assert isinstance(caught.value, ValueError)
    assert "smaller ε" in caught.value.hint
    assert book.entries == []


def test_not_proven(book, graph, tmp_path):
    book = vg.Ledger.create(tmp_path / "lists.db", {"edge-set": 8, "feature": 8, "label": 8})
    method = vg.GraphPrivatizer(epsilon_edges=1, epsilon_features=3, epsilon_labels=3, epochs=1)
    with pytest.raises(vg.NotProvenError, match="refuted") as caught:
        method.train(graph, ledger=book)
    assert 'accept="refuted"' in caught.value.hint


def test_a_seed_is_refused_by_a_ledger(book, graph):
    with pytest.warns(vg.NotPrivateWarning, match="therefore not private"), pytest.raises(vg.NotProvenError):
        vg.LPGNet(epsilon_edges=1, epochs=1).train(graph, ledger=book, seed=1)
    vg.LPGNet(epsilon_edges=1, epochs=1).train(graph, ledger=book, seed=1, accept="seeded")
    assert book.entries[0]["reproducible"]


def test_not_declared():
    data = vg.from_arrays([[0, 1, 2], [1, 2, 3]], y=[0, 1, 0, 1], train_mask=[1, 1, 0, 0], val_mask=[0, 0, 1, 1])
    with pytest.raises(vg.NotDeclaredError) as caught:
        vg.privatize(data, epsilon_labels=1)
    assert 'declare_public="classes"' in caught.value.hint
    vg.privatize(data, epsilon_labels=1, declare_public="classes")


def test_conflicts(graph, book, tmp_path):
    vg.MLP(epochs=1).train(graph, out=tmp_path / "run")
    with pytest.raises(vg.ReleaseConflict, match="already exists"):
        vg.MLP(epochs=1).train(graph, out=tmp_path / "run")
    with pytest.raises(vg.ReleaseConflict, match="never overwritten"):
        vg.Ledger.create(book.path, {"edge": 1})
    vg.LPGNet(epsilon_edges=1, epochs=1).train(graph, ledger=book)
    with pytest.raises(vg.ReleaseConflict, match="bound to another data set") as caught:
        vg.LPGNet(epsilon_edges=1, epochs=1).train(vg.generate(nodes=200, seed=2), ledger=book)
    assert "add_snapshot" in caught.value.hint


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda graph: vg.LPGNet(epsilon_edges=-1), "epsilon_edges = -1"),
        (lambda graph: vg.LPGNet(hidden=2.5), "hidden = 2.5: expected a whole number"),
        (lambda graph: vg.LPGNet(epsilon=1), "epsilon is not a parameter of lpgnet: it belongs to"),
        (lambda graph: vg.LPGNet(readout="best"), "expected one of"),
        (lambda graph: vg.LPGNet(epsilon_edges=object()), "expected a number"),
        (lambda graph: vg.LPGNet().train(graph), "lpgnet requires epsilon_edges"),
        (lambda graph: vg.method("lpgnett"), "unknown method \"lpgnett\": expected one of mlp"),
        (lambda graph: vg.MLP().train(graph, split="half"), "split = \"half\""),
        (lambda graph: vg.MLP().train(graph, accept="refuted"), "accept requires ledger"),
        (lambda graph: vg.ClassSums(epsilon=1).train(graph), "requires a public graph"),
        (lambda graph: vg.MLP().train(graph, public_graph=graph), "reads no public graph"),
        (lambda graph: vg.MLP().train(graph, truth=graph), "truth requires a release"),
        (lambda graph: vg.privatize(graph, epsilon_edges=1), "epsilon_edges requires method"),
        (lambda graph: vg.privatize(graph, epsilon_labels=1, epochs=3), "epochs belongs to a training"),
        (lambda graph: vg.privatize(graph, vg.EdgeFlip(epsilon_edges=1, epochs=3)), "epochs belongs to a training"),
        (lambda graph: vg.attack.linkteller(truth=graph), "either a run or predict"),
        (lambda graph: vg.audit.run("lpgnett"), "cannot be audited: expected one of"),
        (lambda graph: vg.audit.run("lpgnet", epochs=3), "unknown parameter \"epochs\""),
        (lambda graph: vg.attack.lsa(posteriors=graph.x, truth=graph, nonsense=1), "unknown parameter \"nonsense\""),
        (lambda graph: vg.generate("star"), "one of citation, social"),
        (lambda graph: vg.generate("social", edges=5), "edges is 5, but must be left out"),
        (lambda graph: vg.MLP().train(graph, evolving=True), "an inference graph is required"),
        (lambda graph: vg.account.privgnn(queries=1, gamma=0.1, delta=0.1), "takes lambda_"),
        (
            lambda graph: vg.account.privgnn(
                lambda_=1, queries=1, gamma=0.1, delta=0.1, release="noisy-log-posterior"
            ),
            "expected one of krr, noisy-argmax",
        ),
        (lambda graph: vg.sweep("x", {"g": graph}, cases=[{"name": "a", "method": "nonsense"}]), "nonsense"),
    ],
)  # fmt: skip
def test_parameters(call, message, graph):
    with pytest.raises(vg.ParameterError, match=message):
        call(graph)


def test_exceptions_survive_other_processes():
    error = vg.BudgetError("over", "less")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.hint) == (vg.BudgetError, "over", "less")


def test_panics_become_exceptions(capfd):
    with pytest.raises(vg.VeilError, match=r"(?s)internal error: .*registry.rs.*index out of bounds") as caught:
        _native.panic_on_purpose()
    assert "report" in caught.value.hint
    assert capfd.readouterr().err == ""


def test_results_do_not_lie_inside_data(folder):
    with pytest.raises(vg.ParameterError, match="lies inside the raw data"):
        vg.MLP(epochs=1).train(folder, out=folder / "run")
