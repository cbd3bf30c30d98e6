//! How much a message counts before the softmax: the one thing in which attention layers differ.

use super::Layout;
use super::blocks::{dot, weighted};
use crate::kernels::level::multiply_add;

/// The slope of leaky ReLU below zero, as PyG's layers have it.
const NEGATIVE_SLOPE: f32 = 0.2;

/// The derivative of leaky ReLU; times its argument also its value.
#[inline(always)]
fn leaky_slope(value: f32) -> f32 {
    if value > 0.0 { 1.0 } else { NEGATIVE_SLOPE }
}

/// A score with its gradient. `BLOCK` divides a head's channels.
pub trait Score: Copy + Sync {
    /// The scores of the messages that one node receives.
    fn scores<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        receiver: usize,
        senders: &[u32],
        scores: &mut [f32],
    );

    /// Given the gradients of those scores: sets this head in the receiver's row of `out`, and may change the gradients to what
    /// [`send`](Score::send) needs.
    fn receive<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        receiver: usize,
        senders: &[u32],
        gradients: &mut [f32],
        out: &mut [f32],
    );

    /// Given the gradients of all messages that one node sends: sets this head in the sender's row of `out`.
    fn send<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        sender: usize,
        receivers: &[u32],
        gradients: &[f32],
        out: &mut [f32],
    );
}

/// GAT: LeakyReLU(a_u + b_v), both computed once per node.
///
/// Rows hold the a of all heads, then the b of all heads, and so do the rows of gradients.
#[derive(Clone, Copy, Debug)]
pub struct Additive<'a> {
    /// The rows.
    pub values: &'a [f32],
    /// How far they lie apart.
    pub stride: usize,
}

impl Score for Additive<'_> {
    #[inline(always)]
    fn scores<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        receiver: usize,
        senders: &[u32],
        scores: &mut [f32],
    ) {
        let own = self.values[receiver * self.stride + layout.heads + head];
        for (score, &sender) in scores.iter_mut().zip(senders) {
            let sum = self.values[sender as usize * self.stride + head] + own;
            *score = sum * leaky_slope(sum);
        }
    }

    #[inline(always)]
    fn receive<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        receiver: usize,
        senders: &[u32],
        gradients: &mut [f32],
        out: &mut [f32],
    ) {
        let own = self.values[receiver * self.stride + layout.heads + head];
        let mut sum = 0.0;
        for (gradient, &sender) in gradients.iter_mut().zip(senders) {
            *gradient *= leaky_slope(self.values[sender as usize * self.stride + head] + own);
            sum += *gradient;
        }
        out[layout.heads + head] = sum;
    }

    #[inline(always)]
    fn send<const BLOCK: usize, const FMA: bool>(
        self,
        _layout: Layout,
        head: usize,
        _sender: usize,
        _receivers: &[u32],
        gradients: &[f32],
        out: &mut [f32],
    ) {
        out[head] = gradients.iter().sum();
    }
}

/// GATv2: a·LeakyReLU(l_u + r_v).
///
/// Gradients come without the factor a: Σ ∂s·LeakyReLU′(l_u + r_v). That of a itself follows from them without another pass
/// over messages, because LeakyReLU(z) = z·LeakyReLU′(z): it is Σ_v r_v∘receivers_v + Σ_u l_u∘senders_u.
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
fn slopes<const BLOCK: usize, const FMA: bool>(
    layout: Layout,
    head: usize,
    own: &[f32],
    others: (&[u32], &[f32]),
    gradients: &[f32],
    out: &mut [f32],
) {
    let (rows, x) = others;
    let columns = layout.columns(head);
    let start = columns.start;
    let own = own.as_chunks::<BLOCK>().0;
    for (block, (out, own)) in out[columns].as_chunks_mut::<BLOCK>().0.iter_mut().zip(own).enumerate() {
        let column = start + block * BLOCK;
        let mut sum = [0.0; BLOCK];
        for (&row, &gradient) in rows.iter().zip(gradients) {
            let x = &x[row as usize * layout.stride + column..][..BLOCK];
            for lane in 0..BLOCK {
                sum[lane] = multiply_add::<FMA>(gradient, leaky_slope(own[lane] + x[lane]), sum[lane]);
            }
        }
        *out = sum;
    }
}

impl Score for Mixed<'_> {
    #[inline(always)]
    fn scores<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        receiver: usize,
        senders: &[u32],
        scores: &mut [f32],
    ) {
        let (own, _) = layout.head(self.receivers, receiver, head).as_chunks::<BLOCK>();
        let (attention, _) = layout.head(self.attention, 0, head).as_chunks::<BLOCK>();
        for (score, &sender) in scores.iter_mut().zip(senders) {
            let (other, _) = layout.head(self.senders, sender as usize, head).as_chunks::<BLOCK>();
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
    fn receive<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        receiver: usize,
        senders: &[u32],
        gradients: &mut [f32],
        out: &mut [f32],
    ) {
        let own = layout.head(self.receivers, receiver, head);
        slopes::<BLOCK, FMA>(layout, head, own, (senders, self.senders), gradients, out);
    }

    #[inline(always)]
    fn send<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        sender: usize,
        receivers: &[u32],
        gradients: &[f32],
        out: &mut [f32],
    ) {
        let own = layout.head(self.senders, sender, head);
        slopes::<BLOCK, FMA>(layout, head, own, (receivers, self.receivers), gradients, out);
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
    fn scores<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        receiver: usize,
        senders: &[u32],
        scores: &mut [f32],
    ) {
        let query = layout.head(self.queries, receiver, head);
        for (score, &sender) in scores.iter_mut().zip(senders) {
            *score = dot::<BLOCK, FMA>(query, layout.head(self.keys, sender as usize, head)) * self.scale;
        }
    }

    #[inline(always)]
    fn receive<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        _receiver: usize,
        senders: &[u32],
        gradients: &mut [f32],
        out: &mut [f32],
    ) {
        for gradient in &mut *gradients {
            *gradient *= self.scale;
        }
        let columns = layout.columns(head);
        weighted::<BLOCK, FMA>(senders, gradients, self.keys, layout.stride, columns.start, &mut out[columns]);
    }

    #[inline(always)]
    fn send<const BLOCK: usize, const FMA: bool>(
        self,
        layout: Layout,
        head: usize,
        _sender: usize,
        receivers: &[u32],
        gradients: &[f32],
        out: &mut [f32],
    ) {
        let columns = layout.columns(head);
        weighted::<BLOCK, FMA>(receivers, gradients, self.queries, layout.stride, columns.start, &mut out[columns]);
    }
}
