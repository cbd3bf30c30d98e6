//! Released data and their folder.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use veil_graph::read::{self, Misfit, ReadError};
use veil_graph::write::{self, WriteError};
use veil_graph::{Dataset, Features, Graph, Labels, Matrix, Sparse};

use super::figures::{self, Figures, Transcript};
use super::recompute::{self, NotImplied};
use crate::answers::{self, Layers};
use crate::fact::Declarations;
use crate::guarantee::{Booking, Guarantee, Statement, Unit};
use crate::integrity::{self, Digests, Integrity, IntegrityError};
use crate::mechanism::{ParamError, RandomisedResponse, codebook, multi_bit, randomised_response};
use crate::permit::Permit;
use crate::protocol::cascade::{Extension, Heard};
use crate::protocol::degree_vectors::Counts;
use crate::protocol::edge_flip;
use crate::seal::{Public, Released};

/// A released data set with its privacy statement.
#[derive(Clone, Debug)]
pub struct Privatised {
    data: Dataset,
    figures: Figures,
    statement: Statement,
    integrity: Integrity,
}

/// Why a folder cannot be read as a release.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} has no privacy.json: it is not a release", folder.display())]
    NotReleased { folder: PathBuf },
    #[error("{}: {problem}", path.display())]
    Statement { path: PathBuf, problem: String },
    #[error("{}: {source}", path.display())]
    NotImplied { path: PathBuf, source: Box<NotImplied> },
    #[error("{}: the statement says nothing about the {found} in the folder", folder.display())]
    NotStated { folder: PathBuf, found: &'static str },
    #[error("{}: {mechanism} releases {expected}, but the folder has {found}", folder.display())]
    OtherData { folder: PathBuf, mechanism: String, expected: &'static str, found: &'static str },
    #[error("{} contradicts privacy.json", path.display())]
    OtherText { path: PathBuf },
    #[error(transparent)]
    Integrity(#[from] IntegrityError),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl OpenError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            OpenError::NotImplied { .. }
            | OpenError::OtherData { .. }
            | OpenError::OtherText { .. }
            | OpenError::NotStated { .. } => {
                Some("the statement was not written by this release: ask its owner".to_owned())
            }
            OpenError::Integrity(error) => error.hint(),
            _ => None,
        }
    }
}

impl Privatised {
    pub(super) fn new(
        (public, declared): (&Public<'_>, Declarations),
        (features, hints): (Option<Released<Features>>, Option<Released<Vec<u32>>>),
        labels: Option<Released<Labels>>,
        lists: Option<Released<Graph>>,
        figures: Option<Released<Figures>>,
        permit: &Permit,
    ) -> Result<Privatised, Misfit> {
        let mut withheld = Vec::new();
        let mut guarantees: Vec<Guarantee> = Vec::new();
        let (mut figures, of_figures) = figures.map(Released::into_parts).unwrap_or_default();
        let (mut data, of_edges) = match lists {
            Some(lists) => {
                let (graph, promised) = lists.into_parts();
                (Dataset::new(public.name, graph, Default::default()), promised)
            }
            // Whole nodes are protected: there are none in the release.
            None if figures.moments.is_some() => {
                withheld
                    .push("every node: its name, features, label and edges, and how many nodes there are".to_owned());
                (Dataset::with_edges_withheld(public.name, 0), of_figures)
            }
            None => {
                let except = figures.about().map_or_else(String::new, |figures| format!(", except for {figures}"));
                withheld.push(format!("the edges{except}"));
                (Dataset::with_edges_withheld(public.name, public.nodes), of_figures)
            }
        };
        data = data.with_declared(public.declared);
        if figures.moments.is_some() {
            data = nobodys(data, public)?;
            guarantees.extend(of_edges);
            return Ok(Privatised::stated(data, figures, (public.name, declared), guarantees, withheld, permit));
        }
        data = data.with_names(public.names.clone())?;
        if let Some(split) = public.split {
            data = data.with_split(split.clone())?;
        }
        match features {
            Some(released) => {
                let (features, promised) = released.into_parts();
                guarantees.extend(promised);
                data = data.with_features(features)?;
            }
            None => withheld.push(match hints {
                Some(hints) => {
                    let (hints, promised) = hints.into_parts();
                    guarantees.extend(promised);
                    figures.hints = Some(hints);
                    "the features, except for a codeword or a class of each user".to_owned()
                }
                None => "the features".to_owned(),
            }),
        }
        match labels {
            Some(released) => {
                let (labels, promised) = released.into_parts();
                guarantees.extend(promised);
                data = data.with_labels(labels)?;
                withheld.push("the labels of nodes outside of training and validation".to_owned());
            }
            None => withheld.push("the labels".to_owned()),
        }
        guarantees.extend(of_edges);
        Ok(Privatised::stated(data, figures, (public.name, declared), guarantees, withheld, permit))
    }

    /// Released data of this name with their statement.
    fn stated(
        data: Dataset,
        figures: Figures,
        (name, declared): (&str, Declarations),
        guarantees: Vec<Guarantee>,
        withheld: Vec<String>,
        permit: &Permit,
    ) -> Privatised {
        let statement = Statement {
            format: Statement::FORMAT,
            release: permit.release().to_string(),
            data: name.to_owned(),
            reproducible: permit.seed().is_some(),
            seed: permit.seed(),
            booked: permit.booked(),
            ledger: permit.ledger(),
            declared,
            guarantees,
            withheld,
        };
        Privatised { data, figures, statement, integrity: Integrity::None }
    }

    /// A public graph with answers of a private one for labels; `withheld` names further withheld
    /// data.
    pub(crate) fn answered(
        data: Dataset,
        (private, declared): (&str, Declarations),
        (guarantees, withheld): (Vec<Guarantee>, &str),
        permit: &Permit,
    ) -> Privatised {
        let withheld = vec![format!("{private} itself: its nodes, features, labels and edges"), withheld.to_owned()];
        Privatised::stated(data, Figures::default(), (private, declared), guarantees, withheld, permit)
    }

    /// One more thing that is not released.
    pub(super) fn withhold(&mut self, what: String) {
        self.statement.withheld.push(what);
    }

    /// The figures, to which a round adds its own.
    pub(super) fn figures_mut(&mut self) -> &mut Figures {
        &mut self.figures
    }

    /// Adds what was computed from the released data: probabilities of the classes, for each node.
    /// It is post-processing.
    pub fn believe(&mut self, beliefs: Matrix) {
        self.figures.beliefs = Some(beliefs);
    }

    /// Adds a network that was learned from noisy gradients.
    pub(crate) fn learned(&mut self, network: Layers) {
        self.figures.network = Some(network);
    }

    /// The released data: features, labels and edges as reported.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// What is released of the edges besides lists.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// The released degree vectors, round by round.
    pub fn vectors(&self) -> &[Counts] {
        self.figures.vectors.as_deref().unwrap_or_default()
    }

    /// The noisy degree of each node, if users reported it beside their lists.
    pub fn degrees(&self) -> Option<&[i64]> {
        self.figures.degrees.as_deref()
    }

    /// What users reported of their features by a codebook: a codeword of each training node, and a
    /// class of each other one.
    pub fn hints(&self) -> Option<&[u32]> {
        self.figures.hints.as_deref()
    }

    /// The released rows of a cascade.
    pub fn cascade(&self) -> Option<&Transcript> {
        self.figures.cascade.as_ref()
    }

    /// What a later release of this graph extends, if it can be extended.
    pub fn extension(&self) -> Option<Extension> {
        let order = self.cascade()?.order()?;
        Extension::of(&self.statement.release, &self.statement.guarantees, self.data.names(), order)
    }

    /// The mechanism of the labels, according to the statement; `None` if they are unperturbed.
    ///
    /// # Errors
    /// If the statement has invalid parameters.
    pub fn label_mechanism(&self) -> Result<Option<RandomisedResponse>, ParamError> {
        let of_labels = |guarantee: &Guarantee| {
            let reported = guarantee.unit == Unit::Label && guarantee.epsilon.is_finite();
            if reported { Some(guarantee.epsilon) } else { answers::loss_of_one_label(guarantee) }
        };
        let Some(epsilon) = self.statement.guarantees.iter().find_map(of_labels) else { return Ok(None) };
        let values = self.data.labels().map_or(0, Labels::classes);
        randomised_response::Params { epsilon, values }.check().map(Some)
    }

    /// The same with more declared public by the owner: data that were released unperturbed.
    #[must_use]
    pub fn with_declared(mut self, more: Declarations) -> Privatised {
        self.statement.declared = self.statement.declared.and(more);
        self
    }

    /// What would notice a change of the folder that it was read from.
    pub fn integrity(&self) -> &Integrity {
        &self.integrity
    }

    /// The privacy statement.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Writes the released data in the folder format, with `privacy.json` and `privacy.md`, into an
    /// existing folder: for use inside [`write::atomically`], which creates the folder before
    /// anything is charged.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn fill(&self, folder: &Path) -> Result<(), WriteError> {
        write::fill_folder(&self.data, folder)?;
        self.figures.fill(folder)?;
        self.fill_statement(folder)?;
        Digests::write(folder).map_err(|error| WriteError::io(folder)(std::io::Error::other(error)))
    }

    /// Writes `privacy.json` and `privacy.md` alone.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn fill_statement(&self, folder: &Path) -> Result<(), WriteError> {
        fill_statement(&self.statement, folder)
    }

    /// Whether a folder is a release.
    pub fn is_released(folder: &Path) -> bool {
        folder.join(STATEMENT).is_file()
    }

    /// Reads the statement in a folder. What it promises must follow from its mechanisms and
    /// parameters.
    ///
    /// # Errors
    /// If there is none, it cannot be read, or it promises something else.
    pub fn statement_of(folder: &Path) -> Result<Statement, OpenError> {
        let path = folder.join(STATEMENT);
        let broken = |problem: String| OpenError::Statement { path: path.clone(), problem };
        let text = std::fs::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
        let Version { format } = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        if format != Statement::FORMAT {
            return Err(broken(format!("version {format} of the format, not {}", Statement::FORMAT)));
        }
        let statement: Statement = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        let seeded = statement.seed.is_some();
        let contradicts = |it: &Guarantee| it.reproducible != seeded;
        if statement.reproducible != seeded || statement.guarantees.iter().any(contradicts) {
            return Err(broken("`seed` and `reproducible` contradict each other".to_owned()));
        }
        if statement.ledger.is_some() && statement.booked == Booking::None {
            return Err(broken("`booked` and `ledger` contradict each other".to_owned()));
        }
        // What people read must say the same.
        for (name, text) in [(MARKDOWN, statement.to_markdown()), (PAGE, statement.to_html())] {
            let path = folder.join(name);
            if path.exists() && std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
                return Err(OpenError::OtherText { path });
            }
        }
        for stated in &statement.guarantees {
            recompute::check(stated)
                .map_err(|source| OpenError::NotImplied { path: path.clone(), source: Box::new(source) })?;
        }
        Ok(statement)
    }

    /// Reads a release.
    ///
    /// # Errors
    /// If the folder is not a release, or cannot be read.
    pub fn open(folder: &Path) -> Result<Privatised, OpenError> {
        if !Privatised::is_released(folder) {
            return Err(OpenError::NotReleased { folder: folder.to_owned() });
        }
        let integrity = integrity::check(folder)?;
        let statement = Privatised::statement_of(folder)?;
        let data = read::open(folder)?;
        let figures = Figures::open(folder, data.nodes() as usize)?;
        refuse_other_data(folder, &statement, &data)?;
        figures.refuse_others(folder, &statement, &data)?;
        Ok(Privatised { data, figures, statement, integrity })
    }
}

/// Refuses data with the statement of another release, where the data show it: reports of the
/// multi-bit encoder are signs, whose number and rectifier follow from its parameters, labels have
/// as many classes as randomised response has values, and released counts come without edges.
fn refuse_other_data(folder: &Path, statement: &Statement, data: &Dataset) -> Result<(), OpenError> {
    let wrong = |mechanism: &str, expected, found| {
        Err(OpenError::OtherData { folder: folder.to_owned(), mechanism: mechanism.to_owned(), expected, found })
    };
    // Answers of a private graph are about its nodes; the rest of the data is a public graph.
    let states =
        |about: &dyn Fn(Unit) -> bool| statement.guarantees.iter().any(|it| about(it.unit) || it.unit == Unit::Node);
    let parts: [(bool, &'static str, bool); 3] = [
        (data.features().is_some(), "features", states(&|unit| unit == Unit::Feature)),
        (data.labels().is_some_and(|labels| labels.known() > 0), "labels", states(&|unit| unit == Unit::Label)),
        (!data.edges_withheld(), "edges", states(&Unit::is_about_edges)),
    ];
    if let Some((_, found, _)) = parts.into_iter().find(|(present, _, stated)| *present && !stated) {
        return Err(OpenError::NotStated { folder: folder.to_owned(), found });
    }
    for guarantee in &statement.guarantees {
        let mechanism = &guarantee.mechanism;
        let encoded = data.features().is_none_or(|features| matches!(features, Features::Encoded(_)));
        match mechanism.as_str() {
            multi_bit::NAME if !encoded => return wrong(mechanism, "signs", "features"),
            multi_bit::NAME if !is_by(guarantee, data) => {
                return wrong(mechanism, "signs by these parameters", "others");
            }
            codebook::NAME if data.features().is_some() => {
                return wrong(mechanism, "codewords and classes", "features");
            }
            edge_flip::NAME if names_later_nodes(guarantee, data) => {
                return wrong(mechanism, "bits about earlier nodes", "bits about later ones");
            }
            randomised_response::NAME if !has_values(guarantee, data) => {
                return wrong(mechanism, "labels of as many classes as values", "others");
            }
            name if figures::in_place_of_edges(name) && !data.edges_withheld() => {
                return wrong(mechanism, "counts", "edges");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a list of bits about earlier nodes names a later one.
fn names_later_nodes(guarantee: &Guarantee, data: &Dataset) -> bool {
    let earlier = guarantee.parameters.get("heard") == Some(Heard::Earlier.name());
    earlier && data.graph().iter_edges().any(|(user, named)| named >= user)
}

/// The shape of the data, without any node: as many feature dimensions and the same classes.
fn nobodys(data: Dataset, public: &Public<'_>) -> Result<Dataset, Misfit> {
    let mut labels = Labels::new(public.classes.unwrap_or(0), [])?;
    if let Some(names) = public.class_names {
        labels = labels.with_names(names.to_vec())?;
    }
    let features = Sparse::from_triples(0, public.dimensions.unwrap_or(0), &[])?;
    Ok(data.with_labels(labels)?.with_features(Features::Sparse(features))?)
}

/// Whether encoded features have the shape and the rectifier of this guarantee's parameters.
fn is_by(guarantee: &Guarantee, data: &Dataset) -> bool {
    let Some(Features::Encoded(encoded)) = data.features() else { return true };
    let read = |name: &str| guarantee.parameters.get(name);
    let (Some(epsilon), Some(dimensions), Some(range), Some(samples)) = (
        read("epsilon").and_then(|it| it.parse().ok()),
        read("dimensions").and_then(|it| it.parse().ok()),
        read("range").and_then(|it| it.parse().ok()),
        read("samples").and_then(|it| it.parse().ok()),
    ) else {
        return false;
    };
    let params = multi_bit::Params { epsilon, dimensions, range, samples: Some(samples) };
    params.check().is_ok_and(|encoder| {
        let rectifier = (encoder.offset() as f32, encoder.scale() as f32);
        let signs = encoded.rows().saturating_mul(samples as usize);
        (encoded.columns(), encoded.signs()) == (dimensions as usize, signs)
            && (encoded.offset(), encoded.scale()) == rectifier
    })
}

/// Whether labels have the classes of this guarantee's parameters.
fn has_values(guarantee: &Guarantee, data: &Dataset) -> bool {
    let classes = data.labels().map(|labels| labels.classes().to_string());
    classes.is_none_or(|classes| guarantee.parameters.get("values") == Some(&*classes))
}

/// The version of a statement.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// Writes a statement into an existing folder.
///
/// # Errors
/// If a file cannot be written.
pub fn fill_statement(statement: &Statement, folder: &Path) -> Result<(), WriteError> {
    let (json, markdown) = (folder.join(STATEMENT), folder.join(MARKDOWN));
    let text = serde_json::to_string_pretty(statement).map_err(WriteError::content(&json))?;
    std::fs::write(&json, text + "\n").map_err(WriteError::io(&json))?;
    std::fs::write(&markdown, statement.to_markdown()).map_err(WriteError::io(&markdown))
}

/// The file that makes a folder a release.
const STATEMENT: &str = "privacy.json";

/// The same for people, and as a page.
const MARKDOWN: &str = "privacy.md";
/// The page of a published folder.
pub const PAGE: &str = "privacy.html";
