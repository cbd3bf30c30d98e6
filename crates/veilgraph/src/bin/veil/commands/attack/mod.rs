//! `veil attack`: what an adversary finds in a trained model.
//!
//! `linkteller` and `lsa` look for private edges: `pairs` says about which pairs they are asked, `edges` how well that went, beside an
//! edge-free twin; `posteriors` reads what someone else's model said. `membership` asks from whom the model learned.

mod edges;
mod linkteller;
mod lsa;
mod membership;
mod pairs;
mod posteriors;

use clap::Subcommand;

use crate::failure::Failure;
use crate::output::Output;

/// Try to find in a trained model what is private: edges, or from whom it learned
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil attack linkteller run --truth graph\n  \
    veil attack lsa run --truth graph --metric cosine\n  \
    veil attack membership run --truth graph")]
pub enum Attack {
    /// Whose features change whose posterior (Wu et al. 2022)
    Linkteller(linkteller::LinkTeller),
    /// Whose posteriors are alike (He et al. 2021: link stealing, LSA2, LPA)
    Lsa(lsa::Lsa),
    Membership(membership::Membership),
}

impl Attack {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Attack::Linkteller(attack) => attack.run(output),
            Attack::Lsa(attack) => attack.run(output),
            Attack::Membership(attack) => attack.run(output),
        }
    }
}
