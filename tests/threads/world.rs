//! The records of a walk: the living actors, and how each message ended.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use supervise::error::LinkError;
use supervise::{ActorRef, TreeRef};

use crate::tree::Worker;

/// The records shared by all actors and users of one tree.
#[derive(Default)]
pub struct World {
    random: AtomicU64,
    pub sent: AtomicU64,
    pub entered: AtomicU64,
    /// The messages dropped before a handler was entered.
    pub dropped: AtomicU64,
    /// The dropped messages that were returned to their sender.
    pub returned: AtomicU64,
    /// The dropped messages whose sender stopped waiting for room.
    pub given_up: AtomicU64,
    pub made: AtomicU64,
    /// The number of top-level actors that were taken over.
    pub linked: AtomicU64,
    /// Whether the random operations are over, so that no actor causes failures any more.
    calm: AtomicBool,
    /// Whether no actor leaves this tree and none is asked, which makes the counts exact.
    exact: AtomicBool,
    /// The actors that left their tree, to be stopped.
    free: Mutex<Vec<ActorRef<Worker>>>,
    /// Top-level actors, for any actor that takes one over.
    homeless: Mutex<Vec<ActorRef<Worker>>>,
    living: Mutex<HashMap<String, i64>>,
    /// The number of trees that were started, and the last one.
    trees: AtomicU64,
    tree: Mutex<Option<TreeRef>>,
    wrong: Mutex<Vec<String>>,
}

impl World {
    pub fn new(seed: u64) -> Arc<Self> {
        let world = World::default();
        world.random.store(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), SeqCst);
        world.exact.store(seed.is_multiple_of(2), SeqCst);
        Arc::new(world)
    }

    /// A number below `n`.
    pub fn draw(&self, n: u64) -> u64 {
        let step = 0x9e37_79b9_7f4a_7c15;
        let mut x = self.random.fetch_add(step, SeqCst).wrapping_add(step);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % n
    }

    pub fn one_in(&self, n: u64) -> bool {
        self.draw(n) == 0
    }

    /// A random choice for an actor: a number below `n`, or in the calm phase a number without a meaning.
    pub fn whim(&self, n: u64) -> u64 {
        if self.is_calm() { u64::MAX } else { self.draw(n) }
    }

    pub fn is_calm(&self) -> bool {
        self.calm.load(SeqCst)
    }

    pub fn calm_down(&self) {
        self.calm.store(true, SeqCst);
    }

    /// Records an actor that left its tree, or never was in one: it lives until it is stopped, or until the actor that
    /// took it over ends.
    pub fn left(&self, leaver: ActorRef<Worker>) {
        let mut homeless = self.homeless.lock().unwrap();
        if homeless.len() == 16 {
            homeless.remove(self.draw(16) as usize);
        }
        homeless.push(leaver.clone());
        drop(homeless);
        self.free.lock().unwrap().push(leaver);
    }

    pub fn homeless(&self) -> Option<ActorRef<Worker>> {
        let homeless = self.homeless.lock().unwrap();
        if homeless.is_empty() { None } else { Some(homeless[self.draw(homeless.len() as u64) as usize].clone()) }
    }

    pub fn count_link(&self, linked: &Result<(), LinkError>) {
        if linked.is_ok() {
            self.linked.fetch_add(1, SeqCst);
        }
    }

    /// Dead letters are counted by tree. Letters to actors that left are in another count, and those of asks are
    /// counted there, but not in these records.
    pub fn is_exact(&self) -> bool {
        self.exact.load(SeqCst)
    }

    /// Keeps no handle of an actor any more.
    pub fn forget_actors(&self) {
        self.free.lock().unwrap().clear();
        self.homeless.lock().unwrap().clear();
    }

    pub fn begin_tree(&self) {
        self.trees.fetch_add(1, SeqCst);
    }

    pub fn set_tree(&self, tree: TreeRef) {
        *self.tree.lock().unwrap() = Some(tree);
    }

    /// The tree, if there was one only: its count of dead letters is that of all.
    pub fn take_only_tree(&self) -> Option<TreeRef> {
        let tree = self.tree.lock().unwrap().take();
        tree.filter(|_| self.trees.load(SeqCst) == 1)
    }

    pub fn stop_leavers(&self) {
        let free = std::mem::take(&mut *self.free.lock().unwrap());
        free.into_iter().for_each(|leaver| leaver.stop());
    }

    /// Records a broken promise.
    pub fn wrong(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }

    pub fn take_wrong(&self) -> Vec<String> {
        std::mem::take(&mut self.wrong.lock().unwrap())
    }

    /// The actors that still exist.
    pub fn living(&self) -> Vec<String> {
        let living = self.living.lock().unwrap();
        living.iter().filter(|(_, n)| **n != 0).map(|(path, n)| format!("{path}: {n}")).collect()
    }
}

/// One instance, from its start expression to its drop.
pub struct Alive {
    pub world: Arc<World>,
    pub path: String,
}

impl Alive {
    pub fn new(world: &Arc<World>, path: impl Into<String>) -> Self {
        let path = path.into();
        world.made.fetch_add(1, SeqCst);
        let mut living = world.living.lock().unwrap();
        let n = living.entry(path.clone()).or_default();
        *n += 1;
        let n = *n;
        drop(living);
        if n > 1 {
            world.wrong(format!("{n} instances of {path} at a time"));
        }
        Alive { world: world.clone(), path }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        *self.world.living.lock().unwrap().entry(self.path.clone()).or_default() -= 1;
    }
}

/// A message that says how it ended.
pub struct Token {
    world: Arc<World>,
    entered: bool,
}

impl Token {
    pub fn new(world: &Arc<World>) -> Self {
        world.sent.fetch_add(1, SeqCst);
        Token { world: world.clone(), entered: false }
    }

    /// The handler has received the message.
    pub fn enter(mut self) {
        self.entered = true;
        self.world.entered.fetch_add(1, SeqCst);
    }

    /// The sender has received the message back.
    pub fn returned(self) {
        self.world.returned.fetch_add(1, SeqCst);
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        if !self.entered {
            self.world.dropped.fetch_add(1, SeqCst);
        }
    }
}
