//! The privacy statement: `privacy.json` for machines, `privacy.md` for people.

use std::fmt::Write as _;

use serde::Serialize;

use super::{Guarantee, Status, Trust, Unit};

/// Whether a release was paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Booking {
    /// A ledger was charged before the release.
    Ledger,
    /// No ledger was used.
    None,
}

/// All that a release says about privacy.
///
/// It holds nothing that depends on the private data: no count of them and no hash.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
            let Guarantee { unit, epsilon, delta, status, mechanism, .. } = guarantee;
            let trust = match guarantee.trust {
                Trust::Local => "local",
                Trust::Central => "central",
            };
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
            "Each ε speaks of its own unit; they are not added across units. Another release from the same data adds to \
             each unit that it touches."
        )?;
        match self.booked {
            Booking::Ledger => writeln!(text, "This release was charged to a ledger before it was made."),
            Booking::None => writeln!(
                text,
                "This release is **not booked in a ledger**: nothing here knows what else was released from the same data."
            ),
        }
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

/// What is protected, from whom, and how well.
fn sentences(guarantee: &Guarantee) -> String {
    let subject = guarantee.unit.in_words();
    let Some(rational) = guarantee.epsilon.as_rational().filter(|_| guarantee.status != Status::None) else {
        return format!("**Not privatised.** {subject} is released as it is. There is no guarantee.");
    };
    let odds = (rational.0 as f64 / rational.1 as f64).exp();
    let odds = if odds < 1e6 { format!("{odds:.3}") } else { format!("{odds:.1e}") };
    let (epsilon, delta) = (guarantee.epsilon, guarantee.delta);
    let mut text = match guarantee.status {
        Status::Proven => format!("{subject} is protected with ε = {epsilon}"),
        Status::Claimed => format!("**Claimed, not proven:** {subject} would be protected with ε = {epsilon}"),
        _ => format!(
            "**Refuted:** it was published that {subject} is protected with ε = {epsilon}, and a counterexample exists; the claim was ε = {epsilon}"
        ),
    };
    if delta.is_zero() {
        text += ": whoever sees the release can improve their odds between any two possible values ";
        text += &format!("by a factor of e^ε ≈ {odds} at most.");
    } else {
        text += &format!(
            " and δ = {delta}: the odds between two possible values improve by a factor of e^ε ≈ {odds} at most, "
        );
        text += &format!("except with probability {delta}.");
    }
    if let Some(both) = guarantee.per_relationship {
        text += &format!(" A relationship that both of its ends report is protected with ε = {both}.");
    }
    text += match guarantee.trust {
        Trust::Local => {
            " This holds against everyone, also against whoever collects the reports: the noise is added by each user."
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
