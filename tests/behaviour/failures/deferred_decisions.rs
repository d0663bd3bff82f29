//! Failures whose decision is deferred, and the children that are suspended meanwhile: S7, and S35 together with it.

use supervise::error::SendRejection;
use supervise::event::{EventKind, Events};
use supervise::policy::WhileDown;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle};
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
    while let Some(event) = events.try_next() {
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

/// S7: a failure that is kept suspends the children below it. They serve once it is decided.
#[tokio::test(start_paused = true)]
async fn below_a_kept_failure_no_message_begins_before_the_decision() {
    let (family, journal) = family(Directive::Resume).await;
    let kid = spawn(&family.top, Kid::new("kid")).await;
    let grandkid = spawn(&kid, Kid::new("grandkid")).await;
    busy(&family, 2).await;
    kid.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    grandkid.tell(Say::Note("begins")).await.unwrap();
    journal.plan("kid pre_restart", 1, Fault::Slow(secs(1)));
    pass(ms(1900)).await;
    assert!(!journal.take().contains(&"grandkid begins".to_owned()), "the failure of kid is not decided");
    pass(ms(600)).await;
    let lines = journal.take();
    let at = |line: &str| lines.iter().position(|it| it == line);
    assert!(at("kid pre_restart").is_some() && at("grandkid begins") > at("kid pre_restart"), "{lines:?}");
}

/// Lets the start of `child` take 500 ms, and `kid` above it fail meanwhile. That is not decided for 5 s.
async fn comes_up_below_a_kept_failure(child: Kid) -> (Running<Family>, Journal, ActorRef<Node>) {
    let (family, journal) = family(Directive::Restart).await;
    let kid = spawn(&family.top, Kid::new("kid")).await;
    let child = spawn(&kid, child).await;
    busy(&family, 5).await;
    journal.plan("child pre_start", 1, Fault::Slow(ms(500)));
    child.restart().unwrap();
    settle().await;
    kid.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    pass(secs(1)).await;
    assert_eq!(child.incarnation(), 2);
    (family, journal, child)
}

/// S7: a child that is spawned by an actor which comes up while it is suspended does not start before the suspension
/// ends.
#[tokio::test(start_paused = true)]
async fn one_that_comes_up_suspended_begins_nothing() {
    let child = Kid { brood: Some("grandkid"), ..Kid::new("child") };
    let (family, journal, _) = comes_up_below_a_kept_failure(child).await;
    assert_eq!(journal.take(), ["child pre_start done", "child post_restart"]);
    assert_eq!(family.snapshot().find("top/kid/child").unwrap().state.to_string(), "suspended");
    pass(secs(5)).await;
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

/// S7, S35: an actor that is resumed in the moment in which its supervisor fails is up. If that supervisor is restarted, the
/// actor and everything below it serve until their turns come.
#[tokio::test(start_paused = true)]
async fn a_failure_above_right_after_a_resume_is_heard() {
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
    assert_eq!(lines[lines.len() - 2..], ["grand pre_restart", "kid begins"], "{lines:?}");
    assert_eq!(tried(&top), None);
    pass(secs(2)).await;
    assert!(top.ended().is_some(), "it ends with the restart of its supervisor");
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
    let child = Kid { while_down: WhileDown::Reject, ..Kid::new("child") };
    let (_family, _, child) = comes_up_below_a_kept_failure(child).await;
    assert_eq!(tried(&child), DOWN, "the child is up, and suspended");
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
