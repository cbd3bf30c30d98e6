//! `veil audit`: check the guarantee of a mechanism against the distribution of its code on small
//! inputs, against the arithmetic of its proof, and by guesses.
//!
//! The subjects and their flags are those of [`veil_attack::audit::subjects`]. `predictions` judges
//! the scores of another mechanism, `show` prints findings.

mod predictions;
mod show;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, ValueEnum};
use veil_attack::audit::{Audit, AuditError, Options, Subject, Verdict, every, find, generated, subjects};
use veil_graph::Dataset;
use veil_graph::write;
use veil_learn::pipeline;
use veil_privacy::Epsilon;
use veil_privacy::parameters::Settings;

use crate::commands::parameter_flags::{flag, settings};
use crate::commands::terms::DeclareFlags;
use crate::csv;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// The subcommand that audits everything.
const ALL: &str = "all";

const ABOUT: &str = "Check the guarantee of a mechanism: exactly, with canaries, or on a trained model";

const EXAMPLES: &str = "Examples:\n  \
    veil audit all --data graph --csv audit.csv\n  \
    veil audit graph-privatizer --data graph --epsilon 0.1 --alpha 0.5 --exact\n  \
    veil audit degree-vectors --unit edge-set --epsilon 2 --canaries 500 --json\n  \
    veil audit graph-privatizer --data graph --epsilon 0.1 --end-to-end --model gcn\n  \
    veil audit --predictions-in with.csv --predictions-out without.csv --epsilon 1\n\n\
    Verdicts:\n  \
    holds                  releases of small adjacent inputs keep the guarantee, over all coins of the code\n  \
    proof arithmetic holds declared thresholds and steps keep it; in the code nothing was found\n  \
    no violation found     shown with the violation that would have been detected\n  \
    violated               refuted by two inputs and an output, or by guesses (confidence 1 − 10⁻⁶)\n\n\
    Exit code 3: a guarantee is violated that is not known to be refuted (with --fail-on violated: any)";

/// Arguments of every audit.
#[derive(Args)]
struct Extent {
    /// Data set [default: a generated citation graph of 1,000 nodes]; mechanisms for labels and
    /// features read only its numbers of classes and dimensions, students use small built-in graphs
    #[arg(long)]
    data: Option<String>,
    #[command(flatten)]
    declare: DeclareFlags,
    /// ε of the guarantee [default: 1]
    #[arg(long)]
    epsilon: Option<Epsilon>,
    /// Compare exact distributions only, without canaries
    #[arg(long)]
    exact: bool,
    /// Largest number of canaries (in neighbour lists, at most half of the nodes); for students,
    /// the number of executions in each of two worlds
    #[arg(long, value_name = "N", default_value_t = Options::default().canaries)]
    canaries: usize,
    /// Largest number of adjacent pairs to compare exactly
    #[arg(long, value_name = "N", default_value_t = Options::default().pairs)]
    pairs: usize,
    /// Seed of pairs, canaries and noise
    #[arg(long, default_value_t = Options::default().seed)]
    seed: u64,
    /// Write the findings as CSV, one row per guarantee
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Exit with 3 on any violation, even of a guarantee known to be refuted
    #[arg(long, value_name = "VERDICT")]
    fail_on: Option<FailOn>,
}

/// What makes an audit fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Any violation.
    Violated,
}

/// Arguments of one subject.
#[derive(Args)]
struct EndToEnd {
    /// Train on a release with canaries, and guess the canaries from the model (LinkTeller)
    #[arg(long, conflicts_with = "exact")]
    end_to_end: bool,
}

/// What is audited, with the arguments of the command.
pub struct AuditCommand(What);

enum What {
    All(Extent),
    One { subject: &'static Subject, extent: Extent, end_to_end: bool, settings: Settings },
    Predictions(predictions::Files),
}

fn command(subject: &'static Subject) -> Command {
    let about = format!("{} (unit {})", subject.about, subject.unit);
    let command = Extent::augment_args(Command::new(subject.name)).about(about.clone());
    let command = command.args(subject.parameters().iter().map(|it| flag(it).help_heading(it.group.heading())));
    let training = subject.training_parameters();
    if training.is_empty() {
        return command;
    }
    let flags = training.iter().map(|it| flag(it).help_heading("End to end").requires("end_to_end"));
    EndToEnd::augment_args(command).about(about).args(flags)
}

impl Args for AuditCommand {
    fn augment_args(parent: Command) -> Command {
        let all = Extent::augment_args(Command::new(ALL)).about("Everything below, at one ε");
        let parent = predictions::Files::augment_args(parent).about(ABOUT).after_help(EXAMPLES);
        let parent = parent.subcommand(all).subcommands(subjects().iter().map(command));
        let parent = parent.subcommand_value_name("MECHANISM").subcommand_help_heading("Mechanisms");
        // An unknown mechanism is refused below, with the names of all.
        parent.allow_external_subcommands(true)
    }

    fn augment_args_for_update(parent: Command) -> Command {
        AuditCommand::augment_args(parent)
    }
}

impl FromArgMatches for AuditCommand {
    fn from_arg_matches(parent: &ArgMatches) -> Result<AuditCommand, Error> {
        let Some((name, matches)) = parent.subcommand() else {
            return predictions::Files::from_arg_matches(parent).map(|files| AuditCommand(What::Predictions(files)));
        };
        if parent.contains_id("predictions_in") {
            let problem = format!("{name} cannot be used with --predictions-in");
            return Err(Error::raw(ErrorKind::ArgumentConflict, problem));
        }
        let unknown = |error: AuditError| Error::raw(ErrorKind::InvalidSubcommand, error);
        let subject = if name == ALL { None } else { Some(find(name).map_err(unknown)?) };
        let extent = Extent::from_arg_matches(matches)?;
        let Some(subject) = subject else { return Ok(AuditCommand(What::All(extent))) };
        let training = subject.training_parameters();
        let end_to_end = !training.is_empty() && EndToEnd::from_arg_matches(matches)?.end_to_end;
        let settings = settings(matches, &subject.parameters()).overridden_by(&settings(matches, &training));
        Ok(AuditCommand(What::One { subject, extent, end_to_end, settings }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = AuditCommand::from_arg_matches(matches)?;
        Ok(())
    }
}

impl AuditCommand {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let (found, fail_on) = match self.0 {
            What::All(extent) => {
                extent.check_csv()?;
                (extent.all(output)?, extent.fail_on)
            }
            What::Predictions(files) => return files.judge(output),
            What::One { subject, extent, end_to_end, settings } => {
                extent.check_csv()?;
                let settings = subject.at(extent.epsilon, &settings)?;
                let bar = progress::working(output, &format!("auditing {}", subject.name));
                let (data, options) = (extent.data()?, extent.options());
                extent.check(subject, &data)?;
                let found = if end_to_end {
                    vec![subject.audit_end_to_end(&settings, &data, &options)?]
                } else {
                    subject.audit(&settings, &data, &options)?
                };
                bar.finish_and_clear();
                extent.write_csv(&found)?;
                show::show(&found, output)?;
                (found, extent.fail_on)
            }
        };
        refuse_violated(&found, fail_on)
    }
}

/// Fails if a guarantee is violated that is not known to be refuted, or any.
fn refuse_violated(found: &[Audit], fail_on: Option<FailOn>) -> Result<(), Failure> {
    let violated = found.iter().filter(|it| match fail_on {
        Some(FailOn::Violated) => it.verdict == Verdict::Violated,
        None => it.is_unexpected(),
    });
    let names: Vec<String> = violated.map(|it| format!("{} (status {})", show::named(it), it.claim.status)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let names = names.join(", ");
    let unexpected = found.iter().any(Audit::is_unexpected);
    let advice = if unexpected { "Do not use it, and report this (SECURITY.md)" } else { "This is known" };
    Err(Failure::Violated(format!("{names}: guarantee violated. {advice}")))
}

impl Extent {
    /// Audits everything.
    fn all(&self, output: &Output) -> Result<Vec<Audit>, Failure> {
        let (data, options) = (self.data()?, self.options());
        let every = every(self.epsilon)?;
        let bar = progress::counting(output, "auditing", every.len() as u64);
        let mut found: Vec<Audit> = Vec::new();
        for (subject, settings) in every {
            let refused = self.check(subject, &data).err();
            if let Some(refused) = refused {
                output.warning(&format!("{} was not audited: {refused}", subject.name));
                bar.inc(1);
                continue;
            }
            match subject.audit(&settings, &data, &options) {
                Ok(audits) => found.extend(audits),
                // A subject that these data do not allow does not stop the others.
                Err(error) => output.warning(&format!("{} was not audited: {error}", subject.name)),
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        self.write_csv(&found)?;
        show::show_all(&found, output)?;
        Ok(found)
    }

    /// Fails if the file of the findings is there already.
    fn check_csv(&self) -> Result<(), Failure> {
        Ok(self.csv.iter().try_for_each(|path| write::refuse_if_there(path))?)
    }

    fn write_csv(&self, found: &[Audit]) -> Result<(), Failure> {
        self.csv.iter().try_for_each(|path| csv::write_figures(path, found))
    }

    fn options(&self) -> Options {
        let Extent { pairs, seed, .. } = *self;
        Options { pairs, canaries: if self.exact { 0 } else { self.canaries }, seed }
    }

    fn check(&self, subject: &Subject, data: &Dataset) -> Result<(), Failure> {
        Ok(subject.check(data, self.declare.declared())?)
    }

    fn data(&self) -> Result<Dataset, Failure> {
        match &self.data {
            Some(data) => Ok(pipeline::open(data)?),
            None => Ok(generated()?),
        }
    }
}

#[cfg(test)]
mod tests {
    use veil_attack::audit::{Claim, Promise};
    use veil_privacy::{Status, Trust, Unit};

    use super::*;

    fn audit(status: Status, verdict: Verdict) -> Audit {
        let claim = Claim {
            mechanism: "edge-flip".to_owned(),
            parameters: "epsilon=1".to_owned(),
            unit: Unit::EdgeBit,
            trust: Trust::Local,
            claimed: Promise { epsilon: 1.0, delta: 0.0 },
            status,
        };
        Audit { claim, exact: None, code: None, canaries: None, verdict, witness: None }
    }

    #[test]
    fn only_a_violation_that_is_no_news_is_accepted() {
        for known in [audit(Status::Refuted, Verdict::Violated), audit(Status::Proven, Verdict::NothingFound)] {
            assert!(refuse_violated(&[known], None).is_ok());
        }
        for status in [Status::Proven, Status::Claimed] {
            let failure = refuse_violated(&[audit(status, Verdict::Violated)], None).unwrap_err();
            assert_eq!(failure.exit_code(), 3);
            assert!(failure.to_string().starts_with(&format!("edge-flip (status {status}): guarantee violated")));
        }
        let known = [audit(Status::Refuted, Verdict::Violated)];
        assert_eq!(refuse_violated(&known, Some(FailOn::Violated)).unwrap_err().exit_code(), 3);
        assert!(refuse_violated(&[audit(Status::Proven, Verdict::Holds)], Some(FailOn::Violated)).is_ok());
    }
}
