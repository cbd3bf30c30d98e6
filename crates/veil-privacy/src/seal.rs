//! The seal around raw data: only mechanisms of this crate can open it.

use std::fmt;
use std::sync::OnceLock;

use veil_graph::bytes::fields;
use veil_graph::{Dataset, Declared, Fingerprint, Labels, NodeNames, Part, Split};

use crate::coins::Inputs;
use crate::fact::{Declarations, Disclosed, Fact, NotPublic, Origin};
use crate::guarantee::{Guarantee, Unit};

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
    /// The facts about the data that their owner declares public.
    declarations: Declarations,
}

impl<T> Private<T> {
    /// Seals raw data.
    pub fn seal(value: T) -> Private<T> {
        Private { value, fingerprint: OnceLock::new(), declarations: Declarations::NONE }
    }

    /// Opens the seal. Every caller is a mechanism that has checked its permit.
    pub(crate) fn open(&self) -> &T {
        &self.value
    }

    /// The raw data, for scoring.
    ///
    /// Nothing computed from them may reach a model or a release; only scoring code holds a
    /// [`Truth`].
    pub fn for_scoring(&self, _truth: &Truth) -> &T {
        &self.value
    }
}

impl<T> fmt::Debug for Private<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Private(sealed)")
    }
}

/// The right to read raw data for scoring: test labels for an accuracy, true edges for the success
/// of an attack.
///
/// Create it where scores are computed, and pass it to nothing else.
///
/// ```compile_fail,E0423
/// let forged = veil_privacy::Truth(());
/// ```
#[derive(Debug)]
pub struct Truth(());

impl Truth {
    /// Declares that the caller computes scores.
    pub fn for_scoring_only() -> Truth {
        Truth(())
    }
}

/// The facts about a sealed data set that leave without noise: its nodes, the shape of its tables,
/// its split. A plan decides whether they may ([`crate::fact`]).
#[derive(Clone, Copy, Debug)]
pub struct Public<'a> {
    /// The name of the data set.
    pub name: &'a str,
    /// The names of the nodes.
    pub names: &'a NodeNames,
    /// The number of nodes.
    pub nodes: u32,
    /// The number of feature dimensions; `None` without features.
    pub dimensions: Option<usize>,
    /// The declared range of the features.
    pub feature_range: Option<(f32, f32)>,
    /// The number of classes; `None` without labels.
    pub classes: Option<u32>,
    /// The names of the classes.
    pub class_names: Option<&'a [String]>,
    /// The split into training, validation and test nodes.
    pub split: Option<&'a Split>,
    /// Whether a validation node has a label. Who has one is not protected.
    pub validated: bool,
    /// Which of these numbers were given. A number that was computed from the data is not public by
    /// itself.
    pub declared: Declared,
    /// The facts that the owner declares public.
    pub declarations: Declarations,
}

impl Public<'_> {
    /// How a fact came about that does not depend on the options of a release.
    pub fn origin(&self, fact: Fact) -> Origin {
        let given = match fact {
            Fact::Nodes => self.declared.nodes,
            Fact::Dimensions => self.declared.dimensions,
            Fact::Classes => self.declared.classes,
            Fact::Columns => self.feature_range.is_some(),
            Fact::Split => !self.split.is_some_and(Split::is_from_labels),
            Fact::PrivateNodes | Fact::Features | Fact::Labels => false,
        };
        if given { Origin::Given } else { Origin::Computed }
    }

    /// Whether any release with this unit could be planned: whether the shape of the data, as far
    /// as it differs between adjacent inputs, is given or declared public.
    ///
    /// # Errors
    /// If a fact is not public.
    pub fn check(&self, unit: Unit) -> Result<(), NotPublic> {
        let shape = [
            (Fact::Nodes, unit != Unit::Node),
            (Fact::Dimensions, self.dimensions.is_some()),
            (Fact::Classes, self.classes.is_some()),
            (Fact::Split, self.split.is_some()),
        ];
        let facts = shape.into_iter().filter(|(_, present)| *present).map(|(fact, _)| (fact, self.origin(fact)));
        Disclosed::decide(self.name, self.declarations, facts.collect(), &[unit]).map(drop)
    }

    /// Whether the number of private nodes is declared public, so that parameters may be checked
    /// against it.
    pub fn counts_are_public(&self) -> bool {
        self.declarations.contains(Fact::PrivateNodes)
    }
}

/// The facts that are declared public with the data. What is every user's own (features, labels) is
/// declared for one release at a time.
fn stored(data: &Dataset) -> Declarations {
    let facts = data.public().iter().filter_map(|word| word.parse::<Fact>().ok());
    facts.filter(|fact| fact.may_be_stored()).collect()
}

impl Private<Dataset> {
    /// The same data, of which the owner declares a fact (or some) public. Guarantees then cover
    /// adjacent inputs that agree on it.
    #[must_use]
    pub fn declaring(self, facts: impl Into<Declarations>) -> Private<Dataset> {
        Private { declarations: self.declarations.and(facts.into()), ..self }
    }

    /// The facts about the data.
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
            validated: data
                .labels()
                .zip(data.split())
                .is_some_and(|(labels, split)| split.nodes(Part::Val).any(|node| labels.get(node).is_some())),
            declared: data.declared(),
            declarations: self.declarations.and(stored(data)),
        }
    }

    /// A digest of everything that leaves without noise, and of what was given or declared: the
    /// fingerprint covers the other data.
    pub(crate) fn facts(&self) -> Inputs {
        let Public { name, names, feature_range, class_names, split, declared, declarations, .. } = self.public();
        let list = |texts: &mut dyn Iterator<Item = &str>| -> Vec<u8> {
            fields(&texts.map(str::as_bytes).collect::<Vec<_>>())
        };
        let nodes: Vec<u8> =
            (0..names.len() as u32).flat_map(|node| list(&mut [&*names.name(node)].into_iter())).collect();
        let classes = class_names.map(|names| list(&mut names.iter().map(String::as_str)));
        let parts: Option<Vec<u8>> =
            split.map(|split| (0..names.len() as u32).map(|node| split.part(node) as u8).collect());
        let others = format!("{feature_range:?} {declared:?} {declarations} {:?}", split.map(Split::is_from_labels));
        Inputs::of()
            .with("name", name.as_bytes())
            .with("nodes", &nodes)
            .with("classes", &classes.unwrap_or_default())
            .with("split", &parts.unwrap_or_default())
            .with("others", others.as_bytes())
            .digest()
    }

    /// The fingerprint of the raw data, for the ledger and the coins. It is never released.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.get_or_init(|| self.value.fingerprint())
    }
}

/// A value released by a mechanism, with its guarantees.
///
/// Only this crate constructs it, so a function that takes `&Released<T>` never receives raw data.
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

    /// The guarantees, one per unit.
    pub fn guarantees(&self) -> &[Guarantee] {
        &self.guarantees
    }

    /// The value and its guarantees.
    pub fn into_parts(self) -> (T, Vec<Guarantee>) {
        (self.value, self.guarantees)
    }
}
