//! `veil completions`: scripts for shells, and manual pages, made from the arguments themselves.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use veil_graph::write::{self, WriteError};
use veil_learn::method;

use crate::Cli;
use crate::failure::Failure;
use crate::output::Output;

/// Print the completions of a shell, or write manual pages
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil completions bash > ~/.local/share/bash-completion/completions/veil\n  \
    veil completions zsh > ~/.zfunc/_veil                 (a folder of $fpath)\n  \
    veil completions fish > ~/.config/fish/completions/veil.fish\n  \
    veil completions --man ~/.local/share/man/man1        (a new folder, one page per command)")]
pub struct Completions {
    /// Shell that completes `veil`
    #[arg(required_unless_present = "man")]
    shell: Option<Shell>,
    /// Write manual pages to this new folder
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    man: Option<PathBuf>,
}

impl Completions {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let command = complete();
        match (self.shell, self.man) {
            (Some(shell), _) => {
                let mut script = Vec::new();
                let mut command = command;
                clap_complete::generate(shell, &mut command, "veil", &mut script);
                let script = String::from_utf8_lossy(&script).into_owned();
                output.show_verbatim(&serde_json::json!({ "shell": shell.to_string(), "script": script }), &script)
            }
            (None, Some(folder)) => {
                let pages = pages(command, &folder)?;
                output.show(&serde_json::json!({ "folder": folder, "pages": pages }), || {
                    format!("{} manual pages → {}", pages.len(), folder.display())
                })
            }
            (None, None) => Err(Failure::Usage("a shell or --man is required".to_owned())),
        }
    }
}

/// All commands with all flags, also those of a method, which help shows with the method alone.
fn complete() -> Command {
    let names = || PossibleValuesParser::new(method::entries().iter().map(|entry| entry.name));
    ["train", "privatize"].into_iter().fold(Cli::command(), |command, name| {
        command.mut_subcommand(name, |own| {
            own.mut_args(|argument| argument.hide(false)).mut_arg("method", |argument| argument.value_parser(names()))
        })
    })
}

/// Writes a page for each command; returns their names.
fn pages(command: Command, folder: &Path) -> Result<Vec<String>, Failure> {
    write::atomically(folder, |draft| {
        clap_mangen::generate_to(command, draft).map_err(WriteError::io(draft))?;
        let found = std::fs::read_dir(draft).map_err(WriteError::io(draft))?;
        let mut pages: Vec<String> =
            found.flatten().map(|page| page.file_name().to_string_lossy().into_owned()).collect();
        pages.sort();
        Ok(pages)
    })
}
