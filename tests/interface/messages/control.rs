//! Control of an actor while its user code runs, and no message lost in silence: S4 and S5.

use std::time::Duration;

use supervise::error::{AskError, SendRejection};
use supervise::event::{DeadLetterReason, EventKind};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle, soon};

supervisor! {
    struct One(journal: Journal) {
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

supervisor! {
    struct Narrow(journal: Journal) {
        #[mailbox(Bounded(2))]
        small: Probe = Probe::start("small", journal).await?,
    }
}

// ----- S4

/// S4: control has a queue of its own: it bypasses a full mailbox, and takes effect after the message in hand.
#[tokio::test(start_paused = true)]
async fn control_passes_the_mailbox_and_acts_after_the_message_in_hand() {
    let journal = Journal::default();
    let tree = Narrow::start(journal.clone()).await.unwrap();
    tree.small.tell(Do::Work(secs(2))).await.unwrap();
    settle().await;
    tree.small.try_tell(Do::Note("after")).unwrap();
    tree.small.try_tell(Do::Note("after")).unwrap();
    journal.take();
    for _ in 0..10_000 {
        tree.small.stop(); // a stop is never refused, and never waits
    }
    pass(ms(1_900)).await;
    assert_eq!(journal.take(), [""; 0], "the message in hand goes on");
    pass(ms(200)).await;
    assert_eq!(journal.take(), ["small worked", "small post_stop", "small drop"]);
}

/// S4: a future is dropped at its next await by a kill, and by a deadline that has passed.
#[tokio::test(start_paused = true)]
async fn a_kill_and_a_passed_deadline_drop_the_future_at_its_await() {
    supervisor! {
        struct Hasty(journal: Journal) {
            #[lifecycle(Permanent, shutdown = 2s)]
            slow: Probe = Probe::start("slow", journal.clone()).await?,
            #[decider(_ => Restart)]
            killed: Probe = Probe::start("killed", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Hasty::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    tree.slow.tell(Do::Work(secs(10))).await.unwrap();
    tree.killed.tell(Do::Work(secs(10))).await.unwrap();
    settle().await;
    journal.take();
    let begun = Instant::now();
    tree.slow.stop();
    tree.killed.kill();
    settle().await;
    assert_eq!(
        journal.take(),
        [
            "killed pre_restart",
            "killed post_stop",
            "killed drop",
            "killed start",
            "killed pre_start",
            "killed post_restart"
        ],
        "the killed child ends at once, and the stopped child has its time"
    );
    let ended = soon(tree.slow.terminated()).await.unwrap();
    assert_eq!(begun.elapsed(), secs(2));
    assert!(matches!(ended, Ended::Aborted), "{ended:?}");
    settle().await;
    assert_eq!(journal.take(), ["slow drop"], "neither the handler nor `post_stop` finishes");
    assert!(seen(&mut events).contains(&"slow aborted".to_owned()));
}

/// S4, S16: start, `pre_start` and `post_restart` are dropped by a stop.
#[tokio::test(start_paused = true)]
async fn a_stop_drops_a_start_and_its_hooks() {
    for (place, due) in [("start", None), ("pre_start", None), ("post_restart", Some("probe post_stop"))] {
        let journal = Journal::default();
        let one = One::start(journal.clone()).await.unwrap();
        journal.plan(&format!("probe {place}"), 1, Fault::Slow(secs(60)));
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        settle().await;
        let before = journal.take();
        assert_eq!(before.last().unwrap(), &format!("probe {place}"));
        let begun = Instant::now();
        one.probe.stop();
        assert!(matches!(soon(one.probe.terminated()).await, Ok(Ended::Stopped)), "in {place}");
        assert_eq!(begun.elapsed(), Duration::ZERO, "in {place}");
        let mut expected: Vec<&str> = due.into_iter().collect();
        expected.extend((place != "start").then_some("probe drop"));
        assert_eq!(journal.take(), expected, "in {place}");
    }
}

/// S4: `supervision()` is read once per instance, before `pre_start`.
#[tokio::test(start_paused = true)]
async fn supervision_is_read_once_per_instance_before_pre_start() {
    struct Parent(Journal);
    #[actor]
    impl Parent {
        async fn handle(&mut self, fail: bool, cx: &mut Context<Self>) -> Result<(), Boom> {
            let journal = self.0.clone();
            cx.spawn(child! { "child": Probe = Probe::start("child", journal).await? }).await.unwrap();
            if fail { Err(Boom::Told) } else { Ok(()) }
        }
        #[pre_start]
        fn began(&mut self) {
            self.0.write("pre_start");
        }
        #[supervision]
        fn strategy(&self) -> SupervisorStrategy {
            self.0.write("supervision");
            SupervisorStrategy::default()
        }
    }
    supervisor! {
        struct Family(journal: Journal) {
            parent: Parent = Parent(journal),
        }
    }
    let journal = Journal::default();
    let family = Family::start(journal.clone()).await.unwrap();
    family.parent.tell(true).await.unwrap();
    family.parent.tell(false).await.unwrap();
    settle().await;
    let lines: Vec<_> = journal.take().into_iter().filter(|line| !line.starts_with("child")).collect();
    assert_eq!(lines, ["supervision", "pre_start", "supervision", "pre_start"]);
}

// ----- S5

/// S5: messages that are queued when a stop arrives become dead letters, or errors for their askers; all are counted.
#[tokio::test(start_paused = true)]
async fn what_is_queued_at_an_end_becomes_dead_letters_and_errors() {
    let one = One::start(Journal::default()).await.unwrap();
    let mut events = one.events();
    one.probe.tell(Do::Work(secs(1))).await.unwrap();
    one.probe.tell(Do::Add(1)).await.unwrap();
    one.probe.tell(Do::Add(2)).await.unwrap();
    let asked = tokio::spawn({
        let probe = one.probe.clone();
        async move { (probe.ask(Do::Get).forever().await, Instant::now()) }
    });
    settle().await;
    let begun = Instant::now();
    one.probe.stop();
    let (answer, at) = asked.await.unwrap();
    assert_eq!(answer, Err(AskError::NoReply { path: "probe".into() }));
    soon(one.probe.terminated()).await.unwrap();
    assert_eq!(begun.elapsed(), secs(1));
    assert_eq!(at, begun, "the caller of `ask` gets its error at once, not after the message in hand");
    let mut dead = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::DeadLetter { message, reason } = event.kind {
            dead.push((event.path, message, reason));
        }
    }
    let letter = ("probe".to_owned(), std::any::type_name::<Do>(), DeadLetterReason::Ended);
    assert_eq!(dead, [letter.clone(), letter.clone(), letter]);
    assert_eq!(one.dead_letters(), 3);
    assert_eq!(one.probe.tell(Do::Add(1)).await.unwrap_err().reason(), SendRejection::Ended);
    assert_eq!(one.dead_letters(), 3, "an error to the sender is not a dead letter");
}

/// S5: a `tell` that waits for room when the actor ends gets its message back at once.
#[tokio::test(start_paused = true)]
async fn a_tell_that_waits_at_the_end_gets_its_message_back() {
    let tree = Narrow::start(Journal::default()).await.unwrap();
    tree.small.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    tree.small.try_tell(Do::Add(1)).unwrap();
    tree.small.try_tell(Do::Add(2)).unwrap();
    let begun = Instant::now();
    let (back, ()) = tokio::join!(tree.small.tell(Do::Add(4)), async {
        settle().await;
        tree.small.stop();
    });
    let back = back.unwrap_err();
    assert_eq!((back.reason(), begun.elapsed()), (SendRejection::Ended, Duration::ZERO));
    assert!(matches!(back.into_message(), Do::Add(4)));
    assert_eq!(tree.dead_letters(), 2);
}

/// S5: the messages that are queued after a failure that is decided Stop are dead letters; the failure names the type
/// of the message in hand.
#[tokio::test(start_paused = true)]
async fn the_message_in_hand_is_named_and_the_rest_are_dead_letters() {
    supervisor! {
        struct Strict(journal: Journal) {
            #![decider(|_| Directive::Stop)]
            failing: Probe = Probe::start("failing", journal.clone()).await?,
            killed: Probe = Probe::start("killed", journal.clone()).await?,
            idle: Probe = Probe::start("idle", journal.clone()).await?,
            #[lifecycle(Permanent, shutdown = 1s)]
            aborted: Probe = Probe::start("aborted", journal.clone()).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let tree = Strict::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.failing.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.failing.tell(Do::Add(1)).await.unwrap();
    tree.killed.tell(Do::Hang).await.unwrap();
    tree.aborted.tell(Do::Hang).await.unwrap();
    settle().await;
    tree.killed.kill();
    tree.idle.kill();
    tree.aborted.stop();
    pass(secs(2)).await;
    let mut named = Vec::new();
    while let Some(event) = events.try_next() {
        match event.kind {
            EventKind::Failed { message, .. } => named.push((event.path, "failed", message)),
            EventKind::Aborted { message } => named.push((event.path, "aborted", message)),
            EventKind::DeadLetter { message, .. } => named.push((event.path, "dead", Some(message))),
            _ => {}
        }
    }
    let msg = Some(std::any::type_name::<Do>());
    assert_eq!(
        named,
        [
            ("failing".into(), "failed", msg),
            ("failing".into(), "dead", msg),
            ("killed".into(), "failed", msg),
            ("idle".into(), "failed", None),
            ("aborted".into(), "aborted", msg)
        ] as [(String, _, _); 5]
    );
}
