//! The sources of the project: every function and every other named item, by its path.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItem, Item, ReturnType, Signature, TraitItem, Type};

/// A named item of a file.
pub struct Named {
    /// `fn`, `const`, `struct` and so on.
    pub kind: &'static str,
    /// The crate, the modules, the type or trait, and the name.
    pub path: Vec<String>,
    /// The trait that an impl is of.
    pub of: Option<String>,
    /// The bytes of the item, without its attributes.
    pub range: Range<usize>,
    /// The bytes between the braces of a function whose body can have a switch.
    pub body: Option<Range<usize>>,
}

impl Named {
    /// Whether `name` is the end of the path: `start`, `Group::start`, `group::Group::start`, or
    /// `<CellGuard as Drop>::drop`.
    pub fn is(&self, name: &str) -> bool {
        let mut path = &self.path[..];
        let mut wanted = name;
        if let Some((of, method)) = name.strip_prefix('<').and_then(|rest| rest.split_once(">::")) {
            let Some((ty, of)) = of.split_once(" as ") else { return false };
            let [rest @ .., last] = path else { return false };
            if last != method || self.of.as_deref() != Some(of) {
                return false;
            }
            (path, wanted) = (rest, ty);
        }
        let wanted: Vec<&str> = wanted.split("::").collect();
        path.len() >= wanted.len() && path[path.len() - wanted.len()..] == wanted[..]
    }

    pub fn name(&self) -> String {
        format!("{} {}", self.kind, self.path.join("::"))
    }
}

/// All first-party code under `root`, with its text.
pub fn read(root: &Path) -> Result<Vec<(PathBuf, String, Vec<Named>)>, String> {
    let mut files = Vec::new();
    let mut crates: Vec<PathBuf> = fs::read_dir(root)
        .map_err(|error| format!("{}: {error}", root.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("Cargo.toml").is_file() && path.join("src").is_dir())
        .chain([root.to_owned()])
        .collect();
    crates.sort();
    for folder in crates {
        let name = match folder.strip_prefix(root).ok().and_then(Path::to_str) {
            Some("") | None => "supervise".to_owned(),
            Some(name) => name.replace('-', "_"),
        };
        walk(root, &folder.join("src"), &[name], &mut files)?;
    }
    Ok(files)
}

fn walk(
    root: &Path,
    folder: &Path,
    modules: &[String],
    files: &mut Vec<(PathBuf, String, Vec<Named>)>,
) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut module = modules.to_vec();
        if !["lib", "main", "mod"].contains(&stem.as_str()) {
            module.push(stem.clone());
        }
        if path.is_dir() && stem != "tests" {
            walk(root, &path, &module, files)?;
        } else if path.extension().is_some_and(|end| end == "rs") && stem != "tests" {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let file = path.strip_prefix(root).unwrap_or(&path).to_owned();
            let found = items(&text, module).map_err(|error| format!("{}: {error}", path.display()))?;
            files.push((file, text, found));
        }
    }
    Ok(())
}

/// The named items of a file of this module.
pub fn items(text: &str, module: Vec<String>) -> Result<Vec<Named>, syn::Error> {
    let mut items = Items { path: module, of: None, found: Vec::new() };
    items.visit_file(&syn::parse_file(text)?);
    Ok(items.found)
}

struct Items {
    path: Vec<String>,
    of: Option<String>,
    found: Vec<Named>,
}

fn is_test(attrs: &[Attribute]) -> bool {
    let text = |attr: &Attribute| match &attr.meta {
        syn::Meta::List(list) => list.tokens.to_string(),
        _ => String::new(),
    };
    let names_test = |text: String| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test") && !text.contains("not (test")
    };
    attrs.iter().any(|attr| attr.path().is_ident("cfg") && names_test(text(attr)))
}

fn ident_of(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        Type::Reference(reference) => ident_of(&reference.elem),
        _ => "_".into(),
    }
}

impl Items {
    fn push(&mut self, kind: &'static str, name: String, range: Range<usize>, body: Option<Range<usize>>) {
        let path = self.path.iter().cloned().chain([name]).collect();
        self.found.push(Named { kind, path, of: self.of.clone(), range, body });
    }

    fn function(&mut self, begin: usize, signature: &Signature, block: &Block) {
        let span = block.brace_token.span;
        let range = begin..span.close().byte_range().end;
        let inside = span.open().byte_range().end..span.close().byte_range().start;
        let one_type = |output: &ReturnType| match output {
            ReturnType::Default => true,
            ReturnType::Type(_, ty) => !has_impl(ty),
        };
        let body = (signature.constness.is_none() && one_type(&signature.output)).then_some(inside);
        self.push("fn", signature.ident.to_string(), range, body);
    }

    fn inside(&mut self, name: String, of: Option<String>, visit: impl FnOnce(&mut Self)) {
        self.path.push(name);
        let before = std::mem::replace(&mut self.of, of);
        visit(self);
        self.of = before;
        self.path.pop();
    }
}

/// Whether a type has an `impl Trait` in it, which stands for one type only.
fn has_impl(ty: &Type) -> bool {
    struct Found(bool);
    impl Visit<'_> for Found {
        fn visit_type_impl_trait(&mut self, _: &syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut found = Found(false);
    found.visit_type(ty);
    found.0
}

impl<'ast> Visit<'ast> for Items {
    fn visit_item(&mut self, item: &'ast Item) {
        let range = item.span().byte_range();
        match item {
            Item::Mod(module) if !is_test(&module.attrs) => {
                self.inside(module.ident.to_string(), None, |items| visit::visit_item_mod(items, module));
            }
            Item::Fn(function) if !is_test(&function.attrs) => {
                self.function(function.vis.span().byte_range().start.max(range.start), &function.sig, &function.block);
            }
            Item::Impl(of) if !is_test(&of.attrs) => {
                let of_trait =
                    of.trait_.as_ref().and_then(|of| of.0.segments.last().map(|last| last.ident.to_string()));
                self.inside(ident_of(&of.self_ty), of_trait, |items| visit::visit_item_impl(items, of));
            }
            Item::Trait(of) => self.inside(of.ident.to_string(), None, |items| visit::visit_item_trait(items, of)),
            Item::Const(of) => self.push("const", of.ident.to_string(), range, None),
            Item::Static(of) => self.push("static", of.ident.to_string(), range, None),
            Item::Struct(of) => self.push("struct", of.ident.to_string(), range, None),
            Item::Enum(of) => self.push("enum", of.ident.to_string(), range, None),
            Item::Macro(of) => {
                if let Some(ident) = &of.ident {
                    self.push("macro", ident.to_string(), range, None);
                }
            }
            _ => {}
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(of) if !is_test(&of.attrs) => {
                self.function(of.sig.span().byte_range().start, &of.sig, &of.block);
            }
            ImplItem::Const(of) => self.push("const", of.ident.to_string(), of.span().byte_range(), None),
            _ => {}
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if let TraitItem::Fn(of) = item
            && let Some(block) = &of.default
        {
            self.function(of.sig.span().byte_range().start, &of.sig, block);
        }
        if let TraitItem::Const(of) = item {
            self.push("const", of.ident.to_string(), of.span().byte_range(), None);
        }
    }
}
