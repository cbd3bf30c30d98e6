//! The parameters of a mechanism, as recorded in its guarantee.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Parameters of a mechanism by name, in its own order; no name occurs twice.
///
/// [`Display`](fmt::Display) gives the canonical text `name=value;name=value`, from which a
/// release's coins are derived.
///
/// ```
/// use veil_privacy::guarantee::ParameterList;
/// let parameters = ParameterList::default().with("epsilon", "0.5").with("values", 7);
/// assert_eq!(parameters.to_string(), "epsilon=0.5;values=7");
/// assert_eq!(parameters.get("values"), Some("7"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParameterList(Vec<(Cow<'static, str>, String)>);

impl ParameterList {
    /// These and one more.
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> ParameterList {
        self.0.push((Cow::Borrowed(name), value.to_string()));
        self
    }

    /// These and others.
    pub fn and(mut self, others: ParameterList) -> ParameterList {
        self.0.extend(others.0);
        self
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(this, _)| *this == name).map(|(_, value)| value)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value.as_str()))
    }
}

impl fmt::Display for ParameterList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, value)) in self.iter().enumerate() {
            let separator = if place == 0 { "" } else { ";" };
            write!(f, "{separator}{name}={value}")?;
        }
        Ok(())
    }
}

impl Serialize for ParameterList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for ParameterList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ParameterList, D::Error> {
        struct Ordered;

        impl<'de> Visitor<'de> for Ordered {
            type Value = ParameterList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("parameters by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ParameterList, A::Error> {
                let mut list: Vec<(Cow<'static, str>, String)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, String>()? {
                    if list.iter().any(|(known, _)| *known == name) {
                        return Err(serde::de::Error::custom(format!("duplicate parameter {name}")));
                    }
                    list.push((Cow::Owned(name), value));
                }
                Ok(ParameterList(list))
            }
        }

        deserializer.deserialize_map(Ordered)
    }
}
