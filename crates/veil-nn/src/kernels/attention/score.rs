//! The score of a message before the softmax, in which attention layers differ.

use super::Layout;
use super::blocks::{dot, weighted};
use crate::kernels::level::multiply_add;

/// The slope of leaky ReLU below zero, as in PyG.
pub(crate) const NEGATIVE_SLOPE: f32 = 0.2;

/// The derivative of leaky ReLU; times its argument, also its value.
#[inline(always)]
fn leaky_slope(value: f32) -> f32 {
    if value > 0.0 { 1.0 } else { NEGATIVE_SLOPE }
}

/// One head of one node, and the nodes at the other ends of its messages.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The position of heads in a row.
    pub layout: Layout,
    /// The head.
    pub head: usize,
    /// The node.
    pub node: usize,
    /// The senders to it, or the receivers from it.
    pub others: &'a [u32],
}

impl Place<'_> {
    /// This head in the row of the node.
    #[inline(always)]
    fn own<'v>(&self, values: &'v [f32]) -> &'v [f32] {
        self.layout.head(values, self.node, self.head)
    }

    /// This head in the row of another node.
    #[inline(always)]
    fn of<'v>(&self, other: u32, values: &'v [f32]) -> &'v [f32] {
        self.layout.head(values, other as usize, self.head)
    }

    /// Sets this head of `out` to the weighted sum over the other nodes.
    #[inline(always)]
    fn sum<const BLOCK: usize, const FMA: bool>(&self, weights: &[f32], values: &[f32], out: &mut [f32]) {
        let columns = self.layout.columns(self.head);
        let start = columns.start;
        weighted::<BLOCK, FMA>(self.others, weights, values, self.layout.stride, start, &mut out[columns]);
    }
}

/// A score with its gradient. `BLOCK` divides a head's channels.
pub trait Score: Copy + Sync {
    /// The scores of the messages that one node receives.
    fn scores<const BLOCK: usize, const FMA: bool>(self, at: Place, scores: &mut [f32]);

    /// Given the gradients of those scores, sets this head in the receiver's row of `out`. It may
    /// change the gradients to what [`send`](Score::send) needs.
    fn receive<const BLOCK: usize, const FMA: bool>(self, at: Place, gradients: &mut [f32], out: &mut [f32]);

    /// Given the gradients of all messages that one node sends, sets this head in the sender's row
    /// of `out`.
    fn send<const BLOCK: usize, const FMA: bool>(self, at: Place, gradients: &[f32], out: &mut [f32]);
}

/// GAT: LeakyReLU(a_u + b_v), both computed once per node.
///
/// Rows hold the a of all heads, then the b of all heads, and so do the rows of gradients.
#[derive(Clone, Copy, Debug)]
pub struct Additive<'a> {
    /// The rows.
    pub values: &'a [f32],
    /// The distance between two rows.
    pub stride: usize,
}

impl Additive<'_> {
    /// a_u of another node + b_v of this one.
    #[inline(always)]
    fn sum(&self, at: Place, other: u32) -> f32 {
        let own = self.values[at.node * self.stride + at.layout.heads + at.head];
        self.values[other as usize * self.stride + at.head] + own
    }
}

impl Score for Additive<'_> {
    #[inline(always)]
    fn scores<const BLOCK: usize, const FMA: bool>(self, at: Place, scores: &mut [f32]) {
        for (score, &sender) in scores.iter_mut().zip(at.others) {
            let sum = self.sum(at, sender);
            *score = sum * leaky_slope(sum);
        }
    }

    #[inline(always)]
    fn receive<const BLOCK: usize, const FMA: bool>(self, at: Place, gradients: &mut [f32], out: &mut [f32]) {
        let mut sum = 0.0;
        for (gradient, &sender) in gradients.iter_mut().zip(at.others) {
            *gradient *= leaky_slope(self.sum(at, sender));
            sum += *gradient;
        }
        out[at.layout.heads + at.head] = sum;
    }

    #[inline(always)]
    fn send<const BLOCK: usize, const FMA: bool>(self, at: Place, gradients: &[f32], out: &mut [f32]) {
        out[at.head] = gradients.iter().sum();
    }
}

/// GATv2: a·LeakyReLU(l_u + r_v).
///
/// Gradients come without the factor a: Σ ∂s·LeakyReLU′(l_u + r_v). That of a itself follows from
/// them without another pass over messages, because LeakyReLU(z) = z·LeakyReLU′(z): it is Σ_v
/// r_v∘receivers_v + Σ_u l_u∘senders_u.
#[derive(Clone, Copy, Debug)]
pub struct Mixed<'a> {
    /// l.
    pub senders: &'a [f32],
    /// r.
    pub receivers: &'a [f32],
    /// a, as one row of all heads.
    pub attention: &'a [f32],
}

/// Σ g_i·LeakyReLU′(own + x_i) of one head.
#[inline(always)]
fn slopes<const BLOCK: usize, const FMA: bool>(at: Place, own: &[f32], x: &[f32], gradients: &[f32], out: &mut [f32]) {
    let columns = at.layout.columns(at.head);
    let start = columns.start;
    let own = at.own(own).as_chunks::<BLOCK>().0;
    for (block, (out, own)) in out[columns].as_chunks_mut::<BLOCK>().0.iter_mut().zip(own).enumerate() {
        let column = start + block * BLOCK;
        let mut sum = [0.0; BLOCK];
        for (&row, &gradient) in at.others.iter().zip(gradients) {
            let x = &x[row as usize * at.layout.stride + column..][..BLOCK];
            for lane in 0..BLOCK {
                sum[lane] = multiply_add::<FMA>(gradient, leaky_slope(own[lane] + x[lane]), sum[lane]);
            }
        }
        *out = sum;
    }
}

impl Score for Mixed<'_> {
    #[inline(always)]
    fn scores<const BLOCK: usize, const FMA: bool>(self, at: Place, scores: &mut [f32]) {
        let (own, _) = at.own(self.receivers).as_chunks::<BLOCK>();
        let (attention, _) = at.layout.head(self.attention, 0, at.head).as_chunks::<BLOCK>();
        for (score, &sender) in scores.iter_mut().zip(at.others) {
            let (other, _) = at.of(sender, self.senders).as_chunks::<BLOCK>();
            let mut sums = [0.0; BLOCK];
            for ((own, other), attention) in own.iter().zip(other).zip(attention) {
                for lane in 0..BLOCK {
                    let sum = own[lane] + other[lane];
                    sums[lane] = multiply_add::<FMA>(attention[lane], sum * leaky_slope(sum), sums[lane]);
                }
            }
            *score = super::total(sums);
        }
    }

    #[inline(always)]
    fn receive<const BLOCK: usize, const FMA: bool>(self, at: Place, gradients: &mut [f32], out: &mut [f32]) {
        slopes::<BLOCK, FMA>(at, self.receivers, self.senders, gradients, out);
    }

    #[inline(always)]
    fn send<const BLOCK: usize, const FMA: bool>(self, at: Place, gradients: &[f32], out: &mut [f32]) {
        slopes::<BLOCK, FMA>(at, self.senders, self.receivers, gradients, out);
    }
}

/// Transformer: q_v·k_u, scaled. Gradients are those of q and k.
#[derive(Clone, Copy, Debug)]
pub struct DotProduct<'a> {
    /// q.
    pub queries: &'a [f32],
    /// k.
    pub keys: &'a [f32],
    /// 1/√channels.
    pub scale: f32,
}

impl Score for DotProduct<'_> {
    #[inline(always)]
    fn scores<const BLOCK: usize, const FMA: bool>(self, at: Place, scores: &mut [f32]) {
        let query = at.own(self.queries);
        for (score, &sender) in scores.iter_mut().zip(at.others) {
            *score = dot::<BLOCK, FMA>(query, at.of(sender, self.keys)) * self.scale;
        }
    }

    #[inline(always)]
    fn receive<const BLOCK: usize, const FMA: bool>(self, at: Place, gradients: &mut [f32], out: &mut [f32]) {
        for gradient in &mut *gradients {
            *gradient *= self.scale;
        }
        at.sum::<BLOCK, FMA>(gradients, self.keys, out);
    }

    #[inline(always)]
    fn send<const BLOCK: usize, const FMA: bool>(self, at: Place, gradients: &[f32], out: &mut [f32]) {
        at.sum::<BLOCK, FMA>(gradients, self.queries, out);
    }
}
