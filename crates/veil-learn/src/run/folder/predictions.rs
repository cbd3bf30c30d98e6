//! The file of predictions.

use std::fmt::Write as _;

use veil_graph::Matrix;

use crate::method::most_likely;

/// `node,class,0,1,…`: the most likely class and the posterior of every node.
pub(super) fn to_csv(posteriors: &Matrix) -> String {
    let mut text = String::from("node,class");
    // Writing into a String cannot fail.
    for class in 0..posteriors.columns() {
        let _ = write!(text, ",{class}");
    }
    text.push('\n');
    for (node, class) in most_likely(posteriors).into_iter().enumerate() {
        let _ = write!(text, "{node},{class}");
        for probability in posteriors.row(node) {
            let _ = write!(text, ",{probability}");
        }
        text.push('\n');
    }
    text
}
