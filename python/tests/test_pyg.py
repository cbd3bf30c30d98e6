"""With torch and PyG themselves: run by the system's python where Debian's python3-torch is installed."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="no torch: apt install python3-torch")
geometric = pytest.importorskip("torch_geometric", reason="no torch_geometric: pip install torch_geometric")

import veilgraph as vg  # noqa: E402


def test_data_of_pyg_in_and_out(graph):
    data = graph.to_pyg()
    assert data.is_undirected()
    again = vg.dataset(data)
    assert (again.neighbours == graph.neighbours).all()
    np.testing.assert_array_equal(again.x, graph.x)
    np.testing.assert_array_equal(again.train_mask, graph.train_mask)


def test_a_release_is_data_with_its_transition(graph):
    release = vg.privatize(graph, "neighbour-krr", epsilon_edges=2, epsilon_features=3, epsilon_labels=3, range=(0, 1))
    data = release.to_pyg()
    assert data.transition.shape == (graph.classes, graph.classes)
    assert data.train_mask.dtype == torch.bool
    propagated = vg.kprop(data.edge_index, data.x, 2)
    from torch_geometric.nn.conv.gcn_conv import gcn_norm

    edges, weights = gcn_norm(data.edge_index, num_nodes=graph.nodes, add_self_loops=False)
    steps = torch.zeros(graph.nodes, graph.nodes)
    # Lists may name a node twice.
    steps.index_put_((edges[1], edges[0]), weights, accumulate=True)
    np.testing.assert_allclose(propagated, (steps @ steps @ data.x).numpy(), rtol=1e-3, atol=1e-3)


def test_own_models_reach_ours_on_real_data(cora):
    import importlib.util
    from pathlib import Path

    path = Path(__file__).parents[1] / "examples" / "own_model_on_release.py"
    spec = importlib.util.spec_from_file_location("own_model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    ours, theirs = module.compare(cora, seeds=3)
    assert theirs >= ours - 0.01
    assert ours > 0.75
    print("on real data: cora")
