//! User code that queries the tree that runs it: none of it runs under a lock, so nothing deadlocks.

use std::cell::Cell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::task::{Context as Cx, Poll, Wake, Waker};

use supervise::error::KeyedError;
use supervise::prelude::*;

use crate::common::comes_back;

struct Kid;

#[actor]
impl Kid {
    fn handle(&mut self, _: ()) {}
}

/// The query that user code makes wherever it runs. It is set once the tree is up.
#[derive(Clone, Default)]
struct Look(Arc<Mutex<Option<Ask>>>);

/// Queries the tree. A closure, because the type of a set's arguments cannot contain the tree.
type Ask = Arc<dyn Fn() + Send + Sync>;

thread_local! {
    static LOOKS: Cell<u32> = const { Cell::new(0) };
}

impl Look {
    /// Makes every query that takes a lock, except from inside such a query.
    fn around(&self) {
        let ask = self.0.lock().unwrap().clone();
        let Some(ask) = ask else { return };
        let before = LOOKS.get();
        if before.is_multiple_of(2) {
            LOOKS.set(before + 1);
            ask();
            LOOKS.set(before + 2);
        }
    }

    fn count(&self) -> u32 {
        LOOKS.get() / 2
    }
}

/// Looks at the tree at each clone and drop.
struct Arg(Look);

impl Clone for Arg {
    fn clone(&self) -> Self {
        self.0.around();
        Arg(self.0.clone())
    }
}

impl Drop for Arg {
    fn drop(&mut self) {
        self.0.around();
    }
}

/// Looks at the tree at every operation; all keys have the same hash.
struct Key(u32, Look);

impl Clone for Key {
    fn clone(&self) -> Self {
        self.1.around();
        Key(self.0, self.1.clone())
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.1.around();
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.1.around();
        other.1.around();
        self.0 == other.0
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.1.around();
        state.write_u8(7);
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.1.around();
        write!(f, "{}", self.0)
    }
}

supervisor! {
    struct Sets(arg: Arg) {
        #![strategy(OneForOne, max_restarts = 1000, within = 1min)]
        own: Kid = { drop(arg); Kid },
        kids: [Kid] = |given: Arg| { drop((arg, given)); Kid },
        keyed: [Key => Kid] = |key: Key, given: Arg| { drop((arg, key, given)); Kid },
    }
}

fn ask(sets: &Sets) {
    drop(sets.keyed.get(&Key(3, Look::default())));
    drop((sets.keyed.len(), sets.keyed.keys(), sets.keyed.stop(&Key(99, Look::default()))));
    drop((sets.snapshot(), sets.health(), sets.kids.len()));
    drop(sets.own.try_tell(()));
}

fn run(test: impl AsyncFnOnce(Look, Running<Sets>) + Send + 'static) {
    comes_back(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let look = Look::default();
            let sets = Sets::start(Arg(look.clone())).await.unwrap();
            let handle = sets.handle();
            *look.0.lock().unwrap() = Some(Arc::new(move || ask(&handle)));
            test(look.clone(), sets).await;
            drop(look.0.lock().unwrap().take());
        });
    });
}

/// S27: `Hash`, `Eq`, `Clone`, `Display` and `Drop` of a key may query the set that the key belongs to.
#[test]
fn a_key_may_ask_its_own_set() {
    run(async |look, sets| {
        let key = |number| Key(number, look.clone());
        let arg = || Arg(look.clone());
        let one = sets.keyed.spawn(key(1), arg()).await.unwrap();
        let two = sets.keyed.get_or_spawn(key(2), arg()).await.unwrap();
        assert!(sets.keyed.get_or_spawn(key(1), arg()).await.unwrap() == one);
        assert!(sets.keyed.get(&key(2)).is_some_and(|found| found == two));
        assert!(sets.keyed.get(&key(3)).is_none());
        assert!(matches!(sets.keyed.spawn(key(1), arg()).await, Err(KeyedError::Exists { .. })));
        assert_eq!(sets.keyed.keys().len(), 2);
        assert!(sets.keyed.stop(&key(1)));
        one.terminated().await.unwrap();
        assert!(!sets.keyed.stop(&key(1)));
        let again = sets.keyed.get_or_spawn(key(1), arg()).await.unwrap();
        assert!(again != one);
        assert!(look.count() > 50, "{}", look.count());
        assert!(sets.shutdown().await.is_orderly());
    });
}

/// S27, S30: the `Clone` and `Drop` of an argument, and of a value that the tree keeps, may query that tree.
#[test]
fn an_argument_and_a_kept_value_may_ask_their_tree() {
    run(async |look, sets| {
        let arg = || Arg(look.clone());
        let kid = sets.kids.spawn(arg()).await.unwrap();
        sets.kids.tree().restart().unwrap(); // ends the instances that were spawned
        kid.terminated().await.unwrap();
        let kid = sets.kids.spawn(arg()).await.unwrap();
        kid.restart().unwrap();
        while kid.incarnation() < 2 {
            tokio::task::yield_now().await;
        }
        sets.own.restart().unwrap();
        while sets.own.incarnation() < 2 {
            tokio::task::yield_now().await;
        }
        assert!(look.count() > 5, "{}", look.count());
        assert!(sets.shutdown().await.is_orderly());
    });
}

/// Looks at the tree whenever it is cloned, woken or dropped.
struct Bell(Look, TreeRef);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.around();
        drop(self.1.snapshot());
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.0.around();
        drop(self.1.snapshot());
    }
}

supervisor! {
    struct Narrow {
        #[mailbox(Bounded(1))]
        narrow: Slow = Slow,
    }
}

struct Slow;

#[actor]
impl Slow {
    async fn handle(&mut self, reply: Option<Reply<()>>) {
        tokio::task::yield_now().await;
        if let Some(reply) = reply {
            reply.send(());
        }
    }
}

/// S3: a waker may query the tree wherever it is stored: in a wait for room, for a reply, or for an end.
#[test]
fn a_waker_may_ask_the_tree() {
    run(async |look, sets| {
        let narrow = Narrow::start().await.unwrap();
        let asked = TreeRef::clone(&narrow);
        let poll = |future: &mut std::pin::Pin<Box<dyn Future<Output = ()>>>| {
            let waker = Waker::from(Arc::new(Bell(look.clone(), asked.clone())));
            future.as_mut().poll(&mut Cx::from_waker(&waker))
        };
        let mut waits: Vec<std::pin::Pin<Box<dyn Future<Output = ()>>>> = Vec::new();
        for _ in 0..4 {
            let slow = narrow.narrow.clone();
            waits.push(Box::pin(async move { slow.ask(Some).forever().await.unwrap() }));
        }
        let (slow, root) = (narrow.narrow.clone(), narrow.handle());
        waits.push(Box::pin(async move { drop(slow.terminated().await) }));
        waits.push(Box::pin(async move { drop(root.join().await) }));
        for wait in &mut waits {
            // Poll twice, so that the second waker replaces the first.
            assert!(matches!((poll(wait), poll(wait)), (Poll::Pending, Poll::Pending)));
        }
        // A wait that is given up, outside of a runtime, where no timer holds its waker as well.
        let (slow, bells, tree) = (narrow.narrow.clone(), look.clone(), asked.clone());
        let given_up = std::thread::spawn(move || {
            let mut wait = Box::pin(slow.tell(None));
            let waker = Waker::from(Arc::new(Bell(bells, tree)));
            assert!(wait.as_mut().poll(&mut Cx::from_waker(&waker)).is_pending());
            drop(waker);
            drop(wait);
        });
        given_up.join().unwrap();
        let ends = waits.split_off(4);
        while !waits.is_empty() {
            waits.retain_mut(|wait| poll(wait).is_pending());
            tokio::task::yield_now().await;
        }
        assert!(narrow.shutdown().await.is_orderly());
        for mut end in ends {
            assert!(poll(&mut end).is_ready());
        }
        assert!(look.count() > 10, "{}", look.count());
        assert!(sets.shutdown().await.is_orderly());
    });
}
