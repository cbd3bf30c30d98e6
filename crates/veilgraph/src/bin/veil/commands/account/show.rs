//! Figures of an account, for people and for machines.

use serde::Serialize;
use veil_privacy::accounting::Spending;
use veil_privacy::accounting::published::Published;

use crate::output::{rounded_up, table};

/// A figure that holds.
#[derive(Serialize)]
pub struct Proven {
    #[serde(flatten)]
    pub spending: Spending,
    delta: f64,
    pub why: String,
}

impl Proven {
    pub fn new(spending: Spending, delta: f64) -> Proven {
        Proven { spending, delta, why: spending.proof.to_string() }
    }

    fn row(&self) -> Vec<String> {
        let epsilon = format!("{:.4}", rounded_up(self.spending.epsilon, 4));
        let order = self.spending.order.map_or_else(String::new, order);
        vec!["proven".to_owned(), epsilon, order, self.spending.proof.name().replace('-', " ")]
    }
}

/// The row of a figure as a paper computes it.
pub fn published(found: &Published, how: &str) -> Vec<String> {
    vec!["as published".to_owned(), format!("{:.4}", found.epsilon), order(found.order), how.to_owned()]
}

/// A whole order without places.
fn order(order: f64) -> String {
    if order.fract() == 0.0 { format!("{order}") } else { format!("{order:.2}") }
}

/// The table with the proven figure last, its proof, a sentence and what is assumed.
pub fn page(mut rows: Vec<Vec<String>>, proven: &Proven, sentence: &str, assumptions: &[&str]) -> String {
    rows.push(proven.row());
    let mut text = table(&["figure", ">ε", ">order", "by"], rows);
    text += &format!("\nproven by {}\n{sentence}\nassumed:", proven.why);
    for assumption in assumptions {
        text += &format!("\n- {assumption}");
    }
    text
}
