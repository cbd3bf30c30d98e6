//! What makes two runs the same one.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::plan::DataSets;
use super::work::Work;

/// Raised whenever the same parameters give other figures than before, or figures change their meaning: then nothing that a book holds is
/// taken for done.
pub const RESULTS: u32 = 1;

/// SHA-256 of everything that decides the figures of a run: data, effective parameters, seed, attacks, the version of the program and of its
/// results. What a run is called decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 32]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
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
    json!({
        "version": version,
        "results": results,
        "data": fingerprint(&work.data),
        "public": work.public.as_ref().map(fingerprint),
        "inference": work.inference.as_ref().map(fingerprint),
        "parameters": work.parameters,
        "split": work.division.to_string(),
        "range": work.range.1,
        "seed": work.seed,
        "attacks": attacks,
    })
}

/// The parameters of the run that a key is the hash of such a text of: what nobody said and nothing stands for is left out.
pub(super) fn parameters(about: &str) -> Result<BTreeMap<String, Value>, serde_json::Error> {
    #[derive(Deserialize)]
    struct About {
        parameters: BTreeMap<String, Value>,
        split: Value,
        range: Value,
    }
    let About { mut parameters, split, range } = serde_json::from_str(about)?;
    parameters.retain(|_, value| !value.is_null());
    parameters.extend([("split".to_owned(), split), ("range".to_owned(), range)]);
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::tests::{planned, sets};

    #[test]
    fn everything_that_decides_a_run_is_in_its_key() {
        let (sets, text) = (sets(), "data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\nmethod = \"mlp\"\n");
        let key = |text: &str| planned(text, &sets).jobs()[0].key;
        let base = key(text);
        assert_eq!(base, key(&text.replace("name = \"a\"", "name = \"another name\"")));
        // A default that is said is the same run.
        assert_eq!(base, key(&format!("{text}epochs = 500\n")));
        let attack = "[[attacks]]\nkind = \"lsa\"\n";
        let others = [
            text.replace("seeds = 1", "seeds = [2]"),
            format!("{text}epochs = 3\n"),
            format!("{text}split = \"0.5,0.2,0.3\"\n"),
            format!("{text}range = \"0,2\"\n"),
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
        let work = &plan.jobs()[0].work;
        let texts =
            [("1", 1), ("2", 1), ("1", 2)].map(|(version, results)| about(work, &sets, version, results).to_string());
        assert!(texts[0] != texts[1] && texts[0] != texts[2] && texts[1] != texts[2]);
    }
}
