//! Files from which an interrupted command resumes: teachers' answers, and outcomes of students.
//! Both are raw private data, one line each; half a line, which a killed process leaves, is cut
//! off.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use veil_graph::write::{WriteError, owner};

use super::StudentsError;
use crate::outcome::Outcome;
use crate::sweep::RESULTS;

/// The whole lines of a file, and the file to append to. A file of somebody else is left alone.
fn resumed(path: &Path, is_ours: impl Fn(&str) -> bool) -> Result<(String, File), StudentsError> {
    let mut text =
        if path.exists() { std::fs::read_to_string(path).map_err(WriteError::io(path))? } else { String::new() };
    if !is_ours(&text) {
        return Err(StudentsError::OtherEvaluation { path: path.to_owned() });
    }
    text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    let file = owner::open_or_create(path)?;
    file.set_len(text.len() as u64).map_err(WriteError::io(path))?;
    Ok((text, file))
}

/// What teachers said so far; with a file, one line `question,posterior,…` each.
pub(super) struct Posteriors {
    pub known: Vec<Option<Vec<f32>>>,
    /// Until a line could not be written whole.
    file: Mutex<Option<File>>,
}

impl Posteriors {
    /// The first line of a file says what it is of, so that no other evaluation goes on with it.
    pub fn open(
        path: Option<&Path>,
        (questions, classes): (usize, usize),
        of: &str,
    ) -> Result<Posteriors, StudentsError> {
        let mut known = vec![None; questions];
        let Some(path) = path else { return Ok(Posteriors { known, file: Mutex::new(None) }) };
        // Without a whole line it is what is left of our own first line, or nobody's.
        let is_ours = |text: &str| text.split_once('\n').map_or_else(|| of.starts_with(text), |(line, _)| line == of);
        let (text, mut file) = resumed(path, is_ours)?;
        for (place, line) in text.lines().enumerate().skip(1) {
            let numbers: Option<Vec<f32>> = line.split(',').skip(1).map(|number| number.parse().ok()).collect();
            let question = line.split(',').next().and_then(|number| number.parse::<usize>().ok());
            match (question.and_then(|question| known.get_mut(question)), numbers) {
                (Some(slot), Some(numbers)) if numbers.len() == classes => *slot = Some(numbers),
                _ => return Err(StudentsError::Line { path: path.to_owned(), line: place + 1, classes }),
            }
        }
        if text.is_empty() {
            file.write_all(format!("{of}\n").as_bytes()).map_err(WriteError::io(path))?;
        }
        Ok(Posteriors { known, file: Mutex::new(Some(file)) })
    }

    pub fn missing(&self) -> Vec<usize> {
        (0..self.known.len()).filter(|&question| self.known[question].is_none()).collect()
    }

    /// Blocks of questions of which one is missing, and the first, whole: whoever is asked in order
    /// cannot begin in the middle.
    pub fn blocks(&self, length: usize) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.known.len()).collect();
        let wanted = |block: &&[usize]| block[0] == 0 || block.iter().any(|&question| self.known[question].is_none());
        all.chunks(length).filter(wanted).map(<[usize]>::to_vec).collect()
    }

    pub fn keep(&self, question: usize, posterior: &[f32]) {
        if self.known[question].is_some() {
            return;
        }
        let mut kept = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = kept.as_mut() else { return };
        let line: String = posterior.iter().map(|number| format!(",{number}")).collect();
        // What is not kept is computed again after an interruption. Nothing may follow half a line.
        if file.write_all(format!("{question}{line}\n").as_bytes()).is_err() {
            *kept = None;
        }
    }
}

/// A line: the key, the outcome, and the bits of its figures, because a number of 17 digits may be
/// read from JSON with another last bit.
type Line = (String, Outcome, BTreeMap<String, u64>);

/// Outcomes by everything that decides them.
pub(super) struct Outcomes {
    known: BTreeMap<String, Outcome>,
    file: File,
    path: PathBuf,
}

impl Outcomes {
    /// A line of another version is ignored.
    pub fn open(path: PathBuf) -> Result<Outcomes, StudentsError> {
        let (text, file) = resumed(&path, |_| true)?;
        let exact = |(key, outcome, bits): Line| {
            let figures = bits.into_iter().map(|(name, bits)| (name, f64::from_bits(bits))).collect();
            (key, Outcome { figures, ..outcome })
        };
        let known = text.lines().filter_map(|line| serde_json::from_str(line).ok()).map(exact).collect();
        Ok(Outcomes { known, file, path })
    }

    /// The outcome of these teachers and this release, computed and written if it is not known.
    pub fn or_insert(
        &mut self,
        teachers: &str,
        release: &str,
        outcome: impl FnOnce() -> Result<Outcome, StudentsError>,
    ) -> Result<Outcome, StudentsError> {
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
