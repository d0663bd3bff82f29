//! Children that are aborted on their way down, and how they continue: S11, S12 and S24.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use supervise::error::SpawnError;
use supervise::inspect::EndedKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle, soon};
use crate::nodes::{Kid, Say, family, spawn};

supervisor! {
    struct Timed(journal: Journal) {
        #![strategy(AllForOne)]
        fails: Probe = Probe::start("fails", journal).await?,
        #[lifecycle(Permanent, shutdown = 1s)]
        db: Probe = Probe::start("db", journal).await?,
    }

    struct Nested(journal: Journal) {
        sub: struct Sub {
            #[lifecycle(Transient)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        },
    }
}

async fn nested() -> (Running<Nested>, Journal) {
    let journal = Journal::default();
    (Nested::start(journal.clone()).await.unwrap(), journal)
}

fn of(lines: Vec<String>, who: &str) -> Vec<String> {
    lines.into_iter().filter(|line| line.starts_with(who)).collect()
}

/// S12: an abort affects only its own incarnation: the next one goes down with all its hooks.
#[tokio::test(start_paused = true)]
async fn an_abort_is_of_one_incarnation() {
    let journal = Journal::default();
    let tree = Timed::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    journal.plan("db post_stop", 1, Fault::Slow(secs(10)));
    tree.fails.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(2)).await;
    assert!(seen(&mut events).contains(&"db aborted".to_owned()));
    assert_eq!(tree.db.incarnation(), 2);
    journal.take();
    tree.fails.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(of(journal.take(), "db ")[..3], ["db pre_restart", "db post_stop", "db drop"]);
    let report = tree.shutdown().await;
    assert!(report.is_orderly(), "{report}");
}

/// S11: a child whose time ends in the middle of a message is dropped together with it: no hook runs on that instance.
#[tokio::test(start_paused = true)]
async fn no_hook_runs_on_what_was_aborted() {
    let journal = Journal::default();
    let tree = Timed::start(journal.clone()).await.unwrap();
    tree.db.tell(Do::Hang).await.unwrap();
    settle().await;
    journal.take();
    tree.fails.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(2)).await;
    assert_eq!(of(journal.take(), "db "), ["db drop", "db start", "db pre_start", "db post_restart"]);
}

/// S16, S24: when an actor is killed on its way down, its children are aborted, not stopped.
#[tokio::test(start_paused = true)]
async fn a_kill_on_the_way_down_aborts_the_children() {
    let (family, journal) = family(Directive::Restart).await;
    let kid = spawn(&family.top, Kid::new("kid")).await;
    let grandkid = spawn(&kid, Kid::new("grandkid")).await;
    journal.plan("top pre_restart", 1, Fault::Slow(secs(5)));
    family.top.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    family.top.kill();
    settle().await;
    assert_eq!(journal.take()[..3], ["grandkid drop", "kid drop", "top drop"]);
    assert!(matches!(grandkid.ended(), Some(Ended::Aborted)), "{:?}", grandkid.ended());
    assert_eq!(family.top.incarnation(), 2);
}

/// S24: a child that is aborted runs no hook, even if it was killed at the same time.
#[tokio::test(start_paused = true)]
async fn one_that_is_killed_and_aborted_runs_no_hook() {
    let (family, journal) = family(Directive::Restart).await;
    let kid = spawn(&family.top, Kid::new("kid")).await;
    journal.plan("top pre_restart", 1, Fault::Slow(secs(5)));
    family.top.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    journal.plan("kid post_stop", 1, Fault::Slow(secs(3)));
    family.top.kill(); // runs first: it has aborted its children when the kid gets the kill
    kid.kill();
    settle().await;
    assert_eq!(journal.take()[..2], ["kid drop", "top drop"]);
    assert_eq!(family.top.incarnation(), 2);
}

/// S24: a start that is cut short because no time is left counts as aborted.
#[tokio::test(start_paused = true)]
async fn a_start_that_is_cut_by_an_abort_counts_as_aborted() {
    let (tree, journal) = nested().await;
    let mut events = tree.events();
    journal.plan("a start", 1, Fault::Slow(secs(10)));
    journal.plan("b post_stop", 1, Fault::Slow(secs(4)));
    tree.sub.a.restart().unwrap();
    settle().await;
    tree.sub.stop();
    settle().await;
    tree.sub.kill();
    settle().await;
    assert!(matches!(tree.sub.a.ended(), Some(Ended::Aborted)), "{:?}", tree.sub.a.ended());
    assert!(seen(&mut events).contains(&"sub/a aborted".to_owned()));
}

/// S24: a child of a supervisor that is aborted on its way to a restart has not ended: it is started again.
#[tokio::test(start_paused = true)]
async fn an_abort_for_a_restart_ends_no_child() {
    let (tree, journal) = nested().await;
    let mut events = tree.events();
    journal.plan("b post_stop", 1, Fault::Slow(secs(4)));
    tree.sub.restart().unwrap();
    settle().await;
    tree.sub.kill();
    settle().await;
    let seen = seen(&mut events);
    assert!(!seen.iter().any(|line| line.starts_with("sub/a ended")), "{seen:?}");
    assert_eq!((tree.sub.incarnation(), tree.sub.a.incarnation()), (2, 2));
    assert_eq!(tree.sub.a.ask(Do::Get).await.unwrap(), 0);
}

/// S5, S11, S12: a child whose turn had not come when its supervisor was aborted loses only its message in hand. Its
/// queued messages wait, and its `post_restart` runs.
#[tokio::test(start_paused = true)]
async fn an_abort_for_a_restart_keeps_what_is_queued() {
    let (tree, journal) = nested().await;
    journal.plan("b post_stop", 1, Fault::Slow(secs(4)));
    tree.sub.restart().unwrap();
    settle().await;
    tree.sub.a.tell(Do::Work(secs(3))).await.unwrap();
    settle().await;
    tree.sub.a.tell(Do::Note("is handled")).await.unwrap();
    journal.take();
    journal.plan("a start", 1, Fault::Slow(secs(1)));
    tree.sub.kill();
    settle().await;
    tree.sub.a.tell(Do::Note("is handled too")).await.unwrap();
    pass(secs(2)).await;
    let lines = of(journal.take(), "a ");
    let expected = "a drop, a start, a start done, a pre_start, a post_restart, a is handled, a is handled too";
    assert_eq!(lines.join(", "), expected);
    assert_eq!(tree.dead_letters(), 0);
}

/// S11: a kept child is not affected when its siblings are aborted on their way down.
#[tokio::test(start_paused = true)]
async fn an_abort_spares_a_kept_child() {
    let (family, journal) = family(Directive::Restart).await;
    let kept = spawn(&family.top, Kid::new("kept")).await;
    spawn(&family.top, Kid::new("kid")).await;
    family.top.tell(Say::Keep(kept.clone())).await.unwrap();
    journal.plan("kid post_stop", 1, Fault::Slow(secs(4)));
    family.top.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    kept.tell(Say::Note("is handled")).await.unwrap();
    journal.take();
    family.top.kill();
    settle().await;
    let lines = of(journal.take(), "kept ");
    assert_eq!(lines[..3], ["kept pre_restart", "kept post_stop", "kept drop"]);
    assert_eq!(lines.last().unwrap(), "kept is handled");
}

/// S11, S24: a kept child that a user shuts down within a time is aborted after it, although its supervisor is on its
/// way to a restart, at which a kept child has no turn.
#[tokio::test(start_paused = true)]
async fn a_kept_child_that_is_shut_down_has_only_its_time() {
    let (family, journal) = family(Directive::Restart).await;
    let kept = spawn(&family.top, Kid::new("kept")).await;
    spawn(&family.top, Kid::new("kid")).await;
    family.top.tell(Say::Keep(kept.clone())).await.unwrap();
    journal.plan("kid post_stop", 1, Fault::Slow(secs(4)));
    family.top.tell(Say::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let begin = Instant::now();
    let ended = kept.shutdown().within(secs(1)).await.unwrap();
    assert_eq!((begin.elapsed(), ended.kind()), (secs(1), EndedKind::Aborted));
    pass(secs(4)).await;
    assert_eq!((family.top.incarnation(), kept.incarnation()), (2, 1), "it does not come up with its supervisor");
}

/// S24, S25: a supervisor that was aborted once gives the children of its next incarnation their full time again.
#[tokio::test(start_paused = true)]
async fn after_an_abort_children_have_their_time_again() {
    let (tree, journal) = nested().await;
    let mut events = tree.events();
    journal.plan("b post_stop", 1, Fault::Slow(secs(4)));
    tree.sub.restart().unwrap();
    settle().await;
    tree.sub.kill();
    pass(secs(1)).await;
    assert_eq!(tree.sub.incarnation(), 2);
    journal.plan("b post_stop", 1, Fault::Slow(secs(4)));
    tree.sub.b.restart().unwrap();
    pass(secs(5)).await;
    assert_eq!(tree.sub.b.incarnation(), 3);
    let seen = seen(&mut events);
    assert!(!seen.contains(&"sub/b stuck".to_owned()), "{seen:?}");
}

/// Kills its parent in `post_stop`.
struct Assassin(Arc<OnceLock<ActorRef<Parent>>>);

impl Actor for Assassin {
    type Msg = ();
    type Error = Boom;

    async fn receive(&mut self, (): (), _: &mut Context<Self>) -> Result<(), Boom> {
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        self.0.get().expect("the test has set the parent").kill();
        Ok(())
    }
}

/// Fails after the spawn in its `pre_start`, if that is planned.
struct Parent {
    fails: Arc<AtomicBool>,
    victim: Arc<OnceLock<ActorRef<Parent>>>,
}

impl Actor for Parent {
    type Msg = Reply<u32>;
    type Error = SpawnError;

    async fn receive(&mut self, reply: Reply<u32>, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        reply.send(cx.incarnation());
        Ok(())
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        let victim = self.victim.clone();
        cx.spawn(child! { "assassin": Assassin = Assassin(victim) }).await?;
        match self.fails.swap(false, Ordering::Relaxed) {
            true => Err(SpawnError::Stopped { path: "planned".into() }),
            false => Ok(()),
        }
    }
}

/// S11: a kill on the way down applies to the incarnation that goes down, even if it arrives at the very end: the next
/// start is not affected.
#[tokio::test(start_paused = true)]
async fn a_kill_on_the_way_down_spares_the_next_start() {
    supervisor! {
        struct Home(fails: Arc<AtomicBool>, victim: Arc<OnceLock<ActorRef<Parent>>>) {
            parent: Parent = Parent { fails, victim },
        }
    }
    let (fails, victim) = (Arc::<AtomicBool>::default(), Arc::<OnceLock<_>>::default());
    let home = Home::start(fails.clone(), victim.clone()).await.unwrap();
    victim.set(home.parent.clone()).unwrap();
    fails.store(true, Ordering::Relaxed);
    home.parent.restart().unwrap();
    pass(secs(1)).await;
    assert_eq!(
        home.parent.ask(|reply| reply).await.unwrap(),
        3,
        "the child was restarted, failed to start, and was restarted"
    );
}

/// S11: a kept child that is killed while its parent starts again is restarted once in total, after its parent.
#[tokio::test(start_paused = true)]
async fn a_kept_child_that_fails_meanwhile_waits_for_its_parent() {
    let (family, journal) = family(Directive::Restart).await;
    let kid = spawn(&family.top, Kid::new("kid")).await;
    family.top.tell(Say::Keep(kid.clone())).await.unwrap();
    family.top.tell(Say::Fail(Boom::Told)).await.unwrap();
    journal.plan("top pre_start", 1, Fault::Slow(secs(1)));
    pass(ms(500)).await;
    kid.kill();
    pass(ms(400)).await;
    assert_eq!((kid.incarnation(), kid.ended().is_none()), (1, true));
    pass(secs(1)).await;
    assert_eq!((kid.incarnation(), kid.ended().is_none()), (2, true));
}

/// S16: when a child goes down for good after its failure, its askers get their error at once, even the one whose
/// message was next.
#[tokio::test(start_paused = true)]
async fn the_asker_of_the_next_message_gets_its_error_at_once() {
    supervisor! {
        struct Strict(journal: Journal) {
            #[decider(|_: &Failure| Directive::Stop)]
            db: Probe = Probe::start("db", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Strict::start(journal.clone()).await.unwrap();
    journal.plan("db post_stop", 1, Fault::Slow(secs(3)));
    let begin = Instant::now();
    let (told, asked) = tokio::join!(tree.db.tell(Do::Fail(Boom::Told)), tree.db.ask(Do::Get));
    told.unwrap();
    asked.unwrap_err();
    assert_eq!(begin.elapsed(), secs(0), "the child's post_stop takes 3 s");
    soon(tree.db.terminated()).await.unwrap();
}

/// S16: a stop gives the askers of queued messages their errors at once, while the message in hand has its time.
#[tokio::test(start_paused = true)]
async fn the_asker_of_a_queued_message_gets_its_error_with_the_stop() {
    supervisor! {
        struct Busy(journal: Journal) {
            db: Probe = Probe::start("db", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Busy::start(journal.clone()).await.unwrap();
    tree.db.tell(Do::Work(secs(3))).await.unwrap();
    settle().await;
    let begin = Instant::now();
    let (asked, ()) = tokio::join!(tree.db.ask(Do::Get), async {
        settle().await;
        tree.db.stop();
    });
    asked.unwrap_err();
    assert_eq!(begin.elapsed(), secs(0), "the message in hand takes 3 s");
    soon(tree.db.terminated()).await.unwrap();
    assert_eq!(begin.elapsed(), secs(3));
}

/// A runtime that is driven until the sender is dropped, then given back.
fn driven() -> (tokio::runtime::Handle, impl FnOnce() -> tokio::runtime::Runtime) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    let (until, over) = tokio::sync::oneshot::channel::<()>();
    let thread = std::thread::spawn(move || {
        let _ = runtime.block_on(over);
        runtime
    });
    (handle, move || {
        drop(until);
        thread.join().unwrap()
    })
}

/// S25: a child whose runtime is gone has ended with it; its supervisor, on another runtime, does not wait for it.
#[tokio::test(start_paused = true)]
async fn a_child_without_a_runtime_is_not_waited_for() {
    let (family, _) = family(Directive::Restart).await;
    let (on, stop) = driven();
    let kid = spawn(&family.top, Kid { on: Some(on), ..Kid::new("kid") }).await;
    let runtime = stop();
    std::thread::spawn(move || drop(runtime)).join().unwrap();
    assert!(matches!(soon(kid.terminated()).await, Ok(Ended::RuntimeGone)));
    let begin = Instant::now();
    family.shutdown().await;
    assert_eq!(begin.elapsed(), secs(0));
}

/// S25: after an abort, each stuck child is given up 5 s after it was asked to go down, one after the other, and its
/// supervisor sleeps meanwhile.
#[test]
fn after_an_abort_each_that_is_stuck_is_given_up_when_its_turn_comes() {
    let (done, took) = std::sync::mpsc::channel();
    // Runs on its own thread: a supervisor that does not sleep would stop the paused clock.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let took = runtime.block_on(async {
            let (family, _) = family(Directive::Restart).await;
            let (on, stop) = driven();
            let mut kids = Vec::new();
            for name in ["one", "two"] {
                kids.push(spawn(&family.top, Kid { on: Some(on.clone()), ..Kid::new(name) }).await);
            }
            let runtime = stop(); // the children are not polled any more
            let begin = Instant::now();
            family.top.stop();
            soon(family.top.terminated()).await.unwrap();
            let took = begin.elapsed();
            std::thread::spawn(move || drop(runtime)).join().unwrap();
            took
        });
        let _ = done.send(took);
    });
    let took = took.recv_timeout(secs(10)).expect("the supervisor sleeps while it waits");
    // `two` had 5 s, is then aborted, and given up after 10 s; `one` is asked then, and has no time.
    assert!(took >= secs(15) && took < secs(16), "{took:?}");
}

/// S20: if a subtree ends while it waits to be started again, its children end with it.
#[tokio::test(start_paused = true)]
async fn what_waits_below_one_that_ends_ends_too() {
    supervisor! {
        struct Patient(journal: Journal) {
            #![decider(_ => Restart)]
            #[backoff(10s..20s, random_factor = 0)]
            sub: struct Impatient {
                #![decider(_ => Escalate)]
                a: Probe = Probe::start("a", journal).await?,
            },
            sibling: Probe = Probe::start("sibling", journal).await?,
        }
    }
    let tree = Patient::start(Journal::default()).await.unwrap();
    tree.sub.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert!(tree.sub.a.ended().is_none(), "the subtree waits to be started again");
    tree.sub.stop();
    settle().await;
    assert!(matches!(tree.sub.a.ended(), Some(Ended::Stopped)), "{:?}", tree.sub.a.ended());
    assert_eq!(tree.sibling.ask(Do::Get).await.unwrap(), 0);
}
