"""Times the work of `veil bench nn` in PyTorch Geometric on one thread, and sets both side by side.

    python scripts/bench_pyg.py [--only NAME] [--big] [--json] [--veil target/release/veil]

PyG gets its faster form: a list of edges and a CSR matrix are both timed where a layer takes both, and memory is kept
between tensors instead of being returned to the system.
"""

import argparse
import ctypes
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from torch_geometric.nn import GATConv, GCNConv, SAGEConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import coalesce, to_torch_csr_tensor

WARM_UP, EPOCHS, SECONDS = 2, 20, 5.0
IN_SECONDS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def keep_freed_memory():
    """Without it glibc maps and unmaps every large tensor, and page faults take about a fifth of GAT's time."""
    if platform.libc_ver()[0] == "glibc":
        libc, trim_threshold, mmap_max = ctypes.CDLL(None), -1, -4
        libc.mallopt(mmap_max, 0)
        libc.mallopt(trim_threshold, 2**31 - 1)


def symmetric_edges(nodes, directed):
    """Uniform pairs in both directions, exactly as many as asked, no self loops, sorted as PyG's data sets are."""
    pairs = torch.empty(0, dtype=torch.long)
    while len(pairs) < directed // 2:
        ends = torch.randint(nodes, (directed, 2)).sort(dim=1).values
        ends = ends[ends[:, 0] != ends[:, 1]]
        pairs = torch.cat([pairs, ends[:, 0] * nodes + ends[:, 1]]).unique()
    pairs = pairs[torch.randperm(len(pairs))[: directed // 2]]
    one_way = torch.stack([pairs // nodes, pairs % nodes])
    return coalesce(torch.cat([one_way, one_way.flip(0)], dim=1))


def power_law_edges(nodes, directed):
    """Sources with a heavy tail (a node's chance falls as rank^-1/2), targets uniform."""
    sources = (torch.rand(directed, dtype=torch.float64).square() * nodes).long()
    return torch.stack([torch.randperm(nodes)[sources], torch.randint(nodes, (directed,))])


def receiving(edges, nodes, values=None):
    """Row = receiver, in CSR: what PyG calls adj_t."""
    return to_torch_csr_tensor(edges.flip(0), values, size=(nodes, nodes))


def propagated_reports(edges, nodes, features, hops):
    """Rows that are 0.5 but for one entry (a one-bit report), propagated once as the published code does."""
    x = torch.full((nodes, features), 0.5)
    signs = torch.randint(0, 2, (nodes,)) * 2 - 1
    x[torch.arange(nodes), torch.randint(features, (nodes,))] = 0.5 + signs * 0.55 * features
    edges, weights = gcn_norm(edges, num_nodes=nodes, add_self_loops=False)
    matrix = receiving(edges, nodes, weights)
    for _ in range(hops):
        x = matrix @ x
    return x


class TwoLayers(nn.Module):
    def __init__(self, first, second, activation, norm=None):
        super().__init__()
        self.first, self.second, self.norm = first, second, norm or nn.Identity()
        self.activation = activation

    def forward(self, x, edges):
        x = self.activation(self.norm(self.first(x, edges)))
        return self.second(functional.dropout(x, 0.5, self.training), edges)


def gcn(features, classes):
    return TwoLayers(GCNConv(features, 16, cached=True), GCNConv(16, classes, cached=True), torch.selu)


def gat(features, classes):
    return TwoLayers(GATConv(features, 16, heads=4), GATConv(64, classes, heads=1), torch.selu)


def sage(features, classes):
    return TwoLayers(SAGEConv(features, 64), SAGEConv(64, classes), torch.relu, nn.BatchNorm1d(64))


def epoch_of(model, x, edges, labels, training, validation=None):
    """One training step and, if asked, a forward pass with loss and accuracy on the validation nodes."""
    adam = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-3)

    def epoch():
        model.train()
        adam.zero_grad()
        functional.cross_entropy(model(x, edges)[training], labels[training]).backward()
        adam.step()
        if validation is not None:
            model.eval()
            with torch.no_grad():
                output = model(x, edges)[validation]
                functional.cross_entropy(output, labels[validation]).item()
                (output.argmax(dim=1) == labels[validation]).double().mean().item()

    return epoch


def fastest_call(work):
    """Seconds of the fastest call, after a warm-up: what else runs only adds to it. `veil bench nn` does the same."""
    for _ in range(WARM_UP):
        work()
    times = []
    while len(times) < EPOCHS and sum(times) < SECONDS or len(times) < 3:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def node_classification(network, nodes, directed, features, classes, hops, both_forms=True):
    """Half of the nodes train, a quarter validates."""
    edges = symmetric_edges(nodes, directed)
    x = propagated_reports(edges, nodes, features, hops)
    labels = torch.randint(classes, (nodes,))
    training, validation, _ = torch.randperm(nodes).split([nodes // 2, nodes // 4, nodes - nodes // 2 - nodes // 4])
    forms = {"edges": edges} | ({"csr": receiving(edges, nodes)} if both_forms else {})
    return fastest({
        form: fastest_call(epoch_of(network(features, classes), x, graph, labels, training, validation))
        for form, graph in forms.items()
    })  # fmt: skip


def fastest(seconds):
    form = min(seconds, key=seconds.get)
    return seconds[form], form


def privgnn_teacher():
    """Seconds for 500 training steps, from the fastest of a few: they are all alike."""
    nodes, features, classes = 750, 767, 10
    edges = symmetric_edges(nodes, nodes * 12)
    x, labels, everyone = torch.randn(nodes, features), torch.randint(classes, (nodes,)), torch.arange(nodes)
    seconds, form = fastest({
        form: fastest_call(epoch_of(sage(features, classes), x, graph, labels, everyone))
        for form, graph in {"edges": edges, "csr": receiving(edges, nodes)}.items()
    })  # fmt: skip
    return 500 * seconds, form


def million():
    nodes = 1_000_000
    return nodes, power_law_edges(nodes, 20_000_000)


def spmm_million():
    nodes, edges = million()
    matrix, x = receiving(edges, nodes), torch.randn(nodes, 64)
    return fastest_call(lambda: matrix @ x), "csr"


def gcn_step_million():
    """Training step alone. CSR only: the list of edges makes a message of 5 GB."""
    nodes, edges = million()
    matrix = receiving(edges, nodes)
    x, labels, everyone = torch.randn(nodes, 64), torch.randint(16, (nodes,)), torch.arange(nodes)
    model = TwoLayers(GCNConv(64, 64, cached=True), GCNConv(64, 16, cached=True), torch.selu)
    return fastest_call(epoch_of(model, x, matrix, labels, everyone)), "csr"


FACEBOOK = {"nodes": 22470, "directed": 341824, "features": 4714, "classes": 4, "hops": 4}
SMALL = {
    "cora-gcn": ("ms", lambda: node_classification(gcn, 2708, 10556, 1433, 7, hops=16)),
    "lastfm-gcn": ("ms", lambda: node_classification(gcn, 7083, 51628, 7842, 18, hops=16)),
    "facebook-gcn": ("ms", lambda: node_classification(gcn, **FACEBOOK)),
    # Attention needs the edges themselves.
    "facebook-gat": ("ms", lambda: node_classification(gat, **FACEBOOK, both_forms=False)),
    "privgnn-teacher": ("s", privgnn_teacher),
}
BIG = {"spmm-1m": ("ms", spmm_million), "gcn-step-1m": ("ms", gcn_step_million)}


def veil_figures(binary):
    """Seconds by name; none if the binary is absent or does not know the bench."""
    if not binary.exists():
        print(f"{binary} is absent: PyG alone (cargo build --release makes it)", file=sys.stderr)
        return {}
    # One thread, as for PyG.
    environment = os.environ | {"RAYON_NUM_THREADS": "1"}
    answer = subprocess.run([binary, "bench", "nn", "--json"], capture_output=True, text=True, env=environment)
    if answer.returncode != 0:
        print(f"{binary} bench nn failed: {answer.stderr.strip()}", file=sys.stderr)
        return {}
    figures = [figure for figure in json.loads(answer.stdout) if figure["unit"] in IN_SECONDS]
    return {figure["name"]: figure["value"] * IN_SECONDS[figure["unit"]] for figure in figures}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", choices=[*SMALL, *BIG])
    parser.add_argument("--big", action="store_true", help="also the graph of a million nodes")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--veil", type=Path, default=Path("target/release/veil"))
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message=".*(beta state|Sparse invariant).*")
    keep_freed_memory()
    torch.set_num_threads(1)
    torch.manual_seed(0)

    cases = SMALL | (BIG if options.big else {})
    if options.only:
        cases = {options.only: (SMALL | BIG)[options.only]}
    ours = veil_figures(options.veil)
    rows = []
    for name, (unit, work) in cases.items():
        seconds, form = work()
        row = {"name": name, "unit": unit, "pyg": seconds / IN_SECONDS[unit], "form": form}
        if name in ours:
            row |= {"veil": ours[name] / IN_SECONDS[unit], "ratio": seconds / ours[name]}
        rows.append(row)
        print(f"{name}: done", file=sys.stderr)

    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'name':<16} {'unit':>4} {'PyG':>10} {'veil':>10} {'ratio':>7}   PyG's faster form")
    for row in rows:
        veil = f"{row['veil']:>10.2f} {row['ratio']:>6.1f}x" if "veil" in row else f"{'-':>10} {'-':>7}"
        print(f"{row['name']:<16} {row['unit']:>4} {row['pyg']:>10.2f} {veil}   {row['form']}")


if __name__ == "__main__":
    main()
