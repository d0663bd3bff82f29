//! The resource that the instances write to: a file for each child, with a line for each act.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use supervise::FenceToken;

/// The way of one instance into the journal.
pub(crate) struct Journal {
    file: File,
    token: FenceToken,
}

fn micros() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()
}

impl Journal {
    /// Says that this instance begins.
    pub(crate) fn begin(path: &Path, token: FenceToken) -> std::io::Result<Journal> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let mut journal = Journal { file, token };
        journal.write("begin", 0)?;
        Ok(journal)
    }

    /// Appends a line in one write, so that the lines of all processes stand in the order in which they were written.
    pub(crate) fn write(&mut self, what: &str, number: u64) -> std::io::Result<()> {
        let FenceToken { epoch, placement } = self.token;
        let line = format!("{what} {epoch} {placement} {} {} {number}\n", std::process::id(), micros());
        self.file.write_all(line.as_bytes())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) what: String,
    pub(crate) token: FenceToken,
    pub(crate) pid: u32,
    pub(crate) micros: u64,
    pub(crate) number: u64,
}

pub(crate) fn read(path: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| words[i].parse::<u64>().unwrap();
        Line {
            what: words[0].to_owned(),
            token: FenceToken { epoch: number(1), placement: number(2) },
            pid: number(3) as u32,
            micros: number(4),
            number: number(5),
        }
    };
    // The last line may be on its way.
    text.split_inclusive('\n').filter_map(|text| text.strip_suffix('\n')).map(line).collect()
}

/// Tokens grow, and no instance acts once a later one has begun, but for so many writes: of each process that was frozen,
/// one may have been in the middle of a write.
pub(crate) fn check_alone(lines: &[Line], frozen: usize) {
    check_tokens(lines);
    let mut newest = None;
    let mut late = Vec::new();
    for line in lines {
        if Some(line.token) < newest {
            late.push(line);
        }
        newest = newest.max(Some(line.token));
    }
    assert!(
        late.len() <= frozen,
        "{} acts of instances that were replaced: {:?}",
        late.len(),
        &late[..late.len().min(5)]
    );
}

/// The tokens of a child grow from each instance to the next.
pub(crate) fn check_tokens(lines: &[Line]) {
    let begins: Vec<_> = begins(lines).iter().map(|line| line.token).collect();
    assert!(begins.windows(2).all(|two| two[0] < two[1]), "tokens do not grow: {begins:?}");
}

pub(crate) fn begins(lines: &[Line]) -> Vec<&Line> {
    lines.iter().filter(|line| line.what == "begin").collect()
}

/// The numbers of the messages that were handled, each of them once.
pub(crate) fn handled(lines: &[Line]) -> usize {
    let mut seen = HashSet::new();
    for line in lines.iter().filter(|line| line.what == "add") {
        assert!(seen.insert(line.number), "message {} was handled twice", line.number);
    }
    seen.len()
}

#[test]
fn overlaps_and_tokens_are_noticed() {
    let line = |what: &str, placement| Line {
        what: what.to_owned(),
        token: FenceToken { epoch: 1, placement },
        pid: 1,
        micros: 0,
        number: placement,
    };
    let fails = |lines: &[Line], frozen| std::panic::catch_unwind(|| check_alone(lines, frozen)).is_err();
    let (begin, act) = (|n| line("begin", n), |n| line("act", n));
    assert!(!fails(&[begin(1), act(1), begin(2), act(2)], 0));
    assert!(fails(&[begin(1), begin(2), act(1), act(2)], 0), "an overlap");
    assert!(!fails(&[begin(1), begin(2), act(1), act(2)], 1));
    assert!(fails(&[begin(1), begin(2), act(1), act(2), act(1)], 1));
    assert!(fails(&[begin(2), act(2), begin(1)], 9), "a lower token");
    assert!(fails(&[begin(1), begin(1)], 9), "a token twice");
    assert!(std::panic::catch_unwind(|| handled(&[line("add", 1), line("add", 1)])).is_err());
}
