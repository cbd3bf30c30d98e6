//! Values whose texts would not tell them apart, or lose their place.

use arrow_array::types::{Float32Type, Int8Type};
use arrow_array::{
    BinaryArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray, Time32SecondArray,
    TimestampMillisecondArray,
};

use super::*;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
}

fn table(home: &Home, name: &str, columns: Vec<(&str, ArrayRef)>) -> PathBuf {
    home.file(name, arrow(&batch(columns), None))
}

fn texts(texts: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(texts.to_vec()))
}

/// Three values of types that have no text.
fn without_text() -> Vec<(&'static str, ArrayRef)> {
    let ids: Vec<&[u8]> = vec![b"one-", b"two-", b"two+"];
    let binary = BinaryArray::from(ids.clone());
    let fixed = FixedSizeBinaryArray::try_from_iter(ids.into_iter()).unwrap();
    let keys = arrow_array::PrimitiveArray::<Int8Type>::from(vec![0, 1, 2]);
    vec![
        ("Binary", Arc::new(binary.clone()) as ArrayRef),
        ("FixedSizeBinary", Arc::new(fixed)),
        ("Time32", Arc::new(Time32SecondArray::from(vec![1, 2, 3]))),
        ("Dictionary", Arc::new(DictionaryArray::new(keys, Arc::new(binary)))),
    ]
}

#[test]
fn ids_and_labels_without_a_text_are_refused() {
    let home = Home::new();
    for (kind, array) in without_text() {
        let names = texts(&["a", "b", "c"]);
        let nodes = table(&home, "n.arrow", vec![("id", array.clone())]);
        let edges = table(&home, "e.arrow", vec![("source", array.clone()), ("target", names.clone())]);
        let labels = table(&home, "l.arrow", vec![("id", names.clone()), ("x", array.clone())]);
        let label = Request { label: Some("x".to_owned()), ..request(None, Some(labels.clone())) };
        let told = Request { kinds: vec![("x".to_owned(), Kind::Category)], ..request(None, Some(labels.clone())) };
        let told = Request { features: FeatureColumns::These(words(&["x"])), ..told };
        let ends = Request { ends: None, ..request(Some(edges), None) };
        for request in [request(None, Some(nodes)), ends, label, told] {
            let error = import(&request).unwrap_err();
            assert!(error.to_string().contains("have no text of their own"), "{kind}: {error}");
            assert!(error.hint().unwrap().contains("as text"));
        }
        // Where nobody asked for it, it is dropped, and named.
        let imported = import(&request(None, Some(labels))).unwrap();
        assert!(imported.report.dropped.iter().any(|it| it.contains("column x of l.arrow: values of a type")));
        assert!(imported.report.collected.is_empty(), "a type does not depend on rows");
    }
}

#[test]
fn points_in_time_are_different_ids() {
    let home = Home::new();
    let times = TimestampMillisecondArray::from(vec![0, 1, 3_600_000, 86_400_000, -1]);
    let data = import(&request(None, Some(table(&home, "n.arrow", vec![("id", Arc::new(times))])))).unwrap().dataset;
    let names: Vec<String> = (0..data.nodes()).map(|node| data.names().name(node).into_owned()).collect();
    let wanted =
        ["1969-12-31T23:59:59.999", "1970-01-01", "1970-01-01T00:00:00.001", "1970-01-01T01:00:00", "1970-01-02"];
    assert_eq!(names, wanted);
}

#[test]
fn lists_of_numbers_with_a_type_keep_their_places() {
    let home = Home::new();
    let ids = || texts(&["a", "b"]);
    let fixed = |rows: [[Option<f32>; 2]; 2]| {
        let rows = rows.map(|row| Some(row.to_vec()));
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(rows, 2)) as ArrayRef
    };
    let whole = fixed([[Some(0.0), Some(1.0)], [Some(1.0), Some(1.0)]]);
    let floats = ListArray::from_iter_primitive::<Float32Type, _, _>(
        [[1.0, 0.0], [1.0, 1.0]].map(|row| Some(row.map(Some).to_vec())),
    );
    for (array, rows) in [(whole, [[0.0, 1.0], [1.0, 1.0]]), (Arc::new(floats) as ArrayRef, [[1.0, 0.0], [1.0, 1.0]])] {
        let path = table(&home, "n.arrow", vec![("id", ids()), ("v", array)]);
        let Imported { dataset, report } = import(&request(None, Some(path))).unwrap();
        assert_eq!([row(&dataset, "a"), row(&dataset, "b")], rows.map(|row| row.to_vec()));
        assert_eq!(report.columns[0].becomes, "2 numbers, as they are");
    }
    for hole in [None, Some(f32::NAN)] {
        let holed = fixed([[Some(0.0), hole], [Some(1.0), Some(1.0)]]);
        let path = table(&home, "n.arrow", vec![("id", ids()), ("v", holed)]);
        let message = import(&request(None, Some(path))).unwrap_err().to_string();
        assert!(message.contains("row 1, v") && message.contains("none of them missing"), "{message}");
    }
    // Lists of lists are neither.
    let mut lists = arrow_array::builder::ListBuilder::new(arrow_array::builder::ListBuilder::new(
        arrow_array::builder::Int32Builder::new(),
    ));
    for _ in 0..2 {
        lists.values().values().append_slice(&[1, 2]);
        lists.values().append(true);
        lists.append(true);
    }
    let typed = table(&home, "n.arrow", vec![("id", ids()), ("v", Arc::new(lists.finish()))]);
    let lines = "{\"id\": \"a\", \"v\": [[1, 2], [3]]}\n{\"id\": \"b\", \"v\": [{\"w\": 1}]}\n";
    for path in [typed, home.file("n.jsonl", lines)] {
        let report = import(&request(None, Some(path))).unwrap().report;
        assert!(report.dropped.iter().any(|it| it.contains("column v")), "{:?}", report.dropped);
    }
}

#[test]
fn a_missing_number_moves_no_other() {
    let home = Home::new();
    let lines = |second: &str| format!("{{\"id\": \"a\", \"v\": [1, 2.5, 3]}}\n{{\"id\": \"b\", \"v\": {second}}}\n");
    for bad in ["[1, null, 3]", "[1, 3]"] {
        let path = home.file("n.jsonl", lines(bad));
        let told = Request { kinds: vec![("v".to_owned(), Kind::Vector)], ..request(None, Some(path)) };
        let message = import(&told).unwrap_err().to_string();
        assert!(message.contains("n.jsonl:2") && message.contains("a list of 3 finite numbers"), "{bad}: {message}");
    }
    let guessed = import(&request(None, Some(home.file("n.jsonl", lines("[1, null, 3]"))))).unwrap_err();
    assert!(guessed.to_string().contains("none of them missing"), "{guessed}");
    // Floats that happen to be whole are written as such.
    let whole = "{\"id\": \"a\", \"v\": [0.0, 1.0]}\n{\"id\": \"b\", \"v\": [1.0, 1.0]}\n";
    let data = import(&request(None, Some(home.file("n.jsonl", whole)))).unwrap().dataset;
    assert_eq!((row(&data, "a"), row(&data, "b")), (vec![0.0, 1.0], vec![1.0, 1.0]));
    // A list of items says how many are missing.
    let items = "{\"id\": \"a\", \"v\": [\"x\", null]}\n{\"id\": \"b\", \"v\": [\"y\"]}\n";
    let report = import(&request(None, Some(home.file("n.jsonl", items)))).unwrap().report;
    assert!(report.dropped.iter().any(|it| it == "1 missing items in the lists of v"), "{:?}", report.dropped);
}

#[test]
fn what_the_owner_lists_is_not_missing() {
    let home = Home::new();
    let text = "user,country,tags,plan\nu1,NA,null|b,None\nu2,DE,b,Some\n\"u,3\",,NaN,Some\n";
    let list = |column: &str, items: &[&str]| (column.to_owned(), words(items));
    let request = Request {
        categories: vec![list("country", &["NA", "DE"]), list("tags", &["null", "b"])],
        classes: Some(named(&["None", "Some"])),
        kinds: vec![("tags".to_owned(), Kind::List)],
        missing: MissingValues::IndicatedIn(words(&["country", "tags"])),
        ..users(&home, text, &["country", "tags"])
    };
    let data = import(&request).unwrap().dataset;
    assert_eq!(row(&data, "u1"), [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    assert_eq!(row(&data, "u,3"), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let label = |name: &str| data.labels().unwrap().get(data.names().node(name).unwrap());
    assert_eq!((label("u1"), label("u2")), (Some(0), Some(1)));
    // Without the list it is missing, as everywhere.
    let unlisted = Request { classes: None, ..request };
    assert_eq!(import(&unlisted).unwrap().dataset.labels().unwrap().known(), 2);
}

#[test]
fn a_word_for_a_missing_id_is_warned_about() {
    let home = Home::new();
    let edges = home.file("e.csv", "source,target\nann,NaN\nbob,NaN\nbob,ann\n");
    let report = import(&Request { ends: None, ..request(Some(edges.clone()), None) }).unwrap().report;
    assert!(report.warnings.iter().any(|it| it.contains("a node with 2 edges is called \"NaN\"")), "{report:?}");
    assert_eq!(crate::read::open(&edges).unwrap().warnings().len(), 1);
}

#[test]
fn classes_of_one_whole_number_are_one() {
    let home = Home::new();
    let text = "user,plan\nu1,1\nu2,1.0\n\"u,3\",x\n";
    let data = import(&users(&home, text, &[])).unwrap().dataset;
    let labels = data.labels().unwrap();
    assert_eq!((labels.names().unwrap(), labels.class_sizes()), (&words(&["1", "x"])[..], vec![2, 1]));
}

/// Each default would be copied into every row.
#[test]
fn defaults_of_graph_ml_are_bounded_by_the_file() {
    let home = Home::new();
    let graph = |keys: &str, nodes: usize| {
        let nodes: String = (0..nodes).map(|node| format!("<node id=\"{node}\"/>")).collect();
        let text = format!("<graphml>{keys}<graph edgedefault=\"directed\">{nodes}</graph></graphml>");
        let network = Some(home.file("g.graphml", text));
        import(&Request { network, features: FeatureColumns::These(Vec::new()), ..Request::default() })
    };
    let key = |name: usize, text: &str| format!("<key id=\"k{name}\" for=\"node\"><default>{text}</default></key>");
    let long = graph(&key(0, &"x".repeat(1 << 20)), 200).unwrap_err().to_string();
    assert!(long.contains("the size of default values, copied into every row"), "{long}");
    // Many short ones are no better.
    let keys: String = (0..5000).map(|name| key(name, "")).collect();
    let many = graph(&keys, 3000).unwrap_err().to_string();
    assert!(many.contains("the size of default values") || many.contains("the number of cells"), "{many}");
    assert_eq!(graph(&key(0, "false"), 20_000).unwrap().dataset.nodes(), 20_000);
}

/// Each field takes memory of its own before it is counted.
#[test]
fn rows_of_too_many_fields_are_refused_while_they_are_read() {
    let home = Home::new();
    let commas = ",".repeat(100_000);
    for (text, line) in [(format!("a{commas}\n"), 1), (format!("id,b\n1,2\n1{commas}\n"), 3)] {
        let message = import(&request(None, Some(home.file("n.csv", text)))).unwrap_err().to_string();
        assert!(message.contains(&format!("n.csv:{line}: the number of columns exceeds")), "{message}");
    }
    // Those in quotes are none.
    let quoted = home.file("n.csv", format!("id,v\n1,\"{commas}\"\n"));
    assert_eq!(import(&request(None, Some(quoted))).unwrap().dataset.nodes(), 1);
}
