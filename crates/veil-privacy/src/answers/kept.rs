//! Stored answers of a release, for resuming it after an interruption.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::permit::ReleaseId;

/// Why answers cannot be stored.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: the answers belong to another release: remove the unfinished run and start again", path.display())]
    OtherRelease { path: PathBuf },
    #[error("{}, line {line}: {found:?} is not an answer: remove the unfinished run and start again", path.display())]
    Content { path: PathBuf, line: usize, found: String },
}

impl KeptError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        None
    }
}

/// The answers so far. They are noisy labels and part of the release.
#[derive(Debug)]
pub struct Kept {
    known: Vec<Option<u32>>,
    file: Option<(PathBuf, Mutex<File>)>,
    release: Option<ReleaseId>,
}

impl Kept {
    /// Answers that are not stored.
    pub fn in_memory(questions: usize) -> Kept {
        Kept { known: vec![None; questions], file: None, release: None }
    }

    /// Answers of one release in a file: its id, then one line `question,label` each. The file is
    /// created if it does not exist; an incomplete last line is truncated.
    ///
    /// # Errors
    /// If the file cannot be opened or is malformed.
    pub fn open(path: &Path, release: ReleaseId, questions: usize, classes: u32) -> Result<Kept, KeptError> {
        let io = |source| KeptError::Io { path: path.to_owned(), source };
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines().enumerate();
        if lines.next().is_some_and(|(_, line)| line != release.to_string()) {
            return Err(KeptError::OtherRelease { path: path.to_owned() });
        }
        let mut known = vec![None; questions];
        for (place, line) in lines {
            let answer = line.split_once(',').and_then(|(question, label)| {
                let (question, label): (usize, u32) = (question.parse().ok()?, label.parse().ok()?);
                (label < classes).then_some(())?;
                known.get_mut(question).map(|slot| *slot = Some(label))
            });
            if answer.is_none() {
                return Err(KeptError::Content { path: path.to_owned(), line: place + 1, found: line.to_owned() });
            }
        }
        file.set_len(whole as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        if whole == 0 {
            file.write_all(format!("{release}\n").as_bytes()).map_err(io)?;
        }
        Ok(Kept { known, file: Some((path.to_owned(), Mutex::new(file))), release: Some(release) })
    }

    /// The queries without an answer.
    pub fn missing(&self) -> Vec<usize> {
        self.known.iter().enumerate().filter(|(_, known)| known.is_none()).map(|(question, _)| question).collect()
    }

    /// Checks that the answers belong to this release.
    pub(super) fn check(&self, release: ReleaseId) -> Result<(), KeptError> {
        match (&self.file, self.release) {
            (Some((path, _)), Some(own)) if own != release => Err(KeptError::OtherRelease { path: path.clone() }),
            _ => Ok(()),
        }
    }

    /// Stores an answer, atomically.
    pub(super) fn keep(&self, question: usize, label: u32) -> Result<(), KeptError> {
        let Some((path, file)) = &self.file else { return Ok(()) };
        let io = |source| KeptError::Io { path: path.clone(), source };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = file.stream_position().map_err(io)?;
        let written = file.write_all(format!("{question},{label}\n").as_bytes());
        if written.is_err() {
            // An incomplete line is removed.
            file.set_len(whole).and_then(|()| file.seek(SeekFrom::Start(whole))).map_err(io)?;
        }
        written.map_err(io)
    }

    /// All answers, including these new ones.
    pub(super) fn completed(mut self, new: Vec<(usize, u32)>) -> Vec<u32> {
        new.into_iter().for_each(|(question, label)| self.known[question] = Some(label));
        self.known.into_iter().map(|label| label.unwrap_or(0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELEASE: ReleaseId = ReleaseId([7; 16]);

    #[test]
    fn what_was_kept_is_there_again_and_half_a_line_is_not() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("answers.csv");
        let kept = Kept::open(&path, RELEASE, 5, 10).unwrap();
        assert_eq!(kept.missing(), [0, 1, 2, 3, 4]);
        kept.keep(3, 9).unwrap();
        kept.keep(0, 2).unwrap();
        drop(kept);
        std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + "4,1").unwrap();
        let kept = Kept::open(&path, RELEASE, 5, 10).unwrap();
        assert_eq!(kept.missing(), [1, 2, 4]);
        kept.keep(4, 7).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{RELEASE}\n3,9\n0,2\n4,7\n"));
        kept.check(RELEASE).unwrap();
        assert!(matches!(kept.check(ReleaseId([8; 16])), Err(KeptError::OtherRelease { .. })));
        assert_eq!(kept.completed(vec![(1, 1), (2, 2), (4, 7)]), [2, 1, 2, 9, 7]);
        // Answers of one release never become those of another.
        assert!(matches!(Kept::open(&path, ReleaseId([8; 16]), 5, 10), Err(KeptError::OtherRelease { .. })));
    }

    #[test]
    fn another_file_is_refused_with_its_line() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("answers.csv");
        for bad in ["hello", "5,0", "0,10", ""] {
            std::fs::write(&path, format!("{RELEASE}\n1,2\n{bad}\n")).unwrap();
            assert!(matches!(Kept::open(&path, RELEASE, 5, 10), Err(KeptError::Content { line: 3, .. })), "{bad:?}");
        }
        std::fs::write(&path, b"\xff\n").unwrap();
        assert!(matches!(Kept::open(&path, RELEASE, 5, 10), Err(KeptError::Io { .. })));
    }
}
