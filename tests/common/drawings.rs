//! Drawings that are kept in `tests/golden/drawings`; `UPDATE=1 cargo test` regenerates them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Checks that the drawing equals the kept one.
#[track_caller]
pub fn same_as_kept(name: &str, drawing: &str) {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/drawings")).join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, drawing).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, drawing, "{name} has changed; review it, then regenerate it with UPDATE=1\n{drawing}");
}

/// Checks that `dot` accepts the drawing, if `dot` is installed.
#[track_caller]
pub fn check_graphviz(drawing: &str) {
    let dot =
        Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut dot) = dot else {
        eprintln!("no `dot` here: the drawing was not tried");
        return;
    };
    dot.stdin.take().unwrap().write_all(drawing.as_bytes()).unwrap();
    let out = dot.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && !complaint.contains("syntax error"), "{complaint}\n{drawing}");
    assert!(String::from_utf8_lossy(&out.stdout).contains("<svg"));
}
