//! The cells at which a sample of metrics begins: the root of a tree, or the groups of all top-level children (S51).

use supervise_core::base::sync::{Arc, Mutex, OnceLock, Weak, lock};

use crate::metrics::meters::{self, GUARDIAN, Meters, Roots};
use supervise_core::values::observe::Observe;
use supervise_runtime::extension::{AnyCell, Extension, Start};

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
    meters::request(core.bus(), Meters::new(name, Root(Arc::downgrade(root))));
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

/// Gives top-level children their metrics, if those are wanted.
#[derive(Debug)]
pub(crate) struct TopLevelMetrics;

impl Extension for TopLevelMetrics {
    fn starts(&self, guardian: &Arc<AnyCell>, start: Start) -> Result<(), String> {
        if let (Start::Alone | Start::Unlinked, Some(meters)) = (start, TOP_LEVEL.get()) {
            if let Some(TopLevel(known)) = meters.roots() {
                remember(&mut lock(known), guardian);
            }
            let tree = guardian.core().bus();
            tree.observe(Observe::TIMING);
            meters::share(tree, meters);
        }
        Ok(())
    }
}

fn remember((guardians, full): &mut (Vec<Weak<AnyCell>>, usize), guardian: &Arc<AnyCell>) {
    if guardians.len() >= *full {
        guardians.retain(|guardian| guardian.strong_count() > 0);
        *full = (guardians.len() * 2).max(64);
    }
    guardians.push(Arc::downgrade(guardian));
}

/// Records the metrics of a tree from its start on.
#[derive(Debug)]
pub(crate) struct FromStart;

impl Extension for FromStart {
    fn starts(&self, root: &Arc<AnyCell>, _start: Start) -> Result<(), String> {
        root.core().bus().observe(Observe::TIMING);
        request(root);
        Ok(())
    }
}
