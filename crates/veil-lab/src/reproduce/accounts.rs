//! The cost of teachers' answers: as a paper counts it, and what is proven. No data are read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use veil_privacy::accounting::{AccountingError, published};
use veil_privacy::answers::{per_query, votes};
use veil_privacy::{Status, Unit};

use crate::outcome::{Outcome, Promised};
use crate::students::LAMBDAS;

/// Answers from one private graph: PrivGNN's noisy argmax over `classes`, else PATE's noisy votes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    case: String,
    data: String,
    queries: Vec<u64>,
    delta: f64,
    classes: Option<u32>,
    /// The sampling rates of private nodes.
    #[serde(default)]
    gammas: Vec<f64>,
}

impl Account {
    /// One outcome per γ, number of queries and λ.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn outcomes(&self) -> Result<Vec<Outcome>, AccountingError> {
        let gammas = if self.classes.is_some() { self.gammas.as_slice() } else { &[1.0] };
        let grid = gammas.iter().flat_map(|&gamma| self.queries.iter().map(move |&queries| (gamma, queries)));
        let grid = grid.flat_map(|(gamma, queries)| LAMBDAS.map(|lambda| (gamma, queries, lambda)));
        grid.map(|(gamma, queries, lambda)| self.outcome(gamma, queries, lambda)).collect()
    }

    fn outcome(&self, gamma: f64, queries: u64, lambda: f64) -> Result<Outcome, AccountingError> {
        let mut point = BTreeMap::from([("queries".to_owned(), json!(queries)), ("lambda".to_owned(), json!(lambda))]);
        let (claimed, cost, mechanism) = match self.classes {
            Some(classes) => {
                point.insert("gamma".to_owned(), json!(gamma));
                let claimed = published::privgnn(lambda, queries, gamma, self.delta)?;
                (claimed, published::noisy_argmax(lambda, classes, queries, gamma)?, per_query::NAME)
            }
            None => (published::pate(lambda, queries, self.delta)?, published::votes(lambda, queries)?, votes::NAME),
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
            case: self.case.clone(),
            data: self.data.clone(),
            point,
            figures: BTreeMap::from([("epsilon_as_published".to_owned(), claimed.epsilon)]),
            promises: vec![promised],
            ..Outcome::default()
        })
    }
}
