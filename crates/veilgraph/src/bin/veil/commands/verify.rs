//! `veil verify`: whether a folder is as its owner wrote it, and says what its mechanisms imply.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use veil_learn::Run;
use veil_learn::publication::{self, Answers};
use veil_privacy::Statement;
use veil_privacy::integrity::{self, Digests, Integrity, IntegrityError, PublicKey};
use veil_privacy::release::Privatised;

use super::statement::all;
use crate::failure::Failure;
use crate::output::Output;

/// Verify a release or a published folder
///
/// Compares every file with the digests, the digests with the signature, and every guarantee of the
/// statement with what its mechanism and parameters imply. Without a signature, only accidental
/// change is noticed.
#[derive(Args)]
#[command(after_help = "Examples:\n  veil verify published\n  veil verify published --public-key owner.pub")]
pub struct Verify {
    /// Folder of a release, or one that veil publish wrote
    folder: PathBuf,
    /// Public key of the owner: the folder must be signed by it
    #[arg(long, value_name = "FILE")]
    public_key: Option<PathBuf>,
}

#[derive(Serialize)]
struct Shown {
    folder: PathBuf,
    integrity: String,
    signed: bool,
    statement: Statement,
    /// Other releases that the answers depend on.
    others: Vec<Statement>,
}

impl Verify {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let folder = self.folder;
        let integrity = match &self.public_key {
            None => integrity::check(&folder)?,
            Some(key) => integrity::check_signed(&folder, &PublicKey::read(key)?)?,
        };
        // A run folder is for its owner, and has no digests: only its release has.
        let Some(digests) = Digests::read(&folder)? else { return Err(IntegrityError::NoDigests { folder }.into()) };
        let differences = digests.compare(&folder)?;
        if !differences.is_empty() {
            return Err(IntegrityError::Changed { folder, differences }.into());
        }
        let statements: Vec<Statement> = if folder.join("run.json").is_file() {
            Run::open(&folder)?.statements().into_iter().cloned().collect()
        } else if Answers::are_in(&folder) {
            Answers::open(&folder)?;
            publication::statements(&folder)?
        } else {
            vec![Privatised::open(&folder)?.statement().clone()]
        };
        let signed = matches!(integrity, Integrity::Signed(_));
        let described = all(&statements);
        let mut statements = statements.into_iter();
        let Some(statement) = statements.next() else { return Ok(()) };
        let others = statements.collect();
        let shown = Shown { folder, integrity: integrity.to_string(), signed, statement, others };
        output.show(&shown, || {
            let Shown { folder, integrity, .. } = &shown;
            format!(
                "{} is as it was written; {integrity}\nits mechanisms and parameters imply these guarantees:\n\
                 {described}",
                folder.display()
            )
        })
    }
}
