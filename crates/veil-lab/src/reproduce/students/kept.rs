//! Outcomes of students, kept in a file so that none is trained twice.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use veil_graph::write::WriteError;

use crate::evaluation::EvaluationError;
use crate::outcome::Outcome;
use crate::sweep::RESULTS;

/// A line: the key, the outcome, and the bits of its figures, because a number of 17 digits may be
/// read from JSON with another last bit.
type Line = (String, Outcome, BTreeMap<String, u64>);

/// Outcomes by everything that decides them, one line each.
pub(super) struct Kept {
    known: BTreeMap<String, Outcome>,
    file: File,
    path: PathBuf,
}

impl Kept {
    /// An incomplete line, left by a killed process, is ignored, and so is a line of another
    /// version.
    pub fn open(path: &Path) -> Result<Kept, EvaluationError> {
        let text =
            if path.exists() { std::fs::read_to_string(path).map_err(WriteError::io(path))? } else { String::new() };
        let exact = |(key, outcome, bits): Line| {
            let figures = bits.into_iter().map(|(name, bits)| (name, f64::from_bits(bits))).collect();
            (key, Outcome { figures, ..outcome })
        };
        let known = text.lines().filter_map(|line| serde_json::from_str(line).ok()).map(exact).collect();
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(WriteError::io(path))?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(WriteError::io(path))?;
        }
        Ok(Kept { known, file, path: path.to_owned() })
    }

    /// The outcome of these teachers and this release, computed and written if it is not known.
    pub fn or_insert(
        &mut self,
        teachers: &str,
        release: &str,
        outcome: impl FnOnce() -> Result<Outcome, EvaluationError>,
    ) -> Result<Outcome, EvaluationError> {
        let key = format!("{teachers} {release} {} {RESULTS}", env!("CARGO_PKG_VERSION"));
        if let Some(outcome) = self.known.get(&key) {
            return Ok(outcome.clone());
        }
        let outcome = outcome()?;
        let bits = outcome.figures.iter().map(|(name, figure)| (name.clone(), figure.to_bits())).collect();
        let line: Line = (key.clone(), outcome.clone(), bits);
        let text = serde_json::to_string(&line).map_err(WriteError::content(&self.path))?;
        self.file.write_all(format!("{text}\n").as_bytes()).map_err(WriteError::io(&self.path))?;
        self.known.insert(key, outcome.clone());
        Ok(outcome)
    }
}
