//! The stack of networks that read no edge.

use serde::{Deserialize, Serialize};
use veil_graph::{Dataset, Features, Matrix, NodeId};
use veil_nn::{Description, Input, Messages, Model};

use super::combine::Combination;
use super::neighbours;
use super::scores::Scores;
use crate::error::LearnError;
use crate::fit::{Fitted, ReportedLabels, Watch, fit, fit_without_edges};
use crate::method::lpgnet::bayes::Evidence;
use crate::parameters::{Mlp, Training};

/// The Euclidean length of scaled rows: chosen on generated graphs.
const LENGTH: f32 = 8.0;
/// Standardised columns are dense: no more numbers than this.
const MOST_DENSE: usize = 1 << 26;
/// From so many labels on networks need less regularisation.
const MANY_LABELS: usize = 4000;

/// How a network of the stack reads the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum View {
    /// Rows scaled to the same length.
    Rows,
    /// Columns with mean 0 and deviation 1.
    Columns,
}

/// One network of the stack: its view, and hops along nearest neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Member {
    pub view: View,
    pub hops: usize,
}

/// What is known of a stack besides its networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stack {
    pub members: Vec<Member>,
    pub combination: Combination,
}

/// Features of a graph, as the networks of a stack read them. Neighbours are computed once.
pub(crate) struct Views<'a> {
    features: &'a Features,
    neighbours: Option<Vec<Vec<NodeId>>>,
}

impl Views<'_> {
    /// The views of a data set with features.
    pub fn of(data: &Dataset) -> Result<Views<'_>, LearnError> {
        let features = data.features().ok_or(LearnError::NoFeatures)?;
        Ok(Views { features, neighbours: neighbours::lists(features)? })
    }

    /// Whether there are nearest neighbours to hop along.
    pub fn have_neighbours(&self) -> bool {
        self.neighbours.is_some()
    }

    fn features(&self, view: View) -> Result<Features, LearnError> {
        Ok(match view {
            View::Rows => self.features.with_rows_of_length(LENGTH, None)?,
            View::Columns => {
                let moments = self.features.moments(0..self.features.rows() as NodeId);
                self.features.standardised(&moments)?
            }
        })
    }

    /// The input of a network.
    pub fn input(&self, member: Member) -> Result<Input, LearnError> {
        let features = self.features(member.view)?;
        match &self.neighbours {
            Some(lists) if member.hops > 0 => Ok(Input::new(features, Messages::from_lists(lists)?, member.hops)?),
            _ => Ok(Input::without_graph(features)?),
        }
    }

    /// ln P(class) of every node, by a network.
    pub fn logarithms(&self, member: Member, network: &Model) -> Result<Scores, LearnError> {
        let logits: Matrix = network.predict(&self.input(member)?.used(1))?.to_matrix();
        Ok(Scores::of(&logits).logarithms())
    }

    /// Which views are worth trying. Standardised columns are dense, so rows that are not are not.
    fn worth_trying(&self) -> Vec<View> {
        let all = self.features.rows().saturating_mul(self.features.columns());
        let full = self.features.nonzeros().saturating_mul(20) >= all && all <= MOST_DENSE;
        match self.features {
            Features::Encoded(_) => vec![View::Rows],
            _ if full => vec![View::Rows, View::Columns],
            _ => vec![View::Rows],
        }
    }
}

/// How the networks of a stack are trained.
pub(crate) struct Trainer<'a> {
    pub network: &'a Mlp,
    pub training: &'a Training,
    pub labels: &'a ReportedLabels,
    pub seed: u64,
}

impl Trainer<'_> {
    /// Dropout and weight decay that are tried; validation loss decides.
    fn regularisations(&self) -> [(f32, f64); 2] {
        let (dropout, decay) = (self.network.dropout, self.training.weight_decay);
        if self.labels.training() < MANY_LABELS {
            [(dropout, 10.0 * decay), (dropout, decay)]
        } else {
            [(dropout, decay), (0.4 * dropout, 0.1 * decay)]
        }
    }

    fn one(
        &self,
        views: &Views<'_>,
        member: Member,
        (dropout, weight_decay): (f32, f64),
        watch: Watch<'_>,
    ) -> Result<Fitted, LearnError> {
        let description = Description { dropout, ..self.network.description() };
        let training = Training { weight_decay, ..self.training.clone() };
        if member.hops == 0 {
            let features = views.features(member.view)?;
            return fit_without_edges(description, &features, self.labels, &training, self.seed, watch);
        }
        fit(description, &views.input(member)?, self.labels, &training, 0, self.seed.into(), watch)
    }

    /// The network with the lower validation loss among the regularisations.
    fn best(&self, views: &Views<'_>, member: Member, watch: Watch<'_>) -> Result<(Fitted, f64), LearnError> {
        let mut best: Option<(Fitted, f64)> = None;
        for regularisation in self.regularisations() {
            let fitted = self.one(views, member, regularisation, &mut *watch)?;
            let loss = fitted.history.get(fitted.kept).and_then(|epoch| epoch.validation_loss).unwrap_or(f64::MAX);
            if best.as_ref().is_none_or(|(_, lowest)| loss < *lowest) {
                best = Some((fitted, loss));
            }
        }
        best.ok_or(LearnError::NoNetwork)
    }

    /// Trains the networks, and weighs their scores by validation labels.
    pub fn stack(
        &self,
        views: &Views<'_>,
        validation: &[Evidence],
        biased: bool,
        watch: Watch<'_>,
    ) -> Result<(Vec<Fitted>, Stack, Scores), LearnError> {
        let mut members: Vec<(Member, Fitted, f64)> = Vec::new();
        for view in views.worth_trying() {
            let member = Member { view, hops: 0 };
            let (fitted, loss) = self.best(views, member, &mut *watch)?;
            members.push((member, fitted, loss));
        }
        // The better view first: it is what the stack falls back to.
        members.sort_by(|(.., a), (.., b)| a.total_cmp(b));
        let view = members.first().map_or(View::Rows, |(member, ..)| member.view);
        for hops in [1, 2].into_iter().filter(|_| views.have_neighbours()) {
            let member = Member { view, hops };
            let (fitted, loss) = self.best(views, member, &mut *watch)?;
            members.push((member, fitted, loss));
        }
        let (specs, fitted): (Vec<Member>, Vec<Fitted>) =
            members.into_iter().map(|(member, fitted, _)| (member, fitted)).unzip();
        let pairs = specs.iter().zip(&fitted);
        let logarithms: Vec<Scores> =
            pairs.map(|(&member, it)| views.logarithms(member, &it.chosen)).collect::<Result<_, _>>()?;
        let scores: Vec<&Scores> = logarithms.iter().collect();
        let count = scores.len();
        let mut choices: Vec<Vec<usize>> = (0..count).map(|it| vec![it]).collect();
        choices.extend((1..count).map(|other| vec![0, other]));
        choices.push((0..count).collect());
        let combination = Combination::chosen(&choices, &scores, validation, biased);
        let combined = combination.apply(&scores);
        Ok((fitted, Stack { members: specs, combination }, combined))
    }
}

impl Stack {
    /// The combined scores of any graph; the networks are the first of these.
    pub fn scores(&self, views: &Views<'_>, networks: &[Model]) -> Result<Scores, LearnError> {
        let networks = networks.get(..self.members.len()).ok_or(LearnError::NoNetwork)?;
        let pairs = self.members.iter().zip(networks);
        let all: Vec<Scores> = pairs.map(|(&member, it)| views.logarithms(member, it)).collect::<Result<_, _>>()?;
        Ok(self.combination.apply(&all.iter().collect::<Vec<_>>()))
    }

    /// Whether it fits so many networks and classes.
    pub fn fits(&self, networks: usize, classes: usize) -> bool {
        self.members.len() <= networks && self.combination.fits(self.members.len(), classes)
    }
}
