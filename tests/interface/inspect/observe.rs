//! The facts about messages that a tree collects on request: S48.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use supervise::inspect::{Messages, Observe, Snapshot};
use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, ms, pass, quiet_panics, secs, settle};

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Boom::Fatal => Resume, _ => Restart)]
        #[backoff(3s..30s, random_factor = 0)]
        db: Probe = Probe::start("db", journal).await?,
        #[mailbox(Bounded(2))]
        #[lifecycle(Permanent, shutdown = Kill)]
        cart: Probe = Probe::start("cart", journal).await?,
        ticker: task = std::future::pending::<()>(),
        sessions: [Probe] = |name: String| Probe::start(name, journal).await?,
    }
}

fn messages(snapshot: &Snapshot, path: &str) -> Option<Messages> {
    snapshot.find(path).unwrap_or_else(|| panic!("no {path}")).messages
}

/// S48: messages are counted once they are over, whether the handler has returned, failed or was dropped. A message in
/// hand is not counted yet.
#[tokio::test(start_paused = true)]
async fn messages_are_counted_when_they_are_over() {
    quiet_panics();
    let shop = Shop::tree(Journal::default()).observe(Observe::COUNTS).start().await.unwrap();
    let handled = |path: &str| messages(&shop.snapshot(), path).map(|messages| messages.handled);
    assert_eq!((handled("db"), handled("ticker"), handled("Shop"), handled("sessions")), (Some(0), None, None, None));
    for _ in 0..200 {
        shop.db.tell(Do::Add(1)).await.unwrap();
    }
    settle().await;
    assert_eq!(handled("db"), Some(200), "more than a turn");

    for msg in [Do::Add(1), Do::Work(secs(1)), Do::Add(1)] {
        shop.db.tell(msg).await.unwrap();
    }
    settle().await;
    assert_eq!(handled("db"), Some(201), "the second is in hand");
    pass(secs(2)).await;
    assert_eq!(handled("db"), Some(203));

    shop.db.tell(Do::Fail(Boom::Fatal)).await.unwrap(); // resumes
    settle().await;
    assert_eq!(handled("db"), Some(204));
    shop.db.tell(Do::Panic).await.unwrap();
    shop.db.tell(Do::Add(1)).await.unwrap();
    settle().await;
    assert_eq!(handled("db"), Some(205), "down, with a message that waits");
    pass(secs(4)).await;
    assert_eq!(handled("db"), Some(206), "over all incarnations");

    shop.cart.tell(Do::Hang).await.unwrap();
    settle().await;
    shop.cart.kill(); // not restarted by default
    settle().await;
    assert_eq!(handled("cart"), Some(1), "its handler was dropped");
    let session = shop.sessions.spawn("one".into()).await.unwrap();
    session.tell(Do::Add(1)).await.unwrap();
    settle().await;
    assert_eq!(messages(&shop.snapshot(), &session.path()).map(|messages| messages.handled), Some(1), "a new child");
    assert!(messages(&shop.snapshot(), "db").is_some_and(|db| db.busy.is_none() && db.longest.is_none()));
}

/// S48: the time of a handler counts from its begin to its end, with its waits. The time in which the child is down does
/// not count.
#[tokio::test(start_paused = true)]
async fn the_times_are_those_of_the_handlers() {
    quiet_panics();
    let shop = Shop::start(Journal::default()).await.unwrap();
    let db = || messages(&shop.snapshot(), "db");
    assert_eq!(db(), None, "nothing is observed");
    let observing = shop.observe(Observe::TIMING);
    let times = || db().map(|db| (db.handled, db.busy.unwrap(), db.longest.unwrap(), db.in_hand)).unwrap();
    for msg in [Do::Work(ms(30)), Do::Work(ms(10)), Do::Work(ms(50))] {
        shop.db.tell(msg).await.unwrap();
    }
    pass(ms(45)).await;
    assert_eq!(times(), (2, ms(40), ms(30), Some(ms(5))));
    pass(ms(60)).await;
    assert_eq!(times(), (3, ms(90), ms(50), None));

    shop.db.tell(Do::Work(ms(5))).await.unwrap();
    shop.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
    shop.db.tell(Do::Work(ms(1))).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(times(), (5, ms(95), ms(50), None), "it backs off for three seconds");
    assert_eq!(shop.snapshot().find("db").unwrap().mailbox.unwrap().oldest, Some(secs(1)));
    pass(secs(3)).await;
    assert_eq!(times(), (6, ms(96), ms(50), None));

    shop.db.tell(Do::Hang).await.unwrap();
    pass(secs(7)).await;
    assert_eq!(times().3, Some(secs(7)));
    drop(observing);
    assert_eq!(db(), None);
    assert_eq!(shop.observed(), Observe::NOTHING);
}

/// S48: an actor whose handler does not return is seen, also if somebody looks only then.
#[tokio::test(start_paused = true)]
async fn a_mailbox_is_observed_from_the_first_look_on() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    for msg in [Do::Hang, Do::Add(1), Do::Add(2)] {
        shop.db.tell(msg).await.unwrap();
    }
    settle().await;
    let _observing = shop.observe(Observe::TIMING);
    let oldest = || shop.snapshot().find("db").unwrap().mailbox.unwrap().oldest;
    assert_eq!(oldest(), Some(secs(0)));
    pass(secs(5)).await;
    shop.db.tell(Do::Add(3)).await.unwrap();
    assert_eq!(oldest(), Some(secs(5)));
    assert_eq!(messages(&shop.snapshot(), "db").unwrap().in_hand, None, "its begin was not observed");
}

/// S36, S48: a message that is redelivered waits since it came, and not behind those that came after it.
#[tokio::test(start_paused = true)]
async fn a_message_that_is_redelivered_has_its_age() {
    supervisor! {
        struct Again(journal: Journal) {
            #[redeliver(attempts = 5)]
            #[backoff(30s..30s, random_factor = 0)]
            db: Probe = Probe::start("db", journal).await?,
        }
    }

    quiet_panics();
    let again = Again::tree(Journal::default()).observe(Observe::TIMING).start().await.unwrap();
    let depth = || {
        let mailbox = again.snapshot().find("db").unwrap().mailbox.unwrap();
        (mailbox.waiting, mailbox.oldest)
    };
    again.db.tell(Do::Work(secs(3))).await.unwrap();
    again.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
    pass(secs(20)).await;
    assert_eq!(depth(), (1, Some(secs(20))));
    again.db.tell(Do::Add(1)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(depth(), (2, Some(secs(21))));
}

/// S48: a handler that is dropped with its runtime is over.
#[test]
fn a_handler_that_goes_with_its_runtime_is_over() {
    supervisor! {
        struct Apart(heavy: tokio::runtime::Handle, journal: Journal) {
            #[runtime(heavy)]
            there: Probe = Probe::start("there", journal).await?,
            here: Probe = Probe::start("here", journal).await?,
        }
    }

    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (here, heavy) = (runtime(), runtime());
    here.block_on(async {
        let tree = Apart::tree(heavy.handle().clone(), Journal::default());
        let apart = tree.observe(Observe::TIMING).start().await.unwrap();
        apart.there.tell(Do::Hang).await.unwrap();
        let there = || messages(&apart.snapshot(), "there").map(|there| (there.handled, there.in_hand.is_some()));
        while there() != Some((0, true)) {
            tokio::task::yield_now().await;
        }
        heavy.shutdown_background();
        let _ = apart.there.terminated().await;
        assert_eq!(there(), Some((1, false)));
    });
}

/// S48: a bounded mailbox stays bounded while it is observed, and a sender that waits is served.
#[tokio::test(start_paused = true)]
async fn an_observed_mailbox_keeps_its_bound() {
    let shop = Shop::tree(Journal::default()).observe(Observe::TIMING).start().await.unwrap();
    shop.cart.tell(Do::Work(secs(3))).await.unwrap();
    settle().await;
    for _ in 0..2 {
        shop.cart.tell(Do::Add(1)).await.unwrap();
    }
    assert!(shop.cart.try_tell(Do::Add(1)).is_err(), "full");
    let late = tokio::spawn({
        let cart = shop.cart.clone();
        async move { cart.tell(Do::Add(5)).await }
    });
    pass(secs(1)).await;
    let depth = shop.snapshot().find("cart").unwrap().mailbox.unwrap();
    assert_eq!((depth.waiting, depth.blocked, depth.oldest), (2, 1, Some(secs(1))));
    pass(secs(3)).await;
    late.await.unwrap().unwrap();
    assert_eq!(shop.cart.ask(Do::Get).await.unwrap(), 7);
    let depth = shop.snapshot().find("cart").unwrap().mailbox.unwrap();
    assert_eq!((depth.waiting, depth.oldest), (0, None));
}

/// S48: the switch is turned while senders on other threads are at work: every message is handled once, in the order of its
/// sender, and nothing that is observed from begin to end is missing.
#[test]
fn the_switch_may_be_turned_at_any_time() {
    const SENDERS: u64 = 3;
    const EACH: u64 = 30_000;

    struct Order([u64; SENDERS as usize]);

    #[actor]
    impl Order {
        fn handle(&mut self, (sender, number): (u64, u64)) {
            let last = &mut self.0[sender as usize];
            assert_eq!(*last + 1, number, "of sender {sender}");
            *last = number;
        }
    }

    supervisor! {
        struct App {
            #![strategy(OneForOne, max_restarts = 0)]
            #[mailbox(Bounded(64))]
            order: Order = Order([0; SENDERS as usize]),
            other: task = std::future::pending::<()>(),
        }
    }

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build().unwrap();
    runtime.block_on(async {
        let app = App::tree().observe(Observe::COUNTS).start().await.unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let turner = std::thread::spawn({
            let (tree, over) = (app.handle(), over.clone());
            move || {
                while !over.load(Relaxed) {
                    let observing = tree.observe(Observe::TIMING);
                    let _ = tree.snapshot();
                    std::thread::yield_now();
                    drop(observing);
                    let _ = tree.snapshot();
                }
            }
        });
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let order = app.order.clone();
                tokio::spawn(async move {
                    for number in 1..=EACH {
                        order.tell((sender, number)).await.unwrap();
                    }
                })
            })
            .collect();
        for sender in senders {
            sender.await.unwrap();
        }
        app.order.drain();
        app.order.terminated().await.unwrap();
        over.store(true, Relaxed);
        turner.join().unwrap();
        let snapshot = app.snapshot();
        let order = snapshot.find("order").unwrap();
        assert_eq!((order.messages.unwrap().handled, order.incarnation), (SENDERS * EACH, 1));
    });
}

/// S48: code that holds its thread is shown while it does, whichever child it belongs to, and no longer once it waits. The
/// time is that of the machine, not of tokio's clock.
#[test]
fn code_that_holds_its_thread_is_shown() {
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Says that it runs, and blocks its thread until it is told to go on.
    struct Gate(Sender<()>, Receiver<()>);

    impl Gate {
        fn pass(&self) {
            self.0.send(()).unwrap();
            self.1.recv().unwrap();
        }
    }

    struct Blocks;

    #[actor]
    impl Blocks {
        async fn handle(&mut self, gate: Gate) {
            gate.pass();
            std::future::pending().await
        }
    }

    supervisor! {
        struct App(gate: Arc<Mutex<Option<Gate>>>) {
            blocks: Blocks = Blocks,
            #[lifecycle(Temporary)]
            task: task = {
                let gate = gate.lock().unwrap().take();
                async move { if let Some(gate) = gate { gate.pass() } }
            },
        }
    }

    let gate = || {
        let ((begun, begins), (go, goes)) = (channel(), channel());
        (Gate(begun, goes), begins, go)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build().unwrap();
    runtime.block_on(async {
        let (in_task, begins, go) = gate();
        let app = App::tree(Arc::new(Mutex::new(Some(in_task)))).observe(Observe::TIMING).start().await.unwrap();
        let runs = |path: &str| app.snapshot().find(path).unwrap().runs_for;
        begins.recv().unwrap();
        let first = runs("task").expect("it runs");
        assert!(runs("task").expect("it still runs") > first);
        assert_eq!(runs("blocks"), None);
        go.send(()).unwrap();
        app.task.terminated().await.unwrap();
        assert_eq!(runs("task"), None);

        let (in_handler, begins, go) = gate();
        app.blocks.tell(in_handler).await.unwrap();
        begins.recv().unwrap();
        assert!(runs("blocks").is_some() && runs("task").is_none());
        go.send(()).unwrap();
        while runs("blocks").is_some() {
            tokio::task::yield_now().await;
        }
        assert!(messages(&app.snapshot(), "blocks").unwrap().in_hand.is_some(), "it waits, and holds no thread");
        app.blocks.kill();
    });
}
