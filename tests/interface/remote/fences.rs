//! Fences: a process that was frozen acts no more.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;

use supervise::extension::{AnyCell, Extension, Gate, Pass, Role, Wants};
use supervise::policy::ChildOptions;
use supervise::prelude::*;
use supervise::{FenceToken, testing};
use supervise_remote::hooks::{self as remote, Host};

use super::hosted::{Owner, hosts, killed, place};
use crate::common::{Do, Fault, Journal, Probe, pass, quiet_panics, secs, seen, settle, soon};

#[derive(Clone, Copy, PartialEq)]
enum Now {
    Open,
    Frozen,
    Over,
    Panics,
}

/// A fence that a test opens and closes.
struct Fence {
    now: Mutex<Now>,
    wakers: Mutex<Vec<Waker>>,
    asked: AtomicU32,
}

impl Fence {
    fn new(now: Now) -> Arc<Self> {
        Arc::new(Fence { now: Mutex::new(now), wakers: Mutex::default(), asked: AtomicU32::new(0) })
    }

    fn set(&self, now: Now) {
        *self.now.lock().unwrap() = now;
        let wakers = std::mem::take(&mut *self.wakers.lock().unwrap());
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl std::fmt::Debug for Fence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fence")
    }
}

impl Extension for Fence {
    fn role(&self) -> Role {
        Role::Fence
    }

    fn wants(&self) -> Wants {
        Wants::TASKS
    }

    fn pass(&self, _cell: &AnyCell, gate: Gate<'_, '_>) -> Pass {
        let Gate::Task(cx) = gate else { unreachable!("only asked for tasks") };
        self.asked.fetch_add(1, Ordering::Relaxed);
        let now = *self.now.lock().unwrap();
        match now {
            Now::Open => Pass::Go,
            Now::Over => Pass::Drop,
            Now::Panics => panic!("planned panic"),
            Now::Frozen => {
                self.wakers.lock().unwrap().push(cx.waker().clone());
                Pass::Hold
            }
        }
    }

    fn fence(&self) -> Option<FenceToken> {
        Some(FenceToken { epoch: 3, placement: 14 })
    }
}

/// An actor with a child, a timer and a future of its own, each of which writes once a second.
struct Busy(Journal);

impl Actor for Busy {
    type Msg = &'static str;
    type Error = supervise::error::SpawnError;

    async fn receive(&mut self, msg: &'static str, cx: &mut Context<Self>) -> Result<(), Self::Error> {
        self.0.write(format!("{msg} {:?}", cx.fence().map(|token| (token.epoch, token.placement))));
        Ok(())
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Self::Error> {
        cx.send_every(secs(1), "timer");
        let journal = self.0.clone();
        let future = async move {
            loop {
                tokio::time::sleep(secs(1)).await;
                journal.write("future");
            }
        };
        cx.run(future, |()| "over");
        let journal = self.0.clone();
        cx.spawn(child! { "child": Child = Child(journal) }).await?;
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Self::Error> {
        self.0.write("post_stop");
        Ok(())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.write("drop");
    }
}

struct Child(Journal);

#[actor]
impl Child {
    fn handle(&mut self, _: (), cx: &mut Context<Self>) {
        self.0.write(format!("child {:?}", cx.fence().map(|token| (token.epoch, token.placement))));
    }
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        cx.send_every(secs(1), || ());
    }
    #[post_stop]
    fn end(&mut self) {
        self.0.write("child post_stop");
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.0.write("child drop");
    }
}

async fn busy(fence: &Arc<Fence>, journal: &Journal) -> ActorRef<Busy> {
    let mine = journal.clone();
    let host = Host {
        path: "busy".into(),
        incarnation: 1,
        healing: None,
        options: ChildOptions::new(),
        extensions: vec![fence.clone()],
        standing: supervise::extension::StandingExtensions::NONE,
    };
    let start = move || std::future::ready(Ok(Busy(mine.clone())));
    let (actor, up) = remote::host(host, start, |_, _| None);
    up.await.unwrap();
    actor
}

fn sorted(journal: &Journal) -> Vec<String> {
    let mut lines = journal.take();
    lines.sort();
    lines
}

/// S58: while the process is frozen, nothing of the actor is polled: nor its children, its futures, its timers.
#[tokio::test(start_paused = true)]
async fn nothing_is_polled_before_the_fence_is_asked() {
    let (fence, journal) = (Fence::new(Now::Open), Journal::default());
    let actor = busy(&fence, &journal).await;
    pass(ms1500()).await;
    assert_eq!(sorted(&journal), ["child Some((3, 14))", "future", "timer Some((3, 14))"]);
    fence.set(Now::Frozen);
    remote::deliver(&actor, || "message");
    pass(secs(10)).await;
    assert_eq!(journal.take(), [""; 0]);
    fence.set(Now::Open);
    settle().await;
    let lines = sorted(&journal);
    assert!(lines.contains(&"message Some((3, 14))".to_owned()) && lines.contains(&"future".to_owned()), "{lines:?}");
}

fn ms1500() -> std::time::Duration {
    crate::common::ms(1500)
}

/// S58: past its lease it is dropped as it is: no hook runs, its watchers are notified, and its children are dropped
/// too.
#[tokio::test(start_paused = true)]
async fn past_the_fence_it_is_dropped_as_it_is() {
    let (fence, journal) = (Fence::new(Now::Open), Journal::default());
    let actor = busy(&fence, &journal).await;
    let mut events = remote::events(&actor);
    let watches = tokio::spawn(actor.terminated());
    settle().await;
    actor.try_tell("queued").unwrap();
    fence.set(Now::Over);
    actor.stop(); // the wake-up of the stop is too late
    assert!(matches!(soon(watches).await.unwrap(), Ok(Ended::Aborted)));
    settle().await;
    assert_eq!(sorted(&journal), ["child drop", "drop"]);
    let mut lines = seen(&mut events);
    lines.sort();
    let expected =
        ["busy dead letter", "busy ended Aborted", "busy fenced", "busy/child ended Aborted", "busy/child fenced"];
    assert_eq!(lines, expected);
    assert!(actor.try_tell("later").is_err() && !actor.is_alive());
    pass(secs(10)).await;
    assert_eq!(journal.take(), [""; 0], "its timers and futures are gone");
}

/// S3, S58: callers that wait for its answer, or for its start, learn that neither comes.
#[tokio::test(start_paused = true)]
async fn those_who_wait_for_it_are_told() {
    let (owner, journal, fence) = (Owner::default(), Journal::default(), Fence::new(Now::Open));
    let (actor, up) = hosts(Host { extensions: vec![fence.clone()], ..place(None) }, &owner, &journal);
    up.await.unwrap();
    let asks = {
        let actor = actor.clone();
        tokio::spawn(async move {
            actor.tell(Do::Hang).await.unwrap();
            actor.ask(Do::Get).forever().await
        })
    };
    settle().await;
    fence.set(Now::Over);
    actor.kill();
    assert!(soon(asks).await.unwrap().is_err());
    assert!(owner_was_not_asked(&owner, &actor).await);
    let fence = Fence::new(Now::Open);
    journal.plan("far pre_start", 1, Fault::Slow(secs(9)));
    let (actor, up) = hosts(Host { extensions: vec![fence.clone()], ..place(Some(killed())) }, &owner, &journal);
    settle().await;
    fence.set(Now::Over);
    actor.stop();
    assert!(soon(up).await.is_err());
    assert!(matches!(actor.ended(), Some(Ended::Aborted)));
    let never = Fence::new(Now::Over);
    journal.take();
    let (actor, up) = hosts(Host { extensions: vec![never], ..place(None) }, &owner, &journal);
    assert!(soon(up).await.is_err());
    assert_eq!((journal.take(), actor.incarnation()), (vec![], 4), "nothing has begun");
}

async fn owner_was_not_asked(owner: &Owner, actor: &ActorRef<Probe>) -> bool {
    soon(actor.terminated()).await.is_ok() && owner.asked().is_empty()
}

/// S7, S58: values that panic when they are dropped behind a fence end neither the process nor each other's drops.
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_drop_behind_the_fence_is_caught() {
    quiet_panics();
    struct Loud(Journal, &'static str);
    impl Drop for Loud {
        fn drop(&mut self) {
            self.0.write(self.1);
            panic!("planned panic");
        }
    }
    struct Holds(Loud);
    impl Actor for Holds {
        type Msg = Loud;
        type Error = std::convert::Infallible;
        async fn receive(&mut self, msg: Loud, cx: &mut Context<Self>) -> Result<(), Self::Error> {
            let journal = self.0.0.clone();
            let in_background = Loud(journal.clone(), "future");
            cx.run(
                async move {
                    std::future::pending::<()>().await;
                    drop(in_background);
                },
                move |()| Loud(journal, "never"),
            );
            let in_hand = msg;
            std::future::pending::<()>().await;
            drop(in_hand);
            Ok(())
        }
    }
    let (journal, fence) = (Journal::default(), Fence::new(Now::Open));
    let host = Host {
        path: "h".into(),
        incarnation: 1,
        healing: None,
        options: ChildOptions::new(),
        extensions: vec![fence.clone()],
        standing: supervise::extension::StandingExtensions::NONE,
    };
    let mine = journal.clone();
    let start = move || std::future::ready(Ok(Holds(Loud(mine.clone(), "instance"))));
    let (actor, up) = remote::host(host, start, |_, _| None);
    up.await.unwrap();
    for name in ["in hand", "queued", "queued too"] {
        actor.try_tell(Loud(journal.clone(), name)).unwrap();
    }
    settle().await;
    fence.set(Now::Over);
    actor.stop();
    assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Aborted)));
    assert_eq!(sorted(&journal), ["future", "in hand", "instance", "queued", "queued too"]);
}

/// S58: a fence that panics lets nothing pass.
#[tokio::test(start_paused = true)]
async fn a_fence_that_panics_lets_nothing_pass() {
    quiet_panics();
    let (owner, journal, fence) = (Owner::default(), Journal::default(), Fence::new(Now::Open));
    let (actor, up) = hosts(Host { extensions: vec![fence.clone()], ..place(None) }, &owner, &journal);
    up.await.unwrap();
    journal.take();
    fence.set(Now::Panics);
    actor.stop();
    assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Aborted)));
    assert_eq!(journal.take(), ["far drop"]);
}

/// S25, S58: the runtime may be dropped while a fence holds everything.
#[test]
fn a_runtime_goes_while_the_fence_is_closed() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (fence, journal) = (Fence::new(Now::Open), Journal::default());
    let actor = runtime.block_on(busy(&fence, &journal));
    fence.set(Now::Frozen);
    actor.stop();
    drop(runtime);
    assert!(matches!(actor.ended(), Some(Ended::RuntimeGone)), "{:?}", actor.ended());
    assert_eq!(sorted(&journal), ["child drop", "drop"]);
    fence.set(Now::Over);
}

/// S59: only what runs for another process has a token.
#[tokio::test(start_paused = true)]
async fn a_local_actor_has_no_token() {
    struct Asks;
    #[actor]
    impl Asks {
        fn handle(&mut self, reply: Reply<Option<FenceToken>>, cx: &mut Context<Self>) {
            reply.send(cx.fence());
        }
    }
    supervisor! {
        struct Tree {
            asks: Asks = Asks,
            other: Asks = Asks,
        }
    }
    let tree = testing::start(Tree::tree()).await.unwrap();
    assert_eq!(tree.asks.ask(|reply| reply).await.unwrap(), None);
    let token = FenceToken { epoch: 3, placement: 14 };
    let json = serde_json::to_string(&token).unwrap();
    assert_eq!((json.as_str(), serde_json::from_str::<FenceToken>(&json).unwrap()), ("[3,14]", token));
}
