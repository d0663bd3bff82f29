//! Draws the tree in the documentation of its struct, as `SPEC` renders it.
//!
//! The drawing is a `text` block of `#[doc]` lines. Since every line is an attribute, a child with `#[cfg]` has its own
//! line or none. The content of another tree is not known here, so it shows as one line.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use supervise_rules::{AtLimit, COMPUTED_LIMIT, Range};
use syn::{Attribute, Meta};

use super::super::check::{Limited, limit};
use super::super::model::{Args, Body, Child, Setting, Shape, setting};
use super::hygiene::plain;
use super::types::{item, strategy};
use crate::pretty::to_source;

/// Emits the `#[doc]` attributes with the drawing.
pub(super) fn docs(name: &Ident, body: &Body) -> TokenStream {
    let mut lines = vec![(Vec::new(), format!("{name}  {}{}", strategy(body), settings(&body.settings)))];
    children(body, &name.to_string(), "", &[], &mut lines);
    let lines = lines.into_iter().map(|(cfgs, text)| {
        if cfgs.is_empty() { quote!(#[doc = #text]) } else { quote!(#[cfg_attr(all(#(#cfgs),*), doc = #text)]) }
    });
    quote! {
        #[doc = ""]
        #[doc = "```text"]
        #(#lines)*
        #[doc = "```"]
    }
}

type Line = (Vec<TokenStream>, String);

fn children(body: &Body, tree: &str, indent: &str, outer: &[TokenStream], lines: &mut Vec<Line>) {
    let last = body.children().count().saturating_sub(1);
    for (i, child) in body.children().enumerate() {
        let mut cfgs = outer.to_vec();
        cfgs.extend(child.cfgs.iter().filter_map(predicate));
        // A child that may be missing cannot close the branch.
        let (branch, deeper) =
            if i == last && child.cfgs.is_empty() { ("└── ", "    ") } else { ("├── ", "│   ") };
        lines.push((cfgs.clone(), format!("{indent}{branch}{}{}", describe(child), limit_note(child, body, tree))));
        if let Some(subtree) = child.subtree() {
            children(&subtree.body, &plain(&child.name), &format!("{indent}{deeper}"), &cfgs, lines);
        }
    }
}

fn describe(child: &Child) -> String {
    let item = item(child).unwrap_or_else(|| "..".into());
    let item = if child.remote().is_some() { format!("remote {item}") } else { item };
    let item = match &child.shape {
        Some(Shape::Optional(_)) => format!("Option<{item}>"),
        Some(Shape::Array(_, count)) => format!("[{item}; {}]", to_source(count.to_token_stream())),
        Some(Shape::Set(_)) => format!("[{item}]"),
        Some(Shape::Keyed(key, _)) => format!("[{} => {item}]", to_source(key.to_token_stream())),
        _ => item,
    };
    let inner = child.subtree().map_or_else(String::new, |subtree| {
        format!("  {}{}", strategy(&subtree.body), settings(&subtree.body.settings))
    });
    // A role that the tree gives is shown with each child, too: it says where the child runs.
    let role = setting(&child.defaults, "on").and_then(Setting::value).map_or_else(String::new, |role| {
        let role = to_source(role.to_token_stream());
        format!("  on({role})")
    });
    format!("{}: {item}  {}{inner}{role}{}", plain(&child.name), child.lifecycle().word(), settings(&child.settings))
}

/// The restart limit that holds for the child, in the words of `SPEC`.
fn limit_note(child: &Child, body: &Body, tree: &str) -> String {
    let in_set = child.is_set() || child.only_with().is_some();
    let own = plain(&child.name);
    let (supervisor, range) = match &*strategy(body).to_string() {
        _ if in_set => (&*own, Range::One),
        "AllForOne" => (tree, Range::All),
        "RestForOne" => (tree, Range::Rest),
        _ => (tree, Range::One),
    };
    match limit(child, body) {
        Limited::Never => String::new(),
        Limited::Computed => format!("  {COMPUTED_LIMIT}"),
        Limited::By(held, stops) => format!("  {}", held.words(AtLimit { supervisor, range, stops })),
    }
}

fn settings(settings: &[Setting]) -> String {
    // The arms of a decider are too long for one line.
    let text = |setting: &Setting| match setting.args {
        Args::Decider(_) => "decider(..)".to_owned(),
        Args::List(_) => setting.text.clone(),
    };
    settings.iter().map(|setting| format!("  {}", text(setting))).collect()
}

/// Returns the condition of a `#[cfg(..)]`.
fn predicate(cfg: &Attribute) -> Option<TokenStream> {
    match &cfg.meta {
        Meta::List(list) => Some(list.tokens.clone()),
        _ => None,
    }
}
