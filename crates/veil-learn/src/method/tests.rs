//! The registry: names, defaults, and what is missing or useless.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use veil_privacy::Unit;
use veil_privacy::parameters::{Group, Settings};
use veil_privacy::protocol::ProtocolParamError;
use veil_privacy::protocol::cascade::Heard;
use veil_privacy::protocol::degree_vectors::Noise;
use veil_privacy::release::EdgePlan;

use super::*;

const NODES: u32 = 5;
const CLASSES: u32 = 3;

fn configured(name: &str, given: &[(&str, Value)]) -> Result<Arc<dyn Method>, MethodError> {
    configure(name, &given.iter().cloned().collect())
}

fn method(name: &str, given: &[(&str, Value)]) -> Arc<dyn Method> {
    configured(name, given).unwrap()
}

/// The value of a parameter.
fn value(method: &Arc<dyn Method>, name: &str) -> Value {
    method.settings().get(name).cloned().unwrap_or(Value::Null)
}

#[test]
fn names_are_unique_and_found() {
    let names: BTreeSet<&str> = entries().iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), entries().len());
    for entry in entries() {
        assert_eq!(find(entry.name).unwrap().name, entry.name);
        assert_eq!(method(entry.name, &[]).name(), entry.name);
        assert!(!entry.about.is_empty() && !entry.needs.is_empty(), "{}", entry.name);
    }
    let problem = find("banana").unwrap_err().to_string();
    assert!(problem.contains("banana") && problem.contains("degree-vectors"), "{problem}");
}

#[test]
fn every_parameter_has_one_name_and_a_help_text() {
    for entry in entries() {
        let parameters = entry.parameters();
        let names: BTreeSet<&String> = parameters.iter().map(|it| &it.name).collect();
        assert_eq!(names.len(), parameters.len(), "{}", entry.name);
        assert!(parameters.iter().all(|it| !it.help.is_empty()), "{}", entry.name);
    }
}

/// What an entry states decides who is listed, audited and chosen: it is what the plan promises.
#[test]
fn every_entry_states_what_its_plan_promises() {
    for entry in entries().iter().filter(|entry| !entry.public_graph) {
        let budget = if entry.reads("epsilon-edges") { "epsilon-edges" } else { "epsilon" };
        let given = if entry.reads(budget) { vec![(budget, json!(4))] } else { Vec::new() };
        let promises = method(entry.name, &given).edges(NODES, CLASSES).unwrap().guarantees();
        let stated = promises.first().filter(|it| it.epsilon.is_finite()).map(|it| (it.unit, it.trust, it.status));
        assert_eq!(stated, entry.unit.map(|unit| (unit, entry.trust, entry.status)), "{}", entry.name);
    }
}

/// A record of a run is read as the method that wrote it.
#[test]
fn settings_make_the_same_method_again() {
    // Values that differ from every default, of each kind.
    let others = [
        ("epsilon-edges", json!(0.1)),
        ("epsilon-labels", json!("inf")),
        ("epsilon", json!(0.000_000_001)),
        ("delta", json!(1e-7)),
        ("dropout", json!(0.3)),
        ("epochs", json!(7)),
        ("bias", json!(false)),
        ("select", json!("lowest-validation-loss")),
        ("measure", json!("euclidean")),
        ("recipe", json!("lpgnet")),
        ("unit", json!("edge-set")),
    ];
    for entry in entries() {
        let read = others.iter().filter(|(name, _)| entry.reads(name)).cloned();
        for given in [Settings::default(), read.collect()] {
            let settings = entry.configure(&given).unwrap().settings();
            for (name, value) in given.iter() {
                assert_eq!(settings.get(name), Some(value), "{}: {name}", entry.name);
            }
            assert_eq!(entry.configure(&settings).unwrap().settings(), settings, "{}", entry.name);
            // Likewise after a record was written and read.
            let text = serde_json::to_string(&settings).unwrap();
            let read: Settings = serde_json::from_str(&text).unwrap();
            assert_eq!(entry.configure(&read).unwrap().settings(), settings, "{}", entry.name);
        }
    }
}

/// Every default is decided once: a method that was decided is not decided otherwise.
#[test]
fn decisions_are_final() {
    for entry in entries() {
        let epsilon: Settings = ["epsilon-edges", "epsilon"]
            .into_iter()
            .filter(|name| entry.reads(name))
            .map(|name| (name, json!(8)))
            .collect();
        for validated in [true, false] {
            let decided = entry
                .configure(&epsilon)
                .unwrap()
                .decided(Facts { validated, classes: CLASSES, nodes: NODES })
                .unwrap();
            let again = entry.configure(&decided).unwrap();
            assert_eq!(
                again.decided(Facts { validated: !validated, classes: 9, nodes: NODES }).unwrap(),
                decided,
                "{}",
                entry.name
            );
        }
    }
}

#[test]
fn unknown_parameters_are_refused_with_the_methods_that_read_them() {
    let problem = |method: &str, name: &str| configured(method, &[(name, json!(1))]).unwrap_err().to_string();
    assert_eq!(problem("gnn", "readout"), "readout is not a parameter of gnn: only lpgnet reads it");
    assert_eq!(problem("lpgnet", "queries"), "queries is not a parameter of lpgnet: it belongs to privgnn and pate");
    assert_eq!(problem("gnn", "epsilon_edges"), "epsilon_edges is not a parameter of gnn: unknown parameter");
    let hint = configured("mlp", &[("kx", json!(1))]).unwrap_err().hint().unwrap();
    assert!(hint.starts_with("mlp reads epsilon-features, epsilon-labels"), "{hint}");
}

/// ε = inf for something that a method does not release is harmless, and tables have a column for
/// it; a misspelt name is not.
#[test]
fn an_infinite_epsilon_of_another_method_is_ignored() {
    for (method, name) in [("gnn", "epsilon-edges"), ("mlp", "epsilon-edges"), ("privgnn", "epsilon-features")] {
        assert_eq!(value(&self::method(method, &[(name, json!("inf"))]), name), Value::Null);
        assert!(matches!(configured(method, &[(name, json!(1))]), Err(MethodError::NotAParameter { .. })));
    }
    assert!(matches!(configured("gnn", &[("epsilon-egdes", json!("inf"))]), Err(MethodError::NotAParameter { .. })));
}

#[test]
fn values_of_the_wrong_kind_are_refused_by_name() {
    for (name, value) in [
        ("epsilon-edges", json!(-1)),
        ("epsilon-edges", json!("much")),
        ("epochs", json!(-1)),
        ("epochs", json!(1.5)),
        ("strategy", json!("banana")),
        ("bias", json!(3)),
        ("lr", json!("fast")),
    ] {
        let problem = configured("graph-privatizer", &[(name, value.clone())]).unwrap_err();
        assert!(matches!(problem, MethodError::Parameter(_)), "{name} = {value}: {problem}");
        assert!(problem.to_string().starts_with(name), "{problem}");
    }
}

/// Methods without a ε of their own plan without one; all others require it.
#[test]
fn a_missing_epsilon_is_an_error() {
    for entry in entries() {
        let plan = |given: &[(&str, Value)]| method(entry.name, given).edges(NODES, CLASSES);
        match entry.name {
            "mlp" | "edge-free" | "dp-mlp" => assert_eq!(plan(&[]), Ok(EdgePlan::Withheld)),
            "gnn" => {
                assert_eq!(plan(&[]), Ok(EdgePlan::Raw));
                assert_eq!(plan(&[("reads", json!("none"))]), Ok(EdgePlan::Withheld));
            }
            name @ moments::NAME => assert_eq!(plan(&[]), Err(MethodError::Missing { method: name, name: "epsilon" })),
            _ if entry.public_graph => assert_eq!(plan(&[]), Ok(EdgePlan::Raw)),
            name => assert_eq!(plan(&[]), Err(MethodError::Missing { method: name, name: "epsilon-edges" })),
        }
    }
}

#[test]
fn edges_are_released_by_the_mechanism_of_the_method() {
    let one = ("epsilon-edges", json!(1));
    for entry in veil_privacy::protocol::ENTRIES {
        let plan = method(entry.name, std::slice::from_ref(&one)).edges(NODES, CLASSES);
        assert!(matches!(plan, Ok(EdgePlan::Lists(it)) if it.name() == entry.name), "{}", entry.name);
    }
    for graph in ["lapgraph", "edgerand"] {
        let plan = method("dpgcn", &[one.clone(), ("graph", json!(graph))]).edges(NODES, CLASSES);
        assert!(matches!(plan, Ok(EdgePlan::Graph(it)) if it.name() == graph), "{graph}");
    }
    let vectors = |name: &str, given: &[(&str, Value)]| match method(name, given).edges(NODES, CLASSES) {
        Ok(EdgePlan::Vectors(vectors)) => vectors,
        other => panic!("{other:?}"),
    };
    let local = vectors("degree-vectors", &[one.clone(), ("rounds", json!(2))]);
    assert_eq!((local.unit(), local.rounds()), (Unit::EdgeBit, 2));
    let central = vectors("lpgnet", &[one.clone(), ("stages", json!(3))]);
    assert_eq!((central.unit(), central.rounds()), (Unit::Edge, 3));
    for (epsilon, paired) in [(1, true), (8, false)] {
        let given = [("epsilon-edges", json!(epsilon)), ("batches", json!(2))];
        let Ok(EdgePlan::Cascade(cascade)) = method("cascade", &given).edges(NODES, CLASSES) else { panic!() };
        let params = cascade.params();
        assert_eq!((params.unit, params.batches, params.paired), (Unit::Edge, 2, paired));
    }
    let of_users = |given: &[(&str, Value)]| {
        let given = [std::slice::from_ref(&one), given].concat();
        let Ok(EdgePlan::Cascade(cascade)) = method("cascade-local", &given).edges(NODES, CLASSES) else { panic!() };
        *cascade.params()
    };
    let without = of_users(&[]);
    assert_eq!((without.unit, without.batches, without.paired), (Unit::EdgeBit, 4, false));
    let with = of_users(&[("epsilon-features", json!("inf")), ("heard", json!("all"))]);
    assert_eq!((with.batches, with.paired, with.heard), (1, true, Heard::All));
    // Found before another graph is charged: too few nodes, or nothing that tells them apart.
    let other = |name: &str, given: &[(&str, Value)], nodes| {
        method(name, &[std::slice::from_ref(&one), given].concat()).check_other(Other {
            nodes,
            validates: false,
            features: given.iter().any(|(name, _)| *name == "epsilon-features"),
        })
    };
    let few = other("cascade", &[("batches", json!(3))], 2);
    assert!(matches!(few, Err(LearnError::TooFewNodes { nodes: 2, batches: 3 })));
    assert!(matches!(other("cascade-local", &[], 9), Err(LearnError::NoFeatures)));
    other("cascade-local", &[("epsilon-features", json!("inf"))], 9).unwrap();
    // Exact counts: a plan that promises nothing.
    assert_eq!(vectors("degree-vectors", &[("epsilon-edges", json!("inf"))]).noise(), Noise::None);
}

#[test]
fn an_infinite_epsilon_releases_the_edges_unchanged() {
    let infinite = ("epsilon-edges", json!("inf"));
    for name in veil_privacy::protocol::ENTRIES.iter().map(|entry| entry.name).chain(["dpgcn"]) {
        assert_eq!(method(name, std::slice::from_ref(&infinite)).edges(NODES, CLASSES), Ok(EdgePlan::Raw), "{name}");
    }
}

#[test]
fn more_edges_than_allowed_are_refused() {
    let expected = |name: &str, given: &[(&str, Value)]| {
        let given = [&[("epsilon-edges", json!(1))], given].concat();
        match method(name, &given).edges(NODES, CLASSES) {
            Err(error @ MethodError::Protocol { source: ProtocolParamError::TooManyEdges { .. }, .. }) => {
                assert!(error.hint().unwrap().contains("max-edges"));
                let MethodError::Protocol { source: ProtocolParamError::TooManyEdges { expected, .. }, .. } = error
                else {
                    unreachable!()
                };
                Some(expected)
            }
            other => other.map(|_| None).unwrap(),
        }
    };
    assert_eq!(expected("edge-flip", &[("max-edges", json!(1))]), Some(6));
    // With nine tenths of ε.
    assert_eq!(expected("blink", &[("max-edges", json!(1)), ("degree-share", json!(0.9))]), Some(10));
    // A count with that much noise may be anything, up to all 10 pairs.
    let noisy = ("epsilon-count", json!("0.0000001"));
    assert_eq!(expected("dpgcn", &[noisy.clone(), ("max-edges", json!(9))]), Some(10));
    assert_eq!(expected("dpgcn", &[noisy, ("max-edges", json!(10))]), None);
}

/// Also where ε = inf makes a parameter useless.
#[test]
fn parameters_out_of_range_are_refused() {
    for epsilon in [json!(1), json!("inf"), Value::Null] {
        let mut given = vec![("alpha", json!(1.5))];
        given.extend((!epsilon.is_null()).then(|| ("epsilon-edges", epsilon.clone())));
        let problem = configured("graph-privatizer", &given).unwrap_err().to_string();
        assert!(problem.contains("alpha must be between 0 and 1, not 1.5"), "{epsilon}: {problem}");
    }
    let four = || ("epsilon-edges", json!(4));
    for (name, rounds) in [("lpgnet", "stages"), ("degree-vectors", "rounds")] {
        let plan = |count: u32| method(name, &[four(), (rounds, json!(count))]).edges(NODES, CLASSES);
        assert_eq!(plan(101), Err(MethodError::TooManyRounds { rounds: 101, limit: 100 }));
        assert!(matches!(plan(0), Err(MethodError::Mechanism { .. })), "{name}");
    }
    let whole = ("epsilon-count", json!(4));
    let spent = method("dpgcn", &[four(), whole]).edges(NODES, CLASSES).unwrap_err();
    assert_eq!(spent.hint().unwrap(), "lower epsilon-count or raise epsilon-edges");
}

/// Bits are reported where few are false, and never by who chose how rows are released. What was
/// decided for one graph holds for any other.
#[test]
fn users_of_a_cascade_report_bits_where_few_are_false() {
    let bits = |given: &[(&str, Value)], nodes: u32| {
        let chosen = method("cascade-local", given);
        let plan = |method: &dyn Method, nodes| match method.edges(nodes, CLASSES).unwrap() {
            EdgePlan::Lists(protocol) => Some(protocol.guarantees()[0].per_relationship.unwrap().to_string()),
            EdgePlan::Cascade(_) => None,
            other => panic!("{other:?}"),
        };
        let decided = chosen.decided(Facts { validated: true, classes: CLASSES, nodes }).unwrap();
        let again = super::configure("cascade-local", &decided).unwrap();
        let found = plan(&*chosen, nodes);
        assert_eq!(plan(&*again, 100 * nodes), found, "{given:?}");
        found
    };
    let epsilon = |given: f64| ("epsilon-edges", json!(given));
    let all = || ("heard", json!("all"));
    assert_eq!(bits(&[epsilon(8.0)], 2708), Some("8".to_owned()));
    assert_eq!(bits(&[epsilon(7.0)], 2708), None);
    assert_eq!(bits(&[epsilon(5.0), all()], 2708), Some("10".to_owned()));
    // In small graphs there are few false bits at any ε.
    assert_eq!(bits(&[epsilon(4.0), all()], 50), None);
    assert_eq!(bits(&[epsilon(8.0)], 1_000_000), None);
    assert_eq!(bits(&[epsilon(8.0), ("batches", json!(2))], 2708), None);
    assert_eq!(bits(&[epsilon(8.0), ("paired", json!("yes"))], 2708), None);
    assert_eq!(bits(&[epsilon(8.0), ("reported", json!("rows"))], 2708), None);
    assert_eq!(bits(&[epsilon(1.0), ("reported", json!("bits"))], 50), Some("1".to_owned()));
    let infinite = [("epsilon-edges", json!("inf")), ("reported", json!("bits"))];
    assert!(method("cascade-local", &infinite).edges(NODES, CLASSES).unwrap_err().is_usage());
}

/// The published settings, except for ε: a change of one of these changes every result.
#[test]
fn defaults_are_the_published_ones() {
    let equal = |name: &str, expected: Value| {
        let settings = method(name, &[]).settings();
        for (parameter, value) in expected.as_object().unwrap() {
            let found = settings.get(parameter).cloned().unwrap_or(Value::Null);
            assert_eq!(found, *value, "{name}: {parameter}");
        }
        // All of them are compared.
        let compared = expected.as_object().unwrap();
        let left: Vec<&str> = settings.names().filter(|name| !compared.contains_key(*name)).collect();
        assert!(left.is_empty(), "{name}: {left:?}");
    };
    let with = |mut base: Value, more: Value| {
        base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        base
    };
    // LPGNet, §5.1 and the authors' code; 256 hidden units and the dropout are the grid's of
    // docs/reproduction.md.
    let lpgnet = json!({
        "epsilon-features": "inf", "epsilon-labels": "inf", "samples": null, "scale": "rows",
        "layers": 2, "hidden": 256, "batch-norm": false, "dropout": 0.1,
        "epochs": 500, "lr": 0.01, "schedule": "linear-to-zero", "weight-decay": 0.0005, "select": null,
    });
    let mlp = with(lpgnet.clone(), json!({ "bias": false }));
    let network = json!({
        "recipe": "lpgnet", "model": "gcn", "heads": null, "activation": "relu", "bias": true, "kx": 0, "ky": 0,
    });
    equal("mlp", mlp.clone());
    equal("lpgnet", with(mlp, json!({ "epsilon-edges": null, "stages": null, "readout": "network" })));
    let gnn = with(lpgnet, network);
    equal("gnn", with(gnn.clone(), json!({ "reads": "all" })));
    let dpgcn = json!({ "graph": "lapgraph", "epsilon-edges": null, "epsilon-count": 0.01, "max-edges": 100_000_000 });
    equal("dpgcn", with(gnn.clone(), dpgcn));
    // GraphPrivatizer, Appendix A.
    let reported = json!({
        "epsilon-edges": null, "epsilon-features": null, "epsilon-labels": null, "samples": null, "scale": "none",
        "layers": 2, "hidden": 16, "bias": true, "batch-norm": false, "dropout": 0.5,
        "epochs": 100, "lr": 0.01, "schedule": "constant", "weight-decay": 0.001, "select": null,
    });
    let network = json!({
        "recipe": "graph-privatizer", "model": "gcn", "heads": null, "activation": "selu", "kx": 0, "ky": 0,
    });
    let lists = with(reported.clone(), network);
    let exchange =
        json!({ "strategy": "threshold", "alpha": 0.0, "threshold": 0.0, "similarity": "paper", "measure": "cosine" });
    equal("graph-privatizer", with(lists.clone(), exchange));
    equal("two-hop-rr", lists.clone());
    equal("dummy-exchange", with(lists.clone(), json!({ "measure": "cosine", "max-dummies": 5, "candidates": 10 })));
    equal("shuffled-query", with(lists.clone(), json!({ "measure": "cosine" })));
    equal("neighbour-krr", lists.clone());
    equal("moments", json!({ "epsilon": null, "delta": 1e-5, "adjacency": "added", "dimensions": 2048 }));
    // Blink with public features and labels.
    let degrees = json!({ "epsilon-edges": null, "degree-share": 0.1, "max-edges": 100_000_000, "variant": "hard" });
    equal("blink", with(gnn.clone(), degrees));
    equal("edge-flip", with(lists, json!({ "heard": "all", "max-edges": 100_000_000 })));
    let vectors = json!({ "rounds": 1, "unit": "edge-bit", "features": "released", "hidden": 64 });
    equal("degree-vectors", with(reported, vectors));
    // PrivGNN, §5.3.
    let student = json!({
        "epsilon": null, "delta": 1e-5,
        "model": "sage", "heads": null, "activation": "relu", "layers": 2, "hidden": 64, "bias": true,
        "batch-norm": true, "dropout": 0.5, "kx": 0, "ky": 0,
        "epochs": 500, "lr": 0.01, "schedule": "constant", "weight-decay": 0.0, "select": "last",
    });
    let queries = json!({ "lambda": null, "queries": 1000, "choose": "random", "teacher": "sage", "denoise": true });
    let teachers = with(student.clone(), queries);
    let privgnn = json!({ "release": "krr", "gamma": null, "k": 750, "measure": "euclidean" });
    equal("privgnn", with(teachers.clone(), privgnn));
    equal("pate", with(teachers, json!({ "teachers": 20 })));
    equal("class-sums", with(student, json!({ "epochs": 60 })));
    // Ours: chosen on generated graphs.
    let descent = json!({
        "epsilon": null, "delta": 1e-5, "gamma": 0.5, "hidden": 32,
        "epochs": 40, "lr": 0.03, "schedule": "linear-to-zero", "weight-decay": 0.0, "select": "last",
    });
    equal("dp-mlp", descent);
}

/// A recipe replaces the defaults of another one, and settings override it, whatever their order.
#[test]
fn settings_override_the_recipe() {
    let gnn = method("gnn", &[("recipe", json!("graph-privatizer")), ("hidden", json!(99))]);
    let of = |name| value(&gnn, name);
    assert_eq!([of("hidden"), of("epochs"), of("scale")], [json!(99), json!(100), json!("none")]);
    let lists = method("neighbour-krr", &[("recipe", json!("lpgnet")), ("activation", json!("none"))]);
    assert_eq!([value(&lists, "hidden"), value(&lists, "activation")], [json!(256), json!("none")]);
}

#[test]
fn the_epoch_is_chosen_by_the_rule_of_the_recipe() {
    let select = |name: &str, given: &[(&str, Value)], validated| {
        let decided = method(name, given).decided(Facts { validated, classes: CLASSES, nodes: NODES }).unwrap();
        decided.word("select").unwrap().to_owned()
    };
    assert_eq!(select("graph-privatizer", &[], true), "reference");
    assert_eq!(select("degree-vectors", &[], true), "lowest-validation-loss");
    assert_eq!(select("degree-vectors", &[("select", json!("last"))], true), "last");
    for name in ["mlp", "gnn", "dpgcn", "lpgnet"] {
        assert_eq!(select(name, &[], true), "lowest-validation-loss");
        assert_eq!(select(name, &[], false), "last");
    }
    assert_eq!(select("gnn", &[("recipe", json!("graph-privatizer"))], true), "reference");
    for name in ["privgnn", "pate", "class-sums", "dp-mlp"] {
        assert_eq!(select(name, &[("epsilon", json!(4))], true), "last");
    }
}

/// The readout by Bayes' rule has two rounds where ε is large, and a record keeps their number.
#[test]
fn stages_follow_from_epsilon() {
    let of = |epsilon: Value, given: &[(&str, Value)]| {
        let method = method("lpgnet", &[&[("epsilon-edges", epsilon)], given].concat());
        let decided = method.decided(Facts { validated: true, classes: CLASSES, nodes: NODES }).unwrap();
        (decided.get("stages").and_then(Value::as_u64).unwrap(), method.networks())
    };
    let bayes = ("readout", json!("bayes"));
    assert_eq!(of(json!(4), &[("stages", json!(2))]), (2, 3));
    assert_eq!(of(json!(8), &[]), (1, 2));
    assert_eq!(of(json!(4), std::slice::from_ref(&bayes)), (1, 1));
    assert_eq!(of(json!(8), std::slice::from_ref(&bayes)), (2, 1));
    assert_eq!(of(json!(8), &[bayes, ("stages", json!(1))]), (1, 1));
    assert_eq!(method("degree-vectors", &[("rounds", json!(3))]).networks(), 3);
    assert_eq!(method("gnn", &[]).networks(), 1);
}

/// A parameter that decides what leaves the owner is in a group of its own, so that a training on a
/// release can refuse it.
#[test]
fn parameters_of_the_release_are_grouped() {
    for entry in entries() {
        for it in entry.parameters() {
            let expected = match it.name.as_str() {
                "delta" if entry.unit == Some(Unit::Edge) => Group::Edges,
                "epsilon-features" | "epsilon-labels" | "samples" | "scale" => Group::Release,
                "epsilon-edges" | "rounds" | "stages" | "unit" => Group::Edges,
                "epsilon" | "delta" if !entry.public_graph => Group::Nodes,
                "epsilon" | "delta" | "lambda" | "queries" => Group::Student,
                "epochs" | "lr" | "select" => Group::Training,
                _ => continue,
            };
            assert_eq!(it.group, expected, "{}: {}", entry.name, it.name);
        }
    }
}

#[test]
fn the_most_likely_class_is_the_first_among_equals() {
    let scores = veil_graph::Matrix::from_values(3, 3, vec![0.1, 0.7, 0.7, 0.0, 0.0, 0.0, -3.0, -2.0, -1.0]).unwrap();
    assert_eq!(most_likely(&scores), [1, 0, 2]);
}
