//! A page server with thousands of tenants. Each tenant keeps the newest versions of its pages in memory and writes
//! them to the layer store when it stops; the deployment gives all tenants five seconds for that.
//!
//! Requirements:
//! * Thousands of tenants stop together, in the time of the slowest and not in the sum of their times. A tenant that
//!   hangs is aborted when the time is up, and named. The store lives until the last tenant is gone.
//! * A tenant that fails does not affect the others, and neither does what works for it in the background. A compaction
//!   that fails is tried again after 1, 2, 4 s and so on.
//! * A tenant that gets another generation is replaced: the old one has written its pages before the new one starts, and
//!   nobody else gets in between.
//! * A client that talks nonsense harms its own connection. The connections of a tenant are gone before its pages are
//!   written.
//! * A background job that fails ends, also at the start, and the server goes on without it.
//! * Data that tenants have to delete are deleted before the server ends.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::error::{AskError, KeyedError, SpawnError, TellError};
use supervise::prelude::*;
use tokio::sync::mpsc;
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::common::{ms, pass, secs, settle, soon};

const TENANTS: u32 = 3000;

// The work: stand-ins.

/// The final store of all pages.
struct LayerStore {
    pages: u64,
}

#[actor]
impl LayerStore {
    #[message]
    fn upload(&mut self, pages: u64) {
        self.pages += pages;
    }

    #[message]
    fn pages(&self) -> u64 {
        self.pages
    }
}

#[derive(Debug, thiserror::Error)]
enum TenantError {
    #[error("page {0} is torn")]
    Torn(u64),
    #[error("the layers cannot be compacted")]
    Compaction,
    #[error("the client talks nonsense")]
    Nonsense,
    #[error(transparent)]
    Store(#[from] AskError),
    #[error(transparent)]
    Pages(#[from] TellError<PagesMsg>),
}

/// The behaviour of a tenant with this number when it stops.
#[derive(Clone, Copy)]
struct Habits {
    flush: fn(u32) -> Duration,
    hangs: fn(u32) -> bool,
}

const QUICK: Habits = Habits { flush: |_| Duration::ZERO, hangs: |_| false };

/// The machine, as planned by the test.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Outside>>);

#[derive(Default)]
struct Outside {
    compaction_breaks: HashSet<u32>,
    compactions: HashMap<u32, Vec<Instant>>,
    eviction_breaks: bool,
    log: Vec<String>,
}

impl World {
    fn with<T>(&self, f: impl FnOnce(&mut Outside) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    fn log(&self, line: String) {
        self.with(|outside| outside.log.push(line));
    }

    fn take_log(&self) -> Vec<String> {
        self.with(|outside| std::mem::take(&mut outside.log))
    }
}

/// The newest pages of a tenant.
struct Pages {
    number: u32,
    generation: u32,
    dirty: u64,
    store: ActorRef<LayerStore>,
    deletions: ActorRef<Deletions>,
    habits: Habits,
    world: World,
}

#[actor]
impl Pages {
    #[message]
    fn put(&mut self, pages: u64) {
        self.dirty += pages;
    }

    #[message]
    fn torn(&mut self, page: u64) -> Result<(), Thrown> {
        Err(TenantError::Torn(page))?
    }

    #[message]
    fn dirty(&self) -> u64 {
        self.dirty
    }

    #[post_stop]
    async fn flush(&mut self) -> Result<(), TenantError> {
        tokio::time::sleep((self.habits.flush)(self.number)).await;
        if (self.habits.hangs)(self.number) {
            std::future::pending::<()>().await;
        }
        self.store.upload(self.dirty).forever().await?;
        self.world.log(format!("{} of generation {} is written", self.number, self.generation));
        let _ = self.deletions.delete(self.number).forget().await;
        Ok(())
    }
}

/// Compacts the layers of a tenant now and then.
async fn compact(number: u32, world: World) -> Result<(), TenantError> {
    loop {
        let breaks = world.with(|outside| {
            outside.compactions.entry(number).or_default().push(Instant::now());
            outside.compaction_breaks.contains(&number)
        });
        if breaks {
            return Err(TenantError::Compaction);
        }
        tokio::time::sleep(secs(3600)).await;
    }
}

/// Deletes layers, one after the other.
struct Deletions(World);

#[actor]
impl Deletions {
    #[message]
    async fn delete(&mut self, number: u32) {
        tokio::time::sleep(ms(100)).await;
        self.0.log(format!("the old layers of {number} are deleted"));
    }
}

/// A connection of a client, which cannot be copied.
struct Socket {
    tenant: u32,
    requests: mpsc::Receiver<&'static str>,
}

async fn serve(cx: TaskContext, mut socket: Socket, pages: ActorRef<Pages>, world: World) -> Result<(), TenantError> {
    loop {
        tokio::select! {
            _ = cx.stopped() => break,
            request = socket.requests.recv() => match request {
                None => break,
                Some("put") => pages.put(1).forget().await?,
                Some(_) => return Err(TenantError::Nonsense),
            },
        }
    }
    world.log(format!("a connection of {} is closed", socket.tenant));
    Ok(())
}

/// Hands connections to their tenants.
async fn listen(cx: TaskContext, accept: Accept, tenants: Keyed<u32, Tenant, (u32,)>) {
    loop {
        let socket = tokio::select! {
            _ = cx.stopped() => return,
            Some(socket) = accept.next() => socket,
        };
        if let Some(tenant) = tenants.get(&socket.tenant) {
            let _ = tenant.connections.spawn(socket).await; // a tenant that goes down closes it
        }
    }
}

/// The port, where clients come.
#[derive(Clone)]
struct Accept(Arc<tokio::sync::Mutex<mpsc::Receiver<Socket>>>);

impl Accept {
    async fn next(&self) -> Option<Socket> {
        self.0.lock().await.recv().await
    }
}

/// Makes room on the disk.
async fn evict(world: World) -> Result<(), TenantError> {
    if world.with(|outside| outside.eviction_breaks) {
        return Err(TenantError::Compaction);
    }
    std::future::pending().await
}

supervisor! {
    struct Tenant(number: u32, generation: u32, server: Server) {
        #![shutdown(5s)]

        let () = server.world.log(format!("{number} of generation {generation} starts"));

        pages: Pages = Pages::of(number, generation, server),
        #[backoff(1s..5min, random_factor = 0)]
        compaction: task = compact(number, server.world.clone()),
        #[lifecycle(Temporary, shutdown = 1s)]
        connections: [task] = |socket: Socket| |cx| serve(cx, socket, pages, server.world.clone()),
    }

    struct PageServer(accept: Accept, habits: Habits, world: World) {
        #![decider(_ => Escalate)]

        #[mailbox(Unbounded)]
        store: LayerStore = LayerStore { pages: 0 },

        #[lifecycle(drain, shutdown = 10min)]
        #[mailbox(Unbounded)]
        deletions: Deletions = Deletions(world),

        #[lifecycle(best_effort)]
        #[decider(_ => Stop)]
        eviction: task = evict(world),

        #[max_children(TENANTS as usize)]
        #[decider(_ => Stop)]
        tenants: [u32 => Tenant] = |number: u32, generation: u32| {
            Tenant::tree(number, generation, Server { store, deletions, habits, world })
        },

        listener: task = |cx| listen(cx, accept, tenants),
    }
}

/// The parts of the server that a tenant uses.
#[derive(Clone)]
struct Server {
    store: ActorRef<LayerStore>,
    deletions: ActorRef<Deletions>,
    habits: Habits,
    world: World,
}

impl Pages {
    fn of(number: u32, generation: u32, server: Server) -> Self {
        let Server { store, deletions, habits, world } = server;
        Pages { number, generation, dirty: 0, store, deletions, habits, world }
    }
}

async fn empty_server(habits: Habits, world: &World) -> (Running<PageServer>, mpsc::Sender<Socket>) {
    let (clients, port) = mpsc::channel(10);
    let accept = Accept(Arc::new(tokio::sync::Mutex::new(port)));
    (PageServer::start(accept, habits, world.clone()).await.unwrap(), clients)
}

/// All tenants, the n-th with n dirty pages.
async fn server(habits: Habits) -> (Running<PageServer>, Vec<Tenant>, mpsc::Sender<Socket>) {
    let (server, clients) = empty_server(habits, &World::default()).await;
    let mut tenants = Vec::new();
    for number in 0..TENANTS {
        let tenant = server.tenants.spawn(number, 1).await.unwrap();
        tenant.pages.put(u64::from(number)).await.unwrap();
        tenants.push(tenant);
    }
    (server, tenants, clients)
}

async fn connect(clients: &mpsc::Sender<Socket>, tenant: u32) -> mpsc::Sender<&'static str> {
    let (requests, incoming) = mpsc::channel(10);
    assert!(clients.send(Socket { tenant, requests: incoming }).await.is_ok(), "the listener takes clients");
    settle().await;
    requests
}

/// The sum of 0..n.
fn pages(n: u32) -> u64 {
    (0..u64::from(n)).sum()
}

/// S24, S27: three thousand flushes of up to four seconds take four seconds, and every page is in the store.
#[tokio::test(start_paused = true)]
async fn thousands_stop_together_in_the_time_of_the_slowest() {
    let habits = Habits { flush: |number| ms(u64::from(number % 41) * 100), hangs: |_| false };
    let (server, tenants, _clients) = server(habits).await;
    assert!(matches!(server.tenants.spawn(9999, 1).await, Err(KeyedError::Spawn(SpawnError::MaxChildren { .. }))));
    let begin = Instant::now();
    server.tenants.stop_all();
    for tenant in &tenants {
        assert!(matches!(soon(tenant.join()).await.unwrap().ended, Ended::Stopped));
    }
    assert_eq!(begin.elapsed(), secs(4));
    assert_eq!(server.store.pages().await.unwrap(), pages(TENANTS));
    assert!(server.tenants.is_empty());
    server.tenants.spawn(1, 1).await.unwrap();
}

/// S24: the deployment's five seconds are kept, even if tenants hang; the report names those, the others have flushed.
#[tokio::test(start_paused = true)]
async fn all_tenants_are_down_within_five_seconds_and_the_report_names_stragglers() {
    let habits = Habits { flush: |number| ms(u64::from(number % 41) * 100), hangs: |number| number % 1000 == 7 };
    let (server, tenants, _clients) = server(habits).await;
    let (store, begin) = (server.store.clone(), Instant::now());
    let report = server.shutdown().await;
    let late: Vec<_> = report.children.iter().filter(|child| child.aborted && child.path.ends_with("pages")).collect();
    let mut named: Vec<_> = late.iter().map(|child| child.path.as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, ["tenants/1007/pages", "tenants/2007/pages", "tenants/7/pages"], "{report}");
    assert!(late.iter().all(|child| child.took == secs(5)));
    assert_eq!(begin.elapsed(), ms(100) * (TENANTS - 3), "the deletions begin with the first tenant that is down");
    assert_eq!(report.children.last().unwrap().path, "store", "the store goes down after the last tenant");
    assert!(matches!(tenants[7].ended(), Some(Ended::Aborted)));
    assert!(matches!(tenants[8].ended(), Some(Ended::Stopped)));
    assert!(store.ended().is_some());
}

/// S6, S27: a torn page costs its tenant the pages that were not flushed, and costs other tenants nothing.
#[tokio::test(start_paused = true)]
async fn a_tenant_that_breaks_is_alone_with_it() {
    let (server, tenants, _clients) = server(QUICK).await;
    for tenant in tenants.iter().step_by(3) {
        tenant.pages.torn(1).forget().await.unwrap();
    }
    for (number, tenant) in tenants.iter().enumerate() {
        let dirty = tenant.pages.dirty().await.unwrap();
        assert_eq!((dirty, tenant.pages.incarnation()), if number % 3 == 0 { (0, 2) } else { (number as u64, 1) });
    }
    let broken: u64 = (0..u64::from(TENANTS)).step_by(3).sum();
    assert_eq!(server.store.pages().await.unwrap(), broken, "`post_stop` flushes at a restart too");
    assert!(server.shutdown().await.is_orderly());
}

/// S17, S31: a compaction that fails is tried again ever more slowly, and the tenant serves its pages meanwhile.
#[tokio::test(start_paused = true)]
async fn a_compaction_that_fails_is_tried_again() {
    let world = World::default();
    let (server, _clients) = empty_server(QUICK, &world).await;
    world.with(|outside| outside.compaction_breaks.insert(1));
    let (one, two) = (server.tenants.spawn(1, 1).await.unwrap(), server.tenants.spawn(2, 1).await.unwrap());
    pass(secs(40)).await;
    let tries = world.with(|outside| outside.compactions[&1].clone());
    let waits: Vec<_> = tries.windows(2).map(|two| (two[1] - two[0]).as_secs()).collect();
    assert_eq!(waits, [1, 2, 4, 8, 16]);
    one.pages.put(1).await.unwrap();
    assert_eq!(one.pages.dirty().await.unwrap(), 1);
    assert_eq!((one.pages.incarnation(), two.compaction.incarnation()), (1, 1));
}

/// S27: a tenant that is replaced has written its pages before the new generation starts; whoever looks for the tenant
/// meanwhile gets the new one, and nobody gets in between.
#[tokio::test(start_paused = true)]
async fn a_new_generation_replaces_a_tenant() {
    let world = World::default();
    let habits = Habits { flush: |_| secs(3), hangs: |_| false };
    let (server, _clients) = empty_server(habits, &world).await;
    let old = server.tenants.spawn(1, 1).await.unwrap();
    let (replaced, found, refused) = tokio::join!(
        server.tenants.replace(1, 2),
        async {
            yield_now().await;
            server.tenants.get_or_spawn(1, 9).await.unwrap()
        },
        async {
            pass(secs(1)).await;
            server.tenants.spawn(1, 9).await.err()
        },
    );
    assert!(matches!(refused, Some(KeyedError::Exists { .. })), "{refused:?}");
    assert_eq!(replaced.unwrap().pages, found.pages);
    assert!(matches!(old.ended(), Some(Ended::Stopped)));
    assert_eq!(
        world.take_log()[..3],
        ["1 of generation 1 starts", "1 of generation 1 is written", "1 of generation 2 starts"]
    );
}

/// S23, S29: a client that talks nonsense, at once or later, ends its own connection; the others, the tenant and the
/// listener go on.
#[tokio::test(start_paused = true)]
async fn a_client_that_talks_nonsense_harms_itself() {
    let world = World::default();
    let (server, clients) = empty_server(QUICK, &world).await;
    let tenant = server.tenants.spawn(1, 1).await.unwrap();
    let good = connect(&clients, 1).await;
    let (requests, incoming) = mpsc::channel(10);
    requests.send("?").await.unwrap(); // waits in the channel at the first poll
    clients.send(Socket { tenant: 1, requests: incoming }).await.ok().unwrap();
    let bad = connect(&clients, 1).await;
    bad.send("?").await.unwrap();
    settle().await;
    assert_eq!(tenant.connections.len(), 1);
    good.send("put").await.unwrap();
    connect(&clients, 1).await.send("put").await.unwrap();
    settle().await;
    assert_eq!(tenant.pages.dirty().await.unwrap(), 2);
    assert_eq!((server.listener.incarnation(), tenant.pages.incarnation()), (1, 1));
}

/// S24: the connections of a tenant go down with it, before its pages are written; a client is not waited for.
#[tokio::test(start_paused = true)]
async fn connections_are_closed_before_the_pages_are_written() {
    let world = World::default();
    let (server, clients) = empty_server(QUICK, &world).await;
    server.tenants.spawn(1, 1).await.unwrap();
    let client = connect(&clients, 1).await;
    server.tenants.stop(&1);
    settle().await;
    assert!(client.is_closed());
    assert_eq!(world.take_log()[1..], ["a connection of 1 is closed", "1 of generation 1 is written"]);
    assert!(connect(&clients, 1).await.is_closed(), "nobody serves this tenant");
}

/// S21: a background job that fails at the start or later is not there, and the server is.
#[tokio::test(start_paused = true)]
async fn a_background_job_may_fail() {
    let world = World::default();
    world.with(|outside| outside.eviction_breaks = true);
    let (server, _clients) = empty_server(QUICK, &world).await;
    settle().await;
    assert!(matches!(server.eviction.ended(), Some(Ended::Failed(_))), "{:?}", server.eviction.ended());
    assert!(server.tenants.spawn(1, 1).await.is_ok());
    assert!(server.is_alive());
}

/// S26: the server ends when everything is deleted that its tenants had to delete, also at their end.
#[tokio::test(start_paused = true)]
async fn deletions_are_done_before_the_server_ends() {
    let world = World::default();
    let (server, _clients) = empty_server(QUICK, &world).await;
    for number in 0..50 {
        server.tenants.spawn(number, 1).await.unwrap();
    }
    let begin = Instant::now();
    assert!(server.shutdown().await.is_orderly());
    assert_eq!(begin.elapsed(), secs(5));
    assert_eq!(world.take_log().iter().filter(|line| line.ends_with("deleted")).count(), 50);
}
