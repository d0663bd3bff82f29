//! An analytics application: it takes events of web sites, counts the visits that are under way, and answers questions.
//!
//! Requirements:
//! * Rows that are read often are kept in caches, one for each kind of row. A cache has all rows before the first
//!   request is served. It looks for new rows every half minute, and reads all of them every quarter of an hour. A
//!   cache that crashes comes back full, and nothing else notices. While the database is away, caches keep what they
//!   have.
//! * Rows are written in batches. No row is lost when a batch cannot be written, or when the application stops.
//! * Visits are spread over a hundred balancers, of which one may fail or crash without the others. What else fails
//!   three times in 5 s, all together, ends the application.
//! * A question is asked once, and the asker gets its failure as an error at once.
//! * When a new version of the application starts, it takes over the visits that are under way. The old version waits
//!   15 s for that, and nobody has to come.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use supervise::prelude::*;
use supervise::testing::{Fault, Inject};
use supervise::{BoxError, StopReason};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use crate::common::{ms, pass, secs, settle, soon};

// The work: stand-ins.

#[derive(Debug, Clone, thiserror::Error)]
enum DbError {
    #[error("the database is away")]
    Away,
    #[error("the question makes no sense")]
    Nonsense,
}

/// A kind of row that is kept in a cache.
trait Row: Clone + Send + Sync + 'static {
    const NAME: &'static str;
    fn new(number: u32) -> Self;
}

macro_rules! rows {
    ($($Row:ident),*) => {$(
        #[derive(Clone, Debug)]
        struct $Row(#[expect(dead_code, reason = "stands for the row")] u32);
        impl Row for $Row {
            const NAME: &'static str = stringify!($Row);
            fn new(number: u32) -> Self {
                $Row(number)
            }
        }
    )*};
}

rows!(Site, Goal, Shield);

/// A row that is written.
#[derive(Clone, Debug)]
struct Hit(u32);

#[derive(Clone, Debug)]
struct Import(u32);

/// The databases, and the place where two versions of the application meet.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Outside>>, Arc<watch::Sender<Option<Visits>>>);

type Visits = HashMap<u32, u32>;

#[derive(Default)]
struct Outside {
    is_away: bool,
    /// Reads of all rows, and of new rows, by kind.
    reads: HashMap<&'static str, (u32, u32)>,
    written: HashMap<&'static str, Vec<u32>>,
    writes_fail: u32,
    served: Vec<String>,
}

impl World {
    fn with<T>(&self, f: impl FnOnce(&mut Outside) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    async fn read<T: Row>(&self, all: bool) -> Result<Vec<T>, DbError> {
        tokio::time::sleep(ms(if all { 50 } else { 10 })).await;
        self.with(|outside| {
            let (of_all, of_new) = outside.reads.entry(T::NAME).or_default();
            *(if all { of_all } else { of_new }) += 1;
            if outside.is_away { Err(DbError::Away) } else { Ok((0..if all { 100 } else { 1 }).map(T::new).collect()) }
        })
    }

    async fn write(&self, table: &'static str, rows: &[u32]) -> Result<(), DbError> {
        tokio::time::sleep(ms(10)).await;
        self.with(|outside| {
            if let Some(left) = outside.writes_fail.checked_sub(1) {
                outside.writes_fail = left;
                return Err(DbError::Away);
            }
            outside.written.entry(table).or_default().extend(rows);
            Ok(())
        })
    }

    fn written(&self, table: &str) -> Vec<u32> {
        self.with(|outside| outside.written.get(table).cloned().unwrap_or_default())
    }

    fn reads(&self, kind: &str) -> (u32, u32) {
        self.with(|outside| outside.reads[kind])
    }

    /// Puts the visits where another version finds them, and waits for it.
    async fn hand_over(&self, visits: Visits) {
        let mut place = self.1.subscribe();
        self.1.send_replace(Some(visits));
        let _ = tokio::time::timeout(secs(15), place.wait_for(Option::is_none)).await;
        self.1.send_replace(None);
    }

    /// Takes the visits of another version that is about to end.
    fn take_over(&self) -> Visits {
        self.1.send_replace(None).unwrap_or_default()
    }
}

/// Rows in memory.
struct Cache<T: Row>(Vec<T>);

#[actor]
impl<T: Row> Cache<T> {
    #[message]
    fn put(&mut self, rows: Vec<T>) {
        if rows.len() > self.0.len() {
            self.0 = rows;
        }
    }

    #[message]
    fn count(&self) -> usize {
        self.0.len()
    }
}

/// Reads rows into a cache, now and then every so often.
async fn warm<T: Row>(cx: TaskContext, cache: ActorRef<Cache<T>>, world: World, all: bool) -> Result<(), DbError> {
    loop {
        let _ = cache.put(world.read(all).await?).forget().await;
        cx.ready();
        tokio::select! {
            _ = cx.stopped() => return Ok(()),
            () = tokio::time::sleep(if all { secs(15 * 60) } else { secs(30) }) => {}
        }
    }
}

/// Collects rows and writes them in batches.
struct WriteBuffer<T> {
    table: &'static str,
    rows: Vec<u32>,
    world: World,
    of: PhantomData<fn(T)>,
}

#[actor]
impl<T: Into<u32> + Send + 'static> WriteBuffer<T> {
    fn new(table: &'static str, world: World) -> Self {
        WriteBuffer { table, rows: Vec::new(), world, of: PhantomData }
    }

    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        cx.send_every(secs(5), WriteBufferMsg::flush);
    }

    #[message]
    fn add(&mut self, row: T) {
        self.rows.push(row.into());
    }

    /// Keeps the rows if they cannot be written.
    #[message]
    async fn flush(&mut self) {
        if self.world.write(self.table, &self.rows).await.is_ok() {
            self.rows.clear();
        }
    }

    #[post_stop]
    async fn close(&mut self) {
        while !self.rows.is_empty() {
            self.flush().await;
        }
    }
}

impl From<Hit> for u32 {
    fn from(Hit(number): Hit) -> u32 {
        number
    }
}

impl From<Import> for u32 {
    fn from(Import(number): Import) -> u32 {
        number
    }
}

/// The visits that are under way, which outlive the balancers.
#[derive(Clone, Default)]
struct UnderWay(Arc<Mutex<Visits>>);

/// Counts the hits of its share of the visits.
struct Balancer(UnderWay);

#[actor]
impl Balancer {
    #[message]
    fn hit(&mut self, visitor: u32) -> u32 {
        let mut visits = self.0.0.lock().unwrap();
        let hits = visits.entry(visitor).or_default();
        *hits += 1;
        *hits
    }
}

/// A question, which is answered with a number.
async fn answer(question: u32, answer: oneshot::Sender<u32>) -> Result<(), DbError> {
    tokio::time::sleep(secs(1)).await;
    let number = question.checked_mul(2).ok_or(DbError::Nonsense)?;
    let _ = answer.send(number);
    Ok(())
}

/// Keeps the visits for the next version of the application.
async fn keep(cx: TaskContext, visits: UnderWay, world: World) {
    if cx.stopped().await != StopReason::Shutdown {
        return;
    }
    let visits = std::mem::take(&mut *visits.0.lock().unwrap());
    if !visits.is_empty() {
        world.hand_over(visits).await;
    }
}

/// Follows the settings.
async fn salts(mut salt: watch::Receiver<u32>, world: World) {
    while salt.changed().await.is_ok() {
        let line = format!("salt {}", *salt.borrow_and_update());
        world.with(|outside| outside.served.push(line));
    }
}

/// Serves requests from the caches, at a socket of the machine.
async fn serve(cx: TaskContext, at: &'static str, caches: Caches, world: World) -> Result<(), BoxError> {
    let Caches(sites, goals, shields) = caches;
    let rows = [sites.count().await?, goals.count().await?, shields.count().await?];
    world.with(|outside| outside.served.push(format!("serving {rows:?} at {at}")));
    cx.stopped().await;
    Ok(())
}

struct Caches(ActorRef<Cache<Site>>, ActorRef<Cache<Goal>>, ActorRef<Cache<Shield>>);

supervisor! {
    /// Rows of one kind, with what keeps them up to date. A cache that is restarted is filled again.
    struct WarmedCache<T: Row>(world: World) {
        #![strategy(RestForOne)]
        cache: Cache<T> = Cache(Vec::new()),
        #[lifecycle(ready)]
        #[backoff(1s..1min, random_factor = 0)]
        all: task = |cx| warm(cx, cache, world, true),
        #[lifecycle(ready)]
        #[backoff(1s..1min, random_factor = 0)]
        new: task = |cx| warm(cx, cache, world, false),
    }

    struct Analytics(salt: watch::Receiver<u32>, world: World) {
        #![strategy(OneForOne, max_restarts = 3, within = 5s, budget = Shared)]
        #![lifecycle(shutdown = 20s)]

        let visits = UnderWay(Arc::new(Mutex::new(world.take_over())));

        sites: WarmedCache<Site> = WarmedCache::tree(world),
        goals: WarmedCache<Goal> = WarmedCache::tree(world),
        shields: WarmedCache<Shield> = WarmedCache::tree(world),

        #[lifecycle(drain)]
        hits: WriteBuffer<Hit> = WriteBuffer::new("hits", world),
        #[lifecycle(drain)]
        imports: WriteBuffer<Import> = WriteBuffer::new("imports", world),

        balancing: struct Balancing {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            balancers: [Balancer; 100] = |_index| Balancer(visits),
        },

        #[lifecycle(Temporary)]
        questions: [task] = |question: u32, reply: oneshot::Sender<u32>| answer(question, reply),
        salts: task = salts(salt, world),

        keeper: task = |cx| keep(cx, visits, world),

        #[cfg(unix)]
        endpoint: task = |cx| serve(cx, "a path", Caches(sites.cache, goals.cache, shields.cache), world),
        #[cfg(not(unix))]
        endpoint: task = |cx| serve(cx, "a port", Caches(sites.cache, goals.cache, shields.cache), world),
    }
}

async fn analytics() -> (Running<Analytics>, World, watch::Sender<u32>) {
    let (world, (salt, salts)) = (World::default(), watch::channel(0));
    let analytics = Analytics::start(salts, world.clone()).await.unwrap();
    (analytics, world, salt)
}

async fn hit(analytics: &Analytics, visitor: u32) -> Option<u32> {
    analytics.balancing.balancers[visitor as usize % 100].hit(visitor).await.ok()
}

/// S21, S28, S29: every cache is full before the first request is served.
#[tokio::test(start_paused = true)]
async fn the_caches_are_full_before_the_first_request() {
    let (analytics, world, salt) = analytics().await;
    settle().await;
    let place = if cfg!(unix) { "a path" } else { "a port" };
    assert_eq!(world.with(|outside| outside.served.clone()), [format!("serving [100, 100, 100] at {place}")]);
    assert_eq!(["Site", "Goal", "Shield"].map(|kind| world.reads(kind)), [(1, 1); 3]);
    pass(secs(3590)).await;
    assert_eq!(["Site", "Goal", "Shield"].map(|kind| world.reads(kind)), [(4, 120); 3]);
    salt.send_replace(7);
    settle().await;
    assert_eq!(world.with(|outside| outside.served.last().cloned()), Some("salt 7".to_owned()));
    assert_eq!(analytics.sites.cache.incarnation(), 1);
}

/// S17: a cache that crashes is filled again at once, and no other cache notices.
#[tokio::test(start_paused = true)]
async fn a_cache_that_crashes_comes_back_full() {
    let (analytics, world, _salt) = analytics().await;
    analytics.goals.cache.inject(Fault::panic("a bug"));
    pass(ms(100)).await;
    assert_eq!(analytics.goals.cache.count().await.unwrap(), 100);
    assert_eq!(["Site", "Goal", "Shield"].map(|kind| world.reads(kind).0), [1, 2, 1]);
    let caches = [analytics.sites.cache.incarnation(), analytics.goals.cache.incarnation()];
    assert_eq!((caches, analytics.keeper.incarnation()), ([1, 2], 1));
}

/// S15, S31: while the database is away, the caches keep what they have, and look for it once a minute.
#[tokio::test(start_paused = true)]
async fn caches_outlive_their_database() {
    let (analytics, world, _salt) = analytics().await;
    world.with(|outside| outside.is_away = true);
    pass(secs(2 * 3600)).await;
    assert_eq!(analytics.sites.cache.count().await.unwrap(), 100);
    let before = world.reads("Site");
    assert!(before.0 + before.1 < 180, "{before:?}");
    world.with(|outside| outside.is_away = false);
    pass(secs(120)).await;
    assert!(analytics.sites.all.is_alive() && analytics.sites.new.is_alive());
    assert_eq!(analytics.sites.cache.incarnation(), 1);
    assert!(analytics.health().is_healthy(), "{}", analytics.health());
}

/// S24, S26: no row is lost by a batch that cannot be written, nor by a stop.
#[tokio::test(start_paused = true)]
async fn no_row_is_lost() {
    for table in ["hits", "imports"] {
        let (analytics, world, _salt) = analytics().await;
        let add = async |numbers| {
            for number in numbers {
                match table {
                    "hits" => analytics.hits.add(Hit(number)).at_once().forget().await.unwrap(),
                    _ => analytics.imports.add(Import(number)).at_once().forget().await.unwrap(),
                }
            }
        };
        world.with(|outside| outside.writes_fail = 3);
        add(0..500).await;
        pass(secs(30)).await;
        assert_eq!(world.written(table).len(), 500);
        add(500..1000).await;
        world.with(|outside| outside.writes_fail = 100);
        let report = analytics.shutdown().await;
        assert!(report.is_orderly(), "{report}");
        assert_eq!(world.written(table), (0..1000).collect::<Vec<_>>());
    }
}

/// S15, S28: one of a hundred balancers fails or crashes, and the visits of the others go on.
#[tokio::test(start_paused = true)]
async fn a_balancer_is_alone_with_its_failure() {
    let (analytics, ..) = analytics().await;
    for visitor in 0..200 {
        assert_eq!(hit(&analytics, visitor).await, Some(1));
    }
    for _ in 0..20 {
        analytics.balancing.balancers[7].inject(Fault::panic("a bug"));
        analytics.balancing.balancers[8].inject(Fault::error(DbError::Away));
        pass(ms(100)).await;
        assert!(hit(&analytics, 1007).await.is_some() && hit(&analytics, 1008).await.is_some());
    }
    for visitor in 0..200 {
        assert_eq!(hit(&analytics, visitor).await, Some(2));
    }
    let crashed = analytics.balancing.balancers.iter().filter(|balancer| balancer.incarnation() > 1).count();
    assert_eq!(crashed, 2);
}

/// S15: the parts of the application share one budget: three failures in 5 s, of whichever parts, and not a fourth.
#[tokio::test(start_paused = true)]
async fn four_failures_in_five_seconds_end_the_application() {
    let (analytics, _world, _salt) = analytics().await;
    let fail = async |times: usize| {
        for n in 0..times {
            match n {
                0 => analytics.hits.inject(Fault::panic("a bug")),
                1 => analytics.salts.inject(Fault::panic("a bug")),
                2 => analytics.goals.inject(Fault::error(DbError::Away)),
                _ => analytics.imports.inject(Fault::panic("a bug")),
            }
            pass(ms(100)).await;
        }
    };
    for _ in 0..10 {
        fail(3).await;
        pass(secs(15)).await; // also ends each one's series of restarts
    }
    assert!(analytics.is_alive());
    fail(4).await;
    let report = soon(analytics.join()).await;
    assert!(matches!(report.ended.failure().map(Failure::cause), Some(Cause::LimitReached)), "{report}");
}

/// S27: a question is asked once; the asker gets the answer, or at once an error.
#[tokio::test(start_paused = true)]
async fn a_question_that_fails_is_heard_of_at_once() {
    let (analytics, ..) = analytics().await;
    let begin = Instant::now();
    let (answers, replies): (Vec<_>, Vec<_>) = (0..3).map(|_| oneshot::channel()).unzip();
    for (question, answer) in [1, u32::MAX, 3].into_iter().zip(answers) {
        analytics.questions.spawn(question, answer).await.unwrap();
    }
    let mut heard = Vec::new();
    for reply in replies {
        heard.push(soon(reply).await.ok());
    }
    assert_eq!((heard, begin.elapsed()), (vec![Some(2), None, Some(6)], secs(1)));
    settle().await;
    assert!(analytics.questions.is_empty() && analytics.is_alive());
}

/// S24, S30: a new version takes over the visits, and the old one ends as soon as it has them.
#[tokio::test(start_paused = true)]
async fn a_new_version_takes_over() {
    let (old, world, salt) = analytics().await;
    assert_eq!(hit(&old, 1).await, Some(1));
    old.keeper.restart().unwrap().await.unwrap();
    assert_eq!(hit(&old, 1).await, Some(2), "a restart of the keeper is no reason to hand over");
    let begin = Instant::now();
    let end = tokio::spawn(old.shutdown());
    pass(secs(5)).await;
    let new = Analytics::start(salt.subscribe(), world.clone()).await.unwrap();
    assert_eq!(hit(&new, 1).await, Some(3));
    let report = end.await.unwrap();
    assert!(report.is_orderly() && begin.elapsed() < secs(6), "{report}");
}

/// S24: if nobody takes over, the old version waits 15 s, and that is a success, too.
#[tokio::test(start_paused = true)]
async fn nobody_has_to_take_over() {
    let (analytics, ..) = analytics().await;
    hit(&analytics, 1).await;
    let begin = Instant::now();
    let report = analytics.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!(begin.elapsed().as_secs(), 15);
}

/// S21: an application that cannot fill its caches does not come up.
#[tokio::test(start_paused = true)]
async fn without_its_database_the_application_does_not_come_up() {
    let world = World::default();
    world.with(|outside| outside.is_away = true);
    let start = tokio::time::timeout(secs(3600), Analytics::start(watch::channel(0).1, world.clone())).await;
    assert!(start.is_err(), "it goes on trying");
    world.with(|outside| outside.is_away = false);
    assert!(Analytics::start(watch::channel(0).1, world).await.is_ok());
}
