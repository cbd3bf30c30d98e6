//! A sweep gives the figures of the commands.

use serde_json::Value;

use crate::with_graph;
use crate::world::World;

pub const FOUR: &str = r#"
data = "g"
seeds = [7]

[parameters]
epochs = 6

[[cases]]
name = "local"
method = "graph-privatizer"
strategy = "threshold"
alpha = 0.5
epsilon-edges = 1
epsilon-features = 3
epsilon-labels = 3
kx = 2
ky = 1
split = "0.5,0.25,0.25"

[[cases]]
name = "degree-vectors"
method = "degree-vectors"
epsilon-edges = 2
epsilon-features = 3
epsilon-labels = 3
rounds = 2

[[cases]]
name = "lpgnet"
method = "lpgnet"
epsilon-edges = 4
stages = 2

[[cases]]
name = "dpgcn"
method = "dpgcn"
epsilon-edges = "4"
epsilon-count = 0.1

[[attacks]]
name = "published"
kind = "linkteller"
surface = "model"
influence = "difference"
weights = "last"

[[attacks]]
kind = "linkteller"
sample = "high-degree"
nodes = 30

[[attacks]]
kind = "lsa"
metric = "cosine"
centred = true
"#;

/// Figures of a training and of attacks on it, as the commands give them.
fn by_commands(home: &World, folder: &str, train: &str, truth: &str) -> Vec<(String, Value)> {
    let trained = home.shown(&format!("train graph {train} --seed 7 --out {folder}"));
    let mut figures: Vec<(String, Value)> = Vec::new();
    for name in ["test_accuracy", "validation_accuracy", "validation_loss", "best_epoch", "edges_after", "edges_kept"] {
        figures.push((name.to_owned(), trained[name].clone()));
    }
    let mut run = folder.to_owned();
    if let Some(out) = trained["inference"]["out"].as_str() {
        figures.push(("inference_accuracy".to_owned(), trained["inference"]["classification"]["accuracy"].clone()));
        run = out.to_owned();
    }
    let attacks = [
        ("published", "linkteller", "--surface model --influence difference --weights last"),
        ("linkteller", "linkteller", "--sample high-degree --nodes 30"),
        ("lsa", "lsa", "--metric cosine --centred"),
    ];
    for (name, kind, options) in attacks {
        let found = home.shown(&format!("attack {kind} {run} --truth {truth} {options} --seed 7"));
        figures.push((format!("{name}_auc"), found["auc"].clone()));
        figures.push((format!("{name}_precision"), found["precision"].clone()));
        let twin = if found["edge_free_reads_features"] == true { found["auc_edge_free"].clone() } else { Value::Null };
        figures.push((format!("{name}_auc_edge_free"), twin));
    }
    figures
}

#[track_caller]
fn assert_same_figures(outcome: &Value, wanted: Vec<(String, Value)>) {
    assert_eq!(outcome["error"], Value::Null);
    for (name, wanted) in wanted {
        let found = &outcome["figures"][&name];
        assert_eq!(found.as_f64(), wanted.as_f64(), "{name} of {}", outcome["case"]);
    }
}

#[test]
fn figures_are_those_of_train_and_attack() {
    let home = with_graph();
    home.write("sweep.toml", FOUR);
    let done = home.shown("lab sweep sweep.toml --data g=graph --out sweep");
    let outcomes = done["outcomes"].as_array().unwrap();
    let trainings = [
        "--method graph-privatizer --strategy threshold --alpha 0.5 --epsilon-edges 1 --epsilon-features 3 --epsilon-labels 3 \
         --kx 2 --ky 1 --split 0.5,0.25,0.25 --epochs 6",
        "--method degree-vectors --epsilon-edges 2 --epsilon-features 3 --epsilon-labels 3 --rounds 2 --epochs 6",
        "--method lpgnet --epsilon-edges 4 --stages 2 --epochs 6",
        "--method dpgcn --epsilon-edges 4 --epsilon-count 0.1 --epochs 6",
    ];
    assert_eq!(outcomes.len(), trainings.len());
    for (at, (outcome, training)) in outcomes.iter().zip(trainings).enumerate() {
        assert_same_figures(outcome, by_commands(&home, &format!("run-{at}"), training, "graph"));
    }
    let promises: Vec<&Value> = outcomes[3]["promises"].as_array().unwrap().iter().collect();
    let of_edges = promises.iter().find(|promise| promise["unit"] == "edge").unwrap();
    assert_eq!((of_edges["epsilon"].as_f64(), of_edges["status"].as_str()), (Some(4.0), Some("proven")));
}

#[test]
fn a_graph_to_answer_about_is_scored_and_attacked_as_by_the_commands() {
    let home = with_graph();
    home.veil("data generate citation --nodes 150 --seed 2 --out other").succeeds();
    let case = "[[cases]]\nname = \"dpgcn\"\nmethod = \"dpgcn\"\nepsilon-edges = 4\ninference-data = \"../other\"\n";
    let attacks = FOUR.split_once("[[attacks]]").unwrap().1;
    home.write(
        "sweep.toml",
        format!("data = \"g\"\nseeds = [7]\n[parameters]\nepochs = 6\nhidden = 8\n{case}[[attacks]]{attacks}"),
    );
    let done = home.shown("lab sweep sweep.toml --data g=graph --out sweep");
    let train = "--method dpgcn --epsilon-edges 4 --epochs 6 --hidden 8 --inference-data other";
    let wanted = by_commands(&home, "run", train, "other");
    assert!(wanted.iter().any(|(name, _)| name == "inference_accuracy"));
    assert_same_figures(&done["outcomes"][0], wanted);
}

#[test]
fn students_are_those_of_train() {
    let home = World::with_parts();
    let file = r#"
        data = "private"
        seeds = [7]
        [parameters]
        public-graph = "../public"
        delta = "1e-5"
        hidden = 8
        epochs = 4
        [grid]
        epsilon = ["8"]
        [[cases]]
        name = "privgnn"
        method = "privgnn"
        queries = 20
        k = 20
        gamma = 0.2
        [[cases]]
        name = "pate"
        method = "pate"
        teachers = 5
        queries = 30
        [[cases]]
        name = "class-sums"
        method = "class-sums"
    "#;
    home.write("sweep.toml", file);
    let done = home.shown("lab sweep sweep.toml --data private=parts/private --out sweep");
    let methods = ["privgnn --queries 20 --k 20 --gamma 0.2", "pate --teachers 5 --queries 30", "class-sums"];
    for (at, method) in methods.into_iter().enumerate() {
        let common = "--public-graph parts/public --delta 1e-5 --epsilon 8 --hidden 8 --epochs 4 --seed 7 --json";
        let train = format!("train parts/private --method {method} {common} --out run-{at}");
        let trained = home.veil(&train).succeeds().json();
        let figures =
            ["test_accuracy", "best_epoch", "edges_after"].map(|name| (name.to_owned(), trained[name].clone()));
        let mut figures = figures.to_vec();
        figures.push(("macro_f1".to_owned(), trained["classification"]["macro_f1"].clone()));
        assert_same_figures(&done["outcomes"][at], figures);
        let [promise, promised] = [&done["outcomes"][at]["promises"][0], &trained["guarantees"][0]];
        assert_eq!((&promise["unit"], &promise["epsilon"]), (&promised["unit"], &promised["epsilon"]));
    }
    // Students are not attacked, nor is the second of them.
    let attacked =
        file.replace("seeds = [7]", "seeds = [7, 8]") + "\n[[attacks]]\nkind = \"lsa\"\nwhere = { seed = 8 }\n";
    home.write("attacked.toml", attacked);
    let sweep = "lab sweep attacked.toml --data private=parts/private --out attacked";
    home.veil(sweep).fails_with(2).says("attacks look for private edges, and privgnn learns on public ones");
}
