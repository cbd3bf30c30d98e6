//! LPGNet (Kolluri et al., CCS 2022): a stack of MLPs that see edges only as noisy counts.
//!
//! **Training (Algorithm 2).** The first MLP reads features. Its most likely classes are clusters; the owner counts every
//! node's neighbours in each, with noise (Algorithm 4: [`degree_vectors`](veil_privacy::protocol::degree_vectors), unit
//! *edge*, ε/n_l). The next MLP reads what all earlier ones said and all counts so far, and so on for n_l stages. Counts are
//! kept in the run folder: training, validation on the same graph and every later question use the same ones, so nothing more
//! is ever spent on this graph. Where validation nodes are in another graph, its counts are made and paid for separately (lines 15–24).
//!
//! **Inference (Algorithm 3).** On a new graph the same MLPs are run in turn, counts are made per stage at the same price, and
//! kept likewise. Only what the last MLP says leaves.
//!
//! **What a network makes of noisy counts.** No count is below 0, so what is was noise and is read as 0. The published code also
//! gives a row of zeros a random 1; here such a row stays as it is: a made-up neighbour tells nothing, and chance is kept out of
//! prediction. Both are post-processing. With `--readout bayes` no network reads counts: the `bayes` module does, with the same
//! release and so the same guarantee: better where ε is small, labels are few and nodes have few neighbours (Cora, Citeseer), worse on a
//! dense graph with more labels (Amazon Computers), where a network has enough to learn from.

use veil_nn::Kind;
use veil_privacy::Unit;

use super::{Method, published};
use crate::parameters::{Edges, Parameters};

pub(super) fn defaults() -> Parameters {
    Parameters {
        method: Some(Method::Lpgnet),
        edges: Edges::DegreeVectors,
        unit: Unit::Edge,
        model: Kind::Mlp,
        bias: false,
        ..published()
    }
}
