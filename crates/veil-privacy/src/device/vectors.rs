//! `degree-vectors` on a device: in each round the server sends clusters and receives counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use super::inbox::lines;
use super::task::{Entry, Task};
use super::{Contribution, DeviceError, Me, Report, Sender, Waiting};
use crate::coins::Stream;
use crate::guarantee::Guarantee;
use crate::protocol::{DegreeVectors, ProtocolError, ProtocolParamError, degree_vectors};
use crate::registry;

/// The message of the server to all nodes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Clusters {
    /// From 0.
    round: u32,
    /// The cluster of each node.
    clusters: Vec<u32>,
}

/// `degree-vectors` among the protocols of devices.
pub(super) const ENTRY: Entry = Entry { name: degree_vectors::NAME, build };

fn build(me: &Me) -> Result<Arc<dyn Task>, DeviceError> {
    let (epsilon, clusters) = (me.epsilon()?, me.clusters()?);
    let settings = me.settings(&degree_vectors::Options::default());
    let degree_vectors::Options { rounds, unit } = registry::read(&settings)?;
    let vectors = degree_vectors::Params { epsilon, rounds, unit, clusters }.check();
    Ok(Arc::new(vectors.map_err(ProtocolParamError::from)?))
}

impl Task for DegreeVectors {
    fn purpose(&self) -> String {
        format!("{};{}", degree_vectors::NAME, self.parameters())
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        self.guarantees()
    }

    fn rounds(&self) -> u32 {
        self.rounds()
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        part(self, me, inbox, coins)
    }
}

/// Each round has its own coins, which depend on the clusters too. Different clusters for the same
/// round are refused all the same: a second report costs a second ε.
fn part(protocol: &DegreeVectors, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
    let mut rounds: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for message in lines(me, inbox)? {
        let (line, from) = (message.line, message.from);
        if from != Sender::Server {
            return Err(DeviceError::Content { line, problem: "only the server sends messages in this protocol" });
        }
        let Clusters { round, clusters } = message.read()?;
        if round >= protocol.rounds() {
            return Err(DeviceError::Content { line, problem: "round beyond the last" });
        }
        if clusters.len() != me.nodes as usize {
            let (nodes, found) = (me.nodes as usize, clusters.len());
            return Err(ProtocolError::Nodes { what: "clusters", nodes, found }.into());
        }
        if *rounds.entry(round).or_insert_with(|| clusters.clone()) != clusters {
            return Err(DeviceError::Contradiction { line, from, message: "clusters" });
        }
    }
    let mut reports = Vec::new();
    for (&round, clusters) in &rounds {
        let coins = degree_vectors::coins_of(&coins.of_round(round), clusters);
        let counts = protocol.report(&me.neighbours, clusters, &mut coins.node(me.me))?;
        reports.push((round, counts));
    }
    let messages = reports.iter();
    let messages =
        messages.map(|(round, counts)| json!({ "from": me.me, "to": "server", "round": round, "counts": counts }));
    let waiting_for: Vec<Waiting> = (0..protocol.rounds())
        .filter(|round| !rounds.contains_key(round))
        .map(|round| Waiting { from: Sender::Server, message: "clusters", round: Some(round) })
        .collect();
    let all = || Report::Rounds(reports.iter().map(|(_, counts)| counts.clone()).collect());
    Ok(Contribution {
        messages: messages.collect(),
        report: waiting_for.is_empty().then(all),
        rounds: reports
            .iter()
            .zip(rounds.into_values())
            .map(|((round, counts), clusters)| (*round, clusters, Report::Counts(counts.clone())))
            .collect(),
        waiting_for,
        order: None,
    })
}
