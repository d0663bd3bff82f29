//! Trees of this crate, with a node or an owner that the test plays: what these of this build never say, or seldom.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use supervise::event::{Event, EventKind};
use supervise::prelude::*;
// As users have it. It is another copy of this crate, and its frames are the same bytes.
use supervise_remote::memory::Network;
use supervise_remote::wire::{Link, LinkEvent, Peer, Side, Wire as _};
use supervise_runtime::remote as hooks;
use tokio::time::sleep;

use crate::frame::{
    self, Framed, How, NodeHello, PROTOCOL, PlaceOrder, Terms, ToNode, ToOwner, WireCause, WireFailure, WirePhase,
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

async fn plays() -> (Node, tokio::task::JoinHandle<Running<Plays>>, Arc<Mutex<Vec<Event>>>) {
    let network = Network::new();
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
    (Node::join(&network).await, starting, seen)
}

fn count(seen: &Mutex<Vec<Event>>, is: impl Fn(&EventKind) -> bool) -> usize {
    seen.lock().unwrap().iter().filter(|event| is(&event.kind)).count()
}

/// S63: a node that declines a child again and again is told of once, and so is the wait.
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
    node.say(ToOwner::Ended { placement, how: How::Failed(failure), failures: Vec::new(), begun: 0, done: 0 });
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
async fn what_vanished_is_replaced() {
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

/// S63: of two builds, a constant may have two values. A node runs a child only with the lease for which it renews.
#[tokio::test(start_paused = true)]
async fn an_order_with_another_lease_is_declined() {
    let network = Network::new();
    let net = supervise_remote::Net::open(network.process("one"));
    let node = tokio::spawn(Plays::node("worker").serve(net, std::future::pending::<()>()));
    let mut link = network.process("owner").join(Side::Owner).await.unwrap();
    let (mut sent, mut peer) = (0, None);
    let spec = Plays::SPEC.children[0].remote.unwrap();
    let mut leases = [spec.lease * 2, spec.lease / 2, spec.lease].into_iter().zip(1..);
    let mut answers = Vec::new();
    let event = async |link: &mut Box<dyn Link>| std::future::poll_fn(|cx| link.poll_event(cx)).await.unwrap();
    while answers.len() < 3 {
        let mut says = Vec::new();
        match event(&mut link).await {
            LinkEvent::Up(node, _) => {
                peer = Some(node);
                says.push(ToNode::Hello {
                    terms: Terms { protocol: PROTOCOL, max_frame: crate::MAX_FRAME },
                    tree: Plays::SPEC.name.to_owned(),
                    module: Plays::SPEC.module.to_owned(),
                    epoch: 1,
                    build: String::new(),
                });
            }
            LinkEvent::Down(_) => panic!("the node is down"),
            LinkEvent::Frame { bytes, .. } => match frame::read::<ToOwner>(&bytes).unwrap().body {
                ToOwner::Renew { asked, heard: _, round_trip: _ } => {
                    says.push(ToNode::Grant { asked, gone: Vec::new(), heard: 0 });
                    if let Some((lease, placement)) = leases.next() {
                        says.push(ToNode::Place(Box::new(PlaceOrder {
                            placement,
                            key: (spec.key)(),
                            build: spec.build,
                            captured: hooks::encode(&(), &mut 0, None).unwrap().0.into(),
                            path: "played".to_owned(),
                            incarnation: 1,
                            healing: None,
                            lease,
                            shutdown: Duration::from_secs(1),
                            epoch: 1,
                            redelivers: false,
                        })));
                    }
                }
                ToOwner::Declined { why, .. } => answers.push(why),
                ToOwner::Up { placement } => answers.push(format!("{placement} is up")),
                _ => {}
            },
        }
        for body in says {
            sent += 1;
            link.outgoing().send(peer.as_ref().unwrap(), Framed { seq: sent, body }.write());
        }
    }
    let declined =
        |owner: &str| format!("the lease of this child is 2s at the node, and {owner} at its owner; give it one value");
    assert_eq!(answers, [declined("4s"), declined("1s"), "3 is up".to_owned()]);
    node.abort();
}
