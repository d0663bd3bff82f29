//! The commands, tests and mutants that a page names exist: targets, filters that match a test, parts of `.ci/run`,
//! scripts, and tests and mutants by name. (`verify/guide/run.py` runs the commands of the guide, whose programs are
//! projects of their own.)

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::links::{below, pages, prose, read};
use crate::semantics::{mutant_names, with_modules};

/// The folders of the crates beside the root.
fn crates() -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(".").unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.filter(|name| name.starts_with("supervise-")).map(PathBuf::from)
}

/// The functions of all sources by name, each with the files and modules around it: `tests::behaviour::groups::order`.
fn functions() -> BTreeMap<String, Vec<String>> {
    let mut files = Vec::new();
    for folder in
        ["src", "tests", "verify", "examples", "fuzz", "benches"].map(PathBuf::from).into_iter().chain(crates())
    {
        below(folder.to_str().unwrap(), "rs", &mut files);
    }
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let modules = modules(&file);
        for rest in read(&file).split("fn ").skip(1) {
            let name = rest.split(|c: char| !is_of_name(c)).next().unwrap();
            found.entry(name.to_owned()).or_default().push(format!("{modules}::{name}"));
        }
    }
    found
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The path of a file as modules: `tests/behaviour/groups/mod.rs` is `tests::behaviour::groups`.
fn modules(file: &Path) -> String {
    let path = file.with_extension("");
    let names =
        path.iter().map(|name| name.to_str().unwrap()).filter(|name| ![".", "mod", "main", "lib"].contains(name));
    names.collect::<Vec<_>>().join("::")
}

/// The file of a test target in the package of this folder.
fn target(package: &Path, name: &str) -> Option<PathBuf> {
    let manifest = std::fs::read_to_string(package.join("Cargo.toml")).ok()?;
    let declared = manifest.split("[[test]]").skip(1).find(|part| part.contains(&format!("name = \"{name}\"\n")));
    let declared = declared.and_then(|part| part.split("path = \"").nth(1)?.split('"').next());
    let files = [format!("tests/{name}.rs"), format!("tests/{name}/main.rs"), declared.unwrap_or_default().into()];
    files.iter().filter(|file| !file.is_empty()).map(|file| package.join(file)).find(|file| file.exists())
}

/// The sources of the tests of a package: its library, and every file and folder in `tests`.
fn targets(package: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(package.join("tests")).into_iter().flatten().map(|entry| entry.unwrap().path());
    let programs = entries.map(|path| if path.is_dir() { path.join("main.rs") } else { path });
    let sources = programs.chain([package.join("src/lib.rs")]);
    sources.filter(|path| path.extension().is_some_and(|end| end == "rs") && path.exists()).collect()
}

/// A test whose path contains the filter of `cargo test`.
fn is_matched(target: &Path, filter: &str, functions: &BTreeMap<String, Vec<String>>) -> bool {
    let root = modules(target);
    let files = with_modules(target.to_str().unwrap());
    let within: BTreeSet<String> = files.iter().map(|file| modules(Path::new(file))).collect();
    functions.values().flatten().any(|path| {
        let (module, _) = path.rsplit_once("::").unwrap();
        within.contains(module) && path[root.len()..].trim_start_matches("::").contains(filter)
    })
}

/// The parts of the gate.
fn gate() -> BTreeSet<String> {
    let script = read(".ci/run");
    let table = script.split("\ngate=(").nth(1).and_then(|rest| rest.split("\n)").next()).expect("the gate");
    let parts = table.lines().filter_map(|line| line.trim().strip_prefix('"')?.split(' ').nth(1));
    parts.map(String::from).chain(["list".into(), "long".into()]).collect()
}

/// The parts of the long mode.
fn parts() -> BTreeSet<String> {
    let script = read(".ci/run");
    let table = script.split("declare -A long=(").nth(1).and_then(|rest| rest.split("\n)").next()).expect("the parts");
    let parts = table.lines().filter_map(|line| line.trim().strip_prefix('[')?.split(']').next());
    parts.map(String::from).chain(["list".into()]).collect()
}

/// A word that stands for others: `NAME`, `<name>`, `s44-what-it-breaks`, `topic::file::the_test`.
fn is_placeholder(word: &str) -> bool {
    word.starts_with('<')
        || word.contains("s44-what")
        || word == "topic::file::the_test"
        || word.chars().all(|c| c.is_ascii_uppercase())
}

/// The text between backticks in the prose of a page, and the lines of its blocks of shell.
fn code(page: &str) -> Vec<String> {
    let mut found: Vec<String> = prose(page).split('`').skip(1).step_by(2).map(String::from).collect();
    for block in page.split("```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').unwrap_or_default();
        if ["", "text", "sh", "bash", "console"].contains(&kind.trim()) {
            found.extend(text.lines().map(|line| line.trim_start_matches("$ ").to_owned()));
        }
    }
    found
}

struct Known {
    functions: BTreeMap<String, Vec<String>>,
    gate: BTreeSet<String>,
    parts: BTreeSet<String>,
    mutants: BTreeSet<String>,
}

/// The options whose value is the next word.
const VALUED: [&str; 16] = [
    "-p",
    "--test",
    "--example",
    "--bench",
    "--bin",
    "--features",
    "--manifest-path",
    "--sanitizer",
    "--skip",
    "--test-threads",
    "--target",
    "--in",
    "--page",
    "--most",
    "cd",
    "-j",
];

/// The arguments of a command in order: each option with its value, if it has one, and each other word without an option.
fn arguments<'a>(words: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
        let option = if option == "--package" { "-p" } else { option };
        found.push(match value {
            _ if VALUED.contains(&option) => (option, value.or_else(|| words.next()).unwrap_or_default()),
            _ if word.starts_with('-') => (word, ""),
            _ => ("", word),
        });
    }
    found
}

/// The words of a line of shell that name nothing.
fn wrong_words(page: &Path, code: &str, known: &Known) -> Vec<String> {
    let words = code.split(" # ").next().unwrap().split_whitespace();
    let words: Vec<&str> = words.map(|word| word.trim_matches(['\'', '"'])).collect();
    // A command may be for the root, for the folder of the page, or for the checks that are workspaces of their own.
    let mut folders = vec![PathBuf::from("."), page.parent().unwrap().to_owned(), "verify/model".into()];
    let mut wrong = Vec::new();
    for command in words.split(|word| ["&&", "|", ";"].contains(word)) {
        let arguments = arguments(command);
        folders.extend(arguments.iter().filter(|(option, _)| *option == "cd").map(|(_, folder)| folder.into()));
        wrong.extend(wrong_arguments(page, &arguments, &folders, known));
    }
    wrong
}

fn wrong_arguments(page: &Path, arguments: &[(&str, &str)], folders: &[PathBuf], known: &Known) -> Vec<String> {
    let package = |name: &str| if name == "supervise-tree" { PathBuf::from(".") } else { PathBuf::from(name) };
    let values = |wanted| arguments.iter().filter(move |(option, _)| *option == wanted).map(|(_, value)| *value);
    let has = |wanted: &str| arguments.iter().any(|(option, _)| *option == wanted);
    let mut packages: Vec<PathBuf> = values("-p").map(package).collect();
    if has("--workspace") {
        packages.extend(crates().chain([PathBuf::from(".")]));
    } else if packages.is_empty() {
        packages = folders.to_vec();
    }
    let mut targets: Vec<PathBuf> =
        values("--test").flat_map(|name| packages.iter().filter_map(|folder| target(folder, name))).collect();
    if has("--lib") {
        targets.extend(packages.iter().map(|folder| folder.join("src/lib.rs")).filter(|file| file.exists()));
    }
    if !has("--test") && !has("--lib") {
        targets = packages.iter().flat_map(|folder| self::targets(folder)).collect();
    }
    let is_of_mutants = |word: &str| {
        word.ends_with("mutants/run.py")
            || (page.starts_with("verify/mutants") && word.trim_start_matches("./") == "run.py")
    };
    let is_matched = |filter: &str| targets.iter().any(|file| is_matched(file, filter, &known.functions));
    // The words before an argument that are not options: they say which program it is for.
    let mut before = Vec::new();
    let mut wrong = Vec::new();
    for (option, value) in arguments.iter().copied() {
        let there = match (option, before.as_slice()) {
            _ if is_placeholder(value) => true,
            ("-p", _) => package(value).join("Cargo.toml").exists(),
            ("--test", _) => packages.iter().any(|folder| target(folder, value).is_some()),
            ("--example", _) => {
                let ends = ["", ".rs"].map(|end| format!("examples/{value}{end}"));
                packages.iter().chain(folders).any(|folder| ends.iter().any(|end| folder.join(end).exists()))
            }
            ("--skip", _) => is_matched(value),
            ("", [.., "cargo", "fuzz", "run"]) => read("fuzz/Cargo.toml").contains(&format!("name = \"{value}\"\n")),
            // With `--in`, the names are mutants of another folder.
            ("", [program, ..]) if is_of_mutants(program) => {
                has("--in") || known.mutants.iter().any(|name| name.starts_with(value))
            }
            ("", [".ci/run", "long", ..]) => known.parts.contains(value),
            ("", [".ci/run", ..]) => known.gate.contains(value),
            ("", _) if value.starts_with("trybuild=") => {
                let filter = &value["trybuild=".len()..];
                let mut files = Vec::new();
                below("tests/compile_fail", "rs", &mut files);
                files.iter().any(|file| file.to_str().unwrap().contains(filter))
            }
            ("", _) if value.contains('/') => {
                let is_plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
                let first = value.trim_start_matches("./").split('/').next().unwrap();
                // A path that begins with `..` is one in the project of a reader.
                let is_path = is_plain && !["", "..", "target"].contains(&first) && Path::new(first).is_dir();
                !is_path || folders.iter().any(|folder| folder.join(value).exists())
            }
            // A mutant names its test as cargo does. Examples in the documentation have no names.
            ("", ["cargo", "test", ..] | ["test:", ..]) => has("--doc") || is_matched(value),
            _ => true,
        };
        if !there {
            wrong.push(value.to_owned());
        }
        // Settings and other programs in front of cargo are no part of its command, and neither is a toolchain.
        if value == "cargo" {
            before.clear();
        }
        if option.is_empty() && !value.starts_with('+') && !(before.is_empty() && value.contains('=')) {
            before.push(value);
        }
    }
    wrong
}

/// A word between backticks that looks like the name of a test or of a mutant, and is none.
fn is_gone(span: &str, known: &Known) -> bool {
    if !span.chars().all(|c| is_of_name(c) || ":/.-*".contains(c)) || is_placeholder(span) {
        return false;
    }
    let mutant = span.rsplit('/').next().unwrap().trim_end_matches(".edits");
    let kind = mutant.split('-').next().unwrap();
    let is_kind = known.mutants.iter().any(|name| name.split('-').next() == Some(kind));
    let is_rule = kind.strip_prefix('s').is_some_and(|number| number.parse::<u32>().is_ok());
    // A name of four words, or one that begins with a kind or with a rule: hardly anything else has such a name.
    let hyphens = mutant.matches('-').count();
    let is_mutant = hyphens > 2 || (is_kind && (hyphens > 1 || mutant.ends_with("-*"))) || (is_rule && hyphens > 0);
    if is_mutant && !mutant.contains("::") && !mutant.starts_with('-') {
        let (start, is_whole) = mutant.strip_suffix('*').map_or((mutant, true), |start| (start, false));
        return !known.mutants.iter().any(|name| if is_whole { name == start } else { name.starts_with(start) });
    }
    // Two colons, or a name of four words and more in lower case: `groups::order::the_last_goes_first`.
    let path = match span.split_once(".rs::") {
        Some((file, name)) => format!("{}::{name}", modules(Path::new(file).with_extension("rs").as_path())),
        None => span.replace('/', "::"),
    };
    let name = path.rsplit("::").next().unwrap();
    let is_test = name.matches('_').count() > 2 && name.chars().all(|c| is_of_name(c) && !c.is_ascii_uppercase());
    if !is_test || name.starts_with("supervise_") {
        return false;
    }
    let ends =
        |full: &String| full.strip_suffix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"));
    !known.functions.get(name).is_some_and(|paths| paths.iter().any(ends))
}

/// Words of other systems that look like the name of a test or of a mutant.
const NO_TESTS: [&str; 2] = ["simple_one_for_one", "guardian-supervisor-strategy"];

fn known() -> Known {
    let known = Known { functions: functions(), gate: gate(), parts: parts(), mutants: mutant_names() };
    assert!(known.functions.len() > 3000 && known.parts.len() > 10 && known.mutants.len() > 60, "too few were found");
    assert!(known.gate.len() > 20, "too few parts of the gate were found");
    known
}

#[test]
fn commands_that_are_named_have_their_targets_and_filters() {
    let (known, mut wrong, mut read_commands) = (known(), Vec::new(), 0);
    for page in pages() {
        if page.starts_with("docs/guide") || page.starts_with("docs/errors") {
            continue;
        }
        let text = read(&page);
        // A program of the page's own, as `verify/remote/follow.py` writes it.
        let is_own =
            |name: &String| ["examples", "src/bin"].iter().any(|at| text.contains(&format!("\n// {at}/{name}.rs\n")));
        for code in code(&text) {
            read_commands += usize::from(code.contains("cargo ") || code.contains("/run"));
            let words = wrong_words(&page, &code, &known);
            let words = words.iter().filter(|word| !is_own(word));
            wrong.extend(words.map(|word| format!("{}: `{word}` in `{code}`", page.display())));
        }
    }
    assert!(read_commands > 150, "only {read_commands} commands were found");
    assert!(wrong.is_empty(), "these words of commands name nothing: {wrong:#?}");
}

#[test]
fn tests_and_mutants_that_are_named_exist() {
    let (known, mut wrong) = (known(), Vec::new());
    for page in pages() {
        // A list of compile errors, which is generated from their files.
        if page.starts_with("docs/errors") || page.ends_with("compile_fail/README.md") {
            continue;
        }
        let text = prose(&read(&page));
        let gone = text.split('`').skip(1).step_by(2).filter(|span| !NO_TESTS.contains(span) && is_gone(span, &known));
        wrong.extend(gone.map(|span| format!("{}: {span}", page.display())));
    }
    assert!(wrong.is_empty(), "there is no such test or mutant: {wrong:#?}");
}

#[test]
fn a_name_of_nothing_is_found() {
    let known = known();
    let page = Path::new("CONTRIBUTING.md");
    for code in [
        "cargo test --test behaviours",
        "cargo test --test behaviour no_such_topic",
        "cargo test -p supervise-remote --test rules no_such_topic",
        "cargo test -p supervise-removed",
        "cargo test --test compile_fail -- mistakes trybuild=no_such_topic",
        "cargo test --test docs semantics && cargo test --test docs no_such_module",
        "cargo run --example no_such_example",
        "cargo fuzz run --sanitizer none --no-cfg-fuzzing no_such_target",
        ".ci/run long mutants no-such-part",
        ".ci/run long no-such-part",
        ".ci/run clippy no-such-part",
        ".ci/run fuzz",
        "verify/mutants/run.py s99",
        "verify/mutants/run.py s16 s99",
        "verify/mutants/run.py --quick s99",
        "verify/mutants/run.py 5",
        "cargo test -p supervise-macros --test behaviour",
        "cargo test --package supervise-removed",
        "cargo test --package=supervise-removed",
        "cargo test --test=behaviours",
        "cargo test --test=behaviour no_such_topic",
        "cargo test -p supervise-runtime --lib no_such_filter",
        "cargo test -p supervise-remote no_such_filter",
        "cargo test no_such_filter",
        "cargo test --workspace no_such_filter",
        "timeout 60 cargo +stable test no_such_filter",
        "test: --test behaviour groups::no_such_test -- --exact",
        "SEED=7 cargo test no_such_filter -- --exact",
        "cargo test --test behaviour -- --skip no_such_topic",
        "verify/no_such_check/run.sh",
    ] {
        let wrong = wrong_words(page, code, &known);
        assert_eq!(wrong.len(), 1, "{code}: {wrong:?}");
    }
    for code in [
        "cargo test -p supervise-core --lib decide::tests",
        "SEED=7 cargo test --test=behaviour groups::waits -- --exact --nocapture",
        "cargo test --workspace decide::tests",
        "cargo test named::a_name_of_nothing_is_found",
        "cargo test --package supervise-remote --test rules fence",
        "verify/mutants/run.py --quick",
        "verify/mutants/run.py s16 s27-a",
        ".ci/run long mutants fuzz",
        ".ci/run clippy features",
        ".ci/run list",
    ] {
        let wrong = wrong_words(page, code, &known);
        assert!(wrong.is_empty(), "{code}: {wrong:?}");
    }
    assert_eq!(wrong_words(Path::new("verify/mutants/README.md"), "./run.py s16 s99", &known), ["s99"]);
    for span in [
        "no_test_has_this_name",
        "tests/behaviour/main.rs::no_test_has_this_name",
        "another_module::commands_that_are_named_have_their_targets_and_filters",
        "s01-no-mutant-has-this-name",
        "s99-*",
        "s16-is-gone",
        "s16-gone",
        "s100-no-rule-has-this-number",
        "decide-the-kind-is-gone",
    ] {
        assert!(is_gone(span, &known), "{span}");
    }
    for span in ["docs::named::a_name_of_nothing_is_found", "tests/docs/named.rs::a_name_of_nothing_is_found", "s01-*"]
    {
        assert!(!is_gone(span, &known), "{span}");
    }
}
