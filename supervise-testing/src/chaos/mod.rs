//! Chaos: faults of every kind at random times, and the promises that have to hold all the same.

mod check;
mod crowd;
mod fault;
mod random;
mod run;
mod shrink;

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc as StdArc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use supervise_core::base::sync::Arc;
use supervise_core::values::failure::{BoxError, Thrown, panic_text};
use supervise_core::values::report::Report;
use supervise_runtime::Tree;
use supervise_runtime::expansion::TreeDef;
use supervise_runtime::probe::{Seen, Witness};

pub use fault::ChaosFault;
pub use random::Random;
use run::Outcome;

/// Tests a tree under chaos: children fail, hang and are restarted at random times, and what is promised has to hold.
///
/// `tree` makes the tree anew for each run. [`Chaos`] says what happens in a run, and what is checked.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # struct Cart { _db: ActorRef<Db> }
/// # #[actor]
/// # impl Cart { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         cart: Cart = Cart { _db: db },
///     }
/// }
///
/// // #[test]
/// fn the_shop_survives_chaos() {
///     testing::chaos(Shop::tree).run();
/// }
/// # the_shop_survives_chaos();
/// ```
#[track_caller]
pub fn chaos<T: TreeDef>(tree: impl Fn() -> Tree<T> + Send + Sync + 'static) -> Chaos<T> {
    Chaos {
        plan: Plan {
            tree: Box::new(tree),
            at: Location::caller(),
            lasts: Duration::from_secs(60),
            moments: 20,
            kinds: ChaosFault::ALL.to_vec(),
            spared: Vec::new(),
            errors: Vec::new(),
            own: Vec::new(),
            messages: None,
            calls: 200,
            users: 4,
            calms: Vec::new(),
            holds: Vec::new(),
            afterwards: Vec::new(),
            workers: None,
            patience: Duration::from_secs(3600),
            bound: Duration::from_secs(60),
            unchecked: Vec::new(),
        },
        seeds: (0..10).collect(),
    }
}

type MakesError = Box<dyn Fn() -> Thrown + Send + Sync>;
type Own<T> = Box<dyn Fn(&T, &mut Random) + Send + Sync>;
type Told<T> = Box<dyn Fn(&T) + Send + Sync>;
type Call<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The user's traffic.
trait Messages<T>: Send + Sync {
    fn call<'a>(&'a self, tree: &'a T, random: &'a mut Random) -> Call<'a>;
}

impl<T, F: AsyncFn(&T, &mut Random) + Send + Sync> Messages<T> for F {
    fn call<'a>(&'a self, tree: &'a T, random: &'a mut Random) -> Call<'a> {
        Box::pin(self(tree, random))
    }
}

/// An invariant of the user.
trait Holds<T>: Send + Sync {
    fn holds<'a>(&'a self, tree: &'a T) -> Call<'a>;
}

impl<T, F: AsyncFn(&T) + Send + Sync> Holds<T> for F {
    fn holds<'a>(&'a self, tree: &'a T) -> Call<'a> {
        Box::pin(self(tree))
    }
}

/// A check of the user after the shutdown.
trait Afterwards: Send + Sync {
    fn look<'a>(&'a self, report: Option<&'a Report>) -> Call<'a>;
}

impl<F: AsyncFn(Option<&Report>) + Send + Sync> Afterwards for F {
    fn look<'a>(&'a self, report: Option<&'a Report>) -> Call<'a> {
        Box::pin(self(report))
    }
}

struct Plan<T: TreeDef> {
    tree: Box<dyn Fn() -> Tree<T> + Send + Sync>,
    /// The place where the test calls [`chaos`].
    at: &'static Location<'static>,
    lasts: Duration,
    moments: u32,
    kinds: Vec<ChaosFault>,
    spared: Vec<String>,
    errors: Vec<MakesError>,
    own: Vec<(String, Own<T>)>,
    messages: Option<Box<dyn Messages<T>>>,
    calls: u32,
    users: u64,
    calms: Vec<Told<T>>,
    holds: Vec<Box<dyn Holds<T>>>,
    afterwards: Vec<Box<dyn Afterwards>>,
    workers: Option<usize>,
    patience: Duration,
    /// The real time of a run.
    bound: Duration,
    unchecked: Vec<ChaosPromise>,
}

impl<T: TreeDef> Plan<T> {
    fn names(&self) -> Vec<String> {
        self.own.iter().map(|(name, _)| name.clone()).collect()
    }

    fn lines(&self, faults: &[fault::Fault]) -> Vec<String> {
        let names = self.names();
        let at_once = |at: usize| at > 0 && faults[at - 1].at == faults[at].at;
        faults.iter().enumerate().map(|(at, fault)| fault.line(&names, at_once(at))).collect()
    }
}

/// A promise that [`Chaos`] checks.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::{self, ChaosPromise};
/// # supervisor! { struct Shop { ticker: task = |cx| async move { cx.stopped().await } } }
///
/// testing::chaos(Shop::tree).unchecked([ChaosPromise::NothingLeft]).seed(7).run();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChaosPromise {
    /// Your own promises, in [`holds`](Chaos::holds), [`afterwards`](Chaos::afterwards) and
    /// [`messages`](Chaos::messages): none of these functions panics.
    Own,
    /// Of each path there is at most one instance at a time (S1).
    OneInstance,
    /// Children start in the order of their declaration (S21).
    OrderOfStarts,
    /// Children stop in the reverse order (S24).
    OrderOfStops,
    /// A child that is asked to stop ends, and is not restarted first (S16).
    StopWins,
    /// The future of a task that is killed is dropped at once (S4).
    KillsAreObeyed,
    /// Each accepted message is handled, or is a counted dead letter (S5).
    MessagesCounted,
    /// Once everything is calm, the tree starts.
    Starts,
    /// Once everything is calm, each child is up or has ended by itself, and each call returns. A declared child that was
    /// stopped or has failed is up after 20 more starts at most; why it was down is not checked.
    Settles,
    /// A `Permanent` child that ends by itself is restarted (S23).
    Permanent,
    /// No child is stuck, and none ends with its runtime (S25).
    NothingStuck,
    /// No failure has the cause `Bug` (S19).
    NoBug,
    /// The shutdown ends (S24).
    ShutdownEnds,
    /// After the end there is no instance, no task, and no handle that keeps a cell (S2, S25).
    NothingLeft,
}

/// A promise that a run has broken.
#[derive(Debug, Clone)]
struct Broken {
    what: ChaosPromise,
    text: String,
}

impl Broken {
    fn new(what: ChaosPromise, text: impl Into<String>) -> Self {
        Broken { what, text: text.into() }
    }
}

/// The steps of a run so far, for the report of one that hangs.
#[derive(Default)]
struct Progress {
    faults: StdMutex<Vec<fault::Fault>>,
    witness: StdMutex<Option<Arc<Witness>>>,
}

/// A test of a tree under chaos, made by [`chaos`].
///
/// A run begins with a fresh tree, on the paused clock of a runtime of its own. Then, for a time of that clock:
///
/// * **Faults** come at random times, of every kind of [`ChaosFault`], to every child at any depth. Several may come in
///   one poll. The root itself is spared; if it ends all the same, because its restarts are used up or a failure was
///   escalated, a new tree begins.
/// * **[`messages`](Self::messages)** are your traffic: a function that is called again and again, and whose future is
///   sometimes dropped.
///
/// Then everything is calm. Held starts go on, declared children that were stopped or have failed are started again, up
/// to 20 times, and each child has to settle. A tree that does not come up because a subtree was stopped during its first
/// start is dropped, and a new one begins. These promises are checked; [`ChaosPromise`] names them:
///
/// * each child is up, or has ended by itself, which a `Permanent` one may not; a declared child that was stopped or has
///   failed came up again, and why it was down is not checked;
/// * of each path there was at most one instance at a time;
/// * children came up in the order of their declaration, and went down in reverse order;
/// * each message that was accepted was handled, or is a counted dead letter;
/// * a child that was asked to stop has ended before it was started again, and a task that was killed was dropped at once;
/// * nothing was stuck, and nothing was a bug of this library;
/// * your own invariants, the closures of [`holds`](Self::holds);
/// * the shutdown ends, and nothing is left: no instance, no task, and no handle that keeps a cell.
///
/// A run that breaks one **fails with its seed**. The same seed causes the same faults at the same times, so the same
/// events follow, as far as the tree does not depend on anything but its seed and tokio's clock (S34). The faults are
/// then **shortened**: parts of them are left out, on fresh trees, as long as the same promise is broken. A run that hangs
/// in real time fails too, after a [bound](Self::within).
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use supervise::testing::{self, ChaosFault};
///
/// #[derive(Default)]
/// struct Stock {
///     sold: u32,
/// }
///
/// enum Msg {
///     Sell,
///     Sold(Reply<u32>),
/// }
///
/// #[actor]
/// impl Stock {
///     fn handle(&mut self, msg: Msg) {
///         match msg {
///             Msg::Sell => self.sold += 1,
///             Msg::Sold(reply) => reply.send(self.sold),
///         }
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         pub stock: Stock = Stock::default(),
///     }
/// }
///
/// // #[test]
/// fn the_shop_survives_chaos() {
///     testing::chaos(Shop::tree)
///         .seeds(0..5)
///         .lasts(Duration::from_secs(30))
///         .without([ChaosFault::HangingStart])
///         .messages(async |shop: &Shop, random| {
///             if random.one_in(2) {
///                 let _ = shop.stock.tell(Msg::Sell).await;
///             }
///         })
///         .holds(async |shop| {
///             assert!(shop.stock.ask(Msg::Sold).await.is_ok(), "the stock answers");
///         })
///         .run();
/// }
/// # the_shop_survives_chaos();
/// ```
#[must_use = "nothing happens before `run`"]
pub struct Chaos<T: TreeDef> {
    plan: Plan<T>,
    seeds: Vec<u64>,
}

impl<T: TreeDef> fmt::Debug for Chaos<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chaos").field("tree", &T::SPEC.name).field("seeds", &self.seeds).finish_non_exhaustive()
    }
}

impl<T: TreeDef> Chaos<T> {
    /// Sets the seeds, one for each run. The default is `0..10`.
    pub fn seeds(mut self, seeds: impl IntoIterator<Item = u64>) -> Self {
        self.seeds = seeds.into_iter().collect();
        self
    }

    /// Sets the seed of a single run: to repeat a failure.
    pub fn seed(self, seed: u64) -> Self {
        self.seeds([seed])
    }

    /// Sets how long faults come, on the clock of the run. The default is 60 s.
    pub fn lasts(mut self, time: Duration) -> Self {
        self.plan.lasts = time.max(Duration::from_millis(1));
        self
    }

    /// Sets how often faults come in a run. The default is 20; with 0 there are none.
    pub fn faults(mut self, moments: u32) -> Self {
        self.plan.moments = moments;
        self
    }

    /// Leaves out these kinds of faults.
    pub fn without(mut self, kinds: impl IntoIterator<Item = ChaosFault>) -> Self {
        let kinds: Vec<ChaosFault> = kinds.into_iter().collect();
        self.plan.kinds.retain(|kind| !kinds.contains(kind));
        self
    }

    /// Causes faults of these kinds alone.
    pub fn only(mut self, kinds: impl IntoIterator<Item = ChaosFault>) -> Self {
        self.plan.kinds = kinds.into_iter().collect();
        self
    }

    /// Leaves these promises unchecked: those that your own code breaks on purpose.
    pub fn unchecked(mut self, promises: impl IntoIterator<Item = ChaosPromise>) -> Self {
        self.plan.unchecked.extend(promises);
        self
    }

    /// Spares the child with this path, and all below it. A fault above it concerns it all the same.
    pub fn spare(mut self, path: impl Into<String>) -> Self {
        self.plan.spared.push(path.into());
        self
    }

    /// Adds an error with which children fail, so that deciders find it by its type. The default is an error that no
    /// decider knows.
    pub fn error<E: Into<BoxError> + Send + 'static>(mut self, error: impl Fn() -> E + Send + Sync + 'static) -> Self {
        self.plan.errors.push(Box::new(move || Thrown::from(error())));
        self
    }

    /// Adds a fault of your own, for what lies outside of the tree: a lease that is stolen, a server that refuses.
    ///
    /// Such a fault is drawn, recorded and shortened like the others. Undo what it has done in [`calms`](Self::calms).
    pub fn fault(mut self, name: impl Into<String>, fault: impl Fn(&T, &mut Random) + Send + Sync + 'static) -> Self {
        self.plan.own.push((name.into(), Box::new(fault)));
        self
    }

    /// Sets your traffic: called 200 times in a run, at equal distances, each call beside those that have not returned.
    ///
    /// The random numbers of a call depend on the seed and on the number of the call alone. A call that fails because of a
    /// fault is no failure of the test, one that panics is; and all have to return, once everything is calm. With
    /// [`workers`](Self::workers), several threads call it without a pause.
    pub fn messages(mut self, messages: impl AsyncFn(&T, &mut Random) + Send + Sync + 'static) -> Self {
        self.plan.messages = Some(Box::new(messages));
        self
    }

    /// Sets the number of calls of [`messages`](Self::messages) in a run.
    pub fn calls(mut self, calls: u32) -> Self {
        self.plan.calls = calls;
        self
    }

    /// Adds a function that is told when everything is to be calm: it ends the faults of your own.
    pub fn calms(mut self, calms: impl Fn(&T) + Send + Sync + 'static) -> Self {
        self.plan.calms.push(Box::new(calms));
        self
    }

    /// Adds an invariant of your own: called when each child has settled. It panics if it does not hold.
    pub fn holds(mut self, holds: impl AsyncFn(&T) + Send + Sync + 'static) -> Self {
        self.plan.holds.push(Box::new(holds));
        self
    }

    /// Adds a check that is called after the shutdown of each run, with its report; without one if the tree was not up. It
    /// panics if something is wrong.
    pub fn afterwards(mut self, afterwards: impl AsyncFn(Option<&Report>) + Send + Sync + 'static) -> Self {
        self.plan.afterwards.push(Box::new(afterwards));
        self
    }

    /// Runs the tree on this number of threads, in real time, instead of the paused clock. Then a seed repeats the random
    /// numbers and not the events, so the faults of a failure are not shortened, and what is read from the order of
    /// events is not checked: the orders of starts and stops, that stops win, and that kills are obeyed.
    pub fn workers(mut self, workers: usize) -> Self {
        self.plan.workers = Some(workers);
        self
    }

    /// Sets the number of threads that call [`messages`](Self::messages) when there are several
    /// [`workers`](Self::workers). The default is 4.
    pub fn users(mut self, users: u64) -> Self {
        self.plan.users = users;
        self
    }

    /// Sets the real time in which a run has to end; the default is 60 s. After it the run counts as hung.
    pub fn within(mut self, bound: Duration) -> Self {
        self.plan.bound = bound;
        self
    }

    /// Sets how long everything may take to settle once it is calm, on the clock of the run. The default is 1 h.
    pub fn settles_within(mut self, patience: Duration) -> Self {
        self.plan.patience = patience;
        self
    }

    /// Runs the chaos, seed after seed.
    ///
    /// # Panics
    ///
    /// Panics with a [`ChaosFailure`], as text, if a run breaks a promise or hangs. Panics as well if the test can find
    /// nothing, like [`try_run`](Self::try_run).
    #[track_caller]
    pub fn run(self) -> ChaosReport {
        match self.try_run() {
            Ok(report) => report,
            Err(failure) => panic!("{failure}"),
        }
    }

    /// Runs the chaos, seed after seed.
    ///
    /// # Errors
    ///
    /// Returns the first run that breaks a promise or hangs.
    ///
    /// # Panics
    ///
    /// Panics if the test can find nothing, or spares nothing where it means to:
    ///
    /// * there are no [`seeds`](Self::seeds);
    /// * no run had a fault, and [`faults(0)`](Self::faults) did not ask for that;
    /// * no tree of any run had a child with a path that is to be [spared](Self::spare).
    #[track_caller]
    pub fn try_run(self) -> Result<ChaosReport, ChaosFailure> {
        assert!(!self.seeds.is_empty(), "chaos has no seeds, so it runs nothing: give `.seeds(..)` at least one");
        let plan = StdArc::new(self.plan);
        let mut spared_none = plan.spared.clone();
        let mut report = ChaosReport::default();
        for seed in self.seeds {
            let outcome = match watched(&plan, seed, None) {
                Ok(outcome) => outcome,
                Err(hung) => return Err(*hung),
            };
            if !outcome.broken.is_empty() {
                return Err(shrink::shortened(&plan, seed, outcome));
            }
            report.runs += 1;
            report.faults += outcome.faults.len() as u64;
            report.trees += outcome.trees;
            report.starts += outcome.starts;
            report.messages += outcome.messages;
            report.events = outcome.lines;
            spared_none.retain(|path| !outcome.spared.contains(path));
        }
        let runs = report.runs;
        if let Some(path) = spared_none.first() {
            panic!(
                "chaos is to spare {path:?}, and no tree of {runs} runs had a child with this path: a path is written \
                 without the name of the root, as in `.spare(\"orders/daily\")`"
            );
        }
        assert!(
            report.faults > 0 || plan.moments == 0,
            "chaos had no fault in {runs} runs: see that `.only(..)` and `.without(..)` leave kinds of faults, that \
             `.spare(..)` leaves children, and that `.lasts(..)` and `.faults(..)` leave time for them; `.faults(0)` asks \
             for none"
        );
        Ok(report)
    }
}

/// Runs one seed in a thread of its own, which is given up if it hangs.
fn watched<T: TreeDef>(
    plan: &StdArc<Plan<T>>,
    seed: u64,
    given: Option<Vec<fault::Fault>>,
) -> Result<Outcome, Box<ChaosFailure>> {
    let progress = StdArc::new(Progress::default());
    let (done, over) = mpsc::channel();
    let (runs, told) = (plan.clone(), progress.clone());
    let thread = std::thread::Builder::new().name(format!("chaos, seed {seed}"));
    let worker = thread.spawn(move || {
        let ran = catch_unwind(AssertUnwindSafe(|| run::run(&runs, seed, given.as_deref(), &told)));
        drop(runs); // drops what the closures of the test hold before the caller is notified
        let _ = done.send(ran);
    });
    let worker = worker.expect("a thread for the test");
    let bound = plan.bound.saturating_add(plan.workers.map_or(Duration::ZERO, |_| plan.lasts));
    match over.recv_timeout(bound) {
        Ok(ran) => {
            let _ = worker.join();
            Ok(ran.unwrap_or_else(|panic| {
                let faults = progress.faults.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let text = panic_text(panic);
                Outcome { broken: vec![Broken::new(ChaosPromise::Own, text)], faults, ..Outcome::default() }
            }))
        }
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => unreachable!("the thread has told its outcome"),
        },
        Err(RecvTimeoutError::Timeout) => {
            let faults = progress.faults.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let witness = progress.witness.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let seen = witness.map(|witness| witness.take()).unwrap_or_default();
            let events = seen.iter().filter_map(|seen| match seen {
                Seen::Event { text, .. } => Some(text.clone()),
                Seen::Begun { path, .. } => Some(format!("{path} begins to start")),
                _ => None,
            });
            Err(Box::new(ChaosFailure {
                seed,
                broken: vec![format!("the run has not ended after {bound:?} of real time")],
                faults: plan.lines(&faults),
                drawn: faults.len(),
                events: events.collect::<Vec<_>>().into_iter().rev().take(SHOWN).rev().collect(),
                note: "A thread is blocked, or polls without an end. It is left behind.".into(),
            }))
        }
    }
}

/// The number of events that a failure shows, of the first and of the last ones.
const SHOWN: usize = 40;

/// Returns the lines of a run around its first fault, and the last ones.
fn shown(mut lines: Vec<String>) -> Vec<String> {
    let fault = lines.iter().position(|line| line.ends_with(run::BY_CHAOS)).unwrap_or(0);
    lines.drain(..fault.saturating_sub(3));
    let more = lines.len().saturating_sub(2 * SHOWN);
    if more > 0 {
        lines.splice(SHOWN..SHOWN + more, [format!("({more} more)")]);
    }
    lines
}

/// The sums of the runs of a [`Chaos`], when all of them were well.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
///
/// let report = testing::chaos(Shop::tree).seeds([7]).run();
/// assert_eq!(report.runs, 1);
/// assert!(report.faults > 0, "{report}");
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ChaosReport {
    /// The number of runs.
    pub runs: u64,
    /// The number of faults in all of them.
    pub faults: u64,
    /// The number of trees that were started: more than the runs, if some have ended under chaos.
    pub trees: u64,
    /// The number of starts of children.
    pub starts: u64,
    /// The number of messages that mailboxes have accepted.
    pub messages: u64,
    /// The events of the last run, one line each, with the faults between them.
    pub events: Vec<String>,
}

impl fmt::Display for ChaosReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChaosReport { runs, faults, trees, starts, messages, .. } = self;
        write!(f, "{runs} runs, {faults} faults, {trees} trees, {starts} starts, {messages} messages")
    }
}

/// A run of a [`Chaos`] that has broken a promise. As text it says all that is needed to repeat it.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::{self, ChaosFault};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { pub db: Db = Db } }
///
/// let failure = testing::chaos(Shop::tree)
///     .seed(7)
///     .only([ChaosFault::Error])
///     .faults(5)
///     .holds(async |shop| assert_eq!(shop.db.incarnation(), 1, "the database is never restarted"))
///     .try_run()
///     .expect_err("it is");
/// assert_eq!(failure.seed, 7);
/// assert_eq!(failure.faults.len(), 1, "{failure}"); // shortened
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChaosFailure {
    /// The seed of the run.
    pub seed: u64,
    /// The promises that were broken.
    pub broken: Vec<String>,
    /// The faults that are enough to break the first of them, one line each.
    pub faults: Vec<String>,
    /// The number of faults that were drawn.
    pub drawn: usize,
    /// The events of the run with these faults: around the first fault, and the last ones. Of a run that hangs, the last
    /// ones alone.
    pub events: Vec<String>,
    /// Anything else to be known.
    note: String,
}

impl fmt::Display for ChaosFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChaosFailure { seed, broken, faults, drawn, events, note } = self;
        writeln!(f, "chaos with seed {seed}: {}", broken.join("\n  and "))?;
        match faults.len() {
            0 => writeln!(f, "without any fault (of {drawn})")?,
            few if few < *drawn => writeln!(f, "{few} of {drawn} faults are enough for that:\n{}", faults.join("\n"))?,
            _ => writeln!(f, "the faults:\n{}", faults.join("\n"))?,
        }
        writeln!(f, "events:")?;
        writeln!(f, "{}", events.join("\n"))?;
        if !note.is_empty() {
            writeln!(f, "{note}")?;
        }
        write!(f, "`.seed({seed})` repeats this run")
    }
}

impl std::error::Error for ChaosFailure {}
