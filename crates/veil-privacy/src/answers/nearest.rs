//! The private nodes nearest to a public one (PrivGNN, section 4.2.1).

use veil_graph::{Features, Matrix, NodeId, ShapeError};

use crate::protocol::Measure;

/// Rows and their lengths.
pub(super) struct Nearest<'a> {
    features: &'a Features,
    lengths: Vec<f64>,
    measure: Measure,
}

impl<'a> Nearest<'a> {
    pub fn among(features: &'a Features, measure: Measure) -> Nearest<'a> {
        let lengths = (0..features.rows()).map(|row| features.norm(row)).collect();
        Nearest { features, lengths, measure }
    }

    /// The `k` of these nodes nearest to a row of other features, or all if there are fewer. Ties
    /// go to the smaller id. The result is ascending, independent of distances.
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
            match self.measure {
                // The length of the query does not change the order.
                Measure::Euclidean => own * own - 2.0 * product,
                // A zero vector has cosine 0 with all.
                Measure::Cosine if own * length == 0.0 => 1.0,
                Measure::Cosine => 1.0 - product / (own * length),
            }
        };
        nodes.select_nth_unstable_by(k - 1, |&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        nodes.truncate(k);
        nodes.sort_unstable();
        Ok(nodes)
    }
}
