//! Networks on neighbour lists that users reported through a local protocol: every protocol of
//! [`veil_privacy::protocol::ENTRIES`] is a method of the same name. From lists with noisy degrees
//! the server first estimates a graph (`blink`).

use veil_nn::Kind as Layer;
use veil_privacy::parameters::{Described, Kind, Parameters, Settings};
use veil_privacy::protocol;
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Epsilon, Guarantee, Trust, parameters};

use super::blink::{Estimated, Server};
use super::{EdgeSource, configure};
use crate::error::LearnError;
use crate::method::{Entry, MethodError, settings_of};
use crate::parameters::Recipe;

parameters! {
    /// The budget of a report.
    struct Budget: Edges {
        /// ε of each user's edge report; inf: no noise
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
    }
}

/// A protocol with its parameters.
#[derive(Debug)]
struct Lists {
    entry: &'static protocol::Entry,
    budget: Budget,
    settings: Settings,
    /// How a graph is estimated from the reports, if they are not one.
    server: Option<Server>,
}

impl Lists {
    fn set(&mut self, settings: &Settings) -> Result<(), MethodError> {
        let mut parameters = (self.entry.parameters)();
        for (name, value) in settings.iter() {
            let mut of_server = || self.server.as_mut().map_or(Ok(false), |server| server.set(name, value));
            let known = self.budget.set(name, value)? || parameters.set(name, value)? || of_server()?;
            debug_assert!(known, "{name}");
        }
        self.settings = parameters.settings();
        // Whatever is out of range is an error, also where ε = inf makes it useless: then any
        // finite ε stands in.
        let finite =
            self.budget.epsilon_edges.filter(|epsilon| epsilon.is_finite()).or(Epsilon::from_nanos(1_000_000_000));
        match finite.map(|epsilon| (self.entry.build)(epsilon, 2, &self.settings)) {
            Some(Err(source)) => Err(MethodError::Protocol { protocol: self.entry.name, source }),
            _ => Ok(()),
        }
    }
}

impl EdgeSource for Lists {
    fn list(&self) -> Vec<Described> {
        let mut parameters = (self.entry.parameters)();
        for (name, value) in self.settings.iter() {
            // They were read from such a struct.
            let _ = parameters.set(name, value);
        }
        let server = self.server.iter().flat_map(Parameters::list);
        self.budget.list().into_iter().chain(parameters.list()).chain(server).collect()
    }

    fn plan(&self, nodes: u32) -> Result<EdgePlan, MethodError> {
        let protocol = self.entry.name;
        let missing = MethodError::Missing { method: protocol, name: "epsilon-edges" };
        let epsilon = self.budget.epsilon_edges.ok_or(missing)?;
        if !epsilon.is_finite() {
            return Ok(EdgePlan::Raw);
        }
        let built = (self.entry.build)(epsilon, nodes, &self.settings);
        built.map(EdgePlan::Lists).map_err(|source| MethodError::Protocol { protocol, source })
    }

    fn estimate(&self, released: &Privatised) -> Result<Option<Estimated>, LearnError> {
        match (&self.server, self.plan(released.data().nodes())?) {
            (Some(server), EdgePlan::Lists(protocol)) => server.estimate(&*protocol, released).map(Some),
            _ => Ok(None),
        }
    }
}

pub(in crate::method) fn entry(protocol: &'static protocol::Entry) -> Entry {
    let recipe = if Server::of(protocol).is_some() { Recipe::Lpgnet } else { Recipe::GraphPrivatizer };
    let entry = Entry::new(protocol.name, protocol.about, move |settings| {
        let budget = Budget::default();
        let (settings_of_protocol, server) = ((protocol.parameters)().settings(), Server::of(protocol));
        let lists = Lists { entry: protocol, budget, settings: settings_of_protocol, server };
        configure(protocol.name, lists, Lists::set, (recipe, Layer::Gcn), settings)
    });
    let recognise = Box::new(move |guarantee: &Guarantee| recognise(protocol, guarantee));
    Entry { unit: Some(protocol.unit), trust: Trust::Local, status: protocol.status, recognise, ..entry }
}

fn recognise(protocol: &protocol::Entry, guarantee: &Guarantee) -> Option<Settings> {
    let parameters = (protocol.parameters)().list();
    let names = parameters.iter().map(|it| (it.name.as_str(), it.name.as_str()));
    (guarantee.mechanism == protocol.name).then(|| settings_of(guarantee, names))
}
