//! Actors outside of a tree: S39. The guardian's own strategy is tested in `tests/process`, because a process can set
//! it only once.

use supervise::error::{AskError, SpawnError};
use supervise::guardian;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle, soon};

async fn probe(name: &'static str, journal: &Journal) -> Result<ActorRef<Probe>, SpawnError> {
    let journal = journal.clone();
    spawn(child! { name: Probe = Probe::start(name, journal).await? }).await
}

/// S39: a top-level actor lives until it is stopped; its path is its name; dropping handles stops nothing.
#[tokio::test(start_paused = true)]
async fn a_top_level_actor_lives_until_it_is_stopped() {
    let journal = Journal::default();
    let one = probe("one", &journal).await.unwrap();
    let again = probe("one", &journal).await.unwrap();
    assert_eq!((one.path(), again.path()), ("one".to_owned(), "one".to_owned()));
    assert_ne!(one, again, "a name at the top need not be unique");
    again.tell(Do::Note("goes on without a handle")).await.unwrap();
    drop(again);
    pass(secs(3600)).await;
    one.tell(Do::Add(2)).await.unwrap();
    assert_eq!(one.ask(Do::Get).await.unwrap(), 2);
    assert_eq!(
        journal.take(),
        ["one start", "one pre_start", "one start", "one pre_start", "one goes on without a handle"]
    );
    one.stop();
    assert!(matches!(soon(one.terminated()).await.unwrap(), Ended::Stopped));
    assert_eq!(journal.take(), ["one post_stop", "one drop"]);
    assert!(matches!(one.ask(Do::Get).await, Err(AskError::Refused { .. })));
}

/// S39, S9: by default a top-level actor is restarted, 10 times in 1 minute; at the limit, only this actor ends.
#[tokio::test(start_paused = true)]
async fn the_limit_ends_that_actor_only() {
    let journal = Journal::default();
    let (one, two) = (probe("one", &journal).await.unwrap(), probe("two", &journal).await.unwrap());
    for n in 0..10 {
        assert_eq!(one.ask(Do::Incarnation).forever().await.unwrap(), n + 1);
        one.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    assert_eq!(one.ask(Do::Incarnation).forever().await.unwrap(), 11);
    one.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let Ended::Limit(failure) = soon(one.terminated()).await.unwrap() else { panic!("not the limit") };
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Fatal), "the last failure is inside");
    assert_eq!(failure.path(), "one");
    assert_eq!(two.ask(Do::Incarnation).await.unwrap(), 1);
}

/// S39: Stop, Escalate, and a limit that would escalate end only this actor, with the failure in `terminated()`.
#[tokio::test(start_paused = true)]
async fn stop_and_escalate_end_it_with_the_failure() {
    let journal = Journal::default();
    for directive in [Directive::Stop, Directive::Escalate] {
        let journal = journal.clone();
        let one = spawn(child! {
            #[decider(move |_: &Failure| directive)]
            "one": Probe = Probe::start("one", journal).await?
        });
        let one = one.await.unwrap();
        one.tell(Do::Fail(Boom::Told)).await.unwrap();
        let ended = soon(one.terminated()).await.unwrap();
        let Ended::Failed(failure) = ended else { panic!("{directive:?}: {ended:?}") };
        assert_eq!(failure.error::<Boom>(), Some(&Boom::Told));
    }
    journal.take();
    let one = spawn(child! {
        #[limit(max_restarts = 1, within = 60s, on_limit = Escalate)]
        "one": Probe = Probe::start("one", journal).await?
    });
    let one = one.await.unwrap();
    one.tell(Do::Fail(Boom::Told)).await.unwrap();
    one.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(one.terminated()).await.unwrap(), Ended::Limit(_)));
    let lines = journal.take();
    assert_eq!(lines.iter().filter(|line| *line == "one post_stop").count(), 2, "down in order: {lines:?}");
}

/// S39: a first start that fails is the error of the spawn; with a declared backoff it is retried.
#[tokio::test(start_paused = true)]
async fn a_failed_first_start_is_the_error_of_the_spawn() {
    let journal = Journal::default();
    journal.plan("one start", 1, Fault::Error);
    let Err(SpawnError::Start(failure)) = probe("one", &journal).await else { panic!("the spawn succeeded") };
    assert_eq!((failure.phase(), failure.path()), (Phase::Start, "one"));
    journal.plan("one start", 2, Fault::Error);
    let begun = Instant::now();
    let one = spawn(child! {
        #[backoff(1s..8s, random_factor = 0.0)]
        "one": Probe = Probe::start("one", journal).await?
    });
    let one = one.await.unwrap();
    assert_eq!((begun.elapsed(), one.incarnation()), (secs(3), 3));
}

/// S39, S23: `Transient` by default; the settings are those of `cx.spawn`.
#[tokio::test(start_paused = true)]
async fn settings_stand_above_the_child() {
    let journal = Journal::default();
    let one = probe("one", &journal).await.unwrap();
    one.tell(Do::Stop).await.unwrap();
    assert!(matches!(soon(one.terminated()).await.unwrap(), Ended::Done));
    let one = spawn(child! {
        #[lifecycle(Permanent, shutdown = 100ms)]
        "one": Probe = Probe::start("one", journal).await?
    });
    let one = one.await.unwrap();
    one.tell(Do::Stop).await.unwrap();
    assert_eq!(one.ask(Do::Incarnation).await.unwrap(), 2);
    one.tell(Do::Hang).await.unwrap();
    settle().await;
    let begun = Instant::now();
    one.stop();
    assert!(matches!(soon(one.terminated()).await.unwrap(), Ended::Aborted));
    assert_eq!(begun.elapsed(), ms(100));
}

/// S39, S25: dropping the runtime ends the actor, and notifies callers that wait outside.
#[test]
fn it_ends_with_its_runtime() {
    let journal = Journal::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let one = runtime.block_on(probe("one", &journal)).unwrap();
    let cell = journal.clone();
    drop(runtime);
    assert!(matches!(one.ended(), Some(Ended::RuntimeGone)));
    assert_eq!(cell.take().last().unwrap(), "one drop", "nothing keeps the instance");
}

/// S39: the first spawn fixes the strategy of the guardian, whether or not one was set before: afterwards none can be.
#[tokio::test(start_paused = true)]
async fn the_guardians_strategy_cannot_be_set_after_a_spawn() {
    let one = probe("one", &Journal::default()).await.unwrap();
    assert_eq!(guardian::set(SupervisorStrategy::default()), Err(guardian::AlreadySet));
    assert!(one.is_alive());
}
