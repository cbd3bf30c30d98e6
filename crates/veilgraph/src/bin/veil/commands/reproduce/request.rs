//! The requested data, networks and flags, checked against what a table has.

use std::collections::BTreeSet;

use veil_lab::outcome::written;
use veil_lab::reproduce::{Experiment, Target, Work};
use veil_lab::sweep::Sweep;
use veil_nn::Kind;

use super::Reproduce;
use crate::failure::{Failure, usage};

impl Reproduce {
    /// Refuses flags that do not apply to this kind of work.
    pub fn check_flags(&self, target: &Target) -> Result<(), Failure> {
        let given = [
            ("--data", !self.data.is_empty()),
            ("--seeds", self.seeds.is_some()),
            ("--models", !self.models.is_empty()),
            ("--cores", self.cores.is_some()),
            ("--retry-failed", self.retry_failed),
            ("--out", self.out.is_some()),
        ];
        let unused: &[&str] = match target.work {
            Work::Sweep(_) => &[],
            Work::Students(_) => &["--models", "--retry-failed"],
            Work::Homophily(_) => &["--models", "--cores", "--retry-failed"],
            Work::Accounts(_) => &["--data", "--seeds", "--models", "--cores", "--retry-failed", "--out"],
        };
        match given.into_iter().find(|(flag, given)| *given && unused.contains(flag)) {
            Some((flag, _)) => Err(unused_flag(target, flag)),
            None => Ok(()),
        }
    }

    /// Requires that every data set is known to some table of a group.
    pub fn refuse_unknown_data(&self, targets: &[&Target]) -> Result<(), Failure> {
        let mut known = BTreeSet::new();
        for target in targets {
            known.extend(target.data_names()?);
        }
        match self.data.iter().find(|(name, _)| !known.contains(name)) {
            None => Ok(()),
            Some((unknown, _)) => {
                let known: Vec<String> = known.into_iter().collect();
                usage(format!("no table of this group has data {unknown:?}; they have {}", known.join(", ")))
            }
        }
    }

    /// What one table of a group is asked: the data that it has, in a folder of its own; nothing,
    /// if it has none of them.
    pub fn of_group(&self, target: &Target) -> Result<Option<Reproduce>, Failure> {
        let known = target.data_names()?;
        let data: Vec<(String, String)> = self.data.iter().filter(|(name, _)| known.contains(name)).cloned().collect();
        if data.is_empty() && !known.is_empty() {
            return Ok(None);
        }
        let out = self.out.as_ref().map(|out| out.join(target.name.rsplit('/').next().unwrap_or(&target.name)));
        Ok(Some(Reproduce { data, out, ..self.clone() }))
    }

    /// Requires at least one data set, all of them known to the table.
    pub fn check_data(&self, target: &Target) -> Result<(), Failure> {
        let known = target.data_names()?;
        let given: Vec<&str> = self.data.iter().map(|(name, _)| name.as_str()).collect();
        let problem = if let Some(unknown) = given.iter().find(|name| !known.contains(**name)) {
            let known: Vec<String> = known.into_iter().collect();
            format!("{} has no data {unknown:?}; it has {}", target.name, known.join(", "))
        } else if let Some((_, twice)) = given.iter().enumerate().find(|(at, name)| given[..*at].contains(name)) {
            format!("duplicate --data {twice}")
        } else if given.is_empty() {
            format!("{} requires data: {}", target.name, options(&known, " "))
        } else {
            return Ok(());
        };
        usage(problem)
    }

    /// The runs of a table on the given data, with the requested networks and seeds.
    pub fn sweep(&self, target: &Target, experiment: &Experiment) -> Result<Sweep, Failure> {
        let mut sweep = experiment.sweep(&target.name)?;
        if let Some(seeds) = self.seeds {
            sweep.set_seeds(seeds)?;
        }
        self.keep_given(target, &mut sweep)?;
        if !self.models.is_empty() {
            self.keep_models(target, &mut sweep)?;
        }
        Ok(sweep)
    }

    /// A run may need two graphs: both must be given.
    fn keep_given(&self, target: &Target, sweep: &mut Sweep) -> Result<(), Failure> {
        let given: Vec<&str> = self.data.iter().map(|(name, _)| name.as_str()).collect();
        let is_given = |name: &String| given.contains(&name.as_str());
        let runs: BTreeSet<(String, Option<String>)> =
            sweep.wanted()?.into_iter().map(|run| (run.data, run.point.get("inference-data").map(written))).collect();
        if !runs.iter().any(|(data, other)| is_given(data) && other.as_ref().is_none_or(is_given)) {
            let trained: BTreeSet<String> = runs.iter().map(|(data, _)| data.clone()).collect();
            let inferred: BTreeSet<String> = runs.into_iter().filter_map(|(_, other)| other).collect();
            let missing = if trained.iter().any(is_given) { inferred } else { trained };
            return usage(format!("{} also requires {}", target.name, options(&missing, " or ")));
        }
        sweep.only("data", &given)?;
        if runs.iter().any(|(_, other)| other.is_some()) {
            sweep.only("inference-data", &given)?;
        }
        Ok(())
    }

    fn keep_models(&self, target: &Target, sweep: &mut Sweep) -> Result<(), Failure> {
        // Tables may have tens of thousands of runs; one seed is enough to know their networks.
        let mut one_seed = sweep.clone();
        one_seed.seeds.truncate(1);
        let has = |model: &&str| one_seed.clone().only("model", &[model]).is_ok();
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).filter(has).collect();
        if known.is_empty() {
            return Err(unused_flag(target, "--models"));
        }
        if let Some(unknown) = self.models.iter().find(|model| !known.contains(&model.as_str())) {
            let known = known.join(", ");
            return usage(format!("{} has no network {unknown:?}; it has {known}", target.name));
        }
        Ok(sweep.only("model", &self.models)?)
    }
}

fn unused_flag(target: &Target, flag: &str) -> Failure {
    Failure::Usage(format!("{} does not use {flag}", target.name))
}

fn options(names: &BTreeSet<String>, between: &str) -> String {
    names.iter().map(|name| format!("--data {name}=PATH")).collect::<Vec<_>>().join(between)
}
