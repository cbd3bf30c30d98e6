//! Shadow models: like the run, but their members are known.
//!
//! Each learns from a random half of the pool. Where the attacked nodes share a graph, so do a shadow's members and others; where each
//! side has its own, a shadow's sides have too. If the run chose its epoch by validation nodes, some of the pool validate, in the same
//! proportion to members as in the run; they are neither members nor others.

use std::ops::ControlFlow;

use indicatif::ProgressBar;
use rayon::prelude::*;
use veil_attack::membership::{Answers, Role, Shadow};
use veil_graph::random::Random;
use veil_graph::{Dataset, Part, Split};
use veil_learn::run::Weights;
use veil_learn::{Run, Select, Surface};
use veil_nn::on_one_core;
use veil_nn::training::EpochMetrics;
use veil_privacy::Private;
use veil_privacy::release::RangeChoice;

use super::cast::{Cast, Nodes, Pool, Stage, among};
use crate::failure::Failure;

/// What a model says of nodes of the graph that it is on.
pub fn ask(run: &Run, nodes: &Nodes) -> Result<Answers, Failure> {
    Ok(Answers::ask(&run.deployed(Surface::Pipeline, Weights::Chosen)?, nodes)?)
}

/// From what shadows are trained, and what they are asked.
pub struct Training<'a> {
    pub run: &'a Run,
    pub cast: &'a Cast,
    pub range: RangeChoice,
    pub seed: u64,
    /// Counts epochs.
    pub bar: &'a ProgressBar,
}

impl Training<'_> {
    /// Trains so many, each on one core: small networks gain nothing from more.
    pub fn shadows(&self, count: usize) -> Result<Vec<Shadow>, Failure> {
        (0..count).into_par_iter().map(|number| on_one_core(|| self.shadow(number))).collect()
    }

    fn shadow(&self, number: usize) -> Result<Shadow, Failure> {
        let pool = &self.cast.pool;
        let mut random = Random::new(self.seed, &format!("membership/shadow/{number}"));
        let roles = self.roles(&mut random);
        // Below 2⁵³, as all seeds that a record may keep.
        let seed = random.bits() >> 11;
        let (shadow, answers) = match &self.cast.stage {
            Stage::Run(_) => self.in_one_graph(pool, &roles, seed)?,
            Stage::Apart(..) => self.in_two_graphs(pool, &roles, seed)?,
        };
        let attacked = match &self.cast.stage {
            Stage::Run(_) if pool.is_stage => {
                let all = ask(&shadow, &self.cast.members)?;
                all.followed_by(&ask(&shadow, &self.cast.others)?)?
            }
            Stage::Run(graph) => {
                let there = shadow.elsewhere(graph, self.range, seed)?;
                ask(&there, &self.cast.members)?.followed_by(&ask(&there, &self.cast.others)?)?
            }
            Stage::Apart(graphs) => {
                let [members, others] = &**graphs;
                let members = ask(&shadow.elsewhere(members, self.range, seed)?, &self.cast.members)?;
                members.followed_by(&ask(&shadow.elsewhere(others, self.range, seed)?, &self.cast.others)?)?
            }
        };
        Ok(Shadow { pool: answers, roles, attacked })
    }

    /// A shadow whose members and others are in one graph, and its answers about the pool.
    fn in_one_graph(&self, pool: &Pool, roles: &[Role], seed: u64) -> Result<(Run, Answers), Failure> {
        let mut parts = vec![Part::None; pool.graph.nodes() as usize];
        pool.nodes.iter().zip(roles).for_each(|(&(node, _), &role)| parts[node as usize] = part(role));
        let graph = Private::seal(pool.graph.clone().with_split(Split::new(parts))?);
        let shadow = self.train(&graph, seed)?;
        let answers = ask(&shadow, &pool.nodes)?;
        Ok((shadow, answers))
    }

    /// A shadow that learns in a graph of its members (and of those that validate) and is asked about others in theirs.
    fn in_two_graphs(&self, pool: &Pool, roles: &[Role], seed: u64) -> Result<(Run, Answers), Failure> {
        let of = |is_other: bool| -> (Nodes, Vec<Part>) {
            let of_side = pool.nodes.iter().zip(roles).filter(|&(_, &role)| (role == Role::Other) == is_other);
            of_side.map(|(&node, &role)| (node, part(role))).unzip()
        };
        let ((here, parts), (there, _)) = (of(false), of(true));
        let graph = Private::seal(among(&pool.graph, &here)?.with_split(Split::new(parts))?);
        let shadow = self.train(&graph, seed)?;
        let others = Private::seal(among(&pool.graph, &there)?);
        let renumbered =
            |nodes: &Nodes| -> Nodes { (0..).zip(nodes).map(|(node, &(_, class))| (node, class)).collect() };
        let about_others = shadow.elsewhere(&others, self.range, seed)?;
        let both = ask(&shadow, &renumbered(&here))?.followed_by(&ask(&about_others, &renumbered(&there))?)?;
        // Back into the order of the pool: the next of those here, or the next of those there.
        let (mut next_here, mut next_there) = (0.., here.len()..);
        let order =
            roles.iter().filter_map(|&role| if role == Role::Other { next_there.next() } else { next_here.next() });
        let order: Vec<usize> = order.collect();
        Ok((shadow, both.picked(&order)))
    }

    fn train(&self, graph: &Private<Dataset>, seed: u64) -> Result<Run, Failure> {
        let mut watch = |_: &EpochMetrics| {
            self.bar.inc(1);
            ControlFlow::Continue(())
        };
        Ok(self.run.shadow(graph, self.range, seed, &mut watch)?)
    }

    /// Who is a member of a shadow, and who is not.
    fn roles(&self, random: &mut Random) -> Vec<Role> {
        let count = self.cast.pool.nodes.len();
        let validating = match self.run.released().data().split() {
            Some(split) if self.run.record().parameters.select != Some(Select::Last) => {
                split.count(Part::Val) as f64 / split.count(Part::Train).max(1) as f64
            }
            _ => 0.0,
        };
        // One share for members, one for others, and as much as there is in the run for validation.
        let share = count as f64 / (2.0 + validating);
        let (members, others) = (share.round() as usize, share.round() as usize);
        let mut roles: Vec<Role> = (0..count)
            .map(|place| match place {
                _ if place < members => Role::Member,
                _ if place < members + others || validating == 0.0 => Role::Other,
                _ => Role::Neither,
            })
            .collect();
        random.shuffle(&mut roles);
        roles
    }
}

fn part(role: Role) -> Part {
    match role {
        Role::Member => Part::Train,
        Role::Other => Part::None,
        Role::Neither => Part::Val,
    }
}
