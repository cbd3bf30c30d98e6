# %% [markdown]
# # Which method for my graph?
# A sweep runs every method with every seed on a graph that may be spent on this choice: public data
# of the same kind, or generated ones. Nothing is charged; nothing of it is private.
# %%
import tempfile

import veilgraph as vg

graph = vg.generate("citation", nodes=500, seed=1).split(0.5, 0.25, 0.25, seed=1)
[(it.name, it.status) for it in vg.methods() if it.protects == "edge"]
# %%
cases = [
    {"name": "no edges", "method": "mlp"},
    {"name": "all edges", "method": "gnn"},
    {"name": "LPGNet", "method": "lpgnet", "grid": {"epsilon_edges": [1, 4]}},
    {"name": "DpGCN", "method": "dpgcn", "grid": {"epsilon_edges": [1, 4]}},
]
found = vg.sweep(f"{tempfile.mkdtemp()}/sweep", {"graph": graph}, cases=cases, parameters={"epochs": 60}, seeds=2)
found.to_pandas()[["case", "epsilon-edges", "seed", "test_accuracy"]]
# %% [markdown]
# The report of a sweep: accuracy against ε, beside the case without edges and the one without noise.
# %%
found
