//! Stored answers of a release, for resuming it after an interruption.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use veil_graph::bytes::hex;
use veil_graph::write::{WriteError, owner};
use zeroize::Zeroizing;

use crate::permit::{Permit, ReleaseId};

/// Why answers cannot be stored.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    File(#[from] WriteError),
    #[error("{}: the answers belong to another release: remove the unfinished run and start again", path.display())]
    OtherRelease { path: PathBuf },
}

impl KeptError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            KeptError::File(error) => error.hint(),
            _ => None,
        }
    }
}

/// The answers so far. They are noisy labels and part of the release.
#[derive(Debug)]
pub struct Kept {
    known: Vec<Option<u32>>,
    file: Option<AnswerFile>,
    damaged: usize,
}

#[derive(Debug)]
struct AnswerFile {
    path: PathBuf,
    file: Mutex<File>,
    release: ReleaseId,
    codes: Codes,
}

/// The codes that authenticate lines: HMAC-SHA-256 under a key that only the key of the release
/// gives, cut to 128 bits.
struct Codes(Zeroizing<[u8; 32]>);

impl fmt::Debug for Codes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Codes(…)")
    }
}

impl Codes {
    fn of(permit: &Permit) -> Codes {
        let purpose = [b"veilgraph/answers/1".as_slice(), &permit.release().0].concat();
        Codes(Zeroizing::new(permit.tag(&purpose)))
    }

    /// A text with its code.
    fn line(&self, text: &str) -> String {
        let code = crate::coins::hmac(&*self.0, text.as_bytes());
        format!("{text},{}", hex(&code[..16]))
    }

    /// The text of a line, if its code is right.
    fn text<'a>(&self, line: &'a str) -> Option<&'a str> {
        let (text, _) = line.rsplit_once(',')?;
        (self.line(text) == line).then_some(text)
    }
}

impl Kept {
    /// Answers that are not stored.
    pub fn in_memory(questions: usize) -> Kept {
        Kept { known: vec![None; questions], file: None, damaged: 0 }
    }

    /// Answers of one release in a file for its owner alone: its id, then one line `question,label`
    /// each, all with codes. The file is created if it does not exist. A line that is incomplete,
    /// or that this release did not write, counts as none: its question is asked again, and has the
    /// same answer.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path, permit: &Permit, questions: usize, classes: u32) -> Result<Kept, KeptError> {
        let io = |source| KeptError::Io { path: path.to_owned(), source };
        let (release, codes) = (permit.release(), Codes::of(permit));
        let mut file = owner::open_or_create(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let text = String::from_utf8_lossy(&bytes);
        let first = codes.line(&release.to_string());
        let mut known = vec![None; questions];
        let mut good = format!("{first}\n");
        let answer = |line: &str| -> Option<(usize, u32)> {
            let (question, label) = codes.text(line)?.split_once(',')?;
            let (question, label): (usize, u32) = (question.parse().ok()?, label.parse().ok()?);
            (question < questions && label < classes).then_some((question, label))
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let lines: Vec<&str> = whole.lines().collect();
        let mut damaged = usize::from(lines.first().is_some_and(|line| *line != first));
        for line in lines.into_iter().skip(1) {
            match answer(line) {
                Some((question, label)) => {
                    known[question] = Some(label);
                    good += line;
                    good.push('\n');
                }
                None => damaged += 1,
            }
        }
        if good.as_bytes() != bytes {
            file.set_len(0).and_then(|()| file.write_all(good.as_bytes())).map_err(io)?;
        }
        let file = AnswerFile { path: path.to_owned(), file: Mutex::new(file), release, codes };
        Ok(Kept { known, file: Some(file), damaged })
    }

    /// The queries without an answer.
    pub fn missing(&self) -> Vec<usize> {
        self.known.iter().enumerate().filter(|(_, known)| known.is_none()).map(|(question, _)| question).collect()
    }

    /// How many lines of the file this release did not write.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    /// Checks that the answers belong to this release.
    pub(super) fn check(&self, release: ReleaseId) -> Result<(), KeptError> {
        match &self.file {
            Some(file) if file.release != release => Err(KeptError::OtherRelease { path: file.path.clone() }),
            _ => Ok(()),
        }
    }

    /// Stores an answer, atomically.
    pub(super) fn keep(&self, question: usize, label: u32) -> Result<(), KeptError> {
        let Some(AnswerFile { path, file, codes, .. }) = &self.file else { return Ok(()) };
        let io = |source| KeptError::Io { path: path.clone(), source };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = file.seek(SeekFrom::End(0)).map_err(io)?;
        let written = file.write_all((codes.line(&format!("{question},{label}")) + "\n").as_bytes());
        if written.is_err() {
            // An incomplete line is removed.
            file.set_len(whole).map_err(io)?;
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
    use std::fs;

    use veil_graph::{Dataset, Direction, Dropped, Graph};

    use super::*;
    use crate::coins::Coins;
    use crate::permit::Request;
    use crate::seal::Private;

    fn permit(seed: u64) -> Permit {
        let graph = Graph::from_edges(2, &[(0, 1)], Direction::Undirected).unwrap().graph;
        let data = Private::seal(Dataset::new("tiny", graph, Dropped::default()));
        Request::new(&data, Coins::reproducible(seed), Vec::new()).unwrap().unbooked()
    }

    #[test]
    fn what_was_kept_is_there_again_and_half_a_line_is_not() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("answers.csv");
        let kept = Kept::open(&path, &permit(1), 5, 10).unwrap();
        assert_eq!(kept.missing(), [0, 1, 2, 3, 4]);
        kept.keep(3, 9).unwrap();
        kept.keep(0, 2).unwrap();
        drop(kept);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}4,1")).unwrap();
        let kept = Kept::open(&path, &permit(1), 5, 10).unwrap();
        assert_eq!((kept.missing(), kept.damaged()), (vec![1, 2, 4], 0));
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        kept.keep(4, 7).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 4);
        kept.check(permit(1).release()).unwrap();
        assert!(matches!(kept.check(permit(2).release()), Err(KeptError::OtherRelease { .. })));
        assert_eq!(kept.completed(vec![(1, 1), (2, 2), (4, 7)]), [2, 1, 2, 9, 7]);
        // Answers of one release never become those of another.
        let other = Kept::open(&path, &permit(2), 5, 10).unwrap();
        assert_eq!((other.missing().len(), other.damaged()), (5, 4));
    }

    /// Every byte of a file, changed in every bit: no answer changes, and at most one is lost.
    #[test]
    fn no_changed_answer_is_accepted() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("answers.csv");
        let kept = Kept::open(&path, &permit(1), 5, 10).unwrap();
        (0..5).for_each(|question| kept.keep(question, 7 - question as u32).unwrap());
        drop(kept);
        let whole = fs::read(&path).unwrap();
        for place in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[place] ^= 1 << bit;
                fs::write(&path, &changed).unwrap();
                let kept = Kept::open(&path, &permit(1), 5, 10).unwrap();
                let wrong =
                    |(question, known): (usize, &Option<u32>)| known.is_some_and(|it| it != 7 - question as u32);
                assert!(!kept.known.iter().enumerate().any(wrong), "byte {place}, bit {bit}");
                // A lost line break joins two lines.
                assert!(kept.missing().len() <= 2, "byte {place}, bit {bit}");
                assert!(kept.damaged() > 0 || kept.missing().len() == 1, "byte {place}, bit {bit}");
            }
        }
    }

    /// Lines of other files, and lines that anybody could write.
    #[test]
    fn lines_without_their_code_count_as_none() {
        let home = tempfile::tempdir().unwrap();
        let (path, other) = (home.path().join("answers.csv"), home.path().join("other.csv"));
        Kept::open(&other, &permit(2), 5, 10).unwrap().keep(1, 2).unwrap();
        let foreign = fs::read_to_string(&other).unwrap().lines().last().unwrap().to_owned();
        drop(Kept::open(&path, &permit(1), 5, 10).unwrap());
        let empty = fs::read_to_string(&path).unwrap();
        for bad in ["hello", "1,2", "1,2,", &foreign, "", "\u{fffd}"] {
            fs::write(&path, format!("{empty}{bad}\n")).unwrap();
            let kept = Kept::open(&path, &permit(1), 5, 10).unwrap();
            assert_eq!((kept.missing().len(), kept.damaged()), (5, 1), "{bad:?}");
            assert_eq!(fs::read_to_string(&path).unwrap(), empty, "{bad:?}");
        }
    }
}
