//! The report: one HTML file about many runs that needs nothing else.
//!
//! `digest` sorts what [`worth`](crate::worth) found into lines and points. `curve` draws accuracy
//! against ε, a picture for each `axis`, and `scatter` attacks against accuracy (`picture` is what
//! both share); `headline` is the table of results, with a `record` of every row as data;
//! `heat_map` shows α × threshold, `bars` a released graph beside the true one. They are drawn with
//! `svg`, `mark` and `number`. `promise` lists promises, `parameter` parameters. `page` is the
//! frame of all, with `style.css`.
//!
//! Everything can be read without scripts. The files in `script`, which the page holds, switch
//! methods on and off, sort and filter tables, show the figures of a mark, and save pictures and
//! tables. They read the page and make elements and texts, never HTML. The page fetches nothing,
//! runs no other script and forbids both. The same outcomes give the same bytes.

use std::path::Path;

use veil_graph::write::{WriteError, owner};
use veil_privacy::guarantee::html::html as statement_html;

use self::digest::{Choice, Digest, Point};
use self::page::{Row, escaped};
use crate::outcome::Outcome;
use crate::worth::References;

mod axis;
mod bars;
mod curve;
mod digest;
mod headline;
mod heat_map;
mod mark;
pub(crate) mod number;
mod page;
mod parameter;
mod picture;
mod promise;
mod record;
mod scatter;
pub(crate) mod svg;
#[cfg(test)]
pub(crate) mod tests;

pub use bars::{BesideTruth, Looks};

/// What a report is made of. Parts without content are left out.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The title.
    pub title: String,
    /// The runs, failed ones included. An outcome's ε is its parameter `epsilon` (a number, or null
    /// or "inf" for ∞), or else that of its promise about edges or nodes; `alpha` and `threshold`
    /// make heat maps; figures that end in `_auc` are attacks.
    pub outcomes: &'a [Outcome],
    /// The cases that are the edge-free floor and the non-private model.
    pub references: References,
    /// Released graphs beside the true one.
    pub graphs: Vec<BesideTruth>,
    /// Privacy statements: name and text (Markdown).
    pub statements: Vec<(String, String)>,
    /// Parameters of all runs: name and value.
    pub parameters: Vec<(String, String)>,
    /// How it was made.
    pub made: Made,
}

/// How a report was made.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The version of the program.
    pub version: String,
    /// The date.
    pub date: String,
    /// The command that makes it again.
    pub command: String,
}

impl<'a> Report<'a> {
    /// A report of these outcomes; everything else can be added.
    pub fn new(title: impl Into<String>, outcomes: &'a [Outcome], made: Made) -> Report<'a> {
        let (references, graphs, statements, parameters) = Default::default();
        Report { title: title.into(), outcomes, references, graphs, statements, parameters, made }
    }

    /// The whole file.
    pub fn render(&self) -> String {
        let digest = Digest::of(self.outcomes, &self.references);
        let per_data = |part: fn(&Digest, usize, &[(&Point, Choice)]) -> String| -> String {
            (0..digest.data.len()).map(|data| part(&digest, data, &digest.chosen(data))).collect()
        };
        let results = match per_data(headline::table) {
            none if none.is_empty() => none,
            tables => tables + &headline::notes(&digest),
        };
        let mut sections = vec![
            ("curves", "Accuracy against ε", curve::figures(&digest)),
            ("attacks", "Attacks against accuracy", scatter::figures(&digest)),
            ("results", "Results", results),
            ("maps", "Weight α × threshold", per_data(|digest, data, _| heat_map::maps(digest, data))),
            ("graphs", "The released graph beside the true one", self.beside_truth()),
            ("privacy", "Privacy statement", self.privacy()),
            ("parameters", "Parameters", parameter::tables(self.outcomes, &self.parameters)),
            ("failed", "Failed runs", self.failures()),
            ("made", "How this was made", self.making()),
        ];
        sections.retain(|(.., body)| !body.is_empty());
        page::document(&self.title, &(self.summary(&digest) + &headline::warning(self.outcomes)), &sections)
    }

    /// Writes the file as a whole or not at all. Nothing is overwritten.
    ///
    /// # Errors
    /// If the file exists, or cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        owner::write_file(path, self.render().as_bytes())
    }

    /// Writes the file as a whole or not at all, in the place of any other.
    ///
    /// # Errors
    /// If the file cannot be written; another is then unchanged.
    pub fn replace(&self, path: &Path) -> Result<(), WriteError> {
        match path.symlink_metadata() {
            Ok(_) => owner::replace_file(path, self.render().as_bytes()),
            Err(_) => self.write(path),
        }
    }

    fn summary(&self, digest: &Digest) -> String {
        let many = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let mut cases: Vec<&str> = self.outcomes.iter().map(|outcome| outcome.case.as_str()).collect();
        cases.sort_unstable();
        cases.dedup();
        let failed = self.outcomes.iter().filter(|outcome| outcome.error.is_some()).count();
        let parts = [
            many(self.outcomes.len(), "run"),
            many(cases.len(), "case"),
            if digest.data.is_empty() { String::new() } else { format!("data: {}", escaped(&digest.data.join(", "))) },
            if failed == 0 { String::new() } else { format!("<a href=\"#failed\">{}</a>", many(failed, "failed run")) },
            escaped(&self.made.date),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("<p class=\"summary\">{}</p>\n", parts.join(" · "))
    }

    fn beside_truth(&self) -> String {
        if self.graphs.is_empty() {
            return String::new();
        }
        let figures: String = self.graphs.iter().enumerate().map(|(place, graph)| graph.figures(place)).collect();
        format!(
            "<p class=\"warning\"><strong>For the owner alone.</strong> The true values are exact statistics of private \
             edges: no ε covers them. Remove this part before you pass the page on.</p>\n{figures}"
        )
    }

    /// The promises of the runs, and the given statements. The statement of a single run says it
    /// all.
    fn privacy(&self) -> String {
        let is_stated = self.outcomes.len() == 1 && self.statements.len() == 1;
        let mut html = if is_stated { String::new() } else { promise::statement(self.outcomes) };
        for (name, text) in &self.statements {
            let (name, text) = (escaped(name), statement_html(text));
            // Open, so that no reader and no printer misses it.
            html +=
                &format!("<details class=\"statement\" open>\n<summary><h3>{name}</h3></summary>\n{text}</details>\n");
        }
        html
    }

    fn failures(&self) -> String {
        let row = |outcome: &Outcome| {
            let point: Vec<String> = outcome.point.iter().map(|(name, value)| parameter::named(name, value)).collect();
            let (case, data, seed) = (outcome.case.clone(), outcome.data.clone(), outcome.seed.to_string());
            outcome.error.clone().map(|error| Row::of(vec![case, data, point.join(", "), seed, error]))
        };
        let rows: Vec<Row> = self.outcomes.iter().filter_map(row).collect();
        if rows.is_empty() {
            return String::new();
        }
        page::table("Runs that failed", &["method", "data", "parameters", "seed", "error"], &rows)
    }

    fn making(&self) -> String {
        let Made { version, date, command } = &self.made;
        let code = if command.is_empty() { String::new() } else { format!("<code>{}</code>", escaped(command)) };
        let rows = [("Version", escaped(version)), ("Date", escaped(date)), ("Command", code)];
        let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
        let rows: String = rows.map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n")).collect();
        format!(
            "<dl class=\"made\">\n{rows}</dl>\n<p class=\"note\">This page fetches nothing and sends nothing: its policy \
             forbids both, and every script but its own.</p>\n"
        )
    }
}
