# %% [markdown]
# # Attack and audit my own model
# Any function from the features of all nodes to a row of probabilities can be attacked: a PyG model is
# `lambda x: model(torch.from_numpy(x), data.edge_index).softmax(1).detach().numpy()`. Here it is a
# graph network in numpy, so that the notebook runs without torch; with torch, the next cell makes one
# of PyG.
# %%
import numpy as np

import veilgraph as vg

graph = vg.generate("citation", nodes=300, seed=1)
steps = np.zeros((graph.nodes, graph.nodes), dtype=np.float32)
steps[graph.neighbours[0], graph.neighbours[1]] = 1
steps += np.eye(graph.nodes, dtype=np.float32)
steps /= steps.sum(1, keepdims=True)
weights = graph.x.T @ np.eye(graph.classes, dtype=np.float32)[graph.y]


def predict(x):
    scores = np.exp((steps @ (x @ weights)) / 10)
    return scores / scores.sum(1, keepdims=True)


# %%
try:
    import torch
    from torch_geometric.nn import SGConv

    layer = SGConv(graph.x.shape[1], graph.classes, K=1)
    edges = torch.from_numpy(np.ascontiguousarray(graph.edge_index))

    def predict(x):
        return layer(torch.from_numpy(x), edges).softmax(1)

except ImportError:
    print("no torch here: the model in numpy is attacked")
# %% [markdown]
# LinkTeller changes the features of one node and looks whose answers change; LSA compares answers.
# %%
vg.attack.linkteller(predict=predict, x=graph.x, truth=graph, pairs=100)
# %%
vg.attack.lsa(posteriors=predict(graph.x), truth=graph, pairs=100)
# %% [markdown]
# An AUC is no test of an ε. An audit is: a mechanism of your own is run in two adjacent worlds, and what
# its outputs tell bounds its ε from below. This one claims ε = 1 and adds a quarter of the noise.
# %%
import random


def noisy_degree(degree):
    return degree + random.expovariate(4) - random.expovariate(4)


vg.audit.mechanism(noisy_degree, worlds=(4, 3), epsilon=1)
# %% [markdown]
# The mechanisms here are audited with the code that makes releases.
# %%
vg.audit.run("degree-vectors", data=graph, epsilon=1, canaries=100, pairs=100)
