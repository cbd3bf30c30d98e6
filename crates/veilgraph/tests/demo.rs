//! The demo, as a newcomer runs it.

mod world;

use world::World;

#[test]
fn the_demo_runs_twice_and_tells_its_story() {
    let home = World::new();
    home.veil("demo").succeeds().says("asked 3, spent 3, left 0").says("Try next");
    home.write("demo/notes.txt", "mine");
    home.veil("demo").succeeds();
    assert_eq!(home.read("demo/notes.txt"), b"mine", "only what the demo made is replaced");
    let shown = home.veil("demo --json").succeeds().json();
    let changed = shown["labels_changed"].as_f64().unwrap();
    // At ε = 3 and 7 classes a label is changed with probability 6/(e³+6) = 0.230; 640 labels, deviation 0.0166.
    // Six deviations are exceeded once in 10⁸ runs.
    assert!((changed - 0.230).abs() < 0.1, "{changed}");
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
