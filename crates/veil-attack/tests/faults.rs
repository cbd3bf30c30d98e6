//! The auditor audited: one mistake at a time in the release path, and what finds it.
//!
//! A fault is compiled into `veil-privacy` under its feature `faults` and seeded here. It counts as
//! found if a guarantee that the enumeration confirmed without it is then violated, or is no longer
//! said to hold; where that sees nothing, the arithmetic of the proof may, or canaries.
//! `docs/guarantees.md` has this list: `VEIL_WRITE_FAULTS=1` prints it as a table.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

use std::collections::BTreeSet;

use veil_attack::audit::{Claim, Enumerated, Finding, Options, Promise, Verdict, find};
use veil_graph::generate::Community;
use veil_privacy::fault::{self, Fault};
use veil_privacy::parameters::Settings;
use veil_privacy::{Epsilon, Status, Trust, Unit};

/// Faults that cost no privacy, and why: nothing may find them.
const HARMLESS: [(Fault, &str); 3] = [
    (Fault::ListOrderKept, "a released graph sorts every list again"),
    (Fault::EdgeAtOneEnd, "one count moves instead of two: half of the loss, and half of the signal"),
    (Fault::TieById, "noise is on a grid and ties are broken by public ids: post-processing"),
];

/// Faults that no audit sees, and which test of the mechanism does.
const UNSEEN: [(Fault, &str); 1] = [(
    Fault::ClassWithoutNoise,
    "few training users have centres that no vector tells apart; \
     `any_centres_are_answered_by_randomised_response` sees it",
)];

/// The subjects whose code the fault is in, with the unit and the form that shows it.
fn where_it_shows(fault: Fault) -> (&'static str, Unit, &'static [(&'static str, &'static str)]) {
    const LABELS: (&str, Unit, &[(&str, &str)]) = ("randomised-response", Unit::Label, &[]);
    const FEATURES: (&str, Unit, &[(&str, &str)]) = ("multi-bit", Unit::Feature, &[]);
    const VECTORS: (&str, Unit, &[(&str, &str)]) = ("degree-vectors", Unit::EdgeBit, &[("unit", "edge-bit")]);
    const CENTRAL: (&str, Unit, &[(&str, &str)]) = ("lpgnet", Unit::Edge, &[]);
    const KRR: (&str, Unit, &[(&str, &str)]) = ("privgnn", Unit::Node, &[("release", "krr")]);
    const CASCADE: (&str, Unit, &[(&str, &str)]) = ("cascade", Unit::Edge, &[]);
    match fault {
        Fault::FlipRoundedDown
        | Fault::OtherNeverSent
        | Fault::OtherByRemainder
        | Fault::ValidationLabelsKept
        | Fault::TestLabelsReleased
        | Fault::FirstClustersFromTruth
        | Fault::LastClustersFromTruth
        | Fault::CentresFromTruth
        | Fault::MechanismsShareCoins => LABELS,
        Fault::OnlyNearCodewords | Fault::NearByAngle | Fault::ClassWithoutNoise => ("codebook", Unit::Feature, &[]),
        Fault::SignThresholdHalved | Fault::DimensionByValue | Fault::OutsideSentAsItIs => FEATURES,
        Fault::SkipOffByOne | Fault::FlipsAtTwiceEpsilon => ("edge-flip", Unit::EdgeBit, &[]),
        Fault::DegreeFreeOfCharge | Fault::DegreeWithoutNoise => ("blink", Unit::EdgeBit, &[]),
        Fault::ListOrderKept | Fault::FirstNeighbourKept => ("neighbour-krr", Unit::EdgeSet, &[]),
        Fault::CoinPerOrderedPair => ("edgerand", Unit::Edge, &[]),
        Fault::EdgeAtOneEnd | Fault::SensitivityOne | Fault::NodesShareCoins => CENTRAL,
        Fault::RoundsShareCoins | Fault::RoundsNotDivided | Fault::LastCountWithoutNoise => VECTORS,
        Fault::CountsCutAtDegree | Fault::NoiseOneSided | Fault::NoiseHalved => VECTORS,
        Fault::EdgesInStatement | Fault::NodesFromEdges => ("edgerand", Unit::Edge, &[]),
        Fault::CountWithoutNoise | Fault::CountFreeOfCharge | Fault::BandForgotten => ("lapgraph", Unit::Edge, &[]),
        Fault::TieToEdges | Fault::TieById => ("lapgraph", Unit::Edge, &[]),
        Fault::SampleReused | Fault::AnswersShareNoise | Fault::SampleOfAll => KRR,
        Fault::UnanimousWithoutNoise | Fault::TeacherByOthers | Fault::VotesShareNoise => ("pate", Unit::Node, &[]),
        Fault::RowsKeepTheirLength | Fault::VarianceHalved | Fault::EmptyClassWithoutNoise => {
            ("class-sums", Unit::Node, &[])
        }
        Fault::NoiseAboveHalved => ("moments", Unit::Node, &[]),
        Fault::GradientsKeepTheirLength => ("dp-mlp", Unit::Node, &[]),
        Fault::GradientsShareNoise => ("dp-mlp", Unit::Node, &[("epochs", "2"), ("gamma", "1")]),
        Fault::LaterNeighboursToo | Fault::LongMessages | Fault::PairsByTruth | Fault::OrderByDegree => CASCADE,
        Fault::RowsShareNoise | Fault::OtherOrderAccepted | Fault::LongMessagesAccepted => CASCADE,
        Fault::BatchesOverlap | Fault::OtherExtensionAccepted => CASCADE,
    }
}

/// What small releases of the subject show at ε = 1.
fn enumerated(fault: Fault) -> Result<Enumerated, String> {
    let (name, unit, form) = where_it_shows(fault);
    let subject = find(name).unwrap();
    let one: Epsilon = "1".parse().unwrap();
    let given: Settings = form.iter().map(|&(name, value)| (name, value.into())).collect();
    let settings = subject.at(Some(one), &given).unwrap();
    let claimed = Promise { epsilon: 1.0, delta: 0.0 };
    let (mechanism, parameters) = (name.to_owned(), String::new());
    let claim = Claim { mechanism, parameters, unit, trust: Trust::Local, claimed, status: Status::Proven };
    let found = subject.enumerate(&settings, &claim).map_err(|error| error.to_string())?;
    Ok(found.unwrap().0)
}

/// What the arithmetic of the proof shows on a graph of a few nodes, or what canaries do.
fn audited(fault: Fault, canaries: usize) -> Option<String> {
    let (name, _, form) = where_it_shows(fault);
    let subject = find(name).unwrap();
    let given: Settings = form.iter().map(|&(name, value)| (name, value.into())).collect();
    let settings = subject.at(Some("1".parse().unwrap()), &given).unwrap();
    let data = Community::citation().with_nodes(100).check().unwrap().generate(1);
    let options = Options { pairs: 10, canaries, seed: 1 };
    let audits = subject.audit(&settings, &data, &options).unwrap();
    let violated = audits.iter().find(|audit| audit.verdict == Verdict::Violated)?;
    let claimed = violated.claim.claimed.epsilon;
    let loss = violated.exact.as_ref().map_or(0.0, |exact| exact.epsilon);
    Some(match canaries {
        0 => format!("violated by the proof's arithmetic: loss {loss:.3} at ε = {claimed:.3}"),
        _ => format!("violated by {canaries} canaries at ε = {claimed:.3}"),
    })
}

/// What found it.
fn found_by(found: &Result<Enumerated, String>) -> Option<String> {
    let found = match found {
        Ok(found) => found,
        Err(problem) => return Some(format!("nothing is released: {problem}")),
    };
    let loss = if found.loss.is_finite() { format!("loss {:.3}", found.loss) } else { "loss ∞".to_owned() };
    match found.finding {
        Finding::Holds => None,
        Finding::Violated => {
            Some(format!("violated: {loss} at ε = {:.3}, δ at least {:.2e}", found.epsilon, found.delta_at_least))
        }
        Finding::Open => Some(format!("not said to hold: {}", found.doubt.clone().unwrap_or_default())),
    }
}

#[test]
fn every_seeded_fault_is_found() {
    let (mut missed, mut lines, mut honest) = (Vec::new(), Vec::new(), BTreeSet::new());
    for &fault in Fault::ALL {
        if honest.insert(where_it_shows(fault).0) {
            let found = enumerated(fault).unwrap();
            assert_eq!(found.finding, Finding::Holds, "without {fault:?}: {found:?}");
        }
        fault::seed(Some(fault));
        let found = found_by(&enumerated(fault)).or_else(|| audited(fault, 0)).or_else(|| audited(fault, 500));
        fault::seed(None);
        let excused = HARMLESS.iter().chain(&UNSEEN).find(|(it, _)| *it == fault);
        let said = match (&found, excused) {
            (Some(found), _) => found.clone(),
            (None, Some((_, why))) => format!("nothing: {why}"),
            (None, None) => "**nothing**".to_owned(),
        };
        println!("{fault:?}: {said}");
        lines.push(format!("| {} | {} | {said} |", fault.about(), where_it_shows(fault).0));
        if found.is_some() == excused.is_some() {
            missed.push(fault);
        }
    }
    if std::env::var_os("VEIL_WRITE_FAULTS").is_some() {
        println!("| fault | subject | found by |\n|---|---|---|\n{}", lines.join("\n"));
    }
    assert!(Fault::ALL.len() - HARMLESS.len() >= 25, "{} faults", Fault::ALL.len());
    assert!(missed.is_empty(), "not as expected: {missed:?}");
}
