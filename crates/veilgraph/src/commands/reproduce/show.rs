//! Ours beside theirs, for people and for machines.

use std::path::PathBuf;

use serde::Serialize;
use veil_lab::outcome::{Promised, written};
use veil_lab::reproduce::{Row, Target, Unit};

use crate::output::{rounded_up, table};

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
    seconds: f64,
    /// How many figures have a published one beside them, and how many of these agree within the joint uncertainty.
    compared: usize,
    agree: usize,
    /// Whether anything was published in figures.
    #[serde(skip)]
    published: bool,
    rows: Vec<Row>,
}

impl Shown {
    pub fn new(
        target: &'static Target,
        out: Option<PathBuf>,
        (runs, failed): (usize, usize),
        seconds: f64,
        rows: Vec<Row>,
    ) -> Shown {
        let Target { name, source, .. } = *target;
        let compared = || rows.iter().filter_map(|row| row.agreement);
        let (agree, compared) = (compared().filter(|it| it.agrees).count(), compared().count());
        let published = target.compared.iter().any(|compared| compared.mean.is_some());
        Shown { name, source, out, runs, failed, seconds, compared, agree, published, rows }
    }

    pub fn describe(&self) -> String {
        let page = self.out.as_ref().map(|out| out.join("report.html").display().to_string());
        let mut text = self.source.to_owned();
        if !self.rows.is_empty() {
            text += &format!("\n{}", self.table());
        }
        if !self.published {
            text += "\nnothing was published in figures";
        } else if self.compared == 0 {
            text += "\nno run gave a figure that was published";
        } else {
            text += &format!("\n{} of {} figures agree within the joint uncertainty", self.agree, self.compared);
            let one = |row: &Row| row.ours.as_ref().is_some_and(|ours| ours.deviation.is_none());
            if self.out.is_some() && self.rows.iter().any(one) {
                text += " (ours without ± is one run, which adds nothing to it: ask for more --seeds)";
            }
        }
        match page {
            Some(page) => text + &format!("; {} runs, {:.0} s; {page}", self.runs, self.seconds),
            None => text + "; computed, no data were read; what is proven is about the same noise at the same δ",
        }
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
            "agree",
            "promised here",
            ">p (Holm)",
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
    let point: Vec<String> = row.point.iter().map(|(name, value)| format!("{name} {}", written(value))).collect();
    let ours = row.ours.as_ref().map(|ours| format!("{}{}", number(ours.mean), deviation(ours.deviation)));
    let theirs = row.published.map(|theirs| format!("{}{}", number(theirs), deviation(row.published_deviation)));
    let agrees = |agrees: bool| if agrees { "yes" } else { "no" }.to_owned();
    vec![
        row.data.clone(),
        row.case.clone(),
        point.join(", "),
        row.figure.clone(),
        ours.unwrap_or_default(),
        theirs.unwrap_or_default(),
        row.agreement.map_or_else(String::new, |it| format!("{:+.places$}", factor * it.difference)),
        row.agreement.map_or_else(String::new, |it| agrees(it.agrees)),
        row.promised.as_ref().map_or_else(String::new, promised),
        row.p_value.map_or_else(String::new, |p| format!("{p:.3}")),
    ]
}

/// What holds, in a few words.
fn promised(it: &Promised) -> String {
    let Promised { unit, epsilon, status, .. } = it;
    match epsilon {
        Some(epsilon) => format!("{unit}: {:.2}, {status}", rounded_up(*epsilon, 2)),
        None => format!("{unit}: ∞, {status}"),
    }
}
