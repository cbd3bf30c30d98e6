//! A network: layers, and between them normalisation, activation and dropout.
//!
//! A checked [`Description`] becomes a [`Model`]. [`Model::project`] is the part of the first layer
//! that training and validation share; [`Model::train`] and [`Model::backward`] compute the
//! gradients of a step; [`Model::predict`] evaluates. `file` and [`save`] store networks in
//! safetensors files.

mod description;
mod file;
mod save;
#[cfg(test)]
mod tests;

pub use description::{Architecture, Description, DescriptionError};
pub use file::FileError;
pub use save::SaveError;

use veil_graph::Matrix;
use veil_graph::random::Random;

use crate::input::{Input, dense_times};
use crate::kernels::activation::{Dropout, activate, mixed};
use crate::kernels::elementwise::multiply;
use crate::kernels::softmax::softmax;
use crate::layers::{BatchNorm, Kind, Layer, Normalised, Pass, Size, Source};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// A network that can be trained and used.
///
/// ```
/// use veil_graph::{Direction, Features, Graph, Matrix};
/// use veil_nn::{Description, Input, Messages, Model};
/// let graph = Graph::from_edges(3, &[(0, 1), (1, 2)], Direction::Undirected)?.graph;
/// let features = Features::Dense(Matrix::from_values(3, 2, vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0])?);
/// let input = Input::new(features, Messages::of(&graph)?, 0)?;
/// let model = Model::new(Description::default().check(2, 4)?, 7);
/// let posteriors = model.posteriors(&input)?;
/// assert!((posteriors.row(0).iter().sum::<f32>() - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    architecture: Architecture,
    stages: Vec<Stage>,
}

/// The network and the input have different numbers of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the network reads {network} features, but the input has {input}")]
pub struct FeaturesError {
    /// Features of the network.
    pub network: usize,
    /// Features of the input.
    pub input: usize,
}

/// A layer and what follows it.
#[derive(Clone, Debug)]
struct Stage {
    layer: Box<dyn Layer>,
    norm: Option<BatchNorm>,
}

/// The forward pass of one training step.
#[derive(Debug)]
pub(crate) struct Step {
    passes: Vec<Pass>,
    /// What follows each layer but the last.
    between: Vec<Between>,
}

#[derive(Debug)]
struct Between {
    normalised: Option<Normalised>,
    /// The next layer's input.
    rows: Tensor,
    /// d rows / d (normalised) layer output.
    derivative: Tensor,
}

impl Step {
    /// The scores of every node and class.
    pub fn logits(&self) -> &Tensor {
        // A network has at least one layer.
        self.passes[self.passes.len() - 1].output()
    }
}

impl Model {
    /// A network with random weights, distributed as in PyG.
    pub fn new(architecture: Architecture, seed: u64) -> Model {
        let Architecture { description, inputs, classes } = architecture;
        let Description { kind, layers, hidden, heads, batch_norm, bias, .. } = description;
        let stages = (0..layers).map(|index| {
            let random = &mut Random::new(seed, &format!("weights of layer {index}"));
            let last = index + 1 == layers;
            let inputs = if index == 0 { inputs } else { hidden * heads };
            let (outputs, heads) = if last { (classes, 1) } else { (hidden, heads) };
            let layer = kind.layer(Size { inputs, outputs, heads, bias }, random);
            Stage { layer, norm: (batch_norm && !last).then(|| BatchNorm::new(outputs * heads)) }
        });
        Model { architecture, stages: stages.collect() }
    }

    /// The architecture of this network.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The layers, each with the normalisation that follows it.
    pub(crate) fn layers(&self) -> impl Iterator<Item = (&dyn Layer, Option<&BatchNorm>)> {
        self.stages.iter().map(|stage| (&*stage.layer, stage.norm.as_ref()))
    }

    /// Checks that the network reads as many features as the input has.
    ///
    /// # Errors
    /// If the numbers differ.
    pub fn fits(&self, input: &Input) -> Result<(), FeaturesError> {
        let (network, input) = (self.architecture.inputs, input.dimensions());
        if network == input { Ok(()) } else { Err(FeaturesError { network, input }) }
    }

    /// The part of the first layer that depends only on its weights and the input, which
    /// [`fits`](Model::fits). Training and evaluation share it.
    pub(crate) fn project(&self, input: &Input) -> Vec<Tensor> {
        self.stages[0].layer.project(Source::features(input))
    }

    /// The scores of every node and class, without dropout, from the result of
    /// [`project`](Model::project), which is returned again.
    pub(crate) fn evaluate(&self, input: &Input, projected: Vec<Tensor>) -> (Tensor, Vec<Tensor>) {
        let mut first = self.stages[0].layer.combine(projected, input.topology());
        let mut pass = None;
        for pair in self.stages.windows(2) {
            let rows = self.between(&pair[0], pass.as_ref().unwrap_or(&first).output());
            pass = Some(pair[1].layer.forward(Source::hidden(input, &rows)));
        }
        match pass {
            None => (first.output().clone(), first.projected),
            Some(mut last) => {
                let logits = last.combined.take().unwrap_or_else(|| last.projected.swap_remove(0));
                (logits, std::mem::take(&mut first.projected))
            }
        }
    }

    /// The scores of every node and class.
    ///
    /// # Errors
    /// If the input has another number of features than the network.
    pub fn predict(&self, input: &Input) -> Result<Tensor, FeaturesError> {
        self.fits(input)?;
        Ok(self.evaluate(input, self.project(input)).0)
    }

    /// What the last layer reads: the representation of every node that the network has learned. Of
    /// a network with one layer, its scores.
    ///
    /// # Errors
    /// If the input has another number of features than the network.
    pub fn hidden(&self, input: &Input) -> Result<Tensor, FeaturesError> {
        self.fits(input)?;
        let first = self.stages[0].layer.combine(self.project(input), input.topology());
        let Some((_, hidden)) = self.stages.split_last().filter(|(_, hidden)| !hidden.is_empty()) else {
            return Ok(first.output().clone());
        };
        let mut rows = self.between(&hidden[0], first.output());
        for stage in &hidden[1..] {
            let pass = stage.layer.forward(Source::hidden(input, &rows));
            rows = self.between(stage, pass.output());
        }
        Ok(rows)
    }

    /// What the next layer reads of a layer's output, without dropout.
    fn between(&self, stage: &Stage, output: &Tensor) -> Tensor {
        let normalised = stage.norm.as_ref().map(|norm| norm.evaluate(output));
        let output = normalised.as_ref().unwrap_or(output);
        let mut rows = Tensor::scratch(output.rows(), output.columns());
        let activation = self.architecture.description.activation;
        activate(activation, output.values(), output.stride(), None, rows.values_mut(), None);
        rows
    }

    /// The probability of every class for every node: the softmax of [`predict`](Model::predict).
    ///
    /// # Errors
    /// If the input has another number of features than the network.
    pub fn posteriors(&self, input: &Input) -> Result<Tensor, FeaturesError> {
        let mut scores = self.predict(input)?;
        let (stride, columns) = (scores.stride(), scores.columns());
        softmax(scores.values_mut(), stride, columns);
        Ok(scores)
    }

    /// The forward pass of a training step from the result of [`project`](Model::project), with
    /// dropout masks that depend on `key`.
    pub(crate) fn train(&mut self, input: &Input, projected: Vec<Tensor>, key: u64) -> Step {
        let Description { activation, dropout, .. } = self.architecture.description;
        let topology = input.topology();
        let mut passes = vec![self.stages[0].layer.combine(projected, topology)];
        let mut between: Vec<Between> = Vec::new();
        for index in 1..self.stages.len() {
            let normed = self.stages[index - 1].norm.as_mut().map(|norm| norm.train(passes[index - 1].output()));
            let (normed, normalised) = normed.unzip();
            let output = normed.as_ref().unwrap_or_else(|| passes[index - 1].output());
            let mut rows = Tensor::scratch(output.rows(), output.columns());
            let mut derivative = Tensor::scratch(output.rows(), output.columns());
            let dropout = (dropout > 0.0).then(|| Dropout { probability: dropout, key: layer_key(key, index) });
            let slope = Some(derivative.values_mut());
            activate(activation, output.values(), output.stride(), dropout, rows.values_mut(), slope);
            passes.push(self.stages[index].layer.forward(Source::hidden(input, &rows)));
            between.push(Between { normalised, rows, derivative });
        }
        Step { passes, between }
    }

    /// Sets the gradient of every parameter, given that of the scores.
    pub(crate) fn backward(&mut self, input: &Input, step: Step, mut gradient: Tensor) {
        let Step { mut passes, mut between } = step;
        while let (Some(pass), Some(stage)) = (passes.pop(), self.stages.get_mut(passes.len())) {
            let Some(Between { normalised, rows, derivative }) = between.pop() else {
                stage.layer.backward(Source::features(input), &pass, gradient);
                return;
            };
            let Some(below) = stage.layer.backward(Source::hidden(input, &rows), &pass, gradient) else { return };
            gradient = below;
            multiply(derivative.values(), gradient.values_mut());
            let norm = self.stages.get_mut(passes.len() - 1).and_then(|stage| stage.norm.as_mut());
            if let (Some(norm), Some(normalised)) = (norm, normalised) {
                gradient = norm.backward(&normalised, gradient);
            }
        }
    }

    /// The parameters in a fixed order.
    pub fn parameters_mut(&mut self) -> Vec<&mut Parameter> {
        let mut all = Vec::new();
        for Stage { layer, norm } in &mut self.stages {
            all.extend(layer.parameters_mut());
            all.extend(norm.iter_mut().flat_map(|norm| [&mut norm.weight, &mut norm.bias]));
        }
        all
    }

    /// All tensors of a file by name: parameters, and the running statistics of normalisation.
    pub fn tensors(&self) -> Vec<(String, &Tensor)> {
        let mut all = Vec::new();
        for (index, Stage { layer, norm }) in self.stages.iter().enumerate() {
            for (name, parameter) in layer.parameters() {
                all.push((format!("layers.{index}.{name}"), &parameter.value));
            }
            if let Some(norm) = norm {
                all.push((format!("norms.{index}.weight"), &norm.weight.value));
                all.push((format!("norms.{index}.bias"), &norm.bias.value));
                all.push((format!("norms.{index}.running_mean"), &norm.running_mean));
                all.push((format!("norms.{index}.running_var"), &norm.running_variance));
            }
        }
        all
    }

    /// The tensors, mutable, in the order of [`tensors`](Model::tensors).
    fn tensors_mut(&mut self) -> Vec<&mut Tensor> {
        let mut all = Vec::new();
        for Stage { layer, norm } in &mut self.stages {
            all.extend(layer.parameters_mut().into_iter().map(|parameter| &mut parameter.value));
            if let Some(norm) = norm {
                let BatchNorm { weight, bias, running_mean, running_variance } = norm;
                all.extend([&mut weight.value, &mut bias.value, running_mean, running_variance]);
            }
        }
        all
    }

    /// The MLP that answers for features X as this one answers for X·`map`, whose first layer is
    /// the product of both; `None` if this is no MLP, or reads other features.
    pub fn reading_through(&self, map: &Matrix) -> Option<Model> {
        let Architecture { description, inputs, .. } = self.architecture;
        if description.kind != Kind::Mlp || map.columns() != inputs {
            return None;
        }
        let mut wide = self.clone();
        wide.architecture.inputs = map.rows();
        // The weights of a linear layer come before its bias.
        let weight = wide.stages.first_mut()?.layer.parameters_mut().into_iter().next()?;
        *weight = Parameter::new(dense_times(&Tensor::from(map), &weight.value));
        Some(wide)
    }

    /// A copy of all tensors.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.tensors().into_iter().map(|(_, tensor)| tensor.clone()).collect())
    }

    /// Restores the tensors of a snapshot.
    ///
    /// # Panics
    /// If the snapshot is of another network.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let tensors = self.tensors_mut();
        assert_eq!(tensors.len(), snapshot.0.len(), "tensors of a snapshot");
        for (tensor, kept) in tensors.into_iter().zip(&snapshot.0) {
            assert_eq!((tensor.rows(), tensor.columns()), (kept.rows(), kept.columns()), "shape of a snapshot");
            tensor.values_mut().copy_from_slice(kept.values());
        }
    }
}

/// The tensors of a network at some epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot(Vec<Tensor>);

impl Snapshot {
    /// Whether all values are finite.
    pub fn is_finite(&self) -> bool {
        self.0.iter().all(|tensor| tensor.values().iter().all(|value| value.is_finite()))
    }
}

/// The dropout key of a layer in a step. The keys of steps may be consecutive numbers.
fn layer_key(step: u64, layer: usize) -> u64 {
    mixed(mixed(step) ^ layer as u64)
}
