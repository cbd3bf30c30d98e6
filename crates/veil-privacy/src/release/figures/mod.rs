//! What is released besides lists of edges: noisy numbers, and what was computed from them.
//!
//! [`KINDS`] lists the kinds. An entry has the file of its kind in a released folder, how it is
//! written, read and shown, and its shape by the parameters of the mechanism that states it.

mod beliefs;
mod column;
mod moments;
mod network;
mod transcript;
mod vectors;

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use veil_graph::write::WriteError;
use veil_graph::{Dataset, Matrix};

pub use transcript::Transcript;

use super::OpenError;
use super::recompute::{NotImplied, Stated};
use crate::answers::Layers;
use crate::central::moments::NoisyMoments;
use crate::guarantee::{Guarantee, ParameterList, Statement};
use crate::protocol::degree_vectors::Counts;

/// What is released besides lists of edges, a field for each kind.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Degree vectors, round by round, if such are released.
    pub vectors: Option<Vec<Counts>>,
    /// Rows of a cascade, batch by batch, if such are released.
    pub cascade: Option<Transcript>,
    /// Noisy sums over neighbours, hop by hop, if such are released.
    pub sums: Option<Vec<Counts>>,
    /// Noisy moments of whole nodes, if such are released.
    pub moments: Option<NoisyMoments>,
    /// A codeword of each training node and a class of each other one, if such are released.
    pub hints: Option<Vec<u32>>,
    /// The noisy degree of each node, if such are released beside lists.
    pub degrees: Option<Vec<i64>>,
    /// A network that was learned from noisy gradients, if such are released.
    pub network: Option<Layers>,
    /// Probabilities of the classes, for each node, that were computed from what was released.
    pub beliefs: Option<Matrix>,
}

/// A kind of figures.
struct Kind {
    /// What they are called.
    name: &'static str,
    /// The file in a released folder.
    file: &'static str,
    /// The mechanism that releases them; `None` for what is computed from others.
    mechanism: Option<&'static str>,
    /// What the statement says of them, if they are released in place of the edges.
    in_place_of_edges: Option<&'static str>,
    /// Whether every release by the mechanism has them.
    always: bool,
    is_there: fn(&Figures) -> bool,
    /// The content of the file; `None` if there is nothing to write.
    write: fn(&Figures) -> Option<String>,
    /// Reads the file of a release of so many nodes; an error names the line and the problem.
    read: fn(&mut Figures, &str, usize) -> Result<(), String>,
    /// Whether they have the shape of these parameters and data.
    fits: fn(&Figures, &ParameterList, &Dataset) -> bool,
    /// What figures of that shape are called.
    expected: &'static str,
    /// The guarantees that a statement's parameters imply, where no registry computes them.
    implied: Option<Implied>,
    /// All of them in one line.
    show: fn(&Figures, &mut Formatter<'_>) -> fmt::Result,
}

/// The guarantees that follow from mechanism and parameters.
struct Implied {
    /// What those of a statement imply.
    compute: fn(&Stated<'_>) -> Result<Vec<Guarantee>, NotImplied>,
    /// Guarantees with this ε, of every form of the mechanism: tests edit statements of them.
    #[cfg(test)]
    examples: fn(crate::budget::Epsilon) -> Vec<Guarantee>,
}

/// Every kind, in the order in which they are shown.
const KINDS: &[Kind] = &[
    column::HINTS,
    column::DEGREES,
    vectors::COUNTS,
    vectors::SUMS,
    moments::KIND,
    transcript::KIND,
    network::KIND,
    beliefs::KIND,
];

/// Whether a mechanism releases figures, and no edges.
pub(super) fn in_place_of_edges(mechanism: &str) -> bool {
    KINDS.iter().any(|kind| kind.mechanism == Some(mechanism) && kind.in_place_of_edges.is_some())
}

/// What mechanism and parameters of a statement imply, if a kind of figures knows it.
pub(super) fn implied(stated: &Stated<'_>) -> Option<Result<Vec<Guarantee>, NotImplied>> {
    let kind = KINDS.iter().find(|kind| kind.mechanism == Some(stated.mechanism()))?;
    kind.implied.as_ref().map(|implied| (implied.compute)(stated))
}

/// Guarantees with this ε, of every mechanism whose kind of figures computes them.
#[cfg(test)]
pub(super) fn examples(epsilon: crate::budget::Epsilon) -> Vec<Guarantee> {
    KINDS.iter().filter_map(|kind| kind.implied.as_ref()).flat_map(|implied| (implied.examples)(epsilon)).collect()
}

impl Figures {
    /// What they are, for the statement.
    pub(super) fn about(&self) -> Option<&'static str> {
        KINDS.iter().filter(|kind| (kind.is_there)(self)).find_map(|kind| kind.in_place_of_edges)
    }

    /// Writes the files.
    pub(super) fn fill(&self, folder: &Path) -> Result<(), WriteError> {
        for kind in KINDS {
            let Some(text) = (kind.write)(self) else { continue };
            let path = folder.join(kind.file);
            std::fs::write(&path, text).map_err(WriteError::io(&path))?;
        }
        Ok(())
    }

    /// Reads the files of a release of so many nodes.
    pub(super) fn open(folder: &Path, nodes: usize) -> Result<Figures, OpenError> {
        let mut figures = Figures::default();
        for kind in KINDS {
            let path = folder.join(kind.file);
            if !path.exists() {
                continue;
            }
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string());
            let read = text.and_then(|text| (kind.read)(&mut figures, &text, nodes));
            read.map_err(|problem| OpenError::Statement { path, problem })?;
        }
        Ok(figures)
    }

    /// Refuses figures without a statement about them, or of another shape than it states.
    pub(super) fn refuse_others(&self, folder: &Path, statement: &Statement, data: &Dataset) -> Result<(), OpenError> {
        let stated = |name: &str| statement.guarantees.iter().find(|it| it.mechanism == name);
        let none = ParameterList::default();
        for kind in KINDS {
            let parameters = match kind.mechanism {
                Some(name) => stated(name).map(|guarantee| &guarantee.parameters),
                None => Some(&none),
            };
            let other = |expected, found| {
                let mechanism = kind.mechanism.unwrap_or("the method").to_owned();
                Err(OpenError::OtherData { folder: folder.to_owned(), mechanism, expected, found })
            };
            match ((kind.is_there)(self), parameters) {
                (true, None) => return Err(OpenError::NotStated { folder: folder.to_owned(), found: kind.name }),
                (true, Some(parameters)) if !(kind.fits)(self, parameters, data) => {
                    return other(kind.expected, "others");
                }
                (false, Some(_)) if kind.always => return other(kind.name, "none"),
                _ => {}
            }
        }
        Ok(())
    }
}

/// A parameter that is a number.
fn number(parameters: &ParameterList, name: &str) -> Option<usize> {
    parameters.get(name).and_then(|text| text.parse().ok())
}

/// The part of a release that auditors compare.
impl Display for Figures {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        KINDS.iter().try_for_each(|kind| (kind.show)(self, f))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::KINDS;

    /// A release may have figures of several kinds.
    #[test]
    fn names_and_files_are_unique() {
        for of in [|kind: &super::Kind| kind.name, |kind: &super::Kind| kind.file] {
            assert_eq!(KINDS.iter().map(of).collect::<BTreeSet<&str>>().len(), KINDS.len());
        }
    }
}
