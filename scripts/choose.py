"""Write the table behind `veil choose` from exported sweeps: see scripts/choose.sh.

usage: choose.py OUT CRATE      OUT: folder of scripts/choose.sh; CRATE: crates/veil-learn/src/choose
"""

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

SETTINGS = {"edge": "edge", "rivals": "edge", "dense": "edge", "relationship": "relationship", "labels": "labels", "node": "node"}
EPSILONS = ["0.5", "1", "2", "4", "8"]
SPLITS = {"0.5,0.25,0.25": "half", "0.05,0.05,0.9": "few", "0.75,0.1,0.15": "most"}


def family(name):
    return name.replace("_", "-").split("-")[0]


def facts(out, data, split):
    """The public facts of a graph with a split."""
    info = json.loads((out / "infos" / f"{data}.json").read_text())
    nodes, classes = info["nodes"], info["classes"]
    train = float(split.split(",")[0])
    degree = 2 * info["edges"] / nodes
    return [nodes, classes, info["features"], round(nodes * train / classes, 1), round(degree, 2)]


def main():
    out, crate = Path(sys.argv[1]), Path(sys.argv[2])
    graphs, found = {}, defaultdict(lambda: defaultdict(list))
    for name, setting in SETTINGS.items():
        table = out / f"{name}.csv"
        if not table.exists():
            continue
        with table.open(newline="") as file:
            for row in csv.DictReader(file):
                if row["error"] or not row["test_accuracy"]:
                    continue
                # Nodes of a public graph are those of the whole one: see scripts/choose.sh.
                data = row["data"].removesuffix("_parts")
                split = row.get("split") or {"labels": "0.5,0.25,0.25", "node": "0.75,0.1,0.15"}[name]
                graph = f"{data}/{SPLITS[split]}"
                graphs.setdefault(graph, [family(data), *facts(out, data, split)])
                # A method without an ε of its own.
                epsilon = row.get("epsilon") or row.get("epsilon-edges") or "inf"
                accuracy = 100 * float(row["test_accuracy"])
                found[setting, graph, row["case"]][epsilon].append(accuracy)
    with (crate / "graphs.csv").open("w", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerow(["graph", "family", "nodes", "classes", "dimensions", "labels_per_class", "mean_degree"])
        write.writerows([name, *rest] for name, rest in sorted(graphs.items()))
    with (crate / "measured.csv").open("w", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerow(["setting", "graph", "method", "inf", *EPSILONS])
        for (setting, graph, method), at in sorted(found.items()):
            cells = [f"{sum(at[it]) / len(at[it]):.1f}" if it in at else "" for it in ["inf", *EPSILONS]]
            write.writerow([setting, graph, method, *cells])


main()
