//! What attacks found in runs: files that `veil attack … --json` printed.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use veil_lab::Outcome;

use super::runs::is_run;
use crate::failure::Failure;

/// As much of an attack on edges as the page shows.
#[derive(Deserialize)]
struct Attacked {
    attack: String,
    auc: f64,
}

/// Puts figures into the outcomes of the runs that are named. Outcomes are those of the run folders, in their order.
pub fn add(outcomes: &mut [Outcome], folders: &[PathBuf], said: &[String]) -> Result<(), Failure> {
    for said in said {
        let of_run = |folder: &Path| said.strip_prefix(&format!("{}=", folder.display()));
        let mut runs = folders.iter().filter(|folder| is_run(folder)).zip(&mut *outcomes);
        let Some((file, outcome)) = runs.find_map(|(folder, outcome)| Some((of_run(folder)?, outcome))) else {
            return Err(Failure::Usage(format!(
                "--attack {said}: expected RUN=FILE with one of the runs, written as among them"
            )));
        };
        let text = std::fs::read_to_string(file).map_err(|source| Failure::Unreadable { path: file.into(), source })?;
        let found = serde_json::from_str::<Attacked>(&text).ok().filter(|found| (0.0..=1.0).contains(&found.auc));
        let Some(Attacked { attack, auc }) = found else {
            return Err(Failure::Usage(format!("{file} is not what veil attack linkteller or lsa prints with --json")));
        };
        if outcome.figures.insert(format!("{attack}_auc"), auc).is_some() {
            return Err(Failure::Usage(format!("--attack {said}: {attack} is there twice for this run")));
        }
    }
    Ok(())
}
