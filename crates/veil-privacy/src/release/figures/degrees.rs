//! Noisy degrees and their file: `node,degree`, one line per node.

use std::fmt::Write as _;

use super::Kind;
use crate::protocol::blink;

/// The noisy degree of every node, beside its list.
pub(super) const KIND: Kind = Kind {
    name: "noisy degrees",
    file: "noisy-degrees.csv",
    mechanism: Some(blink::NAME),
    in_place_of_edges: None,
    always: true,
    is_there: |figures| figures.degrees.is_some(),
    write: |figures| figures.degrees.as_deref().map(to_csv),
    read: |figures, text, nodes| {
        figures.degrees = Some(from_csv(text, nodes)?);
        Ok(())
    },
    fits: |_, _, _| true,
    expected: "noisy degrees",
    // Computed with its list, by the registry of protocols.
    implied: None,
    show: |figures, f| figures.degrees.as_ref().map_or(Ok(()), |degrees| write!(f, ", degrees {degrees:?}")),
};

const HEADER: &str = "node,degree";

fn to_csv(degrees: &[i64]) -> String {
    let mut text = format!("{HEADER}\n");
    for (node, degree) in degrees.iter().enumerate() {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{node},{degree}");
    }
    text
}

/// Parses the file; an error names the line and the problem.
fn from_csv(text: &str, nodes: usize) -> Result<Vec<i64>, String> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err(format!("line 1: expected {HEADER}"));
    }
    let degree = |(node, line): (usize, &str)| {
        let wrong = || format!("line {}: expected the degree of node {node}", node + 2);
        let (listed, degree) = line.split_once(',').ok_or_else(wrong)?;
        let listed: usize = listed.trim().parse().map_err(|_| wrong())?;
        let degree = degree.trim().parse().map_err(|_| wrong())?;
        if listed == node { Ok(degree) } else { Err(wrong()) }
    };
    let degrees: Vec<i64> = lines.enumerate().map(degree).collect::<Result<_, String>>()?;
    if degrees.len() != nodes {
        return Err(format!("{} degrees of {nodes} nodes", degrees.len()));
    }
    Ok(degrees)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let degrees = [3, -2, i64::MAX, i64::MIN];
        assert_eq!(to_csv(&degrees).lines().take(3).collect::<Vec<_>>(), ["node,degree", "0,3", "1,-2"]);
        assert_eq!(from_csv(&to_csv(&degrees), 4).unwrap(), degrees);
    }

    #[test]
    fn what_is_broken_is_named_with_its_line() {
        for (text, says) in [
            ("degree\n", "line 1"),
            ("node,degree\n0,1\n1,x\n", "line 3"),
            ("node,degree\n0,1\n0,1\n", "line 3: expected the degree of node 1"),
            ("node,degree\n0\n", "line 2"),
            ("node,degree\n0,1\n", "1 degrees of 2 nodes"),
        ] {
            let problem = from_csv(text, 2).unwrap_err();
            assert!(problem.contains(says), "{problem}");
        }
    }
}
