"""Writes the tables of docs/reproduction.md from what sweeps gave (target/reproduce/*.csv) and experiments/published.

    target/release/veil sweep experiments/lpgnet.toml --data cora=PATH --data citeseer=PATH --out target/reproduce/lpgnet
    target/release/veil sweep export target/reproduce/lpgnet --csv target/reproduce/lpgnet.csv
    python3 scripts/reproduction.py

What `veil reproduce` ran is a sweep too: for Table 6

    target/release/veil reproduce graphprivatizer/table-6 --data cora=PATH --seeds 10 --out target/reproduce/graphprivatizer-table-6
    target/release/veil sweep export target/reproduce/graphprivatizer-table-6 --csv target/reproduce/graphprivatizer-table-6.csv

What stands between <!-- begin NAME --> and <!-- end NAME --> is replaced; the words around it are written by hand.
"""

import collections
import csv
import json
import math
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "target/reproduce"
PAGE = ROOT / "docs/reproduction.md"
SOURCES = {"table-6": "graphprivatizer-table-6", "tables-8-12": "graphprivatizer-tables-8-12", "heat-maps": "graphprivatizer-heat-maps", "lpgnet-attacks": "lpgnet"}
MODELS = ["gcn", "sage", "gat", "gatv2", "gt", "gconv"]


def rows(name):
    found = list(csv.DictReader((RESULTS / f"{name}.csv").open()))
    broken = [row for row in found if row["error"]]
    assert not broken, broken[0]
    return found


def groups(name, *keys):
    grouped = collections.defaultdict(list)
    for row in rows(name):
        grouped[tuple(row[key] for key in keys)].append(row)
    return grouped


def published(name):
    return list(csv.DictReader((ROOT / "experiments/published" / f"{name}.csv").open()))


def mean(group, key):
    return 100 * statistics.mean(float(row[key]) for row in group)


def deviation(group, key):
    return 100 * statistics.stdev(float(row[key]) for row in group)


def shown(group, key):
    return f"{mean(group, key):.1f} ± {deviation(group, key):.1f}"


def table(header, lines):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(line) + " |" for line in lines])


def difference(ours, theirs, limit):
    gap = ours - theirs
    return f"{gap:+.1f}" + ("" if abs(gap) <= limit else " **miss**")


def joint(ours, n, theirs, runs):
    """How large a difference chance explains: crates/veil-lab/src/statistics/joint.rs."""
    return 1.96 * math.sqrt(ours**2 / n + theirs**2 / runs)


def agreeing(lines):
    """What is said under a table whose misses are marked."""
    cells = [cell for line in lines for cell in line if re.match(r"[+-]\d+\.\d", cell)]
    agree = sum("miss" not in cell for cell in cells)
    return f"{agree} of {len(cells)} figures agree within the joint uncertainty, 1.96·√(s₁²/n₁ + s₂²/n₂); **miss** marks the others."


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
            attack = "lsa2_auc" if model == "sage" else "linkteller_auc"
            # The paper has ten runs.
            limit = lambda key, column: joint(deviation(group, key), len(group), float(row[column]), 10)
            lines.append([
                name, model,
                shown(group, "test_accuracy"), f"{accuracy} ± {row[f'acc_{case}_std']}",
                difference(mean(group, "test_accuracy"), accuracy, limit("test_accuracy", f"acc_{case}_std")),
                shown(group, attack) + (" (LSA2)" if model == "sage" else ""), f"{auc} ± {row[f'auc_{case}_std']}",
                difference(mean(group, attack), auc, limit(attack, f"auc_{case}_std")),
                shown(group, "linkteller_default_auc"), shown(group, "lsa_auc"), shown(group, "lsa_auc_edge_free"),
            ])
    header = ["edges", "model", "accuracy", "published", "Δ", "attack as published", "published", "Δ", "LinkTeller, our defaults", "LSA", "LSA, edge-free twin"]
    return table(header, lines) + "\n\n" + agreeing(lines)


def tables_8_12():
    ours = groups("graphprivatizer-tables-8-12", "case", "model", "epsilon-edges")
    lines = []
    for row in published("graphprivatizer_tables_8_12"):
        key = (row["strategy"], row["model"], re.sub(r"\.0$", "", row["epsilon"]))
        if row["dataset"] != "cora" or key not in ours:
            continue
        accuracy, auc = float(row["acc_alpha0_delta0"]), float(row["auc_alpha0_delta0"])
        attack = "lsa2_auc" if row["model"] == "sage" else "linkteller_auc"
        lines.append([
            *key,
            shown(ours[key], "test_accuracy"), f"{accuracy}", difference(mean(ours[key], "test_accuracy"), accuracy, 2),
            shown(ours[key], attack), f"{auc}", f"{mean(ours[key], attack) - auc:+.1f}",
        ])
    lines.sort(key=lambda line: (line[1], line[0], float(line[2])))
    return table(["strategy", "model", "ε", "accuracy", "published", "Δ", "attack as published", "published", "Δ"], lines)


def heat_maps():
    # The page shows GCN; its maps of other networks are `veil reproduce`'s.
    ours = collections.defaultdict(list)
    for row in rows("graphprivatizer-heat-maps"):
        if (row.get("model") or "gcn") == "gcn" and (row.get("epsilon-edges") or "0.1") == "0.1":
            ours[row["case"], row["similarity"], row["alpha"], row["delta"]].append(row)
    alphas, deltas = ["0", "0.25", "0.5", "0.75", "1"], ["0", "0.1", "0.25", "0.5", "1"]
    parts = []
    for case in ["GP-t", "GP-m"]:
        for key, what in [("test_accuracy", "accuracy"), ("linkteller_auc", "LinkTeller AUC")]:
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
                auc = statistics.mean(mean(cell, "linkteller_auc") for cell in cells)
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


def of_lpgnet(data, metric):
    """(method, ε) → published mean, in percent."""
    rows = [row for row in published("lpgnet") if (row["dataset"], row["metric"]) == (data, metric)]
    return {(row["method"], re.sub(r"\.0$", "", row["epsilon"])): 100 * float(row["mean"]) for row in rows}


# In the published table the GCN is DpGCN without privacy.
PUBLISHED_NAME = {"gcn": "dpgcn"}
LPGNET = ["mlp", "gcn", "dpgcn", "lpgnet-1", "lpgnet-2", "lpgnet-3", "bayes"]


def beside(group, key, theirs, limit):
    """Ours, and in brackets the published mean with the difference."""
    if theirs is None:
        return shown(group, key)
    return f"{shown(group, key)} ({theirs:.1f}, {difference(mean(group, key), theirs, limit)})"


def lpgnet(name="lpgnet", methods=LPGNET):
    ours = groups(name, "data", "case", "epsilon-edges")
    epsilons = ["inf", "1", "2", "4", "8"]
    lines = []
    for data in ("cora", "citeseer"):
        theirs = of_lpgnet(data, "micro_f1")
        for case in methods:
            cells = []
            for epsilon in epsilons:
                group = ours.get((data, case, epsilon))
                # Ours is another method: the better of the two published ones stands beside it.
                value = theirs.get((PUBLISHED_NAME.get(case, case), epsilon))
                if case == "bayes":
                    best = max(theirs["lpgnet-1", epsilon], theirs["lpgnet-2", epsilon])
                    cells.append(f"**{shown(group, 'test_accuracy')}** (best published: {best:.1f})" if group else "")
                else:
                    cells.append(beside(group, "test_accuracy", value, 2 if epsilon == "inf" else 3) if group else "")
            lines.append([data, case, *cells])
    return table(["data", "method", *["ε = ∞" if epsilon == "inf" else f"ε = {epsilon}" for epsilon in epsilons]], lines)


def lpgnet_attacks():
    ours = groups("lpgnet", "data", "case", "epsilon-edges")
    lines = []
    for data in ("cora", "citeseer"):
        teller, similar = of_lpgnet(data, "linkteller_auc"), of_lpgnet(data, "lpa_auc")
        for case in LPGNET:
            for epsilon in ("inf", "4"):
                group = ours.get((data, case, epsilon))
                if not group:
                    continue
                key = (PUBLISHED_NAME.get(case, case), epsilon)
                lines.append([
                    data, case, "∞" if epsilon == "inf" else epsilon,
                    beside(group, "linkteller_auc", teller.get(key), 1), beside(group, "lpa_published_auc", similar.get(key), 3),
                    shown(group, "lpa_published_auc_edge_free"), shown(group, "lpa_auc"),
                ])
    return table(["data", "method", "ε", "LinkTeller AUC", "LPA AUC as published", "the same, edge-free twin", "LPA AUC, our default"], lines)


def lpgnet_grid():
    """For each data set and method the setting with the lowest validation loss, which is how the authors chose."""
    ours = groups("lpgnet-grid", "data", "case", "layers", "hidden", "lr", "dropout")
    lines = []
    for data in ("cora", "citeseer"):
        for case in ("mlp", "gcn", "lpgnet-1", "lpgnet-2"):
            rated = [(statistics.mean(float(row["validation_loss"]) for row in group), key[2:], group) for key, group in ours.items() if key[:2] == (data, case)]
            loss, (layers, hidden, rate, dropout), group = min(rated, key=lambda it: it[0])
            lines.append([data, case, str(len(rated)), layers, hidden, rate, dropout, f"{loss:.3f}", shown(group, "test_accuracy")])
    return table(["data", "method", "settings tried", "layers", "hidden", "lr", "dropout", "validation loss", "micro-F1"], lines)


def twitch():
    ours = groups("lpgnet-twitch", "scale", "case", "epsilon-edges")
    theirs = of_lpgnet("twitch_de", "f1")
    lines = []
    for (scale, case, epsilon), group in ours.items():
        held_out = case.endswith("held out")
        place = "" if held_out else "inference_"
        # Rows are our default; the paper standardised.
        value = None if held_out or scale == "rows" else theirs.get((PUBLISHED_NAME.get(case, case), epsilon))
        width = statistics.mean(float(row[place + "rare_roc_auc"]) - float(row[place + "rare_roc_auc_low"]) for row in group)
        lines.append([
            scale, case, "∞" if epsilon == "inf" else epsilon, "ES" if held_out else "DE", str(group[0][place + "rare_class"]),
            beside(group, place + "rare_f1", value, 2), f"{mean(group, place + 'rare_constant_f1'):.1f}",
            f"{shown(group, place + 'rare_roc_auc')} (interval ± {100 * width:.1f})",
            "/".join(sorted({str(row[place + "rare_predicts"]) for row in group})), shown(group, place + "macro_f1"),
        ])
    return table(["features", "method", "ε", "tested on", "rarer class", "its F1", "always answering it", "ROC-AUC", "classes predicted", "macro-F1"], lines)


def noise():
    ours = groups("dpgcn-noise", "epsilon-edges")
    cells = []
    for row in published("dpgcn_noise_cora"):
        group = ours[row["epsilon"],]
        share = statistics.mean(100 * (1 - float(run["edges_kept"]) / float(run["edges_after"])) for run in group)
        cells.append((row["epsilon"], f"{share:.1f}", row["percent_noisy_edges"], difference(share, float(row["percent_noisy_edges"]), 1.5)))
    names = ["ε", "noisy edges, %", "published", "Δ"]
    header, *rest = [list(line) for line in zip(*cells)]
    return table([names[0], *header], [[name, *line] for name, line in zip(names[1:], rest)])


def bipartite():
    ours = groups("lpgnet-bipartite", "case", "epsilon-edges")
    lines = [
        [case, "∞" if epsilon == "inf" else epsilon, shown(group, "test_accuracy"), shown(group, "linkteller_auc"), shown(group, "lpa_auc")]
        for (case, epsilon), group in ours.items()
    ]
    return table(["method", "ε", "micro-F1", "LinkTeller AUC", "LPA AUC"], lines)


def evaluated(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def privgnn_releases():
    theirs = {float(row["lambda"]): 100 * float(row["accuracy"]) for row in published("privgnn_table_2_accuracy") if (row["dataset"], row["k"]) == ("amazon_computers", "750")}
    lines = []
    found = evaluated("privgnn-releases")["releases"] + evaluated("privgnn-pate-sage")["releases"] + evaluated("privgnn-pate-mlp")["releases"]
    names = ["PrivGNN"] * len(evaluated("privgnn-releases")["releases"]) + ["PATE-G"] * len(evaluated("privgnn-pate-sage")["releases"]) + ["PATE-M"] * len(evaluated("privgnn-pate-mlp")["releases"])
    for who, row in zip(names, found):
        number = lambda value: "" if value is None else f"{value:.2f}"
        # An ε that holds is rounded up, or what is read would not be true.
        holds = lambda value: "" if value is None else f"{math.ceil(value * 100 * (1 - 1e-12)) / 100:.2f}"
        ours, told = 100 * row["test_accuracy"], theirs.get(row["lambda"]) if row["release"] == "noisy-log-posterior" else None
        lines.append([
            who, row["release"], "" if row["lambda"] is None else f"{row['lambda']:g}", number(row["as_published"]),
            "none" if row["status"] == "refuted" else holds(row["epsilon"]), row["status"], f"{100 * row['label_accuracy']:.1f}", f"{ours:.1f}",
            "" if told is None else f"{told:.0f}", "" if told is None else difference(ours, told, 5),
        ])
    return table(["", "release", "λ", "ε as published", "ε that holds", "status", "labels right", "student", "Table 2", "difference"], lines)


def privgnn_table_2():
    """From `veil reproduce privgnn/table-2 --data amazon_computers=PATH --json`."""
    found = evaluated("privgnn-table-2")["rows"]
    lambdas = sorted({row["point"]["lambda"] for row in found if "lambda" in row["point"]})
    cells = {(row["case"], row["point"]["k"], row["point"].get("lambda")): row for row in found}
    cases = [
        ("the code's teachers, noise on logarithms", "privgnn as coded", "noisy-log-posterior"),
        ("the text's teachers, noise on logarithms", "privgnn", "noisy-log-posterior"),
        ("the text's teachers, noise on posteriors", "privgnn", "noisy-argmax"),
    ]
    lines = []
    for k in sorted({row["point"]["k"] for row in found}):
        for name, teachers, release in cases:
            row = [cells[f"{teachers}, {release}", k, rate] for rate in lambdas]
            shown = [f"{100 * it['ours']['mean']:.1f} ({100 * (it['ours']['mean'] - it['published']):+.1f})" for it in row]
            quiet = cells[f"{teachers}, none", k, None]["ours"]["mean"]
            lines.append([str(k), name, *shown, f"{100 * quiet:.1f}"])
        lines.append([str(k), "published", *[f"{100 * it['published']:.0f}" for it in row], ""])
    return table(["K", "", *[f"λ = {rate:g}" for rate in lambdas], "no noise"], lines)


def privgnn_curve():
    epsilons = ["1", "2", "4", "8", "16"]
    ours = {**groups("privgnn-curve", "case", "epsilon"), **groups("privgnn-krr", "case", "epsilon")}
    shown_or_one = lambda group, key: shown(group, key) if len(group) > 1 else f"{mean(group, key):.1f} (one split)"
    lines = [[case] + [shown_or_one(ours[case, epsilon], "test_accuracy") if (case, epsilon) in ours else "" for epsilon in epsilons] for case in dict.fromkeys(case for case, _ in ours)]
    baselines = groups("privgnn-baselines", "case")
    for case, key in [("B1", "inference_accuracy"), ("B2", "test_accuracy")]:
        lines.append([f"{case}: no privacy", "", "", "", "", shown(baselines[case,], key)])
    return table(["method"] + [f"ε = {epsilon}" for epsilon in epsilons], lines)


def main():
    parts = {
        "table-6": table_6,
        "tables-8-12": tables_8_12,
        "heat-maps": heat_maps,
        "degree-vectors-cora": lambda: curves("degree-vectors-cora"),
        "degree-vectors-amazon": lambda: curves("degree-vectors-amazon"),
        "lpgnet": lpgnet,
        "lpgnet-attacks": lpgnet_attacks,
        "lpgnet-grid": lpgnet_grid,
        "lpgnet-tuned": lambda: lpgnet("lpgnet-tuned", ["lpgnet-1", "lpgnet-2"]),
        "lpgnet-twitch": twitch,
        "lpgnet-amazon": lambda: curves("lpgnet-amazon"),
        "dpgcn-noise": noise,
        "lpgnet-bipartite": bipartite,
        "privgnn-releases": privgnn_releases,
        "privgnn-table-2": privgnn_table_2,
        "privgnn-curve": privgnn_curve,
    }
    page = PAGE.read_text()
    for name, make in parts.items():
        source = RESULTS / SOURCES.get(name, name)
        if not (source.with_suffix(".csv").exists() or source.with_suffix(".json").exists()):
            print(f"{name}: not run here, so its table stays as it is")
            continue
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        before, rest = page.split(begin)
        _, after = rest.split(end)
        page = f"{before}{begin}\n\n{make()}\n\n{end}{after}"
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
