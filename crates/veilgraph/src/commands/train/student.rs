//! Methods that release a student: the private graph is asked for labels of public nodes, or summed up so that labels can be read from the
//! sums, and the student learns from them.
//!
//! Asking takes long, so it can be interrupted: the key of the release, the answers so far and what else was decided lie in a hidden folder beside
//! `--out`, and the same command goes on from there. What all answers cost together is charged once, before the first.

use std::path::Path;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use veil_graph::{Dataset, write};
use veil_learn::run::{Record, Seconds, Seed};
use veil_learn::teaching::Asking;
use veil_learn::{Parameters, Seen};
use veil_nn::Kind;
use veil_privacy::answers::Kept;
use veil_privacy::release::Privatised;
use veil_privacy::{Epsilon, Permit, Private};

use super::{Train, Work};
use crate::commands::data::open_named;
use crate::commands::flags::erased::Table;
use crate::commands::releasing::{Clock, random_seed, refuse_inside};
use crate::commands::resuming::Workplace;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// What a private graph is asked, and how it answers.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StudentFlags {
    /// The public graph on which the student learns; its labels, if it has any, are for scoring alone
    #[arg(long, value_name = "DATA", help_heading = "Students")]
    #[serde(skip)]
    pub public: Option<String>,
    /// ε of a node of the private graph: the noise is chosen for it (δ: --delta) [default: --lambda says how much]
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true, help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<Epsilon>,
    /// privgnn, pate: the inverse of the scale of the noise of one answer; krr spends the same, 2λ
    #[arg(long, value_name = "LAMBDA", allow_hyphen_values = true, help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda: Option<Epsilon>,
    /// privgnn, pate: how many public nodes are asked about [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<u32>,
    /// privgnn, pate: which public nodes are asked about [default: random]
    #[arg(long, value_parser = PossibleValuesParser::new(["random", "pagerank", "degree", "clustering"]), help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    choose: Option<String>,
    /// privgnn: how a label leaves [default: krr]
    #[arg(long, value_parser = PossibleValuesParser::new(["krr", "noisy-argmax", "noisy-log-posterior"]), help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<String>,
    /// privgnn: with which probability a private node is in a teacher's sample [default: the largest for which
    /// labels by krr at --epsilon are worth asking for; else 0.3]
    #[arg(long, allow_hyphen_values = true, help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    gamma: Option<f64>,
    /// privgnn: how many nodes of its sample a teacher sees, the nearest by --measure [default: 750]
    #[arg(long, value_name = "K", help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    k: Option<u32>,
    /// pate: how many teachers vote [default: 20]
    #[arg(long, value_name = "N", help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    teachers: Option<u32>,
    /// privgnn, pate: whether a linear model reads noisy labels before the student learns, because a network learns noise by heart
    /// [default: true; as published: false]
    #[arg(long, value_name = "BOOL", help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    denoise: Option<bool>,
    /// privgnn, pate: the kind of network of a teacher; mlp reads no edges [default: sage]
    #[arg(long, value_name = "KIND", help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    teacher: Option<Kind>,
}

impl StudentFlags {
    /// The first flag that was given and says how much noise there is, or how a label leaves: for commands that try several.
    pub fn of_one_release(&self) -> Option<&'static str> {
        let given = [
            ("epsilon", self.epsilon.is_some()),
            ("lambda", self.lambda.is_some()),
            ("release", self.release.is_some()),
        ];
        given.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }

    /// The first flag that was given but for those that are `allowed`: for commands that have no student.
    pub(super) fn given(&self, allowed: &[&str]) -> Result<Option<String>, Failure> {
        let public = self.public.as_ref().map(|_| "public".to_owned());
        let others = self.table()?.into_iter().map(|(name, _)| name);
        Ok(public.into_iter().chain(others).find(|name| !allowed.contains(&name.as_str())))
    }
}

impl Train {
    pub(super) fn student(&self, parameters: Parameters, output: &Output) -> Result<(), Failure> {
        let Some(public) = &self.student.public else {
            let method = parameters.method.map_or_else(String::new, |method| method.to_string());
            return Err(Failure::Usage(format!(
                "--method {method} needs --public: the graph on which its student learns"
            )));
        };
        refuse_inside(&self.out, Path::new(public))?;
        self.refuse_for_students()?;
        let mut clock = Clock::start();
        let bar = progress::working(output, &format!("reading {} and {public}", self.data));
        let (private, public) = (Private::seal(raw(&self.data)?), raw(public)?);
        clock.lap();
        let place = Workplace::of(&self.out)?;
        if !place.key().exists() {
            place.forget("training-seed.json")?;
        }
        let training_seed: u64 = place.decided("training-seed.json", || match self.terms.payment.seed {
            Some(seed) => Ok(seed),
            None => random_seed().map(|seed| seed >> 11),
        })?;
        let asking = match Asking::new(&parameters, &private, &public, training_seed) {
            Ok(asking) => asking,
            // Nothing was begun: nothing stays.
            Err(error) if !place.key().exists() => {
                place.finish()?;
                return Err(error.into());
            }
            Err(error) => return Err(error.into()),
        };
        let facts = private.public();
        warn(&asking, facts.nodes, output);
        bar.finish_and_clear();
        let key_was_there = place.key().exists();
        let guarantees = vec![asking.guarantee().clone()];
        let permit = match self.terms.payment.resumable(&private, guarantees, &place.key(), &asking.about()) {
            Ok(permit) => permit,
            // Refused before anything was spent.
            Err(error) => {
                if !key_was_there {
                    place.finish()?;
                }
                return Err(error);
            }
        };
        let mut released = answers(&asking, facts.classes.unwrap_or(0), permit, &place, output)?;
        // How long teachers took would tell something about the private graph: it is said here and kept nowhere.
        output.note(&format!("answers: {:.0} s", clock.lap()));
        let truth = public.labels().is_some().then(|| Private::seal(public.clone()));
        let (run, scored) = write::atomically(&self.out, |folder| {
            let seed = released.statement().seed.map_or(Seed::Os, Seed::Given);
            let asked = (self.terms.split_text(), self.terms.range_text());
            let record = Record::new(released.data().name(), asking.parameters().clone(), asked, seed, training_seed);
            let work =
                Work { folder, record, clock: &mut clock, seconds: Seconds::default(), output, truth: truth.as_ref() };
            work.finish(Seen { released: &mut released, rounds: None }, None, &progress::working(output, "student"))
        })?;
        place.finish()?;
        self.show(&run, scored, None, output)
    }

    fn refuse_for_students(&self) -> Result<(), Failure> {
        let problem = "does not go with a method that releases a student";
        let flags = [
            ("--validation-data", self.validation_data.is_some()),
            ("--inference-data", self.inference_data.is_some()),
            ("--evolving", self.evolving),
            ("--truth", self.truth.is_some()),
            ("--edges", self.release.edges.is_some()),
            ("--epsilon-edges", self.release.epsilon_edges.is_some()),
            ("--epsilon-features", self.release.epsilon_features.is_some()),
            ("--epsilon-labels", self.release.epsilon_labels.is_some()),
            ("--scale", self.release.scale.as_deref().is_some_and(|scale| scale != "none")),
            ("--split", self.terms.split_text() != "public"),
            ("--range", self.terms.range_text() != "public"),
        ];
        match flags.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Failure::Usage(format!("{flag} {problem}"))),
            None => Ok(()),
        }
    }
}

/// Raw data, not a release.
fn raw(data: &str) -> Result<Dataset, Failure> {
    if Privatised::is_released(Path::new(data)) {
        return Err(Failure::Usage(format!("{data} is a release: a student is made from raw data")));
    }
    open_named(data)
}

/// A δ that is no small probability.
fn warn(asking: &Asking<'_>, nodes: u32, output: &Output) {
    let delta = asking.parameters().delta;
    if delta >= 1.0 / f64::from(nodes.max(1)) {
        output.warning(&format!(
            "δ = {delta} is not below 1/{nodes}: so large a δ allows to publish a whole node now and then; give a smaller --delta"
        ));
    }
}

/// Asks whatever has no answer yet.
fn answers(
    asking: &Asking<'_>,
    classes: u32,
    permit: Permit,
    place: &Workplace,
    output: &Output,
) -> Result<Privatised, Failure> {
    let questions = asking.queries().len();
    let (kept, teachers) = if asking.answers_one_by_one() {
        let kept = Kept::open(&place.file("answers.csv"), permit.release(), questions, classes)
            .map_err(veil_privacy::answers::AnswerError::from)?;
        let missing = kept.missing().len();
        if missing < questions {
            output.note(&format!("going on: {} of {questions} answers are there", questions - missing));
        }
        (kept, missing as u64)
    } else {
        (Kept::in_memory(questions), u64::from(asking.parameters().teachers.unwrap_or(0)))
    };
    let bar = progress::teaching(output, teachers);
    let released = asking.answers(permit, kept, &|| bar.inc(1))?;
    bar.finish_and_clear();
    Ok(released)
}
