//! `veil attack`: what an adversary finds in a trained model.
//!
//! The attacks and their flags are those of [`veil_attack::attack::ENTRIES`]. `edges` runs attacks
//! on edges, beside an edge-free twin; `posteriors` reads the table of another model. `membership`
//! tells the nodes that a model learned from.

mod edges;
mod membership;
mod posteriors;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};
use serde::Serialize;
use veil_attack::Attack;
use veil_attack::attack::{ENTRIES, Entry, find};
use veil_learn::metrics::RocPoint;
use veil_privacy::parameters::Settings;

use crate::commands::parameter_flags::{flag, settings};
use crate::csv;
use crate::failure::Failure;
use crate::files::new_files;
use crate::output::Output;

const EXAMPLES: &str = "Examples:\n  veil attack linkteller run --truth graph\n  \
    veil attack linkteller run --truth graph --surface model --influence difference --weights last   (as in the papers)\n  \
    veil attack linkteller run --truth graph --sample high-degree --nodes 200 --json\n  \
    veil attack lsa run --truth graph --metric cosine --csv lsa.csv --roc roc.csv\n  \
    veil attack lsa --posteriors theirs.csv --truth graph   (any model; columns node,0,1,…)\n  \
    veil attack membership run --truth graph\n  \
    veil attack membership run --truth parts/private --outside parts/outside --shadows 16";

/// Files of figures.
#[derive(Args)]
struct Tables {
    /// Write the figures with their intervals as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the ROC curve as CSV: of, false_positive_rate, true_positive_rate
    #[arg(long, value_name = "FILE")]
    roc: Option<PathBuf>,
}

impl Tables {
    /// Fails if a file is there already, before an attack that may take long.
    fn check(&self) -> Result<(), Failure> {
        new_files(&[&self.csv, &self.roc]).map(drop)
    }

    fn write(&self, figures: &[impl Serialize], curves: &[(&str, &[RocPoint])]) -> Result<(), Failure> {
        self.csv.iter().try_for_each(|path| csv::write_figures(path, figures))?;
        self.roc.iter().try_for_each(|path| csv::write_roc(path, curves.iter().copied()))
    }
}

/// One attack with its arguments.
pub struct AttackCommand {
    entry: &'static Entry,
    settings: Settings,
    target: Target,
}

enum Target {
    Edges(edges::EdgeArgs),
    Membership(membership::MembershipArgs),
}

fn is_on_edges(entry: &Entry) -> bool {
    matches!(entry.configure(&Settings::default()), Ok(Attack::Edges(_)))
}

fn command(entry: &'static Entry) -> Command {
    let command = Command::new(entry.name).about(entry.about);
    let command = match (is_on_edges(entry), entry.on_posteriors) {
        (true, on_posteriors) => {
            edges::EdgeArgs::augment_args(command).mut_arg("posteriors", |it| it.hide(!on_posteriors))
        }
        (false, _) => membership::MembershipArgs::augment_args(command),
    };
    command.args(entry.parameters().iter().map(flag))
}

impl Subcommand for AttackCommand {
    fn augment_subcommands(parent: Command) -> Command {
        parent.subcommands(ENTRIES.iter().map(command)).after_help(EXAMPLES)
    }

    fn augment_subcommands_for_update(parent: Command) -> Command {
        AttackCommand::augment_subcommands(parent)
    }

    fn has_subcommand(name: &str) -> bool {
        find(name).is_ok()
    }
}

impl FromArgMatches for AttackCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<AttackCommand, Error> {
        let missing = || Error::raw(ErrorKind::MissingSubcommand, "an attack is required");
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let entry = find(name).map_err(|error| Error::raw(ErrorKind::InvalidSubcommand, error))?;
        let target = if is_on_edges(entry) {
            Target::Edges(edges::EdgeArgs::from_arg_matches(matches)?)
        } else {
            Target::Membership(membership::MembershipArgs::from_arg_matches(matches)?)
        };
        Ok(AttackCommand { entry, settings: settings(matches, &entry.parameters()), target })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = AttackCommand::from_arg_matches(matches)?;
        Ok(())
    }
}

impl AttackCommand {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let AttackCommand { entry, settings, target } = self;
        match (entry.configure(&settings)?, target) {
            (Attack::Edges(attack), Target::Edges(args)) => args.run(&attack, entry, &settings, output),
            (Attack::Membership(params), Target::Membership(args)) => args.run(&params, output),
            _ => Err(Failure::Unexpected(format!("{} has the arguments of another attack", entry.name))),
        }
    }
}
