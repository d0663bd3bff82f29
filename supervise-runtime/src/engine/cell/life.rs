//! The task of a cell, for all its incarnations (S1): it runs the steps that the machine names, one after the other.

use super::body::Body;
use super::control::AnyCell;
use super::driver::Driver;
#[cfg(feature = "testing")]
use super::driver::Exit;
use crate::engine::settings::Common;
use supervise_core::base::sync::Arc;
use supervise_core::decide::child::machine::Step;
use supervise_core::values::failure::Failure;

mod bug;
mod farewell;

use bug::Caught;
use farewell::CellGuard;

struct Life<B: Body> {
    driver: Driver,
    body: B,
}

impl<B: Body> Drop for Life<B> {
    fn drop(&mut self) {
        let bug = self.driver.engine.take_bug();
        let orderly = self.driver.machine.has_exited() && bug.is_none();
        // Made here, since it would take room in each idle child. Dropped last, also if what follows panics.
        let _farewell = CellGuard::new(self.driver.engine.cell.clone(), orderly, bug);
        if !orderly {
            // Messages that were taken out of the mailbox and not handled become dead letters too (S5), and an asker
            // outside of the runtime must not wait forever.
            self.driver.let_go(&mut self.body);
        }
    }
}

impl<B: Body> Life<B> {
    fn go_on(&mut self) -> Caught<impl Future<Output = ()> + Send> {
        Caught { cell: Some(self.driver.engine.cell.clone()), future: steps(&mut self.driver, &mut self.body) }
    }
}

/// The task of a cell. Its future is most of the memory of an idle actor.
///
/// Inlined, with what makes the parts of a life, so that these are made where they are to be: each is large, and would
/// be copied a few times.
#[inline(always)]
pub(crate) fn live<B: Body>(
    cell: Arc<AnyCell>,
    common: Arc<Common>,
    body: B,
) -> impl Future<Output = ()> + Send + 'static {
    Life { driver: Driver::new(cell, B::KIND, common), body }.run()
}

/// The task of a cell whose first incarnation heals a failure that happened elsewhere.
pub(crate) fn live_healing<B: Body>(
    cell: Arc<AnyCell>,
    common: Arc<Common>,
    body: B,
    healing: Option<Failure>,
) -> impl Future<Output = ()> + Send + 'static {
    let mut life = Life { driver: Driver::new(cell, B::KIND, common), body };
    if let Some(failure) = healing {
        life.driver.machine.set_healing(failure);
    }
    life.run()
}

impl<B: Body> Life<B> {
    #[inline(always)]
    #[expect(clippy::manual_async_fn, reason = "a block keeps one copy of what it is called with")]
    fn run(mut self) -> impl Future<Output = ()> + Send + 'static {
        async move {
            self.driver.register_waker().await;
            // Until the child has ended. After a bug of this crate it takes the next step.
            while let Err(bug) = self.go_on().await {
                if !self.outlives(bug) {
                    return;
                }
            }
        }
    }
}

/// Runs step after step. Only this function knows the type of the child.
///
/// A block, and not an `async fn`, which would keep two copies of each reference that it is called with.
#[expect(clippy::manual_async_fn, reason = "see above")]
fn steps<B: Body>(driver: &mut Driver, body: &mut B) -> impl Future<Output = ()> + Send {
    async move {
        let mut step = driver.next(body);
        loop {
            let exit = match step {
                Step::Wait => {
                    driver.wait().await;
                    step = driver.next(body);
                    continue;
                }
                Step::Yield => {
                    driver.give_way().await;
                    step = driver.begins(body);
                    continue;
                }
                Step::Start => {
                    #[cfg(feature = "testing")]
                    driver.engine.begin_start();
                    let exit = driver.run_start(body.start()).await;
                    #[cfg(feature = "testing")]
                    driver.engine.end_start(matches!(exit, Exit::Done(_)));
                    driver.started(exit, body)
                }
                Step::PreStart => driver.run_start(body.pre_start()).await,
                Step::PostRestart => {
                    let failure = driver.heals();
                    driver.run_start(body.post_restart(&failure)).await
                }
                Step::Ready => driver.run_start(body.readying()).await,
                Step::Serve => {
                    let exit = driver.run(body.serve()).await;
                    driver.was_in_hand(body.in_hand());
                    body.served();
                    exit
                }
                Step::HandIn => driver.hand_in().await,
                Step::PreRestart => {
                    let failure = driver.heals();
                    driver.run(body.pre_restart(&failure)).await
                }
                Step::Settle => driver.run(body.settle(false)).await,
                Step::Drop => driver.run(body.settle(true)).await,
                Step::PostStop => driver.run(body.post_stop()).await,
                Step::Exit => return,
            };
            step = driver.step_ended(exit, body);
        }
    }
}
