//! Every kernel equals a plain implementation at every available level, with the same bits on any
//! number of threads.
//!
//! Tests lower the thresholds for splitting and prefetching, so small matrices reach all paths.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use veil_graph::random::Random;

use super::bits::{Bits, bit_product};
use super::elementwise::{add, add_row, column_sums, multiply, scale_rows};
use super::gather::{self, Lists, gather_sum, weighted_sum};
use super::gemm::{self, Left, product, transposed_product};
use super::level::{Level, forced};
use super::{activation, adam, softmax};
use crate::tensor::{Tensor, padded};

const STRIDES: [usize; 9] = [4, 8, 16, 32, 48, 64, 80, 96, 144];

/// This number of cases, the same in every run.
pub(crate) fn fixed(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() }
}

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed, "kernels");
    (0..count).map(|_| (2.0 * random.unit() - 1.0) as f32).collect()
}

/// Lists of random lengths, a third of them empty.
fn lists(rows: usize, sources: usize, seed: u64) -> (Vec<usize>, Vec<u32>) {
    let mut random = Random::new(seed, "lists");
    let (mut offsets, mut entries) = (vec![0], Vec::new());
    for _ in 0..rows {
        let length = if sources == 0 || random.below(3) == 0 { 0 } else { random.below(12) };
        entries.extend((0..length).map(|_| random.below(sources) as u32));
        offsets.push(entries.len());
    }
    (offsets, entries)
}

/// The error of a sum of n terms of at most 1, in 32 bits: each of n additions and n products
/// rounds by at most 2⁻²⁴ of a partial sum, which is at most n. Signs are random, so partial sums
/// are near √n and the bound is loose; a wrong term still exceeds it.
fn tolerance(terms: usize) -> f32 {
    let terms = terms as f32 + 2.0;
    6e-8 * terms * terms.sqrt() * 4.0
}

fn near(found: &[f32], truth: &[f32], terms: usize) -> bool {
    found.len() == truth.len() && found.iter().zip(truth).all(|(a, b)| (a - b).abs() <= tolerance(terms))
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// The results at every level, each the same on 1, 2 and 4 threads.
fn at_every_level<T: PartialEq + std::fmt::Debug + Send>(work: impl Fn() -> T + Sync) -> Vec<T> {
    thread_local! {
        static POOLS: [rayon::ThreadPool; 3] = [1, 2, 4].map(pool);
    }
    let at = |level| {
        let [one, two, four] = POOLS.with(|pools| pools.each_ref().map(|pool| pool.install(|| forced(level, &work))));
        assert!(one == two && one == four, "threads change the result");
        one
    };
    let results: Vec<T> = Level::available().map(at).collect();
    // Both fuse, and add in the same order.
    assert!(results.len() < 3 || results[1] == results[2], "AVX2 and AVX-512 differ");
    results
}

proptest! {
    #![proptest_config(fixed(64))]

    #[test]
    fn gathers(rows in 0usize..60, sources in 0usize..60, stride in prop::sample::select(&STRIDES[..]), seed in 0u64..1000) {
        let (offsets, entries) = lists(rows, sources, seed);
        let lists = Lists { offsets: &offsets, sources: &entries };
        let (x, scale, weights) = (numbers(sources * stride, seed), numbers(rows, seed + 1), numbers(entries.len(), seed + 2));
        let results = at_every_level(|| {
            let mut y = [(); 3].map(|()| vec![9.0; rows * stride]);
            gather_sum(lists, &x, stride, None, &mut y[0]);
            gather_sum(lists, &x, stride, Some(&scale), &mut y[1]);
            weighted_sum(lists, &weights, &x, stride, &mut y[2]);
            y
        });
        for [plain, scaled, weighted] in results {
            prop_assert!(near(&plain, &gather::naive(lists, None, &x, stride, None), 12));
            prop_assert!(near(&scaled, &gather::naive(lists, None, &x, stride, Some(&scale)), 12));
            prop_assert!(near(&weighted, &gather::naive(lists, Some(&weights), &x, stride, None), 12));
        }
    }

    #[test]
    fn multiplies_matrices(
        rows in 0usize..120,
        columns in 0usize..120,
        stride in prop::sample::select(&STRIDES[..]),
        seed in 0u64..1000,
    ) {
        products(rows, columns, stride, seed)?;
    }

    #[test]
    fn multiplies_zeros_and_ones(
        rows in 0usize..120,
        columns in 0usize..120,
        stride in prop::sample::select(&STRIDES[..]),
        share in 0.0..1.0,
        seed in 0u64..1000,
    ) {
        let mut random = Random::new(seed, "bits");
        let a: Vec<f32> = (0..rows * columns).map(|_| f32::from(u8::from(random.unit() < share))).collect();
        let ones = (0..a.len()).filter(|&at| a[at] == 1.0).map(|at| (at / columns, at % columns));
        let (bits, b) = (Bits::new(rows, columns, ones), numbers(columns * stride, seed));
        let results = at_every_level(|| {
            let mut c = vec![9.0; rows * stride];
            bit_product(&bits, &b, stride, &mut c);
            c
        });
        let truth = gemm::naive(Left { values: &a, rows, columns, stride: columns }, &b, stride, false);
        prop_assert!(near(&results[0], &truth, columns));
        // Nothing is multiplied, so nothing is fused.
        prop_assert!(results.iter().all(|result| *result == results[0]));
    }

    #[test]
    fn multiplies_tensors_of_any_width(rows in 0usize..20, inner in 0usize..20, columns in 1usize..70, seed in 0u64..1000) {
        let tensor = |rows, columns, seed| Tensor::from_values(rows, columns, numbers(rows * columns, seed)).unwrap();
        let (a, b, g) = (tensor(rows, inner, seed), tensor(inner, columns, seed + 1), tensor(rows, columns, seed + 2));
        let results = at_every_level(|| (crate::input::dense_times(&a, &b), crate::input::dense_transposed_times(&a, &g)));
        for (c, d) in results {
            for column in 0..columns {
                for row in 0..rows {
                    let truth: f32 = (0..inner).map(|k| a.row(row)[k] * b.row(k)[column]).sum();
                    prop_assert!((c.row(row)[column] - truth).abs() <= tolerance(inner));
                }
                for row in 0..inner {
                    let truth: f32 = (0..rows).map(|k| a.row(k)[row] * g.row(k)[column]).sum();
                    prop_assert!((d.row(row)[column] - truth).abs() <= tolerance(rows));
                }
            }
            for tensor in [c, d] {
                for row in tensor.values().chunks_exact(padded(columns)) {
                    prop_assert!(row[columns..].iter().all(|&padding| padding == 0.0));
                }
            }
        }
    }

    #[test]
    fn changes_numbers_and_rows(rows in 0usize..3000, stride in prop::sample::select(&STRIDES[..5]), seed in 0u64..1000) {
        let (x, y) = (numbers(rows * stride, seed), numbers(rows * stride, seed + 1));
        let (scale, row) = (numbers(rows, seed + 2), numbers(stride, seed + 3));
        let results = at_every_level(|| {
            let mut out = [(); 4].map(|()| x.clone());
            scale_rows(&scale, stride, &mut out[0]);
            add_row(&row, &mut out[1]);
            add(&y, &mut out[2]);
            multiply(&y, &mut out[3]);
            (out, column_sums(&x, stride))
        });
        for (out, sums) in results {
            // One operation each: no tolerance.
            for (at, &x) in x.iter().enumerate() {
                let truth = [x * scale[at / stride], x + row[at % stride], x + y[at], x * y[at]];
                prop_assert_eq!([out[0][at], out[1][at], out[2][at], out[3][at]], truth);
            }
            let truth: Vec<f32> = (0..stride)
                .map(|column| x.iter().skip(column).step_by(stride).map(|&value| f64::from(value)).sum::<f64>() as f32)
                .collect();
            // Partial sums of at most 1024 terms of random signs stay below 128, so each of some
            // 1024 roundings is below 4e-6.
            prop_assert!(sums.iter().zip(&truth).all(|(sum, truth)| (sum - truth).abs() < 5e-3));
        }
    }
}

/// Both products of these sizes against the plain implementation.
fn products(rows: usize, columns: usize, stride: usize, seed: u64) -> Result<(), TestCaseError> {
    let left = padded(columns);
    let (values, b, g) =
        (numbers(rows * left, seed), numbers(columns * stride, seed + 1), numbers(rows * stride, seed + 2));
    let a = Left { values: &values, rows, columns, stride: left };
    let results = at_every_level(|| {
        let (mut c, mut d) = (vec![9.0; rows * stride], vec![9.0; columns * stride]);
        product(a, &b, stride, &mut c);
        transposed_product(a, &g, stride, &mut d);
        (c, d)
    });
    for (c, d) in results {
        prop_assert!(near(&c, &gemm::naive(a, &b, stride, false), columns));
        prop_assert!(near(&d, &gemm::naive(a, &g, stride, true), rows));
    }
    Ok(())
}

#[test]
fn products_of_several_blocks_bands_and_parts() {
    for (rows, columns, stride) in
        [(301, 70, 64), (97, 600, 32), (700, 520, 16), (1000, 13, 8), (650, 9, 4), (900, 100, 48)]
    {
        products(rows, columns, stride, 5).unwrap();
    }
}

#[test]
fn batch_norm_and_dropout_do_not_depend_on_threads() {
    let (rows, stride) = (500, 16);
    let (x, g) = (numbers(rows * stride, 1), numbers(rows * stride, 2));
    at_every_level(|| {
        let mut out = [(); 5].map(|()| x.clone());
        let [active, slope, value, first, second] = &mut out;
        let dropout = Some(activation::Dropout { probability: 0.5, key: 3 });
        activation::activate(activation::Activation::Selu, &x, stride, dropout, active, Some(slope));
        second.fill(0.5);
        adam::adam(adam::AdamStep::new(0.1, [0.9, 0.999], 1e-8, 0.1, 2), &g, value, first, second);
        let mut soft = x.clone();
        softmax::softmax(&mut soft, stride, 11);
        (out, soft)
    });
}

#[test]
#[should_panic(expected = "whole rows of a left factor")]
fn a_product_refuses_a_truncated_last_row() {
    let a = Left { values: &[1.0; 7], rows: 2, columns: 3, stride: 4 };
    product(a, &[1.0; 12], 4, &mut [0.0; 8]);
}

#[test]
#[should_panic(expected = "whole rows of a left factor")]
fn a_transposed_product_refuses_a_truncated_last_row() {
    let a = Left { values: &[1.0; 7], rows: 2, columns: 3, stride: 4 };
    transposed_product(a, &[1.0; 8], 4, &mut [0.0; 12]);
}
