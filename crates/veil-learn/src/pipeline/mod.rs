//! The one way from raw data to a model: open → plan → place → charge → release → learn → score →
//! write.
//!
//! The command, sweeps, attacks' shadow models and every other door call [`Job::run`] (a training),
//! [`infer`] (a trained model on another graph) and [`release`] (data without a model), and nothing
//! else. Rules are stated here once: which graphs fit together (`graphs`), what is refused before a
//! charge, where the split and the range come from and what is declared public ([`Terms`]), who
//! pays ([`Payment`]), what lies where ([`Place`]), and how an interrupted release resumes (`site`,
//! [`Workplace`]). [`Hooks`] see every step.

mod advise;
mod error;
mod graphs;
mod hooks;
mod inference;
mod open;
mod payment;
mod release;
mod released;
mod shadow;
mod site;
mod student;
mod terms;
#[cfg(test)]
mod tests;
mod train;
mod workplace;

pub use advise::{advise, count_edges};
pub use error::PipelineError;
pub use graphs::Graphs;
pub use hooks::{Hooks, Silent, Step};
pub use inference::{Further, Inferred, fits, infer, place_in};
#[cfg(feature = "fetch")]
pub use open::{cache, kept};
pub use open::{open, raw, refuse_inside};
pub use payment::Payment;
pub use release::{Unmodelled, release};
pub use released::method_on;
pub use shadow::{elsewhere, experiment, shadow};
pub use terms::{RangeText, SplitChoice, Terms};
pub use workplace::{Workplace, is_interrupted, is_resumable};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use veil_graph::Dataset;
use veil_privacy::release::Privatised;
use veil_privacy::{Delta, Private, Spent, Unit};

use crate::choose::{Outlook, outlook};
use crate::method::Method;
use crate::run::{Run, Score};

/// A training: the method, its data, and who pays.
#[derive(Debug)]
pub struct Job {
    /// The method with its parameters.
    pub method: Arc<dyn Method>,
    /// Split, range, and what is declared public.
    pub terms: Terms,
    /// Ledger and noise.
    pub payment: Payment,
    /// The data.
    pub input: Input,
}

/// The data of a training.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a job has one")]
pub enum Input {
    /// Raw graphs.
    Graphs(Graphs),
    /// A private graph, and a public one on which a student learns; see [`Input::student`].
    Student {
        /// The private graph.
        private: Private<Dataset>,
        /// The public graph; its labels, if it has any, are for scoring only.
        public: Dataset,
    },
    /// A release that was made earlier, for the method of [`method_on`].
    Released {
        /// The release.
        released: Box<Privatised>,
        /// The raw data, for scoring only.
        truth: Option<Private<Dataset>>,
    },
}

impl Input {
    /// A private graph, of which the terms declare facts public, and a public one on which a
    /// student learns.
    pub fn student(private: Dataset, public: Dataset, terms: &Terms) -> Input {
        Input::Student { private: Private::seal(private).declaring(terms.declared), public }
    }
}

/// Where the result goes.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// Nowhere: for experiments and attacks, whose results are not published.
    Memory,
    /// A run folder that does not exist yet.
    Folder(&'a Path),
}

/// A training that has ended.
#[derive(Debug)]
pub struct Trained {
    /// The run.
    pub run: Run,
    /// Its score, where the truth is known.
    pub score: Option<Score>,
    /// The same model on the graph to answer about, if there is one.
    pub inference: Option<Inferred>,
    /// The sum of the losses over all graphs, per unit, if there are several.
    pub total: Vec<(Unit, Spent, Delta)>,
    /// The raw graph whose edges are protected, for attacks: the one to answer about, if there is
    /// one, else the training graph.
    pub truth: Option<Private<Dataset>>,
}

impl Job {
    /// Checks everything that can be checked before a charge, and returns the method with every
    /// default decided.
    ///
    /// # Errors
    /// If a parameter is missing or out of range, or the data lack something or do not fit
    /// together.
    pub fn check(&self) -> Result<Arc<dyn Method>, PipelineError> {
        match &self.input {
            Input::Graphs(graphs) => train::check(self, graphs),
            Input::Student { private, public } => student::check(self, private, public),
            Input::Released { released, .. } => released::check(self, released),
        }
    }

    /// What public facts say about its edges, before anything is spent; none where none are
    /// protected, or the method was measured nowhere. [`run`](Job::run) warns of it.
    pub fn outlook(&self) -> Option<Outlook> {
        match &self.input {
            Input::Graphs(graphs) => {
                let method = self.check().ok()?;
                outlook(&*method, &graphs.train)
            }
            Input::Student { .. } | Input::Released { .. } => None,
        }
    }

    /// Runs all steps.
    ///
    /// # Errors
    /// If a check, the charge, the training or the writing fails. Nothing is charged if a check
    /// fails, and nothing is written if anything fails.
    pub fn run(self, place: Place<'_>, hooks: &dyn Hooks) -> Result<Trained, PipelineError> {
        let Job { method, terms, payment, input } = self;
        match input {
            Input::Graphs(graphs) => train::run(&method, &terms, &payment, graphs, place, hooks),
            Input::Student { private, public } => {
                student::run(&method, &terms, &payment, private, public, place, hooks)
            }
            Input::Released { released, truth } => {
                released::run(&method, &terms, &payment, *released, truth, place, hooks)
            }
        }
    }
}

/// The folder of a result, as far as it has one.
fn shown(place: Place<'_>) -> Option<PathBuf> {
    match place {
        Place::Memory => None,
        Place::Folder(folder) => Some(folder.to_owned()),
    }
}
