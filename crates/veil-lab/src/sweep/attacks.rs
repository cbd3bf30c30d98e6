//! The attacks that runs are put through, with the parameters of `veil attack`.

use veil_attack::attack::EdgeAttack;
use veil_attack::attack::on_edges;
use veil_privacy::parameters::Settings;

use super::condition::Condition;
use super::settings::json;
use super::text::{Invalid, Item, Table};

/// An attack on the edges of a run. Its sample is drawn from the seed of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedAttack {
    /// What its figures are called: `NAME_auc` and so on.
    pub name: String,
    /// The attack.
    pub attack: EdgeAttack,
}

/// What is measured of an attack; its figures are named NAME_ and then so. The last is that of the
/// edge-free twin.
pub(super) const MEASURED: [&str; 8] =
    ["auc", "auc_low", "auc_high", "average_precision", "precision", "recall", "tpr_at_fpr_0.01", "auc_edge_free"];

impl NamedAttack {
    /// The names of its figures.
    pub(super) fn figures(&self) -> impl Iterator<Item = String> {
        MEASURED.iter().map(|figure| format!("{}_{figure}", self.name))
    }

    /// A figure of the same name.
    pub(super) fn shares_a_figure_with(&self, other: &NamedAttack) -> Option<String> {
        self.figures().find(|figure| self.name != other.name && other.figures().any(|also| also == *figure))
    }
}

/// An attack, and which runs are put through it.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub attack: NamedAttack,
    pub only: Option<Condition>,
}

impl Listed {
    pub fn read(mut table: Table) -> Result<Listed, Invalid> {
        let line = table.line;
        let kind = table.need("kind", "an attack")?;
        let (kind_line, kind) = (kind.line, kind.text()?);
        let name = table.take("name").map_or_else(|| Ok(kind.clone()), Item::text)?;
        // Figures of the rarer class, which every run has, end like that.
        if name.ends_with("rare_roc") {
            return Invalid::new(line, format!("an attack cannot be named {name:?}: another figure is {name}_auc"));
        }
        let only = table.take("where").map(|item| Condition::read(item.table()?)).transpose()?;
        let mut settings = Settings::default();
        let mut lines = Vec::new();
        for (name, item) in table.rest() {
            let (line, value) = (item.line, json(&item.one()?));
            lines.push((line, Settings::from_iter([(name.clone(), value.clone())])));
            settings.insert(name, value);
        }
        let attack = on_edges(&kind, &settings).map_err(|error| {
            let problem = error.to_string();
            let causes = |settings: &Settings| on_edges(&kind, settings).is_err_and(|it| it.to_string() == problem);
            // The line of the one setting with this problem; that of the kind, if it is the problem
            // or settings clash.
            let alone = lines.iter().find(|(_, setting)| causes(setting) && !causes(&Settings::default()));
            Invalid { line: alone.map_or(kind_line, |(line, _)| *line), problem }
        })?;
        Ok(Listed { attack: NamedAttack { name, attack }, only })
    }
}
