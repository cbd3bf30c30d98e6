use std::sync::Mutex;

use veil_graph::{Declared, Direction, Graph, Matrix};

use super::*;
use crate::budget::{Delta, Epsilon};
use crate::coins::Coins;
use crate::fact::Fact;
use crate::guarantee::{Status, Unit};
use crate::mechanism::{noisy_argmax, randomised_response};
use crate::permit::Request;
use crate::protocol::Measure;
use crate::seal::Truth;
use crate::testing::assert_binomial;

/// So many nodes on a line; node v has the features (v, 1) and the label v mod 3.
fn line(name: &str, nodes: u32) -> Dataset {
    let edges: Vec<(NodeId, NodeId)> = (1..nodes).map(|node| (node - 1, node)).collect();
    let graph = Graph::from_edges(nodes, &edges, Direction::Undirected).unwrap().graph;
    let features = (0..nodes).flat_map(|node| [node as f32, 1.0]).collect();
    Dataset::new(name, graph, Default::default())
        .with_declared(Declared { nodes: true, dimensions: true, classes: true })
        .with_features(Features::Dense(Matrix::from_values(nodes as usize, 2, features).unwrap()))
        .unwrap()
        .with_labels(Labels::new(3, (0..nodes).map(|node| Some(node % 3))).unwrap())
        .unwrap()
}

fn krr(epsilon: &str) -> LabelRelease {
    let epsilon: Epsilon = epsilon.parse().unwrap();
    LabelRelease::Krr(randomised_response::Params { epsilon, values: 3 }.check().unwrap())
}

fn delta() -> Delta {
    "0.00001".parse().unwrap()
}

fn how(gamma: f64, k: u32, release: LabelRelease) -> per_query::Params {
    per_query::Params { gamma, k, measure: Measure::Euclidean, release, delta: delta() }
}

fn permit(private: &Private<Dataset>, guarantee: &Guarantee, seed: u64) -> Permit {
    Request::new(private, Coins::reproducible(seed), vec![guarantee.clone()]).unwrap().unbooked()
}

fn nothing() {}

fn answered(how: &per_query::Params, queries: &[NodeId], teach: Teach<'_>, seed: u64, kept: Kept) -> Privatised {
    let (private, public) = (Private::seal(line("private", 60)), line("public", 30));
    let asked = Asked { public: &public, queries };
    let how = how.check(&private.public(), &asked).unwrap();
    let permit = permit(&private, how.guarantee(), seed);
    how.answer_with(&private, &asked, permit, (teach, ""), (&nothing, kept)).unwrap()
}

fn labels(released: &Privatised, queries: &[NodeId]) -> Vec<u32> {
    let labels = released.data().labels().unwrap();
    queries.iter().map(|&node| labels.get(node).unwrap()).collect()
}

#[test]
fn a_teacher_sees_the_nearest_of_a_fresh_sample_and_the_edges_among_them() {
    let queries = [10, 10, 20];
    let seen = Mutex::new(vec![Vec::new(); 3]);
    let teach = |lesson: &Lesson| {
        let features = lesson.raw().features().unwrap();
        let nodes: Vec<u32> = (0..features.rows()).map(|row| features.value(row, 0) as u32).collect();
        for (a, &left) in nodes.iter().enumerate() {
            for (b, &right) in nodes.iter().enumerate() {
                let edge = lesson.raw().graph().has_edge(a as u32, b as u32);
                assert_eq!(edge, left.abs_diff(right) == 1);
            }
            assert_eq!(lesson.raw().labels().unwrap().get(a as u32), Some(left % 3));
        }
        seen.lock().unwrap()[lesson.number() as usize] = nodes;
        vec![0.0, 1.0, 0.0]
    };
    answered(&how(0.5, 6, krr("2")), &queries, &teach, 1, Kept::in_memory(3));
    let seen = seen.into_inner().unwrap();
    assert_ne!(seen[0], seen[1], "two questions about one node must not share a sample");
    for (nodes, query) in seen.iter().zip([10_u32, 10, 20]) {
        assert_eq!(nodes.len(), 6);
        // About every other node is in the sample, so the nearest six are within twice their
        // number.
        assert!(nodes.iter().all(|node| node.abs_diff(query) <= 16), "{nodes:?}");
    }
    // With γ = 1 and K as large as the graph a teacher sees all of it.
    let count = |lesson: &Lesson| {
        assert_eq!(lesson.raw().nodes(), 60);
        vec![1.0, 0.0, 0.0]
    };
    answered(&how(1.0, 60, krr("2")), &queries, &count, 1, Kept::in_memory(3));
}

#[test]
fn a_node_is_in_a_sample_with_probability_gamma() {
    let queries: Vec<NodeId> = (0..30).cycle().take(300).collect();
    let sizes = Mutex::new(0);
    let teach = |lesson: &Lesson| {
        *sizes.lock().unwrap() += u64::from(lesson.raw().nodes());
        vec![1.0, 0.0, 0.0]
    };
    answered(&how(0.3, 60, krr("2")), &queries, &teach, 2, Kept::in_memory(300));
    assert_binomial(sizes.into_inner().unwrap(), 300 * 60, 0.3, 1, "nodes in samples");
}

#[test]
fn labels_leave_through_the_release_that_was_asked_for() {
    let queries: Vec<NodeId> = (0..30).cycle().take(2000).collect();
    let sure = |_: &Lesson| vec![0.0, 1.0, 0.0];
    let count = |release: LabelRelease| {
        let (private, public) = (Private::seal(line("private", 60)), line("public", 30));
        let asked = Asked { public: &public, queries: &queries };
        let how = how(0.5, 5, release).check(&private.public(), &asked).unwrap();
        let permit = permit(&private, how.guarantee(), 3);
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("answers");
        let kept = Kept::open(&path, &permit, 2000, 3).unwrap();
        how.answer_with(&private, &asked, permit, (&sure, ""), (&nothing, kept)).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().filter(|line| line.split(',').nth(1) == Some("1")).count() as u64
    };
    let LabelRelease::Krr(response) = krr("2") else { unreachable!() };
    assert_binomial(count(krr("2")), 2000, response.keep().to_f64(), 3, "krr");
    let lambda = "100".parse().unwrap();
    let sharp = noisy_argmax::Params { lambda, classes: 3 }.check().unwrap();
    assert_eq!(count(LabelRelease::NoisyArgmax(sharp)), 2000);
    let lambda = "0.2".parse().unwrap();
    // The logarithm of 0 stands far below that of 1, whatever the noise: that is what is wrong with
    // it.
    assert_eq!(count(LabelRelease::NoisyLogPosterior(NoisyLogPosterior::new(lambda, 3).unwrap())), 2000);
}

#[test]
fn the_answers_are_labels_of_the_public_graph_and_nothing_of_the_private_one_is_there() {
    let queries = [3, 7, 29];
    let released = answered(&how(0.5, 6, krr("2")), &queries, &|_: &Lesson| vec![0.0, 0.0, 1.0], 1, Kept::in_memory(3));
    let data = released.data();
    assert_eq!((data.name(), data.nodes(), data.labels().unwrap().known()), ("public", 30, 3));
    assert_eq!(data.split().unwrap().nodes(Part::Train).collect::<Vec<_>>(), queries);
    assert_eq!(released.label_mechanism().unwrap().unwrap().epsilon().to_string(), "2");
    let guarantee = &released.statement().guarantees[0];
    assert_eq!((guarantee.unit, guarantee.status), (Unit::Node, Status::Proven));
    assert!(guarantee.reproducible);
    assert!(
        guarantee
            .parameters
            .to_string()
            .starts_with("queries=3;gamma=0.5;k=6;measure=euclidean;release=krr;epsilon=2;")
    );
    // Three pure losses of 2 on half of the data are below their plain sum.
    assert!(guarantee.epsilon.as_f64() < 6.0);
}

#[test]
fn the_same_for_any_number_of_threads_and_after_an_interruption() {
    let queries: Vec<NodeId> = (0..30).collect();
    let teach = |lesson: &Lesson| {
        let odd = lesson.raw().features().unwrap().value(0, 0) as u32 % 2;
        vec![1.0 - odd as f32, odd as f32, 0.5]
    };
    let how = how(0.3, 4, krr("1"));
    let whole = labels(&answered(&how, &queries, &teach, 5, Kept::in_memory(30)), &queries);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let same = pool.install(|| labels(&answered(&how, &queries, &teach, 5, Kept::in_memory(30)), &queries));
        assert_eq!(same, whole);
    }
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("answers");
    let private = Private::seal(line("private", 60));
    let permit = || Request::new(&private, Coins::reproducible(5), Vec::new()).unwrap().unbooked();
    let kept = Kept::open(&path, &permit(), 30, 3).unwrap();
    [4, 9, 21].into_iter().for_each(|question| kept.keep(question, whole[question]).unwrap());
    std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + "7,").unwrap();
    let asked = Mutex::new(Vec::new());
    let counting = |lesson: &Lesson| {
        asked.lock().unwrap().push(lesson.number());
        teach(lesson)
    };
    let resumed = answered(&how, &queries, &counting, 5, Kept::open(&path, &permit(), 30, 3).unwrap());
    assert_eq!(labels(&resumed, &queries), whole);
    let mut asked = asked.into_inner().unwrap();
    asked.sort_unstable();
    assert_eq!(asked, (0..30).filter(|question| ![4, 9, 21].contains(question)).collect::<Vec<_>>());
    // Another key, other answers.
    assert_ne!(labels(&answered(&how, &queries, &teach, 6, Kept::in_memory(30)), &queries), whole);
}

#[test]
fn an_empty_sample_is_answered_without_a_teacher() {
    let queries: Vec<NodeId> = (0..30).collect();
    let nobody = |_: &Lesson| -> Vec<f32> { panic!("the sample is empty") };
    // Once in 10¹⁰ a node would be drawn.
    let released = answered(&how(1e-12, 5, krr("2")), &queries, &nobody, 1, Kept::in_memory(30));
    assert_eq!(released.data().labels().unwrap().known(), 30);
}

#[test]
fn what_cannot_be_asked_is_said_before_anything_is_spent() {
    let private = Private::seal(line("private", 60));
    let public = line("public", 30);
    let asked = Asked { public: &public, queries: &[1] };
    let refused =
        |how: per_query::Params, asked: &Asked<'_>| how.check(&private.public(), asked).unwrap_err().to_string();
    for gamma in [0.0, 1.5, f64::NAN, -0.1] {
        let expected = format!("γ must be above 0 and at most 1, not {gamma}");
        assert_eq!(refused(how(gamma, 5, krr("1")), &asked), expected);
    }
    // An error about the number of private nodes would reveal it.
    assert!(how(0.5, 61, krr("1")).check(&private.public(), &asked).is_ok());
    let counted = Private::seal(line("private", 60)).declaring(Fact::PrivateNodes);
    let said = how(0.5, 61, krr("1")).check(&counted.public(), &asked).unwrap_err().to_string();
    assert_eq!(said, "K is 61, but private has only 60 nodes");
    assert!(refused(how(0.5, 0, krr("1")), &asked).starts_with("K must be at least 1"));
    assert!(refused(how(0.5, 5, krr("1")), &Asked { public: &public, queries: &[] }).contains("at least one query"));
    let none = Asked { public: &public, queries: &[30] };
    assert_eq!(refused(how(0.5, 5, krr("1")), &none), "queried node 30 is not below the 30 public nodes");
    let wide = Features::Dense(Matrix::zeros(30, 5));
    let wide = Dataset::new("wide", public.graph().clone(), Default::default()).with_features(wide).unwrap();
    let said = refused(how(0.5, 5, krr("1")), &Asked { public: &wide, queries: &[1] });
    assert_eq!(said, "wide has 5 feature dimensions, but private has 2");
    let said = |classes: u32| {
        let other = public.clone().with_labels(Labels::new(classes, vec![None; 30]).unwrap()).unwrap();
        let asked = Asked { public: &other, queries: &[1] };
        how(0.5, 5, krr("1")).check(&private.public(), &asked).map_err(|error| error.to_string()).map(|_| ())
    };
    // Classes without names are counted: public nodes need not have all.
    assert_eq!(said(2), Ok(()));
    let other = "public and private have different classes, or a different order: public has 4, private has 3";
    assert_eq!(said(4), Err(other.to_owned()));
}

#[test]
fn teachers_for_scoring_are_asked_once() {
    let (private, public) = (Private::seal(line("private", 60)), line("public", 30));
    let asked = Asked { public: &public, queries: &[1, 2, 3] };
    let teach = |lesson: &Lesson| vec![lesson.number() as f32, 0.0, 0.0];
    let how = how(0.5, 5, krr("1")).check(&private.public(), &asked).unwrap();
    let truth = Truth::for_scoring_only();
    let posteriors =
        how.posteriors(&private, &asked, &Coins::reproducible(1), (&teach, &|_, _| ()), &[0, 2], &truth).unwrap();
    assert_eq!(posteriors, [vec![0.0, 0.0, 0.0], vec![2.0, 0.0, 0.0]]);
}

#[test]
fn every_node_has_one_teacher_and_every_teacher_one_vote() {
    let (private, public) = (Private::seal(line("private", 60)), line("public", 30));
    let queries = [5, 6];
    let asked = Asked { public: &public, queries: &queries };
    let how = |teachers| votes::Params { teachers, lambda: "100".parse().unwrap(), delta: delta() };
    let votes = how(7).check(&private.public(), &asked).unwrap();
    let seen = Mutex::new(Vec::new());
    let vote = |lesson: &Lesson| {
        let features = lesson.raw().features().unwrap();
        seen.lock().unwrap().extend((0..features.rows()).map(|row| features.value(row, 0) as u32));
        // A vote for a class that there is not counts for nobody.
        vec![1, if lesson.number() < 5 { 2 } else { 99 }]
    };
    let permit = permit(&private, votes.guarantee(), 4);
    let released = votes.answer_with(&private, &asked, permit, (&vote, ""), &nothing).unwrap();
    let mut nodes = std::mem::take(&mut *seen.lock().unwrap());
    nodes.sort_unstable();
    assert_eq!(nodes, (0..60).collect::<Vec<_>>());
    assert_eq!(labels(&released, &queries), [1, 2]);
    assert!(released.label_mechanism().unwrap().is_none());
    let truth = Truth::for_scoring_only();
    let counts = votes.counts(&private, &asked, &Coins::reproducible(1), (&vote, &nothing), &truth).unwrap();
    assert_eq!(counts, [[0, 7, 0], [0, 0, 5]]);
    assert_eq!(votes.label(&counts, &Coins::reproducible(1)), [1, 2]);
    assert!(matches!(how(0).check(&private.public(), &asked), Err(AnswerError::Teachers { .. })));
    // Of a number of nodes that is not public, more teachers than nodes are no error.
    assert!(how(61).check(&private.public(), &asked).is_ok());
    let counted = Private::seal(line("private", 60)).declaring(Fact::PrivateNodes);
    assert!(matches!(how(61).check(&counted.public(), &asked), Err(AnswerError::Teachers { most: 60, .. })));
}

#[test]
fn the_shape_of_a_private_graph_is_given_or_declared() {
    let public = line("public", 30);
    let asked = Asked { public: &public, queries: &[1] };
    let counted = || Private::seal(line("private", 60).with_declared(Declared::default()));
    let check = |private: Private<Dataset>| how(0.5, 5, krr("1")).check(&private.public(), &asked);
    match check(counted()) {
        Err(AnswerError::NotPublic(error)) => assert_eq!(error.facts().to_string(), "dimensions,classes"),
        other => panic!("{other:?}"),
    }
    let declared = || counted().declaring("dimensions,classes".parse::<crate::Declarations>().unwrap());
    let (private, how) = (declared(), check(declared()).unwrap());
    let permit = permit(&private, how.guarantee(), 1);
    let told = (&Does::Answers(0), &nothing as &(dyn Fn() + Sync));
    let released = how.answer::<Told>(&private, &asked, permit, told, Kept::in_memory(1)).unwrap();
    assert_eq!(released.statement().declared.to_string(), "dimensions,classes");
}

#[test]
fn noise_on_counts_is_that_of_the_scale() {
    let (private, public) = (Private::seal(line("private", 60)), line("public", 30));
    let asked = Asked { public: &public, queries: &[1] };
    let params = votes::Params { teachers: 1, lambda: "0.5".parse().unwrap(), delta: delta() };
    let votes = params.check(&private.public(), &asked).unwrap();
    // Between two counts that differ by one: P[the larger one wins] is a sum over both noises.
    let r: f64 = (-0.5_f64).exp();
    let mass = |k: i64| (1.0 - r) / (1.0 + r) * r.powi(k.unsigned_abs() as i32);
    // The first one wins ties.
    let wins: f64 = (-200..=200).flat_map(|a| (-200..=a + 1).map(move |b| mass(a) * mass(b))).sum();
    let counts = vec![vec![1, 0]; 20_000];
    let found = votes.label(&counts, &Coins::reproducible(9)).iter().filter(|&&label| label == 0).count();
    assert_binomial(found as u64, 20_000, wins, 1, "the larger count");
}

/// What a teacher of [`Told`] does.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
enum Does {
    Answers(u32),
    /// The same under another name.
    AlsoAnswers(u32),
    Panics,
    TooLong,
    NotANumber,
}

/// A teacher that does what it is told, whatever it sees.
struct Told(Does);

impl Teacher<'_> for Told {
    type Settings = Does;
    type Error = std::convert::Infallible;

    fn new(does: Does, _: &Dataset) -> Result<Told, Self::Error> {
        Ok(Told(does))
    }
}

impl Tutor<'_> for Told {
    fn posterior(&self, _: &Dataset, _: u32, _: NodeId) -> Vec<f32> {
        match self.0 {
            Does::Answers(class) | Does::AlsoAnswers(class) => {
                (0..3).map(|it| if it == class { 1.0 } else { 0.0 }).collect()
            }
            Does::Panics => panic!("a lesson that cannot be learned"),
            Does::TooLong => vec![0.0, 0.0, 0.0, 1.0],
            Does::NotANumber => vec![f32::NAN, 0.0, 1.0],
        }
    }
}

impl Voter<'_> for Told {
    fn votes(&self, _: &Dataset, _: u32, queries: &[NodeId]) -> Vec<u32> {
        match self.0 {
            Does::Answers(class) | Does::AlsoAnswers(class) => vec![class; queries.len()],
            _ => panic!("a lesson that cannot be learned"),
        }
    }
}

#[test]
fn teachers_that_fail_look_like_teachers_that_know_nothing() {
    let (private, public) = (Private::seal(line("private", 60)), line("public", 30));
    let queries: Vec<NodeId> = (0..30).collect();
    let asked = Asked { public: &public, queries: &queries };
    let lesson = Lesson::of(private.open(), &[1, 2], 7).unwrap().unwrap();
    assert_eq!(format!("{lesson:?}"), "Lesson { data: \"sealed\", number: 7 }");
    let posterior = |does| teacher::posterior(&Told(does), &lesson, &asked, 3);
    assert_eq!(posterior(Does::Answers(2)), [0.0, 0.0, 1.0]);
    for does in [Does::Panics, Does::TooLong, Does::NotANumber] {
        assert_eq!(posterior(does), [1.0 / 3.0; 3]);
    }
    assert_eq!(teacher::votes(&Told(Does::Panics), &lesson, &asked), [0; 30]);
    let how = how(0.5, 6, krr("9")).check(&private.public(), &asked).unwrap();
    let answered = |does| {
        let permit = permit(&private, how.guarantee(), 1);
        how.answer::<Told>(&private, &asked, permit, (&does, &nothing), Kept::in_memory(30)).unwrap()
    };
    let right = labels(&answered(Does::Answers(2)), &queries).iter().filter(|&&label| label == 2).count();
    assert!(right > 25, "{right}");
}

/// The settings decide the function, so teachers with other settings have other coins: the noise of
/// one release does not cancel that of another.
#[test]
fn teachers_with_other_settings_have_other_coins() {
    let (private, public) = (Private::seal(line("private", 60)), line("public", 30));
    let queries: Vec<NodeId> = (0..30).cycle().take(600).collect();
    let asked = Asked { public: &public, queries: &queries };
    let votes = votes::Params { teachers: 1, lambda: "0.5".parse().unwrap(), delta: delta() };
    let votes = votes.check(&private.public(), &asked).unwrap();
    let voted = |does| {
        let permit = permit(&private, votes.guarantee(), 1);
        labels(&votes.answer::<Told>(&private, &asked, permit, (&does, &nothing)).unwrap(), &queries)
    };
    let how = how(0.5, 6, krr("1")).check(&private.public(), &asked).unwrap();
    let taught = |does| {
        let permit = permit(&private, how.guarantee(), 1);
        labels(
            &how.answer::<Told>(&private, &asked, permit, (&does, &nothing), Kept::in_memory(600)).unwrap(),
            &queries,
        )
    };
    // Both teachers say the same, so only the noise differs.
    assert_eq!(
        (voted(Does::Answers(1)), taught(Does::Answers(1))),
        (voted(Does::Answers(1)), taught(Does::Answers(1)))
    );
    assert_ne!(voted(Does::Answers(1)), voted(Does::AlsoAnswers(1)));
    assert_ne!(taught(Does::Answers(1)), taught(Does::AlsoAnswers(1)));
    let inputs = |queries: &[NodeId], settings: &str| Asked { public: &public, queries }.inputs(settings);
    assert_ne!(inputs(&[1, 2], "a"), inputs(&[2, 1], "a"));
    assert_ne!(inputs(&[1, 2], "a"), inputs(&[1, 2], "b"));
    let other = line("public", 31);
    assert_ne!(inputs(&[1, 2], "a"), Asked { public: &other, queries: &[1, 2] }.inputs("a"));
}
