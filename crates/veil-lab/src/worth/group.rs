//! What the parameters of a run are for. This file is the only place of this crate that knows names
//! of parameters and methods; all of it can be derived from the registry of methods.

use std::collections::BTreeMap;

use serde_json::Value;

/// What a parameter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// The method, and how edges are released.
    Edges,
    /// How labels of public nodes are released to a student.
    Student,
    /// How features and labels are released.
    Release,
    /// The shape of a network, and how far it sees.
    Network,
    /// Everything else.
    Training,
}

const GROUPS: [(Group, &str); 4] = [
    (
        Group::Edges,
        "method edges epsilon-edges epsilon-count epsilon-of-all-graphs strategy alpha threshold similarity measure \
         max-dummies candidates max-edges graph rounds stages readout unit features",
    ),
    (
        Group::Student,
        "epsilon delta lambda queries choose release gamma k teachers teacher denoise public public-graph",
    ),
    (Group::Release, "epsilon-features epsilon-labels samples range split"),
    (Group::Network, "model hidden heads bias activation kx ky"),
];

/// The group of a parameter. An unknown one is of the training, which must be equal to be compared.
pub(crate) fn group(name: &str) -> Group {
    let found = GROUPS.iter().find(|(_, names)| names.split(' ').any(|known| known == name));
    found.map_or(Group::Training, |(group, _)| *group)
}

/// Whether a parameter is the ε of edges or nodes.
pub(crate) fn is_budget(name: &str) -> bool {
    name.starts_with("epsilon") && matches!(group(name), Group::Edges | Group::Student)
}

/// Whether the networks of a run read no graph: no edges, or counts of neighbours only.
pub(crate) fn reads_no_graph(parameters: &BTreeMap<String, Value>) -> bool {
    is(parameters, "edges", "empty degree-vectors") || is(parameters, "method", "mlp lpgnet degree-vectors")
}

/// Whether users report their edges themselves.
pub(crate) fn is_local(parameters: &BTreeMap<String, Value>) -> bool {
    let protocols = "graph-privatizer two-hop-rr dummy-exchange shuffled-query neighbour-krr edge-flip degree-vectors";
    !parameters.contains_key("method") || is(parameters, "method", protocols)
}

fn is(parameters: &BTreeMap<String, Value>, name: &str, one_of: &str) -> bool {
    parameters.get(name).and_then(Value::as_str).is_some_and(|value| one_of.split(' ').any(|known| known == value))
}

#[cfg(test)]
mod tests {
    use veil_learn::{Method, Parameters};

    use super::*;
    use crate::decided;

    /// A misspelt name would count as a parameter of the training.
    #[test]
    fn names_are_those_of_parameters() {
        let of = |parameters: Parameters| decided(&parameters.effective(true), "public", "public");
        let mut known = of(Parameters::default());
        Method::ALL.into_iter().for_each(|method| known.extend(of(method.defaults())));
        // These have no default, or are named so from version 0.2 on.
        let optional = "epsilon epsilon-edges epsilon-of-all-graphs lambda gamma samples rounds heads graph stages threshold public \
                        public-graph";
        let is_known = |name: &&str| known.contains_key(*name) || optional.split(' ').any(|it| it == *name);
        let names = GROUPS.iter().flat_map(|(_, names)| names.split(' '));
        assert_eq!(names.filter(|name| !is_known(name)).collect::<Vec<_>>(), [""; 0]);
        assert_eq!([group("lr"), group("kx")], [Group::Training, Group::Network]);
        assert!(is_budget("epsilon-edges") && !is_budget("epsilon-features") && !is_budget("alpha"));
    }
}
