use std::io::Write;

use super::*;
use crate::random::Random;
use crate::read::open;

fn read_text(text: &str) -> Result<Dataset, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.txt");
    std::fs::write(&path, text).unwrap();
    open(&path)
}

/// Edges by the names of their ends.
fn edges(text: &str) -> Vec<(String, String)> {
    let dataset = read_text(text).unwrap();
    let name = |node| dataset.names().name(node).into_owned();
    dataset.graph().iter_edges().map(|(a, b)| (name(a), name(b))).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
}

#[test]
fn separators_headers_comments_and_further_columns_are_recognised() {
    let expected = pairs(&[("3", "7"), ("7", "900")]);
    let texts = [
        "3,7\n7,900\n",
        "src,dst\n3,7\n7,900",
        "src,dst,weight\n3,7,0.5\n7,900,1e9\n",
        "3\t7\r\n900\t7\r\n",
        "3;7\n7;900;3;7\n",
        "# nodes: 3 edges: 2\n# from to\n3 7\n7   900  1\n",
        "  3 \t 7\n7\t900\n",
        "% a comment\nfrom\tto\n3\t7\n%another, one\n7\t900\n\n",
        "\u{feff}\"id_1\",\"id_2\"\n\"3\",\"7\"\n7,900\n",
    ];
    for text in texts {
        assert_eq!(edges(text), expected, "{text:?}");
    }
}

#[test]
fn texts_are_numbered_in_their_order_and_lose_only_a_known_header() {
    let text = "Source,Target\nzoe,\"smith, adam\"\nadam,zoe\nzoe,eve\neve,zoe\nadam,adam\n";
    let dataset = read_text(text).unwrap();
    let names: Vec<_> = (0..dataset.nodes()).map(|node| dataset.names().name(node).into_owned()).collect();
    assert_eq!(names, ["adam", "eve", "smith, adam", "zoe"]);
    assert_eq!(dataset.graph().neighbours(3), [0, 1, 2]);
    assert_eq!((dataset.dropped().self_loops, dataset.dropped().duplicates), (1, 1));
    assert_eq!(read_text("ann,bob\nbob,eve\n").unwrap().nodes(), 3);
    assert_eq!(edges("x1 10\n10 x2\n"), pairs(&[("10", "x1"), ("10", "x2")]));
    assert_eq!(edges("10 11\nx1 10\n"), pairs(&[("10", "11"), ("10", "x1")]));
}

#[test]
fn wide_and_scattered_numbers_are_numbered_in_ascending_order() {
    let largest = u64::MAX.to_string();
    let text = format!("5,{largest}\n4294967296,5\n5,6\n");
    let dataset = read_text(&text).unwrap();
    assert_eq!(*dataset.names(), NodeNames::Numbers(vec![5, 6, 4_294_967_296, u64::MAX]));
    assert_eq!(dataset.graph().neighbours(0), [1, 2, 3]);
    let scattered = read_text("4000000000,1\n1,3000000000\n").unwrap();
    assert_eq!(*scattered.names(), NodeNames::Numbers(vec![1, 3_000_000_000, 4_000_000_000]));
    assert_eq!(scattered.graph().neighbours(0), [1, 2]);
    assert_eq!(*read_text("2 0\n0 1\n").unwrap().names(), NodeNames::Range(3));
}

#[test]
fn all_numberings_of_ids_agree_over_many_blocks() {
    let mut random = Random::new(1, "edge list");
    let drawn: Vec<(u64, u64)> =
        (0..700_000).map(|_| (random.below(50_000) as u64, random.below(50_000) as u64)).collect();
    let folder = tempfile::tempdir().unwrap();
    let read_scaled = |name: &str, scale: u64, prefix: &str| {
        let path = folder.path().join(name);
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
        for (a, b) in &drawn {
            writeln!(file, "{prefix}{} {prefix}{}", a * scale, b * scale).unwrap();
        }
        drop(file);
        assert!(prefix.is_empty() || std::fs::metadata(&path).unwrap().len() > 8 << 20, "several blocks");
        open(&path).unwrap()
    };
    let marked = read_scaled("marked", 3, "");
    let sorted = read_scaled("sorted", 80_000, "");
    let wide = read_scaled("wide", 1 << 40, "");
    assert_eq!(marked.graph(), sorted.graph());
    assert_eq!(marked.graph(), wide.graph());
    assert_eq!(marked.dropped(), wide.dropped());
    let NodeNames::Numbers(ids) = marked.names() else { panic!("{:?}", marked.names().len()) };
    assert_eq!(*wide.names(), NodeNames::Numbers(ids.iter().map(|id| (id / 3) << 40).collect()));
    // Texts: another order of nodes, the same edges.
    let texts = read_scaled("texts", 1, "node-");
    let renamed: Vec<NodeId> = (0..texts.nodes())
        .map(|node| {
            let number: u64 = texts.names().name(node)["node-".len()..].parse().unwrap();
            ids.binary_search(&(number * 3)).unwrap() as NodeId
        })
        .collect();
    let edges = texts.graph().iter_edges().map(|(a, b)| (renamed[a as usize], renamed[b as usize]));
    let edges: Vec<_> = edges.collect();
    assert_eq!(*marked.graph(), Graph::from_edges(texts.nodes(), &edges, Direction::Undirected).unwrap().graph);
    assert!((1..texts.nodes()).all(|node| texts.names().name(node - 1) < texts.names().name(node)));
}

#[test]
fn invalid_lists_are_refused_with_their_place() {
    let cases = [
        ("", "list.txt: the file has no edges"),
        ("# nothing\n\n", "list.txt: the file has no edges"),
        ("lonely\n", "list.txt:1: found \"lonely\", expected two node ids"),
        ("src,dst\n", "list.txt: the file has no edges"),
        ("follower,followee\n1,2\n2,3\n", "list.txt:1: the first line, \"follower, followee\", is neither"),
        ("follower,followee\nann,bob\nbob,eve\n", "list.txt:1: the first line, \"follower, followee\", is neither"),
        ("id,age,city\n1,30,Bonn\n2,41,Ulm\n", "list.txt:1: the first line, \"id, age, city\", is neither"),
        ("u1,Ann\nu2,Bob\n", "list.txt:1: the first line"),
        ("1,2\n3\n4,5\n", "list.txt:2: found \"3\", expected 2 fields"),
        ("1,2\n2,-1\n", "list.txt:2:2: found \"-1\", expected a whole number"),
        ("1,2\n2,NaN\n", "list.txt:2:2: found \"NaN\""),
        ("1,2\n99999999999999999999,3\n", "list.txt:2:1: found \"99999999999999999999\""),
        ("a,b\nc,\nd,a\n", "list.txt:2:2: found \"\", expected the id of a node"),
        ("a,b\nc,a\nc,\nlonely\nd,e\n", "list.txt:3:2: found \"\", expected the id of a node"),
        ("node,label\n0,1\n", "list.txt: this is a table of our folder format"),
        ("%%MatrixMarket matrix\n3 3 1\n1 2\n", "list.txt: this is a Matrix Market file: its name must end in .mtx"),
    ];
    for (text, expected) in cases {
        let error = read_text(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}
