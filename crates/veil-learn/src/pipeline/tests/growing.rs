//! Graphs that grow: a cascade is extended to nodes that were added, and no edge costs twice.

use veil_graph::{NodeId, NodeNames};
use veil_privacy::ledger::NotParallel;
use veil_privacy::protocol::cascade;
use veil_privacy::{LedgerError, ReleaseError, Spent, Unit};

use super::*;
use crate::run::Run;

/// The first nodes of a graph whose nodes have names; nodes of the whole graph are in another
/// order.
fn first(nodes: u32) -> Dataset {
    let whole = graph("grown", 160, 5);
    let mut places: Vec<NodeId> = (0..nodes).collect();
    if nodes == 160 {
        places.reverse();
    }
    let of = |node: &NodeId| format!("p{node}");
    let names = NodeNames::from_texts(places.iter().map(of).collect()).unwrap();
    let edges: Vec<(u32, u32)> = places
        .iter()
        .zip(0..)
        .flat_map(|(&node, at)| {
            let places = &places;
            whole.graph().neighbours(node).iter().filter_map(move |other| {
                let other = places.iter().position(|it| it == other)? as u32;
                (at < other).then_some((at, other))
            })
        })
        .collect();
    let made = veil_graph::Graph::from_edges(nodes, &edges, veil_graph::Direction::Undirected).unwrap().graph;
    let split = Split::new(places.iter().map(|&node| whole.split().unwrap().part(node)).collect());
    let labels = Labels::new(7, places.iter().map(|&node| whole.labels().unwrap().get(node))).unwrap();
    let data = Dataset::new("grown", made, Default::default()).with_declared(whole.declared());
    let data = data.with_features(whole.features().unwrap().selected(&places)).unwrap();
    data.with_names(names).unwrap().with_labels(labels).unwrap().with_split(split).unwrap()
}

fn grow(run: &Run, data: &Dataset, payment: &Payment, place: Place<'_>) -> Result<Inferred, PipelineError> {
    let further = Further { evolving: true, ..Further::default() };
    infer(run, &Private::seal(data.clone()), further, payment, place, &Silent)
}

fn spent(home: &Home) -> String {
    let report = Ledger::open(&home.path("book.db")).unwrap().report().unwrap();
    report.units.iter().find(|it| it.unit == Unit::Edge).unwrap().spent.to_string()
}

#[test]
fn a_growing_graph_costs_epsilon_once() {
    let home = Home::new(&["edge=4"]);
    let given = [("batches", json!(2)), ("self-training", json!(1))];
    let run = home.paid(job(short("cascade", &given), first(100))).run(Place::Memory, &Silent).unwrap().run;
    assert_eq!(spent(&home), "4");
    let paying = Payment { ledger: Some(home.path("book.db")), ..Payment::default() };
    let second = grow(&run, &first(130), &paying, Place::Folder(&home.path("second"))).unwrap();
    assert_eq!(spent(&home), "4");
    let whole = second.total.iter().find(|(unit, ..)| *unit == Unit::Edge).unwrap();
    assert_eq!(whole.1, Spent::Finite("4".parse().unwrap()));
    // Earlier nodes keep their places and their answers, and have no row.
    let opened = Run::open(&home.path("second")).unwrap();
    assert_eq!(opened.posteriors().unwrap(), second.run.posteriors().unwrap());
    let order = opened.released().cascade().unwrap().order().unwrap();
    assert_eq!(order.senders(), run.released().cascade().unwrap().order().unwrap().sequence());
    assert_eq!((order.batch(0).len(), order.batches()), (30, 1));
    let (before, now) = (run.posteriors().unwrap(), opened.posteriors().unwrap());
    for node in 0..100 {
        let close = before.row(node).iter().zip(now.row(node)).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close, "{node}: {:?} {:?}", before.row(node), now.row(node));
    }
    // It can be extended again, also where nodes have other numbers.
    let third = grow(&opened, &first(160), &paying, Place::Memory).unwrap();
    assert_eq!(spent(&home), "4");
    let order = third.run.released().cascade().unwrap().order().unwrap();
    let name = |node: NodeId| third.run.released().data().names().name(node).into_owned();
    assert_eq!(order.senders().len(), 130);
    let senders: Vec<String> = order.senders().iter().map(|&node| name(node)).collect();
    let sequence = opened.released().cascade().unwrap().order().unwrap().sequence();
    let earlier: Vec<String> =
        sequence.iter().map(|&node| opened.released().data().names().name(node).into_owned()).collect();
    assert_eq!(senders, earlier);
    // A release that was extended before is not extended again, and another release adds up.
    for (again, data) in [(&run, first(130)), (&opened, first(160))] {
        let refused = grow(again, &data, &paying, Place::Memory).unwrap_err();
        let PipelineError::Ledger(LedgerError::NotParallel { why: NotParallel::Extended(_), .. }) = refused else {
            panic!("{refused}")
        };
    }
    let other = infer(
        &third.run,
        &Private::seal(first(160)),
        Further { repeat_nodes: true, ..Further::default() },
        &paying,
        Place::Memory,
        &Silent,
    );
    assert!(matches!(other, Err(PipelineError::Ledger(LedgerError::OverBudget { .. }))));
    assert_eq!(spent(&home), "4");
}

/// A graph that was answered about may have the new nodes already.
#[test]
fn a_run_that_answered_about_another_graph_does_not_grow() {
    let other = graph("other", 50, 9);
    let (method, paying) = (short("cascade", &[]), Payment::experiment(1));
    let run = several(method, first(100), (None, Some(other)), false).unwrap().run(Place::Memory, &Silent).unwrap();
    let refused = grow(&run.run, &first(130), &paying, Place::Memory).unwrap_err();
    assert!(matches!(refused, PipelineError::GrowthOfSeveral { .. }), "{refused}");
}

/// New rows are of the messages from which reading was learned: whole classes, not shares.
#[test]
fn without_features_new_nodes_hear_whole_classes_too() {
    let given = [("epsilon-edges", json!(40)), ("epsilon-labels", json!("inf")), ("reported", json!("rows"))];
    let run = job(short("cascade-local", &given), first(100)).run(Place::Memory, &Silent).unwrap().run;
    assert!(run.released().data().features().is_none());
    let grown = grow(&run, &first(160), &Payment::experiment(1), Place::Memory).unwrap().run;
    for run in [&run, &grown] {
        let rows = run.released().cascade().unwrap().batches().iter().flat_map(|it| it.iter());
        let steps = i64::from(cascade::STEPS);
        // The noise is of a fortieth of a message; three times that is exceeded in e⁻³ of the
        // cases.
        let (near, all) = rows.flatten().fold((0, 0), |(near, all), &it| {
            let off = it.rem_euclid(steps).min(steps - it.rem_euclid(steps));
            (near + usize::from(off * 40 <= 3 * steps), all + 1)
        });
        assert!(all > 100 && near * 10 > all * 9, "{near} of {all}");
    }
}

#[test]
fn what_did_not_grow_is_refused_before_a_charge() {
    let payment = Payment::experiment(1);
    let run = job(short("cascade", &[]), first(100)).run(Place::Memory, &Silent).unwrap().run;
    let refused = |run: &Run, data: &Dataset| grow(run, data, &payment, Place::Memory).unwrap_err();
    assert!(matches!(refused(&run, &first(100)), PipelineError::NothingNew { .. }));
    let missing = refused(&run, &first(90));
    assert!(matches!(missing, PipelineError::Release(ReleaseError::Protocol(_))) && missing.is_usage(), "{missing}");
    let lpgnet = job(short("lpgnet", &[]), first(100)).run(Place::Memory, &Silent).unwrap().run;
    assert!(matches!(refused(&lpgnet, &first(130)), PipelineError::NotGrowing { method: "lpgnet" }));
    let both = [("heard", json!("all")), ("epsilon-features", json!("inf")), ("epsilon-labels", json!("inf"))];
    let twice = job(short("cascade-local", &both), first(100)).run(Place::Memory, &Silent).unwrap().run;
    assert!(refused(&twice, &first(130)).to_string().contains("counted twice"));
}

/// All releases of a life cost one ε only if each of them has it, and is protected.
#[test]
fn what_would_cost_more_than_one_epsilon_is_refused_before_a_charge() {
    let home = Home::new(&["edge=9"]);
    let paying = Payment { ledger: Some(home.path("book.db")), ..Payment::default() };
    let run = home.paid(job(short("cascade", &[]), first(100))).run(Place::Memory, &Silent).unwrap().run;
    let before = spent(&home);
    let refused = |run: &Run, data: &Dataset, payment: &Payment| grow(run, data, payment, Place::Memory).unwrap_err();
    let free = refused(&run, &first(130), &Payment::default());
    assert!(matches!(free, PipelineError::GrowthWithoutLedger), "{free}");
    let further = Further { evolving: true, epsilon_edges: Some("5".parse().unwrap()), ..Further::default() };
    let other = infer(&run, &Private::seal(first(130)), further, &paying, Place::Memory, &Silent).unwrap_err();
    assert!(matches!(other, PipelineError::OtherGrowth { .. }) && other.is_usage(), "{other}");
    // Whoever knows the seed can remove the noise of the earlier nodes, whose answers are kept.
    let seeded = job(short("cascade", &[]), first(100)).run(Place::Memory, &Silent).unwrap().run;
    let open = refused(&seeded, &first(130), &paying);
    assert!(matches!(open, PipelineError::GrowthOfUnprotected { .. }), "{open}");
    let exact = job(short("cascade", &[("epsilon-edges", json!("inf"))]), first(100)).run(Place::Memory, &Silent);
    let open = refused(&exact.unwrap().run, &first(130), &Payment::experiment(1));
    assert!(matches!(open, PipelineError::GrowthOfUnprotected { .. }), "{open}");
    // Numbers do not say who a node is: the same people may have other ones.
    let numbered = job(short("cascade", &[]), graph("numbered", 100, 5)).run(Place::Memory, &Silent).unwrap().run;
    let nobody = refused(&numbered, &graph("more", 130, 5), &Payment::experiment(1));
    assert!(nobody.to_string().contains("requires node ids") && nobody.is_usage(), "{nobody}");
    assert_eq!(spent(&home), before);
}

/// Users of a growing graph, with features and without.
#[test]
fn users_are_added_to_a_local_cascade() {
    let payment = Payment::experiment(1);
    let labels = ("epsilon-labels", json!(3));
    let with = vec![labels.clone(), ("epsilon-features", json!("inf"))];
    for given in [with, vec![labels]] {
        let run = job(short("cascade-local", &given), first(120)).run(Place::Memory, &Silent).unwrap().run;
        let grown = grow(&run, &first(160), &payment, Place::Memory).unwrap().run;
        let bit = grown.released().statement().guarantees.iter().find(|it| it.unit == Unit::EdgeBit).unwrap();
        assert_eq!(bit.per_relationship, Some(bit.epsilon));
        assert!(bit.parameters.get("extends").is_some());
        assert_eq!(grown.posteriors().unwrap().rows(), 160);
        assert!(grown.posteriors().unwrap().values().iter().all(|it| it.is_finite()));
    }
}
