//! Extensions: code that looks at a tree, or stands beside it.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use supervise::event::EventKind;
use supervise::extension::{
    Advice, AnyCell, Around, Attached, CellCore, Edge, Extension, Gate, Over, Pass, Raised, Role, Start, TreeShared,
    Wants, attach, cell,
};
use supervise::inspect::Observe;
use supervise::policy::ChildOptions;
use supervise::prelude::*;
use supervise_remote::hooks::{self, Host};

use crate::common::{Boom, Do, Journal, Probe, quiet_panics, secs, settle};

supervisor! {
    struct Shop(journal: Journal) {
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

supervisor! {
    struct Busy(journal: Journal) {
        #![strategy(OneForOne, max_restarts = 100, within = 1min)]
        #[backoff(1ms..1ms)]
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// An extension that writes down its calls, and does what a test wants.
#[derive(Default)]
struct Scribe {
    name: &'static str,
    journal: Journal,
    role: Option<Role>,
    wants: Wants,
    holds: AtomicBool,
    drops: AtomicBool,
    /// Each call panics, after it was written down.
    panics: AtomicBool,
    refuses: bool,
}

impl std::fmt::Debug for Scribe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Scribe {
    fn new(name: &'static str, journal: &Journal, wants: Wants) -> Scribe {
        Scribe { name, journal: journal.clone(), wants, ..Scribe::default() }
    }

    fn call(&self, what: &str) {
        self.journal.write(format!("{} {what}", self.name));
        assert!(!self.panics.load(Ordering::SeqCst), "planned panic");
    }
}

impl Extension for Scribe {
    fn role(&self) -> Role {
        self.role.unwrap_or(Role::Observer)
    }

    fn wants(&self) -> Wants {
        self.wants
    }

    fn starts(&self, root: &Arc<AnyCell>, start: Start) -> Result<(), String> {
        let what = match start {
            Start::Tree(tree) => tree.name,
            Start::Alone => "alone",
            Start::Unlinked => "unlinked",
        };
        self.call(&format!("starts {what} {}", root.core().name()));
        if self.refuses { Err("the shop is closed".to_owned()) } else { Ok(()) }
    }

    fn pass(&self, _cell: &AnyCell, gate: Gate<'_, '_>) -> Pass {
        assert!(!self.panics.load(Ordering::SeqCst), "planned panic");
        match gate {
            Gate::Task(_) if self.drops.load(Ordering::SeqCst) => Pass::Drop,
            Gate::Task(cx) if self.holds.load(Ordering::SeqCst) => {
                let waker = cx.waker().clone();
                tokio::spawn(async move {
                    tokio::time::sleep(secs(1)).await;
                    waker.wake();
                });
                Pass::Hold
            }
            Gate::Code if self.holds.load(Ordering::SeqCst) => Pass::Hold,
            Gate::Task(_) | Gate::Code => Pass::Go,
        }
    }

    fn begins(&self, cell: &Arc<AnyCell>) -> Option<Box<dyn Around>> {
        self.call(&format!("begins {} #{}", cell.core().path(), cell.core().incarnation()));
        None
    }

    fn message(&self, cell: &CellCore, edge: Edge) {
        let what = match edge {
            Edge::Begins { .. } => "message begins",
            Edge::Over { .. } => "message over",
        };
        self.call(&format!("{what} {}", cell.path()));
    }

    fn event(&self, raised: &Raised<'_>) {
        self.call(&format!("event {} {}", (raised.path)(), raised.kind.word()));
    }

    fn advises(&self, _advice: Advice<'_>) {
        self.call("advises");
    }

    fn ending(&self, root: &CellCore) {
        self.call(&format!("ending {}", root.path()));
    }

    fn ended(&self, cell: &CellCore, over: Over) {
        self.call(&format!("ended {} asked {}", cell.path(), over.asked));
    }

    fn over(&self, root: &CellCore) {
        self.call(&format!("over {}", root.path()));
    }
}

const EVERYTHING: Wants = Wants::EVENTS.and(Wants::LIVES).and(Wants::MESSAGES).and(Wants::ROOTS);

fn bus(tree: &TreeRef) -> &Arc<TreeShared> {
    cell(tree).core().bus()
}

/// S40, S48: an extension is told of the begin and the end of a tree, of each incarnation, of each event, and of each message that is
/// observed, in the order in which they happen.
#[tokio::test(start_paused = true)]
async fn an_extension_is_told_of_a_life_from_its_begin_to_its_end() {
    let journal = Journal::default();
    let scribe = Arc::new(Scribe::new("it", &journal, EVERYTHING));
    let tree = Shop::tree(Journal::default()).observe(Observe::TIMING);
    let shop = attach(tree, scribe).start().await.unwrap();
    shop.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    shop.shutdown().await;
    let expected = [
        "it starts Shop Shop",
        "it begins Shop #1",
        "it begins probe #1",
        "it event probe started",
        "it event Shop started",
        "it message begins probe",
        "it message over probe",
        "it event probe failed",
        "it event probe decided",
        "it begins probe #2",
        "it event probe restarted",
        "it event Shop stopping",
        "it ending Shop",
        "it event probe stopping",
        "it event probe ended",
        "it ended probe asked true",
        "it event Shop ended",
        "it ended Shop asked true",
        "it over Shop",
    ];
    let calls: Vec<_> = journal.take().into_iter().filter(|line| !line.contains("restart_scheduled")).collect();
    assert_eq!(calls, expected);
}

/// S55, S58: whatever the order in which they were attached: fences, leases, observers.
#[tokio::test(start_paused = true)]
async fn the_order_of_the_calls_is_written() {
    let journal = Journal::default();
    let new = |name, role| Arc::new(Scribe { role: Some(role), ..Scribe::new(name, &journal, Wants::LIVES) });
    let mut tree = Shop::tree(Journal::default());
    for (name, role) in [
        ("observer", Role::Observer),
        ("lease", Role::Lease),
        ("fence", Role::Fence),
        ("second observer", Role::Observer),
        ("second fence", Role::Fence),
    ] {
        tree = attach(tree, new(name, role));
    }
    let shop = tree.start().await.unwrap();
    let begins = |lines: Vec<String>| -> Vec<String> {
        let of_probe = |line: String| Some(line.split_once(" begins probe")?.0.to_owned());
        lines.into_iter().filter_map(of_probe).collect()
    };
    assert_eq!(begins(journal.take()), ["fence", "second fence", "lease", "observer", "second observer"]);
    shop.shutdown().await;
}

/// S40, S41: a panic in one extension costs its own call: the tree goes on, and so do the others.
#[tokio::test(start_paused = true)]
async fn two_in_one_tree_do_not_harm_each_other() {
    quiet_panics();
    let (first, second) = (Journal::default(), Journal::default());
    let bad = Arc::new(Scribe::new("bad", &first, EVERYTHING));
    let good = Scribe::new("good", &second, EVERYTHING);
    let tree = attach(attach(Shop::tree(Journal::default()), bad.clone()), Arc::new(good));
    let shop = tree.start().await.unwrap();
    bad.panics.store(true, Ordering::SeqCst);
    shop.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(shop.probe.incarnation(), 2);
    assert!(shop.shutdown().await.is_orderly());
    let names = |lines: Vec<String>| -> Vec<String> {
        lines.into_iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
    };
    let (first, second) = (names(first.take()), names(second.take()));
    assert_eq!(first, second);
    assert!(first.len() > 10, "{first:?}");
}

/// S40, S51: two trees of one program have extensions of their own. An extension that is attached to a running tree sees
/// all that happens from then on, and nothing once it is detached; nothing of it is left then.
#[tokio::test(start_paused = true)]
async fn one_is_attached_in_the_middle_and_dropped_while_the_tree_runs() {
    let (journal, other) = (Journal::default(), Journal::default());
    let shop = Shop::start(Journal::default()).await.unwrap();
    let neighbour = Arc::new(Scribe::new("other", &other, Wants::EVENTS));
    let neighbour = attach(Shop::tree(Journal::default()), neighbour).start().await.unwrap();
    other.take();
    for _ in 0..2 {
        let scribe = Arc::new(Scribe::new("it", &journal, Wants::EVENTS));
        let left: Weak<Scribe> = Arc::downgrade(&scribe);
        let attached = Attached::to(bus(&shop), scribe);
        shop.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        tokio::time::sleep(secs(60)).await;
        assert_eq!(
            journal.take(),
            [
                "it event probe failed",
                "it event probe decided",
                "it event probe restart_scheduled",
                "it event probe restarted"
            ]
        );
        drop(attached);
        assert_eq!(left.strong_count(), 0);
        shop.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        tokio::time::sleep(secs(60)).await;
        assert_eq!(journal.take(), [""; 0]);
    }
    assert_eq!(other.take(), [""; 0]);
    let late = Arc::new(Scribe::new("late", &journal, EVERYTHING));
    let tree = shop.handle();
    shop.shutdown().await;
    let left = Arc::downgrade(&late);
    let attached = Attached::to(bus(&tree), late);
    drop(attached);
    assert_eq!((left.strong_count(), journal.take()), (0, Vec::new()));
    neighbour.shutdown().await;
    assert!(!other.take().is_empty());
}

/// S51: an observer is let go with the end of the tree, while handles of the tree are still there.
#[tokio::test(start_paused = true)]
async fn an_observer_is_let_go_with_its_tree() {
    let journal = Journal::default();
    let scribe = Arc::new(Scribe::new("it", &journal, EVERYTHING));
    let left = Arc::downgrade(&scribe);
    let shop = attach(Shop::tree(Journal::default()), scribe).start().await.unwrap();
    let handle = shop.handle();
    shop.shutdown().await;
    settle().await;
    assert_eq!(left.strong_count(), 0);
    drop(handle);
}

/// S55: a lease that holds the code lets nothing run, and no message is taken; an abort ends the child all the same.
#[tokio::test(start_paused = true)]
async fn code_that_is_held_does_not_run_and_can_be_aborted() {
    let own = Journal::default();
    let lease = Arc::new(Scribe { role: Some(Role::Lease), ..Scribe::new("lease", &own, Wants::CODE) });
    let journal = Journal::default();
    let shop = attach(Shop::tree(journal.clone()), lease.clone()).start().await.unwrap();
    shop.probe.tell(Do::Note("free")).await.unwrap();
    settle().await;
    lease.holds.store(true, Ordering::SeqCst);
    shop.probe.tell(Do::Note("held")).await.unwrap();
    tokio::time::sleep(secs(10)).await;
    assert_eq!(journal.take()[2..], ["probe free"]);
    let report = shop.shutdown().within(secs(1)).await;
    assert!(!report.is_orderly());
    assert_eq!(journal.take(), ["probe drop"], "no hook runs");
}

/// S55, S58: only a fence is asked about tasks, and only a lease about code. An observer that wants to decide does not.
#[tokio::test(start_paused = true)]
async fn only_fences_and_leases_decide() {
    let (own, journal) = (Journal::default(), Journal::default());
    let mut tree = Shop::tree(journal.clone());
    for (role, wants) in
        [(Role::Observer, Wants::TASKS.and(Wants::CODE)), (Role::Fence, Wants::CODE), (Role::Lease, Wants::TASKS)]
    {
        let holds = AtomicBool::new(true);
        tree = attach(tree, Arc::new(Scribe { role: Some(role), holds, ..Scribe::new("it", &own, wants) }));
    }
    let shop = tree.start().await.unwrap();
    shop.probe.tell(Do::Note("free")).await.unwrap();
    settle().await;
    assert!(journal.take().contains(&"probe free".to_owned()));
    assert!(shop.shutdown().await.is_orderly());
}

/// S55: a question that panics is answered with no: nothing runs, and the tree can still be aborted.
#[tokio::test(start_paused = true)]
async fn a_lease_that_panics_lets_nothing_run() {
    quiet_panics();
    let own = Journal::default();
    let lease = Arc::new(Scribe { role: Some(Role::Lease), ..Scribe::new("lease", &own, Wants::CODE) });
    let journal = Journal::default();
    let shop = attach(Shop::tree(journal.clone()), lease.clone()).start().await.unwrap();
    journal.take();
    lease.panics.store(true, Ordering::SeqCst);
    shop.probe.tell(Do::Note("held")).await.unwrap();
    tokio::time::sleep(secs(10)).await;
    assert_eq!(journal.take(), [""; 0]);
    let report = shop.shutdown().within(secs(1)).await;
    assert!(!report.is_orderly());
}

/// S56: a tree that an extension refuses does not start: nothing of it runs, and the failure has the reason.
#[tokio::test(start_paused = true)]
async fn a_start_that_is_refused_fails_with_the_reason() {
    let (own, journal) = (Journal::default(), Journal::default());
    let refuses = Scribe { refuses: true, ..Scribe::new("it", &own, Wants::NOTHING) };
    let failure = attach(Shop::tree(journal.clone()), Arc::new(refuses)).start().await.unwrap_err();
    assert!(failure.to_string().contains("the shop is closed"), "{failure}");
    assert_eq!(journal.take(), [""; 0]);
}

/// S56: an extension that panics when a tree is to start refuses it.
#[tokio::test(start_paused = true)]
async fn a_panic_at_the_start_is_a_refusal() {
    quiet_panics();
    let (own, journal) = (Journal::default(), Journal::default());
    let panics = Scribe { panics: AtomicBool::new(true), ..Scribe::new("it", &own, Wants::NOTHING) };
    let failure = attach(Shop::tree(journal.clone()), Arc::new(panics)).start().await.unwrap_err();
    assert!(failure.to_string().contains("panicked"), "{failure}");
    assert_eq!(journal.take(), [""; 0]);
}

/// S51: an extension may look at the tree, and panic, when it is dropped: wherever its last reference goes.
#[tokio::test(start_paused = true)]
async fn an_extension_may_ask_the_tree_when_it_is_dropped() {
    #[derive(Debug)]
    struct Asks(Arc<TreeShared>, Arc<AtomicU32>);

    impl Extension for Asks {
        fn wants(&self) -> Wants {
            Wants::EVENTS
        }
    }

    impl Drop for Asks {
        fn drop(&mut self) {
            drop(self.0.slot::<AtomicU32>());
            self.0.emit_alone(&|| "Shop".to_owned(), 1, EventKind::Restarted);
            self.1.fetch_add(1, Ordering::SeqCst);
            panic!("planned panic");
        }
    }

    quiet_panics();
    let dropped = Arc::new(AtomicU32::new(0));
    let shop = Shop::start(Journal::default()).await.unwrap();
    let tree = bus(&shop).clone();
    for _ in 0..2 {
        assert!(tree.attach(Arc::new(Asks(tree.clone(), dropped.clone()))));
    }
    shop.shutdown().await;
    settle().await;
    assert_eq!(dropped.load(Ordering::SeqCst), 2, "two observers that end with their tree");
    assert!(!tree.attach(Arc::new(Asks(tree.clone(), dropped.clone()))), "the tree has ended");
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
}

/// S58: a fence that has let a task pass is told when the poll is over, also if the next fence stops it.
#[tokio::test(start_paused = true)]
async fn each_poll_that_a_fence_lets_pass_is_over_for_it() {
    #[derive(Debug, Default)]
    struct Counts {
        inside: AtomicI64,
        passes: AtomicU32,
    }

    impl Extension for Counts {
        fn role(&self) -> Role {
            Role::Fence
        }

        fn wants(&self) -> Wants {
            Wants::TASKS
        }

        fn pass(&self, _cell: &AnyCell, _gate: Gate<'_, '_>) -> Pass {
            self.inside.fetch_add(1, Ordering::SeqCst);
            self.passes.fetch_add(1, Ordering::SeqCst);
            Pass::Go
        }

        fn passed(&self) {
            self.inside.fetch_sub(1, Ordering::SeqCst);
        }
    }

    let (counts, own) = (Arc::new(Counts::default()), Journal::default());
    let second = Arc::new(Scribe { role: Some(Role::Fence), ..Scribe::new("second", &own, Wants::TASKS) });
    let tree = attach(attach(Shop::tree(Journal::default()), counts.clone()), second.clone());
    let shop = tree.start().await.unwrap();
    let mut events = shop.events();
    second.holds.store(true, Ordering::SeqCst);
    shop.probe.tell(Do::Note("held")).await.unwrap();
    tokio::time::sleep(secs(3)).await;
    let handle = shop.handle();
    second.drops.store(true, Ordering::SeqCst);
    shop.probe.tell(Do::Note("dropped")).await.unwrap();
    drop(shop);
    tokio::time::sleep(secs(3)).await;
    assert!(counts.passes.load(Ordering::SeqCst) > 4);
    assert_eq!(counts.inside.load(Ordering::SeqCst), 0);
    assert!(matches!(handle.ended(), Some(Ended::Aborted)));
    while events.next().await.is_some() {} // the events of a root that was dropped end, too
}

/// S41: a span, or another thing around the code, is left as often as it is entered, also when it panics.
#[tokio::test(start_paused = true)]
async fn what_is_around_the_code_is_left_as_often_as_it_is_entered() {
    #[derive(Debug, Default)]
    struct Depth {
        now: AtomicI64,
        entered: AtomicU32,
        panics: AtomicBool,
    }

    #[derive(Debug)]
    struct Within(Arc<Depth>);

    impl Around for Within {
        fn enter(&self) {
            self.0.now.fetch_add(1, Ordering::SeqCst);
            self.0.entered.fetch_add(1, Ordering::SeqCst);
            assert!(!self.0.panics.load(Ordering::SeqCst), "planned panic");
        }

        fn leave(&self) {
            self.0.now.fetch_sub(1, Ordering::SeqCst);
            assert!(!self.0.panics.load(Ordering::SeqCst), "planned panic");
        }
    }

    #[derive(Debug)]
    struct Puts(Arc<Depth>);

    impl Extension for Puts {
        fn wants(&self) -> Wants {
            Wants::LIVES
        }

        fn begins(&self, _cell: &Arc<AnyCell>) -> Option<Box<dyn Around>> {
            Some(Box::new(Within(self.0.clone())))
        }
    }

    quiet_panics();
    let depth = Arc::new(Depth::default());
    let shop = attach(Shop::tree(Journal::default()), Arc::new(Puts(depth.clone()))).start().await.unwrap();
    for panics in [false, true] {
        depth.panics.store(panics, Ordering::SeqCst);
        shop.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        tokio::time::sleep(secs(60)).await;
    }
    assert_eq!(shop.probe.incarnation(), 3);
    assert!(shop.shutdown().await.is_orderly());
    assert!(depth.entered.load(Ordering::SeqCst) > 10);
    assert_eq!(depth.now.load(Ordering::SeqCst), 0);
    assert_eq!(Arc::strong_count(&depth), 1, "nothing of an incarnation is left");
}

/// S51: the state of an extension is there as long as its cell, or its tree.
#[tokio::test(start_paused = true)]
async fn state_goes_with_its_cell_and_its_tree() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    let (of_cell, of_tree) = (Arc::new(AtomicU32::new(1)), Arc::new(AtomicU32::new(2)));
    let core = cell(&shop).core();
    assert!(core.set_slot(of_cell.clone()).is_none() && bus(&shop).set_slot(of_tree.clone()).is_none());
    assert_eq!(core.slot::<AtomicU32>().unwrap().load(Ordering::SeqCst), 1);
    assert_eq!(bus(&shop).slot::<AtomicU32>().unwrap().load(Ordering::SeqCst), 2);
    assert!(core.slot::<AtomicI64>().is_none(), "one value of each type");
    assert_eq!(core.slot_or_default::<AtomicI64>().load(Ordering::SeqCst), 0);
    assert!(Arc::ptr_eq(&core.set_slot(Arc::new(AtomicU32::new(3))).unwrap(), &of_cell));
    assert!(Arc::ptr_eq(&bus(&shop).take_slot::<AtomicU32>().unwrap(), &of_tree));
    assert!(bus(&shop).slot::<AtomicU32>().is_none());
    let mine = Arc::new(AtomicU32::new(4));
    let left = Arc::downgrade(&mine);
    drop(core.set_slot(mine));
    shop.shutdown().await;
    settle().await;
    assert_eq!(left.strong_count(), 0);
}

/// S58: a fence that has a task dropped: the actor has ended, and its hooks did not run. A fence that holds one lets it go on
/// later, with all that was due meanwhile.
#[tokio::test(start_paused = true)]
async fn a_task_that_is_held_goes_on_and_one_that_is_dropped_has_ended() {
    let (own, journal) = (Journal::default(), Journal::default());
    let fence = Arc::new(Scribe { role: Some(Role::Fence), ..Scribe::new("fence", &own, Wants::TASKS) });
    let mine = journal.clone();
    let host: Host<Probe> = Host {
        path: "hosted".into(),
        incarnation: 1,
        healing: None,
        options: ChildOptions::new(),
        extensions: vec![fence.clone()],
        standing: supervise::extension::StandingExtensions::NONE,
    };
    let (actor, up) = hooks::host(
        host,
        move || {
            let mine = mine.clone();
            async move { Ok(Probe::start("hosted", mine).await?) }
        },
        |_, _| None,
    );
    up.await.unwrap();
    journal.take();
    fence.holds.store(true, Ordering::SeqCst);
    actor.tell(Do::Note("held")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(journal.take(), [""; 0]);
    fence.holds.store(false, Ordering::SeqCst);
    tokio::time::sleep(secs(2)).await;
    assert_eq!(journal.take(), ["hosted held"]);
    fence.drops.store(true, Ordering::SeqCst);
    actor.tell(Do::Note("lost")).await.unwrap();
    assert!(matches!(actor.terminated().await, Ok(Ended::Aborted)));
    assert!(!journal.take().iter().any(|line| line.contains("post_stop")));
}

/// S40: extensions come and go on several threads while the tree restarts: each sees some of it, the tree lives, and nothing is
/// left of any.
#[test]
fn extensions_come_and_go_on_several_threads() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        #[derive(Debug)]
        struct Count(Arc<AtomicU32>);

        impl Extension for Count {
            fn wants(&self) -> Wants {
                Wants::EVENTS.and(Wants::LIVES)
            }

            fn event(&self, raised: &Raised<'_>) {
                if let EventKind::Failed { .. } = raised.kind {
                    self.0.fetch_add(1, Ordering::SeqCst);
                }
            }
        }

        let shop = Busy::start(Journal::default()).await.unwrap();
        let counts = Arc::new(AtomicU32::new(0));
        let kept = Attached::to(bus(&shop), Arc::new(Count(counts.clone())));
        let visitors: Vec<_> = (0..4)
            .map(|_| {
                let (tree, seen) = (shop.handle(), Arc::new(AtomicU32::new(0)));
                std::thread::spawn(move || {
                    for _ in 0..25_000 {
                        drop(Attached::to(bus(&tree), Arc::new(Count(seen.clone()))));
                    }
                    seen
                })
            })
            .collect();
        for _ in 0..5 {
            let before = shop.probe.incarnation();
            shop.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
            tokio::time::timeout(secs(60), async {
                while shop.probe.incarnation() == before {
                    tokio::task::yield_now().await;
                }
            })
            .await
            .unwrap();
        }
        for visitor in visitors {
            let seen = visitor.join().unwrap();
            // A call that has begun goes on after its extension is detached.
            let gone = async {
                while Arc::strong_count(&seen) > 1 {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(secs(60), gone).await.expect("nothing of a visitor is left");
        }
        assert_eq!(counts.load(Ordering::SeqCst), 5);
        drop(kept);
        shop.shutdown().await;
        assert_eq!(Arc::strong_count(&counts), 1);
    });
}
