//! Everything that a tree can contain, under every lint.

pub mod calls;
mod names;

use std::fmt::{Display, Formatter, Result as FmtResult};
use std::time::Duration;

use supervise::prelude::*;

/// The errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// A temporary failure.
    Timeout {
        /// The time that it took.
        millis: u64,
    },
    /// A permanent failure.
    Corrupt,
}

impl Display for Broken {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        match self {
            Self::Timeout { millis } => write!(f, "no answer after {millis} ms"),
            Self::Corrupt => f.write_str("corrupt"),
        }
    }
}

impl core::error::Error for Broken {}

/// An actor by `#[actor]`, with all hooks.
#[derive(Debug)]
pub struct Db {
    rows: u64,
    names: Vec<String>,
}

/// The messages of a [`Db`].
#[derive(Debug, Clone)]
pub enum Query {
    /// Adds a row.
    Insert,
    /// Returns the number of rows.
    Count(Reply<u64>),
    /// Fails.
    Break(Broken),
}

#[actor]
impl Db {
    fn handle(&mut self, query: Query) -> Result<(), Broken> {
        match query {
            Query::Insert => self.rows += 1,
            Query::Count(reply) => reply.send(self.rows),
            Query::Break(broken) => return Err(broken),
        }
        Ok(())
    }

    #[pre_start]
    const fn open(&mut self) {
        self.rows = 1;
    }

    #[post_stop]
    const fn close(&mut self) {
        self.rows = 0;
    }

    #[pre_restart]
    const fn dump(&mut self, _failure: &Failure) {
        self.rows = 0;
    }

    #[post_restart]
    async fn reload(&mut self, _failure: &Failure) -> Result<(), Broken> {
        tokio::task::yield_now().await;
        self.rows = 2;
        Ok(())
    }

    #[supervision]
    fn supervision(&self) -> SupervisorStrategy {
        let most = u32::try_from(self.names.len()).unwrap_or(3);
        strategy! {
            #![strategy(OneForOne, max_restarts = most, within = 1s, budget = Shared)]
            #![decider(Broken::Timeout { .. } => Restart, Broken::Corrupt => Stop, _ => Escalate)]
        }
    }
}

/// An actor by derive.
#[derive(Debug, Actor)]
#[actor(msg = u32, error = Broken)]
#[pre_restart(rewind)]
pub struct Counter {
    count: u32,
    names: Vec<String>,
}

impl Counter {
    const fn new(count: u32) -> Self {
        Self { count, names: Vec::new() }
    }
}

impl Counter {
    async fn handle(&mut self, add: u32, _cx: &mut Context<Self>) -> Result<(), Broken> {
        tokio::task::yield_now().await;
        self.names.push(add.to_string());
        self.count = self.count.checked_add(add).ok_or(Broken::Corrupt)?;
        Ok(())
    }

    const fn rewind(&mut self) {
        self.count = 0;
    }
}

/// An actor written as an `impl`.
#[derive(Debug)]
pub struct Plain(Vec<u8>);

impl Actor for Plain {
    type Msg = ();
    type Error = core::convert::Infallible;

    async fn receive(&mut self, (): (), _cx: &mut Context<Self>) -> Result<(), Self::Error> {
        self.0.push(1);
        Ok(())
    }
}

async fn serve(cx: TaskContext) {
    _ = cx.stopped().await;
}

async fn poll(every: Duration) -> Result<(), Broken> {
    tokio::time::sleep(every).await;
    Err(Broken::Timeout { millis: 1 })
}

supervisor! {
    /// Everything at once.
    pub struct Shop(first: u64, every: Duration) {
        #![strategy(OneForOne, max_restarts = 10, within = 10min, on_limit = Stop)]
        #![decider(
            Broken::Timeout { millis } if *millis < 10 => Resume,
            Broken::Timeout { .. } => Restart,
            Broken::Corrupt => Escalate,
            Cause::Killed => Stop,
            _ => Restart,
        )]

        let doubled = first * 2;
        /// Twice the part of the first child.
        pub let twice: u64 = doubled;

        /// A child with every setting of an actor.
        #[lifecycle(Permanent, shutdown = 5s, start = 3s, handler = 30s, drain, best_effort)]
        #[backoff(3s..30s, factor = 2, random_factor = 0.2, reset = 1min)]
        #[limit(max_restarts = 3, within = 1h, on_limit = Escalate)]
        #[pre_restart(Db::dump)]
        #[post_restart(Db::reload)]
        #[mailbox(Bounded(100), ask = 500ms)]
        #[redeliver(attempts = 3)]
        #[decider(Broken::Corrupt => Stop)]
        pub db: Db = Db { rows: doubled, names: Vec::new() },

        /// A child of another type.
        #[runtime(tokio::runtime::Handle::current())]
        #[while_down(Reject)]
        counter: Counter = Counter::new(0),
        /// An optional child.
        plain: Option<Plain> = (first > 1).then_some(Plain(Vec::new())),
        /// An array.
        row: [Plain; 2] = |_i| Plain(Vec::new()),
        /// A set.
        #[max_children(5)]
        #[max_starting(2)]
        #[initial([1, 2])]
        any: [Counter] = |count: u32| Counter::new(count),
        /// A set by name.
        keyed: [String => Counter] = |name: String, count: u32| {
            drop(name);
            Counter::new(count)
        },
        /// A task that names one below.
        observer: task = {
            let below = later(server);
            async move { drop(below.terminated().await) }
        },
        /// A task that runs until it is stopped.
        #[lifecycle(Permanent, shutdown = 20s)]
        server: task = |cx| serve(cx),
        /// A repeated task.
        poller: task = poll(every),
        /// An optional task.
        maybe: Option<task> = (first > 2).then(|| poll(every)),
        /// An array of tasks.
        pollers: [task; 2] = |_i| poll(every),
        /// A set of tasks.
        jobs: [task] = |every: Duration| poll(every),
        /// A set of tasks by name.
        jobs_by_name: [String => task] = |_name: String| |cx| serve(cx),
        /// A subtree.
        reports: struct Reports {
            #![strategy(RestForOne)]
            /// The first of two.
            daily: Counter = Counter::new(1),
            /// The second of two.
            index: Plain = Plain(Vec::new()),
        },
        /// A tree declared elsewhere.
        branch: Branch = Branch::tree(first),
    }

    /// A tree with more parameters than a function should have.
    pub struct Wide(
        a: u64,
        b: u64,
        c: u64,
        d: u64,
        e: u64,
        f: u64,
        g: u64,
        h: std::sync::Arc<std::sync::Mutex<Vec<Option<Box<dyn Fn(u64) -> Result<u64, Broken> + Send>>>>>,
    ) {
        /// A child that uses all of them.
        db: Db = {
            drop(h);
            Db { rows: a + b + c + d + e + f + g, names: Vec::new() }
        },
    }

    /// A separate tree.
    pub struct Branch(first: u64) {
        /// The only child.
        db: Db = Db { rows: first, names: Vec::new() },
        /// A set of the same tree.
        branches: [Branch] = |first: u64| Branch::tree(first),
    }
}

/// A tree for other code.
#[must_use]
pub fn cautious() -> Decider {
    decider! {
        Broken::Timeout { .. } => Restart,
        Broken::Corrupt => Stop,
        _ => Escalate,
    }
}

/// Children that are spawned at run time.
///
/// # Errors
///
/// Returns the error of a start.
pub async fn spawned(first: u64, name: &str) -> Result<(), supervise::error::SpawnError> {
    let names = vec![name.to_owned()];
    let db = spawn(child! {
        #[lifecycle(Permanent, shutdown = 5s, drain)]
        #[backoff(3s..30s, factor = 2.0, reset = 1min)]
        #[limit(max_restarts = 3, within = 1h)]
        #[mailbox(Bounded(9), ask = Duration::from_secs(3))]
        #[decider(Broken::Timeout { .. } => Restart, _ => Stop)]
        format!("{name} {first}"): Db = Db { rows: first, names }
    });
    db.await?.stop();
    let task = child! {
        #[lifecycle(Temporary)]
        name: task = |cx| serve(cx)
    };
    spawn(task).await?.stop();
    spawn(child! { "branch": Branch = Branch::tree(first) }).await?.stop();
    spawn(child! { "plain": Counter = Counter::new(3) }).await?.stop();
    drop(names);
    Ok(())
}

/// A spawn of a type that names a parameter.
///
/// # Errors
///
/// Returns the error of a start.
pub async fn held<T: Clone + Send + 'static>(first: T) -> Result<(), supervise::error::SpawnError> {
    spawn(child! { "held": Held<T> = Held { all: vec![first] } }).await?.stop();
    Ok(())
}

/// A spawn in a macro.
macro_rules! spawned_with {
    ($name:expr, $actor:ty = $start:expr) => {
        spawn(child! { $name: $actor = $start })
    };
}

/// Spawns by a macro.
///
/// # Errors
///
/// Returns the error of a start.
pub async fn wrapped_spawn(count: u32) -> Result<(), supervise::error::SpawnError> {
    spawned_with!("counter", Counter = Counter::new(count)).await?.stop();
    Ok(())
}

/// Macros inside macros: their tokens come from somewhere else.
macro_rules! wrapped {
    ($(#[$doc:meta])* $vis:vis $name:ident($size:ident: $ty:ty), $child:ident: $actor:ty = $start:expr, $within:expr) => {
        supervisor! {
            $(#[$doc])*
            $vis struct $name($size: $ty) {
                #![strategy(OneForOne, max_restarts = 3, within = $within)]
                #![shutdown($within, Together)]
                #![lifecycle(shutdown = $within)]
                #![backoff(1s..$within)]
                #![mailbox(Bounded($size as usize), ask = $within)]
                #![decider(_: $crate::Broken => Restart, Cause::Killed => Stop, _ => Escalate)]
                pub let doubled: $ty = $size.saturating_mul(2);
                /// The child.
                #[lifecycle(Permanent, shutdown = 5s)]
                #[backoff([1s, 1min], random_factor = 0.1, reset = 0s)]
                #[limit(max_restarts = 3, within = 1h)]
                $vis $child: $actor = $start,
                /// A set of children.
                #[max_children(9)]
                #[max_starting(3)]
                many: [$actor] = || $start,
                /// A set with keys.
                keyed: [u32 => $actor] = |_key: u32| $start,
                /// An array.
                row: [$actor; 2] = |_i: usize| $start,
                /// An optional child.
                maybe: Option<$actor> = (doubled > 1).then(|| $start),
                /// A subtree.
                below: struct Below {
                    /// Nothing to do.
                    idle: task = |cx| cx.stopped(),
                },
            }
        }
    };
}

wrapped! {
    /// A tree from a macro.
    pub Wrapped(size: u32), counter: Counter = Counter::new(3), Duration::from_mins(1)
}

/// Values of one type.
#[derive(Debug)]
pub struct Held<T> {
    all: Vec<T>,
}

#[actor]
impl<T: Clone + Send + 'static> Held<T> {
    fn handle(&mut self, more: T) {
        self.all.push(more);
    }
}

supervisor! {
    /// A tree with parameters.
    pub struct Holder<T: Clone + Send + Display, const N: usize>(first: T)
    where
        T: Sync,
    {
        /// The first value.
        pub let text: String = format!("{first:>N$}");
        /// One of them.
        held: Held<T> = Held { all: vec![first] },
        /// More of them.
        #[lifecycle(Permanent, shutdown = 1s)]
        more: [Held<T>; N] = |_index| Held { all: vec![first] },
        /// A subtree.
        #[lifecycle(Permanent, shutdown = 10s)]
        under: struct Under {
            /// A leaf.
            leaf: Held<T> = Held { all: vec![first] },
        },
    }
}

/// The messages of a [`Far`].
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Ask {
    /// Adds to it.
    Add(Vec<u64>),
}

/// An actor that runs on another machine.
#[derive(Debug)]
pub struct Far(u64, String);

#[actor]
impl Far {
    fn handle(&mut self, Ask::Add(more): Ask) {
        self.0 += more.into_iter().sum::<u64>();
        self.1.clear();
    }
}

impl Far {
    fn of(near: &supervise_remote::RemoteRef<Self>, more: u64) -> Self {
        Self(more, format!("{near:?}"))
    }
}

supervisor! {
    /// Remote children in every shape.
    pub struct Fars(first: u64) {
        #![on("worker", lease = 2s)]
        let doubled: u64 = first * 2;
        /// A local one.
        near: Far = Far(first, String::new()),
        /// One.
        #[lifecycle(Permanent, start = 2s, shutdown = 3s, handler = 4s, drain, best_effort)]
        #[redeliver(attempts = 2)]
        one: remote Far = Far::of(&near, doubled),
        /// One or none.
        #[on("edge", overlap = Allowed, window = 7)]
        maybe: Option<remote Far> = if first > 1 { Some(Far(doubled, String::new())) } else { None },
        /// An array.
        #[on(spread = OnePerNode)]
        row: [remote Far; 2] = |_i| Far(1, String::new()),
        /// A set.
        any: [remote Far] = |more: u64| Far::of(&one, more),
        /// A set by name.
        keyed: [String => remote Far] = |_name: String, more: u64| Far(more, String::new()),
    }
}
