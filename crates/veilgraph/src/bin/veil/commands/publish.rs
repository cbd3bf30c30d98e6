//! `veil publish`: the folder that may be handed over.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use veil_learn::publication::{self, Publication};
use veil_privacy::fact::Declarations;
use veil_privacy::integrity::{self, Integrity, SigningKey};
use veil_privacy::{Statement, Status};

use super::statement::all;
use crate::failure::Failure;
use crate::output::Output;

/// Make the folder of a run that may be handed over
///
/// A run folder also holds scores, timings and perhaps raw data. The published folder has the model
/// or its answers, the privacy statement, and digests: nothing else.
#[derive(Args)]
#[command(after_help = "Examples:\n  veil publish run --out published\n  \
    veil publish run --answers-only --sign owner.key --out answers\n  \
    veil publish run --declare-public features,labels --out published")]
pub struct Publish {
    /// Run folder written by veil train
    run: PathBuf,
    /// Output folder
    #[arg(long)]
    out: PathBuf,
    /// Publish the answers only, without the model or the release it reads
    #[arg(long)]
    answers_only: bool,
    /// Data that you declare public: features, labels
    #[arg(long, value_name = "FACTS")]
    declare_public: Option<Declarations>,
    /// Also publish guarantees with this status
    #[arg(long, value_name = "STATUS")]
    accept: Vec<Status>,
    /// Key file that signs the folder (veil keys new)
    #[arg(long, value_name = "FILE")]
    sign: Option<PathBuf>,
}

#[derive(Serialize)]
struct Shown {
    out: PathBuf,
    integrity: String,
    statement: Statement,
    /// Other releases that the answers depend on.
    others: Vec<Statement>,
}

impl Publish {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let key = self.sign.as_deref().map(SigningKey::read).transpose()?;
        let how = Publication {
            answers_only: self.answers_only,
            accept: &self.accept,
            declare: self.declare_public.unwrap_or_default(),
            key: key.as_ref(),
        };
        let statements = publication::publish(&self.run, &self.out, &how)?;
        let integrity: Integrity = integrity::check(&self.out)?;
        let described = all(&statements);
        let mut statements = statements.into_iter();
        let Some(statement) = statements.next() else { return Ok(()) };
        let others = statements.collect();
        let shown = Shown { out: self.out, integrity: integrity.to_string(), statement, others };
        output.show_made(&shown.out, &shown, || {
            let Shown { out, integrity, .. } = &shown;
            format!("published to {}; {integrity}\n{described}", out.display())
        });
        Ok(())
    }
}
