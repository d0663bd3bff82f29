//! The floors of the runtime: a file imports from its own floor and from those below it, never from one above, and
//! few files import one another in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up, as ARCHITECTURE.md draws them.
const FLOORS: [&str; 9] = ["base", "values", "decide", "engine", "actor", "task", "tree", "inspection", "testing"];

/// The largest circle: the references to actors, their context and what a reference sends.
const LARGEST_CIRCLE: usize = 5;

/// The absolute paths that the code of `module` names with `crate::` or `super::`, each with its line.
fn paths(module: &[String], text: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (line, code) in text.lines().enumerate() {
        let code = code.split("//").next().unwrap();
        for (start, within) in [("crate::", &module[..0]), ("super::", &module[..module.len().saturating_sub(1)])] {
            for (at, _) in code.match_indices(start) {
                if code[..at].ends_with(|before: char| before == ':' || before.is_alphanumeric()) {
                    continue;
                }
                let rest = &code[at + start.len()..];
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
                let mut path = within.to_vec();
                path.extend(rest[..end].split("::").filter(|name| !name.is_empty()).map(String::from));
                found.push((line + 1, path));
            }
        }
    }
    found
}

/// A problem, if a path in a file of `floor` leads to a floor above, to the root, or up by more than one module.
fn problem(floor: usize, path: &[String]) -> Option<String> {
    if path.iter().any(|name| name == "super") {
        return Some("leads up twice: begin with `crate::`".into());
    }
    let Some(target) = path.first().and_then(|name| FLOORS.iter().position(|floor| floor == name)) else {
        return Some("begins with no floor: import from the file that defines the item, one path for each".into());
    };
    (target > floor).then(|| format!("{} knows nothing of {}", FLOORS[floor], FLOORS[target]))
}

/// The modules of the floors, without tests, each with its text.
fn modules() -> BTreeMap<Vec<String>, String> {
    fn read(folder: &Path, source: &Path, found: &mut BTreeMap<Vec<String>, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            let mut module: Vec<String> = path
                .strip_prefix(source)
                .unwrap()
                .with_extension("")
                .iter()
                .map(|name| name.to_str().unwrap().into())
                .collect();
            match module.last().unwrap().as_str() {
                "tests" => continue,
                "mod" => drop(module.pop()),
                _ if path.is_dir() => {
                    read(&path, source, found);
                    continue;
                }
                _ => {}
            }
            found.insert(module, fs::read_to_string(path).unwrap());
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("supervise-runtime/src");
    let mut found = BTreeMap::new();
    FLOORS.iter().for_each(|floor| read(&source.join(floor), &source, &mut found));
    found
}

#[test]
fn no_import_leads_upward() {
    let (mut read, mut problems) = (0, Vec::new());
    for (module, text) in modules() {
        let floor = FLOORS.iter().position(|floor| *floor == module[0]).unwrap();
        for (line, path) in paths(&module, &text) {
            read += 1;
            problems.extend(problem(floor, &path).map(|why| format!("{}:{line}: {why}", module.join("/"))));
        }
    }
    assert!(read > 500, "only {read} imports found");
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn circles_of_files_are_small() {
    let modules = modules();
    let imports: BTreeMap<&Vec<String>, BTreeSet<&Vec<String>>> = modules
        .iter()
        .map(|(module, text)| {
            let files = paths(module, text).into_iter().filter_map(|(_, path)| {
                // The longest beginning of the path that is a file.
                (1..=path.len()).rev().find_map(|length| modules.get_key_value(&path[..length])).map(|(file, _)| file)
            });
            (module, files.collect())
        })
        .collect();
    let reached = |from| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            next.extend(imports[file].iter().filter(|file| reached.insert(**file)));
        }
        reached
    };
    let all: BTreeMap<_, _> = imports.keys().map(|file| (*file, reached(*file))).collect();
    for (file, reached) in &all {
        let circle: Vec<_> = reached.iter().filter(|other| all[**other].contains(*file)).map(|f| f.join("/")).collect();
        assert!(circle.len() <= LARGEST_CIRCLE, "these files import one another: {circle:#?}");
    }
    assert!(all.values().any(|reached| reached.len() > 30), "hardly any import found");
}

#[test]
fn a_forbidden_path_is_found() {
    let module = ["engine", "cell", "life"].map(String::from);
    let problems = |text: &str| -> Vec<_> {
        paths(&module, text).iter().filter_map(|(line, path)| Some((*line, problem(3, path)?))).collect()
    };
    for text in [
        "use crate::actor::Context;",
        "use crate::{actor::Context, values::path};",
        "use crate::Failure;",
        "use crate::__private::Cell;",
        "use super::super::body::Body;",
        "use super::super::super::actor::Context;",
        "    let context: &crate::tree::TreeRef = of(super::body, crate::values::path);",
    ] {
        assert_eq!(problems(&format!("\n{text}")).len(), 1, "{text}");
        assert_eq!(problems(&format!("\n{text}"))[0].0, 2, "{text}");
    }
    for text in ["use super::body::Body;", "use crate::engine::cell::body;", "/// [`Context`](crate::actor::Context)"] {
        assert_eq!(problems(text), [], "{text}");
    }
}
