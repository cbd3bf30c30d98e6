//! The ends of what numbers can hold, and what is refused.

use super::queries;
use crate::accounting::sampling::{general, improved};
use crate::accounting::{AccountingError, Queries, Query, calibrate, published};

#[test]
fn nothing_overflows_at_order_512() {
    for shift in [1e-9, 1e-3, 1.0, 1e3, 1e9] {
        let all = [
            Query::Laplace { shift },
            Query::Gaussian { shift },
            Query::Pure { epsilon: shift },
            Query::RandomisedResponse { classes: 10, epsilon: shift },
            Query::DiscreteLaplace { steps: 3, scale_steps: 3.0 / shift },
            Query::DiscreteLaplaceVector { steps: 7, each: 3, scale_steps: 7.0 / shift },
        ];
        for query in all {
            for gamma in [1e-15, 1e-6, 0.5, 1.0 - 1e-16, 1.0] {
                let one = queries(query, gamma, 1);
                let divergence = one.renyi(512.0).unwrap();
                assert!(divergence > 0.0 && divergence.is_finite(), "{query:?} γ={gamma}: {divergence}");
                // A divergence grows with its order, up to the pure loss.
                assert!(one.renyi(2.0).unwrap() <= divergence * (1.0 + 1e-9), "{query:?} γ={gamma}");
                let spent = one.spending(1e-5).unwrap();
                assert!(spent.epsilon >= 0.0 && spent.epsilon.is_finite(), "{query:?} γ={gamma}: {spent:?}");
            }
        }
        let base = |l: u32| queries(Query::Laplace { shift }, 1.0, 1).renyi(l.into()).unwrap();
        let (tight, wide) = (improved(512, 1e-4, base), general(512, 1e-4, base));
        assert!(tight > 0.0 && tight < wide && wide.is_finite(), "{shift}: {tight} {wide}");
    }
}

#[test]
fn tiny_deltas_and_many_queries_are_accounted_for() {
    for delta in [1e-300, 1e-199, 1e-30, 0.999] {
        let spent = queries(Query::RandomisedResponse { classes: 10, epsilon: 1.0 }, 0.1, 500).spending(delta).unwrap();
        assert!(spent.epsilon >= 0.0 && spent.epsilon <= 500.0 * 0.2, "{delta}: {spent:?}");
    }
    let many = queries(Query::Laplace { shift: 1e-3 }, 1e-3, 1_000_000_000).spending(1e-6).unwrap();
    assert!(many.epsilon > 0.05 && many.epsilon < 1.0, "{many:?}");
    assert!(many.budget().unwrap().as_f64() >= many.epsilon);
}

#[test]
fn a_difference_that_cancels_errs_upwards() {
    // For a small shift the divergence is αs²/2·(1 + …); the terms of the moment are s, a billion
    // times larger.
    for shift in [1e-4_f64, 1e-5, 1e-7] {
        let found = queries(Query::Laplace { shift }, 1.0, 1).renyi(2.0).unwrap();
        let series = shift.powi(2) - shift.powi(3) / 3.0 - shift.powi(4) / 4.0;
        assert!(found > series && found <= series * (1.0 + 1e-13 / shift), "{shift}: {found} {series}");
    }
}

#[test]
fn what_means_nothing_is_refused() {
    let bad = [f64::NAN, f64::INFINITY, 0.0, -1.0];
    for given in bad {
        for query in [
            Query::Laplace { shift: given },
            Query::Gaussian { shift: given },
            Query::Pure { epsilon: given },
            Query::RandomisedResponse { classes: 3, epsilon: given },
            Query::DiscreteLaplace { steps: 1, scale_steps: given },
        ] {
            let refused = Queries::new(query, 0.5, 1);
            assert!(matches!(refused, Err(AccountingError::NotPositive { .. })), "{query:?}: {refused:?}");
        }
        let refused = Queries::new(Query::Pure { epsilon: 1.0 }, given, 1);
        assert!(matches!(refused, Err(AccountingError::Gamma { .. })), "{given}: {refused:?}");
        let refused = queries(Query::Pure { epsilon: 1.0 }, 0.5, 1).spending(given);
        assert!(matches!(refused, Err(AccountingError::Delta { .. })), "{given}: {refused:?}");
        assert!(matches!(published::pate(given, 1, 0.1), Err(AccountingError::NotPositive { .. })));
        assert!(matches!(published::theorem_9(given, 1, 0.1, 0.1), Err(AccountingError::NotPositive { .. })));
        assert!(calibrate(given, 1e-5, |lambda| published::votes(lambda, 1)).is_err());
    }
    assert_eq!(Queries::new(Query::Pure { epsilon: 1.0 }, 1.5, 1), Err(AccountingError::Gamma { given: 1.5 }));
    assert_eq!(Queries::new(Query::Pure { epsilon: 1.0 }, 0.5, 0), Err(AccountingError::NoQueries));
    assert_eq!(published::pate(1.0, 0, 0.1), Err(AccountingError::NoQueries));
    let one_class = Query::RandomisedResponse { classes: 1, epsilon: 1.0 };
    assert_eq!(Queries::new(one_class, 0.5, 1), Err(AccountingError::Classes { given: 1 }));
    for (steps, each) in [(0, 0), (3, 4), (3, 0)] {
        let query = Query::DiscreteLaplaceVector { steps, each, scale_steps: 1.0 };
        assert_eq!(Queries::new(query, 0.5, 1), Err(AccountingError::Steps { steps, each }));
    }
    assert!(matches!(Queries::new(Query::Pure { epsilon: 1e13 }, 0.5, 1), Err(AccountingError::TooLarge { .. })));
    // A real order with sampling has no bound here, but for randomised response.
    assert_eq!(queries(Query::Laplace { shift: 1.0 }, 0.5, 1).renyi(2.5), None);
    assert_eq!(queries(Query::Laplace { shift: 1.0 }, 1.0, 1).renyi(1.0), None);
}

#[test]
fn no_noise_is_enough_for_some_wishes() {
    let refused = calibrate(1e-6, 1e-9, |lambda| published::votes(lambda, 1_000_000));
    assert!(matches!(refused, Err(AccountingError::Unreachable { .. })), "{refused:?}");
}
