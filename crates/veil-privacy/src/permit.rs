//! The right to release: by construction, the charge precedes the release.
//!
//! A [`Request`] lists the guarantees of a release and holds its coins. A ledger charges it, all or
//! nothing, and returns a [`Permit`] ([`Ledger::charge`](crate::Ledger::charge)); a caller without
//! a ledger asks for an unbooked permit ([`Request::unbooked`]). The release consumes the permit,
//! each guarantee once, for the data of the request: it cannot run unpaid, twice, on other data or
//! with other coins.
//!
//! No two redemptions of a permit share coins, and neither do two functions: the coins depend on
//! the number of the redemption and on everything that the mechanism reads (its parameters, its
//! data, and [`Inputs`] such as an embedding or queries). A request that makes the same promise
//! twice is refused, because its two redemptions could not be told apart in a statement.

use std::collections::VecDeque;
use std::fmt;

use sha2::{Digest, Sha256};
use veil_graph::bytes::hex;
use veil_graph::{Dataset, Fingerprint};

use crate::coins::{Coins, CoinsError, Context, Inputs, Stream};
use crate::fault::{self, Fault};
use crate::guarantee::{Booking, Guarantee, Unit};
use crate::ledger::Head;
use crate::seal::Private;

/// The id of a release: random and therefore unique, or derived from the seed of a reproducible
/// one.
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
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReleaseId({self})")
    }
}

/// Why a release cannot be requested.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("the request has the guarantee of {mechanism} ({parameters}) for {unit} twice")]
    Repeated { mechanism: String, parameters: String, unit: Unit },
    #[error(transparent)]
    Coins(#[from] CoinsError),
}

impl RequestError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            RequestError::Repeated { .. } => Some("request the second release separately".to_owned()),
            RequestError::Coins(error) => error.hint(),
        }
    }
}

/// The guarantees of a release, with the fingerprint of its data and its coins.
#[derive(Debug)]
pub struct Request {
    pub(crate) release: ReleaseId,
    pub(crate) data: Fingerprint,
    /// A digest of everything else about the data that leaves or decides what leaves.
    pub(crate) facts: [u8; 32],
    /// The name of the data set.
    pub(crate) name: String,
    pub(crate) coins: Coins,
    pub(crate) guarantees: Vec<Guarantee>,
    /// Units that the owner declares public.
    pub(crate) public: Vec<Unit>,
}

impl Request {
    /// A request for a release from these data. Reproducible coins mark every guarantee as
    /// reproducible.
    ///
    /// # Errors
    /// If a guarantee is there twice, or the operating system has no randomness for the release's
    /// id.
    pub fn new(data: &Private<Dataset>, coins: Coins, guarantees: Vec<Guarantee>) -> Result<Request, RequestError> {
        let release = ReleaseId::new(&coins)?;
        Request::with_id(data, coins, guarantees, release)
    }

    pub(crate) fn with_id(
        data: &Private<Dataset>,
        coins: Coins,
        guarantees: Vec<Guarantee>,
        release: ReleaseId,
    ) -> Result<Request, RequestError> {
        let promise = |it: &Guarantee| (it.unit, it.mechanism.clone(), it.parameters.clone());
        let repeated = (1..guarantees.len())
            .find(|&at| guarantees[..at].iter().any(|before| promise(before) == promise(&guarantees[at])));
        if let Some(at) = repeated {
            let (unit, mechanism, parameters) = promise(&guarantees[at]);
            return Err(RequestError::Repeated { mechanism, parameters: parameters.to_string(), unit });
        }
        let reproducible = coins.is_reproducible();
        let marked = guarantees.into_iter().map(|guarantee| Guarantee { reproducible, ..guarantee });
        let guarantees = marked.collect();
        let name = data.public().name.to_owned();
        Ok(Request {
            release,
            data: data.fingerprint(),
            facts: data.facts().0,
            name,
            coins,
            guarantees,
            public: Vec::new(),
        })
    }

    /// Declares units as public: releasing them unperturbed needs no consent, unless the ledger has
    /// a budget for these units or for whole nodes.
    pub fn with_public(self, units: &[Unit]) -> Request {
        Request { public: units.to_vec(), ..self }
    }

    /// A permit without a ledger. Other releases from these data are then not taken into account;
    /// the statement says so.
    pub fn unbooked(self) -> Permit {
        Permit { request: self, head: None, redemptions: 0 }
    }
}

/// The right to make one release, once. It can be neither copied nor constructed outside this
/// crate.
///
/// ```compile_fail,E0599
/// fn twice(permit: veil_privacy::Permit) -> (veil_privacy::Permit, veil_privacy::Permit) {
///     (permit.clone(), permit)
/// }
/// ```
#[derive(Debug)]
pub struct Permit {
    /// Its guarantees are those not yet used.
    request: Request,
    /// That of the ledger after the charge.
    head: Option<Head>,
    /// How often it has been redeemed.
    redemptions: u32,
}

/// Why a permit does not allow a release.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PermitError {
    #[error("the permit of release {release} is for other data")]
    OtherData { release: String },
    #[error("the permit of release {release} does not include {mechanism} ({parameters})")]
    NotPermitted { release: String, mechanism: String, parameters: String },
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
    pub(crate) fn booked_in_a_ledger(request: Request, head: Head) -> Permit {
        Permit { request, head: Some(head), redemptions: 0 }
    }

    /// Whether a ledger was charged.
    pub fn booked(&self) -> Booking {
        if self.head.is_some() { Booking::Ledger } else { Booking::None }
    }

    /// The head of the ledger after the charge, if there was one.
    pub fn ledger(&self) -> Option<Head> {
        self.head
    }

    /// The release's id.
    pub fn release(&self) -> ReleaseId {
        self.request.release
    }

    /// The seed of the coins, if they are reproducible.
    pub fn seed(&self) -> Option<u64> {
        self.request.coins.seed()
    }

    /// A message authentication code under the key of the release.
    pub(crate) fn tag(&self, message: &[u8]) -> [u8; 32] {
        self.request.coins.tag(message)
    }

    /// Uses the guarantees of one mechanism, if they are permitted for these data, and returns the
    /// coins of its rounds. `inputs` is everything else that the mechanism reads.
    pub(crate) fn redeem(
        &mut self,
        data: &Private<Dataset>,
        wanted: &[Guarantee],
        inputs: Inputs,
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
        let (release, data, redemption) = (release.0, permitted.0, self.redemptions);
        let mut context =
            Context { release, redemption, mechanism, parameters, inputs: inputs.0, data, round: 0, query: 0 };
        if fault::is(Fault::MechanismsShareCoins) {
            (context.redemption, context.inputs) = (0, Inputs::none().0);
            (context.mechanism, context.parameters) = ("", "");
        }
        let round_of = |round| if fault::is(Fault::RoundsShareCoins) { 0 } else { round };
        let streams = (0..rounds).map(|round| coins.stream(&Context { round: round_of(round), ..context })).collect();
        self.redemptions += 1;
        Ok((redeemed, streams))
    }

    /// The same for a mechanism with one guarantee and one round.
    pub(crate) fn redeem_one(
        &mut self,
        data: &Private<Dataset>,
        wanted: Guarantee,
        inputs: Inputs,
    ) -> Result<(Vec<Guarantee>, Stream), PermitError> {
        let not_permitted = PermitError::NotPermitted {
            release: self.release().to_string(),
            mechanism: wanted.mechanism.clone(),
            parameters: wanted.parameters.to_string(),
        };
        let (guarantees, mut streams) = self.redeem(data, &[wanted], inputs, 1)?;
        streams.pop_front().map(|stream| (guarantees, stream)).ok_or(not_permitted)
    }
}
