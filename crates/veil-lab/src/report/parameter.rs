//! Tables of parameters: what all runs share is listed once, the rest per case. Names are those of
//! the command line and of sweep files.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::number::plain;
use super::page;
use crate::outcome::{Outcome, written};
use crate::worth::{Group, group};

/// How many values of one parameter are listed.
pub(super) const MOST_VALUES: usize = 12;

fn value(value: &Value) -> String {
    match (written(value), value.as_f64()) {
        (text, _) if text == "inf" => "∞".to_owned(),
        (_, Some(number)) => plain(number),
        (text, None) => text,
    }
}

/// Name and value, where there is no table.
pub(super) fn named(name: &str, found: &Value) -> String {
    format!("{name} {}", value(found))
}

/// The parameters of a run, by group and name.
fn of(outcome: &Outcome) -> BTreeMap<(Group, &str), String> {
    let known = outcome.parameters.iter().filter(|(_, value)| !value.is_null());
    let grid = outcome.point.iter().filter(|(name, _)| !outcome.parameters.contains_key(*name));
    known.chain(grid).map(|(name, found)| ((group(name), name.as_str()), value(found))).collect()
}

/// The tables; `given` holds for all runs.
pub(super) fn tables(outcomes: &[Outcome], given: &[(String, String)]) -> String {
    let all: Vec<BTreeMap<(Group, &str), String>> = outcomes.iter().map(of).collect();
    let mut shared = all.first().cloned().unwrap_or_default();
    shared.retain(|name, value| all.iter().all(|other| other.get(name) == Some(value)));
    let mut rows: Vec<Vec<String>> = given.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
    rows.extend(shared.iter().map(|((_, name), value)| vec![(*name).to_owned(), value.clone()]));
    let seeds: BTreeSet<u64> = outcomes.iter().map(|outcome| outcome.seed).collect();
    if !rows.is_empty() && outcomes.iter().any(|outcome| !outcome.parameters.is_empty()) {
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        rows.push(vec!["seeds".to_owned(), listed(&seeds, ", ")]);
    }
    let mut values: BTreeMap<(&str, (Group, &str)), Vec<String>> = BTreeMap::new();
    for (outcome, all) in outcomes.iter().zip(&all) {
        for (name, value) in all.iter().filter(|(name, _)| !shared.contains_key(*name)) {
            let known = values.entry((&outcome.case, *name)).or_default();
            if !known.contains(value) {
                known.push(value.clone());
            }
        }
    }
    let row = |((case, (_, name)), values): (&(&str, (Group, &str)), &Vec<String>)| {
        vec![(*case).to_owned(), (*name).to_owned(), listed(values, ", ")]
    };
    let cases: Vec<Vec<String>> = values.iter().map(row).collect();
    let mut html = String::new();
    if !rows.is_empty() {
        html += &page::table("Parameters of all runs", &["parameter", "value"], &rows);
    }
    if !cases.is_empty() {
        html += &page::table("Parameters of each case", &["case", "parameter", "values"], &cases);
    }
    html
}

/// Some values, and how many more there are.
pub(super) fn listed(values: &[String], between: &str) -> String {
    let listed = values.iter().take(MOST_VALUES).cloned().collect::<Vec<String>>().join(between);
    match values.len().saturating_sub(MOST_VALUES) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::tests::example::outcome;

    fn run(case: &str, point: &[(&str, Value)], parameters: Value) -> Outcome {
        let Value::Object(parameters) = parameters else { panic!("{parameters}") };
        Outcome { parameters: parameters.into_iter().collect(), ..outcome(case, "cora", point, 1, &[]) }
    }

    #[test]
    fn shared_parameters_are_listed_once_and_others_per_case() {
        let private = json!({ "method": "graph-privatizer", "epsilon-edges": 1, "alpha": 0.5, "epochs": 100, "epsilon-features": "inf" });
        let open = json!({ "method": "gnn", "epochs": 100, "epsilon-features": "inf", "hidden": null });
        let html = tables(&[run("gp", &[], private), run("gcn", &[("public", json!("there"))], open)], &[]);
        let row = |cells: &str| html.contains(&format!("<tr>{cells}</tr>"));
        assert!(row("<th scope=\"row\">epochs</th><td>100</td>"), "{html}");
        assert!(
            row("<th scope=\"row\">epsilon-features</th><td>∞</td>") && row("<th scope=\"row\">seeds</th><td>1</td>")
        );
        assert!(row("<th scope=\"row\">gp</th><td>alpha</td><td>0.5</td>"));
        assert!(row("<th scope=\"row\">gcn</th><td>public</td><td>there</td>"));
        assert!(!html.contains("hidden"));
        // The release before the training.
        assert!(html.find(">epsilon-features<").unwrap() < html.find(">epochs<").unwrap());
    }
}
