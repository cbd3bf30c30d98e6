#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails a test")]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use serde_json::{Value, json};
use veil_graph::generate::Community;
use veil_graph::{Dataset, Features, Matrix, Part, Split};

use super::*;

fn graph(seed: u64) -> Dataset {
    Community::citation().with_nodes(160).check().unwrap().generate(seed)
}

/// Two graphs, `g` and `h`.
pub(super) fn sets() -> DataSets {
    let mut sets = DataSets::new();
    sets.insert("g", graph(1));
    sets.insert("h", graph(2));
    sets
}

/// The same data with every feature stored, also those that are 0.
pub(super) fn densified(data: &Dataset) -> Dataset {
    let features = data.features().unwrap();
    let (rows, columns) = (features.rows(), features.columns());
    let values = (0..rows * columns).map(|at| features.value(at / columns, (at % columns) as u32)).collect();
    data.clone().with_features(Features::Dense(Matrix::from_values(rows, columns, values).unwrap())).unwrap()
}

fn parsed(text: &str) -> Sweep {
    Sweep::parse(Path::new("a.toml"), text.to_owned()).unwrap_or_else(|error| panic!("{error}"))
}

pub(super) fn planned(text: &str, sets: &DataSets) -> Plan {
    Plan::new(&parsed(text), sets).unwrap_or_else(|error| panic!("{error}"))
}

fn wanted(text: &str) -> Vec<String> {
    parsed(text).wanted().unwrap().iter().map(|run| format!("{}, seed {}", run.describe(), run.seed)).collect()
}

fn problem(text: &str) -> String {
    Sweep::parse(Path::new("a.toml"), text.to_owned()).map(|_| panic!("this is fine: {text}")).unwrap_err().to_string()
}

/// A file with two data sets and two seeds, from the grid on.
fn grid(rest: &str) -> String {
    format!("data = [\"g\", \"h\"]\nseeds = [3, 1]\n[grid]\n{rest}")
}

#[test]
fn the_product_has_the_order_of_the_file() {
    let runs = wanted(&grid("model = [\"sage\", \"gcn\"]\nalpha = [1, 0]\n[[cases]]\nname = \"a\"\n"));
    assert_eq!(runs.len(), 16);
    // Names of a point are sorted; its values come as they are listed, the last list changing
    // first.
    assert_eq!(runs[0], "a on g, alpha = 1, model = sage, seed 3");
    assert_eq!(runs[1], "a on g, alpha = 1, model = sage, seed 1");
    assert_eq!(runs[2], "a on g, alpha = 0, model = sage, seed 3");
    assert_eq!(runs[4], "a on g, alpha = 1, model = gcn, seed 3");
    assert_eq!(runs[8], "a on h, alpha = 1, model = sage, seed 3");
}

#[test]
fn a_case_decides_over_the_grid_and_has_lists_and_data_of_its_own() {
    let runs = wanted(&grid(
        "epsilon-edges = [1, \"4\"]\n\
         [[cases]]\nname = \"set\"\nepsilon-edges = \"inf\"\ndata = \"g\"\n\
         [[cases]]\nname = \"own\"\ngrid = { epsilon-edges = [0.5], stages = [1, 2], data = [\"h\"] }\n",
    ));
    let runs: Vec<&str> = runs.iter().filter_map(|run| run.strip_suffix(", seed 1")).collect();
    let expected = [
        "set on g, epsilon-edges = inf",
        "own on h, epsilon-edges = 0.5, stages = 1",
        "own on h, epsilon-edges = 0.5, stages = 2",
    ];
    assert_eq!(runs, expected);
}

/// An MLP has no ε of edges: it is trained once, not once per ε, and is no mistake.
#[test]
fn a_list_of_all_cases_is_no_axis_of_a_method_that_does_not_read_it() {
    let cases = "[[cases]]\nname = \"mlp\"\nmethod = \"mlp\"\n[[cases]]\nname = \"lpgnet\"\nmethod = \"lpgnet\"\n";
    let shared = "data = \"g\"\n[grid]\nepsilon-edges = [1, 4]\nepochs = [1, 2]\n";
    let plan = planned(&format!("{shared}{cases}"), &sets());
    // Two ε and two numbers of epochs, with the seeds of a file that names none.
    assert_eq!((plan.runs(), plan.distinct()), (3 * (2 + 4), 3 * (2 + 4)));
    let mlp: Vec<String> = plan.jobs.iter().step_by(3).take(2).map(|job| job.wanted.describe()).collect();
    assert_eq!(mlp, ["mlp on g, epochs = 1", "mlp on g, epochs = 2"]);
    // What a case lists itself, it must read.
    let own = "data = \"g\"\n[[cases]]\nname = \"mlp\"\nmethod = \"mlp\"\ngrid = { epsilon-edges = [1] }\n";
    assert!(Plan::new(&parsed(own), &sets()).unwrap_err().to_string().contains("epsilon-edges"));
}

#[test]
fn numbers_are_numbers_however_they_are_written() {
    let runs = parsed(&grid(
        "delta = [\"1e-5\", 2.0, \"3\", 0.25]\n[[cases]]\nname = \"1\"\nmethod = \"privgnn\"\nbatch-norm = \"true\"\n",
    ));
    let runs = runs.wanted().unwrap();
    let deltas: Vec<&Value> = runs.iter().step_by(2).take(4).map(|run| &run.point["delta"]).collect();
    assert_eq!(deltas, [&json!(1e-5), &json!(2), &json!(3), &json!(0.25)]);
    let settings = runs[0].settings.method().unwrap().settings();
    assert_eq!((settings.get("delta"), settings.get("batch-norm")), (Some(&json!(1e-5)), Some(&json!(true))));
    // A name stays a text.
    let picked = wanted(&grid("[[cases]]\nname = \"1\"\n[[cases]]\nname = \"2\"\n[[include]]\ncase = \"1\"\n"));
    assert_eq!(picked.len(), 4);
}

#[test]
fn conditions_pick_runs_and_attacks() {
    let text = grid(
        "alpha = [0, 1]\ndelta = [0, 1]\n[[cases]]\nname = \"a\"\n[[cases]]\nname = \"b\"\nkx = 2\n\
         [[include]]\ncase = \"a\"\n[[include]]\nkx = 2\nalpha = [0]\n\
         [[exclude]]\ndata = \"h\"\n[[exclude]]\nalpha = 0\ndelta = \"1\"\n\
         [[attacks]]\nkind = \"lsa\"\nwhere = { seed = 1, delta = [0, 5] }\n",
    );
    let runs = parsed(&text).wanted().unwrap();
    let points: Vec<(String, &Value, &Value)> = runs
        .iter()
        .filter(|run| run.seed == 1)
        .map(|run| (run.case.clone(), &run.point["alpha"], &run.point["delta"]))
        .collect();
    let [zero, one] = [&json!(0), &json!(1)];
    let a = || "a".to_owned();
    assert_eq!(points, [(a(), zero, zero), (a(), one, zero), (a(), one, one), ("b".to_owned(), zero, zero)]);
    assert!(runs.iter().all(|run| run.data == "g"));
    let attacked: Vec<usize> = runs.iter().map(|run| run.attacks.len()).collect();
    assert_eq!(attacked, [0, 1, 0, 1, 0, 0, 0, 1], "seeds 3 and 1 of each point");
}

/// A condition speaks of what a run is, not of what its file says.
#[test]
fn conditions_know_defaults() {
    let cases = "[[cases]]\nname = \"a\"\nmethod = \"gnn\"\n[[cases]]\nname = \"b\"\nmethod = \"gnn\"\nmodel = \"gat\"\n\
                 [[cases]]\nname = \"c\"\nmethod = \"lpgnet\"\nepsilon-edges = 1\n";
    let picked = |condition: &str| {
        let mut names: Vec<String> = wanted(&grid(&format!("{cases}[[include]]\n{condition}\n")));
        names.retain(|name| name.ends_with("on g, seed 1"));
        names.iter().map(|name| name[..1].to_owned()).collect::<String>()
    };
    assert_eq!(picked("method = \"gnn\""), "ab");
    assert_eq!(picked("model = \"gcn\""), "a");
    assert_eq!(picked("readout = \"network\""), "c");
    assert_eq!(picked("dropout = 0.1"), "abc");
    assert_eq!(picked("range = \"public\"\nbias = false"), "c");
}

/// Shared lists that a case replaces are not multiplied with its own.
#[test]
fn only_too_many_runs_are_too_many() {
    let list = |name: &str, count: usize| format!("{name} = {:?}\n", (1..=count).collect::<Vec<_>>());
    let (epochs, hidden) = (list("epochs", 100), list("hidden", 1000));
    let own = "[[cases]]\nname = \"a\"\nhidden = 3\n".to_owned() + "grid = { epochs = [1] }\n";
    assert_eq!(wanted(&grid(&format!("{epochs}{hidden}{own}"))).len(), 4);
    let problem = problem(&grid(&format!("{epochs}{hidden}{}[[cases]]\nname = \"a\"\n", list("layers", 3))));
    assert!(problem.contains("1200000 runs are too many: at most 1000000"), "{problem}");
    let mut sweep = parsed(&grid("[[cases]]\nname = \"a\"\n"));
    for (count, part) in [(4_000_000_000, "seeds are too many"), (600_000, "1200000 runs are too many")] {
        let count = std::num::NonZeroU32::new(count).unwrap();
        assert!(sweep.clone().set_seeds(count).unwrap_err().to_string().contains(part));
    }
    sweep.set_seeds(std::num::NonZeroU32::new(4).unwrap()).unwrap();
    assert_eq!((sweep.seeds.as_slice(), sweep.wanted().unwrap().len()), (&[1, 2, 3, 4][..], 8));
}

/// On other data, or at another point of the grid, a case may be there again.
#[test]
fn cases_of_one_name_are_set_alike() {
    let twice = |one: &str, other: &str| {
        grid(&format!("alpha = [0, 1]\n[[cases]]\nname = \"a\"\n{one}\n[[cases]]\nname = \"a\"\n{other}\n"))
    };
    assert_eq!(wanted(&twice("lr = 0.1\ndata = \"g\"", "lr = 0.2\ndata = \"h\"")).len(), 8);
    assert_eq!(wanted(&twice("alpha = 0", "alpha = 1")).len(), 8);
    let problem = problem(&twice("lr = 0.1\nalpha = 0", "lr = 0.2\nalpha = 1"));
    assert!(problem.contains("a.toml:9: a on g has other settings in line 5: rename one of them"), "{problem}");
    let inline = "data = \"g\"\nseeds = 1\ncases = [{ name = \"a\", method = \"mlp\", epochs = 2 }, { name = \"b\", method = \"mlp\", epochs = 3 }]\n";
    let (sets, text) = (sets(), inline.to_owned());
    let plan = planned(&text.replace("\"b\"", "\"a \""), &sets);
    assert_eq!(plan.jobs.iter().map(|job| job.work.method.training().epochs).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_sweep_can_be_narrowed_from_outside() {
    let mut sweep =
        parsed(&grid("model = [\"gcn\", \"sage\", \"gat\"]\n[[cases]]\nname = \"1\"\n[[cases]]\nname = \"2\"\n"));
    sweep.only("model", &["gcn", "gat"]).unwrap();
    sweep.only("case", &["1"]).unwrap();
    sweep.only("seed", &["3"]).unwrap();
    let runs: Vec<String> = sweep.wanted().unwrap().iter().map(Wanted::describe).collect();
    assert_eq!(runs, ["1 on g, model = gcn", "1 on g, model = gat", "1 on h, model = gcn", "1 on h, model = gat"]);
    assert!(sweep.clone().only("modell", &["gcn"]).unwrap_err().to_string().contains("neither case"));
    assert!(sweep.only("model", &["sage"]).unwrap_err().to_string().contains("no run remains"));
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let case = "[[cases]]\nname = \"a\"\n";
    let attack = |line: &str| grid(&format!("{case}[[attacks]]\nkind = \"linkteller\"\n{line}\n"));
    let expected = [
        (grid("lr = 3\n") + case, "a.toml:4: `lr` of a grid is a list of values"),
        (grid("lr = []\n") + case, "a.toml:4: the list is empty"),
        (grid("lr = [1, \"1\"]\n") + case, "a.toml:4: duplicate value lr = \"1\""),
        (grid("edges = [\"raw\"]\n") + case, "a.toml:4: `edges` has no place in a sweep: it was replaced by `method`"),
        (grid("model = [\"gcn\", \"gnc\"]\n") + case, "a.toml:4: model = \"gnc\": "),
        (grid("split = [\"0.5,0.2\"]\n") + case, "a.toml:4: split = \"0.5,0.2\": "),
        (grid("[[cases]]\nlr = 1\n"), "a.toml:4: a case has no `name`"),
        (grid("[[cases]]\nname = \"a\"\nseed = 3\n"), "a.toml:6: `seed` has no place in a sweep"),
        (grid(&format!("{case}{case}")), "a.toml:6: duplicate run: a on g, seed 3 (also line 4)"),
        (grid(case).replace("[3, 1]", "0"), "a.toml:2: `seeds` is empty"),
        (grid(case).replace("[3, 1]", "[3, 1, 3]"), "a.toml:2: duplicate seed 3"),
        (grid(case).replace("\"h\"]", "\"g\"]"), "a.toml:1: duplicate name \"g\""),
        (grid(case).replace("[3, 1]", "-1"), "a.toml:2: seeds are a count"),
        (format!("cases = []\n{}", grid("")), "a.toml:1: `cases` is empty"),
        (attack("step = 0.1"), "a.toml:8: step requires influence"),
        (attack("metric = \"cosine\""), "a.toml:8: "),
        (attack("nodes = 5"), "a.toml:8: nodes requires sample"),
        (attack("sample = \"all\""), "a.toml:8: sample = all: expected one of balanced"),
        (attack("belief = 2"), "a.toml:8: "),
        (attack("where = { lamda = 3 }"), "a.toml:8: `lamda` is neither"),
        (attack("where = { lr = 3 }"), "a.toml:8: this matches no run"),
        (attack("name = \"rare_roc\""), "a.toml:6: an attack cannot be named \"rare_roc\""),
        (attack("name = \"inference_rare_roc\""), "cannot be named"),
        (
            attack("[[attacks]]\nkind = \"lsa\"\nname = \"linkteller_average\""),
            "a.toml:8: two attacks have a figure \"linkteller_average_precision\"",
        ),
        (attack("[[attacks]]\nkind = \"linkteller\""), "a.toml:8: two attacks are called \"linkteller\""),
        (grid(&format!("{case}[[include]]\n")), "the condition is empty"),
        (grid(&format!("lr = [1]\n{case}[[exclude]]\nlr = 1\n")), "no run remains"),
    ];
    for (text, part) in expected {
        let said = problem(&text);
        assert!(said.contains(part), "{part:?} is missing in {said:?} of\n{text}");
    }
}

#[test]
fn runs_that_cannot_be_done_are_refused_before_any_is() {
    let sets = sets();
    let refused = |rest: &str| {
        let sweep = parsed(&format!("data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\n{rest}"));
        Plan::new(&sweep, &sets).map(|_| panic!("this is fine: {rest}")).unwrap_err().to_string()
    };
    for (rest, part) in [
        ("method = \"edge-flip\"\nepsilon-labels = 1", "edge-flip requires epsilon-edges"),
        ("epochs = 3", "`method` is missing"),
        ("method = \"mlp\"\nqueries = 5", "queries is not a parameter of mlp: it belongs to privgnn and pate"),
        ("method = \"mlp\"\npublic-graph = \"h\"", "mlp does not read `public-graph`"),
        ("method = \"pate\"\nepsilon = 8", "pate requires `public-graph`"),
        ("method = \"pate\"\nepsilon = 8\npublic-graph = \"h\"\nsplit = \"all\"", "pate does not read `split`"),
        ("method = \"pate\"\nepsilon = 8\npublic-graph = \"h\"\nqueries = 500", "a.toml:3: a on g: "),
        ("method = \"pate\"\npublic-graph = \"h\"\n[[attacks]]\nkind = \"lsa\"", "learns on public ones"),
        ("method = \"mlp\"\nepochs = 0", "a.toml:3: a on g: "),
        ("method = \"mlp\"\nsplit = \"0,0.5,0.5\"", "a.toml:3: a on g: "),
        ("method = \"mlp\"\ninference-data = \"h\"\nscale = \"minmax\"", "scale = minmax"),
        ("method = \"mlp\"\ninference-data = \"k\"", "the data \"k\" are not given"),
    ] {
        let said = refused(rest);
        assert!(said.contains(part), "{part:?} is missing in {said:?}");
    }
}

#[test]
fn the_experiments_of_this_repository_are_sweeps() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    assert!(files.len() >= 15);
    for path in files {
        let sweep = Sweep::read(&path).unwrap_or_else(|error| panic!("{error}"));
        for run in sweep.wanted().unwrap() {
            run.settings.method().unwrap_or_else(|error| panic!("{}: {}: {error}", path.display(), run.describe()));
        }
    }
}

#[test]
fn the_documented_file_is_a_sweep() {
    let (_, example) = include_str!("file.rs").split_once("//! ```toml\n").unwrap();
    let lines = example.lines().map(|line| line.strip_prefix("//! ").unwrap_or_default());
    let text: Vec<&str> = lines.take_while(|line| *line != "```").collect();
    let runs = parsed(&text.join("\n")).wanted().unwrap();
    // Three ε by two stages, less one of them, with three seeds.
    assert_eq!(runs.len(), 15);
    assert!(runs.iter().all(|run| run.attacks.len() == usize::from(run.point["epsilon-edges"] == 4)));
    assert_eq!(planned(&text.join("\n").replace("cora", "g"), &sets()).distinct(), 15);
}

#[test]
fn a_split_is_part_of_the_data() {
    let one = graph(1);
    let mut parts = one.split().unwrap().parts().to_vec();
    let at = parts.iter().position(|&part| part == Part::Test).unwrap();
    parts[at] = Part::None;
    let mut sets = sets();
    sets.insert("other split", one.clone().with_split(Split::new(parts)).unwrap());
    sets.insert("other range", one.with_feature_range(0.0, 3.0).unwrap());
    let prints = ["g", "h", "other split", "other range"].map(|name| sets.fingerprint(name).unwrap().to_owned());
    let mut distinct = prints.to_vec();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 4);
}

#[test]
fn longer_runs_cost_more() {
    let sets = sets();
    let cost = |rest: &str| {
        let text = format!("data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\n{rest}");
        planned(&text, &sets).jobs[0].cost
    };
    let base = cost("method = \"gnn\"");
    assert!(base > cost("method = \"mlp\"") && base > cost("method = \"gnn\"\nepochs = 100"));
    assert!(base < cost("method = \"gnn\"\nmodel = \"gat\"") && base < cost("method = \"gnn\"\nkx = 2"));
    let two = "[[attacks]]\nkind = \"lsa\"\n[[attacks]]\nname = \"last\"\nkind = \"lsa\"\nweights = \"last\"\n";
    assert!(base < cost(&format!("method = \"gnn\"\n{two}")));
    let lpgnet = |stages: u32| cost(&format!("method = \"lpgnet\"\nepsilon-edges = 4\nstages = {stages}"));
    assert!(lpgnet(1) < lpgnet(2));
}

#[test]
fn a_sweep_in_memory_gives_outcomes_in_order_and_tells_how_far_it_is() {
    let (sets, home) = (sets(), tempfile::tempdir().unwrap());
    let text = "data = [\"h\", \"g\"]\nseeds = 1\n[parameters]\nepochs = 2\nhidden = 4\nmethod = \"mlp\"\n\
                [[cases]]\nname = \"b\"\n[[cases]]\nname = \"a\"\nepochs = 9\n";
    let plan = planned(text, &sets);
    let mut book = Book::begin(home.path()).unwrap();
    let mut seen = Vec::new();
    let two = NonZeroUsize::new(2).unwrap();
    let done = run(&plan, &sets, &mut book, two, false, &mut |progress| seen.push(*progress)).unwrap();
    assert_eq!(done, Done { there: 0, run: 4, failed: 0 });
    assert_eq!(seen.iter().map(|progress| progress.done).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert!(seen[0].left.is_none() && seen[1].left.is_some_and(|left| !left.is_zero()));
    assert!(seen[4].left.unwrap().is_zero());
    let outcomes = book.outcomes().unwrap();
    let order: Vec<(&str, &str)> = outcomes.iter().map(|it| (it.case.as_str(), it.data.as_str())).collect();
    assert_eq!(order, [("b", "h"), ("b", "g"), ("a", "h"), ("a", "g")]);
    assert_eq!(book.sweep().unwrap(), Some(("a".to_owned(), text.to_owned())));
    drop(book);
    // Whoever reads it later finds the same.
    assert_eq!(Book::open(home.path()).unwrap().outcomes().unwrap(), outcomes);
}

/// What a key may be the hash of.
const ABOUT: &str = "{\"parameters\": {}, \"split\": null, \"range\": null}";

#[test]
fn a_failure_may_be_replaced_and_a_result_may_not() {
    let (sets, home) = (sets(), tempfile::tempdir().unwrap());
    let plan = planned("data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\nmethod = \"mlp\"\n", &sets);
    let key = plan.jobs[0].key;
    let mut book = Book::begin(home.path()).unwrap();
    book.set_plan(&plan).unwrap();
    assert_eq!(book.failed(key).unwrap(), None);
    book.add((key, ABOUT), &Err("no".to_owned()), 1.0, None).unwrap();
    assert_eq!(book.failed(key).unwrap(), Some(true));
    assert_eq!(book.outcomes().unwrap()[0].error.as_deref(), Some("no"));
    // Numbers come back with all their bits.
    let figures = BTreeMap::from([("third".to_owned(), 1.0 / 3.0), ("all".to_owned(), f64::INFINITY)]);
    let found = Ok(Finished { figures: figures.clone(), promises: Vec::new() });
    book.add((key, ABOUT), &found, 2.0, None).unwrap();
    assert_eq!(book.failed(key).unwrap(), Some(false));
    assert_eq!(book.outcomes().unwrap()[0].figures, figures);
    assert!(book.add((key, ABOUT), &found, 3.0, None).is_err());
    assert_eq!(book.outcomes().unwrap()[0].seconds, 2.0);
}

#[test]
fn one_process_writes_at_a_time() {
    let home = tempfile::tempdir().unwrap();
    assert!(matches!(Book::open(home.path()), Err(BookError::Missing { .. })));
    let book = Book::begin(home.path()).unwrap();
    assert!(matches!(Book::begin(home.path()), Err(BookError::Busy { .. })));
    assert_eq!(Book::open(home.path()).unwrap().outcomes().unwrap(), []);
    drop(book);
    Book::begin(home.path()).unwrap();
}

#[test]
fn a_file_that_a_killed_process_left_empty_is_begun_anew() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("book.sqlite"), "").unwrap();
    assert!(matches!(Book::open(home.path()), Err(BookError::NotABook { .. })));
    assert_eq!(Book::begin(home.path()).unwrap().planned().unwrap(), 0);
}

/// Three runs of one second each, and a book in which the process died while these were under way.
fn after_deaths(home: &Path, plan: &Plan, deaths: &[&[usize]]) -> Book {
    for under_way in deaths {
        let mut book = Book::begin(home).unwrap();
        book.set_plan(plan).unwrap();
        book.deaths().unwrap();
        under_way.iter().for_each(|&at| book.begun(plan.jobs[at].key).unwrap());
        // Dropped as if the system had ended it: nothing is written any more.
    }
    Book::begin(home).unwrap()
}

fn order(plan: &Plan, sets: &DataSets, book: &mut Book, retry: bool) -> (Done, Vec<u64>) {
    let one = NonZeroUsize::MIN;
    let done = run(plan, sets, book, one, retry, &mut |_| ()).unwrap();
    let select = "SELECT about FROM result WHERE error IS NULL ORDER BY rowid";
    (done, book.texts(select).iter().map(|about| json_of(about)["parameters"]["epochs"].as_u64().unwrap()).collect())
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Whatever a process died of is run last, so that everything else is there; only what it died of
/// again and again, alone, is given up.
#[test]
fn what_the_process_died_of_is_put_last_and_given_up_in_the_end() {
    let sets = sets();
    let text = "data = \"g\"\nseeds = 1\n[parameters]\nmethod = \"mlp\"\nhidden = 2\n[grid]\nepochs = [1, 2, 3]\n[[cases]]\nname = \"a\"\n";
    let plan = planned(text, &sets);
    let after = |deaths: &[&[usize]]| {
        let home = tempfile::tempdir().unwrap();
        let mut book = after_deaths(home.path(), &plan, deaths);
        let found = order(&plan, &sets, &mut book, false);
        let failed: Vec<String> = book.outcomes().unwrap().into_iter().filter_map(|it| it.error).collect();
        let again = order(&plan, &sets, &mut book, false).0;
        assert_eq!(again, Done { there: 3, run: 0, failed: 0 });
        // Who is asked to tries again what was given up, and this time it may go well.
        let retried = order(&plan, &sets, &mut book, true);
        assert_eq!((retried.0.run, retried.0.failed, retried.1.len()), (failed.len(), 0, 3));
        (found, failed.len())
    };
    let all = Done { there: 0, run: 3, failed: 0 };
    assert_eq!(after(&[]), ((all, vec![3, 2, 1]), 0), "the longest first");
    assert_eq!(after(&[&[2, 0]]), ((all, vec![2, 1, 3]), 0));
    assert_eq!(after(&[&[2, 1], &[0, 1], &[2]]), ((all, vec![1, 2, 3]), 0), "the least suspect first");
    assert_eq!(after(&[&[2], &[2], &[2]]), ((Done { failed: 1, ..all }, vec![2, 1]), 1));
}

/// Who is interrupted did not die of what was under way.
#[test]
fn an_interrupt_lets_go() {
    let (sets, home) = (sets(), tempfile::tempdir().unwrap());
    let plan = planned("data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\nmethod = \"mlp\"\n", &sets);
    let mut book = after_deaths(home.path(), &plan, &[]);
    book.begun(plan.jobs[0].key).unwrap();
    Book::let_go(home.path());
    assert_eq!(book.deaths().unwrap(), BTreeMap::new());
    book.begun(plan.jobs[0].key).unwrap();
    assert_eq!(book.deaths().unwrap().into_values().collect::<Vec<_>>(), [1]);
}

#[test]
fn a_book_of_version_one_is_read_and_gone_on_with() {
    let (sets, home) = (sets(), tempfile::tempdir().unwrap());
    let plan = planned("data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\nmethod = \"mlp\"\nepochs = 1\n", &sets);
    let path = home.path().join("book.sqlite");
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(include_str!("schema.sql")).unwrap();
    old.execute_batch("INSERT INTO sweep VALUES ('t', 'f', '0')").unwrap();
    drop(old);
    let read = Book::open(home.path()).unwrap();
    assert_eq!(
        (read.sweep().unwrap(), read.columns().unwrap()),
        (Some(("t".into(), "f".into())), export::Columns::default())
    );
    drop(read);
    let mut book = Book::begin(home.path()).unwrap();
    assert_eq!(order(&plan, &sets, &mut book, false).0, Done { there: 0, run: 1, failed: 0 });
    assert!(book.columns().unwrap().figures.contains("test_accuracy"));
}

/// The folder says which seeds were run, whatever its file says.
#[test]
fn seeds_are_written_down() {
    let (sets, home) = (sets(), tempfile::tempdir().unwrap());
    let mut sweep = parsed("data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\nmethod = \"mlp\"\n");
    sweep.set_seeds(std::num::NonZeroU32::new(3).unwrap()).unwrap();
    let mut book = Book::begin(home.path()).unwrap();
    book.set_plan(&Plan::new(&sweep, &sets).unwrap()).unwrap();
    assert_eq!(book.texts("SELECT seeds FROM sweep"), ["[1,2,3]"]);
}

/// What runs give has a column before any of them has.
#[test]
fn every_figure_is_foreseen() {
    let sets = sets();
    let text = "data = \"g\"\nseeds = 1\n[[cases]]\nname = \"a\"\nmethod = \"gnn\"\nepochs = 1\nhidden = 2\n";
    let attack = "[[attacks]]\nkind = \"lsa\"\npairs = 20\n";
    for (more, figure) in [("", "lsa_auc_edge_free"), ("inference-data = \"h\"\n", "inference_accuracy")] {
        let plan = planned(&format!("{text}{more}{attack}"), &sets);
        let (found, foreseen) = (plan.jobs[0].work.done(&sets).unwrap().figures, plan.figures());
        assert!(found.contains_key(figure));
        assert!(found.keys().all(|name| foreseen.contains(name)), "{found:?} {foreseen:?}");
    }
}
