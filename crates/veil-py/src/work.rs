//! Long work: on a thread of its own, so that Python runs meanwhile, Ctrl-C is answered at once and
//! progress is shown.
//!
//! The calling thread waits without holding the interpreter and looks for signals every few
//! milliseconds. If one raises an exception, the work is told to end: it unwinds at its next step
//! or epoch, as if the process had been interrupted there, so a release that was charged can
//! resume. The exception does not wait for that longer than [`PATIENCE`].

use std::any::Any;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use veilgraph::learn::pipeline::{Hooks, Step};
use veilgraph::nn::training::EpochMetrics;

use crate::errors::Failed;

/// How often signals are looked for, and progress is shown.
const TICK: Duration = Duration::from_millis(20);

/// How long an interrupted caller waits for the work to end.
const PATIENCE: Duration = Duration::from_millis(100);

/// What unwinds work that was interrupted.
struct Cancelled;

/// What a caller sees of work under way.
#[derive(Default)]
struct Shared {
    cancelled: AtomicBool,
    /// What is being done; changes of it are counted.
    step: Mutex<&'static str>,
    done: AtomicU64,
    of: AtomicU64,
    warnings: Mutex<Vec<String>>,
}

/// Follows work, and ends it when the caller was interrupted.
#[derive(Clone, Default)]
pub struct Watch(Arc<Shared>);

impl Watch {
    /// Ends the work here if the caller was interrupted.
    pub fn check(&self) {
        if self.0.cancelled.load(Ordering::Relaxed) {
            resume_unwind(Box::new(Cancelled));
        }
    }

    /// So much of something is done.
    pub fn show(&self, step: &'static str, done: u64, of: u64) {
        self.check();
        *self.0.step.lock().unwrap_or_else(PoisonError::into_inner) = step;
        self.0.of.store(of, Ordering::Relaxed);
        self.0.done.store(done, Ordering::Relaxed);
    }

    fn advance(&self) {
        self.check();
        self.0.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Hooks for Watch {
    fn step(&self, step: Step) {
        match step {
            Step::Release => self.show("releasing", 0, 0),
            Step::Answers { teachers, .. } => self.show("asking teachers", 0, teachers),
            Step::Answered { .. } => self.check(),
            Step::Train { epochs } => self.show("training", 0, epochs),
            Step::Write => self.show("writing", 0, 0),
        }
    }

    fn epoch(&self, _metrics: &EpochMetrics) -> ControlFlow<()> {
        self.advance();
        ControlFlow::Continue(())
    }

    fn answered(&self) {
        self.advance();
    }

    fn warn(&self, warning: &str) {
        self.0.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning.to_owned());
    }
}

thread_local! {
    /// What the last panic of this thread said.
    static PANIC: Cell<Option<String>> = const { Cell::new(None) };
}

/// Panics become exceptions: nothing prints them. The hook is this module's own, because every
/// extension has its own copy of the standard library.
pub fn keep_quiet() {
    std::panic::set_hook(Box::new(|info| PANIC.set(Some(info.to_string()))));
}

/// The process whose threads the shared pool has. A process that was forked from it has none of
/// them, so its work gets a pool of its own.
static HOME: AtomicU32 = AtomicU32::new(0);

fn at_home() -> bool {
    let here = std::process::id();
    HOME.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed).is_ok_and(|_| true)
        || HOME.load(Ordering::Relaxed) == here
}

fn in_a_pool<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failed> {
    if at_home() {
        return Ok(work());
    }
    match rayon::ThreadPoolBuilder::new().build() {
        Ok(pool) => Ok(pool.install(work)),
        Err(error) => Err(Failed::other(format!("no threads for the work: {error}"))),
    }
}

/// The result of work that may have panicked.
fn contained<T: Send>(work: impl FnOnce() -> Result<T, Failed> + Send) -> Result<Option<T>, Failed> {
    let ended: Result<Result<T, Failed>, Box<dyn Any + Send>> =
        catch_unwind(AssertUnwindSafe(|| in_a_pool(work).and_then(|made| made)));
    match ended {
        Ok(made) => made.map(Some),
        Err(panic) if panic.is::<Cancelled>() => Ok(None),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().cloned();
            let said = said.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            let said = PANIC.take().or(said).unwrap_or_else(|| "no message".to_owned());
            Err(Failed::internal(&said))
        }
    }
}

/// Does long work; see the [module](self). `progress` is called with what is being done, how much
/// of it is done, and how much there is (0 if that is not known).
pub fn work<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce(&Watch) -> Result<T, Failed> + Send + 'static,
) -> PyResult<T> {
    let watch = Watch::default();
    let (report, reports) = mpsc::channel();
    let reports = Mutex::new(reports);
    let worker = watch.clone();
    let body = move || {
        let made = contained(move || job(&worker));
        // Nobody listens any more after an interrupt.
        let _ = report.send(made);
    };
    let spawned = std::thread::Builder::new().name("veilgraph".to_owned()).stack_size(8 << 20).spawn(body);
    spawned.map_err(|error| Failed::other(format!("no thread for the work: {error}")).raise(py))?;
    let wait = |time: Duration| py.detach(|| reports.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time));
    let mut shown = ("", 0, 0);
    let ended = loop {
        match wait(TICK) {
            Ok(ended) => break ended,
            Err(RecvTimeoutError::Disconnected) => break Err(Failed::internal("the worker ended without a result")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(raised) = py.check_signals().and_then(|()| show(&watch, progress, &mut shown)) {
            watch.0.cancelled.store(true, Ordering::Relaxed);
            let start = Instant::now();
            while start.elapsed() < PATIENCE {
                if !matches!(wait(Duration::from_millis(5)), Err(RecvTimeoutError::Timeout)) {
                    break;
                }
            }
            return Err(raised);
        }
    };
    let made = ended.map_err(|failed| failed.raise(py))?;
    let made = made.ok_or_else(|| Failed::internal("the work was interrupted by nobody").raise(py))?;
    // What was done may have been paid for: neither a warning nor a callback may lose it any more.
    let warnings = std::mem::take(&mut *watch.0.warnings.lock().unwrap_or_else(PoisonError::into_inner));
    let told = warnings.into_iter().map(|warning| warn(py, warning)).chain([show(&watch, progress, &mut shown)]);
    told.filter_map(Result::err).for_each(|raised| raised.write_unraisable(py, None));
    Ok(made)
}

/// Passes a warning of the library on.
fn warn(py: Python<'_>, warning: String) -> PyResult<()> {
    py.import("veilgraph._errors")?.getattr("warn")?.call1((warning,)).map(drop)
}

/// Tells the caller what is new.
fn show(watch: &Watch, progress: Option<&Bound<'_, PyAny>>, shown: &mut (&'static str, u64, u64)) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    let step = *watch.0.step.lock().unwrap_or_else(PoisonError::into_inner);
    let now = (step, watch.0.done.load(Ordering::Relaxed), watch.0.of.load(Ordering::Relaxed));
    if now != *shown && !step.is_empty() {
        *shown = now;
        progress.call1(now)?;
    }
    Ok(())
}
