//! Errors, as a person at a terminal needs them: what happened, and what to do.

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
use veil_learn::run::{ElsewhereError, RunError};
use veil_learn::{LearnError, ParametersError};
use veil_nn::training::TrainingError;
use veil_privacy::accounting::AccountingError;
use veil_privacy::answers::AnswerError;
use veil_privacy::device::DeviceError;
use veil_privacy::device::files::KeyFileError;
use veil_privacy::mechanism::ParamError;
use veil_privacy::protocol::ProtocolError;
use veil_privacy::release::OpenError;
use veil_privacy::{CoinsError, KeyError, LedgerError, ReleaseError};

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The request itself is wrong.
    #[error("{0}")]
    Usage(String),
    /// What was fetched or made is not what it should be.
    #[error("{0}")]
    Unexpected(String),
    /// A data set that is known by name is not here.
    #[error("{name} is known by name but has not been fetched")]
    NotFetched { name: String },
    /// The data have a split already.
    #[error("{} has a split already", path.display())]
    HasSplit { path: PathBuf },
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Holders(#[from] HoldersError),
    #[error(transparent)]
    Fractions(#[from] FractionsError),
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    Mechanism(#[from] ParamError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Release(#[from] ReleaseError),
    #[error(transparent)]
    Coins(#[from] CoinsError),
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Learn(#[from] LearnError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Pairs(#[from] PairsError),
    #[error(transparent)]
    Scores(#[from] ScoresError),
    #[error(transparent)]
    Attack(#[from] AttackError),
    #[error(transparent)]
    Membership(#[from] MembershipError),
    #[error(transparent)]
    Audit(AuditError),
    #[error(transparent)]
    Elsewhere(#[from] ElsewhereError),
    /// The truth is about other nodes.
    #[error("the true data have {truth} nodes, but the run knows {run}: this is another graph")]
    OtherSize { truth: u32, run: u32 },
    #[error("cannot write the result: {0}")]
    Output(#[from] std::io::Error),
    /// A file that was named cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// A file of a device is not what it should be.
    #[error("{}: {source}", path.display())]
    Device { path: PathBuf, source: DeviceError },
    #[error(transparent)]
    Key(#[from] KeyFileError),
    #[error(transparent)]
    Answers(#[from] AnswerError),
    #[error(transparent)]
    ReleaseKey(#[from] KeyError),
    /// Another process is at it.
    #[error("{}: another process is working on this", folder.display())]
    Busy { folder: PathBuf },
    #[error(transparent)]
    Accounting(#[from] AccountingError),
    #[error(transparent)]
    Evaluation(EvaluationError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(transparent)]
    SweepFile(#[from] FileError),
    #[error(transparent)]
    SweepPlan(#[from] PlanError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl From<AuditError> for Failure {
    /// What went wrong on the way is said as everywhere else.
    fn from(error: AuditError) -> Failure {
        match error {
            AuditError::Answers(error) => Failure::Answers(error),
            AuditError::Attack(error) => Failure::Attack(error),
            AuditError::Coins(error) => Failure::Coins(error),
            AuditError::Data(error) => Failure::Dataset(error),
            AuditError::Learn(error) => Failure::Learn(error),
            AuditError::Parameters(error) => Failure::Mechanism(error),
            AuditError::Training(ElsewhereError::Learn(error)) => Failure::Learn(error),
            AuditError::Training(ElsewhereError::Parameters(error)) => Failure::Parameters(error),
            AuditError::Training(ElsewhereError::Release(error)) => Failure::Release(error),
            AuditError::Training(error) => Failure::Elsewhere(error),
            other => Failure::Audit(other),
        }
    }
}

impl From<WorkError> for Failure {
    /// What went wrong on the way is said as everywhere else.
    fn from(error: WorkError) -> Failure {
        match error {
            WorkError::Training(error) => Failure::Elsewhere(error),
            WorkError::Run(error) => Failure::Run(error),
            other => Failure::Unexpected(other.to_string()),
        }
    }
}

impl From<EvaluationError> for Failure {
    /// What went wrong on the way is said as everywhere else.
    fn from(error: EvaluationError) -> Failure {
        match error {
            EvaluationError::Learn(error) => Failure::Learn(error),
            EvaluationError::Answers(error) => Failure::Answers(error),
            EvaluationError::Write(error) => Failure::Write(error),
            EvaluationError::Holders(error) => Failure::Holders(error),
            EvaluationError::Data(error) => Failure::Dataset(error),
            other => Failure::Evaluation(other),
        }
    }
}

impl Failure {
    /// 2 if the request was wrong, 1 if it could not be done.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_)
            | Failure::SweepFile(_)
            | Failure::SweepPlan(_)
            | Failure::Evaluation(EvaluationError::NoTruth | EvaluationError::OtherStudent { .. })
            | Failure::Holders(_)
            | Failure::Fractions(_)
            | Failure::Parameter(_)
            | Failure::Mechanism(_) => 2,
            Failure::Release(
                ReleaseError::Nothing
                | ReleaseError::NoSplit { .. }
                | ReleaseError::NobodyAsked { .. }
                | ReleaseError::TooManySigns { .. }
                | ReleaseError::NeedsFeatures { .. }
                | ReleaseError::NeedsLabels
                | ReleaseError::Protocol(ProtocolError::TooManyEdges { .. })
                | ReleaseError::Parameters { .. },
            ) => 2,
            Failure::Parameters(_)
            | Failure::Pairs(PairsError::TooFew { .. } | PairsError::TooMany { .. })
            | Failure::Scores(ScoresError::Belief { .. })
            | Failure::Membership(MembershipError::TooFewShadows { .. })
            | Failure::Attack(AttackError::Step { .. } | AttackError::Scores(ScoresError::Belief { .. })) => 2,
            Failure::Answers(error) | Failure::Learn(LearnError::Answers(error)) => match error {
                AnswerError::Permit(_)
                | AnswerError::Accounting(AccountingError::Unreachable { .. })
                | AnswerError::Kept(_)
                | AnswerError::Misfit(_)
                | AnswerError::Graph(_)
                | AnswerError::Shape(_) => 1,
                _ => 2,
            },
            Failure::Learn(
                LearnError::NoFeatures
                | LearnError::TooManyQueries { .. }
                | LearnError::Parameters(_)
                | LearnError::NobodyToLearnFrom
                | LearnError::NobodyValidates
                | LearnError::NobodyInValidation
                | LearnError::Description(_)
                | LearnError::TooManyHops { .. }
                | LearnError::Training(TrainingError::Optimiser(_) | TrainingError::NoEpochs | TrainingError::Rule(_)),
            ) => 2,
            Failure::Audit(
                AuditError::Missing { .. }
                | AuditError::TooSmall { .. }
                | AuditError::Protocol(ProtocolError::TooManyEdges { .. }),
            ) => 2,
            Failure::Accounting(AccountingError::Unreachable { .. }) => 1,
            Failure::Accounting(_) => 2,
            Failure::Ledger(LedgerError::NoBudget | LedgerError::RepeatedUnit { .. }) => 2,
            Failure::Device { source, .. } => match source {
                DeviceError::UnknownProtocol { .. } | DeviceError::Parameters(_) | DeviceError::NoClusters => 2,
                DeviceError::Protocol(ProtocolError::TooManyEdges { .. } | ProtocolError::NoFeatures { .. }) => 2,
                _ => 1,
            },
            _ => 1,
        }
    }

    /// What to do about it, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Failure::NotFetched { name } => return Some(format!("veil data fetch {name}")),
            Failure::HasSplit { .. } => "pass --replace to draw another",
            Failure::Read(ReadError::Unrecognised { .. }) => {
                "`veil data list` shows the data sets that can be used by name; docs/format.md describes our folder format"
            }
            Failure::Read(ReadError::NoSuchNode { .. }) => {
                "correct \"nodes\" in meta.json, or delete meta.json to count them"
            }
            Failure::Read(ReadError::WrongCount { .. }) => "correct meta.json, or delete it to count anew",
            Failure::Write(WriteError::Exists { .. }) => "choose another place, or delete what is there",
            Failure::Release(ReleaseError::Nothing) => {
                "pass --epsilon-features, --epsilon-labels or --edges with --epsilon-edges"
            }
            Failure::Release(ReleaseError::NoSplit { .. } | ReleaseError::NobodyAsked { .. }) => {
                "pass for example --split 0.5,0.25,0.25 (train,validation,test)"
            }
            Failure::Release(ReleaseError::NoFeatures { .. }) => "leave --epsilon-features out",
            Failure::Release(ReleaseError::NeedsFeatures { .. }) => "pass for example --epsilon-features 3",
            Failure::Release(ReleaseError::NeedsLabels) => "pass for example --epsilon-labels 3",
            Failure::Learn(LearnError::NoFeatures) => {
                "release features with --epsilon-features, or learn from --edges degree-vectors alone"
            }
            Failure::Learn(LearnError::NoLabels | LearnError::NobodyToLearnFrom) => {
                "release labels with --epsilon-labels; a split needs training nodes that have one"
            }
            Failure::Parameters(ParametersError::Protocol { source: ParamError::NothingAfterCount { .. }, .. }) => {
                "lower --epsilon-count or raise --epsilon-edges"
            }
            Failure::Run(RunError::NotARun { .. }) => "veil train makes one",
            Failure::Run(RunError::Version { .. }) => "train it again with this program",
            Failure::Pairs(PairsError::TooMany { .. }) => "ask for fewer with --nodes or --pairs",
            Failure::OtherSize { .. } => {
                "give --truth the data that the run was made from (of a student, its private graph: with --outside)"
            }
            Failure::Release(ReleaseError::NoLabels { .. }) => {
                "leave --epsilon-labels out to release the rest; a model is trained on labels alone"
            }
            Failure::Ledger(LedgerError::NotProven { status, .. }) => {
                return Some(format!("pass --accept {status} if you mean it: it will be booked as unbounded"));
            }
            Failure::Ledger(LedgerError::OverBudget { .. }) => {
                "ask for less; a budget is not raised: what was promised about these data stays promised"
            }
            Failure::Ledger(LedgerError::OtherData { .. }) => {
                "use the ledger of these data, or make one: veil ledger init"
            }
            Failure::Ledger(LedgerError::Missing { .. }) => {
                "make one: veil ledger init PATH --budget feature=3 --budget label=3"
            }
            Failure::Accounting(AccountingError::Unreachable { .. })
            | Failure::Learn(LearnError::Answers(AnswerError::Accounting(AccountingError::Unreachable { .. }))) => {
                "ask for fewer queries, or a smaller --gamma"
            }
            Failure::Evaluation(EvaluationError::OtherEvaluation { .. }) => {
                "keep it elsewhere: another --keep, or another --out"
            }
            Failure::Book(BookError::Missing { .. }) => "veil sweep FILE --out FOLDER makes one",
            Failure::Book(BookError::Version { .. }) => "choose another --out: this program begins a new book there",
            Failure::Key(KeyFileError::Open { path, .. }) => return Some(format!("chmod 600 {}", path.display())),
            Failure::Device { source: DeviceError::ReportedOtherwise { .. }, .. } => {
                "other data, parameters or messages are another release, which costs its own ε and needs its own --key"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}
