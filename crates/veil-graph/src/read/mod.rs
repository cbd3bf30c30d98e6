//! Reading data sets. [`open`] looks at what a path holds and hands it to the reader of that layout.

mod error;
pub(crate) mod tables;
mod text;

pub use error::{At, Misfit, Place, ReadError};
