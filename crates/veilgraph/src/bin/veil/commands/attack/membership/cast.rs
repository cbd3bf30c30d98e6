//! Who is asked about, in which graphs, and on whom shadow models train. Nobody has two of these parts.

use veil_attack::membership::matched;
use veil_graph::random::Random;
use veil_graph::{Dataset, NodeId, NodeNames, Part, Split};
use veil_learn::Run;
use veil_privacy::Private;

use crate::failure::Failure;

/// The fewest nodes of a pool: a few members, a few others, and a few that validate.
const FEWEST: usize = 10;

/// Nodes with their classes, ascending.
pub type Nodes = Vec<(NodeId, u32)>;

/// Raw data that an attack is given.
pub struct Given {
    /// What the run is said to have learned from.
    pub truth: Dataset,
    /// Nodes that nobody learned from.
    pub outside: Option<Dataset>,
    /// What shadow models learn from.
    pub shadow_data: Option<Dataset>,
}

/// The parts of all nodes.
pub struct Cast {
    /// Where members and others are asked.
    pub stage: Stage,
    /// Who may be a member.
    pub members: Nodes,
    /// Who is none.
    pub others: Nodes,
    /// How many members and others there were to draw these from.
    pub available: [usize; 2],
    /// Where shadows find their members and others.
    pub pool: Pool,
}

/// Where the attacked nodes are asked.
pub enum Stage {
    /// In the graph of the run.
    Run(Box<Private<Dataset>>),
    /// Members in a graph of their own, and others too: the model is applied to both.
    Apart(Box<[Private<Dataset>; 2]>),
}

/// Nodes that nobody asks about, from which each shadow draws a random half as its members.
pub struct Pool {
    /// The nodes.
    pub nodes: Nodes,
    /// Their graph, raw, because each shadow divides its nodes anew. It may have others that are no part of the pool.
    pub graph: Dataset,
    /// Whether that is the graph in which the attacked nodes are asked.
    pub is_stage: bool,
}

impl Cast {
    /// Gives everyone a part. If classes are to be matched, every class has as many members as others.
    pub fn new(given: Given, run: &Run, match_classes: bool, seed: u64) -> Result<Cast, Failure> {
        given.refuse_shared()?;
        match given.outside {
            Some(outside) => Cast::apart(given.truth, outside, given.shadow_data, run, match_classes, seed),
            None => Cast::within(given.truth, given.shadow_data, run, match_classes, seed),
        }
    }

    /// Training nodes against test nodes of the run's own graph.
    fn within(
        truth: Dataset,
        shadow_data: Option<Dataset>,
        run: &Run,
        match_classes: bool,
        seed: u64,
    ) -> Result<Cast, Failure> {
        let released = run.released().data();
        if truth.nodes() != released.nodes() {
            return Err(Failure::OtherSize { truth: truth.nodes(), run: released.nodes() });
        }
        let of = |part| labelled(&truth, |node| released.split().is_some_and(|split| split.part(node) == part));
        let (members, tested) = (of(Part::Train)?, of(Part::Test)?);
        if tested.is_empty() {
            let problem =
                "the run's split has no test nodes to compare with: pass --outside with data that nobody trained on";
            return Err(Failure::Usage(problem.to_owned()));
        }
        let (others, pool) = match shadow_data {
            Some(data) => (tested, Pool::all_of(data)?),
            None => {
                let (others, nodes) = halves(tested, seed);
                (others, Pool { nodes, graph: truth.clone(), is_stage: true })
            }
        };
        let available = [members.len(), others.len()];
        let (members, others) = if match_classes { matched(&members, &others, seed) } else { (members, others) };
        Ok(Cast { stage: Stage::Run(Box::new(Private::seal(truth))), members, others, available, pool })
    }

    /// Nodes of one graph against nodes of another.
    ///
    /// Both are asked in the graph among those who are asked about. With matched classes these two graphs are alike in all but
    /// membership; whole graphs would not be: a node has more neighbours in a larger one, and a model is surer of it.
    fn apart(
        truth: Dataset,
        outside: Dataset,
        shadow_data: Option<Dataset>,
        run: &Run,
        match_classes: bool,
        seed: u64,
    ) -> Result<Cast, Failure> {
        let released = run.released().data();
        // The split of a run may have been drawn for it; that of a student is about other nodes.
        let own = released.name() == truth.name() && released.names() == truth.names();
        let split = released.split().filter(|_| own).or(truth.split());
        let members = labelled(&truth, |node| split.is_none_or(|split| split.part(node) == Part::Train))?;
        let all = labelled(&outside, |_| true)?;
        let (others, pool) = match shadow_data {
            Some(data) => (all, Pool::all_of(data)?),
            None => {
                let (others, pool) = halves(all, seed);
                (others, Pool::all_of(among(&outside, &pool)?)?)
            }
        };
        let available = [members.len(), others.len()];
        let (members, others) = if match_classes { matched(&members, &others, seed) } else { (members, others) };
        if members.is_empty() || others.is_empty() {
            let (truth, outside) = (truth.name(), outside.name());
            let problem = format!("{truth} and {outside} have no class in common: nobody can be asked about");
            return Err(Failure::Unexpected(problem));
        }
        let graphs = [among(&truth, &members)?, among(&outside, &others)?];
        let stage = Stage::Apart(Box::new(graphs.map(Private::seal)));
        let renumbered = |nodes: Nodes| (0..).zip(nodes).map(|(node, (_, class))| (node, class)).collect();
        Ok(Cast { stage, members: renumbered(members), others: renumbered(others), available, pool })
    }
}

impl Pool {
    /// Too few nodes for a member and another in each part.
    pub fn check(&self) -> Result<(), Failure> {
        match self.nodes.len() {
            found @ ..FEWEST => Err(Failure::Unexpected(format!(
                "{found} nodes are too few to train shadow models on: at least {FEWEST} are needed"
            ))),
            _ => Ok(()),
        }
    }

    /// Everyone whose class is known, in a graph of their own.
    fn all_of(data: Dataset) -> Result<Pool, Failure> {
        let nodes = labelled(&data, |_| true)?;
        Ok(Pool { nodes, graph: data, is_stage: false })
    }
}

impl Given {
    /// Nobody may have two parts. Numbers that nodes have in the order of a file name nobody; other names do.
    fn refuse_shared(&self) -> Result<(), Failure> {
        let all = [Some(&self.truth), self.outside.as_ref(), self.shadow_data.as_ref()];
        for (place, first) in all.iter().enumerate() {
            for second in all.iter().skip(place + 1) {
                let (Some(first), Some(second)) = (first, second) else { continue };
                if [first, second].iter().any(|data| matches!(data.names(), NodeNames::Range(_))) {
                    continue;
                }
                let shared = (0..first.nodes()).map(|node| first.names().name(node));
                if let Some(name) = shared.into_iter().find(|name| second.names().node(name).is_some()) {
                    return Err(Failure::Unexpected(format!(
                        "node {name} is in {} and in {}: nobody can be a member and a stranger",
                        first.name(),
                        second.name()
                    )));
                }
            }
        }
        Ok(())
    }
}

/// The nodes that are meant and whose class is known.
fn labelled(data: &Dataset, meant: impl Fn(NodeId) -> bool) -> Result<Nodes, Failure> {
    let labels = data.labels().ok_or_else(|| {
        Failure::Usage(format!("{} has no labels: who is asked about must have a known class", data.name()))
    })?;
    let known = (0..data.nodes()).filter(|&node| meant(node));
    Ok(known.filter_map(|node| Some((node, labels.get(node)?))).collect())
}

/// Two random halves, each ascending; the first is the larger.
fn halves(mut nodes: Nodes, seed: u64) -> (Nodes, Nodes) {
    Random::new(seed, "membership/halves").shuffle(&mut nodes);
    let mut second = nodes.split_off(nodes.len().div_ceil(2));
    nodes.sort_unstable();
    second.sort_unstable();
    (nodes, second)
}

/// The graph among some nodes, which are numbered anew in their order; everyone is for training.
pub fn among(data: &Dataset, nodes: &[(NodeId, u32)]) -> Result<Dataset, Failure> {
    let mut parts = vec![Part::None; data.nodes() as usize];
    nodes.iter().for_each(|&(node, _)| parts[node as usize] = Part::Train);
    Ok(data.clone().with_split(Split::new(parts))?.among(&[Part::Train])?)
}
