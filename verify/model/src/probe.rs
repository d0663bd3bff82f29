//! An actor that yields in every hook and handler, and writes down what happens.

use std::fmt;

use shuttle::future::yield_now;
use supervise::prelude::*;

use crate::log::Log;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boom {
    Planned,
    Told,
}

impl fmt::Display for Boom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Boom {}

pub enum Do {
    /// Answers after a yield.
    Get(Reply<u32>),
    /// Returns an error after a yield.
    Fail,
    /// `cx.stop()`.
    Stop,
    /// Does nothing.
    Note,
    /// Stays in hand until the other end sends, or is dropped.
    Wait(tokio::sync::oneshot::Receiver<()>),
    /// Watches the other actor, whose end is written down.
    Watch(ActorRef<Probe>),
    /// Spawns a child of this name, and watches it.
    Spawn(&'static str, Reply<Option<ActorRef<Probe>>>),
    /// Links the actor.
    Link(ActorRef<Probe>),
    /// Unlinks the actor.
    Unlink(ActorRef<Probe>),
}

pub struct Probe {
    name: &'static str,
    log: Log,
    /// Whether `pre_start` has succeeded and `post_stop` has not run.
    due: bool,
}

impl Probe {
    pub async fn start(name: &'static str, log: Log) -> Result<Probe, Boom> {
        yield_now().await;
        if log.reach(&format!("{name} start")) {
            return Err(Boom::Planned);
        }
        log.born(name);
        Ok(Probe { name, log, due: false })
    }

    async fn hook(&self, hook: &str) -> Result<(), Boom> {
        yield_now().await;
        match self.log.reach(&format!("{} {hook}", self.name)) {
            true => Err(Boom::Planned),
            false => Ok(()),
        }
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        if self.due {
            self.log.write(format!("{} lost its post_stop", self.name));
        }
        self.log.gone(self.name);
    }
}

impl Actor for Probe {
    type Msg = Do;
    type Error = Boom;

    async fn receive(&mut self, msg: Do, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.log.write(format!("{} message", self.name));
        match msg {
            Do::Get(reply) => {
                yield_now().await;
                reply.send(cx.incarnation());
            }
            Do::Fail => {
                yield_now().await;
                self.log.failed(self.name);
                return Err(Boom::Told);
            }
            Do::Stop => cx.stop(),
            Do::Note => {}
            Do::Wait(until) => drop(until.await),
            Do::Watch(other) => cx.watch(&other),
            Do::Link(other) => {
                if cx.link(&other).await.is_ok() {
                    self.log.write(format!("{} linked", self.name));
                }
            }
            Do::Unlink(child) => drop(cx.unlink(&child).await),
            Do::Spawn(name, reply) => {
                let log = self.log.clone();
                let kid = cx.spawn(child! { name: Probe = Probe::start(name, log).await? });
                let kid = kid.await.ok();
                if let Some(kid) = &kid {
                    cx.watch(kid);
                }
                reply.send(kid);
            }
        }
        Ok(())
    }

    async fn pre_start(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        self.hook("pre_start").await?;
        self.due = true;
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        if !std::mem::take(&mut self.due) {
            self.log.wrong(format!("post_stop of {} without a pre_start, or twice", self.name));
        }
        self.hook("post_stop").await
    }

    async fn pre_restart(&mut self, _: &Failure, _: &mut Context<Self>) -> Result<(), Boom> {
        self.hook("pre_restart").await
    }

    async fn post_restart(&mut self, _: &Failure, _: &mut Context<Self>) -> Result<(), Boom> {
        self.hook("post_restart").await
    }
}

impl Watcher for Probe {
    async fn terminated(&mut self, who: &Watched, _: &Ended, _: &mut Context<Self>) -> Result<(), Boom> {
        self.log.write(format!("{} hears {}", self.name, who.path()));
        Ok(())
    }
}
