//! Workers that are flooded with parcels while everything fails, and the ledger that knows the outcome of each parcel.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use supervise::prelude::*;

use crate::common::{Boom, ms};

/// The outcome of a parcel. Each goes from `OnItsWay` to one of the others, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    OnItsWay,
    /// The handler was entered, and cut short.
    Entered,
    /// The handler was entered, and failed by itself.
    Broken,
    Handled,
    /// The sender has it back, or was notified that it was not accepted.
    Returned,
    /// Dropped without being handled: there must be a dead letter for it.
    Dropped,
}

#[derive(Default)]
struct Inner {
    outcomes: Mutex<Vec<Outcome>>,
    children: Mutex<Vec<ActorRef<Worker>>>,
    starts_to_fail: AtomicU32,
    closed: AtomicBool,
    over: AtomicBool,
    on_their_way: AtomicUsize,
    failures: AtomicUsize,
    names: AtomicU32,
}

/// State that the workers, the producers and the saboteur share.
#[derive(Clone)]
pub struct Ledger {
    inner: Arc<Inner>,
    /// On a real clock the tasks do not sleep: they count turns instead.
    real: bool,
}

impl Ledger {
    pub fn new(real: bool) -> Self {
        Ledger { inner: Arc::default(), real }
    }

    // ----- the ledger

    pub fn parcel(&self, what: What, reply: Option<Reply<usize>>) -> Parcel {
        let mut outcomes = self.inner.outcomes.lock().unwrap();
        outcomes.push(Outcome::OnItsWay);
        self.inner.on_their_way.fetch_add(1, SeqCst);
        Parcel { number: outcomes.len() - 1, what, reply, ledger: self.clone() }
    }

    /// Records the new outcome, and returns the previous one.
    fn becomes(&self, number: usize, outcome: Outcome) -> Outcome {
        let was = std::mem::replace(&mut self.inner.outcomes.lock().unwrap()[number], outcome);
        self.inner.on_their_way.fetch_sub(usize::from(was == Outcome::OnItsWay), SeqCst);
        was
    }

    pub fn outcome(&self, number: usize) -> Outcome {
        self.inner.outcomes.lock().unwrap()[number]
    }

    /// Records that the library has dropped the parcel and returned an error to the sender.
    pub fn refused(&self, number: usize) {
        assert_eq!(self.becomes(number, Outcome::Returned), Outcome::Dropped, "a refused parcel still exists");
    }

    pub fn count(&self, outcome: Outcome) -> usize {
        self.inner.outcomes.lock().unwrap().iter().filter(|known| **known == outcome).count()
    }

    pub fn sent(&self) -> usize {
        self.inner.outcomes.lock().unwrap().len()
    }

    // ----- the flood

    pub fn on_their_way(&self) -> usize {
        self.inner.on_their_way.load(SeqCst)
    }

    /// Ends the handlers that hang: on a real clock, a shutdown would wait for them.
    pub fn trouble_is_over(&self) {
        self.inner.over.store(true, SeqCst);
    }

    pub fn close(&self) {
        self.inner.closed.store(true, SeqCst);
    }

    pub fn is_closed(&self) -> bool {
        self.inner.closed.load(SeqCst)
    }

    pub async fn pause(&self, turns: u64) {
        if self.real {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
        } else {
            tokio::time::sleep(ms(turns)).await;
        }
    }

    // ----- the failures

    /// Makes the next starts fail, whichever actors they belong to.
    pub fn fail_starts(&self, times: u32) {
        self.inner.starts_to_fail.store(times, SeqCst);
    }

    pub fn has_failed(&self, times: usize) {
        self.inner.failures.store(times, SeqCst);
    }

    pub fn failures(&self) -> usize {
        self.inner.failures.load(SeqCst)
    }

    pub fn children(&self) -> Vec<ActorRef<Worker>> {
        self.inner.children.lock().unwrap().clone()
    }

    /// Adds a child; beyond five, the oldest is removed. It may have ended long ago, or is stopped now.
    pub fn add_child(&self, child: ActorRef<Worker>) {
        let mut children = self.inner.children.lock().unwrap();
        children.push(child);
        if children.len() > 5 {
            children.remove(0).stop();
        }
    }

    pub fn name(&self) -> String {
        format!("child{}", self.inner.names.fetch_add(1, SeqCst))
    }
}

/// A message with its number and its ledger.
pub struct Parcel {
    pub number: usize,
    what: What,
    reply: Option<Reply<usize>>,
    ledger: Ledger,
}

impl Drop for Parcel {
    fn drop(&mut self) {
        if self.ledger.outcome(self.number) == Outcome::OnItsWay {
            self.ledger.becomes(self.number, Outcome::Dropped);
        }
    }
}

impl Parcel {
    /// Records that the sender has the parcel back.
    pub fn came_back(self) {
        assert_eq!(self.ledger.becomes(self.number, Outcome::Returned), Outcome::OnItsWay);
    }
}

/// The effect of handling a parcel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Fine,
    /// Drops the `Reply`.
    Mute,
    Work(u64),
    Fail(Boom),
    Panic,
    /// Hangs until it is killed, or the trouble is over.
    Hang,
    /// Spawns a child (only a boss does).
    Spawn,
}

pub struct Worker(Ledger);

impl Worker {
    pub async fn open(ledger: Ledger) -> Result<Worker, Boom> {
        ledger.pause(1).await;
        let failing = ledger.inner.starts_to_fail.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        match failing {
            Ok(left) if left % 2 == 0 => Err(Boom::Planned),
            Ok(_) => panic!("planned panic in a start"),
            Err(_) => Ok(Worker(ledger)),
        }
    }
}

impl Parcel {
    /// Records that the handler was entered.
    async fn open(&mut self) -> Result<(), Boom> {
        let broken = matches!(self.what, What::Fail(_) | What::Panic);
        let was = self.ledger.becomes(self.number, if broken { Outcome::Broken } else { Outcome::Entered });
        assert_eq!(was, Outcome::OnItsWay, "a parcel is handled once");
        match self.what {
            What::Fine | What::Mute | What::Spawn => Ok(()),
            What::Work(turns) => {
                self.ledger.pause(turns).await;
                Ok(())
            }
            What::Fail(boom) => Err(boom),
            What::Panic => panic!("planned panic"),
            What::Hang => {
                while !self.ledger.inner.over.load(SeqCst) {
                    self.ledger.pause(50).await;
                }
                Ok(())
            }
        }
    }

    fn done(mut self) {
        self.ledger.becomes(self.number, Outcome::Handled);
        if let Some(reply) = self.reply.take().filter(|_| self.what != What::Mute) {
            reply.send(self.number);
        }
    }
}

#[actor]
impl Worker {
    async fn handle(&mut self, mut parcel: Parcel) -> Result<(), Boom> {
        parcel.open().await?;
        parcel.done();
        Ok(())
    }

    #[post_stop]
    async fn leave(&mut self) {
        self.0.pause(2).await;
    }
}

/// Spawns workers as children on request, in one group.
pub struct Boss(pub Ledger);

#[actor]
impl Boss {
    async fn handle(&mut self, mut parcel: Parcel, cx: &mut Context<Self>) -> Result<(), Boom> {
        parcel.open().await?;
        if parcel.what == What::Spawn {
            let (ledger, name) = (self.0.clone(), self.0.name());
            if let Ok(child) = cx.spawn(child! { &name: Worker = Worker::open(ledger).await? }).await {
                self.0.add_child(child);
            }
        }
        parcel.done();
        Ok(())
    }

    #[supervision]
    fn how(&self) -> SupervisorStrategy {
        strategy! { #![strategy(AllForOne, max_restarts = 5, within = 1s)] #![decider(Cause::Killed => Stop, Boom::Fatal => Escalate, _ => Restart)] }
    }
}

supervisor! {
    /// Workers with bounded and unbounded mailboxes, alone and in groups, declared and spawned.
    pub struct Depot(ledger: Ledger) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(Boom::Told => Resume, _ => Restart)]

        #[mailbox(Bounded(4))]
        plain: Worker = Worker::open(ledger).await?,

        #[mailbox(Unbounded)]
        open: Worker = Worker::open(ledger).await?,

        #[mailbox(Bounded(3))]
        #[backoff(1ms..20ms)]
        slow: Worker = Worker::open(ledger).await?,

        pair: struct Pair {
            #![strategy(AllForOne, max_restarts = 3, within = 300ms)]
            #![decider(Boom::Fatal => Escalate, _ => Restart)]
            #[mailbox(Bounded(2))]
            a: Worker = Worker::open(ledger).await?,
            #[mailbox(Unbounded)]
            b: Worker = Worker::open(ledger).await?,
        },

        line: struct Line {
            #![strategy(RestForOne, max_restarts = 5, within = 300ms)]
            #![decider(Boom::Fatal => Escalate, _ => Restart)]
            #[mailbox(Unbounded)]
            c: Worker = Worker::open(ledger).await?,
            #[mailbox(Bounded(2))]
            d: Worker = Worker::open(ledger).await?,
            #[lifecycle(Permanent, shutdown = 20ms)]
            e: Worker = Worker::open(ledger).await?,
        },

        #[mailbox(Bounded(8))]
        boss: Boss = Boss(ledger),

        #[decider(Cause::Killed => Stop)]
        #[limit(max_restarts = 2, within = 1s)]
        #[mailbox(Bounded(3))]
        crew: [Worker] = || Worker::open(ledger).await?,
    }
}
