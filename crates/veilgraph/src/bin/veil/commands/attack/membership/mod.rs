//! `veil attack membership`: from whom did a model learn?

mod cast;
mod shadows;
mod show;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use veil_attack::membership::{self, Attacked, FEWEST_SHADOWS, MembershipError};
use veil_graph::Dataset;
use veil_learn::{LearnError, Run};
use veil_privacy::Private;
use veil_privacy::release::Privatised;

use self::cast::{Cast, Given, Stage};
use self::shadows::{Training, ask};
use self::show::Shown;
use crate::commands::data::open_named;
use crate::commands::inferring::check_inference;
use crate::commands::releasing::RangeArgument;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// Tell from whom a model learned (Shokri et al. 2017; Carlini et al. 2022)
///
/// Members are the training nodes of the run, compared with its test nodes. With --outside they are the training nodes of --truth,
/// compared with nodes of a graph that nobody trained on; the model is applied to both graphs, so a student that was trained on public data
/// can be asked about the private graph of its teachers.
///
/// Shadow models are trained with the run's parameters on a random half of the test nodes, or of --outside; the other half is asked about,
/// so nobody who is asked about trains a shadow. Each of them learns from a random half of what it is given. In every class there are
/// as many members as others, unless --unmatched is given.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil attack membership run --truth graph\n  \
    veil attack membership run --truth parts/private --outside parts/outside\n  \
    veil attack membership run --truth parts/private --outside parts/outside --shadows 16 --json")]
pub struct Membership {
    /// The run folder that veil train made
    run: PathBuf,
    /// The raw data of those who may be members, with their labels
    #[arg(long, value_name = "DATA")]
    truth: String,
    /// Raw data of the same kind that nobody trained on: those who are no members [default: the test nodes of the run]
    #[arg(long, value_name = "DATA")]
    outside: Option<String>,
    /// Raw data to train shadow models on [default: half of those who are no members]
    #[arg(long, value_name = "DATA")]
    shadow_data: Option<String>,
    /// How many shadow models are trained
    #[arg(long, value_name = "N", default_value = "8")]
    shadows: usize,
    /// Ask about everyone, although classes are more frequent among members than among others or less: that alone tells them apart
    #[arg(long)]
    unmatched: bool,
    /// Decides who is asked about, how shadows are trained, and the intervals
    #[arg(long, default_value = "1")]
    seed: u64,
}

impl Membership {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        if self.shadows < FEWEST_SHADOWS {
            return Err(MembershipError::TooFewShadows { shadows: self.shadows }.into());
        }
        let start = Instant::now();
        let bar = progress::working(output, "reading");
        let run = Run::open(&self.run)?;
        let range: RangeArgument = run.record().range.parse().map_err(Failure::Unexpected)?;
        let given = Given {
            truth: raw(&self.truth)?,
            outside: self.outside.as_deref().map(raw).transpose()?,
            shadow_data: self.shadow_data.as_deref().map(raw).transpose()?,
        };
        given.check(&run)?;
        let cast = Cast::new(given, &run, !self.unmatched, self.seed)?;
        cast.pool.check()?;
        bar.set_message("asking");
        let (members, others) = match &cast.stage {
            Stage::Run(_) => (ask(&run, &cast.members)?, ask(&run, &cast.others)?),
            Stage::Apart(graphs) => {
                let [members, others] = &**graphs;
                let about = |graph: &Private<Dataset>| run.elsewhere(graph, range.choice(), self.seed);
                (ask(&about(members)?, &cast.members)?, ask(&about(others)?, &cast.others)?)
            }
        };
        let attacked = Attacked::new(members, others)?;
        bar.finish_and_clear();
        let parameters = &run.record().parameters;
        let epochs = (parameters.epochs as u64).saturating_mul(u64::from(parameters.networks()));
        let bar = progress::training(output, epochs.saturating_mul(self.shadows as u64));
        let training = Training { run: &run, cast: &cast, range: range.choice(), seed: self.seed, bar: &bar };
        let shadows = training.shadows(self.shadows)?;
        bar.finish_and_clear();
        let found = membership::run(&attacked, &shadows, self.seed)?;
        let shown = Shown::new(&cast, !self.unmatched, &shadows, found, start.elapsed().as_secs_f64());
        output.show(&shown, || shown.describe())
    }
}

/// Raw data: a release does not say what is true.
fn raw(data: &str) -> Result<Dataset, Failure> {
    if Privatised::is_released(Path::new(data)) {
        return Err(Failure::Usage(format!("{data} was released: the attack needs raw data, which say what is true")));
    }
    open_named(data)
}

impl Given {
    /// Fails where the model, or one like it, cannot be asked about these graphs.
    fn check(&self, run: &Run) -> Result<(), Failure> {
        let shape = run.shape().ok_or(LearnError::NoNetwork)?;
        let names = run.released().data().labels().and_then(|labels| labels.names());
        let elsewhere = self.outside.is_some() || self.shadow_data.is_some();
        let graphs = [Some(&self.truth), self.outside.as_ref(), self.shadow_data.as_ref()];
        for graph in graphs.into_iter().flatten().filter(|_| elsewhere) {
            let sealed = Private::seal(graph.clone());
            check_inference(&run.record().parameters, shape, names, &sealed.public())?;
        }
        Ok(())
    }
}
