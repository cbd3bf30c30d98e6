//! temporary
use veil_privacy::{Epsilon, Guarantee, LedgerError, ReleaseError, answers::AnswerError};
#[derive(Clone, Debug)]
pub enum Assumption { SharedEdges { whole: Epsilon }, SeparateGraphs, TrainedOn { data: String, edges: Option<(Epsilon, String)> } }
impl Assumption { pub fn text(&self) -> String { format!("{self:?}") } }
pub trait Shim { fn is_usage(&self) -> bool { false } fn hint(&self) -> Option<String> { None } }
impl Shim for LedgerError {}
impl Shim for ReleaseError {}
impl Shim for AnswerError {}
pub fn parameter<'a>(guarantee: &'a Guarantee, name: &str) -> Option<&'a str> {
    guarantee.parameters.split(';').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name).map(|(_, v)| v)
}
