//! Stories about `veil data`.

mod world;

use world::{World, assert_same_files, interrupted, real_data, text, waited};

#[test]
fn a_generated_graph_is_counted_as_it_was_made() {
    let home = World::new();
    let made = home.shown("data generate citation --seed 1 --out graph");
    let info = home.shown("data info graph");
    let counted = ["nodes", "edges", "features", "feature_nonzeros", "classes", "isolated"];
    let others = ["self_loops_dropped", "duplicates_dropped", "max_degree", "mean_degree", "homophily"];
    for key in counted.into_iter().chain(others) {
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
    assert_same_files(&home, "one", "two");
    assert_ne!(home.read("one/edges.csv"), home.read("other/edges.csv"));
}

#[test]
fn an_edge_list_with_any_names_becomes_a_data_set_and_keeps_them() {
    let home = World::new();
    let links = "anna,ben\nben,anna\nben,ben\n\"carl, jr\",anna\n";
    home.write("friends.csv", links);
    let info = home.shown("data info friends.csv");
    let counts = ["nodes", "edges", "self_loops_dropped", "duplicates_dropped"].map(|key| info[key].as_u64().unwrap());
    assert_eq!(counts, [3, 2, 1, 1]);
    // A header that is not known is no edge.
    home.write("headed.csv", format!("who,whom\n{links}"));
    home.veil("data info headed.csv").fails_with(1).says("headed.csv:1").says("--source who --target whom");
    home.veil("data import friends.csv --out graph").succeeds();
    let names = text(&home, "graph/nodes.csv");
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
    let home = World::with_graph("powerlaw --nodes 100 --edges 300");
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
fn a_graph_before_later_nodes_came_keeps_names_and_the_edges_among_those_that_were_there() {
    let home = World::new();
    home.write("graph/edges.csv", "src,dst\n0,1\n1,3\n3,4\n2,4\n");
    home.write("graph/labels.csv", "node,label\n0,0\n1,1\n2,0\n3,1\n4,0\n");
    home.write("graph/splits.csv", "node,split\n1,train\n2,test\n3,val\n4,train\n");
    home.write("graph/features.csv", "node,feature,value\n0,0,5\n3,1,7\n");
    let shown = home.shown("data hide graph --keep train,val --out before");
    let counts = ["nodes", "edges", "nodes_hidden", "edges_hidden", "features", "classes"];
    assert_eq!(counts.map(|key| shown[key].as_u64().unwrap()), [3, 2, 2, 2, 2, 2]);
    assert_eq!((shown["seed"].is_null(), shown["out"].as_str()), (true, Some("before")));
    let text = |file: &str| text(&home, &format!("before/{file}"));
    assert_eq!(text("edges.csv"), "src,dst\n0,1\n1,2\n");
    assert_eq!(text("nodes.csv"), "node,name\n0,1\n1,3\n2,4\n");
    assert_eq!(text("labels.csv"), "node,label\n0,1\n1,1\n2,0\n");
    assert_eq!(text("splits.csv"), "node,split\n0,train\n1,val\n2,train\n");
    // It is a data set like any other, and a node in no part can be kept too.
    home.veil("data info before").succeeds().says("2 train, 1 validation, 0 test");
    home.veil("data hide graph --keep none,test --out rest")
        .succeeds()
        .says("wrote rest; 3 nodes and 4 edges are hidden");
}

#[test]
fn nodes_are_hidden_by_a_random_split_that_its_seed_repeats() {
    let home = World::with_citation_graph();
    let hide = |seed: u32, out: &str| {
        let command = format!("data hide graph --keep train --split 0.5,0.25,0.25 --seed {seed} --out {out} --json");
        home.veil(&command).succeeds().json()
    };
    let shown = hide(1, "one");
    assert_eq!((shown["nodes"].as_u64(), shown["seed"].as_u64()), (Some(150), Some(1)));
    hide(1, "two");
    hide(2, "other");
    assert_same_files(&home, "one", "two");
    assert_ne!(home.read("one/nodes.csv"), home.read("other/nodes.csv"));
    // What is drawn at random is said, so that it can be drawn again.
    let drawn = home.shown("data hide graph --keep train --split 0.5,0.25,0.25 --out drawn");
    assert!(drawn["seed"].is_u64(), "{drawn}");
}

#[test]
fn hiding_says_what_is_missing_and_writes_nothing() {
    let home = World::with_graph("powerlaw --nodes 100 --edges 300");
    home.veil("data hide graph --keep train --out before").fails_with(2).says("has no split").says("--split 0.5");
    home.veil("data hide graph --keep val --split 1,0,0 --out before").fails_with(2).says("no node is in these parts");
    home.veil("data hide graph --keep train --seed 1 --out before").fails_with(2).says("--seed goes with");
    home.veil("data hide graph --keep tomorrow --out before").fails_with(2).says("train");
    home.veil("data hide graph --out before").fails_with(2).says("--keep");
    home.veil("data hide graph --keep train --split 1,0,0 --out graph").fails_with(1).says("already");
    assert_eq!(home.list("."), ["graph"]);
}

#[test]
fn homophily_is_told_per_class_for_true_labels_and_runs() {
    let home = World::new();
    // A path 0–1–2–3, and 4 alone.
    home.write("graph/edges.csv", "src,dst\n0,1\n1,2\n2,3\n");
    home.write("graph/labels.csv", "node,label\n0,0\n1,0\n2,1\n3,1\n4,1\n");
    home.write("graph/classes.csv", "label,name\n0,low\n1,high\n");
    home.write("run/predictions.csv", "node,class,0,1\n0,0,1,0\n1,0,1,0\n2,0,1,0\n3,0,1,0\n4,1,0,1\n");
    let command = "data homophily graph --run run --out plots/homophily.svg";
    let shown = home.shown(command);
    let wanted = serde_json::json!({
        "data": "graph",
        "classes": ["low", "high"],
        "sources": [
            { "name": "true labels", "per_class": [0.75, 0.75], "edges": 2.0 / 3.0 },
            { "name": "run", "per_class": [1.0, null], "edges": 1.0 },
        ],
        "out": "plots/homophily.svg",
    });
    assert_eq!(shown, wanted);
    let plot = home.read("plots/homophily.svg");
    let svg = text(&home, "plots/homophily.svg");
    assert_eq!((svg.matches("class=\"bar\"").count(), svg.matches("<g>").count()), (3, 2), "{svg}");
    assert!(svg.contains("Homophily of graph per class") && svg.contains("low: 0.7500"), "{svg}");
    home.veil(command).fails_with(1).says("already");
    assert_eq!(home.read("plots/homophily.svg"), plot);
    home.veil("data homophily graph --run run --out again.svg").succeeds().says_all(&[
        "all edges",
        "0.6667",
        "without nodes that have no neighbour",
        "wrote again.svg",
    ]);
    assert_eq!(home.read("again.svg"), plot);
}

#[test]
fn homophily_reads_what_training_writes() {
    let home = World::with_citation_graph();
    let open = "--recipe graph-privatizer --epsilon-features inf --epsilon-labels inf --kx 2 --epochs 30";
    home.veil(&format!("train graph --method gnn {open} --seed 1 --out run")).succeeds();
    let shown = home.shown("data homophily graph --run run");
    let [truth, run] = [0, 1].map(|source| shown["sources"][source]["edges"].as_f64().unwrap());
    let info = home.shown("data info graph");
    assert_eq!(Some(truth), info["homophily"].as_f64());
    let (predictions, edges) = (text(&home, "run/predictions.csv"), text(&home, "graph/edges.csv"));
    let classes: Vec<&str> = predictions.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    let alike = |line: &str| {
        let (source, target) = line.split_once(',').unwrap();
        classes[source.parse::<usize>().unwrap()] == classes[target.parse::<usize>().unwrap()]
    };
    let joined: Vec<bool> = edges.lines().skip(1).map(alike).collect();
    assert_eq!(run, joined.iter().filter(|&&alike| alike).count() as f64 / joined.len() as f64);
    assert_eq!(shown["sources"][0]["per_class"].as_array().unwrap().len(), 7);
}

#[test]
fn homophily_refuses_what_is_about_something_else() {
    let home = World::new();
    home.write("graph/edges.csv", "src,dst\n0,1\n");
    home.veil("data homophily graph").fails_with(2).says("has no labels").says("--run");
    home.write("graph/labels.csv", "node,label\n0,0\n1,1\n");
    let refused = |predictions: &str| {
        home.write("run/predictions.csv", predictions);
        home.veil("data homophily graph --run run --out plot.svg").fails_with(1)
    };
    refused("node,class,0,1\n0,0,1,0\n").says("predictions for 1 nodes").says("another graph");
    refused("node,class,0\n0,0,1\n1,0,1\n").says("run predicts 1 classes, but true labels have 2");
    refused("node,class,0,1\n0,0,1,0\n1,banana,1,0\n").says("run/predictions.csv:3:2").says("banana");
    refused("who,whom\n").says("run/predictions.csv:1");
    home.veil("data homophily graph --run graph").fails_with(1).says("graph/predictions.csv").says("veil train");
    assert!(!home.path("plot.svg").exists());
    home.write("released/meta.json", "{\"nodes\": 2, \"edges_withheld\": true}");
    home.write("released/labels.csv", "node,label\n0,0\n1,1\n");
    home.veil("data homophily released").fails_with(1).says("withheld");
}

#[test]
fn a_bipartite_graph_has_no_homophily_and_mostly_test_nodes() {
    let home = World::new();
    home.veil("data generate bipartite --nodes 1000 --seed 1 --out graph")
        .succeeds()
        .says("240 train, 60 validation, 700 test");
    let shown = home.shown("data homophily graph");
    assert_eq!(shown["sources"][0]["per_class"], serde_json::json!([0.0, 0.0]));
    assert_eq!(shown["sources"][0]["edges"], 0.0);
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
    let list = home.shown("data list");
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    let papers = ["cora", "citeseer", "pubmed", "ogbn-arxiv"];
    let others =
        ["facebook", "lastfm", "amazon-photo", "amazon-computers", "twitch-ptbr", "chameleon", "flickr", "reddit"];
    for name in papers.into_iter().chain(others) {
        assert!(names.contains(&name), "{name}");
    }
    home.veil("data info cora").fails_with(1).says("veil data fetch cora");
    home.veil("data info no-such-thing").fails_with(1).says("no-such-thing").says("hint: veil data list shows");
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
    let mut cut_off = 0;
    for _ in 0..6 {
        let mut child = home.started("data generate powerlaw --nodes 100000 --edges 1000000 --seed 1 --out large");
        waited(&mut child, || home.list(".").iter().any(is_filled));
        let ended = interrupted(child);
        if ended.status.success() {
            // It was faster than the signal.
            std::fs::remove_dir_all(home.path("large")).unwrap();
            continue;
        }
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(130), "{said}");
        assert!(said.contains("unfinished files are removed"), "{said}");
        assert_eq!(home.list("."), [""; 0]);
        cut_off += 1;
    }
    assert!(cut_off > 0, "every try was faster than the signal");
}

#[test]
fn every_group_of_commands_shows_examples() {
    let home = World::new();
    for group in ["data", "attack", "ledger", "account", "lab", "lab bench"] {
        home.veil(&format!("{group} --help")).succeeds().says(&format!("Examples:\n  veil {group}"));
    }
}
