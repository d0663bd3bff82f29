//! `docs/performance.md` shows the records of `verify/cost`.

use std::fs;
use std::path::Path;

const RECORD: &str = "verify/cost/costs.txt";
const PROTOTYPES: &str = "verify/cost/prototypes.txt";
const PAGE: &str = "docs/performance.md";

/// The rows of the record, their names on the page, and how many times the instructions of `lean` each may take, in
/// tenths: the target. The prototypes have no methods as messages.
const ROWS: [(&str, &str, Option<u32>); 13] = [
    ("tell_unbounded", "tell, one producer, unbounded", Some(15)),
    ("tell_bounded", "tell, one producer, bounded", Some(12)),
    ("told", "tell of a message to a method, bounded", None),
    ("forget", "call of a method, `forget`, bounded", None),
    ("ask", "ask, one client", Some(15)),
    ("call", "call of a method that returns nothing, one client", None),
    ("spawn", "spawn of an instance", Some(20)),
    ("stop", "stop of an instance", Some(25)),
    ("restart_error", "restart after an error", Some(18)),
    ("restart_panic", "restart after a panic", Some(14)),
    ("restart_group", "restart of a group of 10, for each member", Some(25)),
    ("tree_start", "start of a tree of 10 × 10 × 10, for each actor", Some(20)),
    ("tree_stop", "stop of that tree, for each actor", Some(25)),
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

/// The words of each line.
fn lines(record: &str) -> Vec<Vec<&str>> {
    record.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_whitespace().collect()).collect()
}

/// The table that belongs to a record.
fn table(record: &str) -> String {
    let mut lines = lines(record);
    let mut last = |row| lines.pop().filter(|line| line[0] == row).expect("the last rows are sizes")[1];
    let (text, idle) = (last("text"), last("idle"));
    let mut table =
        "| one operation | instructions | allocations | bytes allocated |\n|---|---:|---:|---:|\n".to_owned();
    assert_eq!(lines.iter().map(|line| line[0]).collect::<Vec<_>>(), ROWS.map(|(row, ..)| row));
    for (line, (_, name, _)) in lines.iter().zip(ROWS) {
        let [_, instructions, allocations, bytes] = line[..] else { panic!("four columns: {line:?}") };
        let allocations: f64 = allocations.parse().unwrap();
        table += &format!("| {name} | {} | {allocations:.1} | {} |\n", grouped(instructions), grouped(bytes));
    }
    let (idle, text) = (grouped(idle), grouped(text));
    table + &format!("\nAn idle actor takes {idle} bytes. The example `15_fleet` has {text} bytes of machine code.\n")
}

/// The table of the targets: ours beside the prototypes. The target is met if the ratio, as it is shown, is not above it.
fn targets(record: &str, prototypes: &str) -> String {
    let (lines, others) = (lines(record), lines(prototypes));
    let count = |lines: &[Vec<&str>], name: &str| {
        lines.iter().find(|line| line[0] == name).map(|line| line[1].parse::<u32>().expect("a number"))
    };
    let mut table = "| one operation | ours | lean | floor | ours / lean | ours / floor | target | met |\n".to_owned();
    table += "|---|---:|---:|---:|---:|---:|---:|---|\n";
    for (row, name, target) in ROWS {
        let Some(target) = target else { continue };
        let ours = count(&lines, row).expect("a row of ours");
        let lean = count(&others, &format!("lean.{row}")).expect("a row of lean");
        let floor = count(&others, &format!("floor.{row}"));
        let tenths = (10 * ours + lean / 2) / lean;
        let ratio = |other: u32| format!("{:.1}", f64::from(ours) / f64::from(other));
        let [shown, ratio_to_floor] =
            [floor.map(|floor| grouped(&floor.to_string())), floor.map(ratio)].map(|cell| cell.unwrap_or("–".into()));
        table += &format!(
            "| {name} | {} | {} | {shown} | {}.{} | {ratio_to_floor} | {}.{} | {} |\n",
            grouped(&ours.to_string()),
            grouped(&lean.to_string()),
            tenths / 10,
            tenths % 10,
            target / 10,
            target % 10,
            if tenths <= target { "yes" } else { "no" },
        );
    }
    table
}

/// Replaces what is between the two marks of a block.
fn renew(page: &str, block: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- {block} -->\n"), format!("<!-- end of {block} -->\n"));
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("no {begin}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no {end}"));
    format!("{before}{begin}{table}{end}{after}")
}

#[test]
fn the_page_shows_the_recorded_costs() {
    let (page, record) = (read(PAGE), read(RECORD));
    let renewed = renew(&page, "costs", &table(&record));
    let renewed = renew(&renewed, "targets", &targets(&record, &read(PROTOTYPES)));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE), renewed).unwrap();
        return;
    }
    let difference = page.lines().zip(renewed.lines()).find(|(is, should)| is != should);
    assert!(page == renewed, "{PAGE} is out of date: {difference:?}\nUPDATE=1 cargo test --test docs costs");
}

#[test]
fn a_target_is_met_up_to_its_ratio() {
    let record: String = ROWS.iter().map(|(row, ..)| format!("{row} 250 0.0 0\n")).collect();
    let prototypes: String = ROWS.iter().map(|(row, ..)| format!("lean.{row} 100\n")).collect();
    let table = targets(&record, &prototypes);
    let is_met = |line: &str| line.ends_with("| yes |");
    let met: Vec<_> = table.lines().skip(2).map(is_met).collect();
    let targets: Vec<_> = ROWS.iter().filter_map(|(.., target)| *target).map(|target| target >= 25).collect();
    assert_eq!(met, targets, "{table}");
    assert!(table.contains("| stop of an instance | 250 | 100 | – | 2.5 | – | 2.5 | yes |"), "{table}");
}

#[test]
fn thousands_have_a_comma() {
    assert_eq!(["0", "368", "3371", "998342"].map(grouped), ["0", "368", "3,371", "998,342"]);
}
