//! The one table from errors of the libraries to exceptions of the package.
//!
//! The exceptions are defined in Python (`veilgraph/_errors.py`). A library error has a message and
//! may have a hint; hints that need a parameter of Python, which libraries do not know, are those
//! of [`InPython`].

use pyo3::prelude::*;
use veilgraph::attack::AttackError;
use veilgraph::attack::audit::AuditError;
use veilgraph::attack::membership::MembershipError;
use veilgraph::graph::catalogue::FetchError;
use veilgraph::graph::generate::ParameterError as GenerateError;
use veilgraph::graph::import::ImportError;
use veilgraph::graph::read::ReadError;
use veilgraph::graph::write::WriteError;
use veilgraph::graph::{DatasetError, FractionsError, GraphError, LabelError, ShapeError, SparseError};
use veilgraph::lab::reproduce::CompareError;
use veilgraph::lab::sweep::{BookError, FileError, PlanError};
use veilgraph::learn::choose::ChooseError;
use veilgraph::learn::publication::{AnswersError, PublishError};
use veilgraph::learn::run::RunError;
use veilgraph::learn::{LearnError, MethodError, PipelineError, PredictorError};
use veilgraph::nn::MessagesError;
use veilgraph::privacy::accounting::AccountingError;
use veilgraph::privacy::answers::AnswerError;
use veilgraph::privacy::integrity::IntegrityError;
use veilgraph::privacy::mechanism::ParamError;
use veilgraph::privacy::parameters::UnknownWord;
use veilgraph::privacy::release::OpenError;
use veilgraph::privacy::{BudgetError, KeyError, LedgerError, NotPublic, ReleaseError};

/// The exceptions, by their names in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Veil,
    Budget,
    Parameter,
    Data,
    NotProven,
    NotDeclared,
    Conflict,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Veil => "VeilError",
            Kind::Budget => "BudgetError",
            Kind::Parameter => "ParameterError",
            Kind::Data => "DataError",
            Kind::NotProven => "NotProvenError",
            Kind::NotDeclared => "NotDeclaredError",
            Kind::Conflict => "ReleaseConflict",
        }
    }

    /// A wrong request is the parameter's fault, unless something else is known.
    fn of_usage(usage: bool) -> Kind {
        if usage { Kind::Parameter } else { Kind::Veil }
    }
}

/// Why a call failed.
#[derive(Debug)]
pub struct Failed {
    kind: Kind,
    message: String,
    hint: Option<String>,
    /// An exception that a callable raised.
    raised: Option<Box<PyErr>>,
}

impl Failed {
    fn new(kind: Kind, message: impl Into<String>) -> Failed {
        Failed { kind, message: message.into(), hint: None, raised: None }
    }

    pub fn other(message: impl Into<String>) -> Failed {
        Failed::new(Kind::Veil, message)
    }

    pub fn parameter(message: impl Into<String>) -> Failed {
        Failed::new(Kind::Parameter, message)
    }

    pub fn data(message: impl Into<String>) -> Failed {
        Failed::new(Kind::Data, message)
    }

    /// A fault of veilgraph itself.
    pub fn internal(said: &str) -> Failed {
        let hint = "this is a fault of veilgraph: please report it, with these words".to_owned();
        Failed { hint: Some(hint), ..Failed::new(Kind::Veil, format!("internal error: {said}")) }
    }

    /// An exception that a callable of the caller raised.
    pub fn raised(raised: PyErr) -> Failed {
        Failed { raised: Some(Box::new(raised)), ..Failed::new(Kind::Veil, "a callable raised an exception") }
    }

    /// The exception.
    pub fn raise(self, py: Python<'_>) -> PyErr {
        if let Some(raised) = self.raised {
            return *raised;
        }
        let explained = || {
            let explain = py.import("veilgraph._errors")?.getattr("explain")?;
            explain.call1((self.kind.name(), self.message, self.hint))
        };
        match explained() {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// Lets `?` turn errors of the libraries into exceptions.
pub trait Raises<T> {
    /// The value, or the exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Into<Failed>> Raises<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| error.into().raise(py))
    }
}

macro_rules! explained {
    ($($explain:expr => $($error:ty),+;)+) => {$($(
        impl From<$error> for Failed {
            fn from(error: $error) -> Failed {
                let explain: fn(&$error) -> (Kind, Option<String>) = $explain;
                let (kind, hint) = explain(&error);
                Failed { kind, message: error.to_string(), hint, raised: None }
            }
        }
    )+)+};
}

explained! {
    |error| (Kind::of_usage(error.is_usage()), error.hint()) =>
        AccountingError, AttackError, MethodError;
    |error| (error.kind(), error.in_python().or_else(|| error.hint())) =>
        AnswerError, LearnError, LedgerError, MembershipError, NotPublic, PipelineError, PublishError, ReleaseError, RunError,
        AuditError;
    |error| (Kind::Data, error.hint()) => ImportError, IntegrityError, OpenError, ReadError;
    |error| (of_writing(error), error.hint()) => WriteError;
    |error| (Kind::Veil, error.hint()) => BookError;
    |_| (Kind::Parameter, None) =>
        BudgetError, FileError, FractionsError, GenerateError, ParamError, PlanError, UnknownWord;
    |_| (Kind::Data, None) =>
        AnswersError, DatasetError, GraphError, LabelError, MessagesError, ShapeError, SparseError;
    |_| (Kind::Veil, None) => CompareError, FetchError, PredictorError, std::io::Error, serde_json::Error;
}

/// A result that is there already is no other one's to overwrite.
fn of_writing(error: &WriteError) -> Kind {
    if matches!(error, WriteError::Exists { .. }) { Kind::Conflict } else { Kind::Veil }
}

/// Which exception an error is, and its hint in terms of Python.
trait InPython {
    fn kind(&self) -> Kind;

    fn in_python(&self) -> Option<String> {
        None
    }
}

impl InPython for NotPublic {
    fn kind(&self) -> Kind {
        Kind::NotDeclared
    }

    fn in_python(&self) -> Option<String> {
        Some(format!("give it independently of the data; or declare it public: declare_public=\"{}\"", self.facts()))
    }
}

impl InPython for ReleaseError {
    fn kind(&self) -> Kind {
        match self {
            ReleaseError::NotPublic(error) => error.kind(),
            other => Kind::of_usage(other.is_usage()),
        }
    }

    fn in_python(&self) -> Option<String> {
        match self {
            ReleaseError::NotPublic(error) => error.in_python(),
            ReleaseError::NoSplit { .. } | ReleaseError::NobodyAsked { .. } => {
                Some("draw a split, for example split=(0.5, 0.25, 0.25) (train, validation, test)".to_owned())
            }
            _ => None,
        }
    }
}

impl InPython for AnswerError {
    fn kind(&self) -> Kind {
        match self {
            AnswerError::NotPublic(error) => error.kind(),
            other => Kind::of_usage(other.is_usage()),
        }
    }

    fn in_python(&self) -> Option<String> {
        match self {
            AnswerError::NotPublic(error) => error.in_python(),
            _ => None,
        }
    }
}

impl InPython for LedgerError {
    fn kind(&self) -> Kind {
        match self {
            LedgerError::OverBudget { .. } | LedgerError::OverDelta { .. } => Kind::Budget,
            LedgerError::NotProven { .. } | LedgerError::Seeded { .. } => Kind::NotProven,
            LedgerError::Exists { .. }
            | LedgerError::OtherData { .. }
            | LedgerError::KnownSnapshot { .. }
            | LedgerError::RepeatedName { .. }
            | LedgerError::AlreadyCharged { .. }
            | LedgerError::NotParallel { .. }
            | LedgerError::Locked { .. } => Kind::Conflict,
            other => Kind::of_usage(other.is_usage()),
        }
    }

    fn in_python(&self) -> Option<String> {
        Some(match self {
            LedgerError::NotProven { status, .. } => {
                format!("accept=\"{status}\" releases it anyway; the ledger books it as unbounded")
            }
            LedgerError::Seeded { .. } => {
                "leave out seed; accept=\"seeded\" releases it anyway, booked as unbounded".to_owned()
            }
            LedgerError::OtherData { .. } => "Ledger.add_snapshot(data), if these are later data about the same \
                                              people; otherwise create another ledger"
                .to_owned(),
            LedgerError::Missing { .. } => "Ledger.create(path, {\"edge\": 8}) creates one".to_owned(),
            _ => return None,
        })
    }
}

impl InPython for LearnError {
    fn kind(&self) -> Kind {
        match self {
            LearnError::Release(error) => error.kind(),
            LearnError::Answers(error) => error.kind(),
            LearnError::Together(_) | LearnError::Misfit(_) | LearnError::Graph(_) => Kind::Data,
            other => Kind::of_usage(other.is_usage()),
        }
    }

    fn in_python(&self) -> Option<String> {
        match self {
            LearnError::Release(error) => error.in_python(),
            LearnError::Answers(error) => error.in_python(),
            _ => None,
        }
    }
}

impl InPython for RunError {
    fn kind(&self) -> Kind {
        match self {
            RunError::Learn(error) => error.kind(),
            RunError::Write(error) => of_writing(error),
            RunError::Method(_) => Kind::Parameter,
            _ => Kind::Data,
        }
    }
}

impl InPython for PipelineError {
    fn kind(&self) -> Kind {
        match self {
            PipelineError::Choose(ChooseError::NotPublic(_)) => Kind::NotDeclared,
            PipelineError::Ledger(error) => error.kind(),
            PipelineError::Release(error) => error.kind(),
            PipelineError::Answers(error) => error.kind(),
            PipelineError::Learn(error) => error.kind(),
            PipelineError::Run(error) => error.kind(),
            PipelineError::Write(error) => of_writing(error),
            PipelineError::Key(KeyError::Other { .. }) | PipelineError::Busy { .. } => Kind::Conflict,
            PipelineError::Read(_)
            | PipelineError::Open(_)
            | PipelineError::Data(_)
            | PipelineError::NotFetched { .. }
            | PipelineError::OtherSize { .. }
            | PipelineError::MoreClasses { .. }
            | PipelineError::OtherClassNames { .. }
            | PipelineError::Validation { .. }
            | PipelineError::NotRaw { .. } => Kind::Data,
            PipelineError::Unfinished { source, .. } => source.kind(),
            other => Kind::of_usage(other.is_usage()),
        }
    }

    fn in_python(&self) -> Option<String> {
        let hint = match self {
            PipelineError::Choose(ChooseError::NotPublic(error)) => return error.in_python(),
            PipelineError::Ledger(error) => return error.in_python(),
            PipelineError::Release(error) => return error.in_python(),
            PipelineError::Answers(error) => return error.in_python(),
            PipelineError::Learn(error) => return error.in_python(),
            PipelineError::Unfinished { source, .. } => return source.in_python(),
            PipelineError::PublicGraph { needed: true, .. } => "public_graph= names it",
            PipelineError::PublicGraph { needed: false, .. } => "leave out public_graph, or choose another method",
            PipelineError::RepeatedNodes { .. } => {
                "choose another graph; repeat_nodes=True releases these nodes once per graph, and evolving=True \
                 shares epsilon_edges"
            }
            PipelineError::NeedsTraining => "train() releases them while it trains",
            PipelineError::OnlyTrained { .. } => "use train()",
            PipelineError::OtherSize { .. } => "truth= is the raw data that the run was made from",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

impl InPython for PublishError {
    fn kind(&self) -> Kind {
        match self {
            PublishError::Undeclared { .. } => Kind::NotDeclared,
            PublishError::NotProven { .. } => Kind::NotProven,
            other => Kind::of_usage(other.is_usage()),
        }
    }

    fn in_python(&self) -> Option<String> {
        match self {
            PublishError::Undeclared { units, .. } => {
                let names: Vec<String> = units.iter().map(|unit| format!("{unit}s")).collect();
                Some(format!("declare_public=\"{}\", if they are public", names.join(",")))
            }
            PublishError::NotProven { status, .. } => Some(format!("accept=\"{status}\" publishes it anyway")),
            _ => None,
        }
    }
}

impl InPython for MembershipError {
    fn kind(&self) -> Kind {
        match self {
            MembershipError::Pipeline(error) => error.kind(),
            other => Kind::of_usage(other.is_usage()),
        }
    }

    fn in_python(&self) -> Option<String> {
        match self {
            MembershipError::NoTestNodes => Some("outside= names data that the run did not learn from".to_owned()),
            MembershipError::Pipeline(error) => error.in_python(),
            _ => None,
        }
    }
}

impl InPython for AuditError {
    fn kind(&self) -> Kind {
        match self {
            AuditError::Pipeline(error) => error.kind(),
            AuditError::Learn(error) => error.kind(),
            AuditError::Missing { .. } | AuditError::TooSmall { .. } => Kind::Data,
            other => Kind::of_usage(other.is_usage()),
        }
    }
}
