//! Which instructions the kernels may use, found once.
//!
//! A kernel is a plain loop over arrays of fixed width. It is compiled three times, for AVX-512, for AVX2 and for whatever the
//! target has at least, and `Level::run` picks one. All three add in the same order; the first two also round alike
//! (one rounding per multiply-add), so a training run has the same bits on either.

#![allow(unsafe_code)]

use std::sync::OnceLock;

/// The instructions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every machine of the target has.
    Portable,
    /// AVX2 and fused multiply-add.
    Avx2,
    /// AVX-512 (foundation and vector lengths).
    Avx512,
}

/// Work that is compiled once per [`Level`].
///
/// Implementations are `#[inline(always)]` and hold no closures that might not be inlined: code outside of
/// [`Level::run`]'s own functions would be compiled without the instructions.
pub(crate) trait Kernel {
    /// What it gives back.
    type Output;
    /// Does the work; `FMA` says whether [`multiply_add`] is one instruction here.
    fn run<const FMA: bool>(self) -> Self::Output;
}

/// a·b + c, with one rounding where the machine can, else with two.
#[inline(always)]
pub(crate) fn multiply_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

impl Level {
    /// The best that this machine can do, or less if the environment variable `VEIL_SIMD` says so
    /// (`portable`, `avx2` or `avx512`; what the machine does not have is never used).
    pub fn detect() -> Level {
        #[cfg(test)]
        if let Some(level) = FORCED.get() {
            return level;
        }
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| {
            let asked = match std::env::var("VEIL_SIMD").as_deref() {
                Ok("portable") => Level::Portable,
                Ok("avx2") => Level::Avx2,
                _ => Level::Avx512,
            };
            asked.min(Level::best())
        })
    }

    /// Every level that this machine has.
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

    /// Runs a kernel with these instructions.
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // Whatever was asked for, only what the machine has: this is what makes the calls below sound.
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

/// Does something with these instructions instead of the best. Kernels look once, on the thread that calls them.
#[cfg(test)]
pub(crate) fn forced<T>(level: Level, work: impl FnOnce() -> T) -> T {
    let before = FORCED.replace(Some(level));
    let done = work();
    FORCED.set(before);
    done
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<true>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<true>()
}

/// Asks the machine to fetch the row that starts at `start`, `WIDTH` floats long, before it is needed.
#[inline(always)]
pub(crate) fn prefetch<const WIDTH: usize>(values: &[f32], start: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let mut at = 0;
        while at < WIDTH {
            // SAFETY: a prefetch of any address changes nothing that a program can see, and SSE is in x86-64's base set.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().wrapping_add(start + at).cast()) };
            // Every second line: its neighbour comes with it.
            at += 32;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, start);
}
