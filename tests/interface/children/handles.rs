//! Handles as values: they can be compared, be keys of a map, and be printed: S1, S28.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash, RandomState};

use supervise::prelude::*;

use crate::common::{Journal, Probe};

supervisor! {
    struct Twins(journal: Journal) {
        actors: [Probe; 2] = |i: usize| Probe::start(i.to_string(), journal.clone()).await?,
        tasks: [task; 2] = |_: usize| std::future::pending::<()>(),
        branches: [Branch; 2] = |i: usize| Branch::tree(i.to_string(), journal.clone()),
        set: [Probe] = |name: &'static str| Probe::start(name, journal.clone()).await?,
        keyed: [u8 => Probe] = |key: u8| Probe::start(key.to_string(), journal.clone()).await?,
    }

    struct Branch(name: String, journal: Journal) {
        leaf: Probe = Probe::start(name, journal).await?,
    }
}

fn compare<H: Clone + Eq + Hash + Debug>([one, other]: &[H; 2], text: &str) {
    assert!(*one == one.clone() && one != other);
    let hasher = RandomState::new();
    assert_eq!(hasher.hash_one(one), hasher.hash_one(one.clone()));
    assert_ne!(hasher.hash_one(one), hasher.hash_one(other), "a map of handles would be a list");
    let all: HashSet<&H> = [one, one, other].into();
    assert_eq!(all.len(), 2);
    assert_eq!(format!("{one:?}"), text);
}

/// S1, S28: two handles are equal, and the same key of a map, if they are of the same child.
#[tokio::test(start_paused = true)]
async fn handles_are_equal_if_they_are_of_the_same_child() {
    let tree = Twins::start(Journal::default()).await.unwrap();
    compare(tree.actors.as_array(), "ActorRef(actors/0)");
    compare(tree.tasks.as_array(), "TaskRef(tasks/0)");
    compare(&tree.branches.as_array().each_ref().map(|branch| TreeRef::clone(branch)), "TreeRef(branches/0)");
    assert_eq!(format!("{:?} {:?}", tree.set, tree.keyed), "Children(set) Keyed(keyed)");
    assert_eq!((tree.set.is_empty(), tree.keyed.is_empty()), (true, true));
    tree.set.spawn("one").await.unwrap();
    tree.keyed.spawn(1).await.unwrap();
    assert_eq!((tree.set.is_empty(), tree.keyed.is_empty()), (false, false));
    assert_eq!(format!("{tree:?}"), "Running(TreeRef(Twins))");
}
