use super::*;

#[test]
fn releases_are_written_with_their_noise() {
    let way: Way = "noisy-argmax:0.4".parse().unwrap();
    assert_eq!((way.name(), way.lambda().map(|it| it.to_string())), ("noisy-argmax", Some("0.4".to_owned())));
    assert!("none".parse::<Way>().unwrap().lambda().is_none());
    for wrong in ["krr", "votes", "krr:inf", "krr:x", "none:1", "argmax:1", ""] {
        let error = wrong.parse::<Way>().unwrap_err().to_string();
        assert!(error.contains("expected none, or a release and its λ"), "{wrong}: {error}");
    }
}

#[test]
fn votes_go_with_voters() {
    let goes = |way: &str| ["privgnn", "pate"].map(|method| way.parse::<Way>().unwrap().goes_with(method));
    assert_eq!([goes("none"), goes("krr:1"), goes("votes:1")], [[true, true], [true, false], [false, true]]);
}

#[test]
fn the_first_of_equals_is_the_most_likely() {
    let said = Said::Posteriors { rows: vec![vec![0.2, 0.4, 0.4], vec![0.5, 0.3, 0.2]], adam: None };
    assert_eq!((said.likely(), said.first(1).likely()), (vec![1, 0], vec![1]));
    assert_eq!(Said::Counts(vec![vec![0, 0, 3], vec![2, 2, 0]]).likely(), [2, 0]);
}
