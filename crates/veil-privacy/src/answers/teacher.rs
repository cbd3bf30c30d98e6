//! The code that learns from private nodes.
//!
//! A mechanism makes its teachers itself, from settings that were written out and read again and
//! from the public graph, and drops them afterwards. Only a label that went through noise leaves.
//!
//! **What the compiler enforces.** Code outside this crate gets the nodes of a [`Lesson`] in the
//! methods of a [`Teacher`] alone (or with a [`Truth`](crate::Truth), for scoring). A teacher is a
//! type, not a closure, and its settings cannot borrow: it does not hold any variable of its
//! caller, so it cannot pass them anything.
//!
//! **What it does not enforce.** The methods of a teacher read raw data, and Rust does not stop a
//! function from writing a file, a socket or a `static`; nor from keeping a state in the teacher,
//! by which one lesson would influence another. Whoever implements [`Teacher`] promises that it
//! does neither. Implementations are easy to find: search for `Teacher<`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use veil_graph::{Dataset, NodeId, caught};

use super::{AnswerError, Asked, Lesson};

/// A way to learn from private nodes, for a public graph that lives for `'a`.
///
/// Its methods must return nothing but what they are asked for, and keep no state between lessons:
/// the guarantee of a mechanism holds for teachers that are functions of their lesson.
///
/// A closure is no teacher, because it could hold a place to copy private nodes to:
/// ```compile_fail,E0277
/// use veil_privacy::answers::{Lesson, Tutor};
/// fn teach<'a, T: Tutor<'a>>(_: T) {}
/// let copied = std::sync::Mutex::new(Vec::new());
/// teach(|lesson: &Lesson| copied.lock().unwrap().push(lesson.number()));
/// ```
/// Nor can its settings lead to such a place:
/// ```compile_fail,E0277
/// use veil_graph::Dataset;
/// use veil_privacy::answers::Teacher;
/// struct Copies(&'static std::sync::Mutex<Vec<u32>>);
/// impl Teacher<'_> for Copies {
///     type Settings = &'static std::sync::Mutex<Vec<u32>>;
///     type Error = std::convert::Infallible;
///     fn new(settings: Self::Settings, _: &Dataset) -> Result<Copies, Self::Error> {
///         Ok(Copies(settings))
///     }
/// }
/// ```
pub trait Teacher<'a>: Sized + Sync {
    /// Everything that decides how teachers learn, as plain values. The coins of a release depend
    /// on it.
    type Settings: Serialize + DeserializeOwned;
    /// Why there can be no such teacher.
    type Error: std::fmt::Display;

    /// A teacher that knows the public graph, before its first lesson.
    ///
    /// # Errors
    /// If the settings do not fit the public graph.
    fn new(settings: Self::Settings, public: &'a Dataset) -> Result<Self, Self::Error>;
}

/// A teacher that answers one query.
pub trait Tutor<'a>: Teacher<'a> {
    /// The posterior of a public node after a lesson, which has a number. What is no posterior (a
    /// panic, another number of classes, a number that is not finite or below 0) counts as a
    /// uniform one.
    fn posterior(&self, lesson: &Dataset, number: u32, query: NodeId) -> Vec<f32>;
}

/// A teacher that answers every query.
pub trait Voter<'a>: Teacher<'a> {
    /// The class of each of these public nodes after a lesson, which has a number. After a panic,
    /// all votes are for the first class.
    fn votes(&self, lesson: &Dataset, number: u32, queries: &[NodeId]) -> Vec<u32>;
}

/// A teacher, and the text of its settings. The teacher is made from that text alone.
pub(super) fn made<'a, T: Teacher<'a>>(
    settings: &T::Settings,
    public: &'a Dataset,
) -> Result<(T, String), AnswerError> {
    let unwritten = |source| AnswerError::Settings { source };
    let value = serde_json::to_value(settings).map_err(unwritten)?;
    let text = value.to_string();
    let teacher = T::new(serde_json::from_value(value).map_err(unwritten)?, public);
    Ok((teacher.map_err(|problem| AnswerError::Teacher { problem: problem.to_string() })?, text))
}

/// The posterior that a teacher gives, or a uniform one.
pub(super) fn posterior<'a>(teacher: &impl Tutor<'a>, lesson: &Lesson, asked: &Asked<'a>, classes: usize) -> Vec<f32> {
    let number = lesson.number();
    let query = asked.queries[number as usize];
    let given = caught(|| teacher.posterior(lesson.raw(), number, query));
    let valid = |it: &Vec<f32>| it.len() == classes && it.iter().all(|it| it.is_finite() && *it >= 0.0);
    given.filter(valid).unwrap_or_else(|| vec![1.0 / classes as f32; classes])
}

/// The votes of a teacher.
pub(super) fn votes<'a>(teacher: &impl Voter<'a>, lesson: &Lesson, asked: &Asked<'a>) -> Vec<u32> {
    let given = caught(|| teacher.votes(lesson.raw(), lesson.number(), asked.queries));
    given.unwrap_or_else(|| vec![0; asked.queries.len()])
}
