//! Stories of what is handed over: published folders, digests, signatures, and forged statements.

mod world;

use world::{World, json, text};

const TRAIN: &str = "train graph --method lpgnet --epsilon-edges 4 --split 0.5,0.25,0.25 --epochs 3";

#[test]
fn an_owner_publishes_a_model_and_a_reader_verifies_it() {
    let home = World::with_citation_graph();
    home.veil(&format!("{TRAIN} --declare-public features,labels --out run")).succeeds();
    home.veil("keys new owner.key").succeeds().says("made owner.key (secret) and owner.pub (publish it)");
    home.veil("publish run --sign owner.key --out published").succeeds().says("signed by the key").says("proven");
    let expected = [
        "answers.csv",
        "digests.json",
        "model.safetensors",
        "privacy.html",
        "privacy.json",
        "privacy.md",
        "released",
        "run.json",
        "signature.json",
        "stage-0.safetensors",
    ];
    assert_eq!(home.list("published"), expected);
    home.veil("verify published --public-key owner.pub").succeeds().says("is as it was written").says("signed by");
    // The published model answers as the run does, wherever models are asked.
    assert_eq!(home.shown("predict run"), home.shown("predict published"));
    home.veil("attack lsa published --truth graph --pairs 20").succeeds();
    home.veil("publish run --answers-only --out answers").succeeds().says("not signed");
    assert_eq!(home.list("answers"), ["answers.csv", "digests.json", "privacy.html", "privacy.json", "privacy.md"]);
    assert_eq!(home.shown("predict run"), home.shown("predict answers"));
    // Who reads answers is told what would notice a change of them.
    let told = |folder: &str| home.veil(&format!("predict {folder}")).succeeds().stderr();
    assert!(told("answers").contains("not signed: only accidental change would be noticed"), "{}", told("answers"));
    assert!(told("published").contains("signed by the key"), "{}", told("published"));
    home.veil("verify answers").succeeds().says("only accidental change would be noticed");
    home.veil("verify answers --public-key owner.pub").fails_with(1).says("is not signed");
}

#[test]
fn answers_are_written_as_tables_by_the_names_of_nodes_and_classes() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let home = World::with_citation_graph();
    home.veil(&format!("{TRAIN} --out run")).succeeds();
    home.write("some.txt", "3\n1\n");
    home.veil("predict run --nodes some.txt --csv some.csv --parquet some.parquet")
        .succeeds()
        .says("2 nodes: some.csv");
    let csv = text(&home, "some.csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), &rows[0][..3], rows[1][0], rows[2][0]), (3, &["node", "class", "0"][..], "3", "1"));
    let best = rows[1][2..].iter().map(|it| it.parse::<f32>().unwrap()).fold(0.0, f32::max);
    let class: usize = rows[1][1].parse().unwrap();
    assert_eq!(rows[1][2 + class].parse::<f32>().unwrap(), best);
    let table = SerializedFileReader::new(std::fs::File::open(home.path("some.parquet")).unwrap()).unwrap();
    let read: Vec<Vec<String>> = table
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.to_string().replace('"', "")).collect())
        .collect();
    assert_eq!(read[0][..2], rows[1][..2]);
    assert_eq!(read[0][2 + class].parse::<f32>().unwrap(), best);
    let names: Vec<&str> = table.metadata().file_metadata().schema().get_fields().iter().map(|it| it.name()).collect();
    assert_eq!(names, rows[0]);
    // Nothing is overwritten, and the tables are about the run's own nodes.
    home.veil("predict run --csv some.csv").fails_with(1).says("some.csv").says("exists");
    // One that is there keeps the other from being written.
    home.veil("predict run --csv new.csv --parquet some.parquet").fails_with(1).says("some.parquet").says("exists");
    home.veil("predict run --csv new.csv --parquet new.csv").fails_with(2).says("new.csv is named twice");
    assert!(!home.path("new.csv").exists());
    home.veil("predict run --data graph --csv other.csv").fails_with(2);
}

#[test]
fn what_is_for_the_owner_alone_is_in_one_closed_folder() {
    use std::os::unix::fs::PermissionsExt;
    let home = World::with_citation_graph();
    home.veil(&format!("{TRAIN} --out run")).succeeds();
    assert_eq!(home.list("run/owner"), ["README.md", "graphs.json", "metrics.json", "released", "timings.json"]);
    let mode = home.path("run/owner").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // Neither the number of edges nor a time is anywhere else.
    let edges = json(&home, "run/owner/metrics.json")["truth"]["edges_before"].to_string();
    for file in ["run.json", "privacy.json", "privacy.md"] {
        let text = text(&home, &format!("run/{file}"));
        assert!(!text.contains(&edges) && !text.contains("seconds"), "{file}: {text}");
    }
    let said = home.veil("publish run --out published").fails_with(1);
    said.says("features and labels of citation were released unperturbed").says("--declare-public features,labels");
    assert!(!home.path("published").exists());
    home.veil("publish run --declare-public features,labels --out published")
        .succeeds()
        .says("Declared public by the owner of the data: the features themselves");
    home.veil("publish run --declare-public nodes --out again").fails_with(2).says("nodes cannot be declared after");
}

#[test]
fn what_no_proof_covers_is_not_published() {
    let home = World::with_citation_graph();
    home.veil(&format!("{TRAIN} --declare-public features,labels --seed 1 --out seeded")).succeeds();
    home.veil("publish seeded --accept none --out out").fails_with(1).says("noise from a known seed");
    let reports = "--epsilon-features 3 --epsilon-labels 3 --range 0,1 --split 0.5,0.25,0.25 --epochs 3";
    home.veil(&format!("train graph --method graph-privatizer --epsilon-edges 1 {reports} --out refuted")).succeeds();
    home.veil("publish refuted --out out").fails_with(1).says("is refuted").says("--accept refuted");
    assert!(!home.path("out").exists());
    home.veil("publish refuted --accept refuted --out out").succeeds().says("REFUTED");
}

#[test]
fn an_edited_folder_is_refused() {
    let home = World::with_citation_graph();
    home.veil("privatize graph --epsilon-labels 3 --split 0.5,0.25,0.25 --out released").succeeds();
    home.veil("verify released").succeeds().says("not signed: only accidental change would be noticed");
    let statement = text(&home, "released/privacy.json");
    let labels = text(&home, "released/labels.csv");
    // By accident.
    home.write("released/labels.csv", labels.replacen(",0", ",1", 1));
    home.veil("verify released").fails_with(1).says("changed labels.csv");
    home.write("released/labels.csv", &labels);
    // On purpose, without a signature: digests are written anew, but ε follows from the mechanism.
    home.write("released/privacy.json", statement.replacen("\"epsilon\": 3,", "\"epsilon\": 0.01,", 1));
    std::fs::remove_file(home.path("released/digests.json")).unwrap();
    home.veil("train released --epochs 3 --out run").fails_with(1).says("privacy.md contradicts privacy.json");
    std::fs::remove_file(home.path("released/privacy.md")).unwrap();
    home.veil("verify released").fails_with(1).says("has no digests");
    let said = home.veil("train released --epochs 3 --out run").fails_with(1);
    said.says("implies label ε = 3").says("promises label ε = 0.01");
    assert!(!home.path("run").exists());
    // Signed: nothing may change.
    home.veil("privatize graph --epsilon-labels 3 --split 0.5,0.25,0.25 --out signed").succeeds();
    home.veil("keys new owner.key").succeeds();
    home.veil("keys sign signed --key owner.key").succeeds();
    home.veil("verify signed --public-key owner.pub").succeeds();
    std::fs::remove_file(home.path("signed/privacy.md")).unwrap();
    home.veil("verify signed").fails_with(1).says("missing privacy.md");
    home.veil("train signed --epochs 2 --out later").fails_with(1).says("missing privacy.md");
}

#[test]
fn raw_data_with_the_statement_of_another_release_are_refused() {
    let home = World::with_citation_graph();
    home.veil("privatize graph --epsilon-features 3 --range 0,1 --out released").succeeds();
    for file in ["privacy.json", "privacy.md"] {
        std::fs::copy(home.path(&format!("released/{file}")), home.path(&format!("graph/{file}"))).unwrap();
    }
    home.veil("train graph --epochs 2 --out run").fails_with(1).says("says nothing about the labels");
}

#[test]
fn keys_are_not_overwritten_and_wrong_ones_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let home = World::with_citation_graph();
    home.veil("keys new owner.key").succeeds();
    assert_eq!(home.path("owner.key").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    home.veil("keys new owner.key").fails_with(2).says("owner.pub already exists");
    std::fs::remove_file(home.path("owner.pub")).unwrap();
    home.veil("keys new owner.key").fails_with(1).says("owner.key");
    home.veil("keys sign graph --key owner.key").fails_with(1).says("has no digests");
    home.veil("keys sign graph --key graph/meta.json").fails_with(1).says("not an Ed25519 private key");
    home.veil("verify graph").fails_with(1).says("has no digests");
    home.veil("verify nowhere").fails_with(1).says("nowhere");
}

#[test]
fn a_model_is_published_only_with_every_statement_that_it_depends_on() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 200 --seed 2 --out other").succeeds();
    // The training graph's raw features and labels are in the networks, whatever graph is asked
    // about.
    home.veil(&format!("{TRAIN} --out run")).succeeds();
    home.veil("predict run --data other --declare-public features --out inferred").succeeds();
    home.veil("publish inferred --out out").fails_with(1).says("of citation were released unperturbed");
    home.veil("publish inferred --declare-public features,labels --out out").succeeds();
    assert!(text(&home, "out/training/privacy.md").contains("Declared public by the owner"));
    // Noise of the training from a known seed.
    home.veil(&format!("{TRAIN} --declare-public features,labels --seed 1 --out seeded")).succeeds();
    home.veil("predict seeded --data other --declare-public features --out later").succeeds();
    home.veil("publish later --declare-public features,labels --out again").fails_with(1).says("known seed");
    // A validation graph.
    let others = "--validation-data other --declare-public features";
    home.veil(&format!("{TRAIN} {others} --out validated")).succeeds();
    home.veil("publish validated --out third").fails_with(1).says("released unperturbed");
    home.veil("publish validated --declare-public features,labels --out third").succeeds();
    assert!(home.list("third").contains(&"validation".to_owned()));
    std::fs::remove_dir_all(home.path("inferred/training")).unwrap();
    home.veil("publish inferred --declare-public features,labels --out fourth")
        .fails_with(1)
        .says("training/privacy.json");
}

#[test]
fn a_statement_that_says_less_or_other_than_its_data_is_refused() {
    let home = World::with_citation_graph();
    home.veil(&format!("{TRAIN} --declare-public features,labels --out run")).succeeds();
    home.veil("verify run").fails_with(1).says("has no digests").says("a run folder is for its owner");
    home.veil("publish run --out published").succeeds();
    let redigest = |folder: &str| std::fs::remove_file(home.path(&format!("{folder}/digests.json"))).unwrap();
    home.write("published/raw.bin", "more");
    home.veil("verify published").fails_with(1).says("added raw.bin");
    std::fs::remove_file(home.path("published/raw.bin")).unwrap();
    // What people read.
    home.write("published/privacy.md", text(&home, "published/privacy.md").replace('4', "0.1"));
    redigest("published");
    home.veil("predict published").fails_with(1).says("published/privacy.md contradicts privacy.json");
    // A guarantee that is not stated, and a seed that is hidden.
    let release = "privatize graph --epsilon-features inf --epsilon-labels 3 --split 0.5,0.25,0.25";
    home.veil(&format!("{release} --out less")).succeeds();
    let mut statement = json(&home, "less/privacy.json");
    statement["guarantees"].as_array_mut().unwrap().retain(|it| it["unit"] != "feature");
    home.write("less/privacy.json", statement.to_string());
    std::fs::remove_file(home.path("less/privacy.md")).unwrap();
    redigest("less");
    home.veil("train less --method mlp --epochs 2 --out one").fails_with(1).says("says nothing about the features");
    home.veil(&format!("{release} --seed 1 --out seeded")).succeeds();
    let mut statement = json(&home, "seeded/privacy.json");
    statement["seed"] = serde_json::Value::Null;
    home.write("seeded/privacy.json", statement.to_string());
    std::fs::remove_file(home.path("seeded/privacy.md")).unwrap();
    redigest("seeded");
    home.veil("train seeded --method mlp --epochs 2 --out two").fails_with(1).says("contradict each other");
}
