//! A plan is made only if every fact that leaves is equal, given or declared.

use super::*;

/// The same data with other provenance.
fn known(declared: Declared, range: Option<(f32, f32)>) -> Dataset {
    let full = data(50).open().clone();
    let (labels, split) = (full.labels().unwrap().clone(), full.split().unwrap().clone());
    let bare = Dataset::new("ring", full.graph().clone(), Dropped::default()).with_declared(declared);
    let data = bare.with_features(full.features().unwrap().clone()).unwrap().with_labels(labels).unwrap();
    let data = match range {
        Some((low, high)) => data.with_feature_range(low, high).unwrap(),
        None => data,
    };
    data.with_split(split).unwrap()
}

const GIVEN: Declared = Declared { nodes: true, dimensions: true, classes: true };

/// The facts that a plan would lack.
fn missing(data: &Private<Dataset>, options: Options) -> String {
    match Plan::new(data, options) {
        Ok(plan) => format!("relies on {}", plan.declared()),
        Err(ReleaseError::NotPublic(error)) => error.facts().to_string(),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn what_was_counted_in_the_data_is_declared_or_there_is_no_plan() {
    let counted = |declared: Declared| Private::seal(known(declared, Some((0.0, 1.0))));
    let (nodes, dimensions, classes) = (
        counted(Declared { nodes: false, ..GIVEN }),
        counted(Declared { dimensions: false, ..GIVEN }),
        counted(Declared { classes: false, ..GIVEN }),
    );
    let edges = |place: usize| Options { edges: edge_plans(50).remove(place), ..options("inf", "inf") };
    for place in [2, 3, 4, 5, 6, 7] {
        assert_eq!(missing(&nodes, edges(place)), "nodes", "{place}");
        assert_eq!(missing(&dimensions, edges(place)), "relies on ", "{place}");
        assert_eq!(missing(&classes, edges(place)), "relies on ", "{place}");
    }
    let raw = Options { edges: EdgePlan::Raw, ..options("3", "inf") };
    assert_eq!(missing(&dimensions, raw.clone()), "dimensions");
    assert_eq!(missing(&classes, raw), "relies on ");
    assert_eq!(missing(&classes, options("inf", "3")), "classes");
    assert_eq!(missing(&dimensions, options("inf", "3")), "relies on ");
    // Edges that are withheld are protected too.
    assert_eq!(missing(&nodes, options("inf", "inf")), "nodes");
    // All of it at once, and each declaration counts for itself.
    let nothing = || Private::seal(known(Declared::default(), None));
    assert_eq!(missing(&nothing(), options("3", "3")), "nodes,dimensions,classes,columns");
    let some = nothing().declaring("nodes,columns".parse::<Declarations>().unwrap());
    assert_eq!(missing(&some, options("3", "3")), "dimensions,classes");
    let all = nothing().declaring(Declarations::ALL);
    assert_eq!(missing(&all, options("3", "3")), "relies on nodes,dimensions,classes,columns");
}

#[test]
fn a_range_is_given_or_columns_are_declared() {
    let (ranged, bare) = (|| Private::seal(known(GIVEN, Some((0.0, 1.0)))), || Private::seal(known(GIVEN, None)));
    let with = |range, scale| Options { range, scale, ..options("3", "") };
    let unit = RangeChoice::Given(crate::mechanism::ValueRange::UNIT);
    assert_eq!(missing(&ranged(), with(RangeChoice::Public, Scale::None)), "relies on ");
    assert_eq!(missing(&bare(), with(unit, Scale::None)), "relies on ");
    assert_eq!(missing(&bare(), with(RangeChoice::Public, Scale::Rows)), "relies on ");
    let (taken, public) = (RangeChoice::FromData, RangeChoice::Public);
    for (range, scale) in [(taken, Scale::None), (taken, Scale::Rows), (public, Scale::MinMax), (unit, Scale::MinMax)] {
        assert_eq!(missing(&ranged(), with(range, scale)), "columns", "{range:?} {scale:?}");
        assert_eq!(missing(&ranged().declaring(Fact::Columns), with(range, scale)), "relies on columns");
    }
    assert_eq!(missing(&bare(), with(public, Scale::None)), "columns");
    assert_eq!(missing(&bare().declaring(Fact::Columns), with(public, Scale::None)), "relies on columns");
    // Which columns are constant includes how many there are.
    let counted = Private::seal(known(Declared { dimensions: false, ..GIVEN }, None)).declaring(Fact::Columns);
    assert_eq!(missing(&counted, with(public, Scale::MinMax)), "relies on columns");
}

#[test]
fn a_split_that_saw_labels_is_declared_where_labels_are_private() {
    let data = known(GIVEN, Some((0.0, 1.0)));
    let fractions = Fractions::new(0.5, 0.25, 0.25).unwrap();
    let split = Split::stratified(data.labels().unwrap(), fractions, 1);
    let data = || Private::seal(data.clone().with_split(split.clone()).unwrap());
    assert_eq!(missing(&data(), options("3", "3")), "split");
    assert_eq!(missing(&data(), options("3", "")), "split", "labels that are withheld are private too");
    assert_eq!(missing(&data(), options("3", "inf")), "relies on ");
    assert_eq!(missing(&data().declaring(Fact::Split), options("3", "3")), "relies on split");
}

#[test]
fn the_statement_says_what_was_declared_and_what_is_not_protected() {
    let bare = Private::seal(known(GIVEN, None)).declaring(Declarations::ALL);
    let released = privatise(&bare, options("3", "inf"), Coins::from_os().unwrap()).unwrap();
    let statement = released.statement();
    assert_eq!(statement.declared.to_string(), "columns,labels");
    let (feature, label) = (&statement.guarantees[0], &statement.guarantees[1]);
    let listed = feature.not_protected.last().unwrap();
    assert!(listed.contains("the number and the ids of the nodes") && listed.contains("the split"), "{listed}");
    assert!(!listed.contains("columns") && !listed.contains("labels"), "{listed}");
    assert_eq!(label.not_protected.len(), 1, "nothing is protected anyway");
    // A release says nothing about how many there are.
    let digits = |text: &String| text.chars().any(|it| it.is_ascii_digit());
    assert!(!statement.withheld.iter().any(digits), "{:?}", statement.withheld);
}
