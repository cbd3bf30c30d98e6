//! One network on a released graph: any kind of layers, behind K_x hops along the released lists. So learn the local protocols that
//! report lists (GraphPrivatizer, the thesis' protocols, the honest baselines), DpGCN, and the two that use all edges or none.

use veil_graph::{Dataset, Features};
use veil_nn::{Input, Messages};

use crate::error::LearnError;
use crate::parameters::{Edges, Parameters};
use crate::scaled::Scaled;

/// Released features behind `hops` hops along the released lists: node v hears whom it named.
pub(crate) fn network_input(
    data: &Dataset,
    scaled: &Scaled,
    parameters: &Parameters,
    hops: usize,
) -> Result<Input, LearnError> {
    let features: Features = scaled.features(data)?.ok_or(LearnError::NoFeatures)?;
    let edge_free = data.edges_withheld() || parameters.edges == Edges::Empty;
    if edge_free {
        return Ok(Input::without_graph(features)?);
    }
    Ok(Input::new(features, Messages::of(data.graph())?, hops)?)
}
