//! `cascade` on a device: the server sends the order once and messages batch by batch; the device
//! reports once, in the batch of its node, with its whole ε.
//!
//! ε per report holds for any order and any messages. ε per *relationship* requires that both ends
//! used the same order, so the first order that a device sees is fixed with its key, and its digest
//! is shown: it must be the one that was published where all users see it.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use veil_graph::{NodeId, limits};

use super::inbox::{Line, lines};
use super::me::at_most;
use super::task::{self, Task};
use super::{Contribution, DeviceError, Me, Report, Sender, Waiting};
use crate::coins::Stream;
use crate::guarantee::{Guarantee, Unit};
use crate::mechanism::ParamError;
use crate::parameters::Kind;
use crate::protocol::cascade::{self, Heard, Messages, NAME, Order, Params, STEPS};
use crate::protocol::{Cascade, ProtocolError, ProtocolParamError};
use crate::registry;

crate::parameters! {
    /// Public parameters of a cascade besides ε.
    pub(super) struct Options: Edges {
        /// Number of classes
        classes: Option<u32> = None => Kind::Whole,
        /// Number of batches, in one of which each node reports
        batches: Option<u32> = None => Kind::Whole,
        /// One, in steps of the grid of messages
        steps: u32 = STEPS => Kind::Whole,
        /// Report pairs of classes as differences
        paired: bool = false => Kind::Switch,
        /// Neighbours that are counted: earlier (ε per relationship) or all (2ε)
        heard: Heard = Heard::Earlier => Kind::Word(Heard::WORDS),
    }
}

/// `cascade` among the protocols of devices.
pub(super) const ENTRY: task::Entry = task::Entry { name: NAME, build: |me| Ok(Arc::new(build(me)?)) };

impl Task for Cascade {
    fn purpose(&self) -> String {
        format!("{};{}", NAME, self.parameters())
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        self.guarantees()
    }

    fn rounds(&self) -> u32 {
        self.params().batches
    }

    fn has_order(&self) -> bool {
        true
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        part(self, me, inbox, coins)
    }
}

/// The cascade of these parameters, in which each user computes their own row.
fn build(me: &Me) -> Result<Cascade, DeviceError> {
    let epsilon = me.epsilon()?;
    let Options { classes, batches, steps, paired, heard } = registry::read(&me.settings(&Options::default()))?;
    let required = |name| DeviceError::Missing { protocol: NAME, name };
    let classes = classes.ok_or_else(|| required("classes"))?;
    let classes = at_most("classes", classes, u64::from(limits::most_clusters(me.nodes)))?;
    let batches = batches.ok_or_else(|| required("batches"))?;
    let batches = at_most("batches", batches, u64::from(limits::MOST_ROUNDS))?;
    let built = Params { epsilon, unit: Unit::EdgeBit, classes, batches, steps, paired, heard }.check();
    let built = built.and_then(|built| match built.noise() {
        Some(_) => Ok(built),
        None => Err(ParamError::NotPrivatised),
    });
    Ok(built.map_err(ProtocolParamError::from)?)
}

/// The rest of the message with the order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    /// The number of nodes, the first in the order, that have no row.
    senders: usize,
}

/// The messages of all nodes in a batch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Batch {
    /// From 0.
    batch: u32,
    /// A number per class for each node, in steps.
    messages: Vec<Vec<u32>>,
}

/// What the server sent.
#[derive(Default)]
struct Received {
    order: Option<Order>,
    /// One number per node and class.
    batches: BTreeMap<u32, Vec<u32>>,
}

/// The part of a node. It is the later end of the edges to neighbours before it, and reports these
/// alone.
fn part(cascade: &Cascade, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
    let mut received = Received::default();
    for message in lines(me, inbox)? {
        received.add(cascade, me, message)?;
    }
    let waiting = |message, round| vec![Waiting { from: Sender::Server, message, round }];
    let Some(order) = received.order else {
        return Ok(Contribution { waiting_for: waiting("order", None), ..Contribution::default() });
    };
    let nothing = Contribution { order: Some(order.digest()), ..Contribution::default() };
    // A sender has no row.
    let Some(batch) = order.batch_of(me.me) else { return Ok(nothing) };
    let Some(values) = received.batches.remove(&batch) else {
        return Ok(Contribution { waiting_for: waiting("messages", Some(batch)), ..nothing });
    };
    let &Params { classes, steps, .. } = cascade.params();
    let messages = Messages::new(classes as usize, steps, values.clone())?;
    let coins = cascade::coins_of(&coins.of_round(batch), &order, &messages);
    let row = cascade.report(me.me, &me.neighbours, &order, &messages, &mut coins.node(me.me))?;
    Ok(Contribution {
        messages: vec![json!({ "from": me.me, "to": "server", "batch": batch, "row": row })],
        rounds: vec![(batch, values, Report::Counts(row.clone()))],
        report: Some(Report::Counts(row)),
        ..nothing
    })
}

impl Received {
    fn add(&mut self, cascade: &Cascade, me: &Me, mut message: Line) -> Result<(), DeviceError> {
        let (line, from) = (message.line, message.from);
        if from != Sender::Server {
            return Err(DeviceError::Content { line, problem: "only the server sends messages in this protocol" });
        }
        match message.take::<Vec<NodeId>>("order")? {
            Some(sequence) => {
                let Shape { senders } = message.read()?;
                self.add_order(cascade, me, (line, from), sequence, senders)
            }
            None => self.add_batch(cascade, me, (line, from), message.read()?),
        }
    }

    fn add_order(
        &mut self,
        cascade: &Cascade,
        me: &Me,
        (line, from): (usize, Sender),
        sequence: Vec<NodeId>,
        senders: usize,
    ) -> Result<(), DeviceError> {
        let (nodes, found) = (me.nodes as usize, sequence.len());
        if found != nodes {
            return Err(ProtocolError::Nodes { what: "order", nodes, found }.into());
        }
        let order = Order::new(sequence, senders, cascade.params().batches)?;
        if self.order.as_ref().is_some_and(|before| *before != order) {
            return Err(DeviceError::Contradiction { line, from, message: "order" });
        }
        let digest = order.digest();
        if let Some(published) = me.order.as_ref().filter(|published| !digest.eq_ignore_ascii_case(published)) {
            return Err(DeviceError::NotThePublishedOrder { line, digest, published: published.clone() });
        }
        self.order = Some(order);
        Ok(())
    }

    fn add_batch(
        &mut self,
        cascade: &Cascade,
        me: &Me,
        (line, from): (usize, Sender),
        Batch { batch, messages }: Batch,
    ) -> Result<(), DeviceError> {
        let &Params { classes, batches, .. } = cascade.params();
        if batch >= batches {
            return Err(DeviceError::Content { line, problem: "batch beyond the last" });
        }
        let (nodes, found) = (me.nodes as usize, messages.len());
        if found != nodes {
            return Err(ProtocolError::Nodes { what: "messages", nodes, found }.into());
        }
        if messages.iter().any(|message| message.len() != classes as usize) {
            return Err(DeviceError::Content { line, problem: "a message must have one number per class" });
        }
        let values = messages.concat();
        match self.batches.entry(batch) {
            Entry::Vacant(place) => drop(place.insert(values)),
            Entry::Occupied(before) if *before.get() == values => {}
            Entry::Occupied(_) => return Err(DeviceError::Contradiction { line, from, message: "messages" }),
        }
        Ok(())
    }
}
