//! What must be said beside gaps and sweet spots, so that tables and the report say the same.

use std::collections::{BTreeMap, BTreeSet};

use super::{Candidates, NoVerdict, References, Role, Scored, Worth};

/// Which accuracies are of another graph than the one that was trained on; none if none is.
pub fn elsewhere(points: &[&Worth]) -> Option<String> {
    let is_elsewhere = |point: &Worth| point.scored == Scored::Inference;
    let cases = cases(points, is_elsewhere)?;
    let whose = if points.iter().all(|point| is_elsewhere(point)) { String::new() } else { format!(" of {cases}") };
    Some(format!("accuracy{whose} is of the graph that is asked about once trained, which attacks are on too"))
}

/// In what cases differ by nature from those that they are compared with.
pub fn differences(points: &[&Worth]) -> Vec<String> {
    let mut found: BTreeMap<(&[String], &str), BTreeSet<&str>> = BTreeMap::new();
    for point in points {
        if let Some(gap) = point.gap.as_ref().filter(|gap| !gap.differs.is_empty()) {
            found.entry((&gap.differs, &gap.reference)).or_default().insert(&point.case);
        }
    }
    let line = |((differs, reference), cases): ((&[String], &str), BTreeSet<&str>)| {
        format!("{} beside {reference} by nature: other {}", listed(cases), differs.join(", "))
    };
    found.into_iter().map(line).collect()
}

/// Why cases have no gap, though there is a non-private case.
pub fn no_gap(points: &[&Worth], references: &References) -> Option<String> {
    let lacks = |point: &Worth| point.role == Role::Method && point.accuracy.is_some() && point.gap.is_none();
    let (open, cases) = (references.non_private.as_ref()?, cases(points, lacks)?);
    Some(format!("no gap where {open} was trained otherwise, or with other seeds: {cases}"))
}

/// What a sweet spot takes, and of which cases it is therefore not said.
pub fn no_verdict(points: &[&Worth], references: &References) -> Vec<String> {
    let (Some(floor), Some(open)) = (&references.floor, &references.non_private) else { return Vec::new() };
    let takes = |why: NoVerdict| match why {
        NoVerdict::TooFewSeeds => format!("takes three seeds in common with {floor} and {open}"),
        NoVerdict::NoReference => format!("takes a {floor} and a {open} that were trained and attacked alike"),
    };
    let line = |why: NoVerdict| {
        let cases = cases(points, |point| point.no_verdict == Some(why))?;
        Some(format!("{}: not said of {cases}", takes(why)))
    };
    [NoVerdict::TooFewSeeds, NoVerdict::NoReference].into_iter().filter_map(line).collect()
}

/// The flags that would settle what to compare with, where several cases could be that, and what to say of them.
pub fn unclear(references: &References, candidates: &Candidates) -> Vec<(&'static str, String)> {
    let roles = [
        ("--floor", &references.floor, &candidates.floor),
        ("--non-private", &references.non_private, &candidates.non_private),
    ];
    let open = roles.into_iter().filter(|(_, chosen, candidates)| chosen.is_none() && candidates.len() > 1);
    let told = |candidates: &[String]| format!("says what to compare with: it could be {}", candidates.join(" or "));
    open.map(|(flag, _, candidates)| (flag, told(candidates))).collect()
}

/// The names of the cases that have such a point, in the order in which they come; none if there is none.
fn cases(points: &[&Worth], like: impl Fn(&Worth) -> bool) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for point in points.iter().filter(|point| like(point)) {
        if !names.contains(&point.case.as_str()) {
            names.push(&point.case);
        }
    }
    (!names.is_empty()).then(|| listed(names))
}

/// Names with commas in them are told apart by something else.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let between = if names.iter().any(|name| name.contains(',')) { "; " } else { ", " };
    names.join(between)
}
