//! The Python module `veilgraph._native`: the pipeline, for the Python package in
//! `python/veilgraph`.
//!
//! Nothing is decided here. `data` makes data sets of arrays and Arrow tables, and arrays of data
//! sets; `job` runs trainings and releases; `run` and `release` are their results; `ledger`,
//! `attack`, `audit`, `account`, `choose` and `lab` call the library of the same name; `registry`
//! lists what there is. `work` lets Python run, interrupts and shows progress meanwhile; `errors`
//! is the one table from errors to exceptions.
//!
//! Settings come in, and reports go out, as JSON: the Python package knows their form from the
//! registries, so a new parameter needs no code here.

mod account;
mod attack;
mod audit;
mod choose;
mod data;
mod errors;
mod job;
mod lab;
mod ledger;
mod propagate;
mod registry;
mod release;
mod run;
mod work;

use pyo3::prelude::*;

/// The native part of veilgraph.
#[pymodule(gil_used = true)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    work::keep_quiet();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<data::Dataset>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<release::Release>()?;
    module.add_class::<ledger::Ledger>()?;
    for add in [
        account::add,
        attack::add,
        audit::add,
        choose::add,
        data::add,
        job::add,
        lab::add,
        propagate::add,
        registry::add,
        release::add,
        run::add,
    ] {
        add(module)?;
    }
    Ok(())
}
