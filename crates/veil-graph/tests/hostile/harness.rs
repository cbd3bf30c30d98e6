//! The requirements on every reader for invalid inputs.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Once;
use std::time::{Duration, Instant};

use veil_graph::random::Random;

use crate::corpus::{Content, Input};
use crate::mutations::{bomb, mutate};

/// Files by name, as on disk.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Far more than any of these small inputs takes, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

/// The number of mutations per valid input. Set `VEIL_MUTATIONS` for a longer search.
pub fn cases() -> u64 {
    std::env::var("VEIL_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

impl Input {
    pub fn packed(&self) -> Files {
        self.files.iter().map(|(name, content)| (name.clone(), content.packed())).collect()
    }
}

/// A folder that is reused for one input after the other.
pub struct Folder {
    home: tempfile::TempDir,
    input: Input,
    written: Files,
}

impl Folder {
    pub fn new(input: &Input) -> Folder {
        let home = tempfile::tempdir().expect("a temporary folder");
        Folder { home, input: input.clone(), written: Files::new() }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes exactly these files into the folder and reads it: the number of nodes, or an error
    /// that names one of its files or the folder.
    pub fn open(&mut self, files: &Files) -> Result<u32, String> {
        // Most files are unchanged, and writing dominates the time.
        for name in self.written.keys().filter(|name| !files.contains_key(*name)) {
            fs::remove_file(self.file(name)).expect("it was written");
        }
        for (name, bytes) in files.iter().filter(|(name, bytes)| self.written.get(*name) != Some(bytes)) {
            let path = self.file(name);
            fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
            fs::write(path, bytes).expect("room for a small file");
        }
        self.written.clone_from(files);
        let start = Instant::now();
        let result = self.input.open(self.home.path());
        assert!(start.elapsed() < LONGEST, "it took {:?}", start.elapsed());
        if let Err(message) = &result {
            assert!(message.contains(&*self.home.path().to_string_lossy()), "no file is named: {message}");
        }
        result
    }
}

/// Opens many mutations of each valid input, and prints the outcomes. Fails if a reader panics or
/// takes too long, an error names no file, a valid input is refused, or too few invalid ones are
/// detected.
pub fn check(inputs: Vec<Input>) {
    keep_quiet_about_contained_panics();
    for good in inputs {
        let name = good.name;
        let mut folder = Folder::new(&good);
        let nodes = folder.open(&good.packed()).unwrap_or_else(|error| panic!("{name} is not good: {error}"));
        assert!(nodes > 0);
        let (mut read, mut refused) = (0, 0);
        let mut attempt = |what: String, files: &Files| match catch_unwind(AssertUnwindSafe(|| folder.open(files))) {
            Ok(Ok(_)) => read += 1,
            Ok(Err(_)) => refused += 1,
            Err(_) => panic!("{name}: {what}"),
        };
        for (what, files) in whole_files(&good) {
            attempt(what, &files);
        }
        for seed in 0..cases() {
            let (what, files) = mutated(&good, seed);
            attempt(format!("seed {seed}: {what}"), &files);
        }
        println!("{name}: {} inputs, {read} read, {refused} refused", read + refused);
        // A number that becomes another number cannot be detected; many other mutations must be.
        let least = if good.lenient { 16 } else { 4 };
        assert!(refused > (read + refused) / least, "{name}: only {refused} of {} were refused", read + refused);
    }
}

/// One or two mutations of one file, before or after compression.
pub fn mutated(good: &Input, seed: u64) -> (String, Files) {
    let mut random = Random::new(seed, good.name);
    let mut broken = good.clone();
    let which = random.below(broken.files.len());
    let again = random.below(4) == 0;
    let (name, content) = &mut broken.files[which];
    let mut what = format!("{name}: ");
    let inside = !matches!(content, Content::Plain(_)) && random.below(4) > 0;
    if inside {
        // So that the change reaches the reader and not only the decompressor and its checksums.
        let mut pieces = content.pieces();
        let piece = random.below(pieces.len());
        for _ in 0..=usize::from(again) {
            what += &format!("{} (unpacked, piece {piece}); ", mutate(pieces[piece], &mut random));
        }
    } else {
        let mut bytes = content.packed();
        for _ in 0..=usize::from(again) {
            what += &format!("{}; ", mutate(&mut bytes, &mut random));
        }
        *content = Content::Plain(bytes);
    }
    (what, broken.packed())
}

/// Each file missing (if there are others), empty, swapped with each other, or replaced by a
/// compression bomb; each array of an archive missing.
fn whole_files(good: &Input) -> Vec<(String, Files)> {
    let files = good.packed();
    let mut broken = Vec::new();
    for (index, (name, content)) in good.files.iter().enumerate() {
        let mut with = |what: &str, bytes: Option<Vec<u8>>| {
            let mut changed = files.clone();
            match bytes {
                Some(bytes) => changed.insert(name.clone(), bytes),
                None => changed.remove(name),
            };
            broken.push((format!("{name} {what}"), changed));
        };
        if files.len() > 1 {
            with("is missing", None);
        }
        with("is empty", Some(Vec::new()));
        if index < 2 {
            with("unpacks to a line of 65 MiB", Some(bomb(false)));
            with("unpacks to lines of 65 MiB", Some(bomb(true)));
        }
        if let Content::Arrays(arrays) = content {
            for missing in 0..arrays.len() {
                let mut others = arrays.clone();
                let (array, _) = others.remove(missing);
                with(&format!("has no {array}"), Some(Content::Arrays(others).packed()));
            }
        }
        for other in files.keys().filter(|other| *other > name) {
            let mut changed = files.clone();
            changed.insert(name.clone(), files[other].clone());
            changed.insert(other.clone(), files[name].clone());
            broken.push((format!("{name} and {other} are swapped"), changed));
        }
    }
    broken
}

/// Panics inside the table decoders are expected and become errors; they should not fill the
/// output.
pub fn keep_quiet_about_contained_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !veil_graph::is_caught() {
                hook(info);
            }
        }));
    });
}
