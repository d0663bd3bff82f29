//! The connections that are open: one with each process.

use std::collections::HashMap;

use tokio::sync::watch;

use crate::greeting::Process;

/// The connections that are open, by process.
#[derive(Default)]
pub(crate) struct Open {
    numbers: u64,
    live: HashMap<Process, Live>,
}

struct Live {
    number: u64,
    /// Closed when the connection is over; true if another one has taken its place.
    replaced: watch::Sender<bool>,
}

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
    pub(crate) fn enter(&mut self, process: Process, number: u64) -> Option<watch::Receiver<bool>> {
        if self.live.get(&process).is_some_and(|live| live.number > number) {
            return None;
        }
        let (replaced, is_replaced) = watch::channel(false);
        if let Some(older) = self.live.insert(process, Live { number, replaced }) {
            older.replaced.send_replace(true);
        }
        Some(is_replaced)
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
            let [first, second] = order.map(|number| open.enter(7, number));
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
