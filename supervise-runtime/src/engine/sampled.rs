//! The cells at which a sample of metrics begins: the root of a tree, or the groups of all top-level children (S51).

use supervise_core::base::sync::{Arc, Mutex, OnceLock, Weak, lock};

use crate::engine::cell::control::AnyCell;
use crate::engine::metered::{GUARDIAN, Meters, Roots};

#[derive(Debug)]
struct Root(Weak<AnyCell>);

impl Roots for Root {
    fn are_top_level(&self) -> bool {
        false
    }
}

/// The groups of top-level children, and the number of them at which those that have gone are forgotten.
#[derive(Debug)]
struct TopLevel(Mutex<(Vec<Weak<AnyCell>>, usize)>);

impl Roots for TopLevel {
    fn are_top_level(&self) -> bool {
        true
    }
}

/// The metrics of the top-level children, once they are wanted.
static TOP_LEVEL: OnceLock<Arc<Meters>> = OnceLock::new();

/// Returns the cells at which a sample of these metrics begins.
pub(crate) fn roots(meters: &Meters) -> Vec<Arc<AnyCell>> {
    match meters.roots::<Root>() {
        Some(Root(root)) => root.upgrade().into_iter().collect(),
        None => {
            let known = meters.roots::<TopLevel>().map(|TopLevel(known)| lock(known));
            known.map_or_else(Vec::new, |known| known.0.iter().filter_map(Weak::upgrade).collect())
        }
    }
}

/// Wants the metrics of the tree with this root. To be given back as often, unless it is for good.
pub(crate) fn request(root: &Arc<AnyCell>) {
    let core = root.core();
    // A top-level child may have any name.
    let name = if core.is_top_level() { GUARDIAN.to_owned() } else { core.name() };
    core.bus.metered.request(Meters::new(name, Root(Arc::downgrade(root))));
}

/// Records the metrics of all top-level children that are spawned from now on.
pub(crate) fn top_level() {
    let mut is_first = false;
    let meters = TOP_LEVEL.get_or_init(|| {
        is_first = true;
        Arc::new(Meters::new(GUARDIAN.to_owned(), TopLevel(Mutex::new((Vec::new(), 64)))))
    });
    if is_first {
        meters.begin();
    }
}

/// Returns the metrics for a top-level child with this group, if they are wanted.
pub(crate) fn of_top_level(guardian: &Arc<AnyCell>) -> Option<&'static Arc<Meters>> {
    let meters = TOP_LEVEL.get()?;
    let TopLevel(known) = meters.roots()?;
    let mut known = lock(known);
    let (guardians, full) = &mut *known;
    if guardians.len() >= *full {
        guardians.retain(|guardian| guardian.strong_count() > 0);
        *full = (guardians.len() * 2).max(64);
    }
    guardians.push(Arc::downgrade(guardian));
    drop(known);
    Some(meters)
}
