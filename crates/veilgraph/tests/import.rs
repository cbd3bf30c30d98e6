//! Stories about tables as people have them: from messy files to a published folder.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use std::fmt::Write;

use world::{World, json, text};

/// Five thousand users with ids of text, of whom some lack values, and whom they follow: most
/// follow users of their own plan.
fn messy() -> World {
    let home = World::new();
    let (mut users, mut follows) = (String::from("\u{feff}"), String::new());
    users += "user,age,country,tags,newsletter,bio,joined,plan\r\n";
    follows += "follower,followee,weight,since\r\n";
    let (plans, countries, tags) = (["free", "pro", "team"], ["DE", "FR", "IT"], ["art", "music", "sport", "food"]);
    let mut state = 1u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let name = |user: u64| if user % 500 == 7 { format!("\"user, {user}\"") } else { format!("user-{user}") };
    for user in 0..5000u64 {
        let plan = user % 3;
        let age = if next(10) == 0 { String::new() } else { (20 + 15 * plan + next(20)).to_string() };
        let country = if next(20) == 0 { "NA" } else { countries[((plan + u64::from(next(2) == 0)) % 3) as usize] };
        let tag = format!("{}|{}", tags[plan as usize], tags[next(4) as usize]);
        let plan = if next(50) == 0 { "" } else { plans[plan as usize] };
        let bio = "\"likes \"\"quotes\"\", commas\r\nand lines\"";
        let newsletter = ["yes", "no"][next(2) as usize];
        write!(users, "{},{age},{country},{tag},{newsletter},{bio},2021-03-0{}", name(user), 1 + user % 9).unwrap();
        write!(users, ",{plan}\r\n").unwrap();
        for _ in 0..6 {
            let other = if next(10) < 8 { (user % 3) + 3 * next(1666) } else { next(5000) };
            write!(follows, "{},{},0.5,2020\r\n", name(user), name(other)).unwrap();
        }
    }
    // A user who is there twice, and says the same.
    let again = users.lines().nth(1).unwrap().to_owned();
    write!(users, "{again}\r\nand lines\",2021-03-01,{}\r\n", users_plan(&users)).unwrap();
    home.write("users.csv", users);
    home.write("follows.csv", follows);
    home
}

/// The plan of the first user.
fn users_plan(users: &str) -> String {
    users.lines().nth(2).unwrap().rsplit(',').next().unwrap().to_owned()
}

const IMPORT: &str = "data import --edges follows.csv --source follower --target followee --nodes users.csv \
                      --id user --label plan --features age,country,tags,newsletter";

#[test]
fn messy_tables_become_a_published_folder_in_five_commands() {
    let home = messy();
    // What would come of them is said, and nothing is written.
    let dry = home.veil(&format!("{IMPORT} --dry-run")).succeeds();
    dry.says_all(&[
        "nothing is written",
        "the label: 3 classes",
        "one of 3 categories",
        "any of 4 items",
        "missing or not",
        "the columns weight, since",
        "the columns bio, joined",
        "edges have no direction",
        "duplicate edges",
    ]);
    assert_eq!(home.list("."), ["follows.csv", "users.csv"]);

    let facts = "--range age=0,120 --categories country=DE,FR,IT --categories tags=art,music,sport,food \
                 --as newsletter=boolean --classes free,pro,team --missing age,country --undirected";
    let made = home.veil(&format!("{IMPORT} {facts} --out graph")).succeeds();
    assert!(made.stdout().lines().all(|line| line.chars().count() <= 80), "{}", made.stdout());
    assert!(made.stderr().contains("repeat a node with the same values (the first: user-0)"), "{}", made.stderr());
    let meta = json(&home, "graph/meta.json");
    assert_eq!((&meta["nodes"], &meta["classes"], &meta["features"]), (&5000.into(), &3.into(), &11.into()));
    assert_eq!((meta.get("counted"), &meta["feature_range"]), (None, &serde_json::json!([0.0, 1.0])));
    assert!(text(&home, "graph/nodes.csv").contains("\"user, 507\""));
    assert_eq!(text(&home, "graph/classes.csv"), "label,name\n0,free\n1,pro\n2,team\n");

    home.veil("ledger init book.db --budget edge=2").succeeds();
    home.veil(
        "train graph --method lpgnet --epsilon-edges 2 --epochs 30 --split 0.5,0.25,0.25 --ledger book.db --out run",
    )
    .succeeds();
    // What is missing is asked for once.
    home.veil("publish run --out published")
        .fails_with(1)
        .says("the features and labels of follows were released unperturbed")
        .says("--declare-public features,labels");
    home.veil("publish run --declare-public features,labels --out published").succeeds();
    home.veil("predict published --csv answers.csv").succeeds().says("answers about 5,000 nodes");
    let answers = text(&home, "answers.csv");
    assert!(answers.starts_with("node,class,free,pro,team\n"), "{}", &answers[..40]);
    assert_eq!(answers.lines().count(), 5001);
    let named = answers.lines().find(|line| line.starts_with("\"user, 507\",")).unwrap();
    let fields: Vec<&str> = named.split("\",").nth(1).unwrap().split(',').collect();
    assert!(["free", "pro", "team"].contains(&fields[0]), "{named}");
    let sum: f64 = fields[1..].iter().map(|it| it.parse::<f64>().unwrap()).sum();
    assert!(fields.len() == 4 && (sum - 1.0).abs() < 1e-4, "{named}");
    home.veil("verify published").succeeds();
    let answers = home.veil("predict published --json").succeeds().json();
    assert_eq!(answers.as_array().unwrap().len(), 5000);
    // Everything about the users themselves can be released too: no fact has to be declared public.
    home.veil("ledger init users.db --budget feature=3 --budget label=3").succeeds();
    let release = "privatize graph --epsilon-features 3 --epsilon-labels 3 --split 0.5,0.25,0.25";
    home.veil(&format!("{release} --ledger users.db --out released")).succeeds();
    assert_eq!(json(&home, "released/privacy.json")["declared"], serde_json::json!([]));
}

#[test]
fn what_is_not_known_is_an_error_with_a_way_out() {
    let home = messy();
    // Neither table is taken for edges.
    home.veil("data import follows.csv --out no").fails_with(1).says("--source follower --target followee");
    home.veil("data import users.csv --out no").fails_with(1).says("a table of nodes: veil data import --edges EDGES");
    home.write("follows.jsonl", "{\"source\": \"a\", \"target\": \"b\"}\n");
    home.veil("data import follows.jsonl --out no").fails_with(1).says("--edges follows.jsonl --out GRAPH");
    home.write("ages.csv", "id,age\n1,30\n2,41\n");
    home.veil("data import ages.csv --out no").fails_with(1).says("ages.csv:1");
    let edges = "data import --edges follows.csv --nodes users.csv";
    home.veil(&format!("{edges} --out no")).fails_with(1).says("--source follower --target followee names them");
    let tables = format!("{edges} --source follower --target followee");
    let refused = |flags: &str, code| home.veil(&format!("{tables} {flags} --out no")).fails_with(code);
    refused("--label joined", 1).says("holds dates").says("--as joined=category");
    refused("--label plan --features joined", 1).says("users.csv:2:7").says("holds dates").says("--features");
    refused("--features bios", 2).says("no column \"bios\"; it has the columns user, age");
    refused("--features age --missing refuse", 1).says("missing values").says("--missing indicator");
    refused("--features age --range age=0,30", 1).says("outside of the given range").says("--range age=LOW,HIGH");
    refused("--features country --categories country=DE,FR", 1).says("\"IT\"").says("--categories country=…,*");
    refused("--label plan --classes free,pro", 1).says("\"team\" is not among").says("--classes");
    refused("--features country --as country=number", 1).says("--as country=category");
    refused("--features age --as age=colour", 2).says("\"colour\" is not one of number, boolean");
    refused("--features age,user", 2).says("\"user\" cannot be the id of a node and a feature");
    home.veil("data import --edges follows.csv --source follower --target followee --label plan --out no")
        .fails_with(2)
        .says("--nodes FILE");
    // What is said of a table that is not there, and what cannot be.
    let bare = "data import --edges follows.csv --source follower --target followee --out no";
    home.veil(&format!("{bare} --as age=number")).fails_with(2).says("the kind of \"age\"").says("--nodes FILE");
    home.veil(&format!("{bare} --range age=0,9")).fails_with(2).says("the range of \"age\"");
    refused("--features age --range age=9,0", 2).says("not two finite numbers in ascending order");
    refused("--features country --categories country=DE,DE", 2).says("\"DE\" twice");
    refused("--label plan --classes 4000000", 2).says("4000000 classes are given, expected 1 to 1048576");
    home.veil("data import --out no").fails_with(2).says("<DATA>");
    home.veil("data import users --label plan --out no").fails_with(2).says("--label requires --edges or --nodes");
    home.write("short.csv", "user,age\nuser-0,3\n");
    let short = "data import --edges follows.csv --nodes short.csv --source follower --target followee --out no";
    home.veil(short).fails_with(1).says("is not in").says("--unlisted drop");
    assert!(!home.path("no").exists());
}

/// Facts that were collected from the data are declared once, with the data.
#[test]
fn facts_are_declared_with_the_data() {
    let home = messy();
    let made = home.veil(&format!("{IMPORT} --out graph")).succeeds();
    assert!(made.stdout().lines().all(|line| line.chars().count() <= 80), "{}", made.stdout());
    made.says_all(&["requires --declare-public", "whether newsletter has missing values", "what newsletter holds"]);
    let release = "privatize graph --epsilon-features 3 --epsilon-labels 3 --split 0.5,0.25,0.25";
    home.veil(&format!("{release} --out no")).fails_with(2).says("fact dimensions").says("fact classes");
    home.veil("data declare graph --public features").fails_with(2).says("one release at a time");
    home.veil("data declare graph").fails_with(2).says("--public");
    home.veil("data declare graph --classes 4").fails_with(1).says("--classes A,B");
    home.veil("data declare graph --range 0,1").fails_with(1).says("not between 0 and 1");
    home.veil("data declare graph --range 0,130 --public classes,dimensions").succeeds().says("dimensions, classes");
    home.veil(&format!("{release} --out released")).succeeds().says("DECLARED PUBLIC by the owner");
    assert_eq!(json(&home, "released/privacy.json")["declared"], serde_json::json!(["dimensions", "classes"]));
    // A copy keeps it; a hand-made declaration of features or labels has no effect.
    home.veil("data import graph --format parquet --out tables").succeeds();
    home.veil(&format!("{} --out again", release.replace("graph", "tables"))).succeeds();
    assert!(json(&home, "released/meta.json").get("declared_public").is_none());
}

/// The same labels without any features: an edge list, and a table of two columns.
#[test]
fn a_bare_graph_with_labels_can_be_learned_from() {
    let home = messy();
    let bare = "data import --edges follows.csv --source follower --target followee --nodes users.csv --id user";
    home.veil(&format!("{bare} --label plan --features none --out graph")).succeeds();
    let train = "train graph --method lpgnet --epsilon-edges 4 --epochs 60 --split 0.5,0.25,0.25 --seed 1 --out run";
    home.veil(train).succeeds();
    let accuracy = json(&home, "run/owner/metrics.json")["truth"]["test_accuracy"].as_f64();
    let accuracy = accuracy.unwrap_or_else(|| panic!("{}", text(&home, "run/owner/metrics.json")));
    // A third are of each plan, and four fifths of the edges join users of one plan.
    assert!(accuracy > 0.6, "{accuracy}");
    home.veil("train graph --method lpgnet --readout bayes --epsilon-edges 4 --split 0.5,0.25,0.25 --out no")
        .fails_with(2)
        .says("degree-vectors");
}

#[test]
fn a_graph_file_is_imported_with_its_attributes() {
    let home = World::new();
    let nodes: String =
        (0..40).map(|it| format!("{{\"id\": \"n{it}\", \"club\": \"c{}\", \"age\": {it}}},", it % 2)).collect();
    let links: String =
        (0..40).map(|it| format!("{{\"source\": \"n{it}\", \"target\": \"n{}\"}},", (it + 2) % 40)).collect();
    let (nodes, links) = (nodes.trim_end_matches(','), links.trim_end_matches(','));
    home.write("karate.json", format!("{{\"directed\": false, \"nodes\": [{nodes}], \"links\": [{links}]}}"));
    home.veil("data info karate.json").fails_with(1).says("club").says("--label COLUMN --features COLUMNS");
    let shown = home.shown("data import karate.json --label club --features age --out graph");
    assert_eq!(
        (shown["nodes"].as_u64(), shown["classes"].as_u64(), shown["features"].as_u64()),
        (Some(40), Some(2), Some(1))
    );
    assert_eq!(shown["columns"][1]["becomes"], "a number, as it is");
    // Its nodes were written with its edges: a list of them gives them, and is checked.
    assert_eq!(json(&home, "graph/meta.json")["counted"][0], "nodes");
    let ids: String = (0..40).map(|it| format!("n{it}\n")).collect();
    home.write("ids.txt", &ids);
    home.veil("data import karate.json --nodes ids.txt --label club --features age --out given").succeeds();
    let counted = json(&home, "given/meta.json")["counted"].clone();
    assert!(!counted.as_array().unwrap().contains(&"nodes".into()), "{counted}");
    home.write("ids.txt", ids.replace("n7\n", ""));
    home.veil("data import karate.json --nodes ids.txt --label club --out no").fails_with(1).says("node n7 is not in");
    home.write("small.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
    home.veil("data import small.mtx --out matrix").succeeds().says("3 (0 without an edge)");
    assert_eq!(json(&home, "matrix/meta.json")["counted"], serde_json::json!(["nodes"]));
    // Entries of value 0 are edges, which is said.
    home.write("zeros.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0\n3 2 1\n");
    let zeros = home.veil("data import zeros.mtx --out zeros").succeeds();
    assert!(zeros.stderr().contains("1 entries of the matrix are stored with value 0"), "{}", zeros.stderr());
    zeros.says("1 entries of the matrix have value 0, and are edges");
    // An id that stands for a missing one is one node.
    home.write("holes.csv", "source,target\nann,NaN\nbob,NaN\n");
    let holes = home.veil("data import holes.csv --out holes").succeeds();
    assert!(holes.stderr().contains("a node with 2 edges is called \"NaN\""), "{}", holes.stderr());
}
