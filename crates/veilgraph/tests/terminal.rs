//! Stories about what a terminal shows, and what a pipe gets.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use world::{World, text};

/// What a command shows on a terminal that is so wide.
fn on_a_terminal(home: &World, columns: u16, words: &str, environment: &[(&str, &str)]) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let screen = File::options().read(true).write(true).open(name).unwrap();
    tcsetwinsize(&screen, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let mut command = home.command();
    command.args(words.split_whitespace()).env("TERM", "xterm").env_remove("NO_COLOR").env_remove("CI");
    command.envs(environment.iter().copied()).stdout(Stdio::from(screen)).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    // The screen closes with the last process that has it open.
    drop(command);
    let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
    let mut terminal = File::from(terminal);
    while let Ok(count @ 1..) = terminal.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..count]);
    }
    assert!(child.wait().unwrap().success());
    String::from_utf8(shown).unwrap().replace('\r', "")
}

/// Without what sets colours.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn everything_fits_a_terminal() {
    let home = World::with_citation_graph();
    for columns in [80, 50] {
        for words in ["methods", "data list", "data info graph", "audit edge-flip --exact", "lab reproduce"] {
            let shown = on_a_terminal(&home, columns, words, &[]);
            for line in plain(&shown).lines() {
                // A word that is longer than a line stays whole.
                let fits = line.chars().count() <= usize::from(columns) || line.split_whitespace().count() == 1;
                assert!(fits, "{words}, {columns}: {line}\n{shown}");
            }
        }
    }
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let home = World::new();
    let is_coloured =
        |environment: &[(&str, &str)]| on_a_terminal(&home, 80, "methods", environment).contains('\u{1b}');
    assert!(is_coloured(&[]));
    assert!(!is_coloured(&[("NO_COLOR", "1")]) && !is_coloured(&[("TERM", "dumb")]));
    assert!(!home.veil("methods").succeeds().stdout().contains('\u{1b}'));
}

#[test]
fn answers_are_cut_on_a_terminal_and_whole_in_a_pipe() {
    let home = World::with_citation_graph();
    home.veil("train graph --method mlp --epochs 2 --seed 1 --out run").succeeds();
    let shown = on_a_terminal(&home, 80, "predict run", &[]);
    assert!(shown.contains("… and 250 more: --csv FILE"), "{shown}");
    assert!(shown.lines().count() < 60);
    let piped = home.veil("predict run").succeeds().stdout();
    let mut lines = piped.lines();
    assert_eq!(lines.next(), Some("node\tclass\tprobability"));
    assert!(lines.clone().count() == 300 && lines.all(|line| line.split('\t').count() == 3));
}

#[test]
fn figures_of_attacks_and_audits_are_tables() {
    let home = World::with_citation_graph();
    home.veil("train graph --method gnn --epochs 5 --seed 1 --out run").succeeds();
    let said = home.shown("attack lsa run --truth graph --csv lsa.csv --roc roc.csv");
    let (figures, roc) = (text(&home, "lsa.csv"), text(&home, "roc.csv"));
    let rows: Vec<Vec<&str>> = figures.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|it| *it == name).unwrap_or_else(|| panic!("{name}: {figures}"));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1][column("auc")], said["auc"].to_string());
    assert_eq!(rows[1][column("auc_ci_high")], said["auc_ci"][1].to_string());
    // The area under the corners is the AUC.
    let corners = |of: &str| -> Vec<[f64; 2]> {
        let lines = roc.lines().filter(|line| line.starts_with(of));
        let rates = lines.map(|line| line.split(',').skip(1).map(|rate| rate.parse().unwrap()).collect::<Vec<f64>>());
        rates.map(|rates| [rates[0], rates[1]]).collect()
    };
    for (of, auc) in [("attacked,", &said["auc"]), ("edge-free twin,", &said["auc_edge_free"])] {
        let corners = corners(of);
        let area: f64 = corners.windows(2).map(|it| (it[1][0] - it[0][0]) * (it[0][1] + it[1][1]) / 2.0).sum();
        assert!((area - auc.as_f64().unwrap()).abs() < 1e-9, "{of} {area} {auc}");
    }
    home.veil("attack lsa run --truth graph --csv lsa.csv").fails_with(1).says("lsa.csv already exists");
    home.veil("attack lsa run --truth graph --csv a.csv --roc a.csv").fails_with(2).says("a.csv is named twice");
    home.veil("attack membership run --truth graph --shadows 4 --csv members.csv --roc members-roc.csv").succeeds();
    assert_eq!(text(&home, "members.csv").lines().count(), 6);
    assert!(text(&home, "members-roc.csv").contains("\nlikelihood-ratio,"));
    home.veil("audit lpgnet --exact --csv audit.csv").succeeds();
    let audited = text(&home, "audit.csv");
    assert!(audited.starts_with("claimed_delta,claimed_epsilon,") && audited.contains(",proven,"), "{audited}");
}

#[test]
fn shells_complete_and_manuals_are_written() {
    let home = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.veil(&format!("completions {shell}")).succeeds().stdout();
        for part in ["split-private", "epsilon-edges", "cascade-local"] {
            assert!(script.contains(part), "{shell}: {part}");
        }
    }
    home.veil("completions").fails_with(2);
    home.veil("completions tcsh").fails_with(2).says("bash");
    home.veil("completions --man man").succeeds();
    let pages = home.list("man");
    for page in ["veil.1", "veil-train.1", "veil-data-import.1", "veil-audit-lpgnet.1"] {
        assert!(pages.iter().any(|it| it == page), "{page}: {pages:?}");
    }
    let (first, train) = (text(&home, "man/veil.1"), text(&home, "man/veil-train.1"));
    assert!(first.contains("VEIL\\_CACHE") || first.contains("VEIL_CACHE"), "{first}");
    assert!(train.contains("class\\-sums") || train.contains("class-sums"));
    home.veil("completions --man man").fails_with(1).says("man already exists");
}

/// Help is short with -h; --help also has what does not fit there, such as the environment, which
/// the documents repeat.
#[test]
fn help_is_short_and_long() {
    let home = World::new();
    let help = |words: &str| home.veil(words).succeeds().stdout();
    for words in ["", "data import ", "train ", "predict ", "completions "] {
        let (short, long) = (help(&format!("{words}-h")), help(&format!("{words}--help")));
        assert!(short.lines().count() <= long.lines().count(), "{words}");
    }
    let (short, long) = (help("-h"), help("--help"));
    assert!(!short.contains("Environment:"));
    let documented = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md")).unwrap();
    let (_, environment) = long.split_once("Environment:\n").unwrap();
    let names: Vec<&str> = environment.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"VEIL_CACHE") && names.contains(&"NO_COLOR"), "{names:?}");
    for name in names {
        assert!(documented.contains(&format!("| `{name}` |")), "{name}");
    }
}

/// A release leaves for other programs, and comes back as the same graph.
#[test]
fn a_released_graph_is_exported() {
    let home = World::with_citation_graph();
    home.veil("privatize graph --method dpgcn --graph lapgraph --epsilon-edges 4 --seed 1 --out released").succeeds();
    let edges = home.shown("data info released")["edges"].clone();
    for (format, out) in [("graphml", "graph.graphml"), ("edge-list", "edges.csv"), ("parquet", "tables")] {
        let made = home.shown(&format!("data export released --format {format} --out {out}"));
        assert_eq!(made["edges"], edges, "{format}");
        assert_eq!(home.shown(&format!("data info {out}"))["edges"], edges, "{format}");
    }
    home.veil("data export released --format graphml --out edges.csv").fails_with(1).says("already exists");
    home.veil("data export released --format gexf --out g").fails_with(2).says("graphml, edge-list, parquet");
    // What has no edges is not an empty graph.
    home.veil("privatize graph --method degree-vectors --epsilon-edges 4 --epsilon-labels 3 --declare-public nodes,classes --split 0.5,0.25,0.25 --out counts")
        .succeeds();
    home.veil("data export counts --format graphml --out no").fails_with(2).says("has no edges");
}
