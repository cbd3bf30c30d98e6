//! What answers of teachers cost together: as a paper counts it, and what is proven. No data are needed.

use std::collections::BTreeMap;

use serde_json::json;
use veil_privacy::accounting::{AccountingError, published};
use veil_privacy::answers::{per_query, votes};
use veil_privacy::{Status, Unit};

use crate::outcome::{Outcome, Promised};

/// The λ of PrivGNN's tables.
const LAMBDAS: [f64; 5] = [0.1, 0.2, 0.4, 0.8, 1.0];

/// Some answers from one private graph.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// What a row of the table is about.
    pub case: &'static str,
    /// The graph.
    pub data: &'static str,
    /// How many public nodes got a label.
    pub queries: &'static [u64],
    /// δ, as the table must have had it.
    pub delta: f64,
    /// How a label left.
    pub answers: Answers,
}

/// How a label leaves.
#[derive(Clone, Copy, Debug)]
pub enum Answers {
    /// PrivGNN's noisy argmax.
    NoisyArgmax {
        /// How many classes there are.
        classes: u32,
        /// The shares of private nodes that a query saw.
        gammas: &'static [f64],
    },
    /// PATE's votes, by the bound that holds whatever they were.
    Votes,
    /// The same, by a bound that hangs on what they were: what is proven holds here too.
    VotesAsCast,
}

impl Account {
    /// A figure for every γ, number of queries and λ.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn outcomes(&self) -> Result<Vec<Outcome>, AccountingError> {
        let gammas = match self.answers {
            Answers::NoisyArgmax { gammas, .. } => gammas,
            Answers::Votes | Answers::VotesAsCast => &[1.0],
        };
        let grid = gammas.iter().flat_map(|&gamma| self.queries.iter().map(move |&queries| (gamma, queries)));
        let grid = grid.flat_map(|(gamma, queries)| LAMBDAS.map(|lambda| (gamma, queries, lambda)));
        grid.map(|(gamma, queries, lambda)| self.outcome(gamma, queries, lambda)).collect()
    }

    fn outcome(&self, gamma: f64, queries: u64, lambda: f64) -> Result<Outcome, AccountingError> {
        let mut point = BTreeMap::from([("queries", json!(queries)), ("lambda", json!(lambda))]);
        let (claimed, cost, mechanism) = match self.answers {
            Answers::NoisyArgmax { classes, .. } => {
                point.insert("gamma", json!(gamma));
                let claimed = published::privgnn(lambda, queries, gamma, self.delta)?;
                (Some(claimed), published::noisy_argmax(lambda, classes, queries, gamma)?, per_query::NAME)
            }
            Answers::Votes => {
                let claimed = published::pate(lambda, queries, self.delta)?;
                (Some(claimed), published::votes(lambda, queries)?, votes::NAME)
            }
            Answers::VotesAsCast => (None, published::votes(lambda, queries)?, votes::NAME),
        };
        let promised = Promised {
            unit: Unit::Node.to_string(),
            epsilon: Some(cost.spending(self.delta)?.epsilon),
            delta: self.delta,
            status: Status::Proven.to_string(),
            mechanism: mechanism.to_owned(),
            ..Promised::default()
        };
        Ok(Outcome {
            case: self.case.to_owned(),
            data: self.data.to_owned(),
            point: point.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            figures: claimed.map(|claimed| ("epsilon_as_published".to_owned(), claimed.epsilon)).into_iter().collect(),
            promises: vec![promised],
            ..Outcome::default()
        })
    }
}
