//! The table of everything that can be audited.
//!
//! The mechanisms for values, every method of [`veil_learn::method`] that protects something (local
//! protocols among them), and every graph mechanism of [`veil_privacy::central`]: names, help and
//! parameters are those of their own registries.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use veil_graph::{Dataset, Features, Labels};
use veil_learn::method::Facts;
use veil_learn::method::on_graph::dpgcn;
use veil_learn::{MethodError, method};
use veil_privacy::mechanism::{ValueRange, codebook, multi_bit, randomised_response};
use veil_privacy::parameters::{Described, Group, Kind, ParameterError, Parameters, Settings};
use veil_privacy::release::EdgePlan;
use veil_privacy::{Declarations, Epsilon, NotPublic, Private, Unit, central, parameters};

use super::{
    Audit, AuditError, Claim, Enumerated, Options, Witness, answers, code, code_of_edges, graphs, pipeline, values,
};

/// Parameters of which `veil audit all` tries every word: each is another mechanism. The bits that
/// users of a cascade may report instead of rows are audited as `edge-flip`.
const VARIED: [&str; 6] = ["strategy", "unit", "release", "heard", "adjacency", "encoder"];

parameters! {
    /// Parameters of randomised response on labels.
    struct LabelParams: Release {
        /// ε of each user's label
        epsilon_labels: Option<Epsilon> = None => Kind::Epsilon,
    }
}

parameters! {
    /// Parameters of the multi-bit encoder.
    struct FeatureParams: Release {
        /// ε of each user's feature vector
        epsilon_features: Option<Epsilon> = None => Kind::Epsilon,
        /// Dimensions sampled per feature report [max(1, min(d, ⌊ε/2.18⌋))]
        samples: Option<u32> = None => Kind::Whole,
    }
}

parameters! {
    /// Parameters of the codebook of feature vectors.
    struct CodebookParams: Release {
        /// ε of each user's feature vector
        epsilon_features: Option<Epsilon> = None => Kind::Epsilon,
    }
}

parameters! {
    /// The budget of a graph mechanism.
    struct GraphParams: Edges {
        /// ε of the edges
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
    }
}

/// One line of the table.
#[derive(Debug)]
pub struct Subject {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// The unit that it protects; the first if there are several.
    pub unit: Unit,
    how: How,
}

/// How a subject is audited.
#[derive(Debug)]
enum How {
    /// By reports of labels.
    Labels,
    /// By reports of feature vectors.
    Features,
    /// By codewords and classes of feature vectors.
    Codebook,
    /// By the release of edges that the method plans.
    Method(&'static method::Entry),
    /// By the graph that the mechanism releases.
    Graph(&'static central::Entry),
    /// By labels of public nodes.
    Student(&'static method::Entry),
}

impl Subject {
    /// The parameter that is ε.
    fn epsilon(&self) -> &'static str {
        match self.how {
            How::Labels => "epsilon-labels",
            How::Features | How::Codebook => "epsilon-features",
            How::Method(entry) if entry.unit == Some(Unit::Node) => "epsilon",
            How::Method(_) | How::Graph(_) => "epsilon-edges",
            How::Student(_) => "epsilon",
        }
    }

    /// Every parameter of the mechanism besides ε, with its default in an audit.
    pub fn parameters(&self) -> Vec<Described> {
        let all = match self.how {
            How::Labels => LabelParams::default().list(),
            How::Features => FeatureParams::default().list(),
            How::Codebook => CodebookParams::default().list(),
            How::Graph(entry) => (entry.parameters)().list(),
            How::Method(entry) | How::Student(entry) => {
                let of_mechanism = |it: &Described| matches!(it.group, Group::Edges | Group::Student | Group::Nodes);
                entry.parameters().into_iter().filter(of_mechanism).collect()
            }
        };
        let defaults = self.defaults();
        let with_default = |it: Described| {
            let value = defaults.get(&it.name).cloned().or(it.value);
            Described { value, ..it }
        };
        all.into_iter().filter(|it| it.name != self.epsilon()).map(with_default).collect()
    }

    /// The method that is trained for an end-to-end audit.
    fn trained(&self) -> Option<&'static method::Entry> {
        match self.how {
            // Its model answers about nobody.
            How::Method(entry) if entry.unit == Some(Unit::Node) => None,
            How::Method(entry) => Some(entry),
            How::Graph(_) => method::find(dpgcn::NAME).ok(),
            _ => None,
        }
    }

    /// Every parameter of the training of an end-to-end audit besides those of the mechanism.
    pub fn training_parameters(&self) -> Vec<Described> {
        let all = self.trained().map(method::Entry::parameters).unwrap_or_default();
        all.into_iter().filter(|it| it.group != Group::Edges).collect()
    }

    /// Settings that an audit does not take from the method's defaults.
    fn defaults(&self) -> Settings {
        match self.how {
            How::Student(entry) => answers::defaults(entry),
            _ => Settings::default(),
        }
    }

    /// These settings over the defaults of an audit, with this ε: 1, if neither it nor a noise is
    /// given.
    ///
    /// # Errors
    /// If both ε and a noise are given, or no noise has this ε.
    pub fn at(&self, epsilon: Option<Epsilon>, given: &Settings) -> Result<Settings, AuditError> {
        let mut settings = self.defaults().overridden_by(given);
        match (settings.contains("lambda"), epsilon) {
            (true, Some(_)) => return Err(MethodError::TwoNoises.into()),
            (true, None) => return Ok(settings),
            (false, _) => {}
        }
        let epsilon = match epsilon {
            Some(epsilon) => epsilon,
            None => Epsilon::from_nanos(1_000_000_000).ok_or(MethodError::NoNoiseIsEnough)?,
        };
        match answers::published_noise(&settings, epsilon)? {
            Some(lambda) => settings.insert("lambda", lambda.to_string()),
            None => settings.insert(self.epsilon(), epsilon.to_string()),
        };
        Ok(settings)
    }

    /// Every form of the mechanism at this ε.
    ///
    /// # Errors
    /// If no noise has this ε.
    pub fn forms(&self, epsilon: Option<Epsilon>) -> Result<Vec<Settings>, AuditError> {
        let mut forms = vec![Settings::default()];
        for parameter in self.parameters() {
            let Kind::Word(words) = parameter.kind else { continue };
            if VARIED.contains(&&*parameter.name) {
                let with = |word: &str| Settings::from_iter([(&*parameter.name, word.into())]);
                let of = |form: &Settings| words.iter().map(|word| form.clone().overridden_by(&with(word))).collect();
                forms = forms.iter().flat_map(|form| -> Vec<Settings> { of(form) }).collect();
            }
        }
        forms.iter().map(|form| self.at(epsilon, form)).collect()
    }

    /// Fails where a release of these data would be refused, so that it has no guarantee to audit.
    ///
    /// # Errors
    /// If a fact of the data that would leave was neither given nor declared public.
    pub fn check(&self, data: &Dataset, declared: Declarations) -> Result<(), NotPublic> {
        // Students are audited on graphs of their own.
        if self.unit == Unit::Node {
            return Ok(());
        }
        Private::seal(data.clone()).declaring(declared).public().check(self.unit)
    }

    /// Tests the guarantees that it has with these settings, each for itself.
    ///
    /// # Errors
    /// If settings or data do not allow it.
    pub fn audit(&self, settings: &Settings, data: &Dataset, options: &Options) -> Result<Vec<Audit>, AuditError> {
        let audits = self.audit_claims(settings, data, options)?;
        let decided = self.decided(settings, data)?;
        let with_code = |audit: Audit| {
            Ok(match self.enumerate(&decided, &audit.claim)? {
                Some((code, witness)) => audit.with_code(code, witness),
                None => audit,
            })
        };
        audits.into_iter().map(with_code).collect()
    }

    /// The settings with what a method decides from the size of the data: a release of a few nodes
    /// would otherwise be of another mechanism.
    fn decided(&self, settings: &Settings, data: &Dataset) -> Result<Settings, AuditError> {
        let How::Method(entry) = self.how else { return Ok(settings.clone()) };
        let (nodes, classes) = (data.nodes(), data.labels().map_or(0, Labels::classes));
        let method = entry.configure(settings)?;
        let found = method.decided(Facts { validated: true, classes, nodes })?;
        let mut decided = settings.clone();
        for parameter in self.parameters() {
            if let Some(value) = found.get(&parameter.name) {
                decided.insert(parameter.name, value.clone());
            }
        }
        let mechanisms =
            |plan: EdgePlan| -> BTreeSet<String> { plan.guarantees().into_iter().map(|it| it.mechanism).collect() };
        let (of_data, of_few) = (method.edges(nodes, classes)?, entry.configure(&decided)?.edges(3, 1)?);
        if mechanisms(of_data) != mechanisms(of_few) {
            let problem = "a few nodes would be released by another mechanism than these data".to_owned();
            return Err(AuditError::Code { problem });
        }
        Ok(decided)
    }

    /// What releases of small inputs say about a claim of this subject; `None` if there are none.
    ///
    /// # Errors
    /// If settings do not allow it.
    pub fn enumerate(
        &self,
        settings: &Settings,
        claim: &Claim,
    ) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
        // A promise that follows from another one has a multiple of this ε.
        let claimed: Epsilon = match settings.word(self.epsilon()) {
            Some(text) => text.parse().map_err(|_| AuditError::NoGuarantee { subject: self.name })?,
            None => Epsilon::INFINITE,
        };
        // The same mechanism at the ε of the enumeration, for a few nodes.
        let small = |entry: &'static method::Entry, nodes: u32| {
            let mut settings = settings.clone();
            settings.insert(self.epsilon(), code::assumed(claimed).to_string());
            if entry.reads("max-dummies") {
                // Dummies are made from a key that cannot be enumerated.
                settings.insert("max-dummies", 0);
            }
            Ok::<_, AuditError>(entry.configure(&settings)?.edges(nodes, 1)?)
        };
        match self.how {
            How::Labels => code::values::labels(claimed),
            How::Features => {
                let mut params = FeatureParams::default();
                params.apply(settings)?;
                code::values::features(claimed, params.samples)
            }
            How::Codebook => code::values::codebook(claimed),
            How::Graph(entry) => {
                let mut parameters = (entry.parameters)();
                settings.iter().try_for_each(|(name, value)| parameters.set(name, value).map(drop))?;
                code::graphs::graphs(&|nodes| {
                    let built = (entry.build)(code::assumed(claimed), nodes, &parameters.settings());
                    Ok(built.map_err(|source| MethodError::Protocol { protocol: entry.name, source })?)
                })
            }
            How::Method(entry) => code_of_edges(&|nodes| small(entry, nodes), claim, claimed),
            How::Student(entry) => (answers::student(entry.name)?.enumerate)(settings),
        }
    }

    /// By arithmetic and by canaries.
    fn audit_claims(&self, settings: &Settings, data: &Dataset, options: &Options) -> Result<Vec<Audit>, AuditError> {
        let missing = |what| AuditError::Missing { mechanism: self.name.to_owned(), what };
        let no_epsilon = || AuditError::NoGuarantee { subject: self.name };
        match self.how {
            How::Labels => {
                let mut params = LabelParams::default();
                params.apply(settings)?;
                let epsilon = params.epsilon_labels.ok_or_else(no_epsilon)?;
                let values = data.labels().map(Labels::classes).ok_or_else(|| missing("labels"))?;
                Ok(vec![values::label(&randomised_response::Params { epsilon, values }.check()?, options)?])
            }
            How::Features => {
                let mut params = FeatureParams::default();
                params.apply(settings)?;
                let epsilon = params.epsilon_features.ok_or_else(no_epsilon)?;
                let dimensions = data.features().map(Features::columns).ok_or_else(|| missing("features"))?;
                let dimensions = u32::try_from(dimensions).unwrap_or(u32::MAX);
                let (range, samples) = (ValueRange::UNIT, params.samples);
                let mechanism = multi_bit::Params { epsilon, dimensions, range, samples }.check()?;
                Ok(vec![values::features(&mechanism, options)?])
            }
            How::Codebook => {
                let mut params = CodebookParams::default();
                params.apply(settings)?;
                let epsilon = params.epsilon_features.ok_or_else(no_epsilon)?;
                let dimensions = data.features().map(Features::columns).ok_or_else(|| missing("features"))?;
                let dimensions = u32::try_from(dimensions).unwrap_or(u32::MAX);
                let classes = data.labels().map(Labels::classes).ok_or_else(|| missing("labels"))?;
                let mechanism = codebook::Params { epsilon, dimensions, classes, groups: None }.check()?;
                Ok(vec![values::codebook(&mechanism, options)?])
            }
            How::Graph(entry) => {
                let (mut budget, mut parameters) = (GraphParams::default(), (entry.parameters)());
                for (name, value) in settings.iter() {
                    if !budget.set(name, value)? && !parameters.set(name, value)? {
                        return Err(ParameterError::Unknown { name: name.to_owned() }.into());
                    }
                }
                let epsilon = budget.epsilon_edges.filter(|it| it.is_finite()).ok_or_else(no_epsilon)?;
                let built = (entry.build)(epsilon, data.nodes(), &parameters.settings());
                let mechanism = built.map_err(|source| MethodError::Protocol { protocol: entry.name, source })?;
                Ok(vec![graphs::central(&*mechanism, data, options)?])
            }
            How::Method(entry) => {
                let classes = data.labels().map_or(0, Labels::classes);
                let plan = entry.configure(settings)?.edges(data.nodes(), classes)?;
                super::of_edges(&plan, data, options)?.ok_or_else(no_epsilon)
            }
            How::Student(entry) => {
                entry.configure(settings)?;
                Ok(vec![(answers::student(entry.name)?.audit)(settings, options)?])
            }
        }
    }

    /// Tests the first guarantee about edges through a whole training, by LinkTeller on the model.
    ///
    /// # Errors
    /// If it releases no edges, its model does not depend on features, or training fails.
    pub fn audit_end_to_end(
        &self,
        settings: &Settings,
        data: &Dataset,
        options: &Options,
    ) -> Result<Audit, AuditError> {
        let entry = self.trained().ok_or(AuditError::NoEdges { subject: self.name })?;
        let mut settings = settings.clone();
        if let How::Graph(mechanism) = self.how {
            settings.insert("graph", mechanism.name);
        }
        pipeline::audit(entry, &settings, data, options)
    }
}

/// Everything that can be audited.
pub fn subjects() -> &'static [Subject] {
    static SUBJECTS: OnceLock<Vec<Subject>> = OnceLock::new();
    SUBJECTS.get_or_init(|| {
        let labels = ("Randomised response on labels", Unit::Label, How::Labels);
        let features = ("Multi-bit encoder of feature vectors", Unit::Feature, How::Features);
        let hints = ("Codewords and classes of feature vectors", Unit::Feature, How::Codebook);
        let values = [(randomised_response::NAME, labels), (multi_bit::NAME, features), (codebook::NAME, hints)];
        let values = values.map(|(name, (about, unit, how))| Subject { name, about, unit, how });
        let of_method = |entry: &'static method::Entry| {
            let how = if entry.public_graph { How::Student(entry) } else { How::Method(entry) };
            Some(Subject { name: entry.name, about: entry.about, unit: entry.unit?, how })
        };
        let graph = |entry: &'static central::Entry| {
            let central::Entry { name, about, unit, .. } = *entry;
            Subject { name, about, unit, how: How::Graph(entry) }
        };
        // DpGCN is audited as its graph mechanisms.
        let methods = method::entries().iter().filter(|entry| entry.name != dpgcn::NAME).filter_map(of_method);
        values.into_iter().chain(methods).chain(central::ENTRIES.iter().map(graph)).collect()
    })
}

/// The subject of this name.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static Subject, AuditError> {
    let found = subjects().iter().find(|subject| subject.name == name);
    found.ok_or_else(|| AuditError::Unknown { given: name.to_owned() })
}

/// Every form of everything at this ε.
///
/// # Errors
/// If no noise has this ε.
pub fn every(epsilon: Option<Epsilon>) -> Result<Vec<(&'static Subject, Settings)>, AuditError> {
    let mut all = Vec::new();
    for subject in subjects() {
        all.extend(subject.forms(epsilon)?.into_iter().map(|settings| (subject, settings)));
    }
    Ok(all)
}

pub(super) fn names() -> String {
    subjects().iter().map(|subject| subject.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use veil_graph::generate::Community;

    use super::*;

    /// What few nodes would report as bits is reported as rows by many: rows are enumerated.
    #[test]
    fn a_mechanism_is_enumerated_as_it_is_decided_for_the_data() {
        let subject = find("cascade-local").unwrap();
        let settings = subject.at("6".parse().ok(), &Settings::default()).unwrap();
        for (nodes, reported) in [(2700, "rows"), (200, "bits")] {
            let data = Community::citation().with_nodes(nodes).check().unwrap().generate(1);
            assert_eq!(subject.decided(&settings, &data).unwrap().word("reported"), Some(reported), "{nodes}");
        }
    }

    /// `veil audit all` runs every form: each is another mechanism.
    #[test]
    fn every_word_of_a_varied_parameter_is_a_form() {
        let forms = |name: &str| find(name).unwrap().forms(None).unwrap();
        let of = |name: &str, parameter: &str| -> Vec<String> {
            forms(name).iter().map(|it| it.word(parameter).unwrap().to_owned()).collect()
        };
        assert_eq!(of("moments", "adjacency"), ["added", "replaced"]);
        assert_eq!(of("edge-flip", "heard").len(), 2);
        assert_eq!(of("cascade-local", "heard").len(), 2);
        assert_eq!(of("dpdgc", "encoder").len(), 2);
        assert_eq!(forms("cascade").len(), 1);
    }
}
