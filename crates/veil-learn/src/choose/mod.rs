//! Which method? From public facts alone: what applies, what it would promise, and what accuracy is
//! to be expected.
//!
//! Nothing is read of a graph but the facts that a release may state ([`Public`]): each is equal in
//! all adjacent inputs, given, or declared, or there is no answer. Neither edges nor labels nor
//! features are looked at, so the answer tells nothing about them, and asking costs no ε. An owner
//! who knows the mean degree may give it ([`Question::mean_degree`]), or pay for a noisy one
//! ([`advise`](crate::pipeline::advise)).
//!
//! What applies and what it promises comes from the registry of methods, by configuring each and
//! asking for its plan. What is expected comes from [`table`], runs on other graphs: [`estimate`]
//! compares each method with a model that spends no ε on the graphs that are similar by public
//! facts. [`validation`] says how often that is right. [`outlook`] says before a charge what the
//! same table and the density of the noise say about the method that was chosen.

pub mod estimate;
mod outlook;
mod promise;
pub mod table;
#[cfg(test)]
mod tests;
pub mod validation;

pub use estimate::{CAP, Estimate, Expected};
pub use outlook::{Outlook, outlook};
pub use table::{Setting, Table};

use serde::Serialize;
use veil_graph::{Dataset, Part};
use veil_privacy::guarantee::{Meaning, Prior, Source};
use veil_privacy::{Delta, Epsilon, Fact, NotPublic, Private, Public, Status, Trust, Unit};

use self::table::Shape;
use crate::method::{self, MethodError};
use crate::pipeline::SplitChoice;

/// By how many points edges must help to be worth an ε.
const WORTH: f64 = 0.5;

/// The ε of labels that users report, where nothing else is said: that of the measured runs.
pub const EPSILON_LABELS: &str = "3";

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Who is trusted.
    pub trust: Trust,
    /// What is protected. [`Unit::Edge`] where nobody is trusted is a relationship, which may be in
    /// two reports.
    pub unit: Unit,
    /// ε of one such unit.
    pub epsilon: Epsilon,
    /// The split, if it is not that of the data.
    pub split: Option<SplitChoice>,
    /// Whether there is a public graph for a student to learn on.
    pub public_graph: bool,
    /// The mean degree, and where it is from.
    pub mean_degree: Option<(f64, Source)>,
}

/// Why there is no answer.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    #[error("no method protects {unit} where {} trusted", who(*trust))]
    NoMethod { trust: Trust, unit: Unit },
    #[error("ε = inf protects nothing: choose needs a finite ε")]
    NoEpsilon,
    #[error("a mean degree of {given} is not possible in a graph of {nodes} nodes")]
    BadDegree { given: f64, nodes: u32 },
    #[error("{data} has no labels: nothing can be learned from it")]
    NoLabels { data: String },
    #[error("edges are counted where the owner is trusted and protects edges: the count costs ε of unit edge")]
    NotCounted,
    #[error(transparent)]
    NotPublic(#[from] NotPublic),
    #[error(transparent)]
    Method(#[from] MethodError),
}

fn who(trust: Trust) -> &'static str {
    match trust {
        Trust::Central => "the owner is",
        Trust::Local => "nobody is",
    }
}

impl ChooseError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        !matches!(self, ChooseError::NoLabels { .. })
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ChooseError::NoMethod { trust, .. } => {
                let units: Vec<&str> = units(*trust).into_iter().map(Unit::name).collect();
                Some(format!("there, methods protect {}", units.join(", ")))
            }
            ChooseError::NoLabels { .. } => Some("give the data a label, if only of some nodes".to_owned()),
            ChooseError::NotPublic(error) => error.hint(),
            ChooseError::Method(error) => error.hint(),
            ChooseError::NotCounted => Some("leave out the count; a mean degree may be given instead".to_owned()),
            ChooseError::NoEpsilon | ChooseError::BadDegree { .. } => None,
        }
    }
}

/// The units that methods with this trust protect.
fn units(trust: Trust) -> Vec<Unit> {
    let own = |unit: Unit| method::entries().iter().any(|it| it.trust == trust && it.unit == Some(unit));
    let relationship = |unit| trust == Trust::Local && unit == Unit::Edge;
    Unit::ALL.into_iter().filter(|&unit| own(unit) || relationship(unit)).collect()
}

/// A fact that the answer depends on, and why it may be used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Used {
    /// What it is.
    pub fact: &'static str,
    /// Its value.
    pub value: f64,
    /// Why it may be used.
    pub because: &'static str,
}

/// A method that applies.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// Its name, and the flags that differ from its defaults.
    pub method: String,
    /// The protected unit of its guarantee; none if it reads no edge.
    pub unit: Option<Unit>,
    /// ε of one report or release; none if it reads no edge.
    pub epsilon: Option<Epsilon>,
    /// δ.
    pub delta: Delta,
    /// ε of a relationship that both ends report, if that is another one.
    pub per_relationship: Option<Epsilon>,
    /// What is known of the guarantee.
    pub status: Status,
    /// What is expected of it; none if it was not measured.
    #[serde(flatten)]
    pub expected: Option<Expected>,
    /// By how many points it is expected to fall short of the best method that applies, of which no
    /// more than [`CAP`] count on one graph; none if it was not measured. By this it is ranked.
    pub shortfall: Option<f64>,
    /// The flags of `veil train` that make it.
    pub flags: Vec<(String, String)>,
}

/// A method that does not apply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refused {
    /// Its name.
    pub method: String,
    /// Why.
    pub why: String,
}

/// Whether edges are expected to help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgesHelp {
    /// The whole interval of the best method that reads edges is above 0.
    Likely,
    /// It holds 0.
    Unclear,
    /// A model without edges is expected to be as good.
    Unlikely,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// What the runs that it is from have in common with the question.
    pub setting: Setting,
    /// What the gains are relative to.
    pub reference: Option<&'static str>,
    /// The facts that were used, and nothing else of the data.
    pub facts: Vec<Used>,
    /// The methods that apply, best first. Those that were not measured are last.
    pub candidates: Vec<Candidate>,
    /// The methods of the same trust that do not.
    pub refused: Vec<Refused>,
    /// Whether edges are expected to help; none where no edge is protected.
    pub edges_help: Option<EdgesHelp>,
    /// What should be known before an ε is spent.
    pub notes: Vec<String>,
    /// What the ε means.
    pub meaning: Vec<Meaning>,
}

impl Answer {
    /// The method to use.
    pub fn best(&self) -> Option<&Candidate> {
        self.candidates.first()
    }
}

/// Ranks the methods that apply to a graph, from its public facts.
///
/// # Errors
/// If a fact is not public, no method protects the unit, or a number is impossible.
pub fn choose(data: &Private<Dataset>, question: &Question) -> Result<Answer, ChooseError> {
    let public = data.public();
    let Question { trust, unit, epsilon, .. } = *question;
    if !epsilon.is_finite() {
        return Err(ChooseError::NoEpsilon);
    }
    if !units(trust).contains(&unit) {
        return Err(ChooseError::NoMethod { trust, unit });
    }
    if public.classes.is_none() {
        return Err(ChooseError::NoLabels { data: public.name.to_owned() });
    }
    let units = protected(&public, question);
    units.iter().try_for_each(|&unit| public.check(unit))?;
    let known = Known::of(&public, question, &units)?;
    let setting = setting(&public, question);
    let (mut candidates, refused) = promise::candidates(&public, question, setting, &known)?;
    // Features were read in all measured runs of the other settings.
    let comparable = public.dimensions.is_some() || setting == Setting::Labels;
    for candidate in candidates.iter_mut().filter(|_| comparable) {
        // A method without an ε has the same accuracy at all of them.
        let epsilon = candidate.epsilon.unwrap_or(epsilon).as_f64();
        candidate.expected = estimate::expected(Table::shipped(), setting, &candidate.method, epsilon, &known.shape);
    }
    let offered = |it: &Candidate| (it.method.clone(), it.epsilon.unwrap_or(epsilon).as_f64());
    let offered: Vec<(String, f64)> = candidates.iter().filter(|it| it.expected.is_some()).map(offered).collect();
    let offered: Vec<(&str, f64)> = offered.iter().map(|(method, epsilon)| (method.as_str(), *epsilon)).collect();
    let short = estimate::shortfalls(Table::shipped(), setting, &offered, &known.shape);
    for (candidate, short) in candidates.iter_mut().filter(|it| it.expected.is_some()).zip(short) {
        candidate.shortfall = Some(short.unwrap_or(CAP));
    }
    let rank = |it: &Candidate| it.shortfall.unwrap_or(f64::INFINITY);
    // A stable sort: among equals, the order of the registry.
    candidates.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
    let edges_help = unit.is_about_edges().then(|| edges_help(&candidates)).flatten();
    let density = known.density(&public, question);
    let meaning = meaning(&candidates, question, density);
    let notes = notes(&candidates, question, setting, (&public, &known), edges_help);
    let reference = setting.reference();
    Ok(Answer { setting, reference, facts: known.used, candidates, refused, edges_help, notes, meaning })
}

/// Everything that a release would protect, and that the facts must therefore not tell.
fn protected(public: &Public<'_>, question: &Question) -> Vec<Unit> {
    let local =
        |unit, fact| question.trust == Trust::Local && !public.declarations.contains(fact) && question.unit != unit;
    let users = [(Unit::Feature, Fact::Features), (Unit::Label, Fact::Labels)];
    let users = users.into_iter().filter(|&(unit, fact)| local(unit, fact)).map(|(unit, _)| unit);
    std::iter::once(question.unit).chain(users).collect()
}

/// The setting of the measured runs that is nearest.
fn setting(public: &Public<'_>, question: &Question) -> Setting {
    let public_data = [Fact::Features, Fact::Labels].into_iter().all(|fact| public.declarations.contains(fact));
    match (question.trust, question.unit) {
        (Trust::Central, Unit::Node) => Setting::Node,
        (Trust::Central, _) => Setting::Edge,
        (Trust::Local, _) if public_data => Setting::Relationship,
        (Trust::Local, _) => Setting::Labels,
    }
}

/// The public facts of a graph.
pub(crate) struct Known {
    pub shape: Shape,
    pub used: Vec<Used>,
    /// Whether there are validation nodes, as far as that is known.
    pub validated: bool,
    /// How many nodes are not for training, as far as that is known.
    pub others: Option<usize>,
    /// Whether the split has to be drawn.
    pub no_split: bool,
}

impl Known {
    pub(crate) fn of(public: &Public<'_>, question: &Question, units: &[Unit]) -> Result<Known, ChooseError> {
        let mut used = Vec::new();
        let mut use_fact = |fact: Fact, name: &'static str, value: Option<f64>| -> Option<f64> {
            let value = value?;
            let standing = |&unit: &Unit| public.declarations.standing(fact, unit, public.origin(fact)).ok();
            let standings: Vec<_> = units.iter().map(standing).collect::<Option<_>>()?;
            let because =
                standings.into_iter().max_by_key(|it| *it as u8).map_or("", veil_privacy::fact::Standing::in_words);
            used.push(Used { fact: name, value, because });
            Some(value)
        };
        // A node more or less changes their number.
        let nodes = (question.unit != Unit::Node).then_some(f64::from(public.nodes));
        let nodes = use_fact(Fact::Nodes, "nodes", nodes);
        let classes = use_fact(Fact::Classes, "classes", public.classes.map(f64::from));
        let dimensions = use_fact(Fact::Dimensions, "dimensions", public.dimensions.map(|it| it as f64));
        let (trained, validated) = match (question.split, public.split) {
            (Some(SplitChoice::Random(fractions)), _) => {
                let [train, validation, _] = fractions.shares();
                (nodes.map(|nodes| nodes * train), validation > 0.0)
            }
            (Some(SplitChoice::All), _) => (nodes, false),
            (None | Some(SplitChoice::Public), Some(split)) if nodes.is_some() => {
                (Some(split.count(Part::Train) as f64), public.validated)
            }
            (None | Some(SplitChoice::Public), Some(_)) => (None, public.validated),
            // The usual one is drawn.
            (None | Some(SplitChoice::Public), None) => (nodes.map(|nodes| nodes * 0.5), true),
        };
        let others = nodes.zip(trained).map(|(nodes, trained)| (nodes - trained).max(0.0) as usize);
        let labels = trained.zip(classes).map(|(trained, classes)| trained / classes.max(1.0));
        let labels = use_fact(Fact::Split, "training labels per class", labels);
        // Where whole nodes are protected, their number is not public, and so no density is.
        let degree = question.mean_degree.filter(|_| question.unit.is_about_edges());
        let degree = degree.map(|(degree, source)| {
            let possible = Prior::of_degree(degree, public.nodes, source).is_some();
            let because =
                if source == Source::Noisy { "paid for: a noisy count of the edges" } else { "given by the owner" };
            used.push(Used { fact: "mean degree", value: degree, because });
            possible.then_some(degree).ok_or(ChooseError::BadDegree { given: degree, nodes: public.nodes })
        });
        let degree = degree.transpose()?;
        let no_split =
            public.split.is_none() && !matches!(question.split, Some(SplitChoice::Random(_) | SplitChoice::All));
        Ok(Known { shape: Shape { nodes, classes, dimensions, labels, degree }, used, validated, others, no_split })
    }

    fn density(&self, public: &Public<'_>, question: &Question) -> Option<Prior> {
        let (degree, source) = question.mean_degree.filter(|_| question.unit.is_about_edges())?;
        Prior::of_degree(degree, public.nodes, source)
    }
}

/// Whether the best method that reads edges is expected to gain by it.
fn edges_help(candidates: &[Candidate]) -> Option<EdgesHelp> {
    let reading = candidates.iter().filter(|it| it.epsilon.is_some());
    let gain =
        reading.filter_map(|it| it.expected?.gain).max_by(|one, other| one.expected.total_cmp(&other.expected))?;
    Some(match gain {
        gain if gain.expected < WORTH => EdgesHelp::Unlikely,
        gain if gain.low > 0.0 => EdgesHelp::Likely,
        _ => EdgesHelp::Unclear,
    })
}

/// What the ε of the best method that spends one means.
fn meaning(candidates: &[Candidate], question: &Question, density: Option<Prior>) -> Vec<Meaning> {
    let spends = |it: &&Candidate| it.epsilon.is_some() && it.status == Status::Proven;
    let Some(best) = candidates.iter().find(spends) else { return Vec::new() };
    let Some((unit, epsilon)) = best.unit.zip(best.epsilon) else { return Vec::new() };
    let prior = Prior::of_unit(unit, density);
    let delta = best.delta.as_f64();
    let one = Meaning::of(unit, unit.name(), (epsilon.as_f64(), delta), prior);
    let whole = (question.trust == Trust::Local && unit.is_about_edges()).then(|| {
        let both = best.per_relationship.unwrap_or(epsilon);
        Meaning::of(unit, "relationship", (both.as_f64(), if both == epsilon { delta } else { 2.0 * delta }), prior)
    });
    std::iter::once(one).chain(whole).collect()
}

/// What should be known before an ε is spent.
fn notes(
    candidates: &[Candidate],
    question: &Question,
    setting: Setting,
    (public, known): (&Public<'_>, &Known),
    edges_help: Option<EdgesHelp>,
) -> Vec<String> {
    let mut notes = Vec::new();
    match edges_help {
        Some(EdgesHelp::Unlikely) => notes.push(
            "THE EDGES ARE NOT EXPECTED TO HELP: on similar graphs, a model that reads none was as accurate and costs no ε"
                .to_owned(),
        ),
        Some(EdgesHelp::Unclear) => notes.push(
            "edges may not help: on some similar graphs a model that reads none was as accurate, and costs no ε of edges. \
             Whether they do depends on how often neighbours have the same class, which is private"
                .to_owned(),
        ),
        Some(EdgesHelp::Likely) | None => {}
    }
    if known.no_split {
        notes.push("the data have no split: 0.5,0.25,0.25 (train, validation, test) is assumed".to_owned());
    }
    let undeclared: Vec<&str> = [Fact::Features, Fact::Labels]
        .into_iter()
        .filter(|&fact| !public.declarations.contains(fact))
        .map(Fact::name)
        .collect();
    if setting == Setting::Edge && !undeclared.is_empty() {
        notes.push(format!(
            "{} are released unperturbed: what is learned is for the owner alone, unless they are declared public \
             (--declare-public {})",
            undeclared.join(" and "),
            undeclared.join(",")
        ));
    }
    if setting == Setting::Labels {
        let labels = if public.declarations.contains(Fact::Labels) {
            "labels are public; the measured runs reported them at ε = 3"
        } else {
            "labels are reported at ε = 3, as in the measured runs, unless they are declared public"
        };
        let features = if public.declarations.contains(Fact::Features) {
            "features are public; the measured runs had none"
        } else {
            "features are not released, unless they are declared public"
        };
        notes.push(format!("{labels}; {features}"));
    }
    if public.dimensions.is_none() && setting != Setting::Labels {
        notes.push(
            "the data have no features, and no measured graph is without: nothing is known of accuracies".to_owned(),
        );
    }
    if setting == Setting::Node && !question.public_graph {
        notes.push("with a public graph (--public-graph) students apply too".to_owned());
    }
    let few = candidates.first().and_then(|it| it.expected).is_some_and(|it| it.accuracy.graphs < 4.0);
    if few {
        notes.push("few measured graphs are similar: the intervals hold all of them, and still say little".to_owned());
    }
    notes
}
