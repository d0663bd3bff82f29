//! Starts outside of a runtime, and in one without time: the error comes before anything has begun.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context as TaskCx, Waker};

use supervise::prelude::*;
use tokio::runtime::{Builder, Runtime};

use crate::common::{Boom, Do, Journal, Probe, block_on};

supervisor! {
    struct Home(journal: Journal) {
        db: Probe = Probe::start("db", journal).await?,
        set: [Probe] = || Probe::start("one", journal).await?,
        keyed: [u32 => Probe] = |_key: u32| Probe::start("key", journal).await?,
    }
}

fn timeless() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

/// Returns the text of the panic.
fn panics<T>(run: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(|| drop(run()))) {
        Ok(()) => panic!("nothing is said"),
        Err(panic) => {
            panic.downcast::<String>().map_or_else(|other| (*other.downcast::<&str>().unwrap()).into(), |text| *text)
        }
    }
}

fn poll<F: Future>(future: F) {
    let _ = pin!(future).poll(&mut TaskCx::from_waker(Waker::noop()));
}

fn probe(journal: &Journal) -> impl Future<Output = Result<ActorRef<Probe>, supervise::error::SpawnError>> + Send {
    let journal = journal.clone();
    spawn(child! { "top": Probe = Probe::start("top", journal).await? })
}

/// S14, S21, S39: restarts need a timer. In a runtime without time, the first restart would find this out; instead, the
/// start panics at once, and nothing has begun.
#[test]
fn a_runtime_without_time_is_refused_before_anything_begins() {
    let (runtime, journal) = (timeless(), Journal::default());
    let said = [
        panics(|| runtime.block_on(Home::start(journal.clone()))),
        panics(|| runtime.block_on(Home::run(journal.clone(), async {}))),
        panics(|| runtime.block_on(probe(&journal))),
    ];
    for text in said {
        assert!(text.contains("enable_time"), "{text}");
    }
    assert!(journal.take().is_empty());
}

/// S21, S25, S27: a spawn in a set can be awaited anywhere, since the instance runs where its supervisor runs.
#[test]
fn a_set_takes_an_instance_from_a_runtime_without_time_and_from_none() {
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("tree").enable_time().build().unwrap();
    let journal = Journal::default();
    let start = Home::start(journal.clone());
    let home = runtime.block_on(async { tokio::spawn(start).await.unwrap().unwrap() });
    timeless().block_on(async {
        home.set.spawn().await.unwrap();
        home.keyed.spawn(1).await.unwrap();
        home.keyed.get_or_spawn(2).await.unwrap();
    });
    block_on(home.set.spawn()).unwrap();
    block_on(home.keyed.spawn(3)).unwrap();
    block_on(home.keyed.get_or_spawn(4)).unwrap();
    block_on(home.keyed.replace(1)).unwrap();
    assert_eq!((home.set.len(), home.keyed.len()), (2, 4));
    let fails = home.keyed.get(&3).unwrap();
    runtime.block_on(async {
        fails.tell(Do::Fail(Boom::Told)).await.unwrap();
        fails.ask(Do::Get).forever().await.unwrap();
    });
    assert_eq!(fails.incarnation(), 2, "its restart has a timer");
    assert!(runtime.block_on(home.shutdown()).is_orderly());
}

/// S21, S39: the same outside of any runtime.
#[test]
fn outside_of_a_runtime_nothing_begins() {
    let journal = Journal::default();
    let said = [
        panics(|| poll(Home::start(journal.clone()))),
        panics(|| poll(Home::run(journal.clone(), async {}))),
        panics(|| poll(probe(&journal))),
    ];
    for text in said {
        assert!(text.contains("no reactor running"), "{text}");
    }
    assert!(journal.take().is_empty());
}
