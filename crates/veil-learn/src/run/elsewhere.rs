//! A run's model on other raw graphs, and models like it on other data: what an attack needs that tries how much a run gives away.
//!
//! Nothing here is charged, so nothing that comes of it may be published: it is for scoring.

use veil_graph::Dataset;
use veil_privacy::answers::Kept;
use veil_privacy::release::{Plan, RangeChoice, Release};
use veil_privacy::{Coins, CoinsError, Epsilon, Private, ReleaseError, Request};

use super::{Record, Run, Seed};
use crate::error::LearnError;
use crate::fit::{Watch, validated};
use crate::learn::{Seen, learn};
use crate::parameters::{Parameters, ParametersError, Select};
use crate::teaching::Asking;

/// Why a model could not be asked about another graph, or trained like another.
#[derive(Debug, thiserror::Error)]
pub enum ElsewhereError {
    /// The run's parameters do not fit these data.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// What the networks read could not be made.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// There is no randomness.
    #[error(transparent)]
    Coins(#[from] CoinsError),
    /// Networks and data do not fit together, or a training failed.
    #[error(transparent)]
    Learn(#[from] LearnError),
}

impl Run {
    /// The same model on another raw graph, as an adversary would ask it who holds that graph. Where the run reads noisy edges, these
    /// are made noisy in the same way; the seed decides how.
    ///
    /// # Errors
    /// If the model does not fit the graph.
    pub fn elsewhere(&self, data: &Private<Dataset>, range: RangeChoice, seed: u64) -> Result<Run, ElsewhereError> {
        let (_, classes) = self.shape().ok_or(LearnError::NoNetwork)?;
        let parameters = self.without_method();
        let plan = Plan::new(data, parameters.inference_options(data, classes, range)?)?;
        let mut release = unbooked(plan, data, seed)?;
        let record = Record { parameters, ..self.record().clone() };
        Ok(self.on(record, release.released, Some(&mut release.rounds))?)
    }

    /// A model like this one, trained by the same parameters on the training nodes of other data. Without validation nodes its last
    /// epoch is used.
    ///
    /// # Errors
    /// If the data lack something, or training fails.
    pub fn shadow(
        &self,
        data: &Private<Dataset>,
        range: RangeChoice,
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<Run, ElsewhereError> {
        let asked = (self.record().split.clone(), self.record().range.clone());
        Run::unpublished(self.without_method(), data, (range, asked), seed, watch)
    }

    /// A model by these parameters, from the training nodes of some data to a run in memory: nothing is charged, so it is for attacks and audits
    /// alone. Without validation nodes its last epoch is used.
    ///
    /// # Errors
    /// If the data lack something, or training fails.
    pub fn unpublished(
        mut parameters: Parameters,
        data: &Private<Dataset>,
        (range, asked): (RangeChoice, (String, String)),
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<Run, ElsewhereError> {
        if !validated(&data.public(), None) {
            parameters.select = Some(Select::Last);
        }
        let plan = Plan::new(data, parameters.options(data, range)?)?;
        let mut release = unbooked(plan, data, seed)?;
        let seen = Seen { released: &mut release.released, rounds: Some(&mut release.rounds) };
        let learned = learn(seen, None, &parameters, seed, watch)?;
        let name = data.public().name;
        let mut record = Record::new(name, parameters, asked, Seed::Given(seed), seed);
        record.stages = learned.stages.len();
        record.best_epoch = learned.stages.last().map_or(0, |stage| stage.kept);
        Ok(Run::new(record, release.released, learned)?)
    }

    /// A student by these parameters, in memory: nothing is charged or kept, so it is for experiments alone.
    ///
    /// # Errors
    /// If parameters and graphs do not go together, or training fails.
    pub fn unpublished_student(
        parameters: &Parameters,
        private: &Private<Dataset>,
        public: &Dataset,
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<Run, ElsewhereError> {
        let asking = Asking::new(parameters, private, public, seed)?;
        let permit = Request::new(private, Coins::reproducible(seed), vec![asking.guarantee().clone()])?.unbooked();
        let mut released = asking.answers(permit, Kept::in_memory(asking.queries().len()), &|| ())?;
        let parameters = asking.parameters().clone();
        let learned = learn(Seen { released: &mut released, rounds: None }, None, &parameters, seed, watch)?;
        let words = ("public".to_owned(), "public".to_owned());
        let mut record = Record::new(public.name(), parameters, words, Seed::Given(seed), seed);
        record.stages = learned.stages.len();
        record.best_epoch = learned.stages.last().map_or(0, |stage| stage.kept);
        Ok(Run::new(record, released, learned)?)
    }

    /// The parameters say all; whose defaults they were decides nothing here. A student's labels were answers, of which parameters for its own
    /// graph say nothing: others are taken as they are, and learned from directly.
    fn without_method(&self) -> Parameters {
        let parameters = self.record().parameters.clone();
        let epsilon_labels = parameters.epsilon_labels.or(Some(Epsilon::INFINITE));
        Parameters { method: None, epsilon_labels, denoise: false, ..parameters }
    }
}

fn unbooked(plan: Plan, data: &Private<Dataset>, seed: u64) -> Result<Release<'_>, ElsewhereError> {
    let permit = Request::new(data, Coins::reproducible(seed), plan.guarantees())?.unbooked();
    Ok(plan.release(data, permit)?)
}
