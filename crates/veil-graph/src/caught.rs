//! Catching panics: of foreign decoders, and of work whose failures must stay hidden.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// The result of `work`, or `None` if it panics. Anything that it was modifying must be discarded.
///
/// The panic hook of the process still runs; it may check [`is_caught`] and print nothing.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    let inside = CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(inside);
    done.ok()
}

/// Whether panics of this thread are being caught. For panic hooks: a library does not change the
/// hook.
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
        let message = std::hint::black_box("a message for no one");
        assert_eq!(caught(|| if is_caught() { std::panic::resume_unwind(Box::new(message)) } else { 1 }), None);
        assert!(!is_caught());
    }
}
