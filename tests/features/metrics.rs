//! The feature `metrics`: S51.
#![cfg(feature = "metrics")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, LocalRecorderGuard, Metadata, Recorder,
    SharedString, Unit,
};
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use supervise::event::EventKind;
use supervise::metrics::{sample, sample_every, top_level};
use supervise::prelude::*;
use supervise::{BoxError, TreeRef};
use tokio::runtime::Runtime;

use crate::common::{Boom, Do, Journal, Probe, comes_back, ms, pass, quiet_panics, secs, settle, soon};

/// The recorder of this thread. One test has metrics at a time, since a sample is one of all trees of the process.
struct Recorded {
    recorder: &'static DebuggingRecorder,
    snapshotter: Snapshotter,
    /// The counters and gauges: a snapshot has what was added since the last one.
    sums: BTreeMap<String, f64>,
    histograms: HashMap<String, Vec<f64>>,
    _recorder: LocalRecorderGuard<'static>,
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn written(key: &Key) -> String {
    let labels: Vec<_> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
    format!(
        "{} {}",
        key.name().strip_prefix("supervise.").expect("the name begins with that of the crate"),
        labels.join(" ")
    )
}

impl Recorded {
    fn new() -> Self {
        quiet_panics();
        let alone = alone();
        let recorder: &'static DebuggingRecorder = Box::leak(Box::default());
        let guard = metrics::set_default_local_recorder(recorder);
        Recorded {
            recorder,
            snapshotter: recorder.snapshotter(),
            sums: BTreeMap::new(),
            histograms: HashMap::new(),
            _recorder: guard,
            _alone: alone,
        }
    }

    /// All metrics so far, as `name labels` and value.
    fn all(&mut self) -> BTreeMap<String, f64> {
        for (key, .., value) in self.snapshotter.snapshot().into_vec() {
            let key = written(key.key());
            match value {
                DebugValue::Counter(count) => *self.sums.entry(key).or_default() += count as f64,
                DebugValue::Gauge(value) => *self.sums.entry(key).or_default() += value.into_inner(),
                DebugValue::Histogram(values) => {
                    let values = values.into_iter().map(|value| value.into_inner());
                    self.histograms.entry(key).or_default().extend(values);
                }
            }
        }
        let counts = self.histograms.iter().map(|(key, values)| (key.clone(), values.len() as f64));
        self.sums.clone().into_iter().chain(counts).collect()
    }

    /// Returns the metrics whose names begin so, each as a line.
    fn lines(&mut self, begin: &str) -> Vec<String> {
        let of = self.all().into_iter().filter(|(key, _)| key.starts_with(begin));
        of.map(|(key, value)| format!("{key}: {value}")).collect()
    }

    /// The same after a sample.
    fn sampled(&mut self, begin: &str) -> Vec<String> {
        sample();
        self.lines(begin)
    }

    /// The values of a histogram so far.
    fn values(&mut self, key: &str) -> Vec<f64> {
        self.all();
        self.histograms.get(key).cloned().unwrap_or_default()
    }
}

fn paused() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

/// Runs a test with metrics, on the paused clock. Its trees are gone before another one begins.
fn recorded(test: impl AsyncFnOnce(&mut Recorded)) {
    let mut recorded = Recorded::new();
    let runtime = paused();
    runtime.block_on(test(&mut recorded));
    drop(runtime);
}

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Boom::Fatal => Stop, Cause::Panic(_) => Resume, _ => Restart)]
        #[backoff(3s..30s, random_factor = 0)]
        db: Probe = Probe::start("db", journal).await?,
        #[mailbox(Bounded(10))]
        #[limit(max_restarts = 5, within = 1min)]
        cart: Probe = Probe::start("cart", journal).await?,
        sessions: [Probe] = |name: String| Probe::start(name, journal).await?,
    }
}

async fn shop() -> Running<Shop> {
    quiet_panics();
    Shop::tree(Journal::default()).metrics().start().await.unwrap()
}

/// S51: a tree that has ended contributes nothing, whenever its metrics are wanted.
#[test]
fn a_tree_that_has_ended_has_no_gauges() {
    recorded(async |recorded: &mut Recorded| {
        let shop = Shop::start(Journal::default()).await.unwrap();
        let handle = shop.handle();
        shop.shutdown().await;
        handle.metrics().forever();
        let metering = handle.metrics();
        assert_eq!(recorded.sampled("supervise.children"), [""; 0]);
        drop(metering);
        assert_eq!(recorded.sampled("supervise.children"), [""; 0]);
    });
}

/// S51: each decision about a failure is counted by the type of the error and the directive, with the delay of a restart.
#[test]
fn decisions_are_counted() {
    recorded(async |recorded: &mut Recorded| {
        let shop = shop().await;
        assert!(recorded.lines("restart").is_empty(), "nothing has failed");
        for msg in [Do::Fail(Boom::Planned), Do::Add(1), Do::Fail(Boom::Planned), Do::Panic] {
            shop.db.tell(msg).await.unwrap();
            pass(secs(60)).await;
        }
        shop.cart.tell(Do::Fail(Boom::Fatal)).await.unwrap();
        settle().await;
        let boom = std::any::type_name::<Boom>();
        assert_eq!(
            recorded.lines("restarts"),
            [
                format!("restarts tree=Shop path=cart error.type={boom} directive=stop: 1"),
                format!("restarts tree=Shop path=db error.type={boom} directive=restart: 2"),
                "restarts tree=Shop path=db error.type=panic directive=resume: 1".to_owned(),
            ]
        );
        assert_eq!(recorded.values("restart.delay tree=Shop path=db"), [3.0, 3.0]);
    });
}

/// S51: a child whose failure is escalated, and that restarts with its supervisor, counts as both.
#[test]
fn an_escalation_and_the_restart_after_it_are_counted() {
    recorded(async |recorded: &mut Recorded| {
        supervisor! {
            struct Floors(journal: Journal) {
                part: struct Floor {
                    #![decider(_ => Escalate)]
                    one: Probe = Probe::start("one", journal).await?,
                },
            }
        }

        let floors = Floors::tree(Journal::default()).metrics().start().await.unwrap();
        let boom = std::any::type_name::<Boom>();
        for times in [1, 2] {
            floors.part.one.tell(Do::Fail(Boom::Told)).await.unwrap();
            pass(secs(1)).await;
            let line = |path: &str, directive: &str| {
                format!("restarts tree=Floors path={path} error.type={boom} directive={directive}: {times}")
            };
            let all = [line("part", "restart"), line("part/one", "escalate"), line("part/one", "restart")];
            assert_eq!(recorded.lines("restarts"), all);
        }
    });
}

/// S51: restarts that nobody decides on are counted too: by hand, after an end, and with the group or the supervisor.
#[test]
fn restarts_without_a_decision_are_counted() {
    recorded(async |recorded: &mut Recorded| {
        supervisor! {
            struct Whole(journal: Journal) {
                part: struct Part {
                    #![strategy(AllForOne, max_restarts = 3)]
                    #[lifecycle(Permanent)]
                    one: Probe = Probe::start("one", journal).await?,
                    #[lifecycle(Permanent)]
                    two: Probe = Probe::start("two", journal).await?,
                },
                other: Probe = Probe::start("other", journal).await?,
            }
        }

        let whole = Whole::tree(Journal::default()).metrics().start().await.unwrap();
        whole.part.one.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(1)).await;
        let boom = std::any::type_name::<Boom>();
        let own = format!("restarts tree=Whole path=part/one error.type={boom} directive=restart: 1");
        let with = "restarts tree=Whole path=part/two error.type=group directive=restart: 1".to_owned();
        assert_eq!(recorded.lines("restarts"), [own.clone(), with.clone()]);

        whole.other.restart().unwrap();
        whole.part.two.tell(Do::Stop).await.unwrap();
        pass(secs(1)).await;
        let by_hand = "restarts tree=Whole path=other error.type=requested directive=restart: 1".to_owned();
        let end = "restarts tree=Whole path=part/two error.type=ended_by_itself directive=restart: 1".to_owned();
        let with_it = "restarts tree=Whole path=part/one error.type=group directive=restart: 1".to_owned();
        assert_eq!(recorded.lines("restarts"), [by_hand.clone(), own.clone(), with_it, end.clone(), with]);

        whole.part.restart().unwrap();
        pass(secs(1)).await;
        let with_it = "restarts tree=Whole path=part/one error.type=group directive=restart: 2".to_owned();
        let with = "restarts tree=Whole path=part/two error.type=group directive=restart: 2".to_owned();
        let part = "restarts tree=Whole path=part error.type=requested directive=restart: 1".to_owned();
        assert_eq!(recorded.lines("restarts"), [by_hand, part, own, with_it, end, with]);
    });
}

/// S51: the times of messages are recorded: how long each waits, and how long its handler takes.
#[test]
fn the_times_of_messages_are_recorded() {
    recorded(async |recorded: &mut Recorded| {
        let shop = shop().await;
        for msg in [Do::Work(ms(1500)), Do::Work(ms(250)), Do::Add(1)] {
            shop.db.tell(msg).await.unwrap();
        }
        pass(secs(1)).await;
        let (wait, duration) = ("mailbox.wait tree=Shop path=db", "message.duration tree=Shop path=db");
        assert_eq!((recorded.values(wait), recorded.values(duration)), (vec![0.0], vec![]), "the first is in hand");
        pass(secs(1)).await;
        assert_eq!(recorded.values(wait), [0.0, 1.5, 1.75]);
        assert_eq!(recorded.values(duration), [1.5, 0.25, 0.0]);
        assert!(recorded.lines("mailbox.wait tree=Shop path=cart").is_empty(), "it has handled nothing");

        shop.cart.tell(Do::Work(secs(1))).await.unwrap();
        shop.cart.tell(Do::Hang).await.unwrap();
        pass(secs(3)).await;
        shop.cart.kill();
        settle().await;
        assert_eq!(recorded.values("message.duration tree=Shop path=cart"), [1.0, 2.0], "it was dropped");
    });
}

/// S51: of a message that came before the metrics were turned on, it is not known how long it has waited.
#[test]
fn a_message_from_before_has_no_time() {
    recorded(async |recorded: &mut Recorded| {
        let shop = Shop::start(Journal::default()).await.unwrap();
        for msg in [Do::Work(secs(5)), Do::Add(1), Do::Add(2)] {
            shop.db.tell(msg).await.unwrap();
        }
        pass(secs(1)).await;
        let _metering = shop.metrics();
        sample(); // samples the gauge of the mailbox
        shop.db.tell(Do::Add(3)).await.unwrap();
        pass(secs(10)).await;
        assert_eq!(recorded.values("mailbox.wait tree=Shop path=db"), [4.0]);
        assert_eq!(recorded.values("message.duration tree=Shop path=db"), [0.0, 0.0, 0.0], "their handlers are known");
    });
}

/// S36, S51: a message that is redelivered has waited since it came.
#[test]
fn a_message_that_is_redelivered_waits_on() {
    supervisor! {
        struct Again(journal: Journal) {
            #[redeliver(attempts = 5)]
            #[backoff(30s..30s, random_factor = 0)]
            db: Probe = Probe::start("db", journal).await?,
        }
    }

    recorded(async |recorded: &mut Recorded| {
        let again = Again::start(Journal::default()).await.unwrap();
        again.db.tell(Do::Fail(Boom::Planned)).await.unwrap(); // before the metrics are on
        let metering = again.metrics();
        sample();
        again.db.tell(Do::Add(1)).await.unwrap();
        pass(secs(40)).await;
        assert!(recorded.values("mailbox.wait tree=Again path=db").is_empty(), "also when it is taken out again");
        pass(secs(200)).await;
        let last = recorded.values("mailbox.wait tree=Again path=db");
        assert_eq!(last, [180.0], "behind the first attempt and five more");
        again.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
        pass(secs(31)).await;
        assert_eq!(recorded.values("mailbox.wait tree=Again path=db"), [180.0, 0.0, 30.0]);
        drop(metering);
    });
}

/// S51: dead letters are counted by their reason, and the time that an end takes is recorded if it was asked for.
#[test]
fn dead_letters_and_ends_are_recorded() {
    recorded(async |recorded: &mut Recorded| {
        let shop = shop().await;
        for msg in [Do::Work(secs(2)), Do::Add(1), Do::Add(2)] {
            shop.cart.tell(msg).await.unwrap();
        }
        settle().await;
        shop.cart.stop();
        pass(secs(3)).await;
        assert_eq!(recorded.lines("dead_letters"), ["dead_letters tree=Shop path=cart reason=ended: 2"]);
        assert_eq!(recorded.values("shutdown.duration tree=Shop path=cart"), [2.0]);

        shop.sessions.spawn("zero".to_owned()).await.unwrap().tell(Do::Stop).await.unwrap();
        settle().await;
        assert_eq!(recorded.lines("shutdown.duration").len(), 1, "an end by itself");
        let session = shop.sessions.spawn("one".to_owned()).await.unwrap();
        session.tell(Do::Work(secs(1))).await.unwrap();
        settle().await;
        soon(shop.shutdown()).await;
        assert_eq!(recorded.values("shutdown.duration tree=Shop path=sessions/*"), [1.0]);
        assert_eq!(recorded.values("shutdown.duration tree=Shop path=sessions"), [1.0]);
        assert_eq!(recorded.values("shutdown.duration tree=Shop path=Shop"), [1.0]);
    });
}

/// S51: gauges show what a sample finds, and nothing before the first. What never was is not shown as zero.
#[test]
fn gauges_are_sampled() {
    recorded(async |recorded: &mut Recorded| {
        let shop = shop().await;
        for name in ["one", "two"] {
            shop.sessions.spawn(name.to_owned()).await.unwrap();
        }
        assert_eq!(recorded.all().len(), 0, "nothing has happened, and no sample was taken");
        let up = [
            "children tree=Shop path=Shop state=running: 1",
            "children tree=Shop path=cart state=running: 1",
            "children tree=Shop path=db state=running: 1",
            "children tree=Shop path=sessions state=running: 1",
            "children tree=Shop path=sessions/* state=running: 2",
        ];
        assert_eq!(recorded.sampled("children"), up);
        assert_eq!(recorded.sampled("children"), up, "a second sample adds nothing");

        shop.cart.tell(Do::Fail(Boom::Planned)).await.unwrap();
        for msg in [Do::Work(secs(5)), Do::Add(1), Do::Add(2)] {
            shop.cart.tell(msg).await.unwrap();
        }
        pass(secs(1)).await;
        shop.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
        settle().await;
        assert_eq!(
            recorded.sampled("children tree=Shop path=db"),
            ["children tree=Shop path=db state=backing_off: 1", "children tree=Shop path=db state=running: 0"]
        );
        assert_eq!(
            recorded.lines("mailbox.depth"),
            [
                "mailbox.depth tree=Shop path=cart: 2",
                "mailbox.depth tree=Shop path=db: 0",
                "mailbox.depth tree=Shop path=sessions/*: 0"
            ]
        );
        // A backoff without a limit has no budget (S15), and neither has the root.
        assert_eq!(
            recorded.lines("budget"),
            [
                "budget.remaining tree=Shop path=cart: 4",
                "budget.remaining tree=Shop path=sessions: 10",
                "budget.remaining tree=Shop path=sessions/*: 10"
            ]
        );
        shop.sessions.handles()[0].tell(Do::Stop).await.unwrap();
        pass(secs(60)).await;
        assert_eq!(
            recorded.sampled("children tree=Shop path=sessions/*"),
            ["children tree=Shop path=sessions/* state=running: 1"]
        );
        assert_eq!(recorded.lines("budget.remaining tree=Shop path=cart"), ["budget.remaining tree=Shop path=cart: 5"]);
    });
}

/// S51: the budget of a path is the least that a child has left, whether that child runs or backs off.
#[test]
fn the_budget_of_a_set_is_the_least_of_its_instances() {
    recorded(async |recorded: &mut Recorded| {
        let shop = shop().await;
        let mut sessions = Vec::new();
        for name in ["one", "two", "three"] {
            sessions.push(shop.sessions.spawn(name.to_owned()).await.unwrap());
        }
        let budget = "budget.remaining tree=Shop path=sessions/*";
        sessions[0].tell(Do::Fail(Boom::Planned)).await.unwrap();
        settle().await;
        assert_eq!(recorded.sampled(budget), [format!("{budget}: 9")]);
        for _ in 0..3 {
            sessions[1].tell(Do::Fail(Boom::Planned)).await.unwrap();
        }
        settle().await;
        let backs_off = "children tree=Shop path=sessions/* state=backing_off";
        assert_eq!(recorded.sampled(backs_off), [format!("{backs_off}: 1")]);
        let least = recorded.lines(budget);
        pass(secs(1)).await;
        assert_eq!(recorded.sampled(budget), [format!("{budget}: 7")]);
        assert_eq!(least, [format!("{budget}: 8")], "two restarts are decided, and the second one waits");
        sessions[1].stop();
        settle().await;
        assert_eq!(recorded.sampled(budget), [format!("{budget}: 9")]);
    });
}

/// S51: without a request nothing is recorded. When the last guard is dropped, recording ends, and gauges are taken
/// back.
#[test]
fn metrics_are_recorded_on_request() {
    recorded(async |recorded: &mut Recorded| {
        let shop = Shop::start(Journal::default()).await.unwrap();
        shop.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
        pass(secs(60)).await;
        assert_eq!(recorded.sampled(""), [""; 0]);

        let (one, two) = (shop.metrics(), shop.metrics());
        shop.db.tell(Do::Add(1)).await.unwrap();
        settle().await;
        let duration = "message.duration tree=Shop path=db";
        assert_eq!(recorded.values(duration).len(), 1, "two guards record once");
        let db = "children tree=Shop path=db state=running";
        assert_eq!(recorded.sampled(db), [format!("{db}: 1")]);
        drop(one);
        shop.db.tell(Do::Add(1)).await.unwrap();
        settle().await;
        assert_eq!((recorded.values(duration).len(), recorded.sampled(db)), (2, vec![format!("{db}: 1")]));
        drop(two);
        assert_eq!(recorded.lines(db), [format!("{db}: 0")], "immediately");
        assert_eq!(recorded.lines("budget.remaining tree=Shop path=cart"), ["budget.remaining tree=Shop path=cart: 0"]);
        assert_eq!(shop.observed(), supervise::inspect::Observe::NOTHING);
        for msg in [Do::Add(1), Do::Fail(Boom::Planned)] {
            shop.db.tell(msg).await.unwrap();
        }
        pass(secs(60)).await;
        assert_eq!((recorded.values(duration).len(), recorded.sampled(db)), (2, vec![format!("{db}: 0")]));
        assert!(recorded.lines("restarts").is_empty());

        shop.metrics().forever();
        shop.db.tell(Do::Add(1)).await.unwrap();
        settle().await;
        assert_eq!((recorded.values(duration).len(), recorded.sampled(db)), (3, vec![format!("{db}: 1")]));
    });
}

/// S51: two trees with one name add to the same gauges, and each takes its part back when it ends or its runtime is gone.
#[test]
fn trees_with_one_name_add_up() {
    recorded(async |recorded: &mut Recorded| {
        let (one, two) = (shop().await, shop().await);
        let apart = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let runtime = std::thread::spawn(move || {
            let shop =
                apart.block_on(async { Shop::tree(Journal::default()).metrics().start().await.unwrap().detach() });
            (apart, shop)
        });
        let (apart, three) = runtime.join().unwrap();
        let db = "children tree=Shop path=db state=running";
        assert_eq!(recorded.sampled(db), [format!("{db}: 3")]);
        one.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
        settle().await;
        assert_eq!(recorded.sampled(db), [format!("{db}: 2")]);
        soon(one.shutdown()).await;
        let all = ["children tree=Shop path=db state=backing_off: 0".to_owned(), format!("{db}: 2")];
        assert_eq!(recorded.lines("children tree=Shop path=db"), all, "before another sample");
        std::thread::spawn(|| drop(apart)).join().unwrap();
        assert_eq!(recorded.lines(db), [format!("{db}: 1")]);
        assert_eq!(recorded.sampled(db), [format!("{db}: 1")]);
        let handle = two.detach();
        drop(three);
        soon(handle.shutdown()).await.unwrap();
        assert_eq!(recorded.sampled(db), [format!("{db}: 0")]);
        let _late = handle.metrics();
        assert_eq!(recorded.sampled(db), [format!("{db}: 0")], "it has ended");
        assert!(
            recorded.lines("").iter().filter(|line| line.starts_with("children")).all(|line| line.ends_with(": 0"))
        );
    });
}

struct Parent(u32);

enum Raise {
    Child(String, Reply<ActorRef<Parent>>),
    Fail,
    Nothing,
}

impl Actor for Parent {
    type Msg = Raise;
    type Error = io::Error;

    async fn receive(&mut self, msg: Raise, cx: &mut Context<Self>) -> io::Result<()> {
        match msg {
            Raise::Child(name, reply) => {
                let depth = self.0 + 1;
                let child = cx.spawn(child! { name: Parent = Parent(depth) }).await.map_err(io::Error::other)?;
                reply.send(child);
            }
            Raise::Fail => return Err(io::ErrorKind::Other.into()),
            Raise::Nothing => {}
        }
        Ok(())
    }
}

/// S51: the labels are those of the declaration, however many children there are, and whatever their names.
#[test]
fn labels_are_those_of_the_declaration() {
    recorded(async |recorded: &mut Recorded| {
        const MANY: usize = 100_000;
        const SOME: usize = 300;

        supervisor! {
            struct Company {
                office: Parent = Parent(0),
                shards: [Parent; 20] = |_: usize| Parent(0),
                rooms: [u64 => Parent] = |_: u64| Parent(0),
                sessions: [Parent] = || Parent(0),
                parts: [Branch] = || Branch::tree(),
                fixed: [Branch; 2] = |_: usize| Branch::tree(),
            }

            struct Branch {
                desk: Parent = Parent(0),
                desks: [Parent] = || Parent(0),
                branches: [Branch] = || Branch::tree(),
            }
        }

        async fn busy(actor: &ActorRef<Parent>, fails: bool) {
            actor.tell(Raise::Nothing).await.unwrap();
            if fails {
                actor.tell(Raise::Fail).await.unwrap();
                actor.tell(Raise::Nothing).await.unwrap();
            }
        }

        async fn family(actor: &ActorRef<Parent>, n: usize) {
            let mut deep = actor.clone();
            for i in 0..n {
                let wide = actor.ask(|reply| Raise::Child(format!("wide-{i}"), reply)).await.unwrap();
                busy(&wide, false).await;
                if i < 20 {
                    deep = deep.ask(|reply| Raise::Child(format!("deep-{i}"), reply)).await.unwrap();
                    busy(&deep, true).await;
                }
            }
        }

        let before = spawn(child! { "before": Parent = Parent(0) }).await.unwrap();
        top_level();
        busy(&before, true).await;
        let company = Company::tree().metrics().start().await.unwrap();
        for i in 0..MANY {
            let session = company.sessions.spawn().await.unwrap();
            busy(&session, i % 100 == 0).await;
        }
        for i in 0..SOME {
            let room = company.rooms.spawn(i as u64).await.unwrap();
            busy(&room, i % 10 == 0).await;
            let part = company.parts.spawn().await.unwrap();
            busy(&part.desk, i % 10 == 0).await;
            busy(&part.desks.spawn().await.unwrap(), false).await;
        }
        for shard in company.shards.iter() {
            busy(shard, true).await;
        }
        for part in company.fixed.iter() {
            busy(&part.desk, true).await;
        }
        let mut branch = company.parts.spawn().await.unwrap();
        for _ in 0..SOME {
            branch = branch.branches.spawn().await.unwrap();
            busy(&branch.desk, true).await;
        }
        family(&company.office, SOME).await;
        for i in 0..SOME {
            let top = spawn(child! { format!("top-{i}"): Parent = Parent(0) }).await.unwrap();
            busy(&top, true).await;
            if i == 0 {
                family(&top, SOME).await;
            }
            std::mem::forget(top);
        }

        // All failures are handled once both sums have their expected values.
        let last = |lines: Vec<String>| {
            let restarts = |begin: &str| -> f64 {
                let of = lines.iter().filter(|line| line.starts_with(begin) && line.contains("error.type=std"));
                of.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum()
            };
            (restarts("restarts tree=Company path=sessions/*"), restarts("restarts tree=guardian path=* "))
        };
        let expected = ((MANY / 100) as f64, SOME as f64);
        let mut found = (0.0, 0.0);
        for _ in 0..1_000 {
            tokio::time::sleep(ms(20)).await;
            found = last(recorded.lines("restarts"));
            if found == expected {
                break;
            }
        }
        assert_eq!(found, expected);
        let begin = std::time::Instant::now();
        sample();
        let took = begin.elapsed();

        let mut paths = BTreeSet::new();
        let mut labels = BTreeSet::new();
        for line in recorded.lines("") {
            let mut words = line.split(' ').skip(1);
            let (tree, path) =
                (words.next().unwrap().to_owned(), words.next().unwrap().trim_end_matches(':').to_owned());
            paths.insert(format!("{tree} {path}"));
            labels.extend(words.filter(|word| word.contains('=')).map(|word| word.trim_end_matches(':').to_owned()));
        }
        let expected: BTreeSet<String> = [
            "tree=Company path=Company",
            "tree=Company path=fixed/*",
            "tree=Company path=fixed/*/branches",
            "tree=Company path=fixed/*/desk",
            "tree=Company path=fixed/*/desks",
            "tree=Company path=office",
            "tree=Company path=office/*",
            "tree=Company path=parts",
            "tree=Company path=parts/*",
            "tree=Company path=parts/*/branches",
            "tree=Company path=parts/*/branches/*",
            "tree=Company path=parts/*/branches/*/desk",
            "tree=Company path=parts/*/branches/*/desks",
            "tree=Company path=parts/*/desk",
            "tree=Company path=parts/*/desks",
            "tree=Company path=parts/*/desks/*",
            "tree=Company path=rooms",
            "tree=Company path=rooms/*",
            "tree=Company path=sessions",
            "tree=Company path=sessions/*",
            "tree=Company path=shards/*",
            "tree=guardian path=*",
            "tree=guardian path=*/*",
        ]
        .map(str::to_owned)
        .into();
        assert_eq!(paths, expected);
        let expected: BTreeSet<String> =
            ["directive=restart", "error.type=std::io::error::Error", "state=running", "error.type=group"]
                .map(str::to_owned)
                .into();
        assert!(labels.is_subset(&expected), "{labels:?}");
        assert_eq!(
            recorded.lines("children tree=Company path=sessions/*"),
            [format!("children tree=Company path=sessions/* state=running: {MANY}")]
        );
        assert_eq!(
            recorded.lines("children tree=guardian path=* "),
            [format!("children tree=guardian path=* state=running: {SOME}")]
        );
        spawn(child! { "ends": Parent = Parent(0) }).await.unwrap().shutdown().await.unwrap();
        let ended = spawn(child! { "ends": Parent = Parent(0) }).await.unwrap();
        sample();
        ended.shutdown().await.unwrap();
        let top = recorded.sampled("children tree=guardian path=* ");
        assert_eq!(
            top,
            [format!("children tree=guardian path=* state=running: {SOME}")],
            "those that have ended are gone"
        );
        println!("a sample of these children took {took:?}");
    });
}

/// Fails with its message.
struct Fails<E>(PhantomData<fn(E)>);

impl<E: Into<BoxError> + Send + 'static> Actor for Fails<E> {
    type Msg = E;
    type Error = E;

    async fn receive(&mut self, error: E, _: &mut Context<Self>) -> Result<(), E> {
        Err(error)
    }
}

/// The same, with an error of which only the box is known.
struct Boxed;

impl Actor for Boxed {
    type Msg = BoxError;
    type Error = BoxError;

    async fn receive(&mut self, error: BoxError, _: &mut Context<Self>) -> Result<(), BoxError> {
        Err(error)
    }
}

#[derive(Debug)]
struct Own;

impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything, for example 4711")
    }
}

impl std::error::Error for Own {}

/// S51: `error.type` is the type of the error where it is known, never its text.
#[test]
fn the_type_of_an_error_is_a_label() {
    recorded(async |recorded: &mut Recorded| {
        supervisor! {
            struct Errors(journal: Journal) {
                #![decider(_ => Resume)]
                io: Fails<io::Error> = Fails(PhantomData),
                boxed: Boxed = Boxed,
                text: Fails<String> = Fails(PhantomData),
                own: Fails<Own> = Fails(PhantomData),
                dynamic: Fails<anyhow::Error> = Fails(PhantomData),
                #[lifecycle(Permanent, handler = 1s)]
                slow: Probe = Probe::start("slow", journal).await?,
            }
        }

        let errors = Errors::tree(Journal::default()).metrics().start().await.unwrap();
        errors.io.tell(io::Error::other("for example 4711")).await.unwrap();
        errors.boxed.tell(io::Error::other("for example 4711").into()).await.unwrap();
        errors.boxed.tell(Own.into()).await.unwrap();
        errors.text.tell("for example 4711".to_owned()).await.unwrap();
        errors.own.tell(Own).await.unwrap();
        errors.dynamic.tell(anyhow::anyhow!("for example 4711")).await.unwrap();
        for msg in [Do::Panic, Do::Hang] {
            errors.slow.tell(msg).await.unwrap();
        }
        pass(secs(5)).await;
        errors.slow.kill();
        settle().await;
        let types = recorded.lines("restarts");
        let types: Vec<_> = types
            .iter()
            .map(|line| line.strip_prefix("restarts tree=Errors path=").unwrap().replace(" error.type", ""))
            .collect();
        assert_eq!(
            types,
            [
                "boxed=_OTHER directive=resume: 1".to_owned(),
                "boxed=std::io::error::Error directive=resume: 1".to_owned(),
                "dynamic=anyhow::Error directive=resume: 1".to_owned(),
                "io=std::io::error::Error directive=resume: 1".to_owned(),
                format!("own={} directive=resume: 1", std::any::type_name::<Own>()),
                "slow=killed directive=resume: 1".to_owned(),
                "slow=panic directive=resume: 1".to_owned(),
                "slow=timed_out directive=resume: 1".to_owned(),
                "text=alloc::string::String directive=resume: 1".to_owned(),
            ]
        );
    });
}

/// S51: a storm of failures is counted to the last one, also where a subscriber to the events misses some.
#[test]
fn a_storm_is_counted() {
    recorded(async |recorded: &mut Recorded| {
        const FAILURES: usize = 3 * supervise::event::EVENT_BUFFER;

        supervisor! {
            struct Storm {
                #[backoff(1ms..1ms, random_factor = 0)]
                db: Parent = Parent(0),
            }
        }

        let storm = Storm::tree().metrics().start().await.unwrap();
        let mut events = storm.events();
        for _ in 0..FAILURES {
            storm.db.tell(Raise::Fail).await.unwrap();
        }
        pass(secs(60)).await;
        let first = events.next().await.unwrap();
        assert!(matches!(first.kind, EventKind::Missed { .. }), "the subscriber has missed events");
        let line = "restarts tree=Storm path=db error.type=std::io::error::Error directive=restart";
        assert_eq!(recorded.lines("restarts"), [format!("{line}: {FAILURES}")]);
        assert_eq!(recorded.values("restart.delay tree=Storm path=db").len(), FAILURES);
    });
}

/// A recorder that does something at each call.
struct Strange {
    act: Box<dyn Fn(&str) + Send + Sync>,
    registered: AtomicUsize,
    recorded: AtomicUsize,
}

impl Strange {
    fn new(act: impl Fn(&str) + Send + Sync + 'static) -> &'static Arc<Strange> {
        let strange = Strange { act: Box::new(act), registered: AtomicUsize::new(0), recorded: AtomicUsize::new(0) };
        Box::leak(Box::new(Arc::new(strange)))
    }
}

/// A handle of any kind.
struct Handle(&'static Arc<Strange>, &'static str);

impl Handle {
    fn of(strange: &'static Arc<Strange>, key: &Key) -> Arc<Handle> {
        strange.registered.fetch_add(1, Relaxed);
        (strange.act)("register");
        let name = if key.name().ends_with("duration") { "duration" } else { "record" };
        Arc::new(Handle(strange, name))
    }

    fn record(&self) {
        self.0.recorded.fetch_add(1, Relaxed);
        (self.0.act)(self.1);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        (self.0.act)("drop");
    }
}

impl CounterFn for Handle {
    fn increment(&self, _: u64) {
        self.record();
    }

    fn absolute(&self, _: u64) {
        self.record();
    }
}

impl GaugeFn for Handle {
    fn increment(&self, _: f64) {
        self.record();
    }

    fn decrement(&self, _: f64) {
        self.record();
    }

    fn set(&self, _: f64) {
        self.record();
    }
}

impl HistogramFn for Handle {
    fn record(&self, _: f64) {
        Handle::record(self);
    }
}

struct Recording(&'static Arc<Strange>);

impl Recorder for Recording {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {
        (self.0.act)("describe");
    }

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {
        (self.0.act)("describe");
    }

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {
        (self.0.act)("describe");
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(Handle::of(self.0, key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(Handle::of(self.0, key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(Handle::of(self.0, key))
    }
}

/// Lets one do everything that is recorded.
async fn everything(shop: &Shop) {
    shop.sessions.spawn("one".to_owned()).await.unwrap();
    for msg in [Do::Add(1), Do::Fail(Boom::Planned), Do::Panic, Do::Add(1)] {
        shop.db.tell(msg).await.unwrap();
    }
    pass(secs(60)).await;
    for msg in [Do::Work(secs(1)), Do::Add(1)] {
        shop.cart.tell(msg).await.unwrap();
    }
    settle().await;
    sample();
    shop.cart.stop();
    pass(secs(2)).await;
    sample();
}

/// S51: a recorder may use the tree whose metrics it records: it never runs under a lock.
#[test]
fn a_recorder_may_use_the_tree() {
    comes_back(|| {
        let _alone = alone();
        let tree: Arc<Mutex<Option<TreeRef>>> = Arc::default();
        let (known, busy) = (tree.clone(), AtomicBool::new(false));
        let strange = Strange::new(move |call| {
            let tree = known.lock().unwrap().clone();
            if let Some(tree) = tree.filter(|_| call != "describe" && !busy.swap(true, Relaxed)) {
                let _ = (tree.snapshot(), tree.health(), tree.events());
                sample();
                drop(tree.metrics());
                busy.store(false, Relaxed);
            }
        });
        quiet_panics();
        metrics::with_local_recorder(&Recording(strange), || {
            let runtime = paused();
            runtime.block_on(async {
                let shop = Shop::tree(Journal::default()).metrics().start().await.unwrap();
                *tree.lock().unwrap() = Some((**shop).clone());
                everything(&shop).await;
                soon(shop.shutdown()).await;
            });
        });
        assert!(strange.recorded.load(Relaxed) > 20, "{:?}", strange.recorded);
    });
}

/// S51: a recorder that panics, wherever it does, does the tree no harm. It is not called again.
#[test]
fn a_recorder_that_panics_does_no_harm() {
    for place in ["describe", "register", "record", "duration", "drop"] {
        comes_back(move || {
            let _alone = alone();
            let strange = Strange::new(move |call| {
                if call == place {
                    panic!("planned panic");
                }
            });
            let calls = AtomicUsize::new(0);
            quiet_panics();
            metrics::with_local_recorder(&Recording(strange), || {
                let runtime = paused();
                runtime.block_on(async {
                    let shop = Shop::tree(Journal::default()).metrics().start().await.unwrap();
                    everything(&shop).await;
                    calls.store(strange.recorded.load(Relaxed), Relaxed);
                    assert_eq!(shop.db.ask(Do::Get).await.unwrap(), 1, "{place}");
                    assert_eq!(shop.db.incarnation(), 2, "{place}: one failure, and a panic that resumed");
                    let report = soon(shop.shutdown()).await;
                    assert!(report.is_orderly(), "{place}: {report}");
                });
            });
            if place != "drop" {
                assert_eq!(strange.recorded.load(Relaxed), calls.load(Relaxed), "{place}: it is not called again");
            }
        });
    }
}

/// S51: a metric is looked up once for each path, and not for each message.
#[test]
fn a_message_looks_nothing_up() {
    let _alone = alone();
    let strange = Strange::new(|_| ());
    let test = async {
        let shop = shop().await;
        shop.db.tell(Do::Add(1)).await.unwrap();
        settle().await;
        let registered = strange.registered.load(Relaxed);
        assert_eq!((registered, strange.recorded.load(Relaxed)), (2, 2));
        for _ in 0..1_000 {
            shop.db.tell(Do::Add(1)).await.unwrap();
        }
        settle().await;
        assert_eq!((strange.registered.load(Relaxed), strange.recorded.load(Relaxed)), (registered, 2_002));
        let one = shop.sessions.spawn("one".to_owned()).await.unwrap();
        let two = shop.sessions.spawn("two".to_owned()).await.unwrap();
        for session in [one, two] {
            session.tell(Do::Add(1)).await.unwrap();
        }
        settle().await;
        assert_eq!(strange.registered.load(Relaxed), registered + 2, "two instances have one path");
    };
    metrics::with_local_recorder(&Recording(strange), || paused().block_on(test));
}

/// S51: samples can be taken by a task of the tree.
#[test]
fn a_task_samples_now_and_then() {
    recorded(async |recorded: &mut Recorded| {
        supervisor! {
            struct Sampled {
                db: Parent = Parent(0),
                #[lifecycle(Permanent)]
                sampler: task = sample_every(secs(10)),
            }
        }

        let tree = Sampled::tree().metrics().start().await.unwrap();
        settle().await;
        let db = "children tree=Sampled path=db";
        assert_eq!(recorded.lines(db), [format!("{db} state=running: 1")]);
        tree.db.stop();
        pass(secs(9)).await;
        assert_eq!(recorded.lines(db), [format!("{db} state=running: 1")], "the last sample");
        pass(secs(2)).await;
        assert_eq!(recorded.lines(db), [format!("{db} state=ended: 1"), format!("{db} state=running: 0")]);
        let ended = soon(tree.shutdown()).await;
        assert!(ended.is_orderly());
    });
}

/// A recorder for all threads.
#[derive(Default)]
struct Counts {
    gauges: AtomicU64,
    messages: AtomicUsize,
}

impl GaugeFn for Counts {
    fn increment(&self, by: f64) {
        self.gauges.fetch_add(by as u64, Relaxed);
    }

    fn decrement(&self, by: f64) {
        self.gauges.fetch_sub(by as u64, Relaxed);
    }

    fn set(&self, _: f64) {
        panic!("a gauge is not set");
    }
}

struct Total(&'static Arc<Counts>);

impl HistogramFn for Counts {
    fn record(&self, _: f64) {
        self.messages.fetch_add(1, Relaxed);
    }
}

impl Recorder for Total {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.0.clone())
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        if key.name() == "supervise.message.duration" { Histogram::from_arc(self.0.clone()) } else { Histogram::noop() }
    }
}

/// S51: on several threads, with samples at the same time and guards that come and go, no message is missed while a guard
/// exists, and what was added to gauges is taken back to the last.
#[test]
fn gauges_are_exact_on_threads() {
    let _alone = alone();
    let counts: &'static Arc<Counts> = Box::leak(Box::default());
    let recorder: &'static Total = Box::leak(Box::new(Total(counts)));
    let threads = || {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        // The recorder of a thread is set once it runs.
        runtime.worker_threads(4).enable_all().on_thread_start(|| {
            std::mem::forget(metrics::set_default_local_recorder(recorder));
        });
        runtime.build().unwrap()
    };
    let runtime = threads();
    let whole = runtime.block_on(async {
        tokio::spawn(async {
            let shop = Shop::tree(Journal::default()).metrics().start().await.unwrap();
            let mut tasks = Vec::new();
            for i in 0..8 {
                let shop = shop.handle();
                tasks.push(tokio::spawn(async move {
                    for n in 0..200 {
                        let guard = shop.metrics();
                        let session = shop.sessions.spawn(format!("{i} {n}")).await.unwrap();
                        session.tell(Do::Add(1)).await.unwrap();
                        sample();
                        session.ask(Do::Get).await.unwrap();
                        if n % 2 == 0 {
                            soon_stopped(&session).await;
                        }
                        drop(guard);
                    }
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
            // Wait for the counters: a message is counted a moment after its reply.
            let all = async {
                while counts.messages.load(Relaxed) < 2 * 8 * 200 {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(secs(60), all).await.expect("each message is counted");
            sample();
            assert_ne!(counts.gauges.load(Relaxed), 0);
            shop.detach()
        })
        .await
        .unwrap()
    });
    drop(runtime); // the tree ends with it
    assert_eq!(counts.messages.load(Relaxed), 2 * 8 * 200);
    assert_eq!(counts.gauges.load(Relaxed), 0);
    drop(whole);
}

async fn soon_stopped(session: &ActorRef<Probe>) {
    session.shutdown().await.unwrap();
}

/// S51: a decided restart from before the metrics does not hide a later one.
#[test]
fn a_restart_from_before_hides_no_later_one() {
    recorded(async |recorded: &mut Recorded| {
        let shop = Shop::start(Journal::default()).await.unwrap();
        shop.cart.tell(Do::Fail(Boom::Planned)).await.unwrap(); // before the metrics are on
        pass(secs(60)).await;
        let _metering = shop.metrics();
        shop.cart.restart().unwrap();
        pass(secs(60)).await;
        assert_eq!(
            recorded.lines("restarts"),
            ["restarts tree=Shop path=cart error.type=requested directive=restart: 1"]
        );
    });
}

/// S51: a decided restart that did not come up does not hide one that comes with the group.
#[test]
fn a_restart_that_did_not_come_up_hides_no_later_one() {
    static STARTS: AtomicU64 = AtomicU64::new(0);
    static SECOND: Barrier = Barrier::new(2);
    /// Its second start fails while the group goes down.
    async fn two(journal: Journal) -> Result<Probe, Boom> {
        if STARTS.fetch_add(1, Relaxed) == 1 {
            SECOND.wait();
            SECOND.wait();
            return Err(Boom::Planned);
        }
        Probe::start("two", journal).await
    }
    supervisor! {
        struct Pair(journal: Journal) {
            #![strategy(AllForOne)]
            one: Probe = Probe::start("one", journal).await?,
            two: Probe = two(journal).await?,
        }
    }
    let mut recorded = Recorded::new();
    let recorder = recorded.recorder;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().on_thread_start(move || {
        std::mem::forget(metrics::set_default_local_recorder(recorder));
    });
    runtime.build().unwrap().block_on(async {
        let pair = Pair::tree(Journal::default()).metrics().start().await.unwrap();
        pair.two.tell(Do::Fail(Boom::Planned)).await.unwrap();
        tokio::task::spawn_blocking(|| SECOND.wait()).await.unwrap();
        pair.one.tell(Do::Fail(Boom::Planned)).await.unwrap();
        // The one free thread runs this task after `one`, which has asked `two` to go down by then.
        tokio::spawn(async {}).await.unwrap();
        tokio::task::spawn_blocking(|| SECOND.wait()).await.unwrap();
        soon(pair.two.ask(Do::Get)).await.unwrap();
        pair.shutdown().await;
    });
    let boom = std::any::type_name::<Boom>();
    let restarts = |path, error, n| format!("restarts tree=Pair path={path} error.type={error} directive=restart: {n}");
    assert_eq!(
        recorded.lines("restarts"),
        // `two` counts twice: its failure in a message was decided, and then it came up after its failed start.
        [restarts("one", boom, 1), restarts("one", "group", 1), restarts("two", boom, 2)]
    );
}
