//! Coins that fork instead of falling, for auditors: the output distribution of the code itself.
//!
//! [`enumerate`] runs a function again and again, each time with [`Coins`] that decide differently,
//! until all decisions were made in all ways, and adds up the probability of every output. A
//! decision is one question of a primitive (`tables`): a word below a threshold, a number below a
//! bound, the next skip, a whole noise draw. Its answers have exact probabilities, or are enclosed
//! between two bounds where these are irrational. A decision belongs to a stream, a node and a
//! position (`script`), so a stream that is used twice decides alike twice.
//!
//! Noise has infinitely many values, so executions below a least probability are cut off. Of those
//! that remain, the likelier ones are *inside*: for an input x and an adjacent x′, an execution
//! inside with x has its counterpart among *all* explored executions with x′, which is at most a
//! margin (e^ε) less likely if the guarantee holds. So P_inside(o) ≤ e^ε·P′(o) for every output o
//! means that the guarantee (ε, δ) holds, where δ is the mass outside: P(S) ≤ P_inside(S) + δ ≤
//! e^ε·P′(S) + δ ([`divergence`]).
//!
//! **Not private.** Such coins are reproducible, and every guarantee under them is marked so. Run
//! the function on one thread: decisions are made in the order in which they are asked.

mod divergence;
mod mass;
mod script;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use divergence::{Divergence, divergence};
pub use mass::Mass;
pub use script::Doubts;
pub(crate) use script::{Forks, Script};
pub(crate) use tables::Question;

use super::Coins;

/// How far an enumeration goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Executions less likely than this are cut off. 0 cuts nothing but the tails of noise.
    pub least: f64,
    /// Executions at least `margin` times as likely as that are inside.
    pub margin: f64,
    /// The largest number of executions.
    pub executions: u64,
}

/// The probability of an output.
#[derive(Clone, Debug)]
pub struct Chance {
    /// By executions inside.
    pub inside: Mass,
    /// By all that were explored.
    pub explored: Mass,
}

/// The outputs of a function over all decisions.
#[derive(Clone, Debug)]
pub struct Enumeration<O> {
    /// The explored outputs.
    pub outputs: BTreeMap<O, Chance>,
    /// The number of executions.
    pub executions: u64,
    /// The mass that was not explored.
    pub unexplored: Mass,
    /// The mass that is not inside.
    pub outside: Mass,
    /// Whether it ended within the largest number of executions.
    pub finished: bool,
    /// What was not forked.
    pub doubts: Doubts,
}

/// Runs `run` with all decisions of its coins.
pub fn enumerate<O: Ord>(extent: &Extent, mut run: impl FnMut(Coins) -> O) -> Enumeration<O> {
    let script = Script::new(extent.least);
    let mut outputs: BTreeMap<O, Chance> = BTreeMap::new();
    let (mut inside, mut explored) = (Mass::zero(), Mass::zero());
    let (mut executions, mut more) = (0, true);
    while more && executions < extent.executions {
        let output = run(Coins::forking(script.clone()));
        executions += 1;
        let mut path = script.path();
        if path.complete() {
            let (mass, about) = path.mass();
            let nothing = || Chance { inside: Mass::zero(), explored: Mass::zero() };
            let chance = outputs.entry(output).or_insert_with(nothing);
            chance.explored.add(&mass);
            explored.add(&mass);
            if about >= extent.least * extent.margin {
                chance.inside.add(&mass);
                inside.add(&mass);
            }
        }
        more = path.advance();
    }
    let doubts = script.path().doubts;
    let (unexplored, outside) = (explored.missing(), inside.missing());
    Enumeration { outputs, executions, unexplored, outside, finished: !more, doubts }
}
