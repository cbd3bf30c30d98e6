//! The demo, as a newcomer runs it.

mod world;

use world::World;

/// An earlier demo is replaced, and nothing else.
#[test]
fn the_demo_tells_its_story() {
    let home = World::new();
    for earlier in [".veil-demo", "released/meta.json", "ledger.db", "report.html", "notes.txt"] {
        home.write(&format!("demo/{earlier}"), "mine");
    }
    let shown = home.shown("demo");
    assert_eq!(home.read("demo/notes.txt"), b"mine", "only what the demo made is replaced");
    assert!(home.read("demo/report.html").starts_with(b"<!"), "the report is a page");
    assert!(shown["refused"].as_str().unwrap().contains("asked 3, spent 3, left 0"));
    let methods = shown["methods"].as_array().unwrap();
    let of = |name: &str| methods.iter().find(|row| row["method"] == name).unwrap();
    let accuracy = |name: &str| of(name)["accuracy"].as_f64().unwrap();
    // What edges add, and what is left of it behind noise.
    assert!(accuracy("GCN, all edges") > accuracy("MLP, no edges") + 0.05, "{shown}");
    assert!(accuracy("degree vectors") > accuracy("MLP, no edges"), "{shown}");
    for row in methods {
        let (status, verdict) = (row["status"].as_str(), row["verdict"].as_str());
        match status {
            Some("proven") => assert_ne!(verdict, Some("violated"), "{row}"),
            Some("refuted") => assert_eq!(verdict, Some("violated"), "{row}"),
            _ => assert_eq!(verdict, None, "{row}"),
        }
    }
    home.veil("data info demo/released").succeeds();
    home.veil("ledger show demo/ledger.db").succeeds();
}

#[test]
fn the_demo_deletes_nothing_but_an_earlier_demo() {
    let home = World::new();
    home.write("demo/thesis.tex", "ten years of work");
    home.veil("demo").fails_with(1).says("already");
    assert_eq!(home.list("demo"), ["thesis.tex"]);
}
