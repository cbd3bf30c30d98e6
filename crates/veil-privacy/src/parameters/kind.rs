//! The kinds of values that parameters take.

use serde_json::Value;

use crate::budget::Epsilon;

/// The values that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An ε: a positive decimal number or `inf`.
    Epsilon,
    /// A number.
    Real,
    /// A whole number of at least 0.
    Whole,
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl Kind {
    /// What is expected, for help and errors.
    pub fn expected(self) -> String {
        match self {
            Kind::Epsilon => "a positive decimal number or inf".to_owned(),
            Kind::Real => "a number".to_owned(),
            Kind::Whole => "a whole number of at least 0".to_owned(),
            Kind::Switch => "true or false".to_owned(),
            Kind::Word(words) => format!("one of {}", words.join(", ")),
        }
    }

    /// The placeholder of a value in help.
    pub fn placeholder(self) -> &'static str {
        match self {
            Kind::Epsilon => "EPSILON",
            Kind::Real => "NUMBER",
            Kind::Whole => "N",
            Kind::Switch => "BOOL",
            Kind::Word(_) => "WORD",
        }
    }

    /// The value of this kind that a value stands for: a text is also accepted for a number or a
    /// truth value, because the command line has nothing but texts.
    ///
    /// # Errors
    /// If the value is not of this kind; the text says what was expected.
    pub fn accept(self, value: &Value) -> Result<Value, String> {
        let unexpected = || format!("expected {}", self.expected());
        let text = value.as_str();
        match self {
            Kind::Epsilon => {
                let text = text.map_or_else(|| value.to_string(), str::to_owned);
                text.parse::<Epsilon>().map_err(|error| error.to_string())?;
                Ok(Value::String(text))
            }
            Kind::Real => {
                let number = value.as_f64().or_else(|| text?.trim().parse().ok());
                let number = number.ok_or_else(unexpected)?;
                serde_json::Number::from_f64(number).map(Value::Number).ok_or_else(unexpected)
            }
            Kind::Whole => {
                // 3.0 is a whole number, too: sweeps multiply lists of numbers.
                let float = || value.as_f64().filter(|it| it.fract() == 0.0 && (0.0..9e15).contains(it));
                let number =
                    value.as_u64().or_else(|| text?.trim().parse().ok()).or_else(|| float().map(|it| it as u64));
                number.map(Value::from).ok_or_else(unexpected)
            }
            Kind::Switch => {
                let truth = value.as_bool().or_else(|| text?.trim().parse().ok());
                truth.map(Value::from).ok_or_else(unexpected)
            }
            Kind::Word(words) => match text {
                Some(text) if words.contains(&text) => Ok(value.clone()),
                _ => Err(unexpected()),
            },
        }
    }

    /// A deserialiser's complaint about a value of the right kind.
    pub(super) fn explain(self, problem: &str) -> String {
        match self {
            Kind::Whole => "the number is too large".to_owned(),
            _ => problem.to_owned(),
        }
    }
}
