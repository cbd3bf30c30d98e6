use proptest::prelude::*;

use super::*;

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("a budget")
}

#[test]
fn sums_are_exact() {
    assert_eq!(epsilon("0.5").checked_add(epsilon("0.5")), Some(epsilon("1")));
    assert_eq!(epsilon("0.1").checked_add(epsilon("0.2")), Some(epsilon("0.3")));
    assert_eq!(epsilon("0.1").times(10), Some(epsilon("1")));
    assert_eq!(epsilon("1").checked_add(Epsilon::INFINITE), Some(Epsilon::INFINITE));
    assert_eq!(epsilon("1000000").checked_add(epsilon("1e-9")), None);
    assert_eq!(epsilon("1").times(0), None);
}

#[test]
fn parts_never_exceed_the_whole() {
    let third = epsilon("1").divided_by(3).expect("a third");
    assert_eq!(third, epsilon("0.333333333"));
    assert!(third.times(3).expect("thrice") <= epsilon("1"));
    assert_eq!(epsilon("1e-9").divided_by(2), None);
    assert_eq!(epsilon("1").divided_by(0), None);
    assert_eq!(Epsilon::INFINITE.divided_by(7), Some(Epsilon::INFINITE));
}

#[test]
fn reads_what_people_write() {
    for (text, shown) in [
        ("0.1", "0.1"),
        ("3", "3"),
        ("3.", "3"),
        (".5", "0.5"),
        ("+2.50", "2.5"),
        ("1e-5", "0.00001"),
        ("1.5E1", "15"),
        ("10e-1", "1"),
        ("0.10000000000000", "0.1"),
        (" 4 ", "4"),
        ("inf", "inf"),
        ("Infinity", "inf"),
        ("1000000", "1000000"),
    ] {
        assert_eq!(epsilon(text).to_string(), shown, "{text}");
    }
}

#[test]
fn refuses_with_a_reason() {
    let refused = |text: &str| text.parse::<Epsilon>().expect_err(text);
    let given = |text: &str| text.to_owned();
    assert_eq!(refused("0"), BudgetError::Zero { given: given("0") });
    assert_eq!(refused("-0.0"), BudgetError::Zero { given: given("-0.0") });
    assert_eq!(refused("-1"), BudgetError::Negative { given: given("-1") });
    assert_eq!(refused("-inf"), BudgetError::Negative { given: given("-inf") });
    assert_eq!(refused("NaN"), BudgetError::NotANumber);
    assert_eq!(refused("1e-10"), BudgetError::TooManyDigits { given: given("1e-10"), places: 9 });
    assert_eq!(refused("0.1234567891"), BudgetError::TooManyDigits { given: given("0.1234567891"), places: 9 });
    for large in ["1000000.000000001", "1e7", "1e999999999999", "99999999999999999999999999"] {
        assert!(matches!(refused(large), BudgetError::TooLarge { .. }), "{large}");
    }
    for text in ["", ".", "e5", "1e", "1e+", "1.2.3", "0x1", "1_000", "1 2", "٣", "--1", "1e1.5"] {
        assert!(matches!(refused(text), BudgetError::Malformed { .. }), "{text}");
    }
}

#[test]
fn floats_are_rounded_up() {
    let up = |value: f64| Epsilon::from_f64_rounded_up(value);
    assert_eq!(up(0.5), Ok(epsilon("0.5")));
    assert_eq!(up(1e6), Ok(epsilon("1000000")));
    // The float nearest to 0.1 is above 0.1, that nearest to 0.3 is below 0.3.
    assert_eq!(up(0.1), Ok(epsilon("0.100000001")));
    assert_eq!(up(0.3), Ok(epsilon("0.3")));
    assert_eq!(up(f64::MIN_POSITIVE), Ok(epsilon("1e-9")));
    assert_eq!(up(5e-324), Ok(epsilon("1e-9")));
    assert_eq!(up(f64::INFINITY), Ok(Epsilon::INFINITE));
    assert_eq!(up(f64::NAN), Err(BudgetError::NotANumber));
    assert!(matches!(up(0.0), Err(BudgetError::Zero { .. })));
    assert!(matches!(up(-1.0), Err(BudgetError::Negative { .. })));
    assert!(matches!(up(1e6 + 1.0), Err(BudgetError::TooLarge { .. })));
}

#[test]
fn order_is_numeric_and_infinity_is_last() {
    assert!(epsilon("0.2") < epsilon("0.3"));
    assert!(epsilon("1000000") < Epsilon::INFINITE);
}

#[test]
fn json_is_a_plain_number() {
    let json = |epsilon: Epsilon| serde_json::to_string(&epsilon).expect("json");
    assert_eq!(json(epsilon("0.1")), "0.1");
    assert_eq!(json(epsilon("3")), "3");
    assert_eq!(json(epsilon("999999.999999999")), "999999.999999999");
    assert_eq!(json(Epsilon::INFINITE), "\"inf\"");
    for bad in ["0", "-1", "1e-10", "\"nan\"", "null", "true", "[1]"] {
        assert!(serde_json::from_str::<Epsilon>(bad).is_err(), "{bad}");
    }
    let delta: Delta = "1e-5".parse().expect("delta");
    assert_eq!(serde_json::to_string(&delta).expect("json"), "0.00001");
    assert_eq!(serde_json::to_string(&Delta::ZERO).expect("json"), "0");
}

#[test]
fn deltas_are_probabilities() {
    let delta = |text: &str| text.parse::<Delta>();
    assert_eq!(delta("0"), Ok(Delta::ZERO));
    assert_eq!(delta("1e-18").map(Delta::units), Ok(1));
    assert_eq!(delta("1"), Ok(Delta::from_units(1_000_000_000_000_000_000).expect("one")));
    assert!(matches!(delta("1.1"), Err(BudgetError::TooLarge { .. })));
    assert!(matches!(delta("1e-19"), Err(BudgetError::TooManyDigits { .. })));
    assert!(matches!(delta("-1e-5"), Err(BudgetError::Negative { .. })));
    assert!(matches!(delta("inf"), Err(BudgetError::Malformed { .. })));
    assert_eq!(delta("0.75").expect("delta").checked_add(delta("0.75").expect("delta")), None);
    assert_eq!(delta("1e-5").expect("delta").times(3), delta("3e-5").ok());
}

proptest! {
    #[test]
    fn text_and_json_round_trip(nanos in 1..=1_000_000_000_000_000_u64, units in 0..=1_000_000_000_000_000_000_u64) {
        let epsilon = Epsilon::from_nanos(nanos).expect("in range");
        prop_assert_eq!(epsilon.to_string().parse(), Ok(epsilon));
        let json = serde_json::to_string(&epsilon).expect("json");
        prop_assert_eq!(serde_json::from_str::<Epsilon>(&json).expect("json"), epsilon);
        for units in [units, units / 1_000_000, nanos % 1_000_000] {
            let delta = Delta::from_units(units).expect("in range");
            prop_assert_eq!(delta.to_string().parse(), Ok(delta));
            let json = serde_json::to_string(&delta).expect("json");
            prop_assert_eq!(serde_json::from_str::<Delta>(&json).expect("json"), delta);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+0-9.eEinfa]{0,12}") {
        if let Ok(epsilon) = text.parse::<Epsilon>() {
            prop_assert!(epsilon.to_string().parse() == Ok(epsilon));
        }
    }

    #[test]
    fn rounding_up_never_understates(value in 1e-12..1e6_f64) {
        let epsilon = Epsilon::from_f64_rounded_up(value).expect("in range");
        // as_f64 is rounded to nearest, so compare one unit below instead: it must not reach the
        // value.
        let below = epsilon.nanos().expect("finite") - 1;
        prop_assert!((below as f64) / 1e9 <= value);
        prop_assert!(epsilon.as_f64() >= value * (1.0 - f64::EPSILON));
    }
}
