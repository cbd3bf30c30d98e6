//! Noisy moments of whole nodes, and their file ([format](NoisyMoments::to_csv)).

use super::super::recompute::{NotImplied, Stated};
use super::{Implied, Kind, number};
use crate::central::moments::{NAME, NoisyMoments, Params, STEPS};
use crate::guarantee::Guarantee;

/// Moments, with which no node is released.
pub(super) const KIND: Kind = Kind {
    name: "moments",
    file: "moments.csv",
    mechanism: Some(NAME),
    in_place_of_edges: Some("noisy moments of the training nodes"),
    always: true,
    is_there: |figures| figures.moments.is_some(),
    write: |figures| figures.moments.as_ref().map(NoisyMoments::to_csv),
    read: |figures, text, _| {
        figures.moments = Some(NoisyMoments::from_csv(text)?);
        Ok(())
    },
    fits: |figures, parameters, data| {
        let classes = data.labels().map(|labels| labels.classes() as usize);
        let (most, in_steps) = (number(parameters, "dimensions"), number(parameters, "steps") == Some(STEPS as usize));
        figures.moments.iter().all(|moments| {
            let width = moments.width();
            let fits = most.is_some_and(|most| width <= most) && Some(moments.classes().len()) == classes;
            data.nodes() == 0 && in_steps && fits
        })
    },
    expected: "moments of these classes, and no node",
    implied: Some(Implied {
        compute: implied,
        #[cfg(test)]
        examples: tests::examples,
    }),
    show: |figures, f| {
        let Some(moments) = &figures.moments else { return Ok(()) };
        write!(f, ", moments {}", moments.to_csv().replace('\n', ";"))
    },
};

/// The guarantees of moments of these parameters.
fn implied(stated: &Stated<'_>) -> Result<Vec<Guarantee>, NotImplied> {
    let params = Params {
        epsilon: stated.read("epsilon")?,
        delta: stated.read("delta")?,
        adjacency: stated.read("adjacency")?,
        dimensions: stated.read("dimensions")?,
        steps: stated.read("steps")?,
    };
    Ok(params.check().map_err(|error| stated.refused(error))?.guarantees())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Epsilon;
    use crate::central::moments::Adjacency;

    /// Of nodes that are added and of nodes that are replaced.
    pub(super) fn examples(epsilon: Epsilon) -> Vec<Guarantee> {
        let delta = "0.00001".parse().unwrap();
        let of =
            |adjacency| Params { epsilon, delta, adjacency, dimensions: 9, steps: 8 }.check().unwrap().guarantees();
        Adjacency::ALL.into_iter().flat_map(of).collect()
    }
}
