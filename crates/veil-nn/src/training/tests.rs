//! The loop on a small graph whose classes can be learned.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use veil_graph::{Direction, Features, Graph, Matrix};

use super::*;
use crate::graph::Messages;
use crate::input::Input;
use crate::loss::{Loss, Targets};
use crate::model::{Description, Model};
use crate::optimiser::{Params, Schedule};

const NODES: usize = 40;

/// Two rings of nodes; the feature indicates the ring, with noise.
fn input() -> Input {
    let half = NODES as u32 / 2;
    let ring = |start: u32| (0..half).map(move |node| (start + node, start + (node + 1) % half));
    let edges: Vec<(u32, u32)> = ring(0).chain(ring(half)).collect();
    let graph = Graph::from_edges(NODES as u32, &edges, Direction::Undirected).unwrap().graph;
    let value = |node: usize| if (node < NODES / 2) != node.is_multiple_of(5) { 1.0 } else { -1.0 };
    let features = (0..NODES).flat_map(|node| [value(node), 0.5]).collect();
    let features = Features::Dense(Matrix::from_values(NODES, 2, features).unwrap());
    Input::new(features, Messages::of(&graph).unwrap(), 0).unwrap()
}

fn targets(remainder: u32) -> Targets {
    let nodes = (0..NODES as u32).filter(|node| node % 3 == remainder);
    Targets::new(nodes.map(|node| (node, u32::from(node >= 20))).collect(), NODES, 2).unwrap()
}

fn task(validation: bool) -> Task<'static> {
    Task::new(Loss::cross_entropy(targets(0)), validation.then(|| targets(1))).unwrap()
}

fn model() -> Model {
    Model::new(Description::default().check(2, 2).unwrap(), 1)
}

fn options() -> Options {
    let adam = Params { learning_rate: 0.05, ..Params::default() };
    Options { epochs: 60, adam, keep: Keep::LowestValidationLoss, seed: 1, ..Options::default() }
}

fn run(model: &mut Model, task: &Task, options: Options) -> Result<Trained, TrainingError> {
    train(model, &input(), task, options, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn a_learnable_task_is_learned() {
    let mut model = model();
    let trained = run(&mut model, &task(true), options()).unwrap();
    assert_eq!((trained.history.len(), trained.ended), (60, Ended::Finished));
    model.restore(&trained.weights);
    assert_eq!(targets(2).accuracy(&model.predict(&input()).unwrap()), 1.0);
}

#[test]
fn parts_take_turns() {
    let go_on = &mut |_: &EpochMetrics| ControlFlow::Continue(());
    // The whole in one part is the whole.
    let (mut whole, mut one) = (model(), model());
    run(&mut whole, &task(true), options()).unwrap();
    let mut by_parts = |model: &mut Model, parts: &[(Input, Task)]| train_parts(model, parts, options(), go_on);
    by_parts(&mut one, &[(input(), task(true))]).unwrap();
    assert_eq!(whole.predict(&input()).unwrap(), one.predict(&input()).unwrap());
    // Even epochs see the labels of one part, odd epochs those of the other.
    let validation = || Some(targets(1));
    let part = |remainder| (input(), Task::new(Loss::cross_entropy(targets(remainder)), validation()).unwrap());
    let (mut both, mut first, mut again) = (model(), model(), model());
    let trained = by_parts(&mut both, &[part(0), part(2)]).unwrap();
    let alone = by_parts(&mut first, &[part(0)]).unwrap();
    assert_eq!(trained.history[0].train_loss, alone.history[0].train_loss);
    assert_ne!(trained.history[1].train_loss, alone.history[1].train_loss);
    by_parts(&mut again, &[part(0), part(2)]).unwrap();
    assert_eq!(both.predict(&input()).unwrap(), again.predict(&input()).unwrap());
    both.restore(&trained.weights);
    assert_eq!(targets(2).accuracy(&both.predict(&input()).unwrap()), 1.0);
    assert_eq!(by_parts(&mut both, &[]).unwrap_err(), TrainingError::NoParts);
}

#[test]
fn the_kept_weights_are_those_of_the_kept_epoch() {
    // Some validation labels are wrong, so the validation loss grows with confidence.
    let flipped = |(node, class): (u32, u32)| (node, if node % 4 == 0 { 1 - class } else { class });
    let validation = Targets::new(targets(1).iter().map(flipped).collect(), NODES, 2).unwrap();
    let task = Task::new(Loss::cross_entropy(targets(0)), Some(validation.clone())).unwrap();
    let (mut model, input, loss) = (model(), input(), Loss::cross_entropy(validation));
    let trained = run(&mut model, &task, options()).unwrap();
    let validation_loss = |epoch: &EpochMetrics| epoch.validation_loss.unwrap();
    let lowest = trained.history.iter().map(validation_loss).fold(f64::INFINITY, f64::min);
    assert_eq!(validation_loss(&trained.history[trained.kept]), lowest);
    // The network has the weights of the last epoch, which differ.
    assert_ne!(trained.kept, 59);
    assert_eq!(loss.value(&model.predict(&input).unwrap()), validation_loss(&trained.history[59]));
    model.restore(&trained.weights);
    assert_eq!(loss.value(&model.predict(&input).unwrap()), lowest);
}

/// Weights are kept too, so two halves equal the whole, bit for bit.
#[test]
fn an_optimiser_resumes_with_its_state() {
    let architecture = Description { dropout: 0.0, ..Description::default() }.check(2, 2).unwrap();
    let half = Options { epochs: 30, keep: Keep::Last, ..options() };
    let (mut whole, mut halves, mut forgetful) =
        (Model::new(architecture, 1), Model::new(architecture, 1), Model::new(architecture, 1));
    let trained = run(&mut whole, &task(false), Options { epochs: 60, ..half }).unwrap();
    let mut adam = half.adam.check().unwrap();
    let go_on = &mut |_: &EpochMetrics| ControlFlow::Continue(());
    let mut losses = Vec::new();
    for _ in 0..2 {
        let trained = train_with(&mut adam, &mut halves, &input(), &task(false), half, go_on).unwrap();
        losses.extend(trained.history.iter().map(|epoch| epoch.train_loss));
        run(&mut forgetful, &task(false), half).unwrap();
    }
    assert_eq!(losses, trained.history.iter().map(|epoch| epoch.train_loss).collect::<Vec<_>>());
    let predictions = [&whole, &halves, &forgetful].map(|model| model.predict(&input()).unwrap());
    assert_eq!(predictions[0], predictions[1]);
    assert_ne!(predictions[0], predictions[2]);
    // A network of another width is refused, and the optimiser is unchanged.
    let mut wide = Model::new(Description { hidden: 5, ..Description::default() }.check(2, 2).unwrap(), 1);
    let error = train_with(&mut adam, &mut wide, &input(), &task(false), half, go_on).unwrap_err();
    assert_eq!(error, TrainingError::OtherNetwork);
}

#[test]
fn the_callback_sees_every_epoch_and_may_stop() {
    let mut seen = Vec::new();
    let mut watch = |epoch: &EpochMetrics| {
        seen.push(epoch.epoch);
        if epoch.epoch == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let trained = train(&mut model(), &input(), &task(false), Options { keep: Keep::Last, ..options() }, &mut watch);
    let trained = trained.unwrap();
    assert_eq!(seen, [0, 1, 2, 3, 4]);
    assert_eq!((trained.kept, trained.ended, trained.history.len()), (4, Ended::Cancelled, 5));
}

#[test]
fn patience_stops_a_training_without_improvement() {
    let patience = NonZeroUsize::new(3);
    let adam = Params { learning_rate: 0.0, ..Params::default() };
    let trained = run(&mut model(), &task(true), Options { patience, adam, ..options() }).unwrap();
    // The first epoch is the best; nothing changes in the next three.
    assert_eq!((trained.kept, trained.history.len(), trained.ended), (0, 4, Ended::OutOfPatience));
}

#[test]
fn parts_that_do_not_fit_are_refused_before_the_first_step() {
    let error = |task: &Task, options| run(&mut model(), task, options).unwrap_err();
    assert_eq!(error(&task(true), Options { epochs: 0, ..options() }), TrainingError::NoEpochs);
    assert!(matches!(error(&task(false), options()), TrainingError::Rule(KeepError::NoValidation)));
    let mut other = Model::new(Description::default().check(3, 2).unwrap(), 1);
    let found = run(&mut other, &task(true), options()).unwrap_err();
    assert_eq!(found.to_string(), "the network reads 3 features, but the input has 2");
    assert_eq!(other.predict(&input()).unwrap_err().to_string(), found.to_string());
    let mut other = Model::new(Description::default().check(2, 3).unwrap(), 1);
    assert!(matches!(run(&mut other, &task(true), options()), Err(TrainingError::Shape { .. })));
}

#[test]
fn a_nan_loss_is_an_error() {
    let features = Features::Dense(Matrix::from_values(NODES, 2, vec![f32::NAN; 2 * NODES]).unwrap());
    let graph = Graph::empty(NODES as u32, Direction::Directed);
    let input = Input::new(features, Messages::of(&graph).unwrap(), 0).unwrap();
    let found = train(&mut model(), &input, &task(true), options(), &mut |_| ControlFlow::Continue(()));
    assert!(matches!(found, Err(TrainingError::Diverged { epoch: 0, .. })));
}

#[test]
fn features_that_overflow_end_with_an_error_and_not_with_useless_weights() {
    let features = Features::Dense(Matrix::from_values(NODES, 2, vec![f32::MAX; 2 * NODES]).unwrap());
    let input = input().with_features(features).unwrap();
    for keep in [Keep::LowestValidationLoss, Keep::Last] {
        let options = Options { epochs: 1, keep, ..options() };
        let found = train(&mut model(), &input, &task(true), options, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(found, Err(TrainingError::Diverged { .. })), "{found:?}");
    }
}

#[test]
fn one_node_cannot_be_normalised() {
    let features = Features::Dense(Matrix::from_values(1, 2, vec![1.0, 2.0]).unwrap());
    let messages = Messages::of(&Graph::empty(1, Direction::Directed)).unwrap();
    let input = Input::new(features, messages, 0).unwrap();
    let task = Task::new(Loss::cross_entropy(Targets::new(vec![(0, 1)], 1, 2).unwrap()), None).unwrap();
    let mut model = Model::new(Description { batch_norm: true, ..Description::default() }.check(2, 2).unwrap(), 1);
    let options = Options { keep: Keep::Last, ..options() };
    let found = train(&mut model, &input, &task, options, &mut |_| ControlFlow::Continue(()));
    assert_eq!(found.unwrap_err(), TrainingError::TooFewForNorm { nodes: 1 });
}

/// The last weights.
fn last(task: &Task, options: Options) -> crate::model::Snapshot {
    let mut model = model();
    run(&mut model, task, options).unwrap();
    model.snapshot()
}

#[test]
fn validation_does_not_change_what_is_learned() {
    let options = Options { keep: Keep::Last, ..options() };
    assert!(last(&task(true), options) == last(&task(false), options));
}

#[test]
fn seed_and_schedule_have_their_effect() {
    let start = Options { keep: Keep::Last, ..options() };
    assert!(last(&task(false), start) != last(&task(false), Options { seed: 2, ..start }));
    let falling = Options { schedule: Schedule::LinearToZero, ..start };
    assert!(last(&task(false), start) != last(&task(false), falling));
    // The first of two epochs has the full rate, so both schedules agree for one epoch.
    let once = |options| last(&task(false), Options { epochs: 1, ..options });
    assert!(once(start) == once(falling));
}
