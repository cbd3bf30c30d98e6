//! Stories of people who use the page: they switch methods off, sort and filter tables, read marks
//! with mouse and keys, and save pictures and tables.

use serde_json::json;

use super::chromium::Chromium;
use super::example::{outcome, promised};
use super::{Made, Report, outcomes, report};
use crate::outcome::Outcome;

/// A browser with the page of some outcomes.
fn opened(outcomes: &[Outcome]) -> Option<Chromium> {
    let mut browser = Chromium::start()?;
    browser.open(&report(outcomes).render());
    Some(browser)
}

/// The texts of what is shown.
fn texts(browser: &mut Chromium, selector: &str) -> Vec<String> {
    let found = browser.value(&format!(
        "[...document.querySelectorAll({})].filter(it => it.checkVisibility() && it.getBoundingClientRect().width > 0)
           .map(it => it.textContent)",
        json!(selector)
    ));
    found.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn count(browser: &mut Chromium, selector: &str) -> usize {
    texts(browser, selector).len()
}

/// The number of the line of a method.
fn line(browser: &mut Chromium, method: &str) -> String {
    let found = browser.value(&format!(
        "[...document.querySelectorAll('[data-legend]')].find(it => it.querySelector('.name').textContent === {}).dataset.legend",
        json!(method)
    ));
    found.as_str().unwrap().to_owned()
}

#[test]
fn a_method_that_is_switched_off_leaves_pictures_and_tables() {
    let Some(mut browser) = opened(&outcomes()) else { return };
    let own = line(&mut browser, "lpgnet");
    let (marks, rows) = (format!("figure [data-line='{own}'] use"), format!(".headline tr[data-line='{own}']"));
    let others = "figure .series use";
    let before = count(&mut browser, others);
    let (own_marks, own_rows) = (count(&mut browser, &marks), count(&mut browser, &rows));
    assert!(own_marks > 10 && own_rows == 7, "{own_marks} {own_rows}");
    let place = browser
        .value("[...document.querySelectorAll('.chips .chip')].findIndex(it => it.textContent.includes('lpgnet'))");
    let chip = format!(".chips .chip:nth-child({})", place.as_u64().unwrap() + 1);
    browser.click(&chip);
    assert_eq!((count(&mut browser, &marks), count(&mut browser, &rows)), (0, 0));
    assert_eq!(count(&mut browser, others), before - own_marks);
    assert_eq!(texts(&mut browser, ".off-note"), ["Not shown: lpgnet."]);
    assert_eq!(browser.value(&format!("document.querySelector('{chip}').ariaPressed")), json!("false"));
    // A legend is as good, and with the keyboard.
    browser.value(&format!("document.querySelector(\"[data-legend='{own}'] .chip\").focus()"));
    browser.press("Enter");
    assert_eq!((count(&mut browser, &marks), count(&mut browser, &rows)), (own_marks, own_rows));
    assert_eq!(count(&mut browser, ".off-note"), 0);
    // Proven ones, none, all.
    browser.click(".several button:nth-child(3)");
    let left = texts(&mut browser, ".headline tr.first .name");
    assert_eq!(left, ["gcn", "mlp", "degree-vectors", "lpgnet", "dpgcn"]);
    browser.click(".several button:nth-child(2)");
    assert_eq!(count(&mut browser, others), 0);
    browser.click(".several button:nth-child(1)");
    assert_eq!(count(&mut browser, others), before);
    assert_eq!(browser.said, [] as [&str; 0]);
}

/// Cells of a column of the table of results, from the top.
fn column(browser: &mut Chromium, number: usize) -> Vec<f64> {
    let cells = texts(browser, &format!(".headline tbody td:nth-child({number})"));
    let number = |cell: &String| match cell.split([' ', 'e', 'δ', 'α', '±']).next().unwrap_or_default() {
        "∞" => f64::INFINITY,
        text => text.replace('−', "-").parse().unwrap_or(f64::NAN),
    };
    cells.iter().map(number).collect()
}

#[test]
fn a_table_is_sorted_by_number_up_down_and_back() {
    let Some(mut browser) = opened(&outcomes()) else { return };
    let given = column(&mut browser, 2);
    let heading = ".headline thead th:nth-child(2) .sort";
    browser.click(heading);
    let up: Vec<f64> = column(&mut browser, 2);
    let filled = up.iter().filter(|it| !it.is_nan()).count();
    // 10 would come before 2 among texts; ∞ is the largest, and what has no ε is last.
    assert!(up[..filled].windows(2).all(|pair| pair[0] <= pair[1]) && up[filled - 1] == f64::INFINITY, "{up:?}");
    assert!(up[filled..].iter().all(|it| it.is_nan()) && up.contains(&0.1) && filled < up.len(), "{up:?}");
    assert_eq!(browser.value("document.querySelector('.headline th:nth-child(2)').ariaSort"), json!("ascending"));
    // Rows of several methods are mixed now, so each is named.
    assert!(count(&mut browser, ".headline tr.first") > 20);
    browser.value(&format!("document.querySelector('{heading}').focus()"));
    browser.press("Enter");
    let down = column(&mut browser, 2);
    assert!(down[..filled].windows(2).all(|pair| pair[0] >= pair[1]) && down[filled].is_nan(), "{down:?}");
    browser.click(heading);
    let back = column(&mut browser, 2);
    assert!(given.iter().zip(&back).all(|(one, other)| one == other || one.is_nan() && other.is_nan()), "{back:?}");
    assert_eq!(count(&mut browser, ".headline tr.first"), 7);
    // Accuracies with deviations, too.
    browser.click(".headline thead th:nth-child(4) .sort");
    let accuracies: Vec<f64> = column(&mut browser, 4).into_iter().filter(|it| !it.is_nan()).collect();
    assert!(accuracies.len() > 20 && accuracies.windows(2).all(|pair| pair[0] <= pair[1]), "{accuracies:?}");
}

#[test]
fn a_table_is_filtered_by_words() {
    let Some(mut browser) = opened(&outcomes()) else { return };
    let all = count(&mut browser, ".headline tbody tr");
    let field = "#results ~ .tools input";
    browser.click(field);
    browser.write("proven LPGnet");
    let names = texts(&mut browser, ".headline tbody tr .name");
    assert!(names.len() == 6 && names.iter().all(|name| name == "lpgnet"), "{names:?}");
    assert_eq!(texts(&mut browser, "#results ~ .tools output"), [format!("6 of {all} rows")]);
    // What is switched off stays so, whatever the filter.
    let own = line(&mut browser, "lpgnet");
    browser.click(&format!("[data-legend='{own}'] .chip"));
    assert_eq!(count(&mut browser, ".headline tbody tr"), 0);
    browser.click(&format!("[data-legend='{own}'] .chip"));
    browser.value(&format!("(() => {{ const it = document.querySelector('{field}'); it.value = ''; it.dispatchEvent(new Event('input')); }})()"));
    assert_eq!(count(&mut browser, ".headline tbody tr"), all);
}

#[test]
fn a_mark_tells_its_figures_to_the_mouse_and_to_keys() {
    let Some(mut browser) = opened(&outcomes()) else { return };
    assert_eq!(count(&mut browser, ".tip"), 0);
    let own = line(&mut browser, "lpgnet");
    let picture = browser.value(
        "[...document.querySelectorAll('figure')].findIndex(it => it.querySelector('h3').textContent.includes('ε of one edge'))",
    );
    let picture = format!(".figures > figure:nth-child({}) > svg.half", picture.as_u64().unwrap() + 1);
    browser.point_at(&format!("{picture} [data-line='{own}'] use:nth-of-type(2)"));
    let tip = texts(&mut browser, ".tip").concat();
    for wanted in ["lpgnet", "ε = 0.5 of one edge", "accuracy ", " % (", " to ", "proven · 5 seeds"] {
        assert!(tip.contains(wanted), "{wanted}: {tip}");
    }
    assert_eq!(count(&mut browser, ".ring"), 1);
    browser.point_at("h1");
    assert_eq!(count(&mut browser, ".tip"), 0);

    // After the bar of methods, the first picture is one stop of the tab key.
    browser.value("document.querySelector('.several button:last-child').focus()");
    browser.press("Tab");
    let first = texts(&mut browser, ".tip").concat();
    browser.press("ArrowDown");
    let below = texts(&mut browser, ".tip").concat();
    browser.press("ArrowDown");
    browser.press("ArrowRight");
    let right = texts(&mut browser, ".tip").concat();
    assert!(!first.is_empty() && first != below && below != right, "{first} {below} {right}");
    assert!(right.contains("ε = 0.5"), "{right}");
    browser.press("Escape");
    assert_eq!(count(&mut browser, ".tip"), 0);
    // What is switched off is not read.
    browser.click(".several button:nth-child(2)");
    browser.value(&format!("document.querySelector('{picture}').focus()"));
    browser.press("ArrowRight");
    assert_eq!(count(&mut browser, ".tip"), 0);
    assert_eq!(browser.said, [] as [&str; 0]);
}

/// The fields of a CSV without line breaks inside of fields.
fn records(csv: &str) -> Vec<Vec<String>> {
    let record = |line: &str| {
        let (mut fields, mut quoted) = (vec![String::new()], false);
        for letter in line.chars() {
            match letter {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                letter => fields.last_mut().unwrap().push(letter),
            }
        }
        fields
    };
    csv.split_terminator("\r\n").map(record).collect()
}

#[test]
fn a_table_is_saved_as_it_is_shown() {
    let Some(mut browser) = opened(&outcomes()) else { return };
    browser.click("#results ~ .tools input");
    browser.write("lpgnet");
    browser.click(".headline thead th:nth-child(2) .sort");
    browser.click(".headline thead th:nth-child(2) .sort");
    browser.click("#results ~ .tools .csv");
    let (name, content) = browser.saved();
    assert_eq!(name, "results-on-cora.csv");
    let records = records(std::str::from_utf8(&content).unwrap());
    let of = |name: &str| records[0].iter().position(|it| it == name).unwrap();
    let values = |name: &str| records[1..].iter().map(|it| it[of(name)].as_str()).collect::<Vec<&str>>();
    assert_eq!(values("epsilon"), ["inf", "8", "4", "2", "1", "0.5", "0.1"]);
    assert!(values("method").iter().all(|it| *it == "lpgnet") && values("unit").iter().all(|it| *it == "edge"));
    assert!(values("accuracy").iter().all(|it| it.parse::<f64>().is_ok_and(|share| share > 0.5 && share < 1.0)));
    // The numbers of a picture.
    browser.click("figure .save button:nth-child(3)");
    let (name, content) = browser.saved();
    let text = String::from_utf8(content).unwrap();
    assert!(
        name.starts_with("accuracy-on-cora-by-ε-of") && text.starts_with("method,ε,mean accuracy (%),"),
        "{name} {text}"
    );
}

#[test]
fn a_picture_is_saved_with_its_style_title_and_legend() {
    let Some(mut browser) = opened(&outcomes()) else { return };
    let own = line(&mut browser, "lpgnet");
    browser.click(&format!("[data-legend='{own}'] .chip"));
    browser.click("figure .save button:nth-child(1)");
    let (name, content) = browser.saved();
    assert!(name.ends_with(".svg"), "{name}");
    let svg = String::from_utf8(content).unwrap();
    // It stands alone: a browser draws it without the page, in colours, and says nothing.
    for foreign in ["class=", "href=", "var(", "<script", "lpgnet"] {
        assert!(!svg.contains(foreign), "{foreign}");
    }
    assert!(svg.contains("Accuracy on cora by ε of one edge") && svg.contains(">dpgcn") && svg.contains("fill=\"rgb("));
    let parsed = format!(
        "(() => {{ const svg = new DOMParser().parseFromString({}, 'image/svg+xml');
           return [svg.querySelectorAll('parsererror').length, svg.querySelectorAll('path').length, svg.documentElement.localName]; }})()",
        json!(svg)
    );
    browser.open("<p>");
    let parsed = browser.value(&parsed);
    assert!(parsed[0] == json!(0) && parsed[1].as_u64() > Some(20) && parsed[2] == json!("svg"), "{parsed}");

    browser.open(&report(&outcomes()).render());
    browser.click("figure .save button:nth-child(2)");
    let (name, png) = browser.saved();
    assert!(name.ends_with(".png") && png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 10_000, "{name}");
    assert_eq!(browser.said, [] as [&str; 0]);
}

/// Names of data sets and cases that try everything stay texts, on the page and in files.
#[test]
fn hostile_names_stay_texts_whatever_is_pressed() {
    let Some(mut browser) = Chromium::start() else { return };
    let evil = "</script></style><img src=x onerror=alert(1)>\"'&lt;b&gt;`${alert(2)}";
    let formula = "=HYPERLINK(\"http://x\",\"y\")";
    let mut runs = Vec::new();
    for (case, epsilon) in [(evil, 1.0), (formula, 2.0), ("__proto__", 3.0), ("-1+cmd|' /C calc'!A0", 4.0)] {
        for seed in 0..12 {
            let figures = [("test_accuracy", 0.5 + 0.01 * seed as f64), ("lsa_auc", 0.6)];
            let point = [("epsilon", json!(epsilon)), (evil, json!(format!("{evil}{}", seed / 4)))];
            let mut run = outcome(case, evil, &point, seed, &figures);
            run.promises.push(promised("edge", Some(epsilon), "proven", evil));
            runs.push(run);
        }
    }
    browser.open(&Report::new(evil, &runs, Made::default()).render());
    assert_eq!(browser.value("document.title"), json!(evil));
    let foreign = "document.querySelectorAll('img, main b, iframe, [onerror], script ~ script').length";
    let shown = texts(&mut browser, ".headline .name");
    assert!(shown.iter().any(|name| name == evil), "{shown:?}");
    browser.point_at("figure > svg.half use");
    browser.click(".chips .chip");
    browser.click(".headline thead th:nth-child(1) .sort");
    browser.click("#results ~ .tools input");
    browser.write("<img src=x onerror=alert(3)>");
    assert_eq!(browser.value(foreign), json!(0));
    browser.value("(() => { const it = document.querySelector('#results ~ .tools input'); it.value = ''; it.dispatchEvent(new Event('input')); })()");
    browser.click("#results ~ .tools .csv");
    let (_, csv) = browser.saved();
    let csv = String::from_utf8(csv).unwrap();
    assert!(
        csv.contains("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"") && csv.contains(",'-1+cmd|' /C calc'!A0,"),
        "{csv}"
    );
    browser.click("figure .save button:nth-child(1)");
    let (_, svg) = browser.saved();
    let svg = String::from_utf8(svg).unwrap();
    assert!(!svg.contains("<img") && !svg.contains("<script"));
    assert_eq!(browser.value(foreign), json!(0));
    assert_eq!(browser.said, [] as [&str; 0]);
}

#[test]
fn two_pages_of_one_input_are_equal_and_no_unit_shares_an_axis() {
    let runs = outcomes();
    let html = report(&runs).render();
    assert_eq!(html, report(&runs).render());
    let titles: Vec<&str> = html.split("<h3>").skip(1).filter_map(|rest| rest.split("</h3>").next()).collect();
    let accuracy: Vec<&&str> = titles.iter().filter(|title| title.starts_with("Accuracy")).collect();
    assert_eq!(
        accuracy,
        [
            &"Accuracy on cora by ε of one edge",
            &"Accuracy on cora by ε of the identity of one neighbour",
            &"Accuracy on cora by ε of one node"
        ]
    );
    // The figure of a unit has the methods that protect it, and the references.
    let figure =
        |title: &str| html.split(&format!("<h3>{title}</h3>")).nth(1).unwrap().split("</figure>").next().unwrap();
    let methods = |title: &str| -> Vec<&str> {
        let legend = figure(title).split("<span class=\"name\">").skip(1);
        legend.filter_map(|rest| rest.split('<').next()).collect()
    };
    assert_eq!(methods(accuracy[0]), ["gcn", "mlp", "lpgnet", "dpgcn"]);
    assert_eq!(methods(accuracy[1]), ["gcn", "mlp", "graph-privatizer", "degree-vectors"]);
    assert_eq!(methods(accuracy[2]), ["gcn", "mlp", "privgnn"]);
}
