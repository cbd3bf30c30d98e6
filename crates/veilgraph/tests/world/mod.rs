//! A folder of its own, the real binary, and what it said.
#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails a test")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub struct World {
    home: tempfile::TempDir,
}

impl World {
    pub fn new() -> World {
        World { home: tempfile::tempdir().unwrap() }
    }

    /// With a generated graph in `graph`.
    pub fn with_graph(kind: &str) -> World {
        let world = World::new();
        world.veil(&format!("data generate {kind} --seed 1 --out graph")).succeeds();
        world
    }

    /// With a small citation graph in `graph`.
    pub fn with_citation_graph() -> World {
        World::with_graph("citation --nodes 300")
    }

    /// A citation graph of 600 nodes, cut into `parts/private`, `parts/public` and `parts/outside`.
    pub fn with_parts() -> World {
        let home = World::with_graph("citation --nodes 600");
        let split = "--private-per-class 25 --public-train 120 --public-test 120 --seed 1";
        home.veil(&format!("data split-private graph {split} --out parts")).succeeds();
        home
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// The release of a run: beside the statement, or with what is for the owner alone.
    pub fn released(&self, run: &str) -> String {
        let open = format!("{run}/released");
        if self.path(&open).exists() { open } else { format!("{run}/owner/released") }
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names in a folder, sorted.
    pub fn list(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `veil` here with words that hold no blanks.
    pub fn veil(&self, words: &str) -> Said {
        self.veil_words(words.split_whitespace())
    }

    /// What a successful command prints for machines.
    #[track_caller]
    pub fn shown(&self, words: &str) -> Value {
        self.veil(&format!("{words} --json")).succeeds().json()
    }

    /// A command that fails with this code, for this reason.
    #[track_caller]
    pub fn refuses(&self, code: i32, words: &str, reason: &str) {
        self.veil(words).fails_with(code).says(reason);
    }

    pub fn veil_words(&self, words: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>) -> Said {
        let output = self.command().args(words).output().unwrap();
        Said { output }
    }

    /// Runs `veil` here on so many threads.
    pub fn veil_on_threads(&self, threads: u32, words: &str) -> Said {
        let mut command = self.command();
        command.env("RAYON_NUM_THREADS", threads.to_string());
        Said { output: command.args(words.split_whitespace()).output().unwrap() }
    }

    /// Runs `veil` here with three gigabytes of address space. On two threads, because each one
    /// more takes some of it.
    pub fn veil_in_little_memory(&self, words: &str) -> Said {
        let mut command = self.here("sh");
        command.args(["-c", "ulimit -v 3000000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_veil")]);
        command.env("RAYON_NUM_THREADS", "2").env("MALLOC_ARENA_MAX", "4");
        Said { output: command.args(words.split_whitespace()).output().unwrap() }
    }

    /// Starts `veil` here. What it says to standard error is kept.
    pub fn started(&self, words: &str) -> Child {
        self.command().args(words.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Whether an unfinished folder lies here.
    pub fn has_unfinished(&self) -> bool {
        self.list(".").iter().any(|name| name.starts_with(".veil-unfinished-"))
    }

    pub fn command(&self) -> Command {
        self.here(env!("CARGO_BIN_EXE_veil"))
    }

    fn here(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.home.path()).env("VEIL_CACHE", self.path("cache"));
        command
    }
}

pub struct Said {
    output: Output,
}

impl Said {
    pub fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }

    #[track_caller]
    pub fn succeeds(self) -> Said {
        assert_eq!(self.output.status.code(), Some(0), "{}\n{}", self.stdout(), self.stderr());
        self
    }

    #[track_caller]
    pub fn fails_with(self, code: i32) -> Said {
        assert_eq!(self.output.status.code(), Some(code), "{}\n{}", self.stdout(), self.stderr());
        assert_eq!(self.stdout(), "", "a failed command prints no result");
        self
    }

    /// An audit prints what it found, and fails.
    #[track_caller]
    pub fn finds_a_violation(self) -> Said {
        assert_eq!(self.output.status.code(), Some(3), "{}\n{}", self.stdout(), self.stderr());
        self
    }

    /// Whether it succeeded.
    pub fn succeeded(&self) -> bool {
        self.output.status.success()
    }

    /// Whether the system ended it.
    pub fn died(&self) -> bool {
        self.output.status.code().is_none()
    }

    /// On standard output if it succeeded, on standard error if not.
    #[track_caller]
    pub fn says(self, part: &str) -> Said {
        let text = if self.output.status.success() { self.stdout() } else { self.stderr() };
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
        self
    }

    #[track_caller]
    pub fn says_all(self, parts: &[&str]) -> Said {
        parts.iter().fold(self, |said, part| said.says(part))
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout()).unwrap_or_else(|error| panic!("{error}\n{}", self.stdout()))
    }
}

/// Waits until something is so. Whether it is so before the process ends.
pub fn waited(child: &mut Child, until: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while !until() {
        assert!(begun.elapsed() < Duration::from_secs(300), "this takes too long");
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Ctrl-C, and what the process said before it ended.
pub fn interrupted(child: Child) -> Output {
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(told.success());
    child.wait_with_output().unwrap()
}

/// A file of text.
pub fn text(home: &World, file: &str) -> String {
    String::from_utf8(home.read(file)).unwrap()
}

/// A file of JSON.
pub fn json(home: &World, file: &str) -> Value {
    serde_json::from_slice(&home.read(file)).unwrap()
}

/// How often a ledger was charged.
pub fn entries(home: &World, ledger: &str) -> usize {
    let book = home.shown(&format!("ledger show {ledger}"));
    book["entries"].as_array().unwrap().len()
}

/// The ε that a ledger has spent on a unit, as it shows it.
pub fn spent(home: &World, ledger: &str, unit: &str) -> Value {
    let book = home.shown(&format!("ledger show {ledger}"));
    let found = book["units"].as_array().unwrap().iter().find(|it| it["unit"] == unit);
    found.unwrap()["spent"].clone()
}

/// What a file says, but for how long something took.
fn timeless(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("seconds");
            fields.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

/// Two folders hold the same files.
#[track_caller]
pub fn assert_same_files(home: &World, one: &str, two: &str) {
    for file in home.list(one) {
        assert!(home.read(&format!("{one}/{file}")) == home.read(&format!("{two}/{file}")), "{one} and {two}: {file}");
    }
}

/// The classes that a command predicted are those in a run's table.
#[track_caller]
pub fn assert_classes(predicted: &Value, home: &World, run: &str) {
    let classes = predicted.as_array().unwrap().iter().map(|it| it["class"].to_string());
    let table = text(home, &format!("{run}/predictions.csv"));
    assert!(classes.eq(table.lines().skip(1).map(|line| line.split(',').nth(1).unwrap())), "{run}");
}

/// A file of a run without what differs between two ledgers: the head in a statement, and the
/// statement's digests.
fn unbooked(file: &str, content: Vec<u8>) -> Vec<u8> {
    let name = file.rsplit('/').next().unwrap_or(file);
    match name {
        "privacy.json" | "digests.json" => {
            let mut value: Value = serde_json::from_slice(&content).unwrap();
            for (within, key) in [("", "ledger"), ("/files", "privacy.json"), ("/files", "privacy.md")] {
                value.pointer_mut(within).and_then(Value::as_object_mut).map(|fields| fields.remove(key));
            }
            value.to_string().into_bytes()
        }
        "privacy.md" => {
            let text = String::from_utf8(content).unwrap();
            text.lines().filter(|line| !line.contains("charged to a ledger")).collect::<String>().into_bytes()
        }
        _ => content,
    }
}

/// Two runs are the same but for how long they took, and for the ledger that paid.
pub fn assert_same_run(home: &World, one: &str, two: &str) {
    assert_eq!(home.list(one), home.list(two));
    let released = home.released(one)[one.len() + 1..].to_owned();
    assert_eq!(home.released(two), format!("{two}/{released}"));
    let of = |folder: &str| -> Vec<String> {
        home.list(&format!("{one}/{folder}")).into_iter().map(|file| format!("{folder}{file}")).collect()
    };
    let released = of(&format!("{released}/"));
    for file in of("").into_iter().chain(released).chain(["owner/metrics.json".to_owned()]) {
        if home.path(&format!("{one}/{file}")).is_dir() {
            continue;
        }
        let files = [one, two].map(|run| format!("{run}/{file}"));
        if file == "owner/metrics.json" {
            let [mut left, mut right] = files.each_ref().map(|path| json(home, path));
            [&mut left, &mut right].into_iter().for_each(timeless);
            assert_eq!(left, right, "{files:?}");
        } else {
            let [left, right] = files.each_ref().map(|path| unbooked(path, home.read(path)));
            assert!(left == right, "{files:?}");
        }
    }
}

/// A real data set, if it is here; otherwise says that the test is skipped. Told past the test
/// harness, so that continuous integration can count.
pub fn real_data(name: &str) -> Option<PathBuf> {
    use std::io::Write;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    let found = path.exists();
    let line =
        if found { format!("on real data: {name}") } else { format!("no real data: skipped, {name} is not here") };
    let _ = writeln!(std::io::stderr(), "{line}");
    found.then_some(path)
}
