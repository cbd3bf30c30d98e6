//! The graphs of a training: the one to learn from, one whose nodes validate, and one to answer about.

use std::path::Path;

use veil_graph::{Dataset, Part};
use veil_learn::{Parameters, check, validated};
use veil_privacy::guarantee::Assumption;
use veil_privacy::release::{Plan, Privatised, Release};
use veil_privacy::{Epsilon, Private};

use super::Train;
use crate::commands::data::open_named;
use crate::commands::inferring::{check_inference, refuse_minmax};
use crate::commands::paying::{Payment, Planned};
use crate::commands::releasing::{Terms, everyone};
use crate::failure::Failure;

pub struct Graphs {
    pub train: Private<Dataset>,
    pub validation: Option<Private<Dataset>>,
    pub inference: Option<Private<Dataset>>,
}

impl Graphs {
    /// Reads them. A graph without a split is all for training if another one is asked about, and all for validation if
    /// it is the one that validates.
    pub fn open(asked: &mut Train) -> Result<Graphs, Failure> {
        let train = open_named(&asked.data)?;
        if train.split().is_none() && (asked.inference_data.is_some() || asked.validation_data.is_some()) {
            asked.terms.all_train();
        }
        let raw = |data: &String| {
            if Privatised::is_released(Path::new(data)) {
                return Err(Failure::Usage(format!("{data} is a release: other graphs are given as raw data")));
            }
            open_named(data)
        };
        let validation = match asked.validation_data.as_ref().map(raw).transpose()? {
            Some(data) if data.split().is_none() => Some(everyone(data, Part::Val)?),
            other => other,
        };
        let train = asked.terms.with_split(train)?;
        if let Some(validation) = &validation {
            // What cannot be put side by side is known before anything is paid for.
            let apart =
                |error| Failure::Usage(format!("{} does not validate {}: {error}", validation.name(), train.name()));
            drop(train.stacked(validation).map_err(apart)?);
        }
        Ok(Graphs {
            train: Private::seal(train),
            validation: validation.map(Private::seal),
            inference: asked.inference_data.as_ref().map(raw).transpose()?.map(Private::seal),
        })
    }

    /// Whether there are validation nodes.
    pub fn validated(&self) -> bool {
        let other = self.validation.as_ref().map(Private::public);
        validated(&self.train.public(), other.as_ref())
    }

    /// If the graphs share edges, each gets its part of ε (Flickr in LPGNet's experiments); also returns the whole.
    pub fn shared(&self, parameters: Parameters, evolving: bool) -> Result<(Parameters, Option<Epsilon>), Failure> {
        let finite = |epsilon: Option<Epsilon>| epsilon.is_some_and(Epsilon::is_finite);
        if evolving && (finite(parameters.epsilon_features) || finite(parameters.epsilon_labels)) {
            let problem = "--evolving splits ε of the edges: features and labels would be reported once for each graph, so give them \
                           as they are (inf)";
            return Err(Failure::Usage(problem.to_owned()));
        }
        let graphs = 1 + u32::from(self.validation.is_some()) + u32::from(self.inference.is_some());
        let Some(whole) = parameters.epsilon_edges.filter(|epsilon| evolving && epsilon.is_finite()) else {
            return Ok((parameters, None));
        };
        let part = whole.divided_by(graphs).ok_or_else(|| {
            Failure::Usage(format!("--epsilon-edges {whole} leaves nothing for each of {graphs} graphs"))
        })?;
        Ok((Parameters { epsilon_edges: Some(part), ..parameters }, Some(whole)))
    }

    /// What would be released of each, in their order: nothing is charged yet.
    pub fn plan(&self, terms: &Terms, parameters: &Parameters, whole: Option<Epsilon>) -> Result<Plans<'_>, Failure> {
        let other = self.validation.as_ref().map(Private::public);
        let public = self.train.public();
        let planned = |data, plan: Plan| {
            let plan = match whole {
                _ if self.validation.is_none() && self.inference.is_none() => plan,
                Some(whole) => plan.with_assumption(Assumption::SharedEdges { whole }),
                None => plan.with_assumption(Assumption::SeparateGraphs),
            };
            Planned { method: parameters.method, data, plan }
        };
        let own = planned(&self.train, terms.plan(&self.train, parameters)?);
        let mut further = Vec::new();
        check(parameters, &public, other.as_ref())?;
        if let Some(data) = &self.validation {
            refuse_minmax(parameters)?;
            further.push(planned(data, terms.plan(data, parameters)?));
        }
        if let Some(data) = &self.inference {
            let shape = (public.dimensions.unwrap_or(0), public.classes.unwrap_or(0));
            check_inference(parameters, shape, public.class_names, &data.public())?;
            further.push(planned(data, terms.inference_plan(data, parameters, shape.1)?));
        }
        Ok(Plans { own, further })
    }

    /// Pays for all of them together, and makes the releases.
    pub fn release<'a>(&'a self, payment: &Payment, plans: Plans<'a>) -> Result<Released<'a>, Failure> {
        let (train, further) = payment.release_all(plans.own, plans.further)?;
        let mut further = further.into_iter();
        let validation = self.validation.as_ref().and_then(|_| further.next());
        Ok(Released { train, validation, inference: further.next() })
    }
}

/// What would be released of each.
pub struct Plans<'a> {
    own: Planned<'a>,
    /// Of the graph that validates, then of the one to answer about, as far as there are any.
    further: Vec<Planned<'a>>,
}

/// What was released of each.
pub struct Released<'a> {
    pub train: Release<'a>,
    pub validation: Option<Release<'a>>,
    pub inference: Option<Release<'a>>,
}
