//! `veil data declare`: facts that every release of a data set may state.

use std::path::PathBuf;

use clap::Args;
use veil_graph::read::{self, Layout};
use veil_graph::write::{self, Facts};
use veil_learn::pipeline::RangeText;
use veil_privacy::Declarations;
use veil_privacy::release::RangeChoice;

use crate::failure::{Failure, usage};
use crate::output::Output;

/// Record facts in meta.json, so that releases need no --declare-public for them
///
/// --range, --classes and --dimensions give facts that hold whatever the data are: guarantees then
/// cover all data within them. --public declares facts public that were collected from the data: no
/// ε protects them, and every statement says so. Features and labels themselves are declared for
/// one release at a time.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil data declare graph --range 0,1 --classes 7\n  \
    veil data declare graph --public nodes,classes,dimensions")]
#[command(group = clap::ArgGroup::new("facts").required(true).multiple(true))]
pub struct Declare {
    /// Data set in veil's folder format
    data: PathBuf,
    /// Range that contains every feature value of any user
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, group = "facts")]
    range: Option<RangeText>,
    /// Number of classes
    #[arg(long, value_name = "N", group = "facts")]
    classes: Option<u32>,
    /// Number of feature dimensions
    #[arg(long, value_name = "N", group = "facts")]
    dimensions: Option<u32>,
    /// Facts that are public: nodes, dimensions, classes, columns, split, private-nodes
    #[arg(long, value_name = "FACTS", group = "facts")]
    public: Option<Declarations>,
}

impl Declare {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let layout = read::recognise(&self.data)?;
        if layout != Layout::Folder || !self.data.is_dir() {
            return usage(format!(
                "{} is not in our folder format, so facts cannot be recorded: convert it with veil data import first",
                self.data.display()
            ));
        }
        let range = match self.range.map(|it| it.0) {
            None => None,
            Some(RangeChoice::Given(range)) => Some((range.low() as f32, range.high() as f32)),
            Some(_) => return usage("--range is LOW,HIGH here"),
        };
        let public = self.public.unwrap_or_default();
        if let Some(fact) = public.iter().find(|fact| !fact.may_be_stored()) {
            return usage(format!(
                "{fact} are declared public for one release at a time, with --declare-public {fact}"
            ));
        }
        let words = public.iter().map(|fact| fact.name().to_owned()).collect();
        let facts = Facts { range, classes: self.classes, dimensions: self.dimensions, public: words };
        let dataset = read::open(&self.data)?;
        let out = write::declare(&dataset, &facts, &self.data)?;
        let dataset = read::open(&self.data)?;
        let declared = dataset.declared();
        let given: Vec<&str> = [
            ("nodes", declared.nodes),
            ("dimensions", declared.dimensions),
            ("classes", declared.classes),
            ("columns", dataset.feature_range().is_some()),
        ]
        .into_iter()
        .filter_map(|(fact, given)| given.then_some(fact))
        .collect();
        let shown = serde_json::json!({ "out": out, "given": given, "public": dataset.public() });
        output.show(&shown, || {
            let list = |facts: String| if facts.is_empty() { "none".to_owned() } else { facts };
            let (given, public) = (list(given.join(", ")), list(dataset.public().join(", ")));
            format!("wrote {}\ngiven: {given}\ndeclared public, so that no ε protects it: {public}", out.display())
        })
    }
}
