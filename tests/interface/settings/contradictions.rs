//! Contradictory settings that are not literals: C4, C5, C6 and C12 at a start.

use std::time::Duration;

use supervise::NewChild;
use supervise::error::{InvalidSettings, SpawnError};
use supervise::expansion::new_child;
use supervise::policy::ChildOptions;
use supervise::policy::{BudgetScope, Mailbox, MaxRestarts, OnLimit, RestartLimit, ShutdownTimeout, WhileDown};
use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, ms, secs, seen, soon};

use InvalidSettings::*;

/// The values of a configuration.
#[derive(Clone, Default)]
struct Config {
    journal: Journal,
    delays: Option<(Duration, Duration)>,
    factor: Option<f64>,
    share: Option<f64>,
    reset: Option<Duration>,
    places: Option<usize>,
    most: Option<usize>,
    attempts: Option<u32>,
    restarts: Option<u32>,
    within: Option<Duration>,
    shutdown: Option<Duration>,
    patience: Option<Duration>,
    ask: Option<Duration>,
}

supervisor! {
    struct App(config: Config) {
        first: Probe = Probe::start("first", config.journal.clone()).await?,

        #[backoff(
            config.delays.map_or(secs(3), |(min, _)| min)..config.delays.map_or(secs(30), |(_, max)| max),
            factor = config.factor.unwrap_or(2.0),
            random_factor = config.share.unwrap_or(0.2),
            reset = config.reset.unwrap_or(secs(10))
        )]
        #[limit(max_restarts = config.restarts.unwrap_or(3), within = config.within.unwrap_or(1h))]
        #[mailbox(Bounded(config.places.unwrap_or(8)), ask = config.ask.unwrap_or(1s))]
        #[redeliver(attempts = config.attempts.unwrap_or(1))]
        db: Probe = Probe::start("db", config.journal.clone()).await?,

        #[max_children(config.most.unwrap_or(8))]
        #[lifecycle(start = config.patience.unwrap_or(1s))]
        sessions: [Probe] = || Probe::start("session", config.journal.clone()).await?,

        #[lifecycle(Permanent, shutdown = config.shutdown.unwrap_or(1min))]
        reports: struct Reports {
            daily: Probe = Probe::start("daily", config.journal.clone()).await?,
            below: struct Below {
                index: [Probe; 2] = |_i: usize| Probe::start("index", config.journal.clone()).await?,
            },
        },
    }

    struct Group(journal: Journal, restarts: u32, within: Duration, slow: Duration) {
        #![strategy(AllForOne, max_restarts = restarts, within = within)]
        #[backoff(1s..slow, reset = 1min)]
        db: Probe = Probe::start("db", journal).await?,
        #[backoff(1s..slow, reset = 1min)]
        cart: Probe = Probe::start("cart", journal).await?,
    }

    struct Elements(journal: Journal, restarts: u32, within: Duration, slow: Duration) {
        #![strategy(AllForOne, max_restarts = restarts, within = within)]
        #[backoff(1s..slow, reset = 1min)]
        shards: [Probe; 2] = |_i: usize| Probe::start("shard", journal).await?,
    }

    struct Paced(journal: Journal, within: Duration) {
        #![strategy(OneForOne, max_restarts = 100, within = within)]
        db: Probe = Probe::start("db", journal).await?,
    }
}

/// The path of the failure, and the contradiction.
fn of(failure: &Failure) -> (String, InvalidSettings) {
    let what = failure.error::<InvalidSettings>().unwrap_or_else(|| panic!("not a contradiction: {failure}"));
    (failure.path().to_owned(), *what)
}

async fn refused(config: Config) -> (String, InvalidSettings) {
    let journal = config.journal.clone();
    let failure = App::start(config).await.expect_err("the start should fail");
    let lines = journal.take();
    let count = |line: &str| lines.iter().filter(|l| *l == line).count();
    assert_eq!((count("first start"), count("first post_stop")), (1, 1), "the children that were up are down again");
    of(&failure)
}

fn noted(_: &mut Probe) {}

/// S21: a list of delays that is computed is refused if it is empty, has a delay of zero, or gets shorter.
#[tokio::test(start_paused = true)]
async fn a_computed_list_of_delays_that_makes_no_sense_is_the_error_of_the_start() {
    supervisor! {
        struct Listed(journal: Journal, delays: Vec<Duration>, second: Duration, share: f64) {
            first: Probe = Probe::start("first", journal).await?,
            #[backoff(Backoff::steps(delays).random_factor(share))]
            all: Probe = Probe::start("all", journal).await?,
            #[backoff([2s, second, 5s], random_factor = share)]
            one: Probe = Probe::start("one", journal).await?,
        }
    }
    let start = async |delays: &[u64], second: u64, share: f64| {
        let delays = delays.iter().copied().map(secs).collect();
        soon(Listed::start(Journal::default(), delays, secs(second), share)).await.map(drop)
    };
    start(&[2, 2, 3], 5, 0.0).await.unwrap();
    for (delays, second, share, path, what) in [
        (&[][..], 2, 0.2, "all", NoDelays),
        (&[0, 1], 2, 0.2, "all", NoTime("backoff")),
        (&[5, 9, 3, 1], 2, 0.2, "all", ShorterDelay { to: secs(3), from: secs(9) }),
        (&[1], 0, 0.2, "one", NoTime("backoff")),
        (&[1], 1, 0.2, "one", ShorterDelay { to: secs(1), from: secs(2) }),
        (&[1], 6, 0.2, "one", ShorterDelay { to: secs(5), from: secs(6) }),
        (&[1], 2, 1.2, "all", RandomFactor(1.2)),
    ] {
        assert_eq!(of(&start(delays, second, share).await.unwrap_err()), (path.to_owned(), what));
    }
    let listed = child! {
        #[backoff(Backoff::steps([]))]
        "listed": Probe = Probe::start("listed", Journal::default()).await?
    };
    let refused = soon(spawn(listed)).await;
    assert!(matches!(refused, Err(SpawnError::InvalidSettings { what: NoDelays, .. })), "{refused:?}");
}

/// C4 to C6, C12: these settings do not contradict each other.
#[tokio::test(start_paused = true)]
async fn what_does_not_contradict_itself_starts() {
    App::start(Config::default()).await.unwrap().shutdown().await;
    let all = Config { delays: Some((secs(3), secs(3))), share: Some(1.0), factor: Some(1.0), ..Config::default() };
    App::start(all).await.unwrap().shutdown().await;
}

/// S21, C5: the children that were up are taken down again.
#[tokio::test(start_paused = true)]
async fn a_computed_backoff_that_contradicts_itself_is_the_error_of_the_start() {
    let (min, max) = (secs(30), secs(3));
    let (path, what) = refused(Config { delays: Some((min, max)), ..Config::default() }).await;
    assert_eq!((&*path, what), ("db", EmptyRange { min, max }));
    let (_, what) = refused(Config { share: Some(1.5), ..Config::default() }).await;
    assert_eq!(what, RandomFactor(1.5));
    let (_, what) = refused(Config { factor: Some(0.5), ..Config::default() }).await;
    assert_eq!(what, Factor(0.5));
    let (_, what) = refused(Config { reset: Some(secs(2)), ..Config::default() }).await;
    assert_eq!(what, ResetTooEarly { after: secs(2), min: secs(3) });
}

/// C5: NaN is neither a factor nor a share.
#[tokio::test(start_paused = true)]
async fn what_is_not_a_number_is_no_factor() {
    let (_, what) = refused(Config { share: Some(f64::NAN), ..Config::default() }).await;
    assert!(matches!(what, RandomFactor(_)));
    let (_, what) = refused(Config { factor: Some(f64::NAN), ..Config::default() }).await;
    assert!(matches!(what, Factor(_)));
}

/// C3: a duration of zero is an error, as it is for a literal.
#[tokio::test(start_paused = true)]
async fn no_time_at_all_is_the_error_of_the_start() {
    let zero = Duration::ZERO;
    for (config, path, setting) in [
        (Config { delays: Some((zero, secs(3))), ..Config::default() }, "db", "backoff"),
        (Config { within: Some(zero), ..Config::default() }, "db", "within"),
        (Config { shutdown: Some(zero), ..Config::default() }, "reports", "shutdown"),
        (Config { patience: Some(zero), ..Config::default() }, "sessions", "start"),
        (Config { ask: Some(zero), ..Config::default() }, "db", "ask"),
    ] {
        assert_eq!(refused(config).await, (path.to_owned(), NoTime(setting)));
    }
    let what = of(&Paced::start(Journal::default(), zero).await.expect_err("the start should fail")).1;
    assert_eq!(what, NoTime("within"));
}

/// C4: for example a set of at most 0 children.
#[tokio::test(start_paused = true)]
async fn computed_settings_that_would_do_nothing_are_the_error_of_the_start() {
    let (path, what) = refused(Config { places: Some(0), ..Config::default() }).await;
    assert_eq!((&*path, what), ("db", NoPlaces));
    let (_, what) = refused(Config { attempts: Some(0), ..Config::default() }).await;
    assert_eq!(what, NoAttempts);
    let (path, what) = refused(Config { most: Some(0), ..Config::default() }).await;
    assert_eq!((&*path, what), ("sessions", NoChildren));
}

/// S15: a computed limit may be 0 beside a backoff; then the child is never restarted.
#[tokio::test(start_paused = true)]
async fn a_computed_limit_of_no_restarts_may_stand_beside_a_backoff() {
    let app = App::start(Config { restarts: Some(0), ..Config::default() }).await.unwrap();
    app.db.tell(Do::Fail(Boom::Planned)).await.unwrap();
    let report = soon(app.join()).await;
    let text = "db failed while running: Planned, and no restart is allowed";
    assert!(matches!(&report.ended, Ended::Limit(failure) if failure.to_string() == text), "{report}");
}

/// C6
#[tokio::test(start_paused = true)]
async fn a_computed_limit_that_is_never_reached_is_the_error_of_the_start() {
    let (path, what) = refused(Config { within: Some(secs(21)), ..Config::default() }).await;
    let least = secs(3 + 6 + 12);
    assert_eq!((&*path, what), ("db", NeverReached { failures: 4, least, within: least }));
    App::start(Config { within: Some(ms(21_001)), ..Config::default() }).await.unwrap().shutdown().await;

    // The first restart is immediate, and the others are 10 ms apart.
    let (path, what) = of(&Paced::start(Journal::default(), ms(990)).await.expect_err("the start should fail"));
    assert_eq!((&*path, what), ("db", NeverReached { failures: 101, least: ms(990), within: ms(990) }));
    Paced::start(Journal::default(), ms(991)).await.unwrap().shutdown().await;
}

/// C6, S28: in a group all failures count together, and each element of an array is a member.
#[tokio::test(start_paused = true)]
async fn a_group_with_an_unreachable_limit_does_not_start() {
    let group = |within| Group::start(Journal::default(), 4, within, secs(8));
    let (path, what) = of(&group(secs(6)).await.expect_err("the start should fail"));
    let least = secs(1 + 1 + 2 + 2);
    assert_eq!((&*path, what), ("Group", NeverReached { failures: 5, least, within: secs(6) }));
    group(secs(7)).await.unwrap().shutdown().await;

    let elements = |within| Elements::start(Journal::default(), 4, within, secs(8));
    let (path, what) = of(&elements(secs(6)).await.expect_err("the start should fail"));
    assert_eq!((&*path, what), ("Elements", NeverReached { failures: 5, least, within: secs(6) }));
    elements(secs(7)).await.unwrap().shutdown().await;
}

/// C12: the children need 5 s for one child, and 5 s for each of the two below.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_has_too_little_time_to_stop_does_not_start() {
    let given = secs(14);
    let (path, what) = refused(Config { shutdown: Some(given), ..Config::default() }).await;
    assert_eq!((&*path, what), ("reports", ShutdownTooShort { need: secs(15), given }));
    App::start(Config { shutdown: Some(secs(15)), ..Config::default() }).await.unwrap().shutdown().await;
}

supervisor! {
    struct Shelf(given: Duration, below: Duration) {
        #[lifecycle(Permanent, shutdown = given)]
        first: Probe = Probe::start("first", Journal::default()).await?,
        #[lifecycle(Permanent, shutdown = below)]
        books: struct Books {
            second: Probe = Probe::start("second", Journal::default()).await?,
        },
    }
}

/// A tree whose children need `first`, and `below` for those below, of which there has to be at least 5 s.
fn shelf(shutdown: Duration, first: Duration, below: Duration) -> NewChild<Shelf> {
    child! {
        #[lifecycle(Transient, shutdown = shutdown)]
        "shelf": Shelf = Shelf::tree(first, below)
    }
}

/// Spawns a shelf.
struct Library;

type Spawned = Result<Shelf, SpawnError>;

#[actor]
impl Library {
    async fn handle(&mut self, (shelf, reply): (NewChild<Shelf>, Reply<Spawned>), cx: &mut Context<Self>) {
        reply.send(cx.spawn(shelf).await);
    }
}

fn refused_shelf(spawned: Spawned) -> (String, InvalidSettings, String) {
    let Err(SpawnError::Start(failure)) = spawned else { panic!("the start should fail: {spawned:?}") };
    let text = failure.to_string();
    let (path, what) = of(&failure);
    (path, what, text)
}

/// S38, S39, C12: a tree that `child!` spawns has at least the time that its children need. Both its own time and those
/// of its children may be known only at the start, which then fails with the path of the tree.
#[tokio::test(start_paused = true)]
async fn a_spawned_tree_that_has_too_little_time_to_stop_does_not_start() {
    let too_short = ShutdownTooShort { need: secs(12), given: secs(11) };
    let text =
        "the children may take 12s to stop, and `shutdown` gives them 11s; give at least 12s, or remove `shutdown`";

    let (path, what, said) = refused_shelf(spawn(shelf(secs(11), secs(7), secs(5))).await);
    assert_eq!((&*path, &what), ("shelf", &too_short));
    assert!(said.contains("shelf") && said.contains(text), "{said}");

    let library = spawn(child! { "library": Library = Library }).await.unwrap();
    let ask = |shelf| library.ask(|reply| (shelf, reply));
    let (path, what, said) = refused_shelf(ask(shelf(secs(11), secs(7), secs(5))).await.unwrap());
    assert_eq!((&*path, &what), ("library/shelf", &too_short));
    assert!(said.contains("library/shelf") && said.contains(text), "{said}");

    // Here `books`, the subtree below the shelf, has too little time for its own child.
    let (path, what, _) = refused_shelf(ask(shelf(secs(11), secs(7), secs(4))).await.unwrap());
    assert_eq!((&*path, what), ("library/shelf/books", ShutdownTooShort { need: secs(5), given: secs(4) }));

    // A refused spawn leaves nothing: the name is free.
    let kept = ask(shelf(secs(12), secs(7), secs(5))).await.unwrap().unwrap();
    assert_eq!((library.is_alive(), kept.path()), (true, "library/shelf".to_owned()));
    assert!(library.shutdown().await.is_ok());
    assert!(kept.ended().is_some());
}

/// C4
#[tokio::test(start_paused = true)]
async fn sets_that_are_empty_or_too_full_do_not_start() {
    const NONE: usize = 0;
    supervisor! {
        struct Row(journal: Journal) {
            shards: [Probe; NONE] = |_i: usize| Probe::start("shard", journal).await?,
        }
        struct Full(journal: Journal, names: Vec<u32>) {
            #[max_children(2)]
            #[initial(names.clone())]
            workers: [Probe] = |n: u32| Probe::start(format!("worker{n}"), journal).await?,
        }
    }
    let what = of(&Row::start(Journal::default()).await.expect_err("the start should fail"));
    assert_eq!(what, ("shards".to_owned(), EmptyArray));
    let what = of(&Full::start(Journal::default(), vec![1, 2, 3]).await.expect_err("the start should fail"));
    assert_eq!(what, ("workers".to_owned(), TooManyInitial { initial: 3, most: 2 }));
    Full::start(Journal::default(), vec![1, 2]).await.unwrap().shutdown().await;
}

/// C4
#[tokio::test(start_paused = true)]
async fn limits_of_starts_that_have_no_effect_do_not_start() {
    supervisor! {
        struct Starts(journal: Journal, starting: usize) {
            #[max_children(2)]
            #[max_starting(starting)]
            workers: [Probe] = |n: u32| Probe::start(format!("worker{n}"), journal).await?,
        }
    }
    for (starting, what) in [(0, NoStarts), (2, StartsNotLimited { starting: 2, most: 2 })] {
        let refused = of(&Starts::start(Journal::default(), starting).await.expect_err("the start should fail"));
        assert_eq!(refused, ("workers".to_owned(), what));
    }
    Starts::start(Journal::default(), 1).await.unwrap().shutdown().await;
}

/// C4, S27: a key in `initial` has one instance, so a second child with it would be lost.
#[tokio::test(start_paused = true)]
async fn a_key_that_initial_gives_twice_does_not_start() {
    supervisor! {
        struct Rooms(journal: Journal, given: Vec<(String, u32)>) {
            #[initial(given)]
            rooms: [String => Probe] = |room: String, seats: u32| Probe::start(format!("{room}: {seats}"), journal).await?,
        }
    }
    let given = |names: &[&str]| (1..).zip(names).map(|(seats, name)| (name.to_string(), seats)).collect::<Vec<_>>();
    let journal = Journal::default();
    let twice = Rooms::start(journal.clone(), given(&["lobby", "attic", "lobby"])).await;
    let what = of(&twice.expect_err("the start should fail"));
    assert_eq!(what, ("rooms".to_owned(), InitialKeyTwice { first: 1, second: 3 }));
    assert!(journal.take().is_empty(), "no instance has been started");
    Rooms::start(journal, given(&["lobby", "attic"])).await.unwrap().shutdown().await;
}

/// C12: an optional child that does not exist takes no time.
#[tokio::test(start_paused = true)]
async fn what_is_not_there_needs_no_time_to_stop() {
    supervisor! {
        struct Maybe(journal: Journal, there: bool, given: Duration) {
            #[lifecycle(Permanent, shutdown = given)]
            reports: struct Both {
                one: Probe = Probe::start("one", journal).await?,
                two: Option<Probe> = if there { Some(Probe::start("two", journal).await?) } else { None },
            },
        }
    }
    let given = secs(5);
    let what = of(&Maybe::start(Journal::default(), true, given).await.expect_err("the start should fail"));
    assert_eq!(what, ("reports".to_owned(), ShutdownTooShort { need: secs(10), given }));
    Maybe::start(Journal::default(), false, given).await.unwrap().shutdown().await;
}

/// C12: a task without a context is dropped at its next await, so it takes no time. The check of literals agrees.
#[tokio::test(start_paused = true)]
async fn a_task_without_a_context_needs_no_time_to_stop() {
    supervisor! {
        struct Beats(given: Duration) {
            #[lifecycle(Permanent, shutdown = given)]
            computed: struct Computed {
                beat: task = std::future::pending::<()>(),
                beats: [task; 2] = |_i: usize| std::future::pending::<()>(),
            },
            #[lifecycle(Permanent, shutdown = 1ms)]
            literal: struct Literal {
                beat: task = std::future::pending::<()>(),
            },
        }
        struct Patient(given: Duration) {
            #[lifecycle(Permanent, shutdown = given)]
            computed: struct Waits {
                beat: task = |cx| cx.stopped(),
            },
        }
    }
    Beats::start(ms(1)).await.unwrap().shutdown().await;
    let what = of(&Patient::start(secs(4)).await.expect_err("the start should fail"));
    assert_eq!(what, ("computed".to_owned(), ShutdownTooShort { need: secs(5), given: secs(4) }));
}

/// S21, C12: another start would find the same contradiction, so the start is not retried, whatever the backoff and the
/// decider.
#[tokio::test(start_paused = true)]
async fn a_contradiction_is_not_tried_again() {
    supervisor! {
        struct Patient(journal: Journal, given: Duration) {
            #![decider(_ => Restart)]
            #[backoff(1s..2s)]
            #[lifecycle(Permanent, shutdown = given)]
            reports: struct Retried {
                one: Probe = Probe::start("one", journal).await?,
            },
        }
        struct Elsewhere(journal: Journal, given: Duration) {
            #[backoff(1s..2s)]
            below: Patient = Patient::tree(journal, given),
        }
    }
    let (journal, given) = (Journal::default(), secs(1));
    let failure = soon(Patient::start(journal.clone(), given)).await.expect_err("the start should fail");
    assert_eq!(of(&failure), ("reports".to_owned(), ShutdownTooShort { need: secs(5), given }));
    assert_eq!(journal.take().iter().filter(|line| *line == "one start").count(), 1);
    let mut elsewhere = Elsewhere::tree(Journal::default(), given);
    let mut events = elsewhere.events();
    let failure = soon(elsewhere.start()).await.expect_err("the start should fail");
    assert_eq!(of(&failure).0, "below/reports");
    let lines = seen(&mut events);
    assert!(lines.contains(&"below decided Stop".to_owned()), "whatever the decider says: {lines:?}");
}

/// S38, C4 to C6: the settings of a spawn are checked when it is awaited.
#[tokio::test(start_paused = true)]
async fn settings_of_a_spawn_that_contradict_each_other_are_its_error() {
    let probe = ChildOptions::<Probe>::new;
    let start = || async { Ok(Probe::start("db", Journal::default()).await?) };
    let most = |max| RestartLimit::new().max_restarts(MaxRestarts::AtMost(max));
    let slow = || Backoff::exponential(secs(3)..secs(30));
    let cases = [
        (probe().mailbox(Mailbox::Bounded(0)), NoPlaces),
        (probe().backoff(Backoff::slotted(Duration::ZERO)), NoTime("backoff")),
        (probe().backoff(Backoff::steps([secs(1)]).factor(2)), NotOfBackoff("factor")),
        (probe().backoff(Backoff::slotted(secs(1)).factor(2)), NotOfBackoff("factor")),
        (probe().backoff(Backoff::slotted(secs(1)).random_factor(0)), NotOfBackoff("random_factor")),
        (probe().backoff(Backoff::slotted(secs(1)).reset(secs(9))), NotOfBackoff("reset")),
        (probe().backoff(Backoff::slotted(secs(1)).manual_reset()), NotOfBackoff("manual_reset")),
        (probe().backoff(Backoff::steps([secs(1)]).ceiling(3)), NotOfBackoff("ceiling")),
        (probe().pace(Backoff::exponential(secs(1)..secs(9)).stay_at_ceiling()), NotOfBackoff("stay_at_ceiling")),
        (probe().start(Duration::ZERO), NoTime("start")),
        (probe().mailbox(Mailbox::Unbounded).backoff(slow()), UnboundedHold),
        (probe().redeliver(0), NoAttempts),
        (probe().lifecycle(Lifecycle::Permanent).significant(), SignificantPermanent),
        (probe().drain().shutdown(ShutdownTimeout::Kill), DrainWithoutTime),
        (probe().lifecycle(Lifecycle::Temporary).backoff(slow()), NeverRestarted("backoff")),
        (probe().lifecycle(Lifecycle::Temporary).limit(most(1)), NeverRestarted("limit")),
        (probe().lifecycle(Lifecycle::Temporary).redeliver(1), NeverRestarted("redeliver")),
        (probe().lifecycle(Lifecycle::Temporary).pre_restart(noted), NeverRestarted("pre_restart")),
        (probe().lifecycle(Lifecycle::Temporary).post_restart(noted), NeverRestarted("post_restart")),
        (probe().backoff(slow()).limit(RestartLimit::new().within(secs(1))), NoLimit("within")),
        (probe().backoff(slow()).limit(RestartLimit::new().on_limit(OnLimit::Stop)), NoLimit("on_limit")),
        (probe().limit(RestartLimit::new().max_restarts(MaxRestarts::Unlimited).within(secs(1))), NoLimit("within")),
        (probe().limit(most(101).within(secs(1))), NeverReached { failures: 102, least: secs(1), within: secs(1) }),
        (
            probe().limit(RestartLimit::new().within(ms(90))),
            NeverReached { failures: 11, least: ms(90), within: ms(90) },
        ),
    ];
    for (options, expected) in cases {
        match spawn(new_child("db".to_owned(), options, start)).await {
            Err(SpawnError::InvalidSettings { path, what }) => assert_eq!((&*path, what), ("db", expected)),
            other => panic!("{expected:?} was not seen: {other:?}"),
        }
    }
    // Slots have no smallest delay, and an unbounded mailbox may reject instead.
    let slots = probe().backoff(Backoff::slotted(secs(1))).limit(most(3).within(secs(1)));
    spawn(new_child("db".to_owned(), slots, start)).await.unwrap().stop();
    let rejects = probe().mailbox(Mailbox::Unbounded).while_down(WhileDown::Reject).backoff(slow());
    spawn(new_child("db".to_owned(), rejects, start)).await.unwrap().stop();
}

/// S15, S21: a computed limit that the children with one budget can never reach together, and a strategy that is given
/// as a value and contradicts itself.
#[tokio::test(start_paused = true)]
async fn a_shared_budget_that_makes_no_sense_is_an_error() {
    supervisor! {
        struct Slow(journal: Journal, within: Duration) {
            #![strategy(OneForOne, max_restarts = 4, within = within, budget = Shared)]
            #[backoff(1s..8s, reset = 1min)]
            a: Probe = Probe::start("a", journal).await?,
            #[backoff(1s..8s, reset = 1min)]
            b: Probe = Probe::start("b", journal).await?,
        }
        struct Parents(journal: Journal, strategy: SupervisorStrategy) {
            parent: Parent = Parent(journal, strategy, None),
        }
    }
    let failure = soon(Slow::start(Journal::default(), secs(6))).await.unwrap_err();
    assert_eq!(of(&failure).1, NeverReached { failures: 5, least: secs(6), within: secs(6) });
    let _slow = soon(Slow::start(Journal::default(), secs(7))).await.unwrap();

    /// Spawns a child, and keeps its error.
    struct Parent(Journal, SupervisorStrategy, Option<SpawnError>);
    #[actor]
    impl Parent {
        fn handle(&mut self, reply: Reply<Option<SpawnError>>) {
            reply.send(self.2.clone());
        }
        #[pre_start]
        async fn begin(&mut self, cx: &mut Context<Self>) {
            let journal = self.0.clone();
            self.2 = cx.spawn(child! { "child": Probe = Probe::start("child", journal).await? }).await.err();
        }
        #[supervision]
        fn strategy(&self) -> SupervisorStrategy {
            self.1.clone()
        }
    }
    let shared = |strategy| SupervisorStrategy::new(strategy).budget(BudgetScope::Shared);
    for (strategy, expected) in [
        (shared(Strategy::OneForOne), None),
        (shared(Strategy::AllForOne), Some(SharedInGroup(Strategy::AllForOne))),
        (shared(Strategy::OneForOne).on_limit(OnLimit::Stop), Some(StopAtSharedLimit)),
        (shared(Strategy::OneForOne).max_restarts(MaxRestarts::Unlimited), Some(NoLimit("budget"))),
    ] {
        let tree = Parents::start(Journal::default(), strategy).await.unwrap();
        let found = match soon(tree.parent.ask(|reply| reply)).await.unwrap() {
            Some(SpawnError::InvalidSettings { what, .. }) => Some(what),
            None => None,
            Some(other) => panic!("{other}"),
        };
        assert_eq!(found, expected);
    }
}
