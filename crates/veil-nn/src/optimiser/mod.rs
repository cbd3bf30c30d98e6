//! Updating weights: [`Adam`], with a learning rate from a [`Schedule`].

mod adam;
mod schedule;

pub use adam::{Adam, Params, ParamsError};
pub use schedule::Schedule;
