//! The private nodes nearest to a public one (PrivGNN, section 4.2.1).

use std::fmt;
use std::str::FromStr;

use veil_graph::{Features, Matrix, NodeId, ShapeError};

/// How features are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distance {
    /// The length of the difference.
    #[default]
    Euclidean,
    /// One minus the cosine of the angle; a vector of zeros is at distance 1 from all.
    Cosine,
}

impl Distance {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Distance::Euclidean => "euclidean",
            Distance::Cosine => "cosine",
        }
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Distance {
    type Err = String;

    fn from_str(text: &str) -> Result<Distance, String> {
        let found = [Distance::Euclidean, Distance::Cosine].into_iter().find(|it| it.name() == text);
        found.ok_or_else(|| format!("{text:?} is no distance (euclidean, cosine)"))
    }
}

/// Rows to be compared with, and the lengths of all of them.
pub(super) struct Nearest<'a> {
    features: &'a Features,
    lengths: Vec<f64>,
    distance: Distance,
}

impl<'a> Nearest<'a> {
    pub fn among(features: &'a Features, distance: Distance) -> Nearest<'a> {
        let lengths = (0..features.rows()).map(|row| features.norm(row)).collect();
        Nearest { features, lengths, distance }
    }

    /// The `k` of these nodes whose features are nearest to a row of others; all of them, if they are fewer. The lower number wins a tie.
    /// They come in ascending order, so that nothing depends on their distances any more.
    pub fn to(
        &self,
        (others, row): (&Features, NodeId),
        mut nodes: Vec<NodeId>,
        k: usize,
    ) -> Result<Vec<NodeId>, ShapeError> {
        if nodes.len() <= k {
            return Ok(nodes);
        }
        let values = (0..others.columns() as u32).map(|column| others.value(row as usize, column)).collect();
        let query = Matrix::from_values(others.columns(), 1, values)?;
        let products = self.features.times(&query)?;
        let length = others.norm(row as usize);
        let distance = |node: NodeId| {
            let (product, own) = (f64::from(products.row(node as usize)[0]), self.lengths[node as usize]);
            match self.distance {
                // The length of the query itself changes no order.
                Distance::Euclidean => own * own - 2.0 * product,
                Distance::Cosine if own * length == 0.0 => 1.0,
                Distance::Cosine => 1.0 - product / (own * length),
            }
        };
        nodes.select_nth_unstable_by(k - 1, |&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        nodes.truncate(k);
        nodes.sort_unstable();
        Ok(nodes)
    }
}
