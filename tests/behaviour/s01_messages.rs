//! Actors and messages: S1 to S5.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::prelude::*;
use supervise::{AskError, DeadReason, EventKind, Refusal};
use tokio::time::Instant;

use crate::kit::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle};

supervisor! {
    struct One(journal: Journal) {
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// S2: the handle stays valid over a restart, and so does what waits in the mailbox.
#[tokio::test(start_paused = true)]
async fn a_handle_and_the_queued_messages_survive_a_restart() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    one.probe.tell(Do::Add(1)).await.unwrap();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    one.probe.tell(Do::Add(2)).await.unwrap();
    assert_eq!(one.probe.ask(Do::Get).await.unwrap(), 2, "fresh state, and the message behind the failure");
    assert_eq!(one.probe.incarnation(), 2);
    settle().await;
    assert_eq!(
        journal.take(),
        [
            "probe start",
            "probe pre_start",
            "probe pre_restart",
            "probe post_stop",
            "probe drop",
            "probe start",
            "probe pre_start",
            "probe post_restart"
        ]
    );
}

/// What the rule numbers below speak of besides a plain probe: a narrow mailbox, a short ask.
mod narrow {
    use super::*;

    supervisor! {
        pub struct Narrow(journal: Journal) {
            #[mailbox(Bounded(2))]
            small: Probe = Probe::start("small", journal.clone()).await?,
            #[mailbox(Unbounded, ask = 250ms)]
            wide: Probe = Probe::start("wide", journal).await?,
        }
    }
}
use narrow::Narrow;

// ----- S1

/// S1: one message at a time, and those of each sender in the order it sent them.
#[tokio::test(start_paused = true)]
async fn messages_are_handled_one_at_a_time_in_the_order_each_sender_sent_them() {
    struct List(Vec<(u8, u32)>, bool);
    enum Entry {
        Put(u8, u32),
        All(Reply<Vec<(u8, u32)>>),
    }
    #[actor]
    impl List {
        async fn handle(&mut self, entry: Entry) {
            assert!(!std::mem::replace(&mut self.1, true), "a message began before the one before it was over");
            tokio::task::yield_now().await;
            match entry {
                Entry::Put(sender, number) => self.0.push((sender, number)),
                Entry::All(reply) => reply.send(self.0.clone()),
            }
            self.1 = false;
        }
    }
    supervisor! {
        struct Lists {
            #[mailbox(Bounded(4))]
            list: List = List(Vec::new(), false),
        }
    }
    let lists = Lists::start().await.unwrap();
    let senders: Vec<_> = (0..3)
        .map(|sender| {
            let list = lists.list.clone();
            tokio::spawn(async move {
                for number in 0..100 {
                    list.tell(Entry::Put(sender, number)).await.unwrap_or_else(|_| panic!("refused"));
                }
            })
        })
        .collect();
    for sender in senders {
        sender.await.unwrap();
    }
    let all = lists.list.ask(Entry::All).await.unwrap();
    assert_eq!(all.len(), 300);
    for sender in 0..3 {
        let numbers = all.iter().filter(|(from, _)| *from == sender).map(|(_, number)| *number);
        assert!(numbers.eq(0..100), "the order of sender {sender}");
    }
    assert!(!all.is_sorted(), "the senders took turns, or this test shows nothing");
}

/// Where the parts of an actor run, by tokio's id of the task.
#[derive(Clone, Default)]
struct Places(Arc<Mutex<Vec<(&'static str, tokio::task::Id)>>>);

impl Places {
    fn here(&self, part: &'static str) {
        self.0.lock().unwrap().push((part, tokio::task::id()));
    }
}

struct Placed(Places);

#[actor]
impl Placed {
    fn new(places: Places) -> Self {
        places.here("start");
        Placed(places)
    }
    fn handle(&mut self, fail: bool) -> Result<(), Boom> {
        self.0.here("handle");
        if fail { Err(Boom::Told) } else { Ok(()) }
    }
    #[pre_start]
    fn began(&mut self) {
        self.0.here("pre_start");
    }
    #[pre_restart]
    fn flush(&mut self) {
        self.0.here("pre_restart");
    }
    #[post_restart]
    fn reload(&mut self) {
        self.0.here("post_restart");
    }
    #[post_stop]
    fn stopped(&mut self) {
        self.0.here("post_stop");
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        self.0.here("drop");
    }
}

/// S1, S4: a restart reuses the task; user code, the decider included, runs only in its own actor's task.
#[tokio::test(start_paused = true)]
async fn all_user_code_of_an_actor_runs_in_one_task_over_restarts() {
    supervisor! {
        struct Two(places: Places, others: Places) {
            #![decider(move |_| { places.here("decide"); Directive::Restart })]
            one: Placed = Placed::new(places),
            other: Placed = Placed::new(others),
        }
    }
    let (places, others) = (Places::default(), Places::default());
    let two = Two::start(places.clone(), others.clone()).await.unwrap();
    two.one.tell(true).await.unwrap();
    two.one.tell(false).await.unwrap();
    settle().await;
    two.shutdown().await;
    let (places, others) = (places.0.lock().unwrap().clone(), others.0.lock().unwrap().clone());
    let parts: Vec<_> = places.iter().map(|(part, _)| *part).collect();
    assert_eq!(
        parts,
        [
            "start", "pre_start", "handle", "decide", "pre_restart", "post_stop", "drop", "start", "pre_start",
            "post_restart", "handle", "post_stop", "drop"
        ]
    );
    assert!(places.iter().all(|(_, task)| *task == places[0].1), "{places:?}");
    assert!(others.iter().all(|(_, task)| *task != places[0].1), "siblings have tasks of their own");
    assert_ne!(places[0].1, tokio::task::try_id().unwrap_or(others[0].1));
}

// ----- S2

/// S2: a handle is one pointer, may go anywhere, and keeps nothing alive.
#[tokio::test(start_paused = true)]
async fn a_handle_is_one_pointer_and_keeps_nothing_alive() {
    fn anywhere<T: Clone + Send + Sync + 'static>(_: &T) {}
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    let probe = one.probe.clone();
    anywhere(&probe);
    assert_eq!(size_of_val(&probe), size_of::<usize>());
    assert_eq!(probe, one.probe);
    one.shutdown().await;
    assert_eq!(journal.take(), ["probe start", "probe pre_start", "probe post_stop", "probe drop"]);
    let refused = probe.tell(Do::Add(3)).await.unwrap_err();
    assert_eq!((refused.reason(), refused.path()), (Refusal::Ended, "probe"));
    assert!(matches!(refused.into_message(), Do::Add(3)), "the message comes back");
    assert!(matches!(probe.ended(), Some(Ended::Stopped)));
}

/// S2: without any handle left the actor goes on.
#[tokio::test(start_paused = true)]
async fn an_actor_lives_on_when_its_handles_are_dropped() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    one.probe.tell(Do::Work(secs(1))).await.unwrap();
    one.probe.tell(Do::Note("behind it")).await.unwrap();
    drop(one.detach());
    pass(secs(2)).await;
    assert_eq!(journal.take()[2..], ["probe works", "probe worked", "probe behind it"]);
}

/// S2: restarts are invisible to who waits for the end, and an old handle still stops it.
#[tokio::test(start_paused = true)]
async fn watch_and_stop_hold_over_restarts() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    let (old, waits) = (one.probe.clone(), tokio::spawn(one.probe.terminated()));
    for _ in 0..3 {
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    pass(secs(1)).await;
    assert_eq!(old.incarnation(), 4);
    assert!(!waits.is_finished(), "three restarts are no end");
    assert!(old.ended().is_none());
    old.stop();
    assert!(matches!(waits.await.unwrap(), Ok(Ended::Stopped)));
}

// ----- S3

/// S3: `tell` waits for room, `try_tell` gives the message back.
#[tokio::test(start_paused = true)]
async fn a_tell_waits_for_room_and_a_try_tell_gives_the_message_back() {
    let journal = Journal::default();
    let tree = Narrow::start(journal.clone()).await.unwrap();
    let small = tree.small.clone();
    small.tell(Do::Work(secs(3))).await.unwrap();
    settle().await; // it is in hand, and takes no room
    small.try_tell(Do::Add(1)).unwrap();
    small.try_tell(Do::Add(2)).unwrap();
    let full = small.try_tell(Do::Add(4)).unwrap_err();
    assert_eq!((full.reason(), full.path()), (Refusal::Full, "small"));
    assert!(matches!(full.into_message(), Do::Add(4)));
    let begun = Instant::now();
    small.tell(Do::Add(8)).await.unwrap();
    assert_eq!(begun.elapsed(), secs(3), "room came with the end of the message in hand");
    assert_eq!(small.ask(Do::Get).await.unwrap(), 11);
    for _ in 0..5000 {
        tree.wide.try_tell(Do::Add(1)).unwrap();
    }
    assert_eq!(tree.wide.ask(Do::Get).await.unwrap(), 5000, "an unbounded one is never full");
}

/// S3: a `tell` that was dropped while it waited for room was not sent.
#[tokio::test(start_paused = true)]
async fn a_tell_that_was_given_up_was_not_sent_and_leaves_its_place_to_the_next() {
    let tree = Narrow::start(Journal::default()).await.unwrap();
    let small = tree.small.clone();
    small.tell(Do::Work(secs(3))).await.unwrap();
    settle().await;
    small.try_tell(Do::Add(1)).unwrap();
    small.try_tell(Do::Add(2)).unwrap();
    let given_up = tokio::time::timeout(secs(1), small.tell(Do::Add(4)));
    let patient = small.tell(Do::Add(8));
    let (given_up, patient) = tokio::join!(given_up, patient);
    assert!(given_up.is_err());
    patient.unwrap();
    assert_eq!(small.ask(Do::Get).await.unwrap(), 11);
}

/// S3: a `tell` to oneself never waits: nobody else would make room.
#[tokio::test(start_paused = true)]
async fn a_tell_to_oneself_is_full_at_once() {
    struct Selfish;
    #[actor]
    impl Selfish {
        async fn handle(&mut self, reply: Option<Reply<Vec<Option<Refusal>>>>, cx: &mut Context<Self>) {
            let Some(reply) = reply else { return };
            let mut outcomes = Vec::new();
            for _ in 0..3 {
                outcomes.push(cx.actor_ref().tell(None).await.err().map(|error| error.reason()));
            }
            reply.send(outcomes);
        }
    }
    supervisor! {
        struct Alone {
            #[mailbox(Bounded(2))]
            selfish: Selfish = Selfish,
        }
    }
    let alone = Alone::start().await.unwrap();
    let begun = Instant::now();
    assert_eq!(alone.selfish.ask(Some).await.unwrap(), [None, None, Some(Refusal::Full)]);
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

/// S3: an ask ends at once when the reply can no longer come.
#[tokio::test(start_paused = true)]
async fn an_ask_ends_at_once_when_no_reply_can_come() {
    struct Mute;
    enum Question {
        Forget(Reply<u8>),
        Fail(Reply<u8>),
        Panic(Reply<u8>),
        Hang(Reply<u8>),
        Quit(Reply<u8>),
    }
    #[actor]
    impl Mute {
        async fn handle(&mut self, question: Question, cx: &mut Context<Self>) -> Result<(), Boom> {
            match question {
                Question::Forget(reply) => drop(reply),
                Question::Fail(_reply) => return Err(Boom::Told),
                Question::Panic(_reply) => panic!("told to"),
                Question::Hang(_reply) => std::future::pending().await,
                Question::Quit(_reply) => cx.stop(),
            }
            Ok(())
        }
    }
    supervisor! {
        struct Quiet {
            #![decider(Cause::Killed => Restart, _ => Restart)]
            #[lifecycle(Transient)]
            mute: Mute = Mute,
        }
    }
    quiet_panics();
    let quiet = Quiet::start().await.unwrap();
    let mute = quiet.mute.clone();
    let begun = Instant::now();
    let no_reply = || Err(AskError::NoReply { path: "mute".into() });
    assert_eq!(mute.ask(Question::Forget).forever().await, no_reply());
    assert_eq!(mute.ask(Question::Fail).forever().await, no_reply());
    assert_eq!(mute.ask(Question::Panic).forever().await, no_reply());
    pass(ms(20)).await; // up again: without an instance a kill is a stop
    let (killed, ()) = tokio::join!(mute.ask(Question::Hang).forever(), async {
        settle().await;
        mute.kill();
    });
    assert_eq!(killed, no_reply());
    pass(ms(20)).await;
    // One in hand and one queued behind it when it ends.
    let (in_hand, queued) = tokio::join!(mute.ask(Question::Quit).forever(), mute.ask(Question::Forget).forever());
    assert_eq!((in_hand, queued), (no_reply(), no_reply()));
    let refused = AskError::Refused { path: "mute".into(), reason: Refusal::Ended };
    assert_eq!(mute.ask(Question::Forget).forever().await, Err(refused));
    assert!(begun.elapsed() < ms(100), "no ask waited for its time: {:?}", begun.elapsed());
}

/// S3: else after 5 s, `.within(D)`, the `ask` of its mailbox, or never; time for room counts too.
#[tokio::test(start_paused = true)]
async fn an_ask_waits_its_time_and_no_longer() {
    async fn timed<T: std::fmt::Debug>(ask: impl Future<Output = Result<T, AskError>>) -> (Duration, Duration) {
        let begun = Instant::now();
        match ask.await {
            Err(AskError::TimedOut { within, .. }) => (begun.elapsed(), within),
            other => panic!("{other:?}"),
        }
    }
    let tree = Narrow::start(Journal::default()).await.unwrap();
    tree.small.tell(Do::Hang).await.unwrap();
    tree.wide.tell(Do::Work(secs(60))).await.unwrap();
    settle().await;
    assert_eq!(timed(async { tree.small.ask(Do::Get).await }).await, (secs(5), secs(5)));
    assert_eq!(timed(async { tree.small.ask(Do::Get).within(ms(70)).await }).await, (ms(70), ms(70)));
    assert_eq!(timed(async { tree.wide.ask(Do::Get).await }).await, (ms(250), ms(250)));
    assert_eq!(timed(async { tree.wide.ask(Do::Get).within(secs(7)).await }).await, (secs(7), secs(7)));
    // The two places are taken by the asks that gave up: this one waits for room until its time is up.
    assert_eq!(timed(async { tree.small.ask(Do::Get).within(ms(30)).await }).await, (ms(30), ms(30)));
    assert_eq!(tree.wide.ask(Do::Get).forever().await.unwrap(), 0, "as long as it takes");
}

/// S3: a tell that has waited 10 s says so, and again every 10 s.
#[tokio::test(start_paused = true)]
async fn a_tell_that_waits_for_room_raises_blocked_every_ten_seconds() {
    let tree = Narrow::start(Journal::default()).await.unwrap();
    tree.small.tell(Do::Work(secs(25))).await.unwrap();
    settle().await;
    tree.small.try_tell(Do::Add(1)).unwrap();
    tree.small.try_tell(Do::Add(1)).unwrap();
    let mut events = tree.events();
    let waits = tokio::spawn({
        let small = tree.small.clone();
        async move { small.tell(Do::Add(1)).await.is_ok() }
    });
    pass(ms(9_990)).await;
    assert_eq!(seen(&mut events), [""; 0]);
    pass(ms(20)).await;
    assert_eq!(seen(&mut events), ["small blocked 10s"]);
    pass(secs(10)).await;
    assert_eq!(seen(&mut events), ["small blocked 20s"]);
    assert!(waits.await.unwrap());
}

/// S3: in `pre_restart` and `post_stop` nobody waits for one that is down, oneself included.
#[tokio::test(start_paused = true)]
async fn hooks_of_the_way_down_do_not_wait_for_one_that_is_down() {
    struct Leaves(ActorRef<Probe>, Journal);
    #[actor]
    impl Leaves {
        fn handle(&mut self, fail: bool) -> Result<(), Boom> {
            if fail { Err(Boom::Told) } else { Ok(()) }
        }
        #[pre_restart]
        async fn flush(&mut self, cx: &mut Context<Self>) {
            let told = self.0.tell(Do::Add(1)).await.map_err(|error| error.reason());
            let asked = self.0.ask(Do::Get).forever().await;
            let me = cx.actor_ref().try_tell(false).map_err(|error| error.reason());
            self.1.write(format!("{told:?} {asked:?} {me:?}"));
        }
        #[post_stop]
        async fn stopped(&mut self) {
            let told = self.0.tell(Do::Add(1)).await.map_err(|error| error.reason());
            self.1.write(format!("{told:?}"));
        }
    }
    supervisor! {
        struct Pair(journal: Journal) {
            #[backoff(1h..1h)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            leaves: Leaves = Leaves(probe, journal),
        }
    }
    let journal = Journal::default();
    let pair = Pair::start(journal.clone()).await.unwrap();
    pair.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    pair.probe.try_tell(Do::Note("from outside it waits in the mailbox")).unwrap();
    pair.leaves.tell(true).await.unwrap();
    settle().await;
    assert_eq!(
        journal.take(),
        ["Err(Down) Err(Refused { path: \"probe\", reason: Down }) Err(Down)", "Err(Down)"]
    );
    assert_eq!(pair.leaves.incarnation(), 2);
}

// ----- S4

/// S4: control has a queue of its own: it passes a full mailbox, and acts after the message in hand.
#[tokio::test(start_paused = true)]
async fn control_passes_the_mailbox_and_acts_after_the_message_in_hand() {
    let journal = Journal::default();
    let tree = Narrow::start(journal.clone()).await.unwrap();
    tree.small.tell(Do::Work(secs(2))).await.unwrap();
    settle().await;
    tree.small.try_tell(Do::Note("behind")).unwrap();
    tree.small.try_tell(Do::Note("behind")).unwrap();
    journal.take();
    for _ in 0..10_000 {
        tree.small.stop(); // never refused, never waits
    }
    pass(ms(1_900)).await;
    assert_eq!(journal.take(), [""; 0], "the message in hand goes on");
    pass(ms(200)).await;
    assert_eq!(journal.take(), ["small worked", "small post_stop", "small drop"]);
}

/// S4: a future is dropped, at its next await, by a kill and by a deadline that has passed.
#[tokio::test(start_paused = true)]
async fn a_kill_and_a_passed_deadline_drop_the_future_at_its_await() {
    supervisor! {
        struct Hasty(journal: Journal) {
            #[lifecycle(Permanent, shutdown = 2s)]
            slow: Probe = Probe::start("slow", journal.clone()).await?,
            #[decider(_ => Restart)]
            killed: Probe = Probe::start("killed", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Hasty::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    tree.slow.tell(Do::Work(secs(10))).await.unwrap();
    tree.killed.tell(Do::Work(secs(10))).await.unwrap();
    settle().await;
    journal.take();
    let begun = Instant::now();
    tree.slow.stop();
    tree.killed.kill();
    settle().await;
    assert_eq!(
        journal.take(),
        [
            "killed pre_restart", "killed post_stop", "killed drop", "killed start", "killed pre_start",
            "killed post_restart"
        ],
        "the killed one at once, the stopped one has its time"
    );
    let ended = tree.slow.terminated().await.unwrap();
    assert_eq!(begun.elapsed(), secs(2));
    assert!(matches!(ended, Ended::Aborted), "{ended:?}");
    settle().await;
    assert_eq!(journal.take(), ["slow drop"], "neither `worked` nor `post_stop`");
    assert!(seen(&mut events).contains(&"slow aborted".to_owned()));
}

/// S4, S16: start, `pre_start` and `post_restart` are dropped by a stop.
#[tokio::test(start_paused = true)]
async fn a_stop_drops_a_start_and_its_hooks() {
    for (place, owed) in [("start", None), ("pre_start", None), ("post_restart", Some("probe post_stop"))] {
        let journal = Journal::default();
        let one = One::start(journal.clone()).await.unwrap();
        journal.plan(&format!("probe {place}"), 1, Fault::Slow(secs(60)));
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        settle().await;
        let before = journal.take();
        assert_eq!(before.last().unwrap(), &format!("probe {place}"));
        let begun = Instant::now();
        one.probe.stop();
        assert!(matches!(one.probe.terminated().await, Ok(Ended::Stopped)), "in {place}");
        assert_eq!(begun.elapsed(), Duration::ZERO, "in {place}");
        let mut expected: Vec<&str> = owed.into_iter().collect();
        expected.extend((place != "start").then_some("probe drop"));
        assert_eq!(journal.take(), expected, "in {place}");
    }
}

/// S4: `supervision()` is read once per instance, before `pre_start`.
#[tokio::test(start_paused = true)]
async fn supervision_is_read_once_per_instance_before_pre_start() {
    struct Parent(Journal);
    #[actor]
    impl Parent {
        async fn handle(&mut self, fail: bool, cx: &mut Context<Self>) -> Result<(), Boom> {
            let journal = self.0.clone();
            let start = move || {
                let journal = journal.clone();
                async move { Ok(Probe::start("child", journal).await?) }
            };
            cx.spawn("child", start).await.unwrap();
            if fail { Err(Boom::Told) } else { Ok(()) }
        }
        #[pre_start]
        fn began(&mut self) {
            self.0.write("pre_start");
        }
        #[supervision]
        fn strategy(&self) -> SupervisorStrategy {
            self.0.write("supervision");
            SupervisorStrategy::default()
        }
    }
    supervisor! {
        struct Family(journal: Journal) {
            parent: Parent = Parent(journal),
        }
    }
    let journal = Journal::default();
    let family = Family::start(journal.clone()).await.unwrap();
    family.parent.tell(true).await.unwrap();
    family.parent.tell(false).await.unwrap();
    settle().await;
    let lines: Vec<_> = journal.take().into_iter().filter(|line| !line.starts_with("child")).collect();
    assert_eq!(lines, ["supervision", "pre_start", "supervision", "pre_start"]);
}

// ----- S5

/// S5: what is queued behind a stop becomes dead letters, or errors of those who asked; all are counted.
#[tokio::test(start_paused = true)]
async fn what_is_queued_at_an_end_becomes_dead_letters_and_errors() {
    let one = One::start(Journal::default()).await.unwrap();
    let mut events = one.events();
    one.probe.tell(Do::Work(secs(1))).await.unwrap();
    one.probe.tell(Do::Add(1)).await.unwrap();
    one.probe.tell(Do::Add(2)).await.unwrap();
    let asked = tokio::spawn({
        let probe = one.probe.clone();
        async move { (probe.ask(Do::Get).forever().await, Instant::now()) }
    });
    settle().await;
    let begun = Instant::now();
    one.probe.stop();
    let (answer, at) = asked.await.unwrap();
    assert_eq!(answer, Err(AskError::NoReply { path: "probe".into() }));
    one.probe.terminated().await.unwrap();
    assert_eq!(begun.elapsed(), secs(1));
    assert_eq!(at, begun, "who asked is told at once, not behind the message in hand");
    let mut dead = Vec::new();
    while let Some(Ok(event)) = events.try_next() {
        if let EventKind::DeadLetter { message, reason } = event.kind {
            dead.push((event.path, message, reason));
        }
    }
    let letter = ("probe".to_owned(), std::any::type_name::<Do>(), DeadReason::Ended);
    assert_eq!(dead, [letter.clone(), letter.clone(), letter]);
    assert_eq!(one.dead_letters(), 3);
    assert_eq!(one.probe.tell(Do::Add(1)).await.unwrap_err().reason(), Refusal::Ended);
    assert_eq!(one.dead_letters(), 3, "an error to the sender is no dead letter");
}

/// S5: messages behind a failure that is decided Stop are dead letters; the one in hand is named by type.
#[tokio::test(start_paused = true)]
async fn the_message_in_hand_is_named_and_the_rest_are_dead_letters() {
    supervisor! {
        struct Strict(journal: Journal) {
            #![decider(|_| Directive::Stop)]
            failing: Probe = Probe::start("failing", journal.clone()).await?,
            killed: Probe = Probe::start("killed", journal.clone()).await?,
            idle: Probe = Probe::start("idle", journal.clone()).await?,
            #[lifecycle(Permanent, shutdown = 1s)]
            aborted: Probe = Probe::start("aborted", journal.clone()).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let tree = Strict::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.failing.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.failing.tell(Do::Add(1)).await.unwrap();
    tree.killed.tell(Do::Hang).await.unwrap();
    tree.aborted.tell(Do::Hang).await.unwrap();
    settle().await;
    tree.killed.kill();
    tree.idle.kill();
    tree.aborted.stop();
    pass(secs(2)).await;
    let mut named = Vec::new();
    while let Some(Ok(event)) = events.try_next() {
        match event.kind {
            EventKind::Failed { message, .. } => named.push((event.path, "failed", message)),
            EventKind::Aborted { message } => named.push((event.path, "aborted", message)),
            EventKind::DeadLetter { message, .. } => named.push((event.path, "dead", Some(message))),
            _ => {}
        }
    }
    let msg = Some(std::any::type_name::<Do>());
    assert_eq!(
        named,
        [
            ("failing".into(), "failed", msg),
            ("failing".into(), "dead", msg),
            ("killed".into(), "failed", msg),
            ("idle".into(), "failed", None),
            ("aborted".into(), "aborted", msg)
        ] as [(String, _, _); 5]
    );
}
