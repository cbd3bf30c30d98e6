//! Methods with teachers, where one caller compares several mechanisms: evaluations and audits.

use veil_graph::Dataset;
use veil_nn::Kind as Layer;
use veil_privacy::answers::{Asked, LabelMechanism, PerQuery, Votes};
use veil_privacy::parameters::{Parameters, Settings};
use veil_privacy::{Epsilon, Guarantee, Private};

use super::{Learner, pate, privgnn};
use crate::error::LearnError;
use crate::method::{self, MethodError};

/// A method with teachers.
#[derive(Clone, Debug, PartialEq)]
pub enum Labels {
    /// A teacher for every query.
    PerQuery(privgnn::Params),
    /// Teachers that vote.
    Votes(pate::Params),
}

/// A method with teachers, and its student.
#[derive(Clone, Debug, PartialEq)]
pub struct Teaching {
    /// How labels are made.
    pub labels: Labels,
    /// The network and training of the student; those of teachers follow.
    pub learner: Learner,
}

/// A mechanism that is ready to answer.
#[derive(Clone, Debug)]
pub enum Mechanism {
    /// A teacher for every query.
    PerQuery(PerQuery),
    /// Teachers that vote.
    Votes(Votes),
}

impl Mechanism {
    /// What it promises.
    pub fn guarantee(&self) -> &Guarantee {
        match self {
            Mechanism::PerQuery(it) => it.guarantee(),
            Mechanism::Votes(it) => it.guarantee(),
        }
    }
}

impl Default for Teaching {
    /// PATE as published.
    fn default() -> Teaching {
        Teaching { labels: Labels::Votes(pate::Params::default()), learner: Learner::default() }
    }
}

impl Teaching {
    /// The method of this name with these settings, every default decided.
    ///
    /// # Errors
    /// If the method has no teachers, or a parameter is out of range.
    pub fn new(name: &str, settings: &Settings, classes: u32) -> Result<Teaching, LearnError> {
        let mut labels = match name {
            privgnn::NAME => Labels::PerQuery(privgnn::Params::default()),
            pate::NAME => Labels::Votes(pate::Params::default()),
            _ => return Err(MethodError::NoTeachers { method: method::find(name)?.name }.into()),
        };
        // The method checks the names.
        let configured = method::configure(name, settings)?.settings();
        let mut learner = Learner::default();
        for (name, value) in configured.iter() {
            let known = match &mut labels {
                Labels::PerQuery(params) => params.set(name, value),
                Labels::Votes(params) => params.set(name, value),
            };
            if !known.map_err(MethodError::from)? {
                learner.set(name, value).map_err(MethodError::from)?;
            }
        }
        if let Labels::PerQuery(params) = &mut labels {
            params.gamma = Some(params.decided_gamma(classes)?);
        }
        Ok(Teaching { labels, learner })
    }

    /// The same with another mechanism and noise, instead of an ε.
    #[must_use]
    pub fn with_noise(&self, mechanism: Option<LabelMechanism>, lambda: Option<Epsilon>) -> Teaching {
        let mut other = self.clone();
        let (epsilon, own) = match &mut other.labels {
            Labels::PerQuery(params) => {
                params.release = mechanism.unwrap_or(params.release);
                (&mut params.epsilon, &mut params.lambda)
            }
            Labels::Votes(params) => (&mut params.epsilon, &mut params.lambda),
        };
        if lambda.is_some() {
            (*epsilon, *own) = (None, lambda);
        }
        other
    }

    /// The mechanism, checked against both graphs.
    ///
    /// # Errors
    /// If a parameter is missing or out of range, or the graphs do not fit together.
    pub fn mechanism(&self, private: &Private<Dataset>, asked: &Asked<'_>) -> Result<Mechanism, LearnError> {
        match &self.labels {
            Labels::PerQuery(params) => params.mechanism(private, asked).map(Mechanism::PerQuery),
            Labels::Votes(params) => params.mechanism(private, asked).map(Mechanism::Votes),
        }
    }

    /// The layers of the teachers.
    pub fn teacher(&self) -> Layer {
        match &self.labels {
            Labels::PerQuery(params) => params.teacher,
            Labels::Votes(params) => params.teacher,
        }
    }

    /// Whether labels are denoised before the student learns from them.
    pub fn denoises(&self) -> bool {
        match &self.labels {
            Labels::PerQuery(params) => params.denoise,
            Labels::Votes(params) => params.denoise,
        }
    }

    /// δ.
    pub fn delta(&self) -> f64 {
        match &self.labels {
            Labels::PerQuery(params) => params.delta,
            Labels::Votes(params) => params.delta,
        }
    }

    /// The probability that a node is in a sample, where there are samples.
    pub fn gamma(&self) -> Option<f64> {
        match &self.labels {
            Labels::PerQuery(params) => params.gamma,
            Labels::Votes(_) => None,
        }
    }

    /// Every parameter.
    pub fn settings(&self) -> Settings {
        let labels = match &self.labels {
            Labels::PerQuery(params) => params.settings(),
            Labels::Votes(params) => params.settings(),
        };
        labels.overridden_by(&self.learner.settings())
    }

    /// The name of the method.
    pub fn name(&self) -> &'static str {
        match &self.labels {
            Labels::PerQuery(_) => privgnn::NAME,
            Labels::Votes(_) => pate::NAME,
        }
    }
}
