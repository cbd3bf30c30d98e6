//! Degree vectors and sums over neighbours, and their files: `round,node,0,1,…`, one line per round
//! and node. A hop of sums is a round.

use std::fmt::{self, Formatter, Write as _};

use super::super::recompute::{NotImplied, Stated};
use super::{Implied, Kind, number};
use crate::central::neighbour_sums;
use crate::guarantee::Guarantee;
use crate::protocol::degree_vectors::{self, Counts};

/// Noisy numbers of neighbours.
pub(super) const COUNTS: Kind = Kind {
    name: "degree vectors",
    file: "degree-vectors.csv",
    mechanism: Some(degree_vectors::NAME),
    in_place_of_edges: Some("noisy counts of neighbours per cluster"),
    always: false,
    is_there: |figures| figures.vectors.is_some(),
    write: |figures| written(figures.vectors.as_deref()),
    read: |figures, text, nodes| {
        figures.vectors = Some(from_csv(text, nodes)?);
        Ok(())
    },
    fits: |figures, parameters, _| {
        let most = number(parameters, "rounds");
        figures.vectors.iter().all(|rounds| most.is_some_and(|most| rounds.len() <= most))
    },
    expected: "no more rounds than these parameters have",
    implied: Some(Implied {
        compute: counts,
        #[cfg(test)]
        examples: tests::examples_of_counts,
    }),
    show: |figures, f| show("round", "counts", figures.vectors.as_deref(), f),
};

/// Noisy sums of neighbours' messages.
pub(super) const SUMS: Kind = Kind {
    name: "sums over neighbours",
    file: "neighbour-sums.csv",
    mechanism: Some(neighbour_sums::NAME),
    in_place_of_edges: Some("noisy sums of neighbours' messages"),
    always: false,
    is_there: |figures| figures.sums.is_some(),
    write: |figures| written(figures.sums.as_deref()),
    read: |figures, text, nodes| {
        figures.sums = Some(from_csv(text, nodes)?);
        Ok(())
    },
    fits: |figures, parameters, _| {
        // They are read in these steps, whatever a statement says.
        let in_steps = number(parameters, "steps") == Some(neighbour_sums::STEPS as usize);
        figures.sums.iter().all(|hops| in_steps && number(parameters, "hops") == Some(hops.len()))
    },
    expected: "as many hops as these parameters have",
    implied: Some(Implied {
        compute: sums,
        #[cfg(test)]
        examples: tests::examples_of_sums,
    }),
    show: |figures, f| show("hop", "sums", figures.sums.as_deref(), f),
};

/// The guarantees of degree vectors of these parameters.
fn counts(stated: &Stated<'_>) -> Result<Vec<Guarantee>, NotImplied> {
    let params = degree_vectors::Params {
        epsilon: stated.read("epsilon")?,
        rounds: stated.read("rounds")?,
        unit: stated.read("unit")?,
        clusters: stated.read("clusters")?,
    };
    Ok(params.check().map_err(|error| stated.refused(error))?.guarantees())
}

/// The guarantees of sums of these parameters.
fn sums(stated: &Stated<'_>) -> Result<Vec<Guarantee>, NotImplied> {
    let params = neighbour_sums::Params {
        epsilon: stated.read("epsilon")?,
        delta: stated.read("delta")?,
        hops: stated.read("hops")?,
        steps: stated.read("steps")?,
    };
    Ok(params.check().map_err(|error| stated.refused(error))?.guarantees())
}

/// The file, if there is a round.
fn written(rounds: Option<&[Counts]>) -> Option<String> {
    rounds.filter(|rounds| !rounds.is_empty()).map(to_csv)
}

fn show(round: &str, what: &str, rounds: Option<&[Counts]>, f: &mut Formatter<'_>) -> fmt::Result {
    let mut rounds = rounds.into_iter().flatten().enumerate();
    rounds.try_for_each(|(at, counts)| write!(f, ", {round} {at} {what} {:?}", counts.values()))
}

fn to_csv(rounds: &[Counts]) -> String {
    let clusters = rounds.first().map_or(0, Counts::clusters);
    let mut text = String::from("round,node");
    // Writing into a String cannot fail.
    for cluster in 0..clusters {
        let _ = write!(text, ",{cluster}");
    }
    text.push('\n');
    for (round, counts) in rounds.iter().enumerate() {
        for node in 0..counts.nodes() {
            let _ = write!(text, "{round},{node}");
            for count in counts.row(node) {
                let _ = write!(text, ",{count}");
            }
            text.push('\n');
        }
    }
    text
}

/// Parses the file; an error names the line and the problem.
fn from_csv(text: &str, nodes: usize) -> Result<Vec<Counts>, String> {
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let clusters = header.split(',').count().saturating_sub(2);
    let numbered = || header.split(',').skip(2).enumerate().all(|(place, name)| name == place.to_string());
    if !header.starts_with("round,node,") || clusters == 0 || !numbered() {
        return Err("line 1: expected round,node,0,1,… with one column per cluster".to_owned());
    }
    let mut rounds: Vec<Vec<i64>> = Vec::new();
    for (place, line) in lines {
        let wrong = |what: String| format!("line {}: {what}", place + 1);
        let numbers: Vec<i64> = line
            .split(',')
            .map(|field| field.trim().parse().map_err(|_| wrong(format!("{field:?} is not a whole number"))))
            .collect::<Result<_, String>>()?;
        if numbers.len() != clusters + 2 {
            return Err(wrong(format!("{} fields, where the header has {}", numbers.len(), clusters + 2)));
        }
        if rounds.last().is_none_or(|round| round.len() == nodes * clusters) {
            // The number of nodes may be nothing but a number in a file.
            rounds.push(Vec::new());
        }
        let round = rounds.len() - 1;
        let values = &mut rounds[round];
        let expected = (round as i64, (values.len() / clusters) as i64);
        if (numbers[0], numbers[1]) != expected {
            return Err(wrong(format!("expected round {}, node {}", expected.0, expected.1)));
        }
        values.extend_from_slice(&numbers[2..]);
    }
    if rounds.last().is_some_and(|round| round.len() != nodes * clusters) {
        return Err(format!("the last round has not one line for each of {nodes} nodes"));
    }
    Ok(rounds.into_iter().map(|values| Counts::new(clusters, values)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Epsilon;
    use crate::guarantee::Unit;

    /// For every unit.
    pub(super) fn examples_of_counts(epsilon: Epsilon) -> Vec<Guarantee> {
        let params = |unit| degree_vectors::Params { epsilon, rounds: 2, unit, clusters: 4 };
        let units = [Unit::Edge, Unit::EdgeBit, Unit::EdgeSet].into_iter();
        units.flat_map(|unit| params(unit).check().unwrap().guarantees()).collect()
    }

    /// Of two hops.
    pub(super) fn examples_of_sums(epsilon: Epsilon) -> Vec<Guarantee> {
        let delta = "0.00001".parse().unwrap();
        neighbour_sums::Params { epsilon, delta, hops: 2, steps: 16 }.check().unwrap().guarantees()
    }

    /// As many nodes as a file says, and as many columns: nothing is allocated for them.
    #[test]
    fn a_number_of_nodes_allocates_nothing() {
        let columns: Vec<String> = (0..1000).map(|it| it.to_string()).collect();
        let text = format!("round,node,{}\n0,0{}\n", columns.join(","), ",0".repeat(1000));
        assert!(from_csv(&text, 1 << 40).unwrap_err().contains("the last round"));
        assert!(from_csv("round,node,0,7\n", 1).unwrap_err().contains("line 1"));
        assert!(from_csv("round,node,,\n", 1).unwrap_err().contains("line 1"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let rounds = [Counts::new(2, vec![1, -2, 3, 4]), Counts::new(2, vec![0, 0, 7, -1])];
        assert_eq!(to_csv(&rounds).lines().take(2).collect::<Vec<_>>(), ["round,node,0,1", "0,0,1,-2"]);
        assert_eq!(from_csv(&to_csv(&rounds), 2).unwrap(), rounds);
    }

    #[test]
    fn what_is_broken_is_named_with_its_line() {
        for (text, says) in [
            ("node,0\n", "line 1"),
            ("round,node,0\n0,0,1\n0,1,x\n", "line 3: \"x\""),
            ("round,node,0\n0,0,1,2\n", "line 2: 4 fields"),
            ("round,node,0\n0,0,1\n0,5,1\n", "line 3: expected round 0, node 1"),
            ("round,node,0\n0,0,1\n", "not one line for each of 2"),
        ] {
            let problem = from_csv(text, 2).unwrap_err();
            assert!(problem.contains(says), "{problem}");
        }
    }
}
