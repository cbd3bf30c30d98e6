//! Typed parameters that describe themselves.
//!
//! The macro [`parameters!`](crate::parameters!) defines a struct of parameters. Each field has a
//! type, a default, the kind of its values and a doc comment, and the doc comment is also its help:
//! flags of the command line, keys of files, records of runs and pages of help are all made from
//! [`Parameters::list`], so no list of names exists beside the struct. [`Settings`] are values by
//! name, before they are read into such a struct.
//!
//! ```
//! use veil_privacy::parameters::{Kind, Parameters, Settings};
//!
//! veil_privacy::parameters! {
//!     /// Parameters of a mechanism.
//!     pub struct Params: Edges {
//!         /// Threshold on the similarity, 0 to 1
//!         threshold: f64 = 0.0 => Kind::Real,
//!     }
//! }
//!
//! let mut params = Params::default();
//! params.apply(&Settings::from_iter([("threshold", 0.5.into())]))?;
//! assert_eq!(params.threshold, 0.5);
//! assert_eq!(params.list()[0].help, "Threshold on the similarity, 0 to 1");
//! # Ok::<(), veil_privacy::parameters::ParameterError>(())
//! ```

mod kind;
mod settings;
#[cfg(test)]
mod tests;
mod words;

pub use kind::Kind;
pub use settings::Settings;
pub use words::UnknownWord;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What a parameter is about: the heading under which help lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Release of features and labels.
    Release,
    /// Mechanism that protects edges.
    Edges,
    /// Labels that a private graph gives to a public one.
    Student,
    /// Mechanism that protects whole nodes.
    Nodes,
    /// The network.
    Network,
    /// Its training.
    Training,
    /// An attack on a trained model.
    Attack,
}

impl Group {
    /// The heading in help.
    pub fn heading(self) -> &'static str {
        match self {
            Group::Release => "Features and labels",
            Group::Edges => "Edges",
            Group::Student => "Student",
            Group::Nodes => "Nodes",
            Group::Network => "Network",
            Group::Training => "Training",
            Group::Attack => "Attack",
        }
    }
}

/// One parameter with its current value.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The name in kebab case.
    pub name: String,
    /// One sentence.
    pub help: String,
    /// What it is about.
    pub group: Group,
    /// The values that it takes.
    pub kind: Kind,
    /// The current value; `None` if it is not set.
    pub value: Option<Value>,
}

/// Why a value was not accepted.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    #[error("unknown parameter {name:?}")]
    Unknown { name: String },
    #[error("{name} = {value}: {problem}")]
    Invalid { name: String, value: String, problem: String },
}

/// A struct of parameters, made by [`parameters!`](crate::parameters!).
pub trait Parameters {
    /// Every parameter with its current value, in the order of the struct.
    fn list(&self) -> Vec<Described>;

    /// Sets one parameter; `false` if there is none of this name.
    ///
    /// # Errors
    /// If the value is not accepted.
    fn set(&mut self, name: &str, value: &Value) -> Result<bool, ParameterError>;

    /// Sets all of these.
    ///
    /// # Errors
    /// If a name is unknown or a value is not accepted.
    fn apply(&mut self, settings: &Settings) -> Result<(), ParameterError> {
        for (name, value) in settings.iter() {
            if !self.set(name, value)? {
                return Err(ParameterError::Unknown { name: name.to_owned() });
            }
        }
        Ok(())
    }

    /// Whether there is a parameter of this name.
    fn has(&self, name: &str) -> bool {
        self.list().iter().any(|it| it.name == name)
    }

    /// Every value that is set, by name.
    fn settings(&self) -> Settings {
        self.list().into_iter().filter_map(|it| Some((it.name, it.value?))).collect()
    }
}

/// Defines structs of parameters: see the [module](mod@crate::parameters).
///
/// The name of the [`Group`](crate::parameters::Group) follows the name of the struct. A block
/// `with { … }` embeds other structs of parameters, whose names become names of this one.
#[macro_export]
macro_rules! parameters {
    ($(
        $(#[doc = $about:literal])+
        $vis:vis struct $name:ident: $group:ident {
            $( $(#[doc = $help:literal])+ $field:ident: $ty:ty = $default:expr => $kind:expr ),* $(,)?
        }
        $(with { $( $(#[doc = $embedded_about:literal])+ $embedded:ident: $embedded_ty:ty = $embedded_default:expr ),* $(,)? })?
    )+) => {$(
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $( $(#[doc = $help])+ pub $field: $ty, )*
            $($( $(#[doc = $embedded_about])+ pub $embedded: $embedded_ty, )*)?
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $( $field: $default, )* $($( $embedded: $embedded_default, )*)? }
            }
        }

        impl $crate::parameters::Parameters for $name {
            fn list(&self) -> Vec<$crate::parameters::Described> {
                let own: Vec<$crate::parameters::Described> = vec![$(
                    $crate::parameters::described(
                        stringify!($field), &[$($help),+], $crate::parameters::Group::$group, $kind, &self.$field,
                    ),
                )*];
                let embedded: Vec<Vec<$crate::parameters::Described>> =
                    vec![$($( $crate::parameters::Parameters::list(&self.$embedded), )*)?];
                own.into_iter().chain(embedded.into_iter().flatten()).collect()
            }

            #[allow(unused_variables, reason = "a struct may have no field or embed nothing")]
            fn set(
                &mut self, name: &str, value: &$crate::parameters::JsonValue,
            ) -> Result<bool, $crate::parameters::ParameterError> {
                $( if $crate::parameters::is_named(name, stringify!($field)) {
                    self.$field = $crate::parameters::read(name, $kind, value)?;
                    return Ok(true);
                } )*
                $($( if $crate::parameters::Parameters::set(&mut self.$embedded, name, value)? {
                    return Ok(true);
                } )*)?
                Ok(false)
            }
        }
    )+};
}

#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use serde_json::Value as JsonValue;

/// For the macro.
#[doc(hidden)]
pub fn described<T: Serialize>(field: &str, help: &[&str], group: Group, kind: Kind, value: &T) -> Described {
    let help: Vec<&str> = help.iter().map(|line| line.trim()).collect();
    // Through text, so that a 32-bit 0.1 is written as 0.1 and not with the digits of the nearest
    // 64-bit number.
    let text = serde_json::to_string(value).ok();
    let value = text.and_then(|text| serde_json::from_str::<Value>(&text).ok()).filter(|value| !value.is_null());
    Described { name: field.replace('_', "-"), help: help.join(" "), group, kind, value }
}

/// For the macro: whether a name in kebab case is that of a field.
#[doc(hidden)]
pub fn is_named(name: &str, field: &str) -> bool {
    name.len() == field.len() && name.bytes().zip(field.bytes()).all(|(a, b)| a == b || (a == b'-' && b == b'_'))
}

/// For the macro.
#[doc(hidden)]
pub fn read<T: DeserializeOwned>(name: &str, kind: Kind, value: &Value) -> Result<T, ParameterError> {
    let invalid = |problem: String| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        ParameterError::Invalid { name: name.to_owned(), value, problem }
    };
    let value = kind.accept(value).map_err(invalid)?;
    serde_json::from_value(value).map_err(|error| invalid(kind.explain(&error.to_string())))
}
