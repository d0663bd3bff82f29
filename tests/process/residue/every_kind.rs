//! A tree with one child of each kind, whose actors run the closures that they receive.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use supervise::prelude::*;

pub struct Node;

/// The name of a child that is kept.
pub const KEPT: &str = "kept";

type Act = Box<dyn for<'a> FnOnce(&'a mut Context<Node>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> + Send>;

pub enum Do {
    Nothing,
    Sync(Reply<()>),
    Drop(#[allow(dead_code)] Reply<()>),
    Act(Act),
    Fail,
    Escalate,
    Panic,
    Hang,
    Stop,
}

impl Clone for Do {
    /// For `redeliver`: messages that can be delivered twice.
    fn clone(&self) -> Self {
        match self {
            Do::Sync(reply) => Do::Sync(reply.clone()),
            Do::Fail => Do::Fail,
            _ => Do::Nothing,
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("ill")]
pub struct Ill;

#[derive(Debug, thiserror::Error)]
#[error("worse")]
pub struct Worse;

impl Actor for Node {
    type Msg = Do;
    type Error = supervise::BoxError;

    async fn receive(&mut self, msg: Do, cx: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        match msg {
            Do::Nothing | Do::Drop(_) => {}
            Do::Sync(reply) => reply.send(()),
            Do::Act(act) => act(cx).await,
            Do::Fail => return Err(Ill.into()),
            Do::Escalate => return Err(Worse.into()),
            Do::Panic => panic!("planned panic"),
            Do::Hang => std::future::pending().await,
            Do::Stop => cx.stop(),
        }
        Ok(())
    }

    async fn pre_restart(&mut self, _: &Failure, cx: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        if let Some(kept) = cx.child::<Node>(KEPT) {
            cx.keep(&kept);
        }
        Ok(())
    }
}

impl Watcher for Node {
    async fn terminated(&mut self, _: &Watched, _: &Ended, _: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        Ok(())
    }
}

/// One of two actors that name each other. It greets the other at its start.
pub struct Friend(pub ActorRef<Friend>);

impl Actor for Friend {
    type Msg = Do;
    type Error = supervise::BoxError;

    async fn pre_start(&mut self, _: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        let _ = self.0.try_tell(Do::Nothing);
        Ok(())
    }

    async fn receive(&mut self, msg: Do, _: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        match msg {
            Do::Fail => return Err(Ill.into()),
            Do::Sync(reply) => reply.send(()),
            _ => {}
        }
        Ok(())
    }
}

/// An actor that sends nothing.
pub struct Mute;

impl Actor for Mute {
    type Msg = Do;
    type Error = supervise::BoxError;

    async fn receive(&mut self, _: Do, _: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        std::future::pending().await
    }
}

supervisor! {
    pub struct Branch {
        leaf: Node = Node,
        twig: task = std::future::pending::<()>(),
    }

    pub struct Friends {
        first: Friend = Friend(later(second)),
        second: Friend = Friend(first),
    }

    /// The second never starts, and what waits for it is lost.
    pub struct Lonely {
        first: Friend = Friend(later(second)),
        second: Friend = { Err(Ill)?; Friend(first) },
    }

    /// Ends with the last of its jobs.
    pub struct Jobs {
        idle: task = std::future::pending::<()>(),
        #[lifecycle(Transient, significant)]
        jobs: [task] = || async {},
    }

    pub struct Broken {
        node: Node = Node,
        job: task = std::future::pending::<()>(),
        ill: Node = Err(Ill)?,
    }

    pub struct EveryKind {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(Cause::Killed => Stop, _ => Restart)]
        db: Node = Node,
        host: Node = Node,
        #[decider(_ => Resume)]
        meek: Node = Node,
        #[redeliver(attempts = 1)]
        zealous: Node = Node,
        #[lifecycle(shutdown = 1ms)]
        silent: Mute = Mute,
        #[mailbox(Bounded(2))]
        #[lifecycle(shutdown = 1ms)]
        narrow: Node = Node,
        worker: task = |cx| async move { cx.stopped().await },
        trio: struct Trio {
            #![strategy(AllForOne, max_restarts = Unlimited)]
            #![decider(_: Worse => Escalate, _ => Restart)]
            a: Node = Node,
            b: Node = Node,
            c: task = std::future::pending::<()>(),
        },
        set: [Node] = || Node,
        keyed: [u32 => Node] = |_key: u32| Node,
        jobs: [task] = || std::future::pending::<()>(),
        busy: [task] = || |cx| async move {
            cx.spawn(std::future::pending::<()>());
            cx.spawn(async {});
            cx.stopped().await
        },
        branches: [Branch] = || Branch::tree(),
        friends: [Friends] = || Friends::tree(),
        lonely: [Lonely] = || Lonely::tree(),
        ending: [Jobs] = || Jobs::tree(),
        #[lifecycle(Permanent, handler = 1ms)]
        timed: Node = Node,
        #[lifecycle(Transient, handler = 1ms)]
        all_timed: [Node] = || Node,
        #[mailbox(fresh)]
        forgetful: Node = Node,
        #[max_starting(1)]
        few: [Node] = || Node,
        #[lifecycle(Temporary)]
        once: [Node] = |_held: Vec<u8>| Node,
        #[lifecycle(Temporary)]
        once_keyed: [u32 => Node] = |_key: u32, _held: Vec<u8>| Node,
        #[lifecycle(Temporary)]
        once_jobs: [task] = |held: Vec<u8>| async move { if held.is_empty() { Err(Ill) } else { Ok(()) } },
        #[max_children(1)]
        single: [Node] = || Node,
        ill: [Node] = || Err(Ill)?,
        ill_keyed: [u32 => Node] = |_key: u32| Err(Ill)?,
    }
}

/// Runs `act` in a handler of `node`, and returns its result.
pub async fn at<T: Send + 'static>(
    node: &ActorRef<Node>,
    act: impl for<'a> FnOnce(&'a mut Context<Node>) -> Pin<Box<dyn Future<Output = T> + Send + 'a>> + Send + 'static,
) -> T {
    let (give, take) = tokio::sync::oneshot::channel();
    let act: Act = Box::new(move |cx| {
        Box::pin(async move {
            let _ = give.send(act(cx).await);
        })
    });
    node.tell(Do::Act(act)).await.unwrap();
    take.await.unwrap()
}

/// Polls the future once, and drops it if it is not ready.
pub async fn first_poll<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|cx| {
        Poll::Ready(match future.as_mut().poll(cx) {
            Poll::Ready(out) => Some(out),
            Poll::Pending => None,
        })
    })
    .await
}
