//! `graph-privatizer`: features, profiles if they hold aggregates, candidates, report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use veil_graph::{Encoded, Features, Matrix, NodeId, Sparse};

use super::inbox::{Pile, letters, to_node};
use super::{DeviceError, Me, OwnFeatures, Part, Waiting};
use crate::coins::Stream;
use crate::protocol::exchange::Vector;
use crate::protocol::graph_privatizer::{Answer, GraphPrivatizer, NAME, Profile};
use crate::protocol::{Protocol, ProtocolError};

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Message {
    /// Round 1: the sender's released features.
    Features(Vector),
    /// Round 2: what the sender is compared by, if that holds an aggregate.
    Profile(Profile),
    /// Round 3: who may stand for the sender, the receiver left out.
    Candidates(Vec<NodeId>),
}

/// What came, by kind, each with the line in which it came.
struct Heard {
    features: Pile<Vector>,
    profiles: Pile<Profile>,
    candidates: Pile<Vec<NodeId>>,
    /// Where each profile was, for errors that only a comparison shows.
    lines: BTreeMap<NodeId, usize>,
}

pub(crate) fn part(protocol: &GraphPrivatizer, me: &Me, inbox: &str, coins: &Stream) -> Result<Part, DeviceError> {
    let heard = hear(protocol, me, inbox)?;
    let mut messages = Vec::new();
    let qualifying = if protocol.compares_features() {
        let own = me.features.as_ref().ok_or(ProtocolError::NoFeatures { protocol: NAME })?;
        let mut send = |message: Message| messages.extend(me.neighbours.iter().map(|&to| to_node(me, to, &message)));
        send(Message::Features(own.vector.clone()));
        compare(protocol, me, own, &heard, |profile| send(Message::Profile(profile)))?
    } else {
        Ok(me.neighbours.clone())
    };
    let qualifying = match qualifying {
        Ok(qualifying) => qualifying,
        Err(waiting) => return Ok(Part::of_list(messages, None, waiting)),
    };
    messages.extend(
        me.neighbours
            .iter()
            .map(|&to| to_node(me, to, &Message::Candidates(protocol.answer(me.me, &qualifying, to).iter().collect()))),
    );
    let candidates = match heard.candidates.all(me) {
        Ok(candidates) => candidates,
        Err(waiting) => return Ok(Part::of_list(messages, None, waiting)),
    };
    let answers = candidates.iter().map(|(&neighbour, candidates)| Answer::new(neighbour, candidates));
    let thresholds = protocol.thresholds(answers.clone().map(|answer| answer.len()).max().unwrap_or(0));
    let mut report = Vec::new();
    protocol.report(answers, &thresholds, &mut coins.node(me.me), &mut report);
    Ok(Part::of_list(messages, Some(report), Vec::new()))
}

fn hear(protocol: &GraphPrivatizer, me: &Me, inbox: &str) -> Result<Heard, DeviceError> {
    let mut heard = Heard {
        features: Pile::new("features"),
        profiles: Pile::new("profile"),
        candidates: Pile::new("candidates"),
        lines: BTreeMap::new(),
    };
    for letter in letters(me, inbox)? {
        let (line, from) = (letter.line, letter.neighbour(me)?);
        match letter.read()? {
            Message::Features(vector) => {
                let own = me.features.as_ref().filter(|_| protocol.compares_features());
                let own = own.ok_or(DeviceError::OutOfPlace { line, message: "features" })?;
                own.space().receive(vector.clone()).map_err(|source| DeviceError::Vector { line, source })?;
                if !same_form(&own.vector, &vector) {
                    return Err(DeviceError::Content { line, problem: "features of another form than the node's own" });
                }
                heard.features.put(line, from, vector)?;
            }
            Message::Profile(_) if !protocol.compares_aggregates() => {
                return Err(DeviceError::OutOfPlace { line, message: "profile" });
            }
            Message::Profile(profile) => {
                heard.lines.insert(from, line);
                heard.profiles.put(line, from, profile)?;
            }
            Message::Candidates(candidates) => {
                let mut sorted = candidates.clone();
                sorted.sort_unstable();
                let once = sorted.windows(2).all(|pair| pair[0] < pair[1]);
                let others = candidates.iter().all(|&node| node < me.nodes && node != me.me && node != from);
                if !once || !others {
                    let problem = "candidates are distinct nodes other than the sender and the receiver";
                    return Err(DeviceError::Content { line, problem });
                }
                heard.candidates.put(line, from, candidates)?;
            }
        }
    }
    Ok(heard)
}

/// Who may stand for this node, or what it is waiting for. `send` is told the profile, if there is one to be sent.
fn compare(
    protocol: &GraphPrivatizer,
    me: &Me,
    own: &OwnFeatures,
    heard: &Heard,
    send: impl FnOnce(Profile),
) -> Result<Result<Vec<NodeId>, Vec<Waiting>>, DeviceError> {
    let vectors = match heard.features.all(me) {
        Ok(vectors) => vectors,
        Err(waiting) => return Ok(Err(waiting)),
    };
    // Row 0 is the node's own, then come its neighbours.
    let held = table(own, vectors.values())?;
    let rows: Vec<NodeId> = (1..).take(me.neighbours.len()).collect();
    let mine = protocol.profile(&held, 0, &rows);
    if !protocol.compares_aggregates() {
        let theirs = me.neighbours.iter().zip(&rows);
        let theirs: Vec<_> = theirs.map(|(&node, &row)| (node, protocol.profile(&held, row as usize, &[]))).collect();
        return Ok(Ok(protocol.qualifying(&mine, &theirs)));
    }
    send(mine.clone());
    let theirs = match heard.profiles.all(me) {
        Ok(theirs) => theirs,
        Err(waiting) => return Ok(Err(waiting)),
    };
    for (node, profile) in theirs {
        let fits = profile.len() == mine.len() && profile.iter().zip(&mine).all(|(theirs, mine)| theirs.fits(mine));
        if !fits {
            let line = heard.lines.get(node).copied().unwrap_or(0);
            return Err(DeviceError::Content { line, problem: "a profile of another form than the node's own" });
        }
    }
    let theirs: Vec<_> = theirs.iter().map(|(&node, profile)| (node, profile.clone())).collect();
    Ok(Ok(protocol.qualifying(&mine, &theirs)))
}

/// Reports of one encoder have as many signs each.
fn same_form(own: &Vector, other: &Vector) -> bool {
    match (own, other) {
        (Vector::Signs(own), Vector::Signs(other)) => own.len() == other.len(),
        (Vector::Sparse(_), Vector::Sparse(_)) | (Vector::Dense(_), Vector::Dense(_)) => true,
        _ => false,
    }
}

/// The vectors that a node holds, as a table: they are checked, and all of one form.
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
