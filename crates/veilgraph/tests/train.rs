//! Stories about `veil train` and `veil predict`.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::Value;
use world::{World, assert_classes, assert_same_run, entries, interrupted, json, spent, text, waited};

/// Short, because what is learned does not matter here.
const SHORT: &str = "--epsilon-features 3 --epsilon-labels 3 --epochs 5";

/// Every protocol with an ε: its flags, and the units that it promises something about.
const PROTOCOLS: [(&str, &[&str]); 14] = [
    ("graph-privatizer --strategy threshold", &["edge-set"]),
    ("graph-privatizer --strategy most-similar --alpha 0.5", &["edge-set"]),
    ("graph-privatizer --similarity reference --alpha 0.5 --threshold 0.2", &["edge-set"]),
    ("graph-privatizer --strategy most-similar --measure euclidean", &["edge-set"]),
    ("two-hop-rr", &["edge-bit"]),
    ("dummy-exchange", &["edge-set"]),
    ("shuffled-query", &["edge-set"]),
    ("neighbour-krr", &["edge-set"]),
    ("edge-flip", &["edge-bit", "edge-set"]),
    ("blink", &["edge-bit", "edge-set"]),
    ("blink --degree-share 0.5", &["edge-bit", "edge-set"]),
    ("degree-vectors", &["edge-bit", "edge-set"]),
    ("degree-vectors --rounds 2", &["edge-bit", "edge-set"]),
    ("degree-vectors --unit edge-set", &["edge-set"]),
];

/// The guarantees about edges: (unit, ε, status).
fn of_edges(shown: &Value) -> Vec<(String, f64, String)> {
    let guarantees = shown["guarantees"].as_array().unwrap().iter();
    let of_edges = guarantees.filter(|guarantee| guarantee["unit"].as_str().unwrap().starts_with("edge"));
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    of_edges.map(|it| (word(&it["unit"]), it["epsilon"].as_f64().unwrap(), word(&it["status"]))).collect()
}

#[test]
fn every_protocol_is_learned_from_and_says_what_it_keeps() {
    let home = World::with_citation_graph();
    for (place, (method, units)) in PROTOCOLS.into_iter().enumerate() {
        let name = method.split(' ').next().unwrap();
        let out = format!("run{place}");
        let shown = home.shown(&format!("train graph --method {method} --epsilon-edges 2 {SHORT} --out {out}"));
        for key in ["test_accuracy", "validation_accuracy"] {
            assert!((0.0..=1.0).contains(&shown[key].as_f64().unwrap()), "{method}: {key}");
        }
        assert!(shown["best_epoch"].as_u64().unwrap() < 5);
        for part in ["read", "privatise", "train", "evaluate"] {
            assert!(shown["seconds"][part].as_f64().unwrap() >= 0.0, "{method}: {part}");
        }
        let proven = ["neighbour-krr", "edge-flip", "blink", "degree-vectors"].contains(&name);
        let status = if proven { "proven" } else { "refuted" };
        // A neighbour that is exchanged changes two bits, and no degree.
        let exchanged = match method {
            "blink" => 3.6,
            "blink --degree-share 0.5" => 2.0,
            _ => 4.0,
        };
        let promised: Vec<_> =
            units.iter().zip([2.0, exchanged]).map(|(&u, e)| (u.to_owned(), e, status.to_owned())).collect();
        assert_eq!(of_edges(&shown), promised, "{method}");
        // The thesis claims δ = e^ε/(1 + e^ε).
        let delta = shown["guarantees"][2]["delta"].to_string();
        let claimed = ["dummy-exchange", "shuffled-query"].contains(&name);
        assert!(if claimed { delta.contains("0.8807970") } else { delta == "0" }, "{method}: δ = {delta}");

        let [before, after, kept] =
            ["before", "after", "kept"].map(|it| shown[format!("edges_{it}")].as_u64().unwrap());
        assert_eq!(before, 1170);
        assert!(kept <= before && kept <= after, "{method}: {kept} of {before} and {after}");
        match name {
            "neighbour-krr" => assert_eq!(after, before, "every degree is kept"),
            "degree-vectors" => assert_eq!(after, 0),
            _ => assert!(kept > 0, "{method}"),
        }

        let mut files = vec!["last.safetensors", "model.safetensors", "owner", "predictions.csv"];
        files.extend(["privacy.json", "privacy.md", "released", "run.json"]);
        if method.contains("--rounds 2") {
            files.push("stage-0.safetensors");
        }
        assert_eq!(home.list(&out), files, "{method}");
        let record = json(&home, &format!("{out}/run.json"));
        assert_eq!((&record["method"], &record["parameters"]["epsilon-edges"]), (&name.into(), &2.into()));
        let metrics = json(&home, &format!("{out}/owner/metrics.json"));
        assert!(metrics["truth"]["note"].as_str().unwrap().contains("not part of the release"));
        assert_eq!(metrics["truth"]["test_accuracy"], shown["test_accuracy"]);
        let predictions = text(&home, &format!("{out}/predictions.csv"));
        assert_eq!(predictions.lines().count(), 301);
        assert!(predictions.starts_with("node,class,0,1,2,3,4,5,6\n0,"));
        let vectors = home.list(&format!("{out}/released")).contains(&"degree-vectors.csv".to_owned());
        assert_eq!(vectors, name == "degree-vectors");
        let degrees = home.list(&format!("{out}/released")).contains(&"noisy-degrees.csv".to_owned());
        assert_eq!(degrees, name == "blink");
        let statement = text(&home, &format!("{out}/privacy.md"));
        assert_eq!(statement.contains("**Refuted:**"), !proven, "{method}");
        assert_eq!(home.read(&format!("{out}/privacy.json")), home.read(&format!("{out}/released/privacy.json")));
    }
}

#[test]
fn raw_edges_are_said_loudly_and_withheld_ones_are_not_released() {
    let home = World::with_citation_graph();
    home.veil(&format!("train graph --method gnn --recipe graph-privatizer {SHORT} --out raw"))
        .succeeds()
        .says("NOT PRIVATISED (edge)");
    assert!(text(&home, "raw/privacy.md").contains("**Not privatised.** Each single edge"));
    // An infinite ε is the same, whatever the protocol.
    let open = format!("train graph --method two-hop-rr --epsilon-edges inf {SHORT} --out inf");
    home.veil(&open).succeeds().says("NOT PRIVATISED (edge)");
    assert_eq!(home.read("raw/owner/released/edges.csv"), home.read("inf/owner/released/edges.csv"));
    // Counts are counts, also without noise.
    let open = format!("train graph --method degree-vectors --epsilon-edges inf {SHORT} --out counts");
    home.veil(&open).succeeds().says("NOT PRIVATISED (edge-bit)");
    assert!(home.path("counts/owner/released/degree-vectors.csv").exists());
    assert!(!home.path("counts/owner/released/edges.csv").exists());
    let empty =
        home.shown(&format!("train graph --method gnn --recipe graph-privatizer --reads none {SHORT} --out empty"));
    assert!(of_edges(&empty).is_empty());
    assert_eq!((empty["edges_after"].as_u64(), empty["edges_kept"].as_u64()), (Some(0), Some(0)));
    assert!(!home.path("empty/released/edges.csv").exists());
    assert!(text(&home, "empty/privacy.md").contains("- the edges\n"));
}

#[test]
fn every_kind_of_network_learns_from_reports() {
    let home = World::with_citation_graph();
    for model in ["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] {
        let words = format!("train graph --method edge-flip --epsilon-edges 6 --model {model} --kx 2 --ky 1 {SHORT}");
        let shown = home.shown(&format!("{words} --out {model}"));
        assert_eq!(shown["parameters"]["model"], model);
        let predicted = home.shown(&format!("predict {model}"));
        assert_eq!(predicted.as_array().unwrap().len(), 300);
    }
}

#[test]
fn what_can_be_learned_is_learned() {
    let home = World::with_citation_graph();
    let open =
        "train graph --method gnn --epsilon-features inf --epsilon-labels inf --kx 2 --split 0.5,0.25,0.25 --seed 1";
    let shown = home.shown(&format!("{open} --out run"));
    assert!(shown["test_accuracy"].as_f64().unwrap() > 0.6, "{}", shown["test_accuracy"]);
    assert_eq!(shown["split"], "0.5,0.25,0.25");
}

#[test]
fn a_seed_repeats_a_run_bit_for_bit_on_any_number_of_threads() {
    let home = World::with_citation_graph();
    for (place, method) in ["graph-privatizer --alpha 0.5 --kx 2 --ky 1", "neighbour-krr", "degree-vectors --rounds 2"]
        .into_iter()
        .enumerate()
    {
        let words = format!("train graph --method {method} --epsilon-edges 2 {SHORT} --seed 1 --out");
        let run = |out: &str, threads: &str| {
            let mut command = home.command();
            command.args(words.split(' ')).arg(out).env("RAYON_NUM_THREADS", threads);
            assert!(command.output().unwrap().status.success());
        };
        let names = ["one", "two", "seven"].map(|name| format!("{name}{place}"));
        for (out, threads) in names.iter().zip(["1", "2", "7"]) {
            run(out, threads);
        }
        assert_same_run(&home, &names[0], &names[1]);
        assert_same_run(&home, &names[0], &names[2]);
    }
}

#[test]
fn without_a_seed_two_runs_differ() {
    let home = World::with_citation_graph();
    for out in ["one", "two"] {
        home.veil(&format!("train graph --method edge-flip --epsilon-edges 2 {SHORT} --out {out}")).succeeds();
    }
    for file in ["model.safetensors", "released/edges.csv", "released/features.csv.gz", "released/labels.csv"] {
        assert_ne!(home.read(&format!("one/{file}")), home.read(&format!("two/{file}")), "{file}");
    }
    assert_eq!(json(&home, "one/run.json")["seed"], "os");
}

#[test]
fn a_parameter_file_says_the_same_as_flags_and_flags_count_more() {
    let home = World::with_citation_graph();
    home.write(
        "experiment.toml",
        "method = \"edge-flip\"\nepsilon-edges = 2\nepsilon-features = 3\nepsilon-labels = 3\nepochs = 5\nmodel = \"sage\"\n",
    );
    home.veil("train graph --config experiment.toml --seed 1 --out file").succeeds();
    let flags = format!("train graph --method edge-flip --epsilon-edges 2 --model sage {SHORT} --seed 1 --out flags");
    home.veil(&flags).succeeds();
    assert_same_run(&home, "file", "flags");
    let shown = home.shown("train graph --config experiment.toml --epsilon-edges 4 --epsilon-labels inf --out over");
    assert_eq!(shown["parameters"]["epsilon-edges"], 4);
    assert_eq!(shown["parameters"]["epsilon-labels"], "inf");
    assert_eq!(shown["parameters"]["epochs"], 5);
}

#[test]
fn a_parameter_file_that_is_wrong_is_named_with_what_is_wrong() {
    let home = World::with_citation_graph();
    for (content, says) in [
        ("epsilon_edges = 2\n", "epsilon_edges"),
        ("method = \"banana\"\n", "banana"),
        ("method = 3\n", "expected the name of a method"),
        ("strategy = \"banana\"\n", "banana"),
        ("epsilon-edges = -1\n", "negative"),
        ("method = \n", "line 1"),
    ] {
        home.write("wrong.toml", content);
        home.veil("train graph --config wrong.toml --out run").fails_with(2).says("wrong.toml").says(says);
    }
    home.veil("train graph --config missing.toml --out run").fails_with(2).says("missing.toml");
    assert_eq!(home.list("."), ["graph", "wrong.toml"]);
}

#[test]
fn training_on_a_release_is_training_on_what_it_was_made_from() {
    let home = World::with_citation_graph();
    for (place, method) in
        ["edge-flip", "neighbour-krr", "graph-privatizer --alpha 0.5", "degree-vectors --unit edge-set"]
            .into_iter()
            .enumerate()
    {
        let (released, direct, later) = (format!("released{place}"), format!("direct{place}"), format!("later{place}"));
        let about = format!("--method {method} --epsilon-edges 3 --epsilon-features 3 --epsilon-labels 3 --seed 1");
        home.veil(&format!("train graph {about} --epochs 5 --out {direct}")).succeeds();
        home.veil(&format!("privatize graph {about} --out {released}")).succeeds();
        home.veil(&format!("train {released} --truth graph --epochs 5 --seed 1 --out {later}")).succeeds();
        assert_same_run(&home, &direct, &later);
    }
}

#[test]
fn a_release_is_learned_from_without_its_truth_and_then_nothing_is_scored() {
    let home = World::with_citation_graph();
    let about = "--method edge-flip --epsilon-edges 3 --epsilon-features 3 --epsilon-labels 3";
    home.veil(&format!("privatize graph {about} --out released")).succeeds();
    std::fs::rename(home.path("graph"), home.path("elsewhere")).unwrap();
    let shown = home.shown("train released --epochs 5 --out run");
    for key in ["test_accuracy", "edges_before", "edges_after", "edges_kept"] {
        assert!(shown[key].is_null(), "{key}");
    }
    assert!(shown["validation_accuracy"].is_number(), "reported labels are known");
    assert!(json(&home, "run/owner/metrics.json").get("truth").is_none());
    home.veil("train released --epochs 5 --out again").succeeds().says("test accuracy unknown");
    // What a run released is a release too.
    home.veil("train run/released --truth elsewhere --epochs 5 --out third --json").succeeds();
}

#[test]
fn another_truth_is_refused() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 200 --seed 1 --out other").succeeds();
    home.veil("privatize graph --epsilon-features 3 --epsilon-labels 3 --out released").succeeds();
    home.veil("train released --truth other --out run")
        .fails_with(1)
        .says_all(&["200 nodes, but the run has 300", "the raw data that the run was made from"]);
    home.refuses(2, &format!("train graph --method gnn --truth graph {SHORT} --out run"), "--truth requires a release");
    assert_eq!(home.list("."), ["graph", "other", "released"]);
}

#[test]
fn what_was_decided_for_a_release_is_not_decided_again() {
    let home = World::with_citation_graph();
    let about = "--method graph-privatizer --alpha 0.5 --epsilon-edges 3 --epsilon-features 3 --epsilon-labels 3";
    home.veil(&format!("privatize graph {about} --out released")).succeeds();
    for (flag, key) in [
        ("--method lpgnet", "use graph-privatizer, gnn or mlp"),
        ("--epsilon-edges 9", "epsilon-edges"),
        ("--epsilon-labels 9", "epsilon-labels"),
        ("--alpha 0.7", "alpha"),
        ("--split 0.5,0.25,0.25", "--split"),
        ("--ledger book.db", "--ledger"),
        ("--range -1,1", "--range"),
    ] {
        home.veil(&format!("train released {flag} --out run")).fails_with(2).says("is a release").says(key);
    }
    home.veil("privatize released --epsilon-labels 1 --out run").fails_with(2).says("is a release: raw data");
    assert_eq!(home.list("."), ["graph", "released"]);
    home.veil(&format!("train released {about} --epochs 2 --out run")).succeeds();
    let parameters = &json(&home, "run/run.json")["parameters"];
    assert_eq!((parameters["alpha"].as_f64(), parameters["epsilon-features"].as_f64()), (Some(0.5), Some(3.0)));
}

#[test]
fn a_ledger_books_what_is_refuted_as_unbounded_and_only_if_that_is_accepted() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget feature=9 --budget label=9 --budget edge-bit=9").succeeds();
    let train = format!("train graph --method two-hop-rr --epsilon-edges 1 {SHORT} --ledger book.db --out run");
    home.veil(&train).fails_with(1).says("not proven (status refuted)").says("--accept refuted");
    home.veil(&format!("{train} --accept claimed")).fails_with(1).says("status refuted");
    assert_eq!(home.list("."), ["book.db", "graph"]);
    assert_eq!(entries(&home, "book.db"), 0);
    home.veil(&format!("{train} --accept refuted")).succeeds();
    assert_eq!(spent(&home, "book.db", "edge-bit"), "unbounded");
    assert!(text(&home, "run/privacy.md").contains("charged to a ledger"));
}

#[test]
fn all_rounds_of_degree_vectors_are_charged_at_once_and_for_both_units() {
    let home = World::with_citation_graph();
    let budgets = "--budget feature=99 --budget label=99 --budget edge-bit=3 --budget edge-set=99";
    home.veil(&format!("ledger init book.db {budgets}")).succeeds();
    let train = |method: &str, out: &str| {
        home.veil(&format!("train graph --method {method} {SHORT} --ledger book.db --out {out}"))
    };
    let spent = || ["edge-bit", "edge-set"].map(|unit| spent(&home, "book.db", unit).as_f64().unwrap());
    train("degree-vectors --rounds 2 --epsilon-edges 2", "one").succeeds();
    assert_eq!(text(&home, "one/released/degree-vectors.csv").lines().count(), 1 + 2 * 300);
    assert_eq!(spent(), [2.0, 4.0]);
    train("edge-flip --epsilon-edges 2", "two").fails_with(1).says("edge-bit: asked 2, spent 2, left 1");
    assert!(!home.path("two").exists());
    train("edge-flip --epsilon-edges 1", "two").succeeds();
    assert_eq!(spent(), [3.0, 6.0]);
    // Which node a neighbour is says nothing about whether there is one, and this book counts that
    // too.
    train("degree-vectors --unit edge-set --epsilon-edges 2", "three").fails_with(1).says("for edge-bit is not proven");
    assert_eq!(spent(), [3.0, 6.0]);
}

#[test]
fn a_training_that_cannot_begin_is_not_charged_and_leaves_nothing() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget feature=9 --budget label=9 --budget edge-bit=9 --budget edge-set=18")
        .succeeds();
    let both = "--epsilon-features 3 --epsilon-labels 3";
    let refused = |flags: &str, says: &str| {
        home.refuses(2, &format!("train graph --method {flags} --ledger book.db --out run"), says);
    };
    for (flags, says) in [
        ("banana", "degree-vectors"),
        ("graph-privatizer", "requires epsilon-edges"),
        ("gnn --kx 99999999999999", "hops"),
        ("graph-privatizer --epsilon-edges 1 --strategy banana", "most-similar, threshold"),
        ("graph-privatizer --epsilon-edges 1 --alpha 1.5", "alpha must be between 0 and 1, not 1.5"),
        ("graph-privatizer --epsilon-edges 1 --alpha NaN", "alpha = NaN: expected a number"),
        ("graph-privatizer --epsilon-edges 1 --threshold -0.1", "threshold must be between 0 and 1, not -0.1"),
        ("graph-privatizer --epsilon-edges inf --alpha 2", "alpha must be between 0 and 1, not 2"),
        (
            "graph-privatizer --epsilon-edges 1 --measure euclidean --threshold 0.5",
            "threshold 0.5 requires the measure cosine",
        ),
        ("edge-flip --epsilon-edges 0", "zero"),
        ("edge-flip --epsilon-edges -1", "negative"),
        ("edge-flip --epsilon-edges 1 --max-edges 10", "raise max-edges"),
        ("blink --epsilon-edges 1 --max-edges 10", "raise max-edges"),
        ("blink --epsilon-edges 1 --degree-share 1.5", "degree-share must be between 0 and 1"),
        ("blink --epsilon-edges 1 --degree-share 0", "leaves nothing for the degree"),
        ("gnn --epsilon-edges 1", "epsilon-edges is not a parameter of gnn"),
        ("degree-vectors --epsilon-edges 1 --rounds 0", "at least one round"),
        ("gnn --epochs 0", "epochs is 0"),
        ("gnn --model banana", "mlp, gcn, sage"),
        ("gnn --hidden 0", "hidden is 0"),
        ("gnn --dropout 1", "dropout is 1"),
        ("gnn --lr -1", "learning rate is -1"),
        ("gnn --split 0,0.5,0.5", "the split needs training nodes"),
        ("gnn --split 0.5,0,0.5 --select lowest-validation-loss", "without validation nodes"),
    ] {
        refused(&format!("{flags} {both}"), says);
    }
    refused("shuffled-query --epsilon-edges 1 --epsilon-labels 3", "set epsilon-features");
    refused("two-hop-rr --epsilon-edges 1 --epsilon-labels 3", "release features (epsilon-features)");
    refused("edge-flip --epsilon-edges 1 --epsilon-features 3", "set epsilon-labels");
    std::fs::remove_file(home.path("graph/splits.csv")).unwrap();
    refused(&format!("gnn {both}"), "--split 0.5,0.25,0.25");
    let mut meta = json(&home, "graph/meta.json");
    meta.as_object_mut().unwrap().remove("classes").unwrap();
    home.write("graph/meta.json", meta.to_string());
    std::fs::remove_file(home.path("graph/labels.csv")).unwrap();
    home.veil(&format!("train graph --method gnn --split 0.5,0.25,0.25 {both} --ledger book.db --out run"))
        .fails_with(1)
        .says("no labels to release");
    assert_eq!(home.list("."), ["book.db", "graph"]);
    assert_eq!(entries(&home, "book.db"), 0);
}

#[cfg(unix)]
#[test]
fn ctrl_c_during_training_leaves_only_what_resumes_it() {
    let home = World::with_citation_graph();
    let mut child = home.started(&format!("train graph --method gnn {} --out run", SHORT.replace(" 5", " 100000000")));
    assert!(waited(&mut child, || home.path(".run.unfinished/key").exists()), "the training ended");
    let ended = interrupted(child);
    assert_eq!(ended.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("interrupted: the same command resumes"));
    assert_eq!(home.list("."), [".run.unfinished", "graph"]);
}

/// A graph whose nodes and classes have names, in `named`.
fn with_named_nodes() -> World {
    let home = World::new();
    let mut files =
        ["src,dst\n", "node,feature,value\n", "node,label\n", "node,split\n", "node,name\n"].map(str::to_owned);
    for node in 0..60 {
        files[0] += &format!("{node},{}\n", (node + 2) % 60);
        files[1] += &format!("{node},{},1\n", node % 2);
        files[2] += &format!("{node},{}\n", node % 2);
        files[3] += &format!("{node},{}\n", ["train", "train", "val", "val", "test", "test"][node % 6]);
        files[4] += &format!("{node},user {node}\n");
    }
    let names = ["edges", "features", "labels", "splits", "nodes"];
    names.iter().zip(&files).for_each(|(name, content)| home.write(&format!("named/{name}.csv"), content));
    home.write("named/classes.csv", "label,name\n0,even\n1,odd\n");
    home
}

#[test]
fn a_model_predicts_for_nodes_by_name() {
    let home = with_named_nodes();
    let open = "train named --method gnn --recipe graph-privatizer --epsilon-features inf --epsilon-labels inf --seed 1 --out run";
    home.veil(open).succeeds().says("test accuracy 100.0 %");
    home.write("some.txt", "user 7\r\n\n  user 20\n");
    let shown = home.shown("predict run --nodes some.txt");
    let told: Vec<_> = shown.as_array().unwrap().iter().map(|it| (it["node"].clone(), it["name"].clone())).collect();
    assert_eq!(told, [("user 7".into(), "odd".into()), ("user 20".into(), "even".into())]);
    let sum: f64 = shown[0]["posterior"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-5);
    home.veil("predict run --nodes some.txt").succeeds().says("user 20").says("even");
    // All of them, as in the run's own file.
    let all = home.shown("predict run");
    assert_classes(&all, &home, "run");
    home.write("some.txt", "user 7\n\nnobody\n");
    home.veil("predict run --nodes some.txt").fails_with(2).says("some.txt, line 3").says("\"nobody\"");
    home.veil("predict run --nodes missing.txt").fails_with(1).says("missing.txt");
}

#[test]
fn what_is_no_run_or_a_broken_one_is_named() {
    let home = World::with_citation_graph();
    home.veil("predict graph").fails_with(1).says("graph is not a run folder").says("veil train writes one");
    home.veil("predict nowhere").fails_with(1).says("nowhere");
    let broken = |out: &str, file: &str, change: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        home.veil(&format!("train graph --method edge-flip --epsilon-edges 6 {SHORT} --out {out}")).succeeds();
        let file = format!("{out}/{file}");
        home.write(&file, change(home.read(&file)));
        home.veil(&format!("predict {out}")).fails_with(1)
    };
    let other = |content: Vec<u8>| String::from_utf8(content).unwrap().replace("\"format\": 3", "\"format\": 1").into();
    broken("version", "run.json", &other).says("version/run.json has version 1").says("train it again");
    broken("record", "run.json", &|_| b"{".to_vec()).says("record/run.json");
    broken("short", "model.safetensors", &|_| b"x".to_vec()).says("short/model.safetensors");
    broken("cut", "last.safetensors", &|content| content[..content.len() / 2].to_vec()).says("cut/last.safetensors");
    broken("statement", "released/privacy.json", &|_| b"{}".to_vec()).says("changed privacy.json");
    broken("edges", "released/edges.csv", &|_| b"src,dst\n0,x\n".to_vec()).says("changed edges.csv");
}
