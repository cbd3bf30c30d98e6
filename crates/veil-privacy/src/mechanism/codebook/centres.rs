//! Where the classes are: what a server computes from codewords and released labels, and publishes.
//!
//! Everything here is post-processing. A user checks only the shape of what was published.

use veil_graph::NodeId;

use super::direction::{self, Direction, WIDTH};
use super::{Codebook, RandomisedResponse};

/// One, in steps of published numbers.
const STEPS: f64 = (1 << 20) as f64;

/// No published number is larger.
const LARGEST: f64 = (1 << 30) as f64;

/// The squared distance of centres from the middle is taken to be no smaller.
const LEAST_SIGNAL: f64 = 0.02;

/// No class is taken to have fewer users.
const FEWEST: f64 = 5.0;

/// A centre for each class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Centres(Vec<Centre>);

/// A class.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Centre {
    /// Where the class is, seen from the middle of all users, in steps.
    towards: [i32; WIDTH],
    /// What a vector of length 1 has to exceed along it, in steps.
    half: i32,
}

/// A codeword that a training user sent, and that user's released label.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The user.
    pub user: NodeId,
    /// The place in the codebook.
    pub codeword: u32,
    /// The label.
    pub label: u32,
}

impl Centres {
    /// The centres of all classes, seen from the middle M̄ of all training users.
    ///
    /// A codeword, divided by its mean reach, is an unbiased estimate of a user's direction. With
    /// labels that are kept with probability p and exchanged for another one with q, the sum over
    /// the users of class y is estimated without bias by (S_y − qS)/(p − q), where S_y sums over
    /// the users who say y, and likewise their number. Each difference D_y of a mean and M̄ is then
    /// shrunk by what of |D_y|² is noise, given how far the classes are from M̄ on average
    /// (empirical Bayes: Efron and Morris 1973). The score of a direction u is ⟨u − M̄, D_y⟩ −
    /// |D_y|²/2, the largest at the nearest centre.
    pub fn learn(codebook: &Codebook, sent: &[Sent], labels: Option<&RandomisedResponse>) -> Centres {
        let classes = codebook.classes() as usize;
        let mut sums = vec![[0_i64; WIDTH]; classes];
        let mut users = vec![0_u64; classes];
        for &Sent { user, codeword, label } in sent {
            let (Some(sum), Some(number)) = (sums.get_mut(label as usize), users.get_mut(label as usize)) else {
                continue;
            };
            direction::add(sum, 1, &direction::codeword(user, codeword));
            *number += 1;
        }
        let reach = codebook.reach();
        let (keep, exchange) = labels.map_or((1.0, 0.0), |it| (it.keep().to_f64(), it.exchange().to_f64()));
        let apart = keep - exchange;
        let all = users.iter().sum::<u64>() as f64;
        let total: [f64; WIDTH] = std::array::from_fn(|at| sums.iter().map(|sum| sum[at]).sum::<i64>() as f64);
        let middle = total.map(|it| if all > 0.0 { it / all / reach } else { 0.0 });
        // D_y, and what of its squared length is noise.
        let estimate = |(sum, &users): (&[i64; WIDTH], &u64)| {
            let users = users as f64;
            let members = ((users - exchange * all) / apart).max(FEWEST);
            let mean = |at: usize| (sum[at] as f64 - exchange * total[at]) / apart / members / reach;
            let away: [f64; WIDTH] = std::array::from_fn(|at| mean(at) - middle[at]);
            let weights = users * (1.0 - exchange) * (1.0 - exchange) + (all - users) * exchange * exchange;
            let noise = WIDTH as f64 / (reach * reach) * weights / (apart * apart * members * members);
            (away, noise)
        };
        let estimates: Vec<([f64; WIDTH], f64)> = sums.iter().zip(&users).map(estimate).collect();
        let signal = estimates.iter().map(|(away, noise)| square(away) - noise).sum::<f64>() / classes as f64;
        let signal = signal.max(LEAST_SIGNAL);
        let centre = |(away, noise): &([f64; WIDTH], f64)| {
            let shrunk = signal / (signal + noise);
            let away = away.map(|it| shrunk * it);
            let along: f64 = away.iter().zip(&middle).map(|(a, b)| a * b).sum();
            Centre { towards: away.map(in_steps), half: in_steps(along + square(&away) / 2.0) }
        };
        Centres(estimates.iter().map(centre).collect())
    }

    /// Centres as they were published: for each class, its coordinates and then its half; `None` if
    /// there are not as many of either as they should be.
    pub fn published(codebook: &Codebook, rows: &[Vec<i32>]) -> Option<Centres> {
        let centre = |row: &Vec<i32>| {
            let (&half, towards) = row.split_last()?;
            Some(Centre { towards: towards.try_into().ok()?, half })
        };
        let centres: Vec<Centre> = rows.iter().map(centre).collect::<Option<_>>()?;
        (centres.len() == codebook.classes() as usize).then_some(Centres(centres))
    }

    /// What a server publishes: the rows of [`published`](Centres::published).
    pub fn rows(&self) -> Vec<Vec<i32>> {
        let row = |centre: &Centre| centre.towards.iter().chain([&centre.half]).copied().collect();
        self.0.iter().map(row).collect()
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.rows().concat().iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    /// The class of the centre that fits a direction best, the first among equals. Whole numbers:
    /// at most 2⁸·2¹⁵·2³¹ in size.
    pub fn nearest(&self, direction: &Direction) -> u32 {
        let length = direction.length();
        let score = |centre: &Centre| {
            let along = direction.coordinates().iter().zip(&centre.towards);
            let along: i64 = along.map(|(&a, &b)| i64::from(a) * i64::from(b)).sum();
            along - length * i64::from(centre.half)
        };
        let scores = (0..).zip(self.0.iter().map(score));
        scores.max_by(|a: &(u32, i64), b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).map_or(0, |(class, _)| class)
    }
}

fn square(vector: &[f64; WIDTH]) -> f64 {
    vector.iter().map(|it| it * it).sum()
}

fn in_steps(number: f64) -> i32 {
    (number * STEPS).clamp(-LARGEST, LARGEST) as i32
}
