//! What can be audited, by name.

use std::fmt;
use std::str::FromStr;

use veil_graph::{Dataset, Features, Labels};
use veil_learn::{Edges, LearnError, Method, Parameters, Release};
use veil_privacy::accounting::{Queries, Query, calibrate};
use veil_privacy::answers::AnswerError;
use veil_privacy::mechanism::{ValueRange, multi_bit, randomised_response};
use veil_privacy::protocol::graph_privatizer::Strategy;
use veil_privacy::release::EdgePlan;
use veil_privacy::{Epsilon, Private, Unit};

use super::{Audit, AuditError, Options, answers, counts, graphs, lists, values};

/// A mechanism, or a method of which the mechanism is audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Labels, through randomised response.
    Labels,
    /// Features, through the multi-bit encoder.
    Features,
    /// Edges, released so.
    Edges(Edges),
    /// LPGNet's degree vectors: those of an owner.
    Lpgnet,
    /// Labels of public nodes.
    Answers(Method),
}

/// How many questions are asked in an audit, unless something else is said: as many as tell worlds apart in seconds.
const QUERIES: u32 = 50;
/// γ, unless something else is said: the paper's.
const GAMMA: f64 = 0.3;

impl Subject {
    /// Everything that can be audited.
    pub const ALL: [Subject; 15] = [
        Subject::Labels,
        Subject::Features,
        Subject::Edges(Edges::GraphPrivatizer),
        Subject::Edges(Edges::TwoHopRr),
        Subject::Edges(Edges::DummyExchange),
        Subject::Edges(Edges::ShuffledQuery),
        Subject::Edges(Edges::NeighbourKrr),
        Subject::Edges(Edges::EdgeFlip),
        Subject::Edges(Edges::DegreeVectors),
        Subject::Lpgnet,
        Subject::Edges(Edges::EdgeRand),
        Subject::Edges(Edges::LapGraph),
        Subject::Answers(Method::Privgnn),
        Subject::Answers(Method::Pate),
        Subject::Answers(Method::ClassSums),
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Labels => randomised_response::NAME,
            Subject::Features => multi_bit::NAME,
            Subject::Edges(edges) => edges.name(),
            Subject::Lpgnet => Method::Lpgnet.name(),
            Subject::Answers(method) => method.name(),
        }
    }

    /// The parameters with which it is audited, unless something else is said.
    pub fn defaults(self) -> Parameters {
        let usual = Parameters {
            epsilon_features: Some(Epsilon::INFINITE),
            epsilon_labels: Some(Epsilon::INFINITE),
            ..Parameters::default()
        };
        match self {
            Subject::Labels | Subject::Features => usual,
            Subject::Edges(edges) => Parameters { edges, ..usual },
            Subject::Lpgnet => Parameters { edges: Edges::DegreeVectors, unit: Unit::Edge, rounds: Some(1), ..usual },
            Subject::Answers(Method::ClassSums) => Method::ClassSums.defaults(),
            Subject::Answers(method) => {
                let defaults = method.defaults();
                let gamma = defaults.release.map(|_| GAMMA);
                Parameters { queries: Some(QUERIES), gamma, ..defaults }
            }
        }
    }

    /// Parameters with this ε for what is audited.
    ///
    /// # Errors
    /// If no noise has it.
    pub fn with_epsilon(self, parameters: Parameters, epsilon: Epsilon) -> Result<Parameters, AuditError> {
        let some = Some(epsilon);
        Ok(match self {
            Subject::Labels => Parameters { epsilon_labels: some, ..parameters },
            Subject::Features => Parameters { epsilon_features: some, ..parameters },
            Subject::Edges(_) | Subject::Lpgnet => Parameters { epsilon_edges: some, ..parameters },
            // There is no noise for it, so the one for which its paper would claim about as much.
            Subject::Answers(Method::Privgnn) if parameters.release == Some(Release::NoisyLogPosterior) => {
                let (gamma, queries) = (parameters.gamma.unwrap_or(GAMMA), parameters.queries.unwrap_or(QUERIES));
                let cost = |shift| Queries::new(Query::Laplace { shift }, gamma, u64::from(queries));
                let found = calibrate(epsilon.as_f64(), parameters.delta, cost).map_err(AnswerError::from)?;
                let lambda = Epsilon::from_nanos((found.parameter * 1e9).round() as u64);
                Parameters { lambda, ..parameters }
            }
            Subject::Answers(_) => Parameters { epsilon: some, ..parameters },
        })
    }

    /// What it promises with these parameters, tested: an audit for each promise.
    ///
    /// # Errors
    /// If parameters or data do not allow it.
    pub fn audit(self, parameters: &Parameters, data: &Dataset, options: &Options) -> Result<Vec<Audit>, AuditError> {
        let missing = |what| AuditError::Missing { mechanism: self.name().to_owned(), what };
        match self {
            Subject::Labels => {
                let values = data.labels().map(Labels::classes).ok_or_else(|| missing("labels"))?;
                let epsilon = parameters.epsilon_labels.unwrap_or(Epsilon::INFINITE);
                let mechanism = randomised_response::Params { epsilon, values }.check()?;
                Ok(vec![values::label(&mechanism, options)?])
            }
            Subject::Features => {
                let dimensions = data.features().map(Features::columns).ok_or_else(|| missing("features"))?;
                let dimensions = u32::try_from(dimensions).unwrap_or(u32::MAX);
                let epsilon = parameters.epsilon_features.unwrap_or(Epsilon::INFINITE);
                let (range, samples) = (ValueRange::UNIT, parameters.samples);
                let mechanism = multi_bit::Params { epsilon, dimensions, range, samples }.check()?;
                Ok(vec![values::features(&mechanism, options)?])
            }
            Subject::Edges(_) | Subject::Lpgnet => {
                let plan = parameters.edge_plan(&Private::seal(data.clone())).map_err(LearnError::from)?;
                match plan {
                    EdgePlan::Lists(protocol) => lists::audit(&*protocol, data, options),
                    EdgePlan::Vectors(vectors) => counts::degree_vectors(&vectors, data, options),
                    EdgePlan::Graph(central) => Ok(vec![graphs::central(&*central, data, options)?]),
                    EdgePlan::Raw | EdgePlan::Withheld => Err(missing("a finite ε")),
                }
            }
            Subject::Answers(_) => Ok(vec![answers::audit(parameters, options)?]),
        }
    }

    /// Everything with its parameters at this ε: what is audited if all is. Where a mechanism can be had in several ways, all of them.
    ///
    /// # Errors
    /// If no noise has this ε.
    pub fn every(epsilon: Epsilon) -> Result<Vec<(Subject, Parameters)>, AuditError> {
        let mut all = Vec::new();
        for subject in Subject::ALL {
            let defaults = subject.defaults();
            let ways = match subject {
                Subject::Edges(Edges::GraphPrivatizer) => [Strategy::Threshold, Strategy::MostSimilar]
                    .map(|strategy| Parameters { strategy, ..defaults.clone() })
                    .to_vec(),
                Subject::Edges(Edges::DegreeVectors) => {
                    [Unit::EdgeBit, Unit::EdgeSet].map(|unit| Parameters { unit, ..defaults.clone() }).to_vec()
                }
                Subject::Answers(Method::Privgnn) => [Release::Krr, Release::NoisyArgmax, Release::NoisyLogPosterior]
                    .map(|release| Parameters { release: Some(release), ..defaults.clone() })
                    .to_vec(),
                _ => vec![defaults],
            };
            for way in ways {
                all.push((subject, subject.with_epsilon(way, epsilon)?));
            }
        }
        Ok(all)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(text: &str) -> Result<Subject, String> {
        let names = || Subject::ALL.map(Subject::name).join(", ");
        let found = Subject::ALL.into_iter().find(|subject| subject.name() == text);
        found.ok_or_else(|| format!("{text:?} is nothing that can be audited ({})", names()))
    }
}
