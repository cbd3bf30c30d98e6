//! A reader for the pickles of Planetoid files that cannot execute code.
//!
//! A pickle is a program for a small stack machine: `machine` runs it, and this file interprets the
//! result. It supports the opcodes of protocol 2 (and the two byte strings of protocol 3) that such
//! files use, and six names, each of which builds an inert value of a fixed form. Everything else
//! is an error with its byte and name.
//!
//! Values are in one list and refer to each other by index, so deep nesting needs no recursion,
//! shared values are stored once, and cycles are harmless. Every opcode adds at most one value and
//! pushes at most one index, so memory is bounded by the length of the file; strings are ranges of
//! its bytes.

mod machine;

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::read::error::{Place, ReadError};
use crate::read::npy::{Array, Header, Source, Type};
use machine::Machine;

/// The size limit: the largest known file (PubMed) has about 12 MB.
const LARGEST_FILE: u64 = 256 << 20;

/// The index of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

/// An inert value.
#[derive(Clone, Debug)]
enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// Bytes of the file: a string of either kind.
    Text(Range<usize>),
    Tuple(Vec<Id>),
    List(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    Global(Global),
    /// The code of a `numpy.dtype`, and whether its numbers are big-endian.
    Dtype(Range<usize>, bool),
    /// An `ndarray`, and its state.
    Array(Option<Id>),
    /// A `csr_matrix`, and its state.
    Csr(Option<Id>),
}

/// The accepted names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Global {
    Reconstruct,
    Ndarray,
    Dtype,
    CsrMatrix,
    DefaultDict,
    List,
}

impl Value {
    /// Which name this is, if it is one.
    fn global(&self) -> Option<Global> {
        match self {
            Value::Global(global) => Some(*global),
            _ => None,
        }
    }
}

/// A parsed pickle.
#[derive(Debug)]
pub(super) struct Pickle {
    path: PathBuf,
    bytes: Vec<u8>,
    values: Vec<Value>,
    /// The start of each value, for error messages.
    begins: Vec<u32>,
    root: Id,
}

/// The parts of a CSR matrix.
pub(super) struct Csr {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) offsets: Vec<usize>,
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f32>,
}

impl Pickle {
    /// Reads a file.
    pub(super) fn open(path: &Path) -> Result<Pickle, ReadError> {
        let io = |error| ReadError::io(path, error);
        let file = File::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(ReadError::TooLarge { place: Place::file(path), what: "the file".into(), limit: LARGEST_FILE });
        }
        Machine::run(path, bytes)
    }

    /// The size of the file.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The top-level value.
    pub(super) fn root(&self) -> Id {
        self.root
    }

    /// The place of a value in the file.
    pub(super) fn place(&self, id: Id) -> Place {
        Place::byte(&self.path, u64::from(self.begins.get(id.0 as usize).copied().unwrap_or(0)))
    }

    fn value(&self, id: Id) -> &Value {
        // Indices come only from `Machine::add`.
        &self.values[id.0 as usize]
    }

    /// A value of an unexpected kind.
    fn unexpected(&self, id: Id, expected: &str) -> ReadError {
        ReadError::format(self.place(id), format!("found {}, expected {expected}", kind(self.value(id))))
    }

    /// The pairs of a dict.
    pub(super) fn dict(&self, id: Id) -> Result<&[(Id, Id)], ReadError> {
        match self.value(id) {
            Value::Dict(pairs) => Ok(pairs),
            _ => Err(self.unexpected(id, "a dict")),
        }
    }

    /// The members of a list.
    pub(super) fn list(&self, id: Id) -> Result<&[Id], ReadError> {
        match self.value(id) {
            Value::List(members) => Ok(members),
            _ => Err(self.unexpected(id, "a list")),
        }
    }

    /// An integer.
    pub(super) fn integer(&self, id: Id) -> Result<i64, ReadError> {
        match self.value(id) {
            Value::Int(number) => Ok(*number),
            _ => Err(self.unexpected(id, "a whole number")),
        }
    }

    fn tuple(&self, id: Id) -> Result<&[Id], ReadError> {
        match self.value(id) {
            Value::Tuple(members) => Ok(members),
            _ => Err(self.unexpected(id, "a tuple")),
        }
    }

    fn text(&self, id: Id) -> Result<&[u8], ReadError> {
        match self.value(id) {
            Value::Text(range) => Ok(&self.bytes[range.clone()]),
            _ => Err(self.unexpected(id, "a string")),
        }
    }

    fn length(&self, id: Id) -> Result<usize, ReadError> {
        let number = self.integer(id)?;
        usize::try_from(number)
            .map_err(|_| ReadError::unexpected(self.place(id), &number.to_string(), "a nonnegative length"))
    }

    /// An array before its elements.
    pub(super) fn array(&self, id: Id) -> Result<Array<&[u8]>, ReadError> {
        let state = match self.value(id) {
            Value::Array(Some(state)) => *state,
            Value::Array(None) => return Err(self.unexpected(id, "an array with its elements")),
            _ => return Err(self.unexpected(id, "an array")),
        };
        // The arguments of `ndarray.__setstate__`.
        let &[_version, shape, dtype, fortran, elements] = self.tuple(state)? else {
            return Err(self.unexpected(state, "the five parts of an array"));
        };
        let shape = self.tuple(shape)?.iter().map(|&length| self.length(length)).collect::<Result<Vec<_>, _>>()?;
        if shape.len() > 2 {
            return Err(self.unexpected(state, "at most two dimensions"));
        }
        let Value::Dtype(code, big_endian) = self.value(dtype) else { return Err(self.unexpected(dtype, "a dtype")) };
        let order = if *big_endian { '>' } else { '<' };
        let descr = format!("{order}{}", String::from_utf8_lossy(&self.bytes[code.clone()]));
        let item = Type::parse(&descr).map_err(|problem| ReadError::format(self.place(dtype), problem))?;
        let fortran = match self.value(fortran) {
            Value::Bool(fortran) => *fortran,
            Value::Int(number) => *number != 0,
            _ => return Err(self.unexpected(fortran, "True or False")),
        };
        let bytes = self.text(elements)?;
        let source = Source::part(&self.path, &format!("array at byte {}", self.begins[id.0 as usize]));
        Array::from_parts(bytes, Header { item, fortran, shape }, (0, bytes.len() as u64), source)
    }

    /// A sparse matrix.
    pub(super) fn csr(&self, id: Id) -> Result<Csr, ReadError> {
        let state = match self.value(id) {
            Value::Csr(Some(state)) => *state,
            Value::Csr(None) => return Err(self.unexpected(id, "a csr_matrix with its arrays")),
            _ => return Err(self.unexpected(id, "a csr_matrix")),
        };
        let pairs = self.dict(state)?;
        let get = |names: [&str; 2]| {
            let mut found = pairs.iter().filter(|&&(key, _)| {
                matches!(self.value(key), Value::Text(range) if names.iter().any(|name| self.bytes[range.clone()] == *name.as_bytes()))
            });
            let missing = || ReadError::format(self.place(state), format!("the csr_matrix has no {:?}", names[0]));
            found.next().map(|&(_, value)| value).ok_or_else(missing)
        };
        let shape = get(["_shape", "shape"])?;
        let &[rows, columns] = self.tuple(shape)? else { return Err(self.unexpected(shape, "two lengths")) };
        Ok(Csr {
            rows: self.length(rows)?,
            columns: self.length(columns)?,
            offsets: self.array(get(["indptr"; 2])?)?.integers()?,
            indices: self.array(get(["indices"; 2])?)?.integers()?,
            values: self.array(get(["data"; 2])?)?.floats()?,
        })
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::None => "None",
        Value::Bool(_) => "True or False",
        Value::Int(_) => "a whole number",
        Value::Text(_) => "a string",
        Value::Tuple(_) => "a tuple",
        Value::List(_) => "a list",
        Value::Dict(_) => "a dict",
        Value::Global(_) => "a name",
        Value::Dtype(..) => "a dtype",
        Value::Array(_) => "an array",
        Value::Csr(_) => "a csr_matrix",
    }
}
