use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::*;
use crate::outcome::Outcome;
use crate::students::Way;

fn outcome(case: &str, point: serde_json::Value, seed: u64, figures: &[(&str, f64)]) -> Outcome {
    Outcome {
        case: case.to_owned(),
        data: "cora".to_owned(),
        point: serde_json::from_value(point).unwrap(),
        seed,
        figures: figures.iter().map(|(name, figure)| ((*name).to_owned(), *figure)).collect(),
        ..Outcome::default()
    }
}

/// What a target will run or compute, without figures where it is run.
fn planned(target: &Target) -> Vec<Outcome> {
    match &target.work {
        Work::Sweep(experiment) => {
            let mut sweep = experiment.sweep(&target.name).unwrap();
            sweep.seeds.truncate(1);
            let same = |other: &&Target| matches!(&other.work, Work::Sweep(it) if it.file == experiment.file);
            let first = Target::all().iter().find(same).unwrap();
            assert_eq!(sweep.title, first.name, "the title of a sweep is the name of its first target");
            let planned = |run: crate::sweep::Wanted| Outcome {
                data: run.data,
                ..outcome(&run.case, serde_json::to_value(&run.point).unwrap(), run.seed, &[])
            };
            sweep.wanted().unwrap().into_iter().map(planned).collect()
        }
        Work::Accounts(accounts) => accounts.iter().flat_map(|account| account.outcomes().unwrap()).collect(),
        Work::Homophily(homophily) => {
            let cases = homophily.models.iter().map(|model| model.case.as_str()).chain(["truth"]);
            cases.map(|case| outcome(case, json!({}), 1, &[])).collect()
        }
        Work::Students(students) => {
            let mut runs: Vec<Outcome> = Vec::new();
            for students in students {
                let of = |case: &str, point| Outcome { data: students.data.clone(), ..outcome(case, point, 1, &[]) };
                for teachers in &students.teachers {
                    let ways: Vec<Way> = teachers.releases().iter().map(|way| way.parse().unwrap()).collect();
                    let asked = teachers.queries.iter().flat_map(|count| ways.iter().map(move |way| (*count, way)));
                    runs.extend(asked.map(|(count, way)| of(&teachers.case(way), json!(teachers.point(count, way)))));
                }
                let baselines = ["B1", "B2"].iter().filter(|_| students.baselines);
                runs.extend(baselines.map(|case| of(case, json!({}))));
            }
            runs
        }
    }
}

/// Every comparison finds a row of its table for all data that it is about.
#[test]
fn every_target_can_be_run_and_compared() {
    for target in Target::all() {
        let runs = planned(target);
        let published = target.published().unwrap();
        for compared in &target.compared {
            let runs = || runs.iter().filter(|run| run.case == compared.case);
            assert!(runs().next().is_some(), "{}: no run for {}", target.name, compared.case);
            let Some(column) = &compared.mean else { continue };
            let found = |run: &Outcome| {
                let filled = |text: &String| compare::filled(text, &run.data, &run.point);
                let wanted = compared.row.iter().map(|(column, text)| (column.clone(), filled(text))).collect();
                let row = published.find(&wanted).unwrap();
                row.is_some_and(|row| published.number(row, &filled(column)).is_ok())
            };
            // Of all data that can be given.
            for data in runs().map(|run| run.data.clone()).collect::<BTreeSet<String>>() {
                let here = runs().filter(|run| run.data == data).any(found);
                assert!(here, "{}: no published row for {} ({column}) of {data}", target.name, compared.case);
            }
        }
    }
}

#[test]
fn ours_stand_beside_theirs() {
    let target = Target::find("graphprivatizer/table-6").unwrap();
    let mut runs = Vec::new();
    for (accuracy, seed) in [0.74, 0.76, 0.78].into_iter().zip(1..) {
        let figures = [("test_accuracy", accuracy), ("linkteller_auc", 0.5), ("lsa2_auc", 0.9)];
        runs.push(outcome("gp", json!({ "model": "gcn" }), seed, &figures));
        runs.push(outcome("gp", json!({ "model": "sage" }), seed, &[("linkteller_auc", 0.5), ("lsa2_auc", 0.72)]));
    }
    let rows = compare(target, &runs, 1).unwrap();
    let shown = rows.iter().map(|row| {
        let ours = (row.ours.unwrap().mean * 10.0).round() / 10.0;
        json!([row.point["model"], row.figure, ours, row.published, row.agreement.unwrap().agrees])
    });
    // GCN: 76 ± 2 of three runs against 75.7 ± 1.0 of ten; its AUC is far off. Of GraphSAGE link
    // stealing is compared.
    let expected = [
        json!(["gcn", "test_accuracy", 76.0, 75.7, true]),
        json!(["gcn", "linkteller_auc", 50.0, 83.4, false]),
        json!(["sage", "lsa2_auc", 72.0, 72.0, true]),
    ];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    // Runs without a published figure are left out.
    let unknown = outcome("gp", json!({ "model": "mlp" }), 1, &[("test_accuracy", 0.5)]);
    assert_eq!(compare(target, &[unknown], 1).unwrap(), []);
}

/// A published figure does not vanish because our run failed.
#[test]
fn what_failed_is_said() {
    let target = Target::find("graphprivatizer/table-6").unwrap();
    let run = |seed, accuracy| outcome("gp", json!({ "model": "gcn" }), seed, &[("test_accuracy", accuracy)]);
    let failed = |run: Outcome| Outcome { error: Some("no".to_owned()), figures: BTreeMap::new(), ..run };
    // Seeds with a figure, seeds requested, failed runs, the published figure, and whether both
    // are compared.
    let shown = |runs: &[Outcome]| -> Vec<(String, serde_json::Value)> {
        let rows = compare(target, runs, 1).unwrap().into_iter();
        let shown = rows.map(|row| {
            let count = row.ours.map(|ours| ours.count);
            (row.figure, json!([count, row.seeds, row.failed, row.published, row.agreement.is_some()]))
        });
        shown.collect()
    };
    let accuracy = || "test_accuracy".to_owned();
    let attack = ("linkteller_auc".to_owned(), json!([null, 2, 2, 83.4, false]));
    let all = [failed(run(1, 0.0)), failed(run(2, 0.0))];
    assert_eq!(shown(&all), [(accuracy(), json!([null, 2, 2, 75.7, false])), attack]);
    // The successful run was not attacked: there is no row for the attack.
    assert_eq!(shown(&[run(1, 0.75), failed(run(2, 0.0))]), [(accuracy(), json!([1, 2, 1, 75.7, true]))]);
}

/// GP-t against randomised response, two networks; `by` how much better it is with each seed, in
/// percent.
fn table_1(by: &[f64]) -> Vec<Outcome> {
    let run = |case: &str, model: &str, epsilon: &str, seed, accuracy: f64| {
        let point = json!({ "model": model, "epsilon-edges": epsilon });
        outcome(case, point, seed, &[("test_accuracy", accuracy), ("linkteller_auc", 0.5)])
    };
    let mut runs = Vec::new();
    for (seed, by) in (1..).zip(by) {
        for (model, private) in [("gcn", 0.70), ("gat", 0.60)] {
            runs.push(run("inf", model, "inf", seed, 0.80));
            runs.push(run("rr", model, "0.1", seed, private));
            runs.push(run("gp", model, "0.1", seed, private + by / 100.0));
            runs.push(run("rr", model, "1", seed, private));
            runs.push(run("gp", model, "1", seed, private + (by + 2.0) / 100.0));
        }
    }
    runs
}

#[test]
fn differences_are_taken_seed_by_seed_and_averaged_over_the_grid() {
    let target = Target::find("graphprivatizer/table-1").unwrap();
    let rows = compare(target, &table_1(&[2.0, 3.0, 4.0]), 1).unwrap();
    let shown = rows.iter().map(|row| {
        let ours = row.ours.unwrap();
        json!([row.case, row.figure, (ours.mean * 1e9).round() / 1e9, ours.count, row.published])
    });
    // By seed 3, 4 and 5 points over both ε. At ε = 0.1 randomised response loses 10 points of GCN
    // and 20 of GAT.
    let expected = [
        json!(["gp", "test_accuracy, against rr", 4.0, 3, 3.9]),
        json!(["gp", "linkteller_auc or lsa2_auc, against rr", 0.0, 3, 0.2]),
        json!(["gp", "test_accuracy, against inf epsilon-edges inf", 12.0, 3, 6.3]),
        json!(["rr", "test_accuracy, against inf epsilon-edges inf", 15.0, 3, 12.4]),
    ];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert!((rows[0].ours.unwrap().deviation.unwrap() - 1.0).abs() < 1e-9);
    // The published deviation of a gap is over networks: 10 and 20 are √50 apart, whatever the
    // seeds do.
    let spread = rows[3].spread.clone().unwrap();
    assert_eq!((spread.over.as_str(), spread.published), ("model", Some(6.3)));
    assert!((spread.ours.unwrap() - 50.0_f64.sqrt()).abs() < 1e-9, "{spread:?}");
    assert_eq!(rows[0].published_p_value.as_deref(), Some("< 0.001"));
    assert_eq!(rows[1].published_p_value.as_deref(), Some("> 0.05"));
}

/// One pair for each seed: more of them would count the same split, noise and partner again.
#[test]
fn pairs_of_seeds_are_tested_and_corrected() {
    let target = Target::find("graphprivatizer/table-1").unwrap();
    let p_values = |by: &[f64]| -> Vec<Option<f64>> {
        compare(target, &table_1(by), 1).unwrap().iter().map(|row| row.p_value).collect()
    };
    // Seven pairs of one sign have 2/2⁷; three rows were tested, equal figures were not.
    let each = Some(3.0 * 2.0 / 128.0);
    assert_eq!(p_values(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), [each, None, each, each]);
    // Five could never give p < 0.05, though there are twenty pairs of runs.
    assert_eq!(p_values(&[2.0, 3.0, 4.0, 5.0, 6.0]), [None; 4]);
}

/// 25 cells of one seed have one base: that is no sample of 25.
#[test]
fn cells_of_one_seed_prove_nothing() {
    let target = Target::find("graphprivatizer/tables-2-7").unwrap();
    let cells = [0.0, 0.25, 0.5, 0.75, 1.0].map(|alpha| [0.0, 0.1, 0.25, 0.5, 1.0].map(|delta| (alpha, delta)));
    let run = |&(alpha, delta): &(f64, f64)| {
        let point = json!({ "model": "gcn", "similarity": "paper", "alpha": alpha, "threshold": delta });
        outcome("GP-t", point, 1, &[("test_accuracy", 0.75 + alpha / 100.0 + delta / 50.0)])
    };
    let runs: Vec<Outcome> = cells.as_flattened().iter().map(run).collect();
    let rows = compare(target, &runs, 1).unwrap();
    let gain = rows.iter().find(|row| row.pairs.is_some()).unwrap();
    assert_eq!((gain.pairs, gain.p_value), (Some(1), None), "{gain:?}");
}

#[test]
fn a_seed_that_lacks_a_run_is_left_out() {
    let target = Target::find("graphprivatizer/table-1").unwrap();
    let mut runs = table_1(&[2.0, 3.0, 90.0]);
    let lost = runs.iter().position(|run| run.case == "rr" && run.seed == 3).unwrap();
    runs[lost].error = Some("no".to_owned());
    let rows = compare(target, &runs, 1).unwrap();
    assert_eq!((rows[0].figure.as_str(), rows[0].ours.unwrap().count), ("test_accuracy, against rr", 2));
    assert!((rows[0].ours.unwrap().mean - 3.5).abs() < 1e-9);
}

/// The base of a map is α = δ = 0 of the paper's equations, also for what the code's rule gave.
#[test]
fn cells_of_a_map_stand_against_its_base() {
    let run = |similarity: &str, alpha: f64, delta: f64, accuracy: f64| {
        let grid = json!({ "alpha": alpha, "threshold": delta, "epsilon-edges": 0.1 });
        let mut point = json!({ "model": "gcn", "similarity": similarity });
        point.as_object_mut().unwrap().extend(grid.as_object().unwrap().clone());
        outcome("GP-t", point, 1, &[("test_accuracy", accuracy)])
    };
    let runs = [
        run("paper", 0.0, 0.0, 0.75),
        run("reference", 0.0, 0.0, 0.70),
        run("reference", 0.5, 0.0, 0.72),
        run("reference", 0.5, 0.1, 0.78),
        run("reference", 0.5, 0.25, 0.80),
    ];
    let shown = |name: &str| -> Vec<(f64, f64)> {
        let rows = compare(Target::find(name).unwrap(), &runs, 1).unwrap();
        rows.iter().map(|row| ((row.ours.unwrap().mean * 1e9).round() / 1e9, row.published.unwrap())).collect()
    };
    // All cells: the equations' base alone; the code's rule, 75 on average, gains nothing over it.
    // Then α, δ > 0 alone.
    assert_eq!(shown("graphprivatizer/tables-2-7"), [(75.0, 79.7), (75.0, 79.7), (0.0, 4.0), (0.0, 4.0)]);
    assert_eq!(shown("graphprivatizer/tables-8-12-means"), [(79.0, 80.8)]);
    let cells = [(0.0, 0.0), (-5.0, 0.0), (-3.0, 0.3), (3.0, 3.6), (5.0, 5.8)];
    assert_eq!(shown("graphprivatizer/figures-3-15"), cells);
}

/// Table 3a is the mean over all cells, its base and Table 3b are cells of their own: every row
/// says which.
#[test]
fn means_and_cells_of_table_3_are_told_apart() {
    let run = |alpha: f64, delta: f64, accuracy: f64| {
        let point = json!({ "epsilon-edges": 0.1, "similarity": "paper", "alpha": alpha, "threshold": delta });
        Outcome { data: "lastfm".to_owned(), ..outcome("GP-t", point, 1, &[("test_accuracy", accuracy)]) }
    };
    let runs = [run(0.0, 0.0, 0.80), run(0.75, 0.0, 0.82), run(0.75, 0.1, 0.84)];
    let rows = compare(Target::find("graphprivatizer/table-3").unwrap(), &runs, 1).unwrap();
    let shown: Vec<(f64, Option<f64>, Option<&serde_json::Value>)> =
        rows.iter().map(|row| (row.ours.unwrap().mean.round(), row.published, row.point.get("alpha"))).collect();
    let (base, aggregated) = (json!(0.0), json!(0.75));
    assert_eq!(
        shown,
        [(82.0, Some(85.7), None), (80.0, Some(82.6), Some(&base)), (82.0, Some(83.0), Some(&aggregated))]
    );
}

/// The thesis prints no figure: its text says where they lie.
#[test]
fn what_a_text_says_of_its_pictures_is_held_against_ours() {
    let run = |features: &str, labels: &str, accuracy: f64| {
        let point = json!({ "epsilon-features": features, "epsilon-labels": labels });
        outcome("approach 1", point, 1, &[("test_accuracy", accuracy)])
    };
    let runs = [run("inf", "2", 0.75), run("3", "0.5", 0.41), run("1", "1", 0.60)];
    let rows = compare(Target::find("thesis/grid").unwrap(), &runs, 1).unwrap();
    let ranges: Vec<Option<Range>> = rows.iter().map(|row| row.range).collect();
    let range = |above, below, holds| Some(Range { above, below, holds: Some(holds) });
    assert_eq!(ranges, [range(Some(70.0), Some(80.0), true), range(None, Some(40.0), false), None]);
    assert!(rows.iter().all(|row| row.ours.is_some()), "{rows:?}");
}

/// What is listed without multiplying out is what is run.
#[test]
fn the_data_that_a_target_names_are_those_that_it_runs_on() {
    for target in Target::all() {
        let Work::Sweep(experiment) = &target.work else { continue };
        let mut sweep = experiment.sweep(&target.name).unwrap();
        sweep.seeds.truncate(1);
        assert_eq!(target.data_names().unwrap(), sweep.data_names().unwrap(), "{}", target.name);
    }
}

/// K_x and K_y as Appendix A has them, and Facebook's split as LPGNet has it.
#[test]
fn data_have_parameters_of_their_own() {
    let with = |name: &str, key: &str, value: &str| -> Vec<String> {
        let target = Target::find(name).unwrap();
        let Work::Sweep(experiment) = &target.work else { panic!("{name} is no sweep") };
        let mut sweep = experiment.sweep(name).unwrap();
        sweep.seeds = vec![1];
        sweep.only(key, &[value]).unwrap();
        sweep.data_names().unwrap().into_iter().collect()
    };
    for name in ["graphprivatizer/table-1", "graphprivatizer/table-6", "graphprivatizer/figures-3-15"] {
        assert_eq!(with(name, "ky", "0"), ["lastfm", "pubmed"], "{name}");
        assert_eq!(with(name, "kx", "4"), ["amazon_photo", "facebook"], "{name}");
        assert_eq!(with(name, "ky", "2"), ["amazon_photo", "cora", "facebook"], "{name}");
    }
    assert_eq!(with("thesis/grid", "ky", "0"), ["lastfm", "pubmed"]);
    assert_eq!(with("lpgnet/figures-5-6", "split", "0.64,0.16,0.2"), ["facebook"]);
}

/// The tolerance depends on the printed decimals: all figures of a column have the same number.
#[test]
fn figures_are_written_with_the_zeros_that_were_printed() {
    for target in Target::all() {
        let mut lines = file(PUBLISHED, &target.published).lines().map(|line| line.trim().split(',').collect());
        // Some targets have nothing published beside them.
        let Some(header): Option<Vec<&str>> = lines.next() else { continue };
        let rows: Vec<Vec<&str>> = lines.collect();
        for column in target.compared.iter().filter_map(|compared| compared.mean.as_deref()) {
            let column = column.replace("{data}", "arxiv");
            // Gains of less than two points are printed with one decimal, others with none.
            if (target.name.as_str(), column.as_str()) == ("graphprivatizer/tables-2-7", "acc_difference") {
                continue;
            }
            let place = header.iter().position(|name| *name == column).unwrap();
            let decimals = |row: &Vec<&str>| row[place].split_once('.').map_or(0, |(_, digits)| digits.len());
            let found: BTreeSet<usize> = rows.iter().filter(|row| !row[place].is_empty()).map(decimals).collect();
            assert_eq!(found.len(), 1, "{}: {column} has figures of {found:?} decimals", target.name);
        }
    }
}

/// All ε of PrivGNN, and of PATE-G all but one that fits nothing; PATE-M's are shown beside what is
/// proven whatever the votes are.
#[test]
fn what_answers_cost_stands_beside_what_was_published() {
    let target = Target::find("privgnn/table-3").unwrap();
    let rows = compare(target, &planned(target), 1).unwrap();
    let of = |case: &str| rows.iter().filter(|row| row.case == case).cloned().collect::<Vec<Row>>();
    let agree = |rows: &[Row]| rows.iter().filter(|row| row.agreement.is_some_and(|it| it.agrees)).count();
    let (privgnn, votes, as_cast) = (of("privgnn"), of("pate-g"), of("pate-m"));
    assert_eq!([privgnn.len(), votes.len(), as_cast.len(), rows.len()], [30, 30, 30, 90]);
    assert_eq!([agree(&privgnn), agree(&votes), agree(&as_cast)], [30, 29, 0]);
    for row in &privgnn {
        // What holds is more than what is claimed.
        let promised = row.promised.as_ref().unwrap();
        assert_eq!((promised.unit.as_str(), promised.status.as_str()), ("node", "proven"));
        assert!(promised.epsilon.unwrap() > row.ours.unwrap().mean, "{row:?}");
    }
    assert!(as_cast.iter().all(|row| row.ours.is_none() && row.published.is_some()));
    for (cast, votes) in as_cast.iter().zip(&votes) {
        assert_eq!(cast.promised, votes.promised);
    }
    let target = Target::find("privgnn/table-4").unwrap();
    let rows = compare(target, &planned(target), 1).unwrap();
    assert_eq!((rows.len(), agree(&rows)), (10, 10));
}

#[test]
fn students_stand_beside_the_published_ones() {
    let target = Target::find("privgnn/table-2").unwrap();
    let reached = |run: Outcome| Outcome { figures: BTreeMap::from([("test_accuracy".to_owned(), 0.55)]), ..run };
    let amazon = planned(target).into_iter().filter(|run| run.data == "amazon_computers");
    let runs: Vec<Outcome> = amazon.map(reached).collect();
    let rows = compare(target, &runs, 1).unwrap();
    // Two K without noise, which are not published, of both kinds of teachers; five λ, three times.
    assert_eq!((rows.len(), rows.iter().filter(|row| row.agreement.is_none()).count()), (34, 4));
    let row = rows.iter().find(|row| row.point["k"] == 300 && row.point.get("lambda") == Some(&json!(0.8))).unwrap();
    assert_eq!((row.case.as_str(), row.published), ("privgnn as coded, noisy-log-posterior", Some(0.56)));
    assert!(!row.agreement.unwrap().agrees, "{row:?}");
}
