"""Runs, releases, attacks, audits, accounts, sweeps: what they say, and how they show."""

import json
import runpy
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import veilgraph as vg


@pytest.fixture(scope="module")
def run(graph, tmp_path_factory):
    book = vg.Ledger.create(tmp_path_factory.mktemp("ledger") / "book.db", {"edge": 8})
    return vg.LPGNet(epsilon_edges=4, stages=2, epochs=30).train(graph, ledger=book, out=Path(book.path).parent / "run")


def test_a_run_says_what_it_promises(run):
    (edge,) = [it for it in run.guarantees if it.unit == "edge"]
    assert (edge.epsilon, edge.delta, edge.status, edge.trust) == (4, 0, "proven", "central")
    assert (run.epsilon("edge"), run.epsilon("feature")) == (Decimal(4), Decimal("Infinity"))
    assert "is protected with ε = 4" in str(run.statement)
    with pytest.raises(vg.ParameterError, match="nothing was promised"):
        run.epsilon("node")


def test_a_run_is_opened_again_with_the_same_answers(run):
    again = vg.open_run(run.path)
    np.testing.assert_array_equal(again.predict(), run.predict())
    assert again.record == run.record
    assert again.score is None


def test_answers_about_another_graph_are_charged(run, tmp_path):
    book = vg.Ledger.create(tmp_path / "book.db", {"edge": 2})
    other = vg.generate("citation", nodes=100, seed=2)
    answers = run.infer(other, epsilon_edges=2, ledger=book, repeat_nodes=True)
    assert (len(answers.predict()), str(book.left("edge"))) == (100, "0")


def test_a_published_folder_has_no_owner(run, tmp_path):
    run.publish(tmp_path / "published", declare_public="features,labels")
    assert not list((tmp_path / "published").rglob("owner"))
    np.testing.assert_array_equal(vg.open_run(tmp_path / "published").predict(), run.predict())
    with pytest.raises(vg.NotDeclaredError):
        run.publish(tmp_path / "undeclared")
    published = vg.open_run(tmp_path / "published")
    assert (published.record["method"], published.epsilon("edge")) == ("lpgnet", 4)
    run.publish(tmp_path / "answers", declare_public="features,labels", answers_only=True)
    assert vg.open_run(tmp_path / "answers").epsilon("edge") == 4


def test_a_release_is_learned_from_without_a_charge(graph, tmp_path):
    release = vg.privatize(graph, "neighbour-krr", epsilon_edges=2, epsilon_features=3, epsilon_labels=3, range=(0, 1))
    matrix = release.transition_matrix
    np.testing.assert_allclose(matrix.sum(1), 1)
    assert matrix[0, 0] == pytest.approx(np.exp(3) / (np.exp(3) + graph.classes - 1), rel=1e-6)
    trained = vg.GNN(epochs=3).train(release, truth=graph)
    assert trained.test_accuracy is not None
    assert "owner" not in json.dumps(release.statement.json)


def test_attacks_on_runs_and_on_other_models(run, graph):
    on_run = vg.attack.lsa(run, truth=graph, pairs=100)
    assert 0 <= on_run.auc <= 1
    assert on_run.auc_edge_free is not None
    posteriors = run.predict()["probabilities"]
    assert vg.attack.lsa(posteriors=posteriors, truth=graph, pairs=100).auc == pytest.approx(on_run.auc)


def test_linkteller_of_a_callable_is_that_of_the_model(graph):
    run = vg.GNN(epochs=20, scale="none", dropout=0).train(graph, seed=1)
    adjacency = np.zeros((graph.nodes, graph.nodes), dtype=np.float32)
    adjacency[graph.neighbours[0], graph.neighbours[1]] = 1
    weights = np.random.default_rng(1).normal(size=(graph.x.shape[1], 3)).astype(np.float32)
    found = vg.attack.linkteller(predict=lambda x: adjacency @ x @ weights, x=graph.x, truth=graph, pairs=50)
    assert found.auc == 1.0
    deaf = vg.attack.linkteller(predict=lambda x: x @ weights, x=graph.x, truth=graph, pairs=50)
    assert deaf.auc == 0.5
    assert run.predict().shape == (graph.nodes,)


def test_an_exception_of_a_model_is_raised_as_it_is(graph):
    calls = []

    def predict(x):
        calls.append(1)
        if len(calls) > 2:
            raise ZeroDivisionError("mine")
        return x[:, :3]

    with pytest.raises(ZeroDivisionError, match="mine"):
        vg.attack.linkteller(predict=predict, x=graph.x, truth=graph, pairs=50)


def test_membership(graph):
    run = vg.MLP(epochs=5).train(graph)
    found = vg.attack.membership(run, truth=graph, shadows=4)
    assert "loss" in {it["attack"] for it in found.found}
    assert 0 <= found.auc <= 1


def test_audits(graph):
    found = vg.audit.run("degree-vectors", data=graph, epsilon=1, canaries=50, pairs=50)
    assert found.verdict in {"holds", "proof arithmetic holds; code: nothing found"}
    refuted = vg.audit.run("graph-privatizer", data=graph, epsilon=0.1, exact_only=True, pairs=100, alpha=0.5)
    assert (refuted.verdict, refuted.unexpected) == ("violated", [])


def test_audits_of_a_callable_tell_good_from_bad():
    rng = np.random.default_rng(1)

    def response(keep):
        return lambda bit: bit if rng.random() < keep else 1 - bit

    good = vg.audit.mechanism(response(np.exp(1) / (1 + np.exp(1))), worlds=(1, 0), epsilon=1)
    bad = vg.audit.mechanism(response(0.99), worlds=(1, 0), epsilon=1)
    words = vg.audit.mechanism(lambda bit: "yes" if response(0.99)(bit) else "no", worlds=(1, 0), epsilon=1)
    assert [it.verdict for it in (good, bad, words)] == ["no violation found", "violated", "violated"]
    assert bad.lower_bound > 1 > good.lower_bound


def test_accounts():
    calibrated = vg.account.calibrate(epsilon=4, queries=500, gamma=0.3, delta=1e-5)
    again = vg.account.privgnn(lambda_=calibrated.noise, queries=500, gamma=0.3, delta=1e-5)
    assert again.epsilon <= 4
    assert vg.account.pate(lambda_=0.1, queries=100, delta=1e-5).epsilon > 0


SWEPT = {
    "cases": [
        {"name": "mlp", "method": "mlp"},
        {"name": "LPGNet", "method": "lpgnet", "grid": {"epsilon_edges": [1, 4]}},
    ],
    "attacks": [{"kind": "lsa", "pairs": 50}],
    "parameters": {"epochs": 3},
    "seeds": 2,
}


@pytest.fixture(scope="module")
def sweep(graph, tmp_path_factory):
    return vg.sweep(tmp_path_factory.mktemp("sweep") / "sweep", {"graph": graph}, **SWEPT)


def test_sweeps_resume_and_become_tables(sweep, graph):
    table = sweep.to_pandas()
    assert (len(sweep), len(table), sweep.done["done"]["failed"]) == (6, 6, 0)
    assert {"case", "test_accuracy", "lsa_auc"} <= set(table.columns)
    assert sweep.done["done"]["run"] == 6
    assert vg.sweep(sweep.path, {"graph": graph}, **SWEPT).done["done"]["run"] == 0


def test_a_file_of_a_sweep_says_everything(graph, tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text('data = ["g"]\nseeds = 2\n[parameters]\nepochs = 2\n[[cases]]\nname = "a"\nmethod = "mlp"\n')
    with pytest.raises(vg.ParameterError, match="seeds has no effect beside file"):
        vg.sweep(tmp_path / "out", {"g": graph}, file=file, seeds=5)
    assert len(vg.sweep(tmp_path / "out", {"g": graph}, file=file)) == 2


@pytest.mark.parametrize("example", ["five_lines", "attack_own_model"])
def test_examples_run(example, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [example])
    runpy.run_path(str(Path(__file__).parents[1] / "examples" / f"{example}.py"), run_name="__main__")
    assert capsys.readouterr().out


def test_everything_shows_in_a_notebook(run, sweep, graph, tmp_path):
    release = vg.privatize(graph, epsilon_labels=1)
    book = vg.Ledger.create(tmp_path / "book.db", {"edge": 1})
    audit = vg.audit.run("edge-flip", epsilon=1, canaries=50, pairs=50)
    attack = vg.attack.lsa(run, truth=graph, pairs=50)
    account = vg.account.pate(lambda_=0.1, queries=10, delta=1e-5)
    for shown in (run, release, book, audit, audit[0], attack, account, sweep):
        text = shown._repr_html_()
        assert "<table" in text or "<iframe" in text
        assert "<script" not in text
    assert "<svg" in sweep.page()


def test_names_are_escaped(graph):
    named = vg.from_arrays(graph.edge_index, graph.x, graph.y, train_mask=graph.train_mask, name="<b>bold</b>")
    assert "<b>" not in vg.MLP(epochs=1).train(named)._repr_html_()
