//! What all fuzz targets do: replace a piece of a good input by the fuzzer's bytes, and read it.

#![allow(dead_code, clippy::expect_used)]

#[path = "../../crates/veil-graph/tests/hostile/corpus.rs"]
mod corpus;
#[path = "../../crates/veil-graph/src/read/fixtures/mod.rs"]
mod fixtures;

use std::cell::RefCell;

use corpus::{FAMILIES, Input};

/// Good inputs of a family, written once, each in a folder that stays.
struct Good {
    inputs: Vec<(Input, tempfile::TempDir)>,
}

impl Good {
    fn new(family: &str) -> Good {
        // libFuzzer's own hook aborts at any panic; those inside a contained decoder are expected.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !veil_graph::is_caught() {
                hook(info);
            }
        }));
        let (_, inputs) = FAMILIES.into_iter().find(|(name, _)| *name == family).expect("a known family");
        let inputs = inputs().into_iter().map(|input| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            for (name, content) in &input.files {
                let path = folder.path().join(name);
                std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
                std::fs::write(path, content.packed()).expect("room for a small file");
            }
            (input, folder)
        });
        Good { inputs: inputs.collect() }
    }
}

thread_local! {
    static GOOD: RefCell<Option<Good>> = const { RefCell::new(None) };
}

/// The first byte chooses a good input, the second one of its pieces (a file, or an array of an
/// archive); the others replace it. Whatever is read then, there is no panic, and an error names
/// the folder or a file of it.
pub fn read(family: &str, bytes: &[u8]) {
    let &[which, piece, ref rest @ ..] = bytes else { return };
    GOOD.with_borrow_mut(|good| {
        let good = good.get_or_insert_with(|| Good::new(family));
        let count = good.inputs.len();
        let (input, folder) = &good.inputs[usize::from(which) % count];
        let pieces: Vec<(usize, usize)> = (0..input.files.len())
            .flat_map(|file| (0..input.files[file].1.clone().pieces().len()).map(move |piece| (file, piece)))
            .collect();
        let (file, piece) = pieces[usize::from(piece) % pieces.len()];
        let (name, content) = &input.files[file];
        let mut changed = content.clone();
        *changed.pieces()[piece] = rest.to_vec();
        let path = folder.path().join(name);
        std::fs::write(&path, changed.packed()).expect("room for a file");
        if let Err(said) = input.open(folder.path()) {
            assert!(said.contains(&*folder.path().to_string_lossy()), "no file is named: {said}");
        }
        std::fs::write(&path, content.packed()).expect("room for a file");
    });
}

/// Writes the good inputs as the targets take them (which input, which piece of it, and the piece)
/// into a folder for each family.
pub fn write_seeds(corpus: &std::path::Path) -> std::io::Result<()> {
    for (family, inputs) in FAMILIES {
        let folder = corpus.join(family);
        std::fs::create_dir_all(&folder)?;
        for (which, mut input) in (0u8..).zip(inputs()) {
            let pieces = input.files.iter_mut().flat_map(|(_, content)| content.pieces());
            for (piece, bytes) in (0u8..).zip(pieces) {
                let seed = [&[which, piece], bytes.as_slice()].concat();
                std::fs::write(folder.join(format!("good-{which}-{piece}")), seed)?;
            }
        }
    }
    Ok(())
}
