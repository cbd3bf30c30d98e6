//! A run of a method that releases a student: a private graph is asked for labels of public nodes, and the student learns from them.
//!
//! The same steps as `veil train` takes, without a ledger and without going on: who is killed asks again.

use std::ops::ControlFlow;

use veil_graph::Dataset;
use veil_learn::run::{Record, Seed};
use veil_learn::teaching::{Mechanism, Summing, Teacher, choose, completed, plan};
use veil_learn::{Choose, LearnError, Method, Parameters, ParametersError, Run, Scaling, Seen, learn};
use veil_nn::training::EpochMetrics;
use veil_privacy::answers::{Asked, Kept};
use veil_privacy::release::{Privatised, RangeChoice};
use veil_privacy::{Coins, Guarantee, Permit, Private, Resumable};

use super::plan::DataSets;
use super::settings::Division;
use super::wanted::Wanted;
use super::work::{Work, WorkError};

/// What is decided by the method.
const DECIDED: [&str; 7] =
    ["edges", "epsilon-edges", "epsilon-features", "epsilon-labels", "split", "range", "inference-data"];

/// Checks a run as `veil train` does before it asks anything.
pub(super) fn checked(wanted: &Wanted, parameters: Parameters, sets: &DataSets) -> Result<Work, String> {
    let (settings, method) = (&wanted.settings, parameters.method.map_or("", Method::name));
    if let Some(name) = settings.first_of(&DECIDED) {
        return Err(format!("{name} does not go with {method}, which releases a student"));
    }
    if settings.first_of(&["scale"]).is_some() && parameters.scale != Scaling::None {
        return Err(format!("scale does not go with {method}, which compares features as they are"));
    }
    if !wanted.attacks.is_empty() {
        return Err(format!("attacks look for edges, and {method} learns on public ones: say `where` they are meant"));
    }
    let name = settings.public(&wanted.data).ok_or_else(|| format!("{method} needs `public`"))?;
    let private = Private::seal(sets.get(&wanted.data).ok_or("no data")?.clone());
    let public = sets.get(&name).ok_or("no data")?;
    let text = |error: LearnError| error.to_string();
    let parameters = parameters.effective(false);
    let parameters = completed(parameters, private.public().classes.unwrap_or(0)).map_err(text)?;
    Asking::new(&private, public, &parameters, wanted.seed).map_err(text)?;
    Ok(Work {
        data: wanted.data.clone(),
        public: Some(name),
        inference: None,
        parameters,
        division: Division::Public,
        range: (RangeChoice::Public, "public".to_owned()),
        seed: wanted.seed,
        attacks: Vec::new(),
    })
}

/// Asks for labels, and trains the student.
pub(super) fn taught(work: &Work, private: &Private<Dataset>, public: &Dataset) -> Result<Run, WorkError> {
    let Work { parameters, seed, .. } = work;
    let asking = Asking::new(private, public, parameters, *seed)?;
    let mut released = asking.answers(asking.permit()?)?;
    let go_on = &mut |_: &EpochMetrics| ControlFlow::Continue(());
    let learned = learn(Seen { released: &mut released, rounds: None }, None, parameters, *seed, go_on)?;
    let name = released.data().name().to_owned();
    let mut record = Record::new(&name, parameters.clone(), work.asked(), Seed::Given(*seed), *seed);
    record.stages = learned.stages.len();
    record.best_epoch = learned.stages.last().map_or(0, |stage| stage.kept);
    Ok(Run::new(record, released, learned)?)
}

/// All that is decided before anything is asked.
struct Asking<'a> {
    private: &'a Private<Dataset>,
    public: &'a Dataset,
    queries: Vec<u32>,
    parameters: &'a Parameters,
    way: Way,
    seed: u64,
}

/// How public nodes get their labels.
enum Way {
    Teachers(Mechanism),
    Sums(Summing),
}

impl<'a> Asking<'a> {
    fn new(
        private: &'a Private<Dataset>,
        public: &'a Dataset,
        parameters: &'a Parameters,
        seed: u64,
    ) -> Result<Asking<'a>, LearnError> {
        let facts = private.public();
        let method = parameters.method.ok_or(ParametersError::NoLabels)?;
        let (queries, way) = if method == Method::ClassSums {
            let queries: Vec<u32> = (0..public.nodes()).collect();
            let summing = Summing::plan(parameters, &facts, &Asked { public, queries: &queries })?;
            (queries, Way::Sums(summing))
        } else {
            let missing = ParametersError::Missing { method, what: "--queries" };
            let count = parameters.queries.ok_or(missing)? as usize;
            let queries = choose(public, parameters.choose.unwrap_or(Choose::Random), count, seed)?;
            let mechanism = plan(parameters, &facts, &Asked { public, queries: &queries })?;
            Teacher::new(public, &queries, facts.classes.unwrap_or(0), parameters, seed)?;
            (queries, Way::Teachers(mechanism))
        };
        let (inputs, classes) = (facts.dimensions.unwrap_or(0), facts.classes.unwrap_or(0) as usize);
        parameters.description().check(inputs, classes)?;
        Ok(Asking { private, public, queries, parameters, way, seed })
    }

    /// The noise is that of `veil train`: with a seed it also depends on the id of the release, which is a hash of all that decides it, in
    /// this very text. The key that would let it go on is kept as long as this takes.
    fn permit(&self) -> Result<Permit, WorkError> {
        let parameters = toml::to_string(self.parameters).unwrap_or_default();
        let (version, public, seed) = (env!("CARGO_PKG_VERSION"), self.public.fingerprint(), self.seed);
        let about = format!("{version}\n{parameters}\n{public}\n{seed}\n{:?}", self.queries);
        let about = format!("{about}\nnot booked\n{:?}", Some(seed));
        let folder = tempfile::tempdir().map_err(|source| WorkError::Temporary { source })?;
        let (coins, key) = (Coins::reproducible(seed), folder.path().join("key"));
        Ok(Resumable::begin(self.private, coins, vec![self.guarantee()], &key, &about)?.unbooked())
    }

    fn guarantee(&self) -> Guarantee {
        match &self.way {
            Way::Teachers(mechanism) => mechanism.guarantee().clone(),
            Way::Sums(summing) => summing.guarantee().clone(),
        }
    }

    fn answers(&self, permit: Permit) -> Result<Privatised, WorkError> {
        let asked = Asked { public: self.public, queries: &self.queries };
        let mechanism = match &self.way {
            Way::Teachers(mechanism) => mechanism,
            Way::Sums(summing) => {
                let read = summing.reader(self.public)?;
                return Ok(summing.mechanism().answer(self.private, &asked, summing.embedding(), permit, &read)?);
            }
        };
        let classes = self.private.public().classes.unwrap_or(0);
        let teacher = Teacher::new(self.public, &self.queries, classes, self.parameters, self.seed)?;
        match mechanism {
            Mechanism::PerQuery(mechanism) => {
                let teach = |lesson: &_| teacher.posterior(lesson);
                let kept = Kept::in_memory(self.queries.len());
                Ok(mechanism.answer(self.private, &asked, permit, (&teach, &|| ()), kept)?)
            }
            Mechanism::Votes(mechanism) => {
                let teacher = teacher.for_all_questions()?;
                let vote = |lesson: &_| teacher.votes(lesson);
                Ok(mechanism.answer(self.private, &asked, permit, (&vote, &|| ()))?)
            }
        }
    }
}
