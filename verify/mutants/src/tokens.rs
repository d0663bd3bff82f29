//! Code as a flat list of tokens, compared without the parts that a formatter adds or leaves out.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// One token. A group is its opening token, its parts, and its closing token.
#[derive(Clone)]
pub struct Token {
    pub text: String,
    /// The bytes of the token in its text.
    pub range: Range<usize>,
    /// The other end of a group, as an index.
    pub pair: Option<usize>,
    /// Whether a formatter may add or leave out the token: a comma, and the braces around the body of a match arm or of
    /// a closure. Such tokens are not compared.
    pub free: bool,
    /// Whether the token is the brace of the body of a match arm.
    pub arm: bool,
}

/// The tokens of `text`.
pub fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let stream: TokenStream = text.parse().map_err(|error| format!("{error}"))?;
    let mut found = Vec::new();
    flatten(stream, &mut found);
    Ok(found)
}

fn flatten(stream: TokenStream, out: &mut Vec<Token>) {
    let mut rest = stream.into_iter().peekable();
    while let Some(tree) = rest.next() {
        if is_punct(&tree, '#') && rest.peek().is_some_and(is_doc) {
            rest.next();
            continue;
        }
        let range = tree.span().byte_range();
        let plain = |text: String, free| Token { text, range: range.clone(), pair: None, free, arm: false };
        match tree {
            TokenTree::Punct(punct) => out.push(plain(punct.to_string(), punct.as_char() == ',')),
            TokenTree::Ident(ident) => out.push(plain(ident.to_string(), false)),
            TokenTree::Literal(literal) => out.push(plain(on_one_line(&literal.to_string()), false)),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                let before: String = out.iter().rev().take(2).rev().map(|token| token.text.as_str()).collect();
                let arm = open == "{" && before == "=>";
                let free = arm || (open == "{" && before.ends_with('|'));
                let begin = out.len();
                let of = |text: &str, range| Token { text: text.into(), range, pair: None, free, arm };
                out.push(of(open, group.span_open().byte_range()));
                flatten(group.stream(), out);
                // `{ return }` and `{ return; }`
                if let Some(last) = out.last_mut().filter(|last| last.text == ";" && open == "{") {
                    last.free = true;
                }
                let end = out.len();
                out.push(of(close, group.span_close().byte_range()));
                (out[begin].pair, out[end].pair) = (Some(end), Some(begin));
            }
        }
    }
}

/// A text without the breaks that begin with a backslash.
fn on_one_line(literal: &str) -> String {
    let mut parts = literal.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start())
}

fn is_punct(tree: &TokenTree, char: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == char)
}

/// Whether the tree is the part of a documentation comment after its `#`.
fn is_doc(tree: &TokenTree) -> bool {
    let TokenTree::Group(group) = tree else { return false };
    let mut parts = group.stream().into_iter();
    let is_name = parts.next().is_some_and(|first| first.to_string() == "doc");
    is_name && parts.next().is_some_and(|second| is_punct(&second, '='))
}

/// The places in `code` that have the tokens of `pattern`: the indices of the first and the last token.
pub fn places(code: &[Token], pattern: &[Token]) -> Vec<(usize, usize)> {
    let (pattern, is_statement) = match pattern {
        [rest @ .., last] if last.text == ";" && !rest.is_empty() => (rest, true),
        _ => (pattern, false),
    };
    let wanted: Vec<&str> = pattern.iter().filter(|token| !token.free).map(|token| token.text.as_str()).collect();
    let fixed: Vec<usize> = (0..code.len()).filter(|&at| !code[at].free).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let is_here = |window: &&[usize]| window.iter().zip(&wanted).all(|(&at, text)| code[at].text == *text);
    let ends = |&(_, last): &(usize, usize)| {
        !is_statement || code.get(last + 1).is_none_or(|next| [";", "}"].contains(&next.text.as_str()))
    };
    let places = fixed.windows(wanted.len()).filter(is_here).map(|window| (window[0], window[window.len() - 1]));
    places.filter(ends).collect()
}

/// Returns `text` with the tokens from `first` to `last` replaced. `pattern` is the text that found them.
pub fn replaced(
    text: &str,
    code: &[Token],
    (mut first, mut last): (usize, usize),
    pattern: &str,
    by: &str,
) -> Result<String, String> {
    let mut ends_an_arm = false;
    // A brace that is not compared belongs to the place if its other end does.
    loop {
        let open = (first..=last).find(|&at| code[at].pair.is_some_and(|pair| pair > last));
        let close = (first..=last).find(|&at| code[at].pair.is_some_and(|pair| pair < first));
        let Some(at) = open.or(close) else { break };
        let pair = code[at].pair.expect("a group");
        let between = if pair > last { last + 1..pair } else { pair + 1..first };
        if !code[at].free || code[between].iter().any(|token| !token.free) {
            return Err("the tokens begin or end inside of a group".into());
        }
        ends_an_arm |= code[at].arm && pair > last;
        (first, last) = (first.min(pair), last.max(pair));
    }
    let is = |at: Option<usize>, text: &str| at.and_then(|at| code.get(at)).is_some_and(|token| token.text == text);
    if [",", ";"].iter().any(|end| pattern.trim_end().ends_with(end) && is(Some(last + 1), end)) {
        last += 1;
        ends_an_arm = false;
    }
    if pattern.trim_start().starts_with(',') && is(first.checked_sub(1), ",") {
        first -= 1;
    }
    let comma = if ends_an_arm && !by.trim().is_empty() && !by.trim_end().ends_with([',', '}']) { "," } else { "" };
    Ok(format!("{} {by}{comma} {}", &text[..code[first].range.start], &text[code[last].range.end..]))
}
