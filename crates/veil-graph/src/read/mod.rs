//! Reading data sets. [`open`] looks at what a path holds and hands it to the reader of that layout.

#[allow(dead_code)]
mod arrays;
mod error;
#[allow(dead_code)]
mod graphsaint;
#[allow(dead_code)]
mod npy;
#[allow(dead_code)]
mod npz;
#[allow(dead_code)]
mod planetoid;
#[allow(dead_code)]
mod reddit;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod hostile;

pub use error::{At, Misfit, Place, ReadError};
