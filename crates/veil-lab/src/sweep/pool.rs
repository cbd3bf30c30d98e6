//! One run per core, longest first; what an earlier process died of, last.
//!
//! A run that needs more memory than there is ends the whole process, and nothing can be caught. So
//! the book says what is under way. What was under way when a process died is suspect: it is run
//! after all others, alone, so that it has all the memory and no other run suffers. Some are
//! innocent (whoever is killed had several under way); so it takes two more deaths, alone, until a
//! run is written down as failed. Who is interrupted (Ctrl-C) lets go of what is under way, and
//! nothing counts.

use std::any::Any;
use std::collections::{BTreeSet, VecDeque};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;
use serde::Serialize;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Done {
    /// How many runs the book had already.
    pub there: usize,
    /// How many were run.
    pub run: usize,
    /// How many of these failed.
    pub failed: usize,
}

/// Runs what the book does not hold yet and writes it there, one run per core, each on one thread.
/// Runs that failed before are left as they are, unless they are to be tried again. `watch` is
/// called on this thread: at the start, and whenever a run has ended.
///
/// The figures are the same for any number of cores. A run that fails is written down with its
/// error and stops nothing.
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
    let deaths = book.deaths()?;
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let (mut todo, mut suspects): (Vec<&Job>, Vec<(u32, &Job)>) = (Vec::new(), Vec::new());
    let (mut there, mut given_up) = (0, 0);
    for job in plan.jobs.iter().filter(|job| seen.insert(job.key)) {
        match (book.failed(job.key)?, deaths.get(&job.key.to_string())) {
            (Some(false), _) => there += 1,
            (Some(true), _) if !retry_failed => there += 1,
            (_, None) => todo.push(job),
            (_, Some(&died)) if died < FATAL => suspects.push((died, job)),
            _ => {
                book.give_up((job.key, &job.about), DIED)?;
                given_up += 1;
            }
        }
    }
    // The longest first, so that no core is left with a long one while the others are idle. Of
    // suspects, the least and the shortest first.
    todo.sort_by(|one, other| other.cost.total_cmp(&one.cost));
    suspects.sort_by(|(died, one), (also, other)| died.cmp(also).then(one.cost.total_cmp(&other.cost)));
    let suspects: Vec<&Job> = suspects.into_iter().map(|(_, job)| job).collect();
    let mut clock = Clock::start(todo.iter().chain(&suspects));
    watch(&clock.progress);
    let workers = cores.get().min(todo.len()).max(1);
    let mut queue = Queue { todo: todo.into(), suspects: suspects.into(), under_way: 0 };
    thread::scope(|scope| {
        let (report, reports) = mpsc::channel();
        let mut hands = Vec::new();
        for hand in 0..workers {
            let (give, given) = mpsc::channel::<&Job>();
            let report = report.clone();
            scope.spawn(move || {
                for job in given {
                    let start = Instant::now();
                    let found = run_in_own_pool(job, sets);
                    // Nobody listens any more: the book could not be written.
                    if report.send((hand, job, found, start.elapsed().as_secs_f64())).is_err() {
                        return;
                    }
                }
            });
            if let Some(job) = queue.next() {
                book.begun(job.key)?;
                let _ = give.send(job);
            }
            hands.push(give);
        }
        while queue.under_way > 0 {
            // Hands never let go of work without a report.
            let Ok((hand, job, found, seconds)) = reports.recv() else { break };
            queue.under_way -= 1;
            let next = queue.next();
            book.add((job.key, &job.about), &found, seconds, next.map(|next| next.key))?;
            if let Some(next) = next {
                let _ = hands[hand].send(next);
            }
            clock.ended(job.cost, found.is_err());
            watch(&clock.progress);
        }
        Ok::<(), BookError>(())
    })?;
    Ok(Done { there, run: given_up + clock.progress.done, failed: given_up + clock.progress.failed })
}

/// So many deaths during one run, all but the first with nothing else under way, are its own fault.
const FATAL: u32 = 3;
/// The error of a run that was given up: it may be innocent, so it is told apart from all others.
pub const DIED: &str = "the process died during it three times, twice with nothing else under way: perhaps there is too little memory, or it \
     was killed from outside";

/// What is left to do.
struct Queue<'p> {
    todo: VecDeque<&'p Job>,
    /// What an earlier process may have died of.
    suspects: VecDeque<&'p Job>,
    under_way: usize,
}

impl<'p> Queue<'p> {
    /// What is to be begun now: suspects once nothing else is under way.
    fn next(&mut self) -> Option<&'p Job> {
        let next = match (self.todo.pop_front(), self.under_way) {
            (None, 0) => self.suspects.pop_front(),
            (next, _) => next,
        }?;
        self.under_way += 1;
        Some(next)
    }
}

/// Does a run in a pool of its own, of one thread: kernels and attacks split their work over
/// whatever pool they are in, and in a pool that runs share, a thread that waits for the parts of
/// one would begin another inside of it.
fn run_in_own_pool(job: &Job, sets: &DataSets) -> Result<Finished, String> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    let work = || pool.install(|| job.work.done(sets));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(found) => found.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("a fault in the program: {}", panic_message(panic.as_ref()))),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
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
    fn start<'j>(todo: impl Iterator<Item = &'j &'j Job>) -> Clock {
        let (of, all) = todo.fold((0, 0.0), |(of, all), job| (of + 1, all + job.cost));
        let progress = Progress { done: 0, of, failed: 0, left: None };
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
