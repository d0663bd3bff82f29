//! References on their way between processes: how they are written and read, and where the messages to them come in.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::hooks;
use futures_util::FutureExt as _;
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use supervise_runtime::error::{SendRejection, TellError};
use supervise_runtime::{Actor, ActorRef, Ended, Handles};

use crate::Remote;
use crate::errors::{guarded, to_wire_ended};
use crate::frame::{Outcome, Request};
use crate::inlet::{Answers, AtOwner, Inlet};
use crate::lock::lock;
use crate::net::Net;
use crate::node::NodeInner;
use crate::refs::RemoteRef;
use crate::wire::Peer;

impl Net {
    /// Returns a reference to a local actor that may be sent to nodes, inside of messages. There it leads back to the
    /// actor, as long as the tree runs that is on this network.
    ///
    /// A sibling that a start expression names needs no call of this: it crosses as such a reference.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use supervise::prelude::*;
    /// use supervise_remote::{Net, RemoteRef, memory::Network};
    ///
    /// struct Log;
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct Line(String);
    ///
    /// #[actor]
    /// impl Log {
    ///     fn handle(&mut self, Line(text): Line) {
    ///         println!("{text}");
    ///     }
    /// }
    ///
    /// /// A message to a remote child that says where to report.
    /// #[derive(Serialize, Deserialize)]
    /// struct ReportTo(RemoteRef<Log>);
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let net = Net::open(Network::new().process("owner"));
    /// # supervisor! { struct App { log: Log = Log } }
    /// # let app = App::start().await?;
    /// let message = ReportTo(net.export(&app.log));
    /// assert_eq!(message.0.path(), "log");
    /// # Ok(())
    /// # }
    /// ```
    pub fn export<A>(&self, actor: &ActorRef<A>) -> RemoteRef<A>
    where
        A: Actor<Msg: Remote>,
    {
        RemoteRef::local(actor.clone())
    }
}

impl<A: Actor<Msg: Remote>> Serialize for RemoteRef<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !hooks::is_crossing() {
            return Err(S::Error::custom("a `RemoteRef` crosses only as a part of a message"));
        }
        if !self.is_far() {
            let Some(exports) = hooks::context::<AtOwner>() else {
                return Err(S::Error::custom(format!(
                    "{} is an actor of this node, to which nothing leads from elsewhere",
                    self.path()
                )));
            };
            exports.writes(InletOf::shared(self.clone()));
        }
        (self.path(), self.root()).serialize(serializer)
    }
}

impl<'de, A: Actor<Msg: Remote>> Deserialize<'de> for RemoteRef<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (path, root) = <(String, u64)>::deserialize(deserializer)?;
        if let Some(node) = hooks::context::<NodeInner>() {
            return Ok(RemoteRef::far(&path, node, root));
        }
        let Some(at_owner) = hooks::context::<AtOwner>() else {
            return Err(D::Error::custom("a `RemoteRef` crosses only as a part of a message"));
        };
        let inlet = at_owner.find(root, &path).map(|inlet| inlet.as_any() as Arc<dyn Any + Send + Sync>);
        let inlet = inlet.and_then(|inlet| inlet.downcast::<InletOf<A>>().ok());
        match inlet {
            Some(inlet) => Ok(inlet.target()),
            None => Err(D::Error::custom(format!("{path} is not a child of this type"))),
        }
    }
}

/// A value that a start expression names, as it crosses: the handle of a sibling as a [`RemoteRef`].
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be named by the start expression of a remote child",
    label = "does not cross to another process",
    note = "handles of actors cross as `RemoteRef`; those of tasks, sets and trees do not cross"
)]
pub trait Export {
    type Far: Serialize + DeserializeOwned;
    fn export(&self) -> Self::Far;
}

impl<A: Actor<Msg: Remote>> Export for ActorRef<A> {
    type Far = RemoteRef<A>;
    fn export(&self) -> RemoteRef<A> {
        RemoteRef::local(self.clone())
    }
}

impl<A: Actor<Msg: Remote>> Export for RemoteRef<A> {
    type Far = RemoteRef<A>;
    fn export(&self) -> RemoteRef<A> {
        self.clone()
    }
}

impl<T: Export> Export for Option<T> {
    type Far = Option<T::Far>;
    fn export(&self) -> Self::Far {
        self.as_ref().map(Export::export)
    }
}

impl<T: Export, const N: usize> Export for Handles<T, N> {
    type Far = Several<T::Far, N>;
    fn export(&self) -> Self::Far {
        let all: Vec<T::Far> = self.iter().map(Export::export).collect();
        let Ok(all) = all.try_into() else { unreachable!("there are as many as handles") };
        Several(all)
    }
}

/// The handles of an array, as a list: `serde` reads no array of any length.
#[derive(Debug, Clone)]
pub struct Several<T, const N: usize>(pub Handles<T, N>);

impl<T: Serialize, const N: usize> Serialize for Several<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0[..].serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for Several<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all: Vec<T> = Vec::deserialize(deserializer)?;
        let several = all.try_into().map(Several);
        several.map_err(|all: Vec<T>| D::Error::custom(format_args!("{} handles, and {N} are declared", all.len())))
    }
}

/// The way in to one actor of the owner.
pub(crate) struct InletOf<A: Actor<Msg: Remote>> {
    to: RemoteRef<A>,
    waits: Mutex<Waits>,
}

/// The requests that are not carried out yet, in their order.
#[derive(Default)]
struct Waits {
    requests: VecDeque<(Answers, Request)>,
    /// A task carries them out.
    busy: bool,
    /// That task waits for room in the mailbox. Meanwhile everything but messages is carried out at once.
    full: bool,
}

impl<A: Actor<Msg: Remote>> InletOf<A> {
    pub(crate) fn shared(to: RemoteRef<A>) -> Arc<dyn Inlet> {
        Arc::new(InletOf { to, waits: Mutex::default() })
    }

    pub(crate) fn target(&self) -> RemoteRef<A> {
        self.to.clone()
    }

    /// Carries out what waits, in order.
    async fn work(self: Arc<Self>) {
        loop {
            let next = {
                let mut waits = lock(&self.waits);
                let next = waits.requests.pop_front();
                waits.busy = next.is_some();
                next
            };
            let Some((answers, request)) = next else { return };
            match request {
                Request::Tell { body, wait } => self.tell(answers, &body, wait).await,
                request => self.obey(answers, request),
            }
        }
    }

    /// Carries out what does not wait for room in the mailbox. What takes its time does so in a task of its own.
    fn obey(&self, answers: Answers, request: Request) {
        let to = self.to.clone();
        match request {
            Request::Stop => to.stop(),
            Request::Drain => to.drain(),
            Request::Kill => to.kill(),
            Request::Restart | Request::StartAgain => {
                let mut starting = Box::pin(async move {
                    let done = match request {
                        Request::Restart => to.restart().await,
                        _ => to.start_again().await,
                    };
                    answers.taken(match done {
                        Ok(()) => Outcome::Done,
                        Err(error) => Outcome::Refused(error.why().to_owned()),
                    });
                });
                // Requested here, so that what comes later comes after it; only the wait is a task of its own.
                if (&mut starting).now_or_never().is_none() {
                    tokio::spawn(starting);
                }
            }
            Request::Shutdown | Request::Terminated => {
                if let Request::Shutdown = request {
                    to.stop();
                }
                let (run, node, id) = (answers.run.clone(), answers.to.clone(), answers.id);
                run.wait_for(&node, id, async move {
                    // This task is no part of the child, so that the wait is not refused.
                    let ended = to.terminated().await.unwrap_or(Ended::RuntimeGone);
                    answers.taken(Outcome::Gone(to_wire_ended(&ended)));
                });
            }
            Request::Tell { .. } => answers.taken(Outcome::Full),
        }
    }

    async fn tell(&self, answers: Answers, body: &[u8], wait: bool) {
        let read = guarded(|| hooks::decode::<A::Msg>(body, Some(AtOwner::of(&answers.run))));
        let (msg, asks) = match read.unwrap_or_else(Err) {
            Ok(read) => read,
            Err(why) => return answers.taken(Outcome::Refused(format!("the message cannot be read: {why}"))),
        };
        let mut sent = self.to.try_tell(msg);
        if wait && let Err(error) = sent {
            sent = match error.reason() {
                SendRejection::Full => self.wait_for_room(error.into_message()).await,
                _ => Err(error),
            };
        }
        answers.taken(match &sent {
            Ok(()) => Outcome::Done,
            Err(error) => rejected(error),
        });
        if let Err(why) = guarded(|| drop(sent)) {
            say!(error, path = self.path(), why, "the drop of a refused message failed");
        }
        if asks.is_empty() {
            return;
        }
        // The replies come in any order, and each is sent when it is there.
        tokio::spawn(async move {
            let asks = asks.into_iter().map(|(ask, answer)| async move { (ask, answer.await) });
            let mut asks: futures_util::stream::FuturesUnordered<_> = asks.collect();
            while let Some((ask, back)) = futures_util::StreamExt::next(&mut asks).await {
                answers.reply(ask, back);
            }
        });
    }

    /// Sends a message when the mailbox has room. A stop, for example, does not wait behind it.
    async fn wait_for_room(&self, msg: A::Msg) -> Result<(), TellError<A::Msg>> {
        loop {
            let mut waits = lock(&self.waits);
            let (messages, others): (VecDeque<_>, VecDeque<_>) =
                waits.requests.drain(..).partition(|(_, request)| waits_for_room(request));
            waits.requests = messages;
            // Once the other requests are carried out, new requests need not wait behind the message.
            waits.full = others.is_empty();
            drop(waits);
            if others.is_empty() {
                break;
            }
            others.into_iter().for_each(|(answers, request)| self.obey(answers, request));
        }
        let sent = self.to.tell(msg).await;
        lock(&self.waits).full = false;
        sent
    }
}

impl<A: Actor<Msg: Remote>> Inlet for InletOf<A> {
    fn path(&self) -> &str {
        self.to.path()
    }

    fn root(&self) -> u64 {
        self.to.root()
    }

    fn is_over(&self) -> bool {
        self.to.ended().is_some()
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    #[cfg(feature = "testing")]
    fn waiting(&self) -> usize {
        lock(&self.waits).requests.len()
    }

    fn forget(&self, node: &Peer, id: u64) {
        let mut waits = lock(&self.waits);
        // A stop that nobody waits for is carried out all the same.
        let is_given_up = |(answers, request): &(Answers, Request)| {
            waits_for_room(request) && answers.id == id && answers.to == *node
        };
        let at = waits.requests.iter().position(is_given_up);
        let given_up = at.and_then(|at| waits.requests.remove(at));
        drop(waits);
        drop(given_up);
    }

    /// In a task of its own: reading a message runs code of the user, and sending it may wait. There is one for each
    /// actor, so that the requests of a node keep their order.
    fn take(self: Arc<Self>, answers: Answers, request: Request) {
        let mut waits = lock(&self.waits);
        if waits.full && !waits_for_room(&request) {
            drop(waits);
            return self.obey(answers, request);
        }
        waits.requests.push_back((answers, request));
        let begins = !std::mem::replace(&mut waits.busy, true);
        drop(waits);
        if begins {
            tokio::spawn(self.work());
        }
    }
}

/// Returns whether a request waits while the mailbox is full.
fn waits_for_room(request: &Request) -> bool {
    matches!(request, Request::Tell { wait: true, .. })
}

fn rejected<M>(error: &TellError<M>) -> Outcome {
    match error.reason() {
        SendRejection::Full => Outcome::Full,
        SendRejection::Down { retry_in } => Outcome::Down { retry_in },
        SendRejection::Ended => Outcome::Ended,
        other => Outcome::Refused(other.to_string()),
    }
}
