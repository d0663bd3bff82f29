//! `docs/performance.md` shows the record of `verify/cost`.

use std::fs;
use std::path::Path;

const RECORD: &str = "verify/cost/costs.txt";
const PAGE: &str = "docs/performance.md";
const BEGIN: &str = "<!-- costs -->\n";
const END: &str = "<!-- end of costs -->\n";

/// The rows of the record, and their names on the page.
const ROWS: [(&str, &str); 10] = [
    ("tell_unbounded", "tell, one producer, unbounded"),
    ("tell_bounded", "tell, one producer, bounded"),
    ("ask", "ask, one client"),
    ("spawn", "spawn of an instance"),
    ("stop", "stop of an instance"),
    ("restart_error", "restart after an error"),
    ("restart_panic", "restart after a panic"),
    ("restart_group", "restart of a group of 10, for each member"),
    ("tree_start", "start of a tree of 10 × 10 × 10, for each actor"),
    ("tree_stop", "stop of that tree, for each actor"),
];

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A number with a comma after the thousands.
fn grouped(number: &str) -> String {
    let mut text = String::new();
    for (at, digit) in number.chars().enumerate() {
        if at > 0 && (number.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The table that belongs to a record.
fn table(record: &str) -> String {
    let mut lines: Vec<Vec<_>> = Vec::new();
    for line in record.lines().filter(|line| !line.starts_with('#')) {
        lines.push(line.split_whitespace().collect());
    }
    let mut last = |row| lines.pop().filter(|line| line[0] == row).expect("the last rows are sizes")[1];
    let (text, idle) = (last("text"), last("idle"));
    let mut table =
        "| one operation | instructions | allocations | bytes allocated |\n|---|---:|---:|---:|\n".to_owned();
    assert_eq!(lines.iter().map(|line| line[0]).collect::<Vec<_>>(), ROWS.map(|(row, _)| row));
    for (line, (_, name)) in lines.iter().zip(ROWS) {
        let [_, instructions, allocations, bytes] = line[..] else { panic!("four columns: {line:?}") };
        let allocations: f64 = allocations.parse().unwrap();
        table += &format!("| {name} | {} | {allocations:.1} | {} |\n", grouped(instructions), grouped(bytes));
    }
    let (idle, text) = (grouped(idle), grouped(text));
    table + &format!("\nAn idle actor takes {idle} bytes. The example `15_fleet` has {text} bytes of machine code.\n")
}

#[test]
fn the_page_shows_the_recorded_costs() {
    let page = read(PAGE);
    let (before, rest) = page.split_once(BEGIN).expect("the begin of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    let renewed = format!("{before}{BEGIN}{}{END}{after}", table(&read(RECORD)));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE), renewed).unwrap();
        return;
    }
    let difference = page.lines().zip(renewed.lines()).find(|(is, should)| is != should);
    assert!(page == renewed, "{PAGE} is out of date: {difference:?}\nUPDATE=1 cargo test --test docs costs");
}

#[test]
fn thousands_have_a_comma() {
    assert_eq!(["0", "368", "3371", "998342"].map(grouped), ["0", "368", "3,371", "998,342"]);
}
