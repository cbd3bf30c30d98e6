//! Facts are given or declared before anything is charged.

use veil_privacy::{Declarations, ReleaseError, Unit};

use super::*;

/// The same graph, of which nothing was given but its split.
fn counted(nodes: u32) -> Dataset {
    graph("one", nodes, 1).with_declared(Declared::default())
}

/// A job with these words for declarations, paid for by the ledger.
fn paid(home: &Home, declared: &str, method: Arc<dyn Method>) -> Job {
    let (terms, payment) = (Terms { declared: declared.parse().unwrap(), ..Terms::default() }, Payment::experiment(1));
    let input = Input::Graphs(Graphs::one(counted(80), &terms, &payment).unwrap());
    home.paid(Job { method, terms, payment, input })
}

#[test]
fn a_job_without_its_facts_is_refused_before_a_charge() {
    let home = Home::new(&["edge=9", "edge-set=9"]);
    let reports = [("epsilon-features", json!(3)), ("epsilon-labels", json!(3)), ("scale", json!("none"))];
    let krr = || short("neighbour-krr", &reports);
    for (method, declared, missing) in [
        (short("lpgnet", &[]), "", "nodes"),
        (krr(), "", "nodes,dimensions,classes,columns"),
        (krr(), "nodes,classes", "dimensions,columns"),
        (short("neighbour-krr", &[&reports[..2], &[("scale", json!("minmax"))]].concat()), "nodes,classes", "columns"),
    ] {
        let job = paid(&home, declared, method);
        let of = |error: PipelineError| match error {
            PipelineError::Release(ReleaseError::NotPublic(error)) => error.facts().to_string(),
            other => panic!("{other}"),
        };
        assert_eq!(of(job.check().unwrap_err()), missing);
        assert_eq!(of(job.run(Place::Folder(&home.path("run")), &Silent).unwrap_err()), missing);
    }
    assert_eq!((home.charges(), home.list().len()), (0, 0));
    let run = paid(&home, "nodes", short("lpgnet", &[])).run(Place::Memory, &Silent).unwrap().run;
    assert_eq!(run.released().statement().declared, Declarations::from(Fact::Nodes));
    assert!(home.charges() > 0, "now it is paid for");
}

/// A local protocol that releases features unperturbed needs consent, or that they are public.
#[test]
fn features_that_are_declared_public_need_no_consent() {
    let home = Home::new(&["edge-bit=9", "edge-set=9"]);
    let method = || short("edge-flip", &[]);
    let refused = paid(&home, "nodes,labels", method()).run(Place::Memory, &Silent).unwrap_err();
    assert!(matches!(refused, PipelineError::Ledger(_)), "{refused}");
    let run = paid(&home, "nodes,features,labels", method()).run(Place::Memory, &Silent).unwrap().run;
    let statement = run.released().statement();
    assert_eq!(statement.declared.to_string(), "nodes,features,labels");
    assert!(statement.guarantees.iter().any(|it| it.unit == Unit::Feature && !it.epsilon.is_finite()));
}

#[test]
fn a_declaration_has_no_effect_on_a_release() {
    let run = job(short("gnn", &[]), graph("one", 80, 1)).run(Place::Memory, &Silent).unwrap().run;
    let input = Input::Released { released: Box::new(run.released().clone()), truth: None };
    let method = method_on(run.released(), None, &Settings::default()).unwrap();
    let refused = Job { method, terms: terms(), payment: Payment::experiment(1), input }.check().unwrap_err();
    assert!(matches!(refused, PipelineError::NoEffect { name: "a declaration", .. }), "{refused}");
}
