"""Which method: the answer of the command, as Python values."""

import pytest

import veilgraph as vg


@pytest.fixture(scope="module")
def graph():
    return vg.generate("citation", nodes=300, seed=1)


def ask(graph, **more):
    asked = {"trust": "owner", "protect": "edge", "epsilon": 2, "split": (0.5, 0.25, 0.25)}
    return vg.choose(graph, **{**asked, **more})


def test_the_best_method_is_ready_to_train(graph):
    choice = ask(graph)
    best = choice.best()
    assert best.name == choice.methods[0].split()[0]
    assert float(best.epsilon_edges) == 2
    assert "gnn" not in choice.methods


def test_a_count_is_charged_and_needs_a_ledger(graph, tmp_path):
    book = vg.Ledger.create(tmp_path / "book.db", {"edge": 3})
    counted = ask(graph, count_edges="0.1", ledger=book)
    assert counted.report["counted_edges"] >= 0
    assert float(book.spent("edge")) == 0.1
    with pytest.raises(vg.ParameterError, match="requires ledger"):
        ask(graph, count_edges="0.1")
    with pytest.raises(vg.BudgetError):
        ask(graph, epsilon=5, ledger=book)


def test_wrong_words_are_refused(graph):
    for wrong in ({"trust": "me"}, {"protect": "edges"}, {"epsilon": "inf"}, {"mean_degree": 1e9}):
        with pytest.raises(vg.ParameterError):
            ask(graph, **wrong)
