//! The ledger of one owner's data.

use std::path::PathBuf;

use pyo3::prelude::*;
use veilgraph::privacy::ledger::{BudgetTextError, Head};
use veilgraph::privacy::release::Privatised;
use veilgraph::privacy::{Budget, Ledger as Book, Private, Statement};

use crate::data::{Handed, owned};
use crate::errors::Failed;
use crate::work::work;

/// A ledger by its path. It is opened, and verified as a whole, whenever it is used.
#[pyclass(frozen, module = "veilgraph._native")]
pub struct Ledger {
    path: PathBuf,
}

/// A budget, as `UNIT=EPSILON` or `UNIT=EPSILON,DELTA`.
fn budget(text: &str) -> Result<Budget, Failed> {
    text.parse().map_err(|error: BudgetTextError| Failed::parameter(error.to_string()))
}

#[pymethods]
impl Ledger {
    /// Creates a ledger.
    #[staticmethod]
    fn create(
        py: Python<'_>,
        path: PathBuf,
        budgets: Vec<String>,
        lineage: Option<String>,
        head_file: Option<PathBuf>,
    ) -> PyResult<Ledger> {
        work(py, None, move |_| {
            let budgets: Vec<Budget> = budgets.iter().map(|it| budget(it)).collect::<Result<_, _>>()?;
            Book::create_for(&path, &budgets, lineage.as_deref(), head_file.as_deref())?;
            Ok(Ledger { path })
        })
    }

    /// Opens a ledger.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Ledger> {
        work(py, None, move |_| {
            Book::open(&path)?;
            Ok(Ledger { path })
        })
    }

    /// Its file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Its content as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.path.clone();
        work(py, None, move |_| Ok(serde_json::to_string(&Book::open(&path)?.report()?)?))
    }

    /// Adds later data about the same people.
    fn add_snapshot(&self, py: Python<'_>, data: Handed, name: Option<String>) -> PyResult<()> {
        let (path, data) = (self.path.clone(), data.get(py)?);
        work(py, None, move |_| {
            let data = Private::seal(owned(data));
            Ok(Book::open(&path)?.add_snapshot(&data, name.as_deref())?)
        })
    }

    /// Compares it with heads and statements that were kept elsewhere; returns its head.
    fn verify(&self, py: Python<'_>, heads: Vec<String>, statements: Vec<PathBuf>) -> PyResult<String> {
        let path = self.path.clone();
        work(py, None, move |_| {
            let head = |text: String| match text.parse::<Head>() {
                Ok(head) => Ok((text, head)),
                Err(error) => Err(Failed::parameter(format!("heads: {text:?}: {error}"))),
            };
            let heads = heads.into_iter().map(head).collect::<Result<Vec<_>, _>>()?;
            let statement = |folder: PathBuf| -> Result<(String, Statement), Failed> {
                Ok((folder.display().to_string(), Privatised::statement_of(&folder)?))
            };
            let statements = statements.into_iter().map(statement).collect::<Result<Vec<_>, _>>()?;
            Ok(Book::open(&path)?.verify(&heads, &statements)?.head.to_string())
        })
    }

    /// Copies it; returns its head.
    fn backup(&self, py: Python<'_>, out: PathBuf) -> PyResult<String> {
        let path = self.path.clone();
        work(py, None, move |_| Ok(Book::open(&path)?.backup(&out)?.to_string()))
    }
}
