//! `Tree::only_with`: a whole tree.

use std::future::pending;

use supervise::inspect::EndedKind;
use supervise::testing::{LeaseFault, MemoryLease, Record, advance, settle, suspended};
use tokio::sync::oneshot;

use super::*;

/// The time of a lease. The tree has 5 s of it to stop, and 0.15 s are not used.
const TTL: f64 = 15.0;

fn lease() -> MemoryLease {
    MemoryLease::new("shop")
}

fn tree(log: &Log) -> Tree<Shop> {
    Shop::tree(log.clone(), Times::default())
}

fn stops_after(log: &Log, stop: f64) -> Tree<Shop> {
    Shop::tree(log.clone(), Times { stop: secs(stop), ..Times::default() })
}

/// S55: a tree starts once it holds its lease, keeps it as long as it runs, and gives it back once it is down. The next
/// holder need not wait for the end of its time, and learns that nothing acts any more.
#[tokio::test(start_paused = true)]
async fn a_tree_runs_while_it_holds_its_lease() {
    let (log, lease) = (Log::default(), lease());
    let mut first = tree(&log);
    let mut record = Record::of(first.events());
    let first = first.only_with(lease.contender()).start().await.unwrap();
    assert_eq!((first.lease_token(), lease.holder()), (Some(1), Some(1)));
    assert_eq!(first.slow.ask(|reply| reply).await.unwrap(), Some(1));

    let mut second = tree(&log);
    let mut events = second.events();
    let other = lease.contender();
    let waiting = tokio::spawn(async move { second.only_with(other).start().await.unwrap() });
    advance(secs(10.0 * TTL)).await;
    assert_eq!((lease.holder(), waiting.is_finished()), (Some(1), false), "renewed, again and again");
    assert_eq!(changes(&mut events), ["held by another one; standing by"], "said once");

    assert!(first.shutdown().await.is_orderly());
    record.expect([
        "Shop lease held 1",
        "slow started",
        "acting started",
        "Shop started",
        "Shop stopping Asked",
        "acting stopping Shutdown",
        "acting ended Stopped",
        "slow stopping Shutdown",
        "slow ended Stopped",
        "Shop ended Stopped",
        "Shop lease released 1",
    ]);
    let before = Instant::now();
    let second = waiting.await.unwrap();
    assert!(before.elapsed() <= secs(TTL / 3.0), "it asks every third");
    assert_eq!(changes(&mut events), ["held with token 2, released before"]);
    settle().await;
    assert_eq!((log.tokens(), second.lease_token()), (vec![1, 2], Some(2)));
}

/// S55: a holder that cannot reach the lease stops in order before its time is over, and another one acts only after it.
/// The time counts from the asking of the last call that was granted.
#[tokio::test(start_paused = true)]
async fn a_lease_that_cannot_be_renewed_stops_the_tree_in_time() {
    let (log, lease) = (Log::default(), lease());
    let mut first = stops_after(&log, 3.0);
    let mut events = first.events();
    let first = first.only_with(lease.clone()).start().await.unwrap();
    let other = lease.contender();
    let second = tree(&log);
    let waiting = tokio::spawn(async move { second.only_with(other).start().await.unwrap() });
    advance(secs(TTL / 3.0)).await; // renewed
    lease.set_fault(LeaseFault::Cut);
    advance(secs(9.8)).await;
    assert!(first.ended().is_none() && log.quiet() <= secs(0.1));
    assert_eq!(changes(&mut events).len(), 5, "held, and four calls that failed: after a third, and each twelfth");
    advance(secs(0.06)).await;
    assert_eq!(changes(&mut events), ["lost token 1: not renewed in time"]);
    advance(secs(2.9)).await;
    assert!(first.ended().is_none(), "`post_stop` has its time");
    assert!(log.quiet() >= secs(2.9), "what acts is down already");
    advance(secs(0.1)).await;
    assert!(first.join().await.is_orderly());
    assert!(!waiting.is_finished());
    let _second = waiting.await.unwrap();
    settle().await;
    assert_eq!(log.tokens(), [1, 2]);
}

/// S55: a child that is not down when the time is over is aborted: no hook and no act goes past it.
#[tokio::test(start_paused = true)]
async fn a_tree_that_stops_too_slowly_is_aborted_at_the_end_of_the_lease() {
    let (log, lease) = (Log::default(), lease());
    let mut first = stops_after(&log, 50.0);
    let mut record = Record::of(first.events());
    let first = first.only_with(lease.clone()).start().await.unwrap();
    lease.set_fault(LeaseFault::Cut);
    advance(secs(14.84)).await;
    assert!(first.ended().is_none());
    advance(secs(0.01)).await;
    let report = first.join().await;
    assert!(report.children.iter().any(|child| child.path == "slow" && child.aborted), "{report}");
    let lines = record.lines();
    let tail = ["Shop lease over 1", "Shop aborted", "slow aborted", "slow ended Aborted", "Shop ended Aborted"];
    assert_eq!(lines[lines.len() - 5..], tail, "and it is not given back: {lines:?}");
    assert_eq!(lease.holder(), Some(1), "for another 0.15 s");
}

/// S55: a renewal that is refused stops the tree at once.
#[tokio::test(start_paused = true)]
async fn a_lease_that_was_taken_away_stops_the_tree() {
    let (log, lease) = (Log::default(), lease());
    let mut first = tree(&log);
    let mut events = first.events();
    let first = first.only_with(lease.clone()).start().await.unwrap();
    lease.steal();
    advance(secs(4.9)).await;
    assert!(first.ended().is_none());
    advance(secs(0.1)).await;
    assert!(first.join().await.is_orderly());
    let told = changes(&mut events);
    assert_eq!(told, ["held with token 1", "lost token 1: the renewal was refused", "released token 1"]);
}

/// S55: a call that hangs, panics, loses its answer or takes long breaks nothing: the tree stops in time, and is up again
/// once the lease answers.
#[tokio::test(start_paused = true)]
async fn no_fault_of_a_call_breaks_the_promise() {
    for fault in [LeaseFault::Hang, LeaseFault::Panic, LeaseFault::LostAnswers, LeaseFault::Delay(secs(4.0))] {
        let (log, lease) = (Log::default(), lease());
        let shop = tree(&log);
        let running = shop.only_with(lease.clone());
        let until = oneshot::channel::<()>();
        let run = tokio::spawn(running.run(until.1));
        advance(secs(1.0)).await;
        lease.set_fault(fault);
        advance(secs(9.0)).await;
        let acts = log.len();
        assert!(log.quiet() >= secs(0.1), "{fault:?}: stopped after two thirds");
        advance(secs(60.0)).await;
        assert_eq!(log.len(), acts, "{fault:?}");
        lease.set_fault(LeaseFault::None);
        advance(secs(2.0 * TTL)).await;
        assert!(log.len() > acts, "{fault:?}: up again");
        let tokens = log.tokens();
        assert!(tokens.is_sorted() && tokens.len() == 2, "{fault:?}: {tokens:?}");
        until.0.send(()).unwrap();
        assert!(run.await.unwrap().unwrap().is_orderly());
        assert_eq!(lease.holder(), None, "{fault:?}");
    }
}

/// S55: the holding counts from the asking: an answer that comes late leaves less of it, and one that comes too late is
/// none.
#[tokio::test(start_paused = true)]
async fn a_late_answer_leaves_less_time() {
    let (log, lease) = (Log::default(), lease());
    lease.set_fault(LeaseFault::Delay(secs(3.0)));
    let first = tree(&log).only_with(lease.clone()).start().await.unwrap(); // asked 6 s ago
    lease.set_fault(LeaseFault::Cut);
    advance(secs(3.8)).await;
    assert!(first.ended().is_none());
    advance(secs(0.1)).await;
    assert!(first.ended().is_some(), "9.85 s after the asking");

    let lease = self::lease();
    lease.set_fault(LeaseFault::Delay(secs(4.0)));
    let mut late = tree(&log);
    let mut events = late.events();
    let same = lease.clone();
    let _waiting = tokio::spawn(async move { late.only_with(same).start().await.unwrap() });
    advance(secs(8.1)).await;
    assert_eq!(changes(&mut events), ["acquire failed: the answer came too late"]);
}

/// S55: a call begins only when the one before is over: no renewal while one is under way, and the lease is given back
/// once the answer is there, whenever the tree ends.
#[tokio::test(start_paused = true)]
async fn there_is_never_more_than_one_call_at_a_time() {
    // Each call takes 2 s. Asked for in the first second, the lease is renewed at 5 s and at 10 s.
    for tenths in 40..130 {
        let (log, lease) = (Log::default(), OneCall::of(lease()));
        let shop = tree(&log).only_with(lease.clone()).start().await.unwrap();
        lease.lease.set_fault(LeaseFault::Delay(secs(1.0)));
        advance(secs(f64::from(tenths) / 10.0)).await;
        assert!(shop.shutdown().await.is_orderly());
        let calls = lease.calls.lock().unwrap();
        assert_eq!(calls.most, 1, "stopped after {tenths} tenths: {:?}", calls.begun);
        assert!(calls.begun.last().is_some_and(|(last, _)| *last == "release"), "{:?}", calls.begun);
        assert_eq!(lease.lease.holder(), None);
    }
}

/// S55: a renewal is asked for every third of `ttl`, however long the answer takes. A call that takes longer than a sixth is
/// given up: it is over when the next one begins, a twelfth later.
#[tokio::test(start_paused = true)]
async fn renewals_are_on_time_whatever_the_calls_take() {
    let (log, lease) = (Log::default(), OneCall::of(lease()));
    let shop = tree(&log).only_with(lease.clone()).start().await.unwrap();
    lease.lease.set_fault(LeaseFault::Delay(secs(1.0)));
    advance(secs(2.0 * TTL)).await;
    lease.lease.set_fault(LeaseFault::Hang);
    assert_eq!(shop.join().await.ended.kind(), EndedKind::Stopped);
    let calls = lease.calls.lock().unwrap();
    assert_eq!(calls.most, 1, "{:?}", calls.begun);
    let third = |n| ("renew", secs(n * TTL / 3.0));
    let mut expected = vec![("acquire", secs(0.0))];
    expected.extend([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].map(third));
    // The call of 35 s and the next one take 2.5 s each. The tree is down at 39.85 s, since the last grant is of 30 s.
    expected.extend([("renew", secs(38.75)), ("release", secs(41.25))]);
    assert_eq!(calls.begun, expected);
}

/// S55: after a renewal, too, the time counts from its asking, however late the answer comes: for the stop in order, and
/// for the fence.
#[tokio::test(start_paused = true)]
async fn a_late_renewal_leaves_less_time() {
    let (log, lease) = (Log::default(), lease());
    let mut first = stops_after(&log, 50.0);
    let mut events = first.events();
    let begun = Instant::now();
    let first = first.only_with(lease.clone()).start().await.unwrap();
    let at = async |time: f64| advance(secs(time) - begun.elapsed()).await;
    at(4.5).await;
    lease.set_fault(LeaseFault::Delay(secs(1.2)));
    at(7.3).await; // asked at 5 s
    assert_eq!(changes(&mut events), ["held with token 1"]);
    at(7.5).await; // answered at 7.4 s
    lease.set_fault(LeaseFault::Cut);
    at(14.8).await;
    let told = changes(&mut events);
    assert!(told.iter().all(|line| line.starts_with("renew failed")), "{told:?}");
    at(14.9).await;
    assert_eq!(changes(&mut events), ["lost token 1: not renewed in time"], "9.85 s after the asking");
    at(19.8).await;
    assert!(first.ended().is_none());
    at(19.9).await;
    assert!(first.ended().is_some(), "14.85 s after the asking");
    assert!(changes(&mut events).contains(&"token 1 is over: nothing of it runs any more".to_owned()));
}

/// S55: the lease is renewed while the tree starts and while it stops, however long that takes.
#[tokio::test(start_paused = true)]
async fn starts_and_stops_may_take_longer_than_the_lease() {
    let (log, lease) = (Log::default(), lease());
    let times = Times { start: secs(100.0), stop: secs(50.0) };
    let first = Shop::tree(log.clone(), times).only_with(lease.contender()).start().await.unwrap();
    assert_eq!((first.lease_token(), lease.holder()), (Some(1), Some(1)));
    let before = Instant::now();
    assert!(first.shutdown().await.is_orderly());
    assert_eq!((before.elapsed(), lease.holder()), (secs(50.0), None));
}

/// S55: a lease that is lost while the tree starts is no failure: the tree waits for the next one.
#[tokio::test(start_paused = true)]
async fn a_lease_that_is_lost_during_the_start_is_waited_for_again() {
    let (log, lease) = (Log::default(), lease());
    let times = Times { start: secs(20.0), ..Times::default() };
    let mut shop = Shop::tree(log, times);
    let mut events = shop.events();
    let mut shop = shop.only_with(lease.clone());
    let stolen = lease.clone();
    tokio::spawn(async move {
        sleep(secs(8.0)).await;
        stolen.steal();
    });
    assert_eq!(shop.start().await.unwrap().lease_token(), Some(3));
    assert_eq!(changes(&mut events)[1], "lost token 1: the renewal was refused");
}

/// S55: no code of the tree runs after the end of the holding, not even if the machine was suspended and tokio's clock
/// with it: no handler, no hook, no timer, no future of `cx.run`, no subtask.
#[tokio::test(start_paused = true)]
async fn after_a_suspension_nothing_acts() {
    #[derive(Clone, Default)]
    struct Ran(Arc<Mutex<Vec<&'static str>>>);
    impl Ran {
        fn note(&self, what: &'static str) {
            self.0.lock().unwrap().push(what);
        }
    }
    struct Busy(Ran);
    enum Msg {
        Begin,
        Act(&'static str),
    }
    impl Actor for Busy {
        type Msg = Msg;
        type Error = std::convert::Infallible;
        async fn receive(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Self::Error> {
            match msg {
                Msg::Begin => {
                    cx.send_after(secs(1.0), Msg::Act("timer"));
                    let ran = self.0.clone();
                    let beside = async move {
                        sleep(secs(1.0)).await;
                        ran.note("future");
                    };
                    cx.run(beside, |()| Msg::Act("result"));
                }
                Msg::Act(what) => self.0.note(what),
            }
            Ok(())
        }
        async fn post_stop(&mut self, _cx: &mut Context<Self>) -> Result<(), Self::Error> {
            self.0.note("hook");
            Ok(())
        }
    }
    async fn work(cx: TaskContext, ran: Ran) {
        let subtask = ran.clone();
        cx.spawn(async move {
            sleep(secs(1.0)).await;
            subtask.note("subtask");
        });
        sleep(secs(1.0)).await;
        ran.note("task");
    }
    supervisor! {
        struct App(ran: Ran) {
            busy: Busy = Busy(ran),
            work: task = |cx| work(cx, ran),
        }
    }
    for asleep in [secs(8.0), secs(14.0)] {
        let ran = Ran::default();
        let mut app = App::tree(ran.clone());
        let mut record = Record::of(app.events());
        let app = app.only_with(lease()).start().await.unwrap();
        app.busy.tell(Msg::Begin).await.unwrap();
        settle().await;
        suspended(asleep);
        app.busy.try_tell(Msg::Act("message")).unwrap();
        advance(secs(1.0)).await;
        let mut found = ran.0.lock().unwrap().clone();
        found.sort_unstable();
        if asleep < secs(10.0) {
            assert_eq!(found, ["future", "message", "result", "subtask", "task", "timer"], "a short suspension");
            continue;
        }
        assert!(found.iter().all(|what| *what == "message"), "{found:?}"); // before its end: 0.85 s were left
        suspended(secs(20.0));
        assert!(app.join().await.children.iter().all(|child| child.path != "work" || child.aborted));
        assert!(record.lines().iter().any(|line| line.starts_with("App lease")));
    }
}

/// S55: not even the next message of the same turn is handled after a suspension in between.
#[tokio::test(start_paused = true)]
async fn after_a_suspension_no_further_message_is_handled() {
    #[derive(Clone, Default)]
    struct Handled(Arc<Mutex<Vec<u32>>>);
    struct Busy(Handled);
    impl Actor for Busy {
        type Msg = u32;
        type Error = std::convert::Infallible;
        async fn receive(&mut self, number: u32, _cx: &mut Context<Self>) -> Result<(), Self::Error> {
            self.0.0.lock().unwrap().push(number);
            if number == 2 {
                suspended(secs(20.0)); // between this instruction and the next message
            }
            Ok(())
        }
    }
    supervisor! {
        struct App(handled: Handled) {
            busy: Busy = Busy(handled),
        }
    }
    let handled = Handled::default();
    let app = App::tree(handled.clone()).only_with(lease()).start().await.unwrap();
    for number in 1..=5 {
        app.busy.try_tell(number).unwrap();
    }
    settle().await;
    assert_eq!(*handled.0.lock().unwrap(), [1, 2]);
    assert!(app.ended().is_some());
    assert_eq!(app.dead_letters(), 3);
}

/// S55: `run` stops at `until` at any time: before a lease was held, during the start, and later; it gives the lease back.
#[tokio::test(start_paused = true)]
async fn run_ends_with_until_at_any_time() {
    for (until, holder) in [(1.0, Some(99)), (1.0, None), (30.0, None)] {
        let (log, lease) = (Log::default(), lease());
        let other = match holder {
            Some(_) => {
                Some(Shop::tree(Log::default(), Times::default()).only_with(lease.contender()).start().await.unwrap())
            }
            None => None,
        };
        let times = Times { start: secs(10.0), ..Times::default() };
        let began = Instant::now();
        let report = Shop::tree(log.clone(), times).only_with(lease.contender()).run(sleep(secs(until))).await.unwrap();
        assert!(report.is_orderly(), "{report}");
        assert_eq!(began.elapsed(), secs(until));
        assert_eq!(log.len() > 0, until > 10.0);
        drop(other);
        settle().await;
        assert_eq!(lease.holder(), None);
    }
}

/// S55: `run` goes from one holding to the next, and earlier subscribers get the events of all of them.
#[tokio::test(start_paused = true)]
async fn run_goes_from_one_holding_to_the_next() {
    let (log, lease) = (Log::default(), lease());
    let mut shop = tree(&log).seed(7);
    let mut record = Record::of(shop.events());
    let run = tokio::spawn(shop.only_with(lease.clone()).run(sleep(secs(21.0))));
    for _ in 0..2 {
        advance(secs(1.0)).await;
        lease.steal();
        advance(secs(9.0)).await;
    }
    assert!(run.await.unwrap().unwrap().is_orderly());
    assert_eq!(log.tokens(), [1, 3, 5]);
    let lines = record.lines();
    let of_lease: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("Shop lease ")).collect();
    let all = ["held 1", "lost 1", "released 1", "held 3", "lost 3", "released 3", "held 5", "released 5"];
    assert_eq!(of_lease, all);
    assert_eq!(lines.iter().filter(|line| *line == "Shop started").count(), 3);
}

/// S55: a tree that ends by itself, or does not come up, gives the lease back, and `run` ends.
#[tokio::test(start_paused = true)]
async fn a_tree_that_ends_gives_the_lease_back() {
    struct Gate;
    impl Gate {
        fn open(fails: bool) -> Result<Gate, &'static str> {
            if fails { Err("no database") } else { Ok(Gate) }
        }
    }
    impl Actor for Gate {
        type Msg = ();
        type Error = std::convert::Infallible;
        async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Self::Error> {
            cx.send_after(secs(1.0), ());
            Ok(())
        }
        async fn receive(&mut self, _msg: (), cx: &mut Context<Self>) -> Result<(), Self::Error> {
            cx.stop();
            Ok(())
        }
    }
    supervisor! {
        struct Batch(fails: bool) {
            #[lifecycle(Transient)]
            gate: Gate = Gate::open(fails)?,
            job: task = sleep(secs(20.0)),
        }
    }
    let lease = lease();
    let report = Batch::tree(false).only_with(lease.contender()).run(pending::<()>()).await.unwrap();
    assert!(matches!(report.ended, Ended::Done));
    assert_eq!(lease.holder(), None);
    let failure = Batch::tree(true).only_with(lease.contender()).run(pending::<()>()).await.unwrap_err();
    assert_eq!(failure.path(), "gate");
    assert_eq!(lease.holder(), None);
    let failure = Batch::tree(true).only_with(lease.contender()).start().await.unwrap_err();
    assert_eq!(failure.path(), "gate");
    assert_eq!(lease.holder(), None);
}

/// S55: dropping a future or a guard gives the lease back, once the tree is down.
#[tokio::test(start_paused = true)]
async fn what_is_dropped_gives_the_lease_back() {
    let (log, lease) = (Log::default(), lease());
    let guard = stops_after(&log, 30.0).only_with(lease.contender()).start().await.unwrap();
    drop(guard);
    advance(secs(29.0)).await;
    assert_eq!(lease.holder(), Some(1), "it is not down");
    advance(secs(1.0)).await;
    assert_eq!(lease.holder(), None);

    let run = tokio::spawn(tree(&log).only_with(lease.contender()).run(pending::<()>()));
    advance(secs(1.0)).await;
    assert_eq!(lease.holder(), Some(2));
    run.abort();
    settle().await;
    assert_eq!(lease.holder(), None);

    // The answer is on its way when nobody waits for it any more.
    lease.set_fault(LeaseFault::Delay(secs(1.0)));
    let same = lease.clone();
    let run = tokio::spawn(tree(&log).only_with(same).run(pending::<()>()));
    advance(secs(1.5)).await;
    assert_eq!(lease.holder(), Some(3));
    run.abort();
    advance(secs(1.6)).await;
    assert_eq!(lease.holder(), None);
}

/// S55: a lease without any time is never held, and is asked for now and then.
#[tokio::test(start_paused = true)]
async fn a_lease_without_time_is_no_hot_loop() {
    let mut shop = tree(&Log::default());
    let mut record = Record::of(shop.events());
    let none = lease().ttl(Duration::ZERO);
    let report = shop.only_with(none).run(sleep(secs(1.0))).await.unwrap();
    assert!(report.is_orderly());
    let asked = record.lines().len();
    assert!((50..=100).contains(&asked), "{asked}");
}

/// S34, S55: a seed that was set is that of each holding; events come over all of them.
#[tokio::test(start_paused = true)]
async fn a_seed_holds_for_each_holding() {
    let (log, lease) = (Log::default(), lease());
    let mut shop = tree(&log).seed(42);
    let mut events = shop.events();
    let _run = tokio::spawn(shop.only_with(lease.clone()).run(pending::<()>()));
    for _ in 0..2 {
        advance(secs(1.0)).await;
        lease.set_fault(LeaseFault::Cut);
        advance(secs(TTL)).await;
        lease.set_fault(LeaseFault::None);
        advance(secs(TTL)).await;
    }
    let seeds: Vec<_> = std::iter::from_fn(|| events.try_next())
        .filter_map(|event| match event.kind {
            EventKind::Started { seed } => seed,
            _ => None,
        })
        .collect();
    assert_eq!((seeds, log.tokens()), (vec![42, 42, 42], vec![1, 2, 3]));
}

supervisor! {
    struct Inside(guard: Guard) {
        #[lifecycle(Temporary)]
        waits: task = wait(guard),
    }
}

type Guard = Arc<Mutex<Option<oneshot::Receiver<Running<Inside>>>>>;

async fn wait(guard: Guard) {
    let guard = guard.lock().unwrap().take().expect("this task runs once");
    guard.await.expect("the guard is sent").join().await;
}

/// S55: the guard of a tree under a lease cannot be waited for inside of that tree, which would never end.
#[tokio::test(start_paused = true)]
async fn a_join_inside_of_its_own_tree_panics_under_a_lease_too() {
    let (give, guard) = oneshot::channel();
    let tree = Inside::tree(Arc::new(Mutex::new(Some(guard)))).only_with(lease()).start().await.unwrap();
    let waits = tree.waits.clone();
    assert!(give.send(tree).is_ok());
    settle().await;
    assert!(waits.ended().is_some(), "it panicked, and a task that waits would be there");
}
