//! Activation and dropout in one pass (stand-in until the fused kernel arrives).

/// What follows a hidden layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// Nothing.
    None,
    /// max(x, 0).
    Relu,
    /// λx above 0, λα(e^x − 1) below.
    Selu,
}

/// Which numbers are dropped.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    /// The share that is dropped.
    pub probability: f32,
    /// What the mask depends on.
    pub key: u64,
}

/// out = act(x)·mask/(1−p), derivative = act'(x)·mask/(1−p).
pub fn activate(
    kind: Activation,
    x: &[f32],
    _stride: usize,
    _dropout: Option<Dropout>,
    out: &mut [f32],
    mut derivative: Option<&mut [f32]>,
) {
    for (at, &x) in x.iter().enumerate() {
        let (y, slope) = match kind {
            Activation::None => (x, 1.0),
            Activation::Relu => (x.max(0.0), f32::from(u8::from(x > 0.0))),
            Activation::Selu if x > 0.0 => (1.050_701 * x, 1.050_701),
            Activation::Selu => {
                let e = 1.758_099_3 * super::exp::exp(x);
                (e - 1.758_099_3, e)
            }
        };
        out[at] = y;
        if let Some(derivative) = derivative.as_deref_mut() {
            derivative[at] = slope;
        }
    }
}
