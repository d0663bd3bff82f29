//! The connections that are open: one with each process.

use std::collections::HashMap;
use std::net::SocketAddr;

use tokio::sync::watch;

use crate::greeting::Process;
use crate::places::Origin;
use crate::rights::Granted;

/// So many connections are open at the same time.
pub(crate) const CONNECTIONS: usize = 1000;

/// A connection is counted for this one: an address, and the certificate that was shown from there.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Holder {
    origin: Origin,
    certificate: Option<Vec<u8>>,
}

impl Holder {
    pub(crate) fn new(address: SocketAddr, certificate: Option<&[u8]>) -> Holder {
        Holder { origin: address.ip().into(), certificate: certificate.map(Vec::from) }
    }
}

/// The connections that are open, by process.
#[derive(Default)]
pub(crate) struct Open {
    numbers: u64,
    entered: u64,
    live: HashMap<Process, Live>,
}

struct Live {
    number: u64,
    /// Grows with each connection. The number does not: the other side may have chosen it.
    entered: u64,
    address: SocketAddr,
    holder: Holder,
    /// The rights in its certificate.
    granted: Granted,
    /// Closed when the connection is over; true if another one has taken its place.
    replaced: watch::Sender<bool>,
}

/// Another process has this id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Another;

/// All connections are taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Open {
    pub(crate) fn has(&self, process: Process) -> bool {
        self.live.contains_key(&process)
    }

    /// Makes room for one more connection of this holder. If all are taken, another connection is closed; returns its
    /// address.
    ///
    /// The newest connection of the holder with the most is closed, so that one process with a certificate does not
    /// keep out the others by connecting again and again.
    ///
    /// # Errors
    ///
    /// If nobody has more connections than this holder has with the new one.
    pub(crate) fn room(&mut self, holder: &Holder) -> Result<Option<SocketAddr>, Full> {
        if self.live.len() < CONNECTIONS {
            return Ok(None);
        }
        let mut counts = HashMap::new();
        for live in self.live.values() {
            *counts.entry(&live.holder).or_insert(0_usize) += 1;
        }
        let own = counts.get(holder).copied().unwrap_or_default();
        let (most, count) = counts.into_iter().max_by_key(|(_, count)| *count).ok_or(Full)?;
        if count <= own + 1 {
            return Err(Full);
        }
        let of_most = self.live.iter().filter(|(_, live)| live.holder == *most);
        let newest = of_most.max_by_key(|(_, live)| live.entered).map(|(process, _)| *process).ok_or(Full)?;
        let goes = self.live.remove(&newest).ok_or(Full)?;
        goes.replaced.send_replace(true);
        Ok(Some(goes.address))
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
        (address, holder): (SocketAddr, Holder),
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
        self.entered += 1;
        let live = Live { number, entered: self.entered, address, holder, granted: granted.clone(), replaced };
        if let Some(older) = self.live.insert(process, live) {
            older.replaced.send_replace(true);
        }
        Ok(Some(is_replaced))
    }

    /// A connection is over; `replaced` is what it has got as it entered.
    pub(crate) fn leave(&mut self, process: Process, replaced: &watch::Receiver<bool>) {
        if self.live.get(&process).is_some_and(|live| live.replaced.subscribe().same_channel(replaced)) {
            self.live.remove(&process);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(host: u8, certificate: &str) -> (SocketAddr, Holder) {
        let address = SocketAddr::from(([10, 0, 0, host], 7));
        (address, Holder::new(address, Some(certificate.as_bytes())))
    }

    /// Enters connections until there is no room. Returns for each a receiver, which is true once it has to close.
    fn fill(open: &mut Open, first: Process, from: &(SocketAddr, Holder)) -> Vec<watch::Receiver<bool>> {
        let mut all = Vec::new();
        while open.live.len() < CONNECTIONS {
            let process = first + all.len() as Process;
            all.push(open.enter(process, 1, &Granted::Everything, from.clone()).unwrap().unwrap());
        }
        all
    }

    #[test]
    fn one_holder_does_not_keep_out_the_others() {
        let (good, bad) = (from(1, "good"), from(1, "bad"));
        let mut open = Open::default();
        assert_eq!(open.room(&good.1), Ok(None));
        let first = open.enter(1, 1, &Granted::Everything, good.clone()).unwrap().unwrap();
        let many = fill(&mut open, 100, &bad);
        assert_eq!(open.room(&bad.1), Err(Full));
        // Only the newest connection of that holder is closed.
        assert_eq!(open.room(&good.1), Ok(Some(bad.0)));
        let gone: Vec<_> = many.iter().map(|replaced| *replaced.borrow()).collect();
        assert_eq!(gone.iter().position(|gone| *gone), Some(many.len() - 1));
        assert!(!*first.borrow());
        open.enter(2, 1, &Granted::Everything, good).unwrap();
        assert_eq!(open.room(&bad.1), Err(Full));
        // The same certificate from elsewhere is another holder.
        assert_eq!(open.room(&from(2, "bad").1), Ok(Some(bad.0)));
    }

    #[test]
    fn a_holder_displaces_only_holders_with_more_connections() {
        let mut open = Open::default();
        for n in 0..CONNECTIONS as u128 {
            let of = from((n % 200) as u8, "a");
            open.enter(n, 1, &Granted::Everything, of).unwrap();
        }
        assert_eq!(open.room(&from(7, "a").1), Err(Full));
        assert_eq!(open.room(&from(201, "a").1).map(|goes| goes.is_some()), Ok(true));
    }

    /// The other side may choose a number again.
    #[test]
    fn the_end_of_an_old_connection_keeps_a_new_one() {
        let mut open = Open::default();
        let first = open.enter(7, 5, &Granted::Everything, from(1, "a")).unwrap().unwrap();
        open.live.clear(); // the first was closed to make room
        let second = open.enter(7, 5, &Granted::Everything, from(1, "a")).unwrap().unwrap();
        open.leave(7, &first);
        assert!(open.has(7));
        open.leave(7, &second);
        assert!(!open.has(7));
    }

    #[test]
    fn of_two_connections_with_a_process_the_one_with_the_greater_number_stays() {
        for order in [[1, 2], [2, 1]] {
            let mut open = Open::default();
            let [first, second] =
                order.map(|number| open.enter(7, number, &Granted::Everything, from(1, "a")).unwrap());
            let other = Granted::read(std::iter::once("supervise://a@b/node/c")).unwrap();
            assert_eq!(open.enter(7, 9, &other, from(1, "a")).unwrap_err(), Another);
            assert!(open.enter(7, 2, &Granted::Everything, from(1, "a")).unwrap().is_none());
            assert_eq!((open.live.len(), open.has(7), open.has(8)), (1, true, false));
            assert_eq!(first.as_ref().is_some_and(|first| *first.borrow()), order == [1, 2]);
            assert_eq!(second.is_some(), order == [1, 2]);
            let over = open.until_over(7).unwrap();
            // The end of the one that gave way is not the end of the one that stayed.
            let [older, newer] = if order == [1, 2] { [first, second] } else { [second, first] };
            older.iter().for_each(|older| open.leave(7, older));
            assert!(open.has(7) && over.has_changed().is_ok());
            let newer = newer.unwrap();
            open.leave(7, &newer);
            assert!(!open.has(7) && over.has_changed().is_err());
        }
    }
}
