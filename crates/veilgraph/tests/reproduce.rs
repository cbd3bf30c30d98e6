//! Stories about `veil lab reproduce`, and about `veil lab report` of a sweep.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use world::{World, real_data, text};

#[test]
fn there_is_a_list_of_what_can_be_run() {
    let home = World::new();
    let listed = home.shown("lab reproduce");
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    for name in ["graphprivatizer/table-6", "graphprivatizer/tables-8-12", "lpgnet/figures-5-6", "privgnn/table-4"] {
        assert!(names.contains(&name), "{names:?}");
    }
    home.veil("lab reproduce").succeeds().says("graphprivatizer/table-6").says("TMLR 2024");
}

/// On a made-up graph nothing has to agree, but everything is there; the second time nothing is run
/// again.
#[test]
fn a_table_is_run_and_put_beside_the_published_one() {
    let home = World::with_citation_graph();
    let words = "lab reproduce graphprivatizer/table-6 --data cora=graph --seeds 2 --models gcn --out table";
    let found = home.shown(words);
    assert_eq!((found["runs"].as_u64(), found["failed"].as_u64()), (Some(6), Some(0)), "{found}");
    let rows = found["rows"].as_array().unwrap();
    // Three cases, accuracy and attack.
    assert_eq!(rows.len(), 6, "{found}");
    let gp = rows.iter().find(|row| row["case"] == "gp" && row["figure"] == "test_accuracy").unwrap();
    assert_eq!((gp["published"].as_f64(), gp["ours"]["count"].as_u64()), (Some(75.7), Some(2)));
    let difference = gp["ours"]["mean"].as_f64().unwrap() - 75.7;
    assert!((gp["agreement"]["difference"].as_f64().unwrap() - difference).abs() < 1e-9, "{gp}");
    assert!(home.path("table/report.html").exists());
    assert_eq!(home.shown(words)["rows"], found["rows"]);
    home.veil(words).succeeds().says_all(&["published", "tolerance", "agree within the joint uncertainty"]);
    // It is called cora, and is not.
    assert_eq!(found["warnings"][0]["published"]["nodes"], 2708, "{found}");
    assert!(home.veil(words).stderr().contains("this is not the published cora: 300 nodes"));
    // A sweep's folder is what a report is made of.
    home.veil("lab report table --out page.html --floor rr --non-private inf --title Again")
        .succeeds()
        .says("page.html");
    let page = text(&home, "page.html");
    let page = page.replace("http://www.w3.org/2000/svg", "");
    assert!(page.contains("<title>Again") && !page.contains("http://") && !page.contains("src="), "{}", page.len());
    home.veil("lab report table --out page.html").fails_with(1).says("page.html");
    home.veil("lab report table --out other.html --floor unknown").fails_with(2).says("no case \"unknown\"");
    home.veil("lab report nowhere --out other.html").fails_with(1).says("nowhere");
}

/// The other graphs of a table can be given, each with its own parameters.
#[test]
fn every_published_graph_can_be_given() {
    let home = World::with_citation_graph();
    let words =
        "lab reproduce graphprivatizer/table-6 --data pubmed=graph --data amazon-photo=graph --seeds 1 --models gcn";
    let found = home.shown(&format!("{words} --out table"));
    let accuracy = |data: &str| {
        let rows = found["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["data"] == data && row["case"] == "inf").unwrap();
        (row["figure"].clone(), row["published"].as_f64(), row["ours"]["count"].as_u64())
    };
    assert_eq!(accuracy("pubmed"), ("test_accuracy".into(), Some(82.4), Some(1)), "{found}");
    assert_eq!(accuracy("amazon_photo"), ("test_accuracy".into(), Some(80.8), Some(1)), "{found}");
    let parts =
        "data split-private graph --private-per-class 20 --public-train 60 --public-test 60 --seed 1 --out apart";
    home.veil(parts).succeeds();
    // Too few nodes for 1,000 questions: but the parts are found and read.
    let refused = home.veil("lab reproduce privgnn/table-2 --data arxiv=apart --out students");
    assert!(refused.stderr().contains("1000") || refused.stderr().contains("1,000"), "{}", refused.stderr());
}

/// A small graph in `graph`, and the same without its edges in `empty`.
fn with_and_without_edges() -> World {
    let home = World::with_graph("bipartite --nodes 200");
    for name in home.list("graph") {
        home.write(&format!("empty/{name}"), home.read(&format!("graph/{name}")));
    }
    home.write("empty/edges.csv", "src,dst\n");
    let meta = text(&home, "graph/meta.json");
    home.write("empty/meta.json", meta.replace("\"edges\": 600", "\"edges\": 0"));
    home
}

/// No attack finds anything where there are no edges, so what is attacked fails; the rest does not
/// hide it.
#[test]
fn runs_that_failed_are_said_beside_what_was_published() {
    let home = with_and_without_edges();
    let words = "lab reproduce lpgnet/figure-7 --data twitch_es=graph --data twitch_de=empty --seeds 1 --out figure";
    let found = home.shown(words);
    assert_eq!((found["runs"].as_u64(), found["failed"].as_u64()), (Some(18), Some(10)), "{found}");
    assert_eq!((found["compared"].as_u64(), found["not_compared"].as_u64()), (Some(2), Some(9)), "{found}");
    let failures = found["failures"].as_array().unwrap();
    assert!(failures.len() == 10 && failures[0]["error"].as_str().unwrap().contains("there is nothing to find"));
    let row = found["rows"].as_array().unwrap().iter().find(|row| row["case"] == "mlp").unwrap();
    assert_eq!((&row["ours"], row["published"].as_f64()), (&serde_json::Value::Null, Some(0.5563)), "{row}");
    let said = home.veil(words).succeeds().says("10 of 18 runs FAILED").says("9 more are not compared").stdout();
    assert!(
        said.lines().any(|line| line.contains("mlp") && line.contains("failed") && line.contains("55.6")),
        "{said}"
    );
    assert!(said.contains("the published ± is not used"), "{said}");
    // Without a successful run there is no result; a share of no edges is shown as none.
    let words = "lab reproduce graphprivatizer/table-6 --data cora=empty --seeds 1 --models gcn --out table";
    home.veil(words).fails_with(1).says("all 3 runs failed, the first (inf on cora, seed 1): attack linkteller");
    let words = "lab reproduce dpgcn/table-1 --data cora=empty --seeds 1 --out noise";
    home.veil(words).succeeds().says("none").says("epsilon-edges 10");
}

/// Nothing is read and nothing is written: what answers cost follows from numbers alone.
#[test]
fn the_price_of_answers_is_computed_beside_the_published_one() {
    let home = World::new();
    let found = home.shown("lab reproduce privgnn/table-3");
    let rows = found["rows"].as_array().unwrap();
    let count = |case: &str, agrees: bool| {
        rows.iter().filter(|row| row["case"] == case && row["agreement"]["agrees"] == agrees).count()
    };
    assert_eq!((count("privgnn", true), count("pate-g", true), count("pate-g", false)), (30, 29, 1), "{found}");
    assert_eq!((found["compared"].as_u64(), found["agree"].as_u64(), rows.len()), (Some(60), Some(59), 90));
    let first = &rows[0];
    assert_eq!((first["published"].as_f64(), &first["promised"]["status"]), (Some(2.67), &"proven".into()));
    assert!(first["promised"]["epsilon"].as_f64().unwrap() > first["ours"]["mean"].as_f64().unwrap());
    home.veil("lab reproduce privgnn/table-4").succeeds().says("10 of 10 figures agree").says("proven");
    for flag in ["--data amazon=graph", "--seeds 3", "--models gcn", "--cores 1", "--out table"] {
        let name = flag.split(' ').next().unwrap();
        home.veil(&format!("lab reproduce privgnn/table-3 {flag}")).fails_with(2).says(&format!("does not use {name}"));
    }
    assert!(home.list(".").is_empty());
}

/// Pictures without numbers: ours stand alone.
#[test]
fn what_was_published_without_numbers_is_shown_alone() {
    let home = World::with_graph("bipartite --nodes 200");
    let words = "lab reproduce lpgnet/figure-8 --data bipartite=graph --seeds 1 --out figure";
    let found = home.shown(words);
    assert_eq!((found["failed"].as_u64(), found["compared"].as_u64()), (Some(0), Some(0)), "{found}");
    let rows = found["rows"].as_array().unwrap();
    // Ten runs: utility and two attacks.
    assert_eq!(rows.len(), 30, "{found}");
    assert!(rows.iter().all(|row| row["published"].is_null() && row["ours"]["count"] == 1));
    home.veil(words).succeeds().says("lpgnet-1").says("nothing was published in figures");
}

/// The truth has no seed, models have.
#[test]
fn homophily_of_models_stands_beside_the_truth() {
    let home = World::with_citation_graph();
    let found = home.shown("lab reproduce lpgnet/figure-3 --data cora=graph --seeds 2 --out figure");
    let edges = |case: &str| {
        let rows = found["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["case"] == case && row["figure"] == "homophily_edges").unwrap();
        (row["ours"]["mean"].as_f64().unwrap(), row["ours"]["count"].as_u64().unwrap())
    };
    assert_eq!([edges("truth").1, edges("gcn").1, edges("mlp").1, edges("lpgnet-2").1], [1, 2, 2, 2]);
    let known = home.shown("data homophily graph");
    assert_eq!(known["sources"][0]["edges"].as_f64(), Some(edges("truth").0));
    assert!(edges("mlp").0 < edges("gcn").0, "{found}");
}

/// A graph that is too small to be split is refused before any teacher is trained.
#[test]
fn students_need_a_graph_that_is_large_enough() {
    let home = World::with_citation_graph();
    let words = "lab reproduce privgnn/table-2 --data amazon_computers=graph --out table";
    home.veil(words).fails_with(2).says("fewer than the 250 private nodes per class");
    assert_eq!(home.list("."), ["graph"]);
}

#[test]
fn what_cannot_be_reproduced_is_said() {
    let home = World::with_citation_graph();
    for (words, reason) in [
        ("lab reproduce table-99", "unknown table \"table-99\""),
        ("lab reproduce dpgcn/table-1", "--data cora=PATH"),
        ("lab reproduce dpgcn/table-1 --data pubmed=graph", "has no data \"pubmed\"; it has cora"),
        ("lab reproduce graphprivatizer/table-3 --data lastfm=graph --models gat", "no network \"gat\"; it has gcn"),
        ("lab reproduce lpgnet/table-2 --data cora=graph --models gat", "no network \"gat\"; it has gcn"),
        ("lab reproduce lpgnet/figure-7 --data twitch_de=graph", "also requires --data twitch_es=PATH"),
        ("lab reproduce lpgnet/figure-7 --data twitch_es=graph", "--data twitch_de=PATH or --data twitch_engb=PATH"),
        ("lab reproduce dpgcn/table-1 --data cora", "NAME=PATH"),
        ("lab reproduce graphprivatizer/table-6 --data cora=graph --models perceptron", "perceptron"),
        ("lab reproduce lpgnet/figure-8", "--data bipartite=PATH --data chameleon=PATH"),
        ("lab reproduce privgnn/table-2", "--data amazon_computers=PATH --data arxiv=PATH --data reddit=PATH"),
        ("lab reproduce privgnn/table-2 --data amazon_computers=graph --models gcn", "does not use --models"),
        ("lab reproduce privgnn/table-2 --data amazon_computers=graph --out graph/inside", "lies inside the raw data"),
    ] {
        home.veil(words).fails_with(2).says(reason);
    }
    assert_eq!(home.list("."), ["graph"]);
}

/// LapGraph's noisy edges on Cora: no training worth the name, so all of the table.
#[test]
fn noisy_edges_of_cora_are_as_published() {
    let Some(cora) = real_data("cora") else { return };
    let home = World::new();
    let words = format!("lab reproduce dpgcn/table-1 --data cora={} --seeds 2 --out table --json", cora.display());
    let found = home.veil(&words).succeeds().json();
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 10);
    for row in rows {
        assert!(row["agreement"]["difference"].as_f64().unwrap().abs() < 3.0, "{row}");
    }
}

#[test]
fn a_group_of_tables_makes_a_page_by_the_true_epsilon() {
    let home = World::new();
    home.veil("data generate citation --nodes 150 --seed 1 --out graph").succeeds();
    let words = "lab reproduce frontier/edge --data cora=graph --seeds 1 --out runs --page pages";
    home.veil(words).succeeds().says("nothing was published in figures");
    let page = std::fs::read_to_string(home.path("pages/frontier.md")).unwrap();
    for expected in [
        "| method | status | ε = 1 | ε = 2 | ε = 4 | ε = 8 | LinkTeller | LinkTeller, twin | LSA",
        "| cascade (ours) | proven |",
        "| GAP | proven |",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
    let picture = std::fs::read_to_string(home.path("pages/frontier-edge.svg")).unwrap();
    assert!(picture.contains("LPGNet-1, Bayes (ours), ε = 8"), "{picture}");
    // In a group, data that no table has are refused.
    home.veil("lab reproduce frontier --data karate=graph").fails_with(2).says("has data \"karate\"");
    home.veil("lab reproduce privgnn/table-3 --page pages").fails_with(2).says("--page requires");
}
