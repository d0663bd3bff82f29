//! Checks the handwritten pages: links have a target, named things exist, and quoted compiler output is real.
//! (`verify/guide/run.py` checks the output of the guide's programs.)

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// Every file in a folder with this ending, except build output.
fn below(folder: &str, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            below(path.to_str().unwrap(), ending, found);
        } else if path.extension().is_some_and(|it| it == ending) {
            found.push(path);
        }
    }
}

fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<_> = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "ARCHITECTURE.md"].map(Into::into).into();
    for folder in ["docs", "examples", "tests", "verify", "fuzz", "benches"] {
        below(folder, "md", &mut pages);
    }
    pages.sort();
    pages
}

/// The page without its blocks of code.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// The anchors of a page: those of its headings, and those that it sets by hand.
fn anchors(page: &str) -> BTreeSet<String> {
    let text = prose(page);
    let set = text.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(String::from);
    text.lines().filter(|line| line.starts_with('#')).map(anchor).chain(set).collect()
}

/// The anchor of a heading, as used in links.
pub(crate) fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    heading.trim_start_matches('#').trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
}

#[test]
fn links_lead_somewhere() {
    let (mut wrong, mut known) = (Vec::new(), BTreeMap::new());
    for page in pages() {
        let text = prose(&read(&page));
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || (page.starts_with("docs/errors") && !link.contains('/')) {
                continue;
            }
            let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            if !target.exists() {
                wrong.push(format!("{}: {link}", page.display()));
                continue;
            }
            if !fragment.is_empty() {
                let anchors = known.entry(target).or_insert_with_key(|target| anchors(&read(target)));
                if !anchors.contains(fragment) {
                    wrong.push(format!("{}: no heading for {link}", page.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A file that a page names between backticks exists, with the end of its path as the page writes it.
#[test]
fn files_that_are_named_exist() {
    let mut files = Vec::new();
    for ending in ["rs", "md", "sh", "py", "toml", "txt"] {
        for folder in ["src", "docs", "examples", "tests", "verify", "fuzz", "benches"] {
            below(folder, ending, &mut files);
        }
        for krate in ["supervise-macros", "supervise-remote", "supervise-rules", "supervise-runtime"] {
            below(krate, ending, &mut files);
        }
        files.extend(fs::read_dir(".").unwrap().map(|entry| entry.unwrap().path()));
    }
    // A file that is built, and names that stand for any.
    let others = ["target/cells/cells.md", "NAME.rs", "NAME.expanded.rs", ".fixed.rs"];
    let mut wrong = Vec::new();
    for page in pages() {
        for name in prose(&read(&page)).split('`').skip(1).step_by(2) {
            let is_file =
                Path::new(name).extension().is_some_and(|end| ["rs", "md", "sh", "py"].iter().any(|it| end == *it));
            let plain = name.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c));
            let name = name.trim_start_matches("./");
            if is_file && plain && !others.contains(&name) && !files.iter().any(|file| file.ends_with(name)) {
                wrong.push(format!("{}: {name}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The names in commands of a page: `cargo test --test NAME`, `verify/mutants/run.sh` and similar ones.
#[test]
fn what_is_named_is_there() {
    let mut wrong = Vec::new();
    for page in ["README.md", "CONTRIBUTING.md", "verify/README.md"] {
        // The text between two backticks, in a line or in a block.
        let text = read(page).replace("```text", "`").replace("```", "`");
        for code in text.split('`').skip(1).step_by(2) {
            let words: Vec<_> = code.split_whitespace().collect();
            for (at, word) in words.iter().enumerate() {
                let before = at.checked_sub(1).map_or("", |before| words[before]);
                let there = match before {
                    "--test" => {
                        let package =
                            words.iter().position(|word| *word == "-p").map(|at| format!("{}/tests", words[at + 1]));
                        ["tests", "verify/model/tests"]
                            .into_iter()
                            .chain(package.as_deref())
                            .flat_map(|folder| [format!("{folder}/{word}.rs"), format!("{folder}/{word}/main.rs")])
                            .any(|file| Path::new(&file).exists())
                            || read("Cargo.toml").contains(&format!("[[test]]\nname = \"{word}\"\n"))
                    }
                    "--example" => {
                        let package = words.iter().position(|word| *word == "-p").map_or(".", |at| words[at + 1]);
                        ["", ".rs"].iter().any(|end| Path::new(&format!("{package}/examples/{word}{end}")).exists())
                    }
                    "-p" => Path::new(word).join("Cargo.toml").exists(),
                    _ => {
                        let path = word.contains('/')
                            && word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
                            && !word.starts_with('.')
                            && !word.contains("s44");
                        !path || Path::new(word).exists()
                    }
                };
                if !there {
                    wrong.push(format!("{page}: `{word}` in `{code}`"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The compiler output in the README is a whole `.stderr`, without the marks and the folder.
#[test]
fn the_readme_shows_what_the_compiler_says() {
    let mut outputs = Vec::new();
    below("tests/compile_fail", "stderr", &mut outputs);
    let said: BTreeSet<_> = outputs
        .iter()
        .map(|path| read(path).trim_end().replace(" //~", "").replace("tests/compile_fail/", ""))
        .collect();
    let readme = read("README.md");
    let shown: Vec<_> = readme.split("```").filter_map(|block| block.strip_prefix("text\n")).collect();
    let shown: Vec<_> = shown.into_iter().filter(|block| block.starts_with("error")).collect();
    assert_eq!(shown.len(), 2);
    for error in shown {
        assert!(said.contains(error.trim_end()), "no file of tests/compile_fail contains\n{error}");
    }
}

#[test]
fn anchors_are_made_as_they_are_on_the_web() {
    assert_eq!(anchor("### S5 No message is lost in silence"), "s5-no-message-is-lost-in-silence");
    assert_eq!(anchor("## 4. Errors that no retry heals"), "4-errors-that-no-retry-heals");
    assert_eq!(anchor("### S30 `let`"), "s30-let");
}
