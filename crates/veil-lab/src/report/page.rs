//! The frame of the page: text that is safe in it, tables that scroll in their own box, figures with their numbers behind
//! them, and the document around all.

use std::fmt::Write;

/// No script, no font, no picture from anywhere: a browser is told so, too.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const STYLE: &str = include_str!("style.css");

/// A text as HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            '\n' | '\t' => safe.push(letter),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

/// A remark as a sentence, in HTML.
pub(super) fn sentence(remark: &str) -> String {
    let mut letters = remark.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!(" {}.", escaped(&first.chain(letters).collect::<String>()))
}

/// The beginning of a text of at most so many letters.
pub(super) fn beginning(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// A part of the page with a name that it can be found by.
pub(super) struct Section {
    pub id: &'static str,
    pub heading: &'static str,
    pub body: String,
}

/// The whole document.
pub(super) fn document(title: &str, summary: &str, sections: &[Section]) -> String {
    let title = escaped(title);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"veilgraph\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#content\">Skip to the content</a>\n{}\
         <header>\n<h1>{title}</h1>\n<p class=\"summary\">{summary}</p>\n<nav aria-label=\"Contents\">\n<ul>\n",
        super::mark::definitions()
    );
    // Writing into a String cannot fail.
    for Section { id, heading, .. } in sections {
        let _ = writeln!(html, "<li><a href=\"#{id}\">{heading}</a></li>");
    }
    html += "</ul>\n</nav>\n</header>\n<main id=\"content\" tabindex=\"-1\">\n";
    for Section { id, heading, body } in sections {
        let _ = writeln!(html, "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{heading}</h2>\n{body}</section>");
    }
    html + "</main>\n</body>\n</html>\n"
}

/// A table in a box of its own, which can be scrolled with the keyboard, too. `label` is escaped here, `table` is HTML.
pub(super) fn scrolled(label: &str, table: &str) -> String {
    let label = escaped(label);
    format!("<div class=\"scroll\" role=\"region\" aria-label=\"{label}\" tabindex=\"0\">\n{table}</div>\n")
}

/// A plain table: the first cell of a row is its heading. Cells and headings are escaped here.
pub(super) fn table(caption: &str, headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut html = format!("<table>\n<caption>{}</caption>\n<thead><tr>", escaped(caption));
    for heading in headings {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(heading));
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in rows {
        html += "<tr>";
        for (place, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            let _ = if place == 0 {
                write!(html, "<th scope=\"row\">{cell}</th>")
            } else {
                write!(html, "<td>{cell}</td>")
            };
        }
        html += "</tr>\n";
    }
    scrolled(caption, &(html + "</tbody>\n</table>\n"))
}

/// What a picture is drawn for. A phone gets a drawing of its own: a scaled one would have letters that nobody can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    Wide,
    Narrow,
}

/// One picture, with what it says in words and in numbers.
pub(super) struct Figure<'a> {
    /// Unique in the page.
    pub id: String,
    pub title: String,
    /// What the picture shows, for who does not see it.
    pub description: String,
    /// HTML below the picture.
    pub legend: String,
    /// HTML below the legend.
    pub caption: String,
    pub headings: &'a [&'a str],
    pub rows: Vec<Vec<String>>,
}

impl Figure<'_> {
    /// `draw` gives a drawing's width, height and content.
    pub fn html(&self, draw: impl Fn(Room) -> (f64, f64, String)) -> String {
        let Figure { id, title, description, legend, caption, headings, rows } = self;
        let (safe_title, safe_description) = (escaped(title), escaped(description));
        let mut html = format!("<figure>\n<h3>{safe_title}</h3>\n");
        for (room, class) in [(Room::Wide, "wide"), (Room::Narrow, "narrow")] {
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
    fn nothing_gets_out_of_a_text() {
        assert_eq!(escaped("<b a=\"1\" c='2'>&\u{0}\u{1b}[0m"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;  [0m");
        assert_eq!(beginning("graph-privatizer", 16), "graph-privatizer");
        assert_eq!(beginning("graph-privatizer · sage", 18), "graph-privatizer…");
    }
}
