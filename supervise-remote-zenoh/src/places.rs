//! The connections that are not verified yet: a bounded number of places, and who has to go when all are taken.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use tokio::task::AbortHandle;

/// So many connections may be on their way to being verified.
pub(crate) const PLACES: usize = 128;

/// So many addresses are remembered whose last connection was verified.
const REMEMBERED: usize = 4096;

/// The addresses that one user of a network has at hand: one of IPv4, or the 2^64 of a network of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin(IpAddr);

impl From<IpAddr> for Origin {
    fn from(address: IpAddr) -> Origin {
        match address.to_canonical() {
            IpAddr::V6(address) => Origin(IpAddr::V6((u128::from(address) >> 64 << 64).into())),
            address => Origin(address),
        }
    }
}

/// The places, by the number of the connection, which grows.
#[derive(Debug, Default)]
pub(crate) struct Places {
    taken: BTreeMap<u64, Origin>,
    last: u64,
    /// Origins whose last connection was verified.
    good: HashSet<Origin>,
    oldest_first: VecDeque<Origin>,
}

impl Places {
    /// Takes a place. Returns its number, and the connection that has to go for it, if all places were taken.
    ///
    /// Origins go first whose last connection was not verified, and of these the one with the most places; of its
    /// connections the oldest.
    pub(crate) fn take(&mut self, origin: Origin) -> (u64, Option<u64>) {
        let goes = (self.taken.len() >= PLACES).then(|| self.worst()).flatten();
        if let Some(goes) = goes {
            self.taken.remove(&goes);
        }
        self.last += 1;
        self.taken.insert(self.last, origin);
        (self.last, goes)
    }

    fn worst(&self) -> Option<u64> {
        let mut counts = HashMap::new();
        for origin in self.taken.values() {
            *counts.entry(origin).or_insert(0_usize) += 1;
        }
        let rank = |origin: &Origin| (!self.good.contains(origin), counts.get(origin).copied().unwrap_or_default());
        let (worst, _) = self.taken.iter().rev().max_by_key(|(_, origin)| rank(origin))?;
        let origin = self.taken.get(worst)?;
        self.taken.iter().find(|(_, of)| *of == origin).map(|(number, _)| *number)
    }

    /// Gives a place back: the connection is verified, or not.
    pub(crate) fn done(&mut self, number: u64, verified: bool) {
        let Some(origin) = self.taken.remove(&number) else { return };
        if !verified {
            self.good.remove(&origin);
        } else if self.good.insert(origin) {
            self.oldest_first.push_back(origin);
            if self.oldest_first.len() > REMEMBERED {
                let oldest = self.oldest_first.pop_front();
                oldest.map(|oldest| self.good.remove(&oldest));
            }
        }
    }
}

/// The connections that wait to be verified, with their tasks.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    places: Places,
    tasks: HashMap<u64, AbortHandle>,
}

impl Waiting {
    /// Takes a place. Returns its number, and the task of the connection that has to go for it.
    pub(crate) fn take(&mut self, origin: Origin) -> (u64, Option<AbortHandle>) {
        let (number, goes) = self.places.take(origin);
        (number, goes.and_then(|goes| self.tasks.remove(&goes)))
    }

    /// A task verifies this connection, unless that is done already.
    pub(crate) fn runs(&mut self, number: u64, task: AbortHandle) {
        if self.places.taken.contains_key(&number) {
            self.tasks.insert(number, task);
        }
    }

    pub(crate) fn done(&mut self, number: u64, verified: bool) {
        self.places.done(number, verified);
        self.tasks.remove(&number);
    }
}

/// Refused connections are logged once in this time, with their number.
const REFUSALS: Duration = Duration::from_secs(10);

/// Foreign bytes that were refused, logged now and then.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    told: Option<Instant>,
    untold: u64,
}

impl Refusals {
    /// Counts a refusal. Returns how many were not logged before it, if it is to be logged.
    pub(crate) fn tell(&mut self, now: Instant) -> Option<u64> {
        if self.told.is_some_and(|told| now.duration_since(told) < REFUSALS) {
            self.untold += 1;
            return None;
        }
        self.told = Some(now);
        Some(std::mem::take(&mut self.untold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(n: u8) -> Origin {
        IpAddr::from([10, 0, 0, n]).into()
    }

    fn filled(origins: impl Iterator<Item = Origin>) -> (Places, Vec<u64>) {
        let mut places = Places::default();
        let numbers = origins.map(|origin| {
            let (number, goes) = places.take(origin);
            assert_eq!(goes, None);
            number
        });
        let numbers = numbers.collect();
        (places, numbers)
    }

    #[test]
    fn the_oldest_of_the_origin_with_the_most_places_goes_first() {
        let all = [origin(1), origin(1)].into_iter().chain((0..PLACES as u8 - 5).map(|_| origin(2)));
        let (mut places, numbers) = filled(all.chain([origin(3); 3]));
        assert_eq!(places.take(origin(1)).1, Some(numbers[2]));
        assert_eq!(places.take(origin(4)).1, Some(numbers[3]));
    }

    #[test]
    fn origins_that_were_verified_keep_their_places() {
        let mut places = Places::default();
        let (number, _) = places.take(origin(1));
        places.done(number, true);
        let good: Vec<_> = (0..PLACES - 1).map(|_| places.take(origin(1)).0).collect();
        let (bad, _) = places.take(origin(2));
        assert_eq!(places.take(origin(1)).1, Some(bad));
        // All places are verified ones now, so the oldest of them is given up.
        assert_eq!(places.take(origin(3)).1, Some(good[0]));
        // The origin that was verified last fails once, and is as good as any other one.
        places.done(good[1], false);
        places.take(origin(3));
        assert_eq!(places.take(origin(3)).1, Some(good[2]));
    }

    #[test]
    fn a_place_that_is_given_back_is_free() {
        let (mut places, numbers) = filled((0..PLACES).map(|_| origin(1)));
        places.done(numbers[5], false);
        places.done(numbers[5], false);
        assert_eq!(places.take(origin(2)).1, None);
        assert_eq!(places.take(origin(2)).1, Some(numbers[0]));
    }

    #[test]
    fn a_network_of_ipv6_is_one_origin() {
        let of = |text: &str| Origin::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut places = Places::default();
        for n in 0..3 * REMEMBERED as u32 {
            let (number, goes) = places.take(IpAddr::from(n.to_be_bytes()).into());
            assert_eq!(goes, None);
            places.done(number, true);
        }
        assert_eq!((places.good.len(), places.oldest_first.len(), places.taken.len()), (REMEMBERED, REMEMBERED, 0));
    }

    #[test]
    fn refusals_are_told_now_and_then_with_their_number() {
        let (mut refusals, begin) = (Refusals::default(), Instant::now());
        let told: Vec<_> = (0..30).filter_map(|n| refusals.tell(begin + n * Duration::from_secs(1))).collect();
        assert_eq!(told, [0, 9, 9]);
    }
}
