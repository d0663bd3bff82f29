//! `let` among the children, and parameters: S30.

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, secs, settle};

/// A value whose creation and drop are recorded. It is not `Clone`.
struct Pool {
    name: &'static str,
    journal: Journal,
}

impl Pool {
    async fn open(name: &'static str, journal: Journal) -> Result<Pool, Boom> {
        journal.reach(format!("{name} open")).await?;
        Ok(Pool { name, journal })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.journal.write(format!("{} close", self.name));
    }
}

/// The pool as users would share it: each start has its own clone.
type Shared = std::sync::Arc<Pool>;

supervisor! {
    struct Shop(journal: Journal) {
        #![strategy(AllForOne)]
        before: Probe = Probe::start("before", journal).await?,
        let pool = Shared::new(Pool::open("pool", journal).await?);
        a: Probe = with(pool, "a", journal).await?,
        let (ms_of_grace, _unused): (u64, ()) = (a.ask(Do::Get).await? + 1_500, ());
        let grace = std::time::Duration::from_millis(ms_of_grace);
        let _alone = Pool::open("alone", journal).await?;
        #[lifecycle(Permanent, shutdown = grace)]
        b: Probe = with(pool, "b", journal).await?,
    }

    struct Above(journal: Journal) {
        #![decider(_ => Restart)]
        shop: Shop = Shop::tree(journal),
    }

    struct Holder(kept: std::sync::Arc<Pool>, journal: Journal) {
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = with(kept, "b", journal).await?,
    }
}

supervisor! {
    struct Conditional(journal: Journal) {
        #[cfg(any())]
        let source: Nothing = Nothing::at_all();
        #[cfg(all())]
        let source = Shared::new(Pool::open("source", journal).await?);
        #[cfg(any())]
        let (absent, source_name) = (Nothing::at_all(), "absent");
        #[cfg(all())]
        let (size, source_name) = (2_u64, source.name);
        let opened = source_name;
        reader: Probe = {
            #[cfg(any())]
            let size = absent.size();
            Probe::start(if size == 2 { opened } else { "wrong" }, journal).await?
        },
        below: struct Below {
            #[cfg(any())]
            let from: Nothing = absent;
            #[cfg(all())]
            let from = size;
            leaf: Probe = {
                #[cfg(any())]
                let _ = absent;
                Probe::start(if from == 2 { source_name } else { "wrong" }, journal).await?
            },
        },
    }
}

/// Uses the pool only during the start.
async fn with(pool: Shared, name: &'static str, journal: Journal) -> Result<Probe, Boom> {
    journal.write(format!("{name} uses {}", pool.name));
    Probe::start(name, journal).await
}

/// S30: each `let` is evaluated at its position, and can name the children and `let`s before it.
#[tokio::test(start_paused = true)]
async fn a_let_is_evaluated_in_its_place() {
    let journal = Journal::default();
    let _tree = Shop::start(journal.clone()).await.unwrap();
    assert_eq!(
        journal.take(),
        [
            "before start",
            "before pre_start",
            "pool open",
            "a uses pool",
            "a start",
            "a pre_start",
            "alone open",
            "b uses pool",
            "b start",
            "b pre_start",
        ]
    );
}

/// S30: `#[cfg]` above a `let` removes it. An expression may name it under the same `#[cfg]`, and two `let`s of which
/// one is there may have one name.
#[tokio::test(start_paused = true)]
async fn a_let_can_be_removed_by_cfg() {
    let journal = Journal::default();
    let tree = Conditional::start(journal.clone()).await.unwrap();
    assert_eq!((tree.reader.ask(Do::Get).await.unwrap(), tree.below.leaf.ask(Do::Get).await.unwrap()), (0, 0));
    let lines = journal.take();
    assert_eq!(lines[0], "source open");
    assert_eq!(lines.iter().filter(|line| *line == "source start").count(), 2, "{lines:?}");
    tree.shutdown().await;
    assert_eq!(journal.take().last().unwrap(), "source close");
}

/// S30: a `let` is evaluated once per incarnation of the supervisor: it survives the restart of a child and of the
/// whole group.
#[tokio::test(start_paused = true)]
async fn a_let_survives_restarts_of_children_and_groups() {
    let journal = Journal::default();
    let tree = Shop::start(journal.clone()).await.unwrap();
    for child in [&tree.a, &tree.before, &tree.b] {
        child.tell(Do::Fail(Boom::Told)).await.unwrap();
        settle().await;
        tokio::time::sleep(ms(100)).await;
    }
    assert_eq!(tree.before.incarnation(), 4);
    let lines = journal.take();
    assert_eq!(lines.iter().filter(|line| *line == "b uses pool").count(), 4, "its own clone at each start");
    assert_eq!(lines.iter().filter(|line| *line == "pool open" || *line == "alone open").count(), 2, "{lines:?}");
    assert!(!lines.iter().any(|line| line.ends_with("close")));
}

/// S30: a `let` is dropped when the members after it are down, and before those in front of it go down.
#[tokio::test(start_paused = true)]
async fn a_let_is_dropped_when_the_members_after_it_are_down() {
    let journal = Journal::default();
    let tree = Shop::start(journal.clone()).await.unwrap();
    journal.take();
    tree.shutdown().await;
    assert_eq!(
        journal.take(),
        [
            "b post_stop",
            "b drop",
            "alone close",
            "a post_stop",
            "a drop",
            "pool close",
            "before post_stop",
            "before drop",
        ]
    );
}

/// S30: a restart of the supervisor drops the old values and evaluates new ones.
#[tokio::test(start_paused = true)]
async fn a_new_incarnation_of_the_supervisor_evaluates_it_again() {
    let journal = Journal::default();
    let tree = Above::start(journal.clone()).await.unwrap();
    journal.take();
    tree.shop.kill();
    settle().await;
    assert_eq!(tree.shop.incarnation(), 2);
    let lines: Vec<_> =
        journal.take().into_iter().filter(|line| line.ends_with("open") || line.ends_with("close")).collect();
    assert_eq!(lines, ["alone close", "pool close", "pool open", "alone open"]);
}

/// S30: a setting may name a `let`, too.
#[tokio::test(start_paused = true)]
async fn a_setting_can_name_a_let() {
    let journal = Journal::default();
    let tree = Shop::start(journal.clone()).await.unwrap();
    journal.plan("b post_stop", 1, Fault::Slow(secs(60)));
    let begin = tokio::time::Instant::now();
    let report = tree.shutdown().await;
    assert_eq!(begin.elapsed(), ms(1_500));
    assert!(report.children[0].aborted);
}

/// S30: a `?` in a `let` is a start failure of the tree; the children that are up go down in reverse.
#[tokio::test(start_paused = true)]
async fn a_let_that_fails_fails_the_start_of_the_tree() {
    for (fault, text) in [(Fault::Error, "Planned"), (Fault::Panic, "planned panic in alone open")] {
        crate::common::quiet_panics();
        let journal = Journal::default();
        journal.plan("alone open", 1, fault);
        let failure = Shop::start(journal.clone()).await.unwrap_err();
        assert_eq!((failure.path(), failure.phase()), ("Shop", Phase::Start));
        assert!(failure.cause().to_string().contains(text), "{failure}");
        let lines = journal.take();
        let open = lines.iter().position(|line| line == "alone open").unwrap();
        assert_eq!(lines[open + 1..], ["a post_stop", "a drop", "pool close", "before post_stop", "before drop"]);
    }
}

/// S30: a `let` is also dropped at its position when a later start fails.
#[tokio::test(start_paused = true)]
async fn a_later_start_that_fails_drops_the_lets_in_reverse() {
    let journal = Journal::default();
    journal.plan("b start", 1, Fault::Error);
    let failure = Shop::start(journal.clone()).await.unwrap_err();
    assert_eq!(failure.path(), "b");
    let lines = journal.take();
    let start = lines.iter().position(|line| line == "b start").unwrap();
    assert_eq!(
        lines[start + 1..],
        ["alone close", "a post_stop", "a drop", "pool close", "before post_stop", "before drop"]
    );
}

/// S30: a `let` that fails at a restart of its supervisor is a failed restart of that supervisor.
#[tokio::test(start_paused = true)]
async fn a_let_that_fails_at_a_restart_is_a_failed_restart() {
    let journal = Journal::default();
    let tree = Above::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    journal.take();
    journal.plan("alone open", 1, Fault::Error);
    tree.shop.kill();
    tokio::time::sleep(secs(1)).await;
    assert_eq!(tree.shop.b.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(tree.shop.incarnation(), 3);
    let lines: Vec<_> =
        journal.take().into_iter().filter(|line| line.ends_with("open") || line.ends_with("close")).collect();
    assert_eq!(
        lines,
        ["alone close", "pool close", "pool open", "alone open", "pool close", "pool open", "alone open"]
    );
    let mut restarts = 0;
    while let Some(event) = events.try_next() {
        if let supervise::event::EventKind::Decided { failure, .. } = event.kind
            && event.path == "shop"
            && failure.phase() == Phase::Restart
        {
            restarts += 1;
        }
    }
    assert_eq!(restarts, 1);
}

/// S30: a parameter is kept in the same way, until every child is down.
#[tokio::test(start_paused = true)]
async fn a_parameter_is_dropped_when_all_children_are_down() {
    let journal = Journal::default();
    let kept = Shared::new(Pool::open("kept", journal.clone()).await.unwrap());
    let tree = Holder::start(kept, journal.clone()).await.unwrap();
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.b.ask(Do::Incarnation).await.unwrap(), 2);
    journal.take();
    tree.shutdown().await;
    assert_eq!(journal.take(), ["b post_stop", "b drop", "a post_stop", "a drop", "kept close"]);
}

type Input = tokio::sync::mpsc::Sender<u8>;
type Output = std::sync::Arc<tokio::sync::Mutex<tokio::sync::mpsc::Receiver<u8>>>;

/// Reads until nobody can send any more.
async fn read_all(output: Output) {
    while output.lock().await.recv().await.is_some() {}
}

async fn send(input: Input) {
    tokio::time::sleep(secs(1)).await;
    let _ = input.send(1).await;
}

supervisor! {
    struct Pipe(output: Output, input: std::sync::Arc<std::sync::Mutex<Option<Input>>>) {
        #[lifecycle(Transient, shutdown = 1min)]
        reader: task = |_cx| read_all(output),
        let sender = input.lock().unwrap().take().expect("one start");
        #[lifecycle(Transient, significant)]
        writer: task = send(sender),
    }

    struct All(output: Output, input: std::sync::Arc<std::sync::Mutex<Option<Input>>>) {
        #![strategy(AllForOne)]
        #![shutdown(Together)]
        #![decider(_ => Stop)]
        #[lifecycle(Transient, shutdown = 1min)]
        reader: task = |_cx| read_all(output),
        let sender = input.lock().unwrap().take().expect("one start");
        writer: task = async move { send(sender).await; Err(Boom::Told) },
    }
}

/// S30, S22: a `let` is dropped at its turn, also if the tree ends by itself.
#[tokio::test(start_paused = true)]
async fn a_let_is_dropped_at_its_turn_when_the_tree_ends_by_itself() {
    for all in [false, true] {
        let begun = tokio::time::Instant::now();
        let (input, output) = tokio::sync::mpsc::channel(1);
        let output = std::sync::Arc::new(tokio::sync::Mutex::new(output));
        let input = std::sync::Arc::new(std::sync::Mutex::new(Some(input)));
        let report = match all {
            false => Pipe::start(output, input).await.unwrap().join().await,
            true => All::start(output, input).await.unwrap().join().await,
        };
        // Under `Together` a value is dropped when all children are down, so this reader is aborted.
        let aborted = report.children.iter().filter(|child| child.aborted).count();
        assert_eq!((begun.elapsed(), aborted), if all { (secs(61), 1) } else { (secs(1), 0) });
    }
}
