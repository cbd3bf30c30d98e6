//! One line of the table of methods, and how a method is found in it.

use std::sync::Arc;

use veil_privacy::parameters::{Described, Parameters, Settings};
use veil_privacy::{Guarantee, Status, Trust, Unit};

use super::{Method, MethodError, entries};

/// Makes a method from settings.
type Configure = Box<dyn Fn(&Settings) -> Result<Arc<dyn Method>, MethodError> + Send + Sync>;

/// Reads the settings of a release from a guarantee of its statement; `None` if another mechanism
/// made it.
type Recognise = Box<dyn Fn(&Guarantee) -> Option<Settings> + Send + Sync>;

/// One line of the table.
pub struct Entry {
    /// The name on the command line and in files.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// What ε protects; `None` where edges are not protected.
    pub unit: Option<Unit>,
    /// Who has to be trusted.
    pub trust: Trust,
    /// What is known of the guarantee.
    pub status: Status,
    /// Data that a training needs besides edges.
    pub needs: &'static str,
    /// Whether it needs a public graph, on which a student learns.
    pub public_graph: bool,
    pub(in crate::method) configure: Configure,
    pub(in crate::method) recognise: Recognise,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Entry {
    /// An entry of a method that protects no edges.
    pub(super) fn new(
        name: &'static str,
        about: &'static str,
        configure: impl Fn(&Settings) -> Result<Arc<dyn Method>, MethodError> + Send + Sync + 'static,
    ) -> Entry {
        Entry {
            name,
            about,
            unit: None,
            trust: Trust::Central,
            status: Status::None,
            needs: "features, labels",
            public_graph: false,
            configure: Box::new(configure),
            recognise: Box::new(|_| None),
        }
    }

    /// The settings of the edges, if this guarantee is that of the method's own mechanism.
    pub(crate) fn recognise(&self, guarantee: &Guarantee) -> Option<Settings> {
        (self.recognise)(guarantee)
    }

    /// Every parameter with its default.
    pub fn parameters(&self) -> Vec<Described> {
        (self.configure)(&Settings::default()).map(|method| method.list()).unwrap_or_default()
    }

    /// Whether it reads a parameter of this name.
    pub fn reads(&self, name: &str) -> bool {
        self.parameters().iter().any(|it| it.name == name)
    }

    /// The method with these settings over its defaults.
    ///
    /// # Errors
    /// If a name is no parameter of this method, or a value is out of range.
    pub fn configure(&self, settings: &Settings) -> Result<Arc<dyn Method>, MethodError> {
        let known = self.parameters();
        let unread = |name: &&str| known.iter().all(|it| it.name != **name);
        let mut read = settings.clone();
        for name in settings.names().filter(unread) {
            let others: Vec<&str> = entries().iter().filter(|it| it.reads(name)).map(|it| it.name).collect();
            // ε = inf for something that this method does not release has no effect, and tables
            // have a column for it.
            let no_effect = name.starts_with("epsilon") && settings.word(name) == Some("inf");
            if !no_effect || others.is_empty() {
                return Err(MethodError::NotAParameter { method: self.name, name: name.to_owned(), others });
            }
            read.remove(name);
        }
        (self.configure)(&read)
    }
}

/// For [`Entry::new`]: the method that is the struct of parameters `P`.
pub(super) fn configured<P: Method + Parameters + Default + 'static>(
    settings: &Settings,
) -> Result<Arc<dyn Method>, MethodError> {
    let mut parameters = P::default();
    parameters.apply(settings)?;
    Ok(Arc::new(parameters))
}

/// ε and parameters with which a mechanism for edges ran: `names` are pairs of a setting and its
/// name in the guarantee.
pub(super) fn settings_of<'a>(guarantee: &Guarantee, names: impl IntoIterator<Item = (&'a str, &'a str)>) -> Settings {
    let mut settings = Settings::from_iter([("epsilon-edges", guarantee.epsilon.to_string().into())]);
    for (name, listed) in names {
        if let Some(value) = guarantee.parameters.get(listed) {
            settings.insert(name, value);
        }
    }
    settings
}

/// The method of this name.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static Entry, MethodError> {
    let found = entries().iter().find(|it| it.name == name);
    found.ok_or_else(|| MethodError::UnknownMethod { given: name.to_owned() })
}

/// The method of this name with these settings.
///
/// # Errors
/// As [`find`] and [`Entry::configure`].
pub fn configure(name: &str, settings: &Settings) -> Result<Arc<dyn Method>, MethodError> {
    find(name)?.configure(settings)
}
