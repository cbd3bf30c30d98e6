# %% [markdown]
# # Reproduce a published table
# The files of `veil lab reproduce` are sweeps. This one is a part of LPGNet's table of accuracies on
# Cora (Kolluri et al. 2022), with fewer seeds. Without the data it runs on a generated graph, whose
# figures are then not those of the paper.
# %%
import os
import tempfile
from pathlib import Path

import veilgraph as vg

place = Path(os.environ.get("VEIL_DATA", "../../../shared/data")) / "cora"
data = vg.open(place) if place.exists() else vg.generate("citation", nodes=1000, seed=1)
data
# %%
published = {"mlp": 0.568, "lpgnet, ε = 4": 0.654}
cases = [
    {"name": "mlp", "method": "mlp"},
    {"name": "lpgnet", "method": "lpgnet", "stages": 1, "epsilon_edges": 4},
]
found = vg.sweep(f"{tempfile.mkdtemp()}/table", {"cora": data}, cases=cases, seeds=2, parameters={"epochs": 200})
ours = found.to_pandas().groupby("case")["test_accuracy"].agg(["mean", "std"])
ours["published (one seed of the authors' code)"] = [published["lpgnet, ε = 4"], published["mlp"]]
ours
# %% [markdown]
# `veil lab reproduce` compares whole tables, and says whether figures agree within their joint
# uncertainty.
