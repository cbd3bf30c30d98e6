//! A privacy statement on a terminal.

use veil_privacy::guarantee::{Meaning, Spent, compose_releases};
use veil_privacy::{Delta, Statement, Status, Unit};

use crate::output::{COLUMNS, table, wrapped};

/// The guarantees of a statement as a table, and the head of the ledger that was charged.
pub fn guarantees(statement: &Statement) -> String {
    let rows = statement.guarantees.iter().map(|guarantee| {
        vec![
            guarantee.unit.to_string(),
            guarantee.epsilon.to_string(),
            guarantee.delta.to_string(),
            guarantee.trust.name().to_owned(),
            guarantee.shown_status(),
            guarantee.mechanism.clone(),
        ]
    });
    let charged = statement.ledger.map(|head| format!("\ncharged to a ledger, whose head is now {head}"));
    table(&["protects", ">ε", ">δ", "trust", "status", "mechanism"], rows) + &charged.unwrap_or_default()
}

/// What ε means, as a table with its notes; nothing if nothing can be said.
pub fn meaning(all: &[Meaning]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let notes = wrapped(&Meaning::notes(all), COLUMNS).join("\n");
    format!("\nwhat ε means\n{}\n{notes}", table(&Meaning::COLUMNS, all.iter().map(|it| it.row().to_vec())))
}

/// The statements of everything that a model or its answers depend on, and their sum.
pub fn all(statements: &[Statement]) -> String {
    let one = |statement: &Statement| {
        format!("{}{}\n{}", guarantees(statement), warnings(statement), statement.declared_in_words())
    };
    match statements {
        [own] => one(own),
        several => {
            let each = several.iter().map(|it| format!("release of {}:\n{}\n\n", it.data, one(it)));
            let total = compose_releases(several);
            each.collect::<String>() + &in_common(&total)
        }
    }
}

/// What several releases promise together.
pub fn in_common(total: &[(Unit, Spent, Delta)]) -> String {
    let sums = total.iter().map(|(unit, epsilon, delta)| match delta.is_zero() {
        true => format!("{unit} {epsilon}"),
        false => format!("{unit} {epsilon} (δ {delta})"),
    });
    let sums: Vec<String> = sums.collect();
    format!("all graphs together, ε if they have nodes or edges in common: {}", sums.join(", "))
}

/// Everything about a release that must not be overlooked.
pub fn warnings(statement: &Statement) -> String {
    let mut text = String::new();
    if statement.reproducible {
        text += "\nREPRODUCIBLE, THEREFORE NOT PRIVATE: the noise came from --seed";
    }
    if !statement.declared.is_empty() {
        text += &format!("\nDECLARED PUBLIC by the owner, so that no ε protects it: {}", statement.declared);
    }
    for guarantee in &statement.guarantees {
        let unit = guarantee.unit;
        match guarantee.status {
            Status::None => text += &format!("\nNOT PRIVATISED ({unit}): ε = inf releases it unchanged"),
            Status::Refuted => {
                text +=
                    &format!("\nREFUTED ({unit}): a counterexample to the guarantee of {} exists", guarantee.mechanism);
            }
            Status::Claimed => text += &format!("\nCLAIMED, NOT PROVEN ({unit})"),
            Status::Proven => {}
        }
    }
    text
}
