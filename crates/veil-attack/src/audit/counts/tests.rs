use veil_graph::generate::Community;
use veil_graph::{Direction, Dropped, Graph};
use veil_privacy::protocol::degree_vectors::Params;
use veil_privacy::{Epsilon, Status, Trust};

use super::*;
use crate::audit::{Promise, TOLERANCE, Verdict};
use crate::testing::on_any_pool;

const EPSILONS: [&str; 6] = ["0.1", "0.5", "1", "2", "4", "8"];
const UNITS: [Unit; 3] = [Unit::EdgeBit, Unit::EdgeSet, Unit::Edge];

fn options(canaries: usize, seed: u64) -> Options {
    Options { pairs: 60, canaries, seed }
}

fn mechanism(text: &str, rounds: u32, unit: Unit) -> DegreeVectors {
    Params { epsilon: text.parse().unwrap(), rounds, unit, clusters: 8 }.check().unwrap()
}

/// Like Cora, with so many nodes.
fn citations(nodes: u32) -> Dataset {
    Community::citation().with_nodes(nodes).check().unwrap().generate(1)
}

/// The same findings of canaries alone, held against a share of what was promised.
fn against(audit: &Audit, share: f64) -> Verdict {
    let Promise { epsilon, delta } = audit.claim.claimed;
    let claim = Claim { claimed: Promise { epsilon: epsilon * share, delta }, ..audit.claim.clone() };
    Audit::new(claim, None, audit.canaries, None).verdict
}

#[test]
fn every_promise_is_audited_and_holds_exactly() {
    let data = citations(120);
    for text in EPSILONS {
        for (rounds, unit) in [1, 2, 3].into_iter().flat_map(|rounds| UNITS.map(|unit| (rounds, unit))) {
            let audits = degree_vectors(&mechanism(text, rounds, unit), &data, &options(60, 3)).unwrap();
            let epsilon = text.parse::<Epsilon>().unwrap().as_f64();
            let expected = match unit {
                Unit::EdgeBit => {
                    vec![(Unit::EdgeBit, Trust::Local, epsilon), (Unit::EdgeSet, Trust::Local, 2.0 * epsilon)]
                }
                Unit::EdgeSet => vec![(Unit::EdgeSet, Trust::Local, epsilon)],
                _ => vec![(Unit::Edge, Trust::Central, epsilon)],
            };
            let found = audits.iter().map(|it| (it.claim.unit, it.claim.trust, it.claim.claimed.epsilon));
            assert_eq!(found.collect::<Vec<_>>(), expected);
            for audit in audits {
                let (exact, promised) = (audit.exact.as_ref().unwrap(), audit.claim.claimed.epsilon);
                assert_eq!((audit.verdict, audit.claim.status), (Verdict::ProofHolds, Status::Proven), "{audit:?}");
                assert!(exact.complete && exact.epsilon <= promised + TOLERANCE, "{audit:?}");
                // The worst pair is among those compared: nothing is left but the last digit of a
                // share.
                assert!(exact.epsilon > promised - 1e-8, "{audit:?}");
                assert_eq!((exact.delta, exact.share_infinite), (0.0, 0.0), "{audit:?}");
            }
        }
    }
}

/// No adjacent pair of inputs is further apart than the noise is made for, and some are that far
/// apart.
#[test]
fn distances_are_the_sensitivities() {
    let data = citations(120);
    let options = Options { pairs: 2000, canaries: 0, seed: 4 };
    for (unit, largest) in [(Unit::EdgeBit, 1), (Unit::EdgeSet, 2), (Unit::Edge, 2)] {
        let mechanism = mechanism("1", 1, if unit == Unit::EdgeSet { Unit::EdgeBit } else { unit });
        let clusters = clusters(8, &data);
        let distances = adjacent::distances(&mechanism, unit, &data, &clusters, &options).unwrap();
        assert_eq!(distances.len(), 2001);
        assert_eq!((distances[0], distances.iter().max()), (largest, Some(&largest)), "{unit}");
        if unit == Unit::EdgeSet {
            // An exchange within a cluster moves nothing.
            assert!(distances.contains(&0) && !distances.contains(&1));
        } else {
            assert!(distances.iter().all(|&distance| distance == largest), "{unit}");
        }
    }
}

/// The guesses alone: never at confidence 1 − 10⁻⁶, and at 95 % as often as a bound of 95 % may
/// (more than 9 of 20 has probability 10⁻⁸, and there are fewer than 30 such cases).
#[test]
fn never_violated_over_twenty_keys() {
    let data = citations(300);
    for (text, rounds) in [("0.1", 1), ("0.5", 2), ("1", 1), ("2", 2), ("4", 1), ("8", 3)] {
        for unit in UNITS {
            let mechanism = mechanism(text, rounds, unit);
            let mut above = [0; 2];
            for seed in 0..20 {
                let audits = degree_vectors(&mechanism, &data, &Options { pairs: 2, canaries: 150, seed }).unwrap();
                for (audit, above) in audits.iter().zip(&mut above) {
                    assert_eq!(audit.verdict, Verdict::ProofHolds, "{audit:?}");
                    assert_eq!(against(audit, 1.0), Verdict::NothingFound, "{audit:?}");
                    *above += u32::from(audit.canaries.unwrap().lower_bound_95 > audit.claim.claimed.epsilon);
                }
            }
            assert!(above.iter().all(|&keys| keys <= 8), "{text}, {unit}: {above:?}");
        }
    }
}

/// What theory allows for 1,000 canaries at ε = 1, one round. An entry is told with e/(1+e) = 73 %
/// right: 0.87 at 95 %, and nearly as much where only some are guessed.
#[test]
fn the_bounds_are_close_to_the_truth_and_half_the_promise_is_violated() {
    let data = citations(2000);
    for (unit, rounds, least) in [
        (Unit::EdgeBit, 1, vec![0.75, 1.6]),
        (Unit::EdgeBit, 2, vec![0.6, 1.3]),
        (Unit::EdgeSet, 1, vec![0.5]),
        (Unit::Edge, 1, vec![0.6]),
        (Unit::Edge, 2, vec![0.5]),
    ] {
        let audits = degree_vectors(&mechanism("1", rounds, unit), &data, &options(1000, 7)).unwrap();
        assert_eq!(audits.len(), least.len());
        for (audit, least) in audits.iter().zip(least) {
            let found = audit.canaries.unwrap();
            assert_eq!(found.canaries, 1000);
            assert!(found.lower_bound_95 > least, "{unit}, {rounds}: {audit:?}");
        }
    }
    // More of what is to be found makes the test sharper: at ε = 4 every half promise falls.
    for unit in UNITS {
        for audit in degree_vectors(&mechanism("4", 2, unit), &data, &options(1000, 7)).unwrap() {
            if audit.claim.claimed.epsilon == 4.0 {
                assert_eq!(against(&audit, 0.5), Verdict::Violated, "{audit:?}");
            }
        }
    }
}

/// Noise for a list's entry on an edge that is counted twice: the exact part and the canaries both
/// see it.
#[test]
fn noise_for_one_end_does_not_hide_an_edge() {
    let data = citations(2000);
    let (mechanism, options) = (mechanism("2", 1, Unit::EdgeBit), options(1000, 2));
    let Noise::OnCounts(noise) = mechanism.noise() else { panic!("on counts") };
    let mut claim = Claim::from(&mechanism.guarantees()[0]);
    claim.unit = Unit::Edge;
    let clusters = clusters(8, &data);
    let exact = of_counts(&mechanism, noise, &claim, &data, &clusters, &options).unwrap();
    assert!((exact.epsilon - 4.0).abs() < 1e-12 && exact.delta > 0.1, "{exact:?}");
    let planted = plant::plant(Unit::Edge, &data, &clusters, &options).unwrap().unwrap();
    let walk = Walk::of_counts(2, 2.0);
    let canaries = one_run(&mechanism, &planted, &clusters, &walk, &claim, &options).unwrap();
    assert_eq!(Audit::new(claim, None, Some(canaries), None).verdict, Verdict::Violated, "{canaries:?}");
}

#[test]
fn canaries_are_where_they_are_said_to_be() {
    let data = citations(101);
    let clusters = clusters(8, &data);
    let exact = |unit| Params { epsilon: Epsilon::INFINITE, rounds: 1, unit, clusters: 8 }.check().unwrap();
    for unit in UNITS {
        let planted = plant::plant(unit, &data, &clusters, &options(1000, 9)).unwrap().unwrap();
        assert_eq!(planted.canaries.len(), 50, "half of the nodes, or pairs");
        let coins = Coins::reproducible(1).for_scoring("none");
        let counts = exact(unit).round(&planted.graph, &clusters, &coins).unwrap();
        for canary in &planted.canaries {
            assert_eq!(canary.places.len(), plant::counts_moved(unit));
            for place in &canary.places {
                let more = i64::from(canary.secret == (place.with == plant::With::True));
                assert_eq!(counts.row(place.node as usize)[place.cluster as usize], place.without + more, "{unit}");
            }
        }
        let present = planted.canaries.iter().filter(|canary| canary.secret).count();
        assert!((10..40).contains(&present));
    }
}

#[test]
fn what_cannot_be_audited_says_why() {
    let pair = Graph::from_edges(2, &[(0, 1)], Direction::Undirected).unwrap().graph;
    let pair = Dataset::new("pair", pair, Dropped::default());
    let small = degree_vectors(&mechanism("1", 1, Unit::EdgeBit), &pair, &options(5, 1));
    assert!(matches!(small, Err(AuditError::TooSmall { nodes: 2, least: 3, .. })));
    let raw = degree_vectors(&mechanism("inf", 1, Unit::EdgeBit), &citations(60), &options(5, 1));
    assert!(matches!(raw, Err(AuditError::Mechanism(ParamError::NotPrivatised))));
}

#[test]
fn the_same_on_any_number_of_threads() {
    let data = citations(200);
    for unit in UNITS {
        on_any_pool(|| degree_vectors(&mechanism("1", 2, unit), &data, &options(100, 1)).unwrap());
    }
}

/// In one cluster an exchange changes nothing, and there is nothing to guess.
#[test]
fn one_cluster_hides_every_exchange() {
    let one = Params { epsilon: "1".parse().unwrap(), rounds: 1, unit: Unit::EdgeSet, clusters: 1 }.check().unwrap();
    let audits = degree_vectors(&one, &citations(60), &options(5, 1)).unwrap();
    assert_eq!((audits[0].verdict, audits[0].canaries), (Verdict::ProofHolds, None));
    assert_eq!(audits[0].exact.as_ref().unwrap().epsilon, 0.0);
}
