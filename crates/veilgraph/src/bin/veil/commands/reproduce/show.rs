//! Our figures beside the published ones, for people and for machines.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use veil_lab::Outcome;
use veil_lab::outcome::{Promised, written};
use veil_lab::reproduce::{Range, Row, Size, Target, Unit};
use veil_lab::statistics::Basis;
use veil_privacy::Declarations;

use crate::output::{grouped, rounded_up, table};

/// What `--json` prints.
#[derive(Serialize)]
pub struct Shown<'a> {
    name: &'a str,
    source: &'a str,
    /// The folder of the runs, if anything was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<PathBuf>,
    runs: usize,
    failed: usize,
    failures: Vec<&'a Outcome>,
    warnings: Vec<Warning>,
    seconds: f64,
    /// Figures with a published one or a range, and how many of them agree with it.
    compared: usize,
    agree: usize,
    /// Published figures without ours, because runs failed.
    not_compared: usize,
    /// The facts that were declared public, and on which promises rely.
    declared: Declarations,
    /// Whether anything was published in figures.
    #[serde(skip)]
    published: bool,
    rows: Vec<Row>,
}

/// Data of another size than the published ones.
#[derive(Clone, Serialize)]
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
        format!("this is not the published {data}: {} instead of {}", size(*found), size(*published))
    }
}

impl<'a> Shown<'a> {
    pub fn new(
        target: &'a Target,
        out: Option<PathBuf>,
        outcomes: &'a [Outcome],
        time: Duration,
        rows: Vec<Row>,
        warnings: Vec<Warning>,
    ) -> Shown<'a> {
        let agreements: Vec<bool> = rows.iter().filter_map(agrees).collect();
        let is_lost = |row: &&Row| row.failed > 0 && row.published.is_some() && row.ours.is_none();
        let failures: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.error.is_some()).collect();
        let promises = outcomes.iter().flat_map(|outcome| &outcome.promises);
        Shown {
            name: &target.name,
            source: &target.source,
            out,
            runs: outcomes.len(),
            failed: failures.len(),
            failures,
            warnings,
            seconds: time.as_secs_f64(),
            compared: agreements.len(),
            agree: agreements.iter().filter(|agrees| **agrees).count(),
            not_compared: rows.iter().filter(is_lost).count(),
            declared: promises.fold(Declarations::NONE, |all, it| all.and(it.declared)),
            published: target.has_figures(),
            rows,
        }
    }

    pub fn describe(&self) -> String {
        let mut lines = vec![self.source.to_owned()];
        if !self.rows.is_empty() {
            lines.push(self.table());
        }
        lines.extend(self.notes());
        let mut verdict = match (self.published, self.compared) {
            (false, _) => "nothing was published in figures".to_owned(),
            (true, 0) => "no run has a figure that was published".to_owned(),
            (true, compared) => {
                let is_range = self.rows.iter().any(|row| row.range.is_some());
                let what =
                    if is_range { "are within the published range" } else { "agree within the joint uncertainty" };
                format!("{} of {compared} figures {what}", self.agree)
            }
        };
        if self.not_compared > 0 {
            verdict += &format!(", {} more are not compared", self.not_compared);
        }
        if let Some(error) = self.failures.first().and_then(|outcome| outcome.error.as_ref()) {
            verdict += &format!("; {} of {} runs FAILED: {error}", self.failed, self.runs);
        }
        verdict += &match &self.out {
            Some(out) => format!("; {} runs, {:.0} s; {}", self.runs, self.seconds, out.join("report.html").display()),
            None => "; computed without data; what is proven is for the same noise and δ".to_owned(),
        };
        lines.push(verdict);
        lines.join("\n")
    }

    /// Notes on the table.
    fn notes(&self) -> Vec<String> {
        let has = |what: &dyn Fn(&Row) -> bool| self.rows.iter().any(what);
        let tested = self.rows.iter().filter(|row| row.p_value.is_some()).count();
        let single = |row: &Row| row.agreement.is_some() && row.ours.is_some_and(|ours| ours.deviation.is_none());
        let unused = |row: &Row| {
            row.published_deviation.is_some()
                && row.agreement.is_some_and(|it| matches!(it.basis, Basis::Ours | Basis::Rounding))
        };
        let ranks = format!("p: Wilcoxon’s signed-rank test, one pair per seed, Holm’s correction over {tested} rows");
        let one = "ours without ± is one run, which adds nothing to the tolerance: pass more --seeds";
        let few = "no p where fewer than six seeds differ: no such sample could have p < 0.05";
        let declared = format!("what is promised takes as public, and does not protect: {}", self.declared);
        let notes = [
            (!self.declared.is_empty(), &*declared),
            (self.out.is_some() && has(&single), one),
            (has(&unused), "the published ± is not used: its number of runs is not published"),
            (tested > 0, &ranks),
            (has(&|row| row.pairs.is_some() && row.p_value.is_none()), few),
            (has(&|row| row.published_p_value.is_some()), "published p: its pairs are not published"),
        ];
        notes.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note.to_owned()).collect()
    }

    /// The table without its empty columns.
    fn table(&self) -> String {
        let columns = "data|case|point|figure|>ours|>published|>difference|>tolerance|agree|promised here|>p (Holm)|\
                       >published p";
        let columns: Vec<&str> = columns.split('|').collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(cells).collect();
        let used: Vec<usize> = (0..columns.len()).filter(|&at| rows.iter().any(|row| !row[at].is_empty())).collect();
        let headings: Vec<&str> = used.iter().map(|&at| columns[at]).collect();
        table(&headings, rows.iter().map(|row| used.iter().map(|&at| row[at].clone()).collect()))
    }
}

fn cells(row: &Row) -> Vec<String> {
    // Shares are shown in per cent.
    let (factor, places) = match row.unit {
        Unit::Share => (100.0, 1),
        Unit::Percent | Unit::PercentLost => (1.0, 1),
        Unit::Epsilon => (1.0, 2),
    };
    let number = |it: f64| format!("{:.places$}", factor * it);
    let around = |it: Option<f64>, over: &str| it.map_or_else(String::new, |it| format!(" ± {}{over}", number(it)));
    let over = row.spread.as_ref().map_or_else(String::new, |spread| format!(" over {}", spread.over));
    let ours = row.ours.map(|ours| {
        let few =
            if ours.count < row.seeds { format!(" ({} of {} seeds)", ours.count, row.seeds) } else { String::new() };
        let deviation = row.spread.as_ref().map_or(ours.deviation, |spread| spread.ours);
        format!("{}{}{few}", number(ours.mean), around(deviation, &over))
    });
    let missing = match row.unit {
        _ if row.failed > 0 => "failed",
        // A published ε that depends on unpublished votes.
        Unit::Epsilon => "",
        _ => "none",
    };
    let theirs = row.published.map(|theirs| {
        let spread = around(row.spread.as_ref().and_then(|it| it.published), &over);
        format!("{}{}{spread}", number(theirs), around(row.published_deviation, ""))
    });
    let point: Vec<String> = row.point.iter().map(|(name, value)| format!("{name} {}", written(value))).collect();
    let agreement = row.agreement.map(|it| (factor * it.difference, factor * it.uncertainty));
    // As many places as it takes to show a tolerance that is not zero.
    let finer = if agreement.is_some_and(|(_, tolerance)| tolerance < 0.1) { places + 2 } else { places };
    let cells = [
        Some(row.data.clone()),
        Some(row.case.clone()),
        Some(point.join(", ")),
        Some(row.figure.clone()),
        ours.or_else(|| Some(missing.to_owned())),
        theirs.or_else(|| row.range.map(|range| in_words(range, &number))),
        agreement.map(|(difference, _)| format!("{difference:+.places$}")),
        agreement.map(|(_, tolerance)| format!("{tolerance:.finer$}")),
        agrees(row).map(|agrees| if agrees { "yes" } else { "no" }.to_owned()),
        row.promised.as_ref().map(promised),
        row.p_value.map(p_value),
        row.published_p_value.clone(),
    ];
    cells.map(Option::unwrap_or_default).to_vec()
}

/// Whether ours agrees with the published figure or range.
fn agrees(row: &Row) -> Option<bool> {
    row.agreement.map(|it| it.agrees).or_else(|| row.range.and_then(|range| range.holds))
}

fn in_words(range: Range, number: &dyn Fn(f64) -> String) -> String {
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

fn promised(it: &Promised) -> String {
    let epsilon = it.epsilon.map_or_else(|| "∞".to_owned(), |epsilon| format!("{:.2}", rounded_up(epsilon, 2)));
    format!("{}: {epsilon}, {}", it.unit, it.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_p_value_is_zero() {
        assert_eq!([0.000_2, 0.001, 0.046_9].map(p_value), ["< 0.001", "0.001", "0.047"]);
    }
}
