//! Checks that each public type has an example: every struct, enum, trait, type alias and function that `supervise`
//! re-exports from the crates below it, and every one of `supervise-remote`, has a block in its documentation that uses it.
//!
//! This test reads the sources. `cargo test --doc` runs the examples, and the lint `missing_docs` checks that every
//! public item is documented.

use std::fs;
use std::path::{Path, PathBuf};

const RUNTIME: &str = "supervise-runtime/src";
const CORE: &str = "supervise-core/src";
const TESTING: &str = "supervise-testing/src";
const OBSERVE: &str = "supervise-observe/src";
const LEASE: &str = "supervise-lease/src";

/// The modules of the runtime that are public.
const MODULES: [&str; 9] = ["error", "policy", "event", "inspect", "spec", "future", "bound", "guardian", "path"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The sources of a module: its own file, and all files in its folder.
fn sources(module: &str) -> Vec<PathBuf> {
    let (source, module) = match module.split_once('/') {
        Some(("supervise_core", module)) => (CORE, module),
        Some(("supervise_lease", module)) => (LEASE, module),
        Some(("supervise_observe", module)) => (OBSERVE, module),
        Some(("supervise_testing", module)) => (TESTING, module),
        _ => (RUNTIME, module),
    };
    let own = root().join(source).join(module).with_extension("rs");
    let mut found = Vec::from_iter(own.is_file().then_some(own));
    let mut folders = vec![root().join(source).join(module)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "no source of `{module}`");
    found
}

/// The re-exports of a file: the path of each item's source file, relative to the source of the runtime, or after the
/// name of another crate, and the item's name there.
fn exported(file: &str, base: &str) -> Vec<(String, String)> {
    let source = read(file);
    let mut names = Vec::new();
    for (at, begin) in source.match_indices("pub use ") {
        let line = &source[..at];
        let indent = line.rsplit('\n').next().expect("a line");
        if !indent.trim().is_empty() || line.trim_end().ends_with("#[doc(hidden)]") {
            continue;
        }
        let (path, _) = source[at + begin.len()..].split_once(';').expect("the end of a `use`");
        let path = path.trim_start_matches("crate::");
        let (module, list) = match path.split_once('{') {
            Some((module, list)) => (module.trim_end_matches("::"), list),
            None => path.rsplit_once("::").expect("a path"),
        };
        let base = if module.starts_with("supervise_core") { "" } else { base };
        let module = format!("{base}{}", module.replace("::", "/"));
        for name in list.trim_matches(['{', '}', '\n']).split(',').map(str::trim).filter(|name| !name.is_empty()) {
            // The functions of a module that is public as a whole are checked below.
            if name.starts_with(|c: char| c.is_uppercase()) || !MODULES.contains(&name) && name != "self" {
                names.push((module.clone(), name.split(" as ").next().expect("a name").to_owned()));
            }
        }
    }
    names
}

/// Whether `line` begins the definition of `name`. A type may be in a macro call and be indented; a function may not,
/// because there are methods of the same name.
fn defines(line: &str, name: &str) -> bool {
    let is_it =
        |rest: &str| rest.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
    let indented = line.trim_start();
    let types = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
    let functions = ["pub fn ", "pub async fn ", "pub const fn ", "pub const "];
    types.iter().filter_map(|of| indented.strip_prefix(of)).any(is_it)
        || functions.iter().filter_map(|of| line.strip_prefix(of)).any(is_it)
        // The traits that `hooks!` generates.
        || (name.ends_with("Hook") && indented.starts_with(&format!("{name}(")))
}

/// The lines above a line, up to an empty one: attributes and documentation.
fn above(lines: &[&str]) -> Vec<String> {
    lines.iter().rev().take_while(|line| !line.is_empty()).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn the_modules_are_those_that_are_public() {
    let lib = read(format!("{RUNTIME}/lib.rs"));
    let lines: Vec<&str> = lib.lines().collect();
    let public = (0..lines.len())
        .filter(|at| *at == 0 || lines[at - 1] != "#[doc(hidden)]")
        .filter_map(|at| lines[at].strip_prefix("pub mod ")?.split([';', ' ']).next());
    let whole = ["guardian", "path"]
        .into_iter()
        .filter(|module| lib.contains(&format!("::{module};")) || lib.contains(&format!("::{module}::{{self")));
    assert_eq!(public.chain(whole).collect::<Vec<_>>(), MODULES);
}

/// The macros are documented in the face crate.
#[test]
fn each_macro_has_an_example() {
    let mut seen = 0;
    for file in ["actors", "children", "deciders", "trees"] {
        let source = read(format!("src/reference/{file}.rs"));
        let lines: Vec<&str> = source.lines().collect();
        let is_macro = |line: &str| line.starts_with("pub use supervise_macros::") || line == "#[macro_export]";
        for at in (0..lines.len()).filter(|at| is_macro(lines[*at])) {
            seen += 1;
            let has_example = above(&lines[..at]).iter().any(|line| line.starts_with("/// ```"));
            assert!(has_example, "without an example: {}", lines[at]);
        }
    }
    assert_eq!(seen, 13, "the list of macros is complete");
}

#[test]
fn each_public_type_has_an_example() {
    let mut wanted = exported(&format!("{RUNTIME}/lib.rs"), "");
    wanted.extend(exported(&format!("{TESTING}/lib.rs"), "supervise_testing/"));
    wanted.extend(exported(&format!("{OBSERVE}/lib.rs"), "supervise_observe/"));
    wanted.extend(exported(&format!("{LEASE}/lib.rs"), "supervise_lease/"));
    for line in read(format!("{RUNTIME}/actor/guardian.rs")).lines() {
        let name = ["pub struct ", "pub enum ", "pub fn "].iter().find_map(|of| line.strip_prefix(of));
        if let Some(name) = name.and_then(|name| name.split(|c: char| !c.is_alphanumeric()).next()) {
            wanted.push(("actor/guardian".to_owned(), name.to_owned()));
        }
    }
    assert!(wanted.len() > 80, "too few re-exports were found: {wanted:?}");

    let mut without = Vec::new();
    for (module, name) in wanted {
        let mut found = false;
        for path in sources(&module) {
            let source = fs::read_to_string(&path).expect("a source");
            let lines: Vec<&str> = source.lines().collect();
            for at in (0..lines.len()).filter(|at| defines(lines[*at], &name)) {
                let above = above(&lines[..at]);
                if above.iter().any(|line| line == "#[doc(hidden)]") {
                    continue;
                }
                found = true;
                let is_constant = lines[at].starts_with("pub const ") && !lines[at].starts_with("pub const fn ");
                if !is_constant && !above.iter().any(|line| line.starts_with("/// ```")) {
                    let path = path.strip_prefix(root()).expect("below the root").display();
                    without.push(format!("{path}:{}: {}", at + 1, lines[at].trim()));
                }
            }
        }
        // `Text` and similar items: re-exported for generated code, and hidden at their definitions.
        let hidden = sources(&module).iter().any(|path| {
            let source = fs::read_to_string(path).expect("a source");
            let lines: Vec<&str> = source.lines().collect();
            (0..lines.len())
                .any(|at| defines(lines[at], &name) && above(&lines[..at]).iter().any(|line| line == "#[doc(hidden)]"))
        });
        assert!(found || hidden, "`{name}` of `{module}` is re-exported, but was not found");
    }
    assert!(without.is_empty(), "{} without an example:\n{}", without.len(), without.join("\n"));
}

/// The names that `supervise-remote` re-exports at its root.
fn remote_exports() -> Vec<String> {
    let lib = read("supervise-remote/src/lib.rs");
    let lists = lib.lines().filter_map(|line| line.strip_prefix("pub use ")?.strip_suffix(';')?.split_once("::"));
    let names = lists.flat_map(|(_, list)| list.trim_matches(['{', '}']).split(',').map(str::trim));
    names.map(str::to_owned).collect()
}

#[test]
fn each_public_type_of_remote_children_has_an_example() {
    const SOURCE: &str = "supervise-remote/src";
    let at_the_root = remote_exports();
    // The types in these modules are public as they are; of the others only what the root re-exports.
    let whole = ["lib", "memory", "testing", "wire"];
    let (mut seen, mut without) = (0, Vec::new());
    for entry in fs::read_dir(root().join(SOURCE)).expect("the source") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            continue; // tests of a module
        }
        let module = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let source = fs::read_to_string(&path).expect("a source");
        let lines: Vec<&str> = source.lines().collect();
        for at in 0..lines.len() {
            let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
            let Some(rest) = kinds.iter().find_map(|of| lines[at].strip_prefix(of)) else { continue };
            let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            let above = above(&lines[..at]);
            let is_public = whole.contains(&module.as_str()) || at_the_root.iter().any(|it| it == name);
            if !is_public || above.iter().any(|line| line == "#[doc(hidden)]") {
                continue;
            }
            seen += 1;
            if !above.iter().any(|line| line.starts_with("/// ```")) {
                without.push(format!("{SOURCE}/{module}.rs:{}: {}", at + 1, lines[at]));
            }
        }
    }
    assert!(seen >= 16, "too few public types were found: {seen}");
    assert!(without.is_empty(), "without an example:\n{}", without.join("\n"));
}
