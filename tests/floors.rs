//! The structure of the sources. In the runtime a file imports from its own floor and from those below it, never from one
//! above. In each crate few files import one another in a circle. No folder of sources looks like a folder of tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The floors of the core and of the runtime above it, each from the ground up, as ARCHITECTURE.md draws them.
const FLOORS: [(&str, &[&str]); 2] =
    [("supervise-core", &["base", "values", "decide"]), ("supervise-runtime", &["engine", "actor", "task", "tree"])];

/// The number of files in the largest circle of each crate: of files that import one another, directly or through others.
/// 0 means that there is no circle. A record may only fall. A file that imports from the files below its own folder makes
/// no circle with them.
const LARGEST_CIRCLES: [(&str, usize); 12] = [
    ("supervise", 0),
    ("supervise-console", 2),
    ("supervise-core", 2),
    ("supervise-lease", 0),
    ("supervise-macros", 2),
    ("supervise-observe", 2),
    ("supervise-remote", 3),
    ("supervise-remote-zenoh", 0),
    ("supervise-rules", 0),
    ("supervise-runtime", 3),
    ("supervise-testing", 0),
    ("supervise-top", 2),
];

/// Names of folders that people and tools take for tests. Only a folder that holds tests has one of them.
const NAMES_OF_TESTS: [&str; 10] =
    ["fixture", "fixtures", "mock", "mocks", "spec", "specs", "test", "tests", "testdata", "__tests__"];

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
fn problem(floors: &[&str], floor: usize, path: &[String]) -> Option<String> {
    if path.iter().any(|name| name == "super") {
        return Some("leads up twice: begin with `crate::`".into());
    }
    let Some(target) = path.first().and_then(|name| floors.iter().position(|floor| floor == name)) else {
        return Some("begins with no floor: import from the file that defines the item, one path for each".into());
    };
    (target > floor).then(|| format!("{} knows nothing of {}", floors[floor], floors[target]))
}

/// A path within a crate: the names of its modules, and then perhaps names in the last one.
type Names = Vec<String>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a crate by module, without tests, each with its code. The module of the root has no name.
fn modules(source: &Path) -> BTreeMap<Names, String> {
    fn read(folder: &Path, source: &Path, found: &mut BTreeMap<Names, String>) {
        for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path: PathBuf = entry.unwrap().path();
            let below = path.strip_prefix(source).unwrap().with_extension("");
            let mut module: Names = below.iter().map(|name| name.to_str().unwrap().into()).collect();
            match module.last().unwrap().as_str() {
                "tests" => continue,
                "mod" => drop(module.pop()),
                "lib" | "main" if module.len() == 1 => drop(module.pop()),
                _ if path.is_dir() => {
                    read(&path, source, found);
                    continue;
                }
                _ => {}
            }
            let text = fs::read_to_string(path).unwrap();
            // A crate of a program has both: `main.rs` is in no circle.
            if !module.is_empty() || below == Path::new("lib") {
                found.insert(module, text);
            }
        }
    }
    let mut found = BTreeMap::new();
    read(source, source, &mut found);
    let of_tests = |module: &Names| {
        let (name, parent) = module.split_last()?;
        let declared = ["", "pub(crate) "].map(|seen| format!("#[cfg(test)]\n{seen}mod {name};"));
        Some(declared.iter().any(|text| found.get(parent).is_some_and(|parent| parent.contains(text))))
    };
    let tests: Vec<Names> = found.keys().filter(|module| of_tests(module) == Some(true)).cloned().collect();
    found.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    for text in found.values_mut() {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        *text = code.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n");
    }
    found
}

/// The paths that a text names, each with the name under which an import brings it in. A group in braces is read as its
/// paths one by one.
fn named(text: &str) -> Vec<(Names, Option<String>)> {
    /// Reads a path from the beginning of `rest`; returns the text behind it.
    fn path<'a>(mut rest: &'a str, mut names: Names, found: &mut Vec<(Names, Option<String>)>) -> &'a str {
        loop {
            rest = rest.trim_start();
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            if let Some(mut group) = rest.strip_prefix('{') {
                while !group.trim_start().starts_with('}') {
                    let before = group.len();
                    group = path(group, names.clone(), found).trim_start();
                    group = group.strip_prefix(',').unwrap_or(group);
                    if group.len() == before {
                        return "";
                    }
                }
                return &group.trim_start()[1..];
            }
            if let Some(behind) = rest.strip_prefix('*') {
                found.push((names, Some("*".into())));
                return behind;
            }
            if end == 0 {
                return rest;
            }
            names.push(rest[..end].into());
            rest = &rest[end..];
            let Some(behind) = rest.strip_prefix("::") else { break };
            rest = behind;
            if rest.starts_with('<') {
                break;
            }
        }
        let (behind, alias) = match rest.strip_prefix(" as ") {
            Some(behind) => {
                let end = behind.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(behind.len());
                (&behind[end..], behind[..end].to_owned())
            }
            None => (rest, names.last().cloned().unwrap_or_default()),
        };
        found.push((names, Some(alias)));
        behind
    }
    let mut found = Vec::new();
    // Imports, and then paths within the code.
    let mut code = String::new();
    for statement in text.split_inclusive(';') {
        match statement.rfind("use ").filter(|at| {
            let before = statement[..*at].lines().last().unwrap_or_default().trim();
            before.is_empty() || (before.starts_with("pub") && !before.contains(' '))
        }) {
            Some(at) => {
                code.push_str(&statement[..at]);
                path(&statement[at + 4..], Vec::new(), &mut found);
            }
            None => code.push_str(statement),
        }
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in code.match_indices("::") {
        let begin = code[..at].rfind(|c| !is_name(c)).map_or(0, |before| before + 1);
        if begin == at || code[..begin].ends_with([':', '$', '#']) {
            continue;
        }
        let end = code[at..].find(|c| !is_name(c) && c != ':').map_or(code.len(), |end| at + end);
        let names = code[begin..end].split("::").filter(|name| !name.is_empty()).map(String::from).collect();
        found.push((names, None));
    }
    found
}

/// The files from which each file imports a name, directly or through a module that imports it itself.
fn imports(modules: &BTreeMap<Names, String>) -> BTreeMap<&Names, BTreeSet<&Names>> {
    // A path from the root of the crate; `None` leads out of it.
    let absolute = |module: &Names, path: &Names| -> Option<Names> {
        let mut from = match path[0].as_str() {
            "crate" => Vec::new(),
            "self" => module.clone(),
            "super" => module[..module.len().checked_sub(1)?].to_vec(),
            name => {
                let child = [module.as_slice(), &[name.into()]].concat();
                return modules.contains_key(&child).then(|| [module.as_slice(), path].concat());
            }
        };
        for name in &path[1..] {
            if name == "super" {
                from.pop();
            } else {
                from.push(name.clone());
            }
        }
        Some(from)
    };
    let named: BTreeMap<&Names, Vec<(Names, Option<String>)>> = modules
        .iter()
        .map(|(module, text)| {
            let within = named(text).into_iter().filter_map(|(path, alias)| Some((absolute(module, &path)?, alias)));
            (module, within.collect())
        })
        .collect();
    // The file that defines the item of a path.
    fn defines<'a>(
        modules: &'a BTreeMap<Names, String>,
        named: &BTreeMap<&Names, Vec<(Names, Option<String>)>>,
        path: &[String],
        steps: usize,
    ) -> Option<&'a Names> {
        let (file, _) = (0..=path.len()).rev().find_map(|length| modules.get_key_value(&path[..length]))?;
        let rest = &path[file.len()..];
        if let (Some(name), 1..) = (rest.first(), steps) {
            let brought = named[file].iter().find(|(_, alias)| alias.as_ref() == Some(name));
            if let Some((target, _)) = brought.filter(|(target, _)| *target != path) {
                return defines(modules, named, &[target.as_slice(), &rest[1..]].concat(), steps - 1);
            }
        }
        Some(file)
    }
    modules
        .keys()
        .map(|module| {
            let files = named[module].iter().filter_map(|(path, _)| defines(modules, &named, path, 9));
            (module, files.filter(|file| !file.starts_with(module)).collect())
        })
        .collect()
}

/// The largest set of files that import one another, directly or through others.
fn largest_circle(imports: &BTreeMap<&Names, BTreeSet<&Names>>) -> Vec<String> {
    let reached = |from: &Names| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            next.extend(imports[file].iter().filter(|file| reached.insert((**file).clone())));
        }
        reached
    };
    let all: BTreeMap<&Names, BTreeSet<Names>> = imports.keys().map(|file| (*file, reached(file))).collect();
    let circle = |(file, reached): (&&Names, &BTreeSet<Names>)| -> Vec<String> {
        reached.iter().filter(|other| all[*other].contains(*file)).map(|file| file.join("/")).collect()
    };
    all.iter().map(circle).max_by_key(Vec::len).unwrap_or_default()
}

#[test]
fn no_import_leads_upward() {
    let (mut read, mut problems) = (0, Vec::new());
    for (krate, floors) in FLOORS {
        for (module, text) in modules(&root().join(krate).join("src")) {
            let Some(floor) = module.first().and_then(|name| floors.iter().position(|floor| floor == name)) else {
                continue;
            };
            for (line, path) in paths(&module, &text) {
                read += 1;
                let why = problem(floors, floor, &path);
                problems.extend(why.map(|why| format!("{krate}/{}:{line}: {why}", module.join("/"))));
            }
        }
    }
    assert!(read > 400, "only {read} imports found");
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// The dependencies of a crate, without those of its tests and examples.
fn dependencies(krate: &str) -> String {
    let manifest = fs::read_to_string(root().join(krate).join("Cargo.toml")).unwrap();
    manifest.split("\n[").filter(|part| part.contains("dependencies]") && !part.starts_with("dev-")).collect()
}

/// The face crate is above all others: a crate that needed it could not be re-exported by it. The crates beside the runtime
/// are above it.
#[test]
fn no_crate_below_the_face_needs_it() {
    for krate in ["core", "lease", "observe", "remote", "runtime", "testing"].map(|name| format!("supervise-{name}")) {
        let needed = dependencies(&krate);
        assert!(needed.contains("tokio"), "{krate}: no dependencies were found");
        assert!(!needed.contains("supervise-tree"), "{krate} depends on the face crate");
    }
    let of_core = dependencies("supervise-core");
    let above = ["supervise-runtime", "supervise-testing", "supervise-macros", "rand", "tracing", "metrics"];
    assert!(!above.iter().any(|name| of_core.contains(name)), "the core needs more than the rules and the time");
    let of_runtime = dependencies("supervise-runtime");
    let beside =
        ["supervise-lease", "supervise-observe", "supervise-testing", "supervise-macros", "tracing", "metrics"];
    let needs = |name: &&str| of_runtime.lines().any(|line| line.split(['.', ' ']).next() == Some(*name));
    assert!(!beside.iter().any(needs), "the runtime needs more than the core and tokio");
}

/// The core runs no task: of tokio, it knows a point in time.
#[test]
fn the_core_takes_of_tokio_only_instants() {
    let mut read = 0;
    for (module, text) in modules(&root().join("supervise-core/src")) {
        for (at, _) in text.match_indices("tokio::") {
            read += 1;
            let path = &text[at..text[at..].find(['\n', ';']).map_or(text.len(), |end| at + end)];
            assert!(path.starts_with("tokio::time::Instant"), "{}: {path}", module.join("/"));
        }
    }
    assert!(read > 5, "only {read} paths were found");
}

#[test]
fn circles_of_files_may_only_get_smaller() {
    let mut problems = Vec::new();
    for (name, record) in LARGEST_CIRCLES {
        let modules = modules(&root().join(folder(name)).join("src"));
        let imports = imports(&modules);
        let links: usize = imports.values().map(BTreeSet::len).sum();
        // Files that only show pages of docs import nothing.
        let read = modules.values().filter(|text| !text.contains("include_str!(\"../docs/")).count();
        assert!(read < 10 || links > read, "{name}: hardly any import was found");
        let circle = largest_circle(&imports);
        match circle.len() {
            now if now > record => problems.push(format!(
                "{name}: {now} files import one another, and were {record} at most; move what two of them share into \
                 a file that imports neither: {circle:?}"
            )),
            now if now < record => problems.push(format!(
                "{name}: the largest circle has {now} files, fewer than the record of {record}; write {now} into \
                 LARGEST_CIRCLES"
            )),
            _ => {}
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_record_of_circles_has_every_crate() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, members) = manifest.split_once("members = [").expect("the members of the workspace");
    let (members, _) = members.split_once(']').unwrap();
    let members = members.split('"').skip(1).step_by(2);
    let crates: BTreeSet<&str> = members.chain(["supervise", "supervise-remote-zenoh"]).collect();
    assert_eq!(crates, LARGEST_CIRCLES.iter().map(|(name, _)| *name).collect());
}

#[test]
fn a_circle_is_found() {
    let circle = |files: &[(&str, &str)]| {
        let module = |(path, text): &(&str, &str)| {
            (path.split('/').filter(|name| !name.is_empty()).map(String::from).collect(), (*text).into())
        };
        largest_circle(&imports(&files.iter().map(module).collect()))
    };
    // A file may use another one directly, in a group, by a path in the code, or by a name that the root re-exports.
    assert_eq!(circle(&[("a", "use crate::b::B;"), ("b", "use crate::a::{self as name, A};")]), ["a", "b"]);
    assert_eq!(circle(&[("a", "use std::fmt;\nuse crate::{c::C, b::{B, D}};"), ("b", "use super::a::A;")]), ["a", "b"]);
    assert_eq!(circle(&[("a", "fn a() { crate::b::b::<u8>() }"), ("b", "pub(crate) use crate::a::A;")]), ["a", "b"]);
    assert_eq!(circle(&[("", "pub use b::B;"), ("a", "use crate::B;"), ("b", "use crate::a::A;")]), ["a", "b"]);
    assert_eq!(
        circle(&[("f", "mod b; pub use b::B;"), ("f/b", "use crate::a::A;"), ("a", "use crate::f::B;")]),
        ["a", "f/b"]
    );
    assert_eq!(
        circle(&[("a", "use crate::b::B;"), ("b", "use crate::c::C;"), ("c", "use crate::a::A;"), ("d", "")]),
        ["a", "b", "c"]
    );
    // No circle: a folder that uses its own files, and files that use other crates.
    assert_eq!(circle(&[("f", "mod b; use b::B;"), ("f/b", "use super::A;")]), [""; 0]);
    assert_eq!(circle(&[("a", "use b::B; fn a() { ::b::b() }"), ("b", "use crate::a::A;")]), [""; 0]);
}

/// The folder of a crate.
fn folder(name: &str) -> &str {
    if name == "supervise" { "." } else { name }
}

/// The folders below `folder` that have a name of tests and hold something else.
fn looks_like_tests(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| path.is_dir()) else { continue };
        let is_of_tests = NAMES_OF_TESTS.contains(&name);
        let parents = [folder.join("mod.rs"), folder.join("lib.rs"), folder.with_extension("rs")];
        let parents = parents.map(|file| fs::read_to_string(file).unwrap_or_default());
        let is_test = parents.iter().any(|text| text.contains(&format!("#[cfg(test)]\nmod {name};")));
        if is_of_tests && !is_test {
            found.push(path.clone());
        }
        looks_like_tests(&path, found);
    }
}

#[test]
fn no_folder_of_sources_is_named_like_tests() {
    let mut found = Vec::new();
    for (name, _) in LARGEST_CIRCLES {
        looks_like_tests(&root().join(folder(name)).join("src"), &mut found);
    }
    assert!(found.is_empty(), "tools and people take these folders for tests; give them another name: {found:#?}");
}

#[test]
fn a_forbidden_path_is_found() {
    let module = ["engine", "cell", "life"].map(String::from);
    let floors = ["values", "engine", "actor", "tree"];
    let problems = |text: &str| -> Vec<_> {
        paths(&module, text).iter().filter_map(|(line, path)| Some((*line, problem(&floors, 1, path)?))).collect()
    };
    for text in [
        "use crate::actor::Context;",
        "use crate::{actor::Context, values::path};",
        "use crate::Failure;",
        "use crate::expansion::Cell;",
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
