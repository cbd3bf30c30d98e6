//! Lists with a noisy degree: the degree and the bits share ε in halves, at an ε of the auditor's
//! choice.

use std::sync::Arc;

use veil_graph::NodeId;
use veil_privacy::Unit;
use veil_privacy::protocol::{Protocol, blink};
use veil_privacy::release::{EdgePlan, Options};

use super::world::{self, Refusal, data, nobody, release};
use super::{Enumerated, Pair, Promised, Reach, chosen, compare};
use crate::audit::{AuditError, Witness};

/// Words, and the lists of all nodes.
type Input = (&'static str, &'static [&'static [NodeId]]);

/// One list changed by the unit of the claim.
pub(super) fn lists(unit: Unit) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    // The more a step of the noise costs, the fewer values are likely. An exchanged neighbour needs
    // a third node, and with it more draws.
    let (nodes, epsilon, least) = if unit == Unit::EdgeSet { (3, 8, 1e-13) } else { (2, 4, 1e-15) };
    let params = blink::Params { epsilon: chosen(epsilon), degree_share: 0.5, nodes, max_edges: u64::MAX };
    let protocol = params.check()?;
    // After the last flip of a list another skip is drawn, which ends beyond the list, in any of a
    // few ways, of which the least likely are about as likely as a flip.
    let split = 4.0 * protocol.epsilon_bits().as_f64().exp();
    let Some(promised) = Promised::about(unit, &protocol.guarantees()) else { return Ok(None) };
    let inputs: Vec<[Input; 2]> = if unit == Unit::EdgeSet {
        vec![[("node 0 lists 1", &[&[1], &[0], &[]]), ("node 0 lists 2", &[&[2], &[0], &[]])]]
    } else {
        vec![
            [("node 0 lists 1", &[&[1], &[0]]), ("node 0 lists nobody", &[&[], &[0]])],
            [("node 1 lists 0", &[&[], &[0]]), ("nobody lists anybody", &[&[], &[]])],
        ]
    };
    let mut pairs = Vec::new();
    for [one, other] in inputs {
        pairs.push(Pair::new((one.0, data(world::lists(one.1)?)), (other.0, data(world::lists(other.1)?))));
    }
    let options = Options { edges: EdgePlan::Lists(Arc::new(protocol)), ..Options::default() };
    let compared = format!("the noisy degrees and lists of {nodes} nodes, one of which has another list");
    let found =
        compare(&compared, &pairs, promised, Reach::Split { least, split }, |data, coins| -> Result<_, Refusal> {
            Ok((&release(data, &options, coins, &nobody)?).into())
        })?;
    Ok(Some(found))
}
