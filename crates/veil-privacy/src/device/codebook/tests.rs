use serde_json::Value;
use veil_graph::{Features, Labels, Matrix, Part, Split};

use super::super::tests::coins;
use super::super::{Device, DeviceKey};
use super::*;
use crate::release::codebook::reports;

const NODES: u32 = 12;

fn features() -> Features {
    let values = (0..NODES * 4).map(|it| ((it * 7 + it / 5) % 9) as f32 - 4.0).collect();
    Features::Dense(Matrix::from_values(NODES as usize, 4, values).expect("a matrix"))
}

/// Two of three nodes are for training.
fn role(node: u32) -> Role {
    if node.is_multiple_of(3) { Role::Class } else { Role::Codeword }
}

fn me(node: u32, role: Role, vector: &Value) -> Value {
    let parameters = json!({ "epsilon-features": 2, "classes": 3, "role": role.name() });
    let raw = json!({ "dimensions": 4, "vector": vector });
    json!({ "me": node, "nodes": NODES, "neighbours": [], "raw": raw, "parameters": parameters })
}

fn device(node: u32) -> Device {
    let features = features();
    let row: Vec<f32> = (0..4).map(|dimension| features.value(node as usize, dimension)).collect();
    // The two forms of a vector are the same vector.
    let entries: Vec<(usize, f32)> = row.iter().copied().enumerate().filter(|(_, value)| *value != 0.0).collect();
    let vector = if node < 6 { json!({ "dense": row }) } else { json!({ "sparse": entries }) };
    made(&me(node, role(node), &vector)).expect("a device")
}

fn made(me: &Value) -> Result<Device, DeviceError> {
    Device::new(NAME, Me::read(&me.to_string())?)
}

fn line(centres: &[Vec<i32>]) -> String {
    json!({ "from": "server", "centres": centres }).to_string()
}

#[test]
fn devices_report_what_the_simulation_does() {
    let part = |node| if role(node) == Role::Codeword { Part::Train } else { Part::Test };
    let split = Split::new((0..NODES).map(part).collect());
    let labels = Labels::new(3, (0..NODES).map(|node| Some(node % 3))).expect("labels");
    let params = Params { epsilon: "2".parse().expect("epsilon"), dimensions: 4, classes: 3, groups: None };
    let rounds = [coins().of_round(0), coins().of_round(1)];
    let codebook = params.check().expect("parameters");
    let (hints, centres) =
        reports(&codebook, &features(), &split, (&labels, None), [&rounds[0], &rounds[1]]).expect("reports");
    for node in 0..NODES {
        let device = device(node);
        let early = device.part("", &coins()).expect("a part");
        let waiting = Waiting { from: Sender::Server, message: "centres", round: Some(1) };
        let waits = if role(node) == Role::Class { vec![waiting] } else { Vec::new() };
        assert_eq!(early.waiting_for, waits);
        let part = device.part(&line(&centres.rows()), &coins()).expect("a part");
        let (hint, round) = (hints[node as usize], u32::from(role(node) == Role::Class));
        let sent = json!({ "from": node, "to": "server", "round": round, "hint": hint });
        assert_eq!(part.messages.iter().map(Value::to_string).collect::<Vec<_>>(), [sent.to_string()]);
        assert_eq!(part.report, Some(Report::Hint(hint)));
        let guarantees = device.guarantees();
        assert_eq!(guarantees, [codebook.guarantee()]);
    }
}

/// A key makes one report: not a class after a codeword, not one for other centres, and not one of
/// another vector.
#[test]
fn a_key_reports_once() {
    let rows = |first: i32| vec![vec![first; 257], vec![1; 257], vec![2; 257]];
    let other = me(0, Role::Codeword, &json!({ "dense": [1, 2, 3, 4] }));
    let again = me(0, Role::Class, &json!({ "dense": [1, 2, 3, 4] }));
    let devices = [device(0), made(&other).expect("a device"), made(&again).expect("a device")];
    let mut key = DeviceKey::from_os().expect("a key");
    let part = |device: &Device, key: &DeviceKey, first| {
        device.part(&line(&rows(first)), &key.stream(device)).expect("a part")
    };
    let first = part(&devices[0], &key, 0);
    key.hold_to(&devices[0], &first).expect("the first report");
    key.hold_to(&devices[0], &part(&devices[0], &key, 0)).expect("the same report");
    let otherwise = part(&devices[0], &key, 9);
    assert!(matches!(key.hold_to(&devices[0], &otherwise), Err(DeviceError::ReportedOtherwise { round: Some(1) })));
    for device in &devices[1..] {
        let refused = key.hold_to(device, &part(device, &key, 0));
        assert!(matches!(refused, Err(DeviceError::ReportedOtherwise { round: None })));
    }
}

#[test]
fn what_is_wrong_is_named() {
    let says = |me: &Value, inbox: &str, expected: &str| {
        let found = made(me).and_then(|device| device.part(inbox, &coins()));
        let problem = found.expect_err("a problem").to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    let good = me(1, Role::Class, &json!({ "dense": [1, 2, 3, 4] }));
    let with = |key: &str, name: &str, value: Value| {
        let mut changed = good.clone();
        changed[key][name] = value;
        changed
    };
    let mut none = good.clone();
    none["raw"] = Value::Null;
    says(&none, "", "\"raw\" is missing");
    says(&with("raw", "vector", json!({ "signs": [[0, true]] })), "", "not a report of it");
    says(&with("raw", "vector", json!({ "dense": [1, 2] })), "", "2 values instead of 4");
    says(&with("parameters", "role", json!("server")), "", "role");
    says(&with("parameters", "role", Value::Null), "", "role");
    says(&with("parameters", "epsilon-features", json!("inf")), "", "infinite");
    says(&with("parameters", "classes", json!(0)), "", "at least one value");
    says(&with("parameters", "groups", json!(7)), "", "7 groups");
    says(&good, &line(&[vec![0; 257]]), "257 numbers");
    let two = format!("{}\n{}", line(&vec![vec![0; 257]; 3]), line(&vec![vec![1; 257]; 3]));
    says(&good, &two, "different \"centres\"");
}
