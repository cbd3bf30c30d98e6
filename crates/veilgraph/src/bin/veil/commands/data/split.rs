//! `veil data split`: which nodes are for training, for validation, for testing.

use std::path::PathBuf;

use clap::Args;
use veil_graph::read::{self, Layout};
use veil_graph::write;
use veil_graph::{Fractions, Part, Split};

use crate::commands::terms::random_seed;
use crate::failure::{Failure, usage};
use crate::output::{Output, grouped};

#[derive(Args)]
pub struct SplitNodes {
    /// Data set in veil's folder format
    data: PathBuf,
    /// Fractions of train, validation and test nodes
    #[arg(long, value_name = "TRAIN,VAL,TEST")]
    fractions: Fractions,
    /// Use the same fractions in every class: private labels can then be released only if the split
    /// is declared public
    #[arg(long)]
    stratified: bool,
    /// Let each node draw its part by itself, with about these fractions: what `moments` requires,
    /// which protects whether a node is in the data
    #[arg(long, conflicts_with = "stratified")]
    each: bool,
    /// Seed of the split [default: random, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// Replace an existing split
    #[arg(long)]
    replace: bool,
}

impl SplitNodes {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let layout = read::recognise(&self.data)?;
        if layout != Layout::Folder || !self.data.is_dir() {
            return usage(format!(
                "{} is not in our folder format, so a split cannot be kept in it: veil data import it first",
                self.data.display()
            ));
        }
        let dataset = read::open(&self.data)?;
        if dataset.split().is_some() && !self.replace {
            return Err(Failure::HasSplit { path: self.data });
        }
        let seed = self.seed.map_or_else(random_seed, Ok)?;
        let split = match (self.stratified, dataset.labels()) {
            (true, Some(labels)) => Split::stratified(labels, self.fractions, seed),
            (true, None) => return usage("a stratified split needs labels"),
            (false, _) if self.each => Split::random_each(dataset.names(), self.fractions, seed),
            (false, _) => Split::random(dataset.nodes(), self.fractions, seed),
        };
        let out = write::replace_split(&split, &self.data)?;
        let dataset = dataset.with_split(split)?;
        let counts =
            [Part::Train, Part::Val, Part::Test].map(|part| dataset.split().map_or(0, |split| split.count(part)));
        let shown =
            serde_json::json!({ "out": out, "seed": seed, "train": counts[0], "val": counts[1], "test": counts[2] });
        output.show(&shown, || {
            let [train, val, test] = counts.map(grouped);
            format!("wrote {} (seed {seed}): {train} train, {val} validation, {test} test", out.display())
        })
    }
}
