//! Teachers are asked once, when the first release needs what they say.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use veil_learn::LearnError;
use veil_learn::method::student::{Labels, Mechanism, Teacher};
use veil_nn::optimiser::Adam;
use veil_privacy::Coins;
use veil_privacy::answers::{AnswerError, Lesson, Teach};

use super::kept::Posteriors;
use super::{Scored, Scoring, StudentsError, Watch, Way};

/// So many teachers hand one optimiser on, in the order of their questions. In the published code
/// all do; here every block begins with a new one, so that blocks can be taught side by side. What
/// a teacher feels of those before it is mostly of the last two or three: Adam forgets half in 700
/// steps.
const BLOCK: usize = 25;

/// The teachers of a scoring.
pub struct Teachers<'a> {
    scoring: Scoring<'a>,
    file: Option<PathBuf>,
    watch: Watch<'a>,
    answers: Option<Unreleased>,
}

impl<'a> Teachers<'a> {
    /// What teachers of PrivGNN say is kept in a file, if one is named, or read from it.
    ///
    /// # Errors
    /// If students of theirs could not be scored: known before teachers are asked, who take long.
    pub fn new(scoring: Scoring<'a>, file: Option<PathBuf>, watch: Watch<'a>) -> Result<Teachers<'a>, StudentsError> {
        scoring.check()?;
        Ok(Teachers { scoring, file, watch, answers: None })
    }

    /// The share of questions that they answer right without noise, where the truth is known.
    ///
    /// # Errors
    /// If they cannot be asked, or the file is of other teachers.
    pub fn accuracy(&mut self) -> Result<Option<f64>, StudentsError> {
        let Teachers { scoring, file, watch, answers } = self;
        let answers = asked(answers, scoring, file.as_deref(), *watch)?;
        Ok(scoring.label_accuracy(&answers.likely(scoring.queries.len())))
    }

    /// How good a release of their answers to the first questions is: noise is drawn and a student
    /// trained so often. The answers are the same as if nothing else had been asked; with one
    /// optimiser for all that is so if they are a block at least.
    ///
    /// # Errors
    /// As [`accuracy`](Self::accuracy), and if nothing can be learned or scored, or the release
    /// does not go with the teachers.
    ///
    /// # Panics
    /// If there is no draw, or there are fewer questions.
    pub fn score(&mut self, way: &Way, questions: usize, draws: u64) -> Result<Scored, StudentsError> {
        let Teachers { scoring, file, watch, answers } = self;
        let answers = asked(answers, scoring, file.as_deref(), *watch)?;
        let scoring = Scoring { queries: &scoring.queries[..questions], ..scoring.clone() };
        scoring.score(way, answers, draws, *watch)
    }
}

fn asked<'s>(
    answers: &'s mut Option<Unreleased>,
    scoring: &Scoring<'_>,
    file: Option<&Path>,
    watch: Watch<'_>,
) -> Result<&'s Unreleased, StudentsError> {
    match answers {
        Some(answers) => Ok(answers),
        none => Ok(none.insert(scoring.ask(file, watch)?)),
    }
}

/// What teachers said, without noise: raw private data.
#[derive(Clone, Debug)]
pub(super) enum Unreleased {
    /// One posterior for each question.
    Posteriors {
        rows: Vec<Vec<f32>>,
        /// What a student goes on with, if one optimiser is handed on: as the last teacher of the
        /// first block left it.
        adam: Option<Adam>,
    },
    /// Votes for each class, for each question.
    Counts(Vec<Vec<i64>>),
}

impl Unreleased {
    /// The most likely class of each of the first questions.
    pub fn likely(&self, questions: usize) -> Vec<u32> {
        match self {
            Unreleased::Posteriors { rows, .. } => rows[..questions].iter().map(|row| first_largest(row)).collect(),
            Unreleased::Counts(rows) => rows[..questions].iter().map(|row| first_largest(row)).collect(),
        }
    }

    pub fn optimiser(&self) -> Option<&Adam> {
        if let Unreleased::Posteriors { adam, .. } = self { adam.as_ref() } else { None }
    }
}

fn first_largest<T: PartialOrd>(row: &[T]) -> u32 {
    (0..row.len()).fold(0, |best, place| if row[place] > row[best] { place } else { best }) as u32
}

impl Scoring<'_> {
    fn ask(&self, keep: Option<&Path>, watch: Watch<'_>) -> Result<Unreleased, StudentsError> {
        let facts = self.private.public();
        let classes = facts.classes.unwrap_or(0);
        let kind = (self.teaching.teacher(), &self.teaching.learner);
        let teacher = Teacher::new(self.public, classes, kind, self.seed)?;
        let asked_about = |lesson: &Lesson| self.queries[lesson.number() as usize];
        let coins = Coins::reproducible(self.seed);
        let watch = |done: usize, of: usize| watch("asking teachers", done, of);
        let answered = AtomicUsize::new(0);
        let one_more = |of: usize| watch(answered.fetch_add(1, Ordering::Relaxed) + 1, of);
        match self.teaching.mechanism(self.private, &self.asked())? {
            Mechanism::PerQuery(mechanism) => {
                let mut kept = Posteriors::open(keep, (self.queries.len(), classes as usize), &self.identity()?)?;
                let blocks = if self.one_optimiser { kept.blocks(BLOCK) } else { vec![kept.missing()] };
                let count = blocks.iter().map(Vec::len).sum();
                watch(0, count);
                let done = |question: usize, posterior: &[f32]| {
                    kept.keep(question, posterior);
                    one_more(count);
                };
                let hear = |teach: Teach<'_>, questions: &[usize]| {
                    mechanism.posteriors(self.private, &self.asked(), &coins, (teach, &done), questions, self.truth)
                };
                let heard = |questions: &Vec<usize>| {
                    if !self.one_optimiser {
                        let teach = |lesson: &Lesson| {
                            teacher.posterior(lesson.for_scoring(self.truth), lesson.number(), asked_about(lesson))
                        };
                        return Ok((hear(&teach, questions)?, None));
                    }
                    let adam = Mutex::new(teacher.optimiser());
                    let lock = || adam.lock().unwrap_or_else(PoisonError::into_inner);
                    let teach = |lesson: &Lesson| {
                        let learned = (lesson.for_scoring(self.truth), lesson.number());
                        teacher.posterior_with(&mut lock(), learned, asked_about(lesson))
                    };
                    let rows = questions.iter().map(|&question| Ok(hear(&teach, &[question])?.swap_remove(0)));
                    let rows = rows.collect::<Result<Vec<_>, AnswerError>>()?;
                    let left = lock().clone();
                    Ok((rows, Some(left)))
                };
                let heard: Vec<_> =
                    blocks.par_iter().map(heard).collect::<Result<_, AnswerError>>().map_err(LearnError::from)?;
                let mut adam = None;
                for (questions, (rows, left)) in blocks.into_iter().zip(heard) {
                    adam = adam.or(left);
                    questions.into_iter().zip(rows).for_each(|(question, row)| kept.known[question] = Some(row));
                }
                Ok(Unreleased::Posteriors { rows: kept.known.into_iter().flatten().collect(), adam })
            }
            Mechanism::Votes(mechanism) => {
                let teacher = teacher.for_all_queries()?;
                let Labels::Votes(params) = &self.teaching.labels else { return Ok(Unreleased::Counts(Vec::new())) };
                let teachers = params.teachers as usize;
                watch(0, teachers);
                let vote =
                    |lesson: &Lesson| teacher.votes((lesson.for_scoring(self.truth), lesson.number()), self.queries);
                let done = || one_more(teachers);
                let counts = mechanism.counts(self.private, &self.asked(), &coins, (&vote, &done), self.truth);
                Ok(Unreleased::Counts(counts.map_err(LearnError::from)?))
            }
        }
    }
}
