//! Stories about machines that fail and people who should not look: full disks, kills, other users,
//! hostile numbers.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails a test")]

mod world;

use std::fs::{File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use serde_json::json;
use world::{World, entries, interrupted, json as read, text, waited};

const RELEASE: &str = "privatize graph --epsilon-labels 1 --split 0.5,0.25,0.25 --ledger book.db --out released";

fn with_ledger() -> World {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget label=1").succeeds();
    home
}

/// How often a ledger was charged, also while somebody works with it.
fn charges(home: &World) -> i64 {
    let book = Connection::open_with_flags(home.path("book.db"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    book.query_row("SELECT count(*) FROM entry", [], |row| row.get(0)).unwrap_or(0)
}

/// Runs `veil` in a shell that begins with some words.
fn veil_after(home: &World, words: &str, command: &str) -> std::process::Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{words}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_veil")]);
    shell.args(command.split_whitespace()).current_dir(home.path(".")).output().unwrap()
}

fn mode(home: &World, path: &str) -> u32 {
    home.path(path).symlink_metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_full_disk_is_noticed_before_the_charge() {
    let home = with_ledger();
    // No file may grow beyond 50 kilobytes.
    let ended = veil_after(&home, "trap '' XFSZ; ulimit -f 100", RELEASE);
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.code() == Some(1) && said.contains("nothing was charged"), "{said}");
    assert_eq!((entries(&home, "book.db"), home.list(".")), (0, vec!["book.db".to_owned(), "graph".to_owned()]));
    home.veil(RELEASE).succeeds();
}

/// The work folder has the key until the result is whole.
#[test]
fn a_training_killed_after_its_charge_is_finished_by_the_same_command_and_paid_once() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget edge=4").succeeds();
    let train = "train graph --method lpgnet --epsilon-edges 4 --split 0.5,0.25,0.25 --ledger book.db --out run";
    let words = format!("{train} --epochs 400 --hidden 64");
    let mut child = home.started(&words);
    assert!(waited(&mut child, || charges(&home) > 0), "it ended before it was killed");
    child.kill().unwrap();
    child.wait().unwrap();
    let charged = charges(&home);
    assert!(!home.path("run").exists() && home.path(".run.unfinished/key").exists());
    assert_eq!((mode(&home, ".run.unfinished"), mode(&home, ".run.unfinished/key")), (0o700, 0o600));
    home.veil(&words.replace("--epochs 400", "--epochs 401"))
        .fails_with(1)
        .says("had other data or parameters")
        .says("rm -r .run.unfinished");
    home.veil(&words).succeeds();
    assert_eq!((charges(&home), home.list(".")), (charged, ["book.db", "graph", "run"].map(str::to_owned).to_vec()));
    home.veil(&format!("{train} --epochs 1").replace("--out run", "--out again")).fails_with(1).says("over budget");
}

/// Ctrl-C says that the same command resumes, and it does.
#[test]
fn an_interrupted_release_is_resumed_by_the_same_command() {
    let home = with_ledger();
    let busy = Connection::open(home.path("book.db")).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut child = home.started(RELEASE);
    assert!(waited(&mut child, || home.path(".released.unfinished/key").exists()), "the release ended");
    let ended = interrupted(child);
    assert!(String::from_utf8_lossy(&ended.stderr).contains("the same command resumes"));
    drop(busy);
    home.veil(RELEASE).succeeds();
    assert_eq!(
        (entries(&home, "book.db"), home.list(".")),
        (1, ["book.db", "graph", "released"].map(str::to_owned).to_vec())
    );
}

#[test]
fn a_result_that_cannot_be_shown_is_a_result() {
    let home = with_ledger();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = home.command();
    let ended = command.args(RELEASE.split_whitespace()).stdout(full).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.success() && said.contains("released is complete, but"), "{said}");
    home.veil("verify released").succeeds();
    assert_eq!(entries(&home, "book.db"), 1);
}

/// A folder that another user prepared where the keys will be written.
#[test]
fn a_work_folder_of_somebody_else_is_refused_before_the_charge() {
    let home = with_ledger();
    let trap = home.path(".released.unfinished");
    std::fs::create_dir(&trap).unwrap();
    std::fs::set_permissions(&trap, Permissions::from_mode(0o777)).unwrap();
    home.veil(RELEASE)
        .fails_with(1)
        .says("others can open it (mode 777)")
        .says("choose a path in a folder of your own");
    std::fs::remove_dir(&trap).unwrap();
    std::fs::create_dir(home.path("theirs")).unwrap();
    symlink(home.path("theirs"), &trap).unwrap();
    home.veil(RELEASE).fails_with(1).says("it is no folder");
    assert_eq!((entries(&home, "book.db"), home.list("theirs").len()), (0, 0));
    // Somebody may put links where files will be, too.
    std::fs::remove_file(&trap).unwrap();
    std::fs::create_dir(&trap).unwrap();
    std::fs::set_permissions(&trap, Permissions::from_mode(0o700)).unwrap();
    symlink(home.path("theirs/key"), trap.join("key.draft")).unwrap();
    home.veil(RELEASE).succeeds();
    assert_eq!(home.list("theirs").len(), 0);
}

/// Everything of the owner's is closed to others, whatever the umask.
#[test]
fn what_is_the_owners_is_closed_whatever_the_umask() {
    let home = World::with_parts();
    let open = |words: &str| {
        let ended = veil_after(&home, "umask 000", words);
        assert!(ended.status.success(), "{words}: {}", String::from_utf8_lossy(&ended.stderr));
    };
    // Copies of data that nobody else could read.
    std::fs::set_permissions(home.path("graph"), Permissions::from_mode(0o700)).unwrap();
    open("data import graph --out copy");
    open("data split-private graph --private-per-class 25 --public-train 120 --public-test 120 --seed 1 --out halves");
    for path in ["copy", "halves", "halves/private"] {
        assert_eq!(mode(&home, path), 0o700, "{path}");
    }
    assert_eq!((mode(&home, "copy/edges.csv"), mode(&home, "halves/private/labels.csv")), (0o600, 0o600));
    std::fs::set_permissions(home.path("graph"), Permissions::from_mode(0o755)).unwrap();
    open("data import graph --out open");
    assert_eq!((mode(&home, "open"), mode(&home, "open/edges.csv")), (0o777, 0o666), "public data stay public");
    // Heads may be read, but whoever could change them could also put an older ledger back.
    open("ledger init book.db --budget label=2 --head-file book.head");
    open("privatize graph --epsilon-labels 1 --ledger book.db --out released");
    open("ledger backup book.db --out copy.db");
    assert_eq!((mode(&home, "book.db"), mode(&home, "copy.db")), (0o600, 0o600));
    open("keys new owner.key");
    for (path, expected) in [("book.head", 0o644), ("copy.db.head", 0o644), ("owner.pub", 0o644), ("owner.key", 0o600)]
    {
        assert_eq!(mode(&home, path), expected, "{path}");
    }
    // Scores of a run, answers of teachers, and a device's output.
    open("train graph --method lpgnet --epsilon-edges 4 --hidden 4 --epochs 2 --out run");
    for path in ["run/owner/metrics.json", "run/owner/released/edges.csv", "run/owner/graphs.json"] {
        if home.path(path).exists() {
            assert_eq!(mode(&home, path), 0o600, "{path}");
        }
    }
    assert_eq!(mode(&home, "run/owner"), 0o700);
    let evaluate = "lab evaluate parts/private --public-graph parts/public --queries 4 --k 10 --hidden 4 --epochs 2";
    open(&format!("{evaluate} --with none --keep said.csv"));
    let me = json!({ "me": 0, "nodes": 2, "neighbours": [1], "parameters": { "epsilon-edges": 1 } });
    home.write("me.json", me.to_string());
    open("device --protocol neighbour-krr --me me.json --out report.json");
    assert_eq!((mode(&home, "said.csv"), mode(&home, "report.json")), (0o600, 0o600));
    // Scores of many runs, tables and pages of them, and exact figures about edges.
    let cases = "[[cases]]\nname = \"a\"\nmethod = \"mlp\"\nepochs = 1\nhidden = 4\n";
    home.write("sweep.toml", format!("data = [\"g\"]\nseeds = 1\n[parameters]\nsplit = \"0.5,0.25,0.25\"\n{cases}"));
    open("lab sweep sweep.toml --data g=graph --out swept");
    open("lab sweep export swept --csv runs.csv --parquet runs.parquet");
    open("train graph --method dpgcn --epsilon-edges 4 --hidden 4 --epochs 2 --out lists");
    open("lab report lists --truth graph --out report.html");
    open("data homophily graph --out plot.svg");
    for path in ["swept/book.sqlite", "runs.csv", "runs.parquet", "report.html", "plot.svg"] {
        assert_eq!(mode(&home, path), 0o600, "{path}");
    }
}

/// What a killed command left is removed by the next one, but not what is in use.
#[test]
fn left_overs_are_removed_by_the_next_command() {
    let home = with_ledger();
    let busy = Connection::open(home.path("book.db")).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut child = home.started(RELEASE);
    assert!(waited(&mut child, || home.path(".released.unfinished/key").exists()), "the release ended");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(home.has_unfinished());
    let mut child = home.started(&RELEASE.replace("--out released", "--out other"));
    assert!(waited(&mut child, || home.path(".other.unfinished/key").exists()), "the release ended");
    home.veil("data generate social --nodes 50 --seed 1 --out small").succeeds();
    let hidden: Vec<String> = home.list(".").into_iter().filter(|it| it.starts_with(".veil-unfinished-")).collect();
    assert_eq!(hidden.len(), 1, "that of the command that waits for the ledger");
    assert_eq!(mode(&home, &hidden[0]), 0o700, "closed to others until it is complete");
    drop(busy);
    child.wait().unwrap();
    assert!(!home.has_unfinished());
}

#[test]
fn hostile_numbers_are_refused_soon_and_in_little_memory() {
    let home = World::with_graph("citation --nodes 60");
    let lpgnet = "train graph --method lpgnet --epsilon-edges 4 --hidden 4 --epochs 2 --readout bayes \
                  --split 0.5,0.25,0.25 --out run";
    home.veil(lpgnet).succeeds();
    let refused = |words: &str, why: &str| {
        let begun = Instant::now();
        let said = home.veil_in_little_memory(words);
        assert!(!said.died() && said.stderr().contains(why), "{words}: {}", said.stderr());
        assert!(begun.elapsed() < Duration::from_secs(30), "{words} took {:?}", begun.elapsed());
    };
    let good = text(&home, "run/readout.json");
    let mut readout = read(&home, "run/readout.json");
    readout["rounds"][0]["means"][0][0] = json!(1e8);
    home.write("run/readout.json", readout.to_string());
    refused("predict run", "readout.json");
    home.write("run/readout.json", good);
    let me = |key: &str, value: u64, parameters: serde_json::Value| {
        let vector = json!({ "signs": [[0, true]] });
        let mut me = json!({ "me": 0, "nodes": 3, "neighbours": [1], "parameters": parameters,
            "features": { "dimensions": 4, "offset": 0.5, "scale": 2.5, "vector": vector } });
        match key {
            "dimensions" => me["features"][key] = json!(value),
            "nodes" => me[key] = json!(value),
            _ => me["parameters"][key] = json!(value),
        }
        home.write("me.json", me.to_string());
    };
    let device = |protocol: &str| format!("device --protocol {protocol} --me me.json --out report.json");
    me("dimensions", 4_294_967_295, json!({ "epsilon-edges": 1 }));
    refused(&device("dummy-exchange"), "\"dimensions\" is 4294967295");
    // A device has no class that nobody could name, and no column that nobody could train on.
    me("dimensions", 1 << 28, json!({ "epsilon-edges": 1 }));
    refused(&device("dummy-exchange"), "\"dimensions\" is 268435456: it must be at most 16777216");
    me("clusters", 1_048_577, json!({ "epsilon-edges": 1 }));
    refused(&device("degree-vectors"), "\"clusters\" is 1048577: it must be at most 4097");
    me("batches", 1_000_000_000, json!({ "epsilon-edges": 1, "classes": 2 }));
    refused(&device("cascade"), "\"batches\" is 1000000000: it must be at most 100");
    me("rounds", 1000, json!({ "epsilon-edges": 4, "clusters": 2 }));
    refused(&device("degree-vectors"), "1000 rounds are too many: at most 100");
    me("nodes", 4_294_967_295, json!({ "epsilon-edges": 1 }));
    refused(&device("edge-flip"), "\"nodes\" is 4294967295");
    me("clusters", 16_777_217, json!({ "epsilon-edges": 1 }));
    refused(&device("degree-vectors"), "\"clusters\" is 16777217: it must be at most 4097");
    me("rounds", 1_000_000_000, json!({ "epsilon-edges": 4, "clusters": 2 }));
    refused(&device("degree-vectors"), "1000000000 rounds are too many");
    home.write("config.toml", "method = \"mlp\"\nlayers = 1000000\nhidden = 1\n");
    refused("train graph --config config.toml --out deep", "layers is 1000000");
    assert!(!home.path("deep").exists() && !home.path("report.json").exists());
    // A number of classes that no reader accepts is not released, and nothing is charged for it.
    home.veil("ledger init book.db --budget label=1").succeeds();
    refused("privatize graph --epsilon-labels 1 --classes 4294967295 --ledger book.db --out many", "at most 1048576");
    refused("data import graph --classes 4294967295 --out many", "at most 1048576");
    assert!(!home.path("many").exists() && charges(&home) == 0);
}

/// A file of parameters takes what a sweep takes; flags override it.
#[test]
fn a_config_takes_what_a_sweep_takes() {
    let home = World::with_graph("citation --nodes 80");
    home.veil("data generate citation --nodes 80 --seed 2 --out other").succeeds();
    let file = "method = \"lpgnet\"\nepsilon-edges = 4\nhidden = 4\nepochs = 2\nsplit = \"0.5,0.25,0.25\"\nrange = \"0,1\"\n\
                declare-public = [\"features\", \"labels\"]\ninference-data = \"other\"\n";
    home.write("config.toml", file);
    home.veil("train graph --config config.toml --out run").succeeds();
    let record = read(&home, "run/run.json");
    assert_eq!((&record["split"], &record["range"]), (&json!("0.5,0.25,0.25"), &json!("0,1")));
    assert!(home.path("run/released").exists(), "features and labels are declared public");
    assert_eq!(home.list("run/inference").len(), 1);
    home.veil("train graph --config config.toml --split 0.6,0.2,0.2 --out again").succeeds();
    assert_eq!(read(&home, "again/run.json")["split"], "0.6,0.2,0.2");
    home.write("config.toml", "method = \"mlp\"\nsplit = \"most\"\n");
    home.veil("train graph --config config.toml --out wrong").fails_with(2).says("split = \"most\"");
}

/// The noise of a seed does not depend on who pays.
#[test]
fn a_seed_gives_the_same_student_with_and_without_a_ledger() {
    let home = World::with_parts();
    home.veil("ledger init book.db --budget node=10,0.001").succeeds();
    let train = "train parts/private --public-graph parts/public --method class-sums --epsilon 4 --hidden 8 --epochs 3";
    home.veil(&format!("{train} --seed 3 --out free")).succeeds();
    home.veil(&format!("{train} --seed 3 --ledger book.db --accept seeded --out paid")).succeeds();
    for file in ["predictions.csv", "model.safetensors", "released/labels.csv"] {
        assert!(home.read(&format!("free/{file}")) == home.read(&format!("paid/{file}")), "{file}");
    }
}

/// Who trains on a folder is told what would notice a change of it.
#[test]
fn a_training_on_a_release_says_whether_it_is_signed() {
    let home = World::with_citation_graph();
    home.veil(
        "privatize graph --epsilon-features 3 --epsilon-labels 3 --range 0,1 --split 0.5,0.25,0.25 --out released",
    )
    .succeeds();
    let said = home.veil("train released --epochs 2 --out one").succeeds();
    assert!(said.stderr().contains("not signed: only accidental change would be noticed"), "{}", said.stderr());
    home.veil("keys new owner.key").succeeds();
    home.veil("keys sign released --key owner.key").succeeds();
    let said = home.veil("train released --epochs 2 --out two").succeeds();
    assert!(said.stderr().contains("signed by the key"), "{}", said.stderr());
}

/// `refuted` is not `proven` because a file says so.
#[test]
fn an_edited_status_is_refused() {
    let home = World::with_citation_graph();
    let reports = "--epsilon-features 3 --epsilon-labels 3 --range 0,1 --split 0.5,0.25,0.25";
    home.veil(&format!("privatize graph --method graph-privatizer --epsilon-edges 1 {reports} --out released"))
        .succeeds();
    let statement = text(&home, "released/privacy.json");
    assert!(statement.contains("\"refuted\""));
    home.write("released/privacy.json", statement.replace("\"refuted\"", "\"proven\""));
    for file in ["digests.json", "privacy.md"] {
        std::fs::remove_file(home.path(&format!("released/{file}"))).unwrap();
    }
    home.veil("train released --epochs 2 --out run").fails_with(1).says("refuted");
    assert!(!home.path("run").exists());
}
