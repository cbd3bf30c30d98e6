//! Adam (Kingma and Ba 2015) with coupled L2 weight decay, operation for operation as
//! `torch.optim.Adam`.

use serde::{Deserialize, Serialize};

use crate::kernels::adam::{AdamStep, adam};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// The parameters of Adam, before [`check`](Params::check).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The learning rate before any schedule.
    pub learning_rate: f64,
    /// The decay rates of the running means of gradients and of their squares.
    pub betas: (f64, f64),
    /// Added to the root of the mean square.
    pub epsilon: f64,
    /// Times the weight, added to its gradient.
    pub weight_decay: f64,
}

impl Default for Params {
    /// The defaults of torch.
    fn default() -> Params {
        Params { learning_rate: 1e-3, betas: (0.9, 0.999), epsilon: 1e-8, weight_decay: 0.0 }
    }
}

/// Why [`Params`] are invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ParamsError {
    #[error("learning rate is {0}: it must be finite and at least 0")]
    LearningRate(f64),
    #[error("betas are {0} and {1}: both must be at least 0 and below 1")]
    Betas(f64, f64),
    #[error("epsilon is {0}: it must be a positive 32-bit float")]
    Epsilon(f64),
    #[error("weight decay is {0}: it must be finite and at least 0")]
    WeightDecay(f64),
}

impl Params {
    /// An optimiser before its first step.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn check(self) -> Result<Adam, ParamsError> {
        let amount = 0.0..=f64::from(f32::MAX);
        let share = 0.0..1.0;
        if !amount.contains(&self.learning_rate) {
            return Err(ParamsError::LearningRate(self.learning_rate));
        }
        if !share.contains(&self.betas.0) || !share.contains(&self.betas.1) {
            return Err(ParamsError::Betas(self.betas.0, self.betas.1));
        }
        let epsilon = self.epsilon as f32;
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return Err(ParamsError::Epsilon(self.epsilon));
        }
        if !amount.contains(&self.weight_decay) {
            return Err(ParamsError::WeightDecay(self.weight_decay));
        }
        Ok(Adam { params: self, steps: 0, moments: Vec::new() })
    }
}

/// Checked parameters, and the state of the optimiser.
#[derive(Clone, Debug)]
pub struct Adam {
    params: Params,
    /// t: the number of steps taken.
    steps: u32,
    moments: Vec<Moments>,
}

/// Running means of the gradients of one parameter and of their squares.
#[derive(Clone, Debug)]
struct Moments {
    first: Tensor,
    second: Tensor,
}

impl Adam {
    /// The checked parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Whether the state belongs to such parameters: as many, in the same order, of the same
    /// shapes. Before the first step any fit.
    pub fn fits(&self, parameters: &[&mut Parameter]) -> bool {
        let shape = |tensor: &Tensor| (tensor.rows(), tensor.columns());
        let remembered = self.moments.iter().map(|moments| shape(&moments.first));
        self.moments.is_empty() || remembered.eq(parameters.iter().map(|parameter| shape(&parameter.value)))
    }

    /// Updates every parameter by its gradient, at this learning rate.
    ///
    /// # Panics
    /// If the state belongs to other parameters: see [`fits`](Adam::fits).
    pub fn step(&mut self, learning_rate: f64, parameters: Vec<&mut Parameter>) {
        if self.moments.is_empty() {
            let zeros = |parameter: &&mut Parameter| Tensor::zeros(parameter.value.rows(), parameter.value.columns());
            let moments = |parameter| Moments { first: zeros(parameter), second: zeros(parameter) };
            self.moments = parameters.iter().map(moments).collect();
        }
        assert!(self.fits(&parameters), "the parameters of the previous step");
        self.steps = self.steps.saturating_add(1);
        let Params { betas, epsilon, weight_decay, .. } = self.params;
        let step = AdamStep::new(learning_rate, [betas.0, betas.1], epsilon, weight_decay, self.steps);
        for (Parameter { value, gradient }, Moments { first, second }) in parameters.into_iter().zip(&mut self.moments)
        {
            // Whole rows: padding has zero value and gradient, so it stays zero.
            adam(step, gradient.values(), value.values_mut(), first.values_mut(), second.values_mut());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(values: [f32; 3]) -> Parameter {
        Parameter::new(Tensor::from_rows(&[values]))
    }

    #[test]
    fn every_parameter_has_its_own_memory() {
        let step = |adam: &mut Adam, parameters: Vec<&mut Parameter>| adam.step(0.1, parameters);
        let gradient = |value: f32| Tensor::from_rows(&[[value, -value, 1.0]]);
        let (mut one, mut other, mut separate) = (parameter([1.0; 3]), parameter([2.0; 3]), parameter([2.0; 3]));
        let (mut both, mut single) = (Params::default().check().unwrap(), Params::default().check().unwrap());
        for value in [1.0, -3.0, 0.5] {
            one.gradient = gradient(10.0 * value);
            other.gradient = gradient(value);
            separate.gradient = gradient(value);
            step(&mut both, vec![&mut one, &mut other]);
            step(&mut single, vec![&mut separate]);
        }
        assert_eq!(other, separate);
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let error = |change: fn(&mut Params)| {
            let mut params = Params::default();
            change(&mut params);
            params.check().unwrap_err()
        };
        assert_eq!(error(|params| params.learning_rate = -1.0), ParamsError::LearningRate(-1.0));
        assert!(matches!(error(|params| params.learning_rate = f64::NAN), ParamsError::LearningRate(_)));
        assert_eq!(error(|params| params.betas.0 = 1.0), ParamsError::Betas(1.0, 0.999));
        assert_eq!(error(|params| params.betas.1 = -0.1), ParamsError::Betas(0.9, -0.1));
        assert_eq!(error(|params| params.epsilon = 1e-60), ParamsError::Epsilon(1e-60));
        assert_eq!(error(|params| params.weight_decay = f64::INFINITY), ParamsError::WeightDecay(f64::INFINITY));
    }
}
