//! DpGCN (Wu et al. 2022; 003, section 2.2): a graph convolution on a graph that was released with noise, once, so that
//! training and any number of questions cost nothing more. The noise is LapGraph's or EdgeRand's
//! ([`veil_privacy::central`]); its authors found LapGraph better.

use super::{Method, published};
use crate::parameters::{Edges, Parameters};

pub(super) fn defaults() -> Parameters {
    Parameters { method: Some(Method::Dpgcn), edges: Edges::LapGraph, ..published() }
}
