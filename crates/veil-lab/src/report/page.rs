//! The frame of the page: escaped text, tables that scroll in their own box, figures with their
//! numbers, and the document with its policy, style and script.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

pub(super) use veil_privacy::guarantee::html::{escaped, scrolled};

/// The style of the page, and of what the script adds.
const STYLE: &str = concat!(include_str!("style.css"), include_str!("controls.css"));

/// The script of the page: everything can be read without it.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("script/elements.js"),
    include_str!("script/tables.js"),
    include_str!("script/methods.js"),
    include_str!("script/marks.js"),
    include_str!("script/save.js"),
    "for (const start of [tables, methods, marks, saving]) start();\n})();\n"
);

/// Nothing is fetched or sent, and nothing runs or styles but these two texts.
fn policy() -> String {
    let digest = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'",
        digest(SCRIPT),
        digest(STYLE)
    )
}

/// A remark as a sentence, in HTML.
pub(super) fn sentence(remark: &str) -> String {
    let mut letters = remark.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!(" {}.", escaped(&first.chain(letters).collect::<String>()))
}

/// A text cut to a number of letters.
pub(super) fn beginning(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// A line of small print in a cell.
pub(super) fn quiet(text: &str) -> String {
    format!("<br><span class=\"quiet\">{text}</span>")
}

/// The whole document. The summary is HTML; a section is an id, a heading and its HTML.
pub(super) fn document(title: &str, summary: &str, sections: &[(&str, &str, String)]) -> String {
    let title = escaped(title);
    let items = sections.iter().map(|(id, heading, _)| format!("<li><a href=\"#{id}\">{heading}</a></li>\n"));
    let bodies = sections.iter().map(|(id, heading, body)| {
        format!("<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{heading}</h2>\n{body}</section>\n")
    });
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"veilgraph\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#content\">Skip to the content</a>\n{}\
         <header>\n<h1>{title}</h1>\n{summary}<nav aria-label=\"Contents\">\n<ul>\n{}</ul>\n\
         </nav>\n</header>\n<main id=\"content\" tabindex=\"-1\">\n{}</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        policy(),
        super::mark::definitions(),
        items.collect::<String>(),
        bodies.collect::<String>()
    )
}

/// The cells of a heading row, as HTML.
pub(super) fn headings(headings: &[impl AsRef<str>]) -> String {
    headings.iter().map(|heading| format!("<th scope=\"col\">{}</th>", escaped(heading.as_ref()))).collect()
}

/// A row of a plain table, as text. With the number of a line, it is switched on and off with it.
pub(super) struct Row {
    pub line: Option<usize>,
    pub cells: Vec<String>,
}

impl Row {
    pub fn of(cells: Vec<String>) -> Row {
        Row { line: None, cells }
    }
}

/// A plain table: the first cell of a row is its heading. Everything is escaped here.
pub(super) fn table(caption: &str, names: &[impl AsRef<str>], rows: &[Row]) -> String {
    let row = |row: &Row| {
        let cells = row.cells.iter().enumerate().map(|(place, cell)| match place {
            0 => format!("<th scope=\"row\">{}</th>", escaped(cell)),
            _ => format!("<td>{}</td>", escaped(cell)),
        });
        let line = row.line.map_or_else(String::new, |line| format!(" data-line=\"{line}\""));
        format!("<tr{line}>{}</tr>\n", cells.collect::<String>())
    };
    let (names, rows, title) = (headings(names), rows.iter().map(row).collect::<String>(), escaped(caption));
    let head = format!("<table>\n<caption>{title}</caption>\n<thead><tr>{names}</tr></thead>\n");
    scrolled(caption, &format!("{head}<tbody>\n{rows}</tbody>\n</table>\n"))
}

/// The room that a picture is drawn for. Each has its own drawing: the letters of a scaled one
/// would be too small or too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// The whole page.
    Full,
    /// Beside another picture, or a tablet.
    Half,
    /// A phone.
    Narrow,
}

/// Width, height and content of a drawing.
pub(super) type Drawing = (f64, f64, String);

/// A picture with a description and its numbers.
pub(super) struct Figure {
    /// Unique in the page.
    pub id: String,
    pub title: String,
    /// For screen readers.
    pub description: String,
    /// HTML below the picture.
    pub legend: String,
    /// HTML below the legend.
    pub caption: String,
    pub headings: Vec<String>,
    pub rows: Vec<Row>,
}

impl Figure {
    /// Its HTML; only a lone picture gets the whole page.
    pub fn html(&self, lone: bool, draw: impl Fn(Room) -> Drawing) -> String {
        let Figure { id, title, description, legend, caption, headings, rows } = self;
        let (safe_title, safe_description) = (escaped(title), escaped(description));
        let mut html = format!("<figure>\n<h3>{safe_title}</h3>\n");
        let rooms = [(Room::Full, "full"), (Room::Half, "half"), (Room::Narrow, "narrow")];
        for (room, class) in rooms.into_iter().filter(|(room, _)| lone || *room != Room::Full) {
            let (width, height, content) = draw(room);
            let _ = writeln!(
                html,
                "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
                 aria-labelledby=\"{id}-{class}-t\" aria-describedby=\"{id}-{class}-d\">\n<title id=\"{id}-{class}-t\">{safe_title}</title>\n\
                 <desc id=\"{id}-{class}-d\">{safe_description}</desc>\n{content}</svg>"
            );
        }
        let numbers = table(&format!("{title}: the numbers"), headings, rows);
        let _ = writeln!(
            html,
            "{legend}<figcaption>{caption}</figcaption>\n<details>\n<summary>The numbers</summary>\n{numbers}</details>\n</figure>"
        );
        html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_cut() {
        assert_eq!(escaped("<b a=\"1\" c='2'>&\u{0}\u{1b}[0m"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;  [0m");
        assert_eq!(beginning("graph-privatizer", 16), "graph-privatizer");
        assert_eq!(beginning("graph-privatizer · sage", 18), "graph-privatizer…");
    }
}
