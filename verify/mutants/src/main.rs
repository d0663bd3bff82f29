//! Finds mutants by function and tokens, and writes them into the sources.
//!
//! usage: edits [--in FOLDER] check                 the mutants that the sources no longer have a place for
//!        edits [--in FOLDER] list                  name, test and items of each, as lines with tabs
//!        edits [--in FOLDER] show NAME ..          the changed items
//!        edits [--in FOLDER] rename OLD NEW        mends the mutants that are stale because a name has changed
//!        edits [--in FOLDER] write ROOT NAME ..    writes the mutants into the sources below ROOT, with switches
//!        edits [--in FOLDER] apply ROOT NAME       writes one mutant without a switch
//!
//! The mutants are in the files `*.edits` of FOLDER, which is the folder of this crate by default. A mutant is active
//! while `crate::__mutant(number)` returns `true`.

mod edits;
mod source;
mod switches;
#[cfg(test)]
mod tests;
mod tokens;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use edits::{Mutant, Project};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

fn named<'a>(mutants: &'a [Mutant], names: &[String]) -> Result<Vec<&'a Mutant>, String> {
    let find = |name: &String| {
        mutants.iter().find(|mutant| mutant.name == *name).ok_or_else(|| format!("there is no mutant {name}"))
    };
    names.iter().map(find).collect()
}

fn run(args: &[String]) -> Result<bool, String> {
    let (folder, args) = match args {
        [option, folder, rest @ ..] if option == "--in" => (PathBuf::from(folder), rest),
        _ => (root().join("verify/mutants"), args),
    };
    let mutants = edits::all(&folder)?;
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["check"] => check(&folder, &mutants),
        ["list"] => {
            for mutant in &mutants {
                let items: Vec<&str> = mutant.edits.iter().map(|edit| edit.item.as_str()).collect();
                println!("{}\t{}\t{}", mutant.name, mutant.test, items.join(", "));
            }
            Ok(true)
        }
        ["show", ..] => {
            let project = Project::read(&root())?;
            for mutant in named(&mutants, &args[1..])? {
                println!("{}", mutant.name);
                for applied in project.apply(mutant)? {
                    println!("{}\n{}", project.files[applied.file].0.display(), applied.text);
                }
            }
            Ok(true)
        }
        ["rename", "", _] | ["rename", _, ""] => Err("a name is empty".into()),
        ["rename", old, new] => rename(&folder, old, new),
        ["write", to, ..] => switches::write(Path::new(to), &named(&mutants, &args[2..])?),
        ["apply", to, _] => {
            let to = Path::new(to);
            let project = Project::read(to)?;
            switches::write_plain(to, &project, &project.apply(named(&mutants, &args[2..])?[0])?)?;
            Ok(true)
        }
        _ => Err("usage: edits [--in FOLDER] check | list | show NAME .. | rename OLD NEW | write ROOT NAME .. | apply ROOT NAME".into()),
    }
}

fn check(folder: &Path, mutants: &[Mutant]) -> Result<bool, String> {
    let project = Project::read(&root())?;
    let mut stale = 0;
    for mutant in mutants {
        if let Some(problem) = project.problem(mutant) {
            println!("stale: {}: {problem}", mutant.name);
            stale += 1;
        }
    }
    println!("{} mutants, {stale} stale", mutants.len());
    let wrong = wrong_survivors(&fs::read_to_string(folder.join("survivors.txt")).unwrap_or_default(), mutants);
    for line in &wrong {
        println!("survivors.txt: `{line}` is no mutant with a reason: `NAME # REASON`");
    }
    Ok(stale == 0 && wrong.is_empty())
}

/// The lines of the known survivors that name no mutant, or give no reason.
pub fn wrong_survivors(text: &str, mutants: &[Mutant]) -> Vec<String> {
    let is_right = |line: &&str| {
        line.split_once('#').is_some_and(|(name, reason)| {
            !reason.trim().is_empty() && mutants.iter().any(|mutant| mutant.name == name.trim())
        })
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.filter(|line| !is_right(line)).map(String::from).collect()
}

/// Renames in the mutants that are stale, and only where that finds them a place again.
fn rename(folder: &Path, old: &str, new: &str) -> Result<bool, String> {
    let project = Project::read(&root())?;
    let mut left = 0;
    for path in edits::files(folder)? {
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        // A mutant is its name and the indented lines below it.
        let mut out = String::new();
        let mut blocks: Vec<String> = Vec::new();
        for line in text.split_inclusive('\n') {
            match blocks.last_mut() {
                Some(block) if line.starts_with(' ') || line.trim().is_empty() => block.push_str(line),
                _ => blocks.push(line.into()),
            }
        }
        for block in blocks {
            let renamed = with_name(&block, old, new);
            let is_fresh = |block: &str| -> Result<bool, String> {
                let of = edits::parsed(block)?;
                Ok(of.iter().all(|mutant| project.problem(mutant).is_none()))
            };
            if block.starts_with('#') || is_fresh(&block)? {
                out.push_str(&block);
            } else if is_fresh(&renamed)? {
                println!("renamed: {}", block.lines().next().unwrap_or_default());
                out.push_str(&renamed);
            } else {
                println!("stale: {}", block.lines().next().unwrap_or_default());
                left += 1;
                out.push_str(&block);
            }
        }
        if out != text {
            fs::write(&path, out).map_err(|error| error.to_string())?;
        }
    }
    Ok(left == 0)
}

/// Replaces a whole name in the items and the code of a mutant.
pub fn with_name(block: &str, old: &str, new: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    for line in block.split_inclusive('\n') {
        if !line.starts_with(' ') || line.trim_start().starts_with("test:") {
            out.push_str(line);
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find(old) {
            let (before, after) = (&rest[..at], &rest[at + old.len()..]);
            let whole = !before.ends_with(is_part) && !after.starts_with(is_part);
            out.push_str(before);
            out.push_str(if whole { new } else { old });
            rest = after;
        }
        out.push_str(rest);
    }
    out
}

fn main() -> ExitCode {
    match run(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
