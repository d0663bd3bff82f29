//! Trees that watch each other, and trees inside handlers, which no declaration shows.

use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, pass, secs, settle, soon};

/// Watches an actor on request, or depends on it.
struct Friend {
    name: &'static str,
    journal: Journal,
}

enum Say {
    Watch(ActorRef<Friend>),
    DependOn(ActorRef<Friend>),
    Fail,
    Ping(Reply<u32>),
}

impl Actor for Friend {
    type Msg = Say;
    type Error = Boom;

    async fn receive(&mut self, say: Say, cx: &mut Context<Self>) -> Result<(), Boom> {
        match say {
            Say::Watch(other) => cx.watch(&other),
            Say::DependOn(other) => cx.depend_on(&other),
            Say::Fail => return Err(Boom::Told),
            Say::Ping(reply) => reply.send(cx.incarnation()),
        }
        Ok(())
    }
}

impl Watcher for Friend {
    async fn terminated(&mut self, who: &Watched, ended: &Ended, _: &mut Context<Self>) -> Result<(), Boom> {
        self.journal.write(format!("{} hears: {} {ended:?}", self.name, who.path()));
        Ok(())
    }
}

supervisor! {
    struct Half(name: &'static str, journal: Journal) {
        friend: Friend = Friend { name, journal },
        other: Friend = Friend { name, journal },
    }
}

async fn halves() -> (Running<Half>, Running<Half>, Journal) {
    let journal = Journal::default();
    let left = Half::start("left", journal.clone()).await.unwrap();
    let right = Half::start("right", journal.clone()).await.unwrap();
    (left, right, journal)
}

/// S37: two trees whose actors watch each other: each is notified of the other's end once, restarts are invisible, and
/// neither tree keeps the other up.
#[tokio::test(start_paused = true)]
async fn two_trees_may_watch_each_other() {
    let (left, right, journal) = halves().await;
    left.friend.tell(Say::Watch(right.friend.clone())).await.unwrap();
    right.friend.tell(Say::Watch(left.friend.clone())).await.unwrap();
    for half in [&left, &right] {
        half.friend.tell(Say::Fail).await.unwrap();
        assert_eq!(half.friend.ask(Say::Ping).await.unwrap(), 2);
    }
    assert_eq!(journal.take(), [""; 0], "a restart is not an end");
    assert!(soon(left.shutdown()).await.is_orderly());
    settle().await;
    assert_eq!(journal.take(), ["right hears: friend Stopped"]);
    assert_eq!(right.friend.ask(Say::Ping).await.unwrap(), 2, "a notice is not a failure");
    assert!(soon(right.shutdown()).await.is_orderly());
    settle().await;
    assert_eq!(journal.take(), [""; 0], "the only watcher of the second end has ended");
}

/// S37: the same, when both trees go down at once.
#[tokio::test(start_paused = true)]
async fn two_trees_that_watch_each_other_may_end_together() {
    let (left, right, _) = halves().await;
    for (one, two) in [(&left, &right), (&right, &left)] {
        one.friend.tell(Say::Watch(two.friend.clone())).await.unwrap();
        one.other.tell(Say::DependOn(two.friend.clone())).await.unwrap();
    }
    settle().await;
    let (one, two) = soon(async { tokio::join!(left.shutdown(), right.shutdown()) }).await;
    assert!(one.is_orderly() && two.is_orderly(), "{one}, {two}");
}

/// S37, S9: a death pact in a ring ends each member once, and nothing starts again.
#[tokio::test(start_paused = true)]
async fn a_ring_of_death_pacts_ends_each_of_them_once() {
    let (left, right, _) = halves().await;
    let ring = [&left.friend, &right.friend, &left.other, &right.other];
    for (n, friend) in ring.iter().enumerate() {
        friend.tell(Say::DependOn(ring[(n + 1) % ring.len()].clone())).await.unwrap();
    }
    settle().await;
    left.other.stop();
    for friend in ring {
        soon(friend.terminated()).await.unwrap();
    }
    pass(secs(60)).await;
    assert_eq!(ring.map(ActorRef::incarnation), [1, 1, 1, 1]);
    for half in [left, right] {
        let report = soon(half.join()).await; // all its members have ended (S22)
        let Ended::Failed(failure) = report.ended else { panic!("{report}") };
        assert!(matches!(failure.cause(), Cause::DeathPact(_)), "{failure}");
    }
}

// ----- a tree inside a handler

supervisor! {
    struct Inner(name: String, journal: Journal) {
        #![strategy(OneForOne, max_restarts = 1, within = 1min)]
        worker: Probe = Probe::start(format!("{name} worker"), journal).await?,
    }
}

/// Starts a tree in a handler, and keeps the guard.
struct Host {
    journal: Journal,
    inner: Vec<Running<Inner>>,
}

enum HostMsg {
    Begin(String, Reply<Inner>),
    /// Starts another tree, waits for its end, and answers.
    Through(String, Reply<bool>),
    Fail,
}

#[actor]
impl Host {
    async fn handle(&mut self, msg: HostMsg) -> Result<(), Boom> {
        match msg {
            HostMsg::Begin(name, reply) => {
                let inner = Inner::start(name, self.journal.clone()).await.map_err(|_| Boom::Planned)?;
                reply.send(inner.handle());
                self.inner.push(inner);
            }
            HostMsg::Through(name, reply) => {
                let inner = Inner::start(name, self.journal.clone()).await.map_err(|_| Boom::Planned)?;
                let up = inner.worker.ask(Do::Get).await.is_ok();
                reply.send(up && inner.shutdown().await.is_orderly());
            }
            HostMsg::Fail => return Err(Boom::Told),
        }
        Ok(())
    }

    /// Ends the trees in order. Dropping the guards would only request the shutdown.
    #[post_stop]
    async fn close(&mut self) {
        for inner in self.inner.drain(..) {
            inner.shutdown().await;
        }
        self.journal.write("host post_stop");
    }
}

supervisor! {
    struct Outer(journal: Journal) {
        host: Host = Host { journal, inner: Vec::new() },
    }
}

/// A handler may start, use and shut down a tree. This tree is a root, and its failures do not affect the handler's own
/// tree.
#[tokio::test(start_paused = true)]
async fn a_handler_may_start_a_tree() {
    let journal = Journal::default();
    let outer = Outer::start(journal.clone()).await.unwrap();
    assert!(soon(outer.host.ask(|reply| HostMsg::Through("a".into(), reply))).await.unwrap());
    let inner = outer.host.ask(|reply| HostMsg::Begin("b".into(), reply)).await.unwrap();
    assert_eq!((inner.worker.path().as_str(), inner.worker.incarnation()), ("worker", 1), "a separate root");
    inner.worker.tell(Do::Fail(Boom::Told)).await.unwrap();
    inner.worker.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = soon(inner.join()).await.unwrap();
    assert!(matches!(report.ended, Ended::Limit(_)), "{report}");
    assert_eq!(outer.host.incarnation(), 1, "not a failure of the host");
    assert!(soon(outer.shutdown()).await.is_orderly());
}

/// S11, S24: a restart of the host, or its end, takes down the trees that it has started: in `post_stop`, within its
/// time.
#[tokio::test(start_paused = true)]
async fn a_tree_that_a_handler_has_started_goes_with_its_actor() {
    let journal = Journal::default();
    let outer = Outer::start(journal.clone()).await.unwrap();
    for name in ["a", "b"] {
        outer.host.ask(|reply| HostMsg::Begin(name.into(), reply)).await.unwrap();
    }
    journal.take();
    outer.host.tell(HostMsg::Fail).await.unwrap();
    settle().await;
    let down = ["a worker post_stop", "a worker drop", "b worker post_stop", "b worker drop", "host post_stop"];
    assert_eq!(journal.take(), down);
    outer.host.ask(|reply| HostMsg::Begin("c".into(), reply)).await.unwrap();
    journal.take();
    assert!(soon(outer.shutdown()).await.is_orderly());
    assert_eq!(journal.take(), ["c worker post_stop", "c worker drop", "host post_stop"]);
}
