//! `answers.csv`: the answers of a model, by the names of nodes and classes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use veil_graph::{Labels, Matrix, ShapeError};

use crate::error::LearnError;
use crate::method::most_likely;
use crate::run::{Run, RunError};

/// The file in a published folder.
pub(super) const FILE: &str = "answers.csv";

/// The answers of a model about all nodes: `node,class,NAME,NAME,…` with the most likely class and
/// the probability of each class.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    nodes: Vec<String>,
    classes: Vec<String>,
    posteriors: Matrix,
}

/// Why answers cannot be read or written.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum AnswersError {
    #[error("{}: {source}", path.display())]
    Csv { path: PathBuf, source: csv::Error },
    #[error("{}:{line}: {problem}", path.display())]
    Line { path: PathBuf, line: u64, problem: String },
}

impl Answers {
    /// The answers of a run.
    ///
    /// # Errors
    /// If networks and release do not fit together, or the run answers about nobody.
    pub fn of(run: &Run) -> Result<Answers, RunError> {
        if run.answers_about_nobody() {
            return Err(LearnError::AboutNobody { data: run.released().data().name().to_owned() }.into());
        }
        let (data, posteriors) = (run.released().data(), run.posteriors()?);
        let named = data.labels().and_then(Labels::names);
        let classes = (0..posteriors.columns()).map(|class| match named.and_then(|names| names.get(class)) {
            Some(name) => name.clone(),
            None => class.to_string(),
        });
        let nodes = (0..data.nodes()).map(|node| data.names().name(node).into_owned());
        Ok(Answers { nodes: nodes.collect(), classes: classes.collect(), posteriors })
    }

    /// Whether a folder has answers.
    pub fn are_in(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// The names of the nodes.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The probability of each class, one row per node.
    pub fn posteriors(&self) -> &Matrix {
        &self.posteriors
    }

    /// The names of the most likely classes, one per node.
    pub fn likely(&self) -> Vec<&str> {
        most_likely(&self.posteriors).into_iter().map(|class| self.classes[class as usize].as_str()).collect()
    }

    /// The answers about the nodes in these rows.
    ///
    /// # Errors
    /// If they are more numbers than memory has room for.
    pub fn chosen(&self, rows: &[usize]) -> Result<Answers, ShapeError> {
        let nodes = rows.iter().map(|&row| self.nodes[row].clone()).collect();
        let values = rows.iter().flat_map(|&row| self.posteriors.row(row)).copied().collect();
        let posteriors = Matrix::from_values(rows.len(), self.classes.len(), values)?;
        Ok(Answers { nodes, classes: self.classes.clone(), posteriors })
    }

    /// The table as CSV.
    ///
    /// # Errors
    /// Never for a writer that does not fail.
    pub fn to_csv(&self, out: impl Write) -> Result<(), csv::Error> {
        let mut table = csv::Writer::from_writer(out);
        let head = ["node", "class"].into_iter().chain(self.classes.iter().map(String::as_str));
        table.write_record(head)?;
        for (row, class) in self.likely().into_iter().enumerate() {
            let sure = self.posteriors.row(row).iter().map(f32::to_string);
            let named = [self.nodes[row].clone(), class.to_owned()];
            table.write_record(named.into_iter().chain(sure))?;
        }
        Ok(table.flush()?)
    }

    /// Writes them into a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), AnswersError> {
        let broken = |source| AnswersError::Csv { path: path.to_owned(), source };
        let file = File::create(path).map_err(|error| broken(error.into()))?;
        self.to_csv(BufWriter::new(file)).map_err(broken)
    }

    /// Reads the answers of a published folder.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn open(folder: &Path) -> Result<Answers, AnswersError> {
        let path = folder.join(FILE);
        let broken = |source| AnswersError::Csv { path: path.clone(), source };
        let wrong = |line, problem: &str| AnswersError::Line { path: path.clone(), line, problem: problem.to_owned() };
        let mut table = csv::Reader::from_path(&path).map_err(broken)?;
        let head = table.headers().map_err(broken)?;
        if head.get(0) != Some("node") || head.get(1) != Some("class") || head.len() < 3 {
            return Err(wrong(1, "expected the columns node, class and one per class"));
        }
        let classes: Vec<String> = head.iter().skip(2).map(str::to_owned).collect();
        let (mut nodes, mut values) = (Vec::new(), Vec::new());
        for record in table.records() {
            let record = record.map_err(broken)?;
            let line = record.position().map_or(0, csv::Position::line);
            nodes.push(record.get(0).unwrap_or_default().to_owned());
            for text in record.iter().skip(2) {
                let number = text.parse::<f32>().ok().filter(|it| it.is_finite());
                values.push(number.ok_or_else(|| wrong(line, &format!("{text:?} is not a probability")))?);
            }
        }
        let posteriors = Matrix::from_values(nodes.len(), classes.len(), values);
        let posteriors = posteriors.map_err(|error| wrong(1, &error.to_string()))?;
        Ok(Answers { nodes, classes, posteriors })
    }
}
