//! `[T]`: any number of children of one declaration: S27.

use std::time::Duration;

use supervise::error::{KeyedError, SpawnError};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle, soon};

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Boom::Fatal => Escalate, _ => Restart)]
        first: Probe = Probe::start("first", journal).await?,
        #[limit(max_restarts = 1, within = 1min)]
        #[max_children(3)]
        guests: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Patient(journal: Journal) {
        #[backoff(1s..8s, random_factor = 0)]
        #[max_children(1)]
        guests: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
    }

    struct Group(journal: Journal) {
        #![strategy(AllForOne)]
        first: Probe = Probe::start("first", journal).await?,
        guests: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Timed(journal: Journal) {
        before: Probe = Probe::start("before", journal).await?,
        #[lifecycle(Transient, shutdown = 3s)]
        guests: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
    }

    struct Restarting(journal: Journal) {
        #![decider(Boom::Fatal => Restart, _ => Restart)]
        #[decider(Boom::Fatal => Escalate)]
        guests: [Probe] = |n: u32| guest(n, journal).await?,
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Resuming(journal: Journal) {
        #![decider(Boom::Fatal => Resume, _ => Restart)]
        #[decider(Boom::Fatal => Escalate)]
        guests: [Probe] = |n: u32| guest(n, journal).await?,
    }
}

/// Fails for the thirteenth guest.
async fn guest(n: u32, journal: Journal) -> Result<Probe, Boom> {
    if n == 13 { Err(Boom::Fatal) } else { Probe::start(format!("g{n}"), journal).await }
}

/// S27: the path counts spawns; a number is never used again.
#[tokio::test(start_paused = true)]
async fn paths_count_the_spawns() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let one = tree.guests.spawn(7).await.unwrap();
    let two = tree.guests.spawn(7).await.unwrap();
    assert_eq!([one.path(), two.path()], ["guests/#1", "guests/#2"]);
    one.stop();
    one.terminated().await.unwrap();
    assert_eq!(tree.guests.spawn(7).await.unwrap().path(), "guests/#3");
    assert_eq!(tree.guests.len(), 2);
}

/// S27: OneForOne among the instances, each with its own budget; at the limit the default is `Stop`.
#[tokio::test(start_paused = true)]
async fn each_instance_has_its_own_budget_and_ends_alone() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    let one = tree.guests.spawn(1).await.unwrap();
    let two = tree.guests.spawn(2).await.unwrap();
    one.tell(Do::Add(5)).await.unwrap();
    two.tell(Do::Fail(Boom::Told)).await.unwrap();
    two.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(two.terminated().await.unwrap(), Ended::Limit(_)));
    assert_eq!(one.ask(Do::Get).await.unwrap(), 5, "untouched");
    one.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(one.ask(Do::Incarnation).await.unwrap(), 2, "the other instance's budget is not used up");
    assert_eq!([tree.first.incarnation(), tree.last.incarnation()], [1, 1]);
    let lines = seen(&mut events);
    assert!(lines.contains(&"guests/#2 limit".into()) && lines.contains(&"guests/#2 ended Limit".into()), "{lines:?}");
}

/// S27: an instance is restarted with the arguments of its spawn.
#[tokio::test(start_paused = true)]
async fn a_restart_uses_the_arguments_of_the_spawn() {
    let journal = Journal::default();
    let tree = Shop::start(journal.clone()).await.unwrap();
    let one = tree.guests.spawn(41).await.unwrap();
    journal.take();
    one.tell(Do::Fail(Boom::Told)).await.unwrap();
    one.ask(Do::Get).await.unwrap();
    assert_eq!(
        journal.take(),
        ["g41 pre_restart", "g41 post_stop", "g41 drop", "g41 start", "g41 pre_start", "g41 post_restart"]
    );
}

/// S27, S23: instances are `Transient` by default: one that stops itself stays ended.
#[tokio::test(start_paused = true)]
async fn an_instance_that_stops_itself_is_not_restarted() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let one = tree.guests.spawn(1).await.unwrap();
    one.tell(Do::Stop).await.unwrap();
    assert!(matches!(one.terminated().await.unwrap(), Ended::Done));
    pass(secs(60)).await;
    assert!(tree.guests.is_empty());
}

/// S27: an Escalate makes the set fail; the tree decides as on a `Permanent` member. The restart of the set ends the
/// instances, each with an event. Siblings are untouched, and the same handle spawns again.
#[tokio::test(start_paused = true)]
async fn an_escalation_fails_the_set_and_its_restart_loses_the_instances() {
    let tree = Restarting::start(Journal::default()).await.unwrap();
    let guests = tree.guests.clone();
    let one = guests.spawn(1).await.unwrap();
    let two = guests.spawn(2).await.unwrap();
    let mut events = tree.events();
    one.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    two.terminated().await.unwrap();
    settle().await;
    assert_eq!(
        seen(&mut events),
        [
            "guests/#1 failed",
            "guests/#1 decided Escalate",
            "guests escalated",
            "guests failed",
            "guests decided Restart",
            "guests restart in 0ns",
            "guests/#1 ended Stopped",
            "guests/#2 stopping FailedAbove",
            "guests/#2 ended Stopped",
            "guests restarted",
        ]
    );
    assert!(guests.is_empty());
    assert_eq!(tree.last.incarnation(), 1);
    assert_eq!(guests.spawn(3).await.unwrap().path(), "guests/#3");
}

/// S27: a set is restarted with its group: the instances end, and the handle stays the same.
#[tokio::test(start_paused = true)]
async fn a_restart_of_the_group_ends_the_instances() {
    let journal = Journal::default();
    let tree = Group::start(journal.clone()).await.unwrap();
    let guests = tree.guests.clone();
    let one = guests.spawn(1).await.unwrap();
    let two = guests.spawn(2).await.unwrap();
    let mut events = tree.events();
    tree.last.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(one.terminated().await.unwrap(), Ended::Stopped));
    assert!(matches!(two.terminated().await.unwrap(), Ended::Stopped));
    settle().await;
    let lines = seen(&mut events);
    for line in ["guests/#1 ended Stopped", "guests/#2 ended Stopped"] {
        assert!(lines.contains(&line.into()), "{lines:?}");
    }
    assert!(guests.is_empty());
    assert_eq!(guests.spawn(3).await.unwrap().path(), "guests/#3");
}

/// S27: a spawn that arrives while the set is down with its group waits, and is served once the set is up again.
#[tokio::test(start_paused = true)]
async fn a_spawn_waits_while_the_set_is_not_up() {
    let journal = Journal::default();
    let tree = Group::start(journal.clone()).await.unwrap();
    journal.plan("first post_stop", 1, Fault::Slow(secs(2)));
    tree.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    let begin = Instant::now();
    let one = tree.guests.spawn(1).await.unwrap();
    assert_eq!(begin.elapsed(), secs(2));
    assert_eq!(one.ask(Do::Get).await.unwrap(), 0);
    settle().await;
    let lines = journal.take();
    let up = lines.iter().position(|line| line == "first post_restart");
    let spawned = lines.iter().position(|line| line == "g1 start");
    assert!(up.is_some() && spawned > up, "{lines:?}");
}

/// S27: a first start that is decided Stop makes the waiting spawn fail at once, and ends that child only.
#[tokio::test(start_paused = true)]
async fn a_first_start_that_is_not_retried_fails_the_spawn() {
    let journal = Journal::default();
    let tree = Timed::start(journal.clone()).await.unwrap();
    let one = tree.guests.spawn(1).await.unwrap();
    journal.plan("g2 pre_start", 1, Fault::Error);
    let Err(SpawnError::Start(failure)) = tree.guests.spawn(2).await else { panic!("the spawn succeeded") };
    assert_eq!(failure.path(), "guests/#2");
    assert_eq!(failure.phase(), Phase::Start);
    assert_eq!(failure.error(), Some(&Boom::Planned));
    assert_eq!(tree.guests.len(), 1);
    assert_eq!(one.ask(Do::Incarnation).await.unwrap(), 1);
}

/// S27: a start that is retried keeps the spawn waiting; `max_children` counts it meanwhile.
#[tokio::test(start_paused = true)]
async fn a_start_that_is_retried_keeps_the_spawn_waiting() {
    let journal = Journal::default();
    let tree = Patient::start(journal.clone()).await.unwrap();
    journal.plan("g1 start", 2, Fault::Error);
    let begin = Instant::now();
    let (one, ()) = tokio::join!(tree.guests.spawn(1), async {
        settle().await;
        let full = tree.guests.spawn(2).await;
        assert!(matches!(full, Err(SpawnError::MaxChildren { most: 1, .. })), "{full:?}");
    });
    assert_eq!(begin.elapsed(), secs(3), "1 s and 2 s");
    assert_eq!(one.unwrap().path(), "guests/#1");
}

/// S27: `max_children` counts all instances that have not ended, also those that are going down.
#[tokio::test(start_paused = true)]
async fn the_most_children_are_those_that_have_not_ended() {
    let journal = Journal::default();
    let tree = Shop::start(journal.clone()).await.unwrap();
    let mut all = Vec::new();
    for n in 0..3 {
        all.push(tree.guests.spawn(n).await.unwrap());
    }
    journal.plan("g0 post_stop", 1, Fault::Slow(secs(1)));
    all[0].stop();
    settle().await;
    let full = tree.guests.spawn(9).await;
    assert!(matches!(full, Err(SpawnError::MaxChildren { most: 3, .. })), "the instance is still stopping: {full:?}");
    all[0].terminated().await.unwrap();
    tree.guests.spawn(9).await.unwrap();
}

/// S27: a start is taken back when the caller that waits for it drops the future.
#[tokio::test(start_paused = true)]
async fn a_dropped_spawn_takes_the_start_back() {
    let journal = Journal::default();
    let tree = Shop::start(journal.clone()).await.unwrap();
    journal.take();
    journal.plan("g1 start", 1, Fault::Slow(secs(10)));
    let late = tokio::time::timeout(secs(1), tree.guests.spawn(1)).await;
    assert!(late.is_err());
    settle().await;
    assert!(tree.guests.is_empty());
    pass(secs(60)).await;
    assert_eq!(journal.take(), ["g1 start"], "the start stops halfway: no pre_start, and no instance to drop");
}

/// S27, S24: instances stop all at once under one deadline, after the later siblings and before the earlier ones.
#[tokio::test(start_paused = true)]
async fn instances_stop_all_at_once_under_one_deadline() {
    let journal = Journal::default();
    let tree = Timed::start(journal.clone()).await.unwrap();
    for n in 1..=4 {
        tree.guests.spawn(n).await.unwrap();
        journal.plan(&format!("g{n} post_stop"), 1, Fault::Slow(secs(u64::from(n))));
    }
    journal.take();
    let begin = Instant::now();
    let report = tree.shutdown().await;
    assert_eq!(begin.elapsed(), secs(3), "the times do not add up, and the fourth instance is aborted at 3 s");
    let took: Vec<(&str, Duration, bool)> =
        report.children.iter().map(|child| (&*child.path, child.took, child.aborted)).collect();
    assert_eq!(took[..2], [("guests/#1", secs(1), false), ("guests/#2", secs(2), false)]);
    assert!(took.contains(&("guests/#4", secs(3), true)), "{took:?}");
    let lines = journal.take();
    assert_eq!(lines[lines.len() - 2..], ["before post_stop", "before drop"]);
}

/// S27: a spawn fails with `Stopping` while its set goes down with the tree, and with `Stopped` after the end.
#[tokio::test(start_paused = true)]
async fn a_set_that_stops_takes_no_more() {
    let journal = Journal::default();
    let tree = Timed::start(journal.clone()).await.unwrap();
    let guests = tree.guests.clone();
    guests.spawn(1).await.unwrap();
    journal.plan("g1 post_stop", 1, Fault::Slow(secs(1)));
    let down = tree.shutdown();
    settle().await;
    assert!(matches!(guests.spawn(2).await, Err(SpawnError::Stopping { .. })));
    down.await;
    let ended = guests.spawn(3).await;
    assert!(matches!(ended, Err(SpawnError::Stopped { .. })), "{ended:?}");
}

/// S27: a stop of the set absorbs a start in progress: the spawn that waits for it fails with `Stopping`.
#[tokio::test(start_paused = true)]
async fn a_stop_absorbs_a_spawn_in_progress() {
    let journal = Journal::default();
    let tree = Timed::start(journal.clone()).await.unwrap();
    journal.plan("g1 start", 1, Fault::Slow(secs(60)));
    let begin = Instant::now();
    let spawn = tree.guests.spawn(1);
    let (spawned, _) = tokio::join!(spawn, async {
        tokio::time::sleep(ms(10)).await;
        tree.handle().shutdown().await
    });
    assert!(matches!(spawned, Err(SpawnError::Stopping { .. })), "{spawned:?}");
    assert_eq!(begin.elapsed(), ms(10));
}

/// S27: a first start that is decided Escalate makes the spawn fail at once, and then the set. After a Resume by the
/// parent, the set continues without that child.
#[tokio::test(start_paused = true)]
async fn an_escalated_first_start_fails_the_set_and_a_resume_goes_on_without_it() {
    let tree = Resuming::start(Journal::default()).await.unwrap();
    let guests = &tree.guests;
    let one = guests.spawn(1).await.unwrap();
    let mut events = tree.events();
    let Err(SpawnError::Start(failure)) = guests.spawn(13).await else { panic!("the spawn succeeded") };
    assert_eq!(failure.error(), Some(&Boom::Fatal));
    settle().await;
    assert_eq!(
        seen(&mut events),
        [
            "guests/#2 failed",
            "guests/#2 decided Escalate",
            "guests/#2 ended Failed",
            "guests escalated",
            "guests failed",
            "guests decided Resume",
        ]
    );
    assert_eq!(guests.len(), 1);
    assert_eq!(one.ask(Do::Incarnation).await.unwrap(), 1, "resumed, not restarted");
    guests.spawn(3).await.unwrap();
}

/// S27: an instance that escalates is resumed with the set.
#[tokio::test(start_paused = true)]
async fn a_resumed_set_resumes_the_instance_that_escalated() {
    let tree = Resuming::start(Journal::default()).await.unwrap();
    let one = tree.guests.spawn(1).await.unwrap();
    one.tell(Do::Add(5)).await.unwrap();
    one.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert_eq!(one.ask(Do::Get).await.unwrap(), 5, "the instance keeps its state");
    assert_eq!(one.incarnation(), 1);
}

/// S21, S27: the first start of the tree continues at once while an initial instance waits for its declared backoff,
/// whoever has decided on the restart. The start fails after the set is up, so that only the decision lets it continue.
#[tokio::test(start_paused = true)]
async fn the_first_start_goes_on_after_an_instance_that_backs_off() {
    async fn slow(n: u32, journal: Journal) -> Result<Probe, Boom> {
        tokio::time::sleep(secs(1)).await;
        Probe::start(format!("g{n}"), journal).await
    }
    supervisor! {
        struct Initial(journal: Journal) {
            #[backoff(10s..20s, random_factor = 0)]
            #[initial([1])]
            guests: [Probe] = |n: u32| slow(n, journal).await?,
        }
    }
    supervisor! {
        struct Decided(journal: Journal) {
            #[backoff(10s..20s, random_factor = 0)]
            #[decider(_ => Restart)]
            #[initial([1])]
            guests: [Probe] = |n: u32| slow(n, journal).await?,
        }
    }
    let plan = || {
        let journal = Journal::default();
        journal.plan("g1 start", 1, Fault::Error);
        journal
    };
    let begin = Instant::now();
    let tree = Initial::start(plan()).await.unwrap();
    assert_eq!(begin.elapsed(), secs(1));
    assert!(tree.ready().await);
    assert_eq!(begin.elapsed(), secs(12));
    let begin = Instant::now();
    let tree = Decided::start(plan()).await.unwrap();
    assert_eq!(begin.elapsed(), secs(1));
    assert!(tree.ready().await);
    assert_eq!(begin.elapsed(), secs(12));
}

supervisor! {
    struct Hasty(journal: Journal) {
        #[backoff(1s..1s, random_factor = 0)]
        #[limit(max_restarts = 2, within = 1min)]
        many: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        #[backoff(1s..1s, random_factor = 0)]
        #[limit(max_restarts = 2, within = 1min)]
        keyed: [&'static str => Probe] = |name: &'static str| Probe::start(name, journal).await?,
        host: Host = Host(journal),
    }
}

/// Spawns a child with the same settings.
struct Host(Journal);

#[actor]
impl Host {
    async fn handle(&mut self, reply: Reply<Result<ActorRef<Probe>, SpawnError>>, cx: &mut Context<Self>) {
        let journal = self.0.clone();
        reply.send(
            cx.spawn(child! {
                #[backoff(1s..1s, random_factor = 0)]
                #[limit(max_restarts = 2, within = 1min)]
                "one": Probe = Probe::start("one", journal).await?
            })
            .await,
        );
    }
}

/// S27, S38, S39: a first start that is retried until its limit fails the spawn that waits for it, with the last failure,
/// and is not started again: in both kinds of sets, below an actor, and at the top level.
#[tokio::test(start_paused = true)]
async fn a_first_start_at_its_limit_is_the_error_of_the_spawn() {
    let journal = Journal::default();
    let tree = Hasty::start(journal.clone()).await.unwrap();
    for by in ["spawn", "spawn by key", "get_or_spawn", "actor", "top level"] {
        journal.take();
        journal.plan("one start", 20, Fault::Error);
        let before = Instant::now();
        let again = journal.clone();
        let refused = match by {
            "spawn" => soon(tree.many.spawn("one")).await.unwrap_err(),
            "spawn by key" => match soon(tree.keyed.spawn("one")).await.unwrap_err() {
                KeyedError::Spawn(error) => error,
                error => panic!("{error}"),
            },
            "get_or_spawn" => soon(tree.keyed.get_or_spawn("one")).await.unwrap_err(),
            "actor" => tree.host.ask(|reply| reply).forever().await.unwrap().unwrap_err(),
            _ => soon(spawn(child! {
                #[backoff(1s..1s, random_factor = 0)]
                #[limit(max_restarts = 2, within = 1min)]
                "one": Probe = Probe::start("one", again).await?
            }))
            .await
            .unwrap_err(),
        };
        let SpawnError::Start(failure) = refused else { panic!("{by}: {refused}") };
        assert_eq!(failure.find::<Boom>(), Some(&Boom::Planned), "{by}: {failure}");
        assert_eq!((before.elapsed(), journal.take()), (secs(2), vec!["one start".to_owned(); 3]), "{by}");
    }
    assert!(tree.many.is_empty() && tree.keyed.is_empty());
}
