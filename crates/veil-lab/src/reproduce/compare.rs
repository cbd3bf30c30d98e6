//! Ours beside theirs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::paired::{Numbers, groups};
use super::{Compared, Figure, Is, Published, PublishedError, Target, Unit};
use crate::outcome::{Outcome, Promised, written};
use crate::statistics::{self, Agreement, Alternative, StatisticsError, Summary, holm, joint, summary, wilcoxon};

/// How far a computed ε may be from a printed one: one of the last of two places, because some were cut and not rounded, and a tenth of that.
const PRINTED: f64 = 0.011;

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
    /// Ours, over seeds; none where it hangs on what was not published.
    pub ours: Option<Summary>,
    /// Theirs, if there is one.
    pub published: Option<f64>,
    /// The unit of both.
    pub unit: Unit,
    /// Their deviation, if it was told.
    pub published_deviation: Option<f64>,
    /// By how much they differ, and whether that is within the joint uncertainty, if there are two.
    pub agreement: Option<Agreement>,
    /// What our runs promise, if that is one thing: beside what a paper claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promised: Option<Promised>,
    /// Of a difference between runs: how likely one as large is if there is none (Wilcoxon's signed ranks over all pairs, Holm's correction over
    /// all rows that have one). Pairs of one seed share a split, so it is a little too small where a row is a mean over a grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
}

/// Every published figure for which there are runs, in the order of the target.
///
/// # Errors
/// If the published table is not what it should be, or a figure is no number.
pub fn compare(target: &Target, outcomes: &[Outcome], seed: u64) -> Result<Vec<Row>, CompareError> {
    let published = Published::parse(target.published)?;
    let mut rows = Vec::new();
    for compared in target.compared {
        for group in groups(compared, outcomes) {
            let numbers = group.numbers(compared, outcomes);
            let theirs = compared.published(&published, group.data, &group.point)?;
            if compared.mean.is_some() && theirs.is_none() {
                continue;
            }
            let ours = match (compared.figure, numbers.by_seed.as_slice()) {
                (Figure::Unknowable(_), _) => None,
                (_, []) => continue,
                (_, by_seed) => Some(summary(by_seed, seed)?),
            };
            let agreement = ours.as_ref().zip(theirs.as_ref()).map(|(ours, theirs)| compared.agreement(ours, theirs));
            rows.push(Row {
                data: group.data.to_owned(),
                case: compared.case.to_owned(),
                figure: compared.name(),
                ours,
                published: theirs.map(|theirs| theirs.mean),
                unit: compared.unit,
                published_deviation: theirs.and_then(|theirs| theirs.deviation),
                agreement: agreement.transpose()?,
                promised: group.promised().cloned(),
                p_value: p_value(compared, &numbers)?,
                point: group.point,
            });
        }
    }
    correct(&mut rows)?;
    Ok(rows)
}

/// Whether pairs of runs differ; nothing where the figure is none of pairs, or all pairs are equal.
fn p_value(compared: &Compared, numbers: &Numbers) -> Result<Option<f64>, StatisticsError> {
    if compared.against.is_none() || numbers.pairs.iter().all(|[own, other]| own == other) {
        return Ok(None);
    }
    let (own, other): (Vec<f64>, Vec<f64>) = numbers.pairs.iter().map(|&[own, other]| (own, other)).unzip();
    Ok(Some(wilcoxon(&own, &other, Alternative::TwoSided)?.p_value))
}

/// Holm's correction over all rows that were tested.
fn correct(rows: &mut [Row]) -> Result<(), StatisticsError> {
    let found: Vec<f64> = rows.iter().filter_map(|row| row.p_value).collect();
    let tested = rows.iter_mut().filter_map(|row| row.p_value.as_mut());
    for (value, corrected) in tested.zip(holm(&found)?) {
        *value = corrected;
    }
    Ok(())
}

impl Compared {
    /// Theirs, if there is a row for it.
    fn published(
        &self,
        table: &Published,
        data: &str,
        point: &BTreeMap<String, Value>,
    ) -> Result<Option<statistics::Published>, PublishedError> {
        let Some(column) = self.mean else { return Ok(None) };
        let Some(row) = table.find(&self.wanted(data, point))? else { return Ok(None) };
        let Some((mean, decimals)) = table.number(row, column)? else { return Ok(None) };
        let deviation = self.deviation.map(|column| table.number(row, column)).transpose()?.flatten();
        let deviation = deviation.map(|(deviation, _)| deviation);
        Ok(Some(statistics::Published { mean, decimals, deviation, runs: self.runs }))
    }

    fn agreement(&self, ours: &Summary, theirs: &statistics::Published) -> Result<Agreement, StatisticsError> {
        let found = joint(ours, theirs)?;
        if self.unit != Unit::Epsilon {
            return Ok(found);
        }
        // Nothing is left to chance: what both differ by is how it was printed.
        Ok(Agreement { uncertainty: PRINTED, agrees: found.difference.abs() <= PRINTED, ..found })
    }

    /// What the columns of its row must hold.
    fn wanted(&self, data: &str, point: &BTreeMap<String, Value>) -> BTreeMap<&'static str, String> {
        let value = |is: &Is| match is {
            Is::Data => data.to_owned(),
            Is::Case => self.case.to_owned(),
            Is::Point(key) => point.get(*key).map(written).unwrap_or_default(),
            Is::Fixed(value) => (*value).to_owned(),
        };
        self.row.iter().map(|(column, is)| (*column, value(is))).collect()
    }

    /// What was measured, and against what.
    fn name(&self) -> String {
        let figure = self.figure.name();
        let Some(against) = self.against else { return figure };
        let point = against.point.iter().map(|(key, value)| format!("{key} {value}"));
        let case = (against.case != self.case).then(|| against.case.to_owned());
        format!("{figure}, against {}", case.into_iter().chain(point).collect::<Vec<_>>().join(" "))
    }
}

impl Figure {
    pub(super) fn of(self, run: &Outcome) -> Option<f64> {
        match self {
            Figure::Named(name) => run.figures.get(name).copied(),
            Figure::Either(one, other) => run.figures.get(one).or_else(|| run.figures.get(other)).copied(),
            Figure::Without(part, whole) => Some(1.0 - run.figures.get(part)? / run.figures.get(whole)?),
            Figure::Unknowable(_) => None,
        }
    }

    fn name(self) -> String {
        match self {
            Figure::Named(name) | Figure::Unknowable(name) => name.to_owned(),
            Figure::Either(one, other) => format!("{one} or {other}"),
            Figure::Without(part, whole) => format!("1 - {part}/{whole}"),
        }
    }
}
