//! Checks the handwritten pages: links have a target, named things exist, and quoted compiler output is real.
//! (`verify/guide/run.py` checks the output of the guide's programs.)

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// Every file in a folder with this ending, except build output.
pub(crate) fn below(folder: &str, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            below(path.to_str().unwrap(), ending, found);
        } else if path.extension().is_some_and(|it| it == ending) {
            found.push(path);
        }
    }
}

/// The folders of pages, and of programs that are no crates of the workspace.
const FOLDERS: [&str; 8] = [
    "docs",
    "examples",
    "tests",
    "verify",
    "fuzz",
    "benches",
    "supervise-remote-zenoh/src",
    "supervise-remote-zenoh/tests",
];

pub(crate) fn pages() -> Vec<PathBuf> {
    let roots = fs::read_dir(".").unwrap().map(|entry| PathBuf::from(entry.unwrap().file_name()));
    let mut pages: Vec<_> = roots.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    for folder in FOLDERS {
        below(folder, "md", &mut pages);
    }
    for entry in fs::read_dir(".").unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("supervise-") {
            below(&name, "md", &mut pages);
        }
    }
    pages.sort();
    pages
}

/// The page without its blocks of code.
pub(crate) fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// The targets of the links and pictures in a text.
pub(crate) fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// The labels that a page defines, each with its target: `[label]: target` in a line of its own.
pub(crate) fn definitions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "))
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
        for link in links(&text).into_iter().chain(definitions(&text).map(|(_, link)| link)) {
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

/// A link to docs.rs leads to a package of this project or to a dependency of it, and within the package to its own crate:
/// `supervise-tree` is this project, and `supervise` is somebody else's.
#[test]
fn links_to_docs_rs_lead_to_packages_that_are_used() {
    let (mut files, mut locks) = (pages(), vec![PathBuf::from("Cargo.lock")]);
    let mut own = BTreeSet::from(["supervise-tree".to_owned()]);
    files.push("Cargo.toml".into());
    for folder in fs::read_dir(".").unwrap().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if folder.is_dir() && !name.starts_with('.') && name != "target" {
            ["rs", "toml"].iter().for_each(|ending| below(&name, ending, &mut files));
            below(&name, "lock", &mut locks);
            own.extend(Some(name).filter(|name| name.starts_with("supervise-")));
        }
    }
    // Packages of a registry: a check may have a package of its own with a name that another one has there.
    let of_lock = |lock: &PathBuf| {
        let lock = read(lock);
        let entries = lock.split("[[package]]").filter(|entry| entry.contains("source = \"registry"));
        entries.filter_map(|entry| Some(entry.split("name = \"").nth(1)?.split('"').next()?.into())).collect::<Vec<_>>()
    };
    let packages: BTreeSet<String> =
        locks.iter().flat_map(of_lock).chain(own).chain(OTHERS.map(String::from)).collect();
    let (mut read_links, mut wrong) = (0, BTreeSet::new());
    for file in files {
        // `concat!` keeps this string from being a link to docs.rs itself.
        for link in read(&file).split(concat!("https://docs", ".rs/")).skip(1) {
            let link = link.split(|c: char| !(c.is_alphanumeric() || "-_/.=".contains(c))).next().unwrap();
            let mut parts = link.trim_start_matches("crate/").split('/');
            let (package, _, inner) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
            let name = if package == "supervise-tree" { "supervise".into() } else { package.replace('-', "_") };
            read_links += 1;
            let is_inside = inner.is_none_or(|inner| inner.is_empty() || inner.contains('.') || inner == name);
            if !packages.contains(package) || !is_inside {
                wrong.insert(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(read_links > 20, "only {read_links} links were found");
    assert!(wrong.is_empty(), "these lead to packages that are not used here: {wrong:#?}");
}

/// Packages that a page compares with, and nothing here is built with.
const OTHERS: [&str; 1] = ["ractor_cluster"];

/// A file that a page names between backticks exists, with the end of its path as the page writes it.
#[test]
fn files_that_are_named_exist() {
    let mut files = Vec::new();
    for ending in ["rs", "md", "sh", "py", "toml", "txt"] {
        for folder in FOLDERS.into_iter().chain(["src"]) {
            below(folder, ending, &mut files);
        }
        for krate in [
            "supervise-core",
            "supervise-lease",
            "supervise-macros",
            "supervise-observe",
            "supervise-remote",
            "supervise-rules",
            "supervise-runtime",
            "supervise-testing",
        ] {
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
