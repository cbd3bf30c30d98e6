//! A privacy statement on a terminal.

use veil_privacy::{Statement, Status};

use crate::output::table;

/// The guarantees of a statement, as a table.
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
    table(&["protects", ">ε", ">δ", "trust", "status", "mechanism"], rows)
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
