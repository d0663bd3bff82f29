//! The connections that are open: one with each process.

use std::collections::HashMap;

use tokio::sync::watch;

use crate::greeting::Process;
use crate::rights::Granted;

/// The connections that are open, by process.
#[derive(Default)]
pub(crate) struct Open {
    numbers: u64,
    live: HashMap<Process, Live>,
}

struct Live {
    number: u64,
    /// The rights in its certificate.
    granted: Granted,
    /// Closed when the connection is over; true if another one has taken its place.
    replaced: watch::Sender<bool>,
}

/// Another process has this id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Another;

impl Open {
    pub(crate) fn has(&self, process: Process) -> bool {
        self.live.contains_key(&process)
    }

    pub(crate) fn len(&self) -> usize {
        self.live.len()
    }

    /// Returns what closes when the connection with this process is over.
    pub(crate) fn until_over(&self, process: Process) -> Option<watch::Receiver<bool>> {
        self.live.get(&process).map(|live| live.replaced.subscribe())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Takes a connection in, in place of an older one. `None`: a newer one is there.
    ///
    /// # Errors
    ///
    /// If the older one has other rights: a process does not take the place of another one by saying its id.
    pub(crate) fn enter(
        &mut self,
        process: Process,
        number: u64,
        granted: &Granted,
    ) -> Result<Option<watch::Receiver<bool>>, Another> {
        if let Some(live) = self.live.get(&process) {
            if live.granted != *granted {
                return Err(Another);
            }
            if live.number >= number {
                return Ok(None);
            }
        }
        let (replaced, is_replaced) = watch::channel(false);
        if let Some(older) = self.live.insert(process, Live { number, granted: granted.clone(), replaced }) {
            older.replaced.send_replace(true);
        }
        Ok(Some(is_replaced))
    }

    pub(crate) fn leave(&mut self, process: Process, number: u64) {
        if self.live.get(&process).is_some_and(|live| live.number == number) {
            self.live.remove(&process);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_connections_with_a_process_the_one_with_the_greater_number_stays() {
        for order in [[1, 2], [2, 1]] {
            let mut open = Open::default();
            let [first, second] = order.map(|number| open.enter(7, number, &Granted::Everything).unwrap());
            let other = Granted::read(std::iter::once("supervise://a@b/node/c")).unwrap();
            assert_eq!(open.enter(7, 9, &other).unwrap_err(), Another);
            assert!(open.enter(7, 2, &Granted::Everything).unwrap().is_none());
            assert_eq!((open.len(), open.has(7), open.has(8)), (1, true, false));
            assert_eq!(first.is_some_and(|first| *first.borrow()), order == [1, 2]);
            assert_eq!(second.is_some(), order == [1, 2]);
            let over = open.until_over(7).unwrap();
            // The end of the one that gave way is not the end of the one that stayed.
            open.leave(7, 1);
            assert!(open.has(7) && over.has_changed().is_ok());
            open.leave(7, 2);
            assert!(!open.has(7) && over.has_changed().is_err());
        }
    }
}
