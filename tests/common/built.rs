//! Programs that are built together with the tests.

#![allow(unreachable_pub)]

use std::path::{Path, PathBuf};

/// The folder for the examples, next to the folder of this test.
pub fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    test.parent().and_then(Path::parent).expect("target/<profile>/deps").join("examples").join(name)
}

/// Checks whether an example was built from the present sources. A run of this test alone does not build the examples,
/// and the output of an old build proves nothing. Next to each example, cargo writes a list of its sources.
pub fn out_of_date(binary: &Path) -> Option<String> {
    let modified = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    let built = modified(binary);
    let made_of = std::fs::read_to_string(binary.with_extension("d")).unwrap_or_default();
    let newer = made_of.split_whitespace().skip(1).find(|source| modified(Path::new(source)) > built);
    match (built, newer) {
        (None, _) => Some("is not built: `cargo build --examples` first".to_owned()),
        (_, Some(source)) => Some(format!("is older than {source}: `cargo build --examples` first")),
        (Some(_), None) => None,
    }
}
