//! Checks the form of the compile-fail tests, which are the manual of mistakes.
//!
//! Every mistake in `tests/compile_fail/<topic>/<mistake>.rs` has a `//~` at its line. One mistake causes one error,
//! whose primary location is that line, and an error of this project names the repair after a `;`. Next to each file
//! are the compiler's output (`<mistake>.stderr`) and the repaired file (`<mistake>.fixed.rs`). Both have a `main` that
//! uses the handles of the tree, or the actor, since a mistake may cause further errors where they are used.
//!
//! `UPDATE=1 cargo test --test docs compile_errors` writes the files that are generated from them: the index in
//! `tests/compile_fail/README.md`, the list of modules in `tests/compile_fail/fixed.rs`, and the pages in
//! `docs/errors`, which are the module `supervise::errors`.

use std::fs;
use std::path::{Path, PathBuf};

/// Files for which the compiler prints more than one error about the same mistake, with the reason.
const CASCADES: &[(&str, &str)] = &[
    (
        "actor/hook_attribute_above_the_derive",
        "rustc: the name is ambiguous, and a lint says again that the derive comes first",
    ),
    ("actor/actor_attribute_above_the_derive", "the same two"),
    ("messages/two_blocks", "rustc: the macro reads one block, and all that is made of the other is there twice"),
];

/// The titles of the rules in the index, by number.
const RULES: [&str; 15] = [
    "Settings, shapes and the form of a tree",
    "Names",
    "Durations",
    "Settings that have no effect",
    "Backoff",
    "Limits that are never reached",
    "The order of children",
    "Values that a tree keeps",
    "Types of children, starts and arguments",
    "Deciders",
    "Hooks",
    "The time to stop",
    "Settings for some children only",
    "Actors",
    "Remote children",
];

const FOLDER: &str = "tests/compile_fail";

/// The files `tests/compile_fail/<topic>/<name><ending>`, as paths without the ending, in order.
fn ending(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for topic in fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let files = fs::read_dir(topic).unwrap().map(|entry| entry.unwrap().path());
        found.extend(files.filter_map(|path| path.to_str().unwrap().strip_suffix(ending).map(PathBuf::from)));
    }
    found.sort();
    assert!(!found.is_empty(), "run from the root of the project");
    found
}

/// `tests/compile_fail/<topic>/<mistake>`, without the ending, in order.
fn mistakes() -> Vec<PathBuf> {
    let mut found = ending(".rs");
    found.retain(|path| path.extension().is_none());
    found
}

fn name(mistake: &Path) -> String {
    mistake.strip_prefix(FOLDER).unwrap().display().to_string()
}

/// An error as the compiler printed it.
#[derive(Debug)]
struct Printed {
    /// `E0277`; `None` for a `compile_error!`.
    code: Option<String>,
    message: String,
    line: Option<usize>,
}

impl Printed {
    /// Whether the text is from this project: a `compile_error!`, or a panic in a constant.
    fn ours(&self) -> bool {
        match self.code.as_deref() {
            // The lint `legacy_derive_helpers`, and what rustc says of a future, have no code either.
            None => !["derive helper attribute", "future cannot be sent"].iter().any(|of| self.message.starts_with(of)),
            Some(code) => code == "E0080",
        }
    }
}

/// The errors in a `.stderr`.
fn printed(stderr: &str) -> Vec<Printed> {
    let mut found: Vec<Printed> = Vec::new();
    let mut waiting = false;
    for line in stderr.lines() {
        if let Some(rest) = line.strip_prefix("error") {
            let (head, message) = rest.split_once(": ").unwrap_or((rest, ""));
            let code = head.strip_prefix('[').map(|code| code.trim_end_matches(']').to_owned());
            found.push(Printed { code, message: message.to_owned(), line: None });
            waiting = true;
        } else if waiting && let Some(place) = line.trim_start().strip_prefix("--> ") {
            let numbers: Vec<_> = place.rsplit(':').collect();
            found.last_mut().unwrap().line = numbers.get(1).and_then(|number| number.parse().ok());
            waiting = false;
        }
    }
    found
}

/// The numbers of the lines that have a mark, repeated for each mark.
fn marked(source: &str) -> Vec<usize> {
    let lines = source.lines().enumerate();
    lines.flat_map(|(i, line)| std::iter::repeat_n(i + 1, line.matches("//~").count())).collect()
}

#[test]
fn one_mistake_gives_one_error() {
    let mut wrong = Vec::new();
    for mistake in mistakes() {
        let name = name(&mistake);
        let source = fs::read_to_string(mistake.with_extension("rs")).unwrap();
        let Ok(stderr) = fs::read_to_string(mistake.with_extension("stderr")) else {
            wrong.push(format!("{name}: no `.stderr`"));
            continue;
        };
        let (marks, errors) = (marked(&source), printed(&stderr));
        if marks.is_empty() {
            wrong.push(format!("{name}: no mark"));
        }
        for error in errors.iter().filter(|error| error.ours()) {
            // A parser's own message is a list of tokens.
            if !error.message.contains("; ") || error.message.contains("expected one of") {
                wrong.push(format!("{name}: no repair in `{}`", error.message));
            }
        }
        let mut places: Vec<_> = errors.iter().map(|error| error.line.unwrap_or(0)).collect();
        places.sort_unstable();
        if CASCADES.iter().any(|(known, _)| *known == name) {
            if !marks.contains(&errors[0].line.unwrap_or(0)) || places.len() == marks.len() {
                wrong.push(format!(
                    "{name}: errors at {places:?}; take it off the list, or see that the first is right"
                ));
            }
        } else if places != marks {
            wrong.push(format!("{name}: marks at {marks:?}, errors at {places:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn no_mistake_shows_an_internal_name() {
    let mut shown = Vec::new();
    for mistake in mistakes() {
        let stderr = fs::read_to_string(mistake.with_extension("stderr")).unwrap();
        // Lines with ` | ` show source code, and lines with `--> ` show a place.
        let said = stderr.lines().filter(|line| !line.contains("--> ") && !line.contains(" | "));
        let internal = ["supervise_runtime::", "__private", "HandleFn"];
        let lines = said.filter(|line| internal.iter().any(|name| line.contains(name)));
        shown.extend(lines.map(|line| format!("{}: {line}", name(&mistake))));
    }
    assert!(shown.is_empty(), "\n{}", shown.join("\n"));
}

/// The first line of the `main` that a mistake and its repair end with.
const MAIN: &str = "async fn main() -> Result<(), Box<dyn std::error::Error>> {";

#[test]
fn every_mistake_is_used() {
    for path in mistakes() {
        for ending in ["rs", "fixed.rs"] {
            let name = format!("{}.{ending}", name(&path));
            let text = fs::read_to_string(path.with_extension(ending)).unwrap();
            let (before, main) = text.split_once("fn main()").unwrap_or_else(|| panic!("{name}: no `main`"));
            if before.contains("supervisor! {") {
                let starts = main.contains("::start(") && main.contains(".shutdown().await;");
                assert!(text.contains(MAIN) && starts, "{name}: start the tree, use its handles, and shut it down");
            } else {
                assert!(main.trim() != "{}", "{name}: use the actor or the decider");
            }
        }
    }
}

/// The text without the `main` that only uses what stands above it, and so is not part of the lesson.
fn without_main(text: &str) -> &str {
    let Some((before, main)) = text.split_once("#[tokio::main]\n").filter(|(_, main)| main.contains(MAIN)) else {
        return text;
    };
    if main.contains("//~") { text } else { before.trim_end() }
}

/// The comment at the top of a mistake.
struct Lesson {
    name: String,
    /// The number: `7` for `C7`.
    rule: usize,
    /// Why it is a mistake, and the repair.
    words: String,
    /// The text after the comment.
    source: String,
    stderr: String,
}

fn lessons() -> Vec<Lesson> {
    let lesson = |mistake: PathBuf| {
        let name = name(&mistake);
        let text = fs::read_to_string(mistake.with_extension("rs")).unwrap();
        let stderr = fs::read_to_string(mistake.with_extension("stderr")).unwrap_or_default();
        let comment: Vec<_> = text.lines().take_while(|line| line.starts_with("//")).collect();
        let source = text.lines().skip(comment.len()).collect::<Vec<_>>().join("\n");
        let words = comment.iter().map(|line| line.trim_start_matches('/').trim()).collect::<Vec<_>>().join(" ");
        let (rule, words) = words.split_once(". ").unwrap_or_else(|| panic!("{name}: no rule"));
        let number = rule.strip_prefix('C').and_then(|number| number.parse().ok());
        let rule = number.unwrap_or_else(|| panic!("{name}: begin with the rule, `// C7. ..`"));
        assert!((1..=RULES.len()).contains(&rule), "{name}: C{rule}?");
        assert!(words.contains(" Repair: "), "{name}: name the repair, `// Repair: ..`");
        Lesson { name, rule, words: words.to_owned(), source, stderr }
    };
    mistakes().into_iter().map(lesson).collect()
}

/// Compares a generated file with its expected content, or writes it.
fn kept(path: &str, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(Path::new(path).parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let written = fs::read_to_string(path).unwrap_or_default();
    assert!(written == text, "{path} is out of date; `UPDATE=1 cargo test --test docs compile_errors` regenerates it");
}

#[test]
fn mistakes_are_short() {
    let lines = |mistake: &PathBuf| {
        let text = fs::read_to_string(mistake.with_extension("rs")).unwrap();
        without_main(&text).lines().count()
    };
    // `tree/many_mistakes_at_once`, which shows that all mistakes are reported in one run, takes a few more lines.
    let long: Vec<_> = mistakes()
        .into_iter()
        .filter(|it| !(7..=25).contains(&lines(it)) && name(it) != "tree/many_mistakes_at_once")
        .collect();
    assert!(long.is_empty(), "not 7 to 25 lines: {long:?}");
}

#[test]
fn several_mistakes_are_reported_in_one_run() {
    let several = mistakes().into_iter().filter(|mistake| {
        let source = fs::read_to_string(mistake.with_extension("rs")).unwrap();
        marked(&source).len() > 1
    });
    assert!(several.count() >= 10);
}

#[test]
fn the_index_names_every_mistake() {
    let lessons = lessons();
    let readme = fs::read_to_string(format!("{FOLDER}/README.md")).unwrap();
    let begin = "<!-- index -->\n";
    let head = &readme[..readme.find(begin).expect("an index") + begin.len()];
    let mut text = head.to_owned();
    for (i, title) in RULES.iter().enumerate() {
        let of_rule: Vec<_> = lessons.iter().filter(|lesson| lesson.rule == i + 1).collect();
        assert!(!of_rule.is_empty(), "no mistake for C{}", i + 1);
        text += &format!("\n## C{}: {title}\n\n", i + 1);
        for lesson in of_rule {
            let first = lesson.words.split_once(". ").map_or(&*lesson.words, |(first, _)| first);
            text += &format!("* [`{0}`]({0}.rs): {first}.\n", lesson.name);
        }
    }
    kept(&format!("{FOLDER}/README.md"), &text);
}

#[test]
fn every_mistake_has_its_repair() {
    let mut modules = String::new();
    let mut topic = String::new();
    for mistake in mistakes() {
        let name = name(&mistake);
        let source = fs::read_to_string(mistake.with_extension("rs")).unwrap();
        let repaired = fs::read_to_string(mistake.with_extension("fixed.rs"))
            .unwrap_or_else(|_| panic!("{FOLDER}/{name}.fixed.rs is missing"));
        assert!(
            repaired.starts_with(&format!("// `{name}.rs`, repaired.\n")),
            "{name}: the first line of the repaired file is wrong"
        );
        assert!(
            !repaired.contains("//~") && !source.contains(&*repaired),
            "{name}: the repaired file still has the mistake"
        );
        let (of, module) = name.split_once('/').unwrap();
        if of != topic {
            modules += if topic.is_empty() { "" } else { "}\n" };
            modules += &format!("mod {of} {{\n");
            topic = of.to_owned();
        }
        modules += &format!("    #[path = \"{module}.fixed.rs\"]\n    mod {module};\n");
    }
    assert_eq!(ending(".fixed.rs"), mistakes(), "each repaired file belongs to a mistake");
    let file = format!("{FOLDER}/fixed.rs");
    let text = fs::read_to_string(&file).unwrap();
    let begin = "writes them.\n";
    let head = &text[..text.find(begin).expect("the modules") + begin.len()];
    kept(&file, &format!("{head}{modules}}}\n"));
}

/// The page of one rule: each mistake, its source, and the compiler's output.
fn page(rule: usize, lessons: &[Lesson]) -> String {
    let mut text = format!("C{rule}: {}.\n\n", RULES[rule - 1].to_lowercase());
    for lesson in lessons.iter().filter(|lesson| lesson.rule == rule) {
        let source =
            without_main(&lesson.source).trim().lines().map(|line| line.split("//~").next().unwrap().trim_end());
        let source = source.collect::<Vec<_>>().join("\n");
        let stderr = lesson.stderr.trim_end().replace(" //~", "").replace("tests/compile_fail/", "");
        text += &format!("# `{}`\n\n{}\n\n", lesson.name, lesson.words.replace(" Repair: ", "\n\nRepair: "));
        text += &format!("```compile_fail\n{source}\n```\n\n```text\n{stderr}\n```\n\n");
    }
    text
}

#[test]
fn the_documentation_is_made_of_the_mistakes() {
    let lessons = lessons();
    for rule in 1..=RULES.len() {
        kept(&format!("docs/errors/c{rule:02}.md"), &page(rule, &lessons));
    }
}
