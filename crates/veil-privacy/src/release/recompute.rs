//! Guarantees recomputed from mechanism and parameters.
//!
//! A statement is a file that anyone can edit, so what it promises is never believed: ε, δ, unit
//! and status are computed again from the mechanism and its parameters by the code that makes
//! releases, and a statement that promises anything else is refused. Parameters and data edited
//! alike are noticed by digests and signatures only ([`integrity`](crate::integrity)).

use std::fmt::Display;
use std::str::FromStr;

use super::features::raw_guarantee;
use super::figures;
use crate::answers;
use crate::budget::{Delta, Epsilon};
use crate::central;
use crate::guarantee::{Guarantee, Status, Trust, Unit};
use crate::mechanism::{multi_bit, randomised_response};
use crate::parameters::{Parameters, Settings};
use crate::protocol;
use crate::protocol::cascade::Extension;

/// Why a stated guarantee does not follow from its mechanism and parameters.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotImplied {
    #[error("unknown mechanism {mechanism:?}")]
    UnknownMechanism { mechanism: String },
    #[error("{mechanism}: the parameter {name} is missing or out of range")]
    Parameter { mechanism: String, name: String },
    #[error("{mechanism} ({parameters}): {problem}")]
    Parameters { mechanism: String, parameters: String, problem: String },
    #[error("{mechanism} ({parameters}) implies {computed}, but the statement promises {stated}")]
    Other { mechanism: String, parameters: String, stated: String, computed: String },
}

/// The part of a guarantee that follows from a mechanism and its parameters.
#[derive(Clone, Copy, PartialEq)]
struct Promise {
    unit: Unit,
    trust: Trust,
    epsilon: Epsilon,
    delta: Delta,
    status: Status,
    per_relationship: Option<Epsilon>,
}

impl From<&Guarantee> for Promise {
    fn from(guarantee: &Guarantee) -> Promise {
        let Guarantee { unit, trust, epsilon, delta, status, per_relationship, .. } = *guarantee;
        Promise { unit, trust, epsilon, delta, status, per_relationship }
    }
}

impl Display for Promise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Promise { unit, trust, epsilon, delta, status, per_relationship } = self;
        write!(f, "{unit} ε = {epsilon}, δ = {delta} ({status}, {trust})")?;
        per_relationship.map_or(Ok(()), |both| write!(f, ", ε = {both} per relationship"))
    }
}

/// Checks that a stated guarantee follows from its mechanism and parameters.
///
/// # Errors
/// If it does not, or this program does not know the mechanism.
pub fn check(stated: &Guarantee) -> Result<(), NotImplied> {
    let promised = Promise::from(stated);
    let computed = Stated(stated).promises()?;
    // To name a trusted owner promises less than to need none.
    let implies = |it: &Promise| *it == promised || (Promise { trust: Trust::Central, ..*it }) == promised;
    if computed.iter().any(implies) {
        return Ok(());
    }
    let shown: Vec<String> = computed.iter().map(Promise::to_string).collect();
    Err(NotImplied::Other {
        mechanism: stated.mechanism.clone(),
        parameters: stated.parameters.to_string(),
        stated: promised.to_string(),
        computed: shown.join(" and "),
    })
}

/// A guarantee as a file states it.
pub(super) struct Stated<'a>(&'a Guarantee);

impl Stated<'_> {
    /// The name of the mechanism.
    pub(super) fn mechanism(&self) -> &str {
        &self.0.mechanism
    }

    /// Everything that mechanism and parameters imply.
    fn promises(&self) -> Result<Vec<Promise>, NotImplied> {
        let name = self.0.mechanism.as_str();
        let of = |guarantees: Vec<Guarantee>| Ok(guarantees.iter().map(Promise::from).collect());
        match name {
            "none" => of(vec![raw_guarantee(self.0.unit)]),
            randomised_response::NAME => {
                let epsilon = self.read("epsilon")?;
                let params = randomised_response::Params { epsilon, values: self.read("values")? };
                params.check().map_err(|error| self.refused(error))?;
                Ok(vec![Promise::pure(Unit::Label, Trust::Local, epsilon)])
            }
            multi_bit::NAME => {
                let epsilon = self.read("epsilon")?;
                let (dimensions, range) = (self.read("dimensions")?, self.read("range")?);
                let params = multi_bit::Params { epsilon, dimensions, range, samples: Some(self.read("samples")?) };
                params.check().map_err(|error| self.refused(error))?;
                // Minima and maxima over all users are not computed by one.
                let scaled = self.0.parameters.get("scale") == Some("minmax");
                let trust = if scaled { Trust::Central } else { Trust::Local };
                Ok(vec![Promise::pure(Unit::Feature, trust, epsilon)])
            }
            _ => {
                if let Some(recomputed) = answers::recomputed(self.0) {
                    return Ok(vec![Promise::node(recomputed.map_err(|it| self.refused(it))?)]);
                }
                if let Some(guarantees) = figures::implied(self) {
                    let guarantees = guarantees?;
                    // Parameters that follow from others must do so too: noise is among them.
                    if guarantees.iter().any(|it| it.parameters != self.0.parameters) {
                        return Err(self.refused("they contradict each other"));
                    }
                    return of(guarantees);
                }
                if let Some(entry) = protocol::find(name) {
                    let settings = self.settings(&*(entry.parameters)());
                    let built = (entry.build)(self.read("epsilon")?, self.nodes(), &settings);
                    return of(built.map_err(|error| self.refused(error))?.guarantees());
                }
                let entry = central::find(name);
                let entry = entry.ok_or_else(|| NotImplied::UnknownMechanism { mechanism: name.to_owned() })?;
                let settings = self.settings(&*(entry.parameters)());
                let built = (entry.build)(self.read("epsilon")?, self.nodes(), &settings);
                of(built.map_err(|error| self.refused(error))?.guarantees())
            }
        }
    }

    /// A parameter.
    pub(super) fn read<T: FromStr>(&self, name: &str) -> Result<T, NotImplied> {
        let missing = || NotImplied::Parameter { mechanism: self.0.mechanism.clone(), name: name.to_owned() };
        self.0.parameters.get(name).and_then(|text| text.parse().ok()).ok_or_else(missing)
    }

    /// A parameter that is listed only if it is not the usual one.
    pub(super) fn read_or<T: FromStr>(&self, name: &str, usual: T) -> Result<T, NotImplied> {
        if self.0.parameters.get(name).is_none() { Ok(usual) } else { self.read(name) }
    }

    /// The release that a cascade extends, if it does.
    pub(super) fn extension(&self) -> Result<Option<Extension>, NotImplied> {
        let missing = |name: &str| NotImplied::Parameter { mechanism: self.0.mechanism.clone(), name: name.to_owned() };
        Extension::of_parameters(&self.0.parameters).map_err(missing)
    }

    /// The number of nodes, for mechanisms whose parameters include it.
    fn nodes(&self) -> u32 {
        self.read("nodes").unwrap_or(0)
    }

    /// The parameters of a registry's entry that the statement has. Limits on the size of a release
    /// are not among them and do not matter here.
    fn settings(&self, known: &dyn Parameters) -> Settings {
        let stated = |name: &str| self.0.parameters.get(name).map(serde_json::Value::from);
        let mut settings: Settings =
            known.list().into_iter().filter_map(|it| stated(&it.name).map(|value| (it.name, value))).collect();
        if known.list().iter().any(|it| it.name == "max-edges") {
            settings.insert("max-edges", u64::MAX);
        }
        settings
    }

    /// The mechanism refuses its parameters.
    pub(super) fn refused(&self, problem: impl Display) -> NotImplied {
        NotImplied::Parameters {
            mechanism: self.0.mechanism.clone(),
            parameters: self.0.parameters.to_string(),
            problem: problem.to_string(),
        }
    }
}

impl Promise {
    fn pure(unit: Unit, trust: Trust, epsilon: Epsilon) -> Promise {
        let (delta, status, per_relationship) = (Delta::ZERO, Status::Proven, None);
        Promise { unit, trust, epsilon, delta, status, per_relationship }
    }

    fn node((epsilon, delta, status): (Epsilon, Delta, Status)) -> Promise {
        Promise { unit: Unit::Node, trust: Trust::Central, epsilon, delta, status, per_relationship: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::{LabelRelease, NoisyLogPosterior, per_query};
    use crate::central::neighbour_sums;
    use crate::guarantee::ParameterList;
    use crate::mechanism::noisy_argmax;

    fn epsilon(text: &str) -> Epsilon {
        text.parse().expect("a budget")
    }

    /// Guarantees of every mechanism of every registry.
    fn registered() -> Vec<Guarantee> {
        let (one, settings) = (epsilon("1.5"), Settings::default());
        let lists = protocol::ENTRIES.iter().flat_map(|it| (it.build)(one, 10, &settings).expect("valid").guarantees());
        let graphs = central::ENTRIES.iter().flat_map(|it| (it.build)(one, 10, &settings).expect("valid").guarantees());
        lists.chain(graphs).chain(figures::examples(one)).collect()
    }

    #[test]
    fn every_registered_mechanism_implies_its_own_guarantees() {
        for guarantee in registered() {
            assert_eq!(check(&guarantee), Ok(()), "{}", guarantee.mechanism);
        }
    }

    /// A statement of ε = 1.5 with the noise of another ε contradicts itself.
    #[test]
    fn noise_that_does_not_follow_is_refused() {
        let stated = registered().into_iter().find(|it| it.mechanism == neighbour_sums::NAME).expect("registered");
        let text = serde_json::to_string(&stated).expect("writes");
        let variance = stated.parameters.get("variance").expect("listed").to_owned();
        let edited = text.replace(&format!("\"variance\":\"{variance}\""), "\"variance\":\"1\"");
        assert_ne!(edited, text);
        let edited: Guarantee = serde_json::from_str(&edited).expect("reads");
        assert!(matches!(check(&edited), Err(NotImplied::Parameters { .. })));
        let twice = text.replace("\"hops\":", "\"hops\":\"1\",\"hops\":");
        assert!(serde_json::from_str::<Guarantee>(&twice).is_err());
    }

    #[test]
    fn an_edited_promise_is_refused() {
        for guarantee in registered() {
            let other = if guarantee.status == Status::Proven { Status::Claimed } else { Status::Proven };
            let unit = if guarantee.unit == Unit::Feature { Unit::Label } else { Unit::Feature };
            let edited = [
                Guarantee { epsilon: epsilon("0.01"), ..guarantee.clone() },
                Guarantee { status: other, ..guarantee.clone() },
                Guarantee { unit, ..guarantee.clone() },
                Guarantee { per_relationship: Some(epsilon("0.01")), ..guarantee.clone() },
                Guarantee { mechanism: "edge-flipp".to_owned(), ..guarantee.clone() },
                Guarantee { mechanism: "none".to_owned(), ..guarantee.clone() },
                Guarantee { parameters: ParameterList::default(), ..guarantee.clone() },
            ];
            for edited in edited {
                assert!(check(&edited).is_err(), "{}: {}", guarantee.mechanism, Promise::from(&edited));
            }
        }
        let raw = raw_guarantee(Unit::Edge);
        assert_eq!(check(&raw), Ok(()));
        assert!(check(&Guarantee { status: Status::Proven, ..raw.clone() }).is_err());
        assert!(check(&Guarantee { epsilon: epsilon("1"), ..raw }).is_err());
    }

    #[test]
    fn the_cost_of_answers_is_computed_again() {
        let krr = randomised_response::Params { epsilon: epsilon("1"), values: 5 }.check().expect("valid");
        let argmax = noisy_argmax::Params { lambda: epsilon("1"), classes: 5 }.check().expect("valid");
        let logs = NoisyLogPosterior::new(epsilon("1"), 5).expect("valid");
        let releases =
            [LabelRelease::Krr(krr), LabelRelease::NoisyArgmax(argmax), LabelRelease::NoisyLogPosterior(logs)];
        for release in releases {
            let parameters = ParameterList::default().with("queries", 50).with("gamma", 0.1).with("k", 3);
            let parameters = parameters.with("release", release.name()).and(release.parameters());
            let stated = |delta: &str| Guarantee {
                mechanism: per_query::NAME.to_owned(),
                parameters: parameters.clone(),
                delta: delta.parse().expect("a δ"),
                ..raw_guarantee(Unit::Node)
            };
            let small = per_query::recomputed(&stated("0.00001")).expect("computed");
            assert_eq!(small.2, release.status());
            let honest = Guarantee { epsilon: small.0, status: small.2, ..stated("0.00001") };
            assert_eq!(check(&honest), Ok(()));
            assert!(check(&Guarantee { delta: Delta::ZERO, ..honest.clone() }).is_err());
            assert!(check(&Guarantee { status: Status::Claimed, ..honest }).is_err());
        }
    }
}
