//! Tell and ask: when they wait, and their errors: S3.

use std::time::Duration;

use supervise::error::{AskError, SendRejection};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle, soon};

supervisor! {
    struct Narrow(journal: Journal) {
        #[mailbox(Bounded(2))]
        small: Probe = Probe::start("small", journal.clone()).await?,
        #[mailbox(Unbounded, ask = 250ms)]
        wide: Probe = Probe::start("wide", journal).await?,
    }
}

/// S3: `tell` waits for room, `try_tell` gives the message back.
#[tokio::test(start_paused = true)]
async fn a_tell_waits_for_room_and_a_try_tell_gives_the_message_back() {
    let journal = Journal::default();
    let tree = Narrow::start(journal.clone()).await.unwrap();
    let small = tree.small.clone();
    small.tell(Do::Work(secs(3))).await.unwrap();
    settle().await; // this message is in hand, and does not take a slot
    small.try_tell(Do::Add(1)).unwrap();
    small.try_tell(Do::Add(2)).unwrap();
    let full = small.try_tell(Do::Add(4)).unwrap_err();
    assert_eq!((full.reason(), full.path()), (SendRejection::Full, "small"));
    assert!(matches!(full.into_message(), Do::Add(4)));
    let begun = Instant::now();
    small.tell(Do::Add(8)).await.unwrap();
    assert_eq!(begun.elapsed(), secs(3), "the end of the message in hand makes room");
    assert_eq!(small.ask(Do::Get).await.unwrap(), 11);
    for _ in 0..5000 {
        tree.wide.try_tell(Do::Add(1)).unwrap();
    }
    assert_eq!(tree.wide.ask(Do::Get).await.unwrap(), 5000, "an unbounded mailbox is never full");
}

/// S3: a `tell` that was dropped while it waited for room was not sent, and the next sender gets the slot.
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

/// S3: a `tell` to oneself never waits, because no other task would make room.
#[tokio::test(start_paused = true)]
async fn a_tell_to_oneself_is_full_at_once() {
    struct Selfish;
    #[actor]
    impl Selfish {
        async fn handle(&mut self, reply: Option<Reply<Vec<Option<SendRejection>>>>, cx: &mut Context<Self>) {
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
    assert_eq!(alone.selfish.ask(Some).await.unwrap(), [None, None, Some(SendRejection::Full)]);
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
                Question::Panic(_reply) => panic!("planned panic"),
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
    // One message in hand, and one queued after it, when the actor ends.
    let (in_hand, queued) = tokio::join!(mute.ask(Question::Quit).forever(), mute.ask(Question::Forget).forever());
    assert_eq!((in_hand, queued), (no_reply(), no_reply()));
    let refused = AskError::Refused { path: "mute".into(), reason: SendRejection::Ended };
    assert_eq!(mute.ask(Question::Forget).forever().await, Err(refused));
    assert!(begun.elapsed() < ms(100), "no ask waited for its timeout: {:?}", begun.elapsed());
}

/// S3: otherwise an ask ends after 5 s, `.within(D)`, the `ask` of its mailbox, or never; the wait for room counts too.
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
    // The two slots are taken by the asks that gave up: this one waits for room until its time is over.
    assert_eq!(timed(async { tree.small.ask(Do::Get).within(ms(30)).await }).await, (ms(30), ms(30)));
    assert_eq!(tree.wide.ask(Do::Get).forever().await.unwrap(), 0, "`forever` waits as long as it takes");
}

/// S3: a tell that has waited 10 s raises an event, and again every 10 s.
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

/// S3: in `pre_restart` and `post_stop`, a send to an actor that is down does not wait, not even one to oneself.
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
    let down = "Down { retry_in: None }";
    let all = format!("Err({down}) Err(Refused {{ path: \"probe\", reason: {down} }}) Err({down})");
    assert_eq!(journal.take(), [all, format!("Err({down})")]);
    assert_eq!(pair.leaves.incarnation(), 2);
}

/// S3: the error of a `tell` can be boxed and sent on, also if the message is `Send` and not `Sync`.
#[tokio::test(start_paused = true)]
async fn the_error_of_a_tell_needs_no_message_that_is_sync() {
    struct Takes;
    #[actor]
    impl Takes {
        fn handle(&mut self, _msg: std::cell::Cell<u32>) {}
    }
    supervisor! { struct One { takes: Takes = Takes, other: Takes = Takes } }
    async fn send(takes: &ActorRef<Takes>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        takes.tell(std::cell::Cell::new(7)).await?;
        Ok(())
    }
    let one = One::start().await.unwrap();
    send(&one.takes).await.unwrap();
    one.takes.stop();
    soon(one.takes.terminated()).await.unwrap();
    assert!(send(&one.takes).await.unwrap_err().to_string().starts_with("takes did not accept the message"));
    let back = one.takes.tell(std::cell::Cell::new(8)).await.unwrap_err();
    assert_eq!(back.into_message().get(), 8);
}
