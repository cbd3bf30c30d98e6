//! What public facts say about a release before it is paid for.

use serde::Serialize;
use veil_graph::{Dataset, Part};
use veil_privacy::release::EdgePlan;
use veil_privacy::{Epsilon, Private, Public, Trust, Unit};

use super::estimate::{Estimate, expected};
use super::table::{Setting, Shape, Table};
use crate::method::{self, Method};

/// A released graph is worth a remark if more than half of its edges are false even at this mean
/// degree, which is above those of all measured graphs.
const USUAL_DEGREE: f64 = 50.0;

/// What is to be expected of a release of edges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlook {
    /// The method, and the flags that the measured runs differ in.
    pub method: String,
    /// ε of one report or release.
    pub epsilon: f64,
    /// Accuracy minus that of a model without edges, on similar graphs.
    pub gain: Option<Estimate>,
    /// Below this mean degree, more than half of the released edges are expected to be false; none
    /// where no graph is released.
    pub least_degree: Option<f64>,
    /// Number of nodes.
    nodes: f64,
}

impl Outlook {
    /// What should be said before the charge, if the edges are not expected to help.
    pub fn warning(&self) -> Option<String> {
        let Outlook { method, epsilon, .. } = self;
        let mut reasons = Vec::new();
        if let Some(gain) = self.gain.filter(|gain| gain.expected < 0.0 && gain.high < super::WORTH + 1.0) {
            reasons.push(format!(
                "on {:.0} similar graphs {method} was {:.1} points below a model that reads no edge ({:+.1} to {:+.1})",
                gain.graphs.max(1.0).round(),
                -gain.expected,
                gain.low,
                gain.high
            ));
        }
        if let Some(least) = self.least_degree.filter(|&least| least > USUAL_DEGREE) {
            reasons.push(if least >= self.nodes - 1.0 {
                "more than half of the released edges will be false, whatever the graph".to_owned()
            } else {
                format!("more than half of the released edges will be false unless the mean degree is above {least:.0}")
            });
        }
        let reasons = reasons.join("; ");
        (!reasons.is_empty()).then(|| {
            format!(
                "THE EDGES ARE NOT EXPECTED TO HELP at ε = {epsilon}: {reasons}. veil choose compares the methods; edge-free \
                 reads no edge and costs no ε of edges"
            )
        })
    }
}

/// What is expected of a release of this method's edges, from public facts; none if it reads no
/// edge or protects something else, or a fact is not public.
pub fn outlook(method: &dyn Method, data: &Private<Dataset>) -> Option<Outlook> {
    let public = data.public();
    let entry = method::find(method.name()).ok()?;
    let unit = entry.unit.filter(|unit| unit.is_about_edges())?;
    public.check(unit).ok()?;
    let plan = method.edges(public.nodes, public.classes.unwrap_or(0)).ok()?;
    let epsilon = plan.guarantees().first()?.epsilon;
    if !epsilon.is_finite() {
        return None;
    }
    let epsilon = epsilon.as_f64();
    let setting = setting(method, entry.trust)?;
    let gain = variant(method, setting).and_then(|name| {
        let found = expected(Table::shipped(), setting, name, epsilon, &shape(&public))?;
        found.gain.map(|gain| (name, gain))
    });
    let nodes = f64::from(public.nodes);
    Some(Outlook {
        method: gain.map_or(entry.name, |(name, _)| name).to_owned(),
        epsilon,
        gain: gain.map(|(_, gain)| gain),
        least_degree: releases_pairs(&plan, unit).then(|| least_degree(nodes, epsilon)),
        nodes,
    })
}

/// The density at which the odds of an edge, 1 to (1−p)/p, are made up for by the factor e^ε with
/// which one released bit changes them: p = 1/(1 + e^ε), as a mean degree.
fn least_degree(nodes: f64, epsilon: f64) -> f64 {
    (nodes - 1.0).max(0.0) / (1.0 + libm::exp(epsilon))
}

/// Whether every pair of nodes is released as a noisy bit.
fn releases_pairs(plan: &EdgePlan, unit: Unit) -> bool {
    matches!(plan, EdgePlan::Graph(_)) || (matches!(plan, EdgePlan::Lists(_)) && unit == Unit::EdgeBit)
}

/// The setting of the measured runs: reports of features or labels with noise were measured in
/// none.
fn setting(method: &dyn Method, trust: Trust) -> Option<Setting> {
    let reports = method.reports()?;
    let as_they_are = |epsilon: Option<Epsilon>| epsilon.is_some_and(|it| !it.is_finite());
    let unperturbed = as_they_are(reports.epsilon_features) && as_they_are(reports.epsilon_labels);
    unperturbed.then_some(if trust == Trust::Central { Setting::Edge } else { Setting::Relationship })
}

/// The measured method whose flags are those of this one, beyond the defaults that depend on ε.
fn variant(method: &dyn Method, setting: Setting) -> Option<&'static str> {
    let settings = method.settings();
    let has = |name: &&&str| {
        let words: Vec<&str> = name.split_whitespace().skip(1).collect();
        let set = |pair: &[&str]| match pair {
            [flag, value] => settings.word(flag.trim_start_matches('-')) == Some(value),
            _ => false,
        };
        name.split(' ').next() == Some(method.name()) && words.chunks(2).all(set)
    };
    // The one with the most flags that are all set.
    Table::shipped().methods(setting).iter().filter(has).max_by_key(|name| name.len()).copied()
}

fn shape(public: &Public<'_>) -> Shape {
    let classes = public.classes.map(f64::from);
    let trained = public.split.map(|split| split.count(Part::Train) as f64);
    Shape {
        nodes: Some(f64::from(public.nodes)),
        classes,
        dimensions: public.dimensions.map(|it| it as f64),
        labels: trained.zip(classes).map(|(trained, classes)| trained / classes.max(1.0)),
        degree: None,
    }
}
