//! The chain: every snapshot and every entry commits to all that was there before it.
//!
//! The first link commits to the budgets, the lineage, the head file and the time of creation. Each
//! further one commits to the link before it and to one row. The end of the chain and the number of
//! rows are stored beside it (`head`). A ledger whose rows do not lead to its head is damaged.
//!
//! A link is HMAC-SHA-256 under the ledger's salt. The salt is no secret from those who can read
//! the ledger, so they can recompute the whole chain: the chain detects damage. Only a head that is
//! kept elsewhere binds those who can write the file. The salt keeps readers of a published head
//! from testing guesses about the data, whose fingerprints the chain covers.

use veil_graph::bytes::field;

use super::content::{Content, End, Founding, Kind, Placed, Row};
use super::error::Damage;
use super::{Head, Link, Snapshot};
use crate::coins::hmac;

/// The fields of a link, each with its length before it, so that no two rows have the same bytes.
struct Fields(Vec<u8>);

impl Fields {
    fn new(kind: &str) -> Fields {
        Fields(Vec::new()).bytes(b"veilgraph/ledger/v1").text(kind)
    }

    fn bytes(mut self, bytes: &[u8]) -> Fields {
        field(bytes, |part| self.0.extend_from_slice(part));
        self
    }

    fn text(self, text: &str) -> Fields {
        self.bytes(text.as_bytes())
    }

    fn number(self, number: u64) -> Fields {
        self.bytes(&number.to_le_bytes())
    }

    fn optional(self, text: Option<&str>) -> Fields {
        match text {
            Some(text) => self.number(1).text(text),
            None => self.number(0),
        }
    }

    fn nanos(self, nanos: Option<u64>) -> Fields {
        match nanos {
            Some(nanos) => self.number(1).number(nanos),
            None => self.number(0),
        }
    }

    fn link(self, salt: &[u8; 32]) -> Link {
        Link(*hmac(salt, &self.0))
    }
}

impl Founding {
    /// The link before the first row.
    pub fn link(&self) -> Link {
        let mut fields = Fields::new("book").text(&self.created);
        fields = fields.optional(self.lineage.as_deref()).optional(self.head_file.as_deref());
        fields = fields.number(self.budgets.len() as u64);
        for budget in &self.budgets {
            fields = fields.text(budget.unit.name()).nanos(budget.epsilon.nanos()).number(budget.delta.units());
        }
        fields.link(&self.salt)
    }

    /// The link of a snapshot.
    pub fn after_snapshot(&self, before: Link, number: usize, snapshot: &Snapshot) -> Link {
        let fields = Fields::new(Kind::Snapshot.name()).bytes(&before.0).number(number as u64);
        fields.text(&snapshot.added).text(&snapshot.name).text(&snapshot.fingerprint).link(&self.salt)
    }

    /// The link of an entry.
    pub fn after_entry(&self, before: Link, number: usize, entry: &Row) -> Link {
        let fields = Fields::new(Kind::Entry.name()).bytes(&before.0).number(number as u64);
        let fields = fields.text(&entry.charged).text(&entry.release).number(u64::from(entry.reproducible));
        let fields = fields.text(entry.unit.name()).nanos(entry.nanos()).number(entry.delta.units());
        let fields = fields.text(&entry.guarantee).optional(entry.data.as_deref());
        fields.optional(entry.fingerprint.as_deref()).link(&self.salt)
    }
}

impl Content {
    /// Recomputes the chain: every row once, in order, up to the stored head.
    pub fn verify(&self) -> Result<(), Damage> {
        let (mut snapshots, mut entries) = (0, 0);
        let mut link = self.founding.link();
        for placed in &self.chain {
            let row = || format!("{} {}", placed.kind.name(), placed.number);
            let missing = || Damage::Row { row: row(), problem: "missing".to_owned() };
            let number = match placed.kind {
                Kind::Snapshot => {
                    link = self.founding.after_snapshot(
                        link,
                        placed.number,
                        self.snapshots.get(snapshots).ok_or_else(missing)?,
                    );
                    snapshots += 1;
                    snapshots
                }
                Kind::Entry => {
                    link =
                        self.founding.after_entry(link, placed.number, self.entries.get(entries).ok_or_else(missing)?);
                    entries += 1;
                    entries
                }
            };
            if placed.number != number || placed.link != link {
                return Err(Damage::Link { row: row() });
            }
        }
        for (rows, found, linked, stored) in [
            ("snapshots", self.snapshots.len(), snapshots, self.end.snapshots),
            ("entries", self.entries.len(), entries, self.end.entries),
        ] {
            for (expected, source_of_truth) in [(linked, "the chain"), (stored, "the head")] {
                if found != expected {
                    return Err(Damage::Count { rows, found, expected, source_of_truth });
                }
            }
        }
        if self.end.link == link { Ok(()) } else { Err(Damage::Head) }
    }

    /// The head now.
    pub fn head(&self) -> Head {
        Head { entries: self.entries.len() as u64, head: self.end.link }
    }

    /// The head after the last entry of a release; that of now if it has none.
    pub fn head_of(&self, release: &str) -> Head {
        let last = self.entries.iter().rposition(|entry| entry.release == release).map(|at| at + 1);
        let placed = |number| self.chain.iter().find(|it| (it.kind, it.number) == (Kind::Entry, number));
        let head = last.and_then(|number| Some(Head { entries: number as u64, head: placed(number)?.link }));
        head.unwrap_or_else(|| self.head())
    }

    /// Whether this ledger ever had this head.
    pub fn had(&self, head: &Head) -> bool {
        let mut entries = 0;
        let before = (0, self.founding.link());
        let heads = self.chain.iter().map(|placed| {
            entries += u64::from(placed.kind == Kind::Entry);
            (entries, placed.link)
        });
        std::iter::once(before).chain(heads).any(|it| it == (head.entries, head.head))
    }

    /// Links one more snapshot.
    pub fn push_snapshot(&mut self, snapshot: Snapshot) -> Placed {
        let number = self.snapshots.len() + 1;
        let link = self.founding.after_snapshot(self.end.link, number, &snapshot);
        self.snapshots.push(snapshot);
        self.place(Placed { kind: Kind::Snapshot, number, link })
    }

    /// Links one more entry.
    pub fn push_entry(&mut self, entry: Row) -> Placed {
        let number = self.entries.len() + 1;
        let link = self.founding.after_entry(self.end.link, number, &entry);
        self.entries.push(entry);
        self.place(Placed { kind: Kind::Entry, number, link })
    }

    fn place(&mut self, placed: Placed) -> Placed {
        self.chain.push(placed);
        self.end = End { snapshots: self.snapshots.len(), entries: self.entries.len(), link: placed.link };
        placed
    }

    /// A ledger without rows.
    pub fn new(founding: Founding) -> Content {
        let end = End { snapshots: 0, entries: 0, link: founding.link() };
        Content { founding, snapshots: Vec::new(), entries: Vec::new(), chain: Vec::new(), end }
    }
}
