//! The rows of the table of results as data, for those who save the table: numbers with all their
//! digits, one to a column.

use serde_json::{Value, json};

use super::digest::{Digest, Point};
use crate::statistics::Summary;
use crate::worth::{Budget, Worth, of_edges};

/// The names of the columns.
pub(super) fn names(digest: &Digest) -> Value {
    let mut names: Vec<String> = ["data", "method", "settings", "role", "unit", "epsilon", "delta"]
        .into_iter()
        .chain(["epsilon_of_relationship", "status", "seeded", "scored_nodes"])
        .map(str::to_owned)
        .collect();
    for figure in ["accuracy", "gap"].into_iter().chain(digest.attacks.iter().map(String::as_str)) {
        names.extend(["", "_deviation", "_low", "_high"].map(|part| format!("{figure}{part}")));
    }
    names.extend(["pareto_optimal_in_epsilon", "runs", "failed"].map(str::to_owned));
    json!(names)
}

/// The values of a point.
pub(super) fn values(digest: &Digest, point: &Point) -> Value {
    let Worth { data, case, role, budget, promises, scored, accuracy, gap, attacks, front, runs, failed, .. } =
        &point.worth;
    let line = &digest.lines[point.line];
    let promise = of_edges(promises);
    let status = promise.map(|promise| promise.status.as_str());
    let budget = match budget {
        Budget::Unstated => Value::Null,
        Budget::Finite(epsilon) => json!(epsilon),
        Budget::Infinite => json!("inf"),
    };
    let mut values = vec![
        json!(data),
        json!(case),
        json!(line.settings),
        json!(role),
        json!(promise.map(|promise| &promise.unit)),
        budget,
        json!(promise.map(|promise| promise.delta)),
        json!(promise.and_then(|promise| promise.per_relationship)),
        json!(status),
        json!(point.is_seeded()),
        json!(scored),
    ];
    let gap = gap.as_ref().map(|gap| &gap.gap.difference);
    let figures = [accuracy.as_ref(), gap].into_iter().chain(digest.attacks.iter().map(|attack| attacks.get(attack)));
    values.extend(figures.flat_map(parts));
    values.extend([json!(front.epsilon), json!(runs), json!(failed)]);
    Value::Array(values)
}

/// Mean, deviation and the ends of the interval, as far as there are any.
fn parts(figure: Option<&Summary>) -> [Value; 4] {
    // More digits than anything here has.
    let short = |value: f64| if value.is_finite() { json!((value * 1e9).round() / 1e9) } else { Value::Null };
    let Some(Summary { mean, deviation, interval, .. }) = figure else { return [const { Value::Null }; 4] };
    let [low, high] = interval.map_or([Value::Null, Value::Null], |ends| ends.map(short));
    [short(*mean), deviation.map_or(Value::Null, short), low, high]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::example::outcomes;
    use crate::worth::References;

    #[test]
    fn every_row_has_a_value_for_every_column() {
        let references = References { floor: Some("mlp".into()), non_private: Some("gcn".into()) };
        let digest = Digest::of(&outcomes(), &references);
        let names = names(&digest);
        let of = |name: &str| names.as_array().unwrap().iter().position(|it| it == name).unwrap();
        for point in &digest.points {
            let values = values(&digest, point);
            assert_eq!(values.as_array().map(Vec::len), names.as_array().map(Vec::len), "{values}");
            assert_eq!(values[of("accuracy")].as_f64().is_some(), point.worth.accuracy.is_some(), "{values}");
        }
        let lpgnet = digest.points.iter().find(|point| point.worth.case == "lpgnet").map(|it| values(&digest, it));
        let found = lpgnet.unwrap();
        let shown = ["unit", "epsilon", "status", "runs", "failed"].map(|name| found[of(name)].to_string());
        assert_eq!(shown, ["\"edge\"", "0.1", "\"proven\"", "5", "0"]);
    }
}
