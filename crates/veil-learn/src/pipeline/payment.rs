//! Who pays for a release, and where its noise comes from.

use std::path::{Path, PathBuf};

use veil_graph::Dataset;
use veil_privacy::ledger::Notice;
use veil_privacy::release::{Plan, Release};
use veil_privacy::{
    Coins, CoinsError, Consent, Fact, Guarantee, Ledger, LedgerError, Permit, Private, Request, RequestError,
    Resumable, Trust, Unit,
};

use super::PipelineError;
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
}

impl<'a> Planned<'a> {
    pub fn new(method: &dyn Method, data: &'a Private<Dataset>, plan: Plan) -> Planned<'a> {
        let public = method::find(method.name()).is_ok_and(|entry| entry.trust == Trust::Central);
        Planned { data, plan, public }
    }
}

impl Payment {
    /// Experiments on data whose owner sees them anyway: booked nowhere, reproducible, not to be
    /// published.
    pub fn experiment(seed: u64) -> Payment {
        Payment { seed: Some(seed), ..Payment::default() }
    }

    /// Seed of everything that is random but no noise: the given one, or a new one.
    pub(super) fn any_seed(&self) -> Result<u64, CoinsError> {
        self.seed.map_or_else(|| getrandom::u64().map_err(|source| CoinsError::NoRandomness { source }), Ok)
    }

    /// Seed of weights and dropout. Below 2⁵³, so that readers of JSON who know only floats read
    /// the same number.
    pub(super) fn training_seed(&self) -> Result<u64, CoinsError> {
        self.seed.map_or_else(|| self.any_seed().map(|seed| seed >> 11), Ok)
    }

    /// Charges a release of a graph that is not the one the ledger is bound to, and makes it.
    pub(super) fn release_further<'a>(&self, planned: Planned<'a>) -> Result<Release<'a>, PipelineError> {
        let request = self.request(&planned)?;
        let permit = match &self.ledger {
            Some(path) => self.open(path)?.charge_further(request, &self.accept)?,
            None => request.unbooked(),
        };
        Ok(planned.plan.release(planned.data, permit)?)
    }

    /// Charges releases together, all or none, and makes them. The first is of the data that the
    /// ledger is bound to, the others are of further graphs.
    pub(super) fn release_all<'a>(
        &self,
        own: Planned<'a>,
        further: Vec<Planned<'a>>,
    ) -> Result<(Release<'a>, Vec<Release<'a>>), PipelineError> {
        let first = self.request(&own)?;
        let others = further.iter().map(|planned| self.request(planned)).collect::<Result<Vec<_>, _>>()?;
        let (permit, permits) = match &self.ledger {
            Some(path) => self.open(path)?.charge_all(first, others, &self.accept)?,
            None => (first.unbooked(), others.into_iter().map(Request::unbooked).collect()),
        };
        let own = own.plan.release(own.data, permit)?;
        let further = further.into_iter().zip(permits);
        let further = further.map(|(planned, permit)| Ok(planned.plan.release(planned.data, permit)?));
        Ok((own, further.collect::<Result<_, PipelineError>>()?))
    }

    /// Charges a release that may be interrupted, once: its key is written to a file before that,
    /// and used again if it exists.
    pub(super) fn resumable(
        &self,
        data: &Private<Dataset>,
        guarantees: Vec<Guarantee>,
        key: &Path,
        about: &str,
    ) -> Result<Permit, PipelineError> {
        let mut ledger = self.ledger.as_deref().map(|path| self.open(path)).transpose()?;
        let booked = if ledger.is_some() { "booked" } else { "not booked" };
        let about = format!("{about}\n{booked}\n{:?}", self.seed);
        let resumable = match key.exists() {
            true => Resumable::resume(data, guarantees, key, &about)?,
            false => Resumable::begin(data, self.coins()?, guarantees, key, &about)?,
        };
        match &mut ledger {
            Some(ledger) => Ok(ledger.charge_once(resumable, &self.accept)?),
            None => Ok(resumable.unbooked()),
        }
    }

    fn open(&self, path: &Path) -> Result<Ledger, LedgerError> {
        Ledger::open_with(path, self.waiting)
    }

    fn coins(&self) -> Result<Coins, CoinsError> {
        self.seed.map_or_else(Coins::from_os, |seed| Ok(Coins::reproducible(seed)))
    }

    fn request(&self, planned: &Planned<'_>) -> Result<Request, RequestError> {
        let request = Request::new(planned.data, self.coins()?, planned.plan.guarantees())?;
        let declared = planned.plan.declared();
        let public = PUBLIC.into_iter().filter(|&(_, fact)| planned.public || declared.contains(fact));
        Ok(request.with_public(&public.map(|(unit, _)| unit).collect::<Vec<_>>()))
    }
}
