//! The attacks that every run is put through, with the options of `veil attack`.

use veil_attack::linkteller::Influence;
use veil_attack::lsa::{LinkStealing, Metric, Posteriors};
use veil_attack::pairs::Sampling;
use veil_learn::Surface;
use veil_learn::run::Weights;

use super::condition::Condition;
use super::text::{Item, Table, Invalid};

/// How many edges a balanced sample has, and how many nodes the others have, as for `veil attack`.
const SAMPLE: usize = 500;

/// An attack on the edges of a run. Its sample is drawn from the seed of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Attack {
    /// What its figures are called: `NAME_auc` and so on.
    pub name: String,
    /// What is done.
    pub kind: Kind,
    /// What is asked.
    pub surface: Surface,
    /// Which weights are asked.
    pub weights: Weights,
    /// About which pairs.
    pub sampling: Sampling,
    /// Which share of the pairs the attacker believes to be edges.
    pub belief: Option<f64>,
}

/// What is measured of an attack; its figures are called NAME_ and then so. The last is that of the edge-free twin.
pub(super) const MEASURED: [&str; 8] =
    ["auc", "auc_low", "auc_high", "average_precision", "precision", "recall", "tpr_at_fpr_0.01", "auc_edge_free"];

impl Attack {
    /// What its figures are called.
    pub(super) fn figures(&self) -> impl Iterator<Item = String> {
        MEASURED.iter().map(|figure| format!("{}_{figure}", self.name))
    }

    /// A figure that is called the same.
    pub(super) fn shares_a_figure_with(&self, other: &Attack) -> Option<String> {
        self.figures().find(|figure| self.name != other.name && other.figures().any(|also| also == *figure))
    }
}

/// What an attack does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Whose features change whose posterior.
    LinkTeller(Influence),
    /// Whose posteriors are alike.
    LinkStealing(LinkStealing),
}

/// An attack, and which runs are put through it.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub attack: Attack,
    pub only: Option<Condition>,
}

impl Listed {
    pub fn read(mut table: Table) -> Result<Listed, Invalid> {
        let line = table.line;
        let kind = table.need("kind", "an attack")?;
        let kind_line = kind.line;
        let kind = kind.text()?;
        let name = table.take("name").map_or_else(|| Ok(kind.clone()), Item::text)?;
        // So are the figures of the rarer class called that every run has.
        if name.ends_with("rare_roc") {
            return Invalid::new(line, format!("an attack cannot be called {name:?}: another figure is {name}_auc"));
        }
        let only = table.take("where").map(|item| Condition::read(item.table()?)).transpose()?;
        let surface = choice(&mut table, "surface", &[("pipeline", Surface::Pipeline), ("model", Surface::Model)])?;
        let weights = choice(&mut table, "weights", &[("chosen", Weights::Chosen), ("last", Weights::Last)])?;
        let sampling = sampling(&mut table)?;
        let belief = table.take("belief").map(number).transpose()?;
        if belief.is_some_and(|belief| !(0.0..=1.0).contains(&belief)) {
            return Invalid::new(line, "a belief is a share between 0 and 1");
        }
        let mut known = vec!["name", "kind", "where", "surface", "weights", "sample", "pairs", "nodes", "belief"];
        let kind = match kind.as_str() {
            "linkteller" => {
                known.extend(["influence", "step"]);
                Kind::LinkTeller(influence(&mut table)?)
            }
            "lsa" => {
                known.extend(["metric", "softmax-twice", "centred"]);
                Kind::LinkStealing(stealing(&mut table)?)
            }
            other => return Invalid::new(kind_line, format!("{other:?} is no attack of a sweep (linkteller, lsa)")),
        };
        table.finish(&known)?;
        let (surface, weights) = (surface.unwrap_or_default(), weights.unwrap_or_default());
        Ok(Listed { attack: Attack { name, kind, surface, weights, sampling, belief }, only })
    }
}

fn influence(table: &mut Table) -> Result<Influence, Invalid> {
    let differs = choice(table, "influence", &[("exact", false), ("difference", true)])?.unwrap_or(false);
    let step = table.take("step");
    match (differs, step) {
        (false, None) => Ok(Influence::Exact),
        (false, Some(step)) => {
            Invalid::new(step.line, "step is for influence = \"difference\": a derivative has no step")
        }
        (true, None) => Ok(Influence::Difference { step: 0.001 }),
        (true, Some(item)) => {
            let line = item.line;
            let step = number(item)?;
            let least = veil_attack::linkteller::Difference::LEAST_STEP;
            if !step.is_finite() || step < least {
                return Invalid::new(line, format!("a step must be finite and at least {least}"));
            }
            Ok(Influence::Difference { step })
        }
    }
}

fn stealing(table: &mut Table) -> Result<LinkStealing, Invalid> {
    let metric = match table.take("metric") {
        None => Metric::default(),
        Some(item) => {
            let line = item.line;
            item.text()?
                .parse()
                .map_err(|error: veil_attack::lsa::MetricError| Invalid { line, problem: error.to_string() })?
        }
    };
    let centred_line = table.line;
    let posteriors = match (flag(table, "softmax-twice")?, flag(table, "centred")?) {
        (true, true) => return Invalid::new(centred_line, "softmax-twice and centred exclude each other"),
        (true, false) => Posteriors::SoftmaxTwice,
        (false, true) => Posteriors::Centred,
        (false, false) => Posteriors::AsGiven,
    };
    Ok(LinkStealing { metric, posteriors })
}

fn sampling(table: &mut Table) -> Result<Sampling, Invalid> {
    #[derive(Clone, Copy, PartialEq)]
    enum Sample {
        Balanced,
        Unbalanced,
        LowDegree,
        HighDegree,
    }
    let samples = [
        ("balanced", Sample::Balanced),
        ("unbalanced", Sample::Unbalanced),
        ("low-degree", Sample::LowDegree),
        ("high-degree", Sample::HighDegree),
    ];
    let sample = choice(table, "sample", &samples)?.unwrap_or(Sample::Balanced);
    let (pairs, nodes) = (table.take("pairs"), table.take("nodes"));
    if let (Sample::Balanced, Some(item)) = (sample, &nodes) {
        return Invalid::new(item.line, "nodes is for samples of nodes: a balanced sample has pairs");
    }
    if let (true, Some(item)) = (sample != Sample::Balanced, &pairs) {
        return Invalid::new(item.line, "pairs is for a balanced sample: a sample of nodes has nodes");
    }
    let pairs = pairs.map(|item| count(item, 1)).transpose()?.unwrap_or(SAMPLE);
    let nodes = nodes.map(|item| count(item, 2)).transpose()?.unwrap_or(SAMPLE);
    Ok(match sample {
        Sample::Balanced => Sampling::Balanced { pairs },
        Sample::Unbalanced => Sampling::Unbalanced { nodes },
        Sample::LowDegree => Sampling::LowDegree { nodes },
        Sample::HighDegree => Sampling::HighDegree { nodes },
    })
}

/// One of a few words.
fn choice<T: Copy>(table: &mut Table, key: &str, words: &[(&str, T)]) -> Result<Option<T>, Invalid> {
    let Some(item) = table.take(key) else { return Ok(None) };
    let line = item.line;
    let text = item.text()?;
    match words.iter().find(|(word, _)| *word == text) {
        Some(&(_, value)) => Ok(Some(value)),
        None => {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            Invalid::new(line, format!("{key} = {text:?} is not one of {}", known.join(", ")))
        }
    }
}

fn flag(table: &mut Table, key: &str) -> Result<bool, Invalid> {
    let Some(item) = table.take(key) else { return Ok(false) };
    let line = item.line;
    match item.one()? {
        toml::Value::Boolean(truth) => Ok(truth),
        _ => Invalid::new(line, format!("{key} is true or false")),
    }
}

fn number(item: Item) -> Result<f64, Invalid> {
    let line = item.line;
    match item.one()? {
        toml::Value::Float(number) => Ok(number),
        toml::Value::Integer(number) => Ok(number as f64),
        _ => Invalid::new(line, "a number is expected here"),
    }
}

fn count(item: Item, least: usize) -> Result<usize, Invalid> {
    let line = item.line;
    let number = item.one()?.as_integer().and_then(|number| usize::try_from(number).ok());
    match number.filter(|&number| number >= least) {
        Some(number) => Ok(number),
        None => Invalid::new(line, format!("a whole number of at least {least} is expected here")),
    }
}
