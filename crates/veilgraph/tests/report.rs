//! Stories about `veil lab report` of run folders.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use world::{World, text};

const LOCAL: &str = "--method degree-vectors --epsilon-edges 2 --epsilon-features inf --epsilon-labels inf --epochs 5";
const OPEN: &str = "--method gnn --recipe graph-privatizer --epsilon-features inf --epsilon-labels inf --epochs 5";

fn train(home: &World, words: &str, out: &str) {
    home.veil(&format!("train graph {words} --out {out}")).succeeds();
}

/// The page of some runs, as text.
fn page(home: &World, words: &str) -> String {
    home.veil(&format!("lab report {words} --out page.html")).succeeds();
    let page = text(home, "page.html");
    std::fs::remove_file(home.path("page.html")).unwrap();
    page
}

#[test]
fn a_run_says_what_it_promises_and_was_made_with() {
    let home = World::with_citation_graph();
    train(&home, &format!("{LOCAL} --seed 1"), "run");
    let html = page(&home, "run");
    assert!(
        html.contains("<th scope=\"row\" class=\"case\"><span class=\"name\">degree-vectors</span>")
            && html.contains("edge-bit")
            && html.contains("<h3>run</h3>")
    );
    // Seeds are known, so nothing here is private, whatever is proven; without them it is.
    assert!(html.contains("Reproducible, therefore not private:") && html.contains("seeded: not private"));
    assert!(html.contains("<th scope=\"row\">Learning rate</th><td>0.01</td><td>lr</td>") && !html.contains(">null<"));
    // A relationship that both ends report has twice the ε.
    assert!(html.contains(">2<br><span class=\"quiet\">edge:\u{a0}4</span></td>"));
    train(&home, LOCAL, "unseeded");
    assert!(!page(&home, "unseeded").contains("Reproducible, therefore not private:"));
    let both = page(&home, "run unseeded");
    assert!(both.contains("the noise of the marked rows") && both.contains("noise seeded"));
}

/// Folders of one name held three runs: a non-private one must not be a seed of a private one.
#[test]
fn runs_are_told_apart_by_what_they_are_and_not_by_the_names_of_folders() {
    let home = World::with_citation_graph();
    for (words, out) in [
        (format!("{LOCAL} --seed 1"), "a/run"),
        (format!("{LOCAL} --seed 2"), "b/run"),
        (format!("{OPEN} --seed 1"), "c/run"),
    ] {
        train(&home, &words, out);
    }
    train(&home, &format!("{LOCAL} --hidden 8 --seed 1"), "d/run");
    let html = page(&home, "a/run b/run c/run d/run");
    for name in ["<h3>a/run</h3>", "<h3>c/run</h3>", "gnn, gcn", "hidden 8", "hidden 64"] {
        assert!(html.contains(name), "{name}");
    }
    let seeds = |seeds: u32| html.matches(&format!("<td class=\"number\">{seeds}</td></tr>")).count();
    assert_eq!((seeds(2), seeds(1)), (1, 2));
}

#[test]
fn the_same_run_is_no_second_seed() {
    let home = World::with_citation_graph();
    train(&home, &format!("{LOCAL} --seed 1"), "run");
    train(&home, &format!("{LOCAL} --seed 1"), "again");
    home.veil("lab report run run --out page.html").fails_with(2).says("run and run are the same run");
    home.veil("lab report run ./run/ --out page.html").fails_with(2).says("are the same run");
    home.veil("lab report run again --out page.html").fails_with(2).says("run and again are the same run");
    assert!(!home.path("page.html").exists());
}

/// The name of a data set is what somebody called it.
#[test]
fn data_of_one_name_are_told_apart() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 310 --seed 2 --out other").succeeds();
    home.veil("data generate citation --nodes 300 --seed 3 --out third").succeeds();
    for (data, out) in [("graph", "a"), ("other", "b"), ("third", "c")] {
        home.veil(&format!("train {data} {LOCAL} --seed 1 --out {out}")).succeeds();
    }
    let html = page(&home, "a b c");
    for data in ["Results on citation (1)", "Results on citation (2)", "Results on citation (3)"] {
        assert!(html.contains(data), "{data}");
    }
    assert!(page(&home, "a").contains("Results on citation<"));
}

#[test]
fn an_owner_sees_what_was_released_beside_the_truth() {
    let home = World::with_citation_graph();
    let words = "--method graph-privatizer --epsilon-edges 1 --epsilon-features 3 --epsilon-labels 3 --range data --declare-public columns --epochs 5 --seed 1";
    train(&home, words, "run");
    home.veil("privatize graph --method neighbour-krr --epsilon-edges 2 --seed 1 --out released").succeeds();
    let html = page(&home, "run released --truth graph");
    assert!(html.contains("For the owner alone.") && html.contains("run, ε = 1: degrees"));
    assert!(html.contains("released, ε = 2: homophily per class") && html.contains("<h3>released</h3>"));
    assert!(html.contains("given public columns") && html.contains("No attack was measured"));
    assert!(!page(&home, "run").contains("For the owner alone."));
    home.veil("data generate citation --nodes 310 --seed 2 --out other").succeeds();
    home.veil("lab report run --truth other --out page.html")
        .fails_with(1)
        .says("--truth is the raw data that the run was made from");
    home.veil("lab report run --truth released --out page.html").fails_with(2).says("requires the raw data");
    train(&home, &format!("{LOCAL} --seed 1"), "vectors");
    home.veil("lab report vectors --truth graph --out page.html").fails_with(2).says("no folder has a released graph");
}

#[test]
fn what_attacks_found_in_a_run_can_be_shown() {
    let home = World::with_citation_graph();
    train(&home, &format!("{OPEN} --seed 1"), "run");
    let found = home.veil("attack linkteller run --truth graph --pairs 50 --json").succeeds().stdout();
    home.write("found.json", &found);
    let html = page(&home, "run --attack run=found.json");
    assert!(html.contains("LinkTeller AUC") && !html.contains("No attack was measured"));
    for (words, reason) in [
        ("--attack other=found.json", "expected RUN=FILE"),
        ("--attack run=graph/meta.json", "is no output of veil attack"),
        ("--attack run=found.json --attack run=found.json", "duplicate linkteller"),
    ] {
        home.veil(&format!("lab report run {words} --out page.html")).fails_with(2).says(reason);
    }
}

/// Accuracy on an inference graph is no test accuracy.
#[test]
fn answers_about_another_graph_are_told_from_tests() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 150 --seed 2 --out other").succeeds();
    train(&home, "--method gnn --epochs 5 --seed 1 --inference-data other", "run");
    let there = page(&home, "run/inference/citation");
    assert!(there.contains("inference accuracy (%)") && !there.contains(">accuracy (%)"));
    let both = page(&home, "run run/inference/citation");
    assert!(both.contains(">accuracy (%)") && both.contains("<span class=\"quiet\">inference</span>"));
    assert!(!page(&home, "run").contains("inference accuracy"));
}

#[test]
fn of_several_cases_to_compare_with_one_has_to_be_named() {
    let home = World::with_citation_graph();
    train(&home, &format!("{OPEN} --seed 1"), "gcn");
    train(&home, &format!("{OPEN} --model sage --seed 1"), "sage");
    let unclear = "reference was chosen (gnn, gcn or gnn, sage)";
    let html = home.veil("lab report gcn sage --out page.html").succeeds();
    assert!(html.stderr().contains("--non-private chooses the reference: gnn, gcn or gnn, sage"), "{}", html.stderr());
    assert!(text(&home, "page.html").contains(unclear));
    let words = ["lab", "report", "gcn", "sage", "--non-private", "gnn, gcn", "--out", "named.html"];
    assert_eq!(home.veil_words(words).succeeds().stderr(), "");
    assert!(!text(&home, "named.html").contains(unclear));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let home = World::with_citation_graph();
    train(&home, &format!("{LOCAL} --seed 1"), "local");
    train(&home, &format!("{OPEN} --seed 1"), "open");
    let words = ["lab", "report", "local", "open", "--out", "page.html"];
    let report = |more: &[&str]| home.veil_words(words.iter().chain(more));
    report(&["--title", " "]).fails_with(2).says("--title");
    report(&["--floor", "gnn, gcn", "--non-private", "gnn, gcn"]).fails_with(2).says("cannot be both");
    report(&["--floor", "unknown"]).fails_with(2).says("there are degree-vectors; gnn, gcn");
    report(&["--title", "Edges of Cora"]).succeeds();
    assert!(text(&home, "page.html").contains("--title &#39;Edges of Cora&#39;"));
}
