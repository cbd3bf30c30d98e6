//! What makes two runs the same one.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use veil_graph::bytes::hex;

use super::plan::DataSets;
use super::work::Work;

/// Raised whenever the same parameters give other figures than before, or figures change their
/// meaning: then nothing that a book holds is taken for done. `golden` notices the former.
pub const RESULTS: u32 = 7;

/// SHA-256 of everything that decides the figures of a run: data, effective parameters, seed,
/// attacks, the version of the program and of its results. What a run is called decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 32]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The key of a run, and the text that it is the hash of.
pub(super) fn of(work: &Work, sets: &DataSets) -> (Key, String) {
    let about = about(work, sets, env!("CARGO_PKG_VERSION"), RESULTS).to_string();
    (Key(Sha256::digest(about.as_bytes()).into()), about)
}

fn about(work: &Work, sets: &DataSets, version: &str, results: u32) -> Value {
    let fingerprint = |name: &String| sets.fingerprint(name);
    // `Debug` of an attack shows every option, also those that were not said.
    let attacks: Vec<String> = work.attacks.iter().map(|attack| format!("{attack:?}")).collect();
    let (split, range) = work.terms.texts();
    let mut about = json!({
        "version": version,
        "results": results,
        "data": fingerprint(&work.data),
        "public": work.public_graph.as_ref().map(fingerprint),
        "inference": work.inference.as_ref().map(fingerprint),
        "method": work.method.name(),
        "parameters": work.method.settings(),
        "split": split,
        "range": range,
        "seed": work.seed,
        "attacks": attacks,
    });
    // Left out where nothing is declared, as in books that knew no declarations.
    if !work.terms.declared.is_empty() {
        about["declared"] = json!(work.terms.declared.to_string());
    }
    about
}

/// Enough of a fingerprint to tell graphs apart.
fn short(fingerprint: Value) -> Value {
    fingerprint.as_str().map_or(Value::Null, |text| Value::from(text.chars().take(12).collect::<String>()))
}

/// Parameters of the run, without defaults that were not set. Other graphs that it read are told by
/// their fingerprints: a name decides nothing.
pub(super) fn parameters(about: &str) -> Result<BTreeMap<String, Value>, serde_json::Error> {
    #[derive(Deserialize)]
    struct About {
        parameters: BTreeMap<String, Value>,
        #[serde(default)]
        method: Value,
        split: Value,
        range: Value,
        #[serde(default)]
        declared: Value,
        #[serde(default)]
        public: Value,
        #[serde(default)]
        inference: Value,
    }
    let About { mut parameters, method, split, range, declared, public, inference } = serde_json::from_str(about)?;
    let others = [
        ("method", method),
        ("split", split),
        ("range", range),
        ("declare-public", declared),
        ("public-graph", short(public)),
        ("inference-data", short(inference)),
    ];
    parameters.extend(others.map(|(name, value)| (name.to_owned(), value)));
    parameters.retain(|_, value| !value.is_null());
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

    use super::*;
    use crate::sweep::tests::{densified, planned, sets};

    #[test]
    fn everything_that_decides_a_run_is_in_its_key() {
        // The same features, stored otherwise: figures differ in their last digits.
        let mut sets = sets();
        sets.insert("dense", densified(sets.get("g").unwrap()));
        let text = "data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\nmethod = \"mlp\"\n";
        let key = |text: &str| planned(text, &sets).jobs[0].key;
        let base = key(text);
        assert_eq!(base, key(&text.replace("name = \"a\"", "name = \"another name\"")));
        // A default that is said is the same run.
        assert_eq!(base, key(&format!("{text}epochs = 500\n")));
        // So is a number that is written otherwise.
        let range = |range: &str| key(&format!("{text}range = \"{range}\"\n"));
        assert_eq!([range("0, 2"), range("0.0,2e0")], [range("0,2"); 2]);
        // So are declarations, which are a set.
        let declared = |words: &str| key(&format!("{text}declare-public = {words}\n"));
        assert_eq!(declared("\"columns, nodes\""), declared("[\"nodes\", \"columns\"]"));
        let attack = "[[attacks]]\nkind = \"lsa\"\n";
        let others = [
            text.replace("seeds = 1", "seeds = [2]"),
            format!("{text}epochs = 3\n"),
            format!("{text}split = \"0.5,0.2,0.3\"\n"),
            format!("{text}range = \"0,2\"\n"),
            format!("{text}declare-public = [\"columns\", \"nodes\"]\n"),
            format!("{text}declare-public = \"nodes\"\n"),
            format!("{text}inference-data = \"h\"\n"),
            text.replace("\"g\"", "\"dense\""),
            text.replace("\"g\"", "\"h\""),
            format!("{text}{attack}"),
            format!("{text}{attack}metric = \"cosine\"\n"),
        ];
        let mut keys: Vec<Key> = others.iter().map(|text| key(text)).collect();
        keys.push(base);
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), others.len() + 1);
    }

    #[test]
    fn another_version_is_another_run() {
        let sets = sets();
        let plan = planned("data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\nmethod = \"mlp\"\n", &sets);
        let work = &plan.jobs[0].work;
        let texts =
            [("1", 1), ("2", 1), ("1", 2)].map(|(version, results)| about(work, &sets, version, results).to_string());
        assert!(texts[0] != texts[1] && texts[0] != texts[2] && texts[1] != texts[2]);
    }
}
