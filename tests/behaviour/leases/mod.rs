//! Trees under a lease (S55).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::Lease;
use supervise::Thrown;
use supervise::event::{EventKind, Events};
use supervise::lease::Acquired;
use supervise::prelude::*;
use supervise::testing::MemoryLease;
use tokio::time::{Instant, sleep};

mod ends;
mod histories;
mod part;
mod threads;
mod whole;

/// The acts of all trees of a test, in order: the token and the time.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<(u64, Instant)>>>);

impl Log {
    fn act(&self, token: u64) {
        self.0.lock().unwrap().push((token, Instant::now()));
    }

    fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// The tokens in the order of their acts, each as often as another one came in between.
    fn tokens(&self) -> Vec<u64> {
        let mut tokens: Vec<u64> = self.0.lock().unwrap().iter().map(|(token, _)| *token).collect();
        tokens.dedup();
        tokens
    }

    /// The time since the last act.
    fn quiet(&self) -> Duration {
        self.0.lock().unwrap().last().map_or(Duration::MAX, |(_, at)| at.elapsed())
    }
}

/// Acts ten times a second, until it is dropped.
async fn act(log: Log, token: Option<u64>) {
    let token = token.expect("it runs under a lease");
    loop {
        log.act(token);
        sleep(Duration::from_millis(100)).await;
    }
}

#[derive(Clone, Default)]
pub struct Times {
    start: Duration,
    stop: Duration,
}

supervisor! {
    /// A tree that acts, and takes its time to start and to stop.
    pub struct Shop(log: Log, times: Times) {
        #[lifecycle(Permanent, shutdown = 1min)]
        slow: Slow = Slow::start(times).await,
        acting: task = act(log, tree.lease_token()),
    }
}

pub struct Slow(Times);

impl Slow {
    async fn start(times: Times) -> Slow {
        sleep(times.start).await;
        Slow(times)
    }
}

impl Actor for Slow {
    type Msg = Reply<Option<u64>>;
    type Error = std::convert::Infallible;

    async fn receive(&mut self, reply: Reply<Option<u64>>, cx: &mut Context<Self>) -> Result<(), Self::Error> {
        reply.send(cx.lease_token());
        Ok(())
    }

    async fn post_stop(&mut self, _cx: &mut Context<Self>) -> Result<(), Self::Error> {
        sleep(self.0.stop).await;
        Ok(())
    }
}

/// A lease that notes its calls, and how many of them were under way at once.
#[derive(Clone)]
struct OneCall {
    lease: MemoryLease,
    calls: Arc<Mutex<Calls>>,
}

struct Calls {
    since: Instant,
    /// The calls in order, and when each began.
    begun: Vec<(&'static str, Duration)>,
    now: usize,
    most: usize,
}

impl OneCall {
    fn of(lease: MemoryLease) -> OneCall {
        let calls = Calls { since: Instant::now(), begun: Vec::new(), now: 0, most: 0 };
        OneCall { lease, calls: Arc::new(Mutex::new(calls)) }
    }

    async fn call<T>(&self, name: &'static str, call: impl Future<Output = T>) -> T {
        struct Over<'a>(&'a Mutex<Calls>);
        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.lock().unwrap().now -= 1;
            }
        }
        {
            let mut calls = self.calls.lock().unwrap();
            let at = calls.since.elapsed();
            calls.begun.push((name, at));
            calls.now += 1;
            calls.most = calls.most.max(calls.now);
        }
        let _over = Over(&self.calls);
        call.await
    }
}

impl Lease for OneCall {
    fn name(&self) -> String {
        self.lease.name()
    }

    fn ttl(&self) -> Duration {
        Lease::ttl(&self.lease)
    }

    async fn acquire(&self) -> Result<Option<Acquired>, Thrown> {
        self.call("acquire", self.lease.acquire()).await
    }

    async fn renew(&self, token: u64) -> Result<bool, Thrown> {
        self.call("renew", self.lease.renew(token)).await
    }

    async fn release(&self, token: u64) -> Result<(), Thrown> {
        self.call("release", self.lease.release(token)).await
    }
}

/// Returns the changes of the lease so far, without its name.
fn changes(events: &mut Events) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::Lease { change, .. } = event.kind {
            lines.push(change.to_string());
        }
    }
    lines
}

fn secs(secs: f64) -> Duration {
    Duration::from_secs_f64(secs)
}
