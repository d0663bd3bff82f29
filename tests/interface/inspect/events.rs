//! Events as a subscriber sees them: S40.

use std::fmt;
use std::sync::{Arc, Mutex};

use supervise::event::{DeadLetterReason, EVENT_BUFFER, Event, EventKind, Events};
use supervise::prelude::*;
use supervise::testing;
use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::{Level, Metadata, Subscriber, span};

use crate::common::listen::listen;
use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle, soon};

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Boom::Fatal => Stop, Boom::Planned => Resume, _ => Restart)]
        #[limit(max_restarts = 2, within = 1min, on_limit = Stop)]
        db: Probe = Probe::start("db", journal).await?,
        below: struct Below {
            #[lifecycle(Transient, shutdown = 1s)]
            #[mailbox(Bounded(1))]
            cart: Probe = Probe::start("cart", journal).await?,
        },
    }
}

/// S40: a subscription on the blueprint shows the first start, bottom up.
#[tokio::test(start_paused = true)]
async fn the_blueprint_shows_the_first_start() {
    let mut blueprint = Shop::tree(Journal::default());
    let mut events = blueprint.events();
    let _tree = blueprint.start().await.unwrap();
    assert_eq!(seen(&mut events), ["db started", "below/cart started", "below started", "Shop started"]);
}

/// S40: path, time and incarnation are those of the change.
#[tokio::test(start_paused = true)]
async fn an_event_has_path_time_and_incarnation() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    pass(secs(7)).await;
    let at = Instant::now();
    tree.below.cart.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(7)).await;
    let mut all = Vec::new();
    while let Some(Event { path, at: when, incarnation, kind, .. }) = events.try_next() {
        assert_eq!(when, at);
        all.push((path, incarnation, matches!(kind, EventKind::Restarted)));
    }
    let cart = |incarnation, up| (String::from("below/cart"), incarnation, up);
    assert_eq!(all, [cart(1, false), cart(1, false), cart(1, false), cart(2, true)]);
}

/// S40: a restart from the failure to being up again, the limit, and the end: in this order, each once.
#[tokio::test(start_paused = true)]
async fn every_change_of_state_is_an_event() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    for boom in [Boom::Planned, Boom::Told, Boom::Told, Boom::Told] {
        tree.db.tell(Do::Fail(boom)).await.unwrap();
    }
    tree.db.terminated().await.unwrap();
    assert_eq!(
        seen(&mut events),
        [
            "db failed",
            "db decided Resume",
            "db failed",
            "db decided Restart",
            "db restart in 0ns",
            "db restarted",
            "db failed",
            "db decided Restart",
            "db restart in 10ms",
            "db restarted",
            "db failed",
            "db decided Stop",
            "db limit",
            "db ended Limit",
        ]
    );
}

/// S40, S24: an abort names the message in hand, and each queued message is a dead letter.
#[tokio::test(start_paused = true)]
async fn an_abort_and_dead_letters_are_events() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.below.cart.tell(Do::Hang).await.unwrap();
    settle().await;
    tree.below.cart.tell(Do::Add(1)).await.unwrap();
    tree.below.cart.stop();
    tree.below.cart.terminated().await.unwrap();
    let mut named = Vec::new();
    let mut lines = Vec::new();
    while let Some(event) = events.try_next() {
        lines.push(event.to_string());
        match event.kind {
            EventKind::Aborted { message } => named.push(message.unwrap()),
            EventKind::DeadLetter { message, reason: DeadLetterReason::Ended } => named.push(message),
            _ => {}
        }
    }
    assert_eq!(named, [std::any::type_name::<Do>(); 2], "{lines:?}");
    assert_eq!(tree.dead_letters(), 1);
}

/// S40: a slow start raises an event every 10 s.
#[tokio::test(start_paused = true)]
async fn a_start_that_takes_long_says_so_every_ten_seconds() {
    let journal = Journal::default();
    journal.plan("db pre_start", 1, Fault::Slow(secs(25)));
    let mut blueprint = Shop::tree(journal);
    let mut events = blueprint.events();
    let _tree = blueprint.start().await.unwrap();
    let lines: Vec<_> = seen(&mut events).into_iter().filter(|line| line.starts_with("db")).collect();
    assert_eq!(lines, ["db still starting 10s", "db still starting 20s", "db started"]);
}

/// S40, S3: a tell that has waited 10 s for room raises an event.
#[tokio::test(start_paused = true)]
async fn a_blocked_tell_is_an_event() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    let cart = &tree.below.cart;
    cart.tell(Do::Work(secs(15))).await.unwrap();
    settle().await;
    cart.tell(Do::Add(1)).await.unwrap();
    cart.tell(Do::Add(1)).await.unwrap();
    assert_eq!(seen(&mut events), ["below/cart blocked 10s"]);
}

/// S40: a slow subscriber misses the oldest events, and one event stands in their place with their number; other
/// subscribers miss nothing, and the tree does not wait for any subscriber.
#[tokio::test(start_paused = true)]
async fn a_slow_subscriber_learns_how_many_it_missed() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let mut slow = tree.events();
    let mut fast = tree.events();
    let mut count = 0;
    // Each failure makes two events: failed, and decided Resume.
    for _ in 0..EVENT_BUFFER {
        tree.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
        settle().await;
        count += seen(&mut fast).len();
    }
    assert_eq!(count, 2 * EVENT_BUFFER);
    let missed = slow.next().await.unwrap();
    let EventKind::Missed { events } = missed.kind else { panic!("{missed}") };
    assert_eq!((events, &*missed.path, missed.incarnation), (EVENT_BUFFER as u64, "Shop", 0));
    let text = "Shop: 1024 events were missed; read them faster, or in a task of their own";
    assert_eq!((missed.to_string(), testing::line(&missed)), (text.to_owned(), "Shop missed 1024".to_owned()));
    assert_eq!(seen(&mut slow).len(), EVENT_BUFFER);
}

/// S40: the loop over the events goes on after a gap: a reader that is slow again and again reads all that is left, and
/// knows of all others how many there were. The times never go back.
#[tokio::test(start_paused = true)]
async fn the_loop_over_events_goes_on_after_a_gap() {
    supervisor! {
        struct Yard(journal: Journal) {
            kids: [Probe] = || Probe::start("kid", journal).await?,
        }
    }

    let yard = Yard::start(Journal::default()).await.unwrap();
    let mut slow = yard.kids.tree().events();
    let mut fast = yard.events();
    let storm = async |instances: usize, fast: &mut Events| {
        let mut sent = Vec::new();
        for _ in 0..instances {
            let kid = yard.kids.spawn().await.unwrap();
            kid.stop();
            kid.terminated().await.unwrap();
            pass(ms(1)).await;
            sent.extend(seen(fast));
        }
        sent
    };
    let mut last = yard.snapshot().started;
    for (instances, is_read) in [(5000, false), (400, true), (2000, false), (1, false)] {
        let mut sent = storm(instances, &mut fast).await;
        let all = sent.len();
        let left = sent.split_off(sent.len() - sent.len().min(EVENT_BUFFER));
        let mut read = Vec::new();
        let mut missed = Vec::new();
        // Read by `next` in one run, and by `try_next` in the other.
        while read.len() < left.len() {
            let event = match is_read {
                true => slow.try_next(),
                // The timeout turns a lost event into a failure of this test.
                false => tokio::time::timeout(secs(1), slow.next()).await.expect("an event that was sent"),
            };
            let event = event.expect("the tree lives");
            assert!(event.at >= last && event.since_start() < secs(60 * 60), "{event:?}");
            last = event.at;
            match event.kind {
                EventKind::Missed { events } => missed.push(events),
                _ => read.push(testing::line(&event)),
            }
        }
        assert_eq!(read, left, "the newest, in order");
        let expected: Vec<_> = (all > EVENT_BUFFER).then(|| (all - EVENT_BUFFER) as u64).into_iter().collect();
        assert_eq!(missed, expected, "one for each gap");
        assert!(slow.try_next().is_none());
    }

    // The last events of a tree that has ended come after the gap.
    let sent = storm(1000, &mut fast).await.len();
    yard.shutdown().await;
    let sent = (sent + seen(&mut fast).len()) as u64;
    let room = EVENT_BUFFER as u64;
    let (mut read, mut missed, mut end) = (0, 0, String::new());
    while let Some(event) = slow.next().await {
        match event.kind {
            EventKind::Missed { events } => missed += events,
            _ => read += 1,
        }
        end = event.to_string();
    }
    assert_eq!((read, missed, &*end), (room, sent - room, "Yard #1 ended: stopped"));
}

/// S40: a gap is no event of the tree: nothing is logged, no other reader sees it, and no reader that has lost its place
/// while it waits loses the event that follows.
#[tokio::test(start_paused = true)]
async fn a_gap_is_no_event_of_the_tree() {
    let log = Log::default();
    let _on = listen(log.clone());
    let tree = Shop::start(Journal::default()).await.unwrap();
    let (mut slow, mut fast) = (tree.events(), tree.events());
    let mut sent = Vec::new();
    for _ in 0..EVENT_BUFFER {
        tree.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
        settle().await;
        sent.extend(seen(&mut fast));
    }
    let lines = log.take(Level::TRACE).len();
    assert_eq!(testing::line(&slow.try_next().unwrap()), "Shop missed 1024");
    // More are pushed out between the gap and the next call: the event that follows the gap was read with it.
    for _ in 0..2 {
        tree.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
    }
    settle().await;
    sent.extend(seen(&mut fast));
    let first = &sent[EVENT_BUFFER];
    assert_eq!(&testing::line(&slow.next().await.unwrap()), first);
    assert_eq!(testing::line(&slow.next().await.unwrap()), "Shop missed 3");
    assert_eq!(seen(&mut slow), sent[sent.len() - EVENT_BUFFER..]);
    assert!(!sent.iter().any(|line| line.contains("missed")) && lines > 0);
    assert!(log.take(Level::TRACE).iter().all(|line| !line.contains("miss")));
}

/// S40: the stream ends with the tree, after its last event.
#[tokio::test(start_paused = true)]
async fn the_events_end_with_the_tree() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    let handle = tree.handle();
    tree.shutdown().await;
    let mut last = String::new();
    while let Some(event) = events.next().await {
        last = event.to_string();
    }
    assert_eq!(last, "Shop #1 ended: stopped");
    assert!(handle.events().next().await.is_none(), "a subscription after the end");
}

/// S40, S25: dropping the guard is an event that names the place of the call to `start`.
#[tokio::test(start_paused = true)]
async fn a_dropped_guard_is_an_event_with_the_place_of_start() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let line = line!() - 1;
    let mut events = tree.events();
    drop(tree);
    let Some(Event { kind: EventKind::GuardDropped { started_at }, .. }) = events.next().await else {
        panic!("no event")
    };
    assert_eq!((started_at.file(), started_at.line()), (file!(), line));
}

/// S40, S25: the drop of a guard is an event only if it ends the tree: not after its end, and not if the drop takes back
/// a start in progress.
#[tokio::test(start_paused = true)]
async fn a_guard_that_ends_nothing_is_dropped_silently() {
    let dropped = |mut events: Events| {
        std::iter::from_fn(|| events.try_next()).any(|event| matches!(event.kind, EventKind::GuardDropped { .. }))
    };
    let tree = Shop::start(Journal::default()).await.unwrap();
    let (events, handle) = (tree.events(), tree.handle());
    handle.shutdown().await.unwrap();
    drop(tree);
    assert!(!dropped(events));

    let journal = Journal::default();
    journal.plan("db start", 1, Fault::Slow(secs(10)));
    let mut shop = Shop::tree(journal.clone());
    let events = shop.events();
    assert!(tokio::time::timeout(secs(1), shop.start()).await.is_err());
    settle().await;
    assert!(!dropped(events));
}

// ----- tracing

/// Records every tracing event.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<Logged>>>);

/// The level, the target, and `message fields`.
type Logged = (Level, &'static str, String);

impl Log {
    fn of(&self, level: Level) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        lines.iter().filter(|line| line.0 == level).map(|line| line.2.clone()).collect()
    }

    /// Takes all lines, as `LEVEL target: message fields`, up to this level.
    pub(super) fn take(&self, level: Level) -> Vec<String> {
        let lines = std::mem::take(&mut *self.0.lock().unwrap());
        let lines = lines.into_iter().filter(|line| line.0 <= level);
        lines.map(|(level, target, line)| format!("{level} {target}: {line}")).collect()
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.0.insert_str(0, &format!("{value:?}")),
            name => self.0.push_str(&format!(" {name}={value:?}")),
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        if event.metadata().target().starts_with("supervise") {
            let mut line = Line(String::new());
            event.record(&mut line);
            self.0.lock().unwrap().push((*event.metadata().level(), event.metadata().target(), line.0));
        }
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// S40, S15: at a limit of no restart the line of the log says that none is allowed, and the failure says it too.
#[tokio::test(start_paused = true)]
async fn the_log_says_that_no_restart_is_allowed() {
    supervisor! {
        struct Once(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 0)]
            #![lifecycle(Permanent)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let log = Log::default();
    let _on = listen(log.clone());
    let once = Once::start(Journal::default()).await.unwrap();
    once.probe.tell(Do::Stop).await.unwrap();
    soon(once.join()).await;
    let error = log.of(Level::ERROR);
    assert_eq!(error[0], "no restart is allowed path=probe incarnation=1");
    let ended = "probe failed while running: ended by itself, and no restart is allowed";
    assert!(error[1].starts_with("ended path=Once") && error[1].contains(ended), "{error:?}");
    assert_eq!(error.len(), 2, "{error:?}");
}

/// S40: `error`: the first restart in a streak, Stop, the limit, Aborted. `warn`: Resume, a later restart in a streak,
/// DeadLetter, Blocked, StillStarting, GuardDropped. Messages never appear.
#[tokio::test(start_paused = true)]
async fn the_levels_separate_errors_from_warnings() {
    let log = Log::default();
    let _on = listen(log.clone());
    let journal = Journal::default();
    journal.plan("db pre_start", 1, Fault::Slow(secs(15)));
    let tree = Shop::start(journal.clone()).await.unwrap();
    let warn = log.of(Level::WARN);
    assert!(warn.contains(&"still starting path=db incarnation=1 since=10s".into()), "{warn:?}");
    assert!(
        warn.iter().all(|line| line.starts_with("still starting")),
        "the other children are still starting too: {warn:?}"
    );
    let text = log.of(Level::INFO);
    assert_eq!(text.len(), 4, "four starts: {text:?}");
    log.0.lock().unwrap().clear();

    tree.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
    journal.plan("db start", 1, Fault::Panic);
    crate::common::quiet_panics();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(ms(100)).await;
    let at = |at: &str, path: &str, incarnation: u32| format!("{at} path={path} incarnation={incarnation}");
    let (warn, error) = (log.of(Level::WARN), log.of(Level::ERROR));
    assert!(warn[0].starts_with(&at("failed; resuming", "db", 1)), "{warn:?}");
    assert!(warn[1].starts_with(&at("failed again; restarting", "db", 2)), "{warn:?}");
    assert!(warn[1].contains("streak=2"), "{warn:?}");
    assert_eq!(warn.len(), 2);
    assert!(error[0].starts_with(&at("failed; restarting", "db", 1)), "{error:?}");
    assert_eq!(error.len(), 1, "{error:?}");
    log.0.lock().unwrap().clear();

    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.db.terminated().await.unwrap();
    let error = log.of(Level::ERROR);
    assert!(error.iter().any(|line| line.starts_with(&at("restarted too often", "db", 3))), "{error:?}");
    log.0.lock().unwrap().clear();

    let cart = tree.below.cart.clone();
    cart.tell(Do::Hang).await.unwrap();
    settle().await;
    cart.tell(Do::Note("secret")).await.unwrap();
    let blocked = tokio::time::timeout(secs(11), cart.tell(Do::Note("secret"))).await;
    assert!(blocked.is_err());
    cart.stop();
    cart.terminated().await.unwrap();
    // This tree has ended with its last member, so dropping its guard raises no event.
    drop(tree);
    drop(Shop::start(Journal::default()).await.unwrap());
    let (warn, error) = (log.of(Level::WARN), log.of(Level::ERROR));
    let begins: Vec<_> = warn.iter().map(|line| line.split(" path=").next().unwrap()).collect();
    assert_eq!(begins[..2], ["a tell waits for room in the mailbox", "dead letter"]);
    assert!(begins[2].starts_with("the guard of the tree was dropped"), "{begins:?}");
    assert!(error[0].starts_with(&at("aborted: did not go down in its time", "below/cart", 1)), "{error:?}");
    let all = log.0.lock().unwrap();
    assert!(!all.iter().any(|line| line.2.contains("secret")), "messages never appear in logs");
}

supervisor! {
    struct Inlets {
        vain: task = |cx| async move {
            cx.ready();
            cx.ready();
            cx.stopped().await;
        },
        each: [task] = || |cx| async move {
            cx.ready();
            cx.stopped().await;
        },
        #[lifecycle(Transient, ready)]
        useful: task = |cx| async move {
            cx.ready();
            cx.stopped().await;
        },
    }
}

/// S29, S40: the log says once that `cx.ready()` has no effect where `ready` is not declared.
#[tokio::test(start_paused = true)]
async fn a_vain_ready_is_a_warning() {
    let log = Log::default();
    let _on = listen(log.clone());
    let inlets = Inlets::start().await.unwrap();
    for _ in 0..3 {
        inlets.each.spawn().await.unwrap(); // each of them would say the same
    }
    settle().await;
    let warned = "WARN supervise: cx.ready() has no effect: write `lifecycle(.., ready)` above the task, or remove the call path=vain incarnation=1";
    assert_eq!(log.take(Level::WARN), [warned]);
    inlets.vain.restart().unwrap().await.unwrap();
    assert_eq!((inlets.vain.incarnation(), log.take(Level::WARN)), (2, vec![]));
}

supervisor! {
    struct Quay(journal: Journal) {
        #[backoff(1s..30s, random_factor = 0)]
        ferry: Probe = Probe::start("ferry", journal).await?,
    }
}

/// S40: a first start that was tried again is logged with the time since the first attempt that failed.
#[tokio::test(start_paused = true)]
async fn a_start_after_failed_attempts_says_how_long_it_took() {
    let log = Log::default();
    let _on = listen(log.clone());
    let journal = Journal::default();
    journal.plan("ferry start", 2, Fault::Error);
    let quay = Quay::start(journal).await.unwrap();
    assert!(quay.ready().await);
    let lines = log.take(Level::INFO);
    let started = "INFO supervise: started path=ferry incarnation=3 down=3s";
    assert!(lines.contains(&started.to_owned()), "{lines:?}");
}

supervisor! {
    struct Tavern(journal: Journal) {
        #[lifecycle(Temporary)]
        guests: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        #[lifecycle(Temporary)]
        cook: Probe = Probe::start("cook", journal).await?,
        #[lifecycle(Temporary)]
        #[decider(by_phase)]
        waiter: Probe = Probe::start("waiter", journal).await?,
    }
}

/// Leaves a failure while running open.
fn by_phase(failure: &Failure) -> Directive {
    if failure.phase() == Phase::Running { Directive::Default } else { Directive::Stop }
}

/// S40: nobody decides about the failure of a `Temporary` child without a decider of its own, so the line of its end is the
/// error, of an instance as of a declared child. An end that follows a decision is none, and neither is a stop.
#[tokio::test(start_paused = true)]
async fn an_end_about_which_nobody_decided_is_an_error() {
    let log = Log::default();
    let _on = listen(log.clone());
    let journal = Journal::default();
    let inn = Tavern::start(journal.clone()).await.unwrap();
    let (one, two) = (inn.guests.spawn("one").await.unwrap(), inn.guests.spawn("two").await.unwrap());
    settle().await;
    log.take(Level::DEBUG);
    for (child, target) in [(&one, "supervise::instances"), (&inn.cook, "supervise"), (&inn.waiter, "supervise")] {
        child.tell(Do::Fail(Boom::Told)).await.unwrap();
        child.terminated().await.unwrap();
        let lines = log.take(Level::INFO);
        let line = format!("ERROR {target}: ended path={} incarnation=1 ended=failed failure=", child.path());
        assert!(lines.len() == 1 && lines[0].starts_with(&line), "{lines:?}");
        assert!(lines[0].ends_with("\"failed while running: Told\" cause=error"), "{lines:?}");
    }
    two.stop();
    two.terminated().await.unwrap();
    assert_eq!(log.take(Level::INFO), [""; 0]);

    // A decision about a later failure is a line of its own, and its end is none.
    journal.plan("waiter start", 1, Fault::Error);
    inn.waiter.start_again().unwrap().await.unwrap_err();
    settle().await;
    let errors = log.take(Level::ERROR);
    assert!(errors.len() == 1 && errors[0].contains("failed; stopping path=waiter"), "{errors:?}");

    // The second time as the first; a start again that ends well is none.
    inn.cook.start_again().unwrap().await.unwrap();
    inn.cook.tell(Do::Fail(Boom::Told)).await.unwrap();
    inn.cook.terminated().await.unwrap();
    let errors = log.take(Level::ERROR);
    assert!(errors.len() == 1 && errors[0].contains("path=cook incarnation=2"), "{errors:?}");
    inn.cook.start_again().unwrap().await.unwrap();
    inn.cook.stop();
    inn.cook.terminated().await.unwrap();
    assert_eq!(log.take(Level::ERROR), [""; 0]);
}

supervisor! {
    struct Mall(journal: Journal) {
        #![decider(Boom::Fatal => Stop, Boom::Planned => Escalate, _ => Restart)]
        #[backoff(3s..30s, random_factor = 0)]
        db: Probe = Probe::start("db", journal).await?,
        below: struct Basement {
            #[lifecycle(Transient)]
            cart: Probe = Probe::start("cart", journal).await?,
        },
        visits: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
    }
}

/// S40: at `info` each change of state of a declared child is one line with a constant message, a failure and the restart
/// after it two, with the delay and the time that it was down. Instances of sets are at `debug`, under a target of
/// their own.
#[tokio::test(start_paused = true)]
async fn the_log_of_the_declared_children_is_complete_at_info() {
    let log = Log::default();
    let _on = listen(log.clone());
    let journal = Journal::default();
    let mall = Mall::tree(journal.clone()).seed(7).start().await.unwrap();
    let started = |path: &str| format!("INFO supervise: started path={path} incarnation=1");
    let all = ["db", "below/cart", "below", "visits"].map(started);
    assert_eq!(log.take(Level::INFO), [&all[..], &[started("Mall") + " seed=7"]].concat());

    // Three failures in a row, two of them at the start: down since the first.
    journal.plan("db start", 2, Fault::Panic);
    crate::common::quiet_panics();
    mall.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(2)).await;
    let decided = |arm: &str| format!("decider=supervisor arm={arm:?}");
    assert_eq!(
        log.take(Level::INFO),
        [format!(
            "ERROR supervise: failed; restarting path=db incarnation=1 failure=\"failed while running: Told\" cause=error directive=restart streak=1 delay=3s {} limit=\"no restart limit\"",
            decided("_ => Restart")
        )]
    );
    pass(secs(30)).await;
    let lines = log.take(Level::INFO);
    let again =
        "WARN supervise: failed again; restarting path=db incarnation=2 failure=\"failed while restarting: panicked";
    assert!(lines[0].starts_with(again), "{lines:?}");
    assert!(lines[0].contains(" cause=panic directive=restart streak=2 delay=6s decider=supervisor"), "{lines:?}");
    assert!(lines[1].contains(" incarnation=3 ") && lines[1].contains(" streak=3 delay=12s "), "{lines:?}");
    assert_eq!(lines[2..], ["INFO supervise: restarted path=db incarnation=4 down=21s"]);

    // A restart on request has no `down` time, since nothing has failed.
    mall.db.restart().unwrap().await.unwrap();
    assert_eq!(log.take(Level::INFO), ["INFO supervise: restarted path=db incarnation=5"]);

    // A stop of one child has a line at its begin and one at its end; those below it have one at their end.
    mall.below.stop();
    mall.below.terminated().await.unwrap();
    let stopped = |path: &str| format!("INFO supervise: ended path={path} incarnation=1 ended=stopped");
    assert_eq!(
        log.take(Level::INFO),
        [
            "INFO supervise: stopping path=below incarnation=1 reason=\"asked to stop\"".to_owned(),
            stopped("below/cart"),
            stopped("below")
        ]
    );

    // Instances come and go in silence. Their failures do not, under another target.
    let visit = mall.visits.spawn("guest").await.unwrap();
    visit.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    visit.terminated().await.unwrap();
    let lines = log.take(Level::DEBUG);
    let (info, debug): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| !line.starts_with("DEBUG"));
    assert_eq!(
        info,
        [
            "ERROR supervise::instances: failed; stopping path=visits/#1 incarnation=1 failure=\"failed while running: Fatal\" cause=error \
             directive=stop decider=supervisor arm=\"Boom::Fatal => Stop\""
        ]
    );
    assert!(
        debug.contains(&"DEBUG supervise::instances: started path=visits/#1 incarnation=1".to_owned()),
        "{debug:?}"
    );
    let ended = "DEBUG supervise::instances: ended path=visits/#1 incarnation=1 ended=failed failure=\"failed while running: Fatal\" cause=error";
    assert!(debug.contains(&ended.to_owned()), "{debug:?}");

    // The tree stops: one line for it, one for the end of each child.
    mall.visits.spawn("guest").await.unwrap();
    mall.shutdown().await;
    assert_eq!(
        log.take(Level::INFO),
        [
            "INFO supervise: stopping path=Mall incarnation=1 reason=\"asked to stop\"",
            "INFO supervise: ended path=visits incarnation=1 ended=stopped",
            "INFO supervise: ended path=db incarnation=5 ended=stopped",
            "INFO supervise: ended path=Mall incarnation=1 ended=stopped",
        ]
    );

    // A tree that fails has an error of its own, since nobody decided on it.
    let mall = Mall::start(journal).await.unwrap();
    log.take(Level::INFO);
    mall.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
    mall.join().await;
    let lines = log.take(Level::INFO);
    let last = "ERROR supervise: ended path=Mall incarnation=1 ended=failed failure=\"db failed";
    assert!(lines.last().is_some_and(|line| line.starts_with(last)), "{lines:#?}");
    assert!(lines[..lines.len() - 1].iter().all(|line| line.starts_with("INFO supervise: ended path=")), "{lines:#?}");
}

/// S40: a child that was resumed was not down, and counts from its next failure.
#[tokio::test(start_paused = true)]
async fn the_time_down_begins_with_the_failure_that_takes_the_child_down() {
    let log = Log::default();
    let _on = listen(log.clone());
    let shop = Shop::start(Journal::default()).await.unwrap();
    shop.db.tell(Do::Fail(Boom::Planned)).await.unwrap(); // resumed
    pass(secs(60)).await;
    shop.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(60)).await;
    let info = log.of(Level::INFO);
    assert!(info.contains(&"restarted path=db incarnation=2 down=0s".to_owned()), "{info:?}");
}

/// S40: a child that is resumed through its supervisor was not down.
#[tokio::test(start_paused = true)]
async fn a_child_that_is_resumed_from_above_was_not_down() {
    supervisor! {
        struct Upper(journal: Journal) {
            #![decider(Boom::Told => Resume, _ => Restart)]
            part: struct UpperPart {
                #![decider(Boom::Told => Escalate, _ => Restart)]
                db: Probe = Probe::start("db", journal).await?,
            },
        }
    }

    let log = Log::default();
    let _on = listen(log.clone());
    let tree = Upper::start(Journal::default()).await.unwrap();
    tree.part.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(3600)).await;
    tree.part.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
    pass(secs(60)).await;
    let info = log.of(Level::INFO);
    assert!(info.iter().any(|line| line == "restarted path=part/db incarnation=2 down=0s"), "{info:?}");
}

supervisor! {
    struct Inn(journal: Journal) {
        row: [Probe; 1] = |index: usize| Probe::start(format!("row{index}"), journal).await?,
        rooms: [Floor] = || Floor::tree(journal),
        host: Host = Host(journal),
    }

    struct Floor(journal: Journal) {
        bed: Probe = Probe::start("bed", journal).await?,
        row: [Probe; 1] = |index: usize| Probe::start(format!("row{index}"), journal).await?,
        inner: struct Inner {
            deep: Probe = Probe::start("deep", journal).await?,
        },
    }
}

/// Spawns a tree.
struct Host(Journal);

#[actor]
impl Host {
    async fn handle(&mut self, reply: Reply<Floor>, cx: &mut Context<Self>) {
        let journal = self.0.clone();
        reply.send(cx.spawn(child! { "kid": Floor = Floor::tree(journal) }).await.unwrap());
    }
}

/// S40: all below an instance or a spawned child was spawned at run time with it, whatever its own declaration: it is
/// under the target of those, and at their levels.
#[tokio::test(start_paused = true)]
async fn the_log_of_what_is_below_an_instance_is_that_of_an_instance() {
    let log = Log::default();
    let _on = listen(log.clone());
    let inn = Inn::start(Journal::default()).await.unwrap();
    let info = log.take(Level::INFO);
    let row = "INFO supervise: started path=row/0 incarnation=1".to_owned();
    assert!(info.contains(&row), "the elements of a declared array are declared: {info:?}");
    inn.rooms.spawn().await.unwrap();
    inn.host.ask(|reply| reply).await.unwrap();
    let lines = log.take(Level::DEBUG);
    assert!(lines.iter().all(|line| line.starts_with("DEBUG supervise::instances: started path=")), "{lines:?}");
    for above in ["rooms/#1", "host/kid"] {
        for below in ["", "/bed", "/row/0", "/inner", "/inner/deep"] {
            let line = format!("DEBUG supervise::instances: started path={above}{below} incarnation=1");
            assert_eq!(lines.iter().filter(|other| **other == line).count(), 1, "{line}: {lines:?}");
        }
    }
}
