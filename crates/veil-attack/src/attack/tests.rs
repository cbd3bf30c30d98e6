use veil_graph::Matrix;
use veil_learn::{Predictor, PredictorError};
use veil_privacy::parameters::Settings;

use super::*;
use crate::linkteller::{Difference, Influence};
use crate::lsa::{LinkStealing, Metric};
use crate::pairs::Sample;
use crate::testing::{Averaging, homophilous, on_any_pool};

fn pairs(model: &Averaging) -> Pairs {
    Pairs::sample(&model.graph, Sample::Balanced, 500, 1).unwrap()
}

#[test]
fn one_hop_gives_every_edge_away_and_no_hop_gives_none() {
    let model = homophilous(60, 1, 1);
    let pairs = pairs(&model);
    for influence in [Influence::Exact, Influence::Difference(Difference::default())] {
        let scores = run(&influence, &model, &pairs, Scoring::default()).unwrap();
        let twin = run(&influence, &model.edge_free(), &pairs, Scoring::default()).unwrap();
        assert_eq!((scores.auc, scores.auc_ci), (1.0, [1.0, 1.0]), "{influence:?}");
        assert_eq!((twin.auc, twin.auc_ci), (0.5, [0.5, 0.5]), "{influence:?}");
        assert_eq!((scores.average_precision, scores.precision, scores.recall), (1.0, 1.0, 1.0));
        assert_eq!((scores.tpr_at_fpr.per_mille, scores.tpr_at_fpr.per_cent), (1.0, 1.0));
        assert_eq!(2 * scores.edges, scores.pairs);
    }
}

#[test]
fn two_hops_also_move_the_neighbours_of_neighbours() {
    let model = homophilous(60, 2, 1);
    let auc = run(&Influence::Exact, &model, &pairs(&model), Scoring::default()).unwrap().auc;
    assert!(auc > 0.9 && auc < 1.0, "{auc}");
}

/// This twin knows no edge, and edges are found in it all the same.
#[test]
fn homophily_alone_looks_like_leakage() {
    let model = homophilous(60, 1, 1);
    let pairs = pairs(&model);
    for metric in Metric::ALL {
        let attack = LinkStealing { metric, ..LinkStealing::default() };
        for model in [&model, &model.edge_free()] {
            let found = run(&attack, model, &pairs, Scoring::default()).unwrap();
            assert!(found.auc_ci[0] > 0.5, "{metric}: {found:?}");
        }
    }
}

#[test]
fn the_same_figures_on_any_number_of_threads() {
    let model = homophilous(60, 2, 1);
    let pairs = Pairs::sample(&model.graph, Sample::Unbalanced, 30, 1).unwrap();
    on_any_pool(|| run(&Difference::default(), &model, &pairs, Scoring::default()).unwrap());
    on_any_pool(|| run(&LinkStealing::default(), &model, &pairs, Scoring::default()).unwrap());
}

#[test]
fn attacks_run_behind_a_pointer() {
    let model = homophilous(20, 1, 1);
    let pairs = pairs(&model);
    let behind: &dyn Predictor = &model;
    let attack: &dyn EdgeRating<dyn Predictor> = &Difference::default();
    assert_eq!(
        run(attack, behind, &pairs, Scoring::default()),
        run(&Difference::default(), &model, &pairs, Scoring::default())
    );
}

#[test]
fn a_model_of_another_graph_is_refused() {
    let model = homophilous(20, 1, 1);
    let refused = run(&Difference::default(), &homophilous(21, 1, 1), &pairs(&model), Scoring::default());
    assert_eq!(refused, Err(AttackError::Nodes { truth: 20, model: 21 }));
}

/// Answers with one row too few.
struct Short(Averaging);

impl Predictor for Short {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }
    fn classes(&self) -> usize {
        self.0.classes()
    }
    fn features(&self, node: NodeId) -> Result<Vec<f32>, PredictorError> {
        self.0.features(node)
    }
    fn posteriors(&self, nodes: &[NodeId], changed: &[(NodeId, Vec<f32>)]) -> Result<Matrix, PredictorError> {
        self.0.posteriors(&nodes[1..], changed)
    }
}

#[test]
fn an_answer_of_another_shape_is_refused() {
    let model = Short(homophilous(20, 1, 1));
    let refused = LinkStealing::default().rate(&model, &[(0, 1), (1, 2)]);
    assert_eq!(refused, Err(AttackError::Answer { nodes: 3, classes: 2, rows: 2, columns: 2 }));
}

fn configured(name: &str, settings: &[(&str, &str)]) -> Result<EdgeAttack, AttackError> {
    on_edges(name, &settings.iter().map(|&(name, value)| (name, value.into())).collect::<Settings>())
}

#[test]
fn an_attack_of_the_table_is_the_same_as_its_rating() {
    let model = homophilous(60, 1, 1);
    for (name, settings, expected) in [
        ("linkteller", vec![], run(&Influence::Exact, &model, &pairs(&model), Scoring { belief: None, seed: 1 })),
        (
            "lsa",
            vec![("metric", "cosine"), ("belief", "0.25")],
            run(
                &LinkStealing { metric: Metric::Cosine, ..LinkStealing::default() },
                &model,
                &pairs(&model),
                Scoring { belief: Some(0.25), seed: 1 },
            ),
        ),
    ] {
        let attack = configured(name, &settings).unwrap();
        assert_eq!(attack.run(&model, &attack.pairs(&model.graph, 1).unwrap(), 1), expected);
        assert_eq!(configured(name, &settings), Ok(attack));
    }
}

#[test]
fn settings_that_are_wrong_or_without_effect_are_refused() {
    for (name, settings, problem) in [
        ("linkteler", vec![], "unknown attack \"linkteler\": expected one of linkteller, lsa, membership"),
        ("membership", vec![], "membership is not an attack on edges"),
        ("lsa", vec![("step", "1")], "unknown parameter \"step\""),
        ("lsa", vec![("metric", "manhattan")], "metric = manhattan: expected one of correlation, cosine"),
        ("lsa", vec![("softmax-twice", "true"), ("centred", "true")], "softmax-twice and centred exclude each other"),
        ("linkteller", vec![("step", "1")], "step requires influence = difference"),
        ("linkteller", vec![("influence", "difference"), ("step", "0")], "the step must be finite"),
        ("linkteller", vec![("nodes", "5")], "nodes requires sample = unbalanced"),
        ("linkteller", vec![("sample", "low-degree"), ("pairs", "5")], "pairs requires sample = balanced"),
        ("linkteller", vec![("pairs", "0")], "0 pairs are too few"),
        ("linkteller", vec![("belief", "1.5")], "belief = 1.5: expected a share"),
    ] {
        let error = configured(name, &settings).unwrap_err();
        assert!(error.to_string().contains(problem) && error.is_usage(), "{error}");
    }
}
