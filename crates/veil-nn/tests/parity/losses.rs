//! Every loss agrees with torch, with its gradient.

use serde_json::Value;
use veil_nn::graph::Topology;
use veil_nn::loss::{Loss, Targets, Transition};

use crate::fixture::{close, matrix, messages, read, rows, wholes};

/// The labels of these nodes.
fn targets(fixture: &Value, nodes: &str) -> Targets {
    let labels = wholes(&fixture["labels"]);
    let pairs = wholes(&fixture[nodes]).into_iter().map(|node| (node, labels[node as usize])).collect();
    Targets::new(pairs, labels.len(), rows(&fixture["logits"])[0].len()).unwrap()
}

fn check(fixture: &Value, loss: &Loss) {
    let (value, gradient) = loss.value_and_gradient(&matrix(&fixture["logits"]));
    let expected = fixture["loss"].as_f64().unwrap();
    assert!((value - expected).abs() < 1e-6 * expected, "{value} instead of {expected}");
    close("gradient", &gradient, &matrix(&fixture["gradient"]));
}

#[test]
fn cross_entropy() {
    let fixture = read("losses/cross-entropy");
    check(&fixture, &Loss::cross_entropy(targets(&fixture, "nodes")));
}

#[test]
fn forward_correction() {
    let fixture = read("losses/forward-correction");
    let transition = Transition::new(rows(&fixture["transition"])).unwrap();
    check(&fixture, &Loss::forward_correction(targets(&fixture, "nodes"), transition).unwrap());
}

#[test]
fn drop() {
    let topology = Topology::new(messages());
    for name in ["losses/drop-0", "losses/drop-2"] {
        let fixture = read(name);
        let hops = fixture["hops"].as_u64().unwrap() as usize;
        let transition = Transition::new(rows(&fixture["transition"])).unwrap();
        let train = targets(&fixture, "nodes");
        let mut others = targets(&fixture, "labelled").iter().collect::<Vec<_>>();
        others.retain(|(node, _)| train.iter().all(|(other, _)| other != *node));
        let others = Targets::new(others, train.nodes(), train.classes()).ok();
        let loss = Loss::drop(train, others.as_ref(), transition, &topology, hops).unwrap();
        let wanted: Vec<u32> = loss.targets().iter().map(|(_, class)| class).collect();
        assert_eq!(wanted, wholes(&fixture["targets"]), "{name}");
        check(&fixture, &loss);
    }
}
