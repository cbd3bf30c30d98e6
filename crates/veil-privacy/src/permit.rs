//! The right to release: a charge comes first, by construction.
//!
//! A [`Request`] lists what a release would promise and holds the coins for it. A ledger turns it into a [`Permit`] by
//! charging it, all or nothing ([`Ledger::charge`](crate::Ledger::charge)); without a ledger the caller says so
//! ([`Request::unbooked`]). A release consumes the permit, each promise once, on the data that it was given for: it cannot
//! run unpaid, twice, on other data or with other coins.

use std::collections::VecDeque;
use std::fmt;

use sha2::{Digest, Sha256};
use veil_graph::{Dataset, Fingerprint};

use crate::coins::{Coins, CoinsError, Context, Stream};
use crate::guarantee::{Booking, Guarantee, Unit};
use crate::seal::Private;

/// The name of one release: random, so that it is never used twice; of a reproducible one, made from its seed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReleaseId(pub(crate) [u8; 16]);

impl ReleaseId {
    fn new(coins: &Coins) -> Result<ReleaseId, CoinsError> {
        let mut id = [0; 16];
        match coins.seed() {
            None => getrandom::fill(&mut id).map_err(|source| CoinsError::NoRandomness { source })?,
            // Not from the data: the id is published.
            Some(seed) => {
                let hash =
                    Sha256::new().chain_update(b"veilgraph/release/1").chain_update(seed.to_le_bytes()).finalize();
                id.copy_from_slice(&hash[..16]);
            }
        }
        Ok(ReleaseId(id))
    }
}

impl fmt::Display for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReleaseId({self})")
    }
}

/// What a release would promise, about which data, with which coins.
#[derive(Debug)]
pub struct Request {
    pub(crate) release: ReleaseId,
    pub(crate) data: Fingerprint,
    pub(crate) coins: Coins,
    pub(crate) guarantees: Vec<Guarantee>,
    /// What the owner says is not private at all.
    pub(crate) public: Vec<Unit>,
}

impl Request {
    /// A request for a release from these data. With reproducible coins every promise is marked as such.
    ///
    /// # Errors
    /// If the operating system has no randomness for the release's id.
    pub fn new(data: &Private<Dataset>, coins: Coins, guarantees: Vec<Guarantee>) -> Result<Request, CoinsError> {
        let release = ReleaseId::new(&coins)?;
        Ok(Request::with_id(data, coins, guarantees, release))
    }

    pub(crate) fn with_id(
        data: &Private<Dataset>,
        coins: Coins,
        guarantees: Vec<Guarantee>,
        release: ReleaseId,
    ) -> Request {
        let reproducible = coins.is_reproducible();
        let marked = guarantees.into_iter().map(|guarantee| Guarantee { reproducible, ..guarantee });
        Request { release, data: data.fingerprint(), coins, guarantees: marked.collect(), public: Vec::new() }
    }

    /// The same where the owner says that some units are public: releasing them as they are needs nobody's consent, unless the
    /// ledger keeps a budget for them or for whole nodes, and so knows better.
    pub fn with_public(self, units: &[Unit]) -> Request {
        Request { public: units.to_vec(), ..self }
    }

    /// A permit without a ledger: nobody will know what else was released from these data, and the statement says so.
    pub fn unbooked(self) -> Permit {
        Permit { request: self, booked: Booking::None }
    }
}

/// The right to make one release, once. It can be neither copied nor made outside this crate.
///
/// ```compile_fail,E0599
/// fn twice(permit: veil_privacy::Permit) -> (veil_privacy::Permit, veil_privacy::Permit) {
///     (permit.clone(), permit)
/// }
/// ```
#[derive(Debug)]
pub struct Permit {
    /// Its guarantees are those that have not been used yet.
    request: Request,
    booked: Booking,
}

/// A permit that was given for something else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PermitError {
    /// It was given for other data.
    #[error("the permit of release {release} was given for other data")]
    OtherData {
        /// The release.
        release: String,
    },
    /// It does not hold this promise, or not any more.
    #[error("the permit of release {release} does not hold {mechanism} ({parameters})")]
    NotPermitted {
        /// The release.
        release: String,
        /// The mechanism that was to run.
        mechanism: String,
        /// Its parameters.
        parameters: String,
    },
}

impl PermitError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        None
    }
}

impl Permit {
    pub(crate) fn booked_in_a_ledger(request: Request) -> Permit {
        Permit { request, booked: Booking::Ledger }
    }

    /// Whether a ledger was charged.
    pub fn booked(&self) -> Booking {
        self.booked
    }

    /// The release's id.
    pub fn release(&self) -> ReleaseId {
        self.request.release
    }

    /// The seed of the coins, if they are reproducible.
    pub fn seed(&self) -> Option<u64> {
        self.request.coins.seed()
    }

    /// Uses promises of one mechanism up, if they are permitted for these data, and gives the coins for its rounds.
    pub(crate) fn redeem(
        &mut self,
        data: &Private<Dataset>,
        wanted: &[Guarantee],
        rounds: u32,
    ) -> Result<(Vec<Guarantee>, VecDeque<Stream>), PermitError> {
        let Request { release, data: permitted, coins, guarantees, .. } = &mut self.request;
        if *permitted != data.fingerprint() {
            return Err(PermitError::OtherData { release: release.to_string() });
        }
        let mut redeemed = Vec::with_capacity(wanted.len());
        for wanted in wanted {
            let wanted = Guarantee { reproducible: coins.is_reproducible(), ..wanted.clone() };
            let place = guarantees.iter().position(|guarantee| *guarantee == wanted);
            redeemed.push(place.map(|place| guarantees.remove(place)).ok_or(PermitError::NotPermitted {
                release: release.to_string(),
                mechanism: wanted.mechanism,
                parameters: wanted.parameters.to_string(),
            })?);
        }
        let Some(Guarantee { mechanism, parameters, .. }) = redeemed.first() else { return Ok(Default::default()) };
        let parameters = &parameters.to_string();
        let stream = |round| {
            coins.stream(&Context { release: release.0, mechanism, parameters, data: permitted.0, round, query: 0 })
        };
        let streams = (0..rounds).map(stream).collect();
        Ok((redeemed, streams))
    }

    /// The same for a mechanism with one promise and one round.
    pub(crate) fn redeem_one(
        &mut self,
        data: &Private<Dataset>,
        wanted: Guarantee,
    ) -> Result<(Vec<Guarantee>, Stream), PermitError> {
        let not_permitted = PermitError::NotPermitted {
            release: self.release().to_string(),
            mechanism: wanted.mechanism.clone(),
            parameters: wanted.parameters.to_string(),
        };
        let (guarantees, mut streams) = self.redeem(data, &[wanted], 1)?;
        streams.pop_front().map(|stream| (guarantees, stream)).ok_or(not_permitted)
    }
}
