//! What came out, and the folder that holds it.

use std::path::Path;

use veil_graph::write::{self, WriteError};
use veil_graph::{Dataset, DatasetError, Features, Labels, Part};

use crate::guarantee::{Guarantee, Statement};
use crate::permit::Permit;
use crate::seal::{Public, Released};

/// A privatised data set: what may be published, and the statement that goes with it.
#[derive(Clone, Debug)]
pub struct Privatised {
    data: Dataset,
    statement: Statement,
}

impl Privatised {
    pub(super) fn new(
        public: &Public<'_>,
        features: Option<Released<Features>>,
        labels: Option<Released<Labels>>,
        permit: &Permit,
    ) -> Result<Privatised, DatasetError> {
        let mut withheld = vec!["the edges".to_owned()];
        let mut guarantees: Vec<Guarantee> = Vec::new();
        let mut data = Dataset::with_edges_withheld(public.name, public.nodes)
            .with_names(public.names.clone())?
            .with_declared(public.declared);
        if let Some(split) = public.split {
            data = data.with_split(split.clone())?;
        }
        match features {
            Some(released) => {
                let (features, guarantee) = released.into_parts();
                guarantees.push(guarantee);
                data = data.with_features(features)?;
            }
            None => withheld.push("the features".to_owned()),
        }
        match labels {
            Some(released) => {
                let (labels, guarantee) = released.into_parts();
                guarantees.push(guarantee);
                data = data.with_labels(labels)?;
                let others = public.split.map_or(0, |split| split.count(Part::Test) + split.count(Part::None));
                withheld.push(format!("the labels of the {others} nodes that are not for training or validation"));
            }
            None => withheld.push("the labels".to_owned()),
        }
        let statement = Statement {
            format: Statement::FORMAT,
            release: permit.release().to_string(),
            data: public.name.to_owned(),
            reproducible: permit.seed().is_some(),
            seed: permit.seed(),
            booked: permit.booked(),
            guarantees,
            withheld,
        };
        Ok(Privatised { data, statement })
    }

    /// The released data: features and labels as they were reported, no edges.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// What is promised about them.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Writes the released data in our folder format, with `privacy.json` and `privacy.md`, into a folder that is there: for
    /// use inside [`write::atomically`], so that a folder to write to exists before anything is charged.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn fill(&self, folder: &Path) -> Result<(), WriteError> {
        write::fill_folder(&self.data, folder)?;
        let (json, markdown) = (folder.join("privacy.json"), folder.join("privacy.md"));
        let text = serde_json::to_string_pretty(&self.statement).map_err(WriteError::content(&json))?;
        std::fs::write(&json, text + "\n").map_err(WriteError::io(&json))?;
        std::fs::write(&markdown, self.statement.to_markdown()).map_err(WriteError::io(&markdown))
    }
}
