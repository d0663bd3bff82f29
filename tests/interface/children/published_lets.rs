//! `pub let`: a value of the tree that its handle returns (S30).

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, comes_back, quiet_panics, secs, settle};

/// A resource with the number of its tree's incarnation.
#[derive(Debug)]
struct Pool(u64);

/// Numbers the pools.
#[derive(Clone, Default)]
struct Pools(Arc<AtomicU64>);

impl Pools {
    fn open(&self) -> Arc<Pool> {
        Arc::new(Pool(self.0.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

supervisor! {
    struct Store(pools: Pools, journal: Journal) {
        #![decider(_ => Escalate)]
        first: Probe = Probe::start("first", journal).await?,
        /// The pool of this incarnation.
        pub let pool: Arc<Pool> = pools.open();
        pub(crate) let number: Cell<u64> = Cell::new(pool.0);
        let double = number.get() * 2;
        #[cfg(any())]
        pub let text: Nothing = Nothing::at_all();
        #[cfg(all())]
        pub let text: String = format!("{double}");
        user: Probe = { let _ = pool; Probe::start("user", journal).await? },
    }

    struct Site(pools: Pools, journal: Journal, wanted: bool) {
        #![decider(_ => Restart)]
        store: Store = Store::tree(pools, journal),
        maybe: Option<Store> = wanted.then(|| Store::tree(pools, journal)),
        row: [Store; 2] = |_i: usize| Store::tree(pools, journal),
        any: [Store] = || Store::tree(pools, journal),
        keyed: [u8 => Store] = |_key: u8| Store::tree(pools, journal),
        inline: struct Inline {
            #![decider(_ => Escalate)]
            pub let r#type: u64 = store.number().map_or(0, |number| number.get());
            leaf: Probe = Probe::start("leaf", journal).await?,
        },
    }
}

/// S30: the handle returns a clone of a `pub let`, and after a restart of the tree an old handle returns the new value.
/// Until the new value has been evaluated there is none.
#[tokio::test(start_paused = true)]
async fn an_old_handle_returns_the_value_of_the_present_incarnation() {
    let journal = Journal::default();
    let site = Site::start(Pools::default(), journal.clone(), false).await.unwrap();
    let old = site.store.clone();
    assert_eq!((old.pool().unwrap().0, old.number().unwrap().get()), (1, 1));
    assert_eq!(old.text().as_deref(), Some("2"));
    let pool = Arc::downgrade(&old.pool().unwrap());

    journal.plan("first start", 1, Fault::Slow(secs(60)));
    old.user.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert!(old.pool().is_none() && old.number().is_none() && old.text().is_none(), "down for the restart");
    assert!(pool.upgrade().is_none(), "the handle keeps nothing alive");

    tokio::time::sleep(secs(61)).await;
    let number = old.pool().unwrap().0;
    assert!(number > 1 && site.store.number().unwrap().get() == number);
    assert_eq!(old.text().unwrap(), (number * 2).to_string());
}

/// S30: a restart of a child leaves the value as it is.
#[tokio::test(start_paused = true)]
async fn a_restart_of_a_child_keeps_the_value() {
    let site = Site::start(Pools::default(), Journal::default(), false).await.unwrap();
    let before = site.store.pool().unwrap();
    site.store.user.restart().unwrap();
    settle().await;
    assert_eq!(site.store.user.incarnation(), 2);
    assert!(Arc::ptr_eq(&before, &site.store.pool().unwrap()));
}

/// S30: after the end of the tree there is no value, and after a requested start there is one again.
#[tokio::test(start_paused = true)]
async fn an_ended_tree_returns_none_until_it_is_started_again() {
    let site = Site::start(Pools::default(), Journal::default(), false).await.unwrap();
    let store = site.store.clone();
    let value = Arc::downgrade(&store.pool().unwrap());
    store.shutdown().await.unwrap();
    assert!(store.pool().is_none() && value.upgrade().is_none());
    store.start_again().unwrap();
    settle().await;
    assert!(store.pool().unwrap().0 > 1);
    let store = site.store.clone();
    site.shutdown().await;
    assert!(store.pool().is_none());
}

/// S30: each shape of a tree has the method: an optional tree, an array, instances of a set, and an inline subtree.
#[tokio::test(start_paused = true)]
async fn trees_of_every_shape_return_their_values() {
    let site = Site::start(Pools::default(), Journal::default(), true).await.unwrap();
    let numbers = |stores: &[&Store]| stores.iter().map(|store| store.pool().unwrap().0).collect::<Vec<_>>();
    let (any, keyed) = (site.any.spawn().await.unwrap(), site.keyed.spawn(7).await.unwrap());
    let maybe = site.maybe.as_ref().unwrap();
    assert_eq!(numbers(&[&site.store, maybe, &site.row[0], &site.row[1], &any, &keyed]), [1, 2, 3, 4, 5, 6]);

    assert_eq!(site.inline.r#type(), Some(1));
    site.store.kill();
    settle().await;
    assert_eq!(site.inline.r#type(), Some(1), "evaluated once for each incarnation of its own tree");
    let old = site.inline.clone();
    site.inline.leaf.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(old.r#type(), Some(7));

    keyed.stop();
    settle().await;
    assert!(keyed.pool().is_none());
    assert!(site.keyed.spawn(7).await.unwrap().pool().is_some());
}

/// S30: if the runtime is dropped, the value is dropped too, while a handle lives.
#[test]
fn a_dropped_runtime_takes_the_value_along() {
    comes_back(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let site = runtime.block_on(Site::start(Pools::default(), Journal::default(), true)).unwrap();
        let values: Vec<(Store, Weak<Pool>)> =
            [&site.store, &site.row[1]].map(|store| (store.clone(), Arc::downgrade(&store.pool().unwrap()))).into();
        let site = site.detach();
        drop(runtime);
        for (store, pool) in values {
            assert!(store.pool().is_none() && pool.upgrade().is_none());
        }
        assert!(site.inline.r#type().is_none());
    });
}

/// Counts its clones slowly, so that a restart meets one that is under way.
struct Slow {
    number: u64,
    copies: Arc<AtomicU64>,
}

impl Clone for Slow {
    fn clone(&self) -> Self {
        std::thread::yield_now();
        self.copies.fetch_add(1, Ordering::Relaxed);
        Slow { number: self.number, copies: self.copies.clone() }
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.copies.fetch_sub(1, Ordering::Relaxed);
    }
}

supervisor! {
    struct Counted(pools: Pools, copies: Arc<AtomicU64>) {
        pub let slow: Slow = {
            copies.fetch_add(1, Ordering::Relaxed);
            Slow { number: pools.open().0, copies: copies.clone() }
        };
        leaf: task = std::future::pending::<()>(),
    }

    struct Roof(pools: Pools, copies: Arc<AtomicU64>) {
        counted: Counted = Counted::tree(pools, copies),
    }
}

/// S30: threads may ask for the value while the tree restarts. Each gets the value of an incarnation, none gets an
/// earlier one after a later one, and no value is left behind.
#[test]
fn threads_may_read_while_the_tree_restarts() {
    comes_back(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (pools, copies) = (Pools::default(), Arc::new(AtomicU64::new(0)));
        let roof = runtime.block_on(Roof::start(pools.clone(), copies.clone())).unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let (counted, over) = (roof.counted.clone(), over.clone());
                std::thread::spawn(move || {
                    let (mut last, mut reads) = (0, 0_u64);
                    while !over.load(Ordering::Relaxed) {
                        if let Some(slow) = counted.slow() {
                            assert!(slow.number >= last, "{} after {last}", slow.number);
                            (last, reads) = (slow.number, reads + 1);
                        }
                    }
                    reads
                })
            })
            .collect();
        for restarts in 1..=300 {
            let _ = roof.counted.restart();
            while pools.0.load(Ordering::Relaxed) <= restarts || roof.counted.slow().is_none() {
                std::thread::yield_now();
            }
        }
        over.store(true, Ordering::Relaxed);
        let reads: u64 = readers.into_iter().map(|reader| reader.join().unwrap()).sum();
        assert!(reads > 300, "{reads} reads");
        assert_eq!(roof.counted.slow().unwrap().number, 301);
        runtime.block_on(roof.shutdown());
        assert_eq!(copies.load(Ordering::Relaxed), 0);
    });
}

/// A value whose clone calls back.
struct Calling {
    tree: Arc<Mutex<Option<Back>>>,
    panics: Arc<AtomicBool>,
}

impl Clone for Calling {
    fn clone(&self) -> Self {
        let tree = self.tree.lock().unwrap().clone();
        if let Some(back) = &tree {
            assert!(back.snapshot().render().contains("leaf") && back.other() == Some(5));
            assert!(!self.panics.load(Ordering::Relaxed), "in the clone");
        }
        Calling { tree: self.tree.clone(), panics: self.panics.clone() }
    }
}

supervisor! {
    struct Back(tree_of: Arc<Mutex<Option<Back>>>, panics: Arc<AtomicBool>) {
        pub let other: u8 = 5;
        pub let calling: Calling = Calling { tree: tree_of, panics };
        leaf: task = std::future::pending::<()>(),
    }
}

/// S30: the `Clone` of the value may call the tree. If it panics, the panic is that of the caller, and the value stays.
#[tokio::test(start_paused = true)]
async fn the_clone_may_call_back_and_may_panic() {
    quiet_panics();
    let (of, panics) = (Arc::new(Mutex::new(None)), Arc::new(AtomicBool::new(false)));
    let back = Back::start(of.clone(), panics.clone()).await.unwrap();
    *of.lock().unwrap() = Some(back.handle());
    assert!(back.calling().is_some());
    panics.store(true, Ordering::Relaxed);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| back.calling().is_some()));
    assert!(caught.is_err());
    panics.store(false, Ordering::Relaxed);
    assert!(back.calling().is_some());
    assert!(back.shutdown().await.is_orderly());
}
