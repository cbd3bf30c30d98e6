//! Members and other nodes of an attack, the graphs in which they are queried, and the nodes that
//! shadow models train on. No node has two of these roles.

use veil_graph::random::Random;
use veil_graph::{Dataset, DatasetError, NodeId, NodeNames, Part, Split};
use veil_learn::Run;
use veil_learn::pipeline::{PipelineError, fits};
use veil_privacy::{Declarations, Private};

use super::MembershipError;
use super::matched::matched;

/// The smallest pool: a few members, a few others and a few validation nodes.
pub(super) const SMALLEST_POOL: usize = 10;

/// Nodes with their classes, ascending.
pub(super) type Nodes = Vec<(NodeId, u32)>;

/// Raw data for an attack on membership.
#[derive(Clone, Debug)]
pub struct RawData {
    /// The data that the run may have learned from.
    pub truth: Dataset,
    /// Data of the same kind that the run did not learn from; by default the test nodes of the run.
    pub outside: Option<Dataset>,
    /// Data that shadow models learn from; by default half of the nodes that are no members.
    pub shadow_data: Option<Dataset>,
}

/// The roles of all nodes.
pub(super) struct Population {
    pub members: Nodes,
    pub others: Nodes,
    /// Number of members and others to draw these from.
    pub available: [usize; 2],
    pub queried: Queried,
    pub pool: Pool,
}

/// The graphs in which the attacked nodes are queried.
pub(super) enum Queried {
    /// The graph of the run.
    OfRun(Box<Private<Dataset>>),
    /// One graph of members and one of others: the model is applied to both.
    Separate(Box<[Private<Dataset>; 2]>),
}

/// Nodes that are not attacked; each shadow draws a random half as its members.
pub(super) struct Pool {
    pub nodes: Nodes,
    /// Their graph, raw, because each shadow splits it anew. It may have nodes outside the pool.
    pub graph: Dataset,
    /// Whether the attacked nodes are queried in the same graph.
    pub is_queried: bool,
}

impl Population {
    /// Gives every node a role. `match_classes`: every class has as many members as others.
    ///
    /// With `outside` data both sides are queried in the graph among the attacked nodes. With
    /// matched classes these two graphs differ in nothing but membership. Whole graphs would: a
    /// node has more neighbours in a larger graph, and a model is more certain about it.
    pub fn new(data: RawData, run: &Run, match_classes: bool, seed: u64) -> Result<Population, MembershipError> {
        data.refuse_shared_nodes()?;
        data.check(run)?;
        let RawData { truth, outside, shadow_data } = data;
        let released = run.released().data();
        let (members, candidates) = match &outside {
            None => {
                let of = |part| labelled(&truth, |node| released.split().is_some_and(|it| it.part(node) == part));
                (
                    of(Part::Train)?,
                    Some(of(Part::Test)?).filter(|it| !it.is_empty()).ok_or(MembershipError::NoTestNodes)?,
                )
            }
            Some(outside) => {
                // The split of a run may have been drawn for it; that of a student is about other
                // nodes.
                let own = released.name() == truth.name() && released.names() == truth.names();
                let split = released.split().filter(|_| own).or(truth.split());
                let members = labelled(&truth, |node| split.is_none_or(|split| split.part(node) == Part::Train))?;
                (members, labelled(outside, |_| true)?)
            }
        };
        let (others, pool) = match (shadow_data, &outside) {
            (Some(data), _) => (candidates, Pool::of(data)?),
            (None, outside) => {
                let (others, nodes) = halves(candidates, seed);
                let pool = match outside {
                    Some(outside) => Pool::of(among(outside, &nodes)?)?,
                    None => Pool { nodes, graph: truth.clone(), is_queried: true },
                };
                (others, pool)
            }
        };
        let available = [members.len(), others.len()];
        let (members, others) = if match_classes { matched(&members, &others, seed) } else { (members, others) };
        if pool.nodes.len() < SMALLEST_POOL {
            return Err(MembershipError::SmallPool { nodes: pool.nodes.len() });
        }
        let Some(outside) = outside else {
            let queried = Queried::OfRun(Box::new(sealed(truth)));
            return Ok(Population { members, others, available, queried, pool });
        };
        if members.is_empty() || others.is_empty() {
            let (truth, outside) = (truth.name().to_owned(), outside.name().to_owned());
            return Err(MembershipError::NoCommonClass { truth, outside });
        }
        let graphs = [among(&truth, &members)?, among(&outside, &others)?];
        let queried = Queried::Separate(Box::new(graphs.map(sealed)));
        Ok(Population { members: renumbered(&members), others: renumbered(&others), available, queried, pool })
    }
}

/// Raw data for an attack, of which nothing leaves.
pub(super) fn sealed(data: Dataset) -> Private<Dataset> {
    Private::seal(data).declaring(Declarations::ALL)
}

impl Pool {
    /// All nodes of a graph whose class is known.
    fn of(graph: Dataset) -> Result<Pool, MembershipError> {
        let nodes = labelled(&graph, |_| true)?;
        Ok(Pool { nodes, graph, is_queried: false })
    }
}

impl RawData {
    fn all(&self) -> impl Iterator<Item = &Dataset> {
        [Some(&self.truth), self.outside.as_ref(), self.shadow_data.as_ref()].into_iter().flatten()
    }

    /// Fails if the model, or one like it, cannot be queried about one of these graphs.
    fn check(&self, run: &Run) -> Result<(), MembershipError> {
        let nodes = run.released().data().nodes();
        if self.outside.is_none() && self.truth.nodes() != nodes {
            return Err(PipelineError::OtherSize { truth: self.truth.nodes(), run: nodes }.into());
        }
        if self.all().count() > 1 {
            self.all().try_for_each(|graph| fits(run, &sealed(graph.clone())))?;
        }
        Ok(())
    }

    /// No node may be in two data sets. Only names identify a node across files; numbers by
    /// position do not.
    fn refuse_shared_nodes(&self) -> Result<(), MembershipError> {
        let named: Vec<&Dataset> = self.all().filter(|data| !matches!(data.names(), NodeNames::Range(_))).collect();
        for (place, first) in named.iter().enumerate() {
            for second in &named[place + 1..] {
                let names = (0..first.nodes()).map(|node| first.names().name(node));
                if let Some(node) = names.into_iter().find(|name| second.names().node(name).is_some()) {
                    let (node, first, second) = (node.into_owned(), first.name().to_owned(), second.name().to_owned());
                    return Err(MembershipError::SharedNode { node, first, second });
                }
            }
        }
        Ok(())
    }
}

/// The chosen nodes whose class is known.
fn labelled(data: &Dataset, chosen: impl Fn(NodeId) -> bool) -> Result<Nodes, MembershipError> {
    let labels = data.labels().ok_or_else(|| MembershipError::NoLabels { data: data.name().to_owned() })?;
    let nodes = (0..data.nodes()).filter(|&node| chosen(node));
    Ok(nodes.filter_map(|node| Some((node, labels.get(node)?))).collect())
}

/// Two random halves, each ascending; the first is the larger one.
fn halves(mut nodes: Nodes, seed: u64) -> (Nodes, Nodes) {
    Random::new(seed, "membership/halves").shuffle(&mut nodes);
    let mut second = nodes.split_off(nodes.len().div_ceil(2));
    nodes.sort_unstable();
    second.sort_unstable();
    (nodes, second)
}

/// The subgraph of some nodes, all of them for training; its nodes are [`renumbered`].
pub(super) fn among(data: &Dataset, nodes: &[(NodeId, u32)]) -> Result<Dataset, DatasetError> {
    let mut parts = vec![Part::None; data.nodes() as usize];
    nodes.iter().for_each(|&(node, _)| parts[node as usize] = Part::Train);
    data.clone().with_split(Split::new(parts))?.among(&[Part::Train])
}

/// The same nodes numbered in their order.
pub(super) fn renumbered(nodes: &[(NodeId, u32)]) -> Nodes {
    (0..).zip(nodes).map(|(node, &(_, class))| (node, class)).collect()
}
