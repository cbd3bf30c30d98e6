//! `veil demo`: the methods side by side, on a graph that is made up on the spot.
//!
//! `methods` trains, attacks and audits each of them. `book` releases something with a ledger, as an owner would, so that there is a statement to
//! read and a budget that says no.

mod book;
mod methods;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use veil_graph::generate::Community;
use veil_graph::write::{self, WriteError};
use veil_lab::{Promised, Report};
use veil_privacy::Private;

use crate::commands::report::made;
use crate::failure::Failure;
use crate::output::{Output, grouped, percent, rounded_up, table};
use crate::progress;

/// Show the main job on a built-in graph
#[derive(Args)]
#[command(after_help = "Example:\n  veil demo --out demo")]
pub struct Demo {
    /// The folder to make; an earlier demo in it is replaced
    #[arg(long, default_value = "demo")]
    out: PathBuf,
}

/// Tells a folder that a demo made from one that somebody else did.
const MARK: &str = ".veil-demo";

/// What a demo makes, besides its mark.
const MADE: [&str; 4] = ["graph", "released", "ledger.db", "report.html"];

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    out: &'a Path,
    nodes: u32,
    edges: usize,
    methods: Vec<methods::Row>,
    ledger: veil_privacy::ledger::Report,
    refused: String,
    seconds: f64,
}

impl Demo {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let start = Instant::now();
        prepare(&self.out)?;
        let data = Community::citation().check()?.generate(1);
        let (nodes, edges) = (data.nodes(), data.graph().edges());
        let bar = progress::counting(output, "training and attacking", methods::trainings());
        bar.enable_steady_tick(std::time::Duration::from_millis(200));
        write::write_folder(&data, &self.out.join("graph"))?;
        let methods::Found { rows, outcomes, graph } = methods::all(&data, &|| bar.inc(1))?;
        bar.finish_and_clear();
        let bar = progress::working(output, "releasing with a ledger");
        let book::Booked { ledger, refused, statement } = book::release(&Private::seal(data), &self.out)?;
        let mut report = Report::new("What was learned, and what was protected", &outcomes, made());
        report.floor = Some(methods::FLOOR.to_owned());
        report.non_private = Some(methods::NON_PRIVATE.to_owned());
        report.graphs = graph.into_iter().collect();
        let scored = format!(
            "PrivGNN and class sums on a public part of the graph, on whose {} training nodes they learn; the others on the test nodes of the whole. \
             So their gap to the GCN is also one between nodes.",
            methods::PUBLIC
        );
        report.parameters = vec![("accuracy".to_owned(), scored)];
        let about = "Features and labels in the folder released, which the ledger paid for: nothing of the runs above"
            .to_owned();
        report.statements = vec![(about, statement)];
        report.write(&self.out.join("report.html"))?;
        bar.finish_and_clear();
        let (methods, seconds) = (rows, start.elapsed().as_secs_f64());
        let shown = Shown { out: &self.out, nodes, edges, methods, ledger, refused, seconds };
        output.show(&shown, || shown.describe())
    }
}

/// Makes the folder, or removes what an earlier demo left in it. A folder without the mark of one is not touched.
fn prepare(out: &Path) -> Result<(), Failure> {
    let mark = out.join(MARK);
    std::fs::create_dir_all(out).map_err(WriteError::io(out))?;
    if mark.exists() {
        for made in MADE.map(|name| out.join(name)) {
            if made.is_dir() {
                std::fs::remove_dir_all(&made).map_err(WriteError::io(&made))?;
            } else if made.exists() {
                std::fs::remove_file(&made).map_err(WriteError::io(&made))?;
            }
        }
    } else if std::fs::read_dir(out).map_err(WriteError::io(out))?.next().is_some() {
        return Err(WriteError::Exists { path: out.to_owned() }.into());
    }
    let text = format!("made by veil demo, which replaces {} beside this file\n", MADE.join(", "));
    Ok(std::fs::write(&mark, text).map_err(WriteError::io(&mark))?)
}

impl Shown<'_> {
    fn describe(&self) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let area = |auc: Option<f64>| or_dash(auc.map(|auc| format!("{auc:.2}")));
        let rows = self.methods.iter().map(|row| {
            vec![
                row.method.to_owned(),
                percent(row.accuracy),
                row.protects.clone(),
                or_dash(row.promise.as_ref().and_then(budget)),
                or_dash(row.promise.as_ref().map(|promise| promise.status.clone())),
                or_dash(row.verdict.clone()),
                area(row.linkteller),
                area(row.link_stealing),
            ]
        });
        let columns = ["method", ">accuracy", "protects", "ε", "status", "audit", ">LinkTeller", ">LSA"];
        let out = self.out.display();
        // As it was called just now: it need not be on the path.
        let veil = std::env::args().next().unwrap_or_else(|| "veil".to_owned());
        format!(
            "A made-up citation graph of {} users and {} edges. What can be learned from it, and what was protected?\n\n{}\n\n\
             status     what is known of the promise\n\
             audit      what testing the mechanism at this ε says just now: it holds exactly, it was broken, or nothing was found\n\
             LinkTeller how well edges are found again by watching how answers depend on other nodes (0.5 is a guess);\n           \
             degree vectors and LPGNet answer from stored counts, so there is nothing to watch\n\
             LSA        the same by comparing answers alone: what it finds in the MLP, it finds without any edge\n\n\
             Means over three trainings of small networks, all trained alike. PrivGNN and class sums learn on {} public\n\
             nodes what a private graph says, the others on all nodes; PrivGNN pays for each of {} labels, and most are\n\
             noise. All of it is drawn from known seeds: reproducible, therefore not private. What the ledger pays for is.\n\n\
             An owner's ledger is charged before anything is released, and refuses what is beyond its budget:\n  {}\n\n\
             Written in {:.0} s into {out}: report.html (every ε, intervals, pictures), graph (what all this is about),\n\
             released (data, privacy.json, privacy.md) and ledger.db. Open report.html in a browser, and try next:\n  \
             cat {out}/released/privacy.md\n  \
             {veil} audit graph-privatizer --epsilon 0.1\n  \
             {veil} audit all\n  \
             {veil} train {out}/graph --method lpgnet --epsilon-edges 2 --out run",
            grouped(self.nodes as usize),
            grouped(self.edges),
            table(&columns, rows),
            methods::PUBLIC,
            methods::QUERIES,
            self.refused,
            self.seconds,
        )
    }
}

/// ε with all that belongs to it: δ, and the ε of a relationship where two users report it.
fn budget(promise: &Promised) -> Option<String> {
    let mut text = rounded_up(promise.epsilon?, 2).to_string();
    if promise.delta > 0.0 {
        text += &format!(", δ {:e}", promise.delta);
    }
    if let Some(both) = promise.per_relationship {
        text += &format!(" (edge: {})", rounded_up(both, 2));
    }
    Some(text)
}
