//! Charging: book a release and issue its permit, or refuse it.

use super::book::Book;
use super::content::{Content, Row};
use super::parallel::Chains;
use super::snapshot::bind;
use super::{Booked, Consent, Ledger, LedgerError};
use crate::budget::{Delta, Epsilon};
use crate::guarantee::{Guarantee, Spent, Status, Unit, compose};
use crate::permit::{Permit, Request};
use crate::protocol::cascade;
use crate::release::recompute;

impl Ledger {
    /// Books a release and issues its permit, or refuses it and books nothing.
    ///
    /// A guarantee that is not proven requires its status in `accepted`, and one whose noise comes
    /// from a known seed requires [`Consent::Seeded`]. It is booked as unbounded and exhausts its
    /// unit: no later proven release makes the sum finite again. An accepted guarantee is not
    /// checked against the budget, because no budget covers it. Units that the request declares
    /// public need no consent, unless the ledger has a budget for them.
    ///
    /// Edge-bit, edge-set and edge are views on the same edges: a release about one of them is
    /// charged to every view that has a budget, with the loss that follows for that view, possibly
    /// unbounded.
    ///
    /// # Errors
    /// If the ledger is bound to other data, a guarantee is neither proven nor accepted, or a
    /// budget does not suffice.
    pub fn charge(&mut self, request: Request, accepted: &[Consent]) -> Result<Permit, LedgerError> {
        self.charge_all(request, Vec::new(), accepted).map(|(permit, _)| permit)
    }

    /// Books several releases, all or none. The first is about a snapshot of the ledger's data, the
    /// others about further graphs of the same owner, such as an inference graph. They add up as if
    /// they shared every edge.
    ///
    /// # Errors
    /// As [`charge`](Self::charge).
    pub fn charge_all(
        &mut self,
        own: Request,
        further: Vec<Request>,
        accepted: &[Consent],
    ) -> Result<(Permit, Vec<Permit>), LedgerError> {
        let mut book = self.begin()?;
        bind(&mut book, &own)?;
        let content = book_all(book, std::iter::once(&own).chain(&further), accepted)?;
        let permit = |request| permit(request, &content);
        Ok((permit(own), further.into_iter().map(permit).collect()))
    }

    /// Books a release about a further graph: it adds to the spent budget, and the ledger stays
    /// bound to its data.
    ///
    /// # Errors
    /// If a guarantee is neither proven nor accepted, or a budget does not suffice.
    pub fn charge_further(&mut self, request: Request, accepted: &[Consent]) -> Result<Permit, LedgerError> {
        let content = book_all(self.begin()?, std::iter::once(&request), accepted)?;
        Ok(permit(request, &content))
    }

    /// Books several releases, all or none, unless they are booked already; see `booked`. With
    /// `bound`, the first is about a snapshot of the ledger's data.
    pub(crate) fn charge_once(
        &mut self,
        requests: Vec<Request>,
        bound: bool,
        accepted: &[Consent],
    ) -> Result<Charged, LedgerError> {
        let requests = match self.booked(requests)? {
            Ok(charged) => return Ok(charged),
            Err(requests) => requests,
        };
        let mut book = self.begin()?;
        if let Some(own) = requests.first().filter(|_| bound) {
            bind(&mut book, own)?;
        }
        let content = book_all(book, requests.iter(), accepted)?;
        Ok(Charged::of(requests, &content))
    }

    /// The permits of releases that were booked earlier, all of them and about these very data:
    /// interrupted after their charge, they cost nothing more. Otherwise the requests. An id alone
    /// is not enough, because seeded releases have it in common.
    fn booked(&self, requests: Vec<Request>) -> Result<Result<Charged, Vec<Request>>, LedgerError> {
        let content = self.read()?.content;
        // What another file says now is not what this one says.
        self.check_place()?;
        let has = |request: &Request, guarantee: &Guarantee| {
            let (release, data) = (request.release.to_string(), request.data.to_string());
            // As it is written into a ledger and read from it.
            let read = |text: &str| serde_json::from_str::<Booked>(text).ok();
            let wanted = serde_json::to_string(guarantee).ok().and_then(|text| read(&text));
            let same = |entry: &Row| entry.release == release && entry.fingerprint.as_ref() == Some(&data);
            content.entries.iter().any(|entry| same(entry) && wanted.is_some() && read(&entry.guarantee) == wanted)
        };
        let booked = |request: &Request| request.guarantees.iter().all(|guarantee| has(request, guarantee));
        if requests.iter().all(|request| request.guarantees.is_empty()) || !requests.iter().all(booked) {
            return Ok(Err(requests));
        }
        Ok(Ok(Charged::of(requests, &content)))
    }
}

/// Releases that were booked.
#[derive(Debug)]
pub(crate) struct Charged {
    pub permits: Vec<Permit>,
    /// What all of them cost, per unit.
    pub cost: Vec<(Unit, Spent, Delta)>,
}

impl Charged {
    fn of(requests: Vec<Request>, content: &Content) -> Charged {
        let entered: Vec<Entered> = requests.iter().flat_map(|request| entered(request, content)).collect();
        let cost = compose(entered.iter().filter(|it| !it.free).map(|it| &it.guarantee));
        Charged { permits: requests.into_iter().map(|request| permit(request, content)).collect(), cost }
    }
}

/// The permit of a release that was booked, with the head after its last entry.
fn permit(request: Request, content: &Content) -> Permit {
    let head = content.head_of(&request.release.to_string());
    Permit::booked_in_a_ledger(request, head)
}

/// Enters releases, if the budgets suffice, and makes them durable.
pub(super) fn book_all<'r>(
    mut book: Book<'_>,
    requests: impl Iterator<Item = &'r Request> + Clone,
    accepted: &[Consent],
) -> Result<Content, LedgerError> {
    for request in requests.clone() {
        book_release(&mut book, request, accepted)?;
    }
    let (path, first) = (book.path().to_owned(), requests.map(|it| it.release.to_string()).next());
    // Until here nothing is booked.
    book.commit().map_err(|source| LedgerError::Uncertain {
        path,
        release: first.unwrap_or_default(),
        source: Box::new(source),
    })
}

/// A guarantee that a release enters into a ledger.
struct Entered {
    guarantee: Guarantee,
    /// Whether it costs nothing: it is about public data.
    free: bool,
    /// Whether the budget for another view on the same edges pays for it.
    elsewhere: bool,
}

/// What a release enters: what it states, and what follows for the other units that have a budget.
fn entered(request: &Request, content: &Content) -> Vec<Entered> {
    let has_budget = |unit| content.founding.budgets.iter().any(|budget| budget.unit == unit);
    let mut implied = implied(&request.guarantees);
    implied.extend(of_nodes(&request.guarantees));
    implied.retain(|it| has_budget(it.unit));
    let entered = |guarantee: Guarantee| {
        let kept = has_budget(guarantee.unit);
        // A budget for nodes covers everything that belongs to a node.
        let guarded = kept || has_budget(Unit::Node);
        let free = guarantee.status == Status::None && !guarded && request.public.contains(&guarantee.unit);
        // A ledger may have a budget for one of several views on the same edges: the others are no
        // reason to refuse.
        let elsewhere = !kept && paid_elsewhere(guarantee.unit, has_budget);
        Entered { guarantee, free, elsewhere }
    };
    request.guarantees.iter().cloned().chain(implied).map(entered).collect()
}

/// Enters the guarantees of a release, if the budgets suffice.
fn book_release(book: &mut Book<'_>, request: &Request, accepted: &[Consent]) -> Result<(), LedgerError> {
    let release = request.release.to_string();
    if book.content.entries.iter().any(|entry| entry.release == release && !entry.reproducible) {
        return Err(LedgerError::AlreadyCharged { path: book.path().to_owned(), release });
    }
    for Entered { guarantee, free, elsewhere } in entered(request, &book.content) {
        let entry = row(book, request, &guarantee)?;
        refuse_if_not_parallel(book, &guarantee, &entry)?;
        if !(free || elsewhere && guarantee.status == Status::Proven) {
            check(book, &guarantee, &entry, accepted)?;
        }
        book.add_entry(entry)?;
    }
    Ok(())
}

/// The units that are views on the same edges.
const EDGES: [Unit; 3] = [Unit::EdgeBit, Unit::EdgeSet, Unit::Edge];

/// The guarantees that follow for the views on edges that a release does not name.
///
/// An edge is a bit in two lists, so ε edge-bit implies 2ε edge; an exchanged neighbour is two
/// bits, so it implies 2ε edge-set. A bit of a list is one edge, so ε edge implies ε edge-bit.
/// Where a mechanism proves less than 2ε for a relationship, as a cascade does, whose rows have
/// each edge once, an edge costs that. It is believed only if mechanism and parameters imply it.
/// Edge-set implies nothing: it does not protect the existence of a relationship.
fn implied(guarantees: &[Guarantee]) -> Vec<Guarantee> {
    let mut all: Vec<Guarantee> = Vec::new();
    for guarantee in guarantees.iter().filter(|it| EDGES.contains(&it.unit)) {
        let same =
            |other: &Guarantee| (&other.mechanism, &other.parameters) == (&guarantee.mechanism, &guarantee.parameters);
        for unit in EDGES {
            let known = |other: &Guarantee| same(other) && other.unit == unit;
            // Two reports by the same mechanism cost twice; the guarantees of one report for two
            // units are
            // derived from its first.
            let first = guarantees.iter().find(|it| same(it)).is_some_and(|first| first.unit == guarantee.unit);
            if guarantees.iter().any(known) || !first {
                continue;
            }
            let follows = guarantees.iter().filter(|it| same(it)).find_map(|it| loss(it, unit));
            let unproven = guarantee.status != Status::Proven;
            let status = match follows {
                Some(_) => Status::Proven,
                None if unproven => guarantee.status,
                None => Status::None,
            };
            let (epsilon, delta) = follows.unwrap_or((Epsilon::INFINITE, Delta::ZERO));
            let source = format!("implied by the guarantee of {} for {}", guarantee.mechanism, guarantee.unit);
            all.push(Guarantee { unit, epsilon, delta, status, per_relationship: None, source, ..guarantee.clone() });
        }
    }
    all
}

/// The guarantees that follow for a node, and from a node for its data.
///
/// Removing a node and adding it again with another feature vector, another label, or one edge more
/// or less, is two steps of *node*: (2ε, (1+e^ε)δ). The converse does not hold: a node has any
/// number of edges, and all its data change at once.
fn of_nodes(guarantees: &[Guarantee]) -> Vec<Guarantee> {
    let same =
        |one: &Guarantee, other: &Guarantee| (&one.mechanism, &one.parameters) == (&other.mechanism, &other.parameters);
    let stated = |from: &Guarantee, unit: Unit| guarantees.iter().any(|it| it.unit == unit && same(it, from));
    let implied = |from: &Guarantee, unit: Unit| {
        let follows = if from.unit == Unit::Node { two_steps(from) } else { None };
        let status = match follows {
            Some(_) => Status::Proven,
            None if from.status != Status::Proven => from.status,
            None => Status::None,
        };
        let (epsilon, delta) = follows.unwrap_or((Epsilon::INFINITE, Delta::ZERO));
        let source = format!("implied by the guarantee of {} for {}", from.mechanism, from.unit);
        Guarantee { unit, epsilon, delta, status, per_relationship: None, source, ..from.clone() }
    };
    let mut all = Vec::new();
    for from in guarantees.iter().filter(|it| it.unit == Unit::Node) {
        let others = Unit::ALL.into_iter().filter(|&unit| unit != Unit::Node && !stated(from, unit));
        all.extend(others.map(|unit| implied(from, unit)));
    }
    // One unbounded entry suffices.
    if let Some(from) = guarantees.iter().find(|from| from.unit != Unit::Node && !stated(from, Unit::Node)) {
        all.push(implied(from, Unit::Node));
    }
    all
}

/// (ε, δ) of two steps, if they have a bound.
fn two_steps(guarantee: &Guarantee) -> Option<(Epsilon, Delta)> {
    if guarantee.status != Status::Proven {
        return None;
    }
    let epsilon = guarantee.epsilon.times(2)?;
    // Slightly above (1+e^ε)·δ, to cover rounding errors.
    let units = (guarantee.delta.units() as f64 * (1.0 + guarantee.epsilon.as_f64().exp()) * (1.0 + 1e-12)).ceil();
    // δ ≥ 1 is no guarantee.
    (units < 1e18).then(|| Some((epsilon, Delta::from_units(units as u64)?))).flatten()
}

/// (ε, δ) that follow from a guarantee for another unit, if they have a bound.
fn loss(guarantee: &Guarantee, unit: Unit) -> Option<(Epsilon, Delta)> {
    let (steps, delta) = (steps(guarantee, unit)?, guarantee.delta);
    if steps == 2 && !delta.is_zero() {
        return two_steps(guarantee);
    }
    let follows = guarantee.epsilon.times(steps)?;
    let of_edge = (guarantee.unit, unit) == (Unit::EdgeBit, Unit::Edge);
    let once = guarantee.per_relationship.filter(|&once| of_edge && once < follows);
    Some((once.filter(|_| recompute::check(guarantee).is_ok()).unwrap_or(follows), delta))
}

/// How many steps of a proven guarantee's unit a step of another unit is, if that is bounded.
fn steps(guarantee: &Guarantee, unit: Unit) -> Option<u32> {
    match (guarantee.status, guarantee.unit, unit) {
        (Status::Proven, Unit::EdgeBit, Unit::EdgeSet | Unit::Edge) => Some(2),
        (Status::Proven, Unit::Edge, Unit::EdgeBit) => Some(1),
        (Status::Proven, Unit::Edge, Unit::EdgeSet) => Some(2),
        _ => None,
    }
}

/// Whether there is a budget for another view on the same edges: each is charged separately.
fn paid_elsewhere(unit: Unit, has_budget: impl Fn(Unit) -> bool) -> bool {
    EDGES.contains(&unit) && EDGES.into_iter().any(|other| other != unit && has_budget(other))
}

/// Refuses a guarantee that may not be booked. Earlier guarantees of the request count as booked.
fn check(book: &Book<'_>, guarantee: &Guarantee, entry: &Row, accepted: &[Consent]) -> Result<(), LedgerError> {
    let (unit, mechanism, path) = (guarantee.unit, guarantee.mechanism.clone(), book.path().to_owned());
    let status = guarantee.status;
    if status != Status::Proven {
        let accepted = accepted.contains(&Consent::Status(status));
        return if accepted { Ok(()) } else { Err(LedgerError::NotProven { path, mechanism, status, unit }) };
    }
    if guarantee.reproducible {
        let accepted = accepted.contains(&Consent::Seeded);
        return if accepted { Ok(()) } else { Err(LedgerError::Seeded { path, mechanism, unit }) };
    }
    let account = book.content.account(unit);
    let (asked, spent) = (Spent::of(guarantee), account.spent);
    let Some(budget) = account.budget else {
        return Err(LedgerError::OverBudget { path, unit, asked, spent, left: Spent::Nothing });
    };
    let after = book.content.account_with(unit, Some(entry));
    if !after.spent.within(budget.epsilon) {
        let left = spent.left_of(budget.epsilon);
        return Err(LedgerError::OverBudget { path, unit, asked, spent, left });
    }
    if account.delta.checked_add(guarantee.delta).is_none_or(|sum: Delta| sum > budget.delta) {
        let left = budget.delta.units().saturating_sub(account.delta.units());
        let left = Delta::from_units(left).unwrap_or_default();
        return Err(LedgerError::OverDelta { path, unit, asked: guarantee.delta, spent: account.delta, left });
    }
    Ok(())
}

/// Refuses an extension of a release that this ledger did not book, or that was extended before.
fn refuse_if_not_parallel(book: &Book<'_>, guarantee: &Guarantee, entry: &Row) -> Result<(), LedgerError> {
    let Some((extends, _)) = cascade::extended(&guarantee.mechanism, &guarantee.parameters) else { return Ok(()) };
    let why = Chains::of(entry.unit, book.content.entries.iter()).add(entry);
    why.map_err(|why| LedgerError::NotParallel { path: book.path().to_owned(), extends: extends.to_owned(), why })
}

/// The entry of a guarantee.
fn row(book: &Book<'_>, request: &Request, guarantee: &Guarantee) -> Result<Row, LedgerError> {
    let unwritable = |error| LedgerError::Io { path: book.path().to_owned(), source: std::io::Error::other(error) };
    Ok(Row {
        charged: book.now()?,
        release: request.release.to_string(),
        reproducible: guarantee.reproducible,
        unit: guarantee.unit,
        epsilon: Spent::of(guarantee),
        delta: guarantee.delta,
        guarantee: serde_json::to_string(guarantee).map_err(unwritable)?,
        data: Some(request.name.clone()),
        fingerprint: Some(request.data.to_string()),
    })
}
