"""What keeping Adam's state from teacher to teacher does to PrivGNN (docs/reproduction.md, Table 2), in PyTorch.

    veil data split-private amazon_computers --private-per-class 250 --public-train 3000 --public-test 3000 --seed 1 --overlapping --out parts
    target/venv/bin/python scripts/privgnn_teachers.py parts labels --teachers 12
    target/venv/bin/python scripts/privgnn_teachers.py parts students --teachers 16

Each teacher learns from 750 random private nodes and is asked about a share of the public training nodes; Laplace noise of scale 1/λ is added to its log-posteriors.
"""

import argparse
import copy
import gzip
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

FEATURES, CLASSES, HIDDEN, SAMPLE, STEPS = 767, 10, 64, 750, 500


def table(path):
    file = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
    return np.loadtxt(file, delimiter=",", skiprows=1, dtype=int)


def load(folder):
    """Features, edges in both directions, labels, and who is for training."""
    labels, edges, set_features = table(folder / "labels.csv")[:, 1], table(folder / "edges.csv").T, table(folder / "features.csv.gz")
    features = np.zeros((len(labels), FEATURES), np.float32)
    features[set_features[:, 0], set_features[:, 1]] = 1
    parts = np.array([line.strip().split(",")[1] for line in (folder / "splits.csv").read_text().splitlines()[1:]])
    return torch.tensor(features), np.concatenate([edges, edges[::-1]], 1), torch.tensor(labels), parts


def means(edges, nodes):
    """The matrix that takes the mean over neighbours."""
    degrees = np.maximum(np.bincount(edges[0], minlength=nodes), 1)
    weights = torch.tensor(1.0 / degrees[edges[0]], dtype=torch.float32)
    return torch.sparse_coo_tensor(torch.tensor(edges.copy()), weights, (nodes, nodes)).coalesce()


def among(edges, kept, nodes):
    place = -np.ones(nodes, int)
    place[kept] = np.arange(len(kept))
    inside = (place[edges[0]] >= 0) & (place[edges[1]] >= 0)
    return place[edges[:, inside]]


class Sage(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        widths = [FEATURES] + [HIDDEN] * (layers - 1) + [CLASSES]
        pairs = list(zip(widths, widths[1:]))
        self.neighbours = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairs)
        self.own = torch.nn.ModuleList(torch.nn.Linear(a, b, bias=False) for a, b in pairs)
        self.norms = torch.nn.ModuleList(torch.nn.BatchNorm1d(HIDDEN) for _ in range(layers - 1))

    def reset(self):
        for part in [*self.neighbours, *self.own, *self.norms]:
            part.reset_parameters()

    def forward(self, x, first, mean):
        for layer in range(len(self.own)):
            x = self.neighbours[layer](first if layer == 0 else mean @ x) + self.own[layer](x)
            if layer < len(self.norms):
                x = F.dropout(F.relu(self.norms[layer](x)), 0.5, self.training)
        return x


def fit(net, adam, x, mean, nodes, labels):
    first = mean @ x
    for _ in range(STEPS):
        net.train()
        adam.zero_grad()
        F.cross_entropy(net(x, first, mean)[nodes], labels).backward()
        adam.step()
    net.eval()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("parts", type=pathlib.Path)
    arguments.add_argument("what", choices=["labels", "students"])
    arguments.add_argument("--layers", type=int, default=2)
    arguments.add_argument("--teachers", type=int, default=12)
    arguments = arguments.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random = np.random.default_rng(1)
    x, edges, y, _ = load(arguments.parts / "private")
    public_x, public_edges, public_y, parts = load(arguments.parts / "public")
    public_mean = means(public_edges, len(public_y))
    public_first = public_mean @ public_x
    train, test = (torch.tensor(np.where(parts == part)[0]) for part in ("train", "test"))
    queries = train[torch.randperm(len(train))[:1000]]
    asked = queries if arguments.what == "students" else train
    truth = public_y[asked].numpy()
    new_adam = lambda net: torch.optim.Adam(net.parameters(), 0.01)

    for kept in [True] if arguments.what == "students" else [True, False]:
        net = Sage(arguments.layers)
        adam = new_adam(net)
        said, owner = torch.zeros(len(asked), CLASSES), random.integers(arguments.teachers, size=len(asked))
        for teacher in range(arguments.teachers):
            sample = random.choice(len(y), SAMPLE, replace=False)
            adam = adam if kept else new_adam(net)
            fit(net, adam, x[sample], means(among(edges, sample, len(y)), SAMPLE), torch.arange(SAMPLE), y[sample])
            with torch.no_grad():
                answers = net(public_x, public_first, public_mean).log_softmax(-1)
            own = owner == teacher
            said[own] = answers[asked[own]]
            net.reset()
        noisy = lambda rate: (said.numpy() + random.laplace(0, 1 / rate, said.shape)).argmax(1)
        right = lambda rate: np.mean([(noisy(rate) == truth).mean() for _ in range(10)])
        how = "kept" if kept else "new for each teacher"
        print(f"Adam {how}: right without noise {(said.argmax(1).numpy() == truth).mean():.3f}", end="")
        print("".join(f", λ = {rate}: {right(rate):.3f}" for rate in (0.2, 0.4, 1.0)), flush=True)
        for rate in (0.4, 1.0, 0.2) if arguments.what == "students" else ():
            labels = torch.tensor(noisy(rate))
            for _ in range(2):
                student = Sage(arguments.layers)
                optimiser = new_adam(student)
                optimiser.load_state_dict(copy.deepcopy(adam.state_dict()))
                fit(student, optimiser, public_x, public_mean, queries, labels)
                with torch.no_grad():
                    correct = student(public_x, public_first, public_mean).argmax(1) == public_y
                print(f"  student at λ = {rate}: {correct[test].float().mean():.3f}", flush=True)


if __name__ == "__main__":
    main()
