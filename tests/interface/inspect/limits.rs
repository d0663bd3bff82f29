//! The restart limit that holds for each child, and the outage that uses it up: S15, S40, S42.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use supervise::event::EventKind;
use supervise::policy::OnLimit;
use supervise::prelude::*;
use supervise::spec::{ChildSpec, DeclaredLimit, Outage, TreeSpec};
use tokio::time::timeout;
use tracing::Level;

use super::events::Log;
use crate::common::listen::listen;
use crate::common::{ms, secs};

/// The world outside, which is there for the first start of each child, and never again.
#[derive(Clone, Default)]
struct World(Arc<AtomicU32>);

impl World {
    fn reach(&self) -> io::Result<()> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err(io::ErrorKind::ConnectionRefused.into()),
        }
    }
}

/// Works for a second.
struct Part;

impl Part {
    fn start(world: &World) -> io::Result<Part> {
        world.reach().map(|()| Part)
    }
}

#[actor]
impl Part {
    #[pre_start]
    fn pre_start(&mut self, cx: &mut Context<Self>) {
        cx.send_after(secs(1), ());
    }

    fn handle(&mut self, _msg: ()) -> io::Result<()> {
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

/// Never fails.
struct Calm;

#[actor]
impl Calm {
    fn handle(&mut self, _msg: ()) {}
}

/// The same as a task.
async fn work(world: World) -> io::Result<()> {
    if world.reach().is_ok() {
        tokio::time::sleep(secs(1)).await;
    }
    Err(io::ErrorKind::ConnectionReset.into())
}

supervisor! {
    struct Plain(world: World) {
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct PlainTask(world: World) {
        flaky: task = work(world),
        other: Calm = Calm,
    }

    struct NoLine(world: World) {
        #[backoff(100ms..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    /// The default, written down.
    struct Line(world: World) {
        #![strategy(OneForOne, max_restarts = 10, within = 1min)]
        #[backoff(100ms..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct Pace(world: World) {
        #![backoff(100ms..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct OwnLimit(world: World) {
        #[backoff([1s, 3s, 9s], random_factor = 0)]
        #[limit(max_restarts = 4, within = 1min, on_limit = Stop)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct OwnNumber(world: World) {
        #![strategy(OneForOne, max_restarts = 5, within = 1h, on_limit = Stop)]
        #[limit(max_restarts = 2)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct Freed(world: World) {
        #![strategy(OneForOne, max_restarts = 5, within = 1h)]
        #[limit(max_restarts = Unlimited)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct NeverTwice(world: World) {
        #![strategy(OneForOne, max_restarts = 0)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct SharedBudget(world: World) {
        #![strategy(OneForOne, max_restarts = 3, budget = Shared)]
        #[backoff(100ms..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct All(world: World) {
        #![strategy(AllForOne)]
        #[backoff(100ms..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct AllBackOff(world: World) {
        #![strategy(AllForOne)]
        #[backoff(100ms..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
        #[backoff(1s..5s)]
        other: Calm = Calm,
    }

    struct AllWithASet(world: World) {
        #![strategy(AllForOne)]
        #[backoff(100ms..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
        #[backoff(1s..5s)]
        others: [Calm] = || Calm,
    }

    struct Rest(world: World) {
        #![strategy(RestForOne, max_restarts = 2, on_limit = Stop)]
        other: Calm = Calm,
        #[backoff(100ms..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
    }

    struct Jitter(world: World) {
        #![strategy(OneForOne, max_restarts = 5, within = 1min)]
        #[backoff(100ms..5s)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct Slots(world: World, slots: Backoff) {
        #![strategy(OneForOne, max_restarts = 5, within = 1min)]
        #[backoff(slots)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    /// In an hour there are fewer restarts.
    struct Patient(world: World) {
        #![strategy(OneForOne, max_restarts = 10, within = 1h)]
        #[backoff(1min..1h, random_factor = 0, reset = 1min)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct Computed(world: World, most: u32) {
        #![strategy(OneForOne, max_restarts = most, within = 1min)]
        #[backoff(100ms..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct ComputedDelay(world: World, first: Duration) {
        #![strategy(OneForOne, max_restarts = 5, within = 1min)]
        #[backoff(first..5s, random_factor = 0)]
        flaky: Part = Part::start(&world)?,
        other: Calm = Calm,
    }

    struct Nested(world: World) {
        #![strategy(OneForOne, max_restarts = 7, within = 1h)]
        inner: struct Inner {
            #![strategy(OneForOne, max_restarts = 2, within = 1min)]
            #[backoff(100ms..5s, random_factor = 0)]
            flaky: Part = Part::start(&world)?,
            other: Calm = Calm,
        },
    }

    struct Set(world: World) {
        #![strategy(OneForOne, max_restarts = 7, within = 1h)]
        #[backoff(100ms..5s, random_factor = 0)]
        #[limit(max_restarts = 2)]
        #[initial(["flaky"])]
        flaky: [&'static str => Part] = |_name: &'static str| Part::start(&world)?,
        others: [Calm] = || Calm,
        #[lifecycle(Temporary)]
        once: [Calm] = || Calm,
    }
}

const fn exactly(ms: u64) -> Option<Outage> {
    let time = Duration::from_millis(ms);
    Some(Outage::UsesUp { least: time, most: Some(time) })
}

/// Returns the outage of `flaky` that the declaration shows, with the note in its drawing.
fn declared(tree: &'static TreeSpec) -> (Option<Outage>, String) {
    fn flaky(tree: &'static TreeSpec) -> &'static ChildSpec {
        let mut children = tree.children.iter();
        children.find(|child| child.name == "flaky").unwrap_or_else(|| flaky(tree.children[0].tree().unwrap()))
    }
    let outage = match flaky(tree).limit {
        DeclaredLimit::Unlimited => Some(Outage::Survived),
        DeclaredLimit::AtMost { outage, .. } => outage,
        _ => None,
    };
    let drawing = tree.render();
    let line = drawing.lines().find(|line| line.contains("─ flaky: ")).unwrap();
    (outage, line.rsplit("  ").next().unwrap().to_owned())
}

/// Waits until the world of `flaky` goes, and returns the outage that a snapshot had shown before, with the time after which the
/// limit was in fact reached, within a day.
async fn lived(tree: &TreeRef, path: &str) -> (Outage, Option<Duration>) {
    let shown = tree.snapshot().find(path).unwrap().restarts.unwrap().outage;
    let mut events = tree.events();
    let mut begin = None;
    let reached = timeout(secs(86_400), async {
        loop {
            let event = events.next().await.unwrap();
            match event.kind {
                EventKind::Failed { .. } => begin = begin.or(Some(event.at)),
                EventKind::LimitReached { .. } => return event.at - begin.unwrap(),
                _ => {}
            }
        }
    });
    (shown, reached.await.ok())
}

/// S15: for each way to have a limit, or none: the outage and the words of the declaration, those of the live tree, and
/// the outage that in fact ends it.
#[tokio::test(start_paused = true)]
async fn the_outage_that_is_shown_is_the_one_that_uses_the_limit_up() {
    macro_rules! check {
        ($tree:ident ( $($arg:expr),* ), $path:expr, $outage:expr, $words:expr) => {{
            let expected: Option<Outage> = $outage;
            let name = stringify!($tree);
            assert_eq!(declared(&$tree::SPEC), (expected, $words.to_owned()), "{name}");
            let tree = $tree::start(World::default(), $($arg),*).await.unwrap();
            let (shown, lived) = lived(&tree, $path).await;
            assert!(expected.is_none_or(|expected| expected == shown), "{name}: {shown:?}");
            match (shown, lived) {
                (Outage::Survived, None) => {}
                (Outage::UsesUp { least, most }, Some(lived)) => {
                    assert!(lived >= least && most.is_none_or(|most| lived <= most), "{name}: {lived:?}");
                }
                other => panic!("{name}: {other:?}"),
            }
            shown
        }};
        ($tree:ident, $outage:expr, $words:expr) => { check!($tree(), "flaky", $outage, $words) };
    }
    let (survived, unlimited) = (Some(Outage::Survived), "no restart limit");
    check!(Plain, exactly(5_110), "at most 10 restarts in 60s: Plain fails after 5.11s of outage");
    check!(PlainTask, exactly(5_120), "at most 10 restarts in 60s: PlainTask fails after 5.12s of outage");
    check!(NoLine, survived, unlimited);
    check!(Line, exactly(26_300), "at most 10 restarts in 60s: Line fails after 26.3s of outage");
    check!(Pace, exactly(26_300), "at most 10 restarts in 60s: Pace fails after 26.3s of outage");
    check!(OwnLimit, exactly(22_000), "at most 4 restarts in 60s: it ends after 22s of outage");
    check!(OwnNumber, exactly(10), "at most 2 restarts in 3600s: it ends after 10ms of outage");
    check!(Freed, survived, unlimited);
    check!(NeverTwice, exactly(0), "no restarts: NeverTwice fails at its first failure");
    check!(SharedBudget, exactly(700), "at most 3 restarts of all together: SharedBudget fails after 700ms of outage");
    let together = "at most 10 restarts in 60s of all together";
    check!(All, exactly(26_300), format!("{together}: All fails after 26.3s of outage"));
    check!(AllBackOff, survived, unlimited);
    check!(AllWithASet, exactly(26_300), format!("{together}: AllWithASet fails after 26.3s of outage"));
    check!(Rest, exactly(300), "at most 2 restarts of all together: it ends, and all after it, after 300ms of outage");
    let jitter = Some(Outage::UsesUp { least: ms(3_100), most: Some(ms(3_720)) });
    check!(Jitter, jitter, "at most 5 restarts in 60s: Jitter fails after 3.1s to 3.72s of outage");
    check!(Patient, survived, "at most 10 restarts in 3600s, which no outage uses up");
    check!(Nested(), "inner/flaky", exactly(300), "at most 2 restarts in 60s: inner fails after 300ms of outage");
    check!(Set(), "flaky/flaky", exactly(300), "at most 2 restarts: it ends after 300ms of outage");

    // The declaration does not know the value of an expression. The live tree does.
    let computed = "a restart limit that the start computes";
    assert_eq!(Some(check!(Computed(3), "flaky", None, computed)), exactly(700));
    let then = "at most 5 restarts in 60s: then";
    let delay = check!(ComputedDelay(ms(200)), "flaky", None, format!("{then} ComputedDelay fails"));
    assert_eq!(Some(delay), exactly(6_200));
    let slots = check!(Slots(Backoff::slotted(ms(10))), "flaky", None, format!("{then} Slots fails"));
    assert_eq!(slots, Outage::UsesUp { least: ms(5), most: None });
}

/// S15: a set shows the limit of its instances, on which the strategy of the tree has no influence. A `Temporary`
/// child is never restarted, and has none.
#[test]
fn the_limit_of_a_set_is_that_of_its_instances() {
    let [flaky, others, once] = Set::SPEC.children else { panic!("three") };
    assert!(matches!(flaky.limit, DeclaredLimit::AtMost { restarts: 2, within: None, on_limit: OnLimit::Stop, .. }));
    assert!(matches!(others.limit, DeclaredLimit::AtMost { restarts: 10, on_limit: OnLimit::Stop, .. }));
    assert_eq!(once.limit, DeclaredLimit::Never);
    assert!(!Set::SPEC.render().lines().last().unwrap().contains("restart"));
}

/// S15: the snapshot shows which restarts count together, and what follows at the limit.
#[tokio::test(start_paused = true)]
async fn a_snapshot_shows_what_follows_at_the_limit() {
    let shared = SharedBudget::start(World::default()).await.unwrap();
    let own = OwnLimit::start(World::default()).await.unwrap();
    let of = |tree: &TreeRef| tree.snapshot().find("flaky").unwrap().restarts.unwrap();
    let (shared, own) = (of(&shared), of(&own));
    assert_eq!((shared.shared, shared.on_limit), (true, OnLimit::Escalate));
    assert_eq!((own.shared, own.on_limit), (false, OnLimit::Stop));
    #[cfg(feature = "serde")]
    {
        let json =
            |tree: &TreeRef| serde_json::to_value(tree.snapshot()).unwrap()["root"]["children"][0]["restarts"].clone();
        let tree = Jitter::start(World::default()).await.unwrap();
        let restarts = json(&tree);
        assert_eq!(restarts["shared"], false);
        assert_eq!(restarts["on_limit"], "escalate");
        assert_eq!((&restarts["outage_ms"], &restarts["outage_most_ms"]), (&3_100.into(), &3_720.into()));
        let none = json(&NoLine::start(World::default()).await.unwrap());
        assert!(none.get("outage_ms").is_none() && none.get("on_limit").is_none(), "{none}");
    }
}

/// Returns the field `limit` of the first line about a restart.
async fn logged(_tree: &TreeRef) -> String {
    let log = Log::default();
    let _on = listen(log.clone());
    tokio::time::sleep(secs(60)).await;
    let lines = log.take(Level::WARN);
    let limits: Vec<_> = lines.iter().filter_map(|line| Some(line.split_once(" limit=")?.1.to_owned())).collect();
    assert!(lines.iter().any(|line| line.contains("failed again; restarting")), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains("failed again") || !line.contains(" limit=")), "{lines:#?}");
    limits[0].clone()
}

/// S40: the first line of a streak says how long the outage may last, and what ends then: the tree, if its root fails.
#[tokio::test(start_paused = true)]
async fn the_first_line_of_a_streak_says_what_the_outage_ends() {
    let world = World::default;
    let plain = Plain::start(world()).await.unwrap();
    assert_eq!(logged(&plain).await, r#""at most 10 restarts in 60s: the tree ends after 5.11s of outage""#);
    let free = NoLine::start(world()).await.unwrap();
    assert_eq!(logged(&free).await, r#""no restart limit""#);
    let nested = Nested::start(world()).await.unwrap();
    let inner = r#""at most 2 restarts in 60s: inner fails after 300ms of outage""#;
    assert_eq!(logged(&nested).await, inner);
    let own = OwnLimit::start(world()).await.unwrap();
    assert_eq!(logged(&own).await, r#""at most 4 restarts in 60s: it ends after 22s of outage""#);
    let all = Rest::start(world()).await.unwrap();
    let rest = r#""at most 2 restarts of all together: it ends, and all after it, after 300ms of outage""#;
    assert_eq!(logged(&all).await, rest);
}
