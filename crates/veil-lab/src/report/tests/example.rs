//! Made-up outcomes that look like real ones, for tests and for looking at.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::outcome::{Outcome, Promised};
use crate::report::{BesideTruth, Looks, Made, Report};
use crate::worth::References;

/// The same numbers everywhere: something between 0 and 1 that looks like chance (SplitMix64).
pub fn chance(of: u64) -> f64 {
    let mut word = of.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((word ^ (word >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

pub fn promised(unit: &str, epsilon: Option<f64>, status: &str, mechanism: &str) -> Promised {
    let delta = if unit == "node" { 1e-5 } else { 0.0 };
    Promised {
        unit: unit.into(),
        epsilon,
        delta,
        status: status.into(),
        mechanism: mechanism.into(),
        ..Promised::default()
    }
}

pub fn outcome(case: &str, data: &str, point: &[(&str, Value)], seed: u64, figures: &[(&str, f64)]) -> Outcome {
    Outcome {
        case: case.into(),
        data: data.into(),
        point: point.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        seed,
        figures: figures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        seconds: 4.2,
        ..Outcome::default()
    }
}

/// Name, unit, status, mechanism, accuracy at ε = 1 and ∞, AUC at ε = 1 and ∞.
type Method = (&'static str, &'static str, &'static str, &'static str, [f64; 2], [f64; 2]);

const METHODS: [Method; 5] = [
    ("graph-privatizer", "edge-set", "refuted", "graph-privatizer", [0.70, 0.82], [0.78, 0.93]),
    ("degree-vectors", "edge-set", "proven", "degree-vectors", [0.655, 0.77], [0.53, 0.64]),
    ("lpgnet", "edge", "proven", "degree-vectors", [0.69, 0.80], [0.56, 0.71]),
    ("dpgcn", "edge", "proven", "lapgraph", [0.42, 0.815], [0.55, 0.94]),
    ("privgnn", "node", "claimed", "privgnn-krr", [0.46, 0.72], [0.51, 0.55]),
];
const BUDGETS: [f64; 6] = [0.1, 0.5, 1.0, 2.0, 4.0, 8.0];

/// Seven cases, six budgets and ∞, five seeds, an α × threshold grid and two failed runs.
pub fn outcomes() -> Vec<Outcome> {
    let mut all = Vec::new();
    let mut coin = 0u64;
    let mut noise = |width: f64| {
        coin += 1;
        (chance(coin) + chance(coin + 1_000_000) - 1.0) * width
    };
    const FIGURES: [&str; 3] = ["test_accuracy", "linkteller_auc", "lsa_auc"];
    for seed in 0..5 {
        for (case, around) in [
            ("gcn", [(0.823, 0.012), (0.962, 0.01), (0.871, 0.01)]),
            ("mlp", [(0.594, 0.014), (0.5, 0.004), (0.662, 0.01)]),
        ] {
            let figures = around.map(|(mean, width)| mean + noise(width));
            let figures: Vec<(&str, f64)> = FIGURES.into_iter().zip(figures).collect();
            let mut run = outcome(case, "cora", &[], seed, &figures);
            run.promises.extend((case == "gcn").then(|| promised("edge", None, "none", "raw")));
            all.push(run);
        }
    }
    for (place, (case, unit, status, mechanism, accuracy, area)) in METHODS.into_iter().enumerate() {
        let axis: &[f64] = if place == 0 { &[0.0, 0.5, 1.0] } else { &[0.0] };
        let grid = axis.iter().flat_map(|&alpha| axis.iter().map(move |&threshold| (alpha, threshold)));
        let grid: Vec<(f64, f64)> = grid.collect();
        for epsilon in BUDGETS.map(Some).into_iter().chain([None]) {
            // A smooth step from what is had without edges to what is had with all.
            let share = epsilon.map_or(1.0, |epsilon| epsilon / (epsilon + 2.0 + place as f64 / 2.0));
            for (alpha, threshold) in &grid {
                for seed in 0..5 {
                    let off = 0.05 * (alpha - 0.5).abs() + 0.04 * (threshold - 0.5).abs();
                    let mean = accuracy[0] - 0.04 + (accuracy[1] - accuracy[0] + 0.04) * share - off;
                    let mut point = vec![("epsilon", epsilon.map_or(json!("inf"), |epsilon| json!(epsilon)))];
                    if place == 0 {
                        point.extend([("alpha", json!(alpha)), ("threshold", json!(threshold))]);
                    }
                    let mut run = outcome(
                        case,
                        "cora",
                        &point,
                        seed,
                        &[
                            ("test_accuracy", mean + noise(0.03)),
                            ("validation_accuracy", mean + noise(0.03)),
                            ("linkteller_auc", (area[0] + (area[1] - area[0]) * share + noise(0.02)).clamp(0.0, 1.0)),
                            ("lsa_auc", (0.66 + 0.2 * (area[1] - 0.5) * share + noise(0.02)).clamp(0.0, 1.0)),
                        ],
                    );
                    run.promises.push(promised(
                        unit,
                        epsilon,
                        if epsilon.is_some() { status } else { "none" },
                        mechanism,
                    ));
                    if place == 0 {
                        run.promises.push(promised("feature", Some(3.0), "proven", "multi-bit"));
                        run.promises.push(promised("label", Some(3.0), "proven", "randomised-response"));
                    }
                    if place == 4 && epsilon == Some(0.1) && seed < 2 {
                        run.figures = BTreeMap::new();
                        run.error = Some("no teacher saw a class: 40 queries are left with ε = 0.1".into());
                    }
                    all.push(run);
                }
            }
        }
    }
    all
}

/// A report with every part.
pub fn report(outcomes: &[Outcome]) -> Report<'_> {
    let made = Made {
        version: "veilgraph 0.1.0".into(),
        date: "1 January 2026".into(),
        command: "veil lab report sweep.db --out report.html".into(),
    };
    let mut report = Report::new("Seven ways to learn from cora", outcomes, made);
    report.references = References { floor: Some("mlp".into()), non_private: Some("gcn".into()) };
    let looks = |degrees: &[u64], homophily: &[f64]| Looks {
        degrees: degrees.to_vec(),
        homophily: homophily.iter().copied().map(Some).collect(),
    };
    report.graphs.push(BesideTruth {
        name: "graph-privatizer, ε = 1".into(),
        truth: looks(
            &[0, 485, 583, 553, 389, 281, 131, 82, 57, 25, 26, 18, 12, 9, 10, 8, 7, 4, 3, 3, 2],
            &[0.74, 0.77, 0.92, 0.84, 0.85, 0.79, 0.79],
        ),
        released: looks(
            &[61, 402, 490, 520, 430, 331, 190, 120, 70, 41, 28, 14, 6, 3, 2],
            &[0.51, 0.55, 0.7, 0.66, 0.62, 0.57, 0.49],
        ),
        classes: ["case based", "genetic", "neural", "probabilistic", "reinforcement", "rules", "theory"]
            .map(String::from)
            .to_vec(),
    });
    report.statements.push((
        "graph-privatizer, ε = 1".into(),
        "# Privacy statement: cora\n\nRelease `made-up`.\n\n| protects | ε | δ | trust | status | mechanism |\n|---|---|---|---|---|---|\n\
         | edge-set | 1 | 0 | local | refuted | graph-privatizer |\n| feature | 3 | 0 | local | proven | multi-bit |\n\n\
         ## One neighbour\n\nThe published ε = 1 **does not hold**: two neighbours without a candidate in common are told apart.\n\n\
         Not protected:\n\n- how many neighbours a node has\n- who takes part\n"
            .into(),
    ));
    report.parameters =
        [("model", "gcn"), ("layers", "2"), ("hidden units", "64"), ("learning rate", "0.01"), ("seeds", "0 to 4")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
    report
}
