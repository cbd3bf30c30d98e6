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

/// The fewest pairs that could ever differ with p < 0.05: six of one sign have 2/2⁶.
const FEWEST_PAIRS: usize = 6;

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
    /// Ours, over seeds; none where it hangs on what was not published, or where every seed lacks a run.
    pub ours: Option<Summary>,
    /// How many seeds were asked for.
    pub seeds: usize,
    /// How many runs, or those that they are compared with, failed.
    pub failed: usize,
    /// Theirs, if there is one.
    pub published: Option<f64>,
    /// The unit of both.
    pub unit: Unit,
    /// Their deviation, if it was told.
    pub published_deviation: Option<f64>,
    /// By how much they differ, and whether that is within the joint uncertainty, if there are two.
    pub agreement: Option<Agreement>,
    /// A deviation that is none over seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// Where a paper tells no figure: what it says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// What our runs promise, if that is one thing: beside what a paper claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promised: Option<Promised>,
    /// Of a difference between runs: how many pairs there are, one for each seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<usize>,
    /// Of a difference between runs: how likely one as large is if there is none. Wilcoxon's signed ranks with one pair for each seed, Holm's
    /// correction over all rows that have one; none of too few pairs to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// The published one, as it was printed: `< 0.001`. Over which pairs is not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_p_value: Option<String>,
}

/// How far means over runs lie apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// In what they differ.
    pub over: String,
    /// Ours, if there are two.
    pub ours: Option<f64>,
    /// Theirs.
    pub published: Option<f64>,
}

/// What a paper says in words.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// At least this.
    pub above: Option<f64>,
    /// At most this.
    pub below: Option<f64>,
    /// Whether ours is so, if there is one.
    pub holds: Option<bool>,
}

/// Every published figure for which there are runs, in the order of the target. Where runs failed the published one stands alone.
///
/// # Errors
/// If the published table is not what it should be, or a figure is no number.
pub fn compare(target: &Target, outcomes: &[Outcome], seed: u64) -> Result<Vec<Row>, CompareError> {
    let table = Published::parse(target.published)?;
    let mut rows = Vec::new();
    for compared in target.compared {
        for group in groups(compared, outcomes) {
            let theirs = Theirs::find(compared, &table, group.data, &group.point)?;
            if compared.mean.is_some() && theirs.figure.is_none() {
                continue;
            }
            let numbers = group.numbers(compared, outcomes);
            let ours = match (compared.figure, numbers.differences().as_slice()) {
                (Figure::Unknowable(_), _) => None,
                // Nobody was asked for it here, unless something failed; a share of nothing is none.
                (Figure::Named(_) | Figure::Either(..), []) if numbers.failed == 0 || numbers.absent => continue,
                (_, []) => None,
                (_, by_seed) => Some(summary(by_seed, seed)?),
            };
            let Theirs { figure, spread, range, p_value: published_p_value } = theirs;
            let agreement = ours.as_ref().zip(figure.as_ref()).map(|(ours, theirs)| compared.agreement(ours, theirs));
            rows.push(Row {
                data: group.data.to_owned(),
                case: compared.case.to_owned(),
                figure: compared.name(),
                ours,
                seeds: numbers.seeds,
                failed: numbers.failed,
                published: figure.map(|theirs| theirs.mean),
                unit: compared.unit,
                published_deviation: figure.and_then(|theirs| theirs.deviation),
                agreement: agreement.transpose()?,
                spread: compared.spread.map(|over| Spread {
                    over: over.parameters.join(" and "),
                    ours: numbers.spread,
                    published: spread,
                }),
                range: range.map(|[above, below]| Range::new(above, below, ours.map(|ours| ours.mean))),
                promised: group.promised().cloned(),
                pairs: compared.against.map(|_| numbers.by_seed.len()),
                p_value: p_value(compared, &numbers)?,
                published_p_value,
                point: group.point,
            });
        }
    }
    correct(&mut rows)?;
    Ok(rows)
}

/// Whether pairs of runs differ; nothing where the figure is none of pairs, or where too few of them differ to tell.
fn p_value(compared: &Compared, numbers: &Numbers) -> Result<Option<f64>, StatisticsError> {
    let differ = numbers.by_seed.iter().filter(|[own, other]| own != other).count();
    if compared.against.is_none() || differ < FEWEST_PAIRS {
        return Ok(None);
    }
    let (own, other): (Vec<f64>, Vec<f64>) = numbers.by_seed.iter().map(|&[own, other]| (own, other)).unzip();
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

/// What was published of a figure.
#[derive(Default)]
struct Theirs {
    figure: Option<statistics::Published>,
    spread: Option<f64>,
    range: Option<[Option<f64>; 2]>,
    p_value: Option<String>,
}

impl Theirs {
    /// Nothing, if there is no row for it.
    fn find(
        compared: &Compared,
        table: &Published,
        data: &str,
        point: &BTreeMap<String, Value>,
    ) -> Result<Theirs, PublishedError> {
        if compared.row.is_empty() {
            return Ok(Theirs::default());
        }
        let Some(row) = table.find(&compared.wanted(data, point))? else { return Ok(Theirs::default()) };
        let cell = |column: &str| table.number(row, column);
        let number = |column: &str| Ok::<_, PublishedError>(cell(column)?.map(|(number, _)| number));
        let deviation = compared.deviation.map(number).transpose()?.flatten();
        let mean = compared.mean.map(cell).transpose()?.flatten();
        let range = match compared.range {
            Some([above, below]) => Some([number(above)?, number(below)?]),
            None => None,
        };
        let p_value = match compared.p_value {
            Some((column, side)) => number(column)?.map(|bound| format!("{side} {bound}")),
            None => None,
        };
        let runs = compared.runs;
        Ok(Theirs {
            figure: mean.map(|(mean, decimals)| statistics::Published { mean, decimals, deviation, runs }),
            spread: compared.spread.map(|over| number(over.column)).transpose()?.flatten(),
            range,
            p_value,
        })
    }
}

impl Range {
    fn new(above: Option<f64>, below: Option<f64>, ours: Option<f64>) -> Range {
        let within = |ours: f64| above.is_none_or(|above| ours >= above) && below.is_none_or(|below| ours <= below);
        Range { above, below, holds: ours.map(within) }
    }
}

impl Compared {
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
    /// That of a run, if it has one and it is a number.
    pub(super) fn of(self, run: &Outcome) -> Option<f64> {
        let found = match self {
            Figure::Named(name) => run.figures.get(name).copied(),
            Figure::Either(one, other) => run.figures.get(one).or_else(|| run.figures.get(other)).copied(),
            Figure::Without(part, whole) => Some(1.0 - run.figures.get(part)? / run.figures.get(whole)?),
            Figure::Unknowable(_) => None,
        };
        found.filter(|figure| figure.is_finite())
    }

    fn name(self) -> String {
        match self {
            Figure::Named(name) | Figure::Unknowable(name) => name.to_owned(),
            Figure::Either(one, other) => format!("{one} or {other}"),
            Figure::Without(part, whole) => format!("1 - {part}/{whole}"),
        }
    }
}
