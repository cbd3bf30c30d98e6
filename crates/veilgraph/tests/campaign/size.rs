//! How much is tried.

/// The size of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// With all other tests: some seconds for each module.
    Small,
    /// `VEIL_CAMPAIGN=whole`.
    Whole,
}

/// The size that was asked for.
pub fn size() -> Size {
    let whole = std::env::var("VEIL_CAMPAIGN").is_ok_and(|wanted| wanted == "whole");
    if whole { Size::Whole } else { Size::Small }
}

impl Size {
    /// One of two numbers.
    pub fn pick(self, small: u64, whole: u64) -> u64 {
        match self {
            Size::Small => small,
            Size::Whole => whole,
        }
    }
}
