//! Stories about an owner who releases a student: labels of public nodes, answered from a private
//! graph.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails a test")]

mod world;

use std::process::{Child, Command, Stdio};

use serde_json::json;
use world::{World, assert_same_run, entries, json as read, spent, text, waited};

/// Short, because what is learned does not matter here.
const SHORT: &str = "--hidden 8 --epochs 4";

fn ask(home: &World, words: &str, out: &str) -> world::Said {
    home.veil(&format!("train parts/private --public-graph parts/public {SHORT} {words} --out {out}"))
}

#[test]
fn a_student_is_released_its_cost_is_proven_and_booked_and_nothing_is_left_over() {
    let home = World::with_parts();
    home.veil("ledger init book.db --budget node=10,0.0001 --budget edge=20,1").succeeds();
    let how = "--method privgnn --queries 30 --k 20 --gamma 0.2 --epsilon 8 --delta 1e-5 --ledger book.db --json";
    let shown = ask(&home, how, "run").succeeds().json();
    let promised = &shown["guarantees"][0];
    assert_eq!(
        json!([promised["unit"], promised["trust"], promised["status"], promised["mechanism"]]),
        json!(["node", "central", "proven", "privgnn"])
    );
    let epsilon = promised["epsilon"].as_f64().unwrap();
    assert!(epsilon > 7.9 && epsilon <= 8.0, "{epsilon}");
    assert_eq!(spent(&home, "book.db", "node").as_f64().unwrap(), epsilon);
    // A node has edges: one of them more or less is two steps.
    assert_eq!(spent(&home, "book.db", "edge").as_f64().unwrap(), 2.0 * epsilon);
    assert!(shown["test_accuracy"].as_f64().is_some());
    let statement = text(&home, "run/privacy.md");
    assert!(statement.contains("Each single node with its features, label and edges"), "{statement}");
    assert!(statement.contains("the private graph") && statement.contains("its nodes, features, labels and edges"));
    // What is released of labels are answers about 30 public nodes.
    assert_eq!(text(&home, "run/released/labels.csv").lines().filter(|line| !line.ends_with(',')).count(), 31);
    assert!(home.list(".").iter().all(|name| !name.contains("unfinished")), "{:?}", home.list("."));
    // How long teachers took follows from private data.
    assert_eq!(json!([shown["seconds"]["read"], shown["seconds"]["privatise"]]), json!([0.0, 0.0]));
    // The run is a run: it answers, also about another graph.
    home.veil("predict run").succeeds();
    home.veil("predict run --data parts/outside --declare-public nodes --out elsewhere").succeeds();
    let attack = "attack membership run --truth parts/private --outside parts/outside --shadows 4";
    home.veil(attack).succeeds().says("likelihood");
}

#[test]
fn every_way_of_answering_repeats_itself_on_any_number_of_threads() {
    let home = World::with_parts();
    for (place, how) in [
        "privgnn --release krr --queries 20 --k 20 --gamma 0.5 --lambda 1",
        "privgnn --release noisy-argmax --queries 20 --k 20 --gamma 0.5 --lambda 1 --measure cosine --choose pagerank",
        "privgnn --release noisy-log-posterior --queries 20 --k 20 --gamma 0.5 --lambda 0.4 --choose degree",
        "pate --teachers 5 --queries 20 --lambda 1 --choose clustering",
        "pate --teachers 5 --queries 20 --teacher mlp --epsilon 8",
    ]
    .into_iter()
    .enumerate()
    {
        let [one, two] = ["one", "two"].map(|name| format!("{name}{place}"));
        for (threads, out) in [(1, &one), (3, &two)] {
            let words =
                format!("train parts/private --public-graph parts/public {SHORT} --method {how} --seed 3 --out {out}");
            home.veil_on_threads(threads, &words).succeeds().says("NOT PRIVATE (seed)");
        }
        assert_same_run(&home, &one, &two);
    }
}

/// Starts a command and waits until its file has so many lines. None if it ended first: this
/// computer had other things to do than to look.
fn started(home: &World, words: &str, (file, lines): (&str, usize)) -> Option<Child> {
    let mut command = home.command();
    command.args(words.split_whitespace()).env("RAYON_NUM_THREADS", "2").stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let written = || std::fs::read_to_string(home.path(file)).map_or(0, |text| text.lines().count());
    waited(&mut child, || written() >= lines).then_some(child)
}

#[test]
fn killed_at_any_point_it_goes_on_and_ends_with_the_same_student_and_the_same_ledger() {
    let home = World::with_parts();
    // Slow enough to be killed in the middle of it.
    let how = "--method privgnn --queries 40 --k 60 --gamma 0.5 --lambda 0.2 --hidden 64 --epochs 60 --seed 5 --accept seeded";
    let train = |book: &str, out: &str| {
        home.veil(&format!("ledger init {book} --budget node=100,0.1")).succeeds();
        format!("train parts/private --public-graph parts/public {how} --ledger {book} --out {out}")
    };
    home.veil(&train("whole.db", "whole")).succeeds();

    let killed = |attempt: u32| {
        let (book, out) = (format!("killed{attempt}.db"), format!("killed{attempt}"));
        let words = train(&book, &out);
        for lines in [0, 3, 11, 25, 41] {
            let mut child = started(&home, &words, (&format!(".{out}.unfinished/answers.csv"), lines))?;
            child.kill().unwrap();
            child.wait().unwrap();
            if home.path(&out).exists() {
                return None;
            }
        }
        Some((book, out, words))
    };
    let (book, out, words) = (0..20).find_map(killed).expect("it always ended before it was killed");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(home.path(&format!(".{out}.unfinished/key"))).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let said = home.veil(&words).succeeds();
    assert!(said.stderr().contains("resuming: 40 of 40 answers are kept"), "{}", said.stderr());
    assert_same_run(&home, "whole", &out);
    assert_eq!((spent(&home, &book, "node"), entries(&home, &book)), (serde_json::json!("unbounded"), 1));
    assert!(home.list(".").iter().all(|name| !name.ends_with("unfinished")), "{:?}", home.list("."));
}

#[cfg(unix)]
#[test]
fn an_interrupted_release_is_continued_by_the_same_command_alone() {
    let home = World::with_parts();
    home.veil("ledger init book.db --budget node=100,0.1").succeeds();
    let how = "--method privgnn --queries 40 --k 60 --gamma 0.5 --hidden 64 --epochs 200 --ledger book.db";
    let words = format!("train parts/private --public-graph parts/public {how} --lambda 0.2 --out run");
    let mut child = started(&home, &words, (".run.unfinished/answers.csv", 2)).expect("it has 38 teachers to go");
    // Nobody else may work on it meanwhile. It stands still, or it might end first.
    assert!(Command::new("kill").args(["-STOP", &child.id().to_string()]).status().unwrap().success());
    home.veil(&words).fails_with(1).says("is in use by another command");
    child.kill().unwrap();
    child.wait().unwrap();
    let other = words.replace("--lambda 0.2", "--lambda 0.3");
    home.veil(&other).fails_with(1).says("had other data or parameters").says("resume it with the same ones");
    home.veil(&words.replace("--ledger book.db", "")).fails_with(1).says("had other data or parameters");
    home.veil(&format!("{words} --seed 7")).fails_with(1).says("had other data or parameters");
    assert_eq!(entries(&home, "book.db"), 1);
    home.veil(&words).succeeds();
    assert_eq!(entries(&home, "book.db"), 1);
}

#[test]
fn what_cannot_be_is_said_before_anything_is_spent() {
    let home = World::with_parts();
    home.veil("ledger init book.db --budget node=10,0.0001").succeeds();
    home.veil("data generate social --nodes 100 --seed 1 --out wide").succeeds();
    home.write("vectors.toml", "edges = \"degree-vectors\"\n");
    home.veil("data generate bipartite --nodes 100 --seed 1 --out other").succeeds();
    for (how, code, said) in [
        ("--gamma 0", 2, "γ must be above 0 and at most 1, not 0"),
        ("--gamma 1.5", 2, "not 1.5"),
        ("--gamma nan", 2, "gamma = nan: expected a number"),
        ("--k 0", 2, "K must be at least 1"),
        ("--k 5000 --declare-public private-nodes", 2, "K is 5000, but"),
        ("--queries 121", 2, "121 queries are too many"),
        ("--queries 0", 2, "at least one query"),
        ("--epsilon 4", 2, "set either epsilon or lambda, not both"),
        ("--delta 0", 2, "δ must be above 0 and below 1"),
        ("--delta 1", 2, "δ must be above 0 and below 1"),
        ("--teachers 5", 2, "teachers is not a parameter of privgnn: only pate reads it"),
        ("--epsilon-edges 1", 2, "epsilon-edges is not a parameter of privgnn"),
        ("--scale rows", 2, "scale is not a parameter of privgnn"),
        ("--split 0.5,0.2,0.3", 2, "--split cannot be used with privgnn"),
        ("--range 0,1", 2, "--range cannot be used with privgnn"),
        ("--inference-data graph", 2, "--inference-data cannot be used with privgnn"),
        ("--layers 0", 2, "layers is 0"),
        ("--epochs 0", 2, "epochs is 0"),
        ("--lr -1", 2, "learning rate is -1"),
        ("--select lowest-validation-loss", 2, "validation"),
        ("--kx 1000000000", 2, "1000000000 hops"),
        ("--config vectors.toml", 2, "unknown parameter edges"),
        ("--lambda 100", 1, "over budget for node"),
        ("--release noisy-log-posterior", 1, "is not proven (status refuted)"),
    ] {
        let base = format!("{SHORT} --method privgnn --queries 20 --k 20 --gamma 0.5 --lambda 0.1 --ledger book.db");
        // The last one counts: each flag may stand once.
        let mut words: Vec<&str> = base.split(' ').collect();
        let (flag, value) = how.split_once(' ').unwrap();
        if let Some(place) = words.iter().position(|word| *word == flag) {
            words[place + 1] = value;
        } else {
            words.extend([flag, value]);
        }
        let words = format!("train parts/private --public-graph parts/public {} --out run", words.join(" "));
        home.veil(&words).fails_with(code).says(said);
        assert_eq!(home.list(".").iter().filter(|name| name.contains("run")).count(), 0, "{how}");
    }
    let how = "--method privgnn --queries 20 --k 20 --gamma 0.5 --lambda 0.1 --ledger book.db --out run";
    let trained = |public: &str| home.veil(&format!("train parts/private --public-graph {public} {how}"));
    trained("wide").fails_with(2).says("feature dimensions, but");
    home.veil(&format!("train parts/private {how}"))
        .fails_with(2)
        .says_all(&["requires a public graph", "--public-graph DATA"]);
    let sums = "--method class-sums --epsilon 4 --ledger book.db";
    for (how, said) in [("--lr -1", "learning rate is -1"), ("--weight-decay -1", "weight decay is -1")] {
        ask(&home, &format!("{sums} {how}"), "run").fails_with(2).says(said);
    }
    for file in ["edges.csv", "features.csv.gz", "splits.csv"] {
        home.write(&format!("unlabelled/{file}"), std::fs::read(home.path(&format!("parts/private/{file}"))).unwrap());
    }
    let unlabelled = format!("train unlabelled --public-graph parts/public {how}");
    home.veil(&unlabelled).fails_with(2).says("has no labels to answer with");
    for (flag, said) in [
        ("--public-graph parts/public", "gnn reads no public graph"),
        ("--queries 5", "it belongs to privgnn and pate"),
        ("--lambda 1", "it belongs to privgnn and pate"),
        ("--denoise true", "it belongs to privgnn and pate"),
        ("--gamma 0.1", "it belongs to privgnn and dp-mlp"),
    ] {
        home.veil(&format!("train graph --method gnn {flag} --out run")).fails_with(2).says(said);
    }
    assert_eq!(entries(&home, "book.db"), 0);

    // A sample that is smaller than K is no error: that would tell who is a member.
    ask(&home, "--method privgnn --queries 5 --k 100 --gamma 0.05 --lambda 0.1", "small").succeeds();
    let warned = ask(&home, "--method privgnn --queries 5 --k 20 --lambda 0.1 --delta 0.01", "careless").succeeds();
    assert!(warned.stderr().contains("δ = 0.01 is not below 1/"), "{}", warned.stderr());
    // What is refuted can be accepted by name, and is booked as unbounded.
    let refuted = "--method privgnn --release noisy-log-posterior --queries 5 --k 20 --lambda 0.4";
    ask(&home, &format!("{refuted} --ledger book.db --accept refuted"), "refuted").succeeds().says("refuted");
    assert_eq!(spent(&home, "book.db", "node"), "unbounded");
}

#[test]
fn classes_that_have_nothing_in_common_are_refused() {
    let home = World::with_parts();
    let how = "--method privgnn --queries 5 --k 20 --lambda 0.4";
    let named = |part: &str, names: [&str; 7]| {
        let rows: String = (0..).zip(names).map(|(label, name)| format!("{label},{name}\n")).collect();
        home.write(&format!("parts/{part}/classes.csv"), format!("label,name\n{rows}"));
    };
    named("private", ["a", "b", "c", "d", "e", "f", "g"]);
    named("public", ["t", "u", "v", "w", "x", "y", "z"]);
    ask(&home, how, "run").fails_with(2).says("have no classes in common: ").says("has 7 (t, u, v, w, x, y, z)");
    named("public", ["b", "a", "c", "d", "e", "f", "g"]);
    ask(&home, how, "run").fails_with(2).says("have different classes, or a different order: ");
    // Without names they are counted, and public nodes need not have all.
    std::fs::remove_file(home.path("parts/public/classes.csv")).unwrap();
    let counted = |classes: u32| {
        let mut meta = read(&home, "parts/public/meta.json");
        meta["classes"] = json!(classes);
        home.write("parts/public/meta.json", meta.to_string());
        let labels = text(&home, "parts/public/labels.csv");
        let few = labels.lines().skip(1).map(|line| (line.split(',').next().unwrap(), line.len() as u32 % 4));
        let few: String = few.map(|(node, label)| format!("{node},{label}\n")).collect();
        home.write("parts/public/labels.csv", format!("node,label\n{few}"));
    };
    counted(8);
    ask(&home, how, "run").fails_with(2).says("have different classes").says("has 8, ");
    counted(4);
    ask(&home, how, "run").succeeds();
    let scored =
        format!("lab evaluate parts/private --public-graph parts/public --queries 20 --k 30 {SHORT} --with krr:1");
    home.veil(&scored).succeeds();
}

/// Whoever publishes the private graph with the student protects nobody.
#[test]
fn a_public_graph_that_shows_the_private_one_is_refused() {
    let home = World::with_parts();
    let how = format!("--method class-sums --epsilon 4 {SHORT} --out run");
    let trained = |public: &str| home.veil(&format!("train parts/private --public-graph {public} {how}"));
    trained("parts/private").fails_with(2).says("is in").says("what is public cannot be protected");
    let names = |part: &str, first: u32| {
        let nodes = read(&home, &format!("parts/{part}/meta.json"))["nodes"].as_u64().unwrap() as u32;
        let rows: String = (0..nodes).map(|node| format!("{node},user {}\n", first + node)).collect();
        home.write(&format!("parts/{part}/nodes.csv"), format!("node,name\n{rows}"));
        first + nodes
    };
    let next = names("private", 0);
    names("public", next - 1);
    trained("parts/public").fails_with(2).says(&format!("node user {} of", next - 1));
    names("public", next);
    trained("parts/public").succeeds();
}

#[test]
fn several_releases_are_scored_with_teachers_that_are_trained_once() {
    let home = World::with_parts();
    let how = format!(
        "lab evaluate parts/private --public-graph parts/public --queries 20 --k 30 --gamma 0.5 {SHORT} --keep said.csv"
    );
    let ways = "--with none --with krr:1 --with noisy-argmax:0.4 --with noisy-log-posterior:0.4 --seeds 2 --json";
    let first = home.veil(&format!("{how} {ways}")).succeeds().json();
    let rows = first["releases"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0]["label_accuracy"], first["teacher_accuracy"]);
    assert_eq!(
        json!([rows[1]["status"], rows[2]["status"], rows[3]["status"]]),
        json!(["proven", "proven", "refuted"])
    );
    assert!(rows[2]["epsilon"].as_f64().unwrap() > rows[2]["as_published"].as_f64().unwrap());
    // Interrupted in the middle of a line: what is there is used, the rest is done again, and the
    // result is the same.
    let said = text(&home, "said.csv");
    home.write("said.csv", &said[..said.len() / 2]);
    assert_eq!(home.veil(&format!("{how} {ways}")).succeeds().json(), first);
    assert_eq!(text(&home, "said.csv").lines().count(), 21);
    home.veil(&format!("{how} {ways}").replace("--k 30", "--k 31")).fails_with(1).says("belongs to another evaluation");
    let broken = text(&home, "said.csv").replace("\n7,", "\n7,x");
    home.write("said.csv", broken);
    home.veil(&format!("{how} {ways}")).fails_with(1).says("said.csv, line");

    // One optimiser for all: other teachers, of whose samples none is fresh.
    let one = how.replace("said.csv", "one.csv") + " --one-optimiser";
    let shared = home.shown(&format!("{one} --with none --with noisy-log-posterior:0.4"));
    assert_eq!(shared["releases"][1]["status"], "refuted");
    let [alone, together] = [said, text(&home, "one.csv")];
    let of = |said: &str, question: &str| said.lines().find(|line| line.starts_with(question)).unwrap().to_owned();
    assert_eq!(of(&alone, "0,"), of(&together, "0,"), "nobody was before the first");
    assert_ne!(of(&alone, "1,"), of(&together, "1,"));
    home.veil(&format!("{one} --with none --model gcn")).fails_with(2).says("a gcn cannot continue from a sage");
    home.veil(&format!("{one} --with krr:1")).fails_with(2).says("the ε of krr would not hold");
    home.veil(&format!("{one} --with none").replace("one.csv", "said.csv")).fails_with(1).says("another evaluation");

    let pate = format!(
        "lab evaluate parts/private --public-graph parts/public --method pate --teachers 4 --queries 20 {SHORT}"
    );
    home.veil(&format!("{pate} --with votes:0.5 --with none")).succeeds().says("votes");
    home.refuses(2, &format!("{pate} --with none --one-optimiser"), "--one-optimiser requires --method privgnn");
    home.veil(&format!("{pate} --with krr:1")).fails_with(2).says("--with krr cannot be used with --method pate");
    home.veil(&format!("{how} --with krr")).fails_with(2).says("expected none, or a release and its λ");
    home.veil(&format!("{how} --with krr:1 --epsilon 4")).fails_with(2).says("--epsilon cannot be used here");
    home.veil(&format!("{pate} --with none --keep counts.csv")).fails_with(2).says("--keep requires --method privgnn");
    // What belongs to others is left alone, also without the end of a line.
    home.write("notes.json", "{}");
    home.veil(&format!("{how} --with none").replace("said.csv", "notes.json")).fails_with(1).says("another evaluation");
    assert_eq!(text(&home, "notes.json"), "{}");
    // What could not be scored is said before anybody is asked.
    std::fs::remove_file(home.path("parts/public/labels.csv")).unwrap();
    home.refuses(2, &format!("{how} --with none").replace("said.csv", "new.csv"), "no public test node has a label");
    assert!(!home.path("new.csv").exists());
}

/// A network is released that was learned from noisy gradients: it answers about public nodes, and
/// about any other graph, for nothing more.
#[test]
fn a_network_by_noisy_gradients_is_released_charged_and_published() {
    let home = World::with_parts();
    home.veil("ledger init book.db --budget node=8,0.0001").succeeds();
    let how = "--method dp-mlp --epsilon 8 --ledger book.db";
    ask(&home, &format!("{how} --gamma 2"), "run").fails_with(2).says("γ");
    ask(&home, "--method dp-mlp", "run").fails_with(2).says("dp-mlp requires epsilon");
    assert_eq!((entries(&home, "book.db"), home.path("run").exists()), (0, false));
    let shown = ask(&home, &format!("{how} --json"), "run").succeeds().json();
    let promised = &shown["guarantees"][0];
    assert_eq!(
        json!([promised["unit"], promised["status"], promised["mechanism"]]),
        json!(["node", "proven", "noisy-gradients"])
    );
    let spent = spent(&home, "book.db", "node").as_f64().unwrap();
    assert!((7.9..=8.0).contains(&spent), "{spent}");
    ask(&home, how, "again").fails_with(1).says("over budget");
    let statement = text(&home, "run/privacy.md");
    assert!(statement.contains("answers about private nodes"), "{statement}");
    home.veil("predict run").succeeds();
    home.veil("predict run --data parts/outside --declare-public nodes --out elsewhere").succeeds();
    home.veil("publish run --out out").succeeds();
    home.veil("verify out").succeeds().says("noisy-gradients");
    // It reads no edges, of no graph.
    let elsewhere = text(&home, "elsewhere/privacy.json");
    assert!(!elsewhere.contains("\"edge\"") && !home.path("elsewhere/released/edges.csv").exists(), "{elsewhere}");
    // The released network is that of the statement.
    let network = text(&home, "run/released/network.csv");
    assert!(network.starts_with("inputs,hidden,classes\n") && network.lines().nth(1).unwrap().contains(",8,"));
    // No public node has to have a class: all of them may be for tests.
    let split = text(&home, "parts/public/splits.csv").replace(",train", ",test").replace(",val", ",test");
    home.write("parts/public/splits.csv", split);
    ask(&home, "--method dp-mlp --epsilon 8", "tests").succeeds();
    let seeded = |threads: u32, out: &str| {
        let train = "train parts/private --public-graph parts/public --method dp-mlp --epsilon 8 --seed 1";
        home.veil_on_threads(threads, &format!("{train} {SHORT} --out {out}")).succeeds();
        home.read(&format!("{out}/predictions.csv"))
    };
    assert_eq!(seeded(1, "one"), seeded(2, "two"), "the same on any number of threads");
}
