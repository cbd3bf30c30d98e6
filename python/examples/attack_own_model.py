"""Attack and audit a model of your own, here one in numpy: python examples/attack_own_model.py."""

import random

import numpy as np
import numpy.typing as npt

import veilgraph as vg

graph = vg.generate("citation", nodes=300)
features, labels = graph.x, graph.y
assert features is not None
assert labels is not None
steps = np.zeros((graph.nodes, graph.nodes), dtype=np.float32)
steps[tuple(graph.edge_index[::-1])] = 1
steps += np.eye(graph.nodes, dtype=np.float32)
steps /= steps.sum(1, keepdims=True)
weights = features.T @ np.eye(graph.classes, dtype=np.float32)[labels]


def predict(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """A linear graph network: the answer about a node depends on its neighbours' features."""
    scores = steps @ (x @ weights) / 10
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return (shares / shares.sum(1, keepdims=True)).astype(np.float32)


print(vg.attack.linkteller(predict=predict, x=features, truth=graph, pairs=100))
print(vg.attack.lsa(posteriors=predict(features), truth=graph))


def noisy_degree(degree: int) -> float:
    """A mechanism that adds too little noise: Laplace noise of scale 1/4 at a claimed ε of 1."""
    return degree + random.expovariate(4) - random.expovariate(4)


print(vg.audit.mechanism(noisy_degree, worlds=(4, 3), epsilon=1))
