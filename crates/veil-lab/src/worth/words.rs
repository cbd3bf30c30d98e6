//! Remarks on gaps and sweet spots, for tables and the report alike.

use std::collections::{BTreeMap, BTreeSet};

use super::{Candidates, NoVerdict, References, Role, Scored, Worth};

/// Which accuracies are on an inference graph; none if none is.
pub fn elsewhere(points: &[&Worth]) -> Option<String> {
    let is_elsewhere = |point: &Worth| point.scored == Scored::Inference;
    let cases = cases(points, is_elsewhere)?;
    let whose = if points.iter().all(|point| is_elsewhere(point)) { String::new() } else { format!(" of {cases}") };
    Some(format!("accuracy{whose} is on the inference graph, which is also the one attacked"))
}

/// The allowed differences between cases and their references.
pub fn differences(points: &[&Worth]) -> Vec<String> {
    let mut found: BTreeMap<(&[String], &str), BTreeSet<&str>> = BTreeMap::new();
    for point in points {
        if let Some(gap) = point.gap.as_ref().filter(|gap| !gap.differs.is_empty()) {
            found.entry((&gap.differs, &gap.reference)).or_default().insert(&point.case);
        }
    }
    let line = |((differs, reference), cases): ((&[String], &str), BTreeSet<&str>)| {
        format!("{}: another {} than {reference}", listed(cases), differs.join(", "))
    };
    found.into_iter().map(line).collect()
}

/// Why cases have no gap, though there is a non-private case.
pub fn no_gap(points: &[&Worth], references: &References) -> Option<String> {
    let lacks = |point: &Worth| point.role == Role::Method && point.accuracy.is_some() && point.gap.is_none();
    let (open, cases) = (references.non_private.as_ref()?, cases(points, lacks)?);
    Some(format!("no gap where {open} has other settings or seeds: {cases}"))
}

/// What a sweet spot requires, and for which cases it is therefore unknown.
pub fn no_verdict(points: &[&Worth], references: &References) -> Vec<String> {
    let (Some(floor), Some(open)) = (&references.floor, &references.non_private) else { return Vec::new() };
    let requires = |why: NoVerdict| match why {
        NoVerdict::TooFewSeeds => format!("requires three seeds in common with {floor} and {open}"),
        NoVerdict::NoReference => format!("requires {floor} and {open} with the same settings and attacks"),
    };
    let line = |why: NoVerdict| {
        let cases = cases(points, |point| point.no_verdict == Some(why))?;
        Some(format!("{}: unknown for {cases}", requires(why)))
    };
    [NoVerdict::TooFewSeeds, NoVerdict::NoReference].into_iter().filter_map(line).collect()
}

/// The roles for which no reference is chosen, because several cases are candidates, which are
/// named.
pub fn unclear(references: &References, candidates: &Candidates) -> Vec<(Role, String)> {
    let roles = [
        (Role::Floor, &references.floor, &candidates.floor),
        (Role::NonPrivate, &references.non_private, &candidates.non_private),
    ];
    let open = roles.into_iter().filter(|(_, chosen, candidates)| chosen.is_none() && candidates.len() > 1);
    open.map(|(role, _, candidates)| (role, candidates.join(" or "))).collect()
}

/// The names of the cases that have such a point, in order; none if there is none.
fn cases(points: &[&Worth], like: impl Fn(&Worth) -> bool) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for point in points.iter().filter(|point| like(point)) {
        if !names.contains(&point.case.as_str()) {
            names.push(&point.case);
        }
    }
    (!names.is_empty()).then(|| listed(names))
}

/// Names that contain commas are separated by semicolons.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    names.join(if names.iter().any(|name| name.contains(',')) { "; " } else { ", " })
}
