//! What an attack on membership found, for people and for machines.

use serde::Serialize;
use veil_attack::membership::{Found, Role, Shadow};

use super::cast::{Cast, Stage};
use crate::output::{grouped, table};

/// What `--json` prints.
#[derive(Serialize)]
pub struct Shown {
    attack: &'static str,
    /// How many are asked about, and how many there were.
    members: Asked,
    others: Asked,
    /// Whether every class has as many members as others.
    classes_matched: bool,
    /// Where they are asked: in the run's graph, or each side in the graph among those who are asked about.
    asked_in: &'static str,
    shadows: usize,
    /// From how many nodes shadows draw theirs, and how many each learns from. None of them is asked about.
    shadow_pool: usize,
    shadow_members: usize,
    found: Vec<Found>,
    seconds: f64,
}

#[derive(Serialize)]
struct Asked {
    asked: usize,
    available: usize,
}

impl Shown {
    pub fn new(cast: &Cast, classes_matched: bool, shadows: &[Shadow], found: Vec<Found>, seconds: f64) -> Shown {
        let [members, others] = cast.available;
        let learned = |shadow: &Shadow| shadow.roles.iter().filter(|&&role| role == Role::Member).count();
        Shown {
            attack: "membership",
            members: Asked { asked: cast.members.len(), available: members },
            others: Asked { asked: cast.others.len(), available: others },
            classes_matched,
            asked_in: match cast.stage {
                Stage::Run(_) => "the run's graph",
                Stage::Apart(..) => "the graph among members, and that among others",
            },
            shadows: shadows.len(),
            shadow_pool: cast.pool.nodes.len(),
            shadow_members: shadows.first().map_or(0, learned),
            found,
            seconds,
        }
    }

    pub fn describe(&self) -> String {
        let figure = |value: f64, [low, high]: [f64; 2]| format!("{value:.3} ({low:.3} to {high:.3})");
        let optional = |value: Option<f64>, interval: Option<[f64; 2]>| {
            value.zip(interval).map_or_else(|| "–".to_owned(), |(value, interval)| figure(value, interval))
        };
        let rows = self.found.iter().map(|Found { attack, scores }| {
            vec![
                attack.name().to_owned(),
                figure(scores.auc, scores.auc_ci),
                optional(scores.tpr_at_fpr.per_mille, scores.tpr_at_fpr_ci.per_mille),
                optional(scores.tpr_at_fpr.per_cent, scores.tpr_at_fpr_ci.per_cent),
                optional(scores.balanced_accuracy, scores.balanced_accuracy_ci),
            ]
        });
        let columns = ["membership", "AUC", "TPR at 0.1 % FPR", "TPR at 1 % FPR", "balanced accuracy"];
        let mut text = table(&columns, rows);
        let asked = |it: &Asked| format!("{} of {}", grouped(it.asked), grouped(it.available));
        text += &format!("\n{} members and {} others are asked about", asked(&self.members), asked(&self.others));
        text += match self.classes_matched {
            true => ", in every class as many of both",
            false => "; classes are not matched, and that alone tells members from others",
        };
        text += &format!(", in {}", self.asked_in);
        let [shadows, pool, members] = [self.shadows, self.shadow_pool, self.shadow_members].map(grouped);
        text += &format!(
            "\n{shadows} shadow models, each trained on {members} of {pool} nodes that nobody is asked about; {:.1} s",
            self.seconds
        );
        if self.others.asked < 1000 {
            let (rates, least) = if self.others.asked < 100 { ("0.1 % and 1 %", 100) } else { ("0.1 %", 1000) };
            text += &format!(
                "\n{} others are too few for a rate of {rates}: {} are needed",
                grouped(self.others.asked),
                grouped(least)
            );
        }
        text += "\nIn brackets: 95 % intervals over nodes. An AUC of 0.5 says that these attacks found nothing; it is no test of an ε.";
        text
    }
}
