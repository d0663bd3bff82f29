//! Writes mutants into a source tree, each with a switch, so that one build contains all of them.
//!
//! usage: switches ROOT MUTANTS
//!
//! MUTANTS is a part of the output of `cargo mutants --list --json`, each entry with a `number` of its own. A mutant is
//! active while `crate::__mutant(number)` returns `true`. Prints the numbers of those that were written. Two comments
//! enclose each place that only one mutant has: an error of the compiler there is an error of that mutant.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use proc_macro2::{LineColumn, Span};
use serde_json::Value;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Arm, Expr, ExprBinary, ExprStruct, ExprUnary, Pat};

/// A change of a range of a file. Changes in the parts of the range are kept.
struct Change {
    range: Range<usize>,
    number: u64,
    kind: Kind,
}

enum Kind {
    /// The code before the first statement of a function.
    Return(String),
    /// The value of a guard.
    Guard(String),
    /// A unary operator that is left out; the operand.
    Unary(Range<usize>),
    /// Another binary operator; both operands.
    Binary(Range<usize>, String, Range<usize>),
    /// A match arm that is left out; the code after its pattern, and its guard.
    Arm(Option<Range<usize>>),
    /// A field that is left out; with the comma after it.
    Field(Range<usize>),
}

/// The places of a file that a mutant can change, by their beginning.
struct Places<'a> {
    text: &'a Text,
    /// The whole, and both operands.
    binary: BTreeMap<usize, [Range<usize>; 3]>,
    /// The whole, and the operand.
    unary: BTreeMap<usize, [Range<usize>; 2]>,
    arms: BTreeMap<usize, (usize, Option<Range<usize>>)>,
    /// The struct, and the field with the comma after it.
    fields: BTreeMap<usize, [Range<usize>; 2]>,
}

/// A file, with the byte at which each line begins.
struct Text {
    text: String,
    lines: Vec<usize>,
}

impl Text {
    fn new(text: String) -> Self {
        let mut lines = vec![0];
        lines.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Text { text, lines }
    }

    /// `column` counts characters from 0.
    fn at(&self, line: usize, column: usize) -> usize {
        let begin = self.lines[line - 1];
        let rest = &self.text[begin..];
        begin + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
    }

    fn range(&self, span: Span) -> Range<usize> {
        let of = |at: LineColumn| self.at(at.line, at.column);
        of(span.start())..of(span.end())
    }

    fn of(&self, span: &Value) -> Range<usize> {
        let number = |end: &str, part: &str| span[end][part].as_u64().expect("a number") as usize;
        let at = |end: &str| self.at(number(end, "line"), number(end, "column") - 1);
        at("start")..at("end")
    }
}

impl<'a> Visit<'a> for Places<'_> {
    fn visit_expr_binary(&mut self, binary: &'a ExprBinary) {
        // The parts of a chain with `let` cannot be put in parentheses.
        if !has_let(&binary.left) && !has_let(&binary.right) {
            let op = self.text.range(binary.op.span());
            let parts = [binary.span(), binary.left.span(), binary.right.span()];
            self.binary.insert(op.start, parts.map(|part| self.text.range(part)));
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'a ExprUnary) {
        let range = self.text.range(unary.span());
        self.unary.insert(range.start, [range, self.text.range(unary.expr.span())]);
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'a Arm) {
        let (pat, guard) = match &arm.pat {
            Pat::Guard(guarded) => (&*guarded.pat, Some(self.text.range(guarded.guard.span()))),
            pat => (pat, None),
        };
        self.arms.insert(self.text.range(arm.span()).start, (self.text.range(pat.span()).end, guard));
        visit::visit_arm(self, arm);
    }

    fn visit_expr_struct(&mut self, of: &'a ExprStruct) {
        for pair in of.fields.pairs() {
            let field = self.text.range(pair.value().span());
            let end = pair.punct().map_or(field.end, |comma| self.text.range(comma.span()).end);
            self.fields.insert(field.start, [self.text.range(of.span()), field.start..end]);
        }
        visit::visit_expr_struct(self, of);
    }
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn change(mutant: &Value, places: &Places) -> Option<Change> {
    let number = mutant["number"].as_u64().expect("a number");
    let replacement = mutant["replacement"].as_str().expect("a text").to_owned();
    let range = places.text.of(&mutant["span"]);
    let (range, kind) = match mutant["genre"].as_str().expect("a genre") {
        "FnValue" => (range.start..range.start, Kind::Return(replacement)),
        "MatchArmGuard" => (range, Kind::Guard(replacement)),
        "UnaryOperator" => {
            let [whole, operand] = places.unary.get(&range.start)?.clone();
            (whole, Kind::Unary(operand))
        }
        "BinaryOperator" => {
            let [whole, left, right] = places.binary.get(&range.start)?.clone();
            (whole, Kind::Binary(left, replacement, right))
        }
        "MatchArm" => {
            let (after, guard) = places.arms.get(&range.start)?.clone();
            (guard.clone().unwrap_or(after..after), Kind::Arm(guard))
        }
        "StructField" => {
            let [whole, field] = places.fields.get(&range.start)?.clone();
            (whole, Kind::Field(field))
        }
        _ => return None,
    };
    Some(Change { range, number, kind })
}

/// Returns `range` of the text, with the changes in it. `changes`: each before those in its parts.
fn written(text: &str, range: Range<usize>, changes: &[Change]) -> String {
    let mut out = String::new();
    let mut at = range.start;
    for (n, change) in changes.iter().enumerate() {
        let inside = range.start <= change.range.start && change.range.end <= range.end;
        if !inside || change.range.start < at {
            continue;
        }
        out.push_str(&text[at..change.range.start]);
        let rest = &changes[n + 1..];
        let part = |range: &Range<usize>| written(text, range.clone(), rest);
        let number = change.number;
        let on = format!("crate::__mutant({number})");
        let own = |code: String| format!("/*<{number}*/{code}/*{number}>*/");
        let either = |changed: String, whole: String| {
            format!("(if {} else {{ {whole} }})", own(format!("{on} {{ {changed} }}")))
        };
        out.push_str(&match &change.kind {
            Kind::Return(value) => format!("{} ", own(format!("if {on} {{ return {value}; }}"))),
            Kind::Guard(value) => either(value.clone(), part(&change.range)),
            Kind::Unary(operand) => either(part(operand), part(&change.range)),
            Kind::Binary(left, op, right) => {
                either(format!("{} {op} {}", part(left), part(right)), part(&change.range))
            }
            Kind::Arm(None) => own(format!(" if !{on} ")),
            Kind::Arm(Some(guard)) => format!("{} && ({})", own(format!("!{on}")), part(guard)),
            Kind::Field(field) => {
                let (before, after) = (change.range.start..field.start, field.end..change.range.end);
                either(part(&before) + &part(&after), part(&change.range))
            }
        });
        at = change.range.end;
    }
    out.push_str(&text[at..range.end]);
    out
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(root), Some(mutants)) = (args.next(), args.next()) else {
        return Err("usage: switches ROOT MUTANTS".into());
    };
    let mutants: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(mutants)?)?;
    let mut by_file: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for mutant in &mutants {
        by_file.entry(mutant["file"].as_str().expect("a file")).or_default().push(mutant);
    }
    for (file, mutants) in by_file {
        let path = Path::new(&root).join(file);
        let text = Text::new(std::fs::read_to_string(&path)?);
        let parsed = syn::parse_file(&text.text)?;
        let mut places = Places {
            text: &text,
            binary: BTreeMap::new(),
            unary: BTreeMap::new(),
            arms: BTreeMap::new(),
            fields: BTreeMap::new(),
        };
        places.visit_file(&parsed);
        let mut changes: Vec<Change> = mutants.iter().filter_map(|mutant| change(mutant, &places)).collect();
        changes.sort_by_key(|change| (change.range.start, std::cmp::Reverse(change.range.end), change.number));
        for change in &changes {
            println!("{}", change.number);
        }
        std::fs::write(&path, written(&text.text, 0..text.text.len(), &changes))?;
    }
    Ok(())
}
