//! What a release tells about itself, as parameters.

use std::str::FromStr;

use veil_privacy::release::Privatised;
use veil_privacy::{Guarantee, Unit};

use super::{Edges, Parameters, Scaling};
use crate::method::Method;

impl Parameters {
    /// The parameters with which a release was made, as far as its statement names them; the others are the defaults (of a
    /// method).
    pub fn of_release(released: &Privatised, method: Option<Method>) -> Parameters {
        let guarantees = &released.statement().guarantees;
        let epsilon = |unit| guarantees.iter().find(|it| it.unit == unit).map(|it| it.epsilon);
        let of_edges = Edges::ALL.into_iter().find_map(|edges| {
            let guarantee = guarantees.iter().find(|it| it.mechanism == edges.name())?;
            Some((edges, guarantee))
        });
        let mut parameters = Parameters {
            epsilon_features: epsilon(Unit::Feature),
            epsilon_labels: epsilon(Unit::Label),
            edges: if released.data().edges_withheld() { Edges::Empty } else { Edges::Raw },
            // What a release was made with is in its statement: no word about a scale means none.
            scale: Scaling::None,
            ..method.map_or_else(Parameters::default, Method::defaults)
        };
        if let Some(guarantee) = guarantees.iter().find(|it| it.unit == Unit::Feature) {
            parameters.read_text(guarantee);
        }
        if let Some((edges, guarantee)) = of_edges {
            parameters.edges = edges;
            parameters.epsilon_edges = Some(guarantee.epsilon);
            parameters.read_text(guarantee);
        }
        parameters
    }

    /// A mechanism's parameters in its canonical text, `key=value;key=value`. What is not understood keeps its default.
    fn read_text(&mut self, guarantee: &Guarantee) {
        for (key, value) in guarantee.parameters.iter() {
            match key {
                "samples" => self.samples = value.parse().ok(),
                "scale" if value == "minmax" => self.scale = Scaling::Minmax,
                "scale" if value == "rows" => self.scale = Scaling::Rows,
                "strategy" => read(&mut self.strategy, value),
                "alpha" => read(&mut self.alpha, value),
                "delta" => read(&mut self.delta, value),
                "similarity" => read(&mut self.similarity, value),
                "measure" => read(&mut self.measure, value),
                "dummies" => read(&mut self.max_dummies, value),
                "candidates" => read(&mut self.candidates, value),
                "rounds" => self.rounds = value.parse().ok(),
                "epsilon_count" => read(&mut self.epsilon_count, value),
                "unit" => read(&mut self.unit, value),
                _ => {}
            }
        }
    }
}

fn read<T: FromStr>(slot: &mut T, text: &str) {
    if let Ok(value) = text.parse() {
        *slot = value;
    }
}
