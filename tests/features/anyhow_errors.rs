//! The feature `anyhow`: `anyhow::Error` as the error of actors, starts and tasks, which is downcast (S6).
#![cfg(feature = "anyhow")]

use std::io;

use anyhow::Context as _;
use supervise::Thrown;
use supervise::event::EventKind;
use supervise::prelude::*;

use crate::common::{Boom, settle, soon};

struct Open;

enum Msg {
    Plain,
    WithContext,
    Boxed,
    Text,
}

#[actor]
impl Open {
    async fn handle(&mut self, msg: Msg) -> anyhow::Result<()> {
        match msg {
            Msg::Plain => Err(Boom::Told)?,
            Msg::WithContext => Err(Boom::Fatal).context("while handling").context("on Tuesday")?,
            Msg::Boxed => return Err(anyhow::Error::from_boxed(Box::new(Boom::Told))),
            Msg::Text => anyhow::bail!("no type at all"),
        }
        Ok(())
    }
}

async fn fetch(fails: bool) -> anyhow::Result<Open> {
    match fails {
        true => Err(io::Error::from(io::ErrorKind::NotFound)).context("fetching"),
        false => Ok(Open),
    }
}

supervisor! {
    struct Tree(fails: bool) {
        #![decider(
            Boom::Told => Resume,
            Boom::Fatal | Boom::Planned => Stop,
            _ => Restart,
        )]
        open: Open = fetch(fails).await?,
    }
}

/// S6: arms, `error` and `find` see the error inside, also below contexts; the text contains all of them.
#[tokio::test(start_paused = true)]
async fn an_anyhow_error_is_looked_into() {
    let tree = Tree::start(false).await.unwrap();
    tree.open.tell(Msg::Plain).await.unwrap();
    settle().await;
    assert_eq!(tree.open.incarnation(), 1, "resumed");
    tree.open.tell(Msg::Boxed).await.unwrap();
    settle().await;
    assert_eq!(tree.open.incarnation(), 1, "boxed errors from elsewhere are downcast as well");
    let mut events = tree.events();
    tree.open.tell(Msg::Text).await.unwrap();
    settle().await;
    assert_eq!(tree.open.incarnation(), 2, "restarted");
    let failed = events.try_next().unwrap();
    let EventKind::Failed { failure, .. } = failed.kind else { panic!("{failed}") };
    assert_eq!((failure.error::<Boom>(), failure.find::<Boom>()), (None, None));
    tree.open.tell(Msg::WithContext).await.unwrap();
    let Ended::Failed(failure) = soon(tree.open.terminated()).await.unwrap() else { panic!("not stopped") };
    assert_eq!(failure.error::<Boom>(), Some(&Boom::Fatal));
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Fatal));
    let text = failure.to_string();
    assert!(text.ends_with("on Tuesday: while handling: Fatal"), "{text}");
}

/// S6: a start returns the error, and the failure of the tree keeps it.
#[tokio::test(start_paused = true)]
async fn a_start_throws_an_anyhow_error() {
    supervisor! {
        struct Plain {
            open: Open = fetch(true).await?,
        }
    }
    let failure = Plain::start().await.unwrap_err();
    assert_eq!((failure.path(), failure.phase()), ("open", Phase::Start));
    assert_eq!(failure.error::<io::Error>().map(io::Error::kind), Some(io::ErrorKind::NotFound));
    assert!(failure.to_string().contains("fetching: "), "{failure}");
    let failure = Tree::start(true).await.unwrap_err();
    assert!(matches!(failure.cause(), Cause::LimitReached), "the decider says Restart");
    assert_eq!(failure.find::<io::Error>().map(io::Error::kind), Some(io::ErrorKind::NotFound));
}

/// S6: a context that is an error type itself is found as well.
#[test]
fn a_context_of_a_type_is_found() {
    let thrown = Thrown::from(anyhow::Error::from(io::Error::other("below")).context(Boom::Planned));
    assert_eq!(thrown.get::<Boom>(), Some(&Boom::Planned));
    assert_eq!(thrown.find::<Boom>(), Some(&Boom::Planned));
    assert!(thrown.get::<io::Error>().is_some());
    let boxed = Thrown::from(Boom::Planned);
    assert_eq!(boxed.get::<Boom>(), Some(&Boom::Planned), "other errors are unchanged");
}

/// S6: printed with all its sources, as with `{:#}` or with `?` at the end of a `main`, a failure contains everything
/// once.
#[tokio::test(start_paused = true)]
async fn a_failure_in_an_anyhow_error_says_everything_once() {
    supervisor! {
        struct Shown {
            open: Open = fetch(true).await?,
        }
    }
    let failure = Shown::start().await.unwrap_err();
    let text = failure.to_string();
    assert_eq!(text.matches("fetching").count(), 1, "{text}");
    let error = anyhow::Error::from(failure).context("the service");
    assert_eq!(format!("{error:#}"), format!("the service: {text}"));
    assert_eq!(format!("{error:?}").matches(&text).count(), 1, "{error:?}");
}
