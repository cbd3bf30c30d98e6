//! Shadow models: trained like the run, with known members.
//!
//! Each learns from a random half of the pool. If the attacked nodes share a graph, so do the
//! members and others of a shadow; if each side has its own graph, so do the sides of a shadow. If
//! the run chose its epoch by validation nodes, the pool has validation nodes too, in the same
//! proportion to members as in the run.

use rayon::prelude::*;
use veil_graph::random::Random;
use veil_graph::{Part, Split};
use veil_learn::pipeline::{Hooks, PipelineError, elsewhere, shadow};
use veil_learn::run::Weights;
use veil_learn::{Run, Surface};
use veil_nn::on_one_core;

use super::population::{Nodes, Population, Queried, among, renumbered, sealed};
use super::{Answers, MembershipError, Role, Shadow};

/// The answers of a model about nodes of its graph.
fn answers(run: &Run, nodes: &Nodes) -> Result<Answers, MembershipError> {
    let model = run.deployed(Surface::Pipeline, Weights::Chosen).map_err(PipelineError::from)?;
    Answers::of(&model, nodes)
}

impl Population {
    /// The answers of a model about members and about others. `on_graph`: the model is on the graph
    /// of the run.
    pub(super) fn answers(&self, run: &Run, on_graph: bool, seed: u64) -> Result<[Answers; 2], MembershipError> {
        let about = |graph: &_, nodes| answers(&elsewhere(run, graph, seed)?, nodes);
        Ok(match &self.queried {
            Queried::OfRun(_) if on_graph => [answers(run, &self.members)?, answers(run, &self.others)?],
            Queried::OfRun(graph) => {
                let there = elsewhere(run, graph, seed)?;
                [answers(&there, &self.members)?, answers(&there, &self.others)?]
            }
            Queried::Separate(graphs) => [about(&graphs[0], &self.members)?, about(&graphs[1], &self.others)?],
        })
    }
}

/// The training of shadow models.
pub(super) struct Training<'a> {
    pub run: &'a Run,
    pub population: &'a Population,
    pub seed: u64,
    pub hooks: &'a dyn Hooks,
}

impl Training<'_> {
    /// Trains so many, each on one core: small networks gain nothing from more.
    pub fn shadows(&self, count: usize) -> Result<Vec<Shadow>, MembershipError> {
        (0..count).into_par_iter().map(|number| on_one_core(|| self.shadow(number))).collect()
    }

    fn shadow(&self, number: usize) -> Result<Shadow, MembershipError> {
        let mut random = Random::new(self.seed, &format!("membership/shadow/{number}"));
        let roles = self.roles(&mut random);
        // Below 2⁵³, like all seeds in a record.
        let seed = random.bits() >> 11;
        let (model, pool) = match self.population.queried {
            Queried::OfRun(_) => self.in_one_graph(&roles, seed)?,
            Queried::Separate(_) => self.in_two_graphs(&roles, seed)?,
        };
        let [members, others] = self.population.answers(&model, self.population.pool.is_queried, seed)?;
        Ok(Shadow { pool, roles, attacked: members.followed_by(&others)? })
    }

    /// A shadow whose members and others are in one graph, and its answers about the pool.
    fn in_one_graph(&self, roles: &[Role], seed: u64) -> Result<(Run, Answers), MembershipError> {
        let pool = &self.population.pool;
        let mut parts = vec![Part::None; pool.graph.nodes() as usize];
        pool.nodes.iter().zip(roles).for_each(|(&(node, _), &role)| parts[node as usize] = part(role));
        let graph = pool.graph.clone().with_split(Split::new(parts))?;
        let model = shadow(self.run, graph, seed, self.hooks)?;
        let answers = answers(&model, &pool.nodes)?;
        Ok((model, answers))
    }

    /// A shadow that learns in the graph of its members and validation nodes, and is queried about
    /// others in theirs.
    fn in_two_graphs(&self, roles: &[Role], seed: u64) -> Result<(Run, Answers), MembershipError> {
        let pool = &self.population.pool;
        let of = |is_other: bool| -> (Nodes, Vec<Part>) {
            let of_side = pool.nodes.iter().zip(roles).filter(|&(_, &role)| (role == Role::Other) == is_other);
            of_side.map(|(&node, &role)| (node, part(role))).unzip()
        };
        let ((here, parts), (there, _)) = (of(false), of(true));
        let graph = among(&pool.graph, &here)?.with_split(Split::new(parts))?;
        let model = shadow(self.run, graph, seed, self.hooks)?;
        let on_others = elsewhere(&model, &sealed(among(&pool.graph, &there)?), seed)?;
        let both = answers(&model, &renumbered(&here))?.followed_by(&answers(&on_others, &renumbered(&there))?)?;
        // Back into the order of the pool.
        let (mut next_here, mut next_there) = (0.., here.len()..);
        let order =
            roles.iter().filter_map(|&role| if role == Role::Other { next_there.next() } else { next_here.next() });
        let order: Vec<usize> = order.collect();
        Ok((model, both.picked(&order)))
    }

    /// The role of each node of the pool: one share for members, one for others, and validation
    /// nodes as in the run.
    fn roles(&self, random: &mut Random) -> Vec<Role> {
        let count = self.population.pool.nodes.len();
        let validating = match self.run.released().data().split() {
            Some(split) if self.run.record().parameters.word("select") != Some("last") => {
                split.count(Part::Val) as f64 / split.count(Part::Train).max(1) as f64
            }
            _ => 0.0,
        };
        let share = (count as f64 / (2.0 + validating)).round() as usize;
        let role = |place: usize| match place {
            _ if place < share => Role::Member,
            _ if place < 2 * share || validating == 0.0 => Role::Other,
            _ => Role::Validation,
        };
        let mut roles: Vec<Role> = (0..count).map(role).collect();
        random.shuffle(&mut roles);
        roles
    }
}

fn part(role: Role) -> Part {
    match role {
        Role::Member => Part::Train,
        Role::Other => Part::None,
        Role::Validation => Part::Val,
    }
}
