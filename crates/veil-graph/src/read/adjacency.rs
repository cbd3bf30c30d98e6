//! Adjacency lists as NetworkX writes them: a node and its neighbours per line, separated by
//! blanks; `#` begins a comment.
//!
//! Ids are texts, or numbers if all are. Nodes are numbered in the order of their ids. The graph is
//! undirected.

use super::entries::Entries;
use super::error::{Place, ReadError};
use super::text::{Line, Text};
use crate::dataset::Dataset;
use crate::graph::{Direction, Graph, NodeId};
use crate::ids::Ids;
use crate::limits::MOST_NODES;

pub(super) const DESCRIBED: &str = "a file with a node and its neighbours per line (.adjlist)";

pub(super) fn looks_like(entries: &Entries) -> bool {
    let fits = |name: &String| {
        let name = name.to_ascii_lowercase();
        [".adjlist", ".adjlist.gz", ".adjlist.zst"].iter().any(|ending| name.ends_with(ending))
    };
    entries.is_single_file() && entries.names().iter().any(fits)
}

pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    let path = entries.root();
    let mut ids = Ids::default();
    let mut edges: Vec<(NodeId, NodeId)> = Vec::new();
    let too_many = || {
        let what = "the number of nodes".to_owned();
        ReadError::TooLarge { place: Place::file(path), what, limit: MOST_NODES }
    };
    Text::open(path)?.parse(
        |block| block.lines().filter_map(|line| row(line).transpose()).collect::<Result<Vec<_>, ReadError>>(),
        |rows| {
            for row in rows {
                let mut nodes = row.iter().map(|id| ids.node(id).ok_or_else(too_many));
                let Some(node) = nodes.next().transpose()? else { continue };
                for neighbour in nodes {
                    edges.push((node, neighbour?));
                }
            }
            Ok(())
        },
    )?;
    if ids.len() == 0 {
        let problem = "the file has no nodes".to_owned();
        return Err(ReadError::Unrecognised { path: path.to_owned(), problem });
    }
    let (names, places) = ids.finish();
    for (source, target) in &mut edges {
        (*source, *target) = (places[*source as usize], places[*target as usize]);
    }
    let nodes = names.len() as u32;
    let built = Graph::from_edges(nodes, &edges, Direction::Undirected).map_err(ReadError::misfit(path))?;
    Dataset::new(entries.dataset_name(), built.graph, built.dropped).with_names(names).map_err(ReadError::misfit(path))
}

/// The ids of a line, without its comment.
fn row(line: Line<'_>) -> Result<Option<Vec<String>>, ReadError> {
    let bytes = line.bytes().split(|&byte| byte == b'#').next().unwrap_or_default();
    let text = std::str::from_utf8(bytes).map_err(|_| ReadError::NotUtf8 { place: line.place(0) })?;
    let ids: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
    Ok((!ids.is_empty()).then_some(ids))
}

#[cfg(test)]
mod tests {
    use crate::read::fixtures::gzip;
    use crate::read::tests::Folder;
    use crate::read::{Layout, open, recognise};

    #[test]
    fn a_node_and_its_neighbours_are_read() {
        let folder = Folder::of([("none", "")]);
        let text = b"#nx.write_adjlist\n# GMT\nann bob eve\r\nbob ann\neve # and nobody\nzoe\nadam adam eve\n";
        for (name, bytes) in [("g.adjlist", text.to_vec()), ("g.adjlist.gz", gzip(text))] {
            let path = folder.file(name, &bytes);
            assert_eq!(recognise(&path).unwrap(), Layout::Adjacency);
            let data = open(&path).unwrap();
            let names: Vec<String> = (0..data.nodes()).map(|node| data.names().name(node).into_owned()).collect();
            assert_eq!(names, ["adam", "ann", "bob", "eve", "zoe"]);
            assert_eq!(data.graph().iter_edges().collect::<Vec<_>>(), [(0, 3), (1, 2), (1, 3)]);
            assert_eq!((data.dropped().self_loops, data.dropped().duplicates), (1, 1));
            assert!(!data.declared().nodes);
        }
        let numbers = open(&folder.file("n.adjlist", b"10 9\n9 2\n")).unwrap();
        assert_eq!([0, 1, 2].map(|node| numbers.names().name(node).into_owned()), ["2", "9", "10"]);
        assert!(open(&folder.file("e.adjlist", b"# nothing\n")).unwrap_err().to_string().contains("no nodes"));
    }
}
