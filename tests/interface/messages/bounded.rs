//! Room in a bounded mailbox, exact to one slot, with senders on other threads and outside of a runtime: S3.

use std::future::{IntoFuture, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context as Cx, Wake, Waker};
use std::time::{Duration, Instant};

use supervise::error::SendRejection;
use supervise::inspect::{MailboxDepth, Snapshot};
use supervise::prelude::*;

use crate::common::{block_on, comes_back, ms, pass, secs, settle, soon};

/// Handles papers with or without an await, for as long as the test wants.
struct Desk {
    handled: u64,
}

enum Paper {
    Sign,
    /// Blocks the thread until the other end is dropped, and first signals that it has begun.
    Block(Sender<()>, Receiver<()>),
    /// Waits for this time.
    Await(Duration),
    /// Blocks as `Block` does, then awaits forever.
    BlockThenAwait(Sender<()>, Receiver<()>),
    Fail,
    Ask(Reply<u64>),
}

#[actor]
impl Desk {
    async fn handle(&mut self, paper: Paper) -> Result<(), String> {
        match paper {
            Paper::Sign => {}
            Paper::Block(begun, until) => {
                begun.send(()).unwrap();
                assert!(until.recv_timeout(secs(50)).is_err());
            }
            Paper::BlockThenAwait(begun, until) => {
                begun.send(()).unwrap();
                assert!(until.recv_timeout(secs(50)).is_err());
                std::future::pending::<()>().await;
            }
            Paper::Await(time) => tokio::time::sleep(time).await,
            Paper::Fail => return Err("planned failure".into()),
            Paper::Ask(reply) => reply.send(self.handled),
        }
        self.handled += 1;
        Ok(())
    }
}

supervisor! {
    struct Office {
        #![decider(_ => Restart)]
        #[mailbox(Bounded(64))]
        #[backoff(1s..2s)]
        desk: Desk = Desk { handled: 0 },
        #[mailbox(Bounded(64))]
        quick: Desk = Desk { handled: 0 },
        #[mailbox(Unbounded)]
        wide: Desk = Desk { handled: 0 },
        #[mailbox(Bounded(2))]
        narrow: Desk = Desk { handled: 0 },
    }
}

fn depth(seen: &Snapshot, child: usize) -> (usize, usize) {
    match seen.root.children[child].mailbox {
        Some(MailboxDepth { waiting, blocked, .. }) => (waiting, blocked),
        _ => panic!("an actor has a mailbox"),
    }
}

/// Returns a message that blocks its thread, a receiver that signals when it has begun, and a sender that unblocks it
/// when dropped.
fn block() -> (Paper, Receiver<()>, Sender<()>) {
    let ((begun, has_begun), (lets_go, until)) = (channel(), channel());
    (Paper::Block(begun, until), has_begun, lets_go)
}

fn two_workers() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// S3: as long as there is room a message is accepted, even in the middle of a batch whose handlers do not await. A
/// snapshot shows exactly the number of waiting messages (S42).
#[test]
fn no_place_is_hidden_by_a_batch() {
    comes_back(|| {
        let runtime = two_workers();
        let _entered = runtime.enter();
        let office = runtime.block_on(Office::start()).unwrap();
        // 64 messages wait after this one; the actor takes them in one batch, and blocks at the 20th.
        let (first, begun, go) = block();
        office.desk.try_tell(first).unwrap();
        begun.recv().unwrap();
        let (second, begun, go_on) = block();
        for _ in 0..19 {
            office.desk.try_tell(Paper::Sign).unwrap();
        }
        office.desk.try_tell(second).unwrap();
        for _ in 0..44 {
            office.desk.try_tell(Paper::Sign).unwrap();
        }
        assert_eq!(office.desk.try_tell(Paper::Sign).unwrap_err().reason(), SendRejection::Full);
        assert_eq!(depth(&office.snapshot(), 0), (64, 0));
        drop(go);
        begun.recv().unwrap();
        assert_eq!(depth(&office.snapshot(), 0), (44, 0));
        for free in (0..20).rev() {
            office.desk.try_tell(Paper::Sign).unwrap_or_else(|_| panic!("there are {} free slots", free + 1));
        }
        assert_eq!(office.desk.try_tell(Paper::Sign).unwrap_err().reason(), SendRejection::Full);
        drop(go_on);
        assert_eq!(runtime.block_on(async { office.desk.ask(Paper::Ask).await }), Ok(85));

        // A mailbox without a bound shows the waiting messages, too.
        let (first, begun, go) = block();
        office.wide.try_tell(first).unwrap();
        begun.recv().unwrap();
        let (second, begun, go_on) = block();
        office.wide.try_tell(second).unwrap();
        for _ in 0..100 {
            office.wide.try_tell(Paper::Sign).unwrap();
        }
        assert_eq!(depth(&office.snapshot(), 2), (101, 0));
        drop(go);
        begun.recv().unwrap();
        assert_eq!(depth(&office.snapshot(), 2), (100, 0));
        drop(go_on);
        assert!(runtime.block_on(office.shutdown()).is_orderly());
    });
}

/// S3: a sender that waits for room continues as soon as there is any, while the handler of the message in hand blocks
/// its thread and while it awaits, at whatever moment the sender arrives.
#[test]
fn no_sender_waits_next_to_free_places() {
    comes_back(|| {
        let runtime = two_workers();
        let office = runtime.block_on(Office::start()).unwrap();
        let quick = office.quick.clone();
        let begun = Instant::now();
        for round in 0..200_u64 {
            let (first, has_begun, go) = block();
            quick.try_tell(first).unwrap();
            has_begun.recv().unwrap();
            // Fill the mailbox behind a message whose handler does not end.
            let ((begins, has_begun), (go_on, until)) = (channel(), channel());
            quick.try_tell(Paper::BlockThenAwait(begins, until)).unwrap();
            while quick.try_tell(Paper::Sign).is_ok() {}
            let sends = || {
                let quick = quick.clone();
                std::thread::spawn(move || block_on(quick.tell(Paper::Sign)))
            };
            let early = (round % 3 == 0).then(sends);
            drop(go);
            let early = early.unwrap_or_else(|| {
                (0..500 * (round % 7)).for_each(|_| std::hint::spin_loop());
                sends()
            });
            has_begun.recv().unwrap();
            // One slot is free: one sender continues while the thread is blocked, and no other.
            early.join().unwrap().unwrap();
            assert_eq!(quick.try_tell(Paper::Sign).unwrap_err().reason(), SendRejection::Full);
            let late = sends();
            drop(go_on);
            let incarnation = quick.incarnation();
            quick.kill();
            while quick.incarnation() == incarnation {
                std::thread::yield_now();
            }
            late.join().unwrap().unwrap();
            block_on(quick.ask(Paper::Ask).forever()).unwrap();
            quick.stop();
            block_on(quick.terminated()).unwrap();
            quick.start_again().unwrap();
            block_on(quick.ask(Paper::Ask).forever()).unwrap();
            if begun.elapsed() > secs(10) {
                break; // the machine is busy with other work
            }
        }
        assert!(runtime.block_on(office.shutdown()).is_orderly());
    });
}

/// S3, S5: messages that a failed actor had taken out in a batch, but not handled, wait with the others for the whole
/// backoff. They are counted, and no other message can use their slots.
#[tokio::test(start_paused = true)]
async fn a_batch_waits_over_a_failure() {
    let office = Office::start().await.unwrap();
    for _ in 0..2 {
        office.desk.try_tell(Paper::Fail).unwrap(); // the second restart has a delay
    }
    for _ in 0..40 {
        office.desk.try_tell(Paper::Sign).unwrap();
    }
    settle().await;
    assert_eq!(depth(&office.snapshot(), 0), (41, 0));
    for _ in 41..64 {
        office.desk.try_tell(Paper::Sign).unwrap();
    }
    assert_eq!(office.desk.try_tell(Paper::Sign).unwrap_err().reason(), SendRejection::Full);
    pass(secs(10)).await;
    assert_eq!(office.desk.ask(Paper::Ask).await.unwrap(), 63);
    assert!(soon(office.shutdown()).await.is_orderly());
}

/// Records whether its waker was called.
struct Mark(AtomicBool);

impl Wake for Mark {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

fn marked<const N: usize>() -> ([Arc<Mark>; N], [Waker; N]) {
    let marks = std::array::from_fn(|_| Arc::new(Mark(false.into())));
    (marks.clone(), marks.map(Waker::from))
}

fn is_woken(mark: Arc<Mark>) -> bool {
    mark.0.load(SeqCst)
}

/// An actor that works for a second, with two more such messages that fill its mailbox.
async fn busy() -> Running<Office> {
    let office = Office::start().await.unwrap();
    office.narrow.tell(Paper::Await(secs(1))).await.unwrap();
    settle().await;
    for _ in 0..2 {
        office.narrow.try_tell(Paper::Await(secs(1))).unwrap();
    }
    office
}

/// S3: a sender that is woken and gives up releases its slot: the next sender is woken for it.
#[tokio::test(start_paused = true)]
async fn a_sender_that_gives_up_releases_its_slot() {
    let office = busy().await;
    let (narrow, (marks, wakers)) = (office.narrow.clone(), marked());
    let mut tells = [0, 1].map(|_| Box::pin(narrow.tell(Paper::Sign)));
    for (tell, waker) in tells.iter_mut().zip(&wakers) {
        assert!(tell.as_mut().poll(&mut Cx::from_waker(waker)).is_pending());
    }
    pass(ms(1001)).await;
    assert_eq!(marks.clone().map(is_woken), [true, false], "one slot is free");
    let [first, mut second] = tells;
    drop(first);
    assert_eq!(marks.map(is_woken), [true, true]);
    assert!(second.as_mut().poll(&mut Cx::from_waker(&wakers[1])).is_ready());
    assert!(soon(office.shutdown()).await.is_orderly());
}

/// S3: a sender that finds room before it is woken is not woken for another slot: that slot goes to a sender that still
/// waits.
#[tokio::test(start_paused = true)]
async fn a_sender_that_found_room_is_not_woken_again() {
    let office = busy().await;
    let (narrow, (marks, wakers)) = (office.narrow.clone(), marked());
    let mut tells = [0, 1, 2].map(|_| Box::pin(narrow.tell(Paper::Await(secs(1)))));
    let mut poll = |of: usize| tells[of].as_mut().poll(&mut Cx::from_waker(&wakers[of]));
    assert!(poll(0).is_pending() && poll(1).is_pending());
    pass(ms(1001)).await;
    assert!(poll(1).is_ready(), "one slot is free, and the first sender was woken for it");
    assert!(poll(0).is_pending() && poll(2).is_pending());
    assert_eq!(depth(&office.snapshot(), 3), (2, 2));
    pass(secs(1)).await;
    assert!(poll(0).is_ready());
    pass(secs(1)).await;
    assert_eq!(marks.map(is_woken), [true, false, true]);
    assert!(poll(2).is_ready());
    assert!(soon(office.shutdown()).await.is_orderly());
}

/// S3: the sender that arrived first continues first, even if it was woken before and found the slot taken.
#[tokio::test(start_paused = true)]
async fn a_waiting_sender_keeps_its_place() {
    let office = busy().await;
    let mut first = Box::pin(office.narrow.tell(Paper::Sign));
    let mut second = Box::pin(office.narrow.tell(Paper::Sign));
    let mut cx = Cx::from_waker(Waker::noop());
    assert!(first.as_mut().poll(&mut cx).is_pending() && second.as_mut().poll(&mut cx).is_pending());
    pass(ms(1001)).await; // one slot is free: the first sender is woken, and does not run at once
    office.narrow.try_tell(Paper::Sign).unwrap();
    assert!(first.as_mut().poll(&mut cx).is_pending());
    assert_eq!(depth(&office.snapshot(), 3), (2, 2));

    let (marks, wakers) = marked();
    assert!(second.as_mut().poll(&mut Cx::from_waker(&wakers[1])).is_pending());
    assert!(first.as_mut().poll(&mut Cx::from_waker(&wakers[0])).is_pending());
    pass(ms(1001)).await;
    assert_eq!(
        marks.map(is_woken),
        [true, false],
        "the first of the two, although it was polled again after the second"
    );
    drop((first, second));
    assert!(soon(office.shutdown()).await.is_orderly());
}

/// S3: a `tell` needs no runtime, even if it waits, and neither does an `ask` that waits forever. An `ask` with a time
/// limit always needs one, and panics before anything is sent.
#[test]
fn outside_of_a_runtime_only_an_ask_with_a_time_cannot_be() {
    comes_back(|| {
        let runtime = two_workers();
        let office = runtime.block_on(Office::start()).unwrap();
        let (first, begun, go) = block();
        block_on(office.narrow.tell(first)).unwrap();
        begun.recv().unwrap();
        for _ in 0..2 {
            block_on(office.narrow.tell(Paper::Sign)).unwrap();
        }
        let narrow = office.narrow.clone();
        let waits = std::thread::spawn(move || block_on(narrow.tell(Paper::Sign)));
        while depth(&office.snapshot(), 3) != (2, 1) {
            std::thread::yield_now();
        }
        drop(go);
        waits.join().unwrap().unwrap();
        assert_eq!(block_on(office.narrow.ask(Paper::Ask).forever()), Ok(4));

        let asked = catch_unwind(AssertUnwindSafe(|| block_on(office.narrow.ask(Paper::Ask))));
        let panic = asked.expect_err("there is no runtime with a clock");
        assert!(panic.downcast_ref::<&str>().is_some_and(|text| text.contains("use `.forever()`")));
        assert_eq!(block_on(office.narrow.ask(Paper::Ask).forever()), Ok(5), "the message was not sent");
        assert!(runtime.block_on(office.shutdown()).is_orderly());
    });
}

/// S3: when many blocked senders continue, each costs the same, however many there are: a free slot wakes only senders
/// that there is room for, and some of them a second time.
#[tokio::test(start_paused = true)]
async fn many_blocked_senders_cost_the_same_each() {
    for senders in [500_u64, 5_000] {
        let office = Office::start().await.unwrap();
        let (desk, polls) = (office.desk.clone(), Arc::new(AtomicU64::new(0)));
        desk.tell(Paper::Await(ms(1))).await.unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..senders {
            let (desk, polls) = (desk.clone(), polls.clone());
            tasks.spawn(async move {
                let mut tell = pin!(desk.tell(Paper::Sign).into_future());
                let polled = poll_fn(|cx| {
                    polls.fetch_add(1, SeqCst);
                    tell.as_mut().poll(cx)
                });
                polled.await.unwrap();
            });
        }
        settle().await;
        assert_eq!((depth(&office.snapshot(), 0), polls.load(SeqCst)), ((64, senders as usize - 64), senders));
        pass(ms(1)).await;
        while tasks.join_next().await.is_some() {}
        let polls = polls.load(SeqCst);
        assert!(polls <= senders * 3, "{polls} polls of {senders}");
        assert_eq!(desk.ask(Paper::Ask).await.unwrap(), senders + 1);
        assert!(soon(office.shutdown()).await.is_orderly());
    }
}

/// Sends to others, and has children with little room in their mailboxes.
struct Clerk;

enum Errand {
    Hire(Reply<ActorRef<Clerk>>),
    /// Takes this long.
    Work(Duration),
    /// Sends to this one, and returns whether that went well.
    Tell(ActorRef<Clerk>, Reply<bool>),
    /// The same with a question.
    Ask(ActorRef<Clerk>, Reply<bool>),
    Answer(Reply<()>),
    Sign,
}

#[actor]
impl Clerk {
    async fn handle(&mut self, errand: Errand, cx: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        match errand {
            Errand::Hire(reply) => {
                let hired = cx.spawn(child! { #[mailbox(Bounded(1))] "hired": Clerk = Clerk });
                reply.send(hired.await?);
            }
            Errand::Work(time) => tokio::time::sleep(time).await,
            Errand::Tell(to, reply) => reply.send(to.tell(Errand::Sign).await.is_ok()),
            Errand::Ask(to, reply) => reply.send(to.ask(Errand::Answer).forever().await.is_ok()),
            Errand::Answer(reply) => reply.send(()),
            Errand::Sign => {}
        }
        Ok(())
    }
}

supervisor! {
    struct Family {
        #[mailbox(Bounded(1))]
        chief: Clerk = Clerk,
        other: Clerk = Clerk,
    }
}

/// S3: only a send to oneself never waits for room. A child waits for room at its supervisor, a supervisor at its
/// child, and an actor at any other.
#[tokio::test(start_paused = true)]
async fn a_sender_waits_for_room_at_its_own_supervisor_and_child() {
    type With = fn(ActorRef<Clerk>, Reply<bool>) -> Errand;
    let family = Family::start().await.unwrap();
    let (chief, other) = (family.chief.clone(), family.other.clone());
    let child = chief.ask(Errand::Hire).await.unwrap();
    let grandchild = child.ask(Errand::Hire).await.unwrap();
    let errands: [With; 2] = [Errand::Tell, Errand::Ask];
    for (from, to) in [(&child, &chief), (&grandchild, &chief), (&chief, &child), (&other, &chief)] {
        for errand in errands {
            to.tell(Errand::Work(secs(1))).await.unwrap();
            settle().await;
            to.try_tell(Errand::Sign).unwrap();
            let (from, with) = (from.clone(), to.clone());
            let sent = tokio::spawn(async move { from.ask(|reply| errand(with, reply)).await });
            settle().await;
            assert!(!sent.is_finished(), "to {}", to.path());
            pass(secs(1)).await;
            assert_eq!(sent.await.unwrap(), Ok(true), "to {}", to.path());
        }
    }
    assert!(soon(family.shutdown()).await.is_orderly());
}
