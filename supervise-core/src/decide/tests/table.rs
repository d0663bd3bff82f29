//! Reads `docs/semantics-table.md` and compares it with the cases: each cell has a case, and each case has a cell.

use std::collections::BTreeSet;

use super::{table_2a, table_2b, table_2c, table_2d};

const PAGE: &str = include_str!("../../../../docs/semantics-table.md");

/// The content of a cell for "nothing happens" or "cannot occur".
pub(super) const NOTHING: &str = "–";

/// The test of one cell.
pub(super) struct Case {
    pub(super) row: &'static str,
    pub(super) column: &'static str,
    pub(super) check: fn(),
}

pub(super) fn case(row: &'static str, column: &'static str, check: fn()) -> Case {
    Case { row, column, check }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) row: String,
    pub(super) column: String,
    pub(super) text: String,
}

/// The cells of the table under the heading that begins with this text.
pub(super) fn cells(table: &str) -> Vec<Cell> {
    let heading = format!("## {table} ");
    let mut lines = PAGE.lines().skip_while(|line| !line.starts_with(&heading)).skip(1);
    let columns = fields(lines.next().expect("a table follows its heading"));
    let mut cells = Vec::new();
    for line in lines.skip(1).take_while(|line| line.starts_with('|')) {
        let row = fields(line);
        assert_eq!(row.len(), columns.len(), "table {table}, row {:?}", row[0]);
        for (column, text) in columns.iter().zip(&row).skip(1) {
            cells.push(Cell { row: row[0].clone(), column: column.clone(), text: text.clone() });
        }
    }
    cells
}

fn fields(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split('|').map(|field| field.trim().to_owned()).collect()
}

fn hold_against(table: &str, size: usize, cases: Vec<Case>) {
    let cells = cells(table);
    println!("table {table}: {} cells, {} cases", cells.len(), cases.len());
    assert_eq!(cells.len(), size, "table {table} has changed its size");
    let wanted: BTreeSet<(&str, &str)> = cells.iter().map(|cell| (&*cell.row, &*cell.column)).collect();
    let given: BTreeSet<(&str, &str)> = cases.iter().map(|case| (case.row, case.column)).collect();
    let missing: Vec<_> = wanted.difference(&given).collect();
    let strange: Vec<_> = given.difference(&wanted).collect();
    assert!(missing.is_empty(), "table {table}, cells without a case: {missing:#?}");
    assert!(strange.is_empty(), "table {table}, cases without a cell: {strange:#?}");
    let mut failed = Vec::new();
    for case in cases {
        if std::panic::catch_unwind(case.check).is_err() {
            failed.push(format!("{} × {}", case.row, case.column));
        }
    }
    assert!(failed.is_empty(), "table {table}, cells that are not as they say: {failed:#?}");
}

#[test]
fn every_cell_of_table_2a_does_what_it_says() {
    hold_against("2a", 91, table_2a::cases());
}

#[test]
fn every_cell_of_table_2b_does_what_it_says() {
    hold_against("2b", 77, table_2b::cases());
}

#[test]
fn every_cell_of_table_2c_does_what_it_says() {
    hold_against("2c", 85, table_2c::cases());
}

#[test]
fn every_cell_of_table_2d_does_what_it_says() {
    hold_against("2d", 24, table_2d::cases());
}

#[test]
fn a_cell_that_says_nothing_is_found_in_every_table_but_says_so_with_a_dash() {
    for table in ["2a", "2b", "2c", "2d"] {
        let dashes = cells(table).iter().filter(|cell| cell.text == NOTHING).count();
        assert!(dashes > 0 && cells(table).iter().all(|cell| !cell.text.is_empty()), "table {table}");
    }
}
