//! Stories about models that answer about another graph, or about the same one later.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::{Value, json};
use world::{World, assert_classes, assert_same_run, json as read, spent, text};

/// Short, because what is learned does not matter here.
const SHORT: &str = "--hidden 16 --epochs 5";

/// Every method with ε = 2: its flags, and what it promises about edges of each graph (ε and
/// status).
fn methods() -> [(&'static str, Option<(Value, &'static str)>); 5] {
    [
        ("mlp", None),
        ("gnn", Some((json!("inf"), "none"))),
        ("dpgcn --epsilon-edges 2", Some((json!(2), "proven"))),
        ("lpgnet --stages 2 --epsilon-edges 2", Some((json!(2), "proven"))),
        ("lpgnet --readout bayes --epsilon-edges 2", Some((json!(2), "proven"))),
    ]
}

/// ε and status of what is promised about edges.
fn of_edges(shown: &Value) -> Option<(Value, &str)> {
    let guarantees = shown["guarantees"].as_array().unwrap();
    let edge = guarantees.iter().find(|it| it["unit"] == "edge")?;
    Some((edge["epsilon"].clone(), edge["status"].as_str().unwrap()))
}

#[test]
fn every_method_answers_about_another_graph_of_two_classes() {
    let home = World::new();
    for (seed, out, nodes) in [(1, "here", 120), (2, "there", 90)] {
        home.veil(&format!("data generate bipartite --nodes {nodes} --seed {seed} --out {out}")).succeeds();
    }
    for (place, (method, promised)) in methods().into_iter().enumerate() {
        let [one, two] = ["one", "two"].map(|name| format!("{name}{place}"));
        let train = |threads, out: &str| {
            let words =
                format!("train here --method {method} {SHORT} --inference-data there --seed 1 --out {out} --json");
            home.veil_on_threads(threads, &words).succeeds().json()
        };
        let shown = train(1, &one);
        let inference = &shown["inference"];
        assert_eq!(of_edges(&shown), promised, "{method}");
        assert_eq!(of_edges(inference), promised, "{method}");
        let units: Vec<&Value> = inference["guarantees"].as_array().unwrap().iter().map(|it| &it["unit"]).collect();
        assert!(!units.contains(&&json!("label")), "{method}: labels of the other graph stay where they are");
        // Two classes: the rarer one, against whoever always answers it.
        let found = &inference["classification"];
        assert_eq!((&found["nodes"], &inference["nodes"]), (&json!(63), &json!(90)), "test nodes score");
        let rare = &found["rare"];
        let [low, auc, high] = ["roc_auc_low", "roc_auc", "roc_auc_high"].map(|key| rare[key].as_f64().unwrap());
        assert!(low <= auc && auc <= high && rare["constant_f1"].as_f64().unwrap() > 0.0, "{rare}");

        let folder = format!("{one}/inference/bipartite");
        assert_eq!(inference["out"], folder);
        let record = read(&home, &format!("{folder}/run.json"));
        assert_eq!((&record["trained_on"], &record["epsilon_of_all_graphs"]), (&json!("bipartite"), &Value::Null));
        assert!(!home.path(&format!("{}/labels.csv", home.released(&folder))).exists(), "{method}");
        let again = home.shown(&format!("predict {folder}"));
        assert_classes(&again, &home, &folder);
        assert_eq!(again.as_array().unwrap().len(), 90);

        train(2, &two);
        assert_same_run(&home, &folder, &format!("{two}/inference/bipartite"));
        // Asking later is asking at once: the same networks, and with the same seed the same noise.
        let later = format!("predict {one} --data there --seed 1 --out later{place}");
        // What promises something is released about the same nodes twice.
        let protects = promised.as_ref().is_some_and(|(epsilon, _)| epsilon != "inf");
        home.veil(&if protects { format!("{later} --repeat-nodes") } else { later }).succeeds();
        let later = home.read(&format!("later{place}/predictions.csv"));
        assert!(later == home.read(&format!("{folder}/predictions.csv")), "{method}");
    }
    home.veil(&format!("train here --method mlp {SHORT} --inference-data there --out told")).succeeds().says_all(&[
        "answers about 90 nodes of bipartite → told/inference/bipartite",
        "always answering it",
        "ROC-AUC",
    ]);
}

#[test]
fn another_graph_is_charged_with_the_training_or_not_at_all() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 200 --seed 2 --out other").succeeds();
    home.veil("ledger init book.db --budget edge=7").succeeds();
    let train = |epsilon: u32, out: &str| {
        let words = format!("train graph --method lpgnet --epsilon-edges {epsilon} --inference-data other {SHORT}");
        home.veil(&format!("{words} --ledger book.db --out {out}"))
    };
    train(4, "run").fails_with(1).says("edge: asked 4, spent 4, left 3");
    assert_eq!((spent(&home, "book.db", "edge"), home.path("run").exists()), (json!(0), false));
    // Two graphs, each for 3.
    train(3, "run").succeeds();
    assert_eq!(spent(&home, "book.db", "edge"), 6);
    // The ledger is that of the first graph.
    let swapped = format!("train other --method lpgnet --epsilon-edges 1 {SHORT} --ledger book.db --out swapped");
    home.veil(&swapped).fails_with(1).says("another data set");
}

#[test]
fn answers_do_not_go_into_the_raw_data_of_any_graph() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 200 --seed 2 --out other").succeeds();
    let train = format!("train graph --method mlp {SHORT}");
    for flag in ["--inference-data", "--validation-data"] {
        home.veil(&format!("{train} {flag} other --out other/run")).fails_with(2).says("inside the raw data");
    }
    home.veil(&format!("{train} --out run")).succeeds();
    home.veil("predict run --data other --out other/answers").fails_with(2).says("inside the raw data");
    assert!(!home.path("other/run").exists() && !home.path("other/answers").exists());
}

#[test]
fn a_graph_without_labels_is_answered_about_and_not_scored() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 200 --seed 2 --out other").succeeds();
    let mut meta = read(&home, "other/meta.json");
    meta.as_object_mut().unwrap().remove("classes").unwrap();
    meta["name"] = json!("later/../graph");
    home.write("other/meta.json", meta.to_string());
    for file in ["labels", "splits"] {
        std::fs::remove_file(home.path(&format!("other/{file}.csv"))).unwrap();
    }
    let train = format!("train graph --method lpgnet --epsilon-edges 2 {SHORT}");
    let shown = home.shown(&format!("{train} --inference-data other --out run"));
    assert!(shown["inference"]["classification"].is_null());
    // A name is not a path.
    assert_eq!(home.list("run/inference"), ["later----graph"]);
    home.veil("predict run --data other --out told").fails_with(2).says("--repeat-nodes");
    home.veil("predict run --data other --repeat-nodes --out told").succeeds().says("no true labels to score with");
    // An answer is a run like any other: it can be asked about a third graph.
    home.veil("predict told --data graph --out third").fails_with(2).says("--repeat-nodes");
    home.veil("predict told --data graph --repeat-nodes --out third").succeeds().says("answers about 300 nodes");
    home.veil(&format!("{train} --validation-data other --out unvalidated")).fails_with(2).says("does not fit");
}

/// Two releases about one graph add up, also where each was made for another command.
#[test]
fn a_graph_that_was_answered_about_before_is_recognised() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 200 --seed 2 --out other").succeeds();
    let train = format!("train graph --method lpgnet --epsilon-edges 2 {SHORT}");
    home.veil(&format!("{train} --out run")).succeeds();
    home.veil("predict run --data other --out one").succeeds().says("edge 4");
    home.veil("predict run --data other --out two").fails_with(2).says("all of citation").says("--repeat-nodes");
    home.veil("predict run --data other --repeat-nodes --out two").succeeds();
    home.veil(&format!("{train} --inference-data other --out both")).succeeds();
    home.veil("predict both --data other --out three").fails_with(2).says("--repeat-nodes");
    // What releases nothing answers as often as it is asked.
    home.veil(&format!("train graph --method mlp {SHORT} --out mlp")).succeeds();
    for out in ["four", "five"] {
        home.veil(&format!("predict mlp --data other --out {out}")).succeeds();
    }
}

/// Predictions of class 0 would be counted as right where class 0 is something else.
#[test]
fn a_graph_whose_classes_have_other_names_is_refused_by_every_command() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 200 --seed 2 --out other").succeeds();
    let named = |graph: &str, names: [&str; 7]| {
        let rows: String = (0..).zip(names).map(|(label, name)| format!("{label},{name}\n")).collect();
        home.write(&format!("{graph}/classes.csv"), format!("label,name\n{rows}"));
    };
    named("graph", ["a", "b", "c", "d", "e", "f", "g"]);
    named("other", ["b", "a", "c", "d", "e", "f", "g"]);
    home.veil("ledger init book.db --budget edge=9").succeeds();
    let train = format!("train graph --method lpgnet --epsilon-edges 2 {SHORT}");
    let sweep = "seeds = 1\ndata = \"g\"\n[parameters]\nmethod = \"lpgnet\"\nepsilon-edges = 2\nepochs = 2\n";
    home.write("sweep.toml", format!("{sweep}inference-data = \"h\"\n[[cases]]\nname = \"lpgnet\"\n"));
    home.veil(&format!("{train} --out run")).succeeds();
    let commands = [
        (format!("{train} --inference-data other --ledger book.db --out both"), 1),
        ("predict run --data other --ledger book.db --out later".to_owned(), 1),
        ("lab sweep sweep.toml --data g=graph --data h=other --out sweep".to_owned(), 2),
    ];
    for (command, code) in &commands {
        let said = home.veil(command).fails_with(*code);
        said.says("the class names of citation differ from those of the model");
    }
    assert_eq!(spent(&home, "book.db", "edge"), 0);
    let refused = format!("{train} --validation-data other --ledger book.db --out both");
    home.veil(&refused).fails_with(2).says("does not fit");
    named("other", ["a", "b", "c", "d", "e", "f", "g"]);
    for (command, _) in commands {
        home.veil(&command).succeeds();
    }
}

#[test]
fn features_are_standardised_as_those_of_the_training_graph_were() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 200 --seed 2 --out other").succeeds();
    let train = format!("train graph --method mlp --scale standard {SHORT} --inference-data other --out run");
    home.veil(&train).succeeds();
    assert_eq!(home.read("run/moments.json"), home.read("run/inference/citation/moments.json"));
    home.veil("predict run/inference/citation").succeeds();
}

/// The citation graph, how it was when only training nodes were there (`first`), and when
/// validation nodes came (`second`).
fn with_a_growing_graph() -> World {
    let home = World::with_citation_graph();
    for (keep, out, nodes) in [("train", "first", 14), ("train,val", "second", 69)] {
        let shown = home.shown(&format!("data hide graph --keep {keep} --out {out}"));
        assert_eq!(shown["nodes_hidden"], 300 - nodes);
    }
    home
}

const GROWING: &str = "train first --validation-data second --inference-data graph --evolving";

#[test]
fn a_graph_that_grows_shares_its_epsilon_over_time() {
    let home = with_a_growing_graph();
    home.veil("ledger init book.db --budget edge=6").succeeds();
    let train = |epsilon: f64, out: &str| {
        home.veil(&format!(
            "{GROWING} --method lpgnet --epsilon-edges {epsilon} {SHORT} --ledger book.db --out {out} --json"
        ))
    };
    train(6.3, "run").fails_with(1).says("edge: asked 2.1, spent 4.2, left 1.8");
    assert_eq!((spent(&home, "book.db", "edge"), home.path("run").exists()), (json!(0), false));
    let shown = train(6.0, "run").succeeds().json();
    assert_eq!(spent(&home, "book.db", "edge"), 6);
    let two = Some((json!(2), "proven"));
    assert_eq!((of_edges(&shown), of_edges(&shown["inference"])), (two.clone(), two.clone()));
    assert_eq!(of_edges(&read(&home, "run/owner/validation/privacy.json")), two);
    let record = read(&home, "run/run.json");
    assert_eq!((&record["epsilon_of_all_graphs"], &record["parameters"]["epsilon-edges"]), (&json!(6), &json!(2)));
    assert_eq!(record["validated_on"], "citation");
    let inferred = home.released("run/inference/citation");
    let places = [(home.released("run"), 14), ("run/owner/validation".to_owned(), 69), (inferred, 300)];
    for (folder, nodes) in places {
        let table = text(&home, &format!("{folder}/degree-vectors.csv"));
        assert_eq!(table.lines().count(), 1 + nodes, "{folder}");
    }
    assert!(shown["validation_accuracy"].is_number(), "nodes of the second graph validate");
    for run in ["run", "run/inference/citation"] {
        home.veil(&format!("predict {run}")).succeeds();
    }
    assert_eq!(spent(&home, "book.db", "edge"), 6);
    // A later question has a price of its own, which is no part of what was shared.
    let later = "predict run --data graph --epsilon-edges 1 --out later";
    home.veil(later).fails_with(2).says("--repeat-nodes");
    home.veil(&format!("{later} --repeat-nodes")).succeeds();
    assert!(read(&home, "later/run.json").get("epsilon_of_all_graphs").is_none());
}

/// Nodes come one part after the other, and no edge costs twice: the ledger stays where it is.
#[test]
fn a_cascade_grows_with_its_graph_for_one_epsilon() {
    let home = with_a_growing_graph();
    home.veil("data hide graph --keep train,val --out middle --split 0.3,0.3,0.4 --seed 1").succeeds();
    home.veil("ledger init book.db --budget edge=2").succeeds();
    let train = "train middle --method cascade --epsilon-edges 2 --split 0.5,0.25,0.25 --epochs 10 --ledger book.db";
    home.veil(&format!("{train} --out run")).succeeds();
    assert_eq!(spent(&home, "book.db", "edge"), 2);
    let predict = "predict run --data graph --ledger book.db --out grown";
    home.veil(predict).fails_with(2).says("loses the ε of both");
    home.veil(&format!("{predict} --evolving --repeat-nodes")).fails_with(2);
    home.veil("predict run --data first --evolving --ledger book.db --out fewer").fails_with(2).says("is missing");
    // Without a ledger nobody knows whether it was extended before; another ε would not be that of
    // the chain.
    home.veil("predict run --data graph --evolving --out grown")
        .fails_with(2)
        .says("only a ledger records earlier extensions");
    home.veil(&format!("{predict} --evolving --epsilon-edges 1")).fails_with(2).says("has ε = 2");
    home.veil(&format!("{predict} --evolving")).succeeds().says("edge 2");
    assert_eq!(spent(&home, "book.db", "edge"), 2);
    home.veil("predict grown").succeeds();
    home.veil(&predict.replace("grown", "again").replace("--data", "--evolving --data"))
        .fails_with(1)
        .says("extends it already");
    home.veil("predict grown --data graph --evolving --ledger book.db --out same")
        .fails_with(2)
        .says("requires node ids");
    home.veil("ledger verify book.db").succeeds();
}

#[test]
fn every_method_goes_with_a_graph_that_grows() {
    let home = with_a_growing_graph();
    for (place, (method, promised)) in methods().into_iter().enumerate() {
        let method = method.replace("--epsilon-edges 2", "--epsilon-edges 6");
        let out = format!("run{place}");
        let shown = home.shown(&format!("{GROWING} --method {method} {SHORT} --out {out}"));
        let validation = read(&home, &format!("{out}/owner/validation/privacy.json"));
        for released in [&shown, &validation, &shown["inference"]] {
            assert_eq!(of_edges(released), promised, "{method}");
        }
        let whole = promised.filter(|(_, status)| *status == "proven").map(|_| json!(6));
        assert_eq!(shown.get("epsilon_of_all_graphs"), whole.as_ref(), "{method}");
        home.veil(&format!("predict {out}/inference/citation")).succeeds();
        if method.contains("bayes") {
            assert_eq!(shown["parameters"]["stages"], 1, "an ε of 6 would have two, but each graph has 2");
        }
    }
    home.veil(&format!("{GROWING} --method dpgcn --epsilon-edges 6 {SHORT} --out told"))
        .succeeds()
        .says("the graphs share edges: their ε add up to 6");
    // ε is divided among three graphs; δ is not, and adds up.
    home.veil(&format!("{GROWING} --method gap --epsilon-edges 6 {SHORT} --out sums"))
        .succeeds()
        .says("the graphs share edges: their ε add up to 6, their δ to 0.00003");
    assert!(text(&home, "sums/owner/validation/privacy.md").contains("all of them together at ε = 6, δ = 0.00003"));
    // These graphs have nodes in common: without the flag each would print its own ε.
    let apart =
        format!("{} --method dpgcn --epsilon-edges 6 {SHORT} --out apart --json", GROWING.replace(" --evolving", ""));
    home.veil(&apart).fails_with(2).says("loses the ε of both");
    let shown = home.veil(&format!("{apart} --repeat-nodes")).succeeds().json();
    assert_eq!(of_edges(&shown["inference"]), Some((json!(6), "proven")));
    let total = shown["total"].as_array().unwrap().iter().find(|it| it["unit"] == "edge").unwrap();
    assert_eq!(total["epsilon"], 18);
    home.veil(&format!("{GROWING} --method lpgnet --epsilon-edges 0.000000002 {SHORT} --out tiny"))
        .fails_with(2)
        .says("leaves nothing for each of 3 graphs");
}

/// Cora with later nodes hidden: ε = 6 is split over training, validation and the whole graph (as
/// for Flickr in LPGNet's experiments), and what edges tell carries over to nodes that were not
/// there.
#[test]
fn cora_grows_and_its_later_nodes_are_told_by_their_neighbours() {
    let Some(cora) = world::real_data("cora") else { return };
    let home = World::new();
    for (parts, out) in [("train", "before"), ("train,val", "between"), ("train,val,test", "after")] {
        let split = "--split 0.5,0.25,0.25 --seed 1";
        home.veil(&format!("data hide {} --keep {parts} {split} --out {out}", cora.display())).succeeds();
    }
    let micro_f1 = |method: &str, out: &str| {
        let others = "--validation-data between --inference-data after";
        let shown = home
            .shown(&format!("train before --method {method} {others} --hidden 16 --epochs 100 --seed 1 --out {out}"));
        assert_eq!(shown["inference"]["classification"]["nodes"], 677, "the later nodes alone");
        shown["inference"]["classification"]["micro_f1"].as_f64().unwrap()
    };
    let floor = micro_f1("mlp", "mlp");
    let lpgnet = micro_f1("lpgnet --epsilon-edges 6 --evolving", "lpgnet");
    assert!(lpgnet > floor + 0.03, "{lpgnet} with counts, {floor} without");
}

#[test]
fn a_graph_that_the_model_knows_is_not_released_again_unnoticed() {
    let home = World::new();
    for (seed, out) in [(1, "here"), (2, "there"), (3, "third")] {
        home.veil(&format!("data generate bipartite --nodes 100 --seed {seed} --out {out}")).succeeds();
    }
    let train = format!("train here --method lpgnet --epsilon-edges 1 {SHORT} --validation-data there");
    home.veil(&format!("{train} --out run")).succeeds();
    // The training graph and the validation graph, whose nodes are mere numbers.
    for known in ["here", "there"] {
        home.veil(&format!("predict run --data {known} --out p")).fails_with(2).says("--repeat-nodes");
    }
    assert!(!home.path("p").exists());
    // Through a run about another graph.
    home.veil("predict run --data third --out q").succeeds().says("all graphs together").says("edge 3");
    for known in ["here", "there", "third"] {
        home.veil(&format!("predict q --data {known} --out p")).fails_with(2).says("--repeat-nodes");
    }
    let shown = home.shown("predict run --data here --repeat-nodes --out again");
    assert_eq!(shown["total"][2]["epsilon"].as_f64(), Some(3.0), "{shown}");
    assert!(text(&home, "again/privacy.md").contains("nodes in common"), "{}", text(&home, "again/privacy.md"));
    // What is handed over says so too.
    home.veil("publish again --declare-public features,labels --out out").succeeds().says("edge 3");
    home.veil("verify out").succeeds().says_all(&["release of bipartite", "edge 3"]);
    home.veil("publish again --declare-public features,labels --answers-only --out answers").succeeds();
    home.veil("verify answers").succeeds().says("edge 3");
}
