//! The message in hand at a failure is delivered again (redelivery): S36.

use std::time::Duration;

use supervise::error::AskError;
use supervise::event::{DeadLetterReason, EventKind, Events};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Journal, Probe, comes_back, ms, pass, quiet_panics, secs, seen, settle, soon};

/// Fails `left` times, then handles the message.
struct Picky {
    journal: Journal,
    /// Shared by all incarnations.
    left: std::sync::Arc<std::sync::atomic::AtomicU32>,
}

#[derive(Debug, Clone)]
enum Eat {
    /// Fails as long as there are failures left.
    Bad(Reply<u32>),
    Panics,
    Note(&'static str),
    Slow(Duration),
    /// Fails, and is not to be restarted.
    Fatal(Reply<u32>),
}

#[actor]
impl Picky {
    async fn handle(&mut self, eat: Eat, cx: &mut Context<Self>) -> Result<(), Boom> {
        use std::sync::atomic::Ordering::SeqCst;
        let bad = || self.left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok();
        match eat {
            Eat::Bad(_) | Eat::Panics if bad() => {
                self.journal.write("bad");
                if matches!(eat, Eat::Panics) {
                    panic!("planned panic");
                }
                return Err(Boom::Told);
            }
            Eat::Bad(reply) => reply.send(cx.incarnation()),
            Eat::Panics => self.journal.write("fine"),
            Eat::Note(line) => self.journal.write(line),
            Eat::Slow(time) => {
                self.journal.write("slow");
                tokio::time::sleep(time).await;
                self.journal.write("slow done");
            }
            Eat::Fatal(reply) => {
                drop(reply); // a copy of it still exists
                return Err(Boom::Fatal);
            }
        }
        Ok(())
    }
}

supervisor! {
    struct One(journal: Journal, bad: u32) {
        let left = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(bad));
        #[redeliver(attempts = 2)]
        #[decider(Boom::Fatal => Stop, _ => Restart)]
        #[backoff(1s..1s, random_factor = 0)]
        #[lifecycle(Permanent, shutdown = 4s)]
        #[mailbox(Bounded(2))]
        picky: Picky = Picky { journal, left },
        #[decider(|_: &Failure| Directive::Resume)]
        #[redeliver(attempts = 2)]
        forgiven: Picky = Picky { journal, left },
        #[backoff(1s..1s, random_factor = 0)]
        plain: Picky = Picky { journal, left },
        #[redeliver(attempts = 1)]
        set: [Probe] = |n: u32| Probe::start(format!("set{n}"), journal).await?,
    }
}

async fn one(bad: u32) -> (Running<One>, Journal, Events) {
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone(), bad);
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    settle().await;
    journal.take();
    seen(&mut events);
    (tree, journal, events)
}

/// S36: the message comes first again after the restart, and the asker, which still waits, gets its reply.
#[tokio::test(start_paused = true)]
async fn the_message_in_hand_is_delivered_again_and_answered() {
    let (tree, journal, mut events) = one(2).await;
    let begin = Instant::now();
    let (asked, ()) = tokio::join!(tree.picky.ask(Eat::Bad), async {
        settle().await;
        tree.picky.tell(Eat::Note("after")).await.unwrap();
        tree.picky.tell(Eat::Note("after it")).await.unwrap();
    });
    assert_eq!(asked, Ok(3), "the third incarnation answers");
    assert_eq!(begin.elapsed(), secs(2));
    settle().await;
    assert_eq!(journal.take(), ["bad", "bad", "after", "after it"]);
    assert!(!seen(&mut events).contains(&"picky dead letter".to_owned()));
}

/// S36: the message is redelivered that many times at most; then it is a dead letter, and its asker gets an error at
/// once.
#[tokio::test(start_paused = true)]
async fn a_message_that_always_fails_is_given_up() {
    let (tree, journal, mut events) = one(100).await;
    let begin = Instant::now();
    let asked = soon(tree.picky.ask(Eat::Bad).forever()).await;
    assert!(matches!(asked, Err(AskError::NoReply { .. })), "{asked:?}");
    assert_eq!(begin.elapsed(), secs(2), "the third attempt is the last, and no restart delay follows");
    let mut reasons = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::DeadLetter { message, reason } = event.kind {
            assert!(message.ends_with("Eat"), "{message}");
            reasons.push(reason);
        }
    }
    assert_eq!(reasons, [DeadLetterReason::GivenUp]);
    assert_eq!(tree.dead_letters(), 1);
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["bad", "bad", "bad"]);
    // The next message has its own attempts.
    tree.picky.tell(Eat::Panics).await.unwrap();
    quiet_panics();
    pass(secs(10)).await;
    assert_eq!(journal.take(), ["bad", "bad", "bad"]);
    tree.picky.tell(Eat::Note("goes on")).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["goes on"]);
}

/// S36: a panic leads to redelivery too.
#[tokio::test(start_paused = true)]
async fn a_panic_delivers_again() {
    quiet_panics();
    let (tree, journal, _) = one(1).await;
    tree.picky.tell(Eat::Panics).await.unwrap();
    pass(secs(2)).await;
    assert_eq!(journal.take(), ["bad", "fine"]);
}

/// S36: an abort on the way down for a restart leads to redelivery as well.
#[tokio::test(start_paused = true)]
async fn an_abort_delivers_again() {
    let (tree, journal, mut events) = one(0).await;
    tree.picky.tell(Eat::Slow(secs(60))).await.unwrap();
    settle().await;
    tree.picky.restart().unwrap();
    pass(secs(4)).await;
    assert_eq!(journal.take(), ["slow", "slow"]);
    assert!(seen(&mut events).contains(&"picky aborted".to_owned()));
}

/// S36: a message that was handled is not redelivered, whatever the next message does.
#[tokio::test(start_paused = true)]
async fn what_was_handled_does_not_come_again() {
    let (tree, journal, _) = one(1).await;
    tree.picky.tell(Eat::Note("once")).await.unwrap();
    settle().await;
    tree.picky.restart().unwrap();
    settle().await;
    assert_eq!(tree.picky.ask(Eat::Bad).await, Ok(3));
    assert_eq!(journal.take(), ["once", "bad"]);
}

/// S7, S36: a Resume discards the message, and its asker gets an error at once.
#[tokio::test(start_paused = true)]
async fn resume_drops_the_failed_message() {
    let (tree, journal, _) = one(1).await;
    let begin = Instant::now();
    let asked = soon(tree.forgiven.ask(Eat::Bad).forever()).await;
    assert!(matches!(asked, Err(AskError::NoReply { .. })), "{asked:?}");
    assert_eq!(begin.elapsed(), secs(0));
    assert_eq!(tree.forgiven.ask(Eat::Bad).await, Ok(1));
    assert_eq!(journal.take(), ["bad"]);
}

/// S36: an end of the actor makes the message a dead letter.
#[tokio::test(start_paused = true)]
async fn the_message_is_a_dead_letter_when_the_actor_ends() {
    let (tree, _, mut events) = one(1).await;
    let asked = soon(tree.picky.ask(Eat::Fatal).forever()).await;
    assert!(matches!(asked, Err(AskError::NoReply { .. })), "{asked:?}");
    soon(tree.picky.terminated()).await.unwrap();
    assert!(seen(&mut events).contains(&"picky dead letter".to_owned()));
    // A stop while the actor waits for its restart ends the message too.
    let (tree, ..) = one(1).await;
    let (asked, ()) = tokio::join!(tree.picky.ask(Eat::Bad).forever(), async {
        pass(ms(500)).await;
        tree.picky.stop();
    });
    assert!(matches!(asked, Err(AskError::NoReply { .. })), "{asked:?}");
    assert_eq!(tree.dead_letters(), 1);
}

/// S15, S36: at the limit, the message ends with the child, however many attempts are left.
#[tokio::test(start_paused = true)]
async fn the_restart_limit_ends_redelivery() {
    supervisor! {
        struct Limited(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 1, on_limit = Stop)]
            #[redeliver(attempts = 10)]
            probe: Probe = Probe::start("probe", journal).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let journal = Journal::default();
    let mut tree = Limited::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(tree.probe.terminated()).await, Ok(Ended::Limit(_))));
    assert_eq!(tree.probe.incarnation(), 2);
    let mut reasons = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::DeadLetter { reason, .. } = event.kind {
            reasons.push(reason);
        }
    }
    assert_eq!(reasons, [DeadLetterReason::Ended]);
}

/// S7: without `redeliver` the asker gets an error at once, and the message is not redelivered.
#[tokio::test(start_paused = true)]
async fn without_redeliver_the_failed_message_is_dropped() {
    let (tree, journal, _) = one(1).await;
    let begin = Instant::now();
    let asked = soon(tree.plain.ask(Eat::Bad).forever()).await;
    assert!(matches!(asked, Err(AskError::NoReply { .. })), "{asked:?}");
    assert_eq!(begin.elapsed(), secs(0));
    pass(secs(2)).await;
    assert_eq!(journal.take(), ["bad"]);
}

/// S36: the time of an ask is not extended.
#[tokio::test(start_paused = true)]
async fn an_ask_waits_for_its_own_time_only() {
    let (tree, ..) = one(2).await;
    let asked = tree.picky.ask(Eat::Bad).within(ms(1_500)).await;
    assert!(matches!(asked, Err(AskError::TimedOut { .. })), "{asked:?}");
}

/// S36: an instance of a set redelivers too, even if its mailbox is full.
#[tokio::test(start_paused = true)]
async fn an_instance_of_a_set_delivers_again() {
    let (tree, journal, _) = one(0).await;
    let one = tree.set.spawn(1).await.unwrap();
    settle().await;
    journal.take();
    one.tell(Do::Fail(Boom::Told)).await.unwrap();
    one.tell(Do::Note("after")).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(one.incarnation(), 3, "failed, failed again, given up");
    assert_eq!(journal.take().last().unwrap(), "set1 after");
    assert_eq!(tree.dead_letters(), 1);
}

/// Fails as often as the test requests.
struct Flaky(std::sync::Arc<std::sync::atomic::AtomicU32>);

#[actor]
impl Flaky {
    fn handle(&mut self, _: Reply<()>) -> Result<(), Boom> {
        use std::sync::atomic::Ordering::SeqCst;
        let bad = self.0.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok();
        if bad { Err(Boom::Told) } else { Ok(()) }
    }
}

/// S36: each message has all its attempts: those of the message before it do not count.
#[tokio::test(start_paused = true)]
async fn each_message_has_all_attempts() {
    supervisor! {
        struct Two(left: std::sync::Arc<std::sync::atomic::AtomicU32>) {
            #[redeliver(attempts = 2)]
            flaky: Flaky = Flaky(left),
        }
    }
    let left = std::sync::Arc::<std::sync::atomic::AtomicU32>::default();
    let tree = Two::start(left.clone()).await.unwrap();
    for (wrong, lost) in [(1, 0), (2, 0), (3, 1)] {
        left.store(wrong, std::sync::atomic::Ordering::SeqCst);
        let _ = tree.flaky.ask(|reply| reply).forever().await; // each ends with an error, because no reply is sent
        settle().await;
        assert_eq!((left.load(std::sync::atomic::Ordering::SeqCst), tree.dead_letters()), (0, lost), "{wrong}");
    }
}

/// Keeps a message in hand forever.
struct Holder(std::sync::mpsc::Sender<()>);

#[derive(Clone)]
struct Hold(#[allow(dead_code)] Reply<u32>); // dropping the last copy sends the asker an error

#[actor]
impl Holder {
    async fn handle(&mut self, hold: Hold) {
        self.0.send(()).unwrap();
        std::future::pending::<()>().await;
        drop(hold);
    }
}

supervisor! {
    struct Holds(taken: std::sync::mpsc::Sender<()>) {
        #[redeliver(attempts = 3)]
        holder: Holder = Holder(taken),
    }
}

/// S36, S25: a message that would be redelivered is dropped with its runtime, and its asker gets an error.
#[test]
fn a_message_to_come_again_goes_with_its_runtime() {
    comes_back(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (taken, is_taken) = std::sync::mpsc::channel();
        let tree = runtime.block_on(Holds::start(taken)).unwrap();
        let holder = tree.holder.clone();
        let asker = std::thread::spawn(move || {
            let elsewhere = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            elsewhere.block_on(holder.ask(Hold).forever())
        });
        is_taken.recv().unwrap();
        drop(runtime);
        let answer = asker.join().unwrap();
        assert!(matches!(answer, Err(AskError::NoReply { .. })), "{answer:?}");
        assert_eq!(tree.dead_letters(), 1);
    });
}
