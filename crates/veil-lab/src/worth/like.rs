//! Which points may be compared: those that were trained alike, and differ in how edges were released.
//!
//! A point and what it is compared with have the same data, split, range, ε of features and labels, and the same training
//! (`epochs`, `lr`, `dropout`, `scale` and so on); where both pass messages along edges, also the same network (`model`, `hidden`,
//! hops and so on). A network that gets no graph, because there are no edges or only counts of neighbours, has a shape of its
//! own by nature, and what users report is trained on with another rule for which epoch counts (`select`) than an owner's
//! method: in what they differ is told beside the comparison. Parameters that say how edges are released, and which only that
//! release reads, are not compared.
//!
//! Where parameters of the grid are known alone, those that both have are equal, but for the ε of edges or nodes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Worth;

/// Parameters of a grid that set the ε of edges or nodes: a point and its reference differ in them.
const BUDGETS: [&str; 3] = ["epsilon", "epsilon-edges", "epsilon-count"];

/// Parameters that say how edges are released, or labels of public nodes.
const RELEASE: [&str; 26] = [
    "method",
    "edges",
    "epsilon",
    "epsilon-edges",
    "epsilon-count",
    "strategy",
    "alpha",
    "delta",
    "similarity",
    "measure",
    "max-dummies",
    "candidates",
    "max-edges",
    "rounds",
    "readout",
    "unit",
    "features",
    "lambda",
    "queries",
    "choose",
    "release",
    "gamma",
    "k",
    "teachers",
    "teacher",
    "denoise",
];

/// The shape of a network, and what it makes of a graph.
const NETWORK: [&str; 7] = ["model", "hidden", "heads", "bias", "activation", "kx", "ky"];

/// The one of these places that a point is to be compared with, and in what they differ by nature: the only one that is trained alike, or that
/// differs least.
pub(super) fn only(
    points: &[Worth],
    candidates: impl Iterator<Item = usize>,
    own: &Worth,
) -> Option<(usize, Vec<String>)> {
    let mut alike: Vec<(usize, Vec<String>)> =
        candidates.filter_map(|place| Some((place, differences(own, &points[place])?))).collect();
    let least = alike.iter().map(|(_, differs)| differs.len()).min()?;
    alike.retain(|(_, differs)| differs.len() == least);
    alike.pop().filter(|_| alike.is_empty())
}

/// In what two points differ by nature; none if they cannot be compared.
fn differences(one: &Worth, other: &Worth) -> Option<Vec<String>> {
    let same_grid = || {
        let told = one.point.iter().filter(|(name, _)| !BUDGETS.contains(&name.as_str()));
        told.into_iter().all(|(name, value)| other.point.get(name).is_none_or(|also| also == value))
    };
    if (&one.data, one.scored) != (&other.data, other.scored) || !same_grid() {
        return None;
    }
    if one.parameters.is_empty() || other.parameters.is_empty() {
        return Some(Vec::new());
    }
    let mut names: Vec<&String> = one.parameters.keys().chain(other.parameters.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let differs = |name: &&String| one.parameters.get(*name) != other.parameters.get(*name);
    let counts = |name: &&String| !RELEASE.contains(&name.as_str());
    let found: Vec<String> = names.into_iter().filter(counts).filter(differs).cloned().collect();
    let own_shape = gets_no_graph(&one.parameters) || gets_no_graph(&other.parameters);
    let own_rule = one.parameters.contains_key("method") != other.parameters.contains_key("method");
    let by_nature = |name: &String| match name.as_str() {
        "select" => own_shape || own_rule,
        name => own_shape && NETWORK.contains(&name),
    };
    found.iter().all(by_nature).then_some(found)
}

/// Whether messages are passed along no edges.
fn gets_no_graph(parameters: &BTreeMap<String, Value>) -> bool {
    parameters.get("edges").is_some_and(|edges| edges == "empty" || edges == "degree-vectors")
}

#[cfg(test)]
mod tests {
    use veil_learn::Parameters;

    use super::*;
    use crate::decided;

    /// A name that is written wrong would be compared after all.
    #[test]
    fn the_names_are_those_of_parameters() {
        let said = |method: veil_learn::Method| decided(&method.defaults().effective(true), "public", "public");
        let mut known = decided(&Parameters::default().effective(true), "public", "public");
        veil_learn::Method::ALL.into_iter().for_each(|method| known.extend(said(method)));
        // These have no default.
        let optional = ["epsilon", "epsilon-edges", "lambda", "rounds", "heads"];
        for name in BUDGETS.iter().chain(&RELEASE).chain(&NETWORK) {
            assert!(known.contains_key(*name) || optional.contains(name), "{name}");
        }
    }
}
