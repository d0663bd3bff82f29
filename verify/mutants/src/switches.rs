//! Mutants in a copy of the sources: all of them behind switches in one build, or one without.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::edits::{Applied, Mutant, Project};

/// Writes the mutants, each with the number of its place in `mutants`, from 1. Prints for each its number, and the
/// crates that it changes or `alone`: such a mutant needs a build of its own.
pub fn write(root: &Path, mutants: &[&Mutant]) -> Result<bool, String> {
    let project = Project::read(root)?;
    let mut bodies: BTreeMap<(usize, usize), Vec<(usize, String)>> = BTreeMap::new();
    let mut good = true;
    for (number, mutant) in (1..).zip(mutants) {
        let applied = match project.apply(mutant) {
            Ok(applied) => applied,
            Err(error) => {
                println!("{number}\tstale\t{error}");
                good = false;
                continue;
            }
        };
        let changed: Option<Vec<String>> = applied.iter().map(|applied| body(&project, applied)).collect();
        let crates: Vec<&str> = applied.iter().map(|of| project.files[of.file].2[of.item].path[0].as_str()).collect();
        let Some(changed) = changed.filter(|_| runs_with_its_test(&crates, &mutant.test)) else {
            println!("{number}\talone\t");
            continue;
        };
        println!("{number}\tswitched\t{}", crates.join(" "));
        for (applied, body) in applied.iter().zip(changed) {
            bodies.entry((applied.file, applied.item)).or_default().push((number, body));
        }
    }
    let mut changes: BTreeMap<usize, Vec<(Range<usize>, String)>> = BTreeMap::new();
    for ((file, item), bodies) in bodies {
        let (_, text, items) = &project.files[file];
        let range = items[item].body.clone().expect("a body");
        let mut new = String::from(" ");
        for (number, body) in bodies {
            new.push_str(&format!("if crate::__mutant({number}) {{ {body} }} else "));
        }
        new.push_str(&format!("{{ {}\n}} ", &text[range.clone()]));
        changes.entry(file).or_default().push((range, new));
    }
    for (file, mut changes) in changes {
        let (path, text, _) = &project.files[file];
        changes.sort_by_key(|(range, _)| range.start);
        let (mut out, mut done) = (String::new(), 0);
        for (range, new) in changes {
            out.push_str(&text[done..range.start]);
            out.push_str(&new);
            done = range.end;
        }
        out.push_str(&text[done..]);
        fs::write(root.join(path), out).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(good)
}

/// Returns whether the changed code runs while the test does, so that a switch of the test reaches it. A macro runs when a
/// test program is built, and only its own tests, and those of mistakes, call it or the compiler themselves.
pub fn runs_with_its_test(crates: &[&str], test: &str) -> bool {
    let calls_it = test.contains("-p supervise-macros") || test.contains("--test compile_fail");
    calls_it || !crates.contains(&"supervise_macros")
}

/// The changed code between the braces, if nothing else of the item has changed.
fn body(project: &Project, applied: &Applied) -> Option<String> {
    let (_, text, items) = &project.files[applied.file];
    let item = &items[applied.item];
    let body = item.body.clone()?;
    let before = &text[item.range.start..body.start];
    let inside = applied.text.get(before.len()..)?.trim_end().strip_suffix('}')?;
    applied.text.starts_with(before).then(|| inside.to_owned())
}

/// Writes changed items over the old ones.
pub fn write_plain(root: &Path, project: &Project, applied: &[Applied]) -> Result<(), String> {
    let mut by_file: BTreeMap<usize, Vec<&Applied>> = BTreeMap::new();
    for applied in applied {
        by_file.entry(applied.file).or_default().push(applied);
    }
    for (file, mut applied) in by_file {
        let (path, text, items) = &project.files[file];
        applied.sort_by_key(|applied| items[applied.item].range.start);
        let (mut out, mut done) = (String::new(), 0);
        for applied in applied {
            out.push_str(&text[done..items[applied.item].range.start]);
            out.push_str(&applied.text);
            done = items[applied.item].range.end;
        }
        out.push_str(&text[done..]);
        fs::write(root.join(path), out).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
