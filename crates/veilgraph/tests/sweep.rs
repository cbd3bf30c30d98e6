//! Sweeps: many runs from one file that survive whatever ends them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "what fails here fails a test")]

mod world;

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use world::{World, text};

fn with_graph() -> World {
    let home = World::new();
    home.veil("data generate citation --nodes 160 --seed 1 --out graph").succeeds();
    home
}

/// A table of runs without the time that they took, which is the last column.
fn timeless(home: &World, folder: &str) -> Vec<String> {
    let file = format!("{folder}.csv");
    if home.path(&file).exists() {
        std::fs::remove_file(home.path(&file)).unwrap();
    }
    home.veil(&format!("sweep export {folder} --csv {file}")).succeeds();
    text(home, &file).lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect()
}

fn count(folder: &Path) -> i64 {
    rows(&folder.join("book.sqlite"), OpenFlags::SQLITE_OPEN_READ_WRITE).expect("a book")
}

/// How many there seem to be while somebody writes. It takes no lock: whoever waits for one hears of results when they are long there.
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
edges = "neighbour-krr"
epsilon-edges = 4
epsilon-features = "inf"
epsilon-labels = 3
kx = 1

[[attacks]]
kind = "lsa"
pairs = 20
"#;

/// A sweep that was killed three times, in a folder of this name. None if it ended first: this computer had other things to do than to kill it.
fn killed_three_times(home: &World, folder: &str) -> Option<String> {
    let mut before = 0;
    for enough in [2, 50, 100] {
        let mut child = home
            .command()
            .args(format!("sweep sweep.toml --data g=graph --out {folder} --quiet").split_whitespace())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while glimpse(&home.path(folder)) < enough && child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(300), "too slow");
            std::thread::sleep(Duration::from_millis(1));
        }
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
    home.veil("sweep sweep.toml --data g=graph --out whole --quiet").succeeds().says("200 runs");
    let killed = (0..10).find_map(|attempt| killed_three_times(&home, &format!("killed{attempt}")));
    let killed = killed.expect("it always ended before it was killed");
    let before = count(&home.path(&killed));
    let last = home.veil(&format!("sweep sweep.toml --data g=graph --out {killed} --json")).succeeds().json();
    assert_eq!(last["there"], before, "nothing is run twice");
    assert_eq!(last["run"], 200 - before);
    assert_eq!(last["failed"], 0);
    assert_eq!(last["outcomes"].as_array().unwrap().len(), 200);
    assert_eq!(count(&home.path(&killed)), 200);
    let tables = ["whole", &killed].map(|folder| timeless(&home, folder));
    assert_eq!(tables[0].len(), 201);
    assert_eq!(tables[0], tables[1]);
}

const FOUR: &str = r#"
data = "g"
seeds = [7]

[parameters]
epochs = 6

[[cases]]
name = "local"
edges = "graph-privatizer"
strategy = "threshold"
alpha = 0.5
epsilon-edges = 1
epsilon-features = 3
epsilon-labels = 3
kx = 2
ky = 1
split = "0.5,0.25,0.25"

[[cases]]
name = "degree-vectors"
edges = "degree-vectors"
epsilon-edges = 2
epsilon-features = 3
epsilon-labels = 3
rounds = 2

[[cases]]
name = "lpgnet"
method = "lpgnet"
epsilon-edges = 4
stages = 2

[[cases]]
name = "dpgcn"
method = "dpgcn"
epsilon-edges = "4"
epsilon-count = 0.1

[[attacks]]
name = "published"
kind = "linkteller"
surface = "model"
influence = "difference"
weights = "last"

[[attacks]]
kind = "linkteller"
sample = "high-degree"
nodes = 30

[[attacks]]
kind = "lsa"
metric = "cosine"
centred = true
"#;

/// Figures of a training and of attacks on it, as the commands give them.
fn by_commands(home: &World, folder: &str, train: &str, truth: &str) -> Vec<(String, Value)> {
    let trained = home.veil(&format!("train graph {train} --seed 7 --out {folder} --json")).succeeds().json();
    let mut figures: Vec<(String, Value)> = Vec::new();
    for name in ["test_accuracy", "validation_accuracy", "validation_loss", "best_epoch", "edges_after", "edges_kept"] {
        figures.push((name.to_owned(), trained[name].clone()));
    }
    let mut run = folder.to_owned();
    if let Some(out) = trained["inference"]["out"].as_str() {
        figures.push(("inference_accuracy".to_owned(), trained["inference"]["classification"]["accuracy"].clone()));
        run = out.to_owned();
    }
    let attacks = [
        ("published", "linkteller", "--surface model --influence difference --weights last"),
        ("linkteller", "linkteller", "--sample high-degree --nodes 30"),
        ("lsa", "lsa", "--metric cosine --centred"),
    ];
    for (name, kind, options) in attacks {
        let found =
            home.veil(&format!("attack {kind} {run} --truth {truth} {options} --seed 7 --json")).succeeds().json();
        figures.push((format!("{name}_auc"), found["auc"].clone()));
        figures.push((format!("{name}_precision"), found["precision"].clone()));
        let twin = if found["edge_free_reads_features"] == true { found["auc_edge_free"].clone() } else { Value::Null };
        figures.push((format!("{name}_auc_edge_free"), twin));
    }
    figures
}

#[track_caller]
fn assert_same_figures(outcome: &Value, wanted: Vec<(String, Value)>) {
    assert_eq!(outcome["error"], Value::Null);
    for (name, wanted) in wanted {
        let found = &outcome["figures"][&name];
        assert_eq!(found.as_f64(), wanted.as_f64(), "{name} of {}", outcome["case"]);
    }
}

#[test]
fn figures_are_those_of_train_and_attack() {
    let home = with_graph();
    home.write("sweep.toml", FOUR);
    let done = home.veil("sweep sweep.toml --data g=graph --out sweep --json").succeeds().json();
    let outcomes = done["outcomes"].as_array().unwrap();
    let trainings = [
        "--edges graph-privatizer --strategy threshold --alpha 0.5 --epsilon-edges 1 --epsilon-features 3 --epsilon-labels 3 \
         --kx 2 --ky 1 --split 0.5,0.25,0.25 --epochs 6",
        "--edges degree-vectors --epsilon-edges 2 --epsilon-features 3 --epsilon-labels 3 --rounds 2 --epochs 6",
        "--method lpgnet --epsilon-edges 4 --stages 2 --epochs 6",
        "--method dpgcn --epsilon-edges 4 --epsilon-count 0.1 --epochs 6",
    ];
    assert_eq!(outcomes.len(), trainings.len());
    for (at, (outcome, training)) in outcomes.iter().zip(trainings).enumerate() {
        assert_same_figures(outcome, by_commands(&home, &format!("run-{at}"), training, "graph"));
    }
    let promises: Vec<&Value> = outcomes[3]["promises"].as_array().unwrap().iter().collect();
    let of_edges = promises.iter().find(|promise| promise["unit"] == "edge").unwrap();
    assert_eq!((of_edges["epsilon"].as_f64(), of_edges["status"].as_str()), (Some(4.0), Some("proven")));
}

#[test]
fn a_graph_to_answer_about_is_scored_and_attacked_as_by_the_commands() {
    let home = with_graph();
    home.veil("data generate citation --nodes 150 --seed 2 --out other").succeeds();
    let case = "[[cases]]\nname = \"dpgcn\"\nmethod = \"dpgcn\"\nepsilon-edges = 4\ninference-data = \"../other\"\n";
    let attacks = FOUR.split_once("[[attacks]]").unwrap().1;
    home.write(
        "sweep.toml",
        format!("data = \"g\"\nseeds = [7]\n[parameters]\nepochs = 6\nhidden = 8\n{case}[[attacks]]{attacks}"),
    );
    let done = home.veil("sweep sweep.toml --data g=graph --out sweep --json").succeeds().json();
    let train = "--method dpgcn --epsilon-edges 4 --epochs 6 --hidden 8 --inference-data other";
    let wanted = by_commands(&home, "run", train, "other");
    assert!(wanted.iter().any(|(name, _)| name == "inference_accuracy"));
    assert_same_figures(&done["outcomes"][0], wanted);
}

#[test]
fn students_are_those_of_train() {
    let home = World::new();
    home.veil("data generate citation --nodes 600 --seed 1 --out graph").succeeds();
    let split = "--private-per-class 25 --public-train 120 --public-test 120 --seed 1";
    home.veil(&format!("data split-private graph {split} --out parts")).succeeds();
    let file = r#"
        data = "private"
        seeds = [7]
        [parameters]
        public = "../public"
        delta = "1e-5"
        hidden = 8
        epochs = 4
        [grid]
        epsilon = ["8"]
        [[cases]]
        name = "privgnn"
        method = "privgnn"
        queries = 20
        k = 20
        gamma = 0.2
        [[cases]]
        name = "pate"
        method = "pate"
        teachers = 5
        queries = 30
        [[cases]]
        name = "class-sums"
        method = "class-sums"
    "#;
    home.write("sweep.toml", file);
    let done = home.veil("sweep sweep.toml --data private=parts/private --out sweep --json").succeeds().json();
    let methods = ["privgnn --queries 20 --k 20 --gamma 0.2", "pate --teachers 5 --queries 30", "class-sums"];
    for (at, method) in methods.into_iter().enumerate() {
        let common = "--public parts/public --delta 1e-5 --epsilon 8 --hidden 8 --epochs 4 --seed 7 --json";
        let train = format!("train parts/private --method {method} {common} --out run-{at}");
        let trained = home.veil(&train).succeeds().json();
        let figures =
            ["test_accuracy", "best_epoch", "edges_after"].map(|name| (name.to_owned(), trained[name].clone()));
        let mut figures = figures.to_vec();
        figures.push(("macro_f1".to_owned(), trained["classification"]["macro_f1"].clone()));
        assert_same_figures(&done["outcomes"][at], figures);
        let [promise, promised] = [&done["outcomes"][at]["promises"][0], &trained["guarantees"][0]];
        assert_eq!((&promise["unit"], &promise["epsilon"]), (&promised["unit"], &promised["epsilon"]));
    }
    // Students are not attacked, nor is the second of them.
    let attacked =
        file.replace("seeds = [7]", "seeds = [7, 8]") + "\n[[attacks]]\nkind = \"lsa\"\nwhere = { seed = 8 }\n";
    home.write("attacked.toml", attacked);
    let sweep = "sweep attacked.toml --data private=parts/private --out attacked";
    home.veil(sweep).fails_with(2).says("attacks look for edges, and privgnn learns on public ones");
}

const WORTH: &str = r#"
data = "g"
seeds = 3
[parameters]
epochs = 20
hidden = 8
[[cases]]
name = "mlp"
method = "mlp"
[[cases]]
name = "gcn"
method = "gnn"
[[cases]]
name = "lpgnet"
method = "lpgnet"
grid = { epsilon-edges = [1, 8] }
[[attacks]]
kind = "lsa"
pairs = 20
"#;

/// A figure of one case by seed, from the exported table.
fn exported(rows: &[String], case: &str, epsilon: &str, figure: &str) -> Vec<f64> {
    let cells = |row: &String| -> Vec<String> { row.split(',').map(str::to_owned).collect() };
    let headings = cells(&rows[0]);
    let of = |row: &[String], name: &str| row[headings.iter().position(|heading| heading == name).unwrap()].clone();
    let rows = rows[1..].iter().map(cells).filter(|row| of(row, "case") == case && of(row, "epsilon-edges") == epsilon);
    rows.map(|row| of(&row, figure).parse().unwrap()).collect()
}

#[test]
fn a_sweep_says_what_every_point_is_worth() {
    let home = with_graph();
    home.write("sweep.toml", WORTH);
    let done = home.veil("sweep sweep.toml --data g=graph --out sweep --json").succeeds().json();
    assert_eq!((&done["floor"], &done["non_private"]), (&"mlp".into(), &"gcn".into()), "found by what they promise");
    let points = done["points"].as_array().unwrap();
    assert_eq!(points.len(), 4);
    let rows = timeless(&home, "sweep");
    let open = exported(&rows, "gcn", "", "test_accuracy");
    for (point, epsilon) in [(&points[2], "1"), (&points[3], "8")] {
        let private = exported(&rows, "lpgnet", epsilon, "test_accuracy");
        let lost: Vec<f64> = open.iter().zip(&private).map(|(open, private)| open - private).collect();
        let difference = &point["gap"]["difference"];
        assert_eq!((lost.len(), &difference["count"], &point["gap"]["reference"]), (3, &3.into(), &"gcn".into()));
        assert!((difference["mean"].as_f64().unwrap() - lost.iter().sum::<f64>() / 3.0).abs() < 1e-9);
        // Of three seeds the interval is the range.
        let ends: Vec<f64> =
            difference["interval"].as_array().unwrap().iter().map(|end| end.as_f64().unwrap()).collect();
        let wanted = [lost.iter().copied().fold(f64::MAX, f64::min), lost.iter().copied().fold(f64::MIN, f64::max)];
        assert!((ends[0] - wanted[0]).abs() < 1e-9 && (ends[1] - wanted[1]).abs() < 1e-9, "{ends:?} {wanted:?}");
        // Of three seeds, all must be above the floor, and harder to attack than without privacy.
        let above = |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(one, other)| one > other);
        let auc = |case: &str, epsilon: &str| exported(&rows, case, epsilon, "lsa_auc");
        let sweet = above(&private, &exported(&rows, "mlp", "", "test_accuracy"))
            && above(&auc("gcn", ""), &auc("lpgnet", epsilon));
        assert_eq!(point["sweet"]["lsa_auc"], sweet);
        assert_eq!(point["gap"]["differs"], serde_json::json!(["bias", "model"]));
    }
    assert_eq!((&points[0]["front"]["epsilon"], &points[1]["gap"]), (&true.into(), &Value::Null));
    let text = home.veil("sweep sweep.toml --data g=graph --out sweep").succeeds();
    let wanted = [
        "accuracy %",
        "gap: accuracy lost against gcn",
        "lpgnet, mlp beside gcn by nature: other bias, model",
        "a sweet spot: more accurate than mlp",
    ];
    for wanted in wanted {
        assert!(text.stdout().contains(wanted), "{wanted}: {}", text.stdout());
    }
    assert!(text.stdout().lines().all(|line| line.chars().count() <= 120), "{}", text.stdout());
    let other = home.veil("sweep sweep.toml --data g=graph --out sweep --non-private lpgnet --json").succeeds().json();
    assert_eq!(other["non_private"], "lpgnet");
    home.veil("sweep sweep.toml --data g=graph --out sweep --floor gat").fails_with(2).says("no case \"gat\"");
    let same = "sweep sweep.toml --data g=graph --out sweep --floor mlp --non-private mlp";
    home.veil(same).fails_with(2).says("name the same case");
    // Two seeds are too few to say, and of two floors nobody knows which is meant.
    let few = home.veil("sweep sweep.toml --data g=graph --out sweep --seeds 2").succeeds();
    assert!(few.stdout().contains("★ takes three seeds in common with mlp and gcn: not said of lpgnet"));
    home.write(
        "sweep.toml",
        WORTH.replace("[[attacks]]", "[[cases]]\nname = \"mlp-2\"\nmethod = \"mlp\"\nlr = 0.02\n[[attacks]]"),
    );
    // What learns faster is not compared.
    let longer = home.veil("sweep sweep.toml --data g=graph --out sweep --floor mlp").succeeds();
    assert!(longer.stdout().contains("no gap where gcn was trained otherwise, or with other seeds: mlp-2"));
    let two = home.veil("sweep sweep.toml --data g=graph --out sweep").succeeds();
    assert!(two.stdout().contains("--floor says what to compare with: it could be mlp or mlp-2"), "{}", two.stdout());
}

/// A model that is asked about another graph is attacked there, and so its accuracy counts there.
#[test]
fn a_sweep_about_another_graph_says_what_points_are_worth_there() {
    let home = with_graph();
    home.veil("data generate citation --nodes 150 --seed 2 --out other").succeeds();
    let file = WORTH.replace("[parameters]", "[parameters]\ninference-data = \"../other\"\nsplit = \"all\"");
    home.write("sweep.toml", file);
    let done = home.veil("sweep sweep.toml --data g=graph --out sweep --json").succeeds().json();
    let rows = timeless(&home, "sweep");
    let mean = |figures: Vec<f64>| figures.iter().sum::<f64>() / 3.0;
    for point in done["points"].as_array().unwrap() {
        let (case, epsilon) = (point["case"].as_str().unwrap(), point["point"]["epsilon-edges"].to_string());
        let there = mean(exported(&rows, case, epsilon.trim_start_matches("null"), "inference_accuracy"));
        assert!((point["accuracy"]["mean"].as_f64().unwrap() - there).abs() < 1e-9);
        assert_eq!(point["scored"], "inference");
    }
    assert_eq!(done["points"][2]["gap"]["reference"], "gcn");
    assert!(done["points"][2]["sweet"]["lsa_auc"].is_boolean());
    let text = home.veil("sweep sweep.toml --data g=graph --out sweep").succeeds();
    for wanted in ["inference accuracy %", "accuracy is of the graph that is asked about once trained"] {
        assert!(text.stdout().contains(wanted), "{}", text.stdout());
    }
}

#[test]
fn the_number_of_cores_changes_nothing() {
    let home = with_graph();
    home.write("sweep.toml", FOUR.replace("[7]", "2"));
    for (cores, out) in [("1", "one"), ("3", "three")] {
        home.veil(&format!("sweep sweep.toml --data g=graph --out {out} --cores {cores}")).succeeds().says("8 runs");
    }
    let tables = ["one", "three"].map(|folder| timeless(&home, folder));
    assert_eq!(tables[0], tables[1]);
    assert!(tables[0][0].starts_with("case,data,seed,best_epoch,"), "{}", tables[0][0]);
    // In the order of the file, whatever was done first.
    let starts: Vec<String> =
        tables[0][1..].iter().map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect();
    assert_eq!(starts[..3], ["local,g,1", "local,g,2", "degree-vectors,g,1"]);
}

const SMALL: &str = r#"
data = "g"
seeds = 2
[parameters]
epochs = 2
method = "mlp"
[grid]
hidden = [4, 8]
[[cases]]
name = "a"
[[cases]]
name = "b"
lr = 0.01
"#;

#[test]
fn the_same_run_is_not_run_twice_and_more_seeds_go_on() {
    let home = with_graph();
    home.write("sweep.toml", SMALL);
    let first = home.veil("sweep sweep.toml --data g=graph --out sweep --json").succeeds().json();
    // The learning rate of `b` is the default.
    assert_eq!((&first["runs"], &first["distinct"], &first["run"]), (&8.into(), &4.into(), &4.into()));
    assert_eq!(first["outcomes"][0]["figures"], first["outcomes"][4]["figures"]);
    let more = home.veil("sweep sweep.toml --data g=graph --out sweep --seeds 3 --json").succeeds().json();
    assert_eq!((&more["runs"], &more["there"], &more["run"]), (&12.into(), &4.into(), &2.into()));
    // Other data under the same name are other runs.
    home.veil("data generate citation --nodes 160 --seed 2 --out graph2").succeeds();
    let other = home.veil("sweep sweep.toml --data g=graph2 --out sweep --json").succeeds().json();
    assert_eq!((&other["there"], &other["run"]), (&0.into(), &4.into()));
}

#[test]
fn a_failed_run_is_written_down_and_tried_again_only_when_asked() {
    let home = with_graph();
    // Two nodes of lowest degree have no edge between them.
    let attack =
        "[[attacks]]\nkind = \"lsa\"\nsample = \"low-degree\"\nnodes = 2\nwhere = { hidden = 4, case = \"b\" }\n";
    home.write("sweep.toml", SMALL.replace("lr = 0.01", "lr = 0.02") + attack);
    let first = home.veil("sweep sweep.toml --data g=graph --out sweep --json").succeeds();
    assert!(first.stderr().contains("2 of 8 runs failed, the first of them b on g, seed 1: attack lsa: none of the"));
    let first = first.json();
    assert_eq!((&first["run"], &first["failed"]), (&8.into(), &2.into()));
    let failed: Vec<&Value> =
        first["outcomes"].as_array().unwrap().iter().filter(|outcome| !outcome["error"].is_null()).collect();
    assert_eq!(failed.len(), 2);
    assert!(
        failed.iter().all(|outcome| outcome["point"]["hidden"] == 4 && outcome["figures"] == serde_json::json!({}))
    );
    let again = home.veil("sweep sweep.toml --data g=graph --out sweep --json").succeeds().json();
    assert_eq!((&again["there"], &again["run"]), (&8.into(), &0.into()));
    let retried = home.veil("sweep sweep.toml --data g=graph --out sweep --retry-failed --json").succeeds().json();
    assert_eq!((&retried["there"], &retried["run"], &retried["failed"]), (&6.into(), &2.into(), &2.into()));
    assert_eq!(count(&home.path("sweep")), 8);
    // What has not one result is no success.
    home.write("failing.toml", SMALL.to_owned() + &attack.replace("where = { hidden = 4, case = \"b\" }\n", ""));
    let failing = "sweep failing.toml --data g=graph --out failing";
    home.veil(failing).fails_with(1).says("none of 8 runs succeeded");
    home.veil(failing).fails_with(1).says("none of 8 runs succeeded");
    // The table has the columns that it would have had.
    home.veil("sweep export failing --csv failing.csv").succeeds();
    assert!(text(&home, "failing.csv").starts_with("case,data,hidden,seed,best_epoch,"));
}

/// Who is told to end did not die of what was under way: the next time it is not put last.
#[test]
fn an_interrupted_sweep_suspects_nothing() {
    let home = with_graph();
    home.write("sweep.toml", SMALL.replace("epochs = 2", "epochs = 1000000"));
    let sweep = "sweep sweep.toml --data g=graph --out sweep --quiet";
    let mut child = home.command().args(sweep.split_whitespace()).stderr(Stdio::null()).spawn().unwrap();
    let begun = |column: &str| -> rusqlite::Result<i64> {
        let book = Connection::open_with_flags(home.path("sweep/book.sqlite"), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        book.busy_timeout(Duration::from_secs(10))?;
        book.query_row(&format!("SELECT sum({column}) FROM begun"), [], |row| row.get(0))
    };
    let start = Instant::now();
    while begun("under_way").unwrap_or(0) == 0 {
        assert!(start.elapsed() < Duration::from_secs(100) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!((begun("under_way"), begun("deaths")), (Ok(0), Ok(0)));
}

/// Memory that is not there ends the program without a word: everything else is there in the end, and then it is said.
#[test]
fn a_run_that_needs_too_much_memory_is_given_up() {
    let home = with_graph();
    let large = "[[cases]]\nname = \"large\"\nhidden = 700000\nepochs = 1\n";
    home.write("sweep.toml", SMALL.replace("[grid]\nhidden = [4, 8]\n", "hidden = 4\n") + large);
    let sweep = "sweep sweep.toml --data g=graph --out sweep --seeds 1 --cores 2";
    for there in [None, Some(1), Some(1)] {
        let said = home.veil_in_little_memory(sweep);
        assert!(said.died(), "{}", said.stdout());
        // The learning rate of `b` is the default, so there are two runs.
        there.into_iter().for_each(|there| assert_eq!(count(&home.path("sweep")), there));
    }
    let last = home.veil_in_little_memory(&format!("{sweep} --json")).succeeds().json();
    assert_eq!((&last["there"], &last["run"], &last["failed"]), (&1.into(), &1.into(), &1.into()));
    let error = last["outcomes"][2]["error"].as_str().unwrap();
    assert!(error.starts_with("the process died during it three times"), "{error}");
}

#[test]
fn what_is_wrong_is_said_with_its_line_before_anything_is_run() {
    let home = with_graph();
    let cases = [
        (SMALL.split_once("[[cases]]").unwrap().0.to_owned(), "sweep.toml:1: the file has no `cases`"),
        (SMALL.replace("hidden = [4, 8]", "hiden = [4, 8]"), "sweep.toml:8: `hiden` is no parameter of veil train"),
        (SMALL.replace("epochs = 2", "epochs = \"two\""), "sweep.toml:5: epochs = \"two\": "),
        (SMALL.replace("lr = 0.01", "lr = -1"), "sweep.toml:11: b on g, hidden = 4: "),
        (SMALL.replace("method = \"mlp\"", "edges = \"raw\""), "sweep.toml:9: a on g, hidden = 4: labels are needed"),
        (SMALL.to_owned() + "[[exclude]]\nhidden = 5\n", "sweep.toml:14: no run is like that"),
        (
            SMALL.to_owned() + "[[attacks]]\nkind = \"lsa\"\nwhere = { edges = \"raw\" }\n",
            "sweep.toml:16: no run is like that",
        ),
        (SMALL.replace("\"b\"", "\"a\""), "sweep.toml:11: a on g is set otherwise by line 9"),
        (SMALL.to_owned() + "[[attacks]]\nkind = \"lsb\"\n", "sweep.toml:15: \"lsb\" is no attack"),
        (SMALL.to_owned() + "[report]\n", "sweep.toml:14: `report` is not known here"),
        (SMALL.replace("seeds = 2", "seeds = 2 2"), "line 3"),
    ];
    for (file, problem) in cases {
        home.write("sweep.toml", file);
        home.veil("sweep sweep.toml --data g=graph --out sweep").fails_with(2).says(problem);
        assert!(!home.path("sweep").exists());
    }
    home.write("sweep.toml", SMALL);
    home.veil("sweep sweep.toml --out sweep").fails_with(2).says("pass --data g=PATH");
    home.veil("sweep sweep.toml --data g=nowhere --out sweep").fails_with(1).says("nowhere");
    home.veil("sweep nothing.toml --data g=graph --out sweep").fails_with(2).says("nothing.toml");
    home.veil("sweep sweep.toml --data g --out sweep").fails_with(2).says("NAME=PATH");
    let more = "sweep sweep.toml --data g=graph --data x=nope --out sweep";
    home.veil(more).fails_with(2).says("the sweep names no data \"x\" (it names g)");
    for (seeds, problem) in [("4000000000", "4000000000 seeds are too many"), ("300000", "1200000 runs are too many")] {
        home.veil(&format!("sweep sweep.toml --data g=graph --out sweep --seeds {seeds}")).fails_with(2).says(problem);
    }
    home.veil("sweep sweep.toml --data g=graph").fails_with(2).says("--out");
    home.veil("sweep sweep.toml --data g=graph --out graph/sweep").fails_with(2).says("lies inside the raw data");
    home.veil("sweep export sweep --csv a.csv").fails_with(1).says("holds no sweep");
    home.veil("sweep export sweep").fails_with(2).says("--csv");
    assert!(!home.path("sweep").exists());
}

#[test]
fn a_book_of_another_kind_or_in_other_hands_is_left_alone() {
    let home = with_graph();
    home.write("sweep.toml", SMALL);
    let sweep = "sweep sweep.toml --data g=graph --out sweep";
    home.veil(sweep).succeeds();
    let lock = std::fs::File::open(home.path("sweep/lock")).unwrap();
    lock.lock().unwrap();
    home.veil(sweep).fails_with(1).says("another process is working on this sweep");
    // Reading is no work.
    home.veil("sweep export sweep --parquet runs.parquet").succeeds().says("8 runs");
    home.veil("sweep export sweep --parquet runs.parquet").fails_with(1).says("already");
    drop(lock);
    let book = Connection::open(home.path("sweep/book.sqlite")).unwrap();
    book.pragma_update(None, "user_version", 99).unwrap();
    drop(book);
    for command in [sweep, "sweep export sweep --csv runs.csv"] {
        home.veil(command).fails_with(1).says("a book of version 99; this program knows version 2");
    }
    home.write("sweep/book.sqlite", "something else entirely, and long enough to be read as one: no book at all");
    home.veil(sweep).fails_with(1).says("this is not the book of a sweep");
}
