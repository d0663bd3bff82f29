//! `later(sibling)`: the handle of an actor or task that is declared below (S47).

use std::sync::{Arc, Mutex};

use supervise::error::{AskError, SendRejection, TellError};
use supervise::event::{DeadLetterReason, EventKind};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

/// Two actors that have each other's handle.
struct Player<Other: Actor> {
    journal: Journal,
    name: &'static str,
    other: ActorRef<Other>,
}

struct Ball(u32);

#[actor]
impl Player<Pong> {
    async fn handle(&mut self, Ball(left): Ball) -> Result<(), Boom> {
        self.journal.write(format!("{} {left}", self.name));
        match left {
            0 => Err(Boom::Told),
            left => self.other.tell(Ball(left - 1)).await.map_err(|_| Boom::Fatal),
        }
    }
}

struct Pong(Player<Player<Pong>>);

#[actor]
impl Pong {
    async fn handle(&mut self, Ball(left): Ball) -> Result<(), Boom> {
        self.0.journal.write(format!("{} {left}", self.0.name));
        self.0.other.tell(Ball(left.saturating_sub(1))).await.map_err(|_| Boom::Fatal)
    }
}

/// S47: two children name each other. The message that the first start sends is handled once the second child is up, and
/// the handles stay the same when both are restarted.
#[tokio::test(start_paused = true)]
async fn two_children_name_each_other() {
    supervisor! {
        struct Game(journal: Journal) {
            #![strategy(AllForOne)]
            ping: Player<Pong> = {
                let other = later(pong);
                other.tell(Ball(3)).await?;
                journal.write("ping starts");
                Player { journal, name: "ping", other }
            },
            pong: Pong = {
                journal.write("pong starts");
                Pong(Player { journal, name: "pong", other: ping })
            },
        }
    }
    let journal = Journal::default();
    let game = Game::start(journal.clone()).await.unwrap();
    let pong = game.pong.clone();
    settle().await;
    let lines = ["ping starts", "pong starts", "pong 3", "ping 2", "pong 1", "ping 0"];
    let played = journal.take();
    assert_eq!(played[..6], lines);
    assert_eq!((game.ping.incarnation(), pong.incarnation()), (2, 2), "`ping` fails, and both are restarted");
    assert_eq!(game.pong, pong);
    assert_eq!(played[6..], lines);
}

/// The handles that a start has got.
type Seen<T> = Arc<Mutex<Option<T>>>;

fn seen<T>(into: &Seen<T>, handle: T) {
    *into.lock().unwrap() = Some(handle);
}

supervisor! {
    struct Pair(journal: Journal, early: Seen<(ActorRef<Probe>, TaskRef)>) {
        let both = {
            let below = later(below);
            below.tell(Do::Note("told by the let")).await?;
            (below, later(task))
        };
        above: Probe = {
            assert_eq!(later(below), both.0);
            seen(&early, both);
            Probe::start("above", journal).await?
        },
        #[backoff(1s..8s, random_factor = 0.0)]
        below: Probe = Probe::start("below", journal).await?,
        task: task = std::future::pending::<()>(),
        last: Probe = Probe::start("last", journal).await?,
    }
}

/// S47: before the sibling was up for the first time, nothing waits for it: no `ask`, and no `tell` without room.
#[tokio::test(start_paused = true)]
async fn nothing_waits_for_a_child_that_was_never_up() {
    let (journal, early) = (Journal::default(), Seen::default());
    journal.plan("above start", 1, Fault::Slow(secs(1)));
    journal.plan("below start", 1, Fault::Error);
    journal.plan("last start", 1, Fault::Slow(secs(60)));
    let start = tokio::spawn(Pair::start(journal.clone(), early.clone()));
    settle().await;
    let (below, task) = early.lock().unwrap().clone().expect("the first start has the handles");
    let begun = Instant::now();
    let refused = async || {
        let asked = below.ask(Do::Get).await;
        assert!(matches!(asked, Err(AskError::Refused { reason: SendRejection::Down { .. }, .. })), "{asked:?}");
        let asked = below.ask(Do::Get).at_once().await;
        assert!(matches!(asked, Err(AskError::Refused { reason: SendRejection::Down { .. }, .. })), "{asked:?}");
    };
    refused().await;
    let mut sent = 1; // the `let` has sent one message
    let full = loop {
        match soon(below.tell(Do::Add(1))).await {
            Ok(()) if sent < 1_024 => sent += 1,
            Ok(()) => panic!("there is no room for this"),
            Err(full) => break full,
        }
    };
    assert_eq!(sent, 1_024);
    assert!(matches!(full.reason(), SendRejection::Down { .. }), "{full}");
    assert!(matches!(below.try_tell(Do::Add(1)).map_err(|full| full.reason()), Err(SendRejection::Down { .. })));
    assert_eq!(begun.elapsed(), secs(0));
    assert!(below.is_alive() && task.is_alive());
    assert_eq!((below.incarnation(), &*below.path(), &*task.path()), (0, "below", "task"));

    // The child takes and refuses the same while its first start is retried.
    pass(secs(1)).await;
    assert!(journal.take().contains(&"below start".to_owned()));
    refused().await;
    pass(secs(1)).await;
    // The child is up, although the tree is not.
    assert!(!start.is_finished());
    assert_eq!(soon(below.ask(Do::Get)).await.unwrap(), 1_023);
    assert!(journal.take().contains(&"below told by the let".to_owned()));

    let pair = soon(start).await.unwrap().unwrap();
    assert_eq!((&pair.below, &pair.task), (&below, &task));
    // From now on it is down as any other (S35): an `ask` waits for its restart.
    below.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let begun = Instant::now();
    assert_eq!(soon(below.ask(Do::Incarnation)).await.unwrap(), 3);
    assert!(begun.elapsed() > secs(0));
}

/// S47, S20: when the tree is restarted, a start above gets the same handle as before.
#[tokio::test(start_paused = true)]
async fn a_restart_of_the_tree_keeps_the_handle() {
    supervisor! {
        struct Outer(journal: Journal, early: Seen<(ActorRef<Probe>, TaskRef)>) {
            pair: Pair = Pair::tree(journal, early),
        }
    }
    let (journal, early) = (Journal::default(), Seen::default());
    let outer = Outer::start(journal.clone(), early.clone()).await.unwrap();
    let before = early.lock().unwrap().take();
    soon(outer.pair.restart().unwrap()).await.unwrap();
    let again = early.lock().unwrap().take();
    assert_eq!(again, before);
    assert_eq!(again, Some((outer.pair.below.clone(), outer.pair.task.clone())));
    settle().await;
    let told = journal.take().iter().filter(|line| *line == "below told by the let").count();
    assert_eq!(told, 2);
}

/// S47, S21: if the tree does not come up, the child has ended, and what was sent to it are dead letters.
#[tokio::test(start_paused = true)]
async fn a_failed_start_of_the_tree_ends_the_child() {
    let (journal, early) = (Journal::default(), Seen::default());
    journal.plan("above start", 1, Fault::Error);
    let mut tree = Pair::tree(journal.clone(), early.clone());
    let mut events = tree.events();
    let failure = soon(tree.start()).await.unwrap_err();
    assert_eq!(failure.path(), "above");
    let (below, task) = early.lock().unwrap().take().expect("the first start has the handles");
    assert!(matches!(soon(below.terminated()).await, Ok(Ended::Stopped)));
    assert!(matches!(soon(task.terminated()).await, Ok(Ended::Stopped)));
    assert!(matches!(
        below.tell(Do::Add(1)).await.map_err(|over: TellError<Do>| over.reason()),
        Err(SendRejection::Ended)
    ));
    let mut dead = 0;
    while let Some(event) = events.try_next() {
        if let EventKind::DeadLetter { reason, .. } = &event.kind {
            assert_eq!((&*event.path, reason), ("below", &DeadLetterReason::Ended));
            dead += 1;
        }
    }
    assert_eq!(dead, 1);
    assert!(!journal.take().iter().any(|line| line.starts_with("below")));
}

/// S47, S35: with `while_down(Reject)` no message waits for the first start.
#[tokio::test(start_paused = true)]
async fn a_child_that_rejects_holds_no_message_before_its_first_start() {
    supervisor! {
        struct Strict(journal: Journal) {
            above: Probe = {
                let refused = later(below).tell(Do::Add(1)).await.unwrap_err();
                assert!(matches!(refused.reason(), SendRejection::Down { .. }), "{refused}");
                Probe::start("above", journal).await?
            },
            #[while_down(Reject)]
            below: Probe = Probe::start("below", journal).await?,
        }
    }
    let strict = Strict::start(Journal::default()).await.unwrap();
    assert_eq!(strict.below.ask(Do::Get).await.unwrap(), 0);
}

/// S47: the settings of the child hold from its turn on, and a stop before its turn is obeyed then.
#[tokio::test(start_paused = true)]
async fn settings_and_stops_apply_from_the_turn_of_the_child() {
    supervisor! {
        struct Small(journal: Journal, stops: bool) {
            above: Probe = {
                let below = later(below);
                below.tell(Do::Work(secs(1))).await?;
                if stops {
                    below.stop();
                }
                Probe::start("above", journal).await?
            },
            between: Probe = Probe::start("between", journal).await?,
            #[mailbox(Bounded(1), ask = 2s)]
            below: Probe = Probe::start("below", journal).await?,
        }
    }
    let journal = Journal::default();
    let small = Small::start(journal.clone(), false).await.unwrap();
    let starts =
        ["above start", "above pre_start", "between start", "between pre_start", "below start", "below pre_start"];
    settle().await;
    assert_eq!(journal.take()[..6], starts);
    small.below.tell(Do::Work(secs(9))).await.unwrap();
    assert!(small.below.try_tell(Do::Add(1)).is_err(), "one message has room");
    let begun = Instant::now();
    assert!(matches!(small.below.ask(Do::Get).await, Err(AskError::TimedOut { .. })));
    assert_eq!(begun.elapsed(), secs(2));
    small.shutdown().await;

    let small = Small::start(journal.clone(), true).await.unwrap();
    assert!(matches!(small.below.ended(), Some(Ended::Stopped)));
    assert!(small.between.is_alive());
}
