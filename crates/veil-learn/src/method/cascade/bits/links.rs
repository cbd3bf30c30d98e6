//! The pairs that users report, and what they say about the classes of their ends.
//!
//! **Model.** Of two nodes of classes c and d with activities θ, the pair is reported with
//! probability q + (p−q)·θ_u·θ_v·B_cd: a true edge with p, any other pair with q, which are public.
//! Nobody has to decide which of the reported pairs are edges: false ones are a background that is
//! the same for all classes. Degrees differ, so θ is a node's number of reports beyond what false
//! ones explain, shrunk as far as that number is noise.
//!
//! **Classes** by belief propagation in this model (Decelle, Krzakala, Moore and Zdeborová 2011,
//! Equations 26 to 28), where what is believed before the reports takes the place of the classes'
//! frequencies, and B by maximum likelihood on the way (Equation 31). Reported pairs send messages;
//! all others together are a field. Time and memory are proportional to reported pairs and classes.
//!
//! All of it is post-processing.

use rayon::prelude::*;
use veil_graph::{Graph, NodeId};

use crate::method::edge_free::scores::{Scores, centre, softmax};
use crate::symmetric::Symmetric;

/// Steps of belief propagation between two estimates of B.
const STEPS: usize = 8;
/// Estimates of B.
const ESTIMATES: usize = 4;
/// The share of the last message in the next.
const DAMPING: f64 = 0.3;
/// The weight of what a pair says: neighbours are not independent.
const WEIGHT: f64 = 0.7;
/// Where nodes of one class are neighbours: half of B is the same for all pairs of classes, half is
/// for equal ones.
const EQUAL: f64 = 0.5;
/// The weight of the mean density in the first B, in nodes.
const RIDGE: f64 = 1.0;
/// The smallest entry of the first B, as a share of the mean density: estimates are uncertain.
const LEAST_GUESS: f64 = 0.05;
/// The smallest activity.
const LEAST_ACTIVITY: f64 = 0.2;
/// The smallest entry of B, as a share of the mean density.
const LEAST_DENSITY: f64 = 1e-3;
/// Links that are expected in any case where beliefs are averaged.
const FEW: f64 = 0.3;
/// Nodes per task.
const BLOCK: usize = 512;

/// How likely a pair is reported: an edge, and any other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chances {
    pub edge: f64,
    pub other: f64,
}

/// The first B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// By least squares from what is believed before.
    Believed,
    /// Nodes of one class are neighbours.
    Alike,
}

/// Reported pairs, in both directions.
pub(super) struct Links {
    offsets: Vec<usize>,
    targets: Vec<NodeId>,
    /// The place of the other direction.
    back: Vec<usize>,
}

/// What links say.
pub(super) struct Said {
    /// ln P(links | class), with mean 0 over the classes.
    pub likelihoods: Scores,
    /// Beliefs after the links.
    pub beliefs: Scores,
    /// The probability that a link is an edge; the same in both directions.
    pub edge: Vec<f64>,
}

impl Links {
    /// The pairs that at least one end reports, or both ends if each has a bit.
    pub fn of(reports: &[&Graph], both: bool) -> Links {
        let (mut offsets, mut targets) = (vec![0], Vec::new());
        let mut start = 0;
        for lists in reports {
            let reverse = lists.transpose();
            for me in 0..lists.nodes() {
                let (mine, theirs) = (lists.neighbours(me), reverse.neighbours(me));
                let mut all: Vec<NodeId> = match both {
                    true => mine.iter().copied().filter(|it| theirs.binary_search(it).is_ok()).collect(),
                    false => mine.iter().chain(theirs).copied().collect(),
                };
                all.sort_unstable();
                all.dedup();
                targets.extend(all.into_iter().map(|it| it + start));
                offsets.push(targets.len());
            }
            start += lists.nodes();
        }
        let mut links = Links { offsets, targets, back: Vec::new() };
        let back = |me: usize| {
            let place = |&other: &NodeId| {
                let other = other as usize;
                let found = links.of_node(other).binary_search(&(me as NodeId)).unwrap_or_default();
                links.offsets[other] + found
            };
            links.of_node(me).iter().map(place).collect::<Vec<_>>()
        };
        let back = (0..links.nodes()).into_par_iter().with_min_len(BLOCK).flat_map_iter(back).collect();
        links.back = back;
        links
    }

    fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    fn of_node(&self, node: usize) -> &[NodeId] {
        &self.targets[self.offsets[node]..self.offsets[node + 1]]
    }

    fn places(&self, node: usize) -> std::ops::Range<usize> {
        self.offsets[node]..self.offsets[node + 1]
    }

    /// The lists of all nodes with a weight for each link.
    pub fn weighted(&self, edge: &[f64]) -> Vec<Vec<(NodeId, f32)>> {
        // A link that is hardly an edge is one all the same.
        let weight = |place: usize| (self.targets[place], (edge[place] as f32).max(f32::MIN_POSITIVE));
        (0..self.nodes()).map(|node| self.places(node).map(weight).collect()).collect()
    }

    /// Belief propagation. `before` is ln P(class) of every node, up to a constant of its own.
    pub fn read(&self, before: &Scores, start: Start, chances: Chances) -> Said {
        let (nodes, classes) = (self.nodes(), before.classes());
        let activity = self.activities(chances);
        let mut beliefs = before.posteriors();
        let density = self.mean_degree(chances) / nodes.max(1) as f64;
        let alike = |c: usize, d: usize| EQUAL + if c == d { EQUAL * classes as f64 } else { 0.0 };
        let mut blocks = match start {
            Start::Believed => self.blocks(&beliefs, density, chances),
            Start::Alike => (0..classes * classes).map(|at| density * alike(at / classes, at % classes)).collect(),
        };
        let background: Vec<f64> = (0..nodes)
            .flat_map(|me| {
                let ratio = chances.other / (chances.edge - chances.other);
                let activity = &activity;
                self.of_node(me).iter().map(move |&other| ratio / (activity[me] * activity[other as usize]))
            })
            .collect();
        // What each node says to each neighbour.
        let mut sent: Vec<f64> = (0..nodes).flat_map(|me| beliefs.row(me).repeat(self.of_node(me).len())).collect();
        let mut likelihoods = Scores::zeros(nodes, classes);
        for estimate in 0..ESTIMATES {
            for _ in 0..STEPS {
                let field = self.field(&beliefs, &activity, &blocks, chances);
                let state =
                    State { before, activity: &activity, blocks: &blocks, background: &background, field: &field };
                let each = |node| self.answer(node, &state, &sent);
                let starts: Vec<usize> = (0..nodes).step_by(BLOCK).collect();
                let of_block = |&start: &usize| (start..(start + BLOCK).min(nodes)).map(each).collect::<Vec<_>>();
                let all: Vec<Vec<Answer>> = starts.par_iter().map(of_block).collect();
                let mut next = Vec::with_capacity(sent.len());
                for (node, answer) in all.into_iter().flatten().enumerate() {
                    next.extend(answer.sent);
                    likelihoods.row_mut(node).copy_from_slice(&answer.likelihood);
                    beliefs.row_mut(node).copy_from_slice(&answer.belief);
                }
                sent = next;
            }
            if estimate + 1 < ESTIMATES {
                blocks = self.estimate(&beliefs, &activity, (&blocks, density), &background, &sent, chances);
            }
        }
        let edge = self.edges(&blocks, &background, &sent, classes);
        Said { likelihoods: likelihoods.mapped(|_, row| centre(row)), beliefs, edge }
    }

    /// B by least squares, given what is believed before: a pair of nodes with beliefs a and b is
    /// reported with probability q + (p−q)·aᵀBb, which is linear in B. What beliefs do not tell is
    /// the mean density.
    fn blocks(&self, beliefs: &Scores, density: f64, chances: Chances) -> Vec<f64> {
        let (classes, gain) = (beliefs.classes(), chances.edge - chances.other);
        let size = classes * classes;
        let mut linked = vec![0.0; size];
        let (mut square, mut sums) = (vec![0.0; size], vec![0.0; classes]);
        let add = |out: &mut [f64], one: &[f64], other: &[f64]| {
            out.chunks_exact_mut(classes.max(1)).zip(one).for_each(|(out, a)| {
                out.iter_mut().zip(other).for_each(|(out, b)| *out += a * b);
            });
        };
        for node in 0..self.nodes() {
            let mine = beliefs.row(node);
            let mut around = vec![0.0; classes];
            for &other in self.of_node(node) {
                around.iter_mut().zip(beliefs.row(other as usize)).for_each(|(sum, it)| *sum += it);
            }
            add(&mut linked, mine, &around);
            add(&mut square, mine, mine);
            sums.iter_mut().zip(mine).for_each(|(sum, it)| *sum += it);
        }
        // Beyond what is expected at the mean density; a node has no pair with itself.
        let expected = chances.other + gain * density;
        let beyond =
            |at: usize| (linked[at] - expected * (sums[at / classes] * sums[at % classes] - square[at])) / gain;
        let ridge = Symmetric::from_fn(classes, |i, j| square[i * classes + j] + RIDGE * f64::from(u8::from(i == j)));
        let half: Option<Vec<Vec<f64>>> = (0..classes)
            .map(|row| ridge.solve(&(0..classes).map(|column| beyond(row * classes + column)).collect::<Vec<_>>()))
            .collect();
        let column = |rows: &[Vec<f64>], at: usize| rows.iter().map(|row| row[at]).collect::<Vec<_>>();
        let solved: Option<Vec<Vec<f64>>> =
            half.and_then(|half| (0..classes).map(|at| ridge.solve(&column(&half, at))).collect());
        let Some(solved) = solved else { return vec![density; size] };
        let both = |at: usize| (solved[at / classes][at % classes] + solved[at % classes][at / classes]) / 2.0;
        (0..size).map(|at| (density + both(at)).max(LEAST_GUESS * density)).collect()
    }

    /// The mean number of true neighbours, as far as reports tell.
    fn mean_degree(&self, chances: Chances) -> f64 {
        let nodes = self.nodes().max(1) as f64;
        let links = self.targets.len() as f64 / nodes;
        let falsely = chances.other * (nodes - 1.0);
        ((links - falsely) / (chances.edge - chances.other)).max(0.05 * links).max(0.01)
    }

    /// θ of every node, with mean 1.
    fn activities(&self, chances: Chances) -> Vec<f64> {
        let nodes = self.nodes().max(1) as f64;
        let (falsely, mean) = (chances.other * (nodes - 1.0), self.mean_degree(chances));
        let beyond: Vec<f64> = (0..self.nodes()).map(|node| self.of_node(node).len() as f64 - falsely).collect();
        let average = beyond.iter().sum::<f64>() / nodes;
        let variance = beyond.iter().map(|it| (it - average).powi(2)).sum::<f64>() / nodes;
        let real = (variance - falsely - mean).max(0.05 * mean * mean);
        let shrunk = real / (real + falsely + mean);
        let all: Vec<f64> = beyond.iter().map(|it| (1.0 + shrunk * (it - mean) / mean).max(LEAST_ACTIVITY)).collect();
        let average = all.iter().sum::<f64>() / nodes;
        all.into_iter().map(|it| it / average).collect()
    }

    /// (p−q)·Σ_d B_cd Σ_u θ_u P(u is d), for every class c: what pairs without a report say, per θ.
    fn field(&self, beliefs: &Scores, activity: &[f64], blocks: &[f64], chances: Chances) -> Vec<f64> {
        let classes = beliefs.classes();
        let sums = active(beliefs, activity);
        let of = |row: &[f64]| row.iter().zip(&sums).map(|(b, n)| b * n).sum::<f64>() * (chances.edge - chances.other);
        blocks.chunks(classes.max(1)).map(of).collect()
    }

    fn answer(&self, node: usize, state: &State<'_>, sent: &[f64]) -> Answer {
        let classes = state.field.len();
        let mut likelihood: Vec<f64> = state.field.iter().map(|it| -it * state.activity[node]).collect();
        let mut heard = Vec::with_capacity(self.of_node(node).len() * classes);
        for place in self.places(node) {
            let message = &sent[self.back[place] * classes..(self.back[place] + 1) * classes];
            for (row, sum) in state.blocks.chunks_exact(classes).zip(&mut likelihood) {
                let density: f64 = row.iter().zip(message).map(|(b, m)| b * m).sum();
                let said = libm::log(density + state.background[place]);
                *sum += said;
                heard.push(said);
            }
        }
        let after: Vec<f64> = state.before.row(node).iter().zip(&likelihood).map(|(b, l)| b + WEIGHT * l).collect();
        let mut next = Vec::with_capacity(heard.len());
        for (said, place) in heard.chunks_exact(classes).zip(self.places(node)) {
            // Without what this neighbour said.
            let mut message: Vec<f64> = after.iter().zip(said).map(|(all, said)| all - WEIGHT * said).collect();
            softmax(&mut message);
            let last = &sent[place * classes..(place + 1) * classes];
            next.extend(message.iter().zip(last).map(|(new, old)| (1.0 - DAMPING) * new + DAMPING * old));
        }
        let mut belief = after;
        softmax(&mut belief);
        Answer { sent: next, likelihood, belief }
    }

    /// B by maximum likelihood, with one more pair of mean density for each pair of classes.
    fn estimate(
        &self,
        beliefs: &Scores,
        activity: &[f64],
        (blocks, density): (&[f64], f64),
        background: &[f64],
        sent: &[f64],
        chances: Chances,
    ) -> Vec<f64> {
        let classes = beliefs.classes();
        let of_block = |start: usize| {
            let mut sums = vec![0.0; classes * classes];
            for place in (start..(start + BLOCK).min(self.nodes())).flat_map(|node| self.places(node)) {
                let mine = &sent[place * classes..(place + 1) * classes];
                let theirs = &sent[self.back[place] * classes..(self.back[place] + 1) * classes];
                let both = |at: usize| mine[at / classes] * theirs[at % classes] * blocks[at];
                let all = (0..classes * classes).map(both).sum::<f64>() + background[place];
                sums.iter_mut().enumerate().for_each(|(at, sum)| *sum += both(at) / all);
            }
            sums
        };
        let starts: Vec<usize> = (0..self.nodes()).step_by(BLOCK).collect();
        let parts: Vec<Vec<f64>> = starts.par_iter().map(|&start| of_block(start)).collect();
        let mut sums = vec![0.0; classes * classes];
        parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, it)| *sum += it));
        let active = active(beliefs, activity);
        let pairs = |at: usize| active[at / classes] * active[at % classes] * (chances.edge - chances.other);
        let of = |(at, sum): (usize, f64)| ((sum + density) / (pairs(at) + 1.0)).max(LEAST_DENSITY * density);
        sums.into_iter().enumerate().map(of).collect()
    }

    /// The probability that each link is an edge.
    fn edges(&self, blocks: &[f64], background: &[f64], sent: &[f64], classes: usize) -> Vec<f64> {
        let message = |place: usize| &sent[place * classes..(place + 1) * classes];
        let of = |(me, place): (usize, usize)| {
            let back = self.back[place];
            // Computed once for both directions.
            let (one, other) = if me < self.targets[place] as usize { (place, back) } else { (back, place) };
            let rows = blocks.chunks_exact(classes.max(1)).zip(message(one));
            let real: f64 =
                rows.map(|(row, m)| m * row.iter().zip(message(other)).map(|(b, n)| b * n).sum::<f64>()).sum();
            real / (real + background[one])
        };
        (0..self.nodes()).flat_map(|me| self.places(me).map(move |place| (me, place))).map(of).collect()
    }

    /// Beliefs of neighbours, weighted: ln of their sums, and their averages over one and two hops.
    pub fn averages(&self, beliefs: &Scores, edge: &[f64]) -> [Scores; 3] {
        let sums = self.summed(beliefs, edge);
        let averages = |sums: &Scores| {
            sums.clone().mapped(|_, row| {
                let all = row.iter().sum::<f64>() + FEW;
                row.iter_mut().for_each(|it| *it /= all);
            })
        };
        let one = averages(&sums);
        let two = averages(&self.summed(&one, edge));
        [sums.mapped(|_, row| row.iter_mut().for_each(|it| *it = libm::asinh(2.0 * *it))), one, two]
    }

    fn summed(&self, values: &Scores, edge: &[f64]) -> Scores {
        Scores::zeros(self.nodes(), values.classes()).mapped(|node, out| {
            for place in self.places(node) {
                let row = values.row(self.targets[place] as usize);
                out.iter_mut().zip(row).for_each(|(out, it)| *out += edge[place] * it);
            }
        })
    }
}

/// What a step of belief propagation reads besides messages.
struct State<'a> {
    before: &'a Scores,
    activity: &'a [f64],
    blocks: &'a [f64],
    background: &'a [f64],
    field: &'a [f64],
}

/// What a node concludes in a step.
struct Answer {
    sent: Vec<f64>,
    likelihood: Vec<f64>,
    belief: Vec<f64>,
}

/// Σ_u θ_u P(u is d), for every class d.
fn active(beliefs: &Scores, activity: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; beliefs.classes()];
    for (node, activity) in activity.iter().enumerate() {
        sums.iter_mut().zip(beliefs.row(node)).for_each(|(sum, it)| *sum += activity * it);
    }
    sums
}
