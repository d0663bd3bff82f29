//! A yard of clerks who are flooded with parcels while everything fails, and the ledger that knows of each
//! parcel what became of it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use supervise::prelude::*;

use crate::common::{Boom, ms};

/// What has become of a parcel. Each goes from `OnItsWay` to one of the others, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    OnItsWay,
    /// Its handler was entered, and cut short.
    Entered,
    /// Its handler was entered, and failed by itself.
    Broken,
    Handled,
    /// Its sender has it back, or was told that it was not taken.
    Returned,
    /// Dropped unseen: there must be a dead letter of it.
    Dropped,
}

#[derive(Default)]
struct Inner {
    fates: Mutex<Vec<Fate>>,
    kids: Mutex<Vec<ActorRef<Clerk>>>,
    starts_to_fail: AtomicU32,
    closed: AtomicBool,
    over: AtomicBool,
    on_their_way: AtomicUsize,
    failures: AtomicUsize,
    names: AtomicU32,
}

/// What the clerks, the producers and the saboteur share.
#[derive(Clone)]
pub struct Yard {
    inner: Arc<Inner>,
    /// On a real clock nobody sleeps: turns are counted instead.
    real: bool,
}

impl Yard {
    pub fn new(real: bool) -> Self {
        Yard { inner: Arc::default(), real }
    }

    // ----- the ledger

    pub fn parcel(&self, what: What, reply: Option<Reply<usize>>) -> Parcel {
        let mut fates = self.inner.fates.lock().unwrap();
        fates.push(Fate::OnItsWay);
        self.inner.on_their_way.fetch_add(1, SeqCst);
        Parcel { number: fates.len() - 1, what, reply, yard: self.clone() }
    }

    /// What becomes of it now; says what it was.
    fn becomes(&self, number: usize, fate: Fate) -> Fate {
        let was = std::mem::replace(&mut self.inner.fates.lock().unwrap()[number], fate);
        self.inner.on_their_way.fetch_sub(usize::from(was == Fate::OnItsWay), SeqCst);
        was
    }

    pub fn fate(&self, number: usize) -> Fate {
        self.inner.fates.lock().unwrap()[number]
    }

    /// The library has dropped it and has said so to the sender.
    pub fn refused(&self, number: usize) {
        assert_eq!(self.becomes(number, Fate::Returned), Fate::Dropped, "refused, and still somewhere");
    }

    pub fn count(&self, fate: Fate) -> usize {
        self.inner.fates.lock().unwrap().iter().filter(|known| **known == fate).count()
    }

    pub fn sent(&self) -> usize {
        self.inner.fates.lock().unwrap().len()
    }

    // ----- the flood

    pub fn on_their_way(&self) -> usize {
        self.inner.on_their_way.load(SeqCst)
    }

    /// What hangs comes back: on a real clock a shutdown would wait for it.
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

    /// The next starts, whoever's they are, fail.
    pub fn fail_starts(&self, times: u32) {
        self.inner.starts_to_fail.store(times, SeqCst);
    }

    pub fn has_failed(&self, times: usize) {
        self.inner.failures.store(times, SeqCst);
    }

    pub fn failures(&self) -> usize {
        self.inner.failures.load(SeqCst)
    }

    pub fn kids(&self) -> Vec<ActorRef<Clerk>> {
        self.inner.kids.lock().unwrap().clone()
    }

    /// The oldest makes room: it may have ended long ago, or it is stopped now.
    pub fn add_kid(&self, kid: ActorRef<Clerk>) {
        let mut kids = self.inner.kids.lock().unwrap();
        kids.push(kid);
        if kids.len() > 5 {
            kids.remove(0).stop();
        }
    }

    pub fn name(&self) -> String {
        format!("kid{}", self.inner.names.fetch_add(1, SeqCst))
    }
}

/// A message that knows its number and whose ledger it stands in.
pub struct Parcel {
    pub number: usize,
    what: What,
    reply: Option<Reply<usize>>,
    yard: Yard,
}

impl Drop for Parcel {
    fn drop(&mut self) {
        if self.yard.fate(self.number) == Fate::OnItsWay {
            self.yard.becomes(self.number, Fate::Dropped);
        }
    }
}

impl Parcel {
    /// Back with its sender.
    pub fn came_back(self) {
        assert_eq!(self.yard.becomes(self.number, Fate::Returned), Fate::OnItsWay);
    }
}

/// What handling a parcel comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Fine,
    /// The `Reply` is dropped.
    Mute,
    Work(u64),
    Fail(Boom),
    Panic,
    /// Until someone kills it, or the trouble is over.
    Hang,
    /// A child of its own (of a boss).
    Spawn,
}

pub struct Clerk(Yard);

impl Clerk {
    pub async fn open(yard: Yard) -> Result<Clerk, Boom> {
        yard.pause(1).await;
        let failing = yard.inner.starts_to_fail.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        match failing {
            Ok(left) if left % 2 == 0 => Err(Boom::Planned),
            Ok(_) => panic!("planned panic in a start"),
            Err(_) => Ok(Clerk(yard)),
        }
    }
}

impl Parcel {
    /// Its handler was entered.
    async fn open(&mut self) -> Result<(), Boom> {
        let broken = matches!(self.what, What::Fail(_) | What::Panic);
        let was = self.yard.becomes(self.number, if broken { Fate::Broken } else { Fate::Entered });
        assert_eq!(was, Fate::OnItsWay, "a parcel is handled once");
        match self.what {
            What::Fine | What::Mute | What::Spawn => Ok(()),
            What::Work(turns) => {
                self.yard.pause(turns).await;
                Ok(())
            }
            What::Fail(boom) => Err(boom),
            What::Panic => panic!("told to"),
            What::Hang => {
                while !self.yard.inner.over.load(SeqCst) {
                    self.yard.pause(50).await;
                }
                Ok(())
            }
        }
    }

    fn done(mut self) {
        self.yard.becomes(self.number, Fate::Handled);
        if let Some(reply) = self.reply.take().filter(|_| self.what != What::Mute) {
            reply.send(self.number);
        }
    }
}

#[actor]
impl Clerk {
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

/// Has clerks of its own, whom it spawns when told to, as one group.
pub struct Boss(pub Yard);

#[actor]
impl Boss {
    async fn handle(&mut self, mut parcel: Parcel, cx: &mut Context<Self>) -> Result<(), Boom> {
        parcel.open().await?;
        if parcel.what == What::Spawn {
            let (yard, name) = (self.0.clone(), self.0.name());
            let start = move || {
                let yard = yard.clone();
                async move { Ok(Clerk::open(yard).await?) }
            };
            if let Ok(kid) = cx.spawn(&name, start).await {
                self.0.add_kid(kid);
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
    /// Bounded and unbounded, alone and in groups, declared and not.
    pub struct Depot(yard: Yard) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(Boom::Told => Resume, _ => Restart)]

        #[mailbox(Bounded(4))]
        plain: Clerk = Clerk::open(yard).await?,

        #[mailbox(Unbounded)]
        open: Clerk = Clerk::open(yard).await?,

        #[mailbox(Bounded(3))]
        #[backoff(1ms..20ms)]
        slow: Clerk = Clerk::open(yard).await?,

        pair: struct Pair {
            #![strategy(AllForOne, max_restarts = 3, within = 300ms)]
            #![decider(Boom::Fatal => Escalate, _ => Restart)]
            #[mailbox(Bounded(2))]
            a: Clerk = Clerk::open(yard).await?,
            #[mailbox(Unbounded)]
            b: Clerk = Clerk::open(yard).await?,
        },

        line: struct Line {
            #![strategy(RestForOne, max_restarts = 5, within = 300ms)]
            #![decider(Boom::Fatal => Escalate, _ => Restart)]
            #[mailbox(Unbounded)]
            c: Clerk = Clerk::open(yard).await?,
            #[mailbox(Bounded(2))]
            d: Clerk = Clerk::open(yard).await?,
            #[lifecycle(Permanent, shutdown = 20ms)]
            e: Clerk = Clerk::open(yard).await?,
        },

        #[mailbox(Bounded(8))]
        boss: Boss = Boss(yard),

        #[decider(Cause::Killed => Stop)]
        #[limit(max_restarts = 2, within = 1s)]
        #[mailbox(Bounded(3))]
        crew: [Clerk] = || Clerk::open(yard).await?,
    }
}
