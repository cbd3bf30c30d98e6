//! The digests of the files of a folder.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use veil_graph::bytes::hex;

use super::{IntegrityError, SIGNATURE};

/// `digests.json`: SHA-256 of every file below a folder but itself and its signature, by the path
/// within the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    format: u32,
    files: BTreeMap<String, String>,
}

/// How a folder differs from its digests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// Files with other content.
    pub changed: Vec<String>,
    /// Files that are gone.
    pub missing: Vec<String>,
    /// Files that the digests do not list.
    pub added: Vec<String>,
}

impl Differences {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.missing.is_empty() && self.added.is_empty()
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("changed", &self.changed), ("missing", &self.missing), ("added", &self.added)];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, files)| !files.is_empty())
            .map(|(what, files)| format!("{what} {}", files.join(", ")))
            .collect();
        f.write_str(&parts.join("; "))
    }
}

impl Digests {
    const FILE: &str = "digests.json";
    const FORMAT: u32 = 1;

    /// The digests of a folder as it is.
    ///
    /// # Errors
    /// If a file cannot be read, or an entry is neither a file nor a folder (such as a link).
    pub fn of(folder: &Path) -> Result<Digests, IntegrityError> {
        let mut files = BTreeMap::new();
        collect(folder, "", &mut files)?;
        Ok(Digests { format: Self::FORMAT, files })
    }

    /// Writes the digests of a folder into it. An earlier signature is removed: it signs others.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn write(folder: &Path) -> Result<(), IntegrityError> {
        match fs::remove_file(folder.join(SIGNATURE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(IntegrityError::io(&folder.join(SIGNATURE))(error));
            }
            _ => {}
        }
        let path = folder.join(Self::FILE);
        let digests = Digests::of(folder)?;
        let text = serde_json::to_string_pretty(&digests).map_err(IntegrityError::malformed(&path))?;
        fs::write(&path, text + "\n").map_err(IntegrityError::io(&path))
    }

    /// The bytes of `digests.json`, if a folder has it.
    pub(super) fn bytes(folder: &Path) -> Result<Option<Vec<u8>>, IntegrityError> {
        let path = folder.join(Self::FILE);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(IntegrityError::io(&path)(error)),
        }
    }

    /// The digests that a folder lists, if it has any.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read(folder: &Path) -> Result<Option<Digests>, IntegrityError> {
        let path = folder.join(Self::FILE);
        let Some(bytes) = Self::bytes(folder)? else { return Ok(None) };
        let digests: Digests = serde_json::from_slice(&bytes).map_err(IntegrityError::malformed(&path))?;
        if digests.format != Self::FORMAT {
            let problem = format!("version {} of the format, not {}", digests.format, Self::FORMAT);
            return Err(IntegrityError::Malformed { path, problem });
        }
        Ok(Some(digests))
    }

    /// How a folder differs from these digests.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn compare(&self, folder: &Path) -> Result<Differences, IntegrityError> {
        let found = Digests::of(folder)?.files;
        let mut differences = Differences::default();
        for (file, digest) in &self.files {
            match found.get(file) {
                None => differences.missing.push(file.clone()),
                Some(other) if other != digest => differences.changed.push(file.clone()),
                Some(_) => {}
            }
        }
        differences.added = found.into_keys().filter(|file| !self.files.contains_key(file)).collect();
        Ok(differences)
    }
}

/// Adds the digests of all files below a folder, whose path within the whole is `prefix`.
fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> Result<(), IntegrityError> {
    for entry in fs::read_dir(folder).map_err(IntegrityError::io(folder))? {
        let entry = entry.map_err(IntegrityError::io(folder))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(IntegrityError::io(&path))?;
        let Ok(name) = entry.file_name().into_string() else { return Err(IntegrityError::NotAFile { path }) };
        let name = format!("{prefix}{name}");
        if kind.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else if !kind.is_file() {
            return Err(IntegrityError::NotAFile { path });
        } else if name != Digests::FILE && name != SIGNATURE {
            files.insert(name, digest(&path).map_err(IntegrityError::io(&path))?);
        }
    }
    Ok(())
}

/// The digest of a file, read in pieces.
fn digest(path: &Path) -> io::Result<String> {
    let (mut file, mut hash) = (File::open(path)?, Sha256::new());
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hex(&hash.finalize())),
            length => hash.update(&piece[..length]),
        }
    }
}
