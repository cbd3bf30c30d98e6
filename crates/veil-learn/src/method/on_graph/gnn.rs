//! Any network on the unchanged edges: the accuracy that privacy is paid for with. It promises
//! nothing about edges, and its statement says so. On a released graph it reads the released edges.

use veil_nn::Kind as Layer;
use veil_privacy::parameters;
use veil_privacy::parameters::{Described, Kind, Parameters};
use veil_privacy::release::EdgePlan;

use super::{EdgeSource, configure};
use crate::method::{Entry, MethodError};
use crate::parameters::{Reads, Recipe};

/// The name of the method.
pub const NAME: &str = "gnn";

parameters! {
    /// Parameters of the edges.
    pub struct Params: Edges {
        /// Edges that the network reads, raw or as released
        reads: Reads = Reads::All => Kind::Word(Reads::WORDS),
    }
}

impl EdgeSource for Params {
    fn list(&self) -> Vec<Described> {
        Parameters::list(self)
    }

    fn plan(&self, _nodes: u32) -> Result<EdgePlan, MethodError> {
        Ok(match self.reads {
            Reads::All => EdgePlan::Raw,
            Reads::None => EdgePlan::Withheld,
        })
    }

    fn reads_edges(&self) -> bool {
        self.reads == Reads::All
    }
}

pub(in crate::method) fn entry() -> Entry {
    Entry::new(NAME, "GNN on the unchanged edges: no guarantee for edges", |settings| {
        let set = |params: &mut Params, settings: &_| Ok(params.apply(settings)?);
        configure(NAME, Params::default(), set, (Recipe::Lpgnet, Layer::Gcn), settings)
    })
}
