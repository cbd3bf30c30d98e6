//! Stories about `veil data`.

mod world;

use world::{World, real_data};

#[test]
fn a_generated_graph_is_counted_as_it_was_made() {
    let home = World::new();
    let made = home.veil("data generate citation --seed 1 --out graph --json").succeeds().json();
    let info = home.veil("data info graph --json").succeeds().json();
    for key in [
        "nodes",
        "edges",
        "features",
        "feature_nonzeros",
        "classes",
        "isolated",
        "self_loops_dropped",
        "duplicates_dropped",
        "max_degree",
        "mean_degree",
        "homophily",
    ] {
        assert!(!info[key].is_null(), "{key}");
        if !key.ends_with("dropped") {
            assert_eq!(made[key], info[key], "{key}");
        }
    }
    assert_eq!(
        (info["nodes"].as_u64(), info["features"].as_u64(), info["classes"].as_u64()),
        (Some(2708), Some(1433), Some(7))
    );
    home.veil("data info graph").succeeds().says("2,708");
}

#[test]
fn the_same_seed_makes_the_same_files() {
    let home = World::new();
    for out in ["one", "two"] {
        home.veil(&format!("data generate social --nodes 200 --seed 7 --out {out}")).succeeds();
    }
    home.veil("data generate social --nodes 200 --seed 8 --out other").succeeds();
    for file in home.list("one") {
        assert_eq!(home.read(&format!("one/{file}")), home.read(&format!("two/{file}")), "{file}");
    }
    assert_ne!(home.read("one/edges.csv"), home.read("other/edges.csv"));
}

#[test]
fn an_edge_list_with_any_names_becomes_a_data_set_and_keeps_them() {
    let home = World::new();
    home.write("friends.csv", "who,whom\nanna,ben\nben,anna\nben,ben\n\"carl, jr\",anna\n");
    let info = home.veil("data info friends.csv --json").succeeds().json();
    let counts = ["nodes", "edges", "self_loops_dropped", "duplicates_dropped"].map(|key| info[key].as_u64().unwrap());
    // Whether "who,whom" is a header cannot be known when all names are texts: it is read as a link.
    assert_eq!(counts, [5, 3, 1, 1]);
    home.veil("data import friends.csv --out graph").succeeds();
    let names = String::from_utf8(home.read("graph/nodes.csv")).unwrap();
    assert!(names.contains("anna") && names.contains("\"carl, jr\""), "{names}");
    home.veil("data info graph").succeeds();
}

#[test]
fn parquet_and_folder_hold_the_same_graph() {
    let home = World::with_citation_graph();
    home.veil("data import graph --out tables --format parquet").succeeds();
    home.veil("data import tables --out again").succeeds();
    for file in ["edges.csv", "labels.csv", "splits.csv", "features.csv.gz"] {
        assert_eq!(home.read(&format!("graph/{file}")), home.read(&format!("again/{file}")), "{file}");
    }
}

#[test]
fn a_split_is_kept_in_the_folder_and_not_replaced_by_accident() {
    let home = World::new();
    home.veil("data generate powerlaw --nodes 100 --edges 300 --seed 1 --out graph").succeeds();
    home.veil("data split graph --fractions 0.5,0.25,0.25 --seed 1")
        .succeeds()
        .says("50 train, 25 validation, 25 test");
    let first = home.read("graph/splits.csv");
    home.veil("data split graph --fractions 0.5,0.25,0.25 --seed 2").fails_with(1).says("--replace");
    home.veil("data split graph --fractions 0.5,0.25,0.25 --seed 1 --replace").succeeds();
    assert_eq!(home.read("graph/splits.csv"), first);
    home.veil("data split graph --fractions 0.5,0.5").fails_with(2).says("three fractions");
    home.veil("data split graph --fractions 0.1,0.1,0.8 --stratified --replace").fails_with(2).says("needs labels");
}

#[test]
fn errors_name_the_file_the_line_and_the_column() {
    let home = World::with_citation_graph();
    home.write("graph/labels.csv", "node,label\n0,1\n1,banana\n");
    home.veil("data info graph").fails_with(1).says("graph/labels.csv:3:2").says("banana");
    home.veil("data import graph --out other").fails_with(1).says("labels.csv:3:2");
    assert!(!home.path("other").exists());
}

#[test]
fn nothing_is_overwritten() {
    let home = World::with_citation_graph();
    let before = home.read("graph/edges.csv");
    home.veil("data generate citation --nodes 300 --seed 2 --out graph").fails_with(1).says("already").says("hint");
    assert_eq!(home.read("graph/edges.csv"), before);
    assert_eq!(home.list("."), ["graph"], "nothing is left behind");
}

#[test]
fn known_names_are_listed_and_unknown_ones_explained() {
    let home = World::new();
    let list = home.veil("data list --json").succeeds().json();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    for name in [
        "cora",
        "citeseer",
        "pubmed",
        "facebook",
        "lastfm",
        "amazon-photo",
        "amazon-computers",
        "twitch-ptbr",
        "chameleon",
        "flickr",
        "ogbn-arxiv",
        "reddit",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    home.veil("data info cora").fails_with(1).says("veil data fetch cora");
    home.veil("data info no-such-thing").fails_with(1).says("no-such-thing").says("hint");
    home.veil("data fetch no-such-thing").fails_with(2).says("veil data list");
}

#[test]
fn wrong_usage_exits_with_2_and_says_what_is_right() {
    let home = World::new();
    home.veil("data generate citation --homophily 2 --out graph").fails_with(2).says("homophily");
    home.veil("data generate citation --nodes 0 --out graph").fails_with(2).says("nodes");
    home.veil("data generate citation --edges 5 --out graph").fails_with(2).says("powerlaw");
    home.veil("data generate triangle --out graph").fails_with(2).says("citation");
    home.veil("data frobnicate").fails_with(2);
    assert!(home.list(".").is_empty());
}

#[test]
fn the_real_folders_and_their_raw_files_have_the_counts_of_their_readme() {
    // nodes, edges, isolated, features, non-zeros, classes
    let wanted = [
        ("cora", [2708, 5278, 0, 1433, 49216, 7]),
        ("citeseer", [3327, 4552, 48, 3703, 105165, 6]),
        ("amazon_computers", [13752, 245861, 281, 767, 3675081, 10]),
        ("twitch_de", [9498, 153138, 0, 3170, 193132, 2]),
        ("twitch_es", [4648, 59382, 0, 3170, 89798, 2]),
    ];
    let home = World::new();
    for (name, counts) in wanted {
        for name in [name.to_owned(), format!("{name}/raw")] {
            let Some(path) = real_data(&name) else { continue };
            let path = path.to_str().unwrap();
            let info = home.veil_words(["data", "info", path, "--json"]).succeeds().json();
            let keys = ["nodes", "edges", "isolated", "features", "feature_nonzeros", "classes"];
            assert_eq!(keys.map(|key| info[key].as_u64().unwrap()), counts, "{name}");
            if name == "citeseer/raw" {
                assert_eq!(info["self_loops_dropped"], 124);
            }
        }
    }
}

/// Whoever is interrupted while it writes removes what it wrote, also what appears in that moment.
#[cfg(unix)]
#[test]
fn ctrl_c_while_a_folder_is_written_leaves_nothing_behind() {
    let home = World::new();
    // What is in a folder, as long as it has that name.
    let is_filled = |name: &String| std::fs::read_dir(home.path(name)).is_ok_and(|mut files| files.next().is_some());
    let mut interrupted = 0;
    for _ in 0..6 {
        let child = home
            .command()
            .args("data generate powerlaw --nodes 100000 --edges 1000000 --seed 1 --out large".split(' '))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let begun = std::time::Instant::now();
        while !home.list(".").iter().any(is_filled) {
            assert!(begun.elapsed().as_secs() < 60, "nothing was written");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let ended = child.wait_with_output().unwrap();
        if ended.status.success() {
            // It was faster than the signal.
            std::fs::remove_dir_all(home.path("large")).unwrap();
            continue;
        }
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(130), "{said}");
        assert!(said.contains("what was unfinished is removed"), "{said}");
        assert_eq!(home.list("."), [""; 0]);
        interrupted += 1;
    }
    assert!(interrupted > 0, "every try was faster than the signal");
}

#[test]
fn every_group_of_commands_shows_examples() {
    let home = World::new();
    for group in ["data", "attack", "ledger", "bench"] {
        home.veil(&format!("{group} --help")).succeeds().says(&format!("Examples:\n  veil {group}"));
    }
}
