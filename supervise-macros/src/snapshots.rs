//! Golden files of whole expansions, as formatted Rust.
//!
//! Each file in `tests/golden/expansions` has its expansion in a `*.expanded.rs`. Each file in `examples/expansion` has
//! an annotated `*_expanded.rs`, whose comments say why each item is there; comments are not compared. `UPDATE=1`
//! regenerates the former. A new version of the latter is written to `target/`, and you copy the differences.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, File, Item, ItemMacro, Meta};

use crate::{actor, decider, strategy, tree};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

/// Expands every macro of ours in a file and formats the result.
fn expanded(source: &str) -> String {
    let file: File = syn::parse_str(source).expect("a file of Rust");
    let items = items(file.items);
    formatted(quote!(#items))
}

fn formatted(tokens: TokenStream) -> String {
    let mut file: File = syn::parse2(tokens).unwrap_or_else(|error| panic!("the expansion is not Rust: {error}"));
    file.attrs.clear();
    prettyplease::unparse(&file)
}

fn items(items: Vec<Item>) -> TokenStream {
    items.into_iter().map(item).collect()
}

fn item(item: Item) -> TokenStream {
    match item {
        Item::Macro(ItemMacro { mac, .. }) if mac.path.is_ident("supervisor") => tree::supervisor(mac.tokens),
        Item::Impl(mut block) => match take(&mut block.attrs, "actor") {
            Some(_) => actor::attribute(TokenStream::new(), block.into_token_stream()),
            None => expressions(block.into_token_stream()),
        },
        Item::Struct(mut definition) => {
            let derives = definition.attrs.iter().any(|attribute| {
                attribute.path().is_ident("derive") && attribute.to_token_stream().to_string().contains("Actor")
            });
            let derived = if derives { actor::derive(definition.to_token_stream()) } else { TokenStream::new() };
            // The derive and its helper attributes do not appear in the expansion.
            definition.attrs.retain(|attribute| !derives || attribute.path().is_ident("doc"));
            quote!(#definition #derived)
        }
        other => expressions(other.into_token_stream()),
    }
}

fn take(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let at =
        attributes.iter().position(|attribute| matches!(&attribute.meta, Meta::Path(path) if path.is_ident(name)))?;
    Some(attributes.remove(at))
}

/// Expands `child!`, `decider!` and `strategy!` anywhere in the tokens.
fn expressions(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let called = |name: &str| matches!(&token, TokenTree::Ident(ident) if ident == name);
        let bang = matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '!');
        if bang && (called("child") || called("decider") || called("strategy")) {
            tokens.next();
            let Some(TokenTree::Group(group)) = tokens.next() else { panic!("a macro call has its arguments") };
            let expansion = match &*token.to_string() {
                "child" => tree::child(group.stream()),
                "decider" => decider::decider(group.stream()),
                _ => strategy::strategy(group.stream()),
            };
            out.extend(quote!({ #expansion }));
        } else if let TokenTree::Group(group) = token {
            let mut inside = proc_macro2::Group::new(group.delimiter(), expressions(group.stream()));
            inside.set_span(group.span());
            out.extend([TokenTree::Group(inside)]);
        } else {
            out.extend([token]);
        }
    }
    out
}

fn sources(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".rs") && !name.ends_with(end) && name != "main.rs"
    });
    found.sort();
    found
}

#[test]
fn the_expansion_is_the_one_that_is_kept() {
    let folder = root().join("tests/golden/expansions");
    let sources = sources(&folder, ".expanded.rs");
    assert!(sources.len() >= 5, "{sources:?}");
    for source in sources {
        let expansion = expanded(&fs::read_to_string(&source).unwrap());
        let kept = source.with_extension("expanded.rs");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&kept, &expansion).unwrap();
        }
        let text = fs::read_to_string(&kept).unwrap_or_default();
        assert!(
            text == expansion,
            "{} is out of date; review the difference, then regenerate it with UPDATE=1",
            kept.display()
        );
    }
}

#[test]
fn the_annotated_expansions_are_true() {
    let sources = sources(&root().join("examples/expansion"), "_expanded.rs");
    assert_eq!(sources.len(), 2);
    for source in sources {
        let expansion = expanded(&fs::read_to_string(&source).unwrap());
        let annotated = source.with_file_name(format!("{}_expanded.rs", source.file_stem().unwrap().to_string_lossy()));
        let text = fs::read_to_string(&annotated).unwrap_or_default();
        let plain = formatted(text.parse().expect("tokens"));
        if plain != expansion {
            let target = root().join("target").join(annotated.file_name().unwrap());
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(&target, &expansion).unwrap();
            panic!("{} is old: what it has to be, without comments, is in {}", annotated.display(), target.display());
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for source in sources(&root().join("tests/golden/expansions"), ".expanded.rs") {
        let text = fs::read_to_string(&source).unwrap();
        let expand = || {
            let items = items(syn::parse_str::<File>(&text).unwrap().items);
            items.to_string()
        };
        assert_eq!(expand(), expand(), "{}", source.display());
    }
}
