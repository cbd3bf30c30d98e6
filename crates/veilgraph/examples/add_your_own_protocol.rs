//! A local protocol of your own: one type that implements `Protocol`. In the registry
//! (`protocol::ENTRIES`) one more line makes it a method, a part of `veil device` and a subject of
//! `veil audit`; here it is run and audited directly.
//!
//! `cargo run --example add_your_own_protocol`

use veilgraph::attack::audit::{Options, lists};
use veilgraph::graph::NodeId;
use veilgraph::prelude::*;
use veilgraph::privacy::device::{self, Contribution, DeviceError, Me};
use veilgraph::privacy::guarantee::ParameterList;
use veilgraph::privacy::mechanism::{RandomisedResponse, randomised_response};
use veilgraph::privacy::protocol::{Exact, Protocol, ProtocolError, Reports, local_guarantee, without_messages};
use veilgraph::privacy::{NodeCoins, Stream};

/// Every neighbour is replaced by randomised response over all other nodes. ε, unit *edge-set*: two
/// adjacent lists differ in one neighbour, and so in the input of one draw.
#[derive(Debug)]
struct MyProtocol {
    response: RandomisedResponse,
}

impl MyProtocol {
    /// One node's report, from its own list and coins, behind the reports of other nodes in `out`.
    fn report(&self, me: NodeId, neighbours: &[NodeId], coins: &mut NodeCoins, out: &mut Vec<NodeId>) {
        let start = out.len();
        for &neighbour in neighbours {
            // Nodes other than `me`, numbered without a gap.
            let truth = neighbour - u32::from(neighbour > me);
            let drawn = self.response.report(truth, coins).unwrap_or(0);
            out.push(drawn + u32::from(drawn >= me));
        }
        // In the order of the true list, a report would say more.
        out[start..].sort_unstable();
    }
}

impl Protocol for MyProtocol {
    fn name(&self) -> &'static str {
        "my-protocol"
    }

    fn parameters(&self) -> ParameterList {
        ParameterList::default().with("epsilon", self.response.epsilon()).with("nodes", self.response.values() + 1)
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        let epsilon = self.response.epsilon();
        vec![local_guarantee(Unit::EdgeSet, epsilon, Status::Proven, self.name(), self.parameters())]
    }

    fn fits(&self, nodes: u32) -> Result<(), ProtocolError> {
        let (found, nodes) = (self.response.values() as usize + 1, nodes as usize);
        if found == nodes { Ok(()) } else { Err(ProtocolError::Nodes { what: "parameters", nodes, found }) }
    }

    fn run(&self, graph: &Graph, _: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        self.fits(graph.nodes())?;
        without_messages(graph, coins, |me, list, coins, out| self.report(me, list, coins, out))
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        device::without_messages(me, inbox, coins, |me, list, coins, out| self.report(me, list, coins, out))
    }

    fn exact(&self) -> Exact<'_> {
        Exact::Slots { keep: self.response.keep(), exchange: self.response.exchange() }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = Community::citation().with_nodes(300).check()?.generate(1);
    let params = randomised_response::Params { epsilon: "2".parse()?, values: data.nodes() - 1 };
    let protocol = MyProtocol { response: params.check()? };
    let coins = Coins::reproducible(1).for_scoring("example");
    let reports = protocol.run(data.graph(), None, &coins)?;
    println!("{} true entries, {} reported", data.graph().entries(), reports.lists.entries());
    for audit in lists::audit(&protocol, &data, &Options { pairs: 1000, canaries: 150, seed: 1 })? {
        println!("{} at ε = {}: {}", audit.claim.unit, audit.claim.claimed.epsilon, audit.verdict);
    }
    Ok(())
}
