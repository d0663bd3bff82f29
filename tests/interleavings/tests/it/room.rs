//! A bounded mailbox: those who wait for room while it is made.

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

/// S3: room that is made while a sender begins to wait is seen; nobody waits beside an empty mailbox.
#[test]
fn a_lone_sender_is_not_forgotten() {
    // Three changes of the task at three single places.
    explore(4000, || async {
        let log = Log::default();
        let tree = Narrow::tree(log.clone()).seed(1).start().await.unwrap();
        for _ in 0..9 {
            tree.a.tell(Do::Note).await.unwrap();
        }
        tree.a.ask(Do::Get).forever().await.unwrap();
        log.holds(log.count("a message") == 10, "not all were handled");
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S3, S5: those who wait for room get it, or their message back, also over a restart and a stop.
#[test]
fn all_who_wait_for_room_go_on() {
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
