//! Mutants as edits: a named item, the tokens that are in it, and those that take their place.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::source::{self, Named};
use crate::tokens;

/// A change that breaks a rule, and the test that fails then.
pub struct Mutant {
    pub name: String,
    /// The arguments of `cargo test`.
    pub test: String,
    pub edits: Vec<Edit>,
}

pub struct Edit {
    /// `fn Group::start`.
    pub item: String,
    /// The code that is replaced; nothing for code that begins the body of a function.
    pub old: String,
    pub new: String,
}

/// An edit in the sources: a file, the item in it, and its changed text.
pub struct Applied {
    pub file: usize,
    pub item: usize,
    pub text: String,
}

/// The mutants of all files `*.edits` in `folder`.
pub fn all(folder: &Path) -> Result<Vec<Mutant>, String> {
    let mut found = Vec::new();
    for path in files(folder)? {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        parse(&text, &path.display().to_string(), &mut found)?;
    }
    let mut names: Vec<&str> = found.iter().map(|mutant| mutant.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("two mutants have the name {}", pair[0])),
        None => Ok(found),
    }
}

/// The mutants of a text.
pub fn parsed(text: &str) -> Result<Vec<Mutant>, String> {
    let mut found = Vec::new();
    parse(text, "", &mut found)?;
    Ok(found)
}

pub fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "edits"))
        .collect();
    paths.sort();
    Ok(paths)
}

/// A mutant begins with its name at the margin. Its indented lines are the test, then for each edit an item, lines with
/// `-` and lines with `+`.
fn parse(text: &str, file: &str, found: &mut Vec<Mutant>) -> Result<(), String> {
    let mut last = ' ';
    for (number, line) in text.lines().enumerate() {
        let wrong = |what: &str| format!("{file}:{}: {what}", number + 1);
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if !line.starts_with(' ') {
            if !line.trim().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
                return Err(wrong("the name of a mutant has small letters, digits and hyphens"));
            }
            found.push(Mutant { name: line.trim().into(), test: String::new(), edits: Vec::new() });
            last = ' ';
            continue;
        }
        let mutant = found.last_mut().ok_or_else(|| wrong("a line before the name of a mutant"))?;
        let line = line.trim();
        let code = line.get(1..).unwrap_or_default().trim();
        match line.chars().next() {
            _ if line.starts_with("test: ") => mutant.test = line["test: ".len()..].into(),
            Some(sign @ ('-' | '+')) => {
                let item = mutant.edits.last().map(|edit| edit.item.clone());
                let item = item.ok_or_else(|| wrong("an edit before the item that it is in"))?;
                if sign == '-' && last == '+' {
                    mutant.edits.push(Edit { item, old: String::new(), new: String::new() });
                }
                let edit = mutant.edits.last_mut().expect("an edit");
                let side = if sign == '-' { &mut edit.old } else { &mut edit.new };
                if !side.is_empty() {
                    side.push('\n');
                }
                side.push_str(code);
                last = sign;
            }
            _ if line.ends_with(':') => {
                let item = line.trim_end_matches(':').to_owned();
                mutant.edits.push(Edit { item, old: String::new(), new: String::new() });
                last = ' ';
            }
            _ => return Err(wrong("neither `test: ..`, nor an item like `fn Group::start:`, nor `- ..` or `+ ..`")),
        }
    }
    Ok(())
}

/// All files of the project, with their texts and items.
pub struct Project {
    pub files: Vec<(PathBuf, String, Vec<Named>)>,
    /// Every name in the sources.
    names: BTreeSet<String>,
}

impl Project {
    pub fn read(root: &Path) -> Result<Self, String> {
        Project::of(source::read(root)?)
    }

    pub fn of(files: Vec<(PathBuf, String, Vec<Named>)>) -> Result<Self, String> {
        let mut names = BTreeSet::new();
        for (_, text, _) in &files {
            names.extend(tokens::tokens(text)?.into_iter().map(|token| token.text));
        }
        Ok(Project { files, names })
    }

    /// Returns why a mutant cannot be written, or would not compile.
    pub fn problem(&self, mutant: &Mutant) -> Option<String> {
        if mutant.test.is_empty() {
            return Some("names no test".into());
        }
        if mutant.edits.is_empty() || mutant.edits.iter().any(|edit| edit.old.is_empty() && edit.new.is_empty()) {
            return Some("has an item without an edit".into());
        }
        let gone = mutant.edits.iter().find_map(|edit| self.gone(edit));
        self.apply(mutant).err().or(gone.map(|name| format!("nothing has the name `{name}` any more")))
    }

    /// A field, method or path in the new code that the sources do not have, for example since it was renamed.
    fn gone(&self, edit: &Edit) -> Option<String> {
        let new = tokens::tokens(&edit.new).ok()?;
        let is_name = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let after = |n: usize| matches!(new[n - 1].text.as_str(), "." | ":");
        let names = (1..new.len()).filter(|&n| is_name(&new[n].text) && after(n)).map(|n| &new[n].text);
        names.into_iter().find(|name| !self.names.contains(*name)).cloned()
    }

    /// Returns the changed items of a mutant, with all its edits.
    pub fn apply(&self, mutant: &Mutant) -> Result<Vec<Applied>, String> {
        let mut applied: Vec<Applied> = Vec::new();
        for edit in &mutant.edits {
            let (file, item) = self.find(edit)?;
            let (_, text, items) = &self.files[file];
            let at = applied.iter().position(|applied| (applied.file, applied.item) == (file, item));
            let at = at.unwrap_or_else(|| {
                let text = text[items[item].range.clone()].to_owned();
                applied.push(Applied { file, item, text });
                applied.len() - 1
            });
            applied[at].text = changed(&applied[at].text, edit).map_err(|error| format!("`{}`: {error}", edit.item))?;
        }
        Ok(applied)
    }

    /// The item with the name of an edit: there has to be exactly one.
    pub fn find(&self, edit: &Edit) -> Result<(usize, usize), String> {
        let (kind, name) = edit.item.split_once(' ').ok_or_else(|| format!("`{}` is no item", edit.item))?;
        let of_file = |(file, (_, _, items)): (usize, &(PathBuf, String, Vec<Named>))| {
            let named = items.iter().enumerate().filter(|(_, of)| of.kind == kind && of.is(name));
            named.map(|(item, _)| (file, item)).collect::<Vec<_>>()
        };
        let found: Vec<(usize, usize)> = self.files.iter().enumerate().flat_map(of_file).collect();
        match found.as_slice() {
            &[only] => Ok(only),
            [] => Err(format!("there is no `{}`", edit.item)),
            several => {
                let names: Vec<_> = several.iter().map(|&(file, item)| self.files[file].2[item].name()).collect();
                Err(format!("`{}` is ambiguous: {}", edit.item, names.join(", ")))
            }
        }
    }
}

/// Returns the text of an item with the edit.
fn changed(text: &str, edit: &Edit) -> Result<String, String> {
    let text = with_braces(text);
    let code = tokens::tokens(&text)?;
    let pattern = tokens::tokens(&edit.old).map_err(|error| format!("`{}`: {error}", edit.old))?;
    if pattern.is_empty() {
        let body = code.iter().rposition(|token| token.text == "}").and_then(|close| code[close].pair);
        let open = body.ok_or("code without `-` begins the body of a function, and there is none")?;
        let at = code[open].range.end;
        return Ok(format!("{} {} {}", &text[..at], edit.new, &text[at..]));
    }
    match tokens::places(&code, &pattern).as_slice() {
        &[place] => tokens::replaced(&text, &code, place, &edit.old, &edit.new),
        [] => Err(format!("has no `{}`", edit.old.replace('\n', " "))),
        places => Err(format!("has `{}` {} times", edit.old.replace('\n', " "), places.len())),
    }
}

/// Puts braces around the bodies of match arms and closures, so that code which is put there may have statements.
fn with_braces(text: &str) -> String {
    use syn::spanned::Spanned as _;
    use syn::visit::{self, Visit};
    use syn::{Arm, Expr, ExprClosure, ReturnType};
    #[derive(Default)]
    struct Bodies(Vec<(usize, usize)>);
    impl Bodies {
        fn body(&mut self, body: &Expr) {
            if !matches!(body, Expr::Block(block) if block.label.is_none() && block.attrs.is_empty()) {
                let range = body.span().byte_range();
                self.0.push((range.start, range.end));
            }
        }
    }
    impl Visit<'_> for Bodies {
        fn visit_arm(&mut self, arm: &Arm) {
            self.body(&arm.body);
            visit::visit_arm(self, arm);
        }
        fn visit_expr_closure(&mut self, closure: &ExprClosure) {
            if matches!(closure.output, ReturnType::Default) {
                self.body(&closure.body);
            }
            visit::visit_expr_closure(self, closure);
        }
    }
    let mut bodies = Bodies::default();
    if let Ok(of) = syn::parse_str::<syn::ItemFn>(text) {
        bodies.visit_item_fn(&of);
    } else if let Ok(of) = syn::parse_str::<syn::ImplItemFn>(text) {
        bodies.visit_impl_item_fn(&of);
    } else {
        return text.to_owned();
    }
    // At one place, closing braces come before opening ones, so that bodies nest.
    let mut marks: Vec<(usize, bool)> = bodies.0.iter().flat_map(|&(from, to)| [(from, true), (to, false)]).collect();
    marks.sort_by_key(|&(at, opens)| (at, opens));
    let (mut out, mut done) = (String::new(), 0);
    for (at, opens) in marks {
        out.push_str(&text[done..at]);
        out.push_str(if opens { "{ " } else { " }" });
        done = at;
    }
    out + &text[done..]
}
