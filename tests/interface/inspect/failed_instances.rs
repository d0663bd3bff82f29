//! Instances of sets that have ended by a failure, as they are shown afterwards: S42.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use serde_json::{json, to_value};
use supervise::TreeRef;
use supervise::error::{KeyedError, SpawnError};
use supervise::inspect::{Extent, FailedInstance, Health, Node, NoteKind};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle, soon};

supervisor! {
    struct Exchange(journal: Journal) {
        #![decider(
            Cause::Killed => Stop,
            Boom::Fatal => Stop,
            Boom::Planned => Stop,
            _ => Restart,
        )]
        #[limit(max_restarts = 2, within = 1min, on_limit = Stop)]
        #[max_children(20)]
        users: [String => Probe] = |name: String| Probe::start(name, journal).await?,
        #[lifecycle(Temporary)]
        jobs: [Probe] = || Probe::start("job", journal).await?,
        below: struct Floor {
            #[initial(["hall".to_owned()])]
            rooms: [String => Room] = |name: String| Room::tree(name, journal),
        },
        db: Probe = Probe::start("db", journal).await?,
        part: struct Part {
            #![decider(_ => Escalate)]
            kids: [String => Probe] = |name: String| Probe::start(name, journal).await?,
        },
    }

    struct Room(name: String, journal: Journal) {
        #![decider(Boom::Fatal => Escalate, _ => Restart)]
        lamp: Probe = Probe::start(format!("{name} lamp"), journal).await?,
    }
}

async fn exchange() -> Running<Exchange> {
    Exchange::start(Journal::default()).await.unwrap()
}

/// Spawns a user, and lets it end by a failure.
async fn lose(exchange: &Exchange, name: &str) {
    let user = soon(exchange.users.spawn(name.to_owned())).await.unwrap();
    fail(&user).await;
}

async fn fail(actor: &ActorRef<Probe>) {
    actor.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert!(soon(actor.terminated()).await.unwrap().failure().is_some());
}

fn failed(tree: &TreeRef, set: &str) -> Vec<FailedInstance> {
    let shown = tree.snapshot().find(set).unwrap().failed_instances.clone();
    let alone: Vec<Node> = tree.snapshot_of(set, Extent::Declared).map(|part| part.root).into_iter().collect();
    assert_eq!(alone[0].failed_instances.len(), shown.len());
    shown
}

fn names(tree: &TreeRef, set: &str) -> Vec<String> {
    failed(tree, set).into_iter().map(|gone| gone.name).collect()
}

/// S42: an instance that was decided Stop, an instance at its limit and a `Temporary` instance that fails are gone, and
/// the set shows them with their failures and the times of their ends. The key is free.
#[tokio::test(start_paused = true)]
async fn a_set_shows_the_instances_that_have_ended_by_a_failure() {
    let exchange = exchange().await;
    assert_eq!(names(&exchange, "users"), [""; 0]);
    let begun = Instant::now();

    pass(secs(10)).await;
    lose(&exchange, "alice").await;
    pass(secs(10)).await;
    let bob = exchange.users.spawn("bob/b".to_owned()).await.unwrap();
    for _ in 0..2 {
        bob.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(1)).await;
        assert_eq!(names(&exchange, "users"), ["alice"], "restarted, and not gone");
    }
    bob.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(bob.terminated()).await, Ok(Ended::Limit(_))));

    let users = failed(&exchange, "users");
    assert_eq!(users[0].to_string(), "users/alice failed while running: Fatal");
    assert_eq!((users[0].at - begun, users[0].since_start()), (secs(10), secs(10)));
    let text =
        "users/bob%2Fb failed while running: restarted too often (last: users/bob%2Fb failed while running: Told)";
    assert_eq!((&*users[1].path, &*users[1].name, users[1].to_string()), ("users/bob%2Fb", "bob%2Fb", text.to_owned()));
    assert_eq!(users[1].since_start(), secs(22));
    assert_eq!(users[1].failure.incarnation(), 3);
    assert!((exchange.users.keys(), exchange.users.len()) == (Vec::new(), 0));

    fail(&exchange.jobs.spawn().await.unwrap()).await;
    let job = exchange.jobs.spawn().await.unwrap();
    job.tell(Do::Fail(Boom::Told)).await.unwrap(); // would be a restart
    soon(job.terminated()).await.unwrap();
    assert_eq!(names(&exchange, "jobs"), ["#1", "#2"]);

    // A tree that is an instance is gone with the failure of a child in it.
    let room = exchange.below.rooms.spawn("attic".to_owned()).await.unwrap();
    room.lamp.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    // The set has the default decider for a tree that fails: a restart, up to the limit.
    while exchange.below.rooms.get("attic").is_some() {
        pass(ms(100)).await;
        if let Some(room) = exchange.below.rooms.get("attic") {
            let _ = room.lamp.tell(Do::Fail(Boom::Fatal)).await;
        }
    }
    let rooms = failed(&exchange, "below/rooms");
    assert_eq!((rooms.len(), &*rooms[0].path), (1, "below/rooms/attic"));
    assert!(rooms[0].failure.to_string().contains("below/rooms/attic/lamp failed"), "{}", rooms[0]);
}

/// S42: an instance that was stopped or killed, that ends by itself, that goes down with the set, or that fails while it goes
/// down on request has not ended by a failure.
#[tokio::test(start_paused = true)]
async fn an_end_that_was_asked_for_is_no_end_by_a_failure() {
    let journal = Journal::default();
    let exchange = Exchange::start(journal.clone()).await.unwrap();
    let spawn = async |name: &str| exchange.users.spawn(name.to_owned()).await.unwrap();
    let (stopped, killed, drained) = (spawn("stopped").await, spawn("killed").await, spawn("drained").await);
    stopped.stop();
    killed.kill();
    drained.drain();
    journal.plan("fails post_stop", 1, Fault::Error);
    let fails = spawn("fails").await;
    fails.stop();
    let done = exchange.jobs.spawn().await.unwrap();
    done.tell(Do::Stop).await.unwrap();
    for handle in [&stopped, &killed, &drained, &fails, &done] {
        soon(handle.terminated()).await.unwrap();
    }
    let _with_the_set = spawn("with the set").await;
    exchange.users.tree().stop();
    soon(exchange.users.tree().join()).await.unwrap();
    assert_eq!([names(&exchange, "users"), names(&exchange, "jobs")], [[""; 0]; 2]);
}

/// S42: a spawn that never came up is among them, whether or not somebody waited for it.
#[tokio::test(start_paused = true)]
async fn an_instance_that_could_not_start_is_shown() {
    let journal = Journal::default();
    let exchange = Exchange::start(journal.clone()).await.unwrap();
    journal.plan("zoe start", 1, Fault::Error);
    let error = exchange.users.spawn("zoe".to_owned()).await.unwrap_err();
    assert!(matches!(error, KeyedError::Spawn(SpawnError::Start(_))), "{error}");
    assert_eq!(failed(&exchange, "users")[0].failure.phase(), Phase::Start);
}

/// S42: a set keeps the last 16, and drops the oldest first.
#[tokio::test(start_paused = true)]
async fn the_seventeenth_pushes_the_first_out() {
    let exchange = exchange().await;
    for number in 1..=17 {
        lose(&exchange, &number.to_string()).await;
    }
    let kept: Vec<String> = (2..=17).map(|number| number.to_string()).collect();
    assert_eq!(names(&exchange, "users"), kept);
}

/// S42: a key that is spawned again takes its old end out: by a spawn, by `get_or_spawn`, by `replace`. A spawn that is
/// refused does not. A key that fails again is shown once, as the last.
#[tokio::test(start_paused = true)]
async fn a_key_that_is_spawned_again_is_no_longer_shown() {
    let exchange = exchange().await;
    for name in ["a", "b", "c", "d", "e"] {
        lose(&exchange, name).await;
    }
    let held: Vec<_> = {
        let mut held = Vec::new();
        for number in 0..20 {
            held.push(exchange.users.spawn(number.to_string()).await.unwrap());
        }
        held
    };
    let full = exchange.users.spawn("a".to_owned()).await.unwrap_err();
    assert!(matches!(full, KeyedError::Spawn(SpawnError::MaxChildren { .. })));
    assert_eq!(names(&exchange, "users"), ["a", "b", "c", "d", "e"]);
    exchange.users.stop_all();
    for user in &held {
        soon(user.terminated()).await.unwrap();
    }
    exchange.users.spawn("a".to_owned()).await.unwrap();
    exchange.users.get_or_spawn("b".to_owned()).await.unwrap();
    exchange.users.replace("c".to_owned()).await.unwrap();
    assert_eq!(names(&exchange, "users"), ["d", "e"]);
    lose(&exchange, "d").await;
    assert_eq!(names(&exchange, "users"), ["e", "d"]);

    // An instance that replaces another takes the end of its predecessor out, too.
    let c = exchange.users.get("c").unwrap();
    c.tell(Do::Work(secs(1))).await.unwrap();
    c.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    soon(exchange.users.replace("c".to_owned())).await.unwrap();
    assert_eq!(names(&exchange, "users"), ["e", "d"]);
    assert_eq!(exchange.users.keys(), ["a", "b", "c"]);
}

/// S42: they remain over a restart of the set, as its last failure does, but for those of `initial`, which are spawned
/// again. Numbers go on, so none of them is shown for another one.
#[tokio::test(start_paused = true)]
async fn failed_instances_outlive_a_restart_of_their_set() {
    let journal = Journal::default();
    let exchange = Exchange::start(journal.clone()).await.unwrap();
    lose(&exchange, "alice").await;
    fail(&exchange.jobs.spawn().await.unwrap()).await;
    journal.plan("hall lamp start", 100_000, Fault::Error);
    let room = exchange.below.rooms.get("hall").unwrap();
    room.lamp.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(60)).await;
    assert_eq!(names(&exchange, "below/rooms"), ["hall"]);
    journal.plan("hall lamp start", 0, Fault::Error);

    for set in [exchange.users.tree(), exchange.jobs.tree(), exchange.below.rooms.tree()] {
        soon(set.restart().unwrap()).await.unwrap();
    }
    pass(secs(1)).await;
    assert_eq!(names(&exchange, "users"), ["alice"]);
    assert_eq!(names(&exchange, "jobs"), ["#1"]);
    assert_eq!(names(&exchange, "below/rooms"), [""; 0], "it is up again");
    fail(&exchange.jobs.spawn().await.unwrap()).await;
    assert_eq!(names(&exchange, "jobs"), ["#1", "#2"]);

    // An instance whose failure takes the set down ends with it; the failure is that of the set.
    let eve = exchange.part.kids.spawn("eve".to_owned()).await.unwrap();
    eve.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(60)).await;
    assert!(exchange.part.incarnation() == 2 && exchange.part.kids.is_empty());
    assert_eq!(names(&exchange, "part/kids"), [""; 0]);
    let kids = exchange.snapshot().find("part/kids").unwrap().last_failure.clone().unwrap();
    assert_eq!(kids.path(), "part/kids/eve");
}

/// S42: an instance that has given up is a note and no symptom: the tree stays healthy, and what an orchestrator asks says
/// so. A single child that ends in this way is a symptom.
#[tokio::test(start_paused = true)]
async fn a_failed_instance_is_a_note_and_no_symptom() {
    let exchange = exchange().await;
    assert_eq!((exchange.health().to_string(), exchange.health().notes().len()), ("healthy".to_owned(), 0));
    pass(ms(500)).await;
    lose(&exchange, "alice").await;
    let of_part = |path: &str, extent| exchange.health_of(path, extent).unwrap();
    let one = "users has lost an instance: users/alice failed while running: Fatal";
    for health in [
        exchange.health(),
        exchange.snapshot().health(),
        of_part("Exchange", Extent::Declared),
        of_part("users", Extent::Everything),
        of_part("users", Extent::Declared),
    ] {
        assert!(health.is_healthy());
        assert_eq!(health.to_string(), format!("healthy; {one}"));
        let [note] = health.notes() else { panic!("{health}") };
        assert_eq!((&*note.path, note.to_string()), ("users", one.to_owned()));
        let NoteKind::FailedInstances(instances) = &note.kind else { panic!("{note}") };
        assert_eq!(instances[0].name, "alice");
    }
    assert!(of_part("below", Extent::Everything).notes().is_empty());

    // Failed instances are notes beside the symptoms.
    exchange.db.kill();
    soon(exchange.db.terminated()).await.unwrap();
    lose(&exchange, "bob").await;
    let health: Health = exchange.health();
    let two = "users has lost 2 instances, the last: users/bob failed while running: Fatal";
    assert_eq!(health.to_string(), format!("degraded: db has ended: killed; {two}"));

    let drawn = exchange.snapshot().render();
    let line = drawn.lines().find(|line| line.contains("users")).unwrap();
    let note = "2 failed instances, the last: users/bob failed while running: Fatal, 0ns ago";
    assert!(line.ends_with(note), "{line}");

    let gone = |name: &str, at: u64| {
        let path = format!("users/{name}");
        let failure =
            json!({ "path": path, "incarnation": 1, "phase": "running", "cause": "error", "chain": ["Fatal"] });
        json!({ "path": path, "name": name, "at_ms": at, "failure": failure })
    };
    let both = json!([gone("alice", 500), gone("bob", 500)]);
    let value = to_value(&health).unwrap();
    assert_eq!(value["notes"], json!([{ "path": "users", "note": "failed_instances", "failed_instances": both }]));
    let snapshot = to_value(exchange.snapshot()).unwrap();
    assert_eq!(snapshot["root"]["children"][0]["failed_instances"], both);
    assert!(snapshot["root"]["children"][1].get("failed_instances").is_none());
    assert!(to_value(exchange.health_of("below", Extent::Everything)).unwrap().get("notes").is_none());
}

/// An error that looks at the tree when it is dropped.
#[derive(thiserror::Error)]
#[error("counted")]
struct Counted {
    tree: TreeRef,
    dropped: Arc<AtomicU32>,
}

impl std::fmt::Debug for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Counted")
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let _ = (self.tree.snapshot(), self.tree.health().to_string());
        self.dropped.fetch_add(1, SeqCst);
    }
}

struct Job;

#[actor]
impl Job {
    fn handle(&mut self, error: Counted) -> Result<(), Counted> {
        Err(error)
    }
}

supervisor! {
    struct Works {
        #[lifecycle(Temporary)]
        jobs: [Job] = || Job,
        other: Job = Job,
    }
}

/// S42: errors that are pushed out are dropped, without a lock, and the last 16 with the tree.
#[tokio::test(start_paused = true)]
async fn errors_that_are_pushed_out_are_dropped_outside_of_the_lock() {
    let works = Works::start().await.unwrap();
    let (tree, dropped) = (TreeRef::clone(&works), Arc::new(AtomicU32::new(0)));
    for number in 1..=2000 {
        let job = works.jobs.spawn().await.unwrap();
        job.tell(Counted { tree: tree.clone(), dropped: dropped.clone() }).await.unwrap();
        soon(job.terminated()).await.unwrap();
        drop(job);
        settle().await;
        assert!(dropped.load(SeqCst) + 17 >= number, "{number}: {} were dropped", dropped.load(SeqCst));
    }
    assert_eq!(names(&tree, "jobs").first().map(String::as_str), Some("#1985"));
    works.shutdown().await;
    assert_eq!(dropped.load(SeqCst), 2000);
}
