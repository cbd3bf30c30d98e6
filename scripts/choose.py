"""Write the table behind `veil choose` from exported sweeps, and from the figures of two pages of docs
where a sweep has none: see scripts/choose.sh.

usage: choose.py OUT CRATE      OUT: folder of scripts/choose.sh; CRATE: crates/veil-learn/src/choose
"""

import csv
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

SWEEPS = {
    "edge": "edge", "rivals": "edge", "dense": "edge", "relationship": "relationship", "labels": "labels", "node": "node",
}  # fmt: skip
EPSILONS = ["0.25", "0.5", "1", "2", "4", "8"]
SPLITS = {"0.5,0.25,0.25": "half", "0.05,0.05,0.9": "few", "0.75,0.1,0.15": "most"}
# Training nodes of the splits that come with graphs; shares of the others.
TRAIN = {"half": 0.5, "few": 0.05, "most": 0.75}
# Cases of docs/frontier.md, as methods with the flags that differ from their defaults, and how many
# reports share the ε of its columns.
CASES = {
    "cascade (ours)": ("cascade", 1),
    "LPGNet-1, Bayes (ours)": ("lpgnet --readout bayes", 1),
    "LPGNet-1": ("lpgnet", 1),
    "GAP": ("gap --hops 1 --width 256 --hidden 256", 1),
    "ProGAP": ("progap --hops 2 --width 256 --hidden 256", 1),
    "DpGCN": ("dpgcn", 1),
    "edge-free (ours)": ("edge-free", 1),
    "MLP": ("mlp", 1),
    "MLP, not private": ("mlp", 1),
    "cascade-local (ours)": ("cascade-local", 1),
    "degree vectors (ours)": ("degree-vectors", 2),
    "Blink, hard": ("blink", 2),
    "degree vectors, 1 round (ours)": ("degree-vectors --rounds 1", 2),
    "degree vectors, 2 rounds (ours)": ("degree-vectors --rounds 2", 2),
    "moments (ours)": ("moments", 1),
    "class sums (ours)": ("class-sums", 1),
    "DP-MLP": ("dp-mlp", 1),
}
SECTIONS = {
    "edge": ("edge", "half"),
    "public-split": ("edge", "public"),
    "relationship": ("relationship", "half"),
    "labels": ("labels", "half"),
    "node": ("node", "most"),
}


def family(name):
    return name.replace("_", "-").split("-")[0]


def facts(out, data, split):
    """The public facts of a graph with a split."""
    info = json.loads((out / "infos" / f"{data}.json").read_text())
    nodes, classes = info["nodes"], info["classes"]
    train = info["split"][0] if split == "public" else nodes * TRAIN[split]
    degree = 2 * info["edges"] / nodes
    return [nodes, classes, info["features"], round(train / classes, 1), round(degree, 2)]


def swept(out):
    """Setting, data, split, method, ε and accuracy of every run."""
    for name, setting in SWEEPS.items():
        table = out / f"{name}.csv"
        if not table.exists():
            continue
        with table.open(newline="") as file:
            for row in csv.DictReader(file):
                if row["error"] or not row["test_accuracy"]:
                    continue
                split = SPLITS[row["split"]] if row.get("split") else {"labels": "half", "node": "most"}[name]
                epsilon = row.get("epsilon") or row.get("epsilon-edges") or "inf"
                yield setting, row["data"], split, row["case"], epsilon, 100 * float(row["test_accuracy"])


def rows_of(text):
    """The tables of a page: heading, column names, cells."""
    heading, columns = "", []
    for line in text.splitlines():
        if line.startswith("#"):
            heading, columns = line.lstrip("# "), []
        elif line.startswith("|"):
            cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
            if not columns:
                columns = cells
            elif not set(cells[0]) <= {"-", " "}:
                yield heading, columns, cells


def published(docs):
    """The same from docs/frontier.md (five seeds) and docs/cascade-floor.md (two)."""
    for heading, columns, cells in rows_of((docs / "frontier.md").read_text()):
        section, _, data = heading.partition(": ")
        if section not in SECTIONS or cells[0] not in CASES:
            continue
        (setting, split), (method, reports) = SECTIONS[section], CASES[cells[0]]
        for column, cell in zip(columns, cells):
            epsilon, mean = re.match(r"ε = ([\d.]+)$", column), re.match(r"[\d.]+", cell)
            if epsilon and mean:
                free = method in ("mlp", "edge-free")
                share = "inf" if free else f"{float(epsilon[1]) / reports:g}"
                yield setting, data, split, method, share, float(mean[0])
    for _, columns, cells in rows_of((docs / "cascade-floor.md").read_text()):
        if columns[0] != "graph":
            continue
        methods = ["mlp", "edge-free", "cascade", "cascade", "cascade"]
        for method, epsilon, cell in zip(methods, ["inf", "inf", "0.25", "1", "8"], cells[1:]):
            yield "edge", cells[0], "half", method, epsilon, float(cell)


def main():
    out, crate = Path(sys.argv[1]), Path(sys.argv[2])
    docs = Path(__file__).parent.parent / "docs"
    graphs, found = {}, defaultdict(lambda: defaultdict(list))
    for source in (swept(out), published(docs)):
        # A cell of the second source counts where the first has none.
        before = {(row, epsilon) for row, cells in found.items() for epsilon in cells}
        for setting, data, split, method, epsilon, accuracy in source:
            # Nodes of a public graph are those of the whole one: see scripts/choose.sh.
            data = data.removesuffix("_parts")
            graph = f"{data}/{split}"
            if epsilon not in ["inf", *EPSILONS] or ((setting, graph, method), epsilon) in before:
                continue
            graphs.setdefault(graph, [family(data), *facts(out, data, split)])
            found[setting, graph, method][epsilon].append(accuracy)
    # Nothing is compared with a reference that was not measured.
    reference = {"edge": "edge-free", "relationship": "edge-free", "node": "mlp"}
    whole = [row for row in found if row[0] not in reference or (*row[:2], reference[row[0]]) in found]
    with (crate / "graphs.csv").open("w", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerow(["graph", "family", "nodes", "classes", "dimensions", "labels_per_class", "mean_degree"])
        write.writerows([name, *rest] for name, rest in sorted(graphs.items()) if any(row[1] == name for row in whole))
    with (crate / "measured.csv").open("w", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerow(["setting", "graph", "method", "inf", *EPSILONS])
        for row in sorted(whole):
            at = found[row]
            cells = [f"{sum(at[it]) / len(at[it]):.1f}" if it in at else "" for it in ["inf", *EPSILONS]]
            write.writerow([*row, *cells])


main()
