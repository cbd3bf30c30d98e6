//! Facts that are given or declared public after a folder was written: only `meta.json` changes.

use std::path::{Path, PathBuf};

use super::error::WriteError;
use super::folder::{read_meta, replace_meta};
use crate::dataset::{Dataset, DatasetError};
use crate::features::Features;
use crate::labels::Labels;

/// Facts about a data set that do not depend on its content, or that its owner declares public.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The range of all features.
    pub range: Option<(f32, f32)>,
    /// The number of classes.
    pub classes: Option<u32>,
    /// The number of feature columns.
    pub dimensions: Option<u32>,
    /// Facts that are public, by name, besides those that were before.
    pub public: Vec<String>,
}

/// Why facts could not be declared.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages document the variants")]
pub enum DeclareError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error("the features lie between {smallest} and {largest}, not between {low} and {high}")]
    OutOfRange { smallest: f32, largest: f32, low: f32, high: f32 },
    #[error("the data have {found} feature columns, so {given} cannot be all")]
    TooNarrow { found: usize, given: u32 },
    #[error("only sparse features can have further columns: these are stored with all {found}")]
    NotSparse { found: usize },
    #[error("the data set has no features")]
    NoFeatures,
    #[error("the names of the classes were collected from the labels, so their number cannot be given alone")]
    NamedClasses,
}

/// Declares facts about the data set of a folder in our format, and returns the file that changed.
///
/// # Errors
/// If the data contradict a fact, or the folder cannot be written.
pub fn declare(dataset: &Dataset, facts: &Facts, folder: &Path) -> Result<PathBuf, DeclareError> {
    let path = folder.join("meta.json");
    let mut meta = read_meta(&path)?;
    let mut given: Vec<&str> = Vec::new();
    if let Some((low, high)) = facts.range {
        let features = dataset.features().ok_or(DeclareError::NoFeatures)?;
        // Checks that these are finite and in order.
        dataset.clone().with_feature_range(low, high)?;
        if let (Some((smallest, largest)), false) = (features.range(), matches!(features, Features::Encoded(_)))
            && (smallest < low || largest > high)
        {
            return Err(DeclareError::OutOfRange { smallest, largest, low, high });
        }
        meta.insert("feature_range".to_owned(), serde_json::json!([low, high]));
    }
    if let Some(dimensions) = facts.dimensions {
        let features = dataset.features().ok_or(DeclareError::NoFeatures)?;
        let found = features.columns();
        if (dimensions as usize) < found {
            return Err(DeclareError::TooNarrow { found, given: dimensions });
        }
        if dimensions as usize > found && matches!(features, Features::Dense(_)) {
            return Err(DeclareError::NotSparse { found });
        }
        meta.insert("features".to_owned(), dimensions.into());
        given.push("features");
    }
    if let Some(classes) = facts.classes {
        if dataset.labels().and_then(Labels::names).is_some() && !dataset.declared().classes {
            return Err(DeclareError::NamedClasses);
        }
        dataset.clone().with_classes(classes)?;
        meta.insert("classes".to_owned(), classes.into());
        given.push("classes");
    }
    if let Some(counted) = meta.get_mut("counted").and_then(serde_json::Value::as_array_mut) {
        counted.retain(|key| !given.iter().any(|given| key == given));
    }
    if !facts.public.is_empty() {
        let mut public = dataset.public().to_vec();
        public.extend(facts.public.iter().filter(|fact| !dataset.public().contains(fact)).cloned());
        meta.insert("declared_public".to_owned(), public.into());
    }
    replace_meta(&path, &meta)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::open;

    #[test]
    fn facts_are_given_or_declared_and_contradictions_refused() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
        file("edges.csv", "src,dst\n0,1\n");
        file("features.csv", "node,feature,value\n0,2,0.5\n");
        file("labels.csv", "node,label\n0,1\n");
        file("meta.json", "{\"counted\": [\"nodes\", \"classes\", \"features\"], \"nodes\": 2, \"title\": \"kept\"}");
        let given =
            Facts { range: Some((0.0, 1.0)), classes: Some(4), dimensions: Some(9), public: vec!["nodes".to_owned()] };
        declare(&open(home.path()).unwrap(), &given, home.path()).unwrap();
        let data = open(home.path()).unwrap();
        assert_eq!((data.feature_range(), data.features().unwrap().columns()), (Some((0.0, 1.0)), 9));
        assert_eq!((data.labels().unwrap().classes(), data.public()), (4, &["nodes".to_owned()][..]));
        let declared = data.declared();
        assert_eq!((declared.nodes, declared.dimensions, declared.classes), (false, true, true));
        assert!(std::fs::read_to_string(home.path().join("meta.json")).unwrap().contains("kept"));
        // It survives another copy.
        let copy = home.path().join("copy");
        crate::write::write_folder(&data, &copy).unwrap();
        assert_eq!(open(&copy).unwrap(), data);
        for (facts, says) in [
            (Facts { range: Some((0.6, 1.0)), ..Facts::default() }, "not between 0.6 and 1"),
            (Facts { range: Some((1.0, 0.0)), ..Facts::default() }, "ascending"),
            (Facts { dimensions: Some(2), ..Facts::default() }, "2 cannot be all"),
            (Facts { classes: Some(1), ..Facts::default() }, "1 class cannot be all"),
        ] {
            assert!(declare(&data, &facts, home.path()).unwrap_err().to_string().contains(says), "{says}");
        }
        assert_eq!(open(home.path()).unwrap(), data);
    }
}
