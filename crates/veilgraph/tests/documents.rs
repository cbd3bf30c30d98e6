//! What holds for all documents of the project.

use std::path::{Path, PathBuf};

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let in_folder = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let all = in_folder(root.clone()).chain(in_folder(root.join("docs"))).chain(in_folder(root.join("scripts")));
    let mut found: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    found.sort();
    assert!(found.len() > 10, "{found:?}");
    found
}

/// Prose wraps; tables, headings, pictures and code do not.
#[test]
fn lines_of_documents_wrap_at_100_columns() {
    let mut long = Vec::new();
    for path in documents() {
        let (text, mut code) = (std::fs::read_to_string(&path).unwrap(), false);
        for (line, number) in text.lines().zip(1..) {
            code ^= line.starts_with("```");
            let is_table = line.trim_start().starts_with('|');
            let prose = !code && !is_table && !["#", "![", "<", "    "].iter().any(|start| line.starts_with(start));
            // A link may be longer than a line.
            if prose && line.chars().count() > 100 && line.trim().contains(' ') {
                long.push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// Sources below a folder, without what was built.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path()) {
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => sources(&path, into),
            false if path.extension().is_some_and(|it| it == "rs") => into.push(path),
            false => {}
        }
    }
}

/// Comments wrap, but for the code in them.
#[test]
fn comments_wrap_at_100_columns() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut files);
    assert!(files.len() > 500, "{}", files.len());
    let mut long = Vec::new();
    for path in files {
        let (text, mut code) = (std::fs::read_to_string(&path).unwrap(), false);
        for (line, number) in text.lines().zip(1..) {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                code = false;
                continue;
            };
            code ^= comment.trim_start_matches(['/', '!']).trim_start().starts_with("```");
            if !code && line.chars().count() > 100 && !line.contains("://") {
                long.push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// Every test that SECURITY.md names as the evidence of a promise is there.
#[test]
fn tests_that_security_names_are_there() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    sources(&crates, &mut files);
    let code: String = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let text = std::fs::read_to_string(crates.join("../SECURITY.md")).unwrap();
    // A name of several words in small letters, in parentheses.
    let is_name = |it: &&str| it.matches('_').count() > 2 && it.chars().all(|it| it == '_' || it.is_ascii_lowercase());
    let named: Vec<&str> = text.split('`').filter(is_name).collect();
    assert!(named.len() > 40, "{}", named.len());
    let missing: Vec<&&str> = named.iter().filter(|name| !code.contains(&format!("fn {name}()"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Every link to a file of the project leads somewhere.
#[test]
fn links_of_documents_lead_to_files() {
    let mut broken = Vec::new();
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            let elsewhere = target.contains("://") || target.starts_with("mailto:") || file.is_empty();
            if !elsewhere && !path.parent().unwrap().join(file).exists() {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
