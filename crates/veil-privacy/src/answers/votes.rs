//! Teachers on disjoint parts vote on every query (PATE, Papernot et al. 2017).
//!
//! **Guarantee.** (ε, δ), unit *node*, central. Every private node is assigned to one teacher by
//! its own coin, so adding or removing a node moves no other. A teacher receives its own nodes and
//! the edges among them. One node therefore changes one teacher, and so one vote of each query: one
//! count falls by one and another rises by one, an L1 distance of 2. Counts get exact [discrete
//! Laplace](crate::mechanism::discrete_laplace) noise of scale 1/λ, and the first of the largest is
//! released: 2λ, pure, per query. All queries compose to 2λQ, or less with δ > 0
//! ([`Queries::spending`](crate::accounting::Queries::spending)). There is no sampling, hence no
//! amplification.

use rayon::prelude::*;
use veil_graph::{Dataset, NodeId};

use super::promise::{about_a_node, booked, parameter};
use super::{AnswerError, Asked, Lesson, Voter, teacher};
use crate::accounting::{AccountingError, Proof, Spending, published};
use crate::budget::{Delta, Epsilon};
use crate::coins::{Coins, Stream};
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, ParameterList, Status};
use crate::mechanism::{DiscreteLaplace, discrete_laplace};
use crate::permit::Permit;
use crate::release::Privatised;
use crate::seal::{Private, Public, Truth};

/// The name in statements and in the coins' context.
pub const NAME: &str = "pate";

/// A teacher for scoring: returns its vote for every query.
pub type Vote<'a> = &'a (dyn Fn(&Lesson) -> Vec<u32> + Sync);

/// The most teachers of a graph whose number of nodes is not public.
const MOST_TEACHERS: u32 = 1 << 20;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The number of teachers.
    pub teachers: u32,
    /// λ: noise of scale 1/λ on each count.
    pub lambda: Epsilon,
    /// δ of all answers together.
    pub delta: Delta,
}

/// Parameters checked against both graphs, with their privacy cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Votes {
    teachers: u32,
    noise: DiscreteLaplace,
    guarantee: Guarantee,
}

impl Params {
    /// Checks the parameters against both graphs and computes the privacy cost.
    ///
    /// # Errors
    /// If a number is out of range or the graphs do not fit together.
    pub fn check(self, private: &Public<'_>, asked: &Asked<'_>) -> Result<Votes, AnswerError> {
        asked.check(private)?;
        let Params { teachers, lambda, delta } = self;
        // An error that depends on the number of private nodes reveals it. Teachers without nodes
        // vote for the first class.
        let most = if private.counts_are_public() { private.nodes } else { MOST_TEACHERS };
        if teachers == 0 || teachers > most {
            return Err(AnswerError::Teachers { given: teachers, most });
        }
        let noise = discrete_laplace::Params { epsilon: lambda, sensitivity: 1 }.check()?;
        let queries = asked.queries.len();
        let spending = self.spending(queries as u64)?;
        let delta = if spending.proof == Proof::Sum { Delta::ZERO } else { delta };
        let parameters =
            ParameterList::default().with("queries", queries).with("teachers", teachers).with("lambda", lambda);
        let source = format!(
            "PATE (Papernot et al. 2017) with a random teacher for each node; {}; proof beside the code, veil-privacy/answers",
            spending.proof
        );
        let promised = (booked(spending.epsilon)?, delta);
        let guarantee = about_a_node(private, (NAME, parameters), promised, Status::Proven, source)?;
        Ok(Votes { teachers, noise, guarantee })
    }

    /// The cost of `queries` answers.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn spending(&self, queries: u64) -> Result<Spending, AccountingError> {
        published::votes(self.lambda.as_f64(), queries)?.spending(self.delta.as_f64())
    }
}

/// What mechanism and parameters of a stated guarantee imply: ε, δ and status.
pub(crate) fn recomputed(stated: &Guarantee) -> Result<(Epsilon, Delta, Status), AnswerError> {
    let lambda: Epsilon = parameter(stated, "lambda")?;
    let spending = published::votes(lambda.as_f64(), parameter(stated, "queries")?)?.spending_at(stated.delta)?;
    Ok((booked(spending.epsilon)?, stated.delta, Status::Proven))
}

impl Votes {
    /// The guarantee of the answers.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The noise of one count.
    pub fn noise(&self) -> DiscreteLaplace {
        self.noise
    }

    /// Collects the votes of all teachers, which have these settings, and returns the public graph
    /// with the answers as labels. `done` is called after each teacher.
    ///
    /// # Errors
    /// If there are no such teachers, or the permit does not allow it.
    pub fn answer<'a, T: Voter<'a>>(
        &self,
        private: &Private<Dataset>,
        asked: &Asked<'a>,
        permit: Permit,
        (settings, done): (&T::Settings, &(dyn Fn() + Sync)),
    ) -> Result<Privatised, AnswerError> {
        let (teacher, settings) = teacher::made::<T>(settings, asked.public)?;
        let vote = |lesson: &Lesson| teacher::votes(&teacher, lesson, asked);
        self.answer_with(private, asked, permit, (&vote, &settings), done)
    }

    /// The same with a function. It could copy its lesson, so it is for this crate alone.
    pub(super) fn answer_with(
        &self,
        private: &Private<Dataset>,
        asked: &Asked<'_>,
        mut permit: Permit,
        (vote, settings): (Vote<'_>, &str),
        done: &(dyn Fn() + Sync),
    ) -> Result<Privatised, AnswerError> {
        let (guarantees, stream) = permit.redeem_one(private, self.guarantee.clone(), asked.inputs(settings))?;
        let counts = self.count(private.open(), asked, &stream, (vote, done))?;
        asked.answered(private, &self.released(&counts, &stream), guarantees, &permit)
    }

    /// The counts without noise, for scoring several releases with one training: raw private data.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub fn counts(
        &self,
        private: &Private<Dataset>,
        asked: &Asked<'_>,
        coins: &Coins,
        (vote, done): (Vote<'_>, &(dyn Fn() + Sync)),
        truth: &Truth,
    ) -> Result<Vec<Vec<i64>>, AnswerError> {
        self.count(private.for_scoring(truth), asked, &coins.for_scoring("votes"), (vote, done))
    }

    /// The labels of given counts, for scoring.
    pub fn label(&self, counts: &[Vec<i64>], coins: &Coins) -> Vec<u32> {
        self.released(counts, &coins.for_scoring("votes"))
    }

    /// One row of counts per query.
    fn count(
        &self,
        raw: &Dataset,
        asked: &Asked<'_>,
        stream: &Stream,
        (vote, done): (Vote<'_>, &(dyn Fn() + Sync)),
    ) -> Result<Vec<Vec<i64>>, AnswerError> {
        let classes = raw.labels().map_or(0, veil_graph::Labels::classes) as usize;
        let whose = stream.of_round(0);
        let mut parts: Vec<Vec<NodeId>> = vec![Vec::new(); self.teachers as usize];
        for node in 0..raw.nodes() {
            let drawn = whose.node(node).below(u64::from(self.teachers)) as usize;
            let in_order = u64::from(node) * u64::from(self.teachers) / u64::from(raw.nodes());
            parts[if fault::is(Fault::TeacherByOthers) { in_order as usize } else { drawn }].push(node);
        }
        let votes: Vec<Vec<u32>> = parts
            .par_iter()
            .enumerate()
            .map(|(teacher, nodes)| {
                let lesson = Lesson::of(raw, nodes, teacher as u32)?;
                // A teacher without nodes votes for the first class, independently of the data.
                let votes = lesson.map_or_else(|| vec![0; asked.queries.len()], |lesson| vote(&lesson));
                done();
                Ok::<_, AnswerError>(votes)
            })
            .collect::<Result<_, _>>()?;
        let mut counts = vec![vec![0; classes]; asked.queries.len()];
        for votes in votes {
            for (counts, vote) in counts.iter_mut().zip(votes) {
                // One vote per teacher and query, whatever it returns.
                if let Some(count) = counts.get_mut(vote as usize) {
                    *count += 1;
                }
            }
        }
        Ok(counts)
    }

    /// The first of the largest noisy counts of each query.
    fn released(&self, counts: &[Vec<i64>], stream: &Stream) -> Vec<u32> {
        let label = |(question, counts): (usize, &Vec<i64>)| {
            let unanimous = counts.iter().filter(|&&count| count > 0).count() == 1;
            let round = if fault::is(Fault::VotesShareNoise) { 1 } else { question as u32 + 1 };
            let noisy = match self.noise.release(counts, &mut stream.of_round(round).node(0)) {
                _ if unanimous && fault::is(Fault::UnanimousWithoutNoise) => counts.clone(),
                noisy => noisy,
            };
            let best = (0..noisy.len()).max_by(|&a, &b| noisy[a].cmp(&noisy[b]).then(b.cmp(&a)));
            best.map_or(0, |class| class as u32)
        };
        counts.iter().enumerate().map(label).collect()
    }
}
