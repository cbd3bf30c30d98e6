use std::collections::HashSet;

use veil_graph::bytes::hex;
use veil_graph::{Features, Matrix, Sparse};

use super::*;
use crate::testing::{assert_binomial, stream};

const CONTEXT: Context<'static> = Context {
    release: [1; 16],
    redemption: 5,
    mechanism: "randomised-response",
    parameters: "epsilon=1;values=7",
    inputs: [6; 32],
    data: [2; 32],
    round: 3,
    query: 4,
};

fn subkey(context: Context<'_>) -> [u8; 32] {
    Coins::reproducible(1).stream(&context).subkey()
}

/// Computed independently in Python (hmac, hashlib, and ChaCha20 by hand): see the derivation in
/// the module's story.
#[test]
fn the_derivation_is_pinned() {
    assert_eq!(
        hex(&Coins::reproducible(1).stream(&CONTEXT).subkey()),
        "eab43f711d2bfb6c2f5287b118c985761d5652e50b8acdc85ce84c6f1f6a0949"
    );
    let mut coins = Coins::reproducible(1).stream(&CONTEXT).node(5);
    assert_eq!([coins.next_u64(), coins.next_u64()], [6126724711020262760, 3344273048331508928]);
    // The ninth word is the first of the second block.
    let words: Vec<u64> = (2..9).map(|_| coins.next_u64()).collect();
    assert_eq!(words.last(), Some(&3294629000877126304));
}

/// A device's key is the subkey; that of a round was computed in Python (hmac, hashlib).
#[test]
fn the_coins_of_a_device_are_pinned() {
    let device = Stream::of_device(&Coins::reproducible(1).stream(&CONTEXT).subkey());
    assert_eq!(device.node(5).next_u64(), 6126724711020262760);
    assert_eq!(
        hex(&Stream::of_device(&[42; 32]).of_round(3).subkey()),
        "c72739530a3685dc359156531bd8130bbfbd5ccd323a341b64c9e3d196b87479"
    );
}

#[test]
fn every_field_changes_the_subkey() {
    let mut release = CONTEXT.release;
    release[15] ^= 1;
    let mut data = CONTEXT.data;
    data[0] ^= 1;
    let mut inputs = CONTEXT.inputs;
    inputs[31] ^= 1;
    let contexts = [
        CONTEXT,
        Context { release, ..CONTEXT },
        Context { redemption: 4, ..CONTEXT },
        Context { inputs, ..CONTEXT },
        Context { inputs: CONTEXT.data, data: CONTEXT.inputs, ..CONTEXT },
        Context { mechanism: "randomised-respons", ..CONTEXT },
        Context { parameters: "epsilon=2;values=7", ..CONTEXT },
        Context { parameters: "epsilon=1;values=8", ..CONTEXT },
        Context { data, ..CONTEXT },
        Context { round: 4, ..CONTEXT },
        Context { query: 3, ..CONTEXT },
        Context { round: 4, query: 3, ..CONTEXT },
        // A byte moved from one field to its neighbour.
        Context { mechanism: "randomised-respons", parameters: "eepsilon=1;values=7", ..CONTEXT },
        Context { mechanism: "randomised-responsee", parameters: "psilon=1;values=7", ..CONTEXT },
        Context { mechanism: "", parameters: "randomised-responseepsilon=1;values=7", ..CONTEXT },
    ];
    let subkeys: HashSet<[u8; 32]> = contexts.iter().map(|&context| subkey(context)).collect();
    assert_eq!(subkeys.len(), contexts.len());
    assert_ne!(Coins::reproducible(2).stream(&CONTEXT).subkey(), subkey(CONTEXT));
}

/// Computed independently in Python (hashlib, hmac).
#[test]
fn the_digest_of_inputs_is_pinned() {
    let inputs = Inputs::of().with("text", b"abc").with_numbers("queries", &[1, 2]).digest();
    assert_eq!(hex(&inputs.0), "472c2092d5c065090fa10945262290ad9af8e87d2cdea64325cde4cc375ee616");
    assert_eq!(hex(&Inputs::none().0), "db83b6ef0700ce2bd272b5936429c658fc4fff54944ca7d895b7fb85ffc041d0");
    assert_eq!(
        hex(&Stream::of_device(&[42; 32]).of_inputs(inputs).subkey()),
        "272e9d740b82c635b005994ae191289306ca4d1f418f8ba4186998794b81e00e"
    );
}

#[test]
fn other_inputs_have_another_digest() {
    let matrix = |values: [f32; 4]| Features::Dense(Matrix::from_values(2, 2, values.to_vec()).unwrap());
    let sparse = Features::Sparse(Sparse::from_triples(2, 2, &[(0, 0, 1.0)]).unwrap());
    let of = |features: &Features| Inputs::of().with_features(features).digest();
    let all = [
        Inputs::none(),
        Inputs::of().with("", b"").digest(),
        Inputs::of().with("a", b"b").digest(),
        // A byte moved from one field to its neighbour.
        Inputs::of().with("ab", b"").digest(),
        Inputs::of().with("", b"ab").digest(),
        Inputs::of().with("a", b"").with("b", b"").digest(),
        Inputs::of().with_numbers("a", &[1, 2]).digest(),
        Inputs::of().with_numbers("a", &[2, 1]).digest(),
        of(&matrix([1.0, 0.0, 0.0, 0.0])),
        of(&matrix([0.0, 1.0, 0.0, 0.0])),
        of(&matrix([0.0, 0.0, 1.0, 0.0])),
        of(&matrix([-0.0, 0.0, 0.0, 0.0])),
        of(&sparse),
    ];
    let distinct: HashSet<[u8; 32]> = all.iter().map(|inputs| inputs.0).collect();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn nodes_have_their_own_coins_and_always_the_same() {
    let stream = stream("nodes");
    let first: HashSet<u64> = (0..1000).map(|v| stream.node(v).next_u64()).collect();
    assert_eq!(first.len(), 1000);
    assert_eq!(stream.node(17).next_u64(), stream.node(17).next_u64());
}

#[test]
fn the_operating_system_gives_fresh_keys() {
    let (a, b) = (Coins::from_os().expect("randomness"), Coins::from_os().expect("randomness"));
    assert_ne!(a.stream(&CONTEXT).subkey(), b.stream(&CONTEXT).subkey());
    assert!(!a.is_reproducible());
    assert_eq!(a.seed(), None);
    assert_eq!(Coins::reproducible(9).seed(), Some(9));
}

#[test]
fn keys_are_never_shown() {
    let coins = Coins::reproducible(1);
    assert_eq!(format!("{coins:?}"), "Coins { key: \"redacted\", seed: Some(1) }");
    assert_eq!(format!("{:?}", coins.stream(&CONTEXT)), "Stream(redacted)");
    assert_eq!(format!("{:?}", coins.stream(&CONTEXT).node(0)), "NodeCoins(redacted)");
}

#[test]
fn below_stays_below_and_takes_no_coin_for_one() {
    let mut coins = stream("bounds").node(0);
    for n in [2_u64, 3, 10, 1 << 32, (1 << 63) + 1, u64::MAX] {
        for _ in 0..200 {
            assert!(coins.below(n) < n);
        }
    }
    for n in [1_u128 << 64, (1 << 64) + 1, (1 << 127) + 1, u128::MAX] {
        for _ in 0..200 {
            assert!(coins.below_wide(n) < n);
        }
    }
    let (mut a, mut b) = (stream("bounds").node(1), stream("bounds").node(1));
    assert_eq!((a.below(0), a.below(1), a.below_wide(1)), (0, 0, 0));
    assert_eq!(a.next_u64(), b.next_u64());
}

#[test]
fn below_is_uniform() {
    // 7 cells, and 3 thirds of a bound for which a modulo would prefer the lower half by a factor
    // of two.
    let mut coins = stream("uniform").node(0);
    let (trials, tests) = (70_000_u64, 7 + 3 + 3);
    let mut cells = [0_u64; 7];
    for _ in 0..trials {
        cells[coins.below(7) as usize] += 1;
    }
    for hits in cells {
        assert_binomial(hits, trials, 1.0 / 7.0, tests, "below 7");
    }
    let n = 3_u64 << 62;
    let mut thirds = [0_u64; 3];
    for _ in 0..trials {
        thirds[(coins.below(n) >> 62) as usize] += 1;
    }
    for hits in thirds {
        assert_binomial(hits, trials, 1.0 / 3.0, tests, "below 3·2⁶²");
    }
    let n = 3_u128 << 100;
    let mut thirds = [0_u64; 3];
    for _ in 0..trials {
        thirds[(coins.below_wide(n) >> 100) as usize] += 1;
    }
    for hits in thirds {
        assert_binomial(hits, trials, 1.0 / 3.0, tests, "below 3·2¹⁰⁰");
    }
}
