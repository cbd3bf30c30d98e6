//! `veil keys`: the keys with which an owner signs folders.

use std::path::PathBuf;

use clap::Subcommand;
use serde::Serialize;
use veil_graph::write::{self, owner};
use veil_privacy::integrity::{self, SigningKey};

use crate::failure::Failure;
use crate::output::Output;

/// Create a signing key, and sign folders with it
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil keys new owner.key\n  veil keys sign released --key owner.key")]
pub enum Keys {
    /// Create an Ed25519 key: FILE holds the secret key, the same name with .pub the public key
    #[command(after_help = "Examples:\n  veil keys new owner.key")]
    New {
        /// Key file to create
        path: PathBuf,
    },
    /// Sign a release or published folder
    #[command(after_help = "Examples:\n  veil keys sign released --key owner.key")]
    Sign {
        /// Folder with digests
        folder: PathBuf,
        /// Key file from veil keys new
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
}

#[derive(Serialize)]
struct Shown {
    path: PathBuf,
    public_key: String,
}

impl Keys {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Keys::New { path } => {
                let key = SigningKey::from_os()?;
                let public = path.with_extension("pub");
                if public.exists() {
                    return Err(Failure::Usage(format!("{} already exists", public.display())));
                }
                owner::write_new(&path, key.to_pem()?.as_bytes())?;
                write::write_guarded_file(&public, key.public().to_pem()?.as_bytes())?;
                let shown = Shown { public_key: key.public().to_string(), path };
                output.show_made(&shown.path, &shown, || {
                    format!(
                        "made {} (secret) and {} (publish it)\npublic key {}",
                        shown.path.display(),
                        public.display(),
                        shown.public_key
                    )
                });
            }
            Keys::Sign { folder, key } => {
                let key = SigningKey::read(&key)?;
                // A folder that changed since it was written is not worth a signature.
                integrity::check(&folder)?;
                integrity::sign(&folder, &key)?;
                let shown = Shown { public_key: key.public().to_string(), path: folder };
                output.show_made(&shown.path, &shown, || {
                    format!("signed {} by the key {}", shown.path.display(), shown.public_key)
                });
            }
        }
        Ok(())
    }
}
