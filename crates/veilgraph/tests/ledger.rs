//! Stories about `veil ledger`: what it adds up, and which data it is about.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::{Value, json};
use world::World;

const RELEASE: &str = "privatize graph --epsilon-features 3 --epsilon-labels 3";

/// Noise that anyone can remove who knows or guesses the seed is not what a budget is for.
#[test]
fn a_ledger_books_a_seeded_release_as_unbounded_and_only_if_that_is_accepted() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget feature=30 --budget label=30").succeeds();
    let seeded = format!("{RELEASE} --seed 1 --ledger book.db --out one");
    home.veil(&seeded).fails_with(1).says("known seed").says("--accept seeded");
    assert!(!home.path("one").exists());
    home.veil(&format!("{seeded} --accept seeded")).succeeds();
    let book = home.veil("ledger show book.db --json").succeeds().json();
    for unit in book["units"].as_array().unwrap() {
        assert_eq!((&unit["spent"], &unit["left"]), (&json!("unbounded"), &json!(0)), "{unit}");
    }
    home.veil("privatize graph --epsilon-labels 1 --ledger book.db --out two")
        .fails_with(1)
        .says("asked 1, spent unbounded, left 0");
}

#[test]
fn a_ledger_follows_its_data_from_snapshot_to_snapshot() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 310 --seed 2 --out later").succeeds();
    home.veil("ledger init book.db --budget label=3 --lineage citations").succeeds();
    let release =
        |data: &str, out: &str| home.veil(&format!("privatize {data} --epsilon-labels 1 --ledger book.db --out {out}"));
    release("graph", "one").succeeds();
    release("later", "two").fails_with(1).says("none of its snapshots").says("veil ledger add-snapshot book.db");
    assert!(!home.path("two").exists());
    home.veil("ledger add-snapshot book.db --data graph --name again").fails_with(1).says("already");
    home.veil("ledger add-snapshot book.db --data later --name 2027").succeeds().says("2027").says("citations");
    release("later", "two").succeeds();
    release("graph", "three").succeeds();
    // The sum goes over both.
    release("later", "four").fails_with(1).says("asked 1, spent 3, left 0");
    let book = home.veil("ledger show book.db --json").succeeds().json();
    let about: Vec<&Value> = book["entries"].as_array().unwrap().iter().map(|entry| &entry["snapshot"]).collect();
    let first = &book["snapshots"][0]["name"];
    assert_eq!(about, [first, &json!("2027"), first]);
    assert_eq!((&book["lineage"], &book["snapshots"][1]["name"]), (&json!("citations"), &json!("2027")));
    home.veil("ledger show book.db").succeeds().says("2027").says("snapshot");
}

/// The same vectors reported twice are protected half as well as each report says.
#[test]
fn the_same_nodes_are_not_reported_in_two_graphs_unless_that_is_asked_for() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget feature=9 --budget label=9").succeeds();
    let train = "train graph --method mlp --epochs 4 --epsilon-features 3 --epsilon-labels 2 --scale none \
                 --inference-data graph --ledger book.db --out run";
    home.veil(train).fails_with(2).says("all of").says("loses the ε of both").says("--repeat-nodes");
    assert!(!home.path("run").exists());
    home.veil(&train.replace("--inference-data", "--validation-data")).fails_with(2).says("--repeat-nodes");
    assert!(home.veil("ledger show book.db --json").succeeds().json()["entries"].as_array().unwrap().is_empty());
    home.veil(&format!("{train} --repeat-nodes --evolving")).fails_with(2).says("--evolving");
    home.veil(&train.replace("--inference-data graph", "--repeat-nodes")).fails_with(2).says("--inference-data");
    let shown = home.veil(&format!("{train} --repeat-nodes --json")).succeeds().json();
    let total = |unit: &str| {
        let total = shown["total"].as_array().unwrap().iter().find(|it| it["unit"] == unit);
        total.map(|it| it["epsilon"].clone())
    };
    assert_eq!((total("feature"), total("label")), (Some(json!(6)), Some(json!(2))));
    for statement in ["run/privacy.json", "run/inference/citation/released/privacy.json"] {
        let statement = world::json(&home, statement);
        for guarantee in statement["guarantees"].as_array().unwrap() {
            let kinds: Vec<&Value> =
                guarantee["assumptions"].as_array().unwrap().iter().map(|it| &it["kind"]).collect();
            assert!(kinds.contains(&&json!("shared-nodes")), "{guarantee}");
        }
    }
    assert_eq!(world::spent(&home, "book.db", "feature"), 6);
    let others = train.replace("--inference-data graph", "--inference-data other").replace("--out run", "--out apart");
    home.veil("data generate citation --nodes 300 --seed 2 --out other").succeeds();
    home.veil("ledger init again.db --budget feature=9 --budget label=9").succeeds();
    home.veil(&others.replace("book.db", "again.db"))
        .succeeds()
        .says("all graphs together, ε if they have nodes or edges in common: feature 6, label 2");
    let statement = world::text(&home, "apart/privacy.md");
    assert!(statement.contains("share no node and no edge"), "{statement}");
}

/// The damage that a fault campaign found: 25 kB of a full ledger released three times more.
#[test]
fn a_ledger_that_was_cut_off_is_refused_by_every_command() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget label=2").succeeds();
    let release =
        |book: &str, out: &str| home.veil(&format!("privatize graph --epsilon-labels 1 --ledger {book} --out {out}"));
    release("book.db", "one").succeeds();
    release("book.db", "two").succeeds();
    let whole = home.read("book.db");
    home.write("cut.db", &whole[..whole.len() - 8192]);
    release("cut.db", "three").fails_with(1).says("this ledger is damaged").says("veil ledger backup");
    assert!(!home.path("three").exists());
    for command in [
        "ledger show cut.db",
        "ledger verify cut.db",
        "ledger backup cut.db --out copy.db",
        "ledger add-snapshot cut.db --data graph --name again",
        "train graph --method mlp --epochs 1 --epsilon-labels 1 --epsilon-features 1 --scale none --ledger cut.db --out run",
    ] {
        home.veil(command).fails_with(1).says("this ledger is damaged").says("restore the newest backup");
    }
    assert!(!home.path("run").exists() && !home.path("copy.db").exists());
}

#[test]
fn an_older_copy_put_back_is_found_by_its_head_or_by_a_statement() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget label=3").succeeds();
    let release = |out: &str| home.veil(&format!("privatize graph --epsilon-labels 1 --ledger book.db --out {out}"));
    release("one").succeeds().says("charged to a ledger, whose head is now 1:");
    home.veil("ledger backup book.db --out early.db").succeeds().says("early.db.head");
    home.veil("ledger backup book.db --out early.db").fails_with(1).says("already exists");
    let shown = home.veil("privatize graph --epsilon-labels 1 --ledger book.db --out two --json").succeeds().json();
    let ledger = &shown["ledger"];
    assert_eq!((ledger, &ledger["entries"]), (&world::json(&home, "two/privacy.json")["ledger"], &json!(2)));
    assert!(world::text(&home, "two/privacy.md").contains(ledger["head"].as_str().unwrap()));
    home.veil("verify two").succeeds().says("charged to a ledger, whose head is now 2:");
    home.veil("ledger backup book.db --out late.db").succeeds();
    let all = "--head early.db.head --head late.db.head --statement one --statement two/privacy.json";
    let verified = home.shown(&format!("ledger verify book.db {all}"));
    assert_eq!((&verified["entries"], &verified["heads"], &verified["statements"]), (&json!(2), &json!(2), &json!(2)));
    home.veil("ledger verify book.db").succeeds().says("would not be noticed");

    std::fs::copy(home.path("early.db"), home.path("book.db")).unwrap();
    home.veil("ledger verify book.db --head early.db.head --statement one").succeeds();
    let head = format!("2:{}", ledger["head"].as_str().unwrap());
    for given in
        ["--head late.db.head", &format!("--head {head}"), "--statement two", "--statement one --statement two"]
    {
        home.veil(&format!("ledger verify book.db {given}"))
            .fails_with(1)
            .says("it is an older copy, or another ledger");
    }
    home.veil("ledger verify book.db --head graph/meta.json").fails_with(1).says("is not the head of a ledger");
    home.veil("ledger verify book.db --head no-such.head").fails_with(2).says("neither a head").says("nor a file");
    home.veil("ledger verify book.db --statement graph/meta.json").fails_with(2).says("privacy.json");
}

#[test]
fn with_a_head_file_no_command_takes_an_older_copy() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget label=3 --head-file kept/book.head").succeeds();
    let release = |out: &str| home.veil(&format!("privatize graph --epsilon-labels 1 --ledger book.db --out {out}"));
    release("one").succeeds();
    let early = home.read("book.db");
    release("two").succeeds();
    assert!(world::text(&home, "kept/book.head").starts_with("2:"));
    home.write("book.db", early);
    release("three").fails_with(1).says("it is an older copy, or another ledger").says("restore the newest ledger");
    assert!(!home.path("three").exists());
    home.veil("ledger show book.db").fails_with(1).says("older copy");
}

#[cfg(unix)]
#[test]
fn who_waits_for_a_ledger_says_so_and_goes_on() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget label=3").succeeds();
    let busy = rusqlite::Connection::open(home.path("book.db")).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut child = home.started("privatize graph --epsilon-labels 1 --ledger book.db --out released");
    let mut said = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stderr.take().unwrap()), &mut said).unwrap();
    let holder = if cfg!(target_os = "linux") { format!("process {}", std::process::id()) } else { String::new() };
    assert!(said.contains("waiting for book.db, locked for at least") && said.contains(&holder), "{said}");
    busy.execute_batch("ROLLBACK").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(world::entries(&home, "book.db"), 1);
}
