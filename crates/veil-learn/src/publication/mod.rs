//! The folder that may be handed over.
//!
//! A run folder is for its owner: it also holds scores, timings and perhaps raw data. [`publish`]
//! copies what the privacy statement covers and nothing else: the model with the release on which
//! it answers, or its answers alone, the statement (Markdown, HTML and JSON), digests and, with a
//! key, a signature. It refuses a run whose statement does not cover what would leave: noise from a
//! known seed, data that were released unperturbed without being declared public, and guarantees
//! that are not proven, unless they are accepted by name.

mod answers;
#[cfg(test)]
mod tests;

pub use answers::{Answers, AnswersError};

use std::path::Path;

use veil_graph::write::{self, WriteError};
use veil_privacy::fact::{Declarations, Fact};
use veil_privacy::guarantee::Assumption;
use veil_privacy::integrity::{self, Digests, IntegrityError, SigningKey};
use veil_privacy::release::{PAGE, Privatised};
use veil_privacy::{Statement, Status, Unit};

use crate::run::{Run, RunError, TRAINING, VALIDATION, fill_statements};

/// What is published, and what the owner says about it.
#[derive(Debug, Default)]
pub struct Publication<'a> {
    /// Only the answers, without the model.
    pub answers_only: bool,
    /// Statuses that may be published besides `proven`.
    pub accept: &'a [Status],
    /// Data that the owner declares public: features, labels.
    pub declare: Declarations,
    /// Signs the folder.
    pub key: Option<&'a SigningKey>,
}

/// Why a run is not published.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    #[error("{data} was released with noise from a known seed: anyone who guesses it can remove the noise")]
    Seeded { data: String },
    #[error("the {} of {data} were released unperturbed, and nobody declared them public", plural(units))]
    Undeclared { data: String, units: Vec<Unit> },
    #[error("the guarantee for the unit {unit} of {data} is {status}, not proven")]
    NotProven { data: String, unit: Unit, status: Status },
    #[error("{fact} cannot be declared after a release: its guarantee relies on it")]
    TooLate { fact: Fact },
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Answers(#[from] AnswersError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Integrity(#[from] IntegrityError),
}

impl PublishError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        match self {
            PublishError::TooLate { .. } => true,
            PublishError::Run(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            PublishError::Seeded { .. } => "train again without a seed",
            PublishError::Undeclared { .. } => {
                "declare them public if they are; otherwise train with a finite ε for them"
            }
            PublishError::NotProven { status, .. } => return Some(format!("accept the status {status} to publish it")),
            PublishError::Run(error) => return error.hint(),
            PublishError::Integrity(error) => return error.hint(),
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

fn plural(units: &[Unit]) -> String {
    let name = |unit: &Unit| match unit {
        Unit::Feature => "features",
        Unit::Label => "labels",
        Unit::Node => "nodes",
        _ => "edges",
    };
    units.iter().map(name).collect::<Vec<&str>>().join(" and ")
}

/// Publishes a run in a new folder, and returns the statements of everything that its answers
/// depend on, its own first.
///
/// # Errors
/// If the statement does not cover what would leave, or a file cannot be read or written. Then
/// nothing is written.
pub fn publish(run: &Path, out: &Path, how: &Publication<'_>) -> Result<Vec<Statement>, PublishError> {
    if let Some(fact) = how.declare.iter().find(|fact| !matches!(fact, Fact::Features | Fact::Labels)) {
        return Err(PublishError::TooLate { fact });
    }
    let opened = Run::open(run)?;
    let released = opened.released().clone().with_declared(how.declare);
    check(released.statement(), how.accept)?;
    let mut others = opened.others().to_vec();
    for (_, statement) in &mut others {
        statement.declared = statement.declared.and(how.declare);
        check(statement, how.accept)?;
    }
    write::atomically(out, |folder| {
        // A model of protected nodes is published without answers about them.
        if how.answers_only || !opened.answers_about_nobody() {
            Answers::of(&opened)?.write(&folder.join(answers::FILE))?;
        }
        released.fill_statement(folder)?;
        let page = folder.join(PAGE);
        std::fs::write(&page, released.statement().to_html()).map_err(WriteError::io(&page))?;
        fill_statements(&others, folder)?;
        if !how.answers_only {
            opened.fill_public(&released, folder)?;
        }
        Digests::write(folder)?;
        if let Some(key) = how.key {
            integrity::sign(folder, key)?;
        }
        Ok::<(), PublishError>(())
    })?;
    Ok(std::iter::once(released.statement().clone()).chain(others.into_iter().map(|(_, it)| it)).collect())
}

/// The statements of a published folder without a model, each computed again: its own first.
///
/// # Errors
/// If a statement is missing, or promises what its mechanism and parameters do not imply.
pub fn statements(folder: &Path) -> Result<Vec<Statement>, RunError> {
    let own = Privatised::statement_of(folder)?;
    let trained = |it: &Assumption| matches!(it, Assumption::TrainedOn { .. });
    let inferred = own.guarantees.iter().any(|guarantee| guarantee.assumptions.iter().any(trained));
    let mut all = vec![own];
    for name in [TRAINING, VALIDATION] {
        let place = folder.join(name);
        if place.exists() {
            all.push(Privatised::statement_of(&place)?);
        } else if name == TRAINING && inferred {
            return Err(RunError::NoStatement { folder: folder.to_owned(), name });
        }
    }
    Ok(all)
}

/// Whether a statement covers everything that would leave.
fn check(statement: &Statement, accept: &[Status]) -> Result<(), PublishError> {
    let data = || statement.data.clone();
    if statement.reproducible {
        return Err(PublishError::Seeded { data: data() });
    }
    let about_edges = |unit: &Unit| unit.is_about_edges() && accept.contains(&Status::None);
    let units: Vec<Unit> = statement.undeclared().into_iter().filter(|unit| !about_edges(unit)).collect();
    if !units.is_empty() {
        return Err(PublishError::Undeclared { data: data(), units });
    }
    for guarantee in &statement.guarantees {
        let (unit, status) = (guarantee.unit, guarantee.status);
        if !matches!(status, Status::Proven | Status::None) && !accept.contains(&status) {
            return Err(PublishError::NotProven { data: data(), unit, status });
        }
    }
    Ok(())
}
