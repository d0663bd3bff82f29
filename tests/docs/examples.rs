//! Checks that every numbered example prints the output that `examples/README.md` shows, and `docs/logs.md`.

use std::process::Command;

#[path = "../common/built.rs"]
pub mod built;

use built::{binary, out_of_date};

/// A section of the README: `## name`, followed by the block with the output.
struct Shown {
    name: String,
    args: Vec<String>,
    text: String,
}

fn readme() -> String {
    std::fs::read_to_string("examples/README.md").expect("examples/README.md")
}

/// Each ` ```text ` block opens with the command that prints it.
fn shown(readme: &str) -> Vec<Shown> {
    readme
        .split("```text\n$ cargo run --example ")
        .skip(1)
        .map(|block| {
            let (command, rest) = block.split_once('\n').expect("a line after the command");
            let (text, _) = rest.split_once("```").expect("the end of a block");
            let mut words = command.split_whitespace().map(str::to_owned);
            let name = words.next().expect("the name of an example");
            Shown { name, args: words.skip_while(|word| word == "--").collect(), text: text.to_owned() }
        })
        .collect()
}

fn numbered() -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir("examples")
        .expect("examples")
        .map(|entry| entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    names.sort();
    names
}

/// `…` stands for anything within a line.
fn matches(line: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let mut last = None;
    for part in parts {
        last = Some(part);
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || last == Some("") || last.is_some_and(|last| rest.ends_with(last))
}

fn differences(printed: &str, expected: &str) -> Option<String> {
    let (printed, expected): (Vec<_>, Vec<_>) = (printed.lines().collect(), expected.lines().collect());
    for at in 0..printed.len().max(expected.len()) {
        match (printed.get(at), expected.get(at)) {
            (Some(line), Some(pattern)) if matches(line, pattern) => {}
            (line, pattern) => {
                return Some(format!("line {}:\n  prints  {:?}\n  README  {:?}", at + 1, line, pattern));
            }
        }
    }
    None
}

/// Examples that need a server or a long time are shown without `$`, and have their own part in `.ci/run`.
#[test]
fn each_prints_what_the_readme_shows() {
    let mut wrong = Vec::new();
    let logs = std::fs::read_to_string("docs/logs.md").expect("docs/logs.md");
    for Shown { name, args, text } in shown(&readme()).into_iter().chain(shown(&logs)) {
        if let Some(why) = out_of_date(&binary(&name)) {
            wrong.push(format!("{name} {why}"));
            continue;
        }
        let run = Command::new(binary(&name)).args(&args).output().unwrap_or_else(|e| panic!("{name}: {e}"));
        let printed = String::from_utf8_lossy(&run.stdout);
        if !run.status.success() {
            wrong.push(format!("{name}: {}\n{}", run.status, String::from_utf8_lossy(&run.stderr)));
        } else if let Some(difference) = differences(&printed, &text) {
            wrong.push(format!("{name}, {difference}\n--- all of it:\n{printed}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_numbered_example_is_in_the_readme() {
    let readme = readme();
    for name in numbered() {
        assert!(readme.contains(&format!("## {name}\n")), "examples/README.md has no section `## {name}`");
        assert!(
            readme.contains(&format!("cargo run --example {name}")),
            "the section does not show the command of `{name}`"
        );
    }
}

#[test]
fn dots_stand_for_the_rest_of_a_word_or_line() {
    assert!(matches("took 12 ms", "took … ms"));
    assert!(matches("took 12 ms", "took …"));
    assert!(matches("a b a b", "a … b"));
    assert!(!matches("took 12 s", "took … ms"));
    assert!(!matches("took 12 ms and more", "took … ms"));
    assert!(differences("one\ntwo\n", "one\n").is_some_and(|what| what.contains("line 2")));
}
