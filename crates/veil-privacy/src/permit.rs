//! The right to release: a charge comes first, by construction.
//!
//! A [`Request`] lists what a release would promise. A ledger turns it into [`Permit`]s by charging it, all or nothing
//! ([`Ledger::charge`](crate::Ledger::charge)); without a ledger the caller says so ([`Request::unbooked`]). A mechanism
//! consumes one permit for exactly its guarantee on exactly these data, so it cannot run unpaid, twice, or on other data.

use std::fmt;

use sha2::{Digest, Sha256};
use veil_graph::{Dataset, Fingerprint};

use crate::coins::{Coins, CoinsError};
use crate::guarantee::{Booking, Guarantee};
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

/// What a release would promise, about which data.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) release: ReleaseId,
    pub(crate) data: Fingerprint,
    pub(crate) reproducible: bool,
    pub(crate) guarantees: Vec<Guarantee>,
}

impl Request {
    /// A request for a release from these data with these coins.
    ///
    /// # Errors
    /// If the operating system has no randomness for the release's id.
    pub fn new(data: &Private<Dataset>, coins: &Coins, guarantees: Vec<Guarantee>) -> Result<Request, CoinsError> {
        Ok(Request {
            release: ReleaseId::new(coins)?,
            data: data.fingerprint(),
            reproducible: coins.is_reproducible(),
            guarantees,
        })
    }

    /// The release's id.
    pub fn release(&self) -> ReleaseId {
        self.release
    }

    /// What it would promise.
    pub fn guarantees(&self) -> &[Guarantee] {
        &self.guarantees
    }

    /// Permits without a ledger: nobody will know what else was released from these data, and the statement says so.
    pub fn unbooked(self) -> Vec<Permit> {
        self.permits(Booking::None)
    }

    pub(crate) fn permits(self, booked: Booking) -> Vec<Permit> {
        let (release, data) = (self.release, self.data);
        self.guarantees.into_iter().map(|guarantee| Permit { release, data, guarantee, booked }).collect()
    }
}

/// The right to make one release with one guarantee, once. It can be neither copied nor made outside this crate.
///
/// ```compile_fail,E0599
/// fn twice(permit: veil_privacy::Permit) -> (veil_privacy::Permit, veil_privacy::Permit) {
///     (permit.clone(), permit)
/// }
/// ```
#[derive(Debug)]
pub struct Permit {
    pub(crate) release: ReleaseId,
    pub(crate) data: Fingerprint,
    pub(crate) guarantee: Guarantee,
    pub(crate) booked: Booking,
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
    /// It was given for another promise.
    #[error("the permit of release {release} is for {permitted}, not for {wanted}")]
    OtherGuarantee {
        /// The release.
        release: String,
        /// What it is for.
        permitted: String,
        /// What it was used for.
        wanted: String,
    },
}

impl Permit {
    /// Whether a ledger was charged.
    pub fn booked(&self) -> Booking {
        self.booked
    }

    /// Uses the permit up, if it is for this promise about these data.
    pub(crate) fn redeem(
        self,
        data: &Private<Dataset>,
        wanted: &Guarantee,
    ) -> Result<(ReleaseId, Guarantee), PermitError> {
        let release = self.release.to_string();
        if self.data != data.fingerprint() {
            return Err(PermitError::OtherData { release });
        }
        if self.guarantee != *wanted {
            let words = |guarantee: &Guarantee| format!("{} ({})", guarantee.mechanism, guarantee.parameters);
            return Err(PermitError::OtherGuarantee {
                release,
                permitted: words(&self.guarantee),
                wanted: words(wanted),
            });
        }
        Ok((self.release, self.guarantee))
    }
}
