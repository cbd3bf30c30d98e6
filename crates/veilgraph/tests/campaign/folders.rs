//! Signed folders that were edited: none is accepted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use veil_graph::random::Random;
use veil_learn::Run;
use veil_learn::publication::Answers;
use veil_privacy::integrity::{self, Digests, PublicKey};
use veil_privacy::release::Privatised;

use crate::mutations::mutate;
use crate::size::size;
use crate::tally::Tally;
use crate::world::World;

/// Every file below a folder, by its path within it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(next) = todo.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                all.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// One edit of a folder: of one file, with or without new digests, or of which files there are.
fn edit(folder: &Path, good: &BTreeMap<PathBuf, Vec<u8>>, random: &mut Random) -> Option<String> {
    let signature = Path::new("signature.json");
    let names: Vec<&PathBuf> = good.keys().filter(|name| *name != signature).collect();
    let name = names[random.below(names.len())];
    let path = folder.join(name);
    let mut what = match random.below(8) {
        0 => {
            fs::remove_file(&path).unwrap();
            format!("{} removed", name.display())
        }
        1 => {
            fs::write(folder.join("added.csv"), "node,label\n").unwrap();
            "a file added".to_owned()
        }
        2 => {
            fs::remove_file(folder.join(signature)).unwrap();
            "the signature removed".to_owned()
        }
        _ => {
            let mut bytes = good[name].clone();
            let what = mutate(&mut bytes, random);
            if bytes == good[name] {
                return None;
            }
            fs::write(&path, bytes).unwrap();
            format!("{}: {what}", name.display())
        }
    };
    // Whoever edits on purpose writes new digests.
    let digests = folder.join("digests.json");
    if name != Path::new("digests.json") && random.below(2) == 0 {
        let _ = fs::remove_file(&digests);
        Digests::write(folder).unwrap();
        what += ", with new digests";
    }
    Some(what)
}

#[test]
fn an_edited_signed_folder_is_never_accepted() {
    let home = World::with_graph("citation --nodes 60");
    home.veil("keys new owner.key").succeeds();
    home.veil(
        "privatize graph --epsilon-features 3 --epsilon-labels 3 --range 0,1 --split 0.5,0.25,0.25 --out released",
    )
    .succeeds();
    home.veil("keys sign released --key owner.key").succeeds();
    let train = "train graph --method lpgnet --epsilon-edges 4 --hidden 4 --epochs 2 --split 0.5,0.25,0.25 \
                  --declare-public features,labels";
    home.veil(&format!("{train} --out run")).succeeds();
    home.veil("publish run --sign owner.key --out published").succeeds();
    home.veil("publish run --answers-only --sign owner.key --out answers").succeeds();
    let key = PublicKey::read(&home.path("owner.pub")).unwrap();

    let mut tally = Tally::new("edited signed folders");
    // As those who do not know the key open them.
    let release = |folder: &Path| Privatised::open(folder).is_ok();
    let model = |folder: &Path| Run::open(folder).is_ok();
    let answers = |folder: &Path| integrity::check(folder).is_ok() && Answers::open(folder).is_ok();
    type Reader = fn(&Path) -> bool;
    let readers: [(&str, Reader); 3] = [("released", release), ("published", model), ("answers", answers)];
    for (name, read) in readers {
        let folder = home.path(name);
        let good = files(&folder);
        assert!(integrity::check_signed(&folder, &key).is_ok() && read(&folder));
        for seed in 0..size().pick(100, 7_000) {
            let mut random = Random::new(seed, name);
            let Some(what) = edit(&folder, &good, &mut random) else { continue };
            let accepted = integrity::check_signed(&folder, &key).is_ok();
            // A reader who does not know the key accepts it only if the signature is gone.
            let signed = folder.join("signature.json").exists();
            let trusted = signed && read(&folder);
            let wrong = accepted || trusted;
            tally.count(if wrong { Err(format!("seed {seed}, {name}: {what}")) } else { Ok(()) });
            restore(&folder, &good);
        }
    }
    tally.finish();
}

fn restore(folder: &Path, good: &BTreeMap<PathBuf, Vec<u8>>) {
    for name in files(folder).keys().filter(|name| !good.contains_key(*name)) {
        fs::remove_file(folder.join(name)).unwrap();
    }
    good.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
}
