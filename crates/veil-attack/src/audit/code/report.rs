//! What the enumeration of a release found.

use serde::Serialize;
use veil_privacy::coins::enumerate::{Divergence, Doubts, Enumeration};

use super::output::Output;
use crate::audit::report::number;

/// What follows from an enumeration alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// The promise holds for these inputs, except for the mass outside.
    Holds,
    /// Neither: the enumeration is not the whole truth.
    Open,
    /// The promise is broken, whatever was not explored.
    Violated,
}

/// The releases of small adjacent inputs, over all decisions of their coins.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Enumerated {
    /// Which inputs and releases: a sentence.
    pub compared: String,
    /// The ε at which the release was run.
    #[serde(serialize_with = "number")]
    pub epsilon: f64,
    /// Its δ.
    pub delta: f64,
    /// The number of adjacent pairs.
    pub pairs: usize,
    /// The number of executions.
    pub executions: u64,
    /// The largest loss inside of the window.
    #[serde(serialize_with = "number")]
    pub loss: f64,
    /// The largest mass outside of it, for which the proof is cited.
    pub outside: f64,
    /// The largest δ that is certain, whatever was not explored.
    pub delta_at_least: f64,
    /// What follows.
    pub finding: Finding,
    /// Why it is open, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The δ that suffices at this ε, the mass outside included.
    pub delta_at_most: f64,
    #[serde(skip)]
    inside: bool,
}

impl Enumerated {
    pub(super) fn new(compared: &str, epsilon: f64, delta: f64) -> Enumerated {
        Enumerated {
            compared: compared.to_owned(),
            epsilon,
            delta,
            pairs: 0,
            executions: 0,
            loss: 0.0,
            outside: 0.0,
            delta_at_least: 0.0,
            finding: Finding::Open,
            doubt: None,
            inside: true,
            delta_at_most: 0.0,
        }
    }

    pub(super) fn add_input(&mut self, input: &Enumeration<Output>) {
        self.executions += input.executions;
        self.outside = self.outside.max(input.outside.at_most().to_f64());
        let Doubts { words, conflicts, unsteady } = input.doubts;
        let doubt = match () {
            () if unsteady > 0 => "the release is no function of its coins",
            () if conflicts > 0 => "a stream of coins was used twice, for different questions",
            () if words > 0 => "words were drawn that could not be enumerated",
            () if !input.finished => "there were too many executions",
            () => return,
        };
        self.doubt.get_or_insert_with(|| doubt.to_owned());
    }

    pub(super) fn add(&mut self, apart: &Divergence<Output>) {
        self.loss = self.loss.max(apart.loss);
        self.inside &= apart.within;
        self.delta_at_most = self.delta_at_most.max(apart.delta_at_most);
        self.delta_at_least = self.delta_at_least.max(apart.delta_at_least);
    }

    /// What follows from what was added.
    pub(super) fn finding(&self) -> Finding {
        // A stream that decides two questions is not understood, and neither are fixed words.
        let understood = self.doubt.is_none();
        if self.delta_at_least > self.delta {
            Finding::Violated
        } else if understood && self.pairs > 0 && (self.inside || self.delta_at_most <= self.delta) {
            Finding::Holds
        } else {
            Finding::Open
        }
    }

    pub(super) fn conclude(&mut self) {
        self.finding = self.finding();
        if self.finding == Finding::Open && self.doubt.is_none() {
            self.doubt = Some("the loss inside is above ε, but what was not explored might explain it".to_owned());
        }
    }

    /// This and another comparison for the same promise.
    pub(super) fn and(mut self, other: Enumerated) -> Enumerated {
        self.compared = format!("{}; {}", self.compared, other.compared);
        self.pairs += other.pairs;
        self.executions += other.executions;
        self.outside = self.outside.max(other.outside);
        self.delta_at_least = self.delta_at_least.max(other.delta_at_least);
        // Of two ε the one that was nearer to being exceeded.
        // Equally near: of the later comparison, which has more rounds.
        if other.loss - other.epsilon >= self.loss - self.epsilon - 1e-9 {
            (self.loss, self.epsilon, self.delta) = (other.loss, other.epsilon, other.delta);
            self.delta_at_most = other.delta_at_most;
        }
        self.finding = self.finding.max(other.finding);
        self.doubt = self.doubt.or(other.doubt);
        self
    }
}
