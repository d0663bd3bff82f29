//! Each public type has an example: every struct, enum, trait, type alias and function that `supervise` re-exports from
//! its runtime shows itself in use, in a block of its documentation.
//!
//! This reads the sources. That the examples run is shown by `cargo test --doc`, and that nothing public is without
//! any documentation by the lint `missing_docs`.

use std::fs;
use std::path::{Path, PathBuf};

const RUNTIME: &str = "supervise-runtime/src";

/// The modules of the runtime that are public themselves.
const MODULES: [&str; 3] = ["guardian", "path", "testing"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The sources of a module: its own file, and all in its folder.
fn sources(module: &str) -> Vec<PathBuf> {
    let own = root().join(RUNTIME).join(module).with_extension("rs");
    let mut found = Vec::from_iter(own.is_file().then_some(own));
    let mut folders = vec![root().join(RUNTIME).join(module)];
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

/// What a file re-exports, as the module it comes from and the name it has there.
fn exported(file: &str) -> Vec<(String, String)> {
    let source = read(file);
    let mut names = Vec::new();
    for (at, begin) in source.match_indices("\npub use ") {
        if source[..at].ends_with("#[doc(hidden)]") {
            continue;
        }
        let (path, _) = source[at + begin.len()..].split_once(';').expect("the end of a `use`");
        let (module, list) = path.split_once("::").expect("a path");
        for name in list.trim_matches(['{', '}', '\n']).split(',').map(str::trim).filter(|name| !name.is_empty()) {
            names.push((module.to_owned(), name.split(" as ").next().expect("a name").to_owned()));
        }
    }
    names
}

/// What begins the definition of `name`: a type may stand in a macro's call and be indented, a function may not, since
/// there are methods of the same name.
fn defines(line: &str, name: &str) -> bool {
    let is_it =
        |rest: &str| rest.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
    let indented = line.trim_start();
    let types = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
    let functions = ["pub fn ", "pub async fn ", "pub const fn ", "pub const "];
    types.iter().filter_map(|of| indented.strip_prefix(of)).any(is_it)
        || functions.iter().filter_map(|of| line.strip_prefix(of)).any(is_it)
        // The traits that `hooks!` makes.
        || (name.ends_with("Hook") && indented.starts_with(&format!("{name}(")))
}

/// What stands above a line, up to an empty one: attributes and documentation.
fn above(lines: &[&str]) -> Vec<String> {
    lines.iter().rev().take_while(|line| !line.is_empty()).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn the_modules_are_those_that_are_public() {
    let lib = read(format!("{RUNTIME}/lib.rs"));
    let lines: Vec<&str> = lib.lines().collect();
    let public: Vec<&str> = (0..lines.len())
        .filter(|at| *at == 0 || lines[at - 1] != "#[doc(hidden)]")
        .filter_map(|at| lines[at].strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    assert_eq!(public, MODULES);
}

/// The macros have their documentation in the face crate.
#[test]
fn each_macro_has_an_example() {
    let mut seen = 0;
    for file in ["actors", "deciders", "trees"] {
        let source = read(format!("src/reference/{file}.rs"));
        let lines: Vec<&str> = source.lines().collect();
        for at in (0..lines.len()).filter(|at| lines[*at].starts_with("pub use supervise_macros::")) {
            seen += 1;
            let has_example = above(&lines[..at]).iter().any(|line| line.starts_with("/// ```"));
            assert!(has_example, "without an example: {}", lines[at]);
        }
    }
    assert_eq!(seen, 11, "the macros and marks that there are");
}

#[test]
fn each_public_type_has_an_example() {
    let mut wanted = exported(&format!("{RUNTIME}/lib.rs"));
    for (module, name) in exported(&format!("{RUNTIME}/testing/mod.rs")) {
        wanted.push((format!("testing/{module}"), name));
    }
    for line in read(format!("{RUNTIME}/guardian.rs")).lines() {
        let name = ["pub struct ", "pub enum ", "pub fn "].iter().find_map(|of| line.strip_prefix(of));
        if let Some(name) = name.and_then(|name| name.split(|c: char| !c.is_alphanumeric()).next()) {
            wanted.push(("guardian".to_owned(), name.to_owned()));
        }
    }
    assert!(wanted.len() > 80, "the re-exports were read: {wanted:?}");

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
        // `Text` and the like: re-exported for generated code, and hidden where they are defined.
        let hidden = sources(&module).iter().any(|path| {
            let source = fs::read_to_string(path).expect("a source");
            let lines: Vec<&str> = source.lines().collect();
            (0..lines.len())
                .any(|at| defines(lines[at], &name) && above(&lines[..at]).iter().any(|line| line == "#[doc(hidden)]"))
        });
        assert!(found || hidden, "`{name}` of `{module}` is re-exported, and not found");
    }
    assert!(without.is_empty(), "{} without an example:\n{}", without.len(), without.join("\n"));
}
