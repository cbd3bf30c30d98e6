//! The README as a session: every command in it runs, in its order, in one folder.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use std::path::Path;
use std::process::Command;

use world::World;

/// Blocks that are not run here: the build itself, what the demo prints, and the lines of Python,
/// which have tests of their own.
const NOT_RUN: [&str; 3] = ["make demo", "A generated citation graph", "import veilgraph as vg"];

/// The only command that is left out, because it takes minutes in this profile.
const TOO_LONG: &str = "veil audit all --data graph";

/// The code blocks of a document.
fn blocks(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split("\n```").collect();
    assert_eq!(parts.len() % 2, 1, "every block is closed");
    // Behind the fence may stand a language.
    let inside = parts.iter().skip(1).step_by(2).map(|part| part.split_once('\n').map_or("", |(_, code)| code));
    inside.map(str::to_owned).collect()
}

#[test]
fn the_readme_is_a_session_that_runs() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let (mut sessions, mut others) = (Vec::new(), Vec::new());
    for block in blocks(&readme) {
        if block.starts_with("veil ") { sessions.push(block) } else { others.push(block) }
    }
    assert_eq!(others.len(), NOT_RUN.len(), "{others:?}");
    assert!(others.iter().zip(NOT_RUN).all(|(block, begins)| block.starts_with(begins)), "{others:?}");
    assert!(sessions.len() > 5);
    assert_eq!(sessions.iter().flat_map(|it| it.lines()).filter(|line| line.starts_with(TOO_LONG)).count(), 1);

    let home = World::new();
    let veil = Path::new(env!("CARGO_BIN_EXE_veil"));
    // A stand-in for the data that `veil data fetch` would download.
    assert!(!sessions.concat().contains("data fetch"), "a test has no network");
    let path = std::env::join_paths(
        std::iter::once(veil.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let path = path.unwrap();
    for session in &sessions {
        let session: String =
            session.lines().filter(|line| !line.starts_with(TOO_LONG)).map(|line| format!("{line}\n")).collect();
        let output = Command::new("sh")
            .args(["-e", "-c", &session])
            .current_dir(home.path("."))
            .env("PATH", &path)
            .env("VEIL_CACHE", home.path("cache"))
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
        assert!(output.status.success(), "{session}\n{}\n{}", said[0], said[1]);
    }
    // What the text promises of them.
    for made in
        ["graph", "released/privacy.md", "run", "published/privacy.html", "answers.csv", "student", "parts/private"]
    {
        assert!(home.path(made).exists(), "{made}");
    }
}
