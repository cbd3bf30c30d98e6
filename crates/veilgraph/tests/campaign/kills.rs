//! Releases that are killed at random moments: paid once, whole or absent, and finished by the same
//! command.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use veil_graph::random::Random;

use crate::size::size;
use crate::tally::Tally;
use crate::world::World;

/// Short, because what is learned does not matter here.
const SHORT: &str = "--hidden 8 --epochs 3";

/// The commands, each with the budget of its ledger. They run in a folder beside `graph`, `parts`,
/// `other` and `run`.
fn commands() -> [(&'static str, Option<&'static str>, String); 5] {
    let lpgnet = "--method lpgnet --epsilon-edges 2";
    [
        ("privatize", Some("label=1"), "privatize ../graph --epsilon-labels 1 --split 0.5,0.25,0.25".to_owned()),
        ("train", Some("edge=2"), format!("train ../graph {lpgnet} {SHORT} --split 0.5,0.25,0.25")),
        (
            "student",
            Some("node=4,1e-4"),
            format!("train ../parts/private --public-graph ../parts/public --method class-sums --epsilon 4 {SHORT}"),
        ),
        ("predict", Some("edge=2"), "predict ../run --data ../other --repeat-nodes".to_owned()),
        ("publish", None, "publish ../run".to_owned()),
    ]
}

/// A command in a folder of its own, with a ledger that covers it once.
struct Story {
    folder: String,
    words: String,
    booked: bool,
}

impl Story {
    fn begin(home: &World, number: u64, (_, budget, words): &(&str, Option<&str>, String)) -> Story {
        let folder = format!("{number}");
        std::fs::create_dir(home.path(&folder)).unwrap();
        let mut words = format!("{words} --out out");
        if let Some(budget) = budget {
            std::fs::copy(home.path(&format!("{budget}.db")), home.path(&format!("{folder}/book.db"))).unwrap();
            words += " --ledger book.db";
        }
        Story { folder, words, booked: budget.is_some() }
    }

    fn command(&self, home: &World) -> std::process::Command {
        let mut command = home.command();
        command.current_dir(home.path(&self.folder)).args(self.words.split_whitespace());
        command.env("RAYON_NUM_THREADS", "2");
        command
    }

    /// How long the whole takes, and how often its ledger is charged.
    fn whole(&self, home: &World) -> (Duration, i64) {
        let begun = Instant::now();
        let ended = self.command(home).output().unwrap();
        assert!(ended.status.success(), "{}: {}", self.words, String::from_utf8_lossy(&ended.stderr));
        (begun.elapsed(), self.charges(home))
    }

    fn charges(&self, home: &World) -> i64 {
        if !self.booked {
            return 0;
        }
        let path = home.path(&self.folder).join("book.db");
        let book = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
        book.query_row("SELECT count(*) FROM entry", [], |row| row.get(0)).unwrap()
    }

    /// Kills the command after some time. Whether it was still running.
    fn killed(&self, home: &World, after: Duration) -> bool {
        let mut command = self.command(home);
        let quiet = std::process::Stdio::null;
        let mut child = command.stdout(quiet()).stderr(quiet()).spawn().unwrap();
        std::thread::sleep(after);
        let running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        running
    }

    /// What is wrong with what is here, if anything: files of the result, left-overs, charges.
    fn wrong(&self, home: &World, expected: &[String], charges: i64) -> Option<String> {
        let out = home.path(&self.folder).join("out");
        if names(&out) != expected {
            return Some(format!("the result has {:?}", names(&out)));
        }
        let here = names(&home.path(&self.folder));
        let wanted: &[&str] = if self.booked { &["book.db", "out"] } else { &["out"] };
        if here != wanted {
            return Some(format!("left over: {here:?}"));
        }
        let charged = self.charges(home);
        (charged != charges).then(|| format!("{charged} charges instead of {charges}"))
    }
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn world() -> World {
    let home = World::with_parts();
    home.veil("data generate citation --nodes 300 --seed 2 --out other").succeeds();
    home.veil(&format!(
        "train graph --method lpgnet --epsilon-edges 2 {SHORT} --split 0.5,0.25,0.25 --declare-public features,labels --out run"
    ))
    .succeeds();
    for (_, budget, _) in commands() {
        if let Some(budget) = budget.filter(|budget| !home.path(&format!("{budget}.db")).exists()) {
            home.veil(&format!("ledger init {budget}.db --budget {budget}")).succeeds();
        }
    }
    home
}

#[test]
fn a_killed_release_is_whole_or_absent_and_paid_once() {
    let home = world();
    let mut number = 0;
    let mut tally = Tally::new("kill -9 of releases");
    for case in commands() {
        let first = Story::begin(&home, number, &case);
        let (length, charges) = first.whole(&home);
        let expected = names(&home.path(&first.folder).join("out"));
        assert!(!expected.is_empty() && first.wrong(&home, &expected, charges).is_none(), "{}", case.0);
        // Each is killed up to three times before it may end.
        let mut kills = 0;
        while kills < size().pick(3, 220) {
            number += 1;
            let mut random = Random::new(number, case.0);
            let story = Story::begin(&home, number, &case);
            let mut outcome = Ok(());
            for _ in 0..1 + random.below(3) {
                let after = length.mul_f64(random.below(1000) as f64 / 1000.0);
                let killed = u64::from(story.killed(&home, after));
                (kills, tally.tried) = (kills + killed, tally.tried + killed);
                let out = home.path(&story.folder).join("out");
                if out.exists() && names(&out) != expected {
                    outcome = Err(format!("{}, story {number}: half a result: {:?}", case.0, names(&out)));
                }
            }
            // If it ended before, or was killed while cleaning up, there may be nothing left to do.
            let ended = story.command(&home).output().unwrap();
            let there = String::from_utf8_lossy(&ended.stderr).contains("already exists");
            if !ended.status.success() && !there {
                outcome = Err(format!("{}, story {number}: {}", case.0, String::from_utf8_lossy(&ended.stderr)));
            } else if let Some(wrong) = story.wrong(&home, &expected, charges) {
                outcome = Err(format!("{}, story {number}: {wrong}", case.0));
            }
            tally.failed += u64::from(outcome.is_err());
            outcome.unwrap_or_else(|wrong| println!("{wrong}"));
            std::fs::remove_dir_all(home.path(&story.folder)).unwrap();
        }
        number += 1;
    }
    tally.finish();
}
