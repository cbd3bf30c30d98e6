//! The seal: raw data go in, only mechanisms take them out.

use std::fmt;
use std::sync::OnceLock;

use veil_graph::{Dataset, Declared, Fingerprint, Labels, NodeNames, Split};

use crate::guarantee::Guarantee;

/// Raw private data. Anyone can seal them; only this crate's mechanisms can open them.
///
/// ```compile_fail,E0624
/// let secret = veil_privacy::Private::seal(42);
/// secret.open();
/// ```
/// ```compile_fail,E0616
/// let secret = veil_privacy::Private::seal(42);
/// secret.value;
/// ```
pub struct Private<T> {
    value: T,
    fingerprint: OnceLock<Fingerprint>,
}

impl<T> Private<T> {
    /// Seals raw data.
    pub fn seal(value: T) -> Private<T> {
        Private { value, fingerprint: OnceLock::new() }
    }

    /// Opens the seal. Every call stands inside a mechanism, after its permit was checked.
    pub(crate) fn open(&self) -> &T {
        &self.value
    }

    /// The raw data, for scoring what was learned without them.
    ///
    /// Nothing that is computed from it may reach a model or a release; only scoring code holds a [`Truth`].
    pub fn for_scoring(&self, _truth: &Truth) -> &T {
        &self.value
    }
}

impl<T> fmt::Debug for Private<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Private(sealed)")
    }
}

/// The right to look at raw data in order to score: test labels for an accuracy, true edges for an attack's success.
///
/// Make one where scores are computed and hand it to nothing else.
///
/// ```compile_fail,E0423
/// let forged = veil_privacy::Truth(());
/// ```
#[derive(Debug)]
pub struct Truth(());

impl Truth {
    /// States that what follows is scoring.
    pub fn for_scoring_only() -> Truth {
        Truth(())
    }
}

/// What is taken as public about a sealed data set: who takes part, the shape of the tables, the split.
#[derive(Clone, Copy, Debug)]
pub struct Public<'a> {
    /// The name of the data set.
    pub name: &'a str,
    /// What the nodes are called.
    pub names: &'a NodeNames,
    /// How many nodes there are.
    pub nodes: u32,
    /// How many dimensions a feature vector has; `None` without features.
    pub dimensions: Option<usize>,
    /// The declared range of the features.
    pub feature_range: Option<(f32, f32)>,
    /// How many classes there are; `None` without labels.
    pub classes: Option<u32>,
    /// The names of the classes.
    pub class_names: Option<&'a [String]>,
    /// Which nodes are for training, validation and testing.
    pub split: Option<&'a Split>,
    /// Which of these numbers were declared. Where one was counted in the data, it is not as public as it looks.
    pub declared: Declared,
}

impl Private<Dataset> {
    /// What is public about it.
    pub fn public(&self) -> Public<'_> {
        let data = &self.value;
        Public {
            name: data.name(),
            names: data.names(),
            nodes: data.nodes(),
            dimensions: data.features().map(veil_graph::Features::columns),
            feature_range: data.feature_range(),
            classes: data.labels().map(Labels::classes),
            class_names: data.labels().and_then(Labels::names),
            split: data.split(),
            declared: data.declared(),
        }
    }

    /// The fingerprint of the raw data: for the ledger and the coins, never for a release.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.get_or_init(|| self.value.fingerprint())
    }
}

/// A value that a mechanism let out, with what it promises.
///
/// Only this crate makes one, so a function that takes `&Released<T>` cannot be given raw data.
///
/// ```compile_fail,E0624
/// fn forge(guarantees: Vec<veil_privacy::Guarantee>) -> veil_privacy::Released<u32> {
///     veil_privacy::Released::new(42, guarantees)
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Released<T> {
    value: T,
    guarantees: Vec<Guarantee>,
}

impl<T> Released<T> {
    pub(crate) fn new(value: T, guarantees: Vec<Guarantee>) -> Released<T> {
        Released { value, guarantees }
    }

    /// The released value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// What it promises, about one unit each.
    pub fn guarantees(&self) -> &[Guarantee] {
        &self.guarantees
    }

    /// The value and what it promises.
    pub fn into_parts(self) -> (T, Vec<Guarantee>) {
        (self.value, self.guarantees)
    }
}
