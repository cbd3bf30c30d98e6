//! Unpacks a downloaded archive, as a whole or not at all.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::write::{WriteError, atomically};

/// Unpacks a zip into the new folder `out`, at most `limit` bytes in total.
pub(super) fn unpack(archive: &Path, out: &Path, limit: u64) -> Result<(), WriteError> {
    let file = File::open(archive).map_err(WriteError::io(archive))?;
    let mut zip = zip::ZipArchive::new(file).map_err(WriteError::content(archive))?;
    atomically(out, |folder| {
        let mut left = limit;
        for index in 0..zip.len() {
            let mut member = zip.by_index(index).map_err(WriteError::content(archive))?;
            if member.is_dir() {
                continue;
            }
            let refuse = |problem: &str| Err(WriteError::content(archive)(format!("{:?} {problem}", member.name())));
            let Some(name) = member.enclosed_name() else {
                return refuse("would be written outside the folder");
            };
            if member.is_symlink() {
                return refuse("is a link");
            }
            let path = folder.join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(WriteError::io(parent))?;
            }
            let mut file = File::create_new(&path).map_err(WriteError::io(&path))?;
            // Declared sizes are not trusted, so the actual bytes are counted; one byte more
            // reveals an excess.
            let copied =
                std::io::copy(&mut member.by_ref().take(left + 1), &mut file).map_err(WriteError::io(archive))?;
            left = match left.checked_sub(copied) {
                Some(left) => left,
                None => return Err(WriteError::content(archive)(format!("expands to more than {limit} bytes"))),
            };
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn zip(path: &Path, members: &[(&str, &[u8])]) {
        let mut zip = zip::ZipWriter::new(File::create(path).unwrap());
        for (name, content) in members {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(content).unwrap();
        }
        zip.finish().unwrap();
    }

    #[test]
    fn members_keep_their_folders() {
        let home = tempfile::tempdir().unwrap();
        let (archive, out) = (home.path().join("a.zip"), home.path().join("out"));
        zip(&archive, &[("arxiv/raw/edge.csv", b"0,1\n"), ("arxiv/split/train.csv", b"0\n")]);
        unpack(&archive, &out, 100).unwrap();
        assert_eq!(fs::read_to_string(out.join("arxiv/raw/edge.csv")).unwrap(), "0,1\n");
    }

    #[test]
    fn bombs_path_traversal_and_garbage_leave_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let (archive, out) = (home.path().join("a.zip"), home.path().join("inner/out"));
        zip(&archive, &[("zeros", &[0; 1 << 20])]);
        assert!(unpack(&archive, &out, 1 << 19).unwrap_err().to_string().contains("more than 524288 bytes"));
        zip(&archive, &[("../../climber", b"x")]);
        assert!(unpack(&archive, &out, 100).unwrap_err().to_string().contains("outside"));
        fs::write(&archive, "rubbish").unwrap();
        assert!(unpack(&archive, &out, 100).is_err());
        assert!(!home.path().join("inner").exists() && !home.path().join("climber").exists());
    }
}
