//! No fact is given that one value more could change.

use super::*;

/// Users with three columns, none of which has a missing value.
const WHOLE: &str = "user,age,pro,country,plan\nu1,30,yes,DE,a\nu2,40,no,FR,b\n\"u,3\",50,yes,DE,a\n";

/// What can be known of the features without the data: the range, and the number of columns.
fn given(request: &Request) -> (bool, bool) {
    let Imported { dataset, report } = import(request).unwrap();
    let range = dataset.feature_range().is_some();
    let dimensions = dataset.declared().dimensions;
    let said = |part: &str| report.given.iter().any(|fact| fact.contains(part));
    assert_eq!((said("the range"), said("the number of features")), (range, dimensions), "{:?}", report.given);
    (range, dimensions)
}

fn with_range(home: &Home, text: &str) -> Request {
    Request { ranges: vec![("age".to_owned(), 0.0, 100.0)], ..users(home, text, &["age"]) }
}

#[test]
fn one_missing_value_more_changes_nothing_that_is_given() {
    let home = Home::new();
    // By default a column appears where a value is missing, so its number is not given even if
    // none is.
    assert_eq!(given(&with_range(&home, WHOLE)), (true, false));
    let missing = WHOLE.replace(",40,", ",,");
    assert_eq!(given(&with_range(&home, &missing)), (true, false));
    let features = |text: &str| import(&with_range(&home, text)).unwrap().dataset.features().unwrap().columns();
    assert_eq!((features(WHOLE), features(&missing)), (1, 2));
    // Said of the column, it is.
    for missing in [MissingValues::Refused, MissingValues::IndicatedIn(words(&["age"]))] {
        assert_eq!(given(&Request { missing, ..with_range(&home, WHOLE) }), (true, true));
    }
}

#[test]
fn what_is_guessed_from_values_is_never_given() {
    let home = Home::new();
    let strict =
        |text: &str, column: &str| Request { missing: MissingValues::Refused, ..users(&home, text, &[column]) };
    assert_eq!(given(&strict(WHOLE, "pro")), (false, false));
    // One word makes categories of it.
    let maybe = import(&strict(&WHOLE.replace(",no,", ",maybe,"), "pro")).unwrap();
    assert_eq!(maybe.dataset.features().unwrap().columns(), 2);
    assert_eq!(given(&strict(WHOLE, "age")), (false, false));
    let told = |kind| Request { kinds: vec![("pro".to_owned(), kind)], ..strict(WHOLE, "pro") };
    assert_eq!(given(&told(Kind::Boolean)), (true, true));
    assert_eq!(given(&told(Kind::Category)), (true, false));
    let listed = Request { categories: vec![("country".to_owned(), words(&["DE", "FR"]))], ..strict(WHOLE, "country") };
    assert_eq!(given(&listed), (true, true));
}

#[test]
fn columns_that_are_dropped_for_their_values_are_collected() {
    let home = Home::new();
    for (column, more) in [("born", "2000-01-01"), ("empty", ""), ("object", "{}")] {
        let rows = ["u1,30", "u2,40", "\"u,3\",50"].map(|row| format!("{row},{more}\n")).concat();
        let request = Request {
            features: FeatureColumns::All,
            label: None,
            missing: MissingValues::Refused,
            ..with_range(&home, &format!("user,age,{column}\n{rows}"))
        };
        assert_eq!(given(&request), (false, false), "{column}");
        let report = import(&request).unwrap().report;
        assert!(report.collected.iter().any(|fact| fact.contains(&format!("whether {column} has features"))));
    }
    // Also if no column is left.
    let nothing = Request {
        features: FeatureColumns::All,
        label: None,
        ..users(&home, "user,born\nu1,2000-01-01\nu2,\n\"u,3\",\n", &[])
    };
    let report = import(&nothing).unwrap().report;
    assert!(report.collected.iter().any(|fact| fact.contains("that there are no features (whether born")));
}

#[test]
fn columns_that_rows_of_objects_name_are_collected() {
    let home = Home::new();
    let path = home.file("users.jsonl", "{\"user\": \"a\", \"age\": 3}\n{\"user\": \"b\", \"age\": 4}\n");
    let all = Request {
        ranges: vec![("age".to_owned(), 0.0, 100.0)],
        missing: MissingValues::Refused,
        ..request(None, Some(path))
    };
    assert_eq!(given(&all), (false, false));
    assert_eq!(given(&Request { features: FeatureColumns::These(words(&["age"])), ..all }), (true, true));
}

#[test]
fn the_nodes_of_a_graph_in_one_file_are_collected_until_a_list_gives_them() {
    let home = Home::new();
    for (name, text) in [("g.graphml", BARE_GRAPH_ML), ("g.json", NODE_LINK)] {
        let network = Some(home.file(name, text));
        let imported = import(&Request { network, ..Request::default() }).unwrap();
        assert!(!imported.dataset.declared().nodes, "{name}");
        assert!(imported.report.collected.iter().any(|fact| fact == "the list of nodes"), "{name}");
        assert!(!crate::read::open(&home.file(name, text)).unwrap().declared().nodes, "{name}");
        let names: Vec<String> =
            (0..3).map(|node| imported.dataset.names().name(node).into_owned()).chain(["77".to_owned()]).collect();
        let listed = imported.with_node_list(&names.join("\n")).unwrap();
        assert_eq!((listed.dataset.nodes(), listed.dataset.declared().nodes), (4, true), "{name}");
        assert!(listed.report.given.iter().any(|fact| fact == "the list of nodes"));
        assert!(listed.report.collected.iter().all(|fact| fact != "the list of nodes"));
    }
}
