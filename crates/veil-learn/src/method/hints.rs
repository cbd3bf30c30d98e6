//! What users say about their own class
//! ([`codebook`](mod@veil_privacy::mechanism::codebook)), used only where released labels of
//! validation users say that it helps.
//!
//! All users but those for training report a class, with noise, by centres that may be far off. So
//! nothing is believed of it: P(report | class) is learned from validation users, whose released
//! labels are noisy themselves. With it a report is evidence like a released label, by Bayes' rule,
//! to a power w. w is the one of a short list that makes the labels of held-out validation users
//! most likely (five parts, each judged by what the others say), and 0, which ignores all reports,
//! unless another one is better by [`MARGIN`]. All of this is post-processing.

use serde::{Deserialize, Serialize};
use veil_graph::Part;
use veil_privacy::release::Privatised;

use super::lpgnet::bayes::Evidence;

/// Powers of the evidence.
const POWERS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// How much likelier (ln) held-out labels have to be: with useless reports this is less than one
/// in twenty (Wilks: twice the gain by one free number is χ² with one degree of freedom).
const MARGIN: f64 = 2.0;

/// Fewer validation users say nothing.
const FEWEST: usize = 40;

/// More classes than a few thousand validation users can say anything about.
pub(crate) const MOST_CLASSES: usize = 64;
/// Parts of the validation users.
const FOLDS: usize = 5;

/// Every class begins with so many reports that follow the simplest rule.
const BEFORE: f64 = 30.0;

/// Shares of reports that are right under the simplest rule: the others are as frequent as reports
/// are at all.
const SHARES: [f64; 10] = [0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.7, 0.9];

/// Steps of EM.
const STEPS: usize = 20;

/// What was learned about reports: everything that answers need besides other evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hints {
    /// P(report | class), a row for each class.
    channel: Vec<Vec<f64>>,
    power: f64,
}

/// The class that each node says it has; `None` for training nodes, and where none are released.
pub(crate) fn reports(released: &Privatised) -> Vec<Option<u32>> {
    let nodes = released.data().nodes();
    let part = |node| released.data().split().map_or(Part::None, |split| split.part(node));
    let of =
        |hints: &[u32]| (0..nodes).zip(hints).map(|(node, &it)| (part(node) != Part::Train).then_some(it)).collect();
    released.hints().map_or_else(|| vec![None; nodes as usize], of)
}

impl Hints {
    /// Learns from validation users what reports say, given what is believed of a node without
    /// them; `None` if they do not help.
    pub fn learn(
        reports: &[Option<u32>],
        validation: &[Evidence],
        believed: &dyn Fn(usize) -> Vec<f64>,
    ) -> Option<Hints> {
        let classes = validation.first().map_or(0, |it| it.likelihood.len());
        let known = |it: &&Evidence| reports[it.node].is_some_and(|report| (report as usize) < classes);
        let told: Vec<(usize, &Evidence, Vec<f64>)> = validation
            .iter()
            .filter(known)
            .filter_map(|it| Some((reports[it.node]? as usize, it, believed(it.node))))
            .collect();
        if told.len() < FEWEST {
            return None;
        }
        let channel_without = |fold| {
            let others = told.iter().enumerate().filter(|(place, _)| place % FOLDS != fold).map(|(_, it)| it);
            channel(&others.collect::<Vec<_>>(), classes)
        };
        let channels: Vec<Vec<Vec<f64>>> = (0..FOLDS).map(channel_without).collect();
        let gain = |power: f64| -> f64 {
            let of_node = |(place, (report, label, believed)): (usize, &(usize, &Evidence, Vec<f64>))| {
                let mut with = believed.clone();
                weigh(&mut with, &channels[place % FOLDS], *report, power);
                libm::log(likely(&with, label).max(f64::MIN_POSITIVE))
                    - libm::log(likely(believed, label).max(f64::MIN_POSITIVE))
            };
            told.iter().enumerate().map(of_node).sum()
        };
        let rated = POWERS.map(|power| (gain(power), power));
        let (gain, power) = rated.into_iter().max_by(|(a, _), (b, _)| a.total_cmp(b))?;
        (gain > MARGIN).then(|| Hints { channel: channel(&told.iter().collect::<Vec<_>>(), classes), power })
    }

    /// What is believed of a node with this report.
    pub fn weigh(&self, believed: &mut [f64], report: u32) {
        if (report as usize) < self.channel.len() {
            weigh(believed, &self.channel, report as usize, self.power);
        }
    }

    /// Whether these numbers fit so many classes.
    pub fn fit(&self, classes: usize) -> bool {
        let probability = |it: &f64| *it > 0.0 && *it <= 1.0;
        let row = |row: &Vec<f64>| row.len() == classes && row.iter().all(probability);
        self.channel.len() == classes && self.channel.iter().all(row) && POWERS.contains(&self.power)
    }
}

fn weigh(believed: &mut [f64], channel: &[Vec<f64>], report: usize, power: f64) {
    let rows = believed.iter_mut().zip(channel);
    rows.for_each(|(it, row)| *it *= libm::pow(row[report], power));
    let sum: f64 = believed.iter().sum();
    if sum > 0.0 {
        believed.iter_mut().for_each(|it| *it /= sum);
    }
}

/// P(released label) where classes have these probabilities.
fn likely(believed: &[f64], label: &Evidence) -> f64 {
    believed.iter().zip(&label.likelihood).map(|(p, likely)| p * likely).sum()
}

/// P(report | class), by the likeliest simplest rule and then by EM, from nodes whose reports and
/// noisy labels are known.
fn channel(told: &[&(usize, &Evidence, Vec<f64>)], classes: usize) -> Vec<Vec<f64>> {
    let mut often = vec![1.0; classes];
    told.iter().for_each(|it| often[it.0] += 1.0);
    let all: f64 = often.iter().sum();
    let simple = |share: f64| -> Vec<Vec<f64>> {
        let at = |class: usize, report: usize| {
            share * f64::from(u8::from(class == report)) + (1.0 - share) * often[report] / all
        };
        (0..classes).map(|class| (0..classes).map(|report| at(class, report)).collect()).collect()
    };
    let joint = |channel: &[Vec<f64>], it: &(usize, &Evidence, Vec<f64>)| -> Vec<f64> {
        let (report, label, believed) = it;
        (0..classes).map(|class| believed[class] * label.likelihood[class] * channel[class][*report]).collect()
    };
    let rated = SHARES.map(|share| {
        let rule = simple(share);
        let log =
            |it: &&(usize, &Evidence, Vec<f64>)| libm::log(joint(&rule, it).iter().sum::<f64>().max(f64::MIN_POSITIVE));
        (told.iter().map(log).sum::<f64>(), share)
    });
    let best = rated.into_iter().max_by(|(a, _), (b, _)| a.total_cmp(b)).map_or(0.0, |(_, share)| share);
    let before = simple(best);
    let mut now = before.clone();
    for _ in 0..STEPS {
        let mut counts: Vec<Vec<f64>> = before.iter().map(|row| row.iter().map(|it| it * BEFORE).collect()).collect();
        for it in told {
            let joint = joint(&now, it);
            let sum: f64 = joint.iter().sum();
            if sum > 0.0 {
                counts.iter_mut().zip(joint).for_each(|(row, part)| row[it.0] += part / sum);
            }
        }
        now = counts;
        for row in &mut now {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|it| *it /= sum);
        }
    }
    now
}

#[cfg(test)]
mod tests {
    use veil_graph::random::Random;

    use super::*;

    /// Users of three classes with labels that are right in two of three cases, and reports that
    /// are right as often as `right` says, else any.
    fn world(users: usize, right: f64, seed: u64) -> (Vec<Option<u32>>, Vec<Evidence>, Vec<u32>) {
        let mut random = Random::new(seed, "hints");
        let (mut reports, mut labels, mut truth) = (Vec::new(), Vec::new(), Vec::new());
        for node in 0..users {
            let class = random.below(3);
            let mut said = |right: f64| if random.unit() < right { class } else { random.below(3) };
            let (report, label) = (said(right), said(0.5));
            let likelihood = (0..3).map(|class| if class == label { 2.0 / 3.0 } else { 1.0 / 6.0 }).collect();
            reports.push(Some(report as u32));
            labels.push(Evidence { node, likelihood });
            truth.push(class as u32);
        }
        (reports, labels, truth)
    }

    const NOTHING: fn(usize) -> Vec<f64> = |_| vec![1.0 / 3.0; 3];

    #[test]
    fn reports_that_say_something_are_used_as_what_they_are() {
        let (reports, labels, truth) = world(600, 0.6, 1);
        let hints = Hints::learn(&reports, &labels, &NOTHING).expect("hints");
        assert!(hints.fit(3) && !hints.fit(2));
        for (class, row) in hints.channel.iter().enumerate() {
            assert!((row[class] - (0.6 + 0.4 / 3.0)).abs() < 0.12, "{row:?}");
        }
        let mut right = 0;
        for (report, truth) in reports.iter().zip(&truth) {
            let mut believed = NOTHING(0);
            hints.weigh(&mut believed, report.expect("a report"));
            assert!((believed.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            right += u32::from(believed[*truth as usize] > 0.5);
        }
        assert!(right > 390, "{right}");
    }

    #[test]
    fn a_report_that_always_names_the_next_class_is_as_good() {
        let (mut reports, labels, _) = world(3000, 0.8, 2);
        reports.iter_mut().flatten().for_each(|it| *it = (*it + 1) % 3);
        let hints = Hints::learn(&reports, &labels, &NOTHING).expect("hints");
        let best = |row: &Vec<f64>| (0..3).max_by(|&a, &b| row[a].total_cmp(&row[b]));
        assert_eq!(hints.channel.iter().map(best).collect::<Vec<_>>(), [Some(1), Some(2), Some(0)]);
    }

    /// Reports that say nothing are used in less than one world of ten, few users never are, and
    /// neither is anything that is known already.
    #[test]
    fn reports_that_do_not_help_are_ignored() {
        let used = (0..50).filter(|&seed| {
            let (reports, labels, _) = world(300, 0.0, seed);
            Hints::learn(&reports, &labels, &NOTHING).is_some()
        });
        assert!(used.count() < 5);
        let (reports, labels, _) = world(FEWEST - 1, 1.0, 3);
        assert_eq!(Hints::learn(&reports, &labels, &NOTHING), None);
        let (reports, labels, truth) = world(300, 0.5, 4);
        let known = |node: usize| (0..3).map(|class| if class == truth[node] { 0.98 } else { 0.01 }).collect();
        assert_eq!(Hints::learn(&reports, &labels, &known), None);
        assert_eq!(Hints::learn(&vec![None; 300], &labels, &NOTHING), None);
    }
}
