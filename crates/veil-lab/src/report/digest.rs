//! Outcomes sorted into what a reader compares: lines (a case with the settings that tell it apart), points on them (one
//! ε, and one cell of an α × δ grid), and the spread over the seeds of each point.

use std::collections::BTreeMap;

use serde_json::Value;

use super::number::{Spread, plain};
use crate::outcome::{Outcome, Promised};

/// The figure that is called accuracy here.
const ACCURACY: &str = "test_accuracy";
const VALIDATION: &str = "validation_accuracy";
/// How the names of attacks' figures end.
const ATTACK: &str = "_auc";

const EPSILON: &str = "epsilon";
const ALPHA: &str = "alpha";
const DELTA: &str = "delta";

/// Where a point lies on the axis of ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Budget {
    /// It has none: it is no point of the axis but a line across it.
    Unstated,
    Finite(f64),
    Infinite,
}

impl Budget {
    /// The parameter `epsilon`, or else what is promised: about edges and nodes first, for that is what this is all about.
    fn of(outcome: &Outcome) -> Budget {
        match outcome.point.get(EPSILON) {
            Some(Value::Null) => return Budget::Infinite,
            Some(Value::String(text)) if matches!(text.trim(), "inf" | "infinity" | "∞") => return Budget::Infinite,
            Some(value) => {
                if let Some(epsilon) = as_number(value) {
                    return Budget::from(epsilon);
                }
            }
            None => {}
        }
        let about_edges = |promise: &&Promised| promise.unit.starts_with("edge") || promise.unit.starts_with("node");
        match outcome.promises.iter().find(about_edges).or(outcome.promises.first()) {
            Some(promise) => promise.epsilon.map_or(Budget::Infinite, Budget::from),
            None => Budget::Unstated,
        }
    }

    fn from(epsilon: f64) -> Budget {
        match epsilon {
            f64::INFINITY => Budget::Infinite,
            epsilon if epsilon > 0.0 => Budget::Finite(epsilon),
            _ => Budget::Unstated,
        }
    }

    /// A number by which points stand in order.
    fn rank(self) -> f64 {
        match self {
            Budget::Unstated => -1.0,
            Budget::Finite(epsilon) => epsilon,
            Budget::Infinite => f64::INFINITY,
        }
    }

    pub fn text(self) -> String {
        match self {
            Budget::Unstated => "–".to_owned(),
            Budget::Finite(epsilon) => plain(epsilon),
            Budget::Infinite => "∞".to_owned(),
        }
    }
}

/// What a case is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Method,
    /// What can be had without edges.
    Floor,
    /// What can be had without privacy.
    NonPrivate,
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
    pub budget: Budget,
    /// α and δ.
    pub cell: Option<(f64, f64)>,
    pub accuracy: Option<Spread>,
    pub validation: Option<f64>,
    pub attacks: BTreeMap<String, Spread>,
    pub promises: Vec<Promised>,
    pub runs: usize,
    pub failed: usize,
}

impl Point {
    /// What the promises that have an ε come to in one word: the worst of them. What is released as it is (ε = ∞) stands beside it in the table.
    pub fn status(&self) -> &str {
        let worst = ["refuted", "none", "claimed", "proven"];
        let has = |word: &&str| self.promises.iter().any(|it| it.epsilon.is_some() && it.status == **word);
        worst.iter().find(|word| has(word)).copied().unwrap_or("none")
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
}

impl Digest {
    pub fn of(outcomes: &[Outcome], floor: Option<&str>, non_private: Option<&str>) -> Digest {
        let telling = telling_settings(outcomes);
        let mut data = Order::default();
        let mut names: Order<(String, String)> = Order::default();
        let mut seeds: BTreeMap<(usize, usize, [Rank; 3]), Vec<&Outcome>> = BTreeMap::new();
        // Lines of one case stand together, in whatever order the runs came.
        let mut cases = Order::default();
        let mut sorted: Vec<(usize, &Outcome)> = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            data.place(outcome.data.clone());
            sorted.push((cases.place(outcome.case.as_str()), outcome));
        }
        sorted.sort_by_key(|(case, _)| *case);
        for (_, outcome) in sorted {
            let settings = settings(outcome, telling.get(outcome.case.as_str()));
            let line = names.place((outcome.case.clone(), settings));
            let cell = cell(outcome).map_or([Rank(0.0); 2], |(alpha, delta)| [Rank(alpha), Rank(delta)]);
            let ranks = [Rank(Budget::of(outcome).rank()), cell[0], cell[1]];
            seeds.entry((data.place(outcome.data.clone()), line, ranks)).or_default().push(outcome);
        }
        let mut methods = 0;
        let line = |(case, settings): (String, String)| {
            let role = match case.as_str() {
                case if Some(case) == floor => Role::Floor,
                case if Some(case) == non_private => Role::NonPrivate,
                _ => Role::Method,
            };
            let mark = methods;
            methods += usize::from(role == Role::Method);
            Line { case, settings, role, mark, status: String::new() }
        };
        let mut lines: Vec<Line> = names.in_order().into_iter().map(line).collect();
        let points: Vec<Point> = seeds.into_iter().map(|((data, line, _), runs)| point(data, line, &runs)).collect();
        // At ∞ nothing is promised by anybody: that says nothing of a line.
        for point in points.iter().filter(|point| point.budget != Budget::Infinite) {
            if let Some(line) = lines.get_mut(point.line) {
                let seen = std::mem::take(&mut line.status);
                let same = seen.is_empty() || seen == point.status();
                line.status = if same { point.status().to_owned() } else { "mixed".to_owned() };
            }
        }
        let mut attacks: Vec<String> = points.iter().flat_map(|point| point.attacks.keys().cloned()).collect();
        attacks.sort();
        attacks.dedup();
        Digest { data: data.in_order(), lines, points, attacks }
    }

    /// The points of one data set with one cell of each α × δ grid: the one with the best validation accuracy.
    pub fn chosen(&self, data: usize) -> Vec<(&Point, Choice)> {
        let points: Vec<&Point> = self.points.iter().filter(|point| point.data == data).collect();
        let same = |one: &&Point, other: &&Point| one.line == other.line && one.budget == other.budget;
        points.chunk_by(same).filter_map(best).collect()
    }
}

fn best<'a>(cells: &[&'a Point]) -> Option<(&'a Point, Choice)> {
    let (first, rest) = cells.split_first()?;
    if rest.is_empty() {
        return Some((first, Choice::Only));
    }
    let validated = cells.iter().all(|point| point.validation.is_some() || point.accuracy.is_none());
    let value = |point: &Point| {
        let value = if validated { point.validation } else { point.accuracy.map(|accuracy| accuracy.mean) };
        value.unwrap_or(f64::NEG_INFINITY)
    };
    // Of equal ones the first.
    let best = rest.iter().fold(*first, |best, point| if value(point) > value(best) { point } else { best });
    Some((best, if validated { Choice::ByValidation } else { Choice::ByTest }))
}

fn point(data: usize, line: usize, runs: &[&Outcome]) -> Point {
    let done: Vec<&&Outcome> = runs.iter().filter(|run| run.error.is_none()).collect();
    let values = |name: &str| -> Vec<f64> {
        let found = done.iter().filter_map(|run| run.figures.get(name).copied());
        found.filter(|value| value.is_finite()).collect()
    };
    let mut attacks = BTreeMap::new();
    for name in done.iter().flat_map(|run| run.figures.keys()).filter(|name| name.ends_with(ATTACK)) {
        if !attacks.contains_key(name)
            && let Some(spread) = Spread::of(&values(name))
        {
            attacks.insert(name.clone(), spread);
        }
    }
    let mut promises: Vec<Promised> = Vec::new();
    for promise in runs.iter().flat_map(|run| &run.promises) {
        if !promises.contains(promise) {
            promises.push(promise.clone());
        }
    }
    Point {
        data,
        line,
        budget: runs.first().map_or(Budget::Unstated, |run| Budget::of(run)),
        cell: runs.first().and_then(|run| cell(run)),
        accuracy: Spread::of(&values(ACCURACY)),
        validation: Spread::of(&values(VALIDATION)).map(|spread| spread.mean),
        attacks,
        promises,
        runs: runs.len(),
        failed: runs.len() - done.len(),
    }
}

/// For each case, the parameters in which its own runs differ, besides those that have a place of their own.
fn telling_settings(outcomes: &[Outcome]) -> BTreeMap<&str, Vec<&str>> {
    let mut seen: BTreeMap<(&str, &str), (Option<&Value>, bool, usize)> = BTreeMap::new();
    let mut runs: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        *runs.entry(&outcome.case).or_default() += 1;
        for (name, value) in &outcome.point {
            let (first, differs, times) = seen.entry((&outcome.case, name)).or_default();
            *differs |= *first.get_or_insert(value) != value;
            *times += 1;
        }
    }
    let mut telling: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for ((case, name), (_, differs, times)) in seen {
        let own_place = matches!(name, EPSILON | ALPHA | DELTA);
        if !own_place && (differs || runs.get(case) != Some(&times)) {
            telling.entry(case).or_default().push(name);
        }
    }
    telling
}

fn settings(outcome: &Outcome, names: Option<&Vec<&str>>) -> String {
    let value = |name: &&str| outcome.point.get(*name).map(|value| format!("{name} {}", as_text(value)));
    names.into_iter().flatten().filter_map(value).collect::<Vec<String>>().join(", ")
}

fn cell(outcome: &Outcome) -> Option<(f64, f64)> {
    let number = |name: &str| outcome.point.get(name).and_then(as_number).filter(|number| number.is_finite());
    Some((number(ALPHA)?, number(DELTA)?))
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A parameter's value for people.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), plain),
        other => other.to_string(),
    }
}

/// A number that can be sorted by.
#[derive(Clone, Copy, Debug)]
struct Rank(f64);

impl PartialEq for Rank {
    fn eq(&self, other: &Rank) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rank {}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Rank) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Rank) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
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
    fn epsilon_is_the_parameter_or_what_is_promised_about_edges() {
        let budget = |point: &[(&str, Value)], promises: &[Promised]| {
            Budget::of(&Outcome { promises: promises.to_vec(), ..outcome("case", "data", point, 0, &[]) })
        };
        let promises = [promised("feature", Some(3.0), "proven", "m"), promised("edge-set", Some(2.0), "proven", "m")];
        assert_eq!(budget(&[("epsilon", json!(0.5))], &promises), Budget::Finite(0.5));
        assert_eq!(budget(&[("epsilon", json!("4"))], &promises), Budget::Finite(4.0));
        for infinite in [json!(null), json!("inf"), json!("∞")] {
            assert_eq!(budget(&[("epsilon", infinite)], &promises), Budget::Infinite);
        }
        assert_eq!(budget(&[], &promises), Budget::Finite(2.0));
        assert_eq!(budget(&[], &promises[..1]), Budget::Finite(3.0));
        assert_eq!(budget(&[], &[promised("edge", None, "none", "raw")]), Budget::Infinite);
        assert_eq!(budget(&[], &[]), Budget::Unstated);
        assert_eq!(budget(&[("epsilon", json!(-1))], &promises), Budget::Unstated);
    }

    #[test]
    fn lines_of_a_case_stand_together_and_points_by_epsilon() {
        let run = |case: &str, hidden: u64, epsilon: Value| {
            outcome(case, "cora", &[("epsilon", epsilon), ("hidden", json!(hidden))], 0, &[("test_accuracy", 0.5)])
        };
        let runs = [run("b", 1, json!("inf")), run("a", 1, json!(1)), run("b", 2, json!(10)), run("b", 1, json!(9))];
        let digest = Digest::of(&runs, Some("a"), None);
        let names: Vec<String> = digest.lines.iter().map(Line::name).collect();
        // The only value of a case tells nothing apart.
        assert_eq!(names, ["b · hidden 1", "b · hidden 2", "a"]);
        assert_eq!(digest.lines[2].role, Role::Floor);
        let points: Vec<(usize, String)> =
            digest.points.iter().map(|point| (point.line, point.budget.text())).collect();
        assert_eq!(points, [(0, "9".into()), (0, "∞".into()), (1, "10".into()), (2, "1".into())]);
    }

    #[test]
    fn the_worst_promise_is_the_status_and_infinity_does_not_count() {
        let run = |epsilon: Option<f64>, statuses: &[&str]| {
            let mut run = outcome("case", "cora", &[("epsilon", json!(epsilon))], 0, &[("test_accuracy", 0.5)]);
            run.promises = statuses.iter().map(|status| promised("edge", epsilon, status, "m")).collect();
            run
        };
        let status = |runs: &[Outcome]| Digest::of(runs, None, None).lines[0].status.clone();
        assert_eq!(status(&[run(Some(1.0), &["proven", "refuted"]), run(None, &["none"])]), "refuted");
        assert_eq!(status(&[run(Some(1.0), &["proven"]), run(Some(2.0), &["claimed"])]), "mixed");
        assert_eq!(status(&[run(Some(1.0), &[])]), "none");
    }
}
