//! What teachers said, kept in a file so that an interrupted evaluation goes on. It is raw private
//! data.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use veil_graph::write::WriteError;

use super::EvaluationError;

/// What teachers said so far; with a file, one line `question,posterior,…` each.
pub struct Posteriors {
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
    ) -> Result<Posteriors, EvaluationError> {
        let mut known = vec![None; questions];
        let Some(path) = path else { return Ok(Posteriors { known, file: Mutex::new(None) }) };
        let text =
            if path.exists() { std::fs::read_to_string(path).map_err(WriteError::io(path))? } else { String::new() };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        // Without a whole line it is what is left of our own first line, or nobody's.
        let ours = text[..whole].lines().next().map_or_else(|| of.starts_with(&text), |line| line == of);
        if !ours {
            return Err(EvaluationError::OtherEvaluation { path: path.to_owned() });
        }
        for (place, line) in text[..whole].lines().enumerate().skip(1) {
            let numbers: Option<Vec<f32>> = line.split(',').skip(1).map(|number| number.parse().ok()).collect();
            let question = line.split(',').next().and_then(|number| number.parse::<usize>().ok());
            match (question.and_then(|question| known.get_mut(question)), numbers) {
                (Some(slot), Some(numbers)) if numbers.len() == classes => *slot = Some(numbers),
                _ => return Err(EvaluationError::Line { path: path.to_owned(), line: place + 1, classes }),
            }
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file = options.open(path).map_err(WriteError::io(path))?;
        file.set_len(whole as u64).map_err(WriteError::io(path))?;
        if whole == 0 {
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
