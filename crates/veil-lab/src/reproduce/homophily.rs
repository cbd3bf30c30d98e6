//! Homophily by true classes and by the classes that models predict (LPGNet, CCS 2022, Figure 3).

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Deserialize;
use veil_graph::{Dataset, Labels, homophily};
use veil_learn::pipeline::{Terms, experiment};
use veil_learn::{PipelineError, Settings, most_likely};

use crate::outcome::{Outcome, Promised};
use crate::sweep::WorkError;

/// Models without noise, on some graphs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Homophily {
    pub(super) data: Vec<String>,
    /// The default number of seeds.
    pub seeds: u64,
    pub(super) models: Vec<Model>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    pub case: String,
    method: String,
    stages: Option<u32>,
}

impl Homophily {
    /// The number of models trained per seed.
    pub fn models(&self) -> usize {
        self.models.len()
    }

    /// The truth, and every model with every seed. `done` is called after each model.
    ///
    /// # Errors
    /// If a model cannot be trained.
    pub fn outcomes(
        &self,
        (name, data): (&str, &Dataset),
        seeds: &[u64],
        done: &dyn Fn(),
    ) -> Result<Vec<Outcome>, WorkError> {
        let labels = data.labels();
        let classes = labels.map_or(0, Labels::classes);
        let truth = figures(data, |node| labels.and_then(|labels| labels.get(node)), classes);
        let mut outcomes = vec![outcome("truth", name, 0, truth)];
        for Model { case, method, stages } in &self.models {
            let mut settings = Settings::from_iter([("epsilon-edges", "inf".into())]);
            stages.iter().for_each(|&stages| drop(settings.insert("stages", stages)));
            for &seed in seeds {
                let start = Instant::now();
                let run = experiment(method, &settings, data.clone(), Terms::default(), seed)?.run;
                let predicted = most_likely(&run.posteriors().map_err(PipelineError::from)?);
                let found = figures(data, |node| predicted.get(node as usize).copied(), classes);
                let promises = Promised::of(run.released().statement());
                let seconds = start.elapsed().as_secs_f64();
                outcomes.push(Outcome { promises, seconds, ..outcome(case, name, seed, found) });
                done();
            }
        }
        Ok(outcomes)
    }
}

/// One figure per class that has nodes with neighbours, and one of all edges.
fn figures(data: &Dataset, class: impl Fn(u32) -> Option<u32>, classes: u32) -> BTreeMap<String, f64> {
    let each = homophily::per_class(data.graph(), &class, classes).into_iter().enumerate();
    let each = each.filter_map(|(class, figure)| Some((format!("homophily_class_{class}"), figure?)));
    let edges = homophily::of_edges(data.graph(), &class).map(|figure| ("homophily_edges".to_owned(), figure));
    each.chain(edges).collect()
}

fn outcome(case: &str, data: &str, seed: u64, figures: BTreeMap<String, f64>) -> Outcome {
    Outcome { case: case.to_owned(), data: data.to_owned(), seed, figures, ..Outcome::default() }
}

#[cfg(test)]
mod tests {
    use veil_graph::generate::Community;

    use super::*;

    /// An MLP reads no edges: on a graph of communities, its classes are less alike among
    /// neighbours than the true ones.
    #[test]
    fn models_stand_beside_the_truth() {
        let data = Community::citation().with_nodes(300).check().unwrap().generate(1);
        let mlp = Model { case: "mlp".into(), method: "mlp".into(), stages: None };
        let homophily = Homophily { data: vec!["g".into()], seeds: 1, models: vec![mlp] };
        let found = homophily.outcomes(("g", &data), &[1, 2], &|| ()).unwrap();
        let cases: Vec<(&str, u64)> = found.iter().map(|it| (it.case.as_str(), it.seed)).collect();
        assert_eq!(cases, [("truth", 0), ("mlp", 1), ("mlp", 2)]);
        let labels = data.labels().unwrap();
        let exact = homophily::per_class(data.graph(), |node| labels.get(node), labels.classes());
        assert_eq!(found[0].figures.get("homophily_class_0").copied(), exact[0]);
        assert!(found[0].figures["homophily_edges"] > found[1].figures["homophily_edges"], "{found:?}");
    }
}
