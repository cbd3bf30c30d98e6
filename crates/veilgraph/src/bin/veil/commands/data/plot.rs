//! Bar charts side by side, as one SVG file that needs nothing else: one chart per panel, one bar
//! per label, from 0 to 1.
//!
//! The same numbers give the same bytes. Colours follow the reader's light or dark scheme; `title`
//! and `desc` say to screen readers what the bars say to eyes.

use std::fmt::Write;

/// One chart.
pub struct Panel<'a> {
    /// What stands above it.
    pub name: &'a str,
    /// The heights of its bars, from 0 to 1; a dash stands where there is none.
    pub values: &'a [Option<f64>],
}

const TOP: f64 = 64.0;
const HEIGHT: f64 = 160.0;
const BOTTOM: f64 = TOP + HEIGHT;
const LEFT: f64 = 40.0;
const BAR: f64 = 20.0;
const STEP: f64 = 28.0;
/// What a letter of a heading is at most wide.
const LETTER: f64 = 8.0;

const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}.page{fill:#fff}.bar{fill:#1f6f9f}\
.line{stroke:#d0d7de}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.bar{fill:#58a6d6}.line{stroke:#3d444d}}";

/// The charts of some panels, each with one bar per label.
pub fn bar_charts(title: &str, description: &str, labels: &[String], panels: &[Panel<'_>]) -> String {
    let inside = (STEP * labels.len() as f64).max(140.0);
    let width = ((LEFT + inside) * panels.len() as f64 + 16.0).max(16.0 + LETTER * title.chars().count() as f64);
    let height = BOTTOM + 32.0;
    let (title, description) = (escaped(title), escaped(description));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">{title}</title>\n\
         <desc id=\"desc\">{description} {}</desc>\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"head\" x=\"8\" y=\"20\">{title}</text>\n",
        escaped(&in_words(labels, panels))
    );
    for (place, panel) in panels.iter().enumerate() {
        let left = LEFT + (LEFT + inside) * place as f64;
        panel.draw(&mut svg, labels, left, inside);
    }
    svg + "</svg>\n"
}

impl Panel<'_> {
    // Writing into a String cannot fail.
    fn draw(&self, svg: &mut String, labels: &[String], left: f64, width: f64) {
        let name = escaped(&ending(self.name, (width / LETTER) as usize));
        let _ = writeln!(svg, "<g>\n<text class=\"head\" x=\"{left}\" y=\"46\">{name}</text>");
        for quarter in 0..=4 {
            let share = f64::from(quarter) / 4.0;
            let y = BOTTOM - HEIGHT * share;
            let (right, before) = (left + width, left - 6.0);
            let _ = writeln!(svg, "<line class=\"line\" x1=\"{left}\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\"/>");
            let _ = writeln!(svg, "<text x=\"{before}\" y=\"{}\" text-anchor=\"end\">{share}</text>", y + 4.0);
        }
        for (place, (label, value)) in labels.iter().zip(self.values).enumerate() {
            let x = left + STEP * place as f64 + (STEP - BAR) / 2.0;
            let middle = x + BAR / 2.0;
            let text =
                |y: f64, text: &str| format!("<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">{text}</text>\n");
            match value {
                Some(value) => {
                    let height = HEIGHT * value.clamp(0.0, 1.0);
                    let (y, label) = (BOTTOM - height, escaped(label));
                    let _ = writeln!(
                        svg,
                        "<rect class=\"bar\" x=\"{x}\" y=\"{y:.3}\" width=\"{BAR}\" height=\"{height:.3}\">\
                         <title>{label}: {value:.4}</title></rect>"
                    );
                }
                None => *svg += &text(BOTTOM - 4.0, "–"),
            }
            // Names do not fit under a bar: its number does, and the bar tells its name.
            *svg += &text(BOTTOM + 16.0, &place.to_string());
        }
        *svg += "</g>\n";
    }
}

/// All values, for who does not see the bars.
fn in_words(labels: &[String], panels: &[Panel<'_>]) -> String {
    let value = |(label, value): (&String, &Option<f64>)| match value {
        Some(value) => format!("{label} {value:.2}"),
        None => format!("{label} none"),
    };
    let panel = |panel: &Panel<'_>| {
        let values: Vec<String> = labels.iter().zip(panel.values).map(value).collect();
        format!("{}: {}.", panel.name, values.join(", "))
    };
    panels.iter().map(panel).collect::<Vec<String>>().join(" ")
}

/// A text of at most so many letters: of a long one the end, which says more of a path.
fn ending(text: &str, most: usize) -> String {
    let letters = text.chars().count();
    if letters <= most {
        text.to_owned()
    } else {
        format!("…{}", text.chars().skip(letters + 1 - most).collect::<String>())
    }
}

/// A text that an XML file can hold.
fn escaped(text: &str) -> String {
    let text = text.replace(|letter: char| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}'), " ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
