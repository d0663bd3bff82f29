//! An incarnation of a tree: its build. Once the tree is up it only waits; its children are data in its group.

use std::future::{Future, poll_fn};
use std::task::Poll;

use crate::actor::options::Reader;
use crate::engine::cell::body::{Body, Hands, Served};
use crate::engine::cell::control::BareCell;
use crate::engine::settings::Common;
use supervise_core::base::deferred_drop::CatchDrop;
use supervise_core::base::sync::{Arc, Mutex, lock};
use supervise_core::decide::child::machine::Step;
use supervise_core::values::failure::Thrown;
use supervise_core::values::kind::ChildKind;
use supervise_core::values::strategy::ShutdownTimeout;

/// The slot for a tree's handle, filled once its build has finished.
pub(crate) type HandleSlot<H> = Arc<Mutex<Option<H>>>;

pub(crate) struct TreeBody<H, F> {
    cell: Arc<BareCell>,
    build: CatchDrop<F>,
    handle: HandleSlot<H>,
    options: Reader,
}

impl<H, F> TreeBody<H, F> {
    /// `build` gets the tree's cell and its declared time to stop, and gives the tree's handle.
    pub(crate) fn new(cell: Arc<BareCell>, options: Reader, handle: HandleSlot<H>, build: F) -> Self {
        TreeBody { cell, build: CatchDrop::new(build), handle, options }
    }
}

impl<H, F, Fut> Hands for TreeBody<H, F>
where
    H: Send + 'static,
    F: FnMut(Arc<BareCell>, Option<ShutdownTimeout>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<H, Thrown>> + Send + 'static,
{
    fn common(&mut self) -> Arc<Common> {
        self.options.read().common.clone()
    }

    fn is_empty(&self, step: Step) -> bool {
        use Step::*;
        matches!(step, PreStart | PostRestart | Ready | PreRestart | Settle | Drop | PostStop)
    }
}

impl<H, F, Fut> Body for TreeBody<H, F>
where
    H: Send + 'static,
    F: FnMut(Arc<BareCell>, Option<ShutdownTimeout>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<H, Thrown>> + Send + 'static,
{
    const KIND: ChildKind = ChildKind::Tree;

    async fn start(&mut self) -> Result<(), Thrown> {
        let time = self.options.now.common.shutdown;
        let handle = (self.build)(self.cell.clone(), time).await?;
        let before = lock(&self.handle).replace(handle);
        drop(before);
        Ok(())
    }

    async fn serve(&mut self) -> Result<Served, Thrown> {
        poll_fn(|_| match self.cell.is_interrupted() {
            true => Poll::Ready(Ok(Served::Interrupted)),
            false => Poll::Pending,
        })
        .await
    }
}

/// The body of a set, which has nothing to build.
pub(crate) struct SetBody {
    cell: Arc<BareCell>,
    /// Adds the initial instances.
    begin: Box<dyn FnMut() + Send>,
}

impl SetBody {
    pub(crate) fn new(cell: Arc<BareCell>, begin: Box<dyn FnMut() + Send>) -> Self {
        SetBody { cell, begin }
    }
}

impl Hands for SetBody {
    /// Returns the settings of the set itself. The declared settings are about its instances: the set is a `Permanent`
    /// member, and takes as long as they do.
    fn common(&mut self) -> Arc<Common> {
        Arc::default()
    }

    fn is_empty(&self, step: Step) -> bool {
        use Step::*;
        matches!(step, PreStart | PostRestart | Ready | PreRestart | Settle | Drop | PostStop)
    }
}

impl Body for SetBody {
    const KIND: ChildKind = ChildKind::Set;

    async fn start(&mut self) -> Result<(), Thrown> {
        // The instances begin once the set is up. They are added here, where a panic in the clone of an argument is a
        // failed start.
        (self.begin)();
        Ok(())
    }

    async fn serve(&mut self) -> Result<Served, Thrown> {
        poll_fn(|_| match self.cell.is_interrupted() {
            true => Poll::Ready(Ok(Served::Interrupted)),
            false => Poll::Pending,
        })
        .await
    }
}
