//! From a column to classes with names.

use std::collections::BTreeMap;

use super::error::ImportError;
use super::report::{ColumnReport, Report};
use super::request::{Classes, Kind, Request};
use super::values::{Cells, Guess, Values, guess};
use crate::labels::Labels;
use crate::limits::MOST_CLASSES;
use crate::misfit::Misfit;

/// So many classes are never taken for names of nodes.
const FEW: usize = 32;

/// The labels of a column, and whether their classes are given.
pub(super) fn of(cells: Cells<'_>, request: &Request, report: &mut Report) -> Result<(Labels, bool), ImportError> {
    let column = &cells.column.name;
    cells.column.has_text(&cells.table.path)?;
    let told = request.kinds.iter().any(|(name, _)| name == column);
    if let (Guess::Dates(row), None, false) = (guess(cells), &request.classes, told) {
        let (place, found) = (cells.table.place(row, cells.column), cells.column.texts.get(row).to_owned());
        return Err(ImportError::Date { place, column: column.clone(), found });
    }
    let Values::Categories(codes, found) = Values::of(cells, Kind::Category)? else {
        return Err(ImportError::NoValues { path: cells.table.path.clone(), column: column.clone() });
    };
    let labelled = codes.iter().flatten().count();
    let given = request.classes.as_ref().map(Classes::names);
    if labelled == 0 && given.is_none() {
        return Err(ImportError::NoValues { path: cells.table.path.clone(), column: column.clone() });
    }
    let (names, merged) = wholes(&found);
    // A class for every second node is rather a name.
    let limit = (labelled / 2).max(FEW).min(MOST_CLASSES as usize);
    if names.len() > limit && given.is_none() {
        let path = cells.table.path.clone();
        let (column, found) = (column.clone(), names.len());
        return Err(ImportError::TooManyCategories { path, column, found, rows: labelled, limit });
    }
    let (codes, names) = match &given {
        None => (codes.into_iter().map(|code| code.map(|code| merged[code as usize])).collect(), names),
        Some(given) => {
            let places: BTreeMap<&str, u32> = given.iter().map(String::as_str).zip(0..).collect();
            let place = |name: &String| places.get(name.as_str()).or_else(|| places.get(whole(name))).copied();
            let places: Vec<Option<u32>> = found.iter().map(place).collect();
            let mut renumbered = Vec::with_capacity(codes.len());
            for (node, code) in codes.iter().enumerate() {
                let Some(code) = *code else {
                    renumbered.push(None);
                    continue;
                };
                if places[code as usize].is_none() {
                    let row = cells.rows[node].unwrap_or(0);
                    let (place, found) = (cells.table.place(row, cells.column), found[code as usize].clone());
                    let found = found.chars().take(60).collect();
                    return Err(ImportError::NotGiven { place, column: column.clone(), found, what: "classes" });
                }
                renumbered.push(places[code as usize]);
            }
            (renumbered, given.clone())
        }
    };
    let misfit = |source: Misfit| ImportError::Inconsistent { path: cells.table.path.clone(), source };
    let missing = codes.len() - labelled;
    let mut labels = Labels::new(names.len() as u32, codes).map_err(|source| misfit(source.into()))?;
    if !names.iter().enumerate().all(|(class, name)| class.to_string() == *name) {
        labels = labels.with_names(names.clone()).map_err(|source| misfit(source.into()))?;
    }
    let shown = names.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > 6 { ", …" } else { "" };
    report.columns.push(ColumnReport {
        column: column.clone(),
        file: super::plan::file_name(&cells.table.path),
        becomes: format!("the label: {} classes ({shown}{more})", names.len()),
        first_feature: None,
        features: 0,
        missing,
    });
    let classes = format!("the classes of {column}");
    if given.is_some() {
        report.given.push(classes)
    } else {
        report.collected.push(classes)
    }
    Ok((labels, given.is_some()))
}

/// The names, where those of one whole number are one, and the place of each among them.
fn wholes(found: &[String]) -> (Vec<String>, Vec<u32>) {
    let (mut names, mut places) = (Vec::new(), BTreeMap::new());
    let mut place = |name: &String| {
        *places.entry(whole(name).to_owned()).or_insert_with(|| {
            names.push(whole(name).to_owned());
            names.len() as u32 - 1
        })
    };
    let merged = found.iter().map(&mut place).collect();
    (names, merged)
}

/// `3` for `3.0`: integers become floats where some are missing.
fn whole(name: &str) -> &str {
    match name.strip_suffix(".0") {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => digits,
        _ => name,
    }
}
