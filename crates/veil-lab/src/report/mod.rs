//! The report: one HTML file that needs nothing else, for people who want to see what many runs say together.
//!
//! `digest` sorts what [`worth`](crate::worth) found of outcomes into lines and points. `headline` is the table that comes first; `curve` draws accuracy
//! against ε, `scatter` what attacks find against what a model is good for, `heat_map` shows α × δ, and `bars` a released graph
//! beside the true one. They stand on `axis` (where a value lies), `mark` (how lines are told apart) and `number` (how numbers
//! are written). `promise` says what runs promise and `parameter` what they were made with; `markdown` reads privacy statements. `page` is the frame around all, `style.css` its looks.
//!
//! There is no script in it, and nothing is fetched: the page forbids both. The same outcomes give the same bytes.

use std::path::Path;

use veil_graph::write::{WriteError, write_file};

use self::digest::{Choice, Digest, Point};
use self::page::{Section, escaped};
use crate::outcome::Outcome;
use crate::worth::References;

mod axis;
mod bars;
mod curve;
mod digest;
mod headline;
mod heat_map;
mod mark;
mod markdown;
mod number;
mod page;
mod parameter;
mod promise;
mod scatter;
#[cfg(test)]
pub(crate) mod tests;

pub use bars::{BesideTruth, Looks};

/// What a report is made of. Parts without content are left out.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// What stands above all.
    pub title: String,
    /// The runs, failed ones too. An outcome's ε is its parameter `epsilon` (a number, or null or "inf" for ∞), or else the one
    /// it promises, about edges or nodes first; `alpha` and `delta` make heat maps; figures that end in `_auc` are attacks.
    pub outcomes: &'a [Outcome],
    /// The case that is the edge-free floor.
    pub floor: Option<String>,
    /// The case that is the non-private model.
    pub non_private: Option<String>,
    /// Released graphs beside the true one.
    pub graphs: Vec<BesideTruth>,
    /// Privacy statements: whose, and the text (Markdown).
    pub statements: Vec<(String, String)>,
    /// Parameters of the whole: name and value.
    pub parameters: Vec<(String, String)>,
    /// How it was made.
    pub made: Made,
}

/// How a report was made.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The version of what made it.
    pub version: String,
    /// When, as its reader should see it.
    pub date: String,
    /// The command that makes it again.
    pub command: String,
}

impl<'a> Report<'a> {
    /// A report of these outcomes alone: all else can be put in afterwards.
    pub fn new(title: impl Into<String>, outcomes: &'a [Outcome], made: Made) -> Report<'a> {
        let (graphs, statements, parameters) = Default::default();
        Report { title: title.into(), outcomes, floor: None, non_private: None, graphs, statements, parameters, made }
    }

    /// The whole file.
    pub fn render(&self) -> String {
        let references = References { floor: self.floor.clone(), non_private: self.non_private.clone() };
        let digest = Digest::of(self.outcomes, &references);
        let chosen: Vec<Vec<(&Point, Choice)>> = (0..digest.data.len()).map(|data| digest.chosen(data)).collect();
        let of_data = |part: fn(&Digest, usize, &[(&Point, Choice)]) -> String| -> String {
            chosen.iter().enumerate().map(|(data, chosen)| part(&digest, data, chosen)).collect()
        };
        let mut results = of_data(headline::table);
        if !results.is_empty() {
            results += headline::STATUSES;
            results += &headline::seeded(self.outcomes);
            results += &headline::unclear(&digest);
            if digest.attacks.is_empty() {
                results += "<p class=\"note\">No attack was measured on these runs: <code>veil sweep</code> does that, and \
                            <code>veil attack</code> on one run.</p>\n";
            }
        }
        let sections = [
            ("results", "Results", results),
            ("curves", "Accuracy against ε", of_data(curve::figures)),
            ("attacks", "Attacks against accuracy", of_data(scatter::figures)),
            (
                "maps",
                "Weight α × threshold δ",
                (0..digest.data.len()).map(|data| heat_map::maps(&digest, data)).collect(),
            ),
            ("graphs", "The released graph beside the true one", self.beside_truth()),
            ("privacy", "Privacy statement", self.privacy()),
            ("parameters", "Parameters", parameter::tables(self.outcomes, &self.parameters)),
            ("failed", "Failed runs", self.failures()),
            ("made", "How this was made", self.making()),
        ];
        let sections: Vec<Section> = sections
            .into_iter()
            .filter(|(.., body)| !body.is_empty())
            .map(|(id, heading, body)| Section { id, heading, body })
            .collect();
        page::document(&self.title, &self.summary(&digest), &sections)
    }

    /// Writes the file as a whole or not at all. Nothing is overwritten.
    ///
    /// # Errors
    /// If something is there already, or the system cannot write.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        write_file(path, self.render().as_bytes())
    }

    fn summary(&self, digest: &Digest) -> String {
        let many = |number: usize, one: &str, more: &str| {
            format!("{} {}", number::count(number), if number == 1 { one } else { more })
        };
        let mut cases: Vec<&str> = self.outcomes.iter().map(|outcome| outcome.case.as_str()).collect();
        cases.sort_unstable();
        cases.dedup();
        let mut parts = vec![many(self.outcomes.len(), "run", "runs"), many(cases.len(), "case", "cases")];
        if !digest.data.is_empty() {
            parts.push(format!("data: {}", escaped(&digest.data.join(", "))));
        }
        let failed = self.outcomes.iter().filter(|outcome| outcome.error.is_some()).count();
        if failed > 0 {
            parts.push(format!("<a href=\"#failed\">{}</a>", many(failed, "failed run", "failed runs")));
        }
        parts.push(format!(
            "{} of computing",
            number::duration(self.outcomes.iter().map(|outcome| outcome.seconds).sum())
        ));
        if !self.made.date.is_empty() {
            parts.push(escaped(&self.made.date));
        }
        parts.join(" · ")
    }

    fn beside_truth(&self) -> String {
        if self.graphs.is_empty() {
            return String::new();
        }
        let warning = "<p class=\"warning\"><strong>For the owner alone.</strong> The true values are exact statistics of private \
                       edges: no ε covers them. Leave this part out of what you pass on.</p>\n";
        let graphs = self.graphs.iter().enumerate().map(|(place, graph)| graph.figures(place));
        graphs.fold(warning.to_owned(), |html, figures| html + &figures)
    }

    /// What the runs promise, and the statements that were given. One run's statement says all of that by itself.
    fn privacy(&self) -> String {
        let told = self.outcomes.len() == 1 && self.statements.len() == 1;
        let mut html = if told { String::new() } else { promise::statement(self.outcomes) };
        for (name, text) in &self.statements {
            let (name, text) = (escaped(name), markdown::html(text));
            // Open, so that no reader and no printer misses it.
            html +=
                &format!("<details class=\"statement\" open>\n<summary><h3>{name}</h3></summary>\n{text}</details>\n");
        }
        html
    }

    fn failures(&self) -> String {
        let row = |outcome: &Outcome| {
            let point: Vec<String> =
                outcome.point.iter().map(|(name, value)| parameter::said(name, value, &outcome.parameters)).collect();
            let (case, data, seed) = (outcome.case.clone(), outcome.data.clone(), outcome.seed.to_string());
            outcome.error.clone().map(|error| vec![case, data, point.join(", "), seed, error])
        };
        let rows: Vec<Vec<String>> = self.outcomes.iter().filter_map(row).collect();
        if rows.is_empty() {
            return String::new();
        }
        page::table("Runs that failed", &["case", "data", "parameters", "seed", "error"], &rows)
    }

    fn making(&self) -> String {
        let Made { version, date, command } = &self.made;
        let mut html = String::from("<dl class=\"made\">\n");
        for (name, value) in [("Version", version), ("Date", date)] {
            if !value.is_empty() {
                html += &format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", escaped(value));
            }
        }
        if !command.is_empty() {
            html += &format!("<div><dt>Command</dt><dd><code>{}</code></dd></div>\n", escaped(command));
        }
        html += "</dl>\n<p class=\"note\">This page holds no script and fetches nothing.</p>\n";
        html
    }
}
