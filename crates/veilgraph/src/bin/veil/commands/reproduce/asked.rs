//! What was asked for, held against what a table has: data, and networks.

use std::collections::BTreeSet;

use veil_lab::outcome::written;
use veil_lab::reproduce::{Experiment, Target, Work};
use veil_lab::sweep::Sweep;
use veil_nn::Kind;

use super::Reproduce;
use crate::failure::Failure;

/// The names of all data that a table can be run on.
pub fn data_of(target: &Target) -> Result<BTreeSet<String>, Failure> {
    Ok(match &target.work {
        Work::Sweep(experiment) => experiment.data_names(target.name)?,
        Work::Students(students) => students.iter().map(|it| it.data.to_owned()).collect(),
        Work::Homophily(homophily) => homophily.data.iter().map(|&name| name.to_owned()).collect(),
        Work::Accounts(_) => BTreeSet::new(),
    })
}

impl Reproduce {
    /// At least one name, and none that the table does not have.
    pub fn check_data(&self, target: &Target) -> Result<(), Failure> {
        let known = data_of(target)?;
        let given: Vec<&str> = self.data.iter().map(|(name, _)| name.as_str()).collect();
        if let Some(unknown) = given.iter().find(|name| !known.contains(**name)) {
            let known: Vec<String> = known.into_iter().collect();
            return Err(Failure::Usage(format!(
                "{} has no data {unknown:?}: it shows {}",
                target.name,
                known.join(", ")
            )));
        }
        if let Some(twice) = given.iter().enumerate().find(|(at, name)| given[..*at].contains(name)) {
            return Err(Failure::Usage(format!("--data {} is given twice", twice.1)));
        }
        if given.is_empty() {
            return Err(Failure::Usage(format!("say where data are: {}", options(&known, " "))));
        }
        Ok(())
    }

    /// The runs of a table whose data were given, with the networks and seeds that were asked for.
    pub fn sweep(&self, target: &Target, experiment: &Experiment) -> Result<Sweep, Failure> {
        let mut sweep = experiment.sweep(target.name)?;
        if let Some(seeds) = self.seeds {
            sweep.set_seeds(seeds)?;
        }
        self.keep_given(target, &mut sweep)?;
        if !self.models.is_empty() {
            self.keep_models(target, &mut sweep)?;
        }
        Ok(sweep)
    }

    /// A run may be about two graphs: both must be there.
    fn keep_given(&self, target: &Target, sweep: &mut Sweep) -> Result<(), Failure> {
        let given: Vec<&str> = self.data.iter().map(|(name, _)| name.as_str()).collect();
        let named = |name: &String| given.contains(&name.as_str());
        let runs: BTreeSet<(String, Option<String>)> =
            sweep.wanted()?.into_iter().map(|run| (run.data, run.point.get("inference-data").map(written))).collect();
        if !runs.iter().any(|(data, other)| named(data) && other.as_ref().is_none_or(named)) {
            let trained = || runs.iter().map(|(data, _)| data.clone());
            let asked = || runs.iter().filter_map(|(_, other)| other.clone());
            let missing: BTreeSet<String> =
                if trained().any(|name| named(&name)) { asked().collect() } else { trained().collect() };
            let missing = options(&missing, " or ");
            return Err(Failure::Usage(format!("{} needs other data beside these: {missing}", target.name)));
        }
        sweep.only("data", &given)?;
        if runs.iter().any(|(_, other)| other.is_some()) {
            sweep.only("inference-data", &given)?;
        }
        Ok(())
    }

    fn keep_models(&self, target: &Target, sweep: &mut Sweep) -> Result<(), Failure> {
        let has = |model: &&str| one_seed(sweep).only("model", &[model]).is_ok();
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).filter(has).collect();
        if known.is_empty() {
            return self.refuse_models(target);
        }
        if let Some(unknown) = self.models.iter().find(|model| !known.contains(&model.as_str())) {
            let known = known.join(", ");
            return Err(Failure::Usage(format!("{} has no network {unknown:?} (it has {known})", target.name)));
        }
        let models: Vec<&str> = self.models.iter().map(String::as_str).collect();
        Ok(sweep.only("model", &models)?)
    }

    pub fn refuse_models(&self, target: &Target) -> Result<(), Failure> {
        if self.models.is_empty() {
            return Ok(());
        }
        Err(Failure::Usage(format!("{} has networks of its own: leave --models out", target.name)))
    }
}

/// Seeds differ in nothing that is asked here, and a table may have tens of thousands of runs.
fn one_seed(sweep: &Sweep) -> Sweep {
    let mut one = sweep.clone();
    one.seeds.truncate(1);
    one
}

fn options(names: &BTreeSet<String>, between: &str) -> String {
    names.iter().map(|name| format!("--data {name}=PATH")).collect::<Vec<_>>().join(between)
}
