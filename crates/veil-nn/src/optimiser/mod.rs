//! How weights move: [`Adam`] by its rule, at a rate that a [`Schedule`] gives for every epoch.

mod adam;
mod schedule;

pub use adam::{Adam, Params, ParamsError};
pub use schedule::Schedule;
