//! One run per core, longest first.

use std::any::Any;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;

use super::book::{Book, BookError};
use super::key::Key;
use super::plan::{DataSets, Job, Plan};
use super::work::Finished;

/// How far a sweep is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// How many runs have ended, of those that were to be done.
    pub done: usize,
    /// How many were to be done.
    pub of: usize,
    /// How many of those that have ended failed.
    pub failed: usize,
    /// About how long the rest will take; not known before the first run has ended.
    pub left: Option<Duration>,
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// How many runs the book had already.
    pub there: usize,
    /// How many were run.
    pub run: usize,
    /// How many of these failed.
    pub failed: usize,
}

/// Runs what the book does not hold yet and writes it there, one run per core, each on one thread. Runs that failed before are
/// left as they are, unless they are to be tried again. `watch` is called on this thread: at the start, and whenever a run has ended.
///
/// The figures are the same for any number of cores. A run that fails is written down with its error and stops nothing.
///
/// # Errors
/// If the book cannot be written.
pub fn run(
    plan: &Plan,
    sets: &DataSets,
    book: &mut Book,
    cores: NonZeroUsize,
    retry_failed: bool,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Done, BookError> {
    book.set_plan(plan)?;
    let (mut todo, mut seen, mut there): (Vec<&Job>, BTreeSet<Key>, usize) = (Vec::new(), BTreeSet::new(), 0);
    for job in plan.jobs() {
        if !seen.insert(job.key) {
            continue;
        }
        match book.failed(job.key)? {
            None => todo.push(job),
            Some(true) if retry_failed => todo.push(job),
            Some(_) => there += 1,
        }
    }
    // The longest first, so that no core is left with a long one while the others are idle.
    todo.sort_by(|one, other| other.cost.total_cmp(&one.cost));
    let mut clock = Clock::start(&todo);
    watch(&clock.progress);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let written = thread::scope(|scope| {
        let (report, reports) = mpsc::channel();
        for _ in 0..cores.get().min(todo.len()) {
            let (report, next, stop, todo) = (report.clone(), &next, &stop, &todo);
            scope.spawn(move || {
                while let (false, Some(&job)) =
                    (stop.load(Ordering::Relaxed), todo.get(next.fetch_add(1, Ordering::Relaxed)))
                {
                    let start = Instant::now();
                    let found = alone(job, sets);
                    // Nobody listens any more: the book could not be written.
                    if report.send((job, found, start.elapsed().as_secs_f64())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(report);
        for (job, found, seconds) in reports {
            let added = book.add(job.key, &job.about, &found, seconds);
            if let Err(error) = added {
                stop.store(true, Ordering::Relaxed);
                return Err(error);
            }
            clock.ended(job.cost, found.is_err());
            watch(&clock.progress);
        }
        Ok(())
    });
    written?;
    Ok(Done { there, run: clock.progress.done, failed: clock.progress.failed })
}

/// Does a run in a pool of its own, of one thread: kernels and attacks split their work over whatever pool they are in, and in a pool
/// that runs share, a thread that waits for the parts of one would begin another inside of it.
fn alone(job: &Job, sets: &DataSets) -> Result<Finished, String> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    let work = || pool.install(|| job.work.done(sets));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(found) => found.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("a fault in the program: {}", said(panic.as_ref()))),
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it did not say what")
}

/// How fast it goes.
struct Clock {
    start: Instant,
    done: f64,
    all: f64,
    progress: Progress,
}

impl Clock {
    fn start(todo: &[&Job]) -> Clock {
        let all = todo.iter().map(|job| job.cost).sum();
        let progress = Progress { done: 0, of: todo.len(), failed: 0, left: None };
        Clock { start: Instant::now(), done: 0.0, all, progress }
    }

    fn ended(&mut self, cost: f64, failed: bool) {
        self.done += cost;
        self.progress.done += 1;
        self.progress.failed += usize::from(failed);
        // As fast as until now, by what runs cost and not by how many they are.
        let left = self.start.elapsed().as_secs_f64() * (self.all - self.done).max(0.0) / self.done;
        self.progress.left = Duration::try_from_secs_f64(left).ok();
    }
}
