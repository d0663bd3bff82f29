//! The actors of the owner that nodes may send to, by path: where they are found, and where the answers go.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use crate::hooks;
use serde_bytes::ByteBuf;

use crate::errors::too_large;
use crate::frame::{Outcome, Request, ToNode};
use crate::lock::lock;
use crate::run::Run;
use crate::wire::Peer;

/// An actor of the owner that nodes may send to.
pub(crate) trait Inlet: Send + Sync {
    fn path(&self) -> &str;
    /// The number of the tree that it is part of.
    fn root(&self) -> u64;
    fn is_over(&self) -> bool;
    fn take(self: Arc<Self>, answers: Answers, request: Request);
    /// The node has given up a request, which may still be here.
    fn forget(&self, node: &Peer, id: u64);
    /// How many requests are not carried out yet.
    #[cfg(feature = "testing")]
    fn waiting(&self) -> usize;
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// All actors that a reference to was sent to a node. An actor that has ended is forgotten when one of the next ones
/// comes, or some seconds later.
#[derive(Default)]
pub(crate) struct Inlets(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The inlets by tree and path: a reference may lead into another tree of this process, which has the same paths.
    all: HashMap<(u64, Arc<str>), Arc<dyn Inlet>>,
    sweep_at: usize,
    /// The run is over.
    closed: bool,
}

impl Known {
    /// Takes out the actors that have ended, to be dropped without the lock.
    #[must_use]
    fn sweep(&mut self) -> Vec<Arc<dyn Inlet>> {
        let over = self.all.extract_if(|_, inlet| inlet.is_over()).map(|(_, inlet)| inlet).collect();
        self.sweep_at = self.all.len().saturating_mul(2).max(64);
        over
    }
}

impl Inlets {
    pub(crate) fn add(&self, inlet: Arc<dyn Inlet>) {
        let key = (inlet.root(), Arc::from(inlet.path()));
        // May drop values of the user, so after the lock.
        let mut known = lock(&self.0);
        if known.closed {
            return;
        }
        let mut dropped = match known.all.len() >= known.sweep_at {
            true => known.sweep(),
            false => Vec::new(),
        };
        // An inlet that is still in use stays: it keeps the order of the requests that are under way.
        match known.all.get(&key).is_some_and(|there| !there.is_over()) {
            true => dropped.push(inlet),
            false => dropped.extend(known.all.insert(key, inlet)),
        }
        drop(known);
        drop(dropped);
    }

    /// Forgets the actors that have ended: a burst of them leaves nothing behind.
    pub(crate) fn sweep(&self) {
        let dropped = {
            let mut known = lock(&self.0);
            let dropped = known.sweep();
            let most = known.all.len().saturating_mul(2);
            known.all.shrink_to(most);
            dropped
        };
        drop(dropped);
    }

    pub(crate) fn find(&self, root: u64, path: &str) -> Option<Arc<dyn Inlet>> {
        lock(&self.0).all.get(&(root, Arc::from(path))).cloned()
    }

    /// Forgets all, for ever.
    pub(crate) fn clear(&self) {
        let dropped = {
            let mut known = lock(&self.0);
            known.closed = true;
            std::mem::take(&mut known.all)
        };
        drop(dropped);
    }

    #[cfg(feature = "testing")]
    pub(crate) fn len(&self) -> usize {
        lock(&self.0).all.len()
    }

    /// Returns how many requests of nodes are not carried out yet.
    #[cfg(feature = "testing")]
    pub(crate) fn waiting(&self) -> usize {
        let all: Vec<_> = lock(&self.0).all.values().cloned().collect();
        all.iter().map(|inlet| inlet.waiting()).sum()
    }
}

/// The state that writing and reading of a message at the owner need.
#[derive(Default)]
pub(crate) struct AtOwner {
    /// References that were written before the run was known, in order to let them in.
    written: Mutex<Vec<Arc<dyn Inlet>>>,
    /// Where references are let in and found.
    run: Option<Weak<Run>>,
}

impl AtOwner {
    pub(crate) fn of(run: &Arc<Run>) -> Arc<AtOwner> {
        Arc::new(AtOwner { written: Mutex::default(), run: Some(Arc::downgrade(run)) })
    }

    pub(crate) fn writes(&self, inlet: Arc<dyn Inlet>) {
        match &self.run {
            Some(run) => run.upgrade().into_iter().for_each(|run| run.inlets.add(inlet.clone())),
            None => lock(&self.written).push(inlet),
        }
    }

    /// Lets in what was written before.
    pub(crate) fn let_in(&self, run: &Run) {
        let written = std::mem::take(&mut *lock(&self.written));
        written.into_iter().for_each(|inlet| run.inlets.add(inlet));
    }

    pub(crate) fn find(&self, root: u64, path: &str) -> Option<Arc<dyn Inlet>> {
        self.run.as_ref()?.upgrade()?.inlets.find(root, path)
    }
}

/// Where the answers to a request of a node go.
pub(crate) struct Answers {
    pub(crate) run: Arc<Run>,
    pub(crate) to: Peer,
    pub(crate) id: u64,
}

impl Answers {
    pub(crate) fn taken(&self, taken: Outcome) {
        self.run.answer(&self.to, self.id, taken);
    }

    pub(crate) fn reply(&self, ask: u64, back: hooks::ReplyBytes) {
        let most = self.run.net().max_frame;
        let back = back.map(|back| match back {
            Ok(bytes) if bytes.len() > most => Err(too_large(bytes.len(), most)),
            back => back.map(ByteBuf::from),
        });
        self.run.send(&self.to, ToNode::Reply { id: self.id, ask, back });
    }
}
