//! The graph of a data set in the files of other programs. Every file can be read back.
//!
//! To add a format: a function, and a line in [`EXPORTS`].

use std::path::Path;

use super::csv::push_number;
use super::error::WriteError;
use super::{atomic, owner};
use crate::dataset::Dataset;
use crate::graph::Direction;

/// A format of one file.
#[derive(Clone, Copy)]
pub struct Export {
    /// Its name.
    pub name: &'static str,
    /// What the file holds, in a line of help.
    pub about: &'static str,
    write: fn(&Dataset) -> Vec<u8>,
}

/// All formats.
pub const EXPORTS: [Export; 2] = [
    Export { name: "graphml", about: "GraphML: nodes by name with their classes, edges", write: graph_ml },
    Export { name: "edge-list", about: "CSV: source, target, by the names of nodes", write: edge_list },
];

impl Export {
    /// Writes the file as a whole or not at all; for the owner alone if it is `closed`.
    ///
    /// # Errors
    /// If `out` exists, or the system cannot write.
    pub fn to(self, dataset: &Dataset, out: &Path, closed: bool) -> Result<(), WriteError> {
        let bytes = (self.write)(dataset);
        if closed { owner::write_file(out, &bytes) } else { atomic::write_file(out, &bytes) }
    }
}

/// `source,target`. A node without an edge is in no line.
fn edge_list(dataset: &Dataset) -> Vec<u8> {
    let (names, mut text) = (dataset.names(), b"source,target\n".to_vec());
    for (source, target) in dataset.graph().iter_edges() {
        push_quoted(&mut text, &names.name(source));
        text.push(b',');
        push_quoted(&mut text, &names.name(target));
        text.push(b'\n');
    }
    text
}

/// A name, quoted unless no reader can take it for anything else, such as a comment.
fn push_quoted(text: &mut Vec<u8>, name: &str) {
    let is_plain = |it: char| it.is_alphanumeric() || "_-.".contains(it);
    if !name.is_empty() && name.chars().all(is_plain) {
        return text.extend_from_slice(name.as_bytes());
    }
    text.push(b'"');
    text.extend_from_slice(name.replace('"', "\"\"").as_bytes());
    text.push(b'"');
}

/// Nodes have their names as ids, and their classes as attributes.
fn graph_ml(dataset: &Dataset) -> Vec<u8> {
    let (names, graph) = (dataset.names(), dataset.graph());
    let direction = if graph.direction() == Direction::Directed { "directed" } else { "undirected" };
    let mut text = Vec::new();
    text.extend_from_slice(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    let labels = dataset.labels();
    if labels.is_some() {
        text.extend_from_slice(b"<key id=\"class\" for=\"node\" attr.name=\"class\" attr.type=\"string\"/>\n");
    }
    text.extend_from_slice(format!("<graph edgedefault=\"{direction}\">\n").as_bytes());
    for node in 0..dataset.nodes() {
        text.extend_from_slice(b"<node id=\"");
        push_escaped(&mut text, &names.name(node));
        let class = labels.and_then(|labels| Some((labels, labels.get(node)?)));
        match class {
            Some((labels, class)) => {
                text.extend_from_slice(b"\"><data key=\"class\">");
                match labels.names().and_then(|names| names.get(class as usize)) {
                    Some(name) => push_escaped(&mut text, name),
                    None => push_number(&mut text, class),
                }
                text.extend_from_slice(b"</data></node>\n");
            }
            None => text.extend_from_slice(b"\"/>\n"),
        }
    }
    for (source, target) in graph.iter_edges() {
        text.extend_from_slice(b"<edge source=\"");
        push_escaped(&mut text, &names.name(source));
        text.extend_from_slice(b"\" target=\"");
        push_escaped(&mut text, &names.name(target));
        text.extend_from_slice(b"\"/>\n");
    }
    text.extend_from_slice(b"</graph>\n</graphml>\n");
    text
}

/// A text of XML.
fn push_escaped(text: &mut Vec<u8>, plain: &str) {
    for character in plain.chars() {
        match character {
            '&' => text.extend_from_slice(b"&amp;"),
            '<' => text.extend_from_slice(b"&lt;"),
            '>' => text.extend_from_slice(b"&gt;"),
            '"' => text.extend_from_slice(b"&quot;"),
            '\t' | '\n' | '\r' => text.extend_from_slice(format!("&#{};", character as u32).as_bytes()),
            _ => text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Request, import};
    use crate::labels::Labels;
    use crate::{Dropped, Graph, NodeNames, read};

    /// Names that have to be quoted or escaped in some format.
    fn named(direction: Direction) -> Dataset {
        let names = ["#1", "a & <b>", "o\"hara", "smith, a", "tab\tbed", "x;y", "z"].map(str::to_owned);
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (5, 4), (6, 0)];
        let graph = Graph::from_edges(7, &edges, direction).unwrap().graph;
        let labels = Labels::new(2, [Some(0), Some(1), None, Some(1), Some(0), None, Some(1)]).unwrap();
        let labels = labels.with_names(vec!["x < y".to_owned(), "b, c".to_owned()]).unwrap();
        let data = Dataset::new("named", graph, Dropped::default());
        data.with_names(NodeNames::from_texts(names.into()).unwrap()).unwrap().with_labels(labels).unwrap()
    }

    /// Every format is read back as the same edges between the same names.
    #[test]
    fn what_is_exported_is_read_back() {
        let edges = |data: &Dataset| -> Vec<[String; 2]> {
            let name = |node| data.names().name(node).into_owned();
            let mut edges: Vec<[String; 2]> = data
                .graph()
                .iter_edges()
                .map(|(one, other)| {
                    let mut ends = [name(one), name(other)];
                    if data.graph().direction() == Direction::Undirected {
                        ends.sort();
                    }
                    ends
                })
                .collect();
            edges.sort();
            edges
        };
        let home = tempfile::tempdir().unwrap();
        for direction in [Direction::Undirected, Direction::Directed] {
            let data = named(direction);
            for export in EXPORTS {
                let out = home.path().join(format!("{}-{direction:?}", export.name));
                export.to(&data, &out, false).unwrap();
                assert!(export.to(&data, &out, false).is_err(), "nothing is overwritten");
                let file = if export.name == "graphml" { "g.graphml" } else { "g.csv" };
                let path = home.path().join(file);
                std::fs::rename(&out, &path).unwrap();
                let request = match export.name {
                    "graphml" => {
                        Request { network: Some(path.clone()), label: Some("class".to_owned()), ..Request::default() }
                    }
                    _ => Request { edges: Some(path.clone()), direction: Some(direction), ..Request::default() },
                };
                let found = import(&request).unwrap_or_else(|error| panic!("{}: {error}", export.name)).dataset;
                assert_eq!(edges(&found), edges(&data), "{}", export.name);
                if export.name == "graphml" {
                    let class = |data: &Dataset, node| {
                        let labels = data.labels().unwrap();
                        labels.get(node).map(|class| labels.names().unwrap()[class as usize].clone())
                    };
                    for node in 0..7 {
                        let same = found.names().node(&data.names().name(node)).unwrap();
                        assert_eq!(class(&found, same), class(&data, node));
                    }
                }
                std::fs::remove_file(&path).unwrap();
            }
        }
        // The names of a generated graph are numbers: the reader of bare edge lists finds them.
        let data = crate::generate::Community::citation().with_nodes(60).check().unwrap().generate(1);
        let path = home.path().join("plain.csv");
        EXPORTS[1].to(&data, &path, true).unwrap();
        assert_eq!(edges(&read::open(&path).unwrap()), edges(&data));
    }
}
