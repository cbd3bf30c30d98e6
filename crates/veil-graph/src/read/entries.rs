//! The files of a path.

use std::path::{Path, PathBuf};

use super::error::{Place, ReadError};

/// A single file, or the names of the files in a folder, without subfolders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries {
    root: PathBuf,
    names: Vec<String>,
    single: bool,
}

impl Entries {
    /// Lists the files of a path.
    ///
    /// # Errors
    /// If the path cannot be read.
    pub fn of(path: &Path) -> Result<Entries, ReadError> {
        let io = |source| ReadError::io(path, source);
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let root = path.to_owned();
        if !std::fs::metadata(path).map_err(io)?.is_dir() {
            return Ok(Entries { root, names: name(path).into_iter().collect(), single: true });
        }
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).map_err(io)? {
            let path = entry.map_err(io)?.path();
            // Follows links; removed files and broken links are skipped.
            if std::fs::metadata(&path).is_ok_and(|found| found.is_file()) {
                names.extend(name(&path));
            }
        }
        names.sort_unstable();
        Ok(Entries { root, names, single: false })
    }

    /// The path itself: the single file, or the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The names of the files, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the path is a single file.
    pub fn is_single_file(&self) -> bool {
        self.single
    }

    /// Whether there is a file of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.binary_search_by(|found| found.as_str().cmp(name)).is_ok()
    }

    /// The path of a file of this name, which need not exist.
    pub fn path(&self, name: &str) -> PathBuf {
        if self.single { self.root.clone() } else { self.root.join(name) }
    }

    /// Whether there is a table `name.csv` or `name.csv.gz`.
    pub fn has_table(&self, name: &str) -> bool {
        self.has(&format!("{name}.csv")) || self.has(&format!("{name}.csv.gz"))
    }

    /// The path of the table `name.csv` or `name.csv.gz`, if it exists.
    ///
    /// # Errors
    /// If both exist, which is ambiguous.
    pub fn table(&self, name: &str) -> Result<Option<PathBuf>, ReadError> {
        let [plain, packed] = [format!("{name}.csv"), format!("{name}.csv.gz")];
        match (self.has(&plain), self.has(&packed)) {
            (true, true) => {
                let place = Place::file(&self.path(&packed));
                Err(ReadError::Repeated { place, what: format!("table {name}") })
            }
            (true, false) => Ok(Some(self.path(&plain))),
            (false, true) => Ok(Some(self.path(&packed))),
            (false, false) => Ok(None),
        }
    }

    /// A name for the data set: that of the folder (or of its parent, if it is named `raw`), or of
    /// the file without extensions.
    pub fn dataset_name(&self) -> String {
        let raw = self.root.file_name().is_some_and(|name| name == "raw");
        let named = if raw { self.root.parent() } else { Some(self.root.as_path()) };
        // `.` and `..` have no name of their own.
        let named = named.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let absolute = || self.root.canonicalize().ok()?.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = named.or_else(absolute).unwrap_or_else(|| "data".to_owned());
        match (self.single, name.split_once('.')) {
            (true, Some((stem, _))) if !stem.is_empty() => stem.to_owned(),
            _ => name,
        }
    }

    /// A folder with files of these names, for tests of `looks_like`.
    #[cfg(test)]
    pub(super) fn named(names: &[&str]) -> Entries {
        let mut names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        names.sort_unstable();
        Entries { root: PathBuf::new(), names, single: false }
    }

    /// The files that were found, for an error message.
    pub(super) fn described(&self) -> String {
        const SHOWN: usize = 12;
        match (self.single, self.names.len()) {
            (true, _) => "unknown file type".to_owned(),
            (false, 0) => "the folder is empty".to_owned(),
            (false, count) => {
                let shown = self.names[..count.min(SHOWN)].join(", ");
                let more = if count > SHOWN { format!(" and {} more", count - SHOWN) } else { String::new() };
                format!("found {shown}{more}, which is not a known layout")
            }
        }
    }
}
