//! Round trips of arbitrary data sets.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use super::*;
use crate::graph::{Dropped, NodeId};

/// Any finite value except zero, which a sparse row does not store.
fn value() -> impl Strategy<Value = f32> {
    prop_oneof![
        Just(1.0f32),
        any::<f32>().prop_filter("finite and not zero", |value| value.is_finite() && *value != 0.0),
    ]
}

fn sparse(nodes: usize) -> impl Strategy<Value = Features> {
    (1usize..20).prop_flat_map(move |width| {
        let row = btree_set(0..width as u32, 0..=width.min(6));
        vec(row, nodes).prop_flat_map(move |rows| {
            let entries = rows.iter().map(|row| row.len()).sum::<usize>();
            let offsets = std::iter::once(0)
                .chain(rows.iter().scan(0, |end, row| {
                    *end += row.len();
                    Some(*end)
                }))
                .collect::<Vec<usize>>();
            let columns: Vec<u32> = rows.into_iter().flatten().collect();
            vec(value(), entries).prop_map(move |values| {
                Features::Sparse(Sparse::from_parts(offsets.clone(), columns.clone(), values, width).unwrap())
            })
        })
    })
}

fn encoded(nodes: usize) -> impl Strategy<Value = Features> {
    (1usize..12, 1usize..4).prop_flat_map(move |(width, per_row)| {
        let per_row = per_row.min(width);
        let rows = vec(proptest::sample::subsequence((0..width as u32).collect::<Vec<_>>(), per_row), nodes);
        (rows, vec(any::<bool>(), nodes * per_row), value(), value()).prop_map(move |(rows, signs, offset, scale)| {
            let columns = rows.into_iter().flatten().collect();
            Features::Encoded(Encoded::from_reports((nodes, width, per_row), (offset, scale), columns, signs).unwrap())
        })
    })
}

fn names(nodes: usize) -> impl Strategy<Value = NodeNames> {
    let numbers = btree_set(any::<u64>(), nodes)
        .prop_map(|numbers| NodeNames::from_ascending_numbers(numbers.into_iter().collect()));
    // A letter first, because texts that are ascending numbers are read as numbers; unusual
    // characters after it.
    let texts = btree_set("[a-zé][a-z ,\"';#\t]{0,5}", nodes)
        .prop_map(|texts| NodeNames::from_texts(texts.into_iter().rev().collect()).unwrap());
    prop_oneof![Just(NodeNames::Range(nodes as u32)), numbers, texts]
}

fn labels(nodes: usize) -> impl Strategy<Value = Labels> {
    (1u32..5).prop_flat_map(move |classes| {
        let values = vec(proptest::option::of(0..classes), nodes);
        let names = proptest::option::of(btree_set("[a-z ,\"]{0,6}", classes as usize));
        (values, names).prop_map(move |(values, names)| {
            let labels = Labels::new(classes, values).unwrap();
            names.map_or(labels.clone(), |names| labels.with_names(names.into_iter().rev().collect()).unwrap())
        })
    })
}

fn split(nodes: usize) -> impl Strategy<Value = Split> {
    let part = proptest::sample::select(vec![Part::Train, Part::Val, Part::Test, Part::None]);
    vec(part, nodes).prop_map(Split::new)
}

fn dataset() -> impl Strategy<Value = Dataset> {
    (1usize..25).prop_flat_map(|nodes| {
        let node = 0..nodes as NodeId;
        (
            vec((node.clone(), node), 0..40),
            any::<bool>(),
            proptest::option::of(prop_oneof![sparse(nodes), encoded(nodes)]),
            proptest::option::of(labels(nodes)),
            proptest::option::of(split(nodes)),
            names(nodes),
        )
            .prop_map(move |(edges, directed, features, labels, split, names)| {
                let direction = if directed { Direction::Directed } else { Direction::Undirected };
                // Dropped edges belong to the file that was read, so a new file has none.
                let graph = Graph::from_edges(nodes as u32, &edges, direction).unwrap().graph;
                let mut dataset = Dataset::new("any", graph, Dropped::default()).with_names(names).unwrap();
                if let Some(features) = features {
                    dataset = match features
                        .range()
                        .filter(|(low, high)| low < high && low.is_finite() && high.is_finite())
                    {
                        Some((low, high)) => dataset.with_feature_range(low, high).unwrap(),
                        None => dataset,
                    };
                    dataset = dataset.with_features(features).unwrap();
                }
                if let Some(labels) = labels {
                    dataset = dataset.with_labels(labels).unwrap();
                }
                match split {
                    Some(split) => dataset.with_split(split).unwrap(),
                    None => dataset,
                }
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn data_sets_survive_a_round_trip(dataset in dataset()) {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        write_folder(&dataset, &out).unwrap();
        let read = crate::read::open(&out).unwrap();
        prop_assert_eq!(read, dataset);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn repeated_reports_survive_a_round_trip(reports in vec((0u32..9, 0u32..8), 0..60)) {
        // No node reports itself: numbers from the reporter on are shifted by one.
        let reports = reports.into_iter().map(|(from, to)| (from, to + u32::from(to >= from))).collect();
        let graph = Graph::from_reports(9, reports).unwrap();
        let dataset = Dataset::new("reports", graph, Dropped::default());
        let home = tempfile::tempdir().unwrap();
        let writers = [
            ("folder", write_folder as fn(&Dataset, &Path) -> Result<(), WriteError>),
            #[cfg(feature = "parquet")]
            ("tables", crate::write::write_parquet),
        ];
        for (name, write) in writers {
            let out = home.path().join(name);
            write(&dataset, &out).unwrap();
            let read = crate::read::open(&out).unwrap();
            prop_assert_eq!(read.graph(), dataset.graph(), "{}", name);
            prop_assert_eq!(read.dropped(), Dropped::default(), "{}", name);
        }
    }
}

#[test]
fn generated_data_sets_survive_a_round_trip() {
    let dataset = crate::generate::Community::citation().check().unwrap().generate(1);
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("out");
    write_folder(&dataset, &out).unwrap();
    assert_eq!(crate::read::open(&out).unwrap(), dataset);
}
