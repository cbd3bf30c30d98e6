//! What a sweep gave, for people: one row for each point, with intervals, the gap to ε = ∞, and
//! marks for what is best.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;
use veil_lab::outcome::{Outcome, written};
use veil_lab::statistics::Summary;
use veil_lab::sweep::Done;
use veil_lab::worth::{Budget, Candidates, References, Role, Scored, Worth, words};

use crate::output::{fixed, grouped, rounded_up, table};

/// What `--json` prints.
#[derive(Serialize)]
pub struct Shown {
    pub title: String,
    pub out: PathBuf,
    /// How many runs the file asks for, and how many of them differ.
    pub runs: usize,
    pub distinct: usize,
    #[serde(flatten)]
    pub done: Done,
    /// What the others are compared with.
    #[serde(flatten)]
    pub references: References,
    /// What they could have been.
    #[serde(skip)]
    pub candidates: Candidates,
    /// What every point is worth.
    pub points: Vec<Worth>,
    pub outcomes: Vec<Outcome>,
}

pub fn describe(shown: &Shown) -> String {
    let attacks: BTreeSet<&String> = shown.points.iter().flat_map(|point| point.attacks.keys()).collect();
    let headings: Vec<String> = attacks.iter().map(|name| format!(">{}", name.replace("_auc", " AUC"))).collect();
    let has_gaps = shown.points.iter().any(|point| point.gap.is_some());
    let has_others = shown.points.iter().any(|point| point.data != shown.points[0].data);
    let mut columns = vec!["case"];
    columns.extend(has_others.then_some("data"));
    let elsewhere = shown.points.iter().all(|point| point.scored == Scored::Inference);
    columns.extend(["", ">ε", ">runs", if elsewhere { ">inference accuracy %" } else { ">accuracy %" }]);
    columns.extend(has_gaps.then_some(">gap %"));
    columns.extend(headings.iter().map(String::as_str));
    columns.push("best");
    let rows = shown.points.iter().map(|point| {
        let mut row = vec![point.case.clone()];
        row.extend(has_others.then(|| point.data.clone()));
        let runs =
            if point.failed == 0 { point.runs.to_string() } else { format!("{}, {} failed", point.runs, point.failed) };
        row.extend([settings(point), epsilon(point), runs]);
        row.push(point.accuracy.as_ref().map_or_else(String::new, percent));
        if has_gaps {
            row.push(gap(point));
        }
        let auc = |name: &&String| point.attacks.get(*name).map_or_else(String::new, |auc| format!("{:.3}", auc.mean));
        row.extend(attacks.iter().map(auc));
        row.push(marks(point));
        row
    });
    let mut text = table(&columns, rows);
    text += "\n";
    text += &legend(shown, has_gaps);
    let Shown { runs, distinct, done: Done { there, run, failed }, .. } = shown;
    text += &format!("\n{} runs → {}: {} were there, {} run now", grouped(*runs), shown.out.display(), there, run);
    if distinct < runs {
        text += &format!(", {} are the same under another name", runs - distinct);
    }
    if *failed > 0 {
        text += &format!(", {failed} FAILED");
    }
    text + "\nreproducible, therefore not private; veil lab sweep export writes a table of every run"
}

/// What is lost, and of how many seeds that is, if not of all.
fn gap(point: &Worth) -> String {
    let Some(found) = &point.gap else { return String::new() };
    let lost = percent(&found.gap.difference);
    match found.gap.left_out.len() {
        0 => lost,
        _ => format!("{lost} of {} seeds", found.gap.difference.count),
    }
}

/// Parameters, but for what the column of ε shows.
fn settings(point: &Worth) -> String {
    let told = point.point.iter().filter(|(name, value)| !point.budget.is_told_by(name, value));
    let told = told.map(|(name, value)| format!("{name} {}", written(value)));
    told.collect::<Vec<String>>().join(", ")
}

/// That of edges or nodes, where there is one; what does not hold, or is not known to, says so.
fn epsilon(point: &Worth) -> String {
    let status = |word: &str| point.promises.iter().any(|promise| promise.status == word && promise.epsilon.is_some());
    let doubtful = ["refuted", "claimed"].into_iter().find(|word| status(word)).filter(|_| !point.edge_free);
    let text = match point.budget {
        _ if point.edge_free => "–".to_owned(),
        Budget::Unstated => String::new(),
        Budget::Infinite => "∞".to_owned(),
        // Three digits after the point, without zeros that say nothing.
        Budget::Finite(epsilon) if epsilon >= 0.001 => {
            format!("{:.3}", rounded_up(epsilon, 3)).trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        Budget::Finite(epsilon) => format!("{epsilon:e}"),
    };
    doubtful.map_or(text.clone(), |word| format!("{text} {word}"))
}

/// The mean and its interval, in per cent.
fn percent(summary: &Summary) -> String {
    let number = |share: f64| fixed(100.0 * share, 1);
    let mean = number(summary.mean);
    summary.interval.map_or(mean.clone(), |[low, high]| format!("{mean} [{}, {}]", number(low), number(high)))
}

fn marks(point: &Worth) -> String {
    let on_attack = point.front.attacks.values().any(|on| *on);
    let marks = [(point.front.epsilon == Some(true), "ε"), (on_attack, "a"), (point.is_sweet() == Some(true), "★")];
    marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark).collect::<Vec<&str>>().join(" ")
}

/// What columns and marks mean, as far as there are any.
fn legend(shown: &Shown, has_gaps: bool) -> String {
    let points: Vec<&Worth> = shown.points.iter().collect();
    let mut lines = vec![
        "accuracy and gap with 95 % intervals over the seeds (bootstrap; of two or three seeds their range)".to_owned(),
    ];
    lines.extend(words::elsewhere(&points));
    if has_gaps {
        let against = shown.references.non_private.as_ref().map_or_else(
            || "the same case at ε = ∞".to_owned(),
            |case| format!("{case}, or else the same case at ε = ∞"),
        );
        lines.push(format!("gap: accuracy lost against {against}, seed by seed"));
        lines.push("     (the same data, ε of features and labels, and training; networks that pass messages are the same too)".to_owned());
        lines.extend(words::differences(&points).iter().map(|line| format!("     {line}")));
    }
    lines.extend(words::no_gap(&points, &shown.references));
    let unclear = words::unclear(&shown.references, &shown.candidates);
    lines.extend(unclear.into_iter().map(|(role, cases)| choice(role, &cases)));
    let attacked = points.iter().any(|point| !point.attacks.is_empty());
    lines.push(format!(
        "best: ε on the front of ε and accuracy (per unit; of edges, none cost 0; no refuted promises){}",
        if attacked { ", a on an attack’s" } else { "" }
    ));
    if let (Some(floor), Some(open)) = (&shown.references.floor, &shown.references.non_private)
        && points.iter().any(|point| !point.sweet.is_empty())
    {
        lines.push(format!(
            "★ a sweet spot: proven, more accurate than {floor}, and no attack has more than half of the advantage over \
             {floor}\n  that it has on {open}, seed by seed"
        ));
    }
    lines.extend(words::no_verdict(&points, &shown.references).iter().map(|line| format!("★ {line}")));
    lines.join("\n")
}

/// How to choose a reference.
pub fn choice(role: Role, cases: &str) -> String {
    let flag = if role == Role::Floor { "--floor" } else { "--non-private" };
    format!("{flag} chooses the reference: {cases}")
}
