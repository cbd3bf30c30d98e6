//! The table of commands; each is a file or a folder, from arguments to result.

mod account;
mod attack;
mod audit;
mod bench;
mod choose;
mod completions;
mod data;
mod demo;
mod device;
mod evaluate;
pub mod interrupt;
mod keys;
mod lab;
mod ledger;
mod method_flags;
mod methods;
mod parameter_flags;
mod predict;
mod privatize;
mod publish;
mod report;
mod reproduce;
mod statement;
mod sweep;
mod terms;
mod train;
mod verify;

use clap::Subcommand;

use crate::failure::Failure;
use crate::output::Output;

#[derive(Subcommand)]
pub enum Command {
    /// Import, inspect, generate, fetch and split data sets
    #[command(subcommand)]
    Data(data::Data),
    Methods(methods::Methods),
    Choose(choose::Choose),
    Privatize(Box<privatize::Privatize>),
    Train(Box<train::Train>),
    Predict(predict::Predict),
    Publish(publish::Publish),
    Verify(verify::Verify),
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Attack a trained model to recover edges or infer membership
    #[command(subcommand)]
    Attack(attack::AttackCommand),
    Audit(Box<audit::AuditCommand>),
    /// Create, show, verify and back up ledgers
    #[command(subcommand)]
    Ledger(ledger::LedgerCommand),
    /// Compute the total privacy cost of many answers, as published and as proven
    #[command(subcommand)]
    Account(account::Account),
    Device(device::DeviceCommand),
    Demo(demo::Demo),
    #[command(subcommand)]
    Lab(lab::Lab),
    Completions(completions::Completions),
}

impl Command {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Command::Data(command) => command.run(output),
            Command::Methods(command) => command.run(output),
            Command::Choose(command) => command.run(output),
            Command::Privatize(command) => command.run(output),
            Command::Train(command) => command.run(output),
            Command::Predict(command) => command.run(output),
            Command::Publish(command) => command.run(output),
            Command::Verify(command) => command.run(output),
            Command::Keys(command) => command.run(output),
            Command::Attack(command) => command.run(output),
            Command::Audit(command) => command.run(output),
            Command::Ledger(command) => command.run(output),
            Command::Account(command) => command.run(output),
            Command::Device(command) => command.run(output),
            Command::Demo(command) => command.run(output),
            Command::Lab(command) => command.run(output),
            Command::Completions(command) => command.run(output),
        }
    }
}
