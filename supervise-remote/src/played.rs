//! Trees of this crate, with a node that the test plays: what a node of this build never says, or seldom.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use supervise::event::{Event, EventKind};
use supervise::prelude::*;
// As users have it. It is another copy of this crate, and its frames are the same bytes.
use supervise_remote::memory::Network;
use supervise_remote::wire::{Link, LinkEvent, Peer, Side, Wire as _};
use tokio::time::sleep;

use crate::frame::{
    self, EndKind, Framed, NodeHello, PROTOCOL, PlaceOrder, Terms, ToNode, ToOwner, WireCause, WireFailure, WirePhase,
};

const MS: Duration = Duration::from_millis(1);

struct Played;

#[derive(Serialize, Deserialize)]
struct Note(u64);

#[actor]
impl Played {
    fn handle(&mut self, _: Note) {}
}

supervisor! {
    struct Plays {
        #[on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        #[decider(|_| supervise::policy::Directive::Resume)]
        played: remote Played = Played,
    }
}

struct Node {
    link: Box<dyn Link>,
    owner: Peer,
    sent: u64,
}

impl Node {
    async fn join(network: &Network) -> Node {
        Node::join_with(network, HashMap::new()).await
    }

    /// Joins with these leases of children.
    async fn join_with(network: &Network, leases: HashMap<String, Duration>) -> Node {
        let mut link = network.process("one").join(Side::Node).await.unwrap();
        let up = std::future::poll_fn(|cx| link.poll_event(cx)).await;
        let Some(LinkEvent::Up(owner, _)) = up else { panic!("{up:?}") };
        let spec = Plays::SPEC.children[0].remote.unwrap();
        let mut node = Node { link, owner, sent: 0 };
        node.say(ToOwner::Hello(NodeHello {
            terms: Terms { protocol: PROTOCOL, max_frame: crate::MAX_FRAME },
            role: "worker".to_owned(),
            capacity: None,
            builds: vec![((spec.key)(), spec.build)],
            holds: false,
            beside: 1,
            heard: crate::epoch::Heard::default(),
            build: String::new(),
            leases,
        }));
        node.say(ToOwner::Renew { asked: 1, heard: 0, round_trip: None });
        node
    }

    fn say(&mut self, body: ToOwner) {
        self.sent += 1;
        self.link.outgoing().send(&self.owner, Framed { seq: self.sent, body }.write());
    }

    /// Waits for the next order to start, and renews meanwhile.
    async fn order(&mut self) -> PlaceOrder {
        for _ in 0..100 {
            let event = tokio::time::timeout(500 * MS, std::future::poll_fn(|cx| self.link.poll_event(cx))).await;
            match event {
                Ok(Some(LinkEvent::Frame { bytes, .. })) => {
                    if let ToNode::Place(order) = frame::read::<ToNode>(&bytes).unwrap().body {
                        return *order;
                    }
                }
                Ok(_) => {}
                Err(_) => self.say(ToOwner::Renew { asked: 1, heard: 0, round_trip: None }),
            }
        }
        panic!("nothing is ordered");
    }
}

type Starts = (tokio::task::JoinHandle<Running<Plays>>, Arc<Mutex<Vec<Event>>>);

async fn plays() -> (Node, tokio::task::JoinHandle<Running<Plays>>, Arc<Mutex<Vec<Event>>>) {
    let network = Network::new();
    let (starting, seen) = starts(&network).await;
    (Node::join(&network).await, starting, seen)
}

/// Starts the tree, which waits for a node.
async fn starts(network: &Network) -> Starts {
    let net = supervise_remote::Net::open(network.process("owner")).fresh();
    let mut tree = Plays::tree().on(net);
    let (mut events, seen) = (tree.events(), Arc::<Mutex<Vec<Event>>>::default());
    let into = seen.clone();
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            assert!(!matches!(event.kind, EventKind::Missed { .. }), "they are read at once");
            into.lock().unwrap().push(event);
        }
    });
    let starting = tokio::spawn(async move { tree.start().await.unwrap() });
    sleep(MS).await;
    (starting, seen)
}

fn count(seen: &Mutex<Vec<Event>>, is: impl Fn(&EventKind) -> bool) -> usize {
    seen.lock().unwrap().iter().filter(|event| is(&event.kind)).count()
}

/// S63: a node that declines a child again and again raises one event, and so does the wait.
#[tokio::test(start_paused = true)]
async fn a_reason_is_told_once_for_each_wait() {
    let (mut node, starting, seen) = plays().await;
    for _ in 0..10 {
        let placement = node.order().await.placement;
        node.say(ToOwner::Declined { placement, why: "the node has no lease".to_owned() });
    }
    let placement = node.order().await.placement;
    node.say(ToOwner::Up { placement });
    let _plays = starting.await.unwrap();
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::Placed { .. })), 11);
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::Refused { .. })), 1);
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::NoNode { .. })), 1);
}

/// S62: an end by a failure that nobody was asked about crosses with its cause. There is nothing to resume.
#[tokio::test(start_paused = true)]
async fn an_end_by_a_bug_has_its_cause() {
    let (mut node, starting, seen) = plays().await;
    let placement = node.order().await.placement;
    node.say(ToOwner::Up { placement });
    let plays = starting.await.unwrap();
    let failure = WireFailure {
        phase: WirePhase::Running,
        cause: WireCause::Bug("a bug".to_owned()),
        path: "played".to_owned(),
        incarnation: 1,
    };
    node.say(ToOwner::Ended { placement, how: EndKind::Failed(failure), failures: Vec::new(), begun: 0, done: 0 });
    let placement = node.order().await.placement;
    node.say(ToOwner::Up { placement });
    sleep(10 * MS).await;
    assert_eq!(plays.played.incarnation(), Some(2), "resumed, it would have no instance");
    let is_bug =
        |kind: &EventKind| matches!(kind, EventKind::Failed { failure, .. } if failure.to_string().contains("a bug"));
    assert_eq!(count(&seen, is_bug), 1);
}

/// S57: an instance whose task vanished is replaced, and what it may have begun is unknown.
#[tokio::test(start_paused = true)]
async fn an_instance_whose_task_vanished_is_replaced() {
    let (mut node, starting, seen) = plays().await;
    let placement = node.order().await.placement;
    node.say(ToOwner::Up { placement });
    let plays = starting.await.unwrap();
    plays.played.tell(Note(1)).await.unwrap();
    sleep(10 * MS).await;
    node.say(ToOwner::Vanished { placement });
    let placement = node.order().await.placement;
    node.say(ToOwner::Up { placement });
    sleep(10 * MS).await;
    assert_eq!(plays.played.incarnation(), Some(2));
    use supervise::event::DeadLetterReason;
    let unknown = |kind: &EventKind| matches!(kind, EventKind::DeadLetter { reason: DeadLetterReason::Unknown, .. });
    assert_eq!(count(&seen, unknown), 1);
}

/// S63: of two builds, a constant may have two values. A node for whose renewals the lease is too short gets no order, and both
/// values are reported once.
#[tokio::test(start_paused = true)]
async fn a_node_with_another_lease_gets_no_order() {
    let network = Network::new();
    let (starting, seen) = starts(&network).await;
    let spec = Plays::SPEC.children[0].remote.unwrap();
    let mut node = Node::join_with(&network, [((spec.key)(), 2 * spec.lease)].into()).await;
    for _ in 0..20 {
        sleep(500 * MS).await;
        node.say(ToOwner::Renew { asked: 1, heard: 0, round_trip: None });
    }
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::Placed { .. })), 0);
    let told =
        |kind: &EventKind| matches!(kind, EventKind::Refused { why } if why.contains("4s") && why.contains("2s"));
    assert_eq!(count(&seen, told), 1, "{:?}", seen.lock().unwrap());
    drop(node);
    let mut node = Node::join_with(&network, [((spec.key)(), spec.lease)].into()).await;
    let placement = node.order().await.placement;
    node.say(ToOwner::Up { placement });
    drop(starting.await.unwrap());
}
