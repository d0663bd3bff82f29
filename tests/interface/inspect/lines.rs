//! Texts of users, wherever they are shown as a line: S6, S27, S40, S42.

use supervise::error::{KeyedError, OperateError};
use supervise::event::{Event, EventKind, Operation};
use supervise::inspect::one_line;
use supervise::path;
use supervise::prelude::*;
use supervise::testing;
use tracing::Level;

use super::events::Log;
use crate::common::listen::listen;
use crate::common::{pass, quiet_panics, secs};

/// A text that would be another line of a log, colour a terminal, reverse what follows, and hide.
const NASTY: &str = "planned panic\nERROR forged \r\u{1b}[31m\u{202e}\u{2028}\u{feff}\u{85}\u{200b}end";

/// The text of `NASTY` as it is to be shown.
const SHOWN: &str = r"planned panic\nERROR forged \r\u{1b}[31m\u{202e}\u{2028}\u{feff}\u{85}\u{200b}end";

#[derive(Debug, thiserror::Error)]
#[error("outer")]
struct Outer(#[source] Inner);

#[derive(Debug, thiserror::Error)]
#[error("{NASTY}")]
struct Inner;

struct Bad;

enum Do {
    Fail,
    Panic,
    Say,
}

#[actor]
impl Bad {
    fn start(key: &str) -> Result<Bad, Outer> {
        if key.starts_with("never") { Err(Outer(Inner)) } else { Ok(Bad) }
    }

    #[post_stop]
    fn closed(&mut self) -> Result<(), Outer> {
        Err(Outer(Inner))
    }

    fn handle(&mut self, order: Do, cx: &mut Context<Self>) -> Result<(), Outer> {
        match order {
            Do::Fail => return Err(Outer(Inner)),
            Do::Panic => panic!("{NASTY}"),
            Do::Say => cx.stop_with(NASTY),
        }
        Ok(())
    }
}

supervisor! {
    struct Town {
        #![decider(_ if failure.path() == "slow" => Restart, _ => Stop)]
        db: Bad = Bad,
        mad: Bad = Bad,
        #[backoff(1h..1h)]
        slow: Bad = Bad,
        #[limit(max_restarts = 1, on_limit = Stop)]
        #[decider(_ => Restart)]
        worn: Bad = Bad,
        #[lifecycle(Transient)]
        talker: Bad = Bad,
        kids: [String => Bad] = |key: String| Bad::start(&key)?,
        other: Bad = Bad,
    }
}

/// The texts, each with the place where it was shown.
#[derive(Default)]
struct Shown(Vec<(String, String)>);

impl Shown {
    fn add(&mut self, place: &str, text: impl ToString) {
        self.0.push((place.to_owned(), text.to_string()));
    }

    /// Checks that all are lines. `SHOWN` is in all of them.
    #[track_caller]
    fn check(&self) {
        for (place, text) in &self.0 {
            assert_eq!(*text, one_line(text).to_string(), "{place}");
            assert!(!text.contains(['\n', '\r', '\u{1b}', '\u{202e}', '\u{2028}', '\u{feff}', '\u{85}', '\u{200b}']));
            assert!(text.contains(SHOWN), "{place}: {text}");
        }
    }
}

/// S6: the text of an error, a panic, a last word, a key and an operator is one line, the same wherever it is displayed:
/// nothing of it ends the line, reaches a terminal, or hides, and nothing is escaped twice.
#[tokio::test(start_paused = true)]
async fn a_text_of_a_user_is_one_line_wherever_it_is_shown() {
    quiet_panics();
    let log = Log::default();
    let _on = listen(log.clone());
    let mut shown = Shown::default();
    let town = Town::start().await.unwrap();
    let mut events = town.events();

    // The failures, and what they lead to.
    town.db.tell(Do::Fail).await.unwrap();
    town.mad.tell(Do::Panic).await.unwrap();
    town.slow.tell(Do::Fail).await.unwrap();
    for _ in 0..2 {
        town.worn.tell(Do::Fail).await.unwrap();
    }
    town.talker.tell(Do::Say).await.unwrap();
    pass(secs(1)).await;
    for handle in [&town.db, &town.mad, &town.worn, &town.talker] {
        let (path, ended) = (handle.path(), handle.terminated().await.unwrap());
        shown.add(&format!("the end of {path}"), &ended);
        if let Some(failure) = ended.failure() {
            shown.add(&format!("the failure of {path}"), failure);
            let last = failure.before().unwrap_or(failure);
            shown.add(&format!("the cause of {path}"), last.cause());
            if let Cause::Error(error) = last.cause() {
                shown.add("an error with its sources", error);
            }
        }
    }

    // Keys, in paths and errors.
    let kid = town.kids.spawn(NASTY.to_owned()).await.unwrap();
    shown.add("a path", kid.path());
    shown.add("a handle", kid.watched().path());
    let exists = town.kids.spawn(NASTY.to_owned()).await.unwrap_err();
    shown.add("a key that exists", exists);
    let Err(KeyedError::Spawn(never)) = town.kids.spawn("never".to_owned()).await else { panic!("it cannot start") };
    shown.add("a spawn that fails", never);
    let unknown = town.operate(&path::of(["kids", NASTY, "x"]), Operation::Stop, NASTY).unwrap_err();
    assert!(matches!(unknown, OperateError::NotFound { .. }));
    shown.add("an unknown path", unknown);
    shown.add("an unknown path as it was typed", town.operate(NASTY, Operation::Stop, NASTY).unwrap_err());

    // Health, and drawings.
    let (snapshot, health) = (town.snapshot(), town.health());
    shown.add("health", &health);
    let symptom = health.symptoms().iter().find(|symptom| symptom.path == "db").unwrap();
    shown.add("a symptom", symptom);
    shown.add("a state", &snapshot.find("db").unwrap().state);
    let drawn = snapshot.render();
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(lines.len(), snapshot.nodes().count(), "{drawn}");
    for path in ["db", "mad", "slow", "worn", "talker"] {
        let line = lines.iter().find(|line| line.contains(&format!(" {path} "))).unwrap();
        shown.add(&format!("the drawing of {path}"), line);
    }
    shown.add("the drawing of a key", lines.iter().find(|line| line.contains("── planned")).unwrap());
    let graphviz = snapshot.render_graphviz();
    assert_eq!(graphviz.lines().count(), 2 * snapshot.nodes().count() + 3, "{graphviz}");
    shown
        .add("a drawing for Graphviz", graphviz.replace(r"\\", r"\").lines().find(|line| line.contains("db")).unwrap());
    let mermaid = snapshot.render_mermaid();
    assert_eq!(mermaid.lines().count(), 2 * snapshot.nodes().count() + 3, "{mermaid}");
    shown.add("a drawing for Mermaid", mermaid.replace("#92;", r"\").lines().find(|line| line.contains("db")).unwrap());

    // Requests.
    town.operate(&kid.path(), Operation::Restart, NASTY).unwrap();
    let by = std::iter::from_fn(|| events.try_next()).find_map(|event| match &event.kind {
        EventKind::Requested { by, .. } => {
            shown.add("a request", &event);
            shown.add("a request as a line of a test", testing::line(&event));
            Some(by.clone())
        }
        EventKind::Failed { .. } | EventKind::Reported { .. } | EventKind::Ended { .. } => {
            shown.add("an event", &event);
            None
        }
        _ => None,
    });
    assert_eq!(by.as_deref(), Some(NASTY), "the value itself is not changed");
    let report = town.shutdown().await;
    shown.add("the report", &report);
    for line in format!("{report:#}").lines().skip(1) {
        shown.add("a line of the report", line);
    }

    shown.check();

    // A field of a log is a string, which a subscriber puts in quotes; this one writes it as most do.
    let lines = log.take(Level::DEBUG);
    let is_about = |line: &&String| line.contains("forged");
    assert!(lines.iter().filter(is_about).count() > 10, "{lines:#?}");
    let mut logged = Shown::default();
    lines.iter().filter(is_about).for_each(|line| logged.add("the log", line));
    logged.check();
    assert!(lines.iter().any(|line| line.contains(&format!(" by={SHOWN}"))), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains(&format!(" path=kids/{}", path::of([NASTY])))), "{lines:#?}");
}

/// S27: a key with characters that cannot be seen has a path of its own, by which it is found, and the key itself comes
/// back from it.
#[tokio::test(start_paused = true)]
async fn keys_that_look_the_same_have_different_paths() {
    let town = Town::start().await.unwrap();
    let mut events = town.events();
    let keys =
        ["anna", "anna\u{200b}", "anna\u{feff}", "\u{202e}anna", "anna\u{2028}", "anna\\u{feff}", "anna\u{fe0f}"];
    let mut paths = Vec::new();
    for key in keys {
        let kid = town.kids.spawn(key.to_owned()).await.unwrap();
        let path = kid.path();
        assert!(path.is_ascii(), "nothing in it is hidden: {path:?}");
        assert_eq!(path, path::of(["kids", key]));
        assert!(path::segments(&path).eq(["kids", key]));
        let Event { path: told, .. } = events.try_next().unwrap();
        assert_eq!(told, path);
        assert_eq!(town.snapshot().find(&path).unwrap().incarnation, 1);
        town.operate(&path, Operation::Restart, "anna").unwrap();
        pass(secs(1)).await;
        assert_eq!(kid.incarnation(), 2, "{path}");
        while events.try_next().is_some() {}
        paths.push(path);
    }
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), keys.len());
}
