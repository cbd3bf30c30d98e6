//! The stack machine of pickles, with inert values.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Global, Id, Pickle, Value, kind};
use crate::read::error::{Place, ReadError};

/// The limit for values of a pickle.
const MOST_VALUES: usize = 1 << 24;
/// The limit for open marks: genuine files need about five.
const MOST_MARKS: usize = 1000;

/// The stack machine.
pub(super) struct Machine {
    path: PathBuf,
    bytes: Vec<u8>,
    at: usize,
    /// The position of the current opcode.
    opcode_at: usize,
    values: Vec<Value>,
    begins: Vec<u32>,
    stack: Vec<Id>,
    /// The height of the stack at each open mark.
    marks: Vec<usize>,
    memo: BTreeMap<u32, Id>,
}

impl Machine {
    /// Runs a pickle to its end.
    pub(super) fn run(path: &Path, bytes: Vec<u8>) -> Result<Pickle, ReadError> {
        let mut machine = Machine {
            path: path.to_owned(),
            bytes,
            at: 0,
            opcode_at: 0,
            values: Vec::new(),
            begins: Vec::new(),
            stack: Vec::new(),
            marks: Vec::new(),
            memo: BTreeMap::new(),
        };
        let root = loop {
            if let Some(root) = machine.step()? {
                break root;
            }
        };
        let Machine { path, bytes, values, begins, .. } = machine;
        Ok(Pickle { path, bytes, values, begins, root })
    }

    /// Runs one opcode; `Some` is the result of the pickle.
    fn step(&mut self) -> Result<Option<Id>, ReadError> {
        self.opcode_at = self.at;
        let opcode = self.unsigned(1)? as u8;
        match opcode {
            0x80 => match self.unsigned(1)? {
                0..=3 => {}
                version => return Err(self.problem(format!("pickle protocol {version} is not supported"))),
            },
            b'.' => return self.pop().map(Some),
            b'(' if self.marks.len() < MOST_MARKS => self.marks.push(self.stack.len()),
            b'(' => return Err(self.problem(format!("more than {MOST_MARKS} marks are open"))),
            b'N' => self.add(Value::None)?,
            0x88 => self.add(Value::Bool(true))?,
            0x89 => self.add(Value::Bool(false))?,
            b'J' => {
                let number = self.unsigned(4)? as u32 as i32;
                self.add(Value::Int(i64::from(number)))?;
            }
            b'K' => self.add_unsigned(1)?,
            b'M' => self.add_unsigned(2)?,
            0x8a => self.long()?,
            b'U' | b'C' => self.add_text(1)?,
            b'T' | b'X' | b'B' => self.add_text(4)?,
            b')' => self.add(Value::Tuple(Vec::new()))?,
            b']' => self.add(Value::List(Vec::new()))?,
            b'}' => self.add(Value::Dict(Vec::new()))?,
            0x85..=0x87 => {
                let members = self.pop_many(usize::from(opcode - 0x84))?;
                self.add(Value::Tuple(members))?;
            }
            b't' => {
                let members = self.pop_to_mark()?;
                self.add(Value::Tuple(members))?;
            }
            b'a' => {
                let members = self.pop_many(1)?;
                self.append(&members)?;
            }
            b'e' => {
                let members = self.pop_to_mark()?;
                self.append(&members)?;
            }
            b's' => {
                let members = self.pop_many(2)?;
                self.set(&members)?;
            }
            b'u' => {
                let members = self.pop_to_mark()?;
                self.set(&members)?;
            }
            b'q' => self.put(1)?,
            b'r' => self.put(4)?,
            b'h' => self.get(1)?,
            b'j' => self.get(4)?,
            b'c' => self.global()?,
            b'R' => self.reduce()?,
            0x81 => self.new_object()?,
            b'b' => self.build()?,
            _ => {
                let shown = char::from(opcode);
                let shown = if shown.is_ascii_graphic() { format!(" ({shown:?})") } else { String::new() };
                return Err(self.problem(format!("opcode {opcode:#04x}{shown} is not supported")));
            }
        }
        Ok(None)
    }

    /// An error at the current opcode.
    fn problem(&self, problem: impl Into<String>) -> ReadError {
        ReadError::format(Place::byte(&self.path, self.opcode_at as u64), problem)
    }

    fn take(&mut self, length: usize) -> Result<Range<usize>, ReadError> {
        let end = self.at.checked_add(length).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| self.problem("the pickle is truncated in the item that starts here"))?;
        let range = self.at..end;
        self.at = end;
        Ok(range)
    }

    fn unsigned(&mut self, size: usize) -> Result<u64, ReadError> {
        let range = self.take(size)?;
        Ok(self.bytes[range].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn add(&mut self, value: Value) -> Result<(), ReadError> {
        if self.values.len() >= MOST_VALUES {
            let place = Place::byte(&self.path, self.opcode_at as u64);
            return Err(ReadError::TooLarge { place, what: "the number of values".into(), limit: MOST_VALUES as u64 });
        }
        self.stack.push(Id(self.values.len() as u32));
        self.values.push(value);
        self.begins.push(self.opcode_at as u32);
        Ok(())
    }

    fn add_unsigned(&mut self, size: usize) -> Result<(), ReadError> {
        let number = self.unsigned(size)? as i64;
        self.add(Value::Int(number))
    }

    fn add_text(&mut self, size: usize) -> Result<(), ReadError> {
        let length = self.unsigned(size)? as usize;
        let range = self.take(length)?;
        self.add(Value::Text(range))
    }

    /// An integer of up to eight bytes (two's complement).
    fn long(&mut self) -> Result<(), ReadError> {
        let size = self.unsigned(1)? as usize;
        if size > 8 {
            return Err(self.problem(format!("a whole number of {size} bytes")));
        }
        let number = self.unsigned(size)?;
        let unused = 64 - 8 * size as u32;
        let number = number.checked_shl(unused).map_or(0, |high| (high as i64) >> unused);
        self.add(Value::Int(number))
    }

    /// The stack may not be popped below the last mark.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Result<Id, ReadError> {
        let floor = self.floor();
        let popped = if self.stack.len() > floor { self.stack.pop() } else { None };
        popped.ok_or_else(|| self.problem("the stack is empty"))
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<Id>, ReadError> {
        match self.stack.len().checked_sub(count).filter(|&start| start >= self.floor()) {
            Some(start) => Ok(self.stack.split_off(start)),
            None => Err(self.problem("the stack is empty")),
        }
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Id>, ReadError> {
        let start = self.marks.pop().ok_or_else(|| self.problem("no mark was set"))?;
        Ok(self.stack.drain(start.min(self.stack.len())..).collect())
    }

    fn top(&self) -> Result<Id, ReadError> {
        let top = if self.stack.len() > self.floor() { self.stack.last().copied() } else { None };
        top.ok_or_else(|| self.problem("the stack is empty"))
    }

    fn append(&mut self, members: &[Id]) -> Result<(), ReadError> {
        let list = self.top()?;
        match &mut self.values[list.0 as usize] {
            Value::List(list) => list.extend_from_slice(members),
            other => {
                let kind = kind(other);
                return Err(self.problem(format!("appends to {kind}, expected a list")));
            }
        }
        Ok(())
    }

    fn set(&mut self, members: &[Id]) -> Result<(), ReadError> {
        let dict = self.top()?;
        if !members.len().is_multiple_of(2) {
            return Err(self.problem("a key without a value"));
        }
        match &mut self.values[dict.0 as usize] {
            Value::Dict(dict) => dict.extend(members.chunks_exact(2).map(|pair| (pair[0], pair[1]))),
            other => {
                let kind = kind(other);
                return Err(self.problem(format!("sets an item of {kind}, expected a dict")));
            }
        }
        Ok(())
    }

    fn put(&mut self, size: usize) -> Result<(), ReadError> {
        let slot = self.unsigned(size)? as u32;
        let top = self.top()?;
        self.memo.insert(slot, top);
        Ok(())
    }

    fn get(&mut self, size: usize) -> Result<(), ReadError> {
        let slot = self.unsigned(size)? as u32;
        let found = self.memo.get(&slot).copied();
        self.stack.push(found.ok_or_else(|| self.problem(format!("unknown memo {slot}")))?);
        Ok(())
    }

    fn line(&mut self) -> Result<String, ReadError> {
        // No accepted name is longer than 40 bytes.
        let rest = &self.bytes[self.at..];
        let end = rest.iter().take(200).position(|&byte| byte == b'\n');
        let end = end.ok_or_else(|| self.problem("a name without an end"))?;
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        self.at += end + 1;
        Ok(line)
    }

    fn global(&mut self) -> Result<(), ReadError> {
        let (module, name) = (self.line()?, self.line()?);
        let global = match (module.as_str(), name.as_str()) {
            ("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct") => Global::Reconstruct,
            ("numpy", "ndarray") => Global::Ndarray,
            ("numpy", "dtype") => Global::Dtype,
            ("scipy.sparse.csr" | "scipy.sparse._csr", "csr_matrix") => Global::CsrMatrix,
            ("collections", "defaultdict") => Global::DefaultDict,
            ("__builtin__" | "builtins", "list") => Global::List,
            _ => return Err(self.problem(format!("the pickle uses {module:?} {name:?}, which is not allowed"))),
        };
        self.add(Value::Global(global))
    }

    /// Calls a name with arguments: builds the value that it stands for in these files.
    fn reduce(&mut self) -> Result<(), ReadError> {
        let pair = self.pop_many(2)?;
        let callable = self.values[pair[0].0 as usize].global();
        let arguments = match &self.values[pair[1].0 as usize] {
            Value::Tuple(arguments) => arguments.clone(),
            other => {
                let kind = kind(other);
                return Err(self.problem(format!("calls with {kind}, expected a tuple")));
            }
        };
        let first = arguments.first().map(|&id| &self.values[id.0 as usize]);
        let made = match (callable, first) {
            (Some(Global::Reconstruct), Some(Value::Global(Global::Ndarray))) => Value::Array(None),
            (Some(Global::Dtype), Some(Value::Text(code))) => Value::Dtype(code.clone(), false),
            (Some(Global::DefaultDict), Some(Value::Global(Global::List))) => Value::Dict(Vec::new()),
            (Some(global), _) => {
                return Err(self.problem(format!("calls {global:?} with unexpected arguments")));
            }
            (None, _) => return Err(self.problem("calls a value that is not a name")),
        };
        self.add(made)
    }

    fn new_object(&mut self) -> Result<(), ReadError> {
        let pair = self.pop_many(2)?;
        match self.values[pair[0].0 as usize].global() {
            Some(Global::CsrMatrix) => self.add(Value::Csr(None)),
            _ => Err(self.problem("builds an object that is not a csr_matrix")),
        }
    }

    /// Sets the state of a value.
    fn build(&mut self) -> Result<(), ReadError> {
        let state = self.pop()?;
        let id = self.top()?;
        let big_endian = self.big_endian(state);
        match &mut self.values[id.0 as usize] {
            Value::Array(slot @ None) | Value::Csr(slot @ None) => *slot = Some(state),
            Value::Dtype(_, order) => *order = big_endian,
            other => {
                let kind = kind(other);
                return Err(self.problem(format!("sets the state of {kind}, which accepts none")));
            }
        }
        Ok(())
    }

    /// Whether the state of a dtype, (version, order, …), is big-endian.
    fn big_endian(&self, state: Id) -> bool {
        let Value::Tuple(members) = &self.values[state.0 as usize] else { return false };
        let order = members.get(1).map(|&id| &self.values[id.0 as usize]);
        matches!(order, Some(Value::Text(range)) if self.bytes[range.clone()] == *b">")
    }
}
