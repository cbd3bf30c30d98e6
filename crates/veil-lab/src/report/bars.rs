//! A released graph beside the true one: two bars for each degree, and for each class.

use veil_graph::{Dataset, Graph, Labels, NodeId, homophily};

use super::number::percent;
use super::page::{Drawing, Figure, Room, Row, beginning};
use super::svg::{line, rect, text};

/// What is shown of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    /// The number of nodes with 0, 1, 2, … neighbours.
    pub degrees: Vec<u64>,
    /// Per class, the mean share of a node's neighbours in its own class; none where no node has
    /// any.
    pub homophily: Vec<Option<f64>>,
}

impl Looks {
    /// Those of a graph whose nodes have these classes.
    pub fn of(graph: &Graph, class: impl Fn(NodeId) -> Option<u32>, classes: u32) -> Looks {
        let degrees: Vec<usize> = (0..graph.nodes()).map(|node| graph.neighbours(node).len()).collect();
        let mut counts = vec![0; degrees.iter().max().map_or(0, |most| most + 1)];
        degrees.into_iter().for_each(|degree| counts[degree] += 1);
        Looks { degrees: counts, homophily: homophily::per_class(graph, class, classes) }
    }
}

/// A label, the true share and the released one.
type Pair = (String, Option<f64>, Option<f64>);

/// A released graph beside the true one.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideTruth {
    /// The name of the release.
    pub name: String,
    /// The true graph.
    pub truth: Looks,
    /// The released graph.
    pub released: Looks,
    /// The names of the classes; a class without a name has its number.
    pub classes: Vec<String>,
}

impl BesideTruth {
    /// The comparison of a released graph with the data it was released from, by true classes.
    pub fn of(name: String, truth: &Dataset, released: &Graph) -> BesideTruth {
        let classes = truth.labels().map_or(0, Labels::classes);
        let looks = |graph: &Graph| Looks::of(graph, |node| truth.labels()?.get(node), classes);
        let names = truth.labels().and_then(Labels::names).map_or_else(Vec::new, <[String]>::to_vec);
        BesideTruth { name, truth: looks(truth.graph()), released: looks(released), classes: names }
    }

    /// Both pictures.
    pub(super) fn figures(&self, place: usize) -> String {
        let BesideTruth { name, truth, released, classes } = self;
        let of = |looks: &Looks, class: usize| looks.homophily.get(class).copied().flatten();
        let pair = |class: usize| {
            let label = classes.get(class).cloned().unwrap_or_else(|| class.to_string());
            (label, of(truth, class), of(released, class))
        };
        let homophily: Vec<Pair> = (0..truth.homophily.len().max(released.homophily.len())).map(pair).collect();
        let degrees = degrees(&truth.degrees, &released.degrees);
        let (up, title) = ("share of the nodes (%)", format!("{name}: degrees"));
        let by_degree = figure(format!("degrees-{place}"), title, up, "neighbours", &degrees);
        let (up, title) = ("neighbours in the own class (%)", format!("{name}: homophily per class"));
        let by_class = figure(format!("homophily-{place}"), title, up, "class", &homophily);
        format!("<div class=\"figures\">\n{by_degree}{by_class}</div>\n")
    }
}

/// Shares of the nodes by degree: 0, 1, 2, then 3–4, 5–8, …
fn degrees(truth: &[u64], released: &[u64]) -> Vec<Pair> {
    let share = |degrees: &[u64], from: usize, until: usize| {
        let inside: u64 = degrees.iter().take(until).skip(from).sum();
        let all: u64 = degrees.iter().sum();
        (all > 0).then(|| inside as f64 / all as f64)
    };
    let (mut pairs, mut from) = (Vec::new(), 0usize);
    while from < truth.len().max(released.len()) {
        let until = if from < 3 { from + 1 } else { 2 * from - 1 };
        let label = if until - from == 1 { from.to_string() } else { format!("{from}–{}", until - 1) };
        pairs.push((label, share(truth, from, until), share(released, from, until)));
        from = until;
    }
    pairs
}

fn figure(id: String, title: String, up: &str, across: &str, pairs: &[Pair]) -> String {
    let shown = |value: &Option<f64>| value.map_or_else(|| "–".to_owned(), percent);
    let sign = |class: &str| {
        let rect = rect(class, [1.0, 1.0, 12.0, 12.0], "");
        let size = "viewBox=\"0 0 14 14\" width=\"14\" height=\"14\" aria-hidden=\"true\" focusable=\"false\"";
        format!("<li><svg {size}>{rect}</svg>{class}</li>\n")
    };
    let figure = Figure {
        id,
        title,
        description: format!("{up} by {across}. The numbers are in the table below."),
        legend: format!("<ul class=\"legend\">\n{}{}</ul>\n", sign("true"), sign("released")),
        caption: String::new(),
        headings: [across, "true (%)", "released (%)"].map(str::to_owned).to_vec(),
        rows: pairs
            .iter()
            .map(|(label, truth, released)| Row::of(vec![label.clone(), shown(truth), shown(released)]))
            .collect(),
    };
    figure.html(false, |room| draw(room, up, across, pairs))
}

const TOP: f64 = 30.0;
const LEFT: f64 = 38.0;
/// The width of a letter, and the length up to which a name is not cut.
const LETTER: f64 = 8.6;
const SHORT: usize = 6;

fn draw(room: Room, up: &str, across: &str, pairs: &[Pair]) -> Drawing {
    let (width, bottom) = if room == Room::Narrow { (360.0, 220.0) } else { (560.0, 270.0) };
    let highest = pairs.iter().flat_map(|(_, truth, released)| [*truth, *released]).flatten().fold(0.0, f64::max);
    // Quarters of the first round height that is enough.
    let top = [0.04, 0.08, 0.2, 0.4, 0.6, 0.8].into_iter().find(|top| *top >= highest).unwrap_or(1.0);
    let mut svg = format!("<g class=\"axis\">{}", text("name", (0.0, 14.0), up));
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let y = bottom - (bottom - TOP) * share;
        svg += &line(if quarter == 0 { "base" } else { "grid" }, &[(LEFT, y), (width, y)]);
        svg += &text("e", (LEFT - 8.0, y + 4.0), &format!("{:.0}", 100.0 * top * share));
    }
    let step = (width - LEFT) / pairs.len().max(1) as f64;
    let bar = (step * 0.38).min(26.0);
    let letters = ((step / LETTER) as usize).saturating_sub(1).max(SHORT);
    let mut free = 0.0;
    for (place, (label, truth, released)) in pairs.iter().enumerate() {
        let middle = LEFT + step * (place as f64 + 0.5);
        for (value, class, x) in [(truth, "true", middle - bar - 1.0), (released, "released", middle + 1.0)] {
            if let Some(value) = value {
                let height = (bottom - TOP) * (value / top).clamp(0.0, 1.0);
                let title = format!("{across} {label}\n{class}: {} %", percent(*value));
                svg += &rect(class, [x, bottom - height, bar, height], &title);
            }
        }
        // A name without room is left to the table.
        let label = beginning(label, letters);
        let half = label.chars().count() as f64 * LETTER / 2.0;
        if middle - half >= free {
            svg += &text("c", (middle, bottom + 18.0), &label);
            free = middle + half + LETTER / 2.0;
        }
    }
    svg += &text("c name", ((LEFT + width) / 2.0, bottom + 40.0), across);
    (width, bottom + 48.0, svg + "</g>\n")
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
        let pairs = degrees(&[1; 300], &[]);
        let (.., svg) = draw(Room::Narrow, "", "", &pairs);
        let named: Vec<&str> = svg.split("</text>").filter(|part| part.contains("class=\"c\"")).collect();
        let place = |part: &str| {
            let x: f64 = part.rsplit(" x=\"").next()?.split('"').next()?.parse().ok()?;
            Some((x, part.rsplit('>').next()?.chars().count() as f64 * LETTER / 2.0))
        };
        let places: Vec<(f64, f64)> = named.iter().filter_map(|part| place(part)).collect();
        assert!(places.len() >= 5 && places.len() < pairs.len(), "{places:?}");
        assert!(places.windows(2).all(|two| two[0].0 + two[0].1 < two[1].0 - two[1].1), "{places:?}");
    }

    #[test]
    fn high_degrees_share_a_bar_and_no_node_is_lost() {
        let (truth, released) = (vec![1, 1, 1, 1, 1, 1, 1, 1, 1, 1], vec![0, 4]);
        let pairs = degrees(&truth, &released);
        let labels: Vec<&str> = pairs.iter().map(|pair| pair.0.as_str()).collect();
        assert_eq!(labels, ["0", "1", "2", "3–4", "5–8", "9–16"]);
        let sum = |value: fn(&Pair) -> Option<f64>| pairs.iter().filter_map(value).sum::<f64>();
        assert!((sum(|pair| pair.1) - 1.0).abs() < 1e-12 && (sum(|pair| pair.2) - 1.0).abs() < 1e-12);
    }
}
