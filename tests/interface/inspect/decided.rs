//! The decider that answered, and the declaration of a node: S40, S42.

use supervise::event::{DecidedBy, EventKind, Events};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Journal, Probe, ms, pass, quiet_panics, secs, settle};

fn always(_: &Failure) -> Directive {
    Directive::Restart
}

/// The line of the declaration of `Shop`.
const SHOP: u32 = line!() + 3;

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Cause::Panic(_) => Stop, Boom::Told | Boom::Planned => Restart, _ => Default)]
        #[decider(
            Boom::Fatal if failure.in_a_row() > 0 => Stop,
            Boom::Fatal => Restart,
        )]
        own: Probe = Probe::start("own", journal).await?,
        #[decider(always)]
        function: Probe = Probe::start("function", journal).await?,
        plain: Probe = Probe::start("plain", journal).await?,
        shelves: struct Shelves {
            #![strategy(OneForOne, max_restarts = 2, within = 10s)]
            jam: Probe = Probe::start("jam", journal).await?,
            #[backoff(1s..1s)]
            jars: [Probe; 2] = |index: usize| Probe::start(format!("jar{index}"), journal).await?,
        },
        sessions: [Session] = || Session::tree(journal),
    }

    struct Session(journal: Journal) {
        user: Probe = Probe::start("user", journal).await?,
    }
}

async fn next_decision(events: &mut Events) -> (Directive, DecidedBy) {
    loop {
        if let EventKind::Decided { directive, by, .. } = events.next().await.unwrap().kind {
            return (directive, by);
        }
    }
}

/// S40: a decision shows the decider that answered: with the arm, if it has arms. The places are those in the source.
#[tokio::test(start_paused = true)]
async fn a_decision_shows_who_answered() {
    quiet_panics();
    let shop = Shop::start(Journal::default()).await.unwrap();
    let mut events = shop.events();
    let mut decisions = Vec::new();
    let fails = [
        (&shop.own, Do::Fail(Boom::Fatal)),
        (&shop.own, Do::Fail(Boom::Fatal)),
        (&shop.function, Do::Panic),
        (&shop.plain, Do::Fail(Boom::Told)),
        (&shop.plain, Do::Fail(Boom::Fatal)),
        (&shop.shelves.jam, Do::Fail(Boom::Fatal)),
        (&shop.plain, Do::Panic),
    ];
    for (child, order) in fails {
        child.tell(order).await.unwrap();
        let (directive, by) = next_decision(&mut events).await;
        decisions.push(format!("{directive:?} by {by}"));
        if let Some(arm) = by.arm() {
            decisions.push(format!("{} at {}:{}", arm.index, arm.at.line() - SHOP, arm.at.column()));
            assert_eq!(arm.at.file(), file!());
        }
        pass(ms(100)).await;
    }
    assert_eq!(
        decisions,
        [
            "Restart by the child's decider: Boom::Fatal => Restart",
            "1 at 4:13",
            "Stop by the child's decider: Boom::Fatal if failure.in_a_row() > 0 => Stop",
            "0 at 3:13",
            "Restart by the child's decider",
            "Restart by the supervisor's decider: Boom::Told | Boom::Planned => Restart",
            "1 at 1:45",
            "Restart by the supervisor's decider: _ => Default",
            "2 at 1:84",
            "Restart by the default",
            "Stop by the supervisor's decider: Cause::Panic(_) => Stop",
            "0 at 1:20",
        ]
    );
}

/// S42: each declared child shows its declaration; an instance shows that of its set, and a child of an instance that of
/// the tree of the instance.
#[tokio::test(start_paused = true)]
async fn a_node_shows_its_declaration() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    let session = shop.sessions.spawn().await.unwrap();
    let snapshot = shop.snapshot();
    let mut places = Vec::new();
    for node in snapshot.nodes().skip(1) {
        let declared = node.declared.unwrap_or_else(|| panic!("{} is declared", node.path));
        assert_eq!(declared.at.file(), file!());
        let path = node.path.replace(&session.path(), "SESSION");
        places.push(format!("{path} {} {}", declared.name, declared.at.line() - SHOP));
    }
    assert_eq!(
        places,
        [
            "own own 6",
            "function function 8",
            "plain plain 9",
            "shelves shelves 10",
            "shelves/jam jam 12",
            "shelves/jars/0 jars 14",
            "shelves/jars/1 jars 14",
            "sessions sessions 16",
            "SESSION sessions 16",
            "SESSION/user user 20",
        ]
    );
    assert_eq!(snapshot.find("shelves/jars/1").unwrap().declared.unwrap().settings, ["backoff(1s..1s)"]);
    assert!(snapshot.root.declared.is_none());
    assert_eq!(Shop::SPEC.at.line(), SHOP);
}

/// S42: a node shows since when it is up, and when its budget is whole again.
#[tokio::test(start_paused = true)]
async fn a_node_shows_its_times() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    let begun = Instant::now();
    let times = |path: &str| {
        let node = shop.snapshot().find(path).unwrap().clone();
        let since = |at: Option<Instant>| at.map(|at| at - begun);
        (since(node.up_since), node.restarts.map(|budget| budget.used), since(node.restarts.unwrap().restored))
    };
    let jam = "shelves/jam";
    assert_eq!(times(jam), (Some(secs(0)), Some(0), None));
    pass(secs(2)).await;
    shop.shelves.jam.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    assert_eq!(times(jam), (Some(secs(2)), Some(1), Some(secs(12))));
    pass(secs(3)).await;
    shop.shelves.jam.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(times(jam), (Some(secs(5)), Some(2), Some(secs(15))));
    pass(secs(7)).await;
    assert_eq!(times(jam), (Some(secs(5)), Some(1), Some(secs(15))));
    pass(secs(3)).await;
    assert_eq!(times(jam), (Some(secs(5)), Some(0), None));
    shop.shelves.jars[0].tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    assert_eq!(times("shelves/jars/0").0, None, "it backs off");
    assert_eq!(times("plain").0, Some(secs(0)));
}

/// S42: a child that is queued shows which child above it is waited for.
#[tokio::test(start_paused = true)]
async fn a_queued_child_shows_what_it_waits_for() {
    supervisor! {
        struct Slow(journal: Journal) {
            first: Probe = Probe::start("first", journal).await?,
            below: struct Below {
                #[backoff(5s..5s, random_factor = 0)]
                second: Probe = Probe::start("second", journal).await?,
                third: Probe = Probe::start("third", journal).await?,
            },
            fourth: Probe = Probe::start("fourth", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("first start", 1, crate::common::Fault::Slow(secs(2)));
    let mut tree = Slow::tree(journal.clone());
    let mut events = tree.events();
    let start = tokio::spawn(tree.start());
    pass(secs(3)).await;
    let slow = start.await.unwrap().unwrap();
    drop(crate::common::seen(&mut events));
    assert!(slow.snapshot().nodes().all(|node| node.starts_after.is_none()));

    slow.restart().unwrap_err(); // a root has no supervisor
    journal.plan("second start", 1, crate::common::Fault::Slow(secs(2)));
    slow.below.restart().unwrap();
    pass(secs(1)).await;
    let snapshot = slow.snapshot();
    let waits = |path: &str| snapshot.find(path).unwrap().starts_after.clone();
    assert_eq!(waits("below/third").as_deref(), Some("below/second"));
    assert_eq!((waits("below/second"), waits("fourth")), (None, None));
    pass(secs(2)).await;
    assert_eq!(slow.snapshot().find("below/third").unwrap().starts_after, None);
}

/// S42: a child of an actor has no declaration, and does not show that of its actor.
#[tokio::test(start_paused = true)]
async fn a_child_of_an_actor_shows_no_declaration() {
    struct Owner(Journal);
    #[actor]
    impl Owner {
        async fn handle(&mut self, reply: Reply<()>, cx: &mut Context<Self>) {
            let journal = self.0.clone();
            let kid = cx.spawn(child! { "kid": Probe = Probe::start("kid", journal).await? });
            kid.await.unwrap();
            reply.send(());
        }
    }
    supervisor! {
        struct House(journal: Journal) {
            #[backoff(1s..1s)]
            owner: Owner = Owner(journal),
        }
    }
    let house = House::start(Journal::default()).await.unwrap();
    house.owner.ask(|reply| reply).await.unwrap();
    let snapshot = house.snapshot();
    assert_eq!(snapshot.find("owner").unwrap().declared.map(|spec| spec.name), Some("owner"));
    assert!(snapshot.find("owner/kid").unwrap().declared.is_none());
}
