//! Broken inputs made from good ones, and what every reader must do with them.
//!
//! [`mutate`] changes one file of a good input in one of the ways in which files go wrong, or are made to; [`check`]
//! does so many times, each from its own seed, and holds the reader to its promise: no panic, and either a data set
//! or an error that names a file of the input. To add a reader: a test that calls [`check`] with its good files.

// Each test binary compiles this module for itself and uses a part of it; what fails here fails a test.
#![allow(dead_code, unused_imports, clippy::expect_used, clippy::panic)]

mod mutations;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use veil_graph::random::Random;
use veil_graph::read;

pub use mutations::{gzip, mutate};

/// A good input: the names of files and what they hold. One file is opened by itself, more as a folder.
#[derive(Clone)]
pub struct Input {
    pub files: Vec<(String, Vec<u8>)>,
    /// Open the only file instead of its folder.
    pub single: bool,
}

impl Input {
    pub fn folder(files: &[(&str, &[u8])]) -> Input {
        Input { files: files.iter().map(|&(name, bytes)| (name.to_owned(), bytes.to_vec())).collect(), single: false }
    }

    pub fn file(name: &str, bytes: &[u8]) -> Input {
        Input { single: true, ..Input::folder(&[(name, bytes)]) }
    }

    fn open(&self) -> Result<u32, String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, bytes) in &self.files {
            std::fs::write(folder.path().join(name), bytes).expect("room for a small file");
        }
        let path = if self.single { folder.path().join(&self.files[0].0) } else { folder.path().to_owned() };
        match read::open(&path) {
            Ok(dataset) => Ok(dataset.summary().nodes),
            Err(error) => {
                let message = error.to_string();
                assert!(names_a_file(&message, folder.path(), &self.files), "no file is named: {message}");
                Err(message)
            }
        }
    }
}

/// Whether a message starts with the path of one of the files, or of the folder itself.
fn names_a_file(message: &str, folder: &Path, files: &[(String, Vec<u8>)]) -> bool {
    let folder = folder.to_string_lossy();
    let known = |rest: &str| files.iter().any(|(name, _)| rest.contains(name.as_str()));
    message.strip_prefix(folder.as_ref()).is_some_and(|rest| rest.starts_with(": ") || known(rest))
}

/// How many of the mutated inputs were still read, and how many were refused.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub read: usize,
    pub refused: usize,
}

/// Opens `cases` mutations of each good input. Panics (which fails the test) if a reader panics, if an error names no
/// file, or if a good input is not good.
pub fn check(reader: &str, inputs: &[Input], cases: u64) -> Outcome {
    let mut outcome = Outcome { read: 0, refused: 0 };
    for (which, good) in inputs.iter().enumerate() {
        let nodes = good.open().unwrap_or_else(|error| panic!("{reader}, input {which} is not good: {error}"));
        assert!(nodes > 0);
        for seed in 0..cases {
            let mut random = Random::new(seed, &format!("{reader} {which}"));
            let mut broken = good.clone();
            let file = random.below(broken.files.len());
            let mut what = mutate(&mut broken.files[file].1, &mut random);
            // Some faults only show together.
            if random.below(4) == 0 {
                what = format!("{what}, {}", mutate(&mut broken.files[file].1, &mut random));
            }
            let named = format!("{reader}, input {which}, seed {seed}: {what} in {}", broken.files[file].0);
            match catch_unwind(AssertUnwindSafe(|| broken.open())) {
                Ok(Ok(_)) => outcome.read += 1,
                Ok(Err(_)) => outcome.refused += 1,
                Err(_) => panic!("{named}"),
            }
        }
    }
    println!("{reader}: {} read, {} refused", outcome.read, outcome.refused);
    outcome
}
