//! A model of which nothing but posteriors is known.

use veil_graph::{Matrix, NodeId};
use veil_learn::{Predictor, PredictorError, WhiteBox};

/// Posteriors of a model, one row for each node. They depend on no feature of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Table(pub Matrix);

impl Table {
    fn row(&self, node: NodeId) -> Result<&[f32], PredictorError> {
        let nodes = self.0.rows();
        if (node as usize) < nodes {
            Ok(self.0.row(node as usize))
        } else {
            Err(PredictorError::NoSuchNode { node, nodes })
        }
    }
}

impl Predictor for Table {
    fn nodes(&self) -> usize {
        self.0.rows()
    }

    fn classes(&self) -> usize {
        self.0.columns()
    }

    fn features(&self, node: NodeId) -> Result<Vec<f32>, PredictorError> {
        self.row(node).map(|_| Vec::new())
    }

    fn posteriors(&self, nodes: &[NodeId], _changed: &[(NodeId, Vec<f32>)]) -> Result<Matrix, PredictorError> {
        let mut rows = Matrix::zeros(nodes.len(), self.classes());
        for (place, &node) in nodes.iter().enumerate() {
            rows.row_mut(place).copy_from_slice(self.row(node)?);
        }
        Ok(rows)
    }
}

impl WhiteBox for Table {
    fn influences(&self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, PredictorError> {
        pairs.iter().map(|&(source, target)| self.row(source.max(target)).map(|_| 0.0)).collect()
    }
}
