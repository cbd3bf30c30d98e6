//! `veil`: learn from private graphs, and know what was protected.
//!
//! Nothing but arguments, progress, tables and errors: what a command does lives in the library
//! crates.

mod commands;
mod csv;
mod environment;
mod failure;
mod files;
mod output;
mod progress;
mod table;
mod terminal;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Parser};

use output::Output;

const EXAMPLES: &str = "Examples:\n  veil demo\n  veil data info graph\n  \
    veil privatize graph --epsilon-features 3 --epsilon-labels 3 --ledger book.db --out released\n  \
    veil train graph --method degree-vectors --epsilon-edges 2 --epsilon-labels 3 --out run\n  \
    veil attack linkteller run --truth graph\n  \
    veil audit all --data graph\n\n\
    Exit codes: 0 success, 1 failure, 2 wrong usage, 3 guarantee violated, 130 interrupted.";

fn long_help() -> String {
    format!("{EXAMPLES}\n\n{}", environment::described())
}

/// Train on graphs with private edges, features and labels, and state what is protected
#[derive(Parser)]
#[command(name = "veil", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
struct Cli {
    #[command(flatten)]
    style: Style,
    #[command(subcommand)]
    command: commands::Command,
}

/// How a command talks.
#[derive(Args)]
struct Style {
    /// Print JSON instead of tables
    #[arg(long, global = true, display_order = 100)]
    json: bool,
    /// Hide progress
    #[arg(long, short, global = true, display_order = 101)]
    quiet: bool,
}

/// Ctrl-C, or being told to end: leaves nothing half written.
fn interrupted() {
    let abandoned = veil_graph::write::abandon_unfinished();
    commands::interrupt::release_runs();
    let unfinished = match abandoned.left() {
        [] if commands::interrupt::is_resumable() => "the same command resumes".to_owned(),
        [] => "unfinished files are removed".to_owned(),
        left => {
            let paths: Vec<String> = left.iter().map(|path| path.display().to_string()).collect();
            format!("unfinished files could not be removed: {}", paths.join(", "))
        }
    };
    let _ = writeln!(std::io::stderr(), "interrupted: {unfinished}; ledger charges remain");
    std::process::exit(130);
}

/// Shows help, or what is wrong with the arguments: as JSON if that was asked for.
fn wrong_usage(error: &clap::Error) -> ExitCode {
    let asked_for_json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && asked_for_json {
        let text = error.to_string();
        let text = text.trim().trim_start_matches("error: ");
        Output::new(true, true).failure(&failure::Failure::Usage(text.to_owned()));
    } else {
        // If it cannot be shown there is nobody to tell.
        let _ = error.print();
    }
    ExitCode::from(error.exit_code() as u8)
}

fn main() -> ExitCode {
    keep_quiet_about_contained_panics();
    // Without a handler (some sandboxes allow none) an interrupt leaves a hidden folder behind, and
    // nothing worse.
    let _ = ctrlc::set_handler(interrupted);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong_usage(&error),
    };
    let output = Output::new(cli.style.json, cli.style.quiet);
    match cli.command.run(&output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failure(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Panics that are caught become errors, or an answer that says nothing: what a hook prints of them
/// is not to be read.
fn keep_quiet_about_contained_panics() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !veil_graph::is_caught() {
            hook(info);
        }
    }));
}
