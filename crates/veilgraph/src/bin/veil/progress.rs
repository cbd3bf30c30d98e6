//! Progress on a terminal: what is being done, how fast, and how long it will take. Silent
//! everywhere else.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use veil_learn::pipeline::{Hooks, Step};
use veil_nn::training::EpochMetrics;

use crate::output::{Output, grouped};

const COUNTING: &str = "{msg} {wide_bar} {pos}/{len} {rate} {eta}";

/// The progress of a job: one bar after another.
pub struct Progress<'a> {
    output: &'a Output,
    bar: Mutex<ProgressBar>,
}

impl<'a> Progress<'a> {
    /// A job that begins by reading data.
    pub fn reading(output: &'a Output, data: &str) -> Progress<'a> {
        Progress { output, bar: Mutex::new(working(output, &format!("reading {data}"))) }
    }

    fn show(&self, bar: ProgressBar) {
        let mut shown = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        shown.finish_and_clear();
        *shown = bar;
    }

    fn advance(&self) {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner).inc(1);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.show(ProgressBar::hidden());
    }
}

impl Hooks for Progress<'_> {
    fn step(&self, step: Step) {
        match step {
            Step::Release => self.show(working(self.output, "releasing")),
            Step::Answers { teachers, kept, queries } => {
                if kept > 0 {
                    self.finish();
                    self.output.note(&format!("resuming: {kept} of {queries} answers are kept"));
                }
                self.show(teaching(self.output, teachers));
            }
            Step::Answered { seconds } => {
                self.finish();
                self.output.note(&format!("answers: {seconds:.0} s"));
            }
            Step::Train { epochs } => self.show(training(self.output, epochs)),
            Step::Write => self.show(working(self.output, "writing")),
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
        self.finish();
        self.output.warning(warning);
    }
}

/// A spinner with a message.
pub fn working(output: &Output, what: &str) -> ProgressBar {
    // indicatif draws on the terminal behind standard error only, and nothing where there is none.
    let bar = if output.shows_progress() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// A rate with few digits: the next moment it is another.
fn per_second(rate: f64) -> String {
    match rate {
        rate if !rate.is_finite() => String::new(),
        rate if rate < 9.95 => format!("{rate:.1}/s"),
        rate => format!("{}/s", grouped(rate.round() as usize)),
    }
}

fn bar(output: &Output, template: &str, length: u64) -> ProgressBar {
    let bar = if output.shows_progress() { ProgressBar::new(length) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template(template) {
        let rate = |state: &ProgressState, text: &mut dyn Write| {
            let _ = text.write_str(&per_second(state.per_sec()));
        };
        bar.set_style(style.with_key("rate", rate));
    }
    bar
}

/// A bar for bytes that arrive: rate and time left.
pub fn downloading(output: &Output) -> ProgressBar {
    let bar = bar(output, "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}", 0);
    bar.unset_length();
    bar
}

/// A bar for teachers: how many have answered, how fast, and how long it will take.
fn teaching(output: &Output, teachers: u64) -> ProgressBar {
    let bar = counting(output, "asking teachers", teachers);
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// A bar for anything that is counted.
pub fn counting(output: &Output, what: &'static str, count: u64) -> ProgressBar {
    bar(output, COUNTING, count).with_message(what)
}

/// A bar for training: epochs, how fast, and how long it will take.
pub fn training(output: &Output, epochs: u64) -> ProgressBar {
    bar(output, "training {wide_bar} epoch {pos}/{len} {rate} {eta}", epochs)
}

/// A bar for runs of a sweep, whose message says how long the rest will take: they are not all as
/// long.
pub fn sweeping(output: &Output) -> ProgressBar {
    bar(output, "running {wide_bar} {pos}/{len} {msg}", 0)
}

/// A bar for several things after each other, each with a message, how fast it goes, and how long
/// it will take; [`watch`] moves it.
pub fn several(output: &Output) -> ProgressBar {
    let bar = bar(output, COUNTING, 0);
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// Moves a bar of [`several`] things: what is done, how much of it, and how much there is.
pub fn watch(bar: &ProgressBar) -> impl Fn(&str, usize, usize) + Sync {
    |what, done, of| {
        if bar.message() != what {
            bar.set_message(what.to_owned());
            bar.reset();
        }
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::per_second;

    #[test]
    fn a_rate_has_few_digits() {
        assert_eq!(
            [0.0, 0.26, 9.94, 9.96, 273.0499, 12_345.6, f64::INFINITY].map(per_second),
            ["0.0/s", "0.3/s", "9.9/s", "10/s", "273/s", "12,346/s", ""]
        );
    }
}
