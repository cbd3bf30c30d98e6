//! `veil`: learn from private graphs, and know what was protected.
//!
//! Nothing but arguments, progress, tables and errors: what a command does lives in the library crates.

mod commands;
mod failure;
mod output;
mod progress;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use output::Output;

/// Learn from graphs whose edges, features and labels are private, and know what was protected.
#[derive(Parser)]
#[command(name = "veil", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Examples:\n  veil demo\n  veil data info graph\n  \
    veil privatize graph --epsilon-features 3 --epsilon-labels 3 --ledger book.db --out released\n  \
    veil train graph --edges degree-vectors --epsilon-edges 2 --epsilon-labels 3 --out run\n  \
    veil attack linkteller run --truth graph\n  \
    veil audit all --data graph\n\n\
    Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.")]
struct Cli {
    #[command(flatten)]
    style: Style,
    #[command(subcommand)]
    command: Command,
}

/// How a command talks.
#[derive(Args)]
struct Style {
    /// Print JSON for machines instead of tables for people
    #[arg(long, global = true, display_order = 100)]
    json: bool,
    /// Show no progress
    #[arg(long, short, global = true, display_order = 101)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Look at data sets, convert, generate, fetch and split them
    #[command(subcommand)]
    Data(commands::data::Data),
    /// Release features, labels and edges with a privacy guarantee
    Privatize(Box<commands::privatize::Privatize>),
    /// Train a model on what users report, or on what the owner of a graph releases of it
    Train(Box<commands::train::Train>),
    /// Score several ways to release labels with teachers that are trained once
    Evaluate(Box<commands::evaluate::Evaluate>),
    /// Say what a trained model predicts for nodes
    Predict(commands::predict::Predict),
    /// Try to find in a trained model what is private: edges, or from whom it learned
    #[command(subcommand)]
    Attack(commands::attack::Attack),
    /// Check what a mechanism promises, from its code's real distribution
    Audit(Box<commands::audit::AuditCommand>),
    Sweep(Box<commands::sweep::SweepCommand>),
    /// Say what the answers of a teacher cost together, as papers count and as is proven
    #[command(subcommand)]
    Account(commands::account::Account),
    /// Keep the book of what was released from a private data set
    #[command(subcommand)]
    Ledger(commands::ledger::LedgerCommand),
    /// Run one node's part of a protocol on that node's own data
    Device(commands::device::DeviceCommand),
    /// Measure how fast this is on this machine
    #[command(subcommand)]
    Bench(commands::bench::Bench),
    /// Run a published table again, and show ours beside theirs
    Reproduce(commands::reproduce::Reproduce),
    /// Show what a sweep, or some runs, say together: one HTML file that needs nothing else
    Report(commands::report::ReportCommand),
    /// Show the main job on a built-in graph
    Demo(commands::demo::Demo),
}

/// Ctrl-C, or being told to end: leaves nothing half written.
fn interrupted() {
    let abandoned = veil_graph::write::abandon_unfinished();
    commands::resuming::let_go();
    let unfinished = match abandoned.left() {
        [] if commands::resuming::is_resumable() => "the same command goes on where it was".to_owned(),
        [] => "what was unfinished is removed".to_owned(),
        left => {
            let paths: Vec<String> = left.iter().map(|path| path.display().to_string()).collect();
            format!("what was unfinished could not be removed: {}", paths.join(", "))
        }
    };
    let _ = writeln!(std::io::stderr(), "interrupted: {unfinished}; what a ledger was charged stays charged");
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
    // Without a handler (some sandboxes allow none) an interrupt leaves a hidden folder behind, and nothing worse.
    let _ = ctrlc::set_handler(interrupted);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong_usage(&error),
    };
    let output = Output::new(cli.style.json, cli.style.quiet);
    let done = match cli.command {
        Command::Data(data) => data.run(&output),
        Command::Privatize(privatize) => privatize.run(&output),
        Command::Train(train) => train.run(&output),
        Command::Evaluate(evaluate) => evaluate.run(&output),
        Command::Predict(predict) => predict.run(&output),
        Command::Attack(attack) => attack.run(&output),
        Command::Audit(audit) => audit.run(&output),
        Command::Sweep(sweep) => sweep.run(&output),
        Command::Account(account) => account.run(&output),
        Command::Ledger(ledger) => ledger.run(&output),
        Command::Device(device) => device.run(&output),
        Command::Bench(bench) => bench.run(&output),
        Command::Reproduce(reproduce) => reproduce.run(&output),
        Command::Report(report) => report.run(&output),
        Command::Demo(demo) => demo.run(&output),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failure(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Panics that are caught become errors, or an answer that says nothing: what a hook prints of them is not to be read.
fn keep_quiet_about_contained_panics() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !veil_graph::is_caught() {
            hook(info);
        }
    }));
}
