//! Outcomes sorted for comparison: lines (a case with the settings that tell it apart), and points
//! on them (one ε, and one cell of an α × threshold grid).

use std::collections::BTreeMap;

use serde_json::Value;

use super::number::{at_least, percent};
use super::parameter;
use crate::outcome::{Outcome, Promised};
use crate::statistics::Summary;
use crate::worth::{Budget, Candidates, References, Role, Scored, Worth, as_number, worth};

/// The axes of GraphPrivatizer's maps.
const CELL: [&str; 2] = ["alpha", "threshold"];

const UNKNOWN: Summary = Summary { count: 0, mean: f64::NAN, deviation: None, interval: None };

impl Budget {
    /// The order of points on a line.
    fn rank(self) -> f64 {
        match self {
            Budget::Unstated => -1.0,
            Budget::Finite(epsilon) => epsilon,
            Budget::Infinite => f64::INFINITY,
        }
    }

    pub(super) fn text(self) -> String {
        match self {
            Budget::Unstated => "–".to_owned(),
            Budget::Finite(epsilon) => at_least(epsilon),
            Budget::Infinite => "∞".to_owned(),
        }
    }
}

/// One line of a plot.
#[derive(Debug)]
pub(super) struct Line {
    /// Its place in [`Digest::lines`], by which the page switches it on and off.
    pub number: usize,
    pub case: String,
    /// The settings that tell it apart from other lines of the case.
    pub settings: String,
    pub role: Role,
    /// The number of its colour, marker and dash; methods are counted from 0.
    pub mark: usize,
    /// The status that all its points with a finite ε have, or `mixed`; empty if there are none.
    pub status: String,
}

impl Line {
    pub fn name(&self) -> String {
        if self.settings.is_empty() { self.case.clone() } else { format!("{} · {}", self.case, self.settings) }
    }
}

/// Runs that differ in nothing but the seed.
#[derive(Debug)]
pub(super) struct Point {
    /// Its place in [`Digest::data`].
    pub data: usize,
    /// Its place in [`Digest::lines`].
    pub line: usize,
    /// α and threshold.
    pub cell: Option<(f64, f64)>,
    pub worth: Worth,
}

impl Point {
    /// The worst status of the promises that have an ε.
    pub fn status(&self) -> &str {
        let has = |word: &&str| self.worth.promises.iter().any(|it| it.epsilon.is_some() && it.status == **word);
        ["refuted", "none", "claimed", "proven"].into_iter().find(has).unwrap_or("none")
    }

    /// The accuracy of a point that is drawn, and so has one.
    pub fn accuracy(&self) -> Summary {
        self.worth.accuracy.unwrap_or(UNKNOWN)
    }

    /// The AUC of an attack on it, likewise.
    pub fn auc(&self, attack: &str) -> Summary {
        self.worth.attacks.get(attack).copied().unwrap_or(UNKNOWN)
    }

    /// Whether the noise of a promise is from a known seed.
    pub fn is_seeded(&self) -> bool {
        is_seeded(&self.worth.promises)
    }

    /// Whether all its runs failed.
    pub fn has_failed(&self) -> bool {
        self.worth.failed == self.worth.runs
    }
}

/// Whether the noise of one of them is from a known seed.
pub(super) fn is_seeded(promises: &[Promised]) -> bool {
    promises.iter().any(|promise| promise.reproducible && promise.epsilon.is_some())
}

/// How a cell of a grid was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Only,
    ByValidation,
    /// By the figure that is shown, which is therefore too high.
    ByTest,
}

/// What the parts of a report are made of. Data and lines are in the order of their first outcomes.
#[derive(Debug)]
pub(super) struct Digest {
    pub data: Vec<String>,
    pub lines: Vec<Line>,
    /// By data, line, ε, α and threshold.
    pub points: Vec<Point>,
    pub attacks: Vec<String>,
    /// The nodes that all accuracies are about; none if they differ.
    pub scored: Option<Scored>,
    pub references: References,
    pub candidates: Candidates,
}

impl Digest {
    pub fn of(outcomes: &[Outcome], references: &References) -> Digest {
        let telling = telling_settings(outcomes);
        let mut all = worth(outcomes, references);
        let (mut data, mut cases) = (Vec::new(), Vec::new());
        for worth in &all {
            place(&mut data, &worth.data);
            place(&mut cases, &worth.case);
        }
        // Lines of one case stand together, in whatever order the runs are.
        all.sort_by_key(|worth| cases.iter().position(|case| *case == worth.case));
        let (mut lines, mut points): (Vec<Line>, Vec<Point>) = (Vec::new(), Vec::with_capacity(all.len()));
        let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut methods = 0;
        for worth in all {
            let names = telling.get(worth.case.as_str()).into_iter().flatten();
            let value = |name: &&str| Some(parameter::named(name, worth.point.get(*name)?));
            let settings = names.filter_map(value).collect::<Vec<String>>().join(", ");
            let line = *known.entry((worth.case.clone(), settings.clone())).or_insert(lines.len());
            if line == lines.len() {
                let (case, role, status) = (worth.case.clone(), worth.role, String::new());
                lines.push(Line { number: line, case, settings, role, mark: methods, status });
                methods += usize::from(role == Role::Method);
            }
            points.push(Point { data: place(&mut data, &worth.data), line, cell: cell(&worth.point), worth });
        }
        points.sort_by(|one, other| {
            let ranks = |point: &Point| {
                let (alpha, threshold) = point.cell.unwrap_or((0.0, 0.0));
                [point.worth.budget.rank(), alpha, threshold]
            };
            let by_rank = ranks(one).into_iter().zip(ranks(other)).map(|(one, other)| one.total_cmp(&other));
            let by_place = (one.data, one.line).cmp(&(other.data, other.line));
            by_rank.fold(by_place, std::cmp::Ordering::then)
        });
        // At ∞ nothing is promised, whatever the method.
        for point in points.iter().filter(|point| point.worth.budget != Budget::Infinite) {
            let status = &mut lines[point.line].status;
            let same = status.is_empty() || status == point.status();
            *status = if same { point.status() } else { "mixed" }.to_owned();
        }
        let mut attacks: Vec<String> = points.iter().flat_map(|point| point.worth.attacks.keys().cloned()).collect();
        attacks.sort();
        attacks.dedup();
        let mut scored = points.iter().filter(|point| point.worth.accuracy.is_some()).map(|point| point.worth.scored);
        let first = scored.next().unwrap_or(Scored::Test);
        Digest {
            data,
            lines,
            scored: scored.all(|other| other == first).then_some(first),
            points,
            attacks,
            references: references.clone(),
            candidates: Candidates::of(outcomes),
        }
    }

    /// The name of the accuracies.
    pub fn accuracy(&self) -> &'static str {
        if self.scored == Some(Scored::Inference) { "inference accuracy" } else { "accuracy" }
    }

    /// The nodes that one accuracy is about, where they differ.
    pub fn which(&self, point: &Point) -> Option<&'static str> {
        self.scored.is_none().then_some(match point.worth.scored {
            Scored::Test => "test",
            Scored::Inference => "inference",
        })
    }

    /// A mean accuracy in a table of numbers.
    pub fn mean(&self, point: &Point, accuracy: &Summary) -> String {
        let mean = percent(accuracy.mean);
        self.which(point).map_or(mean.clone(), |which| format!("{mean} ({which})"))
    }

    /// The points of one data set, with the best cell of each grid by validation accuracy.
    pub fn chosen(&self, data: usize) -> Vec<(&Point, Choice)> {
        let points: Vec<&Point> = self.points.iter().filter(|point| point.data == data).collect();
        let same = |one: &&Point, other: &&Point| one.line == other.line && one.worth.budget == other.worth.budget;
        points.chunk_by(same).filter_map(best).collect()
    }
}

/// The place of a name in a list, at whose end it is added if it is missing.
fn place(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

fn best<'a>(cells: &[&'a Point]) -> Option<(&'a Point, Choice)> {
    let (first, rest) = cells.split_first()?;
    if rest.is_empty() {
        return Some((first, Choice::Only));
    }
    let validated = cells.iter().all(|point| point.worth.validation.is_some() || point.worth.accuracy.is_none());
    let value = |point: &Point| {
        let value = if validated { point.worth.validation } else { point.worth.accuracy.map(|accuracy| accuracy.mean) };
        value.unwrap_or(f64::NEG_INFINITY)
    };
    // The first of equal ones.
    let best = rest.iter().fold(*first, |best, point| if value(point) > value(best) { point } else { best });
    Some((best, if validated { Choice::ByValidation } else { Choice::ByTest }))
}

/// Per case, the parameters in which its runs differ, besides ε and the axes of a grid.
fn telling_settings(outcomes: &[Outcome]) -> BTreeMap<&str, Vec<&str>> {
    let mut known: BTreeMap<(&str, &str), (Option<&Value>, bool, usize)> = BTreeMap::new();
    let mut runs: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        *runs.entry(&outcome.case).or_default() += 1;
        let (has_cell, budget) = (cell(&outcome.point).is_some(), Budget::of(outcome));
        for (name, value) in &outcome.point {
            if name == "epsilon" || budget.is_told_by(name, value) || has_cell && CELL.contains(&name.as_str()) {
                continue;
            }
            let (first, differs, times) = known.entry((&outcome.case, name)).or_default();
            *differs |= *first.get_or_insert(value) != value;
            *times += 1;
        }
    }
    let mut telling: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for ((case, name), (_, differs, times)) in known {
        if differs || runs.get(case) != Some(&times) {
            telling.entry(case).or_default().push(name);
        }
    }
    telling
}

fn cell(point: &BTreeMap<String, Value>) -> Option<(f64, f64)> {
    let [alpha, threshold] = CELL.map(|name| point.get(name).and_then(as_number).filter(|number| number.is_finite()));
    Some((alpha?, threshold?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::tests::example::{outcome, promised};

    #[test]
    fn lines_of_a_case_stand_together_and_points_by_epsilon() {
        let run = |case: &str, hidden: u64, epsilon: Value| {
            outcome(case, "cora", &[("epsilon", epsilon), ("hidden", json!(hidden))], 0, &[("test_accuracy", 0.5)])
        };
        let runs = [run("b", 1, json!("inf")), run("a", 1, json!(1)), run("b", 2, json!(10)), run("b", 1, json!(9))];
        let digest = Digest::of(&runs, &References { floor: Some("a".into()), non_private: None });
        let names: Vec<String> = digest.lines.iter().map(Line::name).collect();
        // A single value tells nothing apart.
        assert_eq!(names, ["b · hidden 1", "b · hidden 2", "a"]);
        assert_eq!(digest.lines[2].role, Role::Floor);
        let points: Vec<(usize, String)> =
            digest.points.iter().map(|point| (point.line, point.worth.budget.text())).collect();
        assert_eq!(points, [(0, "9".into()), (0, "∞".into()), (1, "10".into()), (2, "1".into())]);
    }

    #[test]
    fn epsilon_and_cells_make_no_line() {
        let run = |point: &[(&str, Value)], edges: f64| {
            let mut run = outcome("case", "cora", point, 0, &[("test_accuracy", 0.5)]);
            run.promises.push(promised("edge", Some(edges), "proven", "m"));
            run
        };
        let names = |runs: &[Outcome]| -> Vec<String> {
            Digest::of(runs, &References::default()).lines.iter().map(Line::name).collect()
        };
        let epsilon = |value: f64| ("epsilon-edges", json!(value));
        assert_eq!(names(&[run(&[epsilon(1.0)], 1.0), run(&[epsilon(2.0)], 2.0)]), ["case"]);
        // Each of two stages spends as much.
        let spent = names(&[run(&[epsilon(1.0)], 2.0), run(&[epsilon(2.0)], 4.0)]);
        assert_eq!(spent, ["case · epsilon-edges 1", "case · epsilon-edges 2"]);
        // α without a threshold is no cell of a map.
        let alpha = |value: f64| ("alpha", json!(value));
        let half = names(&[run(&[alpha(0.0)], 1.0), run(&[alpha(0.5)], 1.0)]);
        assert_eq!(half, ["case · alpha 0", "case · alpha 0.5"]);
        let threshold = ("threshold", json!(0));
        assert_eq!(names(&[run(&[alpha(0.0), threshold.clone()], 1.0), run(&[alpha(0.5), threshold], 1.0)]), ["case"]);
    }

    #[test]
    fn the_worst_promise_is_the_status_and_infinity_does_not_count() {
        let run = |epsilon: Option<f64>, statuses: &[&str]| {
            let mut run = outcome("case", "cora", &[("epsilon", json!(epsilon))], 0, &[("test_accuracy", 0.5)]);
            run.promises = statuses.iter().map(|status| promised("edge", epsilon, status, "m")).collect();
            run
        };
        let status = |runs: &[Outcome]| Digest::of(runs, &References::default()).lines[0].status.clone();
        assert_eq!(status(&[run(Some(1.0), &["proven", "refuted"]), run(None, &["none"])]), "refuted");
        assert_eq!(status(&[run(Some(1.0), &["proven"]), run(Some(2.0), &["claimed"])]), "mixed");
        assert_eq!(status(&[run(Some(1.0), &[])]), "none");
    }
}
