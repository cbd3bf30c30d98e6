//! Outcomes sorted into what a reader compares: lines (a case with the settings that tell it apart), points on them (one
//! ε, and one cell of an α × δ grid), and the spread over the seeds of each point.

use std::collections::BTreeMap;

use serde_json::Value;

use super::number::{at_least, percent};
use super::parameter;
use crate::outcome::Outcome;
use crate::statistics::Summary;
use crate::worth::{Budget, Candidates, References, Role, Scored, Worth, as_number, worth};

const EPSILON: &str = "epsilon";
const ALPHA: &str = "alpha";
const DELTA: &str = "delta";

impl Budget {
    /// A number by which points stand in order.
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
    pub case: String,
    /// The settings that tell it apart from other lines of the case.
    pub settings: String,
    pub role: Role,
    /// Which colour, marker and dash it has: methods are counted from 0.
    pub mark: usize,
    /// The status that all its points with a finite ε have, or `mixed`; empty if there are none.
    pub status: String,
}

impl Line {
    pub fn name(&self) -> String {
        if self.settings.is_empty() { self.case.clone() } else { format!("{} · {}", self.case, self.settings) }
    }
}

/// The runs that differ in nothing but the seed.
#[derive(Debug)]
pub(super) struct Point {
    pub data: usize,
    pub line: usize,
    /// α and δ.
    pub cell: Option<(f64, f64)>,
    pub worth: Worth,
}

impl Point {
    /// What the promises that have an ε come to in one word: the worst of them. What is released as it is (ε = ∞) stands beside it in the table.
    pub fn status(&self) -> &str {
        let worst = ["refuted", "none", "claimed", "proven"];
        let has = |word: &&str| self.worth.promises.iter().any(|it| it.epsilon.is_some() && it.status == **word);
        worst.iter().find(|word| has(word)).copied().unwrap_or("none")
    }

    /// Whether none of its runs came to an end: then it promised nothing because there was nothing.
    pub fn has_failed(&self) -> bool {
        self.worth.failed == self.worth.runs
    }
}

/// How one of many α and δ was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Only,
    ByValidation,
    /// The same figure chooses and is shown: it flatters.
    ByTest,
}

/// All that the parts of a report are made of. Orders are those in which things first appear.
#[derive(Debug)]
pub(super) struct Digest {
    pub data: Vec<String>,
    pub lines: Vec<Line>,
    /// Sorted by data, line, ε, α and δ.
    pub points: Vec<Point>,
    pub attacks: Vec<String>,
    /// Which nodes all accuracies are about; none if some are about others.
    pub scored: Option<Scored>,
    /// What is compared with, and what that could have been.
    pub references: References,
    pub candidates: Candidates,
}

impl Digest {
    pub fn of(outcomes: &[Outcome], references: &References) -> Digest {
        let telling = telling_settings(outcomes);
        let made_with: BTreeMap<&str, &BTreeMap<String, Value>> =
            outcomes.iter().map(|outcome| (outcome.case.as_str(), &outcome.parameters)).collect();
        let mut data = Order::default();
        // Lines of one case stand together, in whatever order the runs came.
        let mut cases = Order::default();
        let mut sorted: Vec<(usize, Worth)> = Vec::new();
        for worth in worth(outcomes, references) {
            data.place(worth.data.clone());
            sorted.push((cases.place(worth.case.clone()), worth));
        }
        sorted.sort_by_key(|(case, _)| *case);
        let mut lines: Vec<Line> = Vec::new();
        let mut names: Order<(String, String)> = Order::default();
        let mut points: Vec<Point> = Vec::with_capacity(sorted.len());
        let mut methods = 0;
        for (_, worth) in sorted {
            let made_with = made_with.get(worth.case.as_str()).copied().unwrap_or(&worth.point);
            let settings = settings(&worth.point, telling.get(worth.case.as_str()), made_with);
            let line = names.place((worth.case.clone(), settings.clone()));
            if line == lines.len() {
                let (case, role, status) = (worth.case.clone(), worth.role, String::new());
                lines.push(Line { case, settings, role, mark: methods, status });
                methods += usize::from(role == Role::Method);
            }
            points.push(Point { data: data.place(worth.data.clone()), line, cell: cell(&worth.point), worth });
        }
        points.sort_by(|one, other| {
            let ranks = |point: &Point| {
                let (alpha, delta) = point.cell.unwrap_or((0.0, 0.0));
                [point.worth.budget.rank(), alpha, delta]
            };
            let by_rank = ranks(one).into_iter().zip(ranks(other)).map(|(one, other)| one.total_cmp(&other));
            let by_place = (one.data, one.line).cmp(&(other.data, other.line));
            by_rank.fold(by_place, std::cmp::Ordering::then)
        });
        // At ∞ nothing is promised by anybody: that says nothing of a line.
        for point in points.iter().filter(|point| point.worth.budget != Budget::Infinite) {
            if let Some(line) = lines.get_mut(point.line) {
                let seen = std::mem::take(&mut line.status);
                let same = seen.is_empty() || seen == point.status();
                line.status = if same { point.status().to_owned() } else { "mixed".to_owned() };
            }
        }
        let mut attacks: Vec<String> = points.iter().flat_map(|point| point.worth.attacks.keys().cloned()).collect();
        attacks.sort();
        attacks.dedup();
        let mut scored = points.iter().filter(|point| point.worth.accuracy.is_some()).map(|point| point.worth.scored);
        let first = scored.next().unwrap_or(Scored::Test);
        Digest {
            data: data.in_order(),
            lines,
            scored: scored.all(|other| other == first).then_some(first),
            points,
            attacks,
            references: references.clone(),
            candidates: Candidates::of(outcomes),
        }
    }

    /// What accuracies are called that stand together.
    pub fn accuracy(&self) -> &'static str {
        if self.scored == Some(Scored::Inference) { "inference accuracy" } else { "accuracy" }
    }

    /// Which nodes one accuracy is about, where others are about others.
    pub fn which(&self, point: &Point) -> Option<&'static str> {
        self.scored.is_none().then_some(match point.worth.scored {
            Scored::Test => "test",
            Scored::Inference => "inference",
        })
    }

    /// A mean accuracy as it stands in a table of numbers.
    pub fn mean(&self, point: &Point, accuracy: &Summary) -> String {
        let mean = percent(accuracy.mean);
        self.which(point).map_or(mean.clone(), |which| format!("{mean} ({which})"))
    }

    /// The points of one data set with one cell of each α × δ grid: the one with the best validation accuracy.
    pub fn chosen(&self, data: usize) -> Vec<(&Point, Choice)> {
        let points: Vec<&Point> = self.points.iter().filter(|point| point.data == data).collect();
        let same = |one: &&Point, other: &&Point| one.line == other.line && one.worth.budget == other.worth.budget;
        points.chunk_by(same).filter_map(best).collect()
    }
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
    // Of equal ones the first.
    let best = rest.iter().fold(*first, |best, point| if value(point) > value(best) { point } else { best });
    Some((best, if validated { Choice::ByValidation } else { Choice::ByTest }))
}

/// For each case, the parameters in which its own runs differ, besides those that have a place of their own.
fn telling_settings(outcomes: &[Outcome]) -> BTreeMap<&str, Vec<&str>> {
    let mut seen: BTreeMap<(&str, &str), (Option<&Value>, bool, usize)> = BTreeMap::new();
    let mut runs: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        *runs.entry(&outcome.case).or_default() += 1;
        let has_cell = cell(&outcome.point).is_some();
        let budget = Budget::of(outcome);
        let own_place = |name: &str, value: &Value| {
            name == EPSILON || budget.is_told_by(name, value) || has_cell && matches!(name, ALPHA | DELTA)
        };
        for (name, value) in outcome.point.iter().filter(|(name, value)| !own_place(name, value)) {
            let (first, differs, times) = seen.entry((&outcome.case, name)).or_default();
            *differs |= *first.get_or_insert(value) != value;
            *times += 1;
        }
    }
    let mut telling: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for ((case, name), (_, differs, times)) in seen {
        if differs || runs.get(case) != Some(&times) {
            telling.entry(case).or_default().push(name);
        }
    }
    telling
}

fn settings(point: &BTreeMap<String, Value>, names: Option<&Vec<&str>>, all: &BTreeMap<String, Value>) -> String {
    let value = |name: &&str| Some(parameter::said(name, point.get(*name)?, all));
    names.into_iter().flatten().filter_map(value).collect::<Vec<String>>().join(", ")
}

fn cell(point: &BTreeMap<String, Value>) -> Option<(f64, f64)> {
    let number = |name: &str| point.get(name).and_then(as_number).filter(|number| number.is_finite());
    Some((number(ALPHA)?, number(DELTA)?))
}

/// Things by the order in which they first appear.
struct Order<T>(BTreeMap<T, usize>);

impl<T> Default for Order<T> {
    fn default() -> Self {
        Order(BTreeMap::new())
    }
}

impl<T: Ord> Order<T> {
    fn place(&mut self, thing: T) -> usize {
        let next = self.0.len();
        *self.0.entry(thing).or_insert(next)
    }

    fn in_order(self) -> Vec<T> {
        let mut things: Vec<(T, usize)> = self.0.into_iter().collect();
        things.sort_by_key(|(_, place)| *place);
        things.into_iter().map(|(thing, _)| thing).collect()
    }
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
        // The only value of a case tells nothing apart.
        assert_eq!(names, ["b · hidden units 1", "b · hidden units 2", "a"]);
        assert_eq!(digest.lines[2].role, Role::Floor);
        let points: Vec<(usize, String)> =
            digest.points.iter().map(|point| (point.line, point.worth.budget.text())).collect();
        assert_eq!(points, [(0, "9".into()), (0, "∞".into()), (1, "10".into()), (2, "1".into())]);
    }

    #[test]
    fn what_has_a_place_of_its_own_makes_no_line() {
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
        assert_eq!(spent, ["case · ε of edges 1", "case · ε of edges 2"]);
        // One of α and δ alone is no cell of a map.
        let alpha = |value: f64| ("alpha", json!(value));
        let half = names(&[run(&[alpha(0.0)], 1.0), run(&[alpha(0.5)], 1.0)]);
        assert_eq!(half, ["case · weight α 0", "case · weight α 0.5"]);
        let delta = ("delta", json!(0));
        assert_eq!(names(&[run(&[alpha(0.0), delta.clone()], 1.0), run(&[alpha(0.5), delta], 1.0)]), ["case"]);
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
