use std::path::{Path, PathBuf};

use veil_graph::generate::Community;
use veil_privacy::integrity::Integrity;

use super::*;
use crate::pipeline::{Graphs, Input, Job, Payment, Place, Silent, Terms};
use crate::{Settings, method};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A run of LPGNet on a small graph.
    fn run(&self, seed: Option<u64>, declare: &str) -> PathBuf {
        let graph = Community::citation().with_nodes(120).check().expect("valid").generate(1);
        let settings = Settings::from_iter([("epsilon-edges", 4.into()), ("epochs", 2.into())]);
        let split = Some("0.5,0.25,0.25".parse().expect("a split"));
        let terms = Terms { split, declared: declare.parse().expect("facts"), ..Terms::default() };
        let payment = Payment { seed, ..Payment::experiment(1) };
        let input = Input::Graphs(Graphs::one(graph, &terms, &payment).expect("a graph"));
        let method = method::configure("lpgnet", &settings).expect("a method");
        let out = self.path("run");
        let job = Job { method, terms, payment, input };
        job.run(Place::Folder(&out), &Silent).expect("a run");
        out
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_published_run_answers_alike_and_holds_nothing_of_the_owners() {
    let home = Home::new();
    let (run, out) = (home.run(None, "features,labels"), home.path("out"));
    publish(&run, &out, &Publication::default()).expect("published");
    let expected = [
        "answers.csv",
        "digests.json",
        "model.safetensors",
        "privacy.html",
        "privacy.json",
        "privacy.md",
        "released",
        "run.json",
        "stage-0.safetensors",
    ];
    assert_eq!(files(&out), expected);
    let (before, after) = (Run::open(&run).expect("a run"), Run::open(&out).expect("a published run"));
    assert_eq!(before.posteriors().expect("answers"), after.posteriors().expect("answers"));
    let answers = Answers::open(&out).expect("answers");
    assert_eq!(*answers.posteriors(), after.posteriors().expect("answers"));
    assert!(!std::fs::read_to_string(out.join("run.json")).expect("a record").contains("seconds"));
}

#[test]
fn answers_alone_come_without_model_and_data() {
    let home = Home::new();
    let (run, out) = (home.run(None, "features,labels"), home.path("out"));
    publish(&run, &out, &Publication { answers_only: true, ..Publication::default() }).expect("published");
    assert_eq!(files(&out), ["answers.csv", "digests.json", "privacy.html", "privacy.json", "privacy.md"]);
    assert_eq!(Answers::open(&out).expect("answers").nodes().len(), 120);
}

#[test]
fn raw_data_that_nobody_declared_public_lie_in_the_owners_folder_and_are_not_published() {
    let home = Home::new();
    let (run, out) = (home.run(None, ""), home.path("out"));
    assert!(!run.join("released").exists() && run.join("owner/released").exists());
    let refused = publish(&run, &out, &Publication::default()).expect_err("raw features");
    assert!(
        matches!(&refused, PublishError::Undeclared { units, .. } if units[..] == [Unit::Feature, Unit::Label]),
        "{refused}"
    );
    let declare = Declarations::from(Fact::Features);
    let refused = publish(&run, &out, &Publication { declare, ..Publication::default() }).expect_err("raw labels");
    assert!(matches!(&refused, PublishError::Undeclared { units, .. } if units[..] == [Unit::Label]), "{refused}");
    let declare = declare.with(Fact::Labels);
    let statements = publish(&run, &out, &Publication { declare, ..Publication::default() }).expect("declared");
    assert!(statements[0].to_markdown().contains("Declared public by the owner of the data"));
    let declare = Declarations::from(Fact::Nodes);
    assert!(matches!(
        publish(&run, &home.path("other"), &Publication { declare, ..Publication::default() }),
        Err(PublishError::TooLate { fact: Fact::Nodes })
    ));
}

#[test]
fn a_seeded_run_is_not_published_whatever_is_accepted() {
    let home = Home::new();
    let (run, out) = (home.run(Some(7), "features,labels"), home.path("out"));
    let how = Publication { accept: &Status::ALL, ..Publication::default() };
    assert!(matches!(publish(&run, &out, &how), Err(PublishError::Seeded { .. })));
    assert!(!out.exists());
}

#[test]
fn a_signed_publication_that_was_edited_is_refused() {
    let home = Home::new();
    let (run, out) = (home.run(None, "features,labels"), home.path("out"));
    let key = SigningKey::from_os().expect("randomness");
    publish(&run, &out, &Publication { key: Some(&key), ..Publication::default() }).expect("published");
    assert_eq!(integrity::check(&out).expect("as signed"), Integrity::Signed(key.public()));
    let statement = out.join("privacy.json");
    let text = std::fs::read_to_string(&statement).expect("a statement").replace("\"4\"", "\"0.01\"");
    std::fs::write(&statement, text).expect("edited");
    assert!(matches!(Run::open(&out), Err(RunError::Integrity(_))));
}

#[cfg(unix)]
#[test]
fn the_owners_folder_is_closed_to_others() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let owner = home.run(None, "features,labels").join(crate::run::owner::FOLDER);
    assert_eq!(owner.metadata().expect("a folder").permissions().mode() & 0o777, 0o700);
    assert_eq!(files(&owner), ["README.md", "graphs.json", "metrics.json", "timings.json"]);
}
