# %% [markdown]
# # A first private model
# A ledger with a budget, a model that is trained on what was released alone, and the statement that
# can be published. The data here are generated; a path, PyG's `Data`, a NetworkX graph or tables do
# as well.
# %%
import tempfile

import veilgraph as vg

home = tempfile.mkdtemp()
graph = vg.generate("citation", nodes=1000, seed=1)
graph
# %%
book = vg.Ledger.create(f"{home}/book.db", {"edge": 8})
run = vg.LPGNet(epsilon_edges=4, stages=2).train(graph, ledger=book, out=f"{home}/run")
run
# %% [markdown]
# The answers about these nodes cost nothing more. They come as a structured array, and as tables.
# %%
run.predict().to_pandas().head()
# %% [markdown]
# What was spent, and what is left. A release that the ledger cannot pay is refused, and nothing of it
# leaves.
# %%
try:
    vg.LPGNet(epsilon_edges=5).train(graph, ledger=book)
except vg.BudgetError as error:
    print(error)
book
# %%
print(run.statement)
