//! Remarks of a page on comparisons.

use serde_json::{Value, json};

use crate::outcome::Outcome;
use crate::report::{Made, Report};
use crate::worth::tests::{OPEN, Promise, edge};
use crate::worth::{self, References};

/// Runs of one point, all as accurate by the figure of this name.
fn runs(case: &str, seeds: usize, (figure, accuracy): (&str, f64), auc: f64, promise: Promise<'_>) -> Vec<Outcome> {
    let mut runs = worth::tests::runs(case, &[], &vec![accuracy; seeds], auc, promise);
    for run in &mut runs {
        run.figures.remove("test_accuracy");
        run.figures.insert(figure.to_owned(), accuracy);
    }
    runs
}

/// The floor, the non-private case and one between them, by the figure of this name.
fn three(figure: &str, seeds: usize) -> Vec<Outcome> {
    [
        runs("mlp", seeds, (figure, 0.5), 0.5, None),
        runs("gcn", seeds, (figure, 0.75), 0.9, OPEN),
        runs("lpgnet", seeds, (figure, 0.625), 0.6, edge(1.0, "proven")),
    ]
    .concat()
}

fn page(runs: &[Outcome]) -> String {
    let [floor, non_private] = ["mlp", "gcn"].map(|case| Some(case.to_owned()));
    Report { references: References { floor, non_private }, ..Report::new("Compared", runs, Made::default()) }.render()
}

fn with(mut runs: Vec<Outcome>, parameters: &[(&str, Value)]) -> Vec<Outcome> {
    for run in &mut runs {
        run.parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    }
    runs
}

#[test]
fn accuracy_on_another_graph_is_called_so() {
    let there = page(&three("inference_accuracy", 3));
    for wanted in [
        "<th scope=\"col\" class=\"number\">inference accuracy (%)</th>",
        "<th scope=\"col\">mean inference accuracy (%)</th>",
        ">inference accuracy (%)</text>",
        "Mean inference accuracy in per cent by ε of one edge.",
        "LSA AUC by mean inference accuracy in per cent.",
        "Accuracy is on the inference graph, which is also the one attacked.",
    ] {
        assert!(there.contains(wanted), "{wanted}");
    }
    assert!(!there.contains("test accuracy") && !there.contains(">accuracy (%)"));
    let here = page(&three("test_accuracy", 3));
    assert!(here.contains(">accuracy (%)</th>") && !here.contains("inference"));
    let other = runs("dpgcn", 3, ("inference_accuracy", 0.625), 0.6, edge(2.0, "proven"));
    let both = page(&[three("test_accuracy", 3), other].concat());
    assert!(both.contains(">accuracy (%)</th>") && both.contains("Accuracy of dpgcn is on the inference graph"));
    assert!(both.contains("no other point on this data and graph is"));
    let rows = |which: &str| both.matches(&format!("<br><span class=\"quiet\">{which}</span></td>")).count();
    assert_eq!((rows("test"), rows("inference")), (3, 1));
    // In the numbers of both pictures.
    assert_eq!(both.matches("<td>62.5 (inference)</td>").count(), 2);
}

#[test]
fn what_differs_by_nature_is_marked_and_why_a_gap_is_missing_is_said() {
    let common = [("method", json!("gnn")), ("model", json!("gcn")), ("lr", json!(0.01))];
    let [_, open, own] = [0, 1, 2].map(|at| with(three("test_accuracy", 3)[3 * at..3 * at + 3].to_vec(), &common));
    let counts = [("method", json!("degree-vectors")), ("model", json!("mlp")), ("lr", json!(0.01))];
    let counted = page(&[open.clone(), with(own.clone(), &counts)].concat());
    assert!(counted.contains("<td class=\"number\">12.5\u{a0}‡<br>"), "{counted}");
    assert!(counted.contains(" ‡ lpgnet: another model than gcn."));
    let alike = page(&[open.clone(), own.clone()].concat());
    assert!(alike.contains("<td class=\"number\">12.5<br>") && !alike.contains("‡") && !alike.contains("No gap"));
    let faster = [("method", json!("gnn")), ("model", json!("gcn")), ("lr", json!(0.1))];
    let faster = page(&[open, with(own, &faster)].concat());
    assert!(faster.contains("No gap where gcn has other settings or seeds: lpgnet."));
}

#[test]
fn where_there_is_no_verdict_the_reason_is_said() {
    let verdict = |runs: &[Outcome]| {
        let page = page(runs);
        let row = page.rsplit("<th scope=\"row\">lpgnet</th>").next().unwrap();
        row.split("</td>").nth(5).unwrap().trim_start_matches("<td>").to_owned()
    };
    assert_eq!(verdict(&three("test_accuracy", 3)), "yes");
    let few = three("test_accuracy", 2);
    assert_eq!(verdict(&few), "unknown: too few seeds");
    assert!(page(&few).contains("A sweet spot requires three seeds in common with mlp and gcn: unknown for lpgnet."));
    // Where the non-private case was not attacked there is no line to draw, and still something to
    // say.
    let mut unlike = three("test_accuracy", 3);
    for open in &mut unlike[3..6] {
        open.figures.remove("lsa_auc");
    }
    assert_eq!(verdict(&unlike), "unknown: no reference");
    assert!(
        page(&unlike)
            .contains("A sweet spot requires mlp and gcn with the same settings and attacks: unknown for lpgnet.")
    );
}

#[test]
fn a_page_says_when_it_does_not_know_what_to_compare_with() {
    let two = [three("test_accuracy", 3), runs("sage", 3, ("test_accuracy", 0.75), 0.9, OPEN)].concat();
    let unclear = Report::new("Two", &two, Made::default()).render();
    let wanted = "No gaps to a non-private case and no sweet spots: no non-private reference was chosen (gcn or sage).";
    assert!(unclear.contains(wanted), "{unclear}");
    assert!(!unclear.contains("no edge-free") && !page(&two).contains("reference was chosen"));
}
