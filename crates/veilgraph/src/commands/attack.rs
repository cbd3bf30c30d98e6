//! `veil attack`: try to find private edges in a trained model, and say how well that went.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use veil_attack::AttackError;
use veil_attack::linkteller::Influence;
use veil_attack::lsa::{LinkStealing, Metric, Posteriors};
use veil_attack::pairs::{Pairs, Sampling};
use veil_attack::scores::{Scores, Scoring};
use veil_graph::{Dataset, Matrix};
use veil_learn::run::Weights;
use veil_learn::{Deployed, Run, Surface};
use veil_privacy::release::Privatised;
use veil_privacy::{Private, Truth};

use super::data::open_named;
use crate::failure::Failure;
use crate::output::{Output, grouped, percent, table};
use crate::progress;

/// By how much features are scaled for a difference, unless --step says otherwise.
const STEP: f64 = 0.001;
/// How many edges a balanced sample has, unless --pairs says otherwise.
const PAIRS: usize = 500;
/// How many nodes the other samples have, unless --nodes says otherwise.
const NODES: usize = 500;

/// Try to find private edges in a trained model
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  veil attack linkteller run --truth graph\n  \
    veil attack lsa run --truth graph --metric cosine")]
pub enum Attack {
    /// Whose features change whose posterior (Wu et al. 2022)
    Linkteller(LinkTeller),
    /// Whose posteriors are alike (He et al. 2021: link stealing, LSA2, LPA)
    Lsa(Lsa),
}

/// Whose features change whose posterior (Wu et al. 2022)
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil attack linkteller run --truth graph\n  \
    veil attack linkteller run --truth graph --surface model --influence difference --weights last   (what the papers did)\n  \
    veil attack linkteller run --truth graph --sample high-degree --nodes 200 --json")]
pub struct LinkTeller {
    /// The run folder that veil train made
    run: PathBuf,
    #[command(flatten)]
    scoring: ScoringFlags,
    /// What is asked: the model as deployed (features are propagated first), or the network alone (what the papers attacked)
    #[arg(long, value_enum, default_value = "pipeline")]
    surface: SurfaceFlag,
    /// The exact derivative, or the difference that a small change makes
    #[arg(long, value_enum, default_value = "exact")]
    influence: InfluenceFlag,
    /// By how much features are scaled for a difference [default: 0.001]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    step: Option<f64>,
    /// The weights of the chosen epoch, or of the last (what the papers attacked)
    #[arg(long, value_enum, default_value = "chosen")]
    weights: WeightsFlag,
}

/// Whose posteriors are alike (He et al. 2021: link stealing, LSA2, LPA)
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil attack lsa run --truth graph --metric correlation\n  \
    veil attack lsa --posteriors theirs.csv --truth graph   (node,0,1,…: someone else's model)")]
pub struct Lsa {
    /// The run folder that veil train made
    #[arg(required_unless_present = "posteriors", conflicts_with = "posteriors")]
    run: Option<PathBuf>,
    /// Someone else's posteriors: a table node,0,1,… or predictions.csv of a run
    #[arg(long, value_name = "FILE")]
    posteriors: Option<PathBuf>,
    #[command(flatten)]
    scoring: ScoringFlags,
    /// How posteriors are compared: correlation, cosine, euclidean, chebyshev, braycurtis, canberra, cityblock or sqeuclidean
    #[arg(long, default_value = "correlation")]
    metric: Metric,
    /// Apply softmax to the posteriors once more, as the published GraphPrivatizer code does
    #[arg(long)]
    softmax_twice: bool,
    /// Compare posteriors less their mean over all nodes, as the published LPGNet code does (with --metric cosine)
    #[arg(long, conflicts_with = "softmax_twice")]
    centred: bool,
    /// What is asked: the model as deployed, or the network alone on features that were not propagated
    /// [default: pipeline]
    #[arg(long, value_enum, conflicts_with = "posteriors")]
    surface: Option<SurfaceFlag>,
    /// The weights of the chosen epoch, or of the last [default: chosen]
    #[arg(long, value_enum, conflicts_with = "posteriors")]
    weights: Option<WeightsFlag>,
}

#[derive(Args)]
struct ScoringFlags {
    /// The raw data: which pairs are edges
    #[arg(long, value_name = "DATA")]
    truth: String,
    /// How pairs are drawn: as many edges as others, or all pairs among nodes drawn anyhow, of lowest or of highest degree
    #[arg(long, value_enum, default_value = "balanced")]
    sample: SampleFlag,
    /// How many edges, and how many others, a balanced sample has [default: 500]
    #[arg(long, value_name = "N")]
    pairs: Option<usize>,
    /// How many nodes the other samples have [default: 500]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Which share of the pairs the attacker believes to be edges [default: the true one]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    belief: Option<f64>,
    /// What the sample is drawn from
    #[arg(long, default_value = "1")]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum SampleFlag {
    Balanced,
    Unbalanced,
    LowDegree,
    HighDegree,
}

#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum SurfaceFlag {
    Pipeline,
    Model,
}

#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum InfluenceFlag {
    Exact,
    Difference,
}

#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum WeightsFlag {
    Chosen,
    Last,
}

impl From<SurfaceFlag> for Surface {
    fn from(flag: SurfaceFlag) -> Surface {
        match flag {
            SurfaceFlag::Pipeline => Surface::Pipeline,
            SurfaceFlag::Model => Surface::Model,
        }
    }
}

impl From<WeightsFlag> for Weights {
    fn from(flag: WeightsFlag) -> Weights {
        match flag {
            WeightsFlag::Chosen => Weights::Chosen,
            WeightsFlag::Last => Weights::Last,
        }
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown {
    attack: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<SurfaceFlag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    influence: Option<InfluenceFlag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<WeightsFlag>,
    #[serde(flatten)]
    scores: Scores,
    /// The same attack against the edge-free twin: what homophily alone gives.
    auc_edge_free: Option<f64>,
    auc_edge_free_ci: Option<[f64; 2]>,
    /// Whether the twin sees anything of a node. If not, its figure says nothing about homophily.
    edge_free_reads_features: Option<bool>,
    /// How long the attack took, without reading and without training the twin.
    seconds: f64,
}

impl Attack {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Attack::Linkteller(attack) => attack.run(output),
            Attack::Lsa(attack) => attack.run(output),
        }
    }
}

impl LinkTeller {
    fn run(self, output: &Output) -> Result<(), Failure> {
        let attack = match (self.influence, self.step) {
            (InfluenceFlag::Exact, None) => Influence::Exact,
            (InfluenceFlag::Exact, Some(_)) => {
                return Err(Failure::Usage(
                    "--step is for --influence difference: a derivative has no step".to_owned(),
                ));
            }
            (InfluenceFlag::Difference, step) => Influence::Difference { step: step.unwrap_or(STEP) },
        };
        let sampling = self.scoring.sampling()?;
        let bar = progress::working(output, "reading");
        let run = Run::open(&self.run)?;
        let pairs = self.scoring.pairs(sampling, run.released().data().nodes())?;
        bar.set_message("attacking");
        let start = Instant::now();
        let model = run.deployed(self.surface.into(), self.weights.into())?;
        let scores = veil_attack::run(&attack, &model, &pairs, self.scoring.scoring())?;
        let seconds = start.elapsed().as_secs_f64();
        bar.set_message("attacking the edge-free twin");
        let again = |twin: &Deployed| veil_attack::run(&attack, twin, &pairs, self.scoring.scoring());
        let of_twin = Twin::attacked(&run, self.weights.into(), again)?;
        bar.finish_and_clear();
        let shown = Shown {
            attack: "linkteller",
            surface: Some(self.surface),
            influence: Some(self.influence),
            metric: None,
            weights: Some(self.weights),
            ..Shown::new(scores, of_twin, seconds)
        };
        output.show(&shown, || shown.describe())
    }
}

impl Lsa {
    fn run(self, output: &Output) -> Result<(), Failure> {
        let sampling = self.scoring.sampling()?;
        let bar = progress::working(output, "reading");
        let posteriors = match (self.softmax_twice, self.centred) {
            (true, _) => Posteriors::SoftmaxTwice,
            (_, true) => Posteriors::Centred,
            _ => Posteriors::AsGiven,
        };
        let attack = LinkStealing { metric: self.metric, posteriors };
        let metric = Some(self.metric.to_string());
        let shown = match (&self.run, &self.posteriors) {
            (_, Some(posteriors)) => {
                let table = read_posteriors(posteriors)?;
                let pairs = self.scoring.pairs(sampling, table.rows() as u32)?;
                let start = Instant::now();
                let ratings = attack.rate_table(&table, pairs.list())?;
                let scores = Scores::new(&pairs, &ratings, self.scoring.scoring())?;
                Shown { metric, ..Shown::new(scores, None, start.elapsed().as_secs_f64()) }
            }
            (Some(folder), None) => {
                let surface = self.surface.unwrap_or(SurfaceFlag::Pipeline);
                let weights = self.weights.unwrap_or(WeightsFlag::Chosen);
                let run = Run::open(folder)?;
                let pairs = self.scoring.pairs(sampling, run.released().data().nodes())?;
                bar.set_message("attacking");
                let start = Instant::now();
                let model = run.deployed(surface.into(), weights.into())?;
                let scores = veil_attack::run(&attack, &model, &pairs, self.scoring.scoring())?;
                let seconds = start.elapsed().as_secs_f64();
                bar.set_message("attacking the edge-free twin");
                let again = |twin: &Deployed| veil_attack::run(&attack, twin, &pairs, self.scoring.scoring());
                let of_twin = Twin::attacked(&run, weights.into(), again)?;
                let (surface, weights) = (Some(surface), Some(weights));
                Shown { surface, metric, weights, ..Shown::new(scores, of_twin, seconds) }
            }
            (None, None) => return Err(Failure::Usage("give a run folder, or --posteriors".to_owned())),
        };
        bar.finish_and_clear();
        output.show(&shown, || shown.describe())
    }
}

impl ScoringFlags {
    /// What to draw. A number that would decide nothing is refused.
    fn sampling(&self) -> Result<Sampling, Failure> {
        let nodes = self.nodes.unwrap_or(NODES);
        match (self.sample, self.pairs, self.nodes) {
            (SampleFlag::Balanced, _, Some(_)) => {
                Err(Failure::Usage("--nodes is for samples of nodes: a balanced sample has --pairs".to_owned()))
            }
            (SampleFlag::Balanced, pairs, None) => Ok(Sampling::Balanced { pairs: pairs.unwrap_or(PAIRS) }),
            (_, Some(_), _) => {
                Err(Failure::Usage("--pairs is for a balanced sample: a sample of nodes has --nodes".to_owned()))
            }
            (SampleFlag::Unbalanced, None, _) => Ok(Sampling::Unbalanced { nodes }),
            (SampleFlag::LowDegree, None, _) => Ok(Sampling::LowDegree { nodes }),
            (SampleFlag::HighDegree, None, _) => Ok(Sampling::HighDegree { nodes }),
        }
    }

    /// Draws the pairs from the true graph, which must be about the same nodes.
    fn pairs(&self, sampling: Sampling, nodes: u32) -> Result<Pairs, Failure> {
        if Privatised::is_released(Path::new(&self.truth)) {
            let text = format!("{} was released: --truth needs the raw data, which say what is an edge", self.truth);
            return Err(Failure::Usage(text));
        }
        let truth: Private<Dataset> = Private::seal(open_named(&self.truth)?);
        if truth.public().nodes != nodes {
            return Err(Failure::OtherSize { truth: truth.public().nodes, run: nodes });
        }
        // An attack's success cannot be known without the truth; what comes out of here is a score.
        let raw = truth.for_scoring(&Truth::for_scoring_only());
        Ok(Pairs::sample(raw.graph(), sampling, self.seed)?)
    }

    fn scoring(&self) -> Scoring {
        Scoring { belief: self.belief, seed: self.seed }
    }
}

/// A table `node,0,1,…`, or `node,class,0,1,…` as in predictions.csv: one line per node, in any order.
fn read_posteriors(path: &Path) -> Result<Matrix, Failure> {
    let wrong = |line: usize, what: String| Failure::Unexpected(format!("{}, line {line}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|source| Failure::Unreadable { path: path.to_owned(), source })?;
    let header = text.lines().next().unwrap_or_default();
    let skipped = if header.starts_with("node,class,") { 2 } else { 1 };
    let classes = header.split(',').count().saturating_sub(skipped);
    if !header.starts_with("node,") || classes == 0 {
        return Err(wrong(1, "expected a header node,0,1,… with one column per class".to_owned()));
    }
    let mut rows: Vec<(usize, usize, Vec<f32>)> = Vec::new();
    for (place, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let mut fields = line.split(',');
        let node = fields.next().and_then(|field| field.trim().parse().ok());
        let node = node.ok_or_else(|| wrong(place + 1, "the first field is not the number of a node".to_owned()))?;
        let numbers: Vec<f32> = fields
            .skip(skipped - 1)
            .map(|field| {
                let number: Option<f32> = field.trim().parse().ok();
                let number = number.filter(|number| number.is_finite());
                number.ok_or_else(|| wrong(place + 1, format!("{field:?} is not a finite number")))
            })
            .collect::<Result<_, _>>()?;
        if numbers.len() != classes {
            return Err(wrong(place + 1, format!("{} numbers for {classes} classes", numbers.len())));
        }
        rows.push((node, place + 1, numbers));
    }
    rows.sort_by_key(|&(node, ..)| node);
    let mut values = Vec::with_capacity(rows.len() * classes);
    for (expected, (node, line, numbers)) in rows.iter().enumerate() {
        if *node != expected {
            return Err(wrong(*line, format!("node {node} stands where node {expected} is missing or repeated")));
        }
        values.extend_from_slice(numbers);
    }
    Matrix::from_values(rows.len(), classes, values).map_err(|error| wrong(1, error.to_string()))
}

/// What the same attack found in the edge-free twin.
struct Twin {
    scores: Scores,
    reads_features: bool,
}

impl Twin {
    /// None where there is no twin: no label was released of a graph that a model is asked about, to train one with.
    fn attacked(
        run: &Run,
        weights: Weights,
        attack: impl FnOnce(&Deployed) -> Result<Scores, AttackError>,
    ) -> Result<Option<Twin>, Failure> {
        let Some(twin) = run.twin(weights)? else { return Ok(None) };
        let scores = attack(&twin)?;
        Ok(Some(Twin { scores, reads_features: run.twin_reads_features() }))
    }
}

impl Shown {
    fn new(scores: Scores, of_twin: Option<Twin>, seconds: f64) -> Shown {
        Shown {
            attack: "lsa",
            surface: None,
            influence: None,
            metric: None,
            weights: None,
            auc_edge_free: of_twin.as_ref().map(|twin| twin.scores.auc),
            auc_edge_free_ci: of_twin.as_ref().map(|twin| twin.scores.auc_ci),
            edge_free_reads_features: of_twin.as_ref().map(|twin| twin.reads_features),
            scores,
            seconds,
        }
    }

    fn describe(&self) -> String {
        let scores = &self.scores;
        let interval = |[low, high]: [f64; 2]| format!("{low:.3} to {high:.3}");
        let twin = match (self.auc_edge_free, self.auc_edge_free_ci) {
            // It says the same of all nodes: no floor, and no interval either.
            (Some(auc), _) if self.edge_free_reads_features == Some(false) => {
                [format!("{auc:.3} (it sees nothing of a node)"), String::new()]
            }
            (Some(auc), Some(ci)) => [format!("{auc:.3}"), interval(ci)],
            // Someone else's posteriors say nothing about how they were made, and a graph without labels trains nobody.
            _ => ["unknown".to_owned(), "needs a run folder with labels".to_owned()],
        };
        let rows = [
            vec!["AUC".to_owned(), format!("{:.3}", scores.auc), interval(scores.auc_ci)],
            vec!["AUC, edge-free twin".to_owned(), twin[0].clone(), twin[1].clone()],
            vec![
                "average precision".to_owned(),
                format!("{:.3}", scores.average_precision),
                interval(scores.average_precision_ci),
            ],
            vec![
                "TPR at 0.1 %, 1 % FPR".to_owned(),
                format!("{:.3}, {:.3}", scores.tpr_at_fpr.per_mille, scores.tpr_at_fpr.per_cent),
                String::new(),
            ],
            vec![
                "precision, recall".to_owned(),
                format!("{:.3}, {:.3}", scores.precision, scores.recall),
                String::new(),
            ],
        ];
        let mut text = table(&[self.attack, "", "95 % interval"], rows);
        text += &format!(
            "\n{} pairs, {} of them edges ({}); {:.3} s",
            grouped(scores.pairs),
            grouped(scores.edges),
            percent(scores.edges as f64 / scores.pairs.max(1) as f64),
            self.seconds
        );
        text += "\n";
        if self.edge_free_reads_features == Some(true) {
            text += "The twin never saw an edge: what it reaches is homophily, not leakage. ";
        }
        text += "An AUC is no test of an ε.";
        text
    }
}
