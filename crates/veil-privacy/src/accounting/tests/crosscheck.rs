//! Google's dp-accounting on the same settings (scripts/fixtures/accounting.py).

use serde_json::Value;

use super::{assert_close, gaussian, queries};
use crate::accounting::{Proof, Query, conversion};

const FIXTURE: &str = include_str!("../../../tests/fixtures/accounting.json");

fn rows(name: &str) -> Vec<Value> {
    let fixture: Value = serde_json::from_str(FIXTURE).unwrap();
    fixture[name].as_array().unwrap().clone()
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("no {name} in {row}"))
}

fn query(row: &Value) -> Query {
    match row["what"].as_str().unwrap() {
        "gaussian" | "spending" => Query::Gaussian { shift: number(row, "shift") },
        "laplace" => Query::Laplace { shift: number(row, "shift") },
        "discrete-laplace" => {
            let steps = row["steps"].as_u64().unwrap();
            Query::DiscreteLaplace { steps, scale_steps: number(row, "scale") }
        }
        "response" => {
            let classes = u32::try_from(row["classes"].as_u64().unwrap()).unwrap();
            Query::RandomisedResponse { classes, epsilon: number(row, "epsilon") }
        }
        other => panic!("unknown: {other}"),
    }
}

#[test]
fn both_accountants_say_the_same() {
    let rows = rows("same");
    assert!(rows.len() >= 200);
    for row in rows {
        let found = match row["what"].as_str().unwrap() {
            "conversion" => conversion::tight(number(&row, "order"), number(&row, "divergence"), number(&row, "delta")),
            "analytic" => gaussian::epsilon(number(&row, "shift"), number(&row, "delta")),
            "spending" => {
                let all = queries(query(&row), number(&row, "gamma"), row["count"].as_u64().unwrap());
                all.spending(number(&row, "delta")).unwrap().epsilon
            }
            _ => queries(query(&row), number(&row, "gamma"), 1).renyi(number(&row, "order")).unwrap(),
        };
        assert_close(found, number(&row, "value"), 1e-6, &row.to_string());
    }
}

#[test]
fn exact_compositions_lie_between_the_roundings_of_theirs_and_bounds_are_not_below() {
    let rows = rows("between");
    assert!(rows.len() >= 50);
    for row in rows {
        let all = queries(query(&row), number(&row, "gamma"), row["count"].as_u64().unwrap());
        let found = all.spending(number(&row, "delta")).unwrap();
        let (low, high) = (number(&row, "low"), number(&row, "high"));
        // Theirs convolves by Fourier transforms, which leaves some 10⁻¹² of a δ of 10⁻⁶.
        assert!(found.epsilon >= low - 1e-5, "{row}: {found:?}");
        if found.proof == Proof::ExactComposition {
            assert!(found.epsilon <= high + 1e-5, "{row}: {found:?}");
        } else {
            // How far Rényi divergences are from the truth: a third, or where little is lost a
            // small number.
            assert!(found.epsilon <= 1.35 * high + 0.05, "{row}: {found:?}");
        }
    }
}
