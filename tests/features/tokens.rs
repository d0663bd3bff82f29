//! The feature `tokio-util`: `cx.token()` of tasks and actors (S29).
#![cfg(feature = "tokio-util")]

use supervise::prelude::*;
use tokio_util::sync::CancellationToken;

use crate::common::{Boom, Journal, pass, secs, settle, soon};

struct Holder {
    journal: Journal,
}

enum Msg {
    Token(Reply<(CancellationToken, CancellationToken)>),
    /// Works until its token is cancelled.
    Work,
    Fail,
}

impl Actor for Holder {
    type Msg = Msg;
    type Error = Boom;

    async fn receive(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            Msg::Token(reply) => reply.send((cx.token(), cx.token())),
            Msg::Work => {
                let incarnation = cx.incarnation();
                cx.token().cancelled().await;
                self.journal.write(format!("asked to end in {incarnation}"));
            }
            Msg::Fail => return Err(Boom::Told),
        }
        Ok(())
    }

    async fn post_stop(&mut self, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.journal.write(format!("cancelled in post_stop: {}", cx.token().is_cancelled()));
        Ok(())
    }
}

supervisor! {
    struct Tree(journal: Journal) {
        #![strategy(AllForOne)]
        holder: Holder = Holder { journal },

        #[lifecycle(Permanent)]
        worker: task = |cx| async move {
            let inner = cx.clone();
            cx.spawn(async move {
                inner.token().cancelled().await;
            });
            let own = cx.token();
            own.cancel();
            journal.write(format!("own {}, another {}", own.is_cancelled(), cx.token().is_cancelled()));
            cx.token().cancelled().await;
            journal.write(format!("task told, {}", cx.is_stopped()));
        },

        other: Holder = Holder { journal },
    }
}

async fn tree() -> (Running<Tree>, Journal) {
    let journal = Journal::default();
    let tree = Tree::start(journal.clone()).await.unwrap();
    settle().await;
    (tree, journal)
}

/// S29: a task's token is cancelled when `stopped` resolves; a task that cancels its own token stops nothing else.
#[tokio::test(start_paused = true)]
async fn the_token_of_a_task_is_cancelled_when_it_should_end() {
    let (tree, journal) = tree().await;
    assert_eq!(journal.take(), ["own true, another false"]);
    tree.worker.stop();
    soon(tree.worker.terminated()).await.unwrap();
    assert_eq!(journal.take(), ["task told, true"]);
}

/// S29: an actor's token is cancelled when the actor is asked to go down, also in the middle of a handler, both for a
/// restart and for a stop; the next incarnation has a new token.
#[tokio::test(start_paused = true)]
async fn the_token_of_an_actor_is_cancelled_when_it_should_end() {
    let (tree, journal) = tree().await;
    journal.take();
    let (one, two) = tree.holder.ask(Msg::Token).await.unwrap();
    one.cancel();
    settle().await;
    assert!(!two.is_cancelled(), "each call returns a separate token");
    tree.holder.tell(Msg::Work).await.unwrap();
    pass(secs(1)).await;
    assert!(!two.is_cancelled());
    tree.other.tell(Msg::Fail).await.unwrap(); // the holder restarts together with it
    pass(secs(1)).await;
    assert!(two.is_cancelled());
    assert_eq!(tree.holder.incarnation(), 2);
    let (again, _) = tree.holder.ask(Msg::Token).await.unwrap();
    assert!(!again.is_cancelled());
    journal.take();
    tree.holder.tell(Msg::Work).await.unwrap();
    settle().await;
    tree.holder.stop();
    soon(tree.holder.terminated()).await.unwrap();
    assert!(again.is_cancelled());
    assert_eq!(journal.take(), ["asked to end in 2", "cancelled in post_stop: true"]);
}

/// S29: a failure and a kill cancel the token too: work that was started with it should not continue alone.
#[tokio::test(start_paused = true)]
async fn a_failure_and_a_kill_cancel_the_token() {
    let (tree, _) = tree().await;
    let (token, _) = tree.holder.ask(Msg::Token).await.unwrap();
    tree.holder.tell(Msg::Fail).await.unwrap();
    settle().await;
    assert!(token.is_cancelled());
    let (token, _) = tree.holder.ask(Msg::Token).await.unwrap();
    tree.holder.kill();
    settle().await;
    assert!(token.is_cancelled());
}
