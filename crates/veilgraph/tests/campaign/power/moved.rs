//! A ledger that is moved away or removed between two syncs of a charge.

use super::disk::Op;
use super::shim::Shim;
use crate::tally::Tally;
use crate::world::World;

/// How often a charge syncs: up to the removal of its journal, which is synced too.
fn syncs_of_a_charge(ops: &[Op]) -> usize {
    let is_journal = |op: &Op| matches!(op, Op::Remove(path) if path.to_string_lossy().ends_with("-journal"));
    let removed = ops.iter().position(is_journal).unwrap();
    1 + ops[..removed].iter().filter(|op| matches!(op, Op::Sync(_))).count()
}

#[test]
fn a_ledger_taken_away_in_the_middle_of_a_charge_releases_nothing() {
    let home = World::with_graph("citation --nodes 60");
    let Some(shim) = Shim::new(&home) else { return };
    let release = |book: &str, out: &str| {
        home.veil(&format!("ledger init {book} --budget label=1")).succeeds();
        shim.veil(&home, &format!("privatize graph --epsilon-labels 1 --ledger {book} --out {out}"))
    };
    assert!(release("book.db", "whole").output().unwrap().status.success());
    let syncs = syncs_of_a_charge(&shim.record());
    assert!(syncs >= 3, "{syncs}");
    let mut tally = Tally { what: "ledgers taken away while charging that release", tried: 0, failed: 0 };
    // Errors after which the charge may be there keep its key.
    let mut kept = 0;
    for at in 1..=syncs {
        for moved in [true, false] {
            let (book, out) = (format!("book{at}{moved}.db"), format!("out{at}{moved}"));
            let mut command = release(&book, &out);
            command.env("VEIL_SHIM_AT", at.to_string()).env("VEIL_SHIM_MOVE", home.path(&book));
            if moved {
                command.env("VEIL_SHIM_TO", home.path("elsewhere.db"));
            }
            let ended = command.output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            tally.tried += 1;
            let uncertain = said.contains("it is not known whether it was charged");
            if ended.status.code() != Some(1)
                || home.path(&out).exists()
                || !said.contains("moved, replaced or deleted")
                || uncertain != (said.contains("veil ledger show") && said.contains("the same job continues"))
                || uncertain != home.path(&format!(".{out}.unfinished/key")).exists()
            {
                tally.failed += 1;
                eprintln!("sync {at}, {}: {said}", if moved { "moved" } else { "removed" });
            }
            assert!(!home.path(&book).exists(), "the shim did nothing");
            kept += u64::from(uncertain);
            if moved {
                // Put back, it pays for the release once, whether it was charged before or not.
                std::fs::rename(home.path("elsewhere.db"), home.path(&book)).unwrap();
                let words = format!("privatize graph --epsilon-labels 1 --ledger {book} --out {out}");
                home.veil(&words).succeeds();
                home.veil(&format!("ledger verify {book} --statement {out}")).succeeds();
                assert_eq!(home.shown(&format!("ledger show {book}"))["entries"].as_array().unwrap().len(), 1);
            }
        }
    }
    assert!(kept > 0, "no charge was uncertain");
    tally.finish();
}
