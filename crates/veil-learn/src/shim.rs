//! temporary
use veil_privacy::{LedgerError, ReleaseError, answers::AnswerError};
pub trait Shim { fn is_usage(&self) -> bool { false } fn hint(&self) -> Option<String> { None } }
impl Shim for LedgerError {}
impl Shim for ReleaseError {}
impl Shim for AnswerError {}
