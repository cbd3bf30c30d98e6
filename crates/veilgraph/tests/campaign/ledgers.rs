//! Damaged ledgers: a full one, damaged in any way, pays for nothing more.
//!
//! Each damage starts from a ledger whose budget is spent: six releases of ε = 1 out of `label=6`.
//! It has failed if one more release is possible. Most releases are charged in this process; a
//! sample goes through the command.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rusqlite::Connection;
use veil_graph::{Dataset, random::Random};
use veil_privacy::{Coins, Delta, Guarantee, Ledger, LedgerError, Private, Request, Status, Trust, Unit};

use crate::size::{Size, size};
use crate::tally::Tally;
use crate::world::World;

const PAGE: usize = 4096;
const SECTOR: usize = 512;

/// The statements of SQL that damage rows; `{number}` is the number of an entry.
const CHANGES: [&str; 22] = [
    "UPDATE entry SET unit = NULL WHERE number = {number}",
    "UPDATE entry SET unit = 'edge' WHERE number = {number}",
    "UPDATE entry SET unit = 'lebal' WHERE number = {number}",
    "UPDATE entry SET epsilon_nanos = NULL WHERE number = {number}",
    "UPDATE entry SET epsilon_nanos = 1 WHERE number = {number}",
    "UPDATE entry SET epsilon_nanos = 1, guarantee = replace(guarantee, '\"epsilon\":1,', '\"epsilon\":1e-9,') \
     WHERE number = {number}",
    "UPDATE entry SET epsilon_nanos = 0 WHERE number = {number}",
    "UPDATE entry SET epsilon_nanos = -1000000000 WHERE number = {number}",
    "UPDATE entry SET epsilon_nanos = 'x' WHERE number = {number}",
    "UPDATE entry SET guarantee = NULL WHERE number = {number}",
    "UPDATE entry SET release = NULL, unit = NULL WHERE number = {number}",
    "UPDATE entry SET number = number + 100 WHERE number = {number}",
    "DELETE FROM entry WHERE number = {number}",
    "DELETE FROM entry WHERE number >= {number}",
    "DELETE FROM entry WHERE number >= {number}; DELETE FROM chain WHERE place > {number}",
    "DELETE FROM entry WHERE number >= {number}; DELETE FROM chain WHERE place > {number}; \
     UPDATE head SET entries = {number} - 1",
    "UPDATE chain SET link = zeroblob(32) WHERE number = {number}",
    "UPDATE head SET entries = entries - {number}",
    "UPDATE budget SET epsilon_nanos = 7000000000 + {number}",
    "UPDATE budget SET epsilon_nanos = NULL, delta_units = {number}",
    "DELETE FROM budget WHERE {number}; INSERT INTO budget VALUES ('label', 9000000000, 0)",
    "DROP TABLE chain; CREATE TABLE chain AS SELECT {number} AS place",
];

/// One damage.
enum Damage {
    /// Another content of the file.
    Bytes(Vec<u8>),
    /// Statements, executed without triggers and checks.
    Sql(String),
}

/// All damages of a size, each with its name.
fn damages(whole: &[u8], size: Size) -> Vec<(String, Damage)> {
    let mut random = Random::new(1, "damaged ledgers");
    let (flips, lengths, mixes) = match size {
        Size::Small => (50, 15, 10),
        Size::Whole => (1200, 250, 200),
    };
    let every = |of: usize| if size == Size::Small { of } else { 1 };
    let bytes = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.to_vec();
        change(&mut bytes);
        Damage::Bytes(bytes)
    };
    let mut all = Vec::new();
    for _ in 0..flips {
        let (at, bit) = (random.below(whole.len()), random.below(8));
        all.push((format!("bit {bit} of byte {at} flipped"), bytes(&|it| it[at] ^= 1 << bit)));
    }
    for pages in (0..whole.len() / PAGE).step_by(every(2)) {
        all.push((format!("cut off after {pages} pages"), bytes(&|it| it.truncate(pages * PAGE))));
    }
    for _ in 0..lengths {
        let length = random.below(whole.len());
        all.push((format!("cut off after {length} bytes"), bytes(&|it| it.truncate(length))));
    }
    for sector in (0..whole.len() / SECTOR).step_by(every(6)) {
        let change = |it: &mut Vec<u8>| it[sector * SECTOR..][..SECTOR].fill(0);
        all.push((format!("sector {sector} zeroed"), bytes(&change)));
    }
    let pages = whole.len() / PAGE;
    let pairs = (0..pages).flat_map(|one| (0..one).map(move |other| (one, other)));
    for (one, other) in pairs.step_by(every(15)) {
        let swap = |it: &mut Vec<u8>| {
            let (low, high) = it.split_at_mut(one * PAGE);
            low[other * PAGE..][..PAGE].swap_with_slice(&mut high[..PAGE]);
        };
        all.push((format!("pages {one} and {other} swapped"), bytes(&swap)));
        let copy = |it: &mut Vec<u8>| it.copy_within(other * PAGE..(other + 1) * PAGE, one * PAGE);
        all.push((format!("page {other} copied over page {one}"), bytes(&copy)));
    }
    for number in (1..=6).step_by(every(4)) {
        for change in CHANGES {
            let sql = change.replace("{number}", &number.to_string());
            all.push((sql.clone(), Damage::Sql(sql)));
        }
    }
    for _ in 0..mixes {
        let places: Vec<(usize, u8)> =
            (0..1 + random.below(64)).map(|_| (random.below(whole.len()), random.bits() as u8)).collect();
        let change = |it: &mut Vec<u8>| places.iter().for_each(|&(at, byte)| it[at] = byte);
        all.push((format!("{} bytes overwritten from {}", places.len(), places[0].0), bytes(&change)));
    }
    all
}

/// Executes statements as someone does who knows SQLite but not the ledger: without its triggers,
/// which are put back.
fn tamper(path: &Path, sql: &str) {
    let book = Connection::open(path).unwrap();
    book.execute_batch("PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON; BEGIN").unwrap();
    let mut names = book.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
    let rows = names.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let triggers: Vec<(String, String)> = rows.map(Result::unwrap).collect();
    drop(names);
    triggers.iter().for_each(|(name, _)| book.execute_batch(&format!("DROP TRIGGER {name}")).unwrap());
    // NOT NULL and strict types refuse some: then rows are rewritten below the tables' rules.
    if book.execute_batch(sql).is_err() {
        let loose = "PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(replace(sql, 'NOT NULL', ''), 'STRICT', '') WHERE type = 'table';";
        book.execute_batch(&format!("{loose} COMMIT")).unwrap();
        drop(book);
        return tamper_loose(path, sql, &triggers);
    }
    for (_, sql) in &triggers {
        // A trigger of a table that is gone cannot be put back.
        let _ = book.execute_batch(sql);
    }
    book.execute_batch("COMMIT").unwrap();
}

/// The same after the rules of the tables were taken away; they are put back too.
fn tamper_loose(path: &Path, sql: &str, triggers: &[(String, String)]) {
    let strict: Vec<(String, String)> = {
        let pattern = Connection::open_in_memory().unwrap();
        pattern.execute_batch(include_str!("../../../veil-privacy/src/ledger/schema.sql")).unwrap();
        let mut tables = pattern.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").unwrap();
        tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
    };
    let book = Connection::open(path).unwrap();
    book.execute_batch("PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON").unwrap();
    book.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    triggers.iter().for_each(|(_, sql)| drop(book.execute_batch(sql)));
    book.execute_batch("PRAGMA writable_schema = ON").unwrap();
    for (name, sql) in strict {
        book.execute("UPDATE sqlite_schema SET sql = ?2 WHERE type = 'table' AND name = ?1", [name, sql]).unwrap();
    }
}

fn label(epsilon: &str) -> Guarantee {
    Guarantee {
        unit: Unit::Label,
        trust: Trust::Local,
        epsilon: epsilon.parse().unwrap(),
        delta: Delta::ZERO,
        status: Status::Proven,
        reproducible: false,
        per_relationship: None,
        mechanism: "campaign".into(),
        parameters: Default::default(),
        assumptions: Vec::new(),
        not_protected: Vec::new(),
        source: String::new(),
    }
}

/// Whether a ledger pays for one more release, by any of its doors. A panic is as bad.
fn pays(path: &Path, data: &Private<Dataset>) -> bool {
    let request = || Request::new(data, Coins::from_os().unwrap(), vec![label("1")]).unwrap();
    let charge = |further: bool| -> Result<(), LedgerError> {
        let mut ledger = Ledger::open(path)?;
        let charged = if further { ledger.charge_further(request(), &[]) } else { ledger.charge(request(), &[]) };
        charged.map(drop)
    };
    [false, true].into_iter().any(|further| catch_unwind(AssertUnwindSafe(|| charge(further).is_ok())).unwrap_or(true))
}

#[test]
fn a_damaged_ledger_pays_for_nothing_more() {
    let home = World::with_graph("citation --nodes 60");
    home.veil("ledger init full.db --budget label=6").succeeds();
    for out in 0..6 {
        home.veil(&format!("privatize graph --epsilon-labels 1 --ledger full.db --out out{out}")).succeeds();
    }
    let whole = home.read("full.db");
    let data = Private::seal(veil_learn::pipeline::raw(home.path("graph").to_str().unwrap()).unwrap());
    assert!(!pays(&home.path("full.db"), &data), "it is full");
    assert_eq!(home.read("full.db"), whole, "a refusal changes nothing");

    let size = size();
    let through_the_command = if size == Size::Small { 12 } else { 40 };
    let mut tally = Tally { what: "damaged ledgers that pay", tried: 0, failed: 0 };
    for (at, (what, damage)) in damages(&whole, size).into_iter().enumerate() {
        let path = home.path("damaged.db");
        let _ = std::fs::remove_file(home.path("damaged.db-journal"));
        let put = || match &damage {
            Damage::Bytes(bytes) => std::fs::write(&path, bytes).unwrap(),
            Damage::Sql(sql) => {
                std::fs::write(&path, &whole).unwrap();
                tamper(&path, sql);
            }
        };
        put();
        let mut failed = pays(&path, &data);
        if at % through_the_command == 0 {
            put();
            let said = home.veil("privatize graph --epsilon-labels 1 --ledger damaged.db --out more");
            failed |= home.path("more").exists() || said.succeeded();
            let _ = std::fs::remove_dir_all(home.path("more"));
        }
        tally.tried += 1;
        if failed {
            tally.failed += 1;
            eprintln!("overspent: {what}");
        }
    }
    let least = if size == Size::Small { 150 } else { 2000 };
    assert!(tally.tried >= least, "{} damages are too few", tally.tried);
    tally.finish();
}
