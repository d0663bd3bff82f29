//! Raw queues between async tasks, as candidates for a mailbox.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::*, fence};
use std::task::Poll;
use std::time::Instant;

use atomic_waker::AtomicWaker;
use crossbeam_queue::SegQueue;
use tokio::sync::mpsc;

use crate::clients;
use crate::harness::{Run, run};
use crate::swap::{self, Event};
use crate::{stack, vyukov};

/// As small as an actor's message enum usually is.
type Item = (u64, u64);

pub const NAMES: [&str; 13] = [
    "tokio",
    "tokio-many",
    "flume",
    "kanal",
    "crossfire",
    "async-channel",
    "thingbuf",
    "seg-waker",
    "seg-flag",
    "vyukov",
    "stack",
    "swap-parking",
    "swap",
];

macro_rules! bench {
    ($producers:expr, $n:expr, $yielding:expr, $channel:expr,
     |$tx:ident, $i:ident| $send:expr, |$rx:ident, $left:ident| $recv:expr) => {{
        #[allow(unused_mut)]
        let (tx, mut $rx) = $channel;
        let start = Instant::now();
        let mut $left = $n;
        let receiver = tokio::spawn(async move {
            while $left > 0 {
                $recv
            }
        });
        clients!($producers, $n, yielding: $yielding, tx, |$tx, $i| $send);
        receiver.await.unwrap();
        run($n, start)
    }};
}

pub async fn tell(name: String, cap: Option<usize>, producers: u64, n: u64) -> Option<Run> {
    match (name.as_str(), cap) {
        ("tokio", Some(cap)) => bench!(
            producers,
            n,
            false,
            mpsc::channel::<Item>(cap),
            |tx, i| tx.send((i, i)).await.unwrap(),
            |rx, left| {
                rx.recv().await.unwrap();
                left -= 1;
            }
        ),
        ("tokio", None) => bench!(
            producers,
            n,
            true,
            mpsc::unbounded_channel::<Item>(),
            |tx, i| tx.send((i, i)).unwrap(),
            |rx, left| {
                rx.recv().await.unwrap();
                left -= 1;
            }
        ),
        ("tokio-many", Some(cap)) => bench!(
            producers,
            n,
            false,
            mpsc::channel::<Item>(cap),
            |tx, i| tx.send((i, i)).await.unwrap(),
            |rx, left| {
                let mut batch = Vec::with_capacity(128);
                while left > 0 {
                    left -= rx.recv_many(&mut batch, 128).await as u64;
                    batch.clear();
                }
            }
        ),
        ("tokio-many", None) => bench!(
            producers,
            n,
            true,
            mpsc::unbounded_channel::<Item>(),
            |tx, i| tx.send((i, i)).unwrap(),
            |rx, left| {
                let mut batch = Vec::with_capacity(128);
                while left > 0 {
                    left -= rx.recv_many(&mut batch, 128).await as u64;
                    batch.clear();
                }
            }
        ),
        ("flume", Some(cap)) => bench!(
            producers,
            n,
            false,
            flume::bounded::<Item>(cap),
            |tx, i| tx.send_async((i, i)).await.unwrap(),
            |rx, left| {
                rx.recv_async().await.unwrap();
                left -= 1;
            }
        ),
        ("flume", None) => {
            bench!(producers, n, true, flume::unbounded::<Item>(), |tx, i| tx.send((i, i)).unwrap(), |rx, left| {
                rx.recv_async().await.unwrap();
                left -= 1;
            })
        }
        ("kanal", Some(cap)) => bench!(
            producers,
            n,
            false,
            kanal::bounded_async::<Item>(cap),
            |tx, i| tx.send((i, i)).await.unwrap(),
            |rx, left| {
                rx.recv().await.unwrap();
                left -= 1;
            }
        ),
        ("kanal", None) => bench!(
            producers,
            n,
            true,
            kanal::unbounded_async::<Item>(),
            |tx, i| tx.send((i, i)).await.unwrap(),
            |rx, left| {
                rx.recv().await.unwrap();
                left -= 1;
            }
        ),
        ("crossfire", Some(cap)) => bench!(
            producers,
            n,
            false,
            crossfire::mpsc::bounded_async::<Item>(cap),
            |tx, i| tx.send((i, i)).await.unwrap(),
            |rx, left| {
                rx.recv().await.unwrap();
                left -= 1;
            }
        ),
        ("crossfire", None) => bench!(
            producers,
            n,
            true,
            crossfire::mpsc::unbounded_async::<Item>(),
            |tx, i| tx.send((i, i)).unwrap(),
            |rx, left| {
                rx.recv().await.unwrap();
                left -= 1;
            }
        ),
        ("async-channel", Some(cap)) => bench!(
            producers,
            n,
            false,
            async_channel::bounded::<Item>(cap),
            |tx, i| tx.send((i, i)).await.unwrap(),
            |rx, left| {
                rx.recv().await.unwrap();
                left -= 1;
            }
        ),
        ("async-channel", None) => bench!(
            producers,
            n,
            true,
            async_channel::unbounded::<Item>(),
            |tx, i| tx.try_send((i, i)).unwrap(),
            |rx, left| {
                rx.recv().await.unwrap();
                left -= 1;
            }
        ),
        ("thingbuf", Some(cap)) => bench!(
            producers,
            n,
            false,
            thingbuf::mpsc::channel::<Item>(cap),
            |tx, i| tx.send((i, i)).await.unwrap(),
            |rx, left| {
                rx.recv().await.unwrap();
                left -= 1;
            }
        ),
        ("seg-waker", None) => {
            let queue = Arc::new((SegQueue::<Item>::new(), AtomicWaker::new()));
            bench!(
                producers,
                n,
                true,
                (queue.clone(), queue),
                |tx, i| {
                    tx.0.push((i, i));
                    tx.1.wake();
                },
                |rx, left| {
                    std::future::poll_fn(|cx| {
                        if rx.0.pop().is_some() {
                            return Poll::Ready(());
                        }
                        rx.1.register(cx.waker());
                        rx.0.pop().map_or(Poll::Pending, |_| Poll::Ready(()))
                    })
                    .await;
                    left -= 1;
                }
            )
        }
        ("seg-flag", None) => {
            let queue = Arc::new((SegQueue::<Item>::new(), AtomicWaker::new(), AtomicBool::new(false)));
            bench!(
                producers,
                n,
                true,
                (queue.clone(), queue),
                |tx, i| {
                    tx.0.push((i, i));
                    fence(SeqCst);
                    if tx.2.load(Relaxed) && tx.2.swap(false, AcqRel) {
                        tx.1.wake();
                    }
                },
                |rx, left| {
                    std::future::poll_fn(|cx| {
                        if rx.0.pop().is_some() {
                            return Poll::Ready(());
                        }
                        rx.1.register(cx.waker());
                        rx.2.store(true, SeqCst);
                        fence(SeqCst);
                        rx.0.pop().map_or(Poll::Pending, |_| Poll::Ready(()))
                    })
                    .await;
                    left -= 1;
                }
            )
        }
        ("stack", None) => bench!(producers, n, true, stack::channel::<Item>(), |tx, i| tx.send((i, i)), |rx, left| {
            rx.recv().await;
            left -= 1;
        }),
        ("vyukov", None) => {
            bench!(producers, n, true, vyukov::channel::<Item>(), |tx, i| tx.send((i, i)), |rx, left| {
                rx.recv().await;
                left -= 1;
            })
        }
        ("swap", Some(cap)) => bench!(
            producers,
            n,
            false,
            swap::channel::<Item>(),
            |tx, i| tx.send_bounded((i, i), cap).await,
            |rx, left| {
                assert!(matches!(rx.recv().await, Event::Message(_)));
                left -= 1;
            }
        ),
        ("swap", None) => bench!(producers, n, true, swap::channel::<Item>(), |tx, i| tx.send((i, i)), |rx, left| {
            assert!(matches!(rx.recv().await, Event::Message(_)));
            left -= 1;
        }),
        ("swap-parking", Some(cap)) => bench!(
            producers,
            n,
            false,
            swap::with_lock::<Item, parking_lot::RawMutex>(),
            |tx, i| tx.send_bounded((i, i), cap).await,
            |rx, left| {
                assert!(matches!(rx.recv().await, Event::Message(_)));
                left -= 1;
            }
        ),
        ("swap-parking", None) => bench!(
            producers,
            n,
            true,
            swap::with_lock::<Item, parking_lot::RawMutex>(),
            |tx, i| tx.send((i, i)),
            |rx, left| {
                assert!(matches!(rx.recv().await, Event::Message(_)));
                left -= 1;
            }
        ),
        _ => None,
    }
}
