//! Our figures beside the published ones.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::ours::{Numbers, groups};
use super::{Compared, Published, PublishedError, Target, Unit, Values};
use crate::outcome::{Outcome, Promised, written};
use crate::statistics::{self, Agreement, StatisticsError, Summary, holm, joint, summary, wilcoxon};

/// The tolerance of a printed ε: one of its last two places, because some were truncated instead of
/// rounded, and a tenth of that.
const PRINTED: f64 = 0.011;

/// The fewest pairs that could have p < 0.05: six of one sign have 2/2⁶.
const FEWEST_PAIRS: usize = 6;

/// Why figures could not be compared.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompareError {
    #[error(transparent)]
    Published(#[from] PublishedError),
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
    /// The parameters of the grid.
    pub point: BTreeMap<String, Value>,
    /// The figure.
    pub figure: String,
    /// Ours, over seeds; none where it depends on what was not published, or where every seed lacks
    /// a run.
    pub ours: Option<Summary>,
    /// How many seeds were requested.
    pub seeds: usize,
    /// How many runs, or runs that they are compared with, failed.
    pub failed: usize,
    /// The published mean.
    pub published: Option<f64>,
    /// The unit of both.
    pub unit: Unit,
    /// The published deviation.
    pub published_deviation: Option<f64>,
    /// Their difference, and whether it is within the joint uncertainty.
    pub agreement: Option<Agreement>,
    /// A deviation over something else than seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// The range that a text gives instead of a figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The promise of our runs, if there is one and the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promised: Option<Promised>,
    /// For a difference between runs: the number of pairs, one per seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<usize>,
    /// For a difference between runs: the p-value of Wilcoxon's signed-rank test with one pair per
    /// seed and Holm's correction over all tested rows; none for too few pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// The published p-value as printed: `< 0.001`. Its pairs are not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_p_value: Option<String>,
}

/// The deviation between means over runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The parameters in which they differ.
    pub over: String,
    /// Ours, if there are two.
    pub ours: Option<f64>,
    /// The published one.
    pub published: Option<f64>,
}

/// A range that a text gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// The lower bound.
    pub above: Option<f64>,
    /// The upper bound.
    pub below: Option<f64>,
    /// Whether ours is within it.
    pub holds: Option<bool>,
}

/// Every published figure for which there are runs, in the order of the target. Where runs failed,
/// the published one stands alone.
///
/// # Errors
/// If the published table cannot be read, or a figure is not a number.
pub fn compare(target: &Target, outcomes: &[Outcome], seed: u64) -> Result<Vec<Row>, CompareError> {
    let table = target.published()?;
    let mut rows = Vec::new();
    for compared in &target.compared {
        for group in groups(compared, outcomes) {
            let theirs = Theirs::find(compared, &table, group.data, &group.point)?;
            if compared.mean.is_some() && theirs.figure.is_none() {
                continue;
            }
            let numbers = group.numbers(compared, outcomes);
            let by_seed: Vec<f64> = numbers.by_seed.iter().map(|[own, other]| own - other).collect();
            let is_share = compared.figure.contains('/');
            // Without a failure, no run was to give this figure. A share of nothing is shown as
            // none.
            if by_seed.is_empty() && !compared.unknown && !is_share && (numbers.failed == 0 || numbers.absent) {
                continue;
            }
            let ours = (!by_seed.is_empty()).then(|| summary(&by_seed, seed)).transpose()?;
            let Theirs { figure, spread, range, p_value: published_p_value } = theirs;
            let agreement = ours.as_ref().zip(figure.as_ref()).map(|(ours, theirs)| compared.agreement(ours, theirs));
            let spread = compared.spread.as_ref().map(|it| Spread {
                over: it.over.join(" and "),
                ours: numbers.spread,
                published: spread,
            });
            rows.push(Row {
                data: group.data.to_owned(),
                case: compared.case.clone(),
                figure: compared.name(),
                ours,
                seeds: numbers.seeds,
                failed: numbers.failed,
                published: figure.map(|theirs| theirs.mean),
                unit: compared.unit,
                published_deviation: figure.and_then(|theirs| theirs.deviation),
                agreement: agreement.transpose()?,
                spread,
                range: range.map(|[above, below]| Range::new(above, below, ours.map(|ours| ours.mean))),
                promised: group.promised().cloned(),
                pairs: compared.against.as_ref().map(|_| numbers.by_seed.len()),
                p_value: p_value(compared, &numbers)?,
                published_p_value,
                point: group.point,
            });
        }
    }
    let found: Vec<f64> = rows.iter().filter_map(|row| row.p_value).collect();
    let tested = rows.iter_mut().filter_map(|row| row.p_value.as_mut());
    tested.zip(holm(&found)?).for_each(|(value, corrected)| *value = corrected);
    Ok(rows)
}

/// Whether paired runs differ; none without pairs, or where too few of them differ.
fn p_value(compared: &Compared, numbers: &Numbers) -> Result<Option<f64>, StatisticsError> {
    let differ = numbers.by_seed.iter().filter(|[own, other]| own != other).count();
    if compared.against.is_none() || differ < FEWEST_PAIRS {
        return Ok(None);
    }
    Ok(Some(wilcoxon(&numbers.by_seed)?.p_value))
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
    /// Nothing, if the table has no row for it.
    fn find(
        compared: &Compared,
        table: &Published,
        data: &str,
        point: &BTreeMap<String, Value>,
    ) -> Result<Theirs, PublishedError> {
        if compared.row.is_empty() {
            return Ok(Theirs::default());
        }
        let wanted: Values = compared.row.iter().map(|(at, text)| (at.clone(), filled(text, data, point))).collect();
        let Some(row) = table.find(&wanted)? else { return Ok(Theirs::default()) };
        let cell = |column: &String| table.number(row, &filled(column, data, point));
        let number = |column: &String| Ok::<_, PublishedError>(cell(column)?.map(|(number, _)| number));
        let optional = |column: Option<&String>| Ok::<_, PublishedError>(column.map(number).transpose()?.flatten());
        let mean = compared.mean.as_ref().map(cell).transpose()?.flatten();
        let (deviation, runs) = (optional(compared.deviation.as_ref())?, compared.runs);
        let range = compared.range.as_ref().map(|[above, below]| Ok([number(above)?, number(below)?])).transpose()?;
        let p_value = optional(compared.p.as_ref().map(|[column, _]| column))?;
        Ok(Theirs {
            figure: mean.map(|(mean, decimals)| statistics::Published { mean, decimals, deviation, runs }),
            spread: optional(compared.spread.as_ref().map(|spread| &spread.column))?,
            range,
            p_value: compared.p.as_ref().zip(p_value).map(|([_, side], bound)| format!("{side} {bound}")),
        })
    }
}

/// A text with `{data}` and `{PARAMETER}` filled in.
pub(super) fn filled(text: &str, data: &str, point: &BTreeMap<String, Value>) -> String {
    let (Some((before, rest)), true) = (text.split_once('{'), text.contains('}')) else { return text.to_owned() };
    let (name, after) = rest.split_once('}').unwrap_or((rest, ""));
    let value = if name == "data" { data.to_owned() } else { point.get(name).map(written).unwrap_or_default() };
    format!("{before}{value}{after}")
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
        // Nothing is left to chance: a difference comes from the printing.
        Ok(Agreement { uncertainty: PRINTED, agrees: found.difference.abs() <= PRINTED, ..found })
    }

    /// The figure, and what it is the difference to.
    fn name(&self) -> String {
        let Some(against) = &self.against else { return self.figure.clone() };
        let point = against.point.iter().map(|(key, value)| format!("{key} {value}"));
        let case = (against.case != self.case).then(|| against.case.clone());
        format!("{}, against {}", self.figure, case.into_iter().chain(point).collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_filled_in() {
        let point = BTreeMap::from([("k".to_owned(), json!(300))]);
        let texts = ["accuracy_{data}", "{k}", "plain", "{unknown}"].map(|text| filled(text, "cora", &point));
        assert_eq!(texts, ["accuracy_cora", "300", "plain", ""]);
    }
}
