//! `veil demo`: the methods side by side, on a graph that is generated on the spot.
//!
//! `demo.toml` is a sweep, and `rows` makes its table, with an audit of each mechanism. `book`
//! releases something with a ledger, as an owner would, so that there is a statement to read and a
//! budget that refuses.

mod book;
mod rows;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use veil_graph::generate::Community;
use veil_graph::write::{self, WriteError};
use veil_graph::{Counts, Dataset, Holders};
use veil_lab::report::BesideTruth;
use veil_lab::sweep::{Book, DataSets, Plan, Sweep};
use veil_lab::worth::References;
use veil_lab::{Outcome, Promised, Report};
use veil_learn::pipeline::{Terms, experiment};
use veil_learn::{LearnError, Settings};
use veil_privacy::Private;

use self::rows::{EPSILON, FLOOR, NON_PRIVATE, Row, rows};
use crate::commands::report::made;
use crate::failure::Failure;
use crate::output::{Output, grouped, percent, rounded_up, table};
use crate::progress;

/// The sweep.
const SWEEP: &str = include_str!("demo.toml");

/// The parts of methods with a student: private nodes, public ones to learn on, and public ones to
/// score with.
const PRIVATE: usize = 900;
const PUBLIC: usize = 700;

/// Train, attack and audit several methods on a generated graph
#[derive(Args)]
#[command(after_help = "Example:\n  veil demo --out demo")]
pub struct Demo {
    /// Output folder; an earlier demo in it is replaced
    #[arg(long, default_value = "demo")]
    out: PathBuf,
}

/// Tells a folder that a demo made from one that somebody else did.
const MARK: &str = ".veil-demo";

/// What a demo makes, besides its mark.
const MADE: [&str; 5] = ["graph", "sweep", "released", "ledger.db", "report.html"];

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    out: &'a Path,
    nodes: u32,
    edges: usize,
    methods: Vec<Row>,
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
        write::write_folder(&data, &self.out.join("graph"))?;
        let outcomes = swept(&data, &self.out, output)?;
        let bar = progress::working(output, "auditing");
        let methods = rows(&data, &outcomes)?;
        let graph = beside_truth(&data)?;
        bar.finish_and_clear();
        let bar = progress::working(output, "releasing with a ledger");
        let book::Booked { ledger, refused, statement } = book::release(&Private::seal(data), &self.out)?;
        let mut report = Report::new("What was learned, and what was protected", &outcomes, made());
        report.references = References { floor: Some(FLOOR.to_owned()), non_private: Some(NON_PRIVATE.to_owned()) };
        report.graphs = vec![graph];
        let scored = format!(
            "PrivGNN and class sums: on the test nodes of a public part of the graph, on whose {PUBLIC} training nodes they learn; the \
             others: on the test nodes of the whole. So their gap to the GCN is also one between nodes."
        );
        report.parameters = vec![("accuracy".to_owned(), scored)];
        let about =
            "Features and labels in the folder released, which the ledger paid for; it covers none of the runs above"
                .to_owned();
        report.statements = vec![(about, statement)];
        report.write(&self.out.join("report.html"))?;
        bar.finish_and_clear();
        let seconds = start.elapsed().as_secs_f64();
        let shown = Shown { out: &self.out, nodes, edges, methods, ledger, refused, seconds };
        output.show(&shown, || shown.describe())
    }
}

/// Runs the sweep; all outcomes are about the one graph.
fn swept(data: &Dataset, out: &Path, output: &Output) -> Result<Vec<Outcome>, Failure> {
    let labels = data.labels().ok_or(LearnError::NoLabels)?;
    let private_per_class = PRIVATE / labels.classes() as usize;
    let counts = Counts { private_per_class, public_train: PUBLIC, public_test: PUBLIC };
    let parts = data.apart(&Holders::random(labels, counts, 1)?)?;
    let mut sets = DataSets::new();
    sets.insert("citation", data.clone());
    sets.insert("private", parts.private);
    sets.insert("public", parts.public);
    let plan = Plan::new(&Sweep::parse(Path::new("demo.toml"), SWEEP.to_owned())?, &sets)?;
    let bar = progress::counting(output, "training and attacking", plan.runs() as u64);
    let mut book = Book::begin(&out.join("sweep"))?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    veil_lab::sweep::run(&plan, &sets, &mut book, cores, false, &mut |progress| {
        bar.set_position(progress.done as u64)
    })?;
    bar.finish_and_clear();
    let mut outcomes = book.outcomes()?;
    outcomes.iter_mut().for_each(|outcome| data.name().clone_into(&mut outcome.data));
    match outcomes.iter().find_map(|outcome| outcome.error.clone()) {
        Some(error) => Err(Failure::Unexpected(error)),
        None => Ok(outcomes),
    }
}

/// The graph that GraphPrivatizer releases, beside the true one.
fn beside_truth(data: &Dataset) -> Result<BesideTruth, Failure> {
    let settings =
        Settings::from_iter([("recipe", "lpgnet".into()), ("epsilon-edges", EPSILON.into()), ("epochs", 1.into())]);
    let run = experiment("graph-privatizer", &settings, data.clone(), Terms::default(), 1)?.run;
    let name = format!("GraphPrivatizer at ε = {EPSILON}");
    Ok(BesideTruth::of(name, data, run.released().data().graph()))
}

/// Makes the folder, or removes what an earlier demo left in it. A folder without the mark of one
/// is not touched.
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
                row.method.clone(),
                percent(row.accuracy),
                or_dash(row.promise.as_ref().map(|promise| promise.unit.clone())),
                or_dash(row.promise.as_ref().and_then(budget)),
                or_dash(row.promise.as_ref().map(|promise| promise.status.clone())),
                or_dash(row.verdict.clone()),
                area(row.linkteller),
                area(row.link_stealing),
            ]
        });
        let columns = ["method", ">accuracy", "unit", "ε", "status", "audit", ">LT", ">LSA"];
        let out = self.out.display();
        // As it was called just now: it need not be on the path.
        let veil = std::env::args().next().unwrap_or_else(|| "veil".to_owned());
        format!(
            "A generated citation graph of {} users and {} edges: what can be learned, and what is protected?\n\n{}\n\n\
             unit    what ε protects; (8) is the ε of an edge that both ends report\n\
             status  what is known of the guarantee\n\
             audit   the result of testing the mechanism at this ε, just now\n\
             LT      LinkTeller: AUC of finding edges from how answers depend on other nodes\n        \
             (0.5 is a guess); degree vectors, LPGNet and cascade answer from stored counts\n\
             LSA     AUC of finding edges by comparing answers; in the MLP it finds homophily\n\n\
             Means over three trainings of small networks, trained alike but for the edge-free\n\
             stack and cascade, which choose their settings by validation labels. PrivGNN and\n\
             class sums learn on {} public nodes, labelled by a private graph; the others\n\
             learn on all nodes. PrivGNN pays for each of 60 labels, most of which are noise.\n\
             All runs use known seeds: reproducible, therefore not private. The release below\n\
             is private.\n\n\
             The ledger of an owner is charged before a release, and refuses what exceeds its\n\
             budget:\n  {}\n\n\
             Written in {:.0} s to {out}: report.html (every ε, intervals, pictures), graph (the\n\
             data), sweep (every run), released (data, privacy.json, privacy.md) and\n\
             ledger.db. Open report.html, and try:\n  \
             cat {out}/released/privacy.md\n  \
             {veil} audit graph-privatizer --epsilon 0.1\n  \
             {veil} audit all\n  \
             {veil} train {out}/graph --method cascade --epsilon-edges 2 --out run",
            grouped(self.nodes as usize),
            grouped(self.edges),
            table(&columns, rows),
            PUBLIC,
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
        text += &format!(" ({})", rounded_up(both, 2));
    }
    Some(text)
}
