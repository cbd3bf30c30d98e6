//! The input of a teacher: a few private nodes and the edges among them.

use std::fmt;

use veil_graph::read::Misfit;
use veil_graph::{Dataset, Labels, NodeId, Part, Split};

use super::AnswerError;
use crate::seal::Truth;

/// Private nodes to learn from, and the number of the query. Only a [`Teacher`](super::Teacher) of
/// this crate's mechanisms sees the nodes.
///
/// ```compile_fail,E0616
/// fn copied(lesson: &veil_privacy::answers::Lesson) -> veil_graph::Dataset {
///     lesson.data.clone()
/// }
/// ```
/// ```compile_fail,E0624
/// fn copied(lesson: &veil_privacy::answers::Lesson) -> veil_graph::Dataset {
///     lesson.raw().clone()
/// }
/// ```
pub struct Lesson {
    /// The nodes with their features, labels and the edges among them, all for training.
    data: Dataset,
    number: u32,
}

impl fmt::Debug for Lesson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lesson").field("data", &"sealed").field("number", &self.number).finish()
    }
}

impl Lesson {
    /// The number of the query, or of the teacher.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The nodes, for scoring: nothing computed from them may reach a release.
    pub fn for_scoring(&self, _truth: &Truth) -> &Dataset {
        &self.data
    }

    /// The nodes, for a teacher.
    pub(super) fn raw(&self) -> &Dataset {
        &self.data
    }

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
