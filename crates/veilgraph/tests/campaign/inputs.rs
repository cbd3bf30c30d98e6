//! Mutated inputs: files that the program reads, each through the function that reads it or through
//! the command. Each is read or refused, soon, in little memory and without a panic.
//! docs/reliability.md lists the files that are not here.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use veil_graph::random::Random;
use veil_graph::write;
use veil_lab::sweep::{Book, Sweep};
use veil_learn::Run;
use veil_learn::pipeline::Payment;
use veil_learn::publication::Answers;
use veil_privacy::Ledger;
use veil_privacy::device::files::KeyFile;
use veil_privacy::device::{Device, Me};
use veil_privacy::integrity::{self, PublicKey, SigningKey};
use veil_privacy::release::Privatised;
use veil_privacy::resume::releases_of;

use crate::corpus::FAMILIES;
use crate::harness::{Folder, keep_quiet_about_contained_panics, mutated};
use crate::mutations::mutate;
use crate::size::size;
use crate::tally::Tally;
use crate::world::World;

/// Far more than any of these small inputs takes, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(30);

/// The largest memory of this process in kilobytes: hostile numbers must not fill a machine.
const MOST_MEMORY: u64 = 3_000_000;

/// Numbers that are written in place of others, besides those of `mutations`.
const NUMBERS: [&str; 8] =
    ["4294967295", "16777217", "1000000", "1e8", "-0.0", "1e308", "18446744073709551615", "1000000000"];

/// A good input, and how it is read. What a file has to be refused for is an error of it.
struct Target {
    name: &'static str,
    files: Vec<PathBuf>,
    read: Box<dyn Fn() -> Result<(), String> + Send>,
}

/// Replaces one number of a text, if it has one.
fn renumber(bytes: &mut Vec<u8>, random: &mut Random) {
    let begins = |at: usize| bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| begins(at)).collect();
    if places.is_empty() {
        return;
    }
    let start = places[random.below(places.len())];
    let end = (start..bytes.len()).find(|&at| !b"0123456789.eE-+".contains(&bytes[at])).unwrap_or(bytes.len());
    bytes.splice(start..end, NUMBERS[random.below(NUMBERS.len())].bytes());
}

/// Reads an input that may make a reader panic.
fn attempt(read: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let begun = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(read));
    match outcome {
        Err(_) => Err("panicked".to_owned()),
        Ok(_) if begun.elapsed() > LONGEST => Err(format!("took {:?}", begun.elapsed())),
        Ok(outcome) => outcome,
    }
}

#[test]
fn mutated_data_are_read_or_refused() {
    keep_quiet_about_contained_panics();
    let inputs: Vec<_> = FAMILIES.iter().flat_map(|(_, inputs)| inputs()).collect();
    let each = size().pick(20, 100_000 / inputs.len() as u64 + 1);
    let tallies: Vec<Tally> = inputs
        .par_iter()
        .map(|good| {
            let (mut folder, mut tally) = (Folder::new(good), Tally::new(good.name));
            // Other seeds than those of the tests of readers.
            for seed in 1_000_000..1_000_000 + each {
                let (what, files) = mutated(good, seed);
                let outcome = attempt(|| folder.open(&files).map(drop).or(Ok(())));
                tally.count(outcome.map_err(|why| format!("{}, seed {seed}, {what}: {why}", good.name)));
            }
            tally
        })
        .collect();
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum();
    Tally { what: "mutated data", tried: sum(|it| it.tried), failed: sum(|it| it.failed) }.finish();
}

#[test]
fn mutated_files_of_ours_are_read_or_refused() {
    let home = made();
    let targets = targets(&home);
    let each = size().pick(30, 45_000 / targets.len() as u64 + 1);
    let mut tally = Tally::new("mutated files of ours");
    for Target { name, files, read } in &targets {
        read().unwrap_or_else(|error| panic!("{name} is not good: {error}"));
        let good: BTreeMap<&PathBuf, Vec<u8>> = files.iter().map(|path| (path, fs::read(path).unwrap())).collect();
        for seed in 0..each {
            let mut random = Random::new(seed, name);
            let path = &files[random.below(files.len())];
            let mut bytes = good[path].clone();
            if random.below(2) == 0 {
                renumber(&mut bytes, &mut random);
            } else {
                mutate(&mut bytes, &mut random);
            }
            write(path, &bytes);
            // What a reader says about it does not matter here.
            let outcome = attempt(|| read().or(Ok(())));
            tally.count(outcome.map_err(|why| format!("{name}, seed {seed}, {}: {why}", path.display())));
            write(path, &good[path]);
        }
    }
    let memory = largest_memory();
    tally.count(if memory > MOST_MEMORY { Err(format!("{memory} kB of memory")) } else { Ok(()) });
    tally.finish();
}

/// The command itself, in little memory: files that only it reads, and a sample of the others.
#[test]
fn the_command_survives_mutated_files() {
    let home = made();
    let device = "device --protocol degree-vectors --me me.json --inbox inbox.jsonl --out report.json";
    let train = "train graph --config config.toml --epochs 2 --split 0.5,0.25,0.25 --out trained";
    let commands = [
        ("config.toml", train),
        // Refused after it is read: a sweep of a billion epochs is long, and no fault.
        ("sweep.toml", "lab sweep sweep.toml --data g=graph --out swept --floor unknown"),
        ("me.json", device),
        ("inbox.jsonl", device),
        ("me.key", device),
        ("released/privacy.json", "train released --epochs 2 --out trained"),
        ("run/run.json", "predict run"),
        ("run/readout.json", "predict run"),
        ("nodes.txt", "privatize edges.csv --nodes nodes.txt --method edge-flip --epsilon-edges 4 --out trained"),
        ("theirs.csv", "attack lsa --posteriors theirs.csv --truth graph"),
        ("found.json", "lab report run --attack run=found.json --out report.json"),
        ("scores.csv", "audit --predictions-in scores.csv --predictions-out scores.csv"),
        (
            "year.csv",
            "data split-private graph --by year.csv --private-range ..2010 --train-range 2011..2014 --test-range 2015.. --out trained",
        ),
    ];
    let mut tally = Tally::new("the command on mutated files");
    for (file, words) in commands {
        let clean = || {
            for made in ["trained", "report.json"] {
                let _ = fs::remove_dir_all(home.path(made)).or_else(|_| fs::remove_file(home.path(made)));
            }
        };
        let good = home.read(file);
        clean();
        assert!(file == "sweep.toml" || home.veil(words).succeeded(), "{words}");
        clean();
        for seed in 0..size().pick(2, 40) {
            let mut random = Random::new(seed, file);
            let mut bytes = good.clone();
            if random.below(3) > 0 {
                renumber(&mut bytes, &mut random)
            } else {
                drop(mutate(&mut bytes, &mut random))
            }
            write(&home.path(file), &bytes);
            let begun = Instant::now();
            let said = home.veil_in_little_memory(words);
            let bad = said.died() || said.stderr().contains("panicked") || begun.elapsed() > 4 * LONGEST;
            let took = begun.elapsed();
            tally.count(if bad { Err(format!("{file}, seed {seed}: {took:?} {}", said.stderr())) } else { Ok(()) });
            clean();
        }
        write(&home.path(file), &good);
    }
    tally.finish();
}

/// One of every file that the program reads besides raw data and ledgers.
fn made() -> World {
    let home = World::with_graph("citation --nodes 60");
    home.veil(
        "privatize graph --epsilon-features 3 --epsilon-labels 3 --range 0,1 --split 0.5,0.25,0.25 --out released",
    )
    .succeeds();
    let vectors = "privatize graph --method degree-vectors --epsilon-edges 2 --epsilon-labels 3 --split 0.5,0.25,0.25 \
                   --out vectors";
    home.veil(vectors).succeeds();
    home.veil("keys new owner.key").succeeds();
    home.veil("keys sign released --key owner.key").succeeds();
    let lpgnet = "train graph --method lpgnet --epsilon-edges 4 --hidden 4 --epochs 2 --split 0.5,0.25,0.25 \
                  --declare-public features,labels";
    home.veil(&format!("{lpgnet} --readout bayes --out run")).succeeds();
    home.veil("publish run --answers-only --out answers").succeeds();
    let parameters = "{\"epsilon-edges\": 1, \"clusters\": 2, \"rounds\": 2, \"unit\": \"edge-bit\"}";
    let me = "{\"me\": 1, \"nodes\": 3, \"neighbours\": [0, 2], \"features\": {\"dimensions\": 4, \"offset\": 0.5, \
              \"scale\": 2.5, \"vector\": {\"signs\": [[1, true]]}}, \"parameters\": ";
    home.write("me.json", format!("{me}{parameters}}}"));
    home.write("inbox.jsonl", "{\"from\": \"server\", \"round\": 0, \"clusters\": [0, 0, 1]}\n");
    home.veil("device --protocol degree-vectors --me me.json --inbox inbox.jsonl --out report.json").succeeds();
    home.write("config.toml", "method = \"gnn\"\nlayers = 2\nhidden = 4\nheads = 1\nepsilon-features = inf\n");
    let cases = "[[cases]]\nname = \"a\"\nmethod = \"mlp\"\nepochs = 1\nhidden = 4\n";
    home.write(
        "sweep.toml",
        format!("title = \"small\"\ndata = [\"g\"]\nseeds = 2\n[parameters]\nsplit = \"0.5,0.25,0.25\"\n[grid]\nlr = [0.1, 0.01]\n{cases}"),
    );
    home.veil("lab sweep sweep.toml --data g=graph --out swept --quiet").succeeds();
    let cascade = "train graph --method cascade --epsilon-edges 4 --epochs 2 --split 0.5,0.25,0.25";
    home.veil(&format!("{cascade} --declare-public features,labels --out rows")).succeeds();
    home.veil("ledger init book.db --budget label=1 --head-file book.head").succeeds();
    made_of_others(&home);
    home
}

/// Releases and runs of other methods, and tables that flags name.
fn made_of_others(home: &World) {
    let (split, public) = ("--split 0.5,0.25,0.25", "--declare-public features,labels");
    home.veil(&format!("train graph --method gap --epsilon-edges 4 --epochs 2 {split} {public} --out sums")).succeeds();
    home.veil(&format!("privatize graph --method blink --epsilon-edges 4 --epsilon-labels 3 {split} --out degrees"))
        .succeeds();
    home.veil("data generate citation --nodes 60 --seed 2 --out other").succeeds();
    let lpgnet = "train graph --method lpgnet --epsilon-edges 4 --hidden 4 --epochs 2";
    home.veil(&format!("{lpgnet} {split} --out plain")).succeeds();
    home.veil(&format!("{lpgnet} {split} {public} --inference-data other --out further")).succeeds();
    let node = |at: u32| format!("{at}\n");
    home.write("nodes.txt", (0..60).map(node).collect::<String>());
    home.write("edges.csv", "0,10\n10,48\n3,4\n");
    let years = (0..60).map(|at| format!("{at},{}\n", 2000 + at % 20)).collect::<String>();
    home.write("year.csv", format!("node,year\n{years}"));
    home.write("scores.csv", "0.1\n0.9\n0.4\n");
    home.write("theirs.csv", home.read("run/predictions.csv"));
    home.write("found.json", home.veil("attack lsa run --truth graph --json").succeeds().stdout());
    let parameters = "{\"epsilon-edges\": 1, \"classes\": 2, \"batches\": 2}";
    home.write(
        "c/me.json",
        format!("{{\"me\": 1, \"nodes\": 3, \"neighbours\": [0, 2], \"parameters\": {parameters}}}"),
    );
    let order = "{\"from\": \"server\", \"order\": [0, 2, 1], \"senders\": 1}\n";
    let batch = "{\"from\": \"server\", \"batch\": 0, \"messages\": [[4096, 0], [0, 0], [0, 0]]}\n";
    home.write("c/inbox.jsonl", format!("{order}{batch}"));
    made_by_talking(home);
    home.veil(&format!("{lpgnet} --split all {public} --validation-data other --out validated")).succeeds();
    home.veil("device --protocol cascade --me c/me.json --inbox c/inbox.jsonl --out c/report.json").succeeds();
}

/// Three users in a row who exchange messages until all have reported: `0`, `1` and `2`.
fn made_by_talking(home: &World) {
    let mut inboxes = [const { String::new() }; 3];
    for _turn in 0..5 {
        for node in 0..3_usize {
            let neighbours: Vec<usize> = (0..3).filter(|it| node.abs_diff(*it) == 1).collect();
            home.write(
                &format!("{node}/me.json"),
                format!(
                    "{{\"me\": {node}, \"nodes\": 3, \"neighbours\": {neighbours:?}, \"features\": {{\"dimensions\": 4, \
                     \"offset\": 0.5, \"scale\": 2.5, \"vector\": {{\"signs\": [[{node}, true]]}}}}, \
                     \"parameters\": {{\"epsilon-edges\": 1}}}}"
                ),
            );
            home.write(&format!("{node}/inbox.jsonl"), &inboxes[node]);
            let run = format!("--me {node}/me.json --inbox {node}/inbox.jsonl --out {node}/report.json");
            home.veil(&format!("device --protocol graph-privatizer {run}")).succeeds();
            let report: serde_json::Value = serde_json::from_slice(&home.read(&format!("{node}/report.json"))).unwrap();
            for message in report["messages"].as_array().unwrap() {
                let line = format!("{message}\n");
                let Some(inbox) = message["to"].as_u64().map(|to| &mut inboxes[to as usize]) else { continue };
                if !inbox.contains(&line) {
                    inbox.push_str(&line);
                }
            }
        }
    }
    let report: serde_json::Value = serde_json::from_slice(&home.read("1/report.json")).unwrap();
    assert_eq!(report["waiting_for"], serde_json::json!([]));
}

fn targets(home: &World) -> Vec<Target> {
    let at = |names: &[&str]| names.iter().map(|name| home.path(name)).collect::<Vec<_>>();
    let all = |folder: &str| {
        let names = home.list(folder).into_iter().map(|name| home.path(folder).join(name));
        names.filter(|path| path.is_file()).collect::<Vec<_>>()
    };
    let folder = |name: &str| home.path(name);
    let released = |name: &str| {
        let folder = folder(name);
        let read = move || Privatised::open(&folder).map(drop).map_err(|error| error.to_string());
        Box::new(read) as Box<dyn Fn() -> Result<(), String> + Send>
    };
    // Without its digests, so that what is changed reaches the readers of statements and tables.
    copy(&home.path("released"), &home.path("bare"));
    copy(&home.path("vectors"), &home.path("bare-vectors"));
    for file in ["bare/digests.json", "bare/signature.json", "bare/privacy.md", "bare-vectors/digests.json"] {
        fs::remove_file(home.path(file)).unwrap();
    }
    for folder in ["run/released", "rows/released", "sums/released", "degrees", "plain/owner/released"] {
        fs::remove_file(home.path(folder).join("digests.json")).unwrap();
    }
    let (rows, book, swept, unfinished) = (folder("rows"), folder("book.db"), folder("swept"), folder("unfinished"));
    write::owner::create_folder(&folder(".unfinished.unfinished")).unwrap();
    write(&folder(".unfinished.unfinished/key"), b"{}");
    write(&folder(".unfinished.unfinished/drawn"), b"1234567890");
    let (run, answers) = (folder("run"), folder("answers"));
    let table = folder("run/predictions.csv");
    let (sweep, public, secret, work) = (folder("sweep.toml"), folder("owner.pub"), folder("owner.key"), folder("key"));
    write(&work, br#"{"format":3,"seed":null,"releases":[],"tag":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}"#);
    let signed = folder("released");
    let device = |protocol: &'static str, within: &str| {
        let [me, inbox, key] = ["me.json", "inbox.jsonl", "me.key"].map(|name| folder(within).join(name));
        let files = vec![me.clone(), inbox.clone(), key.clone()];
        let read = move || {
            let me = Me::read(&fs::read_to_string(&me).unwrap_or_default()).map_err(|error| error.to_string())?;
            let device = Device::new(protocol, me).map_err(|error| error.to_string())?;
            let inbox = fs::read_to_string(&inbox).unwrap_or_default();
            let before = fs::read(&key).map_err(|error| error.to_string())?;
            let part = KeyFile::open(&key).and_then(|file| file.report(&device, &inbox));
            // A key remembers what it reported.
            write(&key, &before);
            part.map(drop).map_err(|error| error.to_string())
        };
        (files, Box::new(read) as Box<dyn Fn() -> Result<(), String> + Send>)
    };
    let ((vectors, vectors_read), (cascade, cascade_read)) = (device("degree-vectors", "."), device("cascade", "c"));
    let (neighbour, neighbour_read) = device("graph-privatizer", "1");
    let predicted = move || veil_graph::read::predictions(&table).map(drop).map_err(|error| error.to_string());
    let answering = |folder: PathBuf| {
        let read = move || {
            let run = Run::open(&folder).map_err(|error| error.to_string())?;
            run.posteriors().map(drop).map_err(|error| error.to_string())
        };
        Box::new(read) as Box<dyn Fn() -> Result<(), String> + Send>
    };
    let head = move || {
        let report = Ledger::open(&book).and_then(|mut ledger| ledger.report());
        report.map(drop).map_err(|error| error.to_string())
    };
    let outcomes = move || {
        let book = Book::open(&swept).map_err(|error| error.to_string())?;
        book.outcomes().map_err(|error| error.to_string())?;
        book.columns().map(drop).map_err(|error| error.to_string())
    };
    let drawn = move || Payment::default().resuming(&unfinished).map(drop).map_err(|error| error.to_string());
    let keys = move || {
        PublicKey::read(&public).map_err(|error| error.to_string())?;
        SigningKey::read(&secret).map(drop).map_err(|error| error.to_string())
    };
    let answers = move || {
        let _ = integrity::check(&answers);
        Answers::open(&answers).map(drop).map_err(|error| error.to_string())
    };
    vec![
        Target { name: "a release", files: all("bare"), read: released("bare") },
        Target { name: "degree vectors", files: all("bare-vectors"), read: released("bare-vectors") },
        Target {
            name: "digests and a signature",
            files: at(&["released/digests.json", "released/signature.json"]),
            read: Box::new(move || integrity::check(&signed).map(drop).map_err(|error| error.to_string())),
        },
        Target { name: "a run", files: [all("run"), all("run/released")].concat(), read: answering(run) },
        Target {
            name: "a run with rows of a cascade",
            files: [all("rows"), all("rows/released"), all("rows/owner")].concat(),
            read: answering(rows),
        },
        Target { name: "the head file of a ledger", files: at(&["book.head"]), read: Box::new(head) },
        Target { name: "the results of a sweep", files: at(&["swept/book.sqlite"]), read: Box::new(outcomes) },
        Target {
            name: "the seed of an interrupted job",
            files: at(&[".unfinished.unfinished/drawn"]),
            read: Box::new(drawn),
        },
        Target { name: "answers", files: all("answers"), read: Box::new(answers) },
        Target { name: "a device", files: vectors, read: vectors_read },
        Target { name: "a device of a cascade", files: cascade, read: cascade_read },
        Target { name: "a device with neighbours' messages", files: neighbour, read: neighbour_read },
        Target {
            name: "a run with a validation graph",
            files: [all("validated/validation"), all("validated")].concat(),
            read: answering(folder("validated")),
        },
        Target { name: "noisy degrees", files: all("degrees"), read: released("degrees") },
        Target {
            name: "a run with neighbour sums",
            files: [all("sums"), all("sums/released")].concat(),
            read: answering(folder("sums")),
        },
        Target {
            name: "a run with its owner's folder",
            files: [all("plain"), all("plain/owner"), all("plain/owner/released")].concat(),
            read: answering(folder("plain")),
        },
        Target {
            name: "a run on another graph",
            files: [all("further/inference/citation"), all("further/inference/citation/training")].concat(),
            read: answering(folder("further/inference/citation")),
        },
        Target { name: "predictions", files: at(&["run/predictions.csv"]), read: Box::new(predicted) },
        Target { name: "keys", files: at(&["owner.pub", "owner.key"]), read: Box::new(keys) },
        Target {
            name: "a sweep",
            files: at(&["sweep.toml"]),
            read: Box::new(move || Sweep::read(&sweep).map(drop).map_err(|error| error.to_string())),
        },
        Target {
            name: "keys of an interrupted job",
            files: at(&["key"]),
            read: Box::new(move || releases_of(&work).map(drop).map_err(|error| error.to_string())),
        },
    ]
}

/// Writes a file for its owner alone, as keys have to be.
fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// The largest memory that this process has had, in kilobytes.
fn largest_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
