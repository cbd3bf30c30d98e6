//! Enums whose values are words.

/// A text that is none of the words of an enum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a {what} ({})", words.join(", "))]
pub struct UnknownWord {
    /// The text.
    pub given: String,
    /// The meaning of the enum.
    pub what: &'static str,
    /// Its words.
    pub words: &'static [&'static str],
}

/// Defines enums without fields whose values are words: in files, on the command line and in tables
/// alike.
///
/// ```
/// veil_privacy::words! {
///     /// A size.
///     pub enum Size: "size" {
///         /// At most ten.
///         Small = "small",
///         /// More than ten.
///         Large = "large",
///     }
/// }
///
/// assert_eq!("large".parse(), Ok(Size::Large));
/// assert_eq!(Size::WORDS, ["small", "large"]);
/// assert_eq!("huge".parse::<Size>().unwrap_err().to_string(), "\"huge\" is not a size (small, large)");
/// ```
#[macro_export]
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        $vis:vis enum $name:ident: $what:literal {
            $( $(#[$variant_meta:meta])* $variant:ident = $word:literal ),+ $(,)?
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $( $(#[$variant_meta])* $variant, )+ }

        impl $name {
            /// All words, in the order of [`ALL`](Self::ALL).
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// All values.
            pub const ALL: [$name; $name::WORDS.len()] = [$($name::$variant),+];

            /// The word.
            pub fn name(self) -> &'static str {
                match self { $( $name::$variant => $word, )+ }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::parameters::UnknownWord;

            fn from_str(text: &str) -> Result<$name, $crate::parameters::UnknownWord> {
                let unknown = || $crate::parameters::UnknownWord {
                    given: text.to_owned(), what: $what, words: $name::WORDS,
                };
                $name::ALL.into_iter().find(|it| it.name() == text).ok_or_else(unknown)
            }
        }

        impl $crate::parameters::serde::Serialize for $name {
            fn serialize<S: $crate::parameters::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> $crate::parameters::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::parameters::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$name, D::Error> {
                let text = <String as $crate::parameters::serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err($crate::parameters::serde::de::Error::custom)
            }
        }
    )+};
}
