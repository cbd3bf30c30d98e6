//! Sweeps: many runs from one file that survive whatever ends them.
//!
//! Here: what is run, skipped and refused. `ending`: resuming; `figures`: equal to those of the
//! commands; `worth`: gaps, fronts and sweet spots.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "what fails here fails a test")]

mod ending;
mod figures;
#[path = "../world/mod.rs"]
mod world;
mod worth;

use rusqlite::Connection;
use serde_json::Value;

use ending::count;
use figures::FOUR;
use world::{World, text};

fn with_graph() -> World {
    World::with_graph("citation --nodes 160")
}

/// A table of runs without the time that they took, which is the last column.
fn timeless(home: &World, folder: &str) -> Vec<String> {
    let file = format!("{folder}.csv");
    if home.path(&file).exists() {
        std::fs::remove_file(home.path(&file)).unwrap();
    }
    home.veil(&format!("lab sweep export {folder} --csv {file}")).succeeds();
    text(home, &file).lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect()
}

#[test]
fn the_number_of_cores_changes_nothing() {
    let home = with_graph();
    home.write("sweep.toml", FOUR.replace("[7]", "2"));
    for (cores, out) in [("1", "one"), ("3", "three")] {
        home.veil(&format!("lab sweep sweep.toml --data g=graph --out {out} --cores {cores}"))
            .succeeds()
            .says("8 runs");
    }
    let tables = ["one", "three"].map(|folder| timeless(&home, folder));
    assert_eq!(tables[0], tables[1]);
    assert!(tables[0][0].starts_with("case,data,seed,best_epoch,"), "{}", tables[0][0]);
    // In the order of the file, whatever was done first.
    let starts: Vec<String> =
        tables[0][1..].iter().map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect();
    assert_eq!(starts[..3], ["local,g,1", "local,g,2", "degree-vectors,g,1"]);
}

const SMALL: &str = r#"
data = "g"
seeds = 2
[parameters]
epochs = 2
method = "mlp"
[grid]
hidden = [4, 8]
[[cases]]
name = "a"
[[cases]]
name = "b"
lr = 0.01
"#;

#[test]
fn the_same_run_is_not_run_twice_and_more_seeds_go_on() {
    let home = with_graph();
    home.write("sweep.toml", SMALL);
    let first = home.shown("lab sweep sweep.toml --data g=graph --out sweep");
    // The learning rate of `b` is the default.
    assert_eq!((&first["runs"], &first["distinct"], &first["run"]), (&8.into(), &4.into(), &4.into()));
    assert_eq!(first["outcomes"][0]["figures"], first["outcomes"][4]["figures"]);
    let more = home.shown("lab sweep sweep.toml --data g=graph --out sweep --seeds 3");
    assert_eq!((&more["runs"], &more["there"], &more["run"]), (&12.into(), &4.into(), &2.into()));
    // Other data under the same name are other runs.
    home.veil("data generate citation --nodes 160 --seed 2 --out graph2").succeeds();
    let other = home.shown("lab sweep sweep.toml --data g=graph2 --out sweep");
    assert_eq!((&other["there"], &other["run"]), (&0.into(), &4.into()));
}

#[test]
fn a_failed_run_is_written_down_and_tried_again_only_when_asked() {
    let home = with_graph();
    // Two nodes of lowest degree have no edge between them.
    let attack =
        "[[attacks]]\nkind = \"lsa\"\nsample = \"low-degree\"\nnodes = 2\nwhere = { hidden = 4, case = \"b\" }\n";
    home.write("sweep.toml", SMALL.replace("lr = 0.01", "lr = 0.02") + attack);
    let first = home.veil("lab sweep sweep.toml --data g=graph --out sweep --json").succeeds();
    assert!(first.stderr().contains("2 of 8 runs failed, the first of them b on g, seed 1: attack lsa: none of the"));
    let first = first.json();
    assert_eq!((&first["run"], &first["failed"]), (&8.into(), &2.into()));
    let failed: Vec<&Value> =
        first["outcomes"].as_array().unwrap().iter().filter(|outcome| !outcome["error"].is_null()).collect();
    assert_eq!(failed.len(), 2);
    assert!(
        failed.iter().all(|outcome| outcome["point"]["hidden"] == 4 && outcome["figures"] == serde_json::json!({}))
    );
    let again = home.shown("lab sweep sweep.toml --data g=graph --out sweep");
    assert_eq!((&again["there"], &again["run"]), (&8.into(), &0.into()));
    let retried = home.shown("lab sweep sweep.toml --data g=graph --out sweep --retry-failed");
    assert_eq!((&retried["there"], &retried["run"], &retried["failed"]), (&6.into(), &2.into(), &2.into()));
    assert_eq!(count(&home.path("sweep")), 8);
    // What has not one result is no success.
    home.write("failing.toml", SMALL.to_owned() + &attack.replace("where = { hidden = 4, case = \"b\" }\n", ""));
    let failing = "lab sweep failing.toml --data g=graph --out failing";
    home.veil(failing).fails_with(1).says("none of 8 runs succeeded");
    home.veil(failing).fails_with(1).says("none of 8 runs succeeded");
    // The table has the columns that it would have had.
    home.veil("lab sweep export failing --csv failing.csv").succeeds();
    assert!(text(&home, "failing.csv").starts_with("case,data,hidden,seed,best_epoch,"));
}

#[test]
fn what_is_wrong_is_said_with_its_line_before_anything_is_run() {
    let home = with_graph();
    let attack = |more: &str| format!("{SMALL}[[attacks]]\n{more}");
    let cases = [
        (SMALL.split_once("[[cases]]").unwrap().0.to_owned(), "sweep.toml:1: the file has no `cases`"),
        (SMALL.replace("hidden = [4, 8]", "hiden = [4, 8]"), "sweep.toml:8: `hiden` is not a parameter of any method"),
        (SMALL.replace("epochs = 2", "epochs = \"two\""), "sweep.toml:5: epochs = \"two\": expected a whole number"),
        (SMALL.replace("lr = 0.01", "lr = -1"), "sweep.toml:11: b on g, hidden = 4: learning rate is -1"),
        (SMALL.replace("lr = 0.01", "stages = 2"), "stages is not a parameter of mlp: only lpgnet reads it"),
        (SMALL.replace("method = \"mlp\"", "edges = \"raw\""), "sweep.toml:6: `edges` has no place in a sweep: it was"),
        (SMALL.replace("\"mlp\"", "\"raw\""), "sweep.toml:6: method = \"raw\": unknown method \"raw\""),
        (
            SMALL.replace("\"mlp\"", "\"neighbour-krr\"").replace("epochs = 2", "epsilon-edges = 1"),
            "sweep.toml:9: a on g, hidden = 4: training requires labels: set epsilon-labels",
        ),
        (SMALL.replace("epochs = 2", "public = \"h\""), "sweep.toml:5: `public` has no place in a sweep: it is called"),
        (SMALL.to_owned() + "[[exclude]]\nhidden = 5\n", "sweep.toml:14: this matches no run"),
        (attack("kind = \"lsa\"\nwhere = { method = \"gnn\" }\n"), "sweep.toml:16: this matches no run"),
        (attack("kind = \"lsa\"\nwhere = { edges = \"raw\" }\n"), "sweep.toml:16: `edges` is neither case, data, seed"),
        (SMALL.replace("\"b\"", "\"a\""), "sweep.toml:11: a on g has other settings in line 9: rename one of them"),
        (
            attack("nodes = 3\nkind = \"lsb\"\n"),
            "sweep.toml:16: unknown attack \"lsb\": expected one of linkteller, lsa",
        ),
        (attack("kind = \"lsa\"\nmetrics = \"l1\"\npairs = 2\n"), "sweep.toml:16: "),
        (SMALL.to_owned() + "[report]\n", "sweep.toml:14: `report` is not known here"),
        (SMALL.replace("seeds = 2", "seeds = 2 2"), "line 3"),
    ];
    for (file, problem) in cases {
        home.write("sweep.toml", file);
        home.veil("lab sweep sweep.toml --data g=graph --out sweep").fails_with(2).says(problem);
        assert!(!home.path("sweep").exists());
    }
    home.write("sweep.toml", SMALL);
    home.veil("lab sweep sweep.toml --out sweep").fails_with(2).says("pass --data g=PATH");
    home.veil("lab sweep sweep.toml --data g=nowhere --out sweep").fails_with(1).says("nowhere");
    home.veil("lab sweep nothing.toml --data g=graph --out sweep").fails_with(2).says("nothing.toml");
    home.veil("lab sweep sweep.toml --data g --out sweep").fails_with(2).says("NAME=PATH");
    let more = "lab sweep sweep.toml --data g=graph --data x=nope --out sweep";
    home.veil(more).fails_with(2).says("the sweep names no data \"x\" (it names g)");
    for (seeds, problem) in [("4000000000", "4000000000 seeds are too many"), ("300000", "1200000 runs are too many")] {
        home.refuses(2, &format!("lab sweep sweep.toml --data g=graph --out sweep --seeds {seeds}"), problem);
    }
    home.veil("lab sweep sweep.toml --data g=graph").fails_with(2).says("--out");
    home.veil("lab sweep sweep.toml --data g=graph --out graph/sweep").fails_with(2).says("lies inside the raw data");
    home.veil("lab sweep export sweep --csv a.csv").fails_with(1).says("is not a sweep folder");
    home.veil("lab sweep export sweep").fails_with(2).says("--csv");
    assert!(!home.path("sweep").exists());
}

#[test]
fn a_book_of_another_kind_or_in_other_hands_is_left_alone() {
    let home = with_graph();
    home.write("sweep.toml", SMALL);
    let sweep = "lab sweep sweep.toml --data g=graph --out sweep";
    home.veil(sweep).succeeds();
    let lock = std::fs::File::open(home.path("sweep/lock")).unwrap();
    lock.lock().unwrap();
    home.veil(sweep).fails_with(1).says("another process is working on this sweep");
    // Reading is no work.
    home.veil("lab sweep export sweep --parquet runs.parquet").succeeds().says("8 runs");
    home.veil("lab sweep export sweep --csv new.csv --parquet runs.parquet").fails_with(1).says("already exists");
    assert!(!home.path("new.csv").exists());
    home.veil("lab sweep export sweep --parquet runs.parquet").fails_with(1).says("already");
    drop(lock);
    let book = Connection::open(home.path("sweep/book.sqlite")).unwrap();
    book.pragma_update(None, "user_version", 99).unwrap();
    drop(book);
    for command in [sweep, "lab sweep export sweep --csv runs.csv"] {
        home.veil(command).fails_with(1).says("results database version 99; this program reads 2");
    }
    home.write("sweep/book.sqlite", "something else entirely, and long enough to be read as one: no book at all");
    home.veil(sweep).fails_with(1).says("this is not the book of a sweep");
}
