//! The compile-fail tests are the manual of mistakes; this holds it to its form.
//!
//! Every mistake in `tests/ui/<area>/<mistake>.rs` carries a `//~` at its line. One mistake gives one error, whose
//! first place is that line, and an error of our own names the repair after a `;`.

use std::fs;
use std::path::{Path, PathBuf};

/// Files in which the compiler says more than once what is wrong, with the reason.
const CASCADES: &[(&str, &str)] = &[
    ("actor/helper_above", "rustc: the name is ambiguous, and a lint says again that the derive comes first"),
    ("actor/helper_above_with_types", "the same two"),
];

/// `tests/ui/<area>/<mistake>`, without the ending, in order.
fn mistakes() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for area in fs::read_dir("tests/ui").unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let files = fs::read_dir(area).unwrap().map(|entry| entry.unwrap().path());
        let sources = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
        found.extend(sources.map(|path| path.with_extension("")));
    }
    found.sort();
    assert!(!found.is_empty(), "run from the root of the project");
    found
}

fn name(mistake: &Path) -> String {
    mistake.strip_prefix("tests/ui").unwrap().display().to_string()
}

/// An error as the compiler printed it.
#[derive(Debug)]
struct Printed {
    /// `E0277`; none of a `compile_error!`.
    code: Option<String>,
    message: String,
    line: Option<usize>,
}

impl Printed {
    /// Whether its text is ours: a `compile_error!`, or a panic of ours in a constant.
    fn ours(&self) -> bool {
        match self.code.as_deref() {
            // The lint `legacy_derive_helpers` has no code either.
            None => !self.message.starts_with("derive helper attribute"),
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

/// The lines that carry a mark, each as often as it does.
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
            if !error.message.contains("; ") {
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
