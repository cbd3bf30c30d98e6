//! How much of the campaign is run.

/// A size of the campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A sample, as part of all tests.
    Small,
    /// All of it (`VEIL_CAMPAIGN=whole`).
    Whole,
}

/// The size that was asked for.
pub fn size() -> Size {
    match std::env::var("VEIL_CAMPAIGN").as_deref() {
        Ok("whole") => Size::Whole,
        _ => Size::Small,
    }
}
