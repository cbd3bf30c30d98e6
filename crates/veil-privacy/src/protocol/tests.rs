//! The registry, and what holds for every protocol in it.

use super::*;
use crate::parameters::{ParameterError, Settings};
use crate::protocol::exchange::testing::{figure, places};
use crate::testing::stream;

fn built(entry: &Entry, nodes: u32) -> std::sync::Arc<dyn Protocol> {
    (entry.build)("1".parse().expect("an ε"), nodes, &Settings::default()).expect("defaults are accepted")
}

#[test]
fn entries_describe_what_they_build() {
    for entry in ENTRIES {
        let protocol = built(entry, 9);
        assert_eq!(find(entry.name).map(|found| found.about), Some(entry.about));
        assert_eq!(protocol.name(), entry.name);
        let promised = &protocol.guarantees()[0];
        assert_eq!((promised.unit, promised.status), (entry.unit, entry.status), "{}", entry.name);
        assert_eq!((promised.mechanism.as_str(), &promised.parameters), (entry.name, &protocol.parameters()));
        // Every default is accepted as a setting and changes nothing.
        let all = (entry.parameters)().settings();
        let same = (entry.build)("1".parse().expect("an ε"), 9, &all).expect("defaults are accepted");
        assert!(*same == *protocol, "{}", entry.name);
        let unknown = Settings::from_iter([("espilon", 1.into())]);
        let refused = (entry.build)("1".parse().expect("an ε"), 9, &unknown).expect_err("refused");
        assert_eq!(refused, ParameterError::Unknown { name: "espilon".to_owned() }.into());
    }
    assert!(find("knot").is_none());
}

#[test]
fn every_protocol_runs_with_features_and_refuses_to_run_without_those_it_compares() {
    let (graph, features) = (figure(), places());
    for entry in ENTRIES {
        let protocol = built(entry, graph.nodes());
        protocol.fits(graph.nodes()).expect("it fits");
        let reports = protocol.run(&graph, Some(&features), &stream("registry")).expect("reports");
        assert_eq!(reports.lists.nodes(), graph.nodes());
        let without = protocol.run(&graph, None, &stream("registry"));
        let missing = ProtocolError::NoFeatures { protocol: entry.name };
        assert_eq!(without.err(), protocol.compares_features().then_some(missing), "{}", entry.name);
    }
}

/// What is said about slots and bits is a distribution.
#[test]
fn exact_distributions_sum_to_one() {
    let nodes = 9;
    let mut compared = 0;
    for entry in ENTRIES {
        match built(entry, nodes).exact() {
            Exact::Slots { keep, exchange } => {
                let others = (2..nodes).fold(Fraction::zero(), |sum, _| &sum + &exchange);
                assert_eq!(&others + &keep, Fraction::one(), "{}", entry.name);
            }
            Exact::Bits(bits) => bits.iter().for_each(|[zero, one]| assert_eq!(zero + one, Fraction::one())),
            Exact::DegreeAndBits { bits, .. } => {
                bits.iter().for_each(|[zero, one]| assert_eq!(zero + one, Fraction::one()));
            }
            _ => continue,
        }
        compared += 1;
    }
    assert!(compared >= 3);
}
