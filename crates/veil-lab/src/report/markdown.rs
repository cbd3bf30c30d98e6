//! As much Markdown as a privacy statement has: headings, paragraphs, lists, tables, quotes, strong
//! words and code. All else stays text.

use std::fmt::Write;

use super::page::{escaped, scrolled};

/// Markdown as HTML. Its first headings become `<h4>`, for they stand below the name of a
/// statement, and no level is left out.
pub(super) fn html(text: &str) -> String {
    let mut html = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.trim();
        // All lines that follow with the same sign.
        let mut block = |sign: &str| {
            let mut block = vec![line];
            while let Some(next) = lines.next_if(|next| next.trim().starts_with(sign)) {
                block.push(next.trim());
            }
            block
        };
        // Writing into a String cannot fail.
        let _ = if line.is_empty() {
            Ok(())
        } else if let Some((level, heading)) = heading(line) {
            writeln!(html, "<h{level}>{}</h{level}>", inline(heading))
        } else if line.starts_with("- ") {
            let items: String =
                block("- ").iter().map(|item| format!("<li>{}</li>\n", inline(item.get(2..).unwrap_or("")))).collect();
            writeln!(html, "<ul>\n{items}</ul>")
        } else if line.starts_with('>') {
            let quote: Vec<&str> = block(">").into_iter().map(|line| line.trim_start_matches('>').trim()).collect();
            writeln!(html, "<blockquote><p>{}</p></blockquote>", inline(&quote.join(" ")))
        } else if line.starts_with('|') {
            write!(html, "{}", table(&block("|")))
        } else {
            let mut paragraph = vec![line];
            let plain = |next: &str| !next.is_empty() && !next.starts_with(['#', '>', '|']) && !next.starts_with("- ");
            while let Some(next) = lines.next_if(|next| plain(next.trim())) {
                paragraph.push(next.trim());
            }
            writeln!(html, "<p>{}</p>", inline(&paragraph.join(" ")))
        };
    }
    html
}

/// Level 1 and 2 become 4 and 5; deeper ones stay there.
fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (level > 0 && text.starts_with(' ')).then(|| ((level + 3).min(5), text.trim()))
}

fn table(lines: &[&str]) -> String {
    let cells = |line: &str| -> Vec<String> {
        line.trim_start_matches('|').trim_end_matches('|').split('|').map(|cell| inline(cell.trim())).collect()
    };
    let rule = |line: &&&str| line.chars().all(|letter| matches!(letter, '|' | '-' | ':' | ' '));
    let mut rows = lines.iter().filter(|line| !rule(line));
    let mut html = String::from("<table>\n<thead><tr>");
    for heading in rows.next().map(|line| cells(line)).unwrap_or_default() {
        let _ = write!(html, "<th scope=\"col\">{heading}</th>");
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in rows {
        let cells: String = cells(row).iter().map(|cell| format!("<td>{cell}</td>")).collect();
        let _ = writeln!(html, "<tr>{cells}</tr>");
    }
    scrolled("Table of the statement", &(html + "</tbody>\n</table>\n"))
}

/// Strong words and code; an opening sign without a closing one is a letter like others.
fn inline(text: &str) -> String {
    let (mut html, mut rest) = (String::new(), text);
    while let Some(place) = rest.find(['*', '`']) {
        let (before, from) = rest.split_at(place);
        html += &escaped(before);
        let sign = if from.starts_with("**") { "**" } else { from.get(..1).unwrap_or("") };
        let inside = from.get(sign.len()..).unwrap_or("");
        rest = match inside.find(sign).filter(|end| *end > 0 && sign != "*") {
            Some(end) => {
                let tag = if sign == "`" { "code" } else { "strong" };
                let (inner, after) = inside.split_at(end);
                let inner = if sign == "`" { escaped(inner) } else { inline(inner) };
                let _ = write!(html, "<{tag}>{inner}</{tag}>");
                after.get(sign.len()..).unwrap_or("")
            }
            None => {
                html += sign;
                inside
            }
        };
    }
    html + &escaped(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_becomes_html() {
        let text = "# Privacy statement: cora\n\nRelease `a<b`.\n\n> **Not private.** Because\n> of 7.\n\n| protects | ε |\n|---|---|\n\
                    | edge | 1 |\n\n## One edge\n\nA line\nand another.\n- one\n- two **strong `code`**\n";
        let wanted = "<h4>Privacy statement: cora</h4>\n<p>Release <code>a&lt;b</code>.</p>\n\
                      <blockquote><p><strong>Not private.</strong> Because of 7.</p></blockquote>\n\
                      <div class=\"scroll\" role=\"region\" aria-label=\"Table of the statement\" tabindex=\"0\">\n<table>\n\
                      <thead><tr><th scope=\"col\">protects</th><th scope=\"col\">ε</th></tr></thead>\n<tbody>\n\
                      <tr><td>edge</td><td>1</td></tr>\n</tbody>\n</table>\n</div>\n<h5>One edge</h5>\n\
                      <p>A line and another.</p>\n<ul>\n<li>one</li>\n<li>two <strong>strong <code>code</code></strong></li>\n</ul>\n";
        assert_eq!(html(text), wanted);
    }

    #[test]
    fn what_is_no_markdown_stays_text() {
        assert_eq!(html("2 * 3 ** 4 ` 5 **"), "<p>2 * 3 <strong> 4 ` 5 </strong></p>\n");
        assert_eq!(html("#hash <script>"), "<p>#hash &lt;script&gt;</p>\n");
        assert_eq!(html("ε`ε"), "<p>ε`ε</p>\n");
        assert_eq!(html("``"), "<p>``</p>\n");
        assert_eq!(html("|"), html("| |"));
    }
}
