//! The move of a child to another supervisor, in the child's own task, so that nothing else happens to it meanwhile
//! (S38).

use super::*;
use crate::base::deferred_drop::Shelter;
use crate::base::sync::{Mutex, MutexGuard, Rank, lock};
use crate::engine::cell::control::Move;
use crate::values::link_error::LinkError;

/// One move at a time in the whole process: two actors that take each other over must not both succeed.
#[cfg(not(shuttle))]
static MOVES: Mutex<()> = Mutex::ranked(Rank::Moves, ());

#[cfg(shuttle)]
shuttle::lazy_static! { static ref MOVES: Mutex<()> = Mutex::ranked(Rank::Moves, ()); }

/// Keeps every child from moving while the guard exists. To be taken before every group's lock.
pub(crate) fn moves() -> MutexGuard<'static, ()> {
    lock(&MOVES)
}

impl Driver {
    pub(super) fn take_move(&mut self, ask: Move) {
        let Move { to, unlink, reply } = ask;
        let _shelter = Shelter::new();
        // Under the lock no last reference may be dropped, which would run user code. So these two are kept until after
        // it.
        let before =
            (self.engine.cell.ctl().supervisor(), self.engine.extras.as_ref().and_then(|extras| extras.moved.clone()));
        let mut above = Vec::new();
        let moved = {
            let _one = moves();
            self.move_to(&to, unlink, &mut above)
        };
        drop((before, above));
        // The caller may no longer wait; the child has moved all the same.
        let _ = reply.send(moved);
    }

    /// Moves the child. `above`: collects the cells that were visited on the way up.
    fn move_to(
        &mut self,
        to: &Arc<dyn Controlled>,
        unlink: Option<u64>,
        above: &mut Vec<Arc<dyn Controlled>>,
    ) -> Result<(), LinkError> {
        let ctl = self.engine.cell.ctl();
        let path = || ctl.path();
        let Some((from, owner)) = self.engine.parent() else { return Err(LinkError::Supervised { path: path() }) };
        match unlink {
            None if !owner.ctl().is_guardian() => return Err(LinkError::Supervised { path: path() }),
            Some(caller) if owner.ctl().id != caller => return Err(LinkError::NotOwn { path: path() }),
            _ => {}
        }
        let mut next = Some(to.clone());
        while let Some(cell) = next {
            next = cell.ctl().supervisor();
            let is_above = cell.ctl().id == ctl.id;
            above.push(cell);
            if is_above {
                above.extend(next);
                return Err(LinkError::Above { path: path() });
            }
        }
        let busy = || LinkError::Busy { path: path() };
        let joins = to.ctl().sup().ok_or_else(busy)?;
        if !self.machine.may_move() {
            return Err(busy());
        }
        let leaving = from.leave(&*self.engine.cell).ok_or_else(busy)?;
        if let Err(back) = joins.join(&self.engine.cell, leaving) {
            let kept = from.join(&self.engine.cell, back);
            debug_assert!(kept.is_ok() || unlink.is_some(), "a guardian has nothing else to do");
            return Err(busy());
        }
        ctl.set_supervisor(Some(to.clone()));
        self.engine.extras.get_or_insert_default().moved = Some(to.clone());
        Ok(())
    }
}
