//! A child that rejects messages while it is down: S35.

use std::time::Duration;

use supervise::error::{AskError, SendRejection};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle, soon};

supervisor! {
    struct One(journal: Journal) {
        #[while_down(Reject)]
        #[backoff(3s..30s, random_factor = 0)]
        #[mailbox(Unbounded)]
        db: Probe = Probe::start("db", journal).await?,
        #[while_down(Reject)]
        #[mailbox(Bounded(1))]
        small: Probe = Probe::start("small", journal).await?,
        #[while_down(Hold)]
        hold: Probe = Probe::start("hold", journal).await?,
        #[while_down(Reject)]
        set: [Probe] = |n: u32| Probe::start(format!("set{n}"), journal).await?,
    }

    struct Group(journal: Journal) {
        #![strategy(AllForOne)]
        #[while_down(Reject)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }
}

fn down(retry_in: Option<Duration>) -> SendRejection {
    SendRejection::Down { retry_in }
}

/// Returns the rejection of a `try_tell`, or `None` if the message was accepted.
fn tried(probe: &ActorRef<Probe>) -> Option<SendRejection> {
    probe.try_tell(Do::Add(1)).err().map(|error| error.reason())
}

/// S35: the child rejects from its failure until it handles messages again; the error has the rest of the backoff, if
/// there is one.
#[tokio::test(start_paused = true)]
async fn an_actor_that_rejects_is_sent_nothing_while_it_is_down() {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    journal.plan("db pre_restart", 1, Fault::Slow(secs(1)));
    journal.plan("db post_restart", 1, Fault::Slow(secs(1)));
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let begin = Instant::now();
    assert_eq!(tried(&tree.db), Some(down(None)), "the child is going down: its delay is not known yet");
    pass(secs(1)).await;
    assert_eq!(tried(&tree.db), Some(down(Some(secs(3)))));
    pass(secs(2)).await;
    let told = tree.db.tell(Do::Add(1)).await.unwrap_err();
    assert_eq!(told.reason(), down(Some(secs(1))));
    assert!(told.to_string().ends_with("the actor is down and starts again in 1s; try again then"), "{told}");
    assert!(matches!(told.into_message(), Do::Add(1)));
    let asked = tree.db.ask(Do::Get).await.unwrap_err();
    assert_eq!(asked, AskError::Refused { path: "db".into(), reason: down(Some(secs(1))) });
    assert_eq!(begin.elapsed(), secs(3), "no sender waited");
    pass(secs(1)).await;
    assert_eq!(tried(&tree.db), Some(down(None)), "in post_restart");
    pass(secs(1)).await;
    assert_eq!(tree.db.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(tree.db.incarnation(), 2);
}

/// S35: a sender that waits for room when the child goes down fails at once too; queued messages are handled after the
/// restart.
#[tokio::test(start_paused = true)]
async fn senders_that_wait_for_room_are_rejected_too() {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    journal.plan("small pre_restart", 1, Fault::Slow(secs(1)));
    tree.small.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    let begin = Instant::now();
    tree.small.tell(Do::Note("queued")).await.unwrap();
    // These are separate tasks, which only the restart can wake.
    let (small, other) = (tree.small.clone(), tree.small.clone());
    let told = tokio::spawn(async move { small.tell(Do::Note("blocked")).await });
    let asked = tokio::spawn(async move { other.ask(Do::Get).await });
    settle().await;
    tree.small.restart().unwrap();
    let (told, asked) = (told.await.unwrap(), asked.await.unwrap());
    assert_eq!(told.unwrap_err().reason(), down(None));
    assert!(matches!(asked, Err(AskError::Refused { reason: SendRejection::Down { .. }, .. })), "{asked:?}");
    assert_eq!(
        begin.elapsed(),
        secs(0),
        "when the requested restart takes the child down, the message in hand goes on"
    );
    pass(secs(3)).await;
    let lines = journal.take();
    assert_eq!(lines.last().unwrap(), "small queued");
    assert!(!lines.contains(&"small blocked".to_owned()));
}

/// S35: a question that was queued stays in the mailbox, and is answered after the restart.
#[tokio::test(start_paused = true)]
async fn a_queued_question_outlives_the_restart() {
    let tree = One::start(Journal::default()).await.unwrap();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.db.ask(Do::Get).await, Ok(0));
    assert_eq!(tree.db.incarnation(), 2);
}

/// S35: a child rejects before its first start, and so does an instance of a set.
#[tokio::test(start_paused = true)]
async fn a_child_that_has_not_started_rejects() {
    let journal = Journal::default();
    journal.plan("db start", 1, Fault::Error);
    let tree = One::start(journal.clone()).await.unwrap();
    assert_eq!(tried(&tree.db), Some(down(Some(secs(3)))), "the first attempt has failed");
    assert!(tree.ready().await);
    assert_eq!(tried(&tree.db), None);
    let one = tree.set.spawn(1).await.unwrap();
    journal.plan("set1 pre_restart", 1, Fault::Slow(secs(1)));
    one.restart().unwrap();
    settle().await;
    assert_eq!(tried(&one), Some(down(None)));
    assert_eq!(tried(&tree.hold), None);
}

/// S35: a member rejects once its turn to go down with its group has come, and serves until then.
#[tokio::test(start_paused = true)]
async fn a_member_rejects_from_its_turn_on() {
    let journal = Journal::default();
    let tree = Group::start(journal.clone()).await.unwrap();
    journal.plan("b post_stop", 1, Fault::Slow(secs(1)));
    journal.plan("b start", 1, Fault::Slow(secs(1)));
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tried(&tree.a), None, "the member's turn has not come");
    tree.a.tell(Do::Work(ms(2_500))).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tried(&tree.a), Some(down(None)), "the member's turn has come, and the message in hand goes on");
    pass(secs(1)).await;
    assert_eq!(tried(&tree.a), Some(down(None)));
    tokio::time::sleep(ms(500)).await;
    settle().await;
    assert_eq!(tried(&tree.a), None, "member a is up before the member after it");
    assert_eq!(tree.b.incarnation(), 2);
}

/// Fails and takes time to go down, or is resumed; its child is a probe that rejects.
struct Boss {
    journal: Journal,
}

enum Ask {
    Hire(Reply<ActorRef<Probe>>),
    Fail,
}

#[actor]
impl Boss {
    async fn handle(&mut self, ask: Ask, cx: &mut Context<Self>) -> Result<(), Boom> {
        let Ask::Hire(reply) = ask else { return Err(Boom::Told) };
        let journal = self.journal.clone();
        let spawn = cx.spawn(child! {
            #[while_down(Reject)]
            "child": Probe = Probe::start("child", journal).await?
        });
        reply.send(spawn.await.map_err(|_| Boom::Planned)?);
        Ok(())
    }
    #[pre_restart]
    async fn flush(&mut self) {
        tokio::time::sleep(secs(1)).await;
    }
}

supervisor! {
    struct Office(journal: Journal) {
        boss: Boss = Boss { journal },
        #[decider(|_: &Failure| Directive::Resume)]
        kind: Boss = Boss { journal },
    }
}

/// S7, S35: below a failure that is decided, a child that rejects takes messages until its turn to go down comes, even with
/// a message in hand; after the Resume of the ancestor it does as before.
#[tokio::test(start_paused = true)]
async fn one_that_rejects_serves_below_a_decided_failure() {
    let office = Office::start(Journal::default()).await.unwrap();
    for busy in [false, true] {
        let child = office.boss.ask(Ask::Hire).await.unwrap();
        if busy {
            child.tell(Do::Work(ms(500))).await.unwrap();
            settle().await;
        }
        office.boss.tell(Ask::Fail).await.unwrap();
        settle().await;
        assert_eq!(tried(&child), None);
        assert!(matches!(soon(child.terminated()).await, Ok(Ended::Stopped)));
        assert_eq!(tried(&child), Some(SendRejection::Ended));
        soon(office.boss.ask(Ask::Hire)).await.unwrap().stop();
        pass(secs(1)).await;
    }
    let child = office.kind.ask(Ask::Hire).await.unwrap();
    office.kind.tell(Ask::Fail).await.unwrap();
    settle().await;
    assert_eq!(tried(&child), None, "resumed");
    assert_eq!(child.ask(Do::Get).await, Ok(1));
}
