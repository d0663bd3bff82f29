//! The words with which comments and pages begin. A reader who jumps into the middle of a file has to know what a sentence
//! is about.
//!
//! * A paragraph or a list item does not begin with What, Who, Whose or It, whatever rules it cites before (`S14: ..`).
//! * A sentence does not begin with That of, Those of, One that, One of which, Those that or The one that: its noun would
//!   be in another sentence. Inside of a sentence they stand behind their noun: "the lease of a node, or that of its owner".
//! * "The other way" is not written: say which way.
//!
//! Marks before the word change nothing: emphasis, quotes, brackets, the start of a link.
//!
//! This holds for the comments of all sources and of the scripts in verify, .ci and benches, also at the end of a line, and
//! for the paragraphs and lists of the pages, without headings, tables and code. A block of code that is not closed would
//! hide the paragraphs behind it, and is a problem too. Pages that are made of comments are not read again.

use std::fs;
use std::path::{Path, PathBuf};

use crate::links::{below, pages, read};

/// The first words that a paragraph does not have.
const NO_BEGINNINGS: [&str; 4] = ["what", "who", "whose", "it"];

/// The first words that no sentence has: their noun is in another sentence.
const NO_SENTENCES: [&str; 15] = [
    "that of",
    "that which",
    "those of",
    "one that",
    "one of which",
    "one which",
    "one who",
    "those that",
    "those which",
    "those who",
    "the one that",
    "the one which",
    "the one who",
    "the ones that",
    "the ones who",
];

const NOWHERE: &str = "the other way";

/// The beginning of a block of code, and its end.
const FENCE: &str = "```";

/// The ways to begin a comment in Rust, and in a script.
const RUST: &[&str] = &["///", "//!", "//"];
const SCRIPT: &[&str] = &["#"];

/// A paragraph or a list item, with the line at which it begins.
struct Paragraph {
    line: usize,
    text: String,
}

/// Collects the lines of paragraphs. `None` ends a paragraph, as an empty line, a heading and a row of a table do. A block
/// of code that is open then is a paragraph of its fence.
#[derive(Default)]
struct Paragraphs {
    found: Vec<Paragraph>,
    open: bool,
    /// The line with the fence of an open block of code.
    code: Option<usize>,
}

impl Paragraphs {
    fn line(&mut self, line: usize, text: Option<&str>) {
        let Some(text) = text.map(str::trim) else {
            self.open = false;
            self.found.extend(self.code.take().map(|line| Paragraph { line, text: FENCE.to_owned() }));
            return;
        };
        let text = text.trim_start_matches(['>', ' ']);
        if text.starts_with(FENCE) {
            self.open = false;
            self.code = if self.code.is_none() { Some(line) } else { None };
            return;
        }
        if self.code.is_some() || text.is_empty() || text.starts_with(['#', '|']) {
            self.open = false;
            return;
        }
        let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = number.strip_prefix(". ").or(number.strip_prefix(") ")).filter(|_| number.len() < text.len());
        let item = ["* ", "- ", "+ "].iter().find_map(|mark| text.strip_prefix(mark)).or(numbered);
        match self.found.last_mut().filter(|_| self.open && item.is_none()) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(text);
            }
            None => self.found.push(Paragraph { line, text: item.unwrap_or(text).to_owned() }),
        }
        self.open = true;
    }
}

/// A line of Rust with its `/* .. */` as `// ..`.
fn with_line_comments(source: &str) -> String {
    let mut inside = false;
    let line = |line: &str| {
        let trimmed = line.trim_start();
        if !inside && !trimmed.starts_with("/*") {
            return format!("{}\n", line.replacen(" /* ", " // ", 1));
        }
        inside = !trimmed.contains("*/");
        format!("// {}\n", trimmed.trim_start_matches(['/', '*', '!']).trim_end_matches("*/"))
    };
    source.lines().map(line).collect()
}

/// The paragraphs of the comments of a source, which begin with one of these marks.
fn of_source(source: &str, marks: &'static [&'static str]) -> Vec<Paragraph> {
    let (mut found, mut before, mut in_attribute) = (Paragraphs::default(), "", false);
    let within = format!(" {} ", marks[marks.len() - 1]);
    for (nth, line) in source.lines().enumerate() {
        let trimmed = line.trim_start();
        // An attribute may stand between the lines of a comment.
        if marks == RUST && (in_attribute || trimmed.starts_with("#[")) {
            in_attribute = !trimmed.contains(']');
            continue;
        }
        let kind = marks.iter().find(|kind| trimmed.starts_with(**kind)).copied().unwrap_or_default();
        if kind != before || kind.is_empty() {
            found.line(nth + 1, None);
        }
        before = kind;
        if !kind.is_empty() {
            found.line(nth + 1, Some(trimmed[kind.len()..].trim_start_matches('/')));
        } else if let Some((code, comment)) = line.split_once(&within)
            && (marks == SCRIPT || code.trim_end().ends_with([';', ',', '{', '}', ')', ']']))
        {
            found.line(nth + 1, Some(comment));
            found.line(nth + 1, None);
        }
    }
    found.line(0, None);
    found.found
}

fn of_rust(source: &str) -> Vec<Paragraph> {
    of_source(&with_line_comments(source), RUST)
}

fn of_script(source: &str) -> Vec<Paragraph> {
    of_source(source, SCRIPT)
}

fn of_page(page: &str) -> Vec<Paragraph> {
    let mut found = Paragraphs::default();
    page.lines().enumerate().for_each(|(nth, line)| found.line(nth + 1, Some(line)));
    found.line(0, None);
    found.found
}

/// The text behind the rules that it cites: `S14, C2: ..` and `C2. ..`.
fn without_citation(text: &str) -> &str {
    let is_rule = |word: &str| {
        let number = word.strip_prefix(['S', 'C']).unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_alphanumeric())
    };
    match text.split_once([':', '.']) {
        Some((rules, rest)) if rules.split(", ").all(is_rule) => rest.trim_start(),
        _ => text,
    }
}

/// The text behind the marks before its first word: emphasis, brackets, quotes.
fn without_marks(text: &str) -> &str {
    text.trim_start_matches(|c: char| " *`[(_>+\"'".contains(c))
}

/// Returns whether the text begins with these words in lower or upper case.
fn begins_with(text: &str, words: &str) -> bool {
    let text = without_marks(text).to_lowercase();
    text.strip_prefix(words).is_some_and(|rest| !rest.trim_start_matches('_').starts_with(char::is_alphanumeric))
}

/// The forbidden words of a paragraph.
fn wrong(text: &str) -> Vec<&'static str> {
    if text == FENCE {
        return vec!["a block of code that is not closed"];
    }
    let text = without_citation(text);
    // The title of a section, in a table of contents.
    if text.starts_with('[') && text.ends_with(')') && text.split_once("](#").is_some_and(|(_, at)| !at.contains(' ')) {
        return Vec::new();
    }
    let ends = [". ", "! ", "? ", " ("];
    let behind = ends.into_iter().flat_map(|end| text.match_indices(end).map(move |(at, _)| &text[at + end.len()..]));
    let sentences: Vec<&str> =
        behind.filter(|text| without_marks(text).starts_with(char::is_uppercase)).chain([text]).collect();
    let beginnings = NO_BEGINNINGS.into_iter().filter(|words| begins_with(text, words));
    let within = NO_SENTENCES.into_iter().filter(|words| sentences.iter().any(|text| begins_with(text, words)));
    beginnings.chain(within).chain(Some(NOWHERE).filter(|words| text.to_lowercase().contains(words))).collect()
}

fn problems(file: &Path, paragraphs: Vec<Paragraph>) -> Vec<String> {
    let lines = |Paragraph { line, text }| {
        let begin: String = text.chars().take(60).collect();
        let said = move |words| format!("{}:{line}: \"{words}\" in: {begin}", file.display());
        wrong(&text).into_iter().map(said).collect::<Vec<_>>()
    };
    paragraphs.into_iter().flat_map(lines).collect()
}

#[test]
fn comments_say_what_they_are_about() {
    let (mut files, mut read_paragraphs, mut found) = (Vec::new(), 0, Vec::new());
    for folder in fs::read_dir(".").unwrap().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        if folder.is_dir() && !name.starts_with('.') && name != "target" {
            below(name, "rs", &mut files);
        }
    }
    // This file names the words.
    for file in files.into_iter().filter(|file| !file.ends_with("tests/docs/prose.rs")) {
        let paragraphs = of_rust(&read(&file));
        read_paragraphs += paragraphs.len();
        found.extend(problems(&file, paragraphs));
    }
    assert!(read_paragraphs > 10_000, "only {read_paragraphs} paragraphs were found");
    let (mut scripts, mut read_paragraphs) = (vec![PathBuf::from(".ci/run")], 0);
    for (folder, ending) in ["verify", ".ci", "benches"].into_iter().flat_map(|it| [(it, "py"), (it, "sh")]) {
        below(folder, ending, &mut scripts);
    }
    for file in scripts {
        let paragraphs = of_script(&read(&file));
        read_paragraphs += paragraphs.len();
        found.extend(problems(&file, paragraphs));
    }
    assert!(read_paragraphs > 150, "only {read_paragraphs} paragraphs of scripts were found");
    assert!(found.is_empty(), "begin with a noun or a verb; name the noun:\n{}", found.join("\n"));
}

#[test]
fn pages_say_what_they_are_about() {
    let is_made = |page: &PathBuf| {
        page.starts_with("docs/errors")
            || page.starts_with("docs/semantics/proofs")
            || page.ends_with("compile_fail/README.md")
    };
    let (mut read_paragraphs, mut found) = (0, Vec::new());
    for page in pages().into_iter().filter(|page| !is_made(page)) {
        let paragraphs = of_page(&read(&page));
        read_paragraphs += paragraphs.len();
        found.extend(problems(&page, paragraphs));
    }
    assert!(read_paragraphs > 1_000, "only {read_paragraphs} paragraphs were found");
    assert!(found.is_empty(), "begin with a noun or a verb; name the noun:\n{}", found.join("\n"));
}

#[test]
fn forbidden_words_are_found() {
    let of = |source: &str| problems(Path::new("it.rs"), of_rust(source)).len();
    for source in [
        "// What a start needs.",
        "/// S14, S2: who waits for it.",
        "// C2. Whose turn it is.",
        "//! A list:\n//!\n//! * It is empty.",
        "//! 1. A step.\n//! 2. It is the last.",
        "// A first paragraph.\n//\n// It is the second.",
        "// A comment.\n/// It has another kind.",
        "let a = 1; // it is one",
        "// A child ends. One that has ended is forgotten.",
        "// The time of a child. That\n// of a tree is longer.",
        "// A child ends. (Those that are kept do not.)",
        "// Restarts replace stops, or the other way round.",
        "let code = \"// no comment\";\n// It follows.",
        "//// It has four strokes.",
        "/* What a block says. */",
        "/*\n * It is in a block.\n */",
        "f(a, /* it is one */ b);",
        "// *It* is leaned.",
        "// `It` is a name.",
        "// [It](it.rs) is a link.",
        "// **What** counts.",
        "// (It is in brackets.)",
        "// __It__ is strong.",
        "// > it is cited",
        "// + A plus.\n// + it is the last",
        "// 1) A step.\n// 2) it is the last",
        "// A child ends. That which is left is dropped.",
        "// Children end. One of which is kept.",
        "// A child ends. **One that** has ended is forgotten.",
        "/// ```\n/// it();\nfn a() {}\n/// A function.",
        "/// ```\n/// it();\n/// ```\n/// It is behind the code.",
    ] {
        assert_eq!(of(source), 1, "{source}");
    }
    for source in [
        "// A child. It ends, and what it has is dropped.",
        "// Items, of which one that ends is dropped.\n// It is a line of the same paragraph.",
        "// The lease of a node, or that of its owner.",
        "// Whatever comes. Italics. Whole trees.",
        "//! ```\n//! # // It is code.\n//! ```",
        "let a = \"http://what\";",
        "fn a() {}\n//! # What is a heading",
        "/// ```\n/// it();\n/// ```\nfn a() {}",
        "/* A block.\n * it goes on */",
        "// **Whatever** comes.",
        "/// ```\n/// it();\n#[cfg_attr(\n    unix,\n    doc = \"that\"\n)]\n/// ```\nfn a() {}",
    ] {
        assert_eq!(of(source), 0, "{source}");
    }
    let of = |script: &str| problems(Path::new("it.sh"), of_script(script)).len();
    for script in ["#!/bin/sh\n\n# What is kept.", "left = 1   # it is one", "if a; then # Who asks"] {
        assert_eq!(of(script), 1, "{script}");
    }
    assert_eq!(of("#!/bin/sh\n# A script.\necho $#\n"), 0);
    let of = |page: &str| problems(Path::new("it.md"), of_page(page)).len();
    assert_eq!(of("# What\n\n| It |\n\nA page.\n\n* Who?\n\nIt is one."), 2);
    assert_eq!(of("* [What it costs](#what-it-costs)\n* [What it costs](#what-it-costs), and more"), 1);
    assert_eq!(of("> It is cited.\n\n* **What** counts.\n\n1) it ends\n\n```\nit is open"), 4);
}
