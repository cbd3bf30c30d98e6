//! `veil train`: from raw or released data to a trained model in a run folder.

pub mod show;

use std::path::{Path, PathBuf};

use clap::Args;
use veil_learn::pipeline::{self, Graphs, Input, Job, Place};
use veil_privacy::Private;
use veil_privacy::release::Privatised;

use super::method_flags::{Chosen, MethodFlags};
use super::terms::{GivenFlags, PaymentFlags, TermsFlags};
use crate::failure::{Failure, usage};
use crate::output::Output;
use crate::progress::Progress;

/// Release data (or read a release), train only on the release, score against the truth
#[derive(Args)]
pub struct Train {
    /// Path or fetched name of a data set, or a release written by veil privatize
    data: String,
    /// Read parameters from a TOML file; flags override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Run folder to write
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    terms: TermsFlags,
    #[command(flatten)]
    given: GivenFlags,
    #[command(flatten)]
    payment: PaymentFlags,
    /// Public graph that the student is trained on (`veil methods` says who needs one)
    #[arg(long, value_name = "DATA", help_heading = "Data")]
    public_graph: Option<String>,
    /// Separate graph of the validation nodes; its edges are charged too
    #[arg(long, value_name = "DATA", help_heading = "Data")]
    validation_data: Option<String>,
    /// Graph to predict on after training; its edges are charged too
    #[arg(long, value_name = "DATA", help_heading = "Data")]
    inference_data: Option<String>,
    /// Treat the graphs as versions of one graph: they share edges and --epsilon-edges
    #[arg(long, help_heading = "Data")]
    evolving: bool,
    /// Accept that the graphs have nodes in common: each is released once per graph, and the ε of
    /// all graphs add up
    #[arg(long, conflicts_with = "evolving", help_heading = "Data")]
    repeat_nodes: bool,
    /// Raw data of a release, for scoring only
    #[arg(long, value_name = "DATA", help_heading = "Data")]
    truth: Option<String>,
    // Last, so that it sees the others: help of a method hides what every method has.
    #[command(flatten)]
    method: MethodFlags,
}

impl Train {
    pub fn run(mut self, output: &Output) -> Result<(), Failure> {
        let chosen = self.method.chosen(self.config.as_deref())?;
        self.terms.fill(&chosen.flags)?;
        for (flag, name) in [(&mut self.public_graph, "public-graph"), (&mut self.inference_data, "inference-data")] {
            *flag = flag.take().or_else(|| chosen.flags.get(name).cloned());
        }
        let others = [&self.public_graph, &self.validation_data, &self.inference_data];
        let all = std::iter::once(&self.data).chain(others.into_iter().flatten());
        all.into_iter().try_for_each(|data| pipeline::refuse_inside(&self.out, Path::new(data)))?;
        if self.evolving && self.validation_data.is_none() && self.inference_data.is_none() {
            return usage("--evolving requires --inference-data or --validation-data");
        }
        if self.repeat_nodes && self.validation_data.is_none() && self.inference_data.is_none() {
            return usage("--repeat-nodes requires --inference-data or --validation-data");
        }
        let progress = Progress::reading(output, &self.data);
        let job = if Privatised::is_released(Path::new(&self.data)) {
            self.on_release(&chosen, output)?
        } else {
            self.on_raw_data(&chosen)?
        };
        let trained = job.run(Place::Folder(&self.out), &progress)?;
        progress.finish();
        show::show(&self.out, &trained, output);
        Ok(())
    }

    fn on_raw_data(&self, chosen: &Chosen) -> Result<Job, Failure> {
        if self.truth.is_some() {
            return usage("--truth requires a release: raw data are their own truth");
        }
        let entry = chosen.entry()?;
        let method = entry.configure(&chosen.settings)?;
        let (mut terms, payment) = (self.terms.terms().of(entry), self.payment.payment(&self.out)?);
        if entry.public_graph {
            let needed = pipeline::PipelineError::PublicGraph { method: entry.name, needed: true };
            let public = self.public_graph.as_deref().ok_or(needed)?;
            self.refuse_with_student(entry.name)?;
            let (private, public) = (self.given.apply(pipeline::raw(&self.data)?)?, pipeline::raw(public)?);
            let input = Input::student(private, public, &terms);
            return Ok(Job { method, terms, payment, input });
        }
        if self.public_graph.is_some() {
            return Err(pipeline::PipelineError::PublicGraph { method: entry.name, needed: false }.into());
        }
        let open = |data: &Option<String>| data.as_deref().map(pipeline::raw).transpose();
        let (validation, inference) = (open(&self.validation_data)?, open(&self.inference_data)?);
        let train = self.given.apply(pipeline::open(&self.data)?)?;
        let graphs = Graphs::new(train, validation, inference, self.evolving, &mut terms, &payment)?;
        let graphs = if self.repeat_nodes { graphs.with_repeated_nodes() } else { graphs };
        Ok(Job { method, terms, payment, input: Input::Graphs(graphs) })
    }

    /// A release: what was released is known, and nothing else is.
    fn on_release(&self, chosen: &Chosen, output: &Output) -> Result<Job, Failure> {
        let useless = [
            ("--ledger", self.payment.ledger.is_some()),
            ("--public-graph", self.public_graph.is_some()),
            ("--validation-data", self.validation_data.is_some()),
            ("--inference-data", self.inference_data.is_some()),
            ("--declare-public", self.terms.declares()),
        ];
        let useless = useless.into_iter().find_map(|(flag, given)| given.then_some(flag));
        if let Some(flag) = useless.or(self.terms.first_set()).or(self.given.first_set()) {
            return usage(format!("{} is a release: {flag} requires raw data", self.data));
        }
        let released = Privatised::open(Path::new(&self.data))?;
        output.note(&format!("{}: {}", self.data, released.integrity()));
        let method = pipeline::method_on(&released, chosen.method.as_deref(), &chosen.settings)?;
        let truth = self.truth.as_deref().map(pipeline::raw).transpose()?.map(Private::seal);
        let input = Input::Released { released: Box::new(released), truth };
        Ok(Job { method, terms: self.terms.terms(), payment: self.payment.payment(&self.out)?, input })
    }

    fn refuse_with_student(&self, method: &str) -> Result<(), Failure> {
        let flags = [
            ("--validation-data", self.validation_data.is_some()),
            ("--inference-data", self.inference_data.is_some()),
            ("--evolving", self.evolving),
            ("--repeat-nodes", self.repeat_nodes),
        ];
        let given = flags.into_iter().find_map(|(flag, given)| given.then_some(flag));
        match given.or(self.terms.first_set()) {
            Some(flag) => usage(format!("{flag} cannot be used with {method}, which releases a student")),
            None => Ok(()),
        }
    }
}
