//! A disk that loses power: what was synced is there, of the rest anything may be.
//!
//! Files and folders keep what was synced, and a list of changes since. At a cut, each change is
//! kept or lost: all, none, the first ones, or any of them; a write may be torn between its
//! sectors. A name in a folder is durable once the folder was synced, whatever was synced of the
//! file (POSIX promises no more).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use veil_graph::random::Random;

const SECTOR: usize = 512;

/// One change to the files below a folder. Open files are known by their inodes.
#[derive(Clone, Debug)]
pub enum Op {
    Create(u64, PathBuf),
    Folder(u64, PathBuf),
    Write(u64, usize, Vec<u8>),
    Resize(u64, usize),
    Sync(u64),
    Remove(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
}

type Id = usize;

#[derive(Clone, Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Resize(usize),
}

#[derive(Clone, Debug)]
enum Naming {
    Add(OsString, Id),
    Remove(OsString),
    /// Within one folder, therefore atomic.
    Rename(OsString, OsString, Id),
}

type Names = BTreeMap<OsString, Id>;

#[derive(Clone, Debug)]
enum Node {
    File { synced: Vec<u8>, changes: Vec<Change> },
    Folder { synced: Names, changes: Vec<Naming> },
}

fn change(content: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Write(at, bytes) => {
            content.resize(content.len().max(at + bytes.len()), 0);
            content[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        Change::Resize(size) => content.resize(*size, 0),
    }
}

fn rename(names: &mut Names, naming: &Naming) {
    match naming {
        Naming::Add(name, id) => drop(names.insert(name.clone(), *id)),
        Naming::Remove(name) => drop(names.remove(name)),
        Naming::Rename(from, to, id) => {
            names.remove(from);
            names.insert(to.clone(), *id);
        }
    }
}

/// Which changes survive.
#[derive(Clone, Copy, Debug)]
enum Survive {
    None,
    All,
    First,
    Any,
}

impl Survive {
    fn draw(random: &mut Random) -> Survive {
        [Survive::None, Survive::All, Survive::First, Survive::First, Survive::Any, Survive::Any][random.below(6)]
    }

    fn of<T: Clone>(self, changes: &[T], random: &mut Random) -> Vec<T> {
        match self {
            Survive::None => Vec::new(),
            Survive::All => changes.to_vec(),
            Survive::First => changes[..random.below(changes.len() + 1)].to_vec(),
            Survive::Any => changes.iter().filter(|_| random.below(2) == 0).cloned().collect(),
        }
    }
}

/// The sectors of a write that survive.
fn torn(written: Change, random: &mut Random) -> Vec<Change> {
    let Change::Write(at, bytes) = written else { return vec![written] };
    let mut kept = Vec::new();
    let mut from = 0;
    while from < bytes.len() {
        let to = ((at + from) / SECTOR * SECTOR + SECTOR - at).min(bytes.len());
        if random.below(4) > 0 {
            kept.push(Change::Write(at + from, bytes[from..to].to_vec()));
        }
        from = to;
    }
    kept
}

/// The files below a folder.
#[derive(Clone, Debug)]
pub struct Disk {
    root: PathBuf,
    nodes: Vec<Node>,
    inodes: BTreeMap<u64, Id>,
}

impl Disk {
    /// What is there now, all of it synced.
    pub fn of(root: &Path) -> Disk {
        let mut disk = Disk { root: root.to_owned(), nodes: Vec::new(), inodes: BTreeMap::new() };
        disk.read(root);
        disk
    }

    fn add(&mut self, inode: u64, node: Node) -> Id {
        self.nodes.push(node);
        self.inodes.insert(inode, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn read(&mut self, path: &Path) -> Id {
        let inode = path.metadata().unwrap().ino();
        if path.is_file() {
            return self.add(inode, Node::File { synced: fs::read(path).unwrap(), changes: Vec::new() });
        }
        let id = self.add(inode, Node::Folder { synced: Names::new(), changes: Vec::new() });
        let found = fs::read_dir(path).unwrap().map(Result::unwrap);
        let names = found.map(|entry| (entry.file_name(), self.read(&entry.path()))).collect();
        self.nodes[id] = Node::Folder { synced: names, changes: Vec::new() };
        id
    }

    /// The names in a folder, synced or not.
    fn names(&self, folder: Id) -> Names {
        let Node::Folder { synced, changes } = &self.nodes[folder] else { panic!("a file has no names") };
        let mut names = synced.clone();
        changes.iter().for_each(|change| rename(&mut names, change));
        names
    }

    /// The folder of a path, and its last name.
    fn place(&self, path: &Path) -> (Id, OsString) {
        let within = path.strip_prefix(&self.root).unwrap();
        let parents = within.parent().unwrap().iter();
        let folder = parents.fold(0, |folder, name| self.names(folder)[name]);
        (folder, within.file_name().unwrap().to_owned())
    }

    fn name(&mut self, folder: Id, naming: Naming) {
        let Node::Folder { changes, .. } = &mut self.nodes[folder] else { panic!("a file has no names") };
        changes.push(naming);
    }

    fn create(&mut self, inode: u64, path: &Path, node: Node) {
        let (folder, name) = self.place(path);
        let id = self.add(inode, node);
        self.name(folder, Naming::Add(name, id));
    }

    fn write(&mut self, inode: u64, change: Change) {
        let Node::File { changes, .. } = &mut self.nodes[self.inodes[&inode]] else { panic!("a folder is no file") };
        changes.push(change);
    }

    pub fn apply(&mut self, op: &Op) {
        match op.clone() {
            Op::Create(inode, path) => {
                self.create(inode, &path, Node::File { synced: Vec::new(), changes: Vec::new() });
            }
            Op::Folder(inode, path) => {
                self.create(inode, &path, Node::Folder { synced: Names::new(), changes: Vec::new() });
            }
            Op::Write(inode, at, bytes) => self.write(inode, Change::Write(at, bytes)),
            Op::Resize(inode, size) => self.write(inode, Change::Resize(size)),
            Op::Sync(inode) => match &mut self.nodes[self.inodes[&inode]] {
                Node::File { synced, changes } => changes.drain(..).for_each(|it| change(synced, &it)),
                Node::Folder { synced, changes } => changes.drain(..).for_each(|it| rename(synced, &it)),
            },
            Op::Remove(path) => {
                let (folder, name) = self.place(&path);
                self.name(folder, Naming::Remove(name));
            }
            Op::Rename(from, to) => {
                let ((old, from), (new, to)) = (self.place(&from), self.place(&to));
                let id = self.names(old)[&from];
                if old == new {
                    self.name(old, Naming::Rename(from, to, id));
                } else {
                    self.name(new, Naming::Add(to, id));
                    self.name(old, Naming::Remove(from));
                }
            }
            Op::Link(from, to) => {
                let ((old, from), (new, to)) = (self.place(&from), self.place(&to));
                let id = self.names(old)[&from];
                self.name(new, Naming::Add(to, id));
            }
        }
    }

    /// Writes what is there after a cut into an empty folder.
    pub fn cut(&self, into: &Path, random: &mut Random) {
        self.put(0, into, &mut Some(random));
    }

    /// Writes what would be there without a cut.
    pub fn put_all(&self, into: &Path) {
        self.put(0, into, &mut None);
    }

    fn put(&self, id: Id, path: &Path, cut: &mut Option<&mut Random>) {
        match &self.nodes[id] {
            Node::File { synced, changes } => {
                let mut content = synced.clone();
                let kept = match cut {
                    None => changes.clone(),
                    Some(random) => match Survive::draw(random) {
                        Survive::Any => {
                            let kept = Survive::Any.of(changes, random);
                            kept.into_iter().flat_map(|it| torn(it, random)).collect()
                        }
                        how => how.of(changes, random),
                    },
                };
                kept.iter().for_each(|it| change(&mut content, it));
                fs::write(path, content).unwrap();
            }
            Node::Folder { synced, changes } => {
                let mut names = synced.clone();
                let kept = match cut {
                    None => changes.clone(),
                    Some(random) => Survive::draw(random).of(changes, random),
                };
                kept.iter().for_each(|it| rename(&mut names, it));
                if !path.is_dir() {
                    fs::create_dir(path).unwrap();
                }
                names.iter().for_each(|(name, id)| self.put(*id, &path.join(name), cut));
            }
        }
    }
}
