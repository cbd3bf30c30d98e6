//! PATE on graphs, as 004 compares with it: teachers learn on disjoint parts of the private graph and vote on the label of every public
//! node that is asked about; counts leave with noise. Teachers are the same networks as PrivGNN's (PATE-G), or MLPs of three
//! layers (`--teacher mlp`, PATE-M).

use super::Method;
use super::privgnn::student;
use crate::parameters::Parameters;

pub(super) fn defaults() -> Parameters {
    Parameters { method: Some(Method::Pate), teachers: Some(20), denoise: true, ..student() }
}
