use std::collections::BTreeMap;

use serde_json::json;
use veil_graph::{Encoded, Features, Graph, Matrix};

use super::*;
use crate::protocol::degree_vectors::coins_of;
use crate::protocol::dummy_exchange::Moments;
use crate::protocol::exchange::testing::{figure, line, places};
use crate::protocol::exchange::{Space, Vector};
use crate::protocol::{self, degree_vectors, dummy_exchange, graph_privatizer, shuffled_query, two_hop_rr};
use crate::testing::{edges as graph, stream};

/// The subkey of a simulation, which all devices are given.
pub(super) fn coins() -> Stream {
    Stream::of_device(&[42; 32])
}

/// A graph of 12 nodes with a hub, a leaf and a node alone.
pub(super) fn dozen() -> Graph {
    let mut coins = stream("dozen").node(0);
    let mut edges: Vec<(NodeId, NodeId)> = vec![(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 10)];
    while edges.len() < 20 {
        let (a, b) = (coins.below(10) as NodeId, coins.below(10) as NodeId);
        if a != b && !edges.contains(&(a, b)) && !edges.contains(&(b, a)) {
            edges.push((a, b));
        }
    }
    graph(12, &edges)
}

/// Reports of an encoder: two signs each.
fn encoded(nodes: usize, dimensions: u32) -> Features {
    let mut coins = stream("device features").node(1);
    let (mut columns, mut signs) = (Vec::new(), Vec::new());
    for _ in 0..nodes {
        let first = coins.below(u64::from(dimensions) - 1) as u32;
        let second = first + 1 + coins.below(u64::from(dimensions - first - 1)) as u32;
        columns.extend([first, second]);
        signs.extend([coins.below(2) == 0, coins.below(2) == 0]);
    }
    let shape = (nodes, dimensions as usize, 2);
    Features::Encoded(Encoded::from_reports(shape, (0.5, 4.3), columns, signs).expect("reports"))
}

fn dense(nodes: usize) -> Features {
    let mut coins = stream("device features").node(2);
    let values = (0..nodes * 3).map(|_| coins.below(1000) as f32 / 7.0).collect();
    Features::Dense(Matrix::from_values(nodes, 3, values).expect("a matrix"))
}

fn sparse(nodes: usize) -> Features {
    let mut coins = stream("device features").node(3);
    let triples: Vec<_> = (0..nodes as u32).map(|row| (row, coins.below(300) as u32, 0.3)).collect();
    Features::Sparse(veil_graph::Sparse::from_triples(nodes, 300, &triples).expect("sparse"))
}

/// Every node's device, from JSON.
pub(super) fn devices(protocol: &str, graph: &Graph, features: Option<&Features>, parameters: &Value) -> Vec<Device> {
    let device = |node| {
        let mut me = json!({
            "me": node, "nodes": graph.nodes(), "neighbours": graph.neighbours(node), "parameters": parameters,
        });
        if let Some(features) = features {
            let Space { dimensions, offset, scale } = Space::of(features);
            let vector = Vector::released(features, node as usize);
            me["features"] = json!({ "dimensions": dimensions, "offset": offset, "scale": scale, "vector": vector });
        }
        Device::new(protocol, Me::read(&me.to_string()).expect("a node")).expect("a device")
    };
    (0..graph.nodes()).map(device).collect()
}

/// Runs all devices in turns, every message as a line of JSON, until all have reported. Returns the
/// reports and how many messages each kind had.
fn talk(devices: &[Device], broadcast: &[Value]) -> (Vec<Report>, BTreeMap<String, usize>) {
    let start: String = broadcast.iter().map(|message| format!("{message}\n")).collect();
    let mut inboxes = vec![start; devices.len()];
    // Who received nothing has nothing new to say.
    let mut parts: Vec<Option<Contribution>> = vec![None; devices.len()];
    let mut kinds = BTreeMap::new();
    loop {
        let mut news = 0;
        for (node, device) in devices.iter().enumerate() {
            if parts[node].is_some() {
                continue;
            }
            let part = device.part(&inboxes[node], &coins()).expect("a part");
            assert_eq!(part.report.is_some(), part.waiting_for.is_empty());
            parts[node] = Some(part.clone());
            for message in &part.messages {
                let Some(to) = message["to"].as_u64() else { continue };
                let (line, to) = (format!("{message}\n"), to as usize);
                if inboxes[to].contains(&line) {
                    continue;
                }
                inboxes[to].push_str(&line);
                parts[to] = None;
                news += 1;
                let kind = message.as_object().expect("a message").keys();
                let kind = kind.filter(|key| !["from", "to", "about"].contains(&key.as_str())).cloned();
                *kinds.entry(kind.collect::<Vec<_>>().join(" ")).or_default() += 1;
            }
        }
        if news == 0 {
            break;
        }
    }
    let reports = devices.iter().zip(&inboxes).zip(parts).map(|((device, inbox), part)| {
        let part = part.expect("a part");
        // Lines that come twice say nothing new, and another order gives the same report.
        let again: String = inbox.lines().chain(inbox.lines()).map(|line| format!("{line}\n")).collect();
        assert_eq!(device.part(&again, &coins()).expect("a part"), part);
        let backwards: String = inbox.lines().rev().map(|line| format!("{line}\n")).collect();
        assert_eq!(device.part(&backwards, &coins()).expect("a part").report, part.report);
        part.report.unwrap_or_else(|| panic!("waiting for {:?}", part.waiting_for))
    });
    (reports.collect(), kinds)
}

/// That devices report what the simulation does, to the byte; returns how many lists are not the
/// true ones.
fn assert_as_simulated(
    protocol: &str,
    graph: &Graph,
    features: Option<&Features>,
    parameters: &Value,
) -> (usize, BTreeMap<String, usize>) {
    let devices = devices(protocol, graph, features, parameters);
    let me = devices[0].me();
    let entry = protocol::find(protocol).expect("a protocol of lists");
    let checked = (entry.build)(me.epsilon().expect("ε"), me.nodes, &me.settings(&*(entry.parameters)()));
    let simulated = checked.expect("parameters").run(graph, features, &coins()).expect("reports");
    let moments = features.filter(|_| protocol == dummy_exchange::NAME).map(Moments::of);
    let broadcast: Vec<Value> = moments.iter().map(|all| json!({ "from": "server", "moments": all })).collect();
    let (reports, kinds) = talk(&devices, &broadcast);
    for (node, report) in (0..).zip(&reports) {
        let list = simulated.lists.neighbours(node);
        let (expected, text) = match simulated.degrees.as_ref().map(|degrees| degrees[node as usize]) {
            None => (Report::Nodes(list.to_vec()), json!(list).to_string()),
            Some(degree) => {
                let report = Report::DegreeAndNodes { degree, nodes: list.to_vec() };
                (report, format!("{{\"degree\":{degree},\"nodes\":{}}}", json!(list)))
            }
        };
        assert_eq!(*report, expected, "{protocol} {parameters}: node {node}");
        assert_eq!(serde_json::to_string(report).expect("json"), text);
    }
    let changed = (0..graph.nodes()).filter(|&node| simulated.lists.neighbours(node) != graph.neighbours(node));
    (changed.count(), kinds)
}

#[test]
fn devices_without_messages_report_what_the_simulation_does() {
    for entry in protocol::ENTRIES.iter().filter(|entry| entry.status == crate::Status::Proven) {
        for graph in [figure(), dozen()] {
            let (changed, kinds) = assert_as_simulated(entry.name, &graph, None, &json!({ "epsilon-edges": 0.5 }));
            assert!(changed > 5 && kinds.is_empty(), "{}: {changed}", entry.name);
        }
    }
    let earlier = json!({ "epsilon-edges": 0.5, "heard": "earlier" });
    let (changed, kinds) = assert_as_simulated(protocol::edge_flip::NAME, &dozen(), None, &earlier);
    assert!(changed > 5 && kinds.is_empty(), "{changed}");
}

#[test]
fn devices_of_two_hop_rr_report_what_the_simulation_does() {
    for graph in [figure(), dozen()] {
        let (changed, kinds) = assert_as_simulated(two_hop_rr::NAME, &graph, None, &json!({ "epsilon-edges": 0.5 }));
        assert!(changed > 5 && kinds == BTreeMap::from([("list".to_owned(), graph.entries())]), "{changed} {kinds:?}");
    }
}

#[test]
fn devices_of_graph_privatizer_report_what_the_simulation_does() {
    let (mut changed, mut profiles) = (0, 0);
    for (graph, line) in [(figure(), Some(places())), (dozen(), None)] {
        let nodes = graph.nodes() as usize;
        for features in [encoded(nodes, 10), encoded(nodes, 400), dense(nodes), sparse(nodes)].into_iter().chain(line) {
            for strategy in ["threshold", "most-similar"] {
                for (similarity, measure, alpha, delta) in [
                    ("paper", "cosine", 0.0, 0.0),
                    ("paper", "cosine", 0.5, 0.3),
                    ("paper", "euclidean", 1.0, 0.0),
                    ("reference", "cosine", 1.0, 0.1),
                    ("reference", "cosine", 0.25, 0.0),
                ] {
                    let parameters = json!({
                        "epsilon-edges": 0.1, "strategy": strategy, "alpha": alpha, "threshold": delta,
                        "similarity": similarity, "measure": measure,
                    });
                    let name = graph_privatizer::NAME;
                    let (different, kinds) = assert_as_simulated(name, &graph, Some(&features), &parameters);
                    changed += different;
                    profiles += kinds.get("profile").copied().unwrap_or(0);
                    assert_eq!(kinds["candidates"], graph.entries());
                }
            }
        }
    }
    assert!(changed > 100 && profiles > 100, "{changed} lists changed, {profiles} profiles");
}

#[test]
fn devices_of_the_thesis_report_what_the_simulation_does() {
    for protocol in [dummy_exchange::NAME, shuffled_query::NAME] {
        let mut changed = 0;
        let mut all: BTreeMap<String, usize> = BTreeMap::new();
        for measure in ["cosine", "euclidean"] {
            let parameters = json!({ "epsilon-edges": 0.1, "measure": measure, "max-dummies": 3, "candidates": 4 });
            let line = line(&[5.0, 1.0, 2.0, 8.0, 3.0, 7.0, 2.5, 6.0, 4.0, 9.0, 2.0, 0.5]);
            for (graph, features) in [
                (figure(), places()),
                (figure(), encoded(9, 10)),
                (dozen(), encoded(12, 30)),
                (dozen(), line),
                (dozen(), dense(12)),
            ] {
                let (different, kinds) = assert_as_simulated(protocol, &graph, Some(&features), &parameters);
                changed += different;
                kinds.into_iter().for_each(|(kind, count)| *all.entry(kind).or_default() += count);
            }
        }
        assert!(changed > 20, "{protocol}: {changed}");
        let later = if protocol == dummy_exchange::NAME { vec!["heard"] } else { vec!["answers", "queries"] };
        for kind in later.into_iter().chain(["mine", "whose", "name"]) {
            assert!(all.contains_key(kind), "{protocol}: {all:?}");
        }
        assert_eq!(all["whose"], all["name"]);
    }
}

#[test]
fn devices_of_degree_vectors_report_what_the_simulation_does() {
    for graph in [figure(), dozen()] {
        for unit in ["edge-bit", "edge-set"] {
            let parameters = json!({ "epsilon-edges": 1, "rounds": 2, "unit": unit, "clusters": 3 });
            let devices = devices(degree_vectors::NAME, &graph, None, &parameters);
            let unit_read = unit.parse().expect("a unit");
            let params =
                degree_vectors::Params { epsilon: "1".parse().expect("ε"), rounds: 2, unit: unit_read, clusters: 3 };
            let vectors = params.check().expect("parameters");
            // The server answers counts with clusters: here the place of each node's largest count.
            let mut inbox = String::new();
            let mut clusters: Vec<u32> = (0..graph.nodes()).map(|node| node % 3).collect();
            let mut all: Vec<Vec<Vec<i64>>> = vec![Vec::new(); devices.len()];
            for round in 0..2 {
                inbox += &format!("{}\n", json!({ "from": "server", "round": round, "clusters": clusters }));
                let simulated =
                    vectors.round(&graph, &clusters, &coins_of(&coins().of_round(round), &clusters)).expect("counts");
                for (node, device) in devices.iter().enumerate() {
                    let part = device.part(&inbox, &coins()).expect("a part");
                    let counts = simulated.row(node);
                    all[node].push(counts.to_vec());
                    let sent = json!({ "from": node, "to": "server", "round": round, "counts": counts });
                    assert_eq!(part.messages.last().map(Value::to_string), Some(sent.to_string()));
                    if round == 0 {
                        let waiting = Waiting { from: Sender::Server, message: "clusters", round: Some(1) };
                        assert_eq!((part.report, part.waiting_for), (None, vec![waiting]));
                    } else {
                        assert_eq!(part.report, Some(Report::Rounds(all[node].clone())));
                    }
                }
                let best = |row: &[i64]| (0..3).max_by_key(|&place| row[place]).map_or(0, |place| place as u32);
                clusters = (0..devices.len()).map(|node| best(simulated.row(node))).collect();
            }
        }
    }
}

/// A node with neighbours 1 and 2, of four.
fn me(extra: Value) -> Result<Me, DeviceError> {
    let mut me =
        json!({ "me": 0, "nodes": 4, "neighbours": [2, 1], "parameters": { "epsilon-edges": 1, "clusters": 2 } });
    if let (Some(me), Value::Object(extra)) = (me.as_object_mut(), extra) {
        me.extend(extra);
    }
    Me::read(&me.to_string())
}

#[test]
fn what_a_node_holds_is_checked() {
    assert_eq!(me(json!({})).expect("a node").neighbours, [1, 2]);
    let said = |extra| me(extra).expect_err("refused").to_string();
    for (extra, part) in [
        (json!({ "neighbours": [1, 0] }), "node 0 is in its own neighbour list"),
        (json!({ "neighbours": [1, 2, 1] }), "duplicate neighbour 1"),
        (json!({ "neighbours": [1, 4] }), "neighbour 4 is not below"),
        (json!({ "me": 4 }), "\"me\" is 4"),
        (json!({ "friends": [] }), "unknown field `friends`"),
        (json!({ "features": { "dimensions": 2, "vector": { "signs": [[2, true]] } } }), "dimension 2"),
        (json!({ "features": { "dimensions": 1, "scale": 1e99, "vector": { "dense": [1.0] } } }), "finite"),
    ] {
        assert!(said(extra.clone()).contains(part), "{extra}: {}", said(extra.clone()));
    }
    let refused = |protocol: &str, parameters: Value| {
        let me = me(json!({ "parameters": parameters })).expect("a node");
        Device::new(protocol, me).expect_err("refused").to_string()
    };
    for (protocol, parameters, part) in [
        ("edge-flip", json!({ "epsilon-edges": 1, "espilon": 2 }), "unknown parameter \"espilon\""),
        ("edge-flip", json!({}), "\"epsilon-edges\" is missing"),
        // Those of other protocols change nothing, but are checked.
        ("edge-flip", json!({ "epsilon-edges": 1, "strategy": "nearest" }), "expected one of most-similar, threshold"),
        ("graph-privatizer", json!({ "epsilon-edges": 1, "delta": 0.5 }), "\"delta\" is called \"threshold\" now"),
        ("degree-vectors", json!({ "epsilon-edges": 1, "unit": "edge", "clusters": 2 }), "one of edge-bit, edge-set"),
        ("degree-vectors", json!({ "epsilon-edges": 1, "rounds": 0, "clusters": 2 }), "at least one round"),
    ] {
        let said = refused(protocol, parameters);
        assert!(said.contains(part), "{protocol}: {said}");
    }
    assert!(refused("knot", json!({ "epsilon-edges": 1 })).contains("graph-privatizer, two-hop-rr"));
    assert!(refused("edge-flip", json!({ "epsilon-edges": "inf" })).contains("infinite"));
    assert!(refused("edge-flip", json!({ "epsilon-edges": 1, "max-edges": 1 })).contains("more than the limit of 1"));
    assert!(refused("degree-vectors", json!({ "epsilon-edges": 1 })).contains("\"clusters\""));
    assert!(refused("shuffled-query", json!({ "epsilon-edges": 1 })).contains("compares released features"));
    // What is not checked is not asked for.
    let me = me(json!({ "order": "ab", "parameters": { "epsilon-edges": 1, "heard": "earlier" } })).expect("a node");
    assert!(matches!(Device::new("edge-flip", me), Err(DeviceError::NoOrder { .. })));
}

#[test]
fn what_a_node_receives_is_checked() {
    let signs = |dimension: u32| json!({ "signs": [[dimension, true]] });
    let features = json!({ "dimensions": 2, "offset": 0.5, "scale": 2.0, "vector": signs(0) });
    let parameters = json!({ "epsilon-edges": 1, "strategy": "most-similar", "alpha": 0.5, "clusters": 2 });
    let listed = json!({ "width": 2, "base": 0.0, "entries": { "listed": [[0], [1.0]] } });
    let first = json!({ "from": 1, "to": 0, "features": signs(0) });
    let second = json!({ "from": 2, "to": 0, "features": signs(1) });
    let moments = json!({ "mean": [0.0], "deviation": [0.0, 0.0], "range": [0.0, 1.0] });
    for (protocol, lines, part) in [
        ("neighbour-krr", vec![json!({ "from": 1, "to": 0, "list": [] })], "line 1: this protocol has no messages"),
        ("two-hop-rr", vec![json!({ "from": 3, "to": 0, "list": [] })], "line 1: node 3 is not a neighbour of node 0"),
        ("two-hop-rr", vec![json!({ "from": 1, "to": 2, "list": [] })], "line 1: the message is for node 2"),
        ("two-hop-rr", vec![json!({ "from": 1, "list": [] })], "\"to\" is missing"),
        ("two-hop-rr", vec![json!({ "from": "me", "to": 0, "list": [] })], "\"from\" is missing or not a node"),
        ("two-hop-rr", vec![json!({ "from": "server", "list": [] })], "the server is not a neighbour"),
        ("two-hop-rr", vec![json!({ "from": 1, "to": 0, "list": [9] })], "unknown node id"),
        ("two-hop-rr", vec![json!({ "from": 1, "to": 0, "lists": [] })], "unknown variant `lists`"),
        ("two-hop-rr", vec![json!({ "from": 1, "to": 0, "list": [], "more": 1 })], "line 1"),
        (
            "two-hop-rr",
            vec![json!({ "from": 1, "to": 0, "list": [0] }), json!({ "from": 1, "to": 0, "list": [0, 3] })],
            "line 2: node 1 has already sent a different \"list\"",
        ),
        ("graph-privatizer", vec![json!({ "from": 1, "to": 0, "features": signs(2) })], "line 1: dimension 2"),
        ("graph-privatizer", vec![json!({ "from": 1, "to": 0, "features": { "dense": [1.0, 2.0] } })], "another form"),
        ("graph-privatizer", vec![json!({ "from": 1, "to": 0, "candidates": [0] })], "distinct nodes other than"),
        ("graph-privatizer", vec![json!({ "from": 1, "to": 0, "candidates": [3, 3] })], "distinct nodes other than"),
        (
            "graph-privatizer",
            vec![
                first,
                second,
                json!({ "from": 1, "to": 0, "profile": [listed] }),
                json!({ "from": 2, "to": 0, "profile": [] }),
            ],
            "line 3: the profile has another form",
        ),
        ("degree-vectors", vec![json!({ "from": "server", "round": 1, "clusters": [0, 0, 0, 0] })], "beyond the last"),
        ("degree-vectors", vec![json!({ "from": "server", "round": 0, "clusters": [0] })], "clusters for 1 nodes"),
        ("degree-vectors", vec![json!({ "from": "server", "round": 0, "clusters": [0, 0, 0, 2] })], "cluster 2"),
        (
            "degree-vectors",
            vec![
                json!({ "from": "server", "round": 0, "clusters": [0, 0, 0, 0] }),
                json!({ "from": "server", "round": 0, "clusters": [0, 1, 0, 0] }),
            ],
            "line 2: the server has already sent a different \"clusters\"",
        ),
        ("dummy-exchange", vec![json!({ "from": "server", "moments": moments })], "a mean and a deviation"),
        ("dummy-exchange", vec![json!({ "from": 1, "to": 0, "name": 3 })], "required in answers with a name"),
        ("dummy-exchange", vec![json!({ "from": 1, "to": 0, "name": 4, "about": signs(0) })], "unknown node id"),
        (
            "dummy-exchange",
            vec![json!({ "from": 1, "to": 0, "queries": { "first": [], "second": [] } })],
            "\"queries\" is not a message of this protocol",
        ),
        (
            "shuffled-query",
            vec![json!({ "from": 1, "to": 0, "heard": [] })],
            "\"heard\" is not a message of this protocol",
        ),
    ] {
        let me = me(json!({ "features": features, "parameters": parameters })).expect("a node");
        let inbox: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let said =
            Device::new(protocol, me).expect("a device").part(&inbox, &coins()).expect_err("refused").to_string();
        assert!(said.contains(part), "{protocol}: {said}");
    }
    let two_hop = Device::new("two-hop-rr", me(json!({})).expect("a node")).expect("a device");
    let said = two_hop.part("\n{\"from\": 1,", &coins()).expect_err("refused").to_string();
    assert!(said.starts_with("line 2: EOF"), "{said}");
}

#[test]
fn a_key_makes_one_report() {
    let mut key = DeviceKey::read(&"0f".repeat(32)).expect("a key");
    let part = |extra| {
        let device = Device::new("neighbour-krr", me(extra).expect("a node")).expect("a device");
        let part = device.part("", &coins()).expect("a part");
        (device, part)
    };
    let (device, first) = part(json!({}));
    key.hold_to(&device, &first).expect("the first");
    key.hold_to(&device, &first).expect("the same again");
    let text = key.text();
    assert!(text.starts_with(&format!("{}\nrelease ", "0f".repeat(32))), "{}", *text);
    assert!(text.lines().nth(2).is_some_and(|line| line.starts_with("reported 0 ")), "{}", *text);
    let mut again = DeviceKey::read(&text).expect("a key");
    assert_eq!(*again.text(), *text);
    for extra in [json!({ "neighbours": [3] }), json!({ "parameters": { "epsilon-edges": 2 } })] {
        let (device, other) = part(extra);
        assert!(matches!(again.hold_to(&device, &other), Err(DeviceError::ReportedOtherwise { round: None })));
    }
    assert_eq!(*again.text(), *text);
    // Only the node's own cluster differs, which it does not count: other clusters are refused all
    // the same.
    let device = Device::new("degree-vectors", me(json!({})).expect("a node")).expect("a device");
    let mut fresh = DeviceKey::read(&"0f".repeat(32)).expect("a key");
    let mut ask = |clusters: [u32; 4]| {
        let inbox = json!({ "from": "server", "round": 0, "clusters": clusters }).to_string();
        fresh.hold_to(&device, &device.part(&inbox, &coins()).expect("a part"))
    };
    ask([0, 1, 0, 0]).expect("the first");
    assert!(matches!(ask([1, 1, 0, 0]), Err(DeviceError::ReportedOtherwise { round: Some(0) })));
    ask([0, 1, 0, 0]).expect("the same again");
    assert_eq!(format!("{key:?}"), "DeviceKey { key: \"redacted\", reports: 1 }");
    let zeros = "00".repeat(32);
    for (text, bad) in [
        (String::new(), 1),
        ("0f".to_owned(), 1),
        ("zz".repeat(32), 1),
        (format!("{zeros}\nreport 1"), 2),
        (format!("{zeros}\nreported 0 {zeros}"), 2),
        (format!("{zeros}\nrelease {zeros}\nrelease {zeros}"), 3),
    ] {
        assert!(matches!(DeviceKey::read(&text), Err(DeviceError::Key { line }) if line == bad), "{text}");
    }
    let (a, b) = (DeviceKey::from_os().expect("a key"), DeviceKey::from_os().expect("a key"));
    assert_ne!(*a.text(), *b.text());
}

/// Later rounds are of the same release: what was paid for the first one, and about the same list.
#[test]
fn a_key_serves_one_release() {
    let vectors = |epsilon: u32, rounds: u32, neighbours: &[NodeId]| {
        let parameters = json!({ "epsilon-edges": epsilon, "rounds": rounds, "clusters": 2 });
        let me = me(json!({ "neighbours": neighbours, "parameters": parameters })).expect("a node");
        Device::new("degree-vectors", me).expect("a device")
    };
    let mut key = DeviceKey::read(&"0f".repeat(32)).expect("a key");
    let mut ask = |device: &Device, rounds: std::ops::Range<u32>| {
        let line = |round| json!({ "from": "server", "round": round, "clusters": [0, 1, 0, 1] });
        let inbox: String = rounds.map(|round| format!("{}\n", line(round))).collect();
        key.hold_to(device, &device.part(&inbox, &coins()).expect("a part"))
    };
    let paid = vectors(4, 2, &[1, 2]);
    ask(&paid, 0..0).expect("nothing yet");
    ask(&paid, 0..1).expect("the first round");
    for other in [vectors(40, 2, &[1, 2]), vectors(4, 3, &[1, 2]), vectors(4, 2, &[1, 3])] {
        assert!(matches!(ask(&other, 1..2), Err(DeviceError::ReportedOtherwise { round: None })), "{other:?}");
    }
    ask(&paid, 0..2).expect("the second round");
    // A part that another device made, with more rounds.
    let (once, more) = (vectors(4, 1, &[1, 2]), vectors(4, 2, &[1, 2]));
    let inbox = json!({ "from": "server", "round": 1, "clusters": [0, 1, 0, 1] }).to_string();
    let refused =
        DeviceKey::read(&"0f".repeat(32)).expect("a key").hold_to(&once, &more.part(&inbox, &coins()).expect("a part"));
    assert!(matches!(refused, Err(DeviceError::NoSuchRound { round: 1, rounds: 1 })));
}
