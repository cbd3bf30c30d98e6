//! `veil data list` and `veil data fetch`: data sets that are known by name.

use serde::Serialize;
use veil_graph::catalogue::{self, Entry, FetchProgress};
use veil_graph::read::{self, ReadError};
use veil_graph::write;

use veil_learn::pipeline::{cache, kept};

use super::show_written;
use crate::failure::Failure;
use crate::output::{Output, grouped, table};
use crate::progress;

pub fn list(output: &Output) -> Result<(), Failure> {
    let listed: Vec<Listed> = catalogue::all().iter().map(Listed::new).collect();
    output.show(&listed, || {
        let rows = listed.iter().map(|entry| {
            vec![
                entry.name.to_owned(),
                grouped(entry.nodes as usize),
                grouped(entry.edges),
                grouped(entry.features),
                entry.classes.to_string(),
                entry.licence.split(" (").next().unwrap_or_default().to_owned(),
                if entry.verified { "verified" } else { "not verified" }.to_owned(),
                if entry.fetched { "yes" } else { "" }.to_owned(),
            ]
        });
        let columns = ["name", ">nodes", ">edges", ">features", ">classes", "licence", "source", "fetched"];
        table(&columns, rows) + "\n\"not verified\": the source is as published, but could not be checked from here"
    })
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    about: &'static str,
    nodes: u32,
    edges: usize,
    features: usize,
    classes: u32,
    licence: &'static str,
    source: &'static str,
    verified: bool,
    fetched: bool,
}

impl Listed {
    fn new(entry: &Entry) -> Listed {
        Listed {
            name: entry.name,
            about: entry.about,
            nodes: entry.expected.nodes,
            edges: entry.expected.edges,
            features: entry.expected.features,
            classes: entry.expected.classes,
            licence: entry.licence,
            source: entry.home,
            verified: entry.verified(),
            fetched: cache().is_ok_and(|cache| kept(entry, &cache).exists()),
        }
    }
}

pub fn fetch(name: &str, output: &Output) -> Result<(), Failure> {
    let entry = catalogue::find(name)
        .ok_or_else(|| Failure::Usage(format!("no data set is known as {name:?}: `veil data list` shows the names")))?;
    let cache = cache()?;
    let kept = kept(entry, &cache);
    if !kept.exists() {
        let bar = progress::downloading(output);
        let raw = catalogue::fetch(entry, &cache, &mut |progress: FetchProgress<'_>| {
            bar.set_message(format!("{} ({} of {})", progress.file, progress.number, progress.files));
            bar.set_position(progress.received);
            if let Some(total) = progress.total {
                bar.set_length(total);
            }
        })?;
        bar.finish_and_clear();
        let dataset = entry
            .finish(read::open(&raw)?)
            .map_err(|source| ReadError::Inconsistent { place: read::Place::file(&raw), source })?;
        match entry.expected.check(&dataset) {
            Err(error) if error.verified => return Err(Failure::Unexpected(error.to_string())),
            Err(error) => output.warning(&error.to_string()),
            Ok(()) => {}
        }
        write::write_folder(&dataset, &kept)?;
    }
    show_written(output, &read::open(&kept)?, &kept, None)
}
