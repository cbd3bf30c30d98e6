//! A release and its noise, as it is written.

use std::str::FromStr;

use veil_learn::method::student::pate;
use veil_privacy::Epsilon;
use veil_privacy::answers::LabelMechanism;

/// A release and its λ, or none at all: what teachers say as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    name: String,
    lambda: Option<Epsilon>,
}

/// Why a text is no release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}expected none, or a release and its λ: krr:1, noisy-argmax:0.4, noisy-log-posterior:0.4, votes:0.2")]
pub struct WayError {
    problem: String,
}

const NONE: &str = "none";
const VOTES: &str = "votes";

impl FromStr for Way {
    type Err = WayError;

    fn from_str(text: &str) -> Result<Way, WayError> {
        if text == NONE {
            return Ok(Way { name: text.to_owned(), lambda: None });
        }
        let wrong = || WayError { problem: String::new() };
        let (name, lambda) = text.split_once(':').ok_or_else(wrong)?;
        let lambda: Epsilon = lambda.parse().map_err(|error| WayError { problem: format!("{error}; ") })?;
        let way = Way { name: name.to_owned(), lambda: Some(lambda) };
        let known = (name == VOTES || way.release().is_some()) && lambda.is_finite();
        if known { Ok(way) } else { Err(wrong()) }
    }
}

impl Way {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One over the scale of its noise.
    pub fn lambda(&self) -> Option<Epsilon> {
        self.lambda
    }

    /// Whether teachers of this method can be released so.
    pub fn goes_with(&self, method: &str) -> bool {
        self.name == NONE || (self.name == VOTES) == (method == pate::NAME)
    }

    /// The mechanism that releases labels of PrivGNN.
    pub(super) fn release(&self) -> Option<LabelMechanism> {
        self.name.parse().ok()
    }
}
