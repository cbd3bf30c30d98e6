//! The instruction set that the kernels use, detected once.
//!
//! A kernel is a plain loop over arrays of fixed width. It is compiled three times: for AVX-512,
//! for AVX2 and for the target's baseline; `Level::run` selects one. All three add in the same
//! order. The first two also round alike (one rounding per multiply-add), so a training run has the
//! same bits on either.

#![allow(unsafe_code)]

use std::sync::OnceLock;

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The baseline of the target.
    Portable,
    /// AVX2 and fused multiply-add.
    Avx2,
    /// AVX-512 (foundation and vector lengths).
    Avx512,
}

/// Work that is compiled once per [`Level`].
///
/// Implementations are `#[inline(always)]` and contain no closures that might not be inlined: code
/// outside the functions of [`Level::run`] would be compiled without the instructions.
pub(crate) trait Kernel {
    /// Does the work; `FMA` tells whether [`multiply_add`] is one instruction here.
    fn run<const FMA: bool>(self);
}

/// Declares a [`Kernel`] by its fields and what it does with them.
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* } $work:block) => {
        $(#[$doc])*
        struct $name<'a> {
            $($field: $type),*
        }

        impl<'a> Kernel for $name<'a> {
            #[inline(always)]
            fn run<const FMA: bool>(self) {
                let $name { $($field),* } = self;
                $work
            }
        }
    };
}
pub(crate) use kernel;

/// a·b + c, with one rounding if the machine supports it, else with two.
#[inline(always)]
pub(crate) fn multiply_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

impl Level {
    /// The best level of this machine, or a lower one from the environment variable `VEIL_SIMD`
    /// (`portable`, `avx2` or `avx512`). An unsupported level is never used.
    pub fn detect() -> Level {
        #[cfg(test)]
        if let Some(level) = FORCED.get() {
            return level;
        }
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| {
            let requested = match std::env::var("VEIL_SIMD").as_deref() {
                Ok("portable") => Level::Portable,
                Ok("avx2") => Level::Avx2,
                _ => Level::Avx512,
            };
            requested.min(Level::best())
        })
    }

    /// All levels that this machine supports.
    pub fn available() -> impl Iterator<Item = Level> {
        [Level::Portable, Level::Avx2, Level::Avx512].into_iter().filter(|&level| level <= Level::best())
    }

    fn best() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if avx2 && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                return Level::Avx512;
            }
            if avx2 {
                return Level::Avx2;
            }
        }
        Level::Portable
    }

    /// Runs a kernel at this level.
    pub(crate) fn run<K: Kernel>(self, kernel: K) {
        // Never above what the machine supports, whatever was requested. This makes the calls below
        // sound.
        match self.min(Level::best()) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `best` found AVX-512F, AVX-512VL, AVX2 and FMA on this machine.
            Level::Avx512 => unsafe { avx512(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `best` found AVX2 and FMA on this machine.
            Level::Avx2 => unsafe { avx2(kernel) },
            // Other targets (aarch64) fuse in their base set; x86-64 without FMA does not.
            _ => kernel.run::<{ cfg!(target_arch = "aarch64") }>(),
        }
    }
}

#[cfg(test)]
thread_local! {
    static FORCED: std::cell::Cell<Option<Level>> = const { std::cell::Cell::new(None) };
}

/// Runs `work` at this level instead of the detected one. Kernels check once, on the calling
/// thread.
#[cfg(test)]
pub(crate) fn forced<T>(level: Level, work: impl FnOnce() -> T) -> T {
    let before = FORCED.replace(Some(level));
    let done = work();
    FORCED.set(before);
    done
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512<K: Kernel>(kernel: K) {
    kernel.run::<true>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<K: Kernel>(kernel: K) {
    kernel.run::<true>()
}

/// Prefetches the row of `WIDTH` floats that starts at `start`.
#[inline(always)]
pub(crate) fn prefetch<const WIDTH: usize>(values: &[f32], start: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let mut at = 0;
        while at < WIDTH {
            // SAFETY: a prefetch of any address changes nothing that a program can see, and SSE is
            // in x86-64's base set.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().wrapping_add(start + at).cast()) };
            // Every second line: the hardware fetches lines in pairs.
            at += 32;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, start);
}
