//! Combinations of rules, and user code that fails in unlikely places. Each test cites the rule that it checks.

use std::fmt;
use std::sync::Arc;
use std::task::{Context as TaskContext, Wake, Waker};
use std::time::Duration;

use supervise::error::SpawnError;
use supervise::prelude::*;
use supervise::{Ended, Watched};
use tokio::time::Instant;

use crate::common::listen::listen;
use crate::common::{Boom, Do, Journal, Probe, ms, pass, secs, seen, settle, soon};

supervisor! {
    struct Shop(journal: Journal) {
        first: Probe = Probe::start("first", journal.clone()).await?,
        back: struct Back {
            inner: Probe = Probe::start("inner", journal.clone()).await?,
            other: Probe = Probe::start("other", journal).await?,
        },
    }
}

/// S24, S40: a supervisor ends after its children: their ends are events, and they are in its report.
#[tokio::test(start_paused = true)]
async fn a_supervisor_ends_after_its_children() {
    let mut tree = Shop::tree(Journal::default());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    seen(&mut events);
    let report = tree.shutdown().await;
    let ends: Vec<_> = seen(&mut events).into_iter().filter(|line| line.contains("ended")).collect();
    assert_eq!(
        ends,
        [
            "back/other ended Stopped",
            "back/inner ended Stopped",
            "back ended Stopped",
            "first ended Stopped",
            "Shop ended Stopped",
        ]
    );
    let paths: Vec<_> = report.children.iter().map(|child| &*child.path).collect();
    assert_eq!(paths, ["back/other", "back/inner", "back", "first"]);
}

/// S24: on several threads too, the end of every child is known before `shutdown()` returns.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn every_end_is_known_when_a_shutdown_returns() {
    for _ in 0..300 {
        let tree = Shop::start(Journal::default()).await.unwrap();
        let handle = tree.handle();
        let report = tree.shutdown().await;
        assert_eq!(report.children.len(), 4, "{report:?}");
        assert!(handle.first.ended().is_some() && handle.back.inner.ended().is_some());
    }
}

/// S24: a subtree reports its children like a root.
#[tokio::test(start_paused = true)]
async fn a_subtree_reports_its_children() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let report = tree.back.shutdown().await.unwrap();
    let paths: Vec<_> = report.children.iter().map(|child| &*child.path).collect();
    assert_eq!(paths, ["back/other", "back/inner"]);
    tree.back.start_again().unwrap();
    soon(tree.ready()).await;
    assert_eq!(tree.back.shutdown().await.unwrap().children.len(), 2, "the report contains this end only");
}

/// An error whose `Display` panics.
#[derive(Debug)]
struct Unspeakable;

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("planned panic")
    }
}

impl std::error::Error for Unspeakable {}

struct Speechless;

#[actor]
impl Speechless {
    fn handle(&mut self, fails: bool) -> Result<(), Unspeakable> {
        if fails { Err(Unspeakable) } else { Ok(()) }
    }
}

/// Formats everything.
struct Loud;

impl tracing::Subscriber for Loud {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Format;
        impl tracing::field::Visit for Format {
            fn record_debug(&mut self, _: &tracing::field::Field, value: &dyn fmt::Debug) {
                let _ = format!("{value:?}");
            }
        }
        event.record(&mut Format);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// S6, S40: an error that cannot be displayed is a failure like any other; only its line in the log is lost.
#[tokio::test(start_paused = true)]
async fn a_panic_in_the_display_of_an_error_does_no_harm() {
    supervisor! {
        struct Mute {
            speechless: Speechless = Speechless,
        }
    }
    let _loud = listen(Loud);
    let tree = Mute::start().await.unwrap();
    tree.speechless.tell(true).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.speechless.incarnation(), 2, "restarted");
    tree.speechless.tell(false).await.unwrap();
    assert!(soon(tree.shutdown()).await.is_orderly());
}

/// S15, S24, S31: a duration may be as long as you like. A duration that is too long to wait for is shortened to the
/// longest possible wait.
#[tokio::test(start_paused = true)]
async fn the_longest_durations_are_taken() {
    supervisor! {
        struct Patient(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 3, within = Duration::MAX)]
            #[lifecycle(Permanent, shutdown = Duration::MAX)]
            patient: Probe = Probe::start("patient", journal.clone()).await?,
            #[backoff(1s..Duration::MAX)]
            slow: Probe = Probe::start("slow", journal).await?,
        }
    }
    let tree = Patient::start(Journal::default()).await.unwrap();
    for probe in [&tree.patient, &tree.slow] {
        probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(3)).await;
        assert_eq!(probe.incarnation(), 2);
    }
    let report = soon(tree.shutdown().within(Duration::MAX)).await;
    assert!(report.is_orderly(), "{report:?}");
}

/// Spawns one child when it starts, and tries to spawn another one in `pre_restart`.
struct Late(Journal);

#[derive(Debug)]
struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed")
    }
}

impl std::error::Error for Failed {}

#[actor]
impl Late {
    fn handle(&mut self, _: ()) -> Result<(), Failed> {
        Err(Failed)
    }

    #[pre_start]
    async fn one(&mut self, cx: &mut Context<Self>) {
        let journal = self.0.clone();
        cx.spawn(child! { "one": Probe = Probe::start("one", journal).into_thrown().await? }).await.unwrap();
    }

    #[pre_restart]
    async fn two(&mut self, cx: &mut Context<Self>) {
        let journal = self.0.clone();
        let begun = Instant::now();
        let two = cx.spawn(child! { "two": Probe = Probe::start("two", journal).into_thrown().await? }).await;
        assert!(matches!(two, Err(SpawnError::Stopping { .. })), "{two:?}");
        self.0.write(format!("refused after {:?}", begun.elapsed()));
    }
}

trait IntoThrown<T> {
    fn into_thrown(self) -> impl Future<Output = Result<T, Thrown>> + Send;
}

impl<T, F: Future<Output = Result<T, Boom>> + Send> IntoThrown<T> for F {
    async fn into_thrown(self) -> Result<T, Thrown> {
        Ok(self.await?)
    }
}

/// S7, S27: an actor on its way down cannot spawn a child; the spawn fails at once.
#[tokio::test(start_paused = true)]
async fn a_spawn_on_the_way_down_is_refused_at_once() {
    supervisor! {
        struct Lates(journal: Journal) {
            late: Late = Late(journal),
        }
    }
    let journal = Journal::default();
    let tree = Lates::start(journal.clone()).await.unwrap();
    tree.late.tell(()).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.late.incarnation(), 2);
    assert!(journal.take().contains(&"refused after 0ns".to_owned()));
}

/// Watches `first`. The test chooses the reaction to the end of `first`.
struct Widow {
    watched: ActorRef<Probe>,
    then: Then,
}

#[derive(Clone, Copy)]
enum Then {
    StopAndFail,
    Wait,
    Forget,
}

enum Ask {
    Nap(Duration),
    Ping(Reply<()>),
}

#[actor]
impl Widow {
    async fn handle(&mut self, ask: Ask) -> Result<(), Failed> {
        match ask {
            Ask::Nap(time) => tokio::time::sleep(time).await,
            Ask::Ping(reply) => reply.send(()),
        }
        Ok(())
    }

    #[pre_start]
    fn watch(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.watched);
        if let Then::Forget = self.then {
            cx.depend_on(&self.watched);
            cx.unwatch(&self.watched);
        }
    }

    #[terminated]
    async fn told(&mut self, _: &Watched, _: &Ended, cx: &mut Context<Self>) -> Result<(), Failed> {
        match self.then {
            Then::StopAndFail => {
                cx.stop();
                Err(Failed)
            }
            Then::Wait => {
                tokio::time::sleep(secs(4)).await;
                Ok(())
            }
            Then::Forget => Ok(()),
        }
    }
}

supervisor! {
    struct Couple(journal: Journal, then: Then) {
        first: Probe = Probe::start("first", journal.clone()).await?,
        #[lifecycle(Transient)]
        widow: Widow = Widow { watched: first, then },
        other: Probe = Probe::start("other", journal).await?,
    }
}

/// S23: `cx.stop()` followed by an error is a stop, in `terminated` as in a handler.
#[tokio::test(start_paused = true)]
async fn a_stop_with_an_error_after_it_is_a_stop_in_terminated_too() {
    let tree = Couple::start(Journal::default(), Then::StopAndFail).await.unwrap();
    tree.first.stop();
    assert!(matches!(soon(tree.widow.terminated()).await.unwrap(), Ended::Done));
    assert_eq!(tree.widow.incarnation(), 1);
}

/// S24: a stop turns the queued messages into errors at once, also while a slow `terminated` runs.
#[tokio::test(start_paused = true)]
async fn what_waits_after_a_notice_goes_back_at_a_stop() {
    let tree = Couple::start(Journal::default(), Then::Wait).await.unwrap();
    let begun = Instant::now();
    tree.widow.tell(Ask::Nap(secs(1))).await.unwrap();
    settle().await;
    tree.first.stop();
    settle().await;
    let widow = tree.widow.clone();
    let ping = tokio::spawn(async move { (widow.ask(Ask::Ping).await.is_err(), begun.elapsed()) });
    pass(secs(2)).await;
    tree.widow.stop();
    assert_eq!(ping.await.unwrap(), (true, secs(2)));
}

/// S37: `unwatch` also cancels the death pact with the same actor.
#[tokio::test(start_paused = true)]
async fn unwatch_takes_back_the_death_pact() {
    let tree = Couple::start(Journal::default(), Then::Forget).await.unwrap();
    tree.first.stop();
    soon(tree.first.terminated()).await.unwrap();
    settle().await;
    assert!(tree.widow.ended().is_none());
    assert_eq!(tree.widow.incarnation(), 1);
}

/// S21: `ready()` does not wait for a child that has ended.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_has_ended_does_not_keep_the_tree_from_being_ready() {
    supervisor! {
        struct Fragile(journal: Journal) {
            #![decider(Phase::Restart => Stop, _ => Restart)]
            part: struct Part {
                #![decider(_ => Escalate)]
                only: Probe = Probe::start("only", journal.clone()).await?,
            },
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Fragile::start(journal.clone()).await.unwrap();
    journal.plan("only start", 1, crate::common::Fault::Error);
    tree.part.only.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert!(tree.part.ended().is_some());
    assert!(soon(tree.ready()).await);
}

/// S2: a wait that is dropped leaves no waker at the actor that it waited for.
#[tokio::test(start_paused = true)]
async fn a_dropped_wait_keeps_no_waker() {
    struct Nobody;
    impl Wake for Nobody {
        fn wake(self: Arc<Self>) {}
    }
    let tree = Shop::start(Journal::default()).await.unwrap();
    let nobody = Arc::new(Nobody);
    let waker = Waker::from(nobody.clone());
    let held = Arc::strong_count(&nobody);
    for _ in 0..10 {
        let mut terminated = std::pin::pin!(tree.first.terminated());
        assert!(terminated.as_mut().poll(&mut TaskContext::from_waker(&waker)).is_pending());
        let mut join = std::pin::pin!(tree.back.join());
        assert!(join.as_mut().poll(&mut TaskContext::from_waker(&waker)).is_pending());
    }
    assert_eq!(Arc::strong_count(&nobody), held);
}

/// S37: the end of the runtime changes nothing for actors that had ended before.
#[test]
fn ended_actors_stay_ended_when_the_runtime_goes() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let tree = runtime.block_on(async {
        let tree = Shop::start(Journal::default()).await.unwrap();
        tree.first.stop();
        let _ = tree.first.terminated().await;
        tree.detach()
    });
    drop(runtime);
    assert!(matches!(tree.first.ended(), Some(Ended::Stopped)));
    assert!(matches!(tree.back.inner.ended(), Some(Ended::RuntimeGone)));
}

/// S6, S12: a kill below a failed actor finds no future to drop, and the killed child still runs all its hooks.
#[tokio::test(start_paused = true)]
async fn a_kill_while_suspended_leaves_the_hooks() {
    struct Dad(Journal, Option<ActorRef<Probe>>);
    enum Say {
        Kid(Reply<ActorRef<Probe>>),
        Fail,
    }
    #[actor]
    impl Dad {
        fn handle(&mut self, say: Say) -> Result<(), Failed> {
            match (say, &self.1) {
                (Say::Kid(reply), Some(kid)) => reply.send(kid.clone()),
                _ => return Err(Failed),
            }
            Ok(())
        }
        #[pre_start]
        async fn spawn(&mut self, cx: &mut Context<Self>) {
            let journal = self.0.clone();
            self.1 = cx.spawn(child! { "kid": Probe = Probe::start("kid", journal).into_thrown().await? }).await.ok();
        }
        #[pre_restart]
        async fn slow(&mut self) {
            tokio::time::sleep(secs(1)).await;
        }
    }
    supervisor! {
        struct Family(journal: Journal) {
            dad: Dad = Dad(journal, None),
        }
    }
    let journal = Journal::default();
    let mut tree = Family::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    let kid = tree.dad.ask(Say::Kid).await.unwrap();
    tree.dad.tell(Say::Fail).await.unwrap();
    pass(ms(100)).await;
    kid.kill();
    pass(secs(3)).await;
    assert!(journal.take().contains(&"kid post_stop".to_owned()));
    assert!(!seen(&mut events).iter().any(|line| line.contains("aborted")));
}
