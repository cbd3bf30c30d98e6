//! Round trips, tables of other programs, and invalid tables.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Int16Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int8Array, Int64Array, LargeListArray, ListArray,
    RecordBatch, StringArray, UInt64Array,
};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

use super::*;
use crate::dataset::Dataset;
use crate::features::{Encoded, Features, Sparse};
use crate::graph::{Direction, Graph};
use crate::ids::NodeNames;
use crate::labels::Labels;
use crate::matrix::Matrix;
use crate::read::error::ReadError;
use crate::split::{Part, Split};
use crate::testing::real_data;
use crate::write::write_parquet;

const NODES: usize = 6;

fn features() -> impl Strategy<Value = Option<Features>> {
    let value = prop_oneof![any::<f32>().prop_filter("finite", |value| value.is_finite()), Just(0.0), Just(1.0)];
    let dense = (0..4usize, prop::collection::vec(value.clone(), NODES * 4)).prop_map(|(width, values)| {
        Features::Dense(Matrix::from_values(NODES, width, values[..NODES * width].to_vec()).unwrap())
    });
    let sparse = prop::collection::btree_map((0..NODES as u32, 0..5u32), value, 0..20).prop_map(|entries| {
        let triples: Vec<_> = entries.into_iter().map(|((row, column), value)| (row, column, value)).collect();
        Features::Sparse(Sparse::from_triples(NODES, 9, &triples).unwrap())
    });
    let row = prop::sample::subsequence(vec![0u32, 1, 2, 3, 4], 2);
    let finite = || -1e9f32..1e9;
    let encoded =
        (prop::collection::vec(row, NODES), prop::collection::vec(any::<bool>(), 2 * NODES), finite(), finite())
            .prop_map(|(columns, positive, offset, scale)| {
                let columns = columns.concat();
                let reports = Encoded::from_reports((NODES, 7, 2), (offset, scale), columns, positive);
                Features::Encoded(reports.unwrap())
            });
    prop_oneof![dense.prop_map(Some), sparse.prop_map(Some), encoded.prop_map(Some), Just(None)]
}

fn names() -> impl Strategy<Value = NodeNames> {
    let numbers = prop::collection::btree_set(any::<u64>(), NODES);
    let texts = prop::collection::btree_set("[a-zé\"', \n0-9]{0,6}", NODES);
    prop_oneof![
        Just(NodeNames::Range(NODES as u32)),
        numbers.prop_map(|numbers| NodeNames::from_ascending_numbers(numbers.into_iter().collect())),
        texts.prop_map(|texts| NodeNames::from_texts(texts.into_iter().rev().collect()).unwrap()),
    ]
}

prop_compose! {
    fn dataset()(
        name in "[a-z \"]{0,8}",
        edges in prop::collection::btree_set((0..NODES as u32, 0..NODES as u32), 0..12),
        directed in any::<bool>(),
        names in names(),
        features in features(),
        range in prop::option::of((-5.0f32..0.0, 0.1f32..5.0)),
        labels in prop::option::of((prop::collection::vec(prop::option::of(0..3u32), NODES), any::<bool>())),
        split in prop::option::of(prop::collection::vec(
            prop::sample::select(vec![Part::Train, Part::Val, Part::Test, Part::None]), NODES)),
    ) -> Dataset {
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let edges: Vec<_> = edges.into_iter().filter(|(a, b)| if directed { a != b } else { a < b }).collect();
        let built = Graph::from_edges(NODES as u32, &edges, direction).unwrap();
        let mut dataset = Dataset::new(name, built.graph, built.dropped).with_names(names).unwrap();
        if let Some(features) = features {
            dataset = dataset.with_features(features).unwrap();
        }
        if let Some((low, high)) = range {
            dataset = dataset.with_feature_range(low, high).unwrap();
        }
        if let Some((values, named)) = labels {
            let labels = Labels::new(4, values).unwrap();
            let class_names = ["b", "a", "", "ü"].map(str::to_owned).to_vec();
            dataset = dataset.with_labels(if named { labels.with_names(class_names).unwrap() } else { labels }).unwrap();
        }
        if let Some(parts) = split {
            dataset = dataset.with_split(Split::new(parts)).unwrap();
        }
        dataset
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn written_tables_are_read(dataset in dataset()) {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("data");
        write_parquet(&dataset, &folder).unwrap();
        prop_assert_eq!(read(&folder).unwrap(), dataset);
    }
}

fn record(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet_file(path: &Path, batch: &RecordBatch, notes: &[(&str, &str)]) {
    let notes = notes.iter().map(|(key, value)| KeyValue::new(key.to_string(), value.to_string())).collect();
    let properties = WriterProperties::builder().set_key_value_metadata(Some(notes)).build();
    let mut writer = ArrowWriter::try_new(fs::File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn arrow_file(path: &Path, batch: &RecordBatch) {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(fs::File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

fn lists<T: arrow_array::types::ArrowPrimitiveType>(rows: &[&[T::Native]]) -> ArrayRef {
    Arc::new(ListArray::from_iter_primitive::<T, _, _>(
        rows.iter().map(|row| Some(row.iter().map(|&item| Some(item)).collect::<Vec<_>>())),
    ))
}

/// Edges and nodes as another program may write them: unsorted ids, unusual types.
fn foreign() -> [RecordBatch; 2] {
    let edges = record(vec![
        ("weight", Arc::new(BooleanArray::from(vec![true; 4]))),
        ("source", Arc::new(Int8Array::from(vec![30, 10, 10, 20]))),
        ("target", Arc::new(UInt64Array::from(vec![10, 30, 20, 20]))),
    ]);
    let split: DictionaryArray<Int16Type> = vec![Some("test"), None, Some("train")].into_iter().collect();
    let nodes = record(vec![
        ("id", Arc::new(Int64Array::from(vec![30, 10, 20]))),
        ("label", Arc::new(StringArray::from(vec![Some("tree"), None, Some("bush")]))),
        ("split", Arc::new(split)),
        ("x1", Arc::new(Float64Array::from(vec![3.5, 1.5, 2.5]))),
        ("x0", Arc::new(Int64Array::from(vec![3, 1, 2]))),
    ]);
    [edges, nodes]
}

#[test]
fn tables_of_other_programs_are_read_in_both_formats() {
    let home = tempfile::tempdir().unwrap();
    let [edges, nodes] = foreign();
    for ending in ["parquet", "arrow"] {
        let folder = home.path().join(ending);
        fs::create_dir(&folder).unwrap();
        let write = |name: &str, batch| match ending {
            "parquet" => parquet_file(&folder.join(name).with_extension(ending), batch, &[]),
            _ => arrow_file(&folder.join(name).with_extension(ending), batch),
        };
        write("edges", &edges);
        write("nodes", &nodes);
        let data = read(&folder).unwrap();
        assert_eq!((data.name(), data.nodes(), data.graph().edges()), (ending, 3, 2));
        assert_eq!((data.dropped().duplicates, data.dropped().self_loops), (1, 1));
        assert_eq!(data.names(), &NodeNames::Numbers(vec![10, 20, 30]));
        assert_eq!(data.graph().neighbours(0), [1, 2]);
        let labels = data.labels().unwrap();
        assert_eq!(labels.iter().collect::<Vec<_>>(), [None, Some(0), Some(1)]);
        assert_eq!(labels.names().unwrap(), ["bush", "tree"]);
        assert_eq!(data.split().unwrap().parts(), [Part::None, Part::Train, Part::Test]);
        let wanted = Matrix::from_values(3, 2, vec![1.0, 1.5, 2.0, 2.5, 3.0, 3.5]).unwrap();
        assert_eq!(data.features(), Some(&Features::Dense(wanted)));
    }
}

#[test]
fn unsorted_sparse_and_encoded_rows_follow_their_nodes() {
    let home = tempfile::tempdir().unwrap();
    let node = || ("node", Arc::new(Int64Array::from(vec![2, 0, 1])) as ArrayRef);
    let edges =
        record(vec![("from", Arc::new(Int64Array::from(vec![0]))), ("to", Arc::new(Int64Array::from(vec![1])))]);
    let columns = || ("feature_columns", lists::<Int32Type>(&[&[4, 1], &[], &[3]]));
    let values = Arc::new(LargeListArray::from_iter_primitive::<arrow_array::types::Float64Type, _, _>([
        Some(vec![Some(0.5), Some(2.0)]),
        None,
        Some(vec![Some(-1.0)]),
    ]));
    parquet_file(&home.path().join("edges.parquet"), &edges, &[]);
    let nodes = home.path().join("nodes.parquet");
    parquet_file(&nodes, &record(vec![node(), columns(), ("feature_values", values)]), &[]);
    let wanted = Sparse::from_triples(3, 5, &[(1, 3, -1.0), (2, 1, 2.0), (2, 4, 0.5)]).unwrap();
    assert_eq!(read(home.path()).unwrap().features(), Some(&Features::Sparse(wanted)));

    let mut signs = arrow_array::builder::ListBuilder::new(arrow_array::builder::BooleanBuilder::new());
    [true, false, true].into_iter().for_each(|sign| signs.append_value([Some(sign)]));
    let columns = ("feature_columns", lists::<Int32Type>(&[&[4], &[1], &[3]]));
    let batch = record(vec![node(), columns, ("feature_signs", Arc::new(signs.finish()))]);
    let encoding = r#"{"offset": 0.5, "scale": 2, "signs_per_node": 1}"#;
    parquet_file(&nodes, &batch, &[(ENCODING_KEY, encoding)]);
    let wanted = Encoded::from_reports((3, 5, 1), (0.5, 2.0), vec![1, 3, 4], vec![false, true, true]).unwrap();
    assert_eq!(read(home.path()).unwrap().features(), Some(&Features::Encoded(wanted)));
    parquet_file(&nodes, &batch, &[(ENCODING_KEY, &encoding.replace("node\": 1", "node\": 2"))]);
    assert!(message(home.path()).contains("row 0, column feature_signs: 1 signs, but 2 are declared"));
    parquet_file(&nodes, &batch, &[]);
    assert!(message(home.path()).contains("nodes.parquet, veilgraph.encoding: feature_signs needs this key"));
}

#[test]
fn an_edge_table_without_nodes_names_its_nodes() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("friends.feather");
    let ends = |values: [&str; 3]| Arc::new(values.into_iter().collect::<DictionaryArray<Int32Type>>()) as ArrayRef;
    arrow_file(&path, &record(vec![("src", ends(["zoe", "adam", "zoe"])), ("dst", ends(["adam", "eve", "zoe"]))]));
    let data = read(&path).unwrap();
    assert_eq!((data.name(), data.graph().edges(), data.dropped().self_loops), ("friends", 2, 1));
    assert_eq!([0, 1, 2].map(|node| data.names().name(node).into_owned()), ["adam", "eve", "zoe"]);
    assert!(looks_like(&Entries::of(&path).unwrap()));
    assert!(!looks_like(&Entries::of(home.path()).unwrap()));
    fs::rename(&path, home.path().join("edges.feather")).unwrap();
    assert!(looks_like(&Entries::of(home.path()).unwrap()));
}

/// Reads the data set at a path.
fn read(path: &Path) -> Result<Dataset, ReadError> {
    super::read(&Entries::of(path)?)
}

fn message(path: &Path) -> String {
    read(path).unwrap_err().to_string()
}

#[test]
fn errors_name_file_row_and_column() {
    let home = tempfile::tempdir().unwrap();
    let [good_edges, good_nodes] = foreign();
    let (edges, nodes) = (home.path().join("edges.parquet"), home.path().join("nodes.parquet"));
    let ids = |values: Vec<Option<i64>>| Arc::new(Int64Array::from(values)) as ArrayRef;
    let check = |columns: Vec<(&str, ArrayRef)>, wanted: &str| {
        parquet_file(&nodes, &record(columns), &[]);
        let message = message(home.path());
        assert!(message.starts_with(nodes.to_str().unwrap()) && message.contains(wanted), "{message}");
    };
    parquet_file(&edges, &good_edges, &[]);
    let three = || ("node", ids(vec![Some(10), Some(20), Some(30)]));
    check(vec![("node", ids(vec![Some(1), None]))], "row group 0, row 1, column node: found \"\"");
    check(vec![("node", ids(vec![Some(1), Some(-7)]))], "row 1, column node: found \"-7\"");
    check(vec![("node", ids(vec![Some(1), Some(2), Some(1)]))], "column node: duplicate node 1");
    check(vec![("name", ids(vec![Some(1)]))], "columns: found \"none\", expected a column node");
    let huge = ids(vec![Some(0), None, Some(1 << 40)]);
    check(vec![three(), ("label", huge)], "row 2, column label: found \"1099511627776\", expected one of");
    let parts = Arc::new(StringArray::from(vec!["train", "exam", "test"]));
    check(vec![three(), ("split", parts)], "row 1, column split: found \"exam\"");
    check(vec![three(), ("x1", ids(vec![Some(1); 3]))], "columns: found \"x1\", expected x0");
    check(vec![three(), ("x0", ids(vec![Some(1), None, None]))], "row 1, column x0");
    let not_finite = Arc::new(Float64Array::from(vec![0.0, 1.0, f64::NAN]));
    check(vec![three(), ("x0", not_finite)], "row 2, column x0: found \"NaN\", expected a finite number");
    let uneven = lists::<Int32Type>(&[&[1, 2], &[1, 2], &[3]]);
    check(vec![three(), ("features", uneven)], "row 2, column features: 1 features, but 2 are declared");
    check(vec![three(), ("features", ids(vec![None; 3]))], "row group 0, column features: a column of type Int64");
    let columns = || ("feature_columns", lists::<Int32Type>(&[&[1], &[2, 3], &[]]));
    check(vec![three(), columns()], "feature_columns without feature_values");
    let short = lists::<Int32Type>(&[&[1], &[2], &[]]);
    check(vec![three(), columns(), ("feature_values", short)], "row 1, column feature_values: 1 features, but 2");
    let negative = lists::<Int32Type>(&[&[1], &[-2], &[]]);
    let values = lists::<Int32Type>(&[&[1], &[2], &[]]);
    check(vec![three(), ("feature_columns", negative), ("feature_values", values)], "row 1, column feature_columns");

    parquet_file(&nodes, &good_nodes.slice(0, 2), &[]);
    assert!(
        message(home.path()).contains("edges.parquet, row group 0, row 2, column target: node 20 is not one of the 2")
    );
    parquet_file(&nodes, &good_nodes, &[(NOTES_KEY, r#"{"version": 9}"#)]);
    assert!(message(home.path()).contains("nodes.parquet, veilgraph.meta: found \"9\", expected version 1"));
    parquet_file(&nodes, &good_nodes, &[(NOTES_KEY, r#"{"version": 1, "class_names": ["bush"]}"#)]);
    assert!(message(home.path()).contains("column label: found \"tree\""));
    parquet_file(&nodes, &good_nodes, &[]);
    parquet_file(&edges, &good_nodes, &[]);
    assert!(message(home.path()).contains("edges.parquet, columns: found \"id,label,split,x1,x0\""));
    fs::write(&edges, "src,dst\n1,2\n").unwrap();
    assert!(message(home.path()).contains("edges.parquet, byte 0: neither a Parquet nor an Arrow file"));
}

/// A few bytes per thousand rows: a small file can declare many rows.
#[test]
fn a_small_file_of_very_many_rows_is_refused_before_it_is_decoded() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("edges.parquet");
    let zeros = || Arc::new(Int64Array::from(vec![0; 1 << 20])) as ArrayRef;
    let batch = record(vec![("src", zeros()), ("dst", zeros())]);
    let mut writer = ArrowWriter::try_new(fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 20_000);
    let message = message(&path);
    assert!(message.contains("the number of decompressed values exceeds the limit"), "{message}");
}

#[test]
fn real_data_sets_survive_a_round_trip() {
    let Some(data) = real_data("amazon_computers") else { return };
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("tables");
    let dataset = crate::read::open(&data).unwrap();
    write_parquet(&dataset, &folder).unwrap();
    let again = crate::read::open(&folder).unwrap();
    assert!(again == dataset);
}
