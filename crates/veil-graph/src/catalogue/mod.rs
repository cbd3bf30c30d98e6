//! Data sets by name: where they are published, what they should hold, and how to get them.
//!
//! [`find`] looks a name up in the table of `entries`. [`fetch`] downloads an entry's files into the user's cache, each
//! by `download` (which resumes and verifies), and unpacks archives. The caller reads what lies there, lets the entry
//! [`finish`](Entry::finish) it (LastFM is used with its ten largest classes), and compares with what is
//! [`expected`](Entry::expected). What could not be verified when the table was written says so.

mod archive;
mod classes;
mod download;
mod entries;
mod entry;
mod error;
mod expected;
mod fetch;

#[cfg(test)]
mod server;

pub use classes::largest_classes;
pub use entries::{all, find};
pub use entry::{Entry, Finish, Source};
pub use error::FetchError;
pub use expected::{Difference, Expected, ExpectedError};
pub use fetch::{FetchProgress, cache_folder, fetch, fetch_from, folder_of};
