//! Children with a runtime of their own, `#[runtime(handle)]`: S25.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::thread;

use supervise::ChildRef;
use supervise::error::{CommandError, InvalidSettings, SpawnError, StartingError};
use supervise::inspect::EndedKind;
use supervise::prelude::*;
use supervise::testing;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{oneshot, watch};
use tokio::task::yield_now;

use crate::common::{Boom, Journal, comes_back, seen};

/// Says on which thread it runs.
struct Where {
    journal: Journal,
}

#[derive(Debug)]
enum Ask {
    Thread(Reply<String>),
    Fail,
}

fn thread_name() -> String {
    thread::current().name().unwrap_or_default().to_owned()
}

#[actor]
impl Where {
    fn handle(&mut self, ask: Ask) -> Result<(), Boom> {
        match ask {
            Ask::Thread(reply) => reply.send(thread_name()),
            Ask::Fail => return Err(Boom::Told),
        }
        Ok(())
    }

    #[post_stop]
    fn close(&mut self) {
        self.journal.write(format!("closed on {}", thread_name()));
    }
}

impl Where {
    fn start(journal: Journal) -> Where {
        journal.write(format!("starts on {}", thread_name()));
        Where { journal }
    }
}

/// Gives the futures of spawns to its caller, who may await them on another runtime. One is made inside the runtime of
/// the message, and one on a thread without a runtime.
struct Spawner(Journal);

struct Spawns(Handle, Reply<[Spawning; 3]>);

type Spawning = Pin<Box<dyn Future<Output = Result<ActorRef<Where>, SpawnError>> + Send>>;

#[actor]
impl Spawner {
    fn handle(&mut self, Spawns(other, reply): Spawns, cx: &mut Context<Self>) {
        let journal = self.0.clone();
        let mut spawn = |name: &'static str| -> Spawning {
            let journal = journal.clone();
            Box::pin(cx.spawn(child! { name: Where = Where::start(journal) }))
        };
        let here = spawn("here");
        let inside = {
            let _inside = other.enter();
            spawn("inside")
        };
        let outside = thread::scope(|scope| scope.spawn(|| spawn("outside")).join().unwrap());
        reply.send([here, inside, outside]);
    }
}

supervisor! {
    struct Shop(heavy: Handle, light: Handle, journal: Journal) {
        here: Where = Where::start(journal),
        #[runtime(heavy)]
        there: Where = Where::start(journal),
        #[runtime(heavy.clone())]
        #[lifecycle(Permanent)]
        below: struct Below {
            inner: Where = Where::start(journal),
            #[runtime(light)]
            other: Where = Where::start(journal),
            inner_set: [Where] = || Where::start(journal),
        },
        #[runtime(heavy)]
        set: [Where] = || Where::start(journal),
        #[runtime(heavy)]
        keyed: [u32 => Where] = |_key: u32| Where::start(journal),
        #[runtime(heavy)]
        #[lifecycle(Permanent)]
        task: task = |cx| wait(cx, journal),
        #[runtime(heavy)]
        row: [Where; 1] = |_i: usize| Where::start(journal),
    }

    struct Group(heavy: Handle, journal: Journal) {
        #![strategy(AllForOne)]
        before: Where = Where::start(journal),
        #[runtime(heavy)]
        there: Where = Where::start(journal),
        after: Where = Where::start(journal),
    }

    struct Upper(heavy: Handle, journal: Journal) {
        below: struct Lower {
            #[runtime(heavy)]
            once: task = |_cx| async {},
            #[decider(_ => Escalate)]
            here: Where = Where::start(journal),
        },
    }

    struct Waits(heavy: Handle, journal: Journal) {
        #[lifecycle(Permanent, shutdown = 2s)]
        below: struct Above {
            #[runtime(heavy.clone())]
            #[lifecycle(Permanent, shutdown = 1s)]
            there: Where = Where::start(journal),
            #[runtime(heavy.clone())]
            #[lifecycle(Permanent, shutdown = 1s)]
            boss: Boss = Boss(heavy, journal),
        },
    }

    struct Plain(journal: Journal) {
        set: [Where] = || Where::start(journal),
        keyed: [u32 => Where] = |_key: u32| Where::start(journal),
        boss: Spawner = Spawner(journal),
    }

    struct Decided(heavy: Handle, journal: Journal, held: Arc<()>) {
        #![strategy(AllForOne)]
        first: Where = Where::start(journal),
        inner: struct DecidedInner {
            #![decider(move |_: &Failure| decides(&held))]
            #[runtime(heavy)]
            set: [Where] = || Where::start(journal),
            other: Where = Where::start(journal),
        },
    }

    struct One(runtime: Handle, journal: Journal) {
        #[runtime(runtime)]
        there: Where = Where::start(journal),
    }
}

fn decides(_held: &Arc<()>) -> Directive {
    Directive::Restart
}

async fn wait(cx: TaskContext, journal: Journal) {
    journal.write(format!("task on {}", thread_name()));
    cx.stopped().await;
}

fn runtime(name: &str) -> Runtime {
    Builder::new_multi_thread().worker_threads(1).thread_name(name).enable_all().build().unwrap()
}

fn current() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

async fn thread_of(child: &ActorRef<Where>) -> String {
    child.ask(Ask::Thread).forever().await.unwrap()
}

/// S25: the child, and everything below it that does not say otherwise, runs on the declared runtime, also after a
/// restart; its start and its hooks, too.
#[test]
fn a_child_runs_on_its_runtime_with_all_below() {
    comes_back(|| {
        let (heavy, light, journal) = (runtime("heavy"), runtime("light"), Journal::default());
        let (handle, other) = (heavy.handle().clone(), light.handle().clone());
        current().block_on(async {
            let here = thread_name();
            let shop = Shop::start(handle, other, journal.clone()).await.unwrap();
            let lines = journal.take();
            assert_eq!(lines.iter().filter(|line| **line == format!("starts on {here}")).count(), 1, "{lines:?}");
            assert_eq!(thread_of(&shop.here).await, here);
            for child in [&shop.there, &shop.below.inner, &shop.row[0]] {
                assert_eq!(thread_of(child).await, "heavy", "{}", child.path());
            }
            assert_eq!(thread_of(&shop.below.other).await, "light");
            let instances = [
                shop.set.spawn().await.unwrap(),
                shop.keyed.spawn(7).await.unwrap(),
                shop.keyed.replace(7).await.unwrap(),
                shop.below.inner_set.spawn().await.unwrap(),
            ];
            for child in [&instances[0], &instances[2], &instances[3]] {
                assert_eq!(thread_of(child).await, "heavy", "{}", child.path());
            }
            assert!(journal.take().iter().all(|line| line.ends_with(" on heavy")));
            shop.there.tell(Ask::Fail).await.unwrap();
            assert_eq!((thread_of(&shop.there).await, shop.there.incarnation()), ("heavy".to_owned(), 2));
            assert_eq!(journal.take(), ["closed on heavy", "starts on heavy"]);
            let report = shop.shutdown().await;
            assert!(report.is_orderly(), "{report}");
            assert_eq!(journal.take().iter().filter(|line| **line == "closed on heavy").count(), 6);
        });
    });
}

/// S25: a child that is spawned by code on another runtime runs on the runtime of its supervisor, and lives on when the
/// other runtime goes.
#[test]
fn a_spawned_child_runs_where_its_supervisor_runs() {
    comes_back(|| {
        let (trees, journal) = (runtime("trees"), Journal::default());
        let start = Plain::start(journal);
        let plain = trees.block_on(async { tokio::spawn(start).await.unwrap().unwrap() });
        let other = current();
        let spawned = other.block_on(async {
            let spawns = plain.boss.ask(|reply| Spawns(Handle::current(), reply)).forever().await.unwrap();
            let mut all = vec![
                plain.set.spawn().await.unwrap(),
                plain.set.spawn().detached().await.unwrap(),
                plain.keyed.spawn(1).await.unwrap(),
                plain.keyed.get_or_spawn(2).await.unwrap(),
                plain.keyed.replace(1).await.unwrap(),
            ];
            for spawn in spawns {
                all.push(spawn.await.unwrap());
            }
            all
        });
        drop(other);
        trees.block_on(async {
            for (n, child) in spawned.iter().enumerate().filter(|(n, _)| *n != 2) {
                assert_eq!(thread_of(child).await, "trees", "{n}: {}", child.path());
                child.tell(Ask::Fail).await.unwrap();
                assert_eq!((thread_of(child).await, child.incarnation()), ("trees".to_owned(), 2), "{n}");
            }
            assert!(plain.shutdown().await.is_orderly());
        });
    });
}

/// S25: the same for the children of an actor at the top level, which runs where its own spawn was awaited.
#[test]
fn a_child_of_a_top_level_actor_runs_where_that_actor_runs() {
    comes_back(|| {
        let (top, journal) = (runtime("top"), Journal::default());
        let spawn = spawn(child! { "top spawner": Spawner = Spawner(journal) });
        let boss = top.block_on(async { tokio::spawn(spawn.into_future()).await.unwrap().unwrap() });
        let other = current();
        let spawned = other.block_on(async {
            let spawns = boss.ask(|reply| Spawns(Handle::current(), reply)).forever().await.unwrap();
            let mut all = Vec::new();
            for spawn in spawns {
                all.push(spawn.await.unwrap());
            }
            all
        });
        drop(other);
        top.block_on(async {
            for child in &spawned {
                assert_eq!(thread_of(child).await, "top", "{}", child.path());
            }
            assert!(boss.shutdown().await.unwrap().is_orderly());
        });
    });
}

/// S25, S30: a set whose runtime is gone takes no decider of a later run of its tree, so its handle keeps no value.
#[test]
fn a_set_that_is_gone_with_its_runtime_keeps_no_decider() {
    comes_back(|| {
        let (heavy, journal, held) = (runtime("heavy"), Journal::default(), Arc::new(()));
        let (handle, kept) = (heavy.handle().clone(), Arc::downgrade(&held));
        current().block_on(async {
            let tree = Decided::start(handle, journal, held).await.unwrap();
            heavy.shutdown_background();
            assert_eq!(tree.inner.set.tree().terminated().await.unwrap().kind(), EndedKind::RuntimeGone);
            tree.first.tell(Ask::Fail).await.unwrap();
            while tree.inner.other.incarnation() == 1 {
                // The first incarnation answers until it is asked to go down for the failure.
                thread_of(&tree.inner.other).await;
            }
            assert_eq!(tree.inner.other.incarnation(), 2);
            let set = tree.inner.set.clone();
            assert!(kept.upgrade().is_some());
            tree.shutdown().await;
            assert!(kept.upgrade().is_none(), "the handle of the set keeps what the decider has captured");
            drop(set);
        });
    });
}

/// S25: if the runtime of a child is dropped, the child has ended with it, with an event and a symptom; the others live
/// on, nothing starts the child again, and the tree still ends in order.
#[test]
fn a_child_ends_with_its_runtime() {
    comes_back(|| {
        let (heavy, journal) = (runtime("heavy"), Journal::default());
        let handle = heavy.handle().clone();
        current().block_on(async {
            let tree = Group::start(handle, journal.clone()).await.unwrap();
            let mut events = tree.events();
            assert!(tree.snapshot().health().is_healthy());
            heavy.shutdown_background();
            assert_eq!(tree.there.terminated().await.unwrap().kind(), EndedKind::RuntimeGone);
            while tree.before.incarnation() == 1 {
                tree.before.tell(Ask::Fail).await.unwrap(); // the range restarts without the child
                tree.before.ask(Ask::Thread).forever().await.unwrap();
            }
            thread_of(&tree.after).await;
            assert_eq!(tree.after.incarnation(), 2);
            assert_eq!(tree.there.start_again().unwrap_err(), CommandError::SupervisorEnded { path: "there".into() });
            let lines = seen(&mut events);
            assert_eq!(lines[0], "there ended RuntimeGone", "{lines:?}");
            assert!(
                !lines.iter().any(|line| line.starts_with("there") && line != "there ended RuntimeGone"),
                "{lines:?}"
            );
            assert!(tree.snapshot().health().to_string().contains("there"));
            let report = tree.shutdown().await;
            assert_eq!(report.ended.kind(), EndedKind::Stopped);
        });
    });
}

/// S25: a tree whose only child is gone with its runtime has no members left, and ends.
#[test]
fn a_tree_does_not_wait_for_a_child_that_is_gone() {
    comes_back(|| {
        let (heavy, journal) = (runtime("heavy"), Journal::default());
        let handle = heavy.handle().clone();
        current().block_on(async {
            let tree = One::start(handle, journal).await.unwrap();
            heavy.shutdown_background();
            assert_eq!(tree.join().await.ended.kind(), EndedKind::Done);
        });
        // A runtime that is gone before the start.
        let (heavy, journal) = (runtime("heavy"), Journal::default());
        let handle = heavy.handle().clone();
        drop(heavy);
        current().block_on(async {
            let tree = Group::start(handle, journal).await.unwrap();
            assert_eq!(tree.there.terminated().await.unwrap().kind(), EndedKind::RuntimeGone);
            assert!(tree.shutdown().await.is_orderly());
        });
    });
}

/// Drives a runtime on a thread until the test wants it back.
struct Driver {
    enough: oneshot::Sender<()>,
    thread: thread::JoinHandle<Runtime>,
}

impl Driver {
    fn begin(runtime: Runtime) -> Driver {
        let (enough, driven) = oneshot::channel();
        let thread = thread::spawn(move || {
            let _ = runtime.block_on(driven);
            runtime
        });
        Driver { enough, thread }
    }

    /// From here on nobody drives the runtime.
    fn end(self) -> Runtime {
        self.enough.send(()).unwrap();
        self.thread.join().unwrap()
    }
}

/// S25: a child that does not go down is stuck, and is given up, also if it has children that it has not asked to go down.
/// Its supervisor has no more time than its children, but it only waits, and is not stuck.
#[test]
fn a_supervisor_that_waits_for_a_stuck_child_is_not_stuck() {
    comes_back(|| {
        let (heavy, journal) = (current(), Journal::default());
        let handle = heavy.handle().clone();
        let driver = Driver::begin(heavy);
        Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
            let tree = Waits::start(handle, journal).await.unwrap();
            let _kid = tree.below.boss.ask(|reply| reply).forever().await.unwrap().unwrap();
            let mut events = tree.events();
            let heavy = driver.end();
            let report = tree.shutdown().await;
            let stuck: Vec<_> = report.children.iter().filter(|child| child.stuck).map(|child| &*child.path).collect();
            assert_eq!(stuck, ["below/boss", "below/there"], "{report:?}");
            let lines = seen(&mut events);
            let stuck: Vec<_> = lines.iter().filter(|line| line.ends_with(" stuck")).collect();
            assert_eq!(stuck, ["below/boss stuck", "below/there stuck"], "{lines:?}");
            heavy.shutdown_background();
        });
    });
}

/// S25, S26: a child has ended, and is to start with its supervisor. A caller that has asked for that start to begin again
/// is told if the runtime of the child goes before.
#[test]
fn a_requested_start_is_over_with_the_runtime() {
    comes_back(|| {
        let (heavy, journal) = (current(), Journal::default());
        let handle = heavy.handle().clone();
        let driver = Driver::begin(heavy);
        current().block_on(async {
            let tree = Upper::start(handle, journal).await.unwrap();
            let once = tree.below.once.clone();
            assert_eq!(once.terminated().await.unwrap().kind(), EndedKind::Done);
            let heavy = driver.end();
            tree.below.here.tell(Ask::Fail).await.unwrap();
            let start = loop {
                match once.restart() {
                    Ok(start) => break start,
                    Err(_) => yield_now().await, // not before its supervisor starts it
                }
            };
            heavy.shutdown_background();
            let error = start.await.unwrap_err();
            assert!(matches!(error, StartingError::Ended { ended: Ended::RuntimeGone, .. }), "{error}");
        });
    });
}

/// S25: if the runtime of the tree goes, a child on another one is stopped in order, with its hooks. A child with the
/// same runtime is gone with the tree.
#[test]
fn a_child_outlives_the_runtime_of_its_tree_only_to_stop() {
    comes_back(|| {
        let (heavy, journal) = (runtime("heavy"), Journal::default());
        let main = current();
        let tree = main.block_on(Group::start(heavy.handle().clone(), journal.clone())).unwrap();
        let there = tree.there.clone();
        journal.take();
        drop(main);
        assert_eq!(heavy.block_on(there.terminated()).unwrap().kind(), EndedKind::Stopped);
        assert_eq!(journal.take(), ["closed on heavy"]);

        let main = current();
        let tree = main.block_on(async { Group::start(Handle::current(), journal.clone()).await }).unwrap();
        let (there, handle) = (tree.there.clone(), tree.handle());
        drop(main);
        assert_eq!(heavy.block_on(there.terminated()).unwrap().kind(), EndedKind::RuntimeGone);
        assert_eq!(heavy.block_on(handle.join()).unwrap().ended.kind(), EndedKind::RuntimeGone);
    });
}

/// S25: the clock of a test does not move other runtimes, so a tree under test refuses them; its own it takes.
#[tokio::test(start_paused = true)]
async fn a_tree_under_test_takes_only_its_own_runtime() {
    let heavy = runtime("heavy");
    let refused = testing::start(One::tree(heavy.handle().clone(), Journal::default())).await.unwrap_err();
    let failure = &refused.failure;
    assert_eq!(failure.path(), "there");
    assert_eq!(failure.error::<InvalidSettings>(), Some(&InvalidSettings::RuntimeUnderTest));
    heavy.shutdown_background();
    let tree = testing::start(One::tree(Handle::current(), Journal::default())).await.unwrap();
    assert_eq!(thread_of(&tree.there).await, thread_name());
}

/// Spawns a child for another runtime.
struct Boss(Handle, Journal);

#[actor]
impl Boss {
    async fn handle(&mut self, reply: Reply<Result<ActorRef<Where>, SpawnError>>, cx: &mut Context<Self>) {
        let (heavy, journal) = (self.0.clone(), self.1.clone());
        let kid = cx.spawn(child! {
            #[runtime(heavy)]
            "kid": Where = Where::start(journal)
        });
        reply.send(kid.await);
    }
}

supervisor! {
    struct Bosses(heavy: Handle, journal: Journal) {
        boss: Boss = Boss(heavy, journal),
    }
}

/// S25, S38: a child that is spawned runs on the runtime that its `child!` names, also after a restart.
#[test]
fn a_spawned_child_runs_on_its_runtime() {
    comes_back(|| {
        let (heavy, journal) = (runtime("heavy"), Journal::default());
        let handle = heavy.handle().clone();
        current().block_on(async {
            let tree = Bosses::start(handle.clone(), journal.clone()).await.unwrap();
            let kid = tree.boss.ask(|reply| reply).forever().await.unwrap().unwrap();
            assert_eq!(thread_of(&kid).await, "heavy");
            kid.tell(Ask::Fail).await.unwrap();
            assert_eq!((thread_of(&kid).await, kid.incarnation()), ("heavy".to_owned(), 2));
            let top = spawn(child! { #[runtime(handle)] "top": Where = Where::start(journal) }).await.unwrap();
            assert_eq!(thread_of(&top).await, "heavy");
            top.stop();
            top.terminated().await.unwrap();
            tree.shutdown().await;
        });
    });
}

/// S25: so does an actor of a tree under test.
#[tokio::test(start_paused = true)]
async fn an_actor_under_test_spawns_only_on_its_own_runtime() {
    let heavy = runtime("heavy");
    let tree = testing::start(Bosses::tree(heavy.handle().clone(), Journal::default())).await.unwrap();
    let refused = tree.boss.ask(|reply| reply).await.unwrap().unwrap_err();
    let SpawnError::InvalidSettings { path, what, .. } = refused else { panic!("{refused}") };
    assert_eq!((path.as_str(), what), ("boss/kid", InvalidSettings::RuntimeUnderTest));
    heavy.shutdown_background();
}

supervisor! {
    struct Deep(heavy: Handle, light: Handle, journal: Journal) {
        #[runtime(heavy)]
        one: struct DeepOne {
            two: struct DeepTwo {
                set: [Where] = || Where::start(journal),
                keyed: [u32 => Where] = |_key: u32| Where::start(journal),
                rooms: [Room] = || Room::tree(journal),
                #[runtime(light)]
                other: struct Other {
                    three: struct Three {
                        light_set: [Where] = || Where::start(journal),
                    },
                },
            },
        },
    }

    struct Room(journal: Journal) {
        inner: struct Inside {
            set: [Where] = || Where::start(journal),
        },
    }

    struct Ends(heavy: Handle, journal: Journal) {
        here: Where = Where::start(journal),
        #[runtime(heavy)]
        #[lifecycle(Temporary)]
        temporary: Where = Where::start(journal),
        #[runtime(heavy)]
        #[lifecycle(Temporary)]
        temporary_task: task = |cx| wait(cx, journal),
        #[runtime(heavy)]
        #[lifecycle(Transient)]
        transient: Where = Where::start(journal),
        #[runtime(heavy)]
        #[lifecycle(Permanent)]
        permanent: Where = Where::start(journal),
        #[lifecycle(Temporary)]
        stopped: Where = Where::start(journal),
        #[lifecycle(Temporary)]
        failed: Where = Where::start(journal),
    }
}

/// S25: an instance that is spawned from another runtime runs on the runtime of its set, which is the nearest runtime that
/// is declared above it, however many levels above.
#[test]
fn an_instance_runs_on_the_nearest_runtime_above_its_set() {
    comes_back(|| {
        let (heavy, light, journal) = (runtime("heavy"), runtime("light"), Journal::default());
        let (handle, other) = (heavy.handle().clone(), light.handle().clone());
        current().block_on(async {
            let tree = Deep::start(handle, other, journal.clone()).await.unwrap();
            let two = &tree.one.two;
            let keyed = [two.keyed.spawn(1).await.unwrap(), two.keyed.get_or_spawn(2).await.unwrap()];
            let room = two.rooms.spawn().await.unwrap();
            let instances = [two.set.spawn().await.unwrap(), room.inner.set.spawn().await.unwrap()];
            for child in instances.into_iter().chain(keyed) {
                assert_eq!(thread_of(&child).await, "heavy", "{}", child.path());
                child.tell(Ask::Fail).await.unwrap();
                assert_eq!((thread_of(&child).await, child.incarnation()), ("heavy".to_owned(), 2));
            }
            let replaced = two.keyed.replace(1).await.unwrap();
            assert_eq!(thread_of(&replaced).await, "heavy");
            let child = two.other.three.light_set.spawn().await.unwrap();
            assert_eq!(thread_of(&child).await, "light", "{}", child.path());
            assert!(tree.shutdown().await.is_orderly());
        });
    });
}

/// S25, S42: a child that has ended with its runtime is a symptom, whatever its lifecycle, also a `Temporary` one, which
/// is none after another end.
#[test]
fn a_child_that_is_gone_with_its_runtime_is_a_symptom() {
    comes_back(|| {
        let (heavy, journal) = (runtime("heavy"), Journal::default());
        let handle = heavy.handle().clone();
        current().block_on(async {
            let tree = Ends::start(handle, journal.clone()).await.unwrap();
            tree.stopped.stop();
            tree.stopped.terminated().await.unwrap();
            tree.failed.tell(Ask::Fail).await.unwrap();
            tree.failed.terminated().await.unwrap();
            assert!(tree.health().is_healthy(), "{}", tree.health());
            heavy.shutdown_background();
            let gone = [tree.temporary.any(), tree.temporary_task.any(), tree.transient.any(), tree.permanent.any()];
            for child in &gone {
                assert_eq!(child.terminated().await.unwrap().kind(), EndedKind::RuntimeGone, "{}", child.path());
            }
            for health in [tree.health(), tree.snapshot().health()] {
                let mut paths: Vec<_> = health.symptoms().iter().map(|symptom| symptom.path.clone()).collect();
                paths.sort();
                assert_eq!(paths, ["permanent", "temporary", "temporary_task", "transient"], "{health}");
            }
            tree.shutdown().await;
        });
    });
}

supervisor! {
    /// Two sets whose instances start, and stop, once the gate is open.
    struct Gated(heavy: Handle, journal: Journal, gate: watch::Receiver<bool>) {
        plain: [u32 => Where] = |_key: u32| opened(gate, journal).await,
        #[runtime(heavy)]
        apart: [u32 => Where] = |_key: u32| opened(gate, journal).await,
    }
}

async fn opened(mut gate: watch::Receiver<bool>, journal: Journal) -> Where {
    _ = gate.wait_for(|open| *open).await;
    Where::start(journal)
}

/// S25, S27: an instance runs where its set runs, whoever spawns it: also if the caller that has begun its start is gone
/// with its runtime, while a second one waits for it, and if nobody drives the runtime of the only caller.
#[test]
fn an_instance_does_not_depend_on_the_runtime_of_a_caller() {
    comes_back(|| {
        let (trees, heavy, journal) = (runtime("trees"), runtime("heavy"), Journal::default());
        let (open, gate) = watch::channel(false);
        let start = Gated::start(heavy.handle().clone(), journal, gate);
        let tree = trees.block_on(async { tokio::spawn(start).await.unwrap().unwrap() });
        for (set, thread) in [(&tree.plain, "trees"), (&tree.apart, "heavy")] {
            open.send_replace(false);
            let first = current();
            let begun = first.spawn(set.get_or_spawn(1));
            first.block_on(yield_now());
            assert_eq!(set.keys(), [1], "the first caller has begun it");
            let (instance, is_new) = trees.block_on(async {
                let mut second = pin!(set.get_or_spawn(1).with_is_new());
                tokio::select! {
                    biased;
                    _ = &mut second => panic!("the gate is shut"),
                    () = yield_now() => {}
                }
                tokio::task::spawn_blocking(move || drop(first)).await.unwrap();
                assert!(begun.await.unwrap_err().is_cancelled());
                open.send_replace(true);
                second.await.unwrap()
            });
            assert!(!is_new);
            assert_eq!(trees.block_on(thread_of(&instance)), thread);

            // A caller whose runtime is not driven any more keeps nothing from going on.
            let still = current();
            let spawn = still.spawn(set.spawn(2));
            still.block_on(yield_now());
            trees.block_on(async {
                until(|| set.get(&2).is_some()).await;
                assert_eq!(thread_of(&set.get(&2).unwrap()).await, thread);
            });
            assert_eq!(still.block_on(spawn).unwrap().unwrap().path(), format!("{}/2", set.path()));
        }
        trees.block_on(async { assert!(tree.shutdown().await.is_orderly()) });
    });
}

/// S25, S27: a `replace` goes on where its set runs when its caller goes with its runtime.
#[test]
fn a_replacement_outlives_the_runtime_of_its_caller() {
    comes_back(|| {
        let (trees, heavy, journal) = (runtime("trees"), runtime("heavy"), Journal::default());
        let (open, gate) = watch::channel(true);
        let start = Gated::start(heavy.handle().clone(), journal, gate);
        let tree = trees.block_on(async { tokio::spawn(start).await.unwrap().unwrap() });
        for (set, thread) in [(&tree.plain, "trees"), (&tree.apart, "heavy")] {
            open.send_replace(true);
            let old = trees.block_on(set.spawn(1)).unwrap();
            open.send_replace(false);
            let caller = current();
            let replaces = caller.spawn(set.replace(1));
            caller.block_on(async {
                yield_now().await;
                old.terminated().await.unwrap();
            });
            drop(caller);
            trees.block_on(async {
                assert!(replaces.await.unwrap_err().is_cancelled());
                open.send_replace(true);
                until(|| set.get(&1).is_some_and(|new| new != old)).await;
                assert_eq!(thread_of(&set.get(&1).unwrap()).await, thread);
            });
        }
        trees.block_on(async { assert!(tree.shutdown().await.is_orderly()) });
    });
}

/// S25, S21: an instance of a set whose runtime nobody drives does not come up, and its caller waits, until somebody does.
#[test]
fn an_instance_on_a_runtime_that_nobody_drives_waits_for_a_driver() {
    comes_back(|| {
        let (trees, journal) = (runtime("trees"), Journal::default());
        let (_open, gate) = watch::channel(true);
        let heavy = current();
        let handle = heavy.handle().clone();
        let driver = Driver::begin(heavy);
        let tree = trees.block_on(async { Gated::start(handle, journal, gate).await.unwrap() });
        let heavy = driver.end();
        let first = trees.spawn(tree.apart.spawn(1));
        let other = trees.spawn(tree.plain.spawn(1));
        trees.block_on(async {
            assert_eq!(thread_of(&other.await.unwrap().unwrap()).await, "trees");
            until(|| tree.apart.keys() == [1]).await;
            assert!(tree.apart.get(&1).is_none() && !first.is_finished());
        });
        let second = trees.spawn(tree.apart.get_or_spawn(1));
        let driver = Driver::begin(heavy);
        trees.block_on(async {
            assert_eq!(first.await.unwrap().unwrap(), second.await.unwrap().unwrap());
            assert!(tree.shutdown().await.is_orderly());
        });
        driver.end();
    });
}

/// Waits for something that other threads do.
async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}
