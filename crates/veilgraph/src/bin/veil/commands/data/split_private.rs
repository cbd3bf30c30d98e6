//! `veil data split-private`: a private graph, a public one, and what is outside of both.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use veil_graph::write::{self, WriteError};
use veil_graph::{Apart, Counts, Dataset, Holders, Range, Ranges, Summary, read};

use veil_learn::pipeline;

use super::made_of;
use crate::commands::terms::random_seed;
use crate::failure::{Failure, usage};
use crate::output::{Output, grouped, table};
use crate::progress;

#[derive(Args)]
pub struct SplitPrivate {
    /// Path in any supported layout, or name of a fetched data set
    data: String,
    /// Number of private nodes per class, drawn at random
    #[arg(long, value_name = "N", required_unless_present = "by", conflicts_with = "by")]
    private_per_class: Option<usize>,
    /// Number of public training nodes, drawn from the rest
    #[arg(long, value_name = "N", required_unless_present = "by", conflicts_with = "by")]
    public_train: Option<usize>,
    /// Number of public test nodes, drawn from the rest
    #[arg(long, value_name = "N", required_unless_present = "by", conflicts_with = "by")]
    public_test: Option<usize>,
    /// Draw public nodes from all nodes, including private ones, as PrivGNN's published code does
    /// (only to explain its figures)
    #[arg(long, conflicts_with = "by")]
    overlapping: bool,
    /// Seed of the draws [default: random, printed]
    #[arg(long, conflicts_with = "by")]
    seed: Option<u64>,
    /// Split by a number per node, such as its year, instead of at random: a table node,NAME
    #[arg(long, value_name = "FILE", requires_all = ["private_range", "train_range", "test_range"])]
    by: Option<PathBuf>,
    /// Numbers of private nodes, such as ..2017 (inclusive; requires --by)
    #[arg(long, value_name = "RANGE", requires = "by", allow_hyphen_values = true)]
    private_range: Option<Range>,
    /// Numbers of public training nodes, such as 2018 (requires --by)
    #[arg(long, value_name = "RANGE", requires = "by", allow_hyphen_values = true)]
    train_range: Option<Range>,
    /// Numbers of public test nodes, such as 2019.. (requires --by)
    #[arg(long, value_name = "RANGE", requires = "by", allow_hyphen_values = true)]
    test_range: Option<Range>,
    /// Output folder for the folders private, public and outside
    #[arg(long)]
    out: PathBuf,
}

/// What was written, and what was not.
#[derive(Serialize)]
struct Shown {
    out: PathBuf,
    seed: Option<u64>,
    private: Summary,
    public: Summary,
    /// None if no node is outside.
    outside: Option<Summary>,
    edges_dropped: usize,
    /// With --overlapping: public nodes that are private ones.
    public_that_are_private: Option<usize>,
    /// With --overlapping: public nodes for testing that are public ones for training.
    test_that_are_train: Option<usize>,
}

impl SplitPrivate {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let bar = progress::working(output, &format!("reading {}", self.data));
        let dataset = pipeline::open(&self.data)?;
        let (holders, seed) = self.holders(&dataset)?;
        let (apart, overlap) = match seed {
            Some(seed) if self.overlapping => {
                let (apart, overlap) = dataset.apart_overlapping(&holders, seed)?;
                (apart, Some(overlap))
            }
            _ => (dataset.apart(&holders)?, None),
        };
        bar.set_message(format!("writing {}", self.out.display()));
        let Apart { private, public, outside, edges_dropped } = &apart;
        made_of(Some(&self.data), &self.out, |folder| {
            for (name, data) in [("private", Some(private)), ("public", Some(public)), ("outside", outside.as_ref())] {
                let Some(data) = data else { continue };
                let place = folder.join(name);
                std::fs::create_dir(&place).map_err(WriteError::io(&place))?;
                write::fill_folder(data, &place)?;
            }
            Ok(())
        })?;
        bar.finish_and_clear();
        let shown = Shown {
            out: self.out,
            seed,
            private: private.summary(),
            public: public.summary(),
            outside: outside.as_ref().map(Dataset::summary),
            edges_dropped: *edges_dropped,
            public_that_are_private: overlap.map(|it| it.with_private),
            test_that_are_train: overlap.map(|it| it.of_public),
        };
        output.show(&shown, || shown.describe())
    }

    fn holders(&self, dataset: &Dataset) -> Result<(Holders, Option<u64>), Failure> {
        if let (Some(path), Some(private), Some(public_train), Some(public_test)) =
            (&self.by, self.private_range, self.train_range, self.test_range)
        {
            let values = read::values(path, dataset.names())?;
            return Ok((Holders::by_value(&values, Ranges { private, public_train, public_test })?, None));
        }
        let (Some(private_per_class), Some(public_train), Some(public_test)) =
            (self.private_per_class, self.public_train, self.public_test)
        else {
            let text = "give --private-per-class, --public-train and --public-test, or --by with three ranges";
            return usage(text);
        };
        let labels = dataset.labels().ok_or_else(|| {
            Failure::Usage(format!("{} has no labels: private nodes are drawn class by class", self.data))
        })?;
        let seed = self.seed.map_or_else(random_seed, Ok)?;
        Ok((Holders::random(labels, Counts { private_per_class, public_train, public_test }, seed)?, Some(seed)))
    }
}

impl Shown {
    fn describe(&self) -> String {
        let row = |name: &str, summary: &Summary| {
            let [train, _, test] = summary.split.unwrap_or_default();
            let counts = [summary.nodes as usize, summary.edges, train, test, summary.labelled].map(grouped);
            std::iter::once(name.to_owned()).chain(counts).collect::<Vec<String>>()
        };
        let rows =
            [("private", Some(&self.private)), ("public", Some(&self.public)), ("outside", self.outside.as_ref())];
        let rows = rows.into_iter().filter_map(|(name, summary)| Some(row(name, summary?)));
        let seed = self.seed.map_or_else(String::new, |seed| format!(" (seed {seed})"));
        let mut text = format!("wrote {}{seed}\n", self.out.display());
        text += &table(&["folder", ">nodes", ">edges", ">train", ">test", ">labelled"], rows);
        text += &format!("\n{} edges between them were dropped", grouped(self.edges_dropped));
        if let (Some(private), Some(train)) = (self.public_that_are_private, self.test_that_are_train) {
            text += &format!(
                "\n{} public nodes are private ones, and {} for testing are for training too: no privacy follows from such parts",
                grouped(private),
                grouped(train)
            );
        }
        if self.outside.is_none() {
            text += "\nno node is outside: an attack on membership would have nobody to compare with";
        }
        text += "\nthe public labels are there for scoring alone: a student that is called private must not learn from them";
        text
    }
}
