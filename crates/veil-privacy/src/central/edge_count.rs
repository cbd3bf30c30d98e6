//! The number of edges, with noise: what an owner may pay for before choosing a method.
//!
//! **Algorithm.** The number of edges E is released as E + discrete Laplace noise of scale 1/ε,
//! clamped to the possible range. Two nodes of a directed graph are adjacent if either lists the
//! other.
//!
//! **Guarantee.** ε, unit *edge*, central, pure. One edge more or less changes E by 1, and the
//! noise is drawn in whole numbers, exactly ([`discrete_laplace`]). Clamping is post-processing.
//! See `the_exact_loss_is_epsilon`.
//!
//! **Not protected.** Participation. The number of edges, up to the noise.

use veil_graph::Dataset;

use super::{guarantee, shared};
use crate::budget::Epsilon;
use crate::coins::Inputs;
use crate::guarantee::{Guarantee, ParameterList};
use crate::mechanism::{DiscreteLaplace, ParamError, discrete_laplace};
use crate::permit::Permit;
use crate::protocol::ProtocolError;
use crate::release::ReleaseError;
use crate::seal::{Private, Released};

/// The name in the coins' context and in ledgers.
pub const NAME: &str = "edge-count";

/// A noisy number of edges, checked and ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeCount {
    epsilon: Epsilon,
    noise: DiscreteLaplace,
}

impl EdgeCount {
    /// Computes the noise.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn new(epsilon: Epsilon) -> Result<EdgeCount, ParamError> {
        let noise = discrete_laplace::Params { epsilon, sensitivity: 1 }.check()?;
        Ok(EdgeCount { epsilon, noise })
    }

    /// Its noise.
    pub fn noise(&self) -> DiscreteLaplace {
        self.noise
    }

    /// Its guarantee.
    pub fn guarantee(&self) -> Guarantee {
        let parameters = ParameterList::default().with("epsilon", self.epsilon);
        let mut guarantee = guarantee(self.epsilon, NAME, parameters);
        guarantee.not_protected.push("the number of edges, up to the noise".to_owned());
        guarantee.source =
            "discrete Laplace noise (Ghosh, Roughgarden and Sundararajan 2009), sensitivity 1".to_owned();
        guarantee
    }

    /// Counts the edges and adds noise. The number of nodes must be public: it bounds the result.
    ///
    /// # Errors
    /// If the permit does not allow it, or the graph is too large.
    pub fn release(&self, data: &Private<Dataset>, mut permit: Permit) -> Result<Released<u64>, ReleaseError> {
        let (guarantees, stream) = permit.redeem_one(data, self.guarantee(), Inputs::none())?;
        let graph = shared::undirected(data.open().graph()).map_err(ProtocolError::from)?;
        let noisy = self.noise.release_one(graph.edges() as i64, &mut stream.node(0));
        let most = i64::try_from(shared::cells(graph.nodes())).unwrap_or(i64::MAX);
        Ok(Released::new(noisy.clamp(0, most) as u64, guarantees))
    }
}

#[cfg(test)]
mod tests {
    use veil_graph::{Direction, Dropped, Graph};

    use super::*;
    use crate::coins::Coins;
    use crate::permit::Request;

    fn ring(edges: u32) -> Private<Dataset> {
        let list: Vec<(u32, u32)> = (0..edges).map(|at| (at, at + 1)).collect();
        let graph = Graph::from_edges(100, &list, Direction::Undirected).unwrap().graph;
        Private::seal(Dataset::new("ring", graph, Dropped::default()))
    }

    fn count(data: &Private<Dataset>, epsilon: &str, coins: Coins) -> Released<u64> {
        let count = EdgeCount::new(epsilon.parse().unwrap()).unwrap();
        let permit = Request::new(data, coins, vec![count.guarantee()]).unwrap().unbooked();
        count.release(data, permit).unwrap()
    }

    /// One edge more or less moves the mean of the noise by 1: the ratio of probabilities is e^ε.
    #[test]
    fn the_exact_loss_is_epsilon() {
        let count = EdgeCount::new("0.5".parse().unwrap()).unwrap();
        let [fewer, more] = [10, 11].map(|edges| count.noise().distribution(edges));
        for released in -20..40 {
            let loss = (fewer.log_probability(released) - more.log_probability(released)).abs();
            assert!(loss <= 0.5 + 1e-12, "{released}: {loss}");
        }
        assert_eq!((count.guarantee().unit.name(), count.guarantee().epsilon.to_string()), ("edge", "0.5".to_owned()));
        assert!(EdgeCount::new(Epsilon::INFINITE).is_err());
    }

    #[test]
    fn it_is_near_the_truth_and_possible() {
        let data = ring(50);
        let near = count(&data, "20", Coins::from_os().unwrap());
        assert!(near.value().abs_diff(50) <= 2, "{near:?}");
        let drawn: Vec<u64> = (0..200).map(|seed| *count(&data, "0.01", Coins::reproducible(seed)).value()).collect();
        assert!(drawn.iter().all(|&edges| edges <= 4950) && drawn.contains(&0));
        assert!(drawn.iter().any(|&edges| edges > 100));
    }

    #[test]
    fn a_permit_for_another_epsilon_or_other_data_is_refused() {
        let (data, other) = (ring(50), ring(51));
        let [one, two] = ["1", "2"].map(|epsilon| EdgeCount::new(epsilon.parse().unwrap()).unwrap());
        let permit =
            |of: &Private<Dataset>| Request::new(of, Coins::reproducible(1), vec![one.guarantee()]).unwrap().unbooked();
        assert!(two.release(&data, permit(&data)).is_err());
        assert!(one.release(&data, permit(&other)).is_err());
        assert!(one.release(&data, permit(&data)).is_ok());
    }
}
