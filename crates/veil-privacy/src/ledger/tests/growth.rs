//! A graph that grows: the extensions of a cascade are booked once, in parallel.

use veil_graph::NodeNames;

use super::*;
use crate::protocol::cascade::{self, Cascade, Extension, Heard, Order};

fn rows(epsilon: &str, heard: Heard) -> Cascade {
    let (epsilon, unit) = (epsilon.parse().unwrap(), Unit::EdgeBit);
    cascade::Params { epsilon, unit, classes: 3, batches: 1, steps: 64, paired: false, heard }.check().unwrap()
}

/// The guarantees of a cascade of these many nodes that extends a release with these guarantees.
fn extending(release: &str, guarantees: &[Guarantee], epsilon: &str, nodes: u32) -> Vec<Guarantee> {
    let order = Order::new((0..nodes).collect(), 0, 1).unwrap();
    let extension = Extension::of(release, guarantees, &NodeNames::Range(nodes), &order).unwrap();
    rows(epsilon, Heard::Earlier).extending(extension).unwrap().guarantees()
}

impl Book {
    /// Charges guarantees; the id of their release.
    fn booked(&mut self, guarantees: &[Guarantee]) -> Result<String, LedgerError> {
        let request = ask(guarantees.to_vec());
        let release = request.release.to_string();
        self.ledger.charge_further(request, &[]).map(|_| release)
    }

    fn all_spent(&mut self) -> [String; 3] {
        [Unit::Edge, Unit::EdgeBit, Unit::EdgeSet].map(|unit| self.spent(unit))
    }
}

fn three() -> Book {
    book(&["edge=1.5", "edge-bit=1.5", "edge-set=3"])
}

#[test]
fn extensions_of_one_cascade_do_not_add_up() {
    let mut book = three();
    let first = rows("1", Heard::Earlier).guarantees();
    let mut before = (book.booked(&first).unwrap(), first);
    for nodes in [4, 6, 9] {
        let guarantees = extending(&before.0, &before.1, "1", nodes);
        before = (book.booked(&guarantees).unwrap(), guarantees);
        assert_eq!(book.all_spent(), ["1", "1", "2"], "{nodes}");
    }
    // The largest counts; it must be within the budget as any other.
    let more = extending(&before.0, &before.1, "1.5", 12);
    before = (book.booked(&more).unwrap(), more);
    assert_eq!(book.all_spent(), ["1.5", "1.5", "3"]);
    let too_much = extending(&before.0, &before.1, "1.6", 13);
    assert!(matches!(book.booked(&too_much), Err(LedgerError::OverBudget { .. })));
    // Another cascade of the same edges adds up.
    assert!(matches!(book.booked(&rows("1", Heard::Earlier).guarantees()), Err(LedgerError::OverBudget { .. })));
    // So it is after the book was closed and read again.
    assert_eq!(book.ledger.report().unwrap().entries.len(), 3 * 5);
    book.ledger.verify(&[], &[]).unwrap();
}

#[test]
fn one_release_is_extended_once() {
    let mut book = three();
    let first = rows("1", Heard::Earlier).guarantees();
    let release = book.booked(&first).unwrap();
    let next = book.booked(&extending(&release, &first, "1", 4)).unwrap();
    let refused = book.booked(&extending(&release, &first, "0.1", 4)).unwrap_err();
    let why = NotParallel::Extended(next);
    assert!(matches!(&refused, LedgerError::NotParallel { why: it, .. } if *it == why), "{refused}");
    assert!(refused.hint().is_some());
}

#[test]
fn what_is_not_booked_here_cannot_be_extended() {
    let first = rows("1", Heard::Earlier).guarantees();
    let elsewhere = three().booked(&first).unwrap();
    let mut book = three();
    let extension = extending(&elsewhere, &first, "1", 4);
    assert!(matches!(book.booked(&extension), Err(LedgerError::NotParallel { why: NotParallel::Unknown(_), .. })));
    // Nor can another mechanism, or a cascade that counts every edge twice.
    let other = book.booked(&[proven(Unit::EdgeBit, "0.1")]).unwrap();
    assert!(book.booked(&extending(&other, &first, "0.1", 4)).is_err());
    let twice = rows("0.1", Heard::All).guarantees();
    let release = book.booked(&twice).unwrap();
    assert!(book.booked(&extending(&release, &twice, "0.1", 4)).is_err());
    assert!(
        rows("1", Heard::All)
            .extending(Extension::of(&release, &twice, &NodeNames::Range(1), &one()).unwrap())
            .is_err()
    );
}

fn one() -> Order {
    Order::new(vec![0], 0, 1).unwrap()
}

/// Entries that were written into a book in another way add up: an account is never too small.
#[test]
fn an_extension_without_its_release_counts_on_its_own() {
    let mut book = three();
    let first = rows("0.5", Heard::Earlier).guarantees();
    let release = book.booked(&first).unwrap();
    let extension = extending(&release, &first, "0.5", 4);
    book.booked(&extension).unwrap();
    let content = book.ledger.read().unwrap().content;
    let spent = |kept: &dyn Fn(&content::Row) -> bool, again: usize| {
        let entries: Vec<content::Row> = content.entries.iter().filter(|it| kept(it)).cloned().collect();
        let twice = entries.iter().chain(entries.iter().filter(|it| it.guarantee.contains("extends")).take(again));
        parallel::Chains::of(Unit::Edge, twice).spent().to_string()
    };
    assert_eq!(spent(&|_| true, 0), "0.5");
    assert_eq!(spent(&|_| true, 9), "1", "the same extension again");
    assert_eq!(spent(&|it| it.guarantee.contains("extends"), 0), "0.5");
}
