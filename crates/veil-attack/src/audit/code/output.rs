//! What a release wrote, in one line.

use std::fmt::{self, Display, Write as _};
use std::sync::{Mutex, PoisonError};

use veil_graph::{Dataset, Features};
use veil_privacy::Statement;
use veil_privacy::coins::enumerate::Enumeration;
use veil_privacy::release::Privatised;

/// A release, or why there is none: which of the two depends on the data, or should not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Output {
    /// What was written, and which of the statements it came with.
    Released {
        /// The number of its statement.
        statement: usize,
        /// Everything else.
        content: String,
    },
    /// The message of the error.
    Refused(String),
}

impl Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::Released { statement: 0, content } => write!(f, "the release of {content}"),
            Output::Released { statement, content } => write!(f, "statement {statement}, and the release of {content}"),
            Output::Refused(problem) => write!(f, "a refusal: {problem}"),
        }
    }
}

/// What an execution wrote.
#[derive(Clone)]
pub(in crate::audit) struct Written {
    statement: Statement,
    content: String,
}

impl Written {
    /// The same with something else that left.
    pub(super) fn with(mut self, further: &str) -> Written {
        self.content.push_str(", ");
        self.content.push_str(further);
        self
    }
}

impl From<&Privatised> for Written {
    fn from(released: &Privatised) -> Written {
        let mut content = String::new();
        // Writing into a String cannot fail.
        let _ = write(&mut content, released);
        Written { statement: released.statement().clone(), content }
    }
}

fn write(content: &mut String, released: &Privatised) -> fmt::Result {
    let data: &Dataset = released.data();
    write!(content, "{} nodes", data.nodes())?;
    for node in 0..data.nodes() {
        write!(content, " {}", data.names().name(node))?;
    }
    if data.edges_withheld() {
        content.push_str(", no edges");
    } else {
        for node in 0..data.nodes() {
            write!(content, ", {node}: {:?}", data.graph().neighbours(node))?;
        }
    }
    if let Some(labels) = data.labels() {
        write!(content, ", {} classes", labels.classes())?;
        for label in labels.iter() {
            match label {
                Some(label) => write!(content, " {label}")?,
                None => content.push_str(" -"),
            }
        }
    }
    match data.features() {
        None => {}
        Some(Features::Encoded(encoded)) => {
            write!(content, ", {} dimensions by {} of {}", encoded.columns(), encoded.scale(), encoded.offset())?;
            for row in 0..encoded.rows() {
                content.push(';');
                for (column, sign) in encoded.row(row) {
                    write!(content, " {column}{}", if sign > 0.0 { '+' } else { '-' })?;
                }
            }
        }
        Some(features) => {
            write!(content, ", {} dimensions", features.columns())?;
            for row in 0..features.rows() {
                content.push(';');
                for column in 0..features.columns() as u32 {
                    write!(content, " {}", features.value(row, column))?;
                }
            }
        }
    }
    if let Some(split) = data.split() {
        content.push_str(", split");
        for node in 0..data.nodes() {
            write!(content, " {}", split.part(node).name())?;
        }
    }
    write!(content, "{}", released.figures())
}

/// All statements that came out, by number.
#[derive(Default)]
pub(super) struct Statements(Mutex<Vec<Statement>>);

impl Statements {
    /// The output of an execution.
    pub(super) fn output<E: Display>(&self, written: Result<Written, E>) -> Output {
        let Written { statement, content } = match written {
            Ok(written) => written,
            Err(problem) => return Output::Refused(problem.to_string()),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.iter().position(|it| *it == statement).unwrap_or_else(|| {
            known.push(statement);
            known.len() - 1
        });
        Output::Released { statement: place, content }
    }
}

/// Why nothing was ever released.
pub(super) fn only_refused(found: &Enumeration<Output>) -> Option<String> {
    let refused = |output: &Output| matches!(output, Output::Refused(_));
    let first = found.outputs.keys().next()?;
    found.outputs.keys().all(refused).then(|| first.to_string())
}
