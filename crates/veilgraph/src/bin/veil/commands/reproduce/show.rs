//! Ours beside theirs, for people and for machines.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use veil_lab::Outcome;
use veil_lab::outcome::{Promised, written};
use veil_lab::reproduce::{Range, Row, Size, Target, Unit};
use veil_lab::statistics::Basis;

use crate::output::{grouped, rounded_up, table};

/// What `--json` prints.
#[derive(Serialize)]
pub struct Shown {
    name: &'static str,
    source: &'static str,
    /// Where the runs are, if anything was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<PathBuf>,
    runs: usize,
    failed: usize,
    /// The runs that failed, and why.
    failures: Vec<Failed>,
    /// Data that are not those that were published about.
    warnings: Vec<Warning>,
    seconds: f64,
    /// How many figures have a published one, or a range, beside them, and how many of these agree with it.
    compared: usize,
    agree: usize,
    /// How many published figures stand alone because runs failed.
    not_compared: usize,
    /// Whether anything was published in figures.
    #[serde(skip)]
    published: bool,
    rows: Vec<Row>,
}

/// A run that failed.
#[derive(Serialize)]
struct Failed {
    case: String,
    data: String,
    point: BTreeMap<String, Value>,
    seed: u64,
    error: String,
}

/// Data of another size than those that were published about.
#[derive(Serialize)]
pub struct Warning {
    pub data: String,
    pub found: Size,
    pub published: Size,
}

impl Warning {
    pub fn describe(&self) -> String {
        let size = |Size { nodes, edges, classes }: Size| {
            format!("{} nodes, {} edges and {classes} classes", grouped(nodes as usize), grouped(edges as usize))
        };
        let Warning { data, found, published } = self;
        format!("these are not the published {data}: {} instead of {}", size(*found), size(*published))
    }
}

impl Shown {
    pub fn new(
        target: &'static Target,
        out: Option<PathBuf>,
        outcomes: &[Outcome],
        seconds: f64,
        rows: Vec<Row>,
        warnings: Vec<Warning>,
    ) -> Shown {
        let Target { name, source, .. } = *target;
        let compared: Vec<bool> = rows.iter().filter_map(agrees).collect();
        let (compared, agree) = (compared.len(), compared.iter().filter(|agrees| **agrees).count());
        let lost = |row: &&Row| row.failed > 0 && row.published.is_some() && row.ours.is_none();
        let not_compared = rows.iter().filter(lost).count();
        let published = target.compared.iter().any(|compared| compared.mean.is_some() || compared.range.is_some());
        let failures: Vec<Failed> = outcomes.iter().filter_map(Failed::of).collect();
        let (runs, failed) = (outcomes.len(), failures.len());
        Shown {
            name,
            source,
            out,
            runs,
            failed,
            failures,
            warnings,
            seconds,
            compared,
            agree,
            not_compared,
            published,
            rows,
        }
    }

    pub fn describe(&self) -> String {
        let mut text = self.source.to_owned();
        if !self.rows.is_empty() {
            text += &format!("\n{}", self.table());
        }
        for note in self.notes() {
            text += &format!("\n{note}");
        }
        text += "\n";
        text += &match (self.published, self.compared) {
            (false, _) => "nothing was published in figures".to_owned(),
            (true, 0) => "no run gave a figure that was published".to_owned(),
            (true, compared) if self.rows.iter().any(|row| row.range.is_some()) => {
                format!("{} of {compared} figures lie where the text says", self.agree)
            }
            (true, compared) => format!("{} of {compared} figures agree within the joint uncertainty", self.agree),
        };
        if self.not_compared > 0 {
            text += &format!(", {} more are not compared", self.not_compared);
        }
        if let Some(Failed { error, .. }) = self.failures.first() {
            text += &format!("; {} of {} runs FAILED: {error}", self.failed, self.runs);
        }
        match &self.out {
            Some(out) => {
                text + &format!("; {} runs, {:.0} s; {}", self.runs, self.seconds, out.join("report.html").display())
            }
            None => text + "; computed, no data were read; what is proven is about the same noise at the same δ",
        }
    }

    /// How to read what stands in the table.
    fn notes(&self) -> Vec<String> {
        let has = |what: &dyn Fn(&Row) -> bool| self.rows.iter().any(what);
        let tested = self.rows.iter().filter(|row| row.p_value.is_some()).count();
        let one = |row: &Row| row.agreement.is_some() && row.ours.is_some_and(|ours| ours.deviation.is_none());
        let unused = |row: &Row| {
            row.published_deviation.is_some()
                && row.agreement.is_some_and(|it| matches!(it.basis, Basis::Ours | Basis::Rounding))
        };
        let notes = [
            (
                self.out.is_some() && has(&one),
                "ours without ± is one run, which adds nothing to the tolerance: ask for more --seeds".to_owned(),
            ),
            (has(&unused), "their ± does not count: of how many runs it is was not told".to_owned()),
            (
                tested > 0,
                format!(
                    "p: Wilcoxon’s signed ranks, one pair for each seed (means over what is averaged), Holm’s correction over {tested} rows"
                ),
            ),
            (
                has(&|row| row.pairs.is_some() && row.p_value.is_none()),
                "no p where fewer than six seeds differ: no such sample could have p < 0.05".to_owned(),
            ),
            (has(&|row| row.published_p_value.is_some()), "published p: of which pairs was not told".to_owned()),
        ];
        notes.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note).collect()
    }

    /// Columns in which nothing stands are left out.
    fn table(&self) -> String {
        let columns = [
            "data",
            "case",
            "point",
            "figure",
            ">ours",
            ">published",
            ">difference",
            ">tolerance",
            "agree",
            "promised here",
            ">p (Holm)",
            ">published p",
        ];
        let rows: Vec<Vec<String>> = self.rows.iter().map(cells).collect();
        let used: Vec<usize> = (0..columns.len()).filter(|&at| rows.iter().any(|row| !row[at].is_empty())).collect();
        let headings: Vec<&str> = used.iter().map(|&at| columns[at]).collect();
        table(&headings, rows.iter().map(|row| used.iter().map(|&at| row[at].clone()).collect()))
    }
}

fn cells(row: &Row) -> Vec<String> {
    // Shares are shown in percent, as the others are.
    let (factor, places) = match row.unit {
        Unit::Share => (100.0, 1),
        Unit::Percent | Unit::PercentLost => (1.0, 1),
        Unit::Epsilon => (1.0, 2),
    };
    let number = |it: f64| format!("{:.places$}", factor * it);
    let deviation = |it: Option<f64>| it.map_or_else(String::new, |it| format!(" ± {}", number(it)));
    let spread = |it: Option<f64>| match (&row.spread, it) {
        (Some(spread), Some(it)) => format!(" ± {} over {}", number(it), spread.over),
        _ => String::new(),
    };
    let point: Vec<String> = row.point.iter().map(|(name, value)| format!("{name} {}", written(value))).collect();
    let ours = row.ours.map(|ours| {
        let few =
            if ours.count < row.seeds { format!(" ({} of {} seeds)", ours.count, row.seeds) } else { String::new() };
        let around = match &row.spread {
            Some(it) => spread(it.ours),
            None => deviation(ours.deviation),
        };
        format!("{}{around}{few}", number(ours.mean))
    });
    // What a published ε hangs on is not known: nothing is missing there.
    let missing = match row.unit {
        _ if row.failed > 0 => "failed",
        Unit::Epsilon => "",
        _ => "none",
    };
    let theirs = row.published.map(|theirs| {
        let around = row.spread.as_ref().and_then(|it| it.published);
        format!("{}{}{}", number(theirs), deviation(row.published_deviation), spread(around))
    });
    let theirs = theirs.or_else(|| row.range.map(|range| said(range, &number)));
    let agreement = |show: &dyn Fn(f64, f64) -> String| {
        row.agreement.map_or_else(String::new, |it| show(factor * it.difference, factor * it.uncertainty))
    };
    // As many places as it takes to see a tolerance that is not zero.
    let finer = if row.agreement.is_some_and(|it| factor * it.uncertainty < 0.1) { places + 2 } else { places };
    vec![
        row.data.clone(),
        row.case.clone(),
        point.join(", "),
        row.figure.clone(),
        ours.unwrap_or_else(|| missing.to_owned()),
        theirs.unwrap_or_default(),
        agreement(&|difference, _| format!("{difference:+.places$}")),
        agreement(&|_, tolerance| format!("{tolerance:.finer$}")),
        agrees(row).map_or_else(String::new, |agrees| if agrees { "yes" } else { "no" }.to_owned()),
        row.promised.as_ref().map_or_else(String::new, promised),
        row.p_value.map_or_else(String::new, p_value),
        row.published_p_value.clone().unwrap_or_default(),
    ]
}

/// Whether ours agrees with theirs, if there are both.
fn agrees(row: &Row) -> Option<bool> {
    row.agreement.map(|it| it.agrees).or_else(|| row.range.and_then(|range| range.holds))
}

/// What a text says of figures that it does not print.
fn said(range: Range, number: &dyn Fn(f64) -> String) -> String {
    match (range.above, range.below) {
        (Some(above), Some(below)) => format!("{} to {}", number(above), number(below)),
        (Some(above), None) => format!("at least {}", number(above)),
        (None, Some(below)) => format!("at most {}", number(below)),
        (None, None) => String::new(),
    }
}

/// Never zero, which no test can give.
fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

impl Failed {
    fn of(outcome: &Outcome) -> Option<Failed> {
        let error = outcome.error.clone()?;
        let Outcome { case, data, point, seed, .. } = outcome.clone();
        Some(Failed { case, data, point, seed, error })
    }
}

/// What holds, in a few words.
fn promised(it: &Promised) -> String {
    let Promised { unit, epsilon, status, .. } = it;
    match epsilon {
        Some(epsilon) => format!("{unit}: {:.2}, {status}", rounded_up(*epsilon, 2)),
        None => format!("{unit}: ∞, {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_p_value_is_zero() {
        assert_eq!([0.000_2, 0.001, 0.046_9].map(p_value), ["< 0.001", "0.001", "0.047"]);
    }
}
