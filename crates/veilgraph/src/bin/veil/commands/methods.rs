//! `veil methods`: every method, what it protects and what it needs.

use clap::Args;
use serde::Serialize;
use veil_learn::method::{self, Entry};
use veil_privacy::parameters::Described;

use crate::failure::Failure;
use crate::output::{Output, table};

/// List all methods with their unit, trust model, status and requirements
#[derive(Args)]
#[command(after_help = "Examples:\n  veil methods\n  veil methods --json\n  veil train --method lpgnet --help")]
pub struct Methods {}

/// What `--json` prints of a method.
#[derive(Serialize)]
struct Shown {
    name: &'static str,
    about: &'static str,
    unit: Option<&'static str>,
    trust: &'static str,
    status: &'static str,
    needs: &'static str,
    public_graph: bool,
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: String,
    help: String,
    group: &'static str,
    expected: String,
    default: Option<serde_json::Value>,
}

impl From<&Entry> for Shown {
    fn from(entry: &Entry) -> Shown {
        let parameter = |it: Described| Parameter {
            group: it.group.heading(),
            expected: it.kind.expected(),
            default: it.value,
            name: it.name,
            help: it.help,
        };
        Shown {
            name: entry.name,
            about: entry.about,
            unit: entry.unit.map(veil_privacy::Unit::name),
            trust: entry.trust.name(),
            status: entry.status.name(),
            needs: entry.needs,
            public_graph: entry.public_graph,
            parameters: entry.parameters().into_iter().map(parameter).collect(),
        }
    }
}

impl Methods {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let shown: Vec<Shown> = method::entries().iter().map(Shown::from).collect();
        output.show(&shown, || {
            let rows = shown.iter().map(|it| {
                let unit = it.unit.unwrap_or("–");
                let status = if it.unit.is_some() { it.status } else { "–" };
                [it.name, unit, it.trust, status, it.needs].map(str::to_owned).to_vec()
            });
            let abouts: String = shown.iter().map(|it| format!("\n  {:<17} {}", it.name, it.about)).collect();
            table(&["method", "protects", "trust", "status", "needs"], rows)
                + "\n"
                + &abouts
                + "\n\n`veil train --method NAME --help` lists the parameters of a method."
        })
    }
}
