//! Every setting and each of its arguments is obeyed: one test for each, and a test that counts them.
//!
//! Each test shows a difference that one argument alone makes, so it fails if that argument is ignored.

mod backoff;
mod contradictions;
mod decider;
mod defaults;
mod grammar;
mod initial;
mod lifecycle;
mod limit;
mod mailbox;
mod on;
mod only_with;
mod scope;
mod shutdown;
mod strategy;

use std::collections::BTreeSet;
use std::time::Duration;

use supervise::event::{EventKind, Events};
use supervise::prelude::*;

use crate::common::{Boom, Do, Probe, secs, settle};

/// Makes the child fail that many times.
async fn fail(child: &ActorRef<Probe>, times: u32) {
    for _ in 0..times {
        child.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    settle().await;
}

/// Returns why the child has ended; if it does not end, the test fails.
async fn ended<A: Actor>(child: &ActorRef<A>) -> Ended {
    let waits = tokio::time::timeout(secs(1_000_000), child.terminated());
    waits.await.expect("the child does not end").unwrap()
}

/// Makes the child fail until it is not restarted any more, and returns the number of restarts.
async fn restarts(child: &ActorRef<Probe>) -> u32 {
    for restarts in 0..1_000 {
        child.tell(Do::Fail(Boom::Told)).await.unwrap();
        if child.ask(Do::Incarnation).forever().await.is_err() {
            return restarts;
        }
    }
    panic!("no limit");
}

/// The delays that were announced for `path`, in order.
fn delays(events: &mut Events, path: &str) -> Vec<Duration> {
    let mut delays = Vec::new();
    while let Some(event) = events.try_next() {
        if event.path == path
            && let EventKind::RestartScheduled { after } = event.kind
        {
            delays.push(after);
        }
    }
    delays
}

const REFERENCE: &str = include_str!("../../../docs/settings.md");
const TESTS: [&str; 11] = [
    include_str!("backoff.rs"),
    include_str!("decider.rs"),
    include_str!("initial.rs"),
    include_str!("lifecycle.rs"),
    include_str!("limit.rs"),
    include_str!("mailbox.rs"),
    include_str!("on.rs"),
    include_str!("only_with.rs"),
    include_str!("scope.rs"),
    include_str!("shutdown.rs"),
    include_str!("strategy.rs"),
];

/// docs/settings.md: every setting in the reference has a test of its name here, and every test belongs to a setting.
#[test]
fn every_setting_has_its_test() {
    let listed: BTreeSet<String> = settings().flat_map(|setting| names(setting, &page(setting))).collect();
    let mark = "#[tokio::test(start_paused = true)]\nasync fn ";
    let tested: BTreeSet<String> = TESTS
        .iter()
        .flat_map(|source| source.split(mark).skip(1))
        .filter_map(|after| after.split_once("_is_obeyed()").map(|(name, _)| name))
        .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        .map(str::to_owned)
        .collect();
    assert!(listed.len() > 40, "the reference was read: {listed:?}");
    let missing: Vec<_> = listed.difference(&tested).collect();
    assert!(missing.is_empty(), "without a test: {missing:?}");
    let unknown: Vec<_> = tested.difference(&listed).collect();
    assert!(unknown.is_empty(), "not in the reference: {unknown:?}");
}

/// Every setting is shown in an example that runs.
#[test]
fn every_setting_has_its_example() {
    let page = include_str!("../../../src/reference/trees.rs");
    let examples: String = page.split("/// ```").skip(1).step_by(2).collect();
    assert!(settings().count() > 10, "{REFERENCE}");
    let without: Vec<_> = settings().filter(|name| !examples.contains(&format!("[{name}("))).collect();
    assert!(without.is_empty(), "without an example: {without:?}");
}

fn settings() -> impl Iterator<Item = &'static str> {
    REFERENCE.lines().filter_map(|row| row.strip_prefix("| [`")?.split('`').next())
}

/// The page of a setting.
fn page(setting: &str) -> String {
    std::fs::read_to_string(format!("docs/settings/{setting}.md")).unwrap()
}

/// The names of the tests for the arguments of one setting, such as `strategy_on_limit_stop`.
fn names(setting: &str, page: &str) -> Vec<String> {
    let mut names = Vec::new();
    let rows = page.split_once("|---|---|---|\n").unwrap().1.lines().take_while(|line| line.starts_with('|'));
    for argument in rows.flat_map(|row| row.split(" | ").next().unwrap().trim_start_matches("| ").split(';')) {
        let mut of = setting.to_owned();
        let prose: String = argument.split('`').step_by(2).collect();
        let codes: Vec<_> = argument.split('`').skip(1).step_by(2).collect();
        for (nth, code) in codes.iter().copied().enumerate() {
            match code.split_once(" = ") {
                Some((name, value)) => {
                    of = format!("{setting}_{name}");
                    names.push(join(&of, value));
                }
                None if nth == 0 && code.starts_with(char::is_lowercase) && !code.contains(':') => {
                    of = format!("{setting}_{code}");
                    if codes.len() == 1 {
                        names.push(of.clone()); // enabled by its name
                    }
                }
                None if code == "=> Directive" => {
                    names.extend(["Resume", "Restart", "Stop", "Escalate", "Default"].map(|word| join(&of, word)));
                }
                None if code.starts_with('[') => {} // by the word before it
                None if code == "_" => names.push(join(&of, "wildcard")),
                None if code.starts_with("Fn(") => {}
                None => names.push(join(&of, code)),
            }
        }
        let told = ["path", "closure", "expression", "guard", "list"];
        names.extend(told.into_iter().filter(|word| prose.contains(word)).map(|word| join(setting, word)));
    }
    names
}

/// A placeholder adds nothing: `shutdown = D` is `shutdown`, `Bounded(N)` is `bounded`.
fn join(of: &str, value: &str) -> String {
    let mut name = of.to_owned();
    for word in
        value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !["D", "N", "X"].contains(word))
    {
        let shouted = word.chars().all(char::is_uppercase);
        for (i, c) in word.char_indices() {
            if i == 0 || c.is_uppercase() && !shouted {
                name.push('_');
            }
            name.extend(c.to_lowercase());
        }
    }
    name
}
