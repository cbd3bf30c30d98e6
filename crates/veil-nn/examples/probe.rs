#![allow(missing_docs, clippy::all)]
use std::time::Instant;
use veil_nn::*;
fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    for (name, shape, reps) in [("cora", workload::CORA, 300), ("lastfm", workload::LASTFM, 60), ("facebook", workload::FACEBOOK, 40)] {
        let input = shape.with_reports(1);
        let mut model = Model::new(Description::default().check(shape.features, shape.classes).unwrap(), 1);
        let mut best = [f64::MAX; 5];
        for _ in 0..reps {
            let mut times = vec![Instant::now()];
            let projected = model.project(&input);
            times.push(Instant::now());
            let (logits, projected) = model.evaluate(&input, projected);
            times.push(Instant::now());
            let step = model.train(&input, projected, 1);
            times.push(Instant::now());
            model.backward(&input, step, logits);
            times.push(Instant::now());
            for k in 0..4 { best[k] = best[k].min((times[k + 1] - times[k]).as_secs_f64()); }
            best[4] = best[4].min((times[4] - times[0]).as_secs_f64());
        }
        println!("{name}: project {:.0} evaluate {:.0} train {:.0} backward {:.0} all {:.0} us", best[0] * 1e6, best[1] * 1e6, best[2] * 1e6, best[3] * 1e6, best[4] * 1e6);
    }
}
