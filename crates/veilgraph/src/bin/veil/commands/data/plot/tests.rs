//! The chart as a reader of XML sees it.

use super::*;

/// An element: its name, its attributes, the text directly in it.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn get(&self, name: &str) -> &str {
        self.attributes.iter().find(|(of, _)| of == name).map_or("", |(_, value)| value)
    }

    fn number(&self, name: &str) -> f64 {
        self.get(name).parse().unwrap()
    }
}

/// The little of XML that the writer uses, strictly: every element is closed in order, every `&` is
/// an entity.
fn parse(xml: &str) -> Vec<Element> {
    let text_of = |text: &str| {
        assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()), "{text:?}");
        for part in text.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|entity| part.starts_with(entity)), "{text:?}");
        }
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    };
    let (mut elements, mut open): (Vec<Element>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        match open.last() {
            Some(&inside) => elements[inside].text += &text_of(&rest[..start]),
            None => assert_eq!(rest[..start].trim(), "", "text outside of the root"),
        }
        let end = rest.find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(elements[open.pop().unwrap()].name, name);
            continue;
        }
        assert!(elements.is_empty() || !open.is_empty(), "one root only");
        let (tag, alone) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut left) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while let Some((name, after)) = left.trim_start().split_once("=\"") {
            let (value, after) = after.split_once('"').unwrap();
            attributes.push((name.to_owned(), text_of(value)));
            left = after;
        }
        assert_eq!(left.trim(), "");
        if !alone {
            open.push(elements.len());
        }
        elements.push(Element { name: name.to_owned(), attributes, text: String::new() });
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    elements
}

fn example() -> String {
    let labels = ["left", "<right> & \"co\"", "empty"].map(str::to_owned);
    let (truth, run) = ([Some(0.5), Some(1.0), None], [Some(0.25), Some(0.0), Some(0.125)]);
    let panels = [
        Panel { name: "true labels", values: &truth },
        Panel { name: "a/long/way/to/a/run/with\u{1b}[31m & <tags>", values: &run },
    ];
    bar_charts("Homophily of a & b", "Bars.", &labels, &panels)
}

#[test]
fn every_value_has_a_bar_of_its_height() {
    let elements = parse(&example());
    let bars: Vec<&Element> = elements.iter().filter(|element| element.get("class") == "bar").collect();
    let heights: Vec<f64> = bars.iter().map(|bar| bar.number("height") / HEIGHT).collect();
    assert_eq!(heights, [0.5, 1.0, 0.25, 0.0, 0.125]);
    assert!(bars.iter().all(|bar| bar.number("y") + bar.number("height") == BOTTOM));
    // No bar covers another one, and all are on the page.
    assert!(bars.windows(2).all(|pair| pair[0].number("x") + BAR <= pair[1].number("x")));
    assert!(bars[4].number("x") + BAR <= elements[0].number("width"));
    assert_eq!(elements.iter().filter(|element| element.text == "–").count(), 1);
}

#[test]
fn the_axis_goes_from_0_to_1() {
    let elements = parse(&example());
    let place = |share: &str| {
        let found = elements.iter().find(|element| element.get("text-anchor") == "end" && element.text == share);
        found.unwrap().number("y") - 4.0
    };
    assert_eq!(["0", "0.5", "1"].map(place), [BOTTOM, BOTTOM - HEIGHT / 2.0, TOP]);
}

#[test]
fn who_does_not_see_it_is_told_what_it_shows() {
    let elements = parse(&example());
    let (root, named) = (&elements[0], |id: &str| elements.iter().find(|element| element.get("id") == id).unwrap());
    assert_eq!((root.get("role"), root.get("aria-labelledby")), ("img", "title desc"));
    assert_eq!((named("title").name.as_str(), named("title").text.as_str()), ("title", "Homophily of a & b"));
    let said = &named("desc").text;
    assert!(said.contains("true labels: left 0.50, <right> & \"co\" 1.00, empty none."), "{said}");
    assert!(elements.iter().any(|element| element.name == "title" && element.text == "left: 0.2500"));
}

#[test]
fn it_needs_nothing_else_and_is_always_the_same() {
    let svg = example();
    assert_eq!(svg.matches("http").count(), 1, "only the name of SVG itself is an address");
    assert!(svg.contains("prefers-color-scheme:dark"));
    assert_eq!(svg, example());
}
