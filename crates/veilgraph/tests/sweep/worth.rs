//! What a sweep says that its points are worth.

use serde_json::Value;

use crate::{timeless, with_graph};

const WORTH: &str = r#"
data = "g"
seeds = 3
[parameters]
epochs = 20
hidden = 8
[[cases]]
name = "mlp"
method = "mlp"
[[cases]]
name = "gcn"
method = "gnn"
[[cases]]
name = "lpgnet"
method = "lpgnet"
grid = { epsilon-edges = [1, 8] }
[[attacks]]
kind = "lsa"
pairs = 20
"#;

/// A figure of one case by seed, from the exported table.
fn exported(rows: &[String], case: &str, epsilon: &str, figure: &str) -> Vec<f64> {
    let cells = |row: &String| -> Vec<String> { row.split(',').map(str::to_owned).collect() };
    let headings = cells(&rows[0]);
    let of = |row: &[String], name: &str| row[headings.iter().position(|heading| heading == name).unwrap()].clone();
    let rows = rows[1..].iter().map(cells).filter(|row| of(row, "case") == case && of(row, "epsilon-edges") == epsilon);
    rows.map(|row| of(&row, figure).parse().unwrap()).collect()
}

#[test]
fn a_sweep_says_what_every_point_is_worth() {
    let home = with_graph();
    home.write("sweep.toml", WORTH);
    let done = home.shown("lab sweep sweep.toml --data g=graph --out sweep");
    assert_eq!((&done["floor"], &done["non_private"]), (&"mlp".into(), &"gcn".into()), "found by what they promise");
    let points = done["points"].as_array().unwrap();
    assert_eq!(points.len(), 4);
    let rows = timeless(&home, "sweep");
    let open = exported(&rows, "gcn", "", "test_accuracy");
    for (point, epsilon) in [(&points[2], "1"), (&points[3], "8")] {
        let private = exported(&rows, "lpgnet", epsilon, "test_accuracy");
        let lost: Vec<f64> = open.iter().zip(&private).map(|(open, private)| open - private).collect();
        let difference = &point["gap"]["difference"];
        assert_eq!((lost.len(), &difference["count"], &point["gap"]["reference"]), (3, &3.into(), &"gcn".into()));
        assert!((difference["mean"].as_f64().unwrap() - lost.iter().sum::<f64>() / 3.0).abs() < 1e-9);
        // Of three seeds the interval is the range.
        let ends: Vec<f64> =
            difference["interval"].as_array().unwrap().iter().map(|end| end.as_f64().unwrap()).collect();
        let wanted = [lost.iter().copied().fold(f64::MAX, f64::min), lost.iter().copied().fold(f64::MIN, f64::max)];
        assert!((ends[0] - wanted[0]).abs() < 1e-9 && (ends[1] - wanted[1]).abs() < 1e-9, "{ends:?} {wanted:?}");
        // Of three seeds, all must be above the floor, and lose half of the attack's advantage.
        let above = |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(one, other)| one > other);
        let auc = |case: &str, epsilon: &str| exported(&rows, case, epsilon, "lsa_auc");
        let ceiling: Vec<f64> =
            auc("gcn", "").iter().zip(auc("mlp", "")).map(|(open, floor)| open.min((open + floor) / 2.0)).collect();
        let sweet =
            above(&private, &exported(&rows, "mlp", "", "test_accuracy")) && above(&ceiling, &auc("lpgnet", epsilon));
        assert_eq!(point["sweet"]["lsa_auc"], sweet);
        assert_eq!(point["gap"]["differs"], serde_json::json!(["bias"]));
    }
    assert_eq!((&points[0]["front"]["epsilon"], &points[1]["gap"]), (&true.into(), &Value::Null));
    let text = home.veil("lab sweep sweep.toml --data g=graph --out sweep").succeeds();
    let wanted = [
        "accuracy %",
        "gap: accuracy lost against gcn",
        "lpgnet, mlp: another bias than gcn",
        "a sweet spot: proven, more accurate than mlp",
    ];
    for wanted in wanted {
        assert!(text.stdout().contains(wanted), "{wanted}: {}", text.stdout());
    }
    assert!(text.stdout().lines().all(|line| line.chars().count() <= 120), "{}", text.stdout());
    let other = home.shown("lab sweep sweep.toml --data g=graph --out sweep --non-private lpgnet");
    assert_eq!(other["non_private"], "lpgnet");
    home.veil("lab sweep sweep.toml --data g=graph --out sweep --floor gat").fails_with(2).says("no case \"gat\"");
    let same = "lab sweep sweep.toml --data g=graph --out sweep --floor mlp --non-private mlp";
    home.veil(same).fails_with(2).says("name the same case");
    // Two seeds are too few for a verdict, and of two floors one must be chosen.
    let few = home.veil("lab sweep sweep.toml --data g=graph --out sweep --seeds 2").succeeds();
    assert!(few.stdout().contains("★ requires three seeds in common with mlp and gcn: unknown for lpgnet"));
    home.write(
        "sweep.toml",
        WORTH.replace("[[attacks]]", "[[cases]]\nname = \"mlp-2\"\nmethod = \"mlp\"\nlr = 0.02\n[[attacks]]"),
    );
    // What learns faster is not compared.
    let longer = home.veil("lab sweep sweep.toml --data g=graph --out sweep --floor mlp").succeeds();
    assert!(longer.stdout().contains("no gap where gcn has other settings or seeds: mlp-2"));
    let two = home.veil("lab sweep sweep.toml --data g=graph --out sweep").succeeds();
    assert!(two.stdout().contains("--floor chooses the reference: mlp or mlp-2"), "{}", two.stdout());
}

/// A model with an inference graph is attacked there, so its accuracy is measured there.
#[test]
fn a_sweep_about_another_graph_says_what_points_are_worth_there() {
    let home = with_graph();
    home.veil("data generate citation --nodes 150 --seed 2 --out other").succeeds();
    let file = WORTH.replace("[parameters]", "[parameters]\ninference-data = \"../other\"\nsplit = \"all\"");
    home.write("sweep.toml", file);
    let done = home.shown("lab sweep sweep.toml --data g=graph --out sweep");
    let rows = timeless(&home, "sweep");
    let mean = |figures: Vec<f64>| figures.iter().sum::<f64>() / 3.0;
    for point in done["points"].as_array().unwrap() {
        let (case, epsilon) = (point["case"].as_str().unwrap(), point["point"]["epsilon-edges"].to_string());
        let there = mean(exported(&rows, case, epsilon.trim_start_matches("null"), "inference_accuracy"));
        assert!((point["accuracy"]["mean"].as_f64().unwrap() - there).abs() < 1e-9);
        assert_eq!(point["scored"], "inference");
    }
    assert_eq!(done["points"][2]["gap"]["reference"], "gcn");
    assert!(done["points"][2]["sweet"]["lsa_auc"].is_boolean());
    let text = home.veil("lab sweep sweep.toml --data g=graph --out sweep").succeeds();
    for wanted in ["inference accuracy %", "accuracy is on the inference graph"] {
        assert!(text.stdout().contains(wanted), "{}", text.stdout());
    }
}
