//! What students reached, kept in a file so that none is trained twice.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use veil_graph::write::WriteError;

use crate::evaluation::EvaluationError;
use crate::outcome::{Outcome, Promised};
use crate::sweep::RESULTS;

/// What the students of one release reached.
#[derive(Serialize, Deserialize)]
pub(super) struct Reach {
    pub case: String,
    pub point: BTreeMap<String, Value>,
    #[serde(with = "exact")]
    pub figures: BTreeMap<String, f64>,
    pub promises: Vec<Promised>,
    pub seconds: f64,
}

impl Reach {
    pub fn outcome(&self, data: &str, seed: u64) -> Outcome {
        let Reach { case, point, figures, promises, seconds } = self;
        Outcome {
            case: case.clone(),
            data: data.to_owned(),
            point: point.clone(),
            seed,
            figures: figures.clone(),
            promises: promises.clone(),
            seconds: *seconds,
            ..Outcome::default()
        }
    }
}

/// Figures as text: a number of 17 digits may be read from JSON with another last bit.
mod exact {
    use std::collections::BTreeMap;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(figures: &BTreeMap<String, f64>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(figures.iter().map(|(name, figure)| (name, figure.to_string())))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, f64>, D::Error> {
        let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
        let number = |(name, text): (String, String)| Ok((name, text.parse().map_err(D::Error::custom)?));
        texts.into_iter().map(number).collect()
    }
}

/// What students reached so far, by all that decided it: one line for each.
pub(super) struct Reached {
    known: BTreeMap<String, Reach>,
    file: File,
    path: PathBuf,
}

impl Reached {
    /// A line that is not whole was being written by whoever was killed: it is left out, and so is what another version wrote.
    pub fn open(path: &Path) -> Result<Reached, EvaluationError> {
        let text =
            if path.exists() { std::fs::read_to_string(path).map_err(WriteError::io(path))? } else { String::new() };
        let known = text.lines().filter_map(|line| serde_json::from_str::<(String, Reach)>(line).ok()).collect();
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(WriteError::io(path))?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(WriteError::io(path))?;
        }
        Ok(Reached { known, file, path: path.to_owned() })
    }

    /// What decides it: who was asked and what they learned from, how it was released, and the version of the program and of its results.
    pub fn key(teachers: &str, release: &str) -> String {
        format!("{teachers} {release} {} {RESULTS}", env!("CARGO_PKG_VERSION"))
    }

    pub fn get(&self, key: &str) -> Option<&Reach> {
        self.known.get(key)
    }

    pub fn add(&mut self, key: String, reached: Reach) -> Result<(), EvaluationError> {
        let line = serde_json::to_string(&(&key, &reached)).map_err(WriteError::content(&self.path))?;
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(WriteError::io(&self.path))?;
        self.known.insert(key, reached);
        Ok(())
    }
}
