//! Destructors are user code too: they may panic, and they may send and stop (S4, S5, S12).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use supervise::error::{AskError, SendRejection};
use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, ms, pass, quiet_panics, secs, settle, soon};

/// Panics when it is dropped, unless it was disarmed.
struct Bomb {
    dropped: Arc<AtomicU32>,
    armed: bool,
}

impl Bomb {
    fn new(dropped: &Arc<AtomicU32>) -> Self {
        Bomb { dropped: dropped.clone(), armed: true }
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, SeqCst);
        if self.armed && !std::thread::panicking() {
            panic!("planned panic of a bomb");
        }
    }
}

enum Order {
    /// Dropped at the end of the handler.
    Bomb(Bomb),
    /// Kept while the handler waits.
    Sit(Bomb),
    /// Stays in the mailbox.
    Wait,
    /// Answers with a bomb.
    Reply(Bomb, Reply<Bomb>),
    Ping(Reply<u32>),
}

struct Sapper;

#[actor]
impl Sapper {
    async fn handle(&mut self, order: Order, cx: &mut Context<Self>) {
        match order {
            Order::Bomb(bomb) => drop(bomb),
            Order::Sit(_bomb) => std::future::pending().await,
            Order::Wait => tokio::time::sleep(ms(100)).await,
            Order::Reply(bomb, reply) => {
                tokio::time::sleep(ms(100)).await;
                reply.send(bomb);
            }
            Order::Ping(reply) => reply.send(cx.incarnation()),
        }
    }
}

supervisor! {
    struct Field {
        #![decider(_ => Restart)]
        #[lifecycle(Permanent, shutdown = 200ms)]
        sapper: Sapper = Sapper,
        #[mailbox(Unbounded)]
        other: Sapper = Sapper,
    }
}

/// S6: a message whose `Drop` panics in the handler makes its actor fail. If it is dropped because its handler was
/// killed, the panic is reported.
#[tokio::test(start_paused = true)]
async fn a_message_may_panic_when_it_is_dropped() {
    quiet_panics();
    let dropped = Arc::default();
    let field = Field::start().await.unwrap();
    field.sapper.tell(Order::Bomb(Bomb::new(&dropped))).await.unwrap();
    assert_eq!(field.sapper.ask(Order::Ping).await.unwrap(), 2, "a failure like any other");

    field.sapper.tell(Order::Sit(Bomb::new(&dropped))).await.unwrap();
    settle().await;
    field.sapper.kill();
    assert_eq!(
        field.sapper.ask(Order::Ping).await.unwrap(),
        3,
        "the handler was dropped at its await, and the actor restarted"
    );
    assert_eq!(dropped.load(SeqCst), 2);
    assert!(field.shutdown().await.is_orderly());
}

/// S5, S24: of a mailbox full of such messages, each is dropped, each is a dead letter, each asker gets an error, and
/// the tree goes down.
#[tokio::test(start_paused = true)]
async fn a_mailbox_may_be_full_of_messages_that_panic_when_they_are_dropped() {
    quiet_panics();
    let dropped = Arc::default();
    let field = Field::start().await.unwrap();
    let tree = field.handle();
    for actor in [&field.sapper, &field.other, &field.sapper] {
        actor.tell(Order::Wait).await.unwrap(); // `other` goes down first, so the second message is in hand by then
    }
    settle().await;
    let asked: Vec<_> = (0..10)
        .map(|_| {
            let (bomb, other) = (Bomb::new(&dropped), field.other.clone());
            tokio::spawn(async move { other.ask(|reply| Order::Reply(bomb, reply)).forever().await.map(drop) })
        })
        .collect();
    for _ in 0..10 {
        field.sapper.tell(Order::Bomb(Bomb::new(&dropped))).await.unwrap();
    }
    settle().await;
    let report = field.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!((dropped.load(SeqCst), tree.dead_letters()), (20, 20));
    for ask in asked {
        assert!(matches!(soon(ask).await.unwrap(), Err(AskError::NoReply { .. })));
    }
}

/// S3: a reply that no caller waits for any more is dropped in the handler that sends it. If that drop panics, it is
/// the handler's failure. A reply that was sent but not fetched is dropped by the asker.
#[tokio::test(start_paused = true)]
async fn a_reply_may_panic_when_it_is_dropped() {
    quiet_panics();
    let dropped = Arc::default();
    let field = Field::start().await.unwrap();
    let late = field.sapper.ask(|reply| Order::Reply(Bomb::new(&dropped), reply)).within(ms(10)).await;
    assert!(matches!(late, Err(AskError::TimedOut { .. })));
    pass(ms(200)).await;
    assert_eq!((field.sapper.ask(Order::Ping).await.unwrap(), dropped.load(SeqCst)), (2, 1));

    let mut ask = Box::pin(field.sapper.ask(|reply| Order::Reply(Bomb::new(&dropped), reply)));
    tokio::select! {
        biased;
        _ = &mut ask => unreachable!("the reply takes 100 ms"),
        () = tokio::time::sleep(ms(50)) => {}
    }
    pass(ms(100)).await; // the reply has been sent, and is not fetched
    assert!(catch_unwind(AssertUnwindSafe(|| drop(ask))).is_err());
    assert_eq!(
        (field.sapper.ask(Order::Ping).await.unwrap(), dropped.load(SeqCst)),
        (2, 2),
        "the panic does not concern the actor"
    );
}

/// Dropping the runtime drops the messages in hand and in the mailboxes, and does not panic when their `Drop` does.
#[test]
fn a_runtime_may_be_dropped_with_messages_that_panic_when_they_are_dropped() {
    quiet_panics();
    let dropped = Arc::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let field = runtime.block_on(async {
        let field = Field::start().await.unwrap().detach();
        for actor in [&field.sapper, &field.other] {
            for _ in 0..5 {
                actor.tell(Order::Sit(Bomb::new(&dropped))).await.unwrap();
            }
        }
        settle().await;
        field
    });
    drop(runtime);
    assert_eq!((dropped.load(SeqCst), field.dead_letters()), (10, 8), "each actor had one message in hand");
    assert!(matches!(field.other.ended(), Some(Ended::RuntimeGone)));
    assert!(matches!(field.ended(), Some(Ended::RuntimeGone)));
}

/// S2: an actor that drops its last `ActorRef` to itself, and every other one, goes on.
#[tokio::test(start_paused = true)]
async fn a_handler_may_drop_its_own_handle() {
    struct Selfish(Option<ActorRef<Selfish>>, Journal);
    #[actor]
    impl Selfish {
        async fn handle(&mut self, last: bool, cx: &mut Context<Self>) {
            if !last {
                let me = cx.actor_ref();
                me.try_tell(true).unwrap();
                self.0 = Some(me);
            }
            drop(self.0.take());
            tokio::task::yield_now().await;
            self.1.write(if last { "last" } else { "first" });
        }
    }
    supervisor! {
        struct Tree(journal: Journal) {
            selfish: Selfish = Selfish(None, journal),
        }
    }
    let journal = Journal::default();
    let tree = Tree::start(journal.clone()).await.unwrap();
    let root: TreeRef = TreeRef::clone(&tree);
    tree.selfish.tell(false).await.unwrap();
    drop(tree.detach());
    settle().await;
    assert_eq!(journal.take(), ["first", "last"]);
    assert!(root.ended().is_none());
    assert!(root.shutdown().await.unwrap().is_orderly());
}

/// Sends messages when it is dropped.
struct Wailing {
    me: Option<ActorRef<Wailing>>,
    other: ActorRef<Probe>,
    journal: Journal,
    /// Also stops and kills itself, and stops its sibling.
    bitter: bool,
}

#[actor]
impl Wailing {
    async fn handle(&mut self, fail: bool, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.me = Some(cx.actor_ref());
        if fail { Err(Boom::Told) } else { Ok(()) }
    }
}

impl Drop for Wailing {
    fn drop(&mut self) {
        let _ = self.other.try_tell(Do::Note("hears it"));
        if let Some(me) = &self.me {
            let refused = me.try_tell(false).unwrap_err();
            self.journal.write(format!("refused: {:?}", refused.reason()));
            assert!(!matches!(refused.reason(), SendRejection::Full));
            if self.bitter {
                me.stop();
                me.kill();
                self.other.stop();
            }
        }
    }
}

supervisor! {
    struct House(journal: Journal, bitter: bool) {
        #![decider(_ => Restart)]
        other: Probe = Probe::start("other", journal).await?,
        wailing: Wailing = Wailing { me: None, other, journal, bitter },
    }
}

/// S4, S5: an actor whose `Drop` sends messages: actors that are up receive them; the actor itself, on its way down,
/// refuses them.
#[tokio::test(start_paused = true)]
async fn an_actor_may_send_messages_when_it_is_dropped() {
    let journal = Journal::default();
    let house = House::start(journal.clone(), false).await.unwrap();
    journal.take();
    house.wailing.tell(true).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["refused: Down { retry_in: None }", "other hears it"]);
    house.wailing.tell(false).await.unwrap();
    settle().await;
    let tree: TreeRef = TreeRef::clone(&house);
    assert!(soon(house.shutdown()).await.is_orderly());
    assert_eq!(journal.take(), ["refused: Ended", "other post_stop", "other drop"]);
    assert_eq!(tree.dead_letters(), 1, "the sibling was already stopping by itself (S24)");
}

/// S16, S26: an actor whose `Drop` stops and kills itself and its sibling causes exactly these ends.
#[tokio::test(start_paused = true)]
async fn an_actor_may_ask_for_ends_when_it_is_dropped() {
    let journal = Journal::default();
    let house = House::start(journal.clone(), true).await.unwrap();
    house.wailing.tell(true).await.unwrap();
    soon(house.wailing.terminated()).await.unwrap();
    soon(house.other.terminated()).await.unwrap();
    assert!(matches!(house.wailing.ended(), Some(Ended::Stopped)), "a stop wins over its restart");
    assert_eq!(house.wailing.incarnation(), 1);
    pass(secs(1)).await;
    let report = soon(house.shutdown()).await;
    assert!(matches!(report.ended, Ended::Done), "both were stopped from outside, so the tree is done: {report}");
}
