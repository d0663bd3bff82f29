//! A bounded mailbox: senders that wait for room while messages are taken.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use interleavings::{Do, Log, Probe, all, explore, go};
use supervise::prelude::*;

supervisor! {
    struct Narrow(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(_ => Restart)]
        #[mailbox(Bounded(1))]
        a: Probe = Probe::start("a", log).await?,
    }
}

supervisor! {
    struct Batch(log: Log) {
        #[mailbox(Bounded(4))]
        a: Probe = Probe::start("a", log).await?,
    }
}

/// S3: a handler that waits gives the rest of its batch back. The free room then belongs to the senders that wait for
/// it: they continue while the message is in hand. One of them gives up at any time, which costs no other sender its
/// room.
#[test]
fn waiting_senders_go_on_while_a_handler_waits() {
    explore(4000, || async {
        let log = Log::default();
        let tree = Batch::tree(log.clone()).seed(1).start().await.unwrap();
        let (go_on, waits) = tokio::sync::oneshot::channel();
        tree.a.tell(Do::Wait(waits)).await.unwrap();
        let mut tasks = Vec::new();
        for _ in 0..3 {
            let a = tree.a.clone();
            tasks.push(go(async move { a.tell(Do::Note).await.unwrap() }));
        }
        let a = tree.a.clone();
        tasks.push(go(async move {
            let mut tell = pin!(a.tell(Do::Note));
            for _ in 0..2 {
                if poll_fn(|cx| Poll::Ready(tell.as_mut().poll(cx))).await.is_ready() {
                    return;
                }
                shuttle::future::yield_now().await;
            }
        }));
        // With the first message in hand there is room for all four of them.
        all(tasks).await;
        go_on.send(()).unwrap();
        tree.a.ask(Do::Get).forever().await.unwrap();
        let handled = log.count("a message");
        log.holds(handled == 5 || handled == 6, "a message was handled twice, or not at all");
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S3: room that becomes free while a sender begins to wait is noticed; no sender waits at an empty mailbox.
#[test]
fn a_lone_sender_is_not_forgotten() {
    // Three switches of the task at three specific points.
    explore(4000, || async {
        let log = Log::default();
        let tree = Narrow::tree(log.clone()).seed(1).start().await.unwrap();
        for _ in 0..9 {
            tree.a.tell(Do::Note).await.unwrap();
        }
        tree.a.ask(Do::Get).forever().await.unwrap();
        log.holds(log.count("a message") == 10, "not all messages were handled");
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S3, S5: senders that wait for room get it, or get their message back, also over a restart and a stop.
#[test]
fn all_senders_that_wait_for_room_go_on() {
    explore(1200, || async {
        let log = Log::default();
        let tree = Narrow::tree(log.clone()).seed(1).start().await.unwrap();
        let sends = |fails: bool| {
            let a = tree.a.clone();
            go(async move {
                drop(a.tell(Do::Note).await);
                drop(a.tell(if fails { Do::Fail } else { Do::Note }).await);
            })
        };
        let mut tasks = vec![sends(true), sends(false)];
        let (a, asks) = (tree.a.clone(), tree.a.clone());
        tasks.push(go(async move { drop(asks.ask(Do::Get).forever().await) }));
        tasks.push(go(async move {
            tokio::task::yield_now().await;
            a.stop();
        }));
        all(tasks).await;
        drop(tree.shutdown().await);
        log.check();
    });
}
