//! Stories about `veil data split-private`.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use std::collections::BTreeSet;

use world::{World, assert_same_files, json, text};

const RANDOM: &str = "data split-private graph --private-per-class 20 --public-train 60 --public-test 50";

/// The names of a folder's nodes, which are the numbers of the whole graph.
fn names(home: &World, folder: &str) -> BTreeSet<String> {
    let table = text(home, &format!("{folder}/nodes.csv"));
    table.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn a_graph_is_taken_apart_into_private_public_and_outside() {
    let home = World::with_citation_graph();
    let shown = home.shown(&format!("{RANDOM} --seed 1 --out parts"));
    let whole = json(&home, "graph/meta.json");
    let classes = whole["classes"].as_u64().unwrap();
    let parts = ["private", "public", "outside"];
    let sizes = parts.map(|part| shown[part]["nodes"].as_u64().unwrap());
    assert_eq!(sizes, [20 * classes, 110, 300 - 110 - 20 * classes]);
    assert_eq!(shown["private"]["class_sizes"], serde_json::json!(vec![20; classes as usize]));
    assert_eq!(shown["private"]["split"], serde_json::json!([20 * classes, 0, 0]));
    assert_eq!(shown["public"]["split"], serde_json::json!([60, 0, 50]));
    let edges = parts.map(|part| shown[part]["edges"].as_u64().unwrap());
    assert_eq!(edges.iter().sum::<u64>() + shown["edges_dropped"].as_u64().unwrap(), whole["edges"].as_u64().unwrap());
    let all: Vec<BTreeSet<String>> = parts.iter().map(|part| names(&home, &format!("parts/{part}"))).collect();
    assert_eq!(all.iter().map(BTreeSet::len).sum::<usize>(), 300);
    assert_eq!(all.into_iter().flatten().collect::<BTreeSet<_>>().len(), 300, "nobody is in two of them");
    for part in parts {
        let meta = json(&home, &format!("parts/{part}/meta.json"));
        let same = ["features", "classes", "feature_range"].map(|key| meta[key] == whole[key]);
        assert_eq!(same, [true; 3], "what was declared stays declared: {meta}");
        assert_eq!(meta["counted"], serde_json::json!(["nodes"]), "labels decided which nodes these are: {meta}");
        home.veil(&format!("data info parts/{part}")).succeeds();
    }
    home.veil(&format!("{RANDOM} --seed 1 --out again")).succeeds().says("edges between them were dropped");
    home.veil(&format!("{RANDOM} --seed 2 --out other")).succeeds().says("must not learn from them");
    for part in parts {
        assert_same_files(&home, &format!("parts/{part}"), &format!("again/{part}"));
    }
    assert_ne!(names(&home, "parts/private"), names(&home, "other/private"));
    home.veil("train parts/private --method gnn --model sage --epochs 2 --seed 1 --out run").succeeds();
}

#[test]
fn parts_that_overlap_as_published_say_so() {
    let home = World::with_citation_graph();
    let shown = home.shown(&format!("{RANDOM} --seed 1 --overlapping --out parts"));
    assert_eq!(shown["public"]["split"], serde_json::json!([60, 0, 50]));
    assert!(shown["public_that_are_private"].as_u64().unwrap() > 0, "{shown}");
    assert!(shown["test_that_are_train"].as_u64().unwrap() > 0, "{shown}");
    home.veil(&format!("{RANDOM} --seed 1 --overlapping --out again")).succeeds().says("no privacy follows");
    assert_eq!(home.read("parts/public/edges.csv"), home.read("again/public/edges.csv"));
    home.veil(&format!("{RANDOM} --seed 1 --out apart")).succeeds();
    assert_eq!(names(&home, "parts/private"), names(&home, "apart/private"), "the private part is drawn as ever");
}

#[test]
fn years_decide_who_is_private() {
    let home = World::with_citation_graph();
    let year = |node: u32| if node == 7 { 2030 } else { 2010 + node % 10 };
    let table: Vec<String> = (0..300).rev().map(|node| format!("{node},{}", year(node))).collect();
    home.write("year.csv", format!("node,year\n{}\n", table.join("\n")));
    let by = "data split-private graph --by year.csv --private-range ..2016 --train-range 2017";
    let shown = home.shown(&format!("{by} --test-range 2018.. --out parts"));
    assert_eq!(shown["private"]["nodes"], 210);
    assert_eq!(shown["public"]["split"], serde_json::json!([29, 0, 61]));
    assert!(shown["outside"].is_null() && shown["seed"].is_null());
    assert_eq!(home.list("parts"), ["private", "public"]);
    home.veil(&format!("{by} --test-range 2018..2019 --out more")).succeeds();
    assert_eq!(names(&home, "more/outside"), BTreeSet::from(["7".to_owned()]));
    let wrong = |content: String, says: &str| {
        home.write("year.csv", content);
        home.veil(&format!("{by} --test-range 2018.. --out wrong")).fails_with(1).says(says);
    };
    wrong("node,year\n300,2010\n".to_owned(), "year.csv:2:1: found \"300\"");
    wrong("node,year\n0,2010\n1,soon\n".to_owned(), "year.csv:3:2: found \"soon\"");
    wrong(format!("node,year\n{}\n", table[1..].join("\n")), "missing node 299");
    home.veil("data split-private graph --by nowhere.csv --private-range 1 --train-range 2 --test-range 3 --out wrong")
        .fails_with(1)
        .says("nowhere.csv");
    assert!(!home.path("wrong").exists());
}

#[test]
fn what_cannot_be_taken_apart_is_said_and_nothing_is_written() {
    let home = World::with_citation_graph();
    let split = |flags: &str| home.veil(&format!("data split-private {flags} --out wrong"));
    split("graph --private-per-class 200 --public-train 5 --public-test 5")
        .fails_with(2)
        .says("fewer than the 200 private nodes per class");
    split("graph --private-per-class 5 --public-train 200 --public-test 200").fails_with(2).says("400 public nodes");
    split("graph --private-per-class 5 --public-train 0 --public-test 5").fails_with(2).says("no node is public");
    split("graph --private-per-class 5 --public-train 5").fails_with(2).says("--public-test");
    split("graph --by year.csv --private-range ..5").fails_with(2).says("--train-range");
    split("graph --private-range ..5").fails_with(2).says("--by");
    split("graph --by year.csv --private-range 5..1 --train-range 7 --test-range 8").fails_with(2).says("5..1");
    split("graph --by year.csv --seed 1 --private-range 1 --train-range 7 --test-range 8").fails_with(2).says("--seed");
    home.write("bare.csv", "a,b\nb,c\n");
    split("bare.csv --private-per-class 1 --public-train 1 --public-test 1").fails_with(2).says("has no labels");
    assert!(!home.path("wrong").exists());
    home.write("wrong/here", "something");
    split("graph --private-per-class 5 --public-train 5 --public-test 5 --seed 1").fails_with(1).says("already exists");
    assert_eq!(home.list("wrong"), ["here"]);
}
