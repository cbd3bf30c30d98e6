//! Where canaries are.

use veil_graph::random::Random;
use veil_graph::{Dataset, Graph, GraphError, NodeId};
use veil_privacy::Unit;
use veil_privacy::protocol::Cascade;
use veil_privacy::protocol::cascade::Order;

use crate::audit::adjacent::{Change, Side, disjoint_pairs, toggled, with_lists};
use crate::audit::counts::Choice;
use crate::audit::{AuditError, Options};

/// A graph with canaries in it, and an order of its nodes, all of which have rows.
pub(super) struct Planted {
    pub(super) graph: Graph,
    pub(super) order: Order,
    pub(super) canaries: Vec<Placed>,
    /// The canary that is in a node's list; no list has two.
    of_node: Vec<Option<usize>>,
}

/// A canary: how its coin fell, and the lists that depend on it, `after` with `true`.
pub(super) struct Placed {
    pub(super) secret: bool,
    pub(super) changes: Vec<Change>,
}

impl Planted {
    fn new(rest: &Graph, order: Order, canaries: Vec<Placed>) -> Result<Planted, GraphError> {
        let mut of_node = vec![None; rest.nodes() as usize];
        for (place, canary) in canaries.iter().enumerate() {
            canary.changes.iter().for_each(|change| of_node[change.node as usize] = Some(place));
        }
        let mut planted = Planted { graph: rest.clone(), order, canaries, of_node };
        planted.graph = planted.with(|canary| if canary.secret { Side::After } else { Side::Before })?;
        Ok(planted)
    }

    /// The canary in a node's list.
    pub(super) fn canary_of(&self, node: NodeId) -> Option<usize> {
        self.of_node[node as usize]
    }

    /// The graph if all coins had fallen alike.
    pub(super) fn with_all(&self, side: Side) -> Result<Graph, GraphError> {
        self.with(|_| side)
    }

    fn with(&self, side: impl Fn(&Placed) -> Side) -> Result<Graph, GraphError> {
        with_lists(&self.graph, |node| {
            let canary = &self.canaries[self.canary_of(node)?];
            canary.changes.iter().find(|change| change.node == node).map(|change| change.list(side(canary)))
        })
    }
}

/// At most so many canaries; `None` if there is nothing to exchange, because all nodes are in one
/// class.
pub(super) fn plant(
    mechanism: &Cascade,
    unit: Unit,
    data: &Dataset,
    classes: &[u32],
    options: &Options,
) -> Result<Option<Planted>, AuditError> {
    let mut random = Random::new(options.seed, &format!("audit/cascade/{unit}"));
    let mut nodes: Vec<NodeId> = (0..data.nodes()).collect();
    random.shuffle(&mut nodes);
    let batches = mechanism.params().batches;
    if unit == Unit::Edge {
        return pairs(data, nodes, batches, options.canaries, &mut random).map(Some);
    }
    // Carriers come after all targets, so their rows have what they list.
    let (targets, carriers) = nodes.split_at(nodes.len() - options.canaries.min(nodes.len() / 2));
    let choice = Choice::new(targets, classes);
    if unit == Unit::EdgeSet && choice.all_alike() {
        return Ok(None);
    }
    let canaries = carriers.iter().map(|&node| {
        let one = targets[random.below(targets.len())];
        let instead = (unit == Unit::EdgeSet).then(|| choice.of_another_cluster(classes[one as usize], &mut random));
        let change = Change { node, before: instead.into_iter().collect(), after: vec![one] };
        Placed { secret: random.below(2) == 1, changes: vec![change] }
    });
    let canaries = canaries.collect();
    let order = Order::new(nodes.clone(), 0, batches)?;
    Ok(Some(Planted::new(data.graph(), order, canaries)?))
}

/// Disjoint pairs of nodes, with an edge or without, at both ends; all other edges as they are.
fn pairs(
    data: &Dataset,
    mut nodes: Vec<NodeId>,
    batches: u32,
    canaries: usize,
    random: &mut Random,
) -> Result<Planted, AuditError> {
    let (chosen, rest) = disjoint_pairs(data.graph(), &nodes, canaries)?;
    let planted = chosen
        .into_iter()
        .map(|[a, b]| Placed { secret: random.below(2) == 1, changes: toggled(&rest, Unit::Edge, a, b) });
    let planted = planted.collect();
    // The ends of a pair are anywhere in the order.
    random.shuffle(&mut nodes);
    Ok(Planted::new(&rest, Order::new(nodes, 0, batches)?, planted)?)
}
