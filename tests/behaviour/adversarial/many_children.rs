//! Thousands of children, next to and below each other: no code needs a stack frame for each of them, and a stop takes
//! no time.

use std::future::Future;

use supervise::NewChild;
use supervise::inspect::NodeState;
use supervise::policy::ShutdownTimeout;
use supervise::prelude::*;

use crate::common::{Boom, secs};

/// Runs the test on its own thread, whose stack is too small for a few frames per child.
fn on_a_small_stack<F: Future<Output = ()>>(test: impl FnOnce() -> F + Send + 'static) {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(test());
    };
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(run).expect("a thread");
    thread.join().expect("the test succeeds");
}

/// Fails at its first message.
struct Frail;

impl Actor for Frail {
    type Msg = ();
    type Error = Boom;

    async fn receive(&mut self, (): (), _: &mut Context<Self>) -> Result<(), Boom> {
        Err(Boom::Told)
    }
}

/// Passes a message on to a child that it spawns, down to the depth that the message names.
struct Nested {
    /// The `shutdown` time of each child; the default if it is `None`.
    shutdown: Option<ShutdownTimeout>,
}

const PATIENT: Nested = Nested { shutdown: Some(ShutdownTimeout::Infinity) };

fn patient() -> NewChild<Nested> {
    child! {
        #[lifecycle(Transient, shutdown = Infinity)]
        "n": Nested = PATIENT
    }
}

type Down = (u32, Reply<ActorRef<Nested>>);

impl Actor for Nested {
    type Msg = Down;
    type Error = supervise::BoxError;

    async fn receive(&mut self, (left, reply): Down, cx: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        if left == 0 {
            reply.send(cx.actor_ref());
            return Ok(());
        }
        let shutdown = self.shutdown;
        let below = match shutdown {
            Some(time) => child! {
                #[lifecycle(Transient, shutdown = time)]
                "n": Nested = Nested { shutdown }
            },
            None => child! { "n": Nested = Nested { shutdown } },
        };
        let below = cx.spawn(below).await?;
        below.tell((left - 1, reply)).await?;
        Ok(())
    }
}

supervisor! {
    struct Crowd {
        #[backoff(1h..1h, random_factor = 0)]
        frail: [Frail] = || Frail,
    }

    struct Deep {
        #[lifecycle(Permanent, shutdown = Infinity)]
        top: Nested = PATIENT,
    }
}

const MANY: usize = 10_000;

/// A set whose instances are all backing off.
async fn waiting_crowd() -> Running<Crowd> {
    let crowd = Crowd::start().await.unwrap();
    for _ in 0..MANY {
        crowd.frail.spawn().await.unwrap().tell(()).await.unwrap();
    }
    let waits = |state: &NodeState| matches!(state, NodeState::BackingOff { .. });
    while crowd.snapshot().nodes().filter(|node| waits(&node.state)).count() < MANY {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
    crowd
}

/// S16: the instances end with their set, and no time passes.
#[test]
fn a_crowd_in_backoff_stops() {
    on_a_small_stack(|| async {
        let crowd = waiting_crowd().await;
        let begun = tokio::time::Instant::now();
        let report = crowd.shutdown().await;
        assert!(report.is_orderly() && begun.elapsed() < secs(1), "{:?}", begun.elapsed());
        assert_eq!(report.children.len(), MANY + 1);
    });
}

/// S26: the same when the set is restarted on request. The instances were spawned, so they are gone after it.
#[test]
fn a_crowd_in_backoff_ends_with_the_restart_of_its_set() {
    on_a_small_stack(|| async {
        let crowd = waiting_crowd().await;
        crowd.frail.tree().restart().unwrap();
        assert!(crowd.ready().await);
        assert_eq!((crowd.frail.len(), crowd.frail.tree().incarnation()), (0, 2));
        crowd.frail.spawn().await.unwrap();
        assert!(crowd.shutdown().await.is_orderly());
    });
}

/// S24: each child is below the one before. They stop from the deepest up, in no time. The handle of the deepest keeps
/// all cells above it; dropping this handle drops them.
#[test]
fn a_chain_of_any_depth_stops() {
    on_a_small_stack(|| async {
        let top = spawn(patient()).await.unwrap();
        let deepest = top.ask(|reply| (MANY as u32, reply)).forever().await.unwrap();
        assert_eq!(deepest.path().len(), 2 * MANY + 1);
        top.stop();
        assert!(matches!(top.terminated().await, Ok(Ended::Stopped)));
        drop(top);
        drop(deepest);
    });
}

/// S24: a thousand levels stop without a delay, each with the default `shutdown` time.
#[test]
fn a_thousand_levels_stop_at_the_defaults() {
    on_a_small_stack(|| async {
        let top = spawn(child! { "n": Nested = Nested { shutdown: None } }).await.unwrap();
        let deepest = top.ask(|reply| (1_000, reply)).forever().await.unwrap();
        let begun = tokio::time::Instant::now();
        top.stop();
        let ended = top.terminated().await;
        assert!(matches!(ended, Ok(Ended::Stopped)), "{ended:?}");
        assert!(matches!(deepest.ended(), Some(Ended::Stopped)));
        assert!(begun.elapsed() < secs(1), "{:?}", begun.elapsed());
    });
}

/// S11: the same when the top actor is restarted.
#[test]
fn a_chain_of_any_depth_restarts() {
    on_a_small_stack(|| async {
        let top = spawn(patient()).await.unwrap();
        let deepest = top.ask(|reply| (MANY as u32, reply)).forever().await.unwrap();
        top.restart().unwrap();
        let own = top.ask(|reply| (0, reply)).forever().await.unwrap();
        assert_eq!((own.incarnation(), deepest.ended().is_some()), (2, true));
        top.stop();
        top.terminated().await.unwrap();
    });
}

/// S42: a snapshot of a deep tree needs no more stack than one of a flat tree; neither does its report (S24).
#[test]
fn a_deep_tree_is_seen_drawn_and_reported() {
    on_a_small_stack(|| async {
        let tree = Deep::start().await.unwrap();
        const DEPTH: usize = 2_000;
        tree.top.ask(|reply| (DEPTH as u32, reply)).forever().await.unwrap();
        let snapshot = tree.snapshot();
        assert!(snapshot.health().is_healthy() && tree.ready().await);
        assert_eq!(snapshot.nodes().count(), DEPTH + 2);
        assert_eq!(snapshot.render().lines().count(), DEPTH + 2);
        assert_eq!(snapshot.render_mermaid().matches("-->").count(), DEPTH + 1);
        assert_eq!(snapshot.render_graphviz().matches("->").count(), DEPTH + 1);
        // Dropping the snapshot does not recurse either: a small stack is enough.
        let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || drop(snapshot)).expect("a thread");
        thread.join().expect("the test succeeds");
        let report = tree.shutdown().await;
        let lengths: Vec<usize> = report.children.iter().map(|child| child.path.len()).collect();
        assert!(report.is_orderly() && lengths.is_sorted_by(|a, b| a > b), "the deepest child stops first");
        assert_eq!(lengths.len(), DEPTH + 1);
    });
}
