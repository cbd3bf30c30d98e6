//! What scikit-learn and SciPy say, to the ten digits of the fixture: `scripts/fixtures/metrics.py`
//! makes it.

#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

use serde_json::Value;
use veil_graph::Matrix;
use veil_learn::metrics::classification;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

fn close(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-9, "{what}: {found}, not {expected}");
}

#[test]
fn scores_are_those_of_scikit_learn() {
    let fixture: Value = serde_json::from_str(include_str!("fixtures/metrics.json")).unwrap();
    let cases = fixture["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for (number, case) in cases.iter().enumerate() {
        let rows: Vec<Vec<f64>> = case["posteriors"].as_array().unwrap().iter().map(numbers).collect();
        let values = rows.concat().into_iter().map(|value| value as f32).collect();
        let posteriors = Matrix::from_values(rows.len(), rows[0].len(), values).unwrap();
        let labels = numbers(&case["labels"]);
        let found = classification(&posteriors, (0..).zip(labels.iter().map(|&label| label as u32))).unwrap();
        assert_eq!(found.nodes, rows.len());
        close(found.accuracy, &case["accuracy"], &format!("accuracy of case {number}"));
        close(found.micro_f1, &case["micro_f1"], &format!("micro F1 of case {number}"));
        close(found.macro_f1, &case["macro_f1"], &format!("macro F1 of case {number}"));

        assert_eq!(found.per_class.len(), case["classes"].as_array().unwrap().len());
        for (place, class) in found.per_class.iter().enumerate() {
            let what = format!("class {} of case {number}", class.class);
            let at = |key: &str| &case[key][place];
            assert_eq!(
                (at("classes").as_u64(), at("truth").as_u64()),
                (Some(class.class.into()), Some(class.truth as u64))
            );
            close(class.precision, at("precision"), &format!("precision, {what}"));
            close(class.recall, at("recall"), &format!("recall, {what}"));
            close(class.f1, at("f1"), &format!("F1, {what}"));
        }

        let expected = &case["rare"];
        assert_eq!(found.rare.is_some(), expected.get("class").is_some(), "case {number}");
        if let Some(rare) = found.rare {
            let counts = (Some(u64::from(rare.class)), Some(rare.predicts as u64));
            assert_eq!(counts, (expected["class"].as_u64(), expected["predicts"].as_u64()), "case {number}");
            for (figure, key) in [
                (rare.f1, "f1"),
                (rare.constant_f1, "constant_f1"),
                (rare.roc_auc, "roc_auc"),
                (rare.roc_auc_low, "roc_auc_low"),
                (rare.roc_auc_high, "roc_auc_high"),
            ] {
                close(figure, &expected[key], &format!("{key} of case {number}"));
            }
        }
    }
}
