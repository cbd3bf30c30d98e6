//! Cells of columns of any integer, string or dictionary type, and rows of list columns.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Float32Array, Int64Array, LargeListArray, LargeStringArray, ListArray,
    StringArray, StringViewArray, UInt64Array,
};
use arrow_schema::DataType;

use super::super::error::{Place, ReadError};
use super::container::{Batch, contained};

/// An integer or a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell<'a> {
    Number(u64),
    Negative(i64),
    Text(&'a str),
}

impl Cell<'_> {
    /// The cell in an error message.
    pub(super) fn shown(self) -> String {
        match self {
            Cell::Number(number) => number.to_string(),
            Cell::Negative(number) => number.to_string(),
            Cell::Text(text) => text.to_owned(),
        }
    }
}

/// A column of integers or texts.
pub(super) enum Cells {
    Signed(Int64Array),
    Unsigned(UInt64Array),
    Text(StringArray),
    LargeText(LargeStringArray),
    TextView(StringViewArray),
    /// A dictionary: for each row, the index of its value in the second column.
    Coded(Int64Array, Box<Cells>),
}

impl Cells {
    /// The cells of a column of a batch.
    pub(super) fn of(batch: &Batch<'_>, column: &str) -> Result<Cells, ReadError> {
        let place = || batch.part(column);
        contained(place, || Cells::from_array(batch.column(column).map_err(|error| error.to_string())?, true))
    }

    fn from_array(array: &dyn Array, dictionary: bool) -> Result<Cells, String> {
        if let Some(numbers) = widened(array) {
            return Ok(Cells::Signed(numbers));
        }
        Ok(match array.data_type() {
            DataType::UInt64 => Cells::Unsigned(array.as_primitive::<UInt64Type>().clone()),
            DataType::Utf8 => Cells::Text(array.as_string::<i32>().clone()),
            DataType::LargeUtf8 => Cells::LargeText(array.as_string::<i64>().clone()),
            DataType::Utf8View => Cells::TextView(array.as_string_view().clone()),
            // A column of missing values.
            DataType::Null => Cells::Signed(Int64Array::new_null(array.len())),
            DataType::Dictionary(..) if dictionary => {
                let coded = array.as_any_dictionary();
                let keys = widened(coded.keys()).ok_or("a dictionary whose keys need 64 bits")?;
                let values = Cells::from_array(coded.values(), false)?;
                Cells::Coded(keys, Box::new(values))
            }
            other => return Err(format!("a column of type {other}, expected whole numbers or texts")),
        })
    }

    /// The cell of a row of the batch; `None` if missing.
    pub(super) fn get(&self, row: usize) -> Option<Cell<'_>> {
        match self {
            Cells::Signed(array) => array.is_valid(row).then(|| {
                let value = array.value(row);
                u64::try_from(value).map_or(Cell::Negative(value), Cell::Number)
            }),
            Cells::Unsigned(array) => array.is_valid(row).then(|| Cell::Number(array.value(row))),
            Cells::Text(array) => array.is_valid(row).then(|| Cell::Text(array.value(row))),
            Cells::LargeText(array) => array.is_valid(row).then(|| Cell::Text(array.value(row))),
            Cells::TextView(array) => array.is_valid(row).then(|| Cell::Text(array.value(row))),
            Cells::Coded(keys, values) => {
                let key = keys.is_valid(row).then(|| keys.value(row))?;
                values.get(usize::try_from(key).ok().filter(|&key| key < values.len())?)
            }
        }
    }

    /// The number of cells.
    fn len(&self) -> usize {
        match self {
            Cells::Signed(array) => array.len(),
            Cells::Unsigned(array) => array.len(),
            Cells::Text(array) => array.len(),
            Cells::LargeText(array) => array.len(),
            Cells::TextView(array) => array.len(),
            Cells::Coded(keys, _) => keys.len(),
        }
    }
}

/// Integers of any type that fits signed 64 bits.
fn widened(array: &dyn Array) -> Option<Int64Array> {
    Some(match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().clone(),
        DataType::Int32 => array.as_primitive::<Int32Type>().unary(i64::from),
        DataType::Int16 => array.as_primitive::<Int16Type>().unary(i64::from),
        DataType::Int8 => array.as_primitive::<Int8Type>().unary(i64::from),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().unary(i64::from),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().unary(i64::from),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().unary(i64::from),
        _ => return None,
    })
}

/// A column of lists.
pub(super) enum Lists {
    List(ListArray),
    Large(LargeListArray),
    Fixed(FixedSizeListArray),
}

impl Lists {
    /// The lists of a column of a batch.
    pub(super) fn of(batch: &Batch<'_>, column: &str) -> Result<Lists, ReadError> {
        let array = batch.column(column)?;
        Ok(match array.data_type() {
            DataType::List(_) => Lists::List(array.as_list::<i32>().clone()),
            DataType::LargeList(_) => Lists::Large(array.as_list::<i64>().clone()),
            DataType::FixedSizeList(..) => Lists::Fixed(array.as_fixed_size_list().clone()),
            other => {
                let problem = format!("a column of type {other}, expected lists");
                return Err(ReadError::format(batch.part(column), problem));
            }
        })
    }

    /// The items of all lists.
    pub(super) fn items(&self) -> &ArrayRef {
        match self {
            Lists::List(lists) => lists.values(),
            Lists::Large(lists) => lists.values(),
            Lists::Fixed(lists) => lists.values(),
        }
    }

    /// The items of a row's list; `None` if the list is missing.
    pub(super) fn range(&self, row: usize) -> Option<Range<usize>> {
        let range = match self {
            Lists::List(lists) if lists.is_valid(row) => {
                let offsets = lists.value_offsets();
                offsets[row] as usize..offsets[row + 1] as usize
            }
            Lists::Large(lists) if lists.is_valid(row) => {
                let offsets = lists.value_offsets();
                offsets[row] as usize..offsets[row + 1] as usize
            }
            Lists::Fixed(lists) if lists.is_valid(row) => {
                let (start, length) = (lists.value_offset(row) as usize, lists.value_length() as usize);
                start..start + length
            }
            _ => return None,
        };
        (range.start <= range.end && range.end <= self.items().len()).then_some(range)
    }

    /// The items as integers.
    pub(super) fn numbers(&self, place: impl Fn() -> Place) -> Result<Cells, ReadError> {
        contained(place, || Cells::from_array(self.items(), false))
    }
}

/// Any numbers as 32-bit floats.
pub(super) fn floats(array: &dyn Array, place: impl Fn() -> Place) -> Result<Float32Array, ReadError> {
    contained(place, || match array.data_type() {
        DataType::Float32 => Ok(array.as_primitive().clone()),
        DataType::Float64 => Ok(array.as_primitive::<Float64Type>().unary(|value| value as f32)),
        DataType::Float16 => Ok(array.as_primitive::<Float16Type>().unary(|value| value.to_f32())),
        DataType::UInt64 => Ok(array.as_primitive::<UInt64Type>().unary(|value| value as f32)),
        DataType::Boolean => {
            Ok(array.as_boolean().iter().map(|value| value.map(|value| f32::from(u8::from(value)))).collect())
        }
        kind if kind.is_integer() => {
            widened(array).map(|numbers| numbers.unary(|value| value as f32)).ok_or_else(|| kind.to_string())
        }
        other => Err(format!("values of type {other}, expected numbers")),
    })
}

/// A finite float that is not missing.
pub(super) fn finite(array: &Float32Array, item: usize, place: impl Fn() -> Place) -> Result<f32, ReadError> {
    if array.is_null(item) {
        return Err(ReadError::unexpected(place(), "", "a number, but it is missing"));
    }
    let value = array.value(item);
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ReadError::unexpected(place(), &value.to_string(), "a finite number"))
    }
}
