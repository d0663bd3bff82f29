//! Messages to a child that is down wait in its mailbox: S35.

use supervise::error::{AskError, SendRejection};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, secs, settle};

supervisor! {
    struct Held(journal: Journal) {
        #[backoff(3s..30s, random_factor = 0)]
        #[mailbox(Bounded(2))]
        db: Probe = Probe::start("db", journal).await?,
    }

    struct Group(journal: Journal) {
        #![strategy(AllForOne)]
        a: Probe = Probe::start("a", journal).await?,
        #[backoff(3s..30s, random_factor = 0)]
        b: Probe = Probe::start("b", journal).await?,
    }
}

/// S35: messages that are sent during the wait are handled after it, in order, and count towards the bound.
#[tokio::test(start_paused = true)]
async fn messages_wait_while_the_child_is_down() {
    let journal = Journal::default();
    let tree = Held::start(journal.clone()).await.unwrap();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let begin = Instant::now();
    journal.take();
    tree.db.try_tell(Do::Note("first")).unwrap();
    tree.db.try_tell(Do::Note("second")).unwrap();
    let full = tree.db.try_tell(Do::Note("third")).unwrap_err();
    assert_eq!(full.reason(), SendRejection::Full);
    tree.db.tell(Do::Note("third")).await.unwrap();
    assert_eq!(begin.elapsed(), secs(3), "the tell had room when the first was taken");
    settle().await;
    assert_eq!(journal.take(), ["db start", "db pre_start", "db post_restart", "db first", "db second", "db third"]);
}

/// S35: an ask waits together with its message; its time is not extended.
#[tokio::test(start_paused = true)]
async fn an_ask_waits_for_the_restart_within_its_time() {
    let tree = Held::start(Journal::default()).await.unwrap();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let begin = Instant::now();
    let short = tree.db.ask(Do::Get).within(secs(2)).await;
    assert!(matches!(short, Err(AskError::TimedOut { .. })), "{short:?}");
    assert_eq!(begin.elapsed(), secs(2));
    assert_eq!(tree.db.ask(Do::Incarnation).await.unwrap(), 2);
    assert_eq!(begin.elapsed(), secs(3));
}

/// S35: a child is down until `post_restart` has finished: it handles no message before that.
#[tokio::test(start_paused = true)]
async fn nothing_is_handled_before_post_restart_has_finished() {
    let journal = Journal::default();
    let tree = Held::start(journal.clone()).await.unwrap();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.db.tell(Do::Note("handled")).await.unwrap();
    journal.plan("db post_restart", 1, Fault::Slow(secs(1)));
    tree.db.ask(Do::Get).forever().await.unwrap();
    let lines = journal.take();
    let done = lines.iter().position(|line| line == "db post_restart done").unwrap();
    assert_eq!(lines[done + 1..], ["db handled"]);
}

/// S35: the same before the first start: a child whose first attempt failed keeps the messages that it is sent
/// meanwhile.
#[tokio::test(start_paused = true)]
async fn a_child_that_has_never_been_up_holds_messages() {
    let journal = Journal::default();
    journal.plan("db start", 1, Fault::Error);
    let tree = Held::start(journal.clone()).await.unwrap();
    assert_eq!(journal.take(), ["db start"], "the child started after its backoff");
    tree.db.tell(Do::Note("early")).await.unwrap();
    assert!(tree.ready().await);
    settle().await;
    assert_eq!(journal.take(), ["db start", "db pre_start", "db early"]);
}

/// S35: a member that goes down with its group is down from its turn on, and serves until then.
#[tokio::test(start_paused = true)]
async fn a_member_that_waits_with_its_group_is_down() {
    let journal = Journal::default();
    let tree = Group::start(journal.clone()).await.unwrap();
    journal.plan("b post_stop", 1, Fault::Slow(secs(1)));
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    tree.a.tell(Do::Note("serves until its turn")).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["a serves until its turn"]);
    tokio::time::sleep(ms(1500)).await;
    let begin = Instant::now();
    tree.a.tell(Do::Note("after the restart")).await.unwrap();
    settle().await;
    assert!(!journal.take().contains(&"a after the restart".into()));
    assert_eq!(tree.a.ask(Do::Incarnation).await.unwrap(), 2);
    assert_eq!(begin.elapsed(), ms(2500), "the delay of 3 s begins when all members are down");
    assert!(journal.take().contains(&"a after the restart".into()));
}

/// S35: when a child is stopped during the wait, the wait ends and the waiting messages become errors.
#[tokio::test(start_paused = true)]
async fn what_waits_for_a_child_that_is_stopped_meanwhile_is_refused() {
    let tree = Held::start(Journal::default()).await.unwrap();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let (asked, ()) = tokio::join!(tree.db.ask(Do::Get), async {
        settle().await;
        tree.db.stop();
    });
    assert!(matches!(asked, Err(AskError::NoReply { .. })), "{asked:?}");
    assert_eq!(tree.db.tell(Do::Add(1)).await.unwrap_err().reason(), SendRejection::Ended);
}
