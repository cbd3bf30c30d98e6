//! What is said of columns and classes is checked for every caller, before a file is read.

use super::*;

/// The error of a request whose files do not exist.
fn refused(request: &Request) -> String {
    let error = import(request).unwrap_err();
    assert!(error.is_usage(), "{error}");
    error.to_string()
}

#[test]
fn impossible_requests_are_refused_before_a_file_is_read() {
    let nodes = Request { nodes: Some(PathBuf::from("none.csv")), ..Request::default() };
    let range = |low, high| Request { ranges: vec![("age".to_owned(), low, high)], ..nodes.clone() };
    for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(refused(&range(low, high)).contains("not two finite numbers in ascending order"), "{low} {high}");
    }
    let listed = |items: &[&str]| Request { categories: vec![("c".to_owned(), words(items))], ..nodes.clone() };
    assert!(refused(&listed(&["a", "b", "a"])).contains("the categories of column \"c\": the list has \"a\" twice"));
    assert!(refused(&listed(&["a", ""])).contains("an empty name"));
    assert!(refused(&listed(&[])).contains("an empty list"));
    let classes = |classes| Request { classes: Some(classes), label: Some("plan".to_owned()), ..nodes.clone() };
    assert!(refused(&classes(named(&["a", "a"]))).contains("the classes: the list has \"a\" twice"));
    for number in [0, 1_048_577, 4_000_000, u64::MAX] {
        let message = refused(&classes(Classes::Number(number)));
        assert_eq!(message, format!("{number} classes are given, expected 1 to 1048576"));
    }
    // What contradicts itself.
    let twice = Request { ranges: vec![("a".to_owned(), 0.0, 1.0), ("a".to_owned(), 0.0, 2.0)], ..nodes.clone() };
    assert_eq!(refused(&twice), "the range of \"a\" is given twice");
    let category = Request { kinds: vec![("age".to_owned(), Kind::Category)], ..range(0.0, 1.0) };
    assert_eq!(refused(&category), "a range of column \"age\" does not fit its kind, category");
    let number = Request { kinds: vec![("c".to_owned(), Kind::Vector)], ..listed(&["a"]) };
    assert_eq!(refused(&number), "categories of column \"c\" does not fit its kind, vector");
    let both = Request { categories: vec![("age".to_owned(), words(&["1"]))], ..range(0.0, 1.0) };
    assert!(refused(&both).contains("\"age\" cannot be a number and categories"));
}

#[test]
fn what_is_said_of_a_table_that_is_not_there_is_refused() {
    let edges = || Request { edges: Some(PathBuf::from("none.csv")), ..Request::default() };
    let about = ("age".to_owned(), Kind::Number);
    for (request, says) in [
        (Request { kinds: vec![about], ..edges() }, "the kind of \"age\" requires a table of nodes"),
        (Request { ranges: vec![("age".to_owned(), 0.0, 1.0)], ..edges() }, "the range of \"age\""),
        (Request { categories: vec![("c".to_owned(), words(&["a"]))], ..edges() }, "the categories of \"c\""),
        (Request { missing: MissingValues::IndicatedIn(words(&["age"])), ..edges() }, "missing values of \"age\""),
        (Request { missing: MissingValues::Refused, ..edges() }, "the treatment of missing values requires"),
        (Request { most_categories: Some(3), ..edges() }, "a limit for categories requires"),
        (Request { unlisted: Unlisted::Dropped, ..edges() }, "unlisted nodes requires a table of nodes"),
        (Request { label: Some("plan".to_owned()), ..edges() }, "the column plan requires a table of nodes"),
        (
            Request { nodes: Some(PathBuf::from("none.csv")), ..request(None, None) },
            "the columns a, b requires a table of edges",
        ),
    ] {
        let ends = request.nodes.as_ref().map(|_| ["a", "b"].map(str::to_owned));
        let message = refused(&Request { ends, ..request });
        assert!(message.contains(says), "{says:?}: {message}");
    }
}
