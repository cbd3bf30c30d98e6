//! Good, bad and missing servers, always on this machine.

use sha2::{Digest, Sha256};

use super::*;
use crate::catalogue::entry::{Finish, Source};
use crate::catalogue::expected::Expected;
use crate::catalogue::server::{Reply, Server};

/// A file with distinguishable content at every position.
fn file() -> Vec<u8> {
    (0..200_000u32).flat_map(|number| number.to_le_bytes()).collect()
}

fn sum_of(content: &[u8]) -> String {
    crate::bytes::hex(&Sha256::digest(content))
}

/// An entry with one file. Entries are static, as those of the table.
fn entry(sha256: Option<String>) -> Entry {
    let sha256 = sha256.map(|sum| &*sum.leak());
    let source = Source { path: "data/file.bin", file: "file.bin", sha256, archive: false };
    Entry {
        name: "tiny",
        about: "",
        home: "",
        licence: "",
        base: "https://example.invalid/",
        sources: vec![source].leak(),
        inside: "",
        finish: Finish::AsRead,
        expected: Expected { nodes: 0, edges: 0, features: 0, classes: 0, verified: false },
    }
}

struct World {
    cache: tempfile::TempDir,
    entry: Entry,
}

impl World {
    fn new(sha256: Option<String>) -> World {
        World { cache: tempfile::tempdir().unwrap(), entry: entry(sha256) }
    }

    fn fetch(&self, server: &Server) -> Result<PathBuf, FetchError> {
        fetch_from(&server.base, &self.entry, self.cache.path(), &mut |_| {})
    }

    fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder_of(&self.entry, self.cache.path()))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn content(&self) -> Vec<u8> {
        fs::read(folder_of(&self.entry, self.cache.path()).join("file.bin")).unwrap()
    }
}

/// The first connection delivers half of the file; then `Range` is honoured, or not.
fn cutting_server(honours_range: bool, header: &'static str) -> Server {
    Server::start(move |before, request| match (before, request.from) {
        (0, _) => Reply::whole(&file()).with(header).cut_after(400_000),
        (_, Some(from)) if honours_range => Reply::from(&file(), from).with(header),
        _ => Reply::whole(&file()).with(header),
    })
}

#[test]
fn a_file_is_downloaded_once_with_progress() {
    let world = World::new(Some(sum_of(&file())));
    let server = Server::start(|_, _| Reply::whole(&file()));
    let mut reports = Vec::new();
    let mut progress = |progress: FetchProgress<'_>| reports.push((progress.received, progress.total, progress.files));
    let folder = fetch_from(&server.base, &world.entry, world.cache.path(), &mut progress).unwrap();
    assert_eq!(folder, world.cache.path().join("veilgraph/tiny/raw"));
    assert_eq!((world.content(), world.files()), (file(), vec!["file.bin".to_owned()]));
    assert_eq!((reports.first(), reports.last()), (Some(&(0, Some(800_000), 1)), Some(&(800_000, Some(800_000), 1))));
    world.fetch(&server).unwrap();
    assert_eq!(server.requests().len(), 1);
    assert_eq!(server.requests()[0].path, "/data/file.bin");
}

#[test]
fn a_wrong_sum_is_reported_and_leaves_nothing() {
    let world = World::new(Some(sum_of(b"something else")));
    let server = Server::start(|_, _| Reply::whole(&file()));
    let error = world.fetch(&server).unwrap_err().to_string();
    assert!(error.contains(&sum_of(b"something else")) && error.contains(&sum_of(&file())), "{error}");
    assert_eq!(world.files(), [""; 0]);
}

#[test]
fn a_damaged_cached_file_is_fetched_again() {
    let world = World::new(Some(sum_of(&file())));
    let server = Server::start(|_, _| Reply::whole(&file()));
    let target = world.fetch(&server).unwrap().join("file.bin");
    fs::write(&target, "rot").unwrap();
    world.fetch(&server).unwrap();
    assert_eq!(world.content(), file());
}

#[test]
fn a_broken_connection_is_resumed() {
    let world = World::new(Some(sum_of(&file())));
    let server = cutting_server(true, "X-None: 0");
    world.fetch(&server).unwrap();
    assert_eq!(world.content(), file());
    let from: Vec<_> = server.requests().iter().map(|request| request.from).collect();
    assert_eq!(from, [None, Some(400_000)]);
}

#[test]
fn a_server_that_ignores_ranges_restarts_the_download() {
    let world = World::new(Some(sum_of(&file())));
    let server = cutting_server(false, "X-None: 0");
    world.fetch(&server).unwrap();
    assert_eq!(world.content(), file());
    assert_eq!(server.requests()[1].from, Some(400_000));
}

#[test]
fn without_a_sum_a_download_is_resumed_only_under_the_same_tag() {
    let world = World::new(None);
    let server = cutting_server(true, "ETag: \"version-1\"");
    world.fetch(&server).unwrap();
    assert_eq!(world.content(), file());
    assert_eq!(server.requests()[1].if_range.as_deref(), Some("\"version-1\""));
    assert_eq!(world.files(), ["file.bin"]);

    let world = World::new(None);
    let server = cutting_server(true, "ETag: W/\"version-1\"");
    world.fetch(&server).unwrap();
    assert_eq!((world.content(), server.requests()[1].from), (file(), None));
}

#[test]
fn a_failed_fetch_is_resumed_by_the_next() {
    let world = World::new(Some(sum_of(&file())));
    let cutting = Server::start(|_, request| match request.from {
        None => Reply::whole(&file()).cut_after(100_000),
        Some(from) => Reply::from(&file(), from).cut_after(100_000),
    });
    let error = world.fetch(&cutting).unwrap_err();
    assert!(matches!(error, FetchError::Cut { received: 400_000, .. }), "{error}");
    assert_eq!(world.files(), [".file.bin.part"]);
    let good = Server::start(|_, request| Reply::from(&file(), request.from.unwrap()));
    world.fetch(&good).unwrap();
    assert_eq!((world.content(), good.requests()[0].from), (file(), Some(400_000)));
}

#[test]
fn a_partial_download_that_does_not_fit_is_discarded() {
    let world = World::new(Some(sum_of(&file())));
    let raw = folder_of(&world.entry, world.cache.path());
    for answer in ["416 Range Not Satisfiable", "206 Partial Content\r\nContent-Range: bytes 5-9/10"] {
        fs::create_dir_all(&raw).unwrap();
        let _ = fs::remove_file(raw.join("file.bin"));
        fs::write(raw.join(".file.bin.part"), vec![7; 900_000]).unwrap();
        let server = Server::start(move |_, request| match request.from {
            Some(_) => Reply::status(answer),
            None => Reply::whole(&file()),
        });
        world.fetch(&server).unwrap();
        assert_eq!((world.content(), world.files()), (file(), vec!["file.bin".to_owned()]));
    }
}

#[test]
fn an_error_status_is_reported_with_address_and_advice() {
    let world = World::new(None);
    let server = Server::start(|_, _| Reply::status("404 Not Found"));
    let error = world.fetch(&server).unwrap_err();
    assert!(matches!(error, FetchError::Status { status: 404, .. }));
    let text = error.to_string();
    assert!(text.contains("/data/file.bin") && text.contains("404") && text.contains("elsewhere"), "{text}");
    assert_eq!(world.files(), [""; 0]);
    let server = Server::start(|_, _| Reply::status("503 Service Unavailable"));
    assert!(world.fetch(&server).unwrap_err().to_string().contains("try again later"));
}

#[test]
fn an_unreachable_server_is_reported() {
    let world = World::new(None);
    let gone = Server::start(|_, _| Reply::status("200 OK"));
    let base = gone.base.clone();
    drop(gone);
    let error = fetch_from(&base, &world.entry, world.cache.path(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { .. }), "{error}");
    assert_eq!(world.files(), [""; 0]);
}

#[test]
fn an_announced_size_beyond_every_data_set_is_refused() {
    let world = World::new(None);
    let server = Server::start(|_, _| Reply::announcing(99_999_999_999_999));
    let error = world.fetch(&server).unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { .. }), "{error}");
    assert_eq!(world.files(), [""; 0]);
}
