//! `veil demo`: the main job, on a graph that is made up on the spot.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use veil_graph::generate::Community;
use veil_graph::write::{self, WriteError};
use veil_graph::{Dataset, Features, Labels, Part};
use veil_privacy::release::{LabelPlan, Options, Plan, Privatised};
use veil_privacy::{Budget, Coins, Delta, Epsilon, Ledger, LedgerError, Private, Request, Statement, Truth, Unit};

use super::ledger::units;
use super::releasing::guarantees;
use crate::failure::Failure;
use crate::output::{Output, table};
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

/// A whole number as ε.
fn whole(epsilon: u64) -> Option<Epsilon> {
    Epsilon::from_nanos(epsilon * 1_000_000_000)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    out: &'a Path,
    nodes: u32,
    labels_changed: f64,
    classes: Vec<ClassShare>,
    refused: String,
    ledger: veil_privacy::ledger::Report,
    statement: &'a Statement,
}

/// How many of the asked nodes are in a class: in truth, as reported, and as it can be worked out from the reports.
#[derive(Serialize)]
struct ClassShare {
    class: u32,
    truth: f64,
    reported: f64,
    estimated: f64,
}

impl Demo {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        prepare(&self.out)?;
        let bar = progress::working(output, "generating a citation graph");
        let data = Private::seal(Community::citation().check()?.generate(1));

        bar.set_message("privatising");
        let options = Options { epsilon_features: whole(3), epsilon_labels: whole(3), ..Options::default() };
        let budget = |unit, epsilon| whole(epsilon).map(|epsilon| Budget { unit, epsilon, delta: Delta::ZERO });
        let budgets: Vec<Budget> = [budget(Unit::Feature, 3), budget(Unit::Label, 4)].into_iter().flatten().collect();
        let mut ledger = Ledger::create(&self.out.join("ledger.db"), &budgets)?;
        let released = privatise(&data, options.clone(), &mut ledger)?;
        write::atomically(&self.out.join("released"), |folder| released.fill(folder))?;

        // A second release of the same kind does not fit the budget: the ledger must say no.
        let refused = match privatise(&data, options.clone(), &mut ledger) {
            Err(Failure::Ledger(error @ LedgerError::OverBudget { .. })) => error.to_string(),
            Err(other) => return Err(other),
            Ok(_) => return Err(Failure::Unexpected("the ledger paid for more than its budget".to_owned())),
        };
        bar.finish_and_clear();

        let truth = data.for_scoring(&Truth::for_scoring_only());
        let shown = Shown {
            out: &self.out,
            nodes: truth.nodes(),
            labels_changed: changed(truth, &released),
            classes: class_shares(truth, &released, &Plan::new(&data, options)?),
            refused,
            ledger: ledger.report()?,
            statement: released.statement(),
        };
        output.show(&shown, || describe(&shown, &released))
    }
}

/// Makes the folder, or removes what an earlier demo left in it. A folder without the mark of one is not touched.
fn prepare(out: &Path) -> Result<(), Failure> {
    let (mark, released, ledger) = (out.join(MARK), out.join("released"), out.join("ledger.db"));
    std::fs::create_dir_all(out).map_err(WriteError::io(out))?;
    if mark.exists() {
        if released.exists() {
            std::fs::remove_dir_all(&released).map_err(WriteError::io(&released))?;
        }
        if ledger.exists() {
            std::fs::remove_file(&ledger).map_err(WriteError::io(&ledger))?;
        }
    } else if std::fs::read_dir(out).map_err(WriteError::io(out))?.next().is_some() {
        return Err(WriteError::Exists { path: out.to_owned() }.into());
    }
    Ok(std::fs::write(&mark, "made by veil demo, which replaces released/ and ledger.db beside this file\n")
        .map_err(WriteError::io(&mark))?)
}

fn privatise(data: &Private<Dataset>, options: Options, ledger: &mut Ledger) -> Result<Privatised, Failure> {
    let plan = Plan::new(data, options)?;
    let request = Request::new(data, Coins::from_os()?, plan.guarantees())?;
    let permit = ledger.charge(request, &[])?;
    Ok(plan.release(data, permit)?.released)
}

/// The (true, reported) labels of the nodes that were asked.
fn asked<'a>(truth: &'a Dataset, released: &'a Privatised) -> impl Iterator<Item = (u32, u32)> + 'a {
    let nodes = truth
        .split()
        .into_iter()
        .flat_map(|split| [Part::Train, Part::Val].into_iter().flat_map(|part| split.nodes(part)));
    nodes.filter_map(|node| Some((truth.labels()?.get(node)?, released.data().labels()?.get(node)?)))
}

/// The share of reported labels that are not the true ones.
fn changed(truth: &Dataset, released: &Privatised) -> f64 {
    let (different, all) = asked(truth, released).fold((0, 0), |(different, all), (true_label, report)| {
        (different + usize::from(true_label != report), all + 1)
    });
    different as f64 / f64::from(all.max(1))
}

/// The share of each class. Reports of randomised response are right with probability p and each wrong class has q, so
/// a class that makes up the share s of the truth makes up sp + (1−s)q of the reports: solve for s.
fn class_shares(truth: &Dataset, released: &Privatised, plan: &Plan) -> Vec<ClassShare> {
    let Some(LabelPlan::Randomised { mechanism, .. }) = plan.labels() else { return Vec::new() };
    let (keep, exchange) = (mechanism.keep().to_f64(), mechanism.exchange().to_f64());
    let all = asked(truth, released).count().max(1) as f64;
    (0..truth.labels().map_or(0, Labels::classes))
        .map(|class| {
            let (truly, reported) = asked(truth, released).fold((0.0, 0.0), |(truly, reported), (label, report)| {
                (truly + f64::from(u8::from(label == class)), reported + f64::from(u8::from(report == class)))
            });
            let reported = reported / all;
            ClassShare { class, truth: truly / all, reported, estimated: (reported - exchange) / (keep - exchange) }
        })
        .collect()
}

fn describe(shown: &Shown<'_>, released: &Privatised) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let rows = shown.classes.iter().map(|class| {
        vec![class.class.to_string(), percent(class.truth), percent(class.reported), percent(class.estimated)]
    });
    let signs = match released.data().features() {
        Some(Features::Encoded(encoded)) => {
            format!("{} of {} dimensions, one bit each", encoded.per_row(), encoded.columns())
        }
        _ => "nothing".to_owned(),
    };
    let out = shown.out.display();
    // As it was called just now: it need not be on the path.
    let veil = std::env::args().next().unwrap_or_else(|| "veil".to_owned());
    format!(
        "A made-up citation graph of {} users; nobody but they may know their features, labels and edges.\n\
         Each user sends {signs}; {} of them also send a noisy label. Edges are withheld.\n\n{}\n\n\
         {} of the labels that arrived are wrong, so each can be denied. Their shares can still be estimated:\n{}\n\n\
         The ledger was charged first, and refuses a second release:\n{}\n  {}\n\n\
         Written: {out}/released (data, privacy.json, privacy.md), {out}/ledger.db\n\
         Try next:\n  cat {out}/released/privacy.md\n  {veil} data info {out}/released\n  {veil} ledger show {out}/ledger.db\n  \
         {veil} privatize YOUR_GRAPH --epsilon-features 3 --epsilon-labels 3 --split 0.5,0.25,0.25 --out released",
        shown.nodes,
        released.data().labels().map_or(0, Labels::known),
        guarantees(shown.statement),
        percent(shown.labels_changed),
        table(&[">class", ">true share", ">reported", ">estimated from reports"], rows),
        units(&shown.ledger),
        shown.refused,
    )
}
