//! The file of a sweep: what there is, and on which line something is wrong.
//!
//! ```toml
//! title = "edges of Cora"             # the name of the file, if it is left out
//! data = ["cora"]                     # names; whoever runs it says where they are
//! seeds = 3                           # 1, 2, 3, also if it is left out; or a list
//! [parameters]                        # of methods; also split, range, declare-public, inference-data, public-graph
//! split = "0.5,0.25,0.25"
//! [grid]                              # every combination is run; methods skip what they do not read
//! epsilon-edges = [1, 4, "inf"]
//! [[cases]]                           # what a row of a table is about; what a case sets itself counts more than lists of all
//! name = "LPGNet"
//! method = "lpgnet"
//! grid = { stages = [1, 2] }          # lists of its own; also data
//! [[attacks]]                         # of `veil attack`, by the same names
//! kind = "linkteller"                 # or lsa; `name` says what its figures are called
//! where = { epsilon-edges = [4] }     # only these runs
//! [[include]]                         # only runs that are like one of these …
//! case = "LPGNet"
//! [[exclude]]                         # … and like none of these
//! epsilon-edges = 1
//! stages = 2
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use super::attacks::Listed;
use super::condition::Condition;
use super::settings::{Setting, Settings};
use super::text::{Invalid, Item, Table, Value};
use super::wanted::Wanted;

/// Why a file is not read as a sweep.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}: {problem}", path.display())]
    Syntax { path: PathBuf, problem: String },
    #[error("{}:{line}: {problem}", path.display())]
    Invalid { path: PathBuf, line: usize, problem: String },
}

/// The keys that a file may have.
const KNOWN: [&str; 10] =
    ["title", "published", "data", "seeds", "parameters", "grid", "cases", "attacks", "include", "exclude"];

/// The most runs that a file may ask for: more than that is a slip.
pub(super) const MOST_RUNS: usize = 1_000_000;

/// The seeds of a file that names none: the fewest that decide anything (`worth`).
const DEFAULT_SEEDS: std::ops::RangeInclusive<u64> = 1..=3;

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What it is called.
    pub title: String,
    /// The file of published figures to compare with.
    pub published: Option<String>,
    /// The seeds of every point.
    pub seeds: Vec<u64>,
    /// The text of the file.
    pub text: String,
    pub(super) path: PathBuf,
    pub(super) data: Vec<String>,
    pub(super) parameters: Settings,
    pub(super) grid: Grid,
    pub(super) cases: Vec<Case>,
    pub(super) attacks: Vec<Listed>,
    pub(super) include: Vec<Condition>,
    pub(super) exclude: Vec<Condition>,
    /// What every run must be, whatever the file says.
    pub(super) only: Vec<Condition>,
}

/// Lists of values by name, in the order of the file.
pub(super) type Grid = Vec<(String, Vec<Setting>)>;

/// What a row of a table is about: parameters of its own.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub name: String,
    pub line: usize,
    pub settings: Settings,
    pub grid: Grid,
    /// Its own data, if it has any.
    pub data: Option<Vec<String>>,
    /// The most seeds, if it has fewer than others.
    pub most_seeds: Option<usize>,
}

impl Sweep {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or something in it is unknown or makes no sense.
    pub fn read(path: &Path) -> Result<Sweep, FileError> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|source| FileError::Unreadable { path: path.to_owned(), source })?;
        Sweep::parse(path, text)
    }

    /// Reads the text of a file; `path` is for messages.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(path: &Path, text: String) -> Result<Sweep, FileError> {
        let sweep = Sweep::written(path, text)?;
        // What cannot be multiplied out is said now, with its line.
        sweep.wanted()?;
        Ok(sweep)
    }

    /// What a text says, before it is multiplied out.
    pub(crate) fn written(path: &Path, text: String) -> Result<Sweep, FileError> {
        let syntax = |error: toml::de::Error| FileError::Syntax { path: path.to_owned(), problem: error.to_string() };
        let table = Table::parse(&text).map_err(syntax)?;
        from_table(table, path, text).map_err(|wrong| at(path, wrong))
    }

    /// Seeds 1 to `count`, instead of those of the file.
    ///
    /// # Errors
    /// If that makes too many runs, or a condition picks none any more.
    pub fn set_seeds(&mut self, count: NonZeroU32) -> Result<(), FileError> {
        let problem = || format!("{count} seeds are too many: at most {MOST_RUNS}");
        if count.get() as usize > MOST_RUNS {
            return Err(at(&self.path, Invalid { line: 1, problem: problem() }));
        }
        self.seeds = (1..=u64::from(count.get())).collect();
        self.wanted().map(drop)
    }

    /// Runs its cases on these data too, with at most so many seeds, unless they have data of their
    /// own. Parameters of these data override those of all.
    pub(crate) fn add_data(
        &mut self,
        names: &[String],
        parameters: &BTreeMap<String, String>,
        most_seeds: Option<usize>,
    ) -> Result<(), FileError> {
        if parameters.is_empty() && most_seeds.is_none() {
            self.data.extend_from_slice(names);
            return Ok(());
        }
        let item = |value: &str| Item { line: 1, value: Value::One(toml::Value::String(value.to_owned())) };
        let settings = parameters.iter().map(|(name, value)| (name.clone(), item(value))).collect();
        let settings = Settings::read(settings, true).map_err(|wrong| at(&self.path, wrong))?;
        let shared = self.cases.iter().filter(|case| case.data.is_none());
        let data = Some(names.to_vec());
        let further = shared.map(|case| Case {
            data: data.clone(),
            settings: case.settings.and(&settings),
            most_seeds,
            ..case.clone()
        });
        self.cases.extend(further.collect::<Vec<Case>>());
        Ok(())
    }

    /// Leaves only runs of which this (case, data, seed or a parameter) has one of these values.
    ///
    /// # Errors
    /// If no run is left, or there is no such parameter.
    pub fn only(&mut self, name: &str, values: &[impl AsRef<str>]) -> Result<(), FileError> {
        let condition = Condition::new(name, values).and_then(|condition| {
            self.only.push(condition);
            self.product().map(drop)
        });
        condition.map_err(|wrong| at(&self.path, wrong))
    }

    /// Every run, in the order of cases, data, points and seeds.
    ///
    /// # Errors
    /// If a condition picks no run, or a run is there twice.
    pub fn wanted(&self) -> Result<Vec<Wanted>, FileError> {
        self.product().map_err(|wrong| at(&self.path, wrong))
    }

    /// The names of its cases, in the order of the file.
    pub fn case_names(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(|case| case.name.as_str())
    }

    /// The names of all data that its runs read. Data beside others are called `NAME/../FOLDER`.
    ///
    /// # Errors
    /// As [`wanted`](Self::wanted).
    pub fn data_names(&self) -> Result<BTreeSet<String>, FileError> {
        let mut names = BTreeSet::new();
        for run in self.wanted()? {
            let Wanted { data, settings, .. } = run;
            names.extend(settings.inference(&data));
            names.extend(settings.public_graph(&data));
            names.insert(data);
        }
        Ok(names)
    }

    /// The same without multiplying anything out, which takes seconds of tens of thousands of runs:
    /// also data of which no condition leaves a run.
    pub(crate) fn mentioned(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for case in &self.cases {
            let told = self.parameters.and(&case.settings);
            let lists: Vec<_> = self.lists(case).collect();
            for data in case.data.as_ref().unwrap_or(&self.data) {
                names.insert(data.clone());
                let settings = lists.iter().flat_map(|(name, values)| {
                    values.iter().map(|&value| Settings(BTreeMap::from([((*name).clone(), value.clone())])))
                });
                for settings in settings.chain([told.clone()]) {
                    names.extend(settings.inference(data));
                    names.extend(settings.public_graph(data));
                }
            }
        }
        names
    }
}

fn at(path: &Path, Invalid { line, problem }: Invalid) -> FileError {
    FileError::Invalid { path: path.to_owned(), line, problem }
}

fn from_table(mut table: Table, path: &Path, text: String) -> Result<Sweep, Invalid> {
    let stem = || path.file_stem().map_or_else(|| "sweep".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let title = table.take("title").map(Item::text).transpose()?.unwrap_or_else(stem);
    let published = table.take("published").map(Item::text).transpose()?;
    let data = names(table.need("data", "the file")?)?;
    let seeds = table.take("seeds").map_or_else(|| Ok(DEFAULT_SEEDS.collect()), seeds)?;
    let parameters = table.take("parameters").map(|item| Settings::read(item.table()?.rest(), true)).transpose()?;
    let (grid, of_all) = table.take("grid").map(grid).transpose()?.unwrap_or_default();
    let cases = table.need("cases", "the file")?;
    let cases_line = cases.line;
    let cases = Item::tables(Some(cases))?.into_iter().map(Case::read).collect::<Result<Vec<_>, Invalid>>()?;
    if cases.is_empty() {
        return Invalid::new(cases_line, "`cases` is empty");
    }
    let attacks = Item::tables(table.take("attacks"))?;
    let attacks = attacks.into_iter().map(|table| Ok((table.line, Listed::read(table)?)));
    let mut listed: Vec<Listed> = Vec::new();
    for attack in attacks {
        let (line, attack) = attack?;
        if let Some(figure) = listed.iter().find_map(|other| attack.attack.shares_a_figure_with(&other.attack)) {
            return Invalid::new(line, format!("two attacks have a figure {figure:?}: give them other names"));
        }
        if listed.iter().any(|other| other.attack.name == attack.attack.name) {
            return Invalid::new(line, format!("two attacks are called {:?}: give them a name", attack.attack.name));
        }
        listed.push(attack);
    }
    let conditions = |item: Option<Item>| -> Result<Vec<Condition>, Invalid> {
        Item::tables(item)?.into_iter().map(Condition::read).collect()
    };
    let (include, exclude) = (conditions(table.take("include"))?, conditions(table.take("exclude"))?);
    table.finish(&KNOWN)?;
    let data = of_all.unwrap_or(data);
    let parameters = parameters.unwrap_or_default();
    Ok(Sweep {
        title,
        published,
        seeds,
        text,
        path: path.to_owned(),
        data,
        parameters,
        grid,
        cases,
        attacks: listed,
        include,
        exclude,
        only: Vec::new(),
    })
}

impl Case {
    fn read(mut table: Table) -> Result<Case, Invalid> {
        let line = table.line;
        let name = table.need("name", "a case")?.text()?;
        let (grid, data) = table.take("grid").map(grid).transpose()?.unwrap_or_default();
        let own = table.take("data").map(names).transpose()?;
        let settings = Settings::read(table.rest(), false)?;
        Ok(Case { name, line, settings, grid, data: data.or(own), most_seeds: None })
    }
}

/// Lists of parameters, and of data.
fn grid(item: Item) -> Result<(Grid, Option<Vec<String>>), Invalid> {
    let (mut lists, mut data): (Grid, _) = (Vec::new(), None);
    for (key, item) in item.table()?.rest() {
        if key == "data" {
            data = Some(names(item)?);
            continue;
        }
        let (name, line) = (key.clone(), item.line);
        if !matches!(item.value, Value::List(_)) {
            return Invalid::new(line, format!("`{key}` of a grid is a list of values"));
        }
        let values: Vec<Setting> =
            item.some()?.into_iter().map(|item| Setting::of(&name, item, true)).collect::<Result<_, Invalid>>()?;
        if let Some(twice) =
            values.iter().enumerate().find(|(i, it)| values[..*i].iter().any(|other| other.plain() == it.plain()))
        {
            return Invalid::new(twice.1.line, format!("duplicate value {name} = {}", twice.1.value));
        }
        lists.push((name, values));
    }
    Ok((lists, data))
}

fn names(item: Item) -> Result<Vec<String>, Invalid> {
    let line = item.line;
    let names: Vec<String> = item.some()?.into_iter().map(Item::text).collect::<Result<_, Invalid>>()?;
    match twice(&names) {
        Some(name) => Invalid::new(line, format!("duplicate name {name:?}")),
        None => Ok(names),
    }
}

/// What is there already when it comes again.
fn twice<T: Ord>(values: &[T]) -> Option<&T> {
    let mut seen = BTreeSet::new();
    values.iter().find(|value| !seen.insert(*value))
}

/// How many, or which.
fn seeds(item: Item) -> Result<Vec<u64>, Invalid> {
    let line = item.line;
    let number = |item: Item| -> Result<u64, Invalid> {
        let line = item.line;
        match item.one()?.as_integer().and_then(|number| u64::try_from(number).ok()) {
            Some(number) => Ok(number),
            None => Invalid::new(line, "seeds are a count, or a list of whole numbers of at least 0"),
        }
    };
    let seeds: Vec<u64> = match item.value {
        Value::List(items) => items.into_iter().map(number).collect::<Result<_, Invalid>>()?,
        _ => {
            let count = number(item)?;
            if count > MOST_RUNS as u64 {
                return Invalid::new(line, format!("{count} seeds are too many: at most {MOST_RUNS}"));
            }
            (1..=count).collect()
        }
    };
    match twice(&seeds) {
        _ if seeds.is_empty() => Invalid::new(line, "`seeds` is empty"),
        Some(seed) => Invalid::new(line, format!("duplicate seed {seed}")),
        None => Ok(seeds),
    }
}
