//! tests/case_studies/README.md says of each program how long its declaration is, how much glue stands around it, and
//! which bad days it is tested on. This module computes the page from the programs, and compares it.
//! `UPDATE=1 cargo test --test docs case_studies` regenerates it.
//!
//! Glue is what stands between `// glue: <reason>` and `// end of glue`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "tests/case_studies";

const HEAD: &str = "\
# Case studies

Each file is a program as a user would write it: its requirements, stand-ins for its work, the declaration of its tree,
and tests of its bad days. A bad day is a test on the paused clock, which ends differently without the settings that it
is about.

Counted are lines without comments and without blank lines. *Declaration* is the `supervisor!` block. *Glue* is code
that exists only for supervision, and that the declaration does not replace. It is marked in the program, with its
reason, between `// glue:` and `// end of glue`. Everything that an actor or a task does with its own data is work,
also when it stops, or when it hears that another one has ended.

This page is generated: `UPDATE=1 cargo test --test docs case_studies`.

";

/// A program, as its file shows it.
#[derive(Debug, PartialEq)]
struct Program {
    file: String,
    /// The first sentence of the file, up to its colon if it has one.
    domain: String,
    declaration: usize,
    /// The reason of each part, and its lines.
    glue: Vec<(String, usize)>,
    /// The names of the tests.
    bad_days: Vec<String>,
}

/// Whether the line is code.
fn is_code(line: &str) -> bool {
    !line.is_empty() && !line.starts_with("//")
}

/// Reads a program.
///
/// # Panics
///
/// If a part of the glue has no reason, has no end, or contains a declaration.
fn read(file: &str, source: &str) -> Program {
    let head: Vec<_> = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let head = head.join(" ");
    let domain = head.split_once(['.', ':']).map(|(domain, _)| domain.to_owned()).unwrap_or_default();
    let mut program = Program { file: file.to_owned(), domain, declaration: 0, glue: Vec::new(), bad_days: Vec::new() };
    let (mut in_declaration, mut in_glue, mut is_test) = (false, false, false);
    for line in source.lines() {
        let text = line.trim();
        in_declaration |= line == "supervisor! {";
        if let Some(reason) = text.strip_prefix("// glue:") {
            assert!(!in_glue && !reason.trim().is_empty(), "{file}: glue in glue, or without a reason: {text}");
            program.glue.push((reason.trim().trim_end_matches('.').to_owned(), 0));
            in_glue = true;
        } else if text == "// end of glue" {
            assert!(in_glue, "{file}: an end without glue");
            in_glue = false;
        } else if is_code(text) {
            assert!(!(in_declaration && in_glue), "{file}: a declaration in glue: {text}");
            program.declaration += usize::from(in_declaration);
            if let Some((_, lines)) = program.glue.last_mut().filter(|_| in_glue) {
                *lines += 1;
            }
        }
        if let (true, Some((_, name))) = (is_test, text.split_once("fn ")) {
            program.bad_days.extend(name.split_once('(').map(|(name, _)| name.to_owned()));
        }
        is_test = text.starts_with("#[tokio::test") || (is_test && text.starts_with("#["));
        in_declaration &= line != "}";
    }
    assert!(!in_glue, "{file}: glue without an end");
    program
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER)
}

fn programs() -> Vec<Program> {
    let mut names: Vec<_> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".rs") && name != "main.rs")
        .collect();
    names.sort();
    names.iter().map(|name| read(name, &fs::read_to_string(root().join(name)).unwrap())).collect()
}

fn page(programs: &[Program]) -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| program | | declaration | glue | bad days |\n|---|---|---:|---:|---:|\n");
    for Program { file, domain, declaration, glue, bad_days } in programs {
        let (name, glue) = (file.trim_end_matches(".rs"), glue.iter().map(|(_, lines)| lines).sum::<usize>());
        let days = bad_days.len();
        writeln!(page, "| [{name}](#{name}) | {domain} | {declaration} | {glue} | {days} |").unwrap();
    }
    for Program { file, glue, bad_days, .. } in programs {
        writeln!(page, "\n## {}\n\n[{file}]({file})\n", file.trim_end_matches(".rs")).unwrap();
        for name in bad_days {
            let name = name.replace('_', " ");
            writeln!(page, "* {}{}", name[..1].to_uppercase(), &name[1..]).unwrap();
        }
        for (reason, lines) in glue {
            writeln!(page, "\nGlue, {lines} lines: {reason}.").unwrap();
        }
    }
    page
}

#[test]
fn the_page_says_what_stands_in_the_programs() {
    let (path, new) = (root().join("README.md"), page(&programs()));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, new).unwrap();
        return;
    }
    let old = fs::read_to_string(path).unwrap_or_default();
    let difference = old.lines().zip(new.lines()).find(|(is, should)| is != should);
    let hint = "UPDATE=1 cargo test --test docs case_studies";
    assert!(old == new, "{FOLDER}/README.md is out of date: {difference:?}\n{hint}");
}

#[test]
fn every_program_is_declared_and_has_bad_days() {
    let main = fs::read_to_string(root().join("main.rs")).unwrap();
    for program in programs() {
        let name = program.file.trim_end_matches(".rs");
        assert!(main.lines().any(|line| line == format!("mod {name};")), "{name} is not run");
        assert!(program.declaration > 5 && program.bad_days.len() >= 2, "{program:?}");
        assert!(!program.domain.is_empty(), "{name} begins with a sentence");
    }
}

#[test]
fn a_program_is_counted_as_the_page_says() {
    let source = "\
//! A shop. It sells.

// glue: nobody else
// does it
fn helper() {

    work();
}
// end of glue

supervisor! {
    /// The shop.
    struct Shop {
        #![strategy(AllForOne)]

        till: Till = Till,
    }
}

/// S1: a rule.
#[tokio::test(start_paused = true)]
async fn it_sells() {}

fn of_no_test() {}
";
    let program = read("shop.rs", source);
    assert_eq!(
        program,
        Program {
            file: "shop.rs".into(),
            domain: "A shop".into(),
            declaration: 6,
            glue: vec![("nobody else".into(), 3)],
            bad_days: vec!["it_sells".into()],
        }
    );
    let page = page(&[program]);
    assert!(page.contains("| [shop](#shop) | A shop | 6 | 3 | 1 |\n"), "{page}");
    assert!(page.ends_with("* It sells\n\nGlue, 3 lines: nobody else.\n"), "{page}");
}

#[test]
#[should_panic(expected = "glue without an end")]
fn glue_has_an_end() {
    read("shop.rs", "// glue: a reason\nfn helper() {}\n");
}
