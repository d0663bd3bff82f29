//! The pages of docs as a book and as modules of the documentation.
//!
//! `docs/SUMMARY.md` has each page once, by its title. The modules `supervise::guide`, `supervise::recipes` and
//! `supervise::settings` are the pages of docs/guide, docs/recipes and docs/settings. A relative link would lead nowhere there, so these pages define their targets
//! below the text, as `[label]: ../remote.md`, and `src/links.md` defines the same labels for rustdoc: a page that is a
//! module by the path of the module, anything else by its address in the repository. `src/links.md` stands before the
//! page, and of two definitions of a label the first counts. The examples are tested without these definitions, so that a
//! test has the name and the line of its page.
//!
//! `UPDATE=1 cargo test --test docs book` writes `src/links.md` and the files of modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::links::{below, definitions, links, prose, read};

const SUMMARY: &str = "docs/SUMMARY.md";
/// The folders whose pages are modules, and the files of these modules.
const MODULES: [(&str, &str); 3] =
    [("docs/guide", "src/guide.rs"), ("docs/recipes", "src/recipes.rs"), ("docs/settings", "src/settings.rs")];
const LINKS: &str = "src/links.md";
const REPOSITORY: &str = "https://github.com/supervise-rs/supervise/blob/main";
const PICTURES: &str = "https://raw.githubusercontent.com/supervise-rs/supervise/main";

/// The pages of the folder, in order; that of the folder itself is the first.
fn pages_of(folder: &str) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    below(folder, "md", &mut pages);
    pages.sort_by_key(|page| (!page.ends_with("README.md"), page.clone()));
    assert!(pages.len() > 1, "run from the root of the project");
    pages
}

/// The pages of a module: the page of its folder, which may stand beside the folder, and those in the folder.
fn pages_of_module(folder: &str) -> Vec<PathBuf> {
    let beside = Some(PathBuf::from(format!("{folder}.md"))).filter(|page| page.exists());
    beside.into_iter().chain(pages_of(folder)).collect()
}

fn is_of_folder(page: &Path, folder: &str) -> bool {
    page.ends_with("README.md") || page == Path::new(&format!("{folder}.md"))
}

/// The path from the root of a link in this page, without its fragment.
fn resolved(page: &Path, link: &str) -> PathBuf {
    let path = link.split('#').next().unwrap();
    let mut found = PathBuf::new();
    for part in page.parent().unwrap().join(path).components() {
        match part {
            Component::ParentDir => drop(found.pop()),
            part => found.push(part),
        }
    }
    if path.is_empty() { page.to_owned() } else { found }
}

/// The title of a page: its heading, or its first sentence. A page that begins with a table has none.
fn title(page: &str) -> Option<&str> {
    let first = page.lines().next().unwrap_or_default();
    first.strip_prefix("# ").or_else(|| Some(first.trim_end_matches('.')).filter(|first| !first.starts_with('|')))
}

/// The lines of a summary that lead to a page: the title and the path from its folder.
fn entries(summary: &str) -> Vec<(&str, &str)> {
    let lines = summary.lines().map(|line| line.trim_start().trim_start_matches("- "));
    lines.filter_map(|line| line.strip_prefix('[')?.strip_suffix(')')?.split_once("](")).collect()
}

/// The differences between a summary and these pages, which are named from the same folder.
fn wrong_entries(summary: &str, pages: &BTreeMap<String, String>) -> Vec<String> {
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for (name, path) in entries(summary) {
        let Some(page) = pages.get(path) else {
            wrong.push(format!("{path} is not there"));
            continue;
        };
        if !seen.insert(path) {
            wrong.push(format!("{path} stands twice"));
        }
        if let Some(title) = title(page).filter(|title| title.to_lowercase() != name.to_lowercase()) {
            wrong.push(format!("{path} is called {name}, and its title is {title}"));
        }
    }
    wrong.extend(pages.keys().filter(|path| !seen.contains(path.as_str())).map(|path| format!("{path} is missing")));
    wrong
}

#[test]
fn the_summary_has_each_page_once_by_its_title() {
    let mut pages = BTreeMap::new();
    for page in pages_of("docs") {
        pages.insert(page.strip_prefix("docs").unwrap().to_str().unwrap().to_owned(), read(&page));
    }
    pages.remove("SUMMARY.md").expect("a summary");
    let summary = read(SUMMARY);
    let items = summary.lines().filter(|line| line.contains('[')).count();
    assert_eq!(entries(&summary).len(), items, "a line of {SUMMARY} is not `- [title](path)`");
    let wrong = wrong_entries(&summary, &pages);
    assert!(wrong.is_empty(), "{SUMMARY}: {wrong:#?}");
}

#[test]
fn a_summary_that_lacks_something_is_found() {
    let pages = [("a.md", "# A page\n"), ("b.md", "B1: another page.\n"), ("c/README.md", "| a table |\n")];
    let pages = pages.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    let good = "# Summary\n\n[A page](a.md)\n\n- [B1: Another page](b.md)\n  - [Any](c/README.md)\n";
    assert!(wrong_entries(good, &pages).is_empty());
    for (from, to) in [
        ("(a.md)", "(gone.md)"),
        ("[A page](a.md)\n", ""),
        ("[A page]", "[The page]"),
        ("Another", "One more"),
        ("\n- ", "\n- [A page](a.md)\n- "),
    ] {
        let summary = good.replacen(from, to, 1);
        assert!(summary != good && !wrong_entries(&summary, &pages).is_empty(), "{summary}");
    }
}

/// The module of a page, in its parent: `chapter_1` for `1-a-first-actor.md`.
fn module(page: &Path) -> String {
    let stem = page.file_stem().unwrap().to_str().unwrap();
    match stem.split_once('-') {
        Some((number, _)) if number.chars().all(|c| c.is_ascii_digit()) => format!("chapter_{number}"),
        _ => stem.replace('-', "_"),
    }
}

/// The target of a definition in this page, as rustdoc needs it.
fn for_rustdoc(page: &Path, link: &str) -> String {
    if link.contains("://") {
        return link.to_owned();
    }
    let target = resolved(page, link);
    let fragment = link.find('#').map_or("", |at| &link[at..]);
    let of_module = MODULES.iter().chain(&[("docs/errors", "src/errors.rs")]).find(|(folder, _)| {
        target.starts_with(folder) || is_of_folder(&target, folder) && !target.ends_with("README.md")
    });
    match of_module {
        Some((folder, file)) => {
            let parent = module(Path::new(file));
            // The page of the folder is the module around the others.
            let child = if is_of_folder(&target, folder) || target == Path::new(folder) {
                String::new()
            } else {
                format!("::{}", module(&target))
            };
            format!("crate::{parent}{child}{fragment}")
        }
        None if target.extension().is_some_and(|end| end == "svg" || end == "png") => {
            format!("{PICTURES}/{}", target.display())
        }
        None => format!("{REPOSITORY}/{}{fragment}", target.display()),
    }
}

/// The links of a page that lead nowhere as a module: rustdoc would print them as they are.
fn dead_in_rustdoc(page: &str) -> Vec<String> {
    let text = prose(page);
    let is_relative = |link: &&str| !link.contains("://") && !link.starts_with('#');
    let mut dead: Vec<String> = links(&text).into_iter().filter(is_relative).map(String::from).collect();
    for mark in ["href=\"", "src=\""] {
        let targets = text.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
        dead.extend(targets.filter(is_relative).map(String::from));
    }
    let defined: BTreeSet<String> = definitions(&text).map(|(label, _)| label.to_lowercase()).collect();
    let labels = text.split("][").skip(1).filter_map(|rest| rest.split(']').next());
    dead.extend(labels.filter(|label| !defined.contains(&label.to_lowercase())).map(|label| format!("[{label}]")));
    dead
}

/// The labels that a page uses and does not define: they are links in rustdoc, and text on the web.
fn only_defined_elsewhere<'a>(page: &str, labels: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let text = prose(page).to_lowercase();
    let defined: BTreeSet<&str> = definitions(&text).map(|(label, _)| label).collect();
    // The text of a link with a target or a label of its own is no label.
    let uses = |label: &&String| text.split(&format!("[{label}]")).skip(1).any(|rest| !rest.starts_with(['(', '[']));
    labels.filter(uses).filter(|label| !defined.contains(label.as_str())).collect()
}

/// Compares a generated file with its expected content, or writes it.
fn kept(path: &str, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, text).unwrap();
    }
    let written = fs::read_to_string(path).unwrap_or_default();
    assert!(written == text, "{path} is out of date; `UPDATE=1 cargo test --test docs book` regenerates it");
}

#[test]
fn links_of_the_modules_lead_somewhere_in_rustdoc() {
    let (mut targets, mut wrong) = (BTreeMap::new(), Vec::new());
    for page in MODULES.iter().flat_map(|(folder, _)| pages_of_module(folder)) {
        let text = read(&page);
        wrong.extend(dead_in_rustdoc(&text).into_iter().map(|link| format!("{}: {link}", page.display())));
        for (label, link) in definitions(&prose(&text)) {
            let target = for_rustdoc(&page, link);
            let (_, earlier) =
                targets.entry(label.to_lowercase()).or_insert_with(|| (label.to_owned(), target.clone()));
            if *earlier != target {
                wrong.push(format!("{}: [{label}] is {target} here, and {earlier} elsewhere", page.display()));
            }
        }
    }
    for page in MODULES.iter().flat_map(|(folder, _)| pages_of_module(folder)) {
        let used = only_defined_elsewhere(&read(&page), targets.keys());
        wrong.extend(used.into_iter().map(|label| format!("{}: [{label}] has no target here", page.display())));
    }
    assert!(wrong.is_empty(), "write `[text][label]`, and `[label]: target` below the text: {wrong:#?}");
    assert!(targets.len() > 30, "only {} targets were found", targets.len());
    let lines: String = targets.into_values().map(|(label, target)| format!("[{label}]: {target}\n")).collect();
    kept(LINKS, &format!("{lines}\n"));
}

#[test]
fn each_page_of_a_module_is_in_it() {
    for (folder, file) in MODULES {
        let mut text = String::new();
        for page in pages_of_module(folder) {
            let is_of_folder = is_of_folder(&page, folder);
            let mark = if is_of_folder { "#!" } else { "#" };
            text += if is_of_folder { "" } else { "\n" };
            text += &format!("{mark}[cfg_attr(not(doctest), doc = include_str!(\"links.md\"))]\n");
            text += &format!("{mark}[doc = include_str!(\"../{}\")]\n", page.display());
            if !is_of_folder {
                text += &format!("pub mod {} {{}}\n", module(&page));
            }
        }
        kept(file, &text);
    }
}

#[test]
fn links_that_are_dead_in_rustdoc_are_found() {
    for page in [
        "See [it](../remote.md).",
        "See [it](other.md#place).",
        "![A picture](images/a.png)",
        "<img src=\"images/a.png\">",
        "<a href=\"../remote.md\">it</a>",
        "See [it][label].\n\n[another]: ../remote.md",
    ] {
        assert_eq!(dead_in_rustdoc(page).len(), 1, "{page}");
    }
    for page in [
        "See [it](#below).",
        "See [it](https://example.org/a.md).",
        "```\nlet it = [a](b.md);\n```\nNothing.",
        "See [it][The label].\n\n[the label]: ../remote.md",
    ] {
        assert!(dead_in_rustdoc(page).is_empty(), "{page}");
    }
    let known = ["the label".to_owned()];
    let used = |page: &str| only_defined_elsewhere(page, known.iter()).len();
    assert_eq!(used("See [The label]."), 1);
    for page in ["See [The label].\n\n[the label]: ../remote.md", "See [the label](#below).", "See the label."] {
        assert_eq!(used(page), 0, "{page}");
    }
    for (link, target) in [
        ("2-a-tree.md", "crate::guide::chapter_2"),
        ("README.md", "crate::guide"),
        ("../recipes/sets.md#ends-by-key", "crate::recipes::sets#ends-by-key"),
        ("../recipes/README.md", "crate::recipes"),
        ("../settings.md", "crate::settings"),
        ("../settings/on.md#mistakes", "crate::settings::on#mistakes"),
        ("../errors/c01.md", "crate::errors::c01"),
        ("../remote.md#tokens", "https://github.com/supervise-rs/supervise/blob/main/docs/remote.md#tokens"),
        ("../plots/many.svg", "https://raw.githubusercontent.com/supervise-rs/supervise/main/docs/plots/many.svg"),
        ("../../examples", "https://github.com/supervise-rs/supervise/blob/main/examples"),
        ("https://example.org", "https://example.org"),
    ] {
        assert_eq!(for_rustdoc(Path::new("docs/guide/1-a-first-actor.md"), link), target);
    }
}

/// Pages that are in no package, with the reason.
const NOT_PACKAGED: [(&str, &str); 3] = [
    ("docs/console.md", "screenshots, which are larger than all sources"),
    ("docs/semantics/proofs", "lists of tests, which are in no package"),
    ("docs/images", "the screenshots; the registry shows those of the README from the repository"),
];

/// A page in the package has the pages and pictures of docs that it links in the same package.
#[test]
fn a_packaged_page_has_what_it_links() {
    let contents = read("verify/packages/contents.txt");
    let packaged: BTreeSet<&Path> =
        contents.lines().filter_map(|line| line.strip_prefix("supervise-tree/")).map(Path::new).collect();
    let (mut missing, mut read_links) = (BTreeSet::new(), 0);
    for page in
        packaged.iter().filter(|path| path.extension().is_some_and(|end| end == "md") && **path != Path::new(LINKS))
    {
        let text = prose(&read(page));
        for link in links(&text).into_iter().chain(definitions(&text).map(|(_, link)| link)) {
            let target = resolved(page, link);
            let is_left_out = NOT_PACKAGED.iter().any(|(path, _)| target.starts_with(path));
            if link.contains("://") || !target.starts_with("docs") || is_left_out {
                continue;
            }
            read_links += 1;
            let is_there = if target.is_dir() {
                packaged.iter().any(|path| path.starts_with(&target))
            } else {
                packaged.contains(&*target)
            };
            if !is_there {
                missing.insert(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(read_links > 100, "only {read_links} links were found");
    assert!(missing.is_empty(), "add these to `include` in Cargo.toml: {missing:#?}");
    let unused: Vec<_> =
        NOT_PACKAGED.iter().filter(|(path, _)| packaged.iter().any(|packaged| packaged.starts_with(path))).collect();
    assert!(unused.is_empty(), "these are packaged: {unused:?}");
}
