//! Children that are spawned while their runtime is dropped, or outside of a runtime: S25, S27, S38, S39.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::task::{Context as Cx, Poll, Waker};
use std::time::Instant;

use supervise::error::{CommandError, KeyedError, SpawnError};
use supervise::prelude::*;
use tokio::runtime::Runtime;

use crate::common::{block_on, comes_back, secs};

struct Kid;

#[actor]
impl Kid {
    fn handle(&mut self, _: ()) {}
}

/// Blocks its thread until the runtime accepts no more tasks, then spawns a child.
struct Late {
    gone: Gone,
    told: Sender<Result<ActorRef<Kid>, SpawnError>>,
}

#[actor]
impl Late {
    async fn handle(&mut self, _: (), cx: &mut Context<Self>) {
        self.gone.wait();
        let spawned = cx.spawn(child! { "kid": Kid = Kid }).await;
        self.told.send(spawned).unwrap();
    }
}

supervisor! {
    struct House(gone: Gone, told: Sender<Result<ActorRef<Kid>, SpawnError>>) {
        late: Late = Late { gone, told },
        kids: [Kid] = || Kid,
        rooms: [u32 => Kid] = |_room: u32| Kid,
    }
}

/// Whether the runtime is being dropped: it has dropped the first of its tasks, and accepts no new ones.
#[derive(Clone, Default)]
struct Gone(Arc<(Mutex<bool>, Condvar)>);

impl Gone {
    fn wait(&self) {
        let gone = self.0.0.lock().unwrap();
        let (gone, _) = self.0.1.wait_timeout_while(gone, secs(50), |gone| !*gone).unwrap();
        assert!(*gone, "the runtime is not dropped");
    }

    /// Spawns a task that waits, to be dropped together with the runtime.
    fn watch(&self, runtime: &Runtime) {
        struct Last(Gone);
        impl Drop for Last {
            fn drop(&mut self) {
                *self.0.0.0.lock().unwrap() = true;
                self.0.0.1.notify_all();
            }
        }
        let last = Last(self.clone());
        runtime.spawn(async move {
            let _last = last;
            std::future::pending::<()>().await;
        });
    }
}

fn two_workers() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

type Told = std::sync::mpsc::Receiver<Result<ActorRef<Kid>, SpawnError>>;

fn house(runtime: &Runtime) -> (House, Gone, Told) {
    let (told, hears) = channel();
    let gone = Gone::default();
    let house = runtime.block_on(async { House::start(gone.clone(), told).await.unwrap().detach() });
    gone.watch(runtime);
    (house, gone, hears)
}

/// Blocks one worker until the runtime is being dropped, and then runs `then`.
fn last_of_all(runtime: Runtime, gone: Gone, then: impl Future<Output = ()> + Send + 'static) {
    let (begun, has_begun) = channel();
    runtime.spawn(async move {
        begun.send(()).unwrap();
        gone.wait();
        then.await;
    });
    has_begun.recv().unwrap();
    drop(runtime);
}

/// S25: a handler that spawns a child while the runtime is dropped gets an error, and the drop returns.
#[test]
fn a_handler_spawns_while_the_runtime_goes_down() {
    comes_back(|| {
        let runtime = two_workers();
        let (house, _, told) = house(&runtime);
        house.late.try_tell(()).unwrap();
        while house.snapshot().root.children[0].mailbox.is_some_and(|depth| depth.waiting > 0) {
            std::thread::yield_now();
        }
        drop(runtime);
        assert!(matches!(told.recv().unwrap(), Err(SpawnError::Stopped { path }) if path == "late"));
        assert!(matches!(house.late.ended(), Some(Ended::RuntimeGone)));
    });
}

/// S25, S27: the same for a plain task that spawns an instance of a set.
#[test]
fn a_task_spawns_an_instance_while_the_runtime_goes_down() {
    comes_back(|| {
        let runtime = two_workers();
        let (house, gone, _told) = house(&runtime);
        let (spawned, result) = channel();
        let kids = house.kids.clone();
        last_of_all(runtime, gone, async move { spawned.send(kids.spawn().await).unwrap() });
        assert!(matches!(result.recv().unwrap(), Err(SpawnError::Stopped { path }) if path == "kids"));
        assert_eq!(house.kids.len(), 0);
    });
}

/// S25, S27: the same for a task that spawns the instance of a key; the key is free after that.
#[test]
fn a_task_spawns_a_key_while_the_runtime_goes_down() {
    comes_back(|| {
        let runtime = two_workers();
        let (house, gone, _told) = house(&runtime);
        let (spawned, result) = channel();
        let rooms = house.rooms.clone();
        last_of_all(runtime, gone, async move {
            spawned.send((rooms.spawn(1).await, rooms.get_or_spawn(2).await)).unwrap();
        });
        let (one, two) = result.recv().unwrap();
        assert!(matches!(one, Err(KeyedError::Spawn(SpawnError::Stopped { .. }))), "{one:?}");
        assert!(matches!(two, Err(SpawnError::Stopped { .. })), "{two:?}");
        assert!(house.rooms.keys().is_empty());
    });
}

/// S25, S39: the same for a task that spawns a top-level actor.
#[test]
fn a_task_spawns_at_the_top_while_the_runtime_goes_down() {
    comes_back(|| {
        let runtime = two_workers();
        let gone = Gone::default();
        gone.watch(&runtime);
        let (spawned, result) = channel();
        last_of_all(runtime, gone, async move {
            spawned.send(spawn(child! { "kid": Kid = Kid }).await).unwrap();
        });
        assert!(matches!(result.recv().unwrap(), Err(SpawnError::Stopped { .. })));
    });
}

/// S25, S27: tasks that spawn and stop without a pause do not prevent the drop of a runtime, at whatever moment it is
/// dropped.
#[test]
fn a_runtime_is_dropped_while_its_tasks_spawn() {
    comes_back(|| {
        let begun = Instant::now();
        for round in 0..120 {
            let runtime = two_workers();
            let (house, ..) = house(&runtime);
            for task in 0..3_u32 {
                let (kids, rooms) = (house.kids.clone(), house.rooms.clone());
                runtime.spawn(async move {
                    loop {
                        let kid = match task {
                            0 => kids.spawn().await,
                            1 => rooms.get_or_spawn(1).await,
                            _ => spawn(child! { "kid": Kid = Kid }).await,
                        };
                        match kid {
                            Ok(kid) => kid.stop(),
                            Err(_) => tokio::task::yield_now().await,
                        }
                    }
                });
            }
            (0..50 * (round % 16)).for_each(|_| std::thread::yield_now());
            drop(runtime);
            let ended = house.ended();
            assert!(matches!(ended, Some(Ended::RuntimeGone)), "round {round}: {ended:?}");
            if begun.elapsed() > secs(20) {
                break; // the machine is busy with other work
            }
        }
    });
}

/// Starts all kids again when it is dropped.
struct Stubborn(Arc<OnceLock<Again>>);

#[actor]
impl Stubborn {
    fn handle(&mut self, _: ()) {}
}

impl Drop for Stubborn {
    fn drop(&mut self) {
        for kid in self.0.get().iter().flat_map(|again| &again.kids) {
            let _ = kid.start_again();
        }
    }
}

supervisor! {
    struct Again(handle: Arc<OnceLock<Again>>) {
        kids: [Kid; 8] = |_: usize| Kid,
        stubborn: [Stubborn; 8] = |_: usize| Stubborn(handle),
    }
}

/// S25, S26: a child that has ended, and is started again on request while the runtime is dropped, ends with the
/// runtime like all others. This includes a child whose task is already gone.
#[test]
fn a_requested_start_does_not_outlive_its_runtime() {
    comes_back(|| {
        // The order in which a runtime drops its tasks depends on their ids.
        for _ in 0..16 {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.block_on(runtime.spawn(async {})).unwrap();
            let handle = Arc::new(OnceLock::new());
            let again = runtime.block_on(async {
                let again = Again::start(handle.clone()).await.unwrap().detach();
                for kid in &again.kids {
                    kid.stop();
                    kid.terminated().await.unwrap();
                }
                again
            });
            handle.set(again.clone()).unwrap();
            drop(runtime);
            for kid in &again.kids {
                assert!(kid.ended().is_some(), "{}", kid.path());
            }
            assert!(again.ended().is_some());
        }
    });
}

fn poll_outside<F: Future>(future: F) -> std::thread::Result<Poll<F::Output>> {
    let mut future = pin!(future);
    catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Cx::from_waker(Waker::noop()))))
}

/// S39: a spawn of a top-level actor that is awaited outside of a runtime panics, as documented, and does not hang.
#[test]
fn a_spawn_at_the_top_outside_of_a_runtime_panics() {
    comes_back(|| {
        let polled = poll_outside(spawn(child! { "kid": Kid = Kid }).into_future());
        let panic = polled.expect_err("there is no runtime");
        assert!(panic.downcast_ref::<String>().is_some_and(|text| text.contains("no reactor running")));
    });
}

/// S25, S27: an instance of a set can be spawned outside of any runtime, since it runs where the set runs. Once that
/// runtime is gone, the spawn fails.
#[test]
fn an_instance_is_spawned_outside_of_any_runtime_while_the_set_has_one() {
    comes_back(|| {
        let runtime = two_workers();
        let (house, ..) = house(&runtime);
        block_on(house.kids.spawn()).unwrap();
        block_on(house.rooms.spawn(1)).unwrap();
        block_on(house.rooms.get_or_spawn(2)).unwrap();
        assert_eq!((house.kids.len(), house.rooms.len()), (1, 2));
        drop(runtime);
        assert_eq!((house.kids.len(), house.rooms.len()), (0, 0));
        assert!(matches!(block_on(house.kids.spawn()), Err(SpawnError::Stopped { .. })));
        assert!(matches!(block_on(house.rooms.get_or_spawn(2)), Err(SpawnError::Stopped { .. })));
    });
}

/// S25: threads that wait outside of the runtime, each for the end of a different kind of child, are notified when the
/// runtime is dropped.
#[test]
fn callers_outside_the_runtime_are_notified_when_it_goes_down() {
    comes_back(|| {
        let runtime = two_workers();
        let (house, ..) = house(&runtime);
        let kid = runtime.block_on(house.kids.spawn()).unwrap();
        let top = runtime.block_on(spawn(child! { "top": Kid = Kid }).into_future()).unwrap();
        let waits = [
            waits(house.late.clone(), |late| Box::pin(async move { late.terminated().await.unwrap() })),
            waits(kid, |kid| Box::pin(async move { kid.terminated().await.unwrap() })),
            waits(top, |top| Box::pin(async move { top.terminated().await.unwrap() })),
            waits(house.kids.tree(), |set| {
                Box::pin(async move {
                    let report = set.join().await.unwrap();
                    assert!(!report.is_orderly(), "{report:?}");
                    set.ended().unwrap()
                })
            }),
            waits(house.clone(), |house| {
                Box::pin(async move {
                    let report = house.join().await.unwrap();
                    assert!(!report.is_orderly(), "{report:?}");
                    house.ended().unwrap()
                })
            }),
        ];
        for wait in &waits {
            wait.is_pending.recv().unwrap();
        }
        drop(runtime);
        for wait in waits {
            let ended = wait.thread.join().unwrap();
            assert!(matches!(ended, Ended::RuntimeGone), "{ended:?}");
        }
    });
}

/// One of two actors. When it is dropped, it records how the other one answers a `start_again()` and a message.
struct Twin {
    other: Arc<OnceLock<ActorRef<Twin>>>,
    told: Sender<(Result<(), CommandError>, bool)>,
}

#[actor]
impl Twin {
    fn handle(&mut self, _: ()) {}
}

impl Drop for Twin {
    fn drop(&mut self) {
        if let Some(other) = self.other.get() {
            self.told.send((other.start_again().map(drop), other.try_tell(()).is_ok())).unwrap();
        }
    }
}

type Others = Arc<OnceLock<ActorRef<Twin>>>;
type Answers = Sender<(Result<(), CommandError>, bool)>;

supervisor! {
    struct Twins(first: Others, second: Others, told: Answers) {
        one: Twin = Twin { other: second, told },
        two: Twin = Twin { other: first, told },
    }
}

/// S25, S26: a child that has ended with its runtime cannot be started again: it would accept messages and never handle
/// them.
#[test]
fn a_child_gone_with_its_runtime_is_not_started_on_request() {
    comes_back(|| {
        let (told, answers) = channel();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let mut all = Vec::new();
        // The runtime drops tasks in an order of its own: in some of these trees the supervisor is the last of the
        // three.
        for _ in 0..40 {
            let (first, second) = (Others::default(), Others::default());
            let twins = runtime.block_on(Twins::start(first.clone(), second.clone(), told.clone())).unwrap();
            first.set(twins.one.clone()).ok().unwrap();
            second.set(twins.two.clone()).ok().unwrap();
            all.extend([twins.one.clone(), twins.two.clone()]);
            twins.detach();
        }
        drop(runtime);
        let answers: Vec<_> = answers.try_iter().collect();
        assert_eq!(answers.len(), 80);
        for (started, _) in answers {
            match started {
                Err(CommandError::NotEnded { .. } | CommandError::SupervisorEnded { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
        for twin in all {
            assert!(matches!(twin.ended(), Some(Ended::RuntimeGone)), "{:?}", twin.ended());
            assert!(matches!(twin.start_again(), Err(CommandError::SupervisorEnded { .. })));
            assert!(twin.try_tell(()).is_err());
        }
    });
}

/// A value of a tree.
struct Pool;

async fn swim(_in: Arc<Pool>, cx: TaskContext) {
    cx.stopped().await;
}

supervisor! {
    struct Baths(given: Arc<Pool>) {
        #![decider({ let held = given; move |_: &Failure| { let _ = &held; Directive::Restart } })]
        let made: Arc<Pool> = Arc::new(Pool);
        pub let weak: Weak<Pool> = Arc::downgrade(&made);
        lanes: [task] = |_lane: u32| |cx| swim(made, cx),
        rooms: [u32 => task] = |_room: u32| |cx| swim(made, cx),
    }
}

/// S2, S25, S27: the handle of a set keeps nothing of the tree: neither the values that its instances name nor those of
/// the decider. All instances have ended, and none is spawned.
#[test]
fn the_handle_of_a_set_keeps_nothing() {
    comes_back(|| {
        let other = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for threads in [1, 2] {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build().unwrap();
            let given = Arc::new(Pool);
            let of_given = Arc::downgrade(&given);
            let (lanes, rooms, of_made) = runtime.block_on(async {
                let baths = Baths::start(given).await.unwrap();
                for n in 0..40 {
                    baths.lanes.spawn(n).await.unwrap();
                    baths.rooms.spawn(n).await.unwrap();
                }
                let out = (baths.lanes.clone(), baths.rooms.clone(), baths.weak().unwrap());
                baths.detach();
                out
            });
            assert_eq!((lanes.len(), rooms.len(), rooms.keys().len()), (40, 40, 40));
            drop(runtime);
            assert_eq!((lanes.len(), rooms.len(), rooms.keys().len()), (0, 0, 0));
            assert!(lanes.is_empty() && rooms.is_empty() && lanes.handles().is_empty());
            assert_eq!((of_given.strong_count(), of_made.strong_count()), (0, 0), "{threads} threads");
            other.block_on(async {
                assert!(matches!(lanes.spawn(2).await, Err(SpawnError::Stopped { .. })));
                let stopped = |error| matches!(error, KeyedError::Spawn(SpawnError::Stopped { .. }));
                assert!(rooms.spawn(2).await.is_err_and(stopped));
                assert!(rooms.replace(1).await.is_err_and(stopped));
                assert!(matches!(rooms.get_or_spawn(2).await, Err(SpawnError::Stopped { .. })));
            });
        }
    });
}

/// A thread that waits for an end, and signals when it has registered its waker.
struct Waits {
    thread: std::thread::JoinHandle<Ended>,
    is_pending: std::sync::mpsc::Receiver<()>,
}

fn waits<H: Send + 'static>(
    of: H,
    end: impl FnOnce(H) -> Pin<Box<dyn Future<Output = Ended>>> + Send + 'static,
) -> Waits {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let (says, is_pending) = channel();
    let thread = std::thread::spawn(move || {
        let mut end = end(of);
        let waker = Arc::new(Unpark(std::thread::current())).into();
        loop {
            match end.as_mut().poll(&mut Cx::from_waker(&waker)) {
                Poll::Ready(ended) => return ended,
                Poll::Pending => says.send(()).unwrap(),
            }
            std::thread::park();
        }
    });
    Waits { thread, is_pending }
}
