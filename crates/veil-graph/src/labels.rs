//! The class of each node, if known.

use crate::graph::NodeId;
use crate::limits::MOST_CLASSES;

const MISSING: u32 = u32::MAX;

/// An optional class per node, and optional names of the classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    classes: u32,
    values: Vec<u32>,
    names: Option<Vec<String>>,
}

/// Why labels are invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    #[error("node {node} has label {label}, but there are {classes} classes")]
    NoSuchClass { node: NodeId, label: u32, classes: u32 },
    #[error("{names} class names for {classes} classes")]
    WrongNames { names: usize, classes: u32 },
    #[error("two classes have the name {name:?}")]
    RepeatedName { name: String },
    #[error("{classes} classes are too many: at most {most}")]
    TooManyClasses { classes: u32, most: u64 },
}

impl Labels {
    /// Labels from one optional class per node.
    ///
    /// # Errors
    /// If a label is not below `classes`, or there are more classes than any data may have: many
    /// things have one number for each.
    pub fn new(classes: u32, values: impl IntoIterator<Item = Option<u32>>) -> Result<Labels, LabelError> {
        if u64::from(classes) > MOST_CLASSES {
            return Err(LabelError::TooManyClasses { classes, most: MOST_CLASSES });
        }
        let values: Vec<u32> = values.into_iter().map(|label| label.unwrap_or(MISSING)).collect();
        match values.iter().position(|&label| label != MISSING && label >= classes) {
            Some(node) => Err(LabelError::NoSuchClass { node: node as NodeId, label: values[node], classes }),
            None => Ok(Labels { classes, values, names: None }),
        }
    }

    /// Sets the names of the classes.
    ///
    /// # Errors
    /// If there is not one name per class, or two have the same: classes are told apart by names.
    pub fn with_names(self, names: Vec<String>) -> Result<Labels, LabelError> {
        if names.len() != self.classes as usize {
            return Err(LabelError::WrongNames { names: names.len(), classes: self.classes });
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(LabelError::RepeatedName { name: pair[0].clone() });
        }
        Ok(Labels { names: Some(names), ..self })
    }

    /// The labels of these nodes.
    pub(crate) fn selected(&self, nodes: &[NodeId]) -> Labels {
        let values = nodes.iter().map(|&node| self.values[node as usize]).collect();
        Labels { classes: self.classes, values, names: self.names.clone() }
    }

    /// The number of classes.
    pub fn classes(&self) -> u32 {
        self.classes
    }

    /// The number of nodes, labelled or not.
    pub fn nodes(&self) -> usize {
        self.values.len()
    }

    /// The number of labelled nodes.
    pub fn known(&self) -> usize {
        self.values.iter().filter(|&&label| label != MISSING).count()
    }

    /// The label of a node, if known.
    pub fn get(&self, node: NodeId) -> Option<u32> {
        self.values.get(node as usize).copied().filter(|&label| label != MISSING)
    }

    /// The labels in the order of the nodes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<u32>> + '_ {
        self.values.iter().map(|&label| (label != MISSING).then_some(label))
    }

    /// The number of nodes per class.
    pub fn class_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.classes as usize];
        self.iter().flatten().for_each(|label| sizes[label as usize] += 1);
        sizes
    }

    /// The names of the classes, if any.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_classes_apart() {
        let labels = Labels::new(2, [Some(0), Some(1)]).unwrap();
        let named = |names: [&str; 2]| labels.clone().with_names(names.map(str::to_owned).into());
        assert!(named(["a", "b"]).is_ok());
        assert_eq!(named(["a", "a"]), Err(LabelError::RepeatedName { name: "a".to_owned() }));
    }
}
