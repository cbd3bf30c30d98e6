//! The privacy statement: `privacy.json` for machines, `privacy.md` for people.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{Guarantee, Meaning, Spent, Status, Trust, Unit, html, meaning};
use crate::budget::Delta;
use crate::fact::{Declarations, Fact};
use crate::ledger::Head;

/// Whether a release was charged to a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Booking {
    /// Charged before the release.
    Ledger,
    /// Not charged.
    None,
}

/// The privacy statement of a release.
///
/// It has no count and no hash of the private data, except for facts that are given, the same in
/// all adjacent inputs, or declared public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// The version of this format.
    pub format: u32,
    /// The id of the release.
    pub release: String,
    /// The name of the data set.
    pub data: String,
    /// Whether the noise is derived from a known seed: then nothing here is private.
    pub reproducible: bool,
    /// The seed.
    pub seed: Option<u64>,
    /// Whether a ledger was charged.
    pub booked: Booking,
    /// The head of that ledger after the charge, keyed so that it says nothing about the data;
    /// absent in statements of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Head>,
    /// The facts that the owner of the data declared public, and on which the guarantees rely.
    pub declared: Declarations,
    /// The guarantees.
    #[serde(serialize_with = "meaning::with_meaning")]
    pub guarantees: Vec<Guarantee>,
    /// Data that are not released.
    pub withheld: Vec<String>,
}

impl Statement {
    /// The version of `privacy.json`.
    pub const FORMAT: u32 = 3;

    /// The statement as Markdown.
    pub fn to_markdown(&self) -> String {
        let (data, release, declared) = (&self.data, &self.release, self.declared_in_words());
        let mut text = format!("# Privacy statement: {data}\n\nRelease `{release}`. {declared}\n");
        // Writing into a String cannot fail.
        let _ = self.write_body(&mut text);
        text
    }

    /// The statement as a page of its own.
    pub fn to_html(&self) -> String {
        html::page(&format!("Privacy statement: {}", self.data), &self.to_markdown())
    }

    /// The units whose data are released unperturbed without being declared public: what was
    /// released is then for the owner alone.
    pub fn undeclared(&self) -> Vec<Unit> {
        let is_declared = |unit: Unit| match unit {
            Unit::Feature => self.declared.contains(Fact::Features),
            Unit::Label => self.declared.contains(Fact::Labels),
            _ => false,
        };
        let raw = self.guarantees.iter().filter(|it| it.status == Status::None).map(|it| it.unit);
        raw.filter(|&unit| !is_declared(unit)).collect()
    }

    /// What was declared public, and by whom.
    pub fn declared_in_words(&self) -> String {
        let facts: Vec<String> = self.declared.iter().map(|fact| format!("{} (`{fact}`)", fact.in_words())).collect();
        if facts.is_empty() {
            return "No fact about the data was declared public.".to_owned();
        }
        format!(
            "Declared public by the owner of the data: {}. The guarantees below compare inputs that agree on this, and do not \
             protect it.",
            facts.join("; ")
        )
    }

    fn write_body(&self, text: &mut String) -> std::fmt::Result {
        if let Some(seed) = self.seed {
            writeln!(
                text,
                "\n> **Reproducible, therefore not private.** The noise was derived from the seed {seed}: anyone who knows or guesses \
                 the seed can remove the noise. The guarantees below hold only for a release without a seed."
            )?;
        }
        writeln!(text, "\n| protects | ε | δ | trust | status | mechanism |\n|---|---|---|---|---|---|")?;
        for guarantee in &self.guarantees {
            let Guarantee { unit, epsilon, delta, mechanism, .. } = guarantee;
            let (trust, status) = (guarantee.trust.name(), guarantee.shown_status());
            writeln!(text, "| {unit} | {epsilon} | {delta} | {trust} | {status} | {mechanism} |")?;
        }
        let meanings: Vec<Meaning> =
            self.guarantees.iter().flat_map(|guarantee| Meaning::of_guarantee(guarantee, None)).collect();
        if !meanings.is_empty() {
            writeln!(text, "\n## What ε means\n\n{}", meaning::markdown(&meanings))?;
        }
        for same in self.guarantees.chunk_by(of_one_report) {
            let [guarantee, ..] = same else { continue };
            writeln!(text, "\n## {}", heading(guarantee.unit))?;
            same.iter().try_for_each(|guarantee| writeln!(text, "\n{}", sentences(guarantee)))?;
            write_list(text, "Not protected", &guarantee.not_protected)?;
            write_list(text, "Assumptions", &guarantee.assumptions)?;
            writeln!(text, "\nParameters: `{}`. Source: {}.", guarantee.parameters, guarantee.source)?;
        }
        if !self.withheld.is_empty() {
            writeln!(text, "\n## Not released\n")?;
            self.withheld.iter().try_for_each(|item| writeln!(text, "- {item}"))?;
        }
        writeln!(text, "\n## Composition\n")?;
        writeln!(
            text,
            "Each ε applies to its own unit. Further releases from the same data add to the ε and the δ of each unit that they \
             concern."
        )?;
        self.write_of_one_user(text)?;
        match (self.booked, self.ledger) {
            (Booking::Ledger, Some(Head { entries, head })) => writeln!(
                text,
                "This release was charged to a ledger before it was made: with this charge it has {entries} entries and the head \
                 `{head}`."
            ),
            (Booking::Ledger, None) => writeln!(text, "This release was charged to a ledger before it was made."),
            (Booking::None, _) => writeln!(
                text,
                "This release is **not booked in a ledger**: other releases from the same data are not taken into account."
            ),
        }
    }
}

impl Statement {
    /// The joint loss of all reports of one user, if there are several and all are proven.
    ///
    /// A report with guarantees for two units (edge-bit and edge-set) is counted once in each sum.
    fn write_of_one_user(&self, text: &mut String) -> std::fmt::Result {
        let reports: Vec<&[Guarantee]> = self.guarantees.chunk_by(of_one_report).collect();
        if reports.len() < 2 {
            return Ok(());
        }
        // Each report counts with its first guarantee; if it has two, there is a second sum.
        let most = reports.iter().map(|promises| promises.len()).max().unwrap_or(0);
        let counted = |place: usize| -> Vec<&Guarantee> {
            reports.iter().filter_map(|promises| promises.get(place).or(promises.last())).collect()
        };
        let sum = |parts: &[&Guarantee]| {
            let spent = parts.iter().map(|part| Spent::of(part)).fold(Spent::Nothing, Spent::plus);
            let delta = parts.iter().try_fold(Delta::ZERO, |sum, part| sum.checked_add(part.delta));
            // δ above 1 is no guarantee.
            delta.filter(|_| matches!(spent, Spent::Finite(_))).map(|delta| (spent, delta))
        };
        let sums: Vec<(Vec<&Guarantee>, Spent, Delta)> = (0..most)
            .map(counted)
            .filter_map(|parts| sum(&parts).map(|(spent, delta)| (parts, spent, delta)))
            .collect();
        if sums.is_empty() {
            return Ok(());
        }
        writeln!(text, "The reports of one user may be correlated. Together they are protected as follows:\n")?;
        for (parts, spent, delta) in &sums {
            let what: Vec<&str> = parts.iter().map(|part| part_of_a_user(part.unit)).collect();
            let delta = if delta.is_zero() { String::new() } else { format!(", δ = {delta}") };
            writeln!(text, "- {}: ε = {spent}{delta}", what.join(" and "))?;
        }
        writeln!(text)?;
        if sums.iter().flat_map(|(parts, ..)| parts).any(|part| matches!(part.unit, Unit::EdgeBit | Unit::EdgeSet)) {
            writeln!(
                text,
                "Several entries of one neighbour list are not protected jointly: each of them adds its ε."
            )?;
        }
        Ok(())
    }
}

/// Whether two guarantees are for the same report.
fn of_one_report(one: &Guarantee, other: &Guarantee) -> bool {
    let of = |guarantee: &Guarantee| {
        let Guarantee { mechanism, parameters, assumptions, not_protected, source, .. } = guarantee.clone();
        (mechanism, parameters, assumptions, not_protected, source, heading(guarantee.unit))
    };
    of(one) == of(other)
}

/// The part of a user's data that a unit covers.
fn part_of_a_user(unit: Unit) -> &'static str {
    match unit {
        Unit::Feature => "a user's feature vector",
        Unit::Label => "their label",
        Unit::EdgeBit => "one entry of their neighbour list",
        Unit::EdgeSet => "the identity of one neighbour",
        Unit::Edge => "one of their edges",
        Unit::Node => "all of their data",
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

/// The guarantee in sentences. Only proven guarantees are stated to hold.
fn sentences(guarantee: &Guarantee) -> String {
    let subject = guarantee.unit.in_words();
    let (epsilon, delta) = (guarantee.epsilon, guarantee.delta);
    match guarantee.status {
        Status::Proven if epsilon.is_finite() => {}
        Status::Proven | Status::None => {
            return format!("**Not privatised.** {subject} is released unperturbed. There is no guarantee.");
        }
        Status::Claimed => {
            return format!("**Claimed, not proven:** ε = {epsilon}, δ = {delta}. {subject} may be unprotected.");
        }
        Status::Refuted => {
            return format!(
                "**Refuted:** the published guarantee (ε = {epsilon}, δ = {delta}) has a counterexample. There is no guarantee."
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
            "{and}: the probability of any outcome is at most e^ε ≈ {odds} times its probability without that node{more}, and \
             vice versa."
        );
    } else if delta.is_zero() {
        text += &format!(
            ": a report changes the odds between any two possible values by a factor of at most e^ε ≈ {odds}."
        );
    } else {
        text += &format!(
            " and δ = {delta}: the probability of any outcome is at most e^ε ≈ {odds} times its probability with another value, \
             plus {delta}."
        );
    }
    if let Some(both) = guarantee.per_relationship {
        text += &format!(" A relationship that both ends report is protected with ε = {both}.");
    }
    text += match guarantee.trust {
        Trust::Local => {
            " This holds against everyone, including the server that collects the reports, if each user computes their own report."
        }
        Trust::Central => " This holds against everyone except the owner, who holds the raw data and adds the noise.",
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
