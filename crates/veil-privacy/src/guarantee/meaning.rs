//! What ε and δ mean: how much the best attacker can learn about one unit.
//!
//! **The bounds.** Let an attack decide between two adjacent inputs, with a rate of true positives
//! `t` and of false positives `f`. Under (ε, δ), t ≤ e^ε·f + δ and 1−f ≤ e^ε·(1−t) + δ (Kairouz, Oh
//! and Viswanath 2015), so
//!
//! - the advantage t − f is at most (e^ε − 1 + 2δ)/(e^ε + 1), at f = 1 − t = (1−δ)/(1+e^ε);
//! - at f = 1 %, t is at most the smaller of e^ε/100 + δ and 1 − (99 % − δ)·e^−ε.
//!
//! **A guess.** Whoever believes a pair to be an edge with probability p before they see the
//! release believes it with at most p·e^ε/(1 − p + p·e^ε) afterwards: odds grow by e^ε. With δ > 0
//! this holds except with probability δ: the mechanism tells no more than one that reveals the
//! truth with probability δ and is ε-private otherwise (the same paper, Theorem 3.3).
//!
//! All of these are attained by randomised response, so none can be improved without knowing the
//! mechanism. They are about one unit: see [`Unit`].

use serde::{Deserialize, Serialize, Serializer};

use super::{Guarantee, Spent, Unit};
use crate::budget::Delta;

/// The rate of false positives at which true positives are bounded.
pub const FALSE_POSITIVES: f64 = 0.01;

/// The assumed share of pairs of nodes that are edges.
const ASSUMED_DENSITY: f64 = 0.001;

crate::words! {
    /// Where a probability before the release is from.
    pub enum Source: "source" {
        /// The owner declared the density, or whatever implies it.
        Declared = "declared",
        /// It follows from a noisy count that was paid for.
        Noisy = "noisy",
        /// Nobody said it.
        Assumed = "assumed",
    }
}

/// What an attacker believes before they see the release.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prior {
    /// The probability.
    pub chance: f64,
    /// Where it is from.
    pub source: Source,
}

impl Prior {
    /// What is assumed about a unit where nothing is known: one pair in 1,000 is an edge; of two
    /// values (a node is in the data or not) both are equally likely.
    pub fn assumed(unit: Unit) -> Prior {
        let chance = if unit.is_about_edges() { ASSUMED_DENSITY } else { 0.5 };
        Prior { chance, source: Source::Assumed }
    }

    /// The density of a graph with this mean degree; none if that is no density.
    pub fn of_degree(mean_degree: f64, nodes: u32, source: Source) -> Option<Prior> {
        let chance = mean_degree / f64::from(nodes.checked_sub(1)?);
        (chance > 0.0 && chance < 1.0).then_some(Prior { chance, source })
    }

    /// The prior of a unit: only edges have a density.
    pub fn of_unit(unit: Unit, density: Option<Prior>) -> Prior {
        density.filter(|_| unit.is_about_edges()).unwrap_or_else(|| Prior::assumed(unit))
    }
}

/// What ε and δ mean for one unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Meaning {
    /// The unit.
    pub unit: Unit,
    /// What it is called in a table.
    pub about: String,
    /// ε.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
    /// The factor by which odds change at most: e^ε.
    pub odds: f64,
    /// The largest difference between the rates of true and of false positives.
    pub advantage: f64,
    /// The largest rate of true positives at 1 % false positives.
    pub true_positives: f64,
    /// What an attacker believes beforehand.
    pub prior: Prior,
    /// The largest probability that their guess "it is so" is right, except with probability δ.
    pub guess: f64,
}

impl Meaning {
    /// The one translation of ε and δ.
    pub fn of(unit: Unit, about: impl Into<String>, (epsilon, delta): (f64, f64), prior: Prior) -> Meaning {
        let inverse = libm::exp(-epsilon);
        // Written with e^−ε, so that a large ε does not overflow.
        let advantage = 1.0 - 2.0 * (1.0 - delta) * inverse / (1.0 + inverse);
        let few = FALSE_POSITIVES / inverse + delta;
        let many = 1.0 - inverse * (1.0 - delta - FALSE_POSITIVES);
        let guess = prior.chance / (prior.chance + (1.0 - prior.chance) * inverse);
        let share = |value: f64| value.clamp(0.0, 1.0);
        Meaning {
            unit,
            about: about.into(),
            epsilon,
            delta,
            odds: libm::exp(epsilon),
            advantage: share(advantage),
            true_positives: share(few.min(many)),
            prior,
            guess: share(guess),
        }
    }

    /// What a guarantee means: for a report and, where both ends report, for a relationship. None
    /// for what is not proven or not finite, about which nothing can be said.
    pub fn of_guarantee(guarantee: &Guarantee, density: Option<Prior>) -> Vec<Meaning> {
        let Guarantee { unit, epsilon, delta, per_relationship, .. } = guarantee;
        // A seed is said elsewhere: what the table says then holds for a release without one.
        let proven = Guarantee { reproducible: false, ..guarantee.clone() };
        if !matches!(Spent::of(&proven), Spent::Finite(_)) {
            return Vec::new();
        }
        let (prior, delta) = (Prior::of_unit(*unit, density), delta.as_f64());
        let one = Meaning::of(*unit, unit.name(), (epsilon.as_f64(), delta), prior);
        let both = per_relationship.filter(|it| it.is_finite() && it != epsilon);
        let both =
            both.map(|both| Meaning::of(*unit, "relationship (both ends report)", (both.as_f64(), 2.0 * delta), prior));
        std::iter::once(one).chain(both).collect()
    }

    /// What a sum of losses means; none if it is 0 or has no bound.
    pub fn of_spent(
        unit: Unit,
        about: &str,
        (spent, delta): (Spent, Delta),
        density: Option<Prior>,
    ) -> Option<Meaning> {
        let Spent::Finite(epsilon) = spent else { return None };
        let loss = (epsilon.as_f64(), delta.as_f64());
        epsilon.is_finite().then(|| Meaning::of(unit, about, loss, Prior::of_unit(unit, density)))
    }

    /// The columns of a table; `>` aligns to the right.
    pub const COLUMNS: [&'static str; 6] =
        ["one", ">ε", ">odds ×", ">advantage", ">TPR at 1 % FPR", ">a guess is right"];

    /// Its row in a table. Bounds are rounded up.
    pub fn row(&self) -> [String; 6] {
        let odds = if self.odds < 1e6 { format!("{:.2}", up(self.odds, 100.0)) } else { format!("{:.1e}", self.odds) };
        let share = |share: f64| format!("{:.1} %", (up(100.0 * share, 10.0)).min(100.0));
        let guess = format!("{} → {}", prior_in_words(self.prior.chance), share(self.guess));
        let epsilon = format!("{}", up(self.epsilon, 1e6));
        [self.about.clone(), epsilon, odds, share(self.advantage), share(self.true_positives), guess]
    }

    /// What a table of these means, in sentences.
    pub fn notes(all: &[Meaning]) -> String {
        let mut text = "Upper bounds for the best attacker, who knows everything else. Odds: the release multiplies the odds \
                        of any guess by at most this factor. Advantage: true minus false positives. The last column is the \
                        chance that a guess about one given unit is right, before and after the release"
            .to_owned();
        if all.iter().any(|it| it.delta > 0.0) {
            text += ", except with probability δ";
        }
        text += ".";
        let mut sources: Vec<String> = Vec::new();
        for Meaning { unit, prior, .. } in all {
            let said = said(*unit, *prior);
            if !sources.contains(&said) {
                sources.push(said);
            }
        }
        sources.iter().for_each(|said| text += &format!(" {said}"));
        text
    }
}

/// Where the first figure of the last column is from.
fn said(unit: Unit, Prior { chance, source }: Prior) -> String {
    let share = prior_in_words(chance);
    let density = format!("that {share} of all pairs of nodes are edges");
    match (unit.is_about_edges(), source) {
        (true, Source::Declared) => format!("The owner declared {density}."),
        (true, Source::Noisy) => format!("A noisy count of the edges says {density}."),
        (true, Source::Assumed) => format!("It is assumed {density}: nobody declared the density."),
        (false, _) => format!("It is assumed that each of two values of one {unit} is equally likely beforehand."),
    }
}

/// A probability in per cent, with two digits that count.
fn prior_in_words(chance: f64) -> String {
    let percent = 100.0 * chance;
    let places = if percent >= 10.0 { 0 } else { (1.0 - libm::floor(libm::log10(percent.max(1e-9)))) as usize };
    let text = format!("{percent:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}

/// Rounded up to so many parts of one.
fn up(value: f64, parts: f64) -> f64 {
    // A decimal number that is not a binary one may lie just above itself.
    (value * parts * (1.0 - 1e-12)).ceil() / parts
}

/// A table and its notes, for a statement.
pub(super) fn markdown(all: &[Meaning]) -> String {
    let columns = Meaning::COLUMNS.map(|name| name.trim_start_matches('>')).join(" | ");
    let rows: String = all.iter().map(|it| format!("| {} |\n", it.row().join(" | "))).collect();
    let notes = Meaning::notes(all);
    format!("| {columns} |\n|{}\n{rows}\n{notes}", "---|".repeat(Meaning::COLUMNS.len()))
}

/// Guarantees in `privacy.json`: each with what it means, which is not read back.
pub(super) fn with_meaning<S: Serializer>(guarantees: &[Guarantee], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Written<'a> {
        #[serde(flatten)]
        guarantee: &'a Guarantee,
        meaning: Vec<Meaning>,
    }
    let written = |guarantee| Written { guarantee, meaning: Meaning::of_guarantee(guarantee, None) };
    serializer.collect_seq(guarantees.iter().map(written))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Fraction;

    const EVEN: Prior = Prior { chance: 0.5, source: Source::Assumed };

    fn of(epsilon: f64, delta: f64) -> Meaning {
        Meaning::of(Unit::Edge, "edge", (epsilon, delta), EVEN)
    }

    #[test]
    fn it_agrees_with_exact_values() {
        // e^ε = 3: the odds of randomised response that tells the truth 3 times out of 4.
        let three = of(3_f64.ln(), 0.0);
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-12, "{one} {other}");
        near(three.odds, 3.0);
        near(three.advantage, 0.5);
        near(three.true_positives, 0.03);
        near(three.guess, 0.75);
        // One pair in 101 is an edge: odds of 1 to 100 become 3 to 100.
        let sparse = Prior { chance: 1.0 / 101.0, source: Source::Declared };
        near(Meaning::of(Unit::Edge, "edge", (3_f64.ln(), 0.0), sparse).guess, 3.0 / 103.0);
        // With δ = 1/10: (3 − 1 + 1/5)/(3 + 1), and 3/100 + 1/10.
        let approximate = of(3_f64.ln(), 0.1);
        near(approximate.advantage, 2.2 / 4.0);
        near(approximate.true_positives, 0.13);
        // e^ε = 999: the second bound is the smaller one, 1 − 0.99/999.
        near(of(999_f64.ln(), 0.0).true_positives, 1.0 - 0.99 / 999.0);
    }

    /// The bounds are attained by the randomised response that is implemented here.
    #[test]
    fn they_are_those_of_exact_randomised_response() {
        let epsilon = "2".parse().unwrap();
        let mechanism = crate::mechanism::randomised_response::Params { epsilon, values: 2 }.check().unwrap();
        let rate =
            |truth: u32| -> Vec<f64> { mechanism.distribution(truth).unwrap().iter().map(Fraction::to_f64).collect() };
        let (yes, no) = (rate(1), rate(0));
        let meaning = of(2.0, 0.0);
        assert!((yes[1] - no[1] - meaning.advantage).abs() < 1e-9, "{} {}", yes[1] - no[1], meaning.advantage);
        assert!((yes[1] / (yes[1] + no[1]) - meaning.guess).abs() < 1e-9);
        assert!((yes[1] / no[1] - meaning.odds).abs() < 1e-9);
        // Of those that say yes, a share is accused by a coin, so that 1 % of the others are.
        let coin = FALSE_POSITIVES / no[1];
        assert!((coin * yes[1] - meaning.true_positives).abs() < 1e-9);
    }

    #[test]
    fn nothing_and_everything_are_the_ends() {
        let nothing = of(0.0, 0.0);
        assert_eq!((nothing.odds, nothing.advantage, nothing.guess), (1.0, 0.0, 0.5));
        assert!((nothing.true_positives - FALSE_POSITIVES).abs() < 1e-15);
        let everything = of(1000.0, 0.0);
        assert_eq!((everything.advantage, everything.true_positives, everything.guess), (1.0, 1.0, 1.0));
        assert_eq!(of(0.0, 1.0).advantage, 1.0);
    }

    #[test]
    fn more_epsilon_or_delta_never_means_less() {
        let losses = [0.0, 0.01, 0.5, 1.0, 2.0, 4.6, 8.0, 40.0, 700.0];
        for delta in [0.0, 1e-9, 1e-5, 0.3] {
            for pair in losses.windows(2) {
                let (less, more) = (of(pair[0], delta), of(pair[1], delta));
                assert!(less.advantage <= more.advantage && less.true_positives <= more.true_positives, "{pair:?}");
                assert!(less.guess <= more.guess && less.true_positives >= FALSE_POSITIVES);
                assert!(of(pair[0], 0.0).advantage <= less.advantage);
            }
        }
    }

    #[test]
    fn a_row_rounds_up_and_the_notes_name_the_prior() {
        let meaning = Meaning::of(Unit::Edge, "edge", (2.0, 0.0), Prior::assumed(Unit::Edge));
        assert_eq!(meaning.row(), ["edge", "2", "7.39", "76.2 %", "7.4 %", "0.1 % → 0.8 %"].map(str::to_owned));
        let notes = Meaning::notes(std::slice::from_ref(&meaning));
        assert!(notes.contains("assumed that 0.1 % of all pairs of nodes are edges: nobody declared"), "{notes}");
        assert!(!notes.contains('δ'));
        let density = Prior::of_degree(4.0, 2708, Source::Declared).unwrap();
        let declared = Meaning::of(Unit::Edge, "edge", (2.0, 1e-5), density);
        assert_eq!(declared.row()[5], "0.15 % → 1.1 %");
        let notes = Meaning::notes(&[declared]);
        assert!(notes.contains("owner declared that 0.15 %") && notes.contains("except with probability δ"), "{notes}");
        assert_eq!(
            [0.5, 0.1, 0.001, 0.00012].map(prior_in_words),
            ["50 %", "10 %", "0.1 %", "0.012 %"].map(str::to_owned)
        );
    }

    #[test]
    fn a_density_is_between_none_and_all() {
        let of = |degree, nodes| Prior::of_degree(degree, nodes, Source::Noisy);
        for (degree, nodes) in [(0.0, 10), (-1.0, 10), (9.0, 10), (f64::NAN, 10), (1.0, 0), (1.0, 1)] {
            assert_eq!(of(degree, nodes), None, "{degree} {nodes}");
        }
        assert_eq!(of(4.5, 10).map(|it| it.chance), Some(0.5));
        // Only edges have a density.
        assert_eq!(Prior::of_unit(Unit::Node, of(4.5, 10)), Prior::assumed(Unit::Node));
    }
}
