//! A network that is open: its joins, its connections, and how each join meets each connection.

use std::collections::BTreeMap;
use std::hash::RandomState;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::greeting::Process;
use crate::open::Open;
use crate::places::{Refusals, Waiting};
use crate::rights::Granted;
use crate::session::Connection;
use crate::settings::Settings;
use crate::tls::Store;
use supervise_remote::wire::Peer;

/// A network, with the threads of its connections. The clones of a wire and its links hold it.
pub(crate) struct Opened {
    pub(crate) shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

/// The state that the tasks of the connections share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) network: Arc<str>,
    pub(crate) process: Process,
    pub(crate) tls: Option<Store>,
    pub(crate) refusals: Mutex<Refusals>,
    /// True once the network closes.
    pub(crate) closing: watch::Sender<bool>,
    /// How many connections have a session.
    pub(crate) sessions: watch::Sender<usize>,
    /// Makes the numbers of those who hold certificates: nobody else can calculate two that are the same.
    pub(crate) holders: RandomState,
    open: Mutex<Open>,
    waiting: Mutex<Waiting>,
    meeting: Mutex<Meeting>,
    joined: AtomicU64,
}

/// A join, as the network sees it.
pub(crate) trait Join: Send + Sync {
    /// Meets those behind a connection, once. Blocks for a moment.
    fn attach(self: Arc<Self>, connection: &Arc<Connection>);

    /// A connection is over.
    fn detach(&self, connection: &Connection);

    /// Leaves, once. What was sent before is written first, by threads of its own. Returns what is true when everybody who could
    /// be told knows.
    fn leave(self: Arc<Self>) -> watch::Receiver<bool>;
}

/// Each join meets each connection.
struct Meeting {
    /// The joins that may still be there; nothing once the network is closed.
    joins: Option<Vec<Weak<dyn Join>>>,
    connections: BTreeMap<u64, Arc<Connection>>,
}

impl Shared {
    pub(crate) fn new(settings: Settings, tls: Option<Store>) -> Shared {
        Shared {
            network: settings.network.as_str().into(),
            process: rand::random(),
            tls,
            refusals: Mutex::default(),
            closing: watch::Sender::new(false),
            sessions: watch::Sender::new(0),
            holders: RandomState::new(),
            open: Mutex::default(),
            waiting: Mutex::default(),
            meeting: Mutex::new(Meeting { joins: Some(Vec::new()), connections: BTreeMap::new() }),
            joined: AtomicU64::new(0),
            settings,
        }
    }

    pub(crate) fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn meeting(&self) -> MutexGuard<'_, Meeting> {
        self.meeting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the network closes.
    pub(crate) fn until_closing(&self) -> impl Future<Output = ()> + use<> {
        let mut closing = self.closing.subscribe();
        async move {
            if closing.wait_for(|closing| *closing).await.is_err() {
                std::future::pending().await
            }
        }
    }

    /// The rights of this process.
    pub(crate) fn granted(&self) -> Granted {
        self.tls.as_ref().map_or(Granted::Everything, Store::granted)
    }

    /// Returns whether this is a join of this process.
    pub(crate) fn is_mine(&self, peer: &Peer) -> bool {
        let join = peer.as_str().rsplit_once('#').and_then(|(_, join)| join.split_once('.'));
        join.is_some_and(|(process, _)| process == self.id())
    }

    /// A random id; 64 bits of it are enough.
    fn id(&self) -> String {
        format!("{:016x}", (self.process >> 64) as u64)
    }

    /// A connection has a session: all joins meet it. Blocks for a moment.
    pub(crate) fn attach(&self, connection: &Arc<Connection>) {
        let joins: Vec<_> = {
            let mut meeting = self.meeting();
            meeting.connections.insert(connection.id, connection.clone());
            meeting.joins.iter().flatten().filter_map(Weak::upgrade).collect()
        };
        for join in joins {
            join.attach(connection);
        }
    }

    /// A connection is over: so is everybody behind it.
    pub(crate) fn detach(&self, connection: &Connection) {
        let joins: Vec<_> = {
            let mut meeting = self.meeting();
            meeting.connections.remove(&connection.id);
            meeting.joins.iter().flatten().filter_map(Weak::upgrade).collect()
        };
        for join in joins {
            join.detach(connection);
        }
    }

    /// Makes the id of a new join.
    pub(crate) fn peer(&self) -> Peer {
        let join = self.joined.fetch_add(1, Ordering::Relaxed);
        Peer::new(format!("{}#{}.{join}", self.settings.name, self.id()))
    }

    /// A new join meets all connections. Blocks for a moment.
    pub(crate) fn enters(&self, join: &Arc<dyn Join>) -> Result<(), &'static str> {
        let connections: Vec<_> = {
            let mut meeting = self.meeting();
            let meeting = &mut *meeting;
            let Some(joins) = &mut meeting.joins else { return Err("the network is closed") };
            joins.retain(|join| join.strong_count() > 0);
            joins.push(Arc::downgrade(join));
            meeting.connections.values().cloned().collect()
        };
        for connection in connections {
            join.clone().attach(&connection);
        }
        Ok(())
    }

    /// Closes the network to new joins. Returns those that are there.
    pub(crate) fn close(&self) -> Vec<Arc<dyn Join>> {
        let joins = self.meeting().joins.take().unwrap_or_default();
        joins.iter().filter_map(Weak::upgrade).collect()
    }
}

impl Opened {
    pub(crate) fn new(shared: Arc<Shared>, runtime: Runtime) -> Opened {
        Opened { shared, runtime: Some(runtime) }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // May run on any thread, also on one of this runtime.
            runtime.shutdown_background();
        }
        // Sessions close by themselves when the last one who holds them is gone.
        self.shared.meeting().connections.clear();
    }
}
