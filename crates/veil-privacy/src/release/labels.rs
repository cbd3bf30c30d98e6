//! The release of labels of training and validation nodes, by randomised response.

use rayon::prelude::*;
use veil_graph::read::Misfit;
use veil_graph::{Dataset, Labels, NodeId, Part};

use super::features::raw_guarantee;
use super::{ReleaseError, at_node};
use crate::budget::{Delta, Epsilon};
use crate::coins::Inputs;
use crate::fault::{self, Fault};
use crate::guarantee::{Assumption, Guarantee, Status, Trust, Unit};
use crate::mechanism::{RandomisedResponse, randomised_response};
use crate::permit::Permit;
use crate::seal::{Private, Released};

/// The release of labels.
#[derive(Clone, Debug)]
pub enum LabelPlan {
    /// By randomised response.
    Randomised {
        /// The mechanism.
        mechanism: RandomisedResponse,
    },
    /// Unperturbed (ε = inf).
    Raw,
}

impl LabelPlan {
    pub(super) fn new(data: &Private<Dataset>, epsilon: Epsilon) -> Result<LabelPlan, ReleaseError> {
        let public = data.public();
        let named = || public.name.to_owned();
        let values = public.classes.ok_or_else(|| ReleaseError::NoLabels { data: named() })?;
        let split = public.split.ok_or_else(|| ReleaseError::NoSplit { data: named() })?;
        if split.count(Part::Train) + split.count(Part::Val) == 0 {
            return Err(ReleaseError::NobodyAsked { data: named() });
        }
        if !epsilon.is_finite() {
            return Ok(LabelPlan::Raw);
        }
        let mechanism = randomised_response::Params { epsilon, values }.check();
        let mechanism = mechanism.map_err(|source| ReleaseError::Parameters { what: "labels", source })?;
        Ok(LabelPlan::Randomised { mechanism })
    }

    /// Randomised response, if it is used.
    pub fn mechanism(&self) -> Option<RandomisedResponse> {
        match self {
            LabelPlan::Randomised { mechanism } => Some(*mechanism),
            LabelPlan::Raw => None,
        }
    }

    /// Its guarantee.
    pub fn guarantee(&self) -> Guarantee {
        match self {
            LabelPlan::Randomised { mechanism } => Guarantee {
                unit: Unit::Label,
                trust: Trust::Local,
                epsilon: mechanism.epsilon(),
                delta: Delta::ZERO,
                status: Status::Proven,
                reproducible: false,
                per_relationship: None,
                mechanism: randomised_response::NAME.to_owned(),
                parameters: mechanism.parameters(),
                assumptions: vec![
                    Assumption::SplitWithoutLabels,
                    Assumption::PublicClasses,
                    Assumption::OwnReports,
                    Assumption::Coins,
                ],
                not_protected: vec![
                    "participation: which users send a report, and which nodes have a label".to_owned(),
                    "inferences about the label from the user's features, from data of other users or from edges released elsewhere"
                        .to_owned(),
                ],
                source: "k-ary randomised response (Warner 1965; Kairouz, Bonawitz, Ramage 2016); proof beside the code, veil-privacy/mechanism/randomised_response"
                    .to_owned(),
            },
            LabelPlan::Raw => raw_guarantee(Unit::Label),
        }
    }

    /// Draws the report of every training and validation node; other labels are not released.
    pub(super) fn release(
        &self,
        data: &Private<Dataset>,
        promised: Guarantee,
        permit: &mut Permit,
    ) -> Result<Released<Labels>, ReleaseError> {
        let raw = data.open();
        let (guarantees, stream) = permit.redeem_one(data, promised, inputs(data))?;
        let split = raw.split().ok_or_else(|| ReleaseError::NoSplit { data: raw.name().to_owned() })?;
        let labels = raw.labels().ok_or_else(|| ReleaseError::NoLabels { data: raw.name().to_owned() })?;
        let report = |node: NodeId| -> Result<Option<u32>, ReleaseError> {
            let asked = matches!(split.part(node), Part::Train | Part::Val);
            let kept = fault::is(Fault::ValidationLabelsKept) && split.part(node) == Part::Val;
            if kept || fault::is(Fault::TestLabelsReleased) && !asked {
                return Ok(labels.get(node));
            }
            match (labels.get(node).filter(|_| asked), self) {
                (Some(truth), LabelPlan::Randomised { mechanism }) => {
                    mechanism.report(truth, &mut stream.node(node)).map(Some).map_err(at_node(data, node))
                }
                (raw, _) => Ok(raw),
            }
        };
        let reports: Vec<Option<u32>> = (0..raw.nodes()).into_par_iter().map(report).collect::<Result<_, _>>()?;
        let mut released = Labels::new(labels.classes(), reports).map_err(Misfit::from)?;
        if let Some(names) = labels.names() {
            released = released.with_names(names.to_vec()).map_err(Misfit::from)?;
        }
        Ok(Released::new(released, guarantees))
    }
}

/// The split decides who is asked, so the coins depend on it.
pub(super) fn inputs(data: &Private<Dataset>) -> Inputs {
    let public = data.public();
    let part = |node| public.split.map_or(Part::None, |split| split.part(node)) as u8;
    let parts: Vec<u8> = (0..public.nodes).map(part).collect();
    Inputs::of().with("split", &parts).digest()
}
