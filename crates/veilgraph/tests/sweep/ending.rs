//! Resuming a sweep after a kill, an interrupt, or a lack of memory.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::world::{World, waited};
use crate::{SMALL, timeless, with_graph};

pub fn count(folder: &Path) -> i64 {
    rows(&folder.join("book.sqlite"), OpenFlags::SQLITE_OPEN_READ_WRITE).expect("a book")
}

/// The number of results while another process writes, read without a lock: waiting for one would
/// take until long after they were written.
fn glimpse(folder: &Path) -> i64 {
    let uri = format!("file:{}?immutable=1", folder.join("book.sqlite").display());
    // It may not be there yet, or half a page of it.
    rows(Path::new(&uri), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI).unwrap_or(0)
}

fn rows(book: &Path, how: OpenFlags) -> rusqlite::Result<i64> {
    Connection::open_with_flags(book, how)?.query_row("SELECT count(*) FROM result", [], |row| row.get(0))
}

const TWO_HUNDRED: &str = r#"
data = "g"
seeds = 20

[parameters]
epochs = 4
hidden = 8

[grid]
lr = [0.01, 0.05]

[[cases]]
name = "lpgnet"
method = "lpgnet"
grid = { epsilon-edges = [1, 4] }

[[cases]]
name = "dpgcn"
method = "dpgcn"
epsilon-edges = 4
epsilon-count = 0.1

[[cases]]
name = "gnn"
method = "gnn"

[[cases]]
name = "local"
method = "neighbour-krr"
epsilon-edges = 4
epsilon-features = "inf"
epsilon-labels = 3
kx = 1

[[attacks]]
kind = "lsa"
pairs = 20
"#;

/// A sweep that was killed three times, in a folder of this name; none if it ended before that.
fn killed_three_times(home: &World, folder: &str) -> Option<String> {
    let mut before = 0;
    for enough in [2, 50, 100] {
        let mut child = home.started(&format!("lab sweep sweep.toml --data g=graph --out {folder} --quiet"));
        waited(&mut child, || glimpse(&home.path(folder)) >= enough);
        child.kill().unwrap();
        child.wait().unwrap().signal()?;
        let there = count(&home.path(folder));
        // What was seen may have been on its way: then it is rolled back.
        assert!(there > before && there >= enough - 1, "{there} after {before}");
        if there == 200 {
            return None;
        }
        before = there;
    }
    Some(folder.to_owned())
}

#[test]
fn two_hundred_runs_survive_being_killed_three_times() {
    let home = with_graph();
    home.write("sweep.toml", TWO_HUNDRED);
    home.veil("lab sweep sweep.toml --data g=graph --out whole --quiet").succeeds().says("200 runs");
    let killed = (0..10).find_map(|attempt| killed_three_times(&home, &format!("killed{attempt}")));
    let killed = killed.expect("it always ended before it was killed");
    let before = count(&home.path(&killed));
    let last = home.shown(&format!("lab sweep sweep.toml --data g=graph --out {killed}"));
    assert_eq!(last["there"], before, "nothing is run twice");
    assert_eq!(last["run"], 200 - before);
    assert_eq!(last["failed"], 0);
    assert_eq!(last["outcomes"].as_array().unwrap().len(), 200);
    assert_eq!(count(&home.path(&killed)), 200);
    let tables = ["whole", &killed].map(|folder| timeless(&home, folder));
    assert_eq!(tables[0].len(), 201);
    assert_eq!(tables[0], tables[1]);
}

/// An interrupt is not counted as a crash: the interrupted run is not put last.
#[test]
fn an_interrupted_sweep_suspects_nothing() {
    let home = with_graph();
    home.write("sweep.toml", SMALL.replace("epochs = 2", "epochs = 1000000"));
    let mut child = home.started("lab sweep sweep.toml --data g=graph --out sweep --quiet");
    let begun = |column: &str| -> rusqlite::Result<i64> {
        let book = Connection::open_with_flags(home.path("sweep/book.sqlite"), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        book.busy_timeout(Duration::from_secs(10))?;
        book.query_row(&format!("SELECT sum({column}) FROM begun"), [], |row| row.get(0))
    };
    assert!(waited(&mut child, || begun("under_way").unwrap_or(0) > 0), "the sweep ended");
    std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!((begun("under_way"), begun("deaths")), (Ok(0), Ok(0)));
}

/// A lack of memory ends the program without a message: all other runs are done first, and then the
/// run is reported.
#[test]
fn a_run_that_needs_too_much_memory_is_given_up() {
    let home = with_graph();
    // Another run fails by itself, which must not hide what is given up.
    let fails = "[[cases]]\nname = \"fails\"\nhidden = 5\n";
    let attack = "[[attacks]]\nkind = \"lsa\"\nsample = \"low-degree\"\nnodes = 2\nwhere = { case = \"fails\" }\n";
    let large = "[[cases]]\nname = \"large\"\nhidden = 700000\nepochs = 1\n";
    home.write("sweep.toml", SMALL.replace("[grid]\nhidden = [4, 8]\n", "hidden = 4\n") + fails + large + attack);
    let sweep = "lab sweep sweep.toml --data g=graph --out sweep --seeds 1 --cores 2";
    for there in [None, Some(2), Some(2)] {
        let said = home.veil_in_little_memory(sweep);
        assert!(said.died(), "{}", said.stdout());
        // The learning rate of `b` is the default, so there are three runs.
        there.into_iter().for_each(|there| assert_eq!(count(&home.path("sweep")), there));
    }
    let said = home.veil_in_little_memory(&format!("{sweep} --json")).succeeds();
    // Somebody may have killed it: what is given up is said, and how to try it again.
    assert!(said.stderr().contains("killed from outside (--retry-failed tries them again)"), "{}", said.stderr());
    assert!(said.stderr().contains("1 of 4 runs was given up, the first of them large"), "{}", said.stderr());
    assert!(said.stderr().contains("1 of 4 runs failed, the first of them fails"), "{}", said.stderr());
    let last = said.json();
    assert_eq!((&last["there"], &last["run"], &last["failed"]), (&2.into(), &1.into(), &1.into()));
    let error = last["outcomes"][3]["error"].as_str().unwrap();
    assert!(error.starts_with("the process died during it three times"), "{error}");
}
