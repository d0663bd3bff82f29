//! A handle that leads to the same child from every process.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::hooks;
use serde_bytes::ByteBuf;
use supervise_runtime::error::{AskError, SendRejection, TellError, WaitError};
use supervise_runtime::future::Tell;
use supervise_runtime::inspect::one_line;
use supervise_runtime::{Actor, ActorRef, AnyRef, CallTo, ChildRef as _, Ended, Reply};

use crate::Remote;
use crate::errors::from_wire_ended;
use crate::frame::{Outcome, Request};
use crate::node::NodeInner;
use crate::place::Place;
use crate::proxy::Proxy;

/// The handle of a remote child, or of a local one that a remote one names.
///
/// A reference has the methods of an [`ActorRef`], and leads to the same child from everywhere: from the owner's
/// process, and, sent inside of a message or named by a start expression, from every node. It stays valid when the
/// child is restarted, also on another node.
///
/// Every message goes through the owner of the tree. `Ok` of a [`tell`](RemoteRef::tell) means that the owner has it;
/// rule S61 says what happens from there.
///
/// A reference can be serialized inside of a message, a reply, or the values of a start expression, and nowhere else.
/// Two references are equal if they lead to the same path of the same tree.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use supervise::prelude::*;
/// # use supervise_remote::testing::Cluster;
/// # struct Counter(u32);
/// # #[derive(Serialize, Deserialize)]
/// # enum Msg { Add(u32), Get(Reply<u32>) }
/// # #[actor]
/// # impl Counter {
/// #     fn handle(&mut self, msg: Msg) {
/// #         match msg { Msg::Add(n) => self.0 += n, Msg::Get(reply) => reply.send(self.0) }
/// #     }
/// # }
/// use supervise_remote::RemoteRef;
///
/// supervisor! {
///     struct Shop {
///         #[on("worker")]
///         counter: remote Counter = Counter(0),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut cluster = Cluster::new();
/// # cluster.node("one", Shop::node("worker"));
/// let shop = Shop::tree().on(cluster.owner()).start().await?;
/// let counter: RemoteRef<Counter> = shop.counter.clone();
/// counter.tell(Msg::Add(2)).await?;
/// assert_eq!(counter.ask(Msg::Get).await?, 2);
/// assert!(counter.node().is_some_and(|node| node.starts_with("one#")));
///
/// counter.restart().await?; // the same handle, a new instance
/// assert_eq!((counter.ask(Msg::Get).await?, counter.incarnation()), (0, Some(2)));
/// # Ok(())
/// # }
/// ```
pub struct RemoteRef<A> {
    path: Arc<str>,
    to: Arc<dyn HasTarget<A>>,
}

/// The target of a handle, behind a type that names no message: a handle is `Send` for every `A`, also for one with a
/// lifetime that the compiler forgets in the state of a future.
trait HasTarget<A>: Send + Sync {
    /// Returns the number of the tree that the child is part of, at its owner.
    fn root(&self) -> u64;

    fn target(&self) -> &Target<A>
    where
        A: Actor<Msg: Remote>;
}

impl<A: Actor<Msg: Remote>> HasTarget<A> for Target<A> {
    fn root(&self) -> u64 {
        match self {
            Target::Proxy(proxy, _) => hooks::root_of(proxy),
            Target::Local(actor) => hooks::root_of(actor),
            Target::Far(_, root) => *root,
        }
    }

    fn target(&self) -> &Target<A> {
        self
    }
}

enum Target<A: Actor<Msg: Remote>> {
    /// At the owner: a remote child.
    Proxy(ActorRef<Proxy<A>>, Arc<Place<A>>),
    /// At the owner: a local actor.
    Local(ActorRef<A>),
    /// On a node, with the number of the tree at the owner.
    Far(Arc<NodeInner>, u64),
}

impl<A> Clone for RemoteRef<A> {
    fn clone(&self) -> Self {
        RemoteRef { path: self.path.clone(), to: self.to.clone() }
    }
}

impl<A> fmt::Debug for RemoteRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemoteRef({})", self.path)
    }
}

/// By tree and path, which are the same in every process.
impl<A> PartialEq for RemoteRef<A> {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.to.root() == other.to.root()
    }
}

impl<A> Eq for RemoteRef<A> {}

impl<A> Hash for RemoteRef<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.path.hash(state);
    }
}

/// The error of a request to a remote child that was not carried out: [`restart`](RemoteRef::restart) or
/// [`start_again`](RemoteRef::start_again).
///
/// The child refused it, or did not come up; or, on a node, the owner cannot be reached. In the last case the request may
/// have been carried out.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use supervise::prelude::*;
/// # use supervise_remote::testing::Cluster;
/// # struct Pricing;
/// # #[derive(Serialize, Deserialize)]
/// # struct Reload;
/// # #[actor]
/// # impl Pricing { fn handle(&mut self, _: Reload) {} }
/// # supervisor! { struct Shop { #[on("worker")] pricing: remote Pricing = Pricing } }
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut cluster = Cluster::new();
/// # cluster.node("one", Shop::node("worker"));
/// # let shop = Shop::tree().on(cluster.owner()).start().await?;
/// use supervise_remote::RemoteError;
///
/// shop.pricing.shutdown().await?;
/// let error: RemoteError = shop.pricing.restart().await.unwrap_err();
/// assert_eq!(error.path(), "pricing");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} did not do it: {}", one_line(why))]
pub struct RemoteError {
    path: String,
    why: String,
}

impl RemoteError {
    /// Returns the path of the child.
    pub fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn why(&self) -> &str {
        &self.why
    }
}

/// A wait, boxed.
type Waiting<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Sends a message when the future is awaited, and waits for room unless `at_once`.
fn tell<A: Actor>(actor: &ActorRef<A>, msg: A::Msg, at_once: bool) -> Tell<'_, A, A::Msg> {
    let ask = actor.call::<()>(msg, |_, _| {});
    if at_once { ask.at_once().forget() } else { ask.forget() }
}

impl<A: Actor<Msg: Remote>> RemoteRef<A> {
    pub(crate) fn proxy(proxy: ActorRef<Proxy<A>>, place: Arc<Place<A>>) -> Self {
        RemoteRef { path: proxy.path().into(), to: Arc::new(Target::Proxy(proxy, place)) }
    }

    pub(crate) fn local(actor: ActorRef<A>) -> Self {
        RemoteRef { path: actor.path().into(), to: Arc::new(Target::Local(actor)) }
    }

    pub(crate) fn far(path: &str, node: Arc<NodeInner>, root: u64) -> Self {
        RemoteRef { path: path.into(), to: Arc::new(Target::Far(node, root)) }
    }

    /// Returns whether the child is at the owner, and this process is a node.
    pub(crate) fn is_far(&self) -> bool {
        matches!(self.target(), Target::Far(..))
    }

    /// Returns the number of the tree that the child is part of, at its owner.
    pub(crate) fn root(&self) -> u64 {
        self.to.root()
    }

    fn target(&self) -> &Target<A> {
        self.to.target()
    }

    /// Returns the path of the child in the owner's tree.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the node on which the child runs or comes up, as `name#join`. `None` while it is not placed, for a local
    /// child, and on a node.
    pub fn node(&self) -> Option<String> {
        match self.target() {
            Target::Proxy(_, place) => place.node().map(|peer| peer.to_string()),
            Target::Local(_) | Target::Far(..) => None,
        }
    }

    /// Returns the handle of the child at the owner without its type, for [`Context::watch`](supervise_runtime::Context::watch) and
    /// whatever else takes one; `None` on a node.
    pub fn any(&self) -> Option<AnyRef> {
        match self.target() {
            Target::Proxy(proxy, _) => Some(proxy.any()),
            Target::Local(actor) => Some(actor.any()),
            Target::Far(..) => None,
        }
    }

    /// Returns the number of the present incarnation; `None` on a node.
    pub fn incarnation(&self) -> Option<u32> {
        match self.target() {
            Target::Proxy(proxy, _) => Some(proxy.incarnation()),
            Target::Local(actor) => Some(actor.incarnation()),
            Target::Far(..) => None,
        }
    }

    /// Sends a message to the mailbox at the owner, and waits while that is full.
    ///
    /// `Ok` means that the owner has the message. It is then handled, or waits, or becomes a dead letter (rule S61).
    /// On a node the message crosses to the owner first, and the call waits for the answer: so the messages of one
    /// sender that awaits each `tell` stay in order.
    ///
    /// # Errors
    ///
    /// If the message was not accepted; the error returns it. [`SendRejection::Unreachable`] comes from a node only: the
    /// owner cannot be reached, or did not answer. In the second case it may have the message.
    ///
    /// # Cancel safety
    ///
    /// At the owner a call that is dropped while it waits has not sent the message. On a node it may have.
    pub fn tell(&self, msg: A::Msg) -> RemoteTell<'_, A, A::Msg> {
        self.tells(msg, false)
    }

    fn tells(&self, msg: A::Msg, at_once: bool) -> RemoteTell<'_, A, A::Msg> {
        RemoteTell(match self.target() {
            Target::Far(node, root) => Telling::Far(Box::pin(self.tell_far(node, *root, msg, !at_once))),
            Target::Proxy(proxy, _) => Telling::Proxy(tell(proxy, msg, at_once)),
            Target::Local(actor) => Telling::Local(tell(actor, msg, at_once)),
        })
    }

    /// Sends a message, and does not wait for room. On a node this is a [`tell`](RemoteRef::tell) that is carried out in
    /// the background: use it for messages that may be lost.
    ///
    /// # Errors
    ///
    /// If the message was not accepted; on a node only if it cannot be written, or no owner is there.
    pub fn try_tell(&self, msg: A::Msg) -> Result<(), TellError<A::Msg>> {
        match self.target() {
            Target::Proxy(proxy, _) => proxy.try_tell(msg),
            Target::Local(actor) => actor.try_tell(msg),
            Target::Far(node, root) => match node.write(&msg) {
                Ok((body, asks)) => {
                    let request = Request::Tell { body: ByteBuf::from(body), wait: false };
                    match node.order(&self.path, *root, request, asks) {
                        Some(()) => Ok(()),
                        None => Err(self.refused(msg, SendRejection::Unreachable)),
                    }
                }
                Err(_) => Err(self.refused(msg, SendRejection::NotWritten)),
            },
        }
    }

    /// Asks, and waits for the reply: 5 s, if neither the child nor [`within`](RemoteAsk::within) says otherwise.
    ///
    /// The clock of the asker counts, from the sending on. A reply that comes later is dropped.
    ///
    /// # Errors
    ///
    /// [`AskError::Refused`] if the message was not accepted, [`AskError::NoReply`] if no reply will come: the message
    /// failed, cannot be read, or its node is lost. Then it was perhaps handled. [`AskError::TimedOut`] after the time.
    /// [`at_once`](RemoteAsk::at_once) does not wait for room in the mailbox.
    pub fn ask<R>(&self, message: impl FnOnce(Reply<R>) -> A::Msg) -> RemoteAsk<'_, A, R, A::Msg> {
        let (reply, answer) = hooks::reply();
        self.asks(message(reply), Asked::Made(answer))
    }

    fn asks<R>(&self, msg: A::Msg, asked: Asked<R, A::Msg>) -> RemoteAsk<'_, A, R, A::Msg> {
        let within = match self.target() {
            Target::Proxy(proxy, _) => hooks::ask_time(proxy).unwrap_or(ASK),
            Target::Local(actor) => hooks::ask_time(actor).unwrap_or(ASK),
            Target::Far(..) => ASK,
        };
        RemoteAsk { to: self, msg, asked, within, at_once: false }
    }

    /// Sends a message of this node to the owner, which waits for room in the mailbox if `wait` says so.
    async fn tell_far(
        &self,
        node: &Arc<NodeInner>,
        root: u64,
        msg: A::Msg,
        wait: bool,
    ) -> Result<(), TellError<A::Msg>> {
        let (body, asks) = match node.write(&msg) {
            Ok(written) => written,
            Err(_) => return Err(self.refused(msg, SendRejection::NotWritten)),
        };
        let request = Request::Tell { body: ByteBuf::from(body), wait };
        let Some(taken) = node.request(&self.path, root, request, asks) else {
            return Err(self.refused(msg, SendRejection::Unreachable));
        };
        let reason = match taken.await {
            Ok(Outcome::Done) => return Ok(()),
            Ok(Outcome::Full) => SendRejection::Full,
            Ok(Outcome::Down { retry_in }) => SendRejection::Down { retry_in },
            Ok(Outcome::Ended) => SendRejection::Ended,
            Ok(Outcome::Refused(why)) => {
                say!(warn, path = &*self.path, why, "a message was refused");
                SendRejection::Ended
            }
            Ok(Outcome::Gone(_)) | Err(_) => SendRejection::Unreachable,
        };
        Err(self.refused(msg, reason))
    }

    fn refused(&self, msg: A::Msg, reason: SendRejection) -> TellError<A::Msg> {
        hooks::tell_error(msg, reason, self.path.to_string())
    }

    /// Requests the stop of the child, after the message in hand. Does not wait; [`shutdown`](RemoteRef::shutdown) does.
    /// On a node the request is lost if the owner cannot be reached.
    pub fn stop(&self) {
        match self.target() {
            Target::Proxy(proxy, _) => proxy.stop(),
            Target::Local(actor) => actor.stop(),
            Target::Far(node, root) => drop(node.order(&self.path, *root, Request::Stop, Vec::new())),
        }
    }

    /// Kills the instance where it runs: its handler is dropped at its next `.await`, and the supervisor decides. A node
    /// that does not answer is lost with its lease.
    pub fn kill(&self) {
        match self.target() {
            Target::Proxy(proxy, place) => {
                if !place.kill() {
                    proxy.kill();
                }
            }
            Target::Local(actor) => actor.kill(),
            Target::Far(node, root) => drop(node.order(&self.path, *root, Request::Kill, Vec::new())),
        }
    }

    /// Requests that the child handles what it has accepted, and then ends. Does not wait. On a node the request is
    /// lost if the owner cannot be reached.
    pub fn drain(&self) {
        match self.target() {
            Target::Proxy(proxy, _) => proxy.drain(),
            Target::Local(actor) => actor.drain(),
            Target::Far(node, root) => drop(node.order(&self.path, *root, Request::Drain, Vec::new())),
        }
    }

    /// Restarts the child, on the node where it is if that still holds its lease, and waits until it is up.
    ///
    /// # Errors
    ///
    /// If the child cannot be restarted, or does not come up.
    pub fn restart(&self) -> Waiting<'_, Result<(), RemoteError>> {
        Box::pin(async move {
            match self.target() {
                Target::Proxy(proxy, _) => self.starting(proxy.restart()).await,
                Target::Local(actor) => self.starting(actor.restart()).await,
                Target::Far(node, root) => self.request(node, *root, Request::Restart).await,
            }
        })
    }

    /// Starts a child that has ended once more, and waits until it is up.
    ///
    /// # Errors
    ///
    /// If the child cannot be started, or does not come up. On a node also if the owner has forgotten an actor that had
    /// ended: the references that nodes have to actors of the owner are kept as long as those live.
    pub fn start_again(&self) -> Waiting<'_, Result<(), RemoteError>> {
        Box::pin(async move {
            match self.target() {
                Target::Proxy(proxy, _) => self.starting(proxy.start_again()).await,
                Target::Local(actor) => self.starting(actor.start_again()).await,
                Target::Far(node, root) => self.request(node, *root, Request::StartAgain).await,
            }
        })
    }

    async fn starting<S, E, F>(&self, starting: Result<S, E>) -> Result<(), RemoteError>
    where
        S: Future<Output = Result<(), F>>,
        E: ToString,
        F: ToString,
    {
        match starting {
            Ok(starting) => starting.await.map_err(|error| self.error(error.to_string())),
            Err(error) => Err(self.error(error.to_string())),
        }
    }

    async fn request(&self, node: &Arc<NodeInner>, root: u64, request: Request) -> Result<(), RemoteError> {
        const GONE: &str = "the owner of the tree cannot be reached";
        let taken = node.request(&self.path, root, request, Vec::new()).ok_or_else(|| self.error(GONE.to_owned()))?;
        match taken.await {
            Ok(Outcome::Done) => Ok(()),
            Ok(Outcome::Refused(why)) => Err(self.error(why)),
            Ok(_) | Err(_) => Err(self.error(GONE.to_owned())),
        }
    }

    fn error(&self, why: String) -> RemoteError {
        RemoteError { path: self.path.to_string(), why }
    }

    /// Waits until the child has ended for good.
    ///
    /// On a node the end crosses, with an error as its text. If the owner cannot be reached, the result is
    /// [`Ended::RuntimeGone`], since what waits on a node ends with its owner. Of a child that had ended before and that the
    /// owner has forgotten, the result is [`Ended::Stopped`].
    ///
    /// # Errors
    ///
    /// If the caller is part of the child.
    ///
    /// # Cancel safety
    ///
    /// May be cancelled.
    pub fn terminated(&self) -> Waiting<'_, Result<Ended, WaitError>> {
        Box::pin(async move {
            match self.target() {
                Target::Proxy(proxy, _) => proxy.terminated().await,
                Target::Local(actor) => actor.terminated().await,
                Target::Far(node, root) => Ok(self.gone(node, *root, Request::Terminated).await),
            }
        })
    }

    /// Stops the child, and waits until it has ended. The result is that of [`terminated`](RemoteRef::terminated).
    ///
    /// # Errors
    ///
    /// If the caller is part of the child.
    ///
    /// # Cancel safety
    ///
    /// The stop is requested at the first poll; a call that is dropped after that no longer waits.
    pub fn shutdown(&self) -> Waiting<'_, Result<Ended, WaitError>> {
        Box::pin(async move {
            match self.target() {
                Target::Proxy(proxy, _) => proxy.shutdown().await,
                Target::Local(actor) => actor.shutdown().await,
                Target::Far(node, root) => Ok(self.gone(node, *root, Request::Shutdown).await),
            }
        })
    }

    async fn gone(&self, node: &Arc<NodeInner>, root: u64, request: Request) -> Ended {
        let Some(taken) = node.request(&self.path, root, request, Vec::new()) else { return Ended::RuntimeGone };
        match taken.await {
            Ok(Outcome::Gone(ended)) => from_wire_ended(ended),
            Ok(Outcome::Refused(_)) => Ended::Stopped,
            Ok(_) | Err(_) => Ended::RuntimeGone,
        }
    }

    /// Returns how the child has ended; `None` while it has not, and on a node.
    pub fn ended(&self) -> Option<Ended> {
        match self.target() {
            Target::Proxy(proxy, _) => proxy.ended(),
            Target::Local(actor) => actor.ended(),
            Target::Far(..) => None,
        }
    }
}

/// A message that is sent when this is awaited. Returned by [`RemoteRef::tell`].
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use supervise::prelude::*;
/// # use supervise_remote::RemoteRef;
/// # struct Pricing;
/// # #[derive(Serialize, Deserialize)]
/// # struct Reload;
/// # #[actor]
/// # impl Pricing { fn handle(&mut self, _: Reload) {} }
/// async fn reload(pricing: &RemoteRef<Pricing>) -> bool {
///     let sent = pricing.tell(Reload);
///     sent.await.is_ok() // nothing is sent before
/// }
/// # let _ = reload;
/// ```
///
/// # Cancel safety
///
/// At the owner a message that waits for room is not sent if this is dropped. On a node it may have been.
#[must_use = "a message is sent when the future is awaited; `let _ =` does not send it either"]
pub struct RemoteTell<'a, A, M>(Telling<'a, A, M>);

enum Telling<'a, A, M> {
    Proxy(Tell<'a, Proxy<A>, M>),
    Local(Tell<'a, A, M>),
    Far(Waiting<'a, Result<(), TellError<M>>>),
}

impl<A, M> fmt::Debug for RemoteTell<'_, A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Telling::Proxy(tell) => tell.fmt(f),
            Telling::Local(tell) => tell.fmt(f),
            Telling::Far(_) => f.write_str("RemoteTell"),
        }
    }
}

impl<A: Actor<Msg: Remote>> Future for RemoteTell<'_, A, A::Msg> {
    type Output = Result<(), TellError<A::Msg>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Telling::Proxy(tell) => Pin::new(tell).poll(cx),
            Telling::Local(tell) => Pin::new(tell).poll(cx),
            Telling::Far(tell) => tell.as_mut().poll(cx),
        }
    }
}

/// A question that is asked when it is awaited. Returned by [`RemoteRef::ask`].
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use supervise::prelude::*;
/// # use supervise_remote::RemoteRef;
/// use std::time::Duration;
/// use supervise::error::AskError;
///
/// # struct Pricing;
/// # #[derive(Serialize, Deserialize)]
/// # struct Quote(u32, Reply<u32>);
/// # #[actor]
/// # impl Pricing { fn handle(&mut self, Quote(item, reply): Quote) { reply.send(item) } }
/// async fn quote(pricing: &RemoteRef<Pricing>) -> Result<u32, AskError> {
///     // The times of a failover are in it: lease and `shutdown`.
///     pricing.ask(|reply| Quote(14, reply)).within(Duration::from_secs(15)).await
/// }
/// # let _ = quote;
/// ```
///
/// # Cancel safety
///
/// If the future is dropped, the message may still be handled; the reply is dropped.
#[must_use = "a question is asked when the future is awaited"]
pub struct RemoteAsk<'a, A, R, M> {
    to: &'a RemoteRef<A>,
    msg: M,
    asked: Asked<R, M>,
    within: Duration,
    at_once: bool,
}

/// The reply: made, or made when the question is asked.
enum Asked<R, M> {
    Made(hooks::Answer<R>),
    Put(fn(&mut M, Reply<R>)),
}

impl<A, R, M> fmt::Debug for RemoteAsk<'_, A, R, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemoteAsk({})", self.to.path)
    }
}

impl<A, R, M> RemoteAsk<'_, A, R, M> {
    /// Sets how long to wait, for room and reply together.
    pub fn within(mut self, time: Duration) -> Self {
        self.within = time;
        self
    }

    /// Does not wait for room in the mailbox at the owner: when there is none, the message is refused. The wait for the
    /// reply is as before. From a node the answer of the owner is waited for.
    ///
    /// # Errors
    ///
    /// Awaiting returns the errors of [`ask`](RemoteRef::ask), and [`AskError::Refused`] with [`SendRejection::Full`] if
    /// the mailbox is full.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped after its first poll, the message may still be handled; the reply is dropped.
    pub fn at_once(mut self) -> Self {
        self.at_once = true;
        self
    }
}

impl<'a, A: Actor<Msg: Remote>, R> RemoteAsk<'a, A, R, A::Msg> {
    /// Sends the message when the returned future is awaited, and does not wait for an answer: a
    /// [`tell`](RemoteRef::tell). After [`at_once`](RemoteAsk::at_once) it does not wait for room either. A time that was
    /// set by [`within`](RemoteAsk::within) is for the answer, and is not used.
    ///
    /// # Errors
    ///
    /// Awaiting returns the errors of [`tell`](RemoteRef::tell), with the message.
    ///
    /// # Cancel safety
    ///
    /// As of a [`RemoteTell`].
    pub fn forget(self) -> RemoteTell<'a, A, A::Msg> {
        let RemoteAsk { to, msg, at_once, .. } = self;
        to.tells(msg, at_once)
    }
}

impl<A: Actor<Msg: Remote>> CallTo<A> for RemoteRef<A> {
    type Call<'a, R: Send + 'static> = RemoteAsk<'a, A, R, A::Msg>;

    fn call<R: Send + 'static>(&self, msg: A::Msg, put: fn(&mut A::Msg, Reply<R>)) -> RemoteAsk<'_, A, R, A::Msg> {
        self.asks(msg, Asked::Put(put))
    }
}

/// The time of an ask from a node. At the owner it is that of the child.
const ASK: Duration = Duration::from_secs(5);

impl<'a, A: Actor<Msg: Remote>, R: Send + 'a> IntoFuture for RemoteAsk<'a, A, R, A::Msg> {
    type Output = Result<R, AskError>;
    type IntoFuture = Waiting<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let RemoteAsk { to, mut msg, asked, within, at_once } = self;
        let answer = match asked {
            Asked::Made(answer) => answer,
            Asked::Put(put) => {
                let (reply, answer) = hooks::reply();
                put(&mut msg, reply);
                answer
            }
        };
        let path = &*to.path;
        Box::pin(async move {
            let asked = async {
                let sent = match to.target() {
                    Target::Proxy(..) | Target::Local(_) if at_once => to.try_tell(msg),
                    Target::Far(node, root) => to.tell_far(node, *root, msg, !at_once).await,
                    _ => to.tell(msg).await,
                };
                if let Err(error) = sent {
                    return Err(match error.reason() {
                        SendRejection::Unreachable => AskError::NoReply { path: path.to_owned() },
                        reason => AskError::Refused { path: path.to_owned(), reason },
                    });
                }
                answer.await.ok_or_else(|| AskError::NoReply { path: path.to_owned() })
            };
            tokio::time::timeout(within, asked)
                .await
                .unwrap_or_else(|_| Err(AskError::TimedOut { path: path.to_owned(), within }))
        })
    }
}
