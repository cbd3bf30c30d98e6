//! Downloads a file: resumes after a broken connection, verifies, then renames to the target.
//!
//! A partial download is kept in a hidden `.part` beside the target. It is resumed only if the
//! result is known to be a single file: by a known sum, or by the server's entity tag (RFC 9110,
//! `If-Range`).

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::error::FetchError;
use crate::bytes::hex;

/// How often a broken connection is resumed.
const ATTEMPTS: u32 = 4;

/// The size limit: no named data set has a larger file.
const LIMIT: u64 = 8 << 30;

/// Downloads `url` to `target`, which must not exist; `progress` receives the bytes so far and the
/// total if known.
pub(super) fn download(
    url: &str,
    target: &Path,
    sha256: Option<&str>,
    progress: &mut dyn FnMut(u64, Option<u64>),
) -> Result<(), FetchError> {
    let part = Part::beside(target);
    let agent = agent(url);
    let mut attempt = 1;
    loop {
        match continue_part(&agent, url, &part, sha256.is_some(), progress) {
            Err(FetchError::Cut { .. }) if attempt < ATTEMPTS => {
                std::thread::sleep(Duration::from_millis(100) * attempt);
                attempt += 1;
            }
            result => break result?,
        }
    }
    if let Some(expected) = sha256 {
        let found = sum(&part.path)?;
        if found != expected {
            part.remove()?;
            return Err(FetchError::WrongSum { url: url.to_owned(), expected: expected.to_owned(), found });
        }
    }
    File::open(&part.path).and_then(|file| file.sync_all()).map_err(FetchError::io(&part.path))?;
    fs::rename(&part.path, target).map_err(FetchError::io(target))?;
    part.remove()
}

/// SHA-256 of a file, in hexadecimal.
pub(super) fn sum(path: &Path) -> Result<String, FetchError> {
    let mut file = File::open(path).map_err(FetchError::io(path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(FetchError::io(path))? {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    Ok(hex(&hash.finalize()))
}

/// Tolerates slow servers, but not silent ones. Uses proxies from the environment, except for the
/// local machine.
fn agent(url: &str) -> ureq::Agent {
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"].iter().any(|local| url.starts_with(local));
    let mut config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .user_agent(concat!("veilgraph/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .timeout_per_read(Some(Duration::from_secs(60)));
    if local {
        config = config.proxy(None);
    }
    config.build().new_agent()
}

/// A partial download, and the entity tag of its file.
struct Part {
    path: PathBuf,
    tag: PathBuf,
}

impl Part {
    fn beside(target: &Path) -> Part {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        Part {
            path: target.with_file_name(format!(".{name}.part")),
            tag: target.with_file_name(format!(".{name}.part.tag")),
        }
    }

    fn length(&self) -> u64 {
        self.path.metadata().map_or(0, |found| found.len())
    }

    fn tag(&self) -> Option<String> {
        fs::read_to_string(&self.tag).ok()
    }

    fn remove(&self) -> Result<(), FetchError> {
        for path in [&self.path, &self.tag] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(FetchError::io(path)(error)),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Requests the missing bytes and appends them; `Cut` if the connection broke or the download must
/// restart.
fn continue_part(
    agent: &ureq::Agent,
    url: &str,
    part: &Part,
    sum_known: bool,
    progress: &mut dyn FnMut(u64, Option<u64>),
) -> Result<(), FetchError> {
    let tag = part.tag();
    if !sum_known && tag.is_none() {
        part.remove()?;
    }
    let have = part.length();
    let mut request = agent.get(url);
    if have > 0 {
        request = request.header("Range", format!("bytes={have}-"));
        if let Some(tag) = &tag {
            request = request.header("If-Range", tag);
        }
    }
    let response =
        request.call().map_err(|error| FetchError::Unreachable { url: url.to_owned(), problem: error.to_string() })?;

    let cut = |received: u64, problem: String| FetchError::Cut { url: url.to_owned(), received, problem };
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    let length = header("content-length").and_then(|length| length.parse::<u64>().ok());
    let start = match response.status().as_u16() {
        200 => 0,
        206 if have > 0 && header("content-range").and_then(first_byte) == Some(have) => have,
        // The part is longer than the file, or the response continues another one: the part is
        // useless.
        206 | 416 if have > 0 => {
            part.remove()?;
            return Err(cut(0, format!("the server does not continue at byte {have}")));
        }
        206 => {
            let problem = "the server sent a part of the file without a range request".to_owned();
            return Err(FetchError::BadAnswer { url: url.to_owned(), problem });
        }
        status => return Err(FetchError::Status { url: url.to_owned(), status }),
    };
    let total = length.map(|length| start.saturating_add(length));
    let too_large = || FetchError::TooLarge { url: url.to_owned(), limit: LIMIT };
    if total.is_some_and(|total| total > LIMIT) {
        part.remove()?;
        return Err(too_large());
    }
    if start == 0 {
        part.remove()?;
        // A weak tag (W/"…") promises equivalent content, not equal bytes.
        if let Some(tag) = header("etag").filter(|tag| tag.starts_with('"')) {
            fs::write(&part.tag, tag).map_err(FetchError::io(&part.tag))?;
        }
    }

    let mut file = OpenOptions::new().create(true).append(true).open(&part.path).map_err(FetchError::io(&part.path))?;
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; 1 << 16];
    let mut received = start;
    progress(received, total);
    loop {
        match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                file.write_all(&buffer[..read]).map_err(FetchError::io(&part.path))?;
                received += read as u64;
                if received > LIMIT {
                    part.remove()?;
                    return Err(too_large());
                }
                progress(received, total);
            }
            Err(error) => return Err(cut(received, error.to_string())),
        }
    }
    match total {
        Some(total) if received < total => Err(cut(received, format!("{total} were announced"))),
        Some(total) if received > total => {
            part.remove()?;
            Err(FetchError::WrongSize { url: url.to_owned(), expected: total, found: received })
        }
        _ => Ok(()),
    }
}

/// The first byte of `bytes 100-199/200`.
fn first_byte(content_range: &str) -> Option<u64> {
    content_range.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}
