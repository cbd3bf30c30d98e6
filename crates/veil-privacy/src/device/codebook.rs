//! `codebook` on a device: a training user sends a codeword near their own vector at once; any
//! other user waits for the centres that the server publishes, and sends their class.
//!
//! The key binds the vector and the role, so a user sends one of the two, once.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use veil_graph::bytes::hex;
use veil_graph::limits;

use super::inbox::lines;
use super::me::at_most;
use super::task::{Entry, Task};
use super::{Contribution, DeviceError, Me, Report, Sender, Waiting};
use crate::budget::Epsilon;
use crate::coins::Stream;
use crate::guarantee::Guarantee;
use crate::mechanism::Codebook;
use crate::mechanism::codebook::{self, Centres, Direction, NAME, Params};
use crate::parameters::Kind;
use crate::protocol::ProtocolParamError;
use crate::protocol::exchange::Vector;
use crate::registry;

crate::words! {
    /// What a user reports.
    pub(super) enum Role: "role" {
        /// A codeword: a training user.
        Codeword = "codeword",
        /// A class: any other user.
        Class = "class",
    }
}

crate::parameters! {
    /// Public parameters of a codebook.
    pub(super) struct Options: Release {
        /// ε of each user's only report of their features
        epsilon_features: Option<Epsilon> = None => Kind::Epsilon,
        /// Number of classes
        classes: Option<u32> = None => Kind::Whole,
        /// Number of groups of codewords [set by ε]
        groups: Option<u32> = None => Kind::Whole,
        /// What the user reports: a codeword (training users) or a class (all others)
        role: Option<Role> = None => Kind::Word(Role::WORDS),
    }
}

/// A user, with the direction of their own vector.
#[derive(Clone, Debug)]
pub(super) struct User {
    codebook: Codebook,
    role: Role,
    direction: Direction,
}

/// `codebook` among the protocols of devices.
pub(super) const ENTRY: Entry = Entry { name: NAME, build: |me| Ok(Arc::new(User::new(me)?)) };

impl Task for User {
    fn purpose(&self) -> String {
        let direction: Vec<u8> = self.direction.coordinates().iter().flat_map(|it| it.to_le_bytes()).collect();
        format!("{NAME};{};role={};direction={}", self.codebook.parameters(), self.role, hex(&direction))
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        vec![self.codebook.guarantee()]
    }

    fn rounds(&self) -> u32 {
        codebook::ROUNDS
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        let centres = self.centres(me, inbox)?;
        let (round, centres) = match self.role {
            Role::Codeword => (0, None),
            Role::Class => (1, centres),
        };
        let round_coins = coins.of_round(round);
        let report = match (self.role, &centres) {
            (Role::Codeword, _) => self.codebook.codeword(me.me, &self.direction, &mut round_coins.node(me.me)),
            (Role::Class, Some(centres)) => {
                let coins = codebook::coins_of(&round_coins, centres);
                self.codebook.class(&self.direction, centres, &mut coins.node(me.me))
            }
            (Role::Class, None) => {
                let waiting_for = vec![Waiting { from: Sender::Server, message: "centres", round: Some(round) }];
                return Ok(Contribution { waiting_for, ..Contribution::default() });
            }
        };
        let hint = report.map_err(|source| DeviceError::OwnRaw { source })?;
        let asked =
            centres.map_or_else(Vec::new, |it| it.rows().concat().into_iter().map(i32::cast_unsigned).collect());
        Ok(Contribution {
            messages: vec![json!({ "from": me.me, "to": "server", "round": round, "hint": hint })],
            rounds: vec![(round, asked, Report::Hint(hint))],
            report: Some(Report::Hint(hint)),
            ..Contribution::default()
        })
    }
}

/// The message of the server to all nodes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    /// For each class, its coordinates and its half.
    centres: Vec<Vec<i32>>,
}

impl User {
    /// The user of these data and parameters.
    pub fn new(me: &Me) -> Result<User, DeviceError> {
        me.check_parameters()?;
        let required = |name| DeviceError::Missing { protocol: NAME, name };
        let Options { epsilon_features, classes, groups, role } = registry::read(&me.settings(&Options::default()))?;
        let raw = me.raw.as_ref().ok_or(DeviceError::NoRaw { protocol: NAME })?;
        let entries = match &raw.vector {
            Vector::Signs(_) => return Err(DeviceError::RawIsReported),
            Vector::Sparse(entries) => entries.clone(),
            Vector::Dense(values) => (0..).zip(values.iter().copied()).collect(),
        };
        let epsilon = epsilon_features.ok_or_else(|| required("epsilon-features"))?;
        let classes = at_most("classes", classes.ok_or_else(|| required("classes"))?, limits::MOST_CLASSES)?;
        let checked = Params { epsilon, dimensions: raw.dimensions, classes, groups }.check();
        Ok(User {
            codebook: checked.map_err(ProtocolParamError::from)?,
            role: role.ok_or_else(|| required("role"))?,
            direction: Direction::of(&entries),
        })
    }

    /// The published centres, if they have arrived.
    fn centres(&self, me: &Me, inbox: &str) -> Result<Option<Centres>, DeviceError> {
        let mut known: Option<Centres> = None;
        for message in lines(me, inbox)? {
            let (line, from) = (message.line, message.from);
            if from != Sender::Server {
                return Err(DeviceError::Content { line, problem: "only the server sends messages in this protocol" });
            }
            let Published { centres } = message.read()?;
            let problem = "centres must have 257 numbers for each class";
            let centres = Centres::published(&self.codebook, &centres).ok_or(DeviceError::Content { line, problem })?;
            if known.as_ref().is_some_and(|before| *before != centres) {
                return Err(DeviceError::Contradiction { line, from, message: "centres" });
            }
            known = Some(centres);
        }
        Ok(known)
    }
}
