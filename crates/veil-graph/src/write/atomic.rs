//! Atomic writes: fill something hidden beside the target, sync it, then rename it.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::WriteError;
use super::unfinished::{Unfinished, remove_left_overs};

/// Creates the folder `out`: `fill` writes into a folder that is hidden and closed to others beside
/// it, which is renamed after everything is on disk.
///
/// Missing parents are created. If `fill` fails or panics, its files and these parents are removed.
///
/// # Errors
/// If `out` is a file or a nonempty folder, `fill` fails, or the system cannot write.
pub fn atomically<T, E: From<WriteError>>(out: &Path, fill: impl FnOnce(&Path) -> Result<T, E>) -> Result<T, E> {
    refuse_if_there(out).inspect_err(|_| tidy(out))?;
    let parents = Parents::make(out)?;
    let hidden = Unfinished::new(&parents.parent).map_err(WriteError::io(&parents.parent))?;
    // With the permissions of an ordinary folder, which it shows once it is in its place.
    let folder = hidden.path().join(CONTENT);
    fs::create_dir(&folder).map_err(WriteError::io(&folder))?;
    let made = fill(&folder)?;
    sync_all(&folder)?;
    hidden.finish(|| fs::rename(&folder, out)).map_err(|error| lost_race(out, error))?;
    drop(hidden);
    parents.keep()?;
    Ok(made)
}

/// The name that a result has in its hidden folder.
const CONTENT: &str = "content";

/// Creates the file `out` with this content, as a whole or not at all, without overwriting.
///
/// # Errors
/// If `out` exists, or the system cannot write.
pub fn write_file(out: &Path, content: &[u8]) -> Result<(), WriteError> {
    write_file_of(out, content, file_builder(ANYBODYS))
}

/// As [`write_file`], for a file that others may read and only its owner may change, whatever the
/// umask.
///
/// # Errors
/// As [`write_file`].
pub fn write_guarded_file(out: &Path, content: &[u8]) -> Result<(), WriteError> {
    write_file_of(out, content, file_builder(GUARDED))
}

/// As [`write_file`], for the owner alone.
pub(super) fn write_closed_file(out: &Path, content: &[u8]) -> Result<(), WriteError> {
    // Temporary files are private to their owner.
    write_file_of(out, content, tempfile::Builder::new())
}

fn write_file_of(out: &Path, content: &[u8], builder: tempfile::Builder<'_, '_>) -> Result<(), WriteError> {
    if out.symlink_metadata().is_ok() {
        return Err(WriteError::Exists { path: out.to_owned() });
    }
    let parents = Parents::make(out)?;
    let (hidden, file) = draft_of(content, &parents.parent, builder)?;
    hidden.finish(|| file.persist_noclobber(out)).map_err(|error| lost_race(out, error.error))?;
    drop(hidden);
    parents.keep()
}

/// Writes the file `out` in an existing folder, durably, atomically replacing any other.
///
/// # Errors
/// If the system cannot write; an existing file is then unchanged.
pub fn replace_file(out: &Path, content: &[u8]) -> Result<(), WriteError> {
    replace_file_of(out, content, file_builder(ANYBODYS))
}

/// As [`replace_file`], for a file of [`write_guarded_file`].
///
/// # Errors
/// As [`replace_file`].
pub fn replace_guarded_file(out: &Path, content: &[u8]) -> Result<(), WriteError> {
    replace_file_of(out, content, file_builder(GUARDED))
}

/// As [`replace_file`], for the owner alone.
pub(super) fn replace_closed_file(out: &Path, content: &[u8]) -> Result<(), WriteError> {
    replace_file_of(out, content, tempfile::Builder::new())
}

fn replace_file_of(out: &Path, content: &[u8], builder: tempfile::Builder<'_, '_>) -> Result<(), WriteError> {
    let folder = parent_of(out)?;
    let (hidden, file) = draft_of(content, &folder, builder)?;
    hidden.finish(|| file.persist(out)).map_err(|error| WriteError::io(out)(error.error))?;
    drop(hidden);
    sync_folder(&folder)
}

/// A file with this content on disk, in a hidden folder.
fn draft_of(
    content: &[u8],
    folder: &Path,
    builder: tempfile::Builder<'_, '_>,
) -> Result<(Unfinished, tempfile::NamedTempFile), WriteError> {
    let hidden = Unfinished::new(folder).map_err(WriteError::io(folder))?;
    let mut file = builder.tempfile_in(hidden.path()).map_err(WriteError::io(hidden.path()))?;
    file.write_all(content).and_then(|()| file.as_file().sync_all()).map_err(WriteError::io(file.path()))?;
    Ok((hidden, file))
}

/// Removes what killed programs left beside an output.
pub fn tidy(out: &Path) {
    parent_of(out).iter().for_each(|parent| remove_left_overs(parent));
}

/// The folder of a path, which must end in a name.
fn parent_of(out: &Path) -> Result<PathBuf, WriteError> {
    if out.file_name().is_none() {
        return Err(WriteError::NoName { path: out.to_owned() });
    }
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok(parent.unwrap_or(Path::new(".")).to_owned())
}

/// Fails if `out` exists, unless it is an empty folder.
///
/// # Errors
/// If `out` is a file or a nonempty folder.
pub fn refuse_if_there(out: &Path) -> Result<(), WriteError> {
    let exists = || Err(WriteError::Exists { path: out.to_owned() });
    match out.symlink_metadata() {
        Ok(found) if !found.is_dir() => exists(),
        Ok(_) => {
            let mut entries = fs::read_dir(out).map_err(WriteError::io(out))?;
            if entries.next().is_some() { exists() } else { Ok(()) }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(WriteError::io(out)(error)),
    }
}

/// Another process may have created `out` meanwhile; it is kept.
fn lost_race(out: &Path, error: std::io::Error) -> WriteError {
    match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty | ErrorKind::NotADirectory => {
            WriteError::Exists { path: out.to_owned() }
        }
        _ => WriteError::io(out)(error),
    }
}

/// The permissions of an ordinary file (less the umask).
const ANYBODYS: u32 = 0o666;

/// Those of a file that only its owner may change (less the umask).
const GUARDED: u32 = 0o644;

/// Temporary files are private to their owner; this one gets other permissions.
fn file_builder(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder
}

/// Files first, then the folders that list them.
fn sync_all(folder: &Path) -> Result<(), WriteError> {
    for entry in fs::read_dir(folder).map_err(WriteError::io(folder))? {
        let entry = entry.map_err(WriteError::io(folder))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(WriteError::io(&path))?;
        if kind.is_dir() {
            sync_all(&path)?;
        } else if kind.is_file() {
            File::open(&path).and_then(|file| file.sync_all()).map_err(WriteError::io(&path))?;
        }
    }
    sync_folder(folder)
}

/// Makes the names in a folder durable.
///
/// # Errors
/// If the system cannot write.
pub fn sync_folder(folder: &Path) -> Result<(), WriteError> {
    // Elsewhere a folder cannot be opened as a file, and its entries need no flushing.
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(WriteError::io(folder))?;
    }
    Ok(())
}

/// The folder of an output, and the parents created for it, which are removed again unless kept.
#[derive(Debug)]
pub struct Parents {
    parent: PathBuf,
    made: Vec<PathBuf>,
}

impl Parents {
    /// Creates the missing parents of an output.
    ///
    /// # Errors
    /// If `out` has no name, or the system cannot create them.
    pub fn make(out: &Path) -> Result<Parents, WriteError> {
        let parent = parent_of(out)?;
        let missing: Vec<PathBuf> = parent
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
            .map(Path::to_owned)
            .collect();
        let mut parents = Parents { parent, made: Vec::new() };
        for folder in missing.into_iter().rev() {
            match fs::create_dir(&folder) {
                Ok(()) => parents.made.push(folder),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(WriteError::io(&folder)(error)),
            }
        }
        Ok(parents)
    }

    /// Makes the names in the parent durable, and its own name and those of all that were created.
    ///
    /// # Errors
    /// If they cannot be written to disk.
    pub fn sync(&self) -> Result<(), WriteError> {
        self.made.iter().try_for_each(|folder| sync_folder(&parent_of(folder)?))?;
        sync_folder(&self.parent)
    }

    /// Keeps the created parents.
    ///
    /// # Errors
    /// If they cannot be written to disk.
    pub fn keep(mut self) -> Result<(), WriteError> {
        let synced = self.sync();
        self.made.clear();
        synced
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            // Only if empty: another process may use it by now.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn hello(folder: &Path) -> Result<(), WriteError> {
        fs::write(folder.join("hello"), "world").map_err(WriteError::io(folder))
    }

    #[test]
    fn a_folder_is_created_with_its_parents_and_content() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("a/b/c");
        atomically(&out, |folder| {
            assert!(!out.exists());
            hello(folder)
        })
        .unwrap();
        assert_eq!(fs::read_to_string(out.join("hello")).unwrap(), "world");
        assert_eq!(entries(out.parent().unwrap()), ["c"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_folder_has_the_permissions_of_mkdir() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        atomically(&home.path().join("out"), hello).unwrap();
        fs::create_dir(home.path().join("plain")).unwrap();
        assert_eq!(mode(&home.path().join("out")), mode(&home.path().join("plain")));
    }

    #[test]
    fn a_failure_or_a_panic_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("a/b/c");
        let failed: Result<(), WriteError> = atomically(&out, |folder| {
            hello(folder)?;
            Err(WriteError::io(folder)(std::io::Error::other("disk on fire")))
        });
        assert!(matches!(failed, Err(WriteError::Io { .. })));
        assert_eq!(entries(home.path()), [""; 0]);

        let panicked =
            std::panic::catch_unwind(|| atomically(&out, |folder| hello(folder).map(|()| panic!("on purpose"))));
        assert!(panicked.is_err());
        assert_eq!(entries(home.path()), [""; 0]);
    }

    #[test]
    fn nothing_is_overwritten_but_an_empty_folder_is_filled() {
        let home = tempfile::tempdir().unwrap();
        let (full, file, empty) = (home.path().join("full"), home.path().join("file"), home.path().join("empty"));
        fs::create_dir_all(full.join("inner")).unwrap();
        fs::write(&file, "mine").unwrap();
        fs::create_dir(&empty).unwrap();
        for out in [&full, &file] {
            assert!(matches!(atomically(out, hello), Err(WriteError::Exists { path }) if path == *out));
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
        atomically(&empty, hello).unwrap();
        assert_eq!(entries(&empty), ["hello"]);
        assert_eq!(entries(home.path()), ["empty", "file", "full"]);
    }

    #[test]
    fn a_folder_created_meanwhile_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        let result = atomically(&out, |folder| {
            fs::create_dir(&out).unwrap();
            fs::write(out.join("theirs"), "").unwrap();
            hello(folder)
        });
        assert!(matches!(result, Err(WriteError::Exists { .. })));
        assert_eq!((entries(home.path()), entries(&out)), (vec!["out".into()], vec!["theirs".into()]));
    }

    #[test]
    fn a_file_is_created_with_its_parents_and_never_overwritten() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("a/plot.svg");
        write_file(&out, b"first").unwrap();
        fs::create_dir(home.path().join("folder")).unwrap();
        for there in [&out, &home.path().join("folder")] {
            assert!(matches!(write_file(there, b"second"), Err(WriteError::Exists { .. })));
        }
        assert_eq!(fs::read(&out).unwrap(), b"first");
        assert_eq!(
            (entries(home.path()), entries(&home.path().join("a"))),
            (vec!["a".to_owned(), "folder".to_owned()], vec!["plot.svg".to_owned()])
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::write(home.path().join("plain"), "").unwrap();
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
            assert_eq!(mode(&out), mode(&home.path().join("plain")));
        }
    }

    #[test]
    fn a_file_is_replaced_atomically() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("model");
        fs::write(&path, "before").unwrap();
        replace_file(&path, b"after").unwrap();
        assert_eq!((fs::read(&path).unwrap(), entries(home.path())), (b"after".to_vec(), vec!["model".to_owned()]));
        assert!(matches!(replace_file(&home.path().join("missing/model"), b""), Err(WriteError::Io { .. })));
        assert!(matches!(replace_file(&home.path().join(".."), b""), Err(WriteError::NoName { .. })));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::write(home.path().join("plain"), "").unwrap();
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
            assert_eq!(mode(&path), mode(&home.path().join("plain")));
        }
    }

    #[test]
    fn a_path_needs_a_name() {
        let home = tempfile::tempdir().unwrap();
        assert!(matches!(atomically(&home.path().join(".."), hello), Err(WriteError::Exists { .. })));
        assert!(matches!(atomically(&home.path().join("missing/.."), hello), Err(WriteError::NoName { .. })));
    }
}
