//! Every form of features against the dense form.

use proptest::prelude::*;

use super::*;

fn sparse() -> impl Strategy<Value = Features> {
    prop::collection::btree_map((0..6u32, 0..5u32), -2.0f32..2.0, 0..20).prop_map(|entries| {
        let triples: Vec<_> = entries.into_iter().map(|((row, column), value)| (row, column, value)).collect();
        Features::Sparse(Sparse::from_triples(6, 5, &triples).unwrap())
    })
}

fn encoded() -> impl Strategy<Value = Features> {
    let row = prop::sample::subsequence(vec![0u32, 1, 2, 3, 4], 2);
    (prop::collection::vec(row, 6), prop::collection::vec(any::<bool>(), 12), -1.0f32..1.0, 0.1f32..9.0).prop_map(
        |(columns, positive, offset, scale)| {
            Features::Encoded(Encoded::from_reports((6, 5, 2), (offset, scale), columns.concat(), positive).unwrap())
        },
    )
}

fn dense(features: &Features) -> Features {
    let values = (0..features.rows())
        .flat_map(|row| (0..features.columns() as u32).map(move |column| features.value(row, column)));
    Features::Dense(Matrix::from_values(features.rows(), features.columns(), values.collect()).unwrap())
}

fn matrix(rows: usize) -> impl Strategy<Value = Matrix> {
    prop::collection::vec(-1.0f32..1.0, rows * 3).prop_map(move |values| Matrix::from_values(rows, 3, values).unwrap())
}

fn close(left: &Matrix, right: &Matrix) -> bool {
    left.values().iter().zip(right.values()).all(|(a, b)| (a - b).abs() < 1e-4)
}

proptest! {
    #[test]
    fn every_form_multiplies_and_compares_as_the_dense_one(
        features in prop_oneof![sparse(), encoded()],
        weights in matrix(5),
        gradient in matrix(6),
    ) {
        let dense = dense(&features);
        prop_assert!(close(&features.times(&weights).unwrap(), &dense.times(&weights).unwrap()));
        prop_assert!(close(&features.transposed_times(&gradient).unwrap(), &dense.transposed_times(&gradient).unwrap()));
        for (left, right) in [(0, 1), (2, 2), (5, 3)] {
            prop_assert!((features.dot(left, right) - dense.dot(left, right)).abs() < 1e-3);
        }
        prop_assert!((features.norm(4) - dense.norm(4)).abs() < 1e-3);
    }

    #[test]
    fn the_dense_product_is_the_definition(values in prop::collection::vec(-1.0f32..1.0, 30), weights in matrix(5)) {
        let features = Features::Dense(Matrix::from_values(6, 5, values).unwrap());
        let product = features.times(&weights).unwrap();
        for row in 0..6 {
            for column in 0..3 {
                let wanted: f32 = (0..5).map(|k| features.value(row, k) * weights.row(k as usize)[column]).sum();
                prop_assert!((product.row(row)[column] - wanted).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn sparse_rows_are_sorted_and_hold_no_zeros() {
    let sparse = Sparse::from_parts(vec![0, 3, 3], vec![4, 0, 2], vec![1.0, 2.0, 0.0], 5).unwrap();
    assert_eq!(sparse.row(0).collect::<Vec<_>>(), [(0, 2.0), (4, 1.0)]);
    assert_eq!((sparse.nonzeros(), sparse.row(1).len()), (2, 0));
    assert_eq!(Features::Sparse(sparse).range(), Some((0.0, 2.0)));
}

#[test]
fn invalid_parts_are_refused() {
    let sparse = |offsets: &[usize], columns: &[u32], values: &[f32]| {
        Sparse::from_parts(offsets.to_vec(), columns.to_vec(), values.to_vec(), 3)
    };
    assert!(matches!(sparse(&[], &[], &[]), Err(SparseError::BadOffsets { .. })));
    assert!(matches!(sparse(&[0, 2], &[1], &[1.0]), Err(SparseError::BadOffsets { .. })));
    assert!(matches!(sparse(&[0, 5, 1], &[1], &[1.0]), Err(SparseError::BadOffsets { row: 0, .. })));
    assert!(matches!(sparse(&[0, 1], &[3], &[1.0]), Err(SparseError::ColumnOutOfRange { column: 3, .. })));
    assert!(matches!(sparse(&[0, 2], &[1, 1], &[1.0, 2.0]), Err(SparseError::RepeatedColumn { column: 1, .. })));
    assert!(matches!(sparse(&[0, 1], &[1], &[f32::NAN]), Err(SparseError::NotFinite { .. })));
    assert!(Sparse::from_triples(2, 2, &[(2, 0, 1.0)]).is_err());
    assert!(Encoded::from_reports((1, 3, 2), (0.0, 1.0), vec![1, 1], vec![true, true]).is_err());
    assert!(Encoded::from_reports((1, 3, 1), (0.0, 1.0), vec![3], vec![true]).is_err());
    let features = Features::Dense(Matrix::zeros(2, 3));
    assert!(features.times(&Matrix::zeros(2, 1)).is_err());
    assert!(features.transposed_times(&Matrix::zeros(3, 1)).is_err());
}
