//! The picture of a part: a panel per graph, a line per method, in one file that needs nothing
//! else.

use super::{Curve, Panel, Part, Point};
use crate::report::number::{ends, pixel, plain};
use crate::report::svg::{Budgets, Linear, line, rect, text};
use crate::worth::Budget;

const WIDTH: f64 = 960.0;
/// Panels beside each other.
const ACROSS: usize = 3;
const PANEL: f64 = 268.0;
/// Items of the legend beside each other.
const ITEMS: usize = 5;

/// Colours and dashes of lines, so that neither is needed alone. The colours are the report's.
const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}.page{fill:#fff}\
.grid{stroke:#e3e7eb;fill:none}.base{stroke:#8b949e;fill:none}.e{text-anchor:end}.c{text-anchor:middle}\
.l{fill:none;stroke-width:2}.i{fill:none;stroke-width:1.2;opacity:.75}.band{opacity:.12}.m{stroke:none}\
.s0{stroke:#0072b2}.s1{stroke:#c4500a;stroke-dasharray:9 4}.s2{stroke:#00805c;stroke-dasharray:3 3}\
.s3{stroke:#a8468a;stroke-dasharray:10 3 2 3}.s4{stroke:#9a6b00;stroke-dasharray:14 4}\
.s5{stroke:#2f8fc4;stroke-dasharray:6 3 2 3 2 3}.s6{stroke:#7a3b12;stroke-dasharray:5 2}\
.s7{stroke:#5b4bb0;stroke-dasharray:1.5 2.5}.s8{stroke:#59616b;stroke-dasharray:2 4}\
.f0{fill:#0072b2}.f1{fill:#c4500a}.f2{fill:#00805c}.f3{fill:#a8468a}.f4{fill:#9a6b00}.f5{fill:#2f8fc4}\
.f6{fill:#7a3b12}.f7{fill:#5b4bb0}.f8{fill:#59616b}.s9{stroke:#1f2328}.f9{fill:#1f2328}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.grid{stroke:#2a3038}\
.s0{stroke:#58b0e8}.s1{stroke:#f08a4b}.s2{stroke:#3cc79a}.s3{stroke:#e29ac8}.s4{stroke:#e6b83c}\
.s5{stroke:#a6dcf8}.s6{stroke:#c9966b}.s7{stroke:#a99cf0}.s8{stroke:#a3acb7}\
.f0{fill:#58b0e8}.f1{fill:#f08a4b}.f2{fill:#3cc79a}.f3{fill:#e29ac8}.f4{fill:#e6b83c}.f5{fill:#a6dcf8}\
.f6{fill:#c9966b}.f7{fill:#a99cf0}.f8{fill:#a3acb7}.s9{stroke:#e6edf3}.f9{fill:#e6edf3}}";

/// The last style, which further methods share.
const LAST: usize = 9;

/// The file of a part's picture.
pub(super) fn picture(part: &Part) -> String {
    let mut names: Vec<&str> = Vec::new();
    for curve in part.panels.iter().flat_map(|panel| &panel.curves) {
        if !names.contains(&curve.case.as_str()) {
            names.push(&curve.case);
        }
    }
    let legend_rows = names.len().div_ceil(ITEMS);
    let top = 40.0 + 20.0 * legend_rows as f64;
    let height = top + PANEL * part.panels.len().div_ceil(ACROSS) as f64 + 8.0;
    let title = format!("{}: accuracy against ε", part.title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {0}\" width=\"{WIDTH}\" height=\"{0}\" role=\"img\" \
         aria-labelledby=\"title desc\">\n<title id=\"title\">{title}</title>\n<desc id=\"desc\">One panel per graph, one \
         line per method. The tables below the picture have the numbers.</desc>\n<style>{STYLE}</style>\n",
        pixel(height)
    );
    svg += &rect("page", [0.0, 0.0, WIDTH, height], "");
    svg += &text("head", (8.0, 18.0), &format!("Accuracy (%) against {} (logarithmic)", part.unit.axis()));
    for (place, name) in names.iter().enumerate() {
        let (x, y) = (8.0 + 190.0 * (place % ITEMS) as f64, 38.0 + 20.0 * (place / ITEMS) as f64);
        let style = place.min(LAST);
        svg += &line(&format!("l s{style}"), &[(x, y), (x + 26.0, y)]);
        svg += &marker(style, (x + 13.0, y));
        svg += &text("", (x + 32.0, y + 4.0), name);
    }
    for (place, panel) in part.panels.iter().enumerate() {
        let left = 316.0 * (place % ACROSS) as f64;
        let above = top + PANEL * (place / ACROSS) as f64;
        svg += &Frame { left: left + 40.0, right: left + 306.0, top: above + 26.0, bottom: above + PANEL - 34.0 }
            .panel(panel, &names);
    }
    svg + "</svg>\n"
}

fn marker(style: usize, (x, y): (f64, f64)) -> String {
    format!("<circle class=\"m f{style}\" cx=\"{}\" cy=\"{}\" r=\"3.4\"/>", pixel(x), pixel(y))
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn panel(self, panel: &Panel, names: &[&str]) -> String {
        let Frame { left, right, top, bottom } = self;
        let points = || panel.curves.iter().flat_map(|curve| &curve.points);
        let accuracy = Linear::around(points().flat_map(|point| ends(&point.accuracy)), bottom, top);
        let budgets = points().filter_map(|point| point.place.epsilon()).map(Budget::Finite);
        let budgets = Budgets::new(budgets, left, right);
        let mut svg = text("head", (left, top - 8.0), &panel.data);
        for tick in accuracy.ticks() {
            let y = accuracy.place(tick);
            svg += &line("grid", &[(left, y), (right, y)]);
            svg += &text("e", (left - 6.0, y + 4.0), &format!("{:.0}", 100.0 * tick));
        }
        svg += &line("base", &[(left, bottom), (right, bottom)]);
        for (x, label) in budgets.ticks() {
            svg += &line("base", &[(x, bottom), (x, bottom + 4.0)]);
            svg += &text("c", (x, bottom + 18.0), &label);
        }
        for curve in &panel.curves {
            let style = names.iter().position(|name| *name == curve.case).unwrap_or(LAST).min(LAST);
            svg += &if curve.is_across() {
                self.across(curve, style, &accuracy)
            } else {
                along(curve, style, &accuracy, &budgets)
            };
        }
        svg
    }

    fn across(self, curve: &Curve, style: usize, accuracy: &Linear) -> String {
        let Some(point) = curve.points.first() else { return String::new() };
        let ([low, high], y) =
            (ends(&point.accuracy).map(|end| accuracy.place(end)), accuracy.place(point.accuracy.mean));
        let band =
            rect(&format!("band f{style}"), [self.left, high, self.right - self.left, low - high], &said(curve, point));
        band + &line(&format!("l s{style}"), &[(self.left, y), (self.right, y)])
    }
}

fn along(curve: &Curve, style: usize, accuracy: &Linear, budgets: &Budgets) -> String {
    let place = |point: &Point| {
        let x = point.place.epsilon().and_then(|epsilon| budgets.place(Budget::Finite(epsilon)));
        Some((x?, accuracy.place(point.accuracy.mean)))
    };
    let placed: Vec<((f64, f64), &Point)> =
        curve.points.iter().filter_map(|point| Some((place(point)?, point))).collect();
    let mut svg = line(&format!("l s{style}"), &placed.iter().map(|(at, _)| *at).collect::<Vec<_>>());
    for ((x, y), point) in placed {
        let [low, high] = ends(&point.accuracy).map(|end| accuracy.place(end));
        svg += &line(&format!("i s{style}"), &[(x, low), (x, high)]);
        svg += &format!("<g><title>{}</title>{}</g>", said(curve, point), marker(style, (x, y)));
    }
    svg
}

fn said(curve: &Curve, point: &Point) -> String {
    let at = point.place.epsilon().map_or_else(String::new, |epsilon| format!(", ε = {}", plain(epsilon)));
    format!("{}{at}: {:.1} %", curve.case, 100.0 * point.accuracy.mean)
}
