//! Released features as the networks read them.

use veil_graph::{Dataset, Features, Moments};

use crate::error::LearnError;
use crate::parameters::{Parameters, Scaling};

/// How features are scaled after their release: by what was released of the training graph, so that it costs nothing more. Rows and
/// columns that are scaled before a release are none of its business.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scaled {
    moments: Option<Moments>,
}

impl Scaled {
    /// What these parameters ask for, with the numbers of the training graph.
    pub(crate) fn of(data: &Dataset, parameters: &Parameters) -> Scaled {
        let standard = parameters.scale == Scaling::Standard;
        let features = data.features().filter(|_| standard);
        Scaled { moments: features.map(|features| features.moments(0..data.nodes())) }
    }

    /// With numbers that were kept.
    pub(crate) fn with(moments: Option<Moments>) -> Scaled {
        Scaled { moments }
    }

    /// The numbers to keep, if there are any.
    pub(crate) fn moments(&self) -> Option<&Moments> {
        self.moments.as_ref()
    }

    /// Features of these data, if there are any.
    pub(crate) fn features(&self, data: &Dataset) -> Result<Option<Features>, LearnError> {
        let Some(features) = data.features() else { return Ok(None) };
        Ok(Some(match &self.moments {
            Some(moments) => features.standardised(moments)?,
            None => features.clone(),
        }))
    }
}
