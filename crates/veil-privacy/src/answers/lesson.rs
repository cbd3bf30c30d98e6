//! The input of a teacher: a few private nodes and the edges among them.

use veil_graph::read::Misfit;
use veil_graph::{Dataset, Labels, NodeId, Part, Split};

use super::AnswerError;

/// Private nodes to learn from, and the number of the query.
#[derive(Debug)]
pub struct Lesson {
    /// The nodes with their features, labels and the edges among them, all for training.
    pub data: Dataset,
    /// The number of the query, or of the teacher.
    pub number: u32,
}

impl Lesson {
    /// The subgraph induced by these nodes; `None` if there are none.
    pub(super) fn of(raw: &Dataset, nodes: &[NodeId], number: u32) -> Result<Option<Lesson>, AnswerError> {
        if nodes.is_empty() {
            return Ok(None);
        }
        let graph = raw.graph().induced(nodes)?;
        let mut data = Dataset::new(raw.name(), graph, Default::default());
        if let Some(features) = raw.features() {
            data = data.with_features(features.selected(nodes)).map_err(Misfit::from)?;
        }
        if let Some(labels) = raw.labels() {
            let values = nodes.iter().map(|&node| labels.get(node));
            let labels = Labels::new(labels.classes(), values).map_err(Misfit::from)?;
            data = data.with_labels(labels).map_err(Misfit::from)?;
        }
        let data = data.with_split(Split::new(vec![Part::Train; nodes.len()])).map_err(Misfit::from)?;
        Ok(Some(Lesson { data, number }))
    }
}
