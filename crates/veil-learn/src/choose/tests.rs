//! The table is whole, estimates are what they say, and the answer is from public facts alone.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

use std::fmt::Write as _;
use std::path::Path;

use veil_graph::generate::Community;

use super::estimate::expected;
use super::validation::{LeftOut, TOLERANCE, Validation, validate};
use super::*;
use crate::pipeline::{Graphs, Input, Job, Payment, Terms};

const FILES: [&str; 2] = [include_str!("graphs.csv"), include_str!("measured.csv")];

fn owner(epsilon: &str) -> Question {
    Question {
        trust: Trust::Central,
        unit: Unit::Edge,
        epsilon: epsilon.parse().unwrap(),
        split: "0.5,0.25,0.25".parse().ok(),
        public_graph: false,
        mean_degree: None,
    }
}

fn graph() -> Private<Dataset> {
    Private::seal(Community::citation().with_nodes(400).check().unwrap().generate(1))
}

#[test]
fn every_line_of_the_table_is_read_and_every_method_is_registered() {
    let table = Table::parse(FILES[0], FILES[1]).unwrap();
    assert_eq!(&table, Table::shipped());
    assert_eq!(table.rows.len() + 1, FILES[1].lines().count());
    assert_eq!(table.graphs.len() + 1, FILES[0].lines().count());
    for setting in Setting::ALL {
        assert!(!table.methods(setting).is_empty(), "{setting}");
        for name in table.methods(setting) {
            method::find(name.split(' ').next().unwrap()).unwrap();
        }
        // Nothing is compared with a reference that was not measured.
        for row in table.of(setting) {
            let reference = setting.reference().unwrap_or(&row.method);
            assert!(table.of(setting).any(|it| it.method == reference && it.graph == row.graph), "{row:?}");
        }
    }
    let all = table.rows.iter().flat_map(|row| [0.5, 3.0, 8.0].map(|epsilon| row.accuracy(epsilon)));
    assert!(all.flatten().all(|accuracy| (0.0..=100.0).contains(&accuracy)));
    assert!(FILES.concat().len() < 60_000, "the table is shipped with every program");
}

#[test]
fn a_table_with_an_error_is_refused() {
    let graphs = "graph,family,n,c,d,l,m\na/half,a,10,2,3,2.5,4\n";
    let measured = "setting,graph,method,inf,0.5,2\nedge,a/half,mlp,50,,\nedge,a/half,cascade,,60,70\n";
    let table = Table::parse(graphs, measured).unwrap();
    let cascade = &table.rows[1];
    // Linear in ln ε between two values, constant beyond them.
    assert_eq!([0.1, 0.5, 1.0, 2.0, 9.0].map(|it| cascade.accuracy(it).unwrap()), [60.0, 60.0, 65.0, 70.0, 70.0]);
    assert_eq!(table.rows[0].accuracy(7.0), Some(50.0));
    for (wrong, with) in [("a/half,mlp", "b/half,mlp"), ("edge,", "edges,"), ("60", "sixty"), ("0.5", "x")] {
        assert_eq!(Table::parse(graphs, &measured.replacen(wrong, with, 1)), None, "{with}");
    }
    assert_eq!(Table::parse(&graphs.replace(",4\n", "\n"), measured), None);
}

#[test]
fn an_estimate_is_the_weighted_mean_with_an_interval_around_it() {
    let many: Vec<(f64, f64)> = (0..=100).map(|value| (1.0, f64::from(value))).collect();
    let estimate = Estimate::of(many).unwrap();
    assert_eq!((estimate.expected, estimate.graphs), (50.0, 101.0));
    assert!((estimate.low - 9.0).abs() < 1.5 && (estimate.high - 91.0).abs() < 1.5, "{estimate:?}");
    // Of few graphs, all that count are in the interval.
    let few = Estimate::of(vec![(1.0, -2.0), (1.0, 7.0), (1e-4, 50.0)]).unwrap();
    assert_eq!((few.low, few.high), (-3.0, 8.0));
    assert_eq!(Estimate::of(Vec::new()), None);
    assert_eq!(Estimate::of(vec![(0.0, 1.0), (1.0, f64::NAN)]), None);
}

/// A graph on which one method is far ahead does not outweigh two on which it is behind.
#[test]
fn a_shortfall_is_capped_and_needs_two_methods() {
    let graphs = "graph,family,n,c,d,l,m\na/half,a,10,2,3,2,4\nb/half,b,10,2,3,2,4\nc/half,c,10,2,3,2,4\n";
    let measured = "setting,graph,method,inf,2\nedge,a/half,mlp,40,\nedge,a/half,gap,,90\nedge,b/half,mlp,60,\n\
                    edge,b/half,gap,,56\nedge,c/half,mlp,60,\nedge,c/half,gap,,56\nedge,c/half,dpgcn,,\n";
    let (table, shape) = (Table::parse(graphs, measured).unwrap(), table::Shape::default());
    let short = |offered: &[(&str, f64)]| estimate::shortfalls(&table, Setting::Edge, offered, &shape);
    let both = short(&[("mlp", 2.0), ("gap", 2.0), ("dpgcn", 2.0)]);
    let near = |it: Option<f64>, wanted: f64| assert!((it.unwrap() - wanted).abs() < 1e-9, "{both:?}");
    near(both[0], 5.0 / 3.0);
    near(both[1], 8.0 / 3.0);
    assert_eq!((both[2], short(&[("mlp", 2.0)])), (None, vec![None]));
}

/// The answer for a measured graph is near what was measured there.
#[test]
fn a_measured_graph_is_most_like_itself() {
    let table = Table::shipped();
    let (place, cora) = table.graphs.iter().enumerate().find(|(_, it)| it.name == "cora/half").unwrap();
    let row = table.of(Setting::Edge).find(|row| row.graph == place && row.method == "cascade").unwrap();
    let found = expected(table, Setting::Edge, "cascade", 2.0, &cora.shape).unwrap();
    let measured = row.accuracy(2.0).unwrap();
    assert!((found.accuracy.low..=found.accuracy.high).contains(&measured), "{found:?} {measured}");
}

#[test]
fn what_applies_is_configured_and_promises_what_its_plan_does() {
    let answer = choose(&graph(), &owner("2")).unwrap();
    let names: Vec<&str> = answer.candidates.iter().map(|it| it.method.as_str()).collect();
    for name in ["cascade", "lpgnet", "edge-free", "mlp", "gap", "dpgcn"] {
        assert!(names.contains(&name), "{name} is missing in {names:?}");
    }
    assert!(!names.contains(&"gnn") && !names.contains(&"moments") && !names.contains(&"blink"), "{names:?}");
    for candidate in &answer.candidates {
        let (flags, entry) = (&candidate.flags, method::find(&candidate.flags[0].1).unwrap());
        let own = flags.iter().skip(1).filter(|(name, _)| name != "split");
        let settings = own.map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let plan = entry.configure(&settings).unwrap().edges(400, 7).unwrap();
        let epsilon = plan.guarantees().first().map(|it| it.epsilon);
        assert_eq!(epsilon, candidate.epsilon, "{}", candidate.method);
    }
    let ranks: Vec<f64> = answer.candidates.iter().filter_map(|it| it.shortfall).collect();
    assert!(ranks.len() > 4 && ranks.windows(2).all(|pair| pair[0] <= pair[1]), "{ranks:?}");
}

/// Neither labels nor features nor edges: the same facts give the same answer.
#[test]
fn the_answer_depends_on_public_facts_alone() {
    let other = Community { homophily: 0.1, mean_degree: 9.0, ..Community::citation().with_nodes(400) };
    let other = Private::seal(other.check().unwrap().generate(7));
    for epsilon in ["0.5", "2", "8"] {
        let answers = [&graph(), &other].map(|data| format!("{:?}", choose(data, &owner(epsilon)).unwrap()));
        assert_eq!(answers[0], answers[1]);
    }
}

#[test]
fn an_outlook_is_there_before_anything_is_spent() {
    let job = |method: &str, epsilon: &str| {
        let settings = [("epsilon-edges", epsilon.into())].into_iter().collect();
        let (terms, payment) = (Terms::default(), Payment::experiment(1));
        let data = Community::citation().with_nodes(2000).check().unwrap().generate(1);
        let input = Input::Graphs(Graphs::one(data, &terms, &payment).unwrap());
        Job { method: method::configure(method, &settings).unwrap(), terms, payment, input }
    };
    let noisy = job("dpgcn", "2").outlook().unwrap();
    // p = 1/(1 + e²), of 1,999 possible neighbours.
    assert!((noisy.least_degree.unwrap() - 1999.0 / (1.0 + 2_f64.exp())).abs() < 1e-9);
    assert!(noisy.warning().unwrap().contains("THE EDGES ARE NOT EXPECTED TO HELP at ε = 2"));
    assert_eq!(job("dpgcn", "8").outlook().unwrap().warning().filter(|it| it.contains("mean degree")), None);
    assert_eq!(job("cascade", "4").outlook().unwrap().warning(), None);
    assert_eq!(job("cascade", "4").outlook().unwrap().least_degree, None);
    let raw = job("gnn", "inf");
    assert_eq!(raw.outlook(), None);
}

/// docs/choosing.md has the figures of this table: `VEIL_WRITE_CHOOSING=1` writes them again.
#[test]
fn the_documents_say_how_often_the_choice_is_right() {
    let text = figures();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/choosing.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- figures -->\n", "<!-- end of figures -->\n");
    let (before, rest) = page.split_once(begin).unwrap();
    let (written, after) = rest.split_once(end).unwrap();
    if std::env::var_os("VEIL_WRITE_CHOOSING").is_some() {
        std::fs::write(&path, format!("{before}{begin}{text}{end}{after}")).unwrap();
        return;
    }
    assert_eq!(written, text, "the table has other figures: write them again (VEIL_WRITE_CHOOSING=1)");
}

/// The tables of docs/choosing.md.
fn figures() -> String {
    let table = Table::shipped();
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let mut text = format!(
        "\n| setting | left out | cells | right | worst | accuracy in its interval | gain in its interval | best fixed method |\n{}\n",
        "|---".repeat(8) + "|"
    );
    let mut cells = String::from("\n| setting | graph | ε | chosen | accuracy | best | points below |\n");
    cells += &("|---".repeat(7) + "|\n");
    for setting in Setting::ALL {
        for left_out in [LeftOut::DataSet, LeftOut::Family] {
            let found = validate(table, setting, left_out);
            let worst = found.cells.iter().map(|cell| cell.regret).fold(0.0, f64::max);
            let fixed = fixed(table, &found);
            let gains = found.cells.iter().filter(|cell| cell.gain_covered.is_some()).count();
            let gain = found.cells.iter().filter(|cell| cell.gain_covered == Some(true)).count();
            let gain = if gains == 0 { "–".to_owned() } else { percent(gain as f64 / gains as f64) };
            let left = if left_out == LeftOut::DataSet { "data set" } else { "family" };
            let (right, covered) = (percent(found.right()), percent(found.share(|cell| cell.covered)));
            writeln!(
                text,
                "| {setting} | {left} | {} | {right} | {worst:.1} | {covered} | {gain} | {fixed} |",
                found.cells.len()
            )
            .unwrap();
            for cell in found.cells.iter().filter(|cell| left_out == LeftOut::DataSet && cell.regret > TOLERANCE) {
                writeln!(
                    cells,
                    "| {setting} | {} | {} | {} | {:.1} | {} | {:.1} |",
                    cell.graph, cell.epsilon, cell.chosen, cell.accuracy, cell.best, cell.regret
                )
                .unwrap();
            }
        }
    }
    text + "\nThe cells in which the choice is not right, with the data set left out:\n" + &cells + "\n"
}

/// The method that would be right most often if it were always taken.
fn fixed(table: &Table, found: &Validation) -> String {
    let private = |name: &&str| found.setting != Setting::Node || Some(*name) != found.setting.reference();
    let names = table.methods(found.setting).into_iter().filter(private);
    let shares = names.map(|name| (found.always(table, name), name));
    let best = shares.max_by(|one, other| one.0.total_cmp(&other.0));
    best.map_or_else(String::new, |(share, name)| format!("{name}, {:.0} %", 100.0 * share))
}
