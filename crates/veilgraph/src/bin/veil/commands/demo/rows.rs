//! The table of the demo: each case of its sweep at one ε, with an audit of its mechanism.

use rayon::prelude::*;
use serde::Serialize;
use veil_attack::audit::{self, Audit, Options};
use veil_graph::Dataset;
use veil_lab::{Outcome, Promised};
use veil_learn::Settings;
use veil_privacy::Unit;

use crate::failure::Failure;

/// The ε of the table.
pub const EPSILON: u64 = 4;

/// The non-private model, and the one that uses no edge: the others are compared with them.
pub const NON_PRIVATE: &str = "GCN, all edges";
pub const FLOOR: &str = "MLP, no edges";

/// One row: a method at the ε of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The name of the method.
    pub method: String,
    /// What is protected, in a few words.
    pub protects: String,
    /// The promise of its runs; `None` where nothing is promised.
    #[serde(flatten)]
    pub promise: Option<Promised>,
    /// Accuracy on test nodes, the mean over all seeds.
    pub accuracy: f64,
    /// AUC of LinkTeller; `None` where no private edge was learned from.
    pub linkteller: Option<f64>,
    /// AUC of link stealing, which finds something without any edge too.
    pub link_stealing: Option<f64>,
    /// The verdict of an audit; `None` where nothing is promised.
    pub verdict: Option<String>,
}

/// A row for each case, in the order of the outcomes.
pub fn rows(data: &Dataset, outcomes: &[Outcome]) -> Result<Vec<Row>, Failure> {
    let mut cases: Vec<&str> = outcomes.iter().map(|outcome| outcome.case.as_str()).collect();
    cases.dedup();
    cases.into_par_iter().map(|case| row(case, data, outcomes)).collect()
}

fn row(case: &str, data: &Dataset, outcomes: &[Outcome]) -> Result<Row, Failure> {
    let shown = |outcome: &&Outcome| {
        let mut budgets = outcome.point.iter().filter(|(name, _)| name.starts_with("epsilon"));
        outcome.case == case && budgets.all(|(_, epsilon)| epsilon.as_u64() == Some(EPSILON))
    };
    let runs: Vec<&Outcome> = outcomes.iter().filter(shown).collect();
    let mean = |figure: &str| {
        let numbers: Vec<f64> = runs.iter().filter_map(|run| run.figures.get(figure).copied()).collect();
        (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
    };
    let audit = runs.first().filter(|run| !run.point.is_empty()).map(|run| audited(run, data)).transpose()?;
    let nothing = if case == FLOOR { "edges are not used" } else { "nothing" };
    let claim = audit.as_ref().map(|audit| &audit.claim);
    // The audit is about the first promise; the runs make the same one.
    let promise = claim.and_then(|claim| {
        let mut promises = runs.iter().flat_map(|run| &run.promises);
        promises.find(|promise| promise.unit == claim.unit.to_string()).cloned()
    });
    Ok(Row {
        method: case.to_owned(),
        protects: claim.map_or(nothing, |claim| in_words(claim.unit)).to_owned(),
        promise,
        accuracy: mean("test_accuracy").unwrap_or(0.0),
        linkteller: mean("linkteller_auc"),
        link_stealing: mean("lsa_auc"),
        verdict: audit.map(|audit| audit.verdict.to_string()),
    })
}

/// An audit of the mechanism of a run, with fewer canaries than `veil audit` plants. Graphs of
/// students are the auditor's own.
fn audited(run: &Outcome, data: &Dataset) -> Result<Audit, Failure> {
    // DpGCN is audited by its graph mechanism.
    let mechanism = ["graph", "method"].into_iter().find_map(|name| run.parameters.get(name)?.as_str());
    let mechanism = mechanism.unwrap_or_default();
    let epsilon = EPSILON.to_string().parse().ok();
    let subject = audit::find(mechanism)?;
    let settings = subject.at(epsilon, &Settings::default())?;
    let options = Options { pairs: 500, canaries: 300, seed: 1 };
    let found = subject.audit(&settings, data, &options)?;
    found.into_iter().next().ok_or_else(|| Failure::Unexpected(format!("{mechanism} promises nothing")))
}

fn in_words(unit: Unit) -> &'static str {
    match unit {
        Unit::EdgeBit => "an entry of a list",
        Unit::EdgeSet => "who a neighbour is",
        Unit::Edge => "an edge",
        Unit::Node => "a node and all it has",
        Unit::Feature => "features",
        Unit::Label => "a label",
    }
}
