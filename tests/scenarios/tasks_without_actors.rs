//! A pipeline of only tasks: a source, a mill that breaks, and a sink, connected by a channel and a token.
//!
//! Proves that tasks need no actor (S29): they share `let` values (S30), which outlive the restart of any of them; a
//! token that one of them cancels ends the others, and with the last of them the tree (S22).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use supervise::prelude::*;
use tokio::sync::{Mutex, mpsc};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::common::{Boom, Journal, ms, secs};

/// Both ends of a queue that can be shared, and used again after a restart.
#[derive(Clone)]
struct Belt {
    put: mpsc::Sender<u64>,
    get: Arc<Mutex<mpsc::Receiver<u64>>>,
}

impl Belt {
    fn new() -> Belt {
        let (put, get) = mpsc::channel(4);
        Belt { put, get: Arc::new(Mutex::new(get)) }
    }
}

/// Sends one number a second, until the day is over.
async fn source(belt: Belt, over: CancellationToken) {
    for n in 1.. {
        tokio::select! {
            () = over.cancelled() => return,
            () = sleep(secs(1)) => belt.put.send(n).await.unwrap(),
        }
    }
}

/// Breaks on every fifth number.
async fn mill(from: Belt, to: Belt, over: CancellationToken) -> Result<(), Boom> {
    let mut get = from.get.lock().await;
    loop {
        tokio::select! {
            () = over.cancelled() => return Ok(()),
            Some(n) = get.recv() => {
                if n % 5 == 0 {
                    return Err(Boom::Told);
                }
                to.put.send(n).await.unwrap();
            }
        }
    }
}

/// Adds up the numbers, and closes the day at the given sum. When asked to stop, it reports its sum.
async fn sink(
    cx: TaskContext,
    belt: Belt,
    sum: Arc<AtomicU64>,
    enough: u64,
    over: CancellationToken,
    journal: Journal,
) {
    let mut get = belt.get.lock().await;
    loop {
        tokio::select! {
            _ = cx.stopped() => {
                journal.write(format!("told at {}", sum.load(Relaxed)));
                return;
            }
            Some(n) = get.recv() => {
                if sum.fetch_add(n, Relaxed) + n >= enough {
                    over.cancel();
                    return;
                }
            }
        }
    }
}

/// Writes a line when the last clone is dropped.
struct Day(Journal);

impl Drop for Day {
    fn drop(&mut self) {
        self.0.write("day over");
    }
}

supervisor! {
    struct Mill(enough: u64, sum: Arc<AtomicU64>, journal: Journal) {
        let _day = Day(journal);
        let over = CancellationToken::new();
        let (grain, flour) = (Belt::new(), Belt::new());
        sink: task = |cx| sink(cx, flour, sum, enough, over, journal),
        mill: task = mill(grain, flour, over),
        source: task = source(grain, over),
    }
}

#[tokio::test(start_paused = true)]
async fn tasks_share_lets_over_restarts_and_end_each_other_by_their_own_token() {
    let (journal, sum) = (Journal::default(), Arc::new(AtomicU64::new(0)));
    let mill = Mill::start(40, sum.clone(), journal.clone()).await.unwrap();
    let handle = mill.handle();
    let begin = Instant::now();
    let report = mill.join().await;
    assert!(matches!(report.ended, Ended::Done), "{report}");
    // 1 + 2 + 3 + 4 + 6 + 7 + 8 + 9 = 40; the fifth number broke the mill.
    assert_eq!(sum.load(Relaxed), 40);
    assert!(begin.elapsed() >= secs(9) && begin.elapsed() < secs(9) + ms(10), "{:?}", begin.elapsed());
    assert_eq!([handle.source.incarnation(), handle.mill.incarnation(), handle.sink.incarnation()], [1, 2, 1]);
    assert_eq!(journal.take(), ["day over"]);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_stops_them_in_reverse_without_the_token() {
    let (journal, sum) = (Journal::default(), Arc::new(AtomicU64::new(0)));
    let mill = Mill::start(u64::MAX, sum, journal.clone()).await.unwrap();
    sleep(ms(3_500)).await;
    let report = mill.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    let order: Vec<_> = report.children.iter().map(|child| &*child.path).collect();
    assert_eq!(order, ["source", "mill", "sink"]);
    assert_eq!(journal.take(), ["told at 6", "day over"]);
}
