//! Who pays for a release, and where its noise comes from.

use std::path::{Path, PathBuf};

use veil_graph::Dataset;
use veil_privacy::ledger::Notice;
use veil_privacy::release::{Plan, Release};
use veil_privacy::resume::{Bound, SeededId, Wanted};
use veil_privacy::{CoinsError, Consent, Fact, Ledger, LedgerError, Private, Public, ReleaseError, Trust, Unit};

use super::PipelineError;
use super::site::{Bill, Site};
use super::workplace::drawn_for;
use crate::method::{self, Method};

/// The ledger and the coins of releases.
#[derive(Clone, Debug, Default)]
pub struct Payment {
    /// The ledger that is charged before a release.
    pub ledger: Option<PathBuf>,
    /// What the ledger books as unbounded instead of refusing it.
    pub accept: Vec<Consent>,
    /// Seed of the noise: reproducible, therefore not private.
    pub seed: Option<u64>,
    /// Is told while another process holds the ledger.
    pub waiting: Option<Notice>,
    /// Seed of everything else that is random, if it was drawn before; see
    /// [`resuming`](Payment::resuming).
    pub drawn: Option<u64>,
}

/// The units whose data may be declared public, each with its fact.
const PUBLIC: [(Unit, Fact); 2] = [(Unit::Feature, Fact::Features), (Unit::Label, Fact::Labels)];

/// A release that is planned and not paid for.
pub(super) struct Planned<'a> {
    pub data: &'a Private<Dataset>,
    pub plan: Plan,
    /// Whether the owner is trusted with the edges and takes features and labels as public, unless
    /// they have a finite ε.
    pub public: bool,
    /// About how many bytes the networks and answers take that follow from the release.
    pub trained: u64,
}

impl<'a> Planned<'a> {
    pub fn new(method: &dyn Method, data: &'a Private<Dataset>, plan: Plan) -> Planned<'a> {
        let public = method::find(method.name()).is_ok_and(|entry| entry.trust == Trust::Central);
        Planned { trained: size_of_run(method, &data.public()), data, plan, public }
    }

    fn wanted(&self) -> Wanted<'a> {
        let declared = self.plan.declared();
        let public = PUBLIC.into_iter().filter(|&(_, fact)| self.public || declared.contains(fact));
        let public = public.map(|(unit, _)| unit).collect();
        Wanted { data: self.data, guarantees: self.plan.guarantees(), public }
    }
}

/// About how many bytes a run takes besides its release: networks, each in two files of 32-bit
/// numbers, and a posterior for every node.
pub(super) fn size_of_run(method: &dyn Method, public: &Public<'_>) -> u64 {
    let number = |name: &str| method.settings().get(name).and_then(serde_json::Value::as_u64);
    let (hidden, heads) = (number("hidden").unwrap_or(64), number("heads").unwrap_or(1));
    let (inputs, classes) = (public.dimensions.unwrap_or(1) as u64, u64::from(public.classes.unwrap_or(1)));
    let wide = hidden.saturating_mul(heads);
    let weights = inputs.saturating_add(wide).saturating_mul(wide).saturating_mul(2 * 4 * u64::from(method.networks()));
    weights.saturating_add(u64::from(public.nodes) * (classes + 1) * 16)
}

impl Payment {
    /// Experiments on data whose owner sees them anyway: booked nowhere, reproducible, not to be
    /// published.
    pub fn experiment(seed: u64) -> Payment {
        Payment { seed: Some(seed), ..Payment::default() }
    }

    /// The same for a result that an interrupted job may have begun: what it drew at random is
    /// drawn again. Splits are drawn before the job begins, so they need it here.
    ///
    /// # Errors
    /// If the folder that the job left belongs to somebody else, or there is no randomness.
    pub fn resuming(self, out: &Path) -> Result<Payment, PipelineError> {
        let drawn = match drawn_for(out)? {
            Some(drawn) => drawn,
            None => self.any_seed()?,
        };
        Ok(Payment { drawn: Some(drawn), ..self })
    }

    /// Seed of everything that is random but no noise: the given one, the one that was drawn
    /// before, or a new one.
    pub(super) fn any_seed(&self) -> Result<u64, CoinsError> {
        match self.seed.or(self.drawn) {
            Some(seed) => Ok(seed),
            None => getrandom::u64().map_err(|source| CoinsError::NoRandomness { source }),
        }
    }

    /// Charges a release of a graph that is not the one the ledger is bound to, and makes it.
    pub(super) fn release_further<'a>(
        &self,
        planned: Planned<'a>,
        about: String,
        site: &Site<'_>,
    ) -> Result<Release<'a>, PipelineError> {
        let mut releases = self.release(vec![planned], Bound::None, about, site)?;
        releases.pop().ok_or_else(|| ReleaseError::Nothing.into())
    }

    /// Charges releases together, all or none, and makes them. The first is of the data that the
    /// ledger is bound to, the others are of further graphs.
    pub(super) fn release_all<'a>(
        &self,
        planned: Vec<Planned<'a>>,
        about: String,
        site: &Site<'_>,
    ) -> Result<Vec<Release<'a>>, PipelineError> {
        self.release(planned, Bound::First, about, site)
    }

    /// The ledger at a path.
    pub(super) fn open(&self, path: &Path) -> Result<Ledger, LedgerError> {
        Ledger::open_with(path, self.waiting)
    }

    fn release<'a>(
        &self,
        planned: Vec<Planned<'a>>,
        bound: Bound,
        about: String,
        site: &Site<'_>,
    ) -> Result<Vec<Release<'a>>, PipelineError> {
        let bytes = planned.iter().map(|it| it.plan.bytes(it.data) + it.trained).sum();
        let releases = planned.iter().map(Planned::wanted).collect();
        let permits = site.pay(Bill { releases, bound, id: SeededId::Seed, about, bytes }, self)?;
        let made = |(it, permit): (Planned<'a>, _)| Ok(it.plan.release(it.data, permit)?);
        planned.into_iter().zip(permits).map(made).collect()
    }
}
