//! What is released besides lists of edges: noisy numbers, and what was computed from them.

use std::fmt::{self, Display};
use std::path::Path;

use veil_graph::write::WriteError;
use veil_graph::{Dataset, Matrix};

use super::column::{DEGREES, HINTS};
use super::transcript::{self, Transcript};
use super::{OpenError, codebook, column, network, vectors};
use crate::answers::{Layers, gradients};
use crate::central::{moments, neighbour_sums};
use crate::guarantee::{Guarantee, Statement};
use crate::mechanism::codebook as codebooks;
use crate::protocol::cascade::Extension;
use crate::protocol::degree_vectors::{self, Counts};
use crate::protocol::{blink, cascade};

/// The mechanisms that release figures, and no edges.
pub(super) const MECHANISMS: [&str; 4] = [degree_vectors::NAME, cascade::NAME, neighbour_sums::NAME, moments::NAME];

/// The file of sums over neighbours, in the format of degree vectors: a hop is a round.
const SUMS: &str = "neighbour-sums.csv";

/// The file of moments.
const MOMENTS: &str = "moments.csv";

/// What is released besides lists of edges. A kind of figures is a field; its file in a released
/// folder and its shape are known here alone.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Degree vectors, round by round, if such are released.
    pub vectors: Option<Vec<Counts>>,
    /// Rows of a cascade, batch by batch, if such are released.
    pub cascade: Option<Transcript>,
    /// Noisy sums over neighbours, hop by hop, if such are released.
    pub sums: Option<Vec<Counts>>,
    /// Noisy moments of whole nodes, if such are released.
    pub moments: Option<moments::NoisyMoments>,
    /// A codeword of each training node and a class of each other one, if such are released.
    pub hints: Option<Vec<u32>>,
    /// The noisy degree of each node, if such are released beside lists.
    pub degrees: Option<Vec<i64>>,
    /// A network that was learned from noisy gradients, if such are released.
    pub network: Option<Layers>,
    /// Probabilities of the classes, for each node, that were computed from what was released.
    pub beliefs: Option<Matrix>,
}

impl Figures {
    /// What they are, for the statement.
    pub(super) fn about(&self) -> Option<&'static str> {
        let vectors = self.vectors.as_ref().map(|_| "noisy counts of neighbours per cluster");
        let cascade = || self.cascade.as_ref().map(|_| "noisy sums of messages from earlier neighbours");
        let sums = || self.sums.as_ref().map(|_| "noisy sums of neighbours' messages");
        let moments = || self.moments.as_ref().map(|_| "noisy moments of the training nodes");
        vectors.or_else(cascade).or_else(sums).or_else(moments)
    }

    /// Writes the files.
    pub(super) fn fill(&self, folder: &Path) -> Result<(), WriteError> {
        let vectors = self.vectors.as_deref().filter(|rounds| !rounds.is_empty());
        put(folder, vectors::FILE, vectors.map(vectors::to_csv))?;
        let sums = self.sums.as_deref().filter(|hops| !hops.is_empty());
        put(folder, SUMS, sums.map(vectors::to_csv))?;
        put(folder, MOMENTS, self.moments.as_ref().map(moments::NoisyMoments::to_csv))?;
        put(folder, HINTS.0, self.hints.as_deref().map(|it| column::to_csv(HINTS.1, it)))?;
        put(folder, DEGREES.0, self.degrees.as_deref().map(|it| column::to_csv(DEGREES.1, it)))?;
        put(folder, network::FILE, self.network.as_ref().map(network::to_csv))?;
        put(folder, transcript::FILE, self.cascade.as_ref().and_then(transcript::to_csv))?;
        put(folder, transcript::BELIEFS, self.beliefs.as_ref().map(transcript::beliefs_to_csv))
    }

    /// Reads the files of a release of so many nodes.
    pub(super) fn open(folder: &Path, nodes: usize) -> Result<Figures, OpenError> {
        let vectors = get(folder, vectors::FILE, |text| vectors::from_csv(text, nodes))?;
        let cascade = get(folder, transcript::FILE, |text| transcript::from_csv(text, nodes))?;
        let sums = get(folder, SUMS, |text| vectors::from_csv(text, nodes))?;
        let moments = get(folder, MOMENTS, moments::NoisyMoments::from_csv)?;
        let hints = get(folder, HINTS.0, |text| column::from_csv(text, HINTS.1, nodes))?;
        let degrees = get(folder, DEGREES.0, |text| column::from_csv(text, DEGREES.1, nodes))?;
        let network = get(folder, network::FILE, network::from_csv)?;
        let beliefs = get(folder, transcript::BELIEFS, |text| transcript::beliefs_from_csv(text, nodes))?;
        Ok(Figures { vectors, cascade, sums, moments, hints, degrees, network, beliefs })
    }

    /// Refuses figures without a statement about them, or of another shape than it states.
    pub(super) fn refuse_others(&self, folder: &Path, statement: &Statement, data: &Dataset) -> Result<(), OpenError> {
        let stated = |name: &str| statement.guarantees.iter().find(|it| it.mechanism == name);
        let not_stated = |found| Err(OpenError::NotStated { folder: folder.to_owned(), found });
        let other = |mechanism: &str, expected, found| {
            let mechanism = mechanism.to_owned();
            Err(OpenError::OtherData { folder: folder.to_owned(), mechanism, expected, found })
        };
        let classes = data.labels().map(|labels| labels.classes() as usize);
        if let Some(rounds) = &self.vectors {
            let Some(guarantee) = stated(degree_vectors::NAME) else { return not_stated("degree vectors") };
            if number(guarantee, "rounds").is_none_or(|most| rounds.len() > most) {
                return other(degree_vectors::NAME, "no more rounds than these parameters have", "more");
            }
        }
        match (&self.hints, stated(codebooks::NAME)) {
            (Some(_), None) => return not_stated("codewords and classes"),
            (None, Some(_)) => return other(codebooks::NAME, "codewords and classes", "none"),
            (Some(hints), Some(guarantee)) if !codebook::fit(hints, data, number(guarantee, "classes")) => {
                return other(codebooks::NAME, "codewords and classes by these parameters", "others");
            }
            _ => {}
        }
        match (&self.degrees, stated(blink::NAME)) {
            (Some(_), None) => return not_stated("noisy degrees"),
            (None, Some(_)) => return other(blink::NAME, "lists and degrees", "no degrees"),
            _ => {}
        }
        if let Some(rows) = &self.cascade {
            let Some(guarantee) = stated(cascade::NAME) else { return not_stated("rows of a cascade") };
            let extends = Extension::of_parameters(&guarantee.parameters).ok().flatten();
            let grown = |it: Extension| rows.order().is_some_and(|order| it.is_extended_by(order, data.names()));
            if !is_by(guarantee, rows, classes) || !extends.is_none_or(grown) {
                return other(cascade::NAME, "rows by these parameters", "others");
            }
        }
        if let Some(hops) = &self.sums {
            let Some(guarantee) = stated(neighbour_sums::NAME) else { return not_stated("sums over neighbours") };
            if number(guarantee, "hops") != Some(hops.len()) {
                return other(neighbour_sums::NAME, "as many hops as these parameters have", "others");
            }
        }
        if let Some(network) = &self.network {
            let Some(guarantee) = stated(gradients::NAME) else { return not_stated("network") };
            let shape = [network.first.rows(), network.first.columns(), network.second.columns()];
            if ["dimensions", "hidden", "classes"].map(|name| number(guarantee, name)) != shape.map(Some) {
                return other(gradients::NAME, "a network of these parameters", "another");
            }
        } else if stated(gradients::NAME).is_some() {
            return other(gradients::NAME, "a network", "none");
        }
        match (&self.moments, stated(moments::NAME)) {
            (Some(_), None) => return not_stated("moments"),
            (Some(found), Some(_)) if data.nodes() > 0 || Some(found.classes().len()) != classes => {
                return not_stated("nodes or classes beside moments");
            }
            _ => {}
        }
        if let (Some(beliefs), Some(classes)) = (&self.beliefs, classes)
            && beliefs.columns() != classes
        {
            return not_stated("probabilities of other classes");
        }
        Ok(())
    }
}

/// A parameter that is a number.
fn number(guarantee: &Guarantee, name: &str) -> Option<usize> {
    guarantee.parameters.get(name).and_then(|text| text.parse().ok())
}

/// Whether rows of a cascade have the shape of these parameters, and the classes of the labels.
fn is_by(guarantee: &Guarantee, rows: &Transcript, of_labels: Option<usize>) -> bool {
    let classes = number(guarantee, "classes").unwrap_or(0);
    let paired = guarantee.parameters.get("paired") == Some("true");
    let width = if paired { classes.div_ceil(2) } else { classes };
    let pairs = if paired { Some(classes) } else { None };
    let fits = rows.batches().iter().all(|batch| {
        let listed = (0..batch.iter().len()).all(|row| batch.classes(row).map(<[u32]>::len) == pairs);
        batch.width() == width && listed
    });
    // No batch has rows where every node only sends.
    let batches = rows.batches().len();
    let all = batches == 0 || Some(batches) == number(guarantee, "batches");
    // Rows are read in these steps, whatever a statement says.
    let in_steps = number(guarantee, "steps") == Some(cascade::STEPS as usize);
    fits && all && in_steps && of_labels.is_none_or(|it| it == classes)
}

/// All of them in one line: the part of a release that auditors compare.
impl Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(hints) = &self.hints {
            write!(f, ", hints {hints:?}")?;
        }
        if let Some(degrees) = &self.degrees {
            write!(f, ", degrees {degrees:?}")?;
        }
        for (round, counts) in self.vectors.iter().flatten().enumerate() {
            write!(f, ", round {round} counts {:?}", counts.values())?;
        }
        for (hop, sums) in self.sums.iter().flatten().enumerate() {
            write!(f, ", hop {hop} sums {:?}", sums.values())?;
        }
        if let Some(moments) = &self.moments {
            write!(f, ", moments {}", moments.to_csv().replace('\n', ";"))?;
        }
        if let Some(order) = self.cascade.as_ref().and_then(Transcript::order) {
            write!(f, ", order {:?} with {} senders", order.sequence(), order.senders().len())?;
        }
        for (batch, rows) in self.cascade.iter().flat_map(Transcript::batches).enumerate() {
            write!(f, ", batch {batch} rows")?;
            for (place, row) in rows.iter().enumerate() {
                write!(f, " {row:?}")?;
                if let Some(classes) = rows.classes(place) {
                    write!(f, " in pairs of {classes:?}")?;
                }
            }
        }
        if let Some(network) = &self.network {
            write!(f, ", network {:?} {:?}", network.first.values(), network.second.values())?;
        }
        self.beliefs.as_ref().map_or(Ok(()), |beliefs| write!(f, ", beliefs {:?}", beliefs.values()))
    }
}

/// Writes a file, if there is something to write.
fn put(folder: &Path, file: &str, text: Option<String>) -> Result<(), WriteError> {
    let path = folder.join(file);
    text.map_or(Ok(()), |text| std::fs::write(&path, text).map_err(WriteError::io(&path)))
}

/// Reads a file, if it exists.
fn get<T>(folder: &Path, file: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, OpenError> {
    let path = folder.join(file);
    if !path.exists() {
        return Ok(None);
    }
    let broken = |problem: String| OpenError::Statement { path: path.clone(), problem };
    let text = std::fs::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
    parse(&text).map(Some).map_err(broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantee::{ParameterList, Unit};
    use crate::protocol::cascade::Params;

    /// Labels of three classes and rows of eight: whoever reads the rows would look up classes that
    /// do not exist.
    #[test]
    fn rows_of_other_classes_or_steps_are_refused() {
        let params = |classes, steps| Params {
            epsilon: "1".parse().unwrap(),
            unit: Unit::Edge,
            classes,
            batches: 2,
            steps,
            paired: false,
            heard: cascade::Heard::Earlier,
        };
        let by = |classes, steps| params(classes, steps).check().unwrap().guarantees().remove(0);
        let rows = Transcript::default();
        assert!(is_by(&by(8, cascade::STEPS), &rows, Some(8)) && is_by(&by(8, cascade::STEPS), &rows, None));
        assert!(!is_by(&by(8, cascade::STEPS), &rows, Some(3)));
        assert!(!is_by(&by(8, 16), &rows, Some(8)));
        let none = Guarantee { parameters: ParameterList::default(), ..by(8, cascade::STEPS) };
        assert!(!is_by(&none, &rows, Some(8)));
    }
}
