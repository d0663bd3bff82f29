//! docs/semantics.md names for each rule the tests that cite it, and the patches that make them fail. This module reads
//! the page, the tests and the patches, and compares them. `UPDATE=1 cargo test --test docs semantics` regenerates the
//! lists.
//!
//! verify/mutants/run.sh, and not this module, checks that a patch makes its test fail.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

const RULES: RangeInclusive<u32> = 1..=63;

/// The crates whose tests may cite a rule.
const TESTS: [&str; 17] = [
    "tests/behaviour/main.rs",
    "tests/features/main.rs",
    "tests/process/buffers.rs",
    "tests/process/main.rs",
    "tests/process/residue/main.rs",
    "tests/process/signal.rs",
    "tests/process/sigterm.rs",
    "tests/process/systemd.rs",
    "tests/case_studies/main.rs",
    "tests/chaos/main.rs",
    "tests/threads/main.rs",
    "tests/scenarios/main.rs",
    "tests/remote/main.rs",
    "supervise-remote/tests/histories/main.rs",
    "supervise-remote/tests/rules/main.rs",
    "supervise-remote/tests/seen/main.rs",
    "supervise-remote/tests/stuck.rs",
];

/// A test, and the rules that its doc comment cites.
struct Test {
    file: String,
    name: String,
    cites: BTreeSet<u32>,
}

/// A patch, the rule in its name, and the test in its first line.
struct Mutant {
    name: String,
    rule: u32,
    file: String,
    test: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder with this ending, in order, as paths from the root.
fn files(folder: &str, end: &str) -> Vec<String> {
    let mut found: Vec<String> = fs::read_dir(root().join(folder))
        .unwrap_or_else(|error| panic!("{folder}: {error}"))
        .map(|entry| format!("{folder}/{}", entry.unwrap().file_name().into_string().unwrap()))
        .filter(|path| path.ends_with(end))
        .collect();
    found.sort();
    found
}

/// The file and the files of the modules that it declares; other files do not run.
fn with_modules(file: &str) -> Vec<String> {
    let mut found = vec![file.to_owned()];
    let folder = file.strip_suffix("main.rs").or(file.strip_suffix("mod.rs")).map_or_else(
        || file.strip_suffix(".rs").expect("a file of Rust").to_owned(),
        |folder| folder.trim_end_matches('/').to_owned(),
    );
    for line in read(file).lines() {
        let Some(module) = line.trim_start_matches("pub ").strip_prefix("mod ").and_then(|l| l.strip_suffix(';'))
        else {
            continue;
        };
        let candidates = [format!("{folder}/{module}.rs"), format!("{folder}/{module}/mod.rs")];
        found.extend(candidates.iter().filter(|path| root().join(path).is_file()).flat_map(|path| with_modules(path)));
    }
    found
}

/// The numbers after every `S` that begins a word: `S4, S16: ..` cites 4 and 16.
fn cited(text: &str) -> BTreeSet<u32> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter_map(|word| word.strip_prefix('S')?.parse().ok()).collect()
}

/// The rules that the first line of a file of `supervise-remote` cites: those of its tests that cite none themselves.
fn cited_by_file(file: &str, text: &str) -> BTreeSet<u32> {
    let first = text.lines().next().and_then(|line| line.strip_prefix("//!"));
    first.filter(|_| file.starts_with("supervise-remote/")).map(cited).unwrap_or_default()
}

/// Every test of the behaviour, in the order of files and lines.
fn tests() -> Vec<Test> {
    let mut tests = Vec::new();
    let mut sources: Vec<String> = TESTS.into_iter().flat_map(with_modules).collect();
    sources.sort();
    for file in sources {
        let text = read(&file);
        let of_file = cited_by_file(&file, &text);
        let (mut doc, mut is_test) = (String::new(), false);
        for line in text.lines().map(str::trim) {
            if let Some(text) = line.strip_prefix("///") {
                doc.push_str(text);
            } else if line.starts_with("#[") {
                is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            } else if !line.is_empty() {
                let name = line.split_once("fn ").and_then(|(_, rest)| rest.split_once('(')).map(|(name, _)| name);
                if let (true, Some(name)) = (is_test, name) {
                    let own = cited(&doc);
                    let cites = if own.is_empty() { of_file.clone() } else { own };
                    tests.push(Test { file: file.clone(), name: name.to_owned(), cites });
                }
                (doc, is_test) = (String::new(), false);
            }
        }
    }
    tests
}

/// Every patch `sNN-*`; patches `decide-*` do not belong to a single rule.
fn mutants() -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for path in files("verify/mutants", ".patch") {
        let name = path["verify/mutants/".len()..path.len() - ".patch".len()].to_owned();
        let Some(rule) = name.strip_prefix('s').and_then(|rest| rest.split_once('-')?.0.parse().ok()) else {
            continue;
        };
        let text = read(&path);
        let first = text.lines().next().unwrap_or_default();
        let mut words = first.split_whitespace().skip_while(|word| *word != "--test").skip(1);
        let (target, test) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        assert!(first.ends_with("-- --exact") && !test.starts_with('-'), "{path} names no test: {first}");
        let mut modules: Vec<&str> = test.split("::").collect();
        let test = modules.pop().unwrap_or_default().to_owned();
        let package = first.split_whitespace().skip_while(|word| *word != "-p").nth(1);
        let folder = package.map_or_else(|| "tests".to_owned(), |package| format!("{package}/tests"));
        let base = if modules.is_empty() {
            format!("{folder}/{target}")
        } else {
            format!("{folder}/{target}/{}", modules.join("/"))
        };
        let ends = ["", "/mod", "/main"].map(|end| format!("{base}{end}.rs"));
        let file =
            ends.into_iter().chain([format!("tests/process/{target}.rs")]).find(|file| root().join(file).is_file());
        let file = file.unwrap_or_else(|| panic!("{path}: where is {base}?"));
        mutants.push(Mutant { name, rule, file, test });
    }
    mutants
}

/// The list below a rule: first the tests with the patches that make them fail, then the other tests that cite the
/// rule.
fn list(rule: u32, tests: &[Test], mutants: &[Mutant]) -> String {
    let (mut with, mut without) = (String::new(), String::new());
    let mut more = 0;
    for test in tests.iter().filter(|test| test.cites.contains(&rule)) {
        let Test { file, name, .. } = test;
        let link = format!("- [`{file}::{name}`](../{file})");
        let caught: Vec<_> = mutants
            .iter()
            .filter(|mutant| mutant.rule == rule && mutant.file == *file && mutant.test == *name)
            .map(|mutant| format!("[{0}](../verify/mutants/{0}.patch)", mutant.name))
            .collect();
        if caught.is_empty() {
            more += 1;
            writeln!(without, "{link}").unwrap();
        } else {
            writeln!(with, "{link}\n  fails with {}", caught.join(" and with ")).unwrap();
        }
    }
    let more = match (with.is_empty(), more) {
        (_, 0) => String::new(),
        (true, _) => without,
        (false, 1) => format!("<details><summary>and 1 test more</summary>\n\n{without}\n</details>\n"),
        (false, _) => format!("<details><summary>and {more} tests more</summary>\n\n{without}\n</details>\n"),
    };
    [with, more].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

const PAGE: &str = "docs/semantics.md";
const END: &str = "<!-- end -->";

/// The page with its regenerated lists.
fn renewed(page: &str) -> String {
    let (tests, mutants) = (tests(), mutants());
    assert!(
        tests.len() > 250 && mutants.len() > 60,
        "too few tests or patches were found: {}, {}",
        tests.len(),
        mutants.len()
    );
    let mut text = page.to_owned();
    for rule in RULES {
        let mark = format!("<!-- tests of S{rule} -->\n");
        let (before, rest) =
            text.split_once(&mark).unwrap_or_else(|| panic!("{PAGE} has no place for the tests of S{rule}"));
        let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("the tests of S{rule} have no end"));
        let list = list(rule, &tests, &mutants);
        text = format!("{before}{mark}{}{list}{END}{after}", if list.is_empty() { "" } else { "\n" });
    }
    text
}

#[test]
fn every_rule_has_its_chapter_in_order() {
    let page = read(PAGE);
    let mut chapters = Vec::new();
    for (nth, chapter) in page.split("\n### S").skip(1).enumerate() {
        let rule: u32 = chapter.split_once(' ').expect("a title").0.parse().expect("a number");
        assert_eq!(chapter.matches(&format!("<!-- tests of S{rule} -->")).count(), 1, "S{rule}");
        assert!(chapter.contains("**Akka") && chapter.contains("OTP."), "S{rule} has no comparison with Akka and OTP");
        assert_eq!(nth + 1, rule as usize, "the chapters are in order");
        chapters.push(rule);
    }
    assert_eq!(chapters, RULES.collect::<Vec<_>>());
}

#[test]
fn the_page_names_the_tests_that_cite_a_rule_and_the_patches_they_fail_with() {
    let page = read(PAGE);
    let renewed = renewed(&page);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(root().join(PAGE), renewed).unwrap();
        return;
    }
    let difference = page.lines().zip(renewed.lines()).find(|(is, should)| is != should);
    assert!(page == renewed, "{PAGE} is out of date: {difference:?}\nUPDATE=1 cargo test --test docs semantics");
}

#[test]
fn a_patch_is_of_the_rule_that_its_test_cites() {
    let tests = tests();
    let mut wrong = Vec::new();
    for Mutant { name, rule, file, test } in mutants() {
        if !RULES.contains(&rule) {
            wrong.push(format!("{name}: there is no S{rule}"));
        }
        match tests.iter().find(|t| t.file == file && t.name == test) {
            None => wrong.push(format!("{name}: {file} has no test {test}, or the test is never run")),
            Some(found) if !found.cites.contains(&rule) => {
                wrong.push(format!("{name}: {file}::{test} does not cite S{rule}"));
            }
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tests of behaviour that do not belong to a single rule: settings (C1 to C15), hostile conditions, users' own tests.
const UNRULED: [&str; 3] = ["tests/behaviour/adversarial/", "tests/behaviour/settings/", "tests/behaviour/testing.rs"];

#[test]
fn a_test_of_behaviour_cites_a_rule() {
    let without: Vec<_> = tests()
        .into_iter()
        .filter(|test| test.file.starts_with("tests/behaviour/"))
        .filter(|test| !UNRULED.iter().any(|path| test.file.starts_with(path)))
        .filter(|test| test.cites.is_empty())
        .map(|test| format!("{}::{}", test.file, test.name))
        .collect();
    assert!(without.is_empty(), "without a rule: {without:#?}");
}

#[test]
fn every_rule_has_a_test_and_a_patch() {
    let (tests, mutants) = (tests(), mutants());
    for rule in RULES {
        let there =
            tests.iter().any(|test| test.cites.contains(&rule)) && mutants.iter().any(|mutant| mutant.rule == rule);
        assert!(there, "S{rule} has no test that cites it, or no verify/mutants/s{rule:02}-*.patch");
    }
}

/// The paths that ARCHITECTURE.md names exist: from the root, or in one of the crates.
#[test]
fn the_architecture_names_what_is_there() {
    const ROOTS: [&str; 5] =
        ["", "supervise-runtime/src", "supervise-macros/src", "supervise-remote/src", "verify/mutants"];
    let page = read("ARCHITECTURE.md");
    let spans = page.split("```").step_by(2).flat_map(|text| text.split('`').skip(1).step_by(2));
    let is_path = |span: &&str| {
        !span.contains(|c: char| c.is_whitespace() || "(){}<>[]\"=,".contains(c))
            && (span.contains('/') || span.ends_with(".rs") || span.ends_with(".md"))
    };
    let paths: BTreeSet<&str> = spans.filter(is_path).collect();
    assert!(paths.len() > 20, "too few paths were found: {paths:?}");
    let gone: Vec<_> =
        paths.into_iter().filter(|path| !ROOTS.iter().any(|base| root().join(base).join(path).exists())).collect();
    assert!(gone.is_empty(), "not there: {gone:?}");
}
