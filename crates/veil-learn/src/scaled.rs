//! Released features as the networks read them.

use veil_graph::{Dataset, Features, Moments};

use crate::error::LearnError;
use crate::parameters::Scaling;

/// Scaling of features after their release, by the released features of the training graph, so that
/// it costs nothing more. Scaling before a release is the release's own business.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scaled {
    moments: Option<Moments>,
}

impl Scaled {
    /// This scaling with the moments of the training graph.
    pub(crate) fn of(data: &Dataset, scaling: Scaling) -> Scaled {
        let standard = scaling == Scaling::Standard;
        let features = data.features().filter(|_| standard);
        Scaled { moments: features.map(|features| features.moments(0..data.nodes())) }
    }

    /// With moments that were kept.
    pub(crate) fn with(moments: Option<Moments>) -> Scaled {
        Scaled { moments }
    }

    /// The moments to keep, if there are any.
    pub(crate) fn moments(&self) -> Option<&Moments> {
        self.moments.as_ref()
    }

    /// The scaled features of these data, if there are any.
    pub(crate) fn features(&self, data: &Dataset) -> Result<Option<Features>, LearnError> {
        let Some(features) = data.features() else { return Ok(None) };
        Ok(Some(match &self.moments {
            Some(moments) => features.standardised(moments)?,
            None => features.clone(),
        }))
    }
}
