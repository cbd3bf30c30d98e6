use super::*;
use crate::read::fixtures::small::{FACEBOOK, KARATE_CLUB, TWITCH};
use crate::read::tests::Folder;
use crate::testing::real_data;

#[test]
fn twitch_files_have_the_width_of_the_vocabulary_and_named_classes() {
    let data = Folder::of(TWITCH).read().unwrap();
    assert_eq!((data.name(), data.nodes(), data.graph().edges()), ("XY", 3, 2));
    let wanted = Sparse::from_triples(3, 3170, &[(0, 2, 1.0), (0, 5, 1.0), (1, 0, 1.0)]).unwrap();
    assert_eq!(data.features(), Some(&Features::Sparse(wanted)));
    let labels = data.labels().unwrap();
    assert_eq!(labels.iter().collect::<Vec<_>>(), [Some(0), Some(1), None]);
    assert_eq!(labels.names().unwrap(), ["not mature", "mature"]);
}

#[test]
fn facebook_and_karate_club_files_are_read_too() {
    let data = Folder::of(FACEBOOK).read().unwrap();
    assert_eq!(data.features().unwrap().columns(), 6);
    assert_eq!(data.labels().unwrap().names().unwrap(), ["company", "tvshow"]);
    assert_eq!(data.labels().unwrap().iter().collect::<Vec<_>>(), [Some(1), Some(0), Some(1)]);

    let data = Folder::of(KARATE_CLUB).read().unwrap();
    assert_eq!((data.nodes(), data.labels().unwrap().classes()), (4, 5));
    let wanted = Sparse::from_triples(4, 2, &[(0, 0, 2.0), (3, 1, 0.5)]).unwrap();
    assert_eq!(data.features(), Some(&Features::Sparse(wanted)));
}

/// A streamer of Twitch's French graph is in its table twice, with other views but one class.
#[test]
fn a_class_that_is_said_twice_is_one_and_counted() {
    let folder = Folder::of(TWITCH);
    let twice = "id,days,mature,views,partner,new_id\n77,1,True,9,False,1\n78,1,False,9,False,0\n77,1,True,8,False,1\n";
    folder.put("XY_target.csv", twice);
    let data = folder.read().unwrap();
    assert_eq!((data.dropped().rows, data.summary().rows_dropped), (1, 1));
    assert_eq!(data.labels().unwrap().get(1), Some(1));
    let other = twice.replace("True,8", "False,8");
    let message = folder.message_with("XY_target.csv", other);
    assert!(message.contains(":4: duplicate (and different) label of node 1"), "{message}");
}

#[test]
fn other_layouts_are_not_recognised() {
    for files in [["edges.csv", "labels.csv"], ["edges.csv", "meta.json"], ["a_edges.csv", "readme.txt"]] {
        let folder = Folder::of(files.map(|name| (name, "")));
        assert!(!looks_like(&folder.entries()), "{files:?}");
    }
}

#[test]
fn errors_name_file_line_and_column() {
    let folder = Folder::of(TWITCH);
    let check = |name: &str, bad: &str, wanted: &str| {
        let message = folder.message_with(name, bad);
        assert!(message.starts_with(wanted), "{message}");
    };
    let edges = |bad: &str, wanted| check("XY_edges.csv", bad, wanted);
    edges("a,b\n0,1\n", ":1: found \"a,b\", expected the header");
    edges("from,to\n0,1\n1,-2\n", ":3:2: found \"-2\"");
    edges("from,to\n0\n", ":2: found \"0\", expected 2 fields");
    edges("from,to\n0,99999999999\n", ":2:2: node 99999999999 is not one of");
    edges("", ": the table is empty");
    // A column of JSON is a byte; where the parser detects an error is its own business, so only
    // some are compared.
    let json = |bad: &str, wanted| check("XY.json", bad, wanted);
    let json_anywhere = |bad: &str, wanted: &str| {
        let message = folder.message_with("XY.json", bad);
        assert!(message.starts_with(":1") && message.contains(wanted), "{message}");
    };
    json("{\"0\": [1],\n\"x\": []}", ":2:3: invalid value: string \"x\", expected the number of a node below");
    json("{\"0\": [1,\n -1]}", ":2:3: invalid value: integer `-1`");
    json("{\"0\": [1.5]}", ":1:10: invalid type: floating point `1.5`");
    json_anywhere("{\"0\": [268435456]}", "integer `268435456`, expected a list of feature numbers below");
    json_anywhere("{\"0\": {}}", "invalid type: map, expected a list of feature numbers");
    json_anywhere("[[1]]", "invalid type: sequence, expected an object");
    json_anywhere("{\"0\": [1]", "EOF while parsing an object");
    json_anywhere("{\"0\": []} x", "trailing characters");
    json("{\"1\": [1], \"1\": []}", ", key \"1\": duplicate list of node 1");
    let target = |bad: &str, wanted| check("XY_target.csv", bad, wanted);
    target("id,label\n0,1\n", ":1: found \"id,label\", expected a header with");
    target("id,mature\n0,True\n1,maybe\n", ":3:2: found \"maybe\", expected True or False");
    target("id,mature\n0,True\n0,False\n", ":3: duplicate (and different) label of node 0");
    target("id,mature\n0,True,9\n", ":2: found \"0,True,9\", expected 2 fields");
    target("id,target\n0,1048576\n", ":2:2: found \"1048576\", expected a class below");
    target("id,page_type\n0,\n", ":2:2: found \"\", expected the name of a class");
    folder.put("Z_edges.csv", TWITCH[0].1);
    assert_eq!(folder.message(folder.read()), "Z_edges.csv: duplicate file with the edges");
}

#[test]
fn the_published_twitch_files_have_the_known_counts() {
    let known = [("de", 9498, 153_138, 193_132, [3756, 5742]), ("es", 4648, 59_382, 89_798, [3288, 1360])];
    for (country, nodes, edges, nonzeros, sizes) in known {
        let Some(folder) = real_data(&format!("twitch_{country}")) else { continue };
        let raw = crate::read::open(&folder.join("raw")).unwrap();
        let summary = raw.summary();
        assert_eq!((summary.nodes, summary.edges, summary.features), (nodes, edges, 3170));
        assert_eq!((summary.feature_nonzeros, summary.class_sizes), (nonzeros, sizes.to_vec()));
        assert_eq!((summary.self_loops_dropped, summary.duplicates_dropped), (0, 0));
        let ours = crate::read::open(&folder).unwrap();
        assert!(raw.graph() == ours.graph() && raw.features() == ours.features() && raw.labels() == ours.labels());
    }
}
