use serde_json::Value;
use veil_graph::Graph;

use super::super::tests::{coins, devices, dozen};
use super::super::{Device, DeviceKey};
use super::*;
use crate::guarantee::Status;

/// Twelve nodes, of which two are senders.
fn order() -> Order {
    Order::new(vec![4, 9, 0, 11, 2, 7, 1, 10, 3, 8, 5, 6], 2, 3).expect("an order")
}

fn order_line(order: &Order) -> Value {
    json!({ "from": "server", "order": order.sequence(), "senders": order.senders().len() })
}

fn batch_line(batch: u32, values: &[u32]) -> Value {
    json!({ "from": "server", "batch": batch, "messages": values.chunks(3).collect::<Vec<_>>() })
}

fn parameters(paired: bool, heard: Heard) -> Value {
    let heard = heard.name();
    json!({ "epsilon-edges": 1, "classes": 3, "batches": 3, "steps": 10, "paired": paired, "heard": heard })
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The device of a node of [`dozen`].
fn device(node: usize) -> Device {
    devices(NAME, &dozen(), None, &parameters(true, Heard::Earlier)).swap_remove(node)
}

#[test]
fn devices_of_a_cascade_report_what_the_simulation_does() {
    let (graph, order): (Graph, Order) = (dozen(), order());
    for (paired, heard) in [(false, Heard::Earlier), (true, Heard::Earlier), (false, Heard::All)] {
        let devices = devices(NAME, &graph, None, &parameters(paired, heard));
        let cascade = build(devices[0].me()).expect("a cascade");
        let mut lines = vec![order_line(&order)];
        let mut values: Vec<u32> = (0..12).flat_map(|node| [node % 4, 10 - node % 4, 0]).collect();
        let mut reported = 0;
        for batch in 0..3 {
            // Who was not asked yet waits; no one reports twice.
            for &me in order.batch(batch) {
                let part = devices[me as usize].part(&text(&lines), &coins()).expect("a part");
                let waiting = Waiting { from: Sender::Server, message: "messages", round: Some(batch) };
                assert_eq!((part.report, part.waiting_for), (None, vec![waiting]));
            }
            lines.push(batch_line(batch, &values));
            let messages = Messages::new(3, 10, values.clone()).expect("messages");
            let batch_coins = cascade::coins_of(&coins().of_round(batch), &order, &messages);
            let rows = cascade.batch(&graph, &order, batch, &messages, &batch_coins).expect("rows");
            for (&me, row) in order.batch(batch).iter().zip(rows.iter()) {
                let part = devices[me as usize].part(&text(&lines), &coins()).expect("a part");
                let sent = json!({ "from": me, "to": "server", "batch": batch, "row": row });
                assert_eq!(part.messages.iter().map(Value::to_string).collect::<Vec<_>>(), [sent.to_string()]);
                assert_eq!((part.report, part.order), (Some(Report::Counts(row.to_vec())), Some(order.digest())));
                reported += 1;
                // The server makes the next messages from the rows.
                let first = row[0].clamp(0, 10) as u32;
                values[me as usize * 3..][..3].copy_from_slice(&[first, 0, 10 - first]);
            }
        }
        assert_eq!(reported, 10);
        // Senders have nothing to report, and later messages change no report.
        for (node, device) in devices.iter().enumerate() {
            let part = device.part(&text(&lines), &coins()).expect("a part");
            assert_eq!(part.report.is_some(), ![4, 9].contains(&node));
            assert!(part.waiting_for.is_empty());
            let backwards: Vec<Value> = lines.iter().rev().chain(&lines).cloned().collect();
            assert_eq!(device.part(&text(&backwards), &coins()).expect("a part"), part);
        }
    }
}

#[test]
fn a_device_says_what_it_waits_for_and_promises() {
    let device = device(0);
    let part = device.part("", &coins()).expect("a part");
    assert_eq!(part.waiting_for, [Waiting { from: Sender::Server, message: "order", round: None }]);
    assert_eq!((part.report, part.order), (None, None));
    let [bit, set] = &device.guarantees()[..] else { panic!("two guarantees") };
    assert_eq!((bit.unit, bit.status, bit.per_relationship), (Unit::EdgeBit, Status::Proven, Some(bit.epsilon)));
    assert_eq!((set.unit, Some(set.epsilon)), (Unit::EdgeSet, bit.epsilon.times(2)));
}

#[test]
fn what_the_server_sends_is_checked() {
    let good: Vec<u32> = [5, 5, 0].repeat(12);
    let long = [&[5, 5, 1], &good[3..]].concat();
    let reversed: Vec<NodeId> = order().sequence().iter().rev().copied().collect();
    let other = Order::new(reversed, 2, 3).expect("an order");
    for (lines, says) in [
        (vec![json!({ "from": "server", "order": [0, 1], "senders": 0 })], "order for 2 nodes"),
        (
            vec![json!({ "from": "server", "order": vec![0; 12], "senders": 0 })],
            "each of 12 nodes must occur exactly once",
        ),
        (
            vec![json!({ "from": "server", "order": order().sequence(), "senders": 11 })],
            "each of 12 nodes must occur exactly once",
        ),
        (vec![json!({ "from": "server", "order": order().sequence() })], "line 1: missing field `senders`"),
        (vec![order_line(&order()), order_line(&other)], "line 2: the server has already sent a different \"order\""),
        (vec![batch_line(3, &good)], "batch beyond the last"),
        (vec![batch_line(0, &good[3..])], "messages for 11 nodes"),
        (
            vec![batch_line(0, &good), batch_line(0, &long)],
            "line 2: the server has already sent a different \"messages\"",
        ),
        // Node 0 is in the first batch.
        (vec![order_line(&order()), batch_line(0, &long)], "the message of node 0 sums to more than one (10 steps)"),
        (vec![json!({ "from": "server", "batch": 0, "messages": vec![[1]; 12] })], "one number per class"),
        (vec![json!({ "from": 1, "to": 0, "batch": 0, "messages": [] })], "only the server"),
    ] {
        let said = device(0).part(&text(&lines), &coins()).expect_err("refused").to_string();
        assert!(said.contains(says), "{said}");
    }
}

/// The example of docs/device.md, computed by another implementation.
#[test]
fn the_digest_of_an_order_is_pinned() {
    let order = Order::new(vec![1, 0, 2, 3], 1, 3).expect("an order");
    assert_eq!(order.digest(), "0d392d54f870baa861da96b0c1ce71ca0004e450968c76c41c5df844cd47fe56");
}

#[test]
fn only_the_published_order_is_accepted() {
    let mut me = device(0).me().clone();
    me.order = Some(order().digest().to_uppercase());
    let part =
        |me: &Me| Device::new(NAME, me.clone()).expect("a device").part(&text(&[order_line(&order())]), &coins());
    assert_eq!(part(&me).expect("a part").order, Some(order().digest()));
    me.order = Some("ab".repeat(32));
    let refused = part(&me).expect_err("refused");
    assert!(matches!(refused, DeviceError::NotThePublishedOrder { line: 1, .. }), "{refused}");
    assert!(refused.to_string().contains(&order().digest()) && refused.hint().is_some());
}

#[test]
fn a_key_is_fixed_to_the_first_order_and_reports_once() {
    let reversed: Vec<NodeId> = order().sequence().iter().rev().copied().collect();
    let other = Order::new(reversed, 2, 3).expect("an order");
    let good: Vec<u32> = [5, 5, 0].repeat(12);
    let mut key = DeviceKey::read(&"0f".repeat(32)).expect("a key");
    let mut ask = |lines: &[Value]| {
        let device = device(0);
        let asked = key.hold_to(&device, &device.part(&text(lines), &coins()).expect("a part"));
        // What is on disk is all that a device remembers.
        key = DeviceKey::read(&key.text()).expect("a key");
        asked
    };
    ask(&[]).expect("nothing yet");
    ask(&[order_line(&order())]).expect("the order alone");
    assert!(matches!(ask(&[order_line(&other)]), Err(DeviceError::AnotherOrder)));
    ask(&[order_line(&order()), batch_line(0, &good)]).expect("the report");
    ask(&[order_line(&order()), batch_line(0, &good), batch_line(1, &good)]).expect("the same report");
    // In the other order node 0 is in the last batch: that would be a second report.
    let again = [0, 1, 2].map(|batch| batch_line(batch, &good));
    assert!(matches!(ask(&[&[order_line(&other)], &again[..]].concat()), Err(DeviceError::AnotherOrder)));
    let moved = batch_line(0, &[&[4, 6, 0], &good[3..]].concat());
    let refused = ask(&[order_line(&order()), moved]);
    assert!(matches!(refused, Err(DeviceError::ReportedOtherwise { round: Some(0) })));
    let text = key.text();
    let words: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(words, ["release", "order", "reported"]);
}

#[test]
fn parameters_are_required_and_checked() {
    let refused = |parameters: Value| {
        let me = json!({ "me": 0, "nodes": 2, "neighbours": [1], "parameters": parameters });
        Device::new(NAME, Me::read(&me.to_string()).expect("a node")).expect_err("refused")
    };
    for (parameters, says) in [
        (json!({ "epsilon-edges": 1, "batches": 1 }), "cascade requires \"classes\""),
        (json!({ "epsilon-edges": 1, "classes": 2 }), "cascade requires \"batches\""),
        (json!({ "classes": 2, "batches": 1 }), "\"epsilon-edges\" is missing"),
        (json!({ "epsilon-edges": "inf", "classes": 2, "batches": 1 }), "infinite"),
        (json!({ "epsilon-edges": 1, "classes": 0, "batches": 1 }), "cluster"),
        (json!({ "epsilon-edges": 1, "classes": 2, "batches": 0 }), "round"),
    ] {
        let error = refused(parameters);
        assert!(error.to_string().contains(says), "{error}");
    }
}
