//! Flags of mechanisms that answer questions, and which flags go with what.

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use veil_attack::audit::Subject;
use veil_learn::{Edges, Method};
use veil_privacy::Epsilon;

use crate::commands::flags::erased::Table;
use crate::commands::releasing::ProtocolFlags;
use crate::commands::train::network::NetworkFlags;
use crate::failure::Failure;

/// How questions are answered, and how many numbers a feature report holds.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AnswerFlags {
    /// multi-bit: how many dimensions each report samples [default: the encoder's rule]
    #[arg(long, value_name = "M", help_heading = "Protocols")]
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u32>,
    /// privgnn: how a label leaves [default: krr]
    #[arg(long, value_parser = PossibleValuesParser::new(["krr", "noisy-argmax", "noisy-log-posterior"]), help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<String>,
    /// privgnn, pate: how many public nodes are asked about [default: 50]
    #[arg(long, value_name = "N", help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<u32>,
    /// privgnn, pate: the inverse of the scale of the noise, instead of --epsilon
    #[arg(long, help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda: Option<Epsilon>,
    /// privgnn: with which probability a private node is in a teacher's sample [default: 0.3]
    #[arg(long, help_heading = "Students", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    gamma: Option<f64>,
    /// pate: how many teachers vote [default: 20]
    #[arg(long, value_name = "N", help_heading = "Students")]
    #[serde(skip_serializing_if = "Option::is_none")]
    teachers: Option<u32>,
}

/// Parameters of one mechanism mean nothing for all of them.
pub fn refuse_with_all(
    protocol: &ProtocolFlags,
    answers: &AnswerFlags,
    network: &NetworkFlags,
    end_to_end: bool,
) -> Result<(), Failure> {
    let tables = [protocol.table()?, answers.table()?, network.table()?];
    let flag = tables.iter().flat_map(|table| table.keys()).next().map(|key| format!("--{key}"));
    match flag.or_else(|| end_to_end.then(|| "--end-to-end".to_owned())) {
        Some(flag) => Err(Failure::Usage(format!("{flag} is for one mechanism: name it instead of all"))),
        None => Ok(()),
    }
}

/// Flags that what is audited makes no use of.
pub fn refuse_useless(
    subject: Subject,
    answers: &AnswerFlags,
    network: &NetworkFlags,
    end_to_end: bool,
) -> Result<(), Failure> {
    let edges = matches!(subject, Subject::Edges(_) | Subject::Lpgnet);
    if end_to_end && !edges {
        return Err(Failure::Usage(format!("--end-to-end trains on released edges, and {subject} releases none")));
    }
    if end_to_end && matches!(subject, Subject::Lpgnet | Subject::Edges(Edges::DegreeVectors)) {
        let problem = "answers from counts that were released once, which no feature that is sent moves: LinkTeller finds nothing, whatever they tell";
        return Err(Failure::Usage(format!("{subject} {problem}; audit it without --end-to-end")));
    }
    if let Some(key) = network.table()?.keys().next().filter(|_| !end_to_end) {
        return Err(Failure::Usage(format!("--{key} is of a training: it goes with --end-to-end")));
    }
    let mine = |key: &str| match subject {
        Subject::Features => key == "samples",
        Subject::Answers(Method::ClassSums) => false,
        Subject::Answers(_) => key != "samples",
        _ => false,
    };
    match answers.table()?.keys().find(|key| !mine(key)) {
        Some(key) => Err(Failure::Usage(format!("--{key} means nothing to {subject}"))),
        None => Ok(()),
    }
}
