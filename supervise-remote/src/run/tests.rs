//! S57: each state of a placement at its owner, with each event.

use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use crate::hooks::{Held, NetworkView, TreeNetwork, TreeRoot, TreeRun};
use serde_bytes::ByteBuf;
use supervise::event::EventKind;
use supervise::inspect::Inspect as _;
use supervise::lease::RunsUnder as _;
use supervise::spec::{RemoteSpec, TreeSpec};
use tokio::time::sleep;

use super::{Begin, HELLO, Placed, PlacementRequest, Run, Waits};
use crate::frame::{self, AHEAD, EndKind, Framed, NodeHello, PROTOCOL, PlaceOrder, Terms, ToNode, ToOwner};
use crate::memory::Network;
use crate::net::Net;
use crate::wire::{Link, LinkEvent, Peer, Rights, Side, Wire as _};

const TERMS: Terms = Terms { protocol: PROTOCOL, max_frame: crate::MAX_FRAME };
const LEASE: Duration = Duration::from_secs(2);
const SHUTDOWN: Duration = Duration::from_secs(1);
const SPEC: &RemoteSpec = &RemoteSpec::on("worker", || "child".to_owned(), 7, |order| order).lease(LEASE);

fn leases() -> std::collections::HashMap<&'static str, Duration> {
    [("worker", LEASE)].into()
}

/// The first run of a tree.
fn begin(knows: bool) -> Begin {
    Begin {
        root: TreeRoot { id: 1, name: "Shop".into() },
        epoch: 1,
        held: None,
        knows,
        peers: None,
        longest: LEASE + SHUTDOWN,
        leases: leases(),
        module: module_path!(),
        build: String::new(),
        of: TreeRun::unheard(),
    }
}

/// A proxy that notes the events that it gets.
#[derive(Default)]
struct Holder(Mutex<Vec<&'static str>>);

impl Placed for Holder {
    fn frame(&self, _placement: u64, _frame: ToOwner) {
        self.0.lock().unwrap().push("frame");
    }

    fn lost(&self, _placement: u64, _node: &Peer, _after: Duration) {
        self.0.lock().unwrap().push("lost");
    }

    fn moves(&self, _placement: u64) {
        self.0.lock().unwrap().push("moves");
    }

    fn fenced(&self) {
        self.0.lock().unwrap().push("fenced");
    }
}

/// The hello of one of so many nodes of a process.
fn hello_of(beside: usize) -> NodeHello {
    NodeHello {
        terms: TERMS,
        role: "worker".to_owned(),
        capacity: None,
        builds: vec![("child".to_owned(), 7)],
        holds: false,
        beside,
        heard: crate::epoch::Heard::default(),
        build: String::new(),
        leases: std::collections::HashMap::new(),
    }
}

/// A node whose frames the test writes.
struct Node {
    link: Box<dyn Link>,
    owner: Peer,
    sent: u64,
    heard: u64,
    renewals: u64,
}

impl Node {
    /// Joins as one of so many nodes of a process.
    async fn join(network: &Network, name: &str, beside: usize) -> Node {
        let mut node = Node::meet(network, name).await;
        node.say(ToOwner::Hello(hello_of(beside)));
        node.renew().await;
        node
    }

    /// Meets the owner, and says nothing.
    async fn meet(network: &Network, name: &str) -> Node {
        let mut link = network.process(name).join(Side::Node).await.unwrap();
        let owner = match next(&mut *link).await {
            LinkEvent::Up(owner, _) => owner,
            other => panic!("{other:?}"),
        };
        Node { link, owner, sent: 0, heard: 0, renewals: 0 }
    }

    fn say(&mut self, body: ToOwner) {
        self.sent += 1;
        self.link.outgoing().send(&self.owner, Framed { seq: self.sent, body }.write());
    }

    /// Asks for a renewal. Returns the placements that are not renewed.
    async fn renew(&mut self) -> Vec<u64> {
        self.renewals += 1;
        let mine = self.renewals;
        self.say(ToOwner::Renew { asked: mine, heard: self.heard, round_trip: None });
        loop {
            if let ToNode::Grant { asked, gone, .. } = self.hear().await
                && asked == mine
            {
                return gone;
            }
        }
    }

    async fn hear(&mut self) -> ToNode {
        loop {
            if let LinkEvent::Frame { bytes, .. } = next(&mut *self.link).await {
                let Framed { seq, body } = frame::read::<ToNode>(&bytes).unwrap();
                self.heard = self.heard.max(seq);
                return body;
            }
        }
    }
}

async fn next(link: &mut dyn Link) -> LinkEvent {
    std::future::poll_fn(|cx| link.poll_event(cx)).await.expect("the link is open")
}

/// An owner with one node, and a child that is placed there.
struct World {
    run: Arc<Run>,
    node: Option<Node>,
    holder: Arc<Holder>,
    placement: u64,
}

/// Places a child of this path.
fn place_as(run: &Run, holder: &Arc<dyn Placed>, path: &str) -> Result<(u64, Peer), Waits> {
    let (key, path): (Arc<str>, Arc<str>) = ("child".into(), path.into());
    let order = |placement, epoch| PlaceOrder {
        placement,
        key: "child".to_owned(),
        build: 7,
        captured: ByteBuf::new(),
        path: path.to_string(),
        incarnation: 1,
        healing: None,
        lease: LEASE,
        shutdown: SHUTDOWN,
        epoch,
        redelivers: false,
    };
    let wish = PlacementRequest {
        spec: SPEC,
        key: &key,
        path: &path,
        shutdown: SHUTDOWN,
        before: None,
        declined: &[],
        order: &order,
        holder: Arc::downgrade(holder),
    };
    run.forget_clear(&path);
    let placed = run.place(&wish);
    run.flush();
    placed
}

impl World {
    async fn new() -> World {
        let network = Network::new();
        let net = Net::open(network.process("owner"));
        World::of(&network, &net, begin(true)).await
    }

    async fn of(network: &Network, net: &Net, begin: Begin) -> World {
        let knows = begin.knows;
        let (run, unjoined) = Run::new(net.0.clone(), begin);
        run.join(unjoined);
        sleep(Duration::from_millis(1)).await;
        let node = Node::join(network, "one", 1).await;
        let holder = Arc::new(Holder::default());
        let mut world = World { run, node: Some(node), holder, placement: 0 };
        if knows {
            world.placement = world.place().expect("there is a node").0;
        }
        world
    }

    fn place(&self) -> Result<(u64, Peer), Waits> {
        place_as(&self.run, &(self.holder.clone() as Arc<dyn Placed>), "child")
    }

    /// The state of the path: `free` if it could be placed again as soon as there is a node, `for ever` while the old
    /// placement is renewed, or the milliseconds until it is sure not to act any more.
    fn path(&self) -> String {
        match self.place() {
            Ok((id, _)) => {
                self.run.give_up(id);
                "free".to_owned()
            }
            Err(Waits::Node { .. }) => "free".to_owned(),
            Err(Waits::Older { until: None, .. }) => "for ever".to_owned(),
            Err(Waits::Older { until: Some(until), .. }) => {
                format!("{} ms", until.since(self.run.clock().now()).as_millis())
            }
            Err(Waits::Takeover { .. } | Waits::Over) => panic!("the owner is a fresh one"),
        }
    }

    async fn event(&mut self, event: &str) {
        let placement = self.placement;
        let failure = || {
            crate::errors::to_wire(
                &crate::hooks::failure(supervise::Phase::Running, supervise::Cause::Killed, "child".to_owned(), 1),
                crate::errors::Errors::TEXT,
            )
        };
        let frame = match event {
            "up" => ToOwner::Up { placement },
            "begun" => ToOwner::Begun { placement, upto: 1, done: 1, ends: false },
            "failed" => ToOwner::Failed { placement, number: 1, failure: failure(), begun: 0, done: 0 },
            "not up" => ToOwner::NotUp { placement, failure: failure() },
            "declined" => ToOwner::Declined { placement, why: String::new() },
            "ended" => ToOwner::Ended { placement, how: EndKind::Told, failures: Vec::new(), begun: 0, done: 0 },
            "vanished" => ToOwner::Vanished { placement },
            "fenced" => ToOwner::Fenced { path: "child".to_owned() },
            "leaving" => ToOwner::Leaving,
            "refused" => ToOwner::Refused { why: "a newer owner".to_owned() },
            "given up" => return self.run.give_up(placement),
            "node down" => {
                self.node = None;
                return sleep(Duration::from_millis(1)).await;
            }
            "a gap" => {
                if let Some(node) = &mut self.node {
                    node.sent += 1;
                }
                ToOwner::Up { placement }
            }
            "time" => return sleep(LEASE + SHUTDOWN + Duration::from_millis(500)).await,
            other => panic!("{other}"),
        };
        if let Some(node) = &mut self.node {
            node.say(frame);
        }
        sleep(Duration::from_millis(1)).await;
    }

    /// The events that the proxy has got, and the state of the path.
    fn seen(&self) -> String {
        let heard = std::mem::take(&mut *self.holder.0.lock().unwrap());
        [heard.join(" "), self.path()].iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(", ")
    }
}

/// 1 % more for two clocks, and a millisecond for the way of each frame.
const HELD: &str = "for ever";

#[tokio::test(start_paused = true)]
async fn each_state_with_each_event() {
    // Each row: the events that lead to a state, then each further event with the observations that it causes.
    type Seen = &'static [(&'static str, &'static str)];
    let table: [(&[&str], Seen); 3] = [
        // Held by its proxy.
        (
            &[],
            &[
                ("up", "frame, for ever"),
                ("begun", "frame, for ever"),
                ("failed", "frame, for ever"),
                ("not up", "frame, free"),
                ("declined", "frame, free"),
                ("ended", "frame, free"),
                ("vanished", "frame, free"),
                ("fenced", "fenced, for ever"),
                ("leaving", "moves, for ever"),
                ("refused", "lost, 3029 ms"),
                ("given up", "3030 ms"),
                ("node down", "lost, 3029 ms"),
                ("a gap", "lost, 3029 ms"),
                ("time", "lost, free"),
            ],
        ),
        // Given up by its proxy, and not known to be down.
        (
            &["given up"],
            &[
                ("up", "3029 ms"),
                ("begun", "3029 ms"),
                ("failed", "3029 ms"),
                ("not up", "free"),
                ("declined", "free"),
                ("ended", "free"),
                ("vanished", "free"),
                ("fenced", "fenced, 3029 ms"),
                ("leaving", "3029 ms"),
                ("refused", "3029 ms"),
                ("given up", "3030 ms"),
                ("node down", "3029 ms"),
                ("a gap", "3029 ms"),
                ("time", "free"),
            ],
        ),
        // On a node that is lost.
        (
            &["node down"],
            &[
                ("up", "3028 ms"),
                ("ended", "3028 ms"),
                ("leaving", "3028 ms"),
                ("given up", "3029 ms"),
                ("time", "free"),
            ],
        ),
    ];
    for (state, events) in table {
        for (event, expected) in events {
            let mut world = World::new().await;
            for event in state {
                world.event(event).await;
            }
            world.holder.0.lock().unwrap().clear();
            world.event(event).await;
            assert_eq!(world.seen(), *expected, "{state:?}, then {event}");
        }
    }
    assert_eq!(HELD, "for ever");
}

/// A placement that is given up is not renewed any more, and one that is held is, as long as its node asks.
#[tokio::test(start_paused = true)]
async fn only_what_is_held_is_renewed() {
    let mut world = World::new().await;
    for _ in 0..10 {
        sleep(LEASE / 3).await;
        assert_eq!(world.node.as_mut().unwrap().renew().await, Vec::<u64>::new());
    }
    assert_eq!(world.path(), HELD);
    world.event("given up").await;
    let placement = world.placement;
    assert_eq!(world.node.as_mut().unwrap().renew().await, [placement]);
    // Kept until the node has read the abort: an order may still be under way when the placement can no longer act.
    let node = world.node.as_mut().unwrap();
    let heard = std::mem::take(&mut node.heard);
    assert_eq!(node.renew().await, [placement]);
    node.heard = heard;
    assert_eq!(node.renew().await, Vec::<u64>::new());
}

/// The placements of a node that refuses this owner count as lost, so none is renewed either, as long as an order of it may be under way.
#[tokio::test(start_paused = true)]
async fn a_placement_that_was_refused_is_not_renewed() {
    let mut world = World::new().await;
    let placement = world.placement;
    let node = world.node.as_mut().unwrap();
    node.say(ToOwner::Refused { why: "another owner".to_owned() });
    assert_eq!(node.renew().await, [placement]);
}

/// A node of another version of the protocol is given nothing, and its owner says why.
#[tokio::test(start_paused = true)]
async fn a_node_of_another_protocol_is_refused() {
    let mut world = World::new().await;
    world.event("ended").await;
    let node = world.node.as_mut().unwrap();
    node.say(ToOwner::Hello(NodeHello {
        terms: Terms { protocol: PROTOCOL + 1, ..TERMS },
        role: "worker".to_owned(),
        capacity: None,
        builds: vec![("child".to_owned(), 7)],
        holds: false,
        beside: 1,
        heard: crate::epoch::Heard::default(),
        build: String::new(),
        leases: std::collections::HashMap::new(),
    }));
    sleep(Duration::from_millis(1)).await;
    match world.place() {
        Err(Waits::Node { refused }) => {
            let theirs = format!("version {} of the protocol", PROTOCOL + 1);
            assert!(refused[0].contains(&theirs), "{refused:?}");
        }
        _ => panic!("it was placed"),
    }
}

/// S63: a node of another tree says so. It is no silent one, whose link would end, and nothing is placed there.
#[tokio::test(start_paused = true)]
async fn a_node_of_another_tree_keeps_its_link() {
    let network = Network::new();
    let net = Net::open(network.process("owner"));
    let (run, unjoined) = Run::new(net.0.clone(), begin(true));
    run.join(unjoined);
    sleep(Duration::from_millis(1)).await;
    let mut node = Node::meet(&network, "other").await;
    let me = node.link.me().clone();
    for (tree, is_refused) in [("Other", false), ("Shop", true)] {
        node.say(ToOwner::Elsewhere { tree: tree.to_owned(), module: "elsewhere".to_owned() });
        sleep(HELLO * 3).await;
        let view = run.view();
        assert!(view.nodes.is_empty() && run.lock_only().nodes.contains_key(&me), "{tree}");
        assert_eq!(view.refused.len(), usize::from(is_refused));
        let texts = ["the tree `elsewhere::Shop`", "the owner runs `supervise_remote::run::tests::Shop`"];
        let says = |text: &&str| view.refused.iter().all(|node| node.why.contains(text));
        assert!(texts.iter().all(says), "{:?}", view.refused);
    }
    // A node that says nothing at all is silent.
    let silent = Node::meet(&network, "silent").await;
    let me = silent.link.me().clone();
    sleep(HELLO * 3).await;
    assert!(!run.lock_only().nodes.contains_key(&me));
}

/// S60: a process may serve several roles. Of one that is named in `peers`, each node has to have said that it is free.
#[tokio::test(start_paused = true)]
async fn each_node_of_a_process_says_that_it_is_free() {
    let network = Network::new();
    let net = Net::open(network.process("owner"));
    let peers: Option<Arc<[String]>> = Some(["two".to_owned()].into());
    let begin = Begin { peers, ..begin(false) };
    let world = World::of(&network, &net, begin).await;
    let waits = |world: &World| matches!(world.place(), Err(Waits::Takeover { .. }));
    assert!(waits(&world) && world.run.acts(), "`two` is not there");
    let _first = Node::join(&network, "two", 2).await;
    assert!(waits(&world) && world.run.acts(), "one of its two nodes is there");
    let _second = Node::join(&network, "two", 2).await;
    assert!(!waits(&world));
}

/// Without the list, the run does not know that it is alone until its takeover is over.
#[tokio::test(start_paused = true)]
async fn without_a_list_a_run_waits_for_the_end_of_its_takeover() {
    let network = Network::new();
    let net = Net::open(network.process("owner"));
    let begin = begin(false);
    let world = World::of(&network, &net, begin).await;
    sleep(LEASE + SHUTDOWN - Duration::from_millis(100)).await;
    assert!(world.run.acts());
    sleep(Duration::from_millis(200)).await;
    assert!(!world.run.acts());
}

/// Lends the holding of a tree under a lease to a test.
#[derive(Default)]
struct Lends(Mutex<Option<Held>>);

impl TreeNetwork for Lends {
    fn begins(
        &self,
        _root: TreeRoot,
        _tree: &'static TreeSpec,
        held: Option<Held>,
        _run: TreeRun,
    ) -> Result<(), String> {
        *self.0.lock().unwrap() = held;
        Ok(())
    }

    fn over(&self, _root: &TreeRoot, _all_down: bool) {}

    fn view(&self, _root: &TreeRoot) -> NetworkView {
        NetworkView::default()
    }
}

supervise::supervisor! {
    struct Empty {
        nothing: task = std::future::pending::<()>(),
    }
}

/// S60: the next holder of the lease of a tree counts the time of instances from the end of the holding before. So an owner
/// whose holding is over grants nothing, and places nothing.
#[tokio::test(start_paused = true)]
async fn nothing_is_granted_once_the_lease_of_the_tree_is_over() {
    let lends = Arc::new(Lends::default());
    let lease = supervise::testing::MemoryLease::new("shop").ttl(Duration::from_secs(9));
    let network: Arc<dyn TreeNetwork> = lends.clone();
    let tree = Empty::tree().on(crate::hooks::on(network)).only_with(lease.clone()).start().await.unwrap();
    let held = lends.0.lock().unwrap().clone().expect("it is under a lease");

    let network = Network::new();
    let net = Net::open(network.process("owner"));
    let begin = Begin { held: Some(held.clone()), ..begin(true) };
    let mut world = World::of(&network, &net, begin).await;
    let mut node = world.node.take().unwrap();
    assert_eq!(node.renew().await, Vec::<u64>::new());
    lease.set_fault(supervise::testing::LeaseFault::Cut);
    while !held.is_over() {
        sleep(Duration::from_millis(500)).await;
        node.say(ToOwner::Renew { asked: 0, heard: 0, round_trip: None }); // kept alive until then
    }
    let renewed = tokio::time::timeout(LEASE / 2, node.renew()).await;
    assert!(renewed.is_err(), "it was granted");
    assert!(matches!(world.place(), Err(Waits::Over)));
    drop(tree);
}

/// S57: a renewal that comes while a node is being lost finds no node. Nothing is placed there, and nothing is renewed.
#[tokio::test(start_paused = true)]
async fn a_renewal_in_the_middle_of_a_loss_renews_nothing() {
    /// Does, as the loss is reported to it, what other threads may do then.
    struct Meanwhile {
        run: Weak<Run>,
        node: Peer,
        placed: Mutex<Option<bool>>,
    }

    impl Placed for Meanwhile {
        fn frame(&self, _placement: u64, _frame: ToOwner) {}
        fn lost(&self, _placement: u64, _node: &Peer, _after: Duration) {
            let run = self.run.upgrade().unwrap();
            let renewal = ToOwner::Renew { asked: 9, heard: 0, round_trip: None };
            run.takes_sign(&self.node, &Framed { seq: AHEAD, body: renewal }.write());
            let placed = place_as(&run, &(Arc::<Holder>::default() as Arc<dyn Placed>), "another").is_ok();
            *self.placed.lock().unwrap() = Some(placed);
        }
        fn moves(&self, _placement: u64) {}
        fn fenced(&self) {}
    }

    let mut world = World::new().await;
    world.event("ended").await;
    let node = world.node.as_mut().unwrap();
    node.renew().await;
    let me = node.link.me().clone();
    let holder = Arc::new(Meanwhile { run: Arc::downgrade(&world.run), node: me.clone(), placed: Mutex::default() });
    place_as(&world.run, &(holder.clone() as Arc<dyn Placed>), "child").unwrap();
    world.run.down(&me);
    assert_eq!(*holder.placed.lock().unwrap(), Some(false));
    let state = world.run.lock_only();
    assert!(state.placements.values().all(|placement| placement.clear_at.is_some()), "each is clear at some time");
}

/// S57: an owner whose task has had no turn for twice the lease grants nothing. The renewal is read with its next turn.
#[tokio::test(start_paused = true)]
async fn an_owner_that_stands_still_grants_nothing() {
    let network = Network::new();
    // The test reads in place of the task, which never begins.
    let (run, _unjoined) = Run::new(Net::open(network.process("owner")).0, begin(true));
    let me = Peer::new("one#1");
    run.up(me.clone(), Rights::all());
    run.frame(&me, &Framed { seq: 1, body: ToOwner::Hello(hello_of(1)) }.write());
    let renewal = ToOwner::Renew { asked: 9, heard: 0, round_trip: None };
    let renewal = Framed { seq: AHEAD, body: renewal }.write();
    let granted = || run.lock_only().nodes.get(&me).and_then(|node| node.granted);
    run.lock_only().turned = Some(run.clock().now());
    sleep(2 * LEASE - Duration::from_millis(1)).await;
    assert!(run.takes_sign(&me, &renewal));
    let last = granted();
    assert!(last.is_some());
    sleep(Duration::from_millis(1)).await;
    assert!(!run.takes_sign(&me, &renewal), "it is left to the task");
    assert_eq!(granted(), last);
    run.frame(&me, &renewal);
    assert!(granted() > last);
}

/// A subscriber of the log that does this at the line of a node that is lost, on the thread that has written the line.
struct AtLost(Box<dyn Fn() + Send + Sync>);

impl tracing::Subscriber for AtLost {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "supervise" || metadata.target().starts_with("supervise_remote")
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct IsLost(bool);
        impl tracing::field::Visit for IsLost {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0 |= field.name() == "message" && format!("{value:?}") == "node lost";
            }
        }
        let mut is_lost = IsLost(false);
        event.record(&mut is_lost);
        if is_lost.0 {
            (self.0)();
        }
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// S57: a subscriber of the log that blocks the task of an owner, which has taken the `Up` of a node out of the link and does not
/// know the node yet, costs nothing: the leases of the others go on, and no sign of the new node is lost.
#[tokio::test(start_paused = true)]
async fn a_subscriber_that_blocks_costs_nothing() {
    let network = Network::new();
    let mut world = World::of(&network, &Net::open(network.process("owner")), begin(true)).await;
    let two = Node::join(&network, "two", 1).await;
    // A child on it, so that its loss is a line of the log.
    let holder: Arc<dyn Placed> = Arc::<Holder>::default();
    let child = place_as(&world.run, &holder, "another").unwrap();
    assert_eq!(child.1, *two.link.me());
    let one = world.node.as_ref().unwrap().link.me().clone();
    let three: Arc<Mutex<Option<Peer>>> = Arc::default();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let (run, new, into) = (Arc::downgrade(&world.run), three.clone(), seen.clone());
    let blocks = move || {
        let (run, new, one) = (run.upgrade().unwrap(), new.lock().unwrap().clone().unwrap(), one.clone());
        let (tell, told) = std::sync::mpsc::channel();
        // The thread of the wire goes on beside.
        let runtime = tokio::runtime::Handle::current();
        std::thread::spawn(move || {
            let _its_clock = runtime.enter();
            let sign = |number| {
                let renewal = ToOwner::Renew { asked: number, heard: 0, round_trip: None };
                Framed { seq: AHEAD, body: renewal }.write()
            };
            let before = run.lock_only().nodes.get(&one).and_then(|node| node.granted);
            let is_taken = run.takes_sign(&one, &sign(100));
            let granted = run.lock_only().nodes.get(&one).and_then(|node| node.granted);
            let is_known = run.lock_only().nodes.contains_key(&new);
            let of_new = run.takes_sign(&new, &sign(1));
            let _ = tell.send(format!("{is_taken} {} {is_known} {of_new}", granted > before));
        });
        // A time longer than any lock is held. The wait would end only by it if the log were written under such a lock.
        let text = told.recv_timeout(Duration::from_secs(10)).unwrap_or_else(|error| error.to_string());
        into.lock().unwrap().push(text);
    };
    let log = tracing::subscriber::set_default(AtLost(Box::new(blocks)));
    sleep(Duration::from_millis(10)).await;
    // The owner reads both at once: first the loss, then the new node.
    drop(two);
    let link = network.process("three").join(Side::Node).await.unwrap();
    *three.lock().unwrap() = Some(link.me().clone());
    sleep(Duration::from_millis(1)).await;
    drop(log);
    assert_eq!(*seen.lock().unwrap(), ["true true false false"], "one renews, and the sign of the new one waits");
    // The owner meets the new node like any other.
    let mut three = Node { link, owner: Peer::new(""), sent: 0, heard: 0, renewals: 0 };
    three.owner = match next(&mut *three.link).await {
        LinkEvent::Up(owner, _) => owner,
        other => panic!("{other:?}"),
    };
    three.say(ToOwner::Hello(hello_of(1)));
    assert_eq!(three.renew().await, Vec::<u64>::new());
    assert_eq!(world.node.as_mut().unwrap().renew().await, Vec::<u64>::new());
}

mod local {
    use supervise::prelude::*;

    supervisor! {
        pub(super) struct Shop {
            idle: task = |cx| async move { cx.stopped().await },
        }
    }
}

/// An owner, and the events of nodes of its tree, each with the second in which it came.
async fn told() -> (Network, supervise::Running<local::Shop>, Arc<Mutex<Vec<(u64, String)>>>) {
    let network = Network::new();
    let shop = local::Shop::tree().on(Net::open(network.process("owner")).fresh()).start().await.unwrap();
    let (mut events, told) = (shop.events(), Arc::<Mutex<Vec<_>>>::default());
    let (into, begin) = (told.clone(), tokio::time::Instant::now());
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            let text = match event.kind {
                EventKind::NodeJoined { .. } => "joined".to_owned(),
                EventKind::NodeLeft { .. } => "left".to_owned(),
                EventKind::NodeRefused { why, .. } => why.into(),
                _ => continue,
            };
            into.lock().unwrap().push((begin.elapsed().as_secs(), text));
        }
    });
    (network, shop, told)
}

/// S63: a node makes no more events than one in ten seconds, whatever its reasons. The last reason has an event in the
/// end.
#[tokio::test(start_paused = true)]
async fn a_node_with_ever_new_reasons_is_told_now_and_then() {
    let (network, shop, told) = told().await;
    let mut node = Node::meet(&network, "one").await;
    for round in 0..2_500 {
        node.say(ToOwner::Refused { why: format!("reason {round}") });
        sleep(Duration::from_millis(10)).await;
    }
    sleep(Duration::from_secs(60)).await;
    let told = told.lock().unwrap().clone();
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told[0], (0, "reason 0".to_owned()));
    for (at, (second, why)) in told.iter().enumerate().skip(1) {
        assert!((10 * at as u64..=10 * at as u64 + 1).contains(second), "{told:?}");
        assert!(why.ends_with(" changes before this are not told"), "{told:?}");
    }
    assert!(told[3].1.starts_with("reason 2499; "), "{told:?}");
    let refused = shop.snapshot().network.unwrap().refused;
    assert_eq!(refused[0].why, "reason 2499");
}

/// S63: the same for a node that follows, and does not, in turn.
#[tokio::test(start_paused = true)]
async fn a_node_that_follows_and_does_not_is_told_now_and_then() {
    let (network, _shop, told) = told().await;
    let mut node = Node::join(&network, "one", 1).await;
    for _ in 0..600 {
        node.say(ToOwner::Refused { why: "no".to_owned() });
        sleep(Duration::from_millis(20)).await;
        node.say(ToOwner::Hello(hello_of(1)));
        sleep(Duration::from_millis(20)).await;
        node.renew().await;
    }
    node.say(ToOwner::Refused { why: "no".to_owned() });
    sleep(Duration::from_secs(20)).await;
    let told = told.lock().unwrap().clone();
    let texts: Vec<_> = told.iter().map(|(_, text)| text.split(';').next().unwrap()).collect();
    assert!((3..=8).contains(&texts.len()), "{told:?}");
    assert_eq!(texts.first(), Some(&"joined"));
    assert_eq!(texts.last(), Some(&"no"), "the tree knows how it is in the end");
    let joined = texts.iter().filter(|text| **text == "joined").count();
    assert_eq!(texts.iter().filter(|text| **text == "left").count(), joined, "{told:?}");
}

/// S63: a process that joins again and again is told of sixteen times in ten seconds, with each end.
#[tokio::test(start_paused = true)]
async fn a_process_that_comes_back_without_an_end_is_told_now_and_then() {
    let (network, _shop, told) = told().await;
    for _ in 0..200 {
        drop(Node::join(&network, "one", 1).await);
        sleep(Duration::from_millis(10)).await;
    }
    let other = Node::join(&network, "two", 1).await;
    sleep(Duration::from_millis(10)).await;
    let told = told.lock().unwrap().clone();
    let count = |wanted: &str| told.iter().filter(|(_, text)| text == wanted).count();
    assert_eq!((count("joined"), count("left")), (16 + 1, 16), "{told:?}");
    drop(other);
}
