//! Figures of an account, for people and for machines.

use serde::Serialize;
use veil_privacy::accounting::published::Published;
use veil_privacy::accounting::{Proof, Spending};

use crate::output::table;

/// A figure that holds.
#[derive(Serialize)]
pub struct Proven {
    #[serde(flatten)]
    spending: Spending,
    delta: f64,
    why: String,
}

impl Proven {
    pub fn new(spending: Spending, delta: f64) -> Proven {
        Proven { spending, delta, why: spending.proof.to_string() }
    }

    pub fn epsilon(&self) -> f64 {
        self.spending.epsilon
    }

    pub fn proof(&self) -> Proof {
        self.spending.proof
    }

    pub fn why(&self) -> &str {
        &self.why
    }

    pub fn row(&self) -> Vec<String> {
        // Rounded up, or what is read would not be true.
        let epsilon = format!("{:.4}", (self.spending.epsilon * 1e4).ceil() / 1e4);
        let order = self.spending.order.map_or_else(String::new, order);
        vec!["proven".to_owned(), epsilon, order, self.why.clone()]
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

/// The table, a sentence and what is assumed.
pub fn page(rows: Vec<Vec<String>>, sentence: &str, assumptions: &[&str]) -> String {
    let mut text = table(&["figure", ">ε", ">order", "by"], rows);
    text += &format!("\n{sentence}\nassumed:");
    for assumption in assumptions {
        text += &format!("\n- {assumption}");
    }
    text
}
