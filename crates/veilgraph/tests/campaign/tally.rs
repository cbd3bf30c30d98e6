//! What was tried, and what went wrong.

use std::io::Write;

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Tally {
    /// What was tried.
    pub what: &'static str,
    pub tried: u64,
    pub failed: u64,
}

impl Tally {
    pub fn new(what: &'static str) -> Tally {
        Tally { what, tried: 0, failed: 0 }
    }

    /// Counts one attempt, and says why it failed.
    pub fn count(&mut self, outcome: Result<(), String>) {
        self.tried += 1;
        if let Err(why) = outcome {
            self.failed += 1;
            println!("{}: {why}", self.what);
        }
    }

    /// Prints the row, past the test harness, and fails if anything failed.
    pub fn finish(self) {
        let Tally { what, tried, failed } = self;
        let _ = writeln!(std::io::stderr(), "campaign: {what}: {tried} tried, {failed} failed");
        assert!(tried > 0 && failed == 0, "{what}: {failed} of {tried} failed");
    }
}
