//! Privacy statements as HTML, from their Markdown: headings, paragraphs, lists, tables, quotes,
//! strong words and code. Everything else is text.

use std::fmt::Write;

/// A page of its own: no script, nothing to fetch, light and dark.
pub(super) fn page(title: &str, markdown: &str) -> String {
    let (title, body) = (escaped(title), html(markdown));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

const STYLE: &str = "\
    :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }\
    main { max-width: 46rem; margin: 2rem auto; padding: 0 1rem }\
    table { border-collapse: collapse }\
    th, td { text-align: left; padding: .25rem .75rem; border-bottom: 1px solid #8888 }\
    blockquote { margin: 1rem 0; padding: 0 1rem; border-left: .25rem solid #c33 }\
    .scroll { overflow-x: auto }";

/// Text that is safe in HTML, attributes included.
pub fn escaped(text: &str) -> String {
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

/// A table in a box of its own, which can be scrolled with the keyboard, too. `table` is HTML.
pub fn scrolled(label: &str, table: &str) -> String {
    let label = escaped(label);
    format!("<div class=\"scroll\" role=\"region\" aria-label=\"{label}\" tabindex=\"0\">\n{table}</div>\n")
}

/// The Markdown of a statement as HTML, for use inside a page.
pub fn html(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let block = |block: &[&str]| match sign(block[0]) {
        ' ' => String::new(),
        '#' => {
            // Below the name of a statement, levels 1 and 2 are 4 and 5; deeper ones are 5, too.
            let text = block[0].trim_start_matches('#');
            let level = (block[0].len() - text.len() + 3).min(5);
            format!("<h{level}>{}</h{level}>\n", inline(text.trim()))
        }
        '-' => {
            let items: String = block.iter().map(|item| format!("<li>{}</li>\n", inline(&item[2..]))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        '>' => {
            let quote: Vec<&str> = block.iter().map(|line| line.trim_start_matches('>').trim()).collect();
            format!("<blockquote><p>{}</p></blockquote>\n", inline(&quote.join(" ")))
        }
        '|' => table(block),
        _ => format!("<p>{}</p>\n", inline(&block.join(" "))),
    };
    lines.chunk_by(|one, other| sign(one) == sign(other) && sign(one) != '#').map(block).collect()
}

/// The kind of a line.
fn sign(line: &str) -> char {
    match line.chars().next() {
        None => ' ',
        Some('#') if line.trim_start_matches('#').starts_with(' ') => '#',
        Some('-') if line.starts_with("- ") => '-',
        Some(sign @ ('>' | '|')) => sign,
        _ => 'p',
    }
}

fn table(lines: &[&str]) -> String {
    let cells = |line: &str, open: &str, close: &str| -> String {
        line.trim_matches('|').split('|').map(|cell| format!("{open}{}{close}", inline(cell.trim()))).collect()
    };
    let is_rule = |line: &str| line.chars().all(|letter| matches!(letter, '|' | '-' | ':' | ' '));
    let mut rows = lines.iter().filter(|line| !is_rule(line));
    let head = rows.next().map_or_else(String::new, |line| cells(line, "<th scope=\"col\">", "</th>"));
    let body: String = rows.map(|row| format!("<tr>{}</tr>\n", cells(row, "<td>", "</td>"))).collect();
    let html = format!("<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n");
    scrolled("Table of the statement", &html)
}

/// Strong words and code; an opening sign without a closing one is text.
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
