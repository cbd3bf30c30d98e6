//! A TOML file whose every value knows its line.

use toml::de::{DeTable, DeValue};

/// What is wrong on a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Invalid {
    pub line: usize,
    pub problem: String,
}

impl Invalid {
    pub fn new<T>(line: usize, problem: impl Into<String>) -> Result<T, Invalid> {
        Err(Invalid { line, problem: problem.into() })
    }
}

/// A value and its line.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub line: usize,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A number, a text or a truth value.
    One(toml::Value),
    List(Vec<Item>),
    Table(Table),
}

/// Keys in the order in which they stand in the file. They are taken one by one, so that what is
/// left over is unknown.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub line: usize,
    entries: Vec<(String, Item)>,
}

impl Table {
    /// Reads a whole file; the error says where.
    pub fn parse(text: &str) -> Result<Table, toml::de::Error> {
        let parsed = DeTable::parse(text)?;
        // Checks what the syntax alone does not: numbers that are too large.
        let _: toml::Table = toml::from_str(text)?;
        let lines = Lines(text);
        Ok(lines.table(parsed.span().start, parsed.get_ref()))
    }

    /// Takes out what stands under a key.
    pub fn take(&mut self, key: &str) -> Option<Item> {
        let at = self.entries.iter().position(|(name, _)| name == key)?;
        Some(self.entries.remove(at).1)
    }

    /// The same where it must be there.
    pub fn need(&mut self, key: &str, whose: &str) -> Result<Item, Invalid> {
        match self.take(key) {
            Some(item) => Ok(item),
            None => Invalid::new(self.line, format!("{whose} has no `{key}`")),
        }
    }

    /// All that is left.
    pub fn rest(self) -> Vec<(String, Item)> {
        self.entries
    }

    /// Fails if anything is left.
    pub fn finish(self, known: &[&str]) -> Result<(), Invalid> {
        match self.entries.into_iter().next() {
            Some((key, item)) => {
                Invalid::new(item.line, format!("`{key}` is not known here ({} are)", known.join(", ")))
            }
            None => Ok(()),
        }
    }
}

impl Item {
    /// A number, a text or a truth value.
    pub fn one(self) -> Result<toml::Value, Invalid> {
        match self.value {
            Value::One(value) => Ok(value),
            Value::List(_) => Invalid::new(self.line, "one value is expected here, not a list (lists go into `grid`)"),
            Value::Table(_) => Invalid::new(self.line, "one value is expected here, not a table"),
        }
    }

    /// A text that is not empty.
    pub fn text(self) -> Result<String, Invalid> {
        let line = self.line;
        match self.one()? {
            toml::Value::String(text) if !text.trim().is_empty() => Ok(text),
            _ => Invalid::new(line, "a text is expected here"),
        }
    }

    pub fn table(self) -> Result<Table, Invalid> {
        match self.value {
            Value::Table(table) => Ok(table),
            _ => Invalid::new(self.line, "a table is expected here"),
        }
    }

    pub fn list(self) -> Result<Vec<Item>, Invalid> {
        match self.value {
            Value::List(items) => Ok(items),
            _ => Invalid::new(self.line, "a list is expected here"),
        }
    }

    /// A list, or one value that stands for a list of one; never none.
    pub fn some(self) -> Result<Vec<Item>, Invalid> {
        let line = self.line;
        match self.value {
            Value::List(items) if items.is_empty() => Invalid::new(line, "the list is empty"),
            Value::List(items) => Ok(items),
            value => Ok(vec![Item { line, value }]),
        }
    }

    /// A list of tables, or nothing.
    pub fn tables(item: Option<Item>) -> Result<Vec<Table>, Invalid> {
        item.map_or(Ok(Vec::new()), |item| item.list()?.into_iter().map(Item::table).collect())
    }
}

/// Where lines begin.
struct Lines<'t>(&'t str);

impl Lines<'_> {
    fn line(&self, offset: usize) -> usize {
        1 + self.0.bytes().take(offset).filter(|&byte| byte == b'\n').count()
    }

    fn table(&self, offset: usize, table: &DeTable<'_>) -> Table {
        let mut entries: Vec<(usize, String, Item)> = table
            .iter()
            .map(|(key, value)| {
                let at = key.span().start;
                // A key says better where something stands than its value, which may have several
                // lines.
                let item = Item { line: self.line(at), ..self.item(value.span().start, value.get_ref()) };
                (at, key.get_ref().to_string(), item)
            })
            .collect();
        // Tables are kept sorted by name; an experiment has the order of its file.
        entries.sort_by_key(|entry| entry.0);
        let entries = entries.into_iter().map(|(_, key, item)| (key, item)).collect();
        Table { line: self.line(offset), entries }
    }

    fn item(&self, offset: usize, value: &DeValue<'_>) -> Item {
        let value = match value {
            DeValue::Table(table) => Value::Table(self.table(offset, table)),
            DeValue::Array(items) => {
                Value::List(items.iter().map(|item| self.item(item.span().start, item.get_ref())).collect())
            }
            DeValue::Boolean(truth) => Value::One(toml::Value::Boolean(*truth)),
            DeValue::String(text) => Value::One(toml::Value::String(text.to_string())),
            DeValue::Datetime(time) => Value::One(toml::Value::String(time.to_string())),
            DeValue::Integer(number) => {
                let parsed = i64::from_str_radix(number.as_str(), number.radix());
                // Whoever parsed the file before has refused what is too large.
                Value::One(parsed.map_or_else(|_| toml::Value::String(number.to_string()), toml::Value::Integer))
            }
            DeValue::Float(number) => {
                let parsed = number.as_str().parse();
                Value::One(parsed.map_or_else(|_| toml::Value::String(number.to_string()), toml::Value::Float))
            }
        };
        Item { line: self.line(offset), value }
    }
}
