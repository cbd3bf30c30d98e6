//! Panics that are caught: of decoders of foreign code, and of work whose failures nobody outside may see.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What some work gives, or `None` if it panics. Whatever it was working on must be of no use afterwards.
///
/// The process's panic hook still hears of it; it may ask [`is_caught`] and say nothing.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    let inside = CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(inside);
    done.ok()
}

/// Whether this thread does work whose panics are caught. For panic hooks: a library does not change the hook.
#[must_use]
pub fn is_caught() -> bool {
    CAUGHT.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_work_and_nothing_else() {
        assert_eq!(caught(|| caught(is_caught)), Some(Some(true)));
        let message = std::hint::black_box("nobody hears this");
        assert_eq!(caught(|| if is_caught() { std::panic::resume_unwind(Box::new(message)) } else { 1 }), None);
        assert!(!is_caught());
    }
}
