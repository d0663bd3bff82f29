//! The floors of the runtime: a file imports from its own floor and from those below it, never from one above.

use std::fs;
use std::path::Path;

/// From the ground up, as ARCHITECTURE.md draws them.
const FLOORS: [&str; 9] = ["base", "values", "decide", "engine", "actor", "task", "tree", "inspection", "testing"];

/// Calls `found` with each `crate::FLOOR` that the code of the folder names, and the file.
fn imports(folder: &Path, found: &mut dyn FnMut(&Path, usize, usize)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            imports(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for (line, code) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for rest in code.split("crate::").skip(1) {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if let Some(floor) = FLOORS.iter().position(|floor| *floor == name) {
                    found(&path, line + 1, floor);
                }
            }
        }
    }
}

#[test]
fn no_import_leads_upward() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("supervise-runtime/src");
    let (mut read, mut upward) = (0, Vec::new());
    for (floor, name) in FLOORS.iter().enumerate() {
        imports(&source.join(name), &mut |path, line, target| {
            read += 1;
            if target > floor {
                let path = path.strip_prefix(&source).unwrap().display();
                upward.push(format!("{path}:{line}: {name} knows nothing of {}", FLOORS[target]));
            }
        });
    }
    assert!(read > 300, "only {read} imports found");
    assert!(upward.is_empty(), "\n{}", upward.join("\n"));
}
