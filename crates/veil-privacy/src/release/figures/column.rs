//! Figures of one whole number for each node, and their files: `node,NAME`, one line per node.

use std::fmt::{Display, Write as _};
use std::str::FromStr;

use super::super::codebook::fit;
use super::super::recompute::{NotImplied, Stated};
use super::{Implied, Kind, number};
use crate::guarantee::Guarantee;
use crate::mechanism::codebook;
use crate::protocol::blink;

/// The noisy degree of every node, beside its list.
pub(super) const DEGREES: Kind = Kind {
    name: "noisy degrees",
    file: "noisy-degrees.csv",
    mechanism: Some(blink::NAME),
    in_place_of_edges: None,
    always: true,
    is_there: |figures| figures.degrees.is_some(),
    write: |figures| figures.degrees.as_deref().map(|degrees| to_csv("degree", degrees)),
    read: |figures, text, nodes| {
        figures.degrees = Some(from_csv(text, "degree", nodes)?);
        Ok(())
    },
    fits: |_, _, _| true,
    expected: "noisy degrees",
    // Computed with its list, by the registry of protocols.
    implied: None,
    show: |figures, f| figures.degrees.as_ref().map_or(Ok(()), |degrees| write!(f, ", degrees {degrees:?}")),
};

/// A codeword of each training node, and a class of each other one, in place of their features.
pub(super) const HINTS: Kind = Kind {
    name: "codewords and classes",
    file: "feature-hints.csv",
    mechanism: Some(codebook::NAME),
    in_place_of_edges: None,
    always: true,
    is_there: |figures| figures.hints.is_some(),
    write: |figures| figures.hints.as_deref().map(|hints| to_csv("hint", hints)),
    read: |figures, text, nodes| {
        figures.hints = Some(from_csv(text, "hint", nodes)?);
        Ok(())
    },
    fits: |figures, parameters, data| figures.hints.iter().all(|hints| fit(hints, data, number(parameters, "classes"))),
    expected: "codewords and classes by these parameters",
    implied: Some(Implied {
        compute: implied,
        #[cfg(test)]
        examples: tests::examples,
    }),
    show: |figures, f| figures.hints.as_ref().map_or(Ok(()), |hints| write!(f, ", hints {hints:?}")),
};

/// The guarantee of a codebook of these parameters.
fn implied(stated: &Stated<'_>) -> Result<Vec<Guarantee>, NotImplied> {
    let params = codebook::Params {
        epsilon: stated.read("epsilon")?,
        dimensions: stated.read("dimensions")?,
        classes: stated.read("classes")?,
        groups: Some(stated.read("groups")?),
    };
    Ok(vec![params.check().map_err(|error| stated.refused(error))?.guarantee()])
}

fn to_csv(name: &str, numbers: &[impl Display]) -> String {
    let mut text = format!("node,{name}\n");
    for (node, number) in numbers.iter().enumerate() {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{node},{number}");
    }
    text
}

/// Parses the file; an error names the line and the problem.
fn from_csv<T: FromStr>(text: &str, name: &str, nodes: usize) -> Result<Vec<T>, String> {
    let mut lines = text.lines();
    if lines.next().and_then(|line| line.strip_prefix("node,")) != Some(name) {
        return Err(format!("line 1: expected node,{name}"));
    }
    let number = |(node, line): (usize, &str)| {
        let wrong = || format!("line {}: expected the {name} of node {node}", node + 2);
        let (listed, number) = line.split_once(',').ok_or_else(wrong)?;
        let listed: usize = listed.trim().parse().map_err(|_| wrong())?;
        let number = number.trim().parse().map_err(|_| wrong())?;
        if listed == node { Ok(number) } else { Err(wrong()) }
    };
    let numbers: Vec<T> = lines.enumerate().map(number).collect::<Result<_, String>>()?;
    if numbers.len() != nodes {
        return Err(format!("{} numbers of {nodes} nodes", numbers.len()));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Epsilon;

    /// Of a codebook.
    pub(super) fn examples(epsilon: Epsilon) -> Vec<Guarantee> {
        let params = codebook::Params { epsilon, dimensions: 9, classes: 3, groups: Some(4) };
        vec![params.check().unwrap().guarantee()]
    }

    #[test]
    fn what_is_written_is_read_again() {
        let degrees = [3, -2, i64::MAX, i64::MIN];
        let text = to_csv("degree", &degrees);
        assert_eq!(text.lines().take(3).collect::<Vec<_>>(), ["node,degree", "0,3", "1,-2"]);
        assert_eq!(from_csv::<i64>(&text, "degree", 4).unwrap(), degrees);
    }

    #[test]
    fn what_is_broken_is_named_with_its_line() {
        for (text, says) in [
            ("degree\n", "line 1"),
            ("node,hint\n0,1\n1,2\n", "line 1"),
            ("node,degree\n0,1\n1,x\n", "line 3"),
            ("node,degree\n0,1\n0,1\n", "line 3: expected the degree of node 1"),
            ("node,degree\n0\n", "line 2"),
            ("node,degree\n0,1\n", "1 numbers of 2 nodes"),
        ] {
            let problem = from_csv::<i64>(text, "degree", 2).unwrap_err();
            assert!(problem.contains(says), "{problem}");
        }
        assert!(from_csv::<u32>("node,hint\n0,-1\n", "hint", 1).is_err());
    }
}
