//! Where a job writes, and the one rule for a release that is interrupted: what was charged is kept
//! until the result is whole, so that the same job continues and pays nothing more.

use std::cell::RefCell;
use std::path::Path;

use veil_graph::random::Random;
use veil_graph::write;
use veil_privacy::resume::{About, Bound, KeyError, Paid, Resumable, SeededId, Wanted};
use veil_privacy::{Delta, Permit, Spent, Unit};

use super::{Payment, PipelineError, Place, Workplace};
use crate::run::owner;

/// The sum of what a job promises, per unit.
pub(super) type Sums = Vec<(Unit, Spent, Delta)>;

/// How far a job is.
enum Progress {
    /// Nothing was spent.
    Begun,
    /// A ledger could not say whether it was charged.
    Unknown,
    /// Noise was drawn, and this was charged, if there is a ledger.
    Released(Sums),
}

/// Where a job writes, and what it needs to resume.
pub(super) struct Site<'a> {
    folder: Option<&'a Path>,
    workplace: Option<&'a Workplace>,
    progress: RefCell<Progress>,
}

/// The releases of a job, before they are paid for.
pub(super) struct Bill<'a> {
    pub releases: Vec<Wanted<'a>>,
    pub bound: Bound,
    pub id: SeededId,
    /// Everything else that determines them.
    pub about: String,
    /// About how many bytes the result takes.
    pub bytes: u64,
}

impl<'a> Site<'a> {
    /// For a result in memory: nothing of it outlives the process.
    pub fn memory() -> Site<'a> {
        Site { folder: None, workplace: None, progress: RefCell::new(Progress::Begun) }
    }

    /// The folder to write into, if there is one. The space that was taken for it is free from now
    /// on.
    pub fn folder(&self) -> Option<&'a Path> {
        self.workplace.inspect(|workplace| workplace.free());
        self.folder
    }

    /// The workplace, for what is worth keeping besides the keys.
    pub fn workplace(&self) -> Option<&'a Workplace> {
        self.workplace
    }

    /// The seed of weights and dropout. Below 2⁵³, so that readers of JSON who know only floats
    /// read the same number.
    pub fn training_seed(&self, payment: &Payment) -> Result<u64, PipelineError> {
        match payment.seed {
            Some(seed) => Ok(seed),
            // One way: the split was drawn with the same number, and the record shows this one.
            None => self.drawn(payment).map(|drawn| Random::new(drawn, "training seed").bits() >> 11),
        }
    }

    /// The seed of everything that is random but no noise: drawn once for an interrupted job.
    fn drawn(&self, payment: &Payment) -> Result<u64, PipelineError> {
        let Some(workplace) = self.workplace else { return Ok(payment.any_seed()?) };
        match workplace.drawn() {
            Some(drawn) => Ok(drawn),
            None => {
                let drawn = payment.any_seed()?;
                workplace.draw(drawn)?;
                Ok(drawn)
            }
        }
    }

    /// Pays for the releases of a job, once: their keys are written to the workplace before that,
    /// and used again if they are there.
    pub fn pay(&self, bill: Bill<'_>, payment: &Payment) -> Result<Vec<Permit>, PipelineError> {
        let mut ledger = payment.ledger.as_deref().map(|path| payment.open(path)).transpose()?;
        let about = About { job: &bill.about, booked: ledger.is_some() };
        let begin = |releases| Resumable::begin(releases, payment.seed, bill.id, about);
        let releases = match self.workplace {
            None => begin(bill.releases)?,
            Some(workplace) if workplace.has_key() => Resumable::resume(bill.releases, &workplace.key(), about)?,
            Some(workplace) => {
                workplace.reserve(bill.bytes)?;
                // The split was drawn with it, so it is noted also where nothing is trained.
                self.drawn(payment)?;
                let releases = begin(bill.releases)?;
                releases.store(&workplace.key(), about)?;
                releases
            }
        };
        self.workplace.map_or(Ok(()), Workplace::begun)?;
        let Some(ledger) = &mut ledger else {
            self.progress.replace(Progress::Released(Sums::new()));
            return Ok(releases.unbooked());
        };
        match releases.charge(ledger, bill.bound, &payment.accept) {
            Ok(Paid { permits, cost }) => {
                self.progress.replace(Progress::Released(cost));
                Ok(permits)
            }
            Err(error) => {
                if error.is_uncertain() {
                    self.progress.replace(Progress::Unknown);
                }
                Err(error.into())
            }
        }
    }
}

/// Does some work in a folder that appears as a whole, or without a folder.
///
/// # Errors
/// If the work fails. If something was spent on it, the error says what, and whether the same job
/// can resume.
pub(super) fn in_place<T>(
    place: Place<'_>,
    work: impl FnOnce(&Site<'_>) -> Result<T, PipelineError>,
) -> Result<T, PipelineError> {
    let Place::Folder(out) = place else {
        let site = Site::memory();
        let made = work(&site);
        return made.map_err(|error| match site.progress.into_inner() {
            Progress::Released(charged) if !charged.is_empty() => error.unfinished(charged, None),
            _ => error,
        });
    };
    let workplace = Workplace::of(out)?;
    let resumed = workplace.has_key();
    let mut progress = Progress::Begun;
    let done = |folder: Option<&Path>| {
        let site = Site { folder, workplace: Some(&workplace), progress: RefCell::new(Progress::Begun) };
        let made = work(&site).and_then(|made| {
            folder.map_or(Ok(()), owner::close)?;
            // A job that pays nothing must not end one that was charged.
            match &*site.progress.borrow() {
                Progress::Begun if resumed => Err(KeyError::Other { path: workplace.key() }.into()),
                _ => Ok(made),
            }
        });
        progress = site.progress.into_inner();
        made
    };
    let made = if workplace.is_done() { done(None) } else { write::atomically(out, |folder| done(Some(folder))) };
    let left = workplace.folder().to_owned();
    let error = match (made, &progress) {
        (Err(error), _) => error,
        // Keys that are left behind are worth an error, although the result is in its place.
        (Ok(made), Progress::Released(charged)) => {
            return workplace.finish().map(|()| made).map_err(|error| error.unfinished(charged.clone(), Some(&left)));
        }
        (Ok(made), _) => return workplace.finish().map(|()| made),
    };
    // A clean-up that fails must not hide why the job failed, nor what it was charged.
    match progress {
        Progress::Begun if !resumed => {
            let _ = workplace.finish();
            Err(error)
        }
        Progress::Begun => Err(error),
        // The same work would fail again.
        Progress::Released(charged) if error.recurs() => {
            let kept = workplace.finish().is_err().then_some(&*left);
            Err(error.unfinished(charged, kept))
        }
        Progress::Released(charged) => Err(error.unfinished(charged, Some(&left))),
        Progress::Unknown => Err(error.unfinished(Sums::new(), Some(&left))),
    }
}
