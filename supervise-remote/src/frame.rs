//! The frames between an owner and a node.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::epoch::Heard;

/// Grows with each change of the frames that an older build cannot read.
pub(crate) const PROTOCOL: u32 = 4;

/// The settings that an owner and its nodes have to share. Each side says its own in its hello.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub(crate) protocol: u32,
    #[serde(default)]
    pub(crate) max_frame: usize,
}

impl Terms {
    /// Returns why these terms, which are those of `peer`, do not go with the ones of this process, an `us`.
    pub(crate) fn refused(self, ours: Terms, peer: &str, us: &str) -> Option<String> {
        let Terms { protocol, max_frame } = self;
        if protocol != ours.protocol {
            return Some(format!(
                "{peer} speaks version {protocol} of the protocol, this {us} version {}",
                ours.protocol
            ));
        }
        (max_frame != ours.max_frame).then(|| {
            format!(
                "{peer} takes messages of at most {max_frame} bytes, this {us} of {}; set `Net::max_frame` alike on all \
                 processes",
                ours.max_frame
            )
        })
    }
}

/// The number of a frame that may come ahead of earlier ones, or get lost: a renewal, and its answer.
pub(crate) const AHEAD: u64 = 0;

/// A frame with its number. The first one of each direction is 1; a gap ends the link.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Framed<B> {
    pub(crate) seq: u64,
    pub(crate) body: B,
}

impl<B: Serialize> Framed<B> {
    pub(crate) fn write(&self) -> Vec<u8> {
        rmp_serde::to_vec_named(self).expect("a frame is plain data, which can always be written")
    }
}

pub(crate) fn read<B: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<Framed<B>, String> {
    rmp_serde::from_slice(bytes).map_err(|error| short(error.to_string()))
}

/// The most characters of a foreign text that are kept, logged and shown.
const SHORT: usize = 256;

/// Cuts a foreign text.
pub(crate) fn short(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(SHORT) {
        text.truncate(at);
        text.shrink_to_fit();
        text.push_str("..");
    }
    text
}

/// A failure on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WireFailure {
    pub(crate) phase: WirePhase,
    pub(crate) cause: WireCause,
    pub(crate) path: String,
    pub(crate) incarnation: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum WirePhase {
    Start,
    Running,
    Restart,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum WireCause {
    Error(WireError),
    Panic(String),
    Killed,
    DeathPact(String),
    TimedOut,
    EndedByItself,
    /// The last failure below, as text.
    LimitReached(Vec<String>),
    Requested,
    NodeLost(String),
    Bug(String),
}

/// An error on its way: as itself if its type crosses, an `io::Error` by its kind; always its text, and those of its
/// sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WireError {
    pub(crate) typed: Option<ByteBuf>,
    pub(crate) io: Option<String>,
    pub(crate) texts: Vec<String>,
}

/// The answer to an ask: the bytes of the reply, or why they cannot be written; `None`: no reply will come.
pub(crate) type WireReply = Option<Result<ByteBuf, String>>;

/// The order to start an instance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlaceOrder {
    pub(crate) placement: u64,
    pub(crate) key: String,
    pub(crate) build: u64,
    pub(crate) captured: ByteBuf,
    pub(crate) path: String,
    pub(crate) incarnation: u32,
    pub(crate) healing: Option<WireFailure>,
    pub(crate) lease: Duration,
    pub(crate) shutdown: Duration,
    pub(crate) epoch: u64,
    /// The owner needs the number of handled messages, and not only of begun ones.
    pub(crate) redelivers: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToNode {
    /// The first frame: an owner of this tree is here. Again if it has taken a greater epoch.
    Hello {
        #[serde(flatten)]
        terms: Terms,
        tree: String,
        /// The module that declares the tree.
        #[serde(default)]
        module: String,
        epoch: u64,
        /// The build of the owner's program.
        #[serde(default)]
        build: String,
    },
    Place(Box<PlaceOrder>),
    Msg {
        placement: u64,
        seq: u64,
        body: ByteBuf,
    },
    /// The failures of this placement up to this number are decided: it goes on.
    Resume {
        placement: u64,
        upto: u64,
    },
    Leave {
        placement: u64,
        failure: WireFailure,
    },
    Stop {
        placement: u64,
    },
    Kill {
        placement: u64,
    },
    /// No instance waits for it any more: dropped as it is.
    Abort {
        placement: u64,
    },
    /// The answer to a renewal: all placements but these are granted, and so many frames in order have come before.
    Grant {
        asked: u64,
        gone: Vec<u64>,
        heard: u64,
    },
    /// Follows each answer to a renewal, in order, so that a frame that was lost is noticed.
    Still,
    /// The answer to a request of a `RemoteRef` on the node.
    Outcome {
        id: u64,
        taken: Outcome,
    },
    /// A reply to a message of a `RemoteRef` on the node.
    Reply {
        id: u64,
        ask: u64,
        back: WireReply,
    },
    /// This join is over; why.
    Bye {
        why: String,
    },
}

/// The answer to a request of a [`RemoteRef`](crate::RemoteRef) on a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    Done,
    Full,
    Down {
        retry_in: Option<Duration>,
    },
    Ended,
    /// There is no such child, or it does not read this message.
    Refused(String),
    /// The end of a child that was waited for.
    Gone(WireEnded),
}

/// The end of a child on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum WireEnded {
    Done,
    DoneWith(String),
    Stopped,
    Failed(WireFailure),
    Limit(WireFailure),
    Killed,
    Aborted,
    RuntimeGone,
}

/// A request of a `RemoteRef` on a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Request {
    Tell { body: ByteBuf, wait: bool },
    Stop,
    Restart,
    StartAgain,
    Drain,
    Kill,
    Shutdown,
    Terminated,
}

impl Request {
    /// Returns whether somebody waits for the answer, and may give it up.
    pub(crate) fn is_answered(&self) -> bool {
        match self {
            Request::Tell { wait, .. } => *wait,
            Request::Terminated | Request::Shutdown => true,
            Request::Stop | Request::Restart | Request::StartAgain | Request::Drain | Request::Kill => false,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToOwner {
    /// The answer to an owner's hello.
    Hello(NodeHello),
    /// The owner is not followed; why.
    Refused {
        why: String,
    },
    /// The owner is one of another tree than the one of this node.
    Elsewhere {
        tree: String,
        module: String,
    },
    /// Asks for a renewal. So many frames in order have come before, and the last answer took so long.
    Renew {
        asked: u64,
        heard: u64,
        #[serde(default)]
        round_trip: Option<Duration>,
    },
    /// Follows each renewal, in order, so that a frame that was lost is noticed.
    Still,
    /// Nothing of an older owner is left here.
    Free,
    /// The node leaves in order: no further orders.
    Leaving,
    Up {
        placement: u64,
    },
    /// The instance did not come up.
    NotUp {
        placement: u64,
        failure: WireFailure,
    },
    /// The order was not begun; why.
    Declined {
        placement: u64,
        why: String,
    },
    Begun {
        placement: u64,
        upto: u64,
        done: u64,
        /// The instance has begun to end by itself. A build that does not know it learns of the end only.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ends: bool,
    },
    /// The message cannot be read. A failure, and like one with a number.
    NotRead {
        placement: u64,
        number: u64,
        seq: u64,
        why: String,
        begun: u64,
        done: u64,
    },
    Reply {
        placement: u64,
        ask: u64,
        back: WireReply,
        begun: u64,
        done: u64,
    },
    /// The instance has failed, and waits for the decision. The failures of a placement are numbered.
    Failed {
        placement: u64,
        number: u64,
        failure: WireFailure,
        begun: u64,
        done: u64,
    },
    /// The instance is gone, and so many messages were begun.
    Ended {
        placement: u64,
        how: EndKind,
        /// On its way down.
        failures: Vec<WireFailure>,
        begun: u64,
        done: u64,
    },
    /// The task of the instance is gone, and nothing is known of its messages.
    Vanished {
        placement: u64,
    },
    /// A lease was over before the instance was down.
    Fenced {
        path: String,
    },
    /// A request for the child at this path, in the tree with this number.
    Request {
        to: String,
        root: u64,
        id: u64,
        request: Request,
    },
    /// Nobody waits for the answer to this request any more.
    Forget {
        id: u64,
    },
}

/// How an instance ended on its node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum EndKind {
    /// The instance has ended by itself, perhaps with words.
    Itself(Option<String>),
    /// The instance has ended by an order of its owner.
    Told,
    /// The instance did not go down in its time.
    Aborted,
    /// The instance has ended by a failure that was not decided: a bug, or settings that contradict each other.
    Failed(WireFailure),
    /// Dropped as it was; no hook ran.
    Dropped,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NodeHello {
    #[serde(flatten)]
    pub(crate) terms: Terms,
    pub(crate) role: String,
    pub(crate) capacity: Option<usize>,
    /// The children that this build has: key and build.
    pub(crate) builds: Vec<(String, u64)>,
    /// The leases of these children. Of two builds, a constant may have two values.
    #[serde(default)]
    pub(crate) leases: HashMap<String, Duration>,
    /// Instances of an older owner are not down yet.
    pub(crate) holds: bool,
    /// How many nodes of this tree its process serves, this one included.
    pub(crate) beside: usize,
    /// The greatest epoch that it has heard of.
    #[serde(default)]
    pub(crate) heard: Heard,
    /// The build of its program.
    #[serde(default)]
    pub(crate) build: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read_frame;

    /// A frame of each kind that has something inside, as a process writes it.
    fn frames() -> Vec<Vec<u8>> {
        let terms = Terms { protocol: PROTOCOL, max_frame: crate::MAX_FRAME };
        let error = WireError {
            typed: Some(ByteBuf::from([1, 2])),
            io: Some("TimedOut".to_owned()),
            texts: vec!["late".to_owned(), "a socket".to_owned()],
        };
        let failure =
            |cause| WireFailure { phase: WirePhase::Running, cause, path: "Shop/pricing".to_owned(), incarnation: 3 };
        let order = PlaceOrder {
            placement: 7,
            key: "Shop/pricing".to_owned(),
            build: u64::MAX,
            captured: ByteBuf::from([0x92, 1, 2]),
            path: "Shop/pricing".to_owned(),
            incarnation: 1,
            healing: Some(failure(WireCause::LimitReached(vec!["below".to_owned()]))),
            lease: Duration::from_millis(2500),
            shutdown: Duration::MAX,
            epoch: 1 << 62,
            redelivers: true,
        };
        let hello = NodeHello {
            terms,
            role: "worker".to_owned(),
            capacity: Some(100),
            builds: vec![("Shop/pricing".to_owned(), 9)],
            holds: false,
            beside: 1,
            heard: Heard::default(),
            leases: [("Shop/pricing".to_owned(), Duration::from_secs(5))].into(),
            build: "1.4.2".to_owned(),
        };
        let to_node = [
            ToNode::Hello {
                terms,
                tree: "Shop".to_owned(),
                module: "shop::tree".to_owned(),
                epoch: 9,
                build: "1.4.2".to_owned(),
            },
            ToNode::Place(Box::new(order)),
            ToNode::Msg { placement: 7, seq: 1, body: ByteBuf::from([0; 40]) },
            ToNode::Leave { placement: 7, failure: failure(WireCause::NodeLost("host-7#a.0".to_owned())) },
            ToNode::Grant { asked: 4, gone: vec![1, 2], heard: 9 },
            ToNode::Outcome { id: 1, taken: Outcome::Gone(WireEnded::Failed(failure(WireCause::Killed))) },
            ToNode::Reply { id: 1, ask: 2, back: Some(Err("no".to_owned())) },
        ];
        let to_owner = [
            ToOwner::Hello(hello),
            ToOwner::Elsewhere { tree: "Shop".to_owned(), module: "other".to_owned() },
            ToOwner::Renew { asked: 4, heard: 9, round_trip: Some(Duration::from_micros(310)) },
            ToOwner::NotUp { placement: 7, failure: failure(WireCause::Error(error)) },
            ToOwner::Begun { placement: 7, upto: 3, done: 2, ends: true },
            ToOwner::Reply { placement: 7, ask: 2, back: Some(Ok(ByteBuf::from([42]))), begun: 3, done: 3 },
            ToOwner::Failed {
                placement: 7,
                number: 1,
                failure: failure(WireCause::Panic("!".to_owned())),
                begun: 1,
                done: 0,
            },
            ToOwner::Ended {
                placement: 7,
                how: EndKind::Itself(None),
                failures: vec![failure(WireCause::TimedOut)],
                begun: 1,
                done: 1,
            },
            ToOwner::Request {
                to: "Shop/db".to_owned(),
                root: 1,
                id: 5,
                request: Request::Tell { body: ByteBuf::from([1]), wait: true },
            },
        ];
        let to_node = to_node.into_iter().map(|body| Framed { seq: 1, body }.write());
        to_node.chain(to_owner.into_iter().map(|body| Framed { seq: 1, body }.write())).collect()
    }

    /// A small generator: the same values for the same seed.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % end
        }

        fn byte(&mut self) -> u8 {
            u8::try_from(self.below(256)).unwrap()
        }
    }

    /// Each frame cut at each place and with each bit changed, and any bytes: nothing panics, and what is read is written as the same.
    #[test]
    fn any_bytes_are_no_frame_or_one_that_is_written_again() {
        let frames = frames();
        let mut taken = [0; 2];
        let mut reads = |bytes: &[u8]| {
            for (count, is) in taken.iter_mut().zip(read_frame(bytes)) {
                *count += usize::from(is);
            }
        };
        let mut read = 0;
        for (nth, frame) in frames.iter().enumerate() {
            assert_eq!(read_frame(frame), [nth < 7, nth >= 7], "frame {nth}");
            for at in 0..frame.len() {
                reads(&frame[..at]);
                for bit in 0..8 {
                    let mut bytes = frame.clone();
                    bytes[at] ^= 1 << bit;
                    reads(&bytes);
                    read += 1;
                }
            }
        }
        let mut random = Random(4);
        for _ in 0..20_000 {
            let mut bytes = frames[random.below(frames.len())].clone();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len() + 1);
                match random.below(5) {
                    0 => bytes.insert(at, random.byte()),
                    1 => bytes.truncate(at),
                    2 => bytes.extend_from_within(at..),
                    _ if at < bytes.len() => bytes[at] = random.byte(),
                    _ => {}
                }
            }
            reads(&bytes);
            bytes.iter_mut().for_each(|byte| *byte = random.byte());
            reads(&bytes);
            read += 1;
        }
        assert!(
            taken.iter().all(|taken| (read / 20..read).contains(taken)),
            "{taken:?} of {read}: one side is hardly tried"
        );
    }
}
