//! Failures whose decision is deferred, and the children that are suspended meanwhile: S7, and S35 together with it.

use supervise::error::SendRejection;
use supervise::event::{EventKind, Events};
use supervise::policy::WhileDown;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle};
use crate::nodes::{Family, Kid, Node, Say, family, family_of, spawn};

/// Makes the group of `top` fail while `top` has a message in hand for `busy` seconds: until then, the failures of its
/// children are not decided.
async fn busy(family: &Family, busy: u64) {
    let fatal = spawn(&family.top, Kid::new("fatal")).await;
    family.top.tell(Say::Work(secs(busy))).await.unwrap();
    settle().await;
    fatal.tell(Say::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
}

fn reported(events: &mut Events, path: &str) -> Vec<String> {
    let mut causes = Vec::new();
    while let Some(Ok(event)) = events.try_next() {
        if let EventKind::Reported { failure } = event.kind
            && event.path == path
        {
            causes.push(failure.cause().to_string());
        }
    }
    causes
}

fn tried(node: &ActorRef<Node>) -> Option<SendRejection> {
    node.try_tell(Say::Note("tried")).err().map(|error| error.reason())
}

const DOWN: Option<SendRejection> = Some(SendRejection::Down { retry_in: None });

/// S7: a kill of a child that has failed and awaits its decision is reported; the decision is made for the failure.
#[tokio::test(start_paused = true)]
async fn a_kill_of_one_that_has_failed_is_reported() {
    let (family, _) = family(Directive::Resume).await;
    let kid = spawn(&family.top, Kid::new("kid")).await;
    busy(&family, 2).await;
    kid.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let mut events = family.events();
    kid.kill();
    settle().await;
    assert_eq!(reported(&mut events, "top/kid"), ["killed"]);
    pass(secs(2)).await;
    assert_eq!(
        (kid.incarnation(), kid.ended().is_none()),
        (2, true),
        "the restart is for the failure, not for the kill"
    );
}

/// S7: when the failed supervisor is resumed, the children below a child that has itself failed stay suspended.
#[tokio::test(start_paused = true)]
async fn below_a_second_failure_a_resume_frees_nothing() {
    let (family, journal) = family(Directive::Resume).await;
    let kid = spawn(&family.top, Kid::new("kid")).await;
    let grandkid = spawn(&kid, Kid::new("grandkid")).await;
    busy(&family, 2).await;
    kid.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    grandkid.tell(Say::Note("begins")).await.unwrap();
    journal.plan("kid pre_restart", 1, Fault::Slow(secs(1)));
    pass(ms(2500)).await;
    let lines = journal.take();
    assert!(
        lines.contains(&"kid pre_restart".to_owned()),
        "top is resumed, and the failure of kid is decided: {lines:?}"
    );
    assert!(!lines.contains(&"grandkid begins".to_owned()), "{lines:?}");
}

/// S7: a child that is spawned by an actor which comes up while it is suspended does not start before the suspension
/// ends.
#[tokio::test(start_paused = true)]
async fn one_that_comes_up_suspended_begins_nothing() {
    let (family, journal) = family(Directive::Restart).await;
    let kid = spawn(&family.top, Kid { brood: Some("grandkid"), ..Kid::new("kid") }).await;
    settle().await;
    journal.plan("kid pre_start", 1, Fault::Slow(ms(500)));
    journal.plan("top pre_restart", 1, Fault::Slow(secs(2)));
    kid.restart().unwrap();
    settle().await;
    family.top.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["kid pre_start done", "kid post_restart"]);
    assert_eq!(family.snapshot().find("top/kid").unwrap().state.to_string(), "suspended");
    pass(secs(2)).await;
    assert!(!journal.take().contains(&"grandkid start".to_owned()), "the restart of top ends both suspensions");
}

/// S7: a child that is asked to start, and to suspend in the same moment, comes up; no child below it starts.
#[tokio::test(start_paused = true)]
async fn a_suspension_right_after_a_start_is_heard() {
    let (family, journal) = family_of(Strategy::RestForOne, Directive::Restart).await;
    let first = spawn(&family.top, Kid::new("first")).await;
    spawn(&family.top, Kid { brood: Some("grandkid"), ..Kid::new("second") }).await;
    settle().await;
    journal.plan("first post_restart", 1, Fault::Slow(secs(1)));
    journal.plan("top pre_restart", 1, Fault::Slow(secs(2)));
    // Both end in the same moment: the start of `first`, after which `second` starts, and the message that `top` has in
    // hand.
    family.top.tell(Say::Work(secs(1))).await.unwrap();
    family.top.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    first.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    pass(secs(1)).await;
    assert_eq!(
        journal.take(),
        ["first post_restart done", "top pre_restart", "second start", "second pre_start", "second post_restart"]
    );
}

/// S7: an actor that is resumed, and suspended in the same moment, is up; the actor and everything below it stay
/// suspended.
#[tokio::test(start_paused = true)]
async fn a_suspension_right_after_an_end_of_one_is_heard() {
    supervisor! {
        struct Grand(journal: Journal) {
            #![decider(Boom::Fatal => Resume, _ => Restart)]
            grand: Node = Kid::new("grand").start(journal),
        }
    }
    let journal = Journal::default();
    let tree = Grand::start(journal.clone()).await.unwrap();
    let top = spawn(&tree.grand, Kid { while_down: WhileDown::Reject, ..Kid::new("top") }).await;
    let (kid, fatal) = (spawn(&top, Kid::new("kid")).await, spawn(&top, Kid::new("fatal")).await);
    journal.plan("grand pre_restart", 1, Fault::Slow(secs(2)));
    tree.grand.tell(Say::Work(secs(1))).await.unwrap();
    tree.grand.tell(Say::Fail(Boom::Told)).await.unwrap(); // fails at once when it is resumed
    settle().await;
    fatal.tell(Say::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    kid.tell(Say::Note("begins")).await.unwrap();
    pass(secs(2)).await;
    let lines = journal.take();
    assert_eq!(lines.last().unwrap(), "grand pre_restart", "{lines:?}");
    assert_eq!(tried(&top), DOWN);
}

/// S35: a child that rejects is down from its failure on, also while its decision is deferred, and takes messages again
/// once it has been restarted.
#[tokio::test(start_paused = true)]
async fn one_that_rejects_is_down_while_its_decision_is_kept() {
    let (family, _) = family(Directive::Resume).await;
    let kid = spawn(&family.top, Kid { while_down: WhileDown::Reject, ..Kid::new("kid") }).await;
    busy(&family, 2).await;
    assert_eq!(tried(&kid), None);
    kid.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tried(&kid), DOWN);
    pass(secs(3)).await;
    assert_eq!(tried(&kid), None);
}

/// S35: a child that rejects takes messages again after a Resume.
#[tokio::test(start_paused = true)]
async fn one_that_rejects_is_up_after_a_resume() {
    supervisor! {
        struct Forgiving(journal: Journal) {
            #[while_down(Reject)]
            #[decider(|_: &Failure| Directive::Resume)]
            db: Probe = Probe::start("db", journal).await?,
        }
    }
    let tree = Forgiving::start(Journal::default()).await.unwrap();
    tree.db.tell(Do::Add(3)).await.unwrap();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tree.db.ask(Do::Get).await.unwrap(), 3);
}

/// S35: a child that rejects and comes up while it is suspended is down until the suspension ends.
#[tokio::test(start_paused = true)]
async fn one_that_rejects_and_comes_up_suspended_is_down() {
    let (family, journal) = family(Directive::Restart).await;
    let kid = spawn(&family.top, Kid { while_down: WhileDown::Reject, ..Kid::new("kid") }).await;
    journal.plan("kid pre_start", 1, Fault::Slow(ms(500)));
    journal.plan("top pre_restart", 1, Fault::Slow(secs(2)));
    let mut events = family.events();
    kid.restart().unwrap();
    settle().await;
    family.top.tell(Say::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert!(seen(&mut events).contains(&"top/kid restarted".to_owned()), "the child is up, and suspended");
    assert_eq!(tried(&kid), DOWN);
}

/// S35: a child that rejects and was asked to go down stays down when a suspension ends, although its message goes on.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_suspension_opens_no_child_that_goes_down() {
    let (family, _) = family(Directive::Resume).await;
    let kid = spawn(&family.top, Kid { while_down: WhileDown::Reject, ..Kid::new("kid") }).await;
    let fatal = spawn(&family.top, Kid::new("fatal")).await;
    kid.tell(Say::Work(secs(2))).await.unwrap();
    settle().await;
    kid.restart().unwrap();
    settle().await;
    assert_eq!(tried(&kid), DOWN);
    fatal.tell(Say::Fail(Boom::Fatal)).await.unwrap(); // top is suspended and resumed
    settle().await;
    assert_eq!(tried(&kid), DOWN);
    pass(secs(2)).await;
    assert_eq!((tried(&kid), kid.incarnation()), (None, 2));
}

/// S7, S14: a restart delay that ran out while the supervisor had failed is used up by the start that follows it. The
/// next delay is waited for in full, whatever is resumed meanwhile.
#[tokio::test(start_paused = true)]
async fn a_resume_cuts_no_wait_short() {
    let (family, _) = family(Directive::Resume).await;
    let slow = spawn(&family.top, Kid { backoff: Some(secs(2)), ..Kid::new("slow") }).await;
    let fatal = spawn(&family.top, Kid::new("second")).await;
    slow.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    busy(&family, 5).await;
    pass(secs(4)).await;
    assert_eq!(slow.incarnation(), 1, "the delay is over, but the supervisor has failed");
    pass(secs(1)).await;
    assert_eq!(slow.incarnation(), 2);
    slow.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    fatal.tell(Say::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(3)).await;
    assert_eq!(slow.incarnation(), 2, "the delay is 4 s this time");
    pass(secs(1)).await;
    assert_eq!(slow.incarnation(), 3);
}
