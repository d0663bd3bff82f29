//! The floor of the guarantees: `lean` with what `ours` promises, each promise in its shortest form. The distance from
//! `lean` to `floor` is the price of the guarantees, and that from `floor` to `ours` is what could still be saved.
//!
//! A failure is a value (cause, path, incarnation), kept for those that look. A budget and a pace are charged with a
//! clock. The start, the hooks and the drop of an instance run under a catch. Each step of a member is a state in the
//! table of its group, changed under the table's lock. A mailbox has a gate. A spawn waits until the instance is up. An
//! end is taken out of the table, told to those that wait, and written into a report. A group goes down in reverse and
//! comes up in order, one member at a time, each awaited. Events, deciders, drains, deadlines of a stop and bounded
//! mailboxes are missing.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Arc, OnceLock};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::join_all;
use lock_api::Mutex;
use tokio::sync::oneshot;

use crate::harness::*;
use crate::swap::Spin;
use crate::{clients, repeat};

pub struct Floor;

type Short<T> = Mutex<Spin, T>;

#[derive(Debug)]
struct Failed;

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("failed on request")
    }
}

impl std::error::Error for Failed {}

#[expect(dead_code, reason = "written for those that look")]
enum Cause {
    Error(Box<dyn std::error::Error + Send + Sync>),
    Panic(String),
}

#[expect(dead_code, reason = "written for those that look")]
struct Details {
    cause: Cause,
    path: Arc<str>,
    incarnation: u32,
}

#[derive(Clone)]
struct Failure(#[expect(dead_code, reason = "written for those that look")] Arc<Details>);

enum Control {
    Start,
    Down(Failure),
    End,
}

pub(crate) enum Msg {
    Add(u64),
    Get(oneshot::Sender<u64>),
    Boom(Fail),
}

struct Counter {
    sum: u64,
    _alive: Alive,
}

impl Counter {
    fn handle(&mut self, msg: Msg) -> Result<(), Failed> {
        match msg {
            Msg::Add(n) => self.sum += n,
            Msg::Get(reply) => drop(reply.send(self.sum)),
            Msg::Boom(Fail::Error) => return Err(Failed),
            Msg::Boom(Fail::Panic) => panic!("boom"),
        }
        Ok(())
    }

    async fn pre_start(&mut self) -> Result<(), Failed> {
        Ok(())
    }

    async fn pre_restart(&mut self, _: &Failure) -> Result<(), Failed> {
        Ok(())
    }

    async fn post_restart(&mut self, _: &Failure) -> Result<(), Failed> {
        Ok(())
    }

    async fn post_stop(&mut self) -> Result<(), Failed> {
        Ok(())
    }
}

/// Messages are accepted and handled, accepted and kept, or refused.
#[derive(Clone, Copy, PartialEq)]
enum Gate {
    Open,
    Down,
    Closed,
}

struct Inbox {
    queue: VecDeque<Msg>,
    control: Option<Control>,
    parked: bool,
    gate: Gate,
}

/// The part of an actor that others may look at or wait for.
#[derive(Default)]
struct Life {
    up: bool,
    ended: bool,
    waiting: Vec<Waker>,
    failed: Option<Failure>,
}

pub(crate) struct Cell {
    inbox: Short<Inbox>,
    /// Says that there is a control.
    flag: AtomicBool,
    /// The waker of the actor's task.
    home: OnceLock<Waker>,
    life: Short<Life>,
    path: Arc<str>,
    group: Arc<Group>,
    /// The place in the group's table.
    place: usize,
    incarnation: AtomicU32,
}

impl Cell {
    /// Leaves an order. A task needs no waker for an order to itself.
    fn order(&self, control: Control, own: bool) {
        let mut inbox = self.inbox.lock();
        inbox.control = Some(control);
        self.flag.store(true, Release);
        inbox.parked = false;
        drop(inbox);
        if !own && let Some(home) = self.home.get() {
            home.wake_by_ref();
        }
    }

    async fn ordered(&self) -> Control {
        poll_fn(|_| {
            if !self.flag.load(Acquire) {
                return Poll::Pending;
            }
            self.flag.store(false, Relaxed);
            match self.inbox.lock().control.take() {
                Some(control) => Poll::Ready(control),
                None => Poll::Pending,
            }
        })
        .await
    }

    pub(crate) fn tell(&self, msg: Msg) {
        let mut inbox = self.inbox.lock();
        if inbox.gate == Gate::Closed {
            return;
        }
        inbox.queue.push_back(msg);
        let parked = std::mem::take(&mut inbox.parked);
        drop(inbox);
        if parked {
            self.home.get().unwrap().wake_by_ref();
        }
    }

    pub(crate) async fn get(&self) -> u64 {
        let (reply, answer) = oneshot::channel();
        self.tell(Msg::Get(reply));
        answer.await.unwrap()
    }

    fn set_gate(&self, gate: Gate) {
        self.inbox.lock().gate = gate;
    }

    fn is_up(&self) {
        let mut life = self.life.lock();
        life.up = true;
        let waiting = std::mem::take(&mut life.waiting);
        drop(life);
        waiting.into_iter().for_each(Waker::wake);
    }

    fn has_ended(&self) {
        let mut life = self.life.lock();
        life.up = false;
        life.ended = true;
        let waiting = std::mem::take(&mut life.waiting);
        drop(life);
        waiting.into_iter().for_each(Waker::wake);
    }

    pub(crate) async fn up(self: Arc<Self>) -> Arc<Self> {
        poll_fn(|cx| {
            let mut life = self.life.lock();
            if life.up || life.ended {
                return Poll::Ready(());
            }
            life.waiting.push(cx.waker().clone());
            Poll::Pending
        })
        .await;
        self
    }
}

#[derive(Clone, Copy, PartialEq)]
enum At {
    Waiting,
    Starting,
    Up,
    Failed,
    Down,
}

#[derive(Default)]
struct Pace {
    row: u32,
    restarted: Option<Instant>,
    up: Option<Instant>,
}

struct Member {
    at: At,
    cell: Arc<Cell>,
    pace: Pace,
    restarts: VecDeque<Instant>,
}

/// The phase of a whole group: at rest, on the way down to a member, or on the way up.
#[derive(Clone, Copy, PartialEq)]
enum Walk {
    No,
    Down,
    Up,
}

struct Table {
    members: Vec<Option<Member>>,
    one_for_one: bool,
    walk: Walk,
    cursor: usize,
    cause: Option<Failure>,
    report: Vec<(Arc<str>, Duration)>,
    done: Option<Waker>,
}

impl Table {
    fn member(&mut self, place: usize) -> &mut Member {
        self.members[place].as_mut().expect("a member that lives")
    }

    /// Gives the next member of a group its order. `own` is the member in whose task this runs.
    fn go_on(&mut self, own: usize, now: Instant) {
        loop {
            match self.walk {
                Walk::No => return,
                Walk::Down if self.cursor == 0 => self.walk = Walk::Up,
                Walk::Down => {
                    self.cursor -= 1;
                    let cause = self.cause.clone().expect("the failure of the group");
                    if let Some(member) = &mut self.members[self.cursor]
                        && matches!(member.at, At::Up | At::Failed)
                    {
                        member.at = At::Down;
                        member.cell.order(Control::Down(cause), self.cursor == own);
                        return;
                    }
                }
                Walk::Up if self.cursor == self.members.len() => {
                    self.walk = Walk::No;
                    self.cause = None;
                }
                Walk::Up => match &mut self.members[self.cursor] {
                    Some(member) if member.at != At::Up => {
                        member.at = At::Starting;
                        member.pace.restarted = Some(now);
                        member.cell.order(Control::Start, self.cursor == own);
                        return;
                    }
                    _ => self.cursor += 1,
                },
            }
        }
    }
}

pub(crate) struct Group(Short<Table>);

impl Group {
    pub(crate) fn new(one_for_one: bool) -> Arc<Self> {
        Arc::new(Group(Short::new(Table {
            members: Vec::new(),
            one_for_one,
            walk: Walk::No,
            cursor: 0,
            cause: None,
            report: Vec::new(),
            done: None,
        })))
    }

    pub(crate) fn add(self: &Arc<Self>, name: u64) -> Arc<Cell> {
        let path: Arc<str> = format!("set/#{name}").into();
        let mut table = self.0.lock();
        let cell = Arc::new(Cell {
            inbox: Short::new(Inbox { queue: VecDeque::new(), control: None, parked: false, gate: Gate::Down }),
            flag: AtomicBool::new(false),
            home: OnceLock::new(),
            life: Short::default(),
            path,
            group: self.clone(),
            place: table.members.len(),
            incarnation: AtomicU32::new(0),
        });
        let pace = Pace::default();
        table.members.push(Some(Member { at: At::Starting, cell: cell.clone(), pace, restarts: VecDeque::new() }));
        cell.order(Control::Start, true);
        drop(table);
        tokio::spawn(live(cell.clone()));
        cell
    }

    /// Adds members and waits for them, some at a time.
    pub(crate) async fn spawn(self: &Arc<Self>, n: u64) -> Vec<Arc<Cell>> {
        const AT_ONCE: u64 = 30;
        let mut all = Vec::with_capacity(n as usize);
        while (all.len() as u64) < n {
            let from = all.len() as u64;
            let some = AT_ONCE.min(n - from);
            all.extend(join_all((from..from + some).map(|name| self.add(name).up())).await);
        }
        all
    }

    fn up(&self, place: usize, now: Instant) {
        let mut table = self.0.lock();
        let member = table.member(place);
        member.at = At::Up;
        member.pace.up = Some(now);
        if table.walk == Walk::Up {
            table.cursor += 1;
            table.go_on(place, now);
        }
    }

    /// Decides on a failure: the budget, the pace, and what follows.
    fn failed(&self, place: usize, failure: &Failure, now: Instant) {
        let mut table = self.0.lock();
        let one_for_one = table.one_for_one;
        let member = table.member(place);
        member.at = At::Failed;
        while member.restarts.front().is_some_and(|at| now.duration_since(*at) > Duration::from_secs(5)) {
            member.restarts.pop_front();
        }
        assert!(member.restarts.len() < 1_000_000, "over its budget");
        member.restarts.push_back(now);
        let ran = member.pace.up.take().map_or(Duration::ZERO, |up| now - up);
        if ran > Duration::from_secs(10) {
            member.pace.row = 0;
        }
        member.pace.row += 1;
        assert!(member.pace.restarted.is_none_or(|at| now >= at), "would wait");
        if one_for_one {
            member.at = At::Down;
            member.cell.order(Control::Down(failure.clone()), true);
        } else {
            table.cause = Some(failure.clone());
            table.walk = Walk::Down;
            table.cursor = table.members.len();
            table.go_on(place, now);
        }
    }

    fn gone(&self, place: usize, now: Instant) {
        let mut table = self.0.lock();
        let one_for_one = table.one_for_one;
        let member = table.member(place);
        if one_for_one {
            member.at = At::Starting;
            member.pace.restarted = Some(now);
            member.cell.order(Control::Start, true);
        } else {
            member.at = At::Waiting;
            table.go_on(place, now);
        }
    }

    fn over(&self, place: usize) {
        let member = self.0.lock().members[place].take();
        drop(member);
    }

    fn report(&self, path: &Arc<str>, took: Duration) {
        let mut table = self.0.lock();
        table.report.push((path.clone(), took));
        let done = if table.report.len() == table.members.len() { table.done.take() } else { None };
        drop(table);
        if let Some(done) = done {
            done.wake();
        }
    }

    /// Ends all members at once, as those of a set, and waits for their reports.
    pub(crate) async fn stop(&self) {
        let mut table = self.0.lock();
        for member in table.members.iter_mut().rev().flatten() {
            member.at = At::Down;
            member.cell.order(Control::End, false);
        }
        drop(table);
        poll_fn(|cx| {
            let mut table = self.0.lock();
            if table.report.len() == table.members.len() {
                return Poll::Ready(());
            }
            table.done = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }
}

async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Cause> {
    let text = |panic: Box<dyn std::any::Any + Send>| panic.downcast_ref::<&str>().unwrap_or(&"").to_string();
    AssertUnwindSafe(work).catch_unwind().await.map_err(|panic| Cause::Panic(text(panic)))
}

/// Messages handled before the task yields.
const BUDGET: u8 = 128;

/// Handles messages until there is an order or one of them fails.
async fn serve(cell: &Cell, counter: &mut Counter, batch: &mut VecDeque<Msg>, budget: &mut u8) -> Result<(), Failed> {
    loop {
        let msg = poll_fn(|cx| {
            if cell.flag.load(Acquire) {
                return Poll::Ready(None);
            }
            if *budget == 0 {
                *budget = BUDGET;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if batch.is_empty() {
                let mut inbox = cell.inbox.lock();
                if inbox.queue.is_empty() {
                    inbox.parked = true;
                    *budget = BUDGET;
                    return Poll::Pending;
                }
                std::mem::swap(&mut inbox.queue, batch);
            }
            *budget -= 1;
            Poll::Ready(batch.pop_front())
        })
        .await;
        match msg {
            None => return Ok(()),
            Some(msg) => counter.handle(msg)?,
        }
    }
}

/// Serves one instance until it has to go: with a failure to be restarted, without one to end.
async fn serve_until_down(
    cell: &Cell,
    counter: &mut Counter,
    batch: &mut VecDeque<Msg>,
    budget: &mut u8,
    incarnation: u32,
) -> Option<Failure> {
    loop {
        let cause = match caught(serve(cell, counter, batch, budget)).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(Cause::Error(Box::new(error))),
            Err(panic) => Some(panic),
        };
        if let Some(cause) = cause {
            let failure = Failure(Arc::new(Details { cause, path: cell.path.clone(), incarnation }));
            cell.set_gate(Gate::Down);
            let before = cell.life.lock().failed.replace(failure.clone());
            drop(before);
            cell.group.failed(cell.place, &failure, Instant::now());
        }
        match cell.ordered().await {
            Control::Down(failure) => return Some(failure),
            Control::End => return None,
            Control::Start => {}
        }
    }
}

/// The task of an actor, through all its incarnations.
async fn live(cell: Arc<Cell>) {
    poll_fn(|cx| Poll::Ready(drop(cell.home.set(cx.waker().clone())))).await;
    let group = cell.group.clone();
    let (mut batch, mut budget) = (VecDeque::new(), BUDGET);
    let mut healing: Option<Failure> = None;
    while let Control::Start = cell.ordered().await {
        let incarnation = cell.incarnation.fetch_add(1, Relaxed) + 1;
        // The start expression of a declaration becomes such a boxed future.
        let start: Pin<Box<dyn Future<Output = Result<Counter, Failed>> + Send>> =
            Box::pin(async { Ok(Counter { sum: 0, _alive: Alive::new() }) });
        let begun = caught(async {
            let mut counter = start.await?;
            counter.pre_start().await?;
            if let Some(failure) = &healing {
                counter.post_restart(failure).await?;
            }
            Ok::<_, Failed>(counter)
        });
        let Ok(Ok(mut counter)) = begun.await else { break };
        cell.set_gate(Gate::Open);
        group.up(cell.place, Instant::now());
        cell.is_up();
        healing = serve_until_down(&cell, &mut counter, &mut batch, &mut budget, incarnation).await;
        let since = Instant::now();
        cell.set_gate(if healing.is_some() { Gate::Down } else { Gate::Closed });
        let _ = caught(async {
            if let Some(failure) = &healing {
                counter.pre_restart(failure).await?;
            }
            counter.post_stop().await
        })
        .await;
        let _ = std::panic::catch_unwind(AssertUnwindSafe(|| drop(counter)));
        if healing.is_none() {
            group.over(cell.place);
            cell.has_ended();
            group.report(&cell.path, since.elapsed());
            return;
        }
        group.gone(cell.place, since);
    }
}

/// A node of a tree: the nodes below start in order, each awaited, and stop in reverse; the leaves are a set.
pub(crate) struct Node {
    nodes: Vec<Node>,
    leaves: Arc<Group>,
}

impl Node {
    pub(crate) async fn start(level: usize, width: [u64; 3]) -> Node {
        let mut node = Node { nodes: Vec::new(), leaves: Group::new(true) };
        if level + 1 < width.len() {
            for _ in 0..width[level] {
                node.nodes.push(Box::pin(Node::start(level + 1, width)).await);
            }
        } else {
            node.leaves.spawn(width[level]).await;
        }
        node
    }

    pub(crate) async fn stop(&self) {
        for node in self.nodes.iter().rev() {
            Box::pin(node.stop()).await;
        }
        self.leaves.stop().await;
    }
}

impl System for Floor {
    async fn tell(cap: Option<usize>, producers: u64, n: u64) -> Option<Run> {
        if cap.is_some() {
            return None;
        }
        let cell = Group::new(true).add(0).up().await;
        let start = Instant::now();
        clients!(producers, n, yielding: true, cell, |cell, i| cell.tell(Msg::Add(i)));
        cell.get().await;
        run(n, start)
    }

    async fn ask(n: u64, in_flight: u64, deadline: Option<Duration>) -> Option<Run> {
        let cell = Group::new(true).add(0).up().await;
        let start = Instant::now();
        clients!(in_flight, n, yielding: false, cell, |cell, _i| within(deadline, cell.get()).await);
        run(n, start)
    }

    async fn spawn(n: u64) -> Option<Spawned> {
        let mut meter = Meter::start(n);
        let group = Group::new(true);
        let handles = group.spawn(n).await;
        meter.spawned().await;
        drop(handles);
        let down = tokio::spawn(async move { group.stop().await });
        let spawned = meter.stopped().await;
        down.await.unwrap();
        spawned
    }

    async fn restart(pool: u64, n: u64, fail: Fail) -> Option<Run> {
        let cells = Group::new(true).spawn(pool).await;
        Some(repeat!(n, |i| {
            let cell = &cells[(i % pool) as usize];
            cell.tell(Msg::Boom(fail));
            STARTS.wait(pool + i + 1).await;
            cell.get().await;
        }))
    }

    async fn group(groups: u64, siblings: u64, n: u64) -> Option<Run> {
        let mut firsts = Vec::new();
        for _ in 0..groups {
            firsts.push(Group::new(false).spawn(siblings).await.swap_remove(0));
        }
        Some(repeat!(n, |i| {
            let first = &firsts[(i % groups) as usize];
            first.tell(Msg::Boom(Fail::Error));
            STARTS.wait((groups + i + 1) * siblings).await;
            first.get().await;
        }))
    }

    async fn tree(width: [u64; 3]) -> Option<Tree> {
        let leaves = width.iter().product();
        let at = Instant::now();
        let root = Node::start(0, width).await;
        STARTS.wait(leaves).await;
        let start = at.elapsed();
        let at = Instant::now();
        root.stop().await;
        STOPS.wait(leaves).await;
        Some(Tree { start, stop: at.elapsed() })
    }
}
