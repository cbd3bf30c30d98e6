//! Resuming an interrupted job with the same noise: the keys of its releases are kept in a file
//! until its result is whole.
//!
//! Only the owner can read the file. A key reveals the noise of its release, so [`destroy`] the
//! file when the job is finished. Keys serve one job: the file holds a tag, computed with the first
//! key, of the data, the guarantees and everything else that determines the releases. A job that
//! differs in any of these is refused, and so pays for releases of its own.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use veil_graph::Dataset;
use veil_graph::bytes::fields;
use veil_graph::write::{WriteError, owner};
use zeroize::{Zeroize, Zeroizing};

use crate::budget::Delta;
use crate::coins::Coins;
use crate::guarantee::{Guarantee, Spent, Unit};
use crate::ledger::{Charged, Consent, Ledger, LedgerError};
use crate::permit::{Permit, ReleaseId, Request, RequestError};
use crate::seal::Private;

/// Why keys cannot be stored or used.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: {problem}", path.display())]
    Content { path: PathBuf, problem: String },
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    File(#[from] WriteError),
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
        match self {
            KeyError::File(error) => error.hint(),
            KeyError::Other { path } => {
                let folder = path.parent().unwrap_or(path).display();
                Some(format!("another release is another charge: rm -r {folder} abandons the interrupted one"))
            }
            _ => None,
        }
    }
}

/// What the file holds.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    seed: Option<u64>,
    releases: Vec<StoredKey>,
    tag: [u8; 32],
}

#[derive(Serialize, Deserialize)]
struct StoredKey {
    release: [u8; 16],
    key: [u8; 32],
}

impl Drop for StoredKey {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

const FORMAT: u32 = 3;

/// A release that a job is about to make.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// The data.
    pub data: &'a Private<Dataset>,
    /// The guarantees.
    pub guarantees: Vec<Guarantee>,
    /// Units that the owner declares public; see [`Request::with_public`].
    pub public: Vec<Unit>,
}

/// How a release whose noise comes from a seed is identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeededId {
    /// By its seed.
    Seed,
    /// By its seed and everything that determines it.
    Release,
}

/// Which data a ledger has to be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The data of the first release; the others are about further graphs.
    First,
    /// None of them: all releases are about further graphs.
    None,
}

/// Everything besides data and guarantees that determines the releases of a job.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// Method, parameters, and whatever else the reports depend on.
    pub job: &'a str,
    /// Whether a ledger is charged.
    pub booked: bool,
}

/// The releases of one job, with their coins. Only this module constructs them, so a ledger in
/// which they are booked was charged for these very releases.
#[derive(Debug)]
pub struct Resumable {
    requests: Vec<Request>,
}

impl Resumable {
    /// New releases, each with a key of its own, or all with the key of a seed.
    ///
    /// # Errors
    /// If a request is impossible, or there is no randomness.
    pub fn begin(
        wanted: Vec<Wanted<'_>>,
        seed: Option<u64>,
        id: SeededId,
        about: About<'_>,
    ) -> Result<Resumable, KeyError> {
        let new = |it: Wanted<'_>| -> Result<Request, RequestError> {
            let coins = seed.map_or_else(Coins::from_os, |seed| Ok(Coins::reproducible(seed)))?;
            let mut request = Request::new(it.data, coins, it.guarantees)?.with_public(&it.public);
            if seed.is_some() && id == SeededId::Release {
                request.release = of_release(&request, seed, about);
            }
            Ok(request)
        };
        Ok(Resumable { requests: wanted.into_iter().map(new).collect::<Result<_, _>>()? })
    }

    /// Stores the keys in a file, atomically, before anything is charged.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn store(&self, path: &Path, wanted: About<'_>) -> Result<(), KeyError> {
        let key = |it: &Request| StoredKey { release: it.release.0, key: *it.coins.key() };
        let seed = self.requests.first().and_then(|it| it.coins.seed());
        let tag = tag(&self.requests, wanted);
        let stored = Stored { format: FORMAT, seed, releases: self.requests.iter().map(key).collect(), tag };
        write(path, &stored)
    }

    /// The releases whose keys are stored in a file, if their data, their guarantees and everything
    /// else are the same.
    ///
    /// # Errors
    /// If the file cannot be read, or belongs to another job.
    pub fn resume(wanted: Vec<Wanted<'_>>, path: &Path, about: About<'_>) -> Result<Resumable, KeyError> {
        let stored = read(path)?;
        let other = || KeyError::Other { path: path.to_owned() };
        if stored.releases.len() != wanted.len() {
            return Err(other());
        }
        let again = |(it, stored_key): (Wanted<'_>, &StoredKey)| {
            let coins = Coins::of_key(stored_key.key, stored.seed);
            let request = Request::with_id(it.data, coins, it.guarantees, ReleaseId(stored_key.release))?;
            Ok::<_, RequestError>(request.with_public(&it.public))
        };
        let requests: Vec<Request> = wanted.into_iter().zip(&stored.releases).map(again).collect::<Result<_, _>>()?;
        if tag(&requests, about) != stored.tag { Err(other()) } else { Ok(Resumable { requests }) }
    }

    /// As [`Request::unbooked`].
    pub fn unbooked(self) -> Vec<Permit> {
        self.requests.into_iter().map(Request::unbooked).collect()
    }

    /// Charges all releases together, unless they are booked already: then the job was interrupted
    /// after its charge, and resuming it costs nothing.
    ///
    /// # Errors
    /// As [`Ledger::charge`].
    pub fn charge(self, ledger: &mut Ledger, bound: Bound, accepted: &[Consent]) -> Result<Paid, LedgerError> {
        let Charged { permits, cost } = ledger.charge_once(self.requests, bound == Bound::First, accepted)?;
        Ok(Paid { permits, cost })
    }
}

/// Releases that were paid for.
#[derive(Debug)]
pub struct Paid {
    /// One for each, in their order.
    pub permits: Vec<Permit>,
    /// What the ledger was charged, per unit, now or before an interruption.
    pub cost: Vec<(Unit, Spent, Delta)>,
}

/// The id of a release from a seed: it covers everything that determines the release, so that no
/// other release has it. Whether a ledger is charged does not matter: the same seed gives the same
/// release.
fn of_release(request: &Request, seed: Option<u64>, about: About<'_>) -> ReleaseId {
    let about = format!("{}\nnot booked\n{seed:?}", about.job);
    let promises = promises(request);
    let message = fields(&[b"veilgraph/resume/2", &[], &request.data.0, promises.as_bytes(), about.as_bytes()]);
    let mut id = ReleaseId([0; 16]);
    id.0.copy_from_slice(&request.coins.tag(&message)[..16]);
    id
}

fn promises(request: &Request) -> String {
    let promise = |it: &Guarantee| format!("{}\n{}\n{}\n{}", it.mechanism, it.parameters, it.epsilon, it.delta);
    request.guarantees.iter().map(promise).collect::<Vec<_>>().join("\n")
}

/// The tag that binds keys to one job: HMAC-SHA-256 of everything that determines it.
fn tag(requests: &[Request], about: About<'_>) -> [u8; 32] {
    let Some(first) = requests.first() else { return [0; 32] };
    let seed = format!("{:?}", first.coins.seed());
    let booked: &[u8] = if about.booked { b"booked" } else { b"not booked" };
    let mut message = fields(&[b"veilgraph/resume/3", about.job.as_bytes(), booked, seed.as_bytes()]);
    for request in requests {
        let (promises, key) = (promises(request), request.coins.tag(b"veilgraph/resume/3/key"));
        let (release, data, facts) = (&request.release.0, &request.data.0, &request.facts);
        message.extend(fields(&[release, data, facts, promises.as_bytes(), &key]));
    }
    first.coins.tag(&message)
}

fn write(path: &Path, stored: &Stored) -> Result<(), KeyError> {
    let io = |source| KeyError::Io { path: path.to_owned(), source };
    let text = serde_json::to_string(stored).map_err(|error| io(io::Error::other(error)))?;
    let text = Zeroizing::new(text);
    let draft = path.with_extension("draft");
    // Half a key of a job that was killed here: nothing was charged for it.
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
        _ => {}
    }
    let written = owner::create_file(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&draft, path)).map_err(io)?;
    if let (true, Some(folder)) = (cfg!(unix), path.parent()) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Stored, KeyError> {
    let mut text = Zeroizing::new(String::new());
    let mut file = owner::open(path)?;
    file.read_to_string(&mut text).map_err(|source| KeyError::Io { path: path.to_owned(), source })?;
    let content = |problem: String| KeyError::Content { path: path.to_owned(), problem };
    let stored = serde_json::from_str::<Stored>(&text);
    let stored = stored.map_err(|error| content(format!("not the key of a release: {error}")))?;
    if stored.format != FORMAT {
        return Err(content(format!("version {} of the format, not {FORMAT}", stored.format)));
    }
    Ok(stored)
}

/// The ids of the releases whose keys are stored in a file.
///
/// # Errors
/// If the file cannot be read or holds something else.
pub fn releases_of(path: &Path) -> Result<Vec<ReleaseId>, KeyError> {
    Ok(read(path)?.releases.iter().map(|it| ReleaseId(it.release)).collect())
}

/// Overwrites and removes the keys of a finished job.
///
/// They are renamed first, in one step: whoever is killed here leaves keys that serve a job, or
/// none, and never half of them.
///
/// # Errors
/// If they cannot be removed.
pub fn destroy(path: &Path) -> Result<(), KeyError> {
    let spent = path.with_extension("spent");
    let destroyed = fs::rename(path, &spent).and_then(|()| owner::destroy(&spent));
    destroyed.map_err(|source| KeyError::Io { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
