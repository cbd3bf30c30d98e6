//! Errors, as a person at a terminal needs them: what happened, and what to do.
//!
//! Libraries know whether an error is wrong usage, and its hint; here they become an exit code and
//! two lines. Hints that need a command or a flag, which libraries do not know, are those of
//! [`Commanded`].

use std::path::PathBuf;

use veil_attack::AttackError;
use veil_attack::audit::AuditError;
use veil_attack::membership::MembershipError;
use veil_attack::pairs::PairsError;
use veil_attack::scores::ScoresError;
use veil_graph::catalogue::FetchError;
use veil_graph::generate::ParameterError;
use veil_graph::read::ReadError;
use veil_graph::write::WriteError;
use veil_graph::{DatasetError, FractionsError, HoldersError};
use veil_lab::evaluation::EvaluationError;
use veil_lab::reproduce::CompareError;
use veil_lab::sweep::export::ExportError;
use veil_lab::sweep::{BookError, FileError, PlanError, WorkError};
use veil_learn::run::RunError;
use veil_learn::{LearnError, MethodError, PipelineError};
use veil_privacy::accounting::AccountingError;
use veil_privacy::answers::AnswerError;
use veil_privacy::device::DeviceError;
use veil_privacy::device::files::KeyFileError;
use veil_privacy::mechanism::ParamError;
use veil_privacy::release::OpenError;
use veil_privacy::{CoinsError, LedgerError, ReleaseError};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The request itself is wrong.
    #[error("{0}")]
    Usage(String),
    /// Something is not as it should be.
    #[error("{0}")]
    Unexpected(String),
    /// An error of a library.
    #[error("{message}")]
    Explained { message: String, hint: Option<String>, usage: bool },
    /// A guarantee does not hold.
    #[error("{0}")]
    Violated(String),
    /// The data have a split already.
    #[error("{} already has a split", path.display())]
    HasSplit { path: PathBuf },
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// The result cannot be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] std::io::Error),
}

/// Errors that know whether they are wrong usage, and their hint.
macro_rules! explained {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                let (hint, usage) = (error.hint(), error.is_usage());
                Failure::Explained { message: error.to_string(), hint, usage }
            }
        }
    )*};
}

/// The same, with a hint in commands and flags where there is one.
macro_rules! commanded {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                let (hint, usage) = (error.in_commands().or_else(|| error.hint()), error.is_usage());
                Failure::Explained { message: error.to_string(), hint, usage }
            }
        }
    )*};
}

/// Errors that are never wrong usage, with a hint.
macro_rules! hinted {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::Explained { message: error.to_string(), hint: error.hint(), usage: false }
            }
        }
    )*};
}

/// Errors that are always wrong usage, or never, and need no hint.
macro_rules! plain {
    ($usage:literal: $($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::Explained { message: error.to_string(), hint: None, usage: $usage }
            }
        }
    )*};
}

explained! {
    AccountingError, AnswerError, AttackError, AuditError, BookError, EvaluationError, KeyFileError, LearnError,
    MethodError, PairsError, ReleaseError, WorkError,
}
commanded! { LedgerError, MembershipError, PipelineError, RunError }
hinted! { ReadError, WriteError }
plain! { true: FileError, ScoresError, FractionsError, HoldersError, ParamError, ParameterError, PlanError }
plain! { false: CoinsError, CompareError, DatasetError, ExportError, FetchError, OpenError }

/// An error with a hint in commands and flags.
trait Commanded {
    fn in_commands(&self) -> Option<String>;
}

impl Commanded for LedgerError {
    fn in_commands(&self) -> Option<String> {
        match self {
            LedgerError::NotProven { status, .. } => {
                Some(format!("--accept {status} releases it all the same; the ledger books it as unbounded"))
            }
            LedgerError::Seeded { .. } => {
                Some("leave out --seed; --accept seeded releases it all the same, booked as unbounded".to_owned())
            }
            LedgerError::OtherData { path, .. } => Some(format!(
                "veil ledger add-snapshot {} --data DATA --name NAME, if these are later data about the same people; \
                 otherwise create another ledger",
                path.display()
            )),
            LedgerError::Missing { path } => {
                Some(format!("veil ledger init {} --budget feature=3 --budget label=3", path.display()))
            }
            _ => None,
        }
    }
}

impl Commanded for RunError {
    fn in_commands(&self) -> Option<String> {
        matches!(self, RunError::NotARun { .. }).then(|| "veil train writes one".to_owned())
    }
}

impl Commanded for PipelineError {
    fn in_commands(&self) -> Option<String> {
        let hint = match self {
            PipelineError::Ledger(error) => return error.in_commands(),
            PipelineError::Run(error) => return error.in_commands(),
            PipelineError::PublicGraph { needed: true, .. } => "veil train --public-graph DATA names it",
            PipelineError::PublicGraph { needed: false, .. } => "leave out --public-graph, or choose another --method",
            PipelineError::RepeatedNodes { .. } => {
                "choose another graph; --repeat-nodes releases these nodes once per graph, and --evolving shares --epsilon-edges"
            }
            PipelineError::NeedsTraining => "veil train releases them while it trains",
            PipelineError::OtherSize { .. } => "--truth is the raw data that the run was made from",
            PipelineError::Release(ReleaseError::NoSplit { .. } | ReleaseError::NobodyAsked { .. }) => {
                "draw a split, for example with --split 0.5,0.25,0.25 (train, validation, test)"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

impl Commanded for MembershipError {
    fn in_commands(&self) -> Option<String> {
        match self {
            MembershipError::NoTestNodes => Some("--outside names data that the run did not learn from".to_owned()),
            MembershipError::Pipeline(PipelineError::OtherSize { .. }) => {
                Some("--truth is the data of the run; for a student its private graph, with --outside".to_owned())
            }
            MembershipError::Pipeline(error) => error.in_commands(),
            _ => None,
        }
    }
}

impl Failure {
    /// An error about a file of a device.
    pub fn in_file(path: &std::path::Path, error: &DeviceError) -> Failure {
        let message = format!("{}: {error}", path.display());
        let hint = match error {
            DeviceError::ReportedOtherwise { .. } => error.hint().map(|hint| format!("{hint} (--key FILE)")),
            _ => error.hint(),
        };
        Failure::Explained { message, hint, usage: error.is_usage() }
    }

    /// 2 for wrong usage, 3 for a violated guarantee, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) | Failure::Explained { usage: true, .. } => 2,
            Failure::Violated(_) => 3,
            _ => 1,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Failure::Explained { hint, .. } => hint.clone(),
            Failure::HasSplit { .. } => Some("pass --replace to draw another".to_owned()),
            _ => None,
        }
    }
}
