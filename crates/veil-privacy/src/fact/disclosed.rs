//! The facts of one plan.

use super::{Declarations, Fact, NotPublic, Origin};
use crate::guarantee::{Guarantee, Unit};

/// The facts that leave with a plan: each is equal in all adjacent inputs, given, or declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Disclosed {
    facts: Vec<(Fact, Origin)>,
    /// Those on whose declaration the plan relies.
    declared: Declarations,
}

impl Disclosed {
    /// Decides about the facts that leave, for every unit that is protected.
    pub fn decide(
        data: &str,
        declarations: Declarations,
        facts: Vec<(Fact, Origin)>,
        units: &[Unit],
    ) -> Result<Disclosed, NotPublic> {
        let (mut declared, mut missing) = (Declarations::NONE, Vec::new());
        for &(fact, origin) in &facts {
            let found = units.iter().map(|&unit| declarations.standing(fact, unit, origin));
            match found.collect::<Result<Vec<_>, _>>() {
                Ok(standings) if standings.contains(&super::Standing::Declared) => declared = declared.with(fact),
                // Data that are released unperturbed, by an owner who calls them public.
                Ok(_) if matches!(fact, Fact::Features | Fact::Labels) && declarations.contains(fact) => {
                    declared = declared.with(fact);
                }
                Ok(_) => {}
                Err(refused) => missing.push(refused),
            }
        }
        if missing.is_empty() {
            Ok(Disclosed { facts, declared })
        } else {
            Err(NotPublic { data: data.to_owned(), missing })
        }
    }

    /// The facts on whose declaration the plan relies.
    pub fn declared(&self) -> Declarations {
        self.declared
    }

    /// The guarantee with the facts that it does not protect.
    pub fn beside(&self, mut guarantee: Guarantee) -> Guarantee {
        let others = self.facts.iter().filter(|(fact, _)| !self.declared.contains(*fact));
        let others: Vec<&str> = others.map(|(fact, _)| fact.in_words()).collect();
        if guarantee.epsilon.is_finite() && !others.is_empty() {
            let others = others.join("; ");
            guarantee.not_protected.push(format!("what is the same in all adjacent inputs: {others}"));
        }
        guarantee
    }
}
