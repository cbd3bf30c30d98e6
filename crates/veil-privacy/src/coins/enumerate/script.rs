//! The decisions of one execution, and how the next execution differs from it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::mass::Mass;
use super::tables::{Question, Table};

/// Which decision it is: the stream, the node, and how many came before it.
type Place = ([u8; 32], u32, u32);

/// A handle on the script: coins, streams and nodes of one exploration share it.
#[derive(Clone)]
pub(crate) struct Script(Arc<Mutex<Path>>);

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script")
    }
}

/// The state of an exploration.
pub(super) struct Path {
    /// The decisions of this execution so far, of which the first `followed` were made again.
    decisions: Vec<Decision>,
    followed: usize,
    /// Everything that this execution asked.
    answered: BTreeMap<Place, (Question, i128)>,
    /// Words of which only the order counts, ascending, and which decision each was.
    order: Vec<u64>,
    ordered: BTreeMap<Place, u64>,
    /// Too unlikely to be explored: the rest of this execution is not recorded.
    abandoned: bool,
    least: f64,
    tables: BTreeMap<Question, Option<Arc<Table>>>,
    pub(super) doubts: Doubts,
}

/// Why an enumeration may not be the whole truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doubts {
    /// Words that no primitive asked for: they are fixed instead of forked.
    pub words: u64,
    /// Decisions of a stream that was used again for another question.
    pub conflicts: u64,
    /// Executions that did not ask what they had asked before.
    pub unsteady: u64,
}

impl Doubts {
    /// Whether there is none.
    pub fn none(&self) -> bool {
        *self == Doubts::default()
    }
}

struct Decision {
    place: Place,
    question: Question,
    table: Arc<Table>,
    choice: usize,
    /// How many of the answers are likely enough.
    allowed: usize,
    before: (Mass, f64),
}

impl Decision {
    fn value(&self) -> i128 {
        self.table.answers[self.choice].value
    }

    fn after(&self) -> (Mass, f64) {
        let answer = &self.table.answers[self.choice];
        (self.before.0.times(&answer.mass), self.before.1 * answer.about)
    }
}

impl Script {
    pub(super) fn new(least: f64) -> Script {
        Script(Arc::new(Mutex::new(Path {
            decisions: Vec::new(),
            followed: 0,
            answered: BTreeMap::new(),
            order: Vec::new(),
            ordered: BTreeMap::new(),
            abandoned: false,
            least,
            tables: BTreeMap::new(),
            doubts: Doubts::default(),
        })))
    }

    pub(super) fn path(&self) -> MutexGuard<'_, Path> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One node's coins of a stream.
    pub(in crate::coins) fn node(&self, stream: [u8; 32], node: u32) -> Forks {
        Forks { script: self.clone(), stream, node, position: 0 }
    }
}

/// One node's coins for one purpose, in an exploration.
pub(crate) struct Forks {
    script: Script,
    stream: [u8; 32],
    node: u32,
    position: u32,
}

impl Forks {
    /// The answer of this execution.
    pub(crate) fn ask(&mut self, question: Question) -> i128 {
        let place = self.next();
        self.script.path().answer(place, question)
    }

    /// A word of which only the order among all such words counts.
    pub(crate) fn order(&mut self) -> u64 {
        let place = self.next();
        self.script.path().ordered(place)
    }

    /// A word that is not forked.
    pub(crate) fn word(&mut self) -> u64 {
        let place = self.next();
        let mut path = self.script.path();
        path.doubts.words += 1;
        // A fixed word that differs from place to place.
        let seed = u64::from_le_bytes(place.0[..8].try_into().unwrap_or_default());
        (seed ^ (u64::from(place.1) << 32 | u64::from(place.2))).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> Place {
        self.position += 1;
        (self.stream, self.node, self.position - 1)
    }
}

impl Path {
    fn answer(&mut self, place: Place, question: Question) -> i128 {
        if let Some((asked, answer)) = self.answered.get(&place) {
            if *asked == question {
                return *answer;
            }
            // The same words decide two questions: how they depend on each other is not explored.
            self.doubts.conflicts += 1;
            return self.first_answer(&question);
        }
        let answer = self.decide(place, &question);
        self.answered.insert(place, (question, answer));
        answer
    }

    /// The likeliest answer, without a decision.
    fn first_answer(&mut self, question: &Question) -> i128 {
        self.table(question).map_or(0, |table| table.answers.first().map_or(0, |answer| answer.value))
    }

    fn table(&mut self, question: &Question) -> Option<Arc<Table>> {
        if !self.tables.contains_key(question) {
            let table = Table::new(question, self.least).filter(|table| !table.answers.is_empty());
            self.tables.insert(question.clone(), table.map(Arc::new));
        }
        self.tables.get(question).cloned().flatten()
    }

    fn decide(&mut self, place: Place, question: &Question) -> i128 {
        if let Some(decision) = self.decisions.get(self.followed).filter(|_| !self.abandoned) {
            if decision.place == place && decision.question == *question {
                self.followed += 1;
                return decision.value();
            }
            // The code under test is no function of its coins.
            self.doubts.unsteady += 1;
            self.abandoned = true;
        }
        let Some(table) = self.table(question) else {
            self.doubts.words += 1;
            return 0;
        };
        let before = self.mass();
        let likely = |about: f64| before.1 * about >= self.least;
        let allowed = table.answers.partition_point(|answer| likely(answer.about));
        if self.abandoned || allowed == 0 {
            self.abandoned = true;
            return table.answers.first().map_or(0, |answer| answer.value);
        }
        let decision = Decision { place, question: question.clone(), table, choice: 0, allowed, before };
        let value = decision.value();
        self.decisions.push(decision);
        self.followed += 1;
        value
    }

    /// A new word falls into any of the gaps between those before it with the same probability.
    fn ordered(&mut self, place: Place) -> u64 {
        if let Some(word) = self.ordered.get(&place) {
            return *word;
        }
        let gap = self.answer(place, Question::Below(self.order.len() as u128 + 1)) as usize;
        let low = gap.checked_sub(1).and_then(|below| self.order.get(below)).copied().unwrap_or(0);
        let high = self.order.get(gap).copied().unwrap_or(u64::MAX);
        let word = u64::midpoint(low, high);
        self.order.insert(gap.min(self.order.len()), word);
        self.ordered.insert(place, word);
        word
    }

    /// The probability of the decisions so far, and about how much that is.
    pub(super) fn mass(&self) -> (Mass, f64) {
        self.decisions.last().map_or_else(|| (Mass::one(), 1.0), Decision::after)
    }

    /// Whether this execution counts.
    pub(super) fn complete(&mut self) -> bool {
        if !self.abandoned && self.followed < self.decisions.len() {
            self.doubts.unsteady += 1;
            return false;
        }
        !self.abandoned
    }

    /// Prepares the next execution; `false` if there is none.
    pub(super) fn advance(&mut self) -> bool {
        self.answered.clear();
        self.order.clear();
        self.ordered.clear();
        (self.followed, self.abandoned) = (0, false);
        while let Some(last) = self.decisions.last_mut() {
            if last.choice + 1 < last.allowed {
                last.choice += 1;
                return true;
            }
            self.decisions.pop();
        }
        false
    }
}
