//! Data sets by name: where they are published, what they should contain, and how to download them.
//!
//! [`find`] looks a name up in the table of `entries`. [`fetch`] downloads the files of an entry
//! into the user's cache with `download`, which resumes and verifies, and unpacks archives. The
//! caller reads the result, applies [`finish`](Entry::finish) (LastFM is used with its ten largest
//! classes) and compares with [`expected`](Entry::expected). Unverified entries are marked.

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
