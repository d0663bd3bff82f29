//! The compiler's messages for trees that cannot work. Each mistake has a file in `tests/compile_fail/<topic>/`.
//!
//! `TRYBUILD=overwrite cargo test --test compile_fail` regenerates the messages. Review the difference before you keep
//! it.

use std::fs;
use std::path::{Path, PathBuf};

/// Every `<topic>/<mistake>.rs`. The crate `fixed.rs` compiles each `<mistake>.fixed.rs` next to it.
fn mistakes() -> Vec<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let topics = entries(Path::new("tests/compile_fail")).filter(|path| path.is_dir());
    let mut found: Vec<_> = topics.flat_map(|topic| entries(&topic)).collect();
    found
        .retain(|path| path.extension().is_some_and(|it| it == "rs") && !path.to_string_lossy().ends_with(".fixed.rs"));
    found.sort();
    assert!(found.len() > 150, "run from the root of the project: {}", found.len());
    found
}

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    for mistake in mistakes() {
        cases.compile_fail(mistake);
    }
}
