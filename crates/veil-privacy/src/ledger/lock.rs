//! Waiting for another process that holds the ledger, visibly and not for ever.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::LedgerError;
use super::error::Trouble;

/// How long SQLite itself waits before we look again.
const PAUSE: Duration = Duration::from_millis(500);
/// How often somebody who waits is told.
const INTERVAL: Duration = Duration::from_secs(5);

/// How to wait for a ledger.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub limit: Duration,
    pub notice: Option<Notice>,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { limit: Duration::from_secs(30), notice: None }
    }
}

/// Is told now and then while a ledger is locked.
pub type Notice = fn(&Waiting<'_>);

/// A ledger that another process holds.
#[derive(Clone, Debug)]
pub struct Waiting<'a> {
    /// The ledger.
    pub path: &'a Path,
    /// How long that process has held it at least: since it was first seen to.
    pub held: Duration,
    /// Who holds it.
    pub holder: Holder,
}

impl fmt::Display for Waiting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Waiting { path, held, holder } = self;
        write!(f, "waiting for {}, locked for at least {} s by {holder}", path.display(), held.as_secs())
    }
}

/// The process that holds a ledger, as far as the system tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its id and its command.
    pub process: Option<(u32, String)>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.process {
            Some((id, command)) => write!(f, "process {id} ({command})"),
            None => f.write_str("another process"),
        }
    }
}

/// Tries until the ledger is free, and says who holds it.
pub(super) fn patiently<T>(
    (path, connection): (&Path, &Connection),
    patience: Patience,
    attempt: impl Fn() -> Result<T, Trouble>,
) -> Result<T, LedgerError> {
    let sqlite = |source| Trouble::at(path)(Trouble::Sqlite(source));
    let begun = Instant::now();
    let mut told = None;
    let mut seen: Option<(Holder, Instant)> = None;
    loop {
        let tried_at = Instant::now();
        connection.busy_timeout(PAUSE.min(patience.limit)).map_err(sqlite)?;
        let tried = attempt();
        // A commit waits for readers, who take no time.
        connection.busy_timeout(patience.limit).map_err(sqlite)?;
        match tried {
            Err(Trouble::Sqlite(error)) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
            other => return other.map_err(Trouble::at(path)),
        }
        let now = holder(path);
        let (holder, since) = seen.take().filter(|(before, _)| *before == now).unwrap_or((now, tried_at));
        let (waited, held) = (begun.elapsed(), since.elapsed());
        if waited >= patience.limit {
            return Err(LedgerError::Locked { path: path.to_owned(), waited, held, holder });
        }
        if let Some(notice) = patience.notice
            && told.is_none_or(|told: Instant| told.elapsed() >= INTERVAL)
        {
            notice(&Waiting { path, held, holder: holder.clone() });
            told = Some(Instant::now());
        }
        seen = Some((holder, since));
    }
}

/// The byte of a file that SQLite locks before it writes ("reserved").
const RESERVED: &str = "1073741825";

/// Who holds the lock of a writer. Linux lists locks by inode, one per line:
/// `1: POSIX ADVISORY WRITE 4711 08:01:1234 1073741825 1073741825`.
#[cfg(target_os = "linux")]
fn holder(path: &Path) -> Holder {
    use std::os::unix::fs::MetadataExt;
    let process = || {
        let inode = fs::metadata(path).ok()?.ino().to_string();
        let locks = fs::read_to_string("/proc/locks").ok()?;
        let id = locks.lines().find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [_, "POSIX", _, "WRITE", id, file, first, ..] = words[..] else { return None };
            (first == RESERVED && file.rsplit(':').next() == Some(&*inode)).then(|| id.parse().ok()).flatten()
        })?;
        let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace(char::is_control, " ");
        Some((id, command.trim().chars().take(200).collect()))
    };
    Holder { process: process() }
}

#[cfg(not(target_os = "linux"))]
fn holder(_path: &Path) -> Holder {
    let _ = RESERVED;
    Holder { process: None }
}
