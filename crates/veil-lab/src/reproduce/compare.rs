//! Ours beside theirs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{Compared, Figure, Is, Published, PublishedError, Target};
use crate::outcome::Outcome;
use crate::statistics::{self, Agreement, StatisticsError, Summary, joint, summary};

/// Why figures could not be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// The published table is not what it should be.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// Figures that are no numbers.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
}

/// One published figure and ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The data.
    pub data: String,
    /// Our case.
    pub case: String,
    /// The rest that decides it.
    pub point: BTreeMap<String, Value>,
    /// What was measured.
    pub figure: String,
    /// Ours.
    pub ours: Summary,
    /// Theirs.
    pub published: f64,
    /// Their deviation, if it was told.
    pub published_deviation: Option<f64>,
    /// By how much they differ, and whether that is within the joint uncertainty.
    pub agreement: Agreement,
}

/// Every published figure for which there are runs, in the order of the target.
///
/// # Errors
/// If the published table is not what it should be, or a figure is no number.
pub fn compare(target: &Target, outcomes: &[Outcome], seed: u64) -> Result<Vec<Row>, CompareError> {
    let published = Published::parse(target.published)?;
    let mut rows = Vec::new();
    for compared in target.compared {
        for ((data, point), runs) in groups(compared, outcomes) {
            let numbers: Vec<f64> =
                runs.iter().filter_map(|run| compared.figure.of(run)).map(|it| it * compared.unit).collect();
            let Some(row) = published.find(&compared.wanted(data, runs[0]))? else { continue };
            let Some((mean, decimals)) = published.number(row, compared.mean)? else { continue };
            if numbers.is_empty() {
                continue;
            }
            let deviation = compared.deviation.map(|column| published.number(row, column)).transpose()?.flatten();
            let deviation = deviation.map(|(deviation, _)| deviation);
            let ours = summary(&numbers, seed)?;
            let theirs = statistics::Published { mean, decimals, deviation, runs: compared.runs };
            rows.push(Row {
                data: data.to_owned(),
                case: compared.case.to_owned(),
                point: point.clone(),
                figure: compared.figure.name(),
                agreement: joint(&ours, &theirs)?,
                ours,
                published: mean,
                published_deviation: deviation,
            });
        }
    }
    Ok(rows)
}

type Grouped<'a> = Vec<((&'a str, &'a BTreeMap<String, Value>), Vec<&'a Outcome>)>;

/// Runs of a case that differ in their seed alone, in the order in which they come.
fn groups<'a>(compared: &Compared, outcomes: &'a [Outcome]) -> Grouped<'a> {
    let is = |outcome: &Outcome, (key, value): (&str, &str)| outcome.point.get(key).is_some_and(|it| text(it) == value);
    let wanted = outcomes.iter().filter(|outcome| {
        outcome.case == compared.case
            && outcome.error.is_none()
            && compared.only.is_none_or(|only| is(outcome, only))
            && compared.but.is_none_or(|but| !is(outcome, but))
    });
    let mut groups: Grouped<'a> = Vec::new();
    for outcome in wanted {
        let key = (outcome.data.as_str(), &outcome.point);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, runs)) => runs.push(outcome),
            None => groups.push((key, vec![outcome])),
        }
    }
    groups
}

impl Compared {
    /// What the columns of its row must hold.
    fn wanted(&self, data: &str, run: &Outcome) -> BTreeMap<&'static str, String> {
        let value = |is: &Is| match is {
            Is::Data => data.to_owned(),
            Is::Point(key) => run.point.get(*key).map(text).unwrap_or_default(),
            Is::Fixed(value) => (*value).to_owned(),
        };
        self.row.iter().map(|(column, is)| (*column, value(is))).collect()
    }
}

impl Figure {
    fn of(self, run: &Outcome) -> Option<f64> {
        match self {
            Figure::Named(name) => run.figures.get(name).copied(),
            Figure::Without(part, whole) => Some(1.0 - run.figures.get(part)? / run.figures.get(whole)?),
        }
    }

    fn name(self) -> String {
        match self {
            Figure::Named(name) => name.to_owned(),
            Figure::Without(part, whole) => format!("1 - {part}/{whole}"),
        }
    }
}

/// A value as it would be written in a table.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
