//! Shared parts of the integration tests: a journal, and an actor that does what its messages order and writes down
//! what happens.

#![allow(dead_code, missing_docs, unreachable_pub, unused_imports)]

pub mod drawings;
pub mod listen;

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as Cx, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use supervise::event::Events;
use supervise::prelude::*;
use supervise::testing;

/// The events so far, in order. Clones write into the same journal.
#[derive(Clone, Default)]
pub struct Journal(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    lines: Vec<String>,
    /// The planned faults: `"db pre_start"`, and how many times the fault is still to occur.
    faults: HashMap<String, (u32, Fault)>,
}

/// The way in which a hook or start fails.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    Error,
    Panic,
    /// Takes this long, then continues.
    Slow(Duration),
}

impl Journal {
    pub fn write(&self, line: impl fmt::Display) {
        self.0.lock().unwrap().lines.push(line.to_string());
    }

    /// Everything since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().lines)
    }

    /// The next `times` times that `place` (`"db pre_start"`) is reached, it fails with this fault.
    pub fn plan(&self, place: &str, times: u32, fault: Fault) {
        self.0.lock().unwrap().faults.insert(place.to_owned(), (times, fault));
    }

    fn fault(&self, place: &str) -> Option<Fault> {
        let mut inner = self.0.lock().unwrap();
        let (left, fault) = inner.faults.get_mut(place)?;
        let fault = *fault;
        *left = left.checked_sub(1)?;
        Some(fault)
    }

    /// Writes `"db pre_start"`, and fails there if a fault is planned.
    pub async fn reach(&self, place: String) -> Result<(), Boom> {
        self.write(&place);
        match self.fault(&place) {
            None => Ok(()),
            Some(Fault::Error) => Err(Boom::Planned),
            Some(Fault::Panic) => panic!("planned panic in {place}"),
            Some(Fault::Slow(time)) => {
                tokio::time::sleep(time).await;
                self.write(format!("{place} done"));
                Ok(())
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boom {
    /// Planned by a test.
    Planned,
    /// Ordered by a message.
    Told,
    /// Ordered by a message; no decider should restart or resume after it.
    Fatal,
}

impl fmt::Display for Boom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Boom {}

/// Writes down what happens and does what its messages order.
pub struct Probe {
    pub name: String,
    pub journal: Journal,
    pub sum: u64,
}

#[derive(Debug, Clone)]
pub enum Do {
    Add(u64),
    Get(Reply<u64>),
    /// The handler returns this error.
    Fail(Boom),
    Panic,
    /// `cx.stop()`.
    Stop,
    /// Sleeps in the handler, writing down begin and end.
    Work(Duration),
    /// Writes the line down.
    Note(&'static str),
    /// Never returns.
    Hang,
    /// Calls `cx.reset_backoff()`.
    Reset,
    Incarnation(Reply<u32>),
}

impl Probe {
    /// A start expression with a place for planned faults, `"{name} start"`.
    pub async fn start(name: impl Into<String>, journal: Journal) -> Result<Probe, Boom> {
        let name = name.into();
        journal.reach(format!("{name} start")).await?;
        Ok(Probe { name, journal, sum: 0 })
    }

    async fn hook(&self, hook: &str) -> Result<(), Boom> {
        self.journal.reach(format!("{} {hook}", self.name)).await
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.journal.write(format!("{} drop", self.name));
        if matches!(self.journal.fault(&format!("{} drop", self.name)), Some(Fault::Panic)) {
            panic!("planned panic in drop");
        }
    }
}

impl Actor for Probe {
    type Msg = Do;
    type Error = Boom;

    async fn receive(&mut self, msg: Do, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            Do::Add(n) => self.sum += n,
            Do::Get(reply) => reply.send(self.sum),
            Do::Fail(boom) => return Err(boom),
            Do::Panic => panic!("planned panic"),
            Do::Stop => cx.stop(),
            Do::Work(time) => {
                self.journal.write(format!("{} works", self.name));
                tokio::time::sleep(time).await;
                self.journal.write(format!("{} worked", self.name));
            }
            Do::Note(line) => self.journal.write(format!("{} {line}", self.name)),
            Do::Hang => std::future::pending().await,
            Do::Reset => cx.reset_backoff(),
            Do::Incarnation(reply) => reply.send(cx.incarnation()),
        }
        Ok(())
    }

    async fn pre_start(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        self.hook("pre_start").await
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        self.hook("post_stop").await
    }

    async fn pre_restart(&mut self, _: &Failure, _: &mut Context<Self>) -> Result<(), Boom> {
        self.hook("pre_restart").await
    }

    async fn post_restart(&mut self, _: &Failure, _: &mut Context<Self>) -> Result<(), Boom> {
        self.hook("post_restart").await
    }
}

pub use supervise::testing::{advance as pass, settle};

/// Waits for something that must happen; on the paused clock a test that waits forever fails at once.
pub async fn soon<F: Future>(what: F) -> F::Output {
    tokio::time::timeout(secs(24 * 3600), what).await.expect("the awaited result never comes")
}

pub const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// The events so far as short lines: `"db failed"`, `"db restart in 3s"`, `"db restarted"`.
pub fn seen(events: &mut Events) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(event) = events.try_next() {
        lines.push(testing::line(&event));
    }
    lines
}

/// Suppresses the output of panics that tests cause on purpose.
pub fn quiet_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let payload = info.payload();
            let text = payload
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| payload.downcast_ref::<String>().map(|text| &**text));
            if !text.is_some_and(|text| text.starts_with("planned panic")) {
                before(info);
            }
        }));
    });
}

/// Runs a test that might hang on a separate thread, and fails if that thread does not return in time.
#[track_caller]
pub fn comes_back(test: impl FnOnce() + Send + 'static) {
    use std::sync::mpsc::{RecvTimeoutError, channel};

    let (done, is_done) = channel();
    let thread = std::thread::spawn(move || {
        test();
        done.send(()).expect("the test receives the result");
    });
    match is_done.recv_timeout(secs(60)) {
        Ok(()) => {}
        Err(RecvTimeoutError::Timeout) => panic!("the test hangs"),
        Err(RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().expect_err("the thread ended without a result"));
        }
    }
}

/// Runs a future on this thread, outside of a runtime.
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Here(Thread);
    impl Wake for Here {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Here(std::thread::current())));
    let (mut future, begun) = (pin!(future), std::time::Instant::now());
    loop {
        assert!(begun.elapsed() < secs(30), "the future does not return");
        match future.as_mut().poll(&mut Cx::from_waker(&waker)) {
            Poll::Ready(out) => return out,
            Poll::Pending => std::thread::park_timeout(secs(1)),
        }
    }
}
