//! Actors that wait for each other's replies: S49.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use supervise::event::EventKind;
use supervise::inspect::{Observe, Snapshot};
use supervise::prelude::*;
use supervise::testing;
use tokio::sync::Barrier;

use crate::common::{comes_back, ms, pass, quiet_panics, secs, seen, settle};

/// Passes a question on to the actors on its way.
struct Peer;

type Way = Vec<ActorRef<Peer>>;

enum Msg {
    /// Asks the first of these with the rest of them. The reply is the number of actors that have answered.
    Ask(Way, Duration, Reply<usize>),
    /// Asks like `Ask`, in a future beside the handlers.
    Beside(Way, Reply<usize>),
    /// Asks along both ways at once.
    Both(Way, Way, Reply<usize>),
    /// Waits for the others that meet, then asks this one, for as long as it takes.
    Meet(Arc<Barrier>, ActorRef<Peer>),
    /// The same, where the one to ask is known later.
    MeetLater(Arc<Barrier>, Arc<OnceLock<ActorRef<Peer>>>),
    /// Replies, and asks this one then.
    ReplyThenAsk(ActorRef<Peer>, Reply<usize>),
    /// Asks the first `ReplyThenAsk` the second.
    AskOneThatAsksBack(ActorRef<Peer>, ActorRef<Peer>),
    /// Waits, asks this one, and replies then.
    AskThenReply(Duration, ActorRef<Peer>, Reply<usize>),
    /// Asks the first to ask the second, and waits for it in the handler for a moment only; then beside the handlers.
    AskAside(ActorRef<Peer>, ActorRef<Peer>),
    /// The same, but waits no longer, and keeps the question.
    AskAndKeep(ActorRef<Peer>, ActorRef<Peer>, Duration),
    Over,
}

async fn ask(mut way: Way, within: Duration) -> usize {
    if way.is_empty() {
        return 0;
    }
    let first = way.remove(0);
    first.ask(|reply| Msg::Ask(way, within, reply)).within(within).await.map_or(0, |count| count + 1)
}

impl Actor for Peer {
    type Msg = Msg;
    type Error = Infallible;

    async fn receive(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Infallible> {
        match msg {
            Msg::Ask(way, within, reply) => reply.send(ask(way, within).await),
            Msg::Beside(way, reply) => {
                cx.run(async move { reply.send(ask(way, secs(1)).await) }, |()| Msg::Over);
            }
            Msg::Both(one, other, reply) => {
                let (one, other) = tokio::join!(ask(one, secs(1)), ask(other, secs(1)));
                reply.send(one + other);
            }
            Msg::Meet(others, next) => {
                others.wait().await;
                let _ = next.ask(|reply| Msg::Ask(vec![], secs(1), reply)).forever().await;
            }
            Msg::MeetLater(others, next) => {
                others.wait().await;
                let next = next.get().expect("known by now");
                let _ = next.ask(|reply| Msg::Ask(vec![], secs(1), reply)).forever().await;
            }
            Msg::ReplyThenAsk(other, reply) => {
                reply.send(1);
                assert_eq!(ask(vec![other], secs(60)).await, 1);
            }
            Msg::AskOneThatAsksBack(other, own) => {
                assert_eq!(other.ask(|reply| Msg::ReplyThenAsk(own, reply)).await.unwrap(), 1);
            }
            Msg::AskThenReply(after, other, reply) => {
                tokio::time::sleep(after).await;
                reply.send(ask(vec![other], secs(60)).await);
            }
            Msg::AskAside(other, own) => {
                let mut asks = Box::pin(async move {
                    other.ask(|reply| Msg::AskThenReply(secs(2), own, reply)).forever().await.unwrap();
                });
                tokio::time::timeout(secs(1), &mut asks).await.expect_err("it takes two seconds");
                cx.run(asks, |()| Msg::Over);
            }
            Msg::AskAndKeep(other, own, within) => {
                let asks = other.ask(|reply| Msg::AskThenReply(secs(2), own, reply)).within(within);
                let mut asks = std::pin::pin!(asks);
                asks.as_mut().await.expect_err("it takes two seconds");
                tokio::time::sleep(secs(5)).await;
            }
            Msg::Over => {}
        }
        Ok(())
    }
}

supervisor! {
    struct Ring {
        one: Peer = Peer,
        two: Peer = Peer,
        below: struct Below {
            three: Peer = Peer,
        },
    }
}

async fn observed() -> Running<Ring> {
    Ring::tree().observe(Observe::ASKS).start().await.unwrap()
}

/// S49: a cycle is reported when it closes, at the actor that closes it, with all actors in it. It is reported again when
/// it closes again.
#[tokio::test(start_paused = true)]
async fn a_cycle_is_reported_when_it_closes() {
    let ring = observed().await;
    let mut events = ring.events();
    let [one, two, three] = [&ring.one, &ring.two, &ring.below.three].map(ActorRef::clone);
    for _ in 0..2 {
        let way = vec![two.clone(), three.clone(), one.clone()];
        let answer = tokio::spawn({
            let one = one.clone();
            async move { one.ask(|reply| Msg::Ask(way, secs(1), reply)).within(secs(9)).await }
        });
        settle().await;
        assert_eq!(seen(&mut events), ["below/three ask cycle below/three one two"]);
        let snapshot = ring.snapshot();
        let waits = ["one", "two", "below/three"].map(|path| snapshot.find(path).unwrap().waits_for.join(", "));
        assert_eq!(waits, ["two", "below/three", "one"]);
        pass(secs(9)).await;
        answer.await.unwrap().unwrap();
        assert!(ring.snapshot().nodes().all(|node| node.waits_for.is_empty()), "nothing is left behind");
    }
    assert_eq!(seen(&mut events), Vec::<String>::new());
}

/// S49: an actor that asks itself waits for itself.
#[tokio::test(start_paused = true)]
async fn an_actor_that_asks_itself_is_a_cycle() {
    let ring = observed().await;
    let mut events = ring.events();
    let one = ring.one.clone();
    assert_eq!(ring.one.ask(|reply| Msg::Ask(vec![one], secs(1), reply)).await.unwrap(), 0);
    let event = events.next().await.unwrap();
    assert!(matches!(&event.kind, EventKind::AskCycle { cycle } if cycle == &["one"]));
    assert_eq!(event.to_string(), "one #1 waits for a reply that waits for its own: one asks one");
}

/// S49: a wait beside the handlers keeps no message waiting, and closes no cycle. Neither does the wait of a task.
#[tokio::test(start_paused = true)]
async fn a_future_beside_the_handlers_closes_no_cycle() {
    let ring = observed().await;
    let mut events = ring.events();
    let way = vec![ring.two.clone(), ring.one.clone()];
    assert_eq!(ring.one.ask(|reply| Msg::Beside(way, reply)).await.unwrap(), 2);
    assert_eq!(seen(&mut events), Vec::<String>::new());
}

/// S49: an actor that has answered may ask the one that had asked it, before that one goes on.
#[tokio::test(start_paused = true)]
async fn one_that_has_answered_may_ask_back() {
    let mut ring = testing::start(Ring::tree()).await.unwrap();
    let (one, two) = (ring.one.clone(), ring.two.clone());
    ring.one.tell(Msg::AskOneThatAsksBack(two, one)).await.unwrap();
    settle().await;
    assert_eq!(ask(vec![ring.two.clone()], secs(1)).await, 1, "it has answered");
    ring.expect_no_deadlock();
}

/// S49: the same on threads, where the asker may go on at any time.
#[test]
fn one_that_has_answered_may_ask_back_on_threads() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let ring = observed().await;
        let mut events = ring.events();
        let (one, two) = (ring.one.clone(), ring.two.clone());
        for _ in 0..1000 {
            ring.one.tell(Msg::AskOneThatAsksBack(two.clone(), one.clone())).await.unwrap();
            assert_eq!(ask(vec![one.clone()], secs(60)).await + ask(vec![two.clone()], secs(60)).await, 2);
        }
        assert_eq!(seen(&mut events), Vec::<String>::new());
    });
}

/// S49: an ask that is awaited beside the handlers holds up nobody, also if a handler has begun to wait for it.
#[tokio::test(start_paused = true)]
async fn an_ask_that_outlives_its_handler_closes_no_cycle() {
    let mut ring = testing::start(Ring::tree()).await.unwrap();
    let (one, two) = (ring.one.clone(), ring.two.clone());
    ring.one.tell(Msg::AskAside(two, one)).await.unwrap();
    pass(ms(1500)).await;
    assert!(ring.snapshot().find("one").unwrap().waits_for.is_empty(), "its handler is over");
    pass(secs(1)).await;
    assert_eq!(ask(vec![ring.two.clone()], secs(1)).await, 1, "it was answered");
    ring.expect_no_deadlock();
}

/// S49: an ask that a handler has begun, and nobody awaits any more, holds up nobody.
#[tokio::test(start_paused = true)]
async fn an_ask_that_is_kept_waits_only_in_its_handler() {
    type Kept = Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Begins to ask this one, and goes on.
    struct Keeper(Option<Kept>);

    enum Order {
        Begin(ActorRef<Asked>, ActorRef<Keeper>),
        Count(Reply<usize>),
    }

    #[actor]
    impl Keeper {
        async fn handle(&mut self, order: Order) {
            match order {
                Order::Begin(other, own) => {
                    let mut asks: Kept = Box::pin(async move {
                        let _ = other.ask(|reply| (own, reply)).forever().await;
                    });
                    tokio::time::timeout(secs(1), &mut asks).await.expect_err("it takes two seconds");
                    self.0 = Some(asks);
                }
                Order::Count(reply) => reply.send(1),
            }
        }
    }

    /// Asks the one that has asked, after a while.
    struct Asked;

    impl Actor for Asked {
        type Msg = (ActorRef<Keeper>, Reply<()>);
        type Error = Infallible;

        async fn receive(&mut self, (asker, reply): Self::Msg, _: &mut Context<Self>) -> Result<(), Infallible> {
            tokio::time::sleep(secs(2)).await;
            assert_eq!(asker.ask(Order::Count).await.unwrap(), 1);
            reply.send(());
            Ok(())
        }
    }

    supervisor! {
        struct Pair {
            keeper: Keeper = Keeper(None),
            asked: Asked = Asked,
        }
    }

    let mut pair = testing::start(Pair::tree()).await.unwrap();
    pair.keeper.tell(Order::Begin(pair.asked.clone(), pair.keeper.clone())).await.unwrap();
    pass(secs(3)).await;
    assert!(pair.snapshot().find("keeper").unwrap().waits_for.is_empty());
    pair.expect_no_deadlock();
}

/// S49: an ask whose time is up waits for nothing, though its future may still be there. One without any time never waits.
#[tokio::test(start_paused = true)]
async fn an_ask_whose_time_is_up_closes_no_cycle() {
    for within in [secs(1), secs(0)] {
        let ring = observed().await;
        let mut events = ring.events();
        let (one, two) = (ring.one.clone(), ring.two.clone());
        ring.one.tell(Msg::AskAndKeep(two, one, within)).await.unwrap();
        pass(ms(1500)).await;
        assert!(ring.snapshot().find("one").unwrap().waits_for.is_empty());
        pass(secs(9)).await;
        assert_eq!(ask(vec![ring.two.clone()], secs(1)).await, 1, "it was answered");
        assert_eq!(seen(&mut events), Vec::<String>::new());
    }
}

/// S48, S49: a tree that has ended observes nothing any more, though its handles are kept.
#[tokio::test(start_paused = true)]
async fn a_tree_that_has_ended_observes_nothing() {
    let first = observed().await;
    let (kept, tree) = (first.one.clone(), first.handle());
    let observing = first.observe(Observe::ASKS);
    first.shutdown().await;
    assert_eq!(tree.observed(), Observe::NOTHING);
    let late = tree.observe(Observe::ASKS);
    assert_eq!(tree.observed(), Observe::NOTHING);
    let ring = Ring::start().await.unwrap();
    let mut events = ring.events();
    let one = ring.one.clone();
    ring.one.ask(|reply| Msg::Ask(vec![one], secs(1), reply)).await.unwrap();
    assert_eq!(seen(&mut events), Vec::<String>::new());
    drop((kept, observing, late));
    assert_eq!(tree.observed(), Observe::NOTHING);
}

/// S49: waits that are no cycle cost little, also if the last of a long chain begins first. When the chain is closed, the
/// cycle is found, whatever its length.
#[test]
fn a_long_chain_is_looked_at_in_time() {
    const NUMBER: usize = 20_000;

    supervisor! {
        struct Many {
            #[lifecycle(Temporary, shutdown = Kill)]
            peers: [Peer] = || Peer,
        }
    }

    comes_back(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let many = Many::tree().observe(Observe::ASKS).start().await.unwrap();
            let mut peers = Vec::new();
            for _ in 0..NUMBER {
                peers.push(many.peers.spawn().await.unwrap());
            }
            let mut events = many.events();
            let (closes, first) = (Arc::new(Barrier::new(2)), Arc::new(OnceLock::new()));
            peers[NUMBER - 1].tell(Msg::MeetLater(closes.clone(), first.clone())).await.unwrap();
            for at in (0..NUMBER - 1).rev() {
                peers[at].tell(Msg::Meet(Arc::new(Barrier::new(1)), peers[at + 1].clone())).await.unwrap();
                tokio::task::yield_now().await;
            }
            settle().await;
            let snapshot = many.snapshot();
            assert_eq!(snapshot.nodes().filter(|node| !node.waits_for.is_empty()).count(), NUMBER - 1);
            assert_eq!(seen(&mut events), Vec::<String>::new());

            first.set(peers[0].clone()).unwrap();
            closes.wait().await;
            let event = events.next().await.unwrap();
            assert!(matches!(&event.kind, EventKind::AskCycle { cycle } if cycle.len() == NUMBER), "{event}");
        });
    });
}

/// S49: of several waits of one handler, each may close a cycle.
#[tokio::test(start_paused = true)]
async fn each_wait_of_a_handler_counts() {
    let ring = observed().await;
    let mut events = ring.events();
    let [one, two, three] = [&ring.one, &ring.two, &ring.below.three].map(ActorRef::clone);
    let ask = |reply| Msg::Both(vec![two], vec![three, one], reply);
    assert_eq!(ring.one.ask(ask).within(secs(9)).await.unwrap(), 1);
    assert_eq!(seen(&mut events), ["below/three ask cycle below/three one"]);
}

/// S49: a chain of waits that ends is not a cycle, however many wait for the same actor.
#[tokio::test(start_paused = true)]
async fn a_chain_is_no_cycle() {
    let mut ring = testing::start(Ring::tree()).await.unwrap();
    let three = ring.below.three.clone();
    let answers: Vec<_> = [&ring.one, &ring.two, &ring.one]
        .map(|peer| {
            let (peer, three) = (peer.clone(), three.clone());
            tokio::spawn(async move { peer.ask(|reply| Msg::Ask(vec![three], secs(1), reply)).await })
        })
        .into();
    for answer in answers {
        assert_eq!(answer.await.unwrap().unwrap(), 1);
    }
    ring.expect_no_deadlock();
}

/// S49: a test sees the actors that have waited for each other.
#[tokio::test(start_paused = true)]
#[should_panic = "actors waited for each other:\ntwo #1 waits for a reply that waits for its own: two asks one asks two"]
async fn a_test_expects_no_deadlock() {
    quiet_panics();
    let mut ring = testing::start(Ring::tree()).await.unwrap();
    let (one, two) = (ring.one.clone(), ring.two.clone());
    let way = vec![two, one.clone()];
    let _ = one.ask(|reply| Msg::Ask(way, secs(1), reply)).within(secs(9)).await;
    ring.expect_no_deadlock();
}

/// S49: nothing is observed unless somebody wants it; what one tree wants holds for a cycle through another.
#[tokio::test(start_paused = true)]
async fn a_cycle_may_pass_through_two_trees() {
    let (ring, other) = (Ring::start().await.unwrap(), Ring::start().await.unwrap());
    let mut events = (ring.events(), other.events());
    let way = || vec![other.two.clone(), ring.one.clone()];
    let answer = ring.one.ask(|reply| Msg::Ask(way(), secs(1), reply)).within(secs(9)).await;
    assert!(answer.is_ok());
    assert_eq!((seen(&mut events.0), seen(&mut events.1)), (vec![], vec![]));

    let observing = ring.observe(Observe::ASKS);
    let answer = ring.one.ask(|reply| Msg::Ask(way(), secs(1), reply)).within(secs(9)).await;
    assert!(answer.is_ok());
    let told = [["one ask cycle one Ring: two"], ["two ask cycle two Ring: one"]].map(|told| told.map(str::to_owned));
    assert_eq!(
        (seen(&mut events.0), seen(&mut events.1)),
        (told[0].to_vec(), vec![]),
        "the other tree does not observe"
    );
    let both = other.observe(Observe::ASKS);
    let answer = ring.one.ask(|reply| Msg::Ask(way(), secs(1), reply)).within(secs(9)).await;
    assert!(answer.is_ok());
    assert_eq!((seen(&mut events.0), seen(&mut events.1)), (told[0].to_vec(), told[1].to_vec()));

    let (kept, long) = (ring.one.clone(), vec![other.two.clone(), other.one.clone()]);
    tokio::spawn(async move { kept.ask(|reply| Msg::Ask(long, secs(1), reply)).await });
    let (slow, two) = (other.one.clone(), ring.two.clone());
    tokio::spawn(async move { slow.ask(|reply| Msg::AskThenReply(secs(3), two, reply)).await });
    settle().await;
    assert_eq!(ring.snapshot().find("one").unwrap().waits_for, ["Ring: two"]);
    assert_eq!(other.snapshot().find("two").unwrap().waits_for, ["one"]);
    pass(secs(9)).await;
    drop((observing, both));
    let answer = ring.one.ask(|reply| Msg::Ask(way(), secs(1), reply)).within(secs(9)).await;
    assert!(answer.is_ok());
    assert_eq!((seen(&mut events.0), seen(&mut events.1)), (vec![], vec![]));
}

/// S49: an actor of another tree has the name of that tree before its path, in the waits as in the cycle.
#[tokio::test(start_paused = true)]
async fn an_actor_of_another_tree_has_the_name_of_its_tree() {
    supervisor! {
        struct Chain {
            link: Peer = Peer,
        }
    }
    let (ring, chain) = (observed().await, Chain::tree().observe(Observe::ASKS).start().await.unwrap());
    let mut events = (ring.events(), chain.events());
    let (one, way) = (ring.one.clone(), vec![chain.link.clone(), ring.two.clone(), ring.one.clone()]);
    tokio::spawn(async move { one.ask(|reply| Msg::Ask(way, secs(1), reply)).within(secs(9)).await });
    settle().await;
    let waits = |snapshot: Snapshot, path| snapshot.find(path).unwrap().waits_for.join(", ");
    assert_eq!(waits(ring.snapshot(), "one"), "Chain: link");
    assert_eq!(waits(chain.snapshot(), "link"), "Ring: two");
    assert_eq!(waits(ring.snapshot(), "two"), "one");
    assert_eq!(seen(&mut events.0), ["two ask cycle two one Chain: link"]);
    assert_eq!(seen(&mut events.1), ["link ask cycle link Ring: two Ring: one"]);
}

/// S49: handlers on several threads that close cycles at the same time; each cycle is reported at least once, and no wait
/// is left behind when the handlers are dropped at their awaits.
#[test]
fn cycles_on_several_threads_are_all_reported() {
    const RINGS: usize = 40;

    supervisor! {
        struct Rings {
            peers: [Peer; 2 * RINGS] = |_index| Peer,
        }
    }

    comes_back(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build().unwrap();
        runtime.block_on(async {
            let rings = Rings::tree().observe(Observe::ASKS).start().await.unwrap();
            let mut events = rings.events();
            for at in 0..RINGS {
                let both = Arc::new(Barrier::new(2));
                for (from, to) in [(2 * at, 2 * at + 1), (2 * at + 1, 2 * at)] {
                    rings.peers[from].tell(Msg::Meet(both.clone(), rings.peers[to].clone())).await.unwrap();
                }
            }
            let mut open: BTreeSet<usize> = (0..RINGS).collect();
            while !open.is_empty() {
                let event = events.next().await.unwrap();
                if let EventKind::AskCycle { cycle } = event.kind {
                    assert_eq!(cycle.len(), 2);
                    let index: usize = cycle[0].rsplit('/').next().unwrap().parse().unwrap();
                    open.remove(&(index / 2));
                }
            }
            for peer in &rings.peers {
                peer.kill();
            }
            for peer in &rings.peers {
                peer.terminated().await.unwrap();
            }
            assert!(rings.snapshot().nodes().all(|node| node.waits_for.is_empty()));
        });
    });
}

/// S49: an ask that one handler has begun and another one, or a hook, awaits, is one of that handler or hook. A cycle that
/// was closed before closes again there.
#[tokio::test(start_paused = true)]
async fn an_ask_that_is_awaited_later_counts_where_it_is_awaited() {
    type Kept = Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Begins to ask, and goes on.
    struct Later(Option<Kept>);

    enum Order {
        Begin(ActorRef<Back>, ActorRef<Later>, Duration),
        Await,
        Fail,
        Count(Reply<usize>),
    }

    #[actor]
    impl Later {
        async fn handle(&mut self, order: Order) -> Result<(), &'static str> {
            match order {
                Order::Begin(other, own, wait) => {
                    let mut asks: Kept = Box::pin(async move {
                        let _ = other.ask(|reply| (own, reply)).forever().await;
                    });
                    tokio::time::timeout(wait, &mut asks).await.expect_err("it takes longer");
                    self.0 = Some(asks);
                }
                Order::Await => self.0.take().expect("it was begun").await,
                Order::Fail => return Err("planned"),
                Order::Count(reply) => reply.send(1),
            }
            Ok(())
        }

        #[pre_restart]
        async fn leave(&mut self, _failure: &Failure) {
            if let Some(asks) = self.0.take() {
                asks.await;
            }
        }
    }

    /// Asks the one that has asked, after 2 s.
    struct Back;

    #[actor]
    impl Back {
        async fn handle(&mut self, (asker, reply): (ActorRef<Later>, Reply<()>)) {
            tokio::time::sleep(secs(2)).await;
            let _ = asker.ask(Order::Count).within(secs(3)).await;
            reply.send(());
        }
    }

    supervisor! {
        struct Pair {
            #[lifecycle(Permanent, shutdown = 1min)]
            later: Later = Later(None),
            back: Back = Back,
        }
    }

    let back = "back ask cycle back later";
    for (wait, order, expected) in [
        (secs(1), Order::Await, vec![back]),
        (secs(3), Order::Await, vec![back, "later ask cycle later back"]),
        (secs(1), Order::Fail, vec![back]),
        (secs(3), Order::Fail, vec![back, "later ask cycle later back"]),
    ] {
        let pair = Pair::tree().observe(Observe::ASKS).start().await.unwrap();
        let mut events = pair.events();
        pair.later.tell(Order::Begin(pair.back.clone(), pair.later.clone(), wait)).await.unwrap();
        pair.later.tell(order).await.unwrap();
        pass(wait + ms(500)).await;
        assert_eq!(pair.snapshot().find("later").unwrap().waits_for, ["back"], "{wait:?}");
        pass(secs(4)).await;
        let cycles: Vec<_> = seen(&mut events).into_iter().filter(|line| line.contains("cycle")).collect();
        assert_eq!(cycles, expected, "{wait:?}");
        assert!(pair.snapshot().nodes().all(|node| node.waits_for.is_empty()), "nothing is left behind");
    }
}
