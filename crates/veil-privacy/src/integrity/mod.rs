//! Digests and signatures of folders that are handed over.
//!
//! Every release folder lists the SHA-256 digests of its files ([`Digests`], `digests.json`): a
//! reader notices accidental change. Anyone who edits a folder can write new digests, so an owner
//! may sign them with an Ed25519 key ([`SigningKey`], `signature.json`): a signed folder that was
//! edited is refused. [`check`] does both, and says which of them a folder has.

mod digests;
mod keys;
#[cfg(test)]
mod tests;

pub use digests::{Differences, Digests};
pub use keys::{PublicKey, SigningKey};

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use veil_graph::bytes::{from_hex, hex};

/// Why the integrity of a folder cannot be established.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum IntegrityError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is neither a file nor a folder", path.display())]
    NotAFile { path: PathBuf },
    #[error("{}: {problem}", path.display())]
    Malformed { path: PathBuf, problem: String },
    #[error("{} changed after it was written: {differences}", folder.display())]
    Changed { folder: PathBuf, differences: Differences },
    #[error("{} was edited after it was signed: its signature does not fit its digests", folder.display())]
    Forged { folder: PathBuf },
    #[error("{} is signed by the key {found}, not by {expected}", folder.display())]
    OtherKey { folder: PathBuf, found: PublicKey, expected: PublicKey },
    #[error("{} is not signed", folder.display())]
    NotSigned { folder: PathBuf },
    #[error("{} has no digests", folder.display())]
    NoDigests { folder: PathBuf },
    #[error("the operating system's random source failed: {source}")]
    NoRandomness { source: getrandom::Error },
}

impl IntegrityError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            IntegrityError::Changed { .. } | IntegrityError::Forged { .. } => {
                "get the folder from its owner again; nothing in it can be relied on"
            }
            IntegrityError::NoDigests { .. } => {
                "releases and published folders have digests; a run folder is for its owner and has none"
            }
            IntegrityError::OtherKey { .. } => "ask the owner which key is theirs",
            IntegrityError::NotSigned { .. } => "ask the owner for a signed folder",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    fn io(path: &Path) -> impl FnOnce(io::Error) -> IntegrityError {
        move |source| IntegrityError::Io { path: path.to_owned(), source }
    }

    fn malformed(path: &Path) -> impl FnOnce(serde_json::Error) -> IntegrityError {
        move |error| IntegrityError::Malformed { path: path.to_owned(), problem: error.to_string() }
    }
}

/// What protects a folder against change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integrity {
    /// Nothing: it has no digests.
    None,
    /// Digests: only accidental change would be noticed.
    Digests,
    /// A signature by this key.
    Signed(PublicKey),
}

impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Integrity::None => f.write_str("no digests: no change would be noticed"),
            Integrity::Digests => f.write_str("not signed: only accidental change would be noticed"),
            Integrity::Signed(key) => write!(f, "signed by the key {key}"),
        }
    }
}

/// `signature.json`.
#[derive(Serialize, Deserialize)]
struct Signature {
    format: u32,
    algorithm: String,
    public_key: String,
    signature: String,
}

const SIGNATURE: &str = "signature.json";

/// What is signed begins with this, so that a signature means nothing elsewhere.
const PURPOSE: &[u8] = b"veilgraph/folder/v1\0";

/// Signs the digests of a folder.
///
/// # Errors
/// If the folder has no digests, or the signature cannot be written.
pub fn sign(folder: &Path, key: &SigningKey) -> Result<(), IntegrityError> {
    let digests = Digests::bytes(folder)?.ok_or_else(|| IntegrityError::NoDigests { folder: folder.to_owned() })?;
    let signature = Signature {
        format: 1,
        algorithm: "ed25519".to_owned(),
        public_key: key.public().to_string(),
        signature: hex(&key.sign(&[PURPOSE, &digests].concat())),
    };
    let path = folder.join(SIGNATURE);
    let text = serde_json::to_string_pretty(&signature).map_err(IntegrityError::malformed(&path))?;
    std::fs::write(&path, text + "\n").map_err(IntegrityError::io(&path))
}

/// Compares a folder with its digests, and these with their signature, if it has them. Files that
/// the digests do not list count as a change of a signed folder only.
///
/// # Errors
/// If something changed, or cannot be read.
pub fn check(folder: &Path) -> Result<Integrity, IntegrityError> {
    let signed = signer(folder)?;
    let Some(digests) = Digests::read(folder)? else {
        // A signature whose digests are gone signs nothing.
        return if signed.is_some() { Err(forged(folder)) } else { Ok(Integrity::None) };
    };
    let mut differences = digests.compare(folder)?;
    if signed.is_none() {
        differences.added.clear();
    }
    if !differences.is_empty() {
        return Err(IntegrityError::Changed { folder: folder.to_owned(), differences });
    }
    Ok(signed.map_or(Integrity::Digests, Integrity::Signed))
}

/// As [`check`], for a reader who knows the owner's key.
///
/// # Errors
/// Also if the folder is not signed by this key.
pub fn check_signed(folder: &Path, expected: &PublicKey) -> Result<Integrity, IntegrityError> {
    match check(folder)? {
        Integrity::Signed(found) if found == *expected => Ok(Integrity::Signed(found)),
        Integrity::Signed(found) => {
            Err(IntegrityError::OtherKey { folder: folder.to_owned(), found, expected: *expected })
        }
        _ => Err(IntegrityError::NotSigned { folder: folder.to_owned() }),
    }
}

/// The key whose signature fits the digests; `None` without a signature.
fn signer(folder: &Path) -> Result<Option<PublicKey>, IntegrityError> {
    let path = folder.join(SIGNATURE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(IntegrityError::io(&path)(error)),
    };
    let Signature { format, algorithm, public_key, signature } =
        serde_json::from_str(&text).map_err(IntegrityError::malformed(&path))?;
    let malformed = |problem: &str| IntegrityError::Malformed { path: path.clone(), problem: problem.to_owned() };
    if format != 1 || algorithm != "ed25519" {
        return Err(malformed("unknown kind of signature"));
    }
    let key: PublicKey = public_key.parse().map_err(malformed)?;
    let signature = from_hex(&signature).ok_or_else(|| malformed("the signature is not 128 hexadecimal digits"))?;
    let digests = Digests::bytes(folder)?.ok_or_else(|| forged(folder))?;
    if key.verifies(&[PURPOSE, &digests].concat(), &signature) { Ok(Some(key)) } else { Err(forged(folder)) }
}

fn forged(folder: &Path) -> IntegrityError {
    IntegrityError::Forged { folder: folder.to_owned() }
}
