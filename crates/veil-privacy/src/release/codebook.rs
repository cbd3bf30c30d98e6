//! The release of features by a codebook: codewords of training nodes, then classes of all others.
//!
//! The server's part between the two is a function of what was released, so that one release does
//! both.

use rayon::prelude::*;
use veil_graph::{Dataset, Features, Labels, NodeId, Part, Split};

use super::features::refuse_what_is_no_number;
use super::{Options, ReleaseError, Scale, at_node, labels as of_labels};
use crate::coins::Stream;
use crate::fault::{self, Fault};
use crate::guarantee::Guarantee;
use crate::mechanism::codebook::centres::Sent;
use crate::mechanism::codebook::{self, CODEWORDS, Centres, Direction, Params, ROUNDS};
use crate::mechanism::{Codebook, InputError, RandomisedResponse};
use crate::permit::Permit;
use crate::seal::{Private, Released};

/// The codebook of these options; `None` if features are withheld.
pub(super) fn plan(data: &Private<Dataset>, options: &Options, labels: bool) -> Result<Option<Codebook>, ReleaseError> {
    let Some(epsilon) = options.epsilon_features else { return Ok(None) };
    let unused = [("samples", options.samples.is_some()), ("scale", options.scale != Scale::None)];
    if let Some((name, _)) = unused.into_iter().find(|(_, given)| *given) {
        return Err(ReleaseError::NotOfCodebook { name });
    }
    if !labels {
        return Err(ReleaseError::NoLabelsForCodebook);
    }
    let public = data.public();
    let raw = data.open().features();
    let raw = raw.ok_or_else(|| ReleaseError::NoFeatures { data: public.name.to_owned() })?;
    refuse_what_is_no_number(data, raw)?;
    let (dimensions, classes) = (u32::try_from(raw.columns()).unwrap_or(u32::MAX), public.classes.unwrap_or(0));
    let checked = Params { epsilon, dimensions, classes, groups: None }.check();
    checked.map(Some).map_err(|source| ReleaseError::Parameters { what: "features", source })
}

/// Every node's report, under the permitted guarantee. The split decides who reports what, so the
/// coins depend on it.
pub(super) fn release(
    codebook: &Codebook,
    data: &Private<Dataset>,
    (labels, mechanism): (&Labels, Option<RandomisedResponse>),
    promised: Guarantee,
    permit: &mut Permit,
) -> Result<Released<Vec<u32>>, ReleaseError> {
    let (guarantees, mut streams) = permit.redeem(data, &[promised], of_labels::inputs(data), ROUNDS)?;
    let raw = data.open();
    let features = raw.features().ok_or_else(|| ReleaseError::NoFeatures { data: raw.name().to_owned() })?;
    let split = raw.split().ok_or_else(|| ReleaseError::NoSplit { data: raw.name().to_owned() })?;
    let truth = raw.labels().filter(|_| fault::is(Fault::CentresFromTruth));
    let labels = (truth.unwrap_or(labels), mechanism);
    let [first, second] = streams.make_contiguous() else {
        return Err(ReleaseError::NoRoundLeft { rounds: ROUNDS });
    };
    let reports = reports(codebook, features, split, labels, [first, second]);
    let (hints, _) = reports.map_err(|(node, problem)| at_node(data, node)(problem))?;
    Ok(Released::new(hints, guarantees))
}

/// What all users report, and the centres that the server publishes in between. An error names the
/// node.
pub(crate) fn reports(
    codebook: &Codebook,
    features: &Features,
    split: &Split,
    (labels, mechanism): (&Labels, Option<RandomisedResponse>),
    [first, second]: [&Stream; 2],
) -> Result<(Vec<u32>, Centres), (NodeId, InputError)> {
    let direction = |node: NodeId| codebook::direction_of(features, node as usize);
    let each = |nodes: Vec<NodeId>, report: &(dyn Fn(NodeId, Direction) -> Result<u32, InputError> + Sync)| {
        let report = |node| report(node, direction(node)).map(|it| (node, it)).map_err(|problem| (node, problem));
        nodes.into_par_iter().map(report).collect::<Result<Vec<(NodeId, u32)>, _>>()
    };
    let (training, others) = (0..features.rows() as NodeId).partition(|&node| split.part(node) == Part::Train);
    let codewords = each(training, &|node, direction| codebook.codeword(node, &direction, &mut first.node(node)))?;
    let sent = codewords.iter().filter_map(|&(user, codeword)| Some(Sent { user, codeword, label: labels.get(user)? }));
    let centres = Centres::learn(codebook, &sent.collect::<Vec<Sent>>(), mechanism.as_ref());
    let second = codebook::coins_of(second, &centres);
    let classes = each(others, &|node, direction| codebook.class(&direction, &centres, &mut second.node(node)))?;
    let mut hints = vec![0; codewords.len() + classes.len()];
    codewords.into_iter().chain(classes).for_each(|(node, hint)| hints[node as usize] = hint);
    Ok((hints, centres))
}

/// Whether every training node has a codeword, and every other one of so many classes.
pub(super) fn fit(hints: &[u32], data: &Dataset, classes: Option<usize>) -> bool {
    let Some((split, classes)) = data.split().zip(classes) else { return false };
    let below = |node| if split.part(node) == Part::Train { CODEWORDS } else { classes as u32 };
    (0..).zip(hints).all(|(node, &hint)| hint < below(node))
}
