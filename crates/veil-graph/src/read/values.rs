//! One number per node: a table `node,NAME` (such as `node,year`) with node names in any order.

use std::path::Path;

use super::error::{Place, ReadError};
use super::rows::{collect, names, open_with_header};
use crate::ids::NodeNames;

/// The number of each of these nodes in a table.
///
/// # Errors
/// If the file cannot be read, a node is unknown, missing or duplicate, or a number is not finite.
pub fn values(path: &Path, nodes: &NodeNames) -> Result<Vec<f64>, ReadError> {
    let (text, header) = open_with_header(path)?;
    match names(&header, b',')?.as_slice() {
        [node, value] if node == "node" && !value.is_empty() => {}
        _ => return Err(header.line().unexpected("a header node,NAME such as node,year")),
    }
    let rows = collect(text, |line| {
        let [name, value] = line.exactly(b',')?;
        let node = nodes.node(name.as_str()?).ok_or_else(|| name.unexpected("the name of a node of the data set"))?;
        let number = value.as_str()?.parse::<f64>().ok().filter(|number| number.is_finite());
        Ok((node, number.ok_or_else(|| value.unexpected("a finite number"))?, line.number()))
    })?;
    let mut values = vec![None; nodes.len()];
    for (node, value, line) in rows {
        if values[node as usize].replace(value).is_some() {
            let what = format!("value of node {}", nodes.name(node));
            return Err(ReadError::Repeated { place: Place::line(path, line, 0), what });
        }
    }
    let missing = |node| ReadError::format(Place::file(path), format!("missing node {}", nodes.name(node)));
    (0..).zip(values).map(|(node, value)| value.ok_or_else(|| missing(node))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<f64>, String> {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("year.csv");
        std::fs::write(&path, text).unwrap();
        let names = NodeNames::from_texts(["b", "a", "c, d"].map(str::to_owned).into()).unwrap();
        values(&path, &names).map_err(|error| error.to_string())
    }

    #[test]
    fn nodes_are_found_by_name_in_any_order() {
        assert_eq!(read("node,year\na,2018\n\"c, d\",-1.5e3\nb,7\n"), Ok(vec![7.0, 2018.0, -1500.0]));
    }

    #[test]
    fn invalid_values_are_refused_with_their_place() {
        for (text, says) in [
            ("", "year.csv: the table is empty"),
            ("a,2018\n", "year.csv:1: found \"a,2018\", expected a header node,NAME"),
            ("node\na\n", "year.csv:1"),
            ("node,year\na,2018\ne,2018\n", "year.csv:3:1: found \"e\", expected the name of a node"),
            ("node,year\na,soon\n", "year.csv:2:2: found \"soon\", expected a finite number"),
            ("node,year\na,NaN\n", "year.csv:2:2: found \"NaN\""),
            ("node,year\na,\n", "year.csv:2:2"),
            ("node,year\na,1,2\n", "year.csv:2"),
            ("node,year\na,1\nb,1\na,2\n", "year.csv:4: duplicate value of node a"),
            ("node,year\na,1\nb,1\n", "year.csv: missing node c, d"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(says), "{message:?} does not say {says:?}");
        }
    }
}
