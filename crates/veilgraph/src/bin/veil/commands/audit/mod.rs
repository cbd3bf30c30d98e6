//! `veil audit`: check what a mechanism promises, from its code's real distribution.
//!
//! `flags` says what is audited and with which parameters, `predictions` reads what somebody else's mechanism did, `show` prints what was found.

mod flags;
mod predictions;
mod show;

use clap::Args;
use veil_attack::audit::{Audit, Options, Subject, pipeline};
use veil_graph::Dataset;
use veil_graph::generate::Community;
use veil_privacy::Epsilon;

use super::releasing::ProtocolFlags;
use super::train::network::NetworkFlags;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// How many nodes the graph has that is made up if none is given.
const NODES: u32 = 1000;

/// Check what a mechanism promises, from its code's real distribution
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    veil audit all --data graph\n  \
    veil audit graph-privatizer --data graph --epsilon 0.1 --alpha 0.5 --exact\n  \
    veil audit degree-vectors --unit edge-set --epsilon 2 --canaries 500 --json\n  \
    veil audit graph-privatizer --data graph --epsilon 0.1 --end-to-end --model gcn\n  \
    veil audit --predictions-in with.csv --predictions-out without.csv --epsilon 1\n\n\
    Verdicts: holds (exact, for all adjacent inputs of the stated model), no violation found (what would have been found is printed),\n\
    violated (two inputs and an output that the promise does not allow, or guesses that are too good with confidence 1 − 10⁻⁶).")]
pub struct AuditCommand {
    /// What is audited: all, randomised-response (labels), multi-bit (features), graph-privatizer, two-hop-rr, dummy-exchange,
    /// shuffled-query, neighbour-krr, edge-flip, degree-vectors, lpgnet, edgerand, lapgraph, privgnn, pate or class-sums
    #[arg(value_name = "MECHANISM", required_unless_present = "predictions_in")]
    subject: Option<String>,
    /// The graph [default: a made-up citation graph of 1,000 nodes]. privgnn, pate and class-sums are audited on small graphs of the auditor's own,
    /// labels and features by their numbers of classes and dimensions
    #[arg(long)]
    data: Option<String>,
    /// ε that is promised [default: 1]
    #[arg(long)]
    epsilon: Option<Epsilon>,
    /// Only what follows from exact distributions: plant no canaries
    #[arg(long, conflicts_with_all = ["end_to_end", "predictions_in"])]
    exact: bool,
    /// How many canaries are planted, at most (in lists, half of the nodes); for privgnn, pate and class-sums how often each of two worlds is run
    #[arg(long, value_name = "N", default_value_t = 1000)]
    canaries: usize,
    /// How many adjacent pairs are compared exactly, where all would be too many
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pairs: usize,
    /// What pairs, canaries and noise are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Train a model on a release with canaries, and guess them from the model (LinkTeller); edges alone
    #[arg(long)]
    end_to_end: bool,
    #[command(flatten)]
    predictions: predictions::Files,
    #[command(flatten)]
    protocol: ProtocolFlags,
    #[command(flatten)]
    answers: flags::AnswerFlags,
    #[command(flatten)]
    network: NetworkFlags,
}

impl AuditCommand {
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        let options =
            Options { pairs: self.pairs, canaries: if self.exact { 0 } else { self.canaries }, seed: self.seed };
        let Some(subject) = &self.subject else {
            return self.predictions.judge(self.epsilon()?, self.protocol.delta.unwrap_or(0.0), output);
        };
        self.predictions.refuse()?;
        if subject == "all" {
            return self.all(&options, output);
        }
        let subject: Subject = subject.parse().map_err(Failure::Usage)?;
        let parameters = self.parameters(subject)?;
        let bar = progress::working(output, &format!("auditing {subject}"));
        let data = self.data()?;
        let found = if self.end_to_end {
            vec![pipeline::audit(&parameters, &data, &options)?]
        } else {
            subject.audit(&parameters, &data, &options)?
        };
        bar.finish_and_clear();
        show::show(&found, output)
    }

    /// Everything, at one ε.
    fn all(&self, options: &Options, output: &Output) -> Result<(), Failure> {
        flags::refuse_with_all(&self.protocol, &self.answers, &self.network, self.end_to_end)?;
        let data = self.data()?;
        let every = Subject::every(self.epsilon()?)?;
        let bar = progress::counting(output, "auditing", every.len() as u64);
        let mut found: Vec<Audit> = Vec::new();
        for (subject, parameters) in every {
            match subject.audit(&parameters, &data, options) {
                Ok(audits) => found.extend(audits),
                // One that these data do not allow does not stop the others.
                Err(error) => output.warning(&format!("{subject} was not audited: {error}")),
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        show::show_all(&found, output)
    }

    fn parameters(&self, subject: Subject) -> Result<veil_learn::Parameters, Failure> {
        flags::refuse_useless(subject, &self.answers, &self.network, self.end_to_end)?;
        let parameters =
            super::flags::parameters(&subject.defaults(), None, &[&self.protocol, &self.answers, &self.network])?;
        match (parameters.lambda, self.epsilon) {
            (Some(_), Some(_)) => {
                Err(Failure::Usage("--lambda says how much noise there is, and --epsilon too: give one".to_owned()))
            }
            (Some(_), None) => Ok(parameters),
            (None, _) => Ok(subject.with_epsilon(parameters, self.epsilon()?)?),
        }
    }

    fn epsilon(&self) -> Result<Epsilon, Failure> {
        let one = || "1".parse().map_err(|error: veil_privacy::BudgetError| Failure::Usage(error.to_string()));
        self.epsilon.map_or_else(one, Ok)
    }

    fn data(&self) -> Result<Dataset, Failure> {
        match &self.data {
            Some(data) => super::data::open_named(data),
            None => {
                let data = Community::citation().with_nodes(NODES).check()?.generate(1);
                let split = veil_graph::Split::random(NODES, "0.5,0.25,0.25".parse()?, 1);
                Ok(data.with_split(split)?)
            }
        }
    }
}
