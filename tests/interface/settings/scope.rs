//! A setting may name a parameter or a `let`; settings above a `[..]` apply to its instances.

use std::time::Duration;

use supervise::error::{AskError, SendRejection};
use supervise::prelude::*;
use tokio::time::Instant;

use super::{delays, ended, fail, restarts};
use crate::common::{Boom, Do, Journal, Probe, ms, pass, secs, settle};

/// The values of the settings of `Named`.
#[derive(Clone)]
struct Values {
    most: u32,
    window: Duration,
    least: Duration,
    greatest: Duration,
    factor: f64,
    back: Duration,
    room: usize,
    patience: Duration,
    grace: Duration,
}

fn dump(probe: &mut Probe) {
    probe.journal.write(format!("{} dump", probe.name));
}

fn reload(probe: &mut Probe) {
    probe.journal.write(format!("{} reload", probe.name));
}

supervisor! {
    struct Named(values: Values, directive: Directive, journal: Journal) {
        #![strategy(OneForOne, max_restarts = values.most, within = values.window, on_limit = Stop)]
        #![decider(move |_| directive)]
        let double = values.most * 2;
        plain: Probe = Probe::start("plain", journal).await?,
        #[limit(max_restarts = double)]
        limited: Probe = Probe::start("limited", journal).await?,
        #[limit(max_restarts = Unlimited)]
        #[backoff(values.least..values.greatest, factor = values.factor, random_factor = 0, reset = values.back)]
        paced: Probe = Probe::start("paced", journal).await?,
        #[mailbox(Bounded(values.room), ask = values.patience)]
        boxed: Probe = Probe::start("boxed", journal).await?,
        #[lifecycle(shutdown = values.grace)]
        slow: Probe = Probe::start("slow", journal).await?,
        #[max_children(values.room)]
        set: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
    }

    struct Sets(journal: Journal) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(_ => Restart)]
        plain: [Probe] = |n: u32| Probe::start(format!("plain{n}"), journal).await?,
        #[lifecycle(Permanent, shutdown = 2s)]
        #[limit(max_restarts = 2)]
        #[decider(Boom::Fatal => Resume)]
        #[pre_restart(dump)]
        #[post_restart(reload)]
        #[backoff(3s..30s, random_factor = 0)]
        #[mailbox(Bounded(2), ask = 250ms)]
        all: [Probe] = |n: u32| Probe::start(format!("all{n}"), journal).await?,
        #[lifecycle(Temporary)]
        once: [Probe] = |n: u32| Probe::start(format!("once{n}"), journal).await?,
    }
}

fn values() -> Values {
    Values {
        most: 2,
        window: secs(30),
        least: secs(1),
        greatest: secs(5),
        factor: 3.0,
        back: secs(100),
        room: 3,
        patience: ms(750),
        grace: secs(7),
    }
}

/// docs/settings.md: settings are expressions over the parameters and `let`s.
#[tokio::test(start_paused = true)]
async fn a_setting_may_name_a_parameter_or_a_let() {
    let tree = Named::start(values(), Directive::Restart, Journal::default()).await.unwrap();
    let mut events = tree.events();

    assert_eq!(restarts(&tree.limited).await, 4, "twice the given number");
    fail(&tree.plain, 2).await;
    pass(secs(29)).await;
    assert_eq!(restarts(&tree.plain).await, 0, "2 restarts in 30 s");

    fail(&tree.paced, 3).await;
    tree.paced.ask(Do::Get).forever().await.unwrap();
    pass(secs(99)).await;
    fail(&tree.paced, 1).await;
    tree.paced.ask(Do::Get).forever().await.unwrap();
    pass(secs(100)).await;
    fail(&tree.paced, 1).await;
    assert_eq!(delays(&mut events, "paced"), [1, 3, 5, 5, 1].map(secs));

    tree.boxed.tell(Do::Hang).await.unwrap();
    settle().await;
    let begin = Instant::now();
    assert!(matches!(tree.boxed.ask(Do::Get).await, Err(AskError::TimedOut { .. })));
    assert_eq!(begin.elapsed(), ms(750));
    let room = (0..).take_while(|_| tree.boxed.try_tell(Do::Add(1)).is_ok()).count();
    assert_eq!(room, 2, "3 messages, with the ask that still waits there");

    tree.slow.tell(Do::Hang).await.unwrap();
    settle().await;
    let begin = Instant::now();
    tree.slow.stop();
    ended(&tree.slow).await;
    assert_eq!(begin.elapsed(), secs(7));

    for _ in 0..3 {
        tree.set.spawn(0).await.unwrap();
    }
    assert!(tree.set.spawn(0).await.is_err());
}

/// docs/settings.md: a tree's decider and strategy use the parameters of their own start.
#[tokio::test(start_paused = true)]
async fn two_starts_of_one_declaration_have_their_own_settings() {
    let journal = Journal::default();
    let other = Values { most: 5, ..values() };
    let tree = Named::start(values(), Directive::Restart, journal.clone()).await.unwrap();
    let wider = Named::start(other, Directive::Restart, journal.clone()).await.unwrap();
    let stopping = Named::start(values(), Directive::Stop, journal).await.unwrap();
    assert_eq!(restarts(&tree.plain).await, 2);
    assert_eq!(restarts(&wider.plain).await, 5);
    assert_eq!(restarts(&stopping.plain).await, 0);
    assert!(matches!(ended(&stopping.plain).await, Ended::Failed(_)));
}

/// docs/settings.md: hooks, backoff and decider above a `[..]` apply to each instance.
#[tokio::test(start_paused = true)]
async fn settings_of_failures_above_a_set_reach_its_instances() {
    let journal = Journal::default();
    let tree = Sets::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    for n in 1..=2 {
        let one = tree.all.spawn(n).await.unwrap();
        one.tell(Do::Add(5)).await.unwrap();
        one.tell(Do::Fail(Boom::Fatal)).await.unwrap();
        assert_eq!(one.ask(Do::Get).await.unwrap(), 5, "the child's decider says Resume");
        journal.take();
        one.tell(Do::Fail(Boom::Told)).await.unwrap();
        one.tell(Do::Fail(Boom::Told)).await.unwrap();
        one.ask(Do::Get).forever().await.unwrap();
        assert_eq!(delays(&mut events, &one.path()), [3, 6].map(secs));
        let hooks: Vec<_> =
            journal.take().into_iter().filter(|line| !line.contains("start") && !line.contains("drop")).collect();
        let stop = ["dump", "post_stop", "reload"].map(|hook| format!("all{n} {hook}"));
        assert_eq!(hooks, [stop.clone(), stop].concat());
    }
    let plain = tree.plain.spawn(1).await.unwrap();
    plain.tell(Do::Add(5)).await.unwrap();
    plain.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert_eq!(plain.ask(Do::Get).await.unwrap(), 0, "the tree's decider says Restart");
}

/// docs/settings.md: mailbox, lifecycle and shutdown time above a `[..]` apply to each instance too.
#[tokio::test(start_paused = true)]
async fn settings_of_life_above_a_set_reach_its_instances() {
    let tree = Sets::start(Journal::default()).await.unwrap();
    let one = tree.all.spawn(1).await.unwrap();
    one.tell(Do::Stop).await.unwrap();
    assert_eq!(one.ask(Do::Incarnation).forever().await.unwrap(), 2, "`Permanent`, where `Transient` is the default");
    let transient = tree.plain.spawn(1).await.unwrap();
    transient.tell(Do::Stop).await.unwrap();
    assert!(matches!(ended(&transient).await, Ended::Done));
    let temporary = tree.once.spawn(1).await.unwrap();
    temporary.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(ended(&temporary).await, Ended::Failed(_)));

    one.tell(Do::Hang).await.unwrap();
    settle().await;
    let begin = Instant::now();
    assert!(matches!(one.ask(Do::Get).await, Err(AskError::TimedOut { .. })));
    assert_eq!(begin.elapsed(), ms(250));
    one.try_tell(Do::Add(1)).unwrap();
    assert_eq!(
        one.try_tell(Do::Add(1)).unwrap_err().reason(),
        SendRejection::Full,
        "2 messages, with the ask that still waits there"
    );
    let begin = Instant::now();
    one.stop();
    assert!(matches!(ended(&one).await, Ended::Aborted));
    assert_eq!(begin.elapsed(), secs(2));
}
