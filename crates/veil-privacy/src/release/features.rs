//! The release of features, by the multi-bit encoder.

use std::borrow::Cow;

use rayon::prelude::*;
use veil_graph::read::Misfit;
use veil_graph::{Dataset, Encoded, Features};

use super::{ReleaseError, at_node};
use crate::budget::{Delta, Epsilon};
use crate::coins::Inputs;
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Trust, Unit};
use crate::mechanism::{InputError, MultiBit, ParamError, ValueRange, multi_bit};
use crate::permit::Permit;
use crate::seal::{Private, Released};

/// The largest number of signs in a release (ten gigabytes).
const MOST_SIGNS: usize = 1 << 31;

/// The source of the feature range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RangeChoice {
    /// The range that the data set declares; [0, 1] after scaling. Without either it is that of the
    /// data, as with [`FromData`](RangeChoice::FromData).
    #[default]
    Public,
    /// A range known independently of the data.
    Given(ValueRange),
    /// The minimum and maximum of the data: only if the owner declares
    /// [`Columns`](crate::Fact::Columns) public.
    FromData,
}

crate::words! {
    /// The mechanism that releases features.
    #[derive(Default)]
    pub enum Encoder: "encoder" {
        /// A few signs of every vector.
        #[default]
        MultiBit = "multi-bit",
        /// A codeword or a class of every user.
        Codebook = "codebook",
    }
}

/// The scaling of features before their release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// None.
    #[default]
    None,
    /// Each column is scaled to [0, 1], and constant columns are dropped: only if the owner
    /// declares
    /// [`Columns`](crate::Fact::Columns) public.
    MinMax,
    /// Each row is divided by its L1 norm, which a user can do locally.
    Rows,
}

/// The release of features.
#[derive(Clone, Debug)]
pub enum FeaturePlan {
    /// As reports of the multi-bit encoder.
    Encoded {
        /// The encoder.
        encoder: MultiBit,
        /// The source of its range.
        range: RangeChoice,
        /// The scaling.
        scale: Scale,
    },
    /// Unperturbed (ε = inf), after scaling.
    Raw {
        /// The scaling.
        scale: Scale,
    },
}

impl FeaturePlan {
    pub(super) fn new(
        data: &Private<Dataset>,
        epsilon: Epsilon,
        samples: Option<u32>,
        range: RangeChoice,
        scale: Scale,
    ) -> Result<FeaturePlan, ReleaseError> {
        let public = data.public();
        let raw = data.open().features();
        let raw = raw.ok_or_else(|| ReleaseError::NoFeatures { data: public.name.to_owned() })?;
        refuse_what_is_no_number(data, raw)?;
        if !epsilon.is_finite() {
            return Ok(FeaturePlan::Raw { scale });
        }
        // Only min-max scaling drops columns.
        let dimensions = if scale == Scale::MinMax { raw.min_max_scaled().columns() } else { raw.columns() };
        let between = |(low, high): (f32, f32)| ValueRange::new(f64::from(low), f64::from(high));
        let range = match range {
            RangeChoice::Public if scale == Scale::None && public.feature_range.is_none() => RangeChoice::FromData,
            range => range,
        };
        let chosen = match range {
            RangeChoice::Public if scale != Scale::None => Ok(ValueRange::UNIT),
            RangeChoice::Public => public.feature_range.map_or(Ok(ValueRange::UNIT), between),
            RangeChoice::Given(range) => Ok(range),
            RangeChoice::FromData => scaled(raw, scale).range().map_or(Ok(ValueRange::UNIT), between),
        };
        let too_many =
            |samples| ReleaseError::TooManySigns { nodes: public.nodes as usize, samples, limit: MOST_SIGNS };
        let dimensions = u32::try_from(dimensions).map_err(|_| too_many(dimensions))?;
        let encoder = chosen.and_then(|range| {
            let encoder = multi_bit::Params { epsilon, dimensions, range, samples }.check()?;
            let fits = (encoder.scale() as f32).is_normal() && (encoder.offset() as f32).is_finite();
            let (low, high) = (range.low(), range.high());
            fits.then_some(encoder).ok_or(ParamError::ScaleOverflow { low, high })
        });
        let encoder = encoder.map_err(|source| ReleaseError::Parameters { what: "features", source })?;
        let samples = encoder.samples() as usize;
        if samples.checked_mul(public.nodes as usize).is_none_or(|signs| signs > MOST_SIGNS) {
            return Err(too_many(samples));
        }
        Ok(FeaturePlan::Encoded { encoder, range, scale })
    }

    /// Its guarantee.
    pub fn guarantee(&self) -> Guarantee {
        match self {
            FeaturePlan::Encoded { encoder, range, scale } => Guarantee {
                unit: Unit::Feature,
                // A range over all users' features cannot be computed locally.
                trust: if *range == RangeChoice::FromData || *scale == Scale::MinMax { Trust::Central } else { Trust::Local },
                epsilon: encoder.epsilon(),
                delta: Delta::ZERO,
                status: Status::Proven,
                reproducible: false,
                per_relationship: None,
                mechanism: multi_bit::NAME.to_owned(),
                parameters: with_scale(encoder.parameters(), *scale),
                assumptions: vec![
                    Assumption::PublicRange { range: encoder.range() },
                    Assumption::PublicDimensions,
                    Assumption::OwnReports,
                    Assumption::Coins,
                ],
                not_protected: vec![
                    "participation: which users send a report".to_owned(),
                    "inferences about the features from the user's label, from data of other users or from edges released elsewhere"
                        .to_owned(),
                ],
                source: "multi-bit encoder (Sajadmanesh and Gatica-Perez, CCS 2021); proof beside the code, veil-privacy/mechanism/multi_bit"
                    .to_owned(),
            },
            FeaturePlan::Raw { scale } => {
                let raw = raw_guarantee(Unit::Feature);
                Guarantee { parameters: with_scale(raw.parameters.clone(), *scale), ..raw }
            }
        }
    }

    /// Draws every node's report.
    pub(super) fn release(
        &self,
        data: &Private<Dataset>,
        promised: Guarantee,
        permit: &mut Permit,
    ) -> Result<Released<Features>, ReleaseError> {
        let (guarantees, stream) = permit.redeem_one(data, promised, Inputs::none())?;
        let raw = data.open();
        let features = raw.features().ok_or_else(|| ReleaseError::NoFeatures { data: raw.name().to_owned() })?;
        let (FeaturePlan::Encoded { scale, .. } | FeaturePlan::Raw { scale }) = self;
        let features = scaled(features, *scale);
        let FeaturePlan::Encoded { encoder, .. } = self else {
            return Ok(Released::new(features.into_owned(), guarantees));
        };
        let (rows, per_row) = (features.rows(), encoder.samples() as usize);
        let mut columns = vec![0u32; rows * per_row];
        let mut positive = vec![false; rows * per_row];
        columns.par_chunks_mut(per_row).zip(positive.par_chunks_mut(per_row)).enumerate().try_for_each_init(
            Vec::new,
            |report, (row, (columns, positive))| {
                let node = row as u32;
                report.clear();
                encoder
                    .report(|dimension| features.value(row, dimension), &mut stream.node(node), report)
                    .map_err(at_node(data, node))?;
                for ((dimension, sign), (column, is_positive)) in report.iter().zip(columns.iter_mut().zip(positive)) {
                    (*column, *is_positive) = (*dimension, *sign);
                }
                Ok::<(), ReleaseError>(())
            },
        )?;
        let shape = (rows, features.columns(), per_row);
        let rectifier = (encoder.offset() as f32, encoder.scale() as f32);
        let encoded = Encoded::from_reports(shape, rectifier, columns, positive).map_err(Misfit::from)?;
        Ok(Released::new(Features::Encoded(encoded), guarantees))
    }
}

/// Refuses NaN and infinities in all dimensions before anything is charged: the encoder reads
/// sampled dimensions only, so a failure would depend on its coins. Sparse rows are always finite.
pub(super) fn refuse_what_is_no_number(data: &Private<Dataset>, features: &Features) -> Result<(), ReleaseError> {
    let Features::Dense(matrix) = features else { return Ok(()) };
    match matrix.values().iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(place) => {
            let (node, dimension) = ((place / matrix.columns()) as u32, (place % matrix.columns()) as u32);
            Err(at_node(data, node)(InputError::NotANumber { dimension }))
        }
    }
}

fn scaled(features: &Features, scale: Scale) -> Cow<'_, Features> {
    match scale {
        Scale::None => Cow::Borrowed(features),
        Scale::MinMax => Cow::Owned(features.min_max_scaled()),
        Scale::Rows => Cow::Owned(features.row_scaled()),
    }
}

/// The parameters with the scaling, if any.
fn with_scale(parameters: ParameterList, scale: Scale) -> ParameterList {
    match scale {
        Scale::None => parameters,
        Scale::MinMax => parameters.with("scale", "minmax"),
        Scale::Rows => parameters.with("scale", "rows"),
    }
}

/// The guarantee of an unperturbed release: none.
pub(super) fn raw_guarantee(unit: Unit) -> Guarantee {
    Guarantee {
        unit,
        trust: Trust::Central,
        epsilon: Epsilon::INFINITE,
        delta: Delta::ZERO,
        status: Status::None,
        reproducible: false,
        per_relationship: None,
        mechanism: "none".to_owned(),
        parameters: ParameterList::default().with("epsilon", Epsilon::INFINITE),
        assumptions: Vec::new(),
        not_protected: vec!["anything: the data are released unperturbed".to_owned()],
        source: "no mechanism was applied".to_owned(),
    }
}
