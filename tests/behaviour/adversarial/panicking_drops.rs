//! Several values whose `Drop` panics at the same time: each is dropped by itself, and none of them ends the process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

use supervise::event::EventKind;
use supervise::prelude::*;
use supervise::testing::settle;

use crate::common::{Boom, ms, pass, quiet_panics, secs, seen, soon};

/// The number of bombs, and whether they are disarmed.
#[derive(Debug, Default)]
struct Stock {
    live: AtomicI64,
    safe: AtomicBool,
}

impl Stock {
    fn live(&self) -> i64 {
        self.live.load(Relaxed)
    }
}

/// Panics when it is dropped.
#[derive(Debug)]
struct Bomb(Arc<Stock>);

impl Bomb {
    fn new(stock: &Arc<Stock>) -> Self {
        stock.live.fetch_add(1, Relaxed);
        Bomb(stock.clone())
    }
}

impl Clone for Bomb {
    fn clone(&self) -> Self {
        Bomb::new(&self.0)
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.live.fetch_sub(1, Relaxed);
        if !self.0.safe.load(Relaxed) {
            panic!("planned panic in drop");
        }
    }
}

struct Carrier {
    live: Arc<Stock>,
    _own: Option<Bomb>,
}

enum Msg {
    Timers(u32),
    Futures(u32),
    Carry(#[allow(dead_code)] Bomb),
    /// Waits in the handler, with a bomb in a local variable.
    Hold,
    Wait(std::time::Duration),
    Fail,
}

#[actor]
impl Carrier {
    async fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            Msg::Timers(n) => (0..n).for_each(|_| drop(cx.send_after(secs(3), Msg::Carry(Bomb::new(&self.live))))),
            Msg::Futures(n) => (0..n).for_each(|_| {
                let bomb = Bomb::new(&self.live);
                cx.run(std::future::pending(), move |()| Msg::Carry(bomb));
            }),
            Msg::Carry(bomb) => std::mem::forget(bomb),
            Msg::Hold => {
                let _bomb = Bomb::new(&self.live);
                std::future::pending::<()>().await;
            }
            Msg::Wait(time) => tokio::time::sleep(time).await,
            Msg::Fail => return Err(Boom::Told),
        }
        Ok(())
    }
}

supervisor! {
    struct Depot(live: Arc<Stock>, armed: bool) {
        carrier: Carrier = Carrier { _own: armed.then(|| Bomb::new(&live)), live },
        #[lifecycle(Transient)]
        other: Carrier = Carrier { live, _own: None },
    }
}

/// S11, S12: all timers and futures of an incarnation are dropped, even if the `Drop` of some of them panics. Each
/// panic is reported, and the restart goes on.
#[tokio::test(start_paused = true)]
async fn timers_and_futures_that_panic_when_they_are_dropped_die_one_by_one() {
    quiet_panics();
    let live = Arc::default();
    let tree = Depot::start(Arc::clone(&live), false).await.unwrap();
    let mut events = tree.events();
    tree.carrier.tell(Msg::Timers(3)).await.unwrap();
    tree.carrier.tell(Msg::Futures(20)).await.unwrap();
    settle().await;
    assert_eq!(live.live(), 23);
    tree.carrier.tell(Msg::Fail).await.unwrap();
    settle().await;
    assert_eq!(live.live(), 0);
    let lines = seen(&mut events);
    assert_eq!(lines.iter().filter(|line| *line == "carrier reported").count(), 23, "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("carrier restarted"));
    tree.shutdown().await;
}

/// S11, S24: a tick that falls due after a stop finds no mailbox. The panic of its `Drop` affects nothing else.
#[tokio::test(start_paused = true)]
async fn a_tick_after_a_stop_may_panic_when_it_is_dropped() {
    quiet_panics();
    let live = Arc::default();
    let tree = Depot::start(Arc::clone(&live), false).await.unwrap();
    tree.other.tell(Msg::Timers(2)).await.unwrap();
    tree.other.tell(Msg::Wait(secs(4))).await.unwrap();
    pass(secs(1)).await;
    tree.other.stop();
    let ended = soon(tree.other.terminated()).await.unwrap();
    assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    assert_eq!(live.live(), 0);
    tree.shutdown().await;
}

/// S12, S36: the copy of a message that is kept for its redelivery may panic when it is dropped: because the message is
/// given up, because its failure is resumed, or because its actor ends. Nothing else fails.
#[tokio::test(start_paused = true)]
async fn a_copy_for_redelivery_may_panic_when_it_is_dropped() {
    /// Drops no parcel itself.
    struct Clerk;
    #[derive(Clone)]
    struct Parcel(Bomb);
    #[actor]
    impl Clerk {
        fn handle(&mut self, parcel: Option<Parcel>) -> Result<(), Boom> {
            let Some(parcel) = parcel else { return Ok(()) };
            std::mem::forget(parcel.0);
            Err(Boom::Told)
        }
    }
    supervisor! {
        struct Post {
            #[decider(_ => Restart)]
            #[redeliver(attempts = 1)]
            gives_up: Clerk = Clerk,
            #[decider(_ => Resume)]
            #[redeliver(attempts = 1)]
            resumes: Clerk = Clerk,
            #[decider(_ => Stop)]
            #[redeliver(attempts = 1)]
            ends: Clerk = Clerk,
            #[redeliver(attempts = 1)]
            set: [Clerk] = || Clerk,
        }
    }
    quiet_panics();
    let tree = Post::start().await.unwrap();
    let instance = tree.set.spawn().await.unwrap();
    let mut events = tree.events();
    let all = [(&tree.gives_up, 2, 3), (&tree.resumes, 1, 1), (&tree.ends, 1, 1), (&instance, 2, 3)];
    for (clerk, handled, incarnation) in all {
        let live = Arc::default();
        clerk.tell(Some(Parcel(Bomb::new(&live)))).await.unwrap();
        pass(secs(1)).await;
        let path = clerk.path();
        assert_eq!((live.live(), clerk.incarnation()), (handled, incarnation), "{path}: all others are dropped");
        let (mut failures, mut reported, mut dead) = (0, 0, 0);
        while let Some(event) = events.try_next() {
            assert_eq!(*event.path, *path);
            match event.kind {
                EventKind::Failed { failure, .. } => {
                    assert_eq!(failure.error(), Some(&Boom::Told), "{failure}");
                    failures += 1;
                }
                EventKind::Reported { failure } => {
                    assert!(matches!(failure.cause(), Cause::Panic(_)), "{failure}");
                    reported += 1;
                }
                EventKind::DeadLetter { .. } => dead += 1,
                _ => {}
            }
        }
        assert_eq!((failures, dead), (handled, u32::from(path != "resumes")), "{path}");
        assert!(reported == 1 || path == "ends", "{path}: {reported}");
        assert_eq!(clerk.tell(None).await.is_ok(), path != "ends");
    }
    assert_eq!(tree.incarnation(), 1);
}

/// S12, S35: a mailbox that a restart empties may be full of messages that panic when they are dropped: each is a dead
/// letter, and the restart goes on.
#[tokio::test(start_paused = true)]
async fn a_fresh_mailbox_may_be_full_of_messages_that_panic_when_they_are_dropped() {
    supervisor! {
        struct Cleared(live: Arc<Stock>) {
            #[decider(_ => Restart)]
            #[mailbox(Bounded(8), fresh)]
            carrier: Carrier = Carrier { live, _own: None },
        }
    }
    quiet_panics();
    let live = Arc::default();
    let tree = Cleared::start(Arc::clone(&live)).await.unwrap();
    tree.carrier.tell(Msg::Timers(2)).await.unwrap();
    tree.carrier.tell(Msg::Wait(secs(4))).await.unwrap();
    tree.carrier.tell(Msg::Fail).await.unwrap();
    for _ in 0..3 {
        tree.carrier.tell(Msg::Carry(Bomb::new(&live))).await.unwrap();
    }
    pass(secs(5)).await; // the two ticks wait in the queue by then
    assert_eq!((live.live(), tree.dead_letters(), tree.carrier.incarnation()), (0, 3, 2));
    assert_eq!(tree.incarnation(), 1);
    tree.carrier.tell(Msg::Carry(Bomb::new(&live))).await.unwrap();
    settle().await;
    assert_eq!(live.live(), 1, "handled");
    assert!(tree.shutdown().await.is_orderly());
}

/// S12: one abort drops a waiting handler, the instance and its background work, and all three panic in `Drop`.
#[tokio::test(start_paused = true)]
async fn a_killed_actor_may_be_full_of_values_that_panic_when_they_are_dropped() {
    quiet_panics();
    let live = Arc::default();
    let tree = Depot::start(Arc::clone(&live), true).await.unwrap();
    tree.carrier.tell(Msg::Timers(2)).await.unwrap();
    tree.carrier.tell(Msg::Hold).await.unwrap();
    settle().await;
    assert_eq!(live.live(), 4);
    tree.carrier.kill();
    let ended = soon(tree.carrier.terminated()).await.unwrap();
    assert!(matches!(ended, Ended::Killed), "{ended:?}");
    assert_eq!(live.live(), 0);
    tree.shutdown().await;
}

/// S5, S25: the runtime is dropped in the middle of everything: handlers that wait, instances, timers, futures, queues,
/// start closures, deciders, hooks, kept values, arguments. Each panics in `Drop`, and each is dropped.
#[test]
fn a_runtime_may_be_dropped_while_everything_panics_when_it_is_dropped() {
    supervisor! {
        struct Arsenal(live: Arc<Stock>, kept: Bomb) {
            #![decider({ let bomb = kept; move |_: &Failure| { let _ = &bomb; Directive::Restart } })]
            let more: Bomb = Bomb::new(&live);
            #[decider({ let bomb = more; move |_: &Failure| { let _ = &bomb; Directive::Restart } })]
            holder: Carrier = Carrier { _own: Some(kept), live },
            full: Carrier = Carrier { _own: Some(more), live },
            worker: task = |cx| async move {
                for _ in 0..2 {
                    let bomb = Bomb::new(&live);
                    cx.spawn(async move {
                        std::future::pending::<()>().await;
                        drop(bomb);
                    });
                }
                let _bomb = Bomb::new(&live);
                std::future::pending::<()>().await
            },
            #[initial([kept, more])]
            set: [Carrier] = |bomb: Bomb| Carrier { _own: Some(bomb), live },
            #[initial([(1, kept), (2, more)])]
            keyed: [u32 => Carrier] = |_key: u32, bomb: Bomb| Carrier { _own: Some(bomb), live },
        }
    }
    quiet_panics();
    for threads in [0, 2] {
        let live: Arc<Stock> = Arc::default();
        let runtime = match threads {
            0 => tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap(),
            threads => {
                tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_time().build().unwrap()
            }
        };
        live.safe.store(true, Relaxed); // starts move and drop them
        let handle = runtime.block_on(async {
            let tree = Arsenal::start(live.clone(), Bomb::new(&live)).await.unwrap();
            for carrier in [&tree.holder, &tree.full] {
                carrier.tell(Msg::Timers(3)).await.unwrap();
                carrier.tell(Msg::Futures(3)).await.unwrap();
                carrier.tell(Msg::Hold).await.unwrap();
                carrier.tell(Msg::Carry(Bomb::new(&live))).await.unwrap();
                carrier.tell(Msg::Carry(Bomb::new(&live))).await.unwrap();
            }
            tokio::time::sleep(ms(20)).await;
            tree.detach()
        });
        assert!(live.live() > 30);
        live.safe.store(false, Relaxed);
        drop(runtime);
        // The handle keeps nothing of them.
        assert_eq!(live.live(), 0, "on {threads} threads");
        assert!(catch_unwind(AssertUnwindSafe(|| drop(handle))).is_ok());
    }
}
