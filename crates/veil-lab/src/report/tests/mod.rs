//! What holds for every report, and what a browser says to one.

mod browser;
mod chromium;
mod compared;
pub(crate) mod example;
mod pressed;

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;

use self::example::{chance, outcome, outcomes, promised, report};
use super::{Made, Report};
use crate::outcome::{Outcome, Promised};

/// The page without its style and script.
fn content(html: &str) -> &str {
    html.split("</style>").nth(1).unwrap().split("<script>").next().unwrap()
}

/// All values of an attribute.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    html.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn the_same_outcomes_give_the_same_bytes() {
    let outcomes = outcomes();
    assert_eq!(report(&outcomes).render(), report(&outcomes).render());
}

#[test]
fn every_part_is_there_and_nothing_else_is_needed() {
    let outcomes = outcomes();
    let html = report(&outcomes).render();
    for id in ["results", "curves", "attacks", "maps", "graphs", "privacy", "parameters", "failed", "made"] {
        assert!(html.contains(&format!("<h2 id=\"{id}\">")), "{id}");
    }
    for wanted in [
        "✓ proven",
        "✗ refuted",
        "? claimed",
        "○ none",
        "best validation accuracy",
        "2 failed runs",
        "no teacher saw a class",
    ] {
        assert!(html.contains(wanted), "{wanted}");
    }
    // The name of a namespace is no address.
    let html = html.replace("http://www.w3.org/2000/svg", "");
    for address in ["http://", "https://", "<script ", "@import", "url(", "src="] {
        assert!(!html.contains(address), "{address}");
    }
    assert_eq!(html.matches("<script>").count(), 1);
    assert!(attributes(&html, "href").iter().all(|address| address.starts_with('#') || *address == "data:,"));
}

#[test]
fn a_report_of_nothing_is_a_page_too() {
    let html = Report::new("Nothing", &[], Made::default()).render();
    assert!(html.contains("0 runs") && html.contains("<h2 id=\"made\">"));
    assert!(!html.contains("<h2 id=\"results\">") && !content(&html).contains("NaN"));
}

#[test]
fn headings_are_in_order_ids_are_unique_and_pictures_have_words() {
    let outcomes = outcomes();
    let html = report(&outcomes).render();
    let ids = attributes(&html, "id");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    for named in ["aria-labelledby", "aria-describedby"].iter().flat_map(|name| attributes(&html, name)) {
        assert!(ids.contains(&named), "{named}");
    }
    let levels: Vec<u32> =
        html.match_indices("<h").filter_map(|(place, _)| html[place + 2..].chars().next()?.to_digit(10)).collect();
    assert_eq!(levels[0], 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1 && pair[1] > 1), "{levels:?}");
    let pictures = html.matches("role=\"img\"").count();
    assert!(pictures >= 10, "{pictures}");
    assert_eq!((html.matches("<desc").count(), html.matches("<details>").count()), (pictures, pictures / 2 + 1));
    assert_eq!(html.matches("<th>").count() + html.matches("<th class").count(), 0, "a heading without a scope");
}

#[test]
fn names_cannot_leave_their_place() {
    let evil = "</title><script>\"x\" & 'y'";
    let mut runs: Vec<Outcome> = (0..2)
        .map(|seed| {
            outcome(
                evil,
                evil,
                &[("epsilon", json!(1)), (evil, json!(seed))],
                seed,
                &[("test_accuracy", 0.5), ("</b>_auc", 0.6)],
            )
        })
        .collect();
    runs[0].promises.push(promised(evil, Some(1.0), evil, evil));
    runs.push(Outcome { error: Some(evil.into()), ..runs[0].clone() });
    let mut report = Report::new(evil, &runs, Made { version: evil.into(), date: evil.into(), command: evil.into() });
    report.statements.push((evil.into(), evil.into()));
    report.statements.push((evil.into(), format!("# {evil}\n- {evil}\n\n|{evil}|\n> {evil}\n\n`{evil}`")));
    report.parameters.push((evil.into(), evil.into()));
    let html = report.render();
    assert!(html.matches("<script").count() == 1 && !html.contains("</b>") && !content(&html).contains("\"x\""));
    assert_eq!(html.matches("</title>").count(), html.matches("<title").count());
}

/// Some `points` of `seeds` runs each, in five cases of which one has a grid.
fn many(points: u64, seeds: u64) -> Vec<Outcome> {
    let mut all = Vec::new();
    for point in 0..points {
        for seed in 0..seeds {
            let (case, rest) = (point % 5, point / 5);
            let mut settings = vec![("epsilon", json!([0.1, 0.5, 1.0, 2.0, 4.0][(rest % 5) as usize]))];
            if case == 0 {
                settings.extend([
                    ("alpha", json!(rest / 5 % 5)),
                    ("threshold", json!(rest / 25 % 5)),
                    ("model", json!(rest / 125)),
                ]);
            } else {
                settings.push(("hidden", json!(rest / 5)));
            }
            let figure = |of: u64| chance(7 * (point * seeds + seed) + of);
            let figures = [("test_accuracy", figure(0)), ("linkteller_auc", figure(1)), ("lsa_auc", figure(2))];
            let mut run = outcome(&format!("case {case}"), "made-up", &settings, seed, &figures);
            run.promises.push(promised("edge-set", Some(1.0), "proven", "degree-vectors"));
            all.push(run);
        }
    }
    all
}

#[test]
fn five_thousand_outcomes_fit_in_six_mebibytes() {
    // Ten seeds for each point, and the worst: each outcome a point of its own.
    for (points, seeds) in [(500, 10), (5_000, 1)] {
        let outcomes = many(points, seeds);
        assert_eq!(outcomes.len(), 5_000);
        let size = Report::new("Many", &outcomes, Made::default()).render().len();
        assert!(size > 100_000 && size < 6 << 20, "{points} points: {size} bytes");
    }
}

#[test]
fn the_sweet_spot_needs_both_that_border_it() {
    let outcomes = outcomes();
    let mut report = report(&outcomes);
    let html = report.render();
    assert!(
        html.contains("class=\"sweet\"")
            && html.contains("<strong>lpgnet</strong> at ε = 0.1 (proven), 0.5 (proven), 1 (proven)")
    );
    report.references.floor = None;
    let html = report.render();
    assert!(!html.contains("class=\"sweet\"") && !html.contains("Sweet spot"));
}

#[test]
fn the_gap_and_the_fronts_stand_in_the_first_table() {
    let run = |case: &str, seed: u64, accuracy: f64, auc: f64, epsilon: Option<f64>, status: &str| {
        let mut run = outcome(case, "cora", &[], seed, &[("test_accuracy", accuracy), ("lsa_auc", auc)]);
        run.promises.push(promised("edge", epsilon, status, "m"));
        run
    };
    let mut runs = Vec::new();
    for (seed, open) in [(1, 0.8), (2, 0.9)] {
        runs.push(run("gcn", seed, open, 0.9, None, "none"));
        // Lost are 10 and 20 points.
        runs.push(run("lpgnet", seed, 0.7, 0.6, Some(1.0), "proven"));
        // As much for more, and no less is found.
        runs.push(run("dear", seed, 0.7, 0.6, Some(2.0), "proven"));
        runs.push(run("refuted", seed, 0.7, 0.7, Some(0.5), "refuted"));
    }
    let mut report = Report::new("A gap", &runs, Made::default());
    report.references.non_private = Some("gcn".into());
    let html = report.render();
    assert!(html.contains("gap to ε = ∞</th>") && html.contains("Pareto-optimal in</th>"));
    assert_eq!(html.matches("<td class=\"number\">15.0<br><span class=\"quiet\">10.0 to 20.0</span></td>").count(), 3);
    let row = |case: &str| {
        let start = html.find(&format!("class=\"case\"><span class=\"name\">{case}<")).unwrap();
        html[start..].split("</tr>").next().unwrap()
    };
    let cells = [
        ("gcn", "<td>ε, LSA</td>"),
        ("lpgnet", "<td>ε, LSA</td>"),
        ("dear", "<td>LSA</td>"),
        ("refuted", "<td>–</td>"),
    ];
    for (case, cell) in cells {
        assert!(row(case).contains(cell), "{}", row(case));
    }
}

#[test]
fn points_are_means_over_seeds_and_never_over_settings() {
    let run = |hidden: u64, seed: u64, accuracy: f64| {
        outcome(
            "lpgnet",
            "cora",
            &[("epsilon", json!(1)), ("hidden", json!(hidden))],
            seed,
            &[("test_accuracy", accuracy)],
        )
    };
    let runs = [run(16, 0, 0.6), run(16, 1, 0.7), run(64, 0, 0.8), run(64, 1, 0.9)];
    let html = Report::new("Two settings", &runs, Made::default()).render();
    assert!(html.contains("<strong>65.0</strong> <span class=\"quiet\">± 7.1</span>"));
    assert!(html.contains("<strong>85.0</strong>") && !html.contains("75.0</strong>"));
    assert!(html.contains("lpgnet · hidden 16") && html.contains("lpgnet · hidden 64"));
}

#[test]
fn a_cell_is_chosen_by_validation_and_otherwise_it_is_said() {
    let run = |alpha: f64, validation: Option<f64>, test: f64| {
        let point = [("epsilon", json!(1)), ("alpha", json!(alpha)), ("threshold", json!(0.5))];
        let mut run = outcome("graph-privatizer", "cora", &point, 0, &[("test_accuracy", test)]);
        run.figures.extend(validation.map(|value| ("validation_accuracy".to_owned(), value)));
        run
    };
    let html = |runs: &[Outcome]| Report::new("A grid", runs, Made::default()).render();
    let validated = html(&[run(0.0, Some(0.7), 0.6), run(1.0, Some(0.6), 0.7)]);
    assert!(
        validated.contains("<strong>60.0</strong>")
            && validated.contains("best validation accuracy")
            && !validated.contains("†")
    );
    let flattering = html(&[run(0.0, None, 0.6), run(1.0, None, 0.7)]);
    assert!(
        flattering.contains("<strong>70.0</strong>")
            && flattering.contains("α 1<br>threshold 0.5 †</span></td>")
            && flattering.contains("which is therefore too high")
    );
    assert!(flattering.contains("<td class=\"h0\">60.0</td>") && flattering.contains("<td class=\"h8\">70.0</td>"));
}

#[test]
fn a_row_lists_each_promise_once() {
    let run = |epsilon: f64, declared: &str| {
        let mut run = outcome("case", "cora", &[("epsilon", json!(epsilon))], 0, &[("test_accuracy", 0.5)]);
        let label = promised("label", Some(3.0), "proven", "randomised-response");
        run.promises = vec![promised("edge", Some(epsilon), "refuted", "case"), label.clone()];
        run.promises.push(Promised { declared: declared.parse().unwrap(), ..label });
        run
    };
    let runs = [run(1.0, ""), run(2.0, "classes,split")];
    let html = Report::new("Two", &runs, Made::default()).render();
    assert_eq!(html.matches("label, ε\u{a0}=\u{a0}3</li>").count(), 2);
    assert_eq!(html.matches("label, ε\u{a0}=\u{a0}3, given public classes, split</li>").count(), 1);
    // The ε of the row is not repeated.
    assert_eq!(html.matches("</span>edge</li>").count(), 2);
}

#[test]
fn the_first_table_shows_all_of_a_promise() {
    let run = |case: &str, seed: u64, promise: Promised| {
        let mut run = outcome(case, "cora", &[], seed, &[("test_accuracy", 0.5)]);
        run.promises.push(promise);
        run
    };
    let vectors = |reproducible: bool| Promised {
        per_relationship: Some(8.0),
        reproducible,
        ..promised("edge-bit", Some(4.0), "proven", "degree-vectors")
    };
    let teachers = promised("node", Some(4.0), "proven", "privgnn");
    let mut runs = vec![run("vectors", 1, vectors(true)), run("teachers", 1, teachers), run("own", 2, vectors(false))];
    let html = |runs: &[Outcome]| Report::new("Three", runs, Made::default()).render();
    let mixed = html(&runs);
    assert_eq!(mixed.matches(">4<br><span class=\"quiet\">edge:\u{a0}8</span></td>").count(), 2);
    assert!(mixed.contains("Below the ε of a list’s entry is that of an edge"));
    assert_eq!(mixed.matches(">4<br><span class=\"quiet\">δ = 1e−5</span></td>").count(), 1);
    // It is true of one row.
    let badge = "</ul><span class=\"seeded\">seeded: not private</span>";
    assert_eq!(mixed.matches(badge).count(), 1);
    assert!(mixed.contains("the noise of the marked rows is from known seeds"));
    let seeded = html(&runs[..1]);
    assert!(seeded.contains(badge) && seeded.contains("the noise of all runs is from known seeds"));
    assert!(!html(&runs[1..]).contains(badge) && !html(&runs[1..]).contains("from known seeds. A status"));
    // A failed run has no promise.
    runs.truncate(1);
    runs[0].promises.clear();
    runs[0].error = Some("no room".into());
    let failed = html(&runs);
    assert!(failed.contains("<td><span class=\"status none\">– failed</span></td>"), "{failed}");
}

#[test]
fn a_statement_is_named_and_open_and_a_sweep_has_one_too() {
    let outcomes = outcomes();
    let html = report(&outcomes).render();
    assert!(html.contains("<details class=\"statement\" open>\n<summary><h3>graph-privatizer, ε = 1</h3></summary>"));
    // The promises of runs are listed, unless a single run has a statement.
    assert!(html.contains("<h3>What the runs promise</h3>") && html.contains("<h4>edge-set</h4>"));
    let mut alone = Report::new("One", &outcomes[..1], Made::default());
    assert!(alone.render().contains("<h3>What the runs promise</h3>"));
    alone.statements.push(("run".into(), "# Privacy statement".into()));
    assert!(!alone.render().contains("<h3>What the runs promise</h3>"));
}

#[test]
fn the_rule_of_sweet_spots_is_said_and_intervals_are_drawn() {
    let outcomes = outcomes();
    let html = report(&outcomes).render();
    assert!(html.contains("seed by seed, the whole") && html.contains("from at least three seeds"));
    assert!(html.matches("class=\"i cross\"").count() > 100);
    // Every interval is explained where it is printed.
    for part in html.split("95 % interval").skip(1).filter(|part| !part.starts_with("</th>")) {
        assert!(part.starts_with(" (bootstrap; with two or three seeds") || part.starts_with(" of the"));
    }
    assert!(html.contains("α ↓ threshold →"));
    let quiet = Report::new("No attack", &outcomes[..0], Made::default()).render();
    assert!(!quiet.contains("No attack was measured"));
}

#[test]
fn a_file_is_written_once() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("report.html");
    let outcomes = outcomes();
    report(&outcomes).write(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), report(&outcomes).render());
    assert!(report(&outcomes).write(&path).is_err());
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}

mod colours {
    //! What the style sheet says, checked as WCAG 2.2 does.

    use super::super::heat_map::SHADES;
    use super::super::mark::MARKS;

    const STYLE: &str = include_str!("../style.css");

    /// The first value is that of light screens and of paper, the second that of dark ones.
    fn both(name: &str) -> [[f64; 3]; 2] {
        let start = format!("--{name}: #");
        let values: Vec<&str> = STYLE.split(&start).skip(1).map(|rest| &rest[..6]).collect();
        assert_eq!(values.len(), 2, "{name}");
        let part = |value: &str, at: usize| f64::from(u8::from_str_radix(&value[at..at + 2], 16).unwrap()) / 255.0;
        [values[0], values[1]].map(|value| [0, 2, 4].map(|at| part(value, at)))
    }

    fn linear(colour: [f64; 3]) -> [f64; 3] {
        colour.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) })
    }

    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let luminance = |colour| {
            let [red, green, blue] = linear(colour);
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let (one, other): (f64, f64) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// L of Oklab (Ottosson 2020).
    fn lightness(colour: [f64; 3]) -> f64 {
        let [red, green, blue] = linear(colour);
        let long = (0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue).cbrt();
        let medium = (0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue).cbrt();
        let short = (0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue).cbrt();
        0.210_454_255_3 * long + 0.793_617_785 * medium - 0.004_072_046_8 * short
    }

    #[test]
    fn text_can_be_read_and_lines_can_be_seen() {
        let check = |above: &str, below: &str, least: f64| {
            for (above_colour, below_colour) in both(above).into_iter().zip(both(below)) {
                let found = contrast(above_colour, below_colour);
                assert!(found >= least, "{above} on {below}: {found:.2}");
            }
        };
        for text in ["ink", "quiet", "accent", "warning", "proven", "claimed", "refuted", "none"] {
            check(text, "paper", 4.5);
        }
        check("ink", "raised", 4.5);
        check("quiet", "raised", 4.5);
        for mark in 0..MARKS {
            check(&format!("c{mark}"), "paper", 3.0);
            check(&format!("c{mark}"), "raised", 3.0);
        }
        for shade in 0..SHADES {
            check(&format!("t{shade}"), &format!("h{shade}"), 4.5);
        }
    }

    #[test]
    fn shades_are_even_steps_away_from_the_page() {
        for dark in [0, 1] {
            let shades: Vec<f64> = (0..SHADES).map(|shade| lightness(both(&format!("h{shade}"))[dark])).collect();
            let steps: Vec<f64> = shades.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let mean = (shades[SHADES - 1] - shades[0]) / (SHADES - 1) as f64;
            assert!(steps.iter().all(|step| (step / mean - 1.0).abs() < 0.1), "{steps:?}");
            let page = lightness(both("paper")[dark]);
            assert!((page - shades[0]).abs() < (page - shades[SHADES - 1]).abs());
        }
    }
}
