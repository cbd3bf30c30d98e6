//! A disk that fills up while a release is made: before its charge, in the middle of it, or after.

use super::disk::Op;
use super::shim::Shim;
use crate::size::{Size, size};
use crate::tally::Tally;
use crate::world::{World, entries};

/// A release by each command that keeps its key in a work folder.
const COMMANDS: [(&str, &str); 2] = [
    ("label=1", "privatize graph --epsilon-labels 1 --split 0.5,0.25,0.25"),
    ("edge=1", "train graph --method lpgnet --epsilon-edges 1 --hidden 4 --epochs 2 --split 0.5,0.25,0.25"),
];

#[test]
fn a_disk_that_fills_up_at_any_moment_costs_one_charge() {
    let home = World::with_graph("citation --nodes 60");
    let Some(shim) = Shim::new(&home) else { return };
    let mut tally = Tally { what: "disks that fill up during a release", tried: 0, failed: 0 };
    let mut interrupted = 0;
    for (number, (budget, command)) in COMMANDS.into_iter().enumerate() {
        home.veil(&format!("ledger init whole{number}.db --budget {budget}")).succeeds();
        let words = |book: &str, out: &str| format!("{command} --ledger {book} --out {out}");
        let whole = shim.veil(&home, &words(&format!("whole{number}.db"), &format!("whole{number}"))).output().unwrap();
        assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
        // One for each guarantee: all of them are charged together, or none.
        let all = entries(&home, &format!("whole{number}.db"));
        let syncs = shim.record().iter().filter(|op| matches!(op, Op::Sync(_))).count();
        // A training syncs hundreds of times, nearly always after its charge.
        let step = if size() == Size::Small { 1 + syncs / 20 } else { 1 };
        for last in (1..=syncs).step_by(step) {
            let (book, out) = (format!("book{number}-{last}.db"), format!("out{number}-{last}"));
            home.veil(&format!("ledger init {book} --budget {budget}")).succeeds();
            let words = words(&book, &out);
            let ended = shim.veil(&home, &words).env("VEIL_SHIM_FULL", last.to_string()).output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            let charged = entries(&home, &book);
            let told = match (ended.status.code(), charged) {
                (Some(0), charged) if charged == all => true,
                // After the charge: what it was, and how to go on.
                (Some(1), charged) if charged == all => {
                    interrupted += 1;
                    said.contains("charged") && said.contains("the same job continues")
                }
                (Some(1), 0) => true,
                _ => false,
            };
            if ended.status.code() != Some(0) {
                home.veil(&words).succeeds();
            }
            let left = home.list(".").into_iter().filter(|name| name.starts_with('.')).collect::<Vec<_>>();
            let whole = home.veil(&format!("ledger verify {book}")).succeeded() && home.path(&out).exists();
            let right = told && whole && entries(&home, &book) == all && left.is_empty();
            tally.count(if right {
                Ok(())
            } else {
                Err(format!("{command}, full after sync {last} ({charged} charges, left {left:?}): {said}"))
            });
        }
    }
    assert!(interrupted > 0, "no release was interrupted after its charge");
    tally.finish();
}
