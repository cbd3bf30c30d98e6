//! Stories about `veil reproduce`, and about `veil report` of a sweep.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use world::{World, real_data};

#[test]
fn there_is_a_list_of_what_can_be_run() {
    let home = World::new();
    let listed = home.veil("reproduce --json").succeeds().json();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    for name in ["graphprivatizer/table-6", "graphprivatizer/tables-8-12", "lpgnet/figures-5-6", "privgnn/table-4"] {
        assert!(names.contains(&name), "{names:?}");
    }
    home.veil("reproduce").succeeds().says("graphprivatizer/table-6").says("TMLR 2024");
}

/// On a made-up graph nothing has to agree, but everything is there; the second time nothing is run again.
#[test]
fn a_table_is_run_and_put_beside_the_published_one() {
    let home = World::with_citation_graph();
    let words = "reproduce graphprivatizer/table-6 --data cora=graph --seeds 2 --models gcn --out table --json";
    let found = home.veil(words).succeeds().json();
    assert_eq!((found["runs"].as_u64(), found["failed"].as_u64()), (Some(6), Some(0)), "{found}");
    let rows = found["rows"].as_array().unwrap();
    // Three cases, accuracy and attack.
    assert_eq!(rows.len(), 6, "{found}");
    let gp = rows.iter().find(|row| row["case"] == "gp" && row["figure"] == "test_accuracy").unwrap();
    assert_eq!((gp["published"].as_f64(), gp["ours"]["count"].as_u64()), (Some(75.7), Some(2)));
    let difference = gp["ours"]["mean"].as_f64().unwrap() - 75.7;
    assert!((gp["agreement"]["difference"].as_f64().unwrap() - difference).abs() < 1e-9, "{gp}");
    assert!(home.path("table/report.html").exists());
    let again = home.veil(words).succeeds().json();
    assert_eq!(again["rows"], found["rows"]);
    home.veil(&words.replace(" --json", "")).succeeds().says("published").says("agree within the joint uncertainty");
    // A sweep's folder is what a report is made of.
    home.veil("report table --out page.html --floor rr --non-private inf --title Again").succeeds().says("page.html");
    let page = String::from_utf8(home.read("page.html")).unwrap();
    assert!(page.contains("<title>Again") && !page.contains("http://") && !page.contains("<script"), "{}", page.len());
    home.veil("report table --out page.html").fails_with(1).says("page.html");
    home.veil("report table --out other.html --floor nobody").fails_with(2).says("no case \"nobody\"");
    home.veil("report nowhere --out other.html").fails_with(1).says("nowhere");
}

/// Nothing is read and nothing is written: what answers cost follows from numbers alone.
#[test]
fn the_price_of_answers_is_computed_beside_the_published_one() {
    let home = World::new();
    let found = home.veil("reproduce privgnn/table-3 --json").succeeds().json();
    let rows = found["rows"].as_array().unwrap();
    let count = |case: &str, agrees: bool| {
        rows.iter().filter(|row| row["case"] == case && row["agreement"]["agrees"] == agrees).count()
    };
    assert_eq!((count("privgnn", true), count("pate-g", true), count("pate-g", false)), (30, 29, 1), "{found}");
    assert_eq!((found["compared"].as_u64(), found["agree"].as_u64(), rows.len()), (Some(60), Some(59), 90));
    let first = &rows[0];
    assert_eq!((first["published"].as_f64(), &first["promised"]["status"]), (Some(2.67), &"proven".into()));
    assert!(first["promised"]["epsilon"].as_f64().unwrap() > first["ours"]["mean"].as_f64().unwrap());
    home.veil("reproduce privgnn/table-4").succeeds().says("10 of 10 figures agree").says("proven");
    for flag in ["--data amazon=graph", "--seeds 3", "--models gcn", "--cores 1", "--out table"] {
        let name = flag.split(' ').next().unwrap();
        home.veil(&format!("reproduce privgnn/table-3 {flag}")).fails_with(2).says(&format!("leave {name} out"));
    }
    assert!(home.list(".").is_empty());
}

/// Pictures without numbers: ours stand alone.
#[test]
fn what_was_published_without_numbers_is_shown_alone() {
    let home = World::new();
    home.veil("data generate bipartite --nodes 200 --seed 1 --out bipartite").succeeds();
    let words = "reproduce lpgnet/figure-8 --data bipartite=bipartite --seeds 1 --out figure";
    let found = home.veil(&format!("{words} --json")).succeeds().json();
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
    let words = "reproduce lpgnet/figure-3 --data cora=graph --seeds 2 --out figure --json";
    let found = home.veil(words).succeeds().json();
    let edges = |case: &str| {
        let rows = found["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["case"] == case && row["figure"] == "homophily_edges").unwrap();
        (row["ours"]["mean"].as_f64().unwrap(), row["ours"]["count"].as_u64().unwrap())
    };
    assert_eq!([edges("truth").1, edges("gcn").1, edges("mlp").1, edges("lpgnet-2").1], [1, 2, 2, 2]);
    let known = home.veil("data homophily graph --json").succeeds().json();
    assert_eq!(known["sources"][0]["edges"].as_f64(), Some(edges("truth").0));
    assert!(edges("mlp").0 < edges("gcn").0, "{found}");
}

/// A graph that is too small to be taken apart is refused before any teacher is asked.
#[test]
fn students_need_a_graph_that_is_large_enough() {
    let home = World::with_citation_graph();
    let words = "reproduce privgnn/table-2 --data amazon_computers=graph --out table";
    home.veil(words).fails_with(2).says("250 private ones of each class were asked for");
    assert_eq!(home.list("."), ["graph"]);
}

#[test]
fn what_cannot_be_reproduced_is_said() {
    let home = World::with_citation_graph();
    for (words, reason) in [
        ("reproduce table-99", "\"table-99\" is no table that can be run"),
        ("reproduce dpgcn/table-1", "--data cora=PATH"),
        ("reproduce dpgcn/table-1 --data pubmed=graph", "has no data \"pubmed\""),
        ("reproduce dpgcn/table-1 --data cora", "NAME=PATH"),
        ("reproduce graphprivatizer/table-6 --data cora=graph --models perceptron", "perceptron"),
        ("reproduce lpgnet/figure-8", "--data bipartite=PATH --data chameleon=PATH"),
        ("reproduce privgnn/table-2", "--data amazon_computers=PATH"),
        ("reproduce privgnn/table-2 --data amazon_computers=graph --models gcn", "leave --models out"),
        ("reproduce privgnn/table-2 --data amazon_computers=graph --out graph/inside", "lies inside the raw data"),
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
    let words = format!("reproduce dpgcn/table-1 --data cora={} --seeds 2 --out table --json", cora.display());
    let found = home.veil(&words).succeeds().json();
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 10);
    for row in rows {
        assert!(row["agreement"]["difference"].as_f64().unwrap().abs() < 3.0, "{row}");
    }
}
