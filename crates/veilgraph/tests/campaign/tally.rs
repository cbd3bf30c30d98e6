//! What was tried, and how often it failed.

use std::io::Write;

/// The result of one kind of fault.
pub struct Tally {
    pub what: &'static str,
    pub tried: u64,
    pub failed: u64,
}

impl Tally {
    /// Prints one line, past the test harness, and fails if anything did.
    #[track_caller]
    pub fn conclude(&self) {
        let Tally { what, tried, failed } = self;
        let _ = writeln!(std::io::stderr(), "campaign: {what}: {tried} tried, {failed} failed");
        assert_eq!(*failed, 0, "{what}");
    }
}
