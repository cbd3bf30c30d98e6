//! The Reddit layout on small folders written by the tests.

use super::*;
use crate::read::fixtures::small::{
    Arrays, reddit_coordinates as coordinates, reddit_data as data, reddit_rows as rows, replaced,
};
use crate::read::fixtures::{f4, i4, i8, npz};
use crate::read::tests::Folder;

fn with(data: &Arrays, graph: &Arrays) -> Result<Dataset, ReadError> {
    Folder::of([(DATA, npz(data)), (GRAPH, npz(graph))]).read()
}

#[test]
fn both_forms_of_the_graph_give_the_same_data_set() {
    let dataset = with(&data(), &coordinates()).unwrap();
    assert_eq!(dataset, with(&data(), &rows()).unwrap());
    assert_eq!(dataset.graph().iter_edges().collect::<Vec<_>>(), [(0, 1)]);
    assert_eq!((dataset.dropped().self_loops, dataset.dropped().duplicates), (1, 1));
    assert_eq!(dataset.features().unwrap().value(2, 0), 4.0);
    assert_eq!(dataset.labels().unwrap().iter().flatten().collect::<Vec<_>>(), [1, 0, 1]);
    assert_eq!(dataset.split().unwrap().parts(), [Part::Train, Part::Test, Part::Val]);
    assert!(looks_like(&Entries::named(&[DATA, GRAPH])) && !looks_like(&Entries::named(&[DATA])));
}

#[test]
fn errors_have_their_place() {
    let folder = Folder::of([(DATA, npz(&data())), (GRAPH, npz(&coordinates()))]);
    let in_data = |name, bytes: &[u8]| folder.message_with(DATA, npz(&replaced(data(), name, bytes)));
    let in_graph = |name, bytes: &[u8]| folder.message_with(GRAPH, npz(&replaced(coordinates(), name, bytes)));
    assert!(in_data("node_types", &i8(&[1, 3, 4])).contains("node_types[2]"));
    assert!(in_data("node_types", &i8(&[1, 3])).contains("2 parts"));
    assert!(in_data("feature", &f4(&[2, 3], &[0.0; 6])).contains("2 rows of features, but 3"));
    assert!(in_data("feature", &f4(&[6], &[0.0; 6])).contains("expected a matrix"));
    assert!(
        in_data("feature", &f4(&[3, 2], &[0.0, 0.0, 0.0, f32::INFINITY, 0.0, 0.0]))
            .contains("feature, row 1, column 1")
    );
    assert!(in_data("label", &i8(&[1, 0, -1])).contains("label[2]"));
    assert!(in_data("label", &f4(&[3], &[0.0; 3])).contains("expected whole numbers"));
    assert!(in_graph("row", &i4(&[0, 1, 3])).contains("row[2]: node 3"));
    assert!(in_graph("col", &i4(&[0, 1])).contains("2 ends of links, but 3"));
    assert!(in_graph("shape", &i8(&[1 << 31, 1 << 31])).contains("nodes, but 3"));
    let folder = Folder::of([(DATA, npz(&data()))]);
    assert!(folder.message(read(&folder.entries())).contains("reddit_graph.npz: missing"));
}
