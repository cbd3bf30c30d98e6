//! The shim that records what the command does to files, and its record.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::disk::Op;
use crate::world::World;

/// A compiled shim, and where it writes.
pub struct Shim {
    library: PathBuf,
    log: PathBuf,
    root: PathBuf,
    _folder: tempfile::TempDir,
}

impl Shim {
    /// Compiles the shim for the files of a world; `None`, with the reason, where that is
    /// impossible.
    pub fn new(home: &World) -> Option<Shim> {
        let folder = tempfile::tempdir().unwrap();
        let (source, library) = (folder.path().join("shim.c"), folder.path().join("shim.so"));
        std::fs::write(&source, include_str!("shim.c")).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-pthread", "-o"]).args([&library, &source]);
        let reason = match compiler.output() {
            Err(error) => format!("cc: {error}"),
            Ok(done) if !done.status.success() => String::from_utf8_lossy(&done.stderr).into_owned(),
            Ok(_) => {
                let (log, root) = (folder.path().join("log"), home.path(".").canonicalize().unwrap());
                return Some(Shim { library, log, root, _folder: folder });
            }
        };
        // Past the test harness, so that continuous integration can count.
        let _ = writeln!(std::io::stderr(), "no C compiler: power cuts skipped ({})", reason.trim());
        None
    }

    /// The folder whose files are recorded.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The command with the shim.
    pub fn veil(&self, home: &World, words: &str) -> Command {
        let mut command = home.command();
        command.args(words.split_whitespace()).env("LD_PRELOAD", &self.library);
        command.env("VEIL_SHIM_ROOT", &self.root).env("VEIL_SHIM_LOG", &self.log);
        command
    }

    /// What was recorded so far; the next record begins anew.
    pub fn record(&self) -> Vec<Op> {
        let bytes = std::fs::read(&self.log).unwrap();
        std::fs::remove_file(&self.log).unwrap();
        let mut rest = bytes.as_slice();
        let mut ops = Vec::new();
        while !rest.is_empty() {
            let end = rest.iter().position(|&byte| byte == b'\n').unwrap();
            let line = String::from_utf8(rest[..end].to_vec()).unwrap();
            rest = &rest[end + 1..];
            let (kind, what) = line.split_once(' ').unwrap();
            let numbers = || what.split(' ').map(|number| number.parse::<u64>().unwrap()).collect::<Vec<_>>();
            let named = || {
                let (inode, path) = what.split_once(' ').unwrap();
                (inode.parse().unwrap(), PathBuf::from(path))
            };
            let two = || {
                let (from, to) = what.split_once('\t').unwrap();
                (PathBuf::from(from), PathBuf::from(to))
            };
            ops.push(match kind {
                "C" => Op::Create(named().0, named().1),
                "M" => Op::Folder(named().0, named().1),
                "S" => Op::Sync(numbers()[0]),
                "T" => Op::Resize(numbers()[0], numbers()[1] as usize),
                "W" => {
                    let (bytes, after) = rest.split_at(numbers()[2] as usize);
                    rest = after;
                    Op::Write(numbers()[0], numbers()[1] as usize, bytes.to_vec())
                }
                "U" => Op::Remove(what.into()),
                "R" => Op::Rename(two().0, two().1),
                "L" => Op::Link(two().0, two().1),
                other => panic!("{other}"),
            });
        }
        ops
    }
}
