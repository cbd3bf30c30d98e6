#![allow(missing_docs, clippy::all)]
use std::time::Instant;
use veil_nn::*;
use veil_nn::loss::*;
use veil_nn::workload::shape;
fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    for (name, shape, kind, reps) in [("cora", shape::CORA, Kind::Gcn, 400), ("lastfm", shape::LASTFM, Kind::Gcn, 100), ("facebook", shape::FACEBOOK, Kind::Gcn, 60), ("facebook gat", shape::FACEBOOK, Kind::Gat, 12)] {
        let input = shape.with_reports(1);
        let heads = if kind == Kind::Gat { 4 } else { 1 };
        let mut model = Model::new(Description { kind, heads, ..Description::default() }.check(shape.features, shape.classes).unwrap(), 1);
        let labels = shape.labels(1);
        let t = Targets::new((0..).zip(labels.iter().copied()).filter(|(n, _)| n % 4 < 2).collect(), labels.len(), shape.classes).unwrap();
        let loss = Loss::cross_entropy(t);
        let task = veil_nn::training::Task::new(loss.clone(), None).unwrap();
        let mut dummy = Model::new(Description::default().check(shape.features, shape.classes).unwrap(), 1);
        let _keep = veil_nn::training::Trainer::new(&mut dummy, &input, &task, Default::default()).unwrap();
        let mut adam = optimiser::Params::default().check().unwrap();
        let mut best = [f64::MAX; 7];
        for _ in 0..reps {
            let mut times = vec![Instant::now()];
            let projected = model.project(&input);
            times.push(Instant::now());
            let (logits, projected) = model.evaluate(&input, projected);
            times.push(Instant::now());
            loss.value(&logits); loss.reported().accuracy(&logits);
            times.push(Instant::now());
            let step = model.train(&input, projected, 1);
            times.push(Instant::now());
            let (_, g) = loss.value_and_gradient(step.logits()); loss.reported().accuracy(step.logits());
            times.push(Instant::now());
            model.backward(&input, step, g);
            times.push(Instant::now());
            adam.step(0.01, model.parameters_mut());
            times.push(Instant::now());
            for k in 0..7 { best[k] = best[k].min((times[k + 1] - times[k]).as_secs_f64()); }
        }
        let all: f64 = best.iter().sum();
        println!("{name}: project {:.0} evaluate {:.0} value {:.0} train {:.0} loss {:.0} backward {:.0} adam {:.0} all {:.0} us", best[0] * 1e6, best[1] * 1e6, best[2] * 1e6, best[3] * 1e6, best[4]*1e6, best[5]*1e6, best[6]*1e6, all * 1e6);
    }
}
