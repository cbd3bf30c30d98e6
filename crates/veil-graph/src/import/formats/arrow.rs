//! Parquet and Arrow (Feather) tables, read batch by batch within the limits of `read::tables`.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema, TimeUnit};

use super::super::error::ImportError;
use super::super::table::{Column, Form, Header, Rows, Table, Texts, Wanted, check_names, columns_of};
use super::{Format, Options};
use crate::read::tables::container::{self, contained};
use crate::read::{Place, ReadError};

pub(super) const FORMAT: Format = Format {
    described: ".parquet, .arrow, .feather (also compressed inside)",
    endings: &["parquet", "pq", "arrow", "feather", "ipc"],
    read,
};

fn read(path: &Path, _: Options, wanted: Wanted<'_>) -> Result<Table, ImportError> {
    let file = container::Table::open(path)?;
    let names: Vec<String> = file.schema().fields().iter().map(|field| field.name().clone()).collect();
    check_names(path, &names)?;
    let wanted = wanted(&Header { path, names: &names, headless: false })?;
    let mut columns = typed(file.schema(), &names, &wanted);
    let mut rows = 0;
    let (mut bytes, limit) = (0u64, file.text_budget());
    let requested: Vec<&str> = wanted.iter().map(|&place| names[place].as_str()).collect();
    file.batches(&requested, &mut |batch| {
        rows += batch.rows();
        for column in &mut columns {
            let array = batch.column(&column.name)?;
            let left = usize::try_from(limit.saturating_sub(bytes)).unwrap_or(usize::MAX);
            let texts = contained(|| batch.part(&column.name), || texts(array, left))?;
            (0..texts.len()).for_each(|row| column.texts.push(texts.get(row)));
            bytes += texts.size() as u64;
        }
        Ok(())
    })?;
    Ok(Table {
        path: path.to_owned(),
        names,
        columns,
        rows,
        at: Rows::Counted("row"),
        guessed: Vec::new(),
        keyed: false,
    })
}

/// Reads a table that is in memory; `name` stands for it in messages.
pub(in super::super) fn of_batches(
    name: &Path,
    (schema, batches): (&Schema, &[RecordBatch]),
    wanted: Wanted<'_>,
) -> Result<Table, ImportError> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    check_names(name, &names)?;
    let wanted = wanted(&Header { path: name, names: &names, headless: false })?;
    let mut columns = typed(schema, &names, &wanted);
    let mut rows = 0;
    for batch in batches {
        for (column, &place) in columns.iter_mut().zip(&wanted) {
            // What is in memory already takes no more than its texts.
            let texts = texts(batch.column(place), usize::MAX).map_err(|problem| ReadError::Format {
                place: Place::part(name, format!("row {}, {}", rows + 1, column.name)),
                problem,
            })?;
            (0..texts.len()).for_each(|row| column.texts.push(texts.get(row)));
        }
        rows += batch.num_rows();
    }
    Ok(Table {
        path: name.to_owned(),
        names,
        columns,
        rows,
        at: Rows::Counted("row"),
        guessed: Vec::new(),
        keyed: false,
    })
}

/// The wanted columns, with what their types say.
fn typed(schema: &Schema, names: &[String], wanted: &[usize]) -> Vec<Column> {
    let mut columns = columns_of(names, wanted);
    for (column, &place) in columns.iter_mut().zip(wanted) {
        column.form = form(schema.field(place).data_type());
    }
    columns
}

/// What a type says about its values. Every type that [`texts`] does not write is `Other`.
fn form(kind: &DataType) -> Form {
    match kind {
        DataType::Dictionary(_, values) => form(values),
        DataType::FixedSizeList(item, _) if is_number(item.data_type()) || *item.data_type() == DataType::Boolean => {
            Form::Vector
        }
        DataType::List(item) | DataType::LargeList(item)
            if item.data_type().is_floating() || matches!(item.data_type(), DataType::Decimal128(..)) =>
        {
            Form::Vector
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            // Lists of lists are no sets of items.
            let flat = !item.data_type().is_list() && form(item.data_type()) == Form::Text;
            if flat { Form::Text } else { Form::Other(kind.to_string()) }
        }
        DataType::Boolean | DataType::Null | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Form::Text,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Form::Text,
        kind if is_number(kind) => Form::Text,
        other => Form::Other(other.to_string()),
    }
}

/// Whether it is a number that [`texts`] writes.
fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || kind.is_floating() || matches!(kind, DataType::Decimal128(..))
}

/// The values of a column as texts, of at most so many bytes.
fn texts(array: &dyn Array, limit: usize) -> Result<Texts, String> {
    let mut texts = Texts::default();
    let out = &mut Out { texts: &mut texts, limit };
    match array.data_type() {
        DataType::Boolean => out.each(array, |row| array.as_boolean().value(row).to_string())?,
        DataType::Int8 => out.numbers::<Int8Type>(array)?,
        DataType::Int16 => out.numbers::<Int16Type>(array)?,
        DataType::Int32 => out.numbers::<Int32Type>(array)?,
        DataType::Int64 => out.numbers::<Int64Type>(array)?,
        DataType::UInt8 => out.numbers::<UInt8Type>(array)?,
        DataType::UInt16 => out.numbers::<UInt16Type>(array)?,
        DataType::UInt32 => out.numbers::<UInt32Type>(array)?,
        DataType::UInt64 => out.numbers::<UInt64Type>(array)?,
        DataType::Float16 => out.numbers::<Float16Type>(array)?,
        DataType::Float32 => out.numbers::<Float32Type>(array)?,
        DataType::Float64 => out.numbers::<Float64Type>(array)?,
        DataType::Decimal128(..) => {
            out.each(array, |row| array.as_primitive::<Decimal128Type>().value_as_string(row))?;
        }
        DataType::Utf8 => out.each(array, |row| array.as_string::<i32>().value(row).trim())?,
        DataType::LargeUtf8 => out.each(array, |row| array.as_string::<i64>().value(row).trim())?,
        DataType::Utf8View => out.each(array, |row| array.as_string_view().value(row).trim())?,
        DataType::Date32 => {
            out.each(array, |row| date(array.as_primitive::<Date32Type>().value(row).into()))?;
        }
        DataType::Date64 => out.moments::<Date64Type>(array, 3)?,
        DataType::Timestamp(TimeUnit::Second, _) => out.moments::<TimestampSecondType>(array, 0)?,
        DataType::Timestamp(TimeUnit::Millisecond, _) => out.moments::<TimestampMillisecondType>(array, 3)?,
        DataType::Timestamp(TimeUnit::Microsecond, _) => out.moments::<TimestampMicrosecondType>(array, 6)?,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => out.moments::<TimestampNanosecondType>(array, 9)?,
        DataType::Dictionary(..) => {
            let coded = array.as_any_dictionary();
            let (values, keys) = (self::texts(coded.values(), limit)?, coded.normalized_keys());
            let value =
                |row: usize| keys.get(row).filter(|&&key| key < values.len()).map_or("", |&key| values.get(key));
            out.each(array, value)?;
        }
        DataType::List(_) => out.lists(array, |row| array.as_list::<i32>().value(row))?,
        DataType::LargeList(_) => out.lists(array, |row| array.as_list::<i64>().value(row))?,
        DataType::FixedSizeList(..) => out.lists(array, |row| array.as_fixed_size_list().value(row))?,
        DataType::Null => out.each(array, |_| "")?,
        // These columns have no texts (`form`), so nothing reads them.
        _ => out.each(array, |_| "")?,
    }
    Ok(texts)
}

/// Texts in progress.
struct Out<'a> {
    texts: &'a mut Texts,
    limit: usize,
}

impl Out<'_> {
    /// The text of every row; missing values are empty.
    fn each<T: AsRef<str>>(&mut self, array: &dyn Array, text: impl Fn(usize) -> T) -> Result<(), String> {
        self.try_each(array, |row| Ok(text(row)))
    }

    fn try_each<T: AsRef<str>>(
        &mut self,
        array: &dyn Array,
        text: impl Fn(usize) -> Result<T, String>,
    ) -> Result<(), String> {
        for row in 0..array.len() {
            if array.is_valid(row) {
                self.texts.push(text(row)?.as_ref());
            } else {
                self.texts.push("");
            }
            // Rows without values take no bytes of the file.
            if self.texts.size() > self.limit {
                return Err(format!("its values take more than the {} bytes that are allowed", self.limit));
            }
        }
        Ok(())
    }

    /// Numbers; a pandas column writes missing ones as NaN.
    fn numbers<T: ArrowPrimitiveType>(&mut self, array: &dyn Array) -> Result<(), String>
    where
        T::Native: std::fmt::Display,
    {
        self.each(array, |row| {
            let text = array.as_primitive::<T>().value(row).to_string();
            if text == "NaN" { String::new() } else { text }
        })
    }

    /// Points in time, of which so many digits are fractions of a second.
    fn moments<T: ArrowPrimitiveType<Native = i64>>(&mut self, array: &dyn Array, digits: u32) -> Result<(), String> {
        self.each(array, |row| moment(array.as_primitive::<T>().value(row), digits))
    }

    /// Lists as they are written in JSON.
    fn lists(&mut self, array: &dyn Array, items: impl Fn(usize) -> ArrayRef) -> Result<(), String> {
        let limit = self.limit;
        self.try_each(array, |row| list(&items(row), limit))
    }
}

/// A point in time: its day, and its time of day unless that is midnight.
fn moment(value: i64, digits: u32) -> String {
    let per_second = 10i64.pow(digits);
    let (seconds, fraction) = (value.div_euclid(per_second), value.rem_euclid(per_second));
    let (day, of_day) = (date(seconds.div_euclid(86_400)), seconds.rem_euclid(86_400));
    if (of_day, fraction) == (0, 0) {
        return day;
    }
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let whole = format!("{day}T{hour:02}:{minute:02}:{second:02}");
    if fraction == 0 { whole } else { format!("{whole}.{fraction:0width$}", width = digits as usize) }
}

/// A day by its number since 1970 (Howard Hinnant's `civil_from_days`).
fn date(days: i64) -> String {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A list as it is written in JSON.
fn list(items: &dyn Array, limit: usize) -> Result<String, String> {
    let quoted = matches!(
        items.data_type(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..)
    );
    let items = texts(items, limit)?;
    let item =
        |row| if quoted { serde_json::Value::from(items.get(row)).to_string() } else { items.get(row).to_owned() };
    let items: Vec<String> = (0..items.len()).map(item).collect();
    Ok(format!("[{}]", items.join(",")))
}
