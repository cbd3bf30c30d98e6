//! Writing data sets.
//!
//! [`atomically`] writes a folder as a whole or not at all, and overwrites nothing; [`write_file`]
//! does the same for one file. [`owner`] creates what is for its owner alone; [`Drafts`] are locked
//! files that it names later. `folder` writes our folder format: `meta.json` and one table each for
//! edges, features, labels, splits and names; `declare` adds facts to its `meta.json`. `csv`
//! formats short tables; `blocks` compresses the long table of features on all cores, to the same
//! bytes on any number of them. `parquet` writes two Parquet tables; `export` the
//! graph for other programs.

mod atomic;
#[cfg(feature = "files")]
mod blocks;
#[cfg(feature = "files")]
mod csv;
#[cfg(feature = "files")]
mod declare;
mod drafts;
mod error;
#[cfg(feature = "files")]
mod export;
#[cfg(feature = "files")]
mod folder;
pub mod owner;
#[cfg(feature = "parquet")]
mod parquet;
mod unfinished;

pub use atomic::{
    Parents, atomically, refuse_if_there, replace_file, replace_guarded_file, sync_folder, tidy, write_file,
    write_guarded_file,
};
#[cfg(feature = "files")]
pub use declare::{DeclareError, Facts, declare};
pub use drafts::Drafts;
pub use error::WriteError;
#[cfg(feature = "files")]
pub use export::{EXPORTS, Export};
#[cfg(feature = "files")]
pub use folder::{fill_folder, replace_split, write_folder};
#[cfg(feature = "parquet")]
pub use parquet::{fill_parquet, write_answers, write_parquet};
pub use unfinished::{Abandoned, abandon_unfinished};
