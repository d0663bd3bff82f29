//! Realtime messages for many tenants. For each tenant that has users, the service keeps one connection to the tenant's
//! own database, from which it streams the changes.
//!
//! Requirements:
//! * However many users come at once, a tenant has one connection. The reason why it cannot be opened reaches all who
//!   wait for it.
//! * A user waits 15 s for a connection. A slow database gets 30 s, whether or not anybody still waits.
//! * The stream is tried again after 5 s, 10 s and so on, at most every 5 minutes. After two hours without a stream the
//!   tenant is given up, as it is after 10 minutes without a database. A tenant that still has users is tried again a
//!   minute later, from the beginning.
//! * A tenant without users for 10 minutes is disconnected.
//! * No failure of a tenant reaches another one, or the service. The tracker of users may crash as often as it likes.
//! * The other parts of the service may fail three times in 5 s, all together; then it ends, and is started elsewhere.
//! * A migration of a tenant's database is run once at a time, and not again by itself.
//! * The service's own database is there first, and goes last.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::error::SpawnError;
use supervise::prelude::*;
use supervise::testing::{Fault, Inject};
use supervise::{BoxError, Task};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::common::{ms, pass, secs, settle, soon};

// The work: stand-ins.

type Tenant = &'static str;

#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
enum DbError {
    #[error("too many connections")]
    TooManyConnections,
    #[error("the database is away")]
    Away,
    #[error("the migration has stopped halfway")]
    HalfMigrated,
    #[error("the stream is broken")]
    NoStream,
}

/// A tenant's database, as the test has planned it, and what has happened to it.
#[derive(Clone)]
struct State {
    connects: Vec<Instant>,
    connect_time: Duration,
    refuses: Option<DbError>,
    is_up: bool,
    streams: bool,
    stream_tries: Vec<Instant>,
    migrations: u32,
    migration_breaks: bool,
    users: u32,
}

impl Default for State {
    fn default() -> Self {
        State {
            connects: Vec::new(),
            connect_time: ms(10),
            refuses: None,
            is_up: true,
            streams: true,
            stream_tries: Vec::new(),
            migrations: 0,
            migration_breaks: false,
            users: 1,
        }
    }
}

/// The tenants, and a log of the parts of the service that have ended.
#[derive(Clone, Default)]
struct World(Arc<Mutex<HashMap<Tenant, State>>>, Arc<Mutex<Vec<String>>>);

impl World {
    fn of<T>(&self, tenant: Tenant, f: impl FnOnce(&mut State) -> T) -> T {
        f(self.0.lock().unwrap().entry(tenant).or_default())
    }

    fn with_users(&self) -> Vec<Tenant> {
        self.0.lock().unwrap().iter().filter(|(_, state)| state.users > 0).map(|(tenant, _)| *tenant).collect()
    }
}

async fn migrate(tenant: Tenant, world: World) -> Result<(), DbError> {
    let breaks = world.of(tenant, |state| {
        state.migrations += 1;
        state.migration_breaks
    });
    tokio::time::sleep(ms(10)).await;
    if breaks { Err(DbError::HalfMigrated) } else { Ok(()) }
}

/// The connection to a tenant's database. Looks every second whether it is still there.
struct Db {
    tenant: Tenant,
    world: World,
}

#[actor]
impl Db {
    async fn connect(tenant: Tenant, world: World, migrations: Keyed<Tenant, Task, ()>) -> Result<Db, BoxError> {
        let state = world.of(tenant, |state| {
            state.connects.push(Instant::now());
            state.clone()
        });
        tokio::time::sleep(state.connect_time).await;
        match state.refuses {
            Some(error) => return Err(error.into()),
            None if !state.is_up => return Err(DbError::Away.into()),
            None => {}
        }
        match migrations.get_or_spawn(tenant).await?.terminated().await?.failure() {
            Some(failure) => Err(failure.clone().into()),
            None => Ok(Db { tenant, world }),
        }
    }

    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        cx.send_every(secs(1), DbMsg::check);
    }

    #[message]
    fn check(&self) -> Result<(), Thrown> {
        if self.world.of(self.tenant, |state| state.is_up) { Ok(()) } else { Err(DbError::Away)? }
    }
}

/// Streams changes to users.
async fn stream(tenant: Tenant, world: World, _db: ActorRef<Db>) -> Result<(), DbError> {
    world.of(tenant, |state| state.stream_tries.push(Instant::now()));
    while world.of(tenant, |state| state.streams) {
        tokio::time::sleep(secs(1)).await;
    }
    Err(DbError::NoStream)
}

/// Returns when the tenant has had no users for 10 minutes.
async fn no_users(tenant: Tenant, world: World) {
    let mut without = 0;
    while without < 600 {
        tokio::time::sleep(secs(1)).await;
        without = if world.of(tenant, |state| state.users) == 0 { without + 1 } else { 0 };
    }
}

/// A part of the service itself.
struct Part(World);

#[actor]
impl Part {
    #[message]
    fn number(&self, cx: &mut Context<Self>) -> u32 {
        cx.incarnation()
    }

    #[post_stop]
    fn gone(&mut self, cx: &mut Context<Self>) {
        self.0.1.lock().unwrap().push(cx.path());
    }
}

/// Accepts users.
async fn listen(cx: TaskContext) {
    cx.stopped().await;
}

// glue: tries tenants again that were given up and still have users.
async fn reconnect(connections: Keyed<Tenant, Connection, ()>, world: World) {
    loop {
        tokio::time::sleep(secs(60)).await;
        for tenant in world.with_users() {
            let _ = tokio::time::timeout(secs(1), connections.get_or_spawn(tenant).detached()).await;
        }
    }
}
// end of glue

supervisor! {
    /// The connection of a tenant. A failure that is not tried again ends it, and nothing else.
    struct Connection(tenant: Tenant, world: World, migrations: Keyed<Tenant, Task, ()>) {
        #[backoff(1s..30s, random_factor = 0, reset = 1min)]
        #[decider(Phase::Start => Escalate, _ if failure.failing_for() >= 10min => Escalate, _ => Restart)]
        db: Db = Db::connect(tenant, world, migrations).await?,

        #[backoff(5s..5min, random_factor = 0, reset = 1min)]
        #[decider(_ if failure.failing_for() >= 2h => Escalate, _ => Restart)]
        stream: task = stream(tenant, world, db),

        #[lifecycle(Transient, significant)]
        users: task = no_users(tenant, world),
    }

    struct Realtime(is_main_region: bool, world: World) {
        #![strategy(OneForOne, max_restarts = 3, within = 5s, budget = Shared)]

        repo: Part = Part(world),
        pubsub: [Part; 4] = |_index| Part(world),
        tracking: struct Tracking {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            tracker: Part = Part(world),
        },
        janitor: Option<Part> = is_main_region.then_some(Part(world)),

        #[lifecycle(Temporary)]
        migrations: [Tenant => task] = |tenant: Tenant| migrate(tenant, world),
        #[lifecycle(Temporary, start = 30s)]
        connections: [Tenant => Connection] = |tenant: Tenant| Connection::tree(tenant, world, migrations),

        reconnector: task = reconnect(connections, world),
        endpoint: task = |cx| listen(cx),
    }
}

#[derive(Debug)]
enum Refused {
    /// The connection is still being opened.
    Initializing,
    Because(SpawnError),
}

impl Realtime {
    /// The connection of a tenant, for a user that comes.
    async fn connection(&self, tenant: Tenant) -> Result<Connection, Refused> {
        let opened = tokio::time::timeout(secs(15), self.connections.get_or_spawn(tenant).detached()).await;
        opened.map_err(|_| Refused::Initializing)?.map_err(Refused::Because)
    }
}

async fn realtime() -> (Running<Realtime>, World) {
    let world = World::default();
    (Realtime::start(true, world.clone()).await.unwrap(), world)
}

async fn fail(part: &ActorRef<Part>) {
    part.inject(Fault::panic("a bug"));
    pass(ms(100)).await;
    let _ = part.number().await;
}

/// S27: a hundred users at once share one connection, which has migrated its database once.
#[tokio::test(start_paused = true)]
async fn a_hundred_users_share_one_connection() {
    let (service, world) = realtime().await;
    let mut users = JoinSet::new();
    for _ in 0..100 {
        let service = service.handle();
        users.spawn(async move { service.connection("shop").await.unwrap().db });
    }
    let connections = users.join_all().await;
    assert!(connections.iter().all(|db| *db == connections[0]));
    assert_eq!(world.of("shop", |state| (state.connects.len(), state.migrations)), (1, 1));
    assert_eq!(service.connections.keys(), ["shop"]);
}

/// S6, S27: the reason why a connection cannot be opened reaches all who wait for it, with its type; nothing is tried
/// again behind their backs.
#[tokio::test(start_paused = true)]
async fn a_refusal_reaches_everyone_who_waits() {
    let (service, world) = realtime().await;
    world.of("shop", |state| state.refuses = Some(DbError::TooManyConnections));
    let (one, two) = soon(async { tokio::join!(service.connection("shop"), service.connection("shop")) }).await;
    for refused in [one, two] {
        let Err(Refused::Because(SpawnError::Start(failure))) = refused else { panic!("{refused:?}") };
        assert_eq!(failure.find::<DbError>(), Some(&DbError::TooManyConnections));
    }
    pass(secs(30)).await;
    assert_eq!(world.of("shop", |state| state.connects.len()), 1);
    world.of("shop", |state| state.refuses = None);
    assert!(service.connection("shop").await.is_ok());
}

/// S6, S27: a migration that stops halfway is for an operator: it is not run again by itself, and its failure reaches
/// the user.
#[tokio::test(start_paused = true)]
async fn a_migration_is_not_run_again_by_itself() {
    let (service, world) = realtime().await;
    world.of("shop", |state| state.migration_breaks = true);
    let refused = service.connection("shop").await;
    let Err(Refused::Because(SpawnError::Start(failure))) = refused else { panic!("{refused:?}") };
    assert_eq!(failure.find::<DbError>(), Some(&DbError::HalfMigrated));
    pass(secs(30)).await;
    assert_eq!(world.of("shop", |state| state.migrations), 1);
}

/// S27: a start outlives the users that wait for it, up to its own 30 s.
#[tokio::test(start_paused = true)]
async fn a_slow_database_comes_up_without_anybody_waiting() {
    let (service, world) = realtime().await;
    world.of("shop", |state| state.connect_time = secs(20));
    let begin = Instant::now();
    assert!(matches!(service.connection("shop").await, Err(Refused::Initializing)));
    assert_eq!(begin.elapsed(), secs(15));
    pass(secs(6)).await;
    assert!(service.connection("shop").await.is_ok());
    assert_eq!((begin.elapsed(), world.of("shop", |state| state.connects.len())), (secs(21), 1));

    world.of("bank", |state| (state.connect_time, state.users) = (secs(3600), 0));
    assert!(matches!(service.connection("bank").await, Err(Refused::Initializing)));
    pass(secs(16)).await;
    assert_eq!(service.connections.keys(), ["shop"], "30 s are enough");
}

/// S31, S32: an hour without a stream is waited out, at the pace of the backoff.
#[tokio::test(start_paused = true)]
async fn an_hour_without_a_stream_is_waited_out() {
    let (service, world) = realtime().await;
    let shop = service.connection("shop").await.unwrap();
    pass(secs(600)).await;
    world.of("shop", |state| (state.streams, state.stream_tries) = (false, Vec::new()));
    pass(secs(3600)).await;
    let tries = world.of("shop", |state| state.stream_tries.clone());
    let waits: Vec<_> = tries.windows(2).map(|two| (two[1] - two[0]).as_secs()).collect();
    assert_eq!(waits, [10, 20, 40, 80, 160, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300]);
    world.of("shop", |state| state.streams = true);
    pass(secs(300)).await;
    assert!(shop.is_alive() && shop.stream.is_alive() && shop.db.incarnation() == 1);
    assert!(service.health().is_healthy(), "{}", service.health());
}

/// S27, S32: after two hours without a stream the tenant is given up, and tried again while it has users.
#[tokio::test(start_paused = true)]
async fn a_tenant_is_given_up_after_two_hours_and_comes_back() {
    let (service, world) = realtime().await;
    let shop = service.connection("shop").await.unwrap();
    world.of("shop", |state| state.streams = false);
    let begin = Instant::now();
    let report = soon(shop.join()).await.unwrap();
    let hours = begin.elapsed().as_secs_f64() / 3600.0;
    assert!((2.0..2.1).contains(&hours), "{hours}");
    assert_eq!(report.ended.failure().and_then(Failure::error), Some(&DbError::NoStream));

    world.of("shop", |state| state.streams = true);
    pass(secs(61)).await;
    let again = service.connections.get("shop").unwrap();
    assert_ne!(again.db, shop.db);
    assert!(again.stream.is_alive());
}

/// S32: a database may be away for nine minutes, but not for eleven.
#[tokio::test(start_paused = true)]
async fn a_database_may_be_away_for_ten_minutes() {
    let (service, world) = realtime().await;
    for (minutes, survives) in [(9, true), (11, false)] {
        let shop = service.connection("shop").await.unwrap();
        world.of("shop", |state| state.is_up = false);
        pass(secs(minutes * 60)).await;
        world.of("shop", |state| state.is_up = true);
        pass(secs(30)).await;
        assert_eq!(shop.is_alive(), survives, "{minutes} minutes");
        pass(secs(60)).await;
        assert_eq!(service.connections.get("shop").unwrap().db == shop.db, survives, "{minutes} minutes");
    }
}

/// S22: a tenant that nobody uses is disconnected, and that is no failure.
#[tokio::test(start_paused = true)]
async fn a_tenant_without_users_is_disconnected() {
    let (service, world) = realtime().await;
    let shop = service.connection("shop").await.unwrap();
    pass(secs(3600)).await;
    assert!(shop.is_alive());
    world.of("shop", |state| state.users = 0);
    assert!(matches!(soon(shop.join()).await.unwrap().ended, Ended::Done));
    pass(secs(600)).await;
    assert!(service.connections.is_empty());
}

/// S15, S23, S27: tenants that crash concern nobody else, however many they are.
#[tokio::test(start_paused = true)]
async fn a_crash_of_one_tenant_is_its_own() {
    let (service, world) = realtime().await;
    for tenant in ["a", "b", "c", "d", "e", "f"] {
        let connection = service.connection(tenant).await.unwrap();
        connection.db.inject(Fault::panic("a bug"));
        world.of(tenant, |state| state.refuses = Some(DbError::TooManyConnections));
    }
    for tenant in ["u", "v", "w", "x", "y", "z"] {
        service.connection(tenant).await.unwrap().kill();
    }
    let shop = service.connection("shop").await.unwrap();
    settle().await;
    pass(secs(30)).await;
    assert!(shop.is_alive() && service.is_alive());
    assert_eq!((shop.db.incarnation(), shop.stream.incarnation()), (1, 1));
}

/// S15, S28: the tracker may crash as often as it likes.
#[tokio::test(start_paused = true)]
async fn the_tracker_may_crash_fifty_times() {
    let (service, _) = realtime().await;
    for _ in 0..50 {
        fail(&service.tracking.tracker).await;
    }
    pass(secs(10)).await;
    assert_eq!(service.tracking.tracker.number().await.unwrap(), 51);
    assert_eq!(service.repo.incarnation(), 1);
}

/// S15: the parts of the service share one budget: the fourth failure within 5 s ends it.
#[tokio::test(start_paused = true)]
async fn the_parts_of_the_service_share_one_budget() {
    let (service, _) = realtime().await;
    for _ in 0..10 {
        fail(&service.repo).await;
        fail(&service.pubsub[1]).await;
        pass(secs(5)).await;
    }
    assert!(service.is_alive());
    for part in [&service.repo, &service.pubsub[0], &service.pubsub[3]] {
        fail(part).await;
    }
    assert!(service.is_alive());
    service.pubsub[2].inject(Fault::panic("a bug"));
    let report = soon(service.join()).await;
    assert!(matches!(report.ended.failure().map(Failure::cause), Some(Cause::LimitReached)), "{report}");
}

/// S24, S28: the service's own database goes last. A region that is not the main one has no janitor.
#[tokio::test(start_paused = true)]
async fn the_own_database_goes_last() {
    let (service, world) = realtime().await;
    service.connection("shop").await.unwrap();
    assert!(service.shutdown().await.is_orderly());
    let gone = world.1.lock().unwrap().clone();
    assert_eq!(gone.first().map(String::as_str), Some("janitor"));
    assert_eq!(gone.last().map(String::as_str), Some("repo"));
    let service = Realtime::start(false, world).await.unwrap();
    assert!(service.janitor.is_none());
}
