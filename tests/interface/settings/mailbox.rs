//! `mailbox`, `while_down`, `redeliver`, `max_children`, `max_starting` and `runtime`.

use supervise::error::{AskError, SendRejection, SpawnError};
use supervise::prelude::*;
use tokio::time::Instant;

use super::{ended, fail};
use crate::common::{Boom, Do, Journal, Probe, ms, secs, settle};

supervisor! {
    struct Boxes(journal: Journal) {
        plain: Probe = Probe::start("plain", journal).await?,
        #[mailbox(Bounded(2))]
        two: Probe = Probe::start("two", journal).await?,
        #[mailbox(Bounded(2_000))]
        wide: Probe = Probe::start("wide", journal).await?,
        #[mailbox(Unbounded)]
        endless: Probe = Probe::start("endless", journal).await?,
        #[mailbox(ask = 250ms)]
        hasty: Probe = Probe::start("hasty", journal).await?,
        #[mailbox(Bounded(2), ask = 1min)]
        patient: Probe = Probe::start("patient", journal).await?,
    }

    struct Downs(journal: Journal) {
        #[backoff(3s..3s, random_factor = 0)]
        plain: Probe = Probe::start("plain", journal).await?,
        #[backoff(3s..3s, random_factor = 0)]
        #[while_down(Hold)]
        holds: Probe = Probe::start("holds", journal).await?,
        #[backoff(3s..3s, random_factor = 0)]
        #[while_down(Reject)]
        rejects: Probe = Probe::start("rejects", journal).await?,
    }

    struct Again(journal: Journal) {
        plain: Probe = Probe::start("plain", journal).await?,
        #[redeliver(attempts = 1)]
        once: Probe = Probe::start("once", journal).await?,
        #[redeliver(attempts = 3)]
        thrice: Probe = Probe::start("thrice", journal).await?,
    }

    struct Sets(journal: Journal) {
        plain: [Probe] = |n: u32| Probe::start(format!("p{n}"), journal).await?,
        #[max_children(2)]
        two: [Probe] = |n: u32| Probe::start(format!("q{n}"), journal).await?,
        #[max_children(5)]
        five: [Probe] = |n: u32| Probe::start(format!("r{n}"), journal).await?,
    }
}

/// The number of messages that can wait while another one is in hand, up to 5,000.
async fn room(pick: fn(&Boxes) -> &ActorRef<Probe>) -> usize {
    let tree = Boxes::start(Journal::default()).await.unwrap();
    let child = pick(&tree);
    child.tell(Do::Hang).await.unwrap();
    settle().await;
    for room in 0..5_000 {
        if let Err(refused) = child.try_tell(Do::Add(1)) {
            assert_eq!(refused.reason(), SendRejection::Full);
            return room;
        }
    }
    5_000
}

/// S3: the mailbox holds that many messages; the default is 1,024.
#[tokio::test(start_paused = true)]
async fn mailbox_bounded_is_obeyed() {
    assert_eq!(room(|tree| &tree.two).await, 2);
    assert_eq!(room(|tree| &tree.plain).await, 1_024);
    assert_eq!(room(|tree| &tree.hasty).await, 1_024, "`ask` alone leaves the bound");
    assert_eq!(room(|tree| &tree.wide).await, 2_000);
}

/// S3: the mailbox holds any number of messages.
#[tokio::test(start_paused = true)]
async fn mailbox_unbounded_is_obeyed() {
    assert_eq!(room(|tree| &tree.endless).await, 5_000);
}

/// S3: an ask has that time, by default 5 s; the time that the asker gives takes precedence.
#[tokio::test(start_paused = true)]
async fn mailbox_ask_is_obeyed() {
    let tree = Boxes::start(Journal::default()).await.unwrap();
    for (child, time) in [(&tree.hasty, ms(250)), (&tree.plain, secs(5)), (&tree.patient, secs(60))] {
        child.tell(Do::Hang).await.unwrap();
        settle().await;
        let begin = Instant::now();
        let answer = child.ask(Do::Get).await;
        assert!(matches!(answer, Err(AskError::TimedOut { .. })), "{answer:?}");
        assert_eq!(begin.elapsed(), time);
        let begin = Instant::now();
        child.ask(Do::Get).within(secs(1)).await.unwrap_err();
        assert_eq!(begin.elapsed(), secs(1));
    }
}

/// S27: at most that many instances that have not ended; by default any number.
#[tokio::test(start_paused = true)]
async fn max_children_is_obeyed() {
    let tree = Sets::start(Journal::default()).await.unwrap();
    for n in 0..100 {
        tree.plain.spawn(n).await.unwrap();
    }
    for (set, most) in [(&tree.two, 2), (&tree.five, 5)] {
        let mut spawned = Vec::new();
        for _ in 0..most {
            spawned.push(set.spawn(0).await.unwrap());
        }
        let refused = set.spawn(0).await.unwrap_err();
        assert!(matches!(refused, SpawnError::MaxChildren { most: told, .. } if told == most), "{refused:?}");
        spawned[0].stop();
        ended(&spawned[0]).await;
        set.spawn(0).await.unwrap();
    }
}

/// S27: at most that many instances start at the same time; by default any number.
#[tokio::test(start_paused = true)]
async fn max_starting_is_obeyed() {
    supervisor! {
        struct Slow {
            plain: [Waits] = |_n: u32| Waits::start().await,
            #[max_starting(2)]
            two: [Waits] = |_n: u32| Waits::start().await,
            #[max_starting(5)]
            five: [Waits] = |_n: u32| Waits::start().await,
        }
    }
    let tree = Slow::start().await.unwrap();
    for (set, time) in [(&tree.plain, 1), (&tree.two, 5), (&tree.five, 2)] {
        let begin = Instant::now();
        let all: Vec<_> = (0..10).map(|n| tokio::spawn(set.spawn(n))).collect();
        for one in all {
            one.await.unwrap().unwrap();
        }
        assert_eq!(begin.elapsed(), secs(time));
    }
}

/// An actor whose start takes 1 s.
struct Waits;

#[actor]
impl Waits {
    fn handle(&mut self, _msg: ()) {}
}

impl Waits {
    async fn start() -> Waits {
        tokio::time::sleep(secs(1)).await;
        Waits
    }
}

/// S25: the child runs on the given runtime, by default on that of its tree.
#[tokio::test(start_paused = true)]
async fn runtime_expression_is_obeyed() {
    supervisor! {
        struct Elsewhere(heavy: tokio::runtime::Handle) {
            plain: Thread = Thread,
            #[runtime(heavy)]
            there: Thread = Thread,
        }
    }
    let mut heavy = tokio::runtime::Builder::new_multi_thread();
    let heavy = heavy.worker_threads(1).thread_name("heavy").enable_all().build().unwrap();
    let tree = Elsewhere::start(heavy.handle().clone()).await.unwrap();
    let here = std::thread::current().name().map(str::to_owned);
    assert_eq!(tree.plain.ask(|reply| reply).forever().await.unwrap(), here);
    assert_eq!(tree.there.ask(|reply| reply).forever().await.unwrap().as_deref(), Some("heavy"));
    heavy.shutdown_background();
}

/// Says on which thread it runs.
struct Thread;

#[actor]
impl Thread {
    fn handle(&mut self, reply: Reply<Option<String>>) {
        reply.send(std::thread::current().name().map(str::to_owned));
    }
}

/// The rejection of a tell during a backoff, and the sum after it.
async fn tell_while_down(pick: fn(&Downs) -> &ActorRef<Probe>) -> (Option<SendRejection>, u64) {
    let tree = Downs::start(Journal::default()).await.unwrap();
    let child = pick(&tree);
    fail(child, 1).await;
    tokio::time::sleep(secs(1)).await;
    let refused = child.tell(Do::Add(7)).await.err().map(|error| error.reason());
    tokio::time::sleep(secs(3)).await;
    (refused, child.ask(Do::Get).await.unwrap())
}

/// S35: the message waits in the mailbox, which is the default.
#[tokio::test(start_paused = true)]
async fn while_down_hold_is_obeyed() {
    assert_eq!(tell_while_down(|tree| &tree.holds).await, (None, 7));
    assert_eq!(tell_while_down(|tree| &tree.plain).await, (None, 7));
}

/// S35: the message goes back at once.
#[tokio::test(start_paused = true)]
async fn while_down_reject_is_obeyed() {
    let down = SendRejection::Down { retry_in: Some(secs(2)) };
    assert_eq!(tell_while_down(|tree| &tree.rejects).await, (Some(down), 0));
}

/// S36: a message is redelivered that many times; by default it is not redelivered.
#[tokio::test(start_paused = true)]
async fn redeliver_attempts_is_obeyed() {
    let tree = Again::start(Journal::default()).await.unwrap();
    for (child, failures) in [(&tree.plain, 1), (&tree.once, 2), (&tree.thrice, 4)] {
        fail(child, 1).await;
        tokio::time::sleep(secs(1)).await;
        assert_eq!(child.ask(Do::Incarnation).await.unwrap(), failures + 1, "{}", child.path());
    }
}

/// S35: without the word, the message would be handled by the next instance.
#[tokio::test(start_paused = true)]
async fn mailbox_fresh_is_obeyed() {
    supervisor! {
        struct Fresh(journal: Journal) {
            #[mailbox(fresh)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Fresh::start(journal.clone()).await.unwrap();
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.probe.tell(Do::Note("was handled")).await.unwrap();
    settle().await;
    assert_eq!(tree.probe.incarnation(), 2);
    assert!(!journal.take().contains(&"probe was handled".to_owned()));
}
