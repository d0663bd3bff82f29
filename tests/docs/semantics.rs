//! The rules stand in the chapters of docs/semantics. This module reads the chapters, the tests and the mutants, and
//! compares them with two things that are generated from them: the index in docs/semantics.md, and the pages of
//! docs/semantics/proofs, which list for each rule the tests that cite it and the mutants that they have to catch.
//! `UPDATE=1 cargo test --test docs semantics` regenerates both.
//!
//! verify/mutants/run.py, and not this module, checks that a test catches its mutant.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::links::anchor;

const RULES: RangeInclusive<u32> = 1..=65;

/// The chapters, in the order of the index, each with the anchors of the headings below which its rules stood when
/// docs/semantics.md had all of them: links from elsewhere lead to the line of the chapter.
const CHAPTERS: [(&str, &[&str]); 12] = [
    ("actors", &["actors-and-messages"]),
    ("failures", &["failure-and-decision"]),
    ("restart", &["restart-of-one-child"]),
    ("backoff", &["backoff-and-redelivery"]),
    ("groups", &["groups-and-supervisors"]),
    ("start", &["siblings"]),
    ("shutdown", &["lifecycle-and-shutdown", "reasons", "the-tree-as-a-whole"]),
    ("shapes", &["shapes"]),
    ("watching", &["watching-children-at-run-time-top-level-actors"]),
    ("observing", &["observation", "seen-from-outside"]),
    ("operation", &[]),
    ("remote", &[]),
];

/// The crates whose tests may cite a rule.
const TESTS: [&str; 18] = [
    "tests/behaviour/main.rs",
    "tests/interface/main.rs",
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

/// A rule: the number and the title in its heading, and its text up to the next rule.
struct Rule {
    number: u32,
    title: String,
    text: String,
}

/// A chapter with its rules, in the order of the page.
struct Chapter {
    name: &'static str,
    anchors: &'static [&'static str],
    title: String,
    rules: Vec<Rule>,
}

/// A change that breaks a rule, and the test that has to catch it.
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
pub(crate) fn with_modules(file: &str) -> Vec<String> {
    let mut found = vec![file.to_owned()];
    let ends = ["/main.rs", "/mod.rs", "/lib.rs"];
    let folder = ends
        .iter()
        .find_map(|end| file.strip_suffix(end))
        .map_or_else(|| file.strip_suffix(".rs").expect("a file of Rust").to_owned(), str::to_owned);
    for line in read(file).lines() {
        let module = line.split_once("mod ").filter(|(seen, _)| seen.is_empty() || seen.starts_with("pub"));
        let Some(module) = module.and_then(|(_, rest)| rest.strip_suffix(';')) else {
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

/// The file of every mutant, its name, and the arguments of its test: of a rule and others.
fn edits() -> Vec<(String, String, String)> {
    let mut found: Vec<(String, String, String)> = Vec::new();
    for path in files("verify/mutants", ".edits") {
        for line in read(&path).lines() {
            match (line.trim().strip_prefix("test: "), found.last_mut()) {
                (Some(test), Some(last)) => last.2 = test.to_owned(),
                _ if line.starts_with(|c: char| c.is_alphanumeric()) => {
                    found.push((path.clone(), line.trim().to_owned(), String::new()));
                }
                _ => {}
            }
        }
    }
    found
}

pub(crate) fn mutant_names() -> BTreeSet<String> {
    edits().into_iter().map(|(_, name, _)| name).collect()
}

/// Every mutant of a rule, `sNN-*` in `sNN.edits`. Others do not belong to a single rule.
fn mutants() -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (path, name, test) in edits() {
        let Some(rule) = name.strip_prefix('s').and_then(|rest| rest.split_once('-')?.0.parse().ok()) else {
            continue;
        };
        assert_eq!(path, format!("verify/mutants/s{rule:02}.edits"), "{name} is in the file of another rule");
        let mut words = test.split_whitespace().skip_while(|word| *word != "--test").skip(1);
        let (target, function) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        assert!(!function.is_empty(), "{name} names no test: {test}");
        let mut modules: Vec<&str> = function.split("::").collect();
        let function = modules.pop().unwrap_or_default().to_owned();
        let package = test.split_whitespace().skip_while(|word| *word != "-p").nth(1);
        let folder = package.map_or_else(|| "tests".to_owned(), |package| format!("{package}/tests"));
        let base = if modules.is_empty() {
            format!("{folder}/{target}")
        } else {
            format!("{folder}/{target}/{}", modules.join("/"))
        };
        let ends = ["", "/mod", "/main"].map(|end| format!("{base}{end}.rs"));
        let file =
            ends.into_iter().chain([format!("tests/process/{target}.rs")]).find(|file| root().join(file).is_file());
        let file = file.unwrap_or_else(|| panic!("{name}: where is {base}?"));
        mutants.push(Mutant { name, rule, file, test: function });
    }
    mutants
}

/// A link from a page of docs/semantics/proofs to the mutant.
fn link(Mutant { name, rule, .. }: &Mutant) -> String {
    format!("[{name}](../../../verify/mutants/s{rule:02}.edits)")
}

fn chapters() -> Vec<Chapter> {
    let chapter = |(name, anchors)| {
        let page = read(format!("{FOLDER}/{name}.md"));
        let mut parts = page.split("\n### ");
        let title = parts.next().and_then(|top| top.lines().next()?.strip_prefix("# ")).expect("a title").to_owned();
        let rule = |part: &str| {
            let (title, text) = part.split_once('\n').expect("a title and a text");
            let number = title.strip_prefix('S').and_then(|title| title.split_once(' ')?.0.parse().ok());
            let number = number.unwrap_or_else(|| panic!("{name}: {title} has no number"));
            Rule { number, title: title.to_owned(), text: text.to_owned() }
        };
        Chapter { name, anchors, title, rules: parts.map(rule).collect() }
    };
    CHAPTERS.map(chapter).into()
}

/// The list of a rule: first the tests with the mutants that they have to catch, then the other tests that cite the
/// rule.
fn list(rule: u32, tests: &[Test], mutants: &[Mutant]) -> String {
    let (mut with, mut without) = (String::new(), String::new());
    let mut more = 0;
    for test in tests.iter().filter(|test| test.cites.contains(&rule)) {
        let Test { file, name, .. } = test;
        let item = format!("- [`{file}::{name}`](../../../{file})");
        let caught: Vec<_> = mutants
            .iter()
            .filter(|mutant| mutant.rule == rule && mutant.file == *file && mutant.test == *name)
            .map(link)
            .collect();
        if caught.is_empty() {
            more += 1;
            writeln!(without, "{item}").unwrap();
        } else {
            writeln!(with, "{item}\n  has to fail with {}", caught.join(" and with ")).unwrap();
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

/// The page that lists the tests and mutants of a chapter.
fn proofs(Chapter { name, title, rules, .. }: &Chapter, tests: &[Test], mutants: &[Mutant]) -> String {
    let mut page = format!(
        "# Tests and mutants: {title}\n\n\
         For each rule of [the chapter](../{name}.md): the tests that cite it, first those that have to catch a\n\
         [mutant](../../../verify/mutants/README.md). `.ci/run long mutants` tries all mutants.\n\n\
         `UPDATE=1 cargo test --test docs semantics` generates this page.\n"
    );
    for Rule { number, title, .. } in rules {
        write!(page, "\n## {title}\n\n{}", list(*number, tests, mutants)).unwrap();
    }
    page
}

/// The page `docs/semantics.md` with its regenerated index. Each rule and each earlier heading has its anchor there, so
/// that a link to the page leads to the rule.
fn with_index(page: &str, chapters: &[Chapter]) -> String {
    let (before, rest) = page.split_once(MARK).expect("a place for the index");
    let (_, after) = rest.split_once(END).expect("the end of the index");
    let mut index = String::new();
    for Chapter { name, anchors, title, rules } in chapters {
        let anchors: String = anchors.iter().map(|anchor| format!("<a id=\"{anchor}\"></a>")).collect();
        writeln!(index, "* {anchors}[**{title}**](semantics/{name}.md)").unwrap();
        for Rule { title, .. } in rules {
            let anchor = anchor(title);
            writeln!(index, "  * <a id=\"{anchor}\"></a>[{title}](semantics/{name}.md#{anchor})").unwrap();
        }
    }
    format!("{before}{MARK}{index}{END}{after}")
}

const PAGE: &str = "docs/semantics.md";
const FOLDER: &str = "docs/semantics";
const MARK: &str = "<!-- index -->\n";
const END: &str = "<!-- end -->";

#[test]
fn each_rule_stands_once_in_a_chapter_with_comparisons_and_proofs() {
    let mut found = BTreeSet::new();
    for Chapter { name, rules, .. } in chapters() {
        assert!(rules.is_sorted_by_key(|rule| rule.number), "{name} is not in the order of its numbers");
        for Rule { number, title, text } in rules {
            assert!(RULES.contains(&number) && found.insert(number), "S{number} is not known, or stands twice");
            assert!(text.contains("**Akka") && text.contains("OTP."), "S{number} has no comparison with Akka and OTP");
            let proofs = format!("\n\n[Tests and mutants of S{number}](proofs/{name}.md#{})", anchor(&title));
            assert!(text.trim_end().ends_with(&proofs), "S{number} does not end with its proofs:{proofs}");
        }
    }
    assert_eq!(found, RULES.collect());
    let pages: BTreeSet<_> = CHAPTERS.iter().map(|(name, _)| format!("{FOLDER}/{name}.md")).collect();
    assert_eq!(BTreeSet::from_iter(files(FOLDER, ".md")), pages, "CHAPTERS names the pages of {FOLDER}");
}

#[test]
fn the_index_and_the_lists_of_tests_and_mutants_are_up_to_date() {
    let (chapters, tests, mutants) = (chapters(), tests(), mutants());
    assert!(
        tests.len() > 250 && mutants.len() > 60,
        "too few tests or mutants were found: {}, {}",
        tests.len(),
        mutants.len()
    );
    let mut pages = vec![(PAGE.to_owned(), with_index(&read(PAGE), &chapters))];
    for chapter in &chapters {
        pages.push((format!("{FOLDER}/proofs/{}.md", chapter.name), proofs(chapter, &tests, &mutants)));
    }
    for (path, should) in pages {
        if std::env::var_os("UPDATE").is_some() {
            fs::write(root().join(&path), should).unwrap();
            continue;
        }
        let page = read(&path);
        let difference = page.lines().zip(should.lines()).find(|(is, should)| is != should);
        assert!(page == should, "{path} is out of date: {difference:?}\nUPDATE=1 cargo test --test docs semantics");
    }
}

/// Links from elsewhere to the page as it was, with all rules below thirteen headings, still lead somewhere.
#[test]
fn the_earlier_headings_have_an_anchor_each() {
    let index = read(PAGE);
    let anchors: Vec<_> = CHAPTERS.iter().flat_map(|(_, anchors)| *anchors).collect();
    assert_eq!(anchors.len(), 13);
    for anchor in anchors {
        assert_eq!(index.matches(&format!("<a id=\"{anchor}\"></a>")).count(), 1, "{anchor}");
        assert!(!index.lines().any(|line| line.starts_with('#') && crate::links::anchor(line) == *anchor), "{anchor}");
    }
}

/// The index has an anchor for each rule, for links from elsewhere. A page of this project leads to the chapter itself.
#[test]
fn pages_link_to_the_chapter_of_a_rule() {
    let is_of_rule = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_digit());
    let past_the_chapter: Vec<_> = crate::links::pages()
        .into_iter()
        .filter(|page| read(page).split("semantics.md#s").skip(1).any(|rest| is_of_rule(&rest)))
        .collect();
    assert!(past_the_chapter.is_empty(), "these link to the index, and not to the chapter: {past_the_chapter:?}");
}

#[test]
fn a_mutant_is_of_the_rule_that_its_test_cites() {
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
const UNRULED: [&str; 3] = ["tests/behaviour/adversarial/", "tests/interface/settings/", "tests/interface/testing.rs"];

#[test]
fn a_test_of_behaviour_cites_a_rule() {
    let without: Vec<_> = tests()
        .into_iter()
        .filter(|test| ["tests/behaviour/", "tests/interface/"].iter().any(|path| test.file.starts_with(path)))
        .filter(|test| !UNRULED.iter().any(|path| test.file.starts_with(path)))
        .filter(|test| test.cites.is_empty())
        .map(|test| format!("{}::{}", test.file, test.name))
        .collect();
    assert!(without.is_empty(), "without a rule: {without:#?}");
}

#[test]
fn every_rule_has_a_test_and_a_mutant() {
    let (tests, mutants) = (tests(), mutants());
    for rule in RULES {
        let there =
            tests.iter().any(|test| test.cites.contains(&rule)) && mutants.iter().any(|mutant| mutant.rule == rule);
        assert!(there, "S{rule} has no test that cites it, or no mutant");
    }
}

/// The paths that ARCHITECTURE.md names exist: from the root, or in one of the crates.
#[test]
fn the_architecture_names_what_is_there() {
    const ROOTS: [&str; 8] = [
        "",
        "supervise-core/src",
        "supervise-lease/src",
        "supervise-observe/src",
        "supervise-runtime/src",
        "supervise-macros/src",
        "supervise-remote/src",
        "verify/mutants",
    ];
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
