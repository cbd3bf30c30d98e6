# %% [markdown]
# # Reproduce a published table
# A part of LPGNet's figures on Cora (Kolluri et al. 2022), with fewer seeds, beside those of the
# paper (`experiments/published/lpgnet.csv`). Without the data it runs on a generated graph, whose
# figures are then not comparable.
# %%
import os
import tempfile
from pathlib import Path

import pandas

import veilgraph as vg

place = Path(os.environ.get("VEIL_DATA", "../../../shared/data")) / "cora"
data = vg.open(place) if place.exists() else vg.generate("citation", nodes=1000, seed=1)
data
# %%
cases = [
    {"name": "mlp", "method": "mlp", "grid": {"epsilon_edges": ["inf"]}},
    {"name": "lpgnet-1", "method": "lpgnet", "stages": 1, "grid": {"epsilon_edges": [4]}},
]
found = vg.sweep(f"{tempfile.mkdtemp()}/table", {"cora": data}, cases=cases, seeds=2)
runs = found.to_pandas().astype({"epsilon-edges": float})
ours = runs.groupby(["case", "epsilon-edges"])["test_accuracy"].agg(["mean", "std"]).reset_index()
ours
# %% [markdown]
# Micro-F1 of single labels is accuracy.
# %%
published = pandas.read_csv("../../experiments/published/lpgnet.csv").query(
    "dataset == 'cora' and metric == 'micro_f1'"
)
ours.merge(
    published, left_on=["case", "epsilon-edges"], right_on=["method", "epsilon"], suffixes=(" (ours)", " (published)")
)[["method", "epsilon", "mean (ours)", "std (ours)", "mean (published)", "std (published)"]]
# %% [markdown]
# `veil lab reproduce` compares whole tables, and says whether figures agree within their joint
# uncertainty.
