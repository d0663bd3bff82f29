//! A mailbox that a restart empties: S35.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use supervise::error::{AskError, InvalidSettings, SpawnError};
use supervise::event::{DeadLetterReason, EventKind, Events};
use supervise::expansion::new_child;
use supervise::policy::ChildOptions;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

supervisor! {
    struct Fresh(journal: Journal) {
        #![strategy(AllForOne)]
        #[mailbox(Bounded(4), fresh)]
        fresh: Probe = Probe::start("fresh", journal).await?,
        kept: Probe = Probe::start("kept", journal).await?,
    }
    struct Above(journal: Journal) {
        below: Fresh = Fresh::tree(journal),
    }
}

/// The dead letters so far, as the paths and reasons.
fn letters(events: &mut Events) -> Vec<(String, DeadLetterReason)> {
    let mut letters = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::DeadLetter { reason, .. } = event.kind {
            letters.push((event.path.to_string(), reason));
        }
    }
    letters
}

/// S35: whatever restarts the child, what waits becomes dead letters, and askers get an error at once; what comes later
/// is handled. The neighbour keeps its messages.
#[tokio::test(start_paused = true)]
async fn every_restart_empties_a_fresh_mailbox() {
    for by in ["its own", "the group", "above", "hand"] {
        let journal = Journal::default();
        let mut tree = Above::tree(journal.clone());
        let mut events = tree.events();
        let tree = tree.start().await.unwrap();
        let (fresh, kept) = (tree.below.fresh.clone(), tree.below.kept.clone());
        fresh.tell(Do::Work(secs(2))).await.unwrap();
        kept.tell(Do::Work(secs(1))).await.unwrap();
        settle().await;
        if by == "its own" {
            fresh.tell(Do::Fail(Boom::Told)).await.unwrap();
        } else if by == "the group" {
            kept.tell(Do::Fail(Boom::Told)).await.unwrap();
        }
        fresh.tell(Do::Note("waits")).await.unwrap();
        kept.tell(Do::Note("waits")).await.unwrap();
        let asks = tokio::spawn({
            let fresh = fresh.clone();
            async move { fresh.ask(Do::Get).forever().await }
        });
        settle().await;
        match by {
            "above" => _ = tree.below.restart().unwrap(),
            "hand" => _ = fresh.restart().unwrap(),
            _ => {}
        }
        pass(secs(3)).await;
        settle().await;
        assert_eq!(fresh.incarnation(), 2, "{by}");
        assert!(matches!(soon(asks).await.unwrap(), Err(AskError::NoReply { .. })), "{by}");
        let lost = ("below/fresh".to_owned(), DeadLetterReason::Restarted);
        assert_eq!(letters(&mut events), [lost.clone(), lost], "{by}");
        fresh.tell(Do::Note("comes later")).await.unwrap();
        settle().await;
        let lines = journal.take();
        assert!(!lines.contains(&"fresh waits".to_owned()), "{by}: {lines:?}");
        assert!(lines.contains(&"fresh comes later".to_owned()), "{by}: {lines:?}");
        assert!(lines.contains(&"kept waits".to_owned()), "{by}: {lines:?}");
    }
}

/// S35: each attempt of a restart begins with an empty mailbox, and what comes after it has begun waits for it; a first
/// start empties nothing.
#[tokio::test(start_paused = true)]
async fn each_attempt_begins_empty() {
    supervisor! {
        struct Slow(journal: Journal) {
            #[mailbox(fresh)]
            #[backoff(10s..10s, random_factor = 0)]
            fresh: Probe = Probe::start("fresh", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("fresh start", 1, Fault::Error);
    let mut tree = Slow::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    tree.fresh.tell(Do::Note("before it was up")).await.unwrap();
    pass(secs(11)).await;
    settle().await;
    assert!(journal.take().contains(&"fresh before it was up".to_owned()), "a first start");
    tree.fresh.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.fresh.tell(Do::Note("in the backoff")).await.unwrap();
    journal.plan("fresh start", 1, Fault::Slow(secs(5)));
    pass(secs(12)).await;
    tree.fresh.tell(Do::Note("in the start")).await.unwrap();
    pass(secs(5)).await;
    settle().await;
    let lines = journal.take();
    assert!(!lines.contains(&"fresh in the backoff".to_owned()), "{lines:?}");
    assert!(lines.contains(&"fresh in the start".to_owned()), "{lines:?}");
    assert_eq!(letters(&mut events), [("fresh".to_owned(), DeadLetterReason::Restarted)]);
}

/// S35: senders that wait for room get it when the restart begins, and their messages are new ones.
#[tokio::test(start_paused = true)]
async fn waiting_senders_get_room() {
    let journal = Journal::default();
    let tree = Fresh::start(journal.clone()).await.unwrap();
    // The senders are woken when the actor goes down, and find no room until its restart begins.
    journal.plan("fresh pre_restart", 1, Fault::Slow(secs(2)));
    journal.plan("fresh start", 1, Fault::Slow(secs(60)));
    tree.fresh.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    tree.fresh.tell(Do::Fail(Boom::Told)).await.unwrap();
    for _ in 0..3 {
        tree.fresh.try_tell(Do::Note("full")).unwrap();
    }
    let [one, other] = [(); 2].map(|()| {
        let fresh = tree.fresh.clone();
        tokio::spawn(async move { fresh.tell(Do::Note("had to wait")).await })
    });
    settle().await;
    assert!(tree.fresh.try_tell(Do::Note("no room")).is_err());
    pass(secs(4)).await;
    assert!(one.is_finished() && other.is_finished(), "the start is still in progress");
    soon(one).await.unwrap().unwrap();
    soon(other).await.unwrap().unwrap();
    pass(secs(60)).await;
    let lines = journal.take();
    // One of them got the place of the failing message, before the restart began.
    assert_eq!(lines.iter().filter(|line| *line == "fresh had to wait").count(), 1, "{lines:?}");
    assert!(!lines.contains(&"fresh full".to_owned()), "{lines:?}");
}

/// S35: of 100,000 messages some panic when they are dropped; all are counted, and the child is up.
#[tokio::test(start_paused = true)]
async fn many_messages_may_panic_when_they_are_dropped() {
    struct Bomb(Arc<AtomicU32>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            if self.0.fetch_add(1, Ordering::Relaxed).is_multiple_of(1_000) {
                panic!("in a drop");
            }
        }
    }
    enum Msg {
        Fail,
        Hold(#[allow(dead_code)] Bomb),
        Ping(Reply<()>),
    }
    struct Holder;
    #[actor]
    impl Holder {
        fn handle(&mut self, msg: Msg) -> Result<(), Boom> {
            match msg {
                Msg::Fail => Err(Boom::Told),
                Msg::Hold(_) => Ok(()),
                Msg::Ping(reply) => {
                    reply.send(());
                    Ok(())
                }
            }
        }
    }
    supervisor! {
        struct Bombs {
            #[mailbox(Unbounded, fresh)]
            holder: Holder = Holder,
        }
    }
    let mut tree = Bombs::tree();
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    let dropped = Arc::new(AtomicU32::new(0));
    tree.holder.try_tell(Msg::Fail).unwrap();
    for _ in 0..100_000 {
        tree.holder.try_tell(Msg::Hold(Bomb(dropped.clone()))).unwrap();
    }
    settle().await;
    soon(tree.holder.ask(Msg::Ping)).await.unwrap();
    assert_eq!((dropped.load(Ordering::Relaxed), tree.holder.incarnation()), (100_000, 2));
    let mut lost = 0;
    while let Some(event) = events.try_next() {
        match event.kind {
            EventKind::DeadLetter { .. } => lost += 1,
            EventKind::Missed { events } => lost += u32::try_from(events).unwrap(),
            _ => {}
        }
    }
    assert!(lost >= 100_000, "{lost}");
}

/// S35: a computed contradiction is an error of the spawn.
#[tokio::test(start_paused = true)]
async fn fresh_and_redeliver_contradict_each_other() {
    // As values: `child!` refuses these settings where they are words.
    let start = || async { Ok(Probe::start("fresh", Journal::default()).await?) };
    let spawned = |options: ChildOptions<Probe>| spawn(new_child("fresh".to_owned(), options, start));
    let error = spawned(ChildOptions::new().fresh().redeliver(3)).await.unwrap_err();
    assert!(matches!(error, SpawnError::InvalidSettings { what: InvalidSettings::FreshRedelivers, .. }), "{error}");
    let error = spawned(ChildOptions::new().lifecycle(Lifecycle::Temporary).fresh()).await.unwrap_err();
    assert!(
        matches!(error, SpawnError::InvalidSettings { what: InvalidSettings::NeverRestarted("fresh"), .. }),
        "{error}"
    );
}

/// Hears of the end of another actor, after the message in hand has failed.
struct Hears(Journal, ActorRef<Probe>);

#[actor]
impl Hears {
    async fn handle(&mut self, time: Duration) -> Result<(), Boom> {
        tokio::time::sleep(time).await;
        Err(Boom::Told)
    }

    #[pre_start]
    fn watches(&mut self, cx: &mut Context<Self>) {
        if cx.incarnation() == 1 {
            cx.watch(&self.1);
        }
    }

    #[terminated]
    fn hears(&mut self, of: &Watched, _: &Ended) {
        self.0.write(format!("{} has ended", of.path()));
    }
}

/// S35, S37: notices of ended children are no messages: they stay in a fresh mailbox.
#[tokio::test(start_paused = true)]
async fn a_fresh_mailbox_keeps_its_notices() {
    supervisor! {
        struct Notices(journal: Journal) {
            other: Probe = Probe::start("other", journal.clone()).await?,
            #[mailbox(fresh)]
            hears: Hears = Hears(journal, other),
        }
    }
    let journal = Journal::default();
    let mut tree = Notices::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    tree.hears.tell(secs(2)).await.unwrap();
    settle().await;
    tree.other.stop();
    soon(tree.other.terminated()).await.unwrap();
    tree.hears.tell(secs(3)).await.unwrap();
    journal.take();
    pass(secs(10)).await;
    assert_eq!((tree.hears.incarnation(), journal.take()), (2, vec!["other has ended".to_owned()]));
    assert_eq!(letters(&mut events), [("hears".to_owned(), DeadLetterReason::Restarted)], "the message does not stay");
}
