//! `graph-privatizer` on a device: features, profiles (with aggregates), candidates, report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use veil_graph::{Encoded, Features, Matrix, NodeId, Sparse};

use super::inbox::{PerNeighbour, lines, to_node};
use super::{Contribution, DeviceError, Me, OwnFeatures, Waiting};
use crate::coins::Stream;
use crate::protocol::exchange::Vector;
use crate::protocol::graph_privatizer::{Answer, GraphPrivatizer, NAME, Profile};
use crate::protocol::{Protocol, ProtocolError};

/// Messages between nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Message {
    /// Round 1: the sender's released features.
    Features(Vector),
    /// Round 2: the sender's profile, if aggregates are compared.
    Profile(Profile),
    /// Round 3: the candidates for the sender, without the receiver.
    Candidates(Vec<NodeId>),
}

/// The received messages, by kind.
struct Received {
    features: PerNeighbour<Vector>,
    profiles: PerNeighbour<Profile>,
    candidates: PerNeighbour<Vec<NodeId>>,
    /// The line of each profile, for errors found in the comparison.
    lines: BTreeMap<NodeId, usize>,
}

pub(crate) fn part(
    protocol: &GraphPrivatizer,
    me: &Me,
    inbox: &str,
    coins: &Stream,
) -> Result<Contribution, DeviceError> {
    let received = receive(protocol, me, inbox)?;
    let mut messages = Vec::new();
    let qualifying = if protocol.compares_features() {
        let own = me.features.as_ref().ok_or(ProtocolError::NoFeatures { protocol: NAME })?;
        let mut send = |message: Message| messages.extend(me.neighbours.iter().map(|&to| to_node(me, to, &message)));
        send(Message::Features(own.vector.clone()));
        compare(protocol, me, own, &received, |profile| send(Message::Profile(profile)))?
    } else {
        Ok(me.neighbours.clone())
    };
    let qualifying = match qualifying {
        Ok(qualifying) => qualifying,
        Err(waiting) => return Ok(Contribution::of_list(messages, None, waiting)),
    };
    messages.extend(
        me.neighbours
            .iter()
            .map(|&to| to_node(me, to, &Message::Candidates(protocol.answer(me.me, &qualifying, to).iter().collect()))),
    );
    let candidates = match received.candidates.all(me) {
        Ok(candidates) => candidates,
        Err(waiting) => return Ok(Contribution::of_list(messages, None, waiting)),
    };
    let answers = candidates.iter().map(|(&neighbour, candidates)| Answer::new(neighbour, candidates));
    let thresholds = protocol.thresholds(answers.clone().map(|answer| answer.len()).max().unwrap_or(0));
    let mut report = Vec::new();
    protocol.report(answers, &thresholds, &mut coins.node(me.me), &mut report);
    Ok(Contribution::of_list(messages, Some(report), Vec::new()))
}

fn receive(protocol: &GraphPrivatizer, me: &Me, inbox: &str) -> Result<Received, DeviceError> {
    let mut received = Received {
        features: PerNeighbour::new("features"),
        profiles: PerNeighbour::new("profile"),
        candidates: PerNeighbour::new("candidates"),
        lines: BTreeMap::new(),
    };
    for message in lines(me, inbox)? {
        let (line, from) = (message.line, message.neighbour(me)?);
        match message.read()? {
            Message::Features(vector) => {
                let own = me.features.as_ref().filter(|_| protocol.compares_features());
                let own = own.ok_or(DeviceError::OutOfPlace { line, message: "features" })?;
                own.space().receive(vector.clone()).map_err(|source| DeviceError::Vector { line, source })?;
                if !same_form(&own.vector, &vector) {
                    return Err(DeviceError::Content {
                        line,
                        problem: "the features have another form than the node's own",
                    });
                }
                received.features.put(line, from, vector)?;
            }
            Message::Profile(_) if !protocol.compares_aggregates() => {
                return Err(DeviceError::OutOfPlace { line, message: "profile" });
            }
            Message::Profile(profile) => {
                received.lines.insert(from, line);
                received.profiles.put(line, from, profile)?;
            }
            Message::Candidates(candidates) => {
                let mut sorted = candidates.clone();
                sorted.sort_unstable();
                let once = sorted.windows(2).all(|pair| pair[0] < pair[1]);
                let others = candidates.iter().all(|&node| node < me.nodes && node != me.me && node != from);
                if !once || !others {
                    let problem = "candidates must be distinct nodes other than the sender and the receiver";
                    return Err(DeviceError::Content { line, problem });
                }
                received.candidates.put(line, from, candidates)?;
            }
        }
    }
    Ok(received)
}

/// The candidates for this node, or the messages that it waits for. `send` sends the profile, if
/// aggregates are compared.
fn compare(
    protocol: &GraphPrivatizer,
    me: &Me,
    own: &OwnFeatures,
    received: &Received,
    send: impl FnOnce(Profile),
) -> Result<Result<Vec<NodeId>, Vec<Waiting>>, DeviceError> {
    let vectors = match received.features.all(me) {
        Ok(vectors) => vectors,
        Err(waiting) => return Ok(Err(waiting)),
    };
    // Row 0 is the node's own, then its neighbours'.
    let held = table(own, vectors.values())?;
    let rows: Vec<NodeId> = (1..).take(me.neighbours.len()).collect();
    let mine = protocol.profile(&held, 0, &rows);
    if !protocol.compares_aggregates() {
        let theirs = me.neighbours.iter().zip(&rows);
        let theirs: Vec<_> = theirs.map(|(&node, &row)| (node, protocol.profile(&held, row as usize, &[]))).collect();
        return Ok(Ok(protocol.qualifying(&mine, &theirs)));
    }
    send(mine.clone());
    let theirs = match received.profiles.all(me) {
        Ok(theirs) => theirs,
        Err(waiting) => return Ok(Err(waiting)),
    };
    for (node, profile) in theirs {
        let fits = profile.len() == mine.len() && profile.iter().zip(&mine).all(|(theirs, mine)| theirs.fits(mine));
        if !fits {
            let line = received.lines.get(node).copied().unwrap_or(0);
            return Err(DeviceError::Content { line, problem: "the profile has another form than the node's own" });
        }
    }
    let theirs: Vec<_> = theirs.iter().map(|(&node, profile)| (node, profile.clone())).collect();
    Ok(Ok(protocol.qualifying(&mine, &theirs)))
}

/// Whether two vectors have the same form. Reports of one encoder have the same number of signs.
fn same_form(own: &Vector, other: &Vector) -> bool {
    match (own, other) {
        (Vector::Signs(own), Vector::Signs(other)) => own.len() == other.len(),
        (Vector::Sparse(_), Vector::Sparse(_)) | (Vector::Dense(_), Vector::Dense(_)) => true,
        _ => false,
    }
}

/// The vectors of a node and its neighbours as a table. They are checked, and all of one form.
fn table<'a>(own: &'a OwnFeatures, others: impl Iterator<Item = &'a Vector>) -> Result<Features, DeviceError> {
    let vectors: Vec<&Vector> = std::iter::once(&own.vector).chain(others).collect();
    let (rows, width) = (vectors.len(), own.dimensions as usize);
    let misfit = || ProtocolError::Nodes { what: "features", nodes: rows, found: 0 };
    Ok(match &own.vector {
        Vector::Signs(first) => {
            let signs = vectors.iter().flat_map(|vector| match vector {
                Vector::Signs(signs) => signs.as_slice(),
                _ => &[],
            });
            let (columns, positive) = signs.copied().unzip();
            let (shape, rectifier) = ((rows, width, first.len()), (own.offset, own.scale));
            Features::Encoded(Encoded::from_reports(shape, rectifier, columns, positive).map_err(|_| misfit())?)
        }
        Vector::Sparse(_) => {
            let triples: Vec<(u32, u32, f32)> = (0..)
                .zip(&vectors)
                .flat_map(|(row, vector)| match vector {
                    Vector::Sparse(values) => values.iter().map(|&(at, value)| (row, at, value)).collect(),
                    _ => Vec::new(),
                })
                .collect();
            Features::Sparse(Sparse::from_triples(rows, width, &triples).map_err(|_| misfit())?)
        }
        Vector::Dense(_) => {
            let values = vectors.iter().flat_map(|vector| match vector {
                Vector::Dense(values) => values.as_slice(),
                _ => &[],
            });
            Features::Dense(Matrix::from_values(rows, width, values.copied().collect()).map_err(|_| misfit())?)
        }
    })
}
