use serde_json::{Value, json};

use super::{Group, Kind, ParameterError, Parameters, Settings};
use crate::budget::Epsilon;
use crate::parameters;

parameters! {
    /// Parameters of a network.
    struct Inner: Network {
        /// Number of layers
        layers: usize = 2 => Kind::Whole,
    }
}

parameters! {
    /// Parameters of a method.
    struct Outer: Edges {
        /// ε of the edges;
        /// inf releases them unchanged
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// Share of something
        share: f32 = 0.1 => Kind::Real,
        /// Whether to denoise
        denoise: bool = false => Kind::Switch,
        /// Selection rule
        select: String = "last".to_owned() => Kind::Word(&["last", "first"]),
    }
    with {
        /// The network.
        inner: Inner = Inner { layers: 3 },
    }
}

fn set(name: &str, value: Value) -> Result<Outer, ParameterError> {
    let mut outer = Outer::default();
    outer.apply(&Settings::from_iter([(name, value)]))?;
    Ok(outer)
}

#[test]
fn a_struct_lists_its_parameters_and_those_it_embeds() {
    let list = Outer::default().list();
    let names: Vec<&str> = list.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["epsilon-edges", "share", "denoise", "select", "layers"]);
    assert_eq!(list[0].help, "ε of the edges; inf releases them unchanged");
    assert_eq!((list[0].value.clone(), list[4].value.clone()), (None, Some(json!(3))));
    assert_eq!((list[3].group, list[4].group), (Group::Edges, Group::Network));
}

#[test]
fn numbers_may_be_written_as_texts() {
    for value in [json!(4), json!("4"), json!(4.0)] {
        assert_eq!(set("epsilon-edges", value.clone()).unwrap().epsilon_edges, "4".parse().ok(), "{value}");
        assert_eq!(set("layers", value).unwrap().inner.layers, 4);
    }
    assert_eq!(set("epsilon-edges", json!("inf")).unwrap().epsilon_edges, Some(Epsilon::INFINITE));
    assert!(set("denoise", json!("true")).unwrap().denoise);
}

#[test]
fn settings_are_read_back_unchanged() {
    let mut outer = set("share", json!(0.3)).unwrap();
    outer.epsilon_edges = "0.1".parse().ok();
    let mut again = Outer::default();
    again.apply(&outer.settings()).unwrap();
    assert_eq!(again, outer);
}

#[test]
fn what_is_wrong_is_named_with_what_was_expected() {
    for (name, value, problem) in [
        ("layers", json!("x"), "layers = x: expected a whole number of at least 0"),
        ("layers", json!(-1), "layers = -1: expected a whole number of at least 0"),
        ("share", json!("nan"), "share = nan: expected a number"),
        ("denoise", json!(1), "denoise = 1: expected true or false"),
        ("select", json!("best"), "select = best: expected one of last, first"),
        ("size", json!(1), "unknown parameter \"size\""),
    ] {
        assert_eq!(set(name, value).unwrap_err().to_string(), problem);
    }
    assert!(set("epsilon-edges", json!(-1)).unwrap_err().to_string().starts_with("epsilon-edges = -1: "));
}
