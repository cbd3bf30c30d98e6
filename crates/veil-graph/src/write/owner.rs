//! Files and folders that nobody but their owner can open, whatever the umask: raw data, keys, and
//! everything that is computed from either.
//!
//! A path in a folder that others can write to may be taken by anyone. So a new file is created
//! exclusively and never through a symbolic link, its mode is set on the open file, and what exists
//! already is used only if it is ours and closed to everybody else.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::WriteError;

/// The mode of a folder of the owner's.
#[cfg(unix)]
const FOLDER: u32 = 0o700;
/// The mode of a file of the owner's.
#[cfg(unix)]
const FILE: u32 = 0o600;

/// Creates a folder for its owner alone.
///
/// # Errors
/// If something is there already, or the system cannot create it.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, FOLDER);
    builder.create(path)?;
    // A umask takes modes away, and an owner who may not enter a folder cannot use it.
    #[cfg(unix)]
    restrict(&open_folder(path)?, FOLDER)?;
    Ok(())
}

/// Makes sure that a folder exists for its owner alone, and says whether it was created now.
///
/// # Errors
/// If something is there that is not a folder, belongs to another user, or can be opened by others.
pub fn ensure_folder(path: &Path) -> Result<bool, WriteError> {
    match create_folder(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => check_folder(path).map(|()| false),
        Err(error) => Err(WriteError::io(path)(error)),
    }
}

/// Closes a folder and everything in it to everybody but its owner.
///
/// # Errors
/// If a mode cannot be changed.
pub fn close(folder: &Path) -> Result<(), WriteError> {
    for entry in fs::read_dir(folder).map_err(WriteError::io(folder))? {
        let path = entry.map_err(WriteError::io(folder))?.path();
        let kind = path.symlink_metadata().map_err(WriteError::io(&path))?;
        if kind.is_dir() {
            close(&path)?;
        } else if kind.is_file() {
            #[cfg(unix)]
            options().read(true).open(&path).and_then(|file| restrict(&file, FILE)).map_err(WriteError::io(&path))?;
        }
    }
    #[cfg(unix)]
    open_folder(folder).and_then(|it| restrict(&it, FOLDER)).map_err(WriteError::io(folder))?;
    Ok(())
}

/// Whether nobody but its owner can open a path, or a file because of its folder: what is made of
/// it is to be closed too.
pub fn is_closed(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let closed = |path: &Path| path.metadata().is_ok_and(|found| found.permissions().mode() & 0o077 == 0);
        let around = path.parent().filter(|parent| path.is_file() && !parent.as_os_str().is_empty());
        closed(path) || around.is_some_and(closed)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Fails unless a path is a folder of ours that is closed to everybody else.
///
/// # Errors
/// If it is not.
pub fn check_folder(path: &Path) -> Result<(), WriteError> {
    let found = path.symlink_metadata().map_err(WriteError::io(path))?;
    let problem = if found.is_dir() { foreign(&found, "another user owns it") } else { Some("it is no folder".into()) };
    problem.map_or(Ok(()), |problem| Err(WriteError::NotOurs { path: path.to_owned(), problem }))
}

/// Creates a file for its owner alone, open for writing.
///
/// # Errors
/// If something is there already, a symbolic link included, or the system cannot create it.
pub fn create_file(path: &Path) -> io::Result<File> {
    let file = options().write(true).create_new(true).open(path)?;
    #[cfg(unix)]
    restrict(&file, FILE)?;
    Ok(file)
}

/// Creates a file for its owner alone with this content, and waits until it is on the disk.
///
/// # Errors
/// If something is there already, or the system cannot write.
pub fn write_new(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    let written = create_file(path).and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()));
    written.map_err(WriteError::io(path))
}

/// As [`write_file`](super::write_file), for the owner alone.
///
/// # Errors
/// If `out` exists, or the system cannot write.
pub fn write_file(out: &Path, content: &[u8]) -> Result<(), WriteError> {
    super::atomic::write_closed_file(out, content)
}

/// As [`replace_file`](super::replace_file), for the owner alone.
///
/// # Errors
/// If the system cannot write; an existing file is then unchanged.
pub fn replace_file(out: &Path, content: &[u8]) -> Result<(), WriteError> {
    super::atomic::replace_closed_file(out, content)
}

/// Opens a file of the owner's to read it and append to it; creates it if it is missing.
///
/// # Errors
/// If it is no file, belongs to another user or can be opened by others.
pub fn open_or_create(path: &Path) -> Result<File, WriteError> {
    match create_file(path) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(WriteError::io(path)(error)),
    }
    let file = options().read(true).append(true).open(path).map_err(WriteError::io(path))?;
    check_file(&file, path)?;
    Ok(file)
}

/// Opens a file of the owner's for reading.
///
/// # Errors
/// If it is missing, no file, belongs to another user or can be opened by others.
pub fn open(path: &Path) -> Result<File, WriteError> {
    let file = options().read(true).open(path).map_err(WriteError::io(path))?;
    check_file(&file, path)?;
    Ok(file)
}

/// Overwrites a file and removes it. Overwriting is best effort: not every disk overwrites in
/// place.
///
/// # Errors
/// If it cannot be overwritten or removed.
pub fn destroy(path: &Path) -> io::Result<()> {
    let mut file = options().write(true).open(path)?;
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(0);
    file.write_all(&vec![b' '; length])?;
    file.sync_all()?;
    fs::remove_file(path)
}

/// Fails unless an open file is a file of ours that is closed to everybody else.
fn check_file(file: &File, path: &Path) -> Result<(), WriteError> {
    let found = file.metadata().map_err(WriteError::io(path))?;
    let problem = if found.is_file() { foreign(&found, "another user owns it") } else { Some("it is no file".into()) };
    problem.map_or(Ok(()), |problem| Err(WriteError::NotOurs { path: path.to_owned(), problem }))
}

/// Options that do not follow a symbolic link at the end of a path.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(FILE).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    }
    options
}

/// Why others may have access, if so.
#[cfg(unix)]
fn foreign(found: &fs::Metadata, not_ours: &str) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let mode = found.mode() & 0o777;
    if found.uid() != rustix::process::geteuid().as_raw() {
        Some(not_ours.to_owned())
    } else {
        (mode & 0o077 != 0).then(|| format!("others can open it (mode {mode:o})"))
    }
}

#[cfg(not(unix))]
fn foreign(_: &fs::Metadata, _: &str) -> Option<String> {
    // Modes and owners are those of the folder around it.
    None
}

#[cfg(unix)]
fn open_folder(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::DIRECTORY;
    OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}

#[cfg(unix)]
fn restrict(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// Whether a path belongs to the user who runs this program.
#[cfg(unix)]
pub(super) fn is_ours(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
pub(super) fn is_ours(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether a file has further names (hard links).
#[cfg(unix)]
pub(super) fn has_other_names(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().is_ok_and(|found| found.nlink() > 1)
}

#[cfg(not(unix))]
pub(super) fn has_other_names(_: &Path) -> bool {
    false
}

/// Takes space on the disk for a file of so many bytes, so that a full disk is noticed now.
///
/// # Errors
/// If there is not enough space.
pub fn reserve(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = create_file(path)?;
    #[cfg(target_os = "linux")]
    match rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, bytes.max(1)) {
        // Some file systems cannot: zeros are written there.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
        other => return Ok(other?),
    }
    let zeros = [0; 1 << 16];
    let mut left = bytes;
    while left > 0 {
        let now = left.min(zeros.len() as u64);
        file.write_all(&zeros[..now as usize])?;
        left -= now;
    }
    file.sync_all()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().permissions().mode() & 0o777
    }

    fn open_to_all(path: &Path) {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn what_is_created_is_closed_to_others() {
        let home = tempfile::tempdir().unwrap();
        let (folder, file) = (home.path().join("folder"), home.path().join("folder/file"));
        assert!(ensure_folder(&folder).unwrap());
        assert!(!ensure_folder(&folder).unwrap());
        write_new(&file, b"secret").unwrap();
        write_file(&home.path().join("scores"), b"0.9").unwrap();
        assert_eq!((mode(&folder), mode(&file), mode(&home.path().join("scores"))), (0o700, 0o600, 0o600));
        assert!(matches!(write_new(&file, b"other"), Err(WriteError::Io { .. })), "nothing is overwritten");
        assert_eq!(fs::read(&file).unwrap(), b"secret");
    }

    #[test]
    fn what_others_made_or_can_open_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let refused = |found: WriteError| assert!(matches!(found, WriteError::NotOurs { .. }), "{found}");
        create_folder(&at("mine")).unwrap();
        symlink(at("mine"), at("link")).unwrap();
        refused(ensure_folder(&at("link")).unwrap_err());
        open_to_all(&at("mine"));
        refused(ensure_folder(&at("mine")).unwrap_err());
        fs::write(at("file"), "").unwrap();
        refused(ensure_folder(&at("file")).unwrap_err());
        open_to_all(&at("file"));
        refused(open_or_create(&at("file")).unwrap_err());
        // A link to a file of ours: not even that is followed.
        write_new(&at("secret"), b"secret").unwrap();
        symlink(at("secret"), at("shown")).unwrap();
        assert!(open(&at("shown")).is_err() && open_or_create(&at("shown")).is_err());
        assert!(create_file(&at("shown")).is_err());
        // Only root can give a folder away.
        if std::os::unix::fs::chown(at("mine"), Some(12345), None).is_ok() {
            fs::set_permissions(at("mine"), fs::Permissions::from_mode(0o700)).unwrap();
            refused(ensure_folder(&at("mine")).unwrap_err());
        }
    }

    #[test]
    fn a_reserve_takes_its_space() {
        use std::os::unix::fs::MetadataExt;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("reserve");
        reserve(&path, 300_000).unwrap();
        assert!(path.metadata().unwrap().blocks() * 512 >= 300_000);
        assert!(reserve(&home.path().join("more"), u64::MAX >> 2).is_err());
    }
}
