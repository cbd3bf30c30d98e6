//! What the released graph looks like beside the true one: two bars for each degree, and for each class.

use std::fmt::Write;

use veil_graph::{Graph, NodeId, homophily};

use super::number::{percent, pixel};
use super::page::{Figure, Room, beginning, escaped};

/// What of a graph is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    /// How many nodes have 0, 1, 2, … neighbours.
    pub degrees: Vec<u64>,
    /// The mean share of a node's neighbours that are in its own class, for each class; none where no node has any.
    pub homophily: Vec<Option<f64>>,
}

impl Looks {
    /// Those of this graph, with nodes in these classes.
    pub fn of(graph: &Graph, class: impl Fn(NodeId) -> Option<u32>, classes: u32) -> Looks {
        let mut degrees = Vec::new();
        for node in 0..graph.nodes() {
            let degree = graph.neighbours(node).len();
            if degree >= degrees.len() {
                degrees.resize(degree + 1, 0);
            }
            if let Some(nodes) = degrees.get_mut(degree) {
                *nodes += 1;
            }
        }
        Looks { degrees, homophily: homophily::per_class(graph, class, classes) }
    }
}

/// A released graph beside the true one.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideTruth {
    /// What was released, and how.
    pub name: String,
    /// The true graph.
    pub truth: Looks,
    /// The released one.
    pub released: Looks,
    /// The names of the classes; numbers stand for what has none.
    pub classes: Vec<String>,
}

/// A value of the true graph and one of the released one.
struct Pair {
    label: String,
    truth: Option<f64>,
    released: Option<f64>,
}

impl BesideTruth {
    /// Both pictures.
    pub(super) fn figures(&self, place: usize) -> String {
        let BesideTruth { name, .. } = self;
        let degrees = pairs_of_degrees(&self.truth.degrees, &self.released.degrees);
        let classes = self.pairs_of_classes();
        format!(
            "<div class=\"pair\">\n{}{}</div>\n",
            figure(
                format!("degrees-{place}"),
                format!("{name}: degrees"),
                "share of the nodes (%)",
                "neighbours",
                &degrees
            ),
            figure(
                format!("homophily-{place}"),
                format!("{name}: homophily per class"),
                "neighbours in the own class (%)",
                "class",
                &classes
            )
        )
    }

    fn pairs_of_classes(&self) -> Vec<Pair> {
        let classes = self.truth.homophily.len().max(self.released.homophily.len());
        let value = |looks: &Looks, class: usize| looks.homophily.get(class).copied().flatten();
        let pair = |class: usize| Pair {
            label: self.classes.get(class).cloned().unwrap_or_else(|| class.to_string()),
            truth: value(&self.truth, class),
            released: value(&self.released, class),
        };
        (0..classes).map(pair).collect()
    }
}

/// Shares of the nodes by degree: 0, 1, 2, then 3–4, 5–8, … as there are ever fewer of them.
fn pairs_of_degrees(truth: &[u64], released: &[u64]) -> Vec<Pair> {
    let most = truth.len().max(released.len());
    let (mut pairs, mut from) = (Vec::new(), 0usize);
    let share = |degrees: &[u64], from: usize, until: usize| {
        let inside: u64 = degrees.iter().take(until).skip(from).sum();
        let all: u64 = degrees.iter().sum();
        (all > 0).then(|| inside as f64 / all as f64)
    };
    while from < most {
        let until = if from < 3 { from + 1 } else { 2 * from - 1 };
        let label = if until - from == 1 { from.to_string() } else { format!("{from}–{}", until - 1) };
        pairs.push(Pair { label, truth: share(truth, from, until), released: share(released, from, until) });
        from = until;
    }
    pairs
}

fn figure(id: String, title: String, up: &str, across: &str, pairs: &[Pair]) -> String {
    let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), percent);
    let words: Vec<String> = pairs
        .iter()
        .map(|pair| format!("{across} {}: true {}, released {}", pair.label, shown(pair.truth), shown(pair.released)))
        .collect();
    let figure = Figure {
        id,
        title,
        description: format!("{up}. {}.", words.join("; ")),
        legend: "<ul class=\"legend\">\n<li><svg viewBox=\"0 0 14 14\" width=\"14\" height=\"14\" aria-hidden=\"true\" focusable=\"false\">\
                 <rect class=\"true\" x=\"1\" y=\"1\" width=\"12\" height=\"12\"/></svg>true</li>\n\
                 <li><svg viewBox=\"0 0 14 14\" width=\"14\" height=\"14\" aria-hidden=\"true\" focusable=\"false\">\
                 <rect class=\"released\" x=\"1\" y=\"1\" width=\"12\" height=\"12\"/></svg>released</li>\n</ul>\n"
            .to_owned(),
        caption: String::new(),
        headings: &[across, "true (%)", "released (%)"],
        rows: pairs.iter().map(|pair| vec![pair.label.clone(), shown(pair.truth), shown(pair.released)]).collect(),
    };
    figure.html(|room| draw(room, up, across, pairs))
}

const TOP: f64 = 30.0;
const LEFT: f64 = 38.0;
/// How wide a letter is, and how long a name that is not cut for want of room.
const LETTER: f64 = 8.6;
const SHORT: usize = 6;

fn draw(room: Room, up: &str, across: &str, pairs: &[Pair]) -> (f64, f64, String) {
    let (width, bottom) = if room == Room::Wide { (440.0, 240.0) } else { (360.0, 220.0) };
    let highest = pairs.iter().flat_map(|pair| [pair.truth, pair.released]).flatten().fold(0.0, f64::max);
    // Quarters of the first round height that is enough.
    let top = [0.04, 0.08, 0.2, 0.4, 0.6, 0.8].into_iter().find(|top| *top >= highest).unwrap_or(1.0);
    let mut svg = format!("<g class=\"axis\"><text x=\"0\" y=\"14\" class=\"name\">{up}</text>");
    // Writing into a String cannot fail.
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let y = bottom - (bottom - TOP) * share;
        let class = if quarter == 0 { "base" } else { "grid" };
        let _ = write!(svg, "<path class=\"{class}\" d=\"M{LEFT} {}H{width}\"/>", pixel(y));
        let label = format!("{:.0}", 100.0 * top * share);
        let _ = write!(svg, "<text class=\"e\" x=\"{}\" y=\"{}\">{label}</text>", LEFT - 8.0, pixel(y + 4.0));
    }
    let step = (width - LEFT) / pairs.len().max(1) as f64;
    let bar = (step * 0.38).min(26.0);
    // Names that have no room beside each other are told by their bars and the table.
    let letters = ((step / LETTER) as usize).saturating_sub(1).max(SHORT);
    let mut free = 0.0;
    for (place, pair) in pairs.iter().enumerate() {
        let middle = LEFT + step * (place as f64 + 0.5);
        for (value, class, x) in [(pair.truth, "true", middle - bar - 1.0), (pair.released, "released", middle + 1.0)] {
            if let Some(value) = value {
                let height = (bottom - TOP) * (value / top).clamp(0.0, 1.0);
                let _ = write!(
                    svg,
                    "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}, {class}: {} %</title></rect>",
                    pixel(x),
                    pixel(bottom - height),
                    pixel(bar),
                    pixel(height),
                    escaped(&pair.label),
                    percent(value)
                );
            }
        }
        let label = beginning(&pair.label, letters);
        let half = label.chars().count() as f64 * LETTER / 2.0;
        if middle - half >= free {
            let (x, y, label) = (pixel(middle), pixel(bottom + 18.0), escaped(&label));
            let _ = write!(svg, "<text class=\"c\" x=\"{x}\" y=\"{y}\">{label}</text>");
            free = middle + half + LETTER / 2.0;
        }
    }
    let middle = pixel((LEFT + width) / 2.0);
    let _ = writeln!(svg, "<text class=\"c name\" x=\"{middle}\" y=\"{}\">{across}</text></g>", pixel(bottom + 40.0));
    (width, bottom + 48.0, svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veil_graph::Direction;

    #[test]
    fn a_graph_is_counted_by_degree_and_class() {
        let graph = Graph::from_edges(5, &[(0, 1), (0, 2), (0, 3)], Direction::Undirected).unwrap().graph;
        let looks = Looks::of(&graph, |node| Some(node / 2), 3);
        assert_eq!(looks.degrees, [1, 3, 0, 1]);
        assert_eq!(looks.homophily, [Some((1.0 / 3.0 + 1.0) / 2.0), Some(0.0), None]);
    }

    #[test]
    fn names_below_bars_do_not_touch() {
        let pairs = pairs_of_degrees(&[1; 300], &[]);
        let (.., svg) = draw(Room::Narrow, "", "", &pairs);
        let named: Vec<&str> = svg.split("</text>").filter(|part| part.contains("class=\"c\"")).collect();
        let place = |part: &str| {
            let x: f64 = part.rsplit("x=\"").next()?.split('"').next()?.parse().ok()?;
            Some((x, part.rsplit('>').next()?.chars().count() as f64 * LETTER / 2.0))
        };
        let places: Vec<(f64, f64)> = named.iter().filter_map(|part| place(part)).collect();
        assert!(places.len() >= 5 && places.len() < pairs.len(), "{places:?}");
        assert!(places.windows(2).all(|two| two[0].0 + two[0].1 < two[1].0 - two[1].1), "{places:?}");
    }

    #[test]
    fn high_degrees_share_a_bar_and_no_node_is_lost() {
        let (truth, released) = (vec![1, 1, 1, 1, 1, 1, 1, 1, 1, 1], vec![0, 4]);
        let pairs = pairs_of_degrees(&truth, &released);
        let labels: Vec<&str> = pairs.iter().map(|pair| pair.label.as_str()).collect();
        assert_eq!(labels, ["0", "1", "2", "3–4", "5–8", "9–16"]);
        let sum = |value: fn(&Pair) -> Option<f64>| pairs.iter().filter_map(value).sum::<f64>();
        assert!((sum(|pair| pair.truth) - 1.0).abs() < 1e-12 && (sum(|pair| pair.released) - 1.0).abs() < 1e-12);
    }
}
