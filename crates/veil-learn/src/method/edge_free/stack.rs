//! The stack of networks that read no edge.

use serde::{Deserialize, Serialize};
use veil_nn::training::EpochMetrics;
use veil_nn::{Model, is_on_one_core, on_one_core};

use super::combine::Combination;
use super::scores::Scores;
use super::views::{MOST_HOPS, Material, Member, View, Views};
use crate::error::LearnError;
use crate::fit::{Beliefs, Fitted, ReportedLabels, Watch, fit, fit_rows, fit_soft};
use crate::method::lpgnet::bayes::Evidence;
use crate::parameters::{Mlp, Training};

/// From so many labels on networks need less regularisation.
const MANY_LABELS: usize = 4000;
/// Networks with fewer labels are trained beside each other: each step is too small to be shared.
const FEW_LABELS: usize = 8000;
/// Hops along nearest neighbours that are tried.
const HOPS: [usize; MOST_HOPS] = [1, MOST_HOPS];

/// What is known of a stack besides its networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stack {
    pub members: Vec<Member>,
    pub combination: Combination,
}

/// How the networks of a stack are trained.
pub(crate) struct Trainer<'a> {
    pub network: &'a Mlp,
    pub training: &'a Training,
    pub labels: &'a ReportedLabels,
    pub seed: u64,
}

/// Dropout and weight decay.
type Regularisation = (f32, f64);

impl Trainer<'_> {
    /// Dropout and weight decay that are tried; validation loss decides.
    fn regularisations(&self) -> [Regularisation; 2] {
        let (dropout, decay) = (self.network.dropout, self.training.weight_decay);
        if self.labels.training() < MANY_LABELS {
            [(dropout, 10.0 * decay), (dropout, decay)]
        } else {
            [(dropout, decay), (0.4 * dropout, 0.1 * decay)]
        }
    }

    /// Trains one network on labels or, if there are any, on beliefs.
    pub fn one(
        &self,
        material: &Material,
        beliefs: Option<&Beliefs>,
        (dropout, weight_decay): Regularisation,
        watch: Watch<'_>,
    ) -> Result<Fitted, LearnError> {
        let (labels, seed) = (self.labels, self.seed);
        let description = veil_nn::Description { dropout, ..self.network.description() };
        let training = Training { weight_decay, ..self.training.clone() };
        let rows = match (material, beliefs) {
            (Material::Along(input), None) => return fit(description, input, labels, &training, 0, seed.into(), watch),
            (Material::Along(input), Some(beliefs)) => {
                return fit_soft(description, input, beliefs, labels, &training, seed, watch);
            }
            (Material::Rows(rows) | Material::Reduced(rows, _), _) => rows,
        };
        let some = |nodes: &[veil_graph::NodeId]| rows.selected(nodes);
        let fitted = fit_rows(description, &some, (beliefs, labels), &training, seed, watch)?;
        match material {
            Material::Reduced(_, map) => fitted.reading_through(map).ok_or(LearnError::NoNetwork),
            _ => Ok(fitted),
        }
    }

    /// The network with the lower validation loss among the regularisations.
    pub fn best(&self, material: &Material, watch: Watch<'_>) -> Result<(Fitted, f64), LearnError> {
        let [first, second] = self.regularisations();
        let (first, second) = if self.labels.training() < FEW_LABELS && !is_on_one_core() {
            // Side by side nobody watches: what they would have seen is told afterwards.
            let alone = |how| {
                let unwatched = &mut |_: &EpochMetrics| std::ops::ControlFlow::Continue(());
                on_one_core(|| self.one(material, None, how, unwatched))
            };
            let (first, second) = rayon::join(|| alone(first), || alone(second));
            let (first, second) = (first?, second?);
            for epoch in first.history.iter().chain(&second.history) {
                if watch(epoch).is_break() {
                    break;
                }
            }
            (first, second)
        } else {
            (self.one(material, None, first, &mut *watch)?, self.one(material, None, second, watch)?)
        };
        let loss = |fitted: &Fitted| {
            fitted.history.get(fitted.kept).and_then(|epoch| epoch.validation_loss).unwrap_or(f64::MAX)
        };
        let (one, other) = (loss(&first), loss(&second));
        Ok(if other < one { (second, other) } else { (first, one) })
    }

    /// Trains the networks, and weighs their scores by validation labels.
    pub fn stack(
        &self,
        views: &Views<'_>,
        validation: &[Evidence],
        biased: bool,
        watch: Watch<'_>,
    ) -> Result<(Vec<Fitted>, Stack, Scores), LearnError> {
        let mut trained = |member: Member| -> Result<(Member, Fitted, f64), LearnError> {
            let (fitted, loss) = self.best(&views.material(member)?, &mut *watch)?;
            Ok((member, fitted, loss))
        };
        let plain = |view| Member { view, hops: 0, reduced: false };
        let mut members: Vec<(Member, Fitted, f64)> =
            views.worth_trying().into_iter().map(|view| trained(plain(view))).collect::<Result<_, _>>()?;
        // The better view first: it is what the stack falls back to.
        members.sort_by(|(.., a), (.., b)| a.total_cmp(b));
        let view = members.first().map_or(View::Rows, |(member, ..)| member.view);
        let along = HOPS.into_iter().filter(|_| views.have_neighbours() && views.are_light());
        let mut more: Vec<Member> = along.map(|hops| Member { hops, ..plain(view) }).collect();
        if views.have_directions() {
            let hops = std::iter::once(0).chain(HOPS.into_iter().filter(|_| views.have_neighbours()));
            more.extend(hops.map(|hops| Member { view: View::Rows, hops, reduced: true }));
        }
        for member in more {
            members.push(trained(member)?);
        }
        let (specs, fitted): (Vec<Member>, Vec<Fitted>) =
            members.into_iter().map(|(member, fitted, _)| (member, fitted)).unzip();
        let pairs = specs.iter().zip(&fitted);
        let logarithms: Vec<Scores> =
            pairs.map(|(&member, it)| views.logarithms(member, &it.chosen)).collect::<Result<_, _>>()?;
        let scores: Vec<&Scores> = logarithms.iter().collect();
        let combination = Combination::grown(&scores, validation, biased);
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

    /// Whether a network reads neighbours.
    pub fn hops(&self) -> bool {
        self.members.iter().any(|member| member.hops > 0)
    }

    /// Whether it fits so many networks and classes.
    pub fn fits(&self, networks: usize, classes: usize) -> bool {
        let usual = self.members.iter().all(Member::is_usual);
        usual && self.members.len() <= networks && self.combination.fits(self.members.len(), classes)
    }
}
