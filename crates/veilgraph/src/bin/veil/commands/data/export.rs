//! `veil data export`: a graph in the files of other programs.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use veil_graph::write::{self, EXPORTS, owner};
use veil_learn::pipeline;

use super::{Format, save};
use crate::failure::{Failure, usage};
use crate::output::{Output, grouped};
use crate::progress;

/// Two tables in a folder, also with features.
const PARQUET: &str = "parquet";

/// Export a graph, such as a released one, for other programs
///
/// The statement of a release stays where it is: hand it over with the file.
#[derive(Args)]
#[command(after_help = examples())]
pub struct Export {
    /// Path in any supported layout, such as a release
    data: String,
    /// Format of the file
    #[arg(long, value_parser = formats())]
    format: String,
    /// File to write; for parquet a folder
    #[arg(long)]
    out: PathBuf,
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(EXPORTS.iter().map(|it| it.name).chain([PARQUET]))
}

fn examples() -> String {
    let about = EXPORTS.iter().map(|it| (it.name, it.about));
    let about = about.chain([(PARQUET, "two tables in a folder: edges, and nodes with features and labels")]);
    let lines: String = about.map(|(name, about)| format!("\n  {name:<9}  {about}")).collect();
    format!(
        "Formats:{lines}\n\nExamples:\n  veil data export released --format graphml --out graph.graphml\n  \
         veil data export released --format edge-list --out edges.csv"
    )
}

/// What `--json` prints.
#[derive(Serialize)]
struct Exported {
    out: PathBuf,
    format: String,
    nodes: u32,
    edges: usize,
}

impl Export {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let Export { data, format, out } = self;
        write::refuse_if_there(&out)?;
        let bar = progress::working(output, &format!("reading {data}"));
        let dataset = pipeline::open(&data)?;
        if dataset.edges_withheld() {
            return usage(format!("{data} has no edges: its method releases numbers about them instead"));
        }
        bar.set_message("writing");
        match EXPORTS.iter().find(|export| export.name == format) {
            Some(export) => export.to(&dataset, &out, owner::is_closed(Path::new(&data)))?,
            None => save(&dataset, Some(&data), &out, Format::Parquet)?,
        }
        bar.finish_and_clear();
        let exported = Exported { out, format, nodes: dataset.nodes(), edges: dataset.graph().edges() };
        output.show(&exported, || {
            let Exported { out, format, nodes, edges } = &exported;
            format!("{} nodes, {} edges → {} ({format})", grouped(*nodes as usize), grouped(*edges), out.display())
        })
    }
}
