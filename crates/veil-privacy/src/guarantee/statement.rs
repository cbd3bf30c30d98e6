//! The privacy statement: `privacy.json` for machines, `privacy.md` for people.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{Guarantee, Spent, Status, Trust, Unit};

/// Whether a release was paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Booking {
    /// A ledger was charged before the release.
    Ledger,
    /// No ledger was used.
    None,
}

/// All that a release says about privacy.
///
/// It holds no count and no hash of the private data; numbers that were taken from them stand among the assumptions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// The version of this format.
    pub format: u32,
    /// The release's id.
    pub release: String,
    /// The name of the data set.
    pub data: String,
    /// Whether the noise came from a known seed: then nothing here is private.
    pub reproducible: bool,
    /// That seed.
    pub seed: Option<u64>,
    /// Whether a ledger was charged.
    pub booked: Booking,
    /// What is promised.
    pub guarantees: Vec<Guarantee>,
    /// What was not released.
    pub withheld: Vec<String>,
}

impl Statement {
    /// The version of `privacy.json` that is written.
    pub const FORMAT: u32 = 1;

    /// The statement in sentences (Markdown).
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# Privacy statement: {}\n\nRelease `{}`.\n", self.data, self.release);
        // Writing into a String cannot fail.
        let _ = self.write_body(&mut text);
        text
    }

    fn write_body(&self, text: &mut String) -> std::fmt::Result {
        if let Some(seed) = self.seed {
            writeln!(
                text,
                "\n> **Reproducible, therefore not private.** The noise came from the seed {seed}: whoever knows or guesses it can \
                 take the noise out again. What follows holds only for a release made without a seed."
            )?;
        }
        writeln!(text, "\n| protects | ε | δ | trust | status | mechanism |\n|---|---|---|---|---|---|")?;
        for guarantee in &self.guarantees {
            let Guarantee { unit, epsilon, delta, mechanism, .. } = guarantee;
            let (trust, status) = (guarantee.trust.name(), guarantee.shown_status());
            writeln!(text, "| {unit} | {epsilon} | {delta} | {trust} | {status} | {mechanism} |")?;
        }
        for guarantee in &self.guarantees {
            write!(text, "\n## {}\n\n{}\n", heading(guarantee.unit), sentences(guarantee))?;
            write_list(text, "Not protected", &guarantee.not_protected)?;
            write_list(text, "This assumes", &guarantee.assumptions)?;
            writeln!(text, "\nParameters: `{}`. Source: {}.", guarantee.parameters, guarantee.source)?;
        }
        if !self.withheld.is_empty() {
            writeln!(text, "\n## Not released\n")?;
            self.withheld.iter().try_for_each(|item| writeln!(text, "- {item}"))?;
        }
        writeln!(text, "\n## How these add up\n")?;
        writeln!(
            text,
            "Each ε speaks of its own unit. Another release from the same data adds to each unit that it touches."
        )?;
        if let Some(both) = self.of_one_user() {
            writeln!(
                text,
                "What one user reports may tell about each other: all of a user's reports in this release together \
                 are protected with ε = {both}."
            )?;
        }
        match self.booked {
            Booking::Ledger => writeln!(text, "This release was charged to a ledger before it was made."),
            Booking::None => writeln!(
                text,
                "This release is **not booked in a ledger**: nothing here knows what else was released from the same data."
            ),
        }
    }
}

impl Statement {
    /// What the reports of one user cost together, where there are several and all are proven.
    fn of_one_user(&self) -> Option<Spent> {
        // A mechanism that promises something about two units (an edge as a bit, and in a set) is counted once, with its first.
        let mut counted: Vec<&Guarantee> = Vec::new();
        for guarantee in &self.guarantees {
            let same = |other: &&Guarantee| {
                (&other.mechanism, &other.parameters) == (&guarantee.mechanism, &guarantee.parameters)
            };
            if !counted.iter().any(same) {
                counted.push(guarantee);
            }
        }
        let all = counted.iter().map(|guarantee| Spent::of(guarantee)).fold(Spent::Nothing, Spent::plus);
        (counted.len() > 1 && matches!(all, Spent::Finite(_))).then_some(all)
    }
}

fn heading(unit: Unit) -> &'static str {
    match unit {
        Unit::Feature => "Features",
        Unit::Label => "Labels",
        Unit::EdgeBit | Unit::EdgeSet | Unit::Edge => "Edges",
        Unit::Node => "Nodes",
    }
}

/// What is protected, from whom, and how well. Only what is proven is said to hold.
fn sentences(guarantee: &Guarantee) -> String {
    let subject = guarantee.unit.in_words();
    let (epsilon, delta) = (guarantee.epsilon, guarantee.delta);
    match guarantee.status {
        Status::Proven if epsilon.is_finite() => {}
        Status::Proven | Status::None => {
            return format!("**Not privatised.** {subject} is released as it is. There is no guarantee.");
        }
        Status::Claimed => {
            return format!("**Claimed, not proven:** ε = {epsilon}, δ = {delta}. {subject} may be unprotected.");
        }
        Status::Refuted => {
            return format!(
                "**Refuted:** ε = {epsilon}, δ = {delta} was published, and a counterexample exists. There is no guarantee."
            );
        }
    }
    let odds = epsilon.as_f64().exp();
    let odds = if odds < 1e6 { format!("{odds:.3}") } else { format!("{odds:.1e}") };
    let mut text = format!("{subject} is protected with ε = {epsilon}");
    if delta.is_zero() {
        text += &format!(
            ": whoever sees this report can improve their odds between any two possible values by a factor of e^ε ≈ {odds} at most."
        );
    } else {
        text += &format!(
            " and δ = {delta}: whatever is looked for in the release, its probability is at most e^ε ≈ {odds} times what it \
             would be with another value, plus {delta}."
        );
    }
    if let Some(both) = guarantee.per_relationship {
        text += &format!(" A relationship that both of its ends report is protected with ε = {both}.");
    }
    text += match guarantee.trust {
        Trust::Local => {
            " This holds against everyone, also against whoever collects the reports, if each user made their own report."
        }
        Trust::Central => " This holds against everyone but the owner, who holds the raw data and adds the noise.",
    };
    text
}

fn write_list(text: &mut String, title: &str, items: &[String]) -> std::fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n{title}:\n")?;
    items.iter().try_for_each(|item| writeln!(text, "- {item}"))
}
