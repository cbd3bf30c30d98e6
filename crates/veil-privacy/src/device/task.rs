//! A protocol as a device knows it, and the protocols that report something else than lists.

use std::fmt::Debug;
use std::sync::Arc;

use super::{Contribution, DeviceError, Me, cascade, codebook, vectors};
use crate::coins::Stream;
use crate::guarantee::Guarantee;
use crate::protocol::{self, Protocol, ProtocolError};

/// A protocol in which a device takes part.
pub(super) trait Task: Debug + Send + Sync {
    /// Everything that decides what is reported, besides messages: the protocol and its parameters.
    fn purpose(&self) -> String;

    /// The guarantees of taking part.
    fn guarantees(&self) -> Vec<Guarantee>;

    /// The number of rounds or batches.
    fn rounds(&self) -> u32;

    /// Whether there is an order, whose published digest a user may hold.
    fn has_order(&self) -> bool {
        false
    }

    /// The output of a node, given its inbox.
    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError>;
}

/// A protocol of lists.
#[derive(Debug)]
struct Lists(Arc<dyn Protocol>);

impl Task for Lists {
    fn purpose(&self) -> String {
        format!("{};{}", self.0.name(), self.0.parameters())
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        self.0.guarantees()
    }

    fn rounds(&self) -> u32 {
        1
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        self.0.part(me, inbox, coins)
    }
}

/// A protocol that reports no lists.
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// The task of a node.
    pub(super) build: fn(&Me) -> Result<Arc<dyn Task>, DeviceError>,
}

/// The protocols that report no lists.
const OTHERS: [Entry; 3] = [vectors::ENTRY, cascade::ENTRY, codebook::ENTRY];

/// The protocols that a device can take part in.
pub fn names() -> Vec<&'static str> {
    let lists = protocol::ENTRIES.iter().map(|entry| entry.name);
    lists.chain(OTHERS.iter().map(|entry| entry.name)).collect()
}

/// The task of a node in the protocol of this name.
pub(super) fn build(name: &str, me: &Me) -> Result<Arc<dyn Task>, DeviceError> {
    let task = task(name, me)?;
    if me.order.is_some() && !task.has_order() {
        return Err(DeviceError::NoOrder { protocol: name.to_owned() });
    }
    Ok(task)
}

fn task(name: &str, me: &Me) -> Result<Arc<dyn Task>, DeviceError> {
    if let Some(entry) = OTHERS.iter().find(|entry| entry.name == name) {
        return (entry.build)(me);
    }
    let entry = protocol::find(name).ok_or_else(|| DeviceError::UnknownProtocol { given: name.to_owned() })?;
    let list = (entry.build)(me.epsilon()?, me.nodes, &me.settings(&*(entry.parameters)()))?;
    if list.compares_features() && me.features.is_none() {
        return Err(ProtocolError::NoFeatures { protocol: list.name() }.into());
    }
    Ok(Arc::new(Lists(list)))
}
