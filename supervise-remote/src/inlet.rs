//! The way in for what nodes send: references to actors of the owner, by path.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_bytes::ByteBuf;
use supervise::Actor;
use supervise::error::{SendRejection, TellError};
use supervise_runtime::remote as hooks;

use crate::errors::guarded;
use crate::frame::{Request, Taken, ToNode};
use crate::net::{Net, lock};
use crate::run::Run;
use crate::wire::Peer;
use crate::{Remote, RemoteRef};

/// An actor of the owner that nodes may send to.
pub(crate) trait Inlet: Send + Sync {
    fn path(&self) -> &str;
    fn is_over(&self) -> bool;
    fn take(&self, answers: Answers, request: Request);
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// All actors that a reference to was sent to a node. One that has ended is forgotten with one of the next that come.
#[derive(Default)]
pub(crate) struct Inlets(Mutex<Known>);

#[derive(Default)]
struct Known {
    by_path: HashMap<Arc<str>, Arc<dyn Inlet>>,
    sweep_at: usize,
}

impl Inlets {
    pub(crate) fn add(&self, inlet: Arc<dyn Inlet>) {
        let dropped = {
            let mut known = lock(&self.0);
            let mut dropped = Vec::new();
            if known.by_path.len() >= known.sweep_at {
                let over: Vec<Arc<str>> =
                    known.by_path.iter().filter(|(_, inlet)| inlet.is_over()).map(|(path, _)| path.clone()).collect();
                dropped.extend(over.iter().filter_map(|path| known.by_path.remove(path)));
                known.sweep_at = known.by_path.len().saturating_mul(2).max(64);
            }
            let path: Arc<str> = inlet.path().into();
            dropped.extend(known.by_path.insert(path, inlet));
            dropped
        };
        drop(dropped); // may drop values of the user
    }

    pub(crate) fn find(&self, path: &str) -> Option<Arc<dyn Inlet>> {
        lock(&self.0).by_path.get(path).cloned()
    }

    #[cfg(feature = "testing")]
    pub(crate) fn len(&self) -> usize {
        lock(&self.0).by_path.len()
    }
}

/// What writing and reading of a message at the owner has to know.
#[derive(Default)]
pub(crate) struct AtOwner {
    /// References that were written into a message, in order to let them in.
    written: Mutex<Vec<Arc<dyn Inlet>>>,
    /// Where references that are read are found.
    net: Option<Net>,
}

impl AtOwner {
    pub(crate) fn of(net: Net) -> Arc<AtOwner> {
        Arc::new(AtOwner { written: Mutex::default(), net: Some(net) })
    }

    pub(crate) fn writes(&self, inlet: Arc<dyn Inlet>) {
        lock(&self.written).push(inlet);
    }

    pub(crate) fn take(&self) -> Vec<Arc<dyn Inlet>> {
        std::mem::take(&mut *lock(&self.written))
    }

    pub(crate) fn find(&self, path: &str) -> Option<Arc<dyn Inlet>> {
        self.net.as_ref()?.0.inlets.find(path)
    }
}

/// Where the answers to a request of a node go.
pub(crate) struct Answers {
    pub(crate) run: Arc<Run>,
    pub(crate) to: Peer,
    pub(crate) id: u64,
}

impl Answers {
    fn taken(&self, taken: Taken) {
        self.run.send(&self.to, ToNode::Taken { id: self.id, taken });
    }

    fn reply(&self, ask: u64, back: hooks::Back) {
        let most = self.run.net().max_frame;
        let back = back.map(|back| match back {
            Ok(bytes) if bytes.len() > most => Err(too_large(bytes.len(), most)),
            back => back.map(ByteBuf::from),
        });
        self.run.send(&self.to, ToNode::Reply { id: self.id, ask, back });
    }
}

pub(crate) fn too_large(bytes: usize, most: usize) -> String {
    format!("it has {bytes} bytes, and a frame has {most} at most; send less, or raise `Net::max_frame`")
}

pub(crate) struct InletOf<A: Actor<Msg: Remote>> {
    path: String,
    to: RemoteRef<A>,
}

impl<A: Actor<Msg: Remote>> InletOf<A> {
    pub(crate) fn shared(to: RemoteRef<A>) -> Arc<dyn Inlet> {
        Arc::new(InletOf { path: to.path().to_owned(), to })
    }

    pub(crate) fn target(&self) -> RemoteRef<A> {
        self.to.clone()
    }
}

impl<A: Actor<Msg: Remote>> Inlet for InletOf<A> {
    fn path(&self) -> &str {
        &self.path
    }

    fn is_over(&self) -> bool {
        self.to.ended().is_some()
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    /// In a task of its own: reading a message runs code of the user, and sending it may wait.
    fn take(&self, answers: Answers, request: Request) {
        let to = self.to.clone();
        tokio::spawn(async move {
            match request {
                Request::Tell { body, wait } => tell(to, &answers, &body, wait).await,
                Request::Stop => to.stop(),
                Request::Drain => to.drain(),
                Request::Kill => to.kill(),
                Request::Restart => answers.taken(done(to.restart().await)),
                Request::StartAgain => answers.taken(done(to.start_again().await)),
                Request::Shutdown => {
                    to.stop();
                    gone(&to, &answers).await;
                }
                Request::Terminated => gone(&to, &answers).await,
            }
        });
    }
}

fn done<E: ToString>(result: Result<(), E>) -> Taken {
    match result {
        Ok(()) => Taken::Done,
        Err(error) => Taken::Refused(error.to_string()),
    }
}

async fn gone<A: Actor<Msg: Remote>>(to: &RemoteRef<A>, answers: &Answers) {
    let ended = to.terminated().await.map_or_else(|error| error.to_string(), |ended| ended.to_string());
    answers.taken(Taken::Gone(ended));
}

async fn tell<A: Actor<Msg: Remote>>(to: RemoteRef<A>, answers: &Answers, body: &[u8], wait: bool) {
    let read = guarded(|| hooks::decode::<A::Msg>(body, Some(AtOwner::of(answers.run.as_net()))));
    let (msg, asks) = match read.unwrap_or_else(Err) {
        Ok(read) => read,
        Err(why) => return answers.taken(Taken::Refused(format!("the message cannot be read: {why}"))),
    };
    let sent = if wait { to.tell(msg).await } else { to.try_tell(msg) };
    answers.taken(match &sent {
        Ok(()) => Taken::Done,
        Err(error) => rejected(error),
    });
    let refused = guarded(|| drop(sent));
    if let Err(why) = refused {
        tracing::error!(path = to.path(), why, "the drop of a refused message failed");
    }
    // The replies come in any order, and each is sent when it is there.
    let mut asks: futures_util::stream::FuturesUnordered<_> =
        asks.into_iter().map(|(ask, answer)| async move { (ask, answer.await) }).collect();
    while let Some((ask, back)) = futures_util::StreamExt::next(&mut asks).await {
        answers.reply(ask, back);
    }
}

fn rejected<M>(error: &TellError<M>) -> Taken {
    match error.reason() {
        SendRejection::Full => Taken::Full,
        SendRejection::Down { retry_in } => Taken::Down { retry_in },
        SendRejection::Ended => Taken::Ended,
        other => Taken::Refused(other.to_string()),
    }
}
