//! Class sums, our own: the private graph is summed up once, per class and with noise, and every public node is labelled from the sums; a
//! student learns from these labels on the public graph ([`veil_privacy::answers::class_sums`],
//! [`teaching::class_sums`](crate::teaching::class_sums)).
//!
//! One release of few numbers to which all private nodes add has far less noise for the same ε than a thousand labels, each of which costs.

use super::Method;
use super::privgnn::student;
use crate::parameters::Parameters;

/// The student of the others, but for fewer epochs: its labels have errors, which it would learn by heart. Nobody is asked, and there are no
/// teachers.
pub(super) fn defaults() -> Parameters {
    Parameters { method: Some(Method::ClassSums), epochs: 60, queries: None, choose: None, teacher: None, ..student() }
}
