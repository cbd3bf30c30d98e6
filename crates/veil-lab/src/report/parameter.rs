//! Parameters, as people call them: what all runs share is said once, what differs with each case.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::number::plain;
use super::page;
use crate::outcome::Outcome;

/// How many values of one parameter are listed.
const MOST_VALUES: usize = 12;

/// Names in the order in which they are shown. What is not here is shown after these, as it is called.
const NAMES: [(&str, &str); 52] = [
    ("method", "method"),
    ("edges", "release of edges"),
    ("epsilon-edges", "ε of edges"),
    ("epsilon-of-all-graphs", "ε of edges, all graphs together"),
    ("epsilon", "ε of a node"),
    ("epsilon-features", "ε of features"),
    ("epsilon-labels", "ε of labels"),
    ("strategy", "choice of candidates"),
    ("alpha", "weight α"),
    ("delta", "threshold δ"),
    ("similarity", "similarity as in"),
    ("measure", "measure of similarity"),
    ("max-dummies", "dummies at most"),
    ("candidates", "candidates tried"),
    ("epsilon-count", "ε of the number of edges"),
    ("max-edges", "expected edges at most"),
    ("rounds", "rounds"),
    ("readout", "readout"),
    ("unit", "unit of edges"),
    ("features", "features that networks read"),
    ("lambda", "noise λ"),
    ("queries", "queries"),
    ("choose", "choice of queries"),
    ("release", "release of labels"),
    ("gamma", "sampling rate γ"),
    ("k", "nodes that a teacher sees"),
    ("teachers", "teachers"),
    ("teacher", "network of teachers"),
    ("denoise", "labels are denoised"),
    ("samples", "dimensions in a report"),
    ("scale", "scaling of features"),
    ("range", "range of features"),
    ("split", "split"),
    ("model", "network"),
    ("layers", "layers"),
    ("hidden", "hidden units"),
    ("heads", "heads"),
    ("bias", "bias"),
    ("activation", "activation"),
    ("batch-norm", "batch normalisation"),
    ("dropout", "dropout"),
    ("kx", "hops of features"),
    ("ky", "hops of labels"),
    ("epochs", "epochs"),
    ("lr", "learning rate"),
    ("schedule", "schedule"),
    ("weight-decay", "weight decay"),
    ("select", "epoch that counts"),
    ("trained-on", "trained on"),
    ("validated-on", "validated on"),
    ("noise", "noise"),
    ("version", "version"),
];

/// Methods that ask a private graph for labels: their `delta` is privacy's δ.
const STUDENTS: [&str; 3] = ["privgnn", "pate", "class-sums"];

/// A parameter's name for people, in a run with these parameters.
pub(super) fn name(parameter: &str, all: &BTreeMap<String, Value>) -> String {
    if parameter == "delta" && is(all, "method", &STUDENTS) {
        return "δ".to_owned();
    }
    let known = NAMES.iter().find(|(known, _)| *known == parameter);
    known.map_or_else(|| parameter.replace('-', " "), |(_, name)| (*name).to_owned())
}

/// A parameter's value for people.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if text == "inf" => "∞".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(truth) => if *truth { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), plain),
        other => other.to_string(),
    }
}

/// Both, where there is no table.
pub(super) fn said(parameter: &str, found: &Value, all: &BTreeMap<String, Value>) -> String {
    format!("{} {}", name(parameter, all), value(found))
}

fn is(all: &BTreeMap<String, Value>, parameter: &str, one_of: &[&str]) -> bool {
    all.get(parameter).and_then(Value::as_str).is_some_and(|value| one_of.contains(&value))
}

/// Whether a run reads this parameter at all: a record keeps those of every method.
fn is_read(parameter: &str, all: &BTreeMap<String, Value>) -> bool {
    if !all.contains_key("edges") {
        return true;
    }
    let (edges, student) = (|one_of: &[&str]| is(all, "edges", one_of), is(all, "method", &STUDENTS));
    match parameter {
        "strategy" | "alpha" | "similarity" => edges(&["graph-privatizer"]),
        "delta" => student || edges(&["graph-privatizer"]),
        "measure" => edges(&["graph-privatizer", "dummy-exchange", "shuffled-query"]),
        "max-dummies" | "candidates" => edges(&["dummy-exchange"]),
        "epsilon-count" => edges(&["lapgraph"]),
        "max-edges" => edges(&["edge-flip", "edgerand"]),
        "rounds" | "readout" | "unit" | "features" => edges(&["degree-vectors"]),
        "denoise" => student,
        "bias" => is(all, "model", &["mlp"]),
        _ => true,
    }
}

/// What a run was made with, by place and name.
fn of(outcome: &Outcome) -> BTreeMap<(usize, String), String> {
    let all = &outcome.parameters;
    let read = all.iter().filter(|(parameter, value)| !value.is_null() && is_read(parameter, all));
    let asked = outcome.point.iter().filter(|(parameter, _)| !all.contains_key(*parameter));
    let place = |parameter: &str| NAMES.iter().position(|(known, _)| *known == parameter).unwrap_or(NAMES.len());
    read.chain(asked).map(|(parameter, found)| ((place(parameter), name(parameter, all)), value(found))).collect()
}

/// The tables: `given` is what the caller has to say of all runs.
pub(super) fn tables(outcomes: &[Outcome], given: &[(String, String)]) -> String {
    let all: Vec<BTreeMap<(usize, String), String>> = outcomes.iter().map(of).collect();
    let shared = match all.split_first() {
        None => BTreeMap::new(),
        Some((first, others)) => {
            let in_all = |(name, value): &(&(usize, String), &String)| {
                others.iter().all(|other| other.get(*name) == Some(value))
            };
            first.iter().filter(in_all).map(|(name, value)| (name.clone(), value.clone())).collect()
        }
    };
    let mut rows: Vec<Vec<String>> = given.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
    rows.extend(shared.iter().map(|((_, name), value)| vec![name.clone(), value.clone()]));
    let seeds: BTreeSet<u64> = outcomes.iter().map(|outcome| outcome.seed).collect();
    if !rows.is_empty() && !seeds.is_empty() && outcomes.iter().any(|outcome| !outcome.parameters.is_empty()) {
        rows.push(vec!["seeds".to_owned(), listed(&seeds.iter().map(u64::to_string).collect::<Vec<String>>())]);
    }
    let mut html = String::new();
    if !rows.is_empty() {
        html += &page::table("Parameters of all runs", &["parameter", "value"], &rows);
    }
    let mut values: BTreeMap<(&str, &(usize, String)), Vec<String>> = BTreeMap::new();
    for (outcome, all) in outcomes.iter().zip(&all) {
        for (name, value) in all.iter().filter(|(name, _)| !shared.contains_key(*name)) {
            let seen = values.entry((&outcome.case, name)).or_default();
            if !seen.contains(value) {
                seen.push(value.clone());
            }
        }
    }
    if !values.is_empty() {
        let row = |((case, (_, name)), values): (&(&str, &(usize, String)), &Vec<String>)| {
            vec![(*case).to_owned(), name.clone(), listed(values)]
        };
        let rows: Vec<Vec<String>> = values.iter().map(row).collect();
        html += &page::table("Parameters of each case", &["case", "parameter", "values"], &rows);
    }
    html
}

fn listed(values: &[String]) -> String {
    let more = values.len().saturating_sub(MOST_VALUES);
    let listed = values.iter().take(MOST_VALUES).map(String::as_str).collect::<Vec<&str>>().join(", ");
    if more > 0 { format!("{listed} and {more} more") } else { listed }
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
    fn what_is_shared_is_said_once_and_what_differs_with_its_case() {
        let private = json!({ "edges": "graph-privatizer", "epsilon-edges": 1, "alpha": 0.5, "delta": 0.25, "epochs": 100, "epsilon-features": "inf" });
        let open = json!({ "edges": "raw", "alpha": 0.0, "delta": 0.0, "max-dummies": 5, "epochs": 100, "epsilon-features": "inf", "hidden": null });
        let html = tables(&[run("gp", &[], private), run("gcn", &[("public", json!("there"))], open)], &[]);
        let row = |cells: &str| html.contains(&format!("<tr>{cells}</tr>"));
        assert!(row("<th scope=\"row\">epochs</th><td>100</td>"), "{html}");
        assert!(row("<th scope=\"row\">ε of features</th><td>∞</td>") && row("<th scope=\"row\">seeds</th><td>1</td>"));
        assert!(row("<th scope=\"row\">gp</th><td>weight α</td><td>0.5</td>"));
        assert!(row("<th scope=\"row\">gp</th><td>threshold δ</td><td>0.25</td>"));
        assert!(row("<th scope=\"row\">gcn</th><td>public</td><td>there</td>"));
        // What raw edges make no use of, and what is nothing.
        assert!(!html.contains("dummies") && !html.contains("hidden") && html.matches("threshold").count() == 1);
    }

    #[test]
    fn delta_means_one_thing_at_a_time() {
        let of = |method: &str| BTreeMap::from([("method".to_owned(), json!(method))]);
        assert_eq!(name("delta", &of("privgnn")), "δ");
        assert_eq!(name("delta", &BTreeMap::new()), "threshold δ");
        assert_eq!(name("inference-data", &BTreeMap::new()), "inference data");
    }

    #[test]
    fn every_parameter_of_a_run_has_a_name() {
        let all = serde_json::to_value(veil_learn::Method::Privgnn.defaults()).unwrap();
        let known = |parameter: &String| NAMES.iter().any(|(known, _)| known == parameter);
        let unknown: Vec<&String> = all.as_object().unwrap().keys().filter(|parameter| !known(parameter)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
