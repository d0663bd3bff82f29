//! Requests of operators, and the sign of life of a tree: S53, S54.

use std::future::Future;
use std::pin::pin;
use std::sync::mpsc;
use std::task::{Context as Cx, Waker};

use supervise::ChildRef;
use supervise::error::{CommandError, OperateError};
use supervise::event::{EventKind, Operation};
use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, comes_back, pass, quiet_panics, secs, seen, settle, soon};

supervisor! {
    struct Shop(journal: Journal) {
        #[backoff(3s..30s, random_factor = 0)]
        db: Probe = Probe::start("db", journal).await?,
        reports: struct Reports {
            daily: Probe = Probe::start("daily", journal).await?,
        },
        rooms: [String => Probe] = |name: String| Probe::start(name, journal).await?,
    }
}

/// S53: each operation is carried out, after the event that says who has asked for it.
#[tokio::test(start_paused = true)]
async fn an_operation_names_who_asks() {
    quiet_panics();
    let shop = Shop::start(Journal::default()).await.unwrap();
    let mut events = shop.events();

    shop.operate("db", Operation::Restart, "alice").unwrap();
    settle().await;
    assert_eq!(seen(&mut events), ["db requested restart by alice", "db stopping Restart", "db restarted"]);

    shop.operate("db", Operation::Stop, "bob").unwrap();
    soon(shop.db.terminated()).await.unwrap();
    assert_eq!(seen(&mut events), ["db requested stop by bob", "db stopping Asked", "db ended Stopped"]);

    shop.operate("db", Operation::StartAgain, "carol").unwrap();
    settle().await;
    assert!(shop.db.ask(Do::Get).await.is_ok());
    assert_eq!(seen(&mut events)[0], "db requested start_again by carol");

    shop.operate("reports/daily", Operation::Kill, "dave").unwrap();
    settle().await;
    assert_eq!(seen(&mut events)[..2], ["reports/daily requested kill by dave", "reports/daily failed"]);
}

/// S53: no operation is without effect.
#[tokio::test(start_paused = true)]
async fn every_operation_is_carried_out() {
    quiet_panics();
    for operation in Operation::ALL {
        let shop = Shop::start(Journal::default()).await.unwrap();
        if operation == Operation::StartAgain {
            soon(shop.db.shutdown()).await.unwrap();
        }
        let mut events = shop.events();
        shop.operate("db", operation, "alice").unwrap();
        settle().await;
        let seen = seen(&mut events);
        assert!(seen.len() > 1, "{operation}: {seen:?}");
    }
}

/// S53: the path is looked up below the tree that is asked, and the root has its own.
#[tokio::test(start_paused = true)]
async fn a_child_is_found_by_its_path() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    let room = shop.rooms.spawn("a/b".to_owned()).await.unwrap();
    assert_eq!(shop.find("rooms/a%2Fb"), Some(room.any()));
    assert_eq!(shop.find("reports/daily"), Some(shop.reports.daily.any()));
    assert_eq!(shop.reports.find("reports/daily"), Some(shop.reports.daily.any()));
    assert_eq!(shop.find("Shop"), Some(shop.any()));
    assert_eq!((shop.find("daily"), shop.reports.find("db"), shop.find("")), (None, None, None));

    shop.operate("rooms/a%2Fb", Operation::Stop, "alice").unwrap();
    soon(room.terminated()).await.unwrap();
    assert_eq!(shop.find("rooms/a%2Fb"), None);
    shop.operate("Shop", Operation::Stop, "alice").unwrap();
    soon(shop.handle().join()).await.unwrap();
}

/// S53: a request that is refused has an event too, and one to an unknown child has none.
#[tokio::test(start_paused = true)]
async fn an_operation_may_be_refused() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    let mut events = shop.events();
    let refused = |path: &str, operation| shop.operate(path, operation, "eve").unwrap_err();

    let unknown = refused("cart", Operation::Stop);
    assert_eq!(unknown, OperateError::NotFound { path: "cart".into() });
    assert_eq!(unknown.to_string(), "no child has the path \"cart\" now; a snapshot lists the paths");
    assert_eq!(seen(&mut events), <[&str; 0]>::default());

    let living = refused("db", Operation::StartAgain);
    assert_eq!(living, OperateError::Refused(CommandError::NotEnded { path: "db".into() }));
    let root = refused("Shop", Operation::Restart);
    assert_eq!(root, OperateError::Refused(CommandError::NotDeclared { path: "Shop".into() }));
    shop.db.stop();
    soon(shop.db.terminated()).await.unwrap();
    let ended = OperateError::Refused(CommandError::Ended { path: "db".into() });
    for operation in [Operation::Stop, Operation::Kill, Operation::Restart] {
        assert_eq!(refused("db", operation), ended);
    }
    let asked = seen(&mut events).into_iter().filter(|line| line.contains("requested")).count();
    assert_eq!(asked, 5);
}

/// S53: the name of an operator cannot forge a line.
#[tokio::test(start_paused = true)]
async fn a_name_is_escaped() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    let mut events = shop.events();
    shop.operate("db", Operation::Restart, "eve\ndb #1 ended").unwrap();
    let event = events.next().await.unwrap();
    assert_eq!(event.to_string(), "db #1 restart requested by eve\\ndb #1 ended");
    assert!(matches!(event.kind, EventKind::Requested { by, .. } if by == "eve\ndb #1 ended"));
}

/// S54: a tree answers whatever its children do, from within too, and no longer once it has ended.
#[tokio::test(start_paused = true)]
async fn a_tree_answers_until_its_end() {
    quiet_panics();
    let shop = Shop::start(Journal::default()).await.unwrap();
    assert!(soon(shop.answers()).await);
    shop.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    shop.reports.daily.tell(Do::Hang).await.unwrap();
    settle().await;
    assert!(!shop.health().is_healthy());
    assert!(soon(shop.answers()).await && soon(shop.reports.answers()).await);

    let waits = shop.answers();
    let handle = shop.handle();
    let mut waits = pin!(waits);
    assert!(waits.as_mut().poll(&mut Cx::from_waker(Waker::noop())).is_pending());
    soon(shop.shutdown()).await;
    assert!(soon(waits).await, "the task has run after the question");
    assert!(!soon(handle.answers()).await);
    pass(secs(1)).await;
}

/// S54: a tree that was spawned at the top level has its own root.
#[tokio::test(start_paused = true)]
async fn a_tree_at_the_top_level_answers() {
    let shop = spawn(supervise::child! { "shop": Shop = Shop::tree(Journal::default()) }).await.unwrap();
    assert!(soon(shop.answers()).await);
    shop.stop();
    soon(shop.terminated()).await.unwrap();
    assert!(!soon(shop.answers()).await);
}

supervisor! {
    struct Blocked(tree_out: mpsc::Sender<TreeRef>, go: std::sync::Arc<std::sync::Mutex<mpsc::Receiver<()>>>) {
        let _held: () = {
            tree_out.send(tree.clone()).unwrap();
            go.lock().unwrap().recv().unwrap(); // blocks the thread of the root
        };
        idle: task = std::future::pending::<()>(),
    }
}

/// S54: a root that blocks its thread does not answer, and does once it runs again; the same with two threads.
#[test]
fn a_blocked_root_does_not_answer() {
    comes_back(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (out, tree) = mpsc::channel();
        let (go, wait) = mpsc::channel();
        let start = runtime.spawn(Blocked::start(out, std::sync::Arc::new(std::sync::Mutex::new(wait))));
        let tree = tree.recv().unwrap();
        runtime.block_on(async {
            let answer = tokio::time::timeout(std::time::Duration::from_millis(50), tree.answers()).await;
            assert!(answer.is_err(), "it blocks its thread");
            let mut later = pin!(tree.answers());
            assert!(later.as_mut().poll(&mut Cx::from_waker(Waker::noop())).is_pending());
            go.send(()).unwrap();
            assert!(later.await);
            let running = start.await.unwrap().unwrap();
            assert!(running.answers().await);
            running.shutdown().await;
        });
    });
}

/// S54: the wait is over when the runtime of the tree is dropped before the task has run.
#[test]
fn answers_is_false_once_the_runtime_is_dropped() {
    comes_back(|| {
        let (runtime, other) = (new_runtime(), new_runtime());
        let shop = runtime.block_on(Shop::start(Journal::default())).unwrap().detach();
        let mut waits = pin!(shop.answers());
        assert!(waits.as_mut().poll(&mut Cx::from_waker(Waker::noop())).is_pending());
        drop(runtime);
        assert!(!other.block_on(waits));
        assert!(!other.block_on(shop.answers()));
    });
}

fn new_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

supervisor! {
    struct High(journal: Journal) {
        first: Probe = Probe::start("first", journal).await?,
        one: struct HighOne {
            two: struct HighTwo {
                three: struct HighThree {
                    leaf: Probe = Probe::start("leaf", journal).await?,
                },
            },
        },
        set: [Low] = || Low::tree(journal),
    }

    struct Low(journal: Journal) {
        below: struct LowBelow {
            leaf: Probe = Probe::start("leaf", journal).await?,
        },
    }
}

/// S54: a subtree asks the root, however deep it is, and whatever has ended between them, itself included.
#[tokio::test(start_paused = true)]
async fn a_subtree_asks_the_root_at_any_depth() {
    let high = High::start(Journal::default()).await.unwrap();
    let low = high.set.spawn().await.unwrap();
    let (one, two, three) = (&high.one, &high.one.two, &high.one.two.three);
    let below = [TreeRef::clone(one), TreeRef::clone(two), TreeRef::clone(three)];
    let parts = below.into_iter().chain([TreeRef::clone(&low), TreeRef::clone(&low.below)]).collect::<Vec<_>>();
    for part in &parts {
        assert!(soon(part.answers()).await, "{}", part.path());
    }
    high.one.stop();
    high.set.tree().stop();
    soon(high.one.terminated()).await.unwrap();
    soon(high.set.tree().terminated()).await.unwrap();
    for part in &parts {
        assert!(part.ended().is_some());
        assert!(soon(part.answers()).await, "{}: the root lives", part.path());
    }
    soon(high.shutdown()).await;
    for part in &parts {
        assert!(!soon(part.answers()).await, "{}", part.path());
    }
}
