//! The first lines of the README say the truth about the version that one can get.

use crate::links::read;

/// Returns what the README says wrongly, or not at all, beside this changelog and this manifest.
fn wrong(readme: &str, changelog: &str, manifest: &str) -> Vec<String> {
    let value = |key: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
        line.expect("a key of the workspace").trim().trim_matches('"').to_owned()
    };
    // `## [0.1.0] - 2026-01-31`, and `## [Unreleased]` for what comes next.
    let is_released = changelog.lines().any(|line| line.starts_with("## [") && !line.contains("Unreleased"));
    let head = readme.split("\n## ").next().unwrap();
    let mut wrong = Vec::new();
    let mut says = |text: &str, is_said: bool, should: bool| {
        if is_said != should {
            wrong.push(format!("`{text}` {}", if should { "is missing" } else { "is not true any more" }));
        }
    };
    for text in [format!("Rust {} or later", value("rust-version")), value("license").replace(" OR ", " or ")] {
        says(&text, head.contains(&text), true);
    }
    says("a picture", head.contains("!["), true);
    let added = head.lines().find(|line| line.starts_with("cargo add supervise-tree"));
    says("cargo add supervise-tree", added.is_some(), true);
    let is_marked = added.is_some_and(|line| line.contains("# from the first release on"));
    says("# from the first release on", is_marked, !is_released);
    for text in ["[not released yet](#what-is-young)", "cargo add --path "] {
        says(text, head.contains(text), !is_released);
    }
    says("0.1.0 is not released", readme.contains("0.1.0 is not released"), !is_released);
    wrong
}

#[test]
fn the_readme_says_what_is_released() {
    let wrong = wrong(&read("README.md"), &read("CHANGELOG.md"), &read("Cargo.toml"));
    assert!(wrong.is_empty(), "README.md: {wrong:#?}");
}

#[test]
fn a_readme_that_is_not_true_is_found() {
    const BEFORE: &str = "# it\n\nRust 1.88 or later, MIT or Apache-2.0, [not released yet](#what-is-young)\n\n\
        ![A picture](a.gif)\n\ncargo add --path ../it\ncargo add supervise-tree # from the first release on\n\n\
        ## What is young\n\n0.1.0 is not released.\n";
    const AFTER: &str =
        "# it\n\nRust 1.88 or later, MIT or Apache-2.0\n\n![A picture](a.gif)\n\ncargo add supervise-tree\n";
    const NONE: &str = "## [Unreleased]\n";
    const ONE: &str = "## [Unreleased]\n\n## [0.1.0] - 2026-12-24\n";
    const MANIFEST: &str = "rust-version = \"1.88\"\nlicense = \"MIT OR Apache-2.0\"\n";
    assert_eq!(wrong(BEFORE, NONE, MANIFEST), [""; 0]);
    assert_eq!(wrong(AFTER, ONE, MANIFEST), [""; 0]);
    assert_eq!(wrong(BEFORE, ONE, MANIFEST).len(), 4, "each word about the release is wrong then");
    assert_eq!(wrong(AFTER, NONE, MANIFEST).len(), 4, "each of them is missing");
    for (from, to) in [
        ("Rust 1.88 or later", "Rust 1.85 or later"),
        ("MIT or Apache-2.0", "MIT"),
        ("![", "["),
        ("# from the first release on", ""),
        ("cargo add supervise-tree", "cargo add supervise"),
        ("[not released yet](#what-is-young)", "stable"),
    ] {
        assert!(!wrong(&BEFORE.replace(from, to), NONE, MANIFEST).is_empty(), "{from}");
    }
}
