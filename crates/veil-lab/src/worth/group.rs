//! What the parameters of a run are for, by the registry of methods.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;
use veil_learn::method::{self, Entry};
use veil_privacy::Trust;
pub(crate) use veil_privacy::parameters::Group;

/// The group of a parameter. An unknown one is of the training, which must be equal to be compared.
pub(crate) fn group(name: &str) -> Group {
    static GROUPS: LazyLock<BTreeMap<String, Group>> = LazyLock::new(|| {
        let all = method::entries().iter().flat_map(Entry::parameters);
        all.map(|it| (it.name, it.group)).collect()
    });
    match name {
        // A declaration changes no figure.
        "method" | "declare-public" => Group::Edges,
        "public-graph" => Group::Student,
        "split" | "range" => Group::Release,
        _ => GROUPS.get(name).copied().unwrap_or(Group::Training),
    }
}

/// What a parameter is, in words; none if no method has it.
pub(crate) fn help(parameters: &BTreeMap<String, Value>, name: &str) -> Option<&'static str> {
    static HELP: LazyLock<BTreeMap<(&str, String), String>> = LazyLock::new(|| {
        let all = method::entries().iter().flat_map(|it| it.parameters().into_iter().map(move |own| (it.name, own)));
        all.map(|(method, own)| ((method, own.name), own.help)).collect()
    });
    match name {
        "method" => return Some("Method"),
        "split" => return Some("Split into training, validation and test nodes"),
        "range" => return Some("Range of the features"),
        "declare-public" => return Some("Facts that the owner declares public"),
        "public-graph" => return Some("Public graph, by its digest"),
        _ => {}
    }
    let of = |method: &'static str| HELP.get(&(method, name.to_owned()));
    let own = entry(parameters).and_then(|entry| of(entry.name));
    let any = || method::entries().iter().find_map(|entry| of(entry.name));
    own.or_else(any).map(String::as_str)
}

/// Whether a parameter is the ε of edges or nodes.
pub(crate) fn is_budget(name: &str) -> bool {
    name.starts_with("epsilon") && matches!(group(name), Group::Edges | Group::Student | Group::Nodes)
}

/// Whether the networks of a run read no graph: no edges, or counts of neighbours only.
pub(crate) fn reads_no_graph(parameters: &BTreeMap<String, Value>) -> bool {
    let propagates = entry(parameters).is_none_or(|entry| entry.reads("kx"));
    !propagates || parameters.get("reads").is_some_and(|reads| reads == "none")
}

/// Whether users report their edges themselves.
pub(crate) fn is_local(parameters: &BTreeMap<String, Value>) -> bool {
    entry(parameters).is_some_and(|entry| entry.trust == Trust::Local)
}

fn entry(parameters: &BTreeMap<String, Value>) -> Option<&'static Entry> {
    method::find(parameters.get("method")?.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_those_of_the_registry() {
        let names = ["lr", "kx", "alpha", "epsilon-labels", "queries", "method", "never heard of"];
        let groups = [
            Group::Training,
            Group::Network,
            Group::Edges,
            Group::Release,
            Group::Student,
            Group::Edges,
            Group::Training,
        ];
        assert_eq!(names.map(group), groups);
        assert!(is_budget("epsilon-edges") && !is_budget("epsilon-features") && !is_budget("alpha"));
        let of = |method: &str| BTreeMap::from([("method".to_owned(), Value::from(method))]);
        assert!(reads_no_graph(&of("lpgnet")) && !reads_no_graph(&of("dpgcn")));
        assert!(is_local(&of("edge-flip")) && !is_local(&of("lpgnet")));
    }
}
