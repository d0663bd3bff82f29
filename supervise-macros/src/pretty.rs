//! Prints tokens as a programmer would write them, for `SPEC` and the drawn tree.
//!
//! A token stream prints with a space between any two tokens. `Span::source_text` would give the text as
//! written, but not where a macro made the tokens, and the expansion must not depend on that.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Returns the tokens with ordinary spacing.
pub(crate) fn to_source(tokens: TokenStream) -> String {
    let mut text = String::new();
    write(&mut text, tokens);
    text
}

fn write(text: &mut String, tokens: TokenStream) {
    let mut tokens = tokens.into_iter().peekable();
    // True if the next token is written without a space before it.
    let mut glue = true;
    let mut in_closure = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                if group.delimiter() == Delimiter::Brace || (!glue && !continues(text)) {
                    space(text);
                }
                text.push_str(open);
                write(text, group.stream());
                text.push_str(close);
                glue = false;
            }
            // All is written on one line, where a trailing comma is left out.
            TokenTree::Punct(comma) if comma.as_char() == ',' && tokens.peek().is_none() => {}
            TokenTree::Punct(first) => {
                let mut operator = first.as_char().to_string();
                let mut spacing = first.spacing();
                // `::`, `=>`, `..` are joined, but `,` and `;` end the token before them.
                while spacing == Spacing::Joint && first.as_char() != '\'' {
                    match tokens.peek() {
                        Some(TokenTree::Punct(next)) if joins(&operator, next.as_char()) => {
                            operator.push(next.as_char());
                            spacing = next.spacing();
                            tokens.next();
                        }
                        _ => break,
                    }
                }
                if operator == "|" && in_closure {
                    text.push('|');
                    (glue, in_closure) = (false, false);
                    continue;
                }
                in_closure |= operator == "|" && (glue || !ends_operand(text));
                glue = push_operator(text, &operator, glue);
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                if !glue {
                    space(text);
                }
                text.push_str(&token.to_string());
                glue = false;
            }
        }
    }
}

const OPERATORS: &[&str] = &["::", "=>", "==", "!=", "<=", ">=", "&&", "||", "..", "..=", "->", "+=", "-=", "*=", "/="];

fn joins(operator: &str, next: char) -> bool {
    OPERATORS.iter().any(|known| known.starts_with(&format!("{operator}{next}")))
}

/// Writes an operator; returns whether what follows sticks to it.
fn push_operator(text: &mut String, operator: &str, glue: bool) -> bool {
    match operator {
        "," | ";" => {
            text.push_str(operator);
            false
        }
        ":" => {
            text.push(':');
            false
        }
        "." | "::" | ".." | "..=" | "?" => {
            if operator == ".." && text.ends_with([',', ':']) {
                space(text);
            }
            text.push_str(operator);
            operator != "?"
        }
        // In `Vec<u8>` and `<T as Trait>` the word before tells a bracket from a comparison.
        "<" if glue || starts_generics(text) => {
            text.push('<');
            true
        }
        ">" if text.rfind('<').is_some_and(|at| !text[at..].contains(" < ") && !text[..at].ends_with(' ')) => {
            text.push('>');
            false
        }
        // A sign, a reference, a lifetime or the bar of a closure is written before an operand.
        "&" | "*" | "-" | "!" | "'" | "#" | "|" | "&&" | "||" if glue || !ends_operand(text) => {
            if !glue {
                space(text);
            }
            text.push_str(operator);
            true
        }
        "!" => {
            text.push('!');
            true
        }
        _ => {
            space(text);
            text.push_str(operator);
            false
        }
    }
}

fn space(text: &mut String) {
    if !text.is_empty() && !text.ends_with([' ', '(', '[']) {
        text.push(' ');
    }
}

fn ends_operand(text: &str) -> bool {
    let last = text.trim_end().rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    let keyword = ["if", "in", "return", "match", "move", "as", "else"].contains(&last);
    !keyword && text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '}' | '?' | '"'))
}

/// Returns whether an opening parenthesis or bracket belongs to the token before it, as in a call or an index.
fn continues(text: &str) -> bool {
    ends_operand(text) || text.ends_with(['!', '>'])
}

fn starts_generics(text: &str) -> bool {
    let word = text.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    text.ends_with("::") || word.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_as_a_person_would() {
        for text in [
            "strategy(OneForOne, max_restarts = 10, within = 10min)",
            "backoff(3s..30s, random_factor = 0.2, reset = 1min)",
            "pre_restart(Db::dump)",
            "decider(|f: &Failure| f.error(), A | B => &x)",
            "backoff(Backoff::slotted(10ms).ceiling(10))",
            "lifecycle(Permanent, shutdown = config.grace)",
            "decider(DbError::Timeout { .. } => Restart, _: Refused => Stop, _ => Restart)",
            "limit(max_restarts = if x < 3 { 1 } else { 2 })",
            "Vec<u8>",
            "std::io::Error",
            "a.b(-1, *x, !y) && c == d",
            "HashMap<String, Vec<u8>>",
            "x[1].load(SeqCst)?.y",
        ] {
            assert_eq!(to_source(text.parse().unwrap()), text);
        }
    }
}
