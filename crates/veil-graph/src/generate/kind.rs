//! The table of kinds of generated graphs.

use super::error::{ParameterError, check};
use super::{Community, PowerLaw};
use crate::dataset::Dataset;

/// A kind of generated graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Homophilous communities with bag-of-words features, like Cora.
    Citation,
    /// High degrees and noisy features, like a friendship graph.
    Social,
    /// Two classes with edges only between them; weak features.
    Bipartite,
    /// Power-law degrees at any size, for benchmarks.
    PowerLaw,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Citation, Kind::Social, Kind::Bipartite, Kind::PowerLaw];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Citation => "citation",
            Kind::Social => "social",
            Kind::Bipartite => "bipartite",
            Kind::PowerLaw => "powerlaw",
        }
    }

    /// One line of help.
    pub fn about(self) -> &'static str {
        match self {
            Kind::Citation => "Homophilous communities with bag-of-words features, like Cora",
            Kind::Social => "High degrees and noisy features, like a friendship graph",
            Kind::Bipartite => "Two classes with edges only between them; weak features",
            Kind::PowerLaw => "Power-law degrees at any size, for benchmarks",
        }
    }

    /// The kind of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn from_name(name: &str) -> Result<Kind, ParameterError> {
        let expected = || format!("one of {}", Kind::ALL.map(Kind::name).join(", "));
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| ParameterError { name: "kind", value: format!("{name:?}"), expected: expected() })
    }
}

/// What may be asked of a generated graph, whatever its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Asked {
    /// Number of nodes; without it, what is usual for the kind.
    pub nodes: Option<u32>,
    /// Number of edges, of [`Kind::PowerLaw`] only: the others have a mean degree.
    pub edges: Option<usize>,
    /// Share of edges between nodes of the same class, of [`Kind::Citation`] and [`Kind::Social`].
    pub homophily: Option<f64>,
}

impl Asked {
    /// Generates a graph of this kind.
    ///
    /// # Errors
    /// If a parameter is out of range, does not fit the others, or is not one of this kind.
    pub fn generate(self, kind: Kind, seed: u64) -> Result<Dataset, ParameterError> {
        let Asked { nodes, edges, homophily } = self;
        if let Some(edges) = edges {
            check(kind == Kind::PowerLaw, "edges", edges, "left out, unless the kind is powerlaw")?;
        }
        if let Some(homophily) = homophily {
            let has_it = matches!(kind, Kind::Citation | Kind::Social);
            check(has_it, "homophily", homophily, "left out, unless the kind is citation or social")?;
        }
        let community = match kind {
            Kind::Citation => Community::citation(),
            Kind::Social => Community::social(),
            Kind::Bipartite => Community::bipartite(),
            Kind::PowerLaw => {
                let power_law = PowerLaw::default();
                let nodes = nodes.unwrap_or(power_law.nodes);
                return Ok(power_law.with_size(nodes, edges).check()?.generate(seed));
            }
        };
        let mut community = match nodes {
            Some(nodes) => community.with_nodes(nodes),
            None => community,
        };
        community.homophily = homophily.unwrap_or(community.homophily);
        Ok(community.check()?.generate(seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kind_does_not_have_is_refused() {
        let edges = Asked { edges: Some(5), ..Asked::default() };
        let homophily = Asked { homophily: Some(0.5), ..Asked::default() };
        let refused = |asked: Asked, kind| asked.generate(kind, 1).unwrap_err().name;
        assert_eq!(refused(edges, Kind::Citation), "edges");
        assert_eq!([Kind::Bipartite, Kind::PowerLaw].map(|kind| refused(homophily, kind)), ["homophily"; 2]);
        assert!(Kind::from_name("star").unwrap_err().to_string().contains("citation, social, bipartite, powerlaw"));
    }

    #[test]
    fn every_kind_is_generated_by_its_name() {
        for kind in Kind::ALL {
            let asked = Asked { nodes: Some(200), ..Asked::default() };
            let data = asked.generate(Kind::from_name(kind.name()).unwrap(), 1).unwrap();
            assert_eq!((data.nodes(), data.name()), (200, kind.name()));
        }
    }
}
