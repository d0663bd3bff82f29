//! A page server with thousands of tenants. Each tenant keeps the newest versions of its pages in memory and writes
//! them to the layer store when it stops; the deployment gives the whole server five seconds for that.
//!
//! Requirements: thousands of tenants stop together, in the time of the slowest and not in the sum of their times; a
//! tenant that hangs is aborted when the time is up, and named; the store lives until the last tenant is gone; and a
//! tenant that fails does not affect the others.

use std::time::Duration;

use supervise::error::SpawnError;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{ms, secs, soon};

const TENANTS: u32 = 3000;

/// The final store of all pages.
struct LayerStore {
    pages: u64,
}

enum Layer {
    Upload(u64, Reply<()>),
    Pages(Reply<u64>),
}

#[actor]
impl LayerStore {
    fn handle(&mut self, msg: Layer) {
        match msg {
            Layer::Upload(pages, reply) => {
                self.pages += pages;
                reply.send(());
            }
            Layer::Pages(reply) => reply.send(self.pages),
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum TenantError {
    #[error("page {0} is torn")]
    Torn(u64),
    #[error(transparent)]
    Store(#[from] supervise::error::AskError),
}

/// The behaviour of a tenant with this number when it stops.
#[derive(Clone, Copy)]
struct Habits {
    flush: fn(u32) -> Duration,
    hangs: fn(u32) -> bool,
}

struct Tenant {
    number: u32,
    dirty: u64,
    store: ActorRef<LayerStore>,
    habits: Habits,
}

enum Page {
    Put(u64),
    Torn(u64),
    Dirty(Reply<u64>),
}

#[actor]
impl Tenant {
    fn handle(&mut self, page: Page) -> Result<(), TenantError> {
        match page {
            Page::Put(pages) => self.dirty += pages,
            Page::Torn(page) => return Err(TenantError::Torn(page)),
            Page::Dirty(reply) => reply.send(self.dirty),
        }
        Ok(())
    }

    #[post_stop]
    async fn flush(&mut self) -> Result<(), TenantError> {
        tokio::time::sleep((self.habits.flush)(self.number)).await;
        if (self.habits.hangs)(self.number) {
            std::future::pending::<()>().await;
        }
        Ok(self.store.ask(|reply| Layer::Upload(self.dirty, reply)).forever().await?)
    }
}

supervisor! {
    struct PageServer(habits: Habits) {
        #[mailbox(Unbounded)]
        store: LayerStore = LayerStore { pages: 0 },

        #[max_children(TENANTS as usize)]
        #[lifecycle(Transient, shutdown = 5s)]
        tenants: [Tenant] = |number: u32| Tenant { number, dirty: 0, store, habits },
    }
}

/// All tenants, the n-th with n dirty pages.
async fn server(habits: Habits) -> (Running<PageServer>, Vec<ActorRef<Tenant>>) {
    let server = PageServer::start(habits).await.unwrap();
    let mut tenants = Vec::new();
    for number in 0..TENANTS {
        let tenant = server.tenants.spawn(number).await.unwrap();
        tenant.tell(Page::Put(u64::from(number))).await.unwrap();
        tenants.push(tenant);
    }
    for tenant in &tenants {
        tenant.ask(Page::Dirty).await.unwrap(); // the tenant has its pages
    }
    (server, tenants)
}

/// The sum of 0..n.
fn pages(n: u32) -> u64 {
    (0..u64::from(n)).sum()
}

/// The number of pages in the store. The last actor to stop asks for it, because the guard's own report cannot contain
/// it.
async fn stored(server: &PageServer) -> u64 {
    server.store.ask(Layer::Pages).await.unwrap()
}

/// S24, S27: three thousand flushes of up to four seconds take four seconds, and every page is in the store.
#[tokio::test(start_paused = true)]
async fn thousands_stop_together_in_the_time_of_the_slowest() {
    let habits = Habits { flush: |number| ms(u64::from(number % 41) * 100), hangs: |_| false };
    let (server, tenants) = server(habits).await;
    assert!(matches!(server.tenants.spawn(9999).await, Err(SpawnError::MaxChildren { .. })));
    let begin = Instant::now();
    for tenant in &tenants {
        tenant.stop();
    }
    for tenant in &tenants {
        assert!(matches!(soon(tenant.terminated()).await.unwrap(), Ended::Stopped));
    }
    assert_eq!(begin.elapsed(), secs(4));
    assert_eq!(stored(&server).await, pages(TENANTS));
    assert!(server.tenants.is_empty());
    server.tenants.spawn(1).await.unwrap();
}

/// S24: the deployment's five seconds are kept, even if tenants hang; the report names those, the others have flushed.
#[tokio::test(start_paused = true)]
async fn the_whole_server_is_down_within_five_seconds_and_reports_stragglers() {
    let habits = Habits { flush: |number| ms(u64::from(number % 41) * 100), hangs: |number| number % 1000 == 7 };
    let (server, tenants) = server(habits).await;
    let (store, begin) = (server.store.clone(), Instant::now());
    let report = server.shutdown().await;
    assert_eq!(begin.elapsed(), secs(5));
    let mut late: Vec<_> = report.children.iter().filter(|child| child.aborted).collect();
    late.sort_by(|a, b| a.path.cmp(&b.path));
    let named: Vec<_> = late.iter().map(|child| child.path.as_str()).collect();
    assert_eq!(named, ["tenants/#1008", "tenants/#2008", "tenants/#8"], "{report}");
    assert!(late.iter().all(|child| child.took == secs(5)));
    assert_eq!(report.children.len() as u32, TENANTS + 2, "the report has all tenants, their set and the store");
    assert_eq!(report.children.last().unwrap().path, "store", "the store goes down after the last tenant");
    assert!(matches!(tenants[7].ended(), Some(Ended::Aborted)));
    assert!(matches!(tenants[8].ended(), Some(Ended::Stopped)));
    assert!(store.ended().is_some());
}

/// S6, S27: a torn page costs its tenant the pages that were not flushed, and costs other tenants nothing.
#[tokio::test(start_paused = true)]
async fn a_tenant_that_breaks_is_alone_with_it() {
    let habits = Habits { flush: |_| Duration::ZERO, hangs: |_| false };
    let (server, tenants) = server(habits).await;
    for tenant in tenants.iter().step_by(3) {
        tenant.tell(Page::Torn(1)).await.unwrap();
    }
    for (number, tenant) in tenants.iter().enumerate() {
        let dirty = tenant.ask(Page::Dirty).await.unwrap();
        assert_eq!((dirty, tenant.incarnation()), if number % 3 == 0 { (0, 2) } else { (number as u64, 1) });
    }
    let broken: u64 = (0..u64::from(TENANTS)).step_by(3).sum();
    assert_eq!(stored(&server).await, broken, "`post_stop` flushes at a restart too");
    assert!(server.shutdown().await.is_orderly());
}
