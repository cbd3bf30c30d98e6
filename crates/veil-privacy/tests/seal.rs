//! The seal, as the compiler sees it: code outside the crate cannot open it, look inside, or forge
//! a release.
//!
//! The wording of the compiler's messages changes between versions, so they are compared on one
//! version only; on others the `compile_fail` examples beside `Private`, `Released`, `Truth`,
//! `Permit` and `Coins` still must not compile.

use std::io::Write;
use std::process::Command;

/// The version that wrote the messages in `tests/seal`.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn code_outside_cannot_reach_private_data() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output().unwrap().stdout;
    let version = String::from_utf8_lossy(&version).into_owned();
    if !version.starts_with(COMPILER) {
        let _ = writeln!(std::io::stderr(), "skipped: the messages are those of {COMPILER}x, this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/seal/*.rs");
}
