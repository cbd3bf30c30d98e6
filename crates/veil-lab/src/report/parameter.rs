//! Tables of parameters: what all runs share is listed once, the rest per case, in the words of the
//! registry of methods and with the names that commands and sweep files use.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::number::plain;
use super::page::{self, Row};
use crate::outcome::{Outcome, written};
use crate::worth::{Group, group, help};

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

/// A parameter: parameters are sorted by group.
type Named<'a> = (Group, &'a str);

/// What a parameter is, and its values.
type Values = (String, Vec<String>);

/// The parameters of a run, with what they are.
fn of(outcome: &Outcome) -> BTreeMap<Named<'_>, [String; 2]> {
    let known = outcome.parameters.iter().filter(|(_, value)| !value.is_null());
    let grid = outcome.point.iter().filter(|(name, _)| !outcome.parameters.contains_key(*name));
    let is = |name: &str| help(&outcome.parameters, name).unwrap_or(name).to_owned();
    known.chain(grid).map(|(name, found)| ((group(name), name.as_str()), [is(name), value(found)])).collect()
}

/// The tables; `given` holds for all runs.
pub(super) fn tables(outcomes: &[Outcome], given: &[(String, String)]) -> String {
    let all: Vec<BTreeMap<Named<'_>, [String; 2]>> = outcomes.iter().map(of).collect();
    let mut shared = all.first().cloned().unwrap_or_default();
    let value = |all: &BTreeMap<Named<'_>, [String; 2]>, name: &Named<'_>| all.get(name).map(|it| it[1].clone());
    shared.retain(|name, [_, own]| all.iter().all(|other| value(other, name).as_ref() == Some(own)));
    let row = |[is, value]: [String; 2], name: &str| Row::of(vec![is, value, name.to_owned()]);
    let mut rows: Vec<Row> = given.iter().map(|(name, value)| row([name.clone(), value.clone()], "")).collect();
    rows.extend(shared.iter().map(|((_, name), found)| row(found.clone(), name)));
    let seeds: BTreeSet<u64> = outcomes.iter().map(|outcome| outcome.seed).collect();
    if !rows.is_empty() && outcomes.iter().any(|outcome| !outcome.parameters.is_empty()) {
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        rows.push(row(["Seeds".to_owned(), listed(&seeds, ", ")], "seeds"));
    }
    let mut values: BTreeMap<(&str, Named<'_>), Values> = BTreeMap::new();
    for (outcome, all) in outcomes.iter().zip(&all) {
        for (name, [is, value]) in all.iter().filter(|(name, _)| !shared.contains_key(*name)) {
            let (_, known) = values.entry((&outcome.case, *name)).or_insert_with(|| (is.clone(), Vec::new()));
            if !known.contains(value) {
                known.push(value.clone());
            }
        }
    }
    let row = |((case, (_, name)), (is, values)): (&(&str, Named<'_>), &Values)| {
        Row::of(vec![(*case).to_owned(), is.clone(), listed(values, ", "), (*name).to_owned()])
    };
    let cases: Vec<Row> = values.iter().map(row).collect();
    let mut html = String::new();
    if !rows.is_empty() {
        html += &page::table("Parameters of all runs", &["parameter", "value", "name in commands"], &rows);
    }
    if !cases.is_empty() {
        let names = ["method", "parameter", "values", "name in commands"];
        let table = page::table("Parameters of each method", &names, &cases);
        html += &format!("<details>\n<summary>Parameters of each method</summary>\n{table}</details>\n");
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
        assert!(row("<th scope=\"row\">Number of epochs</th><td>100</td><td>epochs</td>"), "{html}");
        assert!(
            html.contains("<td>∞</td><td>epsilon-features</td>")
                && row("<th scope=\"row\">Seeds</th><td>1</td><td>seeds</td>")
        );
        assert!(html.contains("<td>0.5</td><td>alpha</td>"));
        // Without a meaning that is known, the name says it.
        assert!(row("<th scope=\"row\">gcn</th><td>public</td><td>there</td><td>public</td>"));
        assert!(!html.contains("hidden"));
        // The release before the training.
        assert!(html.find(">epsilon-features<").unwrap() < html.find(">epochs<").unwrap());
    }
}
