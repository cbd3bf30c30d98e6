//! Errors, as a person at a terminal needs them: what happened, and what to do.
//!
//! Libraries know whether an error is wrong usage, and its hint; here they become an exit code and
//! two lines. Hints that need a command or a flag, which libraries do not know, are those of
//! [`Commanded`].

use std::path::{Path, PathBuf};

use veil_attack::AttackError;
use veil_attack::audit::AuditError;
use veil_attack::membership::MembershipError;
use veil_graph::catalogue::FetchError;
use veil_graph::generate::ParameterError;
use veil_graph::import::{ImportError, Kind, is_table, names_ids};
use veil_graph::read::ReadError;
use veil_graph::write::{DeclareError, WriteError};
use veil_graph::{DatasetError, FractionsError, HoldersError};
use veil_lab::reproduce::CompareError;
use veil_lab::students::StudentsError;
use veil_lab::sweep::export::ExportError;
use veil_lab::sweep::{BookError, FileError, PlanError, WorkError};
use veil_learn::choose::ChooseError;
use veil_learn::publication::{AnswersError, PublishError};
use veil_learn::run::RunError;
use veil_learn::{LearnError, MethodError, PipelineError};
use veil_privacy::accounting::AccountingError;
use veil_privacy::answers::AnswerError;
use veil_privacy::device::DeviceError;
use veil_privacy::device::files::KeyFileError;
use veil_privacy::integrity::IntegrityError;
use veil_privacy::mechanism::ParamError;
use veil_privacy::release::OpenError;
use veil_privacy::{CoinsError, Fact, LedgerError, NotPublic, ReleaseError, Unit};

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

/// Errors of libraries: what to do about them, and whether they are wrong usage.
macro_rules! explained {
    ($($explain:expr => $($error:ty),+;)+) => {$($(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                let explain: fn(&$error) -> (Option<String>, bool) = $explain;
                let (hint, usage) = explain(&error);
                Failure::Explained { message: error.to_string(), hint, usage }
            }
        }
    )+)+};
}

explained! {
    |error| (error.hint(), error.is_usage()) => AccountingError, AnswerError, AttackError, AuditError,
        KeyFileError, LearnError, MethodError, ReleaseError, StudentsError, WorkError;
    |error| (error.in_commands().or_else(|| error.hint()), error.is_usage()) =>
        ImportError, LedgerError, MembershipError, NotPublic, PipelineError, PublishError, RunError;
    |error| (error.in_commands().or_else(|| error.hint()), false) => ReadError;
    |error| (error.in_commands(), false) => DeclareError;
    |error| (error.hint(), false) => BookError, IntegrityError, OpenError, WriteError;
    |_| (None, true) => FileError, FractionsError, HoldersError, ParamError, ParameterError, PlanError;
    |_| (None, false) => CoinsError, CompareError, DatasetError, ExportError, FetchError, AnswersError;
}

/// An error with a hint in commands and flags.
trait Commanded {
    fn in_commands(&self) -> Option<String>;
}

impl Commanded for LedgerError {
    fn in_commands(&self) -> Option<String> {
        match self {
            LedgerError::NotProven { status, .. } => {
                Some(format!("--accept {status} releases it anyway; the ledger books it as unbounded"))
            }
            LedgerError::Seeded { .. } => {
                Some("leave out --seed; --accept seeded releases it anyway, booked as unbounded".to_owned())
            }
            LedgerError::OtherData { path, .. } => Some(format!(
                "veil ledger add-snapshot {} --data DATA --name NAME, if these are later data about the same people; \
                 otherwise create another ledger",
                path.display()
            )),
            LedgerError::Missing { path } => {
                Some(format!("veil ledger init {} --budget feature=3 --budget label=3", path.display()))
            }
            LedgerError::Damaged { .. } => Some(
                "restore the newest backup (veil ledger backup makes them) and compare it with the statements of all releases: \
                 veil ledger verify BACKUP --statement RELEASE. What was charged after the backup remains spent"
                    .to_owned(),
            ),
            LedgerError::Moved { path } => Some(format!(
                "restore the ledger to this path, then check it: veil ledger verify {}",
                path.display()
            )),
            _ => None,
        }
    }
}

impl Commanded for ReadError {
    fn in_commands(&self) -> Option<String> {
        match self {
            ReadError::UnknownHeader { path, columns, .. } => {
                let (path, [source, target]) = (path.display(), two(columns));
                let of_nodes = format!("a table of nodes: veil data import --edges EDGES --nodes {path} --out GRAPH");
                let of_edges = format!("a table of edges: --edges {path} --source {source} --target {target}");
                let no_header = "if the line is an edge: --no-header";
                // The id of a node begins a table of nodes.
                Some(match columns.first().is_some_and(|first| names_ids(first)) {
                    true => format!("{of_nodes}; {of_edges}; {no_header}"),
                    false => format!("veil data import reads {of_edges} --out GRAPH; {no_header}; {of_nodes}"),
                })
            }
            ReadError::Unrecognised { path, .. } if is_table(path) => {
                let path = path.display();
                Some(format!(
                    "veil data import --edges {path} --out GRAPH reads a table of edges; --edges EDGES --nodes {path} one of nodes"
                ))
            }
            ReadError::Attributes { path, .. } => Some(format!(
                "veil data import {} --label COLUMN --features COLUMNS --out GRAPH (or --features none)",
                path.display()
            )),
            _ => None,
        }
    }
}

/// The first two columns, quoted where a shell would split them.
fn two(columns: &[String]) -> [String; 2] {
    let quoted = |name: Option<&String>| match name {
        Some(name) if name.chars().all(|it| it.is_alphanumeric() || "_-.".contains(it)) => name.clone(),
        Some(name) => format!("{name:?}"),
        None => "COLUMN".to_owned(),
    };
    [quoted(columns.first()), quoted(columns.get(1))]
}

impl Commanded for ImportError {
    fn in_commands(&self) -> Option<String> {
        Some(match self {
            ImportError::Read(error) => return error.in_commands(),
            ImportError::UnknownEnds { columns, .. } => {
                let [source, target] = two(columns);
                format!("--source {source} --target {target} names them; --no-header, if the first line is an edge")
            }
            ImportError::UnknownId { columns, .. } => format!("--id {} names it", two(columns)[0]),
            ImportError::NoTable { table, .. } => format!("--{table} FILE names it"),
            ImportError::NumberOfClasses { .. } => "--classes takes their number, or their names".to_owned(),
            ImportError::Date { column, .. } => format!(
                "convert it to a number, such as days since a fixed date, or exclude the column: --features names the \
                 others; --as {column}=category reads every date as a category"
            ),
            ImportError::TooManyCategories { column, found, .. } => {
                format!("--max-categories {found} accepts them all; exclude {column} if it holds names or free text")
            }
            ImportError::BadCell { column, kind: Kind::Vector, .. } => format!(
                "complete the list, or leave it out; --as {column}=list makes a feature of each item that occurs"
            ),
            ImportError::BadCell { column, kind: Kind::Number, .. } => {
                format!("correct it, or leave it empty; --as {column}=category reads every value as a category")
            }
            ImportError::Missing { column, .. } => {
                format!("--missing indicator adds a feature that says where; --missing {column} always adds it")
            }
            ImportError::NotGiven { what: "categories", column, .. } => {
                format!("add it, or * for all others: --categories {column}=…,*")
            }
            ImportError::NotGiven { .. } => "add it to --classes, or leave the value empty".to_owned(),
            ImportError::OutOfRange { column, .. } => {
                format!("--range {column}=LOW,HIGH must contain every possible value: widen it, or correct the value")
            }
            ImportError::Unlisted { .. } => {
                "--unlisted drop drops these edges; --unlisted add adds their nodes, without attributes".to_owned()
            }
            ImportError::Contradiction(_) => {
                "decide which row is right and remove the other; or leave the column out (--features)".to_owned()
            }
            _ => return None,
        })
    }
}

impl Commanded for DeclareError {
    fn in_commands(&self) -> Option<String> {
        match self {
            DeclareError::Write(error) => error.hint(),
            DeclareError::NamedClasses => Some(
                "veil data import --label COLUMN --classes A,B gives them; --public classes declares them".to_owned(),
            ),
            _ => None,
        }
    }
}

impl Commanded for NotPublic {
    fn in_commands(&self) -> Option<String> {
        let given = |fact: Fact| match fact {
            Fact::Nodes => "give the nodes (--nodes FILE)",
            Fact::Classes => "give the number of classes (--classes N)",
            Fact::Columns => "give a range (--range LOW,HIGH) and do not use --scale minmax",
            Fact::Split => {
                "draw a split that reads neither labels nor other nodes (--split 0.5,0.25,0.25, or veil data split --each)"
            }
            other => other.given_by(),
        };
        let ways: Vec<&str> = self.facts().iter().map(given).collect();
        Some(format!("{}; or declare it public: --declare-public {}", ways.join("; "), self.facts()))
    }
}

impl Commanded for PublishError {
    fn in_commands(&self) -> Option<String> {
        match self {
            PublishError::Undeclared { units, .. } => {
                let declared = |unit: &&Unit| matches!(unit, Unit::Feature | Unit::Label);
                let (facts, edges): (Vec<&Unit>, Vec<&Unit>) = units.iter().partition(declared);
                let joined = |before: &str, between: &str| {
                    facts.iter().map(|unit| format!("{before}{unit}s")).collect::<Vec<String>>().join(between)
                };
                let facts = (!facts.is_empty()).then(|| {
                    let (names, flags) = (joined("", ","), joined("--epsilon-", " and "));
                    format!("--declare-public {names} if they are public; otherwise train again with {flags}")
                });
                let edges = (!edges.is_empty())
                    .then(|| "train with a method that protects edges; --accept none publishes it anyway".to_owned());
                Some(facts.into_iter().chain(edges).collect::<Vec<String>>().join("; "))
            }
            PublishError::NotProven { status, .. } => Some(format!("--accept {status} publishes it anyway")),
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
            PipelineError::Read(error) => return error.in_commands(),
            PipelineError::Release(ReleaseError::NotPublic(error))
            | PipelineError::Choose(ChooseError::NotPublic(error)) => return error.in_commands(),
            PipelineError::Answers(AnswerError::NotPublic(error))
            | PipelineError::Learn(LearnError::Answers(AnswerError::NotPublic(error))) => return error.in_commands(),
            PipelineError::PublicGraph { needed: true, .. } => "veil train --public-graph DATA names it",
            PipelineError::PublicGraph { needed: false, .. } => "leave out --public-graph, or choose another --method",
            PipelineError::RepeatedNodes { .. } => {
                "choose another graph; --repeat-nodes releases these nodes once per graph, and --evolving shares --epsilon-edges"
            }
            PipelineError::NeedsTraining => "veil train releases them while it trains",
            PipelineError::OnlyTrained { .. } => "use veil train",
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

/// A wrong request.
pub fn usage<T>(problem: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Usage(problem.into()))
}

/// Reads a file of text.
pub fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::Unreadable { path: path.to_owned(), source })
}

impl Failure {
    /// An error about a file of a device.
    pub fn in_file(path: &Path, error: &DeviceError) -> Failure {
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
