"""The estimator: scikit-learn's own checks, and privacy that a search must not spend."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import veilgraph as vg
from veilgraph.sklearn import PrivateGraphClassifier

SKIPPED = {
    "check_estimators_pickle": "a run in memory holds data for its owner alone: it is kept with out=, and opened",
}
CHECKED = PrivateGraphClassifier(seed=1, parameters={"epochs": 60, "hidden": 16, "lr": 0.05})


@parametrize_with_checks([CHECKED], expected_failed_checks=lambda _: SKIPPED)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_edges_are_learned_from_and_protected(graph, book):
    model = PrivateGraphClassifier("lpgnet", epsilon_edges=4, ledger=book, parameters={"epochs": 30})
    model.fit(graph.x, graph.y, edges=graph.edge_index)
    assert (str(model.epsilon_("edge")), str(book.left("edge"))) == ("4", "4")
    assert model.predict(graph.x).shape == (graph.nodes,)
    assert {it.unit for it in model.guarantees_} >= {"edge"}
    assert "ε = 4" in str(model.statement_)
    again = model.predict(graph.x, edges=graph.edge_index[:, ::-1])
    assert (again == model.predict(graph.x)).all()
    assert str(book.left("edge")) == "4", "answers about the training rows cost nothing"


def test_answers_about_other_rows_are_released_once_and_counted(graph):
    model = PrivateGraphClassifier("lpgnet", epsilon_edges=2, parameters={"epochs": 10})
    model.fit(graph.x, graph.y, edges=graph.edge_index)
    other = vg.generate("citation", nodes=300, seed=2)
    shares = model.predict_proba(other.x, edges=other.edge_index)
    np.testing.assert_array_equal(model.predict_proba(other.x, edges=other.edge_index), shares)
    assert (str(model.epsilon_("edge")), len(model.inferred_)) == ("4", 1)


def test_classes_are_given_or_declared_public(graph):
    model = PrivateGraphClassifier(epsilon_labels=3, parameters={"epochs": 2})
    with pytest.raises(vg.NotDeclaredError, match="classes"):
        model.fit(graph.x, graph.y)
    model.set_params(classes=[*range(graph.classes), 99]).fit(graph.x, graph.y)
    assert model.classes_.tolist() == [*range(graph.classes), 99]
    assert model.predict_proba(graph.x).shape == (graph.nodes, graph.classes + 1)
    with pytest.raises(vg.DataError, match="y has the class 2, which is not in classes"):
        model.set_params(classes=[0, 1]).fit(graph.x, graph.y)


def test_edges_may_be_a_graph_of_networkx(graph):
    model = PrivateGraphClassifier("gnn", parameters={"epochs": 2})
    assert model.fit(graph.x, graph.y, edges=graph.to_networkx()).predict(graph.x).shape == (graph.nodes,)


def test_a_search_with_a_ledger_is_refused_and_charges_nothing(graph, book):
    model = PrivateGraphClassifier("lpgnet", epsilon_edges=1, ledger=book)
    search = GridSearchCV(model, {"parameters": [{"epochs": 1}, {"epochs": 2}]}, cv=2, error_score="raise")
    with pytest.raises(vg.ParameterError, match="every fit of a search would be charged") as caught:
        search.fit(graph.x, graph.y)
    assert "sweep" in caught.value.hint
    assert book.entries == []


def test_clone_keeps_parameters(book):
    model = PrivateGraphClassifier("lpgnet", epsilon_edges=1, ledger=book, declare_public="classes")
    assert clone(model).get_params() == model.get_params()
