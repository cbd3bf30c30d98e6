//! Small sweeps, computed by hand.

use serde_json::{Value, json};

use super::{Candidates, NoVerdict, References, Role, Scored, Worth, worth};
use crate::outcome::Outcome;
use crate::report::tests::example::{outcome, promised};

/// What is promised about edges: unit, ε and status.
pub(crate) type Promise<'a> = Option<(&'a str, Option<f64>, &'a str)>;

/// Runs of one point, with seeds 1, 2, …: accuracies, the AUC in all of them, and a promise.
pub(crate) fn runs(
    case: &str,
    point: &[(&str, Value)],
    accuracies: &[f64],
    auc: f64,
    promise: Promise<'_>,
) -> Vec<Outcome> {
    let run = |(accuracy, seed): (&f64, u64)| {
        let mut run = outcome(case, "cora", point, seed, &[("test_accuracy", *accuracy), ("lsa_auc", auc)]);
        run.promises.push(promised("feature", None, "none", "none"));
        run.promises.extend(promise.map(|(unit, epsilon, status)| promised(unit, epsilon, status, "m")));
        run
    };
    accuracies.iter().zip(1..).map(run).collect()
}

fn references() -> References {
    References { floor: Some("mlp".into()), non_private: Some("gcn".into()) }
}

fn of<'a>(points: &'a [Worth], case: &str) -> &'a Worth {
    points.iter().find(|point| point.case == case).unwrap()
}

pub(crate) const OPEN: Promise<'_> = Some(("edge", None, "none"));

pub(crate) fn edge(epsilon: f64, status: &str) -> Promise<'_> {
    Some(("edge", Some(epsilon), status))
}

/// Eighths are exact: 0.875 − 0.625 is 0.25 to the last bit.
#[test]
fn four_cases_by_hand() {
    let outcomes = [
        runs("gcn", &[], &[0.875, 0.75, 0.8125], 0.9, OPEN),
        runs("mlp", &[], &[0.5, 0.5, 0.5], 0.5, None),
        runs("lpgnet", &[], &[0.625, 0.625, 0.625], 0.6, edge(1.0, "proven")),
        runs("dpgcn", &[], &[0.375, 0.625, 0.5], 0.5, edge(1.0, "proven")),
    ]
    .concat();
    let points = worth(&outcomes, &references());
    assert_eq!(points.iter().map(|point| point.case.as_str()).collect::<Vec<_>>(), ["gcn", "mlp", "lpgnet", "dpgcn"]);
    let lpgnet = of(&points, "lpgnet");
    assert_eq!((lpgnet.runs, lpgnet.failed, lpgnet.accuracy.unwrap().mean), (3, 0, 0.625));
    assert_eq!(lpgnet.accuracy.unwrap().interval, Some([0.625, 0.625]));
    // Seed by seed 0.25, 0.125 and 0.1875.
    let gap = lpgnet.gap.as_ref().unwrap();
    assert_eq!((gap.reference.as_str(), gap.gap.difference.mean), ("gcn", 0.1875));
    assert_eq!(gap.gap.difference.interval, Some([0.125, 0.25]));
    assert_eq!(of(&points, "mlp").gap.as_ref().unwrap().gap.difference.mean, 0.3125);
    assert_eq!(of(&points, "gcn").gap, None);
    // DpGCN is as accurate as the floor, which tells nothing of edges, and is found out as little.
    let on: Vec<(Option<bool>, bool)> =
        points.iter().map(|point| (point.front.epsilon, point.front.attacks["lsa_auc"])).collect();
    assert_eq!(on, [(Some(true), true), (Some(true), true), (Some(true), true), (Some(false), true)]);
    let sweet: Vec<Option<bool>> = points.iter().map(Worth::is_sweet).collect();
    assert_eq!(sweet, [None, None, Some(true), Some(false)]);
}

/// A mean above the floor is not enough, nor are two seeds.
#[test]
fn a_sweet_spot_is_one_seed_by_seed() {
    let sure = |floor: &[f64], accuracies: &[f64]| {
        let outcomes = [
            runs("gcn", &[], &[0.75; 4], 0.9, OPEN),
            runs("mlp", &[], floor, 0.5, None),
            runs("lpgnet", &[], accuracies, 0.6, edge(1.0, "proven")),
        ];
        let points = worth(&outcomes.concat(), &references());
        let found = of(&points, "lpgnet");
        (found.is_sweet(), found.no_verdict)
    };
    assert_eq!(sure(&[0.5, 0.625, 0.75], &[0.5625, 0.75, 0.875]), (Some(true), None), "what the seeds share cancels");
    assert_eq!(sure(&[0.5, 0.625, 0.75], &[0.875, 0.875, 0.6875]), (Some(false), None));
    let few = (None, Some(NoVerdict::TooFewSeeds));
    assert_eq!(sure(&[0.5], &[0.75]), few);
    assert_eq!(sure(&[0.5; 2], &[0.75; 4]), few);
    let alone = runs("lpgnet", &[], &[0.625; 3], 0.6, edge(1.0, "proven"));
    assert_eq!(worth(&alone, &references())[0].is_sweet(), None);
}

/// What is refuted or claimed is none, whatever was measured; nor is what an attack finds nearly as
/// easily as without privacy, of which the advantage over the floor is the measure.
#[test]
fn a_sweet_spot_is_proven_and_hard_to_attack() {
    let verdict = |status: &str, auc: f64, floor_auc: f64| {
        let outcomes = [
            runs("gcn", &[], &[0.875; 3], 0.875, OPEN),
            runs("mlp", &[], &[0.5; 3], floor_auc, None),
            runs("own", &[], &[0.75; 3], auc, edge(1.0, status)),
        ];
        of(&worth(&outcomes.concat(), &references()), "own").is_sweet()
    };
    assert_eq!(verdict("proven", 0.5, 0.5), Some(true));
    assert_eq!(["refuted", "claimed", "none"].map(|status| verdict(status, 0.5, 0.5)), [Some(false); 3]);
    // Half of the way from 0.5 to 0.875 is 0.6875.
    assert_eq!([0.8125, 0.6875, 0.625].map(|auc| verdict("proven", auc, 0.5)), [Some(false), Some(false), Some(true)]);
    // Homophily alone gives 0.75: an AUC of 0.8 has lost most of the advantage.
    assert_eq!([0.8, 0.85].map(|auc| verdict("proven", auc, 0.75)), [Some(true), Some(false)]);
    // The ceiling is never above the non-private case.
    assert_eq!([0.9, 0.8].map(|auc| verdict("proven", auc, 0.95)), [Some(false), Some(true)]);
}

/// Each network has its own floor and its own non-private case; without them there is no verdict.
#[test]
fn a_sweet_spot_is_compared_with_the_same_settings() {
    let model = |name: &str| [("model", json!(name))];
    let with = |case: &str, name: &str, accuracy: f64, auc: f64, promise| {
        runs(case, &model(name), &[accuracy; 3], auc, promise)
    };
    let outcomes = [
        with("gcn", "gcn", 0.875, 0.75, OPEN),
        with("gcn", "gat", 0.875, 0.9, OPEN),
        with("mlp", "gcn", 0.5, 0.5, None),
        with("mlp", "gat", 0.75, 0.5, None),
        // Below the floor of the other network, and more easily attacked than half-way to its
        // non-private twin.
        with("gp", "gcn", 0.625, 0.6, edge(1.0, "proven")),
        with("gp", "gat", 0.8125, 0.65, edge(1.0, "proven")),
        with("gp", "sage", 0.875, 0.5, edge(1.0, "proven")),
    ];
    let points = worth(&outcomes.concat(), &references());
    let found: Vec<_> = points[4..].iter().map(|point| (point.is_sweet(), point.no_verdict)).collect();
    assert_eq!(found, [(Some(true), None), (Some(true), None), (None, Some(NoVerdict::NoReference))]);
}

/// Runs with these parameters, each beside what the grid says.
fn trained(mut runs: Vec<Outcome>, parameters: &[(&str, Value)]) -> Vec<Outcome> {
    let common = [
        ("method", json!("gnn")),
        ("model", json!("gcn")),
        ("hidden", json!(16)),
        ("kx", json!(0)),
        ("epochs", json!(100)),
        ("select", json!("last")),
        ("epsilon-features", json!("inf")),
        ("split", json!("public")),
    ];
    for run in &mut runs {
        run.parameters = common.iter().chain(parameters).map(|(name, it)| ((*name).to_owned(), it.clone())).collect();
    }
    runs
}

/// What stands in a case and not in the grid makes a difference too.
#[test]
fn only_what_was_trained_alike_is_compared() {
    let private = |parameters: &[(&str, Value)]| {
        let open = trained(runs("gcn", &[], &[0.75; 3], 0.9, OPEN), &[]);
        let floor = trained(runs("mlp", &[], &[0.5; 3], 0.5, None), &[("reads", json!("none"))]);
        let own = trained(runs("own", &[], &[0.625; 3], 0.6, edge(1.0, "proven")), parameters);
        let points = worth(&[open, floor, own].concat(), &references());
        let own = of(&points, "own").clone();
        (own.gap.map(|gap| gap.differs), own.sweet.get("lsa_auc").copied())
    };
    let [krr, counts] = ["neighbour-krr", "degree-vectors"].map(|method| ("method", json!(method)));
    let alike = (Some(Vec::new()), Some(true));
    assert_eq!(private(&[krr.clone(), ("epsilon-edges", json!(1)), ("alpha", json!(0.5))]), alike);
    for other in [
        ("epochs", json!(500)),
        ("model", json!("gat")),
        ("kx", json!(2)),
        ("split", json!("all")),
        ("epsilon-features", json!(1)),
    ] {
        assert_eq!(private(&[krr.clone(), other.clone()]), (None, None), "{other:?}");
    }
    // A network that reads counts is another one by nature, and no longer trained for that.
    let (gap, sweet) = private(&[counts.clone(), ("model", json!("mlp")), ("hidden", json!(64))]);
    assert_eq!((gap, sweet), (Some(vec!["hidden".to_owned(), "model".to_owned()]), Some(true)));
    assert_eq!(private(&[counts, ("epochs", json!(500))]), (None, None));
    // So is the selected epoch where users report and no owner has a method.
    let select = ("select", json!("reference"));
    assert_eq!(private(&[krr, select.clone()]).0, Some(vec!["select".to_owned()]));
    assert_eq!(private(&[("method", json!("dpgcn")), select]), (None, None));
}

/// The network that differs least is the one to be compared with.
#[test]
fn of_several_references_the_likest_is_taken() {
    let counts = [("method", json!("degree-vectors")), ("model", json!("mlp")), ("hidden", json!(64))];
    let outcomes = [
        trained(runs("gcn", &[("hidden", json!(16))], &[0.75; 3], 0.9, OPEN), &[("hidden", json!(16))]),
        trained(runs("gcn", &[("hidden", json!(64))], &[0.875; 3], 0.9, OPEN), &[("hidden", json!(64))]),
        trained(runs("own", &[], &[0.625; 3], 0.6, edge(1.0, "proven")), &counts),
    ];
    let points = worth(&outcomes.concat(), &references());
    let gap = of(&points, "own").gap.as_ref().unwrap();
    assert_eq!((gap.gap.difference.mean, gap.differs.as_slice()), (0.25, &["model".to_owned()][..]));
}

/// Names may be the same by chance: what was trained or promised otherwise is another point.
#[test]
fn runs_of_one_point_differ_in_the_seed_alone() {
    let one = || trained(runs("gcn", &[], &[0.75; 2], 0.9, edge(1.0, "proven")), &[]);
    let mut failed = trained(runs("gcn", &[], &[0.75; 2], 0.9, None), &[]);
    failed.iter_mut().for_each(|run| (run.error, run.promises) = (Some("no room".into()), Vec::new()));
    let longer = trained(runs("gcn", &[], &[0.75; 2], 0.9, edge(1.0, "proven")), &[("epochs", json!(200))]);
    let refuted = trained(runs("gcn", &[], &[0.75; 2], 0.9, edge(1.0, "refuted")), &[]);
    let mut explained = one();
    explained[1].promises[0].assumptions.push("in other words".into());
    let points = worth(&[failed, explained, longer, refuted].concat(), &references());
    let found: Vec<_> = points.iter().map(|point| (point.runs, point.failed)).collect();
    assert_eq!(found, [(4, 2), (2, 0), (2, 0)]);
}

/// A model with an inference graph is attacked there, so its accuracy is measured there.
#[test]
fn accuracy_is_of_the_graph_that_is_attacked() {
    let elsewhere = |mut runs: Vec<Outcome>, there: f64| {
        for run in &mut runs {
            run.figures.insert("inference_accuracy".into(), there);
        }
        runs
    };
    let outcomes = [
        elsewhere(runs("gcn", &[], &[1.0; 3], 0.9, OPEN), 0.75),
        elsewhere(runs("mlp", &[], &[0.5; 3], 0.5, None), 0.25),
        elsewhere(runs("lpgnet", &[], &[0.25; 3], 0.6, edge(1.0, "proven")), 0.5),
        // Asked about its own graph: neither its gap nor its place on a front is the others'.
        runs("dpgcn", &[], &[0.875; 3], 0.5, edge(0.5, "proven")),
    ];
    let points = worth(&outcomes.concat(), &references());
    let lpgnet = of(&points, "lpgnet");
    assert_eq!((lpgnet.scored, lpgnet.accuracy.unwrap().mean), (Scored::Inference, 0.5));
    assert_eq!((lpgnet.gap.as_ref().unwrap().gap.difference.mean, lpgnet.is_sweet()), (0.25, Some(true)));
    assert!(lpgnet.front.epsilon == Some(true) && lpgnet.front.attacks["lsa_auc"]);
    let dpgcn = of(&points, "dpgcn");
    assert_eq!((dpgcn.scored, &dpgcn.gap, dpgcn.is_sweet()), (Scored::Test, &None, None));
    assert_eq!(json!(points)[2]["scored"], "inference");
}

#[test]
fn the_reference_has_the_same_settings_or_is_the_same_case_at_infinity() {
    let model = |name: &str| ("model", json!(name));
    let mut outcomes = [
        runs("gcn", &[model("gcn")], &[0.75], 0.9, OPEN),
        runs("gcn", &[model("gat")], &[0.875], 0.9, OPEN),
        runs("gp", &[model("gat"), ("epsilon-edges", json!(1))], &[0.5], 0.6, edge(1.0, "proven")),
        runs("gp", &[model("sage"), ("epsilon-edges", json!(1))], &[0.5], 0.6, edge(1.0, "proven")),
        runs("gp", &[model("sage"), ("epsilon-edges", json!("inf"))], &[0.625], 0.6, OPEN),
        // Two models to compare with, and no telling which.
        runs("any", &[], &[0.5], 0.6, edge(1.0, "proven")),
    ]
    .concat();
    let points = worth(&outcomes, &references());
    let gaps: Vec<Option<(&str, f64)>> = points
        .iter()
        .map(|point| point.gap.as_ref().map(|found| (found.reference.as_str(), found.gap.difference.mean)))
        .collect();
    assert_eq!(gaps, [None, None, Some(("gcn", 0.375)), Some(("gp", 0.125)), None, None]);
    // Without a seed in common there is no gap; other data are another matter altogether.
    outcomes[2].seed = 7;
    outcomes[4].data = "citeseer".into();
    let points = worth(&outcomes, &references());
    assert!(points.iter().all(|point| point.gap.is_none()));
}

#[test]
fn the_front_of_epsilon_holds_what_can_be_compared() {
    let outcomes = [
        runs("gcn", &[], &[0.75], 0.9, OPEN),
        runs("mlp", &[], &[0.5], 0.5, None),
        // Beaten by what is cheaper and as accurate.
        runs("dear", &[], &[0.625], 0.6, edge(4.0, "proven")),
        runs("cheap", &[], &[0.625], 0.6, edge(1.0, "claimed")),
        // It would beat all, did it hold.
        runs("refuted", &[], &[1.0], 0.6, edge(0.5, "refuted")),
        // Less accurate than the floor, but a node is more than an edge: the floor tells nodes'
        // features and labels.
        runs("node", &[], &[0.375], 0.6, Some(("node", Some(4.0), "proven"))),
        // No promise about the edges that it got, and less accurate than the other without one.
        runs("open", &[], &[0.625], 0.9, OPEN),
    ]
    .concat();
    let points = worth(&outcomes, &references());
    let on: Vec<Option<bool>> = points.iter().map(|point| point.front.epsilon).collect();
    assert_eq!(on, [Some(true), Some(true), Some(false), Some(true), None, Some(true), Some(false)]);
    // An attack measures: what is refuted takes part, and no other is as accurate.
    assert!(of(&points, "refuted").front.attacks["lsa_auc"] && !of(&points, "gcn").front.attacks["lsa_auc"]);
}

#[test]
fn without_promises_the_most_accurate_is_on_the_front() {
    let outcomes = [runs("gcn", &[], &[0.75], 0.9, OPEN), runs("gat", &[], &[0.625], 0.9, OPEN)].concat();
    let points = worth(&outcomes, &References::default());
    assert_eq!([&points[0], &points[1]].map(|point| point.front.epsilon), [Some(true), Some(false)]);
}

#[test]
fn failed_runs_and_figures_that_are_none_count_for_nothing() {
    let mut outcomes = runs("lpgnet", &[], &[0.5, 0.75, f64::NAN], 0.6, edge(1.0, "proven"));
    outcomes[1].error = Some("no room".into());
    outcomes[0].figures.insert("rare_roc_auc".into(), 0.9);
    let points = worth(&outcomes, &References::default());
    let [found] = points.as_slice() else { panic!("{points:?}") };
    assert_eq!((found.runs, found.failed, found.accuracy.unwrap().count), (3, 1, 1));
    // The AUC of the rarer class is no attack.
    assert_eq!(found.attacks.keys().collect::<Vec<_>>(), ["lsa_auc"]);
    let nothing = worth(&outcomes[1..2], &References::default());
    assert_eq!((nothing[0].accuracy, nothing[0].front.epsilon), (None, None));
}

#[test]
fn floor_and_non_private_case_are_found_by_what_they_promise() {
    let mut outcomes = [
        runs("gcn", &[], &[0.75], 0.9, OPEN),
        runs("mlp", &[], &[0.5], 0.5, None),
        runs("lpgnet", &[("epsilon-edges", json!("inf"))], &[0.7], 0.6, OPEN),
        runs("lpgnet", &[("epsilon-edges", json!(1))], &[0.6], 0.6, edge(1.0, "proven")),
    ]
    .concat();
    assert_eq!(References::default().or_found(&outcomes), references());
    let named = References { non_private: Some("lpgnet".into()), floor: None };
    assert_eq!(named.or_found(&outcomes).non_private.as_deref(), Some("lpgnet"));
    // Of two it is neither.
    outcomes.extend(runs("gat", &[], &[0.75], 0.9, OPEN));
    assert_eq!(Candidates::of(&outcomes).non_private, ["gat", "gcn"]);
    let found = References::default().or_found(&outcomes);
    assert_eq!((found.floor.as_deref(), found.non_private.as_deref()), (Some("mlp"), None));
}

#[test]
fn what_is_found_can_be_read_by_programs() {
    let outcomes = [
        runs("gcn", &[], &[0.875, 0.75, 0.8125], 0.9, OPEN),
        runs("mlp", &[], &[0.5; 3], 0.5, None),
        runs("lpgnet", &[], &[0.625; 3], 0.6, edge(1.0, "proven")),
    ];
    let points = worth(&outcomes.concat(), &references());
    assert_eq!(points[0].role, Role::NonPrivate);
    let written = json!(points);
    assert_eq!([&written[0]["epsilon"], &written[2]["epsilon"]], [&json!("inf"), &json!(1.0)]);
    assert_eq!([&written[0]["role"], &written[1]["role"]], [&json!("non-private"), &json!("floor")]);
    assert_eq!([&written[0]["edge_free"], &written[1]["edge_free"]], [&json!(false), &json!(true)]);
    assert_eq!(written[2]["gap"]["reference"], "gcn");
    assert_eq!(written[2]["gap"]["difference"]["mean"], 0.1875);
    assert_eq!(written[2]["front"], json!({ "epsilon": true, "attacks": { "lsa_auc": true } }));
    assert_eq!(written[2]["sweet"], json!({ "lsa_auc": true }));
}

/// Degree vectors promise ε of a bit and 2ε of a set: at 2 they keep what only promises 2 of a set
/// from its front.
#[test]
fn who_promises_about_two_units_takes_part_in_both() {
    let mut vectors = runs("vectors", &[], &[0.75, 0.75], 0.5, Some(("edge-bit", Some(1.0), "proven")));
    vectors.iter_mut().for_each(|run| run.promises.push(promised("edge-set", Some(2.0), "proven", "m")));
    let krr = runs("krr", &[], &[0.5, 0.5], 0.5, Some(("edge-set", Some(2.0), "proven")));
    let cheap = runs("cheap", &[], &[0.5, 0.5], 0.5, Some(("edge-set", Some(1.0), "proven")));
    let points = worth(&[vectors, krr, cheap].concat(), &References::default());
    let on = ["vectors", "krr", "cheap"].map(|case| of(&points, case).front.epsilon);
    assert_eq!(on, [Some(true), Some(false), Some(true)]);
}

/// A case may be called non-private and yet have an ε: that is no line to be better than.
#[test]
fn a_point_with_an_epsilon_is_not_non_private() {
    let private = [
        runs("gcn", &[("epsilon", json!(1))], &[0.5; 3], 0.5, edge(1.0, "proven")),
        runs("mlp", &[], &[0.25; 3], 0.5, None),
        runs("lpgnet", &[], &[0.75; 3], 0.625, edge(1.0, "proven")),
    ];
    assert_eq!(of(&worth(&private.concat(), &references()), "lpgnet").is_sweet(), None);
    let open = [runs("gcn", &[("epsilon", json!("inf"))], &[0.75; 3], 0.875, OPEN), private.concat()];
    assert_eq!(of(&worth(&open.concat(), &references()), "lpgnet").is_sweet(), Some(true));
}

/// Both methods have ε = 1; that one promises 0.998 does not make it cheaper.
#[test]
fn what_was_asked_for_is_what_it_costs() {
    let epsilon = [("epsilon", json!(1))];
    let outcomes = [
        runs("sums", &epsilon, &[0.75, 0.75], 0.5, edge(1.0, "proven")),
        runs("teachers", &epsilon, &[0.25, 0.25], 0.5, edge(0.998, "proven")),
    ];
    let points = worth(&outcomes.concat(), &References::default());
    assert_eq!(["sums", "teachers"].map(|case| of(&points, case).front.epsilon), [Some(true), Some(false)]);
}
