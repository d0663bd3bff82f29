//! A group that goes down and comes up, and the members that it waits for: S17.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use supervise::prelude::*;
use tokio::time::{Instant, sleep};

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle, soon};
use crate::nodes::{Kid, Say, family_of, spawn};

supervisor! {
    struct Waited(journal: Journal) {
        #![strategy(AllForOne)]
        b: Probe = Probe::start("b", journal).await?,
        #[backoff(10s..20s, random_factor = 0)]
        a: Probe = Probe::start("a", journal).await?,
    }

    struct Ending(journal: Journal) {
        #![strategy(AllForOne)]
        #[lifecycle(Permanent)]
        first: Probe = Probe::start("first", journal).await?,
        second: Probe = Probe::start("second", journal).await?,
    }

    struct Brief(lives: Arc<AtomicU32>, journal: Journal) {
        #![strategy(AllForOne)]
        #[lifecycle(Transient, significant)]
        main: task = brief(lives.fetch_add(1, Ordering::Relaxed)),
        crash: Probe = Probe::start("crash", journal).await?,
        last: task = pending::<()>(),
    }

    struct Early(journal: Journal) {
        #![strategy(AllForOne)]
        crash: Probe = Probe::start("crash", journal).await?,
        slow: Probe = Probe::start("slow", journal).await?,
        let _told = fail(crash).await;
    }
}

/// Returns in its second life.
async fn brief(before: u32) {
    match before {
        0 => pending().await,
        _ => sleep(ms(5)).await,
    }
}

async fn fail(crash: ActorRef<Probe>) {
    crash.tell(Do::Fail(Boom::Told)).await.unwrap();
    sleep(ms(5)).await;
}

/// S22, S24: the significant member ends while its group comes up. The last member, a task without a context, is told to
/// end in the moment in which it is up: it is stopped, and not aborted.
#[tokio::test(start_paused = true)]
async fn a_task_that_has_to_end_as_it_comes_up_is_not_aborted() {
    let journal = Journal::default();
    let tree = Brief::start(Arc::default(), journal.clone()).await.unwrap();
    journal.plan("crash start", 1, Fault::Slow(ms(50)));
    tree.crash.tell(Do::Fail(Boom::Told)).await.unwrap();
    let ended = soon(tree.last.terminated()).await;
    assert!(matches!(ended, Ok(Ended::Stopped)), "{ended:?}");
    let report = tree.join().await;
    assert!(report.children.iter().all(|child| !child.aborted), "{report:?}");
}

/// S21: a group restarts while the build of its tree evaluates its last `let`. The tree is up with the last member.
#[tokio::test(start_paused = true)]
async fn a_boot_goes_on_when_the_last_member_is_up() {
    let journal = Journal::default();
    journal.plan("slow post_stop", 1, Fault::Slow(ms(20)));
    let begun = Instant::now();
    let tree = Early::start(journal).await.unwrap();
    assert_eq!((begun.elapsed() / 10).as_millis(), 2);
    assert_eq!((tree.crash.incarnation(), tree.slow.incarnation()), (2, 2));
    tree.shutdown().await;
}

/// S16, S17: the member whose backoff the group waits for is stopped while the others go down: the group no longer
/// waits for it.
#[tokio::test(start_paused = true)]
async fn a_child_that_was_stopped_meanwhile_is_not_waited_for() {
    let journal = Journal::default();
    let tree = Waited::start(journal.clone()).await.unwrap();
    journal.plan("b post_stop", 1, Fault::Slow(secs(2)));
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    tree.a.stop();
    pass(secs(2)).await;
    assert_eq!(tree.b.ask(Do::Incarnation).await.unwrap(), 2, "the restart comes 2 s after the failure, not 12 s");
    assert!(matches!(tree.a.ended(), Some(Ended::Stopped)));
}

/// S17, S23: a member that has ended by itself, and is to be restarted, is queued while its group goes down: it has not
/// failed.
#[tokio::test(start_paused = true)]
async fn a_restarted_end_awaits_its_turn() {
    let journal = Journal::default();
    let tree = Ending::start(journal.clone()).await.unwrap();
    journal.plan("second post_stop", 1, Fault::Slow(secs(2)));
    tree.first.tell(Do::Stop).await.unwrap();
    settle().await;
    assert_eq!(tree.snapshot().find("first").unwrap().state.to_string(), "queued");
    pass(secs(3)).await;
    assert_eq!([tree.first.incarnation(), tree.second.incarnation()], [2, 2]);
}

/// S17: a member that failed on the way up, and was decided on later, is waited for while it goes down.
#[tokio::test(start_paused = true)]
async fn the_way_up_waits_for_one_that_goes_down() {
    let (family, journal) = family_of(Strategy::RestForOne, Directive::Resume).await;
    let mut kids = Vec::new();
    for name in ["fatal", "once", "first", "second", "third"] {
        let lifecycle = if name == "once" { Lifecycle::Temporary } else { Lifecycle::Transient };
        kids.push(spawn(&family.top, Kid { lifecycle, ..Kid::new(name) }).await);
    }
    let [fatal, once, first, ..] = &kids[..] else { unreachable!() };
    journal.plan("first pre_start", 1, Fault::Slow(secs(2)));
    journal.plan("second pre_start", 1, Fault::Slow(secs(1)));
    journal.plan("once post_stop", 1, Fault::Slow(secs(4)));
    first.tell(Say::Fail(Boom::Told)).await.unwrap(); // comes up again after 2 s, and the others after it
    family.top.tell(Say::Work(secs(3))).await.unwrap();
    settle().await;
    fatal.tell(Say::Fail(Boom::Fatal)).await.unwrap(); // no new work begins until 3 s
    settle().await;
    once.tell(Say::Fail(Boom::Told)).await.unwrap(); // its decision is deferred until then
    pass(ms(4500)).await;
    let lines = journal.take();
    assert_eq!(lines[lines.len() - 2..], ["second pre_start done", "second post_restart"], "{lines:?}");
    pass(secs(2)).await;
    assert!(!journal.take().contains(&"third start".to_owned()), "the group waits until `once` is down, after 7 s");
    pass(secs(1)).await;
    assert!(journal.take().contains(&"third start".to_owned()));
}
