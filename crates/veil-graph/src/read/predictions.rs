//! The predictions of a run: `predictions.csv`, a table `node,class,0,1,…` with the nodes in order.

use std::path::Path;

use super::error::{Place, ReadError};
use super::rows::{collect, names, open_with_header};
use super::text::Line;
use crate::labels::Labels;

/// The predicted class of every node, from a run's `predictions.csv`. Posteriors are checked but
/// not returned.
///
/// # Errors
/// If the file cannot be read, or a line is invalid.
pub fn predictions(path: &Path) -> Result<Labels, ReadError> {
    let (text, header) = open_with_header(path)?;
    let columns = names(&header, b',')?;
    let classes = columns.len().saturating_sub(2) as u32;
    let wanted = ["node".to_owned(), "class".to_owned()].into_iter().chain((0..classes).map(|class| class.to_string()));
    if classes == 0 || !wanted.eq(columns) {
        return Err(header.line().unexpected("the header node,class,0,1,… of a run's predictions"));
    }
    let rows = collect(text, |line| Ok((row(line, classes)?, line.number())))?;
    for (node, &((found, _), line)) in rows.iter().enumerate() {
        if found as usize != node {
            let place = Place::line(path, line, 1);
            return Err(ReadError::unexpected(place, &found.to_string(), format!("node {node} (nodes in order)")));
        }
    }
    Labels::new(classes, rows.into_iter().map(|((_, class), _)| Some(class))).map_err(ReadError::misfit(path))
}

/// The node and its class.
fn row(line: Line<'_>, classes: u32) -> Result<(u32, u32), ReadError> {
    let fields = line.fields(b',').collect::<Result<Vec<_>, _>>()?;
    let [node, class, posteriors @ ..] = fields.as_slice() else {
        return Err(line.unexpected(format!("{} fields", classes + 2)));
    };
    if posteriors.len() != classes as usize {
        return Err(line.unexpected(format!("{} fields", classes + 2)));
    }
    for posterior in posteriors {
        posterior.as_f32()?;
    }
    match class.as_u32()? {
        found if found < classes => Ok((node.as_u32()?, found)),
        _ => Err(class.unexpected(format!("a class below {classes}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Labels, String> {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("predictions.csv");
        std::fs::write(&path, text).unwrap();
        predictions(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn every_node_has_its_class() {
        let labels = read("node,class,0,1\n0,1,0.25,0.75\n1,0,1,1e-9\n").unwrap();
        assert_eq!((labels.classes(), labels.iter().collect::<Vec<_>>()), (2, vec![Some(1), Some(0)]));
    }

    #[test]
    fn invalid_predictions_are_refused_with_their_line() {
        for (text, place) in [
            ("", "predictions.csv: the table is empty"),
            ("node,label\n0,1\n", "predictions.csv:1"),
            ("node,class\n0,0\n", "predictions.csv:1"),
            ("node,class,1,0\n0,0,1,0\n", "predictions.csv:1"),
            ("node,class,0,1\n0,1,0,1\n1,2,0,1\n", "predictions.csv:3:2: found \"2\", expected a class below 2"),
            ("node,class,0,1\n0,1,0,1\n2,1,0,1\n", "predictions.csv:3:1: found \"2\", expected node 1"),
            ("node,class,0,1\n0,1,0,1\n0,1,0,1\n", "predictions.csv:3:1: found \"0\", expected node 1"),
            ("node,class,0,1\n0,1,0\n", "predictions.csv:2: found \"0,1,0\", expected 4 fields"),
            ("node,class,0,1\n0,1,0,1,1\n", "predictions.csv:2"),
            ("node,class,0,1\n0\n", "predictions.csv:2"),
            ("node,class,0,1\n0,-1,0,1\n", "predictions.csv:2:2"),
            ("node,class,0,1\n0,1,NaN,1\n", "predictions.csv:2:3"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(place), "{message:?} does not say {place:?}");
        }
    }
}
