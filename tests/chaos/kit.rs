//! The tests of `testing::chaos` itself: what it finds, repeats and shortens, and each of its settings.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::event::EventKind;
use supervise::prelude::*;
use supervise::testing::{Chaos, ChaosFault, ChaosPromise, Random, chaos};

use crate::{ms, quiet, secs};

/// An account whose money does not survive a restart: a bug of its author.
struct Account {
    money: i64,
}

enum Msg {
    Move(i64),
    Money(Reply<i64>),
}

#[actor]
impl Account {
    fn handle(&mut self, msg: Msg) {
        match msg {
            Msg::Move(amount) => self.money += amount,
            Msg::Money(reply) => reply.send(self.money),
        }
    }
}

supervisor! {
    struct Bank {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        clock: task = |cx| async move { cx.stopped().await },
        pub from: Account = Account { money: 50 },
        pub to: Account = Account { money: 50 },
        branches: struct Branches {
            #![strategy(AllForOne, max_restarts = Unlimited)]
            first: Account = Account { money: 0 },
            others: [u32 => Account] = |_branch: u32| Account { money: 0 },
        },
    }
}

fn bank() -> Chaos<Bank> {
    chaos(Bank::tree)
        .messages(async |bank: &Bank, random| {
            let amount = random.below(10) as i64;
            drop(bank.from.tell(Msg::Move(-amount)).await);
            drop(bank.to.tell(Msg::Move(amount)).await);
        })
        .holds(async |bank| {
            let (from, to) = (bank.from.ask(Msg::Money).await, bank.to.ask(Msg::Money).await);
            assert_eq!(from.unwrap() + to.unwrap(), 100, "no money is lost");
        })
}

/// A bug of the user is found, its seed repeats it, and its faults are shortened.
#[test]
fn a_broken_invariant_is_found_repeated_and_shortened() {
    let found = bank().seeds(0..20).try_run().expect_err("a restart forgets the money");
    assert!(found.broken[0].contains("no money is lost"), "{found}");
    assert!(found.drawn > 10 && (1..=3).contains(&found.faults.len()), "{found}");
    assert!(found.faults.iter().any(|fault| fault.contains("from") || fault.contains("to")), "{found}");
    let text = found.to_string();
    assert!(text.contains(&format!("`.seed({})` repeats this run", found.seed)), "{text}");
    assert!(text.contains("<- chaos") && text.contains("events:"), "{text}");

    let again = bank().seed(found.seed).try_run().expect_err("the seed repeats it");
    assert_eq!((again.broken, again.faults, again.events), (found.broken, found.faults, found.events));
}

/// A thread that is blocked in real time is a failure with its seed, within a bound.
#[test]
fn a_run_that_blocks_its_thread_fails_with_its_seed() {
    static GO_ON: AtomicBool = AtomicBool::new(false);
    supervisor! {
        struct Blocked {
            fine: task = |cx| async move { cx.stopped().await },
            blocked: task = async {
                while !GO_ON.load(SeqCst) {
                    std::thread::sleep(ms(10));
                }
            },
        }
    }
    let begin = std::time::Instant::now();
    let found = chaos(Blocked::tree).seeds(7..9).within(secs(1)).try_run().expect_err("it hangs");
    GO_ON.store(true, SeqCst);
    assert!(begin.elapsed() < secs(30), "{:?}", begin.elapsed());
    assert_eq!(found.seed, 7);
    let text = found.to_string();
    assert!(text.contains("has not ended after 1s of real time") && text.contains("seed 7"), "{text}");
    assert!(text.contains("blocked begins to start"), "{text}");
}

/// A start that never ends, though it awaits, is a tree that does not settle.
#[test]
fn a_start_that_never_ends_does_not_settle() {
    supervisor! {
        struct Waiting {
            fine: task = |cx| async move { cx.stopped().await },
            #[lifecycle(Permanent, ready)]
            waits: task = |_cx| std::future::pending::<()>(),
        }
    }
    let found = chaos(Waiting::tree).seed(3).settles_within(secs(100)).try_run().expect_err("it never starts");
    assert!(found.broken[0].contains("not settled 100s after everything was calm"), "{found}");
    assert!(found.faults.is_empty(), "no fault is needed: {found}");
}

/// S24: the end of a child that is aborted hides no wrong order of stops elsewhere, or later.
#[test]
fn an_abort_does_not_end_the_check_of_the_order() {
    supervisor! {
        struct Late {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            part: struct Part {
                #![strategy(OneForOne, max_restarts = Unlimited)]
                #[lifecycle(Permanent, shutdown = 10ms)]
                deaf: task = |_cx| std::future::pending::<()>(),
            },
            first: task = |cx| async move { cx.stopped().await },
            second: task = |cx| async move { cx.stopped().await },
        }
    }
    let report = chaos(Late::tree).only([ChaosFault::Restart]).spare("first").spare("second").seed(1).run();
    let aborted = report.events.iter().position(|line| line.contains("deaf #1 aborted"));
    let stopping = |name: &str| report.events.iter().rposition(|line| line.contains(&format!(" {name} #1 stopping")));
    assert!(aborted.is_some() && aborted < stopping("second"), "{:#?}", report.events);
    assert!(stopping("second") < stopping("first"), "{:#?}", report.events);
}

/// Trees under chaos on several threads of one process do not disturb each other.
#[test]
fn trees_in_parallel_have_the_events_of_trees_alone() {
    let run = || bank_events(11);
    let alone = run();
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(run)).collect();
    for thread in threads {
        assert!(thread.join().unwrap() == alone, "the events differ");
    }
}

fn bank_events(seed: u64) -> Vec<String> {
    let events = chaos(Bank::tree).seed(seed).run().events;
    assert!(events.len() > 20);
    events
}

/// All kinds of faults come, at every depth; they are shown between the events.
#[test]
fn every_kind_of_fault_comes() {
    let seen: Mutex<Vec<String>> = Mutex::default();
    for seed in 0..12 {
        let report = chaos(Bank::tree)
            .seed(seed)
            .fault("the bank is robbed", |_, _| {})
            .messages(async |bank: &Bank, random| {
                drop(bank.branches.others.get_or_spawn(random.below(3) as u32).await);
                drop(bank.from.ask(Msg::Money).await);
            })
            .run();
        let lines = report.events.into_iter().filter(|line| line.ends_with("<- chaos"));
        seen.lock().unwrap().extend(lines);
    }
    let seen = seen.into_inner().unwrap();
    let expected = [
        "fails with an error",
        "panics",
        "is killed",
        "is asked to stop",
        "is asked to stop within",
        "is asked to drain",
        "is restarted by hand",
        "is started again by hand",
        "its next start takes",
        "its next start hangs",
        "`terminated()` is dropped after",
        "`shutdown().within(10ms)` is dropped after",
        "`restart()` is dropped after",
        "the next call of `messages` is dropped after",
        "the bank is robbed",
        "branches: ",
        "branches/first: ",
        "branches/others/",
    ];
    for what in expected {
        assert!(seen.iter().any(|line| line.contains(what)), "{what}");
    }
    let times: Vec<&str> = seen.iter().map(|line| &line[..12]).collect();
    assert!(times.windows(2).any(|two| two[0] == two[1]), "several in one poll");
}

fn faults_of(chaos: Chaos<Bank>) -> Vec<String> {
    let events = chaos.seed(5).run().events;
    events.into_iter().filter(|line| line.ends_with("<- chaos")).collect()
}

/// `only`, `without`, `spare` and `faults` narrow the faults.
#[test]
fn faults_can_be_narrowed() {
    let killed = faults_of(chaos(Bank::tree).only([ChaosFault::Kill]));
    assert!(killed.len() > 5 && killed.iter().all(|line| line.contains("is killed")), "{killed:?}");
    let others = faults_of(chaos(Bank::tree).without([ChaosFault::Kill, ChaosFault::AtOnce]));
    assert!(others.len() > 5 && !others.iter().any(|line| line.contains("is killed")), "{others:?}");
    let spared = faults_of(chaos(Bank::tree).spare("branches").spare("to"));
    let is_spared = |line: &String| line.contains("branches") || line.contains("to:");
    assert!(spared.len() > 5 && !spared.iter().any(is_spared), "{spared:?}");
    assert!(faults_of(chaos(Bank::tree).faults(0)).is_empty());
}

/// Settings that leave nothing to find are refused, and so is a path that spares nothing.
#[test]
fn a_test_that_can_find_nothing_is_refused() {
    let refused = |chaos: Chaos<Bank>| -> String {
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| chaos.try_run().map(drop)));
        let panic = ran.expect_err("it is refused");
        panic
            .downcast_ref::<&str>()
            .map_or_else(|| panic.downcast_ref().cloned(), |text| Some(text.to_string()))
            .unwrap()
    };
    let text = refused(chaos(Bank::tree).seeds([]));
    assert!(text.starts_with("chaos has no seeds"), "{text}");

    let all = ["clock", "from", "to", "branches"];
    let nothing_left = [
        chaos(Bank::tree).only([]),
        chaos(Bank::tree).without(ChaosFault::ALL),
        chaos(Bank::tree).only([ChaosFault::AtOnce]),
        chaos(Bank::tree).only([ChaosFault::Own]),
        all.into_iter().fold(chaos(Bank::tree).only([ChaosFault::Kill]), |chaos, path| chaos.spare(path)),
    ];
    for chaos in nothing_left {
        let text = refused(chaos.seeds(0..2));
        assert!(text.starts_with("chaos had no fault in 2 runs"), "{text}");
    }
    assert_eq!(chaos(Bank::tree).only([]).faults(0).seed(1).run().faults, 0);

    let begins_a_branch =
        || chaos(Bank::tree).messages(async |bank: &Bank, _| drop(bank.branches.others.get_or_spawn(7).await)).seed(1);
    for path in ["no/such", "Bank/to", "t", "branches/others/8", "branches/"] {
        let text = refused(begins_a_branch().spare("to").spare(path));
        assert!(text.starts_with(&format!("chaos is to spare {path:?}, and no tree of 1 runs had")), "{text}");
    }
    for path in ["branches", "branches/others", "branches/others/7", "branches/first"] {
        begins_a_branch().spare(path).run();
    }
}

/// `error` decides the errors with which children fail, so that deciders find them.
#[test]
fn errors_are_those_of_the_test() {
    static DECIDED: AtomicU64 = AtomicU64::new(0);
    #[derive(Debug, thiserror::Error)]
    #[error("no answer")]
    struct Timeout;
    fn decide(failure: &Failure) -> Directive {
        DECIDED.fetch_add(u64::from(failure.error::<Timeout>().is_some()), SeqCst);
        Directive::Restart
    }
    supervisor! {
        struct Shop {
            #![decider(decide)]
            #![strategy(OneForOne, max_restarts = Unlimited)]
            stock: Account = Account { money: 0 },
        }
    }
    chaos(Shop::tree).only([ChaosFault::Error]).error(|| Timeout).seed(1).run();
    assert!(DECIDED.load(SeqCst) > 5);
}

/// A log of everything.
struct Loud;

impl tracing::Subscriber for Loud {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// S40: an error whose text panics takes no event from the record, nor from a subscriber, also if there is a log.
#[test]
fn an_error_without_a_text_is_an_event() {
    #[derive(Debug)]
    struct Mute;
    impl std::fmt::Display for Mute {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("planned: no text")
        }
    }
    impl std::error::Error for Mute {}
    supervisor! {
        struct Shop {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            pub stock: Account = Account { money: 0 },
        }
    }
    quiet();
    let heard = Arc::new(AtomicU64::new(0));
    let hears = heard.clone();
    let report = chaos(move || {
        std::mem::forget(tracing::subscriber::set_default(Loud)); // until the thread of the run ends
        let mut tree = Shop::tree();
        let (mut events, heard) = (tree.events(), hears.clone());
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                let is_of_one = |kind| matches!(kind, EventKind::Failed { .. } | EventKind::Decided { .. });
                heard.fetch_add(u64::from(is_of_one(event.kind)), SeqCst);
            }
        });
        tree
    })
    .only([ChaosFault::Error])
    .error(|| Mute)
    .seed(1)
    .run();
    let count = |end: &str| report.events.iter().filter(|line| line.ends_with(end)).count() as u64;
    assert_eq!(count("stock #1 failed: (its text panics)"), 1, "{:#?}", report.events);
    let (failed, decided) = (count(" failed: (its text panics)"), count(" decided: Restart"));
    assert!(failed > 5 && failed == decided, "{failed} failures and {decided} decisions: {:#?}", report.events);
    assert_eq!(heard.load(SeqCst), failed + decided);
}

/// Faults of the test are drawn, shown and shortened like others, and `calms` ends them.
#[test]
fn a_fault_of_the_test_is_found() {
    let cut = Arc::new(AtomicBool::new(false));
    let (cuts, mended, looks) = (cut.clone(), cut.clone(), cut.clone());
    let with = |calms: bool| {
        let (cuts, mended, looks) = (cuts.clone(), mended.clone(), looks.clone());
        chaos(Bank::tree)
            .seed(2)
            .fault("the line is cut", move |_, _| cuts.store(true, SeqCst))
            .calms(move |_| mended.store(mended.load(SeqCst) && !calms, SeqCst))
            .holds(async move |_| assert!(!looks.swap(false, SeqCst), "the line is there"))
    };
    with(true).run();
    let found = with(false).try_run().expect_err("nothing mends the line");
    assert_eq!(found.faults.len(), 1, "{found}");
    assert!(found.faults[0].ends_with("the line is cut"), "{found}");
}

/// A declared child that was stopped or has failed comes up again once everything is calm; one that stays down is found.
#[test]
fn a_child_that_stays_down_does_not_settle() {
    fn stop(_: &Failure) -> Directive {
        Directive::Stop
    }
    supervisor! {
        struct Old(rusty: Arc<AtomicBool>) {
            #![decider(stop)]
            fine: task = |cx| async move { cx.stopped().await },
            motor: task = |cx| {
                let rusty = rusty.clone();
                async move {
                    if rusty.load(SeqCst) {
                        return Err("it does not turn");
                    }
                    cx.stopped().await;
                    Ok(())
                }
            },
        }
    }
    let with = |mended: bool| {
        let rusty = Arc::new(AtomicBool::new(false));
        let (rusts, mends) = (rusty.clone(), rusty.clone());
        let new = move || {
            rusty.store(false, SeqCst);
            Old::tree(rusty.clone())
        };
        chaos(new)
            .seeds(0..3)
            .spare("fine")
            .only([ChaosFault::Error, ChaosFault::Stop, ChaosFault::Own])
            .fault("rust", move |_, _| rusts.store(true, SeqCst))
            .calms(move |_| mends.store(mends.load(SeqCst) && !mended, SeqCst))
    };
    with(true).run();
    let found = with(false).try_run().expect_err("the motor stays down");
    let text = "motor was started again 20 times, and is down: failed while running: it does not turn";
    assert!(found.broken[0].starts_with(text), "{found}");
    with(false).unchecked([ChaosPromise::Settles]).run();
}

/// A task, and a handle that keeps a cell, are found if they are left behind; that can be allowed.
#[test]
fn what_is_left_behind_is_found() {
    static KEPT: Mutex<Vec<ActorRef<Account>>> = Mutex::new(Vec::new());
    let keeps = || chaos(Bank::tree).seed(1).holds(async |bank| KEPT.lock().unwrap().push(bank.to.clone()));
    let found = keeps().try_run().expect_err("a handle is kept");
    assert!(found.broken[0].contains("handles or cells are still held"), "{found}");
    KEPT.lock().unwrap().clear();
    keeps().unchecked([ChaosPromise::NothingLeft]).run();
    KEPT.lock().unwrap().clear();

    let found = chaos(Bank::tree)
        .seed(1)
        .holds(async |_| drop(tokio::spawn(std::future::pending::<()>())))
        .try_run()
        .expect_err("a task is left");
    assert!(found.broken[0].contains("1 tasks"), "{found}");
}

/// A call of `messages` that panics, and one that never returns, are failures; so is a panic of `afterwards`.
#[test]
fn the_closures_of_the_test_are_watched() {
    let panics = chaos(Bank::tree).seed(1).messages(async |_: &Bank, _| panic!("in a call"));
    assert!(panics.try_run().unwrap_err().broken[0].contains("in a call"));
    let hangs = chaos(Bank::tree).seed(1).messages(async |_: &Bank, _| std::future::pending().await);
    assert!(hangs.try_run().unwrap_err().broken[0].contains("has not returned"));
    // The threads of several users come to an end for the next test: what their call waits for fails in the end.
    let hangs = chaos(Bank::tree).seed(1).workers(2).lasts(ms(20)).settles_within(ms(500));
    let hangs = hangs.messages(async |_: &Bank, _| tokio::time::sleep(secs(2)).await);
    assert!(hangs.try_run().unwrap_err().broken[0].contains("has not returned"));
    let after = chaos(Bank::tree).seed(1).afterwards(async |_| panic!("after the end"));
    assert!(after.try_run().unwrap_err().broken[0].contains("after the end"));
}

/// `calls` says how often `messages` is called, and a call has the random numbers of its own number.
#[test]
fn calls_are_counted() {
    let drawn: Arc<Mutex<Vec<u64>>> = Arc::default();
    let run = |calls: u32, faults: u32| {
        let drawn = drawn.clone();
        let draws = drawn.clone();
        chaos(Bank::tree)
            .seed(4)
            .calls(calls)
            .faults(faults)
            .only([ChaosFault::SlowStart])
            .messages(async move |_: &Bank, random| draws.lock().unwrap().push(random.number()))
            .run();
        std::mem::take(&mut *drawn.lock().unwrap())
    };
    let (few, many) = (run(10, 0), run(20, 5));
    assert_eq!((few.len(), many.len()), (10, 20));
    assert_eq!(few[..], many[..10]);
}

/// The function that makes the tree finds random numbers of the seed.
#[test]
fn a_tree_finds_the_seed_of_its_run() {
    let run = |seed: u64| {
        let number = Arc::new(AtomicU64::new(0));
        let told = number.clone();
        chaos(move || {
            told.store(Random::of_run().number(), SeqCst);
            Bank::tree()
        })
        .seed(seed)
        .lasts(secs(1))
        .run();
        number.load(SeqCst)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// A tree that ends under chaos is started anew, and the last one gets the calm phase.
#[test]
fn a_tree_that_ends_is_begun_anew() {
    supervisor! {
        struct Fragile {
            #![strategy(OneForOne, max_restarts = 1, within = 1min)]
            pub stock: Account = Account { money: 1 },
        }
    }
    let report = chaos(Fragile::tree)
        .seeds(0..3)
        .holds(async |shop| assert_eq!(shop.stock.ask(Msg::Money).await.unwrap(), 1))
        .run();
    assert!(report.trees > 2 * report.runs, "{report}");
}

/// S20, S21: a subtree that is stopped before it was ever up fails the start of its supervisor, and starts with the next one.
#[test]
fn a_subtree_that_was_stopped_during_the_first_start_is_no_end() {
    fn restart(_: &Failure) -> Directive {
        Directive::Restart
    }
    supervisor! {
        struct Late {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            #![decider(restart)]
            fine: task = |cx| async move { cx.stopped().await },
            part: struct Part {
                #![strategy(OneForOne, max_restarts = Unlimited)]
                below: struct Below {
                    #[lifecycle(Permanent, ready)]
                    slow: task = |cx: TaskContext| async move {
                        tokio::time::sleep(secs(1)).await;
                        cx.ready();
                        cx.stopped().await;
                    },
                },
            },
        }
    }
    let one_stop = chaos(Late::tree).only([ChaosFault::Stop]).spare("fine").spare("part/below/slow").faults(1);
    let report = one_stop.seeds(0..20).lasts(secs(1)).settles_within(secs(100)).run();
    assert!(report.faults > 10, "{report}");
}

/// On several workers, in real time, the same promises are checked.
#[test]
fn chaos_runs_on_several_workers() {
    let report = chaos(Bank::tree)
        .workers(2)
        .lasts(ms(200))
        .seeds(0..3)
        .messages(async |bank: &Bank, random| {
            drop(bank.from.try_tell(Msg::Move(random.below(3) as i64)));
            drop(tokio::time::timeout(Duration::from_millis(1), bank.to.ask(Msg::Money)).await);
        })
        .holds(async |bank| assert!(bank.from.ask(Msg::Money).await.is_ok()))
        .run();
    // On a busy machine, a run may be over before its users have sent a message.
    assert!(report.runs == 3 && report.messages >= 3, "{report}");
}
