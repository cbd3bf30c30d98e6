use std::time::Instant;

use veil_graph::Split;
use veil_graph::generate::Community;
use veil_privacy::Status;
use veil_privacy::protocol::cascade::Heard;

use super::*;
use crate::audit::{Options, Verdict, every};

/// Every guarantee of every subject, at the ε of the claim and of the enumeration: what is proven
/// holds, and what is refuted is violated already on a few nodes.
#[test]
fn small_releases_agree_with_every_status() {
    let data = Community::citation().with_nodes(100).check().unwrap().generate(1);
    let data = data.with_split(Split::random(100, "0.5,0.25,0.25".parse().unwrap(), 1)).unwrap();
    let options = Options { pairs: 20, canaries: 0, seed: 1 };
    let mut enumerated = 0;
    for (subject, settings) in every(Some(chosen(1))).unwrap() {
        let start = Instant::now();
        for audit in subject.audit(&settings, &data, &options).unwrap() {
            let named = format!("{} ({}) {}", subject.name, audit.claim.unit, audit.claim.parameters);
            let Some(code) = &audit.code else {
                println!("not enumerated: {named}: {}", audit.verdict);
                continue;
            };
            println!("{named}: {:.2} s, {code:?}", start.elapsed().as_secs_f64());
            enumerated += 1;
            // At the ε of the claim itself nothing is computed for the noisy argmax.
            let checked = audit.exact.as_ref().is_some_and(|exact| exact.complete);
            let expected = match audit.claim.status {
                Status::Refuted => (Finding::Violated, Verdict::Violated),
                _ if checked => (Finding::Holds, Verdict::Holds),
                _ => (Finding::Holds, Verdict::NothingFound),
            };
            assert_eq!((code.finding, audit.verdict), expected, "{named}: {code:?}");
            assert!(code.executions > 1 && code.outside < 0.25, "{named}: {code:?}");
        }
    }
    assert!(enumerated >= 17, "{enumerated}");
}

/// Of a cascade: every unit in both models of trust, also a relationship between users.
#[test]
fn small_cascades_hold() {
    for (protected, heard, unit) in [
        (Unit::Edge, Heard::Earlier, Unit::Edge),
        (Unit::EdgeBit, Heard::Earlier, Unit::EdgeBit),
        (Unit::EdgeBit, Heard::Earlier, Unit::Edge),
        (Unit::EdgeBit, Heard::Earlier, Unit::EdgeSet),
        (Unit::EdgeBit, Heard::All, Unit::EdgeBit),
        (Unit::EdgeBit, Heard::All, Unit::Edge),
    ] {
        let start = Instant::now();
        let (found, witness) = cascade::rows(protected, heard, unit).unwrap().unwrap();
        println!("{protected} as {unit}: {:.2} s, {found:?}", start.elapsed().as_secs_f64());
        assert_eq!((found.finding, witness), (Finding::Holds, None), "{protected} as {unit}: {found:?}");
        // The bound is reached: a loss of ε inside of the window.
        assert!(found.executions > 1000 && found.outside < 0.02, "{found:?}");
        assert!((found.loss - found.epsilon).abs() < 1e-6, "{found:?}");
    }
}
