//! For tests: the real data sets beside the workspace, if available.

use std::io::Write;
use std::path::PathBuf;

/// The folder of a real data set, or `None` to skip the test. Printed past the test harness, so
/// that continuous integration can count.
pub(crate) fn real_data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(name);
    let found = path.exists();
    let line =
        if found { format!("on real data: {name}") } else { format!("no real data: skipped, {name} is not here") };
    let _ = writeln!(std::io::stderr(), "{line}");
    found.then_some(path)
}
