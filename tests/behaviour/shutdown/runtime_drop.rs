//! Children that are spawned while their runtime goes down, or outside of one: S25, S27, S38, S39.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::task::{Context as Cx, Poll, Waker};
use std::time::Instant;

use supervise::error::{CommandError, KeyedError, SpawnError};
use supervise::prelude::*;
use tokio::runtime::Runtime;

use crate::common::{comes_back, secs};

struct Kid;

#[actor]
impl Kid {
    fn handle(&mut self, _: ()) {}
}

/// Blocks its thread until the runtime takes no task any more, then spawns a child.
struct Late {
    gone: Gone,
    told: Sender<Result<ActorRef<Kid>, SpawnError>>,
}

#[actor]
impl Late {
    async fn handle(&mut self, _: (), cx: &mut Context<Self>) {
        self.gone.wait();
        let spawned = cx.spawn("kid", || async { Ok(Kid) }).await;
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

/// Whether the runtime goes down: it has dropped the first of its tasks, and takes no new one.
#[derive(Clone, Default)]
struct Gone(Arc<(Mutex<bool>, Condvar)>);

impl Gone {
    fn wait(&self) {
        let gone = self.0.0.lock().unwrap();
        let (gone, _) = self.0.1.wait_timeout_while(gone, secs(50), |gone| !*gone).unwrap();
        assert!(*gone, "the runtime does not go down");
    }

    /// Waits in a task of its own, to be dropped with it.
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

/// Blocks one worker until the runtime goes down, and does this then.
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

/// S25: a handler that spawns a child while the runtime is dropped gets an error, and the drop comes back.
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

/// S25, S27: so does a plain task that spawns an instance of a set.
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

/// S25, S27: so does one that asks for the instance of a key; the key is free then.
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

/// S25, S39: so does one that spawns at the top.
#[test]
fn a_task_spawns_at_the_top_while_the_runtime_goes_down() {
    comes_back(|| {
        let runtime = two_workers();
        let gone = Gone::default();
        gone.watch(&runtime);
        let (spawned, result) = channel();
        last_of_all(runtime, gone, async move {
            spawned.send(supervise::spawn("kid", || async { Ok(Kid) }).await).unwrap();
        });
        assert!(matches!(result.recv().unwrap(), Err(SpawnError::Stopped { .. })));
    });
}

/// S25, S27: tasks that spawn and stop without a pause do not keep a runtime from going down, at whatever moment it is
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
                            _ => supervise::spawn("kid", || async { Ok(Kid) }).await,
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
                break; // a machine that is busy with other things
            }
        }
    });
}

/// Starts everybody again when it is dropped.
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

/// S25, S26: who has ended, and is started again by hand while the runtime goes down, ends with it like all others: also one
/// whose task is gone already.
#[test]
fn a_start_by_hand_does_not_outlive_its_runtime() {
    comes_back(|| {
        // The order in which a runtime drops its tasks depends on their numbers.
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

/// S39: a spawn at the top that is awaited outside of a runtime panics, as it is documented, and does not hang.
#[test]
fn a_spawn_at_the_top_outside_of_a_runtime_panics() {
    comes_back(|| {
        let polled = poll_outside(supervise::spawn("kid", || async { Ok(Kid) }).into_future());
        let panic = polled.expect_err("there is no runtime");
        assert!(panic.downcast_ref::<String>().is_some_and(|text| text.contains("no reactor running")));
    });
}

/// S27: the same holds for an instance of a set; the set goes on, and the key is free.
#[test]
fn a_spawn_of_an_instance_outside_of_a_runtime_panics() {
    comes_back(|| {
        let runtime = two_workers();
        let (house, _gone, _told) = house(&runtime);
        assert!(poll_outside(house.kids.spawn()).is_err());
        assert!(poll_outside(house.rooms.spawn(1)).is_err());
        assert!(poll_outside(house.rooms.get_or_spawn(2)).is_err());
        assert_eq!((house.kids.len(), house.rooms.len()), (0, 0));
        assert!(house.rooms.keys().is_empty());
        runtime.block_on(async {
            house.kids.spawn().await.unwrap();
            house.rooms.spawn(1).await.unwrap();
            house.rooms.get_or_spawn(2).await.unwrap();
            assert!(house.shutdown().await.unwrap().is_orderly());
        });
    });
}

/// S25: threads that wait outside of the runtime, each for an end of another kind, are told when it goes.
#[test]
fn who_waits_outside_is_told_when_the_runtime_goes_down() {
    comes_back(|| {
        let runtime = two_workers();
        let (house, ..) = house(&runtime);
        let kid = runtime.block_on(house.kids.spawn()).unwrap();
        let top = runtime.block_on(supervise::spawn("top", || async { Ok(Kid) }).into_future()).unwrap();
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

/// The other of two, and what it answers to a start by hand and to a message when the one is dropped.
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
            self.told.send((other.start_again(), other.try_tell(()).is_ok())).unwrap();
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

/// S25, S26: nobody starts again, by hand, what has ended with its runtime: it would take messages in, and never handle them.
#[test]
fn what_has_gone_with_its_runtime_is_not_started_by_hand() {
    comes_back(|| {
        let (told, answers) = channel();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let mut all = Vec::new();
        // Tasks go in an order of the runtime's own: in some of these a supervisor is the last of the three.
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

/// A thread that waits on its own, and says so as soon as it has left its waker behind.
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
