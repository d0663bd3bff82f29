//! A router of events: sources take events in, transforms change them, and sinks bring them to where they belong. Which
//! of them there are, and who gives to whom, is in a configuration.
//!
//! Requirements:
//! * The router is done when all of its sources have ended, and not before: what they have emitted is delivered then.
//! * At a stop the sources stop reading, everything that is under way is delivered, and there is one time for all of
//!   that, 60 s. What is not through then is cut off, and named.
//! * A component that fails ends the router, after the others have delivered what they have.
//! * A configuration that cannot be built fails the start, and leaves nothing behind. A configuration
//!   that cannot be built while the router runs changes nothing.
//! * A source that is removed or changed while the router runs loses no event.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::error::KeyedError;
use supervise::prelude::*;
use supervise::{Task, TaskRef};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::common::{ms, pass, secs, settle, soon};

// The work: stand-ins.

type Name = &'static str;
type Event = u32;

#[derive(Debug, thiserror::Error)]
enum RouteError {
    #[error("there is no {0} to give to")]
    Unknown(Name),
    #[error("nobody takes events any more")]
    Closed,
    #[error("the event is refused")]
    Refused,
    #[error("the input is torn")]
    Torn,
    #[error(transparent)]
    Start(#[from] KeyedError<TaskRef>),
}

/// Emits `count` events, one after `pace` has passed, and fails after them if it is `torn`.
#[derive(Clone, Debug, PartialEq)]
struct Feed {
    count: u32,
    pace: Duration,
    torn: bool,
    to: Name,
}

/// The components by their names.
#[derive(Clone, Default)]
struct Config {
    sources: BTreeMap<Name, Feed>,
    /// Each with the sinks that it gives to.
    transforms: BTreeMap<Name, Vec<Name>>,
    /// Each with the time that a delivery takes.
    sinks: BTreeMap<Name, Duration>,
}

/// The places of delivery.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Outside>>);

#[derive(Default)]
struct Outside {
    emitted: u32,
    delivered: HashMap<Name, Vec<Event>>,
    refuses: Option<Name>,
}

impl World {
    fn with<T>(&self, f: impl FnOnce(&mut Outside) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    /// An error if this component refuses.
    fn check(&self, name: Name) -> Result<(), RouteError> {
        if self.with(|outside| outside.refuses == Some(name)) { Err(RouteError::Refused) } else { Ok(()) }
    }

    fn emitted(&self) -> u32 {
        self.with(|outside| outside.emitted)
    }

    fn delivered(&self, sink: Name) -> u32 {
        self.with(|outside| outside.delivered.get(sink).map_or(0, Vec::len) as u32)
    }
}

async fn source(cx: TaskContext, feed: Feed, to: mpsc::Sender<Event>, world: World) -> Result<(), RouteError> {
    for event in 0..feed.count {
        tokio::select! {
            _ = cx.stopped() => return Ok(()),
            () = tokio::time::sleep(feed.pace) => {}
        }
        to.send(event).await.map_err(|_| RouteError::Closed)?;
        world.with(|outside| outside.emitted += 1);
    }
    if feed.torn { Err(RouteError::Torn) } else { Ok(()) }
}

/// Ends when nobody gives it events any more.
async fn transform(
    name: Name,
    mut events: mpsc::Receiver<Event>,
    to: Vec<mpsc::Sender<Event>>,
    world: World,
) -> Result<(), RouteError> {
    while let Some(event) = events.recv().await {
        world.check(name)?;
        for sink in &to {
            sink.send(event * 2).await.map_err(|_| RouteError::Closed)?;
        }
    }
    Ok(())
}

/// Ends when nobody gives it events any more.
async fn sink(name: Name, pace: Duration, mut events: mpsc::Receiver<Event>, world: World) -> Result<(), RouteError> {
    while let Some(event) = events.recv().await {
        tokio::time::sleep(pace).await;
        world.check(name)?;
        world.with(|outside| outside.delivered.entry(name).or_default().push(event));
    }
    Ok(())
}

type Sinks = Keyed<Name, Task, (Duration, mpsc::Receiver<Event>)>;
type Transforms = Keyed<Name, Task, (mpsc::Receiver<Event>, Vec<mpsc::Sender<Event>>)>;
type Sources = Keyed<Name, Task, (Feed, mpsc::Sender<Event>)>;

/// The inputs of the transforms, by their names.
type Inputs = HashMap<Name, mpsc::Sender<Event>>;

/// Starts sinks and transforms.
async fn build(config: Config, sinks: Sinks, transforms: Transforms) -> Result<Inputs, RouteError> {
    let (mut places, mut inputs) = (HashMap::new(), HashMap::new());
    for (name, pace) in config.sinks {
        let (to, events) = mpsc::channel(10);
        sinks.spawn(name, pace, events).await?;
        places.insert(name, to);
    }
    for (name, to) in config.transforms {
        let to: Result<Vec<_>, _> =
            to.into_iter().map(|sink| places.get(sink).cloned().ok_or(RouteError::Unknown(sink))).collect();
        let (input, events) = mpsc::channel(10);
        transforms.spawn(name, events, to?).await?;
        inputs.insert(name, input);
    }
    Ok(inputs)
}

/// Starts, changes and stops the sources. Its inputs are closed when it goes down.
struct Changes {
    now: BTreeMap<Name, Feed>,
    inputs: Inputs,
    sources: Sources,
}

#[actor]
impl Changes {
    async fn begin(config: Config, sinks: Sinks, transforms: Transforms, sources: Sources) -> Result<Self, RouteError> {
        let feeds = config.sources.clone();
        let inputs = build(config, sinks, transforms).await?;
        let mut changes = Changes { now: BTreeMap::new(), inputs, sources };
        changes.change(feeds).await?;
        Ok(changes)
    }

    #[message]
    async fn change(&mut self, feeds: BTreeMap<Name, Feed>) -> Result<(), RouteError> {
        if let Some(feed) = feeds.values().find(|feed| !self.inputs.contains_key(feed.to)) {
            return Err(RouteError::Unknown(feed.to));
        }
        for (name, feed) in &feeds {
            if self.now.get(name) != Some(feed) {
                self.sources.replace(name, feed.clone(), self.inputs[feed.to].clone()).await?;
            }
        }
        for name in self.now.keys().filter(|name| !feeds.contains_key(*name)) {
            self.sources.stop(name);
        }
        self.now = feeds;
        Ok(())
    }
}

supervisor! {
    /// The order is that of a drain, from the end: when the sources have stopped, transforms and sinks end by
    /// themselves, as soon as their inputs are empty and closed.
    struct Router(config: Config, world: World) {
        #![decider(_ => Escalate)]
        #![shutdown(60s)]

        #[lifecycle(Temporary, shutdown = Infinity)]
        #[decider(_ => Escalate)]
        sinks: [Name => task] = |name: Name, pace: Duration, events: mpsc::Receiver<Event>| |_cx| {
            sink(name, pace, events, world)
        },

        #[lifecycle(Temporary, shutdown = Infinity)]
        #[decider(_ => Escalate)]
        transforms: [Name => task] = |name: Name, events: mpsc::Receiver<Event>, to: Vec<mpsc::Sender<Event>>| |_cx| {
            transform(name, events, to, world)
        },

        #[lifecycle(Temporary, significant, shutdown = Infinity)]
        #[decider(_ => Escalate)]
        sources: [Name => task] = |_name: Name, feed: Feed, to: mpsc::Sender<Event>| |cx| source(cx, feed, to, world),

        changes: Changes = Changes::begin(config, sinks, transforms, sources).await?,
    }
}

fn feed(count: u32, pace: Duration) -> Feed {
    Feed { count, pace, torn: false, to: "parse" }
}

/// Two sources, a transform and two sinks.
fn config() -> Config {
    Config {
        sources: BTreeMap::from([("files", feed(100, ms(10))), ("journal", feed(50, ms(100)))]),
        transforms: BTreeMap::from([("parse", vec!["archive", "search"])]),
        sinks: BTreeMap::from([("archive", ms(1)), ("search", ms(20))]),
    }
}

async fn router(config: Config) -> (Running<Router>, World) {
    let world = World::default();
    (Router::start(config, world.clone()).await.unwrap(), world)
}

/// S22: the router is done when the last source has ended, with all of its events delivered.
#[tokio::test(start_paused = true)]
async fn the_router_is_done_when_all_sources_have_ended() {
    let (router, world) = router(config()).await;
    let begin = Instant::now();
    soon(router.sources.get("files").unwrap().terminated()).await.unwrap();
    assert!(router.is_alive() && begin.elapsed() < secs(4));
    let report = soon(router.join()).await;
    assert!(matches!(report.ended, Ended::Done) && report.is_orderly(), "{report}");
    assert_eq!((world.emitted(), world.delivered("archive"), world.delivered("search")), (150, 150, 150));
    assert!(begin.elapsed() >= secs(5) && begin.elapsed() < secs(6), "{:?}", begin.elapsed());
}

/// S24: at a stop the sources stop at once, and everything that was emitted is delivered.
#[tokio::test(start_paused = true)]
async fn a_stop_delivers_what_was_emitted() {
    let (router, world) = router(config()).await;
    pass(ms(505)).await;
    let report = router.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    let emitted = world.emitted();
    assert!((20..60).contains(&emitted), "{emitted}");
    assert_eq!((world.delivered("archive"), world.delivered("search")), (emitted, emitted));
}

/// S44: the drain has one time for all, also where the router ends by itself: what hangs is cut off and named.
#[tokio::test(start_paused = true)]
async fn a_drain_takes_a_minute_at_most() {
    for ends_by_itself in [false, true] {
        let mut config = config();
        config.sinks.insert("search", secs(3600));
        config.sources = BTreeMap::from([("files", feed(if ends_by_itself { 3 } else { 100 }, ms(10)))]);
        let (router, world) = router(config).await;
        pass(ms(25)).await;
        let begin = Instant::now();
        let report = if ends_by_itself { soon(router.join()).await } else { router.shutdown().await };
        let took = begin.elapsed();
        assert!(took >= secs(60) && took < ms(60_010), "{took:?}");
        let cut: Vec<_> = report.children.iter().filter(|child| child.aborted).map(|child| &*child.path).collect();
        assert_eq!(cut, ["sinks/search", "sinks"], "{report}");
        assert_eq!(world.delivered("archive"), world.emitted(), "the other sink has delivered all");
    }
}

/// S8, S23: a component that fails ends the router with its failure, after the others have delivered what they have.
#[tokio::test(start_paused = true)]
async fn a_component_that_fails_drains_the_rest() {
    // A source.
    let mut torn = config();
    torn.sources.get_mut("files").unwrap().torn = true;
    let (tree, world) = router(torn).await;
    let report = soon(tree.join()).await;
    let failure = report.ended.failure().expect("the router has failed");
    assert!(matches!(failure.find(), Some(RouteError::Torn)), "{report}");
    assert!(report.to_string().contains("sources/files"), "{report}");
    assert_eq!((world.delivered("archive"), world.delivered("search")), (world.emitted(), world.emitted()));
    assert!(world.emitted() > 100);

    // A sink.
    let (tree, world) = router(config()).await;
    pass(ms(505)).await;
    world.with(|outside| outside.refuses = Some("search"));
    let report = soon(tree.join()).await;
    assert!(matches!(report.ended.failure().and_then(Failure::find), Some(RouteError::Refused)), "{report}");
    assert!(world.delivered("archive") > world.delivered("search"));

    // A transform.
    let (tree, world) = router(config()).await;
    pass(ms(505)).await;
    world.with(|outside| outside.refuses = Some("parse"));
    let report = soon(tree.join()).await;
    assert!(matches!(report.ended.failure().and_then(Failure::find), Some(RouteError::Refused)), "{report}");
    assert_eq!(world.delivered("archive"), world.delivered("search"));
}

/// S21: a configuration that names what is not there fails the start, and nothing of it is left.
#[tokio::test(start_paused = true)]
async fn a_configuration_that_cannot_be_built_does_not_start() {
    let mut config = config();
    config.sources.get_mut("journal").unwrap().to = "nowhere";
    let world = World::default();
    let failure = Router::start(config, world.clone()).await.expect_err("nobody takes the journal");
    assert!(matches!(failure.find(), Some(RouteError::Unknown("nowhere"))), "{failure}");
    pass(secs(60)).await;
    assert_eq!(world.emitted(), 0);
}

/// S27: sources are changed and removed while the router runs: every event that was emitted is delivered. What cannot
/// be built changes nothing.
#[tokio::test(start_paused = true)]
async fn sources_are_changed_while_the_router_runs() {
    let (router, world) = router(config()).await;
    pass(ms(305)).await;
    let journal = router.sources.get("journal").unwrap();
    let wrong = BTreeMap::from([("files", Feed { to: "nowhere", ..feed(5, ms(10)) })]);
    assert!(router.changes.change(wrong).await.unwrap().is_err());
    assert_eq!(router.sources.keys().len(), 2);

    let other = BTreeMap::from([("files", feed(100, ms(50)))]);
    router.changes.change(other).await.unwrap().unwrap();
    settle().await;
    assert!(matches!(journal.ended(), Some(Ended::Stopped)), "{:?}", journal.ended());
    assert_eq!(router.sources.keys(), ["files"]);
    let begin = Instant::now();
    let report = soon(router.join()).await;
    assert!(matches!(report.ended, Ended::Done), "{report}");
    assert!(begin.elapsed() > secs(4));
    assert_eq!((world.delivered("archive"), world.delivered("search")), (world.emitted(), world.emitted()));
}
