//! Resuming an interrupted release with the same noise: its key is kept in a file until it ends.
//!
//! Only the owner can read the file. The key reveals the noise of the release, so [`destroy`] it
//! when the release is finished. A key serves one release: the file holds a tag, computed with the
//! key, of the data, the guarantees and everything else that determines the answers. A release that
//! differs in any of these is refused.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use veil_graph::Dataset;
use zeroize::Zeroize;

use crate::coins::Coins;
use crate::guarantee::Guarantee;
use crate::permit::{Permit, ReleaseId, Request, RequestError};
use crate::seal::Private;

/// Why a key cannot be stored or used.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: {problem}", path.display())]
    Content { path: PathBuf, problem: String },
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(
        "{}: the interrupted release had other data or parameters: resume it with the same ones, or remove its folder (its \
         budget stays spent)", path.display()
    )]
    Other { path: PathBuf },
}

impl KeyError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        None
    }
}

/// What the file holds.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    release: [u8; 16],
    key: [u8; 32],
    seed: Option<u64>,
    tag: [u8; 32],
}

impl Drop for Stored {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

const FORMAT: u32 = 2;

/// A request whose key is stored until its release is finished. Only this module constructs it, so
/// a ledger that finds its release id knows that this very release was charged.
#[derive(Debug)]
pub struct Resumable {
    pub(crate) request: Request,
}

impl Resumable {
    /// Stores the key of a new release in a file, atomically, before anything is charged. `about`
    /// is everything else that determines the release.
    ///
    /// # Errors
    /// If the file cannot be written, or there is no randomness.
    pub fn begin(
        data: &Private<Dataset>,
        coins: Coins,
        guarantees: Vec<Guarantee>,
        path: &Path,
        about: &str,
    ) -> Result<Resumable, KeyError> {
        let mut request = Request::new(data, coins, guarantees)?;
        // With a seed, the id covers everything that determines the release: ids are unique.
        if request.coins.is_reproducible() {
            let tag = tag(&request, None, about);
            request.release.0.copy_from_slice(&tag[..16]);
        }
        let stored = Stored {
            format: FORMAT,
            release: request.release.0,
            key: *request.coins.key(),
            seed: request.coins.seed(),
            tag: tag(&request, Some(request.release), about),
        };
        write(path, &stored)?;
        Ok(Resumable { request })
    }

    /// The request whose key is stored in a file, if its data, its guarantees and `about` are the
    /// same.
    ///
    /// # Errors
    /// If the file cannot be read, or belongs to another release.
    pub fn resume(
        data: &Private<Dataset>,
        guarantees: Vec<Guarantee>,
        path: &Path,
        about: &str,
    ) -> Result<Resumable, KeyError> {
        let stored = read(path)?;
        let coins = Coins::of_key(stored.key, stored.seed);
        let request = Request::with_id(data, coins, guarantees, ReleaseId(stored.release))?;
        if tag(&request, Some(request.release), about) != stored.tag {
            return Err(KeyError::Other { path: path.to_owned() });
        }
        Ok(Resumable { request })
    }

    /// As [`Request::unbooked`].
    pub fn unbooked(self) -> Permit {
        self.request.unbooked()
    }
}

fn write(path: &Path, stored: &Stored) -> Result<(), KeyError> {
    let io = |source| KeyError::Io { path: path.to_owned(), source };
    let mut text = serde_json::to_string(stored).map_err(|error| io(io::Error::other(error)))?;
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

fn read(path: &Path) -> Result<Stored, KeyError> {
    let mut text = fs::read_to_string(path).map_err(|source| KeyError::Io { path: path.to_owned(), source })?;
    let content = |problem: String| KeyError::Content { path: path.to_owned(), problem };
    let stored = serde_json::from_str::<Stored>(&text);
    text.zeroize();
    let stored = stored.map_err(|error| content(format!("not the key of a release: {error}")))?;
    if stored.format != FORMAT {
        return Err(content(format!("version {} of the format, not {FORMAT}", stored.format)));
    }
    Ok(stored)
}

/// The tag that binds a key to one release: HMAC-SHA-256 of everything that determines it.
fn tag(request: &Request, id: Option<ReleaseId>, about: &str) -> [u8; 32] {
    let promise = |it: &Guarantee| format!("{}\n{}\n{}\n{}", it.mechanism, it.parameters, it.epsilon, it.delta);
    let promises = request.guarantees.iter().map(promise).collect::<Vec<_>>().join("\n");
    let id: &[u8] = id.as_ref().map_or(&[], |id| &id.0);
    let fields: [&[u8]; 5] = [b"veilgraph/resume/2", id, &request.data.0, promises.as_bytes(), about.as_bytes()];
    let mut message = Vec::new();
    for field in fields {
        message.extend_from_slice(&(field.len() as u64).to_le_bytes());
        message.extend_from_slice(field);
    }
    request.coins.tag(&message)
}

/// The id of the release whose key is stored in a file.
///
/// # Errors
/// If the file cannot be read or holds something else.
pub fn release_of(path: &Path) -> Result<ReleaseId, KeyError> {
    Ok(ReleaseId(read(path)?.release))
}

/// Overwrites and removes the key of a finished release.
///
/// # Errors
/// If it cannot be removed.
pub fn destroy(path: &Path) -> Result<(), KeyError> {
    let io = |source| KeyError::Io { path: path.to_owned(), source };
    let length = fs::metadata(path).map_err(io)?.len() as usize;
    // Overwriting is best effort: not every disk overwrites in place.
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
