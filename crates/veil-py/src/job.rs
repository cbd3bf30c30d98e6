//! Trainings, releases and answers about further graphs: all by the pipeline.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use pyo3::prelude::*;
use serde::Deserialize;
use veilgraph::graph::Dataset as Data;
use veilgraph::learn::parameters::Reports;
use veilgraph::learn::pipeline::{
    self, Further, Graphs, Input, Job, Payment, PipelineError, Place, RangeText, Terms, Trained,
};
use veilgraph::learn::{Settings, method};
use veilgraph::privacy::{Consent, Private};

use crate::data::{Handed, owned};
use crate::errors::{Failed, Raises};
use crate::release::Release;
use crate::run::Run;
use crate::work::work;

/// What every job may be told, as texts that the library reads.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    split: Option<String>,
    range: Option<String>,
    declare_public: Option<String>,
    ledger: Option<PathBuf>,
    accept: Vec<String>,
    seed: Option<u64>,
    out: Option<PathBuf>,
    node_list: Option<String>,
    classes: Option<u32>,
    evolving: bool,
    repeat_nodes: bool,
    epsilon_edges: Option<String>,
}

/// Reads a text, or says which parameter it was.
fn read<T: FromStr<Err: std::fmt::Display>>(name: &str, text: &Option<String>) -> Result<Option<T>, Failed> {
    let parse = |text: &String| text.parse().map_err(|error| Failed::parameter(format!("{name} = {text:?}: {error}")));
    text.as_ref().map(parse).transpose()
}

impl Asked {
    fn terms(&self) -> Result<Terms, Failed> {
        let range: Option<RangeText> = read("range", &self.range)?;
        Ok(Terms {
            split: read("split", &self.split)?,
            range: range.unwrap_or_default().0,
            declared: read("declare_public", &self.declare_public)?.unwrap_or_default(),
            each: false,
        })
    }

    fn payment(&self) -> Result<Payment, Failed> {
        let consent = |word: &String| match word.as_str() {
            "seeded" => Ok(Consent::Seeded),
            status => match status.parse() {
                Ok(status) => Ok(Consent::Status(status)),
                Err(error) => Err(Failed::parameter(format!("accept = {status:?}: {error}; or seeded"))),
            },
        };
        let accept: Vec<Consent> = self.accept.iter().map(consent).collect::<Result<_, _>>()?;
        if !accept.is_empty() && self.ledger.is_none() {
            return Err(Failed::parameter("accept requires ledger: only a ledger refuses a release"));
        }
        let payment = Payment { ledger: self.ledger.clone(), accept, seed: self.seed, ..Payment::default() };
        Ok(match &self.out {
            Some(out) => payment.resuming(out)?,
            None => payment,
        })
    }

    fn place(&self) -> Place<'_> {
        self.out.as_deref().map_or(Place::Memory, Place::Folder)
    }

    /// The data with the facts that are given.
    fn given(&self, mut data: Data) -> Result<Data, Failed> {
        if let Some(list) = &self.node_list {
            data = data.with_node_list(list)?;
        }
        match self.classes {
            Some(classes) => Ok(data.with_classes(classes)?),
            None => Ok(data),
        }
    }

    fn refuse_inside(&self, data: &[&Option<Given>]) -> Result<(), Failed> {
        let Some(out) = &self.out else { return Ok(()) };
        let paths = data.iter().filter_map(|data| data.as_ref()?.path.as_deref());
        Ok(paths.map(Path::new).try_for_each(|path| pipeline::refuse_inside(out, path))?)
    }
}

/// Data, and where they were read from.
struct Given {
    data: Arc<Data>,
    path: Option<String>,
}

fn given(py: Python<'_>, data: Option<Handed>) -> PyResult<Option<Given>> {
    data.map(|data| Ok(Given { path: data.path(), data: data.get(py)? })).transpose()
}

/// Names of a parameter that has no effect beside a student or a release.
fn refuse(named: &[(&str, bool)], with: &str) -> Result<(), Failed> {
    match named.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failed::parameter(format!("{name} has no effect with {with}"))),
        None => Ok(()),
    }
}

/// Trains on raw data.
#[pyfunction]
#[pyo3(signature = (method, settings, data, validation, inference, public, asked, progress))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
fn train(
    py: Python<'_>,
    method: &str,
    settings: &str,
    data: Handed,
    validation: Option<Handed>,
    inference: Option<Handed>,
    public: Option<Handed>,
    asked: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Run> {
    let asked: Asked = serde_json::from_str(asked).or_raise(py)?;
    let settings: Settings = serde_json::from_str(settings).or_raise(py)?;
    let entry = method::find(method).or_raise(py)?;
    let method = entry.configure(&settings).or_raise(py)?;
    let (validation, inference, public) = (given(py, validation)?, given(py, inference)?, given(py, public)?);
    if public.is_some() != entry.public_graph {
        let error = PipelineError::PublicGraph { method: entry.name, needed: entry.public_graph };
        return Err(Failed::from(error).raise(py));
    }
    let mut data = given(py, Some(data))?;
    asked.refuse_inside(&[&data, &validation, &inference, &public]).or_raise(py)?;
    let train = data.take().map(|it| it.data);
    let trained = work(py, progress, move |watch| {
        let train = owned(train.ok_or_else(|| Failed::data("no data"))?);
        let train = asked.given(train)?;
        let (mut terms, payment) = (asked.terms()?.of(entry), asked.payment()?);
        let other = |given: Option<Given>| given.map(|it| owned(it.data));
        let input = match other(public) {
            Some(public) => {
                let named = [
                    ("validation_data", validation.is_some()),
                    ("inference_data", inference.is_some()),
                    ("evolving", asked.evolving),
                    ("repeat_nodes", asked.repeat_nodes),
                    ("split", asked.split.is_some()),
                    ("range", asked.range.is_some()),
                ];
                refuse(&named, &format!("{}, which releases a student", entry.name))?;
                Input::student(train, public, &terms)
            }
            None => {
                let (validation, inference) = (other(validation), other(inference));
                let graphs = Graphs::new(train, validation, inference, asked.evolving, &mut terms, &payment)?;
                Input::Graphs(if asked.repeat_nodes { graphs.with_repeated_nodes() } else { graphs })
            }
        };
        let trained = Job { method, terms, payment, input }.run(asked.place(), watch)?;
        Ok((trained, asked.out))
    })?;
    Ok(of(trained))
}

fn of((trained, out): (Trained, Option<PathBuf>)) -> Run {
    let Trained { run, score, inference, total, .. } = trained;
    let inference = inference.map(|it| Run::answers(it.run, it.out, it.classification, &it.total));
    Run::new(run, out, score, inference, &total)
}

/// Trains on a release.
#[pyfunction]
fn train_on(
    py: Python<'_>,
    method: Option<String>,
    settings: &str,
    release: &Release,
    truth: Option<Handed>,
    asked: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Run> {
    let asked: Asked = serde_json::from_str(asked).or_raise(py)?;
    let settings: Settings = serde_json::from_str(settings).or_raise(py)?;
    let named = [
        ("ledger", asked.ledger.is_some()),
        ("declare_public", asked.declare_public.is_some()),
        ("split", asked.split.is_some()),
        ("range", asked.range.is_some()),
        ("nodes", asked.node_list.is_some()),
        ("classes", asked.classes.is_some()),
    ];
    refuse(&named, "a release: it was decided when the release was made").or_raise(py)?;
    let released = release.get();
    let truth = given(py, truth)?;
    let method = pipeline::method_on(&released, method.as_deref(), &settings).or_raise(py)?;
    let trained = work(py, progress, move |watch| {
        let truth = truth.map(|it| Private::seal(owned(it.data)));
        let input = Input::Released { released: Box::new(Arc::unwrap_or_clone(released)), truth };
        let job = Job { method, terms: asked.terms()?, payment: asked.payment()?, input };
        Ok((job.run(asked.place(), watch)?, asked.out))
    })?;
    Ok(of(trained))
}

/// Releases data without a model.
#[pyfunction]
fn privatize(
    py: Python<'_>,
    method: Option<&str>,
    settings: &str,
    data: Handed,
    asked: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Release> {
    let asked: Asked = serde_json::from_str(asked).or_raise(py)?;
    let settings: Settings = serde_json::from_str(settings).or_raise(py)?;
    let (reports, edges) = Reports::apart(&settings).or_raise(py)?;
    let method = match (method, edges.names().next()) {
        (Some(name), _) => Some(method::configure(name, &edges).or_raise(py)?),
        (None, None) => None,
        (None, Some(name)) => {
            let problem = format!("{name} requires method, whose mechanism releases the edges");
            return Err(Failed::parameter(problem).raise(py));
        }
    };
    let data = given(py, Some(data))?;
    asked.refuse_inside(&[&data]).or_raise(py)?;
    let made = work(py, progress, move |watch| {
        let data = owned(data.ok_or_else(|| Failed::data("no data"))?.data);
        let (terms, payment) = (asked.terms()?, asked.payment()?);
        let data = Graphs::one(asked.given(data)?, &terms, &payment)?.into_train();
        let place = asked.place();
        let made = pipeline::release(&data, &reports, method.as_ref(), &terms, &payment, place, watch)?;
        Ok((made, asked.out.clone()))
    })?;
    let (made, out) = made;
    Ok(Release::new(made.released, out, Some(made.traffic)))
}

/// Answers about another graph.
#[pyfunction]
fn infer(py: Python<'_>, run: &Run, data: Handed, asked: &str, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Run> {
    let asked: Asked = serde_json::from_str(asked).or_raise(py)?;
    let run = run.model().or_raise(py)?;
    let data = given(py, Some(data))?;
    asked.refuse_inside(&[&data]).or_raise(py)?;
    let further = Further {
        epsilon_edges: read("epsilon_edges", &asked.epsilon_edges).or_raise(py)?,
        repeat_nodes: asked.repeat_nodes,
        evolving: asked.evolving,
    };
    let inferred = work(py, progress, move |watch| {
        let data = owned(data.ok_or_else(|| Failed::data("no data"))?.data);
        let data = Private::seal(asked.given(data)?).declaring(asked.terms()?.declared);
        Ok(pipeline::infer(&run, &data, further, &asked.payment()?, asked.place(), watch)?)
    })?;
    Ok(Run::answers(inferred.run, inferred.out, inferred.classification, &inferred.total))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train, module)?)?;
    module.add_function(wrap_pyfunction!(train_on, module)?)?;
    module.add_function(wrap_pyfunction!(privatize, module)?)?;
    module.add_function(wrap_pyfunction!(infer, module)?)
}
