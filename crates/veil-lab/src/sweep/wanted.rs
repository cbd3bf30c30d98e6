//! From cases, grid, data and seeds to runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::attacks::NamedAttack;
use super::condition::Condition;
use super::file::{Case, MOST_RUNS, Sweep};
use super::settings::{Setting, Settings};
use super::text::Invalid;
use crate::outcome::written;

/// A run that a sweep asks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The name of the case.
    pub case: String,
    /// The name of the data.
    pub data: String,
    /// What the grid says about it.
    pub point: BTreeMap<String, Value>,
    /// The seed.
    pub seed: u64,
    /// The attacks that it is put through.
    pub attacks: Vec<NamedAttack>,
    pub(super) settings: Settings,
    /// What it has besides, if any condition asks for that.
    defaults: Arc<BTreeMap<String, Value>>,
    /// The line of the case.
    pub(super) line: usize,
}

impl Wanted {
    /// What a run is in this respect.
    pub(super) fn fact(&self, name: &str) -> Option<Value> {
        match name {
            "case" => Some(Value::from(self.case.clone())),
            "data" => Some(Value::from(self.data.clone())),
            "seed" => Some(Value::from(self.seed)),
            _ => self.settings.0.get(name).map(Setting::plain).or_else(|| self.defaults.get(name).cloned()),
        }
    }

    /// In a few words.
    pub fn describe(&self) -> String {
        let point = self.point.iter().map(|(name, value)| format!(", {name} = {}", written(value)));
        format!("{} on {}{}", self.case, self.data, point.collect::<String>())
    }
}

impl Sweep {
    /// Every run, in the order of cases, data, points and seeds.
    pub(super) fn product(&self) -> Result<Vec<Wanted>, Invalid> {
        self.few_enough()?;
        self.told_apart()?;
        let conditions = self.include.iter().chain(&self.exclude).chain(&self.only);
        let mut conditions = conditions.chain(self.attacks.iter().filter_map(|it| it.only.as_ref()));
        let asks = conditions.any(Condition::asks_about_parameters);
        let mut runs = Vec::new();
        for case in &self.cases {
            for data in case.data.as_ref().unwrap_or(&self.data) {
                for point in self.points(case) {
                    let settings = self.parameters.and(&case.settings).and(&point);
                    let point = point.0.iter().map(|(name, setting)| (name.clone(), setting.plain())).collect();
                    let run = Wanted {
                        case: case.name.clone(),
                        data: data.clone(),
                        point,
                        seed: 0,
                        attacks: Vec::new(),
                        defaults: Arc::new(if asks { settings.defaults() } else { BTreeMap::new() }),
                        settings,
                        line: case.line,
                    };
                    let seeds = self.seeds.iter().take(case.most_seeds.unwrap_or(usize::MAX));
                    runs.extend(seeds.map(|&seed| Wanted { seed, ..run.clone() }));
                }
            }
        }
        self.pick(&mut runs)?;
        all_match(self.attacks.iter().filter_map(|it| it.only.as_ref()), &runs)?;
        runs.retain(|run| self.only.iter().all(|it| it.holds(run)));
        if runs.is_empty() {
            return Invalid::new(1, "no run remains");
        }
        for run in &mut runs {
            let meant = self.attacks.iter().filter(|it| it.only.as_ref().is_none_or(|only| only.holds(run)));
            run.attacks = meant.map(|it| it.attack.clone()).collect();
        }
        Ok(runs)
    }

    /// How many runs there would be, before any is left out. Counted, because there may be too many
    /// to list.
    pub(super) fn few_enough(&self) -> Result<(), Invalid> {
        let of = |case: &Case| {
            let data = case.data.as_ref().unwrap_or(&self.data).len();
            let lists = self.lists(case).map(|(_, values)| values.len());
            lists.chain([data, self.seeds.len()]).fold(1usize, usize::saturating_mul)
        };
        match self.cases.iter().map(of).fold(0usize, usize::saturating_add) {
            runs if runs > MOST_RUNS => Invalid::new(1, format!("{runs} runs are too many: at most {MOST_RUNS}")),
            _ => Ok(()),
        }
    }

    /// Two cases of one name are one row of a table: on the same data they may differ in what the
    /// grid says, and in nothing else.
    fn told_apart(&self) -> Result<(), Invalid> {
        for (at, case) in self.cases.iter().enumerate() {
            let data = |case: &Case| case.data.clone().unwrap_or_else(|| self.data.clone());
            let (own, listed) =
                (data(case), |case: &Case, name: &String| self.lists(case).any(|(other, _)| other == name));
            for other in self.cases[..at].iter().filter(|it| it.name == case.name) {
                let told = |it: &Case| -> BTreeMap<String, Value> {
                    let told = it.settings.0.iter().filter(|(name, _)| !listed(case, name) && !listed(other, name));
                    told.map(|(name, setting)| (name.clone(), setting.plain())).collect()
                };
                if told(case) != told(other)
                    && let Some(shared) = data(other).iter().find(|name| own.contains(name))
                {
                    let (name, line) = (&case.name, other.line);
                    return Invalid::new(
                        case.line,
                        format!("{name} on {shared} has other settings in line {line}: rename one of them"),
                    );
                }
            }
        }
        Ok(())
    }

    /// The lists that are multiplied for a case: its own count more than those of all cases, and
    /// what the case sets itself is a list of one.
    pub(super) fn lists<'a>(&'a self, case: &'a Case) -> impl Iterator<Item = (&'a String, Vec<&'a Setting>)> {
        let own =
            |name: &str| case.grid.iter().find(|(other, _)| other == name).map(|(_, values)| values.iter().collect());
        let set = |name: &str| case.settings.0.get(name).map(|setting| vec![setting]);
        let shared = self.grid.iter().map(move |(name, values)| {
            (name, own(name).or_else(|| set(name)).unwrap_or_else(|| values.iter().collect()))
        });
        let further = case.grid.iter().filter(|(name, _)| self.grid.iter().all(|(other, _)| other != name));
        shared.chain(further.map(|(name, values)| (name, values.iter().collect())))
    }

    /// The product of the grid of a case. A list of all cases is no axis of a method that does not
    /// read it.
    fn points(&self, case: &Case) -> Vec<Settings> {
        let mut points = vec![Settings::default()];
        for (name, values) in self.lists(case) {
            let longer = |point: &Settings| -> Vec<Settings> {
                let with = |value: &&Setting| {
                    let mut point = point.clone();
                    point.0.insert(name.clone(), (*value).clone());
                    point
                };
                values.iter().map(with).collect()
            };
            points = points.iter().flat_map(longer).collect();
        }
        let is_own =
            |name: &String| case.settings.0.contains_key(name) || case.grid.iter().any(|(other, _)| other == name);
        let shared: Vec<&String> = self.grid.iter().map(|(name, _)| name).filter(|name| !is_own(name)).collect();
        let told = self.parameters.and(&case.settings);
        let mut seen = BTreeSet::new();
        let meant = |mut point: Settings| {
            let (before, settings) = (point.0.len(), told.and(&point));
            point.0.retain(|name, _| !shared.contains(&name) || settings.reads(name));
            let values = || point.0.iter().map(|(name, value)| format!("{name}={}", value.plain())).collect::<Vec<_>>();
            (point.0.len() == before || seen.insert(values())).then_some(point)
        };
        points.into_iter().filter_map(meant).collect()
    }

    /// Keeps what `include` lists, if it lists anything, but for what `exclude` lists. What picks
    /// nothing was meant otherwise.
    fn pick(&self, runs: &mut Vec<Wanted>) -> Result<(), Invalid> {
        all_match(self.include.iter().chain(&self.exclude), runs)?;
        runs.retain(|run| {
            (self.include.is_empty() || self.include.iter().any(|it| it.holds(run)))
                && !self.exclude.iter().any(|it| it.holds(run))
        });
        if runs.is_empty() {
            return Invalid::new(1, "no run remains");
        }
        let mut seen = BTreeMap::new();
        for run in runs.iter() {
            let point = serde_json::to_string(&run.point).unwrap_or_default();
            if let Some(line) = seen.insert((&run.case, &run.data, point, run.seed), run.line) {
                let (what, seed) = (run.describe(), run.seed);
                return Invalid::new(run.line, format!("duplicate run: {what}, seed {seed} (also line {line})"));
            }
        }
        Ok(())
    }
}

fn all_match<'c>(mut conditions: impl Iterator<Item = &'c Condition>, runs: &[Wanted]) -> Result<(), Invalid> {
    match conditions.find(|condition| !runs.iter().any(|run| condition.holds(run))) {
        Some(condition) => Invalid::new(condition.line, "this matches no run"),
        None => Ok(()),
    }
}
