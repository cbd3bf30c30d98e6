//! `veil data hide`: a graph before later nodes came.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use veil_graph::{DatasetError, Part, Split};

use veil_learn::pipeline::{self, SplitChoice};

use super::{Format, Written, describe, save};
use crate::commands::terms::random_seed;
use crate::failure::{Failure, usage};
use crate::output::{Output, grouped};
use crate::progress;

#[derive(Args)]
pub struct Hide {
    /// Path in any supported layout, or name of a fetched data set
    data: String,
    /// Parts of the split to keep
    #[arg(long, value_enum, value_delimiter = ',', required = true, value_name = "PART,…")]
    keep: Vec<KeptPart>,
    /// Split: public (as stored), or fractions for a random split
    #[arg(long, default_value = "public", value_name = "public|TRAIN,VAL,TEST")]
    split: SplitChoice,
    /// Seed of the random split [default: random, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// Output folder
    #[arg(long)]
    out: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Folder)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum KeptPart {
    Train,
    Val,
    Test,
    /// Nodes in no part
    None,
}

impl From<KeptPart> for Part {
    fn from(part: KeptPart) -> Part {
        match part {
            KeptPart::Train => Part::Train,
            KeptPart::Val => Part::Val,
            KeptPart::Test => Part::Test,
            KeptPart::None => Part::None,
        }
    }
}

/// What was written, and how much was not.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    written: Written,
    nodes_hidden: u32,
    edges_hidden: usize,
}

impl Hide {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let seed = match (self.split, self.seed) {
            (SplitChoice::Random(_), seed) => Some(seed.map_or_else(random_seed, Ok)?),
            (SplitChoice::All, _) => {
                return usage("--split all leaves no later nodes to hide");
            }
            (SplitChoice::Public, None) => None,
            (SplitChoice::Public, Some(_)) => {
                let text = "--seed goes with a random split, such as --split 0.5,0.25,0.25 (train,validation,test)";
                return usage(text);
            }
        };
        let bar = progress::working(output, &format!("reading {}", self.data));
        let mut dataset = pipeline::open(&self.data)?;
        if let (SplitChoice::Random(fractions), Some(seed)) = (self.split, seed) {
            let split = Split::random(dataset.nodes(), fractions, seed);
            dataset = dataset.with_split(split)?;
        }
        let parts: Vec<Part> = self.keep.iter().map(|&part| part.into()).collect();
        let before = dataset.among(&parts).map_err(|error| self.explained(error))?;
        bar.set_message(format!("writing {}", self.out.display()));
        save(&before, Some(&self.data), &self.out, self.format)?;
        bar.finish_and_clear();

        let shown = Shown {
            nodes_hidden: dataset.nodes() - before.nodes(),
            edges_hidden: dataset.graph().edges() - before.graph().edges(),
            written: Written { out: self.out, seed, summary: before.summary() },
        };
        output.show(&shown, || {
            let seed = seed.map_or_else(String::new, |seed| format!(" (seed {seed})"));
            let edges = match before.edges_withheld() {
                true => String::new(),
                false => format!(" and {} edges", grouped(shown.edges_hidden)),
            };
            let (out, nodes) = (shown.written.out.display(), grouped(shown.nodes_hidden as usize));
            format!("wrote {out}{seed}; {nodes} nodes{edges} are hidden\n{}", describe(&shown.written.summary))
        })
    }

    fn explained(&self, error: DatasetError) -> Failure {
        let data = &self.data;
        match error {
            DatasetError::NoSplit => Failure::Usage(format!(
                "{data} has no split: pass for example --split 0.5,0.25,0.25 (train,validation,test)"
            )),
            DatasetError::NothingLeft => Failure::Usage(format!("{error} of {data}: nothing would be kept")),
            other => other.into(),
        }
    }
}
