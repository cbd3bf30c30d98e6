"""Writes the tables of docs/reproduction.md from target/reproduce/*.jsonl (made by scripts/reproduce.py) and experiments/published.

    python3 scripts/reproduction.py

What stands between <!-- begin NAME --> and <!-- end NAME --> is replaced; the words around it are written by hand.
"""

import collections
import csv
import json
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "target/reproduce"
PAGE = ROOT / "docs/reproduction.md"
MODELS = ["gcn", "sage", "gat", "gatv2", "gt", "gconv"]


def rows(name):
    lines = (RESULTS / f"{name}.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    broken = [row for row in found if "error" in row]
    assert not broken, broken[0]
    return found


def groups(name, *keys):
    grouped = collections.defaultdict(list)
    for row in rows(name):
        grouped[tuple(str(row[key]) for key in keys)].append(row)
    return grouped


def published(name):
    return list(csv.DictReader((ROOT / "experiments/published" / f"{name}.csv").open()))


def mean(group, key):
    return 100 * statistics.mean(row[key] for row in group)


def deviation(group, key):
    return 100 * statistics.stdev(row[key] for row in group)


def shown(group, key):
    return f"{mean(group, key):.1f} ± {deviation(group, key):.1f}"


def table(header, lines):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(line) + " |" for line in lines])


def difference(ours, theirs, limit):
    gap = ours - theirs
    return f"{gap:+.1f}" + ("" if abs(gap) <= limit else " **miss**")


def table_6():
    ours = groups("graphprivatizer-table-6", "case", "model")
    theirs = {row["model"]: row for row in published("graphprivatizer_table_6") if row["dataset"] == "cora"}
    names = {"inf": "ε = ∞", "gp": "GP-t, ε = 0.1", "rr": "two-hop RR, ε = 0.1"}
    lines = []
    for case, name in names.items():
        for model in MODELS:
            group, row = ours[case, model], theirs[model]
            accuracy, auc = float(row[f"acc_{case}"]), float(row[f"auc_{case}"])
            # The paper attacks GraphSAGE by link stealing.
            attack = "lsa2" if model == "sage" else "linkteller"
            lines.append([
                name, model,
                shown(group, "test_accuracy"), f"{accuracy} ± {row[f'acc_{case}_std']}",
                difference(mean(group, "test_accuracy"), accuracy, 5 if model == "gconv" else 2),
                shown(group, attack) + (" (LSA2)" if model == "sage" else ""), f"{auc} ± {row[f'auc_{case}_std']}",
                difference(mean(group, attack), auc, 4),
                shown(group, "linkteller_default"), shown(group, "lsa"), shown(group, "lsa_edge_free"),
            ])
    header = ["edges", "model", "accuracy", "published", "Δ", "attack as published", "published", "Δ", "LinkTeller, our defaults", "LSA", "LSA, edge-free twin"]
    return table(header, lines)


def tables_8_12():
    ours = groups("graphprivatizer-tables-8-12", "case", "model", "epsilon-edges")
    lines = []
    for row in published("graphprivatizer_tables_8_12"):
        key = (row["strategy"], row["model"], re.sub(r"\.0$", "", row["epsilon"]))
        if row["dataset"] != "cora" or key not in ours:
            continue
        accuracy, auc = float(row["acc_alpha0_delta0"]), float(row["auc_alpha0_delta0"])
        lines.append([
            *key,
            shown(ours[key], "test_accuracy"), f"{accuracy}", difference(mean(ours[key], "test_accuracy"), accuracy, 2),
            shown(ours[key], "linkteller"), f"{auc}", f"{mean(ours[key], 'linkteller') - auc:+.1f}",
        ])
    lines.sort(key=lambda line: (line[1], line[0], float(line[2])))
    return table(["strategy", "model", "ε", "accuracy", "published", "Δ", "LinkTeller", "published", "Δ"], lines)


def heat_maps():
    ours = groups("graphprivatizer-heat-maps", "case", "similarity", "alpha", "delta")
    alphas, deltas = ["0", "0.25", "0.5", "0.75", "1"], ["0", "0.1", "0.25", "0.5", "1"]
    parts = []
    for case in ["GP-t", "GP-m"]:
        for key, what in [("test_accuracy", "accuracy"), ("linkteller", "LinkTeller AUC")]:
            lines = []
            for delta in deltas:
                cells = [f"{mean(ours[case, reading, alpha, delta], key):.1f}" for reading in ("reference", "paper") for alpha in alphas]
                lines.append([delta, *cells])
            header = ["δ \\ α", *[f"reference {alpha}" for alpha in alphas], *[f"paper {alpha}" for alpha in alphas]]
            parts.append(f"{case}, {what}:\n\n" + table(header, lines))
    averaged = []
    for row in published("graphprivatizer_tables_8_12"):
        if (row["dataset"], row["model"], row["epsilon"]) == ("cora", "gcn", "0.1"):
            for reading in ("reference", "paper"):
                cells = [ours[row["strategy"], reading, alpha, delta] for alpha in alphas[1:] for delta in deltas[1:]]
                accuracy = statistics.mean(mean(cell, "test_accuracy") for cell in cells)
                auc = statistics.mean(mean(cell, "linkteller") for cell in cells)
                averaged.append([row["strategy"], reading, f"{accuracy:.1f}", row["acc_mean_alpha_delta_positive"], f"{auc:.1f}", row["auc_mean_alpha_delta_positive"]])
    parts.append("Mean over the cells with α, δ > 0, beside the published mean (Tables 8 to 12):\n\n"
                 + table(["strategy", "reading", "accuracy", "published", "LinkTeller", "published"], averaged))
    return "\n\n".join(parts)


def curves(name):
    ours = groups(name, "case", "epsilon-edges")
    cases = list(dict.fromkeys(case for case, _ in ours))
    epsilons = sorted({epsilon for _, epsilon in ours if epsilon != "inf"}, key=float)
    lines = []
    for case in cases:
        if (case, "inf") in ours:
            lines.append([case, *[""] * (len(epsilons) - 1), shown(ours[case, "inf"], "test_accuracy")])
        else:
            lines.append([case, *[shown(ours[case, epsilon], "test_accuracy") for epsilon in epsilons]])
    return table(["what is released of the edges", *[f"ε = {epsilon}" for epsilon in epsilons]], lines)


def main():
    parts = {
        "table-6": table_6,
        "tables-8-12": tables_8_12,
        "heat-maps": heat_maps,
        "degree-vectors-cora": lambda: curves("degree-vectors-cora"),
        "degree-vectors-amazon": lambda: curves("degree-vectors-amazon"),
    }
    page = PAGE.read_text()
    for name, make in parts.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        before, rest = page.split(begin)
        _, after = rest.split(end)
        page = f"{before}{begin}\n\n{make()}\n\n{end}{after}"
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
