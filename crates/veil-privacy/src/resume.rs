//! The key of a release that takes long, kept until it ends, so that an interrupted one goes on with the same noise.
//!
//! The key lies in a file that only its owner can read. Whoever has it can take the noise out of what was released, so
//! [`destroy`] it when the release is finished. It serves one release alone: the file holds a tag, made with the key, of the data, the
//! promises and all else that decides the answers, and a release that differs in any of them is refused.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use veil_graph::Dataset;
use zeroize::Zeroize;

use crate::coins::Coins;
use crate::guarantee::Guarantee;
use crate::permit::{ReleaseId, Request};
use crate::seal::Private;

/// Why a key cannot be kept or used again.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The release that was interrupted was another one.
    #[error(
        "{}: the release that was interrupted here had other data or parameters; continue it with the same command, or remove its \
         folder (what it cost stays spent)", path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
    },
}

/// What the file holds.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    release: [u8; 16],
    key: [u8; 32],
    seed: Option<u64>,
    tag: [u8; 32],
    booked_before: u64,
}

impl Drop for Stored {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

const FORMAT: u32 = 1;

/// A request that was interrupted, and how many entries of its id its ledger held before it was charged.
#[derive(Debug)]
pub struct Resumed {
    /// The request, with the same coins.
    pub request: Request,
    /// Entries that are not its own: a reproducible release has the id of every other one with its seed.
    pub booked_before: u64,
}

impl Request {
    /// Keeps the key in a file that is there as a whole or not at all, before anything is charged. `about` is all else that
    /// decides the release.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep(&self, path: &Path, about: &str, booked_before: u64) -> Result<(), KeyError> {
        let io = |source| KeyError::Io { path: path.to_owned(), source };
        let stored = Stored {
            format: FORMAT,
            release: self.release.0,
            key: *self.coins.key(),
            seed: self.coins.seed(),
            tag: self.tag(about),
            booked_before,
        };
        let mut text = serde_json::to_string(&stored).map_err(|error| io(io::Error::other(error)))?;
        let draft = path.with_extension("draft");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let written = options.open(&draft).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        text.zeroize();
        written.and_then(|()| fs::rename(&draft, path)).map_err(io)?;
        if let (true, Some(folder)) = (cfg!(unix), path.parent()) {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
        }
        Ok(())
    }

    /// The request whose key lies in a file, if it is about these data and promises, and nothing else was decided otherwise.
    ///
    /// # Errors
    /// If the file cannot be read, or belongs to another release.
    pub fn resume(
        data: &Private<Dataset>,
        guarantees: Vec<Guarantee>,
        path: &Path,
        about: &str,
    ) -> Result<Resumed, KeyError> {
        let mut text = fs::read_to_string(path).map_err(|source| KeyError::Io { path: path.to_owned(), source })?;
        let content = |problem: String| KeyError::Content { path: path.to_owned(), problem };
        let stored = serde_json::from_str::<Stored>(&text);
        text.zeroize();
        let stored = stored.map_err(|error| content(format!("this is no key of a release: {error}")))?;
        if stored.format != FORMAT {
            return Err(content(format!("version {} of the format, not {FORMAT}", stored.format)));
        }
        let coins = Coins::of_key(stored.key, stored.seed);
        let request = Request::with_id(data, coins, guarantees, ReleaseId(stored.release));
        if request.tag(about) != stored.tag {
            return Err(KeyError::Other { path: path.to_owned() });
        }
        Ok(Resumed { request, booked_before: stored.booked_before })
    }

    /// What ties a key to one release: HMAC-SHA-256 of all that decides it.
    fn tag(&self, about: &str) -> [u8; 32] {
        let promises: Vec<String> = self
            .guarantees
            .iter()
            .map(|it| format!("{}\n{}\n{}\n{}", it.mechanism, it.parameters, it.epsilon, it.delta))
            .collect();
        let promises = promises.join("\n");
        let fields: [&[u8]; 4] = [b"veilgraph/resume/1", &self.data.0, promises.as_bytes(), about.as_bytes()];
        let mut message = Vec::new();
        for field in fields {
            message.extend_from_slice(&(field.len() as u64).to_le_bytes());
            message.extend_from_slice(field);
        }
        self.coins.tag(&message)
    }
}

/// Overwrites and removes a key that has served.
///
/// # Errors
/// If it cannot be removed.
pub fn destroy(path: &Path) -> Result<(), KeyError> {
    let io = |source| KeyError::Io { path: path.to_owned(), source };
    let length = fs::metadata(path).map_err(io)?.len() as usize;
    // Not every disk forgets what is overwritten; the key is small, and it does no harm.
    OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|mut file| {
            file.write_all(&vec![b' '; length])?;
            file.sync_all()
        })
        .map_err(io)?;
    fs::remove_file(path).map_err(io)
}
