//! `docs/performance.md` shows each plot, and each plot, and a table of the page, is made of the numbers in its file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "docs/plots";
const PAGE: &str = "docs/performance.md";
/// The file whose numbers are not a plot but a table of the page.
const TABLE: &str = "stopping";
const REPAIR: &str = "benches/growth/run.py --draw";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of the files with this ending.
fn names(ending: &str) -> BTreeSet<String> {
    let files = fs::read_dir(root().join(FOLDER)).expect("the folder of the plots");
    let paths = files.map(|file| file.expect("a file").path());
    let chosen: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|it| it == ending)).collect();
    chosen.iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

fn read(name: &str, ending: &str) -> String {
    fs::read_to_string(root().join(FOLDER).join(format!("{name}.{ending}"))).expect("a file")
}

/// The mark that `benches/growth/run.py` writes where it shows the numbers of this file.
fn mark(name: &str) -> String {
    format!("<!-- numbers {} -->", hash(&read(name, "csv")))
}

/// FNV-1a, with which the marks are made.
fn hash(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

#[test]
fn each_plot_is_drawn_from_its_numbers() {
    let (drawn, mut numbers) = (names("svg"), names("csv"));
    numbers.remove(TABLE);
    assert_eq!(drawn, numbers, "{REPAIR}");
    assert!(drawn.len() >= 5, "{drawn:?}");
    for name in drawn {
        let same = read(&name, "svg").contains(&mark(&name));
        assert!(same, "{FOLDER}/{name}.svg shows other numbers than its csv: {REPAIR}");
    }
}

#[test]
fn the_table_has_the_numbers_of_its_file() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    assert!(page.contains(&mark(TABLE)), "{PAGE} shows other numbers than {FOLDER}/{TABLE}.csv: {REPAIR}");
}

/// The text of a picture says what it shows, for those who cannot see it.
#[test]
fn the_page_shows_each_plot() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    for name in names("svg") {
        let shown = page.lines().any(|line| line.starts_with("![") && line.ends_with(&format!("](plots/{name}.svg)")));
        assert!(shown, "{PAGE} does not show plots/{name}.svg");
    }
}

#[test]
fn the_hash_is_that_of_the_script() {
    assert_eq!(hash(""), "cbf29ce484222325");
    assert_eq!(hash("foobar"), "85944171f73967e8");
}
