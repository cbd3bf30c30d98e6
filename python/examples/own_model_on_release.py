"""Train your own torch model on a release, and compare it with our GCN on the same release.

Features and labels are the users' noisy reports; the graph itself is known, as in LPGNN (Sajadmanesh
and Gatica-Perez 2021). KProp averages the noise of features, and the transition matrix corrects the
loss for the noise of labels. Everything is seeded, so that the comparison can be repeated; your own
release is not. Run: python examples/own_model_on_release.py DATA
"""

import sys
from typing import Any

import numpy as np
import torch
from torch_geometric.nn import GCNConv

import veilgraph as vg

HOPS = 16
SHAPE: dict[str, Any] = {"hidden": 16, "dropout": 0.5, "activation": "selu"}
TRAINING: dict[str, Any] = {"epochs": 100, "lr": 0.01, "weight_decay": 0.001}


class Net(torch.nn.Module):
    """Two graph convolutions with SELU."""

    def __init__(self, columns: int, classes: int) -> None:
        """A network for so many features and classes."""
        super().__init__()
        self.first = GCNConv(columns, SHAPE["hidden"])
        self.second = GCNConv(SHAPE["hidden"], classes)

    def forward(self, x: Any, edges: Any) -> Any:
        """Scores of every node."""
        hidden = torch.nn.functional.selu(self.first(x, edges))
        return self.second(torch.nn.functional.dropout(hidden, SHAPE["dropout"], self.training), edges)


def accuracy(posteriors: Any, labels: np.ndarray[Any, Any], nodes: np.ndarray[Any, Any]) -> float:
    """The share of these nodes that are classified rightly."""
    return float((np.asarray(posteriors).argmax(1)[nodes] == labels[nodes]).mean())


def train(release: vg.Release, seed: int) -> Any:
    """Forward correction (Patrini et al. 2017): the loss is that of the labels as they were released."""
    torch.manual_seed(seed)
    data = release.to_pyg()
    x = torch.from_numpy(vg.kprop(data.edge_index, data.x, HOPS))
    net = Net(x.shape[1], data.transition.shape[0])
    optimiser = torch.optim.Adam(net.parameters(), lr=TRAINING["lr"], weight_decay=TRAINING["weight_decay"])
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, TRAINING["epochs"])
    nodes = data.train_mask & (data.y >= 0)
    for _ in range(TRAINING["epochs"]):
        net.train()
        optimiser.zero_grad()
        shares = torch.softmax(net(x, data.edge_index), 1) @ data.transition
        torch.nn.functional.nll_loss(torch.log(shares[nodes] + 1e-20), data.y[nodes]).backward()
        optimiser.step()
        schedule.step()
    net.eval()
    with torch.no_grad():
        return torch.softmax(net(x, data.edge_index), 1).numpy()


def compare(data: Any, seeds: int = 3) -> tuple[float, float]:
    """The mean accuracies of our GCN and of the torch model, on the same releases."""
    both = []
    for seed in range(1, seeds + 1):
        split = vg.dataset(data).split(0.5, 0.25, 0.25, seed=seed)
        release = vg.privatize(
            split,
            method="gnn",
            epsilon_features=3,
            epsilon_labels=3,
            declare_public="nodes,dimensions,classes,split",
            range=(0, 1),
            seed=seed,
        )
        ours = vg.GNN(kx=HOPS, select="last", **SHAPE, **TRAINING).train(release, truth=split, seed=seed)
        labels, test = split.y, split.test_mask
        assert labels is not None
        assert test is not None
        both.append((ours.test_accuracy or 0.0, accuracy(train(release, seed), labels, test)))
        print(f"seed {seed}: our GCN {both[-1][0]:.3f}, torch {both[-1][1]:.3f}")
    ours_mean, theirs_mean = (sum(column) / len(both) for column in zip(*both, strict=True))
    print(f"mean: our GCN {ours_mean:.3f}, torch {theirs_mean:.3f}, difference {theirs_mean - ours_mean:+.3f}")
    return ours_mean, theirs_mean


if __name__ == "__main__":
    compare(sys.argv[1] if len(sys.argv) > 1 else vg.generate("citation", nodes=1000))
