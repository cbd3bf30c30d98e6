//! What applies, and what it would promise: every method is configured, and asked for its plan.

use std::sync::Arc;

use veil_privacy::parameters::Settings;
use veil_privacy::release::EdgePlan;
use veil_privacy::{Delta, Epsilon, Fact, Guarantee, Public, Status, Trust, Unit};

use super::table::{Setting, Table};
use super::{Candidate, ChooseError, EPSILON_LABELS, Known, Question, Refused};
use crate::method::{self, Entry, Method, MethodError, Shape};
use crate::parameters::Reports;
use crate::pipeline::SplitChoice;

/// Every method of this trust: those that apply, in the order of the registry, and why the others
/// do not.
pub(super) fn candidates(
    public: &Public<'_>,
    question: &Question,
    setting: Setting,
    known: &Known,
) -> Result<(Vec<Candidate>, Vec<Refused>), ChooseError> {
    let measured = Table::shipped().methods(setting);
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for entry in method::entries() {
        // Its defaults, and what else of it was measured.
        let own = |it: &&&str| it.split(' ').next() == Some(entry.name) && **it != entry.name;
        let variants: Vec<&str> = std::iter::once(entry.name).chain(measured.iter().filter(own).copied()).collect();
        for variant in variants {
            match candidate(entry, variant, public, question, setting, known) {
                Ok(Some(candidate)) => found.push(candidate),
                Ok(None) => {}
                Err(why) => refused.push(Refused { method: variant.to_owned(), why }),
            }
        }
    }
    Ok((found, refused))
}

/// A method, and the flags that configure it.
type Configured = (Arc<dyn Method>, Vec<(String, String)>);

/// A method as a candidate; `None` if it is about something else, or why it does not apply.
fn candidate(
    entry: &'static Entry,
    variant: &str,
    public: &Public<'_>,
    question: &Question,
    setting: Setting,
    known: &Known,
) -> Result<Option<Candidate>, String> {
    let protects = match (question.trust, question.unit, entry.unit) {
        // A relationship is what two reports of a bit are about.
        (Trust::Local, Unit::Edge, Some(unit)) => unit.is_about_edges() && entry.trust == Trust::Local,
        (trust, unit, Some(own)) => trust == entry.trust && unit == own,
        // It protects no edge by a mechanism, and may read none.
        (_, unit, None) => unit.is_about_edges() && setting != Setting::Labels,
    };
    if !protects {
        return Ok(None);
    }
    if entry.unit.is_some() && entry.status != Status::Proven {
        return Err(format!("its guarantee is {}", entry.status));
    }
    if entry.public_graph && !question.public_graph {
        return Err("it needs a public graph, on which its student learns".to_owned());
    }
    let mut flags = flags(entry, variant);
    if entry.trust == Trust::Local || (entry.unit.is_none() && question.trust == Trust::Local) {
        let released = |fact| public.declarations.contains(fact);
        let features = released(Fact::Features).then_some("inf").filter(|_| public.dimensions.is_some());
        flags.extend(features.map(|it| ("epsilon-features".to_owned(), it.to_owned())));
        let labels = if released(Fact::Labels) { "inf" } else { EPSILON_LABELS };
        flags.push(("epsilon-labels".to_owned(), labels.to_owned()));
    }
    let wrong = |error: MethodError| error.to_string();
    let configured = |epsilon: Epsilon| -> Result<Configured, MethodError> {
        let mut flags = flags.clone();
        if entry.unit.is_some() {
            let name = if entry.reads("epsilon-edges") { "epsilon-edges" } else { "epsilon" };
            flags.insert(0, (name.to_owned(), epsilon.to_string()));
        }
        Ok((entry.configure(&settings(&flags))?, flags))
    };
    let planned = |method: &dyn Method| method.edges(public.nodes, public.classes.unwrap_or(0));
    let (mut method, mut made) = configured(question.epsilon).map_err(wrong)?;
    let mut guarantee = None;
    if !entry.public_graph {
        let mut plan = planned(&*method).map_err(wrong)?;
        if entry.unit.is_none() && plan != EdgePlan::Withheld {
            return Err("it reads the edges as they are: nothing protects them".to_owned());
        }
        let both = plan.guarantees().first().and_then(|it| it.per_relationship);
        // Two reports share the ε of a relationship.
        if question.unit == Unit::Edge && question.trust == Trust::Local && both.is_some_and(|it| it > question.epsilon)
        {
            let half = question.epsilon.divided_by(2).ok_or("ε is too small for two reports")?;
            (method, made) = configured(half).map_err(wrong)?;
            plan = planned(&*method).map_err(wrong)?;
        }
        guarantee = plan.guarantees().into_iter().next();
        let features = public.dimensions.filter(|_| method.reports().is_none_or(Reports::vectors));
        let features = features.filter(|_| setting != Setting::Labels);
        let shape = Shape {
            features: features.or(public.dimensions.filter(|_| entry.unit == Some(Unit::Node))),
            classes: public.classes.unwrap_or(0) as usize,
            validated: known.validated,
            // Nothing is refused for a number that is not known.
            others: known.others.unwrap_or(u32::MAX as usize),
        };
        method.check(shape).map_err(|error| error.to_string())?;
    }
    let (epsilon, delta, both) = promised(entry, &*method, guarantee.as_ref(), question);
    made.splice(0..0, [("method".to_owned(), entry.name.to_owned())]);
    made.extend(split_flag(question, known));
    Ok(Some(Candidate {
        method: variant.to_owned(),
        unit: entry.unit,
        epsilon,
        delta,
        per_relationship: both,
        status: entry.status,
        expected: None,
        shortfall: None,
        flags: made,
    }))
}

/// ε, δ and ε of a relationship: those of the plan or, for students, whose plan needs both graphs,
/// those of their parameters.
fn promised(
    entry: &Entry,
    method: &dyn Method,
    guarantee: Option<&Guarantee>,
    question: &Question,
) -> (Option<Epsilon>, Delta, Option<Epsilon>) {
    if entry.unit.is_none() {
        return (None, Delta::ZERO, None);
    }
    match guarantee {
        Some(it) => (Some(it.epsilon), it.delta, it.per_relationship.filter(|both| *both != it.epsilon)),
        None => {
            let delta = method.settings().get("delta").and_then(|it| it.to_string().trim_matches('"').parse().ok());
            (Some(question.epsilon), delta.unwrap_or(Delta::ZERO), None)
        }
    }
}

/// `NAME --FLAG VALUE …` after the name.
fn flags(entry: &Entry, variant: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = variant.strip_prefix(entry.name).unwrap_or("").split_whitespace().collect();
    let pair = |pair: &[&str]| match pair {
        [flag, value] => Some((flag.trim_start_matches('-').to_owned(), (*value).to_owned())),
        _ => None,
    };
    words.chunks(2).filter_map(pair).collect()
}

fn settings(flags: &[(String, String)]) -> Settings {
    let mut settings = Settings::default();
    for (name, value) in flags {
        settings.insert(name.clone(), value.clone());
    }
    settings
}

fn split_flag(question: &Question, known: &Known) -> Option<(String, String)> {
    let flag = |text: String| ("split".to_owned(), text);
    match question.split {
        Some(split) if split != SplitChoice::Public => Some(flag(split.to_string())),
        _ => known.no_split.then(|| flag("0.5,0.25,0.25".to_owned())),
    }
}
