//! What a user's features say about their class, for one report: a codeword near their vector, or
//! the class that published centres give it.
//!
//! Bits of single dimensions say nothing at a usual ε where there are many dimensions. Here the
//! whole vector is one direction, and a report is one of few values (PrivUnit: Bhowmick et al.
//! 2018, with a finite codebook as in Shah et al. 2022).
//!
//! 1. **Direction** ([`direction`]). A vector is projected on 256 random directions, which public
//!    coins determine.
//! 2. **Codeword.** A *training* user has a codebook of N = 256 random codewords of their own,
//!    which public coins determine from the user's number. The user ranks it by inner product with
//!    the direction, divides the ranking into k groups of N/k, draws a group by randomised response
//!    at ε, where the first one is the truth, and sends a uniform codeword of that group.
//! 3. **Centres** ([`centres`]). The server averages the codewords of each released label, corrects
//!    the noise of codewords and labels, and publishes a centre for each class.
//! 4. **Class.** Every *other* user computes the class of the centre that fits best, on their own
//!    device, and sends it by randomised response at ε over the classes.
//!
//! **Guarantee.** ε, unit *feature* (the whole vector, exchanged for any other), local, pure.
//! * *Codeword.* The codebook does not depend on the vector. A ranking orders all N codewords
//!   whatever the vector is (equal products by their places: also that of the vector 0), so every
//!   group has exactly N/k of them. A codeword of the first group is sent with probability
//!   keep/(N/k), any other with exchange/(N/k), where keep and exchange are those of randomised
//!   response: another vector changes the group of a codeword, and its probability by a factor of
//!   keep/exchange ≤ e^ε at most, exactly.
//! * *Class.* The best class is a function of the vector and of published centres; whatever the
//!   server publishes, randomised response over the classes costs ε.
//! * A user does one of the two, once, and public facts (the split) say which. Centres, and what
//!   others send about themselves, depend on the vector of a training user through the codeword
//!   only: post-processing. So features cost ε.
//!
//! See `exact_loss_is_at_most_epsilon`. Where codewords point and how centres are computed matters
//! for accuracy alone.
//!
//! **Not protected.** Who takes part, and who is a training user; the number of dimensions.

pub mod centres;
pub mod direction;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use veil_graph::{Features, NodeId};

pub use centres::Centres;
pub use direction::Direction;

use super::{InputError, ParamError, RandomisedResponse, randomised_response};
use crate::budget::{Delta, Epsilon};
use crate::coins::{Inputs, NodeCoins, Stream};
use crate::exact::Fraction;
use crate::fault::{self, Fault};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Trust, Unit};

/// The name in the coins' context.
pub const NAME: &str = "codebook";

/// The number of codewords of a user, N.
pub const CODEWORDS: u32 = 256;

/// Rounds of reports: codewords, then classes.
pub const ROUNDS: u32 = 2;

/// For k groups: the mean of the largest N/k of N standard normal numbers (order statistics), which
/// is how far a codeword of the first group points along the direction.
const UPPER_MEANS: [(u32, f64); 8] = [
    (2, 0.795_442),
    (4, 1.266_511),
    (8, 1.638_573),
    (16, 1.953_014),
    (32, 2.225_891),
    (64, 2.463_194),
    (128, 2.664_810),
    (256, 2.826_863),
];

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of the only report of a user.
    pub epsilon: Epsilon,
    /// The length of vectors.
    pub dimensions: u32,
    /// The number of classes.
    pub classes: u32,
    /// The number of groups, k: a power of two; `None` follows the [rule](Params::check).
    pub groups: Option<u32>,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codebook {
    dimensions: u32,
    /// Of the group of a codeword.
    group: RandomisedResponse,
    /// Of a class.
    class: RandomisedResponse,
}

impl Params {
    /// Computes the thresholds. By default k is chosen so that a codeword points along the
    /// direction as far as possible on average.
    ///
    /// # Errors
    /// ε is infinite, there are no dimensions or classes, or the codebook cannot be divided into so
    /// many groups.
    pub fn check(self) -> Result<Codebook, ParamError> {
        let Params { epsilon, dimensions, classes, groups } = self;
        if dimensions == 0 {
            return Err(ParamError::NoDimensions);
        }
        let class = randomised_response::Params { epsilon, values: classes }.check()?;
        let of = |groups: u32| {
            let group = randomised_response::Params { epsilon, values: groups }.check()?;
            Ok(Codebook { dimensions, group, class })
        };
        if let Some(groups) = groups {
            let known = UPPER_MEANS.iter().any(|&(known, _)| known == groups);
            return if known { of(groups) } else { Err(ParamError::BadGroups { groups, codewords: CODEWORDS }) };
        }
        let all = UPPER_MEANS.map(|(groups, _)| of(groups)).into_iter().collect::<Result<Vec<_>, _>>()?;
        let best = all.into_iter().max_by(|a, b| a.reach().total_cmp(&b.reach()));
        best.ok_or(ParamError::BadGroups { groups: 0, codewords: CODEWORDS })
    }
}

impl Codebook {
    /// ε of a report.
    pub fn epsilon(&self) -> Epsilon {
        self.class.epsilon()
    }

    /// The length of vectors.
    pub fn dimensions(&self) -> u32 {
        self.dimensions
    }

    /// The number of classes.
    pub fn classes(&self) -> u32 {
        self.class.values()
    }

    /// The number of codewords in a group, N/k.
    fn group_size(&self) -> u32 {
        CODEWORDS / self.group.values()
    }

    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        ParameterList::default()
            .with("epsilon", self.epsilon())
            .with("dimensions", self.dimensions)
            .with("classes", self.classes())
            .with("groups", self.group.values())
    }

    /// The guarantee of a release in which every user makes one report.
    pub fn guarantee(&self) -> Guarantee {
        Guarantee {
            unit: Unit::Feature,
            trust: Trust::Local,
            epsilon: self.epsilon(),
            delta: Delta::ZERO,
            status: Status::Proven,
            reproducible: false,
            per_relationship: None,
            mechanism: NAME.to_owned(),
            parameters: self.parameters(),
            assumptions: vec![
                Assumption::PublicDimensions,
                Assumption::PublicClasses,
                Assumption::SplitWithoutLabels,
                Assumption::CodewordOrClass,
                Assumption::OwnReports,
                Assumption::Coins,
            ],
            not_protected: vec![
                "participation: which users send a report, and which of them are training users".to_owned(),
                "inferences about the features from the user's label, from data of other users or from edges released elsewhere"
                    .to_owned(),
            ],
            source: "PrivUnit (Bhowmick et al. 2018) with a finite codebook (Shah et al. 2022); proof beside the code, veil-privacy/mechanism/codebook"
                .to_owned(),
        }
    }

    /// How far a codeword points along the direction of its user on average, where all codewords
    /// have the length 16 and the direction has the length 1.
    fn reach(&self) -> f64 {
        let upper = UPPER_MEANS.iter().find(|(groups, _)| *groups == self.group.values());
        // All groups together point nowhere, so the others point back as far as the first does not.
        upper.map_or(0.0, |(_, mean)| mean * (self.group.keep().to_f64() - self.group.exchange().to_f64()))
    }

    /// The codeword that a training user reports: a place in their codebook.
    ///
    /// # Errors
    /// None: a group is always found.
    pub fn codeword(&self, user: NodeId, direction: &Direction, coins: &mut NodeCoins) -> Result<u32, InputError> {
        let ranking = ranking(user, direction);
        if fault::is(Fault::NearByAngle) {
            // The half space of PrivUnit (two classes: e^ε/(e^ε+1)), in which there may be more or
            // fewer.
            let near = |place: &&u32| direction.product(&direction::codeword(user, **place)) > 0;
            let (near, far): (Vec<&u32>, Vec<&u32>) = ranking.iter().partition(near);
            let kept = self.class.report(0, coins)? == 0;
            let from = if kept && !near.is_empty() || far.is_empty() { near } else { far };
            return Ok(*from[coins.below(from.len() as u64) as usize]);
        }
        let group = if fault::is(Fault::OnlyNearCodewords) { 0 } else { self.group.report(0, coins)? };
        let rank = group * self.group_size() + coins.below(u64::from(self.group_size())) as u32;
        Ok(ranking[rank as usize])
    }

    /// The class that any other user reports, given published centres.
    ///
    /// # Errors
    /// None: centres have as many classes as this.
    pub fn class(&self, direction: &Direction, centres: &Centres, coins: &mut NodeCoins) -> Result<u32, InputError> {
        let nearest = centres.nearest(direction).min(self.classes() - 1);
        if fault::is(Fault::ClassWithoutNoise) { Ok(nearest) } else { self.class.report(nearest, coins) }
    }

    /// P[vector → ·] for all codewords of a user, exactly.
    pub fn codewords(&self, user: NodeId, direction: &Direction) -> Vec<Fraction> {
        let [near, far] = [self.group.keep(), self.group.exchange()].map(|of_group| {
            let size = self.group_size();
            Fraction::new(of_group.numerator().clone(), of_group.denominator() * size).unwrap_or_else(Fraction::zero)
        });
        let mut all = vec![far; CODEWORDS as usize];
        for &place in &ranking(user, direction)[..self.group_size() as usize] {
            all[place as usize] = near.clone();
        }
        all
    }

    /// Randomised response on the class of a user: its distribution is that of a report.
    pub fn classified(&self) -> RandomisedResponse {
        self.class
    }
}

/// All places of a user's codebook, the nearest codeword first, equal ones by their places.
fn ranking(user: NodeId, direction: &Direction) -> [u32; CODEWORDS as usize] {
    let book = direction::codebook(user);
    let products: Vec<i64> = book.iter().map(|codeword| direction.product(codeword)).collect();
    let mut places: [u32; CODEWORDS as usize] = std::array::from_fn(|place| place as u32);
    places.sort_by_key(|&place| (Reverse(products[place as usize]), place));
    places
}

/// The direction of a row.
pub fn direction_of(features: &Features, row: usize) -> Direction {
    let mut entries = Vec::new();
    features.for_stored(row, &mut |dimension, value| {
        if value != 0.0 {
            entries.push((dimension as u32, value));
        }
    });
    Direction::of(&entries)
}

/// The coins of classes for these centres: other centres have other coins.
pub(crate) fn coins_of(round: &Stream, centres: &Centres) -> Stream {
    round.of_inputs(Inputs::of().with("centres", &centres.bytes()).digest())
}
