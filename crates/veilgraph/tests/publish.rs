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
    home.veil("verify answers").succeeds().says("only accidental change would be noticed");
    home.veil("verify answers --public-key owner.pub").fails_with(1).says("is not signed");
}

#[test]
fn what_is_for_the_owner_alone_is_in_one_closed_folder() {
    use std::os::unix::fs::PermissionsExt;
    let home = World::with_citation_graph();
    home.veil(&format!("{TRAIN} --out run")).succeeds();
    assert_eq!(home.list("run/owner"), ["README.md", "metrics.json", "released", "timings.json"]);
    let mode = home.path("run/owner").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // Neither the number of edges nor a time is anywhere else.
    let edges = json(&home, "run/owner/metrics.json")["truth"]["edges_before"].to_string();
    for file in ["run.json", "privacy.json", "privacy.md"] {
        let text = text(&home, &format!("run/{file}"));
        assert!(!text.contains(&edges) && !text.contains("seconds"), "{file}: {text}");
    }
    let said = home.veil("publish run --out published").fails_with(1);
    said.says("features of citation were released unperturbed").says("--declare-public features");
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
    home.veil("verify released").fails_with(1).says("implies label ε = 3").says("promises label ε = 0.01");
    home.veil("train released --epochs 3 --out run").fails_with(1).says("implies label ε = 3");
    assert!(!home.path("run").exists());
    // Signed: nothing may change.
    home.veil("privatize graph --epsilon-labels 3 --split 0.5,0.25,0.25 --out signed").succeeds();
    home.veil("keys new owner.key").succeeds();
    home.veil("keys sign signed --key owner.key").succeeds();
    home.veil("verify signed --public-key owner.pub").succeeds();
    std::fs::remove_file(home.path("signed/privacy.md")).unwrap();
    home.veil("verify signed").fails_with(1).says("missing privacy.md");
    home.veil("data info signed").fails_with(1);
}

#[test]
fn raw_data_with_the_statement_of_another_release_are_refused() {
    let home = World::with_citation_graph();
    home.veil("privatize graph --epsilon-features 3 --range 0,1 --out released").succeeds();
    for file in ["privacy.json", "privacy.md"] {
        std::fs::copy(home.path(&format!("released/{file}")), home.path(&format!("graph/{file}"))).unwrap();
    }
    home.veil("verify graph").fails_with(1).says("multi-bit releases signs, but the folder has features");
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
    home.veil("verify graph").fails_with(1).says("privacy.json");
    home.veil("verify nowhere").fails_with(1).says("nowhere");
}
