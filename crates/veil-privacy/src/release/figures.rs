//! What is released besides lists of edges: noisy numbers, and what was computed from them.

use std::fmt::{self, Display};
use std::path::Path;

use veil_graph::write::WriteError;
use veil_graph::{Dataset, Matrix};

use super::transcript::{self, Transcript};
use super::{OpenError, degrees, vectors};
use crate::central::{moments, neighbour_sums};
use crate::guarantee::Statement;
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
    /// The noisy degree of each node, if such are released beside lists.
    pub degrees: Option<Vec<i64>>,
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
        put(folder, degrees::FILE, self.degrees.as_deref().map(degrees::to_csv))?;
        put(folder, transcript::FILE, self.cascade.as_ref().and_then(transcript::to_csv))?;
        put(folder, transcript::BELIEFS, self.beliefs.as_ref().map(transcript::beliefs_to_csv))
    }

    /// Reads the files of a release of so many nodes.
    pub(super) fn open(folder: &Path, nodes: usize) -> Result<Figures, OpenError> {
        let vectors = get(folder, vectors::FILE, |text| vectors::from_csv(text, nodes))?;
        let cascade = get(folder, transcript::FILE, |text| transcript::from_csv(text, nodes))?;
        let sums = get(folder, SUMS, |text| vectors::from_csv(text, nodes))?;
        let moments = get(folder, MOMENTS, moments::NoisyMoments::from_csv)?;
        let degrees = get(folder, degrees::FILE, |text| degrees::from_csv(text, nodes))?;
        let beliefs = get(folder, transcript::BELIEFS, |text| transcript::beliefs_from_csv(text, nodes))?;
        Ok(Figures { vectors, cascade, sums, moments, degrees, beliefs })
    }

    /// Refuses figures without a statement about them, or of another shape than it states.
    pub(super) fn refuse_others(&self, folder: &Path, statement: &Statement, data: &Dataset) -> Result<(), OpenError> {
        let stated = |name: &str| statement.guarantees.iter().find(|it| it.mechanism == name);
        let not_stated = |found| Err(OpenError::NotStated { folder: folder.to_owned(), found });
        if self.vectors.is_some() && stated(degree_vectors::NAME).is_none() {
            return not_stated("degree vectors");
        }
        match (&self.degrees, stated(blink::NAME)) {
            (Some(_), None) => return not_stated("noisy degrees"),
            (None, Some(guarantee)) => {
                let (mechanism, expected) = (guarantee.mechanism.clone(), "lists and degrees");
                return Err(OpenError::OtherData {
                    folder: folder.to_owned(),
                    mechanism,
                    expected,
                    found: "no degrees",
                });
            }
            _ => {}
        }
        if let Some(rows) = &self.cascade {
            let Some(guarantee) = stated(cascade::NAME) else { return not_stated("rows of a cascade") };
            let number = |name: &str| guarantee.parameters.get(name).and_then(|text| text.parse::<usize>().ok());
            let classes = number("classes").unwrap_or(0);
            let paired = guarantee.parameters.get("paired") == Some("true");
            let width = if paired { classes.div_ceil(2) } else { classes };
            let pairs = if paired { Some(classes) } else { None };
            let fits = rows.batches().iter().all(|batch| {
                let listed = (0..batch.iter().len()).all(|row| batch.classes(row).map(<[u32]>::len) == pairs);
                batch.width() == width && listed
            });
            // No batch has rows where every node only sends.
            let batches = rows.batches().len();
            if !fits || (batches > 0 && Some(batches) != number("batches")) {
                let (mechanism, expected) = (cascade::NAME.to_owned(), "rows by these parameters");
                return Err(OpenError::OtherData { folder: folder.to_owned(), mechanism, expected, found: "others" });
            }
        }
        if self.sums.is_some() && stated(neighbour_sums::NAME).is_none() {
            return not_stated("sums over neighbours");
        }
        let classes = data.labels().map(|labels| labels.classes() as usize);
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

/// All of them in one line: the part of a release that auditors compare.
impl Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
