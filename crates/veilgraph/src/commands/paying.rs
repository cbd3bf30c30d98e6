//! Where the money and the noise of releases come from.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use veil_graph::Dataset;
use veil_learn::Method;
use veil_privacy::release::{Plan, Release};
use veil_privacy::{Coins, Guarantee, Ledger, Permit, Private, Request, Resumable, Status, Unit};

use crate::failure::Failure;

/// What is charged, and where noise comes from.
#[derive(Args)]
pub struct Payment {
    /// The ledger to charge first
    #[arg(long)]
    pub ledger: Option<PathBuf>,
    /// Release although the guarantee has this status; it is booked as unbounded
    #[arg(long, value_name = "STATUS", requires = "ledger")]
    accept: Vec<Acceptable>,
    /// Draw the noise from this number: reproducible, therefore not private
    #[arg(long, allow_hyphen_values = true)]
    pub seed: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Acceptable {
    Claimed,
    Refuted,
    None,
}

impl From<Acceptable> for Status {
    fn from(acceptable: Acceptable) -> Status {
        match acceptable {
            Acceptable::Claimed => Status::Claimed,
            Acceptable::Refuted => Status::Refuted,
            Acceptable::None => Status::None,
        }
    }
}

/// A release that is planned and not paid for.
pub struct Planned<'a> {
    /// The method: all of them take features and labels as public, unless they are given a finite ε.
    pub method: Option<Method>,
    /// Of which data.
    pub data: &'a Private<Dataset>,
    /// What is released of them.
    pub plan: Plan,
}

/// What a method of central edge privacy takes as public.
const PUBLIC: [Unit; 2] = [Unit::Feature, Unit::Label];

impl Payment {
    /// Charges a release, and makes it.
    pub fn release<'a>(&self, planned: Planned<'a>) -> Result<Release<'a>, Failure> {
        let request = self.request(&planned)?;
        let permit = match &self.ledger {
            Some(path) => Ledger::open(path)?.charge(request, &self.accepted())?,
            None => request.unbooked(),
        };
        Ok(planned.plan.release(planned.data, permit)?)
    }

    /// The same for a graph that is not the one that the ledger is bound to.
    pub fn release_further<'a>(&self, planned: Planned<'a>) -> Result<Release<'a>, Failure> {
        let request = self.request(&planned)?;
        let permit = match &self.ledger {
            Some(path) => Ledger::open(path)?.charge_further(request, &self.accepted())?,
            None => request.unbooked(),
        };
        Ok(planned.plan.release(planned.data, permit)?)
    }

    /// Charges releases together, all or none, and makes them. The first is of the data that a ledger is bound to, the others
    /// are of further graphs.
    pub fn release_all<'a>(
        &self,
        own: Planned<'a>,
        further: Vec<Planned<'a>>,
    ) -> Result<(Release<'a>, Vec<Release<'a>>), Failure> {
        let first = self.request(&own)?;
        let others = further.iter().map(|planned| self.request(planned)).collect::<Result<Vec<_>, _>>()?;
        let (permit, permits) = match &self.ledger {
            Some(path) => Ledger::open(path)?.charge_all(first, others, &self.accepted())?,
            None => (first.unbooked(), others.into_iter().map(Request::unbooked).collect()),
        };
        let own = own.plan.release(own.data, permit)?;
        let further = further.into_iter().zip(permits);
        let further = further.map(|(planned, permit)| Ok(planned.plan.release(planned.data, permit)?));
        Ok((own, further.collect::<Result<_, Failure>>()?))
    }

    /// Charges a release that may be interrupted, once: its key is kept in a file before that, and used again if it is there.
    pub fn resumable(
        &self,
        data: &Private<Dataset>,
        guarantees: Vec<Guarantee>,
        key: &Path,
        about: &str,
    ) -> Result<Permit, Failure> {
        let mut ledger = self.ledger.as_deref().map(Ledger::open).transpose()?;
        let booked = if ledger.is_some() { "booked" } else { "not booked" };
        let about = format!("{about}\n{booked}\n{:?}", self.seed);
        let resumable = match key.exists() {
            true => Resumable::resume(data, guarantees, key, &about)?,
            false => Resumable::begin(data, self.coins()?, guarantees, key, &about)?,
        };
        match &mut ledger {
            Some(ledger) => Ok(ledger.charge_once(resumable, &self.accepted())?),
            None => Ok(resumable.unbooked()),
        }
    }

    fn coins(&self) -> Result<Coins, Failure> {
        Ok(match self.seed {
            Some(seed) => Coins::reproducible(seed),
            None => Coins::from_os()?,
        })
    }

    fn request(&self, planned: &Planned<'_>) -> Result<Request, Failure> {
        let request = Request::new(planned.data, self.coins()?, planned.plan.guarantees())?;
        Ok(if planned.method.is_some() { request.with_public(&PUBLIC) } else { request })
    }

    fn accepted(&self) -> Vec<Status> {
        self.accept.iter().map(|&status| status.into()).collect()
    }
}
