//! The same parameters give the same figures: a tiny sweep over every method and network, compared
//! with a file.
//!
//! To change figures on purpose, raise [`RESULTS`] and run this test with `VEIL_WRITE_GOLDEN=1`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use veil_learn::method;
use veil_nn::kernels::Level;
use veil_privacy::{Trust, protocol};

use super::RESULTS;
use super::tests::{planned, sets};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Golden {
    /// [`RESULTS`] when it was written.
    results: u32,
    /// Figures of every case.
    figures: BTreeMap<String, BTreeMap<String, f64>>,
}

/// Methods that release a student.
const STUDENTS: [&str; 4] = ["privgnn", "pate", "class-sums", "dp-mlp"];

fn sweep() -> String {
    let mut text = String::from("data = \"g\"\nseeds = [3]\n[parameters]\nepochs = 3\nhidden = 4\n");
    let mut case = |name: &str, settings: &str| {
        let _ = write!(text, "[[cases]]\nname = \"{name}\"\n{settings}\n");
    };
    for model in ["gcn", "sage", "gat", "gatv2", "gt", "gconv"] {
        case(model, &format!("method = \"gnn\"\nmodel = \"{model}\""));
    }
    case("mlp", "method = \"mlp\"");
    case("dpgcn", "method = \"dpgcn\"\nepsilon-edges = 6");
    case("edgerand", "method = \"dpgcn\"\ngraph = \"edgerand\"\nepsilon-edges = 6");
    case("lpgnet", "method = \"lpgnet\"\nepsilon-edges = 4\nstages = 2");
    case("bayes", "method = \"lpgnet\"\nreadout = \"bayes\"\nepsilon-edges = 4");
    case("edge-free", "method = \"edge-free\"");
    case("cascade", "method = \"cascade\"\nepsilon-edges = 4\nbatches = 2");
    case("cascade-unpaired", "method = \"cascade\"\nepsilon-edges = 8\nself-training = 0");
    let named = ["mlp", "edge-free", "gnn", "dpgcn", "lpgnet", "cascade", "moments"];
    let others = |it: &&method::Entry| it.trust == Trust::Central && !it.public_graph && !named.contains(&it.name);
    for other in method::entries().iter().filter(others) {
        case(other.name, &format!("method = \"{}\"\nepsilon-edges = 4", other.name));
    }
    case("moments", "method = \"moments\"\nepsilon = 16");
    case("inductive", "method = \"gnn\"\ninference-data = \"h\"");
    let reports = "epsilon-features = 3\nepsilon-labels = 3\nsplit = \"0.5,0.25,0.25\"\nscale = \"minmax\"\n\
                   declare-public = [\"columns\"]";
    let hops = "kx = 2\nky = 1";
    for protocol in protocol::ENTRIES {
        case(protocol.name, &format!("method = \"{}\"\nepsilon-edges = 2\n{reports}\n{hops}", protocol.name));
    }
    case("degree-vectors", &format!("method = \"degree-vectors\"\nepsilon-edges = 2\n{reports}"));
    let local = "method = \"cascade-local\"\nepsilon-edges = 4\nepsilon-labels = 3\nsplit = \"0.5,0.25,0.25\"";
    case("cascade-local", local);
    let hints = "epsilon-features = 8\nfeature-encoder = \"codebook\"";
    case("cascade-local-hints", &format!("{local}\n{hints}"));
    let vectors = "method = \"degree-vectors\"\nepsilon-edges = 4\nepsilon-labels = 8\nsplit = \"0.5,0.25,0.25\"";
    case("degree-vectors-hints", &format!("{vectors}\n{hints}"));
    case("cascade-local-features", &format!("{local}\nepsilon-features = \"inf\"\nheard = \"all\"\nbatches = 2"));
    case("cascade-local-bits", &format!("{local}\nreported = \"bits\""));
    case("cascade-local-bits-features", &format!("{local}\nreported = \"bits\"\nepsilon-features = \"inf\""));
    let recipe = "method = \"gnn\"\nrecipe = \"graph-privatizer\"";
    case("raw", &format!("{recipe}\n{reports}\n{hops}"));
    case("empty", &format!("{recipe}\nreads = \"none\"\n{reports}"));
    for (student, settings) in
        STUDENTS.into_iter().zip(["queries = 5\nk = 20\ngamma = 0.2", "queries = 5\nteachers = 3", "", ""])
    {
        case(student, &format!("method = \"{student}\"\npublic-graph = \"h\"\nepsilon = 16\n{settings}"));
    }
    let attack = "[[attacks]]\nwhere = { split = [\"0.5,0.25,0.25\"] }\npairs = 30\n";
    let attack = |kind: &str| attack.replacen("where", &format!("kind = \"{kind}\"\nwhere"), 1);
    text + &attack("linkteller") + &attack("lsa")
}

#[test]
fn the_same_parameters_give_the_same_figures() {
    let sets = sets();
    let plan = planned(&sweep(), &sets);
    let methods: BTreeSet<&str> = plan.jobs.iter().map(|job| job.work.method.name()).collect();
    assert_eq!(methods.len(), method::entries().len(), "a method has no golden figures");
    let done = |job: &super::plan::Job| (job.wanted.case.clone(), job.work.done(&sets).unwrap().figures);
    let found = Golden { results: RESULTS, figures: plan.jobs.iter().map(done).collect() };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sweep/golden.json");
    if std::env::var_os("VEIL_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, serde_json::to_string_pretty(&found).unwrap() + "\n").unwrap();
        return;
    }
    let wanted: Golden = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(wanted.results, RESULTS, "RESULTS was raised: write the file again (VEIL_WRITE_GOLDEN=1)");
    let mut others = Vec::new();
    let none = BTreeMap::new();
    // The file is written where a multiply-add rounds once. Elsewhere the last digit of a few votes
    // decides labels of a student.
    let rounds_twice = Level::detect() == Level::Portable;
    let compared = |case: &&String| !(rounds_twice && STUDENTS.contains(&case.as_str()));
    for case in wanted.figures.keys().chain(found.figures.keys()).filter(compared).collect::<BTreeSet<_>>() {
        let [then, now] = [&wanted, &found].map(|golden| golden.figures.get(case).unwrap_or(&none));
        for figure in then.keys().chain(now.keys()).collect::<BTreeSet<_>>() {
            let [then, now] = [then, now].map(|figures| figures.get(figure).copied());
            let same = then.zip(now).is_some_and(|(then, now)| (then - now).abs() <= 1e-6 * then.abs().max(1.0));
            if !same {
                others.push(format!("{case}, {figure}: {then:?}, now {now:?}"));
            }
        }
    }
    let advice = "the same parameters give other figures: raise RESULTS and write the file again (VEIL_WRITE_GOLDEN=1)";
    assert!(others.is_empty(), "{advice}\n{}", others.join("\n"));
}
