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
    pub const FORMAT: u32 = 2;

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
        for same in self.guarantees.chunk_by(of_one_report) {
            let [guarantee, ..] = same else { continue };
            writeln!(text, "\n## {}", heading(guarantee.unit))?;
            same.iter().try_for_each(|guarantee| writeln!(text, "\n{}", sentences(guarantee)))?;
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
        self.write_of_one_user(text)?;
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
    ///
    /// A mechanism that promises something about two units (an edge as a bit, and in a set) is counted once in each sum.
    fn write_of_one_user(&self, text: &mut String) -> std::fmt::Result {
        let reports: Vec<&[Guarantee]> = self.guarantees.chunk_by(of_one_report).collect();
        if reports.len() < 2 {
            return Ok(());
        }
        // Which of its promises each report is counted with: the first one, and for a report that makes two also the second.
        let most = reports.iter().map(|promises| promises.len()).max().unwrap_or(0);
        let counted = |place: usize| -> Vec<&Guarantee> {
            reports.iter().filter_map(|promises| promises.get(place).or(promises.last())).collect()
        };
        let sum = |parts: &[&Guarantee]| parts.iter().map(|part| Spent::of(part)).fold(Spent::Nothing, Spent::plus);
        let proven = |parts: &[&Guarantee]| matches!(sum(parts), Spent::Finite(_));
        let sums: Vec<Vec<&Guarantee>> = (0..most).map(counted).filter(|parts| proven(parts)).collect();
        if sums.is_empty() {
            return Ok(());
        }
        writeln!(text, "What one user reports may tell about each other, so these are also protected together:\n")?;
        for parts in &sums {
            let what: Vec<&str> = parts.iter().map(|part| part_of_a_user(part.unit)).collect();
            writeln!(text, "- {}: ε = {}", what.join(" and "), sum(parts))?;
        }
        writeln!(text)?;
        if sums.iter().flatten().any(|part| matches!(part.unit, Unit::EdgeBit | Unit::EdgeSet)) {
            writeln!(text, "Several entries of one neighbour list are not protected as one: each of them adds its ε.")?;
        }
        Ok(())
    }
}

/// Whether two promises are about one report.
fn of_one_report(one: &Guarantee, other: &Guarantee) -> bool {
    let of = |guarantee: &Guarantee| {
        let Guarantee { mechanism, parameters, assumptions, not_protected, source, .. } = guarantee.clone();
        (mechanism, parameters, assumptions, not_protected, source, heading(guarantee.unit))
    };
    of(one) == of(other)
}

/// What of a user one unit covers.
fn part_of_a_user(unit: Unit) -> &'static str {
    match unit {
        Unit::Feature => "a user's feature vector",
        Unit::Label => "their label",
        Unit::EdgeBit => "one entry of their neighbour list",
        Unit::EdgeSet => "one neighbour of theirs, exchanged for another",
        Unit::Edge => "one of their edges",
        Unit::Node => "all that belongs to them",
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
    if guarantee.unit == Unit::Node {
        let more = if delta.is_zero() { String::new() } else { format!(", plus {delta}") };
        let and = if delta.is_zero() { String::new() } else { format!(" and δ = {delta}") };
        text += &format!(
            "{and}: whatever is looked for in the release, its probability is at most e^ε ≈ {odds} times what it would be if that node were \
             not in the data{more}; and the other way round."
        );
    } else if delta.is_zero() {
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

fn write_list(text: &mut String, title: &str, items: &[impl std::fmt::Display]) -> std::fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n{title}:\n")?;
    items.iter().try_for_each(|item| writeln!(text, "- {item}"))
}
