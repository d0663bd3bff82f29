//! A conductor of cells. Each cell runs one genome for one agent, and is known by both. Cells with the same genome share
//! their validation. An app is a set of cells that users see; it is enabled or disabled as a whole.
//!
//! Requirements:
//! * A workflow that finds the database busy tries again after a second, as often as it takes.
//! * Any other failure of a workflow ends its cell, which then leaves the network. A failure in the part that the cells
//!   of a genome share ends all of them.
//! * When a cell ends, each app that uses it is disabled, and the other cells of that app stop if no other app uses
//!   them.
//! * A bug in this bookkeeping costs nothing.
//! * The interfaces for administrators and apps are extras: if one fails, also at the start, that is logged.
//! * If the work after a commit fails, the conductor ends with the cause.
//! * Leaving the network takes seconds, for all cells together.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex};

use supervise::error::SpawnError;
use supervise::event::Events;
use supervise::prelude::*;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::common::{ms, pass, quiet_panics, secs, seen, settle, soon};

// The work: stand-ins.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Genome(u8);

impl fmt::Display for Genome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "genome-{}", self.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct CellId(Genome, u32);

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

fn cell(genome: u8, agent: u32) -> CellId {
    CellId(Genome(genome), agent)
}

type AppName = &'static str;

#[derive(Debug, Clone, thiserror::Error)]
enum WorkError {
    #[error("the database is busy")]
    Busy,
    #[error("the data is corrupt")]
    Corrupt,
    #[error("port {0} is in use")]
    PortInUse(u16),
}

enum Planned {
    Fails(WorkError),
    Panics,
}

/// The database, the network and the machine, with the faults that the test has planned.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Outside>>, Arc<Notify>);

#[derive(Default)]
struct Outside {
    /// The cells of each app, and whether it is enabled.
    apps: BTreeMap<AppName, (Vec<CellId>, bool)>,
    in_network: BTreeSet<CellId>,
    used_ports: Vec<u16>,
    worked: Vec<(String, Instant)>,
    planned: HashMap<String, VecDeque<Planned>>,
}

impl World {
    fn with<T>(&self, f: impl FnOnce(&mut Outside) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    fn plan(&self, path: &str, planned: Planned) {
        self.with(|outside| outside.planned.entry(path.to_owned()).or_default().push_back(planned));
        self.1.notify_waiters();
    }

    fn next(&self, path: &str) -> Result<(), WorkError> {
        match self.with(|outside| outside.planned.get_mut(path).and_then(VecDeque::pop_front)) {
            Some(Planned::Fails(error)) => Err(error),
            Some(Planned::Panics) => panic!("planned panic"),
            None => Ok(()),
        }
    }

    async fn breaks(&self, path: String) -> Result<(), WorkError> {
        loop {
            let more = self.1.notified();
            self.next(&path)?;
            more.await;
        }
    }

    fn is_enabled(&self, app: AppName) -> bool {
        self.with(|outside| outside.apps[app].1)
    }

    fn set_enabled(&self, app: AppName, enabled: bool) {
        self.with(|outside| outside.apps.get_mut(app).unwrap().1 = enabled);
    }

    fn cells_of(&self, app: AppName) -> Vec<CellId> {
        self.with(|outside| outside.apps[app].0.clone())
    }

    /// The enabled apps that use this cell.
    fn users_of(&self, cell: CellId) -> Vec<AppName> {
        let uses = |(name, (cells, enabled)): (&AppName, &(Vec<CellId>, bool))| {
            (*enabled && cells.contains(&cell)).then_some(*name)
        };
        self.with(|outside| outside.apps.iter().filter_map(uses).collect())
    }

    fn in_network(&self) -> usize {
        self.with(|outside| outside.in_network.len())
    }
}

/// Works on what is queued in the database: when it begins, and whenever it is triggered. Then triggers the next
/// workflow.
struct Workflow {
    next: Option<ActorRef<Workflow>>,
    world: World,
}

#[actor]
impl Workflow {
    #[pre_start]
    async fn begin(&mut self, cx: &mut Context<Self>) {
        let _ = cx.actor_ref().trigger().at_once().forget().await;
    }

    #[message]
    async fn trigger(&mut self, cx: &mut Context<Self>) -> Result<(), Thrown> {
        self.world.next(&cx.path())?;
        self.world.with(|outside| outside.worked.push((cx.path(), Instant::now())));
        if let Some(next) = &self.next {
            let _ = next.trigger().at_once().forget().await; // an error: a full mailbox has enough triggers
        }
        Ok(())
    }
}

/// Keeps a cell in the network.
async fn network(cx: TaskContext, id: CellId, world: World) -> Result<(), WorkError> {
    tokio::time::sleep(ms(10)).await; // joins
    world.with(|outside| outside.in_network.insert(id));
    cx.ready();
    let broken = tokio::select! {
        _ = cx.stopped() => Ok(()),
        broken = world.breaks(cx.path()) => broken,
    };
    tokio::time::sleep(secs(4)).await; // leaves
    world.with(|outside| outside.in_network.remove(&id));
    broken
}

async fn post_commit(cx: TaskContext, world: World) -> Result<(), WorkError> {
    tokio::select! {
        _ = cx.stopped() => Ok(()),
        broken = world.breaks(cx.path()) => broken,
    }
}

async fn interface(cx: TaskContext, port: u16, world: World) -> Result<(), WorkError> {
    if world.with(|outside| outside.used_ports.contains(&port)) {
        return Err(WorkError::PortInUse(port));
    }
    post_commit(cx, world).await
}

/// Enables and disables apps.
struct Apps {
    strains: Keyed<Genome, Strain, ()>,
    world: World,
}

#[actor]
impl Apps {
    /// Brings up what the database says.
    #[pre_start]
    async fn begin(&mut self, cx: &mut Context<Self>) {
        for app in self.world.with(|outside| outside.apps.keys().copied().collect::<Vec<_>>()) {
            if self.world.is_enabled(app) && self.enable(app, cx).await.is_err() {
                self.disable(app);
            }
        }
    }

    #[message]
    async fn enable(&mut self, app: AppName, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        for id in self.world.cells_of(app) {
            let strain = self.strains.get_or_spawn(id.0).await?;
            cx.watch_each(&strain.cells);
            strain.cells.get_or_spawn(id).await?;
        }
        self.world.set_enabled(app, true);
        Ok(())
    }

    #[message]
    fn disable(&mut self, app: AppName) {
        self.world.set_enabled(app, false);
        for id in self.world.cells_of(app) {
            if let Some(strain) = self.strains.get(&id.0).filter(|_| self.world.users_of(id).is_empty()) {
                strain.cells.stop(&id);
            }
        }
    }

    #[terminated]
    fn cell_ended(&mut self, who: &Watched, _: &Ended, cx: &mut Context<Self>) -> Result<(), WorkError> {
        self.world.next(&cx.path())?;
        let Some(&cell) = who.key::<CellId>() else { return Ok(()) };
        for app in self.world.users_of(cell) {
            self.disable(app);
        }
        Ok(())
    }
}

supervisor! {
    struct Cell(id: CellId, world: World, integration: ActorRef<Workflow>) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(WorkError::Busy => Restart, _ => Escalate)]
        #![backoff([1s], random_factor = 0)]

        #[lifecycle(ready, shutdown = 10s)]
        network: task = |cx| network(cx, id, world),
        publish: Workflow = Workflow { next: Some(integration), world },
        countersigning: Workflow = Workflow { next: None, world },
    }

    /// The cells with one genome, and what they share.
    struct Strain(world: World) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(WorkError::Busy => Restart, _ => Escalate)]
        #![backoff([1s], random_factor = 0)]

        receipts: Workflow = Workflow { next: None, world },
        integration: Workflow = Workflow { next: Some(receipts), world },
        app_validation: Workflow = Workflow { next: Some(integration), world },
        system_validation: Workflow = Workflow { next: Some(app_validation), world },
        witnessing: Workflow = Workflow { next: Some(system_validation), world },

        #[decider(_ => Stop)]
        cells: [CellId => Cell] = |id: CellId| Cell::tree(id, world, integration),
    }

    struct Conductor(admin_port: u16, app_ports: Vec<u16>, world: World) {
        #![decider(_ => Escalate)]

        post_commit: task = |cx| post_commit(cx, world),

        #[decider(_ => Stop)]
        strains: [Genome => Strain] = |_genome: Genome| Strain::tree(world),

        #[decider(_ => Restart)]
        apps: Apps = Apps { strains, world },

        #[lifecycle(best_effort)]
        #[decider(_ => Stop)]
        admin: task = |cx| interface(cx, admin_port, world),
        #[decider(_ => Stop)]
        #[initial(app_ports)]
        app_interfaces: [u16 => task] = |port: u16| |cx| interface(cx, port, world),
    }
}

/// Four apps: `chat` and `mail` share a cell, `wiki` has a genome in common with them, `maps` has nothing.
fn world() -> World {
    let world = World::default();
    world.with(|outside| {
        outside.apps = BTreeMap::from([
            ("chat", (vec![cell(1, 1), cell(2, 1)], true)),
            ("mail", (vec![cell(1, 1), cell(3, 1)], true)),
            ("wiki", (vec![cell(2, 1), cell(2, 2)], true)),
            ("maps", (vec![cell(4, 1)], true)),
        ]);
    });
    world
}

async fn conductor(world: &World) -> (Running<Conductor>, Events) {
    let mut tree = Conductor::tree(1000, vec![2000, 2001], world.clone());
    let events = tree.events();
    let conductor = tree.start().await.unwrap();
    pass(ms(1)).await;
    (conductor, events)
}

fn enabled(world: &World) -> Vec<AppName> {
    ["chat", "mail", "wiki", "maps"].into_iter().filter(|app| world.is_enabled(app)).collect()
}

impl Conductor {
    fn cell(&self, id: CellId) -> Option<Cell> {
        self.strains.get(&id.0)?.cells.get(&id)
    }
}

/// S31, S45: a busy database is waited for, a second each time and as often as it takes; nothing else notices.
#[tokio::test(start_paused = true)]
async fn a_busy_database_is_tried_again_every_second() {
    let world = world();
    let (conductor, mut events) = conductor(&world).await;
    world.with(|outside| outside.worked.clear());
    seen(&mut events);
    let (strain, cell) = (conductor.strains.get(&Genome(1)).unwrap(), conductor.cell(cell(1, 1)).unwrap());
    for workflow in [&strain.app_validation, &cell.publish] {
        let (path, begin) = (workflow.path(), Instant::now());
        for _ in 0..100 {
            world.plan(&path, Planned::Fails(WorkError::Busy));
        }
        workflow.trigger().forget().await.unwrap();
        pass(secs(101)).await;
        let worked = world.with(|outside| outside.worked.clone());
        let worked: Vec<_> = worked.iter().filter(|(of, _)| *of == path).map(|(_, at)| *at - begin).collect();
        assert_eq!(worked, [secs(100)]);
        assert!(seen(&mut events).iter().all(|line| line.starts_with(&path)));
    }
    assert_eq!(enabled(&world).len(), 4);
}

/// S20, S27, S37: a corrupt cell ends with all of its services and leaves the network. The apps that use it are
/// disabled, and cells that no app uses any more stop.
#[tokio::test(start_paused = true)]
async fn a_corrupt_cell_disables_the_apps_that_use_it() {
    let world = world();
    let (conductor, _events) = conductor(&world).await;
    assert_eq!((enabled(&world).len(), world.in_network()), (4, 5));
    let shared = conductor.cell(cell(1, 1)).unwrap();
    world.plan("strains/genome-1/cells/genome-1.1/countersigning", Planned::Fails(WorkError::Corrupt));
    shared.countersigning.trigger().forget().await.unwrap();
    let report = soon(shared.join()).await.unwrap();
    assert!(matches!(report.ended.failure().and_then(Failure::error), Some(WorkError::Corrupt)));
    assert!(shared.network.ended().is_some() && shared.publish.ended().is_some());
    pass(secs(5)).await;
    assert_eq!(enabled(&world), ["wiki", "maps"]);
    assert!(conductor.cell(cell(3, 1)).is_none(), "only `mail` has used it");
    assert!(conductor.cell(cell(2, 1)).is_some(), "`wiki` uses it, too");
    assert_eq!(world.in_network(), 3);

    conductor.apps.enable("mail").await.unwrap().unwrap();
    assert!(conductor.cell(cell(1, 1)).is_some() && world.is_enabled("mail"));
    conductor.apps.disable("mail").await.unwrap();
    pass(secs(5)).await;
    assert_eq!(world.in_network(), 3);
}

/// S20, S37: a failure in what the cells of a genome share ends all of them, and with them their apps.
#[tokio::test(start_paused = true)]
async fn a_failure_in_what_cells_share_ends_all_of_them() {
    quiet_panics();
    let world = world();
    let (conductor, _events) = conductor(&world).await;
    world.plan("strains/genome-2/witnessing", Planned::Panics);
    let strain = conductor.strains.get(&Genome(2)).unwrap();
    strain.witnessing.trigger().forget().await.unwrap();
    let report = soon(strain.join()).await.unwrap();
    assert!(matches!(report.ended, Ended::Failed(_)), "{report}");
    pass(secs(5)).await;
    assert_eq!(enabled(&world), ["mail", "maps"]);
    assert_eq!(conductor.strains.get(&Genome(1)).unwrap().cells.keys(), [cell(1, 1)]);
    conductor.apps.enable("wiki").await.unwrap().unwrap();
    assert_eq!(conductor.strains.get(&Genome(2)).unwrap().cells.len(), 2, "a new strain");
}

/// S37: a bug in the bookkeeping costs nothing: the database has the facts, and the watch survives the restart.
#[tokio::test(start_paused = true)]
async fn a_bug_in_the_bookkeeping_costs_nothing() {
    let world = world();
    let (conductor, _events) = conductor(&world).await;
    world.plan("apps", Planned::Fails(WorkError::Corrupt));
    conductor.cell(cell(4, 1)).unwrap().kill();
    pass(secs(5)).await;
    assert_eq!(conductor.apps.incarnation(), 2);
    assert!(conductor.cell(cell(4, 1)).is_some(), "the database says that `maps` is enabled");
    conductor.cell(cell(1, 1)).unwrap().kill();
    pass(secs(5)).await;
    assert_eq!(enabled(&world), ["wiki", "maps"]);
    assert_eq!(conductor.apps.incarnation(), 2);
}

/// S21, S40: interfaces that cannot be opened, that fail or that panic are logged, and that is all.
#[tokio::test(start_paused = true)]
async fn an_interface_that_fails_is_only_logged() {
    quiet_panics();
    let world = world();
    world.with(|outside| outside.used_ports = vec![1000, 2000]);
    let (conductor, mut events) = conductor(&world).await;
    assert!(conductor.admin.ended().is_some() && conductor.app_interfaces.keys() == [2001]);
    world.plan("app_interfaces/2001", Planned::Panics);
    settle().await;
    assert!(conductor.app_interfaces.is_empty());
    let lines = seen(&mut events);
    for path in ["admin", "app_interfaces/2000", "app_interfaces/2001"] {
        assert!(lines.contains(&format!("{path} failed")), "{path}: {lines:?}");
    }
    world.with(|outside| outside.used_ports.clear());
    conductor.admin.start_again().unwrap().await.unwrap();
    conductor.app_interfaces.spawn(2002).await.unwrap();
    world.plan("admin", Planned::Fails(WorkError::Corrupt));
    pass(secs(60)).await;
    assert!(conductor.admin.ended().is_some() && conductor.is_alive());
    assert_eq!(enabled(&world).len(), 4);
}

/// S8, S20: without the work after a commit the conductor cannot go on; its end has the cause.
#[tokio::test(start_paused = true)]
async fn a_failure_after_a_commit_ends_the_conductor() {
    quiet_panics();
    for planned in [Planned::Fails(WorkError::Corrupt), Planned::Panics] {
        let panics = matches!(planned, Planned::Panics);
        let world = world();
        let (conductor, _events) = conductor(&world).await;
        world.plan("post_commit", planned);
        let report = soon(conductor.join()).await;
        let Ended::Failed(failure) = &report.ended else { panic!("{report}") };
        assert_eq!((failure.path(), matches!(failure.cause(), Cause::Panic(_))), ("post_commit", panics));
        assert_eq!(matches!(failure.error(), Some(WorkError::Corrupt)), !panics);
        assert_eq!(world.in_network(), 0, "every cell has left the network");
    }
}

/// S24, S27: leaving the network takes four seconds, for 53 cells as for one.
#[tokio::test(start_paused = true)]
async fn all_cells_leave_the_network_together() {
    let world = world();
    world.with(|outside| {
        outside.apps.insert("many", ((0..48).map(|n| cell(5 + (n % 3) as u8, n)).collect(), true));
    });
    let (conductor, _events) = conductor(&world).await;
    assert_eq!(world.in_network(), 53);
    let begin = Instant::now();
    let report = conductor.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!((begin.elapsed(), world.in_network()), (secs(4), 0));
    assert!(world.with(|outside| outside.apps["many"].1), "an app stays enabled over a shutdown");
}
