//! Stories about `veil privatize` and `veil ledger`.

mod world;

use world::{World, assert_same_files, assert_same_run, entries, interrupted, json, real_data, spent, text, waited};

const RELEASE: &str = "privatize graph --epsilon-features 3 --epsilon-labels 3";

#[test]
fn a_release_holds_reports_and_a_statement_and_no_edges() {
    let home = World::with_citation_graph();
    let shown = home.shown(&format!("{RELEASE} --out released"));
    assert_eq!(shown["signs_per_node"], 1);
    assert_eq!(shown["guarantees"].as_array().unwrap().len(), 2);
    assert_eq!(
        home.list("released"),
        ["digests.json", "features.csv.gz", "labels.csv", "meta.json", "privacy.json", "privacy.md", "splits.csv"]
    );
    let statement = json(&home, "released/privacy.json");
    let guarantee = &statement["guarantees"][0];
    for (key, value) in [("unit", "feature"), ("trust", "local"), ("status", "proven")] {
        assert_eq!(guarantee[key], value);
    }
    assert_eq!((guarantee["epsilon"].as_u64(), guarantee["delta"].as_u64()), (Some(3), Some(0)));
    let info = home.shown("data info released");
    assert_eq!(
        (info["nodes"].as_u64(), info["edges"].as_u64(), info["feature_nonzeros"].as_u64()),
        (Some(300), Some(0), Some(300))
    );
    home.veil(&format!("{RELEASE} --out released2")).succeeds().says("proven").says("not released: the edges");
}

#[test]
fn labels_outside_train_and_validation_stay_where_they_are() {
    let home = World::with_citation_graph();
    home.veil(&format!("{RELEASE} --out released")).succeeds();
    let [splits, labels] = ["splits", "labels"].map(|table| text(&home, &format!("released/{table}.csv")));
    let asked = splits.lines().skip(1).filter(|line| !line.ends_with(",test"));
    let [asked, labelled] = [asked.collect::<Vec<_>>(), labels.lines().skip(1).collect()]
        .map(|lines| lines.into_iter().map(|line| line.split_once(',').unwrap().0).collect::<Vec<&str>>());
    assert!(!labelled.is_empty());
    assert_eq!(labelled, asked);
}

#[test]
fn a_seed_repeats_a_release_bit_for_bit_and_says_that_it_is_not_private() {
    let home = World::with_citation_graph();
    for out in ["one", "two"] {
        home.veil(&format!("{RELEASE} --seed 1 --out {out}")).succeeds().says("NOT PRIVATE");
    }
    home.veil_on_threads(7, &format!("{RELEASE} --seed 1 --out three")).succeeds();
    assert_same_files(&home, "one", "two");
    assert_same_files(&home, "one", "three");
    assert!(text(&home, "one/privacy.md").contains("Reproducible, therefore not private"));
}

#[test]
fn without_a_seed_two_releases_differ() {
    let home = World::with_citation_graph();
    for out in ["one", "two"] {
        home.veil(&format!("{RELEASE} --out {out}")).succeeds();
    }
    assert_ne!(home.read("one/features.csv.gz"), home.read("two/features.csv.gz"));
    assert_ne!(home.read("one/labels.csv"), home.read("two/labels.csv"));
}

#[test]
fn a_ledger_refuses_what_it_cannot_pay_and_writes_nothing() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget feature=3 --budget label=4").succeeds();
    home.veil(&format!("{RELEASE} --ledger book.db --out one")).succeeds();
    home.veil(&format!("{RELEASE} --ledger book.db --out two")).fails_with(1).says("asked 3, spent 3, left 0");
    assert!(!home.path("two").exists());
    home.refuses(1, "privatize graph --epsilon-labels 2 --ledger book.db --out two", "asked 2, spent 3, left 1");
    home.veil("privatize graph --epsilon-labels 1 --ledger book.db --out two").succeeds();
    let book = home.shown("ledger show book.db");
    assert_eq!(book["entries"].as_array().unwrap().len(), 3);
    let label = book["units"].as_array().unwrap().iter().find(|unit| unit["unit"] == "label").unwrap().clone();
    assert_eq!(
        (label["budget"].as_u64(), label["spent"].as_u64(), label["left"].as_u64()),
        (Some(4), Some(4), Some(0))
    );
    home.veil("ledger show book.db").succeeds().says("randomised-response");
}

#[test]
fn a_release_that_has_no_place_to_go_is_not_charged() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget feature=3 --budget label=3").succeeds();
    home.write("taken", "by someone");
    home.veil(&format!("{RELEASE} --ledger book.db --out taken")).fails_with(1).says("taken");
    assert_eq!(entries(&home, "book.db"), 0);
}

#[test]
fn a_ledger_belongs_to_one_data_set() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 300 --seed 2 --out other").succeeds();
    home.veil("ledger init book.db --budget feature=9 --budget label=9").succeeds();
    home.veil(&format!("{RELEASE} --ledger book.db --out one")).succeeds();
    home.veil("privatize other --epsilon-labels 1 --ledger book.db --out two")
        .fails_with(1)
        .says("another data set")
        .says("add-snapshot book.db");
    // Another format of the same data is the same data.
    home.veil("data import graph --out tables --format parquet").succeeds();
    home.veil("privatize tables --epsilon-labels 1 --ledger book.db --out two").succeeds();
}

#[test]
fn not_privatised_is_said_loudly_and_booked_as_unbounded_only_when_accepted() {
    let home = World::with_citation_graph();
    home.veil("privatize graph --epsilon-features inf --out open").succeeds().says("NOT PRIVATISED");
    assert!(text(&home, "open/privacy.md").contains("Not privatised"));
    home.veil("ledger init book.db --budget feature=3").succeeds();
    let open = "privatize graph --epsilon-features inf --ledger book.db --out booked";
    home.veil(open).fails_with(1).says("is not proven").says("--accept none");
    home.veil(&format!("{open} --accept none")).succeeds();
    assert_eq!(spent(&home, "book.db", "feature"), "unbounded");
    home.refuses(1, "privatize graph --epsilon-features 1 --ledger book.db --out two", "spent unbounded, left 0");
}

#[test]
fn a_data_set_without_a_split_needs_one() {
    let home = World::with_citation_graph();
    std::fs::remove_file(home.path("graph/splits.csv")).unwrap();
    home.veil(&format!("{RELEASE} --out released")).fails_with(2).says("--split 0.5,0.25,0.25");
    home.veil(&format!("{RELEASE} --split 0.5,0.25,0.25 --out released")).succeeds();
    assert_eq!(home.shown("data info released")["labelled"], 225);
}

#[test]
fn ranges_are_stored_given_or_declared_public() {
    let home = World::with_citation_graph();
    let features = "privatize graph --epsilon-features 3";
    home.veil(&format!("{features} --range -1,1 --out one")).succeeds();
    home.veil(&format!("{features} --range data --out two")).fails_with(2).says("--declare-public columns");
    home.veil(&format!("{features} --range data --declare-public columns --out two"))
        .succeeds()
        .says("DECLARED PUBLIC");
    assert!(text(&home, "two/privacy.md").contains("Declared public by the owner"));
    home.veil(&format!("{features} --range 1,0 --out three")).fails_with(2).says("1..0");
    home.veil(&format!("{features} --range wide --out three")).fails_with(2).says("public, data");
}

#[test]
fn wrong_budgets_are_wrong_usage() {
    let home = World::with_citation_graph();
    for (epsilon, says) in [
        ("0", "zero"),
        ("-1", "negative"),
        ("NaN", "NaN"),
        ("banana", "banana"),
        ("0.0000000001", "decimal places"),
        ("1e7", "1000000"),
    ] {
        home.veil(&format!("privatize graph --epsilon-labels {epsilon} --out released")).fails_with(2).says(says);
    }
    home.veil("privatize graph --out released").fails_with(2).says("set epsilon-features");
    home.veil("privatize graph --epsilon-features 3 --samples 9999 --out released").fails_with(2).says("9999");
    home.veil("ledger init book.db --budget knot=3").fails_with(2).says("edge-bit");
    home.veil("ledger init book.db --budget edge=3 --budget edge=4").fails_with(2).says("duplicate budget");
    home.veil("ledger show book.db").fails_with(1).says("veil ledger init");
    assert_eq!(home.list("."), ["graph"]);
}

#[test]
fn a_release_does_not_go_into_the_raw_data_nor_come_from_a_release() {
    let home = World::with_citation_graph();
    home.veil(&format!("{RELEASE} --out graph/released")).fails_with(2).says("inside the raw data");
    home.veil(&format!("{RELEASE} --out released")).succeeds();
    home.veil("privatize released --epsilon-labels 1 --out again").fails_with(2).says("is a release: raw data");
}

#[test]
fn reported_lists_are_released_with_their_statement() {
    let home = World::with_citation_graph();
    let release = |method: &str, out: &str| {
        home.shown(&format!("privatize graph --method {method} --epsilon-features 3 --epsilon-labels 3 --out {out}"))
    };
    let shown = release("shuffled-query --epsilon-edges 2", "asked");
    assert!(
        shown["owner"]["traffic"]["messages"].as_u64().unwrap() > 0 && shown["edges_released"].as_u64().unwrap() > 0
    );
    let statement = text(&home, "asked/privacy.md");
    assert!(
        statement.contains("**Refuted:** the published guarantee (ε = 2, δ = 0.88")
            && !statement.contains("Together they are protected")
    );
    let shown = release("edge-flip --epsilon-edges 2", "flipped");
    assert!(shown.get("owner").is_none());
    let statement = text(&home, "flipped/privacy.md");
    assert_eq!(statement.matches("## Edges").count(), 1);
    assert!(statement.contains("and one entry of their neighbour list: ε = 8"), "{statement}");
    assert!(statement.contains("and the identity of one neighbour: ε = 10"), "{statement}");
    let shown = release("degree-vectors --epsilon-edges 2", "counted");
    assert!(shown["edges_released"].is_null() && home.path("counted/degree-vectors.csv").exists());
    home.veil("privatize graph --method degree-vectors --rounds 2 --epsilon-edges 2 --epsilon-labels 3 --out later")
        .fails_with(2)
        .says("veil train");
    home.refuses(2, "privatize graph --method degree-vectors --epsilon-edges 2 --out later", "set epsilon-labels");
}

#[test]
fn an_owner_releases_a_noisy_graph_that_can_be_trained_on() {
    let home = World::with_citation_graph();
    for (graph, flags) in [("lapgraph", "--epsilon-count 0.1"), ("edgerand", "")] {
        let [one, two, run] = ["one", "two", "run"].map(|name| format!("{graph}-{name}"));
        let others = "--epsilon-features inf --epsilon-labels inf";
        let words = format!(
            "privatize graph --method dpgcn --graph {graph} {flags} --epsilon-edges 4 {others} --seed 1 --json --out"
        );
        let shown = home.veil_on_threads(1, &format!("{words} {one}")).succeeds().json();
        home.veil_on_threads(2, &format!("{words} {two}")).succeeds();
        assert_same_files(&home, &one, &two);
        let edge = shown["guarantees"].as_array().unwrap().iter().find(|it| it["unit"] == "edge").unwrap();
        for (key, value) in [("trust", "central"), ("status", "proven"), ("mechanism", graph)] {
            assert_eq!(edge[key], value, "{graph}");
        }
        assert_eq!((edge["epsilon"].as_u64(), edge["delta"].as_u64()), (Some(4), Some(0)), "{graph}");

        // Undirected, and every edge is there once, in one direction.
        assert_eq!(json(&home, &format!("{one}/meta.json"))["directed"], false, "{graph}");
        let table = text(&home, &format!("{one}/edges.csv"));
        let ends = |line: &str| -> (u32, u32) {
            let (a, b) = line.split_once(',').map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap())).unwrap();
            if a < b { (a, b) } else { (b, a) }
        };
        let mut pairs: Vec<(u32, u32)> = table.lines().skip(1).map(ends).collect();
        let written = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        assert!(written > 300 && pairs.len() == written && pairs.iter().all(|(a, b)| a < b), "{graph}: {written}");
        assert_eq!(shown["edges_released"], 2 * written, "{graph}: in the lists of both ends");
        let released = pairs.iter().map(|(a, b)| format!("{a},{b}"));
        let truth = text(&home, "graph/edges.csv");
        let truth: std::collections::BTreeSet<&str> = truth.lines().collect();
        let kept = released.filter(|pair| truth.contains(pair.as_str())).count();
        assert!(0 < kept && kept < written, "{graph}: {kept} of {written} are true");

        // What was decided for the release is known from it; the truth only scores.
        let train = format!("train {one} --method dpgcn --hidden 16 --epochs 5 --seed 1");
        let shown = home.shown(&format!("{train} --truth graph --out {run}"));
        let learned_from = shown["guarantees"].as_array().unwrap().iter().find(|it| it["unit"] == "edge").unwrap();
        // A statement also says what its ε means.
        let same = |name: &&String| *name != "meaning";
        let parts =
            |it: &serde_json::Value| it.as_object().unwrap().keys().filter(same).map(|name| it[name].clone()).collect();
        let [mine, theirs]: [Vec<serde_json::Value>; 2] = [parts(learned_from), parts(edge)];
        assert_eq!(mine, theirs);
        let parameters = &shown["parameters"];
        assert_eq!((&shown["method"], &parameters["graph"]), (&"dpgcn".into(), &graph.into()));
        assert_eq!(parameters["epsilon-edges"], 4);
        assert_eq!(shown["edges_kept"], 2 * kept, "{graph}");
        home.refuses(2, &format!("{train} --epsilon-edges 9 --out other"), "epsilon-edges was fixed when it was made");
        // Nor is it the release of another method.
        for method in ["lpgnet", "graph-privatizer", "degree-vectors"] {
            let words = format!("train {one} --method {method} --epochs 5 --out other");
            home.veil(&words).fails_with(2).says(&format!("{method} cannot learn from: use dpgcn, gnn or mlp"));
        }
        // The same as training on the graph itself, at once.
        let words = format!("train graph --method dpgcn --graph {graph} {flags} --epsilon-edges 4 --scale none");
        home.veil(&format!("{words} --hidden 16 --epochs 5 --seed 1 --out {graph}-direct")).succeeds();
        assert_same_run(&home, &format!("{graph}-direct"), &run);
    }
    home.veil("privatize graph --method dpgcn --epsilon-edges 4 --epsilon-count 4 --out released")
        .fails_with(2)
        .says("lower epsilon-count");
    home.veil("privatize graph --method dpgcn --out released").fails_with(2).says("requires epsilon-edges");
    home.veil("ledger init book.db --budget edge=5").succeeds();
    let lone = "privatize graph --method dpgcn --graph edgerand --epsilon-edges 3 --ledger book.db --out";
    home.veil(&format!("{lone} paid")).succeeds().says("proven");
    home.veil(&format!("{lone} unpaid")).fails_with(1).says("edge: asked 3, spent 3, left 2");
    assert_eq!((spent(&home, "book.db", "edge"), home.path("unpaid").exists()), (3.into(), false));
}

#[test]
fn a_neighbour_that_is_named_twice_stays_named_twice() {
    let home = World::with_citation_graph();
    let release =
        "privatize graph --method neighbour-krr --epsilon-edges 1 --epsilon-features inf --seed 1 --out released";
    home.veil(release).succeeds();
    let table = text(&home, "released/edges.csv");
    let mut distinct: Vec<&str> = table.lines().skip(1).collect();
    distinct.dedup();
    assert!(distinct.len() < 1170, "this seed repeats somebody");
    home.veil("data import released --out folder").succeeds();
    home.veil("data import released --out tables --format parquet").succeeds();
    home.veil("data import tables --out back").succeeds();
    for data in ["released", "folder", "tables", "back"] {
        let info = home.shown(&format!("data info {data}"));
        assert_eq!((info["edges"].as_u64(), info["duplicates_dropped"].as_u64()), (Some(1170), Some(0)), "{data}");
    }
    assert_eq!(home.read("back/edges.csv"), home.read("released/edges.csv"));
    // Released edges beside features as they are: a release all the same.
    home.veil("privatize released --epsilon-features 1 --out again").fails_with(2).says("is a release: raw data");
    for data in ["folder", "tables"] {
        home.refuses(1, &format!("privatize {data} --epsilon-features 1 --out again"), "already a release");
    }
    assert!(!home.path("again").exists());
}

#[test]
fn what_was_counted_in_the_data_is_declared_or_refused() {
    let home = World::with_citation_graph();
    home.veil(&format!("{RELEASE} --out one")).succeeds();
    assert!(!text(&home, "one/privacy.md").contains("Declared public"), "meta.json gives the numbers");
    assert!(!text(&home, "one/meta.json").contains("counted"), "and so does the release's");
    std::fs::remove_file(home.path("graph/meta.json")).unwrap();
    std::fs::remove_file(home.path("graph/classes.csv")).unwrap_or_default();
    let facts = "--declare-public nodes,dimensions,classes,columns";
    home.veil(&format!("{RELEASE} --out two")).fails_with(2).says(facts);
    home.veil(&format!("{RELEASE} {facts} --out two")).succeeds();
    assert_eq!(json(&home, "two/privacy.json")["declared"].as_array().unwrap().len(), 4);
    // Importing does not launder it.
    home.veil("data import graph --out copy").succeeds();
    home.veil("data import copy --out tables --format parquet").succeeds();
    home.veil("privatize tables --epsilon-features 3 --epsilon-labels 3 --out three").fails_with(2).says(facts);
}

#[test]
fn a_release_cut_off_at_any_moment_is_whole_or_absent_and_was_paid_for() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget label=1000").succeeds();
    let mut whole = 0;
    for round in 0..25 {
        let out = format!("out{round}");
        let mut child = home.started(&format!("privatize graph --epsilon-labels 1 --ledger book.db --out {out}"));
        std::thread::sleep(std::time::Duration::from_millis(round * 2));
        child.kill().unwrap();
        child.wait().unwrap();
        if home.path(&out).exists() {
            whole += 1;
            assert!(home.path(&out).join("privacy.md").exists() && home.path(&out).join("meta.json").exists());
        }
    }
    let charged = entries(&home, "book.db");
    assert!(charged >= whole, "{charged} charges for {whole} releases");
}

#[cfg(unix)]
#[test]
fn ctrl_c_in_the_middle_leaves_nothing_behind() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget label=3").succeeds();
    // Whoever holds the ledger makes the release wait, after its folder was made and before it is
    // charged.
    let busy = rusqlite::Connection::open(home.path("book.db")).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut child = home.started("privatize graph --epsilon-labels 1 --ledger book.db --out released");
    assert!(waited(&mut child, || home.has_unfinished()), "the release ended");
    let ended = interrupted(child);
    assert_eq!(ended.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("interrupted"));
    drop(busy);
    assert!(!home.has_unfinished() && !home.path("released").exists());
    assert_eq!(entries(&home, "book.db"), 0);
}

#[test]
fn json_errors_are_json() {
    let home = World::new();
    let usage = home.veil("privatize nowhere --epsilon-labels 0 --out out --json").fails_with(2).stderr();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&usage).unwrap()["exit_code"], 2);
    let said = home.veil("data info nowhere --json").fails_with(1);
    let error: serde_json::Value = serde_json::from_str(&said.stderr()).unwrap();
    assert!(error["error"].as_str().unwrap().contains("nowhere") && error["exit_code"] == 1);
}

#[test]
fn cora_is_released_with_exactly_one_sign_per_node() {
    let Some(cora) = real_data("cora") else { return };
    let home = World::new();
    let data = cora.display();
    let shown = home.shown(&format!("privatize {data} --epsilon-features 3 --epsilon-labels 3 --range 0,1 --out out"));
    assert_eq!((shown["signs_per_node"].as_u64(), shown["labels_released"].as_u64()), (Some(1), Some(640)));
    let info = home.shown("data info out");
    assert_eq!((info["features"].as_u64(), info["feature_nonzeros"].as_u64()), (Some(1433), Some(2708)));
}
