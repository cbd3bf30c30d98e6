//! Keys of interrupted jobs: they serve one job, and it is charged once.

use veil_graph::{Direction, Dropped, Graph};

use super::*;
use crate::guarantee::{Status, Trust};
use crate::ledger::Budget;

fn data(edges: &[(u32, u32)]) -> Private<Dataset> {
    named("tiny", edges)
}

fn named(name: &str, edges: &[(u32, u32)]) -> Private<Dataset> {
    let graph = Graph::from_edges(4, edges, Direction::Undirected).unwrap().graph;
    Private::seal(Dataset::new(name, graph, Dropped::default()))
}

fn promised(epsilon: &str) -> Vec<Guarantee> {
    vec![Guarantee {
        unit: Unit::Node,
        trust: Trust::Central,
        epsilon: epsilon.parse().unwrap(),
        delta: "0.001".parse().unwrap(),
        status: Status::Proven,
        reproducible: false,
        per_relationship: None,
        mechanism: "test".into(),
        parameters: Default::default(),
        assumptions: Vec::new(),
        not_protected: Vec::new(),
        source: String::new(),
    }]
}

/// One release of each of these data sets.
fn wanted<'a>(data: &[&'a Private<Dataset>], epsilon: &str) -> Vec<Wanted<'a>> {
    data.iter().map(|data| Wanted { data, guarantees: promised(epsilon), public: Vec::new() }).collect()
}

fn about(job: &str) -> About<'_> {
    About { job, booked: true }
}

/// A folder with a ledger.
fn home() -> (tempfile::TempDir, Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let budgets: [Budget; 1] = ["node=9,0.1".parse().unwrap()];
    let ledger = Ledger::create(&folder.path().join("book.db"), &budgets).unwrap();
    (folder, ledger)
}

fn entries(ledger: &mut Ledger) -> usize {
    ledger.report().unwrap().entries.len()
}

#[test]
fn a_job_that_was_interrupted_is_charged_once() {
    let (folder, mut book) = home();
    let (one, two) = (data(&[(0, 1)]), data(&[(0, 1), (2, 3)]));
    let mut spent = 0;
    for (seed, job) in [
        (None, "all else"),
        (Some(7), "all else"),
        // The same seed for something else is another release, and another charge.
        (Some(7), "something else"),
    ] {
        let key = folder.path().join(format!("key{spent}"));
        let begun = Resumable::begin(wanted(&[&one, &two], "1"), seed, SeededId::Release, about(job)).unwrap();
        begun.store(&key, about(job)).unwrap();
        let ids: Vec<ReleaseId> = begun.requests.iter().map(|it| it.release).collect();
        assert_eq!(releases_of(&key).unwrap(), ids);
        spent += 2;
        // Interrupted before the charge, after it, and once more: these are the same releases, and
        // they are paid for once.
        for _ in 0..3 {
            let resumed = Resumable::resume(wanted(&[&one, &two], "1"), &key, about(job)).unwrap();
            let Paid { permits, cost } = resumed.charge(&mut book, Bound::First, &[Consent::Seeded]).unwrap();
            assert_eq!(permits.iter().map(Permit::release).collect::<Vec<_>>(), ids);
            // Also whoever pays nothing more is told what it cost.
            assert_eq!((cost[0].0, cost.len()), (Unit::Node, 1));
            assert_eq!(cost[0].1.to_string(), if seed.is_some() { "unbounded" } else { "2" });
            assert_eq!(entries(&mut book), spent);
        }
    }
    // Another ledger knows nothing of it: there it is charged.
    let (_other, mut book) = home();
    let resumed = Resumable::resume(wanted(&[&one, &two], "1"), &folder.path().join("key0"), about("all else"));
    resumed.unwrap().charge(&mut book, Bound::First, &[]).unwrap();
    assert_eq!(entries(&mut book), 2);
}

/// Releases of one seed have one id where it is the seed's: each pays for what it is, and for the
/// data that it is about.
#[test]
fn an_id_alone_does_not_pay() {
    let (_folder, mut book) = home();
    let (one, two) = (data(&[(0, 1)]), data(&[(2, 3)]));
    for (data, epsilon, charges) in
        [(&one, "1", 1), (&one, "2", 2), (&one, "1", 2), (&two, "1", 3), (&two, "1", 3), (&one, "2", 3)]
    {
        let begun = Resumable::begin(wanted(&[data], epsilon), Some(7), SeededId::Seed, about("")).unwrap();
        begun.charge(&mut book, Bound::None, &[Consent::Seeded]).unwrap();
        assert_eq!(entries(&mut book), charges, "ε = {epsilon}");
    }
}

/// Several further graphs are charged together or not at all.
#[test]
fn a_refused_job_is_charged_for_none_of_its_releases() {
    let (_folder, mut book) = home();
    let (one, two) = (data(&[(0, 1)]), data(&[(2, 3)]));
    let begin = |epsilon| Resumable::begin(wanted(&[&one, &two], epsilon), None, SeededId::Seed, about("")).unwrap();
    let refused = begin("5").charge(&mut book, Bound::None, &[]).unwrap_err();
    assert!(matches!(refused, LedgerError::OverBudget { .. }) && !refused.is_uncertain(), "{refused}");
    assert_eq!(entries(&mut book), 0);
    assert_eq!(begin("4").charge(&mut book, Bound::None, &[]).unwrap().permits.len(), 2);
}

/// What is declared public costs nothing, unless the ledger has a budget for it: then it was
/// consented to, and is a part of the price.
#[test]
fn the_price_is_what_the_ledger_was_charged() {
    let folder = tempfile::tempdir().unwrap();
    let one = data(&[(0, 1)]);
    for (at, (budgets, price)) in
        [(&["label=9"][..], &["label 1"][..]), (&["label=9", "feature=9"], &["feature unbounded", "label 1"])]
            .into_iter()
            .enumerate()
    {
        let budgets: Vec<Budget> = budgets.iter().map(|text| text.parse().unwrap()).collect();
        let mut book = Ledger::create(&folder.path().join(format!("book{at}.db")), &budgets).unwrap();
        let of = |unit, epsilon: &str, status| {
            let (epsilon, delta) = (epsilon.parse().unwrap(), "0".parse().unwrap());
            Guarantee { unit, epsilon, delta, status, ..promised("1").remove(0) }
        };
        let guarantees = vec![of(Unit::Label, "1", Status::Proven), of(Unit::Feature, "inf", Status::None)];
        let wanted = vec![Wanted { data: &one, guarantees, public: vec![Unit::Feature] }];
        let begun = Resumable::begin(wanted, None, SeededId::Seed, about("")).unwrap();
        let paid = begun.charge(&mut book, Bound::First, &[Consent::Status(Status::None)]).unwrap();
        let found: Vec<String> = paid.cost.iter().map(|(unit, spent, _)| format!("{unit} {spent}")).collect();
        assert_eq!(found, price);
    }
}

/// A ledger that was replaced does not say what the one at its place says.
#[cfg(unix)]
#[test]
fn what_was_booked_in_a_ledger_that_is_gone_is_not_paid() {
    let (folder, mut book) = home();
    let one = data(&[(0, 1)]);
    let key = folder.path().join("key");
    let begun = Resumable::begin(wanted(&[&one], "1"), None, SeededId::Seed, about("")).unwrap();
    begun.store(&key, about("")).unwrap();
    begun.charge(&mut book, Bound::First, &[]).unwrap();
    let again = || Resumable::resume(wanted(&[&one], "1"), &key, about("")).unwrap();
    again().charge(&mut book, Bound::First, &[]).unwrap();
    let path = folder.path().join("book.db");
    fs::rename(&path, folder.path().join("moved.db")).unwrap();
    for replaced in [false, true] {
        if replaced {
            Ledger::create(&path, &["node=9,0.1".parse().unwrap()]).unwrap();
        }
        let refused = again().charge(&mut book, Bound::First, &[]).unwrap_err();
        assert!(matches!(refused, LedgerError::Moved { .. }), "{refused}");
    }
}

#[test]
fn a_seed_gives_the_same_release_with_and_without_a_ledger() {
    let one = data(&[(0, 1)]);
    let id = |booked, job| {
        let about = About { job, booked };
        Resumable::begin(wanted(&[&one], "1"), Some(3), SeededId::Release, about).unwrap().requests[0].release
    };
    assert_eq!(id(true, "job"), id(false, "job"));
    assert_ne!(id(true, "job"), id(true, "another"));
}

#[test]
fn a_key_serves_no_other_job() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let (one, other) = (data(&[(0, 1)]), data(&[(0, 2)]));
    let begun = Resumable::begin(wanted(&[&one], "1"), None, SeededId::Seed, about("these queries")).unwrap();
    begun.store(&key, about("these queries")).unwrap();
    let resume = |data: &[&Private<Dataset>], epsilon, about| Resumable::resume(wanted(data, epsilon), &key, about);
    resume(&[&one], "1", about("these queries")).unwrap();
    let renamed = named("another", &[(0, 1)]);
    for (data, epsilon, about) in [
        (vec![&other], "1", about("these queries")),
        (vec![&renamed], "1", about("these queries")),
        (vec![&one, &other], "1", about("these queries")),
        (vec![&one], "2", about("these queries")),
        (vec![&one], "1", about("other queries")),
        (vec![&one], "1", About { job: "these queries", booked: false }),
    ] {
        let refused = resume(&data, epsilon, about).unwrap_err();
        assert!(refused.to_string().contains("had other data or parameters"), "{refused}");
        assert!(refused.hint().unwrap().contains("rm -r"));
    }
    // An id that was written into it is not its own.
    let text = fs::read_to_string(&key).unwrap();
    let (before, after) = text.split_once("\"release\":[").unwrap();
    let (first, rest) = after.split_once(',').unwrap();
    let changed = if first == "0" { "1" } else { "0" };
    fs::write(&key, format!("{before}\"release\":[{changed},{rest}")).unwrap();
    let refused = resume(&[&one], "1", about("these queries")).unwrap_err();
    assert!(refused.to_string().contains("had other data or parameters"), "{refused}");
    fs::write(&key, "{}").unwrap();
    let refused = resume(&[&one], "1", about("these queries")).unwrap_err();
    assert!(refused.to_string().contains("not the key of a release"), "{refused}");
    // It is renamed before anything of it changes.
    fs::create_dir(key.with_extension("spent")).unwrap();
    assert!(destroy(&key).is_err() && fs::read(&key).unwrap() == b"{}");
    fs::remove_dir(key.with_extension("spent")).unwrap();
    destroy(&key).unwrap();
    assert!(!key.exists() && !key.with_extension("spent").exists());
}

/// Another user may have put something at the path of the key, or of its draft.
#[cfg(unix)]
#[test]
fn a_key_is_written_through_no_link_and_into_no_file_of_others() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (key, bait) = (folder.path().join("key"), folder.path().join("bait"));
    let one = data(&[(0, 1)]);
    let begun = Resumable::begin(wanted(&[&one], "1"), None, SeededId::Seed, about("")).unwrap();
    fs::write(&bait, "").unwrap();
    symlink(&bait, key.with_extension("draft")).unwrap();
    begun.store(&key, about("")).unwrap();
    assert_eq!(fs::read(&bait).unwrap(), b"");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&key), 0o600);
    // A draft that others can read.
    fs::write(key.with_extension("draft"), "").unwrap();
    fs::set_permissions(key.with_extension("draft"), fs::Permissions::from_mode(0o666)).unwrap();
    begun.store(&key, about("")).unwrap();
    assert_eq!(mode(&key), 0o600);
    // A key that others can read is known to them.
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(Resumable::resume(wanted(&[&one], "1"), &key, about("")), Err(KeyError::File(_))));
}
